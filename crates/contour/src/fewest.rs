//! Search for the chain of shortcuts within a tolerance that needs the fewest convex polygons
//! later.

use std::cmp::Ordering;
use std::ops::Range;

use waymesh_core::{Buckets, PlanPoint, checkpoint};

use crate::boxes::Line;
use crate::polyline::simplify_line;
use crate::segment::Segment;

/// Raw points closer than this share of the tolerance to a line through their neighbours are no
/// candidates.
const CANDIDATE_SHARE: f64 = 1.0 / 16.0;
/// Largest number of candidates that a shortcut passes over. A longer run of candidates is only
/// noise within the tolerance.
const MOST_PASSED: usize = 64;
/// Largest number of candidates that a shortcut passes over on a grid, where all corners are
/// candidates. A higher limit takes longer and does not reduce polygons, because long edges are
/// split again ([`crate::SimplifyConfig::max_edge_length`]).
const MOST_PASSED_ON_GRID: usize = 12;
/// Cost of a corner. A notch costs 1.
const CORNER_COST: f64 = 1.0 / 8.0;
/// Cost of a shortcut that strays as far as the tolerance allows.
const STRAY_COST: f64 = 1.0 / 4.0;
/// Cost of the ground that a wall or drop on a grid takes, per square whose side is the tolerance.
/// Ground that it gives costs only [`STRAY_COST`], because borders on a grid lie inside the true
/// ones: only whole cells are kept. For borders off the grid, ground costs nothing. Measured on
/// eight levels at cells of 0.3 m: a third less loses narrow ground, and a higher cost keeps no
/// more ground.
const TAKEN_COST: f64 = 0.3;

/// The turns of a line that are notches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sides {
    /// Ground lies on the left only, so turns to the right are notches.
    Left,
    /// Ground lies on both sides, so all turns are notches.
    Both,
}

/// A shortcut between two candidates.
#[derive(Clone, Copy, Debug)]
struct Shortcut {
    from: u32,
    to: u32,
    /// Cost of its distance from the chain, and of the ground that it takes.
    cost: f64,
}

const NO_SHORTCUT: u32 = u32::MAX;

/// Appends the indices of the corners to keep between the ends of a chain, in order, without the
/// ends.
///
/// No point of the chain lies farther from the result than the tolerance: distances are taken to
/// segments. Candidates are the corners that Ramer's algorithm leaves at a small share of the
/// tolerance; on a grid they are all corners. Of all paths over candidates, the result is the one
/// with the least cost. A notch costs 1; other corners, the distance and the ground that is taken
/// cost less.
///
/// # Cost
/// For each candidate, the square of the number of later candidates that one straight line can pass
/// within the tolerance: at most 12 on a grid, else 64.
///
/// # References
/// - Imai and Iri 1988, Polygonal approximations of a curve, for the graph of shortcuts.
/// - Chan and Chin 1996, <https://doi.org/10.1142/S0218195996000058>, for the wedge that ends the
///   search from a vertex.
pub(crate) fn fewest_notches(
    line: &Line<'_>,
    chain: Range<usize>,
    tolerance_squared: f64,
    sides: Sides,
    out: &mut Vec<usize>,
) {
    let candidates = Candidates::of_chain(line, chain, tolerance_squared);
    if candidates.places.len() < 3 {
        return;
    }
    let count = candidates.places.len() - 1;
    let begin = out.len();
    let graph = Graph::new(line, candidates, count, tolerance_squared, sides);
    graph.cheapest_way(0, &mut Costs::default(), out);
    out[begin..].iter_mut().for_each(|corner| *corner = graph.places[*corner]);
}

/// Longest ring, in points, for which several starts are tried and candidates are searched from
/// several starts, and the largest numbers of these starts.
const SHORT_RING: usize = 2048;
const MOST_STARTS: usize = 2;
const MOST_LOOKS: usize = 4;

