//! Agents of several radii whose paths have clearance for each.

use glam::vec3;
use waymesh::core::{PlanPoint, PlanVertex};
use waymesh::graph::{ClearanceNavMesh, FlagFilter, FlagTable, Link, LinkEnd, LinkKind, QueryError};
use waymesh::triangulate::ClearanceConfig;
use waymesh::voxel::{MarkShape, Obstacle};
use waymesh::{BakeConfig, Baker, Bounds, PartitionKind, TriangleSoup, World};
use waymesh_crowd::{AgentId, AgentParams, AgentStatus, Crowd, CrowdConfig, CrowdError};

use crate::support::{DT, Judge, Steps, at, flat, rows};

/// Two rooms with a near door of 1 m and a far one of 2.4 m.
const DOORS: [[i32; 4]; 4] = [[0, 0, 100, 200], [103, 0, 200, 200], [100, 20, 103, 30], [100, 150, 103, 174]];

fn clear(rectangles: &[[i32; 4]]) -> ClearanceNavMesh {
    waymesh::with_clearance(flat(rectangles), &ClearanceConfig::default()).unwrap()
}

fn wide(radius: f32) -> AgentParams {
    AgentParams::default().with_radius(radius)
}

/// Walks until all have arrived; returns the z at which each passed x = 10.15.
fn passed(crowd: &mut Crowd, mesh: &ClearanceNavMesh, agents: &[AgentId], judge: &mut Judge) -> Vec<f32> {
    let mut passed = vec![f32::NAN; agents.len()];
    for _ in 0..60 * 30 {
        crowd.take_step(mesh, DT);
        judge.see(crowd, mesh.mesh());
        for (passed, &agent) in passed.iter_mut().zip(agents) {
            let state = crowd.agent(agent).unwrap();
            if passed.is_nan() && state.position.x > 10.15 {
                *passed = state.position.z;
            }
        }
    }
    for &agent in agents {
        assert_eq!(crowd.agent(agent).unwrap().status, AgentStatus::Arrived, "{passed:?}");
    }
    passed
}

#[test]
fn the_wide_take_the_wide_door_and_the_narrow_the_near_one() {
    let mesh = clear(&DOORS);
    let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let agents = [(0.25, 3.0), (0.8, 6.0)].map(|(radius, z)| {
        let agent = crowd.add(&mesh, wide(radius), at(5.0, z)).unwrap();
        crowd.set_target(&mesh, agent, at(15.0, z)).unwrap();
        agent
    });
    let mut judge = Judge::default();
    let [near, far] = passed(&mut crowd, &mesh, &agents, &mut judge)[..] else { panic!("two agents") };
    assert!((2.0..3.0).contains(&near) && (15.0..17.4).contains(&far), "{near} {far}");
    assert_eq!(judge.overlapping, 0);
    // On a mesh without clearance its path leads where it does not fit.
    let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let agent = crowd.add(mesh.mesh(), wide(0.8), at(5.0, 3.8)).unwrap();
    crowd.set_target(mesh.mesh(), agent, at(15.0, 3.8)).unwrap();
    crowd.take_step(mesh.mesh(), DT);
    assert!(crowd.path(agent).unwrap().iter().all(|corner| corner.z < 4.0));
}

#[test]
fn many_radii_pass_each_other_and_no_walls() {
    let mesh = clear(&DOORS);
    let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let mut agents = Vec::new();
    for (index, from) in (0_u8..).zip(rows(4, 7, at(1.2, 1.2), 2.4)) {
        let radius = [0.2, 0.35, 0.55, 0.9][usize::from(index % 4)];
        let params = wide(radius).with_arrival_distance(0.3);
        let ends = [from, at(19.9 - from.x, from.z)];
        let [from, to] = if index % 8 < 4 { ends } else { [ends[1], ends[0]] };
        let agent = crowd.add(&mesh, params, from).unwrap();
        crowd.set_target(&mesh, agent, to).unwrap();
        agents.push((agent, to));
    }
    let mut judge = Judge::default();
    let mut left = agents.clone();
    while !left.is_empty() {
        crowd.take_step(&mesh, DT);
        judge.see(&crowd, mesh.mesh());
        left.retain(|&(agent, to)| crowd.agent(agent).unwrap().position.distance(to) > 1.0);
        assert!(judge.steps < 180 * 30, "{left:?} have not been there");
    }
    assert!(judge.deepest < 0.1 && judge.share() < 0.02, "{judge:?}");
}

