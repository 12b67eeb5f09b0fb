//! Paths over hills: points on the ground, and lengths in plan and in space.

use crate::common;
use std::fmt::Write;
use std::path::Path;

use common::{fail, json, succeed};
use serde_json::Value;

/// A grid of ground, half a metre a cell, with the height of each corner.
fn ground(folder: &Path, name: &str, [width, depth]: [u16; 2], height: impl Fn(f64, f64) -> f64) {
    let mut obj = String::new();
    for z in 0..=depth {
        for x in 0..=width {
            let (x, z) = (f64::from(x) / 2.0, f64::from(z) / 2.0);
            let _ = writeln!(obj, "v {x} {} {z}", height(x, z));
        }
    }
    for (x, z) in (0..width).flat_map(|x| (0..depth).map(move |z| (x, z))) {
        let row = width + 1;
        let [a, b] = [z * row + x + 1, (z + 1) * row + x + 1];
        let _ = writeln!(obj, "f {a} {b} {} {}", b + 1, a + 1);
    }
    std::fs::write(folder.join(name), obj).expect("a file");
}

fn points(path: &Value) -> Vec<[f64; 3]> {
    let points = path["points"].as_array().expect("points");
    let number = |value: &Value| value.as_f64().expect("a number");
    points.iter().map(|point| [0, 1, 2].map(|axis| number(&point[axis]))).collect()
}

fn number(path: &Value, key: &str) -> f64 {
    path[key].as_f64().expect("a number")
}

#[test]
fn a_path_over_a_hill_follows_it_and_has_its_length() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    let hill = |x: f64, z: f64| {
        let far = ((x - 12.0).powi(2) + (z - 8.0).powi(2)).sqrt();
        if far < 9.0 { 2.5 * (1.0 + (std::f64::consts::PI * far / 9.0).cos()) } else { 0.0 }
    };
    ground(folder, "hill.obj", [48, 32], hill);
    succeed(folder, &["build", "hill.obj"]);
    let arc: f64 = (0..2000)
        .map(|step| {
            let x = |step: i32| 2.0 + 20.0 * f64::from(step) / 2000.0;
            (x(step + 1) - x(step)).hypot(hill(x(step + 1), 8.0) - hill(x(step), 8.0))
        })
        .sum();
    let words = ["path", "hill.wmesh", "--from", "2,0,8", "--to", "22,0,8"];
    for more in
        [&[][..], &["--shortest"], &["--shortest", "--no-rises"], &["--relax", "0.2"], &["--hierarchy"]]
    {
        let path = json(&succeed(folder, &[&words[..], more, &["--json"]].concat()));
        assert!((number(&path, "plan_length") - 20.0).abs() < 0.05, "{more:?}: {path}");
        assert!((number(&path, "length") - arc).abs() < 0.15, "{more:?}: {arc} m over the top, {path}");
        for pair in points(&path).windows(2) {
            let [a, b] = [pair[0], pair[1]];
            for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
                let at = [0, 1, 2].map(|axis| a[axis] + (b[axis] - a[axis]) * share);
                // The error of the mesh itself comes on top.
                assert!((at[1] - hill(at[0], at[2])).abs() < 0.4, "{more:?}: {at:?}");
            }
        }
    }
    let rough = json(&succeed(folder, &[&words[..], &["--ground-error", "2", "--json"]].concat()));
    let fine = json(&succeed(folder, &[&words[..], &["--ground-error", "0.01", "--json"]].concat()));
    assert!(points(&rough).len() < points(&fine).len());
    assert!((number(&rough, "length") - number(&fine, "length")).abs() < 1e-3);
    let text = succeed(folder, &words);
    assert!(text.contains(" m in plan) over "), "{text}");
    // A disc follows the ground, too, and so does a path whose corners are moved.
    for more in [["--radius", "0.4"], ["--corner-offset", "0.3"]] {
        let path = json(&succeed(folder, &[&words[..], &more, &["--json"]].concat()));
        assert!((number(&path, "length") - arc).abs() < 0.15, "{more:?}: {path}");
        assert!(points(&path).iter().any(|point| point[1] > 4.5), "{more:?}: {path}");
    }
    fail(folder, 1, &[&words[..], &["--ground-error", "-1"]].concat());
}

#[test]
fn the_shortest_path_goes_round_a_ridge_where_that_is_shorter() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    // Two slopes of 42 degrees, 4.5 m high, next to flat ground below a wall.
    let mut obj = String::new();
    for [a, b] in [[0.0, 8.0], [18.0, 26.0]] {
        let _ = writeln!(obj, "v {a} 0 0\nv {a} 0 12\nv {b} 0 12\nv {b} 0 0\nf -4 -3 -2 -1");
    }
    obj.push_str("v 8 0 5\nv 8 0 12\nv 18 0 12\nv 18 0 5\nf -4 -3 -2 -1\n");
    obj.push_str("v 8 0 0\nv 8 0 5\nv 13 4.5 5\nv 13 4.5 0\nf -4 -3 -2 -1\n");
    obj.push_str("v 13 4.5 0\nv 13 4.5 5\nv 18 0 5\nv 18 0 0\nf -4 -3 -2 -1\n");
    obj.push_str("v 8 0 5\nv 18 0 5\nv 13 4.5 5\nf -3 -2 -1\n");
    std::fs::write(folder.join("ridge.obj"), obj).expect("a file");
    let build =
        ["build", "ridge.obj", "--cell-size", "0.1", "--level-height", "0.1", "--agent-radius", "0.3"];
    succeed(folder, &build);
    let ends = [["4,0,3", "22,0,3"], ["22,0,3", "4,0,3"]];
    for [from, to] in ends {
        let words = ["path", "ridge.wmesh", "--from", from, "--to", to, "--json", "--shortest"];
        let round = json(&succeed(folder, &words));
        let over = json(&succeed(folder, &[&words[..], &["--no-rises"]].concat()));
        assert!(points(&round).iter().all(|point| point[1] < 0.3), "{round}");
        assert!(points(&over).iter().any(|point| point[1] > 4.0), "{over}");
        assert!(number(&round, "plan_length") > number(&over, "plan_length") + 0.5);
        assert!(number(&round, "length") < number(&over, "length") - 1.0, "{round} {over}");
    }
}
