//! The program as a user runs it.

use crate::common;
use common::{HALL, fail, hall, json, keys, read_json, run, succeed, text};
use serde_json::Value;

#[test]
fn build_path_and_info_keep_their_contract() {
    let folder = hall();
    let folder = folder.path();
    let out = succeed(
        folder,
        &[
            "build",
            "hall.obj",
            "--check",
            "--svg",
            "a.svg",
            "--glb",
            "a.glb",
            "--obj",
            "a.obj",
            "--detail-obj",
            "d.obj",
            "--report",
            "r.json",
        ],
    );
    for file in ["hall.wmesh", "a.svg", "a.glb", "a.obj", "d.obj", "r.json"] {
        assert!(folder.join(file).metadata().expect(file).len() > 0, "{file} is empty");
        assert!(out.contains(file), "{file} is not named in {out}");
    }

    let report = read_json(&folder.join("r.json"));
    for key in [
        "triangles",
        "triangles_skipped",
        "grid",
        "spans",
        "walkable_spans",
        "walkable_area",
        "regions",
        "contours",
        "polygons",
        "portals",
        "vertices",
        "mesh_area",
        "islands",
        "height_error_max",
        "stages",
        "seconds",
        "peak_memory_bytes",
        "warnings",
    ] {
        assert!(keys(&report).contains(&key), "the report has no {key}");
    }
    assert_eq!(report["triangles"], 12);
    assert_eq!(keys(&report["grid"]), ["cell_size", "depth", "level_height", "width"]);
    assert_eq!(keys(&report["islands"][0]), ["area", "joined", "links", "place", "polygons"]);
    assert_eq!(keys(&report["stages"][0]), ["name", "seconds"]);
    assert!(report["peak_memory_bytes"].as_u64().expect("a number") > 1000);

    let info = json(&succeed(folder, &["info", "hall.wmesh", "--json"]));
    for key in
        ["grid", "polygons", "portals", "vertices", "mesh_area", "islands", "height_error_max", "regions"]
    {
        if key == "height_error_max" {
            let (a, b) = (info[key].as_f64().expect("a number"), report[key].as_f64().expect("a number"));
            assert!((a - b).abs() < 1e-6);
        } else if key != "grid" && key != "mesh_area" {
            assert_eq!(info[key], report[key], "{key}");
        }
    }
    assert_eq!(info["valid"], true);
    assert_eq!(info["violations"], Value::Array(Vec::new()));
    assert!(succeed(folder, &["info", "hall.wmesh"]).contains("valid     yes"));

    let words = ["path", "hall.wmesh", "--from", "3,0,3", "--to", "17,0,3", "--json", "--svg", "p.svg"];
    let path = json(&succeed(folder, &words));
    assert_eq!(keys(&path), ["length", "links", "outcome", "plan_length", "points", "polygons"]);
    assert_eq!(path["outcome"], "complete");
    let length = path["length"].as_f64().expect("a number");
    assert!((26.0..36.0).contains(&length), "round the wall it is about 29 m, not {length}");
    assert!(folder.join("p.svg").exists());
    assert!(succeed(folder, &words[..6]).starts_with("complete: "));
    let wide = json(&succeed(folder, &[&words[..7], &["--corner-offset", "0.4"]].concat()));
    assert!((length..length + 4.0).contains(&wide["length"].as_f64().expect("a number")));
    assert_ne!(wide["points"], path["points"]);
    let near = json(&succeed(folder, &[&words[..7], &["--hierarchy"]].concat()));
    assert_eq!(keys(&near), ["hierarchy", "length", "links", "outcome", "plan_length", "points", "polygons"]);
    assert_eq!(near["outcome"], "complete");
    let relaxed = json(&succeed(folder, &[&words[..7], &["--relax", "0.3"]].concat()));
    assert!((length - 0.01..length * 1.05).contains(&relaxed["length"].as_f64().expect("a number")));
    assert!(relaxed["groups"].as_u64().is_some_and(|groups| groups > 0), "{relaxed}");
    fail(folder, 1, &[&words[..6], &["--relax=-1"]].concat());
    fail(folder, 2, &[&words[..6], &["--relax", "0.3", "--shortest"]].concat());
    fail(folder, 1, &[&words[..6], &["--corner-offset=-1"]].concat());
    fail(folder, 2, &[&words[..6], &["--hierarchy", "--shortest"]].concat());
}

