//! Splitting of blocks into pieces, strip by strip, and detection of blocks that must be cut.

#![expect(clippy::cast_possible_truncation, reason = "numbers of spans and pieces, which fit 32 bits")]

use std::ops::Range;

use waymesh_core::{AreaId, Direction, DisjointSets, GridWindow, NO_REGION, NO_SPAN};

use super::graph::Found;
use super::labels::Labels;
use super::sheet::Sheet;
use super::slices::{BlockCutter, BlockPiece, sides_of};
use super::straight::StraightLinks;
use super::{BLOCK_CELLS, Rule};
use crate::stacks::Slots;

/// A splitter of the blocks of a field, one strip of blocks at a time, with the tables that all
/// strips share.
pub(super) struct StripSplitter<'a, F> {
    field: &'a F,
    rule: Rule,
    /// Linked spans of one area, and the properties of each set.
    linked: DisjointSets,
    sets: Vec<Set>,
    /// Number of each set within its block.
    numbers: Vec<u32>,
    /// The sets of a block, in order of first span.
    roots: Vec<u32>,
    sheet: Sheet,
    /// Number of walkable spans in each column of the previous row.
    north: Vec<u32>,
    cutter: BlockCutter,
    slots: Slots,
}

/// Properties of a block that the flood detects.
#[derive(Clone, Copy, Default)]
struct Block {
    /// `true` if two spans of the block lie in one column, or in adjacent columns without a link.
    is_crowded: bool,
    /// `true` if two spans lie in one column.
    is_stacked: bool,
}

/// Arrangement of the pieces of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mix {
    /// There is at most one piece, or the pairs are known.
    Known,
    /// The pieces lie above each other in all columns, and do not touch.
    Storeys,
    /// Any other arrangement.
    Several,
}

/// A set of spans that can still grow. Until [`StripSplitter::sort_sets`], the properties of joined
/// sets are apart.
#[derive(Clone, Copy)]
struct Set {
    /// Number of the first span in the field, and its column.
    first: u32,
    cell: u32,
    spans: u32,
    area: AreaId,
    /// Range of floors.
    low: i32,
    high: i32,
}

impl<'a, F: StraightLinks> StripSplitter<'a, F> {
    pub(super) fn new(field: &'a F, rule: Rule) -> Self {
        Self {
            field,
            rule,
            linked: DisjointSets::default(),
            sets: Vec::new(),
            numbers: Vec::new(),
            roots: Vec::new(),
            sheet: Sheet::default(),
            north: Vec::new(),
            cutter: BlockCutter::default(),
            slots: Slots::default(),
        }
    }

    /// Cuts the blocks of `strip`, which is a range of columns as deep as a block.
    ///
    /// Labels their walkable spans with the numbers of their pieces. The numbers continue where
    /// `pieces` ends, block by block, in the order of the pieces' first spans. The labels of other
    /// spans are unchanged. One entry per block is added to `mixes`; the contacts and conflicts
    /// of some blocks are added to `found`.
    pub(super) fn split(
        &mut self,
        strip: &GridWindow,
        labels: &mut Labels<'_>,
        pieces: &mut Vec<BlockPiece>,
        mixes: &mut Vec<Mix>,
        found: &mut Found,
    ) {
        for block in blocks_of(*strip) {
            let start = pieces.len() as u32;
            mixes.push(if self.sheet.load(self.field, &block) {
                let is_tall = |low: i32, high: i32| high.abs_diff(low) > self.rule.slice_levels;
                if self.sheet.sets.iter().any(|set| is_tall(set.low, set.high)) {
                    self.cutter.cut_sheet(&mut self.sheet, self.rule);
                }
                let piece = |first, cell, spans| pieces.push(BlockPiece { first, cell, spans });
                self.sheet.pieces(self.field.width(), &block, piece);
                self.sheet.label(labels, start);
                self.sheet.survey(start, found);
                Mix::Known
            } else if let Some(storeys) = plain_storeys(self.field, &block, self.rule) {
                let columns = block.width * block.depth;
                let first = self.field.spans_at(block.x, block.z).start;
                let cell = block.z * self.field.width() + block.x;
                let piece = |storey: u32| BlockPiece { first: first + storey, cell, spans: columns };
                pieces.extend((0..storeys).map(piece));
                label_plain(self.field, &block, storeys, start, labels);
                Mix::Storeys
            } else {
                self.cut(&block, labels, pieces);
                if pieces.len() - start as usize > 1 { Mix::Several } else { Mix::Known }
            });
        }
    }

