//! Meshes as bytes, and bytes that are none.

use glam::Vec3;
use proptest::prelude::*;
use waymesh_core::{Agent, CellId};
use waymesh_graph::{
    AnyCell, Checksum, Link, LinkEnd, LinkKind, NavMesh, NavMeshError, PathScratch, Reach, SurfaceScratch,
};

use crate::meshes::{
    Chance, bumpy_surface, frame, from_map, navmesh, point_in, random_cell, random_flat, random_hilly,
    random_map, spiral,
};

/// The first corner of a cell, as the end of a link.
fn corner_of(mesh: &NavMesh, cell: CellId) -> LinkEnd {
    let vertex = mesh.cell(cell).unwrap().corners()[0];
    LinkEnd { cell, ends: [mesh.plan_vertices()[vertex.index()]; 2] }
}

/// Meshes of all kinds: flat, hilly, of many storeys, with a surface, with links, empty.
fn meshes() -> Vec<NavMesh> {
    let hilly = random_hilly(3, Vec3::new(100.0, -7.0, 4000.0));
    let surface = bumpy_surface(&hilly, 0.3);
    let mut linked = navmesh(from_map(&random_map(5, 12, 9, 30), 5, frame(Vec3::ZERO), |_, _| 0.0));
    let mut chance = Chance(9);
    for number in 0..7 {
        let ends = [0, 1].map(|_| random_cell(&linked, &mut chance)).map(|cell| corner_of(&linked, cell));
        let mut link = Link::new(ends[0], ends[1], LinkKind::User);
        (link.both_ways, link.extra_cost, link.data) = (number % 2 == 0, number as f32, number);
        linked.add_link(link).unwrap();
    }
    let mut empty = random_flat(0);
    (empty.vertices, empty.cells, empty.corners, empty.neighbours) = Default::default();
    vec![
        navmesh(random_flat(1)),
        NavMesh::new(hilly, Some(surface), Agent::default()).unwrap(),
        navmesh(spiral(3, 1.5)),
        linked,
        navmesh(empty),
    ]
}

#[test]
fn the_same_mesh_comes_back_bit_by_bit() {
    for mesh in meshes() {
        for with_checksum in [false, true] {
            let bytes = mesh.to_packed(with_checksum);
            let opened = NavMesh::from_packed(&bytes, Checksum::Verify).unwrap();
            assert_eq!(opened, mesh);
            assert_eq!(opened.to_packed(with_checksum), bytes);
            // The tables that are not packed are those that a bake would make.
            assert_eq!(NavMesh::from_data(opened.data()).unwrap(), mesh);
        }
    }
}

#[test]
fn every_end_that_is_too_early_or_too_late_is_an_error() {
    for mesh in meshes() {
        let mut bytes = mesh.to_packed(true);
        for length in (0..bytes.len()).step_by(7).chain(bytes.len().saturating_sub(70)..bytes.len()) {
            let error = NavMesh::from_packed(&bytes[..length], Checksum::Skip).unwrap_err();
            let is_expected = match error {
                NavMeshError::NotPacked => length == 0,
                NavMeshError::PackedTruncated { available, .. } => available == length as u64,
                _ => false,
            };
            assert!(is_expected, "{length}: {error}");
        }
        bytes.push(0);
        let error = NavMesh::from_packed(&bytes, Checksum::Skip).unwrap_err();
        assert!(matches!(error, NavMeshError::PackedLength { .. }), "{error}");
    }
    let other = NavMesh::from_packed(b"WMESH\0\r\n and so on", Checksum::Verify);
    assert_eq!(other, Err(NavMeshError::NotPacked));
}

#[test]
fn other_versions_and_counts_beyond_memory_are_errors() {
    let bytes = meshes()[0].to_packed(false);
    let mut newer = bytes.clone();
    newer[8] = 2;
    let expected = NavMeshError::PackedVersion { found: 2, supported: 1 };
    assert_eq!(NavMesh::from_packed(&newer, Checksum::Verify), Err(expected));
    for section in 0..13 {
        let mut many = bytes.clone();
        many[24 + 8 * section..32 + 8 * section].fill(0xff);
        let error = NavMesh::from_packed(&many, Checksum::Verify).unwrap_err();
        assert!(matches!(error, NavMeshError::PackedSection { elements: u64::MAX, .. }), "{error}");
    }
}

