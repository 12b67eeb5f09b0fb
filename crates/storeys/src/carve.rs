//! Conversion of depth maps to spans: the ground far enough from walls, its links and its ends.

use waymesh_core::{
    Direction, FieldWindow, GridFrame, GridWindow, SlimSpans, SpanKey, checkpoint, nearest_f32, to_u32,
};

use crate::clearance::Clearance;
use crate::config::{HEIGHT_SLACK, NO_FLOOR, Walk};
use crate::depth::{ALL_SIDES, DepthMaps, NOWHERE, Places};

/// Steps per cell in which borders are given.
pub const BORDER_STEPS: u8 = 64;

/// The ends of the walkable ground around a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpanEnds {
    /// The span.
    pub span: SpanKey,
    /// Distance from the centre of the cell to the end of the ground, in steps of [`BORDER_STEPS`],
    /// by [`Direction::index`](waymesh_core::Direction::index); 0 where it does not end.
    pub steps: [u8; 4],
}

/// Fine ground of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Refined {
    /// The ground on which the agent's centre may be, without labels.
    pub ground: FieldWindow<SlimSpans>,
    /// The ends of the ground, for the spans in the core at which it ends, in order.
    pub ends: Vec<SpanEnds>,
}

/// A border keeps at least this many steps from the centres on both sides, so that borders cannot
/// touch where they turn.
const MARGIN_STEPS: u8 = 2;

/// Returns the part of the maps in the window, without the ground that is too close to a wall.
pub(crate) fn carve(
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
            areas: Vec::new(),
            near: levels(0.49 * (walk.height + HEIGHT_SLACK), per_level),
        },
        ends: Vec::new(),
        sheets: Vec::new(),
    };
    for z in 0..window.depth {
        checkpoint();
        let mut x = 0;
        while x < window.width {
            x = carver.push_row(x, z);
        }
    }
    let Carver { mut spans, ends, .. } = carver;
    spans.ground.shrink_to_fit();
    spans.links.shrink_to_fit();
    Refined { ground: FieldWindow { frame: *frame, core, window, field: spans }, ends }
}

/// Converts a height to levels.
#[inline]
fn levels(metres: f32, per_level: f64) -> f32 {
    nearest_f32(f64::from(metres) * per_level)
}

