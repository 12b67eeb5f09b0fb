//! Of all chains of shortcuts within a tolerance, the one that costs the convex cells least.

use std::ops::Range;

use waymesh_core::PlanPoint;

use crate::boxes::Line;
use crate::polyline::{Segment, simplify_line, split_index};

/// Raw points closer than this share of the tolerance to a line through their neighbours are no candidates.
const CANDIDATE_SHARE: f64 = 1.0 / 16.0;
/// Most candidates that a shortcut passes over. More of them lie on noise within the tolerance.
const MOST_PASSED: usize = 64;
/// What a corner costs beside a notch, which costs 1.
const CORNER: f64 = 1.0 / 8.0;
/// What a shortcut costs that strays as far as it may.
const STRAY: f64 = 1.0 / 4.0;

/// Which turns of a line are notches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sides {
    /// Ground lies on the left only: turns to the right are.
    Left,
    /// Ground lies on both sides: all turns are.
    Both,
}

/// A shortcut between two candidates.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    /// The least that a way costs whose last shortcut this is.
    cost: f64,
    /// The shortcut before on that way.
    before: u32,
}

const NO_EDGE: u32 = u32::MAX;

/// Appends the places of the corners to keep between the ends of a chain, in order; the ends are left out. Tells what they cost.
///
/// No point of the chain lies farther from the result than the tolerance: distances are taken to segments. Among ways over candidates, which are
/// the corners that Ramer's algorithm leaves at a small share of the tolerance, the result is the one of the least cost: a notch is 1, a corner
/// and straying far are less.
///
/// # Cost
/// Of a candidate, those after it that one straight line can pass within the tolerance, squared; few, and 64 at most.
///
/// # References
/// - Imai and Iri 1988, Polygonal approximations of a curve, for the graph of shortcuts.
/// - Chan and Chin 1996, <https://doi.org/10.1142/S0218195996000058>, for the wedge that ends the search from a vertex.
pub(crate) fn fewest_notches(
    line: &Line<'_>,
    chain: Range<usize>,
    tolerance_squared: f64,
    sides: Sides,
    out: &mut Vec<usize>,
) -> f64 {
    let mut candidates = Vec::new();
    simplify_line(line, chain, tolerance_squared * CANDIDATE_SHARE * CANDIDATE_SHARE, &mut candidates);
    if candidates.len() < 3 {
        return 0.0;
    }
    let graph = Graph { line, candidates: &candidates, tolerance_squared, sides };
    graph.cheapest_way(out)
}

/// Most points of a ring for which every start is tried, and most starts.
const SHORT_RING: usize = 2048;
const MOST_STARTS: usize = 12;

/// Where a ring, which ends at its first point again, best begins: at the place, of those kept from its first point on, from which the least is
/// spent on all of it. `None` where nothing is kept.
pub(crate) fn best_start(ring: &[PlanPoint], tolerance_squared: f64, sides: Sides) -> Option<usize> {
    let mut starts = Vec::new();
    fewest_notches(&Line::new(ring), 0..ring.len(), tolerance_squared, sides, &mut starts);
    if ring.len() > SHORT_RING {
        // The farther from the ends, the less they had to do with it.
        return starts.get(starts.len() / 2).copied();
    }
    let skipped = starts.len().div_ceil(MOST_STARTS).max(1);
    let (mut best, mut corners) = (None, Vec::new());
    for start in starts.into_iter().step_by(skipped) {
        let turned = [&ring[start..ring.len() - 1], &ring[..=start]].concat();
        corners.clear();
        let line = Line::new(turned.as_slice());
        let mut cost = fewest_notches(&line, 0..turned.len(), tolerance_squared, sides, &mut corners);
        if let (Some(&first), Some(&last)) = (corners.first(), corners.last()) {
            cost += turn(sides, [turned[last], turned[0], turned[first]]);
        }
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, start));
        }
    }
    best.map(|(_, start)| start)
}

/// What a corner costs.
fn turn(sides: Sides, [before, corner, after]: [PlanPoint; 3]) -> f64 {
    let turn = PlanPoint::orientation(before, corner, after);
    let is_notch = turn < 0 || (turn > 0 && sides == Sides::Both);
    if is_notch { 1.0 + CORNER } else { CORNER }
}

struct Graph<'a> {
    line: &'a Line<'a>,
    candidates: &'a [usize],
    tolerance_squared: f64,
    sides: Sides,
}

