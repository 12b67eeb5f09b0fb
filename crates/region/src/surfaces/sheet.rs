//! Blocks with at most one span in each column, which most blocks are: tables of a fixed size, with
//! bit masks of the links.

use std::ops::Range;

use waymesh_core::{AreaId, Direction, DisjointSets, GridWindow, NO_SPAN};

use super::BLOCK_CELLS;
use super::graph::Found;
use super::labels::Labels;
use super::straight::StraightLinks;

/// Number of columns along a side of a block, and in a whole block.
const SIDE: usize = BLOCK_CELLS as usize;
const CELLS: usize = SIDE * SIDE;

/// A bit mask of the columns of a row of a block.
type Bits = u16;

/// The spans of a block, by column: row by row, [`SIDE`] columns a row.
#[derive(Debug)]
pub(super) struct Sheet {
    width: usize,
    depth: usize,
    /// The first span of each row.
    firsts: [u32; SIDE],
    /// Columns with a span, and columns with a walkable span.
    present: [Bits; SIDE],
    walkable: [Bits; SIDE],
    /// Columns whose span is linked to the previous one in the row, or in the previous row; both
    /// spans are walkable.
    to_west: [Bits; SIDE],
    to_north: [Bits; SIDE],
    floors: [i32; CELLS],
    areas: [AreaId; CELLS],
    /// The set of each walkable span, later its piece. There are at most 256.
    parts: [u8; CELLS],
    /// Properties of each set or piece.
    pub(super) sets: Vec<SheetPart>,
    linked: DisjointSets,
}

/// Spans of a sheet: a set of linked spans of one area, or a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct SheetPart {
    /// First column.
    cell: u8,
    pub(super) spans: u16,
    /// Range of floors.
    pub(super) low: i32,
    pub(super) high: i32,
}

/// Returns the bit mask of all columns of a row.
fn all(width: usize) -> Bits {
    Bits::MAX >> (SIDE - width)
}

/// Returns the indices of the set bits.
fn places(mut bits: Bits) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (place < SIDE).then_some(place)
    })
}

impl Default for Sheet {
    fn default() -> Self {
        Self {
            width: 0,
            depth: 0,
            firsts: [0; SIDE],
            present: [0; SIDE],
            walkable: [0; SIDE],
            to_west: [0; SIDE],
            to_north: [0; SIDE],
            floors: [0; CELLS],
            areas: [AreaId::NULL; CELLS],
            parts: [0; CELLS],
            sets: Vec::new(),
            linked: DisjointSets::default(),
        }
    }
}

impl Sheet {
    /// Loads a block and finds its sets. Returns `false` if a column has several spans, or if two
    /// spans of a set are adjacent without a link.
    pub(super) fn load(&mut self, field: &impl StraightLinks, block: &GridWindow) -> bool {
        (self.width, self.depth) = (block.width as usize, block.depth as usize);
        for z in 0..self.depth {
            let column = (block.z as usize + z) * field.width() as usize + block.x as usize;
            if !self.load_row(field, z, column) {
                return false;
            }
        }
        if self.is_one_set() {
            self.take_as_one();
            return true;
        }
        self.flood();
        !self.is_torn()
    }

    /// Loads row `z`, whose first column in the field is `column`. Returns `false` if a column has
    /// several spans.
    #[expect(clippy::cast_possible_truncation, reason = "columns and spans fit 32 bits")]
    fn load_row(&mut self, field: &impl StraightLinks, z: usize, column: usize) -> bool {
        let (width, full) = (self.width, all(self.width));
        let ends = &field.columns()[column..=column + width];
        let spans = ends[0]..ends[width];
        let mut counts = ends.windows(2).map(|ends| ends[1] - ends[0]);
        let mut present = full;
        if !counts.clone().all(|count| count == 1) {
            if counts.clone().any(|count| count > 1) {
                return false;
            }
            present = (0..width).fold(0, |bits, x| bits | ((counts.next().unwrap_or(0) as Bits) << x));
        }
        self.firsts[z] = spans.start;
        self.present[z] = present;
        let row = z * SIDE..z * SIDE + width;
        let (floors, areas) = (&mut self.floors[row.clone()], &mut self.areas[row]);
        if present == full {
            field.copy_ground(spans.clone(), floors, areas);
        } else {
            for (span, x) in spans.clone().zip(places(present)) {
                (floors[x], areas[x]) = (field.floor(span), field.area(span));
            }
        }
        let is_even = present == full && areas.iter().all(|area| area.is_walkable());
        let walkable = if is_even {
            full
        } else {
            places(present).filter(|&x| areas[x].is_walkable()).fold(0, |bits, x| bits | 1 << x)
        };
        self.walkable[z] = walkable;
        let is_linked = |x: usize, direction: Direction| {
            let span = spans.start + u32::from((present & ((1 << x) - 1)).count_ones() as u16);
            Bits::from(field.link((column + x) as u32, span, direction) != NO_SPAN) << x
        };
        let wanted = walkable & (walkable << 1);
        self.to_west[z] = if present == full
            && field.links_straight(spans.start + 1..spans.end, Direction::NegX, spans.start)
        {
            wanted
        } else {
            places(wanted).fold(0, |bits, x| bits | is_linked(x, Direction::NegX))
        };
        let Some(before) = z.checked_sub(1) else {
            self.to_north[z] = 0;
            return true;
        };
        let wanted = walkable & self.walkable[before];
        self.to_north[z] = if present == full
            && self.present[before] == full
            && field.links_straight(spans.clone(), Direction::NegZ, self.firsts[before])
        {
            wanted
        } else {
            places(wanted).fold(0, |bits, x| bits | is_linked(x, Direction::NegZ))
        };
        true
    }

