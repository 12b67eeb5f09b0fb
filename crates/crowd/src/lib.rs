//! Crowds: agents that walk to their targets on a navigation mesh, and avoid each other and walls.
//!
//! - [`Crowd::step`] moves all agents of a [`Crowd`]; [`Crowd::steer`] only computes velocities,
//!   for games that move agents themselves.
//! - Each agent follows a [`waymesh_graph::PathCorridor`], which is repaired if the mesh changes.
//! - Neighbours are found over connected polygons: agents on different storeys do not see each
//!   other.
//! - Collisions are avoided reciprocally, by half-planes of velocities (ORCA). Of two agents the
//!   one with the lower priority gives way; streams in opposite directions form lanes; agents with
//!   a common target stop behind the agents that arrived first; agents that make no progress step
//!   aside. Standing agents let walking agents pass, and walk back to their targets.
//! - A crowd walks on any [`waymesh_graph::MeshSource`]: a `NavMesh`, a `ClearanceNavMesh`, a
//!   `World` that changes. After a change, agents keep their paths or get new ones automatically.
//! - Links take time and may have a capacity: agents queue at a lift ([`Crowd::set_link_rule`]).
//!
//! ```
//! # use waymesh_crowd::{CrowdError, glam::Vec3};
//! # fn walk(mesh: &waymesh_graph::NavMesh, from: Vec3, to: Vec3) -> Result<(), CrowdError> {
//! use waymesh_crowd::{AgentParams, Crowd};
//!
//! let mut crowd: Crowd = Crowd::default();
//! let agent = crowd.add(mesh, AgentParams::default().with_radius(0.25), from)?;
//! crowd.set_target(mesh, agent, to)?;
//! // In every frame:
//! crowd.step(mesh, 1.0 / 30.0)?;
//! # Ok(()) }
//! ```
//!
//! # Wide agents
//! The walls of a mesh keep the radius that it was baked for from real walls. A wider agent also
//! keeps the difference.
//!
//! - On a [`waymesh_graph::ClearanceNavMesh`] (`waymesh::with_clearance`, made again for the mesh
//!   of a world after each update) its path is the shortest on which it fits, for any radius. It
//!   follows a corridor for its disc. Costs are ignored. If its filter forbids a polygon
//!   on that path, it walks as on a mesh without clearance: pass the filter to
//!   `waymesh::with_clearance_for`.
//! - On a mesh without clearance its path is that of a narrow agent, with corners moved out. The
//!   path may lead through a passage where the agent does not fit.
//!
//! # Why not an existing crate
//! `dodgy_2d` 0.5 implements the same paper. It allocates in each call, takes walls as chains of
//! obstacle vertices, which a mesh with unconnected wall pieces does not have, and uses another
//! version of glam.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod agent;
mod around;
mod bodies;
mod config;
mod crowd;
mod error;
mod jam;
mod links;
mod orca;
mod route;
mod standoff;
mod steer;
mod workers;

pub use agent::{AgentId, AgentState, AgentStatus};
pub use config::{AgentParams, CrowdConfig, LinkRule};
pub use crowd::Crowd;
pub use error::CrowdError;
pub use glam;

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
