//! A house of flats: a hall with stairs in the middle, a furnished flat on either side of every
//! storey, and either a flat roof with stairs to it or a steep roof.

use glam::Vec3;
use waymesh_core::Random;

use crate::builder::{Builder, cuts, level, real};
use crate::parts::furniture::{BATH, BED, DESK, DOUBLE_BED, KITCHEN, SOFA, TABLE, WARDROBE};
use crate::parts::railing::Railing;
use crate::parts::stairs::Flight;
use crate::parts::walls::{Axis, DOOR, Opening};

/// Depth of a house, from front to back.
pub(crate) const DEPTH: f32 = 12.4;
/// Height from one floor to the next.
pub(crate) const PITCH: f32 = 3.0;
const SLAB: f32 = 0.25;
const OUTER: f32 = 0.3;
const PARTITION: f32 = 0.12;
/// Clear width of the hall: two flights and the gap between them.
const HALL: f32 = 3.0;
const GAP: f32 = 0.2;
const LANDING: f32 = 1.36;
/// Half a storey: nine risers of 167 mm over treads of 280 mm.
const HALF: Flight =
    Flight { risers: 9, riser: PITCH / 18.0, tread: 0.28, width: (HALL - GAP) / 2.0, depth: 0.12 };
/// Start of the stairs along z. The landing ends at the back wall.
const STAIRS: f32 = DEPTH - OUTER - LANDING - 8.0 * 0.28;
const PARAPET: f32 = 0.9;
/// Clear height of the hut over the stairs, and the thickness of its roof.
const HUT: [f32; 2] = [2.35, 0.15];
/// Where the three rows of rooms of a flat end.
const ROWS: [f32; 2] = [OUTER + 4.9, OUTER + 8.3];

/// One house. Its front is at z = 0 and looks to -z, its floor is at y = 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct House {
    /// Width along x, 17 m to 20 m.
    pub(crate) width: f32,
    pub(crate) storeys: usize,
    /// A gable roof too steep to walk on instead of a flat one.
    pub(crate) steep_roof: bool,
    /// Depth of the base below the floor.
    pub(crate) base: f32,
    /// Adds a mast on the hut that reaches this height above the floor; 0 for none.
    pub(crate) mast: f32,
}

impl House {
    /// Positions of the inner faces of the hall's walls.
    fn hall(&self) -> [f32; 2] {
        [(self.width - HALL) / 2.0, (self.width + HALL) / 2.0]
    }

    pub(crate) fn build(&self, builder: &mut Builder, random: &mut Random) {
        // The base is built in layers, so that nowhere inside it is enough room to stand.
        for layer in cuts(-self.base, 0.0, 1.2).windows(2) {
            builder.block([0.0, self.width], [layer[0], layer[1]], [0.0, DEPTH]);
        }
        for storey in 0..self.storeys {
            builder.at(Vec3::Y * (PITCH * real(storey)), 0, |builder| self.storey(builder, storey, random));
        }
        let top = Vec3::Y * (PITCH * real(self.storeys));
        builder.at(top, 0, |builder| {
            if self.steep_roof {
                self.gable(builder);
            } else {
                self.roof(builder, random);
                if self.mast > 0.0 {
                    let foot = Vec3::new(self.width / 2.0, HUT[0] + HUT[1], STAIRS + 1.0);
                    builder.cylinder(foot, Vec3::new(foot.x, self.mast - top.y, foot.z), 0.05, 10);
                }
            }
        });
    }

    /// Builds the slab under a storey or a roof, with an opening over the stairs.
    fn slab(&self, builder: &mut Builder) {
        let [x0, x1] = self.hall();
        let zs = [0.0, STAIRS, DEPTH - OUTER, DEPTH];
        builder.plate(&[0.0, x0, x1, self.width], &zs, [-SLAB, 0.0], |i, j| (i, j) != (1, 1));
    }

    fn storey(&self, builder: &mut Builder, storey: usize, random: &mut Random) {
        let [x0, x1] = self.hall();
        if storey > 0 {
            self.slab(builder);
        }
        let y = [-0.02, PITCH - SLAB];
        let middle = self.width / 2.0;
        let front = if storey == 0 {
            // A canopy over the door.
            builder.block([middle - 0.9, middle + 0.9], [2.4, 2.5], [-0.9, 0.05]);
            Opening::Door { at: middle - DOOR[0] / 2.0, inward: true }
        } else {
            Opening::Window { at: middle - 0.7, width: 1.4, sill: 0.9, head: 2.3 }
        };
        builder.wall(Axis::X, [x0, x1], [0.0, OUTER], y, &[front]);
        builder.block([x0, x1], y, [DEPTH - OUTER, DEPTH]);
        // The right flat is entered through its living room, and the left flat, which is turned
        // around, through its last row of rooms.
        let entries = [OUTER + 1.5, OUTER + 3.0];
        let inside = [OUTER, DEPTH - OUTER];
        builder.wall(
            Axis::Z,
            inside,
            [x0 - PARTITION, x0],
            y,
            &[Opening::Door { at: entries[0], inward: false }],
        );
        builder.wall(
            Axis::Z,
            inside,
            [x1, x1 + PARTITION],
            y,
            &[Opening::Door { at: entries[1], inward: true }],
        );
        let span = self.width - x1 - PARTITION;
        builder.at(Vec3::new(x1 + PARTITION, 0.0, 0.0), 0, |builder| flat(builder, span, random));
        builder.at(Vec3::new(x0 - PARTITION, 0.0, DEPTH), 2, |builder| flat(builder, span, random));
        if storey + 1 < self.storeys || !self.steep_roof {
            builder.at(Vec3::new(x1, 0.0, STAIRS), 1, |builder| {
                builder.dogleg(&HALF, GAP, LANDING, 0.15, Some(&Railing::HOUSE));
            });
        } else if storey > 0 {
            self.guard(builder);
        }
    }

