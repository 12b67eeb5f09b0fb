//! Writes which polygons lie where.

use std::collections::{BTreeMap, BTreeSet};

use super::columns::Columns;
use super::places::{BLOCK, Cell, NO_BLOCK, TileGrid, TilePlaces, cell_at};
use super::slabs::{Slab, Slabs};
use crate::mesh::bounds::PolygonBounds;
use crate::mesh::box_index::{BoxIndex, Node};
use crate::mesh::fans::WalkEdge;
use crate::mesh::squares::lists;

/// State of the cells that is not in their tables.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    pub(super) order: Slabs,
    pub(super) nodes: Slabs,
    pub(super) first: Slabs,
    pub(super) lists: Slabs,
    /// Cells with polygons in each row, and in each column, that has any.
    rows: BTreeMap<u32, u32>,
    columns: BTreeMap<u32, u32>,
    /// Number of cells with polygons in each block that has any.
    blocks: BTreeMap<u32, u32>,
    pub(super) free_blocks: Vec<u32>,
}

impl Cells {
    /// Rewrites the cell of a row and column with these polygons, ascending.
    pub(super) fn write(
        &mut self,
        grid: &TileGrid,
        [column, row]: [u32; 2],
        polygons: &[u32],
        columns: &mut Columns,
    ) {
        if polygons.is_empty() && cell_at(grid, &columns.blocks, [column, row]).is_none() {
            return;
        }
        let at = self.make_block(grid, [column, row], columns);
        let old = columns.cells[at];
        let was_empty = old.order.len == 0;
        let cell = self.fill(old, polygons, columns);
        columns.cells.set(at, cell);
        if was_empty != polygons.is_empty() {
            let block = block_of(grid, [column, row]);
            for (counts, of) in
                [(&mut self.rows, row), (&mut self.columns, column), (&mut self.blocks, block)]
            {
                let count = counts.entry(of).or_default();
                *count = if was_empty { *count + 1 } else { *count - 1 };
                if *count == 0 {
                    counts.remove(&of);
                }
            }
            if polygons.is_empty() && !self.blocks.contains_key(&block) {
                self.free_blocks.push(columns.blocks[block as usize]);
                columns.blocks.set(block as usize, NO_BLOCK);
            }
        }
    }

    /// Counts the cells with polygons.
    pub(super) fn count(&mut self, places: &TilePlaces) {
        let across = places.grid.columns.div_ceil(BLOCK);
        for (block, &first) in (0_u32..).zip(&places.blocks).filter(|(_, first)| **first != NO_BLOCK) {
            for at in 0..BLOCK * BLOCK {
                if places.cells[(first + at) as usize].order.len > 0 {
                    *self.rows.entry(block / across * BLOCK + at / BLOCK).or_default() += 1;
                    *self.columns.entry(block % across * BLOCK + at % BLOCK).or_default() += 1;
                    *self.blocks.entry(block).or_default() += 1;
                }
            }
        }
    }

    /// The rows and columns in use.
    pub(super) fn used(&self) -> [[u32; 2]; 2] {
        let span = |counts: &BTreeMap<u32, u32>| match (counts.first_key_value(), counts.last_key_value()) {
            (Some((&low, _)), Some((&high, _))) => [low, high],
            _ => TilePlaces::UNUSED[0],
        };
        [span(&self.columns), span(&self.rows)]
    }

    /// Returns the place of a cell, and makes its block if it is not there.
    fn make_block(&mut self, grid: &TileGrid, at: [u32; 2], columns: &mut Columns) -> usize {
        let blocks = grid.columns.div_ceil(BLOCK) as usize * grid.rows.div_ceil(BLOCK) as usize;
        columns.blocks.grow(blocks, NO_BLOCK);
        let block = block_of(grid, at) as usize;
        if columns.blocks[block] == NO_BLOCK {
            let len = columns.cells.len();
            #[expect(clippy::cast_possible_truncation, reason = "at most 2^24 cells")]
            let first = self.free_blocks.pop().unwrap_or(len as u32);
            columns.cells.grow(first as usize + (BLOCK * BLOCK) as usize, Cell::EMPTY);
            columns.blocks.set(block, first);
        }
        let [column, row] = at;
        (columns.blocks[block] + row % BLOCK * BLOCK + column % BLOCK) as usize
    }

    fn fill(&mut self, old: Cell, polygons: &[u32], columns: &mut Columns) -> Cell {
        let bounds: Vec<PolygonBounds> = polygons.iter().map(|&of| columns.bounds[of as usize]).collect();
        let mut all = PolygonBounds::EMPTY;
        bounds.iter().for_each(|bounds| all.include(bounds));
        let outlines: Vec<&[WalkEdge]> = polygons
            .iter()
            .map(|&of| {
                let [first, end] = [of, of + 1].map(|of| columns.polygon_first[of as usize] as usize);
                &columns.walk[first..end]
            })
            .collect();
        let (squares, [mut first, places]) = lists(&bounds, |place| outlines[place]);
        let index = BoxIndex::build(&bounds);
        let (_, order, nodes) = index.tables();
        // Without polygons a tree has a node, too.
        let nodes = if polygons.is_empty() { &[] } else { &**nodes };
        let numbers =
            |places: &[u32]| places.iter().map(|&place| polygons[place as usize]).collect::<Vec<u32>>();
        let (order, lists) = (numbers(order), numbers(&places));
        let cell = Cell {
            bounds: all,
            order: self.order.fit(old.order, len(&order)),
            nodes: self.nodes.fit(old.nodes, len(nodes)),
            squares,
            first: self.first.fit(old.first, len(&first)),
            lists: self.lists.fit(old.lists, len(&lists)),
        };
        first.iter_mut().for_each(|first| *first += cell.lists.start);
        let put = |slab: Slab, end: &Slabs| (slab.range().start, end.end() as usize);
        let (at, end) = put(cell.order, &self.order);
        columns.order.grow(end, 0);
        columns.order.write(at, order.into_iter());
        let (at, end) = put(cell.nodes, &self.nodes);
        columns.nodes.grow(end, Node::EMPTY);
        columns.nodes.write(at, nodes.iter().copied());
        let (at, end) = put(cell.first, &self.first);
        columns.square_first.grow(end, 0);
        columns.square_first.write(at, first.into_iter());
        let (at, end) = put(cell.lists, &self.lists);
        columns.square_lists.grow(end, 0);
        columns.square_lists.write(at, lists.into_iter());
        cell
    }
}

fn block_of(grid: &TileGrid, [column, row]: [u32; 2]) -> u32 {
    row / BLOCK * grid.columns.div_ceil(BLOCK) + column / BLOCK
}

#[expect(clippy::cast_possible_truncation, reason = "lists of one cell fit 32 bits")]
fn len<T>(list: &[T]) -> u32 {
    list.len() as u32
}

/// The columns and rows of these tiles, each once.
pub(super) fn cells_of(tiles: impl Iterator<Item = super::key::TileKey>) -> BTreeSet<[u32; 2]> {
    tiles.map(|key| [key.column, key.row]).collect()
}
