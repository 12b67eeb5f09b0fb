//! Worlds of tiles that are read around players.

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::asset::{AssetApp, AssetPlugin};
use bevy::mesh::MeshPlugin;
use bevy::transform::TransformPlugin;
use bevy_waymesh::{NavMeshStreamError, NavMeshTileError, to_waymesh};
use common::*;
use waymesh::core::float::squared;
use waymesh::tile::{Tile, TileLayout};
use waymesh::{AreaId, Baker, World};

/// Half of the level along x; it is 16 m deep.
const HALF: f32 = 32.0;

/// Writes the tiles of a level of 64 by 16 m with a wall every 8 m, passed on one side and on the
/// other. Returns its mesh.
fn write_level(folder: &Path, wall: f32) -> waymesh::NavMesh {
    let mut app = app();
    ground(&mut app, 2.0 * HALF, 16.0);
    for number in 0_u8..7 {
        let (x, z) = (8.0 * f32::from(number) - 24.0, if number % 2 == 0 { -3.0 } else { 3.0 });
        let wall = (NavMeshSource::default(), NavMeshCollider::cuboid(0.4, 3.0, wall));
        app.world_mut().spawn((wall, Transform::from_xyz(x, 1.0, z)));
    }
    let level = app.world_mut().spawn(baker()).id();
    app.update();
    let bake = app.world().get::<NavMeshBake>(level).expect("a bake");
    let world = bake.world().expect("a world");
    world.write_tiles(folder, &mut ()).expect("tiles are written");
    waymesh::NavMesh::clone(mesh(&app, level).expect("a mesh").mesh())
}

/// Returns a world with tiles of the folder, read at once.
fn opened(folder: &Path, tiles: impl Iterator<Item = Tile>) -> World {
    let baker = Baker::voxels().with_config(baker().config);
    let mut world = World::open(baker, folder).expect("a folder of tiles");
    for tile in tiles {
        assert!(world.load_tile(tile).expect("a sound tile"), "{tile}");
    }
    world.update(&mut ()).expect("an update");
    world
}

fn app_of(folder: &Path) -> App {
    app_with(AssetPlugin { file_path: folder.to_string_lossy().into_owned(), ..AssetPlugin::default() })
}

/// Streams the tiles of a `bake.txt`.
fn stream(app: &mut App, file: &'static str) -> Entity {
    let tiles = app.world().resource::<AssetServer>().load(file);
    app.world_mut().spawn(NavMeshStreamer::new(tiles, baker().config).with_margin(2.0)).id()
}

fn player(app: &mut App, x: f32, distance: f32) -> Entity {
    app.world_mut().spawn((NavMeshFocus::new(distance), Transform::from_xyz(x, 0.0, 0.0))).id()
}

fn state(app: &App, navigation: Entity) -> &NavMeshStream {
    app.world().get::<NavMeshStream>(navigation).expect("a stream")
}

fn tiles(app: &App, navigation: Entity) -> BTreeSet<Tile> {
    state(app, navigation).tiles().collect()
}

fn layout(app: &App, navigation: Entity) -> TileLayout {
    *state(app, navigation).layout().expect("an open world")
}

/// Updates at least one frame, until all tiles around the players are in the mesh. Returns the
/// messages.
fn settle(app: &mut App, navigation: Entity) -> Vec<NavMeshStreamMessage> {
    app.update();
    let mut told = Vec::new();
    update_until(app, |app| {
        told.extend(messages(app));
        state(app, navigation).is_settled()
    });
    told
}

fn failed(app: &App, navigation: Entity) -> Vec<String> {
    state(app, navigation).failed().map(|(_, error)| error.to_string()).collect()
}

