//! Meshes as bytes, and bytes that are none.

use glam::Vec3;
use proptest::prelude::*;
use waymesh_core::{Agent, Area, AreaId, AreaTable, PolyId};
use waymesh_graph::{
    AnyPolygon, Link, LinkEnd, LinkKind, MeshFormat, NavMesh, NavMeshError, PackedChecks, QueryScratch, Reach,
};

use crate::meshes::{
    Chance, bumpy_surface, frame, from_map, navmesh, point_in, random_flat, random_hilly, random_map,
    random_polygon, spiral,
};

/// The first corner of a polygon, as the end of a link.
fn corner_of(mesh: &NavMesh, polygon: PolyId) -> LinkEnd {
    let vertex = mesh.polygon(polygon).unwrap().corners()[0];
    LinkEnd { polygon, ends: [mesh.plan_vertices()[vertex.index()]; 2] }
}

/// Meshes of all kinds: flat, hilly, of many storeys, with a surface, with links, empty.
fn meshes() -> Vec<NavMesh> {
    let hilly = random_hilly(3, Vec3::new(100.0, -7.0, 4000.0));
    let surface = bumpy_surface(&hilly, 0.3);
    let mut linked = navmesh(from_map(&random_map(5, 12, 9, 30), 5, frame(Vec3::ZERO), |_, _| 0.0));
    let mut chance = Chance(9);
    for number in 0..7 {
        let ends =
            [0, 1].map(|_| random_polygon(&linked, &mut chance)).map(|polygon| corner_of(&linked, polygon));
        let mut link = Link::new(ends[0], ends[1], LinkKind::User);
        (link.both_ways, link.extra_cost, link.data) = (number % 2 == 0, number as f32, number);
        linked.add_link(link).unwrap();
    }
    let mut areas = AreaTable::default();
    areas.insert(AreaId::GROUND, Area::new("grass")).unwrap();
    areas.add(Area::new("river").with_cost(5.0).with_colour([0, 90, 200])).unwrap();
    let mut empty = random_flat(0);
    (empty.vertices, empty.polygons, empty.corners, empty.neighbours) = Default::default();
    vec![
        navmesh(random_flat(1)),
        NavMesh::new(hilly, Some(surface), Agent::default()).unwrap(),
        navmesh(spiral(3, 1.5)),
        linked.clone().with_area_table(areas),
        linked,
        navmesh(empty),
    ]
}

#[test]
fn the_same_mesh_comes_back_bit_by_bit() {
    for mesh in meshes() {
        for with_checksum in [false, true] {
            let bytes = mesh.to_packed(with_checksum);
            let opened = NavMesh::from_packed(&bytes, PackedChecks::All).unwrap();
            assert_eq!(opened, mesh);
            assert_eq!(opened.to_packed(with_checksum), bytes);
            // All tables are those that a bake would make.
            assert_eq!(NavMesh::from_data(opened.data()).unwrap(), mesh);
        }
        for format in [MeshFormat::Exchange, MeshFormat::Packed] {
            let bytes = mesh.to_bytes(format);
            assert_eq!(MeshFormat::of_bytes(&bytes), Some(format));
            assert_eq!(NavMesh::from_bytes(bytes).as_ref(), Ok(&mesh));
        }
    }
}

/// Bytes at an offset from the start of an allocation.
struct Shifted(Vec<u8>, usize);

impl AsRef<[u8]> for Shifted {
    fn as_ref(&self) -> &[u8] {
        &self.0[self.1..]
    }
}

#[test]
fn wherever_the_bytes_lie_and_whatever_is_checked_the_mesh_is_the_same() {
    for (seed, mesh) in (0..).zip(meshes()) {
        let bytes = mesh.to_packed(true);
        for shift in [0, 1, 2, 4, 8, 12] {
            let mut shifted = vec![0; shift];
            shifted.extend(&bytes);
            let checks = [PackedChecks::All, PackedChecks::Checksum, PackedChecks::None][shift % 3];
            let opened = NavMesh::from_packed_shared(Shifted(shifted, shift), checks).unwrap();
            assert_eq!(opened, mesh);
            // It outlives whoever opened it, and so does a copy with other links.
            let mut other = opened.clone();
            other.remove_link(waymesh_graph::LinkId(0));
            drop(opened);
            ask(&other, seed);
            assert_eq!(other.poly_mesh(), mesh.poly_mesh());
        }
    }
}

