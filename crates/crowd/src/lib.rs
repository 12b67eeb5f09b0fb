//! Crowds: agents that walk to their targets on a navigation mesh, and avoid each other and walls.
//!
//! - [`Crowd::step`] moves all agents of a [`Crowd`]; [`Crowd::steer`] only gives velocities, for
//!   games that move agents themselves.
//! - Each agent follows a [`waymesh_graph::PathCorridor`], which mends itself where the mesh
//!   changes.
//! - Neighbours are found over polygons that hang together: agents on different storeys do not see
//!   each other.
//! - Collisions are avoided reciprocally, by half-planes of velocities (ORCA). Priorities say who
//!   gives way; streams in opposite directions form lanes; agents with one target stop where those
//!   that came first are in the way; agents that make no progress step aside. Those who stand let
//!   those pass who walk, and walk back to their targets.
//! - A crowd walks on whatever has a mesh ([`waymesh_graph::MeshSource`]): a `NavMesh`, a
//!   `ClearanceNavMesh`, a `World` that changes. Whoever was on ground that is still there keeps
//!   its path or gets a new one by itself.
//! - Links take time and may have a capacity: agents queue at a lift ([`Crowd::set_link_rule`]).
//!
//! # Wide agents
//! The walls of a mesh keep the radius that it was baked for from real walls. An agent that is
//! wider keeps the difference, too.
//!
//! - On a [`waymesh_graph::ClearanceNavMesh`] (`waymesh::with_clearance`, made anew for the mesh of
//!   a world after each update) its path is the shortest on which it fits, of whatever radius. It
//!   follows a [`waymesh_graph::ClearCorridor`]. Costs do not count, and where its filter forbids
//!   a polygon on that path it walks as on a mesh alone: give the filter to
//!   `waymesh::with_clearance_for`.
//! - On a mesh alone its path is that of a narrow one, with corners moved out. It may lead through
//!   a passage where the agent does not fit.
//!
//! # Why not an existing crate
//! `dodgy_2d` 0.5 implements the same paper. It allocates in each call, takes walls as chains of
//! obstacle vertices, which a mesh that is a soup of wall pieces has not, and stands on another
//! version of glam.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod advance;
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
