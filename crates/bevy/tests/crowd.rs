//! Agents on meshes that change.

mod common;

use bevy_waymesh::waymesh_crowd::{AgentParams, AgentStatus, CrowdConfig, CrowdError, LinkRule};
use bevy_waymesh::{MovedBy, NavMeshCrowd};
use common::*;
use waymesh::{AreaCosts, AreaFilter, AreaId};

/// Flat ground of `x` by `z` metres with its mesh.
fn level(x: f32, z: f32) -> (App, Entity) {
    let mut app = app();
    ground(&mut app, x, z);
    let navigation = app.world_mut().spawn(baker()).id();
    app.update();
    (app, navigation)
}

fn spawn(app: &mut App, navigation: Entity, from: Vec3, to: Vec3) -> Entity {
    let agent = (NavMeshAgent::default(), AgentTarget::Place(to), WalksOn(navigation));
    app.world_mut().spawn((agent, Transform::from_translation(from))).id()
}

fn state(app: &App, agent: Entity) -> &NavMeshAgentState {
    app.world().get::<NavMeshAgentState>(agent).expect("an agent")
}

fn place(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<Transform>(entity).expect("a transform").translation
}

fn steps(app: &mut App, steps: usize) {
    (0..steps).for_each(|_| app.update());
}

#[test]
fn an_agent_walks_to_its_target_and_says_so() {
    let (mut app, navigation) = level(12.0, 6.0);
    let to = Vec3::new(4.0, 0.0, 1.0);
    let agent = spawn(&mut app, navigation, Vec3::new(-4.0, 0.0, 0.0), to);
    let mut fastest = 0.0_f32;
    let mut told = Vec::new();
    for _ in 0..64 * 8 {
        app.update();
        told.extend(messages::<NavMeshAgentMessage>(&mut app));
        fastest = fastest.max(state(&app, agent).velocity.length());
    }
    assert!(state(&app, agent).status.has_arrived(), "{:?}", state(&app, agent));
    assert!(place(&app, agent).distance(to) < 0.25, "{}", place(&app, agent));
    assert!(fastest <= 1.4 + 1e-4 && fastest > 1.3, "{fastest} m/s");
    let told: Vec<_> = told.iter().map(|told| (told.entity, told.status)).collect();
    let [walks, arrived] = told[..] else { panic!("{told:?}") };
    for (status, expected) in [(walks, AgentStatus::Walking), (arrived, AgentStatus::Arrived)] {
        assert_eq!(status, (agent, NavMeshAgentStatus::OnMesh(expected)));
    }
}

#[test]
fn steps_are_the_same_every_time() {
    let run = || {
        let (mut app, navigation) = level(16.0, 16.0);
        let agents: Vec<Entity> = (0_u8..40)
            .map(|index| {
                let out = Vec2::from_angle(f32::from(index) / 40.0 * std::f32::consts::TAU);
                let from = 6.0 * Vec3::new(out.x, 0.0, out.y);
                spawn(&mut app, navigation, from, -from)
            })
            .collect();
        steps(&mut app, 64);
        app.world_mut().despawn(agents[7]);
        app.world_mut().despawn(agents[3]);
        let late = spawn(&mut app, navigation, Vec3::ZERO, Vec3::new(5.0, 0.0, 5.0));
        let obstacle = (NavMeshObstacle::default(), NavMeshCollider::cuboid(1.5, 2.0, 1.5));
        app.world_mut().spawn((obstacle, Transform::from_xyz(2.0, 0.0, 2.0)));
        steps(&mut app, 128);
        let there = agents.iter().filter(|&&agent| app.world().get_entity(agent).is_ok());
        there.chain([&late]).map(|&agent| place(&app, agent).to_array().map(f32::to_bits)).collect::<Vec<_>>()
    };
    let first = run();
    assert_eq!(first.len(), 39);
    assert_eq!(first, run());
}

