//! Islands: pieces of the mesh with no way between them.

use waymesh_core::CellId;

use crate::data::NO_NEIGHBOUR;
use crate::mesh::NavMesh;

/// An island of a [`NavMesh`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct IslandId(pub u32);

impl IslandId {
    /// The id as an index into [`NavMesh::islands`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::fmt::Display for IslandId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Figures of one island.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Island {
    /// The cell with the lowest id. Islands are numbered in the order of their first cells.
    pub first: CellId,
    /// Number of cells.
    pub cells: u32,
    /// Plan area in square metres.
    pub area: f64,
}

/// Island of each cell, numbered by first cell, and the first cell and number of cells of each.
pub(crate) fn label_islands(cell_first: &[u32], neighbours: &[u32]) -> (Vec<u32>, Vec<Island>) {
    const UNSEEN: u32 = u32::MAX;
    let count = cell_first.len() - 1;
    let mut labels = vec![UNSEEN; count];
    let mut islands: Vec<Island> = Vec::new();
    let mut stack = Vec::new();
    for seed in 0..count {
        if labels[seed] != UNSEEN {
            continue;
        }
        let first = CellId::from_index(seed);
        let label = CellId::from_index(islands.len()).0;
        labels[seed] = label;
        stack.push(seed);
        let mut cells = 0;
        while let Some(cell) = stack.pop() {
            cells += 1;
            for &neighbour in &neighbours[cell_first[cell] as usize..cell_first[cell + 1] as usize] {
                if neighbour != NO_NEIGHBOUR && labels[neighbour as usize] == UNSEEN {
                    labels[neighbour as usize] = label;
                    stack.push(neighbour as usize);
                }
            }
        }
        islands.push(Island { first, cells, area: 0.0 });
    }
    (labels, islands)
}

impl NavMesh {
    /// All islands, in the order of their first cells.
    #[must_use]
    pub fn islands(&self) -> &[Island] {
        &self.islands
    }

    /// The island of a cell; `None` if there is no such cell. Constant time.
    #[inline]
    #[must_use]
    pub fn island_of(&self, cell: CellId) -> Option<IslandId> {
        self.cell_islands.get(cell.index()).map(|&island| IslandId(island))
    }

    /// Whether there is a way between two cells, over any ground. Constant time.
    #[inline]
    #[must_use]
    pub fn same_island(&self, first: CellId, second: CellId) -> bool {
        self.island_of(first).is_some_and(|island| self.island_of(second) == Some(island))
    }
}
