//! Areas by the names in scene files, and by volumes.

use crate::common;
use common::{fail, json, keys, run, succeed, text};
use serde_json::Value;

/// A floor of 12 by 8 m: grass, 4 m of water with a bridge of 2 m, grass, and a pane of glass.
const LEVEL: &str = "
v 0 0 0\nv 4 0 0\nv 8 0 0\nv 12 0 0
v 0 0 6\nv 4 0 6\nv 8 0 6\nv 12 0 6
v 0 0 8\nv 4 0 8\nv 8 0 8\nv 12 0 8
v 10 0.02 0\nv 12 0.02 0\nv 10 0.02 2\nv 12 0.02 2
usemtl Grass
f 1 5 6 2\nf 3 7 8 4\nf 5 9 10 6\nf 7 11 12 8
g bridge
f 6 10 11 7
g
usemtl deep_water
f 2 6 7 3
usemtl Glass
f 13 15 16 14
";

fn area<'a>(info: &'a Value, name: &str) -> &'a Value {
    let areas = info["areas"].as_array().expect("a list");
    areas.iter().find(|area| area["name"] == name).unwrap_or_else(|| panic!("no {name} in {areas:?}"))
}

#[test]
fn rules_name_areas_and_paths_pay_for_them() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    std::fs::write(folder.join("level.obj"), LEVEL).expect("a file");
    let small = ["--agent-radius", "0", "--cell-size", "0.2", "--max-step", "0.4"];
    let rules = ["--area", "*water*=river:10", "--area", "glass=blocked", "--area", "lava=lava:99"];
    let words = |more: &[&'static str]| [&["build", "level.obj"], &small[..], &rules[..], more].concat();
    for (more, file) in [
        (&["-o", "a.wmesh", "--svg", "a.svg"][..], "a.wmesh"),
        (&["-o", "b.wmesh", "--tile", "16"], "b.wmesh"),
        (&["-o", "e.wmesh", "--pipeline", "slices"], "e.wmesh"),
        (&["-o", "c.wmrun", "--pipeline", "storeys"], "c.wmrun"),
    ] {
        let output = run(folder, &words(more));
        let message = text(&output.stderr);
        assert!(output.status.success(), "{message}");
        assert!(message.contains("lava") && !message.contains("glass"), "{message}");
        let info = json(&succeed(folder, &["info", file, "--json"]));
        let river = area(&info, "river");
        assert_eq!((&river["id"], &river["cost"]), (&2.into(), &10.0.into()));
        let found = river["square_metres"].as_f64().expect("a number");
        assert!((found - 24.0).abs() < 2.5, "{file}: {found} m2 of river");
        assert_eq!(area(&info, "lava")["polygons"], 0);
        let whole = info["mesh_area"].as_f64().expect("a number");
        assert!((80.0..93.5).contains(&whole), "{file}: {whole} m2 without the glass");
        let path = ["path", file, "--from", "1,0,1", "--to", "9,0,1", "--json"];
        let found = json(&succeed(folder, &path));
        assert_eq!(keys(&found), ["cost", "length", "links", "outcome", "plan_length", "points", "polygons"]);
        let length = found["length"].as_f64().expect("a number");
        assert!((11.0..16.0).contains(&length), "{file}: over the bridge it is about 15 m, not {length}");
        let cost = found["cost"].as_f64().expect("a number");
        assert!(cost < length + 0.1);
        // Costs hold in the search for the shortest path, unless they are ignored.
        let shortest = json(&succeed(folder, &[&path[..], &["--shortest"]].concat()));
        assert!(shortest["cost"].as_f64().expect("a number") <= cost + 1e-4, "{file}: {shortest}");
        let blind = json(&succeed(folder, &[&path[..], &["--shortest", "--ignore-costs"]].concat()));
        assert!(blind["length"].as_f64().expect("a number") < 10.0, "{file}: through the river");
    }
    // A disc knows no costs, and says so.
    let words = ["path", "a.wmesh", "--from", "1,0,1", "--to", "9,0,1", "--radius", "0.3", "--json"];
    let refused = fail(folder, 1, &words);
    assert!(refused.contains("river") && refused.contains("10") && refused.contains("--ignore-costs"));
    let found = json(&succeed(folder, &[&words[..], &["--ignore-costs"]].concat()));
    let shortest = found["length"].as_f64().expect("a number");
    let words = ["path", "a.wmesh", "--from", "1,0,1", "--to", "9,0,1", "--ignore-costs", "--json"];
    let point = json(&succeed(folder, &words))["length"].as_f64().expect("a number");
    assert!(shortest < 10.0 && (shortest - point).abs() < 0.5, "through the river: {shortest}, {point}");
    assert_eq!(std::fs::read(folder.join("a.wmesh")).ok(), std::fs::read(folder.join("b.wmesh")).ok());
    let judge = |rules: &[&str]| {
        let words = ["evaluate", "level.obj", "--mesh", "c.wmrun", "--samples", "5000", "--json"];
        json(&succeed(folder, &[&words[..], rules].concat()))["coverage"].as_f64().expect("a share")
    };
    let (blind, seeing) = (judge(&[]), judge(&["--area", "glass=blocked"]));
    assert!(seeing > blind + 0.02, "where nobody walks no ground is missing: {blind}, {seeing}");
    assert!(succeed(folder, &["info", "a.wmesh"]).contains("river, 10 a metre"));
    let picture = std::fs::read_to_string(folder.join("a.svg")).expect("a picture");
    assert!(picture.contains("river, 10 a metre") && !picture.contains("lava"));

    // The settings from a file, the bake tile by tile, and the tiles joined elsewhere.
    let config = "area = [\"*water*=river:10\", \"glass=blocked\", \"lava=lava:99\"]\nagent-radius = 0\ncell-size = 0.2\nmax-step = 0.4\n";
    std::fs::write(folder.join("set.toml"), config).expect("a file");
    for at in ["0,0", "1,0", "2,0", "3,0", "0,1", "1,1", "2,1", "3,1", "0,2", "1,2", "2,2", "3,2"] {
        let words =
            ["tile", "level.obj", "--config", "set.toml", "--at", at, "--tile", "16", "--tiles", "parts"];
        succeed(folder, &words);
    }
    succeed(folder, &["merge", "parts", "-o", "d.wmesh"]);
    assert_eq!(std::fs::read(folder.join("a.wmesh")).ok(), std::fs::read(folder.join("d.wmesh")).ok());
    // With the scene, whose surfaces have areas.
    succeed(folder, &["merge", "parts", "-o", "e.wmesh", "--scene", "level.obj", "--jumps"]);
    succeed(folder, &["build", "level.obj", "--config", "set.toml", "-o", "f.wmesh", "--jumps"]);
    assert_eq!(std::fs::read(folder.join("e.wmesh")).ok(), std::fs::read(folder.join("f.wmesh")).ok());
    for rule in ["water", "water=", "water=river:-1", "water=river:cold"] {
        assert!(fail(folder, 1, &["build", "level.obj", "--area", rule]).contains("water"));
    }
}

