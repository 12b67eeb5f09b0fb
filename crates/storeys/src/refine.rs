//! Refinement: the layers of a window, drawn finely, as far as the agent's centre may go.

use glam::Vec3;
use waymesh_core::{Direction, GridFrame, GridWindow, SpanKey};

use crate::StoreysError;
use crate::clearance::{Clearance, halo_cells};
use crate::config::{HEIGHT_SLACK, Placement, StoreysConfig, Walk};
use crate::depth::{DepthMaps, NO_FLOOR, NOWHERE, Places, Range};
use crate::layers::Layers;
use crate::slim::{SlimSpans, SlimWindow, floor_above, key, nearest};
use crate::walls::Walls;

/// Steps of a cell in which borders are told.
pub const BORDER_STEPS: u8 = 64;
/// A border is at least so many steps from the centres on both sides, so that borders cannot touch where they have to turn.
const MARGIN_STEPS: u8 = 2;

/// Where the walkable ground ends around a span, in steps of [`BORDER_STEPS`] from the centre of its cell, by [`Direction::index`]; 0 where it
/// does not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpanEnds {
    /// Which span.
    pub span: SpanKey,
    /// How far the ground goes.
    pub steps: [u8; 4],
}

/// Fine ground of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Refined {
    /// Where the agent's centre may be, without labels.
    pub ground: SlimWindow,
    /// Where the ground ends, of the spans in the core that do end, in order.
    pub ends: Vec<SpanEnds>,
}

/// Cells around its core that a window has to be drawn with: triangles that reach so far into it have to be given to [`refine_window`].
#[must_use]
pub fn refine_halo(config: &StoreysConfig) -> u32 {
    halo_cells(&Walk::new(config)) + 1
}

/// Draws the layers over the columns of `core`.
///
/// 1. The depth maps: of all walkable triangles below the cutting shape of a layer, the highest at the centre of each pixel.
/// 2. Cracks of a pixel are closed. Ground without head room goes.
/// 3. Walls: every triangle again, cut by the lines through the centres of pixels. What lies between a step and the agent's height above
///    the ground stands in the way, and how far from the centre is kept. Faces that lines miss are kept as posts.
/// 4. Where the ground ends between two centres is known from there, and so is the distance of every centre to the nearest end.
/// 5. Ground nearer than the agent's radius goes, and its end is where the distance, taken as linear between two centres, is the radius.
///
/// # Guarantees
/// - A column's spans and ends do not depend on `core` or on the order of the triangles.
/// - Along a straight wall or drop the ends of the ground are exact to two steps ([`BORDER_STEPS`]): a border keeps so far from the centres of cells.
///
/// # Cost
/// Linear in the pixels under the triangles, four looks each, and in the length of all borders times the square of the radius, in pixels.
///
/// # Errors
/// For a bad configuration.
///
/// # References
/// Oliva 2012, section 6.2.3, where pixels are taken or left as a whole, and the agent has no radius.
pub fn refine_window(
    triangles: impl Iterator<Item = [Vec3; 3]>,
    frame: &GridFrame,
    core: GridWindow,
    layers: &Layers,
    config: &StoreysConfig,
) -> Result<Refined, StoreysError> {
    config.validate()?;
    let walk = Walk::new(config);
    let whole = GridWindow::whole(frame);
    let core = core.intersection(&whole);
    let window = core.grown(1, frame);
    let drawn = window.grown(halo_cells(&walk), frame);
    let mut maps = DepthMaps::empty(layers, drawn)?;
    if maps.ground.is_empty() {
        return Ok(carve(maps, &Clearance::default(), &walk, frame, core, window));
    }
    let placement = Placement::new(frame, &walk);
    let triangles: Vec<_> = triangles.filter_map(|corners| placement.triangle(corners)).collect();
    let walkable = || triangles.iter().filter(|(_, walkable)| *walkable).map(|(corners, _)| corners);
    walkable().for_each(|corners| maps.draw(corners));
    maps.survey();
    maps.close_cracks(&walk);
    maps.drop_covered(&walk);
    let mut walls = Walls::new(&maps);
    for (corners, walkable) in &triangles {
        walls.draw(&maps, &walk, corners, *walkable);
    }
    walls.finish();
    maps.link(&walk);
    walls.cut(&mut maps);
    walls.draw_ends(&maps, &walk, walkable());
    drop(triangles);
    let clearance = Clearance::measure(&maps, &walls, &walk, whole, window);
    drop(walls);
    Ok(carve(maps, &clearance, &walk, frame, core, window))
}

