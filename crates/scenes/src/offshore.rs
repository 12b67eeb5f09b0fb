//! An offshore platform: a jacket in the sea, three decks with plant, living quarters, a helideck,
//! a crane.

use glam::Vec3;
use waymesh_core::Random;

use crate::builder::{Builder, cuts, real};
use crate::parts::{Axis, BED, DESK, Flight, Opening, STEEL_RAILING, WARDROBE, door, window};

/// Extents along x, z and y.
const SIZE: [f32; 3] = [40.0, 52.0, 48.0];
/// Distance from one platform to the next.
pub(crate) const SPACING: [f32; 2] = [70.0, 80.0];
const CELLAR: f32 = 14.0;
const MAIN: f32 = 20.0;
const UPPER: f32 = 26.0;
/// Plans of the decks; the upper one is shorter.
const DECK: [[f32; 2]; 2] = [[2.0, 38.0], [2.0, 50.0]];
const UPPER_START: f32 = 14.0;
const PLATE: f32 = 0.08;
/// Half a flight between two decks.
const HALF: Flight = Flight { risers: 15, riser: 0.2, tread: 0.253, width: 1.5 };
const GAP: f32 = 0.2;
const TURN: f32 = 1.2;
/// Plans of the stair towers: between all decks, and from the boat landing up.
const TOWERS: [([[f32; 2]; 2], &[f32]); 3] = [
    ([[6.0, 10.742], [24.0, 27.2]], &[CELLAR, MAIN]),
    ([[28.0, 32.742], [27.2, 30.4]], &[CELLAR, MAIN]),
    ([[6.0, 10.742], [30.0, 33.2]], &[2.0, 8.0]),
];
/// Living quarters: plan, storeys and their height.
const QUARTERS: [[f32; 2]; 2] = [[8.0, 32.0], [34.0, 49.0]];
const STOREYS: usize = 3;
const PITCH: f32 = 3.0;
const STAIRS: Flight = Flight { risers: 8, riser: PITCH / 16.0, tread: 0.25, width: 1.1 };
const HELIDECK: f32 = 38.2;
/// Radius of the helideck's inner circle.
const APOTHEM: f32 = 11.0;

pub(crate) fn build(builder: &mut Builder, random: &mut Random) {
    jacket(builder);
    decks(builder);
    plant(builder, random);
    quarters(builder, random);
    crane(builder, random.range(-3.0, 3.0));
}

/// Legs that lean inwards, with braces; columns through the decks; conductors; the boat landing.
fn jacket(builder: &mut Builder) {
    let leg = |index: usize, y: f32| {
        let lean = 4.1 * (y / CELLAR).min(1.0);
        let (x, z) = [(0.9_f32, 0.9_f32), (0.9, 51.1), (39.1, 51.1), (39.1, 0.9)][index % 4];
        Vec3::new(x + lean * (20.0 - x).signum(), y, z + lean * (26.0 - z).signum())
    };
    for index in 0..4 {
        builder.cylinder(leg(index, 0.0), leg(index, 0.0) + Vec3::Y * 1.2, 0.9, 28);
        builder.cylinder(leg(index, 1.0), leg(index, CELLAR - 0.1), 0.75, 28);
        for levels in [1.6, 7.2, 13.0].windows(2) {
            builder.cylinder(leg(index, levels[1]), leg(index + 1, levels[1]), 0.3, 16);
            builder.cylinder(leg(index, levels[0]), leg(index + 1, levels[1]), 0.25, 16);
            builder.cylinder(leg(index + 1, levels[0]), leg(index, levels[1]), 0.25, 16);
        }
    }
    for (x, z) in [5.0, 20.0, 35.0].into_iter().flat_map(|x| [6.0, 20.0, 46.0].map(|z| (x, z))) {
        let top = if z > UPPER_START { UPPER } else { MAIN };
        builder.cylinder(Vec3::new(x, CELLAR - 0.5, z), Vec3::new(x, top - 0.05, z), 0.35, 20);
    }
    for (row, column) in (0..3).flat_map(|row| (0..5).map(move |column| (real(row), real(column)))) {
        let foot = Vec3::new(15.0 + column * 2.2, 0.0, 7.0 + row * 2.2);
        builder.cylinder(foot, foot + Vec3::Y * (CELLAR + 1.8), 0.25, 12);
    }
    let landings = [(2.0, [[3.4, 14.0], [20.0, 34.0]]), (8.0, [[3.6, 6.0], [29.9, 33.3]])];
    for (y, plan) in landings {
        builder.open_plate(plan, [y - PLATE, y], &[], 1.5);
    }
}