#[test]
fn marks_are_volumes() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    std::fs::write(folder.join("level.obj"), LEVEL).expect("a file");
    let marks = "
        [[mark]]
        area = \"mud:3\"
        box = { min = [0, -1, 0], max = [2, 1, 8] }
        [[mark]]
        area = \"blocked\"
        cylinder = { base = [6, -1, 3], radius = 1, height = 2 }
        [[mark]]
        area = \"mud\"
        prism = { corners = [[10, 4], [12, 4], [12, 8]], heights = [-1, 1] }
    ";
    std::fs::write(folder.join("marks.toml"), marks).expect("a file");
    let words = ["build", "level.obj", "--agent-radius", "0", "--cell-size", "0.2", "--marks", "marks.toml"];
    for more in [&[][..], &["--tile", "16"], &["--pipeline", "storeys"], &["--pipeline", "slices"]] {
        succeed(folder, &[&words[..], more].concat());
        let info = json(&succeed(folder, &["info", "level.wmesh", "--json"]));
        let mud = area(&info, "mud");
        assert_eq!(mud["cost"], 3.0);
        let found = mud["square_metres"].as_f64().expect("a number");
        assert!((found - 20.0).abs() < 4.0, "{more:?}: {found} m2 of mud");
        let whole = info["mesh_area"].as_f64().expect("a number");
        assert!((84.0..93.5).contains(&whole), "{more:?}: {whole} m2");
    }
    std::fs::write(folder.join("marks.toml"), "[[mark]]\narea = \"mud\"").expect("a file");
    assert!(fail(folder, 1, &words).contains("mark 1"));
    for (shape, expected) in [
        ("box = { min = [0, 1, 0], max = [4, -1, 8] }", "y of box"),
        ("box = { min = [4, -1, 0], max = [0, 1, 8] }", "x of box"),
        ("box = { min = [0, -1, 8], max = [4, 1, 0] }", "z of box"),
        ("prism = { corners = [[0, 0], [4, 0], [4, 8]], heights = [1, -1] }", "heights of prism"),
    ] {
        std::fs::write(folder.join("marks.toml"), format!("[[mark]]\narea = \"mud\"\n{shape}"))
            .expect("a file");
        let message = fail(folder, 1, &words);
        assert!(message.contains("mark 1") && message.contains(expected), "{message}");
    }
}