#[test]
fn tiles_come_and_go_with_the_player_and_the_mesh_is_that_of_a_world_opened_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = write_level(folder.path(), 10.0);
    let mut app = app_of(folder.path());
    let navigation = stream(&mut app, "bake.txt");
    assert!(matches!(state(&app, navigation).status(), StreamStatus::Loading));
    let player = player(&mut app, -HALF, 7.0);
    let mut seen = BTreeSet::new();
    update_until(&mut app, |app| mesh(app, navigation).is_some());
    for step in 0_u8..=16 {
        let place = Vec3::new(4.0 * f32::from(step) - HALF, 0.0, 0.0);
        app.world_mut().entity_mut(player).insert(Transform::from_translation(place));
        settle(&mut app, navigation);
        let there = tiles(&app, navigation);
        let near = |distance: f32| layout(&app, navigation).tiles_near(to_waymesh(place), distance);
        assert!(near(7.0).all(|tile| there.contains(&tile)), "step {step}: {there:?}");
        assert!(there.iter().all(|tile| near(9.0).any(|near| near == *tile)), "step {step}: {there:?}");
        let at_once = opened(folder.path(), there.iter().copied()).handle().mesh();
        assert_eq!(**mesh(&app, navigation).expect("a mesh").mesh(), *at_once, "step {step}");
        seen.extend(there);
    }
    assert_eq!(seen.len(), layout(&app, navigation).len(), "all tiles came");
    assert!(tiles(&app, navigation).len() < seen.len() / 2, "and most went");
    assert!(failed(&app, navigation).is_empty());

    // With all tiles it is the world that was written, and so are its paths.
    app.world_mut().entity_mut(player).insert(NavMeshFocus::new(f32::INFINITY));
    settle(&mut app, navigation);
    let streamed = mesh(&app, navigation).expect("a mesh");
    assert_eq!(**streamed.mesh(), whole);
    let path = streamed.find_shortest_path(Vec3::new(-31.0, 0.0, 0.0), Vec3::new(31.0, 0.0, 0.0));
    let path = path.expect("ground at both ends");
    assert!(path.is_complete && path.length > 68.0, "{path:?}");

    // Without a player there are no tiles, and the mesh is empty.
    app.world_mut().despawn(player);
    settle(&mut app, navigation);
    assert!(tiles(&app, navigation).is_empty());
    assert!(area(&app, navigation) < 1e-9);
}

#[test]
fn the_nearest_tiles_come_first_and_no_more_at_once_than_allowed() {
    let folder = tempfile::tempdir().expect("a folder");
    write_level(folder.path(), 10.0);
    let mut app = app_of(folder.path());
    let navigation = stream(&mut app, "bake.txt");
    let change = |streamer: &mut NavMeshStreamer| (streamer.tiles_at_once, streamer.wait) = (2, true);
    change(&mut app.world_mut().get_mut::<NavMeshStreamer>(navigation).expect("a streamer"));
    // One for this streamer, and one for another.
    let players = [player(&mut app, -5.0, 12.0), player(&mut app, 25.0, 12.0)];
    for (player, meant) in players.into_iter().zip([navigation, Entity::PLACEHOLDER]) {
        app.world_mut().get_mut::<NavMeshFocus>(player).expect("a focus").navigation = Some(meant);
    }
    let (mut order, mut updates) = (Vec::new(), 0);
    for message in settle(&mut app, navigation) {
        let NavMeshStreamMessage::Updated { came, gone, update, .. } = message else { panic!("{message:?}") };
        assert!(came.len() <= 2 && gone.is_empty(), "{came:?} {gone:?}");
        assert_eq!((update.prebaked, update.rebuilt), (came.len(), 0));
        updates += usize::from(!came.is_empty());
        order.push(came);
    }
    let there = tiles(&app, navigation);
    assert_eq!(updates, there.len().div_ceil(2));
    let layout = layout(&app, navigation);
    assert!(there.into_iter().eq(layout.tiles_near(to_waymesh(Vec3::new(-5.0, 0.0, 0.0)), 12.0)));
    let (frame, place) = (layout.frame(), to_waymesh(Vec3::new(-5.0, 0.0, 0.0)));
    let [x, _, z] = frame.to_grid(place);
    let away = |tile: &Tile| {
        let core = layout.core(*tile);
        let middle = |low: u32, high: u32| (f64::from(low) + f64::from(high)) / 2.0;
        squared(middle(core.x, core.end_x()) - x) + squared(middle(core.z, core.end_z()) - z)
    };
    let farthest = |tiles: &[Tile]| tiles.iter().map(away).fold(0.0, f64::max);
    let nearest = |tiles: &[Tile]| tiles.iter().map(away).fold(f64::INFINITY, f64::min);
    order.retain(|tiles| !tiles.is_empty());
    assert!(order.windows(2).all(|pair| farthest(&pair[0]) <= nearest(&pair[1])), "{order:?}");
}

