//! Queries on Recast's levels: `cargo bench -p waymesh-benches --bench queries`, or `-- discs` for
//! a group. Each bench runs all pairs of a level: divide by [`PAIRS`].

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use glam::Vec3;
use waymesh::core::Random;
use waymesh::graph::{
    ClearPathOptions, ClearanceNavMesh, CorridorOptions, Hierarchy, HierarchyConfig, PathCorridor,
    QueryError, Reach,
};
use waymesh::{Agent, BakeConfig, Baker, NavMesh, Outcome, Path, PathOptions, PathSearch, QueryScratch};
use waymesh_benches::Scene;

/// Pairs of places on a level that a path connects.
const PAIRS: usize = 300;

/// Radius of the discs, in metres.
const RADIUS: f32 = 0.6;

fn bake(scene: &Scene, radius: f32) -> NavMesh {
    let agent = Agent::default().with_radius(radius);
    let config = BakeConfig::default().with_scale(0.3, 0.2).with_agent(agent);
    Baker::voxels().with_config(config).bake(&scene.soup).unwrap_or_else(|error| panic!("{error}"))
}

/// Random places on a mesh, in pairs for which `is_connected` holds.
fn pairs(mesh: &NavMesh, mut is_connected: impl FnMut([Vec3; 2]) -> bool) -> Vec<[Vec3; 2]> {
    let (sampler, mut random) = (mesh.query().sampler(), Random::new(7));
    let mut place = || Some(sampler.sample(mesh, &mut random).ok()??.position);
    let all = (0..20 * PAIRS).filter_map(|_| Some([place()?, place()?]));
    all.filter(|&ends| is_connected(ends)).take(PAIRS).collect()
}

/// Random places between which no path leads that is wide enough, in pairs.
fn partial_pairs(discs: &ClearanceNavMesh, radius: f32, scratch: &mut QueryScratch) -> Vec<[Vec3; 2]> {
    let mut query = discs.query(radius).memory(scratch);
    pairs(discs.mesh(), |[from, to]| matches!(query.path(from, to), Err(QueryError::Unreachable { .. })))
}

fn bench(criterion: &mut Criterion) {
    let (mut scratch, mut path) = (QueryScratch::default(), Path::default());
    let scenes = Scene::usual().unwrap_or_else(|error| panic!("{error:#}"));
    for scene in scenes {
        let mesh = bake(&scene, RADIUS);
        let plain = PathOptions::default().with_allow_partial(false);
        let disc = ClearPathOptions::new(RADIUS).with_allow_partial(false);
        let discs = waymesh::with_clearance(bake(&scene, 0.0), &Default::default());
        let discs = discs.unwrap_or_else(|error| panic!("{error}"));
        let pairs = pairs(&mesh, |[from, to]| {
            let path = mesh.query().options(plain).memory(&mut scratch).path(from, to);
            let disc = discs.query(RADIUS).options(disc).memory(&mut scratch).path(from, to);
            let is_complete = |path: &Path| path.outcome == Outcome::Complete;
            [path, disc].iter().all(|path| path.as_ref().is_ok_and(is_complete))
        });
        let hierarchy = Hierarchy::new(&mesh, &HierarchyConfig::default().with_min_polygons(0));
        let hierarchy = hierarchy.unwrap_or_else(|error| panic!("{error}"));
        let mut group = criterion.benchmark_group(&scene.name);
        group.sample_size(20);
        let reach = Reach::new(2.0, 4.0, 4.0);
        group.bench_function("nearest", |bencher| {
            bencher.iter(|| pairs.iter().filter(|pair| mesh.nearest(pair[0], &reach).is_some()).count());
        });
        macro_rules! paths {
            ($name:literal, $options:expr) => {
                let options = $options;
                group.bench_function($name, |bencher| {
                    bencher.iter(|| {
                        for &[from, to] in &pairs {
                            let _ = black_box(
                                mesh.query()
                                    .options(options)
                                    .memory(&mut scratch)
                                    .path_into(from, to, &mut path),
                            );
                        }
                    });
                });
            };
        }
        paths!("find path", plain);
        paths!("shortest path", plain.with_search(PathSearch::Shortest));
        paths!("path by hierarchy", plain.with_search(&hierarchy));
        let mut wide = Path::default();
        // Goals that no path leads to: for a disc those behind gaps that are too narrow as well.
        let apart = partial_pairs(&discs, RADIUS, &mut scratch);
        let fast = disc.with_search(PathSearch::Fast);
        for (name, options, pairs) in [
            ("fast", fast, &pairs),
            ("shortest", disc.with_search(PathSearch::Shortest), &pairs),
            ("partial", fast.with_allow_partial(true), &apart),
        ] {
            group.bench_function(BenchmarkId::new("discs", name), |bencher| {
                bencher.iter(|| {
                    let mut query = discs.query(RADIUS).options(options).memory(&mut scratch);
                    for &[from, to] in pairs {
                        let _ = black_box(query.path_into(from, to, &mut wide));
                    }
                });
            });
        }
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.unwrap_or_else(|error| panic!("{error}"));
            let mut paths = Vec::new();
            group.bench_function(BenchmarkId::new("batch, threads", threads), |bencher| {
                bencher.iter(|| {
                    pool.install(|| {
                        mesh.query().options(plain).memory(&mut scratch).paths_into(&pairs, &mut paths)
                    })
                });
            });
        }
        corridor(&mut group, &mesh, &pairs);
        group.finish();
    }
}

/// Agents on their way along corridors: a move of 0.2 m of either end.
fn corridor(group: &mut BenchmarkGroup<'_, WallTime>, mesh: &NavMesh, pairs: &[[Vec3; 2]]) {
    let mut scratch = QueryScratch::default();
    let mut plan = |[from, to]: [Vec3; 2]| {
        let mut corridor = PathCorridor::new(CorridorOptions::default());
        corridor.plan(mesh, from, to, &mut scratch).ok().map(|_| corridor)
    };
    let mut corridors: Vec<PathCorridor> = pairs.iter().filter_map(|&ends| plan(ends)).collect();
    for (name, at) in [("start", 0), ("goal", 1)] {
        group.bench_function(BenchmarkId::new("corridors, move of the", name), |bencher| {
            bencher.iter(|| {
                for corridor in &mut corridors {
                    let points = &corridor.path().points;
                    let [.., before, last] = points[..] else { continue };
                    let (end, next) = if at == 0 { (points[0], points[1]) } else { (last, before) };
                    let to = end + (next - end).clamp_length_max(0.2);
                    let _ = black_box(if at == 0 {
                        corridor.move_start(mesh, to, &mut scratch)
                    } else {
                        corridor.move_goal(mesh, to, &mut scratch)
                    });
                }
            });
        });
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