/// Returns the indices of the corners to keep of a ring, whose last point repeats its first. The
/// indices begin with the start for which the ring costs least, and follow the order of the ring.
/// The list is empty if no corner is kept.
pub(crate) fn ring_corners(ring: &[PlanPoint], tolerance_squared: f64, sides: Sides) -> Vec<usize> {
    // The ring is repeated twice, so that it is a chain from every start.
    let twice = [ring, &ring[1..]].concat();
    let line = Line::new(twice.as_slice());
    let Some((mut candidates, first)) = Candidates::of_ring(&line, ring, tolerance_squared) else {
        return Vec::new();
    };
    let places = &mut candidates.places;
    let (count, length) = (places.len(), ring.len() - 1);
    places.extend_from_within(..);
    places[count..].iter_mut().for_each(|place| *place += length);
    let graph = Graph::new(&line, candidates, count, tolerance_squared, sides);
    let mut costs = Costs::default();
    let mut starts = vec![first];
    graph.cheapest_way(first, &mut costs, &mut starts);
    graph.sort_by_height(&mut starts);
    starts.truncate(if ring.len() <= SHORT_RING { MOST_STARTS } else { 1 });
    let (mut least, mut best) = (f64::INFINITY, Vec::new());
    for start in starts {
        let mut corners = vec![start];
        let mut cost = graph.cheapest_way(start, &mut costs, &mut corners);
        if let [_, first, .., last] | [_, first @ last] = corners[..] {
            cost += turn(sides, [last, start, first].map(|candidate| graph.point(candidate)));
        }
        if cost < least {
            (least, best) = (cost, corners);
        }
    }
    best.into_iter().map(|corner| graph.places[corner]).collect()
}

/// The candidates for corners.
struct Candidates {
    /// Indices of the candidates in the line.
    places: Vec<usize>,
    /// `true` if the runs between candidates are straight, along rows and columns.
    is_on_grid: bool,
}

impl Candidates {
    /// Returns the candidates of a chain, including its ends.
    fn of_chain(line: &Line<'_>, chain: Range<usize>, tolerance_squared: f64) -> Self {
        let begin = chain.start;
        if let Some(mut places) = grid_corners(&line.points()[chain.clone()]) {
            places.iter_mut().for_each(|place| *place += begin);
            return Self { places, is_on_grid: true };
        }
        let mut places = Vec::new();
        simplify_line(line, chain, tolerance_squared * CANDIDATE_SHARE * CANDIDATE_SHARE, &mut places);
        Self { places, is_on_grid: false }
    }

    /// Returns the candidates of a ring, and the number of a good start. `line` is the ring
    /// repeated twice.
    fn of_ring(line: &Line<'_>, ring: &[PlanPoint], tolerance_squared: f64) -> Option<(Self, usize)> {
        let length = ring.len() - 1;
        if let Some(mut places) = grid_corners(ring) {
            // The ends are one point, which need not be a corner.
            places.pop();
            let is_passed = |[before, at, after]: [i32; 3]| (before <= at) == (at <= after);
            let [before, at, after] = [length - 1, 0, 1].map(|place| ring[place]);
            if PlanPoint::orientation(before, at, after) == 0
                && is_passed([before.x, at.x, after.x])
                && is_passed([before.z, at.z, after.z])
            {
                places.remove(0);
            }
            return Some((Self { places, is_on_grid: true }, 0));
        }
        // The corners found depend on the start, so several starts are used.
        let mut corners = Vec::new();
        simplify_line(line, 0..ring.len(), tolerance_squared, &mut corners);
        let looks = &corners[1..corners.len() - 1];
        let &start = looks.first()?;
        let most = if ring.len() <= SHORT_RING { MOST_LOOKS } else { 1 };
        let mut places: Vec<usize> = looks
            .iter()
            .step_by(looks.len().div_ceil(most).max(1))
            .flat_map(|&start| Self::of_chain(line, start..start + ring.len(), tolerance_squared).places)
            .map(|place| place % length)
            .collect();
        places.sort_unstable();
        places.dedup();
        let first = places.partition_point(|&place| place < start);
        Some((Self { places, is_on_grid: false }, first))
    }
}

/// Returns `true` if a chain runs along rows and columns only.
pub(crate) fn runs_along_grid(chain: &[PlanPoint]) -> bool {
    grid_corners(chain).is_some()
}

