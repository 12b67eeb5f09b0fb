//! glTF: transforms, primitives, accessors, buffers, and what is refused.

use crate::common;
use std::path::Path;

use common::*;
use glam::{Mat4, Quat, Vec3};
use waymesh_core::{AreaId, TriangleSoup};
use waymesh_io::{
    AreaMap, IoError, LoadOptions, Place, SurfaceNames, Winding, load, load_with_names, parse_scene,
};

/// A scene over the small buffer: its nodes, primitives, and further members of the document.
fn scene(nodes: &str, primitives: &str, accessors: &str, more: &str) -> Vec<u8> {
    let data = base64(&gltf_buffer());
    format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":{nodes},"meshes":[{{"primitives":{primitives}}}],
        "accessors":{accessors},"bufferViews":[{{"buffer":0,"byteLength":60}},
        {{"buffer":0,"byteOffset":60,"byteLength":18}},{{"buffer":0,"byteLength":78}}],
        "buffers":[{{"byteLength":78,"uri":"data:;base64,{data}"}}]{more}}}"#
    )
    .into_bytes()
}

const PRIMITIVE: &str = r#"[{"attributes":{"POSITION":0},"indices":1}]"#;
const ACCESSORS: &str = r#"[{"bufferView":0,"componentType":5126,"count":5,"type":"VEC3"},
    {"bufferView":1,"componentType":5123,"count":9,"type":"SCALAR"}]"#;

fn placed(nodes: &str, more: &str) -> Result<TriangleSoup, IoError> {
    parse("a.gltf", scene(nodes, PRIMITIVE, ACCESSORS, more))
}

fn moved(by: Mat4) -> Vec<[[f32; 3]; 3]> {
    expected().into_iter().map(|t| t.map(|p| by.transform_point3(Vec3::from(p)).to_array())).collect()
}

fn assert_close(found: &[[[f32; 3]; 3]], wanted: &[[[f32; 3]; 3]]) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().flatten().flatten().zip(wanted.iter().flatten().flatten()) {
        assert!((found - wanted).abs() < 1e-5, "{found} is not {wanted}");
    }
}

#[test]
fn transforms_of_nested_nodes_are_applied_parents_last() {
    let nodes = r#"[{"children":[2],"translation":[10,0,0],"scale":[2,2,2]},{"mesh":0},
        {"rotation":[0,0.70710678,0,0.70710678],"mesh":0}]"#;
    let soup = placed(nodes, r#","scenes":[{"nodes":[0]}]"#).unwrap();
    let parent = Mat4::from_scale_rotation_translation(Vec3::splat(2.0), Quat::IDENTITY, Vec3::X * 10.0);
    assert_close(&corners(&soup), &moved(parent * Mat4::from_rotation_y(std::f32::consts::FRAC_PI_2)));
}

