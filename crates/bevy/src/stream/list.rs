//! Folders of tiles as assets.

use std::path::Path;
use std::sync::Arc;

use bevy::asset::io::Reader;
use bevy::asset::{Asset, AssetLoader, AssetPath, LoadContext};
use bevy::reflect::TypePath;
use thiserror::Error;
use waymesh::tile::{Tile, TileError, TileStore};

/// A world of tiles that were baked before, in a folder that [`waymesh::World::write_tiles`] wrote:
/// its `bake.txt`. Tiles are read when a [`NavMeshStreamer`](crate::NavMeshStreamer) wants them,
/// from the asset source that this file is from.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_waymesh::prelude::*;
/// fn load(server: Res<AssetServer>) -> Handle<NavMeshTiles> {
///     server.load("level/bake.txt")
/// }
/// ```
#[derive(Asset, TypePath, Clone, Debug)]
pub struct NavMeshTiles {
    pub(super) manifest: Arc<str>,
    /// Path of the `bake.txt`.
    path: AssetPath<'static>,
}

impl NavMeshTiles {
    /// The folder, as errors name it.
    pub(super) fn folder(&self) -> &Path {
        self.path.path().parent().unwrap_or(Path::new(""))
    }

    /// The file of a tile.
    pub(super) fn file(&self, tile: Tile) -> AssetPath<'static> {
        let path = AssetPath::from_path_buf(self.folder().join(tile.file_name()));
        path.with_source(self.path.source().clone_owned())
    }
}

/// Loads [`NavMeshTiles`]. The type of the handle selects this loader, not the name of the file.
#[derive(Clone, Copy, Debug, Default, TypePath)]
pub struct NavMeshTilesLoader;

/// Why a `bake.txt` was not loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NavMeshTilesLoadError {
    /// The file cannot be read.
    #[error("cannot read the file: {0}")]
    Read(#[from] std::io::Error),
    /// It is not a `bake.txt`, or one of another version.
    #[error(transparent)]
    Content(#[from] TileError),
}

impl AssetLoader for NavMeshTilesLoader {
    type Asset = NavMeshTiles;
    type Settings = ();
    type Error = NavMeshTilesLoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        (): &(),
        context: &mut LoadContext<'_>,
    ) -> Result<NavMeshTiles, NavMeshTilesLoadError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        let path = context.path().clone_owned();
        // Bytes that are no UTF-8 fail to parse below.
        let manifest = String::from_utf8_lossy(&bytes);
        TileStore::parse_note(&manifest, path.path())?;
        Ok(NavMeshTiles { manifest: manifest.into(), path })
    }
}
