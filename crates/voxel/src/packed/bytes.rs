//! Encoding of numbers as bytes, and the header of both formats.
//!
//! Numbers have a fixed size and are little-endian, or are variable-length integers ([`short`]).
//! Signed variable-length integers are zigzag-encoded.

use glam::Vec3;
use waymesh_core::{GridFrame, GridScale, GridWindow, short};

use crate::VoxelError;

/// Largest number of columns that one byte of the column table covers. Bounds the memory that a few
/// damaged bytes can request.
const LONGEST_RUN: usize = 64;
/// Number of spans per column from which it is stored as a variable-length integer.
const LONG_COUNT: u32 = 3;

#[derive(Debug, Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn f32(&mut self, value: f32) {
        self.u32(value.to_bits());
    }

    pub(super) fn short(&mut self, value: u64) {
        short::put(&mut self.0, value);
    }

    pub(super) fn signed(&mut self, value: i64) {
        self.short(short::fold(value));
    }

    /// Writes the magic bytes, the frame of the whole grid, and windows of it.
    pub(super) fn header(&mut self, magic: [u8; 4], frame: &GridFrame, windows: &[GridWindow]) {
        self.0.extend_from_slice(&magic);
        frame.origin.to_array().into_iter().for_each(|value| self.f32(value));
        self.f32(frame.cell_size);
        self.f32(frame.level_height);
        self.u32(frame.width);
        self.u32(frame.depth);
        for window in windows {
            [window.x, window.z, window.width, window.depth].into_iter().for_each(|value| self.u32(value));
        }
    }

    /// Writes the column table: the length in bytes of the runs, the number of spans, and the runs
    /// of columns with the same number of spans.
    ///
    /// A run is a byte. The high two bits are the number of spans per column, or 3 if it follows as
    /// a variable-length integer. The other bits are the number of columns less one.
    #[expect(clippy::cast_possible_truncation, reason = "runs are at most 64, counts below 3 are 2 bits")]
    pub(super) fn columns(&mut self, columns: &[u32]) {
        let mut runs = Self::default();
        let mut counts = columns.windows(2).map(|pair| pair[1] - pair[0]).peekable();
        while let Some(count) = counts.next() {
            let mut run = 1;
            while run < LONGEST_RUN && counts.next_if_eq(&count).is_some() {
                run += 1;
            }
            runs.0.push((count.min(LONG_COUNT) as u8) << 6 | (run - 1) as u8);
            if count >= LONG_COUNT {
                runs.short(u64::from(count));
            }
        }
        self.u32(u32::try_from(runs.0.len()).unwrap_or(u32::MAX));
        self.u32(columns.last().copied().unwrap_or(0));
        self.0.append(&mut runs.0);
    }
}