#[test]
fn threads_leave_no_trace_on_wide_agents() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mesh = clear(&DOORS);
            let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
            for (index, from) in (0_u8..).zip(rows(10, 20, at(0.5, 0.5), 0.95)) {
                let agent = crowd.add(&mesh, wide(0.2 + 0.1 * f32::from(index % 3)), from).unwrap();
                crowd.set_target(&mesh, agent, at(19.0 - from.x, from.z)).unwrap();
            }
            for _ in 0..200 {
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

#[test]
fn where_no_passage_is_wide_enough_the_wide_wait_and_go_on_when_one_opens() {
    let narrow = clear(&DOORS[..3]);
    let both = clear(&DOORS);
    let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let agent = crowd.add(&narrow, wide(0.8), at(5.0, 5.0)).unwrap();
    crowd.set_target(&narrow, agent, at(15.0, 5.0)).unwrap();
    for _ in 0..20 * 30 {
        crowd.take_step(&narrow, DT);
    }
    let state = crowd.agent(agent).unwrap();
    assert_eq!(state.status, AgentStatus::Blocked);
    assert!(state.position.x > 8.5, "{state:?}");
    let mut judge = Judge::default();
    let far = passed(&mut crowd, &both, &[agent], &mut judge)[0];
    assert!((15.0..17.4).contains(&far), "{far}");
}

#[test]
fn a_filter_counts_for_the_wide_too() {
    let mesh = clear(&DOORS);
    let door = mesh.mesh().nearest(at(10.15, 16.0), &mesh.mesh().default_reach()).unwrap().polygon;
    let mut flags = vec![1; mesh.mesh().polygon_count()];
    flags[door.index()] = 2;
    let filter = FlagFilter { flags: FlagTable::from(flags), include: 1, exclude: 0 };
    let mut crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let agent = crowd.add(&mesh, wide(0.45).with_filter(filter.clone()), at(5.0, 16.0)).unwrap();
    let other = crowd.add(&mesh, wide(0.8).with_filter(filter), at(5.0, 18.0)).unwrap();
    for agent in [agent, other] {
        crowd.set_target(&mesh, agent, at(15.0, 16.0)).unwrap();
    }
    for _ in 0..40 * 30 {
        crowd.take_step(&mesh, DT);
        assert!(crowd.agents().all(|(_, state)| state.place.polygon != door));
    }
    // The agent that fits through the near door follows the corridor of its centre; the other one
    // does not pass the door.
    assert_eq!(crowd.agent(agent).unwrap().status, AgentStatus::Arrived);
    assert!(crowd.agent(other).unwrap().position.x < 10.0);
}

#[test]
fn the_wide_take_links() {
    let soup = floors(&[[0.0, 10.0], [15.0, 25.0]]);
    let baker = Baker::voxels();
    let mesh = baker.bake(&soup).unwrap();
    let end = |x: f32| {
        let place = mesh.nearest(at(x, 5.0), &mesh.default_reach()).unwrap();
        let [x, y, z] = mesh.frame().to_grid(place.position).map(|along| along.round());
        #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
        let end = PlanVertex { point: PlanPoint::new(x as i32, z as i32), height: y as f32 };
        LinkEnd { polygon: place.polygon, ends: [end; 2] }
    };
    let link = Link::new(end(9.6), end(15.4), LinkKind::Jump);
    let mesh = mesh.with_links(vec![link]).unwrap();
    let mesh = waymesh::with_clearance(mesh, &ClearanceConfig::default()).unwrap();
    let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let agents: Vec<AgentId> = [(2.0, 0.3), (5.0, 0.7), (8.0, 1.2)]
        .map(|(z, radius)| {
            let agent = crowd.add(&mesh, wide(radius), at(2.0, z)).unwrap();
            crowd.set_target(&mesh, agent, at(22.0, z)).unwrap();
            agent
        })
        .to_vec();
    let mut jumped = [false; 3];
    for _ in 0..40 * 30 {
        crowd.take_step(&mesh, DT);
        for (jumped, &agent) in jumped.iter_mut().zip(&agents) {
            *jumped |= matches!(crowd.agent(agent).unwrap().status, AgentStatus::OnLink { .. });
        }
    }
    assert_eq!(jumped, [true; 3]);
    for agent in agents {
        assert_eq!(crowd.agent(agent).unwrap().status, AgentStatus::Arrived);
    }
}

/// Returns flat ground, 10 m deep, between pairs of x.
fn floors(along: &[[f32; 2]]) -> TriangleSoup {
    let corners = along.iter().flat_map(|&[a, b]| [at(a, 0.0), at(a, 10.0), at(b, 10.0), at(b, 0.0)]);
    let first = (0..along.len()).map(|index| u32::try_from(4 * index).unwrap());
    let triangles =
        first.flat_map(|first| [[0, 1, 2], [0, 2, 3]].map(|triangle| triangle.map(|at: u32| at + first)));
    TriangleSoup::new(corners.collect(), triangles.collect()).unwrap()
}

#[test]
fn a_crowd_walks_on_a_world_that_changes() {
    let soup = floors(&[[0.0, 24.0]]);
    let baker = Baker::voxels().with_config(BakeConfig::default().with_partition(PartitionKind::Surfaces));
    let mut world = World::new(baker, &soup.bounds(), 32).unwrap();
    world.add_triangles(&soup, &mut ()).unwrap();
    world.update(&mut ()).unwrap();
    let handle = world.handle();
    let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let agent = crowd.add(&world, AgentParams::default(), at(1.0, 5.0)).unwrap();
    crowd.set_target(&handle, agent, at(23.0, 5.0)).unwrap();
    let mut aside = 0.0_f32;
    for step in 0..30 * 30 {
        if step == 60 {
            assert!(aside < 0.01, "{aside}");
            let block = Bounds { min: vec3(11.0, -1.0, 2.0), max: vec3(13.0, 2.0, 8.0) };
            world.add_obstacle(Obstacle::solid(MarkShape::Box { bounds: block })).unwrap();
            world.update(&mut ()).unwrap();
        }
        crowd.take_step(&world, DT);
        aside = aside.max((crowd.agent(agent).unwrap().position.z - 5.0).abs());
    }
    assert_eq!(crowd.agent(agent).unwrap().status, AgentStatus::Arrived);
    assert!(aside > 3.0, "{aside}");
}

#[test]
fn a_place_without_room_is_no_target() {
    let mesh = clear(&[[0, 0, 100, 100], [100, 45, 200, 55]]);
    let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let agent = crowd.add(&mesh, wide(0.8), at(5.0, 5.0)).unwrap();
    let no_room = |error| matches!(error, CrowdError::Query(QueryError::NoRoomNear { .. }));
    assert!(no_room(crowd.set_target(&mesh, agent, at(18.0, 5.0)).unwrap_err()));
    assert!(no_room(crowd.add(&mesh, wide(0.8), at(18.0, 5.0)).unwrap_err()));
    // Next to a wall: moved to a position where it fits.
    let agent = crowd.add(&mesh, wide(0.8), at(0.1, 0.1)).unwrap();
    let place = crowd.agent(agent).unwrap().position;
    assert!(place.distance(at(0.8, 0.8)) < 1e-3, "{place}");
}
