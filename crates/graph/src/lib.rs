//! The navigation mesh at run time, and the queries on it.
//!
//! - [`NavMesh`] is made of a [`waymesh_core::PolyMesh`] whose invariants hold. Its polygons never
//!   change; links can be added and removed.
//! - It is `Send + Sync`. Every query takes `&self`, so any number of threads share one mesh.
//! - [`NavMesh::path`] finds a path. [`NavMesh::query`] makes a [`Query`], which has settings
//!   (filter, costs, shortest or fast, partial paths) and owns its memory: paths, distances, rays,
//!   moves along walls, walls near by, random places, distance maps. [`NavMesh::nearest`] finds the
//!   place on the mesh that is nearest to a position.
//! - Without settings: [`NavMesh::ground_under`], [`NavMesh::polygons_in_box`],
//!   [`NavMesh::polygons_in_circle`].
//! - A mesh that changes while it is queried (links are added and removed, tiles are rebuilt) is
//!   kept in a `RwLock<Arc<NavMesh>>`. A thread that queries clones the `Arc` and works with that
//!   mesh. The thread that changes the mesh clones it, changes the clone and replaces the `Arc`. No
//!   query waits for a change, and no result mixes two meshes.
//! - [`ClearanceNavMesh`] serves agents of every radius on one mesh: it finds where a disc fits,
//!   and its shortest path.
//! - For agents: [`PathCorridor`] is a path that follows a moving agent and goal and is repaired
//!   where the mesh changed; [`SlicedPath`] searches with a budget per call;
//!   [`Query::paths`] finds many paths on all threads; [`Query::offset_corners`] moves
//!   corners away from walls; [`Hierarchy`] searches clusters of polygons on large meshes,
//!   [`RelaxedPolygons`] nearly convex ones. The docs of each show it.
//! - Filters ([`PolygonFilter`]) say which polygons a query may use, costs ([`TravelCost`]) what a
//!   path costs. Both are resolved at compile time: without them a query does no work for them.
//!   [`FlagTable`] keeps flags that change while corridors and crowds use them.
//! - [`NavMesh::from_bytes`] and [`NavMesh::to_bytes`] read and write files of both
//!   [`MeshFormat`]s, `.wmesh` and `.wmrun`.
//! - [`NavMeshData`] is the mesh as plain tables, for other formats; [`NavMesh::to_packed`] gives
//!   bytes that are the mesh: [`NavMesh::from_packed_shared`] opens them where they lie, checked as
//!   far as [`PackedChecks`] says.
//!
//! # Coordinates
//! Positions are passed and returned as world coordinates in metres. Internally the plan stays in
//! the grid of the bake, where all corners of polygons are whole numbers: a position is moved to
//! the nearest point of a lattice of 2^-20 cells (a third of a micrometre in 0.3 m cells), and
//! which side of an edge it lies on is then decided exactly. So a polygon that was convex on the
//! grid is convex for every query, however far from the origin the world puts it, and no point of
//! the lattice falls between two neighbours. What is left is the rounding of the world coordinates
//! themselves: [`NavMesh::contains`] and [`NavMesh::nearest`] tolerate two units in their last
//! place.
//!
//! ```
//! use waymesh_graph::glam::Vec3;
//! use waymesh_core::{AreaId, Poly, PolyMesh, GridFrame, PlanPoint, PlanVertex, RegionId, VertexId};
//! use waymesh_graph::NavMesh;
//!
//! let frame = GridFrame { origin: Vec3::ZERO, cell_size: 0.5, level_height: 0.2, width: 20, depth: 20 };
//! let corners = [(0, 0), (20, 0), (20, 20), (0, 20)];
//! let mesh = NavMesh::try_from(PolyMesh {
//!     frame,
//!     vertices: corners.map(|(x, z)| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }).to_vec(),
//!     polygons: vec![Poly { first: 0, len: 4, region: RegionId(0), area: AreaId::GROUND }],
//!     corners: (0..4).map(VertexId).collect(),
//!     neighbours: vec![None; 4],
//! })?;
//! let path = mesh.path(Vec3::new(1.0, 0.0, 1.0), Vec3::new(4.0, 0.0, 5.0))?;
//! assert!((path.length - 5.0).abs() < 1e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Every query
//! On three rooms round a block of wall, in cells of a metre:
//!
//! ```
//! use waymesh_graph::glam::Vec3;
//! use waymesh_core::{
//!     AreaId, Poly, PolyId, PolyMesh, GridFrame, PlanPoint, PlanVertex, Random, RegionId, VertexId,
//! };
//! use waymesh_graph::{
//!     AnyPolygon, AreaCosts, AreaFilter, FlagFilter, FlagTable, Link, LinkEnd, LinkKind, NavMesh, PackedChecks,
//!     QueryError, Reach,
//! };
//!
//! # let points = [(0, 0), (10, 0), (20, 0), (20, 10), (10, 10), (10, 20), (0, 20), (0, 10)];
//! # let polygon = |first: u32, area: u8| Poly { first, len: 4, region: RegionId(0), area: AreaId(area) };
//! # let polygons = PolyMesh {
//! #     frame: GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 1.0, width: 20, depth: 20 },
//! #     vertices: points.map(|(x, z)| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }).to_vec(),
//! #     polygons: vec![polygon(0, 63), polygon(4, 63), polygon(8, 2)],
//! #     corners: [0, 1, 4, 7, 1, 2, 3, 4, 7, 4, 5, 6].map(VertexId).to_vec(),
//! #     neighbours: [None, Some(1), Some(2), None, None, None, None, Some(0), Some(0), None, None, None]
//! #         .map(|polygon| polygon.map(PolyId)).to_vec(),
//! # };
//! // A corner of rooms: x to 20, z to 20, without the quarter beyond (10, 10). The last room is mud, area 2.
//! let mut mesh = NavMesh::try_from(polygons)?;
//! let (east, south) = (Vec3::new(18.0, 0.0, 9.0), Vec3::new(9.0, 0.0, 18.0));
//!
//! // The place that is meant, the ground straight below, all polygons around.
//! let place = mesh.nearest(east, &Reach::new(1.0, 2.0, 2.0)).expect("on the mesh");
//! assert_eq!(mesh.ground_under(east + Vec3::Y, 0.0, 2.0, &AnyPolygon), Some(place));
//! let mut around = Vec::new();
//! mesh.polygons_in_box(Vec3::ZERO, Vec3::new(9.0, 1.0, 9.0), &AnyPolygon, &mut around);
//! assert_eq!(around, [PolyId(0)]);
//! mesh.polygons_in_circle(Vec3::new(10.0, 0.0, 10.0), &Reach::new(1.0, 1.0, 1.0), &AnyPolygon, &mut around);
//! assert_eq!(around.len(), 3);
//!
//! // The shortest path, round the corner of the wall; its cost with mud; none where mud is closed.
//! let mut query = mesh.query().shortest();
//! let path = query.path(east, south)?;
//! assert_eq!(path.points, [east, Vec3::new(10.0, 0.0, 10.0), south]);
//! let mud = AreaCosts::default().with(AreaId(2), 3.0);
//! assert!(mesh.query().costs(&mud).path(east, south)?.cost > path.length);
//! let dry = AreaFilter::default().without(AreaId(2));
//! let closed = mesh.query().filter(dry).path(east, south);
//! assert!(matches!(closed, Err(QueryError::NoMeshNear { is_closed: true, .. })));
//! let doors = FlagFilter { flags: FlagTable::from(vec![1; 3]), include: 1, exclude: 2 };
//! assert_eq!(mesh.query().filter(&doors).path(east, south)?.polygons.len(), 3);
//!
//! // Straight ahead, in sight, sliding along the wall, the wall itself.
//! let ray = query.ray(place, Vec3::new(18.0, 0.0, 14.0))?;
//! assert!(ray.hit.is_some() && (ray.fraction - 0.2).abs() < 1e-6);
//! assert!(!query.sees(place, south)?);
//! let end = query.walk(place, Vec3::new(17.0, 0.0, 11.0))?;
//! assert_eq!(end.position, Vec3::new(17.0, 0.0, 10.0));
//! let wall = query.wall(place, 5.0)?.expect("a wall near by");
//! assert!((wall.distance - 1.0).abs() < 1e-6);
//! let mut walls = Vec::new();
//! query.walls(place, 3.0, &mut walls)?;
//! assert_eq!(walls.len(), 2);
//!
//! // Random places; what is near; the paths of many agents to one goal.
//! let mut random = Random::new(7);
//! assert!(mesh.query().filter(&dry).sampler().sample(&mesh, &mut random)?.is_some());
//! let near = query.random_around(place, 2.0, &mut random)?;
//! assert!(near.position.distance(east) <= 2.001);
//! let mut reached = Vec::new();
//! query.polygons_within(place, 8.02, &mut reached)?;
//! assert_eq!(reached.len(), 2);
//! let map = query.distance_map(place, f32::INFINITY)?;
//! let way = map.heading(&mesh, &query.nearest(south)?)?.expect("a way");
//! assert!((way.distance - path.length).abs() < 1e-4);
//! assert_eq!(way.next, Vec3::new(10.0, 0.0, 10.0));
//!
//! // As bytes, and back.
//! assert_eq!(NavMesh::from_packed_shared(mesh.to_packed(true), PackedChecks::All)?, mesh);
//!
//! // A link that comes and goes.
//! let end = |polygon, x, z| {
//!     let end = PlanVertex { point: PlanPoint::new(x, z), height: 0.0 };
//!     LinkEnd { polygon: PolyId(polygon), ends: [end; 2] }
//! };
//! let jump = mesh.add_link(Link::new(end(1, 18, 10), end(2, 10, 18), LinkKind::User))?;
//! assert_eq!(mesh.query().shortest().path(east, south)?.links[0].link, jump);
//! assert!(mesh.remove_link(jump).is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod clearance;
mod corridor;
mod geometry;
mod hierarchy;
mod locate;
mod marks;
mod mesh;
mod oracle;
mod path;
mod query;
mod scratch;
mod source;
mod surface;

