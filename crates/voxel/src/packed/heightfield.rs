//! A compact encoding of a heightfield.

use std::ops::Range;

use waymesh_core::bytes::{Reader, Writer};
use waymesh_core::{AreaId, GROUND_STEPS_PER_LEVEL, Heightfield, Span};

use super::bytes::{columns, header, is_sound, put_columns, put_header, read_all};
use crate::VoxelError;
use crate::filters::check;

/// Kind and version.
const MAGIC: [u8; 4] = *b"WHF\x01";
const WHAT: &str = "packed heightfield";

/// A compact form of a [`Heightfield`]: about one to two bytes per span. A [`Heightfield`] takes
/// twelve bytes per span and four per column.
///
/// # Guarantees
/// - [`PackedHeightfield::unpack`] returns the packed heightfield, bit for bit. The same
///   heightfield gives the same bytes.
/// - Damaged bytes give an error or a different valid heightfield. They cause neither a panic nor a
///   memory use beyond about 300 times their length. A file format that contains them should add a
///   checksum.
///
/// # Layout, version 1
/// Numbers are little-endian; *short* ones have 7 bits a byte, lowest first, the high bit set on
/// all but the last (LEB128); signed short ones are zigzag-encoded (0, -1, 1, -2 ... as 0, 1, 2, 3
/// ...).
///
/// | bytes | what |
/// |---|---|
/// | 4 | `WHF` and the version, 1 |
/// | 12, 4, 4, 4, 4 | origin (3 singles), cell size, level height, width, depth |
/// | 4, 4 | bytes of the column table, number of spans |
/// | ... | column table: per run of at most 64 columns with as many spans each, a byte: number of columns less one in the low 6 bits, number of spans above, 3 for a short number that follows |
/// | 1 per span | bits 0-1 bottom, 2-3 top, 4 class, 5-7 drop |
/// | ... | what did not fit there, span by span in this order: bottom, top, class, drop |
///
/// Each span is compared with another one: the lowest span of the previous column in its row that
/// no earlier span of the current column has passed. A span passes the spans whose bottom is not
/// above its top. Without such a span, it is compared with one of the previous column along z, else
/// with the span before it. The very first span is compared with levels 0 to 1, no area, not
/// upward.
///
/// - Bottom and top: 0 if equal to the other's, 1 if one more, 2 if one less, 3 if the difference
///   follows, signed short.
/// - Class, which is area and [`Span::upward`]: 0 if equal to the other's, 1 if it follows as two
///   bytes.
/// - Drop: the expected value is 0 for a span that is not upward, and the other's drop if the other
///   is not upward. Otherwise it is the drop that puts the ground at the height of the other's; if
///   the other lies in the row, the rise from that one's other to it is added. A difference from -3
///   to 3 is stored plus 3. Otherwise 7 is stored and the difference follows, signed short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedHeightfield {
    bytes: Vec<u8>,
}

impl PackedHeightfield {
    /// Packs `heightfield`.
    ///
    /// # Errors
    /// [`VoxelError::BrokenHeightfield`] for inconsistent tables, [`VoxelError::NotPackable`] for
    /// other invalid values.
    pub fn pack(heightfield: &Heightfield) -> Result<Self, VoxelError> {
        check(heightfield)?;
        if !is_sound(&heightfield.frame) {
            return Err(VoxelError::NotPackable { what: "the frame", span: 0 });
        }
        let mut writer = Writer::default();
        put_header(&mut writer, MAGIC, &heightfield.frame, &[]);
        put_columns(&mut writer, &heightfield.columns);
        let start = writer.0.len();
        writer.0.resize(start + heightfield.spans.len(), 0);
        let mut codes = Vec::with_capacity(heightfield.spans.len());
        let mut expect = Expect::new(heightfield.frame.width);
        for column in 0..heightfield.columns.len() - 1 {
            expect.begin(column, &heightfield.columns);
            let mut ceiling = i64::MIN;
            for index in heightfield.columns[column]..heightfield.columns[column + 1] {
                let span = heightfield.spans[index as usize];
                if !is_next(&span, &mut ceiling) {
                    return Err(VoxelError::NotPackable {
                        what: "a span that is empty or touches another",
                        span: index,
                    });
                }
                let other = expect.other(&heightfield.spans[..index as usize]);
                codes.push(encode(&span, &other, &mut writer));
                expect.pass(&span, &other, &heightfield.spans);
            }
        }
        writer.0[start..start + codes.len()].copy_from_slice(&codes);
        writer.0.shrink_to_fit();
        Ok(Self { bytes: writer.0 })
    }

