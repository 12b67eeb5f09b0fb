//! Search for edges of one polygon that share more than an end point.

use waymesh_core::{Bounds, BoxTree, PlanPoint, checkpoint, to_u32};

use crate::TriangulateError;
use crate::outline::{Corner, Outline, is_between};

/// Buffers of [`CrossingCheck::check`].
#[derive(Debug, Default)]
pub(crate) struct CrossingCheck {
    edges: Vec<Edge>,
    active: Vec<Edge>,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    min_x: i32,
    max_x: i32,
    min_z: i32,
    max_z: i32,
    corner: Corner,
}

/// Largest number of edges of outlines that are swept. On smaller outlines, a tree of boxes is
/// slower.
const MOST_SWEPT: usize = 1000;

impl CrossingCheck {
    /// Tests each pair of edges with overlapping bounding boxes. Costs `n log n` plus the number of
    /// such pairs.
    pub(crate) fn check(&mut self, outline: &Outline) -> Result<(), TriangulateError> {
        if outline.len() <= MOST_SWEPT { self.sweep(outline) } else { search(outline) }
    }

    /// Sweeps the edges along x.
    fn sweep(&mut self, outline: &Outline) -> Result<(), TriangulateError> {
        self.edges.clear();
        self.active.clear();
        self.edges.extend((0..).zip(&outline.points).map(|(corner, &a)| {
            let b = outline.point(outline.next[corner as usize]);
            Edge {
                min_x: a.x.min(b.x),
                max_x: a.x.max(b.x),
                min_z: a.z.min(b.z),
                max_z: a.z.max(b.z),
                corner,
            }
        }));
        self.edges.sort_unstable_by_key(|edge| (edge.min_x, edge.corner));
        for edge in &self.edges {
            checkpoint();
            let mut index = 0;
            while index < self.active.len() {
                let other = self.active[index];
                if other.max_x < edge.min_x {
                    self.active.swap_remove(index);
                    continue;
                }
                index += 1;
                if other.max_z < edge.min_z || edge.max_z < other.min_z {
                    continue;
                }
                let (first, second) = (outline.edge(edge.corner), outline.edge(other.corner));
                if edges_conflict(first, second) {
                    return Err(TriangulateError::CrossingEdges { region: outline.region, first, second });
                }
            }
            self.active.push(*edge);
        }
        Ok(())
    }
}

/// Searches with a tree of bounding boxes.
fn search(outline: &Outline) -> Result<(), TriangulateError> {
    let corners = (0..).take(outline.len());
    let boxes: Vec<Bounds> =
        corners.clone().map(|corner| Bounds::in_plan(outline.edge(corner), 0.0)).collect();
    let tree = BoxTree::new(&boxes, 1);
    for (corner, &bounds) in corners.zip(&boxes) {
        let first = outline.edge(corner);
        let is_conflict = |&other: &Corner| other > corner && edges_conflict(first, outline.edge(other));
        let conflict = tree.overlapping(bounds).map(to_u32).filter(is_conflict).min();
        if let Some(other) = conflict {
            let (region, second) = (outline.region, outline.edge(other));
            return Err(TriangulateError::CrossingEdges { region, first, second });
        }
    }
    Ok(())
}

/// Returns `true` if two edges with overlapping boxes share a point other than a common end.
fn edges_conflict([a, b]: [PlanPoint; 2], [c, d]: [PlanPoint; 2]) -> bool {
    let side = |p, q, r| PlanPoint::orientation(p, q, r).signum();
    let (c_side, d_side) = (side(a, b, c), side(a, b, d));
    if c_side * d_side > 0 {
        return false;
    }
    let (a_side, b_side) = (side(c, d, a), side(c, d, b));
    if a_side * b_side > 0 {
        return false;
    }
    if c_side * d_side < 0 && a_side * b_side < 0 {
        return true;
    }
    if (a == c && b == d) || (a == d && b == c) {
        return true;
    }
    (c_side == 0 && is_between([a, b], c))
        || (d_side == 0 && is_between([a, b], d))
        || (a_side == 0 && is_between([c, d], a))
        || (b_side == 0 && is_between([c, d], b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossing_touching_and_overlapping_edges_conflict_but_common_ends_do_not() {
        let conflict = |a: [i32; 4], b: [i32; 4]| {
            let edge = |[x, z, u, v]: [i32; 4]| [PlanPoint::new(x, z), PlanPoint::new(u, v)];
            let found = edges_conflict(edge(a), edge(b));
            assert_eq!(found, edges_conflict(edge(b), edge(a)));
            let [x, z, u, v] = a;
            assert_eq!(found, edges_conflict(edge([u, v, x, z]), edge(b)));
            found
        };
        assert!(conflict([0, 0, 4, 4], [0, 4, 4, 0]));
        assert!(conflict([0, 0, 4, 0], [2, 0, 2, 3]));
        assert!(conflict([0, 0, 4, 0], [1, 0, 6, 0]));
        assert!(conflict([0, 0, 4, 0], [1, 0, 3, 0]));
        assert!(conflict([0, 0, 4, 0], [0, 0, 3, 0]));
        assert!(conflict([0, 0, 4, 0], [4, 0, 0, 0]));
        assert!(!conflict([0, 0, 4, 0], [4, 0, 6, 1]));
        assert!(!conflict([0, 0, 4, 0], [0, 1, 4, 1]));
        assert!(!conflict([0, 0, 4, 0], [4, 0, 6, 0]));
        assert!(!conflict([0, 0, 4, 0], [5, 0, 6, 0]));
        assert!(!conflict([0, 0, 4, 0], [2, 1, 2, 3]));
    }
}