#[test]
fn missing_torn_and_foreign_tiles_are_named_and_the_others_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = write_level(folder.path(), 10.0);
    let file = |tile: Tile| folder.path().join(tile.file_name());
    let [missing, torn, foreign] = [2, 4, 6].map(|column| Tile { row: 1, column });
    let sound = std::fs::read(file(torn)).expect("it was written");
    std::fs::remove_file(file(missing)).expect("it was there");
    std::fs::write(file(torn), &sound[..sound.len() / 2]).expect("it is written");
    std::fs::copy(file(torn.min(Tile { row: 0, column: 0 })), file(foreign)).expect("it is copied");
    let mut app = app_of(folder.path());
    let navigation = stream(&mut app, "bake.txt");
    player(&mut app, 0.0, f32::INFINITY);
    let messages = settle(&mut app, navigation);
    let named: Vec<Tile> = state(&app, navigation).failed().map(|(tile, _)| tile).collect();
    assert_eq!(named, [missing, torn, foreign]);
    let texts = failed(&app, navigation);
    for (text, tile) in texts.iter().zip([missing, torn, foreign]) {
        assert!(text.starts_with(&format!("tile {tile}: ")) && text.contains(&tile.file_name()), "{text}");
    }
    assert!(texts[0].contains("there is no"), "{}", texts[0]);
    assert!(texts[1].contains("is damaged"), "{}", texts[1]);
    assert!(texts[2].contains("another tile"), "{}", texts[2]);
    let mut told = Vec::new();
    for message in messages {
        if let NavMeshStreamMessage::TileFailed { tile, error, .. } = message {
            assert_eq!(tile == missing, matches!(*error, NavMeshTileError::Missing { .. }));
            told.push(tile);
        }
    }
    told.sort_unstable();
    assert_eq!(told, [missing, torn, foreign], "each is told once");
    let there = tiles(&app, navigation);
    assert_eq!(there.len(), layout(&app, navigation).len() - 3);
    let at_once = opened(folder.path(), there.iter().copied()).handle().mesh();
    assert_eq!(**mesh(&app, navigation).expect("a mesh").mesh(), *at_once);

    // A repaired file is read on request, and a damaged one changes nothing.
    let read_again = |app: &mut App, tile: Tile| {
        app.world_mut().get_mut::<NavMeshStream>(navigation).expect("a stream").read_again(tile);
        settle(app, navigation);
    };
    std::fs::write(file(torn), &sound).expect("it is written");
    read_again(&mut app, torn);
    assert!(tiles(&app, navigation).contains(&torn));
    assert_eq!(failed(&app, navigation).len(), 2);
    let before = area(&app, navigation);
    std::fs::write(file(torn), b"half").expect("it is written");
    read_again(&mut app, torn);
    assert!(tiles(&app, navigation).contains(&torn) && (area(&app, navigation) - before).abs() < 1e-9);
    assert_eq!(failed(&app, navigation).len(), 3);
    assert!(before < whole.area() - 20.0, "two tiles are not there");
}

