//! Determinism: equal scenes give equal meshes, bit by bit.

use waymesh::{BakeConfig, Baker, TriangleSoup};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_testkit::levels::find;
use waymesh_testkit::soups::shuffled;

#[test]
fn threads_and_the_order_of_triangles_do_not_show() {
    for scene in Scene::ALL {
        for soup in [scene.build(&SceneConfig::default()), scene.broken(1)] {
            let config = BakeConfig::default();
            let bytes = |threads, soup: &TriangleSoup| {
                let pipeline = Baker::voxels().with_config(config.clone().with_threads(threads));
                let mesh = pipeline.bake(soup).unwrap_or_else(|error| panic!("{}: {error}", scene.name()));
                let mut bytes = Vec::new();
                waymesh::io::write_wmesh(&mesh, &mut bytes).expect("memory takes it");
                bytes
            };
            let expected = bytes(1, &soup);
            assert!(bytes(2, &soup) == expected, "{}: two threads", scene.name());
            assert!(bytes(3, &soup) == expected, "{}: three threads", scene.name());
            for seed in 0..2 {
                assert!(bytes(1, &shuffled(&soup, seed)) == expected, "{}: shuffled {seed}", scene.name());
            }
        }
    }
}

/// Every stage gives the same on any number of threads, where there is enough work to share it.
#[test]
fn stages_of_fine_grids_are_the_same_on_any_number_of_threads() {
    let built = [Scene::DungeonRooms, Scene::RollingTerrain, Scene::OverlappingStoreys, Scene::Caves]
        .map(|scene| (scene.name(), scene.build(&SceneConfig::default())));
    let levels = ["nav_test", "dungeon", "undulating"].into_iter().filter_map(|name| {
        let file = find(&format!("golden/Meshes/{name}.obj"))?;
        Some((name, waymesh::io::load(file).expect("a level")))
    });
    for (name, soup) in built.into_iter().chain(levels) {
        let config = BakeConfig::default().with_scale(0.12, 0.1);
        let stages = |threads| {
            let pipeline = Baker::voxels().with_config(config.clone().with_threads(threads));
            pipeline.bake_stages(&soup, &mut ()).unwrap_or_else(|error| panic!("{name}: {error}"))
        };
        let one = stages(1);
        for threads in [2, 3, 8] {
            let many = stages(threads);
            assert!(many.heightfield == one.heightfield, "{name}: voxels on {threads} threads");
            assert!(many.field == one.field, "{name}: field on {threads} threads");
            assert!(many.regions == one.regions, "{name}: regions on {threads} threads");
            assert!(many.raw_contours == one.raw_contours, "{name}: borders on {threads} threads");
            assert!(many.contours == one.contours, "{name}: contours on {threads} threads");
            assert!(many.triangulation == one.triangulation, "{name}: triangles on {threads} threads");
            assert!(many.polygons == one.polygons, "{name}: polygons on {threads} threads");
            assert!(many.surface == one.surface, "{name}: heights on {threads} threads");
        }
    }
}
