//! `waymesh evaluate` as a user runs it.

use crate::common;
use std::path::Path;

use common::{fail, hall, json, run, succeed, text};
use serde_json::Value;

const JUDGE: [&str; 6] = ["evaluate", "hall.obj", "--mesh", "hall.wmesh", "--samples", "5000"];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// All keys below a value, with dots between.
fn paths(value: &Value) -> Vec<String> {
    let Some(object) = value.as_object() else { return vec![String::new()] };
    let below = |(key, value): (&String, &Value)| -> Vec<String> {
        paths(value).iter().map(|path| format!("{key}.{path}").trim_end_matches('.').to_owned()).collect()
    };
    object.iter().flat_map(below).collect()
}

/// The figures, and what stderr says.
fn judge(folder: &Path, words: &[&str]) -> (Value, String) {
    let words = [&["evaluate", "--samples", "3000", "--json"], words].concat();
    let output = run(folder, &words);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{words:?}: {err}");
    assert!(!out.contains("NaN") && !out.contains("inf"), "{out}");
    (json(&out), err)
}

#[test]
fn a_mesh_is_judged_against_its_scene() {
    let folder = hall();
    let folder = folder.path();
    succeed(folder, &["build", "hall.obj"]);
    let found = json(&succeed(folder, &[&JUDGE[..], &["--json"]].concat()));
    assert_eq!(found["samples"], 5000);
    assert!(number(&found["coverage"]) > 0.98, "{found}");
    assert_eq!(found["connectivity"]["false_links"], 0);
    assert_eq!(found["violations"], 0);
    assert_eq!(found["paths"]["pairs"], 1000);
    let bytes = folder.join("hall.wmesh").metadata().expect("a file").len();
    assert_eq!(found["bytes_file"], bytes);
    let table = succeed(folder, &JUDGE);
    for word in [
        "coverage",
        "excess",
        "connectivity",
        "height error",
        "clearance",
        "complexity",
        "shape",
        "violations",
        "paths",
    ] {
        assert!(table.contains(word), "{word} is not in {table}");
    }
}

/// A real level: what is inside of solids goes, and no place where an agent can stand.
#[test]
fn ground_that_is_not_inside_of_solids_stays_covered() {
    let Some(file) = waymesh_testkit::levels::find("gazebo/house_1.glb") else { return };
    let (folder, file) = (hall(), file.to_str().expect("a name").to_owned());
    let [before, after] = ["keep", "remove"].map(|enclosed| {
        succeed(folder.path(), &["build", &file, "-o", "level.wmesh", "--enclosed", enclosed]);
        judge(folder.path(), &[&file, "--mesh", "level.wmesh"]).0
    });
    let [before, after] = [&before, &after]
        .map(|found| [&found["coverage"], &found["enclosed"], &found["excess"]["solid"]].map(number));
    assert!((after[0] - before[0]).abs() <= 0.002, "{before:?}, {after:?}");
    assert!(before[1] > 0.01 && after[1] <= 0.001 && after[2] <= 0.001, "{before:?}, {after:?}");
}

#[test]
fn the_keys_are_the_contract() {
    let folder = hall();
    succeed(folder.path(), &["build", "hall.obj"]);
    let found = json(&succeed(folder.path(), &[&JUDGE[..], &["--json"]].concat()));
    let mut expected: Vec<&str> = "samples standable uncertain coverage excess.total excess.solid excess.ceiling excess.wall \
        excess.drop connectivity.pairs connectivity.agree connectivity.false_links connectivity.missed_links \
        connectivity.islands connectivity.components height_error.mean height_error.p50 height_error.p95 height_error.max \
        clearance_error.mean clearance_error.p95 clearance_error.max polygons portals vertices vertices_off_border \
        polygons_lower_bound slivers min_angle t_junctions violations paths.pairs paths.found paths.wrongly_missing \
        paths.wrongly_found paths.excess_length.mean paths.excess_length.p95 paths.excess_length.max \
        paths.min_wall_distance paths.query_ns.p50 paths.query_ns.p99 bytes_memory bytes_file"
        .split_whitespace()
        .collect();
    // Beyond the contract.
    expected.extend(
        "enclosed violation_kinds.overlaps violation_kinds.non_convex violation_kinds.asymmetric violation_kinds.cracks \
        shape.area shape.largest_polygon shape.mean_polygon shape.min_width shape.mean_degree shape.polygons_per_lower_bound"
            .split_whitespace(),
    );
    expected.sort_unstable();
    let mut keys = paths(&found);
    keys.sort_unstable();
    assert_eq!(keys, expected);
}

