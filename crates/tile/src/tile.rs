//! Names of tiles.

/// A tile, given by its row and column in the layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile {
    /// Row, along z.
    pub row: u32,
    /// Position in the row, along x.
    pub column: u32,
}

impl Tile {
    /// Returns the name of its file in a folder of tiles.
    #[must_use]
    pub fn file_name(self) -> String {
        format!("tile_{}_{}.bin", self.column, self.row)
    }
}

impl std::fmt::Display for Tile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{},{}", self.column, self.row)
    }
}
