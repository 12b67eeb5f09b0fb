//! The second pass: obstacles, and ends of the ground, on the lines between the centres of pixels.

use std::cmp::Ordering;

use waymesh_core::{Direction, checkpoint, nearest_f32, saturating_u32, to_u32};

use crate::config::{NO_FLOOR, ScenePoint, Walk};
use crate::depth::{ALL_SIDES, Block, DepthMaps, Range};
use crate::slice::{Axis, Cut, Cutter, whole_below};

/// Distance to an obstacle if there is none before the next centre.
const CLEAR: f32 = f32::INFINITY;
/// A centre this close to a wall, in cells, is inside the wall.
pub(crate) const TOUCHING: f32 = 1e-6;
/// Default end of the ground if no end was found: halfway between the two centres.
pub(crate) const HALFWAY: f32 = 0.5;
/// Cuts shorter than this, in cells, are upright.
pub(crate) const FLAT: f64 = 1e-9;

/// Ends are rounded to steps of this fraction of a cell, finer than those of the result. A border
/// that is straight except for noise then becomes exactly straight, and is measured as one segment.
pub(crate) const STEPS_OF_ENDS: f64 = 256.0;
/// Heights along borders are rounded to steps of this fraction of a metre.
pub(crate) const STEPS_OF_HEIGHTS: f32 = 32.0;

/// Rounds a coordinate of a border, in cells. The result is never negative zero.
pub(crate) fn round_place(cells: f64) -> f64 {
    (cells * STEPS_OF_ENDS).round() / STEPS_OF_ENDS + 0.0
}

/// Rounds a height along a border, in metres. The result is never negative zero.
pub(crate) fn round_height(metres: f32) -> f32 {
    (metres * STEPS_OF_HEIGHTS).round() / STEPS_OF_HEIGHTS + 0.0
}

/// Distances that the ground of a place extends towards the centre of each neighbour, in cells from
/// the centre of the place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extents {
    /// The nearest obstacle: anything between a step and the agent's height above the ground.
    wall: [f32; 4],
    /// The known extent of the ground.
    ground: [f32; 4],
}

const UNKNOWN: Extents = Extents { wall: [CLEAR; 4], ground: [0.0; 4] };

/// An obstacle too thin for any line between the centres of pixels to meet it, or the end of an
/// obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Post {
    /// Ends in cells of the whole grid.
    pub ends: [[f64; 2]; 2],
    /// Height of the ground around it in metres above the frame's origin.
    pub ground: f32,
}

impl Post {
    fn order(&self, other: &Self) -> Ordering {
        let [[ax, az], [bx, bz]] = self.ends;
        let [[cx, cz], [dx, dz]] = other.ends;
        ax.total_cmp(&cx)
            .then_with(|| az.total_cmp(&cz))
            .then_with(|| bx.total_cmp(&dx))
            .then_with(|| bz.total_cmp(&dz))
            .then_with(|| self.ground.total_cmp(&other.ground))
    }
}

/// Sorts posts and removes duplicates.
pub(crate) fn sort_posts(posts: &mut Vec<Post>) {
    posts.sort_unstable_by(Post::order);
    posts.dedup_by(|a, b| a.order(b).is_eq());
}

/// Walls and drops of a window.
#[derive(Debug)]
pub(crate) struct Walls {
    /// First entry of `extents` for each sheet; [`NO_EXTENTS`] for a sheet without entries.
    slots: Vec<u32>,
    /// Extents of all sheets with entries, one per place.
    extents: Vec<Extents>,
    pub(crate) posts: Vec<Post>,
    /// Reused for every corner.
    grounds: Vec<f32>,
    /// Some of the last posts, by hash.
    recent: Vec<Option<Post>>,
}

const NO_EXTENTS: u32 = u32::MAX;
/// Binary logarithm of the number of posts in `recent`.
const RECENT_BITS: u32 = 10;

/// A cut as seen from a centre: its near end and its far end, each with the distance from the
/// centre and the height.
type SideCut = [[f64; 2]; 2];

/// Returns the distance of the part of a cut that lies between two heights.
#[inline]
fn nearest_between([[t0, y0], [t1, y1]]: SideCut, low: f64, high: f64) -> Option<f64> {
    if y0.max(y1) <= low || y0.min(y1) >= high {
        return None;
    }
    if (y0 > low && y0 < high) || t1 - t0 <= FLAT {
        return Some(t0);
    }
    let limit = if y0 <= low { low } else { high };
    Some(t0 + (t1 - t0) * ((limit - y0) / (y1 - y0)).clamp(0.0, 1.0))
}

