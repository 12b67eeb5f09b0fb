//! A compact encoding of a part of a walkable field.

use std::ops::Range;

use waymesh_core::bytes::{Reader, Writer, unzigzag, zigzag};
use waymesh_core::{
    AreaId, Direction, FieldWindow, GROUND_STEPS_PER_LEVEL, NO_SPAN, OPEN_SKY, WalkableField,
    checkpoint_every,
};

use super::bytes::{columns, header, is_inside, is_sound, put_columns, put_header, read_all};
use crate::VoxelError;

/// Kind and version.
const MAGIC: [u8; 4] = *b"WFW\x01";
const WHAT: &str = "packed field";

const NEG_X: usize = Direction::NegX.index();
const NEG_Z: usize = Direction::NegZ.index();
const POS_X: usize = Direction::PosX.index();
const POS_Z: usize = Direction::PosZ.index();

/// A compact form of a [`FieldWindow`]: about two to three bytes per span. A [`FieldWindow`] takes
/// 33 bytes per span and four per column.
///
/// # Guarantees
/// - [`PackedField::unpack`] returns the packed part, bit for bit. The same part gives the same
///   bytes.
/// - Damaged bytes give an error or a different valid part. They cause neither a panic nor a memory
///   use beyond about 300 times their length. A file format that contains them should add a
///   checksum.
///
/// # Layout, version 1
/// Numbers are little-endian; *short* ones have 7 bits a byte, lowest first, the high bit set on
/// all but the last (LEB128); signed short ones are zigzag-encoded (0, -1, 1, -2 ... as 0, 1, 2, 3
/// ...).
///
/// | bytes | what |
/// |---|---|
/// | 4 | `WFW` and the version, 1 |
/// | 12, 4, 4, 4, 4 | of the whole grid: origin (3 singles), cell size, level height, width, depth |
/// | 16, 16 | core and window: x, z, width, depth each |
/// | 4, 4 | bytes of the column table, number of spans |
/// | ... | column table: per run of at most 64 columns with as many spans each, a byte: number of columns less one in the low 6 bits, number of spans above, 3 for a short number that follows |
/// | 2 per span | bits 0-1 floor, 2-3 clearance, 4-5 link to -x, 6-7 link to -z, 8-14 ground, 15 area |
/// | ... | what did not fit there, span by span in this order: floor, clearance, links to -x and -z, ground, area |
///
/// A span has a *mate* in the previous column of its row and one in the previous column along z:
/// the lowest span in that column that no span of the current column has passed, if any. A span
/// passes the spans it is linked to, and those whose floor is not above its own. It is compared
/// with its mate in the row; without one, with its mate along z; without either, with the span
/// before it. The very first span is compared with level 0, open sky, no area.
///
/// - Floor: 0 if equal to the other's, 1 if one more, 2 if one less, 3 if the difference follows,
///   signed short.
/// - Clearance: 0 if open sky, 1 if equal to the other's, 2 if it ends at the same level as the
///   other's, 3 if it follows, short.
/// - Links: 0 if none, 1 if to the mate, 2 if the number of the span in its column follows, short.
///   Links to +x and +z are the same links seen from the other side.
/// - Ground, in steps of a 32nd of a level: the expected value is the other's; if the other lies in
///   the row, the rise from that one's other to it is added. A difference from -63 to 63 is stored
///   plus 63. Otherwise 127 is stored and a short number follows: 0 if the single-precision number
///   itself comes next, else the zigzag-encoded difference plus 1.
/// - Area: 0 if equal to the other's, 1 if it follows as a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedField {
    bytes: Vec<u8>,
}

impl PackedField {
    /// Packs `part`.
    ///
    /// # Errors
    /// [`VoxelError::NotPackable`] for an invalid part.
    pub fn pack(part: &FieldWindow) -> Result<Self, VoxelError> {
        check(part)?;
        let field = &part.field;
        let mut writer = Writer::default();
        put_header(&mut writer, MAGIC, &part.frame, &[part.core, part.window]);
        put_columns(&mut writer, &field.columns);
        let start = writer.0.len();
        writer.0.resize(start + 2 * field.len(), 0);
        let mut codes = Vec::with_capacity(2 * field.len());
        let mut expect = Expect::new(part.window.width);
        // Every link must have a link in the opposite direction.
        let mut links = [0_usize; 4];
        for column in 0..field.columns.len() - 1 {
            checkpoint_every(1 << 14, column);
            expect.begin(column, &field.columns);
            for span in field.columns[column]..field.columns[column + 1] {
                for (count, link) in links.iter_mut().zip(field.links[span as usize]) {
                    *count += usize::from(link != NO_SPAN);
                }
                let other = expect.other(&field.floor, &field.ground, span);
                codes.extend_from_slice(&encode(field, span, &expect, &other, &mut writer)?.to_le_bytes());
                let own = Own { floor: field.floor[span as usize], links: field.links[span as usize] };
                expect.pass(&own, steps(field.ground[span as usize]), &other, &field.floor);
            }
        }
        if links[NEG_X] != links[POS_X] || links[NEG_Z] != links[POS_Z] {
            return Err(VoxelError::NotPackable { what: "a link without a way back", span: 0 });
        }
        writer.0[start..start + codes.len()].copy_from_slice(&codes);
        writer.0.shrink_to_fit();
        Ok(Self { bytes: writer.0 })
    }

