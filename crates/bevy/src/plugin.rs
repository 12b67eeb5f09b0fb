//! The plugin that an app adds.

use bevy::app::{App, FixedUpdate, Plugin, PostUpdate};
use bevy::asset::{AssetApp as _, AssetEvent, AssetEventSystems};
use bevy::ecs::message::Messages;
use bevy::ecs::schedule::common_conditions::resource_exists;
use bevy::ecs::schedule::{IntoScheduleConfigs, SystemSet};
use bevy::mesh::Mesh;
use bevy::transform::TransformSystems;

use crate::agent::{
    AgentTarget, NavMeshAgent, NavMeshAgentMessage, NavMeshAgentState, NavMeshCrowd, WalksOn,
};
use crate::asset::{NavMeshAsset, NavMeshHandle, NavMeshLoader};
use crate::bake::{
    Changes, NavMeshBakeMessage, NavMeshBaker, forget_meshes, notice_changes, poll_bakes, start_bakes,
};
use crate::clearance::{NavMeshClearance, forget_clearances, make_clearances};
use crate::crowd::step_crowds;
use crate::geometry::MeshTriangles;
use crate::link::NavMeshLink;
use crate::nav_mesh::attach_meshes;
use crate::source::{NavMeshArea, NavMeshObstacle, NavMeshSource};
use crate::stream::{
    NavMeshFocus, NavMeshStreamMessage, NavMeshStreamer, NavMeshTiles, NavMeshTilesLoader, open_worlds,
    read_tiles, update_worlds,
};

/// Navigation meshes: baked, loaded, streamed, kept up to date.
///
/// Needs Bevy's `AssetPlugin` before it, and `TransformPlugin`; `DefaultPlugins` have both. Meshes
/// are read if the app has them (`MeshPlugin`).
#[derive(Clone, Copy, Debug, Default)]
pub struct WaymeshPlugin;

/// When the systems run: crowds in `FixedUpdate`, the others one after another in `PostUpdate`,
/// after the propagation of transforms.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NavMeshSystems {
    /// Lets agents take a step.
    Crowd,
    /// Sees what changed in the level.
    Geometry,
    /// Begins bakes and reads tiles, and takes what those leave that have ended.
    Bake,
    /// Puts meshes of assets, and links, into [`NavMesh`](crate::NavMesh)es.
    Attach,
}

impl Plugin for WaymeshPlugin {
    fn build(&self, app: &mut App) {
        use NavMeshSystems::{Attach, Bake, Geometry};
        app.init_asset::<NavMeshAsset>()
            .init_asset_loader::<NavMeshLoader>()
            .init_asset::<NavMeshTiles>()
            .init_asset_loader::<NavMeshTilesLoader>()
            .init_resource::<MeshTriangles>()
            .init_resource::<Changes>()
            .register_type::<AgentTarget>()
            .register_type::<NavMeshAgent>()
            .register_type::<NavMeshAgentState>()
            .register_type::<NavMeshArea>()
            .register_type::<NavMeshBaker>()
            .register_type::<NavMeshClearance>()
            .register_type::<NavMeshCrowd>()
            .register_type::<NavMeshFocus>()
            .register_type::<NavMeshHandle>()
            .register_type::<NavMeshLink>()
            .register_type::<NavMeshObstacle>()
            .register_type::<NavMeshSource>()
            .register_type::<NavMeshStreamer>()
            .register_type::<WalksOn>()
            .add_message::<NavMeshBakeMessage>()
            .add_message::<NavMeshAgentMessage>()
            .add_message::<NavMeshStreamMessage>()
            .add_systems(FixedUpdate, step_crowds.in_set(NavMeshSystems::Crowd))
            .configure_sets(
                PostUpdate,
                (Geometry, Bake, Attach).chain().after(TransformSystems::Propagate).before(AssetEventSystems),
            )
            .add_systems(
                PostUpdate,
                (
                    (forget_meshes.run_if(resource_exists::<Messages<AssetEvent<Mesh>>>), notice_changes)
                        .chain()
                        .in_set(Bake),
                    (start_bakes, poll_bakes).chain().after(notice_changes).in_set(Bake),
                    (open_worlds, read_tiles, update_worlds).chain().after(notice_changes).in_set(Bake),
                    (attach_meshes, (make_clearances, forget_clearances)).chain().in_set(Attach),
                ),
            );
    }
}