#[expect(clippy::cast_possible_truncation, reason = "tables hold at most u32::MAX elements")]
impl Graph<'_> {
    fn point(&self, candidate: u32) -> PlanPoint {
        self.line.points()[self.candidates[candidate as usize]]
    }

    fn cheapest_way(&self, out: &mut Vec<usize>) -> f64 {
        let last = self.candidates.len() - 1;
        let mut edges: Vec<Edge> = Vec::new();
        // The shortcuts that end at each candidate.
        let mut arrivals: Vec<Vec<u32>> = vec![Vec::new(); self.candidates.len()];
        for from in 0..last {
            let arrived = std::mem::take(&mut arrivals[from]);
            self.each_shortcut(from, |to, stray| {
                let mut edge = Edge { from: from as u32, to: to as u32, cost: 0.0, before: NO_EDGE };
                if from > 0 {
                    edge.cost = f64::INFINITY;
                    for &before in &arrived {
                        let corners = [edges[before as usize].from, edge.from, edge.to];
                        let turn = turn(self.sides, corners.map(|corner| self.point(corner)));
                        let cost = edges[before as usize].cost + turn;
                        if cost < edge.cost {
                            (edge.cost, edge.before) = (cost, before);
                        }
                    }
                }
                edge.cost += stray;
                if edge.cost.is_finite() {
                    arrivals[to].push(edges.len() as u32);
                    edges.push(edge);
                }
            });
        }
        let best = arrivals[last].iter().copied();
        let best = best.min_by(|&a, &b| edges[a as usize].cost.total_cmp(&edges[b as usize].cost));
        let begin = out.len();
        let mut next = best.map_or(NO_EDGE, |best| edges[best as usize].before);
        while let Some(edge) = edges.get(next as usize) {
            out.push(self.candidates[edge.to as usize]);
            next = edge.before;
        }
        out[begin..].reverse();
        best.map_or(0.0, |best| edges[best as usize].cost)
    }

    /// All candidates that a shortcut from one may lead to, and what it costs to stray so far.
    fn each_shortcut(&self, from: usize, mut each: impl FnMut(usize, f64)) {
        let start = self.candidates[from];
        let mut wedge = Wedge::new(self.line.points()[start], self.tolerance_squared);
        let end = self.candidates.len().min(from + 1 + MOST_PASSED);
        for to in from + 1..end {
            let place = self.candidates[to];
            let point = self.line.points()[place];
            // A chain of two points needs no look.
            if to == from + 1 || wedge.contains(point) {
                let chain = start..place + 1;
                if split_index(self.line, chain.clone(), self.tolerance_squared).is_none() {
                    let strayed = self.line.farthest(chain, 0).map_or(0.0, |(_, distance)| {
                        let scale = Segment::new(self.line.points()[start], point).scale();
                        distance / (scale * self.tolerance_squared.max(f64::MIN_POSITIVE))
                    });
                    each(to, STRAY * strayed);
                }
            }
            if !wedge.narrow(point) {
                break;
            }
        }
    }
}

/// The directions in which a line from a point passes all points so far within the tolerance, a little more than that.
struct Wedge {
    apex: PlanPoint,
    tolerance_squared: f64,
    /// Right and left side, turning to the left. None while any direction does.
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

    /// Leaves the directions that pass a point, too; false if there are none.
    fn narrow(&mut self, point: PlanPoint) -> bool {
        let [x, z] = self.direction(point);
        let squared = x * x + z * z;
        if squared <= self.tolerance_squared {
            return true;
        }
        // The tangents of the disc around the point.
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

/// Whether a direction lies between two sides that are less than half a turn apart.
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

    /// Squared distance by the book.
    fn distance_squared(from: PlanPoint, to: PlanPoint, point: PlanPoint) -> f64 {
        let vector = |a: PlanPoint, b: PlanPoint| [f64::from(b.x - a.x), f64::from(b.z - a.z)];
        let (along, away) = (vector(from, to), vector(from, point));
        let length = along[0] * along[0] + along[1] * along[1];
        let share = ((along[0] * away[0] + along[1] * away[1]) / length.max(1e-9)).clamp(0.0, 1.0);
        (away[0] - share * along[0]).powi(2) + (away[1] - share * along[1]).powi(2)
    }

    /// What a way over candidates costs, if all its shortcuts are within the tolerance.
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

    /// A wall's corner, rounded: straight, a quarter of a circle, straight. The ground is on its left if `is_notched`.
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
        let mut ramer = Vec::new();
        crate::simplify_polyline(&points, 83.0, &mut ramer);
        assert_eq!(ramer.len() - 2, 3);
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
            let best = best_start(&turned, 83.2 * 83.2, Sides::Left).expect("a start");
            assert!(count((start + best) % ring.len()) <= fewest, "from {start}");
        }
        assert_eq!(best_start(&points(&[(0, 0), (1, 0), (0, 0)]), 9.0, Sides::Left), Some(1));
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
