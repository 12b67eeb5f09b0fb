//! Header and column table of both formats.

use glam::Vec3;
use waymesh_core::bytes::{Reader, Writer};
use waymesh_core::{GridFrame, GridScale, GridWindow};

use crate::VoxelError;

/// Largest number of columns that one byte of the column table covers. Bounds the memory that a few
/// damaged bytes can request.
const LONGEST_RUN: usize = 64;
/// Number of spans per column from which it is stored as a variable-length integer.
const LONG_COUNT: u32 = 3;

/// Calls `read`, and reports the position of damaged bytes.
pub(super) fn read_all<T>(
    bytes: &[u8],
    what: &'static str,
    read: impl FnOnce(&mut Reader<'_>) -> Option<T>,
) -> Result<T, VoxelError> {
    let mut from = Reader::new(bytes);
    let all = read(&mut from);
    all.filter(|_| from.left() == 0).ok_or_else(|| VoxelError::Damaged { what, at: from.at() })
}

/// Writes the magic bytes, the frame of the whole grid, and windows of it.
pub(super) fn put_header(out: &mut Writer, magic: [u8; 4], frame: &GridFrame, windows: &[GridWindow]) {
    out.put(magic);
    out.put(frame.origin.to_array());
    out.put([frame.cell_size, frame.level_height]);
    out.put([frame.width, frame.depth]);
    out.put_all(windows.iter().map(|window| [window.x, window.z, window.width, window.depth]));
}

/// Writes the column table: the length in bytes of the runs, the number of spans, and the runs of
/// columns with the same number of spans.
///
/// A run is a byte. The high two bits are the number of spans per column, or 3 if it follows as a
/// variable-length integer. The other bits are the number of columns less one.
#[expect(clippy::cast_possible_truncation, reason = "runs are at most 64, counts below 3 are 2 bits")]
pub(super) fn put_columns(out: &mut Writer, columns: &[u32]) {
    let mut runs = Writer::default();
    let mut counts = columns.windows(2).map(|pair| pair[1] - pair[0]).peekable();
    while let Some(count) = counts.next() {
        let mut run = 1;
        while run < LONGEST_RUN && counts.next_if_eq(&count).is_some() {
            run += 1;
        }
        runs.put((count.min(LONG_COUNT) as u8) << 6 | (run - 1) as u8);
        if count >= LONG_COUNT {
            runs.number(count);
        }
    }
    out.put([u32::try_from(runs.0.len()).unwrap_or(u32::MAX), columns.last().copied().unwrap_or(0)]);
    out.0.append(&mut runs.0);
}

/// Reads the output of [`put_header`].
pub(super) fn header<const WINDOWS: usize>(
    from: &mut Reader<'_>,
    magic: [u8; 4],
) -> Option<(GridFrame, [GridWindow; WINDOWS])> {
    if from.get() != Some(magic) {
        *from = Reader::new(&[]);
        return None;
    }
    let origin = Vec3::from_array(from.get()?);
    let [cell_size, level_height] = from.get()?;
    let [width, depth] = from.get()?;
    let frame = GridFrame { origin, cell_size, level_height, width, depth };
    let mut windows = [GridWindow::default(); WINDOWS];
    for window in &mut windows {
        let [x, z, width, depth] = from.get()?;
        *window = GridWindow::new(x, z, width, depth);
    }
    let inside = windows.iter().all(|window| is_inside(window, &frame));
    (is_sound(&frame) && inside).then_some((frame, windows))
}

/// Reads the column table of `count` columns. At least `span_bytes` bytes must follow for each
/// span, so the requested memory is at most a small multiple of the existing bytes.
pub(super) fn columns(from: &mut Reader<'_>, count: u64, span_bytes: usize) -> Option<Vec<u32>> {
    let [runs, spans] = from.get()?;
    let rest = from.left().checked_sub(runs as usize)?;
    let fits = count <= LONGEST_RUN as u64 * u64::from(runs) && count < u64::from(u32::MAX);
    if !fits || spans == u32::MAX || u64::from(spans) * span_bytes as u64 > rest as u64 {
        return None;
    }
    let end = from.at() + runs as usize;
    let count = usize::try_from(count).ok()?;
    let mut columns = Vec::with_capacity(count + 1);
    columns.push(0);
    let mut total = 0_u32;
    while from.at() < end {
        let byte: u8 = from.get()?;
        let run = usize::from(byte & 63) + 1;
        let each = if byte >> 6 == 3 { from.number()? } else { u32::from(byte >> 6) };
        let after = u64::from(total) + u64::from(each) * run as u64;
        if columns.len() + run > count + 1 || after > u64::from(spans) {
            return None;
        }
        columns.extend((0..run).map(|_| {
            total += each;
            total
        }));
    }
    (from.at() == end && columns.len() == count + 1 && total == spans).then_some(columns)
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
    fn column_tables_come_back_and_cannot_ask_for_much() {
        let counts = [0, 0, 0, 1, 1, 2, 2, 3, 3, 500, 0, 1].into_iter().chain([1; 300]).chain([0; 70]);
        let mut columns = vec![0];
        for count in counts {
            columns.push(columns[columns.len() - 1] + count);
        }
        let mut writer = Writer::default();
        put_columns(&mut writer, &columns);
        assert!(writer.0.len() < 40, "{}", writer.0.len());
        writer.0.extend(vec![0; 900]);
        let count = columns.len() as u64 - 1;
        let read = |count, span_bytes| super::columns(&mut Reader::new(&writer.0), count, span_bytes);
        assert_eq!(read(count, 1), Some(columns));
        for wrong in [0, count - 1, count + 1, 1 << 31, u64::MAX] {
            assert!(read(wrong, 1).is_none());
        }
        assert!(read(count, 9).is_none(), "not enough bytes for the spans");
    }
}
