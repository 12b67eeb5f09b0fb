//! Shortest paths on published flat meshes, compared with the crate `polyanya`.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use glam::Vec3;
use waymesh_graph::NavMesh;
use waymesh_testkit::flat_meshes;
use waymesh_testkit::grid_maps::{GridPair, read_pairs};

use crate::measure::{head, mean, row};
use crate::ours::WaymeshQueries;
use crate::polygon_peers::Polyanya;
use crate::queries::{Answer, Queries as _, Query};
use crate::say;

/// Options of the table of published maps.
#[derive(Clone, Debug, Args)]
pub struct PublishedOptions {
    /// Folder with meshes of the Polyanya authors, `NAME-merged.mesh` or `NAME.mesh`, each with its
    /// pairs, `NAME.map.scen` or `NAME.scen`; subfolders too.
    pub folder: PathBuf,
    /// Number of times that every pair is searched; the fastest counts.
    #[arg(long, default_value_t = 3)]
    pub rounds: usize,
}

/// Lengths that differ by less than this share, plus one, are equal: both add 32-bit numbers.
const EQUAL: f64 = 1e-4;

/// The memory of an oracle, in bytes.
const ORACLE_BYTES: usize = 64_000_000;

/// A path in eight directions is at most this much longer than the straight one.
const EIGHT_DIRECTIONS: f64 = 1.082_392_200_292_394;

/// Some files list two decimals.
const LISTED_DECIMALS: f64 = 0.01;

/// By how much a listed path may be longer because it turns in centres of squares: 2.7 at most on
/// the maps at hand.
const TURNS: f64 = 3.0;

/// Microseconds and lengths of all pairs by one search.
struct Found {
    times: Vec<f64>,
    lengths: Vec<Option<f64>>,
}

impl Found {
    /// Searches all pairs `rounds` times.
    fn new(rounds: usize, mut search: impl FnMut() -> Vec<Answer>) -> Self {
        let mut found = Self { times: Vec::new(), lengths: Vec::new() };
        for _ in 0..rounds.max(1) {
            let answers = search();
            let of_round = answers.iter().map(|answer| answer.map_or(0.0, |(time, _)| time / 1e3));
            if found.times.is_empty() {
                found.times = of_round.collect();
                let length = |answer: &Answer| Some(f64::from((*answer)?.1?));
                found.lengths = answers.iter().map(length).collect();
            } else {
                found.times.iter_mut().zip(of_round).for_each(|(best, time)| *best = best.min(time));
            }
        }
        found
    }
}

/// Figures of a map.
struct Map {
    pairs: usize,
    /// Mean microseconds of polyanya's search, our shortest, our fast one, and the shortest looked up.
    times: [f64; 4],
    /// Lengths below and above polyanya's, and lengths that the file excludes.
    other: [usize; 3],
    /// By how much the fast path is longer, in sum.
    excess: f64,
    /// Seconds to make the oracle, and its megabytes.
    oracle: [f64; 2],
}

