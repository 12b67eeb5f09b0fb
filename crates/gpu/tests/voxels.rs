//! The heightfields of a device are those of the processor, byte for byte.
#![allow(clippy::cast_possible_truncation, clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::sync::LazyLock;

use glam::Vec3;
use waymesh_core::{
    Agent, AreaId, GridFrame, GridScale, GridWindow, Heightfield, Random, SoupTriangle, TriangleSoup,
};
use waymesh_gpu::{GpuContext, GpuDevice, GpuError, GpuOptions, GpuRasterizer, GpuTimes};
use waymesh_scenes::Scene;
use waymesh_testkit::levels;
use waymesh_voxel::{RasterDevice, RasterJob, VoxelConfig, rasterize_in_frame, rasterize_window};

fn options() -> GpuOptions {
    GpuOptions::default().with_software(true)
}

/// Returns the rasteriser on any adapter, possibly in software.
fn rasterizer() -> Option<&'static GpuRasterizer> {
    static SHARED: LazyLock<Option<GpuRasterizer>> = LazyLock::new(|| {
        let context = GpuContext::new(&options()).ok()?;
        eprintln!("adapter: {}", context.adapter());
        Some(GpuRasterizer::new(&context).expect("shaders that the device takes"))
    });
    if SHARED.is_none() {
        levels::skipped("a graphics adapter, be it in software");
    }
    SHARED.as_ref()
}

fn assert_same(gpu: &Heightfield, cpu: &Heightfield, what: &str) {
    if gpu == cpu {
        return;
    }
    assert_eq!(gpu.frame, cpu.frame, "{what}: frames");
    for z in 0..cpu.frame.depth {
        for x in 0..cpu.frame.width {
            assert_eq!(gpu.column(x, z), cpu.column(x, z), "{what}: column {x}, {z}");
        }
    }
    panic!("{what}: tables differ, spans do not");
}

fn rasterize(
    rasterizer: &GpuRasterizer,
    soup: &TriangleSoup,
    config: &VoxelConfig,
) -> Result<(Heightfield, GpuTimes), GpuError> {
    rasterizer.run(&RasterJob::of_soup(soup, config, &mut ())?)
}

/// Compares whole scenes.
fn compare(soup: &TriangleSoup, config: &VoxelConfig, what: &str) {
    let Some(rasterizer) = rasterizer() else { return };
    let cpu = waymesh_voxel::rasterize(soup, config, &mut ());
    let gpu = rasterize(rasterizer, soup, config);
    match (gpu, cpu) {
        (Ok((gpu, _)), Ok(cpu)) => {
            assert_same(&gpu, &cpu, what);
        }
        (Err(GpuError::Voxel(gpu)), Err(cpu)) => assert_eq!(gpu.to_string(), cpu.to_string(), "{what}"),
        (gpu, cpu) => panic!("{what}: {:?} and {:?}", gpu.map(|_| ()), cpu.map(|_| ())),
    }
}

fn config(cell: f32, level: f32) -> VoxelConfig {
    VoxelConfig::for_agent(&Agent::default()).with_scale(GridScale::new(cell, level))
}

/// Tests tiles of several sizes with a halo, areas and blocked triangles in them.
#[test]
fn tiles_with_areas() {
    let Some(rasterizer) = rasterizer() else { return };
    let config = config(0.3, 0.2);
    for scene in [Scene::DungeonRooms, Scene::CityBlock, Scene::Caves] {
        let soup = scene.build(&Default::default());
        let triangles: Vec<SoupTriangle> = soup
            .finite_with_areas()
            .enumerate()
            .map(|(index, of)| SoupTriangle { area: AreaId([1, 1, 7, 0, 255][index % 5]), ..of })
            .collect();
        let frame = GridFrame::fit(&soup.bounds(), &config.scale).unwrap();
        for (size, halo) in [(16, 0), (48, 7), (200, 3)] {
            for z in (0..frame.depth).step_by(3 * size as usize) {
                for x in (0..frame.width).step_by(2 * size as usize) {
                    let (from_x, from_z) = (x.saturating_sub(halo), z.saturating_sub(halo));
                    let window = GridWindow {
                        x: from_x,
                        z: from_z,
                        width: (x + size + halo).min(frame.width) - from_x,
                        depth: (z + size + halo).min(frame.depth) - from_z,
                    };
                    let given = triangles.iter().copied();
                    let cpu = rasterize_window(given.clone(), &frame, window, &config, &mut ()).unwrap();
                    let (gpu, _) = rasterizer
                        .run(&RasterJob::new(given, &frame, window, &config, &mut ()).unwrap())
                        .unwrap();
                    assert_same(&gpu, &cpu, &format!("{} in {window:?}", scene.name()));
                }
            }
        }
    }
}