    /// Wraps bytes that were packed before. They are not checked until [`PackedField::unpack`].
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// Returns the packed bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Unpacks the part.
    ///
    /// # Errors
    /// See [`PackedField::unpack_bytes`].
    pub fn unpack(&self) -> Result<FieldWindow, VoxelError> {
        Self::unpack_bytes(&self.bytes)
    }

    /// Unpacks a part from its packed bytes.
    ///
    /// # Errors
    /// [`VoxelError::Damaged`] for bytes that are invalid, too short or too long.
    pub fn unpack_bytes(bytes: &[u8]) -> Result<FieldWindow, VoxelError> {
        read_all(bytes, WHAT, read)
    }
}

fn read(from: &mut Reader<'_>) -> Option<FieldWindow> {
    let (frame, [core, window]) = header(from, MAGIC)?;
    if !window.covers(&core) {
        return None;
    }
    let columns = columns(from, window.column_count(), 2)?;
    let spans = columns[columns.len() - 1] as usize;
    let codes = from.take(2 * spans)?;
    let mut field = WalkableField {
        frame: frame.window(window),
        columns: Vec::new(),
        span_columns: Vec::with_capacity(spans),
        floor: Vec::with_capacity(spans),
        clearance: Vec::with_capacity(spans),
        ground: Vec::with_capacity(spans),
        links: Vec::with_capacity(spans),
        area: Vec::with_capacity(spans),
    };
    let mut codes = codes.chunks_exact(2);
    let mut expect = Expect::new(window.width);
    for (column, range) in columns.windows(2).enumerate() {
        checkpoint_every(1 << 14, column);
        expect.begin(column, &columns);
        #[expect(clippy::cast_possible_truncation, reason = "the reader checks that columns fit 32 bits")]
        field.span_columns.resize(range[1] as usize, column as u32);
        let mut below = i64::MIN;
        for (span, code) in (range[0]..range[1]).zip(codes.by_ref()) {
            let code = u16::from_le_bytes([code[0], code[1]]);
            let other = expect.other(&field.floor, &field.ground, span);
            let (own, steps) = decode(code, &mut field, span, &expect, &other, from)?;
            if i64::from(own.floor) <= below {
                return None;
            }
            below = i64::from(own.floor);
            expect.pass(&own, steps, &other, &field.floor);
        }
    }
    field.columns = columns;
    Some(FieldWindow { frame, core, window, field })
}

/// Checks that tables, windows and floors are valid. Links are checked during packing.
fn check(part: &FieldWindow) -> Result<(), VoxelError> {
    let wrong = |what, span| Err(VoxelError::NotPackable { what, span });
    let FieldWindow { frame, core, window, field } = part;
    if !is_sound(frame) || !is_inside(window, frame) || !is_inside(core, frame) || !window.covers(core) {
        return wrong("the window", 0);
    }
    if field.frame != frame.window(*window) {
        return wrong("the frame of the field", 0);
    }
    let spans = field.span_columns.len();
    let lengths =
        [field.floor.len(), field.clearance.len(), field.ground.len(), field.links.len(), field.area.len()];
    let sound = lengths == [spans; 5]
        && field.columns.len() as u64 == window.column_count() + 1
        && field.columns.len() < u32::MAX as usize
        && field.columns.first() == Some(&0)
        && field.columns.last().is_some_and(|&last| last as usize == spans && last < NO_SPAN)
        && field.columns.windows(2).all(|pair| pair[0] <= pair[1]);
    if !sound {
        return wrong("the tables of the field", 0);
    }
    for (column, range) in field.columns.windows(2).enumerate() {
        for span in range[0]..range[1] {
            let index = span as usize;
            if field.span_columns[index] as usize != column {
                return wrong("a span of another column", span);
            }
            if span > range[0] && field.floor[index] <= field.floor[index - 1] {
                return wrong("a span that is not above the one before", span);
            }
        }
    }
    Ok(())
}

