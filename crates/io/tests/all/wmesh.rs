//! The navmesh file: round trips, the documented layout, and damage of every kind.

#![expect(clippy::unwrap_used, reason = "test helpers")]

use crate::common;
use common::meshes::{dungeon, house, mesh_of};
use proptest::prelude::*;
use waymesh_graph::{MeshFormat, NavMesh, NavMeshError, PackedChecks};
use waymesh_io::{IoError, open, open_packed, save, write_wmesh};
use waymesh_testkit::damage::each_flipped_bit;

fn bytes_of(mesh: &NavMesh) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_wmesh(mesh, &mut bytes).unwrap();
    bytes
}

fn read(bytes: &[u8]) -> Result<NavMesh, NavMeshError> {
    NavMesh::from_wmesh(bytes)
}

/// Writes the checksum that the bytes should have, as someone would who damages a file on purpose.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 4;
    let checksum = crc32(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// CRC-32 bit by bit: the oracle of the one in use.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}

#[test]
fn what_is_written_is_read_and_always_in_the_same_bytes() {
    for mesh in
        [house(true), house(false), mesh_of(&[], false), mesh_of(&[], true)].into_iter().chain(dungeon())
    {
        let bytes = bytes_of(&mesh);
        assert_eq!(bytes, bytes_of(&mesh.clone()));
        let again = read(&bytes).unwrap();
        assert_eq!(again, mesh);
        assert_eq!(bytes_of(&again), bytes);
        assert_eq!(NavMesh::from_bytes(bytes).unwrap(), mesh);
    }
}

#[test]
fn the_layout_is_the_documented_one() {
    let mesh = house(true);
    let data = mesh.data();
    let bytes = bytes_of(&mesh);
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    assert_eq!(&bytes[..8], b"WMESH\0\r\n");
    assert_eq!((u32_at(8), u32_at(12), u64_at(16)), (1, 12, bytes.len() as u64));
    let table = [
        ("FRAM", 28, 1),
        ("AGNT", 16, 1),
        ("VERT", 12, data.vertex_x.len()),
        ("POLY", 5, data.polygon_areas.len()),
        ("PFST", 4, data.polygon_areas.len() + 1),
        ("CRNR", 8, data.polygon_corners.len()),
        ("SERR", 4, 1),
        ("SPNT", 12, data.surface_points.len()),
        ("STRI", 12, data.surface_triangles.len() / 3),
        ("SFST", 4, data.polygon_areas.len() + 1),
        ("LINK", 68, data.links.len()),
        ("AREA", 1, data.area_table.to_bytes().len()),
    ];
    let mut start = 216;
    for (index, (tag, size, count)) in table.into_iter().enumerate() {
        let entry = 24 + 16 * index;
        assert_eq!(&bytes[entry..entry + 4], tag.as_bytes());
        assert_eq!((u32_at(entry + 4), u64_at(entry + 8)), (size, count as u64));
        match tag {
            "FRAM" => {
                assert_eq!(u32_at(start), data.origin[0].to_bits());
                assert_eq!(u32_at(start + 20), data.width);
            }
            "VERT" => {
                assert_eq!(u32_at(start + 12), data.vertex_x[1].cast_unsigned());
                assert_eq!(u32_at(start + 20), data.vertex_height[1].to_bits());
            }
            "POLY" => {
                assert_eq!(u32_at(start + 5 * 49), data.polygon_regions[49]);
                assert_eq!(bytes[start + 5 * 49 + 4], data.polygon_areas[49]);
            }
            "CRNR" => assert_eq!(u32_at(start + 8 * 5 + 4), data.polygon_neighbours[5]),
            "SERR" => assert_eq!(u32_at(start), data.surface_max_error.to_bits()),
            "STRI" => assert_eq!(u32_at(start + 12 * 7 + 8), data.surface_triangles[23]),
            _ => {}
        }
        start += (size as usize * count).next_multiple_of(8);
    }
    assert_eq!(start + 4, bytes.len());
    assert_eq!(u32_at(start), crc32(&bytes[..start]));
}

#[test]
fn files_of_both_formats_are_saved_and_opened_and_errors_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = house(true);
    for name in ["house.wmesh", "house.wmrun", "HOUSE.WMRUN"] {
        let file = folder.path().join(name);
        save(&mesh, &file).unwrap();
        assert_eq!(open(&file).unwrap(), mesh);
        // The format is known from the content, not from the name.
        let other = folder.path().join("house.bin");
        std::fs::rename(&file, &other).unwrap();
        assert_eq!(open(&other).unwrap(), mesh);
        let missing = open(&file).unwrap_err();
        assert!(matches!(&missing, IoError::Read { file: named, .. } if *named == file), "{missing}");
    }
    let unknown = folder.path().join("house.nav");
    let error = save(&mesh, &unknown).unwrap_err();
    assert!(
        error.to_string().ends_with("house.nav: a navigation mesh is written as .wmesh, .wmrun or .navmesh")
    );
    assert!(!unknown.exists());
    let nowhere = folder.path().join("house.bin/below-a-file.wmesh");
    assert!(matches!(save(&mesh, &nowhere), Err(IoError::Write { file, .. }) if file == nowhere));
    let file = folder.path().join("level.wmrun");
    std::fs::write(&file, b"WMRUN").unwrap();
    for error in [open(&file).unwrap_err(), open_packed(&file, PackedChecks::All).unwrap_err()] {
        assert!(matches!(error, IoError::InvalidMesh { .. }), "{error}");
        assert!(error.to_string().contains("level.wmrun: the file ends after 5 of 320 bytes"), "{error}");
    }
}

