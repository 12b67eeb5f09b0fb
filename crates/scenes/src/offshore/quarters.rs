//! Living quarters of three storeys on the upper deck, and the helideck above them.

use glam::Vec3;
use waymesh_core::Random;

use super::{SIZE, UPPER};
use crate::angles::sin_cos;
use crate::builder::{Builder, real};
use crate::parts::furniture::{BUNK, CHAIR, DESK, WARDROBE};
use crate::parts::railing::Railing;
use crate::parts::rooms::Corridor;
use crate::parts::stairs::Flight;
use crate::parts::walls::{Axis, DOOR, Opening};

const X: [f32; 2] = [8.0, 32.0];
const Z: [f32; 2] = [34.0, 49.0];
const STOREYS: usize = 3;
const PITCH: f32 = 3.0;
const SLAB: f32 = 0.15;
const WALL: f32 = 0.2;
const CABINS: Corridor =
    Corridor { rooms: 5, pitch: 4.0, depth: Z[1] - Z[0] - 2.0 * WALL, width: 2.0, height: PITCH - SLAB };
/// Flights inside and outside: half a storey, eight risers of 187.5 mm.
const HALF: Flight = Flight { risers: 8, riser: PITCH / 16.0, tread: 0.25, width: 1.1, depth: 0.1 };
const OUTSIDE: Flight = Flight { risers: 8, riser: PITCH / 16.0, tread: 0.253, width: 1.4, depth: 0.0 };
const GAP: f32 = 0.2;
const TURN: f32 = 1.1;
/// Start of the inner stairs, which run along +z.
const STAIRS: [f32; 2] = [X[1] - WALL - 0.3, 45.9];
/// Start of the outer stairs, which run along +x, and the range of their balconies.
const OUTER_STAIRS: [f32; 2] = [14.413, 30.8];
const BALCONY: [f32; 2] = [11.6, 14.413];
/// Height of the helideck, and the distance from its middle to each of its eight sides.
const HELIDECK: f32 = 38.2;
const APOTHEM: f32 = 11.0;

pub(super) fn build(builder: &mut Builder, random: &mut Random) {
    for storey in 0..=STOREYS {
        let y = UPPER + PITCH * real(storey);
        if storey > 0 {
            slab(builder, y, storey < STOREYS);
            balcony(builder, y, storey == STOREYS);
        }
        if storey < STOREYS {
            builder.at(Vec3::Y * y, 0, |builder| self::storey(builder, storey, random));
        }
    }
    roof(builder, UPPER + PITCH * real(STOREYS));
    helideck(builder);
}

/// Builds a floor over the whole plan. Inner floors have an opening over the stairs.
fn slab(builder: &mut Builder, y: f32, open: bool) {
    let run = HALF.run() + TURN;
    let width = 2.0 * HALF.width + GAP;
    let xs = [X[0], STAIRS[0] - width, STAIRS[0], X[1]];
    let zs = [Z[0], STAIRS[1], STAIRS[1] + run, Z[1]];
    builder.plate(&xs, &zs, [y - SLAB, y], |i, j| !open || (i, j) != (1, 1));
    if open {
        let (left, end) = (xs[1] - 0.05, zs[2] + 0.05);
        let mut path = [[left, zs[1]], [left, end], [xs[2], end]];
        if y > UPPER + PITCH * 1.5 {
            // On the last floor no further flight starts.
            path.reverse();
            let near = zs[1] - 0.05;
            builder.level_railing(y, &[[xs[2], near], [xs[2] - HALF.width, near]], &Railing::HOUSE);
        }
        builder.level_railing(y, &path, &Railing::HOUSE);
    }
}

