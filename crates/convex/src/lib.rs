//! Triangles to few convex polygons.
//!
//! - [`notch_portals`]: the fewest polygons. Portals from notches, then a search with exact
//!   decompositions of patches.
//! - [`merge_greedy`]: a good deal more polygons in a tenth of the time; or Recast's order.
//! - [`hertel_mehlhorn`]: the least work, and a proven bound.
//!
//! All of them decide on integers whether a polygon stays convex. They never add a vertex, so every
//! polygon vertex lies where a polygon vertex lay. Polygons lie in one region and area and share
//! whole edges, also across the border between two regions: each such edge is a portal.
//!
//! ```
//! use waymesh_convex::{NotchPortalsConfig, notch_portals};
//! # use waymesh_core::{GridFrame, Triangulation};
//! # let frame = GridFrame { origin: Default::default(), cell_size: 0.3, level_height: 0.2, width: 1, depth: 1 };
//! # let triangulation = Triangulation { frame, vertices: Vec::new(), triangles: Vec::new() };
//! let polygons = notch_portals(&triangulation, &NotchPortalsConfig::default().with_max_vertices(6))?;
//! assert!(polygons.polygons.iter().all(|polygon| polygon.len <= 6));
//! # Ok::<(), waymesh_convex::ConvexError>(())
//! ```

mod error;
mod exact;
mod faces;
mod greedy;
mod hertel_mehlhorn;
mod improve;
mod measure;
mod notch_portals;
mod portal_mesh;
mod relax;
mod subdivision;
mod window;

pub use error::ConvexError;
pub use greedy::{GreedyConfig, GreedyMerge, MergeOrder, merge_greedy};
pub use hertel_mehlhorn::{HertelMehlhorn, HertelMehlhornConfig, hertel_mehlhorn};
pub use notch_portals::{NotchOrder, NotchPortals, NotchPortalsConfig, notch_portals};
