//! Merges triangles to few convex polygons.
//!
//! - [`notch_portals`]: the fewest polygons. It makes portals at notches, then improves patches by
//!   exact decompositions. [`find_portals`] only makes the portals, and can use a search on another
//!   device.
//! - [`merge_greedy`]: more polygons in a tenth of the time. It can also use the order of Recast,
//!   or that of Hertel and Mehlhorn, which is the fastest.
//!
//! Both test convexity in integers and never add a vertex. A polygon lies in one region and
//! one area. Neighbouring polygons share whole edges, also across the border between two regions:
//! each such edge is a portal.
//!
//! ```
//! use waymesh_convex::{NotchPortalsConfig, notch_portals};
//! # use waymesh_core::{GridFrame, Triangulation};
//! # let frame = GridFrame { origin: Default::default(), cell_size: 0.3, level_height: 0.2, width: 1, depth: 1 };
//! # let triangulation = Triangulation { frame, vertices: Vec::new(), triangles: Vec::new() };
//! let mesh = notch_portals(&triangulation, &NotchPortalsConfig::default().with_max_vertices(6))?;
//! assert!(mesh.polygons.iter().all(|polygon| polygon.len <= 6));
//! # Ok::<(), waymesh_convex::ConvexError>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod error;
mod exact;
mod faces;
mod greedy;
mod improve;
mod measure;
mod notch_portals;
mod notch_search;
mod portal_mesh;
mod regions;
mod relax;
mod subdivision;
mod window;

pub use error::ConvexError;
pub use greedy::{GreedyConfig, GreedyMerge, MergeOrder, merge_greedy};
pub use notch_portals::{NotchPortals, NotchPortalsConfig, find_portals, notch_portals};
pub use notch_search::{
    Closest, EdgeRow, FoundPortals, NotchRow, NotchSearch, NotchTables, Partner, PortalCounts,
};
pub use waymesh_core as core;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
