//! The cost model of the search over polygons, for the tables.

use waymesh_core::PolyId;

use super::reached::ALONG;
use crate::geometry::plan::PlanPosition;
use crate::mesh::costs::{TravelCost, Usable, entering, taking};
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;

/// Returns what a metre costs in a polygon: 1 without costs.
pub(super) fn metre_in<F: PolygonFilter, C: TravelCost>(
    mesh: &NavMesh,
    usable: &Usable<'_, F, C>,
    polygon: u32,
) -> f64 {
    if usable.cost.is_length() { 1.0 } else { f64::from(usable.cost.per_metre(mesh, PolyId(polygon))) }
}

/// Returns what it costs to cross an edge or a link out of a polygon, in cells.
pub(super) fn crossing_cost<F: PolygonFilter, C: TravelCost>(
    mesh: &NavMesh,
    usable: &Usable<'_, F, C>,
    crossing: u32,
    polygon: u32,
) -> f64 {
    // The cost model of the search over polygons.
    let metre = metre_in(mesh, usable, polygon).max(if usable.cost.is_length() {
        1.0
    } else {
        f64::from(usable.cost.least())
    });
    let toll = if mesh.is_link(crossing) { taking(usable.cost, mesh, mesh.link_id(crossing)) } else { 0.0 };
    let link_place = if mesh.is_crossed(crossing) { 0.0 } else { link_place(mesh, crossing, metre)[0].1 };
    link_place
        + f64::from(entering(usable.cost, mesh, polygon, mesh.beyond(crossing)) + toll)
            / f64::from(mesh.frame.cell_size)
}

/// Returns both ends of a link in its middle, with what it costs in cells where a metre of it costs
/// that much.
pub(super) fn link_place(mesh: &NavMesh, crossing: u32, metre: f64) -> [(PlanPosition, f64); 2] {
    let (link, backwards) = mesh.link_of(crossing);
    let link = &mesh.links.links[link.index()];
    let [leave, arrive] = link.ends(backwards).map(|end| mesh.on_segment(end, ALONG));
    let cost = f64::from(leave.1.distance(arrive.1)) * metre + f64::from(link.extra_cost);
    let cost = cost / f64::from(mesh.frame.cell_size);
    [leave.0, arrive.0].map(|at| (at, cost))
}
