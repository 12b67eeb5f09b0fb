//! Distances of places to borders, near the new border at the agent's radius.

use waymesh_core::lanes::{high as larger, low as smaller};
use waymesh_core::{GridWindow, checkpoint, nearest_f32, saturating_i64, to_u32};

use crate::config::Walk;
use crate::depth::{Block, DepthMaps};
use crate::slice::whole_below;
use crate::walls::Post;

/// A segment of a wall or drop in plan, with the height of the ground along it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// A pixel near it. Ends are relative to it, so that rounding does not depend on the window.
    pub(crate) base: [i64; 2],
    /// In cells from the corner of that pixel.
    pub(crate) ends: [[f32; 2]; 2],
    pub(crate) ground: f32,
}

/// Distance of places from the nearest border, in cells. It is clamped to the range from
/// [`NEARER_CELLS`] below the radius to [`FARTHER_CELLS`] above it. Only known for the requested
/// places.
#[derive(Debug, Default)]
pub(crate) struct Distances {
    reach: f32,
    /// First distance of each sheet, [`NOTHING_NEAR`] if none is less than the reach.
    slots: Vec<u32>,
    /// The distances; a sheet has as many as places.
    distances: Vec<f32>,
}

const NOTHING_NEAR: u32 = u32::MAX;
/// Distances are exact only around the new border. The distances of two linked places differ by at
/// most a cell, unless a cliff is between them.
const FARTHER_CELLS: f32 = 1.5;
const NEARER_CELLS: f32 = 1.25;

impl Distances {
    /// Measures the distances of the pixels of `asked` to all segments. They do not depend on the
    /// order of the segments, and are the same for joined segments and their parts.
    pub(crate) fn measure(
        maps: &DepthMaps<'_>,
        asked: GridWindow,
        walk: &Walk,
        segments: &[Segment],
    ) -> Self {
        let reach = walk.radius + FARTHER_CELLS;
        let mut measure = Measure {
            maps,
            asked: GridWindow { x: asked.x - maps.window.x, z: asked.z - maps.window.z, ..asked },
            slots: vec![NOTHING_NEAR; maps.ranges.len()],
            squared: Vec::new(),
            rows: vec![NOTHING_NEAR; maps.ranges.len()],
            row_most: Vec::new(),
            most: maps
                .ranges
                .iter()
                .map(|range| if range.is_empty() { 0.0 } else { reach * reach })
                .collect(),
            reach,
            least: (walk.radius - NEARER_CELLS).max(0.0),
            near: walk.near,
        };
        measure.apply_all(segments);
        measure.finish()
    }

    /// Returns the distance of one pixel.
    #[inline]
    pub(crate) fn of(&self, sheet: usize, pixel: usize) -> f32 {
        match self.slots[sheet] {
            NOTHING_NEAR => self.reach,
            slot => self.distances[slot as usize + pixel],
        }
    }

    /// Returns the distances of consecutive pixels, if anything is near the sheet.
    pub(crate) fn row(&self, sheet: usize, pixels: std::ops::Range<usize>) -> Option<&[f32]> {
        let slot = self.slots[sheet];
        (slot != NOTHING_NEAR)
            .then(|| &self.distances[slot as usize + pixels.start..slot as usize + pixels.end])
    }
}

impl Segment {
    pub(crate) fn of_post(post: &Post, window: GridWindow) -> Self {
        let corner = post.ends[0].map(f64::floor);
        Self {
            base: [
                saturating_i64(corner[0]) - i64::from(window.x),
                saturating_i64(corner[1]) - i64::from(window.z),
            ],
            ends: post.ends.map(|[x, z]| [nearest_f32(x - corner[0]), nearest_f32(z - corner[1])]),
            ground: post.ground,
        }
    }

    /// Extends this segment by another one that continues it straight along an axis at the same
    /// height. Returns `false` if it does not. The distance to the result is the distance to the
    /// nearer of both, to the last bit, because segments along an axis end at centres of pixels.
    pub(crate) fn join(&mut self, next: &Self) -> bool {
        if self.ground.to_bits() != next.ground.to_bits() {
            return false;
        }
        for (along, across) in [(0, 1), (1, 0)] {
            let away = (next.base[along] - self.base[along]) as f32;
            let level = |segment: &Self| {
                let [a, b] = segment.ends.map(|end| end[across].to_bits());
                (a == b).then_some(a)
            };
            if self.base[across] != next.base[across] || level(self).is_none() || level(self) != level(next) {
                continue;
            }
            let [from, to] = next.ends.map(|end| end[along] + away);
            // Exact: multiples of a half.
            let [goes_on, begins] =
                [(self.ends[1][along] - from), (to - self.ends[0][along])].map(|gap| gap.abs() <= 0.0);
            if goes_on {
                self.ends[1][along] = to;
            } else if begins {
                self.ends[0][along] = from;
            } else {
                continue;
            }
            return true;
        }
        false
    }
}

