//! Splitting of a part of the field into pieces of surface.

use std::ops::Range;

use waymesh_core::{
    AreaId, Direction, FieldWindow, GridFrame, GridWindow, NO_REGION, NO_SPAN, SpanKey, checkpoint,
    row_bands, split_lengths, threads, to_u32,
};

use super::block::{Mix, StripSplitter, is_straight};
use super::graph::{Edge, Found, sum_edges};
use super::labels::Labels;
use super::slices::{BlockPiece, sides_of};
use super::straight::StraightLinks;
use super::{BLOCK_CELLS, Rule, SurfacesConfig, check_core};
use crate::error::RegionError;
use crate::stacks::Stacks;

/// A connected sheet of one area within one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// First span.
    pub first: SpanKey,
    /// Number of spans, at most 256.
    pub spans: u16,
    /// Area of the piece.
    pub area: AreaId,
}

/// A walkable span next to another part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RimSpan {
    pub(super) key: SpanKey,
    pub(super) piece: u32,
    /// Neighbours towards +x and +z.
    pub(super) beyond: [Beyond; 2],
}

/// The neighbour of a rim span in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beyond {
    /// A span of the same part, or none.
    Inside,
    /// Another part, without a link.
    Apart,
    /// Another part, and a link to a span with this floor.
    Linked(i32),
}

/// The data that joining needs about a part of the field: its pieces, their contacts and conflicts,
/// and the spans next to other parts.
///
/// It is small: about 20 bytes per piece, 12 per contact, 8 per piece above another and 32 per span
/// of the rim. It can be stored as bytes ([`SurfacePieces::to_bytes`]) while the field itself is
/// not in memory.
///
/// # Invariants
/// Pieces lie in the core and are in order of blocks, row by row, then of first spans. Contacts are
/// in order, each pair once, the lower number first. Stacks are in order, each once, with pieces of
/// one area. The rim is in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfacePieces {
    /// Columns of the whole grid along x and z.
    pub(super) grid: [u32; 2],
    pub(super) core: GridWindow,
    pub(super) rule: Rule,
    pub(super) pieces: Vec<Piece>,
    pub(super) contacts: Vec<Edge>,
    /// Pieces that must not be in one region.
    pub(super) stacks: Stacks,
    pub(super) rim: Vec<RimSpan>,
}

impl SurfacePieces {
    /// Returns the columns that the pieces cover.
    #[must_use]
    pub fn core(&self) -> GridWindow {
        self.core
    }

    /// Returns all pieces.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Returns the approximate memory in use, in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of_val(self.pieces.as_slice())
            + size_of_val(self.contacts.as_slice())
            + self.stacks.memory()
            + size_of_val(self.rim.as_slice())
    }
}

/// A field or a part of one, borrowed.
#[derive(Debug)]
pub(super) struct Part<'a, F> {
    pub(super) frame: GridFrame,
    pub(super) core: GridWindow,
    pub(super) window: GridWindow,
    pub(super) field: &'a F,
}

impl<'a, F: StraightLinks> Part<'a, F> {
    pub(super) fn whole(field: &'a F, frame: GridFrame) -> Self {
        let window = GridWindow::whole(&frame);
        Self { frame, core: window, window, field }
    }

    pub(super) fn of(part: &'a FieldWindow<F>) -> Self {
        Self { frame: part.frame, core: part.core, window: part.window, field: &part.field }
    }

    /// Returns the core in columns of the part's own field.
    fn local_core(&self) -> GridWindow {
        GridWindow { x: self.core.x - self.window.x, z: self.core.z - self.window.z, ..self.core }
    }
}

/// Cuts the ground of every block of the core into pieces that are plain sheets: connected, of one
/// area, never overlapping themselves in plan, and never adjacent to themselves without a link.
///
/// A connected surface within a block is one piece if it satisfies these conditions, if it does not
/// climb more than the configuration allows, and if it has other ground above or below it either
/// everywhere or nowhere. Other surfaces are cut by height into slices, at levels that few links
/// cross, so that rivals are in different pieces. They are also cut where they begin to overlap
/// other ground. This provides piece borders to choose from where a seam may be needed.
///
/// # Guarantees
/// - The pieces of a block depend on nothing outside it, so they do not depend on the part that
///   contains it.
///
/// # Cost
/// Near linear in the spans, also in columns with many storeys. Blocks with a single plain surface
/// take one pass. A part that is the whole field is cut on all threads of the current rayon pool.
///
/// # Errors
/// - [`RegionError::BadField`] for an invalid configuration.
/// - [`RegionError::NotWholeBlocks`] if the core is not made of whole blocks of [`BLOCK_CELLS`].
pub fn split_surfaces(
    part: &FieldWindow<impl StraightLinks>,
    config: &SurfacesConfig,
) -> Result<SurfacePieces, RegionError> {
    Ok(split_surfaces_labelled(part, config)?.0)
}

