//! The cost model of the search over polygons, for the tables.

use super::reached::ALONG;
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
