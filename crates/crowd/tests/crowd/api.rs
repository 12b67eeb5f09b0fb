//! Accepted and refused input of a crowd, and a game that moves its agents itself.

use glam::Vec3;
use waymesh_crowd::{AgentParams, AgentStatus, Crowd, CrowdConfig, CrowdError, LinkRule};
use waymesh_graph::LinkId;

use crate::support::{DT, Judge, Steps, at, crowd, flat, run};

#[test]
fn fields_out_of_range_are_named() {
    let field = |error: CrowdError| match error {
        CrowdError::BadField(bad) => bad.field,
        other => panic!("{other}"),
    };
    let config = CrowdConfig::default();
    for (bad, name) in [
        (config.with_horizon(0.0), "horizon"),
        (config.with_wall_horizon(f32::NAN), "wall_horizon"),
        (config.with_max_neighbours(33), "max_neighbours"),
        (config.with_lane_bias(2.0), "lane_bias"),
        (config.with_plans_per_step(0), "plans_per_step"),
        (config.with_stuck_after(-1.0), "stuck_after"),
    ] {
        assert_eq!(field(Crowd::<waymesh_graph::AnyPolygon>::new(bad).unwrap_err()), name);
    }
    let mesh = flat(&[[0, 0, 100, 100]]);
    let mut crowd: Crowd = Crowd::new(config).unwrap();
    let params = AgentParams::default();
    for (bad, name) in [
        (params.with_radius(0.0), "radius"),
        (params.with_height(f32::INFINITY), "height"),
        (params.with_max_speed(-1.0), "max_speed"),
        (params.with_acceleration(0.0), "acceleration"),
        (params.with_arrival_distance(f32::NAN), "arrival_distance"),
    ] {
        assert_eq!(field(crowd.add(&mesh, bad, at(5.0, 5.0)).unwrap_err()), name);
    }
    assert_eq!(field(crowd.step(&mesh, 0.0).unwrap_err()), "seconds");
    assert_eq!(
        field(crowd.set_link_rule(&mesh, LinkId(0), LinkRule::default().with_capacity(0)).unwrap_err()),
        "capacity"
    );
    assert_eq!(
        field(crowd.set_link_rule(&mesh, LinkId(0), LinkRule::default().with_seconds(-1.0)).unwrap_err()),
        "seconds"
    );
    let link = LinkId(7);
    assert_eq!(crowd.set_link_rule(&mesh, link, LinkRule::default()), Err(CrowdError::NoLink { link }));
}

#[test]
fn positions_and_targets_off_the_mesh_are_refused() {
    let mesh = flat(&[[0, 0, 100, 100]]);
    let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let query = |error| matches!(error, CrowdError::Query(_));
    assert!(query(crowd.add(&mesh, AgentParams::default(), at(50.0, 5.0)).unwrap_err()));
    assert!(query(crowd.add(&mesh, AgentParams::default(), Vec3::NAN).unwrap_err()));
    let agent = crowd.add(&mesh, AgentParams::default(), at(5.0, 5.0)).unwrap();
    assert!(query(crowd.set_target(&mesh, agent, at(50.0, 5.0)).unwrap_err()));
    let error = crowd.set_target(&mesh, agent, Vec3::NAN).unwrap_err();
    assert!(matches!(error, CrowdError::BadTarget { .. }));
    assert!(query(crowd.set_position(&mesh, agent, at(50.0, 5.0)).unwrap_err()));
    assert_eq!(crowd.agent(agent).unwrap().position, at(5.0, 5.0));
}

#[test]
fn ids_are_never_used_again() {
    let mesh = flat(&[[0, 0, 100, 100]]);
    let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let first = crowd.add(&mesh, AgentParams::default(), at(5.0, 5.0)).unwrap();
    crowd.set_target(&mesh, first, at(8.0, 8.0)).unwrap();
    assert!(crowd.remove(first) && !crowd.remove(first) && crowd.is_empty());
    let second = crowd.add(&mesh, AgentParams::default(), at(5.0, 5.0)).unwrap();
    assert_ne!(first, second);
    assert_eq!(crowd.agent(first), None);
    assert_eq!(crowd.set_target(&mesh, first, at(1.0, 1.0)), Err(CrowdError::NoAgent { agent: first }));
    crowd.take_step(&mesh, DT);
    assert_eq!(crowd.agent(second).unwrap().status, AgentStatus::Idle);
    assert_eq!(crowd.len(), 1);
}

#[test]
fn a_game_moves_its_agents_itself() {
    let mesh = flat(&[[0, 0, 100, 100], [100, 40, 103, 60], [103, 0, 200, 100]]);
    let trips = [[at(2.0, 2.0), at(18.0, 8.0)], [at(18.0, 2.0), at(2.0, 8.0)]];
    let (mut crowd, agents) = crowd(&mesh, AgentParams::default(), &trips);
    let mut judge = Judge::default();
    for _ in 0..900 {
        let before: Vec<Vec3> = agents.iter().map(|&agent| crowd.agent(agent).unwrap().position).collect();
        crowd.steer(&mesh, DT).unwrap();
        for (&agent, before) in agents.iter().zip(before) {
            let state = crowd.agent(agent).unwrap();
            assert_eq!(state.position, before);
            crowd.set_position(&mesh, agent, before + DT * state.velocity).unwrap();
        }
        judge.see(&crowd, &mesh);
    }
    assert!(crowd.agents().all(|(_, state)| state.status == AgentStatus::Arrived));
    assert!(judge.deepest < 0.02);
}

