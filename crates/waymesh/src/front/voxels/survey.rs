//! Data common to all tiles of a bake, and the stored content of one.

use std::path::Path;

use waymesh_core::bytes::{Reader, Writer};
use waymesh_core::stage::StageError;
use waymesh_core::{
    FieldWindow, GridFrame, LabelledWindow, Random, RegionMap, SkippedTriangles, TriangleSource,
};
use waymesh_region::{JoinedSurfaces, SurfacePieces, label_surfaces};
use waymesh_tile::{Census, Tile, TileError, TileLayout, TileStore};
use waymesh_voxel::{Climb, PackedField};

use super::Voxels;
use crate::bake::{BakeConfig, BakeError, ConfigError};

/// Another version may build other tiles.
pub(crate) const VERSION: &str = concat!("waymesh ", env!("CARGO_PKG_VERSION"));
const PROGRAM: &str = "waymesh ";

/// Data common to all tiles of a bake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Survey {
    pub(super) layout: TileLayout,
    pub(super) triangles: u64,
    pub(super) skipped: SkippedTriangles,
    /// Hash of the triangles.
    scene: u64,
    /// Hash of the triangles, the version and the settings of a tile.
    pub(super) fingerprint: u64,
}

impl Survey {
    /// Surveys a source for bakes that visit all tiles.
    pub(super) fn of(
        source: &dyn TriangleSource,
        tile_cells: u32,
        config: &BakeConfig,
    ) -> Result<Self, BakeError> {
        Self::of_census(&Census::take(source, &mut |_| ())?, tile_cells, true, config)
    }

    /// Surveys a source of which a census was taken, for a bake that visits all tiles, or those that
    /// triangles reach into.
    pub(super) fn of_census(
        census: &Census,
        tile_cells: u32,
        visits_all: bool,
        config: &BakeConfig,
    ) -> Result<Self, BakeError> {
        let SkippedTriangles { not_finite, degenerate } = census.skipped;
        if not_finite + degenerate == census.triangles {
            let triangles = usize::try_from(census.triangles).unwrap_or(usize::MAX);
            return Err(BakeError::NoTriangles { triangles, not_finite, degenerate });
        }
        let frame = GridFrame::fit(&census.bounds, &config.scale).map_err(ConfigError::Grid)?;
        let layout = if visits_all { TileLayout::new } else { TileLayout::sparse }(&frame, tile_cells)?;
        let (skipped, scene) = (census.skipped, census.fingerprint);
        let survey = Self { layout, triangles: census.triangles, skipped, scene, fingerprint: 0 };
        Ok(Self { fingerprint: survey.fingerprint_of(config), ..survey })
    }

    /// Returns a hash of what a tile is made with besides its triangles: the grid and the settings.
    pub(super) fn hash_without_triangles(&self, config: &BakeConfig) -> u64 {
        Self { scene: write_layout(&self.layout).bytes().map(u64::from).fold(0, Random::mix_into), ..*self }
            .fingerprint_of(config)
    }

    /// Returns the fingerprint of the tiles of a bake of this scene with these settings.
    pub(super) fn fingerprint_of(&self, config: &BakeConfig) -> u64 {
        // The inputs of a tile as text: any unambiguous encoding works for a hash.
        let mut settings = format!(
            "{VERSION} {:?} {:?} {:?} {}",
            config.scale,
            config.agent,
            config.max_ledge,
            self.layout.side_cells()
        );
        if !config.marks.is_empty() {
            settings += &format!(" {:?}", config.marks);
        }
        if !config.height_classes.is_empty() {
            settings += &format!(" {:?}", config.height_classes);
        }
        settings.bytes().map(u64::from).fold(self.scene, Random::mix_into)
    }

    /// Returns the lines that [`Survey::read`] reads.
    pub(super) fn note(&self) -> String {
        format!(
            "{VERSION}\n{}triangles {} {} {} {:016x}\n",
            write_layout(&self.layout),
            self.triangles,
            self.skipped.not_finite,
            self.skipped.degenerate,
            self.scene
        )
    }

    pub(super) fn read(fingerprint: u64, note: &str) -> Option<(Self, String)> {
        let (program, rest) = note.split_once('\n')?;
        let mut lines = (program == VERSION).then_some(rest)?.splitn(4, '\n');
        let layout = read_layout(&mut lines)?;
        let counts = words(lines.next(), "triangles ")?;
        let count = |index: usize| counts.get(index)?.parse().ok();
        let skipped = SkippedTriangles { not_finite: count(1)?, degenerate: count(2)? };
        let scene = u64::from_str_radix(counts.get(3)?, 16).ok()?;
        let survey = Self { layout, triangles: count(0)?, skipped, scene, fingerprint };
        Some((survey, lines.next().unwrap_or_default().to_owned()))
    }

    pub(super) fn store(&self, front: &Voxels) -> Result<TileStore, BakeError> {
        Ok(match &front.folder {
            None => TileStore::in_memory(),
            Some(folder) => {
                let note = self.note() + &front.note;
                if front.update && folder.is_dir() {
                    return Ok(TileStore::over_folder(folder, self.fingerprint, &note)?);
                }
                if let Some((_, note)) = TileStore::note(folder)? {
                    check_version(folder, &note)?;
                }
                TileStore::in_folder(folder, self.fingerprint, &note)?
            }
        })
    }
}

