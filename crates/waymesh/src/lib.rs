//! waymesh turns any triangle soup, or any floor plan, into a navigation mesh and answers path
//! queries on it.
//!
//! ```no_run
//! use waymesh::glam::vec3;
//! use waymesh::Baker;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let level = waymesh::io::load("level.glb")?;
//! let mesh = Baker::voxels().agent_radius(0.4).cell_size(0.2).bake(&level)?;
//! waymesh::io::save(&mesh, "level.wmesh")?;
//!
//! let (from, to) = (vec3(1.0, 0.0, 1.0), vec3(20.0, 3.0, 12.0));
//! let path = mesh.path(from, to)?;
//! println!("{:.1} m over {:?}", path.length, path.points);
//! # Ok(()) }
//! ```
//!
//! Lengths are in metres, angles in radians, y points up and the system is right-handed. The same
//! input and settings give the same bytes, whatever the number of threads and the order of the
//! triangles. A [`Query`] borrows the mesh and owns its memory: threads share a mesh freely.
//!
//! | to do this | use this |
//! |---|---|
//! | bake a level, of any size | [`Baker::voxels`] |
//! | bake a world on many machines | [`Baker::bake_share`], [`Baker::merge_tiles`], [`Baker::apart`] |
//! | put borders where walls are, not on a grid | [`Baker::storeys`] |
//! | have every stair and level by itself | [`Baker::slices`] |
//! | bake a floor plan: a building, a robot's map | [`Baker::plans`] |
//! | set the agent, the grid, regions, polygons, threads, memory | the methods of [`Baker`], or a [`BakeConfig`] |
//! | keep only the ground that can be reached | [`Keep`] |
//! | replace a stage, or write a front end | the `with_*` of [`Baker`], [`bake::FrontEnd`] |
//! | know why a place is not walkable, or two are not joined | [`Baker::explain`], [`why`] |
//! | see progress, figures and warnings | [`Baker::bake_observed`], [`Observer`], [`Report`] |
//! | load levels and save meshes | [`io`] |
//! | read settings by name, from a file, a page or another language | [`fields`] |
//! | change a level while agents walk | [`World`], [`PlanWorld`]; on a separate thread [`WorldWorker`] |
//! | stream a large world around a player | [`World::write_tiles`], [`World::open`], [`World::load_tile`]; from an archive [`World::from_manifest`] |
//! | find a path, the shortest, with filters and costs | [`NavMesh::path`], [`NavMesh::query`] |
//! | follow a path while things move | [`PathCorridor`] |
//! | find paths on very large meshes | [`Hierarchy`], the search of a query |
//! | find what is near, rays, walls, random places | the methods of [`Query`] |
//! | have agents of any radius on one mesh | [`with_clearance`] |
//! | link ledges, jumps and drops | [`BakeConfig::max_ledge`], [`BakeConfig::jumps`], [`find_jumps`] |
//! | add links of your own, open and close doors | [`NavMesh::with_links`], [`NavMesh::set_link_open`], [`Link`] |
//! | answer queries in a game without a baker | the crate [`graph`] alone |
//! | take one stage alone | [`voxel`], [`region`], [`contour`], [`triangulate`], [`convex`], [`detail`], [`slices`], [`storeys`] |
//!
//! Data that passes between stages is in [`core`], everything about queries in [`graph`]. Two
//! stages alone, a polygon with a hole in convex pieces:
//!
//! ```
//! use waymesh::{convex::notch_portals, core::PolygonSet, triangulate::triangulate_cdt};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let outer = vec![[0.0, 0.0], [8.0, 0.0], [8.0, 6.0], [0.0, 6.0]];
//! let hole = vec![[3.0, 2.0], [5.0, 2.0], [5.0, 4.0], [3.0, 4.0]];
//! let polygons = PolygonSet::from_rings(&[outer, hole], 0.01)?;
//! let pieces = notch_portals(&triangulate_cdt(&polygons)?, &Default::default())?;
//! assert_eq!(pieces.polygons.len(), 4);
//! # Ok(()) }
//! ```
//!
//! # Features
//! All but `dxf`, `serde` and `mint` are on by default. Without a feature, its dependencies are not
//! built.
//!
//! | feature | what it adds |
//! |---|---|
//! | `storeys`, `slices`, `floorplan` | the front ends of these names; [`World`] and tiles need none |
//! | `gltf`, `ply` | readers of scenes; OBJ and STL are always read |
//! | `json` | meshes as JSON and GLB |
//! | `serde` | ids, settings, marks, links and paths to and from any format of serde |
//! | `mint` | vectors of other libraries: `Vec3::from(at)` |
//! | `geojson`, `map`, `osm`, `svg`, `toml`, `wkt`, `dxf` | readers of floor plans, with `floorplan` |

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod bake;
mod clearance;
pub mod fields;
pub mod front;
mod links;
pub mod why;
mod world;

pub use bake::{
    Bake, BakeConfig, BakeError, Baker, CornerChoice, DecompositionKind, Enclosed, Keep, PartitionKind,
    Report,
};
pub use clearance::{with_clearance, with_clearance_for};
#[cfg(feature = "floorplan")]
pub use front::FloorPlans;
#[cfg(feature = "slices")]
pub use front::Slices;
#[cfg(feature = "storeys")]
pub use front::Storeys;
pub use front::Voxels;
pub use links::{JumpConfig, find_jumps};
#[cfg(feature = "floorplan")]
pub use world::PlanWorld;
pub use world::{
    MarkId, MeshHandle, ObstacleId, Reply, WorkerConfig, WorkerError, World, WorldMemory, WorldUpdate,
    WorldWorker,
};

pub use glam;
pub use waymesh_core::{
    Agent, Area, AreaId, AreaTable, BadField, Bounds, CancelToken, Cancelled, GridScale, Observer, PolyId,
    Random, TriangleSoup, TriangleSource, Warning,
};
#[cfg(feature = "floorplan")]
pub use waymesh_floorplan as floorplan;
pub use waymesh_graph::{
    AnyPolygon, AreaCosts, AreaFilter, ClearanceNavMesh, CorridorOptions, FilterFn, HeadRoomFilter,
    Hierarchy, Link, LinkChoice, LinkFilterFn, LinkId, LinkKind, MeshFormat, MeshSource, NavMesh,
    NavMeshError, Outcome, Path, PathCorridor, PathOptions, PathSearch, Place, PlaceSampler, PolygonFilter,
    Query, QueryError, QueryScratch, Reach,
};
#[cfg(feature = "slices")]
pub use waymesh_slices as slices;
#[cfg(feature = "storeys")]
pub use waymesh_storeys as storeys;
pub use waymesh_voxel::{Mark, MarkShape, Obstacle};
pub use {
    waymesh_contour as contour, waymesh_convex as convex, waymesh_core as core, waymesh_detail as detail,
    waymesh_graph as graph, waymesh_io as io, waymesh_region as region, waymesh_solid as solid,
    waymesh_tile as tile, waymesh_triangulate as triangulate, waymesh_voxel as voxel,
};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
