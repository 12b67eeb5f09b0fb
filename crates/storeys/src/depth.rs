//! Depth maps: the ground of every layer at the centre of every pixel.

use waymesh_core::{Direction, GridWindow, NO_SPAN};

use crate::config::{Corner, HEIGHT_SLACK, Walk};
use crate::layers::{Floor, Layers};
use crate::slice::{Axis, Cut, cuts};

/// A place this close to the centre of a pixel is there, in cells.
const PLACE_SLACK: f64 = 1e-6;

/// The depth maps of all layers in a window, side by side: a *place* per pixel and floor of its rough column.
#[derive(Debug)]
pub(crate) struct DepthMaps<'a> {
    layers: &'a Layers,
    pub(crate) window: GridWindow,
    /// First place of each pixel, and their number.
    pub(crate) columns: Vec<u32>,
    /// Height of the ground at the pixel's centre in metres above the frame's origin, NaN where there is none.
    pub(crate) ground: Vec<f32>,
    /// The place across each side that can be stepped to, [`NO_SPAN`] if there is none.
    pub(crate) links: Vec<[u32; 4]>,
}

impl<'a> DepthMaps<'a> {
    pub(crate) fn empty(layers: &'a Layers, window: GridWindow) -> Self {
        let pixels = window.width as usize * window.depth as usize;
        let mut columns = Vec::with_capacity(pixels + 1);
        columns.push(0);
        let mut count = 0;
        for z in window.z..window.end_z() {
            for x in window.x..window.end_x() {
                #[expect(clippy::cast_possible_truncation, reason = "the floors of a column are few")]
                let floors = layers.column(x / layers.side, z / layers.side).len() as u32;
                count += floors;
                columns.push(count);
            }
        }
        Self {
            layers,
            window,
            columns,
            ground: vec![f32::NAN; count as usize],
            links: vec![[NO_SPAN; 4]; count as usize],
        }
    }

    /// The places of a pixel; its coordinates count from the window's corner.
    #[inline]
    pub(crate) fn places(&self, x: u32, z: u32) -> std::ops::Range<usize> {
        let pixel = z as usize * self.window.width as usize + x as usize;
        self.columns[pixel] as usize..self.columns[pixel + 1] as usize
    }

    /// The pixel beside one.
    #[inline]
    pub(crate) fn beside(&self, x: u32, z: u32, direction: Direction) -> Option<(u32, u32)> {
        let (dx, dz) = direction.offset();
        let (x, z) = (x.checked_add_signed(dx)?, z.checked_add_signed(dz)?);
        (x < self.window.width && z < self.window.depth).then_some((x, z))
    }

    #[inline]
    pub(crate) fn has_ground(&self, place: usize) -> bool {
        !self.ground[place].is_nan()
    }

    /// Which of a pixel's floors a height belongs to: the highest that reaches so far down.
    #[inline]
    fn floor_at(&self, x: u32, z: u32, height: f32) -> Option<usize> {
        let side = self.layers.side;
        let floors: &[Floor] = self.layers.column((x + self.window.x) / side, (z + self.window.z) / side);
        floors
            .iter()
            .rposition(|floor| floor.low - HEIGHT_SLACK <= height && height <= floor.high + HEIGHT_SLACK)
    }