/// Prints times and checks of every map in a folder.
///
/// # Errors
/// If there is no map with pairs in the folder, or a file cannot be read.
pub fn published(options: &PublishedOptions) -> Result<()> {
    let mut maps = Vec::new();
    find_maps(&options.folder, &mut maps)?;
    maps.sort();
    if maps.is_empty() {
        bail!("{}: no NAME.mesh with NAME.map.scen or NAME.scen beside it", options.folder.display());
    }
    head(
        "Published maps: microseconds a pair",
        "map | polygons | pairs | polyanya | shortest | fast | oracle | shortest/polyanya | fast/polyanya \
         | oracle/polyanya | fast is longer, % | shorter than polyanya's | longer | unlike the file's \
         | oracle, s | MB",
    );
    let mut all = Vec::new();
    for (mesh, pairs) in &maps {
        let name = mesh.strip_prefix(&options.folder).unwrap_or(mesh).with_extension("");
        let (polygons, map) = measure(mesh, pairs, options.rounds)
            .with_context(|| format!("{} with {}", mesh.display(), pairs.display()))?;
        print(&name.display().to_string(), &polygons.to_string(), &map);
        all.push(map);
    }
    let pairs: usize = all.iter().map(|map| map.pairs).sum();
    let over_pairs = |figure: &dyn Fn(&Map) -> f64| {
        all.iter().map(|map| figure(map) * map.pairs as f64).sum::<f64>() / pairs.max(1) as f64
    };
    let total = Map {
        pairs,
        times: [0, 1, 2, 3].map(|at| over_pairs(&|map| map.times[at])),
        other: [0, 1, 2].map(|at| all.iter().map(|map| map.other[at]).sum()),
        excess: over_pairs(&|map| map.excess),
        oracle: [0, 1].map(|at| all.iter().map(|map| map.oracle[at]).fold(0.0, f64::max)),
    };
    print("all pairs", "", &total);
    let geometric = |at: usize| mean(&all.iter().map(|map| map.ratio(at).ln()).collect::<Vec<_>>()).exp();
    say!(
        "\nGeometric mean of the maps' ratios: shortest {:.3}, fast {:.3}, oracle {:.3}.",
        geometric(1),
        geometric(2),
        geometric(3)
    );
    say!(
        "Where parts of the ground touch in a corner, a point there belongs to the one that the engine chose: lengths \
         may differ."
    );
    Ok(())
}

impl Map {
    /// Mean time of a search of ours over polyanya's.
    fn ratio(&self, at: usize) -> f64 {
        self.times[at] / self.times[0]
    }
}

fn print(name: &str, polygons: &str, map: &Map) {
    let times = map.times.map(|time| format!("{time:.2}"));
    let ratios = [1, 2, 3].map(|at| format!("{:.3}", map.ratio(at)));
    let excess = format!("{:.2}", 100.0 * map.excess);
    let texts = [name.to_owned(), polygons.to_owned(), map.pairs.to_string()];
    row(texts
        .into_iter()
        .chain(times)
        .chain(ratios)
        .chain([excess])
        .chain(map.other.map(|of| of.to_string()))
        .chain(map.oracle.map(|of| format!("{of:.2}"))));
}

/// Adds the meshes in a folder that have pairs, with those.
fn find_maps(folder: &Path, maps: &mut Vec<(PathBuf, PathBuf)>) -> Result<()> {
    for entry in folder.read_dir().with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            find_maps(&path, maps)?;
        } else if path.extension().is_some_and(|ending| ending == "mesh") {
            let stem = path.with_extension("");
            let stem = stem.to_string_lossy();
            let stem = stem.strip_suffix("-merged").unwrap_or(&stem);
            let pairs = ["map.scen", "scen"].map(|ending| PathBuf::from(format!("{stem}.{ending}")));
            maps.extend(pairs.into_iter().find(|pairs| pairs.exists()).map(|pairs| (path, pairs)));
        }
    }
    Ok(())
}

