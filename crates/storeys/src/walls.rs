//! The second pass: what stands in the way, drawn along the lines between the centres of pixels.

use waymesh_core::{Direction, NO_SPAN};

use crate::config::{Corner, Walk};
use crate::depth::DepthMaps;
use crate::slice::{Axis, Cut, cuts};

/// Where nothing stands on the way to the next centre.
const CLEAR: f32 = f32::INFINITY;
/// A centre this close to a wall, in cells, is in it.
const TOUCHING: f32 = 1e-6;
/// Where the ground ends if nothing tells: between the two centres.
const HALFWAY: f32 = 0.5;

/// What one finds on the way from a place to the centre of each neighbour, in cells from the place's own centre.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ways {
    /// The nearest thing in the way: what reaches higher than a step above the ground, and not so high that the agent passes below.
    wall: [f32; 4],
    /// How far the ground goes.
    ground: [f32; 4],
}

const UNKNOWN: Ways = Ways { wall: [CLEAR; 4], ground: [0.0; 4] };

/// A thing too thin for any line between centres to meet it, or the end of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Post {
    /// Ends in cells of the whole grid.
    pub(crate) ends: [[f64; 2]; 2],
    /// Height of the ground around it.
    pub(crate) ground: f32,
}

/// Walls and drops of a window.
#[derive(Debug)]
pub(crate) struct Walls {
    ways: Vec<Ways>,
    pub(crate) posts: Vec<Post>,
}

/// One side's look at a cut: the near end and the far end, each the distance from the centre and the height.
type Look = [[f64; 2]; 2];

/// How near the part of a look that lies between two heights is.
#[inline]
fn nearest_between([[t0, y0], [t1, y1]]: Look, low: f64, high: f64) -> Option<f64> {
    if y0.max(y1) <= low || y0.min(y1) >= high {
        return None;
    }
    if (y0 > low && y0 < high) || t1 - t0 <= 1e-9 {
        return Some(t0);
    }
    let limit = if y0 <= low { low } else { high };
    Some(t0 + (t1 - t0) * ((limit - y0) / (y1 - y0)).clamp(0.0, 1.0))
}

impl Walls {
    pub(crate) fn new(places: usize) -> Self {
        Self { ways: vec![UNKNOWN; places], posts: Vec::new() }
    }