/// Returns the ends of a chain and the points where it turns, if it runs along rows and columns
/// only.
fn grid_corners(chain: &[PlanPoint]) -> Option<Vec<usize>> {
    let mut corners = vec![0];
    let mut last = None;
    for (place, pair) in chain.windows(2).enumerate() {
        let step = [pair[1].x.cmp(&pair[0].x), pair[1].z.cmp(&pair[0].z)];
        if step.map(Ordering::is_eq) == [false; 2] || step.map(Ordering::is_eq) == [true; 2] {
            return None;
        }
        if last.is_some_and(|last| last != step) {
            corners.push(place);
        }
        last = Some(step);
    }
    corners.push(chain.len() - 1);
    Some(corners)
}

/// Returns the cost of a corner.
fn turn(sides: Sides, [before, corner, after]: [PlanPoint; 3]) -> f64 {
    let turn = PlanPoint::orientation(before, corner, after);
    let is_notch = turn < 0 || (turn > 0 && sides == Sides::Both);
    if is_notch { 1.0 + CORNER_COST } else { CORNER_COST }
}

/// All shortcuts between candidates. A chain is treated as a ring that is walked around only once.
struct Graph<'a> {
    line: &'a Line<'a>,
    /// Indices of the candidates. A chain has `count + 1` of them, a ring has all of them twice.
    places: Vec<usize>,
    /// The candidates.
    points: Vec<PlanPoint>,
    is_on_grid: bool,
    /// Number of candidates after which the ring begins again.
    count: usize,
    sides: Sides,
    /// The shortcuts, sorted by the candidate where they begin, which is below `count`.
    shortcuts: Vec<Shortcut>,
    /// First shortcut from each candidate.
    firsts: Vec<usize>,
    /// The shortcuts that end at each candidate, one candidate after the other, longest first.
    arrivals: Buckets<u32>,
}

/// Buffers of the search for the cheapest path.
#[derive(Default)]
struct Costs {
    /// Least cost of a path that ends with each shortcut.
    least: Vec<f64>,
    /// Previous shortcut on that path.
    before: Vec<u32>,
    /// Arrivals at one candidate that a path has reached, cheapest first: cost, index among all
    /// arrivals there, number of the shortcut.
    reached: Vec<(f64, u32, u32)>,
}

#[expect(clippy::cast_possible_truncation, reason = "tables hold at most u32::MAX elements")]
impl<'a> Graph<'a> {
    fn new(
        line: &'a Line<'a>,
        candidates: Candidates,
        count: usize,
        tolerance_squared: f64,
        sides: Sides,
    ) -> Self {
        let Candidates { places, is_on_grid } = candidates;
        let mut graph = Self {
            line,
            points: places.iter().map(|&place| line.points()[place]).collect(),
            places,
            is_on_grid,
            count,
            sides,
            shortcuts: Vec::new(),
            firsts: vec![0],
            arrivals: Buckets::default(),
        };
        for from in 0..count {
            checkpoint();
            graph.push_shortcuts(from, tolerance_squared);
            graph.firsts.push(graph.shortcuts.len());
        }
        // Shortcuts that pass the end of the ring are the longest, so they come first. Within both
        // groups, shortcuts that begin earlier are longer.
        let shortcuts = &graph.shortcuts;
        let arrivals = [true, false].into_iter().flat_map(|passes_end| {
            let ends = (0_u32..).zip(shortcuts).map(|(number, shortcut)| (shortcut.to as usize, number));
            ends.filter(move |(to, _)| (*to >= count) == passes_end)
                .map(move |(to, number)| (to % count, number))
        });
        graph.arrivals = Buckets::new(count, arrivals);
        graph
    }

    /// Sorts the corners of a ring by their distance from the line through the two next to them,
    /// the farthest first, because the farthest are corners of every good path.
    #[expect(clippy::cast_precision_loss, reason = "an order of corners")]
    fn sort_by_height(&self, corners: &mut [usize]) {
        let count = corners.len();
        let mut heights: Vec<(f64, usize)> = (0..count)
            .map(|place| {
                let [before, after] = [count - 1, 1].map(|step| self.point(corners[(place + step) % count]));
                let area = PlanPoint::orientation(before, self.point(corners[place]), after) as f64;
                let height = area * area / Segment::new(before, after).scale();
                (height, corners[place])
            })
            .collect();
        heights.sort_by(|a, b| b.0.total_cmp(&a.0));
        corners.iter_mut().zip(heights).for_each(|(corner, (_, next))| *corner = next);
    }

