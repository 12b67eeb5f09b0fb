//! The navigation mesh at run time, and the queries on it.
//!
//! - [`NavMesh`] is made of a [`waymesh_core::CellMesh`] whose invariants hold, never of any other, and does not change.
//! - It is `Send + Sync`; every query takes `&self`, and what a query writes lives in a scratch that its caller owns
//!   ([`PathScratch`]), so any number of threads share one mesh.
//! - [`NavMesh::nearest`] finds the place on the mesh that is meant by a position; [`NavMesh::find_path`] finds a way.
//! - [`NavMeshData`] is the mesh as plain tables, for files.
//!
//! # Coordinates
//! Positions come and go as world coordinates in metres. Inside, the plan stays in the grid of the bake, where all corners of
//! cells are whole numbers: a position is moved to the nearest point of a lattice of 2^-20 cells (a third of a micrometre in
//! 0.3 m cells), and which side of an edge it lies on is then decided exactly. So a cell that was convex on the grid is convex
//! for every query, however far from the origin the world puts it, and no point of the lattice falls between two neighbours.
//! What is left is the rounding of the world coordinates themselves: [`NavMesh::contains`] and [`NavMesh::nearest`] forgive
//! two units in their last place.
//!
//! ```
//! use glam::Vec3;
//! use waymesh_core::{AreaId, Cell, CellMesh, GridFrame, PlanPoint, PlanVertex, RegionId, VertexId};
//! use waymesh_graph::{NavMesh, Outcome, PathScratch};
//!
//! let frame = GridFrame { origin: Vec3::ZERO, cell_size: 0.5, level_height: 0.2, width: 20, depth: 20 };
//! let corners = [(0, 0), (20, 0), (20, 20), (0, 20)];
//! let mesh = NavMesh::try_from(CellMesh {
//!     frame,
//!     vertices: corners.map(|(x, z)| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }).to_vec(),
//!     cells: vec![Cell { first: 0, len: 4, region: RegionId(0), area: AreaId::GROUND }],
//!     corners: (0..4).map(VertexId).collect(),
//!     neighbours: vec![None; 4],
//! })?;
//! let mut scratch = PathScratch::default();
//! let path = mesh.find_path(Vec3::new(1.0, 0.0, 1.0), Vec3::new(4.0, 0.0, 5.0), &mut scratch)?;
//! assert_eq!(path.outcome, Outcome::Complete);
//! assert!((path.length - 5.0).abs() < 1e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod box_index;
mod bridges;
mod costs;
mod data;
mod error;
mod fans;
mod filter;
mod height;
mod islands;
mod links;
mod mesh;
mod nearest;
mod path;
mod plan;
mod surface;

pub use costs::{AreaCosts, Length, TravelCost};
pub use data::{LinkData, NO_NEIGHBOUR, NavMeshData};
pub use error::{NavMeshError, PathEnd, QueryError};
pub use filter::{AnyCell, AreaFilter, CellFilter, FlagFilter};
pub use islands::{Island, IslandId};
pub use links::{Link, LinkEnd, LinkId, LinkKind};
pub use mesh::{CellBounds, CellView, Generation, NavMesh};
pub use nearest::{Location, Reach};
pub use path::{LinkUse, Outcome, Path, PathOptions, PathScratch};
pub use surface::{PlaceSampler, RayHit, Raycast, SurfaceScratch, Wall, WallPiece};
