//! Borders and heights of earlier bakes in a folder of tiles, by hashes of what they depend on.
//!
//! An entry is right for every scene and all settings with its hash: an update, a bake that was
//! killed, and a change that is taken back all find what is theirs.

use std::collections::BTreeMap;
use std::ops::Range;

use waymesh_contour::BorderChains;
use waymesh_core::bytes::{Reader, Writer};
use waymesh_core::stage::StageError;
use waymesh_core::{GridWindow, NO_REGION, PolyMesh, Random, to_u32};
use waymesh_detail::{DetailConfig, fit_inputs};
use waymesh_region::JoinedSurfaces;
use waymesh_tile::{Tile, TileLayout, TileStore};

use super::survey::VERSION;

/// File of the entries.
const ENTRIES_FILE: &str = "joined.cache";
/// First bytes of the file. The last byte is the version of the layout.
const ENTRIES_MAGIC: [u8; 8] = *b"WAYJOIN\x01";

/// Inputs of the results of a bake in tiles, after its tiles are joined.
pub(super) struct Inputs {
    layout: TileLayout,
    tiles: Vec<Tile>,
    /// For each tile, a hash of its spans and of their regions.
    hashes: Vec<u64>,
    /// For each tile, the regions in it, ascending.
    regions: Vec<Vec<u32>>,
    /// For each region, a hash of its first span.
    names: Vec<u64>,
}

impl Inputs {
    /// `hashes` are those of the content of each tile.
    pub(super) fn new(
        layout: TileLayout,
        tiles: &[Tile],
        hashes: impl Iterator<Item = u64>,
        surfaces: &JoinedSurfaces,
    ) -> Self {
        let numbers = surfaces.firsts().iter().map(|first| [first.z, first.x, first.floor.cast_unsigned()]);
        let names: Vec<u64> =
            numbers.map(|first| first.into_iter().map(u64::from).fold(0, Random::mix_into)).collect();
        let of_tile = |(part, (tile, hash)): (usize, (&Tile, u64))| {
            let regions = surfaces.regions_of(part);
            let place = [tile.row, tile.column].map(u64::from).into_iter().fold(hash, Random::mix_into);
            regions.iter().map(|&region| name_of(&names, region)).fold(place, Random::mix_into)
        };
        let hashes = tiles.iter().zip(hashes).enumerate().map(of_tile).collect();
        let distinct = |part: usize| {
            let mut regions = surfaces.regions_of(part).to_vec();
            regions.sort_unstable();
            regions.dedup();
            regions.retain(|&region| region != NO_REGION);
            regions
        };
        let regions = (0..tiles.len()).map(distinct).collect();
        Self { layout, tiles: tiles.to_vec(), hashes, regions, names }
    }

    /// Returns the indices of the tiles with ground in a window or next to it.
    fn over(&self, window: GridWindow) -> impl Iterator<Item = usize> {
        let over = self.layout.tiles_over(&window.grown(1, self.layout.frame()));
        over.filter_map(|tile| self.tiles.binary_search(&tile).ok())
    }

    fn hash_over(&self, start: u64, window: GridWindow) -> u64 {
        self.over(window).map(|tile| self.hashes[tile]).fold(start, Random::mix_into)
    }

    /// Returns the hash of the borders in a tile, and the regions that they may have, ascending. Their
    /// order gives borders their sides; their first spans are in that order.
    pub(super) fn of_borders(&self, tile: usize) -> (u64, Vec<u32>) {
        let core = self.layout.core(self.tiles[tile]);
        let around = self.over(core).flat_map(|tile| &self.regions[tile]);
        let mut regions: Vec<u32> = around.copied().collect();
        regions.sort_unstable();
        regions.dedup();
        (self.hash_over(Random::mix_into(0, self.hashes[tile]), core), regions)
    }

    /// Returns the hash of the heights in each polygon.
    pub(super) fn of_heights(&self, mesh: &PolyMesh, config: &DetailConfig) -> Result<Vec<u64>, StageError> {
        let inputs = fit_inputs(mesh, config, |region| name_of(&self.names, region));
        let inputs = inputs.map_err(StageError::at("detail"))?.into_iter();
        let hash = |(polygon, window): (u64, GridWindow)| {
            if window.is_empty() { polygon } else { self.hash_over(polygon, window) }
        };
        Ok(inputs.map(hash).collect())
    }
}

/// The name of a region, or of none.
fn name_of(names: &[u64], region: u32) -> u64 {
    names.get(region as usize).copied().unwrap_or(0)
}

/// Returns the bytes of the borders of a tile; `regions` are those of [`Inputs::of_borders`].
pub(super) fn write_borders(borders: &BorderChains, regions: &[u32]) -> Vec<u8> {
    borders.to_bytes(|region| to_u32(regions.partition_point(|&other| other < region)))
}

/// Returns the borders of a tile.
pub(super) fn read_borders(bytes: &[u8], regions: &[u32]) -> Option<BorderChains> {
    BorderChains::from_bytes(bytes, |number| regions.get(number as usize).copied())
}

/// The entries of a folder, and those of this bake.
#[derive(Default)]
pub(super) struct Known {
    bytes: Vec<u8>,
    places: BTreeMap<u64, Range<usize>>,
    used: BTreeMap<u64, Option<Vec<u8>>>,
}

impl Known {
    /// Reads the entries of a folder: none if there is no file, or a damaged one.
    pub(super) fn read(store: &TileStore) -> Self {
        let bytes = store.read_aside(ENTRIES_FILE).unwrap_or_default();
        let mut from = Reader::new(&bytes);
        let mut read = || {
            from.get().filter(|magic: &[u8; 8]| *magic == ENTRIES_MAGIC)?;
            // Another version may find other borders and heights.
            from.take(VERSION.len()).filter(|version| *version == VERSION.as_bytes())?;
            let heads: Vec<(u64, usize)> = from.counted(9, |from| Some((from.get()?, from.number()?)))?;
            let mut places = BTreeMap::new();
            for (hash, len) in heads {
                let start = from.at();
                from.take(len)?;
                places.insert(hash, start..from.at());
            }
            Some(places)
        };
        let places = read().unwrap_or_default();
        Self { bytes, places, used: BTreeMap::new() }
    }

    pub(super) fn get(&self, hash: u64) -> Option<&[u8]> {
        self.places.get(&hash).map(|place| &self.bytes[place.clone()])
    }

    /// Notes an entry of this bake: new content, or what the folder has.
    pub(super) fn put(&mut self, hash: u64, content: Option<Vec<u8>>) {
        self.used.insert(hash, content);
    }

    /// Writes the entries of this bake, if they are not those of the folder. A folder that cannot be
    /// written keeps its own: they only cost time.
    pub(super) fn write(self, store: &TileStore) {
        if self.used.len() == self.places.len() && self.used.values().all(Option::is_none) {
            return;
        }
        let mut entries: Vec<(u64, &[u8])> = Vec::with_capacity(self.used.len());
        for (&hash, new) in &self.used {
            entries.extend(new.as_deref().or_else(|| self.get(hash)).map(|content| (hash, content)));
        }
        let mut out = Writer::default();
        out.put(ENTRIES_MAGIC);
        out.0.extend(VERSION.as_bytes());
        out.count(entries.len());
        for (hash, content) in &entries {
            out.put(*hash);
            out.count(content.len());
        }
        entries.iter().for_each(|(_, content)| out.0.extend(*content));
        drop(store.write_aside(ENTRIES_FILE, &out.0));
    }
}