#[test]
fn a_target_that_moves_is_followed_and_one_that_is_taken_away_is_not() {
    let mesh = flat(&[[0, 0, 300, 300]]);
    let (mut crowd, agents) = crowd(&mesh, AgentParams::default(), &[[at(2.0, 2.0), at(10.0, 2.0)]]);
    let mut target = at(10.0, 2.0);
    for step in 0..600_u16 {
        if step < 450 {
            target += at(0.02, 0.03);
            crowd.set_target(&mesh, agents[0], target).unwrap();
        }
        crowd.take_step(&mesh, DT);
        let state = crowd.agent(agents[0]).unwrap();
        assert!(
            step < 5 || state.velocity.length() > 0.1 || state.position.distance(target) < 0.3,
            "{state:?}"
        );
    }
    assert_eq!(crowd.agent(agents[0]).unwrap().status, AgentStatus::Arrived);
    crowd.set_target(&mesh, agents[0], at(2.0, 2.0)).unwrap();
    for _ in 0..60 {
        crowd.take_step(&mesh, DT);
    }
    crowd.stop(agents[0]).unwrap();
    for _ in 0..60 {
        crowd.take_step(&mesh, DT);
    }
    let state = crowd.agent(agents[0]).unwrap();
    assert_eq!(state.status, AgentStatus::Idle);
    assert!(state.velocity.length() < 1e-3 && state.position.distance(at(2.0, 2.0)) > 1.0);
}

#[test]
fn a_teleported_agent_goes_on_from_there() {
    let mesh = flat(&[[0, 0, 300, 100], [300, 40, 303, 60], [303, 0, 600, 100]]);
    let (mut crowd, agents) = crowd(&mesh, AgentParams::default(), &[[at(2.0, 2.0), at(58.0, 8.0)]]);
    for _ in 0..30 {
        crowd.take_step(&mesh, DT);
    }
    crowd.set_position(&mesh, agents[0], at(50.0, 2.0)).unwrap();
    assert_eq!(crowd.agent(agents[0]).unwrap().position, at(50.0, 2.0));
    let time = run(&mut crowd, &mesh, 20.0, &mut Judge::default());
    assert!(time < 9.0, "{time}");
}

#[test]
fn who_arrived_has_arrived_with_other_parameters() {
    let mesh = flat(&[[0, 0, 200, 200]]);
    let (mut crowd, agents) = crowd(&mesh, AgentParams::default(), &[[at(2.0, 2.0), at(5.0, 6.0)]]);
    run(&mut crowd, &mesh, 20.0, &mut Judge::default());
    crowd.set_params(agents[0], AgentParams::default().with_radius(0.2)).unwrap();
    for _ in 0..3 {
        assert_eq!(crowd.agent(agents[0]).unwrap().status, AgentStatus::Arrived);
        crowd.take_step(&mesh, DT);
    }
}

#[test]
fn few_plans_a_step_serve_all_in_turn() {
    let mesh = flat(&[[0, 0, 300, 300]]);
    let mut crowd: Crowd = Crowd::new(CrowdConfig::default().with_plans_per_step(2)).unwrap();
    for row in 0..10_u8 {
        let agent = crowd.add(&mesh, AgentParams::default(), at(2.0, 2.0 * f32::from(row) + 2.0)).unwrap();
        crowd.set_target(&mesh, agent, at(28.0, 2.0 * f32::from(row) + 2.0)).unwrap();
    }
    for step in 1..=5 {
        crowd.take_step(&mesh, DT);
        let waiting = crowd.agents().filter(|(_, state)| state.status == AgentStatus::Waiting).count();
        assert_eq!(waiting, 10 - 2 * step);
    }
    run(&mut crowd, &mesh, 40.0, &mut Judge::default());
}

#[test]
fn who_arrived_stays_however_long_the_steps_are() {
    let mesh = flat(&[[0, 0, 200, 200]]);
    for dt in [1.0 / 120.0, 1.0 / 60.0, DT, 0.1, 0.2, 0.25] {
        let (mut crowd, agents) = crowd(&mesh, AgentParams::default(), &[[at(2.0, 2.0), at(5.0, 6.0)]]);
        let mut time = 0.0;
        let mut arrived = None::<f32>;
        while time < 12.0 {
            crowd.take_step(&mesh, dt);
            time += dt;
            let state = crowd.agent(agents[0]).unwrap();
            if state.status == AgentStatus::Arrived {
                arrived = arrived.or(Some(time));
            }
            if let Some(arrived) = arrived {
                assert_eq!(state.status, AgentStatus::Arrived, "{time} s, steps of {dt} s");
                let off = state.position.distance(at(5.0, 6.0));
                assert!(off < 0.2, "{off} m past its target {} s later, steps of {dt} s", time - arrived);
            }
        }
        let arrived = arrived.unwrap();
        assert!(arrived < 4.5, "{arrived} s for 5 m in steps of {dt} s");
    }
}
