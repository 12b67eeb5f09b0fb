//! Data common to all tiles of a bake, and the stored content of one.

use std::path::Path;

use waymesh_core::stage::StageError;
use waymesh_core::{
    FieldWindow, GridFrame, LabelledWindow, Random, RegionMap, SkippedTriangles, TriangleSource,
};
use waymesh_region::{JoinedSurfaces, SurfacePieces, label_surfaces};
use waymesh_tile::{Census, Tile, TileError, TileLayout, TileSource, TileStore};
use waymesh_voxel::{Climb, PackedField};

use super::Voxels;
use crate::bake::{BakeConfig, BakeError, ConfigError};

/// Another version may build other tiles.
pub(crate) const VERSION: &str = concat!("waymesh ", env!("CARGO_PKG_VERSION"));
const PROGRAM: &str = "waymesh ";

/// The tiles of a layout that a bake visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visited {
    /// All tiles: each has a separate file.
    All,
    /// The tiles that triangles reach into.
    WithTriangles,
}

/// Data common to all tiles of a bake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Survey {
    pub(super) frame: GridFrame,
    pub(super) layout: TileLayout,
    pub(super) triangles: u64,
    pub(super) skipped: SkippedTriangles,
    /// Hash of the triangles, the version and the settings of a tile.
    pub(super) fingerprint: u64,
}

impl Survey {
    pub(super) fn of(
        source: &dyn TriangleSource,
        tile_cells: u32,
        visited: Visited,
        config: &BakeConfig,
    ) -> Result<Self, BakeError> {
        Self::of_census(&Census::take(source, &mut |_| ())?, tile_cells, visited, config)
    }

    /// Surveys a source of which a census was taken.
    pub(super) fn of_census(
        census: &Census,
        tile_cells: u32,
        visited: Visited,
        config: &BakeConfig,
    ) -> Result<Self, BakeError> {
        let SkippedTriangles { not_finite, degenerate } = census.skipped;
        if not_finite + degenerate == census.triangles {
            let triangles = usize::try_from(census.triangles).unwrap_or(usize::MAX);
            return Err(BakeError::NoTriangles { triangles, not_finite, degenerate });
        }
        let frame = GridFrame::fit(&census.bounds, &config.scale).map_err(ConfigError::Grid)?;
        let layout = match visited {
            Visited::All => TileLayout::new(&frame, tile_cells)?,
            Visited::WithTriangles => TileLayout::sparse(&frame, tile_cells)?,
        };
        // The inputs of a tile as text: any unambiguous encoding works for a hash.
        let mut settings = format!(
            "{VERSION} {:?} {:?} {:?} {}",
            config.scale,
            config.agent,
            config.max_ledge,
            layout.side_cells()
        );
        if !config.marks.is_empty() {
            settings += &format!(" {:?}", config.marks);
        }
        if !config.height_classes.is_empty() {
            settings += &format!(" {:?}", config.height_classes);
        }
        let fingerprint = settings
            .bytes()
            .fold(census.fingerprint, |state, byte| Random::mix(state.wrapping_add(u64::from(byte) + 1)));
        Ok(Self { frame, layout, triangles: census.triangles, skipped: census.skipped, fingerprint })
    }

    /// Returns the lines that [`Survey::read`] reads.
    pub(super) fn note(&self) -> String {
        format!(
            "{VERSION}\n{}triangles {} {} {}\n",
            write_layout(&self.layout),
            self.triangles,
            self.skipped.not_finite,
            self.skipped.degenerate
        )
    }

    pub(super) fn read(fingerprint: u64, note: &str) -> Option<(Self, String)> {
        let (program, rest) = note.split_once('\n')?;
        let mut lines = (program == VERSION).then_some(rest)?.splitn(4, '\n');
        let layout = read_layout(&mut lines)?;
        let counts = words(lines.next(), "triangles ")?;
        let count = |index: usize| counts.get(index)?.parse().ok();
        let skipped = SkippedTriangles { not_finite: count(1)?, degenerate: count(2)? };
        let world = Self { frame: *layout.frame(), layout, triangles: count(0)?, skipped, fingerprint };
        Some((world, lines.next().unwrap_or_default().to_owned()))
    }

    pub(super) fn store(&self, front: &Voxels) -> Result<TileStore, BakeError> {
        Ok(match &front.folder {
            None => TileStore::in_memory(),
            Some(folder) => {
                if let Some((_, note)) = TileStore::note(folder)? {
                    check_version(folder, &note)?;
                }
                let note = self.note() + &front.note;
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

/// Stored content of a tile: its field, its pieces, and figures for the report.
pub(super) struct TileContent {
    pub(super) solid_spans: u64,
    /// For each mark of the settings `true` if it covers ground of the tile.
    pub(super) covers: Vec<bool>,
    pub(super) climbs: Vec<Climb>,
    pub(super) pieces: SurfacePieces,
    pub(super) field: PackedField,
}

/// The parts of [`TileContent`] in its bytes, not yet read.
pub(super) struct TileParts<'a> {
    pub(super) solid_spans: u64,
    pub(super) covers: &'a [u8],
    pub(super) climbs: &'a [u8],
    pub(super) pieces: &'a [u8],
    pub(super) field: &'a [u8],
}

impl TileContent {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let pieces = self.pieces.to_bytes();
        let climbs = self.climbs.len() * Climb::BYTES;
        let mut bytes =
            Vec::with_capacity(32 + self.covers.len() + climbs + pieces.len() + self.field.as_bytes().len());
        for number in [self.solid_spans, self.covers.len() as u64, climbs as u64, pieces.len() as u64] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.covers.iter().map(|&covers| u8::from(covers)));
        bytes.extend(self.climbs.iter().flat_map(Climb::to_bytes));
        bytes.extend(pieces);
        bytes.extend(self.field.as_bytes());
        bytes
    }

    pub(super) fn split(bytes: &[u8]) -> Option<TileParts<'_>> {
        let (head, rest) = bytes.split_at_checked(32)?;
        let number = |at: usize| head[at..at + 8].try_into().map(u64::from_le_bytes).ok();
        let (covers, rest) = rest.split_at_checked(usize::try_from(number(8)?).ok()?)?;
        let (climbs, rest) = rest.split_at_checked(usize::try_from(number(16)?).ok()?)?;
        let (pieces, field) = rest.split_at_checked(usize::try_from(number(24)?).ok()?)?;
        Some(TileParts { solid_spans: number(0)?, covers, climbs, pieces, field })
    }
}

/// A finished tile as the later stages need it.
pub(super) struct Kept {
    pub(super) solid_spans: u64,
    pub(super) covers: Vec<bool>,
    pub(super) climbs: Vec<Climb>,
    pub(super) pieces: SurfacePieces,
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
    let Some(bytes) = store.get(tile)? else { return Ok(None) };
    Ok(TileContent::split(&bytes).and_then(|parts| {
        let (climbs, rest) = parts.climbs.as_chunks();
        Some(Kept {
            solid_spans: parts.solid_spans,
            covers: parts.covers.iter().map(|&covers| covers != 0).collect(),
            climbs: climbs
                .iter()
                .map(Climb::from_bytes)
                .collect::<Option<_>>()
                .filter(|_| rest.is_empty())?,
            pieces: SurfacePieces::from_bytes(parts.pieces).ok()?,
        })
    }))
}

/// The field of a tile.
pub(super) fn field_of(store: &TileStore, tile: Tile) -> Result<FieldWindow, BakeError> {
    let missing = || store.missing(tile);
    let bytes = store.get(tile)?.ok_or_else(missing)?;
    let field = TileContent::split(&bytes).ok_or_else(missing)?.field;
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
