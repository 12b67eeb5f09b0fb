//! Decks with their beams, railings and stair towers.

use glam::Vec3;

use super::{CELLAR, DECK, GAP, HALF, MAIN, PLATE, TOWERS, TURN, Tower, UPPER, UPPER_START};
use crate::builder::{Builder, cuts};
use crate::parts::railing::Railing;

pub(super) fn build(builder: &mut Builder) {
    for (y, start) in [(CELLAR, DECK[1][0]), (MAIN, DECK[1][0]), (UPPER, UPPER_START)] {
        let plan = [DECK[0], [start, DECK[1][1]]];
        let open: Vec<Tower> = TOWERS.into_iter().filter(|tower| tower.opens(y)).collect();
        plate(builder, plan, y, &open, 2.0);
        beams(builder, plan, y, [2.4, 4.8]);
        let [x, z] = [[plan[0][0] + 0.05, plan[0][1] - 0.05], [plan[1][0] + 0.05, plan[1][1] - 0.05]];
        let ring = [[x[0], z[0]], [x[0], z[1]], [x[1], z[1]], [x[1], z[0]], [x[0], z[0]]];
        builder.level_railing(y, &ring, &Railing::STEEL);
        for tower in open {
            guard(builder, tower, y);
        }
    }
    for tower in TOWERS {
        for pair in tower.levels.windows(2) {
            let origin = Vec3::new(tower.origin[0], pair[0], tower.origin[1]);
            builder.at(origin, tower.turns, |builder| {
                builder.dogleg(&HALF, GAP, TURN, 0.06, Some(&Railing::STEEL));
                builder.outer_rails(&HALF, GAP, TURN, &Railing::STEEL);
            });
        }
    }
}

/// Builds a thin floor in squares, with openings for stair towers.
pub(super) fn plate(builder: &mut Builder, plan: [[f32; 2]; 2], y: f32, open: &[Tower], square: f32) {
    let plans: Vec<[[f32; 2]; 2]> = open.iter().map(Tower::plan).collect();
    let lines = |axis: usize| {
        let mut lines = cuts(plan[axis][0], plan[axis][1], square);
        lines.extend(plans.iter().flat_map(|plan| plan[axis]));
        lines.sort_by(f32::total_cmp);
        lines.dedup_by(|b, a| (*b - *a).abs() < 1e-3);
        lines
    };
    let (xs, zs) = (lines(0), lines(1));
    builder.plate(&xs, &zs, [y - PLATE, y], |i, j| {
        let (x, z) = (f32::midpoint(xs[i], xs[i + 1]), f32::midpoint(zs[j], zs[j + 1]));
        !plans.iter().any(|[px, pz]| x > px[0] && x < px[1] && z > pz[0] && z < pz[1])
    });
}

/// Builds the beams under a deck: I-beams along x every `every[0]` and deeper ones along z every
/// `every[1]`, except where they would cross the opening of a stair tower.
pub(super) fn beams(builder: &mut Builder, plan: [[f32; 2]; 2], y: f32, every: [f32; 2]) {
    let top = y - PLATE;
    let profile = |builder: &mut Builder, from: Vec3, to: Vec3, depth: f32, along_x: bool| {
        let mut part = |half: f32, low: f32, high: f32| {
            let side = if along_x { Vec3::Z * half } else { Vec3::X * half };
            builder.cuboid(from - side + Vec3::Y * (low - top), to + side + Vec3::Y * (high - top));
        };
        part(0.1, top - 0.02, top);
        part(0.01, top - depth + 0.02, top - 0.02);
        part(0.1, top - depth, top - depth + 0.02);
    };
    for z in cuts(plan[1][0] + 0.1, plan[1][1] - 0.1, every[0]) {
        if TOWERS.iter().any(|tower| tower.opens(y) && within(z, tower.plan()[1])) {
            continue;
        }
        profile(builder, Vec3::new(plan[0][0], top, z), Vec3::new(plan[0][1], top, z), 0.2, true);
    }
    for x in cuts(plan[0][0] + 0.1, plan[0][1] - 0.1, every[1]) {
        if TOWERS.iter().any(|tower| tower.opens(y) && within(x, tower.plan()[0])) {
            continue;
        }
        profile(builder, Vec3::new(x, top, plan[1][0]), Vec3::new(x, top, plan[1][1]), 0.4, false);
    }
}

fn within(value: f32, range: [f32; 2]) -> bool {
    value > range[0] - 0.15 && value < range[1] + 0.15
}

/// Builds railings around an opening: on three sides, and on the half of the fourth side where no
/// flight continues upwards.
fn guard(builder: &mut Builder, tower: Tower, y: f32) {
    let [length, width] = super::TOWER;
    let origin = Vec3::new(tower.origin[0], y, tower.origin[1]);
    builder.at(origin, tower.turns, |builder| {
        let (near, far, end) = (-0.05, width + 0.05, length + 0.05);
        let path = [[0.0, HALF.width], [0.0, near], [end, near], [end, far], [0.0, far]];
        let first = usize::from(tower.goes_on(y));
        builder.level_railing(0.0, &path[first..], &Railing::STEEL);
    });
}
