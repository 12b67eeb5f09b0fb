//! Tests of the lines that gizmos draw.

#![cfg(feature = "gizmos")]

mod common;

use bevy::gizmos::{GizmoAsset, GizmoPlugin};
use bevy_waymesh::{NavMeshGizmos, NavMeshGizmosPlugin};
use common::*;

/// Ends of single lines, and corners of strips, in the last frame.
fn drawn(app: &App) -> [usize; 2] {
    let assets = app.world().resource::<Assets<GizmoAsset>>();
    assets.iter().fold([0, 0], |[lines, strips], (_, asset)| {
        let buffer = asset.buffer();
        let corners = buffer.strip_positions.iter().filter(|corner| corner.is_finite());
        [lines + buffer.list_positions.len(), strips + corners.count()]
    })
}

#[test]
fn every_switch_draws_its_lines() {
    let mut app = app();
    app.add_plugins((GizmoPlugin, NavMeshGizmosPlugin));
    ground(&mut app, 10.0, 10.0);
    let navigation = app.world_mut().spawn(baker()).id();
    let obstacle = (NavMeshObstacle::default(), NavMeshCollider::cuboid(2.0, 2.0, 2.0));
    app.world_mut().spawn(obstacle);
    app.world_mut().spawn((NavMeshArea::new(waymesh::AreaId(9)), NavMeshCollider::cylinder(1.0, 1.0)));
    app.world_mut().spawn(NavMeshLink::new(Vec3::new(-4.0, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0)));
    let agent = (NavMeshAgent::default(), AgentTarget::Place(Vec3::new(4.0, 0.0, 1.0)), WalksOn(navigation));
    let agent = app.world_mut().spawn((agent, Transform::from_xyz(-4.0, 0.0, 1.0))).id();
    app.update();
    app.update();

    let there = mesh(&app, navigation).expect("a mesh").mesh().clone();
    let edges = |is_border: bool| {
        let neighbours = there.polygons().flat_map(|polygon| polygon.neighbours().collect::<Vec<_>>());
        neighbours.filter(|neighbour| neighbour.is_none() == is_border).count()
    };
    let ground = waymesh::io::ground_triangles(&there).triangles.len();
    let path = {
        let agent = Vec3::new(-4.0, 0.0, 1.0);
        let mesh = mesh(&app, navigation).expect("a mesh");
        mesh.find_path(agent, Vec3::new(4.0, 0.0, 1.0)).expect("ground").points.len()
    };
    type Switch = fn(&mut NavMeshGizmos);
    let switches: [(Switch, [usize; 2]); 9] = [
        (|gizmos| gizmos.borders = true, [2 * edges(true), 0]),
        (|gizmos| gizmos.portals = true, [edges(false), 0]),
        (|gizmos| gizmos.ground = true, [6 * ground, 0]),
        (|gizmos| gizmos.links = true, [2, 0]),
        // Two triangles of the ground, twelve of the box, and those of the prism of 32 sides.
        (|gizmos| gizmos.sources = true, [0, 4 * 2]),
        (|gizmos| gizmos.obstacles = true, [0, 4 * 12]),
        (|gizmos| gizmos.areas = true, [0, 4 * (2 * 30 + 2 * 32)]),
        (|gizmos| gizmos.paths = true, [0, path]),
        (|gizmos| gizmos.agents = true, [2, 17]),
    ];
    for (number, (switch, expected)) in switches.into_iter().enumerate() {
        let mut store = app.world_mut().resource_mut::<GizmoConfigStore>();
        let (_, gizmos) = store.config_mut::<NavMeshGizmos>();
        *gizmos = NavMeshGizmos {
            borders: false,
            portals: false,
            links: false,
            paths: false,
            agents: false,
            ..NavMeshGizmos::default()
        };
        switch(gizmos);
        app.update();
        assert!(expected[0] + expected[1] > 0, "switch {number} has something to draw");
        assert_eq!(drawn(&app), expected, "switch {number}");
    }

    // The path of the last agent goes with it.
    let mut store = app.world_mut().resource_mut::<GizmoConfigStore>();
    let (_, gizmos) = store.config_mut::<NavMeshGizmos>();
    (gizmos.paths, gizmos.borders) = (true, true);
    app.world_mut().despawn(agent);
    app.update();
    assert_eq!(drawn(&app), [2 * edges(true), 0]);
}
