//! The clock of measurements, and the tables that they are printed in.

use std::fmt::{Arguments, Display};
use std::io::Write as _;
use std::time::Instant;

use cpu_time::ThreadTime;
use serde::Serialize;

/// Prints a line to standard output. A closed pipe is not an error.
#[macro_export]
macro_rules! say {
    ($($arg:tt)*) => { $crate::measure::print(format_args!($($arg)*)) };
}

/// The function behind [`say!`].
pub fn print(text: Arguments<'_>) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Prints a title and the names of columns, separated by ` | `, as Markdown.
pub fn head(title: &str, columns: &str) {
    if !title.is_empty() {
        say!("\n### {title}\n");
    }
    say!("| {columns} |\n|{}", "---|".repeat(columns.split('|').count()));
}

/// Prints a row of a table.
pub fn row<T: Display>(cells: impl IntoIterator<Item = T>) {
    say!("| {} |", cells.into_iter().map(|cell| cell.to_string()).collect::<Vec<_>>().join(" | "));
}

/// A part as a share of a whole.
pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The value at a share of all, 0.5 for the median; 0 without values.
pub(crate) fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    let at = waymesh_core::saturating_u32((values.len() as f64 * share).floor()) as usize;
    values.get(at.min(last)).copied().unwrap_or_default()
}

/// Milliseconds of this thread and on the wall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    pub(crate) cpu: f64,
    pub(crate) wall: f64,
}

/// Returns the result of a run, and the least times of `rounds` runs, each clock by itself. A run
/// that takes more than half a second is not repeated.
pub(crate) fn fastest<T>(rounds: usize, mut run: impl FnMut() -> T) -> (T, Time) {
    let mut best = Time { cpu: f64::INFINITY, wall: f64::INFINITY };
    let mut round = 0;
    loop {
        let (cpu, wall) = (ThreadTime::now(), Instant::now());
        let result = std::hint::black_box(run());
        let (cpu, wall) = (cpu.elapsed().as_secs_f64() * 1e3, wall.elapsed().as_secs_f64() * 1e3);
        best = Time { cpu: best.cpu.min(cpu), wall: best.wall.min(wall) };
        round += 1;
        if round >= rounds || wall > 500.0 {
            return (result, best);
        }
    }
}

/// A stage of a bake, as Recast divides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Heightfield, slopes, rasterisation.
    Raster,
    /// Low obstacles, ledges, low ceilings.
    Filter,
    /// Open spans with links.
    Compact,
    /// The agent's radius.
    Erode,
    /// Distance field with its blur.
    Distance,
    /// Regions, without small islands.
    Regions,
    /// Borders, traced and simplified.
    Contours,
    /// Triangles and convex polygons.
    Polygons,
    /// Heights of the ground in the polygons.
    Detail,
}

/// Names of all stages, in order.
pub const STAGES: [&str; 9] =
    ["raster", "filter", "compact", "erode", "distance", "regions", "contours", "polygons", "detail"];

/// Counts of what the stages make. Contours are closed borders, holes included, which Recast merges
/// into the outer ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Counts {
    pub spans: usize,
    pub walkable_spans: usize,
    pub eroded_spans: usize,
    pub regions: usize,
    pub contours: usize,
    pub polygons: usize,
    pub vertices: usize,
    pub detail_vertices: usize,
    pub detail_triangles: usize,
}

/// One bake on this thread: milliseconds of each stage, counts, and the result.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Bake<T> {
    pub times: [f64; STAGES.len()],
    pub counts: Counts,
    pub result: T,
}

impl<T> Bake<T> {
    pub(crate) fn map<U>(self, convert: impl FnOnce(T) -> U) -> Bake<U> {
        Bake { times: self.times, counts: self.counts, result: convert(self.result) }
    }

    /// Milliseconds of all stages.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.times.iter().sum()
    }
}

/// Milliseconds of this thread by stage.
#[derive(Debug, Default)]
pub(crate) struct Clock(pub(crate) [f64; STAGES.len()]);

impl Clock {
    /// Runs a part of a stage.
    pub(crate) fn run<T>(&mut self, stage: Stage, part: impl FnOnce() -> T) -> T {
        let start = ThreadTime::now();
        let result = part();
        self.0[stage as usize] += start.elapsed().as_secs_f64() * 1e3;
        result
    }

    /// Runs a part of a stage again, and moves its time to the stage that it is for other tools.
    pub(crate) fn transfer(&mut self, from: Stage, to: Stage, part: impl FnOnce()) {
        let before = self.0[to as usize];
        self.run(to, part);
        let time = (self.0[to as usize] - before).min(self.0[from as usize]);
        self.0[from as usize] -= time;
        self.0[to as usize] = before + time;
    }
}

/// Figures of several engines on one scene.
#[derive(Debug, Serialize)]
pub struct Report {
    title: String,
    engines: Vec<&'static str>,
    rows: Vec<(String, Vec<f64>)>,
    /// Reasons why engines are left out.
    pub(crate) missing: Vec<String>,
}

impl Report {
    pub(crate) fn new(title: String, engines: Vec<&'static str>) -> Self {
        Self { title, engines, rows: Vec::new(), missing: Vec::new() }
    }

    /// Appends a row; engines without the figure have 0.
    pub(crate) fn row(&mut self, name: impl Into<String>, values: Vec<f64>) {
        self.rows.push((name.into(), values));
    }

    /// Prints all figures, and the ratios of each engine of ours, whose names begin as the first one,
    /// to the first and the peers.
    pub fn print(&self) {
        let is_ours = |engine: usize| self.engines[engine].starts_with(self.engines[0]);
        let all = 0..self.engines.len();
        let pairs: Vec<[usize; 2]> = (all.clone().filter(|&own| is_ours(own)))
            .flat_map(|own| all.clone().map(move |other| [own, other]))
            .filter(|&[own, other]| other < own || !is_ours(other))
            .collect();
        let ratios = pairs.iter().map(|pair| pair.map(|engine| self.engines[engine]).join("/"));
        let columns: Vec<String> = self.engines.iter().map(ToString::to_string).chain(ratios).collect();
        head(&self.title, &format!("| {}", columns.join(" | ")));
        for (name, values) in &self.rows {
            let decimals = if values.iter().all(|value| value.fract().abs() < 1e-9) { 0 } else { 3 };
            let ratio = |&[own, other]: &[usize; 2]| {
                let ratio = values[own] / values[other];
                if ratio.is_finite() && ratio > 0.0 { format!("{ratio:.2}") } else { "-".to_owned() }
            };
            let values = values.iter().map(|value| format!("{value:.decimals$}"));
            row([name.clone()].into_iter().chain(values).chain(pairs.iter().map(ratio)));
        }
        self.missing.iter().for_each(|reason| say!("left out: {reason}"));
    }
}