/// Reads the output of [`Writer`]. Checks every byte.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    what: &'static str,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Self { bytes, at: 0, what }
    }

    /// Returns the error for damage at the current position.
    #[cold]
    pub(super) fn damaged(&self) -> VoxelError {
        VoxelError::Damaged { what: self.what, at: self.at }
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], VoxelError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let (taken, _) = rest.split_at_checked(count).ok_or_else(|| self.damaged())?;
        self.at += count;
        Ok(taken)
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Returns an error if any bytes are left.
    pub(super) fn end(&self) -> Result<(), VoxelError> {
        if self.left() == 0 { Ok(()) } else { Err(self.damaged()) }
    }

    pub(super) fn u32(&mut self) -> Result<u32, VoxelError> {
        let mut value = [0; 4];
        value.copy_from_slice(self.take(4)?);
        Ok(u32::from_le_bytes(value))
    }

    pub(super) fn f32(&mut self) -> Result<f32, VoxelError> {
        self.u32().map(f32::from_bits)
    }

    #[inline]
    pub(super) fn byte(&mut self) -> Result<u8, VoxelError> {
        let byte = self.bytes.get(self.at).copied().ok_or_else(|| self.damaged())?;
        self.at += 1;
        Ok(byte)
    }

    #[inline]
    pub(super) fn short(&mut self) -> Result<u64, VoxelError> {
        short::take(self.bytes, &mut self.at).ok_or_else(|| self.damaged())
    }

    #[inline]
    pub(super) fn signed(&mut self) -> Result<i64, VoxelError> {
        self.short().map(short::unfold)
    }

    /// Reads a variable-length integer of 32 bits.
    #[inline]
    pub(super) fn short_u32(&mut self) -> Result<u32, VoxelError> {
        let value = self.short()?;
        u32::try_from(value).map_err(|_| self.damaged())
    }

    pub(super) fn header<const WINDOWS: usize>(
        &mut self,
        magic: [u8; 4],
    ) -> Result<(GridFrame, [GridWindow; WINDOWS]), VoxelError> {
        if self.take(4)? != magic {
            self.at = 0;
            return Err(self.damaged());
        }
        let origin = Vec3::new(self.f32()?, self.f32()?, self.f32()?);
        let (cell_size, level_height) = (self.f32()?, self.f32()?);
        let frame = GridFrame { origin, cell_size, level_height, width: self.u32()?, depth: self.u32()? };
        let mut windows = [GridWindow::default(); WINDOWS];
        for window in &mut windows {
            *window = GridWindow::new(self.u32()?, self.u32()?, self.u32()?, self.u32()?);
        }
        let inside = windows.iter().all(|window| is_inside(window, &frame));
        if is_sound(&frame) && inside { Ok((frame, windows)) } else { Err(self.damaged()) }
    }

    /// Reads the column table of `count` columns. At least `span_bytes` bytes must follow for each
    /// span, so the requested memory is at most a small multiple of the existing bytes.
    pub(super) fn columns(&mut self, count: u64, span_bytes: usize) -> Result<Vec<u32>, VoxelError> {
        let (runs, spans) = (self.u32()? as usize, self.u32()?);
        let rest = self.left().checked_sub(runs).ok_or_else(|| self.damaged())?;
        let fits = count <= LONGEST_RUN as u64 * runs as u64 && count < u64::from(u32::MAX);
        if !fits || spans == u32::MAX || u64::from(spans) * span_bytes as u64 > rest as u64 {
            return Err(self.damaged());
        }
        let end = self.at + runs;
        let count = usize::try_from(count).map_err(|_| self.damaged())?;
        let mut columns = Vec::with_capacity(count + 1);
        columns.push(0);
        let mut total = 0_u32;
        while self.at < end {
            let byte = self.byte()?;
            let run = usize::from(byte & 63) + 1;
            let each = if byte >> 6 == 3 { self.short_u32()? } else { u32::from(byte >> 6) };
            let after = u64::from(total) + u64::from(each) * run as u64;
            if columns.len() + run > count + 1 || after > u64::from(spans) {
                return Err(self.damaged());
            }
            columns.extend((0..run).map(|_| {
                total += each;
                total
            }));
        }
        if self.at == end && columns.len() == count + 1 && total == spans {
            return Ok(columns);
        }
        Err(self.damaged())
    }
}

/// Returns `true` if all numbers of the frame are valid.
pub(super) fn is_sound(frame: &GridFrame) -> bool {
    GridScale::new(frame.cell_size, frame.level_height).validate().is_ok() && frame.origin.is_finite()
}

/// Returns `true` if a window lies in the frame and its ends do not overflow.
pub(super) fn is_inside(window: &GridWindow, frame: &GridFrame) -> bool {
    let fits = |from: u32, size: u32, all: u32| from.checked_add(size).is_some_and(|end| end <= all);
    fits(window.x, window.width, frame.width) && fits(window.z, window.depth, frame.depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_told_with_its_place() {
        let mut writer = Writer::default();
        writer.signed(-64);
        writer.short(300);
        let mut reader = Reader::new(&writer.0, "test");
        assert_eq!((reader.signed(), reader.short()), (Ok(-64), Ok(300)));
        reader.end().unwrap();
        let damaged = VoxelError::Damaged { what: "test", at: writer.0.len() };
        assert_eq!((reader.byte(), reader.short()), (Err(damaged), Err(damaged)));
        assert!(Reader::new(&[0xff; 11], "test").short().is_err());
    }

    #[test]
    fn column_tables_come_back_and_cannot_ask_for_much() {
        let counts = [0, 0, 0, 1, 1, 2, 2, 3, 3, 500, 0, 1].into_iter().chain([1; 300]).chain([0; 70]);
        let mut columns = vec![0];
        for count in counts {
            columns.push(columns[columns.len() - 1] + count);
        }
        let mut writer = Writer::default();
        writer.columns(&columns);
        assert!(writer.0.len() < 40, "{}", writer.0.len());
        writer.0.extend(vec![0; 900]);
        let count = columns.len() as u64 - 1;
        assert_eq!(Reader::new(&writer.0, "test").columns(count, 1), Ok(columns));
        for wrong in [0, count - 1, count + 1, 1 << 31, u64::MAX] {
            assert!(Reader::new(&writer.0, "test").columns(wrong, 1).is_err());
        }
        assert!(Reader::new(&writer.0, "test").columns(count, 9).is_err(), "not enough bytes for the spans");
    }
}
