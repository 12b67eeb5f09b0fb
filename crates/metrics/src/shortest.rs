//! The exact shortest path on a mesh, in the plan.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::{DVec2, DVec3};

use crate::fans::Fans;
use crate::mesh::JudgedMesh;
use crate::scene::plan;

/// Largest number of polygons that one view may pass. Beyond that there is no answer.
const MOST_POLYGONS: usize = 2_000_000;
/// Largest number of lines of sight that are kept. Beyond that there is no answer.
const MOST_LINES: usize = 20_000_000;

/// Shortest paths by A* on the visibility graph of the border's notches. Lines of sight are found
/// by cones that narrow from edge to edge through the polygons, and are kept for the next path.
///
/// Exact, because a shortest path turns only at notches (Lozano-Pérez and Wesley 1979,
/// <https://doi.org/10.1145/359156.359164>), and because polygons are convex. Where the mesh passes
/// above itself, views follow the polygons and not the plan.
#[derive(Debug)]
pub(crate) struct ShortestPaths<'a> {
    mesh: &'a JudgedMesh,
    fans: &'a Fans,
    /// The fans visible from each fan, with distances, once they have been computed.
    seen: Vec<Option<Vec<(usize, f64)>>>,
    lines: usize,
}

/// A cone that enters a polygon through one of its edges.
struct Look {
    polygon: usize,
    entry: usize,
    right: DVec2,
    left: DVec2,
}

/// The part of the ground that is visible from one place.
#[derive(Debug, Default)]
struct View {
    fans: Vec<usize>,
    sees_goal: bool,
}

impl<'a> ShortestPaths<'a> {
    pub(crate) fn new(mesh: &'a JudgedMesh, fans: &'a Fans) -> Self {
        Self { mesh, fans, seen: vec![None; fans.fans.len()], lines: 0 }
    }

    fn place(&self, fan: usize) -> DVec2 {
        let (polygon, corner) = self.fans.fans[fan].corner;
        plan(self.mesh.corner(polygon, corner))
    }

    /// Returns the length of the shortest path between two places in two polygons; `None` if there
    /// is none, or if the search is too large.
    pub(crate) fn length(&mut self, from: (usize, DVec3), to: (usize, DVec3)) -> Option<f64> {
        let (start, goal) = (plan(from.1), plan(to.1));
        let first = self.visible_from(start, &self.polygons_at(from.0, start), Some((to.0, goal)))?;
        if first.sees_goal {
            return Some(start.distance(goal));
        }
        let last = self.visible_from(goal, &self.polygons_at(to.0, goal), None)?;
        let mut at_goal = vec![f64::INFINITY; self.fans.fans.len()];
        for &fan in &last.fans {
            at_goal[fan] = self.place(fan).distance(goal);
        }
        let mut best = vec![f64::INFINITY; self.fans.fans.len()];
        // Sorted by a lower bound of the path's length: bits of numbers of at least 0 are in order.
        let mut open = BinaryHeap::new();
        let entry = |estimate: f64, fan: usize| Reverse((estimate.to_bits(), fan));
        for &fan in &first.fans {
            best[fan] = self.place(fan).distance(start);
            open.push(entry(best[fan] + self.place(fan).distance(goal), fan));
        }
        let mut shortest = f64::INFINITY;
        while let Some(Reverse((estimate, fan))) = open.pop() {
            let estimate = f64::from_bits(estimate);
            if estimate >= shortest {
                break;
            }
            let length = best[fan];
            if estimate > length + self.place(fan).distance(goal) + 1e-9 {
                continue;
            }
            shortest = shortest.min(length + at_goal[fan]);
            if self.seen[fan].is_none() {
                let lines = self.visible_from_fan(fan)?;
                self.lines += lines.len();
                self.seen[fan] = Some(lines);
            }
            if self.lines > MOST_LINES {
                return None;
            }
            for &(next, distance) in self.seen[fan].iter().flatten() {
                let through = length + distance;
                if through < best[next] {
                    best[next] = through;
                    open.push(entry(through + self.place(next).distance(goal), next));
                }
            }
        }
        shortest.is_finite().then_some(shortest)
    }

    fn visible_from_fan(&self, fan: usize) -> Option<Vec<(usize, f64)>> {
        let at = self.place(fan);
        let polygons: Vec<usize> = self.fans.corners[fan].iter().map(|&(polygon, _)| polygon).collect();
        let view = self.visible_from(at, &polygons, None)?;
        let others = view.fans.into_iter().filter(|&other| other != fan);
        Some(others.map(|other| (other, self.place(other).distance(at))).collect())
    }

