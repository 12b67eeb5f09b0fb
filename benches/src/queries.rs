//! Path queries side by side, each engine on its own mesh, on the same fixed pairs of points.

use std::time::Instant;

use anyhow::Result;
use glam::Vec3;
use waymesh_core::{Random, nearest_f32};
use waymesh_graph::NavMesh;

use crate::compare::polygon_mesh;
use crate::measure::{Report, mean, quantile, ratio};
use crate::ours::{self, RadiusQueries, WaymeshQueries};
use crate::{PolygonMesh, Scene, Settings};

/// Number of pairs.
pub const PAIRS: usize = 1000;

/// Largest distance of a point from the mesh along x, y and z: what Detour's samples use.
pub const REACH: Vec3 = Vec3::new(2.0, 4.0, 2.0);

/// Length of a move in metres: a running agent in a quarter of a second.
const STEP: f32 = 2.0;

/// A query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// The mesh near every point of the pairs.
    Nearest,
    /// From two points to the corners of the path: locates both, searches, pulls the string. The
    /// answer is the length of a complete path; a partial one is computed as well.
    Path,
    /// The shortest path; without an answer from an engine that has no such search.
    Shortest,
    /// A ray from the place of one point to the other. The answer is its free part, from 0 to 1.
    Raycast,
    /// A move of `STEP` from the place of one point towards the other.
    Move,
    /// A move as before, then the height of the ground at its end: Detour's corridors ask for it
    /// after each move.
    MoveOnGround,
}

const QUERIES: [Query; 6] =
    [Query::Nearest, Query::Path, Query::Shortest, Query::Raycast, Query::Move, Query::MoveOnGround];

/// Nanoseconds of a query, and what it found. `None` if it was not run.
pub type Answer = Option<(f64, Option<f32>)>;

/// An engine with a baked mesh.
pub trait Queries {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Runs a query for all pairs, or for both points of all pairs. Empty if the engine has none.
    fn answers(&mut self, query: Query, pairs: &[[Vec3; 2]]) -> Vec<Answer>;
}

/// Answers of a query, timed one by one. `prepare` is not timed, and a query for which it returns
/// `None` is not run.
pub(crate) fn timed<T: Copy, P>(
    inputs: &[T],
    mut prepare: impl FnMut(T) -> Option<P>,
    mut run: impl FnMut(P) -> Option<f32>,
) -> Vec<Answer> {
    let one = |&input: &T| {
        let prepared = prepare(input)?;
        let start = Instant::now();
        let found = std::hint::black_box(run(prepared));
        Some((start.elapsed().as_secs_f64() * 1e9, found))
    };
    inputs.iter().map(one).collect()
}

/// The end of a move from one end of a pair towards the other.
pub(crate) fn step([from, to]: [Vec3; 2]) -> Vec3 {
    from + (to - from) * (STEP / from.distance(to).max(STEP))
}

/// `count` pairs of points spread evenly over the ground of `mesh`, the same for the same mesh.
#[must_use]
pub fn pairs(mesh: &PolygonMesh, count: usize) -> Vec<[Vec3; 2]> {
    let fan = |polygon: &Vec<u32>| -> Vec<[Vec3; 3]> {
        let corner = |index: usize| mesh.vertices[polygon[index] as usize];
        (2..polygon.len()).map(|last| [corner(0), corner(last - 1), corner(last)]).collect()
    };
    let mut triangles = mesh.ground.concat();
    if triangles.is_empty() {
        triangles = mesh.polygons.iter().flat_map(fan).collect();
    }
    let mut total = 0.0;
    let areas = triangles.iter().map(|[a, b, c]| f64::from((*b - *a).cross(*c - *a).length()));
    let ends: Vec<f64> = areas.map(|area| (total += area, total).1).collect();
    let mut random = Random::new(0x5eed);
    let mut point = || {
        let target = random.unit_f64() * total;
        let [a, b, c] = triangles[ends.partition_point(|&end| end <= target).min(triangles.len() - 1)];
        let (mut u, mut v) = (random.unit_f64(), random.unit_f64());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        a + (b - a) * nearest_f32(u) + (c - a) * nearest_f32(v)
    };
    if triangles.is_empty() { Vec::new() } else { (0..count).map(|_| [point(), point()]).collect() }
}

/// Selects queries by their answer.
type IsMeant = fn(Option<f32>) -> bool;

/// Median times of each query over rounds, one by one, and the answers of the last round.
struct Run {
    times: Vec<Vec<Vec<f64>>>,
    last: Vec<Vec<Answer>>,
}

