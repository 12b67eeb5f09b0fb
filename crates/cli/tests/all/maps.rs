//! `waymesh map` and paths as GeoJSON: what robots and maps read.

use crate::common;
use common::{fail, json, read_json, succeed};

/// Rows of a map, `#` blocked, and its description. The origin is off the grid of cells.
const ROWS: [&str; 6] =
    ["############", "#....##....#", "#....##....#", "#..........#", "#.#..##....#", "############"];
const DESCRIPTION: &str = "image: yard.pgm\nresolution: 0.5\norigin: [-3.25, 7.5, 0]\nnegate: 0\n\
                           occupied_thresh: 0.65\nfree_thresh: 0.25\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let cells = ROWS.join("").replace('.', "\u{fe}").replace('#', "\0");
    let mut picture = b"P5\n12 6\n255\n".to_vec();
    picture.extend(cells.chars().map(|cell| u8::try_from(u32::from(cell)).expect("a grey")));
    std::fs::write(folder.path().join("yard.pgm"), picture).expect("a file");
    std::fs::write(folder.path().join("yard.yaml"), DESCRIPTION).expect("a file");
    succeed(folder.path(), &["plan", "yard.yaml", "--agent-radius", "0", "-o", "yard.wmesh"]);
    folder
}

/// Width and cells of a picture.
fn picture(file: &std::path::Path) -> (usize, Vec<u8>) {
    let bytes = std::fs::read(file).expect("a picture");
    let ends: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] == b'\n').take(3).collect();
    let size = String::from_utf8(bytes[ends[0] + 1..ends[1]].to_vec()).expect("a size");
    (size.split(' ').next().expect("a width").parse().expect("a number"), bytes[ends[2] + 1..].to_vec())
}

#[test]
fn a_map_that_was_read_is_written_again() {
    let folder = folder();
    let folder = folder.path();
    let out = succeed(folder, &["map", "yard.wmesh", "-o", "again.yaml", "--resolution", "0.5"]);
    assert!(out.contains("again.yaml") && out.contains("again.pgm"), "{out}");
    // The blocked border is not ground, so the map begins a cell further in.
    let (width, cells) = picture(&folder.join("again.pgm"));
    let expected: Vec<u8> = ROWS[1..5].iter().flat_map(|row| row.bytes().skip(1).take(10)).collect();
    assert_eq!((width, cells.len()), (10, 40));
    for (cell, expected) in cells.iter().zip(&expected) {
        assert_eq!(*cell, if *expected == b'.' { 254 } else { 0 });
    }
    let description = std::fs::read_to_string(folder.join("again.yaml")).expect("a description");
    assert!(description.contains("image: \"again.pgm\"\n"), "{description}");
    let origin = description.lines().find_map(|line| line.strip_prefix("origin: [")).expect("an origin");
    let origin: Vec<f64> =
        origin.trim_end_matches(']').split(", ").map(|number| number.parse().expect("a number")).collect();
    assert!((origin[0] + 2.75).abs() < 1e-3 && (origin[1] - 8.0).abs() < 1e-3, "{origin:?}");
    // And read again: the same ground.
    succeed(folder, &["plan", "again.yaml", "--agent-radius", "0", "-o", "again.wmesh"]);
    let areas = ["yard.wmesh", "again.wmesh"].map(|mesh| {
        json(&succeed(folder, &["info", mesh, "--json"]))["mesh_area"].as_f64().expect("an area")
    });
    assert!((areas[0] - 8.25).abs() < 1e-3 && (areas[0] - areas[1]).abs() < 1e-3, "{areas:?}");
}

