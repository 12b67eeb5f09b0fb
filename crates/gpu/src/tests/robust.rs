//! Tests of failing devices: lost, out of memory or late.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::atomic::{AtomicI64, Ordering};

use waymesh_convex::find_portals;
use waymesh_core::{GridFrame, GridScale, GridWindow, TriangleSoup, Triangulation};
use waymesh_scenes::Scene;
use waymesh_storeys::{
    DepthDevice, DepthJob, Layers, RoughDevice, RoughJob, StoreysConfig, flood_layers, voxelize_roughly,
};
use waymesh_voxel::{FieldBuilder, FieldJob, RasterDevice, RasterJob, VoxelConfig};

use crate::batch::{Batch, Load, SETTINGS_BYTES};
use crate::kernels::{Module, Use};
use crate::tables::{Staging, Table};
use crate::{GpuContext, GpuDevice, GpuError, GpuNotches, GpuOptions, GpuTimes};

/// A failure of a device, after a number of submissions or waits.
#[derive(Debug)]
pub(crate) struct Trap {
    until_lost: AtomicI64,
    until_late: AtomicI64,
}

impl Default for Trap {
    fn default() -> Self {
        Self { until_lost: AtomicI64::new(i64::MAX), until_late: AtomicI64::new(i64::MAX) }
    }
}

impl Trap {
    fn set(&self, until_lost: i64, until_late: i64) {
        self.until_lost.store(until_lost, Ordering::SeqCst);
        self.until_late.store(until_late, Ordering::SeqCst);
    }

    /// Called before work is submitted.
    pub(crate) fn spring(&self, context: &GpuContext) {
        if self.until_lost.fetch_sub(1, Ordering::SeqCst) == 0 {
            context.device.destroy();
        }
    }

    /// Returns `true` if a wait must end as if it had timed out.
    pub(crate) fn is_late(&self) -> bool {
        self.until_late.fetch_sub(1, Ordering::SeqCst) <= 0
    }
}

fn options() -> GpuOptions {
    GpuOptions::default().with_software(true)
}

/// Returns an adapter, possibly in software.
fn context(options: &GpuOptions) -> Option<GpuContext> {
    let context = GpuContext::new(options).ok();
    if context.is_none() {
        waymesh_testkit::levels::skipped("a graphics adapter, be it in software");
    }
    context
}

/// A scene, and the results of all stages.
struct Work {
    soup: TriangleSoup,
    config: VoxelConfig,
    builder: FieldBuilder,
    storeys: StoreysConfig,
    frame: GridFrame,
    layers: Layers,
}

impl Work {
    fn new() -> Self {
        let soup = Scene::SpiralStairs.build(&Default::default());
        let storeys = StoreysConfig::default().with_scale(GridScale::new(0.3, 0.2));
        let frame = GridFrame::fit(&soup.bounds(), &storeys.scale).unwrap();
        let (voxels, _) = voxelize_roughly(&soup, &frame, Self::height(&soup), &storeys).unwrap();
        let layers = flood_layers(&voxels, &storeys).unwrap();
        let builder = FieldBuilder::new(storeys.agent);
        Self { config: VoxelConfig::for_agent(&storeys.agent), builder, storeys, frame, layers, soup }
    }

    fn height(soup: &TriangleSoup) -> f32 {
        soup.bounds().max.y - soup.bounds().min.y
    }

    fn raster(&self) -> RasterJob {
        RasterJob::of_soup(&self.soup, &self.config, &mut ()).unwrap()
    }

    /// Runs all stages on a device and compares the results with those of the processor.
    fn compare(&self, device: &GpuDevice) {
        let raster = self.raster();
        let voxels = device.rasterize(&raster, &mut ()).unwrap();
        assert!(voxels == raster.run(&mut ()).unwrap(), "other voxels");
        let core = GridWindow::whole(&self.frame);
        let field = FieldJob::new(raster, &self.frame, core, &self.builder).unwrap();
        if let Some(built) = device.build_field(&field).unwrap() {
            assert!(built == field.run().unwrap(), "another field");
        }
        let rough = RoughJob::new(&self.soup, &self.frame, Self::height(&self.soup), &self.storeys).unwrap();
        assert!(device.voxelize_roughly(&rough).unwrap() == rough.run().unwrap(), "other rough voxels");
        let triangles = self.soup.finite_with_areas();
        let depth = DepthJob::new(triangles, &self.frame, core, &self.layers, &self.storeys).unwrap();
        assert!(device.draw_depths(&depth).unwrap() == depth.run(), "other depth maps");
    }
}

/// Returns the number of jobs on the device, and the reasons for jobs on the processor.
fn told(device: &GpuDevice) -> (u64, Vec<String>) {
    let mut usage = RasterDevice::usage(device);
    usage.add(&RoughDevice::usage(device));
    usage.add(&DepthDevice::usage(device));
    (usage.total().jobs, usage.on_processor.into_keys().collect())
}

/// Tests a device that is lost after any number of submissions: no result is lost, and no call
/// hangs.
#[test]
fn a_device_may_be_lost_at_any_time() {
    let work = Work::new();
    for until in [0, 2, 6, 11, 17, 1000] {
        let Some(context) = context(&options()) else { return };
        context.trap.set(until, i64::MAX);
        let device = GpuDevice::of(Ok(context.clone()), 0);
        work.compare(&device);
        let (jobs, reasons) = told(&device);
        if jobs == 4 {
            // Four stages have several submissions each.
            assert!(until > 12 && reasons.is_empty(), "{until}: {reasons:?}");
            continue;
        }
        assert!(
            reasons.iter().any(|reason| reason.starts_with("the device is lost")),
            "{until}: {reasons:?}"
        );
        // All later work is done by the processor.
        work.compare(&device);
        assert_eq!(told(&device).0, jobs, "{until}");
        assert!(matches!(context.check(), Err(GpuError::Lost { .. })));
    }
}