    /// Returns the polygon, and if `at` lies on its border, those that meet it there.
    fn polygons_at(&self, polygon: usize, at: DVec2) -> Vec<usize> {
        let mut polygons = vec![polygon];
        let mut next = 0;
        while let Some(&polygon) = polygons.get(next) {
            for (edge, (a, b, _)) in self.mesh.edges(polygon).enumerate() {
                let nearest = crate::walk::closest_on_segment(plan(a), plan(b), at);
                if nearest.distance(at) < 1e-4
                    && let Some((other, _)) = self.fans.matching(polygon, edge)
                    && !polygons.contains(&other)
                {
                    polygons.push(other);
                }
            }
            next += 1;
        }
        polygons
    }

    /// Finds the fans where a path may turn that are visible from `at`, which lies in each of the
    /// `polygons`.
    fn visible_from(&self, at: DVec2, polygons: &[usize], goal: Option<(usize, DVec2)>) -> Option<View> {
        let mut view = View::default();
        let mut looks = Vec::new();
        for &polygon in polygons {
            view.sees_goal |= goal.is_some_and(|goal| goal.0 == polygon);
            let sides = self.mesh.polygons[polygon].len();
            for edge in 0..sides {
                self.note(polygon, edge, &mut view);
                let [a, b] = [edge, edge + 1].map(|corner| plan(self.mesh.corner(polygon, corner)) - at);
                // An edge on which `at` lies is skipped: its neighbour is in the list, or not visible.
                if a.perp_dot(b) > 1e-9
                    && let Some((other, entry)) = self.fans.matching(polygon, edge)
                {
                    looks.push(Look { polygon: other, entry, right: a, left: b });
                }
            }
        }
        let mut passed = 0;
        while let Some(Look { polygon, entry, right, left }) = looks.pop() {
            passed += 1;
            if passed > MOST_POLYGONS {
                return None;
            }
            let is_seen = |to: DVec2| {
                let slack = -1e-9 * to.length().max(1.0);
                right.perp_dot(to) >= slack * right.length() && to.perp_dot(left) >= slack * left.length()
            };
            view.sees_goal |= goal.is_some_and(|goal| goal.0 == polygon && is_seen(goal.1 - at));
            let sides = self.mesh.polygons[polygon].len();
            for edge in (0..sides).filter(|&edge| edge != entry) {
                let [a, b] = [edge, edge + 1].map(|corner| plan(self.mesh.corner(polygon, corner)) - at);
                if is_seen(a) {
                    self.note(polygon, edge, &mut view);
                }
                if a.perp_dot(b) <= 0.0 {
                    continue;
                }
                let Some((other, entry)) = self.fans.matching(polygon, edge) else { continue };
                let right = if right.perp_dot(a) > 0.0 { a } else { right };
                let left = if b.perp_dot(left) > 0.0 { b } else { left };
                if right.perp_dot(left) > 1e-12 * right.length() * left.length() {
                    looks.push(Look { polygon: other, entry, right, left });
                }
            }
        }
        view.fans.sort_unstable();
        view.fans.dedup();
        Some(view)
    }

    fn note(&self, polygon: usize, corner: usize, view: &mut View) {
        let fan = self.fans.fan(polygon, corner);
        if self.fans.fans[fan].may_turn() {
            view.fans.push(fan);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use proptest::prelude::*;

    use super::*;

    /// Squares of one metre, those in `solid` left out.
    fn lattice(side: u32, solid: &[bool]) -> JudgedMesh {
        let lines = side + 1;
        #[expect(clippy::cast_precision_loss, reason = "a few squares")]
        let vertices: Vec<Vec3> = (0..lines * lines)
            .map(|index| Vec3::new((index % lines) as f32, 0.0, (index / lines) as f32))
            .collect();
        let polygons = (0..side * side)
            .filter(|&polygon| !solid[polygon as usize])
            .map(|polygon| {
                let corner = polygon / side * lines + polygon % side;
                vec![corner, corner + 1, corner + 1 + lines, corner + lines]
            })
            .collect();
        JudgedMesh::new(&vertices, polygons).unwrap()
    }

    fn length(mesh: &JudgedMesh, from: DVec2, to: DVec2) -> Option<f64> {
        let fans = Fans::new(mesh);
        let index = crate::mesh::MeshIndex::new(mesh);
        let at = |at: DVec2| {
            let at = DVec3::new(at.x, 0.0, at.y);
            (index.locate(at, 1.0).unwrap().0, at)
        };
        ShortestPaths::new(mesh, &fans).length(at(from), at(to))
    }

    /// `true` if the open segment misses the inside of every solid square.
    fn is_clear(side: usize, solid: &[bool], a: DVec2, b: DVec2) -> bool {
        (0..side * side).filter(|&polygon| solid[polygon]).all(|polygon| {
            let low = DVec2::new((polygon % side) as f64, (polygon / side) as f64);
            let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
            for (start, along, low) in [(a.x, b.x - a.x, low.x), (a.y, b.y - a.y, low.y)] {
                if along.abs() < 1e-12 {
                    if start <= low + 1e-9 || start >= low + 1.0 - 1e-9 {
                        return true;
                    }
                } else {
                    let (p, q) = ((low - start) / along, (low + 1.0 - start) / along);
                    (enter, leave) = (enter.max(p.min(q)), leave.min(p.max(q)));
                }
            }
            enter >= leave - 1e-9
        })
    }

    /// `true` if a segment does not run between two solid squares, or between one and the outside.
    fn is_beside_ground(side: usize, solid: &[bool], a: DVec2, b: DVec2) -> bool {
        let is_open = |at: DVec2| {
            let inside = at.min_element() > 0.0 && at.max_element() < side as f64;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "inside the lattice")]
            let index = |at: DVec2| at.y as usize * side + at.x as usize;
            inside && !solid[index(at)]
        };
        let aside = (b - a).normalize_or_zero().perp() * 1e-6;
        let count = 997;
        (0..count).all(|step| {
            let at = a.lerp(b, (f64::from(step) + 0.5) / f64::from(count));
            is_open(at + aside) || is_open(at - aside)
        })
    }

