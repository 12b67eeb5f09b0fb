//! Mistakes of new users: each has an error that names what was typed, the reason and the remedy,
//! before any work.

use crate::common;
use common::{fail, hall, run, succeed, text};

/// A scene that cannot be read, so that a check after the work would find that first.
fn broken() -> tempfile::TempDir {
    let folder = hall();
    succeed(folder.path(), &["build", "hall.obj"]);
    succeed(folder.path(), &["plan", "--example", "plan.toml"]);
    std::fs::write(folder.path().join("broken.obj"), "f 1 2 9\n").expect("a file");
    std::fs::write(folder.path().join("broken.toml"), "broken").expect("a file");
    std::fs::write(folder.path().join("broken.wmesh"), "broken").expect("a file");
    std::fs::create_dir(folder.path().join("folder")).expect("a folder");
    folder
}

/// Command lines that write a file, each with an input that cannot be read, and the ending of the
/// file.
const WRITES: [(&str, &str); 13] = [
    ("build broken.obj -o", "wmesh"),
    ("build broken.obj --svg", "svg"),
    ("build broken.obj --glb", "glb"),
    ("build broken.obj --obj", "obj"),
    ("build broken.obj --detail-obj", "obj"),
    ("build broken.obj --report", "json"),
    ("plan broken.toml -o", "wmesh"),
    ("plan broken.toml --svg", "svg"),
    ("merge folder -o", "wmesh"),
    ("merge folder --svg", "svg"),
    ("path broken.wmesh --from 1,0,1 --to 2,0,2 --svg", "svg"),
    ("evaluate broken.obj --mesh broken.wmesh --svg", "svg"),
    ("pack broken.wmesh -o", "wmrun"),
];

#[test]
fn files_given_to_the_wrong_command_name_the_right_one() {
    let folder = broken();
    for (words, right) in [
        ("build broken.toml", "; `waymesh plan` bakes a floor plan"),
        ("build broken.wmesh -o x.wmesh", "; `waymesh info` and `waymesh path` read a mesh"),
        ("plan broken.obj", "; `waymesh build` bakes a scene"),
        ("plan broken.wmesh -o x.wmesh", "; `waymesh info` and `waymesh path` read a mesh"),
        ("info broken.obj", "; `waymesh build` bakes a scene"),
        ("pack broken.toml -o x.wmrun", "; `waymesh plan` bakes a floor plan"),
    ] {
        let found = fail(folder.path(), 1, &words.split(' ').collect::<Vec<_>>());
        assert!(found.trim_end().ends_with(right), "{words}: {found}");
    }
}

#[test]
fn outputs_are_checked_before_the_work() {
    let folder = broken();
    let folder = folder.path();
    let count = std::fs::read_dir(folder).expect("a folder").count();
    let message = |words: &str, file: &str| {
        let words: Vec<&str> = words.split(' ').chain([file]).collect();
        fail(folder, 1, &words)
    };
    let others = [("scene terraces -o", "stl"), ("plan --example", "toml")];
    for (words, ending) in WRITES.into_iter().chain(others) {
        let file = format!("nowhere/x.{ending}");
        let found = message(words, &file);
        assert!(found.contains("the folder nowhere does not exist; make it first"), "{words}: {found}");
        assert!(found.contains(&file) && !found.contains(".tmp"), "{words}: {found}");
        let found = message(words, &format!("hall.obj/x.{ending}"));
        assert!(found.contains("hall.obj is no folder"), "{words}: {found}");
        for wrong in ["x.png", "x", "folder"] {
            let found = message(words, wrong);
            assert!(found.contains(wrong) && !found.contains("broken."), "{words} {wrong}: {found}");
        }
        std::fs::create_dir_all(folder.join(format!("folder/x.{ending}"))).expect("a folder");
        let found = message(words, &format!("folder/x.{ending}"));
        assert!(found.contains("it is a folder; add the name of a file"), "{words}: {found}");
    }
    for (words, _) in WRITES {
        // A good name: the input is at fault.
        let words: Vec<&str> = words.split(' ').chain(["-"]).collect();
        assert!(fail(folder, 1, &words).contains(if words[0] == "merge" { "folder" } else { "broken" }));
    }
    for words in
        ["build broken.obj --tiles hall.obj", "build broken.obj --spill hall.obj/x", "demo -o hall.obj"]
    {
        let found = fail(folder, 1, &words.split(' ').collect::<Vec<_>>());
        assert!(found.contains("hall.obj is no folder"), "{words}: {found}");
    }
    assert_eq!(std::fs::read_dir(folder).expect("a folder").count(), count, "nothing is left behind");
}

