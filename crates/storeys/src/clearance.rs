//! How far every place is from the nearest wall or drop.

use waymesh_core::{Direction, GridWindow, NO_SPAN};

use crate::config::Walk;
use crate::depth::DepthMaps;
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
    /// In cells, up to a cell and a half more than the radius.
    pub(crate) distance: Vec<f32>,
    /// Where a place without a link in a direction ends, in cells from its centre.
    pub(crate) ends: Vec<[f32; 4]>,
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
        let ends = find_ends(maps, walls, walk);
        let reach = walk.radius + 1.5;
        let mut squared = vec![reach * reach; maps.ground.len()];
        if walk.radius > 0.0 {
            let mut stamp = Stamp { maps, squared: &mut squared, reach, near: walk.near };
            for_each_segment(maps, &ends, whole, |segment| stamp.press(&segment));
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
        for value in &mut squared {
            *value = value.sqrt();
        }
        Self { distance: squared, ends }
    }
}

fn find_ends(maps: &DepthMaps<'_>, walls: &Walls, walk: &Walk) -> Vec<[f32; 4]> {
    let mut ends = vec![[1.0; 4]; maps.ground.len()];
    for z in 0..maps.window.depth {
        for x in 0..maps.window.width {
            for place in maps.places(x, z).filter(|&place| maps.has_ground(place)) {
                for direction in Direction::ALL {
                    if maps.links[place][direction.index()] != NO_SPAN {
                        continue;
                    }
                    let across = maps
                        .beside(x, z, direction)
                        .and_then(|(x, z)| maps.nearest(place, maps.places(x, z), walk));
                    ends[place][direction.index()] = walls.end(maps, place, direction, across);
                }
            }
        }
    }
    ends
}

/// The borders of all ground, piece by piece: every end of a place is joined to the next one around the corner.
fn for_each_segment(
    maps: &DepthMaps<'_>,
    ends: &[[f32; 4]],
    whole: GridWindow,
    mut each: impl FnMut(Segment),
) {
    let window = maps.window;
    // From the corner of a pixel that lies (x, z) pixels before.
    let point = |(x, z): (i32, i32), place: usize, direction: Direction| {
        let (dx, dz) = direction.offset();
        let end = ends[place][direction.index()];
        [x as f32 + 0.5 + dx as f32 * end, z as f32 + 0.5 + dz as f32 * end]
    };
    let is_linked = |place: usize, direction: Direction| maps.links[place][direction.index()] != NO_SPAN;
    for z in 0..window.depth {
        for x in 0..window.width {
            // What ends with the window goes on beyond, unless the grid ends there.
            let ends_here = |direction: Direction| {
                let (dx, dz) = direction.offset();
                let (gx, gz) = (x + window.x, z + window.z);
                let inside = |value: u32, step: i32, first: u32, end: u32| {
                    value.checked_add_signed(step).is_some_and(|next| next >= first && next < end)
                };
                inside(gx, dx, window.x, window.end_x()) && inside(gz, dz, window.z, window.end_z())
                    || !(inside(gx, dx, whole.x, whole.end_x()) && inside(gz, dz, whole.z, whole.end_z()))
            };
            for place in maps.places(x, z).filter(|&place| maps.has_ground(place)) {
                for direction in Direction::ALL.into_iter().filter(|&direction| ends_here(direction)) {
                    if is_linked(place, direction) {
                        continue;
                    }
                    let start = point((0, 0), place, direction);
                    let turn = direction.next();
                    let end = if !is_linked(place, turn) {
                        if ends_here(turn) { point((0, 0), place, turn) } else { start }
                    } else if let Some((bx, bz)) = maps.beside(x, z, turn) {
                        let beside = maps.links[place][turn.index()] as usize;
                        if !is_linked(beside, direction) {
                            point(turn.offset(), beside, direction)
                        } else if maps.beside(bx, bz, direction).is_some() {
                            let corner = maps.links[beside][direction.index()] as usize;
                            let back = turn.opposite();
                            let ((tx, tz), (ox, oz)) = (turn.offset(), direction.offset());
                            // Where a cliff ends the two sides are joined further on.
                            if is_linked(corner, back) {
                                start
                            } else {
                                point((tx + ox, tz + oz), corner, back)
                            }
                        } else {
                            start
                        }
                    } else {
                        start
                    };
                    let base = [i64::from(x), i64::from(z)];
                    each(Segment { base, ends: [start, end], ground: maps.ground[place] });
                }
            }
        }
    }
}

/// Presses segments into the distances around them.
struct Stamp<'a, 'b> {
    maps: &'a DepthMaps<'b>,
    squared: &'a mut [f32],
    reach: f32,
    near: f32,
}

impl Stamp<'_, '_> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "pixels of a window; the casts saturate"
    )]
    fn press(&mut self, segment: &Segment) {
        let [[ax, az], [bx, bz]] = segment.ends;
        let (dx, dz) = (bx - ax, bz - az);
        let length_squared = dx * dx + dz * dz;
        let inverse = if length_squared > 0.0 { length_squared.recip() } else { 0.0 };
        let reach = self.reach;
        let range = |base: i64, a: f32, b: f32, count: u32| {
            let low = base + (a.min(b) - reach - 0.5).ceil() as i64;
            let high = base + (a.max(b) + reach - 0.5).floor() as i64;
            low.max(0)..(high + 1).min(i64::from(count))
        };
        for z in range(segment.base[1], az, bz, self.maps.window.depth) {
            let pz = (z - segment.base[1]) as f32 + 0.5 - az;
            for x in range(segment.base[0], ax, bx, self.maps.window.width) {
                let px = (x - segment.base[0]) as f32 + 0.5 - ax;
                let along = ((px * dx + pz * dz) * inverse).clamp(0.0, 1.0);
                let (ex, ez) = (px - dx * along, pz - dz * along);
                let squared = ex * ex + ez * ez;
                for place in self.maps.places(x as u32, z as u32) {
                    // False where there is no ground.
                    if (self.maps.ground[place] - segment.ground).abs() <= self.near {
                        let known = &mut self.squared[place];
                        *known = known.min(squared);
                    }
                }
            }
        }
    }
}
