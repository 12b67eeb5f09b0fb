//! Finds the chain of shortcuts within a tolerance that needs the fewest convex polygons later.

use std::ops::Range;

use waymesh_core::PlanPoint;

use crate::boxes::Line;
use crate::polyline::{Segment, simplify_line};

/// Raw points closer than this share of the tolerance to a line through their neighbours are no
/// candidates.
const CANDIDATE_SHARE: f64 = 1.0 / 16.0;
/// Largest number of candidates that a shortcut passes over. More candidates in a row are only
/// noise within the tolerance.
const MOST_PASSED: usize = 64;
/// Cost of a corner. A notch costs 1.
const CORNER: f64 = 1.0 / 8.0;
/// Cost of a shortcut that strays as far as the tolerance allows.
const STRAY: f64 = 1.0 / 4.0;

/// Which turns of a line are notches.
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
    /// Cost of its distance from the chain.
    stray: f64,
}

const NO_SHORTCUT: u32 = u32::MAX;

/// Appends the indices of the corners to keep between the ends of a chain, in order. The ends are
/// left out.
///
/// No point of the chain lies farther from the result than the tolerance: distances are taken to
/// segments. Candidates are the corners that Ramer's algorithm leaves at a small share of the
/// tolerance. Of all paths over candidates, the result is the one with the least cost. A notch
/// costs 1, corners and distance cost less.
///
/// # Cost
/// For each candidate, the square of the number of later candidates that one straight line can pass
/// within the tolerance. They are few, and at most 64.
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
    let candidates = candidates(line, chain, tolerance_squared);
    if candidates.len() < 3 {
        return;
    }
    let count = candidates.len() - 1;
    let begin = out.len();
    let graph = Graph::new(line, candidates, count, tolerance_squared, sides);
    graph.cheapest_way(0, out);
    out[begin..].iter_mut().for_each(|corner| *corner = graph.candidates[*corner]);
}

/// Longest ring, in points, for which more than one start is tried. Also the largest number of
/// starts that are tried, and of starts from which candidates are searched.
const SHORT_RING: usize = 2048;
const MOST_STARTS: usize = 12;
const MOST_LOOKS: usize = 4;

/// Returns the indices of the corners to keep of a ring, which ends at its first point again.
/// Starting from the first of them, the cost of the whole ring is the least found. They are in the
/// order of the ring from there on. The list is empty if nothing is kept.
pub(crate) fn ring_corners(ring: &[PlanPoint], tolerance_squared: f64, sides: Sides) -> Vec<usize> {
    let length = ring.len() - 1;
    // The ring is repeated twice, so that it is a chain from every start.
    let twice = [ring, &ring[1..]].concat();
    let line = Line::new(twice.as_slice());
    let is_short = ring.len() <= SHORT_RING;
    let some = |starts: &[usize], most: usize| -> Vec<usize> {
        let most = if is_short { most } else { 1 };
        starts.iter().copied().step_by(starts.len().div_ceil(most).max(1)).collect()
    };
    // A corner for one start need not be a corner for another.
    let mut corners = Vec::new();
    simplify_line(&line, 0..ring.len(), tolerance_squared, &mut corners);
    let looks = some(&corners[1..corners.len() - 1], MOST_LOOKS);
    let Some(&first) = looks.first() else { return Vec::new() };
    let mut found: Vec<usize> = looks
        .into_iter()
        .flat_map(|start| candidates(&line, start..start + ring.len(), tolerance_squared))
        .map(|place| place % length)
        .collect();
    found.sort_unstable();
    found.dedup();
    let count = found.len();
    let first = found.partition_point(|&place| place < first);
    found.extend_from_within(..);
    found[count..].iter_mut().for_each(|place| *place += length);
    let graph = Graph::new(&line, found, count, tolerance_squared, sides);
    let mut starts = vec![first];
    graph.cheapest_way(first, &mut starts);
    let (mut least, mut best) = (f64::INFINITY, Vec::new());
    for start in some(&starts, MOST_STARTS) {
        let mut corners = vec![start];
        let mut cost = graph.cheapest_way(start, &mut corners);
        if let [_, first, .., last] | [_, first @ last] = corners[..] {
            cost += turn(sides, [last, start, first].map(|candidate| graph.point(candidate)));
        }
        if cost < least {
            (least, best) = (cost, corners);
        }
    }
    best.into_iter().map(|corner| graph.candidates[corner]).collect()
}