#[test]
fn a_path_for_a_radius_keeps_clear_of_walls() {
    let folder = hall();
    let folder = folder.path();
    succeed(folder, &["build", "hall.obj", "--agent-radius", "0"]);
    let words = ["path", "hall.wmesh", "--from", "3,0,3", "--to", "17,0,3", "--radius"];
    let ask = |radius: &str, more: &[&str]| succeed(folder, &[&words[..], &[radius], more].concat());
    let path = json(&ask("1.5", &["--json", "--svg", "r.svg"]));
    assert_eq!(
        keys(&path),
        ["clearance", "length", "links", "moved", "outcome", "plan_length", "points", "polygons"]
    );
    assert_eq!(path["outcome"], "complete");
    assert!(path["clearance"].as_f64().expect("a number") > 1.498);
    // The start is in a wall.
    let near = ["path", "hall.wmesh", "--from", "0.2,0,3", "--to", "17,0,3", "--radius", "1.5"];
    let found = json(&succeed(folder, &[&near[..], &["--json"]].concat()));
    let [start, goal] = [0, 1].map(|end| found["moved"][end].as_f64().expect("a number"));
    let first = found["points"][0][0].as_f64().expect("a number");
    assert!(start > 1.3 && (start - (first - 0.2)).abs() < 1e-3 && goal < 1e-6, "{found}");
    let told = succeed(folder, &near);
    assert!(told.contains("the start was moved by 1.") && !told.contains("the goal was moved"), "{told}");
    let slim = json(&ask("0", &["--json"]));
    assert!(slim["length"].as_f64() < path["length"].as_f64());
    assert!(std::fs::read_to_string(folder.join("r.svg")).expect("a picture").contains("swept by the disc"));
    // The gap is 5 m wide.
    let output = run(folder, &[&words[..], &["3"]].concat());
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).starts_with("partial"));
    assert!(ask("1.5", &["--arc-error", "inf"]).starts_with("complete"));
    let fast = json(&ask("1.5", &["--fast", "--json"]));
    assert_eq!(
        keys(&fast),
        ["clearance", "found_by", "length", "links", "moved", "outcome", "plan_length", "points", "polygons"]
    );
    assert_eq!(fast["found_by"], "fast");
    assert!(fast["length"].as_f64() >= path["length"].as_f64());
    assert!(fast["clearance"].as_f64().expect("a number") > 1.498);
    fail(folder, 2, &[&words[..6], &["--fast"]].concat());
    // Settings of points are refused by name.
    for others in [&["--no-rises"][..], &["--hierarchy"], &["--corner-offset", "0.3"], &["--relax", "0.3"]] {
        let refused = fail(folder, 2, &[&words[..], &["1.5"], others].concat());
        assert!(refused.contains("--radius") && refused.contains(others[0]), "{refused}");
    }
    fail(folder, 1, &["path", "hall.wmesh", "--from", "3,0,3", "--to", "17,0,3", "--radius", "nan"]);
}

#[test]
fn settings_come_from_arguments_and_from_a_file() {
    let folder = hall();
    let folder = folder.path();
    std::fs::write(folder.join("s.toml"), "cell-size = 0.5\nagent-radius = 0.2\npartition = \"monotone\"\n")
        .expect("a file");
    succeed(
        folder,
        &[
            "build",
            "hall.obj",
            "-o",
            "f.wmesh",
            "--config",
            "s.toml",
            "--cell-size",
            "0.25",
            "--report",
            "r.json",
        ],
    );
    let info = json(&succeed(folder, &["info", "f.wmesh", "--json"]));
    assert_eq!(info["grid"]["cell_size"], 0.25);
    assert!((info["agent"]["radius"].as_f64().expect("a number") - 0.2).abs() < 1e-6);
    for (file, text, expected) in [
        ("bad.toml", "cell-sise = 0.5\n", "bad.toml: line 1: cell-sise is no setting"),
        ("flag.toml", "check = 3\n", "line 1: check must be true or false, is 3"),
        ("text.toml", "cell-size =\n", "text.toml is not a settings file"),
    ] {
        std::fs::write(folder.join(file), text).expect("a file");
        let message = fail(folder, 1, &["build", "hall.obj", "--config", file]);
        assert!(message.contains(expected), "{message}");
    }
    std::fs::write(folder.join("value.toml"), "cell-size = \"wide\"\n").expect("a file");
    assert!(fail(folder, 2, &["build", "hall.obj", "--config", "value.toml"]).contains("--cell-size"));
}

