//! A town of square or oblong tiles. Each tile is a block of furnished houses, with half of the
//! streets around it.
//!
//! A tile depends only on the seed and its place, so that tiles can be made in any order, one at a
//! time.

use glam::Vec3;
use waymesh_core::{Random, nearest_f32};

use crate::builder::{Axis, Builder, cuts, level, real, rectangle, sin_cos, turned};
use crate::parts::{
    BED, BENCH, CAR, CHAIR, DESK, Flight, HOUSE_RAILING, KITCHEN, Opening, SOFA, TABLE, WARDROBE, door,
    window,
};

/// Half of a street's roadway, and the height of its kerb.
const ROAD: f32 = 5.0;
const KERB: f32 = 0.15;
/// Distance of the houses from the middle of the street.
const FRONT: f32 = ROAD + 7.5;
/// Least length of a plot.
const PLOT: f32 = 25.0;
/// Depth of a house, and from floor to floor.
const DEPTH: f32 = 12.4;
const PITCH: f32 = 3.0;
const SLAB: f32 = 0.25;
const OUTER: f32 = 0.3;
const PARTITION: f32 = 0.12;
/// Width of the hall in the middle of a house; gap and landing of its stairs.
const HALL: f32 = 3.0;
const GAP: f32 = 0.2;
const LANDING: f32 = 1.36;
const HALF: Flight = Flight { risers: 9, riser: PITCH / 18.0, tread: 0.28, width: (HALL - GAP) / 2.0 };
/// Start of the stairs in the hall.
const STAIRS: f32 = DEPTH - OUTER - LANDING - 8.0 * 0.28;
/// Lengths and heights of the waves of the hills.
const WAVES: [(f64, f64); 3] = [(1900.0, 12.0), (610.0, 4.0), (170.0, 0.7)];

/// A town: tiles along x and z at scale 1, and the size of a tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Town {
    tiles: [usize; 2],
    size: [f32; 2],
    hilly: bool,
    /// Side of a square of the ground.
    square: f32,
    /// Storeys of the houses of a tile; 0 is one storey below a steep roof.
    houses: &'static [usize],
    trees: usize,
    cars: usize,
    /// Height of the mast on the first tile's tallest house.
    mast: f32,
}

pub(crate) const BUILDINGS: Town = Town {
    tiles: [4, 5],
    size: [105.75, 109.8],
    hilly: false,
    square: 1.2,
    houses: &[2, 2, 4, 2, 3, 2],
    trees: 6,
    cars: 8,
    mast: 15.85,
};

pub(crate) const CITY: Town = Town {
    tiles: [1, 1],
    size: [125.0; 2],
    hilly: true,
    square: 1.0,
    houses: &[2, 0, 0, 3, 0, 2, 0, 0, 2, 0, 0, 2],
    trees: 22,
    cars: 12,
    mast: 0.0,
};

/// The ground of a tile.
struct Ground {
    town: Town,
    origin: [f32; 2],
    phases: [[f64; 2]; WAVES.len()],
}

impl Ground {
    /// Height of the roadway at a place of the tile.
    fn street(&self, x: f32, z: f32) -> f32 {
        if !self.town.hilly {
            return 0.0;
        }
        let place = [self.origin[0] + x, self.origin[1] + z];
        let waves = WAVES.into_iter().zip(self.phases).flat_map(|(wave, phase)| {
            [0, 1].map(|axis| (f64::from(place[axis]) / wave.0 + phase[axis], wave.1))
        });
        nearest_f32(waves.map(|(turns, height)| height * f64::from(sin_cos(turns).0)).sum())
    }

    fn pavement(&self, x: f32, z: f32) -> f32 {
        self.street(x, z) + KERB
    }

