//! Depth maps: the ground of every layer at the centre of every pixel.

use waymesh_core::{AreaId, Direction, GridWindow, checkpoint, nearest_f32};

use crate::StoreysError;
use crate::config::{HEIGHT_SLACK, MAX_FLOORS, NO_FLOOR, ScenePoint, Walk};
use crate::layers::{Floor, Layers};
use crate::slice::{Axis, Cut, Cutter, whole_below};

/// A place this close to the centre of a pixel, in cells, counts as the centre.
pub(crate) const PLACE_SLACK: f64 = 1e-6;
/// Bit mask of all four directions.
pub(crate) const ALL_SIDES: u8 = 0b1111;

/// The part of a rough column that lies in a window. Each of its floors is drawn on a *sheet*: a
/// place per pixel. The sheets of a block are consecutive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// Its pixels, counted from the window's corner.
    pub(crate) pixels: GridWindow,
    /// Number of its first sheet. It has as many sheets as floors.
    pub(crate) first: u32,
    /// Number of its floors.
    pub(crate) floors: u16,
    /// First place of its first sheet.
    pub(crate) base: u32,
}

impl Block {
    /// Returns the number of places of a sheet.
    pub(crate) fn area(&self) -> usize {
        self.pixels.width as usize * self.pixels.depth as usize
    }

    /// Returns the index on each sheet of a pixel, counted from the window's corner.
    #[inline]
    pub(crate) fn pixel(&self, x: u32, z: u32) -> usize {
        (z - self.pixels.z) as usize * self.pixels.width as usize + (x - self.pixels.x) as usize
    }

    /// Returns the range of the places of a sheet, row by row.
    #[inline]
    pub(crate) fn sheet(&self, floor: u16) -> std::ops::Range<usize> {
        let start = self.base as usize + usize::from(floor) * self.area();
        start..start + self.area()
    }

    /// Returns the number of a sheet.
    #[inline]
    pub(crate) fn number(&self, floor: u16) -> usize {
        self.first as usize + usize::from(floor)
    }
}

/// Properties of a whole sheet: the range of its heights, and its links.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) low: f32,
    pub(crate) high: f32,
    /// `true` if there is ground at all places.
    pub(crate) is_full: bool,
    /// `true` if there is ground at all places and all neighbouring places are linked.
    pub(crate) is_linked: bool,
    /// The floors of the neighbouring blocks to which a whole side is linked, by
    /// [`Direction::index`].
    pub(crate) beside: [u16; 4],
}

impl Range {
    const EMPTY_SHEET: Self = Self {
        low: f32::INFINITY,
        high: f32::NEG_INFINITY,
        is_full: false,
        is_linked: false,
        beside: [NO_FLOOR; 4],
    };

    fn of(ground: &[f32]) -> Self {
        const LANES: usize = 8;
        let (mut low, mut high, mut holes) =
            ([f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES], [0_u32; LANES]);
        let mut see = |lane: usize, ground: f32| {
            // Comparisons with NaN are `false`.
            low[lane] = if ground < low[lane] { ground } else { low[lane] };
            high[lane] = if ground > high[lane] { ground } else { high[lane] };
            holes[lane] |= u32::from(ground.is_nan());
        };
        let (chunks, rest) = ground.as_chunks::<LANES>();
        for chunk in chunks {
            for (lane, &ground) in chunk.iter().enumerate() {
                see(lane, ground);
            }
        }
        rest.iter().for_each(|&ground| see(0, ground));
        Self {
            low: low.into_iter().fold(f32::INFINITY, f32::min),
            high: high.into_iter().fold(f32::NEG_INFINITY, f32::max),
            is_full: holes == [0; LANES],
            ..Self::EMPTY_SHEET
        }
    }