impl Walls {
    pub(crate) fn new(maps: &DepthMaps<'_>) -> Self {
        Self {
            slots: vec![NO_EXTENTS; maps.ranges.len()],
            extents: Vec::new(),
            posts: Vec::new(),
            grounds: Vec::new(),
            recent: vec![None; 1 << RECENT_BITS],
        }
    }

    /// Returns the index of the extents of a sheet's first place, if it has any.
    #[inline]
    pub(crate) fn slot(&self, sheet: usize) -> Option<usize> {
        (self.slots[sheet] != NO_EXTENTS).then_some(self.slots[sheet] as usize)
    }

    /// Returns the number of places with extents.
    pub(crate) fn len(&self) -> usize {
        self.extents.len()
    }

    fn take_slot(&mut self, sheet: usize, area: usize) -> usize {
        if self.slots[sheet] == NO_EXTENTS {
            let slot = to_u32(self.extents.len());
            self.slots[sheet] = slot;
            self.extents.resize(self.extents.len() + area, UNKNOWN);
        }
        self.slots[sheet] as usize
    }

    /// Draws one triangle as an obstacle. It may be steep, upside down or walkable. Only sheets
    /// near enough in height are tested.
    pub(crate) fn draw(
        &mut self,
        maps: &DepthMaps<'_>,
        walk: &Walk,
        corners: &[ScenePoint; 3],
        walkable: bool,
    ) {
        let [lowest, highest] = range_of(corners, 1);
        let mut cutters = None;
        let mut is_near = false;
        // The triangle is no obstacle for ground farther below or above.
        let (from, to) = (lowest - f64::from(walk.height), highest - f64::from(walk.rise));
        for_each_block(maps, corners, |block, low, high| {
            for floor in maps.floors_between(block, from, to) {
                let range = maps.ranges[block.number(floor)];
                if range.is_empty() {
                    continue;
                }
                let (above, below) = heights_of_walls(range, walk);
                is_near |= highest > above && lowest < below;
                if high > above && low < below {
                    let cutters =
                        cutters.get_or_insert_with(|| (Cutter::both(corners), height_error(corners)));
                    self.draw_sheet(maps, walk, cutters, (block, floor), None);
                }
            }
        });
        if is_near && !walkable {
            if !is_met(maps, corners) {
                self.add_post(maps, walk, corners);
                return;
            }
            for corner in 0..3 {
                self.add_tips(
                    maps,
                    walk,
                    corners[corner],
                    [corners[(corner + 1) % 3], corners[(corner + 2) % 3]],
                );
            }
        }
    }