/// Removes ground that is too close to a border.
fn drop_near(maps: &mut DepthMaps<'_>, clearance: &Clearance, least: f32) {
    let DepthMaps { blocks, ground, ranges, .. } = maps;
    for block in blocks.iter() {
        checkpoint();
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

/// Removes the upper one of two places of a pixel within one level. It only happens if levels are
/// higher than the agent.
fn drop_merged(maps: &mut DepthMaps<'_>, per_level: f64) {
    let DepthMaps { blocks, ground, ranges, .. } = maps;
    for block in blocks.iter() {
        checkpoint();
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
                let level = SlimSpans::floor_above(levels(*place, per_level));
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
    /// Offset of the window in the maps.
    dx: u32,
    dz: u32,
    per_level: f64,
    spans: SlimSpans,
    ends: Vec<SpanEnds>,
    /// Floors of a block with ground, and for completely linked ones the sides that are linked as a
    /// whole. Reused for every row.
    sheets: Vec<(u16, Option<u8>)>,
}

impl Carver<'_> {
    /// Adds the spans of a row of the window from `first` on, within one block. Returns the end.
    fn push_row(&mut self, first: u32, z: u32) -> u32 {
        let (maps, per_level) = (self.maps, self.per_level);
        let (px, pz) = (first + self.dx, z + self.dz);
        let index = maps.block_of(px, pz);
        let block = &maps.blocks[index];
        let end = self.window.width.min(block.pixels.end_x() - self.dx);
        // The blocks above and below have the same range of x.
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
        // Directions in which the next pixel is in the same block, and in the window.
        let inner_z =
            bit(Direction::NegZ, pz > block.pixels.z) | bit(Direction::PosZ, pz + 1 < block.pixels.end_z());
        let inside_z = bit(Direction::NegZ, z > 0) | bit(Direction::PosZ, z + 1 < self.window.depth);
        self.sheets.clear();
        for floor in 0..block.floors {
            let range = maps.ranges[block.number(floor)];
            if !range.is_empty() {
                let sides = range.is_linked.then(|| maps.whole_sides(index, floor));
                self.sheets.push((floor, sides));
            }
        }
        for (along, x) in (first..end).enumerate() {
            let inner = inner_z | bit(Direction::NegX, x > first) | bit(Direction::PosX, x + 1 < end);
            let inside =
                inside_z | bit(Direction::NegX, x > 0) | bit(Direction::PosX, x + 1 < self.window.width);
            let around = [
                if x == first { before } else { own.further(along - 1) },
                below.further(along),
                if x + 1 == end { behind } else { own.further(along + 1) },
                above.further(along),
            ];
            for sheet in 0..self.sheets.len() {
                let (floor, sides) = self.sheets[sheet];
                let place = own.at(floor) + along;
                let ground = maps.ground[place];
                if ground.is_nan() {
                    continue;
                }
                let ground = levels(ground, per_level);
                let known = sides.map_or(0, |sides| (inner | sides) & inside);
                let links =
                    if known == ALL_SIDES { known } else { self.links(place, &around, ground, known) };
                if links != ALL_SIDES {
                    self.push_ends((x, z), floor, links, ground);
                }
                maps.area(place).push(&mut self.spans.areas, self.spans.ground.len());
                self.spans.ground.push(ground);
                self.spans.links.push(links);
            }
            self.spans.columns.push(to_u32(self.spans.ground.len()));
        }
        end
    }

    /// Returns the directions, as bits, in which the place of the next span is linked. `known` are
    /// those where this is known already.
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

    /// Records the floor that the next span is linked to, if it is not the nearest of the remaining
    /// floors there.
    fn push_odd(&mut self, places: Places, floor: u16, direction: Direction, ground: f32) {
        let is_left = |(_, place): &(u16, usize)| self.maps.has_ground(*place);
        let column: Vec<(u16, usize)> = places.floors().filter(is_left).collect();
        let heights: Vec<f32> =
            column.iter().map(|&(_, place)| levels(self.maps.ground[place], self.per_level)).collect();
        let place = column.iter().position(|&(other, _)| other == floor).unwrap_or(0);
        let own = *self.spans.columns.last().unwrap_or(&0) as usize;
        let span = self.spans.ground.len();
        if SlimSpans::nearest(&heights, ground, self.spans.near, span - own) != place {
            self.spans.odd.push((SlimSpans::link_key(to_u32(span), direction), to_u32(place)));
        }
    }

    /// Adds the ends of the ground of a place, if it lies in the core.
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
        self.ends
            .push(SpanEnds { span: SpanKey { z: gz, x: gx, floor: SlimSpans::floor_above(ground) }, steps });
    }

    /// Returns the distance that the ground extends from a place that is far enough from walls
    /// towards one that is not.
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
            // Only if the radius is less than a cell.
            let own = clearance.end(sheet, pixel, direction) - walk.radius;
            self.end_across((x, z), floor, direction).map_or(own, |theirs| shared_end(own, theirs, direction))
        };
        let steps = (end * f32::from(BORDER_STEPS)).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        let steps = steps as u8;
        steps.clamp(MARGIN_STEPS, BORDER_STEPS - MARGIN_STEPS)
    }

    /// Returns the end of the ground beyond a side without a link, in cells from the centre beyond,
    /// if there is ground within a step.
    fn end_across(&self, (x, z): (u32, u32), floor: u16, direction: Direction) -> Option<f32> {
        let Self { maps, clearance, walk, .. } = *self;
        let there = maps.beside(x, z, direction)?;
        let back = direction.opposite();
        let other = maps.nearest(maps.places(x, z).at(floor), there, walk)?;
        let place = maps.places(there.0, there.1).at(other);
        let is_mutual =
            maps.nearest(place, (x, z), walk) == Some(floor) && maps.links[place][back.index()] == NO_FLOOR;
        let block = &maps.blocks[maps.block_of(there.0, there.1)];
        let end = || clearance.end(block.number(other), block.pixel(there.0, there.1), back) - walk.radius;
        is_mutual.then(end)
    }
}