/// Splits like [`split_surfaces`], and returns the piece of every span for
/// [`label_split_surfaces`](super::label_split_surfaces): [`NO_REGION`] outside the core and for
/// spans that are not walkable.
///
/// # Errors
/// See [`split_surfaces`].
pub fn split_surfaces_labelled(
    part: &FieldWindow<impl StraightLinks>,
    config: &SurfacesConfig,
) -> Result<(SurfacePieces, Vec<u32>), RegionError> {
    split_part(&Part::of(part), config)
}

/// Splits a part, and returns the piece of every span: [`NO_REGION`] outside the core and for spans
/// that are not walkable.
pub(super) fn split_part(
    part: &Part<'_, impl StraightLinks>,
    config: &SurfacesConfig,
) -> Result<(SurfacePieces, Vec<u32>), RegionError> {
    config.validate()?;
    check_core(part)?;
    let rule = config.rule(&part.frame);
    let Cut { labels, pieces: found, mut contacts, stacks } = cut(part, rule, true);
    sum_edges(&mut contacts);
    let rim = rim_of(part, &labels);
    let pieces = found.into_iter().map(|piece| {
        let (x, z) = (piece.cell % part.window.width, piece.cell / part.window.width);
        let floor = part.field.floor(piece.first);
        let first = SpanKey { z: z + part.window.z, x: x + part.window.x, floor };
        // A sheet has at most one span in each of the block's columns.
        let spans = u16::try_from(piece.spans).unwrap_or(u16::MAX);
        Piece { first, spans, area: part.field.area(piece.first) }
    });
    let pieces = pieces.collect();
    let grid = [part.frame.width, part.frame.depth];
    Ok((
        SurfacePieces { grid, core: part.core, rule, pieces, contacts, stacks: stacks.sorted(), rim },
        labels,
    ))
}

/// A part that is cut into pieces.
struct Cut {
    /// Piece of every span.
    labels: Vec<u32>,
    pieces: Vec<BlockPiece>,
    /// Pairs of pieces that touch, unsorted and possibly with duplicates.
    contacts: Vec<Edge>,
    /// Pieces that must not be in one region, unsorted and possibly with duplicates.
    stacks: Stacks,
}

