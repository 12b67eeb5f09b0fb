//! Writes the text of the stubs about each member into a file, which the class includes.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    const STUBS: &str = "python/waymesh/_waymesh.pyi";
    println!("cargo::rerun-if-changed={STUBS}");
    let folder = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    let text = fs::read_to_string(STUBS)?;
    let (mut class, mut member, mut is_signature) = ("", "", false);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let start = line.trim_start();
        if let Some(name) = line.strip_prefix("class ") {
            (class, member, is_signature) = (name.trim_end_matches(':'), "", false);
        } else if let Some(rest) = line.strip_prefix("    def ") {
            (member, is_signature) = (rest.split('(').next().unwrap_or_default(), true);
        } else if let Some(mut part) = start.strip_prefix("\"\"\"").filter(|_| !class.is_empty()) {
            // The text of a class comes before its members, and that of a member after its signature.
            let name = if is_signature { format!("{class}.{member}") } else { class.to_owned() };
            if is_signature == member.is_empty() {
                continue;
            }
            let mut doc = String::new();
            while !part.ends_with("\"\"\"") {
                doc += part;
                doc.push('\n');
                part = lines.next().map(str::trim_start).unwrap_or("\"\"\"");
            }
            doc += part.trim_end_matches("\"\"\"");
            fs::write(Path::new(&folder).join(name), doc)?;
            is_signature = false;
        }
    }
    Ok(())
}
