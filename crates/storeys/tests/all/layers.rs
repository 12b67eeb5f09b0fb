//! Layers: the guarantees of the flooding, on generated and on small scenes.

use std::collections::BTreeSet;

use glam::Vec3;
use waymesh_core::{GridFrame, GridScale, GridWindow, TriangleSoup};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_storeys::{
    Layers, RoughVoxels, StoreysConfig, StoreysError, flood_layers, refine_window, voxelize_roughly,
};
use waymesh_testkit::soups;

fn config() -> StoreysConfig {
    StoreysConfig::default().with_scale(GridScale::new(0.1, 0.1))
}

fn frame(soup: &TriangleSoup, config: &StoreysConfig) -> GridFrame {
    GridFrame::fit(&soup.bounds(), &config.scale).expect("a frame")
}

fn voxels(soup: &TriangleSoup, config: &StoreysConfig) -> RoughVoxels {
    let bounds = soup.bounds();
    let height = bounds.max.y - bounds.min.y;
    voxelize_roughly(soup, &frame(soup, config), height, config).expect("rough voxels").0
}

fn layers(soup: &TriangleSoup, config: &StoreysConfig) -> Layers {
    flood_layers(&voxels(soup, config), config).expect("layers")
}

/// Adds a level plate.
fn plate(soup: &mut TriangleSoup, [x0, z0, x1, z1]: [f32; 4], y: f32) {
    let corners = [(x0, z0), (x0, z1), (x1, z1), (x1, z0)].map(|(x, z)| Vec3::new(x, y, z));
    soup.append(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).expect("four corners");
}

/// Checks every guarantee of the flooding.
fn check(name: &str, layers: &Layers, voxels: &RoughVoxels, config: &StoreysConfig) {
    let level = config.rough_level();
    let mut seen = BTreeSet::new();
    for z in 0..layers.depth {
        for x in 0..layers.width {
            let column = layers.column(x, z);
            for (index, floor) in column.iter().enumerate() {
                seen.insert(floor.layer);
                assert!(floor.low < floor.high, "{name}: a floor without height");
                assert!(
                    floor.high - floor.low <= config.agent.height + 1e-3,
                    "{name}: a floor for two agents"
                );
                for other in &column[index + 1..] {
                    assert!(other.low >= floor.high - 1e-4, "{name}: floors of a column overlap");
                    assert_ne!(other.layer, floor.layer, "{name}: a layer over itself at {x}, {z}");
                }
            }
            for y in (0..voxels.levels).filter(|&y| voxels.is_positive(x, z, y)) {
                let middle = (y as f32 + 0.5) * level;
                let holders = column.iter().filter(|floor| floor.low < middle && middle < floor.high).count();
                assert_eq!(holders, 1, "{name}: the voxel {x}, {y}, {z} is in {holders} floors");
            }
        }
    }
    assert_eq!(seen.len(), layers.count as usize, "{name}: a layer is empty or has no number");
    let mut overlaps = BTreeSet::new();
    for column in (0..layers.depth).flat_map(|z| (0..layers.width).map(move |x| layers.column(x, z))) {
        for (index, lower) in column.iter().enumerate() {
            overlaps.extend(
                column[index + 1..]
                    .iter()
                    .map(|upper| (lower.layer.min(upper.layer), lower.layer.max(upper.layer))),
            );
        }
    }
    for pair in (0..layers.count).flat_map(|a| (a + 1..layers.count).map(move |b| (a, b))) {
        assert!(overlaps.contains(&pair), "{name}: layers {pair:?} could be one");
    }
}

/// Checks that all voxels that hold a corner or the middle of a triangle are set.
fn check_nothing_lost(soup: &TriangleSoup, voxels: &RoughVoxels, config: &StoreysConfig) {
    let frame = frame(soup, config);
    for corners in soup.finite_triangles() {
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        if (corners[1] - corners[0]).cross(corners[2] - corners[0]).length() < 1e-6 {
            continue;
        }
        for t in [0.01_f32, 0.3, 0.7, 0.99] {
            for corner in corners {
                let [x, y, z] = frame.to_grid(middle.lerp(corner, t));
                let side = f64::from(config.rough_cells());
                let y = y * f64::from(frame.level_height) / f64::from(config.rough_level());
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "inside the scene"
                )]
                let near = |value: f64| [(value - 1e-3).max(0.0) as u32, (value + 1e-3) as u32];
                let set = near(x / side).into_iter().any(|x| {
                    near(y).into_iter().any(|y| {
                        near(z / side)
                            .into_iter()
                            .any(|z| voxels.is_positive(x, z, y) || voxels.is_negative(x, z, y))
                    })
                });
                assert!(set, "nothing at {x}, {y}, {z}");
            }
        }
    }
}

#[test]
fn layers_of_generated_scenes_keep_their_promises() {
    for scene in Scene::ALL {
        let soup = scene.build(&SceneConfig::default());
        for cells in [0, 2, 5, 16] {
            let config = config().with_rough_cells(cells);
            let voxels = voxels(&soup, &config);
            let found = flood_layers(&voxels, &config).expect("layers");
            check(scene.name(), &found, &voxels, &config);
            check_nothing_lost(&soup, &voxels, &config);
            assert_eq!(found, layers(&soups::shuffled(&soup, 7), &config), "{}", scene.name());
        }
    }
}