/// The window's part of the maps, without what is too close to a wall.
fn carve(
    mut maps: DepthMaps<'_>,
    clearance: &Clearance,
    walk: &Walk,
    frame: &GridFrame,
    core: GridWindow,
    window: GridWindow,
) -> Refined {
    let per_level = f64::from(frame.level_height).recip();
    drop_near(&mut maps, clearance, walk.radius - 1e-5);
    drop_merged(&mut maps, per_level);
    let places = maps.ground.len();
    let mut columns = Vec::with_capacity(window.width as usize * window.depth as usize + 1);
    columns.push(0);
    let mut carver = Carver {
        maps: &maps,
        clearance,
        walk,
        core,
        window,
        dx: window.x - maps.window.x,
        dz: window.z - maps.window.z,
        per_level,
        spans: SlimSpans {
            width: window.width,
            columns,
            ground: Vec::with_capacity(places),
            links: Vec::with_capacity(places),
            odd: Vec::new(),
            near: levels(0.49 * (walk.height + HEIGHT_SLACK), per_level),
        },
        ends: Vec::new(),
        sheets: Vec::new(),
    };
    for z in 0..window.depth {
        let mut x = 0;
        while x < window.width {
            x = carver.push_row(x, z);
        }
    }
    let Carver { mut spans, ends, .. } = carver;
    spans.ground.shrink_to_fit();
    spans.links.shrink_to_fit();
    Refined { ground: SlimWindow { frame: *frame, core, window, spans, labels: Vec::new() }, ends }
}

/// A height in levels.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "single precision is what is kept")]
fn levels(metres: f32, per_level: f64) -> f32 {
    (f64::from(metres) * per_level) as f32
}

/// Takes away ground too close to a border.
fn drop_near(maps: &mut DepthMaps<'_>, clearance: &Clearance, least: f32) {
    let DepthMaps { blocks, ground, ranges, .. } = maps;
    for block in blocks.iter() {
        for floor in 0..block.floors {
            let sheet = block.number(floor);
            let Some(distances) = clearance.distances.row(sheet, 0..block.area()) else { continue };
            let mut any = false;
            for (ground, &distance) in ground[block.sheet(floor)].iter_mut().zip(distances) {
                any |= distance < least;
                *ground = if distance < least { f32::NAN } else { *ground };
            }
            ranges[sheet].is_linked &= !any;
        }
    }
}

/// Levels higher than the agent: the upper one of two storeys is lost in one.
fn drop_merged(maps: &mut DepthMaps<'_>, per_level: f64) {
    let DepthMaps { blocks, ground, ranges, .. } = maps;
    for block in blocks.iter() {
        let mut below = f32::NEG_INFINITY;
        let is_apart = (0..block.floors).all(|floor| {
            let range = ranges[block.number(floor)];
            let is_apart = f64::from(range.low - below) * per_level > 2.0;
            below = below.max(range.high);
            is_apart
        });
        if is_apart {
            continue;
        }
        for pixel in 0..block.area() {
            let mut below = i32::MIN;
            for floor in 0..block.floors {
                let place = &mut ground[block.sheet(floor).start + pixel];
                let level = floor_above(levels(*place, per_level));
                if place.is_nan() {
                    continue;
                }
                if below >= level {
                    *place = f32::NAN;
                    ranges[block.number(floor)].is_linked = false;
                }
                below = below.max(level);
            }
        }
    }
}

struct Carver<'a> {
    maps: &'a DepthMaps<'a>,
    clearance: &'a Clearance,
    walk: &'a Walk,
    core: GridWindow,
    window: GridWindow,
    /// Where the window lies in the maps.
    dx: u32,
    dz: u32,
    per_level: f64,
    spans: SlimSpans,
    ends: Vec<SpanEnds>,
    /// Floors of a block with ground. Used again for every row.
    sheets: Vec<(u16, Range)>,
}

const ALL_LINKS: u8 = 0b1111;

