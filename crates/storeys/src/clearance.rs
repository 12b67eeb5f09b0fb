//! Distance of every place from the nearest wall or drop.

use waymesh_core::{Direction, GridWindow, checkpoint, nearest_f32, saturating_u32, to_u32};

use crate::config::{NO_FLOOR, Walk};
use crate::depth::DepthMaps;
use crate::distances::{Distances, Segment};
use crate::walls::{Post, STEPS_OF_ENDS, Walls, round_height, round_place};

/// A place at which the ground ends in a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceEnds {
    /// Its number.
    pub place: u32,
    /// Distance that the ground extends from the centre, by
    /// [`Direction::index`](waymesh_core::Direction::index), in
    /// [`DepthNumbers::STEPS_OF_ENDS`](crate::DepthNumbers::STEPS_OF_ENDS); a whole cell in the
    /// direction of a link.
    pub steps: [u16; 4],
}

/// The ends of the ground around each place, and the distances to them.
#[derive(Debug, Default)]
pub(crate) struct Clearance {
    ends: Ends,
    pub(crate) distances: Distances,
}
/// Ends of the places that lack a link in a direction, in cells from their centres.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    /// First entry of `ends` for each sheet. A sheet has as many entries as places.
    slots: Vec<Option<u32>>,
    ends: Vec<[f32; 4]>,
    /// The places with a missing link, sheet by sheet, row by row.
    places: Vec<BorderPlace>,
}

/// A place with a missing link, where the ground ends.
#[derive(Clone, Copy, Debug)]
struct BorderPlace {
    block: u32,
    floor: u16,
    x: u32,
    z: u32,
}

impl Ends {
    pub(crate) fn find(maps: &DepthMaps<'_>, walls: &Walls, walk: &Walk) -> Self {
        let slots: Vec<Option<u32>> =
            (0..maps.ranges.len()).map(|sheet| walls.slot(sheet).map(to_u32)).collect();
        let mut ends = vec![[1.0; 4]; walls.len()];
        let mut places = Vec::new();
        for (index, block) in maps.blocks.iter().enumerate() {
            checkpoint();
            for floor in 0..block.floors {
                let Some(slot) = walls.slot(block.number(floor)) else { continue };
                let (mut x, mut z) = (block.pixels.x, block.pixels.z);
                for (pixel, place) in block.sheet(floor).enumerate() {
                    let links = &maps.links[place];
                    if links.contains(&NO_FLOOR) && maps.has_ground(place) {
                        places.push(BorderPlace { block: to_u32(index), floor, x, z });
                        for direction in Direction::ALL {
                            if links[direction.index()] == NO_FLOOR {
                                let across = extents_across(maps, walls, walk, place, (x, z), direction);
                                let end = walls.end(slot + pixel, direction, across);
                                ends[slot + pixel][direction.index()] =
                                    nearest_f32(round_place(f64::from(end)));
                            }
                        }
                    }
                    x += 1;
                    if x == block.pixels.end_x() {
                        (x, z) = (block.pixels.x, z + 1);
                    }
                }
            }
        }
        Self { slots, ends, places }
    }

    /// Creates the ends from those that another device found, in order; `None` if a place does not
    /// exist.
    pub(crate) fn of_list(maps: &DepthMaps<'_>, list: &[PlaceEnds]) -> Option<Self> {
        let mut own = Self { slots: vec![None; maps.ranges.len()], ..Self::default() };
        let mut rest = list;
        for (index, block) in maps.blocks.iter().enumerate() {
            checkpoint();
            for floor in 0..block.floors {
                let sheet = block.sheet(floor);
                let count = rest.partition_point(|ends| (ends.place as usize) < sheet.end);
                let (these, others) = rest.split_at(count);
                rest = others;
                if these.is_empty() {
                    continue;
                }
                let slot = own.ends.len();
                own.slots[block.number(floor)] = Some(to_u32(slot));
                own.ends.resize(slot + block.area(), [1.0; 4]);
                for ends in these {
                    let pixel = (ends.place as usize).checked_sub(sheet.start)?;
                    let is_known = maps.has_ground(ends.place as usize)
                        && ends.steps.iter().all(|&steps| f64::from(steps) <= STEPS_OF_ENDS);
                    if !is_known {
                        return None;
                    }
                    own.ends[slot + pixel] =
                        ends.steps.map(|steps| nearest_f32(f64::from(steps) / STEPS_OF_ENDS));
                    let (x, z) = (to_u32(pixel) % block.pixels.width, to_u32(pixel) / block.pixels.width);
                    let (x, z) = (block.pixels.x + x, block.pixels.z + z);
                    own.places.push(BorderPlace { block: to_u32(index), floor, x, z });
                }
            }
        }
        rest.is_empty().then_some(own)
    }

    /// Returns the ends in the format of another device.
    pub(crate) fn to_list(&self, maps: &DepthMaps<'_>) -> Vec<PlaceEnds> {
        let ends = |at: &BorderPlace| {
            let block = &maps.blocks[at.block as usize];
            let pixel = block.pixel(at.x, at.z);
            let steps = |direction: Direction| {
                let end = f64::from(self.of(block.number(at.floor), pixel, direction));
                u16::try_from(saturating_u32(end * STEPS_OF_ENDS)).unwrap_or(u16::MAX)
            };
            PlaceEnds { place: to_u32(block.sheet(at.floor).start + pixel), steps: Direction::ALL.map(steps) }
        };
        self.places.iter().map(ends).collect()
    }

    #[inline]
    fn of(&self, sheet: usize, pixel: usize, direction: Direction) -> f32 {
        // Nothing is known beyond the window.
        self.slots[sheet].map_or(1.0, |slot| self.ends[slot as usize + pixel][direction.index()])
    }
}

