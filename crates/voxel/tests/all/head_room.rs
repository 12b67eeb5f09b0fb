//! Headroom from triangles: an agent can stand wherever the triangles leave its height free, and
//! nowhere where a level is missing, at any offset of floors and ceilings from the level lines.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a panic fails the test, and its numbers are small"
)]

use crate::common;
use common::soup;
use glam::Vec3;
use proptest::prelude::*;
use waymesh_core::{
    Agent, Bounds, Direction, GridScale, GridWindow, Heightfield, NO_SPAN, TriangleSoup, WalkableField,
};
use waymesh_voxel::{
    Filters, MarkShape, Obstacle, VoxelConfig, build_filtered_field, rasterize, stamp_obstacles,
};

/// Error of heights by rounding, in levels: a step of the ground, and the slack of level
/// lines.
const ROUNDING: f32 = 1.0 / 32.0 + 1e-3;
const SIDE: f32 = 3.6;

/// Returns a rectangle over `x`, whole along z, whose height runs from `y[0]` to `y[1]` along x.
fn sheet(x: [f32; 2], y: [f32; 2], faces_up: bool) -> Vec<[[f32; 3]; 3]> {
    let corners = [[x[0], y[0], 0.0], [x[0], y[0], SIDE], [x[1], y[1], SIDE], [x[1], y[1], 0.0]];
    let [a, b, c, d] = corners;
    if faces_up { vec![[a, b, c], [a, c, d]] } else { vec![[a, c, b], [a, d, c]] }
}

/// Returns a slab whose lower side runs from `y[0]` to `y[1]`.
fn ceiling(x: [f32; 2], y: [f32; 2]) -> Vec<[[f32; 3]; 3]> {
    [sheet(x, y, false), sheet(x, y.map(|y| y + 0.7), true)].concat()
}

fn voxels(scene: &TriangleSoup, scale: GridScale, agent: &Agent) -> Heightfield {
    rasterize(scene, &VoxelConfig::for_agent(agent).with_scale(scale), &mut ()).unwrap()
}

fn field(heightfield: &Heightfield, agent: &Agent) -> WalkableField {
    let filters = Filters::default().with_ledges(false);
    build_filtered_field(heightfield, agent, &filters, &mut ()).unwrap()
}

/// Returns the span of the ground nearest to a height in the middle column along z, at a coordinate
/// along x.
fn at(field: &WalkableField, x: f32, ground: f32) -> Option<u32> {
    let frame = &field.frame;
    let cell = |at: f32, from: f32| ((at - from) / frame.cell_size).floor() as u32;
    let spans = field.column(cell(x, frame.origin.x), cell(SIDE / 2.0, frame.origin.z));
    let height = |span: u32| field.ground[span as usize] * frame.level_height + frame.origin.y;
    spans.into_iter().find(|&span| (height(span) - ground).abs() < 0.3)
}

/// Returns `true` if the position has a span with links both ways along x.
fn is_open(field: &WalkableField, x: f32, ground: f32) -> bool {
    at(field, x, ground).is_some_and(|span| {
        [Direction::PosX, Direction::NegX]
            .into_iter()
            .all(|direction| field.links[span as usize][direction.index()] != NO_SPAN)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// A ceiling over one half of a floor, of triangles and as an obstacle.
    #[test]
    fn an_agent_stands_where_the_room_is_its_height(
        floor in 0.0..1.0_f32,
        on_lines in any::<[bool; 2]>(),
        level_height in prop::sample::select(vec![0.05_f32, 0.1, 0.15, 0.2, 0.3]),
        height in prop::sample::select(vec![2.0_f32, 1.75, 1.8, 0.9, 2.13]),
        more in -1.6..0.7_f32,
    ) {
        let on_line = |y: f32| (y / level_height).round() * level_height;
        let floor = if on_lines[0] { on_line(floor) } else { floor };
        let low = floor + height + more * level_height;
        let low = if on_lines[1] { on_line(low) } else { low };
        let agent = Agent::default().with_height(height).with_max_step(0.3);
        let scale = GridScale::new(0.3, level_height);
        let ground = [sheet([0.0, SIDE], [floor; 2], true), sheet([0.0, SIDE], [-4.0; 2], true)].concat();
        let over = ceiling([1.8, SIDE], [low; 2]);
        let of_triangles = field(&voxels(&soup(&[&*ground, &over].concat()), scale, &agent), &agent);
        let mut heightfield = voxels(&soup(&ground), scale, &agent);
        let (frame, whole) = (heightfield.frame, GridWindow::whole(&heightfield.frame));
        let bounds = Bounds { min: Vec3::new(1.8, low, 0.0), max: Vec3::new(SIDE, low + 0.7, SIDE) };
        let slab = Obstacle::solid(MarkShape::Box { bounds });
        let config = VoxelConfig::for_agent(&agent).with_scale(scale);
        stamp_obstacles(&mut heightfield, &frame, whole, &[slab], &config, &mut ()).unwrap();
        let room = (low - floor) / level_height;
        let needed = height / level_height;
        // A ceiling within a step of the floor merges with it, as low obstacles do.
        prop_assume!(room > 3.0);
        for field in [of_triangles, field(&heightfield, &agent)] {
            prop_assert!(is_open(&field, 0.5, floor), "under the sky");
            // In the first column under the ceiling, and under its middle.
            for x in [1.95, 2.7] {
                if room >= needed - 5e-5 {
                    prop_assert!(is_open(&field, x, floor), "{room} levels of {needed}");
                } else if room < needed - 1.0 - ROUNDING {
                    let found = at(&field, x, floor).map(|span| field.ground[span as usize]);
                    prop_assert_eq!(found, None, "{} levels of {} at {}", room, needed, x);
                }
            }
        }
    }

    /// A ramp under a level ceiling: the headroom shrinks along x.
    #[test]
    fn a_ramp_is_walked_up_to_where_the_ceiling_is_too_low(
        floor in 0.0..0.4_f32,
        low in 2.2..3.4_f32,
        rise in 0.0..1.0_f32,
        level_height in prop::sample::select(vec![0.1_f32, 0.15, 0.2]),
        height in prop::sample::select(vec![2.0_f32, 1.75]),
    ) {
        let agent = Agent::default().with_height(height).with_max_step(0.6);
        let slope = [sheet([0.0, SIDE], [floor, floor + rise], true), ceiling([0.0, SIDE], [low; 2])].concat();
        let field = field(&voxels(&soup(&slope), GridScale::new(0.3, level_height), &agent), &agent);
        for cell in 1..11_u8 {
            let x = f32::from(cell) * 0.3;
            let ground = |x: f32| floor + rise * x / SIDE;
            // Adjacent columns are linked where both have headroom above the higher end.
            let (least, middle) = (low - ground(x + 0.6), low - ground(x + 0.15));
            if least >= height + 1e-3 * level_height {
                prop_assert!(is_open(&field, x + 0.15, ground(x + 0.15)), "{least} m above the next column");
            } else if middle < height - (1.0 + ROUNDING) * level_height {
                prop_assert!(at(&field, x + 0.15, ground(x + 0.15)).is_none(), "{middle} m");
            }
        }
    }
}
