//! The graphics card compared with the processor and native Recast.

mod stages;
mod storeys;

use std::cell::RefCell;

use anyhow::{Result, bail, ensure};
use clap::Args;
use glam::Vec3;
use waymesh::{BakeConfig, Baker};
use waymesh_convex::{Closest, NotchSearch, NotchTables, Partner, find_portals};
use waymesh_core::{GridScale, Random, TriangleSoup, to_u32};
use waymesh_gpu::{
    GpuContext, GpuDepth, GpuDevice, GpuNotches, GpuOptions, GpuRasterizer, GpuRough, GpuTimes,
};
use waymesh_scenes::{MAX_SCALE, Scene, SceneConfig};
use waymesh_testkit::plans;
use waymesh_triangulate::triangulate_cdt;

use crate::measure::{Time, fastest, head, row};
use crate::say;

/// Options of [`gpu`].
#[derive(Clone, Debug, Args)]
pub struct GpuBenchOptions {
    /// An adapter in software, which is a program on this processor: everything is done, on smaller
    /// scenes, and no time says anything about a card.
    #[arg(long)]
    software: bool,
    /// A part of the adapter's name [default: the fastest one].
    #[arg(long, value_name = "NAME", default_value = "")]
    adapter: String,
    /// Levels instead of the usual ones: names or files, each with its cell size in metres.
    #[arg(long, value_name = "NAME|FILE@CELL", value_delimiter = ',')]
    scenes: Vec<String>,
    /// Triangles of the generated city, about [default: 20 million, in software 78,000].
    #[arg(long, value_name = "COUNT")]
    city: Option<u64>,
    /// Triangles of the soup [default: 10 million, in software 50,000].
    #[arg(long, value_name = "COUNT")]
    soup: Option<u32>,
    /// Bandwidth of the card's memory in GB a second, to find the bound of each shader.
    #[arg(long, value_name = "GB")]
    bandwidth: Option<f64>,
    /// Number of runs, unless one takes half a second; tables have the fastest.
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    rounds: usize,
}

/// All stages on a device.
struct Stages {
    rasterizer: GpuRasterizer,
    rough: GpuRough,
    depth: GpuDepth,
    notches: GpuNotches,
}

impl Stages {
    fn new(context: &GpuContext) -> Result<Self> {
        Ok(Self {
            rasterizer: GpuRasterizer::new(context)?,
            rough: GpuRough::new(context)?,
            depth: GpuDepth::new(context)?,
            notches: GpuNotches::new(context)?,
        })
    }
}

/// A level and its cells.
struct Level {
    name: String,
    soup: TriangleSoup,
    scale: GridScale,
}

impl Level {
    fn new(name: &str, soup: TriangleSoup, cell: f32) -> Self {
        // Levels as fine as cells, but not finer than the usual ones of a cell of 0.3 m.
        Self { name: name.to_owned(), soup, scale: GridScale::new(cell, cell.min(0.2)) }
    }

    fn named(name: &str, cell: f32) -> Result<Self> {
        Ok(Self::new(name, crate::Scene::named(name)?.soup, cell))
    }
}

/// Fails if the results of a device differ from those of the processor.
fn same<T: PartialEq>(what: &str, level: &Level, one: &T, other: &T) -> Result<()> {
    ensure!(one == other, "{what}, {}: the results differ", level.name);
    Ok(())
}

fn ms(time: Time) -> String {
    format!("{:.1}", time.wall)
}

/// Milliseconds of upload, shaders and download.
fn parts(times: &GpuTimes) -> String {
    let parts = [times.upload, times.kernels, times.download];
    parts.map(|time| format!("{:.1}", time.as_secs_f64() * 1e3)).join(" | ")
}

