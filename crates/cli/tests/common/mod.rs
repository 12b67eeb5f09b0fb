//! Runs the program and reads what it says.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// The program, started by the words of `WAYMESH_RUNNER` if that is set: cargo's own runner starts
/// only the tests, and the machine need not know programs for another processor.
pub fn program() -> Command {
    let program = env!("CARGO_BIN_EXE_waymesh");
    let runner = std::env::var("WAYMESH_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    let Some(first) = words.next() else { return Command::new(program) };
    let mut command = Command::new(first);
    command.args(words).arg(program);
    command
}

pub fn run(folder: &Path, words: &[&str]) -> Output {
    program().args(words).current_dir(folder).output().expect("the program starts")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs what must succeed and gives its output.
pub fn succeed(folder: &Path, words: &[&str]) -> String {
    let output = run(folder, words);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs what must fail with this code and gives its message.
pub fn fail(folder: &Path, code: i32, words: &[&str]) -> String {
    let output = run(folder, words);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {}", text(&output.stdout));
    let message = text(&output.stderr);
    assert!(!message.is_empty() && !message.contains("panicked"), "{words:?}: {message}");
    message
}

/// A flat floor of 20 by 20 m with a wall across its middle that leaves a gap at one end.
pub const HALL: &str = "
v 0 0 0\nv 20 0 0\nv 20 0 20\nv 0 0 20
f 1 4 3 2
o wall
v 10 0 0\nv 10.5 0 0\nv 10.5 0 15\nv 10 0 15
v 10 3 0\nv 10.5 3 0\nv 10.5 3 15\nv 10 3 15
f -4 -1 -2 -3
f 5 6 10 9
f 6 7 11 10
f 7 8 12 11
f 8 5 9 12
";

pub fn hall() -> TempDir {
    let folder = tempfile::tempdir().expect("a scratch folder");
    std::fs::write(folder.path().join("hall.obj"), HALL).expect("a file");
    folder
}

pub fn json(bytes: &str) -> Value {
    serde_json::from_str(bytes).expect("JSON")
}

pub fn read_json(file: &Path) -> Value {
    json(&std::fs::read_to_string(file).expect("a file"))
}

pub fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}