#[test]
fn a_settings_file_may_hold_marks() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    std::fs::write(folder.join("level.obj"), LEVEL).expect("a file");
    let marks = "[[mark]]\narea = \"mud:3\"\nbox = { min = [0, -1, 0], max = [2, 1, 8] }\n";
    let settings = "agent-radius = 0\ncell-size = 0.2\n";
    std::fs::write(folder.join("marks.toml"), marks).expect("a file");
    std::fs::write(folder.join("set.toml"), [settings, marks].concat()).expect("a file");
    let words = ["build", "level.obj", "-o"];
    let apart = ["a.wmesh", "--agent-radius", "0", "--cell-size", "0.2", "--marks", "marks.toml"];
    succeed(folder, &[&words[..], &apart].concat());
    succeed(folder, &[&words[..], &["b.wmesh", "--config", "set.toml"]].concat());
    assert_eq!(std::fs::read(folder.join("a.wmesh")).ok(), std::fs::read(folder.join("b.wmesh")).ok());
    assert_eq!(area(&json(&succeed(folder, &["info", "b.wmesh", "--json"])), "mud")["cost"], 3.0);
    // Marks of the command line take the place of those of the file.
    std::fs::write(folder.join("marks.toml"), marks.replace("mud", "sand")).expect("a file");
    succeed(folder, &[&words[..], &["c.wmesh", "--config", "set.toml", "--marks", "marks.toml"]].concat());
    area(&json(&succeed(folder, &["info", "c.wmesh", "--json"])), "sand");
    std::fs::write(folder.join("marks.toml"), marks.replace("[[mark]]", "[[marks]]")).expect("a file");
    assert!(fail(folder, 1, &[&words[..], &apart].concat()).contains("marks.toml: marks is no"));
}

/// Tiles hold the marks that they were built with: a merge on another machine has no file of them.
#[test]
fn tiles_with_marks_are_merged_elsewhere() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    std::fs::write(folder.join("level.obj"), LEVEL).expect("a file");
    std::fs::write(folder.join("pool.obj"), POOL).expect("a file");
    let marks = "[[mark]]\narea = \"mud:3\"\nmesh = \"pool.obj\"\n\
        [[mark]]\narea = \"blocked\"\ncylinder = { base = [6.1, -1, 3], radius = 1, height = 2 }\n\
        [[mark]]\narea = \"sand\"\nprism = { corners = [[10, 4], [12, 4], [12, 8]], heights = [-1, 1] }\n";
    let settings = "agent-radius = 0\ncell-size = 0.2\n";
    std::fs::write(folder.join("marks.toml"), marks).expect("a file");
    std::fs::write(folder.join("set.toml"), [settings, marks].concat()).expect("a file");
    let given = ["--agent-radius", "0", "--cell-size", "0.2", "--marks", "marks.toml"];
    succeed(folder, &[&["build", "level.obj", "-o", "whole.wmesh"], &given[..]].concat());
    let whole = std::fs::read(folder.join("whole.wmesh")).ok();
    let tiles = ["--tile", "16", "--tiles"];
    succeed(folder, &[&["build", "level.obj"], &given[..], &tiles, &["a"]].concat());
    let share = ["tile", "level.obj", "--index", "0", "--of", "1", "--config", "set.toml"];
    succeed(folder, &[&share[..], &tiles, &["b"]].concat());
    for file in ["marks.toml", "set.toml", "pool.obj"] {
        std::fs::remove_file(folder.join(file)).expect("a file");
    }
    for parts in ["a", "b"] {
        for more in [&[][..], &["--scene", "level.obj"]] {
            succeed(folder, &[&["merge", parts, "-o", "merged.wmesh"], more].concat());
            assert!(std::fs::read(folder.join("merged.wmesh")).ok() == whole, "{parts} {more:?}");
        }
    }
}

/// A pool 4 m wide under an edge: a wedge that is 2 m deep at its far end.
const POOL: &str = "o pool\nv 0 1 0\nv 4 1 0\nv 4 -1 0\nv 0 1 8\nv 4 1 8\nv 4 -1 8\n\
    f 1 2 3\nf 4 6 5\nf 1 4 5 2\nf 2 5 6 3\nf 3 6 4 1\n";

