//! Times worlds whose tiles come and go with a player.

use std::path::Path;
use std::time::Instant;

use waymesh::tile::Tile;
use waymesh::{BakeError, Baker, TriangleSoup, World};
use waymesh_scenes::{Scene, SceneConfig};

use crate::BenchError;

/// Cells of a tile's side.
const TILE_CELLS: u32 = 48;
/// Steps of the player; the median counts.
const STEPS: u32 = 7;
/// Tiles of a side of what is loaded, and where the player goes at each step.
const RINGS: [(u32, [u32; 2]); 3] = [(7, [1, 1]), (13, [1, 0]), (26, [1, 0])];

/// Moves a player through a city of this scale: tiles enter before it and leave behind it, read
/// from a folder or baked. Prints what a step takes as a table in Markdown.
///
/// # Errors
/// When a world cannot be built, or tiles cannot be written.
pub fn streaming(scale: u32, print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    let failed = |error| BenchError::stage("waymesh", "world", error);
    let soup = Scene::CityBlock.build(&SceneConfig::default().with_scale(scale));
    let folder = std::env::temp_dir().join(format!("waymesh-streaming-{}", std::process::id()));
    let result = table(&soup, &folder, print).map_err(failed);
    // Nobody reads it again; what cannot be removed stays for the system.
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn table(soup: &TriangleSoup, folder: &Path, print: &mut dyn FnMut(&str)) -> Result<(), BakeError> {
    let mut whole = World::new(Baker::voxels(), &soup.bounds(), TILE_CELLS)?;
    whole.add_triangles(soup, &mut ())?;
    whole.update(&mut ())?;
    let start = Instant::now();
    whole.write_tiles(folder, &mut ())?;
    let seconds = start.elapsed().as_secs_f64();
    let tiles: Vec<Tile> = whole.tiles().collect();
    let size = |&tile: &Tile| std::fs::metadata(folder.join(tile.file_name())).map_or(0, |file| file.len());
    let bytes: u64 = tiles.iter().map(size).sum();
    print(&format!(
        "{} tiles were written in {seconds:.2} s, {:.1} KiB each.\n\n",
        tiles.len(),
        bytes as f64 / 1024.0 / tiles.len() as f64
    ));
    print(
        "| tiles around the player | tiles that enter | polygons | reading, ms | update, ms | together | by `set_tile` from all triangles |\n|---|---|---|---|---|---|---|\n",
    );
    for (side, direction) in RINGS {
        let layout = whole.layout();
        if side + direction[0] * STEPS >= layout.columns() || side + direction[1] * STEPS >= layout.rows() {
            continue;
        }
        let read = steps(&mut World::open(Baker::voxels(), folder)?, side, direction, &mut |world, tile| {
            world.load_tile(tile).map(|_| ())
        })?;
        let mut world = World::new(Baker::voxels(), &soup.bounds(), TILE_CELLS)?;
        let baked = steps(&mut world, side, direction, &mut |world, tile| world.set_tile(tile, soup))?;
        print(&format!(
            "| {side} x {side} | {} | {} | {:.1} | {:.1} | {:.1} | {:.0} |\n",
            read.tiles,
            read.polygons,
            read.reading,
            read.updating,
            read.reading + read.updating,
            baked.reading + baked.updating
        ));
    }
    Ok(())
}

/// Medians of steps.
struct Figures {
    tiles: usize,
    polygons: usize,
    reading: f64,
    updating: f64,
}

/// Walks with a square of tiles around.
fn steps(
    world: &mut World,
    side: u32,
    [dx, dz]: [u32; 2],
    put: &mut dyn FnMut(&mut World, Tile) -> Result<(), BakeError>,
) -> Result<Figures, BakeError> {
    let square = |step: u32| -> Vec<Tile> {
        let rows = step * dz..step * dz + side;
        rows.flat_map(|row| (step * dx..step * dx + side).map(move |column| Tile { row, column })).collect()
    };
    let milliseconds = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
    let (mut reading, mut updating) = (Vec::new(), Vec::new());
    let (mut tiles, mut polygons) = (0, 0);
    for step in 0..=STEPS {
        let wanted = square(step);
        let loaded: Vec<Tile> = world.tiles().collect();
        let come: Vec<Tile> = wanted.iter().copied().filter(|tile| !loaded.contains(tile)).collect();
        let start = Instant::now();
        for &tile in loaded.iter().filter(|tile| !wanted.contains(tile)) {
            world.remove_tile(tile);
        }
        for &tile in &come {
            put(world, tile)?;
        }
        let read = milliseconds(start);
        let start = Instant::now();
        let update = world.update(&mut ())?;
        // The first one loads all of them.
        if step > 0 {
            reading.push(read);
            updating.push(milliseconds(start));
            (tiles, polygons) = (come.len(), update.polygons);
        }
    }
    let median = |mut times: Vec<f64>| {
        times.sort_unstable_by(f64::total_cmp);
        times[times.len() / 2]
    };
    Ok(Figures { tiles, polygons, reading: median(reading), updating: median(updating) })
}
