//! Meshes from files, and meshes that change on the disk.

mod common;

use std::path::Path;

use bevy::asset::{AssetPlugin, LoadState};
use bevy_waymesh::NavMeshLoadError;
use common::*;
use waymesh::core::TriangleSoup;
use waymesh::{Agent, Baker};

/// A mesh of flat ground of `x` by 8 m.
fn baked(x: f32) -> waymesh::NavMesh {
    let corners = [[0.0, 0.0], [0.0, 8.0], [x, 8.0], [x, 0.0]];
    let corners = corners.map(|[x, z]| waymesh::glam::vec3(x, 0.0, z)).to_vec();
    let soup = TriangleSoup::new(corners, vec![[0, 1, 2], [0, 2, 3]]).expect("corners are there");
    let baker = Baker::voxels();
    let config = baker.config().clone().with_agent(Agent::default().with_radius(0.3));
    baker.with_config(config).bake(&soup).expect("a mesh")
}

fn app_of(folder: &Path) -> App {
    app_with(AssetPlugin { file_path: folder.to_string_lossy().into_owned(), ..AssetPlugin::default() })
}

fn load(app: &mut App, file: &'static str) -> (Entity, Handle<NavMeshAsset>) {
    let handle = app.world().resource::<AssetServer>().load(file);
    (app.world_mut().spawn(NavMeshHandle(handle.clone())).id(), handle)
}

#[test]
fn files_of_all_formats_become_meshes() {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = baked(12.0);
    for file in ["level.wmesh", "level.wmrun", "level.navmesh"] {
        waymesh::io::save(&saved, folder.path().join(file)).expect("it is written");
        let mut app = app_of(folder.path());
        let (navigation, _) = load(&mut app, file);
        update_until(&mut app, |app| mesh(app, navigation).is_some());
        let loaded = mesh(&app, navigation).expect("a mesh");
        assert!((loaded.mesh().area() - saved.area()).abs() < 1e-3, "{file}");
        let path = loaded.find_path(Vec3::new(1.0, 0.0, 1.0), Vec3::new(11.0, 0.0, 7.0)).expect("ground");
        assert!(path.is_complete, "{file}");
    }
}

#[test]
fn a_damaged_file_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("broken.wmesh"), b"no mesh at all").expect("it is written");
    let mut app = app_of(folder.path());
    let (navigation, handle) = load(&mut app, "broken.wmesh");
    let failed = |app: &App| match app.world().resource::<AssetServer>().load_state(&handle) {
        LoadState::Failed(error) => Some(error),
        _ => None,
    };
    update_until(&mut app, |app| failed(app).is_some());
    let text = failed(&app).expect("an error").to_string();
    assert!(text.contains("broken.wmesh") && text.contains("no navigation mesh"), "{text}");
    assert!(mesh(&app, navigation).is_none());
    let typed: NavMeshLoadError = std::io::Error::other("gone").into();
    assert_eq!(typed.to_string(), "cannot read the file: gone");
}

#[test]
fn agents_follow_a_mesh_that_is_loaded_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("level.wmesh");
    waymesh::io::save(&baked(12.0), &file).expect("it is written");
    let mut app = app_of(folder.path());
    let (navigation, handle) = load(&mut app, "level.wmesh");
    update_until(&mut app, |app| mesh(app, navigation).is_some());
    let before = area(&app, navigation);
    let to = Vec3::new(18.0, 0.0, 4.0);
    let agent = (NavMeshAgent::default(), AgentTarget::Place(to), WalksOn(navigation));
    let agent = app.world_mut().spawn((agent, Transform::from_xyz(9.0, 0.0, 4.0))).id();
    (0..10).for_each(|_| app.update());
    let state = |app: &App| app.world().get::<NavMeshAgentState>(agent).expect("an agent").clone();
    assert!(state(&app).error.is_some(), "the target is beyond the mesh: {:?}", state(&app));

    waymesh::io::save(&baked(20.0), &file).expect("it is written");
    app.world().resource::<AssetServer>().reload("level.wmesh");
    update_until(&mut app, |app| area(app, navigation) > 1.5 * before);
    (0..64 * 9).for_each(|_| app.update());
    assert!(state(&app).status.has_arrived(), "{:?}", state(&app));

    // A damaged file leaves the mesh before.
    std::fs::write(&file, b"half").expect("it is written");
    app.world().resource::<AssetServer>().reload("level.wmesh");
    let is_failed = |app: &App| app.world().resource::<AssetServer>().load_state(&handle).is_failed();
    update_until(&mut app, |app| is_failed(app));
    (0..3).for_each(|_| app.update());
    assert!(area(&app, navigation) > 1.5 * before);

    // The asset is removed: agents stand until the next one.
    app.world_mut().resource_mut::<Assets<NavMeshAsset>>().remove(&handle);
    (0..3).for_each(|_| app.update());
    assert!(mesh(&app, navigation).is_none());
    assert_eq!(state(&app).status, NavMeshAgentStatus::NoMesh);
    let other = app.world_mut().resource_mut::<Assets<NavMeshAsset>>().add(NavMeshAsset(baked(20.0).into()));
    app.world_mut().entity_mut(navigation).insert(NavMeshHandle(other));
    (0..3).for_each(|_| app.update());
    assert!(state(&app).status.has_arrived(), "{:?}", state(&app));
    app.world_mut().entity_mut(navigation).remove::<NavMeshHandle>();
    (0..3).for_each(|_| app.update());
    assert_eq!(state(&app).status, NavMeshAgentStatus::NoMesh);
}
