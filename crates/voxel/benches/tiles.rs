//! Measures the cost of tiles against the whole grid, and the cost of packing, on a real level if
//! one is installed.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use glam::Vec3;
use waymesh_core::stage::BuildField;
use waymesh_core::{GridFrame, GridScale, GridWindow, TriangleSoup};
use waymesh_testkit::levels;
use waymesh_voxel::{
    FieldBuilder, PackedField, PackedHeightfield, VoxelConfig, build_window, rasterize, rasterize_window,
};

const TILE: u32 = 256;

/// Returns the vertices and triangles of an OBJ file.
fn read(path: &std::path::Path) -> Option<TriangleSoup> {
    let text = std::fs::read_to_string(path).ok()?;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let numbers: Vec<f32> = words.filter_map(|word| word.parse().ok()).collect();
                positions.push(Vec3::from_slice(numbers.get(..3)?));
            }
            Some("f") => {
                let number = |word: &str| Some(word.split('/').next()?.parse::<u32>().ok()? - 1);
                let corners: Vec<u32> = words.filter_map(number).collect();
                triangles.extend((2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]));
            }
            _ => {}
        }
    }
    TriangleSoup::new(positions, triangles).ok()
}

/// A tile: core, window, and the triangles whose box reaches into the window.
type Tile = (GridWindow, GridWindow, Vec<[Vec3; 3]>);

fn tiles(soup: &TriangleSoup, frame: &GridFrame, halo: u32) -> Vec<Tile> {
    let mut tiles = Vec::new();
    for z in (0..frame.depth).step_by(TILE as usize) {
        for x in (0..frame.width).step_by(TILE as usize) {
            let core = GridWindow::new(x, z, TILE, TILE).intersection(&GridWindow::whole(frame));
            let window = core.grown(halo, frame);
            let reaches = |corners: &[Vec3; 3]| {
                let at = corners.map(|corner| frame.to_grid(corner));
                let meets = |axis: usize, from: u32, end: u32| {
                    let of = |value: u32| f64::from(value);
                    at.iter().any(|p| p[axis] >= of(from) - 1.0)
                        && at.iter().any(|p| p[axis] <= of(end) + 1.0)
                };
                meets(0, window.x, window.end_x()) && meets(2, window.z, window.end_z())
            };
            let triangles = soup.finite_triangles().filter(reaches).collect();
            tiles.push((core, window, triangles));
        }
    }
    tiles
}

fn bench(criterion: &mut Criterion) {
    for name in ["nav_test", "dungeon"] {
        let Some(path) = levels::find(&format!("golden/Meshes/{name}.obj")) else { continue };
        let Some(soup) = read(&path) else { continue };
        let config = VoxelConfig::default().with_scale(GridScale::new(0.1, 0.1));
        let builder = FieldBuilder::default();
        let Ok(whole) = rasterize(&soup, &config, &mut ()) else { continue };
        let frame = whole.frame;
        let tiles = tiles(&soup, &frame, builder.halo_cells(&config.scale));
        let build = |(core, window, triangles): &Tile| {
            let part = rasterize_window(triangles.iter().copied(), &frame, *window, &config, &mut ())?;
            build_window(&part, &frame, *window, *core, &builder, &mut ())
        };
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        group.bench_function("whole", |bencher| {
            bencher.iter(|| {
                let heightfield = rasterize(&soup, &config, &mut ());
                heightfield.map(|heightfield| builder.build_field(black_box(&heightfield), &mut ()))
            });
        });
        group.bench_function("tiles", |bencher| {
            bencher.iter(|| tiles.iter().map(build).collect::<Result<Vec<_>, _>>());
        });
        let Some(Ok(part)) = tiles.get(tiles.len() / 2).map(build) else { continue };
        let (Ok(field), Ok(heightfield)) = (PackedField::pack(&part), PackedHeightfield::pack(&whole)) else {
            continue;
        };
        group.throughput(Throughput::Elements(part.field.len() as u64));
        group.bench_function("pack field", |bencher| bencher.iter(|| PackedField::pack(black_box(&part))));
        group.bench_function("unpack field", |bencher| {
            bencher.iter_batched(|| (), |()| field.unpack(), BatchSize::LargeInput);
        });
        group.throughput(Throughput::Elements(whole.spans.len() as u64));
        group.bench_function("unpack heightfield", |bencher| {
            bencher.iter_batched(|| (), |()| heightfield.unpack(), BatchSize::LargeInput);
        });
        group.finish();
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
