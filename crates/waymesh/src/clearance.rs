//! A mesh for agents of any radius.

use waymesh_core::stage::StageError;
use waymesh_core::{CellId, CellMesh, PlanPoint, Triangle, TriangleId, Triangulation, VertexId};
use waymesh_graph::{AnyCell, CellFilter, ClearanceNavMesh, NavMesh};
use waymesh_triangulate::{ClearanceConfig, triangulate_clearance};

use crate::BakeError;

/// Makes a mesh serve agents of every radius from that on for which it was baked: bake for the smallest agent, or for radius 0.
///
/// - Whatever baked the mesh, and whether it was just baked or read from a file: its cells are cut into triangles and those made a local
///   clearance triangulation. Files hold nothing of it; it is made anew when one is opened.
/// - Takes a few times what [`NavMesh`] itself takes to be made of its cells: some microseconds for each corner of a wall.
/// - [`ClearanceConfig::max_width`], twice the largest radius, saves triangles; above it clearances may come out too large.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use waymesh::{Agent, BakeConfig, ClearanceScratch, Outcome, Pipeline, triangulate::ClearanceConfig};
///
/// let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
/// let config = BakeConfig::default().with_agent(Agent::default().with_radius(0.0));
/// let mesh = Pipeline::new(config).bake(&soup)?;
/// let mesh = waymesh::with_clearance(mesh, &ClearanceConfig::default())?;
///
/// let [from, to] = [glam::vec3(5.0, 0.0, 5.0), glam::vec3(20.0, 0.0, 20.0)];
/// let mut scratch = ClearanceScratch::default();
/// let narrow = mesh.find_path(from, to, 0.2, &mut scratch)?;
/// let wide = mesh.find_path(from, to, 0.6, &mut scratch)?;
/// assert_eq!([narrow.outcome, wide.outcome], [Outcome::Complete; 2]);
/// assert!(wide.length > narrow.length && wide.clearance > 0.599);
/// # Ok(()) }
/// ```
///
/// # Errors
/// For a bad configuration, and for a mesh that is too large for 32-bit sides of triangles.
pub fn with_clearance(mesh: NavMesh, config: &ClearanceConfig) -> Result<ClearanceNavMesh, BakeError> {
    with_clearance_for(mesh, &AnyCell, config)
}

/// Likewise, for agents that may use the cells which a filter allows, and no others: all else is a wall, from which they keep their radius.
///
/// The filter is asked now, once a cell. For agents of several kinds make one mesh of each kind; a [`NavMesh`] is cloned quickly.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use waymesh::{BakeConfig, FlagFilter, Pipeline, triangulate::ClearanceConfig};
///
/// let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
/// let mesh = Pipeline::new(BakeConfig::default()).bake(&soup)?;
/// // A door that is shut is a cell with the flag 2.
/// let mut flags = vec![1; mesh.cell_count()];
/// flags[3] |= 2;
/// let filter = FlagFilter { flags: &flags, include: 1, exclude: 2 };
/// let mesh = waymesh::with_clearance_for(mesh, &filter, &ClearanceConfig::default())?;
/// assert!(!mesh.admits(waymesh::CellId(3)) && mesh.admits(waymesh::CellId(4)));
/// # Ok(()) }
/// ```
///
/// # Errors
/// As [`with_clearance`].
pub fn with_clearance_for(
    mesh: NavMesh,
    filter: &impl CellFilter,
    config: &ClearanceConfig,
) -> Result<ClearanceNavMesh, BakeError> {
    let failed = |error| BakeError::Stage(StageError::new("clearance", error));
    let triangles = triangles_of(&mesh.cell_mesh(), |cell| filter.allows(&mesh, cell));
    let clearance = triangulate_clearance(&triangles, config).map_err(failed)?;
    Ok(ClearanceNavMesh::with_filter(mesh, filter, &clearance)?)
}

/// An edge of what is left of a cell: one of its own, by its corner, or that of a triangle which was cut off.
#[derive(Clone, Copy, Debug)]
enum Edge {
    Own(usize),
    Cut(usize, usize),
}

/// The cells that are allowed, cut into triangles: off the corners, one by one.
fn triangles_of(cells: &CellMesh, allows: impl Fn(CellId) -> bool) -> Triangulation {
    let mut triangles: Vec<Triangle> = Vec::new();
    // The triangle and side at each edge of each cell.
    let mut at_edge = vec![(0, 0); cells.corners.len()];
    let mut ring: Vec<(VertexId, Edge)> = Vec::new();
    for (index, cell) in cells.cells.iter().enumerate() {
        if !allows(CellId::from_index(index)) {
            continue;
        }
        let range = cells.corner_range(CellId::from_index(index));
        ring.clear();
        ring.extend(range.map(|corner| (cells.corners[corner], Edge::Own(corner))));
        while ring.len() >= 3 {
            let count = ring.len();
            let ear = (0..count).find(|&at| {
                let place = |step: usize| cells.point(ring[(at + step) % count].0);
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
                region: cell.region,
                area: cell.area,
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
    for cell in (0..cells.cells.len()).map(CellId::from_index).filter(|&cell| allows(cell)) {
        let range = cells.corner_range(cell);
        for corner in range.clone() {
            let Some(neighbour) = cells.neighbours[corner].filter(|&cell| allows(cell)) else { continue };
            let end = if corner + 1 == range.end { range.start } else { corner + 1 };
            let beyond = cells.corner_range(neighbour);
            let back = beyond.clone().find(|&back| {
                let end_back = if back + 1 == beyond.end { beyond.start } else { back + 1 };
                cells.neighbours[back] == Some(cell)
                    && cells.corners[back] == cells.corners[end]
                    && cells.corners[end_back] == cells.corners[corner]
            });
            if let Some(back) = back {
                let (triangle, side) = at_edge[corner];
                triangles[triangle].neighbours[side] = Some(TriangleId::from_index(at_edge[back].0));
            }
        }
    }
    Triangulation { frame: cells.frame, vertices: cells.vertices.clone(), triangles }
}