#[test]
fn as_few_layers_as_overlaps_ask_for() {
    let count = |scene: Scene| layers(&scene.build(&SceneConfig::default()), &config()).count;
    assert_eq!(count(Scene::RollingTerrain), 1);
    let fullest = |scene: Scene| {
        let found = layers(&scene.build(&SceneConfig::default()), &config());
        let columns = (0..found.depth).flat_map(|z| (0..found.width).map(move |x| (x, z)));
        columns.map(|(x, z)| found.column(x, z).len()).max().unwrap_or(0)
    };
    for scene in Scene::ALL {
        let (count, least) = (count(scene) as usize, fullest(scene));
        assert!((least..=least + 2).contains(&count), "{}: {count}, not {least}", scene.name());
    }
}

#[test]
fn islands_lie_on_the_layer_nearest_in_height() {
    let mut soup = TriangleSoup::default();
    plate(&mut soup, [0.0, 0.0, 9.0, 9.0], 0.0);
    plate(&mut soup, [2.0, 2.0, 4.0, 4.0], 4.0);
    plate(&mut soup, [6.0, 6.0, 8.0, 8.0], 8.0);
    plate(&mut soup, [2.0, 2.0, 4.0, 4.0], 7.0);
    plate(&mut soup, [12.0, 0.0, 14.0, 9.0], 5.0);
    let found = layers(&soup, &config());
    assert_eq!(found.count, 3);
    // Half a metre to a rough cell.
    let layer = |x: u32, z: u32, floor: usize| found.column(x, z)[floor].layer;
    assert_eq!((layer(2, 2, 0), layer(6, 6, 1), layer(6, 6, 2)), (0, 1, 2));
    assert_eq!(layer(14, 14, 1), 2, "the roof at 8 m is nearer to the plate at 7 m than to that at 4 m");
    assert_eq!(layer(25, 5, 0), 1, "beside the house at 5 m");
}

#[test]
fn layers_with_ground_are_told() {
    let mut soup = TriangleSoup::default();
    plate(&mut soup, [0.0, 0.0, 9.0, 9.0], 0.0);
    // A shelf too narrow for the agent, and a gallery.
    plate(&mut soup, [2.0, 2.0, 2.8, 4.0], 4.0);
    plate(&mut soup, [0.0, 2.0, 9.0, 6.0], 8.0);
    let config = config();
    let (found, frame) = (layers(&soup, &config), frame(&soup, &config));
    assert_eq!(found.count, 3);
    let core = GridWindow::whole(&frame);
    let refined = refine_window(soup.finite_triangles(), &frame, core, &found, &config).expect("ground");
    let mut drawn = [false; 3];
    found.mark_drawn(&refined.ground, &mut drawn);
    assert_eq!(drawn, [true, false, true]);
}

#[test]
fn plates_within_a_step_are_one_layer_until_they_overlap() {
    let mut soup = TriangleSoup::default();
    plate(&mut soup, [0.0, 0.0, 4.0, 4.0], 0.0);
    plate(&mut soup, [4.0, 0.0, 8.0, 4.0], 0.5);
    assert_eq!(layers(&soup, &config()).count, 1);
    plate(&mut soup, [0.0, 0.0, 4.0, 4.0], 3.0);
    let found = layers(&soup, &config());
    assert_eq!(found.count, 2);
    assert_eq!(found.column(2, 2).len(), 2);
    assert!(found.column(2, 2).iter().all(|floor| floor.accessible));
    // A table is part of the floor it stands on.
    plate(&mut soup, [1.0, 1.0, 3.0, 3.0], 0.8);
    let found = layers(&soup, &config());
    assert_eq!((found.count, found.column(3, 3).len()), (2, 2));
}

#[test]
fn seeds_keep_what_is_connected_to_them() {
    let mut soup = TriangleSoup::default();
    plate(&mut soup, [0.0, 0.0, 4.0, 4.0], 0.0);
    plate(&mut soup, [8.0, 0.0, 12.0, 4.0], 0.0);
    plate(&mut soup, [0.0, 0.0, 4.0, 4.0], 5.0);
    let config = config();
    let frame = frame(&soup, &config);
    let all = layers(&soup, &config);
    assert_eq!(all.count, 2, "those side by side are one layer");
    let keep = |seeds: &[Vec3]| {
        let mut kept = all.clone();
        kept.keep_connected(seeds, &frame).map(|()| kept.kept())
    };
    assert_eq!(keep(&[]), Ok(2));
    assert_eq!(keep(&[Vec3::new(2.0, 0.1, 2.0)]), Ok(1));
    assert_eq!(keep(&[Vec3::new(2.0, 0.1, 2.0), Vec3::new(2.0, 5.2, 2.0)]), Ok(2));
    for (index, off) in
        [Vec3::new(6.0, 0.0, 2.0), Vec3::new(2.0, 2.9, 2.0), Vec3::new(99.0, 0.0, 2.0)].iter().enumerate()
    {
        let seeds = [Vec3::new(10.0, 0.0, 2.0), *off];
        let expected = StoreysError::SeedOffGround { seed: 1, position: off.to_array() };
        assert_eq!(keep(&seeds), Err(expected), "{index}");
    }
}

#[test]
fn bad_settings_are_named() {
    for (config, field) in [
        (config().with_rough_cells(1), "rough_cells"),
        (config().with_rough_level(1.5), "rough_level"),
        (config().with_rough_level(f32::NAN), "rough_level"),
    ] {
        let error = config.validate().expect_err("out of range").to_string();
        assert!(error.starts_with(field), "{error}");
    }
    let mut soup = TriangleSoup::default();
    plate(&mut soup, [0.0, 0.0, 50.0, 50.0], 0.0);
    let small = config().with_max_memory_bytes(1000);
    let error = voxelize_roughly(&soup, &frame(&soup, &small), 0.0, &small).expect_err("too large");
    assert!(error.to_string().contains("1000"), "{error}");
}