#[test]
fn agents_do_not_overlap_where_streams_cross() {
    let (mut app, navigation) = level(20.0, 20.0);
    let mut agents = Vec::new();
    for index in 0_u8..12 {
        let z = f32::from(index) - 6.0;
        agents.push(spawn(&mut app, navigation, Vec3::new(-8.0, 0.0, z), Vec3::new(8.0, 0.0, z)));
        agents.push(spawn(&mut app, navigation, Vec3::new(z, 0.0, -8.0), Vec3::new(z, 0.0, 8.0)));
    }
    let mut deepest = 0.0_f32;
    for _ in 0..64 * 25 {
        app.update();
        let places: Vec<Vec3> = agents.iter().map(|&agent| place(&app, agent)).collect();
        for (index, a) in places.iter().enumerate() {
            for b in &places[..index] {
                deepest = deepest.max(0.6 - a.distance(*b));
            }
        }
    }
    assert!(agents.iter().all(|&agent| state(&app, agent).status.has_arrived()));
    assert!(deepest < 0.06, "{deepest} m");
}

#[test]
fn an_obstacle_that_moves_into_the_way_is_walked_round() {
    let (mut app, navigation) = level(12.0, 12.0);
    let obstacle = (NavMeshObstacle::default(), NavMeshCollider::cuboid(2.0, 2.0, 6.0));
    let obstacle = app.world_mut().spawn((obstacle, Transform::from_xyz(0.0, 1.0, 20.0))).id();
    let agent = spawn(&mut app, navigation, Vec3::new(-4.0, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0));
    steps(&mut app, 32);
    let before = state(&app, agent).remaining;
    app.world_mut().get_mut::<Transform>(obstacle).expect("it is there").translation.z = 0.0;
    steps(&mut app, 2);
    assert!(
        state(&app, agent).remaining > before + 0.5,
        "{} m, {before} m before",
        state(&app, agent).remaining
    );
    for _ in 0..64 * 12 {
        app.update();
        let Vec3 { x, z, .. } = place(&app, agent);
        // The radius, less what simplified corners take.
        assert!(x.abs() > 1.2 || z.abs() > 3.2, "{x}, {z} is less than 0.2 m from the obstacle");
    }
    assert!(state(&app, agent).status.has_arrived(), "{:?}", state(&app, agent));
}

#[test]
fn a_target_that_moves_is_followed_and_one_that_goes_is_not() {
    let (mut app, navigation) = level(16.0, 16.0);
    let prey = app.world_mut().spawn(Transform::from_xyz(5.0, 0.0, 0.0)).id();
    let agent = spawn(&mut app, navigation, Vec3::new(-5.0, 0.0, 0.0), Vec3::ZERO);
    app.world_mut().entity_mut(agent).insert(AgentTarget::Entity(prey));
    for step in 0_u16..64 * 8 {
        let z = 4.0 * (f32::from(step) / 512.0);
        app.world_mut().get_mut::<Transform>(prey).expect("it is there").translation.z = z;
        app.update();
    }
    steps(&mut app, 64 * 2);
    assert!(place(&app, agent).distance(Vec3::new(5.0, 0.0, 4.0)) < 0.3, "{}", place(&app, agent));
    app.world_mut().despawn(prey);
    steps(&mut app, 2);
    assert_eq!(state(&app, agent).status, NavMeshAgentStatus::OnMesh(AgentStatus::Idle));
}

#[test]
fn the_game_may_move_agents_and_put_them_elsewhere() {
    let (mut app, navigation) = level(12.0, 6.0);
    let to = Vec3::new(4.0, 0.0, 0.0);
    let agent = spawn(&mut app, navigation, Vec3::new(-4.0, 0.0, 0.0), to);
    let moved = NavMeshAgent { moved_by: MovedBy::Game, origin_height: 0.9, ..NavMeshAgent::default() };
    app.world_mut().entity_mut(agent).insert((moved, Transform::from_xyz(-4.0, 0.9, 0.0)));
    steps(&mut app, 10);
    assert_eq!(place(&app, agent), Vec3::new(-4.0, 0.9, 0.0), "only the game moves it");
    for _ in 0..64 * 9 {
        // At half the speed that it is given.
        let velocity = state(&app, agent).velocity;
        app.world_mut().get_mut::<Transform>(agent).expect("it is there").translation += velocity / 128.0;
        app.update();
    }
    let half = place(&app, agent).x;
    assert!((half - 2.2).abs() < 0.4, "{half} after 9 s at 0.7 m/s");
    // Now the crowd moves it, from elsewhere.
    let agent_of_crowd = NavMeshAgent { origin_height: 0.9, ..NavMeshAgent::default() };
    app.world_mut().entity_mut(agent).insert((agent_of_crowd, Transform::from_xyz(-4.0, 0.9, 2.0)));
    app.update();
    assert!(place(&app, agent).distance(Vec3::new(-4.0, 0.9, 2.0)) < 0.1);
    steps(&mut app, 64 * 8);
    assert!(state(&app, agent).status.has_arrived());
    assert!((place(&app, agent).y - 0.9).abs() < 0.02, "{}", place(&app, agent));
}

