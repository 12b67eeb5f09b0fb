//! Bins: sorts triangles into the tiles that need them, with a spill file for triangles that do not
//! fit in memory.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use glam::Vec3;
use waymesh_core::bytes::{Reader, Writer};
use waymesh_core::stage::StageError;
use waymesh_core::{
    AreaId, Bounds, GridWindow, PlacedTriangles, TriangleSoup, TriangleSource, checkpoint, has_area,
    saturating_u32,
};

use crate::{Tile, TileError, TileLayout};

/// Bytes of a triangle in memory and in the spill file.
const TRIANGLE_BYTES: usize = size_of::<[Vec3; 3]>();

/// Configuration of [`TriangleBins`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BinsConfig {
    /// Limit in bytes for the triangles held in memory. Further triangles go to the spill file.
    /// Default 256 MiB.
    pub memory_bytes: u64,
    /// Folder of the spill file. Default: the system's folder for temporary files.
    pub folder: Option<PathBuf>,
}

impl Default for BinsConfig {
    fn default() -> Self {
        Self { memory_bytes: 256 << 20, folder: None }
    }
}

waymesh_core::setters! {
    impl BinsConfig {
        with_memory_bytes(memory_bytes: u64);
        with_folder(folder: Option<PathBuf>);
    }
}

/// A run of triangles of one tile in the spill file. Their areas, if they have any, follow.
#[derive(Clone, Copy, Debug)]
struct Run {
    offset: u64,
    triangles: usize,
    has_areas: bool,
}

/// The triangles of a tile that are in memory.
#[derive(Clone, Debug, Default)]
struct Held {
    triangles: Vec<[Vec3; 3]>,
    /// Empty while all are [`AreaId::GROUND`].
    areas: Vec<AreaId>,
}

/// The triangles of a tile.
#[derive(Clone, Debug, Default)]
struct Bin {
    held: Held,
    runs: Vec<Run>,
}

impl Bin {
    /// Number of triangles.
    fn count(&self) -> usize {
        self.held.triangles.len() + self.runs.iter().map(|run| run.triangles).sum::<usize>()
    }
}

impl Held {
    fn push(&mut self, corners: [Vec3; 3], area: AreaId) {
        area.push(&mut self.areas, self.triangles.len());
        self.triangles.push(corners);
    }
}

/// The triangles of every tile: those that reach into its core or into the halo around it.
///
/// # Guarantees
/// - A triangle is in the bin of every tile whose core, grown by the halo, it may touch. The test
///   uses its bounding box, with a cell of slack. Broken triangles (not finite, or without area)
///   are in no bin.
/// - Triangles that the source finds by their place ([`TriangleSource::placed`]) are not sorted:
///   a bin reads those at its place.
/// - The spill file has no name, and is deleted with the process, also after a crash.
///
/// # Cost
/// One pass over the source; time and memory depend on the tiles with triangles, not on all tiles.
/// Memory stays within the configured bytes plus a few words per run; runs are written when memory
/// is full, so a tile has at most one run for each time that memory was full.
#[derive(Debug)]
pub struct TriangleBins {
    placed: Vec<Arc<dyn PlacedTriangles>>,
    layout: TileLayout,
    halo_cells: u32,
    /// Bins of the tiles with triangles.
    bins: BTreeMap<Tile, Bin>,
    spill: Option<Mutex<File>>,
    folder: PathBuf,
    spilled_bytes: u64,
}

/// Returns the system's folder for temporary files. On systems without files `std::env::temp_dir`
/// panics; there a spill fails with an error.
fn temporary_folder() -> PathBuf {
    let has_files = cfg!(not(all(target_family = "wasm", target_os = "unknown")));
    if has_files { std::env::temp_dir() } else { PathBuf::new() }
}

impl TriangleBins {
    /// Sorts all triangles of `source`.
    ///
    /// # Errors
    /// Returns an error if the source cannot be read or the spill file cannot be written.
    pub fn sort(
        source: &dyn TriangleSource,
        layout: &TileLayout,
        halo_cells: u32,
        config: &BinsConfig,
    ) -> Result<Self, TileError> {
        Self::sort_for(source, layout, halo_cells, |_| true, config)
    }