/// Updates the distances around segments.
struct Measure<'a, 'b> {
    maps: &'a DepthMaps<'b>,
    /// Pixels whose distances are requested, counted from the corner of the maps.
    asked: GridWindow,
    slots: Vec<u32>,
    squared: Vec<f32>,
    /// First row of each sheet in `row_most`, which holds the largest squared distance in each row;
    /// 0 if all distances in the row are below `least`.
    rows: Vec<u32>,
    row_most: Vec<f32>,
    /// For each sheet, the largest squared distance of a place with ground; 0 if all are below
    /// `least`.
    most: Vec<f32>,
    reach: f32,
    /// Distances below this are not needed.
    least: f32,
    near: f32,
}

/// Returns the first and the last pixel with its centre between two places, of those from `first`
/// to `end`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clipped to the window; the casts saturate"
)]
fn pixels_between(base: i64, low: f32, high: f32, first: u32, end: u32) -> Option<[u32; 2]> {
    let low = (base - whole_below(f64::from(0.5 - low))).max(i64::from(first));
    let high = (base + whole_below(f64::from(high - 0.5))).min(i64::from(end) - 1);
    (low <= high).then_some([low as u32, high as u32])
}

/// Returns the pixel that a place lies in, clamped to the range of pixel numbers.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clipped; the casts saturate")]
fn pixel_of(base: i64, place: f32) -> u32 {
    (base + whole_below(f64::from(place))).clamp(0, i64::from(u32::MAX)) as u32
}

/// Blocks near a segment, along one axis: those within its reach, and those that it lies in,
/// clipped to the former.
struct Span {
    reached: [usize; 2],
    own: [usize; 2],
}

impl Span {
    /// Returns the distance, in blocks, of a block from those that the segment lies in.
    fn away(&self, block: usize) -> usize {
        self.own[0].saturating_sub(block).max(block.saturating_sub(self.own[1]))
    }

    fn farthest(&self) -> usize {
        (self.own[0] - self.reached[0]).max(self.reached[1] - self.own[1])
    }

    /// Returns the blocks at a distance of at most `ring` blocks.
    fn within(&self, ring: usize) -> std::ops::RangeInclusive<usize> {
        self.own[0].saturating_sub(ring).max(self.reached[0])..=(self.own[1] + ring).min(self.reached[1])
    }

    /// Returns the blocks at a distance of exactly `ring` blocks, which is above 0.
    fn at(&self, ring: usize) -> [Option<usize>; 2] {
        let [low, high] = self.own;
        [
            low.checked_sub(ring).filter(|&block| block >= self.reached[0]),
            Some(high + ring).filter(|&block| block <= self.reached[1]),
        ]
    }
}

impl Measure<'_, '_> {
    /// Applies all segments, first to the blocks they lie in, then to blocks farther and farther
    /// away. So most sheets already have small distances before far segments are tested.
    fn apply_all(&mut self, segments: &[Segment]) {
        if self.asked.is_empty() {
            return;
        }
        let mut farthest = 0;
        let mut ring = 0;
        while ring <= farthest {
            checkpoint();
            for segment in segments {
                farthest = farthest.max(self.apply(segment, ring));
            }
            ring += 1;
        }
    }

