//! The library that the programs are linked with.

#![allow(dead_code, reason = "each test uses some")]

use std::path::PathBuf;
use std::process::Command;

pub(crate) const FLAGS: &[&str] = &["-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-g"];

/// The static or the shared library, which was built with the tests.
pub(crate) fn library(name: &str) -> PathBuf {
    std::env::current_exe().expect("a program").with_file_name(name)
}

pub(crate) fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