/// Cuts a part; finds contacts and conflicts only if `is_surveyed`. A whole field is cut on all
/// threads of the pool, a tile on one, because other tiles are cut at the same time.
fn cut(part: &Part<'_, impl StraightLinks>, rule: Rule, is_surveyed: bool) -> Cut {
    let (field, core) = (part.field, part.local_core());
    let is_whole = part.core == GridWindow::whole(&part.frame);
    let threads = if is_whole { threads::count() } else { 1 };
    let first_of = |row: u32| field.columns()[row as usize * field.width() as usize];
    let work_before = |row: u32| u64::from(first_of(core.z + row) - first_of(core.z));
    let mut bands = row_bands(core.depth, BLOCK_CELLS, threads, work_before);
    bands.iter_mut().for_each(|rows| *rows = core.z + rows.start..core.z + rows.end);
    if bands.len() <= 1 {
        let mut labels = vec![NO_REGION; field.ground().len()];
        let rows = core.z..core.end_z();
        let mut all = Labels::from(0, &mut labels);
        let BandPieces { pieces, mut survey } = cut_band(part, rule, rows, is_surveyed, &mut all);
        let contacts = survey.found.contacts.take_unsorted();
        return Cut { labels, pieces, contacts, stacks: survey.found.stacks.stacks };
    }
    let mut labels = vec![0; field.ground().len()];
    let lengths = || bands.iter().map(|rows| (first_of(rows.end) - first_of(rows.start)) as usize);
    let cut_one = |(rows, labels): (&Range<u32>, &mut [u32])| {
        labels.fill(NO_REGION);
        let mut labels = Labels::from(first_of(rows.start), labels);
        cut_band(part, rule, rows.clone(), is_surveyed, &mut labels)
    };
    let parts = split_lengths(&mut labels, lengths());
    let cut: Vec<BandPieces<'_, _>> = threads::map(bands.iter().zip(parts), cut_one);
    // Each band has numbered its pieces from 0.
    let firsts =
        cut.iter().scan(0, |next, band| Some(std::mem::replace(next, *next + to_u32(band.pieces.len()))));
    let firsts: Vec<u32> = firsts.collect();
    let renumber = |(labels, first): (&mut [u32], u32)| {
        checkpoint();
        for label in labels.iter_mut().filter(|label| **label != NO_REGION) {
            *label += first;
        }
    };
    let parts = split_lengths(&mut labels, lengths());
    threads::for_each(parts.into_iter().zip(firsts.iter().copied()).skip(1), renumber);
    // Pairs over a border of bands have their lower number in the first one. The pairs of each band
    // can thus be sorted separately, and their concatenation is sorted.
    let across = Labels::from(0, &mut labels);
    let pairs_of = |(index, (mut band, &first)): (usize, (BandPieces<'_, _>, &u32))| {
        let mut over = Survey::new(part, core.z);
        if let Some(rows) = bands.get(index + 1).filter(|_| is_surveyed) {
            over.north(&GridWindow { z: rows.start, depth: rows.end - rows.start, ..core }, &across);
        }
        let named = |pair: Edge| Edge { one: pair.one + first, two: pair.two + first, ..pair };
        let mut contacts = over.found.contacts.take_unsorted();
        contacts.extend(band.survey.found.contacts.take_unsorted().into_iter().map(named));
        sum_edges(&mut contacts);
        let mut stacks = over.found.stacks.stacks;
        stacks.append(&band.survey.found.stacks.stacks, |piece| piece + first);
        (band.pieces, contacts, stacks)
    };
    let found = threads::map(cut.into_iter().zip(&firsts).enumerate(), pairs_of);
    let (mut pieces, mut contacts, mut stacks) = (Vec::new(), Vec::new(), Stacks::default());
    for (own_pieces, own_contacts, own_stacks) in found {
        pieces.extend(own_pieces);
        contacts.extend(own_contacts);
        stacks.append(&own_stacks, |piece| piece);
    }
    Cut { labels, pieces, contacts, stacks }
}

/// The pieces of a band of rows, numbered from 0, and their pairs.
struct BandPieces<'a, F> {
    pieces: Vec<BlockPiece>,
    survey: Survey<'a, F>,
}

/// Cuts the blocks of some rows.
fn cut_band<'a, F: StraightLinks>(
    part: &'a Part<'a, F>,
    rule: Rule,
    rows: Range<u32>,
    is_surveyed: bool,
    labels: &mut Labels<'_>,
) -> BandPieces<'a, F> {
    let mut splitter = StripSplitter::new(part.field, rule);
    let (mut pieces, mut mixes) = (Vec::new(), Vec::new());
    let mut survey = Survey::new(part, rows.start);
    for z in rows.clone().step_by(BLOCK_CELLS as usize) {
        checkpoint();
        let strip = GridWindow { z, depth: BLOCK_CELLS.min(rows.end - z), ..part.local_core() };
        mixes.clear();
        splitter.split(&strip, labels, &mut pieces, &mut mixes, &mut survey.found);
        if is_surveyed {
            survey.strip(&strip, &mixes, labels);
        }
    }
    BandPieces { pieces, survey }
}

/// Returns the piece of every span of a part that has been split before.
pub(super) fn pieces_of_spans(part: &Part<'_, impl StraightLinks>, rule: Rule) -> Vec<u32> {
    cut(part, rule, false).labels
}

/// A search for contacts and conflicts between pieces.
struct Survey<'a, F> {
    part: &'a Part<'a, F>,
    /// First row of blocks, whose northern neighbours lie outside.
    first_row: u32,
    found: Found,
}

impl<'a, F: StraightLinks> Survey<'a, F> {
    fn new(part: &'a Part<'a, F>, first_row: u32) -> Self {
        Self { part, first_row, found: Found::default() }
    }