/// Plates with beams below, railings, and the stair towers.
fn decks(builder: &mut Builder) {
    for (y, start) in [(CELLAR, DECK[1][0]), (MAIN, DECK[1][0]), (UPPER, UPPER_START)] {
        let (x, z) = (DECK[0], [start, DECK[1][1]]);
        let reaches = |levels: &[f32]| levels.iter().any(|foot| (foot + 6.0 - y).abs() < 0.1);
        let open: Vec<[[f32; 2]; 2]> =
            TOWERS.into_iter().filter(|(_, levels)| reaches(levels)).map(|(plan, _)| plan).collect();
        builder.open_plate([x, z], [y - PLATE, y], &open, 0.71);
        for (at, is_along_x) in cuts(z[0] + 0.1, z[1] - 0.1, 1.6)
            .into_iter()
            .map(|at| (at, true))
            .chain(cuts(x[0] + 0.1, x[1] - 0.1, 4.8).into_iter().map(|at| (at, false)))
        {
            let is_free = open.iter().all(|plan| {
                let range = plan[usize::from(is_along_x)];
                at < range[0] - 0.1 || at > range[1] + 0.1
            });
            let side = [at - 0.05, at + 0.05];
            let (bx, bz) = if is_along_x { (x, side) } else { (side, z) };
            if is_free {
                builder.block(bx, [y - PLATE - 0.3, y - PLATE], bz);
            }
        }
        let ring = [[x[0], z[0]], [x[0], z[1]], [x[1], z[1]], [x[1], z[0]], [x[0], z[0]]];
        builder.level_railing(
            y,
            &ring.map(|[x, z]| [x.clamp(2.05, 37.95), z.clamp(z - 0.05, 49.95)]),
            STEEL_RAILING,
        );
        for [x, z] in open {
            // On the side where no flight begins or ends, and around the end.
            builder.level_railing(
                y,
                &[
                    [x[0], z[0] - 0.05],
                    [x[1] + 0.05, z[0] - 0.05],
                    [x[1] + 0.05, z[1] + 0.05],
                    [x[0], z[1] + 0.05],
                ],
                STEEL_RAILING,
            );
        }
    }
    for ([x, z], levels) in TOWERS {
        for &y in levels {
            builder
                .at(Vec3::new(x[0], y, z[0]), 0, |builder| builder.dogleg(&HALF, GAP, TURN, STEEL_RAILING));
        }
    }
}

