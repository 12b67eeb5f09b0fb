//! Bakes of what is in the ECS.

mod common;

use std::sync::Arc;

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy_waymesh::{GeometryError, NavMeshGeometryPlugin, Triangles};
use common::*;
use waymesh::{AreaId, BakeError};

fn status(app: &App, navigation: Entity) -> BakeStatus {
    app.world().get::<NavMeshBake>(navigation).expect("a baker").status().clone()
}

fn problems(app: &App, navigation: Entity) -> Vec<(Entity, GeometryError)> {
    let BakeStatus::Done(summary) = status(app, navigation) else { panic!("{:?}", status(app, navigation)) };
    summary.problems.iter().map(|problem| (problem.entity, problem.error.clone())).collect()
}

#[test]
fn all_front_ends_bake_the_same_room() {
    for front in
        [NavMeshBaker::world(32), NavMeshBaker::voxels(), NavMeshBaker::storeys(), NavMeshBaker::slices()]
    {
        let mut app = app();
        ground(&mut app, 10.0, 8.0);
        let wall = (NavMeshSource::default(), NavMeshCollider::cuboid(1.0, 3.0, 1.0));
        app.world_mut().spawn((wall, Transform::from_xyz(2.0, 1.5, 0.0)));
        let name = format!("{:?}", front.front);
        let mut baker = small(front).with_wait(true);
        let mut exact = 9.4 * 7.4 - 1.6 * 1.6;
        if name.starts_with("Slices") {
            // They are for agents of any radius.
            baker.config.agent.radius = 0.0;
            exact = 10.0 * 8.0 - 1.0;
        }
        let navigation = app.world_mut().spawn(baker).id();
        app.update();
        // Less a square of 1.6 m with round corners. Grids lose up to a cell at every border.
        let baked = area(&app, navigation);
        assert!(
            (baked - exact).abs() < 0.15 * exact,
            "{name}: {baked} m2 of {exact} m2, {:?}",
            status(&app, navigation)
        );
        let path = mesh(&app, navigation).expect("a mesh");
        let path = path.find_shortest_path(Vec3::new(-4.0, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0));
        let path = path.expect("ground at both ends");
        assert!(path.is_complete && path.points.len() == 4, "{name}: {:?}", path.points);
        let kinds = messages::<NavMeshBakeMessage>(&mut app);
        assert!(matches!(kinds.first(), Some(NavMeshBakeMessage::Started { .. })), "{name}");
        let Some(NavMeshBakeMessage::Finished { summary, .. }) = kinds.last() else { panic!("{kinds:?}") };
        assert_eq!(summary.update.is_some(), name.starts_with("World"));
        assert_ne!(summary.update.is_some(), summary.report.is_some());
    }
}

#[test]
fn a_bake_in_the_background_tells_of_its_progress() {
    let mut app = app();
    ground(&mut app, 60.0, 60.0);
    let navigation = app.world_mut().spawn(small(NavMeshBaker::voxels())).id();
    app.update();
    assert!(app.world().get::<NavMeshBake>(navigation).is_some_and(NavMeshBake::is_baking));
    let mut all = Vec::new();
    update_until(&mut app, |app| {
        all.extend(messages::<NavMeshBakeMessage>(app));
        matches!(all.last(), Some(NavMeshBakeMessage::Finished { .. }))
    });
    let stages = all.iter().filter_map(|message| match message {
        NavMeshBakeMessage::Progress { progress, .. } => Some(progress.stages),
        _ => None,
    });
    assert!(stages.clone().is_sorted() && stages.count() > 0);
    assert!(all.iter().filter(|message| matches!(message, NavMeshBakeMessage::Started { .. })).count() == 1);
    app.update();
    assert!(mesh(&app, navigation).is_some());
}

