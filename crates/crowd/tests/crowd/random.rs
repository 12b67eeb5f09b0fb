//! Random crowds on random meshes, and any number of threads.

use proptest::prelude::*;
use waymesh_core::Random;
use waymesh_crowd::{AgentParams, AgentStatus, Crowd, CrowdConfig};
use waymesh_graph::NavMesh;
use waymesh_testkit::flat_meshes;

use crate::support::{DT, Judge, Steps, run};

/// Returns a crowd on a distorted chessboard, each agent with a target on its island.
fn wanderers(seed: u64, count: usize) -> (NavMesh, Crowd) {
    let polygons = flat_meshes::crooked(seed, 6, 0.25);
    let mesh = NavMesh::try_from(polygons).unwrap();
    let mut random = Random::new(seed);
    let sampler = mesh.query().sampler();
    let mut place = || sampler.sample(&mesh, &mut random).unwrap().unwrap();
    let mut crowd = Crowd::new(CrowdConfig::default()).unwrap();
    while crowd.len() < count {
        let (from, to) = (place(), place());
        let is_free = crowd.agents().all(|(_, state)| state.position.distance(from.position) > 1.0);
        if is_free && mesh.same_island(from.polygon, to.polygon) {
            let agent = crowd.add(&mesh, AgentParams::default(), from.position).unwrap();
            crowd.set_target(&mesh, agent, to.position).unwrap();
        }
    }
    (mesh, crowd)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn random_crowds_stay_on_their_meshes_and_arrive(seed in any::<u64>()) {
        let (mesh, mut crowd) = wanderers(seed, 30);
        let mut judge = Judge::default();
        let mut steps = 0;
        while crowd.agents().any(|(_, state)| state.status != AgentStatus::Arrived) {
            crowd.take_step(&mesh, DT);
            judge.see(&crowd, &mesh);
            steps += 1;
            prop_assert!(
                steps < 5400,
                "{:?}",
                crowd.agents().filter(|(_, state)| state.status != AgentStatus::Arrived).collect::<Vec<_>>()
            );
        }
        prop_assert!(judge.deepest < 0.1 && judge.share() < 0.01, "{judge:?}");
    }
}

/// Tests a case in which one agent stayed at a corner for ever.
#[test]
fn nobody_stays_at_a_corner() {
    let (mesh, mut crowd) = wanderers(7_688_777_091_563_212_701, 30);
    run(&mut crowd, &mesh, 180.0, &mut Judge::default());
}

/// Tests a case in which an agent was farther from an acute corner of its polygon than the slack.
#[test]
fn nobody_leaves_the_mesh_at_an_acute_corner() {
    let (mesh, mut crowd) = wanderers(12_182_137_613_349_724_397, 30);
    run(&mut crowd, &mesh, 180.0, &mut Judge::default());
}

/// Tests a case in which an agent that had let others pass blocked the last one for ever.
#[test]
fn who_stands_lets_one_pass_that_has_stopped() {
    let (mesh, mut crowd) = wanderers(7_906_999_112_364_079_737, 30);
    run(&mut crowd, &mesh, 180.0, &mut Judge::default());
}

#[test]
fn threads_leave_no_trace() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mesh, mut crowd) = wanderers(7, 200);
            for _ in 0..300 {
                crowd.take_step(&mesh, DT);
            }
            crowd.agents().map(|(_, state)| state).collect::<Vec<_>>()
        })
    };
    let one = run(1);
    assert!(one.iter().any(|state| state.status == AgentStatus::Walking));
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}
