//! Cutting of a block that is not simple by height into slices that are plain sheets.

#![expect(clippy::cast_possible_truncation, reason = "numbers of spans and pieces, which fit 32 bits")]

use std::collections::VecDeque;
use std::ops::Range;

use waymesh_core::{Direction, DisjointSets, GridWindow, NO_REGION, NO_SPAN};

use super::Rule;
use super::graph::{Edge, FewPairs};
use super::labels::Labels;
use super::sheet::Sheet;
use super::straight::StraightLinks;
use crate::merge::{self, Region};
use crate::stacks::{Occupied, Slots, StackList, Stacks};

/// Largest total number of levels that the sets of a block may climb. Above it, levels are counted
/// in coarser steps.
const MOST_LEVELS: u64 = 1 << 16;

/// The walkable spans of a block that is not simple, numbered from 0 in order.
#[derive(Default)]
pub(super) struct BlockCutter {
    /// Spans with their columns.
    spans: Vec<(u32, u32)>,
    /// Set of each span, later its piece.
    part: Vec<u32>,
    floor: Vec<i32>,
    /// `true` for spans with another walkable span in their column.
    is_stacked: Vec<bool>,
    /// Level of each span.
    level: Vec<u32>,
    /// Pairs of linked spans of one area.
    links: Vec<(u32, u32)>,
    /// Spans of a set that must not be in one piece.
    stacks: Stacks,
    /// For each level, the first level of its set.
    bases: Vec<u32>,
    /// Power of two by which levels are divided.
    coarse: u32,
    /// For each level, the number of links of its set that cross it, from below it to it or higher.
    crossing: Vec<i32>,
    /// For each level, `true` if the set is cut just below it.
    cuts: Vec<bool>,
    /// Range of floors of each set, and its first level.
    sets: Vec<(i32, i32, u32)>,
    /// Slice of each level, later other numbers.
    numbers: Vec<u32>,
    kinds: Vec<u32>,
    /// Linked spans of a slice.
    groups: DisjointSets,
}

impl BlockCutter {
    /// Cuts the sets of a block that is not simple. Afterwards `part` contains the piece of each
    /// span. `labels` are the numbers of sets, from `start` on, and are replaced by indices into
    /// `spans`. `is_torn` is `true` if any set contains a conflict.
    pub(super) fn cut(
        &mut self,
        part: (&impl StraightLinks, &GridWindow),
        labels: &mut Labels<'_>,
        start: u32,
        is_torn: bool,
        rule: Rule,
    ) {
        let (field, block) = part;
        self.gather(field, block, labels, start);
        if is_torn {
            self.stack(field, block, labels);
        }
        self.slice(rule);
    }

    /// Cuts the sets of a block that is a sheet, and passes the pieces to it.
    pub(super) fn cut_sheet(&mut self, sheet: &mut Sheet, rule: Rule) {
        self.clear();
        let (part, floor, links) = (&mut self.part, &mut self.floor, &mut self.links);
        let look = |level: i32, set: u8| {
            floor.push(level);
            part.push(u32::from(set));
        };
        sheet.spans(look, |one, two| links.push((one, two)));
        self.is_stacked.resize(self.part.len(), false);
        self.slice(rule);
        sheet.take_pieces(&self.part);
    }

    fn slice(&mut self, rule: Rule) {
        self.rank_levels();
        self.cut_stacks_apart();
        self.cut_to_height(rule.slice_levels);
        self.part_slices();
        self.untie();
        self.absorb(u64::from(rule.min_spans));
    }

    fn clear(&mut self) {
        self.spans.clear();
        self.part.clear();
        self.floor.clear();
        self.is_stacked.clear();
        self.links.clear();
        self.stacks = Stacks::default();
    }