#[test]
fn a_cancelled_bake_leaves_the_mesh_before_and_can_be_asked_for_again() {
    let mut app = app();
    let floor = ground(&mut app, 20.0, 20.0);
    let navigation = app.world_mut().spawn(baker()).id();
    app.update();
    let before = area(&app, navigation);

    app.world_mut().get_mut::<NavMeshBaker>(navigation).expect("it is there").wait = false;
    // On a busy machine a bake may be done before it is cancelled: then a larger one.
    let mut side = 5.0;
    loop {
        app.world_mut().get_mut::<Transform>(floor).expect("it is there").scale = Vec3::splat(side);
        messages::<NavMeshBakeMessage>(&mut app);
        app.update();
        app.world_mut().get_mut::<NavMeshBake>(navigation).expect("it is there").cancel();
        let is_baking =
            |app: &App| app.world().get::<NavMeshBake>(navigation).is_some_and(NavMeshBake::is_baking);
        update_until(&mut app, |app| !is_baking(app));
        if matches!(status(&app, navigation), BakeStatus::Cancelled) {
            break;
        }
        side += 1.0;
        assert!(side < 20.0, "bakes are not cancelled");
    }
    assert!(
        messages::<NavMeshBakeMessage>(&mut app)
            .iter()
            .any(|message| matches!(message, NavMeshBakeMessage::Cancelled { .. }))
    );
    let kept = area(&app, navigation);
    assert!(if side > 5.0 { kept > before } else { (kept - before).abs() < 1e-9 }, "{kept} m2, {before} m2");

    app.world_mut().get_mut::<NavMeshBake>(navigation).expect("it is there").request();
    update_until(&mut app, |app| matches!(status(app, navigation), BakeStatus::Done(_)));
    app.update();
    assert!(area(&app, navigation) > 9.0 * before);
}

#[test]
fn meshes_of_all_layouts_give_the_same_ground() {
    let corners = [[-3.0, 0.0, -3.0], [-3.0, 0.0, 3.0], [3.0, 0.0, -3.0], [3.0, 0.0, 3.0]];
    let mesh = |topology, positions: Vec<[f32; 3]>, indices: Option<Indices>| {
        let mut mesh = Mesh::new(topology, RenderAssetUsages::default());
        mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, positions);
        if let Some(indices) = indices {
            mesh.insert_indices(indices);
        }
        Triangles::of_mesh(&mesh)
    };
    let flat = |triangles: Result<Triangles, GeometryError>| {
        let Triangles { positions, triangles } = triangles.expect("triangles");
        let corner = |corner: u32| positions[corner as usize];
        let up = |[a, b, c]: [u32; 3]| (corner(b) - corner(a)).cross(corner(c) - corner(a)).y;
        triangles.into_iter().map(up).collect::<Vec<_>>()
    };
    let list = vec![0_u32, 1, 2, 2, 1, 3];
    let of_list = |list: &[u32]| list.iter().map(|&corner| corners[corner as usize]).collect::<Vec<_>>();
    let wide = PrimitiveTopology::TriangleList;
    let strip = PrimitiveTopology::TriangleStrip;
    let all = [
        flat(mesh(wide, corners.to_vec(), Some(Indices::U32(list.clone())))),
        flat(mesh(wide, corners.to_vec(), Some(Indices::U16(vec![0, 1, 2, 2, 1, 3])))),
        flat(mesh(wide, of_list(&list), None)),
        flat(mesh(strip, corners.to_vec(), None)),
        flat(mesh(strip, corners.to_vec(), Some(Indices::U16(vec![0, 1, 2, 3])))),
    ];
    for ups in all {
        assert_eq!(ups, [36.0, 36.0]);
    }
    let lines = mesh(PrimitiveTopology::LineList, corners.to_vec(), None);
    assert!(matches!(lines, Err(GeometryError::NotTriangles { .. })));
}

