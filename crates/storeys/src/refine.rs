//! Refinement: the layers of a window, drawn finely, as far as the agent's centre may go.

use glam::Vec3;
use waymesh_core::{
    AreaId, Direction, FieldWindow, GridFrame, GridWindow, NO_SPAN, OPEN_SKY, SpanKey, WalkableField,
};

use crate::StoreysError;
use crate::clearance::{Clearance, halo_cells};
use crate::config::{Placement, StoreysConfig, Walk};
use crate::depth::{DepthMaps, NO_FLOOR, NOWHERE};
use crate::layers::Layers;
use crate::slim::floor_above;
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
    /// Where the agent's centre may be. A span's `floor` is the level above its ground, its `clearance` reaches to the next span above.
    pub part: FieldWindow,
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
        let field = WalkableField::empty(frame.window(window));
        return Ok(Refined { part: FieldWindow { frame: *frame, core, window, field }, ends: Vec::new() });
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
    Ok(carve(&maps, &clearance, &walk, frame, core, window))
}

/// The window's part of the maps, without what is too close to a wall.
fn carve(
    maps: &DepthMaps<'_>,
    clearance: &Clearance,
    walk: &Walk,
    frame: &GridFrame,
    core: GridWindow,
    window: GridWindow,
) -> Refined {
    let carver = Carver { maps, clearance, walk, dx: window.x - maps.window.x, dz: window.z - maps.window.z };
    let mut field = WalkableField::empty(frame.window(window));
    let mut spans = vec![NO_SPAN; maps.ground.len()];
    carver.push_spans(f64::from(frame.level_height).recip(), window, &mut field, &mut spans);
    let mut ends = Vec::new();
    carver.push_links(core, window, &mut field, &spans, &mut ends);
    Refined { part: FieldWindow { frame: *frame, core, window, field }, ends }
}

struct Carver<'a> {
    maps: &'a DepthMaps<'a>,
    clearance: &'a Clearance,
    walk: &'a Walk,
    dx: u32,
    dz: u32,
}

/// A part of a row of a sheet.
struct Drawn<'a> {
    /// Its first place.
    start: usize,
    grounds: &'a [f32],
    /// How far the places are from borders, if any is near.
    distances: Option<&'a [f32]>,
}

impl Carver<'_> {
    /// The spans of all columns, without links, and the span of each place.
    #[expect(clippy::cast_possible_truncation, reason = "spans of a window are counted in 32 bits")]
    fn push_spans(&self, per_level: f64, window: GridWindow, field: &mut WalkableField, spans: &mut [u32]) {
        let maps = self.maps;
        let least = self.walk.radius - 1e-5;
        let mut sheets: Vec<Drawn<'_>> = Vec::new();
        for z in 0..window.depth {
            let mut x = 0;
            while x < window.width {
                let (px, pz) = (x + self.dx, z + self.dz);
                let block = &maps.blocks[maps.block_of(px, pz)];
                let first_pixel = block.pixel(px, pz);
                let end = window.width.min(block.pixels.end_x() - self.dx);
                let count = (end - x) as usize;
                sheets.clear();
                for floor in (0..block.floors).filter(|&floor| !maps.ranges[block.number(floor)].is_empty()) {
                    let start = block.sheet(floor).start + first_pixel;
                    let distances =
                        self.clearance.distances.row(block.number(floor), first_pixel..first_pixel + count);
                    sheets.push(Drawn { start, grounds: &maps.ground[start..start + count], distances });
                }
                for (along, x) in (x..end).enumerate() {
                    let column = z * window.width + x;
                    let first = field.cells.len();
                    for sheet in &sheets {
                        let ground = sheet.grounds[along];
                        let is_near = sheet.distances.is_some_and(|distances| distances[along] < least);
                        if is_near || ground.is_nan() {
                            continue;
                        }
                        #[expect(
                            clippy::cast_possible_truncation,
                            reason = "single precision is what is kept"
                        )]
                        let ground = (f64::from(ground) * per_level) as f32;
                        let floor = floor_above(ground);
                        let span = field.cells.len();
                        if span > first {
                            let below = field.floor[span - 1];
                            if below >= floor {
                                // Levels higher than the agent: the upper one of two storeys is lost in one.
                                continue;
                            }
                            field.clearance[span - 1] = floor.abs_diff(below);
                        }
                        spans[sheet.start + along] = span as u32;
                        field.cells.push(column);
                        field.floor.push(floor);
                        field.ground.push(ground);
                        field.clearance.push(OPEN_SKY);
                    }
                    field.columns[column as usize + 1] = field.cells.len() as u32;
                }
                x = end;
            }
        }
        field.area.resize(field.cells.len(), AreaId::GROUND);
    }

    /// The links of all spans, in order, and where those of the core end.
    fn push_links(
        &self,
        core: GridWindow,
        window: GridWindow,
        field: &mut WalkableField,
        spans: &[u32],
        ends: &mut Vec<SpanEnds>,
    ) {
        let maps = self.maps;
        field.links.reserve_exact(field.cells.len());
        for z in 0..window.depth {
            let mut x = 0;
            while x < window.width {
                let first = (x + self.dx, z + self.dz);
                let block = &maps.blocks[maps.block_of(first.0, first.1)];
                let end = window.width.min(block.pixels.end_x() - self.dx);
                // Where a link leads there is a place; the others are not asked.
                let beside = |(x, z): (u32, u32), direction: Direction| {
                    maps.beside(x, z, direction).map_or(NOWHERE, |(x, z)| maps.places(x, z))
                };
                let behind = beside((end + self.dx - 1, first.1), Direction::PosX);
                let (before, below) = (beside(first, Direction::NegX), beside(first, Direction::PosZ));
                let above = beside(first, Direction::NegZ);
                let own = maps.places(first.0, first.1);
                for (along, x) in (0..).zip(x..end) {
                    if own.count == 0 {
                        break;
                    }
                    // In the order of directions; the blocks before and behind in z lie as this one does in x.
                    let around = [
                        if along == 0 { before } else { own.further(along - 1) },
                        below.further(along),
                        if x + 1 == end { behind } else { own.further(along + 1) },
                        above.further(along),
                    ];
                    let here = own.further(along);
                    for floor in 0..own.count {
                        let place = here.at(floor);
                        let span = spans[place];
                        if span == NO_SPAN {
                            continue;
                        }
                        let floors = maps.links[place];
                        let beyond = |direction: usize| {
                            let floor = floors[direction];
                            if floor == NO_FLOOR { NO_SPAN } else { spans[around[direction].at(floor)] }
                        };
                        let links = [beyond(0), beyond(1), beyond(2), beyond(3)];
                        field.links.push(links);
                        let (gx, gz) = (x + window.x, z + window.z);
                        if links.contains(&NO_SPAN) && core.contains(gx, gz) {
                            let pixel = (x + self.dx, z + self.dz);
                            let steps = self.steps_around(pixel, floor, &links);
                            let floor = field.floor[span as usize];
                            ends.push(SpanEnds { span: SpanKey { z: gz, x: gx, floor }, steps });
                        }
                    }
                }
                x = end;
            }
        }
    }

    /// How far the ground goes from a place in all directions without a link.
    fn steps_around(&self, pixel: (u32, u32), floor: u16, links: &[u32; 4]) -> [u8; 4] {
        Direction::ALL.map(|direction| {
            if links[direction.index()] == NO_SPAN { self.border_steps(pixel, floor, direction) } else { 0 }
        })
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