#[test]
fn polygons_of_any_tool_are_judged_like_a_mesh_of_ours() {
    let folder = hall();
    let folder = folder.path();
    succeed(folder, &["build", "hall.obj", "--obj", "polygons.obj"]);
    let (ours, _) = judge(folder, &["hall.obj", "--mesh", "hall.wmesh"]);
    let (polygons, _) = judge(folder, &["hall.obj", "--mesh", "polygons.obj"]);
    for key in [
        "polygons",
        "portals",
        "vertices",
        "vertices_off_border",
        "polygons_lower_bound",
        "t_junctions",
        "samples",
        "standable",
    ] {
        assert_eq!(polygons[key], ours[key], "{key}");
    }
    for key in ["coverage", "slivers", "min_angle"] {
        assert!(
            (number(&polygons[key]) - number(&ours[key])).abs() < 2e-3,
            "{key}: {} {}",
            polygons[key],
            ours[key]
        );
    }
    assert_eq!(polygons["connectivity"], ours["connectivity"]);
    // Paths are not available.
    assert_eq!((&polygons["paths"]["pairs"], &polygons["bytes_memory"]), (&Value::from(0), &Value::Null));
    assert!(succeed(folder, &["evaluate", "hall.obj", "--mesh", "polygons.obj"]).contains("none asked for"));
    // Whoever is slim can stand closer to the walls, and misses that strip.
    let (slim, _) =
        judge(folder, &["hall.obj", "--mesh", "polygons.obj", "--agent-radius", "0.1", "--cell-size", "0.1"]);
    assert!(number(&slim["coverage"]) < number(&ours["coverage"]) - 0.02, "{slim}");
}

#[test]
fn ground_in_the_file_is_what_heights_are_measured_on() {
    let folder = hall();
    let folder = folder.path();
    let square = "v 2 0.1 2\nv 2 0.1 8\nv 8 0.1 8\nv 8 0.1 2\nf 1 2 3 4\n";
    std::fs::write(folder.join("flat.obj"), square).expect("a file");
    let lifted = "g ground_1\nv 2 0.3 2\nv 2 0.3 8\nv 8 0.3 8\nv 8 0.3 2\nf 5 6 7 8\n";
    std::fs::write(folder.join("lifted.obj"), square.to_owned() + lifted).expect("a file");
    for (file, expected) in [("flat.obj", 0.1), ("lifted.obj", 0.3)] {
        let (found, _) = judge(folder, &["hall.obj", "--mesh", file, "--agent", "recast"]);
        assert!((number(&found["height_error"]["mean"]) - expected).abs() < 1e-6, "{file}: {found}");
    }
}

#[test]
fn broken_polygons_are_named_with_file_and_line() {
    let folder = hall();
    let folder = folder.path();
    for (text, expected) in [
        ("v 0 0 0\nv 1 0 x\n", "bad.obj: line 2"),
        ("v 0 0 0\nv 1 0 nan\n", "bad.obj: line 2"),
        ("v 0 0 0\nv 1 0 0\nf 1 2\n", "bad.obj: line 3"),
        ("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n", "bad.obj: line 5"),
        ("g ground_1\n\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n", "bad.obj: line 6"),
    ] {
        std::fs::write(folder.join("bad.obj"), text).expect("a file");
        let message = fail(folder, 1, &["evaluate", "hall.obj", "--mesh", "bad.obj"]);
        assert!(message.contains(expected), "{message}");
    }
    assert!(fail(folder, 1, &["evaluate", "hall.obj", "--mesh", "none.obj"]).contains("none.obj"));
    std::fs::write(folder.join("text.wmesh"), "hello").expect("a file");
    assert!(fail(folder, 1, &["evaluate", "hall.obj", "--mesh", "text.wmesh"]).contains("text.wmesh"));
    succeed(folder, &["build", "hall.obj"]);
    let words = ["evaluate", "hall.obj", "--mesh", "hall.wmesh"];
    for (option, value, expected) in
        [("--samples", "0", "samples"), ("--cell-size", "0", "cell-size"), ("--agent-radius", "-1", "radius")]
    {
        let option = format!("{option}={value}");
        let message = fail(folder, 1, &[&words[..], &[&option]].concat());
        assert!(message.contains(expected), "{option}: {message}");
    }
    let message =
        fail(folder, 1, &[&words[..], &["--samples", "100", "--svg", "no/such/folder/x.svg"]].concat());
    assert!(message.contains("x.svg"), "{message}");
}

