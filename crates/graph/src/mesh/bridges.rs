//! Bridges: edges that are the only connection between two parts of an island. A search crosses one
//! only towards its goal, so it never enters a dead end, be it a corner of a room or half a
//! dungeon.
//!
//! # References
//! Tarjan 1974, A note on finding the bridges of a graph, <https://doi.org/10.1016/0020-0190(74)90003-9>.

use super::bounds::NO_NEIGHBOUR;
use super::table::Table;
use waymesh_core::checkpoint_every;

/// Kind of an edge that is no bridge: other paths exist, or it is a wall.
const PLAIN: u8 = 0;
/// It is the only path to the neighbour and what is numbered below it.
const DOWN: u8 = 1;
/// Kind of an edge that is the only path from this polygon and its subtree to all others.
const UP: u8 = 2;

/// The bridges of a mesh, and a numbering of its polygons in which each bridge cuts off a range.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bridges {
    pub(super) kinds: Table<u8>,
    /// Number of each polygon, and the last number below it.
    pub(super) ranges: Table<[u32; 2]>,
}

/// A polygon between the root and the current one of the walk.
struct Step {
    polygon: usize,
    /// Its next edge to visit.
    edge: usize,
    /// Edge by which it was entered.
    entry: usize,
    /// `true` if the edge back across `entry` has been passed over: a second one to the same
    /// polygon is another path.
    returned: bool,
    /// Lowest number that the polygons from here on have an edge to.
    low: u32,
}

impl Bridges {
    /// None, whatever the edges.
    pub(crate) fn none(polygons: usize, edges: usize) -> Self {
        Self { kinds: vec![PLAIN; edges].into(), ranges: vec![[0, 0]; polygons].into() }
    }

    /// Number of kinds of edges.
    pub(crate) const KINDS: u8 = 3;

    /// Takes linear time.
    pub(crate) fn find(polygon_first: &[u32], neighbours: &[u32]) -> Self {
        const UNSEEN: [u32; 2] = [u32::MAX, 0];
        let count = polygon_first.len() - 1;
        let mut kinds = vec![PLAIN; neighbours.len()];
        let mut ranges = vec![UNSEEN; count];
        let mut next = 0;
        let mut steps: Vec<Step> = Vec::new();
        for root in 0..count {
            checkpoint_every(1 << 12, root);
            if ranges[root] != UNSEEN {
                continue;
            }
            let mut enter = Some((root, usize::MAX));
            loop {
                if let Some((polygon, entry)) = enter.take() {
                    ranges[polygon] = [next, next];
                    let edge = polygon_first[polygon] as usize;
                    steps.push(Step { polygon, edge, entry, returned: false, low: next });
                    next += 1;
                }
                let above = steps.len().checked_sub(2).map(|index| steps[index].polygon);
                let Some(step) = steps.last_mut() else { break };
                if step.edge < polygon_first[step.polygon + 1] as usize {
                    let edge = step.edge;
                    step.edge += 1;
                    let neighbour = neighbours[edge];
                    if neighbour == NO_NEIGHBOUR {
                        continue;
                    }
                    let neighbour = neighbour as usize;
                    if above == Some(neighbour) && !step.returned {
                        step.returned = true;
                    } else if ranges[neighbour] == UNSEEN {
                        enter = Some((neighbour, edge));
                    } else {
                        step.low = step.low.min(ranges[neighbour][0]);
                    }
                    continue;
                }
                let Some(Step { polygon, entry, low, .. }) = steps.pop() else { break };
                ranges[polygon][1] = next - 1;
                if let Some(parent) = steps.last_mut() {
                    parent.low = parent.low.min(low);
                    if low == ranges[polygon][0] {
                        kinds[entry] = DOWN;
                        let edges = polygon_first[polygon] as usize..polygon_first[polygon + 1] as usize;
                        for edge in edges.filter(|&edge| neighbours[edge] as usize == parent.polygon) {
                            kinds[edge] = UP;
                        }
                    }
                }
            }
        }
        Self { kinds: kinds.into(), ranges: ranges.into() }
    }

    /// Returns the number of a polygon.
    #[inline]
    pub(crate) fn number(&self, polygon: u32) -> u32 {
        self.ranges[polygon as usize][0]
    }

    /// Returns `true` if a path from `polygon` to the polygon numbered `goal`, both of one island,
    /// may begin by crossing `edge` to `neighbour`.
    #[inline]
    pub(crate) fn leads_to(&self, goal: u32, edge: u32, polygon: u32, neighbour: u32) -> bool {
        let kind = self.kinds[edge as usize];
        if kind == PLAIN {
            return true;
        }
        let [first, last] = self.ranges[if kind == DOWN { neighbour } else { polygon } as usize];
        (first..=last).contains(&goal) == (kind == DOWN)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use waymesh_core::to_u32;

    use super::*;

    /// Tables of a graph, as `(polygon_first, neighbours)`.
    fn tables(count: usize, edges: &[(usize, usize)]) -> (Vec<u32>, Vec<u32>) {
        let (mut first, mut neighbours) = (vec![0], Vec::new());
        for polygon in 0..count {
            neighbours.push(NO_NEIGHBOUR);
            for &(a, b) in edges {
                if a == polygon {
                    neighbours.push(to_u32(b));
                }
                if b == polygon {
                    neighbours.push(to_u32(a));
                }
            }
            first.push(to_u32(neighbours.len()));
        }
        (first, neighbours)
    }

    /// Returns what can be reached from `start` without the pair of edges between `cut`, one of
    /// them if there are several.
    fn reachable(count: usize, edges: &[(usize, usize)], cut: usize, start: usize) -> Vec<bool> {
        let mut seen = vec![false; count];
        seen[start] = true;
        for _ in 0..count {
            for (index, &(a, b)) in edges.iter().enumerate() {
                if index != cut && (seen[a] || seen[b]) {
                    (seen[a], seen[b]) = (true, true);
                }
            }
        }
        seen
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn an_edge_leads_to_a_goal_unless_it_is_the_only_way_and_the_goal_is_on_this_side(
            count in 2_usize..12,
            pairs in prop::collection::vec((0_usize..12, 0_usize..12), 0..16),
        ) {
            let edges: Vec<(usize, usize)> =
                pairs.into_iter().map(|(a, b)| (a % count, b % count)).filter(|(a, b)| a != b).collect();
            let (first, neighbours) = tables(count, &edges);
            let bridges = Bridges::find(&first, &neighbours);
            for (cut, &(a, b)) in edges.iter().enumerate() {
                let island = reachable(count, &edges, usize::MAX, a);
                let this_side = reachable(count, &edges, cut, a);
                let other_side = reachable(count, &edges, cut, b);
                for goal in (0..count).filter(|&goal| island[goal]) {
                    let expected = other_side[goal] || this_side[b];
                    for edge in first[a]..first[a + 1] {
                        if neighbours[edge as usize] as usize == b {
                            let leads = bridges.leads_to(bridges.number(to_u32(goal)), edge, to_u32(a), to_u32(b));
                            prop_assert_eq!(leads, expected);
                        }
                    }
                }
            }
        }
    }
}
