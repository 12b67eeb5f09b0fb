//! Escalators, and the stairs between two of them.

use glam::Vec3;

use super::{ASCENT_WIDTH, Ascent, CONCOURSE, PLATFORM, STAIRS_WIDTH};
use crate::angles::sin_cos;
use crate::builder::{Builder, level, real};
use crate::parts::railing::Railing;
use crate::parts::stairs::Flight;

/// Width of one escalator with its balustrades, and of the skirt on each side of its moving steps.
pub(super) const WIDTH: f32 = 1.6;
const SKIRT: f32 = 0.3;
const RISE: f32 = CONCOURSE - PLATFORM;
/// Steps of 400 mm that rise 227 mm each: 29.5 degrees.
const RISERS: usize = 15;
const RISER: f32 = RISE / 15.0;
const TREAD: f32 = 0.4;
/// Length of the plates at both ends, and level steps before the first and after the last riser.
const PLATE: f32 = 1.2;
const LEVEL: usize = 2;
const LOW: f32 = PLATE + 2.0 * TREAD;
const HIGH: f32 = LOW + 14.0 * TREAD;
pub(super) const LENGTH: f32 = HIGH + LOW;
/// Range of the opening in the concourse floor, along the ascent.
pub(super) const OPENING: [f32; 2] = [1.4, HIGH];
/// Height of the handrail above the steps' front edges.
const HANDRAIL: f32 = 0.95;
const GROOVES: usize = 10;

/// The stairs: twenty risers of 170 mm over treads of 300 mm, ending where the concourse begins.
const STAIRS: Flight =
    Flight { risers: 20, riser: RISE / 20.0, tread: 0.3, width: STAIRS_WIDTH - 0.2, depth: 0.2 };

pub(super) fn ascent(builder: &mut Builder, ascent: &Ascent) {
    let (z, turns) = if ascent.forward { (ascent.z, 0) } else { (ascent.z + ASCENT_WIDTH, 2) };
    builder.at(Vec3::new(ascent.x, PLATFORM, z), turns, |builder| {
        escalator(builder);
        builder.at(Vec3::new(0.0, 0.0, ASCENT_WIDTH - WIDTH), 0, escalator);
        let start = HIGH - STAIRS.run();
        builder.at(Vec3::new(start, 0.0, WIDTH + 0.1), 0, |builder| {
            builder.flight(&STAIRS);
            for z in [0.05, STAIRS.width - 0.05] {
                builder.handrail(&STAIRS, z, &Railing::STATION);
            }
        });
        // Railings around the opening above, except where the escalators arrive.
        let (near, far) = (OPENING[0] - 0.05, ASCENT_WIDTH + 0.05);
        let path = [[HIGH, -0.05], [near, -0.05], [near, far], [HIGH, far]];
        builder.level_railing(RISE, &path, &Railing::STATION);
    });
}

/// Builds an escalator along +x from the origin, over z in `0..WIDTH`, from y = 0 up to `RISE`.
fn escalator(builder: &mut Builder) {
    let lane = [SKIRT, WIDTH - SKIRT];
    for (x, y) in [(0.0, 0.0), (HIGH + 2.0 * TREAD, RISE)] {
        step(builder, [x, x + PLATE], y + 0.01, 0.06, lane);
    }
    for level in 0..LEVEL {
        let x = PLATE + TREAD * real(level);
        step(builder, [x, x + TREAD - 0.004], 0.01, 0.1, lane);
        let x = HIGH + TREAD * real(level);
        step(builder, [x, x + TREAD - 0.004], RISE + 0.01, 0.1, lane);
    }
    for riser in 1..RISERS {
        let x = LOW + TREAD * real(riser - 1);
        step(builder, [x, x + TREAD - 0.004], RISER * real(riser), 0.35, lane);
        // The step that returns below, upside down.
        let y = RISER * real(riser) - 0.62;
        builder.block([x, x + TREAD - 0.01], [y, y + 0.06], lane);
    }
    builder.ramp_x(Vec3::new(LOW, -0.78, lane[0]), Vec3::new(HIGH, RISE - 0.78, lane[1]), 0.12);
    for z in [[0.0, SKIRT], [WIDTH - SKIRT, WIDTH]] {
        balustrade(builder, z);
    }
}

