//! Small scene files of every format, made in memory: the same square floor and a triangle above
//! it.

#![allow(clippy::unwrap_used, reason = "test helpers")]

pub(crate) mod meshes;

use std::path::Path;

use waymesh_core::TriangleSoup;
use waymesh_io::{IoError, LoadOptions, parse_scene};

pub(crate) fn parse(name: &str, bytes: impl AsRef<[u8]>) -> Result<TriangleSoup, IoError> {
    parse_scene(Path::new(name), bytes.as_ref(), &LoadOptions::default(), None)
}

/// The corners of all triangles, which is what a scene is, however it shares its vertices.
pub(crate) fn corners(soup: &TriangleSoup) -> Vec<[[f32; 3]; 3]> {
    (0..soup.triangles().len())
        .map(|triangle| soup.corners(triangle).map(|corner| corner.to_array()))
        .collect()
}

pub(crate) const VERTICES: [[f32; 3]; 5] =
    [[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [4.0, 0.5, 4.0], [4.0, 0.5, 0.0], [2.0, 3.25, -1.5]];

/// The triangles of every small file.
pub(crate) fn expected() -> Vec<[[f32; 3]; 3]> {
    [[0, 1, 2], [0, 2, 3], [0, 3, 4]].map(|triangle| triangle.map(|vertex: usize| VERTICES[vertex])).to_vec()
}

pub(crate) fn obj() -> Vec<u8> {
    let mut text = String::from("# small scene\nmtllib none.mtl\no floor\n");
    for [x, y, z] in VERTICES {
        text += &format!("v {x} {y} {z}\n");
    }
    text += "vn 0 1 0\ng quad\nusemtl stone\nf 1//1 2//1 3//1 4//1\no roof\nf -5 -2 -1\n";
    text.into_bytes()
}

pub(crate) fn stl_text() -> Vec<u8> {
    let mut text = String::from("solid small scene\n");
    for triangle in expected() {
        text += "  facet normal 0 1 0\n    outer loop\n";
        for [x, y, z] in triangle {
            text += &format!("      vertex {x:e} {y:e} {z:e}\n");
        }
        text += "    endloop\n  endfacet\n";
    }
    text += "endsolid small scene\n";
    text.into_bytes()
}

pub(crate) fn stl_binary(header: &[u8]) -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes[..header.len()].copy_from_slice(header);
    bytes.extend(3_u32.to_le_bytes());
    for triangle in expected() {
        bytes.extend([0_u8; 12]);
        bytes.extend(triangle.into_iter().flatten().flat_map(f32::to_le_bytes));
        bytes.extend([0, 0]);
    }
    bytes
}

pub(crate) fn ply_header(format: &str) -> Vec<u8> {
    format!(
        "ply\nformat {format} 1.0\ncomment small scene\nelement vertex 5\nproperty float x\nproperty double y\n\
         property uchar red\nproperty float z\nelement edge 1\nproperty list uchar short way\nelement face 2\n\
         property list uchar int vertex_indices\nproperty uchar flags\nend_header\n"
    )
    .into_bytes()
}

pub(crate) fn ply_text() -> Vec<u8> {
    let mut bytes = ply_header("ascii");
    for [x, y, z] in VERTICES {
        bytes.extend(format!("{x} {y} 255 {z}\n").into_bytes());
    }
    bytes.extend(b"2 -7 7\n4 0 1 2 3 0\n3 0 3 4 0\n");
    bytes
}

pub(crate) fn ply_binary(big: bool) -> Vec<u8> {
    let mut bytes = ply_header(if big { "binary_big_endian" } else { "binary_little_endian" });
    let mut push = |word: &[u8]| {
        let mut word = word.to_vec();
        if big {
            word.reverse();
        }
        bytes.extend(word);
    };
    for [x, y, z] in VERTICES {
        push(&x.to_le_bytes());
        push(&f64::from(y).to_le_bytes());
        push(&[255]);
        push(&z.to_le_bytes());
    }
    push(&[2]);
    push(&(-7_i16).to_le_bytes());
    push(&7_i16.to_le_bytes());
    for face in [&[0, 1, 2, 3][..], &[0, 3, 4]] {
        push(&[u8::try_from(face.len()).unwrap()]);
        face.iter().for_each(|corner: &i32| push(&corner.to_le_bytes()));
        push(&[0]);
    }
    bytes
}

/// The binary part of the small glTF scene: positions, then 16-bit indices.
pub(crate) fn gltf_buffer() -> Vec<u8> {
    let mut bytes: Vec<u8> = VERTICES.into_iter().flatten().flat_map(f32::to_le_bytes).collect();
    bytes.extend([0_u16, 1, 2, 0, 2, 3, 0, 3, 4].into_iter().flat_map(u16::to_le_bytes));
    bytes
}

/// The JSON part of the small glTF scene around a buffer object.
pub(crate) fn gltf_json(buffer: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "accessors":[
            {{"bufferView":0,"componentType":5126,"count":5,"type":"VEC3","min":[0,0,-1.5],"max":[4,3.25,4]}},
            {{"bufferView":1,"componentType":5123,"count":9,"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":60}},{{"buffer":0,"byteOffset":60,"byteLength":18}}],
        "buffers":[{buffer}]}}"#
    )
}

pub(crate) fn glb_of(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut bytes = b"glTF".to_vec();
    let chunk = |length: usize| u32::try_from(length).unwrap().to_le_bytes();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend(chunk(28 + json.len() + binary.len()));
    bytes.extend(chunk(json.len()));
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend(chunk(binary.len()));
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    bytes
}

pub(crate) fn glb() -> Vec<u8> {
    glb_of(&gltf_json(r#"{"byteLength":78}"#), &gltf_buffer())
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits =
            group.iter().chain([0, 0].iter()).take(3).fold(0, |bits, &byte| bits << 8 | usize::from(byte));
        for place in 0..4 {
            text.push(if place > group.len() {
                '='
            } else {
                char::from(DIGITS[bits >> (18 - 6 * place) & 63])
            });
        }
    }
    text
}

pub(crate) fn gltf() -> Vec<u8> {
    let data = base64(&gltf_buffer());
    gltf_json(&format!(r#"{{"byteLength":78,"uri":"data:application/octet-stream;base64,{data}"}}"#))
        .into_bytes()
}

/// z is up, and vertices are counted in steps of a quarter from a place far away.
pub(crate) fn cityjson() -> Vec<u8> {
    let vertices = VERTICES.map(|[x, y, z]| format!("[{},{},{}]", 4.0 * x + 8.0, -4.0 * z, 4.0 * y));
    format!(
        r#"{{"type":"CityJSON","version":"2.0","transform":{{"scale":[0.25,0.25,0.25],"translate":[-2,0,0]}},
        "CityObjects":{{"small":{{"type":"LandUse","geometry":[{{"type":"MultiSurface","lod":"1",
        "boundaries":[[[0,1,2,3]],[[0,3,4]]]}}]}}}},"vertices":[{}]}}"#,
        vertices.join(",")
    )
    .into_bytes()
}

/// Every small file under a name with its usual extension.
pub(crate) fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("small.obj", obj()),
        ("small.stl", stl_text()),
        ("binary.stl", stl_binary(b"a header")),
        ("small.ply", ply_text()),
        ("little.ply", ply_binary(false)),
        ("big.ply", ply_binary(true)),
        ("small.gltf", gltf()),
        ("small.glb", glb()),
        ("small.city.json", cityjson()),
    ]
}
