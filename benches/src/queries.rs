//! Path queries side by side, each engine on its own mesh, on the same fixed pairs of points.

use std::time::Instant;

use glam::Vec3;
use serde::Serialize;
use waymesh_core::{Random, nearest_f32};

use crate::PolygonMesh;

/// Engines on one scene, and the pairs of places that are asked for.
pub type QueryScene = (Vec<Box<dyn Queries>>, Vec<[Vec3; 2]>);

/// How many pairs are asked for.
pub const PAIRS: usize = 1000;

/// An engine with a baked mesh.
pub trait Queries {
    /// Its name in tables and JSON.
    fn name(&self) -> &'static str;

    /// Asks the query of all points or pairs that it was made with: what each took, in nanoseconds,
    /// and the length where something was found. `None` for an engine that is asked and timed
    /// one by one.
    fn timed(&mut self, query: Timed) -> Option<Vec<(u64, Option<f32>)>> {
        let _ = query;
        None
    }

    /// `true` if there is mesh near `point`, at most [`REACH`] away.
    fn nearest(&mut self, point: Vec3) -> bool;

    /// From two points to the corners of the path: locates both, searches, pulls the string.
    /// Returns the path's length if it leads from end to end. A partial path is computed as
    /// well, but returned as `None`.
    fn path(&mut self, from: Vec3, to: Vec3) -> Option<f32>;

    /// The same as [`Self::path`], but the shortest path. `None` for an engine without such a
    /// search.
    fn shortest(&mut self, from: Vec3, to: Vec3) -> Option<f32> {
        let _ = (from, to);
        None
    }

    /// Moves the agent of the next queries to the mesh near `point`; not timed. `true` if there is
    /// mesh.
    fn stand(&mut self, point: Vec3) -> bool {
        let _ = point;
        false
    }

    /// Casts a ray from where the agent stands to a point: the polygons passed, the wall, and the
    /// free part of the segment. Returns the last, from 0 to 1.
    fn raycast(&mut self, to: Vec3) -> f32 {
        let _ = to;
        0.0
    }

    /// Moves from where the agent stands towards a point. Returns how far from the point it ends,
    /// in plan.
    fn move_along(&mut self, to: Vec3) -> f32 {
        let _ = to;
        0.0
    }

    /// The mesh, if it is ours.
    fn mesh(&self) -> Option<&waymesh_graph::NavMesh> {
        None
    }

    /// `true` if it has rays and moves.
    fn looks(&self) -> bool {
        true
    }
}

/// The queries of an engine that runs in a process of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timed {
    /// [`Queries::nearest`] for all points.
    Nearest,
    /// [`Queries::path`] for all pairs.
    Path,
    /// [`Queries::shortest`] for all pairs.
    Shortest,
}

/// Length of a move in metres: a running agent in a quarter of a second.
const STEP: f32 = 2.0;

/// How far a point may be from the mesh along x, y and z: what Detour's samples use.
pub const REACH: Vec3 = Vec3::new(2.0, 4.0, 2.0);

/// Nanoseconds a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Nanoseconds {
    /// Over all queries.
    pub mean: f64,
    /// Over all queries.
    pub median: f64,
    /// Over all queries: 99 of 100 take less.
    pub high: f64,
}

/// Figures of one engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueryTimes {
    /// Which engine.
    pub engine: &'static str,
    /// Nearest point, over both ends of all pairs.
    pub nearest_ns: Nanoseconds,
    /// Whole path, over the pairs that this engine connects.
    pub connected_path_ns: Nanoseconds,
    /// Whole path, over the other pairs.
    pub partial_path_ns: Nanoseconds,
    /// Shortest path, over the pairs that this engine connects.
    pub shortest_path_ns: Nanoseconds,
    /// A ray from one end of a pair to the other.
    pub raycast_ns: Nanoseconds,
    /// Moving 2 m towards the other end.
    pub move_along_ns: Nanoseconds,
    /// Mean free part of the rays.
    pub mean_free: f64,
    /// Mean length of the shortest paths over the pairs that every engine connects, in metres.
    pub mean_shortest: f64,
    /// Share of those pairs whose path is more than 1 % longer than the shortest known, and the
    /// largest ratio.
    pub too_long: f64,
    /// The largest ratio of a path to the shortest known.
    pub worst_ratio: f64,
    /// Points found on the mesh, of twice the number of pairs.
    pub located: usize,
    /// Pairs with a path from end to end.
    pub connected: usize,
    /// Mean length of the paths that every engine found, in metres.
    pub mean_length: f64,
}

