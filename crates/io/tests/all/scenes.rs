//! Input that the scene readers accept or refuse, and their errors.

#![expect(clippy::unwrap_used, reason = "test helpers")]

use crate::common;
use std::path::Path;

use common::*;
use waymesh_core::TriangleSoup;
use waymesh_io::{IoError, LoadOptions, Place, SceneFormat, UpAxis, load, load_with, parse_scene};

fn error(name: &str, bytes: impl AsRef<[u8]>) -> IoError {
    parse(name, bytes).expect_err("the file is broken")
}

/// Makes a separate folder for a test that needs real files.
fn folder(test: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("waymesh-io-{}-{test}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn every_format_gives_the_same_triangles() {
    for (name, bytes) in all() {
        assert_eq!(corners(&parse(name, bytes).unwrap()), expected(), "{name}");
    }
}

#[test]
fn the_content_tells_the_format_where_the_extension_does_not() {
    for (name, bytes) in all() {
        let soup = parse("scene.bin", &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(corners(&soup), expected(), "{name}");
        assert_eq!(corners(&parse("SCENE", &bytes).unwrap()), expected(), "{name}");
    }
    for bytes in [&b""[..], b"hello", b"\x00\x01\x02", b"v is for vertex", b"PK\x03\x04"] {
        assert!(matches!(error("scene.bin", bytes), IoError::UnknownFormat { .. }));
    }
}

#[test]
fn extensions_count_in_any_case() {
    assert_eq!(SceneFormat::from_extension(Path::new("a/LEVEL.GLB")), Some(SceneFormat::Gltf));
    assert_eq!(SceneFormat::from_extension(Path::new("level.Stl")), Some(SceneFormat::Stl));
    assert_eq!(SceneFormat::from_extension(Path::new("hills.PNG")), Some(SceneFormat::Heights));
    assert_eq!(SceneFormat::from_extension(Path::new("level.jpg")), None);
    assert_eq!(SceneFormat::from_extension(Path::new("obj")), None);
}

#[test]
fn z_up_turns_upright_without_mirroring_and_scale_makes_metres() {
    let options = LoadOptions::default().with_up(UpAxis::Z).with_scale(0.5);
    // A floor in z-up: counter-clockwise in the xy plane, normal +z.
    let text = "v 0 0 2\nv 4 0 2\nv 0 6 2\nf 1 2 3\n";
    let soup = parse_scene(Path::new("z.obj"), text.as_bytes(), &options, None).unwrap();
    let [a, b, c] = soup.corners(0);
    assert_eq!([a, b, c].map(|p| p.to_array()), [[0.0, 1.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, -3.0]]);
    assert!((b - a).cross(c - a).y > 0.0, "a floor stays a floor");
}

#[test]
fn useless_options_are_refused() {
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let options = LoadOptions::default().with_scale(scale);
        assert!(matches!(parse_scene(Path::new("a.obj"), &obj(), &options, None), Err(IoError::BadField(_))));
    }
    assert!(matches!(load_with::<&str>(&[], &LoadOptions::default()), Err(IoError::NoFiles)));
}

#[test]
fn several_files_make_one_scene_in_their_order() {
    let folder = folder("several");
    let files = all().into_iter().map(|(name, bytes)| {
        let file = folder.join(name);
        std::fs::write(&file, bytes).unwrap();
        file
    });
    let files: Vec<_> = files.collect();
    let soup = load_with(&files, &LoadOptions::default()).unwrap();
    assert_eq!(corners(&soup), expected().repeat(files.len()));
    let missing = load(folder.join("missing.obj")).unwrap_err();
    assert!(matches!(&missing, IoError::Read { file, .. } if file.ends_with("missing.obj")), "{missing}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn scenes_without_triangles_are_refused() {
    let point_cloud = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n";
    for (name, bytes) in [
        ("a.obj", &b"v 1 2 3\n"[..]),
        ("empty.obj", b""),
        ("a.stl", b"solid nothing\nendsolid nothing\n"),
        ("b.stl", &[0; 84]),
        ("a.ply", point_cloud.as_bytes()),
        ("a.gltf", br#"{"asset":{"version":"2.0"}}"#),
    ] {
        let error = error(name, bytes);
        assert!(matches!(error, IoError::NoTriangles { .. }), "{name}: {error}");
        assert!(error.to_string().contains(name));
    }
}

#[test]
fn an_origin_is_subtracted_before_coordinates_are_rounded() {
    let text = "v 0 0 5400000.2\nv 0 0 5400008.2\nv 12 0 5400000.2\nf 1 2 3\n";
    let origin = LoadOptions::default().with_origin([0.0, 0.0, 5_400_000.0]);
    let soup = parse_scene(Path::new("a.obj"), text.as_bytes(), &origin, None).unwrap();
    assert_eq!(corners(&soup), [[[0.0, 0.0, 0.2], [0.0, 0.0, 8.2], [12.0, 0.0, 0.2]]]);
    let upright = origin.with_up(UpAxis::Z).with_scale(0.5);
    let soup = parse_scene(Path::new("a.obj"), text.as_bytes(), &upright, None).unwrap();
    assert_eq!(corners(&soup), [[[0.0, 0.1, 0.0], [0.0, 4.1, 0.0], [6.0, 0.1, 0.0]]]);
    let bad = LoadOptions::default().with_origin([0.0, f64::NAN, 0.0]);
    assert!(bad.validate().unwrap_err().to_string().contains("origin"));
}

#[test]
fn nan_and_infinite_vertices_are_passed_on() {
    let check = |soup: TriangleSoup| assert_eq!(soup.skipped().not_finite, 1);
    check(parse("a.obj", "v 0 0 0\nv nan 0 1\nv 1 -inf 0\nf 1 2 3\n").unwrap());
    check(parse("a.obj", "v 0 0 0\nv -nan(ind) 0 1\nv 1 -1.#INF 1.#QNAN\nf 1 2 3\n").unwrap());
    check(
        parse(
            "a.stl",
            "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 NaN\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n",
        )
        .unwrap(),
    );
    let ply = String::from_utf8(ply_header("ascii")).unwrap()
        + "nan 0 0 0\n.5 1. 0 0\n+1e3 -inf 0 2\n0 0 0 0\n0 0 0 0\n0\n3 0 1 3 0\n3 1 3 4 0\n";
    check(parse("a.ply", ply).unwrap());
}

// ---- OBJ

#[test]
fn obj_reads_what_exporters_write() {
    let text = b"\xef\xbb\xbf# C:\\a path that ends in a backslash\\\r\n\
        o caf\xe9\r\n\
        v 0 0 0 1 0 0\r\n\
        v 1 0 0 0.5 0.5 0.5 1.0\r\n\
        \tv  1 0 \\\r\n   1 1.0\r\n\
        vt 0 0\r\nvn 0 1 0\r\n\
        s off\r\n\
        f 1/1/1 2/1/1 3/1/1 \\\r\n 4/1/1\r\n\
        v 0 0 1\r\n\
        l 1 2\r\np 1\r\n\
        f -4/-1 -3/-1 -2/-1\r\n";
    let soup = parse("a.obj", text).unwrap();
    let p = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0]];
    assert_eq!(corners(&soup), [[p[0], p[1], p[2]], [p[0], p[2], p[3]], [p[0], p[1], p[2]]]);
    assert_eq!(soup.positions().len(), 4, "vertices stay shared");
}

#[test]
fn obj_with_old_line_ends_and_without_a_last_one() {
    assert_eq!(parse("a.obj", "v 0 0 0\rv 1 0 0\rv 0 0 1\rf 1 2 3").unwrap().triangles().len(), 1);
    let error = error("a.obj", "v 0 0 0\r\nv 1 0 0\r\nv 0 0 1\r\nf 1 2 9");
    assert!(matches!(error, IoError::IndexOutOfRange { place: Place::Line(4), .. }), "{error}");
}

#[test]
fn convex_obj_faces_become_fans_and_stubs_triangles_without_area() {
    let soup =
        parse("a.obj", "v 0 0 0\nv 1 0 0\nv 2 0 1\nv 1 0 2\nv 0 0 1\nf 1 2 3 4 5\nf 1 2\nf 3\nf\n").unwrap();
    assert_eq!(soup.triangles(), [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 1, 1], [2, 2, 2]]);
    assert_eq!(soup.skipped().degenerate, 2);
}

