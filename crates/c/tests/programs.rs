//! C and C++ programs, compiled with all warnings as errors and linked with the library: as they
//! are, under AddressSanitizer, and in valgrind where there is one.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "a test says why it ends")]

mod common;

use std::path::Path;
use std::process::Command;

use common::{FLAGS, has, library};

/// Ways to run a program.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Under {
    Nothing,
    AddressSanitizer,
    Valgrind,
}

/// Compiles a program and runs it in a folder of its own.
fn run(source: &str, under: Under) {
    let (compiler, standard) =
        if source.ends_with(".cpp") { ("c++", "-std=c++17") } else { ("cc", "-std=c11") };
    let tool = if under == Under::Valgrind { "valgrind" } else { compiler };
    if !has(compiler) || !has(tool) {
        println!("skipped: {source} under {under:?} needs {tool}");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = folder.path().join("program");
    let mut compile = Command::new(compiler);
    compile.arg(standard).args(FLAGS).arg("-D_POSIX_C_SOURCE=200809L");
    if under == Under::AddressSanitizer {
        compile.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    }
    compile
        .arg("-I")
        .arg(here.join("include"))
        .arg("-I")
        .arg(here.join("include/detour"))
        .arg(here.join("tests/programs").join(source))
        .arg(library("libwaymesh_c.a"));
    compile.args(["-o"]).arg(&program).args(["-lpthread", "-ldl", "-lm"]);
    let output = compile.output().expect("the compiler runs");
    assert!(output.status.success(), "{source}: {}", String::from_utf8_lossy(&output.stderr));
    let mut command = match under {
        Under::Valgrind => {
            let mut command = Command::new("valgrind");
            command.args([
                "--error-exitcode=9",
                "--leak-check=full",
                "--errors-for-leak-kinds=definite",
                "-q",
            ]);
            command.arg(&program);
            command
        }
        _ => Command::new(&program),
    };
    let output = command.current_dir(folder.path()).output().expect("the program runs");
    assert!(output.status.success(), "{source} {under:?}: {}", String::from_utf8_lossy(&output.stderr));
}

macro_rules! programs {
    ($($name:ident: $source:literal, $under:ident;)*) => {
        $(#[test]
        fn $name() {
            run($source, Under::$under);
        })*
    };
}

programs! {
    walk: "walk.c", Nothing;
    walk_under_address_sanitizer: "walk.c", AddressSanitizer;
    walk_in_valgrind: "walk.c", Valgrind;
    threads: "threads.c", Nothing;
    threads_under_address_sanitizer: "threads.c", AddressSanitizer;
    chaos_under_address_sanitizer: "chaos.c", AddressSanitizer;
    wrapper: "wrapper.cpp", Nothing;
    wrapper_under_address_sanitizer: "wrapper.cpp", AddressSanitizer;
    detour_under_address_sanitizer: "detour.cpp", AddressSanitizer;
    wrapper_in_valgrind: "wrapper.cpp", Valgrind;
}
