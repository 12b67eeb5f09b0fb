//! Contours of regions.

mod contract;
mod maps;
mod properties;
mod snapshots;
mod stitching;
mod threads;
