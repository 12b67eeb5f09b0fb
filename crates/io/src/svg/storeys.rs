//! Storeys: sets of polygons that do not overlap in plan, and can be drawn on one panel.

use std::collections::{BTreeMap, BTreeSet};

use waymesh_core::{Bounds, BoxTree, PolyId, float, nearest_f32, to_u32};
use waymesh_graph::NavMesh;

use super::plan_mesh::{PlanMesh, cross, doubled_area};

/// Polygons of which no two overlap in plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Storey {
    /// The polygons, ascending.
    pub polygons: Vec<PolyId>,
    /// Lowest corner in metres.
    pub min_y: f32,
    /// Highest corner in metres.
    pub max_y: f32,
}

impl Storey {
    fn empty() -> Self {
        Self { polygons: Vec::new(), min_y: f32::INFINITY, max_y: f32::NEG_INFINITY }
    }

    fn add(&mut self, other: &Self) {
        self.polygons.extend_from_slice(&other.polygons);
        self.min_y = self.min_y.min(other.min_y);
        self.max_y = self.max_y.max(other.max_y);
    }

    fn middle(&self) -> f32 {
        self.min_y.midpoint(self.max_y)
    }
}

/// Splits the polygons of a mesh into storeys, ordered by the mean height of their ground.
///
/// Greedy algorithm: it starts at the lowest remaining region and grows over neighbours, lowest
/// first, while none overlap; then it puts each grown piece on the storey with the nearest heights
/// and without overlap, or on a new one. Takes about `n log n` where few polygons share an x.
///
/// # Guarantees
/// - Every polygon is on exactly one storey, and no two polygons of a storey overlap in plan by
///   more than a millimetre (they may touch).
/// - A flat mesh is one storey, with any number of islands.
#[must_use]
pub fn storeys(mesh: &NavMesh) -> Vec<Storey> {
    let compact = mesh.to_compact();
    let mut storeys = storeys_of(&PlanMesh::from(compact.mesh()));
    for storey in &mut storeys {
        storey.polygons = storey.polygons.iter().filter_map(|&polygon| compact.id_before(polygon)).collect();
        storey.polygons.sort_unstable();
    }
    storeys
}

/// Returns the [`storeys`] of any mesh.
pub(crate) fn storeys_of(mesh: &PlanMesh) -> Vec<Storey> {
    let mut alone = vec![false; mesh.polygons.len()];
    let (mut parts, mut part_of) = split(mesh, &alone);
    let (mut conflicts, folded) = conflicts(mesh, &part_of, parts.len());
    if !folded.is_empty() {
        // No partition of waymesh gives such regions, but a file may: their polygons are placed one
        // by one.
        for polygon in folded.iter().flat_map(|&part| &parts[part].polygons) {
            alone[polygon.index()] = true;
        }
        (parts, part_of) = split(mesh, &alone);
        conflicts = self::conflicts(mesh, &part_of, parts.len()).0;
    }
    let pieces = grow(mesh, &parts, &part_of, &conflicts);

    let mut storeys: Vec<Storey> = Vec::new();
    let mut storey_of: Vec<Option<usize>> = vec![None; parts.len()];
    for piece in pieces {
        let taken: BTreeSet<usize> = piece
            .iter()
            .flat_map(|&part| conflicts[part].iter().filter_map(|&other| storey_of[other as usize]))
            .collect();
        let mut sum = Storey::empty();
        piece.iter().for_each(|&part| sum.add(&parts[part]));
        let distance = |storey: usize| {
            let Storey { min_y, max_y, .. } = storeys[storey];
            (sum.middle() - max_y).max(min_y - sum.middle()).max(0.0)
        };
        let free = (0..storeys.len()).filter(|storey| !taken.contains(storey));
        let nearest = free.min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        let storey = nearest.unwrap_or(storeys.len());
        if nearest.is_none() {
            storeys.push(Storey::empty());
        }
        storeys[storey].add(&sum);
        for part in piece {
            storey_of[part] = Some(storey);
        }
    }
    // A roof that was put on a lower storey must not raise its mean height.
    let keyed =
        storeys.into_iter().map(|storey| (level(mesh, &storey), storey.polygons.first().copied(), storey));
    let mut keyed: Vec<(f32, Option<PolyId>, Storey)> = keyed.collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut storeys: Vec<Storey> = keyed.into_iter().map(|(_, _, storey)| storey).collect();
    storeys.iter_mut().for_each(|storey| storey.polygons.sort_unstable());
    storeys
}

