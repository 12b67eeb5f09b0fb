//! All generated and shared levels: every stage of a device gives the result of the processor, for
//! whole grids and for tiles of several sizes.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::path::Path;
use std::sync::LazyLock;

use glam::Vec3Swizzles;
use waymesh_core::{Agent, GridFrame, GridScale, GridWindow, SoupTriangle, TriangleSoup};
use waymesh_gpu::{GpuContext, GpuDepth, GpuError, GpuOptions, GpuRasterizer, GpuRough, GpuTimes};
use waymesh_scenes::Scene;
use waymesh_storeys::{DepthJob, RoughJob, StoreysConfig, flood_layers, refine_halo};
use waymesh_testkit::levels;
use waymesh_voxel::{FieldBuilder, FieldJob, RasterJob, VoxelConfig};

/// All stages on any adapter, possibly in software.
struct Stages {
    rasterizer: GpuRasterizer,
    rough: GpuRough,
    depth: GpuDepth,
}

fn stages() -> Option<&'static Stages> {
    static SHARED: LazyLock<Option<Stages>> = LazyLock::new(|| {
        let context = GpuContext::new(&GpuOptions::default().with_software(true)).ok()?;
        Some(Stages {
            rasterizer: GpuRasterizer::new(&context).expect("shaders that the device takes"),
            rough: GpuRough::new(&context).expect("shaders that the device takes"),
            depth: GpuDepth::new(&context).expect("shaders that the device takes"),
        })
    });
    if SHARED.is_none() {
        levels::skipped("a graphics adapter, be it in software");
    }
    SHARED.as_ref()
}

/// Returns up to `most` tiles of a size, from all over the grid.
fn tiles(frame: &GridFrame, side: u32, most: u32) -> Vec<GridWindow> {
    let whole = GridWindow::whole(frame);
    let (across, down) = (frame.width.div_ceil(side), frame.depth.div_ceil(side));
    let every = (across * down).div_ceil(most).max(1);
    let tile = |number: u32| {
        let (x, z) = (number % across * side, number / across * side);
        GridWindow::new(x, z, side, side).intersection(&whole)
    };
    (every / 2..across * down).step_by(every as usize).map(tile).collect()
}

/// Returns the triangles that reach into some columns.
fn near(triangles: &[SoupTriangle], frame: &GridFrame, window: GridWindow) -> Vec<SoupTriangle> {
    let cell = f64::from(frame.cell_size);
    let origin = frame.origin.as_dvec3().xz();
    let reaches = |of: &&SoupTriangle| {
        let [a, b, c] = of.corners.map(|corner| (corner.as_dvec3().xz() - origin) / cell);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        low.x <= f64::from(window.end_x()) + 1.0
            && high.x >= f64::from(window.x) - 1.0
            && low.y <= f64::from(window.end_z()) + 1.0
            && high.y >= f64::from(window.z) - 1.0
    };
    triangles.iter().filter(reaches).copied().collect()
}

