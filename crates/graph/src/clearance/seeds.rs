//! Index from polygons to the triangles in them.

use glam::{DVec2, dvec2};
use waymesh_core::{ClearanceMesh, PlanPoint, PlanVertex, PolyId, to_u32};

use super::admitted::Admitted;
use super::open_links::{OpenLinks, edge_points};
use super::table::{Table, WALL};
use crate::geometry::disc::unit;
use crate::mesh::error::NavMeshError;
use crate::mesh::nav_mesh::NavMesh;

/// Returns the middle of a polygon, strictly inside it, in metres from the origin of the frame.
pub(super) fn middle(mesh: &NavMesh, polygon: u32) -> DVec2 {
    let corners = &mesh.topology.corners[mesh.edge_range(polygon as usize)];
    let share = f64::from(mesh.frame.cell_size) / corners.len() as f64;
    let [mut x, mut z] = [0.0; 2];
    for corner in corners {
        x += f64::from(corner.x);
        z += f64::from(corner.z);
    }
    dvec2(x * share, z * share)
}

/// Returns the triangle at the middle of each polygon. One polygon of each island is found by a
/// wall that it shares with a triangle; from there it goes straight from middle to edge to middle:
/// no plan position is looked up, so it does not matter what lies above and below.
pub(super) fn find(
    mesh: &NavMesh,
    table: &Table,
    clearance: &ClearanceMesh,
    admitted: &Admitted,
    open: &OpenLinks,
) -> Result<Vec<u32>, NavMeshError> {
    let frame = &mesh.frame;
    let origin = [frame.origin.x, frame.origin.z].map(f64::from);
    let size = f64::from(frame.cell_size);
    // Walls by where they start, in bits: both meshes have the numbers from the same sum.
    let mut walls: Vec<([u64; 2], u32, u32)> = (0..)
        .zip(&table.vertices)
        .filter(|&(half_edge, _)| table.is_wall(half_edge))
        .map(|(half_edge, &vertex)| {
            let at = clearance.vertices[vertex as usize];
            ([at.x.to_bits(), at.z.to_bits()], at.height.to_bits(), half_edge)
        })
        .collect();
    walls.sort_unstable();
    let place = |at: PlanVertex| {
        let key = [f64::from(at.point.x), f64::from(at.point.z)];
        let key = [origin[0] + size * key[0], origin[1] + size * key[1]].map(f64::to_bits);
        let height = frame.origin.y + frame.level_height * at.height;
        (key, height.to_bits())
    };
    let local = |at: PlanPoint| dvec2(f64::from(at.x), f64::from(at.z)) * size;
    let mut seeds = vec![WALL; mesh.polygon_bound()];
    let mut stack = Vec::new();
    for first in mesh.polygon_ids().map(PolyId::index) {
        if seeds[first] != WALL || !admitted.has(to_u32(first)) {
            continue;
        }
        let mut found = None;
        for edge in mesh.edge_range(first).filter(|&edge| admitted.is_wall(mesh.topology.neighbours[edge])) {
            open.walls(mesh, PolyId::from_index(first), edge, |[begin, end]| {
                let along = unit(local(end.point) - local(begin.point));
                let (key, height) = place(begin);
                let from = walls.partition_point(|wall| (wall.0, wall.1) < (key, height));
                let same = walls[from..].iter().take_while(|wall| (wall.0, wall.1) == (key, height));
                let wall = same.map(|wall| wall.2).find(|&wall| {
                    let [a, b] = table.ends(wall);
                    unit(b - a).dot(along) > 1.0 - 1e-6
                });
                found = found.or_else(|| {
                    let [a, b] = table.ends(wall?);
                    Some((wall?, (a + (b - a) * 0.5)))
                });
            });
            if found.is_some() {
                break;
            }
        }
        // A polygon in the middle waits for one at a wall.
        let Some((wall, at)) = found else { continue };
        let polygon = to_u32(first);
        seeds[first] = table.walk(wall / 3, Some(wall), at, middle(mesh, polygon));
        stack.push(polygon);
        while let Some(polygon) = stack.pop() {
            let from = middle(mesh, polygon);
            let edges = mesh.edge_range(polygon as usize);
            let edges = edges.filter(|&edge| !admitted.is_wall(mesh.topology.neighbours[edge]));
            let edges =
                edges.map(|edge| (edge_points(mesh, PolyId(polygon), edge), mesh.topology.neighbours[edge]));
            for (ends, neighbour) in edges.chain(open.beyond(mesh, polygon)) {
                if seeds[neighbour as usize] != WALL {
                    continue;
                }
                let [begin, end] = ends.map(local);
                let portal = begin + (end - begin) * 0.5;
                let there = table.walk(seeds[polygon as usize], None, from, portal);
                let to = middle(mesh, neighbour);
                seeds[neighbour as usize] = table.walk(there, None, portal, to);
                stack.push(neighbour);
            }
        }
    }
    for (polygon, seed) in mesh.polygon_ids().map(|id| (id.index(), seeds[id.index()])) {
        let holds = seed != WALL && table.holds(seed, middle(mesh, to_u32(polygon)), table.slack);
        if !holds && admitted.has(to_u32(polygon)) {
            return Err(NavMeshError::OtherGround { polygon: PolyId::from_index(polygon) });
        }
    }
    Ok(seeds)
}