#[test]
fn geometry_that_cannot_be_used_is_reported_and_the_rest_is_baked() {
    let mut app = app();
    ground(&mut app, 10.0, 10.0);
    let mut meshes = app.world_mut().resource_mut::<Assets<Mesh>>();
    let mut lines = Mesh::new(PrimitiveTopology::LineList, RenderAssetUsages::default());
    lines.insert_attribute(Mesh::ATTRIBUTE_POSITION, vec![[0.0; 3]; 2]);
    let lines = meshes.add(lines);
    let lines = app.world_mut().spawn((Mesh3d(lines), NavMeshSource::default())).id();
    let open = Triangles { positions: vec![Vec3::ZERO, Vec3::Z, Vec3::X], triangles: vec![[0, 1, 2]] };
    let open = (NavMeshArea::new(AreaId(3)), NavMeshCollider::Triangles(Arc::new(open)));
    let open = app.world_mut().spawn(open).id();
    for front in [NavMeshBaker::world(32), NavMeshBaker::voxels()] {
        let navigation = app.world_mut().spawn(small(front).with_wait(true)).id();
        // Each bake says it, not only the first.
        for side in [0.5, 1.0] {
            app.world_mut().spawn((NavMeshObstacle::default(), NavMeshCollider::cuboid(side, 2.0, side)));
            app.update();
            let problems = problems(&app, navigation);
            assert!(
                matches!(
                    problems[..],
                    [(a, GeometryError::NotTriangles { .. }), (b, GeometryError::Refused(_))]
                        if a == lines && b == open
                ),
                "{problems:?}"
            );
            assert!(area(&app, navigation) > 80.0);
        }
    }
}

#[test]
fn bad_settings_fail_with_the_name_of_the_field() {
    let mut app = app();
    ground(&mut app, 10.0, 10.0);
    let mut baker = baker();
    baker.config.agent.height = -1.0;
    let navigation = app.world_mut().spawn(baker).id();
    app.update();
    let BakeStatus::Failed(error) = status(&app, navigation) else { panic!("it cannot be baked") };
    assert!(error.to_string().contains("agent.height"), "{error}");
    // The settings change, and it bakes again by itself.
    app.world_mut().get_mut::<NavMeshBaker>(navigation).expect("it is there").config.agent.height = 1.8;
    app.update();
    assert!(area(&app, navigation) > 80.0);
}

#[test]
fn a_level_that_goes_takes_its_mesh_with_it() {
    for front in [NavMeshBaker::world(32), NavMeshBaker::voxels()] {
        let mut app = app();
        let floor = ground(&mut app, 10.0, 10.0);
        let navigation = app.world_mut().spawn(small(front).with_wait(true)).id();
        app.update();
        assert!(mesh(&app, navigation).is_some());
        app.world_mut().despawn(floor);
        app.update();
        assert!(matches!(status(&app, navigation), BakeStatus::Empty));
        assert!(mesh(&app, navigation).is_none(), "nobody walks on ground that is gone");
        let told = messages::<NavMeshBakeMessage>(&mut app);
        assert!(matches!(told.last(), Some(NavMeshBakeMessage::Emptied { .. })));
        // And the next level brings another.
        ground(&mut app, 6.0, 6.0);
        app.update();
        let next = area(&app, navigation);
        assert!((next - 5.2 * 5.2).abs() < 2.0, "{next} m2");
    }
}

#[test]
fn a_bake_without_a_place_to_stand_takes_the_mesh_away_and_says_why() {
    let mut app = app();
    let floor = ground(&mut app, 10.0, 10.0);
    let navigation = app.world_mut().spawn(small(NavMeshBaker::voxels()).with_wait(true)).id();
    app.update();
    app.world_mut().get_mut::<Transform>(floor).expect("it is there").rotate_x(1.5);
    app.update();
    assert!(matches!(&status(&app, navigation), BakeStatus::Failed(error)
        if matches!(**error, BakeError::NothingWalkable { .. })));
    assert!(mesh(&app, navigation).is_none());
}

