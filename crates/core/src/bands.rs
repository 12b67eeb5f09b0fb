//! Bands of rows of a grid, one task each for parallel work.

use std::ops::Range;

/// Bands per thread. Several bands per thread even out bands with unequal run times.
const PER_THREAD: usize = 4;

/// Minimum work of a band. Below it, starting a task costs more than it gains: about 50
/// microseconds at the 20 ns that a stage spends on a column or span.
const LEAST_WORK: u64 = 1 << 12;

/// Cuts rows `0..rows` into bands of about equal work for `threads` threads.
///
/// `work_before(row)` is the work of all rows before `row`: a column or a span counts 1. It must
/// not decrease. Bands begin at multiples of `step` rows, and have at least `step` rows unless they
/// are the last.
///
/// # Guarantees
/// - The bands are in order, cover all rows, and none is empty.
/// - One thread, or work below the minimum of two bands, gets one band.
///
/// # Cost
/// `log2(rows)` calls of `work_before` per band.
///
/// # Panics
/// If `step` is zero.
#[must_use]
pub fn row_bands(rows: u32, step: u32, threads: usize, work_before: impl Fn(u32) -> u64) -> Vec<Range<u32>> {
    if rows == 0 {
        return Vec::new();
    }
    let work = work_before(rows);
    let most = usize::try_from(work / LEAST_WORK).unwrap_or(usize::MAX).max(1);
    let count = if threads <= 1 { 1 } else { threads.saturating_mul(PER_THREAD).min(most) };
    let steps = rows.div_ceil(step);
    let mut bands = Vec::with_capacity(count);
    let mut first = 0;
    for band in 1..count as u64 {
        let wanted = u128::from(work) * u128::from(band) / count as u128;
        let (mut low, mut high) = (first / step, steps);
        while low < high {
            let middle = low + (high - low) / 2;
            if u128::from(work_before(middle * step)) < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let end = low.saturating_mul(step).min(rows);
        if end > first && end < rows {
            bands.push(first..end);
            first = end;
        }
    }
    bands.push(first..rows);
    bands
}

/// Cuts a slice into consecutive parts of the given lengths.
///
/// # Panics
/// If the sum of the lengths exceeds the length of the slice.
#[must_use]
pub fn split_lengths<T>(mut slice: &mut [T], lengths: impl IntoIterator<Item = usize>) -> Vec<&mut [T]> {
    let part = |length| {
        let (part, rest) = std::mem::take(&mut slice).split_at_mut(length);
        slice = rest;
        part
    };
    lengths.into_iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn bands_cover_all_rows_in_steps_and_share_the_work() {
        let mut random = Random::new(5);
        let mut shared = 0;
        for _ in 0..500 {
            let (rows, step, threads) = (random.below(200), 1 + random.below(20), random.index(9));
            let mut before = vec![0_u64];
            for row in 0..rows as usize {
                let more = if random.below(4) == 0 { 0 } else { u64::from(random.below(3_000)) };
                before.push(before[row] + more);
            }
            let bands = row_bands(rows, step, threads, |row| before[row as usize]);
            assert!(bands.iter().all(|band| band.start < band.end && band.start % step == 0), "{bands:?}");
            assert!(bands.windows(2).all(|pair| pair[0].end == pair[1].start), "{bands:?}");
            assert_eq!(bands.iter().map(|band| band.end - band.start).sum::<u32>(), rows);
            assert_eq!(bands.is_empty(), rows == 0);
            assert!(bands.len() <= 1 || threads > 1);
            // No band has more work than its share plus one step.
            let work = |band: &Range<u32>| before[band.end as usize] - before[band.start as usize];
            let wanted = (threads * PER_THREAD).min((before[rows as usize] / LEAST_WORK) as usize).max(1);
            if threads > 1 {
                let share = before[rows as usize] / wanted as u64 + u64::from(step) * 3_000 + 1;
                assert!(bands.iter().all(|band| work(band) <= share), "{bands:?}");
                shared += usize::from(bands.len() > 4);
            }
        }
        assert!(shared > 100, "{shared} were shared");
    }

    #[test]
    fn little_work_is_not_shared() {
        let bands = |threads, work: u64| row_bands(100, 1, threads, |row| u64::from(row) * work).len();
        assert_eq!(bands(8, LEAST_WORK / 60), 1);
        assert_eq!(bands(1, LEAST_WORK), 1);
        assert_eq!(bands(8, LEAST_WORK), 32);
        assert_eq!(bands(8, 0), 1);
    }

    #[test]
    fn slices_are_cut_by_lengths() {
        let mut numbers = [1, 2, 3, 4, 5];
        let parts = split_lengths(&mut numbers, [2, 0, 3]);
        assert_eq!(parts, [&mut [1, 2][..], &mut [], &mut [3, 4, 5]]);
    }
}