    /// Returns the columns of a row.
    fn row(&self, z: usize) -> Range<usize> {
        z * SIDE..z * SIDE + self.width
    }

    /// Returns `true` if every column has a span, all are linked, and all have one area.
    fn is_one_set(&self) -> bool {
        let full = all(self.width);
        let first = self.areas[0];
        (0..self.depth).all(|z| {
            self.walkable[z] == full
                && self.to_west[z] == full & !1
                && (z == 0 || self.to_north[z] == full)
                && self.areas[self.row(z)].iter().all(|&area| area == first)
        })
    }

    #[expect(clippy::cast_possible_truncation, reason = "at most 256 spans")]
    fn take_as_one(&mut self) {
        self.parts.fill(0);
        let (mut low, mut high) = (i32::MAX, i32::MIN);
        for z in 0..self.depth {
            for &floor in &self.floors[self.row(z)] {
                (low, high) = (low.min(floor), high.max(floor));
            }
        }
        self.sets.clear();
        self.sets.push(SheetPart { cell: 0, spans: (self.width * self.depth) as u16, low, high });
    }

    /// Joins linked spans of one area into sets, numbered by their first columns.
    #[expect(clippy::cast_possible_truncation, reason = "at most 256 columns")]
    fn flood(&mut self) {
        self.sets.clear();
        self.linked.reset(0);
        for z in 0..self.depth {
            for x in places(self.walkable[z]) {
                let cell = z * SIDE + x;
                let (floor, area) = (self.floors[cell], self.areas[cell]);
                let mut set = None;
                for (links, beside) in [(self.to_west[z], 1), (self.to_north[z], SIDE)] {
                    if links >> x & 1 == 0 || self.areas[cell - beside] != area {
                        continue;
                    }
                    let theirs = self.parts[cell - beside];
                    if let Some(own) = set.filter(|&own| own != theirs) {
                        self.linked.unite(u32::from(own), u32::from(theirs));
                    }
                    set = Some(theirs);
                }
                let set = set.unwrap_or_else(|| {
                    let new = self.linked.push() as u8;
                    self.sets.push(SheetPart { cell: cell as u8, spans: 0, low: floor, high: floor });
                    new
                });
                self.parts[cell] = set;
                let known = &mut self.sets[set as usize];
                known.spans += 1;
                (known.low, known.high) = (known.low.min(floor), known.high.max(floor));
            }
        }
        // A set is identified by its lowest number, which belongs to its first column.
        let mut numbers = [0_u8; CELLS];
        let mut count = 0;
        for set in 0..self.sets.len() {
            let (top, own) = (self.linked.find(set as u32) as usize, self.sets[set]);
            if top == set {
                numbers[set] = count as u8;
                self.sets[count] = own;
                count += 1;
            } else {
                numbers[set] = numbers[top];
                let known = &mut self.sets[usize::from(numbers[top])];
                (known.low, known.high) = (known.low.min(own.low), known.high.max(own.high));
                known.spans += own.spans;
            }
        }
        self.sets.truncate(count);
        for z in 0..self.depth {
            for x in places(self.walkable[z]) {
                let part = &mut self.parts[z * SIDE + x];
                *part = numbers[*part as usize];
            }
        }
    }

    /// Returns `true` if two spans of one set are adjacent without a link.
    fn is_torn(&self) -> bool {
        (0..self.depth).any(|z| {
            let apart = |wanted: Bits, linked: Bits, beside: usize| {
                places(wanted & !linked).any(|x| {
                    let cell = z * SIDE + x;
                    self.parts[cell] == self.parts[cell - beside]
                })
            };
            let own = self.walkable[z];
            apart(own & (own << 1), self.to_west[z], 1)
                || z > 0 && apart(own & self.walkable[z - 1], self.to_north[z], SIDE)
        })
    }