/// Area of the triangles in plan; all of them look up.
fn area_up(soup: &TriangleSoup) -> f32 {
    let up = |[a, b, c]: [glam::Vec3; 3]| (b - a).cross(c - a).y / 2.0;
    let areas: Vec<f32> = (0..soup.triangles().len()).map(|triangle| up(soup.corners(triangle))).collect();
    assert!(areas.iter().all(|&area| area >= 0.0), "{areas:?}");
    areas.iter().sum()
}

/// A floor of 72 m2 in the form of a U, from each of its corners, in every format that has
/// polygons.
#[test]
fn concave_faces_keep_their_area_in_every_format() {
    const U: [[i32; 2]; 8] = [[0, 0], [0, 10], [10, 10], [10, 0], [7, 0], [7, 7], [3, 7], [3, 0]];
    for first in 0..U.len() {
        let order: Vec<usize> = (0..U.len()).map(|corner| (first + corner) % U.len()).collect();
        let numbers = |add: usize| order.iter().map(|at| format!(" {}", at + add)).collect::<String>();
        let vertices = U.map(|[x, z]| format!("{x} 0 {z}\n"));
        let obj_vertices: String = vertices.iter().map(|vertex| format!("v {vertex}")).collect();
        let ply =
            |vertices: &str, faces: &str| format!("ply\nformat ascii 1.0\n{vertices}{faces}end_header\n");
        let (of_vertices, of_faces) = (
            "element vertex 8\nproperty float x\nproperty float y\nproperty float z\n",
            "element face 1\nproperty list uchar int vertex_index\n",
        );
        let stl: String = order.iter().map(|&at| format!("vertex {}", vertices[at])).collect();
        for (name, text) in [
            ("u.obj", format!("{obj_vertices}f{}\n", numbers(1))),
            ("first.obj", format!("v 0 0 0\nf{}\nf 1 1 1\n{obj_vertices}", numbers(2))),
            ("u.ply", format!("{}{}8{}\n", ply(of_vertices, of_faces), vertices.concat(), numbers(0))),
            ("first.ply", format!("{}8{}\n{}", ply(of_faces, of_vertices), numbers(0), vertices.concat())),
            ("u.stl", format!("solid\nfacet normal 0 1 0\nouter loop\n{stl}endloop\nendfacet\nendsolid\n")),
        ] {
            let soup = parse(name, text).unwrap();
            assert!((area_up(&soup) - 72.0).abs() < 1e-4, "{name} from {first}");
        }
    }
}