    /// Wraps bytes that were packed before. They are not checked until
    /// [`PackedHeightfield::unpack`].
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// Returns the packed bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Unpacks the heightfield.
    ///
    /// # Errors
    /// See [`PackedHeightfield::unpack_bytes`].
    pub fn unpack(&self) -> Result<Heightfield, VoxelError> {
        Self::unpack_bytes(&self.bytes)
    }

    /// Unpacks a heightfield from its packed bytes.
    ///
    /// # Errors
    /// [`VoxelError::Damaged`] for bytes that are invalid, too short or too long.
    pub fn unpack_bytes(bytes: &[u8]) -> Result<Heightfield, VoxelError> {
        read_all(bytes, WHAT, read)
    }
}

fn read(from: &mut Reader<'_>) -> Option<Heightfield> {
    let (frame, []) = header(from, MAGIC)?;
    let columns = columns(from, u64::from(frame.width) * u64::from(frame.depth), 1)?;
    let codes = from.take(columns[columns.len() - 1] as usize)?;
    let mut spans = Vec::with_capacity(codes.len());
    let mut expect = Expect::new(frame.width);
    for column in 0..columns.len() - 1 {
        expect.begin(column, &columns);
        let mut ceiling = i64::MIN;
        for index in columns[column]..columns[column + 1] {
            let other = expect.other(&spans);
            let span = decode(codes[index as usize], &other, from)?;
            if !is_next(&span, &mut ceiling) {
                return None;
            }
            spans.push(span);
            expect.pass(&span, &other, &spans);
        }
    }
    Some(Heightfield { frame, columns, spans })
}

/// Returns `true` if `span` is not empty and leaves a gap to the span below, whose top is
/// `ceiling`.
fn is_next(span: &Span, ceiling: &mut i64) -> bool {
    let below = std::mem::replace(ceiling, i64::from(span.top));
    span.bottom < span.top && i64::from(span.bottom) > below
}

/// The span that another is compared with.
#[derive(Clone, Copy, Debug)]
struct Other {
    span: Span,
    /// Rise of the ground from the previous cell to the other span's cell, in ground steps, if
    /// known.
    rise: i64,
}

/// Selects the span to compare with, by the same rules for packing and unpacking.
#[derive(Debug)]
struct Expect {
    width: usize,
    /// Index in its row of the column that begins next. Columns must come in order.
    x: usize,
    /// Spans of the previous column in the row, and of the previous column along z, that have not
    /// been passed.
    beside: Range<u32>,
    before: Range<u32>,
    /// Rise of each span of the previous column in the row, and of the current column.
    rises: Vec<i64>,
    own_rises: Vec<i64>,
    beside_start: u32,
}

const FIRST: Span = Span { bottom: 0, top: 1, ground_drop: 0, area: AreaId::NULL, upward: false };

impl Expect {
    fn new(width: u32) -> Self {
        Self {
            width: width as usize,
            x: 0,
            beside: 0..0,
            before: 0..0,
            rises: Vec::new(),
            own_rises: Vec::new(),
            beside_start: 0,
        }
    }

