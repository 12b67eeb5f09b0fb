//! `waymesh-benches evaluate` as `cargo xtask evaluate` runs it.

#![expect(clippy::unwrap_used, reason = "test helpers")]

use std::path::Path;
use std::process::{Command, Output};

use waymesh_benches::LevelReport;

fn evaluate(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_waymesh-benches")).arg("evaluate").args(words).output().unwrap()
}

fn report(file: &Path) -> LevelReport {
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn levels_are_judged_in_processes_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/out");
    let broken = folder.path().join("broken.obj");
    std::fs::write(&broken, "v 0 0 0\nf 1 2 3\n").unwrap();
    let words =
        ["dungeon-rooms", broken.to_str().unwrap(), "overlapping-storeys", "--ours", "--samples", "1000"];
    let output = evaluate(&[&words[..], &["--out", out.to_str().unwrap(), "--svg", "--meshes"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for part in [
        "### dungeon-rooms",
        "3 levels, 2 of them with a mesh",
        "### By level: waymesh",
        "- broken, waymesh: ",
        "broken.obj: line 2",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let rows: Vec<_> = text.lines().filter(|line| line.starts_with("| overlapping-storeys |")).collect();
    assert_eq!(rows.len(), 1, "{text}");
    for level in ["dungeon-rooms", "overlapping-storeys"] {
        let report = report(&out.join(format!("{level}.json")));
        assert_eq!((report.level.as_str(), report.tools.len()), (level, 1));
        assert!(report.factor == 1 && report.triangles > 1000);
        let found = report.tools[0].outcome.as_ref().unwrap();
        assert_eq!((found.samples, found.paths.pairs, found.violations), (1000, 1000, 0));
        for ending in ["svg", "wmesh"] {
            assert!(out.join(format!("{level}.waymesh.{ending}")).is_file());
        }
    }
    assert!(report(&out.join("broken.json")).tools[0].outcome.is_err());
}

#[test]
fn wrong_words_are_named() {
    for (words, code, expected) in [
        (vec!["nowhere"], 1, "nowhere"),
        (vec!["--svg"], 2, "--out"),
        (vec!["--samples", "0"], 2, "--samples"),
        (vec!["--cell", "wide"], 2, "wide"),
        (vec!["--quickly"], 2, "--quickly"),
    ] {
        let output = evaluate(&words);
        assert_eq!(output.status.code(), Some(code), "{words:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(expected) && !message.contains("panicked"), "{message}");
    }
}

#[test]
fn what_takes_too_long_is_stopped_and_said() {
    let words = ["dungeon-rooms", "city-block", "--ours", "--samples", "10000000", "--limit", "1"];
    let output = evaluate(&words);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && text.contains("- dungeon-rooms, waymesh: not done after 1 s"),
        "{text}"
    );
}