    /// Applies a segment to the blocks at a distance of `ring` blocks. Returns the farthest ring
    /// that it reaches.
    fn apply(&mut self, segment: &Segment, ring: usize) -> usize {
        let (maps, asked, reach) = (self.maps, self.asked, self.reach);
        let line = Line::new(segment);
        let pixels = |axis: usize, first: u32, end: u32| {
            let (low, high) = (line.low[axis], line.high[axis]);
            let reached = pixels_between(segment.base[axis], low - reach, high + reach, first, end)?;
            let own = |place: f32| pixel_of(segment.base[axis], place).clamp(reached[0], reached[1]);
            Some((reached, [own(low), own(high)]))
        };
        let Some((columns, own)) = pixels(0, asked.x, asked.end_x()) else { return 0 };
        let across = Span {
            reached: [maps.block_column(columns[0]), maps.block_column(columns[1])],
            own: [maps.block_column(own[0]), maps.block_column(own[1])],
        };
        let Some((rows, own)) = pixels(1, asked.z, asked.end_z()) else { return 0 };
        let along = Span {
            reached: [maps.block_row(rows[0]), maps.block_row(rows[1])],
            own: [maps.block_row(own[0]), maps.block_row(own[1])],
        };
        for row in along.within(ring) {
            if along.away(row) == ring {
                for column in across.within(ring) {
                    self.apply_block(segment, &line, row * maps.across + column);
                }
            } else {
                for column in across.at(ring).into_iter().flatten() {
                    self.apply_block(segment, &line, row * maps.across + column);
                }
            }
        }
        across.farthest().max(along.farthest())
    }

    #[inline]
    fn apply_block(&mut self, segment: &Segment, line: &Line, block: usize) {
        let maps = self.maps;
        let block = &maps.blocks[block];
        let (low, high) = (f64::from(segment.ground - self.near), f64::from(segment.ground + self.near));
        for floor in maps.floors_between(block, low, high) {
            let sheet = block.number(floor);
            // It is 0 also without ground.
            if self.most[sheet] <= 0.0 {
                continue;
            }
            let range = maps.ranges[sheet];
            if range.low - segment.ground <= self.near && segment.ground - range.high <= self.near {
                self.apply_sheet(segment, line, (block, floor));
            }
        }
    }

    fn apply_sheet(&mut self, segment: &Segment, line: &Line, (block, floor): (&Block, u16)) {
        let (sheet, pixels) = (block.number(floor), block.pixels);
        let away = |value: u32, axis: usize| (i64::from(value) - segment.base[axis]) as f32 + 0.5;
        let most = self.most[sheet] * ROUNDED;
        // Every place of the sheet is nearer to another segment.
        let (first, last) = (
            [away(pixels.x, 0), away(pixels.z, 1)],
            [away(pixels.end_x() - 1, 0), away(pixels.end_z() - 1, 1)],
        );
        let apart = [line.off(0, first[0], last[0]), line.off(1, first[1], last[1])];
        if apart[0] * apart[0] + apart[1] * apart[1] > most {
            return;
        }
        if self.slots[sheet] == NOTHING_NEAR {
            self.take_slot((block, floor));
        }
        let slot = self.slots[sheet] as usize;
        let width = pixels.width as usize;
        let stride = padded(width);
        let range = self.maps.ranges[sheet];
        // If it is true for the lowest and the highest ground, it is true for all.
        let all_near = (range.low - segment.ground).abs() <= self.near
            && (range.high - segment.ground).abs() <= self.near;
        let squared = &mut self.squared[slot..slot + stride * pixels.depth as usize];
        let row_most = &mut self.row_most[self.rows[sheet] as usize..][..pixels.depth as usize];
        // Rows and columns that are close enough.
        let count = |axis: usize, count: u32| {
            let reach = (most - apart[1 - axis] * apart[1 - axis]).sqrt();
            near_pixels(line.low[axis] - reach - first[axis], line.high[axis] + reach - first[axis], count)
        };
        let (columns, rows) = (count(0, pixels.width), count(1, pixels.depth));
        let columns = columns.start / LANES * LANES..columns.end.next_multiple_of(LANES);
        for row in rows {
            let x = first[0] + columns.start as f32;
            let z = first[1] + row as f32;
            let off = line.off(1, z, z);
            if apart[0] * apart[0] + off * off > row_most[row] * ROUNDED {
                continue;
            }
            let whole_row = &mut squared[row * stride..(row + 1) * stride];
            let known = &mut whole_row[columns.clone()];
            if all_near {
                line.lower(known, x, z);
            } else {
                let place = block.sheet(floor).start + row * width + columns.start;
                let grounds = &self.maps.ground[place..place + known.len().min(width - columns.start)];
                for (index, (known, &ground)) in (0_u16..).zip(known.iter_mut().zip(grounds)) {
                    let squared = line.squared_distance(x + f32::from(index), z);
                    // `false` if there is no ground.
                    let is_near = (ground - segment.ground).abs() <= self.near;
                    *known = if is_near && squared < *known { squared } else { *known };
                }
            }
            row_most[row] = most_of(whole_row, self.least * self.least);
        }
        self.most[sheet] = row_most.iter().copied().fold(0.0, larger);
    }