/// `count` pairs of points spread evenly over the area of `mesh`, the same ones for the same mesh.
#[must_use]
pub fn pairs(mesh: &PolygonMesh, count: usize) -> Vec<[Vec3; 2]> {
    let fan = |polygon: &Vec<u32>| -> Vec<[Vec3; 3]> {
        let corner = |index: usize| mesh.vertices[polygon[index] as usize];
        (2..polygon.len()).map(|last| [corner(0), corner(last - 1), corner(last)]).collect()
    };
    let triangles: Vec<[Vec3; 3]> = mesh.polygons.iter().flat_map(fan).collect();
    let mut total = 0.0;
    let ends: Vec<f64> = triangles
        .iter()
        .map(|[a, b, c]| {
            total += f64::from((*b - *a).cross(*c - *a).length());
            total
        })
        .collect();
    let mut random = Random::new(0x5eed);
    let mut point = || {
        let target = random.unit_f64() * total;
        let [a, b, c] = triangles[ends.partition_point(|&end| end <= target).min(triangles.len() - 1)];
        let (mut u, mut v) = (random.unit_f64(), random.unit_f64());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        let (u, v) = (nearest_f32(u), nearest_f32(v));
        a + (b - a) * u + (c - a) * v
    };
    if triangles.is_empty() { Vec::new() } else { (0..count).map(|_| [point(), point()]).collect() }
}

