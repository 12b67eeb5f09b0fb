//! Worlds that change, and files: `cargo bench -p waymesh-benches --bench worlds`, or `-- open` for
//! a group. Before a world is timed, its tiles, polygons and memory are printed.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use glam::{Vec3, vec3};
use waymesh::floorplan::{FloorPlan, Outline, Shape};
use waymesh::graph::{PackedChecks, Reach};
use waymesh::tile::Tile;
use waymesh::voxel::{MarkShape, Obstacle};
use waymesh::{BakeConfig, BakeError, Baker, Bounds, NavMesh, PlanWorld, TriangleSoup, World};
use waymesh_scenes::{Scene, SceneConfig};

/// Cells of a tile's side.
const TILE_CELLS: u32 = 48;
/// Scales of the cities, and tenths of the rooms along a side of the plans.
const SCALES: [u32; 4] = [1, 2, 4, 8];
/// Side of a room, and of a window of its plan, in metres.
const ROOM: f64 = 8.0;
const PLAN_TILE: f64 = 10.0;

fn city(scale: u32) -> TriangleSoup {
    Scene::CityBlock.build(&SceneConfig::default().with_scale(scale))
}

fn world_of(soup: &TriangleSoup) -> Result<World, BakeError> {
    World::bake(Baker::voxels(), soup, TILE_CELLS)
}

fn bench(criterion: &mut Criterion) {
    updates(criterion).unwrap_or_else(|error| panic!("{error}"));
    plans(criterion).unwrap_or_else(|error| panic!("{error}"));
    streaming(criterion).unwrap_or_else(|error| panic!("{error}"));
    open(criterion);
}

/// An obstacle comes and goes in cities of growing size.
fn updates(criterion: &mut Criterion) -> Result<(), BakeError> {
    let mut group = criterion.benchmark_group("updates of a city");
    group.sample_size(10);
    for scale in SCALES {
        let soup = city(scale);
        group.bench_function(BenchmarkId::new("first", scale), |bencher| {
            bencher.iter_with_large_drop(|| world_of(&soup));
        });
        let (mut world, bounds) = (world_of(&soup)?, soup.bounds());
        let (polygons, memory) = (world.handle().mesh().polygon_count(), world.memory());
        let kib = |bytes: usize| bytes as f64 / 1024.0 / polygons.max(1) as f64;
        let [all, voxels, fields, tiles, mesh] =
            [memory.all(), memory.voxels, memory.fields, memory.polygons, memory.mesh].map(kib);
        eprintln!(
            "scale {scale}: {} tiles, {polygons} polygons; KiB a polygon {all:.2}: voxels {voxels:.2}, fields {fields:.2}, polygons of tiles \
             {tiles:.2}, mesh, twice {mesh:.2}",
            world.tiles().count()
        );
        let half = vec3(1.0, bounds.max.y - bounds.min.y, 1.0);
        let mut round = 0.0;
        group.bench_function(BenchmarkId::new("an obstacle comes and goes", scale), |bencher| {
            bencher.iter(|| {
                round = (round + 0.2_f32).fract();
                let at = bounds.min + (bounds.max - bounds.min) * (round + 0.1);
                let shape = MarkShape::Box { bounds: Bounds { min: at - half, max: at + half + Vec3::Y } };
                let obstacle = world.add_obstacle(Obstacle::solid(shape))?;
                world.update(&mut ())?;
                world.remove_obstacle(obstacle);
                world.update(&mut ())
            });
        });
    }
    group.finish();
    Ok(())
}

/// Rooms in a square, with walls, doors and a pillar in each.
fn rooms(side: u32) -> FloorPlan {
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("ground", 0.0);
    let end = f64::from(side) * ROOM;
    storey.walkable.push(Shape::polygon("floor", vec![[0.0, 0.0], [end, 0.0], [end, end], [0.0, end]]));
    let mut block = |source: &str, centre, size, yaw| {
        storey.blocked.push(Shape::new(source, Outline::rectangle(centre, size, yaw)));
    };
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        let [x, z] = [column, row].map(|place| f64::from(place) * ROOM);
        // A door of 1.2 m, elsewhere in each room.
        let door = 1.5 + f64::from((row * 7 + column * 3) % 5);
        for (from, to) in [(0.0, door), (door + 1.2, ROOM)] {
            let (middle, length) = (f64::midpoint(from, to), to - from);
            block("wall", [x + middle, z], [length, 0.2], 0.0);
            block("wall", [x, z + middle], [0.2, length], 0.0);
        }
        block("pillar", [x + 4.0, z + 4.0], [0.6, 0.6], 0.1 * f64::from(row % 8));
    }
    plan
}