/// Returns a number from -1 to 1.
fn unit(random: &mut Random) -> f32 {
    random.range(-1.0, 1.0)
}

/// Returns a corner of a soup: anywhere, on cell lines, on level lines, or very near to the lines.
fn random_corner(random: &mut Random, reach: f32, scale: GridScale) -> Vec3 {
    let at = Vec3::new(unit(random), unit(random) * 0.3, unit(random)) * reach;
    let on = |value: f32, step: f32| (value / step).round() * step;
    let (cell, level) = (scale.cell_size, scale.level_height);
    match random.below(5) {
        0 => at,
        1 => Vec3::new(on(at.x, cell), on(at.y, level), on(at.z, cell)),
        2 => Vec3::new(at.x, at.y, on(at.z, cell)),
        3 => Vec3::new(on(at.x, cell) + 1e-6 * at.z, at.y, at.z),
        _ => Vec3::new(on(at.x, cell * 0.5), at.y * 1e-3, on(at.z, cell * 0.5)),
    }
}

/// Tests 1,000 soups of triangles of all kinds.
#[test]
fn random_soups() {
    let Some(rasterizer) = rasterizer() else { return };
    let mut random = Random::new(11);
    for round in 0..1000 {
        let scale = GridScale::new([0.3, 0.1, 0.25, 0.07][round % 4], [0.2, 0.05, 0.125][round % 3]);
        let reach = [2.0, 6.0, 0.4][round % 3];
        let count = 1 + random.below(if round % 50 == 0 { 800 } else { 24 });
        let (mut corners, mut areas) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let first = random_corner(&mut random, reach, scale);
            corners.push(first);
            let small = random.below(3) == 0;
            for _ in 0..2 {
                let other = random_corner(&mut random, reach, scale);
                corners.push(if small { first + (other - first) * 0.02 } else { other });
            }
            areas.push(AreaId([1, 1, 1, 0, 9][random.below(5) as usize]));
        }
        let triangles = (0..count).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner)).collect();
        let mut soup = TriangleSoup::new(corners, triangles).unwrap();
        if round % 2 == 0 {
            soup = soup.with_areas(areas).unwrap();
        }
        let step = [0.0, 0.4, 1e9][round % 3];
        let config = VoxelConfig::default().with_scale(scale).with_max_step(step);
        compare(&soup, &config, &format!("soup {round}"));
        // A second run with a frame of another origin that the triangles do not fill.
        if round % 10 == 0 {
            let frame = GridFrame {
                origin: Vec3::new(-1.0, 0.1, -0.7),
                cell_size: scale.cell_size,
                level_height: scale.level_height,
                width: 13,
                depth: 9,
            };
            let cpu = rasterize_in_frame(&soup, &frame, &config, &mut ()).unwrap();
            let of = |index| SoupTriangle { corners: soup.corners(index), area: soup.area(index) };
            let all = (0..soup.triangles().len()).map(of);
            let window = GridWindow::whole(&frame);
            let (gpu, _) =
                rasterizer.run(&RasterJob::new(all, &frame, window, &config, &mut ()).unwrap()).unwrap();
            assert_same(&gpu, &cpu, &format!("soup {round} in a frame"));
        }
    }
}

