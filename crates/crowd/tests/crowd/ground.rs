//! Storeys, slopes, ground that changes.

use glam::{Vec3, Vec3Swizzles};
use waymesh::triangulate::ClearanceConfig;
use waymesh_core::PlanPoint;
use waymesh_crowd::{AgentParams, AgentStatus, Crowd, CrowdConfig};
use waymesh_graph::{FlagFilter, FlagTable};

use crate::support::{DT, Judge, Steps, at, crowd, flat, run, squares};

#[test]
fn storeys_do_not_see_each_other() {
    // Nearer than the height of the agents: only the ground distinguishes them.
    let storeys = [0.0, 1.2].map(|height| (PlanPoint::new(0, 0), [height; 4]));
    let mesh = squares(20, &storeys);
    let low: Vec<[Vec3; 2]> = (0..6_u8)
        .map(|row| [at(2.0, 3.0 * f32::from(row) + 2.0), at(18.0, 18.0 - 3.0 * f32::from(row))])
        .collect();
    let high: Vec<[Vec3; 2]> =
        low.iter().map(|trip| [trip[1], trip[0]].map(|place| place + 1.2 * Vec3::Y)).collect();
    let both: Vec<[Vec3; 2]> = low.iter().chain(&high).copied().collect();
    let (mut alone, _) = crowd(&mesh, AgentParams::default(), &low);
    let (mut together, agents) = crowd(&mesh, AgentParams::default(), &both);
    for _ in 0..600 {
        alone.take_step(&mesh, DT);
        together.take_step(&mesh, DT);
        for ((_, state), agent) in alone.agents().zip(&agents) {
            assert_eq!(state, together.agent(*agent).unwrap());
        }
    }
    for (agent, trip) in agents.iter().zip(both) {
        let state = together.agent(*agent).unwrap();
        assert_eq!(state.status, AgentStatus::Arrived);
        assert!((state.position.y - trip[0].y).abs() < 0.01);
    }
}

#[test]
fn agents_walk_up_and_down_slopes() {
    // Ground that rises 8 m over 20 m.
    let mesh = squares(20, &[(PlanPoint::new(0, 0), [0.0, 8.0, 8.0, 0.0])]);
    let up = (0..4_u8).map(|row| {
        let z = 4.0 * f32::from(row) + 4.0;
        [Vec3::new(2.0, 0.8, z), Vec3::new(18.0, 7.2, z)]
    });
    let trips: Vec<_> =
        up.flat_map(|[low, high]| [[low, high], [high + 0.3 * Vec3::Z, low + 0.3 * Vec3::Z]]).collect();
    let (mut crowd, agents) = crowd(&mesh, AgentParams::default(), &trips);
    let mut judge = Judge::default();
    for _ in 0..60 {
        crowd.take_step(&mesh, DT);
        judge.see(&crowd, &mesh);
    }
    for (agent, trip) in agents.iter().zip(&trips) {
        let state = crowd.agent(*agent).unwrap();
        assert!((state.position.y - 0.4 * state.position.x).abs() < 0.01, "{state:?}");
        assert!((trip[1].y - trip[0].y) * state.velocity.y > 0.0, "{state:?}");
        assert!((state.velocity.y / state.velocity.x - 0.4).abs() < 0.01, "{state:?}");
    }
    run(&mut crowd, &mesh, 60.0, &mut judge);
    assert!(judge.deepest < 0.02, "{judge:?}");
}

#[test]
fn agents_take_another_path_where_the_mesh_changes() {
    let rooms = [[0, 0, 100, 200], [103, 0, 200, 200]];
    let doors = [[100, 20, 103, 35], [100, 160, 103, 175]];
    let both = flat(&[rooms[0], rooms[1], doors[0], doors[1]]);
    let one = flat(&[rooms[0], rooms[1], doors[1]]);
    let none = flat(&rooms);
    let trips = [[at(5.0, 3.0), at(15.0, 3.0)], [at(5.0, 5.0), at(15.0, 5.0)]];
    let (mut crowd, agents) = crowd(&both, AgentParams::default(), &trips);
    let mut judge = Judge::default();
    for mesh in [&both, &none] {
        for _ in 0..60 {
            crowd.take_step(mesh, DT);
            judge.see(&crowd, mesh);
        }
    }
    // No path leads there: the agent walks as near as possible.
    for _ in 0..300 {
        crowd.take_step(&none, DT);
    }
    for (agent, trip) in agents.iter().zip(&trips) {
        assert_eq!(crowd.agent(*agent).unwrap().status, AgentStatus::Blocked);
        crowd.set_target(&one, *agent, trip[1]).unwrap();
    }
    run(&mut crowd, &one, 90.0, &mut judge);
    assert!(crowd.agents().all(|(_, state)| state.position.x > 14.0));
}

