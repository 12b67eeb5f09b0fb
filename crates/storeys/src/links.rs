//! Links of adjacent places.

use waymesh_core::{Direction, GridWindow, checkpoint};

use crate::config::{NO_FLOOR, Walk};
use crate::depth::{Block, DepthMaps};

impl DepthMaps<'_> {
    /// Links two adjacent places if each is the nearest in height for the other, and within a step.
    pub(crate) fn link(&mut self, walk: &Walk) {
        let near = walk.near_links();
        for index in 0..self.blocks.len() {
            checkpoint();
            let block = self.blocks[index];
            for floor in 0..block.floors {
                let range = self.ranges[block.number(floor)];
                if range.is_empty() {
                    continue;
                }
                if range.is_linked_within(near) {
                    self.link_plain(&block, floor);
                    self.ranges[block.number(floor)].is_linked = true;
                } else {
                    self.link_inside(&block, floor, near, walk);
                }
                self.link_side(index, floor, Direction::PosX, near, walk);
                self.link_side(index, floor, Direction::PosZ, near, walk);
            }
        }
    }

    /// Finds the sheets and sides that are linked as a whole, in maps whose places are already
    /// linked. Sheets in which a wall has cut a link are excluded.
    pub(crate) fn link_sheets(&mut self, walk: &Walk, is_cut: impl Fn(usize) -> bool) {
        let near = walk.near_links();
        for index in 0..self.blocks.len() {
            let block = self.blocks[index];
            for floor in 0..block.floors {
                let sheet = block.number(floor);
                if self.ranges[sheet].is_empty() {
                    continue;
                }
                self.ranges[sheet].is_linked = self.ranges[sheet].is_linked_within(near) && !is_cut(sheet);
                for direction in [Direction::PosX, Direction::PosZ] {
                    if let Some(there) = self.block_beside(index, direction) {
                        self.link_whole_side(&block, floor, there, direction, near);
                    }
                }
            }
        }
    }

    /// Links a side of a sheet as a whole if all ground on both sides is near. Returns the floor
    /// beyond.
    fn link_whole_side(
        &mut self,
        block: &Block,
        floor: u16,
        there: usize,
        direction: Direction,
        near: f32,
    ) -> Option<u16> {
        let (own, there) = (self.ranges[block.number(floor)], self.blocks[there]);
        // A sheet this near is the nearest one.
        let is_near = |&other: &u16| {
            let other = self.ranges[there.number(other)];
            own.is_full && other.is_full && own.high.max(other.high) - own.low.min(other.low) <= near
        };
        let (low, high) = (f64::from(own.high - near), f64::from(own.low + near));
        let other = self.floors_between(&there, low, high).find(is_near)?;
        self.ranges[block.number(floor)].beside[direction.index()] = other;
        self.ranges[there.number(other)].beside[direction.opposite().index()] = floor;
        Some(other)
    }

    /// Links all places of a sheet to each other: no ground is missing or steep.
    fn link_plain(&mut self, block: &Block, floor: u16) {
        let (width, area) = (block.pixels.width as usize, block.area());
        let start = block.sheet(floor).start;
        let links = &mut self.links[start..start + area];
        let [west, south, east, north] =
            [Direction::NegX, Direction::PosZ, Direction::PosX, Direction::NegZ].map(Direction::index);
        for row in links.chunks_exact_mut(width) {
            for link in &mut row[1..] {
                link[west] = floor;
            }
            for link in &mut row[..width - 1] {
                link[east] = floor;
            }
        }
        for link in &mut links[width..] {
            link[north] = floor;
        }
        for link in &mut links[..area - width] {
            link[south] = floor;
        }
    }

    /// Links the places of a sheet to each other, place by place.
    fn link_inside(&mut self, block: &Block, floor: u16, near: f32, walk: &Walk) {
        let width = block.pixels.width as usize;
        let mut place = block.sheet(floor).start;
        for z in block.pixels.z..block.pixels.end_z() {
            for x in block.pixels.x..block.pixels.end_x() {
                let own = self.ground[place];
                if !own.is_nan() {
                    for (direction, step, is_inside) in [
                        (Direction::PosX, 1, x + 1 < block.pixels.end_x()),
                        (Direction::PosZ, width, z + 1 < block.pixels.end_z()),
                    ] {
                        if !is_inside {
                            continue;
                        }
                        if (self.ground[place + step] - own).abs() <= near {
                            self.links[place][direction.index()] = floor;
                            self.links[place + step][direction.opposite().index()] = floor;
                        } else {
                            self.link_far(place, floor, (x, z), direction, near, walk);
                        }
                    }
                }
                place += 1;
            }
        }
    }

    /// Returns the number of the adjacent block.
    fn block_beside(&self, index: usize, direction: Direction) -> Option<usize> {
        let (dx, dz) = direction.offset();
        let (x, z) = (
            (index % self.across).checked_add_signed(dx as isize)?,
            (index / self.across).checked_add_signed(dz as isize)?,
        );
        let there = z * self.across + x;
        (x < self.across && there < self.blocks.len()).then_some(there)
    }

    /// Returns the sides of a sheet, as bits, along which every place is linked and no link has
    /// been cut; none if any place of the sheet lacks a link inside.
    #[inline]
    pub(crate) fn whole_sides(&self, index: usize, floor: u16) -> u8 {
        let own = self.ranges[self.blocks[index].number(floor)];
        if !own.is_linked {
            return 0;
        }
        let is_whole = |direction: &Direction| {
            let floor = own.beside[direction.index()];
            floor != NO_FLOOR
                && self
                    .block_beside(index, *direction)
                    .is_some_and(|there| self.ranges[self.blocks[there].number(floor)].is_linked)
        };
        Direction::ALL
            .iter()
            .filter(|direction| is_whole(direction))
            .fold(0, |sides, side| sides | 1 << side.index())
    }

    /// Links the places at a side of a sheet to those of the next block.
    fn link_side(&mut self, index: usize, floor: u16, direction: Direction, near: f32, walk: &Walk) {
        let Some(there) = self.block_beside(index, direction) else { return };
        let (block, start) = (self.blocks[index], self.blocks[index].sheet(floor).start);
        let GridWindow { x, z, width, depth } = block.pixels;
        let pixels = if direction == Direction::PosX {
            GridWindow { x: x + width - 1, width: 1, ..block.pixels }
        } else {
            GridWindow { z: z + depth - 1, depth: 1, ..block.pixels }
        };
        let pixels = (pixels.z..pixels.end_z()).flat_map(|z| (pixels.x..pixels.end_x()).map(move |x| (x, z)));
        if let Some(other) = self.link_whole_side(&block, floor, there, direction, near) {
            let (back, there) = (direction.opposite(), self.blocks[there]);
            let (dx, dz) = direction.offset();
            for (x, z) in pixels {
                let beyond = there.pixel(x.wrapping_add_signed(dx), z.wrapping_add_signed(dz));
                self.links[start + block.pixel(x, z)][direction.index()] = other;
                self.links[there.sheet(other).start + beyond][back.index()] = floor;
            }
            return;
        }
        for (x, z) in pixels {
            let place = start + block.pixel(x, z);
            if self.has_ground(place) {
                self.link_far(place, floor, (x, z), direction, near, walk);
            }
        }
    }

    /// Links a place to a place of another floor or block.
    #[inline]
    fn link_far(
        &mut self,
        place: usize,
        floor: u16,
        (x, z): (u32, u32),
        direction: Direction,
        near: f32,
        walk: &Walk,
    ) {
        let Some((nx, nz)) = self.beside(x, z, direction) else { return };
        let theirs = self.places(nx, nz);
        let own = self.ground[place];
        let is_close = |&other: &u16| (self.ground[theirs.at(other)] - own).abs() <= near;
        // Neighbouring columns usually have the same floors.
        let same = Some(floor).filter(|&floor| floor < theirs.count).filter(is_close);
        let among = || self.floors_near((nx, nz), f64::from(own - near), f64::from(own + near));
        let other = same.or_else(|| among().find(is_close)).or_else(|| {
            let other = self.nearest(place, (nx, nz), walk)?;
            let back = self.nearest(theirs.at(other), (x, z), walk);
            (back == Some(floor)).then_some(other)
        });
        if let Some(other) = other {
            self.links[place][direction.index()] = other;
            self.links[theirs.at(other)][direction.opposite().index()] = floor;
        }
    }

    /// Returns the floor of a pixel that is nearest in height to a place and within a step, the
    /// lowest of several.
    #[inline]
    pub(crate) fn nearest(&self, place: usize, pixel: (u32, u32), walk: &Walk) -> Option<u16> {
        let (own, among) = (self.ground[place], self.places(pixel.0, pixel.1));
        let mut best = (walk.rise, None);
        let (low, high) = (f64::from(own - walk.rise), f64::from(own + walk.rise));
        for floor in self.floors_near(pixel, low, high) {
            let apart = (self.ground[among.at(floor)] - own).abs();
            // `false` if either has no ground.
            if apart < best.0 || (apart <= best.0 && best.1.is_none()) {
                best = (apart, Some(floor));
            }
        }
        best.1
    }

    /// Removes a link, on both sides.
    pub(crate) fn cut(&mut self, place: usize, pixel: (u32, u32), direction: Direction) {
        if let Some(other) = self.linked(place, pixel, direction) {
            self.links[place][direction.index()] = NO_FLOOR;
            self.links[other][direction.opposite().index()] = NO_FLOOR;
        }
    }

    /// Returns `true` if every link leads to an existing floor.
    pub(crate) fn can_be_linked(&self, links: &[[u16; 4]]) -> bool {
        let is_sound = |(index, block): (usize, &Block)| {
            checkpoint();
            let floors = |there: usize| self.blocks[there].floors;
            let beyond =
                Direction::ALL.map(|direction| self.block_beside(index, direction).map_or(0, floors));
            let (width, depth) = (block.pixels.width as usize, block.pixels.depth as usize);
            let own = block.base as usize..block.base as usize + block.area() * usize::from(block.floors);
            links[own].iter().enumerate().all(|(place, links)| {
                let (x, z) = (place % width, place / width % depth);
                let is_inside = [x > 0, z + 1 < depth, x + 1 < width, z > 0];
                (0..4).all(|side| {
                    let count = if is_inside[side] { block.floors } else { beyond[side] };
                    links[side] == NO_FLOOR || links[side] < count
                })
            })
        };
        self.blocks.iter().enumerate().all(is_sound)
    }
}
