//! The cost model of the search over polygons, for the tables, and the entries of the tables.

use waymesh_core::nearest_f32;

use crate::geometry::plan::PlanPosition;
use crate::mesh::costs::Rules;
use crate::mesh::nav_mesh::NavMesh;

/// Returns what it costs to cross an edge or a link out of a polygon, in cells.
pub(super) fn crossing_cost(mesh: &NavMesh, usable: &impl Rules, crossing: u32, polygon: u32) -> f64 {
    // The cost model of the search over polygons.
    let metre = f64::from(usable.per_metre(mesh, polygon).max(usable.least()));
    let toll = if mesh.is_link(crossing) { usable.taking(mesh, mesh.link_id(crossing)) } else { 0.0 };
    let link_place = if mesh.is_crossed(crossing) { 0.0 } else { link_place(mesh, crossing, metre)[0].1 };
    link_place
        + f64::from(usable.entering(mesh, polygon, mesh.beyond(crossing)) + toll)
            / f64::from(mesh.frame.cell_size)
}

/// Returns both ends of a link in its middle, with what it costs in cells where a metre of it costs
/// that much.
pub(super) fn link_place(mesh: &NavMesh, crossing: u32, metre: f64) -> [(PlanPosition, f64); 2] {
    let [leave, arrive] = mesh.link_ends(crossing).map(|end| mesh.on_segment(end, ALONG));
    let extra = f64::from(mesh.link_at(crossing).extra_cost);
    let cost = f64::from(leave.1.distance(arrive.1)) * metre + extra;
    let cost = cost / f64::from(mesh.frame.cell_size);
    [leave.0, arrive.0].map(|at| (at, cost))
}

/// From a terminal to a polygon of its cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reached {
    /// The last corner of the path before the polygon's middle, in cells of the grid; with costs, the
    /// point where it enters the polygon.
    pub(super) root: [f32; 2],
    /// Length of the path to there, or what it costs, in cells of the grid.
    pub(super) length: f32,
    /// The path by which the polygon is entered.
    pub(super) crossing: u32,
}

/// Position along its segment at which a link is taken, as a share.
pub(super) const ALONG: f64 = 0.5;

/// Predecessor of a polygon that is not reached, or where the search begins.
pub(super) const NOT_REACHED: u32 = u32::MAX;

impl Reached {
    pub(super) const UNREACHED: Self = Self { root: [0.0; 2], length: f32::INFINITY, crossing: NOT_REACHED };

    pub(super) fn distance(&self, at: PlanPosition, metre: f64) -> f32 {
        let (x, z) = (at.x - f64::from(self.root[0]), at.z - f64::from(self.root[1]));
        self.length + nearest_f32((x * x + z * z).sqrt() * metre)
    }
}
