//! Tiles one by one, as bytes: for workers that share neither memory nor a folder.

use std::path::{Path, PathBuf};

use waymesh_core::{Observer, TriangleSource};
use waymesh_tile::{Tile, TileError, TileLayout, TileStore, tile_from_bytes, tile_to_bytes};

use super::Voxels;
use super::survey::read_tile;
use super::tiles::TileBuilder;
use crate::bake::{Bake, BakeError, Baker, Recorder};

/// Name of a tile in errors.
const NAME: &str = "a tile";

/// Builds the tiles of one world one by one, as bytes, and joins the tiles of all workers that have
/// the same world and settings: workers that can only send each other bytes bake a world together.
///
/// Each holds the triangles of its world, sorted into tiles.
///
/// # Guarantees
/// - The mesh is that of [`Baker::bake`] at once, bit for bit, whoever builds which tile.
/// - Tiles of another world, of other settings or another version are refused, and damaged ones.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
/// use waymesh::Baker;
///
/// // On every worker:
/// let worker = Baker::voxels().apart(&soup, &mut ())?;
/// let tiles: Vec<_> = worker.layout().tiles().map(|tile| worker.bake(tile)).collect::<Result<_, _>>()?;
/// // On one of them:
/// let bake = worker.merge(tiles, Some(&soup), &mut ())?;
/// assert_eq!(bake.mesh.generation(), Baker::voxels().bake(&soup)?.generation());
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct TileBaker {
    baker: Baker<Voxels>,
    tile_builder: TileBuilder,
}

impl Baker<Voxels> {
    /// Takes the triangles of a world, to build its tiles one by one. Two passes over the source.
    ///
    /// # Errors
    /// See [`Baker::bake`].
    pub fn apart(
        self,
        source: &dyn TriangleSource,
        observer: &mut dyn Observer,
    ) -> Result<TileBaker, BakeError> {
        self.check_tiles()?;
        let mut recorder = Recorder::new(observer);
        let survey = recorder.stage("survey", |_| self.survey(source))?;
        let tile_builder =
            TileBuilder::new(source, &survey, &self.front, &self.stages, |_| true, &mut recorder)?;
        Ok(TileBaker { baker: self, tile_builder })
    }
}

impl TileBaker {
    /// Returns how the world is cut into tiles: the same on every worker.
    #[must_use]
    pub fn layout(&self) -> &TileLayout {
        &self.tile_builder.survey.layout
    }

    /// Builds a tile, on one thread. Returns the bytes of its file.
    ///
    /// # Errors
    /// [`TileError::NoSuchTile`] if the world has no such tile; see [`Baker::bake`] otherwise.
    pub fn bake(&self, tile: Tile) -> Result<Vec<u8>, BakeError> {
        Ok(tile_to_bytes(tile, self.tile_builder.survey.fingerprint, &self.content(tile)?))
    }

    /// Builds a tile into the folder of the front end's options, on one thread. Returns its file.
    ///
    /// # Errors
    /// See [`TileBaker::bake`]; [`TileError::NoFolder`] without a folder, [`BakeError::Tile`] for a
    /// folder of another bake and one that cannot be written.
    pub fn bake_into_folder(&self, tile: Tile) -> Result<PathBuf, BakeError> {
        if self.baker.front.folder.is_none() {
            return Err(TileError::NoFolder.into());
        }
        let content = self.content(tile)?;
        let store = self.tile_builder.survey.store(&self.baker.front)?;
        store.put(tile, content)?;
        store.file(tile).ok_or_else(|| TileError::NoFolder.into())
    }

    fn content(&self, tile: Tile) -> Result<Vec<u8>, BakeError> {
        self.tile_builder.survey.layout.check(tile)?;
        Ok(self.tile_builder.make(tile, &self.baker.stages)?.1)
    }

    /// Joins the tiles of all workers, in any order, to one mesh. `source` is the world, which jumps
    /// and ground inside of solids need. What tiles were warned of is not in the report.
    ///
    /// # Errors
    /// [`BakeError::Tile`] if tiles are missing, damaged or foreign;
    /// [`BakeError::OptionNotSupported`] for what needs the source without one; see [`Baker::bake`]
    /// otherwise.
    pub fn merge(
        &self,
        tiles: impl IntoIterator<Item = Vec<u8>>,
        source: Option<&dyn TriangleSource>,
        observer: &mut dyn Observer,
    ) -> Result<Bake, BakeError> {
        let Self { baker, tile_builder: TileBuilder { survey, .. } } = self;
        let store = TileStore::in_memory();
        for bytes in tiles {
            let (tile, content) = tile_from_bytes(&bytes, survey.fingerprint, Path::new(NAME))?;
            survey.layout.check(tile)?;
            store.put(tile, content.to_vec())?;
        }
        baker.merged(source, observer, |recorder| {
            let kept = recorder.stage("read tiles", |_| {
                let read = |tile| read_tile(&store, tile)?.ok_or_else(|| store.missing(tile).into());
                survey.layout.tiles().map(read).collect::<Result<Vec<_>, BakeError>>()
            })?;
            Ok((*survey, store, kept))
        })
    }
}