/// The span that another is compared with: its number ([`NO_SPAN`] for the very first span), and
/// the expected ground in steps.
#[derive(Clone, Copy, Debug)]
struct Other {
    span: u32,
    floor: i32,
    /// Ground of the other span, and the expected ground of the current span.
    steps: i32,
    expected: i32,
    is_beside: bool,
}

/// Values of a span that determine the mates of the next one.
struct Own {
    floor: i32,
    links: [u32; 4],
}

/// The spans of an adjacent column, and the first of them that has not been passed.
#[derive(Clone, Debug)]
struct Mates {
    column: Range<u32>,
    next: u32,
}

impl Mates {
    #[inline(always)]
    fn of(column: Range<u32>) -> Self {
        Self { next: column.start, column }
    }

    #[inline(always)]
    fn has_next(&self) -> bool {
        self.next < self.column.end
    }

    #[inline(always)]
    fn pass(&mut self, link: u32, own_floor: i32, floor: &[i32]) {
        if link != NO_SPAN {
            self.next = self.next.max(link + 1);
        }
        while self.has_next() && floor[self.next as usize] <= own_floor {
            self.next += 1;
        }
    }
}

/// Selects the span to compare with, by the same rules for packing and unpacking.
#[derive(Debug)]
struct Expect {
    width: usize,
    /// Index in its row of the column that begins next. Columns must come in order.
    x: usize,
    /// The previous column in the row, and the previous column along z.
    beside: Mates,
    before: Mates,
    /// Ground and its rise for each span of the previous column in the row, and of the current
    /// column.
    grounds: Vec<[i32; 2]>,
    own_grounds: Vec<[i32; 2]>,
}

/// Returns the ground in steps; 0 if it is out of range or not an integer number of steps.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "checked to be a small whole number")]
fn steps(ground: f32) -> i32 {
    let steps = ground * f32::from(GROUND_STEPS_PER_LEVEL);
    // A wrong value only costs bytes.
    let whole = steps as i32;
    if ground_of(whole).to_bits() == ground.to_bits() { whole } else { 0 }
}

/// Returns the ground of a number of steps.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "other values are stored as single-precision numbers")]
fn ground_of(steps: i32) -> f32 {
    steps as f32 * (1.0 / f32::from(GROUND_STEPS_PER_LEVEL))
}

impl Expect {
    fn new(width: u32) -> Self {
        Self {
            width: width as usize,
            x: 0,
            beside: Mates::of(0..0),
            before: Mates::of(0..0),
            grounds: Vec::new(),
            own_grounds: Vec::new(),
        }
    }

    #[inline(always)]
    fn begin(&mut self, column: usize, columns: &[u32]) {
        std::mem::swap(&mut self.grounds, &mut self.own_grounds);
        self.own_grounds.clear();
        let is_first = self.x == 0;
        self.x = if self.x + 1 == self.width { 0 } else { self.x + 1 };
        self.beside = Mates::of(if is_first { 0..0 } else { columns[column - 1]..columns[column] });
        self.before = Mates::of(match column.checked_sub(self.width) {
            Some(before) => columns[before]..columns[before + 1],
            None => 0..0,
        });
    }

    #[inline(always)]
    fn other(&self, floor: &[i32], ground: &[f32], own: u32) -> Other {
        if self.beside.has_next() {
            let span = self.beside.next;
            let place = (span - self.beside.column.start) as usize;
            let [steps, rise] = self.grounds.get(place).copied().unwrap_or_default();
            let expected = steps.wrapping_add(rise);
            return Other { span, floor: floor[span as usize], steps, expected, is_beside: true };
        }
        let span = if self.before.has_next() { self.before.next } else { own.wrapping_sub(1) };
        let steps = ground.get(span as usize).map_or(0, |&ground| steps(ground));
        let floor = floor.get(span as usize).copied().unwrap_or(0);
        Other { span, floor, steps, expected: steps, is_beside: false }
    }

    #[inline(always)]
    fn pass(&mut self, own: &Own, steps: i32, other: &Other, floor: &[i32]) {
        let rise = if other.is_beside { steps.wrapping_sub(other.steps) } else { 0 };
        self.own_grounds.push([steps, rise]);
        self.beside.pass(own.links[NEG_X], own.floor, floor);
        self.before.pass(own.links[NEG_Z], own.floor, floor);
    }
}

