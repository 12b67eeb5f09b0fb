//! Front ends: each makes [`crate::bake::Ground`] of its input.

#[cfg(feature = "floorplan")]
pub(crate) mod plan;
#[cfg(feature = "slices")]
mod slices;
#[cfg(feature = "storeys")]
mod storeys;
pub(crate) mod voxels;

#[cfg(feature = "floorplan")]
pub use plan::FloorPlans;
#[cfg(feature = "slices")]
pub use slices::Slices;
#[cfg(feature = "storeys")]
pub use storeys::Storeys;
pub use voxels::{ManifestTile, Stages, TileBaker, TileManifest, Voxels, tile_note};
