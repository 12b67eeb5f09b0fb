//! Navigation meshes of [`waymesh`] in Bevy: baked in the background from what is in the ECS,
//! rebuilt where the level changes, and walked by crowds.
//!
//! Add [`WaymeshPlugin`]. An entity with a [`NavMeshBaker`] makes a mesh of all entities with a
//! [`NavMeshSource`], [`NavMeshObstacle`] or [`NavMeshArea`]; an entity with a [`NavMeshHandle`]
//! has one from a file, and one with a [`NavMeshStreamer`] the tiles of a world that lie around
//! players. Each gets a [`NavMesh`], which answers queries, and on which
//! [`NavMeshAgent`]s walk.
//!
//! ```
//! use bevy::mesh::MeshPlugin;
//! use bevy::prelude::*;
//! use bevy_waymesh::prelude::*;
//!
//! // `DefaultPlugins` have all of these but the last.
//! let mut app = App::new();
//! app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default(), MeshPlugin, WaymeshPlugin));
//!
//! let ground = app.world_mut().resource_mut::<Assets<Mesh>>().add(Plane3d::default().mesh().size(20.0, 20.0));
//! app.world_mut().spawn((Mesh3d(ground), NavMeshSource::default()));
//! let block = (NavMeshObstacle::default(), NavMeshCollider::cuboid(2.0, 1.0, 6.0));
//! app.world_mut().spawn((block, Transform::from_xyz(0.0, 0.5, 0.0)));
//! // Games do not wait.
//! let level = app.world_mut().spawn(NavMeshBaker::world(64).with_wait(true)).id();
//! let to = Vec3::new(8.0, 0.0, 0.0);
//! let agent = (NavMeshAgent::default(), WalksOn(level), AgentTarget::Place(to));
//! let agent = app.world_mut().spawn((agent, Transform::from_xyz(-8.0, 0.0, 0.0))).id();
//! app.update();
//!
//! let mesh = app.world().get::<NavMesh>(level).expect("a bake");
//! let path = mesh.find_shortest_path(Vec3::new(-8.0, 0.0, 0.0), to)?;
//! assert!(path.is_complete && path.length > 16.0);
//! # Ok::<(), bevy_waymesh::waymesh::QueryError>(())
//! ```
//!
//! Lengths are in metres, y points up, as in Bevy. Vectors of Bevy and of waymesh are different
//! types: [`to_waymesh`] and [`to_bevy`] convert them.
//!
//! The README describes the effects of changes of the level, and compares this crate with others.

mod agent;
mod asset;
mod bake;
mod clearance;
mod convert;
mod crowd;
mod geometry;
#[cfg(feature = "gizmos")]
mod gizmos;
mod link;
mod nav_mesh;
mod plugin;
mod source;
mod stream;

pub use agent::{
    AgentTarget, MovedBy, NavMeshAgent, NavMeshAgentMessage, NavMeshAgentState, NavMeshAgentStatus,
    NavMeshCrowd, NavMeshWalkers, WalksOn,
};
pub use asset::{NavMeshAsset, NavMeshHandle, NavMeshLoadError, NavMeshLoader};
pub use bake::{
    BakeProgress, BakeStatus, BakeSummary, FrontEnd, NavMeshBake, NavMeshBakeMessage, NavMeshBaker, Rebuild,
    Scope, SourceProblem,
};
pub use clearance::NavMeshClearance;
pub use convert::{to_bevy, to_waymesh};
pub use geometry::{GeometryError, NavMeshCollider, NavMeshGeometryPlugin, Triangles};
#[cfg(feature = "gizmos")]
pub use gizmos::{NavMeshGizmos, NavMeshGizmosPlugin};
pub use link::NavMeshLink;
pub use nav_mesh::{NavMesh, NavPath};
pub use plugin::{NavMeshSystems, WaymeshPlugin};
pub use source::{NavMeshArea, NavMeshObstacle, NavMeshSource};
pub use stream::{
    NavMeshFocus, NavMeshStream, NavMeshStreamError, NavMeshStreamMessage, NavMeshStreamer, NavMeshTileError,
    NavMeshTiles, NavMeshTilesLoadError, NavMeshTilesLoader, StreamStatus,
};
pub use {waymesh, waymesh_crowd};

/// The items that most apps use.
pub mod prelude {
    pub use crate::{
        AgentTarget, BakeStatus, MovedBy, NavMesh, NavMeshAgent, NavMeshAgentMessage, NavMeshAgentState,
        NavMeshAgentStatus, NavMeshArea, NavMeshAsset, NavMeshBake, NavMeshBakeMessage, NavMeshBaker,
        NavMeshClearance, NavMeshCollider, NavMeshFocus, NavMeshHandle, NavMeshLink, NavMeshObstacle,
        NavMeshSource, NavMeshStream, NavMeshStreamMessage, NavMeshStreamer, NavMeshTiles, NavPath, Rebuild,
        Scope, StreamStatus, WalksOn, WaymeshPlugin,
    };
}

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
