//! Front ends: each makes [`crate::Ground`] of its input.

pub(crate) mod plan;
mod slices;
mod storeys;
pub(crate) mod tiles;
mod voxels;

pub use plan::FloorPlans;
pub use slices::Slices;
pub use storeys::Storeys;
pub use tiles::{Tiles, tile_note};
pub use voxels::{Stages, Voxels};