    /// Draws the ground: of all walkable triangles in a floor, the highest counts.
    pub(crate) fn draw(&mut self, corners: &[Corner; 3]) {
        let (left, width) = (i64::from(self.window.x), i64::from(self.window.width));
        let rows = i64::from(self.window.z)..i64::from(self.window.end_z());
        cuts(corners, Axis::X, rows, |row, cut: Cut| {
            #[expect(clippy::cast_possible_truncation, reason = "places are below 2^31")]
            let (first, last) = (
                ((cut.start[0] - 0.5 - PLACE_SLACK).ceil() as i64 - left).max(0),
                ((cut.end[0] - 0.5 + PLACE_SLACK).floor() as i64 - left).min(width - 1),
            );
            for x in first..=last {
                #[expect(clippy::cast_precision_loss, reason = "places are below 2^31")]
                let place = (x + left) as f64 + 0.5;
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "heights in single precision are what is kept"
                )]
                let height = cut.height(place) as f32;
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the window")]
                let (x, z) = (x as u32, (row - i64::from(self.window.z)) as u32);
                if let Some(floor) = self.floor_at(x, z, height) {
                    let place = self.places(x, z).start + floor;
                    // A maximum with NaN, where there is none yet, is the other.
                    self.ground[place] = self.ground[place].max(height);
                }
            }
        });
    }

    /// Gives ground to single pixels between two that have it within a step: cracks between triangles are no gaps, nor are risers that
    /// lean by less than a pixel.
    pub(crate) fn close_cracks(&mut self, walk: &Walk) {
        let mut found = Vec::new();
        for z in 0..self.window.depth {
            for x in 0..self.window.width {
                if self.places(x, z).all(|place| self.has_ground(place)) {
                    continue;
                }
                for (back, forth) in [(Direction::NegX, Direction::PosX), (Direction::NegZ, Direction::PosZ)]
                {
                    let (Some(a), Some(b)) = (self.beside(x, z, back), self.beside(x, z, forth)) else {
                        continue;
                    };
                    for one in self.places(a.0, a.1).filter(|&place| self.has_ground(place)) {
                        for other in self.places(b.0, b.1).filter(|&place| self.has_ground(place)) {
                            let (low, high) = (self.ground[one], self.ground[other]);
                            if (low - high).abs() > walk.rise {
                                continue;
                            }
                            let height = low.midpoint(high);
                            if let Some(floor) = self.floor_at(x, z, height) {
                                let place = self.places(x, z).start + floor;
                                if !self.has_ground(place) {
                                    found.push((place, height));
                                }
                            }
                        }
                    }
                }
            }
        }
        for (place, height) in found {
            // A maximum with NaN, where there is none yet, is the other.
            self.ground[place] = self.ground[place].max(height);
        }
    }

    /// Takes away ground with other ground closer above it than the agent is high.
    pub(crate) fn drop_covered(&mut self, walk: &Walk) {
        for range in self.columns.windows(2) {
            let mut above = f32::INFINITY;
            for place in (range[0] as usize..range[1] as usize).rev() {
                let ground = self.ground[place];
                if ground.is_nan() {
                    continue;
                }
                // What is dropped still covers what is below it.
                if above - ground < walk.height {
                    self.ground[place] = f32::NAN;
                }
                above = ground;
            }
        }
    }

    /// Links every place to the one beside it that is nearest in height and within a step, if that is so for both.
    pub(crate) fn link(&mut self, walk: &Walk) {
        for z in 0..self.window.depth {
            for x in 0..self.window.width {
                for direction in [Direction::PosX, Direction::PosZ] {
                    let Some((nx, nz)) = self.beside(x, z, direction) else { continue };
                    let (own, theirs) = (self.places(x, z), self.places(nx, nz));
                    for place in own.clone() {
                        let Some(other) = self.nearest(place, theirs.clone(), walk) else { continue };
                        if self.nearest(other, own.clone(), walk) == Some(place) {
                            #[expect(
                                clippy::cast_possible_truncation,
                                reason = "places are counted in 32 bits"
                            )]
                            {
                                self.links[place][direction.index()] = other as u32;
                                self.links[other][direction.opposite().index()] = place as u32;
                            }
                        }
                    }
                }
            }
        }
    }

    #[inline]
    pub(crate) fn nearest(&self, place: usize, among: std::ops::Range<usize>, walk: &Walk) -> Option<usize> {
        let own = self.ground[place];
        let mut best = (walk.rise, None);
        for other in among {
            let apart = (self.ground[other] - own).abs();
            // False where either has no ground.
            if apart < best.0 || (apart <= best.0 && best.1.is_none()) {
                best = (apart, Some(other));
            }
        }
        best.1
    }

    /// Takes a link away, on both sides.
    pub(crate) fn cut(&mut self, place: usize, direction: Direction) {
        let other = std::mem::replace(&mut self.links[place][direction.index()], NO_SPAN);
        if other != NO_SPAN {
            self.links[other as usize][direction.opposite().index()] = NO_SPAN;
        }
    }
}
