//! What the tests of all crates share: fields and polygons to work on, and one contract suite per
//! stage trait.
//!
//! Everything here is slow and obvious on purpose, and shares no code with the stages it judges.

pub mod contracts;
pub mod fields;
pub mod flat_meshes;
pub mod grid_maps;
pub mod hulls;
pub mod levels;
pub mod plans;
pub mod polygons;
pub mod soups;
pub mod text;

pub use waymesh_core::Random;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
