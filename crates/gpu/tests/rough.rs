//! The rough voxels of a device are those of the processor, bit for bit.
#![allow(clippy::cast_possible_truncation, clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use std::sync::LazyLock;

use glam::Vec3;
use waymesh_core::{AreaId, GridFrame, GridScale, Random, TriangleSoup};
use waymesh_gpu::{GpuContext, GpuDevice, GpuError, GpuOptions, GpuRough, GpuTimes};
use waymesh_scenes::Scene;
use waymesh_storeys::{RoughDevice, RoughJob, StoreysConfig};
use waymesh_testkit::levels;

fn options() -> GpuOptions {
    GpuOptions::default().with_software(true)
}

fn rough_of(options: &GpuOptions) -> Option<GpuRough> {
    let context = GpuContext::new(options).ok()?;
    Some(GpuRough::new(&context).expect("shaders that the device takes"))
}

/// Returns the stage on any adapter, possibly in software.
fn rough() -> Option<&'static GpuRough> {
    static SHARED: LazyLock<Option<GpuRough>> = LazyLock::new(|| rough_of(&options()));
    if SHARED.is_none() {
        levels::skipped("a graphics adapter, be it in software");
    }
    SHARED.as_ref()
}

fn config(cell: f32, rough_cells: u32) -> StoreysConfig {
    StoreysConfig::default().with_scale(GridScale::new(cell, cell)).with_rough_cells(rough_cells)
}

fn compare_on(rough: &GpuRough, soup: &TriangleSoup, config: &StoreysConfig, what: &str) -> GpuTimes {
    let bounds = soup.bounds();
    let frame = GridFrame::fit(&bounds, &config.scale).unwrap();
    let job = RoughJob::new(soup, &frame, bounds.max.y - bounds.min.y, config).unwrap();
    let (cpu, skipped) = job.run().unwrap();
    let (gpu, skipped_there, times) = rough.run(&job).unwrap();
    assert_eq!(skipped, skipped_there, "{what}");
    if gpu != cpu {
        for z in 0..cpu.depth {
            for x in 0..cpu.width {
                for level in 0..cpu.levels {
                    let bits = |voxels: &waymesh_storeys::RoughVoxels| {
                        (voxels.is_positive(x, z, level), voxels.is_negative(x, z, level))
                    };
                    assert_eq!(bits(&gpu), bits(&cpu), "{what}: column {x}, {z}, level {level}");
                }
            }
        }
        panic!("{what}: words differ, voxels do not");
    }
    times
}

fn compare(soup: &TriangleSoup, config: &StoreysConfig, what: &str) {
    if let Some(rough) = rough() {
        assert_eq!(compare_on(rough, soup, config, what).parts, 1, "{what}");
    }
}