/// Prints tables of all work of the card, compared with the processor on one thread and on all, and
/// with native Recast with the feature `peers`. All results are compared.
///
/// # Errors
/// If there is no adapter, or a scene cannot be read, or the results differ.
pub fn gpu(options: &GpuBenchOptions) -> Result<()> {
    let adapter = |is_timed| {
        let adapter = GpuOptions::default().with_software(options.software);
        adapter.with_adapter(options.adapter.clone()).with_timed_shaders(is_timed)
    };
    let context = GpuContext::new(&adapter(false))?;
    let (stages, ready) = fastest(1, || Stages::new(&context));
    let stages = stages?;
    say!("{}, ready after {:.2} s.", context.adapter(), ready.wall / 1e3);
    if context.adapter().software {
        say!(
            "An adapter in software: it shows that the work is done and what tests cost, and says nothing about a card. Scenes are smaller \
             than on one, unless they are asked for."
        );
    }
    let levels = levels(options)?;
    // Shaders are translated when they are used first: that is in no least time.
    let rounds = options.rounds.max(2);
    stages::voxels(rounds, &stages, &levels)?;
    stages::fields(rounds, &stages, &levels)?;
    storeys::storeys(rounds, &stages, &levels)?;
    bakes(rounds, &adapter(false), &levels)?;
    notches(rounds, &stages.notches)?;
    // With another device, on which every dispatch is waited for.
    let context = GpuContext::new(&adapter(true))?;
    levels.first().map_or(Ok(()), |level| shaders(options, &Stages::new(&context)?, level))
}

/// The levels of the options, or the usual ones: real levels where they are, a city, and a soup.
fn levels(options: &GpuBenchOptions) -> Result<Vec<Level>> {
    if !options.scenes.is_empty() {
        let level = |given: &String| {
            let (name, cell) = given.rsplit_once('@').unwrap_or((given, "0.1"));
            Level::named(name, cell.parse()?)
        };
        return options.scenes.iter().map(level).collect();
    }
    let (cells, city, soup) = if options.software {
        ([0.1, 0.05, 0.1], 78_000, 50_000)
    } else {
        ([0.05, 0.02, 0.02], 20_000_000, 10_000_000)
    };
    let real = ["nav_test", "nav_test", "parking_garage"].into_iter().zip(cells);
    let mut levels: Vec<Level> = real.filter_map(|(name, cell)| Level::named(name, cell).ok()).collect();
    if levels.is_empty() {
        levels.push(Level::named("dungeon-rooms", cells[1])?);
    }
    levels.push(Level::new("city", city_of(options.city.unwrap_or(city)), 0.3));
    levels.push(Level::new("soup", soup_of(options.soup.unwrap_or(soup)), 0.1));
    Ok(levels)
}

/// Returns the smallest city with at least `triangles` triangles, or the largest one.
fn city_of(triangles: u64) -> TriangleSoup {
    let build = |scale| Scene::City.build(&SceneConfig::default().with_scale(scale));
    let each = build(1).triangles().len() as u64;
    let scale = (1..MAX_SCALE).find(|&scale| u64::from(scale).pow(2) * each >= triangles);
    build(scale.unwrap_or(MAX_SCALE))
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
    let all = (0..to_u32(corners.len() / 3)).map(|index| [0, 1, 2].map(|corner| 3 * index + corner));
    let all = all.collect();
    // The number of corners is that of the indices.
    TriangleSoup::new(corners, all).unwrap_or_default()
}

/// From triangles to the mesh, for levels of two million triangles at most.
fn bakes(rounds: usize, adapter: &GpuOptions, levels: &[Level]) -> Result<()> {
    head(
        "Whole bakes, ms",
        "level | cell, m | 1 thread | all threads | with the device | of all threads | polygons",
    );
    for level in levels.iter().filter(|level| level.soup.triangles().len() <= 2_000_000) {
        let scale = level.scale;
        let baker = |threads| {
            let config = BakeConfig::default().with_scale(scale.cell_size, scale.level_height);
            Baker::voxels().with_config(config.with_max_memory_bytes(16 << 30).with_threads(threads))
        };
        let (_, one) = fastest(rounds, || baker(1).bake(&level.soup));
        let (cpu, all) = fastest(rounds, || baker(0).bake(&level.soup));
        let cpu = match cpu {
            Ok(mesh) => mesh,
            // A soup may leave no room for an agent.
            Err(error) => {
                say!("{}: {error}", level.name);
                continue;
            }
        };
        let with_device = baker(0).with_raster_device(GpuDevice::open(adapter)?);
        with_device.bake(&level.soup)?;
        let (gpu, time) = fastest(rounds, || with_device.bake(&level.soup));
        let gpu = gpu?;
        same("bakes", level, &cpu.to_packed(false), &gpu.to_packed(false))?;
        let times = [one, all, time].map(ms).join(" | ");
        let (part, polygons) = (time.wall / all.wall, gpu.polygon_count());
        say!("| {} | {} | {times} | {part:.2} | {polygons} |", level.name, scale.cell_size);
    }
    Ok(())
}

/// Keeps the tables of the notches before any has a portal.
struct Kept(RefCell<NotchTables>);

