//! Settings of a streamer and of its focus.

use bevy::asset::Handle;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::reflect::ReflectComponent;
use bevy::reflect::Reflect;
use bevy::transform::components::Transform;
use waymesh::BakeConfig;
use waymesh::core::{BadField, setters};

use super::list::NavMeshTiles;
use super::state::NavMeshStream;
use crate::bake::Scope;

/// Keeps those tiles of a prebaked world in its entity's [`NavMesh`](crate::NavMesh) that lie
/// around entities with a [`NavMeshFocus`].
///
/// Tiles are read and put into the world in the background, the nearest first. Obstacles, areas,
/// links and agents are as on the mesh of a [`NavMeshBaker`](crate::NavMeshBaker): tiles that an
/// obstacle or area is near are built again from their voxels, the others are taken as they are.
/// [`NavMeshSource`](crate::NavMeshSource)s count for nothing here: the ground is that of the
/// files. The state is in the [`NavMeshStream`] of the same entity and in
/// [`NavMeshStreamMessage`](crate::NavMeshStreamMessage)s.
///
/// # Cost
/// A frame visits the tiles around each focus. An update of the world, in the background, takes
/// time in proportion to the tiles that enter and leave, and one pass over all polygons.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_waymesh::prelude::*;
/// fn setup(mut commands: Commands, server: Res<AssetServer>) {
///     // The settings that the tiles were baked with.
///     let config = NavMeshBaker::world(64).config;
///     commands.spawn(NavMeshStreamer::new(server.load("level/bake.txt"), config));
///     commands.spawn((Transform::default(), NavMeshFocus::new(50.0)));
/// }
/// ```
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(NavMeshStream, Transform)]
#[non_exhaustive]
pub struct NavMeshStreamer {
    /// The tiles.
    pub tiles: Handle<NavMeshTiles>,
    /// The settings that they were baked with. Other ones are refused.
    pub config: BakeConfig,
    /// Distance in metres beyond that of its focus at which a tile is removed, so that a player who
    /// walks to and fro causes no reads. Default 8; below 0 counts as 0.
    pub margin: f32,
    /// Most tiles that are read at once and enter the mesh with one update; at least 1.
    /// Default 16. Tiles that go are not counted.
    pub tiles_at_once: usize,
    /// Entities whose obstacles and areas are used. Default: all.
    pub scope: Scope,
    /// `true` to wait within the frame for what is read and updated, for tests and for games whose
    /// steps must be the same on every machine. Default `false`.
    pub wait: bool,
}

impl NavMeshStreamer {
    /// Streams these tiles, which were baked with these settings.
    #[must_use]
    pub fn new(tiles: Handle<NavMeshTiles>, config: BakeConfig) -> Self {
        Self { tiles, config, margin: 8.0, tiles_at_once: 16, scope: Scope::default(), wait: false }
    }

    /// Checks the ranges of its settings, except `config`.
    ///
    /// # Errors
    /// The first one that is not.
    pub fn validate(&self) -> Result<(), BadField> {
        BadField::unless(self.tiles_at_once > 0, "tiles_at_once", self.tiles_at_once as f64, "1 or more")
    }
}

setters! {
    impl NavMeshStreamer {
        with_margin(margin: f32);
        with_tiles_at_once(tiles_at_once: usize);
        with_scope(scope: Scope);
        with_wait(wait: bool);
    }
}

/// Tiles around this entity, such as a player, are wanted by [`NavMeshStreamer`]s.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform)]
pub struct NavMeshFocus {
    /// Distance in metres along x and z. Infinite for all tiles; below 0 for none.
    pub distance: f32,
    /// The streamer that it is for. Default `None`: all.
    pub navigation: Option<Entity>,
}

impl NavMeshFocus {
    /// Wants tiles of all streamers within a distance in metres.
    #[must_use]
    pub fn new(distance: f32) -> Self {
        Self { distance, navigation: None }
    }
}