#[test]
fn obstacles_areas_and_links_stand_in_a_streamed_world() {
    let folder = tempfile::tempdir().expect("a folder");
    write_level(folder.path(), 10.0);
    let mut app = app_of(folder.path());
    let navigation = stream(&mut app, "bake.txt");
    player(&mut app, 4.0, 6.0);
    let block = (NavMeshObstacle::default(), NavMeshCollider::cuboid(2.0, 2.0, 2.0));
    let block = app.world_mut().spawn((block, Transform::from_xyz(4.0, 0.0, 0.0))).id();
    let mud = (NavMeshArea::new(AreaId(7)), NavMeshCollider::cuboid(2.0, 2.0, 2.0));
    let mud = app.world_mut().spawn((mud, Transform::from_xyz(4.0, 0.0, 4.0))).id();
    // A flat one has no inside.
    let flat = (NavMeshObstacle::default(), NavMeshCollider::cuboid(2.0, 0.0, f32::NAN));
    let flat = app.world_mut().spawn(flat).id();
    let link = NavMeshLink::new(Vec3::new(1.0, 0.0, -4.0), Vec3::new(7.0, 0.0, -4.0));
    let link = app.world_mut().spawn(link).id();
    settle(&mut app, navigation);
    let there = mesh(&app, navigation).expect("a mesh");
    let areas: BTreeSet<AreaId> = there.mesh().polygons().map(|polygon| polygon.area_id()).collect();
    assert!(areas.contains(&AreaId(7)));
    assert!(there.link_of(link).is_some());
    let path = there.find_path(Vec3::new(2.0, 0.0, 0.2), Vec3::new(6.0, 0.0, 0.2)).expect("ground");
    assert!(path.points.len() > 2, "round the block: {path:?}");
    let problems: Vec<Entity> = state(&app, navigation).problems().iter().map(|p| p.entity).collect();
    assert_eq!(problems, [flat]);

    // Without them it is the world of the files.
    [block, mud, flat, link].into_iter().for_each(|entity| assert!(app.world_mut().despawn(entity)));
    settle(&mut app, navigation);
    let at_once = opened(folder.path(), tiles(&app, navigation).into_iter()).handle().mesh();
    assert_eq!(**mesh(&app, navigation).expect("a mesh").mesh(), *at_once);
    assert!(state(&app, navigation).problems().is_empty());
}

#[test]
fn an_agent_walks_through_tiles_that_come_and_go_around_it() {
    let folder = tempfile::tempdir().expect("a folder");
    write_level(folder.path(), 10.0);
    let mut app = app_of(folder.path());
    let navigation = stream(&mut app, "bake.txt");
    app.world_mut().get_mut::<NavMeshStreamer>(navigation).expect("a streamer").wait = true;
    let walker = (NavMeshAgent::default(), WalksOn(navigation), NavMeshFocus::new(12.0));
    let walker = app.world_mut().spawn((walker, Transform::from_xyz(-31.0, 0.0, 0.0))).id();
    update_until(&mut app, |app| mesh(app, navigation).is_some_and(|mesh| mesh.mesh().area() > 0.0));
    let place = |app: &App| app.world().get::<Transform>(walker).expect("an agent").translation;
    let mut most = 0;
    for _ in 0..64 * 90 {
        let ahead = (place(&app).x + 8.0).min(31.0);
        let target = AgentTarget::Place(Vec3::new(ahead, 0.0, 0.0));
        app.world_mut().entity_mut(walker).insert(target);
        app.update();
        most = most.max(tiles(&app, navigation).len());
        let state = app.world().get::<NavMeshAgentState>(walker).expect("an agent");
        assert!(!matches!(state.status, NavMeshAgentStatus::NoGround), "at {}", place(&app));
        if state.status.has_arrived() && ahead > 30.9 {
            break;
        }
    }
    assert!(place(&app).x > 30.0, "{}", place(&app));
    assert!(most < layout(&app, navigation).len() * 3 / 4, "{most} tiles at once");
}