#[test]
fn errors_about_versions_name_the_remedy() {
    let mesh = house(false);
    for (format, older, newer) in [
        (MeshFormat::Exchange, "bake the level again", "it needs a newer waymesh"),
        (MeshFormat::Packed, "run `waymesh pack` again", "it needs a newer waymesh"),
    ] {
        for (version, remedy) in [(0, older), (99, newer)] {
            let mut bytes = mesh.to_bytes(format);
            bytes[8] = version;
            let message = NavMesh::from_bytes(bytes).unwrap_err().to_string();
            assert!(
                message.contains(&format!("of version {version}")) && message.ends_with(remedy),
                "{message}"
            );
        }
    }
    assert_eq!(NavMesh::from_bytes(b"glTF"), Err(NavMeshError::UnknownFormat));
    assert_eq!(NavMesh::from_bytes([]), Err(NavMeshError::UnknownFormat));
}

#[test]
fn every_flipped_bit_is_noticed() {
    each_flipped_bit(bytes_of(&house(true)), |bytes, bit| assert!(read(bytes).is_err(), "bit {bit}"));
}

#[test]
fn every_truncation_and_any_extension_is_noticed() {
    let bytes = bytes_of(&house(true));
    for length in 0..bytes.len() {
        let error = read(&bytes[..length]).unwrap_err();
        assert!(
            matches!(error, NavMeshError::FileTruncated { .. })
                || (length == 0 && matches!(error, NavMeshError::OtherFormat { .. })),
            "{length}: {error}"
        );
    }
    for more in 1..20 {
        let mut longer = bytes.clone();
        longer.resize(bytes.len() + more, 0);
        assert!(matches!(read(&longer), Err(NavMeshError::FileLength { .. })));
    }
}

#[test]
fn other_files_and_versions_are_told_from_damage() {
    assert_eq!(read(b"glTF\x02\0\0\0"), Err(NavMeshError::OtherFormat { expected: MeshFormat::Exchange }));
    let mut bytes = bytes_of(&house(false));
    bytes[8] = 0;
    let error = read(&sealed(bytes.clone())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "this is a navigation mesh (.wmesh) of version 0, but version 1 is read: bake the level again"
    );
    bytes[8] = 1;
    bytes[216] ^= 0x40;
    assert!(matches!(read(&bytes), Err(NavMeshError::FileChecksum { .. })));
    // A text-mode transfer turns CR LF into LF.
    bytes.remove(6);
    assert!(matches!(read(&bytes), Err(NavMeshError::OtherFormat { .. })));
}

#[test]
fn counts_that_lie_are_refused_before_memory_is_asked_for() {
    let bytes = bytes_of(&house(true));
    for section in 0..10 {
        for count in [0, 2, 7, 1 << 20, 1 << 32, u64::MAX / 5, u64::MAX] {
            let mut lying = bytes.clone();
            let at = 24 + 16 * section + 8;
            if u64::from_le_bytes(lying[at..at + 8].try_into().unwrap()) == count {
                continue;
            }
            lying[at..at + 8].copy_from_slice(&count.to_le_bytes());
            assert!(read(&sealed(lying)).is_err(), "section {section} of {count}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn bytes_changed_on_purpose_give_an_error_or_a_valid_mesh(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = bytes_of(&house(true));
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(mesh) = read(&sealed(bytes)) {
            prop_assert!(waymesh_core::Validate::validate(&mesh).is_ok());
        }
    }

    #[test]
    fn several_damages_are_noticed(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 1..5),
    ) {
        let whole = bytes_of(&house(true));
        let mut bytes = whole.clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] ^= value;
        }
        prop_assert!(bytes == whole || read(&bytes).is_err());
    }

    #[test]
    fn noise_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(read(&bytes).is_err());
        let headed = [&b"WMESH\0\r\n"[..], &1_u32.to_le_bytes(), &10_u32.to_le_bytes(), &bytes].concat();
        prop_assert!(read(&headed).is_err());
    }
}
