//! No bytes make a reader panic: truncated and flipped files of every format, and plain noise.

use crate::common;
use common::*;
use proptest::prelude::*;
use waymesh_testkit::damage::each_flipped_bit;

/// Reads the bytes under every name; only panics and endless loops count.
fn survives(name: &str, bytes: &[u8]) {
    if let Ok(soup) = parse(name, bytes) {
        assert!(!soup.triangles().is_empty());
    }
}

#[test]
fn every_truncation_is_survived() {
    for (name, bytes) in all() {
        for length in 0..bytes.len() {
            survives(name, &bytes[..length]);
        }
    }
}

#[test]
fn truncated_files_never_pass_for_whole_ones() {
    for (name, bytes) in all() {
        let end = match name {
            // OBJ has no end mark.
            "small.obj" => continue,
            // The solid's name may be missing after its last keyword, as may the last line end or
            // padding
            // elsewhere.
            "small.stl" => bytes.len() - " small scene\n".len(),
            _ => bytes.len() - 3,
        };
        for length in 0..end {
            assert!(
                parse(name, &bytes[..length]).is_err(),
                "{name} cut to {length} of {} bytes",
                bytes.len()
            );
        }
    }
}

#[test]
fn every_bit_flip_is_survived() {
    all().into_iter().for_each(|(name, bytes)| each_flipped_bit(bytes, |bytes, _| survives(name, bytes)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn several_damages_at_once_are_survived(
        format in 0..all().len(),
        damages in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..8),
        end in any::<prop::sample::Index>(),
        cut in any::<bool>(),
    ) {
        let (name, mut bytes) = all().swap_remove(format);
        for (at, value, kind) in damages {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = value,
                1 => bytes.insert(at, value),
                _ => { bytes.remove(at); }
            }
        }
        if cut {
            bytes.truncate(end.index(bytes.len()));
        }
        survives(name, &bytes);
        survives("unknown", &bytes);
    }

    #[test]
    fn noise_is_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for name in ["a.obj", "a.stl", "a.ply", "a.gltf", "a.glb", "a.asc", "a.raw", "unknown"] {
            survives(name, &bytes);
        }
        survives("a.glb", &glb_of(&gltf_json(r#"{"byteLength":78}"#), &bytes));
    }

    #[test]
    fn wrong_numbers_in_gltf_are_survived(
        at in any::<prop::sample::Index>(),
        value in prop::sample::select(vec!["-1", "1", "3", "17", "255", "65535", "4294967295", "18446744073709551615", "1e30", "null", "[]", "\"a\""]),
    ) {
        let text = gltf_json(r#"{"byteLength":78}"#);
        let numbers: Vec<_> = text
            .char_indices()
            .filter(|&(at, c)| c.is_ascii_digit() && !text[..at].ends_with(|before: char| before.is_ascii_digit() || before == '.'))
            .map(|(at, _)| at)
            .collect();
        let start = numbers[at.index(numbers.len())];
        let length = text[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
        let text = [&text[..start], value, &text[start + length..]].concat();
        survives("a.glb", &glb_of(&text, &gltf_buffer()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Any coordinates, also tiny, huge and negative ones, come back bit by bit from every format
    /// that can hold them.
    #[test]
    fn random_triangles_come_back_from_every_format(
        triangles in prop::collection::vec(prop::array::uniform3(prop::array::uniform3(
            prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL | prop::num::f32::ZERO,
        )), 1..20),
    ) {
        let count = triangles.len();
        let mut obj = String::new();
        let mut stl = String::from("solid\n");
        let mut binary = vec![0; 80];
        binary.extend(u32::try_from(count).unwrap().to_le_bytes());
        let mut ply = format!(
            "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
             element face {count}\nproperty list uchar int vertex_indices\nend_header\n",
            count * 3
        );
        let mut buffer = Vec::new();
        for triangle in &triangles {
            stl += "facet normal 0 0 0\nouter loop\n";
            binary.extend([0; 12]);
            for [x, y, z] in triangle {
                obj += &format!("v {x} {y:e} {z}\n");
                stl += &format!("vertex {x:e} {y} {z:e}\n");
                ply += &format!("{x} {y} {z}\n");
            }
            obj += "f -3 -2 -1\n";
            stl += "endloop\nendfacet\n";
            let bytes: Vec<u8> = triangle.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
            binary.extend(&bytes);
            binary.extend([0; 2]);
            buffer.extend(bytes);
        }
        stl += "endsolid\n";
        for face in 0..count {
            ply += &format!("3 {} {} {}\n", 3 * face, 3 * face + 1, 3 * face + 2);
        }
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3"}}],
            "bufferViews":[{{"buffer":0,"byteLength":{1}}}],"buffers":[{{"byteLength":{1}}}]}}"#,
            count * 3,
            buffer.len()
        );
        let bits = |triangles: Vec<[[f32; 3]; 3]>| -> Vec<u32> {
            // Adding a zero translation makes -0 to 0.
            triangles.into_iter().flatten().flatten().map(|number| (number + 0.0).to_bits()).collect()
        };
        let wanted = bits(triangles);
        for (name, bytes) in [
            ("a.obj", obj.into_bytes()),
            ("a.stl", stl.into_bytes()),
            ("b.stl", binary),
            ("a.ply", ply.into_bytes()),
            ("a.glb", glb_of(&json, &buffer)),
        ] {
            prop_assert_eq!(&bits(corners(&parse(name, &bytes).unwrap())), &wanted, "{}", name);
        }
    }
}
