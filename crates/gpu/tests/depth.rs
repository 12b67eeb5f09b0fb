//! The depth maps of a device are those of the processor, byte for byte.
#![allow(clippy::cast_possible_truncation, clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::sync::LazyLock;

use glam::Vec3;
use waymesh_core::{Agent, AreaId, GridFrame, GridScale, GridWindow, Random, TriangleSoup};
use waymesh_gpu::{GpuContext, GpuDepth, GpuDevice, GpuError, GpuOptions, GpuTimes};
use waymesh_scenes::Scene;
use waymesh_storeys::{
    DepthDevice, DepthJob, DepthTables, Layers, Post, StoreysConfig, flood_layers, voxelize_roughly,
};
use waymesh_testkit::levels;

fn options() -> GpuOptions {
    GpuOptions::default().with_software(true)
}

/// Returns the stage on any adapter, possibly in software.
fn depth() -> Option<&'static GpuDepth> {
    static SHARED: LazyLock<Option<GpuDepth>> = LazyLock::new(|| {
        let context = GpuContext::new(&options()).ok()?;
        Some(GpuDepth::new(&context).expect("shaders that the device takes"))
    });
    if SHARED.is_none() {
        levels::skipped("a graphics adapter, be it in software");
    }
    SHARED.as_ref()
}

/// Returns the tables with posts in order and without duplicates, and without areas of places
/// without ground.
fn canonical(mut tables: DepthTables) -> DepthTables {
    let key = |post: &Post| {
        let [[a, b], [c, d]] = post.ends.map(|end| end.map(f64::to_bits));
        [a, b, c, d, u64::from(post.ground.to_bits())]
    };
    tables.posts.sort_by_key(key);
    tables.posts.dedup_by_key(|post| key(post));
    let areas = &tables.areas;
    let area = |(place, ground): (usize, &f32)| {
        if ground.is_nan() { AreaId::NULL } else { areas.get(place).copied().unwrap_or(AreaId::GROUND) }
    };
    tables.areas = tables.ground.iter().enumerate().map(area).collect();
    tables
}

/// Compares the maps of a window, and the results computed from them.
fn compare_job(job: &DepthJob<'_>, what: &str) -> GpuTimes {
    let Some(depth) = depth() else { return GpuTimes::default() };
    let (gpu, times) = depth.run(job).unwrap_or_else(|error| panic!("{what}: {error}"));
    let refined = job.finish(gpu.clone()).expect("tables that fit");
    let (gpu, cpu) = (canonical(gpu), canonical(job.tables()));
    let bits =
        |tables: &DepthTables| -> Vec<u32> { tables.ground.iter().map(|ground| ground.to_bits()).collect() };
    assert_eq!(gpu.ground.len(), cpu.ground.len());
    if bits(&gpu) != bits(&cpu) {
        let place =
            (0..cpu.ground.len()).find(|&place| gpu.ground[place].to_bits() != cpu.ground[place].to_bits());
        let place = place.unwrap();
        panic!("{what}: ground {} is {}, not {}", place, gpu.ground[place], cpu.ground[place]);
    }
    assert!(gpu.areas == cpu.areas, "{what}: areas");
    assert!(gpu.sheets == cpu.sheets, "{what}: sheets");
    assert_eq!(gpu.posts, cpu.posts, "{what}: posts");
    if let Some(place) = (0..cpu.links.len()).find(|&place| gpu.links[place] != cpu.links[place]) {
        panic!("{what}: links of {place} are {:?}, not {:?}", gpu.links[place], cpu.links[place]);
    }
    if let Some((gpu, cpu)) = gpu.ends.iter().zip(&cpu.ends).find(|(gpu, cpu)| gpu != cpu) {
        panic!("{what}: ends are {gpu:?}, not {cpu:?}");
    }
    assert_eq!(gpu.ends.len(), cpu.ends.len(), "{what}: ends");
    assert!(refined == job.run(), "{what}: other ground");
    times
}