#[test]
fn a_list_that_is_loaded_again_has_all_tiles_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    write_level(folder.path(), 10.0);
    let mut app = app_of(folder.path());
    let navigation = stream(&mut app, "bake.txt");
    player(&mut app, 0.0, f32::INFINITY);
    settle(&mut app, navigation);
    let other = write_level(folder.path(), 6.0);
    assert!((area(&app, navigation) - other.area()).abs() > 1.0);
    app.world().resource::<AssetServer>().reload("bake.txt");
    update_until(&mut app, |app| (area(app, navigation) - other.area()).abs() < 1e-6);
    assert_eq!(**mesh(&app, navigation).expect("a mesh").mesh(), other);
    // The streamer goes: the mesh stays, and nothing is read any more.
    app.world_mut().entity_mut(navigation).remove::<NavMeshStreamer>();
    (0..3).for_each(|_| app.update());
    assert!(tiles(&app, navigation).is_empty() && area(&app, navigation) > 1.0);
}

#[test]
fn tiles_are_read_from_any_asset_source() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = write_level(folder.path(), 10.0);
    let root = Dir::default();
    for entry in folder.path().read_dir().expect("a folder") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name");
        let bytes = std::fs::read(&path).expect("it was written");
        root.insert_asset(&Path::new("levels").join(name), bytes);
    }
    let mut app = App::new();
    let reader = root.clone();
    let build = AssetSourceBuilder::new(move || Box::new(MemoryAssetReader { root: reader.clone() }));
    app.register_asset_source(AssetSourceId::from("pack"), build).add_plugins((
        MinimalPlugins,
        TransformPlugin,
        AssetPlugin::default(),
        MeshPlugin,
        WaymeshPlugin,
    ));
    let navigation = stream(&mut app, "pack://levels/bake.txt");
    player(&mut app, 0.0, f32::INFINITY);
    settle(&mut app, navigation);
    assert_eq!(**mesh(&app, navigation).expect("a mesh").mesh(), whole);
    let tile = Tile { row: 0, column: 3 };
    root.remove_asset(&Path::new("levels").join(tile.file_name()));
    app.world_mut().get_mut::<NavMeshStream>(navigation).expect("a stream").read_again(tile);
    settle(&mut app, navigation);
    assert_eq!(failed(&app, navigation), ["tile 3,0: there is no pack://levels/tile_3_0.bin"]);
}

#[test]
fn other_settings_and_files_that_are_no_lists_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    write_level(folder.path(), 10.0);
    std::fs::write(folder.path().join("other.txt"), "tiles, maybe").expect("it is written");
    let mut app = app_of(folder.path());
    let navigation = stream(&mut app, "other.txt");
    player(&mut app, 0.0, 10.0);
    let why = |app: &App| match state(app, navigation).status() {
        StreamStatus::Failed(error) => Some(error.clone()),
        _ => None,
    };
    update_until(&mut app, |app| why(app).is_some());
    let error = why(&app).expect("an error");
    assert!(matches!(*error, NavMeshStreamError::Load(_)), "{error:?}");
    assert!(error.to_string().contains("other.txt"), "{error}");

    let tiles = app.world().resource::<AssetServer>().load("bake.txt");
    let config = baker().config;
    let other = config.clone().with_max_edge_length(3.0);
    app.world_mut().entity_mut(navigation).insert(NavMeshStreamer::new(tiles.clone(), other));
    update_until(&mut app, |app| why(app).is_some_and(|error| matches!(*error, NavMeshStreamError::Open(_))));
    assert!(why(&app).expect("an error").to_string().contains("other settings"), "{:?}", why(&app));

    let none = NavMeshStreamer::new(tiles.clone(), config.clone()).with_tiles_at_once(0);
    app.world_mut().entity_mut(navigation).insert(none);
    app.update();
    assert!(why(&app).expect("an error").to_string().contains("tiles_at_once"), "{:?}", why(&app));
    assert!(mesh(&app, navigation).is_none());
    let failures = messages::<NavMeshStreamMessage>(&mut app);
    assert!(failures.iter().all(|message| matches!(message, NavMeshStreamMessage::Failed { .. })));
    app.world_mut().entity_mut(navigation).insert(NavMeshStreamer::new(tiles, config));
    settle(&mut app, navigation);
    assert!(area(&app, navigation) > 100.0);
}