/// Returns the mean height of a storey over its area.
fn level(mesh: &PlanMesh, storey: &Storey) -> f32 {
    let (mut sum, mut whole) = (0.0, 0.0);
    for polygon in storey.polygons.iter().map(|polygon| polygon.index()) {
        let (area, corners) = (mesh.area(polygon), mesh.polygons[polygon].corners.len());
        let heights: f64 = mesh.positions(polygon).map(|position| f64::from(position.y)).sum();
        let middle = heights / corners.max(1) as f64;
        sum += area * middle;
        whole += area;
    }
    let mean = nearest_f32(sum / whole);
    if mean.is_finite() { mean } else { storey.middle() }
}

/// Returns the connected parts of equal region, and the part of each polygon. A part stays together
/// on one storey, because a region never overlaps itself. A polygon marked in `alone` is a separate
/// part.
fn split(mesh: &PlanMesh, alone: &[bool]) -> (Vec<Storey>, Vec<usize>) {
    const UNSEEN: usize = usize::MAX;
    let mut part_of = vec![UNSEEN; mesh.polygons.len()];
    let mut parts: Vec<Storey> = Vec::new();
    for seed in 0..mesh.polygons.len() {
        if part_of[seed] != UNSEEN {
            continue;
        }
        let mut part = Storey::empty();
        part_of[seed] = parts.len();
        let mut stack = vec![seed];
        while let Some(polygon) = stack.pop() {
            part.polygons.push(PolyId::from_index(polygon));
            for position in mesh.positions(polygon) {
                part.min_y = part.min_y.min(position.y);
                part.max_y = part.max_y.max(position.y);
            }
            for &neighbour in mesh.polygons[polygon].neighbours.iter().flatten() {
                let other = neighbour as usize;
                let joined = mesh.polygons[other].region == mesh.polygons[seed].region
                    && !alone[other]
                    && !alone[polygon];
                if part_of[other] == UNSEEN && joined {
                    part_of[other] = parts.len();
                    stack.push(other);
                }
            }
        }
        parts.push(part);
    }
    (parts, part_of)
}

/// Returns the parts that overlap each part, and the parts that overlap themselves.
fn conflicts(mesh: &PlanMesh, part_of: &[usize], parts: usize) -> (Vec<BTreeSet<u32>>, BTreeSet<usize>) {
    let mut conflicts = vec![BTreeSet::new(); parts];
    let mut folded = BTreeSet::new();
    let outlines: Vec<Vec<[f64; 2]>> =
        (0..mesh.polygons.len()).map(|polygon| mesh.outline(polygon)).collect();
    let boxes: Vec<Bounds> =
        outlines.iter().map(|outline| Bounds::in_plan(outline.iter().copied(), 0.0)).collect();
    let tree = BoxTree::new(&boxes, 1);
    for (polygon, outline) in outlines.iter().enumerate() {
        for other in tree.overlapping(boxes[polygon]).filter(|&other| other < polygon) {
            let [a, b] = [polygon, other].map(|polygon| part_of[polygon]);
            let is_known = if a == b { folded.contains(&a) } else { conflicts[a].contains(&to_u32(b)) };
            if is_known || !overlap(outline, &outlines[other]) {
                continue;
            }
            if a == b {
                folded.insert(a);
            } else {
                conflicts[a].insert(to_u32(b));
                conflicts[b].insert(to_u32(a));
            }
        }
    }
    (conflicts, folded)
}