    /// A slow search over all corners.
    fn slow_length(side: usize, solid: &[bool], from: DVec2, to: DVec2) -> Option<f64> {
        let mut places = vec![from, to];
        places.extend(
            (0..(side + 1) * (side + 1))
                .map(|i| DVec2::new((i % (side + 1)) as f64, (i / (side + 1)) as f64)),
        );
        let mut best = vec![f64::INFINITY; places.len()];
        best[0] = 0.0;
        for _ in 0..places.len() {
            let mut changed = false;
            for a in (0..places.len()).filter(|&a| best[a].is_finite()).collect::<Vec<_>>() {
                for b in 0..places.len() {
                    let through = best[a] + places[a].distance(places[b]);
                    if through < best[b] - 1e-12
                        && is_clear(side, solid, places[a], places[b])
                        && is_beside_ground(side, solid, places[a], places[b])
                    {
                        best[b] = through;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        best[1].is_finite().then_some(best[1])
    }

    #[test]
    fn the_way_round_a_square_hole_is_known() {
        let mut solid = vec![false; 9];
        solid[4] = true;
        let found = length(&lattice(3, &solid), DVec2::new(0.5, 1.5), DVec2::new(2.5, 1.5)).unwrap();
        assert!((found - (1.0 + 2.0 * 0.5_f64.sqrt())).abs() < 1e-9, "{found}");
        // Through three corners in line, of which the middle one is straight.
        let mut solid = vec![false; 16];
        (solid[5], solid[6]) = (true, true);
        let found = length(&lattice(4, &solid), DVec2::new(0.5, 1.5), DVec2::new(3.5, 1.5)).unwrap();
        assert!((found - (2.0 + 2.0 * 0.5_f64.sqrt())).abs() < 1e-9, "{found}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn the_length_is_that_of_a_slow_search(
            mut solid in prop::collection::vec(prop::bool::weighted(0.3), 36),
            from in 0_usize..36,
            to in 0_usize..36,
            offset in (0.1_f64..0.9, 0.1_f64..0.9),
        ) {
            const SIDE: usize = 6;
            (solid[from], solid[to]) = (false, false);
            // A line could pass between two solids that touch at a corner, but a mesh has no path there:
            // all four are cleared.
            let touching = |solid: &[bool]| {
                let squares = (0..SIDE * SIDE).filter(|polygon| polygon % SIDE + 1 < SIDE && polygon / SIDE + 1 < SIDE);
                squares.map(|polygon| [polygon, polygon + 1, polygon + SIDE, polygon + SIDE + 1]).find(|square| {
                    let square = square.map(|polygon| solid[polygon]);
                    square == [true, false, false, true] || square == [false, true, true, false]
                })
            };
            while let Some(square) = touching(&solid) {
                square.into_iter().for_each(|polygon| solid[polygon] = false);
            }
            let place = |polygon: usize| {
                DVec2::new((polygon % SIDE) as f64 + offset.0, (polygon / SIDE) as f64 + offset.1)
            };
            let found = length(&lattice(6, &solid), place(from), place(to));
            let expected = slow_length(SIDE, &solid, place(from), place(to));
            prop_assert_eq!(found.is_some(), expected.is_some());
            if let (Some(found), Some(expected)) = (found, expected) {
                prop_assert!((found - expected).abs() < 1e-6, "{} where {} was expected", found, expected);
            }
        }
    }
}