#[test]
fn every_setting_of_a_command_can_stand_in_the_file() {
    let folder = hall();
    let folder = folder.path();
    let build = "output = \"all.wmesh\"\nreport = \"r.json\"\ncheck = true\njumps = true\njump-spacing = 3\ntile = 0\nmax-height-error = 2\ncell-size = 0.2\nup = \"y\"\n";
    std::fs::write(folder.join("build.toml"), build).expect("a file");
    succeed(folder, &["build", "hall.obj", "--config", "build.toml", "--jump-length", "2"]);
    assert!(folder.join("all.wmesh").exists());
    assert!(read_json(&folder.join("r.json"))["grid"]["width"].as_u64().expect("a number") >= 100);
    let storeys = "pipeline = \"storeys\"\nseed = [[2, 0, 2]]\noutput = \"s.wmesh\"\n";
    std::fs::write(folder.join("storeys.toml"), storeys).expect("a file");
    succeed(folder, &["build", "hall.obj", "--config", "storeys.toml"]);
    let path = "from = [3, 0, 3]\nto = \"17,0,3\"\nshortest = true\n";
    std::fs::write(folder.join("path.toml"), path).expect("a file");
    let found = succeed(folder, &["path", "all.wmesh", "--config", "path.toml"]);
    assert!(found.starts_with("complete"), "{found}");
    succeed(folder, &["plan", "--example", "house.toml"]);
    std::fs::write(
        folder.join("plan.toml"),
        "agent-radius = 0.4\njoin = \"round\"\nshrink-walkable = true\n",
    )
    .expect("a file");
    succeed(folder, &["plan", "house.toml", "--config", "plan.toml"]);
    let info = json(&succeed(folder, &["info", "house.wmesh", "--json"]));
    assert!((info["agent"]["radius"].as_f64().expect("a number") - 0.4).abs() < 1e-6);
}

#[test]
fn scale_and_up_axis_are_taken_to_metres_and_y() {
    let folder = hall();
    let folder = folder.path();
    // The hall in centimetres, z up.
    let turned: String = HALL
        .lines()
        .map(|line| match line.strip_prefix("v ").map(|rest| rest.split(' ').collect::<Vec<_>>()) {
            Some(xyz) => {
                let number = |text: &str| text.parse::<f32>().expect("a number") * 100.0;
                format!("v {} {} {}\n", number(xyz[0]), -number(xyz[2]), number(xyz[1]))
            }
            None => format!("{line}\n"),
        })
        .collect();
    std::fs::write(folder.join("cad.obj"), turned).expect("a file");
    succeed(folder, &["build", "hall.obj", "-o", "a.wmesh"]);
    succeed(folder, &["build", "cad.obj", "-o", "b.wmesh", "--up", "z", "--scale", "0.01"]);
    let area =
        |file| json(&succeed(folder, &["info", file, "--json"]))["mesh_area"].as_f64().expect("a number");
    assert!((area("a.wmesh") - area("b.wmesh")).abs() < 0.02 * area("a.wmesh"));
}