#[test]
fn nothing_to_judge_gives_a_clear_answer() {
    let folder = hall();
    let folder = folder.path();
    succeed(folder, &["build", "hall.obj"]);
    // A mesh of another scene.
    std::fs::write(folder.join("far.obj"), "v 500 0 0\nv 500 0 30\nv 530 0 30\nv 530 0 0\nf 1 2 3 4\n")
        .expect("a file");
    let (found, told) = judge(folder, &["far.obj", "--mesh", "hall.wmesh"]);
    assert!(told.contains("was it baked from another scene?"), "{told}");
    assert_eq!((number(&found["coverage"]), number(&found["excess"]["drop"])), (0.0, 1.0));
    assert_eq!(
        (&found["height_error"]["mean"], &found["connectivity"]["pairs"]),
        (&Value::Null, &Value::from(0))
    );
    // An empty mesh.
    std::fs::write(folder.join("empty.obj"), "# nothing\n").expect("a file");
    let (found, told) = judge(folder, &["hall.obj", "--mesh", "empty.obj", "--svg", "empty.svg"]);
    assert!(told.contains("the mesh has no polygons"), "{told}");
    assert!(number(&found["coverage"]).abs() < 1e-12);
    for key in ["slivers", "min_angle"] {
        assert_eq!(found[key], Value::Null, "{key}");
    }
    assert_eq!((&found["excess"]["total"], &found["clearance_error"]["mean"]), (&Value::Null, &Value::Null));
    assert!(std::fs::read_to_string(folder.join("empty.svg")).expect("a picture").contains("No polygons"));
    // A scene that nobody can walk on: a wall.
    std::fs::write(folder.join("wall.obj"), "v 0 0 0\nv 9 0 0\nv 9 9 0\nf 1 2 3\n").expect("a file");
    let (found, told) = judge(folder, &["wall.obj", "--mesh", "hall.wmesh"]);
    assert!(told.contains("the scene has no walkable ground"), "{told}");
    assert_eq!((&found["samples"], &found["coverage"]), (&Value::from(0), &Value::Null));
    // Neither.
    let (found, told) = judge(folder, &["wall.obj", "--mesh", "empty.obj"]);
    assert!(told.contains("no walkable ground") && told.contains("no polygons"), "{told}");
    assert_eq!(found["coverage"], Value::Null);
    assert!(succeed(folder, &["evaluate", "wall.obj", "--mesh", "empty.obj"]).contains("coverage      -"));
}

#[test]
fn a_picture_shows_what_is_missed_and_what_is_too_much() {
    let folder = hall();
    let folder = folder.path();
    // The left half of the hall, and a bit that sticks out of it.
    let mesh = "v 0.6 0 0.6\nv 9.4 0 0.6\nv 9.4 0 19.4\nv 0.6 0 19.4\nf 1 2 3 4\nv -6 0 0.6\nv -6 0 5\nv 0.6 0 5\nf 1 5 6 7\n";
    std::fs::write(folder.join("half.obj"), mesh).expect("a file");
    let (found, _) = judge(folder, &["hall.obj", "--mesh", "half.obj", "--svg", "half.svg"]);
    let svg = std::fs::read_to_string(folder.join("half.svg")).expect("a picture");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    let share = |share: f64| format!("{:.2} %", share * 100.0);
    let missed = share(1.0 - number(&found["coverage"]));
    assert!(svg.contains(&format!("no mesh, but an agent can stand here ({missed})")), "{svg}");
    let excess = share(number(&found["excess"]["total"]));
    assert!(svg.contains(&format!("mesh, but no agent can stand here ({excess} of the mesh)")));
    // A shape for each colour, and a mark in the legend.
    for colour in ["#d6333f", "#264fd6"] {
        assert_eq!(svg.matches(colour).count(), 2, "{colour}");
    }
}

/// Links up steps that are too high to walk are neither right nor wrong: the judge asks where one
/// can walk.
#[test]
fn links_up_high_steps_are_not_judged() {
    let folder = hall();
    let folder = folder.path();
    succeed(folder, &["scene", "terraces", "-o", "terraces.stl"]);
    succeed(folder, &["build", "terraces.stl", "-o", "walked.wmesh"]);
    let more = ["--svg", "climbed.svg", "--report", "climbed.json"];
    let climb = ["build", "terraces.stl", "-o", "climbed.wmesh", "--max-ledge", "1.5"];
    succeed(folder, &[&climb[..], &more[..]].concat());
    let [walked, climbed] = ["walked.wmesh", "climbed.wmesh"]
        .map(|mesh| judge(folder, &["terraces.stl", "--mesh", mesh]).0["connectivity"].clone());
    assert_eq!(walked, climbed);
    assert_eq!(climbed["false_links"], 0);
    let report = std::fs::read_to_string(folder.join("climbed.json")).expect("a report");
    assert!(number(&json(&report)["links"]) > 10.0, "{report}");
    let picture = std::fs::read_to_string(folder.join("climbed.svg")).expect("a picture");
    assert!(picture.contains(">link<"), "no link in the legend");
}