impl Carver<'_> {
    /// Keeps the spans of a row of the window from `x` on, as far as one block goes; gives where that is.
    #[expect(clippy::cast_possible_truncation, reason = "spans of a window are counted in 32 bits")]
    fn push_row(&mut self, first: u32, z: u32) -> u32 {
        let (maps, per_level) = (self.maps, self.per_level);
        let (px, pz) = (first + self.dx, z + self.dz);
        let block = &maps.blocks[maps.block_of(px, pz)];
        let end = self.window.width.min(block.pixels.end_x() - self.dx);
        // The blocks above and below lie in x as this one does.
        let beside = |x: u32, direction: Direction| {
            let (dx, dz) = direction.offset();
            let (x, z) = (x.wrapping_add_signed(dx), z.wrapping_add_signed(dz));
            let is_inside = x < self.window.width && z < self.window.depth;
            if is_inside { maps.places(x + self.dx, z + self.dz) } else { NOWHERE }
        };
        let own = maps.places(px, pz);
        let (above, below) = (beside(first, Direction::NegZ), beside(first, Direction::PosZ));
        let (before, behind) = (beside(first, Direction::NegX), beside(end - 1, Direction::PosX));
        let bit = |direction: Direction, is_inside: bool| u8::from(is_inside) << direction.index();
        // Directions that lead to the same block and window.
        let inside_z = bit(Direction::NegZ, above.count > 0 && pz > block.pixels.z)
            | bit(Direction::PosZ, below.count > 0 && pz + 1 < block.pixels.end_z());
        self.sheets.clear();
        self.sheets.extend((0..block.floors).map(|floor| (floor, maps.ranges[block.number(floor)])));
        self.sheets.retain(|(_, range)| !range.is_empty());
        for (along, x) in (first..end).enumerate() {
            let inside = inside_z | bit(Direction::NegX, x > first) | bit(Direction::PosX, x + 1 < end);
            let around = [
                if x == first { before } else { own.further(along - 1) },
                below.further(along),
                if x + 1 == end { behind } else { own.further(along + 1) },
                above.further(along),
            ];
            for sheet in 0..self.sheets.len() {
                let (floor, range) = self.sheets[sheet];
                let place = own.at(floor) + along;
                let ground = maps.ground[place];
                if ground.is_nan() {
                    continue;
                }
                let ground = levels(ground, per_level);
                let known = if range.is_linked { inside } else { 0 };
                let links =
                    if known == ALL_LINKS { known } else { self.links(place, &around, ground, known) };
                if links != ALL_LINKS {
                    self.push_ends((x, z), floor, links, ground);
                }
                self.spans.ground.push(ground);
                self.spans.links.push(links);
            }
            self.spans.columns.push(self.spans.ground.len() as u32);
        }
        end
    }

    /// In which directions a place is linked, of the next span, beside those where it is known to be.
    #[inline]
    fn links(&mut self, place: usize, around: &[Places; 4], ground: f32, known: u8) -> u8 {
        let maps = self.maps;
        let floors = maps.links[place];
        let mut links = known;
        for direction in Direction::ALL {
            let (floor, places) = (floors[direction.index()], around[direction.index()]);
            if known >> direction.index() & 1 == 1 || floor == NO_FLOOR || places.count == 0 {
                continue;
            }
            let other = maps.ground[places.at(floor)];
            if other.is_nan() {
                continue;
            }
            links |= 1 << direction.index();
            let is_near = (levels(other, self.per_level) - ground).abs() <= self.spans.near;
            if !is_near && matches!(direction, Direction::PosX | Direction::PosZ) {
                self.push_odd(places, floor, direction, ground);
            }
        }
        links
    }

    /// Notes that the next span links to a floor of the places beside it, if that is not the nearest of what is left there.
    #[expect(clippy::cast_possible_truncation, reason = "spans of a window are counted in 32 bits")]
    fn push_odd(&mut self, places: Places, floor: u16, direction: Direction, ground: f32) {
        let is_left = |(_, place): &(u16, usize)| self.maps.has_ground(*place);
        let column: Vec<(u16, usize)> = places.floors().filter(is_left).collect();
        let heights: Vec<f32> =
            column.iter().map(|&(_, place)| levels(self.maps.ground[place], self.per_level)).collect();
        let place = column.iter().position(|&(other, _)| other == floor).unwrap_or(0);
        let own = *self.spans.columns.last().unwrap_or(&0) as usize;
        let span = self.spans.ground.len();
        if nearest(&heights, ground, self.spans.near, span - own) != place {
            self.spans.odd.push((key(span as u32, direction), place as u32));
        }
    }

    /// Notes where the ground of a place in the core ends.
    fn push_ends(&mut self, (x, z): (u32, u32), floor: u16, links: u8, ground: f32) {
        let (gx, gz) = (x + self.window.x, z + self.window.z);
        if !self.core.contains(gx, gz) {
            return;
        }
        let pixel = (x + self.dx, z + self.dz);
        let steps = Direction::ALL.map(|direction| {
            let is_linked = links >> direction.index() & 1 == 1;
            if is_linked { 0 } else { self.border_steps(pixel, floor, direction) }
        });
        self.ends.push(SpanEnds { span: SpanKey { z: gz, x: gx, floor: floor_above(ground) }, steps });
    }

    /// How far the ground goes from a place that is far enough from walls towards one that is not.
    fn border_steps(&self, (x, z): (u32, u32), floor: u16, direction: Direction) -> u8 {
        let Self { maps, clearance, walk, .. } = *self;
        let at = |x: u32, z: u32, floor: u16| {
            let block = &maps.blocks[maps.block_of(x, z)];
            (block.number(floor), block.pixel(x, z))
        };
        let (sheet, pixel) = at(x, z, floor);
        let own = clearance.distances.of(sheet, pixel) - walk.radius;
        let link = maps.links[maps.places(x, z).at(floor)][direction.index()];
        let beyond = maps.beside(x, z, direction).filter(|_| link != NO_FLOOR);
        let end = if let Some((x, z)) = beyond {
            let (sheet, pixel) = at(x, z, link);
            let theirs = clearance.distances.of(sheet, pixel) - walk.radius;
            if own - theirs > 0.0 { own / (own - theirs) } else { 0.0 }
        } else {
            // Only where the radius is less than a cell.
            clearance.end(sheet, pixel, direction) - walk.radius
        };
        let steps = (end * f32::from(BORDER_STEPS)).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        let steps = steps as u8;
        steps.clamp(MARGIN_STEPS, BORDER_STEPS - MARGIN_STEPS)
    }
}