/// Returns the end of the ground of one of two places, which lack a link across a face without
/// thickness, in cells from its centre. Both get the same point: rounded apart, their borders would
/// overlap, and simplification would move them across each other.
fn shared_end(own: f32, theirs: f32, direction: Direction) -> f32 {
    // Ends are rounded to a 256th of a cell.
    const FACE_SLACK: f32 = 1.0 / 128.0;
    if own + theirs < 1.0 - FACE_SLACK {
        return own;
    }
    let steps = |end: f32| (end * f32::from(BORDER_STEPS)).round();
    if matches!(direction, Direction::PosX | Direction::PosZ) {
        steps((own + (1.0 - theirs)) / 2.0) / f32::from(BORDER_STEPS)
    } else {
        1.0 - steps((theirs + (1.0 - own)) / 2.0) / f32::from(BORDER_STEPS)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use waymesh_core::{Agent, GridScale, NO_SPAN, OPEN_SKY, Random, TriangleSoup, Validate, WalkableField};
    use waymesh_scenes::{Scene, SceneConfig};

    use super::*;
    use crate::clearance::Ends;
    use crate::{DepthJob, StoreysConfig, flood_layers, voxelize_roughly};

    /// Returns the reference result for [`carve`], computed slowly, place by place.
    fn slowly(
        maps: &DepthMaps<'_>,
        clearance: &Clearance,
        walk: &Walk,
        frame: &GridFrame,
        window: GridWindow,
    ) -> WalkableField {
        let per_level = f64::from(frame.level_height).recip();
        let (dx, dz) = (window.x - maps.window.x, window.z - maps.window.z);
        let mut field = WalkableField::empty(frame.window(window));
        let mut spans = vec![NO_SPAN; maps.ground.len()];
        let mut places = Vec::new();
        for (cell, (z, x)) in
            (0..window.depth).flat_map(|z| (0..window.width).map(move |x| (z, x))).enumerate()
        {
            let (x, z) = (x + dx, z + dz);
            let block = &maps.blocks[maps.block_of(x, z)];
            let first = field.span_columns.len();
            for (floor, place) in maps.places(x, z).floors() {
                let is_far =
                    clearance.distances.of(block.number(floor), block.pixel(x, z)) >= walk.radius - 1e-5;
                let ground = levels(maps.ground[place], per_level);
                if ground.is_nan() || !is_far {
                    continue;
                }
                let level = SlimSpans::floor_above(ground);
                if field.span_columns.len() > first {
                    let below = *field.floor.last().expect("one below");
                    if below >= level {
                        continue;
                    }
                    *field.clearance.last_mut().expect("one below") = level.abs_diff(below);
                }
                spans[place] = u32::try_from(field.span_columns.len()).expect("few");
                places.push((place, x, z));
                field.span_columns.push(u32::try_from(cell).expect("few"));
                field.floor.push(level);
                field.ground.push(ground);
                field.clearance.push(OPEN_SKY);
            }
            field.columns[cell + 1] = u32::try_from(field.span_columns.len()).expect("few");
        }
        for (place, x, z) in places {
            field.links.push(Direction::ALL.map(|direction| {
                maps.linked(place, (x, z), direction).map_or(NO_SPAN, |other| spans[other])
            }));
        }
        field.area.resize(field.span_columns.len(), waymesh_core::AreaId::GROUND);
        field
    }

    fn compare(soup: &TriangleSoup, config: &StoreysConfig, side: u32) {
        let bounds = soup.bounds();
        let frame = GridFrame::fit(&bounds, &config.scale).expect("a frame");
        let (voxels, _) =
            voxelize_roughly(soup, &frame, bounds.max.y - bounds.min.y, config).expect("rough voxels");
        let layers = flood_layers(&voxels, config).expect("layers");
        let walk = Walk::new(config);
        for z in (0..frame.depth).step_by(side as usize) {
            for x in (0..frame.width).step_by(side as usize) {
                let core = GridWindow::new(x, z, side, side).intersection(&GridWindow::whole(&frame));
                let window = core.grown(1, &frame);
                let job =
                    DepthJob::new(soup.finite_triangles(), &frame, core, &layers, config).expect("a job");
                let (maps, walls) = job.draw();
                let clearance = job.measure(&maps, Ends::find(&maps, &walls, &walk), &walls.posts);
                let slow = slowly(&maps, &clearance, &walk, &frame, window);
                let found = carve(maps, &clearance, &walk, &frame, core, window);
                // The tables for another device hold everything that the result needs.
                assert!(job.finish(job.tables()).expect("sound tables") == found, "in {core:?}");
                let part = found.ground.to_walkable();
                part.validate().unwrap_or_else(|violations| panic!("{violations}"));
                assert!(part.field == slow, "in {core:?}");
                let ends = found.ends.iter().map(|ends| ends.span);
                let open = (0_u32..).zip(&slow.links).filter(|(_, links)| links.contains(&NO_SPAN));
                assert!(ends.eq(
                    open.map(|(span, _)| span).filter(|&span| part.is_core(span)).map(|span| part.key(span))
                ));
            }
        }
    }

    #[test]
    fn carving_block_by_block_is_the_same_as_place_by_place() {
        for scene in [Scene::SpiralStairs, Scene::OverlappingStoreys, Scene::DungeonRooms] {
            let soup = scene.build(&SceneConfig::default());
            for radius in [0.0, 0.35] {
                let agent = Agent::default().with_radius(radius).with_max_step(0.3);
                let config = StoreysConfig::default().with_scale(GridScale::new(0.25, 0.1)).with_agent(agent);
                compare(&soup, &config, 61);
            }
        }
    }

    #[test]
    fn steep_links_and_storeys_within_a_level_are_carved_the_same() {
        let mut random = Random::new(7);
        for round in 0..40 {
            let mut soup = TriangleSoup::default();
            for _ in 0..30 {
                let [x, y, z] = [8.0, 6.0, 8.0].map(|most| random.range(0.0, most));
                let [wide, deep, tilt] = [4.0, 4.0, 0.6].map(|most| random.range(0.1, most));
                let corners = [(0.0, 0.0, 0.0), (0.0, 0.0, deep), (wide, tilt, deep), (wide, tilt, 0.0)];
                let corners = corners.map(|(dx, dy, dz)| Vec3::new(x + dx, y + dy, z + dz));
                soup.append(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).expect("four corners");
            }
            // Steps of more than half the agent's height, and levels higher than the agent.
            let agent = Agent::default().with_radius(0.2).with_height(0.5).with_max_step(0.4);
            let level = if round % 2 == 0 { 0.1 } else { 0.9 };
            let config = StoreysConfig::default().with_scale(GridScale::new(0.1, level)).with_agent(agent);
            compare(&soup, &config, 48);
        }
    }
}