    /// Draws walkable triangles to find where the ground ends, on the sheets where it does.
    pub(crate) fn draw_ends<'t>(
        &mut self,
        maps: &DepthMaps<'_>,
        walk: &Walk,
        triangles: impl Iterator<Item = &'t [ScenePoint; 3]>,
    ) {
        // For each sheet on which ground ends, the first of its entries in `lines`: its rows, then
        // its columns, with `true` for those that lead to an end.
        let mut firsts = vec![NO_EXTENTS; maps.ranges.len()];
        let mut lines = Vec::new();
        for (index, block) in maps.blocks.iter().enumerate() {
            checkpoint();
            for floor in 0..block.floors {
                let may_end = !maps.ranges[block.number(floor)].is_empty()
                    && maps.whole_sides(index, floor) != ALL_SIDES;
                if may_end && find_ends(maps, block, floor, &mut lines) {
                    let count = (block.pixels.width + block.pixels.depth) as usize;
                    let first = to_u32(lines.len() - count);
                    firsts[block.number(floor)] = first;
                    self.take_slot(block.number(floor), block.area());
                }
            }
        }
        for corners in triangles {
            let mut cutters = None;
            let rise = f64::from(walk.rise);
            for_each_block(maps, corners, |block, low, high| {
                for floor in maps.floors_between(block, low - rise, high + rise) {
                    let first = firsts[block.number(floor)];
                    if first == NO_EXTENTS {
                        continue;
                    }
                    let range = maps.ranges[block.number(floor)];
                    let (above, below) = heights_of_ends(range, walk);
                    if high >= above && low <= below {
                        let cutters =
                            cutters.get_or_insert_with(|| (Cutter::both(corners), height_error(corners)));
                        let wanted = Some(&lines[first as usize..]);
                        self.draw_sheet(maps, walk, cutters, (block, floor), wanted);
                    }
                }
            });
        }
    }

    /// Finds the obstacles between the places of a sheet. With `wanted`, finds the ends of the
    /// ground instead, only on those of its rows and columns.
    fn draw_sheet(
        &mut self,
        maps: &DepthMaps<'_>,
        walk: &Walk,
        ([x_cutter, z_cutter], error): &([Cutter; 2], f64),
        sheet: (&Block, u16),
        wanted: Option<&[bool]>,
    ) {
        let (pixels, window) = (sheet.0.pixels, maps.window);
        let range = maps.ranges[sheet.0.number(sheet.1)];
        // Parts outside of these heights have no effect.
        let walkable = wanted.is_some();
        let (above, below) =
            if walkable { heights_of_ends(range, walk) } else { heights_of_walls(range, walk) };
        let (above, below) = (above - error, below + error);
        for (axis, cutter, first, count, origin, before) in [
            (Axis::X, x_cutter, pixels.z, pixels.depth, window.z, 0),
            (Axis::Z, z_cutter, pixels.x, pixels.width, window.x, pixels.depth),
        ] {
            let lines = i64::from(first + origin)..i64::from(first + count + origin);
            let is_wanted = |line: i64| {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the block")]
                let line = (line - i64::from(first + origin)) as usize;
                wanted.is_none_or(|wanted| wanted[before as usize + line])
            };
            cutter.cuts_of(lines, is_wanted, |line, cut| {
                let [one, other] = [cut.start[1], cut.end[1]];
                if one.max(other) < above || one.min(other) > below {
                    return;
                }
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the window")]
                let line = (line - i64::from(origin)) as u32;
                self.draw_cut(maps, walk, sheet, axis, line, &cut, walkable);
            });
        }
    }

    /// Adds posts at the ends of edges that are obstacles. Otherwise the part between the end and
    /// the last line that meets the triangle would be lost.
    fn add_tips(&mut self, maps: &DepthMaps<'_>, walk: &Walk, from: ScenePoint, others: [ScenePoint; 2]) {
        let window = maps.window;
        let first = |value: f64, first: u32| whole_below(value - 0.5) - i64::from(first);
        let (x, z) = (first(from[0], window.x), first(from[2], window.z));
        // Different heights of the ground around it for which it can be an obstacle.
        let [lowest, highest] = range_of(&[from, others[0], others[1]], 1);
        let mut grounds = std::mem::take(&mut self.grounds);
        grounds.clear();
        for (x, z) in [(x, z), (x + 1, z), (x, z + 1), (x + 1, z + 1)] {
            if x < 0 || z < 0 || x >= i64::from(window.width) || z >= i64::from(window.depth) {
                continue;
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the window")]
            let pixel = (x as u32, z as u32);
            let (from, to) = (lowest - f64::from(walk.height), highest - f64::from(walk.rise));
            for floor in maps.floors_near(pixel, from, to) {
                let ground = maps.ground[maps.places(pixel.0, pixel.1).at(floor)];
                let is_same = |known: &f32| known.to_bits() == ground.to_bits();
                // `false` if there is no ground.
                let is_near =
                    highest > f64::from(ground + walk.rise) && lowest < f64::from(ground + walk.height);
                if is_near && !grounds.iter().any(is_same) {
                    grounds.push(ground);
                }
            }
        }
        for to in others {
            let (lowest, highest) = (from[1].min(to[1]), from[1].max(to[1]));
            let mut found: [f32; 8] = [f32::NAN; 8];
            let mut count = 0;
            for &ground in &grounds {
                let (low, high) = (f64::from(ground + walk.rise), f64::from(ground + walk.height));
                if highest <= low || lowest >= high || count == found.len() {
                    continue;
                }
                if found[..count].iter().any(|known| (known - ground).abs() <= walk.rise) {
                    continue;
                }
                let (dx, dz) = (to[0] - from[0], to[2] - from[2]);
                let length = (dx * dx + dz * dz).sqrt();
                let Some(along) = nearest_between([[0.0, from[1]], [length, to[1]]], low, high) else {
                    continue;
                };
                if along < 1.0 {
                    found[count] = ground;
                    count += 1;
                    let share = if length > 0.0 { along / length } else { 0.0 };
                    let point = [from[0] + dx * share, from[2] + dz * share];
                    self.push_post(Post { ends: [point, point], ground });
                }
            }
        }
        self.grounds = grounds;
    }

    /// Adds a post, unless it has been added recently: a corner is visited from every edge and
    /// triangle around it.
    fn push_post(&mut self, mut post: Post) {
        post.ends = post.ends.map(|end| end.map(round_place));
        post.ground = round_height(post.ground);
        let [[ax, az], [bx, bz]] = post.ends;
        let bits = ax.to_bits()
            ^ az.to_bits().rotate_left(21)
            ^ bx.to_bits().rotate_left(11)
            ^ bz.to_bits().rotate_left(42);
        // Fibonacci hashing (Knuth, The Art of Computer Programming 3, section 6.4).
        let place = (bits ^ u64::from(post.ground.to_bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            >> (u64::BITS - RECENT_BITS);
        let recent = &mut self.recent[usize::try_from(place).unwrap_or(0)];
        if recent.is_none_or(|recent| recent.order(&post).is_ne()) {
            *recent = Some(post);
            self.posts.push(post);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one call in one place")]
    fn draw_cut(
        &mut self,
        maps: &DepthMaps<'_>,
        walk: &Walk,
        (block, floor): (&Block, u16),
        axis: Axis,
        line: u32,
        cut: &Cut,
        walkable: bool,
    ) {
        let pixels = block.pixels;
        let (forth, origin, first, end) = match axis {
            Axis::X => (Direction::PosX, maps.window.x, pixels.x, pixels.end_x()),
            Axis::Z => (Direction::PosZ, maps.window.z, pixels.z, pixels.end_z()),
        };
        let (first, end) = (i64::from(first), i64::from(end));
        // Pixel `i` covers the part between its centre and the next one.
        let range = (
            (whole_below(cut.start[0] - 0.5) - i64::from(origin)).max(first - 1),
            (whole_below(cut.end[0] - 0.5) - i64::from(origin)).min(end - 1),
        );
        let run = cut.end[0] - cut.start[0];
        let vertical = run <= FLAT;
        let slope = if vertical { 0.0 } else { (cut.end[1] - cut.start[1]) / run };
        let sheet = block.sheet(floor).start;
        let (begin, step) = match axis {
            Axis::X => (block.pixel(pixels.x, line), 1),
            Axis::Z => (block.pixel(line, pixels.z), pixels.width as usize),
        };
        let ground_of = |pixel: i64| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the block")]
            let pixel = (pixel >= first && pixel < end).then(|| begin + (pixel - first) as usize * step)?;
            Some((pixel, maps.ground[sheet + pixel])).filter(|(_, ground)| !ground.is_nan())
        };
        // The end is only needed in directions in which the ground ends.
        let is_asked = |place: &(usize, f32), direction: Direction| {
            !walkable || maps.links[sheet + place.0][direction.index()] == NO_FLOOR
        };
        let mut next = ground_of(range.0);
        for pixel in range.0..=range.1 {
            let here = std::mem::replace(&mut next, ground_of(pixel + 1));
            let here = here.filter(|place| is_asked(place, forth));
            let there = next.filter(|place| is_asked(place, forth.opposite()));
            if here.is_none() && there.is_none() {
                continue;
            }
            let centre = (pixel + i64::from(origin)) as f64 + 0.5;
            let (from, to) = (cut.start[0].max(centre), cut.end[0].min(centre + 1.0));
            let height = |place: f64| cut.start[1] + slope * (place - cut.start[0]);
            let heights = if vertical { [cut.start[1], cut.end[1]] } else { [height(from), height(to)] };
            for (place, direction, side_cut) in [
                (here, forth, [[from - centre, heights[0]], [to - centre, heights[1]]]),
                (
                    there,
                    forth.opposite(),
                    [[centre + 1.0 - to, heights[1]], [centre + 1.0 - from, heights[0]]],
                ),
            ] {
                if let Some((pixel, ground)) = place {
                    self.note((block, floor), pixel, direction, ground, side_cut, walk, walkable);
                }
            }
        }
    }

    #[inline]
    #[expect(clippy::too_many_arguments, reason = "one call in one place")]
    fn note(
        &mut self,
        (block, floor): (&Block, u16),
        pixel: usize,
        to: Direction,
        ground: f32,
        side_cut: SideCut,
        walk: &Walk,
        walkable: bool,
    ) {
        let (low, high) = (f64::from(ground + walk.rise), f64::from(ground + walk.height));
        let sheet = block.number(floor);
        if let Some(distance) = nearest_between(side_cut, low, high) {
            let slot = self.take_slot(sheet, block.area());
            let wall = &mut self.extents[slot + pixel].wall[to.index()];
            *wall = wall.min(nearest_f32(distance));
        } else if walkable
            && (side_cut[0][1] - f64::from(ground)).abs() <= f64::from(walk.rise)
            && let Some(slot) = self.slot(sheet)
        {
            let end = &mut self.extents[slot + pixel].ground[to.index()];
            *end = end.max(nearest_f32(side_cut[1][0]));
        }
    }

    /// Adds posts for a triangle that no line meets, if it is an obstacle for a pixel around it.
    fn add_post(&mut self, maps: &DepthMaps<'_>, walk: &Walk, corners: &[ScenePoint; 3]) {
        let [low, high] = range_of(corners, 1);
        let window = maps.window;
        let range = |axis: usize, first: u32, count: u32| {
            let [low, high] = range_of(corners, axis).map(|value| value - f64::from(first));
            let range = saturating_u32((low - 0.5).floor().max(0.0))
                ..saturating_u32((high + 0.5).floor().max(-1.0) + 1.0);
            range.start..range.end.min(count)
        };
        let mut grounds: Vec<f32> = Vec::new();
        for z in range(2, window.z, window.depth) {
            for x in range(0, window.x, window.width) {
                let (from, to) = (low - f64::from(walk.height), high - f64::from(walk.rise));
                for floor in maps.floors_near((x, z), from, to) {
                    let ground = maps.ground[maps.places(x, z).at(floor)];
                    let is_wall =
                        high > f64::from(ground + walk.rise) && low < f64::from(ground + walk.height);
                    if is_wall && !grounds.iter().any(|known| (known - ground).abs() <= walk.rise) {
                        grounds.push(ground);
                    }
                }
            }
        }
        for ground in grounds {
            for (a, b) in [(0, 1), (1, 2), (2, 0)] {
                let [a, b] = [corners[a], corners[b]].map(|corner| [corner[0], corner[2]]);
                // The order is the same for the triangle on the other side.
                self.push_post(Post { ends: if a <= b { [a, b] } else { [b, a] }, ground });
            }
        }
    }

    /// Removes the ground of places inside obstacles, and the links that obstacles block.
    pub(crate) fn cut(&self, maps: &mut DepthMaps<'_>) {
        for index in 0..maps.blocks.len() {
            let block = maps.blocks[index];
            for floor in 0..block.floors {
                let Some(slot) = self.slot(block.number(floor)) else { continue };
                for z in block.pixels.z..block.pixels.end_z() {
                    for x in block.pixels.x..block.pixels.end_x() {
                        let pixel = block.pixel(x, z);
                        let (place, extents) =
                            (block.sheet(floor).start + pixel, &self.extents[slot + pixel]);
                        let [a, b, c, d] = extents.wall;
                        let nearest = a.min(b).min(c.min(d));
                        if nearest > 1.0 {
                            continue;
                        }
                        let is_in = maps.has_ground(place) && nearest <= TOUCHING;
                        for direction in Direction::ALL {
                            if is_in || extents.wall[direction.index()] <= 1.0 {
                                maps.cut(place, (x, z), direction);
                                maps.ranges[block.number(floor)].is_linked = false;
                            }
                        }
                        if is_in {
                            maps.ground[place] = f32::NAN;
                        }
                    }
                }
            }
        }
    }

    /// Returns where the ground of a place ends in a direction without a link, in cells from its
    /// centre, from 0 to 1. `own` is the index of its extents, and `across` that of the place
    /// beyond, if it has extents and ground within a step.
    pub(crate) fn end(&self, own: usize, direction: Direction, across: Option<usize>) -> f32 {
        let extents = &self.extents[own];
        let wall = extents.wall[direction.index()];
        if wall <= 1.0 {
            return wall;
        }
        if let Some(across) = across {
            let wall = self.extents[across].wall[direction.opposite().index()];
            if wall <= 1.0 {
                return 1.0 - wall;
            }
        }
        let ground = extents.ground[direction.index()];
        if ground > 0.0 { ground.min(1.0) } else { HALFWAY }
    }
}

/// Returns the heights between which something may be an obstacle on a sheet.
fn heights_of_walls(range: Range, walk: &Walk) -> (f64, f64) {
    (f64::from(range.low + walk.rise), f64::from(range.high + walk.height))
}

/// Returns the heights between which a walkable triangle may mark an end of the ground of a sheet.
fn heights_of_ends(range: Range, walk: &Walk) -> (f64, f64) {
    let rise = f64::from(walk.rise);
    (f64::from(range.low) - rise, f64::from(range.high) + rise)
}

/// Returns `true` if ground ends somewhere on a sheet. If so, adds to `lines` which of its rows and
/// columns lead to such a place.
fn find_ends(maps: &DepthMaps<'_>, block: &Block, floor: u16, lines: &mut Vec<bool>) -> bool {
    let sheet = block.sheet(floor);
    let (width, depth) = (block.pixels.width as usize, block.pixels.depth as usize);
    let first = lines.len();
    // A complete pass is faster than one that stops early.
    let misses = maps.links[sheet.clone()]
        .as_flattened()
        .iter()
        .fold(false, |misses, &link| misses | (link == NO_FLOOR));
    if !misses {
        return false;
    }
    let grounds = maps.ground[sheet.clone()].chunks_exact(width);
    for (z, (grounds, links)) in grounds.zip(maps.links[sheet].chunks_exact(width)).enumerate() {
        for (x, (ground, links)) in grounds.iter().zip(links).enumerate() {
            if !links.contains(&NO_FLOOR) || ground.is_nan() {
                continue;
            }
            lines.resize(first + width + depth, false);
            let ends = |direction: Direction| links[direction.index()] == NO_FLOOR;
            lines[first + z] |= ends(Direction::NegX) || ends(Direction::PosX);
            lines[first + depth + x] |= ends(Direction::NegZ) || ends(Direction::PosZ);
        }
    }
    lines.len() > first
}

/// Returns `true` if a line through the centres of a row or column of pixels in the window meets
/// the triangle.
fn is_met(maps: &DepthMaps<'_>, corners: &[ScenePoint; 3]) -> bool {
    let window = maps.window;
    [(0, window.x, window.end_x()), (2, window.z, window.end_z())].into_iter().any(|(axis, first, end)| {
        let [low, high] = range_of(corners, axis);
        // A line exactly at the low end does not meet it: see [`Cutter::cuts`].
        let line = whole_below(low - 0.5) + 1;
        line.max(i64::from(first)) <= whole_below(high - 0.5).min(i64::from(end) - 1)
    })
}

fn range_of(corners: &[ScenePoint; 3], axis: usize) -> [f64; 2] {
    let (a, b, c) = (corners[0][axis], corners[1][axis], corners[2][axis]);
    [a.min(b).min(c), a.max(b).max(c)]
}

/// Calls `each` with every block whose pixels a triangle may affect, and with a range of heights
/// that contains the triangle there, with all rounding. The omitted blocks would not change the
/// result.
fn for_each_block<'m>(
    maps: &'m DepthMaps<'_>,
    corners: &[ScenePoint; 3],
    mut each: impl FnMut(&'m Block, f64, f64),
) {
    // A triangle affects a pixel if it lies within a pixel of its centre.
    const REACH: f64 = 1.0;
    let ([low, high], error) = (range_of(corners, 1), height_error(corners));
    let (low, high) = (low - error, high + error);
    let [z_low, z_high] = range_of(corners, 2);
    let rows = maps.blocks_between(Axis::Z, z_low - REACH, z_high + REACH);
    let [x_low, x_high] = range_of(corners, 0);
    let columns = maps.blocks_between(Axis::X, x_low - REACH, x_high + REACH);
    if rows.len() <= FEW_BLOCKS && columns.len() <= FEW_BLOCKS {
        for row in rows {
            for column in columns.clone() {
                each(&maps.blocks[row * maps.across + column], low, high);
            }
        }
        return;
    }
    let slope = slopes(corners, (x_high - x_low).max(z_high - z_low));
    for row in rows {
        let pixels = maps.blocks[row * maps.across].pixels;
        let (from, to) = (f64::from(pixels.z + maps.window.z), f64::from(pixels.end_z() + maps.window.z));
        let [x_low, x_high] = range_in_slab(corners, [from - REACH, to + REACH]);
        for column in maps.blocks_between(Axis::X, x_low - REACH, x_high + REACH) {
            let block = &maps.blocks[row * maps.across + column];
            if block.floors == 0 {
                continue;
            }
            let Some(slope) = slope else {
                each(block, low, high);
                continue;
            };
            let half = [f64::from(block.pixels.width) / 2.0, f64::from(block.pixels.depth) / 2.0];
            let middle = [
                f64::from(block.pixels.x + maps.window.x) + half[0] - corners[0][0],
                f64::from(block.pixels.z + maps.window.z) + half[1] - corners[0][2],
            ];
            let centre = corners[0][1] + slope[0] * middle[0] + slope[1] * middle[1];
            let spread = slope[0].abs() * (half[0] + REACH) + slope[1].abs() * (half[1] + REACH);
            let spread = spread + error;
            each(block, low.max(centre - spread), high.min(centre + spread));
        }
    }
}

/// With at most this many blocks along a side, heights are not computed for each block.
const FEW_BLOCKS: usize = 2;
/// Absolute part of the error bound of computed heights, in metres.
const HEIGHT_ERROR: f64 = 1e-3;
/// Relative part of the error bound of computed heights. Larger bounds only cost time.
const RELATIVE_ERROR: f64 = 1e-12;
/// For triangles that rise more over a pixel, in metres, the whole height is used.
const UPRIGHT: f64 = 10.0;
/// Largest relative error of a difference of two products, as a fraction of both.
const PRODUCT_ERROR: f64 = 1e-15;
/// Upper bound of the side of a block in cells.
const BLOCK_SIDE: f64 = 2048.0;

/// Returns the largest error of the heights of a triangle.
#[inline]
fn height_error(corners: &[ScenePoint; 3]) -> f64 {
    let [a, b, c] = corners.map(|corner| corner[1].abs());
    HEIGHT_ERROR + (a + b + c) * RELATIVE_ERROR
}

/// Returns the rise of a triangle over a pixel along x and z, if it is gentle, and so exact that
/// heights over its extent are wrong by a small part of [`HEIGHT_ERROR`] only.
fn slopes(corners: &[ScenePoint; 3], extent: f64) -> Option<[f64; 2]> {
    let [a, b, c] = *corners;
    let (u, v) = ([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
    let up = u[2] * v[0] - u[0] * v[2];
    // For upright triangles it is any number or not finite.
    let slope = [(u[2] * v[1] - u[1] * v[2]) / up, (u[1] * v[0] - u[0] * v[1]) / up];
    let rise = slope[0].abs() + slope[1].abs();
    let products = |i: usize, j: usize| (u[i] * v[j]).abs() + (u[j] * v[i]).abs();
    let error = PRODUCT_ERROR * (products(1, 2) + products(0, 1) + rise * products(0, 2)) / up.abs();
    // Both comparisons are `false` for NaN.
    (rise < UPRIGHT && error * (extent + BLOCK_SIDE) < HEIGHT_ERROR / 4.0).then_some(slope)
}

/// Returns the range of x of the part of a triangle between two z.
fn range_in_slab(corners: &[ScenePoint; 3], [from, to]: [f64; 2]) -> [f64; 2] {
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for (a, b) in [(0, 1), (1, 2), (2, 0)] {
        let (a, b) = (corners[a], corners[b]);
        if a[2].max(b[2]) < from || a[2].min(b[2]) > to {
            continue;
        }
        let run = b[2] - a[2];
        let at = |z: f64| a[0] + (b[0] - a[0]) * ((z - a[2]) / run).clamp(0.0, 1.0);
        let ends = if run.abs() > 0.0 { [at(from), at(to)] } else { [a[0], b[0]] };
        for x in ends {
            range = [range[0].min(x), range[1].max(x)];
        }
    }
    range
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_between_two_heights_is_found_where_it_begins() {
        let near = |side_cut, low, high| nearest_between(side_cut, low, high);
        assert_eq!(near([[0.2, 0.0], [0.8, 1.0]], 2.0, 3.0), None);
        assert_eq!(near([[0.2, 2.5], [0.8, 0.0]], 2.0, 3.0), Some(0.2));
        let rising = near([[0.0, 0.0], [1.0, 4.0]], 1.0, 3.0).expect("it passes through");
        assert!((rising - 0.25).abs() < 1e-12);
        let falling = near([[0.0, 4.0], [1.0, 0.0]], 1.0, 3.0).expect("it passes through");
        assert!((falling - 0.25).abs() < 1e-12);
        assert_eq!(near([[0.4, 0.0], [0.4, 9.0]], 1.0, 3.0), Some(0.4));
    }
}