#[test]
fn a_mesh_asset_that_changes_or_goes_is_followed() {
    let mut app = app();
    let floor = ground(&mut app, 10.0, 10.0);
    let navigation = app.world_mut().spawn(baker()).id();
    app.update();
    let id = app.world().get::<Mesh3d>(floor).expect("a mesh").id();
    let wider = Mesh::from(Plane3d::default().mesh().size(14.0, 10.0));
    app.world_mut().resource_mut::<Assets<Mesh>>().insert(id, wider).expect("the handle is alive");
    // The event of the asset comes with the next update.
    app.update();
    app.update();
    assert!((area(&app, navigation) - 13.2 * 9.2).abs() < 6.0, "{}", area(&app, navigation));
    app.world_mut().resource_mut::<Assets<Mesh>>().remove(id);
    app.update();
    app.update();
    assert!(matches!(status(&app, navigation), BakeStatus::Empty));
}

#[test]
fn a_world_builds_only_tiles_that_changed_and_comes_back_to_the_same_bytes() {
    let mut app = app();
    ground(&mut app, 60.0, 60.0);
    let navigation = app.world_mut().spawn(baker()).id();
    app.update();
    let bytes = |app: &App| mesh(app, navigation).expect("a mesh").mesh().to_wmesh();
    let before = bytes(&app);
    let all = app.world().get::<NavMeshBake>(navigation).expect("a baker");
    let BakeStatus::Done(all) = all.status().clone() else { panic!("{all:?}") };
    let all = all.update.expect("a world").rebuilt;

    // A block of the level that moves, and an obstacle.
    let block = (NavMeshSource::default(), NavMeshCollider::cuboid(2.0, 2.0, 2.0));
    let block = app.world_mut().spawn((block, Transform::from_xyz(10.0, 1.0, 10.0))).id();
    let crate_ = (NavMeshObstacle::default(), NavMeshCollider::cylinder(1.0, 2.0));
    let crate_ = app.world_mut().spawn((crate_, Transform::from_xyz(-10.0, 1.0, -10.0))).id();
    app.update();
    let BakeStatus::Done(few) = status(&app, navigation) else { panic!("it changed") };
    let few = few.update.expect("a world").rebuilt;
    assert!(few > 0 && 3 * few < all, "{few} of {all} tiles");
    let with_both = area(&app, navigation);
    app.world_mut().get_mut::<Transform>(crate_).expect("it is there").translation.x = 12.0;
    app.world_mut().get_mut::<Transform>(block).expect("it is there").translation.x = -12.0;
    app.update();
    assert!((area(&app, navigation) - with_both).abs() < 1.0);
    let there = mesh(&app, navigation).expect("a mesh");
    assert!(there.nearest(Vec3::new(10.0, 0.0, 10.0)).is_some_and(|place| place.y < 0.5));
    app.world_mut().despawn(crate_);
    app.world_mut().despawn(block);
    app.update();
    assert!(bytes(&app) == before, "the same level gives the same bytes");
}

#[test]
fn a_source_beyond_a_world_without_bounds_makes_it_larger() {
    let mut app = app();
    ground(&mut app, 10.0, 10.0);
    let navigation = app.world_mut().spawn(baker()).id();
    app.update();
    let annexe = ground(&mut app, 6.0, 6.0);
    app.world_mut().get_mut::<Transform>(annexe).expect("it is there").translation =
        Vec3::new(20.0, 0.0, 0.0);
    app.update();
    let there = mesh(&app, navigation).expect("a mesh");
    assert!(there.nearest(Vec3::new(20.0, 0.0, 0.0)).is_some());
}