    /// Cuts an arbitrary block.
    fn cut(&mut self, block: &GridWindow, labels: &mut Labels<'_>, pieces: &mut Vec<BlockPiece>) {
        let start = pieces.len() as u32;
        let Block { is_crowded, is_stacked } = self.flood(block, labels);
        let is_tall = self.sort_sets();
        for label in walkable(self.field, block, labels) {
            *label = start + self.numbers[*label as usize];
        }
        pieces.extend(self.roots.iter().map(|&root| {
            let Set { first, cell, spans, .. } = self.sets[root as usize];
            BlockPiece { first, cell, spans }
        }));
        let is_torn = is_crowded && is_torn(self.field, block, labels, &mut self.slots);
        let is_cut = is_tall
            || is_torn
            || (is_stacked && is_partly_stacked(self.field, block, labels, start, pieces.len()));
        if is_cut {
            self.cutter.cut((self.field, block), labels, start, is_torn, self.rule);
            self.cutter.renumber(labels, start, pieces);
        }
    }

    /// Joins linked spans of one area of a block into sets, row by row, and labels them with the
    /// number of their set.
    fn flood(&mut self, block: &GridWindow, labels: &mut Labels<'_>) -> Block {
        let field = self.field;
        let (width, table) = (field.width() as usize, field.columns());
        self.linked.reset(0);
        self.sets.clear();
        self.north.clear();
        self.north.resize(block.width as usize, 0);
        let mut found = Block::default();
        for z in block.z as usize..block.end_z() as usize {
            // Links to the north of the first row and to the west of the first column leave the
            // block, so they are ignored.
            let has_north = z > block.z as usize;
            let first = z * width + block.x as usize;
            let mut west = 0;
            let cells = first..first + block.width as usize;
            let columns = table[first..=cells.end].windows(2).zip(cells);
            for ((columns, cell), north) in columns.zip(&mut self.north) {
                let mut here = 0;
                for span in columns[0] as usize..columns[1] as usize {
                    let (span, cell) = (span as u32, cell as u32);
                    let area = field.area(span);
                    if !area.is_walkable() {
                        continue;
                    }
                    here += 1;
                    let floor = field.floor(span);
                    let mut set = u32::MAX;
                    let mut linked = 0;
                    let is_inside = [(Direction::NegX, cell as usize > first), (Direction::NegZ, has_north)];
                    for (direction, _) in is_inside.into_iter().filter(|(_, is_inside)| *is_inside) {
                        let link = field.link(cell, span, direction);
                        if link == NO_SPAN {
                            continue;
                        }
                        let theirs = labels[link as usize];
                        linked += u32::from(theirs != NO_REGION);
                        if theirs != NO_REGION && self.sets[theirs as usize].area == area {
                            set = if set == u32::MAX || set == theirs {
                                theirs
                            } else {
                                self.linked.unite(set, theirs)
                            };
                        }
                    }
                    found.is_stacked |= here > 1;
                    found.is_crowded |= here > 1 || west + *north > linked;
                    if set == u32::MAX {
                        set = self.linked.push();
                        self.sets.push(Set { first: span, cell, spans: 1, area, low: floor, high: floor });
                    } else {
                        let known = &mut self.sets[set as usize];
                        known.low = known.low.min(floor);
                        known.high = known.high.max(floor);
                        known.spans += 1;
                    }
                    labels[span as usize] = set;
                }
                west = here;
                *north = here;
            }
        }
        found
    }

    /// Numbers the sets. A set is identified by its lowest number, and these numbers are in the
    /// order of first spans. Returns `true` if a set climbs more than a piece may.
    fn sort_sets(&mut self) -> bool {
        self.numbers.clear();
        self.roots.clear();
        for own in 0..self.sets.len() as u32 {
            let top = self.linked.find(own);
            if top == own {
                self.numbers.push(self.roots.len() as u32);
                self.roots.push(own);
            } else {
                self.numbers.push(self.numbers[top as usize]);
                let gone = self.sets[own as usize];
                let set = &mut self.sets[top as usize];
                (set.low, set.high) = (set.low.min(gone.low), set.high.max(gone.high));
                set.spans += gone.spans;
            }
        }
        let is_tall = |set: &Set| set.high.abs_diff(set.low) > self.rule.slice_levels;
        self.roots.iter().any(|&root| is_tall(&self.sets[root as usize]))
    }
}

/// Returns the number of storeys of a plain block, `None` for other blocks. In a plain block all
/// columns have the same number of spans, each is linked to the span at the same index in the
/// adjacent columns, all spans of a storey have one area, and no storey climbs too much. Each
/// storey is one piece: it has one span in each column, and other ground above or below it either
/// everywhere or nowhere. Most blocks of most fields are plain.
pub(super) fn plain_storeys(field: &impl StraightLinks, block: &GridWindow, rule: Rule) -> Option<u32> {
    const MAX_STOREYS: usize = 16;
    let first = field.spans_at(block.x, block.z);
    let count = first.len();
    if count > MAX_STOREYS {
        return None;
    }
    let (storeys, width) = (count as u32, field.width() as usize);
    let mut ranges = [(i32::MAX, i32::MIN); MAX_STOREYS];
    let mut north = None;
    for z in block.z..block.end_z() {
        let cell = z as usize * width + block.x as usize;
        let columns = &field.columns()[cell..=cell + block.width as usize];
        let (start, end) = (columns[0], columns[columns.len() - 1]);
        let is_plain = columns.windows(2).all(|column| column[1] - column[0] == storeys)
            && (count == 0 || field.links_straight(start + storeys..end, Direction::NegX, start))
            && north.is_none_or(|north| field.links_straight(start..end, Direction::NegZ, north));
        if !is_plain {
            return None;
        }
        north = Some(start);
        for column in columns[..columns.len() - 1].iter().copied() {
            for ((range, span), first) in ranges.iter_mut().zip(column..column + storeys).zip(first.clone()) {
                let (floor, area) = (field.floor(span), field.area(span));
                if !area.is_walkable() || area != field.area(first) {
                    return None;
                }
                *range = (floor.min(range.0), floor.max(range.1));
            }
        }
    }
    let is_tall = |(low, high): &(i32, i32)| high.abs_diff(*low) > rule.slice_levels;
    (!ranges[..count].iter().any(is_tall)).then_some(storeys)
}

