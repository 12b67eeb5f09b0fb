//! Links take time, and agents queue at them.

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::{PlanPoint, PlanVertex, PolyId};
use waymesh_crowd::{AgentParams, AgentStatus, Crowd, LinkRule};
use waymesh_graph::{Link, LinkEnd, LinkId, LinkKind, NavMesh};

use crate::support::{DT, Judge, Steps, at, crowd, rows, run, squares};

/// Returns two squares 5 m apart, the second 3 m higher, and a link between the middles of their
/// borders.
fn gap() -> NavMesh {
    let mesh = squares(10, &[(PlanPoint::new(0, 0), [0.0; 4]), (PlanPoint::new(150, 0), [3.0; 4])]);
    let end = |polygon, x, height| LinkEnd {
        polygon: PolyId(polygon),
        ends: [PlanVertex { point: PlanPoint::new(x, 50), height }; 2],
    };
    mesh.with_links(vec![Link::new(end(0, 97, 0.0), end(1, 153, 3.0), LinkKind::Jump)]).unwrap()
}

#[test]
fn a_link_takes_its_time() {
    let mesh = gap();
    let trip = [at(8.0, 5.0), Vec3::new(17.0, 3.0, 5.0)];
    let (mut crowd, agents) = crowd(&mesh, AgentParams::default(), &[trip]);
    crowd.set_link_rule(&mesh, LinkId(0), LinkRule::default().with_seconds(2.0)).unwrap();
    let mut shares = Vec::new();
    let mut heights = Vec::new();
    for _ in 0..240 {
        crowd.take_step(&mesh, DT);
        let state = crowd.agent(agents[0]).unwrap();
        if let AgentStatus::OnLink { link, share } = state.status {
            assert_eq!(link, LinkId(0));
            shares.push(share);
            heights.push(state.position.y);
        }
    }
    assert!((58..=62).contains(&shares.len()), "{}", shares.len());
    assert!(shares.is_sorted() && heights.is_sorted() && heights[30] > 1.0);
    assert_eq!(crowd.agent(agents[0]).unwrap().status, AgentStatus::Arrived);
}

#[test]
fn agents_queue_at_a_link_of_small_capacity() {
    let mesh = gap();
    let trips: Vec<_> = rows(3, 4, at(2.0, 2.0), 1.5)
        .into_iter()
        .map(|from| [from, from + Vec3::new(15.5, 3.0, 1.0)])
        .collect();
    let (mut crowd, _) = crowd(&mesh, AgentParams::default(), &trips);
    crowd.set_link_rule(&mesh, LinkId(0), LinkRule::default().with_seconds(1.0).with_capacity(2)).unwrap();
    let (mut judge, mut most, mut time) = (Judge::default(), 0, 0.0);
    while crowd.agents().any(|(_, state)| state.status != AgentStatus::Arrived) {
        crowd.take_step(&mesh, DT);
        judge.see(&crowd, &mesh);
        time += DT;
        let on_it = crowd.agents().filter(|(_, state)| matches!(state.status, AgentStatus::OnLink { .. }));
        most = most.max(on_it.count());
        assert!(time < 60.0, "{:?}", crowd.agents().find(|(_, state)| state.status != AgentStatus::Arrived));
    }
    assert!((1..=2).contains(&most), "{most}");
    assert!(judge.deepest < 0.1 && judge.share() < 0.01, "{judge:?}");
}

/// Agents that come to a link from two sides at once do not go round its start for long.
#[test]
fn agents_that_press_for_a_link_take_it() {
    let mesh = gap();
    for aside in [0.5, 1.0, 2.0, 3.0] {
        for (dt, ahead) in [(DT, 0.0), (0.1, 0.0), (DT, 0.3)] {
            let trip = |z: f32, x: f32| [at(x, 5.0 + z), Vec3::new(20.0, 3.0, 5.0 + z)];
            let trips = [trip(-aside, 7.0), trip(aside, 7.0 + ahead), trip(0.0, 6.0)];
            let (mut crowd, _) = crowd(&mesh, AgentParams::default(), &trips);
            let (mut time, mut judge) = (0.0, Judge::default());
            while crowd.agents().any(|(_, state)| state.position.x < 9.9) {
                crowd.take_step(&mesh, dt);
                judge.see(&crowd, &mesh);
                time += dt;
                assert!(time < 10.0, "{aside} m aside, {ahead} m ahead, steps of {dt} s");
            }
            assert!(judge.deepest < 0.15, "{judge:?}");
        }
    }
}