/// Returns the two lines that [`read_layout`] reads.
pub(crate) fn write_layout(layout: &TileLayout) -> String {
    let frame = layout.frame();
    let bits = [frame.origin.x, frame.origin.y, frame.origin.z, frame.cell_size, frame.level_height];
    let bits = bits.map(|number| format!("{:08x}", number.to_bits())).join(" ");
    format!("frame {bits} {} {}\ntile_cells {}\n", frame.width, frame.depth, layout.side_cells())
}

/// Reads what [`write_layout`] wrote.
pub(crate) fn read_layout<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Option<TileLayout> {
    let frame = words(lines.next(), "frame ")?;
    let number = |index: usize| Some(f32::from_bits(u32::from_str_radix(frame.get(index)?, 16).ok()?));
    let frame = GridFrame {
        origin: glam::Vec3::new(number(0)?, number(1)?, number(2)?),
        cell_size: number(3)?,
        level_height: number(4)?,
        width: frame.get(5)?.parse().ok()?,
        depth: frame.get(6)?.parse().ok()?,
    };
    let side = words(lines.next(), "tile_cells ")?.first()?.parse().ok()?;
    TileLayout::new(&frame, side).ok()
}

/// The words of a line after its title.
fn words<'a>(line: Option<&'a str>, title: &str) -> Option<Vec<&'a str>> {
    Some(line?.strip_prefix(title)?.split_whitespace().collect())
}

/// Content of a finished tile but for its field: what is needed of all tiles at once.
pub(super) struct Kept {
    pub(super) solid_spans: u64,
    /// Hash of the triangles, the grid and the settings.
    pub(super) hash: u64,
    /// For each mark of the settings `true` if it covers ground of the tile.
    pub(super) covers: Vec<bool>,
    pub(super) climbs: Vec<Climb>,
    pub(super) pieces: SurfacePieces,
}

impl Kept {
    /// Returns the stored content of the tile.
    pub(super) fn to_bytes(&self, field: &PackedField) -> Vec<u8> {
        let pieces = self.pieces.to_bytes();
        let lengths = [self.covers.len(), self.climbs.len() * Climb::BYTES, pieces.len()];
        let bytes = 40 + lengths.iter().sum::<usize>() + field.as_bytes().len();
        let mut out = Writer(Vec::with_capacity(bytes));
        out.put([self.solid_spans, self.hash]);
        out.put(lengths.map(|length| length as u64));
        out.0.extend(self.covers.iter().map(|&covers| u8::from(covers)));
        self.climbs.iter().for_each(|climb| climb.write(&mut out));
        out.0.extend(pieces);
        out.0.extend(field.as_bytes());
        out.0
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let ([solid_spans, hash], [covers, climbs, pieces, _]) = split(bytes)?;
        let (climbs, rest) = climbs.as_chunks::<{ Climb::BYTES }>();
        let climbs = climbs.iter().map(|bytes| Climb::read(&mut Reader::new(bytes))).collect::<Option<_>>();
        Some(Self {
            solid_spans,
            hash,
            covers: covers.iter().map(|&covers| covers != 0).collect(),
            climbs: climbs.filter(|_| rest.is_empty())?,
            pieces: SurfacePieces::from_bytes(pieces).ok()?,
        })
    }
}

/// Returns the number of solid spans and the hash of stored content, and the bytes of covered
/// marks, climbs, pieces and field.
fn split(bytes: &[u8]) -> Option<([u64; 2], [&[u8]; 4])> {
    let mut from = Reader::new(bytes);
    let [solid_spans, hash, lengths @ ..]: [u64; 5] = from.get()?;
    let [covers, climbs, pieces] = lengths.map(|length| from.take(usize::try_from(length).ok()?));
    Some(([solid_spans, hash], [covers?, climbs?, pieces?, from.rest()]))
}

/// Returns the survey of a folder of tiles, and the text stored with it.
pub(super) fn read_survey(folder: &Path) -> Result<(Survey, String), BakeError> {
    let unknown = || TileError::NotTiles { folder: folder.to_owned() };
    let (fingerprint, note) = TileStore::note(folder)?.ok_or_else(unknown)?;
    check_version(folder, &note)?;
    Survey::read(fingerprint, &note).ok_or_else(|| unknown().into())
}

/// Refuses a folder that another version of the program began.
pub(crate) fn check_version(folder: &Path, note: &str) -> Result<(), TileError> {
    let found = note.lines().next().unwrap_or_default();
    if found == VERSION || !found.starts_with(PROGRAM) {
        return Ok(());
    }
    let path = folder.join(TileStore::MANIFEST);
    Err(TileError::OtherVersion { path, expected: VERSION.to_owned(), found: found.to_owned() })
}

/// The pieces of a tile, if the store has it undamaged.
pub(super) fn read_tile(store: &TileStore, tile: Tile) -> Result<Option<Kept>, BakeError> {
    Ok(store.get(tile)?.and_then(|bytes| Kept::from_bytes(&bytes)))
}

/// The field of a tile.
pub(super) fn field_of(store: &TileStore, tile: Tile) -> Result<FieldWindow, BakeError> {
    let missing = || store.missing(tile);
    let bytes = store.get(tile)?.ok_or_else(missing)?;
    let (_, [.., field]) = split(&bytes).ok_or_else(missing)?;
    Ok(PackedField::unpack_bytes(field).map_err(StageError::at("tiles"))?)
}

/// The field of a tile with its regions.
pub(super) fn labelled(
    store: &TileStore,
    surfaces: &JoinedSurfaces,
    tile: Tile,
) -> Result<LabelledWindow, BakeError> {
    let part = field_of(store, tile)?;
    let regions: RegionMap = label_surfaces(&part, surfaces).map_err(StageError::at("partition"))?;
    Ok(LabelledWindow { part, regions })
}
