//! Encoding of pieces as bytes, to store them or to send them to the process that joins them.

use waymesh_core::bytes::{Reader, Writer, unzigzag, zigzag};
use waymesh_core::{AreaId, GridWindow, SpanKey};

use super::graph::Edge;
use super::split::{Beyond, Piece, RimSpan, SurfacePieces};
use super::{BLOCK_CELLS, Rule, is_on_blocks};
use crate::error::RegionError;
use crate::stacks::Stacks;

/// First byte. Must increase whenever the layout or the meaning of a piece changes.
const VERSION: u8 = 2;

impl SurfacePieces {
    /// Encodes the pieces as bytes, about ten per piece.
    ///
    /// # Layout
    /// The byte 2, then variable-length integers ([`waymesh_core::bytes`]); signed ones are
    /// zigzag-encoded. In order:
    /// - cells of the grid along x and z; the core's `x`, `z`, `width`, `depth`; levels of a slice;
    ///   spans of the smallest piece;
    /// - number of pieces, then of each: its first span's `x` and `z` within the core, its floor as
    ///   the difference to the previous piece's, its number of spans, its area;
    /// - number of contacts, then for each contact: the lower piece as the difference to the
    ///   previous contact's, the higher piece as the difference to the lower, the number of links;
    /// - number of stacks, then for each its number of slots, and for each slot: the lower piece as
    ///   the zigzag-encoded difference to the previous slot's, the higher piece as the difference to
    ///   the lower;
    /// - number of spans of the rim, then for each span: `x` and `z` within the core, its floor as
    ///   the difference to the previous one's, its piece, and for +x and +z the neighbour: 0 for
    ///   the same part or nothing, 1 for another part without a link, otherwise 2 plus the
    ///   zigzag-encoded difference of the neighbour's floor to its own.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer(vec![VERSION]);
        let GridWindow { x, z, width, depth } = self.core;
        for number in
            [self.grid[0], self.grid[1], x, z, width, depth, self.rule.slice_levels, self.rule.min_spans]
        {
            out.number(number);
        }
        out.count(self.pieces.len());
        let mut floor = 0;
        for piece in &self.pieces {
            put_key(&mut out, piece.first, &mut floor, self.core);
            out.number(piece.spans);
            out.number(piece.area.0);
        }
        out.count(self.contacts.len());
        let mut last = 0;
        for edge in &self.contacts {
            out.number(edge.one - last);
            out.number(edge.two - edge.one);
            out.number(edge.links);
            last = edge.one;
        }
        out.count(self.stacks.len());
        last = 0;
        for stack in self.stacks.iter() {
            out.count(stack.len());
            for &[one, two] in stack {
                out.signed(i64::from(one) - i64::from(last));
                out.number(two - one);
                last = one;
            }
        }
        out.count(self.rim.len());
        floor = 0;
        for span in &self.rim {
            put_key(&mut out, span.key, &mut floor, self.core);
            out.number(span.piece);
            for beyond in span.beyond {
                match beyond {
                    Beyond::Inside => out.put(0_u8),
                    Beyond::Apart => out.put(1_u8),
                    Beyond::Linked(level) => {
                        out.number(2 + zigzag(i64::from(level) - i64::from(span.key.floor)));
                    }
                }
            }
        }
        out.0
    }

    /// Decodes the pieces that [`SurfacePieces::to_bytes`] wrote.
    ///
    /// # Guarantees
    /// - The result satisfies all invariants of pieces. No input causes a panic, or reserves more
    ///   memory than about forty times its length.
    ///
    /// # Errors
    /// [`RegionError::DamagedPieces`] if the bytes end too early, continue after the end, or break
    /// an invariant. Some kinds of damage are not detected, so a file should also have a checksum.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RegionError> {
        let mut from = Reader::new(bytes);
        read(&mut from).ok_or_else(|| RegionError::DamagedPieces { byte: from.at(), what: from.why() })
    }
}

fn put_key(out: &mut Writer, key: SpanKey, floor: &mut i32, core: GridWindow) {
    out.number(key.x - core.x);
    out.number(key.z - core.z);
    out.signed(i64::from(key.floor) - i64::from(*floor));
    *floor = key.floor;
}

