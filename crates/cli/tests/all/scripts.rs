//! The contract for scripts: exit codes, errors as JSON, standard input and output, help texts.

use crate::common;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use common::{HALL, fail, hall, json, keys, run, succeed, text};

/// Runs the program with bytes on its standard input.
fn feed(folder: &std::path::Path, words: &[&str], input: &[u8]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_waymesh"))
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that fails early does not read all.
    drop(program.stdin.take().expect("a pipe").write_all(input));
    program.wait_with_output().expect("the program ends")
}

#[test]
fn a_path_that_does_not_reach_its_goal_exits_with_3() {
    let folder = hall();
    let folder = folder.path();
    // Two floors without a connection.
    let apart =
        "v 0 0 0\nv 9 0 0\nv 9 0 9\nv 0 0 9\nf 1 4 3 2\nv 20 0 0\nv 29 0 0\nv 29 0 9\nv 20 0 9\nf 5 8 7 6\n";
    std::fs::write(folder.join("apart.obj"), apart).expect("a file");
    succeed(folder, &["build", "apart.obj"]);
    let words = ["path", "apart.wmesh", "--from", "3,0,3", "--to", "25,0,3", "--json"];
    for more in [&[][..], &["--shortest"], &["--radius", "0.1"], &["--hierarchy"]] {
        let output = run(folder, &[&words[..], more].concat());
        assert_eq!(output.status.code(), Some(3), "{more:?}: {}", text(&output.stderr));
        assert_ne!(json(&text(&output.stdout))["outcome"], "complete");
    }
}

