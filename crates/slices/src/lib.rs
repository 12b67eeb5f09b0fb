//! Worlds as flat slices: the tiled pipeline of Saupin and Le Garrec.
//!
//! ```text
//! TriangleSoup --tiles--> spans --segment--> pieces of one level --corner points, merge--> regions --even-odd--> ContourSet + links
//! ```
//!
//! [`slice_world`] runs all of these steps. Every region is flat: a slope becomes one region per
//! level, and a stair one region per tread. With [`SlicesConfig::max_height_error_levels`], slices
//! that form one slope become one region with an inclined plane. Ground of several areas is divided
//! where the area changes; [`slice_marked_world`] gives areas by volumes. Links and shared borders
//! connect the regions between which an agent can step. The contours pass through the same
//! simplification, triangulation and convex partition as those of any other pipeline. The steps of
//! the paper that can be taken alone are [`segment`] (Algorithms 1, 2), [`corner_points`] and
//! [`classify_corners`] (section 4.1), [`connect_corners`] (Algorithms 3, 4, 5 and 7).
//!
//! ```
//! use waymesh_slices::glam::Vec3;
//! use waymesh_core::{TriangleSoup, Validate};
//! use waymesh_slices::{SliceLinkKind, SlicesConfig, slice_world};
//!
//! // Two treads, 0.2 m apart in height.
//! let tread = |z: f32, y: f32| [(0., 0.), (0., 0.3), (1., 0.3), (1., 0.)].map(|(x, dz)| Vec3::new(x, y, z + dz));
//! let positions = [tread(0., 0.), tread(0.3, 0.2)].concat();
//! let soup = TriangleSoup::new(positions, vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]])?;
//! let slices = slice_world(&soup, &SlicesConfig::default(), &mut ())?;
//! slices.validate()?;
//! assert_eq!(slices.regions.len(), 2);
//! assert_eq!((slices.links[0].kind, slices.links[0].rise_levels), (SliceLinkKind::Stair, 10));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Differences from the paper
//! - Steep triangles that are higher than a step are obstacles; the paper drops all steep triangles
//!   ([`SlicesConfig::steep_blocks`]).
//! - Ground has areas, and a region is of one area.
//! - Regions are connected through sides of cells, because no agent gets through a corner, and
//!   because Algorithm 7 cannot handle a region with several outer contours. The paper's region,
//!   which is connected through corners as well, is [`SliceRegion::slice`].
//! - Tiles are merged where their spans touch. The paper merges them by false corners, which do not
//!   always exist (see the notes in the source, `merge.rs`).
//! - Contours are connected once, after the merge.
//! - Regions are linked where their borders overlap by any length; the paper requires edges with
//!   equal ends. A step needs head room, and a gap must be free of obstacles.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod assemble;
mod bins;
mod config;
mod corners;
mod error;
mod facing;
mod links;
mod merge;
mod outline;
mod paint;
mod plane;
mod raster;
mod scene;
mod segment;
mod slabs;
mod slice;
mod slopes;
mod spans;
mod tile;

pub use config::SlicesConfig;
pub use corners::{BorderClass, Corner, CornerKind, classify_corners, corner_points};
pub use error::SlicesError;
pub use glam;
pub use links::{LinkPlace, SliceLink, SliceLinkKind};
pub use merge::SliceRegion;
pub use outline::{Outline, OutlineScratch, connect_corners};
pub use plane::Plane;
pub use scene::MarkSpans;
pub use segment::{CoreRect, NO_LABEL, Neighbourhood, Segmentation, segment};
pub use slice::{Slices, slice_marked_world, slice_world};
pub use spans::SpanGrid;
pub use waymesh_core as core;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