    fn build(&self, builder: &mut Builder) {
        let [xs, zs] = self.town.size.map(|side| {
            let stops = [0.0, ROAD, side - ROAD, side];
            let mut lines = vec![0.0];
            for pair in stops.windows(2) {
                lines.extend(cuts(pair[0], pair[1], self.town.square).into_iter().skip(1));
            }
            lines
        });
        let is_inner = |at: f32, side: f32| at > ROAD && at < side - ROAD;
        for x in xs.windows(2) {
            for z in zs.windows(2) {
                let inner = is_inner(f32::midpoint(x[0], x[1]), self.town.size[0])
                    && is_inner(f32::midpoint(z[0], z[1]), self.town.size[1]);
                let lift = if inner { KERB } else { 0.0 };
                builder.quad(rectangle([x[0], x[1]], [z[0], z[1]], |x, z| self.street(x, z) + lift));
            }
        }
        let mut stone = |x: [f32; 2], z: [f32; 2]| {
            let ring = |lift: f32| rectangle(x, z, |x, z| self.street(x, z) + lift);
            builder.hexahedron(ring(-0.1), ring(KERB + 0.005));
        };
        let [width, depth] = self.town.size;
        for pair in cuts(ROAD, width - ROAD, 1.5).windows(2) {
            stone([pair[0], pair[1]], [ROAD, ROAD + 0.2]);
            stone([pair[0], pair[1]], [depth - ROAD - 0.2, depth - ROAD]);
        }
        for pair in cuts(ROAD + 0.2, depth - ROAD - 0.2, 1.5).windows(2) {
            stone([ROAD, ROAD + 0.2], [pair[0], pair[1]]);
            stone([width - ROAD - 0.2, width - ROAD], [pair[0], pair[1]]);
        }
    }
}

impl Town {
    pub(crate) fn blocks(&self, scale: u32) -> usize {
        self.tiles[0] * self.tiles[1] * (scale * scale) as usize
    }

    pub(crate) fn block(&self, seed: u64, scale: u32, index: usize) -> Builder {
        let columns = self.tiles[0] * scale as usize;
        let [i, j] = [index % columns, index / columns];
        let mut random =
            Random::new(Random::mix(seed ^ Random::mix(((i as u64) << 32) | j as u64).wrapping_mul(3)));
        let origin = [real(i) * self.size[0], real(j) * self.size[1]];
        let mut hills = Random::new(Random::mix(seed ^ 0x7265_6c69_6566));
        let phases = WAVES.map(|_| [hills.unit_f64(), hills.unit_f64()]);
        let ground = Ground { town: *self, origin, phases };
        let mut builder = Builder::default();
        builder.at(Vec3::new(origin[0], 0.0, origin[1]), 0, |builder| {
            ground.build(builder);
            ground.street_furniture(builder, &mut random);
            ground.lots(builder, if index == 0 { self.mast } else { 0.0 }, &mut random);
        });
        builder
    }
}

impl Ground {
    /// Lamps, trees and cars along the streets, trees and benches in the courtyard.
    fn street_furniture(&self, builder: &mut Builder, random: &mut Random) {
        let [width, depth] = self.town.size;
        let on_pavement = |x: f32, z: f32| Vec3::new(x, self.pavement(x, z), z);
        for x in cuts(18.0, width - 18.0, 22.0) {
            for z in [ROAD + 0.6, depth - ROAD - 0.6] {
                let foot = on_pavement(x, z);
                builder.frustum(foot - Vec3::Y * 0.1, foot + Vec3::Y * 6.0, [0.11, 0.05], 10);
                builder.tree(on_pavement(x + 6.0, z), random.range(6.0, 10.0));
            }
        }
        // A car has a place of 6 m along each of the two long kerbs.
        let places = cuts(14.0, width - 20.0, 6.0);
        let order = random.permutation(places.len());
        for (index, &place) in order.iter().take(self.town.cars).enumerate() {
            let (x, z) = (places[place] + 1.0, if index % 2 == 0 { ROAD - 2.2 } else { depth - ROAD + 0.4 });
            builder.item(CAR, Vec3::new(x, self.street(x, z) - 0.1, z), 0);
        }
        let inset = FRONT + DEPTH + 5.0;
        for tree in 0..self.town.trees {
            let (x, z) = (random.range(inset, width - inset), random.range(inset, depth - inset));
            builder.tree(on_pavement(x, z), random.range(6.0, 10.0));
            if tree % 4 == 0 {
                builder.item(BENCH, on_pavement(x, z + 1.5), 0);
            }
        }
    }