impl Run {
    /// Appends mean, median and 99th percentile of the queries that `is_meant` selects by their
    /// answer, without the cost of the clock.
    fn nanoseconds(&self, query: Query, clock: f64, is_meant: IsMeant) -> [f64; 3] {
        let (times, last) = (&self.times[query as usize], &self.last[query as usize]);
        let meant = last.iter().zip(times).filter(|(last, _)| last.is_some_and(|(_, found)| is_meant(found)));
        let times: Vec<f64> =
            meant.map(|(_, times)| (quantile(times.clone(), 0.5) - clock).max(0.0)).collect();
        [mean(&times), quantile(times.clone(), 0.5), quantile(times, 0.99)].map(f64::round)
    }

    fn found(&self, query: Query) -> Vec<Option<f32>> {
        self.last[query as usize].iter().map(|answer| answer.and_then(|(_, found)| found)).collect()
    }
}

/// Runs every query `rounds` times on every engine, engines in turns, and takes the median of each
/// query over the rounds.
#[must_use]
pub fn measure(
    title: &str,
    engines: &mut [Box<dyn Queries + '_>],
    pairs: &[[Vec3; 2]],
    rounds: usize,
) -> Report {
    let empty = (0..10_001).map(|_| Instant::now().elapsed().as_secs_f64() * 1e9).collect();
    let clock = quantile(empty, 0.5);
    let run = || Run { times: vec![vec![Vec::new(); 2 * pairs.len()]; QUERIES.len()], last: Vec::new() };
    let mut runs: Vec<Run> = engines.iter().map(|_| run()).collect();
    for _ in 0..rounds.max(1) {
        for (engine, run) in engines.iter_mut().zip(&mut runs) {
            run.last = QUERIES.map(|query| engine.answers(query, pairs)).to_vec();
            for (times, answers) in run.times.iter_mut().zip(&run.last) {
                times
                    .iter_mut()
                    .zip(answers)
                    .for_each(|(all, answer)| all.extend(answer.map(|(time, _)| time)));
            }
        }
    }
    let title = format!("{title}: queries on {} pairs, ns each", pairs.len());
    let mut report = Report::new(title, engines.iter().map(|engine| engine.name()).collect());
    let rows: [(&str, Query, IsMeant); 7] = [
        ("nearest", Query::Nearest, |_| true),
        ("path, connected", Query::Path, |found| found.is_some()),
        ("path, partial", Query::Path, |found| found.is_none()),
        ("shortest path", Query::Shortest, |found| found.is_some()),
        ("raycast", Query::Raycast, |_| true),
        ("move along", Query::Move, |_| true),
        ("move along on the ground", Query::MoveOnGround, |_| true),
    ];
    for (name, query, is_meant) in rows {
        let times: Vec<[f64; 3]> = runs.iter().map(|run| run.nanoseconds(query, clock, is_meant)).collect();
        for (at, part) in ["mean", "median", "99 %"].into_iter().enumerate() {
            report.row(format!("{name}, {part}"), times.iter().map(|times| times[at]).collect());
        }
    }
    let of_runs = |figure: &dyn Fn(&Run) -> f64| runs.iter().map(figure).collect::<Vec<f64>>();
    let count = |run: &Run, query| run.found(query).into_iter().flatten().count() as f64;
    report.row("points located", of_runs(&|run| count(run, Query::Nearest)));
    report.row("pairs connected", of_runs(&|run| count(run, Query::Path)));
    let [paths, shortest]: [Vec<Vec<Option<f32>>>; 2] =
        [Query::Path, Query::Shortest].map(|query| runs.iter().map(|run| run.found(query)).collect());
    let is_found = |pair: usize| paths.iter().all(|lengths| lengths.get(pair).is_some_and(Option::is_some));
    let everyone: Vec<usize> = (0..pairs.len()).filter(|&pair| is_found(pair)).collect();
    // A path is the shortest on its own mesh only: meshes of different tools differ by what they
    // leave out.
    let known = |pair: usize| {
        let lengths = shortest.iter().filter_map(|lengths| *lengths.get(pair)?);
        lengths.fold(f32::INFINITY, f32::min)
    };
    let over_all =
        |lengths: &[Vec<Option<f32>>], figure: &dyn Fn(Vec<f64>) -> f64, by: &dyn Fn(usize) -> f32| {
            let each = |lengths: &Vec<Option<f32>>| {
                let value = |&pair: &usize| Some(f64::from((*lengths.get(pair)?)? / by(pair)));
                figure(everyone.iter().filter_map(value).filter(|value| value.is_finite()).collect())
            };
            lengths.iter().map(each).collect::<Vec<f64>>()
        };
    let too_long =
        |ratios: Vec<f64>| 100.0 * ratio(ratios.iter().filter(|&&ratio| ratio > 1.01).count(), ratios.len());
    report.row("mean length, m", over_all(&paths, &|lengths| mean(&lengths), &|_| 1.0));
    report.row("mean shortest, m", over_all(&shortest, &|lengths| mean(&lengths), &|_| 1.0));
    report.row("over 1 % too long, %", over_all(&paths, &too_long, &known));
    report.row("worst ratio", over_all(&paths, &|ratios| quantile(ratios, 1.0), &known));
    let free = |run: &Run| {
        let found: Vec<f64> = run.found(Query::Raycast).into_iter().flatten().map(f64::from).collect();
        mean(&found)
    };
    report.row("mean free way", of_runs(&free));
    report
}

/// Engines on one scene, and the pairs.
pub type QueryScene = (Vec<Box<dyn Queries>>, Vec<[Vec3; 2]>);

/// Query engines on `scene`, and pairs of points spread over Recast's height surface where there is
/// one, else over our polygons. Ours and Detour's are baked whole or both in tiles.
///
/// # Errors
/// If an engine cannot bake.
pub fn engines(scene: &Scene, settings: &Settings, tile_cells: Option<u16>) -> Result<QueryScene> {
    let own = WaymeshQueries::new(ours::mesh_of(scene, settings, tile_cells)?);
    let any_radius = RadiusQueries::bake(scene, settings, tile_cells)?;
    #[cfg(feature = "peers")]
    let ground = (crate::recast::RECAST.bake)(scene, settings)?.result;
    #[cfg(not(feature = "peers"))]
    let ground = (ours::WAYMESH.bake)(scene, settings)?.result;
    let pairs = pairs(&ground, PAIRS);
    #[cfg(feature = "peers")]
    let peers: [Result<Box<dyn Queries>>; 2] = [
        crate::Detour::bake(scene, settings, tile_cells).map(|detour| Box::new(detour) as _),
        crate::Landmass::new(&own.mesh, &pairs).map(|landmass| Box::new(landmass) as _),
    ];
    #[cfg(not(feature = "peers"))]
    let peers: [Result<Box<dyn Queries>>; 0] = [];
    let mut engines: Vec<Box<dyn Queries>> =
        vec![Box::new(own), Box::new(any_radius.fast()), Box::new(any_radius)];
    add(&mut engines, &scene.name, peers);
    Ok((engines, pairs))
}

/// Adds those engines that could be made.
fn add(
    engines: &mut Vec<Box<dyn Queries>>,
    scene: &str,
    peers: impl IntoIterator<Item = Result<Box<dyn Queries>>>,
) {
    for peer in peers {
        match peer {
            Ok(peer) => engines.push(peer),
            Err(error) => eprintln!("{scene}: left out: {error:#}"),
        }
    }
}

/// Returns query engines on an existing mesh: a published flat one (`arena`, `aurora`) or a
/// `.wmesh` file, and pairs of points spread over it; `None` for other names, and for a published
/// one that is not next to the checkout.
///
/// # Errors
/// If the file cannot be read.
pub fn engines_on_file(name: &str) -> Result<Option<QueryScene>> {
    let mut text = String::new();
    let mesh = if name.ends_with(".wmesh") {
        waymesh_io::open(name)?
    } else if matches!(name, "arena" | "aurora") {
        let file = format!("golden/polyanya_meshes/v2/{name}-merged.mesh");
        let Some(file) = waymesh_testkit::levels::find(&file) else { return Ok(None) };
        text = std::fs::read_to_string(&file)?;
        let cells = waymesh_testkit::flat_meshes::read(&text);
        NavMesh::try_from(cells.ok_or_else(|| anyhow::anyhow!("{name} is not of version 2"))?)?
    } else {
        return Ok(None);
    };
    let corners = mesh.polygons().map(|polygon| polygon.corners().iter().map(|at| at.0).collect());
    let polygons = polygon_mesh(mesh.vertices().to_vec(), corners.collect());
    let pairs = pairs(&polygons, PAIRS);
    #[cfg(feature = "peers")]
    let peers: [Result<Box<dyn Queries>>; 2] = [
        crate::polygon_peers::Polyanya::new(text.as_bytes()).map(|polyanya| Box::new(polyanya) as _),
        crate::Landmass::new(&mesh, &pairs).map(|landmass| Box::new(landmass) as _),
    ];
    #[cfg(not(feature = "peers"))]
    let peers: [Result<Box<dyn Queries>>; 0] = [];
    let mut engines: Vec<Box<dyn Queries>> = vec![Box::new(WaymeshQueries::new(mesh))];
    if !text.is_empty() {
        add(&mut engines, name, peers);
    }
    Ok(Some((engines, pairs)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_repeatable_and_lie_on_the_mesh() {
        let corners = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 0.0, 1.0), Vec3::Z];
        let mesh = polygon_mesh(corners, vec![vec![0, 1, 2, 3]]);
        let points = pairs(&mesh, 50);
        assert_eq!(points, pairs(&mesh, 50));
        assert_eq!(points.len(), 50);
        let square = (Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0));
        assert!(points.as_flattened().iter().all(|&p| p == p.clamp(square.0, square.1)));
        assert!(pairs(&PolygonMesh::default(), 5).is_empty());
    }
}
