//! The walkable fields of a device are those of the processor, byte for byte.
#![allow(clippy::cast_possible_truncation, clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::sync::LazyLock;

use glam::Vec3;
use waymesh_core::{
    Agent, AreaId, Bounds, GridFrame, GridScale, GridWindow, Random, SoupTriangle, TriangleSoup, Validate,
};
use waymesh_gpu::{GpuContext, GpuDevice, GpuError, GpuOptions, GpuRasterizer, GpuTimes};
use waymesh_scenes::Scene;
use waymesh_testkit::levels;
use waymesh_voxel::{
    BuiltField, FieldBuilder, FieldJob, Filters, Mark, MarkShape, RasterDevice, RasterJob, VoxelConfig,
    halo_cells,
};

fn options() -> GpuOptions {
    GpuOptions::default().with_software(true)
}

/// Returns the rasteriser on any adapter, possibly in software.
fn rasterizer() -> Option<&'static GpuRasterizer> {
    static SHARED: LazyLock<Option<GpuRasterizer>> = LazyLock::new(|| {
        let context = GpuContext::new(&options()).ok()?;
        Some(GpuRasterizer::new(&context).expect("shaders that the device takes"))
    });
    if SHARED.is_none() {
        levels::skipped("a graphics adapter, be it in software");
    }
    SHARED.as_ref()
}

fn assert_same(gpu: &BuiltField, cpu: &BuiltField, what: &str) {
    if gpu == cpu {
        return;
    }
    assert_eq!(gpu.counts, cpu.counts, "{what}: counts");
    let (gpu, cpu) = (&gpu.part, &cpu.part);
    assert_eq!((gpu.window, gpu.core), (cpu.window, cpu.core), "{what}: windows");
    let (one, other) = (&gpu.field, &cpu.field);
    assert!(one.columns == other.columns, "{what}: columns");
    for span in 0..other.floor.len() {
        let of = |field: &waymesh_core::WalkableField| {
            (
                field.floor[span],
                field.clearance[span],
                field.ground[span],
                field.area[span],
                field.links[span],
            )
        };
        assert_eq!(of(one), of(other), "{what}: span {span} in {:?}", cpu.global_column(span as u32));
    }
    panic!("{what}: tables differ, spans do not");
}

/// Compares the field of a part of a scene.
fn compare_on(
    rasterizer: &GpuRasterizer,
    triangles: &[SoupTriangle],
    (frame, core): (&GridFrame, GridWindow),
    (config, builder): (&VoxelConfig, &FieldBuilder),
    what: &str,
) -> GpuTimes {
    let window = core.grown(builder.halo_cells(&config.scale), frame);
    let raster = RasterJob::new(triangles.iter().copied(), frame, window, config, &mut ()).unwrap();
    let job = FieldJob::new(raster, frame, core, builder).unwrap();
    let cpu = job.run().unwrap();
    let (gpu, times) = rasterizer.build_field(&job).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_same(&gpu, &cpu, what);
    gpu.part.validate().unwrap_or_else(|violations| panic!("{what}: {violations}"));
    times
}

fn triangles_of(soup: &TriangleSoup) -> Vec<SoupTriangle> {
    soup.finite_with_areas().collect()
}

fn config(cell: f32, level: f32, agent: &Agent) -> VoxelConfig {
    VoxelConfig::for_agent(agent).with_scale(GridScale::new(cell, level))
}