#[test]
fn a_checksum_that_is_asked_for_must_be_there() {
    let mesh = &meshes()[1];
    let [with, without] = [true, false].map(|with| mesh.to_packed(with));
    assert!(NavMesh::from_packed(&with, PackedChecks::Checksum).is_ok());
    let error = NavMesh::from_packed(&without, PackedChecks::Checksum).unwrap_err();
    assert!(matches!(error, NavMeshError::FileChecksum { stated: 0, .. }), "{error}");
    for checks in [PackedChecks::All, PackedChecks::None] {
        assert_eq!(NavMesh::from_packed(&without, checks).as_ref(), Ok(mesh));
    }
    let mut damaged = with;
    let last = damaged.len() - 70;
    damaged[last] ^= 1;
    for checks in [PackedChecks::All, PackedChecks::Checksum] {
        let error = NavMesh::from_packed(&damaged, checks).unwrap_err();
        assert!(matches!(error, NavMeshError::FileChecksum { .. }), "{error}");
    }
}

#[test]
fn every_end_that_is_too_early_or_too_late_is_an_error() {
    for mesh in meshes() {
        let mut bytes = mesh.to_packed(true);
        for length in (0..bytes.len()).step_by(7).chain(bytes.len().saturating_sub(70)..bytes.len()) {
            let error = NavMesh::from_packed(&bytes[..length], PackedChecks::All).unwrap_err();
            let is_expected = match error {
                NavMeshError::OtherFormat { .. } => length == 0,
                NavMeshError::FileTruncated { available, .. } => available == length as u64,
                _ => false,
            };
            assert!(is_expected, "{length}: {error}");
        }
        bytes.push(0);
        let error = NavMesh::from_packed(&bytes, PackedChecks::All).unwrap_err();
        assert!(matches!(error, NavMeshError::FileLength { .. }), "{error}");
    }
    let other = NavMesh::from_packed(b"WMESH\0\r\n and so on", PackedChecks::All);
    assert_eq!(other, Err(NavMeshError::OtherFormat { expected: MeshFormat::Packed }));
}

#[test]
fn other_versions_and_counts_beyond_memory_are_errors() {
    let bytes = meshes()[0].to_packed(false);
    let mut newer = bytes.clone();
    newer[8] = 2;
    let expected = NavMeshError::FileVersion { format: MeshFormat::Packed, found: 2 };
    assert_eq!(NavMesh::from_packed(&newer, PackedChecks::All), Err(expected));
    for section in 0..30 {
        let mut many = bytes.clone();
        many[24 + 8 * section..32 + 8 * section].fill(0xff);
        let error = NavMesh::from_packed(&many, PackedChecks::All).unwrap_err();
        assert!(matches!(error, NavMeshError::FileSection { elements: u64::MAX, .. }), "{error}");
    }
}