fn encode(
    field: &WalkableField,
    span: u32,
    expect: &Expect,
    other: &Other,
    more: &mut Writer,
) -> Result<u16, VoxelError> {
    let at = span as usize;
    let mut code = 0;
    let difference = i64::from(field.floor[at]) - i64::from(other.floor);
    code |= match difference {
        0 => 0,
        1 => 1,
        -1 => 2,
        _ => {
            more.signed(difference);
            3
        }
    };
    let clearance = field.clearance[at];
    let of_other = field.clearance.get(other.span as usize).copied().unwrap_or(OPEN_SKY);
    code |= if clearance == OPEN_SKY {
        0
    } else if clearance == of_other {
        1 << 2
    } else if clearance == same_ceiling(field.floor[at], other.floor, of_other) {
        2 << 2
    } else {
        more.number(clearance);
        3 << 2
    };
    let sides = [(NEG_X, POS_X, &expect.beside, 4), (NEG_Z, POS_Z, &expect.before, 6)];
    for (direction, back, mates, shift) in sides {
        let link = field.links[at][direction];
        if link == NO_SPAN {
            continue;
        }
        let fits = mates.column.contains(&link) && field.links[link as usize][back] == span;
        if !fits {
            return Err(VoxelError::NotPackable { what: "a link to the wrong span", span });
        }
        if link == mates.next {
            code |= 1 << shift;
        } else {
            code |= 2 << shift;
            more.number(link - mates.column.start);
        }
    }
    let ground = field.ground[at];
    let own = steps(ground);
    let difference = i64::from(own) - i64::from(other.expected);
    if ground_of(own).to_bits() != ground.to_bits() {
        code |= 127 << 8;
        more.put(0_u8);
        more.put(ground);
    } else if let Ok(stored @ 0..=126) = u16::try_from(difference + 63) {
        code |= stored << 8;
    } else {
        code |= 127 << 8;
        more.number(zigzag(difference) + 1);
    }
    if field.area[at] != field.area.get(other.span as usize).copied().unwrap_or(AreaId::NULL) {
        code |= 1 << 15;
        more.0.push(field.area[at].0);
    }
    Ok(code)
}

/// Returns the clearance that ends at the same level as that of another span.
#[inline(always)]
fn same_ceiling(floor: i32, other_floor: i32, other_clearance: u32) -> u32 {
    other_clearance.wrapping_add(other_floor.wrapping_sub(floor).cast_unsigned())
}

/// Adds the span to `field`. Returns the values that determine the mates of the next one, and the
/// ground in steps.
#[inline(always)]
fn decode(
    code: u16,
    field: &mut WalkableField,
    span: u32,
    expect: &Expect,
    other: &Other,
    more: &mut Reader<'_>,
) -> Option<(Own, i32)> {
    let floor = match code & 3 {
        0 => other.floor,
        1 => other.floor.wrapping_add(1),
        2 => other.floor.wrapping_sub(1),
        _ => {
            let difference = more.signed()?;
            more.plus(other.floor, difference)?
        }
    };
    let of_other = field.clearance.get(other.span as usize).copied().unwrap_or(OPEN_SKY);
    let clearance = match code >> 2 & 3 {
        0 => OPEN_SKY,
        1 => of_other,
        2 => same_ceiling(floor, other.floor, of_other),
        _ => more.number()?,
    };
    let mut links = [NO_SPAN; 4];
    for (direction, back, mates, shift) in
        [(NEG_X, POS_X, &expect.beside, 4), (NEG_Z, POS_Z, &expect.before, 6)]
    {
        let link = match code >> shift & 3 {
            0 => continue,
            1 => mates.next,
            2 => mates.column.start.saturating_add(more.number()?),
            _ => return None,
        };
        if link >= mates.column.end {
            return None;
        }
        let back = &mut field.links[link as usize][back];
        if *back != NO_SPAN {
            return None;
        }
        *back = span;
        links[direction] = link;
    }
    let (ground, steps) = match code >> 8 & 127 {
        127 => match more.number()? {
            0 => {
                let ground = more.get()?;
                (ground, steps(ground))
            }
            folded => {
                let steps = more.plus(other.expected, unzigzag(folded - 1))?;
                (ground_of(steps), steps)
            }
        },
        stored => {
            let steps = other.expected.wrapping_add(i32::from(stored) - 63);
            (ground_of(steps), steps)
        }
    };
    let mut area = field.area.get(other.span as usize).copied().unwrap_or(AreaId::NULL);
    if code >> 15 == 1 {
        area = AreaId(more.get()?);
    }
    field.floor.push(floor);
    field.clearance.push(clearance);
    field.ground.push(ground);
    field.links.push(links);
    field.area.push(area);
    Some((Own { floor, links }, steps))
}
