//! Tables of what was found, as Markdown.

use std::fmt::Write;

use waymesh_metrics::{Evaluation, centimetres, percent};

use crate::evaluate::LevelReport;
use crate::judge::{Judged, Outcome};

/// A figure of a mesh as text.
type Figure = (&'static str, fn(&Judged, &Evaluation) -> String);

fn undecided(found: &Evaluation) -> usize {
    let links = &found.connectivity;
    links.pairs - (links.agree + links.false_links + links.missed_links).min(links.pairs)
}

fn whole(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1}", share * 100.0))
}

fn seconds(judged: &Judged) -> String {
    judged.bake_seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{:.0}", seconds * 1e3))
}

/// What an agent would notice.
const RIGHT: [Figure; 9] = [
    ("coverage %", |_, e| whole(e.coverage)),
    ("excess %", |_, e| {
        e.excess.total.map_or_else(|| "-".to_owned(), |share| format!("{:.2}", share * 100.0))
    }),
    ("links: false", |_, e| e.connectivity.false_links.to_string()),
    ("missed", |_, e| e.connectivity.missed_links.to_string()),
    ("undecided", |_, e| undecided(e).to_string()),
    ("islands", |_, e| e.connectivity.islands.to_string()),
    ("height mean cm", |_, e| whole(e.height_error.mean)),
    ("95 %", |_, e| whole(e.height_error.p95)),
    ("clearance mean cm", |_, e| whole(e.clearance_error.mean)),
];

/// What it costs, and how the polygons are.
const GOOD: [Figure; 9] = [
    ("polygons", |_, e| e.polygons.to_string()),
    ("x least", |_, e| {
        e.shape.polygons_per_lower_bound.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
    }),
    ("slivers %", |_, e| whole(e.slivers)),
    ("T-junctions", |_, e| e.t_junctions.to_string()),
    ("violations", |_, e| e.violations.to_string()),
    ("paths missing", |_, e| asked(e, e.paths.wrongly_missing)),
    ("found wrongly", |_, e| asked(e, e.paths.wrongly_found)),
    ("query ns", |_, e| e.paths.query_ns.p50.map_or_else(|| "-".to_owned(), |time| time.to_string())),
    ("bake ms", |judged, _| seconds(judged)),
];

/// A number of paths, if any were asked for.
fn asked(found: &Evaluation, number: usize) -> String {
    if found.paths.pairs == 0 { "-".to_owned() } else { number.to_string() }
}

/// Two tables with a row per level, and what has no figures; the values of all tools stand beside
/// each other.
#[must_use]
pub fn overview(reports: &[LevelReport]) -> String {
    let Some(tools) = reports.first().map(|report| names(report)) else { return "No levels.\n".to_owned() };
    let tools = tools.join(" / ");
    let mut text = format!("Values: {tools}.\n\n");
    for (title, figures) in [("Right", RIGHT), ("Good and small", GOOD)] {
        _ = write!(text, "### {title}\n\n");
        let judged = reports.iter().filter(|report| report.tools.iter().any(|tool| tool.figures().is_some()));
        let rows = judged.map(|report| {
            let values = figures.map(|(_, figure)| cells(report, figure).join(" / "));
            (shown(report), values.to_vec())
        });
        text += &markdown("level", &figures.map(|(name, _)| name), rows);
    }
    text + &failures(reports)
}

/// A table with these columns after the first.
fn markdown(first: &str, columns: &[&str], rows: impl Iterator<Item = (String, Vec<String>)>) -> String {
    let rule = "---|".repeat(columns.len());
    let mut text = format!("| {first} | {} |\n|---|{rule}\n", columns.join(" | "));
    for (name, values) in rows {
        _ = writeln!(text, "| {name} | {} |", values.join(" | "));
    }
    text + "\n"
}

/// A figure of each tool on a level.
fn cells(report: &LevelReport, figure: fn(&Judged, &Evaluation) -> String) -> Vec<String> {
    let value =
        |judged: &Judged| judged.figures().map_or_else(|| "-".to_owned(), |found| figure(judged, found));
    report.tools.iter().map(value).collect()
}

fn names(report: &LevelReport) -> Vec<&str> {
    report.tools.iter().map(|judged| judged.tool.as_str()).collect()
}

/// A level's name with what was special about it.
fn shown(report: &LevelReport) -> String {
    let mut text = report.level.clone();
    if report.unit.is_none() {
        text.push_str(" (unit unknown)");
    }
    if let Some(facts) = report.facts.filter(|facts| facts.factor > 1) {
        let size = f64::from(facts.cell_size * 1e3).round() / 1e3;
        _ = write!(text, " (polygons of {size} m, agent {} times as large)", facts.factor);
    }
    text
}

