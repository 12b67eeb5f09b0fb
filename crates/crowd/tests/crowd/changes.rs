//! Filters and links that change under agents of any width, whatever they do.

use glam::Vec3;
use waymesh::Baker;
use waymesh::floorplan::{Door, FloorPlan, Shape};
use waymesh::graph::{
    AreaCosts, ClearanceNavMesh, FilterFn, FlagFilter, FlagTable, Link, LinkFilterFn, LinkId, LinkKind,
    NavMesh,
};
use waymesh::triangulate::ClearanceConfig;
use waymesh_core::PolyId;
use waymesh_crowd::{AgentId, AgentParams, AgentStatus, Crowd, CrowdConfig};

use crate::support::{DT, Steps, at, flat, flat_for};

/// Radii on meshes for radius 0 with clearance: all agents follow paths for their discs.
const RADII: [f32; 3] = [0.25, 0.5, 0.8];

fn clear(mesh: NavMesh) -> ClearanceNavMesh {
    waymesh::with_clearance(mesh, &ClearanceConfig::default()).unwrap()
}

fn polygon_at(mesh: &NavMesh, x: f32, z: f32) -> PolyId {
    mesh.nearest(at(x, z), &mesh.default_reach()).unwrap().polygon
}

/// Flags by which all ground is allowed at first.
fn flags_of(mesh: &NavMesh) -> FlagFilter {
    FlagFilter { flags: FlagTable::from(vec![1; mesh.polygon_bound()]), include: 1, exclude: 0 }
}

#[test]
fn nobody_stays_on_ground_that_its_filter_closes() {
    let mesh = flat_for(&[[0, 0, 100, 100], [100, 0, 116, 100], [116, 0, 200, 100]], 0.5);
    let middle = polygon_at(&mesh, 10.8, 5.0);
    let clearance = clear(mesh.clone());
    let inside = at(10.8, 5.0);
    for radius in [0.25, 0.8, 1.1] {
        for is_disc in [false, true] {
            for (begin, target) in [
                (inside, None),
                (inside, Some(inside)),
                (inside, Some(at(18.0, 5.0))),
                (at(7.0, 5.0), Some(at(18.0, 5.0))),
                (at(7.0, 5.0), Some(inside)),
            ] {
                let filter = flags_of(&mesh);
                let params = AgentParams::default().with_radius(radius).with_filter(filter.clone());
                let mut crowd = Crowd::new(CrowdConfig::default()).unwrap();
                let agent = if is_disc {
                    crowd.add(&clearance, params, begin).unwrap()
                } else {
                    crowd.add(&mesh, params, begin).unwrap()
                };
                if let Some(target) = target {
                    crowd.set_target(&mesh, agent, target).unwrap();
                }
                let name = format!("radius {radius}, disc {is_disc}, {begin} to {target:?}");
                let mut closed = false;
                for _ in 0..400 {
                    if !closed && crowd.agent(agent).unwrap().position.distance(inside) < 0.3 {
                        filter.flags.set(middle, 0);
                        closed = true;
                    }
                    if is_disc {
                        crowd.take_step(&clearance, DT);
                    } else {
                        crowd.take_step(&mesh, DT);
                    }
                    let state = crowd.agent(agent).unwrap();
                    assert!(!closed || state.place.polygon != middle, "{name}: {state:?}");
                }
                let state = crowd.agent(agent).unwrap();
                assert!(closed && !(10.1..11.5).contains(&state.position.x), "{name}: {state:?}");
                assert_ne!(state.status, AgentStatus::Lost, "{name}: {state:?}");
            }
        }
    }
}

#[test]
fn who_stands_far_from_ground_that_is_open_is_lost_until_it_opens() {
    let mesh = flat(&[[0, 0, 100, 100], [100, 0, 200, 100]]);
    let right = polygon_at(&mesh, 15.0, 5.0);
    for target in [None, Some(at(18.0, 5.0))] {
        let filter = flags_of(&mesh);
        let params = AgentParams::default().with_filter(filter.clone());
        let mut crowd = Crowd::new(CrowdConfig::default()).unwrap();
        let agent = crowd.add(&mesh, params, at(15.0, 5.0)).unwrap();
        if let Some(target) = target {
            crowd.set_target(&mesh, agent, target).unwrap();
        }
        for (flags, status) in [(0, AgentStatus::Lost), (1, AgentStatus::Idle)] {
            filter.flags.set(right, flags);
            for _ in 0..150 {
                crowd.take_step(&mesh, DT);
            }
            let status = if flags == 1 && target.is_some() { AgentStatus::Arrived } else { status };
            assert_eq!(crowd.agent(agent).unwrap().status, status, "{target:?}");
        }
    }
}