    /// Draws one triangle: steep and upside-down ones may stand in the way, walkable ones may too, and say where the ground ends.
    pub(crate) fn draw(&mut self, maps: &DepthMaps<'_>, walk: &Walk, corners: &[Corner; 3], walkable: bool) {
        let mut met = false;
        for (axis, forth) in [(Axis::X, Direction::PosX), (Axis::Z, Direction::PosZ)] {
            let window = maps.window;
            let (lines, first, count) = match axis {
                Axis::X => (window.z..window.end_z(), window.x, window.width),
                Axis::Z => (window.x..window.end_x(), window.z, window.depth),
            };
            let origin = lines.start;
            cuts(corners, axis, i64::from(lines.start)..i64::from(lines.end), |line, cut| {
                met = true;
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the window")]
                let line = (line - i64::from(origin)) as u32;
                self.draw_cut(maps, walk, (axis, forth), line, (first, count), &cut, walkable);
            });
        }
        if !met && !walkable {
            self.add_post(maps, walk, corners);
        }
        if !walkable {
            for (a, b) in [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)] {
                self.add_tip(maps, walk, corners[a], corners[b]);
            }
        }
    }

    /// Keeps the end of an edge where it stands in the way: what lies between it and the last line that meets the triangle would be lost.
    fn add_tip(&mut self, maps: &DepthMaps<'_>, walk: &Walk, from: Corner, to: Corner) {
        let window = maps.window;
        let (dx, dz) = (to[0] - from[0], to[2] - from[2]);
        let length = dx.hypot(dz);
        let first = |value: f64, first: u32| (value - f64::from(first) - 0.5).floor();
        let (x, z) = (first(from[0], window.x), first(from[2], window.z));
        let mut grounds: [f32; 8] = [f32::NAN; 8];
        let mut count = 0;
        for (x, z) in [(x, z), (x + 1.0, z), (x, z + 1.0), (x + 1.0, z + 1.0)] {
            if x < 0.0 || z < 0.0 || x >= f64::from(window.width) || z >= f64::from(window.depth) {
                continue;
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the window")]
            for place in maps.places(x as u32, z as u32) {
                let ground = maps.ground[place];
                let is_known = grounds[..count].iter().any(|known| (known - ground).abs() <= walk.rise);
                if ground.is_nan() || is_known || count == grounds.len() {
                    continue;
                }
                let (low, high) = (f64::from(ground + walk.rise), f64::from(ground + walk.height));
                let Some(along) = nearest_between([[0.0, from[1]], [length, to[1]]], low, high) else {
                    continue;
                };
                if along < 1.0 {
                    grounds[count] = ground;
                    count += 1;
                    let share = if length > 0.0 { along / length } else { 0.0 };
                    let point = [from[0] + dx * share, from[2] + dz * share];
                    self.posts.push(Post { ends: [point, point], ground });
                }
            }
        }
    }

    /// All drawn: each post once.
    pub(crate) fn finish(&mut self) {
        let key = |post: &Post| {
            let [[a, b], [c, d]] = post.ends.map(|end| end.map(f64::to_bits));
            (a, b, c, d, post.ground.to_bits())
        };
        self.posts.sort_unstable_by_key(key);
        self.posts.dedup_by_key(|post| key(post));
    }

    #[expect(clippy::too_many_arguments, reason = "one call in one place")]
    fn draw_cut(
        &mut self,
        maps: &DepthMaps<'_>,
        walk: &Walk,
        (axis, forth): (Axis, Direction),
        line: u32,
        (first, count): (u32, u32),
        cut: &Cut,
        walkable: bool,
    ) {
        // Between the centres of pixel `i` and the next.
        #[expect(clippy::cast_possible_truncation, reason = "places are below 2^31")]
        let range = (
            ((cut.start[0] - 0.5).floor() as i64 - i64::from(first)).max(-1),
            ((cut.end[0] - 0.5).floor() as i64 - i64::from(first)).min(i64::from(count) - 1),
        );
        let vertical = cut.end[0] - cut.start[0] <= 1e-9;
        for pixel in range.0..=range.1 {
            #[expect(clippy::cast_precision_loss, reason = "places are below 2^31")]
            let centre = (pixel + i64::from(first)) as f64 + 0.5;
            let (from, to) = (cut.start[0].max(centre), cut.end[0].min(centre + 1.0));
            let heights =
                if vertical { [cut.start[1], cut.end[1]] } else { [cut.height(from), cut.height(to)] };
            for (pixel, direction, look) in [
                (pixel, forth, [[from - centre, heights[0]], [to - centre, heights[1]]]),
                (
                    pixel + 1,
                    forth.opposite(),
                    [[centre + 1.0 - to, heights[1]], [centre + 1.0 - from, heights[0]]],
                ),
            ] {
                if pixel < 0 || pixel >= i64::from(count) {
                    continue;
                }
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the window")]
                let pixel = pixel as u32;
                let (x, z) = if axis == Axis::X { (pixel, line) } else { (line, pixel) };
                for place in maps.places(x, z) {
                    let ground = maps.ground[place];
                    if !ground.is_nan() {
                        self.see(place, direction, ground, look, walk, walkable);
                    }
                }
            }
        }
    }

    #[inline]
    fn see(&mut self, place: usize, to: Direction, ground: f32, look: Look, walk: &Walk, walkable: bool) {
        let ways = &mut self.ways[place];
        let (low, high) = (f64::from(ground + walk.rise), f64::from(ground + walk.height));
        #[expect(clippy::cast_possible_truncation, reason = "distances of a cell at most")]
        if let Some(distance) = nearest_between(look, low, high) {
            let wall = &mut ways.wall[to.index()];
            *wall = wall.min(distance as f32);
        } else if walkable && (look[0][1] - f64::from(ground)).abs() <= f64::from(walk.rise) {
            let end = &mut ways.ground[to.index()];
            *end = end.max(look[1][0] as f32);
        }
    }

    /// Keeps a thing that no line has met, if it stands in the way of a pixel around it.
    fn add_post(&mut self, maps: &DepthMaps<'_>, walk: &Walk, corners: &[Corner; 3]) {
        let heights = corners.map(|corner| corner[1]);
        let low = heights.into_iter().fold(f64::INFINITY, f64::min);
        let high = heights.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let window = maps.window;
        let range = |axis: usize, first: u32, count: u32| {
            let values = corners.map(|corner| corner[axis]);
            let low = values.into_iter().fold(f64::INFINITY, f64::min) - f64::from(first);
            let high = values.into_iter().fold(f64::NEG_INFINITY, f64::max) - f64::from(first);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
            let range = (low - 0.5).floor().max(0.0) as u32..((high + 0.5).floor().max(-1.0) + 1.0) as u32;
            range.start..range.end.min(count)
        };
        let mut grounds: Vec<f32> = Vec::new();
        for z in range(2, window.z, window.depth) {
            for x in range(0, window.x, window.width) {
                for place in maps.places(x, z) {
                    let ground = maps.ground[place];
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
                let ends = [corners[a], corners[b]].map(|corner| [corner[0], corner[2]]);
                self.posts.push(Post { ends, ground });
            }
        }
    }

    /// Takes away the ground of places that stand in something, and links that something stands in the way of.
    pub(crate) fn cut(&self, maps: &mut DepthMaps<'_>) {
        for (place, ways) in self.ways.iter().enumerate() {
            let is_in = maps.has_ground(place) && ways.wall.into_iter().any(|wall| wall <= TOUCHING);
            for direction in Direction::ALL {
                if is_in || ways.wall[direction.index()] <= 1.0 {
                    maps.cut(place, direction);
                }
            }
            if is_in {
                maps.ground[place] = f32::NAN;
            }
        }
    }

    /// How far from its centre a place ends in a direction without a link, in cells from 0 to 1. `across` is the place beyond, if both
    /// have ground within a step.
    pub(crate) fn end(
        &self,
        maps: &DepthMaps<'_>,
        place: usize,
        direction: Direction,
        across: Option<usize>,
    ) -> f32 {
        debug_assert_eq!(maps.links[place][direction.index()], NO_SPAN, "a place ends where it has no link");
        let ways = &self.ways[place];
        let wall = ways.wall[direction.index()];
        if wall <= 1.0 {
            return wall;
        }
        if let Some(across) = across {
            let wall = self.ways[across].wall[direction.opposite().index()];
            if wall <= 1.0 {
                return 1.0 - wall;
            }
        }
        let ground = ways.ground[direction.index()];
        if ground > 0.0 { ground.min(1.0) } else { HALFWAY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_between_two_heights_is_found_where_it_begins() {
        let near = |look, low, high| nearest_between(look, low, high);
        assert_eq!(near([[0.2, 0.0], [0.8, 1.0]], 2.0, 3.0), None);
        assert_eq!(near([[0.2, 2.5], [0.8, 0.0]], 2.0, 3.0), Some(0.2));
        let rising = near([[0.0, 0.0], [1.0, 4.0]], 1.0, 3.0).expect("it passes through");
        assert!((rising - 0.25).abs() < 1e-12);
        let falling = near([[0.0, 4.0], [1.0, 0.0]], 1.0, 3.0).expect("it passes through");
        assert!((falling - 0.25).abs() < 1e-12);
        assert_eq!(near([[0.4, 0.0], [0.4, 9.0]], 1.0, 3.0), Some(0.4));
    }
}