/// A table comes and goes in plans of growing size.
fn plans(criterion: &mut Criterion) -> Result<(), BakeError> {
    let mut group = criterion.benchmark_group("updates of a plan");
    group.sample_size(10);
    for side in SCALES.map(|scale| 10 * scale) {
        let mut world = PlanWorld::new(Baker::plans(), rooms(side), PLAN_TILE)?;
        let polygons = world.update(&mut ())?.polygons;
        eprintln!("{side} x {side} rooms: {} windows, {polygons} polygons", world.tile_count());
        let mut round = 0.0;
        group.bench_function(BenchmarkId::new("a table comes and goes", side * side), |bencher| {
            bencher.iter(|| {
                round = (round + 0.2_f64).fract();
                let at = (f64::from(side) * round).floor() * ROOM + 2.0;
                let table = Shape::new("table", Outline::rectangle([at, at], [1.2, 0.8], 0.4));
                let obstacle = world.add_obstacle("ground", &table)?;
                world.update(&mut ())?;
                world.remove_obstacle(obstacle);
                world.update(&mut ())
            });
        });
    }
    group.finish();
    Ok(())
}

/// A player walks through a city to and fro: a row of tiles enters before it, read from a folder or
/// baked, and one leaves behind it.
fn streaming(criterion: &mut Criterion) -> Result<(), BakeError> {
    let soup = city(6);
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    world_of(&soup)?.write_tiles(folder.path(), &mut ())?;
    let mut group = criterion.benchmark_group("streaming");
    group.sample_size(10);
    for side in [7, 13, 26_u32] {
        type Put<'a> = &'a dyn Fn(&mut World, Tile) -> Result<(), BakeError>;
        let load: Put<'_> = &|world, tile| world.load_tile(tile).map(|_| ());
        let bake: Put<'_> = &|world, tile| world.set_tile(tile, &soup);
        for (name, put) in [("read", load), ("baked", bake)] {
            let mut world = World::open(Baker::voxels(), folder.path())?;
            let tiles = |column: u32| (0..side).map(move |row| Tile { row, column });
            for tile in (0..side).flat_map(tiles) {
                put(&mut world, tile)?;
            }
            let polygons = world.update(&mut ())?.polygons;
            eprintln!("{side} x {side} tiles: {polygons} polygons");
            let mut is_ahead = false;
            group.bench_function(BenchmarkId::new(name, side), |bencher| {
                bencher.iter(|| {
                    let (enters, leaves) = if is_ahead { (0, side) } else { (side, 0) };
                    is_ahead = !is_ahead;
                    tiles(leaves).for_each(|tile| _ = world.remove_tile(tile));
                    tiles(enters).try_for_each(|tile| put(&mut world, tile))?;
                    world.update(&mut ())
                });
            });
        }
    }
    group.finish();
    Ok(())
}

/// Bytes that several meshes lie in.
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// A file in memory.
#[expect(
    unsafe_code,
    reason = "the file is a temporary one of this process, which does not change it any more"
)]
fn map(file: &Path) -> std::io::Result<memmap2::Mmap> {
    let file = std::fs::File::open(file)?;
    // SAFETY: nobody changes or cuts the file while it is mapped: see above.
    unsafe { memmap2::Mmap::map(&file) }
}

/// Opening a mesh: from a `.wmesh`, whose derived tables have to be built, and from a packed file,
/// whose tables are used where they lie.
fn open(criterion: &mut Criterion) {
    let config = BakeConfig::default().with_scale(0.2, 0.1);
    let soup = Scene::RollingTerrain.build(&SceneConfig::default().with_scale(4));
    let mesh = Baker::voxels().with_config(config).bake(&soup).unwrap_or_else(|error| panic!("{error}"));
    let (plain, packed) = (mesh.to_wmesh(), Arc::new(mesh.to_packed(true)));
    let [small, large] = [plain.len(), packed.len()].map(|bytes| bytes as f64 / 1e6);
    eprintln!("{} polygons, .wmesh {small:.2} MB, packed {large:.2} MB", mesh.polygon_count());
    let mut group = criterion.benchmark_group("open");
    for threads in [1, 0] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.unwrap_or_else(|error| panic!("{error}"));
        group.bench_function(BenchmarkId::new(".wmesh, threads", threads), |bencher| {
            pool.install(|| bencher.iter_with_large_drop(|| NavMesh::from_wmesh(&plain)));
        });
        for checks in [PackedChecks::All, PackedChecks::Checksum, PackedChecks::None] {
            let name = format!("packed, {checks:?}, threads");
            group.bench_function(BenchmarkId::new(name, threads), |bencher| {
                let bytes = || Shared(Arc::clone(&packed));
                let open = |bytes| NavMesh::from_packed_shared(bytes, checks);
                pool.install(|| bencher.iter_batched(bytes, open, BatchSize::SmallInput));
            });
        }
    }
    let file = tempfile::NamedTempFile::new().unwrap_or_else(|error| panic!("{error}"));
    std::fs::write(file.path(), &*packed).unwrap_or_else(|error| panic!("{error}"));
    let place = mesh.vertices()[mesh.vertices().len() / 3];
    group.bench_function("mapped, and a nearest point", |bencher| {
        bencher.iter(|| {
            let mesh = map(file.path()).map(|map| NavMesh::from_packed_shared(map, PackedChecks::None));
            if let Ok(Ok(mesh)) = mesh {
                black_box(mesh.nearest(place, &Reach::INFINITE));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