    /// Builds the railing at the top of the stairs, where no further flight starts.
    fn guard(&self, builder: &mut Builder) {
        let [_, x1] = self.hall();
        let z = STAIRS - 0.03;
        let end = x1 - HALF.width - GAP / 2.0;
        builder.level_railing(0.0, &[[x1 - 0.03, z], [end, z]], &Railing::HOUSE);
    }

    fn roof(&self, builder: &mut Builder, random: &mut Random) {
        self.slab(builder);
        self.guard(builder);
        let (width, wall) = (self.width, 0.2);
        for z in [[0.0, wall], [DEPTH - wall, DEPTH]] {
            builder.block([0.0, width], [-0.02, PARAPET], z);
        }
        for x in [[0.0, wall], [width - wall, width]] {
            builder.block(x, [-0.02, PARAPET], [wall, DEPTH - wall]);
        }
        let [x0, x1] = self.hall();
        let front = STAIRS - 1.6;
        let y = [-0.02, HUT[0]];
        let door = Opening::Door { at: x0 + 0.6, inward: false };
        builder.wall(Axis::X, [x0 - wall, x1 + wall], [front, front + wall], y, &[door]);
        for x in [x0 - wall, x1] {
            builder.block([x, x + wall], y, [front + wall, DEPTH - wall]);
        }
        builder.block([x0, x1], y, [DEPTH - OUTER, DEPTH - wall]);
        builder.block([x0 - wall, x1 + wall], [HUT[0], HUT[0] + HUT[1]], [front, DEPTH - wall]);
        for _ in 0..4 {
            let x = if random.chance(0.5) {
                random.range(1.0, x0 - 2.0)
            } else {
                random.range(x1 + 1.0, width - 2.0)
            };
            let z = random.range(1.0, DEPTH - 2.0);
            let height = random.range(0.6, 1.3);
            builder.block([x, x + 0.7], [-0.02, height], [z, z + 0.7]);
            builder.block([x - 0.05, x + 0.75], [height, height + 0.06], [z - 0.05, z + 0.75]);
        }
    }

    /// Builds a solid roof of 50 degrees. Its underside is the ceiling, so there is no room inside
    /// it.
    fn gable(&self, builder: &mut Builder) {
        const EAVES: f32 = 0.4;
        let half = DEPTH / 2.0;
        let ring = |z: [f32; 2], y: f32| level([-0.3, self.width + 0.3], z, y);
        let ridge = (half + EAVES) * 1.19 - SLAB;
        builder.hexahedron(ring([-EAVES, DEPTH + EAVES], -SLAB), ring([half - 0.05, half + 0.05], ridge));
        builder.block([self.width * 0.3, self.width * 0.3 + 0.6], [1.0, ridge + 0.9], [4.0, 4.6]);
    }
}

/// Builds a flat in its own frame: the hall's wall is at x = 0, the outer wall ends at x = `span`,
/// and z runs over the house's depth.
fn flat(builder: &mut Builder, span: f32, random: &mut Random) {
    let side = span - OUTER;
    let y = [-0.02, PITCH - SLAB];
    let middle = side * 0.5;
    let window = |at: f32, width: f32| Opening::Window { at: at - width / 2.0, width, sill: 0.9, head: 2.3 };
    let (first, second) = (ROWS[0], ROWS[1]);
    // Outer walls.
    let living = [window(side * 0.5, 3.2)];
    builder.wall(Axis::X, [0.0 - PARTITION, span], [0.0, OUTER], y, &living);
    let back = [window(middle * 0.5, 1.4), window(middle * 1.5, 0.8)];
    builder.wall(Axis::X, [0.0 - PARTITION, span], [DEPTH - OUTER, DEPTH], y, &back);
    let outer = [window(OUTER + 2.4, 1.6), window(first + 1.8, 1.2), window(second + 1.6, 0.8)];
    builder.wall(Axis::Z, [OUTER, DEPTH - OUTER], [side, span], y, &outer);
    // Inner walls.
    let (left, right) = (1.0, middle + PARTITION + 0.2);
    // The leaf beside the hall's second door opens away from it.
    for (row, inward) in [(first, true), (second, false)] {
        let doors = [Opening::Door { at: left, inward }, Opening::Door { at: right, inward: true }];
        builder.wall(Axis::X, [0.0, side], [row, row + PARTITION], y, &doors);
    }
    builder.block([middle, middle + PARTITION], y, [first + PARTITION, second]);
    builder.block([middle, middle + PARTITION], y, [second + PARTITION, DEPTH - OUTER]);

    let place = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    // Living room.
    builder.item(SOFA, place(side, OUTER + random.range(1.2, 2.2)), 1);
    builder.dining(place(side * 0.35 + random.range(0.0, 0.6), OUTER + random.range(1.3, 1.8)));
    // Kitchen.
    builder.item(KITCHEN, place(0.0, second - 0.3), 3);
    builder.item(TABLE, place(middle, first + random.range(1.3, 1.7)), 1);
    // The room beside it.
    builder.item(BED, place(side - 0.95, first + 1.3), 0);
    builder.item(DESK, place(side - 1.3, first + PARTITION + 0.05), 0);
    // Bedroom and bathroom.
    builder.item(DOUBLE_BED, place(middle - 0.1, DEPTH - OUTER), 2);
    builder.item(WARDROBE, place(middle, second + PARTITION + 0.05), 1);
    builder.item(BATH, place(right - 0.1 + 2.6, DEPTH - OUTER), 2);
}