/// Tests triangles that are hard to cut.
#[test]
fn hard_triangles() {
    let far = 1e9_f32;
    let cases: [(&str, [[f32; 3]; 3]); 14] = [
        ("a needle along x", [[-9.0, 0.0, 0.1], [9.0, 1.0, 0.1000001], [9.0, 1.0, 0.1]]),
        ("a needle across", [[-9.0, 0.0, -9.0], [9.0, 3.0, 9.0], [9.0, 3.0, 8.999999]]),
        ("a wall on a line along z", [[3.0, 0.0, -4.0], [3.0, 2.0, -4.0], [3.0, 0.0, 4.0]]),
        ("a wall on a line along x", [[-4.0, 0.0, 3.0], [4.0, 0.0, 3.0], [4.0, 2.0, 3.0]]),
        ("the other side of it", [[-4.0, 0.0, 3.0], [4.0, 2.0, 3.0], [4.0, 0.0, 3.0]]),
        ("a wall beside a line", [[3.0001, 0.0, -4.0], [2.9999, 2.0, -4.0], [3.0, 0.0, 4.0]]),
        ("no area", [[0.0; 3], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]),
        ("almost none", [[0.0; 3], [1.0, 1.0, 1.0], [2.0, 2.0, 2.000_000_2]]),
        ("a point", [[1.0; 3]; 3]),
        ("not finite", [[f32::NAN, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
        ("out of the range", [[-far, -far, -far], [far, 5.0, far], [-far, far, far]]),
        ("level and out of the range", [[-far, 0.5, -far], [far, 0.5, far], [-far, 0.5, far]]),
        ("higher than the range", [[0.0, -3e38, 0.0], [1.0, 3e38, 0.0], [0.0, 3e38, 1.0]]),
        ("subnormal", [[0.0, 1e-42, 0.0], [1e-41, 0.0, 3.0], [3.0, 1e-44, 1e-45]]),
    ];
    let Some(rasterizer) = rasterizer() else { return };
    for (cell, level) in [(1.0, 0.5), (0.3, 0.2), (0.01, 0.01)] {
        let frame = GridFrame {
            origin: Vec3::new(-2.0, 0.0, -2.0),
            cell_size: cell,
            level_height: level,
            width: 173,
            depth: 90,
        };
        let config = config(cell, level);
        for (what, corners) in cases {
            for turn in 0..3 {
                let corners = [0, 1, 2].map(|corner| Vec3::from(corners[(corner + turn) % 3]));
                for corners in [corners, [corners[1], corners[0], corners[2]]] {
                    let window = GridWindow::whole(&frame);
                    let cpu = rasterize_window([corners], &frame, window, &config, &mut ()).unwrap();
                    let (gpu, _) = rasterizer
                        .run(&RasterJob::new([corners], &frame, window, &config, &mut ()).unwrap())
                        .unwrap();
                    assert_same(&gpu, &cpu, &format!("{what} at {cell} m"));
                }
            }
        }
    }
}

/// Tests that a device with little memory fills the grid in parts, with an equal result.
#[test]
fn small_buffers_leave_no_trace() {
    let Some(rasterizer) = rasterizer() else { return };
    let context = GpuContext::new(&options().with_max_buffer_bytes(1 << 20)).unwrap();
    let small = GpuRasterizer::new(&context).unwrap();
    let soup = Scene::CityBlock.build(&Default::default());
    let config = config(0.1, 0.1);
    let (whole, _) = rasterize(rasterizer, &soup, &config).unwrap();
    let (parts, times) = rasterize(&small, &soup, &config).unwrap();
    assert!(times.parts > 4, "{} parts", times.parts);
    assert_same(&parts, &whole, "parts");
    // A part is prepared and uploaded while the previous one is on the device.
    assert_eq!(times.most_in_flight, 2);
    assert!(times.overlapped_bytes * 2 > times.uploaded_bytes, "{times:?}");
    assert!(times.longest_dispatch <= GpuTimes::MOST_STEPS);
}

/// Returns sheets above each other.
fn sheets(count: u32) -> impl Iterator<Item = [Vec3; 3]> {
    (0..count).map(|sheet| {
        let y = sheet.wrapping_mul(2_654_435_761) as f32 * 1e-5;
        [Vec3::new(0.0, y, 0.0), Vec3::new(0.0, y, 0.9), Vec3::new(0.9, y, 0.0)]
    })
}

/// A grid of one column.
const COLUMN: GridFrame =
    GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 0.5, width: 1, depth: 1 };

/// Tests that the processor does the work that a device refuses, and that it is counted.
#[test]
fn a_bake_does_not_fail_because_of_its_device() {
    let config = config(1.0, 0.5);
    let job =
        |count| RasterJob::new(sheets(count), &COLUMN, GridWindow::whole(&COLUMN), &config, &mut ()).unwrap();
    // Without a card the processor does all work.
    let none = GpuDevice::open_if_any(&options().with_adapter("no such card".to_owned()));
    assert!(none.rasterize(&job(9), &mut ()).unwrap() == job(9).run(&mut ()).unwrap());
    let usage = none.usage();
    assert_eq!(
        (usage.device.as_str(), usage.total().jobs, usage.on_processor.values().sum()),
        ("", 0, 1_u64)
    );
    assert!(usage.on_processor.keys().all(|reason| reason.starts_with("no graphics adapter")));
    let Some(rasterizer) = rasterizer() else { return };
    let device = GpuDevice::open(&options()).unwrap();
    for count in [5, rasterizer.deepest_column() + 1] {
        assert!(device.rasterize(&job(count), &mut ()).unwrap() == job(count).run(&mut ()).unwrap());
    }
    let usage = device.usage();
    assert_eq!(usage.total().jobs, 1);
    assert!(usage.on_processor.keys().all(|reason| reason.starts_with("a column has")), "{usage:?}");
    assert_eq!(usage.on_processor.values().sum::<u64>(), 1);
}

/// Tests more sheets above each other than a device sorts in one column.
#[test]
fn deep_columns_are_an_error_that_names_the_limit() {
    let Some(rasterizer) = rasterizer() else { return };
    let frame = COLUMN;
    let config = config(1.0, 0.5);
    let window = GridWindow::whole(&frame);
    let limit = rasterizer.deepest_column();
    let cpu = rasterize_window(sheets(limit), &frame, window, &config, &mut ()).unwrap();
    let (gpu, _) =
        rasterizer.run(&RasterJob::new(sheets(limit), &frame, window, &config, &mut ()).unwrap()).unwrap();
    assert!(cpu.spans.len() > 1000);
    assert_same(&gpu, &cpu, "sheets");
    let error = rasterizer
        .run(&RasterJob::new(sheets(limit + 1), &frame, window, &config, &mut ()).unwrap())
        .unwrap_err();
    let expected = format!("a column has {} fragments, the device sorts up to {limit}", limit + 1);
    assert_eq!(error.to_string(), expected);
}

#[test]
fn limits_of_memory_are_those_of_the_processor() {
    let soup = Scene::DungeonRooms.build(&Default::default());
    let Some(rasterizer) = rasterizer() else { return };
    for bytes in [100, 200_000] {
        let config = config(0.3, 0.2).with_max_memory_bytes(bytes);
        let error = rasterize(rasterizer, &soup, &config).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("1 MiB are allowed"), "{error}");
    }
}

#[test]
fn no_adapter_is_an_error_that_tells_why() {
    let named = options().with_adapter("no such card".to_owned());
    let error = GpuContext::new(&named).unwrap_err().to_string();
    assert!(error.starts_with("no graphics adapter: ") && error.contains("no such card"), "{error}");
    let error = GpuContext::new(&options().with_max_buffer_bytes(5)).unwrap_err();
    assert_eq!(error.to_string(), "max_buffer_bytes is 5, but must be at least 1048576 bytes");
}

/// Tests a world that is built and changed, tile by tile, by a device and by the processor.
#[test]
fn worlds_are_the_same() {
    use waymesh::{Baker, World};
    use waymesh_core::Bounds;
    use waymesh_voxel::{MarkShape, Obstacle};

    if rasterizer().is_none() {
        return;
    }
    let soup = Scene::DungeonRooms.build(&Default::default());
    let device = GpuDevice::open(&options()).unwrap();
    let bakers = [Baker::voxels(), Baker::voxels().with_raster_device(device)];
    let [cpu, gpu] = bakers.map(|baker| {
        let mut world = World::new(baker, &soup.bounds(), 64).unwrap();
        world.add_triangles(&soup, &mut ()).unwrap();
        world.update(&mut ()).unwrap();
        let Bounds { min, max } = soup.bounds();
        let bounds = Bounds { min: min.lerp(max, 0.3), max: min.lerp(max, 0.6) };
        let before = world.handle().mesh();
        world.add_obstacle(Obstacle::solid(MarkShape::Box { bounds })).unwrap();
        world.update(&mut ()).unwrap();
        let after = world.handle().mesh();
        assert!(before.polygon_count() != after.polygon_count());
        after.to_packed(false)
    });
    assert!(cpu == gpu, "other bytes");
}