    /// Adds the pairs within the blocks of a strip, and the pairs over its borders to earlier
    /// blocks.
    fn strip(&mut self, strip: &GridWindow, mixes: &[Mix], labels: &Labels<'_>) {
        let field = self.part.field;
        let rows = strip.z..strip.end_z();
        for (x, mix) in (strip.x..strip.end_x()).step_by(BLOCK_CELLS as usize).zip(mixes) {
            match mix {
                Mix::Known => {}
                // All columns give the same pairs, so one is enough.
                Mix::Storeys => {
                    let column = field.spans_at(x, strip.z);
                    self.side(&column, &(0..0), 0, Direction::NegX, labels);
                }
                Mix::Several => {
                    let width = BLOCK_CELLS.min(strip.end_x() - x);
                    self.inside(&GridWindow { x, width, ..*strip }, labels);
                }
            }
            if x > strip.x {
                let mut before = None;
                for z in rows.clone() {
                    let pair = [field.spans_at(x, z), field.spans_at(x - 1, z)];
                    self.border(pair, &mut before, (x, z), Direction::NegX, labels);
                }
            }
        }
        if strip.z > self.first_row {
            self.north(strip, labels);
        }
    }

    /// Adds the pairs over the border of a strip to the strip before it.
    fn north(&mut self, strip: &GridWindow, labels: &Labels<'_>) {
        let (field, mut before) = (self.part.field, None);
        for x in strip.x..strip.end_x() {
            let pair = [field.spans_at(x, strip.z), field.spans_at(x, strip.z - 1)];
            self.border(pair, &mut before, (x, strip.z), Direction::NegZ, labels);
        }
    }

    fn inside(&mut self, block: &GridWindow, labels: &Labels<'_>) {
        let field = self.part.field;
        for (cell, own, side, direction) in sides_of(field, *block) {
            // Straight columns with the same pieces give the same pairs.
            if !is_straight(field, labels, &own, &side, direction) {
                self.side(&own, &side, cell, direction, labels);
            }
        }
    }

    /// Adds the pairs of two columns on both sides of a border of blocks. `before` contains the
    /// previous two columns along the border, if each of their spans is linked straight across.
    #[inline]
    fn border(
        &mut self,
        [own, there]: [Range<u32>; 2],
        before: &mut Option<[Range<u32>; 2]>,
        (x, z): (u32, u32),
        direction: Direction,
        labels: &Labels<'_>,
    ) {
        let field = self.part.field;
        let straight = own.len() == there.len() && field.links_straight(own.clone(), direction, there.start);
        let same = |now: &Range<u32>, before: &Range<u32>| {
            let mut pairs = now.clone().zip(before.clone());
            now.len() == before.len() && pairs.all(|(a, b)| labels[a as usize] == labels[b as usize])
        };
        // A repetition of the pieces adds more links, but no new conflicts.
        if straight && before.as_ref().is_some_and(|[a, b]| same(&own, a) && same(&there, b)) {
            for (span, other) in own.clone().zip(there.clone()) {
                let (one, two) = (labels[span as usize], labels[other as usize]);
                if one != NO_REGION && two != NO_REGION && one != two {
                    self.found.contacts.add(one, two);
                }
            }
        } else {
            self.side(&own, &there, z * field.width() + x, direction, labels);
        }
        *before = straight.then_some([own, there]);
    }

    /// Adds the pairs of spans in two adjacent columns; the second may be empty.
    #[inline]
    fn side(
        &mut self,
        own: &Range<u32>,
        there: &Range<u32>,
        cell: u32,
        direction: Direction,
        labels: &Labels<'_>,
    ) {
        let field = self.part.field;
        let of = |span: u32| {
            let piece = labels[span as usize];
            (piece != NO_REGION).then(|| (u32::from(field.area(span).0), piece))
        };
        let Found { contacts, stacks, slots } = &mut self.found;
        let touch = |one: u32, two: u32| {
            if one != two {
                contacts.add(one, two);
            }
        };
        slots.collect_columns(field, [own, there], (cell, direction), of, touch);
        stacks.add(slots);
    }
}

