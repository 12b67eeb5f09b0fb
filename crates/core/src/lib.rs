//! The data types of waymesh: the input, the data between the stages, and the contract of each
//! stage.
//!
//! ```text
//! TriangleSoup -> Heightfield -> WalkableField -> RegionMap -> ContourSet -> PolygonSet
//!              -> Triangulation -> PolyMesh (+ HeightSurface) -> navigation mesh
//! ```
//!
//! - Every arrow is one trait in [`stage`]. For each of them, a stage crate has a free function and
//!   a small struct.
//! - The types from [`Heightfield`] on implement [`Validate`], which lists broken invariants
//!   instead of panicking. Regions and heights are checked together with their field and their
//!   polygons: [`RegionMap::violations_over`], [`HeightSurface::violations_over`].
//! - World space is metres, y up, right-handed; plan coordinates are `(x, z)`. From the heightfield
//!   to the polygons, everything is in the grid of a [`GridFrame`]: plan points are integers
//!   ([`PlanPoint`]), heights are fractional levels above the frame's origin.
//! - Orientation: a loop is *positive* if its shoelace sum over `(x, z)` is positive. Outer borders
//!   are positive, holes negative, so the walkable side is always where `PlanPoint::orientation(a,
//!   b, inside) > 0`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod agent;
mod areas;
mod assemble;
mod bad_field;
mod bands;
mod bounds;
mod box_tree;
mod buckets;
pub mod bytes;
mod cancel;
mod checksum;
mod clearance;
mod clock;
mod contours;
mod device;
mod field;
pub mod float;
mod grid;
mod head_rooms;
mod heightfield;
mod ids;
pub mod lanes;
mod numbers;
mod observe;
mod outliers;
mod plan;
mod poly_mesh;
mod random;
mod regions;
mod rings;
mod sets;
mod setters;
mod shape;
mod slim;
mod slopes;
mod soup;
mod spans;
pub mod stage;
mod stage_error;
pub mod threads;
mod triangulation;
mod validate;
mod window;

pub use agent::Agent;
pub use areas::{Area, AreaError, AreaTable};
pub use bad_field::BadField;
pub use bands::{row_bands, split_lengths};
pub use bounds::Bounds;
pub use box_tree::{BoxRay, BoxTree};
pub use buckets::Buckets;
pub use cancel::{CancelToken, Cancelled, Entered, checkpoint, checkpoint_every, inherit_token};
pub use checksum::checksum;
pub use clearance::{ClearanceMesh, ClearanceTriangle, ClearanceVertex};
pub use clock::Stopwatch;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use clock::set_clock;
pub use contours::{
    ArcUse, ContourArc, ContourLoop, ContourSet, Polygon, PolygonLoop, PolygonSet, RegionContour,
};
pub use device::{DeviceUsage, DeviceWork};
pub use field::{Direction, NO_SPAN, OPEN_SKY, WalkableField};
pub use glam;
pub use grid::{GridError, GridFrame, GridScale};
pub use head_rooms::HeadRooms;
pub use heightfield::{GROUND_STEPS_PER_LEVEL, Heightfield, Span};
pub use ids::{ArcId, AreaId, PolyId, RegionId, TriangleId, VertexId, to_u32};
pub use numbers::{ByteCount, counted, nearest_f32, rounded, saturating_i32, saturating_i64, saturating_u32};
pub use observe::{Counter, Observer, Warning};
pub use outliers::warn_of_outliers;
pub use plan::{MAX_PLAN_COORDINATE, PlanPoint, PlanVertex};
pub use poly_mesh::{HeightSurface, Poly, PolyMesh, SurfacePoint};
pub use random::{Random, RandomBits};
pub use regions::{NO_REGION, PackedRegions, RegionMap};
pub use rings::RingError;
pub use sets::DisjointSets;
pub use shape::{PlaceEdge, SceneShape, place_edges, warn_of_shape};
pub use slim::SlimSpans;
pub use slopes::SlopeAreas;
pub use soup::{
    AreaVisitor, PlacedTriangles, SkippedTriangles, SoupError, SoupTriangle, TriangleSoup, TriangleSource,
    TriangleVisitor, has_area, triangle_normal,
};
pub use spans::SpanField;
pub use triangulation::{Triangle, Triangulation};
pub use validate::{Validate, Violation, ViolationList, ascends};
pub use window::{BLOCK_CELLS, FieldWindow, GridWindow, LabelledWindow, SpanKey};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
