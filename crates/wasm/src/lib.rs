//! The npm package `waymesh`: navigation meshes in browsers and in Node.
//!
//! `NavMesh` opens a file and answers queries. With the feature `bake`, `Scene` and `Plan` read
//! levels and bake them, and `World` keeps one that changes. With the feature `crowd`, agents of a
//! `Crowd` walk on either. Positions are arrays of three numbers, lists of positions are
//! `Float32Array`s. What goes wrong is thrown as an `Error` with a sentence.

#![expect(clippy::missing_errors_doc, reason = "users read the types of JavaScript")]

mod convert;
mod discs;
mod error;
mod mesh;
mod path;
mod query;

#[cfg(feature = "bake")]
mod bake;
#[cfg(all(feature = "bake", feature = "crowd"))]
mod corridor;
#[cfg(feature = "crowd")]
mod crowd;
#[cfg(feature = "bake")]
mod draw;
#[cfg(feature = "bake")]
mod evaluate;
#[cfg(feature = "crowd")]
mod ground;
#[cfg(feature = "bake")]
mod scene;
#[cfg(feature = "bake")]
mod settings;
#[cfg(feature = "bake")]
mod settings_file;
#[cfg(feature = "bake")]
mod tiles;
#[cfg(feature = "bake")]
mod why;
#[cfg(feature = "bake")]
mod world;

#[cfg(all(feature = "bake", feature = "crowd"))]
pub use corridor::{Corridor, SlicedPath};
#[cfg(feature = "crowd")]
pub use crowd::Crowd;
pub use mesh::NavMesh;

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

#[cfg(feature = "bake")]
pub use scene::{Plan, Scene};
#[cfg(feature = "bake")]
pub use settings::describe_settings;
#[cfg(feature = "bake")]
pub use settings_file::settings_to_toml;
#[cfg(feature = "bake")]
pub use tiles::TileBaker;
#[cfg(feature = "bake")]
pub use world::World;
