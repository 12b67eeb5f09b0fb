//! Background work: reading of tiles and updates of the world.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use bevy::asset::io::{AssetReaderError, Reader as _};
use bevy::asset::{AssetPath, AssetServer, AssetServerMode};
use bevy::tasks::futures::check_ready;
use bevy::tasks::{AsyncComputeTaskPool, IoTaskPool, Task, TaskPool, block_on};
use waymesh::core::CancelToken;
use waymesh::tile::Tile;
use waymesh::{BakeError, NavMesh, World, WorldUpdate};

use super::state::NavMeshTileError;
use crate::bake::{Snapshot, SourceProblem, Standing};

/// The bytes of a tile.
type Content = Result<Vec<u8>, NavMeshTileError>;

/// A tile that is being read. Dropping it ends the read.
#[derive(Debug)]
pub(super) struct Reading(Task<Content>);

impl Reading {
    pub(super) fn start(server: AssetServer, file: AssetPath<'static>, tile: Tile) -> Self {
        let read = async move {
            let name = file.to_string();
            match bytes_of(&server, &file).await {
                Ok(bytes) => Ok(bytes),
                Err(AssetReaderError::NotFound(_)) => Err(NavMeshTileError::Missing { tile, file: name }),
                Err(cause) => Err(NavMeshTileError::Read { tile, file: name, cause }),
            }
        };
        Self(IoTaskPool::get_or_init(TaskPool::default).spawn(read))
    }

    /// Returns the bytes if the read has ended; with `wait` it always has.
    pub(super) fn poll(&mut self, wait: bool) -> Option<Content> {
        if wait { Some(block_on(&mut self.0)) } else { check_ready(&mut self.0) }
    }
}

/// Reads a file from its asset source. It is not an asset, since tiles without ground have no file.
async fn bytes_of(server: &AssetServer, file: &AssetPath<'_>) -> Result<Vec<u8>, AssetReaderError> {
    let other = |error: String| AssetReaderError::Io(Arc::new(std::io::Error::other(error)));
    let source = server.get_source(file.source()).map_err(|error| other(error.to_string()))?;
    let reader = match server.mode() {
        AssetServerMode::Unprocessed => source.reader(),
        AssetServerMode::Processed => source.processed_reader().map_err(|error| other(error.to_string()))?,
    };
    let mut bytes = Vec::new();
    reader
        .read(file.path())
        .await?
        .read_to_end(&mut bytes)
        .await
        .map_err(|error| AssetReaderError::Io(Arc::new(error)))?;
    Ok(bytes)
}

/// A world with its obstacles and areas.
#[derive(Debug)]
pub(super) struct StreamedWorld {
    pub(super) world: World,
    pub(super) standing: Standing,
}

/// The changes to apply to a world.
#[derive(Debug)]
pub(super) struct Change {
    /// Tiles that were read, with their files.
    pub(super) read: BTreeMap<Tile, (PathBuf, Vec<u8>)>,
    pub(super) gone: Vec<Tile>,
    /// Obstacles and areas, where they may differ.
    pub(super) standing: Option<Snapshot>,
}

/// A change that is being made. It is cancelled when it is dropped.
#[derive(Debug)]
pub(super) struct Job {
    task: Task<Done>,
    token: CancelToken,
    /// The tiles that come.
    pub(super) tiles: BTreeSet<Tile>,
}

/// The result of a job.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) world: Box<StreamedWorld>,
    pub(super) came: Vec<Tile>,
    pub(super) gone: Vec<Tile>,
    pub(super) refused: Vec<(Tile, NavMeshTileError)>,
    /// Entities of the snapshot that were left out.
    pub(super) problems: Option<Vec<SourceProblem>>,
    pub(super) mesh: Arc<NavMesh>,
    /// `None` if there was nothing to update.
    pub(super) result: Result<Option<WorldUpdate>, BakeError>,
}

impl Job {
    pub(super) fn start(world: Box<StreamedWorld>, change: Change) -> Self {
        let (token, tiles) = (CancelToken::new(), change.read.keys().copied().collect());
        let stop = token.clone();
        let work = async move { make(world, change, stop) };
        let task = AsyncComputeTaskPool::get_or_init(TaskPool::default).spawn(work);
        Self { task, token, tiles }
    }

    /// Returns its result if it has ended; with `wait` it always has.
    pub(super) fn poll(&mut self, wait: bool) -> Option<Done> {
        if wait { Some(block_on(&mut self.task)) } else { check_ready(&mut self.task) }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.token.cancel();
    }
}

fn make(mut streamed: Box<StreamedWorld>, change: Change, mut stop: CancelToken) -> Done {
    let Change { read, gone, standing } = change;
    let StreamedWorld { world, standing: kept } = &mut *streamed;
    for &tile in &gone {
        world.remove_tile(tile);
    }
    let (mut came, mut refused) = (Vec::new(), Vec::new());
    for (tile, (file, bytes)) in read {
        match world.read_tile_of(tile, &bytes, &file) {
            Ok(()) => came.push(tile),
            Err(cause) => refused.push((tile, NavMeshTileError::Refused { tile, cause })),
        }
    }
    let problems = standing.map(|mut snapshot| {
        let mut problems = std::mem::take(&mut snapshot.problems);
        kept.follow(&snapshot, world, &mut problems);
        problems
    });
    let result = world.is_dirty().then(|| world.update(&mut stop)).transpose();
    let mesh = world.handle().mesh();
    Done { world: streamed, came, gone, refused, problems, mesh, result }
}
