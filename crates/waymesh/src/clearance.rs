//! A mesh for agents of any radius.

use waymesh_core::stage::StageError;
use waymesh_graph::{AnyPolygon, ClearanceNavMesh, NavMesh, PolygonFilter};
use waymesh_triangulate::{ClearanceConfig, triangulate_clearance};

use crate::BakeError;

/// Makes a mesh serve agents of every radius from that on for which it was baked: bake for the
/// smallest agent, or for radius 0.
///
/// - Links that are crossed like an edge both ways, such as doors and steps between slices, are
///   open ground: discs pass them wherever the walls around leave room.
/// - It works for meshes of every baker and from files: the polygons are cut into triangles, which
///   become a local clearance triangulation. Files do not contain it; it is computed after opening.
/// - It takes a few times as long as making the [`NavMesh`] from its polygons: some microseconds
///   for each corner of a wall.
/// - [`ClearanceConfig::max_width`], twice the largest radius, saves triangles; above it clearances
///   may come out too large.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use waymesh::{Agent, BakeConfig, Baker, triangulate::ClearanceConfig};
///
/// let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
/// let config = BakeConfig::default().with_agent(Agent::default().with_radius(0.0));
/// let mesh = Baker::voxels().with_config(config).bake(&soup)?;
/// let mesh = waymesh::with_clearance(mesh, &ClearanceConfig::default())?;
///
/// let [from, to] = [glam::vec3(5.0, 0.0, 5.0), glam::vec3(20.0, 0.0, 20.0)];
/// let narrow = mesh.query(0.2).path(from, to)?;
/// let wide = mesh.query(0.6).path(from, to)?;
/// assert!(wide.length > narrow.length && wide.clearance > 0.599);
/// # Ok(()) }
/// ```
///
/// # Errors
/// For a bad configuration, and for a mesh that is too large for 32-bit sides of triangles.
pub fn with_clearance(mesh: NavMesh, config: &ClearanceConfig) -> Result<ClearanceNavMesh, BakeError> {
    with_clearance_for(mesh, &AnyPolygon, config)
}

/// Adds clearance as [`with_clearance`] does, for agents that may use only the polygons that a
/// filter allows: all others are walls, from which the agents keep their radius.
///
/// The filter is called once per polygon, now. For agents of several kinds make one mesh of each
/// kind; a [`NavMesh`] is cloned quickly.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use waymesh::{BakeConfig, Baker, Voxels, triangulate::ClearanceConfig};
/// use waymesh::graph::FlagFilter;
///
/// let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
/// let mesh = Baker::voxels().bake(&soup)?;
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
    let clearance = triangulate_clearance(&mesh.ground_triangles(filter), config).map_err(failed)?;
    Ok(ClearanceNavMesh::with_filter(mesh, filter, &clearance)?)
}