/// Returns the lower and upper corner of the box around points.
pub(crate) fn bounds(points: impl IntoIterator<Item = [f64; 2]>) -> [[f64; 2]; 2] {
    points.into_iter().fold([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], |[low, high], point| {
        [[0, 1].map(|axis| low[axis].min(point[axis])), [0, 1].map(|axis| high[axis].max(point[axis]))]
    })
}

/// Returns `true` if two convex polygons, in either winding, overlap by more than a millimetre. Two
/// convex polygons are disjoint exactly if the line through an edge of one has the other on its
/// outer side.
fn overlap(a: &[[f64; 2]], b: &[[f64; 2]]) -> bool {
    /// Slack in metres: coordinates are rounded to single precision.
    const SLACK: f64 = 1e-3;
    let separates = |edges: &[[f64; 2]], points: &[[f64; 2]]| {
        let sign = doubled_area(edges).signum();
        (0..edges.len()).any(|edge| {
            let (from, to) = (edges[edge], edges[(edge + 1) % edges.len()]);
            let length = float::hypot(to[0] - from[0], to[1] - from[1]);
            length > 0.0 && points.iter().all(|&point| cross(from, to, point) * sign <= SLACK * length)
        })
    };
    !separates(a, b) && !separates(b, a)
}

/// Returns pieces of connected parts without overlap, lowest seed first.
fn grow(
    mesh: &PlanMesh,
    parts: &[Storey],
    part_of: &[usize],
    conflicts: &[BTreeSet<u32>],
) -> Vec<Vec<usize>> {
    let mut adjacent: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (polygon, &part) in mesh.polygons.iter().zip(part_of) {
        let others = polygon.neighbours.iter().flatten().map(|&neighbour| part_of[neighbour as usize]);
        adjacent.entry(part).or_default().extend(others.filter(|&other| other != part));
    }
    let mut seeds: Vec<usize> = (0..parts.len()).collect();
    seeds.sort_by(|&a, &b| parts[a].middle().total_cmp(&parts[b].middle()).then(a.cmp(&b)));
    let mut rank = vec![0; parts.len()];
    for (place, &part) in seeds.iter().enumerate() {
        rank[part] = place;
    }
    let mut done = vec![false; parts.len()];
    let mut pieces = Vec::new();
    for &seed in &seeds {
        if done[seed] {
            continue;
        }
        let mut piece: BTreeSet<u32> = BTreeSet::new();
        let mut open = BTreeSet::from([rank[seed]]);
        while let Some(part) = open.pop_first().map(|place| seeds[place]) {
            if done[part] || !conflicts[part].is_disjoint(&piece) {
                continue;
            }
            done[part] = true;
            piece.insert(to_u32(part));
            let others = adjacent.get(&part).into_iter().flatten();
            open.extend(others.filter(|&&other| !done[other]).map(|&other| rank[other]));
        }
        pieces.push(piece.into_iter().map(|part| part as usize).collect());
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_overlap_only_where_their_insides_meet() {
        let square = |x: f64, z: f64, side: f64| {
            [(0.0, 0.0), (side, 0.0), (side, side), (0.0, side)].map(|(dx, dz)| [x + dx, z + dz]).to_vec()
        };
        assert!(overlap(&square(0., 0., 4.), &square(3., 3., 4.)));
        assert!(overlap(&square(0., 0., 9.), &square(3., 3., 2.)), "one inside the other");
        assert!(overlap(&square(0., 0., 4.), &square(0., 0., 4.)));
        assert!(!overlap(&square(0., 0., 4.), &square(4., 0., 4.)), "edges touch");
        assert!(!overlap(&square(0., 0., 4.), &square(4., 4., 4.)), "corners touch");
        assert!(!overlap(&square(0., 0., 4.), &square(3.9995, 0., 4.)), "rounding");
        let mut diamond = [[6., 0.], [12., 6.], [6., 12.], [0., 6.]];
        for _ in 0..2 {
            assert!(!overlap(&square(0., 0., 2.), &diamond), "boxes overlap, polygons do not");
            assert!(!overlap(&square(0., 0., 3.), &diamond), "a corner touches an edge");
            assert!(overlap(&square(0., 0., 4.), &diamond));
            diamond.reverse();
        }
    }
}