#[test]
fn marks_are_meshes() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    std::fs::create_dir(folder.join("parts")).expect("a folder");
    std::fs::write(folder.join("level.obj"), LEVEL).expect("a file");
    std::fs::write(folder.join("parts/pool.obj"), POOL).expect("a file");
    let marks = |mesh: &str| {
        let text = format!("[[mark]]\narea = \"mud:3\"\nmesh = {mesh}");
        std::fs::write(folder.join("parts/marks.toml"), text).expect("a file");
    };
    let words =
        ["build", "level.obj", "--agent-radius", "0", "--cell-size", "0.2", "--marks", "parts/marks.toml"];
    let inline = "{ corners = [[0, 1, 0], [4, 1, 0], [4, -1, 0], [0, 1, 8], [4, 1, 8], [4, -1, 8]], \
        triangles = [[0, 1, 2], [3, 5, 4], [0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [2, 5, 3], [2, 3, 0]] }";
    for mesh in ["\"pool.obj\"", inline] {
        marks(mesh);
        for more in [&[][..], &["--tile", "16"], &["--pipeline", "storeys"], &["--pipeline", "slices"]] {
            succeed(folder, &[&words[..], more].concat());
            let info = json(&succeed(folder, &["info", "level.wmesh", "--json"]));
            let found = area(&info, "mud")["square_metres"].as_f64().expect("a number");
            assert!((found - 16.0).abs() < 2.5, "{mesh} {more:?}: {found} m2 of the floor are in the pool");
        }
    }
    let plan = "walkable POLYGON ((0 0, 9 0, 9 -8, 0 -8, 0 0))";
    std::fs::write(folder.join("plan.wkt"), plan).expect("a file");
    succeed(folder, &["plan", "plan.wkt", "--agent-radius", "0", "--marks", "parts/marks.toml"]);
    let info = json(&succeed(folder, &["info", "plan.wmesh", "--json"]));
    let found = area(&info, "mud")["square_metres"].as_f64().expect("a number");
    assert!((found - 16.0).abs() < 0.01, "{found} m2 of the plan");

    let refused = |mesh: &str, part: &str| {
        marks(mesh);
        let message = fail(folder, 1, &words);
        assert!(message.contains("mark 1") && message.contains(part), "{mesh}: {message}");
    };
    refused("\"../parts\"", "no regular file");
    refused("\"lake.obj\"", "lake.obj");
    std::fs::write(folder.join("parts/open.obj"), POOL.replace("f 4 6 5\n", "")).expect("a file");
    refused("\"open.obj\"", "not closed: 1 of its triangles meet at the edge from");
    refused("{ corners = [[0, 0, 0]], triangles = [[0, 0, 1]] }", "vertex 1");
    refused("{ corners = [[0, 0, 0]], triangles = [[0, 0, 0]] }", "mesh triangles");
    marks("{ corners = [], triangles = [], colour = 3 }");
    fail(folder, 1, &words);
}

#[test]
fn plans_have_areas_and_marks() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    let plan = "area=lawn:2 POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0))\n\
        walkable POLYGON ((10 0, 20 0, 20 10, 10 10, 10 0))";
    std::fs::write(folder.join("plan.wkt"), plan).expect("a file");
    let marks = "[[mark]]\narea = \"mud:3\"\nbox = { min = [12, -1, -8], max = [15, 1, -4] }\n\
        [[mark]]\narea = \"blocked\"\ncylinder = { base = [5, 1, -5], radius = 1, height = 2 }";
    std::fs::write(folder.join("marks.toml"), marks).expect("a file");
    succeed(
        folder,
        &["plan", "plan.wkt", "--agent-radius", "0", "--marks", "marks.toml", "--svg", "plan.svg"],
    );
    let info = json(&succeed(folder, &["info", "plan.wmesh", "--json"]));
    for (name, cost, metres) in [("lawn", 2.0, 100.0), ("mud", 3.0, 12.0)] {
        let found = area(&info, name);
        assert_eq!(found["cost"], cost);
        let square_metres = found["square_metres"].as_f64().expect("a number");
        assert!((square_metres - metres).abs() < 0.01, "{name}: {square_metres} m2");
    }
    let picture = std::fs::read_to_string(folder.join("plan.svg")).expect("a picture");
    assert!(["lawn", "mud"].iter().all(|name| picture.contains(name)), "the picture names areas");
    std::fs::write(folder.join("marks.toml"), "[[mark]]\narea = \"lawn:7\"").expect("a file");
    assert!(fail(folder, 1, &["plan", "plan.wkt", "--marks", "marks.toml"]).contains("another cost"));
}