/// Sends agents of all widths from room to room; returns the z at which each passed x = 10.15.
fn through_doors(
    mesh: &ClearanceNavMesh,
    filter: &FlagFilter,
    seconds: u16,
    mut change: impl FnMut(u16),
) -> (Crowd<FlagFilter>, Vec<AgentId>, Vec<f32>) {
    let mut crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let mut agents = Vec::new();
    for (radius, z) in RADII.into_iter().zip([1.5, 3.2, 5.5]) {
        let params = AgentParams::default().with_radius(radius).with_filter(filter.clone());
        let agent = crowd.add(mesh, params, at(2.0, z)).unwrap();
        crowd.set_target(mesh, agent, at(16.0, z)).unwrap();
        agents.push(agent);
    }
    let mut passed = vec![f32::NAN; agents.len()];
    for second in 0..seconds {
        change(second);
        for _ in 0..30 {
            crowd.take_step(mesh, DT);
            for (passed, &agent) in passed.iter_mut().zip(&agents) {
                let position = crowd.agent(agent).unwrap().position;
                if passed.is_nan() && position.x > 10.15 {
                    *passed = position.z;
                }
            }
        }
    }
    (crowd, agents, passed)
}

/// A near door and a far one, both wide enough for all.
const DOORS: [[i32; 4]; 4] = [[0, 0, 100, 200], [103, 0, 200, 200], [100, 20, 103, 44], [100, 150, 103, 174]];

#[test]
fn a_door_that_a_flag_closes_is_closed_for_the_wide_on_their_way() {
    let mesh = clear(flat(&DOORS));
    let door = polygon_at(mesh.mesh(), 10.15, 3.2);
    let filter = flags_of(mesh.mesh());
    let (crowd, agents, passed) = through_doors(&mesh, &filter, 60, |second| {
        if second == 1 {
            filter.flags.set(door, 0);
        }
    });
    assert!(passed.iter().all(|z| (15.0..17.4).contains(z)), "{passed:?}");
    for agent in agents {
        assert_eq!(crowd.agent(agent).unwrap().status, AgentStatus::Arrived);
    }
}

#[test]
fn a_door_that_a_flag_opens_is_found_by_the_wide_that_wait() {
    let mesh = clear(flat(&DOORS[..3]));
    let door = polygon_at(mesh.mesh(), 10.15, 3.2);
    let filter = flags_of(mesh.mesh());
    filter.flags.set(door, 0);
    let (crowd, agents, passed) = through_doors(&mesh, &filter, 60, |second| {
        if second == 20 {
            filter.flags.set(door, 1);
        }
    });
    assert!(passed.iter().all(|z| (2.0..4.4).contains(z)), "{passed:?}");
    for agent in agents {
        assert_eq!(crowd.agent(agent).unwrap().status, AgentStatus::Arrived);
    }
}

/// Two pieces of ground, and a jump between them.
fn gap() -> (NavMesh, LinkId) {
    let mut mesh = flat(&[[0, 0, 100, 100], [140, 0, 240, 100]]);
    let link = mesh.link_between(at(9.0, 5.0), at(15.0, 5.0), LinkKind::Jump).unwrap();
    let link = mesh.add_link(link).unwrap();
    (mesh, link)
}

#[test]
fn links_that_are_refused_are_closed_for_agents_of_any_width() {
    let (mesh, jump) = gap();
    let mesh = clear(mesh);
    let no_jumps = || LinkFilterFn(move |_: &NavMesh, link: LinkId| link != jump);
    for radius in RADII {
        let params = AgentParams::default().with_radius(radius);
        let mut climbers = Crowd::new(CrowdConfig::default()).unwrap();
        let mut payers = Crowd::new(CrowdConfig::default()).unwrap();
        let cost = AreaCosts::default().with_links(LinkKind::Jump, f32::INFINITY);
        let climber = climbers.add(&mesh, params.with_filter(no_jumps()), at(5.0, 5.0)).unwrap();
        let payer = payers.add(&mesh, params.with_cost(cost), at(5.0, 5.0)).unwrap();
        climbers.set_target(&mesh, climber, at(20.0, 5.0)).unwrap();
        payers.set_target(&mesh, payer, at(20.0, 5.0)).unwrap();
        for _ in 0..20 * 30 {
            climbers.take_step(&mesh, DT);
            payers.take_step(&mesh, DT);
            for state in [climbers.agent(climber).unwrap(), payers.agent(payer).unwrap()] {
                assert!(state.position.x < 10.1, "radius {radius}: {state:?}");
            }
        }
        assert_eq!(climbers.agent(climber).unwrap().status, AgentStatus::Blocked, "radius {radius}");
        assert_eq!(payers.agent(payer).unwrap().status, AgentStatus::Blocked, "radius {radius}");
    }
}

/// Two rooms with two doors at this cost, which are links that are crossed like edges.
fn house(cost: f32) -> ClearanceNavMesh {
    let rectangle = |[x0, x1]: [f64; 2], [z0, z1]: [f64; 2]| vec![[x0, z0], [x1, z0], [x1, z1], [x0, z1]];
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("ground", 0.0);
    storey.walkable.push(Shape::polygon("building", rectangle([0.0, 20.0], [0.0, 16.0])));
    storey.blocked.push(Shape::polygon("wall", rectangle([9.8, 10.2], [0.0, 16.0])));
    for (name, z) in [("near", 2.0), ("far", 12.0)] {
        storey.doors.push(Door { depth: 0.8, cost, ..Door::new(name, [[10.0, z], [10.0, z + 2.4]]) });
    }
    clear(Baker::plans().bake(&plan).unwrap())
}

