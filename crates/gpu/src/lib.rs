//! Stages of waymesh on the graphics card, by compute shaders on wgpu. The answer of a card is that
//! of the processor, byte for byte.
//!
//! - [`GpuContext`] opens a card, or an adapter in software.
//! - [`GpuRasterizer`] turns triangles into heightfields, as `waymesh-voxel` does.
//! - [`GpuRough`] makes the rough voxels of storeys, as `waymesh-storeys` does.
//! - [`GpuNotches`] looks from all notches at once, for [`waymesh_convex::find_portals`].
//! - [`GpuDevice`] is both voxelisers for a bake, with the processor to fall back on.
//!
//! No card has been measured yet; see the README.

#[cfg(test)]
mod double;

mod context;
mod device;
mod error;
mod kernels;
mod notches;
mod rasterizer;
mod rough;
mod scan;
mod times;

pub(crate) use kernels::constants;

pub use context::{AdapterReport, GpuContext, GpuOptions};
pub use device::GpuDevice;
pub use error::GpuError;
pub use notches::GpuNotches;
pub use rasterizer::GpuRasterizer;
pub use rough::GpuRough;
pub use times::GpuTimes;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
