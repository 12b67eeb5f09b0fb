//! Tests that ran without their levels.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::target;

/// Variable that names the file in which tests note what they miss, see
/// `waymesh_testkit::levels`.
pub(crate) const VARIABLE: &str = "WAYMESH_SKIPPED";

/// Returns the file of the notes, which is emptied.
pub(crate) fn notes() -> PathBuf {
    let file = target().join("skipped.txt");
    let _ = std::fs::remove_file(&file);
    file
}

/// Prints how many tests missed something, and what.
pub(crate) fn report(notes: &std::path::Path) {
    let notes = std::fs::read_to_string(notes).unwrap_or_default();
    let mut tests: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (test, file) in notes.lines().filter_map(|line| line.split_once('\t')) {
        tests.entry(test).or_default().insert(file);
    }
    if tests.is_empty() {
        eprintln!("skipped: no test");
        return;
    }
    for (test, files) in &tests {
        let files: Vec<&str> = files.iter().copied().collect();
        eprintln!("skipped: {test} needs {}", files.join(", "));
    }
    eprintln!("skipped: {} tests did not look at levels that are not in ../shared/scenes", tests.len());
}
