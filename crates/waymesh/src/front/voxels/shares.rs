//! Tiles on many machines: what there is to do, who does what, and reading what others did.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use waymesh_core::{Cancelled, Observer, TriangleSource, threads};
use waymesh_tile::{Tile, TileError, TileLayout, TileStore};

use super::Voxels;
use super::survey::{Kept, Survey, read_survey, read_tile};
use super::tiles::TileBuilder;
use crate::bake::{Bake, BakeError, Baker, Recorder, go_on};

/// Tiles read side by side before a merge says how far it is.
const READ_AT_ONCE: usize = 64;
/// Interval between two reads of a folder by a waiting merge.
const PAUSE: Duration = Duration::from_millis(200);

/// The tiles of a world: the same on every machine, for the same scene and settings.
/// Serialised, its keys are a contract that scripts rely on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TileManifest {
    /// Hash of the scene, the settings and the version, in hexadecimal: tiles with another one are
    /// refused.
    pub fingerprint: String,
    /// Tiles along x.
    pub columns: u32,
    /// Tiles along z.
    pub rows: u32,
    /// Side of a tile in cells.
    pub tile_cells: u32,
    /// All tiles, row by row.
    pub tiles: Vec<ManifestTile>,
}

/// A tile of a [`TileManifest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ManifestTile {
    /// Place along x, from 0.
    pub column: u32,
    /// Place along z, from 0.
    pub row: u32,
    /// Name of its file in the folder of the tiles.
    pub file: String,
    /// `true` if the folder holds it, whole and of this bake.
    pub is_done: bool,
}

impl Baker<Voxels> {
    /// Returns how the world is cut into tiles, and which of them the folder has, if there is one.
    /// One pass over the source.
    ///
    /// # Errors
    /// See [`Baker::bake`]; [`BakeError::Tile`] for a folder of another bake.
    pub fn manifest(&self, source: &dyn TriangleSource) -> Result<TileManifest, BakeError> {
        let survey = self.survey(source)?;
        let store = self.front.folder.as_ref().map(|_| survey.store(&self.front)).transpose()?;
        let entry = |tile: Tile| -> Result<ManifestTile, BakeError> {
            let kept = store.as_ref().map(|store| store.get(tile)).transpose()?;
            let is_done = kept.flatten().is_some();
            Ok(ManifestTile { column: tile.column, row: tile.row, file: tile.file_name(), is_done })
        };
        Ok(TileManifest {
            fingerprint: format!("{:016x}", survey.fingerprint),
            columns: survey.layout.columns(),
            rows: survey.layout.rows(),
            tile_cells: survey.layout.side_cells(),
            tiles: survey.layout.tiles().map(entry).collect::<Result<_, _>>()?,
        })
    }

    /// Builds the tiles of worker `index` of `of` into the folder, as [`TileLayout::share`] deals
    /// them out, and returns their files. Existing tiles of the folder are not built again, so a
    /// stopped worker continues. The source is the whole world, on every machine.
    ///
    /// # Errors
    /// See [`Baker::bake`]; [`TileError::NoFolder`] without a folder.
    pub fn bake_share(
        &self,
        source: &dyn TriangleSource,
        index: u32,
        of: u32,
        observer: &mut dyn Observer,
    ) -> Result<Vec<PathBuf>, BakeError> {
        self.bake_tiles(source, observer, |survey, store, recorder| {
            let share: Vec<Tile> = survey.layout.share(index, of)?.collect();
            self.front.build_missing(source, survey, store, &share, &self.stages, recorder)?;
            Ok(share)
        })
    }

    /// Builds one tile into the folder, whether the folder has it or not, and returns its file. The
    /// source is the whole world, so that every machine finds the same grid.
    ///
    /// # Errors
    /// See [`Baker::bake`]; [`TileError::NoSuchTile`] if the world has no such tile;
    /// [`TileError::NoFolder`] without a folder.
    pub fn bake_tile(
        &self,
        source: &dyn TriangleSource,
        tile: Tile,
        observer: &mut dyn Observer,
    ) -> Result<PathBuf, BakeError> {
        let mut files = self.bake_tiles(source, observer, |survey, store, recorder| {
            survey.layout.check(tile)?;
            let wanted = |other| other == tile;
            let builder = TileBuilder::new(source, survey, &self.front, &self.stages, wanted, recorder)?;
            builder.build(store, &[tile], &self.stages, recorder)?;
            Ok(vec![tile])
        })?;
        files.pop().ok_or_else(|| TileError::NoFolder.into())
    }