    fn point(&self, candidate: usize) -> PlanPoint {
        self.points[candidate]
    }

    /// Appends the candidates on the cheapest path once around from `start`, without `start`
    /// itself. Returns the cost.
    fn cheapest_way(&self, start: usize, costs: &mut Costs, out: &mut Vec<usize>) -> f64 {
        let Costs { least, before, reached } = costs;
        least.clear();
        least.resize(self.shortcuts.len(), f64::INFINITY);
        before.clear();
        before.resize(self.shortcuts.len(), NO_SHORTCUT);
        for done in 0..self.count {
            checkpoint();
            let corner = (start + done) % self.count;
            reached.clear();
            if done > 0 {
                let arrivals = (0..).zip(self.arrivals.of(corner));
                reached.extend(
                    arrivals
                        .map(|(place, &number)| (least[number as usize], place, number))
                        .filter(|arrival| arrival.0 < f64::INFINITY),
                );
                reached.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            }
            for number in self.firsts[corner]..self.firsts[corner + 1] {
                let Shortcut { from, to, cost } = self.shortcuts[number];
                if done + (to - from) as usize > self.count {
                    break;
                }
                let begin = if done == 0 { 0.0 } else { f64::INFINITY };
                let mut best = (begin, u32::MAX, NO_SHORTCUT);
                for &(spent, place, arrival) in &*reached {
                    // No later arrival is cheaper.
                    if spent + CORNER_COST > best.0 {
                        break;
                    }
                    let corners = [self.shortcuts[arrival as usize].from, from, to];
                    let spent = spent + turn(self.sides, corners.map(|corner| self.point(corner as usize)));
                    if (spent, place) < (best.0, best.1) {
                        best = (spent, place, arrival);
                    }
                }
                (least[number], before[number]) = (best.0 + cost, best.2);
            }
        }
        let ends = self.arrivals.of(start).iter().copied();
        let best = ends.min_by(|&a, &b| least[a as usize].total_cmp(&least[b as usize]));
        let (begin, mut next) = (out.len(), best);
        while let Some(number) = next {
            let from = self.shortcuts[number as usize].from as usize;
            if from != start {
                out.push(from);
            }
            next = Some(before[number as usize]).filter(|&before| before != NO_SHORTCUT);
        }
        out[begin..].reverse();
        best.map_or(0.0, |best| least[best as usize])
    }

    /// Adds the shortcuts from one candidate to all others within the tolerance.
    fn push_shortcuts(&mut self, from: usize, tolerance_squared: f64) {
        /// Share of the tolerance. If all candidates stay within it, all other points stay within
        /// the tolerance.
        const SURE_SHARE: f64 = 1.0 - CANDIDATE_SHARE - 1e-9;
        let start = self.places[from];
        let unit = tolerance_squared.max(f64::MIN_POSITIVE);
        let mut wedge = Wedge::new(self.points[from], tolerance_squared);
        let most = if self.is_on_grid { MOST_PASSED_ON_GRID } else { MOST_PASSED };
        let end = self.places.len().min(from + 1 + most.min(self.count));
        for to in from + 1..end {
            let place = self.places[to];
            let point = self.points[to];
            // A chain of two points needs no check.
            if to == from + 1 || wedge.contains(point) {
                let moved = self.moved(from, to);
                let is_within = place == start + 1 || {
                    let segment = Segment::new(self.points[from], point);
                    let farthest = || self.line.farthest(start..place + 1, 0).map_or(0.0, |(_, most)| most);
                    if moved.farthest <= tolerance_squared * SURE_SHARE * SURE_SHARE {
                        segment.length_squared() != 0
                    } else {
                        segment.stays_within(farthest(), tolerance_squared)
                    }
                };
                if is_within {
                    let has_price = self.is_on_grid && self.sides == Sides::Left;
                    let taken = if has_price { TAKEN_COST * moved.taken } else { 0.0 };
                    let cost = (STRAY_COST * moved.farthest + taken) / unit;
                    self.shortcuts.push(Shortcut { from: from as u32, to: to as u32, cost });
                }
            }
            if !wedge.narrow(point) {
                break;
            }
        }
    }