/// Asks every kind of query: whatever the answers, they come.
fn ask(mesh: &NavMesh, seed: u64) {
    let mut chance = Chance(seed);
    let (mut paths, mut surface) = (PathScratch::default(), SurfaceScratch::default());
    let (mut cells, mut walls, mut near) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..mesh.cell_count().min(4) {
        let [from, to] = [0, 1].map(|_| {
            let cell = random_cell(mesh, &mut chance);
            point_in(mesh, cell, &mut chance)
        });
        let _ = mesh.find_path(from, to, &mut paths);
        let _ = mesh.find_shortest_path(from, to, &mut paths);
        if let Some(place) = mesh.nearest(from, &Reach::INFINITE) {
            let _ = mesh.raycast(&place, to, &AnyCell, &mut cells);
            let _ = mesh.move_along(&place, to, &AnyCell, &mut surface);
            let _ = mesh.nearest_wall(&place, 5.0, &AnyCell, &mut surface);
            let _ = mesh.walls_within(&place, 5.0, &AnyCell, &mut surface, &mut walls);
            let _ = mesh.cells_within(&place, 20.0, &AnyCell, &mut paths, &mut near);
        }
        mesh.cells_in_circle(from, &Reach::new(3.0, 3.0, 3.0), &AnyCell, &mut cells);
    }
    assert!(mesh.cells().all(|cell| cell.corners().len() >= 3));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_are_found_by_the_checksum_and_never_panic_without_it(
        which in 0_usize..5, at in any::<prop::sample::Index>(), bits in 1_u8..=255, more in 0_usize..3, seed in any::<u64>(),
    ) {
        thread_local! {
            static PACKED: Vec<[Vec<u8>; 2]> =
                meshes().iter().map(|mesh| [true, false].map(|with| mesh.to_packed(with))).collect();
        }
        let [summed, plain] = PACKED.with(|packed| packed[which].clone());
        let mut damaged = summed;
        let place = at.index(damaged.len());
        damaged[place] ^= bits;
        let opened = NavMesh::from_packed(&damaged, Checksum::Verify);
        // Where the checksum becomes 0 it states that there is none.
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
        match NavMesh::from_packed(&damaged, Checksum::Skip) {
            Ok(mesh) => ask(&mesh, seed),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn a_table_that_breaks_an_invariant_is_named() {
    let mesh = &meshes()[0];
    let bytes = mesh.to_packed(false);
    // The corners follow the frame, the vertices and the first corners.
    let padded = |length: usize| length.next_multiple_of(64);
    let corners = 128 + 64 + padded(12 * mesh.vertices().len()) + padded(4 * (mesh.cell_count() + 1));
    let change = |place: usize, value: u32| {
        let mut bytes = bytes.clone();
        bytes[place..place + 4].copy_from_slice(&value.to_le_bytes());
        NavMesh::from_packed(&bytes, Checksum::Skip).unwrap_err()
    };
    let error = change(corners, 1 << 30);
    assert!(matches!(error, NavMeshError::OutOfRange { table: "corners", element: 0, .. }), "{error}");
    // Another vertex: the cell is crooked, or its neighbour has another edge.
    let [first, second] = [0, 1].map(|corner| mesh.cell(CellId(0)).unwrap().corners()[corner].0);
    assert_ne!(first, second);
    let error = change(corners, second);
    assert_eq!(error, NavMeshError::NotConvex { cell: CellId(0) });
    let neighbour = mesh.cell(CellId(0)).unwrap().neighbours().position(|beyond| beyond.is_some()).unwrap();
    let error = change(corners + 16 * neighbour + 8, 0);
    assert!(matches!(error, NavMeshError::OneSided { .. }), "{error}");
}
