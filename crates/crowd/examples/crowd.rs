//! A hundred people leave a hall through a door. Draws them after every five seconds:
//! `cargo run --release -p waymesh-crowd --example crowd [FOLDER]`.
#![expect(clippy::print_stdout, reason = "a program that says what it did")]

use std::fmt::Write as _;
use std::path::PathBuf;

use glam::Vec3;
use waymesh_core::Agent;
use waymesh_crowd::{AgentParams, AgentStatus, Crowd, CrowdConfig};
use waymesh_graph::NavMesh;
use waymesh_testkit::flat_meshes;
use waymesh_testkit::grid_maps::rectangle_borders;

const RADIUS: f32 = 0.25;
const STEPS_A_SECOND: u16 = 30;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    // Two halls and a door of 1.2 m between them, in decimetres. Its walls are real walls: a mesh that
    // was baked keeps the radius of its agent from them.
    let mut polygons =
        flat_meshes::build(&rectangle_borders(&[[0, 0, 150, 200], [150, 94, 153, 106], [153, 0, 450, 200]]));
    polygons.frame.cell_size = 0.1;
    let mesh = NavMesh::new(polygons, None, Agent::default().with_radius(0.0))?;

    let mut crowd: Crowd = Crowd::new(CrowdConfig::default())?;
    let mut agents = Vec::new();
    for index in 0..100_u8 {
        let from = Vec3::new(1.0 + f32::from(index % 10), 0.0, 5.0 + f32::from(index / 10));
        let agent = crowd.add(&mesh, AgentParams::default().with_radius(RADIUS), from)?;
        crowd.set_target(&mesh, agent, from + Vec3::new(25.0, 0.0, 0.0))?;
        agents.push(agent);
    }
    for step in 1..=120 * STEPS_A_SECOND {
        crowd.step(&mesh, 1.0 / f32::from(STEPS_A_SECOND))?;
        let arrived = crowd.agents().filter(|(_, state)| state.status == AgentStatus::Arrived).count();
        if step.is_multiple_of(5 * STEPS_A_SECOND) || arrived == agents.len() {
            let seconds = step / STEPS_A_SECOND;
            let file = folder.join(format!("crowd-{seconds:03}.svg"));
            std::fs::write(&file, picture(&mesh, &crowd)?)?;
            println!("{seconds:3} s: {arrived} of {} arrived, {}", agents.len(), file.display());
        }
        if arrived == agents.len() {
            break;
        }
    }
    Ok(())
}

/// The mesh and all agents from above.
fn picture(mesh: &NavMesh, crowd: &Crowd) -> Result<String, std::fmt::Error> {
    let mut svg = String::from("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 45 20' width='900'>\n");
    for polygon in mesh.polygons() {
        let points: Vec<String> = polygon.positions().map(|at| format!("{},{}", at.x, at.z)).collect();
        writeln!(svg, "<polygon points='{}' fill='#ddd'/>", points.join(" "))?;
    }
    for (_, state) in crowd.agents() {
        let Vec3 { x, z, .. } = state.position;
        writeln!(svg, "<circle cx='{x}' cy='{z}' r='{RADIUS}' fill='#27c'/>")?;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}