/// The superuser may write everywhere.
#[cfg(target_os = "linux")]
#[test]
fn rights_are_checked_before_the_work() {
    let folder = broken();
    let found = fail(folder.path(), 1, &["build", "broken.obj", "--svg", "/proc/x.svg"]);
    assert!(found.contains("no file can be made in the folder /proc"), "{found}");
    assert!(!found.contains("broken"), "{found}");
}

#[test]
fn no_file_is_written_twice_and_no_input_is_replaced() {
    let folder = broken();
    let folder = folder.path();
    let found = fail(folder, 1, &["build", "broken.obj", "--obj", "a.obj", "--detail-obj", "./a.obj"]);
    assert!(found.contains("--detail-obj ./a.obj: --obj writes the same file"), "{found}");
    let found = fail(folder, 1, &["build", "hall.obj", "broken.obj", "--obj", "folder/../broken.obj"]);
    assert!(found.contains("it would replace an input"), "{found}");
    let found = fail(folder, 1, &["pack", "hall.wmesh", "-o", "hall.wmesh"]);
    assert!(found.contains("it would replace an input"), "{found}");
    let found = fail(folder, 1, &["build", "broken.obj", "-o", "-", "--svg", "-"]);
    assert!(found.contains("only one file can go to standard output"), "{found}");
}

#[test]
fn folders_and_missing_files_have_errors_of_their_own() {
    let folder = broken();
    let folder = folder.path();
    for words in [
        "build .",
        "build hall.obj folder",
        "plan .",
        "path . --from 1,0,1 --to 2,0,2",
        "info .",
        "pack folder",
        "evaluate . --mesh hall.wmesh",
        "evaluate hall.obj --mesh .",
        "build hall.obj --config .",
        "build hall.obj --marks .",
        "view .",
    ] {
        let found = fail(folder, 1, &words.split(' ').collect::<Vec<_>>());
        assert!(found.contains("it is a folder; name the files in it"), "{words}: {found}");
    }
    for words in
        ["build hal.obj", "plan hal.obj", "info hal.obj", "build hall.obj --config hal.obj", "view hal.obj"]
    {
        let found = fail(folder, 1, &words.split(' ').collect::<Vec<_>>());
        assert!(
            found.contains("cannot read hal.obj: there is no such file; there is hall.obj"),
            "{words}: {found}"
        );
    }
    let found = fail(folder, 1, &["build", "nowhere/else.glb"]);
    assert!(
        found.contains("nowhere/else.glb: there is no such file") && !found.contains("there is hall"),
        "{found}"
    );
    let found = fail(folder, 1, &["merge", "nowhere"]);
    assert!(found.contains("nowhere: there is no such folder; `waymesh tile"), "{found}");
}