/// Pipe racks, vessels, tanks, pumps and containers.
fn plant(builder: &mut Builder, random: &mut Random) {
    for (y, levels) in [(MAIN, [2.9, 4.1]), (CELLAR, [3.2, 4.4])] {
        for z in cuts(5.0, 47.0, 6.0) {
            for x in [20.5, 26.5] {
                builder.block([x, x + 0.2], [y - 0.01, y + levels[1] + 0.2], [z, z + 0.2]);
            }
            for level in levels {
                builder.block([20.2, 27.0], [y + level - 0.25, y + level], [z, z + 0.16]);
            }
        }
        for (level, lane) in levels.into_iter().flat_map(|level| (0..6).map(move |lane| (level, lane))) {
            let radius = 0.08 + 0.02 * real(lane);
            let at = |z: f32| Vec3::new(21.1 + 0.95 * real(lane), y + level + radius, z);
            let ends = [5.0 + random.range(0.3, 1.0), 47.0 - random.range(0.3, 1.0)];
            for pair in cuts(ends[0], ends[1], 4.0).windows(2) {
                builder.cylinder(at(pair[0]), at(pair[1]), radius, 18);
                builder.cylinder(at(pair[0]), at(pair[0] + 0.06), radius * 1.6, 18);
            }
        }
    }
    for (x, z, length, radius) in [(11.0, 5.0, 11.0, 1.3), (13.5, 36.0, 9.0, 1.1), (31.0, 34.5, 10.0, 1.2)] {
        let axis = |z: f32| Vec3::new(x, MAIN + radius + 0.7, z);
        builder.cylinder(axis(z), axis(z + length), radius, 32);
        for z in [z + length * 0.25, z + length * 0.75] {
            builder.block(
                [x - radius * 0.9, x + radius * 0.9],
                [MAIN - 0.01, MAIN + 1.0],
                [z - 0.2, z + 0.2],
            );
        }
    }
    for (x, z, radius, height) in [(30.0, 7.0, 1.8, 4.2), (34.0, 11.0, 1.5, 4.6), (30.0, 14.0, 1.6, 3.8)] {
        for (y, z) in [(MAIN, z), (CELLAR, z + 28.0)] {
            let up = |height: f32| Vec3::new(x, y + height, z);
            builder.cylinder(up(-0.01), up(height), radius, 32);
            builder.frustum(up(height), up(height + 0.5), [radius, 0.2], 32);
        }
    }
    for (x, row) in [12.5, 16.5].into_iter().flat_map(|x| (0..4).map(move |row| (x, real(row)))) {
        let z = 33.5 + 3.2 * row;
        builder.block([x, x + 2.0], [CELLAR - 0.01, CELLAR + 0.2], [z, z + 0.8]);
        builder.cylinder(
            Vec3::new(x + 0.1, CELLAR + 0.6, z + 0.4),
            Vec3::new(x + 1.7, CELLAR + 0.6, z + 0.4),
            0.3,
            16,
        );
    }
    // Containers in the free room, shifted at random along x.
    for (x, z) in [(22.0, 16.5), (22.0, 20.5), (14.0, 20.5)] {
        let x = x + random.range(-0.8, 0.8);
        builder.block([x, x + 6.0], [UPPER - 0.01, UPPER + 2.5], [z, z + 2.4]);
    }
}