#[test]
fn an_agent_below_a_moved_parent_walks_in_the_world() {
    let (mut app, navigation) = level(12.0, 6.0);
    let parent = Transform::from_xyz(3.0, 1.0, -2.0)
        .with_rotation(Quat::from_rotation_y(0.8))
        .with_scale(Vec3::splat(2.0));
    let parent = app.world_mut().spawn(parent).id();
    app.update();
    let to_parent = app.world().get::<GlobalTransform>(parent).expect("a place").affine().inverse();
    let to = Vec3::new(4.0, 0.0, 1.0);
    let agent = spawn(&mut app, navigation, to_parent.transform_point3(Vec3::new(-4.0, 0.0, 0.0)), to);
    app.world_mut().entity_mut(agent).insert(ChildOf(parent));
    steps(&mut app, 64 * 8);
    let there = app.world().get::<GlobalTransform>(agent).expect("a place").translation();
    assert!(state(&app, agent).status.has_arrived());
    assert!(there.distance(to) < 0.25, "{there}");
}

#[test]
fn a_wide_agent_keeps_farther_from_walls() {
    let (mut app, navigation) = level(12.0, 12.0);
    let wall = (NavMeshSource::default(), NavMeshCollider::cuboid(1.0, 3.0, 4.0));
    app.world_mut().spawn((wall, Transform::from_xyz(0.0, 1.5, 0.0)));
    let mut nearest = Vec::new();
    for radius in [0.3, 0.8] {
        let agent = spawn(&mut app, navigation, Vec3::new(-3.0, 0.0, 0.5), Vec3::new(3.0, 0.0, 0.5));
        let params = AgentParams::default().with_radius(radius);
        app.world_mut().entity_mut(agent).insert(NavMeshAgent { params, ..NavMeshAgent::default() });
        let mut least = f32::INFINITY;
        for _ in 0..64 * 10 {
            app.update();
            let Vec3 { x, z, .. } = place(&app, agent);
            least = least.min(Vec2::new((x.abs() - 0.5).max(0.0), (z.abs() - 2.0).max(0.0)).length());
        }
        assert!(state(&app, agent).status.has_arrived(), "{:?}", state(&app, agent));
        app.world_mut().despawn(agent);
        nearest.push(least);
    }
    // The radii, less what simplified corners take.
    assert!(nearest[0] > 0.18 && nearest[1] > 0.68, "{nearest:?}");
}

