//! Scenes that are baked wrongly unless their files are read with care, and what the program says
//! of them.

use crate::common;
use std::path::Path;

use common::{json, run, succeed, text};

/// A floor of 12 by 8 m with walls, 3 m high, and a wall with a door across it. The walls have both
/// sides; z is up in the file, or y.
fn room(is_z_up: bool, far: f64) -> String {
    let mut vertices = String::new();
    let mut faces = String::new();
    let mut count = 0;
    let mut quad = |corners: [[f64; 3]; 4]| {
        for [x, y, z] in corners {
            let [x, y, z] = if is_z_up { [x, far - z, y] } else { [x, y, far + z] };
            vertices += &format!("v {x} {y} {z}\n");
            count += 1;
        }
        faces += &format!("f {} {} {} {}\n", count - 3, count - 2, count - 1, count);
    };
    quad([[0., 0., 0.], [0., 0., 8.], [12., 0., 8.], [12., 0., 0.]]);
    let corners = [[0., 0.], [12., 0.], [12., 8.], [0., 8.]];
    let mut wall = |[ax, az]: [f64; 2], [bx, bz]: [f64; 2]| {
        let corners = [[ax, 0., az], [bx, 0., bz], [bx, 3., bz], [ax, 3., az]];
        quad(corners);
        let [a, b, c, d] = corners;
        quad([d, c, b, a]);
    };
    (0..4).for_each(|side| wall(corners[side], corners[(side + 1) % 4]));
    wall([6., 0.], [6., 3.]);
    wall([6., 5.], [6., 8.]);
    vertices + &faces
}

/// Bakes a scene. Returns its area and what was written to standard error.
fn build(folder: &Path, words: &[&str]) -> (f64, String) {
    let output = run(folder, &[&["build", "--json", "-o", "m.wmesh"], words].concat());
    let messages = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{messages}");
    (json(&text(&output.stdout))["mesh_area"].as_f64().expect("an area"), messages)
}

#[test]
fn floors_that_face_down_are_named_and_turned() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    let floor = "v 0 0 0\nv 0 0 10\nv 20 0 10\nv 20 0 0\n";
    std::fs::write(folder.join("up.obj"), format!("{floor}f 1 2 3 4\n")).expect("a file");
    std::fs::write(folder.join("down.obj"), format!("{floor}f 4 3 2 1\n")).expect("a file");
    std::fs::write(folder.join("half.obj"), format!("{floor}f 1 2 3\nf 4 3 1\n")).expect("a file");
    let (expected, messages) = build(folder, &["up.obj"]);
    assert_eq!(messages, "");
    for pipeline in ["voxels", "storeys", "slices"] {
        let output = run(folder, &["build", "down.obj", "--pipeline", pipeline]);
        let messages = text(&output.stderr);
        assert!(messages.contains("100 % of the level area faces down"), "{pipeline}: {messages}");
        assert!(messages.contains("--flip") && messages.contains("--two-sided"), "{pipeline}: {messages}");
    }
    assert_eq!(build(folder, &["down.obj", "--flip"]), (expected, String::new()));
    assert_eq!(build(folder, &["down.obj", "--two-sided"]), (expected, String::new()));
    let (area, messages) = build(folder, &["half.obj"]);
    assert!(area < 0.6 * expected && messages.contains("100.0 m2"), "{messages}");
    assert!(messages.contains("try --two-sided"), "{messages}");
    assert_eq!(build(folder, &["half.obj", "--two-sided"]), (expected, String::new()));
}

#[test]
fn a_room_on_its_side_is_recognised() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    std::fs::write(folder.join("z.obj"), room(true, 0.0)).expect("a file");
    std::fs::write(folder.join("y.obj"), room(false, 0.0)).expect("a file");
    let (expected, messages) = build(folder, &["y.obj"]);
    assert_eq!(messages, "");
    assert_eq!(build(folder, &["z.obj", "--up", "z"]), (expected, String::new()));
    assert!(build(folder, &["z.obj"]).1.contains("try --up z"));
    assert!(text(&run(folder, &["build", "y.obj", "--up", "z"]).stderr).contains("try --up y"));
}

