//! Plans that are triangulated and cut, and what the tables of both have in common.

use std::path::{Path, PathBuf};

use clap::Args;
use waymesh::core::{PolygonSet, float};
use waymesh::io::svg::Picture;
use waymesh::{BakeConfig, Baker, Voxels};
use waymesh_testkit::levels::find;
use waymesh_testkit::plans::{from_rings, hall, read_rings};
use waymesh_triangulate::{RepairConfig, repair_polygons};

use crate::BenchError;
use crate::engine::{Clock, Stage, Time};
use crate::levels::Level;

/// What the tables of plans are told.
#[derive(Clone, Debug, Args)]
pub struct PlanOptions {
    /// Vertices of the largest hall in the table of growth, up to 1000000; no such table with 0.
    #[arg(long, default_value_t = 0)]
    pub largest: u32,
    /// Folder for pictures of the smaller inputs.
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

/// Polygons from files, in `../shared/scenes/polygons2d`.
const FILES: [&str; 21] = [
    "earcut_fixtures/building.json",
    "earcut_fixtures/dude.json",
    "earcut_fixtures/eberly-6.json",
    "earcut_fixtures/hilbert.json",
    "earcut_fixtures/issue35.json",
    "earcut_fixtures/rain.json",
    "earcut_fixtures/simplified-us-border.json",
    "earcut_fixtures/water.json",
    "earcut_fixtures/water2.json",
    "earcut_fixtures/water3.json",
    "earcut_fixtures/water4.json",
    "earcut_fixtures/water-huge.json",
    "earcut_fixtures/water-huge2.json",
    "earcut_fixtures/water-huge3.json",
    "georust/geo-test-fixtures/fixtures/east_baton_rouge.wkt",
    "georust/geo-test-fixtures/fixtures/louisiana.wkt",
    "georust/geo-test-fixtures/fixtures/nl_plots_epsg_28992.wkt",
    "georust/geo-test-fixtures/fixtures/nl_zones.wkt",
    "georust/geo-test-fixtures/fixtures/norway_concave_hull.wkt",
    "georust/geo-test-fixtures/fixtures/norway_main.wkt",
    "georust/geo-test-fixtures/fixtures/vw_orig.wkt",
];

/// Levels whose walkable ground is cut.
const LEVELS: [&str; 3] = ["nav_test", "dungeon", "undulating"];

/// Sizes of generated halls, from the smallest to the largest plan of the papers, and vertices of a
/// pillar.
const HALLS: [(u32, u32); 6] = [(23, 7), (50, 8), (100, 10), (250, 12), (500, 12), (965, 12)];

/// Farthest that repair may move a border, in cells of the finest grid that 32 bits allow.
const REPAIR_CELLS: f32 = 3.0;

/// Sound polygons.
pub(crate) struct Plan {
    pub(crate) name: String,
    pub(crate) polygons: PolygonSet,
    /// `true` if borders had to be changed.
    pub(crate) repaired: bool,
}

/// All plans there are, repaired where they need it, with a note about those.
pub(crate) fn plans(table: &'static str, notes: &mut Vec<String>) -> Result<Vec<Plan>, BenchError> {
    let mut plans = Vec::new();
    for (vertices, round) in HALLS {
        let polygons = hall(u64::from(vertices), vertices, round);
        plans.push(Plan { name: format!("hall of {vertices}"), polygons, repaired: false });
    }
    for file in FILES.iter().filter_map(|file| find(&format!("polygons2d/{file}"))) {
        let text = std::fs::read_to_string(&file)
            .map_err(|error| BenchError::stage(table, Stage::Polygons, error))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let read = from_rings(&read_rings(&text));
        let config = RepairConfig::default().with_max_border_shift(REPAIR_CELLS * read.frame.cell_size);
        match repair_polygons(&read, &config) {
            Ok((polygons, report)) => {
                if !report.repaired.is_empty() {
                    notes.push(format!(
                        "{name}: repaired {} of {} polygons: {} cuts, {} pieces split off, {} vanished, borders moved by {:.2} cells at most",
                        report.repaired.len(),
                        read.polygons.len(),
                        report.edges_cut,
                        report.split_off.len(),
                        report.vanished.len(),
                        report.border_shift / read.frame.cell_size,
                    ));
                }
                plans.push(Plan { name, polygons, repaired: !report.repaired.is_empty() });
            }
            Err(error) => notes.push(format!("{name}: left out: {error}")),
        }
    }
    for level in LEVELS.iter().filter_map(|name| Level::named(name).ok()) {
        let pipeline = Baker::new(Voxels, BakeConfig::default().with_threads(1));
        let stages = pipeline
            .bake_stages(&level.load()?, &mut ())
            .map_err(|error| BenchError::stage(table, Stage::Polygons, error))?;
        plans.push(Plan { name: level.name, polygons: stages.contours.polygons(), repaired: false });
    }
    Ok(plans)
}

/// The result of one algorithm, and the least time of three runs, or of one that takes long.
pub(crate) fn timed<T>(mut algorithm: impl FnMut() -> T) -> (T, Time) {
    let mut best: Option<(T, Time)> = None;
    for _ in 0..3 {
        let mut clock = Clock::start();
        let result = algorithm();
        clock.lap(Stage::Polygons);
        let time = clock.times().get(Stage::Polygons);
        let slow = time.wall > 0.5;
        if best.as_ref().is_none_or(|(_, least)| time.cpu < least.cpu) {
            best = Some((result, time));
        }
        if slow {
            break;
        }
    }
    best.unwrap_or_else(|| unreachable!("three runs were made"))
}

pub(crate) fn milliseconds(time: Time) -> f64 {
    time.cpu * 1e3
}

pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// The exponent of a power law through the first and the last of `(size, time)`.
pub(crate) fn growth_exponent(measured: &[(f64, f64)]) -> Option<f64> {
    let [first, .., last] = measured else { return None };
    Some(float::ln(last.1 / first.1) / float::ln(last.0 / first.0))
}

/// Writes a picture named after an input.
pub(crate) fn write_picture(picture: &Picture, folder: &Path, name: &str) -> Result<(), BenchError> {
    let file = folder.join(format!("{}.svg", name.replace([' ', '/'], "-")));
    Ok(waymesh_io::write_file(&file, |writer| {
        std::io::Write::write_all(writer, picture.to_svg().as_bytes())
    })?)
}
