//! Times updates of worlds of growing size.

use std::time::Instant;

use glam::{Vec3, vec3};
use waymesh::floorplan::{FloorPlan, Outline, Shape};
use waymesh::voxel::{MarkShape, Obstacle};
use waymesh::{BakeError, Baker, Bounds, PlanWorld, World, WorldUpdate};
use waymesh_scenes::{Scene, SceneConfig};

use crate::BenchError;

/// Cells of a tile's side.
const TILE_CELLS: u32 = 48;
/// Obstacles that come and go; the fastest update counts.
const ROUNDS: u16 = 5;

/// Side of a room, and of a window of its plan, in metres.
const ROOM: f64 = 8.0;
const PLAN_TILE: f64 = 10.0;

/// Puts obstacles into cities of growing size, of scales up to `largest`, and takes them away, and
/// prints what an update takes as a table in Markdown; then the same for floor plans of as many
/// times ten rooms a side.
///
/// # Errors
/// When a world cannot be built.
pub fn worlds(largest: u32, print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    print(
        "| city-block, scale | tiles | polygons | first update, ms | one obstacle, ms | of which tiles | joining and the mesh | KiB a polygon | voxels | fields | polygons of tiles | mesh, twice |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let failed = |error| BenchError::stage("waymesh", "world", error);
    let scales = || {
        std::iter::successors(Some(1), |scale| Some(2 * scale)).take_while(|&scale| scale <= largest.max(1))
    };
    for scale in scales() {
        print(&row(scale).map_err(failed)?);
    }
    print(
        "\n| floor plan, rooms | tiles | polygons | first update, ms | one obstacle, ms | of which windows | joining and the mesh |\n|---|---|---|---|---|---|---|\n",
    );
    for scale in scales() {
        print(&plan_row(10 * scale).map_err(failed)?);
    }
    Ok(())
}

fn row(scale: u32) -> Result<String, BakeError> {
    let soup = Scene::CityBlock.build(&SceneConfig::default().with_scale(scale));
    let bounds = soup.bounds();
    let mut world = World::new(Baker::voxels(), &bounds, TILE_CELLS)?;
    world.add_triangles(&soup, &mut ())?;
    let (_, first) = timed(|| world.update(&mut ()))?;
    let best = fastest(|along| {
        let at = bounds.min + (bounds.max - bounds.min) * along;
        let half = vec3(1.0, bounds.max.y - bounds.min.y, 1.0);
        let shape = MarkShape::Box { bounds: Bounds { min: at - half, max: at + half + Vec3::Y } };
        let obstacle = world.add_obstacle(Obstacle::solid(shape))?;
        let came = timed(|| world.update(&mut ()))?;
        world.remove_obstacle(obstacle);
        world.update(&mut ())?;
        Ok(came)
    })?;
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

/// Rooms in a square, with walls, doors and a pillar in each.
fn rooms(side: u32) -> FloorPlan {
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("ground", 0.0);
    let end = f64::from(side) * ROOM;
    storey.walkable.push(Shape::polygon("floor", vec![[0.0, 0.0], [end, 0.0], [end, end], [0.0, end]]));
    let mut block = |source: &str, centre, size, yaw| {
        storey.blocked.push(Shape::new(source, Outline::rectangle(centre, size, yaw)));
    };
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        let [x, z] = [column, row].map(|place| f64::from(place) * ROOM);
        // A door of 1.2 m, elsewhere in each room.
        let door = 1.5 + f64::from((row * 7 + column * 3) % 5);
        for (from, to) in [(0.0, door), (door + 1.2, ROOM)] {
            let (middle, length) = (f64::midpoint(from, to), to - from);
            block("wall", [x + middle, z], [length, 0.2], 0.0);
            block("wall", [x, z + middle], [0.2, length], 0.0);
        }
        block("pillar", [x + 4.0, z + 4.0], [0.6, 0.6], 0.1 * f64::from(row % 8));
    }
    plan
}

fn plan_row(side: u32) -> Result<String, BakeError> {
    let mut world = PlanWorld::new(Baker::plans(), rooms(side), PLAN_TILE)?;
    let (_, first) = timed(|| world.update(&mut ()))?;
    let best = fastest(|along| {
        let at = (f64::from(side) * f64::from(along)).floor() * ROOM + 2.0;
        let table = Shape::new("table", Outline::rectangle([at, at], [1.2, 0.8], 0.4));
        let obstacle = world.add_obstacle("ground", &table)?;
        let came = timed(|| world.update(&mut ()))?;
        world.remove_obstacle(obstacle);
        world.update(&mut ())?;
        Ok(came)
    })?;
    let tiles = world.tile_count();
    Ok(best.map_or_else(String::new, |(update, ms)| {
        format!(
            "| {} | {tiles} | {} | {first:.0} | {ms:.2} | {:.2} | {:.2} |\n",
            side * side,
            update.polygons,
            update.build_seconds * 1e3,
            update.join_seconds * 1e3,
        )
    }))
}

/// The fastest of some updates, each at another part of the way through the world.
fn fastest(
    mut update: impl FnMut(f32) -> Result<(WorldUpdate, f64), BakeError>,
) -> Result<Option<(WorldUpdate, f64)>, BakeError> {
    let mut best: Option<(WorldUpdate, f64)> = None;
    for round in 0..ROUNDS {
        let came = update(f32::from(2 * round + 1) / f32::from(2 * ROUNDS))?;
        if best.is_none_or(|(_, least)| came.1 < least) {
            best = Some(came);
        }
    }
    Ok(best)
}

/// Updates a world; also returns the milliseconds.
fn timed(update: impl FnOnce() -> Result<WorldUpdate, BakeError>) -> Result<(WorldUpdate, f64), BakeError> {
    let start = Instant::now();
    let update = update()?;
    Ok((update, start.elapsed().as_secs_f64() * 1e3))
}
