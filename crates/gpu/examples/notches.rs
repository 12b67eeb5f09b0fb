//! Makes the portals of ten halls on the processor and with a search on a device, and prints what
//! each took (figures 10 to 12 of Oliva and Pelechano 2012):
//! `cargo run --release --example notches -- [--software]`.
#![allow(clippy::print_stdout, clippy::expect_used, reason = "a program")]

use std::cell::RefCell;
use std::error::Error;
use std::time::Instant;

use waymesh::convex::{Closest, NotchPortalsConfig, NotchSearch, NotchTables, Partner, find_portals};
use waymesh::core::Triangulation;
use waymesh::triangulate::triangulate_cdt;
use waymesh_gpu::{GpuContext, GpuNotches, GpuOptions};
use waymesh_testkit::plans;

/// Vertices of the paper's smallest and largest scenario, and what lies between.
const VERTICES: [u32; 10] = [23, 60, 110, 180, 270, 380, 500, 640, 800, 965];
/// Larger ones than the paper has.
const LARGER: [u32; 2] = [10_000, 100_000];

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

/// The middle of nine runs, in milliseconds.
fn timed(mut work: impl FnMut()) -> f64 {
    let mut run = || {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e3
    };
    let mut times: Vec<f64> = (0..9).map(|_| run()).collect();
    times.sort_by(f64::total_cmp);
    times[4]
}

fn main() -> Result<(), Box<dyn Error>> {
    let software = std::env::args().any(|word| word == "--software");
    let context = GpuContext::new(&GpuOptions::default().with_software(software))?;
    let search = GpuNotches::new(&context)?;
    println!("{}", context.adapter());
    println!(
        "{:>8} {:>8} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9}",
        "vertices",
        "notches",
        "processor",
        "device",
        "upload",
        "kernels",
        "download",
        "at once",
        "bounded",
        "not"
    );
    for vertices in VERTICES.into_iter().chain(LARGER) {
        print_row(&triangulate_cdt(&plans::hall(1, vertices, 8))?, &search)?;
    }
    Ok(())
}

fn print_row(triangulation: &Triangulation, search: &GpuNotches) -> Result<(), Box<dyn Error>> {
    let config = NotchPortalsConfig::default();
    let portals = |search: Option<&dyn NotchSearch>| find_portals(triangulation, &config, search);
    // Shaders are translated by now.
    portals(Some(search))?;
    let cpu = timed(|| drop(portals(None).expect("a sound triangulation")));
    let before = search.times();
    let gpu = timed(|| drop(portals(Some(search)).expect("a sound triangulation")));
    let after = search.times();
    if let Some(error) = search.last_error() {
        return Err(error.into());
    }
    let found = portals(Some(search))?;
    assert!(found.fixed == portals(None)?.fixed, "the portals differ");
    let kept = Kept(RefCell::default());
    portals(Some(&kept))?;
    let tables = kept.0.into_inner();
    let each = |time: fn(&waymesh_gpu::GpuTimes) -> std::time::Duration| {
        (time(&after) - time(&before)).as_secs_f64() * 1e3 / 9.0
    };
    println!(
        "{:>8} {:>8} {cpu:>9.2} {gpu:>9.2} {:>8.2} {:>8.2} {:>8.2} {:>7.0}% {:>9} {:>9}",
        triangulation.vertices.len(),
        found.counts.notches,
        each(|times| times.upload),
        each(|times| times.kernels),
        each(|times| times.download),
        100.0 * found.counts.at_once as f64 / found.counts.notches.max(1) as f64,
        search.triangles_seen(&tables, true)?,
        search.triangles_seen(&tables, false)?,
    );
    Ok(())
}