impl NotchSearch for Kept {
    fn partners(&self, tables: &NotchTables) -> Option<Vec<Option<Vec<Partner>>>> {
        *self.0.borrow_mut() = tables.clone();
        None
    }

    fn closest(&self, _: &NotchTables) -> Option<Vec<Option<Closest>>> {
        None
    }
}

/// Vertices of the paper's smallest and largest scenario, what lies between, and larger ones.
const VERTICES: [u32; 12] = [23, 60, 110, 180, 270, 380, 500, 640, 800, 965, 10_000, 100_000];

/// Portals of halls, found from all notches at once: figures 10 to 12 of Oliva and Pelechano 2012.
fn notches(rounds: usize, search: &GpuNotches) -> Result<()> {
    head(
        "Portals of halls, ms (the paper's figures 10 to 12; it has 312 ms for 965 vertices on a card of 2007). \"At once\" \
         are the notches whose view stayed valid; triangles are those that all notches look at before any has a portal",
        "vertices | notches | processor | device | upload | shaders | download | second pass and cuts, on the processor | at once | \
         triangles, with the bound | without the bound",
    );
    for vertices in VERTICES {
        let hall = triangulate_cdt(&plans::hall(1, vertices, 8))?;
        let portals = |search: Option<&dyn NotchSearch>| find_portals(&hall, search);
        // The tables of the device have grown by then.
        portals(Some(search))?;
        let (expected, cpu) = fastest(rounds, || portals(None));
        let mut times = GpuTimes::default();
        let (found, device) = fastest(rounds, || {
            let before = search.times();
            let found = portals(Some(search));
            let after = search.times();
            times.upload = after.upload - before.upload;
            times.kernels = after.kernels - before.kernels;
            times.download = after.download - before.download;
            found
        });
        if let Some(error) = search.last_error() {
            bail!("notches: {error}");
        }
        let (expected, found) = (expected?, found?);
        let is_same = expected.fixed == found.fixed && expected.triangulation == found.triangulation;
        ensure!(is_same, "the portals differ");
        let kept = Kept(RefCell::default());
        portals(Some(&kept))?;
        let tables = kept.0.into_inner();
        let rest = device.wall - (times.upload + times.kernels + times.download).as_secs_f64() * 1e3;
        let (notches, at_once) = (found.counts.notches, found.counts.at_once);
        say!(
            "| {} | {notches} | {:.2} | {:.2} | {} | {:.2} | {:.0} % | {} | {} |",
            hall.vertices.len(),
            cpu.wall,
            device.wall,
            parts(&times),
            rest.max(0.0),
            100.0 * at_once as f64 / notches.max(1) as f64,
            search.triangles_seen(&tables, true)?,
            search.triangles_seen(&tables, false)?
        );
    }
    Ok(())
}

/// Prints the bytes, the time and the bound of each shader.
fn shaders(options: &GpuBenchOptions, stages: &Stages, level: &Level) -> Result<()> {
    /// Share of the bandwidth above which a shader is memory-bound.
    const HALF: f64 = 0.5;
    // The first time, shaders are translated and tables grow.
    stages::all(stages, level)?;
    let times = stages::all(stages, level)?;
    let title = format!(
        "Shaders, {} with cells of {} m. Bytes are the least that a shader has to move",
        level.name, level.scale.cell_size
    );
    head(
        &title,
        "shader | dispatches | items | ms | ns an item | MB | GB a second | of the bandwidth | bound by",
    );
    for (name, shader) in &times.shaders {
        let seconds = shader.time.as_secs_f64();
        let rate = shader.bytes as f64 / seconds.max(1e-9) / 1e9;
        let share = options.bandwidth.map(|bandwidth| rate / bandwidth);
        let bound = share.map_or("-", |share| if share >= HALF { "bytes" } else { "arithmetic and latency" });
        row([
            (*name).to_owned(),
            shader.dispatches.to_string(),
            shader.items.to_string(),
            format!("{:.1}", seconds * 1e3),
            format!("{:.1}", seconds * 1e9 / shader.items.max(1) as f64),
            format!("{:.2}", shader.bytes as f64 / 1e6),
            format!("{rate:.2}"),
            share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share)),
            bound.to_owned(),
        ]);
    }
    if options.bandwidth.is_none() {
        say!(
            "\nWith `--bandwidth`, the card's own in GB a second, the last columns tell what bounds each shader."
        );
    }
    Ok(())
}
