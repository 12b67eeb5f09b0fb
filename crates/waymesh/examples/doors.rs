//! Doors that open and close while somebody walks: a floor plan with two rooms, two doors between
//! them, and a corridor that follows.
//!
//! `cargo run --release --package waymesh --example doors`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use std::error::Error;

use waymesh::floorplan::{Door, FloorPlan, Shape};
use waymesh::glam::vec3;
use waymesh::graph::{CorridorChange, CorridorOptions};
use waymesh::{Baker, Outcome, PathCorridor, PlanWorld, QueryScratch};

fn main() -> Result<(), Box<dyn Error>> {
    // Two rooms and two doors between them: one right ahead, the other some metres off.
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("ground", 0.0);
    let rectangle = |x: [f64; 2], z: [f64; 2]| vec![[x[0], z[0]], [x[1], z[0]], [x[1], z[1]], [x[0], z[1]]];
    storey.walkable.push(Shape::polygon("building", rectangle([0.0, 20.0], [0.0, 10.0])));
    storey.blocked.push(Shape::polygon("wall", rectangle([9.8, 10.2], [0.0, 10.0])));
    for (name, z) in [("shortcut", 2.0), ("passage", 7.0)] {
        // Slightly deeper than the wall.
        storey.doors.push(Door { depth: 0.8, ..Door::new(name, [[10.0, z], [10.0, z + 2.0]]) });
    }

    // A world keeps the state of doors through all changes. Its mesh is fetched in every frame.
    let mut world = PlanWorld::new(Baker::plans(), plan, 7.0)?;
    world.update(&mut ())?;
    let handle = world.handle();
    let mut scratch = QueryScratch::default();
    let mut corridor = PathCorridor::new(CorridorOptions::default());
    let [from, to] = [vec3(5.0, 0.0, 3.0), vec3(15.0, 0.0, 3.0)];
    corridor.plan(&handle.mesh(), from, to, &mut scratch)?;

    let mut lengths = Vec::new();
    for (door, is_open) in [("shortcut", false), ("passage", false), ("passage", true), ("shortcut", true)] {
        let before = corridor.path().length;
        world.set_door_open(door, is_open)?;
        // The agent has moved. The corridor checks for changes.
        let change = corridor.move_start(&handle.mesh(), from, &mut scratch)?;
        let path = corridor.path();
        let state = if is_open { "opens" } else { "closes" };
        println!("{door} {state}: {before:.2} m, now {:.2} m, {:?}, {change:?}", path.length, path.outcome);
        lengths.push((path.outcome, path.length));
        assert_ne!(change, CorridorChange::Nothing);
    }
    // Round through the passage; up to a closed door; round again; a corridor that leads to its goal
    // keeps its way when a shorter one opens, until it is planned again.
    let [round, shut, again, kept] = lengths[..] else { return Err("four changes".into()) };
    assert!(round.0 == Outcome::Complete && shut.0 != Outcome::Complete);
    assert!(again.0 == Outcome::Complete && (again.1 - round.1).abs() < 1e-3);
    corridor.plan(&handle.mesh(), from, to, &mut scratch)?;
    println!("planned again: {:.2} m", corridor.path().length);
    assert!(corridor.path().length <= kept.1 && corridor.path().length + 1.0 < round.1);
    Ok(())
}
