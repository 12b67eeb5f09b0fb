//! Times updates of worlds of growing size.

use std::time::Instant;

use glam::{Vec3, vec3};
use waymesh::voxel::{MarkShape, Obstacle};
use waymesh::{BakeError, Baker, Bounds, World, WorldUpdate};
use waymesh_scenes::{Scene, SceneConfig};

use crate::BenchError;

/// Cells of a tile's side.
const TILE_CELLS: u32 = 48;
/// Obstacles that come and go; the fastest update counts.
const ROUNDS: u16 = 5;

/// Puts obstacles into cities of growing size, of scales up to `largest`, and takes them away, and
/// prints what an update takes as a table in Markdown.
///
/// # Errors
/// When a world cannot be built.
pub fn worlds(largest: u32, print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    print(
        "| city-block, scale | tiles | polygons | first update, ms | one obstacle, ms | of which tiles | joining and the mesh | KiB a polygon | voxels | fields | polygons of tiles | mesh, twice |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut scale = 1;
    while scale <= largest.max(1) {
        print(&row(scale).map_err(|error| BenchError::stage("waymesh", "world", error))?);
        scale *= 2;
    }
    Ok(())
}

fn row(scale: u32) -> Result<String, BakeError> {
    let soup = Scene::CityBlock.build(&SceneConfig::default().with_scale(scale));
    let bounds = soup.bounds();
    let mut world = World::new(Baker::voxels(), &bounds, TILE_CELLS)?;
    world.add_triangles(&soup, &mut ())?;
    let (_, first) = timed(&mut world)?;
    let mut best: Option<(WorldUpdate, f64)> = None;
    for round in 0..ROUNDS {
        // Another tile each time.
        let at = bounds.min + (bounds.max - bounds.min) * f32::from(2 * round + 1) / f32::from(2 * ROUNDS);
        let half = vec3(1.0, bounds.max.y - bounds.min.y, 1.0);
        let shape = MarkShape::Box { bounds: Bounds { min: at - half, max: at + half + Vec3::Y } };
        let obstacle = world.add_obstacle(Obstacle::solid(shape))?;
        let came = timed(&mut world)?;
        if best.is_none_or(|(_, least)| came.1 < least) {
            best = Some(came);
        }
        world.remove_obstacle(obstacle);
        world.update(&mut ())?;
    }
    let tiles = world.tiles().count();
    let memory = world.memory();
    Ok(best.map_or_else(String::new, |(update, ms)| {
        let kib = |bytes: usize| bytes as f64 / 1024.0 / update.polygons.max(1) as f64;
        let parts = [memory.all(), memory.voxels, memory.fields, memory.polygons, memory.mesh].map(kib);
        format!(
            "| {scale} | {tiles} | {} | {first:.0} | {ms:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |\n",
            update.polygons,
            update.build_seconds * 1e3,
            update.join_seconds * 1e3,
            parts[0],
            parts[1],
            parts[2],
            parts[3],
            parts[4]
        )
    }))
}

/// Updates a world; also returns the milliseconds.
fn timed(world: &mut World) -> Result<(WorldUpdate, f64), BakeError> {
    let start = Instant::now();
    let update = world.update(&mut ())?;
    Ok((update, start.elapsed().as_secs_f64() * 1e3))
}
