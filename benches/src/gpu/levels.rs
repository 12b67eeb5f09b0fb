//! The levels of the tables.

use glam::Vec3;
use waymesh_core::{GridScale, Random, TriangleSoup, to_u32};
use waymesh_scenes::{MAX_SCALE, Scene, SceneConfig};

use super::{GpuBenchOptions, failed};
use crate::BenchError;

/// A level and its cells.
pub(super) struct Level {
    pub(super) name: String,
    pub(super) soup: TriangleSoup,
    pub(super) scale: GridScale,
}

impl Level {
    fn new(name: &str, soup: TriangleSoup, cell: f32) -> Self {
        // Levels as fine as cells, but not finer than the usual ones of a cell of 0.3 m.
        Self { name: name.to_owned(), soup, scale: GridScale::new(cell, cell.min(0.2)) }
    }

    /// A small one.
    pub(super) fn small() -> Self {
        Self::new("stairs", Scene::SpiralStairs.build(&SceneConfig::default()), 0.2)
    }

    fn named(name: &str, cell: f32) -> Result<Self, BenchError> {
        let level = crate::Level::named(name).map_err(|message| failed("levels", message))?;
        Ok(Self::new(name, level.load()?, cell))
    }
}

/// Cell sizes in metres of nav_test, twice, the city, the garage and the soup.
const CELLS: [f32; 5] = [0.05, 0.02, 0.3, 0.02, 0.1];
const CELLS_IN_SOFTWARE: [f32; 5] = [0.1, 0.05, 0.3, 0.1, 0.1];
const CITY: u64 = 20_000_000;
const CITY_IN_SOFTWARE: u64 = 78_000;
const SOUP: u32 = 10_000_000;
const SOUP_IN_SOFTWARE: u32 = 50_000;

/// The levels that were asked for, or the usual ones.
pub(super) fn levels(options: &GpuBenchOptions) -> Result<Vec<Level>, BenchError> {
    if !options.scenes.is_empty() {
        let level = |given: &String| {
            let (name, cell) = given.rsplit_once('@').unwrap_or((given, "0.1"));
            let cell = cell.parse().map_err(|error| failed("levels", error))?;
            Level::named(name, cell)
        };
        return options.scenes.iter().map(level).collect();
    }
    let software = options.software;
    let cells = if software { CELLS_IN_SOFTWARE } else { CELLS };
    let city = options.city.unwrap_or(if software { CITY_IN_SOFTWARE } else { CITY });
    let soup = options.soup.unwrap_or(if software { SOUP_IN_SOFTWARE } else { SOUP });
    let mut levels = Vec::new();
    // Those of the folder of real levels, where they are.
    for (name, cell) in [("nav_test", cells[0]), ("nav_test", cells[1]), ("parking_garage", cells[3])] {
        levels.extend(Level::named(name, cell).ok());
    }
    if levels.is_empty() {
        levels.push(Level::new(
            "dungeon-rooms",
            Scene::DungeonRooms.build(&SceneConfig::default()),
            cells[1],
        ));
    }
    levels.push(Level::new("city", city_of(city), cells[2]));
    levels.push(Level::new("soup", soup_of(soup), cells[4]));
    Ok(levels)
}

/// The smallest city with so many triangles; the largest one, if it has fewer.
fn city_of(triangles: u64) -> TriangleSoup {
    let config = |scale| SceneConfig::default().with_scale(scale);
    let one = Scene::City.build(&config(1));
    let each = one.triangles().len() as u64;
    let scale = (1..MAX_SCALE).find(|&scale| u64::from(scale) * u64::from(scale) * each >= triangles);
    match scale.unwrap_or(MAX_SCALE) {
        1 => one,
        scale => Scene::City.build(&config(scale)),
    }
}

/// Triangles of half a metre anywhere in a box of 20 m height, in which as many overlap everywhere.
fn soup_of(triangles: u32) -> TriangleSoup {
    let mut random = Random::new(5);
    let side = (triangles as f32).sqrt() * 0.08;
    let mut corners = Vec::with_capacity(3 * triangles as usize);
    for _ in 0..triangles {
        let at = Vec3::new(random.range(0.0, side), random.range(0.0, 20.0), random.range(0.0, side));
        let mut near =
            || Vec3::new(random.range(-0.5, 0.5), random.range(-0.1, 0.1), random.range(-0.5, 0.5));
        corners.extend([at, at + near(), at + near()]);
    }
    let all =
        (0..to_u32(corners.len() / 3)).map(|index| [0, 1, 2].map(|corner| 3 * index + corner)).collect();
    // As many corners as are named.
    TriangleSoup::new(corners, all).unwrap_or_default()
}
