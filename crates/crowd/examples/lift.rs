//! Guests go upstairs by the stairs and by a lift for two. The front door is closed at first.
//!
//! `cargo run --release --package waymesh-crowd --example lift`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use waymesh::floorplan::{EXAMPLE, PlanFormat, ReadOptions, parse_plan};
use waymesh::glam::vec3;
use waymesh::{Baker, LinkKind, PlanWorld};
use waymesh_crowd::{AgentParams, AgentStatus, Crowd, LinkRule};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let house = parse_plan("house.toml", EXAMPLE.as_bytes(), PlanFormat::Toml, &ReadOptions::default())?;
    let mut world = PlanWorld::new(Baker::plans(), house, 8.0)?;
    world.update(&mut ())?;
    world.set_door_open("front door", false)?;
    let handle = world.handle();

    let mut crowd = Crowd::default();
    for (id, _) in handle.mesh().links_by_id().filter(|(_, link)| link.kind == LinkKind::Lift) {
        crowd.set_link_rule(&handle, id, LinkRule::default().with_seconds(6.0).with_capacity(2))?;
    }
    for guest in 0..8_u8 {
        let place = vec3(3.5 + 0.6 * f32::from(guest), 0.0, 11.5);
        let agent = crowd.add(&handle, AgentParams::default().with_radius(0.2), place)?;
        crowd.set_target(&handle, agent, vec3(8.0 + 0.4 * f32::from(guest), 3.0, 2.0))?;
    }
    for second in 0..40 {
        if second == 10 {
            world.set_door_open("front door", true)?;
        }
        (0..30).try_for_each(|_| crowd.step(&handle, 1.0 / 30.0))?;
        let count =
            |is: fn(AgentStatus) -> bool| crowd.agents().filter(|(_, guest)| is(guest.status)).count();
        let outside = count(|status| status == AgentStatus::Blocked);
        let between = count(|status| matches!(status, AgentStatus::OnLink { .. }));
        let upstairs = count(|status| status == AgentStatus::Arrived);
        println!("{outside} outside, {between} on lift and stairs, {upstairs} upstairs");
        assert!((second != 9 || outside == 8) && (second != 39 || upstairs == 8));
    }
    Ok(())
}