    /// Sorts all triangles of `source` into the tiles for which `is_wanted` returns `true`.
    ///
    /// # Errors
    /// See [`TriangleBins::sort`].
    pub fn sort_for(
        source: &dyn TriangleSource,
        layout: &TileLayout,
        halo_cells: u32,
        is_wanted: impl Fn(Tile) -> bool,
        config: &BinsConfig,
    ) -> Result<Self, TileError> {
        let mut bins = Self {
            placed: source.placed(),
            layout: *layout,
            halo_cells,
            bins: BTreeMap::new(),
            spill: None,
            folder: config.folder.clone().unwrap_or_else(temporary_folder),
            spilled_bytes: 0,
        };
        let limit = usize::try_from(config.memory_bytes / TRIANGLE_BYTES as u64).unwrap_or(usize::MAX).max(1);
        let mut held = 0;
        source.visit_others(&mut |triangles, areas| {
            let areas = areas.iter().copied().chain(std::iter::repeat(AreaId::GROUND));
            checkpoint();
            for (&corners, area) in triangles.iter().zip(areas) {
                if !has_area(corners) || !corners.iter().all(|corner| corner.is_finite()) {
                    continue;
                }
                let Some(window) = bins.reach(corners) else { continue };
                for tile in bins.layout.tiles_over(&window) {
                    let bin = match bins.bins.entry(tile) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(new) if is_wanted(tile) => new.insert(Bin::default()),
                        Entry::Vacant(_) => continue,
                    };
                    bin.held.push(corners, area);
                    held += 1;
                }
            }
            if held > limit {
                held = 0;
                bins.spill().map_err(|error| StageError::new("tile", error))?;
            }
            Ok(())
        })?;
        for placed in &bins.placed {
            let Bounds { min, max } = placed.bounds();
            let tiles = bins.reach([min, max, max]).into_iter().flat_map(|window| layout.tiles_over(&window));
            for tile in tiles.filter(|&tile| is_wanted(tile)) {
                bins.bins.entry(tile).or_default();
            }
        }
        Ok(bins)
    }

    /// Returns the cells whose tiles need a finite triangle.
    fn reach(&self, corners: [Vec3; 3]) -> Option<GridWindow> {
        let frame = self.layout.frame();
        let slack = f64::from(self.halo_cells) + 1.0;
        let range = |axis: usize, count: u32| {
            let at = corners.map(|corner| frame.to_grid(corner)[axis]);
            let low = (at[0].min(at[1]).min(at[2]) - slack).floor().max(0.0);
            let high = (at[0].max(at[1]).max(at[2]) + slack).ceil().min(f64::from(count));
            (low < high).then(|| (saturating_u32(low), saturating_u32(high)))
        };
        let (x, z) = (range(0, frame.width)?, range(2, frame.depth)?);
        Some(GridWindow::new(x.0, z.0, x.1 - x.0, z.1 - z.0))
    }

    /// Returns the box of a tile and its halo, with a cell of slack; its heights have no meaning.
    fn place(&self, tile: Tile) -> Bounds {
        let frame = self.layout.frame();
        let GridWindow { x, z, .. } = self.layout.core(tile);
        let slack = f64::from(self.halo_cells) + 1.0;
        let side = f64::from(self.layout.side_cells());
        let corner = |add: f64| frame.to_world(f64::from(x) + add, 0.0, f64::from(z) + add);
        Bounds { min: corner(-slack), max: corner(side + slack) }
    }

    /// Appends all triangles held in memory to the spill file.
    fn spill(&mut self) -> Result<(), TileError> {
        let failed = |action, source| TileError::Io { action, path: self.folder.clone(), source };
        if self.spill.is_none() {
            let file = tempfile::tempfile_in(&self.folder)
                .map_err(|error| failed("create a spill file in", error))?;
            self.spill = Some(Mutex::new(file));
        }
        let Some(file) = &self.spill else { return Ok(()) };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = Writer::default();
        for Bin { held, runs } in self.bins.values_mut() {
            if held.triangles.is_empty() {
                continue;
            }
            bytes.0.clear();
            bytes.put_all(held.triangles.iter().flatten().map(|corner| corner.to_array()));
            bytes.put_all(held.areas.iter().map(|area| area.0));
            let written =
                file.seek(SeekFrom::Start(self.spilled_bytes)).and_then(|_| file.write_all(&bytes.0));
            written.map_err(|error| failed("write a spill file in", error))?;
            let (triangles, has_areas) = (held.triangles.len(), !held.areas.is_empty());
            runs.push(Run { offset: self.spilled_bytes, triangles, has_areas });
            self.spilled_bytes += bytes.0.len() as u64;
            // The capacity is freed, because other tiles fill up as the source is read on.
            *held = Held::default();
        }
        Ok(())
    }

    /// Returns the number of bytes in the spill file.
    #[must_use]
    pub fn spilled_bytes(&self) -> u64 {
        self.spilled_bytes
    }

    /// Returns the number of triangles in the bin of `tile`; with triangles that are found by their
    /// place, an upper bound.
    #[must_use]
    pub fn count(&self, tile: Tile) -> usize {
        let place = self.place(tile);
        let placed: usize = self.placed.iter().map(|placed| placed.count_in(&place)).sum();
        self.bins.get(&tile).map_or(0, Bin::count) + placed
    }

    /// Returns the tiles with triangles, row by row.
    pub fn tiles(&self) -> impl Iterator<Item = Tile> {
        self.bins.keys().copied()
    }

    /// Returns the triangles in the bin of `tile`, with three vertices each.
    ///
    /// # Errors
    /// Returns an error if the spill file cannot be read, or if there are more vertices than a soup
    /// can index.
    pub fn soup(&self, tile: Tile) -> Result<TriangleSoup, TileError> {
        let none = Bin::default();
        let bin = self.bins.get(&tile).unwrap_or(&none);
        let Bin { held, runs } = bin;
        let mut positions = Vec::with_capacity(3 * self.count(tile));
        let mut areas = Vec::new();
        if !held.areas.is_empty() || runs.iter().any(|run| run.has_areas) {
            areas.resize(bin.count(), AreaId::GROUND);
        }
        for run in runs {
            self.read(run, &mut positions, &mut areas)?;
        }
        if !held.areas.is_empty() {
            areas[positions.len() / 3..].copy_from_slice(&held.areas);
        }
        positions.extend(held.triangles.iter().flatten());
        let place = self.place(tile);
        for placed in &self.placed {
            placed.visit_in(&place, &mut |triangles, of_triangles| {
                let of_triangles = of_triangles.iter().copied().chain(std::iter::repeat(AreaId::GROUND));
                for (corners, area) in triangles.iter().zip(of_triangles) {
                    area.push(&mut areas, positions.len() / 3);
                    positions.extend(corners);
                }
                Ok(())
            })?;
        }
        let triangles = (0..positions.len() / 3)
            .map(|triangle| [0, 1, 2].map(|corner| u32::try_from(3 * triangle + corner).unwrap_or(u32::MAX)))
            .collect();
        let soup = TriangleSoup::new(positions, triangles);
        let soup = soup.and_then(|soup| if areas.is_empty() { Ok(soup) } else { soup.with_areas(areas) });
        soup.map_err(|error| StageError::new("tile", error).into())
    }

    fn read(&self, run: &Run, positions: &mut Vec<Vec3>, areas: &mut [AreaId]) -> Result<(), TileError> {
        let Some(file) = &self.spill else { return Ok(()) };
        let corners = run.triangles * TRIANGLE_BYTES;
        let mut bytes = vec![0; corners + if run.has_areas { run.triangles } else { 0 }];
        {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(run.offset)).and_then(|_| file.read_exact(&mut bytes)).map_err(
                |source| TileError::Io { action: "read a spill file in", path: self.folder.clone(), source },
            )?;
        }
        let (corners, of_run) = bytes.split_at(corners);
        let first = positions.len() / 3;
        for (area, &byte) in areas.iter_mut().skip(first).zip(of_run) {
            *area = AreaId(byte);
        }
        let mut corners = Reader::new(corners);
        positions.extend((0..3 * run.triangles).map(|_| Vec3::from_array(corners.or_zero())));
        Ok(())
    }
}
