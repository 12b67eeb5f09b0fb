//! Triangles to few convex cells.
//!
//! - [`merge_greedy`]: the fewest cells, or Recast's order.
//! - [`hertel_mehlhorn`]: the least work, and a proven bound.
//!
//! Both remove edges between triangles of one region and area and decide on integers whether a cell stays convex. They never add
//! a vertex, so every cell vertex lies where a polygon vertex lay. Cells share whole edges, also across the border between two
//! regions: each such edge is a portal.
//!
//! ```
//! use waymesh_convex::{GreedyConfig, merge_greedy};
//! # use waymesh_core::{GridFrame, Triangulation};
//! # let frame = GridFrame { origin: Default::default(), cell_size: 0.3, level_height: 0.2, width: 1, depth: 1 };
//! # let triangulation = Triangulation { frame, vertices: Vec::new(), triangles: Vec::new() };
//! let cells = merge_greedy(&triangulation, &GreedyConfig::default().with_max_vertices(6))?;
//! assert!(cells.cells.iter().all(|cell| cell.len <= 6));
//! # Ok::<(), waymesh_convex::ConvexError>(())
//! ```

mod error;
mod faces;
mod greedy;
mod hertel_mehlhorn;

pub use error::ConvexError;
pub use greedy::{GreedyConfig, GreedyMerge, MergeOrder, merge_greedy};
pub use hertel_mehlhorn::{HertelMehlhorn, HertelMehlhornConfig, hertel_mehlhorn};
