//! waymesh turns any triangle soup into a navigation mesh and answers path queries on it.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (from, to) = (glam::Vec3::ZERO, glam::Vec3::ONE);
//! let soup = waymesh::io::load("level.glb")?;
//! let mesh = waymesh::Pipeline::default().bake(&soup)?;
//! let mut scratch = waymesh::PathScratch::default();
//! let path = mesh.find_path(from, to, &mut scratch)?;
//! # Ok(()) }
//! ```
//!
//! Each stage is also a crate of its own and a free function, re-exported here: [`voxel`], [`region`], [`contour`],
//! [`triangulate`], [`convex`], [`detail`], [`floorplan`], [`tile`], [`graph`], [`io`]. A [`Pipeline`] takes any implementation of a [`stage`] trait in
//! place of its own.

mod clearance;
mod config;
mod pipeline;
mod plan;
mod report;
mod roots;
mod slices;
mod steps;
mod storeys;
mod tiled;
mod world;

pub use clearance::with_clearance;
pub use config::{BakeConfig, ConfigError, DecompositionKind, PartitionKind};
pub use pipeline::{Bake, BakeError, Pipeline, Stages};
pub use plan::PlanWorld;
pub use report::{GridReport, IslandReport, PlanReport, Report, StageTime};
pub use slices::SlicesOptions;
pub use storeys::{Keep, StoreysOptions};
pub use tiled::{TileConfig, tile_note};
pub use world::{MeshHandle, ObstacleId, World, WorldUpdate};

pub use waymesh_core::*;
pub use waymesh_graph::{
    AnyCell, AreaCosts, AreaFilter, CellFilter, ClearPath, ClearPathOptions, ClearPlace, ClearanceNavMesh,
    ClearanceScratch, FlagFilter, Generation, Location, NavMesh, NavMeshError, Outcome, Path, PathOptions,
    PathScratch, PlaceSampler, QueryError, Raycast, Reach, SurfaceScratch, TravelCost, Wall,
};
pub use {
    waymesh_contour as contour, waymesh_convex as convex, waymesh_detail as detail,
    waymesh_floorplan as floorplan, waymesh_graph as graph, waymesh_io as io, waymesh_region as region,
    waymesh_tile as tile, waymesh_triangulate as triangulate, waymesh_voxel as voxel,
};