fn storey(builder: &mut Builder, storey: usize, random: &mut Random) {
    let y = [-0.02, PITCH - SLAB];
    let windows = |from: f32, count: usize| -> Vec<Opening> {
        (0..count)
            .map(|room| Opening::Window {
                at: from + 4.0 * real(room) + 1.5,
                width: 1.2,
                sill: 1.0,
                head: 1.9,
            })
            .collect()
    };
    // The door to the outer stairs replaces the window of the second cabin.
    let mut front = windows(X[0] + WALL, 5);
    front[1] = Opening::Door { at: BALCONY[0] + 1.3, inward: true };
    builder.wall(Axis::X, X, [Z[0], Z[0] + WALL], y, &front);
    builder.wall(Axis::X, X, [Z[1] - WALL, Z[1]], y, &windows(X[0] + WALL, 5));
    let sides = [Z[0] + WALL, Z[1] - WALL];
    let middle = f32::midpoint(Z[0], Z[1]) - DOOR[0] / 2.0;
    let doors = if storey == 0 { vec![Opening::Door { at: middle, inward: false }] } else { Vec::new() };
    builder.wall(Axis::Z, sides, [X[0], X[0] + WALL], y, &doors);
    builder.wall(Axis::Z, sides, [X[1] - WALL, X[1]], y, &[]);
    builder.at(Vec3::new(X[0] + WALL, 0.0, Z[0] + WALL), 0, |builder| {
        builder.corridor(&CABINS, |builder, room| {
            // The cabin behind the outer door is free to walk through.
            let through = room == 2;
            let depth = CABINS.room_depth();
            let far = CABINS.room_width();
            if !through {
                builder.item(BUNK, Vec3::new(0.05, 0.0, 0.05), 0);
            }
            builder.item(BUNK, Vec3::new(far - 0.95, 0.0, 0.05), 0);
            builder.item(WARDROBE, Vec3::new(far, 0.0, random.range(2.3, 2.7)), 1);
            if !through {
                builder.item(DESK, Vec3::new(0.0, 0.0, random.range(3.7, 4.0)), 3);
                builder.item(CHAIR, Vec3::new(1.15, 0.0, 3.0), 1);
            }
            builder.block([far - 1.0, far], [2.0, 2.1], [depth - 0.5, depth]);
        });
    });
    if storey + 1 < STOREYS {
        builder.at(Vec3::new(STAIRS[0], 0.0, STAIRS[1]), 1, |builder| {
            builder.dogleg(&HALF, GAP, TURN, 0.2, Some(&Railing::HOUSE));
        });
    }
    builder.at(Vec3::new(OUTER_STAIRS[0], 0.0, OUTER_STAIRS[1]), 0, |builder| {
        builder.dogleg(&OUTSIDE, GAP, TURN, 0.06, Some(&Railing::STEEL));
        builder.outer_rails(&OUTSIDE, GAP, TURN, &Railing::STEEL);
    });
}

/// Builds a balcony from the outer stairs to the wall.
fn balcony(builder: &mut Builder, y: f32, last: bool) {
    let z = [OUTER_STAIRS[1] - 0.1, Z[0]];
    builder.block(BALCONY, [y - 0.1, y], z);
    let (west, east, near, far) = (BALCONY[0] + 0.05, BALCONY[1], z[0] + 0.05, z[1] - 0.05);
    builder.level_railing(y, &[[east, near], [west, near], [west, far]], &Railing::STEEL);
    // Beside the stairs' arrival, towards the wall.
    let arrival = OUTER_STAIRS[1] + 2.0 * OUTSIDE.width + GAP + 0.05;
    builder.level_railing(y, &[[east, arrival], [east, far]], &Railing::STEEL);
    if last {
        // Where the next flight would start.
        builder.level_railing(y, &[[east, near], [east, OUTER_STAIRS[1] + OUTSIDE.width]], &Railing::STEEL);
    }
    for x in [BALCONY[0] + 0.3, BALCONY[1] - 0.3] {
        builder.cylinder(Vec3::new(x, y - 1.2, z[1]), Vec3::new(x, y - 0.1, z[0] + 0.3), 0.05, 8);
    }
}

