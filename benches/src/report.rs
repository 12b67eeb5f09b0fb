//! Tables for people, JSON for scripts.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::queries::{Nanoseconds, QueryTimes};
use crate::{Comparison, STAGES, Stage, Time};

/// Appends the names of engines, each in `widths[0]` characters, and of their ratios.
fn head(out: &mut String, names: &[&str], ratios: &[[usize; 2]], widths: [usize; 2]) {
    line(out, "", widths[0], names.iter().map(|name| (*name).to_owned()));
    for pair in ratios {
        let _ = write!(out, "{:>1$}", pair.map(|engine| names[engine]).join("/"), widths[1]);
    }
    out.push('\n');
}

/// Which engines are compared: each of ours, whose names begin alike, with the first and the peers.
fn ratios(names: &[&str]) -> Vec<[usize; 2]> {
    let is_ours = |engine: &usize| names[*engine].starts_with(names[0]);
    let others = |ours| (0..names.len()).filter(move |other| *other < ours || !is_ours(other));
    let pairs =
        (0..names.len()).filter(is_ours).flat_map(|ours| others(ours).map(move |other| [ours, other]));
    pairs.collect()
}

/// Appends the start of a line: a name, and values of `width` characters. Writing to a string
/// cannot fail.
fn line(out: &mut String, name: &str, width: usize, values: impl Iterator<Item = String>) {
    let _ = write!(out, "  {name:<18}");
    values.for_each(|value| _ = write!(out, "{value:>width$}"));
}

/// Appends a ratio, or a dash where one of the two lacks the figure.
fn ratio(out: &mut String, width: usize, ratio: f64) {
    let both = ratio.is_finite() && ratio > 0.0;
    let text = if both { format!("{ratio:.2}") } else { "-".to_owned() };
    let _ = write!(out, "{text:>width$}");
}

/// The comparison as a table of milliseconds of thread CPU time, each with its ratio: ours to the
/// peer's.
#[must_use]
pub fn table(comparison: &Comparison) -> String {
    let mut out = String::new();
    let settings = &comparison.settings;
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{}: {} triangles, cell {} m, level {} m, {}, median of {} rounds, ms of thread CPU time",
        comparison.scene,
        comparison.triangles,
        settings.scale.cell_size,
        settings.scale.level_height,
        settings.partition.name(),
        comparison.rounds,
    );
    let Some(first) = comparison.measured.first() else {
        for missing in &comparison.missing {
            let _ = writeln!(out, "  left out: {missing}");
        }
        return out;
    };
    let names: Vec<&str> = comparison.measured.iter().map(|measured| measured.engine).collect();
    let pairs = ratios(&names);
    head(&mut out, &names, &pairs, [17, 26]);
    let mut row = |name: &str, pick: &dyn Fn(&crate::Measured) -> f64, decimals: usize| {
        let values = comparison.measured.iter().map(|measured| format!("{:.decimals$}", pick(measured)));
        line(&mut out, name, 17, values);
        for &[ours, other] in &pairs {
            ratio(&mut out, 26, pick(&comparison.measured[ours]) / pick(&comparison.measured[other]));
        }
        out.push('\n');
    };
    let milliseconds = |time: Time| time.cpu * 1e3;
    for (index, stage) in STAGES.into_iter().enumerate() {
        row(stage.name(), &|measured| milliseconds(measured.stages[index]), 3);
    }
    // One engine does in one call what another does in two.
    for pair in [[Stage::Filter, Stage::Compact], [Stage::Distance, Stage::Regions]] {
        row(&pair.map(Stage::name).join("+"), &|measured| milliseconds(measured.sum(pair)), 3);
    }
    row("total", &|measured| milliseconds(measured.total), 3);
    row("fastest total", &|measured| milliseconds(measured.best), 3);
    for (index, (name, _)) in first.counts.rows().into_iter().enumerate() {
        row(name, &|measured| measured.counts.rows()[index].1 as f64, 0);
    }
    for missing in &comparison.missing {
        let _ = writeln!(out, "  left out: {missing}");
    }
    out
}

