//! The peers give the published counts, so that a comparison with them means what it says.
#![cfg(feature = "peers")]

use waymesh_benches::{
    Engine, Files, Level, Partitioning, Recast, Rerecast, Scene, Settings, Waymesh, fit, judge, tools,
};
use waymesh_core::GridScale;
use waymesh_io::open_polygons;

/// Level, partitioning, spans, polygons at cell size 0.3 m and level height 0.2 m.
const PUBLISHED: [(&str, Partitioning, usize, usize); 6] = [
    ("nav_test", Partitioning::Watershed, 120_183, 155),
    ("dungeon", Partitioning::Watershed, 52_106, 118),
    ("undulating", Partitioning::Watershed, 108_710, 216),
    ("nav_test", Partitioning::Monotone, 120_183, 186),
    ("dungeon", Partitioning::Monotone, 52_106, 100),
    ("undulating", Partitioning::Monotone, 108_710, 308),
];

#[test]
fn recast_and_rerecast_give_the_published_counts() {
    for (name, partition, spans, polygons) in PUBLISHED {
        let Some(scene) = Scene::golden(name).unwrap() else {
            eprintln!("skipped: {name} is not here");
            continue;
        };
        let settings = Settings::recast_demo(GridScale::new(0.3, 0.2), partition);
        let recast = Recast.bake(&scene, &settings).unwrap();
        assert_eq!((recast.counts.spans, recast.counts.polygons), (spans, polygons), "{name}, {partition:?}");
        assert_eq!(recast.mesh.polygons.len(), polygons);
        if partition == Partitioning::Watershed {
            let rerecast = Rerecast.bake(&scene, &settings).unwrap();
            assert_eq!(rerecast.counts, recast.counts, "{name}");
            assert_eq!(rerecast.mesh.polygons, recast.mesh.polygons, "{name}");
        } else {
            assert!(Rerecast.bake(&scene, &settings).is_err());
        }
    }
}

#[test]
fn ours_has_no_more_polygons_than_recast() {
    for (name, partition, _, recast_cells) in PUBLISHED {
        let Some(scene) = Scene::golden(name).unwrap() else {
            eprintln!("skipped: {name} is not here");
            continue;
        };
        let settings = Settings::recast_demo(GridScale::new(0.3, 0.2), partition);
        let ours = Waymesh.bake(&scene, &settings).unwrap();
        assert_eq!(ours.mesh.polygons.len(), ours.counts.polygons);
        assert!(ours.counts.polygons <= recast_cells, "{name}, {partition:?}: {}", ours.counts.polygons);
    }
}

#[test]
fn the_same_polygons_are_judged_alike_whoever_made_them() {
    let level = Level::named("dungeon-rooms").unwrap();
    let scene = Scene { name: level.name.clone(), soup: level.load().unwrap() };
    let fitted = fit(&scene.soup, GridScale::new(0.3, 0.2));
    let folder = tempfile::tempdir().unwrap();
    let files = Files { folder: Some(folder.path()), pictures: true, meshes: true };
    let mut judged = Vec::new();
    judge(&level, &scene, &fitted, 2_000, &tools(false, true), files, &mut |tool| judged.push(tool)).unwrap();
    let figures: Vec<_> = judged.iter().map(|judged| judged.figures().unwrap()).collect();
    let [ours, recast, rerecast] = figures[..] else { panic!("three tools") };
    let mut same = recast.clone();
    // rerecast has no path queries, and so no data for them.
    (same.paths, same.bytes_file, same.bytes_memory) = (rerecast.paths, None, None);
    assert_eq!(&same, rerecast);
    for found in [ours, recast] {
        assert_eq!(found.paths.pairs, 1000);
        assert!(found.paths.found > 900 && found.coverage > Some(0.9), "{found:?}");
        assert!(found.bytes_file.is_some());
    }
    for (tool, found) in [("Recast", recast), ("rerecast", rerecast)] {
        let mesh = open_polygons(folder.path().join(format!("dungeon-rooms.{tool}.obj"))).unwrap();
        assert_eq!((mesh.polygons.len(), mesh.ground.len()), (found.polygons, found.polygons));
        assert!(mesh.ground.iter().all(|ground| !ground.is_empty()));
        assert!(folder.path().join(format!("dungeon-rooms.{tool}.svg")).is_file());
    }
}