/// Tests needles, huge and degenerate triangles, upright ones on lines, the ends of the range, in a
/// frame that they do not fill.
#[test]
fn hard_triangles() {
    let Some(rough) = rough() else { return };
    let cases: [(&str, [[f32; 3]; 3]); 11] = [
        ("needle", [[0.03, 0.0, 0.02], [11.9, 1.7, 11.7], [0.04, 0.0, 0.02]]),
        ("sliver", [[-50.0, 0.4, 0.3], [50.0, 0.4, 0.3], [50.0, 0.4, 0.300_000_1]]),
        ("upright on a line", [[1.2, 0.0, 0.1], [1.2, 2.0, 0.1], [1.2, 2.0, 9.0]]),
        ("on level lines", [[0.0, 0.45, 0.0], [3.0, 0.45, 0.0], [0.0, 0.45, 3.0]]),
        ("huge", [[-1e6, -1e6, -1e6], [1e6, 1e6, -1e6], [0.0, 1e6, 1e6]]),
        ("huge and flat", [[-3e38, 0.4, -3e38], [0.0, 0.4, 3e38], [3e38, 0.4, -3e38]]),
        ("to the end of the range", [[0.0, 0.0, 0.0], [3e38, 3e38, 0.0], [0.0, 3e38, 1.0]]),
        ("from the end of the range", [[-3e38, -3e38, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 3e38]]),
        ("subnormal", [[0.0, 1e-42, 0.0], [1e-41, 0.0, 3.0], [3.0, 1e-44, 1e-45]]),
        ("point", [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]),
        ("line", [[1.0, 1.0, 1.0], [2.0, 1.5, 2.0], [3.0, 2.0, 3.0]]),
    ];
    for (cell, rough_cells) in [(0.1, 3), (0.3, 2), (0.05, 8)] {
        let config = config(cell, rough_cells);
        let frame =
            GridFrame { origin: Vec3::ZERO, cell_size: cell, level_height: cell, width: 97, depth: 60 };
        for (what, corners) in cases {
            for turn in 0..3 {
                let corners = [0, 1, 2].map(|corner| Vec3::from(corners[(corner + turn) % 3]));
                for corners in [corners, [corners[1], corners[0], corners[2]]] {
                    let soup = TriangleSoup::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
                    let job = RoughJob::new(&soup, &frame, 5.0, &config).unwrap();
                    let (gpu, skipped, _) = rough.run(&job).unwrap();
                    assert!((gpu, skipped) == job.run().unwrap(), "{what} at {cell} m");
                }
            }
        }
    }
}

/// Tests needles, huge and tiny triangles, some on the lines between voxels.
#[test]
fn random_soups_with_areas() {
    let mut random = Random::new(5);
    for round in 0..1000 {
        let scale = if round % 40 == 0 { 30.0 } else { [0.2, 2.0, 5.0][round % 3] };
        let mut corner = || {
            let mut place = || {
                let value = (random.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0) * scale;
                if random.below(4) == 0 { value.round() } else { value }
            };
            Vec3::new(place(), place(), place())
        };
        let positions: Vec<Vec3> = (0..24).map(|_| corner()).collect();
        let triangles: Vec<[u32; 3]> =
            (0..8).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]).collect();
        let areas = (0..8).map(|index| AreaId([1, 0, 7, 1][index % 4])).collect();
        let soup = TriangleSoup::new(positions, triangles).unwrap().with_areas(areas).unwrap();
        compare(&soup, &config(0.1, [0, 2, 7][round / 3 % 3]), &format!("round {round}"));
    }
}

#[test]
fn bands_of_rows_give_the_same() {
    let Some(small) = rough_of(&options().with_max_buffer_bytes(1 << 20)) else { return };
    let soup = Scene::CityBlock.build(&Default::default());
    let times = compare_on(&small, &soup, &config(0.1, 2), "bands");
    assert!(times.parts > 2, "{times:?}");
    // A band is filled while the previous one is read back.
    assert_eq!(times.most_in_flight, 2);
    assert!(times.overlapped_bytes * 2 > times.uploaded_bytes, "{times:?}");
}

#[test]
fn what_does_not_fit_is_refused_and_falls_back() {
    let Some(rough) = rough() else { return };
    // A mast of 100 km.
    let corners = [Vec3::ZERO, Vec3::new(1.0, 1e5, 0.0), Vec3::new(0.0, 0.0, 1.0)];
    let soup = TriangleSoup::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
    let config = config(0.1, 2);
    let frame = GridFrame::fit(&soup.bounds(), &config.scale).unwrap();
    let job = RoughJob::new(&soup, &frame, 1e5, &config).unwrap();
    let error = rough.run(&job).unwrap_err();
    assert!(matches!(error, GpuError::TooLarge { what: "levels", .. }), "{error}");
    let device = GpuDevice::open(&options()).unwrap();
    assert!(device.voxelize_roughly(&job).unwrap() == job.run().unwrap());
    let usage = RoughDevice::usage(&device);
    assert_eq!((usage.total().jobs, usage.on_processor.len()), (0, 1), "{usage:?}");
    assert!(usage.on_processor.keys().all(|reason| reason.starts_with("levels need")), "{usage:?}");
}
