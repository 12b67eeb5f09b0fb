//! Tiles that are baked once, written, and read where they are needed.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use glam::Vec3;
use waymesh_core::{Observer, saturating_u32, threads};
use waymesh_tile::{Tile, TileError, TileStore, tile_from_bytes, tile_to_bytes};
use waymesh_voxel::PackedHeightfield;

use super::World;
use super::build::failed;
use super::join::key;
use super::kept::SharedVoxels;
use super::prebaked::{Digests, Prebaked, digest};
use super::tile_file;
use crate::bake::{BakeError, Baker, go_on};
use crate::front::Voxels;
use crate::front::voxels::{VERSION, check_version, read_layout, write_layout};

/// Second line of what is noted in a folder of a world's tiles, after the version.
const TITLE: &str = "world";
/// Tiles written side by side before the observer is asked.
const WRITTEN_AT_ONCE: usize = 64;

impl World {
    /// Returns the tile at a position, by x and z; `None` outside the grid.
    #[must_use]
    pub fn tile_at(&self, position: Vec3) -> Option<Tile> {
        let frame = self.layout().frame();
        let [x, _, z] = frame.to_grid(position);
        let is_inside = x >= 0.0 && z >= 0.0 && x < f64::from(frame.width) && z < f64::from(frame.depth);
        let place = |at: f64| saturating_u32(at.floor()) / self.layout().side_cells();
        is_inside.then(|| Tile { row: place(z), column: place(x) })
    }

    /// An empty world with the grid of a folder that [`World::write_tiles`] wrote, for
    /// [`World::load_tile`]. No tile is read yet.
    ///
    /// # Errors
    /// [`TileError::NotTiles`] if it is no such folder; [`BakeError::Tile`] if it was written by
    /// another version or with other settings; see [`World::new`].
    pub fn open(baker: Baker<Voxels>, folder: &Path) -> Result<Self, BakeError> {
        let unknown = || TileError::NotTiles { folder: folder.to_owned() };
        let manifest = TileStore::manifest(folder)?.ok_or_else(unknown)?;
        let mut world = Self::from_manifest(baker, &manifest, folder)?;
        world.folder = Some(TileStore::in_folder(folder, world.fingerprint(), "")?);
        Ok(world)
    }

    /// Opens a world from the text of the folder's manifest ([`TileStore::MANIFEST`]), for callers that
    /// read the files themselves, such as from an archive, and add tiles by [`World::read_tile_of`].
    /// `folder` is its name in errors.
    ///
    /// # Errors
    /// See [`World::open`].
    pub fn from_manifest(baker: Baker<Voxels>, manifest: &str, folder: &Path) -> Result<Self, BakeError> {
        baker.check()?;
        let path = folder.join(TileStore::MANIFEST);
        let (found, note) = TileStore::parse_note(manifest, &path)?;
        check_version(folder, &note)?;
        let mut lines = note.lines().skip(1);
        let is_world = lines.next() == Some(TITLE);
        let layout = is_world.then(|| read_layout(&mut lines)).flatten();
        let layout = layout.ok_or_else(|| TileError::NotTiles { folder: folder.to_owned() })?;
        let world = Self::on(baker, layout)?;
        let expected = world.fingerprint();
        if found != expected {
            return Err(TileError::OtherBake { path: folder.to_owned(), expected, found }.into());
        }
        Ok(world)
    }

    /// Puts a tile in from the folder that the world was opened from: see [`World::read_tile`].
    /// Returns `false` if the folder has no such tile, or the world has no folder.
    ///
    /// # Errors
    /// [`TileError::NoSuchTile`] if the world has no such tile; [`BakeError::Tile`] for a file that
    /// cannot be read, is damaged, or is of another version or of other settings.
    pub fn load_tile(&mut self, tile: Tile) -> Result<bool, BakeError> {
        self.layout().check(tile)?;
        let Some(folder) = &self.folder else { return Ok(false) };
        let Some(content) = folder.fetch(tile)? else { return Ok(false) };
        let path = folder.file(tile).unwrap_or_default();
        self.put_tile(tile, &content, &path)?;
        Ok(true)
    }

    /// Puts a tile in that [`World::write_tile`] wrote, in place of what was there. Its bytes may be
    /// read or mapped. Takes time and memory in proportion to them: nothing is baked, neither now nor
    /// in the update, unless something is different from where it was written.
    ///
    /// # Guarantees
    /// - The mesh equals that of a rebuilt tile. The tile is rebuilt from its voxels if an obstacle or
    ///   mark is near it, or a neighbour differs from the one at writing.
    /// - Towards a missing neighbour it has the ground of the world that it was written in, up
    ///   to its border: its file has the voxels around it. Heights at the very corners of such tiles
    ///   may differ from those of a whole world by the bound of heights.
    /// - With all tiles of the world that it was written in, the bytes are those of that world.
    ///
    /// # Errors
    /// [`BakeError::Tile`] for bytes that are damaged, or of another version, grid or settings;
    /// [`TileError::NoSuchTile`] if the world has no such tile. The world then stays as it was.
    /// Damage to packed voxels that the checksum does not show is an error of the update that reads
    /// them.
    pub fn read_tile(&mut self, bytes: &[u8]) -> Result<Tile, BakeError> {
        let path = Path::new("a tile");
        let (tile, content) = tile_from_bytes(bytes, self.fingerprint(), path)?;
        self.layout().check(tile)?;
        self.put_tile(tile, content, path)?;
        Ok(tile)
    }