/// Builds a tread with ribs.
fn step(builder: &mut Builder, x: [f32; 2], top: f32, depth: f32, lane: [f32; 2]) {
    builder.block(x, [top - depth, top], lane);
    let pitch = (lane[1] - lane[0]) / real(GROOVES);
    for groove in 0..GROOVES {
        let z = [lane[0] + pitch * (real(groove) + 0.25), lane[0] + pitch * (real(groove) + 0.75)];
        let ring = |inset: f32, y: f32| {
            let x = [x[0] + 0.01 + inset, x[1] - 0.01 - inset];
            level(x, [z[0] + inset, z[1] - inset], y)
        };
        builder.raised(ring(0.0, top), ring(0.004, top + 0.008));
    }
}

/// Builds the skirt, the glass, and a handrail that runs around both ends.
fn balustrade(builder: &mut Builder, z: [f32; 2]) {
    let middle = f32::midpoint(z[0], z[1]);
    let glass = [middle - 0.01, middle + 0.01];
    let ends = [0.6, LENGTH - 0.6];
    let skirt = 0.12;
    for (range, bottom, top, thickness) in [(z, -0.9, skirt, 0.0), (glass, skirt, HANDRAIL, HANDRAIL - skirt)]
    {
        let foot = if thickness > 0.0 { bottom } else { -0.05 };
        builder.block([ends[0], LOW], [foot, top], range);
        builder.block([HIGH, ends[1]], [RISE + foot, RISE + top], range);
        let low = Vec3::new(LOW, top, range[0]);
        builder.ramp_x(low, Vec3::new(HIGH, RISE + top, range[1]), top - bottom);
    }
    let radius = 0.33;
    let mut path = Vec::new();
    let half_circle = |path: &mut Vec<Vec3>, x: f32, y: f32, start: f64, way: f32| {
        for piece in 0..=8_u8 {
            let (sine, cosine) = sin_cos(start + 0.5 * f64::from(piece) / 8.0);
            path.push(Vec3::new(x + way * radius * cosine, y + radius * sine * way, middle));
        }
    };
    // The handrail runs from under the lower end around to its top, up, and around the upper end.
    let centre = HANDRAIL - radius;
    for piece in 0..=8_u8 {
        let (sine, cosine) = sin_cos(0.5 * f64::from(piece) / 8.0);
        path.push(Vec3::new(ends[0] - radius * sine, centre - radius * cosine, middle));
    }
    let rise = Vec3::new(HIGH - LOW, RISE, 0.0);
    for piece in 0..=10 {
        path.push(Vec3::new(LOW, HANDRAIL, middle) + rise * (real(piece) / 10.0));
    }
    half_circle(&mut path, ends[1], RISE + centre, 0.25, -1.0);
    let last = path.len() - 9;
    path[last..].reverse();
    builder.tube(&path, 0.04, 12);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escalators_climb_in_equal_steps() {
        let mut builder = Builder::default();
        escalator(&mut builder);
        let soup = builder.finish();
        // Level triangles that face up between the skirts, wider than a rib.
        let mut tops: Vec<f32> = soup
            .finite_triangles()
            .filter(|[a, b, c]| {
                let normal = (b - a).cross(c - a);
                normal.y > 0.999 * normal.length() && normal.y > 0.2
            })
            .filter(|[a, ..]| a.z > SKIRT - 0.01 && a.z < WIDTH - SKIRT + 0.01 && a.y > -0.1)
            .map(|[a, ..]| a.y)
            .collect();
        tops.sort_by(f32::total_cmp);
        tops.dedup_by(|b, a| (*b - *a).abs() < 0.02);
        let steps =
            (1..RISERS).filter(|&riser| tops.iter().any(|top| (top - RISER * real(riser)).abs() < 1e-3));
        assert_eq!(steps.count(), RISERS - 1, "{tops:?}");
        let size = soup.bounds().max - soup.bounds().min;
        assert!((size.x - LENGTH).abs() < 0.01 && (size.z - WIDTH).abs() < 0.01, "{size}");
    }
}