/// Returns the frame and layers of a scene.
fn layers_of(soup: &TriangleSoup, config: &StoreysConfig) -> (GridFrame, Layers) {
    let bounds = soup.bounds();
    let frame = GridFrame::fit(&bounds, &config.scale).unwrap();
    let (voxels, _) = voxelize_roughly(soup, &frame, bounds.max.y - bounds.min.y, config).unwrap();
    (frame, flood_layers(&voxels, config).unwrap())
}

/// Compares tiles of a scene: one in every `each` along both axes.
fn compare(soup: &TriangleSoup, config: &StoreysConfig, side: u32, each: u32, what: &str) {
    let (frame, layers) = layers_of(soup, config);
    for z in (0..frame.depth).step_by((side * each) as usize) {
        for x in (0..frame.width).step_by((side * each) as usize) {
            let core = GridWindow::new(x, z, side, side).intersection(&GridWindow::whole(&frame));
            let job = DepthJob::new(soup.finite_with_areas(), &frame, core, &layers, config).unwrap();
            compare_job(&job, &format!("{what}, {core:?}"));
        }
    }
}

fn config(cell: f32) -> StoreysConfig {
    StoreysConfig::default().with_scale(GridScale::new(cell, 0.1))
}

/// Tests tiles of several sizes, areas, blocked triangles, and rough cells of several sides.
#[test]
fn tiles_with_areas() {
    for (scene, side, rough_cells) in [
        (Scene::SpiralStairs, 13, 2),
        (Scene::OverlappingStoreys, 40, 0),
        (Scene::DungeonRooms, 64, 9),
        (Scene::CityBlock, 101, 25),
    ] {
        let soup = scene.build(&Default::default());
        let areas = (0..soup.triangles().len()).map(|index| AreaId([1, 1, 7, 0, 255][index % 5])).collect();
        let soup = soup.with_areas(areas).unwrap();
        let agent = Agent::default().with_radius(0.3).with_max_step(0.35);
        let config = config(0.15).with_agent(agent).with_rough_cells(rough_cells);
        compare(&soup, &config, side, 5, scene.name());
    }
}

/// Returns a corner of a soup: anywhere, on the lines between the centres of cells, or very near to
/// the lines.
fn random_corner(random: &mut Random, reach: f32, cell: f32) -> Vec3 {
    let mut unit = || random.range(0.0, 1.0);
    let at = Vec3::new(unit(), unit() * 0.5, unit()) * reach;
    let on = |value: f32, step: f32| (value / step).round() * step;
    match random.below(6) {
        0 | 1 => at,
        2 => Vec3::new(on(at.x, cell) + cell / 2.0, on(at.y, 0.1), on(at.z, cell) + cell / 2.0),
        3 => Vec3::new(on(at.x, cell), on(at.y, 0.25), at.z),
        4 => Vec3::new(on(at.x, cell) + cell / 2.0 + 1e-6 * at.z, 0.0, at.z),
        _ => Vec3::new(on(at.x, cell * 0.5), on(at.y, 0.301), on(at.z, cell * 0.5)),
    }
}

/// Tests 1,000 soups of triangles of all kinds, with little head room.
#[test]
fn random_soups() {
    if depth().is_none() {
        return;
    }
    let mut random = Random::new(23);
    for round in 0..1000 {
        let cell = [0.25, 0.1, 0.3][round % 3];
        let reach = cell * [18.0, 40.0, 7.0, 18.0][round % 4];
        let count = 1 + random.below(if round % 50 == 0 { 300 } else { 24 });
        let (mut corners, mut areas) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let first = random_corner(&mut random, reach, cell);
            corners.push(first);
            let small = random.below(3) == 0;
            let is_gentle = random.below(2) == 0;
            for _ in 0..2 {
                let mut other = random_corner(&mut random, reach, cell);
                if is_gentle {
                    other.y = first.y + (other.y - first.y) * 0.1;
                }
                corners.push(if small { first + (other - first) * 0.02 } else { other });
            }
            areas.push(AreaId([1, 1, 1, 0, 9][random.below(5) as usize]));
        }
        let triangles = (0..count).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner)).collect();
        let mut soup = TriangleSoup::new(corners, triangles).unwrap();
        if round % 3 == 0 {
            soup = soup.with_areas(areas).unwrap();
        }
        let agent = Agent::default()
            .with_height([0.5, 1.8, 0.9][round % 3])
            .with_max_step([0.3, 0.1, 0.4][round % 3])
            .with_radius([0.0, 0.15, 0.3][round % 3]);
        let config = config(cell).with_agent(agent).with_rough_cells([0, 3, 8][round / 3 % 3]);
        let side = [64, 9][round % 2];
        compare(&soup, &config, side, 2, &format!("soup {round}"));
    }
}

