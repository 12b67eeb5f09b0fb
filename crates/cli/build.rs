//! Puts the page of `waymesh view` into the program: the files of the folder `page`, which
//! `npm run ship` in `crates/wasm/viewer` fills. Without them the program needs a folder.

use std::io::Result;
use std::path::{Path, PathBuf};

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=page");
    let [package, out] =
        ["CARGO_MANIFEST_DIR", "OUT_DIR"].map(|name| std::env::var_os(name).unwrap_or_default());
    let page = Path::new(&package).join("page");
    let mut files = Vec::new();
    if page.join("index.html").is_file() {
        list(&page, "", &mut files)?;
    }
    files.sort();
    let lines = files.iter().map(|(name, file)| format!("({name:?}, include_bytes!({file:?})),\n"));
    std::fs::write(Path::new(&out).join("page.rs"), format!("&[\n{}]", lines.collect::<String>()))
}

fn list(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{name}/"), files)?;
        } else if !name.starts_with('.') {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}