    fn begin(&mut self, column: usize, columns: &[u32]) {
        std::mem::swap(&mut self.rises, &mut self.own_rises);
        self.own_rises.clear();
        let is_first = self.x == 0;
        self.x = if self.x + 1 == self.width { 0 } else { self.x + 1 };
        self.beside = if is_first { 0..0 } else { columns[column - 1]..columns[column] };
        self.beside_start = self.beside.start;
        self.before = match column.checked_sub(self.width) {
            Some(before) => columns[before]..columns[before + 1],
            None => 0..0,
        };
    }

    fn other(&self, spans: &[Span]) -> Other {
        if let Some(span) = self.beside.clone().next() {
            let rise = self.rises.get((span - self.beside_start) as usize).copied().unwrap_or(0);
            return Other { span: spans[span as usize], rise };
        }
        let span = match self.before.clone().next() {
            Some(span) => spans.get(span as usize),
            None => spans.last(),
        };
        Other { span: span.copied().unwrap_or(FIRST), rise: 0 }
    }

    fn pass(&mut self, span: &Span, other: &Other, spans: &[Span]) {
        let rise = if self.beside.is_empty() { 0 } else { ground(span) - ground(&other.span) };
        self.own_rises.push(rise);
        for passed in [&mut self.beside, &mut self.before] {
            while passed.start < passed.end && spans[passed.start as usize].bottom <= span.top {
                passed.start += 1;
            }
        }
    }
}

/// Returns the height of the ground in ground steps.
fn ground(span: &Span) -> i64 {
    i64::from(span.top) * i64::from(GROUND_STEPS_PER_LEVEL) - i64::from(span.ground_drop)
}

/// Returns the expected drop of a span with this top.
fn expected_drop(top: i32, upward: bool, other: &Other) -> i64 {
    if !upward {
        return 0;
    }
    if !other.span.upward {
        return i64::from(other.span.ground_drop);
    }
    let level = i64::from(top) * i64::from(GROUND_STEPS_PER_LEVEL);
    (level - (ground(&other.span) + other.rise)).clamp(0, i64::from(u16::MAX))
}

/// Encodes a difference in two bits: none, one up, one down, any other.
fn step(difference: i64) -> u8 {
    match difference {
        0 => 0,
        1 => 1,
        -1 => 2,
        _ => 3,
    }
}

fn encode(span: &Span, other: &Other, more: &mut Writer) -> u8 {
    let mut code = 0;
    for (shift, own, of_other) in [(0, span.bottom, other.span.bottom), (2, span.top, other.span.top)] {
        let difference = i64::from(own) - i64::from(of_other);
        code |= step(difference) << shift;
        if step(difference) == 3 {
            more.signed(difference);
        }
    }
    if (span.area, span.upward) != (other.span.area, other.span.upward) {
        code |= 1 << 4;
        more.0.extend_from_slice(&[span.area.0, u8::from(span.upward)]);
    }
    let difference = i64::from(span.ground_drop) - expected_drop(span.top, span.upward, other);
    if let Ok(stored @ 0..=6) = u8::try_from(difference + 3) {
        return code | stored << 5;
    }
    more.signed(difference);
    code | 7 << 5
}

#[inline]
fn decode(code: u8, other: &Other, more: &mut Reader<'_>) -> Option<Span> {
    let mut level = |shift: u8, of_other: i32| {
        let difference = match code >> shift & 3 {
            0 => return Some(of_other),
            1 => 1,
            2 => -1,
            _ => more.signed()?,
        };
        more.plus(of_other, difference)
    };
    let (bottom, top) = (level(0, other.span.bottom)?, level(2, other.span.top)?);
    let (mut area, mut upward) = (other.span.area, other.span.upward);
    if code >> 4 & 1 == 1 {
        area = AreaId(more.get()?);
        upward = match more.get()? {
            0_u8 => false,
            1 => true,
            _ => return None,
        };
    }
    let difference = match code >> 5 {
        7 => more.signed()?,
        stored => i64::from(stored) - 3,
    };
    let ground_drop = more.plus(expected_drop(top, upward, other), difference)?;
    Some(Span { bottom, top, ground_drop, area, upward })
}
