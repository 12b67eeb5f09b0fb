//! Clearance error: compares the border of the mesh with walls and drops offset by the radius.

use glam::DVec3;
use waymesh_core::threads;

use crate::mesh::JudgedMesh;
use crate::oracle::{Oracle, Scratch};
use crate::report::{ClearanceError, Sorted};
use crate::scene::Slope;

/// Largest number of places that are tested.
const MOST_PLACES: f64 = 20_000.0;

/// Tests places along the border edges, half a cell apart or more.
pub(crate) fn judge_clearance(oracle: &Oracle, mesh: &JudgedMesh) -> ClearanceError {
    let edges: Vec<(usize, DVec3, DVec3)> = (0..mesh.polygons.len())
        .flat_map(|polygon| {
            mesh.edges(polygon).filter(|edge| edge.2.is_none()).map(move |(a, b, _)| (polygon, a, b))
        })
        .collect();
    let total: f64 = edges.iter().map(|(_, a, b)| a.distance(*b)).sum();
    let spacing = (oracle.cell() / 2.0).max(total / MOST_PLACES);
    let mut places = Vec::new();
    // The spacing continues from edge to edge, so that short edges are not overweighted.
    let mut along = spacing / 2.0;
    for (polygon, a, b) in edges {
        let length = a.distance(b);
        while along < length {
            let at = a.lerp(b, along / length);
            let height = mesh.height_in_polygon(polygon, crate::scene::plan(at));
            places.push(DVec3::new(at.x, height, at.z));
            along += spacing;
        }
        along -= length;
    }
    let errors: Vec<f64> =
        threads::map_with(places, |scratch: &mut Scratch, place| error_at(oracle, place, scratch));
    Sorted::new(errors).summary()
}

/// Largest distance from a place at which walls and drops are searched.
pub(crate) fn reach(oracle: &Oracle) -> f64 {
    2.0 * oracle.radius() + 4.0 * oracle.cell()
}

/// Returns the ground at a place of the mesh within the agent's height above or below, or the place
/// itself. The height error is another figure.
pub(crate) fn on_ground(oracle: &Oracle, place: DVec3, scratch: &mut Scratch) -> DVec3 {
    let faces = &oracle.scene.faces;
    let tolerance = oracle.height_tolerance().max(f64::from(oracle.agent.height));
    let grounds = oracle.grounds(place, tolerance, scratch);
    let gentle = grounds.iter().find(|ground| faces[ground.face].slope != Slope::Steep);
    DVec3::new(place.x, gentle.map_or(place.y, |ground| ground.height), place.z)
}

fn error_at(oracle: &Oracle, place: DVec3, scratch: &mut Scratch) -> f64 {
    let (radius, reach) = (oracle.radius(), reach(oracle));
    let place = on_ground(oracle, place, scratch);
    if oracle.is_inside_solid(place) {
        return radius;
    }
    let clearance = oracle.clearance(place, reach, 0.0, scratch);
    // A mesh may keep its distance to steep ground or not: the smaller error is used.
    let error = |distance: f64| (distance.min(reach) - radius).abs();
    error(clearance.certain()).min(error(clearance.strict()))
}
