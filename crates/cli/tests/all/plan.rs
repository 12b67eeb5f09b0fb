//! `waymesh plan` as a user runs it.

use crate::common;
use common::{fail, json, keys, read_json, succeed};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a scratch folder");
    succeed(folder.path(), &["plan", "--example", "house.toml"]);
    folder
}

#[test]
fn the_example_becomes_a_mesh_with_pictures_and_figures() {
    let folder = folder();
    let folder = folder.path();
    let words = [
        "plan",
        "house.toml",
        "--check",
        "--svg",
        "a.svg",
        "--glb",
        "a.glb",
        "--obj",
        "a.obj",
        "--report",
        "r.json",
    ];
    let out = succeed(folder, &words);
    assert!(out.starts_with("2 storeys, 3 walkable and "), "{out}");
    for file in ["house.wmesh", "a.svg", "a.glb", "a.obj", "r.json"] {
        assert!(folder.join(file).metadata().expect(file).len() > 0, "{file} is empty");
        assert!(out.contains(file), "{file} is not named in {out}");
    }
    let report = read_json(&folder.join("r.json"));
    assert_eq!(
        keys(&report["plan"]),
        ["blocked_shapes", "doors", "lifts", "stairs", "storeys", "walkable_shapes"]
    );
    assert_eq!(report["plan"]["doors"], 5);
    let info = json(&succeed(folder, &["info", "house.wmesh", "--json"]));
    assert_eq!(info["valid"], true);
    assert!((info["agent"]["radius"].as_f64().expect("a number") - 0.25).abs() < 1e-6, "the plan's agent");
    let words = ["path", "house.wmesh", "--from", "6,0,11.5", "--to", "3.5,3,8", "--json"];
    let path = json(&succeed(folder, &words));
    assert_eq!(path["outcome"], "complete");
    // Its links are named, also those of a disc, at points from which they are taken.
    let kinds = |path: &serde_json::Value| {
        let links = path["links"].as_array().expect("links").clone();
        let points = path["points"].as_array().expect("points").len() as u64;
        assert!(links.iter().all(|link| link["point"].as_u64().is_some_and(|at| at + 1 < points)), "{path}");
        links.iter().map(|link| link["kind"].as_str().expect("a kind").to_owned()).collect::<Vec<_>>()
    };
    assert!(kinds(&path).iter().any(|kind| ["user", "step", "lift"].contains(&kind.as_str())), "{path}");
    let disc = json(&succeed(folder, &[&words[..], &["--radius", "0.05", "--ignore-costs"]].concat()));
    assert_eq!(kinds(&disc), kinds(&path), "{disc}");
    let told = succeed(folder, &words[..6]);
    assert!(told.contains(" link: 1 ") || told.contains(" links: "), "{told}");

    let report =
        json(&succeed(folder, &["plan", "house.toml", "--json", "--agent-radius", "0.4", "--join", "round"]));
    assert!(report["mesh_area"].as_f64().expect("a number") > 50.0);
    assert_eq!(report["plan"]["storeys"], 2);
    let info = json(&succeed(folder, &["info", "house.wmesh", "--json"]));
    assert!((info["agent"]["radius"].as_f64().expect("a number") - 0.4).abs() < 1e-6, "arguments go first");
}

#[test]
fn several_files_make_one_plan_and_edges_can_be_kept() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    std::fs::write(folder.join("floor.wkt"), "POLYGON ((0 0, 1000 0, 1000 500, 0 500, 0 0))\n")
        .expect("a file");
    let svg = r#"<svg xmlns="http://www.w3.org/2000/svg"><rect class="wall" x="400" y="-300" width="100" height="100"/></svg>"#;
    std::fs::write(folder.join("pillar.svg"), svg).expect("a file");
    let area = |words: &[&str]| {
        let mut all = vec!["plan", "floor.wkt", "pillar.svg", "--scale", "0.01", "--json", "-o", "f.wmesh"];
        all.extend(words);
        json(&succeed(folder, &all))["mesh_area"].as_f64().expect("a number")
    };
    assert!((area(&["--agent-radius", "0"]) - 49.0).abs() < 1e-3);
    let kept = area(&["--agent-radius", "0.5", "--shrink-walkable", "false", "--join", "miter"]);
    assert!((kept - 46.0).abs() < 1e-3, "{kept}");
    let shrunk = area(&["--agent-radius", "0.5", "--join", "miter"]);
    assert!((shrunk - 32.0).abs() < 1e-3, "{shrunk}");
}

#[test]
fn borders_are_split_and_a_grid_of_points_is_kept_by_triangles() {
    let folder = folder();
    let figures = |words: &[&str]| {
        let mut all = vec!["plan", "house.toml", "--check", "--json", "--max-vertices", "3"];
        all.extend(words);
        let report = json(&succeed(folder.path(), &all));
        (report["polygons"].as_u64().expect("a count"), report["mesh_area"].as_f64().expect("a number"))
    };
    let plain = figures(&[]);
    let merged = figures(&["--merge-distance", "0.005"]);
    assert!((merged.1 - plain.1).abs() < 0.1, "{plain:?} {merged:?}");
    let split = figures(&["--max-edge-length", "0.5"]);
    let grid = figures(&["--max-edge-length", "0.5", "--steiner-grid", "0.5"]);
    assert!(plain.0 * 2 < split.0 && split.0 * 3 < grid.0 * 2, "{plain:?} {split:?} {grid:?}");
    assert!((grid.1 - plain.1).abs() < 0.2, "{plain:?} {grid:?}");
}

