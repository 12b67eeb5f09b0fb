//! Engines in turns, so that whatever slows the machine down slows all of them.

use anyhow::Result;
use clap::ValueEnum as _;
use glam::Vec3;

use crate::measure::{Bake, Counts, Report, STAGES, Stage, quantile};
use crate::{Scene, Settings};

/// Polygons in world space: shared vertices in metres, and the corners of each polygon.
pub use waymesh_io::PolygonMesh;

/// A tool that bakes.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Engine {
    pub name: &'static str,
    /// Notes for reading its figures.
    pub notes: &'static [&'static str],
    /// Bakes on this thread. The input is converted outside of the timed stages.
    pub bake: fn(&Scene, &Settings) -> Result<Bake<PolygonMesh>>,
}

/// All tools, ours first.
pub const ENGINES: &[Engine] = &[
    crate::ours::WAYMESH,
    crate::ours::SURFACES,
    #[cfg(feature = "peers")]
    crate::recast::RECAST,
    #[cfg(feature = "peers")]
    crate::rerecast::RERECAST,
];

/// Polygons without heights.
pub(crate) fn polygon_mesh(vertices: Vec<Vec3>, polygons: Vec<Vec<u32>>) -> PolygonMesh {
    PolygonMesh { vertices, polygons, ground: Vec::new() }
}

/// Bakes `scene` `rounds` times with every engine, in turns, after one round that does not count.
/// The report has medians.
#[must_use]
pub fn compare(scene: &Scene, settings: &Settings, rounds: usize) -> Report {
    let mut missing = Vec::new();
    let mut runs: Vec<(&Engine, Counts, Vec<[f64; STAGES.len()]>)> = Vec::new();
    for engine in ENGINES {
        match (engine.bake)(scene, settings) {
            Ok(bake) => runs.push((engine, bake.counts, Vec::new())),
            Err(error) => missing.push(format!("{}: {error:#}", engine.name)),
        }
    }
    for _ in 0..rounds.max(1) {
        for (engine, _, times) in &mut runs {
            times.extend((engine.bake)(scene, settings).map(|bake| bake.times));
        }
    }
    let title = format!(
        "{}: {} triangles, cell {} m, level {} m, {}, median of {rounds} rounds, ms of thread CPU time",
        scene.name,
        scene.soup.triangles().len(),
        settings.scale.cell_size,
        settings.scale.level_height,
        settings.partition.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned()),
    );
    let mut report = Report::new(title, runs.iter().map(|(engine, ..)| engine.name).collect());
    let of_runs = |share: f64, stages: &[usize]| -> Vec<f64> {
        let sum = |times: &[f64; STAGES.len()]| stages.iter().map(|&stage| times[stage]).sum();
        runs.iter().map(|(.., times)| quantile(times.iter().map(sum).collect(), share)).collect()
    };
    let all: Vec<usize> = (0..STAGES.len()).collect();
    all.iter().for_each(|&stage| report.row(STAGES[stage], of_runs(0.5, &[stage])));
    // One engine does in one call what another does in two.
    for pair in [[Stage::Filter, Stage::Compact], [Stage::Distance, Stage::Regions]] {
        let pair = pair.map(|stage| stage as usize);
        report.row(pair.map(|stage| STAGES[stage]).join("+"), of_runs(0.5, &pair));
    }
    report.row("total", of_runs(0.5, &all));
    report.row("fastest total", of_runs(0.0, &all));
    let counts: Vec<serde_json::Value> =
        runs.iter().map(|(_, counts, _)| serde_json::json!(counts)).collect();
    for name in counts.first().and_then(|counts| counts.as_object()).into_iter().flat_map(|all| all.keys()) {
        let values = counts.iter().map(|counts| counts[name].as_f64().unwrap_or(0.0)).collect();
        report.row(name.replace('_', " "), values);
    }
    report.missing = missing;
    report
}