    /// Measures how a shortcut moves the border, by the candidates that it passes.
    fn moved(&self, from: usize, to: usize) -> Moved {
        let (start, end) = (self.point(from), self.point(to));
        let vector =
            |to: PlanPoint| [f64::from(to.x) - f64::from(start.x), f64::from(to.z) - f64::from(start.z)];
        let [dx, dz] = vector(end);
        let squared = dx * dx + dz * dz;
        let (mut doubled_taken, mut across, mut beyond) = (0.0, 0.0_f64, 0.0_f64);
        // Position on the chain, along the shortcut and to its left, times the length of the
        // shortcut.
        let (mut along, mut left) = (0.0, 0.0);
        for &point in &self.points[from + 1..=to] {
            let [x, z] = vector(point);
            let (next_along, next_left) = (x * dx + z * dz, dx * z - dz * x);
            let step = next_along - along;
            if left * next_left >= 0.0 {
                doubled_taken -= step * (left + next_left).min(0.0);
            } else {
                // The chain crosses the shortcut: a triangle lies on its right.
                let right = left.min(next_left);
                doubled_taken += step * right * right / (left - next_left).abs();
            }
            across = across.max(next_left.abs());
            if next_along < 0.0 || next_along > squared {
                let [x, z] = if next_along < 0.0 { [x, z] } else { [x - dx, z - dz] };
                beyond = beyond.max(x * x + z * z);
            }
            (along, left) = (next_along, next_left);
        }
        let squared = squared.max(f64::MIN_POSITIVE);
        Moved {
            taken: (doubled_taken / (2.0 * squared)).max(0.0),
            farthest: (across * across / squared).max(beyond),
        }
    }
}

/// The displacement of a border by a shortcut.
#[derive(Clone, Copy, Debug)]
struct Moved {
    /// Plan area between the shortcut and the parts of the chain on its right: the ground that the
    /// shortcut takes from the left of the chain.
    taken: f64,
    /// Largest squared distance of a candidate from the shortcut.
    farthest: f64,
}

/// The directions in which a line from a point passes all points so far within slightly more than
/// the tolerance.
struct Wedge {
    apex: PlanPoint,
    tolerance_squared: f64,
    tolerance: f64,
    /// Right and left side, turning to the left. `None` while all directions are possible.
    sides: Option<[[f64; 2]; 2]>,
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

impl Wedge {
    fn new(apex: PlanPoint, tolerance_squared: f64) -> Self {
        let tolerance_squared = tolerance_squared * (1.0 + 1e-6);
        Self { apex, tolerance_squared, tolerance: tolerance_squared.sqrt(), sides: None }
    }

    fn direction(&self, point: PlanPoint) -> [f64; 2] {
        [f64::from(point.x) - f64::from(self.apex.x), f64::from(point.z) - f64::from(self.apex.z)]
    }

    fn contains(&self, point: PlanPoint) -> bool {
        self.sides.is_none_or(|sides| within(sides, self.direction(point)))
    }