    /// Calls `look` with the floor and the set of each walkable span, in order. Calls `link` with
    /// the indices of each pair of linked spans of one set, the later one last, after `look` was
    /// called for both.
    pub(super) fn spans(&self, mut look: impl FnMut(i32, u8), mut link: impl FnMut(u32, u32)) {
        let mut numbers = [0_u32; CELLS];
        let mut number = 0;
        for z in 0..self.depth {
            for x in places(self.walkable[z]) {
                let cell = z * SIDE + x;
                look(self.floors[cell], self.parts[cell]);
                numbers[cell] = number;
                for (links, beside) in [(self.to_west[z], 1), (self.to_north[z], SIDE)] {
                    if links >> x & 1 != 0 && self.parts[cell - beside] == self.parts[cell] {
                        link(numbers[cell - beside], number);
                    }
                }
                number += 1;
            }
        }
    }

    /// Replaces the sets by pieces, given as any numbers below 256 for each walkable span, and
    /// numbers the pieces by their first columns.
    #[expect(clippy::cast_possible_truncation, reason = "at most 256 columns")]
    pub(super) fn take_pieces(&mut self, pieces: &[u32]) {
        const UNKNOWN: u16 = u16::MAX;
        let mut numbers = [UNKNOWN; CELLS];
        self.sets.clear();
        let mut pieces = pieces.iter();
        for z in 0..self.depth {
            for x in places(self.walkable[z]) {
                let (cell, piece) = (z * SIDE + x, pieces.next().copied().unwrap_or(0));
                let number = &mut numbers[piece as usize % CELLS];
                if *number == UNKNOWN {
                    *number = self.sets.len() as u16;
                    let (low, high) = (self.floors[cell], self.floors[cell]);
                    self.sets.push(SheetPart { cell: cell as u8, spans: 0, low, high });
                }
                self.parts[cell] = *number as u8;
                self.sets[*number as usize].spans += 1;
            }
        }
    }

    /// Calls `piece` with the first span of each piece, its column in a field of `width` columns,
    /// and the number of its spans.
    #[expect(clippy::cast_possible_truncation, reason = "at most 256 columns")]
    pub(super) fn pieces(&self, width: u32, block: &GridWindow, mut piece: impl FnMut(u32, u32, u32)) {
        for set in &self.sets {
            let (z, x) = (set.cell as usize / SIDE, set.cell as usize % SIDE);
            let before = (self.present[z] & ((1 << x) - 1)).count_ones();
            let cell = (block.z + z as u32) * width + block.x + x as u32;
            piece(self.firsts[z] + before, cell, u32::from(set.spans));
        }
    }

    /// Labels the walkable spans with their pieces, which are numbered from `start`.
    pub(super) fn label(&self, labels: &mut Labels<'_>, start: u32) {
        for z in 0..self.depth {
            let row = labels.starting(self.firsts[z] as usize);
            let parts = &self.parts[self.row(z)];
            if self.walkable[z] == all(self.width) {
                for (label, &part) in row[..self.width].iter_mut().zip(parts) {
                    *label = start + u32::from(part);
                }
                continue;
            }
            for (label, x) in row.iter_mut().zip(places(self.present[z])) {
                if self.walkable[z] >> x & 1 != 0 {
                    *label = start + u32::from(parts[x]);
                }
            }
        }
    }

    /// Adds the pairs of pieces that touch, and the pairs that are adjacent without a link.
    pub(super) fn survey(&self, start: u32, found: &mut Found) {
        if self.sets.len() < 2 {
            return;
        }
        for z in 0..self.depth {
            let own = self.walkable[z];
            let north = z.checked_sub(1).map_or(0, |before| self.walkable[before]);
            let sides = [(own & (own << 1), self.to_west[z], 1), (own & north, self.to_north[z], SIDE)];
            for (wanted, linked, beside) in sides {
                for x in places(wanted) {
                    let cell = z * SIDE + x;
                    let [one, two] = [cell - beside, cell].map(|cell| start + u32::from(self.parts[cell]));
                    if one == two {
                        continue;
                    }
                    if linked >> x & 1 != 0 {
                        found.contacts.add(one, two);
                    } else if self.areas[cell - beside] == self.areas[cell] {
                        found.slots.set_pair(one, two);
                        found.stacks.add(&mut found.slots);
                    }
                }
            }
        }
    }
}