#[test]
fn who_has_no_key_of_a_door_takes_another_at_any_width() {
    let mesh = house(0.0);
    let is_near = |link: &Link| {
        let point = link.from.ends[0].point;
        mesh.mesh().frame().to_world(f64::from(point.x), 0.0, f64::from(point.z)).z < 8.0
    };
    let near: Vec<LinkId> =
        mesh.mesh().links_by_id().filter(|(_, link)| is_near(link)).map(|(id, _)| id).collect();
    assert!(!near.is_empty() && near.len() < mesh.mesh().links().len());
    for radius in RADII {
        let no_key = LinkFilterFn(|_: &NavMesh, link: LinkId| !near.contains(&link));
        let mut crowd = Crowd::new(CrowdConfig::default()).unwrap();
        let params = AgentParams::default().with_radius(radius).with_filter(&no_key);
        let agent = crowd.add(&mesh, params, at(5.0, 3.2)).unwrap();
        crowd.set_target(&mesh, agent, at(15.0, 3.2)).unwrap();
        let mut passed = f32::NAN;
        for _ in 0..40 * 30 {
            crowd.take_step(&mesh, DT);
            let position = crowd.agent(agent).unwrap().position;
            if passed.is_nan() && position.x > 10.0 {
                passed = position.z;
            }
        }
        assert!(passed > 11.0, "radius {radius}: {passed}");
        assert_eq!(crowd.agent(agent).unwrap().status, AgentStatus::Arrived, "radius {radius}");
    }
}

/// The line of a door at a cost is none that a disc may lie on.
#[test]
fn agents_of_any_width_pass_doors_that_cost() {
    for cost in [0.0, 1.5] {
        let mesh = house(cost);
        for radius in RADII {
            let params = AgentParams::default().with_radius(radius);
            let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
            let trips =
                [[at(4.0, 3.2), at(16.0, 3.2)], [at(16.0, 6.5), at(4.0, 8.0)], [at(7.0, 9.0), at(13.0, 1.5)]];
            let agents = trips.map(|[from, to]| {
                let agent = crowd.add(&mesh, params, from).unwrap();
                crowd.set_target(&mesh, agent, to).unwrap();
                agent
            });
            for _ in 0..60 * 30 {
                crowd.take_step(&mesh, DT);
            }
            for agent in agents {
                let state = crowd.agent(agent).unwrap();
                assert_eq!(state.status, AgentStatus::Arrived, "cost {cost}, radius {radius}: {state:?}");
            }
        }
    }
}

#[test]
fn an_agent_that_is_stopped_on_a_link_stays_where_it_is_put() {
    let (mesh, _) = gap();
    let mut crowd: Crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let agent = crowd.add(&mesh, AgentParams::default(), at(8.0, 5.0)).unwrap();
    crowd.set_target(&mesh, agent, at(20.0, 5.0)).unwrap();
    while !matches!(crowd.agent(agent).unwrap().status, AgentStatus::OnLink { .. }) {
        crowd.take_step(&mesh, DT);
    }
    crowd.stop(agent).unwrap();
    crowd.set_position(&mesh, agent, at(5.0, 5.0)).unwrap();
    for _ in 0..300 {
        crowd.take_step(&mesh, DT);
    }
    let state = crowd.agent(agent).unwrap();
    assert_eq!((state.status, state.target), (AgentStatus::Idle, None));
    // Its body does not stop at once.
    assert!(state.position.distance(at(5.0, 5.0)) < 0.2, "{state:?}");
}

#[test]
fn the_wide_are_added_where_they_fit_and_may_be() {
    let mesh = clear(flat_for(&[[0, 0, 100, 100], [100, 0, 200, 100]], 0.5));
    let left = polygon_at(mesh.mesh(), 5.0, 5.0);
    let filter = FilterFn(move |_: &NavMesh, polygon: PolyId| polygon != left);
    for radius in [0.25_f32, 0.8, 1.1] {
        let params = AgentParams::default().with_radius(radius).with_filter(filter);
        let margin = (radius - 0.5).max(0.0);
        let mut crowd = Crowd::new(CrowdConfig::default()).unwrap();
        for asked in [at(9.9, 5.0), at(9.5, 5.0), at(10.2, 0.1), at(9.6, 0.1)] {
            let agent = crowd.add(&mesh, params, asked).unwrap();
            let state = crowd.agent(agent).unwrap();
            let nearest = Vec3::new(asked.x.max(10.0), 0.0, asked.z.max(margin));
            assert_ne!(state.place.polygon, left, "radius {radius} at {asked}: {state:?}");
            assert!(state.position.distance(nearest) < 1e-3, "radius {radius} at {asked}: {state:?}");
            crowd.set_target(&mesh, agent, asked).unwrap();
        }
    }
}
