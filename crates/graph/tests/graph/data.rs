//! The mesh as tables, sound and damaged.

use glam::Vec3;
use proptest::prelude::*;
use waymesh_core::{Agent, Validate};
use waymesh_graph::{LinkData, NavMesh, NavMeshData, NavMeshError, PathOptions, QueryScratch, Reach};

use crate::meshes::{Chance, bumpy_surface, random_hilly, spiral};

fn sound(seed: u64, with_surface: bool) -> NavMesh {
    let polygons =
        if seed.is_multiple_of(4) { spiral(2, 0.7) } else { random_hilly(seed, Vec3::new(0.1, 2.3, -7.0)) };
    let surface = with_surface.then(|| bumpy_surface(&polygons, 0.5));
    NavMesh::new(polygons, surface, Agent::default().with_radius(0.3)).unwrap()
}

#[test]
fn a_reloaded_mesh_is_the_same_bit_by_bit() {
    for seed in 0..8 {
        let mesh = sound(seed, seed % 2 == 0);
        let data = mesh.data();
        let again = NavMesh::from_data(data.clone()).unwrap();
        assert_eq!(again, mesh);
        assert_eq!(format!("{again:?}"), format!("{mesh:?}"));
        assert_eq!(again.data(), data);
    }
}

#[test]
fn damage_is_named() {
    let data = sound(1, true).data();
    let refused = |change: &dyn Fn(&mut NavMeshData)| {
        let mut data = data.clone();
        change(&mut data);
        NavMesh::from_data(data).unwrap_err().to_string()
    };
    let polygons = data.polygon_areas.len();
    assert_eq!(
        refused(&|data| data.polygon_neighbours[2] = polygons as u32),
        format!("entry 2 of polygon_neighbours is {polygons}, the limit is {}", polygons - 1)
    );
    assert_eq!(
        refused(&|data| data.surface_triangles[5] = 4_000_000_000),
        format!("entry 5 of surface_triangles is 4000000000, the limit is {}", data.surface_points.len() - 1)
    );
    assert_eq!(
        refused(&|data| data.polygon_first[1] = u32::MAX),
        format!(
            "entry 1 of polygon_first is {}, out of order or beyond {}",
            u32::MAX,
            data.polygon_corners.len()
        )
    );
    let shorter = data.vertex_x.len() - 1;
    assert_eq!(
        refused(&|data| data.vertex_z.truncate(shorter)),
        format!("table vertex_z has {shorter} entries where {} are needed", shorter + 1)
    );
    assert!(refused(&|data| data.agent_radius = f32::NAN).contains("radius"));
    assert!(refused(&|data| data.origin[1] = f32::INFINITY).contains("origin.y"));
    assert!(refused(&|data| data.surface_first.clear()).contains("surface_points"));
    assert!(refused(&|data| data.surface_points[0][1] = f32::NAN).contains("surface_points"));
    assert!(refused(&|data| data.surface_max_error = f32::INFINITY).contains("surface_max_error"));
    assert!(matches!(
        NavMesh::from_data(NavMeshData::default()),
        Err(NavMeshError::BadField(_) | NavMeshError::TableLength { .. })
    ));
}

/// Queries of every kind, near and far.
fn exercise(mesh: &NavMesh, seed: u64) {
    let mut chance = Chance(seed);
    let mut scratch = QueryScratch::default();
    let options = PathOptions::default().with_cross_points(true).with_reach(Reach::INFINITE);
    for view in mesh.polygons() {
        assert!(view.corners().len() >= 3 && view.positions().all(Vec3::is_finite));
    }
    for _ in 0..8 {
        let mut place = || {
            let vertices = mesh.vertices();
            match vertices.len() {
                0 => Vec3::ZERO,
                count => vertices[chance.below(count)] + Vec3::splat(chance.unit() * 3.0),
            }
        };
        let (from, to) = (place(), place());
        let _ = mesh.nearest(from, &mesh.default_reach());
        if let Ok(path) = mesh.query().options(options).memory(&mut scratch).path(from, to) {
            assert_eq!(path.polygons.is_empty(), path.points.is_empty());
        }
    }
    assert!(mesh.validate().is_ok());
}

