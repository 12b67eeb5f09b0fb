//! Benchmarks of waymesh: one input, the same settings, one thread, stage by stage.
//!
//! - [`Waymesh`] and, with the feature `peers`, native Recast and rerecast are [`Engine`]s: they bake a [`Scene`] and
//!   tell how long each [`Stage`] took and what came out.
//! - [`compare`] runs engines in turns in one process and takes medians, [`report`] prints them beside each other.

mod compare;
#[cfg(feature = "peers")]
mod detour;
mod engine;
mod judge;
mod ours;
pub mod queries;
#[cfg(feature = "peers")]
mod recast;
pub mod report;
#[cfg(feature = "peers")]
mod rerecast;
mod scene;
mod settings;

pub use compare::{Comparison, Measured, compare};
#[cfg(feature = "peers")]
pub use detour::Detour;
pub use engine::{Bake, BenchError, Clock, Counts, Engine, PolygonMesh, STAGES, Stage, StageTimes, Time};
pub use judge::{Judged, judge, judge_table};
pub use ours::{Waymesh, WaymeshBake, WaymeshQueries, bake_waymesh};
#[cfg(feature = "peers")]
pub use recast::{Recast, RecastBake, bake_recast};
#[cfg(feature = "peers")]
pub use rerecast::Rerecast;
pub use scene::Scene;
pub use settings::{Partitioning, Settings};