/// Runs every query `rounds` times on every engine, engines in turns, and takes the median of each
/// query over the rounds.
///
/// The clock's own cost (tens of nanoseconds) is taken off every figure.
#[must_use]
pub fn measure(engines: &mut [Box<dyn Queries + '_>], pairs: &[[Vec3; 2]], rounds: usize) -> Vec<QueryTimes> {
    let rounds = rounds.max(1);
    let clock = clock_cost();
    let mut runs: Vec<Run> = engines.iter().map(|_| Run::new(pairs.len())).collect();
    for _ in 0..rounds {
        for (engine, run) in engines.iter_mut().zip(&mut runs) {
            run.round(engine.as_mut(), pairs);
        }
    }
    let everyone: Vec<usize> =
        (0..pairs.len()).filter(|&pair| runs.iter().all(|run| run.lengths[pair].is_some())).collect();
    // A path is the shortest on its own mesh only: meshes of different tools differ by what they
    // leave out.
    let known: Vec<f32> = (0..pairs.len())
        .map(|pair| runs.iter().filter_map(|run| run.exact[pair]).fold(f32::INFINITY, f32::min))
        .collect();
    engines
        .iter()
        .zip(runs)
        .map(|(engine, run)| {
            let lengths = everyone.iter().filter_map(|&pair| run.lengths[pair]).map(f64::from);
            let mean_length = lengths.sum::<f64>() / everyone.len().max(1) as f64;
            let (connected, partial): (Vec<_>, Vec<_>) =
                run.path.into_iter().zip(&run.lengths).partition(|(_, length)| length.is_some());
            let times = |paths: Vec<(Vec<u64>, _)>| summary(paths.into_iter().map(|(times, _)| times), clock);
            let exact = everyone.iter().filter_map(|&pair| run.exact[pair]).map(f64::from);
            let count = everyone.len().max(1) as f64;
            let mean_shortest = exact.sum::<f64>() / count;
            let ratios = everyone.iter().filter_map(|&pair| {
                let (length, known) = (run.lengths[pair]?, known[pair]);
                (known > 0.5).then(|| f64::from(length / known))
            });
            let ratios: Vec<f64> = ratios.collect();
            let too_long =
                ratios.iter().filter(|&&ratio| ratio > 1.01).count() as f64 / ratios.len().max(1) as f64;
            let worst_ratio = ratios.iter().copied().fold(0.0, f64::max);
            let mean_free =
                run.free.iter().copied().map(f64::from).sum::<f64>() / run.free.len().max(1) as f64;
            QueryTimes {
                engine: engine.name(),
                located: run.located,
                connected: connected.len(),
                nearest_ns: summary(run.nearest.into_iter(), clock),
                connected_path_ns: times(connected),
                partial_path_ns: times(partial),
                mean_length,
                shortest_path_ns: summary(run.shortest.into_iter(), clock),
                raycast_ns: summary(run.raycast.into_iter(), clock),
                move_along_ns: summary(run.moves.into_iter(), clock),
                mean_free,
                mean_shortest,
                too_long,
                worst_ratio,
            }
        })
        .collect()
}

/// Times in nanoseconds per query and round, and the answers of the last round.
struct Run {
    nearest: Vec<Vec<u64>>,
    path: Vec<Vec<u64>>,
    shortest: Vec<Vec<u64>>,
    raycast: Vec<Vec<u64>>,
    moves: Vec<Vec<u64>>,
    located: usize,
    lengths: Vec<Option<f32>>,
    exact: Vec<Option<f32>>,
    free: Vec<f32>,
}

impl Run {
    fn new(pairs: usize) -> Self {
        Self {
            nearest: vec![Vec::new(); 2 * pairs],
            path: vec![Vec::new(); pairs],
            shortest: vec![Vec::new(); pairs],
            raycast: vec![Vec::new(); pairs],
            moves: vec![Vec::new(); pairs],
            located: 0,
            lengths: vec![None; pairs],
            exact: vec![None; pairs],
            free: Vec::new(),
        }
    }

    fn round(&mut self, engine: &mut dyn Queries, pairs: &[[Vec3; 2]]) {
        self.located = 0;
        let points = pairs.as_flattened();
        let answers = engine
            .timed(Timed::Nearest)
            .unwrap_or_else(|| timed(points, |&point| engine.nearest(point).then_some(0.0)));
        for ((nanoseconds, found), times) in answers.into_iter().zip(&mut self.nearest) {
            self.located += usize::from(found.is_some());
            times.push(nanoseconds);
        }
        let answers = engine.timed(Timed::Path);
        let answers = answers.unwrap_or_else(|| timed(pairs, |&[from, to]| engine.path(from, to)));
        for (((nanoseconds, found), times), length) in
            answers.into_iter().zip(&mut self.path).zip(&mut self.lengths)
        {
            *length = found;
            times.push(nanoseconds);
        }
        let answers = engine.timed(Timed::Shortest);
        let answers = answers.unwrap_or_else(|| timed(pairs, |&[from, to]| engine.shortest(from, to)));
        for (((nanoseconds, found), times), length) in
            answers.into_iter().zip(&mut self.shortest).zip(&mut self.exact)
        {
            *length = found;
            if found.is_some() {
                times.push(nanoseconds);
            }
        }
        self.free.clear();
        if !engine.looks() {
            return;
        }
        for ((&[from, to], rays), moves) in pairs.iter().zip(&mut self.raycast).zip(&mut self.moves) {
            if !engine.stand(from) {
                continue;
            }
            let start = Instant::now();
            let free = std::hint::black_box(engine.raycast(to));
            rays.push(nanoseconds(start));
            self.free.push(free);
            let near = from + (to - from) * (STEP / from.distance(to).max(STEP));
            let start = Instant::now();
            std::hint::black_box(engine.move_along(near));
            moves.push(nanoseconds(start));
        }
    }
}

/// One by one.
fn timed<T>(inputs: &[T], mut ask: impl FnMut(&T) -> Option<f32>) -> Vec<(u64, Option<f32>)> {
    let mut answers = Vec::with_capacity(inputs.len());
    for input in inputs {
        let start = Instant::now();
        let found = ask(input);
        answers.push((nanoseconds(start), found));
    }
    answers
}

/// The median time of an empty measurement.
pub(crate) fn clock_cost() -> u64 {
    let mut times: Vec<u64> = (0..10_001).map(|_| nanoseconds(Instant::now())).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

pub(crate) fn nanoseconds(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

pub(crate) fn summary(queries: impl Iterator<Item = Vec<u64>>, clock: u64) -> Nanoseconds {
    let mut medians: Vec<u64> = queries
        .filter(|times| !times.is_empty())
        .map(|mut times| {
            times.sort_unstable();
            times[times.len() / 2].saturating_sub(clock)
        })
        .collect();
    if medians.is_empty() {
        return Nanoseconds::default();
    }
    medians.sort_unstable();
    Nanoseconds {
        mean: medians.iter().sum::<u64>() as f64 / medians.len() as f64,
        median: medians[medians.len() / 2] as f64,
        high: medians[medians.len() * 99 / 100] as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_repeatable_and_lie_on_the_mesh() {
        let mesh = PolygonMesh {
            vertices: vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 0.0, 1.0), Vec3::Z],
            polygons: vec![vec![0, 1, 2, 3]],
        };
        let points = pairs(&mesh, 50);
        assert_eq!(points, pairs(&mesh, 50));
        assert_eq!(points.len(), 50);
        let square = (Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0));
        assert!(points.as_flattened().iter().all(|&p| p == p.clamp(square.0, square.1)));
        assert!(pairs(&PolygonMesh::default(), 5).is_empty());
    }
}
