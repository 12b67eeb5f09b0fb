//! Voxelisation and the walkable field: the first two stages of Mononen's pipeline.
//!
//! ```text
//! TriangleSoup --rasterize--> Heightfield --build_filtered_field, erode, marks--> WalkableField
//! ```
//!
//! - [`rasterize`] turns triangles into solid spans, conservatively and independently of their
//!   order.
//! - [`build_filtered_field`] decides by [`Filters`] which spans an agent can stand on, and links
//!   them.
//! - [`erode`] keeps the agent's centre away from walls and drops, exactly.
//! - A [`Mark`] sets the area of the ground in a [`MarkShape`], or cuts it out: a box, a prism, a
//!   cylinder or a [`ClosedMesh`].
//! - [`rasterize_window`] and [`build_window`] do the same for a part of the grid, with
//!   bit-identical results. [`halo_cells`] returns the required number of columns around that part.
//! - [`find_climbs`] finds the ledges that are too high to step onto but low enough to climb.
//! - [`stamp_obstacles`] adds solids to an existing heightfield. [`PackedHeightfield`] and
//!   [`PackedField`] are compact forms for storage.
//! - [`RasterJob`] is the work of the rasteriser with all decisions about triangles made, for a
//!   [`RasterDevice`]; [`FieldJob`] includes the walkable field.
//! - [`Voxelizer`] and [`FieldBuilder`] are the stages of [`waymesh_core::stage`].
//!
//! ```
//! use waymesh_voxel::glam::Vec3;
//! use waymesh_core::{Agent, TriangleSoup};
//! use waymesh_voxel::{Filters, VoxelConfig, build_filtered_field, erode, rasterize};
//!
//! let floor = [[0., 0.], [0., 9.], [9., 9.], [9., 0.]].map(|[x, z]| Vec3::new(x, 0., z));
//! let soup = TriangleSoup::new(floor.to_vec(), vec![[0, 1, 2], [0, 2, 3]])?;
//! let agent = Agent::default();
//! let heightfield = rasterize(&soup, &VoxelConfig::for_agent(&agent), &mut ())?;
//! let mut field = build_filtered_field(&heightfield, &agent, &Filters::default(), &mut ())?;
//! erode(&mut field, agent.radius, &mut ())?;
//! assert!((field.walkable_area() - 7.2 * 7.2).abs() < 1e-3); // a ledge of one cell and the radius of two on each side
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod builder;
mod climbs;
mod closed_mesh;
mod config;
mod device;
mod erosion;
mod error;
mod field_job;
mod filters;
mod fragments;
mod head_rooms;
mod job;
mod ledge_rows;
mod marks;
mod obstacles;
mod packed;
mod prepare;
mod prism;
mod rasterize;
mod rounding;
mod row_links;
mod stages;
mod sweep;
mod triangle;
mod walkable;
mod window;

pub use builder::FieldBuilder;
pub use climbs::{Climb, find_climbs};
pub use closed_mesh::ClosedMesh;
pub use config::VoxelConfig;
pub use device::RasterDevice;
pub use erosion::erode;
pub use error::VoxelError;
pub use field_job::{BuiltField, FieldJob, FieldNumbers};
pub use filters::Filters;
pub use glam;
pub use head_rooms::encode as encode_head_rooms;
pub use job::{JobTriangle, RasterJob};
pub use marks::{Mark, MarkShape};
pub use obstacles::{Obstacle, ObstacleShape, stamp_obstacles};
pub use packed::{PackedField, PackedHeightfield};
pub use rasterize::{rasterize, rasterize_in_frame, rasterize_window};
pub use stages::Voxelizer;
pub use triangle::GridNumbers;
pub use walkable::{FieldCounts, build_filtered_field};
pub use waymesh_core as core;
pub use window::{build_window, build_window_with_climbs, halo_cells};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
