//! Every stage on its own, on one thread: `cargo bench -p waymesh-benches`, or `-- watershed` for
//! one of them.

use std::hint::black_box;

use criterion::{BatchSize, Bencher, BenchmarkId, Criterion, criterion_group, criterion_main};
use glam::Vec3;
use waymesh::contour::{SimplifyConfig, simplify_contours, trace_contours};
use waymesh::convex::{
    GreedyConfig, HertelMehlhornConfig, NotchPortalsConfig, hertel_mehlhorn, merge_greedy, notch_portals,
};
use waymesh::core::{PolygonSet, WalkableField};
use waymesh::detail::{DetailConfig, fit_heights};
use waymesh::front::Stages;
use waymesh::graph::Reach;
use waymesh::region::{
    MonotoneConfig, WatershedConfig, blur, distance_field, partition_monotone, partition_watershed,
};
use waymesh::triangulate::{triangulate_cdt, triangulate_ears};
use waymesh::voxel::{Filters, VoxelConfig, build_filtered_field, erode, rasterize};
use waymesh::{Agent, BakeConfig, Baker, NavMesh, PathOptions, QueryScratch, TriangleSoup, Voxels};
use waymesh_benches::queries::{REACH, pairs};
use waymesh_benches::{PolygonMesh, Scene};

/// A level at RecastDemo's settings, with everything on the way from it to a mesh.
struct Level {
    name: String,
    soup: TriangleSoup,
    stages: Stages,
    /// Before erosion.
    field: WalkableField,
    polygons: PolygonSet,
    mesh: NavMesh,
    pairs: Vec<[Vec3; 2]>,
}

fn config() -> BakeConfig {
    BakeConfig::default().with_threads(1)
}

impl Level {
    fn bake(name: &str) -> Self {
        let Scene { name, soup } = Scene::named(name).unwrap_or_else(|error| panic!("{error}"));
        let pipeline = Baker::new(Voxels, config());
        let stages = pipeline.bake_stages(&soup, &mut ()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mesh = pipeline.bake(&soup).unwrap_or_else(|error| panic!("{name}: {error}"));
        let field =
            build_filtered_field(&stages.heightfield, &Agent::default(), &Filters::default(), &mut ())
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        let polygons = stages.contours.polygons();
        let surface = PolygonMesh {
            vertices: mesh.vertices().to_vec(),
            polygons: mesh
                .polygons()
                .map(|polygon| polygon.corners().iter().map(|corner| corner.0).collect())
                .collect(),
        };
        Self { pairs: pairs(&surface, 1000), name, soup, stages, field, polygons, mesh }
    }
}

/// One group per stage, one benchmark per level.
struct Benches<'a> {
    criterion: &'a mut Criterion,
    levels: Vec<Level>,
}

impl Benches<'_> {
    fn group(&mut self, name: &str, bench: impl Fn(&Level, &mut Bencher<'_>)) {
        let mut group = self.criterion.benchmark_group(name);
        group.sample_size(20);
        for level in &self.levels {
            group.bench_function(BenchmarkId::from_parameter(&level.name), |bencher| bench(level, bencher));
        }
        group.finish();
    }

    /// A stage that reads only.
    fn stage<T>(&mut self, name: &str, run: impl Fn(&Level) -> T) {
        self.group(name, |level, bencher| bencher.iter_with_large_drop(|| run(level)));
    }
}

fn all(criterion: &mut Criterion) {
    let levels = Scene::default_names().into_iter().map(Level::bake).collect();
    let mut benches = Benches { criterion, levels };
    voxels(&mut benches);
    regions(&mut benches);
    polygons(&mut benches);
    benches.stage("whole bake", |level| Baker::new(Voxels, config()).bake(&level.soup));
    queries(&mut benches);
}

fn voxels(benches: &mut Benches<'_>) {
    let voxel = VoxelConfig::for_agent(&Agent::default()).with_threads(1);
    benches.stage("rasterise", |level| rasterize(&level.soup, &voxel, &mut ()));
    benches.stage("filters and field", |level| {
        build_filtered_field(&level.stages.heightfield, &Agent::default(), &Filters::default(), &mut ())
    });
    benches.group("erode", |level, bencher| {
        bencher.iter_batched_ref(
            || level.field.clone(),
            |field| erode(field, Agent::default().radius, &mut ()),
            BatchSize::LargeInput,
        );
    });
}

fn regions(benches: &mut Benches<'_>) {
    benches.stage("distance", |level| blur(&level.stages.field, &distance_field(&level.stages.field)));
    benches.stage("watershed", |level| {
        partition_watershed(&level.stages.field, &WatershedConfig::default(), &mut ())
    });
    benches.stage("monotone", |level| {
        partition_monotone(&level.stages.field, &MonotoneConfig::default(), &mut ())
    });
}

fn polygons(benches: &mut Benches<'_>) {
    benches.stage("trace", |level| trace_contours(&level.stages.field, &level.stages.regions));
    benches.stage("simplify", |level| {
        simplify_contours(&level.stages.raw_contours, &SimplifyConfig::default(), &mut ())
    });
    benches.stage("triangulate, Delaunay", |level| triangulate_cdt(&level.polygons));
    benches.stage("triangulate, ears", |level| triangulate_ears(&level.polygons));
    let greedy = GreedyConfig::default().with_max_vertices(6);
    benches.stage("merge, greedy", |level| merge_greedy(&level.stages.triangulation, &greedy));
    let hertel = HertelMehlhornConfig::default().with_max_vertices(6);
    benches.stage("merge, Hertel-Mehlhorn", |level| hertel_mehlhorn(&level.stages.triangulation, &hertel));
    let portals = NotchPortalsConfig::default().with_max_vertices(6);
    benches.stage("notch portals", |level| notch_portals(&level.stages.triangulation, &portals));
    benches.stage("fit heights", |level| {
        let Stages { field, regions, polygons, .. } = &level.stages;
        fit_heights(field, regions, polygons, &DetailConfig::default(), &mut ())
    });
}

/// A thousand queries each: divide by that.
fn queries(benches: &mut Benches<'_>) {
    let reach = Reach::new(REACH.x, REACH.y, REACH.y);
    benches.group("nearest x 1000", |level, bencher| {
        bencher.iter(|| {
            for &[from, _] in &level.pairs {
                black_box(level.mesh.nearest(from, &reach));
            }
        });
    });
    benches.group("find path x 1000", |level, bencher| {
        let mut scratch = QueryScratch::default();
        bencher.iter(|| {
            for &[from, to] in &level.pairs {
                let _ = black_box(level.mesh.find_path(from, to, &PathOptions::default(), &mut scratch));
            }
        });
    });
}

criterion_group!(benches, all);
criterion_main!(benches);
