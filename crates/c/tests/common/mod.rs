//! The library, built once for the programs that are linked with it.

#![allow(dead_code, reason = "each test uses some")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub(crate) const FLAGS: &[&str] = &["-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-g"];

/// A copy of the static or the shared library.
pub(crate) fn library(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        // Tests run side by side, each in a process of its own.
        let folder = format!("library-{}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        let build = Command::new(env!("CARGO"))
            .args(["build", "--locked", "--manifest-path"])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
            .status();
        assert!(build.expect("cargo runs").success());
        std::fs::create_dir_all(&folder).expect("a folder");
        for name in ["libwaymesh_c.a", "libwaymesh_c.so"] {
            let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../debug").join(name);
            if built.exists() {
                std::fs::copy(&built, folder.join(name)).expect("the library is there");
            }
        }
        folder
    });
    folder.join(name)
}

pub(crate) fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
