//! An offshore platform: a jacket in the sea, three decks with plant, living quarters, a helideck,
//! a crane.

use glam::Vec3;
use waymesh_core::Random;

use crate::builder::{Axis, Builder, cuts, real};
use crate::parts::{BED, DESK, Flight, Opening, STEEL_RAILING, WARDROBE, door, window};

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
/// Side of the squares of the decks.
const SQUARE: f32 = 0.55;
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
/// Radius of the helideck, from its middle to its corners.
const RADIUS: f32 = 11.0;

pub(crate) fn build(builder: &mut Builder, random: &mut Random) {
    jacket(builder);
    decks(builder);
    plant(builder, random);
    quarters(builder, random);
    crane(builder, random.range(-3.0, 3.0));
}

/// Legs that lean inwards, with braces; columns through the decks; the boat landing.
fn jacket(builder: &mut Builder) {
    let leg = |index: usize, y: f32| {
        let lean = 4.1 * (y / CELLAR).min(1.0);
        let (x, z) = [(0.9_f32, 0.9_f32), (0.9, 51.1), (39.1, 51.1), (39.1, 0.9)][index % 4];
        Vec3::new(x + lean * (20.0 - x).signum(), y, z + lean * (26.0 - z).signum())
    };
    for index in 0..4 {
        builder.cylinder(leg(index, 0.0), leg(index, 1.2), 0.9, 28);
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
    for (y, plan) in [(2.0, [[3.4, 14.0], [20.0, 34.0]]), (8.0, [[3.6, 6.0], [29.9, 33.3]])] {
        builder.open_plate(plan, [y - PLATE, y], &[], 1.5);
    }
}

/// Plates with railings, and the stair towers.
fn decks(builder: &mut Builder) {
    for (y, start) in [(CELLAR, DECK[1][0]), (MAIN, DECK[1][0]), (UPPER, UPPER_START)] {
        let (x, z) = (DECK[0], [start, DECK[1][1]]);
        let reaches = |levels: &[f32]| levels.iter().any(|foot| (foot + 6.0 - y).abs() < 0.1);
        let open: Vec<[[f32; 2]; 2]> =
            TOWERS.into_iter().filter(|(_, levels)| reaches(levels)).map(|(plan, _)| plan).collect();
        builder.open_plate([x, z], [y - PLATE, y], &open, SQUARE);
        let [near, far] = [0, 1].map(|end| [x, z].map(|range| range[end] + [0.05, -0.05][end]));
        let ring = [near, [near[0], far[1]], far, [far[0], near[1]], near];
        builder.level_railing(y, &ring, STEEL_RAILING);
        for [x, z] in open {
            // On the side where no flight begins or ends, and around the end.
            let [near, end, far] = [z[0] - 0.05, x[1] + 0.05, z[1] + 0.05];
            let path = [[x[0], near], [end, near], [end, far], [x[0], far]];
            builder.level_railing(y, &path, STEEL_RAILING);
        }
    }
    for ([x, z], levels) in TOWERS {
        for &y in levels {
            let foot = Vec3::new(x[0], y, z[0]);
            builder.at(foot, 0, |builder| builder.dogleg(&HALF, GAP, TURN, STEEL_RAILING));
        }
    }
}

/// Pipes and tanks on the two lower decks.
fn plant(builder: &mut Builder, random: &mut Random) {
    for (lane, level) in [MAIN + 2.9, MAIN + 4.1, CELLAR + 3.2, CELLAR + 4.4]
        .into_iter()
        .flat_map(|level| (0..6).map(move |lane| (real(lane), level)))
    {
        let at = |z: f32| Vec3::new(21.1 + 0.95 * lane, level, z);
        let ends = [5.0 + random.range(0.3, 1.0), 47.0 - random.range(0.3, 1.0)];
        for pair in cuts(ends[0], ends[1], 4.0).windows(2) {
            builder.cylinder(at(pair[0]), at(pair[1]), 0.08 + 0.02 * lane, 18);
        }
    }
    for (x, z, radius, height) in [(30.0, 7.0, 1.8, 4.2), (34.0, 11.0, 1.5, 4.6), (30.0, 14.0, 1.6, 3.8)] {
        for (y, z) in [(MAIN, z), (CELLAR, z + 28.0)] {
            let up = |height: f32| Vec3::new(x, y + height, z);
            builder.cylinder(up(-0.01), up(height), radius, 32);
            builder.frustum(up(height), up(height + 0.5), [radius, 0.2], 32);
        }
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
        let windows: Vec<Opening> = (0..5).map(|room| window(at(room) + 1.9, 1.2, up[0])).collect();
        for z in [z0, z1 - 0.2] {
            builder.wall(Axis::X, [x0, x1], [z, z + 0.2], up, &windows);
        }
        let outer = if storey == 0 { vec![door(middle - 0.5, up[0])] } else { Vec::new() };
        builder.wall(Axis::Z, [z0 + 0.2, z1 - 0.2], [x0, x0 + 0.2], up, &outer);
        builder.wall(Axis::Z, [z0 + 0.2, z1 - 0.2], [x1 - 0.2, x1], up, &[]);
        let doors: Vec<Opening> = (0..5).map(|room| door(at(room) + 0.5, up[0])).collect();
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
    let centre = Vec3::new(SIZE[0] - RADIUS, HELIDECK, SIZE[1] - RADIUS);
    let start = Vec3::new(centre.x - RADIUS - flight.run(), roof, centre.z - 0.75);
    builder.at(start, 0, |builder| builder.railed_flight(&flight, STEEL_RAILING));
    builder.cylinder(centre - Vec3::Y * 0.35, centre, RADIUS, 8);
    builder.cylinder(centre - Vec3::Y * (HELIDECK - UPPER), centre - Vec3::Y * 0.3, 0.8, 24);
}

/// Pedestal, cab, and a boom whose tip is the highest point.
fn crane(builder: &mut Builder, aside: f32) {
    let (foot, head) = (Vec3::new(35.0, MAIN, 22.0), Vec3::new(35.0, 34.0, 22.0));
    builder.cylinder(foot, head, 0.8, 28);
    builder.block([33.6, 36.4], [34.0, 36.2], [20.6, 23.4]);
    let tip = Vec3::new(17.0 + aside, SIZE[2] - 0.3, 9.0);
    builder.frustum(head + Vec3::Y, tip, [0.75, 0.25], 12);
    builder.block([tip.x - 0.2, tip.x + 0.2], [tip.y - 0.3, SIZE[2]], [tip.z - 0.2, tip.z + 0.2]);
}