    /// Copies the walkable spans of a block with their links.
    fn gather(
        &mut self,
        field: &impl StraightLinks,
        block: &GridWindow,
        labels: &mut Labels<'_>,
        start: u32,
    ) {
        self.clear();
        for z in block.z..block.end_z() {
            for x in block.x..block.end_x() {
                let mut is_upper = false;
                for span in field.spans_at(x, z) {
                    let label = &mut labels[span as usize];
                    if *label == NO_REGION {
                        continue;
                    }
                    if let Some(below) = self.is_stacked.last_mut().filter(|_| is_upper) {
                        *below = true;
                    }
                    self.is_stacked.push(is_upper);
                    is_upper = true;
                    let (own, part) = (self.spans.len() as u32, *label - start);
                    *label = own;
                    self.spans.push((span, z * field.width() + x));
                    self.part.push(part);
                    self.floor.push(field.floor(span));
                    for (direction, is_inside) in
                        [(Direction::NegX, x > block.x), (Direction::NegZ, z > block.z)]
                    {
                        if !is_inside {
                            continue;
                        }
                        let link = field.link(z * field.width() + x, span, direction);
                        if link == NO_SPAN {
                            continue;
                        }
                        let other = labels[link as usize];
                        // A set has one area, so no area is compared.
                        if self.part.get(other as usize) == Some(&part) {
                            self.links.push((other, own));
                        }
                    }
                }
            }
        }
    }

    /// Finds the spans of each set that must not be in one piece. `labels` are indices into `spans`.
    fn stack(&mut self, field: &impl StraightLinks, block: &GridWindow, labels: &Labels<'_>) {
        let (mut found, mut slots) = (StackList::default(), Slots::default());
        for (cell, own, there, direction) in sides_of(field, *block) {
            let of = |span: u32| {
                let own = labels[span as usize];
                self.part.get(own as usize).map(|&part| (part, own))
            };
            slots.collect_columns(field, [&own, &there], (cell, direction), of, |_, _| {});
            found.add(&mut slots);
        }
        self.stacks = found.stacks;
    }

    /// Replaces the heights of spans by indices into a list of the levels of one set after the
    /// other, and counts the links over each level.
    fn rank_levels(&mut self) {
        let count = self.part.iter().max().map_or(0, |&most| most as usize + 1);
        self.sets.clear();
        self.sets.resize(count, (i32::MAX, i32::MIN, 0));
        for (&part, &floor) in self.part.iter().zip(&self.floor) {
            let (low, high, _) = &mut self.sets[part as usize];
            (*low, *high) = (floor.min(*low), floor.max(*high));
        }
        // Sets that climb far are counted in coarser steps. Otherwise a few links up a tower would
        // need too much memory.
        let levels = |coarse: u32| -> u64 {
            self.sets.iter().map(|&(low, high, _)| u64::from(high.abs_diff(low) >> coarse)).sum()
        };
        self.coarse = (0..u32::BITS).find(|&coarse| levels(coarse) <= MOST_LEVELS).unwrap_or(u32::BITS - 1);
        self.bases.clear();
        for (low, high, start) in &mut self.sets {
            *start = self.bases.len() as u32;
            let levels = (high.abs_diff(*low) >> self.coarse) + 1;
            self.bases.resize(self.bases.len() + levels as usize, *start);
        }
        self.level.clear();
        self.level.extend(self.part.iter().zip(&self.floor).map(|(&part, &floor)| {
            let (low, _, start) = self.sets[part as usize];
            start + (floor.abs_diff(low) >> self.coarse)
        }));
        self.cuts.clear();
        self.cuts.resize(self.bases.len(), false);
        self.crossing.clear();
        self.crossing.resize(self.bases.len() + 1, 0);
        for &(one, two) in &self.links {
            let (one, two) = (self.level[one as usize], self.level[two as usize]);
            if one != two {
                self.crossing[one.min(two) as usize + 1] += 1;
                self.crossing[one.max(two) as usize + 1] -= 1;
            }
        }
        let mut sum = 0;
        for crossing in &mut self.crossing {
            sum += *crossing;
            *crossing = sum;
        }
    }

    /// Returns the level of `from..=to` that the fewest links cross, the highest of equals.
    fn narrowest(&self, from: u32, to: u32) -> u32 {
        (from..=to)
            .min_by_key(|&level| (self.crossing[level as usize], std::cmp::Reverse(level)))
            .unwrap_or(to)
    }

