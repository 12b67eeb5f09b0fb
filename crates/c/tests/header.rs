//! The header is what the sources say.

#![allow(clippy::expect_used, reason = "a test ends with what it did not expect")]

use std::path::Path;

#[test]
fn the_header_is_that_of_the_sources() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).expect("a configuration");
    let builder = cbindgen::Builder::new().with_config(config);
    let sources = ["status", "settings", "mesh", "query", "links", "world", "crowd"];
    let builder =
        sources.iter().fold(builder, |builder, name| builder.with_src(folder.join(format!("src/{name}.rs"))));
    let mut text = Vec::new();
    builder.generate().expect("a header").write(&mut text);
    let text = String::from_utf8(text).expect("UTF-8");
    let file = folder.join("include/waymesh.h");
    if std::env::var_os("WAYMESH_BLESS").is_some() {
        std::fs::write(&file, &text).expect("the header can be written");
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == text, "include/waymesh.h is not what the sources say: run with WAYMESH_BLESS=1");
}
