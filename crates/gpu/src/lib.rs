//! Stages of waymesh on the graphics card, by compute shaders on wgpu. The result of a card is that
//! of the processor, byte for byte.
//!
//! - [`GpuContext`] opens a card, or an adapter in software.
//! - [`GpuRasterizer`] turns triangles into heightfields, as `waymesh-voxel` does.
//! - [`GpuRough`] makes the rough voxels of storeys, as `waymesh-storeys` does.
//! - [`GpuDepth`] draws the depth maps of storeys, as `waymesh-storeys` does.
//! - [`GpuNotches`] searches from all notches at once, for [`waymesh_convex::find_portals`].
//! - [`GpuDevice`] combines all of these except the notches for a bake, with the processor as
//!   fallback.
//!
//! ```no_run
//! # fn voxels(soup: &waymesh_core::TriangleSoup) -> Result<(), waymesh_gpu::GpuError> {
//! use waymesh_gpu::{GpuContext, GpuOptions, GpuRasterizer};
//! use waymesh_voxel::{RasterJob, VoxelConfig};
//!
//! let context = GpuContext::new(&GpuOptions::default())?;
//! let rasterizer = GpuRasterizer::new(&context)?;
//! let (heightfield, times) = rasterizer.run(&RasterJob::of_soup(soup, &VoxelConfig::default(), &mut ())?)?;
//! # Ok(()) }
//! ```
//!
//! No card has been measured yet; see the README.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod batch;
mod context;
mod depth;
mod device;
mod error;
mod kernels;
mod notches;
mod raster;
mod rough;
mod scan;
mod tables;
#[cfg(test)]
mod tests;
mod times;

pub(crate) use kernels::constants;

pub use context::{AdapterReport, GpuContext, GpuOptions};
pub use depth::GpuDepth;
pub use device::GpuDevice;
pub use error::GpuError;
pub use notches::GpuNotches;
pub use raster::GpuRasterizer;
pub use rough::GpuRough;
pub use times::{GpuTimes, ShaderTimes};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
