//! State and messages of a streamer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy::asset::AssetLoadError;
use bevy::asset::io::AssetReaderError;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::message::Message;
use thiserror::Error;
use waymesh::core::BadField;
use waymesh::tile::{Tile, TileLayout};
use waymesh::{BakeConfig, BakeError, WorldUpdate};

use super::job::{Job, Reading, StreamedWorld};
use super::list::NavMeshTiles;
use crate::bake::SourceProblem;

/// The state of the streamer on the same entity.
#[derive(Component, Debug, Default)]
pub struct NavMeshStream {
    pub(super) status: StreamStatus,
    /// The tiles and settings of the last attempt to open a world.
    pub(super) opened: Option<(NavMeshTiles, BakeConfig)>,
    pub(super) layout: Option<TileLayout>,
    /// The world; `None` while a job has it.
    pub(super) world: Option<Box<StreamedWorld>>,
    pub(super) job: Option<Job>,
    pub(super) reading: BTreeMap<Tile, Reading>,
    /// Tiles that were read and are not in the world yet.
    pub(super) read: BTreeMap<Tile, Vec<u8>>,
    /// Tiles in the world.
    pub(super) there: BTreeSet<Tile>,
    /// Tiles that must stay.
    pub(super) kept: BTreeSet<Tile>,
    pub(super) failed: BTreeMap<Tile, Arc<NavMeshTileError>>,
    pub(super) again: BTreeSet<Tile>,
    /// `true` if tiles are wanted that are not being read yet.
    pub(super) has_more: bool,
    /// `true` if obstacles and areas must be compared with the world.
    pub(super) is_stale: bool,
    /// `true` if the entity's mesh is that of this world.
    pub(super) is_shown: bool,
    pub(super) problems: Vec<SourceProblem>,
}

/// The status of a streamer.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum StreamStatus {
    /// The asset of its tiles is being loaded.
    #[default]
    Loading,
    /// Tiles are being read, or the mesh is being updated.
    Streaming,
    /// All tiles that are wanted are in the mesh, but those of [`NavMeshStream::failed`].
    Settled,
    /// There is no world, or its last update failed. The mesh before, if there is one, stays in use.
    Failed(Arc<NavMeshStreamError>),
}

/// Why there is no world, or none that is up to date.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NavMeshStreamError {
    /// The asset of the tiles was not loaded.
    #[error(transparent)]
    Load(Arc<AssetLoadError>),
    /// A setting of the streamer is out of its range.
    #[error("a setting of the streamer: {0}")]
    Setting(BadField),
    /// The folder's tiles are of another version or of other settings.
    #[error(transparent)]
    Open(BakeError),
    /// An update failed. It is tried again with the next change.
    #[error(transparent)]
    Update(BakeError),
}

/// Why a tile is not in the mesh.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NavMeshTileError {
    /// It has no file. Where the level has no triangles, that is as it should be.
    #[error("tile {tile}: there is no {file}")]
    Missing {
        /// The tile.
        tile: Tile,
        /// The expected file.
        file: String,
    },
    /// Its file cannot be read.
    #[error("tile {tile}: cannot read {file}: {cause}")]
    Read {
        /// The tile.
        tile: Tile,
        /// Its file.
        file: String,
        /// Why.
        cause: AssetReaderError,
    },
    /// Its file is damaged, or of another world, version or settings.
    #[error("tile {tile}: {cause}")]
    Refused {
        /// The tile.
        tile: Tile,
        /// Why; names the file.
        cause: BakeError,
    },
}

/// A message about a streamer.
#[derive(Message, Clone, Debug)]
#[non_exhaustive]
pub enum NavMeshStreamMessage {
    /// The mesh was updated.
    Updated {
        /// The streamer's entity.
        entity: Entity,
        /// Tiles that came, or came again.
        came: Vec<Tile>,
        /// Tiles that went.
        gone: Vec<Tile>,
        /// Figures of the update.
        update: WorldUpdate,
    },
    /// A tile cannot be put in. The others stay, and so does this one as it was before, if it was.
    TileFailed {
        /// The streamer's entity.
        entity: Entity,
        /// The tile.
        tile: Tile,
        /// Why; names the tile and its file.
        error: Arc<NavMeshTileError>,
    },
    /// There is no world, or its update failed.
    Failed {
        /// The streamer's entity.
        entity: Entity,
        /// Why.
        error: Arc<NavMeshStreamError>,
    },
}

impl NavMeshStream {
    /// Returns the status of the streamer.
    #[must_use]
    pub fn status(&self) -> &StreamStatus {
        &self.status
    }

    /// Returns `true` if nothing is to be read or updated.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        matches!(self.status, StreamStatus::Settled)
    }

    /// Returns the layout of the tiles; `None` before the world is opened.
    #[must_use]
    pub fn layout(&self) -> Option<&TileLayout> {
        self.layout.as_ref()
    }

    /// The tiles that are in the mesh.
    pub fn tiles(&self) -> impl Iterator<Item = Tile> {
        self.there.iter().copied()
    }

    /// The tiles that are wanted and cannot be put in, with why. They are not tried again while they
    /// are near, but by [`NavMeshStream::read_again`] or with a new list.
    pub fn failed(&self) -> impl Iterator<Item = (Tile, &Arc<NavMeshTileError>)> {
        self.failed.iter().map(|(&tile, error)| (tile, error))
    }

    /// Returns the obstacles and areas that the last update left out.
    #[must_use]
    pub fn problems(&self) -> &[SourceProblem] {
        &self.problems
    }

    /// Reads a tile again if it is wanted: its file was changed, or can be read now. To have all tiles
    /// read again, reload the asset of the tiles.
    pub fn read_again(&mut self, tile: Tile) {
        self.again.insert(tile);
    }

    /// Resets all state of a world but its mesh, for the next world.
    pub(super) fn close(&mut self, opened: Option<(NavMeshTiles, BakeConfig)>) {
        *self = Self { opened, again: std::mem::take(&mut self.again), ..Self::default() };
    }
}