/// Builds the roof with railings, an opening to the balcony, and the flight to the helideck.
fn roof(builder: &mut Builder, y: f32) {
    let ([x0, x1], [z0, z1]) = ([X[0] + 0.05, X[1] - 0.05], [Z[0] + 0.05, Z[1] - 0.05]);
    let path = [[BALCONY[1], z0], [x1, z0], [x1, z1], [x0, z1], [x0, z0], [BALCONY[0], z0]];
    builder.level_railing(y, &path, &Railing::STEEL);
    let rise = HELIDECK - y;
    let flight = Flight { risers: 16, riser: rise / 16.0, tread: 0.263, width: 1.5, depth: 0.0 };
    let start = SIZE[0] - 2.0 * APOTHEM - flight.run();
    builder.at(Vec3::new(start, y, centre().z - 0.75), 0, |builder| {
        builder.flight(&flight);
        builder.stringers(&flight, 0.04);
        for z in [0.02, flight.width - 0.02] {
            builder.handrail(&flight, z, &Railing::STEEL);
        }
    });
    for x in [22.0, 27.0] {
        builder.block([x, x + 2.0], [y - 0.02, y + 1.4], [45.5, 47.5]);
        builder.cylinder(Vec3::new(x + 1.0, y + 1.4, 46.5), Vec3::new(x + 1.0, y + 1.7, 46.5), 0.7, 24);
    }
}

fn centre() -> Vec3 {
    Vec3::new(SIZE[0] - APOTHEM, HELIDECK, SIZE[1] - APOTHEM)
}

/// Builds the eight-sided helideck on raking legs, with lights along its edge, a net below it, and
/// its markings.
fn helideck(builder: &mut Builder) {
    let middle = centre();
    let corner = |index: u8, apothem: f32, y: f32| {
        let turns = (f64::from(index) + 0.5) / 8.0;
        let ((sine, cosine), (_, share)) = (sin_cos(turns), sin_cos(1.0 / 16.0));
        let radius = apothem / share;
        Vec3::new(middle.x + cosine * radius, y, middle.z + sine * radius)
    };
    let thick = 0.35;
    for index in 0..8_u8 {
        let (a, b) = (corner(index, APOTHEM, HELIDECK), corner(index + 1, APOTHEM, HELIDECK));
        let down = Vec3::Y * thick;
        // Pieces of the plate, which is closed as a whole.
        let [top, i, j] = [middle, a, b].map(|corner| builder.push(corner));
        builder.triangle([top, j, i]);
        let [bottom, k, l] = [middle - down, a - down, b - down].map(|corner| builder.push(corner));
        builder.triangle([bottom, k, l]);
        builder.quad([a, b, b - down, a - down]);
        // The frame of the net, just below the edge and inside the platform's plan.
        let inner = corner(index, APOTHEM - 0.6, HELIDECK - 0.5);
        builder.cylinder(inner, corner(index + 1, APOTHEM - 0.6, HELIDECK - 0.5), 0.06, 8);
        for light in 0..4_u8 {
            let at = a.lerp(b, (f32::from(light) + 0.5) / 4.0);
            let at = at.lerp(middle, 0.02);
            builder.cylinder(at, at + Vec3::Y * 0.12, 0.06, 10);
        }
    }
    // The letter H, 10 mm above the deck.
    let y = [HELIDECK - 0.01, HELIDECK + 0.01];
    for x in [-2.0, 1.6] {
        builder.block([middle.x + x, middle.x + x + 0.4], y, [middle.z - 2.0, middle.z + 2.0]);
    }
    builder.block([middle.x - 1.6, middle.x + 1.6], y, [middle.z - 0.2, middle.z + 0.2]);
    // Legs from the roof, and raking ones from its edge to where the deck stands out.
    let roof = UPPER + PITCH * real(STOREYS);
    for x in [20.0, 25.0, 31.0] {
        for z in [36.0, 41.5, 47.5] {
            builder.cylinder(Vec3::new(x, roof, z), Vec3::new(x, HELIDECK - thick, z), 0.2, 16);
            if x > 30.0 {
                builder.cylinder(Vec3::new(x, roof, z), Vec3::new(x + 6.0, HELIDECK - thick, z), 0.18, 16);
            }
        }
    }
}
