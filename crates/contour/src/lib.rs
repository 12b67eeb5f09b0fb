//! Traces the borders of regions and simplifies them to few vertices.
//!
//! 1. [`trace_contours`] walks around every region and cuts its borders into arcs at junctions,
//!    where the region beyond changes. A border between two regions is one arc, used by both. In a
//!    world of tiles, [`trace_window`] does this for one tile, and [`stitch`] joins the borders of
//!    all tiles. The result is identical to the last bit.
//! 2. [`simplify_contours`] simplifies every arc once, then repairs borders that would cross, touch
//!    or collapse.
//!
//! Every arc is simplified once for both its sides, so borders have no cracks and no overlaps.
//! Shortcuts may not pass over a vertex of another border, so the result has the topology of the
//! traced borders (see [`simplify_contours`] for the criterion). All plan geometry is integer
//! arithmetic on grid corners.
//!
//! [`BorderWalk`] and [`DouglasPeucker`] are stages that call these functions.
//!
//! ```
//! use waymesh_contour::{SimplifyConfig, simplify_contours, trace_contours};
//! use waymesh_core::{RegionMap, Validate, WalkableField};
//!
//! # fn bake(field: &WalkableField, regions: &RegionMap) -> Result<(), Box<dyn std::error::Error>> {
//! let raw = trace_contours(field, regions)?;
//! let config = SimplifyConfig::default().with_max_edge_error(0.2);
//! let simple = simplify_contours(&raw, &config, &mut ())?;
//! simple.validate()?;
//! # Ok(())
//! # }
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod bits;
mod border;
mod boxes;
mod chains;
mod conflict;
mod darts;
mod error;
mod fewest;
mod grid;
mod polyline;
mod scan;
mod segment;
mod simplify;
mod stitch;
mod trace;

pub use chains::BorderChains;
pub use error::ContourError;
pub use scan::BorderScan;
pub use simplify::{CornerChoice, DouglasPeucker, SimplifyConfig, simplify_contours};
pub use stitch::stitch;
pub use trace::{BorderWalk, trace_contours, trace_window};
pub use waymesh_core as core;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