/// Returns the index of the `Extents` of the adjacent place, if it has ground within a step.
fn extents_across(
    maps: &DepthMaps<'_>,
    walls: &Walls,
    walk: &Walk,
    place: usize,
    (x, z): (u32, u32),
    direction: Direction,
) -> Option<usize> {
    let (x, z) = maps.beside(x, z, direction)?;
    let floor = maps.nearest(place, (x, z), walk)?;
    let block = &maps.blocks[maps.block_of(x, z)];
    Some(walls.slot(block.number(floor))? + block.pixel(x, z))
}

/// Returns the cells around a window that have to be drawn so that everything in the window is
/// known: the radius, and a margin for cracks, links and borders.
pub(crate) fn halo_cells(walk: &Walk) -> u32 {
    let radius = saturating_u32(walk.radius.ceil());
    radius.saturating_add(6)
}

impl Clearance {
    /// Measures distances in the pixels of `asked`, to all borders in the maps.
    ///
    /// # Exactness
    /// Distances are measured to borders between pixels: the points where walls and drops cross the
    /// lines between centres, joined by straight lines. So they are exact to [`STEPS_OF_ENDS`]
    /// along straight walls, and wrong by less than 0.36 cells at a corner.
    pub(crate) fn measure(
        maps: &DepthMaps<'_>,
        ends: Ends,
        posts: &[Post],
        walk: &Walk,
        whole: GridWindow,
        asked: GridWindow,
    ) -> Self {
        let mut segments = Vec::new();
        if walk.radius > 0.0 {
            for_each_segment(maps, &ends, whole, |segment| segments.push(*segment));
            segments.extend(posts.iter().map(|post| Segment::of_post(post, maps.window)));
        }
        Self { ends, distances: Distances::measure(maps, asked, walk, &segments) }
    }

    /// Returns the end of the ground of a place without a link in a direction, in cells from its
    /// centre.
    pub(crate) fn end(&self, sheet: usize, pixel: usize, direction: Direction) -> f32 {
        self.ends.of(sheet, pixel, direction)
    }
}

/// Calls `each` with all segments of the borders of the ground. Each end of a place is joined to
/// the next end around the corner.
fn for_each_segment(maps: &DepthMaps<'_>, ends: &Ends, whole: GridWindow, mut each: impl FnMut(&Segment)) {
    let mut columns: Vec<BorderPlace> = Vec::new();
    for rows in ends.places.chunk_by(|a, b| (a.block, a.floor) == (b.block, b.floor)) {
        let mut look = |at: &BorderPlace, direction: Direction, run: &mut Option<Segment>| {
            let (block, pixel) = (&maps.blocks[at.block as usize], (at.x, at.z));
            let place = block.sheet(at.floor).start + block.pixel(at.x, at.z);
            if maps.links[place][direction.index()] == NO_FLOOR {
                let tracer = Tracer { maps, ends, whole, pixel, floor: at.floor };
                if let Some(segment) = tracer.segment(place, direction)
                    && !run.as_mut().is_some_and(|run| run.join(&segment))
                    && let Some(done) = run.replace(segment)
                {
                    each(&done);
                }
            }
        };
        // Along the borders, so that straight runs become one segment.
        let mut runs = [None; 4];
        for at in rows {
            look(at, Direction::NegZ, &mut runs[0]);
            look(at, Direction::PosZ, &mut runs[1]);
        }
        columns.clear();
        columns.extend_from_slice(rows);
        columns.sort_unstable_by_key(|at| (at.x, at.z));
        for at in &columns {
            look(at, Direction::NegX, &mut runs[2]);
            look(at, Direction::PosX, &mut runs[3]);
        }
        runs.iter().flatten().for_each(&mut each);
    }
}

/// Traces the border around one place.
struct Tracer<'a> {
    maps: &'a DepthMaps<'a>,
    ends: &'a Ends,
    whole: GridWindow,
    pixel: (u32, u32),
    floor: u16,
}

impl Tracer<'_> {
    /// Returns `true` if the ground ends on this side. At the border of the window it continues,
    /// unless the border is the end of the grid.
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

    /// Returns the end of the ground of a floor of a pixel, relative to the corner of `self.pixel`.
    fn point(&self, (x, z): (u32, u32), floor: u16, direction: Direction) -> [f32; 2] {
        let block = &self.maps.blocks[self.maps.block_of(x, z)];
        let (dx, dz) = direction.offset();
        let end = self.ends.of(block.number(floor), block.pixel(x, z), direction);
        let away = |value: u32, from: u32| (i64::from(value) - i64::from(from)) as f32;
        let (x, z) = (away(x, self.pixel.0), away(z, self.pixel.1));
        [x + 0.5 + dx as f32 * end, z + 0.5 + dz as f32 * end]
    }

    /// Returns the floor that a place is linked to.
    fn beside(&self, (x, z): (u32, u32), floor: u16, direction: Direction) -> Option<u16> {
        let floor = self.maps.links[self.maps.places(x, z).at(floor)][direction.index()];
        (floor != NO_FLOOR).then_some(floor)
    }

    /// Returns the segment from the end of the place in a direction to the next end.
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
                    // At the end of a cliff, the two sides are joined at a later corner.
                    let is_cliff = self.beside(diagonal, corner, back).is_some();
                    (!is_cliff).then(|| self.point(diagonal, corner, back))
                }),
            },
        };
        let base = [i64::from(pixel.0), i64::from(pixel.1)];
        let ground = round_height(maps.ground[place]);
        Some(Segment { base, ends: [start, end.unwrap_or(start)], ground })
    }
}
