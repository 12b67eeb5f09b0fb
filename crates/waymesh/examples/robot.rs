//! A robot in a building: a floor plan with furniture, one mesh for robots of every radius, and a
//! way for each of two sizes.
//!
//! `cargo run --release --package waymesh --example robot -- [PLAN]`
//!
//! Plans are TOML, GeoJSON, WKT or SVG; without one, a small flat is made here.

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use std::error::Error;

use waymesh::Baker;
use waymesh::floorplan::{FloorPlan, Shape};
use waymesh::glam::vec3;
use waymesh::triangulate::ClearanceConfig;

fn main() -> Result<(), Box<dyn Error>> {
    let plan = match std::env::args().nth(1) {
        Some(file) => waymesh::floorplan::read_plan(file.as_ref(), &Default::default())?,
        None => flat(),
    };

    // Baked for a point: the radius of the robot is an option of each path.
    let mesh = Baker::plans().agent_radius(0.0).bake(&plan)?;
    let mesh = waymesh::with_clearance(mesh, &ClearanceConfig::default())?;

    let [from, to] = [vec3(1.0, 0.0, 1.0), vec3(9.0, 0.0, 1.0)];
    for radius in [0.2, 0.5] {
        let path = mesh.query(radius).shortest().path(from, to)?;
        println!("radius {radius} m: {:.2} m, {} points", path.length, path.points.len());
    }
    Ok(())
}

/// Two rooms, a narrow passage between them and a wide one farther away.
fn flat() -> FloorPlan {
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("ground", 0.0);
    let rectangle = |x: [f64; 2], z: [f64; 2]| vec![[x[0], z[0]], [x[1], z[0]], [x[1], z[1]], [x[0], z[1]]];
    storey.walkable.push(Shape::polygon("floor", rectangle([0.0, 10.0], [0.0, 8.0])));
    storey.blocked.push(Shape::polygon("wall, north", rectangle([4.9, 5.1], [0.0, 1.5])));
    storey.blocked.push(Shape::polygon("wall, middle", rectangle([4.9, 5.1], [2.1, 6.0])));
    storey.blocked.push(Shape::disc("table", [2.5, 4.0], 0.6));
    plan
}
