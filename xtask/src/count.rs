//! `cargo xtask count`: the size of each crate.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::root;
use crate::tidy::{files_under, read};

/// Crates that are not part of the library: bindings, programs, tools, tests.
const NO_LIBRARY: [&str; 12] = [
    "benches", "bevy", "c", "cli", "contract", "fuzz", "gpu", "metrics", "python", "scenes", "testkit",
    "wasm",
];

/// Words after the visibility of a public item.
const PUBLIC: [&str; 11] =
    ["fn", "const", "unsafe", "async", "struct", "enum", "trait", "type", "static", "union", "mod"];

/// Lines of Rust.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lines {
    /// Neither blank nor a comment, outside of tests.
    code: usize,
    /// Comments and docs, outside of tests.
    comments: usize,
    /// All lines of tests that are not blank.
    tests: usize,
    /// Public functions, types, constants and modules.
    public: usize,
}

impl Lines {
    fn add(&mut self, other: Self) {
        self.code += other.code;
        self.comments += other.comments;
        self.tests += other.tests;
        self.public += other.public;
    }

    fn row(&self, name: &str) -> String {
        format!("| {name} | {} | {} | {} | {} |", self.code, self.comments, self.tests, self.public)
    }
}

/// Prints a table of all crates.
#[expect(clippy::print_stdout, reason = "the table is the result")]
pub(crate) fn run() -> Result<()> {
    let root = root();
    let mut crates: BTreeMap<String, Lines> = BTreeMap::new();
    for folder in ["crates", "xtask", "benches", "fuzz"] {
        let files = files_under(&root.join(folder))?;
        for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "rs")) {
            let inside = file.strip_prefix(&root).unwrap_or(file);
            let mut parts = inside.iter().map(|part| part.to_string_lossy());
            let first = parts.next().unwrap_or_default();
            let name = if first == "crates" { parts.next().unwrap_or_default() } else { first };
            let is_test = inside.iter().any(|part| part == "tests") || inside.ends_with("tests.rs");
            crates.entry(name.into_owned()).or_default().add(count(&read(file)?, is_test));
        }
    }
    println!("| crate | code | comments | tests | public items |\n|---|--:|--:|--:|--:|");
    let (mut all, mut library) = (Lines::default(), Lines::default());
    for (name, lines) in &crates {
        println!("{}", lines.row(name));
        all.add(*lines);
        if name != "xtask" && !NO_LIBRARY.contains(&name.as_str()) {
            library.add(*lines);
        }
    }
    println!("{}\n{}", library.row("**library**"), all.row("**all**"));
    Ok(())
}

/// Counts the lines of a file in the format of rustfmt: a module of tests ends at a brace that is
/// indented as deep as the module.
fn count(text: &str, is_test: bool) -> Lines {
    let mut lines = Lines::default();
    let mut end_of_tests: Option<String> = None;
    let mut was_test_attribute = false;
    for line in text.lines() {
        let words = line.trim_start();
        if words.is_empty() {
            continue;
        }
        let indent = &line[..line.len() - words.len()];
        if is_test || end_of_tests.is_some() {
            lines.tests += 1;
            if end_of_tests.as_deref() == Some(line) {
                end_of_tests = None;
            }
        } else if words.starts_with("#[cfg(test)]") {
            lines.tests += 1;
            was_test_attribute = true;
            continue;
        } else if was_test_attribute && !words.starts_with("#[") {
            lines.tests += 1;
            if words.ends_with('{') {
                end_of_tests = Some(format!("{indent}}}"));
            }
        } else if words.starts_with("//") {
            lines.comments += 1;
        } else {
            lines.code += 1;
            let item = words.strip_prefix("pub ").and_then(|item| item.split(' ').next());
            lines.public += usize::from(item.is_some_and(|item| PUBLIC.contains(&item)));
        }
        was_test_attribute &= words.starts_with("#[");
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{Lines, count};

    #[test]
    fn tests_comments_and_public_items_are_counted_apart() {
        let text = "//! Docs.\n\npub struct A {\n    /// A field.\n    pub b: u8,\n}\n\n\
                    impl A {\n    pub fn c(&self) {}\n    pub(crate) fn d(&self) {}\n}\n\n\
                    #[cfg(test)]\nmod tests {\n    #[test]\n    fn e() {\n    }\n}\n\nfn f() {}\n";
        assert_eq!(count(text, false), Lines { code: 8, comments: 2, tests: 6, public: 2 });
        assert_eq!(count(text, true), Lines { tests: 16, ..Lines::default() });
    }
}