/// Returns the walkable spans at the sides of the core where the grid continues.
fn rim_of(part: &Part<'_, impl StraightLinks>, labels: &[u32]) -> Vec<RimSpan> {
    let (core, field) = (part.core, part.field);
    let mut rim = Vec::new();
    let ends_x = core.end_x() < part.frame.width;
    let ends_z = core.end_z() < part.frame.depth;
    for z in core.z..core.end_z() {
        checkpoint();
        let is_rim_row = (z == core.z && z > 0) || (z + 1 == core.end_z() && ends_z);
        let mut x = core.x;
        while x < core.end_x() {
            let is_rim_column = (x == core.x && x > 0) || (x + 1 == core.end_x() && ends_x);
            if is_rim_row || is_rim_column {
                let (local_x, local_z) = (x - part.window.x, z - part.window.z);
                for span in field.spans_at(local_x, local_z) {
                    let piece = labels[span as usize];
                    if piece == NO_REGION {
                        continue;
                    }
                    let beyond = |is_end: bool, direction: Direction| {
                        if !is_end {
                            return Beyond::Inside;
                        }
                        match field.link(local_z * field.width() + local_x, span, direction) {
                            NO_SPAN => Beyond::Apart,
                            link if !field.area(link).is_walkable() => Beyond::Apart,
                            link => Beyond::Linked(field.floor(link)),
                        }
                    };
                    let beyond = [
                        beyond(x + 1 == core.end_x() && ends_x, Direction::PosX),
                        beyond(z + 1 == core.end_z() && ends_z, Direction::PosZ),
                    ];
                    let key = SpanKey { z, x, floor: field.floor(span) };
                    rim.push(RimSpan { key, piece, beyond });
                }
            }
            // Between the two sides no column is on the rim, unless the whole row is.
            x = if is_rim_row || x + 1 >= core.end_x() { x + 1 } else { core.end_x() - 1 };
        }
    }
    rim
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use waymesh_core::{DisjointSets, Random, Validate, WalkableField};
    use waymesh_testkit::fields::{self, Floor};

    use super::super::block::plain_storeys;
    use super::*;

    /// Pairs of pieces and the number of links between them.
    type Contacts = BTreeMap<(u32, u32), u32>;

    /// Storeys above each other with scattered holes and other areas, so that some blocks are plain
    /// and others are not.
    fn storeys(random: &mut Random) -> WalkableField {
        let (width, depth) = (20 + random.below(30), 20 + random.below(30));
        let count = random.below(5).cast_signed();
        let flaws = random.below(6);
        let mut columns: Vec<Vec<Floor>> = (0..width * depth)
            .map(|column| {
                let slope = (column % width / 5).cast_signed();
                let floors =
                    (0..count).map(|storey| Floor { level: 40 * storey + slope, area: AreaId::GROUND });
                floors.collect()
            })
            .collect();
        for _ in 0..flaws {
            let column = random.index(columns.len());
            let column = &mut columns[column];
            match random.below(3) {
                0 => column.clear(),
                1 => column.truncate(1),
                _ => column.iter_mut().for_each(|floor| floor.area = AreaId::NULL),
            }
        }
        fields::from_floors(width, depth, &columns)
    }

    /// Finds contacts and conflicts by checking every pair of spans in one column or in two
    /// adjacent columns.
    fn pairs(field: &WalkableField, labels: &[u32]) -> (Contacts, Vec<(u32, u32)>) {
        let (mut contacts, mut conflicts) = (BTreeMap::new(), Vec::new());
        let frame = &field.frame;
        for z in 0..frame.depth {
            for x in 0..frame.width {
                let own = field.column(x, z);
                let east = if x + 1 < frame.width { field.column(x + 1, z) } else { 0..0 };
                let south = if z + 1 < frame.depth { field.column(x, z + 1) } else { 0..0 };
                let beside = east.map(|span| (span, Some(Direction::PosX)));
                let below = south.map(|span| (span, Some(Direction::PosZ)));
                let others: Vec<_> =
                    own.clone().map(|span| (span, None)).chain(beside).chain(below).collect();
                for span in own {
                    for &(other, direction) in &others {
                        let (one, two) = (labels[span as usize], labels[other as usize]);
                        if one == two || one == NO_REGION || two == NO_REGION {
                            continue;
                        }
                        let pair = (one.min(two), one.max(two));
                        let link = direction.map(|side| field.links[span as usize][side.index()]);
                        if link == Some(other) {
                            *contacts.entry(pair).or_insert(0) += 1;
                        } else if field.area[span as usize] == field.area[other as usize] {
                            conflicts.push(pair);
                        }
                    }
                }
            }
        }
        conflicts.sort_unstable();
        conflicts.dedup();
        (contacts, conflicts)
    }

    #[test]
    fn pieces_contacts_and_conflicts_are_those_of_every_pair_of_spans() {
        let mut random = Random::new(11);
        let mut plain = 0;
        for round in 0..60 {
            let field = storeys(&mut random);
            field.validate().unwrap_or_else(|violations| panic!("{violations}"));
            let part = Part::whole(&field, field.frame);
            let config = SurfacesConfig::default();
            let rule = config.rule(&field.frame);
            let (found, labels) = split_part(&part, &config).expect("whole blocks");
            let (contacts, conflicts) = pairs(&field, &labels);
            let told = found.contacts.iter().map(|edge| ((edge.one, edge.two), edge.links));
            assert!(told.eq(contacts), "contacts in round {round}");
            assert!(found.stacks.pairs().eq(conflicts), "conflicts in round {round}");
            let mut sizes = vec![0; found.pieces.len()];
            labels.iter().filter(|label| **label != NO_REGION).for_each(|&label| sizes[label as usize] += 1);
            assert!(found.pieces.iter().map(|piece| piece.spans).eq(sizes));
            // In a plain block the pieces are exactly the sets of spans that links join.
            for z in (0..field.frame.depth).step_by(BLOCK_CELLS as usize) {
                for x in (0..field.frame.width).step_by(BLOCK_CELLS as usize) {
                    let block = GridWindow::new(x, z, BLOCK_CELLS, BLOCK_CELLS).intersection(&part.core);
                    let Some(storeys) = plain_storeys(&field, &block, rule) else { continue };
                    plain += usize::from(storeys > 1);
                    let mut sets = DisjointSets::new(field.len());
                    let inside = |span: u32| {
                        let (x, z) = field.column_of(span);
                        block.contains(x, z)
                    };
                    let spans: Vec<u32> = (block.z..block.end_z())
                        .flat_map(|z| {
                            (block.x..block.end_x()).flat_map({
                                let field = &field;
                                move |x| field.column(x, z)
                            })
                        })
                        .collect();
                    for &span in &spans {
                        for link in field.links[span as usize].into_iter().filter(|&link| link != NO_SPAN) {
                            if inside(link) {
                                sets.unite(span, link);
                            }
                        }
                    }
                    for &one in &spans {
                        let set = sets.find(one);
                        let first = field.column(block.x, block.z).find(|&first| sets.find(first) == set);
                        let first = first.expect("each storey is one set and begins in the first column");
                        assert_eq!(labels[first as usize], labels[one as usize]);
                    }
                    assert_eq!(spans.len() as u64, block.column_count() * u64::from(storeys));
                }
            }
        }
        assert!(plain > 20, "{plain} plain blocks with several storeys");
    }

    /// Returns forty storeys. Ramps at the south side lead up from each of the first `joined`
    /// storeys.
    fn tower(joined: i32) -> WalkableField {
        let (width, depth) = (37_u32, 30);
        let columns: Vec<Vec<Floor>> = (0..width * depth)
            .map(|column| {
                let (x, z) = ((column % width).cast_signed(), column / width);
                let floors = (0..40).map(|storey| {
                    let climb = if z < 20 { 0 } else { (x - 4).clamp(0, 28) * 40 / 28 };
                    let level = 40 * storey + if storey < joined { climb } else { 0 };
                    Floor { level, area: AreaId::GROUND }
                });
                floors.collect()
            })
            .collect();
        fields::from_floors(width, depth, &columns)
    }

    #[test]
    fn the_conflicts_of_many_storeys_take_memory_in_proportion_to_their_spans() {
        for (joined, threads) in [(0, 1), (15, 1), (15, 2), (39, 2)] {
            let field = tower(joined);
            field.validate().unwrap_or_else(|violations| panic!("{violations}"));
            let part = Part::whole(&field, field.frame);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let split = || split_part(&part, &SurfacesConfig::default()).expect("whole blocks");
            let (found, labels) = pool.install(split);
            let (contacts, conflicts) = pairs(&field, &labels);
            let told = found.contacts.iter().map(|edge| ((edge.one, edge.two), edge.links));
            assert!(told.eq(contacts), "contacts with {joined} ramps");
            assert!(conflicts.len() > 10_000, "{}", conflicts.len());
            assert!(found.stacks.pairs().eq(conflicts), "{joined} ramps, {threads} threads");
            let members = found.stacks.iter().map(<[_]>::len).sum::<usize>();
            assert!(members < field.len(), "{members} slots for {} spans", field.len());
        }
    }
}
