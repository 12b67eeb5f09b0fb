//! How far every place is from the nearest wall or drop.

use waymesh_core::{Direction, GridWindow};

use crate::config::Walk;
use crate::depth::{Block, DepthMaps, NO_FLOOR};
use crate::walls::Walls;

/// A piece of wall or drop in plan, and the height of the ground along it.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// A pixel of the window near it: what is rounded must not depend on the window.
    base: [i64; 2],
    /// In cells from the corner of that pixel.
    ends: [[f32; 2]; 2],
    ground: f32,
}

/// Where the ground ends around each place, and how far that is.
#[derive(Debug)]
pub(crate) struct Clearance {
    ends: Ends,
    reach: f32,
    /// First distance of each sheet, [`NOTHING_NEAR`] where none is less than the reach.
    slots: Vec<u32>,
    /// In cells, up to the reach; as many as a sheet has places.
    distances: Vec<f32>,
}

const NOTHING_NEAR: u32 = u32::MAX;

/// Where places without a link in a direction end, in cells from their centres.
#[derive(Debug)]
struct Ends {
    /// First of each sheet; as many as a sheet has places.
    slots: Vec<Option<u32>>,
    ends: Vec<[f32; 4]>,
}

impl Ends {
    fn find(maps: &DepthMaps<'_>, walls: &Walls, walk: &Walk) -> Self {
        let slot = |sheet| walls.slot(sheet).and_then(|slot| u32::try_from(slot).ok());
        let slots: Vec<Option<u32>> = (0..maps.ranges.len()).map(slot).collect();
        let mut ends = vec![[1.0; 4]; walls.len()];
        for block in &maps.blocks {
            for floor in 0..block.floors {
                let Some(slot) = walls.slot(block.number(floor)) else { continue };
                for z in block.pixels.z..block.pixels.end_z() {
                    for x in block.pixels.x..block.pixels.end_x() {
                        let pixel = block.pixel(x, z);
                        let place = block.sheet(floor).start + pixel;
                        if !maps.has_ground(place) {
                            continue;
                        }
                        for direction in Direction::ALL {
                            if maps.links[place][direction.index()] == NO_FLOOR {
                                let across = way_across(maps, walls, walk, place, (x, z), direction);
                                ends[slot + pixel][direction.index()] =
                                    walls.end(slot + pixel, direction, across);
                            }
                        }
                    }
                }
            }
        }
        Self { slots, ends }
    }

    #[inline]
    fn of(&self, sheet: usize, pixel: usize, direction: Direction) -> f32 {
        // Nothing is known where the window ends.
        self.slots[sheet].map_or(1.0, |slot| self.ends[slot as usize + pixel][direction.index()])
    }
}

/// The way of the place beside one without a link, if both have ground within a step.
fn way_across(
    maps: &DepthMaps<'_>,
    walls: &Walls,
    walk: &Walk,
    place: usize,
    (x, z): (u32, u32),
    direction: Direction,
) -> Option<usize> {
    let (x, z) = maps.beside(x, z, direction)?;
    let floor = maps.nearest(place, maps.places(x, z), walk)?;
    let block = &maps.blocks[maps.block_of(x, z)];
    Some(walls.slot(block.number(floor))? + block.pixel(x, z))
}

/// Cells around a window that have to be known for everything in it to be: the radius, and what cracks, links, borders and the
/// look past the border take.
pub(crate) fn halo_cells(walk: &Walk) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    let radius = walk.radius.ceil() as u32;
    radius.saturating_add(6)
}

