//! The concourse: floor with openings, gates, ticket machines, kiosks, plant rooms, ceiling.

use glam::Vec3;
use waymesh_core::Random;

use super::platforms::column;
use super::{Ascent, CEILING, CONCOURSE, PUBLIC, SIZE, SLAB, WALL};
use crate::builder::{Builder, cuts, real};
use crate::parts::furniture::{BENCH, CABINET, TICKET_MACHINE};
use crate::parts::railing::Railing;
use crate::parts::rooms::Corridor;
use crate::parts::walls::{Axis, Opening};

const PAVING: f32 = 1.8;
/// Positions of the lines of gates along x. Between them is the hall that needs no ticket.
const GATES: [f32; 2] = [140.0, 209.2];
/// Range of the gates along z, and the clear width of one gate.
const GATE_RANGE: [f32; 2] = [7.0, 33.0];
const GATE: f32 = 1.0;
const GATE_POST: f32 = 0.3;
const WIDE_GATE: f32 = 2.0;
const ROOMS: Corridor =
    Corridor { rooms: 9, pitch: 6.0, depth: SIZE[1] - 2.0 * WALL, width: 2.4, height: CEILING - CONCOURSE };

pub(super) fn build(builder: &mut Builder, ascents: &[Ascent], random: &mut Random) {
    floor(builder, ascents);
    let (x, z) = ([WALL, SIZE[0] - WALL], [WALL, SIZE[1] - WALL]);
    builder.ceiling(x, z, CEILING, 1.8);
    let area = [PUBLIC[1] - PUBLIC[0], CEILING - CONCOURSE - 0.2];
    let y = CONCOURSE + 0.1;
    builder.wall_tiles(Vec3::new(PUBLIC[0], y, z[0]), Vec3::X, area, [1.2, 0.75]);
    builder.wall_tiles(Vec3::new(PUBLIC[1], y, z[1]), Vec3::NEG_X, area, [1.2, 0.75]);
    for z in [10.6, 29.4] {
        for x in cuts(PUBLIC[0] + 4.0, PUBLIC[1] - 4.0, 9.0) {
            if !ascents.iter().any(|ascent| ascent.covers(x, z, 1.0)) {
                column(builder, Vec3::new(x, CONCOURSE, z), CEILING);
            }
        }
    }
    for x in GATES {
        gates(builder, x);
    }
    hall(builder, random);
    plant(builder, random);
}

fn floor(builder: &mut Builder, ascents: &[Ascent]) {
    let openings: Vec<[[f32; 2]; 2]> = ascents.iter().map(Ascent::opening).collect();
    let lines = |low: f32, high: f32, axis: usize| {
        let mut lines = cuts(low, high, PAVING);
        // Paving lines next to the edge of an opening are left out.
        let edges: Vec<f32> = openings.iter().flat_map(|opening| opening[axis]).collect();
        lines.retain(|line| {
            *line < low + 0.1 || *line > high - 0.1 || edges.iter().all(|edge| (edge - line).abs() > 0.25)
        });
        lines.extend(edges);
        lines.sort_by(f32::total_cmp);
        lines.dedup_by(|b, a| (*b - *a).abs() < 1e-3);
        lines
    };
    let xs = lines(WALL, SIZE[0] - WALL, 0);
    let zs = lines(WALL, SIZE[1] - WALL, 1);
    builder.plate(&xs, &zs, [CONCOURSE - SLAB, CONCOURSE], |i, j| {
        let (x, z) = (f32::midpoint(xs[i], xs[i + 1]), f32::midpoint(zs[j], zs[j + 1]));
        !openings.iter().any(|[ox, oz]| x > ox[0] && x < ox[1] && z > oz[0] && z < oz[1])
    });
}

/// Builds a line of gates: cabinets one metre apart, and railings to the walls, with a wide passage
/// for luggage on one side.
fn gates(builder: &mut Builder, x: f32) {
    let pitch = GATE + GATE_POST;
    let count = 20;
    for gate in 0..=count {
        let z = GATE_RANGE[0] + pitch * real(gate);
        builder.at(Vec3::new(x, CONCOURSE, z), 0, |builder| {
            builder.block([0.0, 1.8], [-0.01, 0.9], [0.02, GATE_POST - 0.02]);
            builder.block([-0.05, 1.85], [0.9, 1.0], [0.0, GATE_POST]);
            for end in [0.1, 1.5] {
                builder.block([end, end + 0.2], [1.0, 1.02], [0.08, 0.22]);
                builder.cylinder(
                    Vec3::new(end + 0.1, 1.02, 0.15),
                    Vec3::new(end + 0.1, 1.06, 0.15),
                    0.05,
                    16,
                );
            }
            // Leaves of glass, open.
            for side in [0.0, GATE_POST - 0.02] {
                builder.block([0.85, 0.95], [0.2, 1.3], [side, side + 0.02]);
            }
            builder.cylinder(Vec3::new(0.9, 1.0, 0.15), Vec3::new(0.9, 1.35, 0.15), 0.03, 12);
        });
    }
    let end = GATE_RANGE[0] + pitch * real(count) + GATE_POST;
    for z in [[WALL, GATE_RANGE[0] - WIDE_GATE], [end, SIZE[1] - WALL]] {
        builder.level_railing(CONCOURSE, &z.map(|z| [x + 0.9, z]), &Railing::STATION);
    }
}

