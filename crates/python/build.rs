//! Writes the text of the stubs about each member into a file, which the class includes.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    const STUBS: &str = "python/waymesh/_waymesh.pyi";
    println!("cargo::rerun-if-changed={STUBS}");
    let folder = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    let text = fs::read_to_string(STUBS)?;
    // The text of a class comes before its members, and that of a member after its signature.
    let (mut class, mut described) = ("", None);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("class ") {
            class = name.trim_end_matches(':');
            described = Some(class.to_owned());
        } else if let Some(rest) = line.strip_prefix("def ") {
            described = rest.split('(').next().map(str::to_owned);
        } else if let Some(rest) = line.strip_prefix("    def ") {
            described = Some(format!("{class}.{}", rest.split('(').next().unwrap_or_default()));
        } else if let Some(mut part) = line.trim_start().strip_prefix("\"\"\"")
            && let Some(name) = described.take()
        {
            let mut doc = String::new();
            while !part.ends_with("\"\"\"") {
                doc += part;
                doc.push('\n');
                part = lines.next().map(str::trim_start).unwrap_or("\"\"\"");
            }
            doc += part.trim_end_matches("\"\"\"");
            fs::write(Path::new(&folder).join(name), doc)?;
        }
    }
    Ok(())
}
