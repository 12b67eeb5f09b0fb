//! Triangles sorted into the tiles they matter to, on disk where memory ends.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use glam::Vec3;
use waymesh_core::stage::StageError;
use waymesh_core::{GridWindow, TriangleSoup, TriangleSource, has_area};

use crate::{Tile, TileError, TileLayout};

/// Bytes of a triangle in memory and in the spill file.
const TRIANGLE_BYTES: usize = size_of::<[Vec3; 3]>();

/// How triangles are sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BinsConfig {
    /// Most bytes of triangles held in memory; what is more goes to the spill file. Default 256
    /// MiB.
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

/// A run of triangles of one tile in the spill file.
#[derive(Clone, Copy, Debug)]
struct Run {
    offset: u64,
    triangles: usize,
}

/// The triangles of every tile: those that reach into its core or within the halo around it.
///
/// # Guarantees
/// - A triangle is in the bin of every tile whose core grown by the halo it may touch, and never in
///   a bin far from it: its bounding box decides, with a cell of slack. Broken triangles (not
///   finite, without area) are in none.
/// - The spill file has no name, and is gone with the process, however that ends.
///
/// # Cost
/// One pass over the source. Memory stays within the configured bytes plus a few words per run; a
/// run is written when memory is full, so that there are at most as many per tile as memory was
/// filled times.
#[derive(Debug)]
pub struct TriangleBins {
    layout: TileLayout,
    halo_cells: u32,
    held: Vec<Vec<[Vec3; 3]>>,
    runs: Vec<Vec<Run>>,
    spill: Option<Mutex<File>>,
    folder: PathBuf,
    spilled_bytes: u64,
}

impl TriangleBins {
    /// Sorts all triangles of `source`.
    ///
    /// # Errors
    /// If the source cannot be read, or the spill file not be written.
    pub fn sort(
        source: &dyn TriangleSource,
        layout: &TileLayout,
        halo_cells: u32,
        config: &BinsConfig,
    ) -> Result<Self, TileError> {
        Self::sort_for(source, layout, halo_cells, |_| true, config)
    }

    /// As [`TriangleBins::sort`], but only for the tiles that `is_wanted`.
    ///
    /// # Errors
    /// As [`TriangleBins::sort`].
    pub fn sort_for(
        source: &dyn TriangleSource,
        layout: &TileLayout,
        halo_cells: u32,
        is_wanted: impl Fn(Tile) -> bool,
        config: &BinsConfig,
    ) -> Result<Self, TileError> {
        let wanted: Vec<bool> = layout.tiles().map(is_wanted).collect();
        let mut bins = Self {
            layout: *layout,
            halo_cells,
            held: vec![Vec::new(); layout.len()],
            runs: vec![Vec::new(); layout.len()],
            spill: None,
            folder: config.folder.clone().unwrap_or_else(std::env::temp_dir),
            spilled_bytes: 0,
        };
        let limit = usize::try_from(config.memory_bytes / TRIANGLE_BYTES as u64).unwrap_or(usize::MAX).max(1);
        let mut held = 0;
        source.visit(&mut |triangles| {
            for &corners in triangles {
                let Some(window) = bins.reach(corners) else { continue };
                for tile in bins.layout.tiles_over(&window) {
                    let index = bins.layout.index(tile);
                    if wanted[index] {
                        bins.held[index].push(corners);
                        held += 1;
                    }
                }
            }
            if held > limit {
                held = 0;
                bins.spill().map_err(|error| StageError::new("tile", error))?;
            }
            Ok(())
        })?;
        Ok(bins)
    }

    /// The cells whose tiles a triangle matters to.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the grid before")]
    fn reach(&self, corners: [Vec3; 3]) -> Option<GridWindow> {
        if !has_area(corners) || !corners.iter().all(|corner| corner.is_finite()) {
            return None;
        }
        let frame = self.layout.frame();
        let slack = f64::from(self.halo_cells) + 1.0;
        let range = |axis: usize, count: u32| {
            let at = corners.map(|corner| frame.to_grid(corner)[axis]);
            let low = (at[0].min(at[1]).min(at[2]) - slack).floor().max(0.0);
            let high = (at[0].max(at[1]).max(at[2]) + slack).ceil().min(f64::from(count));
            (low < high).then_some((low as u32, high as u32))
        };
        let (x, z) = (range(0, frame.width)?, range(2, frame.depth)?);
        Some(GridWindow::new(x.0, z.0, x.1 - x.0, z.1 - z.0))
    }

    /// Appends all that is held to the spill file.
    fn spill(&mut self) -> Result<(), TileError> {
        let failed = |action, source| TileError::Io { action, path: self.folder.clone(), source };
        if self.spill.is_none() {
            let file = tempfile::tempfile_in(&self.folder)
                .map_err(|error| failed("create a spill file in", error))?;
            self.spill = Some(Mutex::new(file));
        }
        let Some(file) = &self.spill else { return Ok(()) };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = Vec::new();
        for (held, runs) in self.held.iter_mut().zip(&mut self.runs) {
            if held.is_empty() {
                continue;
            }
            bytes.clear();
            for number in held.iter().flatten().flat_map(|corner| corner.to_array()) {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            let written = file.seek(SeekFrom::Start(self.spilled_bytes)).and_then(|_| file.write_all(&bytes));
            written.map_err(|error| TileError::Io {
                action: "write a spill file in",
                path: self.folder.clone(),
                source: error,
            })?;
            runs.push(Run { offset: self.spilled_bytes, triangles: held.len() });
            self.spilled_bytes += bytes.len() as u64;
            // Emptied, not kept at its size: which tiles fill up changes on the way through a world.
            *held = Vec::new();
        }
        Ok(())
    }

    /// Bytes in the spill file.
    #[must_use]
    pub fn spilled_bytes(&self) -> u64 {
        self.spilled_bytes
    }

    /// How many triangles matter to `tile`.
    #[must_use]
    pub fn count(&self, tile: Tile) -> usize {
        let index = self.layout.index(tile);
        self.held[index].len() + self.runs[index].iter().map(|run| run.triangles).sum::<usize>()
    }

    /// The triangles that matter to `tile`, three vertices each.
    ///
    /// # Errors
    /// If the spill file cannot be read, or there are more than a soup can name.
    pub fn soup(&self, tile: Tile) -> Result<TriangleSoup, TileError> {
        let index = self.layout.index(tile);
        let mut positions = Vec::with_capacity(3 * self.count(tile));
        for run in &self.runs[index] {
            self.read(run, &mut positions)?;
        }
        positions.extend(self.held[index].iter().flatten());
        let triangles = (0..positions.len() / 3)
            .map(|triangle| [0, 1, 2].map(|corner| u32::try_from(3 * triangle + corner).unwrap_or(u32::MAX)))
            .collect();
        TriangleSoup::new(positions, triangles).map_err(|error| StageError::new("tile", error).into())
    }

    fn read(&self, run: &Run, positions: &mut Vec<Vec3>) -> Result<(), TileError> {
        let Some(file) = &self.spill else { return Ok(()) };
        let mut bytes = vec![0; run.triangles * TRIANGLE_BYTES];
        {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(run.offset)).and_then(|_| file.read_exact(&mut bytes)).map_err(
                |source| TileError::Io { action: "read a spill file in", path: self.folder.clone(), source },
            )?;
        }
        positions.extend(bytes.chunks_exact(12).map(|corner| {
            let axis = |axis: usize| f32::from_le_bytes([0, 1, 2, 3].map(|byte| corner[4 * axis + byte]));
            Vec3::new(axis(0), axis(1), axis(2))
        }));
        Ok(())
    }
}