    /// Reads the file of this tile only, as [`World::read_tile`] does. `path` names it in errors.
    ///
    /// # Errors
    /// See [`World::read_tile`]; [`BakeError::Tile`] as well for the bytes of another tile.
    pub fn read_tile_of(&mut self, tile: Tile, bytes: &[u8], path: &Path) -> Result<(), BakeError> {
        self.layout().check(tile)?;
        let (found, content) = tile_from_bytes(bytes, self.fingerprint(), path)?;
        if found != tile {
            return Err(TileError::other_tile(path).into());
        }
        self.put_tile(tile, content, path)
    }

    fn put_tile(&mut self, tile: Tile, content: &[u8], path: &Path) -> Result<(), BakeError> {
        let columns = [self.layout().core(tile), self.ground.window(tile)];
        let kept = tile_file::from_bytes(content, self.ground.frame(), columns)
            .ok_or_else(|| TileError::Damaged { path: path.to_owned(), what: "its content makes no tile" })?;
        self.put(tile, kept);
        Ok(())
    }

    /// Writes a tile, and what was baked of it, for [`World::read_tile`]. Obstacles, marks and links of
    /// the world are not part of it. Near obstacles and marks the tile is built once more without them,
    /// and its heights are not written.
    ///
    /// # Errors
    /// [`TileError::NotUpdated`] if the world has changed since its last update;
    /// [`TileError::NoSuchTile`] and [`TileError::MissingTile`] if the world has no such tile or it is
    /// not there; [`TileError::Io`] if it cannot be written.
    pub fn write_tile(&self, tile: Tile, out: &mut dyn Write) -> Result<(), BakeError> {
        let content = self.tile_content(tile, &SharedVoxels::default())?;
        let bytes = tile_to_bytes(tile, self.fingerprint(), &content);
        out.write_all(&bytes)
            .map_err(|source| TileError::Io { action: "write", path: tile.file_name().into(), source }.into())
    }

    /// Writes all existing tiles into a folder, each as [`World::write_tile`] does, for
    /// [`World::open`]. A missing folder is made; tiles of other worlds with equal grid and settings
    /// stay in it. Every file is complete or missing, whatever happens meanwhile.
    ///
    /// # Errors
    /// [`BakeError::Tile`] if the folder has tiles of another grid, of other settings or of another
    /// version, or cannot be written; [`TileError::NotUpdated`]; if the observer ends it.
    pub fn write_tiles(&self, folder: &Path, observer: &mut dyn Observer) -> Result<(), BakeError> {
        if let Some((_, note)) = TileStore::note(folder)? {
            check_version(folder, &note)?;
        }
        let note = format!("{VERSION}\n{TITLE}\n{}", write_layout(self.layout()));
        let store = TileStore::in_folder(folder, self.fingerprint(), &note)?;
        let tiles: Vec<Tile> = self.tiles().collect();
        let mut done = 0;
        for some in tiles.chunks(WRITTEN_AT_ONCE) {
            go_on(observer)?;
            let shared = self.ground.shared(some);
            let write =
                |&tile: &Tile| Ok::<_, BakeError>(store.put(tile, self.tile_content(tile, &shared)?)?);
            self.ground
                .stages
                .in_pool(|| threads::map(some, write).into_iter().collect::<Result<(), _>>())??;
            done += some.len() as u64;
            observer.progress(done, tiles.len() as u64);
        }
        Ok(())
    }

    fn tile_content(&self, tile: Tile, shared: &SharedVoxels) -> Result<Vec<u8>, BakeError> {
        if self.is_dirty() {
            return Err(TileError::NotUpdated.into());
        }
        self.layout().check(tile)?;
        let (ground, layout) = (&self.ground, self.layout());
        let own = ground.kept.get(&tile).ok_or(TileError::MissingTile { tile, folder: None })?;
        let solid = PackedHeightfield::pack(&ground.voxels(tile, own, shared)?).map_err(failed)?;
        let write = |prebaked: &Prebaked| tile_file::to_bytes(own.digest(), &solid, &own.triangles, prebaked);
        if let Some(prebaked) = ground.prebaked(tile).filter(|_| ground.is_undisturbed(tile)) {
            return Ok(write(prebaked));
        }
        let built = match self.parts.built(tile) {
            Some(built) if ground.is_undisturbed(tile) => Some(built.clone()),
            _ => ground.build_with(tile, &[], &[], shared)?,
        };
        let built = built.ok_or(TileError::MissingTile { tile, folder: None })?;
        let core = layout.core(tile).grown(1, layout.frame());
        let is_pure = layout.tiles_over(&core).all(|tile| ground.is_undisturbed(tile));
        let made = if is_pure { self.mesh.tile(key(tile)) } else { None };
        let patch = made.and_then(|made| made.surface).map(Arc::new);
        let around = layout.tiles_over(&ground.window(tile)).filter(|&other| other != tile);
        let around = around.filter_map(|other| {
            let voxels = ground.kept.get(&other)?.digest();
            Some((other, Digests { voxels, built: self.parts.built(other)?.digest() }))
        });
        Ok(write(&Prebaked { built, patch, around: around.collect() }))
    }

    /// Returns the checksum of the inputs of a tile without its triangles: version, grid and settings.
    /// Replaced stages are known by name only.
    fn fingerprint(&self) -> u64 {
        let stages = &self.ground.stages;
        let defaults = crate::BakeConfig::default();
        let config = stages
            .config()
            .clone()
            .with_threads(defaults.threads)
            .with_max_memory_bytes(defaults.max_memory_bytes)
            .with_validate_stages(defaults.validate_stages)
            .with_areas(defaults.areas);
        let replaced = stages.replaced().into_iter().filter_map(|(method, is_replaced)| {
            (is_replaced && method != "with_raster_device").then_some(method)
        });
        let (replaced, layout) = (replaced.collect::<Vec<_>>(), write_layout(self.layout()));
        digest(format!("{VERSION} {TITLE} {config:?} {replaced:?} {layout}").as_bytes())
    }
}
