//! Storeys: coarse layers, fine depth maps, and borders between pixels, after ANavMG and NEOGEN.
//!
//! ```text
//! TriangleSoup --voxelize_roughly--> RoughVoxels --flood_layers--> Layers with cutting shapes --refine_window--> SlimSpans + ends
//!                          regions and traced borders of any partition and tracer --place_borders--> ContourSet
//! ```
//!
//! - [`voxelize_roughly`]: two bits per rough voxel, one for ground and one for everything else. A
//!   [`RoughDevice`] does this on another device.
//! - [`flood_layers`]: ordered flooding into layers. [`Layers::keep_connected`] keeps the floors
//!   that are connected to seeds.
//! - [`refine_window`]: draws the depth maps of all layers in a window. It finds walls and drops
//!   exactly where they cross the lines between pixels, and measures the distance to them. It
//!   returns the ground where the agent's centre may be, as [`SlimSpans`](waymesh_core::SlimSpans).
//!   A [`DepthDevice`] draws on another device.
//! - [`place_borders`]: moves traced borders from the sides of pixels to the ends of the ground.
//!
//! All stages between these are shared with the other pipelines. Windows do not depend on each
//! other, so they can be drawn in parallel and are never in memory all at once.
//!
//! # Differences from the thesis
//! - Voxels of a column without head room for the agent between them are one [`Floor`]. A layer
//!   consists of floors, not of voxels. A floor holds all the ground that can be stood on between
//!   its lowest voxel and the cutting shape. So no ground is lost at any size of the voxels, and
//!   the fine pixels decide what is accessible. The expansion by obstacle voxels is part of the
//!   flooding.
//! - One exact clipping replaces three renderings of the scene, one along each axis.
//! - Obstacles are not drawn as outlines into pixels, but cut with the lines between the centres of
//!   pixels: the border lies at the cut and not on a pixel. Thin walls are never missed; posts that
//!   no line meets are kept in a list.
//! - The agent's radius is an offset of these borders, not an erosion of pixels: the border of the
//!   result is where the exact distance to them is the radius. It needs no union of polygons, and
//!   continues over the seams of layers.
//! - Meshes of storeys are never merged: seams are traced once for both sides, so there are no
//!   T-junctions and no portals to remove. The partition into regions, which uses the fine links,
//!   decides where a seam runs. Seams are not bound to rough columns.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod borders;
mod carve;
mod clearance;
mod config;
mod depth;
mod distances;
mod error;
mod job;
mod layers;
mod links;
mod refine;
mod rough;
mod slice;
mod walls;

pub use borders::{RegionEnds, place_borders};
pub use carve::{BORDER_STEPS, Refined, SpanEnds};
pub use clearance::PlaceEnds;
pub use config::StoreysConfig;
pub use error::StoreysError;
pub use glam;
pub use job::{DepthBlock, DepthDevice, DepthJob, DepthNumbers, DepthSheet, DepthTables, DepthTriangle};
pub use layers::{Floor, Layers, flood_layers};
pub use refine::{refine_halo, refine_window};
pub use rough::{RoughDevice, RoughJob, RoughTriangle, RoughVoxels, voxelize_roughly};
pub use walls::Post;
pub use waymesh_core as core;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