fn measure(mesh: &Path, pairs: &Path, rounds: usize) -> Result<(usize, Map)> {
    let text = read_to_string(mesh)?;
    let cells = flat_meshes::read(&text).context("no mesh of version 2 with whole numbers")?;
    let polygons = cells.polygons.len();
    let listed = read_pairs(&read_to_string(pairs)?);
    let point = |[x, z]: [i32; 2]| Vec3::new(x as f32, 0.0, z as f32);
    let ends: Vec<[Vec3; 2]> = listed.iter().map(|pair| [point(pair.from), point(pair.to)]).collect();
    let mut theirs = Polyanya::new(text.as_bytes())?;
    let mut ours = WaymeshQueries::new(NavMesh::try_from(cells)?);
    let by_polyanya = Found::new(rounds, || theirs.answers(Query::Shortest, &ends));
    let shortest = Found::new(rounds, || ours.answers(Query::Shortest, &ends));
    let fast = Found::new(rounds, || ours.answers(Query::Path, &ends));
    let begin = Instant::now();
    let figures = ours.mesh.build_oracle(ORACLE_BYTES);
    let oracle = [begin.elapsed().as_secs_f64(), figures.bytes as f64 / 1e6];
    let looked_up = Found::new(rounds, || ours.answers(Query::Shortest, &ends));
    // Without a path: longer than any.
    let above = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => a > b + EQUAL * (1.0 + b),
        (a, b) => a.is_none() && b.is_some(),
    };
    let mut by_oracle = shortest.lengths.iter().zip(&looked_up.lengths);
    if let Some((own, other)) = by_oracle.find(|&(&a, &b)| above(a, b) || above(b, a)) {
        bail!("a path of length {other:?} is looked up, one of {own:?} is searched for");
    }
    let both = || shortest.lengths.iter().zip(&by_polyanya.lengths);
    let shorter = both().filter(|&(&own, &other)| above(other, own)).count();
    let longer = both().filter(|&(&own, &other)| above(own, other)).count();
    let excluded =
        shortest.lengths.iter().zip(&listed).filter(|(length, pair)| !is_listed(**length, pair)).count();
    let sum = |of: &[Option<f64>]| of.iter().flatten().sum::<f64>();
    let map = Map {
        pairs: listed.len(),
        times: [&by_polyanya, &shortest, &fast, &looked_up].map(|found| mean(&found.times)),
        other: [shorter, longer, excluded],
        excess: sum(&fast.lengths) / sum(&shortest.lengths).max(f64::MIN_POSITIVE) - 1.0,
        oracle,
    };
    Ok((polygons, map))
}

/// `true` if a path, or none, can be that of a pair, which lists 0 where there is none. The listed
/// paths go between centres of squares, ours between their corners.
fn is_listed(length: Option<f64>, pair: &GridPair) -> bool {
    if pair.length == 0.0 && pair.from != pair.to {
        return length.is_none();
    }
    let shortest = pair.length / EIGHT_DIRECTIONS - TURNS;
    length.is_some_and(|length| (shortest..=pair.length + LISTED_DECIMALS).contains(&length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_checked_against_the_listed_one() {
        let pair = |length| GridPair { from: [0, 0], to: [30, 40], length };
        assert!(is_listed(Some(50.0), &pair(52.43)) && is_listed(None, &pair(0.0)));
        assert!(!is_listed(Some(52.5), &pair(52.43)) && !is_listed(None, &pair(52.43)));
        assert!(!is_listed(Some(44.0), &pair(52.43)) && !is_listed(Some(50.0), &pair(0.0)));
    }

    #[test]
    fn a_folder_is_measured_and_wrong_ones_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let options = PublishedOptions { folder: folder.path().to_owned(), rounds: 1 };
        assert!(published(&options).unwrap_err().to_string().contains(".mesh"));
        let inner = folder.path().join("maps");
        std::fs::create_dir(&inner).unwrap();
        // Two squares side by side, and a third apart.
        let mesh = "mesh\n2\n10 3\n\
                    0 0 2 0 -1\n4 0 3 0 1 -1\n4 4 3 0 1 -1\n0 4 2 0 -1\n8 0 2 1 -1\n8 4 2 1 -1\n\
                    20 0 2 2 -1\n24 0 2 2 -1\n24 4 2 2 -1\n20 4 2 2 -1\n\
                    4 0 1 2 3 -1 -1 1 -1\n4 1 4 5 2 0 -1 -1 -1\n4 6 7 8 9 -1 -1 -1 -1\n";
        std::fs::write(inner.join("two-merged.mesh"), mesh).unwrap();
        let pairs = "version 1\n0 two 8 4 1 1 7 3 6.83\n0 two 8 4 1 1 21 1 0\n";
        std::fs::write(inner.join("two.map.scen"), pairs).unwrap();
        let mut maps = Vec::new();
        find_maps(folder.path(), &mut maps).unwrap();
        let (polygons, map) = measure(&maps[0].0, &maps[0].1, 1).unwrap();
        assert_eq!((polygons, map.pairs, map.other), (3, 2, [0, 0, 0]));
        published(&options).unwrap();
        std::fs::write(inner.join("two-merged.mesh"), "mesh 3").unwrap();
        let error = format!("{:#}", published(&options).unwrap_err());
        assert!(error.contains("two-merged.mesh") && error.contains("version 2"), "{error}");
    }
}
