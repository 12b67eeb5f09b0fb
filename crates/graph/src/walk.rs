//! What walking from cell to cell reads, side by side in memory, and a ray that walks.

use crate::data::NO_NEIGHBOUR;
use crate::fans::Fans;
use crate::mesh::{Corner, NavMesh};
use crate::plan::{PlanPosition, orientation};

/// An edge of a cell: where it starts, what is beyond, and which edge it is there. Four to a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(16))]
pub(crate) struct WalkEdge {
    x: i32,
    z: i32,
    pub(crate) beyond: u32,
    /// The same edge in the cell beyond, or [`NO_NEIGHBOUR`].
    pub(crate) twin: u32,
}

impl WalkEdge {
    pub(crate) fn of(corner: &Corner, beyond: u32, twin: u32) -> Self {
        let twin = if beyond == NO_NEIGHBOUR { NO_NEIGHBOUR } else { twin };
        Self { x: corner.x, z: corner.z, beyond, twin }
    }

    #[inline]
    pub(crate) fn start(&self) -> PlanPosition {
        PlanPosition::on_grid(self.x, self.z)
    }
}

/// The edges of all cells, in the order of their corners.
pub(crate) fn walk_edges(corners: &[Corner], neighbours: &[u32], fans: &Fans) -> Vec<WalkEdge> {
    let edges = (0_u32..).zip(corners).zip(neighbours);
    edges.map(|((edge, corner), &beyond)| WalkEdge::of(corner, beyond, fans.twin(edge))).collect()
}

/// A ray from a place towards another, both on the lattice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    pub(crate) at: PlanPosition,
    pub(crate) target: PlanPosition,
}

impl Ray {
    /// Positive left of the ray, exactly.
    #[inline]
    pub(crate) fn side(&self, place: PlanPosition) -> f64 {
        orientation(self.at, self.target, place)
    }
}

/// Where a ray leaves a cell that it came into through the inside of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// It does not: its target is in the cell.
    Ends,
    /// Through the inside of this edge.
    Through(usize),
    /// At a corner, or along a line that needs a closer look.
    Unsure,
}

impl NavMesh {
    #[inline]
    pub(crate) fn walk_edges(&self, cell: u32) -> &[WalkEdge] {
        &self.walk[self.edge_range(cell as usize)]
    }

    /// Where a ray leaves a cell. It came in through the inside of `entry`: the start of that edge is left of it, the end right, and the
    /// target beyond. So only the corners right of the ray are looked at.
    #[inline]
    pub(crate) fn way_through(&self, cell: u32, entry: usize, ray: &Ray) -> Way {
        let range = self.edge_range(cell as usize);
        let after = |corner: usize| if corner + 1 == range.end { range.start } else { corner + 1 };
        let mut edge = after(entry);
        let mut a = self.walk[edge].start();
        loop {
            let next = after(edge);
            let b = self.walk[next].start();
            if next != entry {
                let side = ray.side(b);
                if side < 0.0 {
                    (a, edge) = (b, next);
                    continue;
                }
                if side == 0.0 {
                    return Way::Unsure;
                }
            }
            let is_beyond = orientation(a, b, ray.target) < 0.0;
            return if is_beyond { Way::Through(edge) } else { Way::Ends };
        }
    }

    /// Where a ray leaves the cell that it begins in or on.
    #[inline]
    pub(crate) fn way_out(&self, cell: u32, ray: &Ray) -> Way {
        let first = self.cell_first[cell as usize] as usize;
        let edges = self.walk_edges(cell);
        let mut before = edges.len() - 1;
        let mut a = edges[before].start();
        let mut a_side = ray.side(a);
        for (corner, edge) in edges.iter().enumerate() {
            let b = edge.start();
            let b_side = ray.side(b);
            // From right to left of the ray: only there it leaves.
            if a_side < 0.0 && b_side > 0.0 {
                let is_beyond = orientation(a, b, ray.target) < 0.0;
                return if is_beyond { Way::Through(first + before) } else { Way::Ends };
            }
            (a, a_side, before) = (b, b_side, corner);
        }
        Way::Unsure
    }

    /// Whether a cell holds a place of the lattice, border included.
    #[inline]
    pub(crate) fn holds(&self, cell: u32, at: PlanPosition) -> bool {
        let edges = self.walk_edges(cell);
        let mut a = edges[edges.len() - 1].start();
        for edge in edges {
            let b = edge.start();
            if orientation(a, b, at) < 0.0 {
                return false;
            }
            a = b;
        }
        true
    }
}
