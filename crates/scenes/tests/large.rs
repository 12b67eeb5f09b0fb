//! Guarantees of the large scenes: the figures of the paper's scenes, independent blocks, and
//! objects of true size.

use glam::Vec3;
use waymesh_core::{Bounds, TriangleSource};
use waymesh_scenes::{MAX_SCALE, Scene, SceneConfig, SceneSource};

/// FNV-1a over the bits of corners, computed in portions.
#[derive(Debug, PartialEq, Eq)]
struct Fingerprint(u64);

impl Fingerprint {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, corners: [Vec3; 3]) {
        for coordinate in corners.iter().flat_map(|corner| corner.to_array()) {
            self.0 = (self.0 ^ u64::from(coordinate.to_bits())).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

fn close(actual: f32, expected: f32, share: f32) -> bool {
    (actual - expected).abs() <= expected * share
}

/// Returns the number of triangles, the extents along x, z and y, and the number of triangles
/// without area or with a NaN, summed block by block.
fn figures(scene: Scene, config: &SceneConfig) -> (usize, [f32; 3], u64) {
    let (mut triangles, mut bounds, mut skipped) = (0, Bounds::EMPTY, 0);
    scene.for_each_block(config, &mut |block| {
        triangles += block.triangles().len();
        skipped += block.skipped().total();
        let part = block.bounds();
        bounds = Bounds { min: bounds.min.min(part.min), max: bounds.max.max(part.max) };
    });
    let size = bounds.max - bounds.min;
    (triangles, [size.x, size.z, size.y], skipped)
}

#[test]
fn the_papers_scenes_have_its_figures() {
    let expected = [
        (Scene::Subway, 568_418, [351.0, 40.0, 8.0]),
        (Scene::Offshore, 119_601, [40.0, 52.0, 48.0]),
        (Scene::Buildings, 1_121_127, [423.0, 549.0, 16.0]),
    ];
    for seed in [1, 2, 77] {
        for (scene, triangles, size) in expected {
            let (found, extents, skipped) = figures(scene, &SceneConfig::default().with_seed(seed));
            let off = found.abs_diff(triangles) as f64 / triangles as f64;
            assert!(off < 0.02, "{} {seed}: {found} triangles", scene.name());
            for (found, size) in extents.into_iter().zip(size) {
                assert!(close(found, size, 0.01), "{} {seed}: {extents:?}", scene.name());
            }
            assert_eq!(skipped, 0, "{} {seed}", scene.name());
        }
    }
}

#[test]
fn the_city_grows_with_the_square_of_its_scale() {
    let mut per_tile = Vec::new();
    for scale in [1, 2, 4, 8, MAX_SCALE] {
        let (triangles, extents, skipped) = figures(Scene::City, &SceneConfig::default().with_scale(scale));
        let side = 125.0 * scale as f32;
        assert!(close(extents[0], side, 1e-3) && close(extents[1], side, 1e-3), "{extents:?}");
        assert_eq!(skipped, 0);
        per_tile.push(triangles as f64 / f64::from(scale * scale));
    }
    let whole = per_tile[4] * f64::from(MAX_SCALE * MAX_SCALE);
    assert!((whole / 20e6 - 1.0).abs() < 0.02, "{whole} triangles");
    for tile in &per_tile {
        assert!((tile / per_tile[4] - 1.0).abs() < 0.05, "{per_tile:?} triangles a tile");
    }
}

/// The whole scene, its blocks in order, and the source give the same triangles. A block does not
/// depend on earlier blocks.
#[test]
fn blocks_stand_alone_and_make_up_the_whole() {
    let configs = [
        (Scene::Subway, 1),
        (Scene::Offshore, 2),
        (Scene::Buildings, 1),
        (Scene::City, 3),
        (Scene::DungeonRooms, 2),
    ];
    for (scene, scale) in configs {
        let config = SceneConfig::default().with_scale(scale).with_seed(5);
        let whole = scene.build(&config);
        let mut expected = Fingerprint::new();
        whole.finite_triangles().for_each(|corners| expected.add(corners));

        let count = scene.block_count(&config);
        let backwards: Vec<_> = (0..count).rev().map(|index| scene.block(&config, index)).collect();
        let mut blocks = Fingerprint::new();
        for block in backwards.iter().rev() {
            block.finite_triangles().for_each(|corners| blocks.add(corners));
        }
        assert_eq!(blocks, expected, "{}", scene.name());

        let mut source = Fingerprint::new();
        SceneSource::new(scene, config)
            .visit(&mut |portion| {
                portion.iter().for_each(|&corners| source.add(corners));
                Ok(())
            })
            .unwrap();
        assert_eq!(source, expected, "{}", scene.name());
        assert!(scene.block(&config, count).triangles().is_empty());
    }
}

/// A tile of the city does not depend on the city's size, and another seed makes another city.
#[test]
fn tiles_depend_on_seed_and_place_only() {
    let config = SceneConfig::default();
    let small = Scene::City.block(&config.with_scale(2), 2);
    let large = Scene::City.block(&config.with_scale(7), 7);
    assert_eq!(small, large);
    for scene in Scene::LARGE {
        assert_ne!(scene.block(&config, 0), scene.block(&config.with_seed(2), 0), "{}", scene.name());
    }
}

/// The street has the same height on both tiles at a border.
#[test]
fn tiles_meet_without_a_step() {
    let config = SceneConfig::default().with_scale(2);
    let border = |index: usize| {
        let block = Scene::City.block(&config, index);
        let mut points: Vec<[u32; 3]> = block
            .positions()
            .iter()
            .filter(|position| position.x.to_bits() == 125.0_f32.to_bits() && position.z < 125.0)
            // Cuts of the roadway; bridges have more below.
            .map(|position| position.to_array().map(f32::to_bits))
            .collect();
        points.sort_unstable();
        points.dedup();
        points
    };
    let (left, right) = (border(0), border(1));
    assert!(left.len() > 20);
    assert_eq!(left, right);
}

#[test]
fn large_scenes_are_found_by_name_and_can_be_broken() {
    for scene in Scene::LARGE {
        assert_eq!(Scene::from_name(scene.name()), Some(scene));
        assert!(!Scene::ALL.contains(&scene));
    }
    let broken = Scene::Offshore.broken(3).skipped();
    assert!(broken.not_finite > 0 && broken.degenerate > 0);
}

/// Returns the heights of the level tops at a place in plan, lowest first.
fn tops(scene: Scene, x: f32, z: f32) -> Vec<f32> {
    let mut tops: Vec<f32> = scene
        .block(&SceneConfig::default(), 0)
        .finite_triangles()
        .filter(|[a, b, c]| (b - a).cross(c - a).y > 0.0)
        .filter(|corners| {
            let side = |p: Vec3, q: Vec3| (q.x - p.x) * (z - p.z) - (q.z - p.z) * (x - p.x);
            let [a, b, c] = *corners;
            side(a, b) <= 0.0 && side(b, c) <= 0.0 && side(c, a) <= 0.0
        })
        .map(|[a, b, c]| a.y.max(b.y).max(c.y))
        .collect();
    tops.sort_by(f32::total_cmp);
    tops.dedup_by(|b, a| (*b - *a).abs() < 0.02);
    tops
}

/// The stairs from the first platform: treads of 300 mm that rise 170 mm, from the platform to the
/// concourse.
#[test]
fn station_stairs_have_the_steps_of_stairs() {
    // The first ascent starts at x = 66; its stairs have 19 treads and end with the opening, 7.6 m
    // on.
    let start = 66.0 + 7.6 - 19.0 * 0.3;
    for step in [0_u8, 9, 18] {
        let found = tops(Scene::Subway, start + (f32::from(step) + 0.5) * 0.3, 3.0);
        let expected = 1.2 + 0.17 * (f32::from(step) + 1.0);
        assert!(found.iter().any(|top| (top - expected).abs() < 1e-3), "step {step}: {found:?}");
    }
    let above = tops(Scene::Subway, 66.0 + 7.8, 3.0);
    assert!(above.iter().any(|top| (top - 4.6).abs() < 1e-3), "concourse: {above:?}");
}

/// The decks have their heights where nothing stands on them.
#[test]
fn platform_decks_lie_over_each_other() {
    let found = tops(Scene::Offshore, 3.5, 40.5);
    for deck in [14.0, 20.0, 26.0] {
        assert!(found.iter().any(|top| (top - deck).abs() < 1e-3), "{deck}: {found:?}");
    }
    let helideck = tops(Scene::Offshore, 36.0, 41.0);
    assert!(helideck.last().is_some_and(|top| (top - 38.2).abs() < 1e-3), "{helideck:?}");
}