/// Returns the indices of the points that may be corners of a chain, including the ends.
fn candidates(line: &Line<'_>, chain: Range<usize>, tolerance_squared: f64) -> Vec<usize> {
    let mut out = Vec::new();
    simplify_line(line, chain, tolerance_squared * CANDIDATE_SHARE * CANDIDATE_SHARE, &mut out);
    out
}

/// Returns the cost of a corner.
fn turn(sides: Sides, [before, corner, after]: [PlanPoint; 3]) -> f64 {
    let turn = PlanPoint::orientation(before, corner, after);
    let is_notch = turn < 0 || (turn > 0 && sides == Sides::Both);
    if is_notch { 1.0 + CORNER } else { CORNER }
}

/// All shortcuts between candidates. A chain is treated as a ring that is walked around only once.
struct Graph<'a> {
    line: &'a Line<'a>,
    /// Indices of the candidates. A chain has `count + 1` of them, a ring has all of them twice.
    candidates: Vec<usize>,
    /// Number of candidates after which the ring begins again.
    count: usize,
    sides: Sides,
    /// The shortcuts, sorted by the candidate where they begin, which is below `count`.
    shortcuts: Vec<Shortcut>,
    /// First shortcut from each candidate.
    firsts: Vec<usize>,
    /// The shortcuts that end at each candidate, longest first.
    arrivals: Vec<Vec<u32>>,
}

#[expect(clippy::cast_possible_truncation, reason = "tables hold at most u32::MAX elements")]
impl<'a> Graph<'a> {
    fn new(
        line: &'a Line<'a>,
        candidates: Vec<usize>,
        count: usize,
        tolerance_squared: f64,
        sides: Sides,
    ) -> Self {
        let (shortcuts, firsts, arrivals) = (Vec::new(), vec![0], vec![Vec::new(); count]);
        let mut graph = Self { line, candidates, count, sides, shortcuts, firsts, arrivals };
        for from in 0..count {
            graph.push_shortcuts(from, tolerance_squared);
            graph.firsts.push(graph.shortcuts.len());
        }
        for (number, shortcut) in (0..).zip(&graph.shortcuts) {
            graph.arrivals[shortcut.to as usize % count].push(number);
        }
        for arrivals in &mut graph.arrivals {
            let length = |&number: &u32| {
                let Shortcut { from, to, .. } = graph.shortcuts[number as usize];
                std::cmp::Reverse(to - from)
            };
            arrivals.sort_by_key(length);
        }
        graph
    }

    fn point(&self, candidate: usize) -> PlanPoint {
        self.line.points()[self.candidates[candidate]]
    }

    /// Appends the candidates on the cheapest path once around from `start`, without `start`
    /// itself. Returns the cost.
    fn cheapest_way(&self, start: usize, out: &mut Vec<usize>) -> f64 {
        // For each shortcut, the least cost of a path that ends with it, and the previous shortcut
        // on that path.
        let mut costs = vec![f64::INFINITY; self.shortcuts.len()];
        let mut before = vec![NO_SHORTCUT; self.shortcuts.len()];
        for done in 0..self.count {
            let corner = (start + done) % self.count;
            for number in self.firsts[corner]..self.firsts[corner + 1] {
                let Shortcut { from, to, stray } = self.shortcuts[number];
                if done + (to - from) as usize > self.count {
                    continue;
                }
                let (mut least, mut last) = (if done == 0 { 0.0 } else { f64::INFINITY }, NO_SHORTCUT);
                for &arrival in &self.arrivals[corner] {
                    let spent = costs[arrival as usize];
                    // This also skips shortcuts that no path has reached yet.
                    if spent + CORNER >= least {
                        continue;
                    }
                    let corners = [self.shortcuts[arrival as usize].from, from, to];
                    let cost = spent + turn(self.sides, corners.map(|corner| self.point(corner as usize)));
                    if cost < least {
                        (least, last) = (cost, arrival);
                    }
                }
                (costs[number], before[number]) = (least + stray, last);
            }
        }
        let ends = self.arrivals[start % self.count].iter().copied();
        let best = ends.min_by(|&a, &b| costs[a as usize].total_cmp(&costs[b as usize]));
        let (begin, mut next) = (out.len(), best);
        while let Some(number) = next {
            let from = self.shortcuts[number as usize].from as usize;
            if from != start {
                out.push(from);
            }
            next = Some(before[number as usize]).filter(|&before| before != NO_SHORTCUT);
        }
        out[begin..].reverse();
        best.map_or(0.0, |best| costs[best as usize])
    }