    /// Joins the tiles of a folder, built by [`Baker::bake_share`] or [`Baker::bake_tile`] anywhere,
    /// to one mesh. Of the front end's own options only [`Voxels::patience`] is used. `source` is the
    /// world that they were built of, which jumps and ground inside of solids need.
    ///
    /// # Errors
    /// [`BakeError::Tile`] if the folder is not one of tiles, or if tiles are missing or damaged,
    /// which it names, or of another bake or version; [`BakeError::OptionNotSupported`] for what
    /// needs the source without one; see [`Baker::bake`] otherwise.
    pub fn merge_tiles(
        &self,
        folder: &Path,
        source: Option<&dyn TriangleSource>,
        observer: &mut dyn Observer,
    ) -> Result<Bake, BakeError> {
        self.check_tiles()?;
        self.merged(source, observer, |recorder| {
            let survey = await_survey(folder, self.front.patience, recorder)?.0;
            // The folder belongs to this scene, and to these settings.
            let side = survey.layout.side_cells();
            let given = source.map(|source| Survey::of(source, side, self.config())).transpose()?;
            let fingerprint = given.unwrap_or(survey).fingerprint_of(self.config());
            let store = TileStore::in_folder(folder, fingerprint, "")?;
            let kept = recorder.stage("read tiles", |observer| {
                read_tiles(folder, &store, &survey.layout, self.front.patience, observer)
            })?;
            Ok((survey, store, kept))
        })
    }

    /// Runs `build` for the folder, and returns the files of the tiles that it names.
    fn bake_tiles(
        &self,
        source: &dyn TriangleSource,
        observer: &mut dyn Observer,
        build: impl FnOnce(&Survey, &TileStore, &mut Recorder<'_>) -> Result<Vec<Tile>, BakeError> + Send,
    ) -> Result<Vec<PathBuf>, BakeError> {
        self.check_tiles()?;
        if self.front.folder.is_none() {
            return Err(TileError::NoFolder.into());
        }
        let mut recorder = Recorder::new(observer);
        self.stages.in_pool(|| {
            let survey = recorder.stage("survey", |_| self.survey(source))?;
            let store = survey.store(&self.front)?;
            let tiles = build(&survey, &store, &mut recorder)?;
            Ok(tiles.into_iter().filter_map(|tile| store.file(tile)).collect())
        })?
    }
}

/// The text that was given as [`Voxels::note`] when a folder of tiles was begun. The folder is
/// waited for as long as `patience`.
///
/// # Errors
/// If it is no folder of tiles by then, or the observer ends the waiting.
pub fn tile_note(
    folder: &Path,
    patience: Duration,
    observer: &mut dyn Observer,
) -> Result<String, BakeError> {
    Ok(await_survey(folder, patience, observer)?.1)
}

/// Returns the survey and the note of a folder; waits until the folder has them.
fn await_survey(
    folder: &Path,
    patience: Duration,
    observer: &mut dyn Observer,
) -> Result<(Survey, String), BakeError> {
    let since = Instant::now();
    loop {
        match read_survey(folder) {
            Err(BakeError::Tile(TileError::NotTiles { .. })) if since.elapsed() < patience => rest(observer)?,
            found => return found,
        }
    }
}

/// The pieces of all tiles, in order; those that are not there are waited for until none has come
/// for as long as `patience`.
fn read_tiles(
    folder: &Path,
    store: &TileStore,
    layout: &TileLayout,
    patience: Duration,
    observer: &mut dyn Observer,
) -> Result<Vec<Kept>, BakeError> {
    let mut kept: Vec<Option<Kept>> = layout.tiles().map(|_| None).collect();
    let mut missing: Vec<Tile> = layout.tiles().collect();
    let mut since = Instant::now();
    loop {
        let mut left = Vec::new();
        for tiles in missing.chunks(READ_AT_ONCE) {
            let read = threads::map(tiles, |&tile| read_tile(store, tile));
            let read: Vec<Option<Kept>> = read.into_iter().collect::<Result<_, _>>()?;
            for (&tile, read) in tiles.iter().zip(read) {
                if read.is_none() {
                    store.refuse_foreign(tile)?;
                    left.push(tile);
                }
                kept[layout.index(tile)] = read;
            }
            let done = layout.len() - kept.iter().filter(|kept| kept.is_none()).count();
            observer.progress(done as u64, layout.len() as u64);
            go_on(observer)?;
        }
        if left.is_empty() {
            return Ok(kept.into_iter().flatten().collect());
        }
        if left.len() < missing.len() {
            since = Instant::now();
        }
        if since.elapsed() >= patience {
            let folder = folder.to_owned();
            return Err(TileError::MissingTiles { missing: left, tiles: layout.len(), folder }.into());
        }
        missing = left;
        rest(observer)?;
    }
}

fn rest(observer: &mut dyn Observer) -> Result<(), Cancelled> {
    std::thread::sleep(PAUSE);
    go_on(observer)
}
