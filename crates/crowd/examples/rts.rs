//! Real-time strategy: scouts, tanks and giants of three radii on one mesh, sent to one place.
//!
//! `cargo run --release --package waymesh-crowd --example rts`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use waymesh::glam::vec3;
use waymesh::{Baker, with_clearance};
use waymesh_crowd::{AgentParams, AgentStatus, Crowd};
use waymesh_scenes::{Scene, SceneConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Baked for a point: each unit keeps its own radius from walls, and takes doors that fit it.
    let level = Scene::DungeonRooms.build(&SceneConfig::default());
    let mesh = with_clearance(Baker::voxels().agent_radius(0.0).bake(&level)?, &Default::default())?;

    let mut crowd = Crowd::default();
    for (row, radius) in [(0_u8, 0.3), (1, 0.6), (2, 0.9)] {
        for column in 0..4_u8 {
            let start = vec3(4.0 + 2.2 * f32::from(column), 0.0, 4.0 + 2.2 * f32::from(row));
            let unit = AgentParams::default().with_radius(radius).with_max_speed(4.0).with_priority(row);
            let unit = crowd.add(&mesh, unit, start)?;
            crowd.set_target(&mesh, unit, vec3(49.0, 0.0, 49.0))?;
        }
    }
    for second in 1..=60 {
        (0..30).try_for_each(|_| crowd.step(&mesh, 1.0 / 30.0))?;
        if second % 10 == 0 {
            let arrived = crowd.agents().filter(|(_, unit)| unit.status == AgentStatus::Arrived).count();
            println!("{second} s: {arrived} of {} units are there", crowd.len());
        }
    }
    let has_arrived = |status| status == AgentStatus::Arrived;
    assert!(crowd.agents().all(|(_, unit)| has_arrived(unit.status)));
    Ok(())
}