/// Tests tiles of several sizes with a halo, areas, blocked triangles and marks in them.
#[test]
fn tiles_with_areas() {
    let Some(rasterizer) = rasterizer() else { return };
    for (scene, agent) in [
        (Scene::DungeonRooms, Agent::default()),
        (Scene::CityBlock, Agent::default().with_radius(1.1).with_max_step(0.3)),
        (Scene::Caves, Agent::default().with_radius(0.0)),
    ] {
        let soup = scene.build(&Default::default());
        let areas = |(index, of): (usize, SoupTriangle)| SoupTriangle {
            area: AreaId([1, 1, 7, 0, 255][index % 5]),
            ..of
        };
        let triangles: Vec<SoupTriangle> = soup.finite_with_areas().enumerate().map(areas).collect();
        let config = config(0.3, 0.2, &agent);
        let frame = GridFrame::fit(&soup.bounds(), &config.scale).unwrap();
        let Bounds { min, max } = soup.bounds();
        let bounds = Bounds { min: min.lerp(max, 0.3), max: min.lerp(max, 0.6) };
        let marks = vec![Mark::new(MarkShape::Box { bounds }, AreaId(9))];
        let builder = FieldBuilder::new(agent).with_marks(marks);
        for side in [16, 48, 200] {
            for z in (0..frame.depth).step_by(2 * side as usize) {
                for x in (0..frame.width).step_by(2 * side as usize) {
                    let core = GridWindow::new(x, z, side, side).intersection(&GridWindow::whole(&frame));
                    let what = format!("{} in {core:?}", scene.name());
                    compare_on(rasterizer, &triangles, (&frame, core), (&config, &builder), &what);
                }
            }
        }
    }
}

/// Tests that a device with little memory fills the grid in parts, with an equal result.
#[test]
fn small_buffers_leave_no_trace() {
    let Ok(context) = GpuContext::new(&options().with_max_buffer_bytes(1 << 20)) else { return };
    let small = GpuRasterizer::new(&context).unwrap();
    let agent = Agent::default();
    let (soup, config) = (Scene::CityBlock.build(&Default::default()), config(0.1, 0.1, &agent));
    let frame = GridFrame::fit(&soup.bounds(), &config.scale).unwrap();
    let core = GridWindow::whole(&frame);
    let builder = FieldBuilder::new(agent);
    let times = compare_on(&small, &triangles_of(&soup), (&frame, core), (&config, &builder), "parts");
    assert!(times.parts > 4, "{} parts", times.parts);
    assert_eq!(times.most_in_flight, 2);
    assert!(times.longest_dispatch <= GpuTimes::MOST_STEPS);
    // Fewer bytes are read back than the voxels would take.
    let job = RasterJob::new(triangles_of(&soup), &frame, core, &config, &mut ()).unwrap();
    let (heightfield, voxels) = small.run(&job).unwrap();
    assert!(times.downloaded_bytes * 3 < voxels.downloaded_bytes * 2, "{times:?}, {voxels:?}");
    assert!(!heightfield.spans.is_empty());
}

/// Returns a corner of a soup: anywhere, or on cell and level lines.
fn random_corner(random: &mut Random, reach: f32, scale: GridScale) -> Vec3 {
    let mut unit = || random.range(-1.0, 1.0);
    let at = Vec3::new(unit(), unit() * 0.4, unit()) * reach;
    let on = |value: f32, step: f32| (value / step).round() * step;
    let (cell, level) = (scale.cell_size, scale.level_height);
    match random.below(4) {
        0 | 1 => at,
        2 => Vec3::new(on(at.x, cell), on(at.y, level), on(at.z, cell)),
        _ => Vec3::new(on(at.x, cell * 0.5), on(at.y, 3.0 * level), at.z),
    }
}

