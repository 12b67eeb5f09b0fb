//! `waymesh why` as a user runs it, and the advice below the summary of `build`.

use crate::common;
use common::{fail, hall, json, run, succeed, text};

#[test]
fn a_place_is_explained_by_the_name_of_its_wall() {
    let folder = hall();
    let folder = folder.path();
    let why = |words: &[&str]| succeed(folder, &[&["why", "hall.obj"], words].concat());
    assert!(why(&["--at", "5,0,5"]).starts_with("5.00,0.00,5.00 is walkable"));
    let near = why(&["--at", "9.8,0,5"]);
    for part in [
        "is not walkable",
        "a wall is 0.2 m away (\"wall\", triangle",
        "--agent-radius",
        "(now 0.3) with --cell-size 0.1 --level-height 0.05 mends it",
        "checked: a bake with",
    ] {
        assert!(near.contains(part), "{part}: {near}");
    }
    // The setting that is named mends it.
    let words = near.split_whitespace().skip_while(|word| *word != "--agent-radius").take(2);
    let words: Vec<&str> = words.collect();
    let mended = why(&[&["--at", "9.8,0,5"], &words[..]].concat());
    assert!(mended.contains("is walkable"), "{mended}");
    let answer = json(&why(&["--at", "9.8,0,5", "--json"]));
    assert_eq!((&answer["is_walkable"], &answer["is_checked"]), (&false.into(), &true.into()));
    let reason = &answer["reasons"][0];
    assert_eq!(
        (&reason["cause"]["cause"], &reason["remedy"]["setting"]),
        (&"near_wall".into(), &"agent_radius".into())
    );
    let triangle = reason["cause"]["triangle"].to_string();
    assert_eq!(answer["surfaces"][&triangle], "wall");
    assert!(fail(folder, 1, &["why", "hall.obj", "--at", "nan,0,0"]).contains('x'));
    fail(folder, 2, &["why", "hall.obj"]);
}

#[test]
fn two_places_that_are_apart_are_explained() {
    let folder = hall();
    let folder = folder.path();
    let pair = ["--at", "5,0,5", "--to", "15,0,5"];
    let why = |words: &[&str]| succeed(folder, &[&["why", "hall.obj"], &pair[..], words].concat());
    assert!(why(&[]).contains("a path of"), "the gap of 5 m is wide enough");
    let apart = why(&["--agent-radius", "2.6"]);
    assert!(apart.contains("no path leads from 5.00,0.00,5.00 to 15.00,0.00,5.00"), "{apart}");
    assert!(apart.contains("- --agent-radius ") && apart.contains("(now 2.6) with --cell-size "), "{apart}");
    let answer = json(&why(&["--agent-radius", "2.6", "--json"]));
    let ways = answer["ways"].as_array().expect("ways");
    assert!(ways.iter().any(|way| way["remedy"]["setting"] == "agent_radius"), "{answer}");
}

/// Settings are named with the cells and levels that they were checked with: the program would
/// choose others for the agent that helps.
#[test]
fn a_bake_with_the_named_settings_is_as_was_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    succeed(folder, &["scene", "dungeon-rooms"]);
    let (from, to) = ("6.94,0.3,6.85", "48.71,0,49.46");
    let words = ["why", "dungeon-rooms.stl", "--agent-radius", "1.1", "--at", from];
    let apart = succeed(folder, &[&words[..], &["--to", to]].concat());
    let mut tried = 0;
    for line in apart.lines().filter(|line| line.trim_start().starts_with("- --")) {
        let (named, rest) =
            line.trim_start_matches("  - ").split_once(" joins them over ").expect("a setting");
        let now = named.find(" (now").map(|at| &named[at..=named.find(')').expect("a bracket")]);
        let named = now.map_or(named.to_owned(), |now| named.replace(now, "")).replace(" with ", " ");
        let mut given: Vec<&str> = named.split_whitespace().collect();
        if !given.contains(&"--agent-radius") {
            given.extend(["--agent-radius", "1.1"]);
        }
        succeed(folder, &[&["build", "dungeon-rooms.stl", "-o", "m.wmesh"], &given[..]].concat());
        let path = json(&succeed(folder, &["path", "m.wmesh", "--from", from, "--to", to, "--json"]));
        assert_eq!(path["outcome"], "complete", "{line}");
        let length: f64 = rest.split(' ').next().and_then(|text| text.parse().ok()).expect("a length");
        let found = path["length"].as_f64().expect("a length");
        assert!((length - found).abs() < 1.0, "{line}: {found} m");
        tried += 1;
    }
    assert!(tried > 1, "{apart}");
}

