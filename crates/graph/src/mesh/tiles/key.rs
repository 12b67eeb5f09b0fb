//! Names of tiles and of their polygons.

/// Key of a tile: a layer, such as a storey, a row along z and a column along x. Tiles are sorted
/// in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileKey {
    /// Tiles of two layers may lie above each other, and have no edge in common.
    pub layer: u32,
    /// Row, along z.
    pub row: u32,
    /// Place in the row, along x.
    pub column: u32,
}

impl TileKey {
    /// Returns the tiles of its layer that share a side or a corner with it. There may be none.
    pub fn around(self) -> impl Iterator<Item = Self> {
        let beside = |at: u32| [at.checked_sub(1), Some(at), at.checked_add(1)].into_iter().flatten();
        let rows = beside(self.row);
        rows.flat_map(move |row| beside(self.column).map(move |column| Self { row, column, ..self }))
            .filter(move |&key| key != self)
    }
}

impl std::fmt::Display for TileKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{},{} on layer {}", self.column, self.row, self.layer)
    }
}

/// A polygon of some tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TilePolygon {
    /// Its tile.
    pub tile: TileKey,
    /// Its place in [`MeshTile::polygons`](crate::MeshTile::polygons).
    pub polygon: u32,
}