/// Asks every kind of query: whatever the answers, they come.
fn ask(mesh: &NavMesh, seed: u64) {
    let mut chance = Chance(seed);
    let (mut paths, mut surface) = (QueryScratch::default(), QueryScratch::default());
    let (mut polygons, mut walls, mut near) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..mesh.polygon_count().min(4) {
        let [from, to] = [0, 1].map(|_| {
            let polygon = random_polygon(mesh, &mut chance);
            point_in(mesh, polygon, &mut chance)
        });
        let _ = mesh.query().memory(&mut paths).path(from, to);
        let _ = mesh.query().shortest().memory(&mut paths).path(from, to);
        if let Some(place) = mesh.nearest(from, &Reach::INFINITE) {
            let _ = mesh.query().ray(place, to);
            let _ = mesh.query().memory(&mut surface).walk(place, to);
            let _ = mesh.query().memory(&mut surface).wall(place, 5.0);
            let _ = mesh.query().memory(&mut surface).walls(place, 5.0, &mut walls);
            let _ = mesh.query().memory(&mut paths).polygons_within(place, 20.0, &mut near);
        }
        mesh.polygons_in_circle(from, &Reach::new(3.0, 3.0, 3.0), &AnyPolygon, &mut polygons);
    }
    assert!(mesh.polygons().all(|polygon| polygon.corners().len() >= 3));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_are_found_by_the_checksum_and_never_panic_without_it(
        which in 0_usize..6, at in any::<prop::sample::Index>(), bits in 1_u8..=255, more in 0_usize..3, seed in any::<u64>(),
    ) {
        thread_local! {
            static PACKED: Vec<[Vec<u8>; 2]> =
                meshes().iter().map(|mesh| [true, false].map(|with| mesh.to_packed(with))).collect();
        }
        let [summed, plain] = PACKED.with(|packed| packed[which].clone());
        let mut damaged = summed;
        let place = at.index(damaged.len());
        damaged[place] ^= bits;
        let opened = NavMesh::from_packed(&damaged, PackedChecks::All);
        // A checksum of 0 means that there is none.
        let is_unsummed = damaged[12..16] == [0; 4];
        prop_assert!(opened.is_err() || is_unsummed);
        // Without one, what still makes sense makes a mesh.
        let mut damaged = plain;
        let mut chance = Chance(seed);
        damaged[place] ^= bits;
        for _ in 0..more {
            let place = chance.below(damaged.len());
            damaged[place] ^= 1 << chance.below(8);
        }
        match NavMesh::from_packed(&damaged, PackedChecks::All) {
            Ok(mesh) => ask(&mesh, seed),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

/// Returns the start of a section.
fn section_of(bytes: &[u8], section: usize) -> usize {
    const SIZES: [usize; 29] = [
        100, 12, 12, 4, 4, 12, 4, 16, 4, 4, 1, 8, 4, 1, 24, 4, 16, 4, 24, 192, 4, 4, 12, 12, 4, 36, 64, 4, 68,
    ];
    let count = |section: usize| {
        let at = 24 + 8 * section;
        usize::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
    };
    (0..section).fold(320, |at, section| at + (count(section) * SIZES[section]).next_multiple_of(64))
}

#[test]
fn a_table_that_breaks_an_invariant_is_named() {
    // Without a surface, and with one.
    let [flat, hilly] = [0, 1].map(|which| meshes().swap_remove(which));
    let change = |mesh: &NavMesh, section: usize, at: usize, value: u32| {
        let mut bytes = mesh.to_packed(false);
        let place = section_of(&bytes, section) + at;
        bytes[place..place + 4].copy_from_slice(&value.to_le_bytes());
        NavMesh::from_packed(&bytes, PackedChecks::All).unwrap_err()
    };
    let error = change(&flat, 4, 0, 1 << 30);
    assert!(matches!(error, NavMeshError::OutOfRange { table: "corners", element: 0, .. }), "{error}");
    let neighbour =
        flat.polygon(PolyId(0)).unwrap().neighbours().position(|beyond| beyond.is_some()).unwrap();
    // Another vertex, another neighbour: adjacent entries contradict them.
    let second = flat.polygon(PolyId(0)).unwrap().corners()[1].0;
    let error = change(&flat, 4, 0, second);
    assert_eq!(error, NavMeshError::PackedDerived { table: "corners", element: 0 });
    let error = change(&flat, 6, 4 * neighbour, 0);
    assert_eq!(error, NavMeshError::PackedDerived { table: "walk", element: neighbour });
    let error = change(&flat, 8, 4 * neighbour, 1 << 20);
    assert_eq!(error, NavMeshError::PackedDerived { table: "walk", element: neighbour });
    for (mesh, section, at, table) in [
        (&flat, 2, 4, "positions"),
        (&flat, 5, 24, "corners"),
        (&flat, 14, 0, "bounds"),
        (&flat, 15, 0, "polygon_islands"),
        (&flat, 16, 0, "islands"),
        (&flat, 16, 8, "islands"),
        (&flat, 18, 4, "boxes"),
        (&flat, 19, 8, "boxes"),
        (&hilly, 14, 20, "bounds"),
        (&flat, 20, 4, "squares"),
        (&flat, 21, 0, "squares"),
        (&hilly, 25, 8, "ground_triangles"),
        (&hilly, 26, 0, "ground_triangles"),
        (&hilly, 27, 0, "ground_first"),
        (&flat, 0, 64, "frame"),
        (&flat, 0, 88, "squares"),
    ] {
        let error = change(mesh, section, at, 77);
        assert!(
            matches!(error, NavMeshError::PackedDerived { table: found, .. } if found == table),
            "{error}"
        );
    }
    for (section, table) in [(9, "fans"), (17, "order")] {
        let error = change(&flat, section, 0, 1 << 29);
        assert!(matches!(error, NavMeshError::OutOfRange { table: found, .. } if found == table), "{error}");
    }
    // A loop that does not turn, and an edge whose neighbour has another one, are found though all
    // tables agree.
    let mut bytes = flat.to_packed(false);
    let range = 0..flat.polygon(PolyId(0)).unwrap().corners().len();
    for (section, size) in [(4, 4), (5, 12), (7, 16)] {
        let first = section_of(&bytes, section);
        let length = if section == 7 { 8 } else { size };
        // Corners the other way round, and what lies beyond where it was.
        let old: Vec<u8> = bytes[first..first + size * range.len()].to_vec();
        for corner in range.clone() {
            let from = size * (range.end - 1 - corner);
            bytes[first + size * corner..][..length].copy_from_slice(&old[from..from + length]);
        }
    }
    let error = NavMesh::from_packed(&bytes, PackedChecks::All).unwrap_err();
    assert_eq!(error, NavMeshError::NotConvex { polygon: PolyId(0) });
    let mut bytes = flat.to_packed(false);
    for (section, size, offset) in [(6, 4, 0), (7, 16, 8)] {
        let place = section_of(&bytes, section) + size * neighbour + offset;
        bytes[place..place + 4].copy_from_slice(&0_u32.to_le_bytes());
    }
    let error = NavMesh::from_packed(&bytes, PackedChecks::All).unwrap_err();
    assert_eq!(error, NavMeshError::OneSided { edge: neighbour, neighbour: 0 });
}