#[test]
fn errors_name_what_was_typed_in_its_unit() {
    let folder = hall();
    let folder = folder.path();
    let build = |words: &[&str]| fail(folder, 1, &[&["build", "hall.obj"], words].concat());
    for (option, value, expected) in [
        ("--max-slope", "95", "--max-slope is 95 degrees, but must be at least 0 and below 90"),
        ("--max-slope", "-0.5", "--max-slope is -0.5 degrees"),
        ("--max-slope", "nan", "--max-slope is NaN degrees"),
        ("--agent-radius", "-1", "--agent-radius is -1"),
        ("--agent-height", "0", "--agent-height is 0"),
        ("--max-step", "-1", "--max-step is -1"),
        ("--cell-size", "0", "--cell-size is 0"),
        ("--max-vertices", "2", "--max-vertices is 2"),
        ("--scale", "0", "--scale is 0"),
    ] {
        let found = build(&[option, value]);
        assert!(found.contains(expected), "{found}");
        let key = option.trim_start_matches('-');
        for key in [key.to_owned(), key.replace('-', "_")] {
            let settings = format!("# settings\n\n{key} = {value}\n");
            std::fs::write(folder.join("s.toml"), settings).expect("a file");
            let found = build(&["--config", "s.toml"]);
            let expected = expected.replacen(option, &format!("s.toml: line 3: {key}"), 1);
            assert!(found.contains(&expected), "{found}");
        }
    }
    succeed(folder, &["plan", "--example", "plan.toml"]);
    for (words, expected) in [
        ("build hall.obj --pipeline slices --link-reach=-1", "--link-reach is -1"),
        ("build hall.obj --pipeline storeys --rough-cells 9999", "--rough-cells is 9999"),
        ("build hall.obj --jumps --jump-length=-1", "--jump-length is -1"),
        ("build hall.obj --jumps --jump-arc nan", "--jump-arc is NaN"),
        ("build hall.obj --max-height-error=-1", "--max-height-error is -1"),
        ("plan plan.toml --min-region=-1", "--min-region is -1"),
        ("plan plan.toml --near-distance=-1", "--near-distance is -1"),
        ("plan plan.toml --join round --arc-error 0", "--arc-error is 0"),
        ("plan plan.toml --link-reach=-1", "--link-reach is -1"),
    ] {
        let found = fail(folder, 1, &words.split(' ').collect::<Vec<_>>());
        assert!(found.contains(expected), "{words}: {found}");
    }
    let found = fail(folder, 1, &["evaluate", "hall.obj", "--mesh", "hall.obj", "--max-slope", "90"]);
    assert!(found.contains("--max-slope is 90 degrees"), "{found}");
}

#[test]
fn settings_files_name_slips_with_a_tip_and_a_line() {
    let folder = hall();
    let folder = folder.path();
    let build = |settings: &str| {
        std::fs::write(folder.join("s.toml"), settings).expect("a file");
        run(folder, &["build", "hall.obj", "--config", "s.toml"])
    };
    for (settings, code, expected) in [
        (
            "\ncel_size = 1",
            1,
            "s.toml: line 2: cel_size is no setting of `waymesh build`; did you mean cell-size?",
        ),
        ("agent-radios = 1", 1, "did you mean agent-radius?"),
        ("zzz = 1", 1, "zzz is no setting of `waymesh build`; `waymesh help build` lists them"),
        ("wall-width = 1", 1, "line 1: wall-width is no setting of `waymesh build`, but of `waymesh plan`"),
        ("cell-size = 1\ncell_size = 1", 1, "is given twice"),
        ("[agent]\nradius = 1", 1, "line 1: agent is a section"),
        ("check = 3", 1, "line 1: check must be true or false, is 3"),
        ("check = true\ncell-size", 1, "line 2"),
        ("check = true\ncell_size = 'wide'", 2, "It was read from s.toml: line 2: cell_size"),
        ("up = 'x'", 2, "It was read from s.toml: line 1: up"),
        ("cell_size = 0.5\nagent-radius = 0.4\nmax_slope = 40", 0, ""),
    ] {
        let output = build(settings);
        assert_eq!(output.status.code(), Some(code), "{settings}");
        assert!(text(&output.stderr).contains(expected), "{settings}: {}", text(&output.stderr));
    }
}

#[test]
fn features_that_are_not_built_are_named() {
    let folder = hall();
    let folder = folder.path();
    if cfg!(not(feature = "gpu")) {
        for words in [["--device", "gpu"], ["--device", "auto"], ["--adapter", "card"]] {
            let found = fail(folder, 2, &[&["build", "hall.obj"][..], &words].concat());
            assert!(found.contains("without the feature `gpu`"), "{found}");
        }
        succeed(folder, &["build", "hall.obj", "--device", "cpu"]);
    }
    if cfg!(not(feature = "dxf")) {
        std::fs::write(folder.join("plan.dxf"), "0\nEOF\n").expect("a file");
        let found = fail(folder, 1, &["plan", "plan.dxf"]);
        assert!(found.contains("without the feature \"dxf\""), "{found}");
    }
}

/// Its temporary file is nobody's business.
#[cfg(unix)]
#[test]
fn errors_about_standard_input_name_it() {
    let folder = hall();
    let line = format!("printf 'f 1 2 9' | {} build - --format obj --json", env!("CARGO_BIN_EXE_waymesh"));
    let output = std::process::Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output();
    let output = output.expect("a shell");
    assert!(text(&output.stderr).contains("standard input: line 1"), "{}", text(&output.stderr));
    assert_eq!(common::json(&text(&output.stdout))["error"]["file"], "standard input");
}