pub use clearance::{ClearPathOptions, ClearPlace, ClearanceNavMesh};
pub use corridor::{CorridorChange, CorridorOptions, PathCorridor, ReplanReason};
pub use glam;
pub use hierarchy::{Hierarchy, HierarchyConfig, HierarchyFigures, HierarchyUse};
pub use locate::error::{NoPath, PathEnd, QueryError};
pub use locate::nearest::{Location, Place};
pub use locate::reach::Reach;
pub use mesh::bounds::{NO_NEIGHBOUR, PolygonBounds};
pub use mesh::costs::{AreaCosts, Length, TravelCost};
pub use mesh::data::{LinkData, NavMeshData};
pub use mesh::error::NavMeshError;
pub use mesh::filter::{
    AnyPolygon, AreaFilter, FilterFn, FlagFilter, FlagTable, HeadRoomFilter, LinkFilterFn, PolygonFilter,
};
pub use mesh::format::MeshFormat;
pub use mesh::height_tables::SurfaceView;
pub use mesh::islands::{Island, IslandId};
pub use mesh::link::{Link, LinkChoice, LinkEnd, LinkId, LinkKind, UnknownLinks};
pub use mesh::nav_mesh::{Generation, NavMesh};
pub use mesh::oracle::PathOracle;
pub use mesh::packed::PackedChecks;
pub use mesh::polygon::{IslandBall, PolygonView};
#[cfg(feature = "tiles")]
pub use mesh::tiles::{
    Changed, JoinedTiles, LinkOrder, MeshTile, TileChange, TileGrid, TileLink, TiledMesh, VertexOrder,
};
pub use mesh::tiles::{CompactMesh, TileKey, TilePolygon};
pub use oracle::OracleFigures;
pub use path::{DistanceMap, Heading, LinkUse, Outcome, Path, PathOptions, PathSearch, RelaxedPolygons};
pub use query::{ClearQuery, PathSearcher, Query, SlicedPath};
pub use scratch::QueryScratch;
pub use source::MeshSource;
pub use surface::{PlaceSampler, PlanView, RayHit, Raycast, Wall, WallPiece};
pub use waymesh_core as core;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