    /// Returns the range of a sheet of which no link is known.
    pub(crate) fn unlinked(low: f32, high: f32, is_full: bool) -> Self {
        Self { low, high, is_full, ..Self::EMPTY_SHEET }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// Returns `true` if there is ground at all places, and all of it within this height.
    pub(crate) fn is_linked_within(self, near: f32) -> bool {
        self.is_full && self.high - self.low <= near
    }
}

/// The depth maps of all layers in a window: a *place* per pixel and floor of its rough column.
#[derive(Clone, Debug)]
pub(crate) struct DepthMaps<'a> {
    layers: &'a Layers,
    pub(crate) window: GridWindow,
    pub(crate) blocks: Vec<Block>,
    /// Blocks in a row.
    pub(crate) across: usize,
    /// For each column of pixels its column of blocks, and for each row its row of blocks.
    block_x: Vec<u32>,
    block_z: Vec<u32>,
    /// Number of places, and of sheets.
    pub(crate) places: u32,
    pub(crate) sheets: u32,
    /// Height of the ground at each place, the pixel's centre, in metres above the frame's origin;
    /// NaN where there is none. Sheet by sheet.
    pub(crate) ground: Vec<f32>,
    /// Area of each place, [`AreaId::NULL`] where a blocked triangle is on top; empty while all are
    /// [`AreaId::GROUND`].
    pub(crate) areas: Vec<AreaId>,
    /// For each place, the linked floor across each side, [`NO_FLOOR`] if there is none.
    pub(crate) links: Vec<[u16; 4]>,
    /// The range of each sheet.
    pub(crate) ranges: Vec<Range>,
}

/// The places of a pixel, from the lowest up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    first: usize,
    step: usize,
    pub(crate) count: u16,
}

/// The places of a pixel that does not exist.
pub(crate) const NOWHERE: Places = Places { first: 0, step: 0, count: 0 };

impl Places {
    /// Returns the places of the pixel that is `pixels` farther in a row of the same block.
    #[inline]
    pub(crate) fn further(self, pixels: usize) -> Self {
        Self { first: self.first + pixels, ..self }
    }

    #[inline]
    pub(crate) fn at(self, floor: u16) -> usize {
        self.first + usize::from(floor) * self.step
    }

    /// Returns the floors and places.
    #[inline]
    pub(crate) fn floors(self) -> impl DoubleEndedIterator<Item = (u16, usize)> {
        (0..self.count).map(move |floor| (floor, self.at(floor)))
    }
}

impl<'a> DepthMaps<'a> {
    /// Creates maps of which only the blocks are known.
    ///
    /// # Errors
    /// For a window with more places than can be numbered, or a column with more floors.
    pub(crate) fn planned(layers: &'a Layers, window: GridWindow) -> Result<Self, StoreysError> {
        let side = layers.side;
        let numbers = |first: u32, count: u32| -> Vec<u32> {
            (first..first + count).map(|cell| cell / side - first / side).collect()
        };
        let (block_x, block_z) = (numbers(window.x, window.width), numbers(window.z, window.depth));
        let across = block_x.last().map_or(0, |last| last + 1);
        let mut blocks = Vec::new();
        let (mut sheets, mut places) = (0_u32, 0_u64);
        for row in 0..block_z.last().map_or(0, |last| last + 1) {
            for column in 0..across {
                let (x, z) = (column + window.x / side, row + window.z / side);
                let cells = GridWindow::new(x * side, z * side, side, side).intersection(&window);
                let pixels = GridWindow { x: cells.x - window.x, z: cells.z - window.z, ..cells };
                let floors = layers.column(x, z).len();
                let base = StoreysError::fit("places of a window", places)?;
                let floors = u16::try_from(floors).ok().filter(|&floors| floors < NO_FLOOR).ok_or(
                    StoreysError::TooMany {
                        element: "floors of a column",
                        count: floors as u64,
                        limit: MAX_FLOORS,
                    },
                )?;
                blocks.push(Block { pixels, first: sheets, floors, base });
                sheets += u32::from(floors);
                places += pixels.column_count() * u64::from(floors);
            }
        }
        let count = StoreysError::fit("places of a window", places)?;
        Ok(Self {
            layers,
            window,
            blocks,
            across: across as usize,
            block_x,
            block_z,
            places: count,
            sheets,
            ground: Vec::new(),
            areas: Vec::new(),
            links: Vec::new(),
            ranges: Vec::new(),
        })
    }

    /// Creates maps with these blocks and the contents that another device drew.
    pub(crate) fn drawn(
        &self,
        ground: Vec<f32>,
        areas: Vec<AreaId>,
        links: Vec<[u16; 4]>,
        ranges: Vec<Range>,
    ) -> Self {
        Self { ground, areas, links, ranges, ..self.clone() }
    }

    /// Returns maps with these blocks and without any ground.
    pub(crate) fn empty(&self) -> Self {
        let (places, sheets) = (self.places as usize, self.sheets as usize);
        Self {
            ground: vec![f32::NAN; places],
            links: vec![[NO_FLOOR; 4]; places],
            ranges: vec![Range::EMPTY_SHEET; sheets],
            ..self.clone()
        }
    }