    /// Initialises the distances of a sheet.
    fn take_slot(&mut self, (block, floor): (&Block, u16)) {
        let new = to_u32(self.squared.len());
        self.slots[block.number(floor)] = new;
        let row = to_u32(self.row_most.len());
        self.rows[block.number(floor)] = row;
        let reach = self.reach * self.reach;
        let (pixels, asked) = (block.pixels, self.asked);
        let stride = padded(pixels.width as usize);
        let grounds = self.maps.ground[block.sheet(floor)].chunks_exact(pixels.width as usize);
        for (z, grounds) in (pixels.z..).zip(grounds) {
            let end = self.squared.len() + stride;
            let is_asked = |x: u32| asked.contains(x, z);
            // Distances are not needed where there is no ground.
            let first = |(x, ground): (u32, &f32)| if ground.is_nan() || !is_asked(x) { 0.0 } else { reach };
            self.squared.extend((pixels.x..).zip(grounds).map(first));
            self.squared.resize(end, 0.0);
            self.row_most.push(most_of(&self.squared[end - stride..], self.least * self.least));
        }
    }

    /// Returns the distances, without padding.
    fn finish(self) -> Distances {
        let (mut slots, mut distances) =
            (vec![NOTHING_NEAR; self.slots.len()], Vec::with_capacity(self.squared.len()));
        for block in &self.maps.blocks {
            checkpoint();
            let width = block.pixels.width as usize;
            for sheet in (0..block.floors).map(|floor| block.number(floor)) {
                if self.slots[sheet] == NOTHING_NEAR {
                    continue;
                }
                let slot = to_u32(distances.len());
                slots[sheet] = slot;
                let squared = &self.squared[self.slots[sheet] as usize..];
                for row in squared.chunks_exact(padded(width)).take(block.pixels.depth as usize) {
                    distances.extend(row[..width].iter().map(|value| value.sqrt().max(self.least)));
                }
            }
        }
        Distances { reach: self.reach, slots, distances }
    }
}

/// Returns the pixels between two places, which are relative to the centre of the first of `count`
/// pixels.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clipped before")]
fn near_pixels(low: f32, high: f32, count: u32) -> std::ops::Range<usize> {
    let last = count as f32 - 1.0;
    // Rounded outwards and clipped.
    let (low, high) = (larger(low, 0.0), smaller(high, last) + 1.0);
    if low < high { low as usize..high as usize } else { 0..0 }
}

/// Factor that covers the rounding of squared distances.
const ROUNDED: f32 = 1.0001;
/// Lanes: one register of the baseline instruction set.
const LANES: usize = 4;

/// Returns the largest value of a row, or 0 if that is at most `least`.
#[inline]
fn most_of(row: &[f32], least: f32) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    for chunk in row.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            lanes[lane] = larger(chunk[lane], lanes[lane]);
        }
    }
    let most = larger(larger(lanes[0], lanes[1]), larger(lanes[2], lanes[3]));
    if most <= least { 0.0 } else { most }
}

/// Returns the length of a row with padding to whole lanes.
fn padded(width: usize) -> usize {
    width.next_multiple_of(LANES)
}

/// A segment, prepared for computing distances.
#[derive(Clone, Copy, Debug)]
struct Line {
    low: [f32; 2],
    high: [f32; 2],
    start: [f32; 2],
    along: [f32; 2],
    /// One over the squared length, 0 for a segment along an axis, which is its own bounding box.
    inverse: f32,
}

impl Line {
    fn new(segment: &Segment) -> Self {
        let [a, b] = segment.ends;
        let along = [b[0] - a[0], b[1] - a[1]];
        let is_slanted = along[0].abs() > 0.0 && along[1].abs() > 0.0;
        let length_squared = along[0] * along[0] + along[1] * along[1];
        Self {
            low: [a[0].min(b[0]), a[1].min(b[1])],
            high: [a[0].max(b[0]), a[1].max(b[1])],
            start: a,
            along,
            inverse: if is_slanted { length_squared.recip() } else { 0.0 },
        }
    }