#[test]
fn rules_of_plans_that_name_nothing_are_told() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    std::fs::write(folder.join("plan.wkt"), "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0))").expect("a file");
    let output = run(folder, &["plan", "plan.wkt", "--area", "lawn=grass:2"]);
    assert!(output.status.success() && text(&output.stderr).contains("nothing is named lawn"));
    assert!(fail(folder, 1, &["plan", "plan.wkt", "--area", "lawn"]).contains("lawn"));
}

#[cfg(feature = "dxf")]
#[test]
fn layers_of_drawings_have_areas() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    let square = |layer: &str, side: u8| {
        format!(
            "0\nLWPOLYLINE\n8\n{layer}\n90\n4\n70\n1\n10\n0\n20\n0\n10\n{side}\n20\n0\n10\n{side}\n20\n{side}\n10\n0\n20\n{side}\n"
        )
    };
    let drawing = format!(
        "0\nSECTION\n2\nENTITIES\n{}{}{}0\nENDSEC\n0\nEOF\n",
        square("A-FLOOR-OAK", 9),
        square("L-GRASS", 4),
        square("X-VOID", 2)
    );
    std::fs::write(folder.join("plan.dxf"), drawing).expect("a file");
    let rules = ["--area", "*oak=wood:0.5", "--area", "*grass*=lawn:2", "--area", "x-void=blocked"];
    succeed(folder, &[&["plan", "plan.dxf", "--agent-radius", "0"], &rules[..]].concat());
    let info = json(&succeed(folder, &["info", "plan.wmesh", "--json"]));
    for (name, cost, metres) in [("wood", 0.5, 65.0), ("lawn", 2.0, 12.0)] {
        let found = area(&info, name);
        assert_eq!(found["cost"], cost);
        let square_metres = found["square_metres"].as_f64().expect("a number");
        assert!((square_metres - metres).abs() < 0.01, "{name}: {square_metres} m2");
    }
}

#[test]
fn agents_of_several_heights_share_a_mesh() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    // A floor of 12 by 8 m, and a roof 1.3 m above all of it but a strip along one side.
    let level = "v 0 0 0\nv 12 0 0\nv 12 0 8\nv 0 0 8\nv 4 1.3 0\nv 8 1.3 0\nv 8 1.3 5\nv 4 1.3 5\n\
        f 4 3 2 1\nf 8 7 6 5\n";
    std::fs::write(folder.join("hall.obj"), level).expect("a file");
    let words = ["build", "hall.obj", "--agent-radius", "0.3", "--cell-size", "0.1", "--level-height", "0.1"];
    let classes = [&words[..], &["--height-classes", "0.9,1.8"]].concat();
    for more in [&[][..], &["--tile", "32"], &["--pipeline", "storeys"]] {
        succeed(folder, &[&classes[..], more].concat());
        let info = json(&succeed(folder, &["info", "hall.wmesh", "--json"]));
        let area = |class: usize| info["head_rooms"][class]["area"].as_f64().expect("a number");
        assert!((area(0) - area(1) - 4.6 * 5.0).abs() < 2.0, "{more:?}: {} and {} m2", area(0), area(1));
        assert!(succeed(folder, &["info", "hall.wmesh"]).contains("room      1.8 m"));
        let path = |more: &[&str]| {
            let words = ["path", "hall.wmesh", "--from", "2,0,1", "--to", "10,0,1", "--json"];
            json(&succeed(folder, &[&words[..], more].concat()))["length"].as_f64().expect("a number")
        };
        assert!(path(&[]) < 8.1 && path(&["--agent-height", "0.9"]) < 8.1);
        for more in [&[][..], &["--shortest"], &["--hierarchy"], &["--radius", "0.1"]] {
            let found = path(&[&["--agent-height", "1.8"], more].concat());
            assert!((11.5..15.0).contains(&found), "{more:?}: {found} m");
        }
    }
    assert!(fail(folder, 1, &[&classes[..], &["--agent-height", "2"]].concat()).contains("--height-classes"));
    assert!(
        fail(folder, 1, &["build", "hall.obj", "--height-classes", "0.9,1.8", "--pipeline", "slices"])
            .contains("--height-classes cannot be used with slices")
    );
}
