//! Helpers for the tests of the workspace, in addition to the published suites of
//! `waymesh-contract`: boxes, small scenes, levels, maps and floor plans, damaged files, text
//! for snapshots, a count of allocations, and an observer that keeps all reports. Not published.

pub mod allocations;
#[cfg(feature = "chains")]
pub mod boards;
pub mod boxes;
#[cfg(feature = "chains")]
pub mod chains;
pub mod damage;
pub mod flat_meshes;
pub mod grid_maps;
pub mod levels;
pub mod plans;
mod recording;
pub mod small;
#[cfg(feature = "chains")]
mod steepness;
pub mod text;
pub mod wound;

pub use insta;
pub use waymesh_contract as contracts;
pub use waymesh_contract::{fields, hulls, polygons, soups};

pub use recording::Recording;
pub use waymesh_core::Random;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