impl Clearance {
    /// # Exactness
    /// The distance to the borders between pixels: those are where walls and drops cross the lines between centres, joined by straight
    /// lines. So it is exact to single precision along straight walls, and short or long by less than 0.36 cells at a corner.
    pub(crate) fn measure(maps: &DepthMaps<'_>, walls: &Walls, walk: &Walk, whole: GridWindow) -> Self {
        let ends = Ends::find(maps, walls, walk);
        let reach = walk.radius + 1.5;
        let slots = vec![NOTHING_NEAR; maps.ranges.len()];
        let mut stamp = Stamp {
            maps,
            slots,
            squared: Vec::new(),
            most: vec![reach * reach; maps.ranges.len()],
            reach,
            near: walk.near,
        };
        if walk.radius > 0.0 {
            for_each_segment(maps, &ends, whole, |segment| stamp.press(segment));
            for post in &walls.posts {
                let corner = post.ends[0].map(f64::floor);
                #[expect(clippy::cast_possible_truncation, reason = "places are below 2^31")]
                let (base, ends) = (
                    [
                        corner[0] as i64 - i64::from(maps.window.x),
                        corner[1] as i64 - i64::from(maps.window.z),
                    ],
                    post.ends.map(|[x, z]| [(x - corner[0]) as f32, (z - corner[1]) as f32]),
                );
                stamp.press(&Segment { base, ends, ground: post.ground });
            }
        }
        let Stamp { slots, squared: mut distances, .. } = stamp;
        for value in &mut distances {
            *value = value.sqrt();
        }
        Self { ends, reach, slots, distances }
    }

    /// How far a place is from the nearest end, in cells, up to a cell and a half more than the radius.
    #[inline]
    pub(crate) fn distance(&self, sheet: usize, pixel: usize) -> f32 {
        match self.slots[sheet] {
            NOTHING_NEAR => self.reach,
            slot => self.distances[slot as usize + pixel],
        }
    }

    /// Where a place without a link in a direction ends, in cells from its centre.
    pub(crate) fn end(&self, sheet: usize, pixel: usize, direction: Direction) -> f32 {
        self.ends.of(sheet, pixel, direction)
    }
}

/// The borders of all ground, piece by piece: every end of a place is joined to the next one around the corner.
fn for_each_segment(maps: &DepthMaps<'_>, ends: &Ends, whole: GridWindow, mut each: impl FnMut(&Segment)) {
    for block in &maps.blocks {
        for floor in 0..block.floors {
            if ends.slots[block.number(floor)].is_none() {
                continue;
            }
            let (pixels, sheet) = (block.pixels, block.sheet(floor));
            let rows =
                (pixels.z..pixels.end_z()).flat_map(|z| (pixels.x..pixels.end_x()).map(move |x| (x, z)));
            let columns =
                (pixels.x..pixels.end_x()).flat_map(|x| (pixels.z..pixels.end_z()).map(move |z| (x, z)));
            let mut look = |pixel: (u32, u32), direction: Direction, run: &mut Option<Segment>| {
                let place = sheet.start + block.pixel(pixel.0, pixel.1);
                if maps.has_ground(place) && maps.links[place][direction.index()] == NO_FLOOR {
                    let corner = Corner { maps, ends, whole, pixel, floor };
                    if let Some(segment) = corner.segment(place, direction)
                        && !run.as_mut().is_some_and(|run| run.join(&segment))
                        && let Some(done) = run.replace(segment)
                    {
                        each(&done);
                    }
                }
            };
            // Along the borders, so that straight ones are told as a whole.
            let mut runs = [None; 4];
            for pixel in rows {
                look(pixel, Direction::NegZ, &mut runs[0]);
                look(pixel, Direction::PosZ, &mut runs[1]);
            }
            for pixel in columns {
                look(pixel, Direction::NegX, &mut runs[2]);
                look(pixel, Direction::PosX, &mut runs[3]);
            }
            runs.iter().flatten().for_each(&mut each);
        }
    }
}

impl Segment {
    /// Takes in a segment that goes on straight along an axis at the same height. Distances to both are to the last bit the distance to the
    /// result, for segments along an axis end at centres of pixels.
    fn join(&mut self, next: &Self) -> bool {
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

/// A place and what lies around it.
struct Corner<'a> {
    maps: &'a DepthMaps<'a>,
    ends: &'a Ends,
    whole: GridWindow,
    pixel: (u32, u32),
    floor: u16,
}

impl Corner<'_> {
    /// What ends with the window goes on beyond, unless the grid ends there.
    fn ends_here(&self, direction: Direction) -> bool {
        let (window, whole) = (self.maps.window, self.whole);
        let (dx, dz) = direction.offset();
        let (gx, gz) = (self.pixel.0 + window.x, self.pixel.1 + window.z);
        let inside = |value: u32, step: i32, first: u32, end: u32| {
            value.checked_add_signed(step).is_some_and(|next| next >= first && next < end)
        };
        inside(gx, dx, window.x, window.end_x()) && inside(gz, dz, window.z, window.end_z())
            || !(inside(gx, dx, whole.x, whole.end_x()) && inside(gz, dz, whole.z, whole.end_z()))
    }