#[test]
fn errors_are_json_if_json_is_asked_for() {
    let folder = hall();
    let folder = folder.path();
    std::fs::write(folder.join("index.obj"), "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 9\n").expect("a file");
    std::fs::write(folder.join("bad.toml"), "cell-sise = 0.5\n").expect("a file");
    std::fs::write(folder.join("text.wmesh"), "hello").expect("a file");
    succeed(folder, &["build", "hall.obj"]);
    let error = |code: i32, words: &[&str]| {
        let output = run(folder, &[words, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(code), "{words:?}");
        let error = json(&text(&output.stdout))["error"].clone();
        let message = error["message"].as_str().expect("a message").to_owned();
        assert!(text(&output.stderr).contains(message.lines().next().expect("a line")), "{words:?}");
        error
    };
    let broken = error(1, &["build", "index.obj"]);
    assert_eq!(keys(&broken), ["element", "file", "kind", "message"]);
    assert_eq!(broken["kind"], "content");
    assert_eq!((&broken["file"], &broken["element"]), (&"index.obj".into(), &"line 4".into()));
    assert_eq!(error(1, &["build", "missing.obj"])["kind"], "read");
    let unknown = error(1, &["build", "hall.obj", "--config", "bad.toml"]);
    assert_eq!(keys(&unknown), ["element", "file", "kind", "message"]);
    assert_eq!((&unknown["kind"], &unknown["element"]), (&"setting".into(), &"cell-sise".into()));
    assert_eq!(error(1, &["build", "hall.obj", "--cell-size", "0"])["element"], "cell_size");
    assert_eq!(error(1, &["info", "text.wmesh"])["file"], "text.wmesh");
    let far = error(1, &["path", "hall.wmesh", "--from", "500,0,0", "--to", "1,0,1"]);
    assert_eq!(keys(&far), ["kind", "message"]);
    assert_eq!(far["kind"], "query");
    assert_eq!(error(2, &["build"])["kind"], "usage");
    let tiled = error(1, &["build", "hall.obj", "--pipeline", "storeys", "--tiles", "folder"]);
    assert_eq!((&tiled["kind"], &tiled["element"]), (&"setting".into(), &"--tiles".into()));
    assert_eq!(error(1, &["build", "-", "-", "--format", "obj"])["kind"], "setting");
    let config = error(1, &["build", "hall.obj", "--config", "missing.toml"]);
    assert_eq!((&config["kind"], &config["file"]), (&"read".into(), &"missing.toml".into()));
    let report = json(&succeed(folder, &["build", "hall.obj", "--json"]));
    assert_eq!(report["triangles"], 12);
}

#[test]
fn standard_input_and_output_take_the_place_of_files() {
    let folder = hall();
    let folder = folder.path();
    let expected = {
        succeed(folder, &["build", "hall.obj"]);
        std::fs::read(folder.join("hall.wmesh")).expect("a mesh")
    };
    for format in [&["--format", "obj"][..], &[]] {
        let words = [&["build", "-", "-o", "-"], format].concat();
        let output = feed(folder, &words, HALL.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(output.stdout == expected, "the same bytes as in the file");
        assert!(text(&output.stderr).contains("polygons"), "the summary is on stderr");
    }
    let info = feed(folder, &["info", "-", "--json"], &expected);
    assert_eq!(json(&text(&info.stdout))["valid"], true);
    let picture = succeed(folder, &["path", "hall.wmesh", "--from", "3,0,3", "--to", "17,0,3", "--svg", "-"]);
    assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
    let stl = run(folder, &["scene", "terraces", "-o", "-"]).stdout;
    succeed(folder, &["scene", "terraces"]);
    assert!(stl == std::fs::read(folder.join("terraces.stl")).expect("a scene"));
    let plan = run(folder, &["plan", "--example", "-"]).stdout;
    let output = feed(folder, &["plan", "-", "--format", "toml"], &plan);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(folder.join("stdin.wmesh").exists());

    let twice = feed(folder, &["build", "-", "-"], HALL.as_bytes());
    assert!(text(&twice.stderr).contains("once"), "{}", text(&twice.stderr));
    assert!(fail(folder, 1, &["build", "hall.obj", "-o", "-", "--svg", "-"]).contains("standard output"));
    fail(folder, 2, &["build", "-", "--format", "dxf"]);
}

#[test]
fn info_prints_the_largest_islands_unless_asked_for_all() {
    let folder = hall();
    let folder = folder.path();
    let square = |at: usize| {
        let (x, side) = (at * 20, at + 3);
        format!("v {x} 0 0\nv {} 0 0\nv {} 0 9\nv {x} 0 9\nf -4 -1 -2 -3\n", x + side, x + side)
    };
    std::fs::write(folder.join("many.obj"), (0..13).map(square).collect::<String>()).expect("a file");
    succeed(folder, &["build", "many.obj"]);
    let count = |out: &str| out.lines().filter(|line| line.contains(" m2, at ")).count();
    let short = succeed(folder, &["info", "many.wmesh"]);
    assert_eq!(count(&short), 10, "{short}");
    assert!(short.contains("and 3 smaller") && short.contains("islands   13"), "{short}");
    assert!(short.contains(" cells of 0.1 m"), "{short}");
    let all = succeed(folder, &["info", "many.wmesh", "--all"]);
    assert_eq!(count(&all), 13, "{all}");
    let islands = json(&succeed(folder, &["info", "many.wmesh", "--json"]))["islands"].clone();
    assert_eq!(islands.as_array().map(Vec::len), Some(13));
}

#[test]
fn a_scene_that_lies_on_its_side_is_told() {
    let folder = hall();
    let folder = folder.path();
    // A floor with its z up, and a step that is walkable either way.
    let floor = "v 0 0 0\nv 20 0 0\nv 20 20 0\nv 0 20 0\nf 1 2 3 4\n";
    let step = "v 0 2 0\nv 4 2 0\nv 4 2 3\nv 0 2 3\nf 5 8 7 6\n";
    std::fs::write(folder.join("cad.obj"), format!("{floor}{step}")).expect("a file");
    let output = run(folder, &["build", "cad.obj"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{message}");
    assert!(message.contains("try --up z"), "{message}");
    for words in [&["build", "cad.obj", "--up", "z"][..], &["build", "hall.obj"]] {
        let output = run(folder, words);
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{words:?}");
    }
    let turned = run(folder, &["build", "hall.obj", "--up", "z"]);
    assert!(text(&turned.stderr).contains("try --up y"), "{}", text(&turned.stderr));
}

#[test]
fn help_completions_and_manual_are_made_of_the_arguments() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    for words in [&["scene", "--help"][..], &["demo", "--help"]] {
        let help = succeed(folder, words);
        assert!(help.contains("overlapping-storeys: ") && help.contains("subway station"), "{help}");
    }
    assert!(succeed(folder, &["--help"]).contains("Exit codes:"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = succeed(folder, &["completions", shell]);
        assert!(script.contains("waymesh") && script.contains("max-slope"), "{shell}");
    }
    assert!(succeed(folder, &["man"]).contains(".SH"));
    succeed(folder, &["man", "--output", "pages"]);
    assert!(folder.join("pages/waymesh-build.1").exists());
}

#[test]
fn every_command_reads_and_writes_meshes_of_detour() {
    let folder = hall();
    let folder = folder.path();
    succeed(folder, &["build", "hall.obj"]);
    let warnings = |words: &[&str]| {
        let output = run(folder, words);
        assert!(output.status.success(), "{words:?}");
        String::from_utf8(output.stderr).expect("a text")
    };
    // Each command that writes the format says what it loses, and each that reads it.
    for words in [["build", "hall.obj", "-o", "hall.navmesh"], ["pack", "hall.wmesh", "-o", "packed.navmesh"]]
    {
        let warned = warnings(&words);
        assert!(warned.contains("files of Detour do not have the steepest slope"), "{words:?}: {warned}");
    }
    for words in [["info", "hall.navmesh"], ["map", "hall.navmesh"]] {
        let warned = warnings(&words);
        assert!(
            warned.contains("hall.navmesh: the file names no steepest slope: the mesh has 45"),
            "{warned}"
        );
    }
    assert!(!warnings(&["info", "hall.wmesh"]).contains("slope"));
    let bytes = |file: &str| std::fs::read(folder.join(file)).expect(file);
    assert!(bytes("hall.navmesh") == bytes("packed.navmesh") && bytes("hall.navmesh").starts_with(b"TESM"));
    // The format is known from the content.
    std::fs::rename(folder.join("packed.navmesh"), folder.join("hall.bin")).expect("a file");
    succeed(folder, &["pack", "hall.bin", "-o", "back.wmesh"]);
    let json = |words: &[&str]| -> serde_json::Value {
        serde_json::from_str(&succeed(folder, words)).expect("JSON")
    };
    for mesh in ["hall.bin", "back.wmesh"] {
        let ends = ["--from", "3,0,3", "--to", "17,0,3", "--json"];
        let [ours, theirs] = ["hall.wmesh", mesh].map(|mesh| json(&[&["path", mesh][..], &ends].concat()));
        let length = |path: &serde_json::Value| path["length"].as_f64().expect("a length");
        assert!((length(&ours) - length(&theirs)).abs() < 1e-3, "{ours}\n{theirs}");
        let [ours, theirs] = ["hall.wmesh", mesh].map(|mesh| json(&["info", mesh, "--json"]));
        assert_eq!(ours["polygons"], theirs["polygons"]);
        succeed(folder, &["evaluate", "hall.obj", "--mesh", mesh, "--samples", "500"]);
    }
    std::fs::write(folder.join("cut.bin"), &bytes("hall.bin")[..300]).expect("a file");
    assert!(fail(folder, 1, &["info", "cut.bin"]).contains("cut.bin: tile 0: needs"));
}

#[test]
fn meshes_are_written_in_the_format_of_their_ending_and_every_command_reads_both() {
    let folder = hall();
    let folder = folder.path();
    let bytes = |file: &str| std::fs::read(folder.join(file)).expect(file);
    succeed(folder, &["build", "hall.obj"]);
    succeed(folder, &["build", "hall.obj", "-o", "direct.wmrun"]);
    assert!(succeed(folder, &["pack", "hall.wmesh"]).contains("hall.wmrun"));
    assert!(bytes("hall.wmrun") == bytes("direct.wmrun"));
    assert_eq!(&bytes("hall.wmrun")[..5], b"WMRUN");
    succeed(folder, &["pack", "hall.wmrun", "-o", "back.wmesh"]);
    assert!(bytes("back.wmesh") == bytes("hall.wmesh"));
    assert!(run(folder, &["pack", "hall.wmesh", "-o", "-"]).stdout == bytes("hall.wmrun"));

    let words = |mesh| {
        [
            vec!["info", mesh, "--json"],
            vec!["path", mesh, "--from", "3,0,3", "--to", "17,0,3", "--json"],
            vec!["evaluate", "hall.obj", "--mesh", mesh, "--samples", "500"],
        ]
    };
    for (ours, packed) in words("hall.wmesh").into_iter().zip(words("hall.wmrun")) {
        let [ours, packed] = [ours, packed].map(|words| succeed(folder, &words));
        // The first lines of `evaluate` do not depend on time.
        let lines = if ours.starts_with('{') { usize::MAX } else { 2 };
        assert!(ours.lines().take(lines).eq(packed.lines().take(lines)), "{ours}");
    }

    let refused = [
        vec!["build", "hall.obj", "-o", "level.nav"],
        vec!["build", "hall.obj", "-o", "level"],
        vec!["pack", "hall.wmesh", "-o", "level.nav"],
    ];
    for words in refused {
        assert!(fail(folder, 1, &words).contains("is written as .wmesh, .wmrun or .navmesh"), "{words:?}");
    }
    let mut old = bytes("hall.wmrun");
    old[8] = 0;
    std::fs::write(folder.join("old.wmrun"), old).expect("a file");
    let message = fail(folder, 1, &["info", "old.wmrun"]);
    assert!(message.contains("old.wmrun") && message.contains("run `waymesh pack` again"), "{message}");
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let folder = hall();
    let folder = folder.path();
    succeed(folder, &["build", "hall.obj"]);
    for words in
        [vec!["info", "hall.wmesh"], vec!["info", "hall.wmesh", "--json"], vec!["completions", "bash"]]
    {
        let mut program = Command::new(env!("CARGO_BIN_EXE_waymesh"))
            .args(&words)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(program.stdout.take());
        let output = program.wait_with_output().expect("the program ends");
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{words:?}");
    }
}