#[test]
fn a_scene_far_from_the_origin_is_named_and_moved() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    let fine = ["--cell-size", "0.05", "--level-height", "0.1", "--agent-radius", "0.25"];
    for is_z_up in [false, true] {
        std::fs::write(folder.join("far.obj"), room(is_z_up, 5_400_000.2)).expect("a file");
        std::fs::write(folder.join("near.obj"), room(is_z_up, 0.2)).expect("a file");
        let up = ["--up", if is_z_up { "z" } else { "y" }];
        let (expected, messages) = build(folder, &[&["near.obj"], &fine[..], &up].concat());
        assert_eq!(messages, "");
        let (_, messages) = build(folder, &[&["far.obj"], &fine[..], &up].concat());
        let wanted = if is_z_up { "--origin 6,5399996,2" } else { "--origin 6,2,5400004" };
        assert!(messages.contains("rounds coordinates to 0.5 m") && messages.contains(wanted), "{messages}");
        let origin = if is_z_up { "0,5400000,0" } else { "0,0,5400000" };
        let (area, messages) = build(folder, &[&["far.obj", "--origin", origin], &fine[..], &up].concat());
        assert_eq!(messages, "");
        assert!((area - expected).abs() < 0.01 * expected, "{area} instead of {expected}");
        succeed(folder, &["path", "m.wmesh", "--from", "2,0,4", "--to", "10,0,4"]);
    }
}

/// Height maps and cities have z up, whatever the arguments say.
#[test]
fn a_map_far_from_the_origin_is_moved_as_its_file_counts() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    let rows = format!("{0}\n{0}\n{0}\n{0}\n", "2 2 2 2 2");
    let head = "ncols 5\nnrows 4\nxllcorner 400000\nyllcorner 5400000\ncellsize 2\n";
    std::fs::write(folder.join("field.asc"), format!("{head}{rows}")).expect("a file");
    let city = r#"{"CityObjects":{"field":{"type":"LandUse","geometry":[{"type":"MultiSurface","lod":"1",
        "boundaries":[[[0,1,2,3]]]}]}},"type":"CityJSON","version":"2.0",
        "transform":{"scale":[0.5,0.5,0.5],"translate":[400000,5400000,0]},
        "vertices":[[0,0,4],[20,0,4],[20,20,4],[0,20,4]]}"#;
    std::fs::write(folder.join("field.json"), city).expect("a file");
    for file in ["field.asc", "field.json"] {
        let (_, messages) = build(folder, &[file]);
        let advice = messages.split("--origin ").nth(1).and_then(|rest| rest.split_whitespace().next());
        let advice = advice.unwrap_or_else(|| panic!("{file}: {messages}"));
        assert!(advice.starts_with("40000") && advice.contains(",540000"), "{file}: {messages}");
        let (area, messages) = build(folder, &[file, "--origin", advice]);
        assert!(area > 35.0 && messages.is_empty(), "{file}: {area} m2, {messages}");
        succeed(folder, &["path", "m.wmesh", "--from", "1,0,1", "--to", "-1,0,-1"]);
    }
}

/// The U of a single face is the U of six triangles.
#[test]
fn concave_faces_are_walked_round_their_notch() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let folder = folder.path();
    let vertices = "v 0 0 0\nv 0 0 10\nv 10 0 10\nv 10 0 0\nv 7 0 0\nv 7 0 7\nv 3 0 7\nv 3 0 0\n";
    let six = "f 1 2 8\nf 2 7 8\nf 2 3 7\nf 3 6 7\nf 3 4 6\nf 4 5 6\n";
    std::fs::write(folder.join("face.obj"), format!("{vertices}f 1 2 3 4 5 6 7 8\n")).expect("a file");
    std::fs::write(folder.join("six.obj"), format!("{vertices}{six}")).expect("a file");
    let path = |scene: &str| {
        let (area, messages) = build(folder, &[scene, "--pipeline", "slices"]);
        assert_eq!(messages, "");
        let words = ["path", "m.wmesh", "--from", "1,0,1", "--to", "9,0,1", "--shortest", "--json"];
        let length = json(&succeed(folder, &words))["length"].as_f64().expect("a length");
        (area, length)
    };
    let (face, six) = (path("face.obj"), path("six.obj"));
    assert!((face.0 - six.0).abs() < 1e-3 && (face.1 - six.1).abs() < 1e-3, "{face:?}, {six:?}");
    assert!((face.1 - 16.65).abs() < 0.01, "{face:?}");
}
