//! The module of the npm package.
//!
//! Link-time optimisation works at the level of the last crate. Where that is compiled for size, it
//! makes vectors of no loop in any crate. So the classes for JavaScript, which are to be small, are
//! not the last crate: this one is, and adds nothing.

pub use waymesh_wasm::*;
