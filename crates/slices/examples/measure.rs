//! Slices a scene and prints its figures: `measure SCENE cx cz max_climb tile [threads]`, where
//! SCENE is the name of a built-in one (`city-block`, `city-block:8` for a larger one).
#![expect(clippy::print_stdout, reason = "an example")]

use std::time::Instant;

use waymesh_core::{Agent, GridScale, Observer, Validate};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_slices::{LinkPlace, SliceLinkKind, SlicesConfig, slice_world};

#[global_allocator]
static PEAK: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

/// Prints the duration of each stage.
struct Printer;

impl Observer for Printer {
    fn stage_finished(&mut self, stage: &'static str, seconds: f64) {
        println!("  {stage:<16} {seconds:8.2} s, peak so far {:6.0} MiB", PEAK.peak_usage_as_mb());
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: f32| -> Result<f32, std::num::ParseFloatError> {
        arguments.get(index).map_or(Ok(default), |text| text.parse())
    };
    let name = arguments.first().map_or("city-block", String::as_str);
    let (name, scale) = name.split_once(':').unwrap_or((name, "1"));
    let scene = Scene::from_name(name).ok_or("no such scene")?;
    let soup = scene.build(&SceneConfig::default().with_scale(scale.parse()?));
    let tile = arguments.get(4).map_or(Ok(256), |text| text.parse())?;
    let threads = arguments.get(5).map_or(Ok(0), |text| text.parse())?;
    let config = SlicesConfig::default()
        .with_scale(GridScale::new(number(1, 0.05)?, number(2, 0.02)?))
        .with_agent(Agent::default().with_radius(0.0).with_max_step(number(3, 0.5)?))
        .with_tile_cells(tile);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    println!("{name}: {} triangles, soup {:.0} MiB", soup.triangles().len(), PEAK.current_usage_as_mb());
    PEAK.reset_peak_usage();
    let start = Instant::now();
    let slices = pool.install(|| slice_world(&soup, &config, &mut Printer))?;
    let seconds = start.elapsed().as_secs_f64();
    let frame = slices.contours.frame;
    let levels = slices.regions.iter().map(|region| region.level).max().unwrap_or(0);
    let of_kind = |kind: SliceLinkKind| slices.links.iter().filter(|link| link.kind == kind).count();
    let gaps = slices.links.iter().filter(|link| matches!(link.place, LinkPlace::Gap { .. })).count();
    println!("  {} x {} columns, highest level {levels}, {} tiles", frame.width, frame.depth, slices.tiles);
    println!(
        "  {} spans, {} walkable, {} regions, {} slices, {} vertices, {} arcs",
        slices.spans,
        slices.regions.iter().map(|region| region.cells).sum::<u64>(),
        slices.regions.len(),
        slices.regions.iter().map(|region| region.slice + 1).max().unwrap_or(0),
        slices.contours.vertices.len(),
        slices.contours.arcs.len()
    );
    println!(
        "  {} links: {} between levels, {} stairs ({gaps} of them over gaps)",
        slices.links.len(),
        of_kind(SliceLinkKind::Discretisation),
        of_kind(SliceLinkKind::Stair)
    );
    println!("  {seconds:.2} s, peak {:.0} MiB, the soup included", PEAK.peak_usage_as_mb());
    if std::env::var_os("VALIDATE").is_some() {
        slices.validate()?;
        println!("  valid");
    }
    Ok(())
}