    /// Houses around the tile, each on a base that levels the ground, with steps to its door.
    fn lots(&self, builder: &mut Builder, mut mast: f32, random: &mut Random) {
        let [width, depth] = self.town.size;
        let slots = |start: f32, end: f32| {
            let count = (1..32).take_while(|&count| PLOT * real(count) <= end - start).count();
            let length = (end - start) / real(count);
            (0..count).map(move |slot| (start + length * real(slot), length))
        };
        // Corner, turns and length.
        let mut plots: Vec<([f32; 2], u8, f32)> = Vec::new();
        for (x, length) in slots(FRONT, width - FRONT) {
            plots.push(([x, FRONT], 0, length));
            plots.push(([x + length, depth - FRONT], 2, length));
        }
        let ends = FRONT + DEPTH + 6.0;
        for (z, length) in slots(ends, depth - ends) {
            plots.push(([FRONT, z + length], 3, length));
            plots.push(([width - FRONT, z], 1, length));
        }
        let houses = self.town.houses;
        let tallest = houses.iter().max().copied().unwrap_or(0);
        for ((corner, turns, length), house) in plots.into_iter().zip(random.permutation(houses.len())) {
            let storeys = houses[house];
            let width = random.range(17.0, 20.0);
            let corner =
                Vec3::new(corner[0], 0.0, corner[1]) + turned(Vec3::X * ((length - width) / 2.0), turns);
            let level = |x: f32, z: f32| {
                let place = corner + turned(Vec3::new(x, 0.0, z), turns);
                self.pavement(place.x, place.z)
            };
            let heights = (0..30).map(|at| level(width * real(at % 6) / 5.0, DEPTH * real(at / 6) / 4.0));
            let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), y| (low.min(y), high.max(y)));
            let floor = high + 0.16;
            let house = House { width, storeys: storeys.max(1), is_steep: storeys == 0 };
            builder.at(Vec3::new(corner.x, floor, corner.z), turns, |builder| {
                // The base is built in layers, so that nowhere inside it is enough room to stand.
                for layer in cuts(low - floor - 0.3, 0.0, 1.2).windows(2) {
                    builder.block([0.0, width], [layer[0], layer[1]], [0.0, DEPTH]);
                }
                house.build(builder, random);
                if storeys == tallest && mast > 0.0 {
                    let foot = Vec3::new(width / 2.0, PITCH * real(storeys) + 2.4, STAIRS + 1.0);
                    builder.cylinder(foot, Vec3::new(foot.x, mast - floor, foot.z), 0.05, 10);
                    mast = 0.0;
                }
                // Steps from the door down to the street.
                let x = [width / 2.0 - 0.9, width / 2.0 + 0.9];
                for step in 0..40 {
                    let (z, top) = (-1.2 - 0.3 * real(step), -0.17 * real(step));
                    let foot = level(x[0], z).min(level(x[1], z)) - floor - 0.2;
                    builder.block(x, [foot.min(top - 0.1), top], [z, if step == 0 { 0.0 } else { z + 0.3 }]);
                    if level(width / 2.0, z) - floor > top - 0.19 {
                        break;
                    }
                }
            });
        }
    }
}

/// A house of flats: a hall with stairs in the middle, a furnished flat on either side of every
/// storey, and either a flat roof with stairs to it or a steep roof.
#[derive(Clone, Copy, Debug)]
struct House {
    width: f32,
    storeys: usize,
    is_steep: bool,
}

impl House {
    fn build(&self, builder: &mut Builder, random: &mut Random) {
        let width = self.width;
        let [x0, x1] = [(width - HALL) / 2.0, (width + HALL) / 2.0];
        let zs = [0.0, STAIRS, DEPTH - OUTER, DEPTH];
        for storey in 0..=self.storeys {
            let is_roof = storey == self.storeys;
            builder.at(Vec3::Y * (PITCH * real(storey)), 0, |builder| {
                if storey > 0 && !(is_roof && self.is_steep) {
                    builder.plate(&[0.0, x0, x1, width], &zs, [-SLAB, 0.0], |i, j| (i, j) != (1, 1));
                }
                if !is_roof {
                    self.storey(builder, storey, [x0, x1], random);
                } else if self.is_steep {
                    let ring = |z: [f32; 2], y: f32| level([-0.3, width + 0.3], z, y);
                    let half = DEPTH / 2.0;
                    builder
                        .hexahedron(ring([-0.4, DEPTH + 0.4], -SLAB), ring([half - 0.05, half + 0.05], 7.6));
                } else {
                    roof(builder, width, [x0, x1]);
                }
            });
        }
    }

