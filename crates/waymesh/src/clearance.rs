//! A mesh for agents of any radius.

use waymesh_core::stage::StageError;
use waymesh_core::{PlanPoint, PolyId, PolyMesh, Triangle, TriangleId, Triangulation, VertexId};
use waymesh_graph::{AnyPolygon, ClearanceNavMesh, NavMesh, PolygonFilter};
use waymesh_triangulate::{ClearanceConfig, triangulate_clearance};

use crate::BakeError;

/// Makes a mesh serve agents of every radius from that on for which it was baked: bake for the
/// smallest agent, or for radius 0.
///
/// - Whatever baked the mesh, and whether it was just baked or read from a file: its polygons are
///   cut into triangles and those made a local clearance triangulation. Files hold nothing of it;
///   it is made anew when one is opened.
/// - Takes a few times what [`NavMesh`] itself takes to be made of its polygons: some microseconds
///   for each corner of a wall.
/// - [`ClearanceConfig::max_width`], twice the largest radius, saves triangles; above it clearances
///   may come out too large.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use waymesh::{Agent, BakeConfig, Outcome, Baker, Voxels, QueryScratch, triangulate::ClearanceConfig};
/// use waymesh::graph::ClearPathOptions;
///
/// let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
/// let config = BakeConfig::default().with_agent(Agent::default().with_radius(0.0));
/// let mesh = Baker::new(Voxels, config).bake(&soup)?;
/// let mesh = waymesh::with_clearance(mesh, &ClearanceConfig::default())?;
///
/// let [from, to] = [glam::vec3(5.0, 0.0, 5.0), glam::vec3(20.0, 0.0, 20.0)];
/// let mut scratch = QueryScratch::default();
/// let narrow = mesh.find_path(from, to, &ClearPathOptions::new(0.2), &mut scratch)?;
/// let wide = mesh.find_path(from, to, &ClearPathOptions::new(0.6), &mut scratch)?;
/// assert_eq!([narrow.outcome, wide.outcome], [Outcome::Complete; 2]);
/// assert!(wide.length > narrow.length && wide.clearance > 0.599);
/// # Ok(()) }
/// ```
///
/// # Errors
/// For a bad configuration, and for a mesh that is too large for 32-bit sides of triangles.
pub fn with_clearance(mesh: NavMesh, config: &ClearanceConfig) -> Result<ClearanceNavMesh, BakeError> {
    with_clearance_for(mesh, &AnyPolygon, config)
}

/// The same as [`with_clearance`], but for agents that may use the polygons which a filter allows,
/// and no others: all else is a wall, from which they keep their radius.
///
/// The filter is asked now, once a polygon. For agents of several kinds make one mesh of each kind;
/// a [`NavMesh`] is cloned quickly.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use waymesh::{BakeConfig, Baker, Voxels, triangulate::ClearanceConfig};
/// use waymesh::graph::FlagFilter;
///
/// let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
/// let mesh = Baker::new(Voxels, BakeConfig::default()).bake(&soup)?;
/// // A door that is shut is a polygon with the flag 2.
/// let mut flags = vec![1; mesh.polygon_count()];
/// flags[3] |= 2;
/// let filter = FlagFilter { flags: flags.into(), include: 1, exclude: 2 };
/// let mesh = waymesh::with_clearance_for(mesh, &filter, &ClearanceConfig::default())?;
/// assert!(!mesh.admits(waymesh::PolyId(3)) && mesh.admits(waymesh::PolyId(4)));
/// # Ok(()) }
/// ```
///
/// # Errors
/// See [`with_clearance`].
pub fn with_clearance_for(
    mesh: NavMesh,
    filter: &impl PolygonFilter,
    config: &ClearanceConfig,
) -> Result<ClearanceNavMesh, BakeError> {
    let failed = |error| BakeError::Stage(StageError::new("clearance", error));
    let triangles = triangles_of(&mesh.poly_mesh(), |polygon| filter.allows(&mesh, polygon));
    let clearance = triangulate_clearance(&triangles, config).map_err(failed)?;
    Ok(ClearanceNavMesh::with_filter(mesh, filter, &clearance)?)
}