/// Tests 1,000 soups, agents and filters of all kinds.
#[test]
fn random_soups() {
    let Some(rasterizer) = rasterizer() else { return };
    let mut random = Random::new(77);
    for round in 0..1000 {
        let scale = GridScale::new([0.3, 0.1, 0.25][round % 3], [0.2, 0.05, 0.125, 3e-5][round % 4]);
        let reach = scale.cell_size * [9.0, 20.0, 4.0][round % 3];
        let count = 1 + random.below(if round % 50 == 0 { 400 } else { 30 });
        let (mut corners, mut areas) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let first = random_corner(&mut random, reach, scale);
            let is_gentle = random.below(3) > 0;
            corners.push(first);
            for _ in 0..2 {
                let mut other = random_corner(&mut random, reach, scale);
                if is_gentle {
                    other.y = first.y + (other.y - first.y) * 0.1;
                }
                corners.push(other);
            }
            areas.push(AreaId([1, 1, 1, 0, 9][random.below(5) as usize]));
        }
        let triangles = (0..count).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner)).collect();
        let mut soup = TriangleSoup::new(corners, triangles).unwrap();
        if round % 3 == 0 {
            soup = soup.with_areas(areas).unwrap();
        }
        let cell = scale.cell_size;
        let agent = Agent::default()
            .with_height([0.3, 1.8, 1e7][random.below(3) as usize])
            .with_max_step([0.1, 0.4, 0.0, 1e9][random.below(4) as usize])
            .with_radius([0.0, 1.0, 2.3, 7.0, 1e3][random.below(5) as usize] * cell);
        let filters = Filters::default()
            .with_ledges(random.below(4) > 0)
            .with_low_ceilings(random.below(4) > 0)
            .with_low_obstacles(random.below(4) > 0);
        let builder = FieldBuilder::new(agent).with_filters(filters);
        let config = VoxelConfig::for_agent(&agent).with_scale(scale);
        let Ok(frame) = GridFrame::fit(&soup.bounds(), &scale) else { continue };
        let core = if round % 2 == 0 {
            GridWindow::whole(&frame)
        } else {
            let (x, z) = (random.below(frame.width), random.below(frame.depth));
            GridWindow::new(x, z, 7, 5).intersection(&GridWindow::whole(&frame))
        };
        let all = triangles_of(&soup);
        compare_on(rasterizer, &all, (&frame, core), (&config, &builder), &format!("soup {round}"));
    }
}

/// Returns sheets above each other over a few columns.
fn sheets(count: u32) -> Vec<SoupTriangle> {
    let sheet = |sheet: u32| {
        let y = sheet as f32;
        let corners = [Vec3::new(0.0, y, 0.0), Vec3::new(0.0, y, 40.0), Vec3::new(40.0, y, 0.0)];
        SoupTriangle { corners, area: AreaId::GROUND }
    };
    (0..count).map(sheet).collect()
}

/// Tests that many storeys need more words for each span, and too many of them the processor.
#[test]
fn many_storeys() {
    let Some(rasterizer) = rasterizer() else { return };
    let agent = Agent::default().with_height(0.5);
    let config = config(1.0, 0.25, &agent);
    let frame = GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 0.25, width: 16, depth: 16 };
    let (core, builder) = (GridWindow::whole(&frame), FieldBuilder::new(agent));
    for count in [3, 15, 16, 17, 200, 255] {
        compare_on(rasterizer, &sheets(count), (&frame, core), (&config, &builder), "sheets");
    }
    let device = GpuDevice::open(&options()).unwrap();
    for (count, expected) in [(256, "storeys of a column need 256"), (1000, "a column has 1000")] {
        let raster = RasterJob::new(sheets(count), &frame, core, &config, &mut ()).unwrap();
        let job = FieldJob::new(raster, &frame, core, &builder).unwrap();
        let error = rasterizer.build_field(&job).map(|_| ()).unwrap_err();
        assert!(matches!(error, GpuError::TooLarge { .. } | GpuError::DeepColumn { .. }), "{error}");
        // The device refuses the field, but can still make the voxels.
        assert!(device.build_field(&job).unwrap().is_none());
        let reasons = device.usage().on_processor;
        assert!(reasons.keys().any(|reason| reason.contains(expected)), "{reasons:?}");
    }
    let wide = FieldBuilder::new(agent.with_radius(5000.0));
    let large = GridFrame { width: 6000, ..frame };
    let core = GridWindow::whole(&large);
    let raster = RasterJob::new(sheets(1), &large, core, &config, &mut ()).unwrap();
    let job = FieldJob::new(raster, &large, core, &wide).unwrap();
    let error = rasterizer.build_field(&job).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("radius"), "{error}");
}

#[test]
fn nothing_gives_an_empty_field() {
    let Some(rasterizer) = rasterizer() else { return };
    let agent = Agent::default();
    let config = config(1.0, 0.25, &agent);
    let frame = GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 0.25, width: 9, depth: 7 };
    let builder = FieldBuilder::new(agent);
    for core in [GridWindow::whole(&frame), GridWindow::new(3, 3, 1, 1)] {
        compare_on(rasterizer, &[], (&frame, core), (&config, &builder), "nothing");
    }
    assert!(halo_cells(&agent, &config.scale) > 0);
}
