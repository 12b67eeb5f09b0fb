//! Cranes: pedestal, cab, lattice boom, cables.

use glam::Vec3;
use waymesh_core::Random;

use super::{MAIN, SIZE};
use crate::builder::{Builder, real};

pub(super) fn build(builder: &mut Builder, random: &mut Random) {
    let top = SIZE[2] - 0.3;
    let aside = random.range(-3.0, 3.0);
    crane(builder, Vec3::new(34.6, MAIN, 24.5), 34.0, Vec3::new(17.0 + aside, top, 9.0), 20);
    builder.block([16.8 + aside, 17.2 + aside], [top - 0.3, SIZE[2]], [8.8, 9.2]);
    crane(builder, Vec3::new(4.6, MAIN, 36.0), 30.5, Vec3::new(4.6, 36.5, 9.0 + aside), 16);
}

/// Builds a crane on a pedestal from `foot` up to `cab`, with its boom to `tip`.
fn crane(builder: &mut Builder, foot: Vec3, cab: f32, tip: Vec3, bays: usize) {
    let head = Vec3::new(foot.x, cab, foot.z);
    builder.cylinder(foot, head, 0.8, 28);
    builder.cylinder(head, head + Vec3::Y * 0.4, 1.7, 28);
    // Rungs of a ladder up the pedestal.
    for rung in 0..30 {
        let y = foot.y + 0.3 * real(rung + 1);
        if y < cab - 0.3 {
            let z = foot.z + 0.85;
            builder.cylinder(Vec3::new(foot.x - 0.2, y, z), Vec3::new(foot.x + 0.2, y, z), 0.015, 6);
        }
    }
    let base = head + Vec3::Y * 0.4;
    builder.block([base.x - 1.2, base.x + 0.1], [base.y, base.y + 2.2], [base.z + 0.3, base.z + 1.5]);
    builder.block([base.x - 0.6, base.x + 1.3], [base.y, base.y + 1.3], [base.z - 1.5, base.z + 0.2]);
    let heel = base + Vec3::Y * 0.8;
    lattice(builder, heel, tip, [1.5, 0.5], bays);
    // The frame behind the boom, and the cables over it.
    let away = (foot - tip).with_y(0.0).normalize_or(Vec3::X);
    let mast = base + Vec3::Y * 6.0 + away * 1.5;
    let side = away.cross(Vec3::Y) * 0.8;
    for offset in [side, -side] {
        builder.cylinder(base + offset, mast, 0.12, 12);
        builder.cylinder(base + offset + away * 1.5, mast, 0.12, 12);
        builder.cylinder(mast, tip + offset * 0.3, 0.03, 8);
    }
    let hook = Vec3::new(tip.x, tip.y - 6.0, tip.z);
    for offset in [-0.15, 0.15] {
        let z = Vec3::Z * offset;
        builder.cylinder(hook + z, tip + z, 0.02, 8);
    }
    builder.block([hook.x - 0.25, hook.x + 0.25], [hook.y - 0.7, hook.y], [hook.z - 0.3, hook.z + 0.3]);
    builder.cylinder(hook - Vec3::new(0.0, 0.5, 0.4), hook - Vec3::new(0.0, 0.5, -0.4), 0.3, 16);
}

/// Builds a lattice of four chords with rungs and diagonals. Its cross-section is a square; `width`
/// gives its side at both ends.
pub(super) fn lattice(builder: &mut Builder, from: Vec3, to: Vec3, width: [f32; 2], bays: usize) {
    let along = (to - from).normalize_or(Vec3::X);
    let side = along.cross(Vec3::Y).normalize_or(Vec3::Z);
    let up = side.cross(along);
    let corner = |bay: usize, index: usize| {
        let part = real(bay) / real(bays);
        let half = (width[0] + (width[1] - width[0]) * part) / 2.0;
        let (s, u) = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)][index % 4];
        from.lerp(to, part) + side * (s * half) + up * (u * half)
    };
    for index in 0..4 {
        builder.cylinder(corner(0, index), corner(bays, index), 0.06, 10);
        for bay in 0..bays {
            builder.cylinder(corner(bay, index), corner(bay, index + 1), 0.03, 6);
            let (low, high) = if bay % 2 == 0 { (index, index + 1) } else { (index + 1, index) };
            builder.cylinder(corner(bay, low), corner(bay + 1, high), 0.03, 6);
        }
    }
}