#[test]
fn areas_cost_more_or_are_closed_for_some() {
    let (mut app, navigation) = level(12.0, 12.0);
    let mud = AreaId(5);
    let shape = NavMeshCollider::cuboid(2.0, 1.0, 5.0);
    app.world_mut().spawn((NavMeshArea::new(mud), shape, Transform::default()));
    app.update();
    // Side by side, so that nobody walks between others and their way round the mud.
    let [wades, avoids, never] = [-1.0, 0.0, 1.0]
        .map(|z| spawn(&mut app, navigation, Vec3::new(-4.0, 0.0, z), Vec3::new(4.0, 0.0, 0.0)));
    let costs = Some(std::sync::Arc::new(AreaCosts::default().with(mud, 10.0)));
    app.world_mut().entity_mut(avoids).insert(NavMeshAgent { costs, ..NavMeshAgent::default() });
    let filter = AreaFilter::default().without(mud);
    app.world_mut().entity_mut(never).insert(NavMeshAgent { filter, ..NavMeshAgent::default() });
    let mut is_in_mud = [false; 3];
    for _ in 0..64 * 15 {
        app.update();
        for (agent, is_in_mud) in [wades, avoids, never].into_iter().zip(&mut is_in_mud) {
            let Vec3 { x, z, .. } = place(&app, agent);
            *is_in_mud |= x.abs() < 0.7 && z.abs() < 2.2;
        }
    }
    assert_eq!(is_in_mud, [true, false, false]);
    for agent in [wades, avoids, never] {
        assert!(state(&app, agent).status.has_arrived() || state(&app, agent).remaining < 1.0);
    }
    // Costs that are none are refused, and said.
    let costs = Some(std::sync::Arc::new(AreaCosts::default().with(mud, -1.0)));
    let params = AgentParams::default().with_radius(-1.0);
    app.world_mut().entity_mut(never).insert(NavMeshAgent { params, costs, ..NavMeshAgent::default() });
    steps(&mut app, 2);
    assert!(matches!(state(&app, never).error, Some(CrowdError::BadField(_))), "{:?}", state(&app, never));
}

#[test]
fn links_are_taken_opened_and_closed_and_survive_rebuilds() {
    let mut app = app();
    ground(&mut app, 6.0, 6.0);
    let roof = ground(&mut app, 6.0, 6.0);
    app.world_mut().get_mut::<Transform>(roof).expect("it is there").translation = Vec3::new(8.0, 3.0, 0.0);
    let navigation = app.world_mut().spawn(baker()).id();
    let rule = LinkRule::default().with_seconds(2.0);
    let ladder = NavMeshLink { rule, ..NavMeshLink::new(Vec3::ZERO, Vec3::new(3.5, 3.0, 0.0)) };
    let ladder = app.world_mut().spawn((ladder, Transform::from_xyz(2.2, 0.0, 0.0))).id();
    app.update();
    let id = mesh(&app, navigation).and_then(|mesh| mesh.link_of(ladder)).expect("ground at both ends");
    // Agents come when the mesh is no longer new.
    steps(&mut app, 8);
    let to = Vec3::new(8.0, 3.0, 0.0);
    let agent = spawn(&mut app, navigation, Vec3::new(-2.0, 0.0, 0.0), to);
    let mut on_link = 0;
    for _ in 0..64 * 12 {
        app.update();
        let status = state(&app, agent).status;
        if on_link == 64 {
            // Other settings, while it is on the ladder.
            let crowd = NavMeshCrowd(CrowdConfig::default().with_horizon(1.0));
            app.world_mut().entity_mut(navigation).insert(crowd);
        }
        on_link += usize::from(
            matches!(status, NavMeshAgentStatus::OnMesh(AgentStatus::OnLink { link, .. }) if link == id),
        );
    }
    assert!(state(&app, agent).status.has_arrived(), "{:?} at {}", state(&app, agent), place(&app, agent));
    assert!((on_link as f32 / 64.0 - 2.0).abs() < 0.1, "{on_link} steps on a link of 2 s");

    // Closed, and back: no way.
    app.world_mut().get_mut::<NavMeshLink>(ladder).expect("it is there").is_open = false;
    app.update();
    *app.world_mut().get_mut::<AgentTarget>(agent).expect("it is there") = AgentTarget::Place(Vec3::ZERO);
    steps(&mut app, 64 * 6);
    assert_eq!(state(&app, agent).status, NavMeshAgentStatus::OnMesh(AgentStatus::Blocked));
    // An obstacle rebuilds tiles; the link is the same. It opens, and the agent continues by itself.
    let obstacle = (NavMeshObstacle::default(), NavMeshCollider::cuboid(1.0, 1.0, 1.0));
    app.world_mut().spawn((obstacle, Transform::from_xyz(-1.0, 0.5, -1.8)));
    app.update();
    assert_eq!(mesh(&app, navigation).and_then(|mesh| mesh.link_of(ladder)), Some(id));
    app.world_mut().get_mut::<NavMeshLink>(ladder).expect("it is there").is_open = true;
    steps(&mut app, 64 * 12);
    assert!(state(&app, agent).status.has_arrived(), "{:?} at {}", state(&app, agent), place(&app, agent));

    // Off the ground at one end, it is on no mesh; despawned, it is gone.
    app.world_mut().get_mut::<Transform>(ladder).expect("it is there").translation.y = 20.0;
    app.update();
    assert!(
        mesh(&app, navigation)
            .is_some_and(|mesh| mesh.link_of(ladder).is_none() && mesh.mesh().links().is_empty())
    );
    app.world_mut().get_mut::<Transform>(ladder).expect("it is there").translation.y = 0.0;
    app.update();
    assert_eq!(mesh(&app, navigation).map(|mesh| mesh.mesh().links().len()), Some(1));
    app.world_mut().despawn(ladder);
    app.update();
    assert_eq!(mesh(&app, navigation).map(|mesh| mesh.mesh().links().len()), Some(0));
}

