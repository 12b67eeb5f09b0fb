//! Doors that open and close: a floor plan with two doors, of which one is locked and unlocked.
//!
//! `cargo run --release --package waymesh --example doors`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use std::error::Error;

use waymesh::floorplan::{Door, FloorPlan, Shape};
use waymesh::glam::vec3;
use waymesh::graph::LinkId;
use waymesh::{Baker, LinkKind, PathOptions, QueryScratch};

fn main() -> Result<(), Box<dyn Error>> {
    // Two rooms and a corridor along both. The short way from room to room is the door between
    // them, the long one leads through the corridor.
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("ground", 0.0);
    let rectangle = |x: [f64; 2], z: [f64; 2]| vec![[x[0], z[0]], [x[1], z[0]], [x[1], z[1]], [x[0], z[1]]];
    storey.walkable.push(Shape::polygon("building", rectangle([0.0, 20.0], [0.0, 10.0])));
    storey.blocked.push(Shape::polygon("wall, north", rectangle([9.8, 10.2], [0.0, 2.0])));
    storey.blocked.push(Shape::polygon("wall, south", rectangle([9.8, 10.2], [4.0, 7.0])));
    storey.doors.push(Door::new("shortcut", [[10.0, 2.0], [10.0, 4.0]]));

    let mut mesh = Baker::plans().bake(&plan)?;
    let mut scratch = QueryScratch::default();
    let [from, to] = [vec3(5.0, 0.0, 3.0), vec3(15.0, 0.0, 3.0)];
    let open = mesh.find_path(from, to, &PathOptions::default(), &mut scratch)?;
    println!("door open:   {:.2} m over {} links", open.length, open.links.len());

    // A door of a plan is one link, or several where polygons meet in it. `data` is its number.
    let door: Vec<_> = mesh.links().iter().filter(|link| link.kind == LinkKind::Door).copied().collect();
    while let Some(number) = mesh.links().iter().position(|link| link.kind == LinkKind::Door) {
        mesh.remove_link(LinkId(u32::try_from(number)?));
    }
    let closed = mesh.find_path(from, to, &PathOptions::default(), &mut scratch)?;
    println!("door closed: {:.2} m over {} links", closed.length, closed.links.len());

    for link in door {
        mesh.add_link(link)?;
    }
    let again = mesh.find_path(from, to, &PathOptions::default(), &mut scratch)?;
    println!("door open:   {:.2} m over {} links", again.length, again.links.len());

    assert!(closed.length > open.length + 1.0);
    assert!((again.length - open.length).abs() < 1e-3);
    Ok(())
}