    /// Cuts sets so that no slice contains spans of different height that conflict. Every such pair
    /// is an interval of levels that needs a cut. The intervals are processed in the order of their
    /// upper ends, so that one cut serves many (the classic greedy interval stabbing).
    ///
    /// From each span, only the interval to the nearest span above it that conflicts is used: the
    /// others contain it and end higher, so its cut serves them too.
    fn cut_stacks_apart(&mut self) {
        let mut intervals = Vec::new();
        let mut spans = Vec::new();
        for stack in self.stacks.iter() {
            let level = |span: u32| self.level[span as usize];
            spans.clear();
            spans.extend(
                stack.iter().enumerate().flat_map(|(slot, pair)| pair.map(|span| (level(span), slot))),
            );
            spans.sort_unstable();
            let mut above = 0;
            for &(level, slot) in &spans {
                above += spans[above..].iter().take_while(|other| other.0 <= level).count();
                if let Some(&(to, _)) = spans[above..].iter().find(|other| other.1 != slot) {
                    intervals.push((to, level + 1));
                }
            }
        }
        intervals.sort_unstable();
        let mut highest_cut = 0;
        for (to, from) in intervals {
            if highest_cut < from {
                let cut = self.narrowest(from, to);
                self.cuts[cut as usize] = true;
                highest_cut = highest_cut.max(cut);
            }
        }
    }

    /// Cuts slices that are taller than `limit`, each time at the level with the fewest links in
    /// the upper half of the allowed height.
    fn cut_to_height(&mut self, limit: u32) {
        let limit = (limit >> self.coarse).max(1);
        let mut bottom = 0;
        for level in 0..self.bases.len() as u32 {
            if self.cuts[level as usize] || self.bases[level as usize] == level {
                bottom = level;
            } else if level - bottom > limit {
                bottom = self.narrowest(bottom + limit / 2 + 1, level);
                self.cuts[bottom as usize] = true;
            }
        }
    }

    /// Joins linked spans of one slice. Spans that are alone in their columns and spans with others
    /// above or below are kept apart, because a seam may be needed where a storey ends over
    /// another.
    fn part_slices(&mut self) {
        self.numbers.clear();
        let mut slice = 0;
        for &cut in &self.cuts {
            slice += 2 * u32::from(cut);
            self.numbers.push(slice);
        }
        // The slice of each span, with a bit for other spans in its column.
        self.kinds.clear();
        let kinds = self.level.iter().zip(&self.is_stacked);
        self.kinds.extend(kinds.map(|(&level, &stacked)| self.numbers[level as usize] | u32::from(stacked)));
        self.groups.reset(self.part.len());
        for &(one, two) in &self.links {
            if self.kinds[one as usize] == self.kinds[two as usize] {
                self.groups.unite(one, two);
            }
        }
        // A piece is identified by its first span.
        for (span, part) in (0..).zip(&mut self.part) {
            *part = self.groups.find(span);
        }
    }

    /// Cuts pieces that still contain conflicts, which are then between spans of one height. Grows
    /// sheets from the first span on, and adds no span that conflicts with the sheet.
    fn untie(&mut self) {
        let Self { part, links, stacks, .. } = self;
        let mut is_torn = vec![false; part.len()];
        stacks.torn(part.len(), |span| part[span as usize], |piece| is_torn[piece as usize] = true);
        if !is_torn.contains(&true) {
            return;
        }
        let mut near = vec![Vec::new(); part.len()];
        for &(one, two) in &*links {
            if part[one as usize] == part[two as usize] && is_torn[part[one as usize] as usize] {
                near[one as usize].push(two);
                near[two as usize].push(one);
            }
        }
        let mut occupied = Occupied::new(part.len(), stacks);
        // The new piece of each span, named after the first span of the piece.
        let mut piece = vec![u32::MAX; part.len()];
        let mut queue = VecDeque::new();
        for seed in 0..part.len() as u32 {
            if !is_torn[part[seed as usize] as usize] || piece[seed as usize] != u32::MAX {
                continue;
            }
            queue.push_back(seed);
            while let Some(span) = queue.pop_front() {
                if piece[span as usize] == u32::MAX && occupied.fits(span, seed) {
                    piece[span as usize] = seed;
                    occupied.put(span, seed);
                    queue.extend(
                        near[span as usize].iter().filter(|other| piece[**other as usize] == u32::MAX),
                    );
                }
            }
        }
        for (part, piece) in part.iter_mut().zip(piece) {
            if piece != u32::MAX {
                *part = piece;
            }
        }
    }