    /// Where the place of a floor and a pixel ends, from the corner of this pixel.
    fn point(&self, (x, z): (u32, u32), floor: u16, direction: Direction) -> [f32; 2] {
        let block = &self.maps.blocks[self.maps.block_of(x, z)];
        let (dx, dz) = direction.offset();
        let end = self.ends.of(block.number(floor), block.pixel(x, z), direction);
        let away = |value: u32, from: u32| (i64::from(value) - i64::from(from)) as f32;
        let (x, z) = (away(x, self.pixel.0), away(z, self.pixel.1));
        [x + 0.5 + dx as f32 * end, z + 0.5 + dz as f32 * end]
    }

    /// The floor beside a place.
    fn beside(&self, (x, z): (u32, u32), floor: u16, direction: Direction) -> Option<u16> {
        let floor = self.maps.links[self.maps.places(x, z).at(floor)][direction.index()];
        (floor != NO_FLOOR).then_some(floor)
    }

    /// From where the place ends in a direction to the next end.
    fn segment(&self, place: usize, direction: Direction) -> Option<Segment> {
        if !self.ends_here(direction) {
            return None;
        }
        let (maps, pixel, floor) = (self.maps, self.pixel, self.floor);
        let start = self.point(pixel, floor, direction);
        let turn = direction.next();
        let end = match (self.beside(pixel, floor, turn), maps.beside(pixel.0, pixel.1, turn)) {
            (None, _) => self.ends_here(turn).then(|| self.point(pixel, floor, turn)),
            (Some(_), None) => None,
            (Some(beside), Some(next)) => match self.beside(next, beside, direction) {
                None => Some(self.point(next, beside, direction)),
                Some(corner) => maps.beside(next.0, next.1, direction).and_then(|diagonal| {
                    let back = turn.opposite();
                    // Where a cliff ends the two sides are joined further on.
                    let is_cliff = self.beside(diagonal, corner, back).is_some();
                    (!is_cliff).then(|| self.point(diagonal, corner, back))
                }),
            },
        };
        let base = [i64::from(pixel.0), i64::from(pixel.1)];
        Some(Segment { base, ends: [start, end.unwrap_or(start)], ground: maps.ground[place] })
    }
}

/// Presses segments into the distances around them.
struct Stamp<'a, 'b> {
    maps: &'a DepthMaps<'b>,
    slots: Vec<u32>,
    squared: Vec<f32>,
    /// Of each sheet, the largest squared distance of a place with ground.
    most: Vec<f32>,
    reach: f32,
    near: f32,
}

/// The pixels whose centres lie between two places, as far as there are `count`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clipped to the window; the casts saturate"
)]
fn pixels_between(base: i64, low: f32, high: f32, count: u32) -> std::ops::Range<u32> {
    let low = base + (low - 0.5).ceil() as i64;
    let high = base + (high - 0.5).floor() as i64;
    let (low, end) = (low.max(0), (high + 1).min(i64::from(count)));
    if low < end { low as u32..end as u32 } else { 0..0 }
}