#[test]
fn a_summary_says_what_is_not_connected() {
    let folder = hall();
    let folder = folder.path();
    let whole = succeed(folder, &["build", "hall.obj"]);
    assert!(!whole.contains("not connected"), "{whole}");
    let parts = succeed(folder, &["build", "hall.obj", "--agent-radius", "2.6", "--report", "hall.json"]);
    assert!(parts.contains("  2 pieces of ground are not connected; the largest has 5"), "{parts}");
    assert!(
        parts.contains("  a smaller radius joins some: 2 pieces at 2.6 m, 1 at 1.3 m (the largest 100 %)"),
        "{parts}"
    );
    let report = common::read_json(&folder.join("hall.json"));
    assert_eq!(report["radii"][2]["pieces"], 1, "{report}");
    assert_eq!(report["advice"]["enclosed_share"], 0.0, "{report}");
    // The command that is named runs.
    let line = parts.lines().find(|line| line.contains("waymesh why")).expect("a command");
    let words: Vec<&str> = line.split_whitespace().skip_while(|word| *word != "--at").take(4).collect();
    let why = succeed(folder, &[&["why", "hall.obj", "--agent-radius", "2.6"], &words[..]].concat());
    assert!(why.contains("joins them"), "{why}");
}

#[test]
fn usual_agents_have_names() {
    let folder = hall();
    let folder = folder.path();
    succeed(folder, &["build", "hall.obj", "--agent", "person"]);
    let info = json(&succeed(folder, &["info", "hall.wmesh", "--json"]));
    assert_eq!(info["grid"]["cell_size"], 0.1);
    assert!((info["agent"]["radius"].as_f64().expect("a radius") - 0.3).abs() < 1e-6, "{info}");
    let refused = fail(folder, 1, &["build", "hall.obj", "--agent", "giant"]);
    assert!(refused.contains("there is no agent \"giant\", but recast, person"), "{refused}");
}

#[test]
fn the_short_help_has_twenty_options_and_the_long_one_all() {
    let folder = hall();
    let help = |word: &str| succeed(folder.path(), &["build", word]);
    let options = |text: &str| text.lines().filter(|line| line.trim_start().starts_with('-')).count();
    let (short, long) = (help("-h"), help("--help"));
    assert!(options(&short) <= 30 && options(&long) > 45, "{} {}", options(&short), options(&long));
    for heading in [
        "Files:",
        "Agent and grid:",
        "Ground, regions and polygons:",
        "Links:",
        "Tiles and memory:",
        "Output:",
    ] {
        assert!(long.contains(heading), "{heading}");
    }
}

#[test]
fn quiet_prints_warnings_and_advice_only() {
    let folder = hall();
    let folder = folder.path();
    let printed = |words: &[&str]| {
        let output = run(folder, words);
        assert_eq!(text(&output.stdout), "", "{words:?}");
        (output.status.code(), text(&output.stderr))
    };
    assert_eq!(printed(&["build", "hall.obj", "--quiet"]), (Some(0), String::new()));
    let (code, advice) = printed(&["build", "hall.obj", "-q", "--agent-radius", "2.6", "-o", "parts.wmesh"]);
    assert_eq!(code, Some(0));
    assert!(advice.lines().all(|line| line.contains("WARN")), "{advice}");
    assert!(advice.contains("2 pieces of ground are not connected"), "{advice}");
    let path = ["--quiet", "path", "parts.wmesh", "--from", "5,0,5", "--to", "15,0,5"];
    assert_eq!(printed(&path), (Some(3), String::new()), "the exit code has the answer");
    assert_eq!(printed(&["info", "hall.wmesh", "-q"]), (Some(0), String::new()));
    let (code, error) = printed(&["info", "lost.wmesh", "-q"]);
    assert!(code == Some(1) && error.contains("lost.wmesh"), "{error}");
    fail(folder, 2, &["info", "hall.wmesh", "--quiet", "--json"]);
}
