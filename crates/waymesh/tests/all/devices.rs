//! Bakes on another device: what it keeps to itself is missed by nobody, and what it leaves out is
//! done here.
#![cfg(feature = "storeys")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use waymesh::core::stage::StageError;
use waymesh::core::{DeviceUsage, DeviceWork, Heightfield};
use waymesh::voxel::{BuiltField, FieldJob, Mark, MarkShape, RasterDevice, RasterJob};
use waymesh::{AreaId, Bake, BakeConfig, Baker, Bounds, Observer, TriangleSoup};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_storeys::{DepthDevice, DepthJob, Refined, RoughDevice, RoughJob, RoughVoxels};
use waymesh_testkit::Recording;

/// A device that is this processor, and counts its jobs.
#[derive(Clone, Default)]
struct Here {
    voxels: Arc<AtomicU64>,
    fields: Arc<AtomicU64>,
    /// Leaves every other field to the processor.
    is_lazy: bool,
}

impl Here {
    fn failed(error: waymesh::voxel::VoxelError) -> StageError {
        StageError::new("voxelize", error)
    }
}

impl RasterDevice for Here {
    fn rasterize(&self, job: &RasterJob, observer: &mut dyn Observer) -> Result<Heightfield, StageError> {
        self.voxels.fetch_add(1, Ordering::Relaxed);
        job.run(observer).map_err(Self::failed)
    }

    fn build_field(&self, job: &FieldJob<'_>) -> Result<Option<BuiltField>, StageError> {
        if self.fields.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) && self.is_lazy {
            return Ok(None);
        }
        job.run().map(Some).map_err(Self::failed)
    }

    fn usage(&self) -> DeviceUsage {
        let mut usage = DeviceUsage::default();
        usage.device = "here".to_owned();
        let mut work = DeviceWork::default();
        work.jobs = self.voxels.load(Ordering::Relaxed);
        usage.stages.insert("voxels".to_owned(), work);
        usage
    }
}

impl RoughDevice for Here {
    fn voxelize_roughly(
        &self,
        job: &RoughJob<'_>,
    ) -> Result<(RoughVoxels, waymesh::core::SkippedTriangles), StageError> {
        job.run()
    }
}

impl DepthDevice for Here {
    fn draw_depths(&self, job: &DepthJob<'_>) -> Result<Refined, StageError> {
        job.finish(job.tables()).map_err(|error| StageError::new("storeys", error))
    }
}

fn soups() -> [TriangleSoup; 2] {
    let soup = Scene::DungeonRooms.build(&SceneConfig::default());
    let areas = (0..soup.triangles().len()).map(|index| AreaId([1, 1, 7, 0][index % 4])).collect();
    [soup.clone(), soup.with_areas(areas).expect("an area for each")]
}

/// Checks that both meshes and the reports to observers are equal.
fn assert_same((one, recording): (Bake, Recording), (other, other_recording): (Bake, Recording)) {
    assert!(one.mesh.to_packed(false) == other.mesh.to_packed(false), "other bytes");
    assert_eq!(recording.counts, other_recording.counts);
    assert_eq!(recording.warnings, other_recording.warnings);
    assert_eq!(
        (one.report.spans, one.report.walkable_spans),
        (other.report.spans, other.report.walkable_spans)
    );
}

#[test]
fn fields_of_a_device_are_as_good_as_voxels() {
    for soup in soups() {
        let Bounds { min, max } = soup.bounds();
        let bounds = Bounds { min: min.lerp(max, 0.3), max: min.lerp(max, 0.5) };
        let mark = Mark::new(MarkShape::Box { bounds }, AreaId(9));
        let config = BakeConfig::default().with_validate_stages(false).with_marks(vec![mark]);
        for is_lazy in [false, true] {
            let device = Here { is_lazy, ..Here::default() };
            let bake = |on_device: bool| {
                let mut recording = Recording::default();
                let baker = Baker::voxels().with_config(config.clone());
                let baker = if on_device { baker.with_raster_device(device.clone()) } else { baker };
                (baker.bake_observed(&soup, &mut recording).expect("a mesh"), recording)
            };
            assert_same(bake(true), bake(false));
            let bake = |on_device: bool| {
                let mut recording = Recording::default();
                let tiles = waymesh::Voxels::default().with_tile_cells(32);
                let baker = Baker::new(tiles, config.clone());
                let baker = if on_device { baker.with_raster_device(device.clone()) } else { baker };
                (baker.bake_observed(&soup, &mut recording).expect("a mesh"), recording)
            };
            assert_same(bake(true), bake(false));
            let jobs = [&device.fields, &device.voxels].map(|jobs| jobs.load(Ordering::Relaxed));
            assert!(jobs[0] > 10 && (jobs[1] > 0) == is_lazy, "{jobs:?}");
        }
    }
}

/// Settings that need the voxels get them, and the report says why.
#[test]
fn what_needs_voxels_gets_them() {
    let [soup, _] = soups();
    let config = || BakeConfig::default().with_validate_stages(false);
    for (config, reason) in [
        (config().with_max_ledge(1.5), "ledges to climb"),
        (config().with_height_classes(vec![1.8, 2.5]), "head room"),
        (config().with_validate_stages(true), "checked"),
    ] {
        let device = Here::default();
        let baker = Baker::voxels().with_config(config.clone());
        let plain = baker.bake(&soup).expect("a mesh");
        let baker = Baker::voxels().with_config(config).with_raster_device(device.clone());
        let bake = baker.bake_observed(&soup, &mut ()).expect("a mesh");
        assert!(bake.mesh.to_packed(false) == plain.to_packed(false), "{reason}: other bytes");
        assert_eq!((device.fields.load(Ordering::Relaxed), device.voxels.load(Ordering::Relaxed)), (0, 1));
        let report = bake.report.device.expect("a device");
        assert!(report.on_processor.keys().all(|key| key.contains(reason)), "{report:?}");
        assert_eq!((report.on_processor.len(), report.total.jobs, report.device.as_str()), (1, 1, "here"));
    }
}

#[test]
fn depth_maps_of_a_device_are_as_good() {
    for soup in soups() {
        let bake = |baker: Baker<waymesh::Storeys>| {
            let mut recording = Recording::default();
            (baker.bake_observed(&soup, &mut recording).expect("a mesh"), recording)
        };
        let device = Here::default();
        let on_device = Baker::storeys().with_rough_device(device.clone()).with_depth_device(device);
        assert_same(bake(on_device), bake(Baker::storeys()));
    }
}