/// Tests needles, huge and degenerate triangles, upright ones on lines, the ends of the range; on a
/// floor.
#[test]
fn hard_triangles() {
    let cases: [(&str, [[f32; 3]; 3]); 14] = [
        ("needle", [[0.03, 0.0, 0.02], [11.9, 1.7, 11.7], [0.04, 0.0, 0.02]]),
        ("thin wall on a line", [[1.25, 0.0, 0.1], [1.25, 2.0, 0.1], [1.25, 2.0, 9.0]]),
        ("wall between lines", [[1.4, 0.0, 0.1], [1.4, 2.0, 0.1], [1.4, 2.0, 9.0]]),
        ("post", [[3.3, 0.0, 3.3], [3.32, 1.0, 3.3], [3.31, 2.0, 3.32]]),
        ("post of a point", [[3.3, 0.0, 3.3], [3.3, 1.0, 3.3], [3.3, 2.0, 3.3]]),
        ("upright in plan on a line", [[0.125, 0.0, 3.125], [9.0, 3.0, 3.125], [9.0, 0.0, 3.125]]),
        ("huge", [[-1e6, -1e6, -1e6], [1e6, 1e6, -1e6], [0.0, 1e6, 1e6]]),
        ("huge and flat", [[-3e38, 0.4, -3e38], [0.0, 0.4, 3e38], [3e38, 0.4, -3e38]]),
        ("to the end of the range", [[0.0, 0.0, 0.0], [3e38, 3e38, 0.0], [0.0, 3e38, 1.0]]),
        ("subnormal", [[0.0, 1e-42, 0.0], [1e-41, 0.0, 3.0], [3.0, 1e-44, 1e-45]]),
        ("a step high", [[1.0, 0.0, 1.0], [1.0, 0.401, 5.0], [5.0, 0.401, 1.0]]),
        ("almost upright", [[2.0, 0.0, 0.0], [2.0000002, 2.0, 6.0], [2.0, 0.0, 6.0]]),
        ("line", [[1.0, 1.0, 1.0], [2.0, 1.5, 2.0], [3.0, 2.0, 3.0]]),
        ("upside down", [[1.0, 1.0, 1.0], [5.0, 1.0, 1.0], [1.0, 1.0, 5.0]]),
    ];
    if depth().is_none() {
        return;
    }
    let floor = [[0.0, 0.0], [0.0, 12.0], [12.0, 12.0], [12.0, 0.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    let floor = [[floor[0], floor[1], floor[2]], [floor[0], floor[2], floor[3]]];
    let of = |corners: Vec<[Vec3; 3]>| -> TriangleSoup {
        let triangles = (0..corners.len() as u32).map(|index| [0, 1, 2].map(|corner| 3 * index + corner));
        TriangleSoup::new(corners.concat(), triangles.collect()).unwrap()
    };
    for cell in [0.25, 0.1] {
        let config = config(cell);
        let (frame, layers) = layers_of(&of(floor.to_vec()), &config);
        for (what, corners) in cases {
            for turn in 0..3 {
                let corners = [0, 1, 2].map(|corner| Vec3::from(corners[(corner + turn) % 3]));
                for corners in [corners, [corners[1], corners[0], corners[2]]] {
                    // The layers are those of the floor alone.
                    let soup = of(floor.into_iter().chain([corners]).collect());
                    for core in [GridWindow::new(0, 0, 20, 20), GridWindow::new(31, 5, 17, 30)] {
                        let job =
                            DepthJob::new(soup.finite_with_areas(), &frame, core, &layers, &config).unwrap();
                        compare_job(&job, &format!("{what} at {cell} m"));
                    }
                }
            }
        }
    }
}

/// Tests plates that are equally far above and below the adjacent ground, and storeys closer than a
/// step.
#[test]
fn ties_are_told_alike() {
    if depth().is_none() {
        return;
    }
    let plate = |x: f32, y: f32, width: f32| {
        let corners = [[x, 0.0], [x, 6.0], [x + width, 6.0], [x + width, 0.0]];
        let [a, b, c, d] = corners.map(|[x, z]| Vec3::new(x, y, z));
        [[a, b, c], [a, c, d]]
    };
    for heights in [[0.25, 0.0, 0.5], [0.5, 0.0, 0.75], [0.3, 0.0, 0.6], [0.25, 0.5, 1.0], [0.0, 0.25, 0.75]]
    {
        let [one, other, third] = heights;
        let plates = [plate(0.0, one, 3.0), plate(3.0, other, 3.0), plate(3.0, third, 3.0)].concat();
        let triangles = (0..plates.len() as u32).map(|index| [0, 1, 2].map(|corner| 3 * index + corner));
        let soup = TriangleSoup::new(plates.concat(), triangles.collect()).unwrap();
        for (height, step) in [(0.5, 0.3), (0.5, 0.25), (0.6, 0.6), (0.251, 0.25)] {
            let agent = Agent::default().with_height(height).with_max_step(step).with_radius(0.1);
            let config = config(0.25).with_agent(agent);
            compare(&soup, &config, 64, 1, &format!("{heights:?}, {height} high"));
        }
    }
}

/// Tests more posts than the initial capacity.
#[test]
fn many_posts() {
    let Some(depth) = depth() else { return };
    let mut soup = Scene::OverlappingStoreys.build(&Default::default());
    let mut random = Random::new(4);
    let bounds = soup.bounds();
    for _ in 0..3000 {
        let at = Vec3::new(
            random.range(bounds.min.x, bounds.max.x),
            bounds.min.y,
            random.range(bounds.min.z, bounds.max.z),
        );
        // A triangle as high as all storeys.
        let top = at.with_y(bounds.max.y) + Vec3::new(0.003, 0.0, 0.001);
        soup.append(vec![at, top, at + Vec3::new(0.002, 0.0, 0.004)], vec![[0, 1, 2]]).unwrap();
    }
    let config = config(0.3);
    let (frame, layers) = layers_of(&soup, &config);
    let core = GridWindow::whole(&frame);
    let job = DepthJob::new(soup.finite_with_areas(), &frame, core, &layers, &config).unwrap();
    compare_job(&job, "posts");
    let (tables, _) = depth.run(&job).unwrap();
    assert!(tables.posts.len() > 4096 + 2 * job.len(), "{} posts", tables.posts.len());
}

/// Tests that the processor draws jobs that the device refuses, and that they are counted.
#[test]
fn what_does_not_fit_is_refused_and_falls_back() {
    if depth().is_none() {
        return;
    }
    let soup = Scene::DungeonRooms.build(&Default::default());
    let config = config(0.1);
    let (frame, layers) = layers_of(&soup, &config);
    let core = GridWindow::whole(&frame);
    let job = DepthJob::new(soup.finite_with_areas(), &frame, core, &layers, &config).unwrap();
    let small = options().with_max_buffer_bytes(1 << 20);
    let error = GpuDepth::new(&GpuContext::new(&small).unwrap()).unwrap().run(&job).unwrap_err();
    assert!(matches!(error, GpuError::TooLarge { .. }), "{error}");
    let device = GpuDevice::open(&small).unwrap();
    assert!(device.draw_depths(&job).unwrap() == job.run());
    let usage = DepthDevice::usage(&device);
    assert_eq!((usage.total().jobs, usage.on_processor.len()), (0, 1), "{usage:?}");
    assert!(usage.on_processor.keys().all(|reason| reason.contains("need")), "{usage:?}");
}
