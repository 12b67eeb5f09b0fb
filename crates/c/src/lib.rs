//! The C interface of waymesh. The functions are documented in the header, `include/waymesh.h`,
//! which is made from the docs here; `include/waymesh.hpp` is a C++ layer over it.
//!
//! Handles are boxes that C carries as pointers, so that parameters are references and the compiler
//! writes the checks for null. `unsafe` is left where C gives a pointer and a count, or a string:
//! in [`memory`] alone.
#![allow(clippy::needless_pass_by_value, reason = "C passes structures by value")]

mod crowd;
mod links;
mod memory;
mod mesh;
mod query;
mod settings;
mod status;
mod world;

pub use crowd::*;
pub use links::*;
pub use mesh::*;
pub use query::*;
pub use settings::*;
pub use status::*;
pub use world::*;