#[test]
fn a_filter_closes_ground_for_its_agent_alone() {
    let mesh = flat(&[[0, 0, 100, 100], [100, 0, 110, 100], [110, 0, 200, 100]]);
    let middle = mesh.nearest(at(10.5, 5.0), &mesh.default_reach()).unwrap().polygon;
    let mut flags = vec![1; mesh.polygon_count()];
    flags[middle.index()] = 2;
    let flags = FlagTable::from(flags);
    let filter = |include| FlagFilter { flags: flags.clone(), include, exclude: 0 };
    let mut crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let params = AgentParams::default();
    let closed = crowd.add(&mesh, params.with_filter(filter(1)), at(2.0, 4.0)).unwrap();
    let open = crowd.add(&mesh, params.with_filter(filter(3)), at(2.0, 6.0)).unwrap();
    for agent in [closed, open] {
        crowd.set_target(&mesh, agent, at(18.0, 5.0)).unwrap();
    }
    for _ in 0..600 {
        crowd.take_step(&mesh, DT);
        assert_ne!(crowd.agent(closed).unwrap().place.polygon, middle);
    }
    assert_eq!(crowd.agent(open).unwrap().status, AgentStatus::Arrived);
    let state = crowd.agent(closed).unwrap();
    assert_eq!(state.status, AgentStatus::Blocked);
    assert!((state.position.xz().x - 9.7).abs() < 0.5, "{state:?}");
    // It waits until the ground opens, and continues.
    flags.set(middle, 1);
    for _ in 0..600 {
        crowd.take_step(&mesh, DT);
    }
    assert_eq!(crowd.agent(closed).unwrap().status, AgentStatus::Arrived);
}

#[test]
fn who_loses_the_ground_walks_back_to_it() {
    let whole = flat(&[[0, 0, 200, 100]]);
    let hole = flat(&[[0, 0, 90, 100], [110, 0, 200, 100], [90, 0, 110, 20]]);
    let trips: Vec<_> =
        (0..6_u8).map(|row| 1.2 * f32::from(row) + 2.6).map(|z| [at(2.0, z), at(18.0, z)]).collect();
    let (mut crowd, agents) = crowd(&whole, AgentParams::default(), &trips);
    while crowd.agents().all(|(_, state)| state.position.x < 10.0) {
        crowd.take_step(&whole, DT);
    }
    // The ground changes repeatedly, also while the agents walk back.
    for round in 0..40 {
        for _ in 0..12 {
            crowd.take_step(if round % 3 == 1 { &whole } else { &hole }, DT);
        }
    }
    for (agent, trip) in agents.iter().zip(&trips) {
        crowd.set_target(&hole, *agent, trip[1]).unwrap();
    }
    for _ in 0..60 * 30 {
        crowd.take_step(&hole, DT);
    }
    for agent in agents {
        let state = crowd.agent(agent).unwrap();
        assert_eq!(state.status, AgentStatus::Arrived);
        assert!(state.position.distance(state.place.position) < 1e-4, "{state:?}");
    }
}

#[test]
fn closed_crossings_are_closed_for_agents_of_any_width() {
    #[derive(Clone, Debug)]
    struct NoEntry(waymesh_core::PolyId);
    impl waymesh_graph::TravelCost for NoEntry {
        fn per_metre(&self, _: &waymesh_graph::NavMesh, _: waymesh_core::PolyId) -> f32 {
            1.0
        }
        fn entering(
            &self,
            _: &waymesh_graph::NavMesh,
            _: waymesh_core::PolyId,
            to: waymesh_core::PolyId,
        ) -> f32 {
            if to == self.0 { f32::INFINITY } else { 0.0 }
        }
    }
    // A near door that costs too much, and a far one.
    let mesh = flat(&[[0, 0, 100, 200], [103, 0, 200, 200], [100, 20, 103, 44], [100, 150, 103, 174]]);
    let door = mesh.nearest(at(10.15, 3.2), &mesh.default_reach()).unwrap().polygon;
    let mesh = waymesh::with_clearance(mesh, &Default::default()).unwrap();
    for radius in [0.25, 0.5, 0.8] {
        let mut crowd = Crowd::new(CrowdConfig::default()).unwrap();
        let params = AgentParams::default().with_radius(radius).with_cost(NoEntry(door));
        let agent = crowd.add(&mesh, params, at(5.0, 3.2)).unwrap();
        crowd.set_target(&mesh, agent, at(15.0, 3.2)).unwrap();
        for _ in 0..60 * 30 {
            crowd.take_step(&mesh, DT);
            assert_ne!(crowd.agent(agent).unwrap().place.polygon, door, "radius {radius}");
        }
        // A wide disc finds the path to the far door only if the path is planned for its centre.
        let state = crowd.agent(agent).unwrap();
        assert_eq!(state.status, AgentStatus::Arrived, "radius {radius}: {state:?}");
    }
}