#[derive(Clone, Copy, Debug)]
enum Damage {
    Set,
    Remove,
    Repeat,
    Swap,
}

fn damage<T: Copy>(table: &mut Vec<T>, how: Damage, place: usize, value: T) {
    if table.is_empty() {
        table.push(value);
        return;
    }
    let place = place % table.len();
    match how {
        Damage::Set => table[place] = value,
        Damage::Remove => drop(table.remove(place)),
        Damage::Repeat => table.insert(place, table[place]),
        Damage::Swap => {
            let last = table.len() - 1;
            table.swap(place, last);
        }
    }
}

fn number() -> impl Strategy<Value = u32> {
    prop_oneof![any::<u32>(), 0_u32..300, Just(u32::MAX), Just(1 << 31)]
}

fn float() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<u32>().prop_map(f32::from_bits),
        -100.0_f32..100.0,
        Just(f32::NAN),
        Just(f32::INFINITY),
        Just(f32::MAX),
        Just(0.0),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn damaged_data_is_an_error_or_a_mesh_but_never_a_panic(
        seed in 0_u64..6,
        surface in any::<bool>(),
        hits in prop::collection::vec(
            (
                0_usize..28,
                prop_oneof![3 => Just(Damage::Set), 1 => Just(Damage::Remove), 1 => Just(Damage::Repeat), 1 => Just(Damage::Swap)],
                any::<usize>(),
                number(),
                float(),
            ),
            1..3,
        ),
    ) {
        let mut data = sound(seed, surface).data();
        for (table, how, place, number, value) in hits {
            let signed = number.cast_signed();
            match table {
                0 => data.origin[place % 3] = value,
                1 => data.cell_size = value,
                2 => data.level_height = value,
                3 => data.width = number,
                4 => data.depth = number,
                5 => data.agent_height = value,
                6 => data.agent_radius = value,
                7 => data.agent_max_step = value,
                8 => data.agent_max_slope = value,
                9 => damage(&mut data.vertex_x, how, place, signed),
                10 => damage(&mut data.vertex_z, how, place, signed),
                11 => damage(&mut data.vertex_height, how, place, value),
                12 => damage(&mut data.polygon_first, how, place, number),
                13 => damage(&mut data.polygon_corners, how, place, number),
                14 => damage(&mut data.polygon_neighbours, how, place, number),
                15 => damage(&mut data.polygon_regions, how, place, number),
                16 => damage(&mut data.polygon_areas, how, place, number as u8),
                17 => damage(&mut data.surface_points, how, place, [value, 1.0, 2.0]),
                18 => damage(&mut data.surface_points, how, place, [1.0, value, 2.0]),
                19 => damage(&mut data.surface_triangles, how, place, number),
                20 => damage(&mut data.surface_first, how, place, number),
                21 => data.surface_max_error = value,
                22 => damage(&mut data.vertex_x, how, place, signed % 200),
                23 => damage(&mut data.vertex_z, how, place, signed % 200),
                24 => data.links.push(LinkData { polygons: [number % 8, 0], kind: 257, ..LinkData::default() }),
                25 => data.links.push(LinkData { extra_cost: value, kind: number % 4, ..LinkData::default() }),
                26 => data.links.push(LinkData { heights: [value; 4], points: [[signed % 50, 0]; 4], ..LinkData::default() }),
                _ => data.links.push(LinkData { points: [[0, 0], [8, 0], [signed % 9, 0], [8, signed % 9]], ..LinkData::default() }),
            }
        }
        if let Ok(mesh) = NavMesh::from_data(data) {
            exercise(&mesh, seed);
        }
    }
}
