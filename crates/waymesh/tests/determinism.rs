//! The same scene gives the same mesh, bit by bit.

use waymesh::{BakeConfig, Baker, TriangleSoup, Voxels};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_testkit::soups::shuffled;

#[test]
fn threads_and_the_order_of_triangles_do_not_show() {
    for scene in Scene::ALL {
        for soup in [scene.build(&SceneConfig::default()), scene.broken(1)] {
            let config = BakeConfig::default();
            let bytes = |threads, soup: &TriangleSoup| {
                let pipeline = Baker::new(Voxels, config.clone().with_threads(threads));
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