impl Stamp<'_, '_> {
    fn press(&mut self, segment: &Segment) {
        let ([[ax, az], [bx, bz]], reach) = (segment.ends, self.reach);
        let window = self.maps.window;
        let columns = pixels_between(segment.base[0], ax.min(bx) - reach, ax.max(bx) + reach, window.width);
        let rows = pixels_between(segment.base[1], az.min(bz) - reach, az.max(bz) + reach, window.depth);
        if columns.is_empty() || rows.is_empty() {
            return;
        }
        let first = self.maps.block_of(columns.start, rows.start);
        let last = self.maps.block_of(columns.end - 1, rows.end - 1);
        let across = self.maps.across;
        for row in first / across..=last / across {
            for column in first % across..=last % across {
                let block = &self.maps.blocks[row * across + column];
                for floor in 0..block.floors {
                    let range = self.maps.ranges[block.number(floor)];
                    // Never true of a sheet without ground.
                    if range.low - segment.ground <= self.near && segment.ground - range.high <= self.near {
                        self.press_sheet(segment, (block, floor), &columns, &rows);
                    }
                }
            }
        }
    }

    fn press_sheet(
        &mut self,
        segment: &Segment,
        (block, floor): (&Block, u16),
        columns: &std::ops::Range<u32>,
        rows: &std::ops::Range<u32>,
    ) {
        let (sheet, pixels) = (block.number(floor), block.pixels);
        let line = Line::new(segment);
        let away = |value: u32, axis: usize| (i64::from(value) - segment.base[axis]) as f32;
        let apart = |axis: usize, first: u32, end: u32| {
            let (first, last) = (away(first, axis) + 0.5, away(end, axis) - 0.5);
            (first - line.high[axis]).max(line.low[axis] - last).max(0.0)
        };
        let (dx, dz) = (apart(0, pixels.x, pixels.end_x()), apart(1, pixels.z, pixels.end_z()));
        // Nothing on the sheet is that far from everything else. Rounding may make it a little farther.
        if dx * dx + dz * dz > self.most[sheet] * 1.0001 {
            return;
        }
        let slot = &mut self.slots[sheet];
        if *slot == NOTHING_NEAR {
            #[expect(clippy::cast_possible_truncation, reason = "places are counted in 32 bits")]
            let new = self.squared.len() as u32;
            *slot = new;
            let reach = self.reach * self.reach;
            let grounds = &self.maps.ground[block.sheet(floor)];
            // Nobody asks for distances where there is no ground.
            self.squared.extend(grounds.iter().map(|ground| if ground.is_nan() { 0.0 } else { reach }));
        }
        let slot = *slot as usize;
        let (start, end) = (columns.start.max(pixels.x), columns.end.min(pixels.end_x()));
        let count = (end - start) as usize;
        for z in rows.start.max(pixels.z)..rows.end.min(pixels.end_z()) {
            let pixel = block.pixel(start, z);
            let known = &mut self.squared[slot + pixel..slot + pixel + count];
            let place = block.sheet(floor).start + pixel;
            let grounds = &self.maps.ground[place..place + count];
            let (x, z) = (away(start, 0) + 0.5, away(z, 1) + 0.5);
            // False where there is no ground.
            let is_near = |ground: f32| (ground - segment.ground).abs() <= self.near;
            for (index, (known, &ground)) in (0_u16..).zip(known.iter_mut().zip(grounds)) {
                let squared = line.squared_distance(x + f32::from(index), z);
                *known = if is_near(ground) && squared < *known { squared } else { *known };
            }
        }
        let (chunks, rest) = self.squared[slot..slot + block.area()].as_chunks::<8>();
        let mut most = [0.0_f32; 8];
        for chunk in chunks {
            for (most, &value) in most.iter_mut().zip(chunk) {
                *most = if value > *most { value } else { *most };
            }
        }
        self.most[sheet] = most.iter().chain(rest).copied().fold(0.0, f32::max);
    }
}

/// A segment, ready to be asked for distances.
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

    #[inline(always)]
    fn squared_distance(&self, x: f32, z: f32) -> f32 {
        let [ex, ez] = if self.inverse > 0.0 {
            let (px, pz) = (x - self.start[0], z - self.start[1]);
            let along = ((px * self.along[0] + pz * self.along[1]) * self.inverse).clamp(0.0, 1.0);
            [px - self.along[0] * along, pz - self.along[1] * along]
        } else {
            let off =
                |value: f32, axis: usize| (self.low[axis] - value).max(value - self.high[axis]).max(0.0);
            [off(x, 0), off(z, 1)]
        };
        ex * ex + ez * ez
    }
}
