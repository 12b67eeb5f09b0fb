//! Legs with braces, the boat landing, conductors.

use glam::Vec3;

use super::{CELLAR, LANDING, MAIN, SIZE, TOWER, TOWERS, UPPER};
use crate::builder::Builder;
use crate::parts::railing::Railing;

/// Radius of the legs' feet, which stand at sea level at the corners of the platform's plan.
const FOOT: f32 = 0.9;
const LEG: f32 = 0.75;

/// Position of leg `index` (counter-clockwise from the lowest corner) at a height. Legs lean inward
/// up to the cellar deck.
fn leg(index: usize, y: f32) -> Vec3 {
    let part = (y / CELLAR).min(1.0);
    let low = [FOOT, SIZE[0] - FOOT, FOOT, SIZE[1] - FOOT];
    let high = [5.0, 35.0, 6.0, 46.0];
    let [x0, x1, z0, z1] = [0, 1, 2, 3].map(|side| low[side] + (high[side] - low[side]) * part);
    let (x, z) = [(x0, z0), (x0, z1), (x1, z1), (x1, z0)][index % 4];
    Vec3::new(x, y, z)
}

pub(super) fn build(builder: &mut Builder) {
    for index in 0..4 {
        let foot = leg(index, 0.0);
        builder.cylinder(foot, foot + Vec3::Y * 1.2, FOOT, 28);
        builder.cylinder(leg(index, 1.0), leg(index, CELLAR - 0.4), LEG, 28);
        // Horizontal braces, and crosses between them.
        let levels = [1.6, 7.2, 13.0];
        for (level, &y) in levels.iter().enumerate() {
            builder.cylinder(leg(index, y), leg(index + 1, y), 0.3, 16);
            if let Some(&next) = levels.get(level + 1) {
                builder.cylinder(leg(index, y), leg(index + 1, next), 0.25, 16);
                builder.cylinder(leg(index + 1, y), leg(index, next), 0.25, 16);
            }
        }
        for y in levels {
            builder.cylinder(leg(index, y - 0.4), leg(index, y + 0.4), LEG + 0.05, 28);
        }
    }
    // Columns through the decks, in three rows.
    for x in [5.0, 20.0, 35.0] {
        for z in [6.0, 20.0, 46.0] {
            builder.cylinder(Vec3::new(x, CELLAR - 0.5, z), Vec3::new(x, MAIN, z), 0.4, 20);
            if z > super::UPPER_START {
                builder.cylinder(Vec3::new(x, MAIN, z), Vec3::new(x, UPPER - 0.05, z), 0.35, 20);
            }
        }
    }
    boat_landing(builder);
    // Conductors from the sea to the well heads on the cellar deck.
    for row in 0..3_u8 {
        for column in 0..5_u8 {
            let foot = Vec3::new(15.0 + f32::from(column) * 2.2, 0.0, 7.0 + f32::from(row) * 2.2);
            builder.cylinder(foot, foot + Vec3::Y * (CELLAR + 0.6), 0.25, 12);
            for y in [2.0, 6.5, 11.0] {
                builder.cylinder(foot + Vec3::Y * y, foot + Vec3::Y * (y + 0.2), 0.33, 12);
            }
        }
    }
}

/// Builds a low deck with fenders, and the stairs up to the cellar deck with a small deck half way
/// up.
fn boat_landing(builder: &mut Builder) {
    let tower = TOWERS[2];
    let [x, z] = tower.plan();
    let half_way = tower.levels[1];
    for (y, plan) in
        [(LANDING, [[3.4, 14.0], [20.0, 34.0]]), (half_way, [[x[0] - 2.4, x[0]], [z[0] - 0.1, z[1] + 0.1]])]
    {
        super::decks::plate(builder, plan, y, &[], 1.5);
        super::decks::beams(builder, plan, y, [2.0, 5.0]);
    }
    for column in 0..12_u8 {
        let z = 20.5 + f32::from(column) * 1.2;
        builder.cylinder(Vec3::new(3.1, 0.2, z), Vec3::new(3.1, LANDING + 0.3, z), 0.18, 12);
    }
    let landing = [[3.5, 33.9], [13.9, 33.9], [13.9, 20.1], [3.5, 20.1]];
    builder.level_railing(LANDING, &landing, &Railing::STEEL);
    let (west, south, north) = (x[0] - 2.3, z[0] - 0.05, z[0] + TOWER[1] + 0.05);
    let path = [[x[0], south], [west, south], [west, north], [x[0], north]];
    builder.level_railing(half_way, &path, &Railing::STEEL);
}