/// Before a short link agents once waited for those at its other end, and these for them, for ever.
#[test]
fn a_short_link_is_taken_although_agents_stand_at_its_end() {
    for (wide, rise, capacity) in [(1, 0.0, 9), (1, 0.5, 9), (3, 0.0, 1), (10, 0.0, 2), (20, 1.0, 1)] {
        let mesh =
            squares(10, &[(PlanPoint::new(0, 0), [0.0; 4]), (PlanPoint::new(100 + wide, 0), [rise; 4])]);
        let end = |polygon, x, height| LinkEnd {
            polygon: PolyId(polygon),
            ends: [PlanVertex { point: PlanPoint::new(x, 50), height }; 2],
        };
        let link = Link::new(end(0, 97, 0.0), end(1, 103 + wide, rise), LinkKind::Jump);
        let mesh = mesh.with_links(vec![link]).unwrap();
        let landing = Vec3::new(10.3 + 0.1 * wide as f32, rise, 5.0);
        let there = |z: f32| [at(7.0, 5.0 + z), landing + Vec3::new(3.0, 0.0, z)];
        let back = |z: f32| [landing + Vec3::new(2.0, 0.0, z), at(6.0, 5.0 + z)];
        let stands = [landing + Vec3::X, landing];
        let streams: Vec<_> =
            [-2.0, -1.0, 0.0, 1.0, 2.0].into_iter().flat_map(|z| [there(z), back(z)]).collect();
        for (idle, trips) in [
            (None, vec![there(0.0), back(0.0)]),
            (None, streams),
            (Some(landing), vec![there(0.0)]),
            (Some(landing), vec![there(1.0), back(1.0)]),
            (None, vec![stands, there(0.0), there(1.0)]),
        ] {
            let (mut crowd, agents) = crowd(&mesh, AgentParams::default(), &trips);
            let rule = LinkRule::default().with_capacity(capacity);
            crowd.set_link_rule(&mesh, LinkId(0), rule).unwrap();
            if let Some(place) = idle {
                crowd.add(&mesh, AgentParams::default(), place).unwrap();
            }
            let mut time = 0.0;
            while agents.iter().any(|&agent| crowd.agent(agent).unwrap().status != AgentStatus::Arrived) {
                crowd.take_step(&mesh, DT);
                time += DT;
                assert!(
                    time < 60.0,
                    "{wide} dm, {rise} m, {capacity}, {idle:?}, {trips:?}: {:?}",
                    crowd.agents().collect::<Vec<_>>()
                );
            }
        }
    }
}

#[test]
fn both_directions_of_a_link_are_taken() {
    let mesh = gap();
    let there =
        rows(2, 3, at(4.0, 3.0), 1.5).into_iter().map(|from| [from, from + Vec3::new(15.0, 3.0, 0.0)]);
    let back = rows(2, 3, Vec3::new(19.0, 3.0, 3.3), 1.5).into_iter();
    let back = back.map(|from| [from, from - Vec3::new(15.0, 3.0, 0.0)]);
    let trips: Vec<_> = there.chain(back).collect();
    let (mut crowd, agents) = crowd(&mesh, AgentParams::default(), &trips);
    let mut judge = Judge::default();
    run(&mut crowd, &mesh, 90.0, &mut judge);
    for (agent, trip) in agents.iter().zip(trips) {
        assert!(crowd.agent(*agent).unwrap().position.xz().distance(trip[1].xz()) < 1.5);
    }
    assert!(judge.deepest < 0.15, "{judge:?}");
}

