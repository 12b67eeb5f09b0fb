//! Writes a module for browsers, its JavaScript and its types:
//! `cargo run --package waymesh-glue -- MODULE FOLDER NAME`.

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, name] = &words[..] else {
        anyhow::bail!("usage: waymesh-glue MODULE FOLDER NAME");
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).web(true)?.typescript(true).out_name(name);
    // `init()` without arguments loads the module from the folder of the JavaScript.
    bindgen.omit_default_module_path(false);
    bindgen.generate(folder).with_context(|| format!("{module} cannot be made a module for browsers"))
}
