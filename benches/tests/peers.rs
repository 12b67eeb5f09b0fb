//! The peers give the published counts, so that a comparison with them means what it says.
#![cfg(feature = "peers")]
#![expect(clippy::unwrap_used, reason = "test helpers")]

use clap::Parser as _;
use waymesh_benches::{
    Bake, ENGINES, EvaluateOptions, Level, Partitioning, PolygonMesh, Scene, Settings, judge,
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

/// Returns the bake of an engine on a level of the list, if it is available.
fn bake(engine: &str, name: &str, partition: Partitioning) -> Option<anyhow::Result<Bake<PolygonMesh>>> {
    let engine = ENGINES.iter().find(|known| known.name == engine).unwrap();
    let settings = Settings::recast_demo(GridScale::new(0.3, 0.2), partition);
    let scene = Scene::golden().unwrap().into_iter().find(|scene| scene.name == name)?;
    Some((engine.bake)(&scene, &settings))
}

#[test]
fn recast_and_rerecast_give_the_published_counts() {
    for (name, partition, spans, polygons) in PUBLISHED {
        let Some(recast) = bake("Recast", name, partition) else { continue };
        let recast = recast.unwrap();
        assert_eq!((recast.counts.spans, recast.counts.polygons), (spans, polygons), "{name}, {partition:?}");
        assert_eq!(recast.result.polygons.len(), polygons);
        let rerecast = bake("rerecast", name, partition).unwrap();
        if partition == Partitioning::Watershed {
            let rerecast = rerecast.unwrap();
            assert_eq!(rerecast.counts, recast.counts, "{name}");
            assert_eq!(rerecast.result.polygons, recast.result.polygons, "{name}");
        } else {
            assert!(rerecast.is_err());
        }
    }
}

#[test]
fn ours_has_no_more_polygons_than_recast() {
    for (name, partition, _, recast_polygons) in PUBLISHED {
        let Some(ours) = bake("waymesh", name, partition) else { continue };
        let ours = ours.unwrap();
        assert_eq!(ours.result.polygons.len(), ours.counts.polygons);
        assert!(ours.counts.polygons <= recast_polygons, "{name}, {partition:?}: {}", ours.counts.polygons);
    }
}

#[derive(Debug, clap::Parser)]
struct Words {
    #[command(flatten)]
    options: EvaluateOptions,
}

#[test]
fn the_same_polygons_are_judged_alike_whoever_made_them() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let words =
        ["", "--samples", "2000", "--tools", "waymesh,Recast,rerecast", "--out", out, "--svg", "--meshes"];
    let options = Words::parse_from(words).options;
    let mut judged = Vec::new();
    judge(&Level::named("dungeon-rooms").unwrap(), &options, &mut |tool| judged.push(tool));
    let figures: Vec<_> = judged.iter().map(|judged| judged.outcome.as_ref().unwrap()).collect();
    let [ours, recast, rerecast] = figures[..] else { panic!("three tools") };
    let mut same = recast.as_ref().clone();
    // rerecast has no path queries, and so no data for them.
    (same.paths, same.bytes_file, same.bytes_memory) = (rerecast.paths, None, None);
    assert_eq!(same, **rerecast);
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
