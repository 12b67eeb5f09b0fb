//! Meshes whose ground is only known at the vertices of their polygons.

use waymesh::graph::MeshFormat;
use waymesh::{Bake, BakeConfig, Baker, PathOptions, QueryScratch, Reach, Storeys, Voxels};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_testkit::Random;

fn config() -> BakeConfig {
    BakeConfig::default().with_validate_stages(true)
}

/// Checks for equal polygons in less than half the bytes, and paths to equal places; the ground of
/// a polygon bulges, so some places lie off it, but none farther than the hills are high.
fn check(name: &str, bake: impl Fn(BakeConfig) -> Bake) {
    let (whole, slim) = (bake(config()).mesh, bake(config().with_height_detail(false)).mesh);
    assert!(whole.surface().is_some() && slim.surface().is_none(), "{name}");
    assert_eq!(whole.poly_mesh(), slim.poly_mesh(), "{name}");
    let bytes = [&slim, &whole].map(|mesh| mesh.to_bytes(MeshFormat::Exchange).len());
    assert!(2 * bytes[0] < bytes[1], "{name}: {bytes:?}");

    let (mut random, mut scratch) = (Random::new(5), QueryScratch::default());
    let sampler = slim.query().sampler();
    let mut draw =
        || sampler.sample(&slim, &mut random).expect("a mesh of its own").expect("there is ground").position;
    let bounds = whole.world_bounds().expect("there is ground");
    let relief = bounds.max.y - bounds.min.y;
    // A hill may be one polygon.
    let reach = Reach::new(0.5, relief, relief);
    let options = PathOptions::default().with_reach(reach);
    let mut worst = 0.0_f32;
    for _ in 0..200 {
        let [from, to] = [draw(), draw()];
        let place = whole.nearest(from, &reach).expect("the same ground");
        worst = worst.max((place.position.y - from.y).abs());
        let paths = [&slim, &whole].map(|mesh| {
            mesh.query()
                .options(options)
                .memory(&mut scratch)
                .path(from, to)
                .expect("both on the mesh")
                .outcome
        });
        assert_eq!(paths[0], paths[1], "{name}: {from} to {to}");
    }
    assert!(worst > 0.1 && worst < relief, "{name}: {worst}");
}

#[test]
fn every_front_end_of_triangles_leaves_the_detail_out() {
    let soup = Scene::RollingTerrain.build(&SceneConfig::default());
    check("voxels", |config| {
        Baker::voxels().with_config(config).bake_observed(&soup, &mut ()).expect("bakes")
    });
    check("tiles", |config| {
        Baker::new(Voxels::default().with_tile_cells(256), config)
            .bake_observed(&soup, &mut ())
            .expect("bakes")
    });
    check("storeys", |config| {
        Baker::new(Storeys::default(), config).bake_observed(&soup, &mut ()).expect("bakes")
    });
}