fn read(from: &mut Reader<'_>) -> Option<SurfacePieces> {
    let version: u8 = from.get()?;
    from.ensure(version == VERSION, "another version")?;
    let mut header = [0; 8];
    for number in &mut header {
        *number = from.number()?;
    }
    let [grid_x, grid_z, x, z, width, depth, slice_levels, min_spans] = header;
    let (core, grid) = (GridWindow { x, z, width, depth }, [grid_x, grid_z]);
    let is_sound = is_on_blocks(&core, grid_x, grid_z) && slice_levels > 0;
    from.ensure(is_sound, "the core is not made of whole blocks")?;
    let (mut floor, mut last) = (0, None);
    let pieces = from.counted(5, |from| {
        let first = key(from, &mut floor, core)?;
        let spans = u16::try_from(from.number_to(BLOCK_CELLS * BLOCK_CELLS)?).ok()?;
        let area = AreaId(from.number()?);
        let place = Some((first.z / BLOCK_CELLS, first.x / BLOCK_CELLS, first));
        let is_sound = spans > 0 && area.is_walkable() && place > last;
        from.ensure(is_sound, "a piece is empty, not walkable or out of order")?;
        last = place;
        Some(Piece { first, spans, area })
    })?;
    let mut last = None;
    let contacts = from.counted(3, |from| {
        let (one, two) = pair(from, &mut last, &pieces)?;
        let links = from.number()?;
        from.ensure(links > 0, "a contact without a link")?;
        Some(Edge { one, two, links })
    })?;
    let mut stacks = Stacks::default();
    let mut last = 0_u32;
    // A stack has two slots or more.
    from.counted(5, |from| {
        let slots = from.counted(2, |from| {
            let difference = from.signed()?;
            let one = from.plus(last, difference)?;
            let two = u32::saturating_add(one, from.number()?);
            let area = |piece: u32| pieces.get(piece as usize).map(|piece| piece.area);
            from.ensure(area(two).is_some(), "a conflict of a piece that is absent")?;
            last = one;
            Some(([one, two], [area(one), area(two)]))
        })?;
        let is_one_area = slots.iter().all(|slot| slot.1 == [slots[0].1[0]; 2]);
        from.ensure(slots.len() > 1 && is_one_area, "a conflict of one piece or between two areas")?;
        stacks.push(slots.into_iter().map(|(slot, _)| slot));
        Some(())
    })?;
    let rim = rim(from, core, grid, &pieces)?;
    from.end()?;
    let rule = Rule { slice_levels, min_spans };
    Some(SurfacePieces { grid, core, rule, pieces, contacts, stacks, rim })
}

fn key(from: &mut Reader<'_>, floor: &mut i32, core: GridWindow) -> Option<SpanKey> {
    let x = from.number_to(core.width.saturating_sub(1))?;
    let z = from.number_to(core.depth.saturating_sub(1))?;
    let difference = from.signed()?;
    *floor = from.plus(*floor, difference)?;
    Some(SpanKey { z: core.z + z, x: core.x + x, floor: *floor })
}

/// Reads the next pair of a sorted list.
fn pair(from: &mut Reader<'_>, last: &mut Option<(u32, u32)>, pieces: &[Piece]) -> Option<(u32, u32)> {
    let limit = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
    let one = last.map_or(0, |(one, _)| one).saturating_add(from.number_to(limit)?);
    let two = one.saturating_add(from.number_to(limit)?);
    let is_sound = one < two && two < limit && Some((one, two)) > *last;
    from.ensure(is_sound, "a pair of pieces is out of range or out of order")?;
    *last = Some((one, two));
    *last
}

fn rim(from: &mut Reader<'_>, core: GridWindow, grid: [u32; 2], pieces: &[Piece]) -> Option<Vec<RimSpan>> {
    let (mut floor, mut last) = (0, None);
    from.counted(6, |from| {
        let key = key(from, &mut floor, core)?;
        let piece: u32 = from.number()?;
        let mut beyond = [Beyond::Inside; 2];
        let ends = [
            key.x + 1 == core.end_x() && core.end_x() < grid[0],
            key.z + 1 == core.end_z() && core.end_z() < grid[1],
        ];
        for (beyond, is_end) in beyond.iter_mut().zip(ends) {
            *beyond = match from.number()? {
                0_u64 => Beyond::Inside,
                1 => Beyond::Apart,
                level => Beyond::Linked(from.plus(key.floor, unzigzag(level - 2))?),
            };
            let ends_there = is_end != (*beyond == Beyond::Inside);
            from.ensure(ends_there, "a span of the rim ends where the part does not")?;
        }
        let is_sound = (piece as usize) < pieces.len() && Some(key) > last;
        from.ensure(is_sound, "a span of the rim is out of range or out of order")?;
        last = Some(key);
        Some(RimSpan { key, piece, beyond })
    })
}