#[test]
fn failures_name_what_is_wrong_and_exit_with_1() {
    let folder = hall();
    let folder = folder.path();
    std::fs::write(folder.join("index.obj"), "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 9\n").expect("a file");
    std::fs::write(folder.join("empty.obj"), "").expect("a file");
    std::fs::write(folder.join("cut.glb"), b"glTF\x02\0\0\0").expect("a file");
    std::fs::write(folder.join("what.xyz"), "hello").expect("a file");
    std::fs::write(folder.join("nan.obj"), "v nan 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n").expect("a file");
    for (words, expected) in [
        (vec!["build", "missing.obj"], "missing.obj"),
        (vec!["build", "index.obj"], "9"),
        (vec!["build", "empty.obj"], "empty.obj"),
        (vec!["build", "cut.glb"], "cut.glb"),
        (vec!["build", "what.xyz"], "what.xyz"),
        (vec!["build", "nan.obj"], "no usable triangle"),
        (vec!["build", "hall.obj", "--cell-size", "0"], "--cell-size"),
        (vec!["build", "hall.obj", "--cell-size", "-1"], "--cell-size"),
        (vec!["build", "hall.obj", "--cell-size", "NaN"], "--cell-size"),
        (vec!["build", "hall.obj", "--cell-size", "0.00001"], "cell size"),
        (vec!["build", "hall.obj", "--agent-radius", "50"], "radius"),
        (vec!["build", "hall.obj", "-o", "no/such/folder/x.wmesh"], "x.wmesh"),
        (vec!["info", "hall.obj"], "hall.obj"),
        (vec!["info", "missing.wmesh"], "missing.wmesh"),
    ] {
        let message = fail(folder, 1, &words);
        assert!(message.contains(expected), "{words:?}: {message}");
    }
    succeed(folder, &["build", "hall.obj"]);
    let mut damaged = std::fs::read(folder.join("hall.wmesh")).expect("a file");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 4;
    std::fs::write(folder.join("damaged.wmesh"), &damaged).expect("a file");
    assert!(fail(folder, 1, &["info", "damaged.wmesh"]).contains("damaged.wmesh"));
    let message = fail(folder, 1, &["path", "hall.wmesh", "--from", "500,0,0", "--to", "1,0,1"]);
    assert!(message.contains("500"), "{message}");
}

#[test]
fn wrong_usage_exits_with_2() {
    let folder = hall();
    let folder = folder.path();
    for words in [
        vec![],
        vec!["bake"],
        vec!["build"],
        vec!["build", "hall.obj", "--cell-size", "wide"],
        vec!["build", "hall.obj", "--up", "x"],
        vec!["path", "hall.wmesh", "--from", "1,2", "--to", "1,2,3"],
        vec!["demo", "--scene", "nowhere"],
    ] {
        fail(folder, 2, &words);
    }
}

#[test]
fn the_demo_names_its_files_on_the_last_lines() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    let out = succeed(folder, &["demo"]);
    assert!(out.contains("complete"), "{out}");
    let files: Vec<&str> = out.lines().rev().take(4).collect();
    for file in files {
        assert!(folder.join(file).metadata().expect(file).len() > 0, "{file}");
    }
    let info = json(&succeed(folder, &["info", "out/overlapping-storeys.wmesh", "--json"]));
    assert_eq!(info["valid"], true);
}

#[test]
fn jumps_become_links() {
    let folder = hall();
    let folder = folder.path();
    succeed(folder, &["scene", "terraces", "--output", "t.stl"]);
    let links = |options: &[&str]| {
        succeed(folder, &[&["build", "t.stl", "--report", "r.json", "--svg", "t.svg"], options].concat());
        read_json(&folder.join("r.json"))["links"].as_u64().expect("a number")
    };
    assert_eq!(links(&[]), 0);
    let all = links(&["--jumps"]);
    let drops = links(&["--jumps", "--jump-length", "0"]);
    let jumps = links(&["--jumps", "--drop-height", "0"]);
    // A candidate for both is a drop.
    assert!(drops > 0 && jumps > 0 && all <= drops + jumps, "{drops} and {jumps}, {all} together");
    assert_eq!(links(&["--jumps", "--jump-length", "0", "--drop-height", "0"]), 0);
    assert!(fail(folder, 1, &["build", "t.stl", "--jumps", "--jump-rise=-1"]).contains("--jump-rise is -1"));
    // Tiles leave no trace.
    assert_eq!(links(&["--jumps", "--tile", "64"]), all);
    assert!(links(&["--jumps", "--pipeline", "storeys"]) > 0);
    assert!(
        fail(folder, 1, &["build", "t.stl", "--pipeline", "storeys", "--tiles", "t"]).contains("--tiles")
    );
    let refused = fail(folder, 1, &["build", "t.stl", "--pipeline", "storeys", "--max-ledge", "2"]);
    assert!(refused.contains("--max-ledge cannot be used with storeys"), "{refused}");
    fail(folder, 2, &["build", "t.stl", "--jump-length", "1"]);
}

