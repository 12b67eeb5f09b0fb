//! Options of a bake on voxels.

use std::path::PathBuf;
use std::time::Duration;

use waymesh_core::setters;

/// Voxels of triangles: of the whole scene at once, or tile by tile in parallel and within
/// [`BakeConfig::max_memory_bytes`](crate::BakeConfig::max_memory_bytes).
///
/// # Guarantees
/// - The same mesh, bit for bit, whatever the side of the tiles, the number of threads, the memory
///   and the order of the triangles.
/// - With a folder, a bake that was stopped continues where it was. Damaged tiles are built again.
///
/// # Cost
/// At once: the triangles and all voxels in memory. In tiles: two passes over the source; jumps
/// take a third, and hold the triangles in memory. Memory:
/// [`BakeConfig::max_memory_bytes`](crate::BakeConfig::max_memory_bytes), a few bytes per border
/// step and the result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Voxels {
    /// Side of a tile in cells, rounded up to whole blocks of 16. Default 0: the scene is baked at
    /// once, or in tiles of 256 cells if it may not fit into memory or its source is not a soup,
    /// unless the settings need the whole ground at once. The observer gets
    /// [`Warning::Tiled`](waymesh_core::Warning::Tiled) if memory is the reason.
    pub tile_cells: u32,
    /// Folder in which finished tiles are kept, so that a bake that was stopped continues where it
    /// was: the scene is baked in tiles. Default none: tiles are kept in memory, as bytes.
    pub folder: Option<PathBuf>,
    /// The folder may hold tiles of an earlier state of the scene, or of other settings: those that
    /// are made of the same triangles, with the same settings on the same grid, are kept, the others
    /// are built again. The mesh is that of a whole bake. Default `false`: such a folder is refused.
    /// In both cases borders and heights that an earlier bake found in the folder are kept where
    /// nothing near them changed.
    pub update: bool,
    /// Folder for triangles that memory does not hold. Default: the system's folder for temporary
    /// files.
    pub spill_folder: Option<PathBuf>,
    /// Text stored in `folder` for the program that merges the tiles. Default none.
    pub note: String,
    /// Time that a merge waits for the next missing tile of a folder: it reads tiles as they arrive.
    /// Default 0: missing tiles are refused at once.
    pub patience: Duration,
}

setters! {
    impl Voxels {
        with_tile_cells(tile_cells: u32);
        with_folder(folder: Some(impl Into<PathBuf>));
        with_update(update: bool);
        with_spill_folder(spill_folder: Some(impl Into<PathBuf>));
        with_note(note: impl Into<String>);
        with_patience(patience: Duration);
    }
}

impl Voxels {
    /// Side of a tile where none is given.
    const TILE_CELLS: u32 = 256;

    /// Returns the option that requests tiles, if one does.
    pub(crate) fn option_of_tiles(&self) -> Option<&'static str> {
        let options = [("tile_cells", self.tile_cells > 0), ("folder", self.folder.is_some())];
        options.into_iter().find_map(|(option, is_given)| is_given.then_some(option))
    }

    /// Side of a tile in cells.
    pub(super) fn side(&self) -> u32 {
        if self.tile_cells == 0 { Self::TILE_CELLS } else { self.tile_cells }
    }
}
