//! Benchmarks of waymesh: one input, the same settings, one thread, stage by stage.
//!
//! - [`Waymesh`] and, with the feature `peers`, native Recast and rerecast are [`Engine`]s: they
//!   bake a [`Scene`] and report how long each [`Stage`] took and what it made.
//! - [`evaluate`] judges the meshes of all tools on many levels, [`overview`] and [`summary`] print
//!   what was found.
//! - [`convex`] counts the polygons of all convex decompositions, [`triangulate`] times
//!   triangulations
//!   as plans grow.
//! - [`sources`] prints the tables of the papers with our figures.
//! - [`bakes`] times bakes on one and on several threads.
//! - [`crowds`] lets crowds walk, ours and Detour's.
//! - `gpu`, with the feature `gpu`, times the graphics card beside the processor.
//! - [`storeys`] counts the polygons of storeys at several convexity relaxations.
//! - [`compare`] runs engines in turns in one process and takes medians, [`report`] prints them
//!   beside each other.

mod agents;
mod bakes;
mod compare;
mod convex;
mod corridor;
mod crowds;
#[cfg(feature = "peers")]
mod detour;
mod discs;
mod engine;
mod evaluate;
mod flat;
#[cfg(feature = "gpu")]
mod gpu;
mod judge;
#[cfg(feature = "peers")]
mod landmass;
mod levels;
mod open;
mod ours;
mod overview;
mod plans;
#[cfg(feature = "polygon-peers")]
mod polygon_peers;
pub mod queries;
#[cfg(feature = "peers")]
mod recast;
mod relaxed;
pub mod report;
#[cfg(feature = "peers")]
mod rerecast;
mod scene;
mod settings;
mod sight;
mod soak;
mod sources;
mod storeys;
mod streaming;
mod triangulate;
mod worlds;

pub use agents::{AgentTimes, agent_table, measure_agents};
pub use bakes::{BakesOptions, bakes};
pub use compare::{Comparison, Measured, compare};
pub use convex::convex;
pub use corridor::corridor;
pub use crowds::{CrowdOptions, crowds};
#[cfg(feature = "peers")]
pub use detour::{Detour, OffMesh};
pub use discs::discs;
pub use engine::{Bake, BenchError, Clock, Counts, Engine, PolygonMesh, STAGES, Stage, StageTimes, Time};
pub use evaluate::{EvaluateOptions, LevelFacts, LevelReport, evaluate, evaluate_one};
pub use flat::flat_engines;
#[cfg(feature = "gpu")]
pub use gpu::{GpuBenchOptions, gpu};
pub use judge::{Files, Judged, Outcome, judge, tools};
#[cfg(feature = "peers")]
pub use landmass::Landmass;
pub use levels::{Fitted, Level, fit};
pub use open::open;
pub use ours::{RadiusQueries, Waymesh, WaymeshBake, WaymeshQueries, WaymeshSurfaces, bake_waymesh};
pub use overview::{level_table, overview, summary};
pub use plans::PlanOptions;
#[cfg(feature = "peers")]
pub use recast::{Recast, RecastBake, bake_recast, bake_recast_tiles, rasterize_recast};
#[cfg(feature = "peers")]
pub use rerecast::{Rerecast, RerecastBake, bake_rerecast};
pub use scene::{Scene, TOWN};
pub use settings::{Partitioning, Settings, parse_scale};
pub use sight::{FewestPolygons, fewest_polygons};
pub use soak::{soak, soak_walk};
pub use sources::sources;
pub use storeys::storeys;
pub use streaming::streaming;
pub use triangulate::triangulate;
pub use worlds::worlds;