    /// Adds the shortcuts from one candidate to all others that it may lead to.
    fn push_shortcuts(&mut self, from: usize, tolerance_squared: f64) {
        let (start, points) = (self.candidates[from], self.line.points());
        let mut wedge = Wedge::new(points[start], tolerance_squared);
        let end = self.candidates.len().min(from + 1 + MOST_PASSED.min(self.count));
        for to in from + 1..end {
            let place = self.candidates[to];
            let point = points[place];
            // A chain of two points needs no check.
            if to == from + 1 || wedge.contains(point) {
                let segment = Segment::new(points[start], point);
                let strayed = self.line.farthest(start..place + 1, 0).map_or(0.0, |(_, farthest)| farthest);
                if place == start + 1 || segment.stays_within(strayed, tolerance_squared) {
                    let most = segment.scale() * tolerance_squared.max(f64::MIN_POSITIVE);
                    let stray = STRAY * strayed / most;
                    self.shortcuts.push(Shortcut { from: from as u32, to: to as u32, stray });
                }
            }
            if !wedge.narrow(point) {
                break;
            }
        }
    }
}

/// The directions in which a line from a point passes all points so far within slightly more than
/// the tolerance.
struct Wedge {
    apex: PlanPoint,
    tolerance_squared: f64,
    /// Right and left side, turning to the left. `None` while all directions are possible.
    sides: Option<[[f64; 2]; 2]>,
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

impl Wedge {
    fn new(apex: PlanPoint, tolerance_squared: f64) -> Self {
        Self { apex, tolerance_squared: tolerance_squared * (1.0 + 1e-6), sides: None }
    }

    fn direction(&self, point: PlanPoint) -> [f64; 2] {
        [f64::from(point.x) - f64::from(self.apex.x), f64::from(point.z) - f64::from(self.apex.z)]
    }

    fn contains(&self, point: PlanPoint) -> bool {
        self.sides.is_none_or(|sides| within(sides, self.direction(point)))
    }

