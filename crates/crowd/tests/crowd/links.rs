//! Links take time, and agents queue at them.

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::{PlanPoint, PlanVertex, PolyId};
use waymesh_crowd::{AgentParams, AgentStatus, LinkRule};
use waymesh_graph::{Link, LinkEnd, LinkId, LinkKind, NavMesh};

use crate::support::{DT, Judge, at, crowd, rows, run, squares};

/// Two squares 5 m apart, the second 3 m higher, and a link between the middles of their borders.
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
    crowd.set_link_rule(LinkId(0), LinkRule::default().with_seconds(2.0)).unwrap();
    let mut shares = Vec::new();
    let mut heights = Vec::new();
    for _ in 0..240 {
        crowd.step(&mesh, DT).unwrap();
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
    crowd.set_link_rule(LinkId(0), LinkRule::default().with_seconds(1.0).with_capacity(2)).unwrap();
    let (mut judge, mut most, mut time) = (Judge::default(), 0, 0.0);
    while crowd.agents().any(|(_, state)| state.status != AgentStatus::Arrived) {
        crowd.step(&mesh, DT).unwrap();
        judge.see(&crowd, &mesh);
        time += DT;
        let on_it = crowd.agents().filter(|(_, state)| matches!(state.status, AgentStatus::OnLink { .. }));
        most = most.max(on_it.count());
        assert!(time < 60.0, "{:?}", crowd.agents().find(|(_, state)| state.status != AgentStatus::Arrived));
    }
    assert!((1..=2).contains(&most), "{most}");
    assert!(judge.deepest < 0.1 && judge.share() < 0.01, "{judge:?}");
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