    /// Returns the pixels along a side of a block.
    pub(crate) fn side(&self) -> u32 {
        self.layers.side
    }

    /// Returns the number of the block of a pixel.
    #[inline]
    pub(crate) fn block_of(&self, x: u32, z: u32) -> usize {
        self.block_z[z as usize] as usize * self.across + self.block_x[x as usize] as usize
    }

    /// Returns the column of blocks of a column of pixels.
    #[inline]
    pub(crate) fn block_column(&self, x: u32) -> usize {
        self.block_x[x as usize] as usize
    }

    /// Returns the row of blocks of a row of pixels.
    #[inline]
    pub(crate) fn block_row(&self, z: u32) -> usize {
        self.block_z[z as usize] as usize
    }

    /// Returns the rows or columns of blocks of the pixels from `low` to `high`; an empty range if
    /// they lie outside the window.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clipped to the window before"
    )]
    #[inline]
    pub(crate) fn blocks_between(&self, axis: Axis, low: f64, high: f64) -> std::ops::Range<usize> {
        let (table, first) = match axis {
            Axis::X => (&self.block_x, self.window.x),
            Axis::Z => (&self.block_z, self.window.z),
        };
        let low = whole_below(low).saturating_sub(i64::from(first)).max(0);
        let high = whole_below(high).saturating_sub(i64::from(first)).min(table.len() as i64 - 1);
        if low > high {
            return 0..0;
        }
        table[low as usize] as usize..table[high as usize] as usize + 1
    }

    /// Returns the places of a pixel, whose coordinates are counted from the window's corner.
    #[inline]
    pub(crate) fn places(&self, x: u32, z: u32) -> Places {
        let block = &self.blocks[self.block_of(x, z)];
        Places { first: block.base as usize + block.pixel(x, z), step: block.area(), count: block.floors }
    }

    /// Returns the adjacent pixel, if it lies in the window.
    #[inline]
    pub(crate) fn beside(&self, x: u32, z: u32, direction: Direction) -> Option<(u32, u32)> {
        let (dx, dz) = direction.offset();
        let (x, z) = (x.checked_add_signed(dx)?, z.checked_add_signed(dz)?);
        (x < self.window.width && z < self.window.depth).then_some((x, z))
    }

    /// Returns the place that a place is linked to.
    #[inline]
    pub(crate) fn linked(&self, place: usize, (x, z): (u32, u32), direction: Direction) -> Option<usize> {
        let floor = self.links[place][direction.index()];
        if floor == NO_FLOOR {
            return None;
        }
        let (x, z) = self.beside(x, z, direction)?;
        Some(self.places(x, z).at(floor))
    }

    #[inline]
    pub(crate) fn has_ground(&self, place: usize) -> bool {
        !self.ground[place].is_nan()
    }

    /// Returns the floor of a column that a height belongs to: the highest one that contains it.
    #[inline]
    fn floor_at(floors: &[Floor], height: f32) -> Option<usize> {
        let below = floors.partition_point(|floor| floor.low - HEIGHT_SLACK <= height);
        let highest = below.checked_sub(1)?;
        (height <= floors[highest].high + HEIGHT_SLACK).then_some(highest)
    }

    /// Returns [`Self::floor_at`], but tries `guess` first: neighbouring heights are usually in one
    /// floor.
    #[inline]
    fn floor_near(floors: &[Floor], height: f32, guess: Option<usize>) -> Option<usize> {
        if let Some(guess) = guess {
            let (floor, above) = (&floors[guess], floors.get(guess + 1));
            if floor.low - HEIGHT_SLACK <= height
                && height <= floor.high + HEIGHT_SLACK
                && above.is_none_or(|above| height < above.low - HEIGHT_SLACK)
            {
                return Some(guess);
            }
        }
        Self::floor_at(floors, height)
    }

    /// Returns the floors of a block on which ground may lie from `low` to `high`, and a few
    /// others. In a column of a thousand floors, testing all of them for each pixel takes quadratic
    /// time.
    #[inline]
    pub(crate) fn floors_between(&self, block: &Block, low: f64, high: f64) -> std::ops::Range<u16> {
        /// Number of floors up to which a search is not faster.
        const FEW_FLOORS: u16 = 8;
        if block.floors <= FEW_FLOORS {
            return 0..block.floors;
        }
        // Ground lies within the slack of its floor. The second part covers the rounding of single
        // precision.
        let slack = 4.0 * f64::from(HEIGHT_SLACK) + 1e-6 * (low.abs() + high.abs());
        let floors = self.floors(block);
        let first = floors.partition_point(|floor| f64::from(floor.high) + slack < low);
        let count = floors[first..].partition_point(|floor| f64::from(floor.low) - slack <= high);
        // The number of floors of a block fits.
        let number = |floor: usize| u16::try_from(floor).unwrap_or(block.floors);
        number(first)..number(first + count)
    }

    /// Returns [`Self::floors_between`] for the block of a pixel.
    #[inline]
    pub(crate) fn floors_near(&self, (x, z): (u32, u32), low: f64, high: f64) -> std::ops::Range<u16> {
        self.floors_between(&self.blocks[self.block_of(x, z)], low, high)
    }

    /// Returns the floors of a block.
    pub(crate) fn floors(&self, block: &Block) -> &'a [Floor] {
        let side = self.layers.side;
        self.layers.column((block.pixels.x + self.window.x) / side, (block.pixels.z + self.window.z) / side)
    }

    /// Draws a gentle triangle: of several triangles in a floor, the highest is kept.
    pub(crate) fn draw(&mut self, corners: &[ScenePoint; 3], area: AreaId) {
        let (left, width) = (i64::from(self.window.x), i64::from(self.window.width));
        let rows = i64::from(self.window.z)..i64::from(self.window.end_z());
        Cutter::new(corners, Axis::X).cuts(rows, |row, cut: Cut| {
            let (first, last) = (
                (-whole_below(0.5 + PLACE_SLACK - cut.start[0]) - left).max(0),
                (whole_below(cut.end[0] - 0.5 + PLACE_SLACK) - left).min(width - 1),
            );
            if first > last {
                return;
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the window")]
            let (mut x, last, z) = (first as u32, last as u32, (row - i64::from(self.window.z)) as u32);
            while x <= last {
                let block = self.blocks[self.block_of(x, z)];
                let end = last.min(block.pixels.end_x() - 1);
                self.draw_row(&block, z, x..end + 1, &cut, area);
                x = end + 1;
            }
        });
    }

    /// Draws the pixels of a row in one block.
    fn draw_row(&mut self, block: &Block, z: u32, pixels: std::ops::Range<u32>, cut: &Cut, area: AreaId) {
        if block.floors == 0 {
            return;
        }
        let left = self.window.x;
        // Adding 0 turns negative zero into zero, so that the order of the triangles does not
        // matter.
        let height = |x: u32| nearest_f32(cut.height(f64::from(x + left) + 0.5)) + 0.0;
        let floors = self.floors(block);
        let start = block.base as usize + block.pixel(pixels.start, z);
        let first = Self::floor_at(floors, height(pixels.start));
        let last = Self::floor_near(floors, height(pixels.end - 1), first);
        // Floors do not overlap, so all heights between two heights of a floor are in the floor.
        if let (Some(floor), true, true) = (first, first == last, self.areas.is_empty()) {
            let start = start + floor * block.area();
            let row = &mut self.ground[start..start + pixels.len()];
            // The new height also replaces NaN.
            let higher = |ground: f32, height: f32| if ground >= height { ground } else { height };
            if cut.start[1].to_bits() == cut.end[1].to_bits() {
                let height = height(pixels.start);
                row.iter_mut().for_each(|ground| *ground = higher(*ground, height));
                return;
            }
            for (ground, x) in row.iter_mut().zip(pixels) {
                *ground = higher(*ground, height(x));
            }
            return;
        }
        for (place, x) in (start..).zip(pixels) {
            let height = height(x);
            if let Some(floor) = Self::floor_at(floors, height) {
                self.raise(place + floor * block.area(), height, area);
            }
        }
    }

    /// Raises the ground of a place to a height, if it is lower.
    fn raise(&mut self, place: usize, height: f32, area: AreaId) {
        let ground = &mut self.ground[place];
        let before = std::mem::replace(ground, ground.max(height));
        if let Some(known) = self.areas.get_mut(place) {
            // Whole steps, so that the order of the triangles does not matter.
            let [old, new] = [before, height].map(|height| (height / HEIGHT_SLACK).round());
            if before.is_nan() || new > old {
                *known = area;
            } else if new >= old {
                *known = known.over(area);
            }
        }
    }

    /// Computes the range of each sheet.
    pub(crate) fn survey(&mut self) {
        (0..self.blocks.len()).for_each(|block| self.survey_block(block));
    }

    fn survey_block(&mut self, block: usize) {
        let block = &self.blocks[block];
        for floor in 0..block.floors {
            self.ranges[block.number(floor)] = Range::of(&self.ground[block.sheet(floor)]);
        }
    }

    /// Adds ground to single pixels between two pixels with ground within a step. It closes cracks
    /// between triangles, and risers that are inclined by less than a pixel.
    pub(crate) fn close_cracks(&mut self, walk: &Walk) {
        let mut found = Vec::new();
        let mut changed = Vec::new();
        for (index, block) in self.blocks.iter().enumerate() {
            checkpoint();
            let before = found.len();
            if (0..block.floors).all(|floor| self.ranges[block.number(floor)].is_full) {
                continue;
            }
            for z in block.pixels.z..block.pixels.end_z() {
                for x in block.pixels.x..block.pixels.end_x() {
                    self.close_crack(block, (x, z), walk, &mut found);
                }
            }
            if found.len() > before {
                changed.push(index);
            }
        }
        for (place, height, area) in found {
            self.raise(place, height, area);
        }
        changed.into_iter().for_each(|block| self.survey_block(block));
    }

    fn close_crack(
        &self,
        block: &Block,
        (x, z): (u32, u32),
        walk: &Walk,
        found: &mut Vec<(usize, f32, AreaId)>,
    ) {
        let floors = self.floors(block);
        // Range of heights of neighbouring ground that can close a crack.
        let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
        let mut place = block.base as usize + block.pixel(x, z);
        for floor in floors {
            if self.ground[place].is_nan() {
                low = low.min(floor.low - HEIGHT_SLACK - walk.rise);
                high = high.max(floor.high + HEIGHT_SLACK + walk.rise);
            }
            place += block.area();
        }
        if low > high {
            return;
        }
        for (back, forth) in [(Direction::NegX, Direction::PosX), (Direction::NegZ, Direction::PosZ)] {
            let (Some(a), Some(b)) = (self.beside(x, z, back), self.beside(x, z, forth)) else {
                continue;
            };
            let others = self.places(b.0, b.1);
            let (from, to) = (f64::from(low), f64::from(high));
            for floor in self.floors_near(a, from, to) {
                let place = self.places(a.0, a.1).at(floor);
                let (one, area) = (self.ground[place], self.area(place));
                // The comparison is `false` for NaN.
                if !(one >= low && one <= high) {
                    continue;
                }
                let (from, to) = (f64::from(one - walk.rise), f64::from(one + walk.rise));
                for floor in self.floors_near(b, from, to) {
                    let place = others.at(floor);
                    let (other, area) = (self.ground[place], area.over(self.area(place)));
                    // The comparison is `false` for NaN.
                    if (one - other).abs() <= walk.rise {
                        let height = one.midpoint(other);
                        if let Some(floor) = Self::floor_at(floors, height) {
                            let place = block.base as usize + floor * block.area() + block.pixel(x, z);
                            if !self.has_ground(place) {
                                found.push((place, height, area));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Removes ground with other ground above it that is closer than the agent's height.
    pub(crate) fn drop_covered(&mut self, walk: &Walk) {
        for index in 0..self.blocks.len() {
            checkpoint();
            let block = self.blocks[index];
            let (mut above, mut is_clear) = (f32::INFINITY, true);
            for floor in (0..block.floors).rev() {
                let range = self.ranges[block.number(floor)];
                is_clear &= range.is_empty() || above - range.high >= walk.height;
                above = above.min(range.low);
            }
            if is_clear {
                continue;
            }
            for pixel in 0..block.area() {
                let mut above = f32::INFINITY;
                for floor in (0..block.floors).rev() {
                    let place = block.sheet(floor).start + pixel;
                    let ground = self.ground[place];
                    if ground.is_nan() {
                        continue;
                    }
                    // Removed ground still covers what is below it.
                    if above - ground < walk.height {
                        self.ground[place] = f32::NAN;
                    }
                    above = ground;
                }
            }
            self.survey_block(index);
        }
    }

    /// Returns the area of a place.
    #[inline]
    pub(crate) fn area(&self, place: usize) -> AreaId {
        self.areas.get(place).copied().unwrap_or(AreaId::GROUND)
    }

    /// Removes the ground where a blocked triangle is on top.
    pub(crate) fn drop_blocked(&mut self) {
        if self.areas.is_empty() {
            return;
        }
        for (ground, area) in self.ground.iter_mut().zip(&self.areas) {
            *ground = if area.is_walkable() { *ground } else { f32::NAN };
        }
        self.survey();
    }
}