    /// Keeps only the directions that also pass `point`. Returns `false` if none are left.
    fn narrow(&mut self, point: PlanPoint) -> bool {
        let [x, z] = self.direction(point);
        let squared = x * x + z * z;
        if squared <= self.tolerance_squared {
            return true;
        }
        // The tangents to the disc around the point.
        let (along, across) = ((squared - self.tolerance_squared).sqrt(), self.tolerance_squared.sqrt());
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

    use super::*;

    fn points(coordinates: &[(i32, i32)]) -> Vec<PlanPoint> {
        coordinates.iter().map(|&(x, z)| PlanPoint::new(x, z)).collect()
    }

    fn kept(points: &[PlanPoint], tolerance: f64, sides: Sides) -> Vec<usize> {
        let mut out = Vec::new();
        fewest_notches(&Line::new(points), 0..points.len(), tolerance * tolerance, sides, &mut out);
        out
    }

    /// Squared distance by the textbook formula.
    fn distance_squared(from: PlanPoint, to: PlanPoint, point: PlanPoint) -> f64 {
        let vector = |a: PlanPoint, b: PlanPoint| [f64::from(b.x - a.x), f64::from(b.z - a.z)];
        let (along, away) = (vector(from, to), vector(from, point));
        let length = along[0] * along[0] + along[1] * along[1];
        let share = ((along[0] * away[0] + along[1] * away[1]) / length.max(1e-9)).clamp(0.0, 1.0);
        (away[0] - share * along[0]).powi(2) + (away[1] - share * along[1]).powi(2)
    }

    /// Returns the cost of a path over candidates, if all its shortcuts are within the tolerance.
    fn cost(points: &[PlanPoint], way: &[usize], tolerance: f64, sides: Sides) -> Option<f64> {
        let mut sum = 0.0;
        for pair in way.windows(2) {
            let inside = &points[pair[0] + 1..pair[1]];
            if points[pair[0]] == points[pair[1]] && !inside.is_empty() {
                return None;
            }
            let away = inside.iter().map(|&p| distance_squared(points[pair[0]], points[pair[1]], p));
            let most = away.fold(0.0, f64::max);
            if most > tolerance * tolerance * (1.0 + 1e-9) {
                return None;
            }
            sum += STRAY * most / (tolerance * tolerance);
        }
        for turn in way.windows(3) {
            let side = PlanPoint::orientation(points[turn[0]], points[turn[1]], points[turn[2]]);
            let is_notch = side < 0 || (side > 0 && sides == Sides::Both);
            sum += CORNER + f64::from(u8::from(is_notch));
        }
        Some(sum)
    }

    /// A rounded corner of a wall: a straight line, a quarter of a circle, a straight line. The
    /// ground is on its left if `is_notched`.
    fn rounded_corner(radius: f64, is_notched: bool) -> Vec<PlanPoint> {
        let mut points: Vec<PlanPoint> = Vec::new();
        #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
        let mut push = |x: f64, z: f64| points.push(PlanPoint::new(x.round() as i32, z.round() as i32));
        (0..40).for_each(|step| push(f64::from(step - 40) * 64.0, radius));
        for step in 0..=24 {
            let (sine, cosine) = (f64::from(step) / 24.0 * std::f64::consts::FRAC_PI_2).sin_cos();
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
        assert!(corners.len() <= 3, "{corners:?}");
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
            let (sine, cosine) = angle.sin_cos();
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
        assert_eq!(ring_corners(&points(&[(0, 0), (1, 0), (0, 0)]), 9.0, Sides::Left), [1, 0]);
        assert_eq!(ring_corners(&points(&[(0, 0), (0, 0)]), 9.0, Sides::Left), []);
        assert_eq!(ring_corners(&points(&[(0, 0), (0, 0), (0, 0)]), 9.0, Sides::Both), [1, 0]);
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
        ) {
            let sides = if both { Sides::Both } else { Sides::Left };
            let mut at = (0, 0);
            let mut line = vec![at];
            for (x, z) in steps {
                at = (at.0 + x, at.1 + z);
                line.push(at);
            }
            let line = points(&line);
            let mut candidates = Vec::new();
            let least = tolerance * tolerance * CANDIDATE_SHARE * CANDIDATE_SHARE;
            simplify_line(&Line::new(&line), 0..line.len(), least, &mut candidates);
            let inner = &candidates[1..candidates.len() - 1];
            let mut best = f64::INFINITY;
            for choice in 0..1_u32 << inner.len() {
                let chosen = inner.iter().enumerate().filter(|&(place, _)| choice >> place & 1 == 1);
                let mut way = vec![0];
                way.extend(chosen.map(|(_, &candidate)| candidate));
                way.push(line.len() - 1);
                best = best.min(cost(&line, &way, tolerance, sides).unwrap_or(f64::INFINITY));
            }
            let mut way = vec![0];
            way.extend(kept(&line, tolerance, sides));
            way.push(line.len() - 1);
            let found = cost(&line, &way, tolerance, sides).expect("within the tolerance");
            prop_assert!(found <= best + 1e-6, "{found} for {way:?}, not {best}");
        }
    }
}