/// Returns a floor and a deck 5.3 m above a part of it, with a lift between them, or without one of
/// the three.
fn lift([floor, deck, link]: [bool; 3]) -> NavMesh {
    let place = |is_there: bool, at: PlanPoint| if is_there { at } else { PlanPoint::new(900, 900) };
    let low = (place(floor, PlanPoint::new(0, 0)), [0.0; 4]);
    let high = (place(deck, PlanPoint::new(10, 10)), [5.3; 4]);
    let mesh = squares(8, &[low, high]);
    let end = |polygon, height| LinkEnd {
        polygon: PolyId(polygon),
        ends: [PlanVertex { point: PlanPoint::new(40, 40), height }; 2],
    };
    let links = if link { vec![Link::new(end(0, 0.0), end(1, 5.3), LinkKind::User)] } else { Vec::new() };
    mesh.with_links(links).unwrap()
}

/// An event while an agent rides a lift.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Closed,
    Removed,
    Rebuilt,
    NoLink,
    NoDeck,
    NoFloor,
    Nothing,
    OtherTarget,
    OtherParams,
    Stopped,
    Crowded,
}

#[test]
fn who_is_on_a_link_arrives_or_goes_back_whatever_happens_to_it() {
    let events = [
        Event::Closed,
        Event::Removed,
        Event::Rebuilt,
        Event::NoLink,
        Event::NoDeck,
        Event::NoFloor,
        Event::Nothing,
        Event::OtherTarget,
        Event::OtherParams,
        Event::Stopped,
        Event::Crowded,
    ];
    for event in events {
        for (up, share) in [0.02, 0.3, 0.5, 0.81, 0.97].into_iter().flat_map(|at| [(true, at), (false, at)]) {
            let mut mesh = lift([true; 3]);
            let [low, high] = [at(2.0, 2.0), Vec3::new(7.0, 5.3, 7.0)];
            let (from, to) = if up { (low, high) } else { (high, low) };
            let (mut crowd, agents) = crowd(&mesh, AgentParams::default(), &[[from, to]]);
            let agent = agents[0];
            let is_on = |crowd: &Crowd| match crowd.agent(agent).unwrap().status {
                AgentStatus::OnLink { share, .. } => Some(share),
                _ => None,
            };
            let mut steps = 0;
            while is_on(&crowd).is_none_or(|passed| passed < share) {
                crowd.take_step(&mesh, DT);
                steps += 1;
                assert!(steps < 900, "{:?}", crowd.agent(agent));
            }
            match event {
                Event::Closed => assert!(mesh.set_link_open(LinkId(0), false)),
                Event::Removed => assert!(mesh.remove_link(LinkId(0)).is_some()),
                Event::Rebuilt => mesh = lift([true; 3]),
                Event::NoLink => mesh = lift([true, true, false]),
                Event::NoDeck => mesh = lift([true, false, false]),
                Event::NoFloor => mesh = lift([false, true, false]),
                Event::Nothing => mesh = lift([false; 3]),
                Event::OtherTarget => crowd.set_target(&mesh, agent, from).unwrap(),
                Event::OtherParams => {
                    crowd.set_params(agent, AgentParams::default().with_radius(0.2)).unwrap();
                }
                Event::Stopped => crowd.stop(agent).unwrap(),
                Event::Crowded => {
                    let landing = if up { Vec3::new(4.0, 5.3, 4.0) } else { at(4.0, 4.0) };
                    crowd.add(&mesh, AgentParams::default(), landing).unwrap();
                }
            }
            for _ in 0..60 * 30 {
                crowd.take_step(&mesh, DT);
            }
            let state = crowd.agent(agent).unwrap();
            let height = state.position.y;
            let expected = match event {
                Event::NoDeck => 0.0,
                Event::NoFloor => 5.3,
                Event::OtherTarget => from.y,
                _ => to.y,
            };
            if event == Event::Nothing {
                assert_eq!(state.status, AgentStatus::Lost);
            } else {
                assert!((height - expected).abs() < 0.01, "{event:?} at {share}: {state:?}");
                assert!(is_on(&crowd).is_none(), "{event:?} at {share}: {state:?}");
            }
        }
    }
}
