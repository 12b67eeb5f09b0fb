//! Encoding of pieces as bytes, to store them or to send them to the process that joins them.

use waymesh_core::{AreaId, GridWindow, SpanKey, short};

use super::graph::Edge;
use super::split::{Beyond, Piece, RimSpan, SurfacePieces};
use super::{BLOCK_CELLS, Rule, is_on_blocks};
use crate::error::RegionError;

/// First byte. Must increase whenever the layout or the meaning of a piece changes.
const VERSION: u8 = 1;

impl SurfacePieces {
    /// Encodes the pieces as bytes, about ten per piece.
    ///
    /// # Layout
    /// The byte 1, then variable-length integers ([`short`]); signed ones are zigzag-encoded. In
    /// order:
    /// - cells of the grid along x and z; the core's `x`, `z`, `width`, `depth`; levels of a slice;
    ///   spans of the smallest piece;
    /// - number of pieces, then of each: its first span's `x` and `z` within the core, its floor as
    ///   the difference to the previous piece's, its number of spans, its area;
    /// - number of contacts, then for each contact: the lower piece as the difference to the
    ///   previous contact's, the higher piece as the difference to the lower, the number of links;
    /// - number of conflicts, then the pieces of each, encoded in the same manner;
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
            out.number(u64::from(number));
        }
        out.number(self.pieces.len() as u64);
        let mut floor = 0;
        for piece in &self.pieces {
            out.key(piece.first, &mut floor, self.core);
            out.number(u64::from(piece.spans));
            out.number(u64::from(piece.area.0));
        }
        out.number(self.contacts.len() as u64);
        let mut last = 0;
        for edge in &self.contacts {
            out.pair(edge.one, edge.two, &mut last);
            out.number(u64::from(edge.links));
        }
        out.number(self.conflicts.len() as u64);
        last = 0;
        for &(one, two) in &self.conflicts {
            out.pair(one, two, &mut last);
        }
        out.number(self.rim.len() as u64);
        floor = 0;
        for span in &self.rim {
            out.key(span.key, &mut floor, self.core);
            out.number(u64::from(span.piece));
            for beyond in span.beyond {
                match beyond {
                    Beyond::Inside => out.number(0),
                    Beyond::Apart => out.number(1),
                    Beyond::Linked(level) => {
                        out.number(2 + short::fold(i64::from(level) - i64::from(span.key.floor)));
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
        let mut reader = Reader { bytes, at: 0 };
        if reader.byte()? != VERSION {
            return Err(RegionError::DamagedPieces { byte: 0, what: "another version" });
        }
        let mut header = [0; 8];
        for number in &mut header {
            *number = reader.number_to(u32::MAX)?;
        }
        let [grid_x, grid_z, x, z, width, depth, slice_levels, min_spans] = header;
        let core = GridWindow { x, z, width, depth };
        if !is_on_blocks(&core, grid_x, grid_z) || slice_levels == 0 {
            return Err(reader.damaged("the core is not made of whole blocks"));
        }
        let pieces = reader.pieces(core)?;
        let contacts = reader.contacts(&pieces)?;
        let conflicts = reader.conflicts(&pieces)?;
        let rim = reader.rim(core, [grid_x, grid_z], &pieces)?;
        if reader.at != bytes.len() {
            return Err(reader.damaged("bytes after the end"));
        }
        let rule = Rule { slice_levels, min_spans };
        Ok(Self { grid: [grid_x, grid_z], core, rule, pieces, contacts, conflicts, rim })
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        short::put(&mut self.0, number);
    }

    fn key(&mut self, key: SpanKey, floor: &mut i32, core: GridWindow) {
        self.number(u64::from(key.x - core.x));
        self.number(u64::from(key.z - core.z));
        self.number(short::fold(i64::from(key.floor) - i64::from(*floor)));
        *floor = key.floor;
    }

    fn pair(&mut self, one: u32, two: u32, last: &mut u32) {
        self.number(u64::from(one - *last));
        self.number(u64::from(two - one));
        *last = one;
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn damaged(&self, what: &'static str) -> RegionError {
        RegionError::DamagedPieces { byte: self.at, what }
    }

    fn byte(&mut self) -> Result<u8, RegionError> {
        let byte = *self.bytes.get(self.at).ok_or_else(|| self.damaged("they break off"))?;
        self.at += 1;
        Ok(byte)
    }

    fn number(&mut self) -> Result<u64, RegionError> {
        short::take(self.bytes, &mut self.at).ok_or_else(|| {
            self.damaged(if self.at < self.bytes.len() { "a number is too long" } else { "they break off" })
        })
    }

    /// Reads a number of at most `limit`.
    fn number_to(&mut self, limit: u32) -> Result<u32, RegionError> {
        let number = self.number()?;
        u32::try_from(number)
            .ok()
            .filter(|&number| number <= limit)
            .ok_or_else(|| self.damaged("a number is too large"))
    }

    /// Reads a number of entries that take at least `least` bytes each.
    fn count(&mut self, least: usize) -> Result<usize, RegionError> {
        let count = self.number()?;
        let most = (self.bytes.len() - self.at) / least;
        usize::try_from(count)
            .ok()
            .filter(|&count| count <= most)
            .ok_or_else(|| self.damaged("there are fewer entries than they tell"))
    }

    /// Returns the floor that differs from `from` by a zigzag-encoded number.
    fn floor(&self, from: i32, folded: u64) -> Result<i32, RegionError> {
        let floor =
            i64::from(from).checked_add(short::unfold(folded)).and_then(|floor| i32::try_from(floor).ok());
        floor.ok_or_else(|| self.damaged("a floor is out of range"))
    }

    fn key(&mut self, floor: &mut i32, core: GridWindow) -> Result<SpanKey, RegionError> {
        let x = self.number_to(core.width.saturating_sub(1))?;
        let z = self.number_to(core.depth.saturating_sub(1))?;
        let folded = self.number()?;
        *floor = self.floor(*floor, folded)?;
        Ok(SpanKey { z: core.z + z, x: core.x + x, floor: *floor })
    }

    fn pieces(&mut self, core: GridWindow) -> Result<Vec<Piece>, RegionError> {
        let count = self.count(5)?;
        let mut pieces = Vec::with_capacity(count);
        let (mut floor, mut last) = (0, None);
        for _ in 0..count {
            let first = self.key(&mut floor, core)?;
            let spans = u16::try_from(self.number_to(BLOCK_CELLS * BLOCK_CELLS)?).unwrap_or(0);
            let area = AreaId(u8::try_from(self.number_to(u32::from(u8::MAX))?).unwrap_or(0));
            let place = Some((first.z / BLOCK_CELLS, first.x / BLOCK_CELLS, first));
            if spans == 0 || !area.is_walkable() || place <= last {
                return Err(self.damaged("a piece is empty, not walkable or out of order"));
            }
            last = place;
            pieces.push(Piece { first, spans, area });
        }
        Ok(pieces)
    }

    /// Reads the next pair of a sorted list.
    fn pair(&mut self, last: &mut Option<(u32, u32)>, pieces: &[Piece]) -> Result<(u32, u32), RegionError> {
        let limit = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
        let one = last.map_or(0, |(one, _)| one).saturating_add(self.number_to(limit)?);
        let two = one.saturating_add(self.number_to(limit)?);
        if one >= two || two >= limit || Some((one, two)) <= *last {
            return Err(self.damaged("a pair of pieces is out of range or out of order"));
        }
        *last = Some((one, two));
        Ok((one, two))
    }

    fn contacts(&mut self, pieces: &[Piece]) -> Result<Vec<Edge>, RegionError> {
        let count = self.count(3)?;
        let mut contacts = Vec::with_capacity(count);
        let mut last = None;
        for _ in 0..count {
            let (one, two) = self.pair(&mut last, pieces)?;
            let links = self.number_to(u32::MAX)?;
            if links == 0 {
                return Err(self.damaged("a contact without a link"));
            }
            contacts.push(Edge { one, two, links });
        }
        Ok(contacts)
    }

    fn conflicts(&mut self, pieces: &[Piece]) -> Result<Vec<(u32, u32)>, RegionError> {
        let count = self.count(2)?;
        let mut conflicts = Vec::with_capacity(count);
        let mut last = None;
        for _ in 0..count {
            let (one, two) = self.pair(&mut last, pieces)?;
            if pieces[one as usize].area != pieces[two as usize].area {
                return Err(self.damaged("a conflict between two areas"));
            }
            conflicts.push((one, two));
        }
        Ok(conflicts)
    }

    fn rim(
        &mut self,
        core: GridWindow,
        grid: [u32; 2],
        pieces: &[Piece],
    ) -> Result<Vec<RimSpan>, RegionError> {
        let count = self.count(6)?;
        let mut rim = Vec::with_capacity(count);
        let (mut floor, mut last) = (0, None);
        for _ in 0..count {
            let key = self.key(&mut floor, core)?;
            let piece = self.number_to(u32::MAX)?;
            let mut beyond = [Beyond::Inside; 2];
            let ends = [
                key.x + 1 == core.end_x() && core.end_x() < grid[0],
                key.z + 1 == core.end_z() && core.end_z() < grid[1],
            ];
            for (beyond, is_end) in beyond.iter_mut().zip(ends) {
                *beyond = match self.number()? {
                    0 => Beyond::Inside,
                    1 => Beyond::Apart,
                    folded => Beyond::Linked(self.floor(key.floor, folded - 2)?),
                };
                if is_end == (*beyond == Beyond::Inside) {
                    return Err(self.damaged("a span of the rim ends where the part does not"));
                }
            }
            if piece as usize >= pieces.len() || Some(key) <= last {
                return Err(self.damaged("a span of the rim is out of range or out of order"));
            }
            last = Some(key);
            rim.push(RimSpan { key, piece, beyond });
        }
        Ok(rim)
    }
}