/// An edge of what is left of a polygon: one of its own, by its corner, or that of a triangle which
/// was cut off.
#[derive(Clone, Copy, Debug)]
enum Edge {
    Own(usize),
    Cut(usize, usize),
}

/// The polygons that are allowed, cut into triangles: off the corners, one by one.
fn triangles_of(polygons: &PolyMesh, allows: impl Fn(PolyId) -> bool) -> Triangulation {
    let mut triangles: Vec<Triangle> = Vec::new();
    // The triangle and side at each edge of each polygon.
    let mut at_edge = vec![(0, 0); polygons.corners.len()];
    let mut ring: Vec<(VertexId, Edge)> = Vec::new();
    for (index, polygon) in polygons.polygons.iter().enumerate() {
        if !allows(PolyId::from_index(index)) {
            continue;
        }
        let range = polygons.corner_range(PolyId::from_index(index));
        ring.clear();
        ring.extend(range.map(|corner| (polygons.corners[corner], Edge::Own(corner))));
        while ring.len() >= 3 {
            let count = ring.len();
            let ear = (0..count).find(|&at| {
                let place = |step: usize| polygons.point(ring[(at + step) % count].0);
                let [before, tip, after] = [place(count - 1), place(0), place(1)];
                let stays = (2..count - 1).any(|step| PlanPoint::orientation(before, after, place(step)) > 0);
                PlanPoint::orientation(before, tip, after) > 0 && (count == 3 || stays)
            });
            // There is one in every polygon that is convex and has an area.
            let Some(tip) = ear else { break };
            let [before, after] = [(tip + count - 1) % count, (tip + 1) % count];
            let triangle = triangles.len();
            let vertices = [before, tip, after].map(|at| ring[at].0);
            let last = if count == 3 { Some(ring[after].1) } else { None };
            let edges = [Some(ring[before].1), Some(ring[tip].1), last];
            triangles.push(Triangle {
                vertices,
                neighbours: [None; 3],
                region: polygon.region,
                area: polygon.area,
            });
            for (side, edge) in edges.into_iter().enumerate() {
                match edge {
                    Some(Edge::Own(corner)) => at_edge[corner] = (triangle, side),
                    Some(Edge::Cut(other, back)) => {
                        triangles[triangle].neighbours[side] = Some(TriangleId::from_index(other));
                        triangles[other].neighbours[back] = Some(TriangleId::from_index(triangle));
                    }
                    None => {}
                }
            }
            ring[before].1 = Edge::Cut(triangle, 2);
            ring.remove(tip);
            if count == 3 {
                break;
            }
        }
    }
    for polygon in (0..polygons.polygons.len()).map(PolyId::from_index).filter(|&polygon| allows(polygon)) {
        let range = polygons.corner_range(polygon);
        for corner in range.clone() {
            let Some(neighbour) = polygons.neighbours[corner].filter(|&polygon| allows(polygon)) else {
                continue;
            };
            let end = if corner + 1 == range.end { range.start } else { corner + 1 };
            let beyond = polygons.corner_range(neighbour);
            let back = beyond.clone().find(|&back| {
                let end_back = if back + 1 == beyond.end { beyond.start } else { back + 1 };
                polygons.neighbours[back] == Some(polygon)
                    && polygons.corners[back] == polygons.corners[end]
                    && polygons.corners[end_back] == polygons.corners[corner]
            });
            if let Some(back) = back {
                let (triangle, side) = at_edge[corner];
                triangles[triangle].neighbours[side] = Some(TriangleId::from_index(at_edge[back].0));
            }
        }
    }
    Triangulation { frame: polygons.frame, vertices: polygons.vertices.clone(), triangles }
}
