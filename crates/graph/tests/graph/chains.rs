//! A position that a mesh gave out is on the mesh for every other query.

use glam::Vec3;
use waymesh_core::{Agent, GridFrame, PolyMesh};
use waymesh_graph::NavMesh;
use waymesh_testkit::boards::{on_board, on_boards};
use waymesh_testkit::chains::{Chains, Followed};
use waymesh_testkit::flat_meshes;

use crate::meshes::{bumpy_surface, from_map, random_map, spiral};

/// Frames at which positions are rounded in different ways: cells that are no binary fraction,
/// origins near and far.
fn frames() -> impl Iterator<Item = GridFrame> {
    let origins = [Vec3::ZERO, Vec3::new(-37.31, 2.7, 12.77), Vec3::new(5_021.3, -80.1, -7_333.9)];
    origins.into_iter().flat_map(|origin| {
        [0.01, 0.1, 0.3, 0.5].map(|cell_size| GridFrame {
            origin,
            cell_size,
            level_height: 0.2,
            width: 2048,
            depth: 2048,
        })
    })
}

fn follow(mesh: &NavMesh, seed: u64, sum: &mut Followed) {
    let mut chains = Chains::new(mesh, seed);
    chains.step = 0.37 * mesh.frame().cell_size + 0.05;
    chains.walls(60);
    chains.paths(12);
    let Followed { walls, paths, hits, .. } = chains.followed;
    sum.walls += walls;
    sum.paths += paths;
    sum.hits += hits;
}

fn mesh_of(polygons: PolyMesh, bump: f32) -> NavMesh {
    let surface = bumpy_surface(&polygons, bump);
    NavMesh::new(polygons, Some(surface), Agent::default()).unwrap()
}

#[test]
fn chains_of_queries_on_maps_of_squares() {
    let mut sum = Followed::default();
    for (seed, frame) in (0..).zip(frames()) {
        let height = |x: i32, z: i32| ((x * 7 + z * 13) % 17) as f32 * 0.37;
        for walls in [10, 25, 40] {
            let mesh = mesh_of(from_map(&random_map(seed, 14, 12, walls), seed, frame, height), 1.3);
            follow(&mesh, seed, &mut sum);
        }
    }
    assert!(sum.walls > 3000 && sum.paths > 300 && sum.hits > 100, "{sum:?}");
}

#[test]
fn chains_of_queries_between_walls_of_all_directions() {
    let mut sum = Followed::default();
    for (seed, frame) in (0..).zip(frames()) {
        for blocked in [0.0, 0.2, 0.45] {
            let mut polygons = flat_meshes::crooked(seed, 14, blocked);
            polygons.frame = frame;
            if polygons.polygons.is_empty() {
                continue;
            }
            let mesh = NavMesh::new(polygons, None, Agent::default()).unwrap();
            follow(&mesh, seed, &mut sum);
        }
    }
    assert!(sum.walls > 3000 && sum.paths > 300 && sum.hits > 100, "{sum:?}");
}

#[test]
fn chains_of_queries_on_many_storeys() {
    let mut sum = Followed::default();
    for (seed, frame) in (0..).zip(frames()) {
        let mut polygons = spiral(3, 1.5);
        polygons.frame = frame;
        follow(&mesh_of(polygons, 0.0), seed, &mut sum);
    }
    assert!(sum.paths > 100, "{sum:?}");
}

/// `WAYMESH_CHAINS=N` follows N times as many.
#[test]
fn chains_of_queries_on_random_boards() {
    let times: usize = std::env::var("WAYMESH_CHAINS").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    on_boards(0x9017, 500 * times, on_board);
}