#[test]
fn agents_outlive_their_level_and_go_on_in_the_next() {
    let mut app = app();
    let floor = ground(&mut app, 12.0, 12.0);
    let navigation = app.world_mut().spawn(baker()).id();
    app.update();
    let agent = spawn(&mut app, navigation, Vec3::new(-4.0, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0));
    let far = spawn(&mut app, navigation, Vec3::new(90.0, 0.0, 0.0), Vec3::ZERO);
    steps(&mut app, 64);
    assert_eq!(state(&app, far).status, NavMeshAgentStatus::NoGround);
    assert!(state(&app, far).error.is_some());

    // The sources go, and the mesh with them.
    app.world_mut().despawn(floor);
    steps(&mut app, 3);
    let there = place(&app, agent);
    steps(&mut app, 3);
    assert_eq!(state(&app, agent).status, NavMeshAgentStatus::NoMesh);
    assert_eq!((state(&app, agent).velocity, place(&app, agent)), (Vec3::ZERO, there));
    app.world_mut().get_mut::<NavMeshAgent>(agent).expect("it is there").params.max_speed = 0.9;
    steps(&mut app, 3);

    // Another level under it: it continues, as it is now.
    ground(&mut app, 12.0, 12.0);
    let mut fastest = 0.0_f32;
    for _ in 0..64 * 10 {
        app.update();
        fastest = fastest.max(state(&app, agent).velocity.length());
    }
    assert!((0.8..0.9 + 1e-4).contains(&fastest), "{fastest} m/s");
    assert!(state(&app, agent).status.has_arrived(), "{:?}", state(&app, agent));

    // The ground goes from under it alone.
    let pit = (NavMeshArea::new(AreaId::NULL), NavMeshCollider::cuboid(5.0, 1.0, 5.0));
    let pit = app.world_mut().spawn((pit, Transform::from_xyz(5.0, 0.0, 0.0))).id();
    steps(&mut app, 3);
    assert_eq!(state(&app, agent).status, NavMeshAgentStatus::NoGround);
    app.world_mut().despawn(pit);
    steps(&mut app, 3);
    assert!(matches!(state(&app, agent).status, NavMeshAgentStatus::OnMesh(_)));

    // The entity of the mesh goes.
    app.world_mut().despawn(navigation);
    steps(&mut app, 2);
    assert!(app.world().get::<WalksOn>(agent).is_none());
    assert_eq!(state(&app, agent).status, NavMeshAgentStatus::NoMesh);
}

#[test]
fn settings_of_a_crowd_count_and_bad_ones_do_not() {
    let (mut app, navigation) = level(12.0, 6.0);
    let bad = NavMeshCrowd(CrowdConfig::default().with_horizon(-1.0));
    app.world_mut().entity_mut(navigation).insert(bad);
    let agent = spawn(&mut app, navigation, Vec3::new(-4.0, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0));
    steps(&mut app, 64);
    let before = place(&app, agent);
    assert!(before.x > -3.5);
    let error = state(&app, agent).error;
    assert!(matches!(error, Some(CrowdError::BadField(_))), "{error:?}");
    app.world_mut().entity_mut(navigation).insert(NavMeshCrowd(CrowdConfig::default().with_horizon(1.0)));
    steps(&mut app, 2);
    assert_eq!(state(&app, agent).error, None);
    app.world_mut().entity_mut(navigation).remove::<NavMeshCrowd>();
    steps(&mut app, 64 * 7);
    assert!(state(&app, agent).status.has_arrived());
}