/// Storeys of furnished cabins on both sides of a corridor, with stairs at its end up to the roof,
/// and the helideck above.
fn quarters(builder: &mut Builder, random: &mut Random) {
    let ([x0, x1], [z0, z1]) = (QUARTERS[0], QUARTERS[1]);
    let [length, width] = [STAIRS.run() + TURN, 2.0 * STAIRS.width + GAP];
    let middle = f32::midpoint(z0, z1);
    let well = [[x1 - 0.3 - length, x1 - 0.3], [middle - width / 2.0, middle + width / 2.0]];
    for storey in 0..=STOREYS {
        let y = UPPER + PITCH * real(storey);
        if storey > 0 {
            builder.open_plate(QUARTERS, [y - 0.15, y], &[well], 0.8);
        }
        if storey == STOREYS {
            let path = [[x0, z0], [x1, z0], [x1, z1], [x0, z1], [x0, z0]];
            builder.level_railing(y, &path, STEEL_RAILING);
            break;
        }
        let up = [y - 0.02, y + PITCH - 0.15];
        let at = |room: usize| x0 + 0.2 + 3.8 * real(room);
        let windows: Vec<Opening> = (0..5).map(|room| window(at(room) + 1.9, 1.2)).collect();
        for z in [z0, z1 - 0.2] {
            builder.wall(Axis::X, [x0, x1], [z, z + 0.2], up, &windows);
        }
        let outer = if storey == 0 { vec![door(middle - 0.5)] } else { Vec::new() };
        builder.wall(Axis::Z, [z0 + 0.2, z1 - 0.2], [x0, x0 + 0.2], up, &outer);
        builder.wall(Axis::Z, [z0 + 0.2, z1 - 0.2], [x1 - 0.2, x1], up, &[]);
        let doors: Vec<Opening> = (0..5).map(|room| door(at(room) + 0.5)).collect();
        for (z, inner, turns) in
            [(middle - 1.4, [z0 + 0.2, middle - 1.4], 0), (middle + 1.3, [middle + 1.4, z1 - 0.2], 2)]
        {
            builder.wall(Axis::X, [x0 + 0.2, x1 - 0.2], [z, z + 0.1], up, &doors);
            for room in 0..5 {
                let x = at(room);
                builder.block([x + 3.7, x + 3.8], up, inner);
                // Beds and desks stand at the windows.
                let (x, z) = if turns == 0 { (x + 0.2, inner[0]) } else { (x + 3.6, inner[1]) };
                builder.at(Vec3::new(x, y, z), turns, |builder| {
                    builder.item(BED, Vec3::ZERO, 0);
                    builder.item(DESK, Vec3::new(1.4 + random.range(0.0, 0.3), 0.0, 0.0), 0);
                    builder.item(WARDROBE, Vec3::new(3.3, 0.0, 2.5), 1);
                });
            }
        }
        builder.at(Vec3::new(well[0][0], y, well[1][0]), 0, |builder| {
            builder.dogleg(&STAIRS, GAP, TURN, STEEL_RAILING)
        });
    }
    let roof = UPPER + PITCH * real(STOREYS);
    let flight = Flight { risers: 16, riser: (HELIDECK - roof) / 16.0, tread: 0.263, width: 1.5 };
    let centre = Vec3::new(SIZE[0] - APOTHEM, HELIDECK, SIZE[1] - APOTHEM);
    let start = Vec3::new(centre.x - APOTHEM - flight.run(), roof, centre.z - 0.75);
    builder.at(start, 0, |builder| builder.railed_flight(&flight, STEEL_RAILING));
    let radius = APOTHEM / crate::builder::sin_cos(1.0 / 16.0).1;
    builder.at(Vec3::ZERO, 0, |builder| {
        let corner = |index: usize, y: f32| {
            let (sine, cosine) = crate::builder::sin_cos((f64::from(real(index)) + 0.5) / 8.0);
            centre + Vec3::new(cosine * radius, y, sine * radius)
        };
        for index in 0..8 {
            let [top, bottom] =
                [0.0, -0.35].map(|y| [centre + Vec3::Y * y, corner(index, y), corner(index + 1, y)]);
            let [a, b, c] = top.map(|at| builder.push(at));
            builder.triangle([a, c, b]);
            let [d, e, f] = bottom.map(|at| builder.push(at));
            builder.triangle([d, e, f]);
            builder.quad([top[1], top[2], bottom[2], bottom[1]]);
        }
    });
    builder.cylinder(centre - Vec3::Y * (HELIDECK - UPPER), centre - Vec3::Y * 0.3, 0.8, 24);
}

/// Pedestal, cab, and a lattice boom whose tip is the highest point.
fn crane(builder: &mut Builder, aside: f32) {
    let (foot, head) = (Vec3::new(35.0, MAIN, 22.0), Vec3::new(35.0, 34.0, 22.0));
    builder.cylinder(foot, head, 0.8, 28);
    builder.block([33.6, 36.4], [34.0, 36.2], [20.6, 23.4]);
    let tip = Vec3::new(17.0 + aside, SIZE[2] - 0.3, 9.0);
    let corner = |bay: usize, index: usize| {
        let part = real(bay) / 20.0;
        let half = 0.75 - 0.5 * part;
        let (s, u) = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)][index % 4];
        (head + Vec3::Y * 1.0).lerp(tip, part) + Vec3::new(0.0, u * half, s * half)
    };
    for (index, bay) in (0..4).flat_map(|index| (0..20).map(move |bay| (index, bay))) {
        builder.cylinder(corner(bay, index), corner(bay + 1, index), 0.06, 10);
        builder.cylinder(corner(bay, index), corner(bay, index + 1), 0.03, 6);
        builder.cylinder(corner(bay, index + bay % 2), corner(bay + 1, index + (bay + 1) % 2), 0.03, 6);
    }
    builder.block([tip.x - 0.2, tip.x + 0.2], [tip.y - 0.3, SIZE[2]], [tip.z - 0.2, tip.z + 0.2]);
}