/// Tests that a device that times out is not used again.
#[test]
fn a_device_may_be_late_at_any_time() {
    let work = Work::new();
    for until in [0, 4, 9, 1000] {
        let Some(context) = context(&options()) else { return };
        context.trap.set(i64::MAX, until);
        let device = GpuDevice::of(Ok(context.clone()), 0);
        work.compare(&device);
        let (jobs, reasons) = told(&device);
        if jobs == 4 {
            assert!(until > 12 && reasons.is_empty(), "{until}: {reasons:?}");
            continue;
        }
        assert!(reasons.iter().any(|reason| reason.contains("not finished within")), "{until}: {reasons:?}");
        assert!(matches!(context.check(), Err(GpuError::TimedOut { .. })));
    }
}

/// Tests that with any amount of memory either the device does the work, possibly in parts, or the
/// processor does.
#[test]
fn memory_may_be_short() {
    let work = Work::new();
    let mut done = Vec::new();
    for bytes in [1 << 20, 3 << 19, 1 << 22, 1 << 28] {
        let Some(context) = context(&options().with_max_memory_bytes(bytes)) else { return };
        let device = GpuDevice::of(Ok(context.clone()), 0);
        work.compare(&device);
        let (jobs, reasons) = told(&device);
        for reason in &reasons {
            assert!(reason.contains("no memory left"), "{bytes}: {reason}");
        }
        done.push(jobs);
        assert!(context.used_bytes() <= bytes, "{} of {bytes}", context.used_bytes());
        drop(device);
        assert_eq!(context.used_bytes(), 0, "memory is not given back");
    }
    assert!(done.is_sorted(), "{done:?}");
    assert!(done[0] < 4 && done[done.len() - 1] == 4, "{done:?}");
}

/// Tests that a grid is filled in parts if memory is short.
#[test]
fn short_memory_makes_more_parts() {
    let Some(roomy) = context(&options()) else { return };
    let small = GpuContext::new(&options().with_max_memory_bytes(3 << 20)).unwrap();
    let soup = Scene::CityBlock.build(&Default::default());
    let config = VoxelConfig::default().with_scale(GridScale::new(0.2, 0.2));
    let [(whole, once), (parts, times)] = [roomy, small].map(|context| {
        let rasterizer = crate::GpuRasterizer::new(&context).unwrap();
        rasterizer.run(&RasterJob::of_soup(&soup, &config, &mut ()).unwrap()).unwrap()
    });
    assert!(whole == parts);
    assert!(once.parts == 1 && times.parts > 1, "{} and {} parts", once.parts, times.parts);
}

/// Tests that the processor searches from notches if the device fails.
#[test]
fn notches_survive_a_lost_device() {
    let triangulation = hall();
    let expected = find_portals(&triangulation, None).unwrap();
    for (until_lost, until_late) in [(0, i64::MAX), (1, i64::MAX), (i64::MAX, 0), (i64::MAX, 2)] {
        let Some(context) = context(&options()) else { return };
        let search = GpuNotches::new(&context).unwrap();
        context.trap.set(until_lost, until_late);
        let found = find_portals(&triangulation, Some(&search)).unwrap();
        assert!(found.fixed == expected.fixed && found.triangulation == expected.triangulation);
        assert!(matches!(search.last_error(), Some(GpuError::Lost { .. } | GpuError::TimedOut { .. })));
    }
}

fn hall() -> Triangulation {
    waymesh::triangulate::triangulate_cdt(&waymesh_testkit::plans::hall(1, 300, 8)).unwrap()
}

/// A shader that counts its items.
const COUNTER: &str = "
struct Settings { begin: u32, end: u32 }
@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(64)
fn count(@builtin(global_invocation_id) id: vec3<u32>) {
    let item = settings.begin + id.x;
    if item < settings.end {
        counts[item] += 1u;
    }
}
";

/// Tests that large work is split into dispatches of few steps, which process each item once.
#[test]
fn no_dispatch_takes_more_steps_than_it_may() {
    let Some(context) = context(&options()) else { return };
    let module = Module::new(&context, COUNTER, 8, &[Use::Write], &["count"]).unwrap();
    let items = 300_001_u32;
    let counts = Table::new(&context, "counts", u64::from(items) * 4).unwrap();
    let settings = Table::settings(&context, SETTINGS_BYTES).unwrap();
    for (steps, dispatches) in [(1, 1), (1 << 8, 2), (1 << 10, 5), (1 << 14, 74), (1 << 40, 4688)] {
        let mut times = GpuTimes::default();
        let mut batch = Batch::new(&context, &settings, &mut times);
        batch.clear(&counts);
        batch
            .run(&module, "count", &[&counts], Load::new(items, steps, 0), |begin, end| [begin, end])
            .unwrap();
        batch.read::<u32>(&counts, 0, items.into());
        let reads = batch.submit(Staging::default()).unwrap().wait(&context, &mut times).unwrap();
        let values = reads.values::<u32>(0, &mut times);
        assert!(values.iter().all(|&count| count == 1), "{steps} steps");
        assert_eq!(times.dispatches, dispatches, "{steps} steps");
        // A work group is the smallest unit of work.
        let most = GpuTimes::MOST_STEPS.max(64 * steps);
        assert!(times.longest_dispatch <= most, "{steps} steps: {}", times.longest_dispatch);
    }
}