#[test]
fn wide_agents_take_the_wide_door() {
    // A wall across the level with doors of 1 m at z = -3 and of 2.6 m at z = 4.
    let (mut app, navigation) = level(12.0, 14.0);
    app.world_mut().entity_mut(navigation).insert(NavMeshClearance::default().with_wait(true));
    for [low, high] in [[-7.0, -3.5], [-2.5, 2.7], [5.3, 7.0]] {
        let block = (NavMeshObstacle::default(), NavMeshCollider::cuboid(0.4, 2.0, high - low));
        app.world_mut().spawn((block, Transform::from_xyz(0.0, 1.0, f32::midpoint(low, high))));
    }
    let mut passes = |radius: f32| {
        let [from, to] = [-4.0, 4.0].map(|x| Vec3::new(x, 0.0, -3.0));
        let agent = spawn(&mut app, navigation, from, to);
        app.world_mut().get_mut::<NavMeshAgent>(agent).expect("it is there").params.radius = radius;
        let mut passed = f32::NAN;
        for _ in 0..64 * 20 {
            app.update();
            if passed.is_nan() && place(&app, agent).x > 0.0 {
                passed = place(&app, agent).z;
            }
        }
        assert!(state(&app, agent).status.has_arrived(), "{:?}", state(&app, agent));
        app.world_mut().despawn(agent);
        passed
    };
    let [narrow, wide] = [passes(0.3), passes(0.9)];
    assert!((-3.5..-2.5).contains(&narrow) && (3.5..4.5).contains(&wide), "{narrow} {wide}");
    // Without it the wide agent does not know that it is too wide.
    app.world_mut().entity_mut(navigation).remove::<NavMeshClearance>();
    let agent = spawn(&mut app, navigation, Vec3::new(-4.0, 0.0, -3.0), Vec3::new(4.0, 0.0, -3.0));
    app.world_mut().get_mut::<NavMeshAgent>(agent).expect("it is there").params.radius = 0.9;
    steps(&mut app, 4);
    assert!(state(&app, agent).corner.is_some_and(|corner| corner.z < -2.0), "{:?}", state(&app, agent));
}

#[test]
fn wide_links_are_taken_side_by_side() {
    let mut app = app();
    ground(&mut app, 6.0, 6.0);
    let far = ground(&mut app, 6.0, 6.0);
    app.world_mut().get_mut::<Transform>(far).expect("it is there").translation.x = 8.0;
    let navigation = app.world_mut().spawn(baker()).id();
    let jump = NavMeshLink::new(Vec3::new(2.5, 0.0, 0.0), Vec3::new(5.5, 0.0, 0.0)).with_width(4.0);
    let jump = app.world_mut().spawn(jump).id();
    app.update();
    let on_mesh = mesh(&app, navigation).expect("a mesh");
    let link =
        *on_mesh.mesh().link(on_mesh.link_of(jump).expect("ground at both ends")).expect("it is there");
    for end in [link.from, link.to] {
        let [a, b] = end.ends.map(|end| f64::from(end.point.z) * f64::from(on_mesh.mesh().frame().cell_size));
        assert!(((b - a).abs() - 4.0).abs() < 0.25, "{end:?}");
    }
    let agents = [-1.5, 0.0, 1.5]
        .map(|z| spawn(&mut app, navigation, Vec3::new(-2.0, 0.0, z), Vec3::new(10.0, 0.0, z)));
    let mut aside = [0.0_f32; 3];
    for _ in 0..64 * 14 {
        app.update();
        for ((aside, &agent), z) in aside.iter_mut().zip(&agents).zip([-1.5, 0.0, 1.5]) {
            *aside = aside.max((place(&app, agent).z - z).abs());
        }
    }
    for agent in agents {
        assert!(state(&app, agent).status.has_arrived(), "{:?}", state(&app, agent));
    }
    assert!(aside.iter().all(|&aside| aside < 0.5), "{aside:?}");
}