/// Which tool has no mesh of which level, or an empty one, and why.
fn failures(reports: &[LevelReport]) -> String {
    let mut text = String::new();
    for report in reports {
        for judged in &report.tools {
            let reason = match &judged.outcome {
                Outcome::Failed(reason) => reason.replace('\n', " "),
                Outcome::Figures(found) if found.polygons == 0 => "a mesh without polygons".to_owned(),
                Outcome::Figures(_) => continue,
            };
            _ = writeln!(text, "- {}, {}: {reason}", report.level, judged.tool);
        }
    }
    if text.is_empty() { text } else { format!("### Not baked\n\n{text}\n") }
}

/// A sum or mean over several meshes as text.
type Total = (&'static str, fn(&[&Judged]) -> String);

fn mean(found: &[&Judged], value: fn(&Evaluation) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = found.iter().filter_map(|judged| judged.figures().and_then(value)).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn sum(found: &[&Judged], value: fn(&Evaluation) -> usize) -> usize {
    found.iter().filter_map(|judged| judged.figures()).map(value).sum()
}

/// Of how many meshes something is true.
fn meshes(found: &[&Judged], is_so: fn(&Evaluation) -> bool) -> String {
    found.iter().filter(|judged| judged.figures().is_some_and(is_so)).count().to_string()
}

fn sum_of_paths(found: &[&Judged], value: fn(&Evaluation) -> usize) -> String {
    if sum(found, |e| e.paths.pairs) == 0 { "-".to_owned() } else { sum(found, value).to_string() }
}

const TOTALS: [Total; 21] = [
    ("coverage, mean", |all| percent(mean(all, |e| e.coverage))),
    ("levels covered below 95 %", |all| meshes(all, |e| e.coverage.is_some_and(|share| share < 0.95))),
    ("excess, mean", |all| percent(mean(all, |e| e.excess.total))),
    ("  solid", |all| percent(mean(all, |e| e.excess.solid))),
    ("  ceiling", |all| percent(mean(all, |e| e.excess.ceiling))),
    ("  wall", |all| percent(mean(all, |e| e.excess.wall))),
    ("  drop", |all| percent(mean(all, |e| e.excess.drop))),
    ("enclosed by solids, mean", |all| percent(mean(all, |e| e.enclosed))),
    ("false links of all pairs", |all| {
        format!("{} of {}", sum(all, |e| e.connectivity.false_links), sum(all, |e| e.connectivity.pairs))
    }),
    ("missed links", |all| sum(all, |e| e.connectivity.missed_links).to_string()),
    ("islands", |all| sum(all, |e| e.connectivity.islands).to_string()),
    ("size of height error, 95 %, mean", |all| centimetres(mean(all, |e| e.height_error.p95))),
    ("clearance error, mean", |all| centimetres(mean(all, |e| e.clearance_error.mean))),
    ("polygons", |all| sum(all, |e| e.polygons).to_string()),
    ("polygons that there must be", |all| sum(all, |e| e.polygons_lower_bound).to_string()),
    ("slivers, mean", |all| percent(mean(all, |e| e.slivers))),
    ("T-junctions", |all| sum(all, |e| e.t_junctions).to_string()),
    ("violations", |all| sum(all, |e| e.violations).to_string()),
    ("paths wrongly missing", |all| sum_of_paths(all, |e| e.paths.wrongly_missing)),
    ("paths wrongly found", |all| sum_of_paths(all, |e| e.paths.wrongly_found)),
    ("bakes, seconds", |all| {
        format!("{:.1}", all.iter().filter_map(|judged| judged.bake_seconds).sum::<f64>())
    }),
];

/// A column per tool, over the levels where each has a mesh with polygons.
#[must_use]
pub fn summary(reports: &[LevelReport]) -> String {
    let Some(names) = reports.first().map(|report| names(report)) else { return String::new() };
    let has_polygons = |judged: &Judged| judged.figures().is_some_and(|found| found.polygons > 0);
    let common: Vec<&LevelReport> =
        reports.iter().filter(|report| report.tools.iter().all(has_polygons)).collect();
    let text = format!(
        "{} levels, {} of them with a mesh by every tool; over these:\n\n",
        reports.len(),
        common.len()
    );
    let rows = TOTALS.into_iter().map(|(name, total)| {
        let of_tool = |tool: &&str| {
            let tools = common.iter().flat_map(|report| &report.tools);
            total(&tools.filter(|judged| judged.tool == **tool).collect::<Vec<_>>())
        };
        (name.to_owned(), names.iter().map(of_tool).collect())
    });
    text + &markdown("figure", &names, rows)
}

/// All figures of one level, a column per tool.
#[must_use]
pub fn level_table(report: &LevelReport) -> String {
    let rows: [Figure; 29] = [
        ("coverage", |_, e| percent(e.coverage)),
        ("excess", |_, e| percent(e.excess.total)),
        ("  solid", |_, e| percent(e.excess.solid)),
        ("  ceiling", |_, e| percent(e.excess.ceiling)),
        ("  wall", |_, e| percent(e.excess.wall)),
        ("  drop", |_, e| percent(e.excess.drop)),
        ("enclosed by solids", |_, e| percent(e.enclosed)),
        ("pairs agreeing", |_, e| format!("{} of {}", e.connectivity.agree, e.connectivity.pairs)),
        ("false links", |_, e| e.connectivity.false_links.to_string()),
        ("missed links", |_, e| e.connectivity.missed_links.to_string()),
        ("islands (components)", |_, e| {
            format!("{} ({})", e.connectivity.islands, e.connectivity.components)
        }),
        ("height error, mean", |_, e| centimetres(e.height_error.mean)),
        ("height error, 95 %", |_, e| centimetres(e.height_error.p95)),
        ("height error, largest", |_, e| centimetres(e.height_error.max)),
        ("clearance error, mean", |_, e| centimetres(e.clearance_error.mean)),
        ("clearance error, 95 %", |_, e| centimetres(e.clearance_error.p95)),
        ("polygons (at least)", |_, e| format!("{} ({})", e.polygons, e.polygons_lower_bound)),
        ("portals", |_, e| e.portals.to_string()),
        ("vertices (off the border)", |_, e| format!("{} ({})", e.vertices, e.vertices_off_border)),
        ("slivers", |_, e| percent(e.slivers)),
        ("smallest angle", |_, e| {
            e.min_angle.map_or_else(|| "-".to_owned(), |angle| format!("{angle:.1} degrees"))
        }),
        ("T-junctions", |_, e| e.t_junctions.to_string()),
        ("violations", |_, e| e.violations.to_string()),
        ("paths found", |_, e| asked(e, e.paths.found)),
        ("paths wrongly missing", |_, e| asked(e, e.paths.wrongly_missing)),
        ("paths wrongly found", |_, e| asked(e, e.paths.wrongly_found)),
        ("longer than the shortest", |_, e| percent(e.paths.excess_length.mean)),
        ("least distance to a wall", |_, e| centimetres(e.paths.min_wall_distance)),
        ("bake ms", |judged, _| seconds(judged)),
    ];
    let rows = rows.into_iter().map(|(name, figure)| (name.to_owned(), cells(report, figure)));
    let table = markdown("figure", &names(report), rows);
    format!("### {}\n\n{table}", shown(report)) + &failures(std::slice::from_ref(report))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(level: &str, tools: &[(&str, Option<usize>)]) -> LevelReport {
        let tools = tools.iter().map(|&(tool, polygons)| {
            let mut figures = Evaluation::default();
            figures.polygons = polygons.unwrap_or(0);
            figures.coverage = Some(0.5);
            let outcome = match polygons {
                Some(_) => Outcome::Figures(Box::new(figures)),
                None => Outcome::Failed("gave\nup".to_owned()),
            };
            Judged { tool: tool.to_owned(), bake_seconds: None, outcome }
        });
        LevelReport {
            level: level.to_owned(),
            unit: Some(1.0),
            tools: tools.collect(),
            ..LevelReport::default()
        }
    }

    #[test]
    fn every_level_is_in_the_tables_or_has_a_reason() {
        let reports = [
            report("a", &[("ours", Some(7)), ("theirs", Some(9))]),
            report("b", &[("ours", Some(5)), ("theirs", None)]),
            report("c", &[("ours", None), ("theirs", None)]),
            report("d", &[("ours", Some(1)), ("theirs", Some(0))]),
        ];
        let text = overview(&reports);
        assert!(text.contains("Values: ours / theirs."), "{text}");
        assert!(text.contains("| a | 50.0 / 50.0 | - / - |") && text.contains("| b | 50.0 / - |"), "{text}");
        assert!(!text.contains("| c |"));
        for line in [
            "- b, theirs: gave up\n",
            "- c, ours: gave up\n",
            "- c, theirs: gave up\n",
            "- d, theirs: a mesh without polygons\n",
        ] {
            assert!(text.contains(line), "{text}");
        }
        let text = summary(&reports);
        assert!(text.starts_with("4 levels, 1 of them"), "{text}");
        assert!(text.contains("| polygons | 7 | 9 |"), "{text}");
        let text = level_table(&reports[1]);
        assert!(text.contains("| polygons (at least) | 5 (0) | - |"), "{text}");
        assert_eq!((overview(&[]).as_str(), summary(&[]).as_str()), ("No levels.\n", ""));
    }

    #[test]
    fn what_was_special_about_a_level_is_said() {
        let mut level = report("a", &[("ours", Some(7))]);
        level.unit = None;
        level.facts =
            Some(crate::evaluate::LevelFacts { cell_size: 1.800_000_1, factor: 6, ..Default::default() });
        assert!(
            overview(&[level]).contains("| a (unit unknown) (polygons of 1.8 m, agent 6 times as large) |")
        );
    }
}
