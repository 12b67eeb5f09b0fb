//! Compact records of edges for walks from polygon to polygon, and a ray that walks.

use super::bounds::{Corner, NO_NEIGHBOUR};
use super::fans::Fans;
use crate::geometry::plan::PlanPosition;

/// An edge of a polygon: its start, its neighbour and its twin. Four fit a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(16))]
pub(crate) struct WalkEdge {
    x: i32,
    z: i32,
    pub(crate) beyond: u32,
    /// The twin of the edge in the neighbour, or [`NO_NEIGHBOUR`].
    pub(crate) twin: u32,
}

impl WalkEdge {
    /// Sentinel that belongs to no polygon.
    pub(crate) const UNUSED: Self = Self { x: 0, z: 0, beyond: NO_NEIGHBOUR, twin: NO_NEIGHBOUR };

    pub(crate) fn of(corner: &Corner, beyond: u32, twin: u32) -> Self {
        let twin = if beyond == NO_NEIGHBOUR { NO_NEIGHBOUR } else { twin };
        Self { x: corner.x, z: corner.z, beyond, twin }
    }

    #[inline]
    pub(crate) fn start(&self) -> PlanPosition {
        PlanPosition::on_grid(self.x, self.z)
    }
}

/// Returns the edges of all polygons, in the order of their corners.
pub(crate) fn walk_edges(corners: &[Corner], neighbours: &[u32], fans: &Fans) -> Vec<WalkEdge> {
    let edges = (0_u32..).zip(corners).zip(neighbours);
    edges.map(|((edge, corner), &beyond)| WalkEdge::of(corner, beyond, fans.twin(edge))).collect()
}