    fn storey(&self, builder: &mut Builder, storey: usize, [x0, x1]: [f32; 2], random: &mut Random) {
        let y = [-0.02, PITCH - SLAB];
        let middle = self.width / 2.0;
        let front = if storey == 0 { door(middle - 0.475, y[0]) } else { window(middle, 1.4, y[0]) };
        builder.wall(Axis::X, [x0, x1], [0.0, OUTER], y, &[front]);
        builder.block([x0, x1], y, [DEPTH - OUTER, DEPTH]);
        let inside = [OUTER, DEPTH - OUTER];
        builder.wall(Axis::Z, inside, [x0 - PARTITION, x0], y, &[door(OUTER + 1.5, y[0])]);
        builder.wall(Axis::Z, inside, [x1, x1 + PARTITION], y, &[door(OUTER + 3.0, y[0])]);
        let span = self.width - x1 - PARTITION;
        // The right flat is entered through its living room, and the left flat, which is turned
        // around, through its last row of rooms.
        builder.at(Vec3::new(x1 + PARTITION, 0.0, 0.0), 0, |builder| flat(builder, span, random));
        builder.at(Vec3::new(x0 - PARTITION, 0.0, DEPTH), 2, |builder| flat(builder, span, random));
        if storey + 1 < self.storeys || !self.is_steep {
            builder.at(Vec3::new(x1, 0.0, STAIRS), 1, |builder| {
                builder.dogleg(&HALF, GAP, LANDING, HOUSE_RAILING);
            });
        }
    }
}

/// A parapet, a railing at the stairs, and a hut over them.
fn roof(builder: &mut Builder, width: f32, [x0, x1]: [f32; 2]) {
    let (wall, front) = (0.2, STAIRS - 1.6);
    for z in [[0.0, wall], [DEPTH - wall, DEPTH]] {
        builder.block([0.0, width], [-0.02, 0.9], z);
    }
    for x in [[0.0, wall], [width - wall, width]] {
        builder.block(x, [-0.02, 0.9], [wall, DEPTH - wall]);
    }
    let y = [-0.02, 2.35];
    builder.wall(Axis::X, [x0 - wall, x1 + wall], [front, front + wall], y, &[door(x0 + 0.6, y[0])]);
    for x in [x0 - wall, x1] {
        builder.block([x, x + wall], y, [front + wall, DEPTH - wall]);
    }
    builder.block([x0, x1], y, [DEPTH - OUTER, DEPTH - wall]);
    builder.block([x0 - wall, x1 + wall], [2.35, 2.5], [front, DEPTH - wall]);
    let end = x1 - HALF.width - GAP / 2.0;
    builder.level_railing(0.0, &[[x1 - 0.03, STAIRS - 0.03], [end, STAIRS - 0.03]], HOUSE_RAILING);
}

/// Three rows of rooms: the living room, kitchen and study, bedroom and bathroom.
fn flat(builder: &mut Builder, span: f32, random: &mut Random) {
    let side = span - OUTER;
    let (y, middle) = ([-0.02, PITCH - SLAB], side * 0.5);
    let [first, second] = [OUTER + 4.9, OUTER + 8.3];
    builder.wall(Axis::X, [-PARTITION, span], [0.0, OUTER], y, &[window(side * 0.5, 3.2, y[0])]);
    let back = [window(middle * 0.5, 1.4, y[0]), window(middle * 1.5, 0.8, y[0])];
    builder.wall(Axis::X, [-PARTITION, span], [DEPTH - OUTER, DEPTH], y, &back);
    let outer =
        [window(OUTER + 2.4, 1.6, y[0]), window(first + 1.8, 1.2, y[0]), window(second + 1.6, 0.8, y[0])];
    builder.wall(Axis::Z, [OUTER, DEPTH - OUTER], [side, span], y, &outer);
    let doors: [Opening; 2] = [door(1.0, y[0]), door(middle + PARTITION + 0.2, y[0])];
    for row in [first, second] {
        builder.wall(Axis::X, [0.0, side], [row, row + PARTITION], y, &doors);
    }
    for z in [[first + PARTITION, second], [second + PARTITION, DEPTH - OUTER]] {
        builder.block([middle, middle + PARTITION], y, z);
    }
    let (table, sofa) = (random.range(0.0, 0.6), random.range(1.2, 2.2));
    let items = [
        (SOFA, side, OUTER + sofa, 1),
        (TABLE, side * 0.35 + table, OUTER + 1.6, 0),
        (CHAIR, side * 0.35 + table + 0.2, OUTER + 1.2, 0),
        (CHAIR, side * 0.35 + table + 1.2, OUTER + 2.8, 2),
        (KITCHEN, 0.0, second - 0.3, 3),
        (BED, side - 0.95, first + 1.3, 0),
        (DESK, side - 1.3, first + PARTITION + 0.05, 0),
        (BED, middle - 0.1, DEPTH - OUTER, 2),
        (BED, middle - 1.05, DEPTH - OUTER, 2),
        (WARDROBE, middle, second + PARTITION + 0.05, 1),
    ];
    for (item, x, z, turns) in items {
        builder.item(item, Vec3::new(x, 0.0, z), turns);
    }
}
