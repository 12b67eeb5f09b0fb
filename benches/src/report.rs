//! Tables for people, JSON for scripts.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::queries::{Nanoseconds, QueryTimes};
use crate::{Comparison, STAGES, Stage, Time};

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
    let Some((first, others)) = comparison.measured.split_first() else {
        for missing in &comparison.missing {
            let _ = writeln!(out, "  left out: {missing}");
        }
        return out;
    };
    let _ = write!(out, "  {:<18}", "");
    for measured in &comparison.measured {
        let _ = write!(out, "{:>12}", measured.engine);
    }
    for other in others {
        let _ = write!(out, "{:>20}", format!("{}/{}", first.engine, other.engine));
    }
    out.push('\n');
    let mut row = |name: &str, pick: &dyn Fn(&crate::Measured) -> Time| {
        let _ = write!(out, "  {name:<18}");
        for measured in &comparison.measured {
            let _ = write!(out, "{:>12.3}", pick(measured).cpu * 1e3);
        }
        for other in others {
            let ratio = pick(first).cpu / pick(other).cpu;
            // A stage that one of them does not have.
            let both = ratio.is_finite() && ratio > 0.0;
            let _ = if both { write!(out, "{ratio:>20.2}") } else { write!(out, "{:>20}", "-") };
        }
        out.push('\n');
    };
    for (index, stage) in STAGES.into_iter().enumerate() {
        row(stage.name(), &|measured| measured.stages[index]);
    }
    // One engine does in one call what another does in two.
    for pair in [[Stage::Filter, Stage::Compact], [Stage::Distance, Stage::Regions]] {
        row(&pair.map(Stage::name).join("+"), &|measured| measured.sum(pair));
    }
    row("total", &|measured| measured.total);
    row("fastest total", &|measured| measured.best);
    for index in 0..first.counts.rows().len() {
        let _ = write!(out, "  {:<18}", first.counts.rows()[index].0);
        for measured in &comparison.measured {
            let _ = write!(out, "{:>12}", measured.counts.rows()[index].1);
        }
        for other in others {
            let (ours, theirs) = (first.counts.rows()[index].1, other.counts.rows()[index].1);
            #[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
            let _ = if theirs == 0 {
                write!(out, "{:>20}", "-")
            } else {
                write!(out, "{:>20.2}", ours as f64 / theirs as f64)
            };
        }
        out.push('\n');
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
    let mut out = format!("{scene}: queries on {pairs} pairs, ns each, mean / median / 99 %\n  {:<18}", "");
    let Some((first, others)) = times.split_first() else { return format!("{scene}: {pairs} pairs\n") };
    for engine in times {
        let _ = write!(out, "{:>34}", engine.engine);
    }
    for other in others {
        let _ = write!(out, "{:>22}", format!("{}/{}", first.engine, other.engine));
    }
    out.push('\n');
    let rows: [Figure<Nanoseconds>; 6] = [
        ("nearest", |times| times.nearest),
        ("path, connected", |times| times.connected_path),
        ("path, partial", |times| times.partial_path),
        ("shortest path", |times| times.shortest),
        ("raycast", |times| times.raycast),
        ("move along", |times| times.move_along),
    ];
    for (name, pick) in rows {
        let _ = write!(out, "  {name:<18}");
        for engine in times {
            let _ = write!(
                out,
                "{:>34}",
                format!("{:.0} / {:.0} / {:.0}", pick(engine).mean, pick(engine).median, pick(engine).high)
            );
        }
        for other in others {
            let ratio = pick(first).mean / pick(other).mean;
            let _ = if ratio.is_finite() && ratio > 0.0 {
                write!(out, "{ratio:>22.2}")
            } else {
                write!(out, "{:>22}", "-")
            };
        }
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
        let _ = write!(out, "  {name:<18}");
        for engine in times {
            let _ = write!(out, "{:>34}", pick(engine));
        }
        out.push('\n');
    }
    out
}

/// Keys: `scene`, `pairs`, `queries` [{`engine`, `nearest_ns`, `connected_path_ns`,
/// `partial_path_ns` (each {`mean`, `median`, `high`}), `located`, `connected`, `mean_length`,
/// `mean_shortest`, `too_long`, `worst_ratio`, `mean_free`; likewise `shortest_path_ns`,
/// `raycast_ns`, `move_along_ns`}].
#[must_use]
pub fn query_json(scene: &str, pairs: usize, times: &[QueryTimes]) -> Value {
    let nanoseconds =
        |time: Nanoseconds| json!({ "mean": time.mean, "median": time.median, "high": time.high });
    let queries: Vec<Value> = times
        .iter()
        .map(|times| {
            json!({
                "engine": times.engine,
                "nearest_ns": nanoseconds(times.nearest),
                "connected_path_ns": nanoseconds(times.connected_path),
                "partial_path_ns": nanoseconds(times.partial_path),
                "located": times.located,
                "connected": times.connected,
                "mean_length": times.mean_length,
                "shortest_path_ns": nanoseconds(times.shortest),
                "raycast_ns": nanoseconds(times.raycast),
                "move_along_ns": nanoseconds(times.move_along),
                "mean_shortest": times.mean_shortest,
                "too_long": times.too_long,
                "worst_ratio": times.worst_ratio,
                "mean_free": times.mean_free,
            })
        })
        .collect();
    json!({ "scene": scene, "pairs": pairs, "queries": queries })
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
