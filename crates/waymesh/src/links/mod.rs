//! Links: connections of places that share no edge.

pub(crate) mod climbs;
#[cfg(feature = "floorplan")]
pub(crate) mod doors;
pub(crate) mod jumps;

pub(crate) use climbs::climb_links;
pub use jumps::{JumpConfig, find_jumps};
