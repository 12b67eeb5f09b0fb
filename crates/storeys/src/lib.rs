//! Storeys: coarse layers, fine depth maps, borders between pixels (the ANavMG door).
//!
//! ```text
//! TriangleSoup --voxelize_roughly--> RoughVoxels --flood_layers--> Layers with cutting shapes --refine_window--> SlimWindow + ends
//!                          regions and traced borders of any partition and tracer --place_borders--> ContourSet
//! ```
//!
//! - [`voxelize_roughly`]: one bit per rough voxel for ground, one for all else.
//! - [`flood_layers`]: ordered flooding into layers; [`Layers::keep_connected`] keeps what seeds
//!   reach.
//! - [`refine_window`]: a window at a time, the depth maps of all layers in it, walls and drops
//!   exactly where they cross the lines between pixels, the distance to them, and what is left for
//!   the agent's centre, as a [`SlimWindow`]: a [`waymesh_core::FieldWindow`] in a quarter of the
//!   memory.
//! - [`SlimGround`]: the ground of several windows, for heights.
//! - [`place_borders`]: traced borders moved from the sides of pixels to where the ground ends.
//! - [`keep_islands`]: of the finished cells, those that seeds reach, or the largest island.
//!
//! Everything between is the same as for any other pipeline. Windows know nothing of each other, so
//! they are drawn in parallel and never all in memory.
//!
//! # Where this departs from the thesis
//! - Voxels of a column without room for the agent between them are one [`Floor`]; a layer takes
//!   floors, not voxels. A floor holds all the ground that can be stood on between its lowest voxel
//!   and the cutting shape, so no ground is lost however rough the voxels are, and accessible or
//!   not is decided on the fine pixels. Expansion by obstacle voxels is then part of the flooding.
//! - Three draws of the scene, one along each axis, are one exact clipping.
//! - Faces in the way are not drawn as outlines into pixels, but cut with the lines between the
//!   centres of pixels: the border lies at the cut and not on a pixel. Thin walls are never missed;
//!   posts that no line meets are kept apart.
//! - The agent's radius is an offset of these borders, not an erosion of pixels: the border of the
//!   result is where the exact distance to them is the radius. It needs no union of polygons, and
//!   goes on over the seams of layers.
//! - Meshes of storeys are never merged: seams are traced once for both sides, so there are no
//!   T-joints and no portals to remove. Where a seam runs is up to the partition into regions,
//!   which sees the fine links, and not bound to rough columns.

mod borders;
mod carve;
mod clearance;
mod config;
mod depth;
mod distances;
mod error;
mod ground;
mod islands;
mod layers;
mod refine;
mod rough;
mod slice;
mod slim;
mod walls;

pub use borders::{RegionEnds, border_frame, place_borders};
pub use config::{Keep, StoreysConfig};
pub use error::StoreysError;
pub use ground::SlimGround;
pub use islands::keep_islands;
pub use layers::{ColumnKind, Floor, Layers, flood_layers};
pub use refine::{BORDER_STEPS, Refined, SpanEnds, refine_halo, refine_window};
pub use rough::{RoughVoxels, voxelize_roughly};
pub use slim::{SlimSpans, SlimWindow};