    /// Returns the distance of the places from `first` to `last` from its bounding box along an
    /// axis.
    #[inline]
    fn off(&self, axis: usize, first: f32, last: f32) -> f32 {
        larger(larger(first - self.high[axis], self.low[axis] - last), 0.0)
    }

    #[inline]
    fn squared_distance(&self, x: f32, z: f32) -> f32 {
        if self.inverse > 0.0 {
            self.squared_slanted(x, z)
        } else {
            let (ex, ez) = (self.off(0, x, x), self.off(1, z, z));
            ex * ex + ez * ez
        }
    }

    #[inline]
    fn squared_slanted(&self, x: f32, z: f32) -> f32 {
        let (px, pz) = (x - self.start[0], z - self.start[1]);
        let along = (px * self.along[0] + pz * self.along[1]) * self.inverse;
        let along = smaller(larger(along, 0.0), 1.0);
        let (ex, ez) = (px - self.along[0] * along, pz - self.along[1] * along);
        ex * ex + ez * ez
    }

    /// Lowers a row of squared distances, from `x` on, to those from this segment. The length of
    /// the row is a multiple of [`LANES`].
    fn lower(&self, row: &mut [f32], x: f32, z: f32) {
        const RAMP: [f32; LANES] = [0.0, 1.0, 2.0, 3.0];
        let (chunks, _) = row.as_chunks_mut::<LANES>();
        let ez = self.off(1, z, z);
        let mut first = x;
        // Plain loops over lanes: with iterators of pairs the compiler does not use a register.
        for chunk in chunks {
            let mut found = [0.0; LANES];
            if self.inverse > 0.0 {
                for lane in 0..LANES {
                    found[lane] = self.squared_slanted(first + RAMP[lane], z);
                }
            } else {
                for lane in 0..LANES {
                    let ex = self.off(0, first + RAMP[lane], first + RAMP[lane]);
                    found[lane] = ex * ex + ez * ez;
                }
            }
            for lane in 0..LANES {
                chunk[lane] = smaller(found[lane], chunk[lane]);
            }
            first += LANES as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;
    use waymesh_core::Random;

    use super::*;

    #[test]
    fn a_row_at_once_is_the_same_as_one_by_one() {
        let mut random = Random::new(3);
        for _ in 0..2000 {
            let mut point = || [random.range(-9.0, 9.0), random.range(-9.0, 9.0)];
            let (a, mut b) = (point(), point());
            match random.below(3) {
                0 => b[0] = a[0],
                1 => b[1] = a[1],
                _ => {}
            }
            let line = Line::new(&Segment { base: [0, 0], ends: [a, b], ground: 0.0 });
            let (x, z) = (random.range(-9.0, 9.0).floor() + 0.5, random.range(-9.0, 9.0).floor() + 0.5);
            let before: Vec<f32> = (0..12).map(|_| random.range(0.0, 40.0)).collect();
            let mut row = before.clone();
            line.lower(&mut row, x, z);
            for (index, (&now, &before)) in (0_u16..).zip(row.iter().zip(&before)) {
                let squared = line.squared_distance(x + f32::from(index), z);
                assert_eq!(now.to_bits(), squared.min(before).to_bits(), "{a:?} {b:?} {x} {z}");
                // No sample point on the segment is nearer.
                let nearest = (0..=2000_u16).map(|at| {
                    let share = f32::from(at) / 2000.0;
                    let [px, pz] = [0, 1].map(|axis| a[axis] + (b[axis] - a[axis]) * share);
                    Vec2::new(px - x - f32::from(index), pz - z).length()
                });
                let nearest = nearest.fold(f32::INFINITY, f32::min);
                assert!((squared.sqrt() - nearest).abs() < 0.01, "{} {nearest}", squared.sqrt());
            }
        }
    }

    #[test]
    fn pixels_near_enough_are_all_there() {
        let mut random = Random::new(4);
        for _ in 0..2000 {
            let (low, count) = (random.range(-6.0, 20.0), 1 + random.below(12));
            let high = low + random.range(0.0, 20.0);
            let found = near_pixels(low, high, count);
            for pixel in 0..count as usize {
                let is_near = low <= pixel as f32 && pixel as f32 <= high;
                assert!(!is_near || found.contains(&pixel), "{pixel} of {count}, {low} to {high}: {found:?}");
            }
            assert!(found.end <= count as usize);
        }
    }
}
