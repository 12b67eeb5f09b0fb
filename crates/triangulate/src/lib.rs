//! Triangulates polygons with holes, exactly.
//!
//! - [`triangulate_cdt`]: constrained Delaunay triangulation, the default. The result is unique: it
//!   depends only on the polygons, not on the order of their vertices or on the algorithm.
//! - [`triangulate_ears`]: ear clipping by shortest diagonal, as in Mononen's slides.
//!
//! - [`refine_triangulation`]: Steiner points along borders, on a grid, and at small angles, added
//!   to either result; [`RefinedDelaunay`] is the stage. It is off by default, because more
//!   vertices give more polygons.
//! - [`repair_polygons`]: repairs borders that cross, touch, double back or nearly meet, within a
//!   stated distance.
//! - [`triangulate_clearance`]: the local clearance triangulation of the ground. It stores the
//!   width of the widest body that can pass through each triangle from side to side. Queries with
//!   any radius use it; it is not decomposed into polygons.
//!
//! The first two accept weakly simple polygons: loops that touch themselves and each other at
//! vertices. They compute in integers, fill the polygons exactly, and find the neighbour of each
//! triangle, also across the border between two regions. Input that breaks the rules of
//! [`waymesh_core::PolygonSet`] gives a [`TriangulateError`] with the position.
//!
//! ```
//! use waymesh_core::{AreaId, GridFrame, PlanPoint, PlanVertex, Polygon, PolygonLoop, PolygonSet, RegionId, VertexId};
//!
//! let corner = |x, z| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 };
//! let polygons = PolygonSet {
//!     frame: GridFrame { origin: Default::default(), cell_size: 0.3, level_height: 0.2, width: 4, depth: 4 },
//!     vertices: vec![corner(0, 0), corner(4, 0), corner(4, 4), corner(0, 4)],
//!     polygons: vec![Polygon {
//!         region: RegionId(0),
//!         area: AreaId::GROUND,
//!         outer: PolygonLoop { vertices: (0..4).map(VertexId).collect(), beyond: vec![None; 4] },
//!         holes: Vec::new(),
//!     }],
//! };
//! let triangulation = waymesh_triangulate::triangulate_cdt(&polygons)?;
//! assert_eq!(triangulation.triangles.len(), 2);
//! # Ok::<(), waymesh_triangulate::TriangulateError>(())
//! ```

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod assemble;
mod bridges;
mod cdt;
mod clearance;
mod crossings;
mod cycles;
mod delaunay;
mod drawing;
mod ears;
mod error;
mod meetings;
mod outline;
mod refine;
mod repair;
mod surface;

pub use cdt::{ConstrainedDelaunay, triangulate_cdt};
pub use clearance::{ClearanceConfig, triangulate_clearance};
pub use ears::{EarClipping, triangulate_ears};
pub use error::TriangulateError;
pub use refine::{RefineConfig, RefineReport, RefinedDelaunay, refine_triangulation};
pub use repair::{RepairConfig, RepairReport, repair_polygons};
pub use waymesh_core as core;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
