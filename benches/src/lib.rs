//! Benchmarks of waymesh and other tools: one input, the same settings, one thread, in turns.
//!
//! - [`compare`] times the stages of [`ENGINES`]: ours and, with the feature `peers`, native Recast
//!   and rerecast; [`queries`] the queries of ours, Detour, landmass and polyanya,
//!   and `published`, with the feature `polygon-peers`, the shortest paths of many published maps.
//! - [`evaluate`] judges the meshes of all tools on many levels.
//! - [`convex`] counts the polygons of all convex decompositions, [`triangulate`] times
//!   triangulations as plans grow, [`sources`] and [`storeys`] print the tables of the papers.
//! - [`bakes`] times bakes on one and on several threads, [`crowds`] walks crowds, ours and
//!   others', `gpu`, with the feature `gpu`, compares the graphics card with the processor,
//!   [`soak`] changes worlds for long.
//!
//! The folder `benches` has criterion benches of every stage, of queries and of worlds.

mod bakes;
mod compare;
mod convex;
mod crowds;
#[cfg(feature = "peers")]
mod detour;
mod evaluate;
#[cfg(feature = "gpu")]
mod gpu;
#[cfg(feature = "peers")]
mod landmass;
mod levels;
pub mod measure;
mod ours;
mod plans;
#[cfg(feature = "polygon-peers")]
mod polygon_peers;
#[cfg(feature = "polygon-peers")]
mod published;
pub mod queries;
#[cfg(feature = "peers")]
mod recast;
mod relaxed;
#[cfg(feature = "peers")]
mod rerecast;
mod settings;
mod sight;
mod soak;
mod sources;
mod triangulate;

pub use bakes::{BakesOptions, bakes};
pub use compare::{ENGINES, Engine, PolygonMesh, compare};
pub use convex::convex;
pub use crowds::{CrowdOptions, crowds};
#[cfg(feature = "peers")]
pub use detour::{Detour, OffMesh};
pub use evaluate::{EvaluateOptions, Judged, LevelReport, evaluate, judge};
#[cfg(feature = "gpu")]
pub use gpu::{GpuBenchOptions, gpu};
#[cfg(feature = "peers")]
pub use landmass::Landmass;
pub use levels::{Level, Scene, TOWN, fit};
pub use measure::{Bake, Report};
pub use plans::PlanOptions;
#[cfg(feature = "polygon-peers")]
pub use published::{PublishedOptions, published};
#[cfg(feature = "peers")]
pub use recast::{RecastBake, bake_recast, mesh as recast_mesh};
pub use settings::{OnGrid, Partitioning, Settings, parse_scale};
pub use sight::{FewestPolygons, fewest_polygons};
pub use soak::soak;
pub use sources::{sources, storeys};
pub use triangulate::triangulate;
