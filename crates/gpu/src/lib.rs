//! Stages of waymesh on the graphics card.

#[cfg(test)]
mod double;

mod context;
mod error;
mod kernels;
mod rasterizer;
mod scan;
mod times;

pub use context::{AdapterReport, GpuContext, GpuOptions};
pub use error::GpuError;
pub use rasterizer::GpuRasterizer;
pub use times::GpuTimes;