/// Labels the spans of a plain block with the numbers from `start` on, bottom to top.
fn label_plain(
    field: &impl StraightLinks,
    block: &GridWindow,
    storeys: u32,
    start: u32,
    labels: &mut Labels<'_>,
) {
    for z in block.z..block.end_z() {
        let (first, last) = (field.spans_at(block.x, z), field.spans_at(block.end_x() - 1, z));
        let spans = (last.end - first.start) as usize;
        for column in labels.starting(first.start as usize)[..spans].chunks_exact_mut(storeys.max(1) as usize)
        {
            for (label, storey) in column.iter_mut().zip(start..) {
                *label = storey;
            }
        }
    }
}

/// Returns the labels of the walkable spans of a block.
fn walkable<'l>(
    field: &impl StraightLinks,
    block: &GridWindow,
    labels: &'l mut Labels<'_>,
) -> impl Iterator<Item = &'l mut u32> {
    let (width, columns) = (field.width() as usize, field.columns());
    let (start, end) = (block.z as usize * width + block.x as usize, block.end_z() as usize * width);
    let mut done = columns[start] as usize;
    let mut rest = labels.starting(done);
    let rows = (start..end).step_by(width.max(1)).map(move |row| {
        let (first, last) = (columns[row] as usize, columns[row + block.width as usize] as usize);
        let (spans, behind) = std::mem::take(&mut rest)[first - done..].split_at_mut(last - first);
        (done, rest) = (last, behind);
        spans
    });
    rows.flatten().filter(|label| **label != NO_REGION)
}

/// Returns the blocks of a rectangle of columns that begins at the corner of a block.
fn blocks_of(columns: GridWindow) -> impl Iterator<Item = GridWindow> {
    (columns.x..columns.end_x()).step_by(BLOCK_CELLS as usize).map(move |x| GridWindow {
        x,
        width: BLOCK_CELLS.min(columns.end_x() - x),
        ..columns
    })
}

/// Returns `true` if two spans of one label lie in one column of the block, or in adjacent columns
/// without a link.
fn is_torn(field: &impl StraightLinks, block: &GridWindow, labels: &Labels<'_>, slots: &mut Slots) -> bool {
    sides_of(field, *block).any(|(cell, own, there, direction)| {
        let of = |span: u32| {
            let label = labels[span as usize];
            (label != NO_REGION).then_some((label, span))
        };
        !is_straight(field, labels, &own, &there, direction) && {
            slots.collect_columns(field, [&own, &there], (cell, direction), of, |_, _| {});
            slots.is_torn()
        }
    })
}

/// Returns `true` if some spans of one label, from `start` to `end`, are alone in their columns and
/// others are not.
fn is_partly_stacked(
    field: &impl StraightLinks,
    block: &GridWindow,
    labels: &Labels<'_>,
    start: u32,
    end: usize,
) -> bool {
    let mut seen = vec![[false; 2]; end - start as usize];
    for z in block.z..block.end_z() {
        for x in block.x..block.end_x() {
            let column = field.spans_at(x, z);
            let labels = &labels[column.start as usize..column.end as usize];
            let is_stacked = labels.iter().filter(|label| **label != NO_REGION).count() > 1;
            for &label in labels.iter().filter(|label| **label != NO_REGION) {
                seen[(label - start) as usize][usize::from(is_stacked)] = true;
            }
        }
    }
    seen.contains(&[true; 2])
}

/// Returns `true` if each walkable span of a column is linked in this direction to the span at the
/// same index in the adjacent column, and that span has the same label. Then the union of the two
/// columns has no conflict that neither of them has alone.
#[inline]
pub(super) fn is_straight(
    field: &impl StraightLinks,
    labels: &Labels<'_>,
    own: &Range<u32>,
    side: &Range<u32>,
    direction: Direction,
) -> bool {
    own.len() == side.len()
        && own.clone().zip(side.clone()).all(|(span, other)| {
            let label = labels[span as usize];
            label == labels[other as usize]
                && (label == NO_REGION || field.links_straight(span..span + 1, direction, other))
        })
}