#[test]
fn text_in_utf_16_is_read_with_and_without_a_mark() {
    for (name, text) in [("a.obj", obj()), ("a.stl", stl_text()), ("a.ply", ply_text()), ("a.gltf", gltf())] {
        let text = String::from_utf8(text).unwrap();
        for mark in ["\u{feff}", ""] {
            let units: Vec<u16> = format!("{mark}{text}").encode_utf16().collect();
            for order in [u16::to_le_bytes, u16::to_be_bytes] {
                let bytes: Vec<u8> = units.iter().flat_map(|&unit| order(unit)).collect();
                for name in [name, "unnamed"] {
                    let soup = parse(name, &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
                    assert_eq!(corners(&soup), expected(), "{name}");
                }
            }
        }
        let bytes = format!("\u{feff}{text}");
        assert_eq!(corners(&parse(name, &bytes).unwrap()), expected(), "{name} in UTF-8 with a mark");
        let bytes: Vec<u8> = bytes.chars().flat_map(|unit| u32::from(unit).to_le_bytes()).collect();
        assert!(error(name, bytes).to_string().contains("UTF-32"), "{name}");
    }
}

#[test]
fn obj_faces_may_end_in_a_comment() {
    let text = "v 0 0 0 # first\nv 1 0 0\nv 0 0 1\nf 1 2 3 # all\nf 1 2 3#a\n";
    let message = error("a.obj", text).to_string();
    assert!(message.contains("line 5"), "a comment begins a word: {message}");
    assert_eq!(parse("a.obj", text.replace("3#a", "3 #a")).unwrap().triangles().len(), 2);
}

#[test]
fn obj_errors_name_line_index_and_limit() {
    let vertices = "v 0 0 0\nv 1 0 0\nv 0 0 1\n";
    for (face, wanted) in
        [("f 1 2 4", 4), ("f 0 1 2", 0), ("f 1 -4 2", -4), ("f 1 2 99999999999", 99_999_999_999)]
    {
        match error("a.obj", format!("{vertices}{face}\n")) {
            IoError::IndexOutOfRange { place: Place::Line(4), what: "vertex", index, count: 3, .. } => {
                assert_eq!(index, wanted);
            }
            other => panic!("{face}: {other}"),
        }
    }
    for (text, line) in [
        ("v 0 0\n", 1),
        ("v 0 0 zero\n", 1),
        ("v 0 0 0\nv 0 0 \u{e9}\n", 2),
        ("v 0 0 0\nf 1 x 1\n", 2),
        ("v 0 0 0\nf 1 /2 1\n", 2),
        ("v 0 0 0\n\nf 1 1.5 1\n", 3),
    ] {
        let error = error("dir/a.obj", text);
        assert!(matches!(error, IoError::Malformed { place: Place::Line(at), .. } if at == line), "{error}");
        assert!(error.to_string().starts_with(&format!("dir/a.obj: line {line}: ")), "{error}");
    }
}

// ---- STL

#[test]
fn stl_with_several_solids_is_read_whole() {
    let text = [stl_text(), stl_text()].concat();
    assert_eq!(corners(&parse("a.stl", text).unwrap()), expected().repeat(2));
}

#[test]
fn stl_in_binary_may_have_a_header_that_says_solid() {
    let mut bytes = stl_binary(b"solid made by a CAD program");
    assert_eq!(corners(&parse("a.stl", &bytes).unwrap()), expected());
    bytes.extend(b"colours");
    assert_eq!(corners(&parse("a.stl", &bytes).unwrap()), expected(), "bytes may follow");
}

#[test]
fn stl_errors_name_the_place() {
    let whole = stl_binary(b"");
    match error("a.stl", &whole[..whole.len() - 1]) {
        IoError::Truncated {
            place: Place::Element { kind: "triangle", index: 2 },
            needed: 234,
            available: 233,
            ..
        } => {}
        other => panic!("{other}"),
    }
    let text = String::from_utf8(stl_text()).unwrap();
    for (text, line) in [
        (text.replace("endsolid small scene\n", ""), 22),
        (text.replacen("endloop", "endlop", 1), 7),
        (text.replacen("vertex", "vertex x", 1), 4),
        (text.replacen("  endfacet\n", "", 1), 8),
        (text.replacen("  facet normal 0 1 0\n", "", 1), 3),
    ] {
        let error = error("a.stl", text);
        assert!(matches!(error, IoError::Malformed { place: Place::Line(at), .. } if at == line), "{error}");
    }
}

// ---- PLY

#[test]
fn ply_strips_are_read() {
    let text = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
        element tristrips 1\nproperty list int int vertex_indices\nend_header\n\
        0 0 0\n0 0 1\n1 0 0\n1 0 1\n2 0 0\n8 0 1 2 3 -1 2 3 4\n";
    assert_eq!(parse("a.ply", text).unwrap().triangles(), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
}

#[test]
fn ply_values_may_stand_on_any_lines_and_faces_before_vertices() {
    let text = "ply\r\nformat ascii 1.0\r\ncomment caf\u{e9}\r\nelement face 1\r\nproperty list uchar uint vertex_index\r\n\
        element vertex 3\r\nproperty float x\r\nproperty float y\r\nproperty float z\r\nend_header\r\n\
        3 0 1 2\r\n0 0 0 1\r\n0 0\r\n\r\n0 0 1\r\n";
    assert_eq!(
        corners(&parse("a.ply", text).unwrap()),
        [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]
    );
}

/// Headers of old and careless programs.
#[test]
fn ply_headers_are_read_whatever_their_spaces_and_names() {
    let text = String::from_utf8(ply_text()).unwrap();
    for (from, to) in [
        ("comment small scene\n", "\n  \ncomment\nobj_info\n comment a\tb\n"),
        ("\nend_header", " \nend_header\t"),
        ("property float x", "\tproperty   float\tx  "),
        ("property uchar red", "property uint8 red[0]"),
        ("property uchar red", "property uchar s.t"),
        ("property uchar flags", "property uchar 2nd"),
        ("property list uchar int vertex_indices", "property list uint8 int32 vertex_index"),
        ("property list uchar int vertex_indices", "property list uchar uint vertex_indexes"),
        ("format ascii 1.0", "format ascii 1.0 "),
        ("element edge 1", "element edge-of-face 1"),
        ("\n", "\r\n"),
        ("\n", "\r"),
    ] {
        assert!(text.contains(from), "{from}");
        let soup = parse("a.ply", text.replace(from, to)).unwrap_or_else(|error| panic!("{to:?}: {error}"));
        assert_eq!(corners(&soup), expected(), "{to:?}");
    }
}

#[test]
fn ply_errors_name_the_place() {
    let whole = ply_binary(false);
    match error("a.ply", &whole[..whole.len() - 1]) {
        IoError::Truncated {
            place: Place::Element { kind: "face", index: 1 }, needed, available, ..
        } => {
            assert_eq!((needed, available), (whole.len() as u64, whole.len() as u64 - 1));
        }
        other => panic!("{other}"),
    }
    let text = String::from_utf8(ply_text()).unwrap();
    match error("a.ply", text.replace("3 0 3 4 0", "3 0 3 5 0")) {
        IoError::IndexOutOfRange {
            place: Place::Element { kind: "face", index: 1 },
            index: 5,
            count: 5,
            ..
        } => {}
        other => panic!("{other}"),
    }
    match error("a.ply", text.replace("3 0 3 4 0", "3 0 -1 4 0")) {
        IoError::IndexOutOfRange { index: -1, .. } => {}
        other => panic!("{other}"),
    }
    match error("a.ply", text.replace("4 0 1 2 3 0", "4 0 one 2 3 0")) {
        IoError::Malformed { place: Place::Line(21), .. } => {}
        other => panic!("{other}"),
    }
    assert!(matches!(error("a.ply", text.replace("float z", "float w")), IoError::Malformed { .. }));
    let message = error("a.ply", text.replace("list uchar int vertex_indices", "int first")).to_string();
    assert!(message.contains("vertex_indices") && message.contains("\"first\""), "{message}");
    assert!(matches!(error("a.ply", text.replace("format ascii", "format morse")), IoError::Syntax { .. }));
    assert!(matches!(error("a.ply", "ply\nformat ascii 1.0\n"), IoError::Malformed { .. }));
}

#[test]
fn ply_counts_that_no_file_can_hold_end_quickly() {
    let huge = "element stone 18446744073709551615\nelement vertex";
    let text = String::from_utf8(ply_text()).unwrap().replace("element vertex", huge);
    assert_eq!(
        corners(&parse("a.ply", text).unwrap()),
        expected(),
        "elements without properties take no room"
    );
    let text =
        String::from_utf8(ply_text()).unwrap().replace("element face 2", "element face 18446744073709551615");
    assert!(matches!(error("a.ply", text), IoError::Truncated { .. }));
}