    /// Merges pieces of fewer than `least` spans into a neighbour.
    fn absorb(&mut self, least: u64) {
        let Self { part, links, stacks, numbers, .. } = self;
        numbers.clear();
        numbers.resize(part.len(), u32::MAX);
        let mut regions: Vec<Region> = Vec::new();
        for part in part.iter_mut() {
            let number = &mut numbers[*part as usize];
            if *number == u32::MAX {
                *number = regions.len() as u32;
                regions.push(Region { has_wall: true, ..Region::default() });
            }
            *part = *number;
            regions[*number as usize].spans += 1;
        }
        if regions.len() < 2 || regions.iter().all(|region| region.spans >= least) {
            return;
        }
        let mut contacts = FewPairs::default();
        for &(one, two) in &*links {
            let (one, two) = (part[one as usize], part[two as usize]);
            if one != two {
                contacts.add(one, two);
            }
        }
        for Edge { one, two, links } in contacts.take() {
            regions[one as usize].neighbours.push((two, u64::from(links)));
            regions[two as usize].neighbours.push((one, u64::from(links)));
        }
        let stacks = stacks.regrouped(|_| Some(0), |span| part[span as usize]);
        for region in &mut regions {
            region.neighbours.sort_unstable();
        }
        let mut target: Vec<u32> = (0..regions.len() as u32).collect();
        let small = least as f64 - 0.5;
        merge::merge(&mut regions, &stacks, &mut target, small);
        merge::follow(&mut target);
        for part in part {
            *part = target[*part as usize];
        }
    }

    /// Numbers the new pieces of the block by first span. They replace the pieces from `start` on.
    pub(super) fn renumber(&mut self, labels: &mut Labels<'_>, start: u32, pieces: &mut Vec<BlockPiece>) {
        pieces.truncate(start as usize);
        self.numbers.clear();
        self.numbers.resize(self.part.len(), u32::MAX);
        for (&(span, cell), &part) in self.spans.iter().zip(&self.part) {
            let number = &mut self.numbers[part as usize];
            if *number == u32::MAX {
                *number = pieces.len() as u32;
                pieces.push(BlockPiece { first: span, cell, spans: 0 });
            }
            pieces[*number as usize].spans += 1;
            labels[span as usize] = *number;
        }
    }
}

/// A piece found in its block.
#[derive(Clone, Copy)]
pub(super) struct BlockPiece {
    /// Number of the first span in the field, and its column.
    pub(super) first: u32,
    pub(super) cell: u32,
    pub(super) spans: u32,
}

/// Returns each column of a block with each adjacent column before it: the column, its spans, the
/// spans of the other, and the direction to it. The first column comes alone.
pub(super) fn sides_of<F: StraightLinks>(
    field: &F,
    block: GridWindow,
) -> impl Iterator<Item = (u32, Range<u32>, Range<u32>, Direction)> {
    let cells = (block.z..block.end_z()).flat_map(move |z| (block.x..block.end_x()).map(move |x| (x, z)));
    cells.flat_map(move |(x, z)| {
        let own = field.spans_at(x, z);
        let (has_west, has_north) = (x > block.x, z > block.z);
        let sides = [
            has_west.then(|| (field.spans_at(x - 1, z), Direction::NegX)),
            has_north.then(|| (field.spans_at(x, z - 1), Direction::NegZ)),
            (!has_west && !has_north).then_some((0..0, Direction::NegX)),
        ];
        let cell = z * field.width() + x;
        sides.into_iter().flatten().map(move |(there, direction)| (cell, own.clone(), there, direction))
    })
}
