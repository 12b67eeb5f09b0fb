//! Links: connections of places that share no edge.

mod climbs;
#[cfg(feature = "floorplan")]
pub(crate) mod doors;
mod jumps;

pub(crate) use climbs::climb_links;
pub use jumps::{JumpConfig, find_jumps};
