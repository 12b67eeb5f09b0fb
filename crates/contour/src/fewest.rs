//! Of all chains of shortcuts within a tolerance, the one that costs the convex cells least.

use std::ops::Range;

use waymesh_core::PlanPoint;

use crate::boxes::Line;
use crate::polyline::{Segment, simplify_line, split_index};

/// Raw points closer than this share of the tolerance to a line through their neighbours are no candidates.
const CANDIDATE_SHARE: f64 = 1.0 / 16.0;
/// Most candidates that a shortcut passes over. More of them lie on noise within the tolerance.
const MOST_PASSED: usize = 192;
/// What a corner costs beside a notch, which costs 1.
fn corner() -> f64 { std::env::var("FN_V").ok().and_then(|v| v.parse().ok()).unwrap_or(1.0/8.0) }
/// What a shortcut costs that strays as far as it may.
fn stray() -> f64 { std::env::var("FN_W").ok().and_then(|v| v.parse().ok()).unwrap_or(1.0/4.0) }
fn square() -> f64 { std::env::var("FN_S").ok().and_then(|v| v.parse().ok()).unwrap_or(1.0) }

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

/// Appends the places of the corners to keep between the ends of a chain, in order; the ends are left out.
///
/// No point of the chain lies farther from the result than the tolerance: distances are taken to segments. Among ways over candidates, which are
/// the corners that Ramer's algorithm leaves at a small share of the tolerance, the result is the one of the least cost: a notch is 1, a corner
/// and straying far are less.
///
/// # Cost
/// Of a candidate, those after it that one straight line can pass within the tolerance, squared; few, and 192 at most.
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
) {
    let mut candidates = Vec::new();
    simplify_line(line, chain, tolerance_squared * CANDIDATE_SHARE * CANDIDATE_SHARE, &mut candidates);
    if candidates.len() < 3 {
        return;
    }
    let graph = Graph { corner: corner(), stray: stray(), power: square(), line, candidates: &candidates, tolerance_squared, sides };
    graph.cheapest_way(out);
}

struct Graph<'a> {
    corner: f64, stray: f64, power: f64,
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

    fn cheapest_way(&self, out: &mut Vec<usize>) {
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
                        let turn = self.turn(&edges[before as usize], &edge);
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
    }

    /// What the corner between two shortcuts costs.
    fn turn(&self, before: &Edge, after: &Edge) -> f64 {
        let turn = PlanPoint::orientation(self.point(before.from), self.point(before.to), self.point(after.to));
        let is_notch = turn < 0 || (turn > 0 && self.sides == Sides::Both);
        if is_notch { 1.0 + self.corner } else { self.corner }
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
                    each(to, self.stray * strayed.powf(self.power));
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
            if within(old, new[side]) {
                Some(new[side])
            } else {
                within(new, old[side]).then_some(old[side])
            }
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
