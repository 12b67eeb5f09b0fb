//! Navigation meshes as assets.

use std::path::Path;
use std::sync::Arc;

use bevy::asset::io::Reader;
use bevy::asset::{Asset, AssetId, AssetLoader, Assets, Handle, LoadContext};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::system::Commands;
use bevy::reflect::{Reflect, TypePath};
use thiserror::Error;
use waymesh::NavMesh;
use waymesh::io::IoError;

/// A navigation mesh that was loaded or baked. It never changes: another one takes its place.
///
/// Files end in `.wmesh` (to keep), `.wmrun` (packed, to ship) or `.navmesh` (Detour's);
/// `waymesh::io::save` writes all of them.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct NavMeshAsset(pub Arc<NavMesh>);

/// The mesh that the entity's [`NavMesh`](crate::NavMesh) follows: the result of
/// a [`NavMeshBaker`](crate::NavMeshBaker) on the same entity, or a file.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_waymesh::prelude::*;
/// fn setup(mut commands: Commands, server: Res<AssetServer>) {
///     commands.spawn(NavMeshHandle(server.load("level.wmrun")));
/// }
/// ```
#[derive(Component, Clone, Debug, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct NavMeshHandle(pub Handle<NavMeshAsset>);

impl NavMeshHandle {
    /// Returns the id of the asset.
    #[must_use]
    pub fn id(&self) -> AssetId<NavMeshAsset> {
        self.0.id()
    }
}

/// Loads [`NavMeshAsset`]s. The format is known from the content, not from the name.
#[derive(Clone, Copy, Debug, Default, TypePath)]
pub struct NavMeshLoader;

/// Why a mesh was not loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NavMeshLoadError {
    /// The file cannot be read.
    #[error("cannot read the file: {0}")]
    Read(#[from] std::io::Error),
    /// The file is no mesh, or a damaged one.
    #[error(transparent)]
    Mesh(#[from] IoError),
}

impl AssetLoader for NavMeshLoader {
    type Asset = NavMeshAsset;
    type Settings = ();
    type Error = NavMeshLoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        (): &(),
        context: &mut LoadContext<'_>,
    ) -> Result<NavMeshAsset, NavMeshLoadError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        let name = context.path().to_string();
        Ok(NavMeshAsset(Arc::new(waymesh::io::parse_mesh(Path::new(&name), bytes)?)))
    }

    fn extensions(&self) -> &[&str] {
        &["wmesh", "wmrun", "navmesh"]
    }
}

/// Puts a mesh in place of the last, behind the same handle.
pub(crate) fn put_mesh(
    mesh: Arc<NavMesh>,
    entity: Entity,
    handle: Option<&NavMeshHandle>,
    assets: &mut Assets<NavMeshAsset>,
    commands: &mut Commands,
) {
    let is_put = handle.is_some_and(|handle| assets.insert(handle.id(), NavMeshAsset(mesh.clone())).is_ok());
    if !is_put {
        let handle = assets.add(NavMeshAsset(mesh));
        commands.entity(entity).insert(NavMeshHandle(handle));
    }
}

/// Removes the asset of a mesh.
pub(crate) fn take_mesh_away(handle: Option<&NavMeshHandle>, assets: &mut Assets<NavMeshAsset>) {
    if let Some(handle) = handle {
        assets.remove(handle.id());
    }
}