/// Tiles joined from a folder take the same settings as a bake at once.
#[test]
fn merged_tiles_are_kept_and_linked_like_a_bake() {
    let folder = hall();
    let folder = folder.path();
    succeed(folder, &["scene", "terraces", "--output", "t.stl"]);
    succeed(folder, &["build", "t.stl", "--tile", "64", "--tiles", "tiles", "--output", "tiled.wmesh"]);
    let choices = ["--jumps", "--keep", "20", "--enclosed", "remove"];
    succeed(folder, &[&["build", "t.stl", "--output", "whole.wmesh"], &choices[..]].concat());
    let merge = ["merge", "tiles", "--output", "merged.wmesh"];
    let refused = fail(folder, 1, &[&merge[..], &choices[..]].concat());
    assert!(refused.contains("give the scene"), "{refused}");
    succeed(folder, &[&merge[..], &choices[..], &["--scene", "t.stl"]].concat());
    let bytes = |file: &str| std::fs::read(folder.join(file)).expect("a mesh");
    assert!(bytes("merged.wmesh") == bytes("whole.wmesh"));
    assert!(bytes("merged.wmesh") != bytes("tiled.wmesh"));
    fail(folder, 2, &["build", "t.stl", "--keep", "most"]);
    assert!(fail(folder, 1, &["build", "t.stl", "--keep", "1e9"]).contains("nothing is walkable"));
}

#[test]
fn an_indexed_job_bakes_the_bytes_of_one_machine() {
    let folder = hall();
    let folder = folder.path();
    succeed(folder, &["build", "hall.obj", "-o", "whole.wmesh"]);
    let tile = ["tile", "hall.obj", "--tile", "48", "--tiles", "parts"];
    let with = |more: &[&'static str]| [&tile[..], more].concat();
    let listed = succeed(folder, &with(&["--list"]));
    assert!(listed.starts_with("5 x 5 tiles of 48 cells") && listed.contains("\n4,1 tile_4_1.bin missing\n"));
    for index in ["0", "2"] {
        succeed(folder, &with(&["--index", index, "--of", "3"]));
    }
    let error = fail(folder, 1, &["merge", "parts"]);
    assert!(error.contains("8 of 25 tiles are missing") && error.contains(" 1,0 4,0 "), "{error}");
    let list = json(&succeed(folder, &with(&["--list", "--json"])));
    assert_eq!(keys(&list), ["columns", "fingerprint", "rows", "tile_cells", "tiles"]);
    assert_eq!(keys(&list["tiles"][7]), ["column", "file", "is_done", "row"]);
    let done = list["tiles"].as_array().expect("tiles").iter().filter(|tile| tile["is_done"] == true);
    assert_eq!(done.count(), 17);
    // The last worker comes while the merge waits.
    let merge = std::thread::scope(|scope| {
        let merge = scope.spawn(|| run(folder, &["merge", "parts", "-o", "merged.wmesh", "--wait", "60"]));
        succeed(folder, &with(&["--index", "1", "--of", "3"]));
        merge.join().expect("no panic")
    });
    assert_eq!(merge.status.code(), Some(0), "{}", text(&merge.stderr));
    let bytes = |file: &str| std::fs::read(folder.join(file)).expect("a mesh");
    assert!(bytes("merged.wmesh") == bytes("whole.wmesh"));

    for more in [&["--index", "0"][..], &["--of", "3"], &[], &["--at", "0,0", "--index", "0", "--of", "2"]] {
        fail(folder, 2, &with(more));
    }
    assert!(fail(folder, 1, &with(&["--index", "3", "--of", "3"])).contains("index 3 of 3"));
    let nowhere = ["tile", "hall.obj", "--index", "0", "--of", "1"];
    assert!(fail(folder, 1, &nowhere).contains("--tiles"));
}
