//! A tile while it is written into the tables of its mesh.

use std::ops::Range;

use waymesh_core::Poly;

use super::columns::Columns;
use super::key::TileKey;
use super::part::MeshTile;
use super::tables::TileEntry;

/// A tile that is written.
pub(super) struct Written<'a> {
    pub(super) key: TileKey,
    pub(super) slot: u32,
    pub(super) tile: &'a MeshTile,
    pub(super) entry: TileEntry,
}

impl Written<'_> {
    /// The polygons of the tile, with their numbers in the mesh.
    pub(super) fn polygons(&self) -> impl Iterator<Item = (&Poly, usize)> {
        self.tile.polygons.iter().zip(self.entry.polygons.range())
    }
}

pub(super) fn range_of(columns: &Columns, polygon: u32) -> Range<usize> {
    let [first, end] = [0, 1].map(|next| columns.polygon_first[polygon as usize + next] as usize);
    first..end
}
