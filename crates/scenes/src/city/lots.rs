//! Places the houses on a tile, with the steps to their doors.

use glam::Vec3;
use waymesh_core::Random;

use super::ground::Ground;
use super::{PAVEMENT, ROAD};
use crate::builder::{Builder, real, turned};
use crate::house::{DEPTH, House};

/// Distance from a tile's border to the fronts of its houses.
pub(super) const FRONT: f32 = ROAD + PAVEMENT + 4.5;
/// Least length along the street for one house.
const PLOT: f32 = 25.0;
/// Height of a floor above the highest ground under it.
const ABOVE: f32 = 0.16;
const STEP: f32 = 0.17;
const TREAD: f32 = 0.3;
/// Width and depth of the porch before the door.
const PORCH: [f32; 2] = [1.8, 1.2];

/// A plot for one house. Its corner is the front left one, seen from within; its depth runs away
/// from the street.
#[derive(Clone, Copy, Debug)]
struct Plot {
    corner: [f32; 2],
    turns: u8,
    /// Length along the street, and the place of the house in it: 0 at its start, 1 at its end.
    length: f32,
    shift: f32,
}

/// Returns the plots on all four sides of a tile: one for each entry of the town's `houses`.
fn plots(size: [f32; 2]) -> Vec<Plot> {
    let [width, depth] = size;
    let mut plots = Vec::new();
    let room = width - 2.0 * FRONT;
    let row = (1..32).take_while(|&count| PLOT * real(count) <= room).count();
    for slot in 0..row {
        let length = room / real(row);
        let x = FRONT + length * real(slot);
        plots.push(Plot { corner: [x, FRONT], turns: 0, length, shift: 0.5 });
        plots.push(Plot { corner: [x + length, depth - FRONT], turns: 2, length, shift: 0.5 });
    }
    let ends = FRONT + DEPTH + 6.0;
    let room = depth - 2.0 * ends;
    let column = (1..32).take_while(|&count| PLOT * real(count) <= room).count();
    for slot in 0..column {
        let length = room / real(column);
        let z = ends + length * real(slot);
        // Two houses keep the largest possible distance, because a sunken road may pass between
        // them.
        let shift = if column == 1 { 0.5 } else { real(slot) / real(column - 1) };
        plots.push(Plot { corner: [FRONT, z + length], turns: 3, length, shift: 1.0 - shift });
        plots.push(Plot { corner: [width - FRONT, z], turns: 1, length, shift });
    }
    plots
}

pub(super) fn build(
    builder: &mut Builder,
    ground: &Ground,
    houses: &[(usize, bool)],
    mast: f32,
    random: &mut Random,
) {
    let plots = plots(ground.size);
    let order = random.permutation(houses.len());
    // The mast stands on the tallest house.
    let tallest = houses.iter().map(|house| house.0).max().unwrap_or(0);
    let mut mast = mast;
    for (plot, &house) in plots.iter().zip(&order) {
        let (storeys, steep_roof) = houses[house];
        let width = random.range(17.0, 20.0);
        let along = turned(Vec3::X * ((plot.length - width) * plot.shift), plot.turns);
        let corner = Vec3::new(plot.corner[0], 0.0, plot.corner[1]) + along;
        let level = |x: f32, z: f32| {
            let place = corner + turned(Vec3::new(x, 0.0, z), plot.turns);
            ground.pavement(place.x, place.z)
        };
        let mut range = [f32::MAX, f32::MIN];
        for x in 0..6 {
            for z in 0..5 {
                let y = level(width * real(x) / 5.0, DEPTH * real(z) / 4.0);
                range = [range[0].min(y), range[1].max(y)];
            }
        }
        let floor = range[1] + ABOVE;
        let mut house = House { width, storeys, steep_roof, base: floor - range[0] + 0.3, mast: 0.0 };
        if storeys == tallest && mast > 0.0 {
            (house.mast, mast) = (mast - floor, 0.0);
        }
        builder.at(Vec3::new(corner.x, floor, corner.z), plot.turns, |builder| {
            house.build(builder, random);
            front_steps(builder, width / 2.0, |x, z| level(x, z) - floor);
        });
    }
}

/// Builds a porch at the door and the steps down to the ground. `level` is the height of the ground
/// relative to the floor.
fn front_steps(builder: &mut Builder, door: f32, level: impl Fn(f32, f32) -> f32) {
    let x = [door - PORCH[0] / 2.0, door + PORCH[0] / 2.0];
    let lowest = |z: f32| level(x[0], z).min(level(x[1], z)) - 0.2;
    builder.block(x, [lowest(-PORCH[1]).min(lowest(0.0)), 0.0], [-PORCH[1], 0.0]);
    for step in 1..40 {
        let (near, far) = (-PORCH[1] - TREAD * real(step - 1), -PORCH[1] - TREAD * real(step));
        let top = -STEP * real(step);
        if level(door, near) > top - 0.02 {
            break;
        }
        builder.block(x, [lowest(far).min(lowest(near)), top], [far, near]);
    }
}