/// Two rooms touch along a line without a crossing: a position there lies in both rooms, a location
/// in one.
#[test]
fn agents_and_targets_keep_the_ground_of_locations() {
    let mesh = squares(20, &[(PlanPoint::new(0, 0), [0.0; 4]), (PlanPoint::new(200, 0), [0.0; 4])]);
    let clear = waymesh::with_clearance(mesh.clone(), &ClearanceConfig::default()).unwrap();
    let polygons = [5.0, 35.0].map(|x| mesh.nearest(at(x, 10.0), &mesh.default_reach()).unwrap().polygon);
    for radius in [0.3, 0.6] {
        for is_disc in [false, true] {
            for (room, z) in [(0, 3.0), (1, 3.0), (0, 11.0), (1, 11.0)] {
                let [own, other] = [room, 1 - room]
                    .map(|room| mesh.closest_on_polygon(polygons[room], at(20.0, z)).unwrap());
                let name = format!("radius {radius}, disc {is_disc}, room {room}, z {z}");
                let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
                let params = AgentParams::default().with_radius(radius);
                let begin = at(if room == 0 { 12.0 } else { 28.0 }, z);
                let ids = if is_disc {
                    let ids =
                        [crowd.add(&clear, params, own), crowd.add(&clear, params, begin + 4.0 * Vec3::Z)];
                    crowd.set_target(&clear, *ids[1].as_ref().unwrap(), other).unwrap();
                    ids
                } else {
                    let ids =
                        [crowd.add(&mesh, params, own), crowd.add(&mesh, params, begin + 4.0 * Vec3::Z)];
                    crowd.set_target(&mesh, *ids[1].as_ref().unwrap(), other).unwrap();
                    ids
                };
                let [standing, walking] = ids.map(Result::unwrap);
                assert_eq!(crowd.agent(standing).unwrap().place.polygon, polygons[room], "{name}");
                let goal = at(if room == 0 { 15.0 } else { 25.0 }, z);
                if is_disc {
                    crowd.set_target(&clear, standing, goal).unwrap();
                } else {
                    crowd.set_target(&mesh, standing, goal).unwrap();
                }
                for _ in 0..30 * 25 {
                    if is_disc {
                        crowd.take_step(&clear, DT);
                    } else {
                        crowd.take_step(&mesh, DT);
                    }
                    for agent in [standing, walking] {
                        assert_eq!(crowd.agent(agent).unwrap().place.polygon, polygons[room], "{name}");
                    }
                }
                // Another room is out of reach.
                assert_eq!(crowd.agent(standing).unwrap().status, AgentStatus::Arrived, "{name}");
                assert_eq!(crowd.agent(walking).unwrap().status, AgentStatus::Blocked, "{name}");
                // In either room at once, on foot and standing.
                for agent in [standing, walking] {
                    for place in [other, own, other] {
                        crowd.set_position(&mesh, agent, place).unwrap();
                        assert_eq!(crowd.agent(agent).unwrap().place.polygon, place.polygon, "{name}");
                    }
                }
            }
        }
    }
}

/// A body keeps its radius from walls, so its centre does not come to a target at one.
#[test]
fn agents_arrive_before_targets_at_walls() {
    let mesh = flat(&[[0, 0, 100, 60]]);
    for radius in [0.25, 0.45, 0.8] {
        for target in [at(0.0, 0.0), at(5.0, 0.0), at(10.0, 3.0), at(9.9, 5.95), at(3.0, 5.8)] {
            let (mut crowd, agents) =
                crowd(&mesh, AgentParams::default().with_radius(radius), &[[at(5.0, 3.0), target]]);
            for _ in 0..30 * 15 {
                crowd.take_step(&mesh, DT);
            }
            let state = crowd.agent(agents[0]).unwrap();
            assert_eq!(state.status, AgentStatus::Arrived, "radius {radius}: {state:?}");
            // In a corner as far from both walls as the radius.
            assert!(state.position.distance(target) < 1.5 * radius + 0.1, "radius {radius}: {state:?}");
        }
    }
}