#[test]
fn areas_mark_ground_by_their_order() {
    for front in [NavMeshBaker::world(32), NavMeshBaker::voxels()] {
        let mut app = app();
        ground(&mut app, 10.0, 10.0);
        let navigation = app.world_mut().spawn(small(front).with_wait(true)).id();
        let shape = NavMeshCollider::cuboid(4.0, 2.0, 4.0);
        let over = NavMeshArea { area: AreaId(7), order: 1 };
        let over = app.world_mut().spawn((over, shape.clone())).id();
        app.world_mut().spawn((NavMeshArea::new(AreaId(5)), shape, Transform::from_xyz(1.0, 0.0, 0.0)));
        let area_at = |app: &App, x: f32| {
            let mesh = mesh(app, navigation).expect("a mesh").mesh();
            let place =
                mesh.nearest(waymesh::glam::vec3(x, 0.0, 0.0), &mesh.default_reach()).expect("ground");
            mesh.polygon(place.polygon).expect("a polygon").area_id()
        };
        app.update();
        assert_eq!([-4.0, 0.0, 2.5].map(|x| area_at(&app, x)), [AreaId::GROUND, AreaId(7), AreaId(5)]);
        app.world_mut().get_mut::<NavMeshArea>(over).expect("it is there").order = -1;
        app.update();
        assert_eq!([-1.5, 0.0, 2.5].map(|x| area_at(&app, x)), [AreaId(7), AreaId(5), AreaId(5)]);
        app.world_mut().despawn(over);
        app.update();
        assert_eq!(area_at(&app, -1.5), AreaId::GROUND);
    }
}

#[derive(Component)]
struct Platform {
    side: f32,
}

#[test]
fn components_of_others_give_triangles_by_a_hook() {
    let mut app = app();
    app.add_plugins(NavMeshGeometryPlugin::new(|platform: &Platform| {
        let mesh = Mesh::from(Plane3d::default().mesh().size(platform.side, platform.side));
        Triangles::of_mesh(&mesh).ok()
    }));
    let platform = app.world_mut().spawn((Platform { side: 6.0 }, NavMeshSource::default())).id();
    let navigation = app.world_mut().spawn(baker()).id();
    app.update();
    assert!((area(&app, navigation) - 5.2 * 5.2).abs() < 2.0, "{}", area(&app, navigation));
    app.world_mut().get_mut::<Platform>(platform).expect("it is there").side = 8.0;
    app.update();
    assert!((area(&app, navigation) - 7.2 * 7.2).abs() < 2.0, "{}", area(&app, navigation));
    app.world_mut().entity_mut(platform).remove::<Platform>();
    app.update();
    assert!(matches!(status(&app, navigation), BakeStatus::Empty));
}

#[test]
fn a_baker_may_count_only_what_is_below_it() {
    let mut app = app();
    ground(&mut app, 30.0, 30.0);
    let navigation = app.world_mut().spawn(baker().with_scope(Scope::Descendants)).id();
    let inner = ground(&mut app, 6.0, 6.0);
    let room = app.world_mut().spawn((Transform::from_xyz(0.0, 5.0, 0.0), ChildOf(navigation))).id();
    app.world_mut().entity_mut(inner).insert(ChildOf(room));
    app.update();
    assert!((area(&app, navigation) - 5.2 * 5.2).abs() < 2.0, "{}", area(&app, navigation));
    let there = mesh(&app, navigation).expect("a mesh");
    assert!(there.nearest(Vec3::new(0.0, 5.0, 0.0)).is_some());
    // The level goes as a whole.
    app.world_mut().despawn(navigation);
    app.update();
    assert!(app.world().get_entity(inner).is_err());
}

#[test]
fn a_baker_on_request_waits_for_it() {
    let mut app = app();
    ground(&mut app, 10.0, 10.0);
    let navigation = app.world_mut().spawn(baker().with_rebuild(Rebuild::OnRequest)).id();
    app.update();
    assert!(matches!(status(&app, navigation), BakeStatus::Idle));
    app.world_mut().get_mut::<NavMeshBake>(navigation).expect("it is there").request();
    app.update();
    assert!(mesh(&app, navigation).is_some());
}