/// Compares all stages on a grid of these cells. Returns the number of jobs that the device refused
/// because of more triangles in a column than it sorts.
fn compare(soup: &TriangleSoup, scale: GridScale, what: &str) -> u32 {
    let Some(Stages { rasterizer, rough, depth }) = stages() else { return 0 };
    let mut refused = 0;
    let mut taken = |error: GpuError| match error {
        GpuError::DeepColumn { .. } => refused += 1,
        error => panic!("{what}: {error}"),
    };
    let agent = Agent::default();
    let config = VoxelConfig::for_agent(&agent).with_scale(scale);
    let frame = GridFrame::fit(&soup.bounds(), &scale).unwrap();
    let whole = GridWindow::whole(&frame);
    let triangles: Vec<SoupTriangle> = soup.finite_with_areas().collect();
    let bounded =
        |times: &GpuTimes| assert!(times.longest_dispatch <= GpuTimes::MOST_STEPS, "{what}: {times:?}");
    let raster = |window: GridWindow| {
        RasterJob::new(triangles.iter().copied(), &frame, window, &config, &mut ()).unwrap()
    };
    match rasterizer.run(&raster(whole)) {
        Ok((heightfield, times)) => {
            assert!(heightfield == raster(whole).run(&mut ()).unwrap(), "{what}: other voxels");
            bounded(&times);
        }
        Err(error) => taken(error),
    }
    let builder = FieldBuilder::new(agent);
    let halo = builder.halo_cells(&scale);
    let all = [(whole.width.max(whole.depth), 1), (64, 3), (16, 3)];
    for core in all.into_iter().flat_map(|(side, most)| tiles(&frame, side, most)) {
        let job = FieldJob::new(raster(core.grown(halo, &frame)), &frame, core, &builder).unwrap();
        match rasterizer.build_field(&job) {
            Ok((built, times)) => {
                assert!(built == job.run().unwrap(), "{what}: another field in {core:?}");
                bounded(&times);
            }
            Err(error) => taken(error),
        }
    }
    let storeys = StoreysConfig::default().with_scale(scale).with_agent(agent);
    let height = soup.bounds().max.y - soup.bounds().min.y;
    let job = RoughJob::new(soup, &frame, height, &storeys).unwrap();
    let (voxels, skipped) = job.run().unwrap();
    let (on_device, skipped_there, times) = rough.run(&job).unwrap();
    assert!(on_device == voxels && skipped_there == skipped, "{what}: other rough voxels");
    bounded(&times);
    let layers = flood_layers(&voxels, &storeys).unwrap();
    for core in [(96, 1), (24, 2)].into_iter().flat_map(|(side, most)| tiles(&frame, side, most)) {
        let near = near(&triangles, &frame, core.grown(refine_halo(&storeys), &frame));
        let job = DepthJob::new(near.into_iter(), &frame, core, &layers, &storeys).unwrap();
        let (tables, times) = depth.run(&job).unwrap();
        assert!(job.finish(tables).unwrap() == job.run(), "{what}: other depth maps in {core:?}");
        bounded(&times);
    }
    refused
}

/// Returns cells so large that a grid has at most `cells` along a side, and levels in proportion.
fn scale_of(soup: &TriangleSoup, cells: f32) -> GridScale {
    let size = soup.bounds().max - soup.bounds().min;
    let cell = (size.x.max(size.z) / cells).max(0.1);
    GridScale::new(cell, (cell * 0.7).max(size.y / 1000.0))
}

#[test]
fn generated_levels() {
    for scene in Scene::ALL.into_iter().chain(Scene::NATURAL).chain(Scene::SHEETS) {
        let soup = scene.build(&Default::default());
        assert_eq!(compare(&soup, scale_of(&soup, 150.0), scene.name()), 0, "{}", scene.name());
        let broken = scene.broken(3);
        compare(&broken, scale_of(&broken, 90.0), &format!("broken {}", scene.name()));
    }
}

#[test]
fn shared_levels() {
    let is_scene = |file: &Path| waymesh::io::SceneFormat::from_extension(file).is_some();
    let (all, mut refused) = (levels::all(is_scene), Vec::new());
    for level in &all {
        let soup = waymesh::io::load(&level.file).expect("a level");
        // The unit is chosen so that a cell is at most a few agents wide.
        let size = soup.bounds().max - soup.bounds().min;
        let factor = (30.0 / size.x.max(size.z)).max(level.unit.unwrap_or(1.0));
        let factor = factor.min(60.0 / size.x.max(size.z));
        let positions = soup.positions().iter().map(|position| *position * factor).collect();
        let soup = TriangleSoup::new(positions, soup.triangles().to_vec()).expect("as many vertices");
        if compare(&soup, scale_of(&soup, 110.0), &level.name) > 0 {
            refused.push(&level.name);
        }
    }
    // Levels with too many triangles for the size of the cells, whose columns are too deep.
    assert!(refused.len() * 10 <= all.len(), "{refused:?}");
}