#[test]
fn ground_is_brighter_far_from_walls() {
    let folder = folder();
    let folder = folder.path();
    succeed(folder, &["map", "yard.wmesh", "-o", "costs.yaml", "--resolution", "0.25", "--distance", "1"]);
    let (width, cells) = picture(&folder.join("costs.pgm"));
    assert_eq!(width, 20);
    let at = |x: usize, row: usize| cells[row * width + x];
    // Middles of cells are an odd number of eighths of a metre from the walls of the room on the right.
    let grey = |metres: f32| 3.0 + 251.0 * metres;
    for (x, metres) in [(19, 0.125), (18, 0.375), (17, 0.625), (16, 0.875)] {
        assert!((f32::from(at(x, 3)) - grey(metres)).abs() <= 1.0, "{x}: {}", at(x, 3));
    }
    assert_eq!(at(10, 0), 0, "a wall");
    let description = std::fs::read_to_string(folder.join("costs.yaml")).expect("a description");
    assert!(description.contains("mode: scale"), "{description}");
}

/// Each storey of a house has a separate map.
#[test]
fn storeys_have_maps() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    succeed(folder, &["plan", "--example", "house.toml"]);
    succeed(folder, &["plan", "house.toml"]);
    let ground = |words: &[&str]| {
        succeed(folder, &[&["map", "house.wmesh", "-o", "storey.yaml"], words].concat());
        picture(&folder.join("storey.pgm")).1.iter().filter(|grey| **grey > 0).count()
    };
    let [lower, upper, above] = [&["--height", "0"][..], &["--height", "3"], &["--height", "9"]].map(ground);
    assert!(lower > 1000 && upper > 1000 && lower != upper && above == 0, "{lower}, {upper}, {above}");
    assert!(ground(&[]) >= upper);
}

#[test]
fn wrong_maps_are_refused() {
    let folder = folder();
    let folder = folder.path();
    for (words, text) in [
        (&["--resolution", "0"][..], "--resolution is 0, but must be finite and above 0 m"),
        (&["--resolution", "0.0001"], "at most 67108864 cells"),
        (&["--distance", "-1"], "--distance is -1"),
        (&["--height", "nan"], "--height is NaN"),
        (&["-o", "map.png"], "ends in .yaml or .yml"),
        (&["-o", "-"], "two files"),
    ] {
        let found = fail(folder, 1, &[&["map", "yard.wmesh"], words].concat());
        assert!(found.contains(text), "{words:?}: {found}");
    }
}

#[test]
fn a_path_is_a_line_in_the_coordinates_of_its_plan() {
    let folder = folder();
    let folder = folder.path();
    let words =
        ["path", "yard.wmesh", "--from", "-2.5,0,-8.75", "--to", "2,0,-8.75", "--geojson", "path.geojson"];
    succeed(folder, &words);
    let line = read_json(&folder.join("path.geojson"));
    assert_eq!((&line["type"], &line["geometry"]["type"]), (&"Feature".into(), &"LineString".into()));
    assert_eq!(line["properties"]["outcome"], "complete");
    let first = &line["geometry"]["coordinates"][0];
    let near = |value: &serde_json::Value, expected: f64| {
        (value.as_f64().expect("a number") - expected).abs() < 0.01
    };
    assert!(near(&first[0], -2.5) && near(&first[1], 8.75) && near(&first[2], 0.0), "{first}");
    // In degrees, around a place of the equator.
    succeed(folder, &[&words[..], &["--geo-origin", "20,0"]].concat());
    let line = read_json(&folder.join("path.geojson"));
    let first = &line["geometry"]["coordinates"][0];
    let metres = [0, 1].map(|axis| first[axis].as_f64().expect("a number"));
    assert!((metres[0] - 20.0 + 2.5 / 111_319.5).abs() < 1e-7 && (metres[1] - 8.75 / 110_574.0).abs() < 1e-7);
    for (given, text) in [("20", "a longitude and a latitude"), ("200,0", "geo_origin is 200")] {
        let words = [&words[..], &["--geo-origin", given]].concat();
        assert!(fail(folder, 2, &words).contains(text), "{given}");
    }
    let both = [&words[..], &["--svg", "path.geojson"]].concat();
    assert!(fail(folder, 1, &both).contains("ends in .svg"));
}