#[test]
fn hairlines_close_by_an_option_or_a_setting() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    let rooms = "POLYGON ((0 0, 5 0, 5 4, 0 4, 0 0))\nPOLYGON ((5.001 0, 9 0, 9 4, 5.001 4, 5.001 0))\n";
    std::fs::write(folder.join("rooms.wkt"), rooms).expect("a file");
    std::fs::write(folder.join("settings.toml"), "close-distance = 0.01\n").expect("a file");
    let islands = |words: &[&str]| {
        let report = json(&succeed(folder, &[&["plan", "rooms.wkt", "--json", "--check"], words].concat()));
        report["islands"].as_array().expect("a list").len()
    };
    assert_eq!(islands(&[]), 2);
    assert_eq!(islands(&["--merge-distance", "0.01"]), 2, "that is for vertices of one piece");
    assert_eq!(islands(&["--close-distance", "0.01"]), 1);
    assert_eq!(islands(&["--config", "settings.toml"]), 1);
    let message = fail(folder, 1, &["plan", "rooms.wkt", "--close-distance", "-1"]);
    assert!(message.contains("--close-distance is -1"), "{message}");
}

#[test]
fn faults_name_the_file_and_the_element() {
    let folder = folder();
    let folder = folder.path();
    for (name, text) in [
        (
            "nan.toml",
            "[[storey]]\nname = \"a\"\n[[storey.walkable]]\nname = \"hall\"\noutline = [[0, 0], [nan, 1], [1, 1]]",
        ),
        ("other.toml", "[agent]\nradius = 0.3"),
        ("key.toml", "[[storey]]\nname = \"a\"\nheight = 3"),
        ("open.geojson", "{\"type\":\"Polygon\""),
        ("empty.wkt", "# nothing\n"),
        ("cut.wkt", "POLYGON ((0 0, 1 0"),
        ("bad.svg", "<svg><path d='M0 0 L x'/></svg>"),
        ("what.xyz", "hello"),
        ("text.svg", "<svg xmlns='http://www.w3.org/2000/svg'><text>hi</text></svg>"),
        ("house.dxf", "0\nEOF\n"),
    ] {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    for (words, expected) in [
        (vec!["plan", "missing.toml"], vec!["missing.toml"]),
        (
            vec!["plan", "nan.toml"],
            vec!["nan.toml", "storey \"a\"", "walkable \"hall\"", "x of point 1 is NaN"],
        ),
        (vec!["plan", "key.toml"], vec!["key.toml", "height"]),
        (vec!["plan", "open.geojson"], vec!["open.geojson", "line 1"]),
        (vec!["plan", "empty.wkt"], vec!["no walkable shape"]),
        (vec!["plan", "text.svg"], vec!["no walkable shape", "<text> is ignored"]),
        (vec!["plan", "cut.wkt"], vec!["cut.wkt", "line 1"]),
        (vec!["plan", "bad.svg"], vec!["bad.svg", "<path>"]),
        (vec!["plan", "what.xyz"], vec!["what.xyz", ".geojson"]),
        (vec!["plan", "house.toml", "--agent-radius", "-1"], vec!["radius"]),
        (vec!["plan", "house.toml", "--agent-radius", "50"], vec!["nothing is walkable"]),
        (vec!["plan", "house.toml", "--cell-size", "0"], vec!["--cell-size is 0"]),
        (vec!["plan", "house.toml", "--max-edge-length", "-2"], vec!["--max-edge-length is -2"]),
        (
            vec!["plan", "house.toml", "--max-edge-length", "0.0001"],
            vec!["--max-edge-length is 0.0001", "at least 10 cells"],
        ),
        (vec!["plan", "house.toml", "--steiner-grid", "NaN"], vec!["--steiner-grid is NaN"]),
        (vec!["plan", "house.toml", "--steiner-grid", "0.002"], vec!["4194304"]),
        (vec!["plan", "house.toml", "other.toml"], vec!["radius of 0.25 m", "0.3 m"]),
        #[cfg(not(feature = "dxf"))]
        (vec!["plan", "house.dxf"], vec!["house.dxf", "feature \"dxf\""]),
        (vec!["plan", "house.toml", "--join", "miter", "--miter-limit", "0.1"], vec!["miter limit"]),
        (vec!["plan", "house.toml", "-o", "no/such/x.wmesh"], vec!["x.wmesh"]),
    ] {
        let message = fail(folder, 1, &words);
        for part in expected {
            assert!(message.contains(part), "{words:?}: {message}");
        }
    }
    fail(folder, 2, &["plan"]);
    fail(folder, 2, &["plan", "house.toml", "--join", "soft"]);
}

#[test]
fn what_was_put_right_is_told_in_the_report_and_on_stderr() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    std::fs::write(folder.join("bow.wkt"), "POLYGON ((0 0, 9 9, 9 0, 0 9, 0 0))\n").expect("a file");
    let output = common::run(folder, &["plan", "bow.wkt", "--json"]);
    let report = json(&common::text(&output.stdout));
    assert!(report["warnings"][0].as_str().expect("a text").contains("bow.wkt: line 1: crosses itself"));
    assert!(common::text(&output.stderr).contains("crosses itself"));
}