/// Builds the hall between the gates: ticket machines along the walls, kiosks, benches, maps.
fn hall(builder: &mut Builder, random: &mut Random) {
    for x in cuts(GATES[0] + 8.0, GATES[1] - 8.0, 2.4) {
        builder.item(TICKET_MACHINE, Vec3::new(x, CONCOURSE, WALL + 0.05), 0);
        builder.item(TICKET_MACHINE, Vec3::new(x + 0.9, CONCOURSE, SIZE[1] - WALL - 0.05), 2);
    }
    for x in [158.0, 175.0, 192.0] {
        for z in [12.5, 23.5] {
            let x = x + random.range(-1.5, 1.5);
            kiosk(builder, Vec3::new(x, CONCOURSE, z));
        }
    }
    for x in cuts(GATES[0] + 10.0, GATES[1] - 12.0, 6.0) {
        builder.item(BENCH, Vec3::new(x, CONCOURSE, 19.2), 0);
        builder.item(BENCH, Vec3::new(x + 1.8, CONCOURSE, 19.1), 2);
        builder.bin(Vec3::new(x + 2.6, CONCOURSE, 19.2));
    }
}

/// Builds a room of 5 m by 4 m with a door, a counter with shelves, and screens above it.
fn kiosk(builder: &mut Builder, corner: Vec3) {
    builder.at(corner, 0, |builder| {
        let y = [-0.02, 2.6];
        let window = Opening::Window { at: 0.8, width: 3.4, sill: 1.1, head: 2.2 };
        builder.wall(Axis::X, [0.0, 5.0], [0.0, 0.12], y, &[window]);
        builder.wall(Axis::X, [0.0, 5.0], [3.88, 4.0], y, &[Opening::Door { at: 3.0, inward: true }]);
        for x in [[0.0, 0.12], [4.88, 5.0]] {
            builder.wall(Axis::Z, [0.12, 3.88], x, y, &[]);
        }
        builder.block([0.8, 4.2], [1.06, 1.1], [0.12, 0.7]);
        for level in 0..4 {
            let y = 0.3 + 0.5 * real(level);
            builder.block([0.12, 0.5], [y, y + 0.03], [0.8, 3.6]);
        }
        for screen in 0..4 {
            builder.sign(Vec3::new(0.85 + 0.85 * real(screen), 2.27, -0.08), [0.7, 0.25]);
        }
    });
}

/// Builds a corridor with plant rooms behind a wall at each end, with cabinets in two rows.
fn plant(builder: &mut Builder, random: &mut Random) {
    let length = ROOMS.pitch * real(ROOMS.rooms);
    let middle = SIZE[1] / 2.0;
    let door = Opening::Gap { at: middle - ROOMS.width / 2.0, width: ROOMS.width, height: 2.5 };
    for x in [[PUBLIC[0] - WALL, PUBLIC[0]], [PUBLIC[1], PUBLIC[1] + WALL]] {
        builder.wall(Axis::Z, [WALL, SIZE[1] - WALL], x, [CONCOURSE - 0.02, CEILING], &[door]);
    }
    for x in [PUBLIC[0] - WALL - length, PUBLIC[1] + WALL] {
        builder.at(Vec3::new(x, CONCOURSE, WALL), 0, |builder| {
            builder.corridor(&ROOMS, |builder, _| {
                // In every row, one cabinet at a random place is missing.
                for row in [0.4, 4.0, 7.6] {
                    let missing = random.index(5);
                    for slot in (0..5).filter(|&slot| slot != missing) {
                        builder.item(CABINET, Vec3::new(1.0 + 0.8 * real(slot), 0.0, row), 0);
                    }
                }
                let far = ROOMS.room_width() - 0.1;
                for z in cuts(0.5, 16.0, 2.0) {
                    builder.block([0.0, far], [2.75, 2.8], [z, z + 0.05]);
                }
                builder.tube(
                    &[Vec3::new(0.5, 2.6, 0.1), Vec3::new(0.5, 2.6, 8.0), Vec3::new(0.5, 2.6, 16.5)],
                    0.15,
                    16,
                );
            });
        });
    }
}