#[test]
fn a_matrix_is_read_column_by_column() {
    let matrix = Mat4::from_scale_rotation_translation(
        Vec3::new(1.0, 2.0, 3.0),
        Quat::from_rotation_x(0.5),
        Vec3::new(4.0, 5.0, 6.0),
    );
    let nodes = format!(r#"[{{"mesh":0,"matrix":{:?}}}]"#, matrix.to_cols_array());
    assert_close(&corners(&placed(&nodes, "").unwrap()), &moved(matrix));
}

#[test]
fn the_default_scene_is_read_or_the_first_or_all_roots() {
    let nodes = r#"[{"mesh":0},{"mesh":0,"translation":[1,0,0]},{"children":[3]},{"mesh":0}]"#;
    let count = |more| placed(nodes, more).unwrap().triangles().len();
    assert_eq!(count(r#","scene":1,"scenes":[{"nodes":[0]},{"nodes":[0,1]}]"#), 6);
    assert_eq!(count(r#","scenes":[{"nodes":[0]},{"nodes":[0,1]}]"#), 3);
    assert_eq!(count(""), 9);
}

#[test]
fn mirrored_transforms_keep_floors_floors() {
    let up = |soup: &TriangleSoup| {
        let [a, b, c] = soup.corners(0);
        (b - a).cross(c - a).y > 0.0
    };
    assert!(up(&placed(r#"[{"mesh":0}]"#, "").unwrap()));
    assert!(up(&placed(r#"[{"mesh":0,"scale":[-1,1,1]}]"#, "").unwrap()));
    assert!(up(&placed(r#"[{"mesh":0,"scale":[-1,1,-1]}]"#, "").unwrap()));
    let twice = r#"[{"children":[1],"scale":[-1,1,1]},{"mesh":0,"scale":[1,1,-1]}]"#;
    assert!(up(&placed(twice, "").unwrap()));
    assert!(
        !up(&placed(r#"[{"mesh":0,"scale":[1,-1,1]}]"#, "").unwrap()),
        "a floor upside down is a ceiling"
    );
}

#[test]
fn strips_fans_and_lists_without_indices_are_read_and_lines_skipped() {
    let read = |mode: u32, count: u32| {
        let primitive = format!(r#"[{{"attributes":{{"POSITION":0}},"mode":{mode}}}]"#);
        let accessors = format!(r#"[{{"bufferView":0,"componentType":5126,"count":{count},"type":"VEC3"}}]"#);
        parse("a.gltf", scene(r#"[{"mesh":0}]"#, &primitive, &accessors, ""))
    };
    let at = |triangles: &[[usize; 3]]| -> Vec<_> {
        triangles.iter().map(|triangle| triangle.map(|vertex| VERTICES[vertex])).collect()
    };
    assert_eq!(corners(&read(4, 3).unwrap()), at(&[[0, 1, 2]]));
    assert_eq!(corners(&read(5, 5).unwrap()), at(&[[0, 1, 2], [2, 1, 3], [2, 3, 4]]));
    assert_eq!(corners(&read(6, 5).unwrap()), at(&[[1, 2, 0], [2, 3, 0], [3, 4, 0]]));
    for mode in 0..4 {
        assert!(matches!(read(mode, 5), Err(IoError::NoTriangles { .. })));
    }
    assert!(matches!(read(7, 3), Err(IoError::Malformed { .. })));
    assert!(matches!(read(4, 4), Err(IoError::Malformed { .. })), "four corners are no list of triangles");
}

#[test]
fn indices_of_all_widths_are_read() {
    for (kind, bytes) in [
        (5121, vec![0, 1, 2, 0, 2, 3, 0, 3, 4]),
        (5123, gltf_buffer()[60..].to_vec()),
        (5125, [0_u32, 1, 2, 0, 2, 3, 0, 3, 4].into_iter().flat_map(u32::to_le_bytes).collect()),
    ] {
        let buffer = [&gltf_buffer()[..60], &bytes].concat();
        let json = gltf_json(&format!(r#"{{"byteLength":{}}}"#, buffer.len()))
            .replace("5123", &kind.to_string())
            .replace(r#""byteLength":18"#, &format!(r#""byteLength":{}"#, bytes.len()));
        assert_eq!(corners(&parse("a.glb", glb_of(&json, &buffer)).unwrap()), expected());
    }
}

#[test]
fn interleaved_and_quantised_positions_are_read() {
    // Four bytes a vertex: three signed bytes and padding.
    let buffer: Vec<u8> = [[-127_i8, 0, 127, 99], [127, -128, 0, 99], [0, 127, 0, 99]]
        .into_iter()
        .flatten()
        .flat_map(i8::to_le_bytes)
        .collect();
    let json = |normalized: bool| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["KHR_mesh_quantization"],
            "extensionsRequired":["KHR_mesh_quantization"],"nodes":[{{"mesh":0}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5120,"count":3,"type":"VEC3","normalized":{normalized}}}],
            "bufferViews":[{{"buffer":0,"byteLength":12,"byteStride":4}}],"buffers":[{{"byteLength":12}}]}}"#
        )
    };
    let read = |normalized| corners(&parse("a.glb", glb_of(&json(normalized), &buffer)).unwrap());
    assert_eq!(read(true), [[[-1.0, 0.0, 1.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]]]);
    assert_eq!(read(false), [[[-127.0, 0.0, 127.0], [127.0, -128.0, 0.0], [0.0, 127.0, 0.0]]]);
}

#[test]
fn sparse_positions_replace_the_base_or_zeros() {
    let sparse = r#""sparse":{"count":1,"indices":{"bufferView":1,"byteOffset":4,"componentType":5123},
        "values":{"bufferView":0,"byteOffset":48}}"#;
    let read = |base: &str| {
        let accessors = format!(
            r#"[{{{base}"componentType":5126,"count":5,"type":"VEC3",{sparse}}},
            {{"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}}]"#
        );
        corners(&parse("a.gltf", scene(r#"[{"mesh":0}]"#, PRIMITIVE, &accessors, "")).unwrap())
    };
    assert_eq!(read(r#""bufferView":0,"#), [[VERTICES[0], VERTICES[1], VERTICES[4]]]);
    assert_eq!(read(""), [[[0.0; 3], [0.0; 3], VERTICES[4]]]);
}

#[test]
fn primitives_that_share_an_accessor_copy_only_what_they_use() {
    let primitives =
        r#"[{"attributes":{"POSITION":0},"indices":1},{"attributes":{"POSITION":0},"indices":2}]"#;
    let accessors = r#"[{"bufferView":0,"componentType":5126,"count":5,"type":"VEC3"},
        {"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"},
        {"bufferView":1,"byteOffset":12,"componentType":5123,"count":3,"type":"SCALAR"}]"#;
    let soup = parse("a.gltf", scene(r#"[{"mesh":0}]"#, primitives, accessors, "")).unwrap();
    assert_eq!(corners(&soup), [expected()[0], expected()[2]]);
    assert_eq!(soup.positions().len(), 6);
}

#[test]
fn external_buffers_are_found_beside_the_scene() {
    let folder = std::env::temp_dir().join(format!("waymesh-io-{}-external", std::process::id()));
    std::fs::create_dir_all(folder.join("parts")).unwrap();
    std::fs::write(folder.join("parts/my data.bin"), gltf_buffer()).unwrap();
    let file = folder.join("scene.gltf");
    std::fs::write(&file, gltf_json(r#"{"byteLength":78,"uri":"parts/my%20data.bin"}"#)).unwrap();
    assert_eq!(corners(&load(&file).unwrap()), expected());
    std::fs::write(&file, gltf_json(r#"{"byteLength":78,"uri":"missing.bin"}"#)).unwrap();
    match load(&file) {
        Err(IoError::Read { file, .. }) => assert!(file.ends_with("missing.bin")),
        other => panic!("{other:?}"),
    }
    std::fs::write(&file, gltf_json(r#"{"byteLength":79,"uri":"parts/my%20data.bin"}"#)).unwrap();
    match load(&file) {
        Err(IoError::Truncated {
            place: Place::Element { kind: "buffer", index: 0 },
            needed: 79,
            available: 78,
            ..
        }) => {}
        other => panic!("{other:?}"),
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn extensions_that_change_geometry_are_refused_by_name_and_others_let_through() {
    let with = |members: &str| placed(r#"[{"mesh":0}]"#, members);
    for extension in ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_node_visibility"] {
        match with(&format!(r#","extensionsUsed":["{extension}"],"extensionsRequired":["{extension}"]"#)) {
            Err(error @ IoError::Unsupported { .. }) => assert!(error.to_string().contains(extension)),
            other => panic!("{other:?}"),
        }
        assert!(with(&format!(r#","extensionsUsed":["{extension}"]"#)).is_ok(), "a fallback is there");
    }
    assert!(with(r#","extensionsUsed":["EXT_mesh_gpu_instancing"]"#).is_err());
    assert!(with(r#","extensionsRequired":["KHR_texture_basisu","KHR_materials_unlit"]"#).is_ok());
}

#[test]
fn broken_references_are_named() {
    let text = |from: &str, to: &str| {
        let text = String::from_utf8(gltf()).unwrap();
        assert!(text.contains(from));
        text.replacen(from, to, 1)
    };
    let out_of_range = |from, to, wanted: &str| match parse("a.gltf", text(from, to)) {
        Err(error @ IoError::IndexOutOfRange { .. }) => assert_eq!(error.to_string(), wanted),
        other => panic!("{from}: {other:?}"),
    };
    out_of_range(r#""scene":0"#, r#""scene":3"#, "a.gltf: file: scene 3 does not exist, there are 1");
    out_of_range(r#""nodes":[0]"#, r#""nodes":[7]"#, "a.gltf: scene 0: node 7 does not exist, there are 1");
    out_of_range(r#""mesh":0"#, r#""mesh":1"#, "a.gltf: node 0: mesh 1 does not exist, there are 1");
    out_of_range(
        r#""POSITION":0"#,
        r#""POSITION":9"#,
        "a.gltf: node 0: accessor 9 does not exist, there are 2",
    );
    out_of_range(
        r#""bufferView":1"#,
        r#""bufferView":2"#,
        "a.gltf: accessor 1: buffer view 2 does not exist, there are 2",
    );
    out_of_range(
        r#"{"buffer":0"#,
        r#"{"buffer":1"#,
        "a.gltf: buffer view 0: buffer 1 does not exist, there are 1",
    );
    out_of_range(r#""count":5"#, r#""count":4"#, "a.gltf: node 0: vertex 4 does not exist, there are 4");
    match parse("a.gltf", text(r#""count":5"#, r#""count":6"#)) {
        Err(IoError::Truncated {
            place: Place::Element { kind: "accessor", index: 0 },
            needed: 72,
            available: 60,
            ..
        }) => {}
        other => panic!("{other:?}"),
    }
    match parse("a.gltf", text(r#""count":9"#, r#""count":18446744073709551615"#)) {
        Err(IoError::Truncated { .. }) => {}
        other => panic!("{other:?}"),
    }
    assert!(parse("a.gltf", text("VEC3", "VEC2")).is_err());
    assert!(parse("a.gltf", text("5123", "5122")).is_err());
    assert!(parse("a.gltf", text("2.0", "1.0")).is_err());
    assert!(parse("a.gltf", text("base64,", "base64,?")).is_err());
    assert!(parse("a.gltf", text("data:application", "https://example.org/a")).is_err());
    assert!(
        parse("a.gltf", text(r#""type":"VEC3""#, r#""type":"VEC3","byteOffset":18446744073709551615"#))
            .is_err()
    );
}

#[test]
fn node_loops_and_giant_empty_accessors_are_refused() {
    for nodes in [
        r#"[{"children":[0]}]"#,
        r#"[{"children":[1,1]},{"mesh":0}]"#,
        r#"[{"children":[1]},{"children":[0]}]"#,
    ] {
        let result = placed(nodes, r#","scenes":[{"nodes":[0]}]"#);
        assert!(matches!(result, Err(IoError::Malformed { .. })), "{nodes}: {result:?}");
    }
    let accessors = r#"[{"componentType":5126,"count":4000000000,"type":"VEC3"},
        {"bufferView":1,"componentType":5123,"count":9,"type":"SCALAR"}]"#;
    let result = parse("a.gltf", scene(r#"[{"mesh":0}]"#, PRIMITIVE, accessors, ""));
    assert!(matches!(result, Err(IoError::TooMany { .. })), "{result:?}");
}

#[test]
fn broken_containers_are_refused() {
    let whole = glb();
    let with_length = |length: u32| [&whole[..8], &length.to_le_bytes(), &whole[12..]].concat();
    for length in [0, 11] {
        assert!(matches!(parse("a.glb", with_length(length)), Err(IoError::Malformed { .. })));
    }
    assert!(matches!(parse("a.glb", with_length(u32::MAX)), Err(IoError::Truncated { .. })));
    assert!(matches!(parse("a.glb", &whole[..whole.len() - 1]), Err(IoError::Truncated { .. })));
    assert!(matches!(parse("a.glb", &whole[..9]), Err(IoError::Truncated { .. })));
    let version_1 = [&whole[..4], &1_u32.to_le_bytes(), &whole[8..]].concat();
    assert!(parse("a.glb", version_1).is_err());
    match parse_scene(Path::new("a.gltf"), b"{\"asset\":", &LoadOptions::default(), None) {
        Err(error @ IoError::Syntax { part: "JSON", .. }) => assert!(error.to_string().contains("line 1")),
        other => panic!("{other:?}"),
    }
}

/// Documents that leave out what the specification lets them, and what they say otherwise.
#[test]
fn scenes_without_nodes_and_textures_without_images_are_read() {
    for more in [
        r#","scene":0,"scenes":[{"nodes":[0]},{"name":"empty"}]"#,
        r#","scenes":[{"nodes":[0]}],"textures":[{"sampler":0,"extensions":{"KHR_texture_basisu":{"source":0}}}],
            "materials":[{"name":"a","normalTexture":{"index":0}}],"animations":[{}]"#,
    ] {
        let soup = placed(r#"[{"mesh":0,"skin":7}]"#, more).unwrap();
        assert_eq!(corners(&soup), expected(), "{more}");
    }
    for more in [r#","scene":1,"scenes":[{"nodes":[0]},{"name":"empty"}]"#, r#","scenes":[{}]"#] {
        let message = placed(r#"[{"mesh":0}]"#, more).unwrap_err().to_string();
        assert!(message.contains("1 meshes that no node of scene"), "{message}");
    }
    let message = placed("[]", "").unwrap_err().to_string();
    assert!(message.contains("1 meshes that no node of scene 0 uses"), "{message}");
}

#[test]
fn files_that_are_no_gltf_are_named_as_such() {
    for bytes in [&b"\x89PNG\r\n"[..], b"v 0 0 0\n", b"", b"<html>"] {
        match parse("a.glb", bytes) {
            Err(error @ IoError::Malformed { place: Place::Byte(0), .. }) => {
                assert!(error.to_string().contains("GLB"), "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// The triangles of a document with these triangles in one primitive.
fn with_material(triangles: &[[[f32; 3]; 3]], material: &str, options: &LoadOptions) -> Vec<[[f32; 3]; 3]> {
    let bytes: Vec<u8> =
        triangles.as_flattened().as_flattened().iter().flat_map(|n| n.to_le_bytes()).collect();
    let (count, length, data) = (3 * triangles.len(), bytes.len(), base64(&bytes));
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0}}],"materials":[{material}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"material":0}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":{count},"type":"VEC3"}}],
        "bufferViews":[{{"buffer":0,"byteLength":{length}}}],
        "buffers":[{{"byteLength":{length},"uri":"data:;base64,{data}"}}]}}"#
    );
    corners(&parse_scene(Path::new("a.gltf"), json.as_bytes(), options, None).expect("a scene"))
}

/// Sheets of double-sided materials count from above; solids, rooms and other materials stay as
/// they are.
#[test]
fn double_sided_sheets_face_up_and_closed_surfaces_stay() {
    const BOTH: &str = r#"{"doubleSided":true}"#;
    let turned = |triangles: &[[[f32; 3]; 3]]| -> Vec<[[f32; 3]; 3]> {
        triangles.iter().map(|&[a, b, c]| [a, c, b]).collect()
    };
    let as_read = LoadOptions::default();
    let up = expected();
    let down = turned(&up);
    assert_eq!(with_material(&down, BOTH, &as_read), up);
    assert_eq!(with_material(&up, BOTH, &as_read), up);
    assert_eq!(with_material(&down, "{}", &as_read), down);
    let mixed = [up[0], down[1], up[2]];
    assert_eq!(with_material(&mixed, BOTH, &as_read), up);
    // Options of the caller come on top.
    let flipped = as_read.with_winding(Winding::Flipped);
    assert_eq!(with_material(&down, "{}", &flipped), up);
    assert_eq!(with_material(&down, BOTH, &flipped), up);
    assert_eq!(with_material(&up, BOTH, &flipped), up);
    assert_eq!(with_material(&up, "{}", &flipped), down);
    assert_eq!(with_material(&mixed, "{}", &as_read.with_winding(Winding::TwoSided)), up);
    // A tetrahedron, whose lower side faces down, and the room in it.
    let [a, b, c, d] = [[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [4.0, 0.0, 0.0], [1.0, 3.0, 1.0]];
    let solid = [[a, c, b], [a, b, d], [b, c, d], [c, a, d]];
    assert_eq!(with_material(&solid, BOTH, &as_read), solid);
    assert_eq!(with_material(&turned(&solid), BOTH, &as_read), turned(&solid));
    let open = with_material(&solid[..3], BOTH, &as_read);
    assert_eq!(open[0], [a, b, c], "the inside of an open one can be seen");
}

/// An error that says that there are too many of something.
fn too_many(soup: Result<TriangleSoup, IoError>, what: &str) {
    match soup {
        Err(IoError::TooMany { element, count, limit, .. }) => {
            assert!(count > limit && element.contains(what), "{count} {element}, {limit}");
        }
        other => panic!("{:?}", other.map(|soup| soup.triangles().len())),
    }
}

fn repeated(text: &str, count: usize) -> String {
    format!("[{}]", vec![text; count].join(","))
}

#[test]
fn counts_without_bytes_ask_for_no_memory() {
    let node = r#"[{"mesh":0}]"#;
    let primitive = r#"[{"attributes":{"POSITION":0}}]"#;
    for count in [1_u64 << 40, u64::MAX / 2] {
        let sparse = format!(
            r#"[{{"componentType":5126,"count":3,"type":"VEC3","sparse":{{"count":{count},
            "indices":{{"bufferView":1,"componentType":5123}},"values":{{"bufferView":0}}}}}}]"#
        );
        let found = parse("a.gltf", scene(node, primitive, &sparse, ""));
        assert!(matches!(found, Err(IoError::Truncated { .. })), "{:?}", found.map(|_| ()));
        let zeros = format!(r#"[{{"componentType":5126,"count":{count},"type":"VEC3"}}]"#);
        too_many(parse("a.gltf", scene(node, primitive, &zeros, "")), "corners");
    }
}

#[test]
fn twenty_thousand_meshes_of_zeros_are_refused() {
    let count = 20_000;
    let text =
        |part: &dyn Fn(usize) -> String| format!("[{}]", (0..count).map(part).collect::<Vec<_>>().join(","));
    let nodes = text(&|index| format!(r#"{{"mesh":{index}}}"#));
    let meshes = text(&|index| format!(r#"{{"primitives":[{{"attributes":{{"POSITION":{index}}}}}]}}"#));
    // The largest number of zeros within the limit for instances, with one accessor for each.
    let accessors = repeated(r#"{"componentType":5126,"count":7998,"type":"VEC3"}"#, count);
    let scene = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":{nodes},"meshes":{meshes},"accessors":{accessors}}}"#
    );
    too_many(parse("a.gltf", scene.into_bytes()), "vertices");
}

#[test]
fn instances_and_primitives_multiply_up_to_a_limit() {
    let nodes = |count| repeated(r#"{"mesh":0}"#, count);
    let one = PRIMITIVE.trim_matches(['[', ']']);
    let many = repeated(one, 10_000);
    too_many(parse("a.gltf", scene(&nodes(20_000), &many, ACCESSORS, "")), "instances");
    // Primitives without corners take time as well.
    let none = r#"[{"bufferView":0,"componentType":5126,"count":0,"type":"VEC3"}]"#;
    let empty = repeated(r#"{"attributes":{"POSITION":0}}"#, 10_000);
    too_many(parse("a.gltf", scene(&nodes(20_000), &empty, none, "")), "instances");
    let soup = parse("a.gltf", scene(&nodes(1_000), PRIMITIVE, ACCESSORS, "")).unwrap();
    assert_eq!(soup.triangles().len(), 3_000);
}

#[test]
fn buffers_are_regular_files_in_the_folder_of_the_scene() {
    let outer = tempfile::tempdir().unwrap();
    std::fs::write(outer.path().join("outside.bin"), gltf_buffer()).unwrap();
    let folder = outer.path().join("scene");
    std::fs::create_dir(&folder).unwrap();
    std::fs::create_dir(folder.join("parts")).unwrap();
    std::fs::write(folder.join("inside.bin"), gltf_buffer()).unwrap();
    let file = folder.join("scene.gltf");
    let mut refused = vec!["../outside.bin".to_owned(), "parts".to_owned()];
    refused.push(outer.path().join("outside.bin").to_str().unwrap().to_owned());
    #[cfg(unix)]
    {
        refused.push("/dev/zero".to_owned());
        refused.push("link.bin".to_owned());
        refused.push("pipe".to_owned());
        std::os::unix::fs::symlink(outer.path().join("outside.bin"), folder.join("link.bin")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap();
        assert!(made.success());
    }
    for uri in refused {
        std::fs::write(&file, gltf_json(&format!(r#"{{"byteLength":78,"uri":"{uri}"}}"#))).unwrap();
        match load(&file) {
            Err(IoError::Malformed { expected, .. }) => assert!(expected.contains("folder"), "{uri}"),
            other => panic!("{uri}: {other:?}"),
        }
    }
    std::fs::write(&file, gltf_json(r#"{"byteLength":78,"uri":"parts/../inside.bin"}"#)).unwrap();
    assert_eq!(corners(&load(&file).unwrap()), expected());
}

#[test]
fn primitives_have_areas_by_their_names() {
    let nodes = r#"[{"mesh":0,"name":"Pond"},{"mesh":0,"extras":{"size":[1],"waymesh_area":"lava"}},
        {"mesh":0,"extras":7}]"#;
    let primitive = |material: &str| format!(r#"{{"attributes":{{"POSITION":0}},"indices":1{material}}}"#);
    let primitives = [r#","material":0"#, r#","material":1"#, r#","material":7"#].map(primitive).join(",");
    let more = r#","materials":[{"name":"Glass"},{"name":"Glass","extras":{"waymesh_area":"mud"}}]"#;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("Level.gltf");
    std::fs::write(&file, scene(nodes, &format!("[{primitives}]"), ACCESSORS, more)).unwrap();
    let map = AreaMap::new(|names: &SurfaceNames| {
        assert_eq!(names.file, "Level");
        match (names.area.as_str(), names.material.as_str(), names.object.as_str()) {
            ("mud", "Glass", _) => AreaId(4),
            ("lava", ..) => AreaId(5),
            ("", "Glass", _) => AreaId::NULL,
            ("", "", "Pond") => AreaId(6),
            _ => AreaId::GROUND,
        }
    });
    let (soup, _) = load_with_names(&[&file], &LoadOptions::default(), &map).unwrap();
    let found: Vec<u8> = soup.areas().iter().step_by(3).map(|area| area.0).collect();
    assert_eq!(found, [0, 4, 6, 5, 4, 5, 0, 4, 1]);
    assert!(load(&file).unwrap().areas().is_empty());
}
