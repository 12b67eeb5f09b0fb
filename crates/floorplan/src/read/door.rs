//! Doors that are drawn as lines or as areas.

use geo::{ConvexHull, MultiPoint, Point};
use waymesh_core::DisjointSets;

use super::{DoorFields, Reader};
use crate::plan::{Extent, direction, extent_of, way};
use crate::{Door, FloorPlan, NoteKind, Outline, PlanPosition};

/// Largest number of corners of the hull of a door: each of its edges is compared with all of them.
const MAX_HULL_CORNERS: usize = 1000;

/// Largest number of loops of an element of doors: each is compared with all others.
const MAX_LOOPS: usize = 1000;

/// Largest distance of the boxes of two loops that draw one door, such as its leaf and the arc in
/// which it swings, in metres.
const DOOR_GAP: f64 = 0.05;

/// Largest distance of two loops that draw one door on both faces of its wall, in metres.
const FACES_GAP: f64 = 0.6;

impl Reader<'_> {
    /// Adds a door, or each of several that one element draws apart from each other. A line of two
    /// points goes from jamb to jamb. Of an area, the smallest rectangle around it counts: its longer
    /// side goes from jamb to jamb, unless the walls show otherwise ([`crate::PlanBase::new`]); its
    /// shorter side is the depth if that is more than [`Door::DEPTH`].
    pub(super) fn add_door(
        &self,
        plan: &mut FloorPlan,
        storey: Option<(&str, f64)>,
        element: &str,
        outline: &Outline,
        fields: DoorFields<'_>,
    ) {
        match outline {
            Outline::Disc { .. } => return self.ignored(plan, element, "a round door"),
            Outline::Loops { loops, .. } if loops.len() > MAX_LOOPS => {
                let what =
                    format!("a drawing of doors with {} loops (the limit is {MAX_LOOPS})", loops.len());
                return self.ignored(plan, element, what);
            }
            Outline::Loops { loops, .. } => {
                let doors = apart(loops);
                if doors.len() > 1 {
                    for (index, points) in doors.into_iter().enumerate() {
                        let element = format!("{element}, door {index}");
                        self.add_door(plan, storey, &element, &Outline::ConvexHull { points }, fields);
                    }
                    return;
                }
            }
            _ => {}
        }
        let points = outline.points();
        let (line, depth) = match (outline, &points[..]) {
            (Outline::Wall { .. }, &[from, to]) => ([from, to], Door::DEPTH),
            // Left to the checks of all doors, which name the number.
            (_, &[first, ..]) if points.iter().flatten().any(|value| !value.is_finite()) => {
                let bad = points.iter().find(|point| point.iter().any(|value| !value.is_finite()));
                ([*bad.unwrap_or(&first); 2], Door::DEPTH)
            }
            _ => {
                let hull: MultiPoint<f64> = points.iter().map(|&[x, z]| Point::new(x, z)).collect();
                let hull: Vec<PlanPosition> =
                    hull.convex_hull().exterior().coords().map(|&corner| corner.into()).collect();
                if hull.len() > MAX_HULL_CORNERS {
                    let what =
                        format!("a door with {} corners (the limit is {MAX_HULL_CORNERS})", hull.len());
                    return self.ignored(plan, element, what);
                }
                let Some((line, _, depth)) = smallest_rectangle(&hull) else {
                    return self.note(plan, element, NoteKind::NoArea);
                };
                (line, depth.max(Door::DEPTH))
            }
        };
        let (storey, elevation) = storey.unwrap_or((&self.options.storey, self.options.elevation));
        plan.storey_mut(storey, elevation).doors.push(Door {
            name: fields.name.unwrap_or(element).to_owned(),
            line,
            depth: fields.depth.unwrap_or(depth),
            cost: fields.cost,
        });
    }
}

/// Returns the points of each group of loops whose boxes are near each other.
fn apart(loops: &[Vec<PlanPosition>]) -> Vec<Vec<PlanPosition>> {
    let are_near = |one: Extent, other: Extent| {
        let of_both = |axis: usize| {
            let [a, b] = [one, other].map(|[low, high]| [low[axis], high[axis]]);
            (a[1].min(b[1]) - a[0].max(b[0]), (a[1] - a[0]).max(b[1] - b[0]))
        };
        let sides = [of_both(0), of_both(1)];
        // Both have the same length, and lie side by side.
        let are_faces = |along: usize, across: usize| {
            let [(overlap, length), (between, depth)] = [sides[along], sides[across]];
            overlap > 0.9 * length && length > depth && between > -FACES_GAP
        };
        sides.iter().all(|(overlap, _)| *overlap > -DOOR_GAP) || are_faces(0, 1) || are_faces(1, 0)
    };
    let boxes: Vec<_> = loops.iter().map(|points| extent_of(points.iter().copied())).collect();
    let mut groups = DisjointSets::new(loops.len());
    for (one, first) in (0..).zip(&boxes) {
        for (other, second) in (0..one).zip(&boxes) {
            if let (Some(first), Some(second)) = (*first, *second)
                && are_near(first, second)
            {
                groups.unite(one, other);
            }
        }
    }
    let roots = groups.roots();
    let mut firsts = roots.clone();
    firsts.sort_unstable();
    firsts.dedup();
    let points =
        |root| roots.iter().zip(loops).filter(move |(it, _)| **it == root).flat_map(|(_, loops)| loops);
    firsts.into_iter().map(|root| points(root).copied().collect()).collect()
}

/// Returns the middle line of the smallest rectangle around a convex ring along the longer sides,
/// and the lengths of the longer and of the shorter side. One of its sides lies on an edge
/// (Freeman and Shapira 1975, <https://doi.org/10.1145/360881.360919>).
fn smallest_rectangle(ring: &[PlanPosition]) -> Option<([PlanPosition; 2], f64, f64)> {
    let mut best: Option<([PlanPosition; 2], f64, f64)> = None;
    for edge in ring.windows(2) {
        let Some(along) = direction(way(edge[0], edge[1])) else { continue };
        let across = [-along[1], along[0]];
        // Relative to a corner, so that far coordinates keep their precision.
        let turned = ring.iter().map(|&point| {
            let [x, z] = way(edge[0], point);
            [x * along[0] + z * along[1], x * across[0] + z * across[1]]
        });
        let Some([low, high]) = extent_of(turned) else { continue };
        let at = |u: f64, v: f64| {
            [edge[0][0] + along[0] * u + across[0] * v, edge[0][1] + along[1] * u + across[1] * v]
        };
        let ([width, depth], middle) =
            (way(low, high), [0, 1].map(|axis| f64::midpoint(low[axis], high[axis])));
        let found = if width >= depth {
            ([at(low[0], middle[1]), at(high[0], middle[1])], width, depth)
        } else {
            ([at(middle[0], low[1]), at(middle[0], high[1])], depth, width)
        };
        // A clear gain, so that rounding does not choose between equal rectangles.
        if best.is_none_or(|(_, width, depth)| found.1 * found.2 < width * depth * (1.0 - 1e-9)) {
            best = Some(found);
        }
    }
    best
}
