//! The bindings for engines: compiled, and run where the engine, or what stands for it, is there.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "a test says why it ends")]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{FLAGS, has, library};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn succeeds(what: &str, command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{what}: {error}"));
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{what}: {}{}", text[0], text[1]);
}

/// Its headers come from elsewhere: the folder that has `gdnative_api_struct.gen.h`.
const GODOT_HEADERS: &str = "WAYMESH_GODOT_HEADERS";

/// Godot 3 runs the script of the example.
#[test]
fn godot() {
    let headers = std::env::var_os(GODOT_HEADERS);
    // Asked for its version it ends with an error.
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let engine = ["godot3-server", "godot3"].into_iter().find(is_there);
    let (Some(headers), Some(engine)) = (headers, engine) else {
        println!("skipped: Godot's example needs godot3-server and its headers in {GODOT_HEADERS}");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    for file in std::fs::read_dir(here("engines/godot")).expect("the example") {
        let file = file.expect("a file");
        std::fs::copy(file.path(), folder.path().join(file.file_name())).expect("a copy");
    }
    let mut compile = Command::new("cc");
    // Not `-pedantic`, for the headers' sake.
    let strict = FLAGS.iter().filter(|&&flag| flag != "-pedantic");
    compile.arg("-std=c11").args(strict).args(["-fPIC", "-shared", "-I"]).arg(headers);
    compile.arg("-I").arg(here("include")).arg("waymesh_godot.c").arg(library("libwaymesh_c.a"));
    compile.args(["-o", "libwaymesh_godot.so", "-lpthread", "-ldl", "-lm"]);
    succeeds("cc", compile.current_dir(folder.path()));
    let mut run = Command::new(engine);
    run.args(["-s", "example.gd"]).current_dir(folder.path()).env("HOME", folder.path());
    succeeds(engine, &mut run);
}

/// The binding for C#, and the script of a level over as much of Unity as it needs.
#[test]
fn unity() {
    if !has("mcs") || !has("mono") {
        println!("skipped: the binding for C# needs mcs and mono");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("unity.exe");
    let mut compile = Command::new("mcs");
    compile.args(["-warnaserror", "-warn:4"]).arg(format!("-out:{}", program.display()));
    // What the library writes, and what stands for Unity, is not assigned in the sources.
    compile.arg("-nowarn:0169,0649,0414");
    compile.args(
        ["engines/unity/Waymesh.cs", "engines/unity/WaymeshLevel.cs", "tests/programs/unity.cs"].map(here),
    );
    succeeds("mcs", &mut compile);
    let shared = library("libwaymesh_c.so");
    let mut run = Command::new("mono");
    run.arg(&program).current_dir(folder.path());
    run.env("LD_LIBRARY_PATH", shared.parent().expect("a folder"));
    succeeds("mono", &mut run);
}

/// The header for Unreal over as much of Unreal as it needs.
#[test]
fn unreal() {
    if !has("c++") {
        println!("skipped: the header for Unreal needs c++");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("unreal");
    let mut compile = Command::new("c++");
    compile.arg("-std=c++17").args(FLAGS).args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    for include in ["include", "engines/unreal", "tests/programs/unreal", "tests/programs"] {
        compile.arg("-I").arg(here(include));
    }
    compile.arg(here("tests/programs/unreal.cpp")).arg(library("libwaymesh_c.a"));
    compile.arg("-o").arg(&program).args(["-lpthread", "-ldl", "-lm"]);
    succeeds("c++", &mut compile);
    succeeds("unreal", &mut Command::new(&program));
}

/// The planner of Nav2 over as much of ROS 2 as it needs, in the versions of its interface.
#[test]
fn nav2() {
    const HEADERS: &[&str] = &[
        "nav2_core/global_planner.hpp",
        "nav2_costmap_2d/costmap_2d_ros.hpp",
        "pluginlib/class_list_macros.hpp",
        "tf2_ros/buffer.h",
    ];
    if !has("c++") {
        println!("skipped: the planner of Nav2 needs c++");
        return;
    }
    let releases: [(u32, &[&str]); 3] = [
        (1, &["nav2_core/exceptions.hpp"]),
        (2, &["nav2_core/planner_exceptions.hpp"]),
        (3, &["nav2_core/planner_exceptions.hpp", "nav2_ros_common/lifecycle_node.hpp"]),
    ];
    for (release, more) in releases {
        let folder = tempfile::tempdir().expect("a folder");
        for header in HEADERS.iter().chain(more) {
            let file = folder.path().join(header);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
            std::fs::write(file, "#include \"nav2.h\"\n").expect("a header");
        }
        let program = folder.path().join("nav2");
        let mut compile = Command::new("c++");
        compile.arg("-std=c++17").args(FLAGS).arg(format!("-DNAV2={release}"));
        compile.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I"]).arg(folder.path());
        for include in ["include", "tests/programs"] {
            compile.arg("-I").arg(here(include));
        }
        compile.arg(here("tests/programs/nav2.cpp")).arg(library("libwaymesh_c.a"));
        compile.arg("-o").arg(&program).args(["-lpthread", "-ldl", "-lm"]);
        succeeds("c++", &mut compile);
        succeeds(&format!("nav2 {release}"), Command::new(&program).current_dir(folder.path()));
    }
}