/// Keys: `scene`, `triangles`, `cell_size`, `level_height`, `partition`, `rounds`, `engines`
/// [{`engine`, `stages` {NAME: {`cpu_seconds`, `wall_seconds`}}, `total`, `fastest`, `counts`}],
/// `missing`.
#[must_use]
pub fn json(comparison: &Comparison) -> Value {
    let engines: Vec<Value> = comparison
        .measured
        .iter()
        .map(|measured| {
            let stages: Map<String, Value> = STAGES
                .into_iter()
                .zip(measured.stages)
                .map(|(stage, taken)| (stage.name().to_owned(), time(taken)))
                .collect();
            json!({
                "engine": measured.engine,
                "stages": stages,
                "total": time(measured.total),
                "fastest": time(measured.best),
                "counts": counts(&measured.counts),
            })
        })
        .collect();
    json!({
        "scene": comparison.scene,
        "triangles": comparison.triangles,
        "cell_size": round(comparison.settings.scale.cell_size),
        "level_height": round(comparison.settings.scale.level_height),
        "partition": comparison.settings.partition.name(),
        "rounds": comparison.rounds,
        "engines": engines,
        "missing": comparison.missing,
    })
}

/// A name, and where its figure is found.
type Figure<T> = (&'static str, fn(&QueryTimes) -> T);

/// Queries as a table of nanoseconds, mean and median, with the ratio of the first engine's means
/// to the others'.
#[must_use]
pub fn query_table(scene: &str, pairs: usize, times: &[QueryTimes]) -> String {
    let Some((first, others)) = times.split_first() else { return format!("{scene}: {pairs} pairs\n") };
    let ratios: Vec<[usize; 2]> = (1..times.len()).map(|other| [0, other]).collect();
    let mut out = format!("{scene}: queries on {pairs} pairs, ns each, mean / median / 99 %\n");
    let names: Vec<&str> = times.iter().map(|times| times.engine).collect();
    head(&mut out, &names, &ratios, [34, 22]);
    let rows: [Figure<Nanoseconds>; 6] = [
        ("nearest", |times| times.nearest_ns),
        ("path, connected", |times| times.connected_path_ns),
        ("path, partial", |times| times.partial_path_ns),
        ("shortest path", |times| times.shortest_path_ns),
        ("raycast", |times| times.raycast_ns),
        ("move along", |times| times.move_along_ns),
    ];
    for (name, pick) in rows {
        let three = |Nanoseconds { mean, median, high }| format!("{mean:.0} / {median:.0} / {high:.0}");
        line(&mut out, name, 34, times.iter().map(pick).map(three));
        others.iter().for_each(|other| ratio(&mut out, 22, pick(first).mean / pick(other).mean));
        out.push('\n');
    }
    let figures: [Figure<String>; 7] = [
        ("points located", |times| times.located.to_string()),
        ("pairs connected", |times| times.connected.to_string()),
        ("mean length (m)", |times| format!("{:.2}", times.mean_length)),
        ("mean shortest (m)", |times| format!("{:.2}", times.mean_shortest)),
        ("over 1 % too long", |times| format!("{:.1} %", times.too_long * 100.0)),
        ("worst ratio", |times| format!("{:.3}", times.worst_ratio)),
        ("mean free way", |times| format!("{:.3}", times.mean_free)),
    ];
    for (name, pick) in figures {
        line(&mut out, name, 34, times.iter().map(pick));
        out.push('\n');
    }
    out
}

fn time(time: Time) -> Value {
    json!({ "cpu_seconds": time.cpu, "wall_seconds": time.wall })
}

fn counts(counts: &impl Serialize) -> Value {
    serde_json::to_value(counts).unwrap_or(Value::Null)
}

/// A length as it was typed: 0.1, not 0.10000000149.
fn round(metres: f32) -> f64 {
    (f64::from(metres) * 1e6).round() / 1e6
}