    /// Keeps only the directions that also pass `point`. Returns `false` if the wedge becomes
    /// empty.
    fn narrow(&mut self, point: PlanPoint) -> bool {
        let [x, z] = self.direction(point);
        let squared = x * x + z * z;
        if squared <= self.tolerance_squared {
            return true;
        }
        // The tangents to the disc around the point.
        let (along, across) = ((squared - self.tolerance_squared).sqrt(), self.tolerance);
        let new = [
            [x * along + z * across, z * along - x * across],
            [x * along - z * across, z * along + x * across],
        ];
        let Some(old) = self.sides else {
            self.sides = Some(new);
            return true;
        };
        let side = |side: usize| {
            if within(old, new[side]) { Some(new[side]) } else { within(new, old[side]).then_some(old[side]) }
        };
        self.sides = match (side(0), side(1)) {
            (Some(right), Some(left)) => Some([right, left]),
            _ => return false,
        };
        true
    }
}

/// Returns `true` if a direction lies between two sides that are less than half a turn apart.
fn within([right, left]: [[f64; 2]; 2], direction: [f64; 2]) -> bool {
    cross(right, direction) >= 0.0 && cross(direction, left) >= 0.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use waymesh_core::float;

    use super::*;

    fn points(coordinates: &[(i32, i32)]) -> Vec<PlanPoint> {
        coordinates.iter().map(|&(x, z)| PlanPoint::new(x, z)).collect()
    }

    fn kept(points: &[PlanPoint], tolerance: f64, sides: Sides) -> Vec<usize> {
        let mut out = Vec::new();
        fewest_notches(&Line::new(points), 0..points.len(), tolerance * tolerance, sides, &mut out);
        out
    }

    /// Returns the squared distance by the textbook formula.
    fn distance_squared(from: PlanPoint, to: PlanPoint, point: PlanPoint) -> f64 {
        let vector = |a: PlanPoint, b: PlanPoint| [f64::from(b.x - a.x), f64::from(b.z - a.z)];
        let (along, away) = (vector(from, to), vector(from, point));
        let length = along[0] * along[0] + along[1] * along[1];
        let share = ((along[0] * away[0] + along[1] * away[1]) / length.max(1e-9)).clamp(0.0, 1.0);
        float::squared(away[0] - share * along[0]) + float::squared(away[1] - share * along[1])
    }

    /// Returns the ground that a shortcut takes: the integral of the chain's distance on its right.
    fn taken(chain: &[PlanPoint]) -> f64 {
        let (start, end) = (chain[0], chain[chain.len() - 1]);
        let [dx, dz] = [f64::from(end.x - start.x), f64::from(end.z - start.z)];
        let length = float::hypot(dx, dz).max(1e-9);
        let place = |point: &PlanPoint| {
            let [x, z] = [f64::from(point.x - start.x), f64::from(point.z - start.z)];
            [(x * dx + z * dz) / length, (x * dz - z * dx) / length]
        };
        let step = |pair: &[PlanPoint]| {
            let ([from, before], [to, after]) = (place(&pair[0]), place(&pair[1]));
            let mean = if (after - before).abs() < 1e-9 {
                before.max(0.0)
            } else {
                (float::squared(after.max(0.0)) - float::squared(before.max(0.0))) / (2.0 * (after - before))
            };
            (to - from) * mean
        };
        chain.windows(2).map(step).sum::<f64>().max(0.0)
    }

    /// Returns the cost of a path over candidates, if all its shortcuts are within the tolerance.
    fn cost(
        points: &[PlanPoint],
        candidates: &Candidates,
        way: &[usize],
        tolerance: f64,
        sides: Sides,
    ) -> Option<f64> {
        let mut sum = 0.0;
        for pair in way.windows(2) {
            let (from, to) = (points[pair[0]], points[pair[1]]);
            let inside = &points[pair[0] + 1..pair[1]];
            if from == to && !inside.is_empty() {
                return None;
            }
            let farthest = |inside: &[PlanPoint]| {
                inside.iter().map(|&point| distance_squared(from, to, point)).fold(0.0, f64::max)
            };
            if farthest(inside) > tolerance * tolerance * (1.0 + 1e-9) {
                return None;
            }
            let passed = candidates.places.iter().filter(|&place| (pair[0]..=pair[1]).contains(place));
            let chain: Vec<PlanPoint> = passed.map(|&place| points[place]).collect();
            let has_price = candidates.is_on_grid && sides == Sides::Left;
            let taken = if has_price { TAKEN_COST * taken(&chain) } else { 0.0 };
            sum += (STRAY_COST * farthest(&chain) + taken) / (tolerance * tolerance);
        }
        for turn in way.windows(3) {
            let side = PlanPoint::orientation(points[turn[0]], points[turn[1]], points[turn[2]]);
            let is_notch = side < 0 || (side > 0 && sides == Sides::Both);
            sum += CORNER_COST + f64::from(u8::from(is_notch));
        }
        Some(sum)
    }

    /// Returns a rounded corner of a wall: a straight line, a quarter of a circle, a straight line.
    /// The ground is on its left if `is_notched`.
    fn rounded_corner(radius: f64, is_notched: bool) -> Vec<PlanPoint> {
        let mut points: Vec<PlanPoint> = Vec::new();
        #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
        let mut push = |x: f64, z: f64| points.push(PlanPoint::new(x.round() as i32, z.round() as i32));
        (0..40).for_each(|step| push(f64::from(step - 40) * 64.0, radius));
        for step in 0..=24 {
            let (sine, cosine) = float::sin_cos(f64::from(step) / 24.0 * std::f64::consts::FRAC_PI_2);
            push(radius * sine, radius * cosine);
        }
        (1..=40).for_each(|step| push(radius, f64::from(-step) * 64.0));
        if !is_notched {
            points.reverse();
        }
        points
    }

    #[test]
    fn a_rounded_corner_of_a_wall_costs_a_notch_less() {
        // Twelve cells of 64 steps, 1.3 cells of error: half a metre of radius on a grid of 5 cm.
        let points = rounded_corner(768.0, true);
        assert_eq!(crate::polyline::tests::simplify_polyline(&points, 83.0).len() - 2, 3);
        assert_eq!(kept(&points, 83.2, Sides::Left).len(), 2);
        assert_eq!(kept(&points, 83.2, Sides::Both).len(), 2);
    }

    #[test]
    fn a_corner_that_is_no_notch_stays_near_the_border() {
        let points = rounded_corner(768.0, false);
        let corners = kept(&points, 83.2, Sides::Left);
        let way = [&[0], corners.as_slice(), &[points.len() - 1]].concat();
        for pair in way.windows(2) {
            for &point in &points[pair[0] + 1..pair[1].max(pair[0] + 1)] {
                assert!(distance_squared(points[pair[0]], points[pair[1]], point) <= 83.2 * 83.2);
            }
        }
        assert!(corners.len() <= 5, "{corners:?}");
    }

    #[test]
    fn a_bump_to_the_ground_goes_where_that_is_allowed() {
        let bump = points(&[(0, 0), (100, 0), (120, 9), (140, 0), (240, 0)]);
        assert_eq!(kept(&bump, 10.0, Sides::Left), []);
        assert_eq!(kept(&bump, 8.0, Sides::Left), [1, 2, 3], "one notch, and both its feet");
    }

    #[test]
    fn short_chains_and_no_tolerance_keep_what_they_need() {
        assert_eq!(kept(&points(&[(0, 0), (5, 5)]), 3.0, Sides::Left), []);
        assert_eq!(kept(&points(&[(0, 0), (2, 0), (4, 0), (4, 4)]), 0.0, Sides::Left), [2]);
        assert_eq!(kept(&points(&[(0, 0), (0, 0), (0, 0)]), 1.0, Sides::Both).len(), 1);
    }

    #[test]
    fn a_ring_begins_where_it_costs_least() {
        // A square post of 0.4 m and the agent's radius of 0.6 m around it, on a grid of 10 cm.
        let mut ring: Vec<PlanPoint> = Vec::new();
        let (half, radius) = (128.0_f64, 384.0_f64);
        for step in 0..64 {
            let angle = f64::from(step) / 64.0 * std::f64::consts::TAU;
            let (sine, cosine) = float::sin_cos(angle);
            #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
            let point = PlanPoint::new(
                (half.copysign(cosine) + radius * cosine).round() as i32,
                (half.copysign(-sine) - radius * sine).round() as i32,
            );
            ring.push(point);
        }
        let count = |start: usize| {
            let turned = [&ring[start..], &ring[..=start]].concat();
            kept(&turned, 83.2, Sides::Left).len() + 1
        };
        let fewest = (0..ring.len()).map(count).min().expect("a ring");
        for start in [0, 5, 9, 23, 40] {
            let turned = [&ring[start..], &ring[..=start]].concat();
            let corners = ring_corners(&turned, 83.2 * 83.2, Sides::Left);
            assert!(corners.len() <= fewest, "from {start}");
            let way = [&corners[..], &corners[..1]].concat();
            for pair in way.windows(2) {
                let (from, to) = (pair[0], if pair[1] > pair[0] { pair[1] } else { pair[1] + ring.len() });
                for place in from..to {
                    let [a, b, point] = [from, to, place].map(|place| turned[place % ring.len()]);
                    assert!(distance_squared(a, b, point) <= 83.2 * 83.2 + 1e-6);
                }
            }
        }
        assert_eq!(ring_corners(&points(&[(0, 0), (1, 0), (0, 0)]), 9.0, Sides::Left), [0, 1]);
        assert_eq!(ring_corners(&points(&[(0, 0), (0, 0)]), 9.0, Sides::Left), []);
        assert_eq!(ring_corners(&points(&[(0, 0), (0, 0), (0, 0)]), 9.0, Sides::Both), [1, 0]);
    }

    #[test]
    fn a_slanting_wall_on_a_grid_moves_outwards() {
        // Stairs that climb and descend twice, in steps two cells wide.
        let stairs = |step: i32| [(2 * step, step), (2 * step + 1, step), (2 * step + 2, step)];
        let up: Vec<PlanPoint> = points(&(0..10).flat_map(stairs).collect::<Vec<_>>());
        let way = |line: &[PlanPoint]| {
            let way = [&[0], kept(line, 1.3, Sides::Left).as_slice(), &[line.len() - 1]].concat();
            way.windows(2).map(|pair| taken(&line[pair[0]..=pair[1]])).sum::<f64>()
        };
        let down: Vec<PlanPoint> = up.iter().rev().copied().collect();
        for line in [up, down] {
            // A line through the middle takes a quarter of a cell per step, two and a half in all.
            assert!(way(&line) < 1.5, "{} cells taken", way(&line));
        }
    }

    #[test]
    fn corners_of_a_grid_are_where_it_turns() {
        let corners = |coordinates: &[(i32, i32)]| grid_corners(&points(coordinates));
        assert_eq!(corners(&[(0, 0), (1, 0), (2, 0), (2, 1), (2, 4), (3, 4)]), Some(vec![0, 2, 4, 5]));
        assert_eq!(corners(&[(0, 0), (1, 0), (2, 1)]), None, "not along the grid");
        assert_eq!(corners(&[(0, 0), (2, 0), (1, 0)]), Some(vec![0, 1, 2]), "back");
        assert_eq!(corners(&[(0, 0), (1, 0), (1, 0)]), None, "a stop");
        let ring = points(&[(2, 0), (3, 0), (3, 1), (1, 1), (1, 0), (2, 0)]);
        let mut found = ring_corners(&ring, 0.01, Sides::Left);
        found.sort_unstable();
        assert_eq!(found, [1, 2, 3, 4], "where the ring begins is no corner");
    }

    #[test]
    fn long_noise_takes_no_longer_than_it_may() {
        let noise: Vec<PlanPoint> =
            (0..5000).map(|step| PlanPoint::new(step * 64, (step * 37 % 11 - 5) * 4)).collect();
        let corners = kept(&noise, 60.0, Sides::Left);
        assert!(corners.len() <= 5000 / MOST_PASSED + 1, "{}", corners.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_way_over_the_candidates_costs_less(
            steps in prop::collection::vec((-3..9_i32, -6..7_i32), 3..12),
            tolerance in 0.5..12.0_f64,
            both: bool,
            on_grid: bool,
        ) {
            let sides = if both { Sides::Both } else { Sides::Left };
            let mut at = (0, 0);
            let mut line = vec![at];
            for (number, (x, z)) in steps.into_iter().enumerate() {
                let along = |length: i32| if length == 0 { 1 } else { length };
                at = match number % 2 {
                    _ if !on_grid => (at.0 + x, at.1 + z),
                    0 => (at.0 + along(x), at.1),
                    _ => (at.0, at.1 + along(z)),
                };
                line.push(at);
            }
            let line = points(&line);
            let all = 0..line.len();
            let candidates = Candidates::of_chain(&Line::new(&line), all, tolerance * tolerance);
            prop_assert!(candidates.is_on_grid || !on_grid);
            let inner = &candidates.places[1..candidates.places.len() - 1];
            let mut best = f64::INFINITY;
            for choice in 0..1_u32 << inner.len() {
                let chosen = inner.iter().enumerate().filter(|&(place, _)| choice >> place & 1 == 1);
                let mut way = vec![0];
                way.extend(chosen.map(|(_, &candidate)| candidate));
                way.push(line.len() - 1);
                best = best.min(cost(&line, &candidates, &way, tolerance, sides).unwrap_or(f64::INFINITY));
            }
            let mut way = vec![0];
            way.extend(kept(&line, tolerance, sides));
            way.push(line.len() - 1);
            let found = cost(&line, &candidates, &way, tolerance, sides).expect("within the tolerance");
            prop_assert!(found <= best + 1e-6, "{found} for {way:?}, not {best}");
        }
    }
}
