//! Draws the picture of the README, an animation of two streams that cross, and of a hall that is
//! left through a door: `cargo run --release -p waymesh-crowd --example picture [FILE.svg]`.
#![expect(clippy::print_stdout, reason = "a program that prints its results")]

use std::fmt::Write as _;
use std::path::PathBuf;

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::Agent;
use waymesh_crowd::{AgentId, AgentParams, AgentStatus, Crowd};
use waymesh_graph::NavMesh;
use waymesh_testkit::flat_meshes;
use waymesh_testkit::grid_maps::rectangle_borders;

type Failure = Box<dyn std::error::Error>;

const RADIUS: f32 = 0.25;
const STEPS_A_SECOND: u16 = 30;
/// Steps between two recorded positions of an agent.
const STRIDE: u16 = 30;
/// Seconds of the clip.
const SECONDS: u16 = 30;
/// Size of the scene in metres.
const SIZE: [f32; 2] = [60.0, 25.0];

/// Start and target of a group of agents, and their colour.
type Trip = ([Vec3; 2], &'static str);

fn main() -> Result<(), Failure> {
    let file = std::env::args().nth(1).map_or_else(|| std::env::temp_dir().join("crowd.svg"), PathBuf::from);
    let at = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    // In decimetres. The walls are real walls, whereas the borders of a baked mesh keep the radius
    // of its agent from walls.
    let crossing: &[[i32; 4]] = &[
        [0, 100, 100, 150],
        [100, 100, 150, 150],
        [150, 100, 250, 150],
        [100, 0, 150, 100],
        [100, 150, 150, 250],
    ];
    let door: &[[i32; 4]] = &[[270, 50, 400, 200], [400, 119, 403, 131], [403, 50, 600, 200]];
    let rows = |count: u8, columns: u8| (0..count).map(move |index| (index % columns, index / columns));
    let mut trips: Vec<Trip> = Vec::new();
    for (along, across) in rows(24, 6) {
        let (along, across) = (0.7 + 1.1 * f32::from(along), 10.7 + 1.1 * f32::from(across));
        trips.push(([at(along, across), at(along + 14.0, across)], "#d55e00"));
        trips.push(([at(across, along), at(across, along + 14.0)], "#0072b2"));
    }
    for (x, z) in rows(40, 5) {
        let from = at(28.0 + 1.2 * f32::from(x), 6.5 + 1.2 * f32::from(z));
        trips.push(([from, from + at(21.0, 0.0)], "#009e73"));
    }
    let all = [crossing, door].concat();
    let mut polygons = flat_meshes::build(&rectangle_borders(&all));
    polygons.frame.cell_size = 0.1;
    let mesh = NavMesh::new(polygons, None, Agent::default().with_radius(0.0))?;

    let mut crowd: Crowd = Crowd::default();
    let mut agents = Vec::new();
    for &([from, to], colour) in &trips {
        let agent = crowd.add(&mesh, AgentParams::default().with_radius(RADIUS), from)?;
        crowd.set_target(&mesh, agent, to)?;
        agents.push(Walker { agent, colour, places: vec![from] });
    }
    for step in 1..=SECONDS * STEPS_A_SECOND {
        crowd.step(&mesh, 1.0 / f32::from(STEPS_A_SECOND))?;
        if step.is_multiple_of(STRIDE) {
            for Walker { agent, places, .. } in &mut agents {
                places.extend(crowd.agent(*agent).map(|state| state.position));
            }
        }
        if step.is_multiple_of(10 * STEPS_A_SECOND) {
            let arrived = crowd.agents().filter(|(_, state)| state.status == AgentStatus::Arrived).count();
            println!("{} s: {arrived} of {} arrived", step / STEPS_A_SECOND, agents.len());
        }
    }
    std::fs::write(&file, clip(&mesh, &agents)?)?;
    println!("{}", file.display());
    Ok(())
}

/// An agent, and its recorded positions.
struct Walker {
    agent: AgentId,
    colour: &'static str,
    places: Vec<Vec3>,
}

/// Returns a top view of the mesh and all agents, animated in a browser.
fn clip(mesh: &NavMesh, agents: &[Walker]) -> Result<String, std::fmt::Error> {
    let [width, depth] = SIZE;
    let mut svg =
        format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {depth}' width='960'>\n");
    writeln!(svg, "<rect width='{width}' height='{depth}' fill='#fff'/>")?;
    for polygon in mesh.polygons() {
        let points: Vec<String> = polygon.positions().map(|at| format!("{:.1},{:.1}", at.x, at.z)).collect();
        writeln!(svg, "<polygon points='{}' fill='#ddd'/>", points.join(" "))?;
    }
    for Walker { colour, places, .. } in agents {
        let Some(first) = places.first() else { continue };
        writeln!(svg, "<circle cx='{:.1}' cy='{:.1}' r='{RADIUS}' fill='{colour}'>", first.x, first.z)?;
        for (name, axis) in [("cx", 0), ("cy", 1)] {
            let values: Vec<String> = places.iter().map(|at| format!("{:.1}", at.xz()[axis])).collect();
            let values = values.join(";");
            writeln!(
                svg,
                "<animate attributeName='{name}' dur='{SECONDS}s' repeatCount='indefinite' values='{values}'/>"
            )?;
        }
        svg.push_str("</circle>\n");
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}
