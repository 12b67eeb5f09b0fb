//! Every stage on its own, on one thread: `cargo bench -p waymesh-benches --bench stages`, or `--
//! watershed` for one of them.

use criterion::{BatchSize, Bencher, BenchmarkId, Criterion, criterion_group, criterion_main};
use waymesh::contour::{SimplifyConfig, simplify_contours, trace_contours};
use waymesh::convex::{GreedyConfig, MergeOrder, NotchPortalsConfig, merge_greedy, notch_portals};
use waymesh::core::{PolygonSet, WalkableField};
use waymesh::detail::{DetailConfig, fit_heights};
use waymesh::floorplan::{EXAMPLE, PlanFormat, ReadOptions, parse_plan};
use waymesh::front::Stages;
use waymesh::region::{
    MonotoneConfig, SurfacesConfig, WatershedConfig, blur, distance_field, partition_monotone,
    partition_surfaces, partition_watershed,
};
use waymesh::triangulate::{ClearanceConfig, triangulate_cdt, triangulate_clearance, triangulate_ears};
use waymesh::voxel::{Filters, VoxelConfig, build_filtered_field, erode, rasterize};
use waymesh::{Agent, BakeConfig, Baker, NavMesh};
use waymesh_benches::Scene;

/// A level at RecastDemo's settings, with the results of all stages.
struct Level {
    scene: Scene,
    stages: Stages,
    /// Before erosion.
    field: WalkableField,
    polygons: PolygonSet,
    mesh: NavMesh,
}

fn config() -> BakeConfig {
    BakeConfig::default().with_threads(1)
}

impl Level {
    fn bake(scene: Scene) -> Self {
        let baker = Baker::voxels().with_config(config());
        let stages = baker.bake_stages(&scene.soup, &mut ()).unwrap_or_else(|error| panic!("{error}"));
        let mesh = baker.bake(&scene.soup).unwrap_or_else(|error| panic!("{error}"));
        let field =
            build_filtered_field(&stages.heightfield, &Agent::default(), &Filters::default(), &mut ());
        let field = field.unwrap_or_else(|error| panic!("{error}"));
        let polygons = stages.contours.polygons();
        Self { scene, stages, field, polygons, mesh }
    }
}

fn all(criterion: &mut Criterion) {
    let scenes = Scene::usual().unwrap_or_else(|error| panic!("{error:#}"));
    let levels: Vec<Level> = scenes.into_iter().map(Level::bake).collect();
    // One group per stage, one benchmark per level.
    let mut group = |name: &str, bench: &dyn Fn(&Level, &mut Bencher<'_>)| {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(20);
        for level in &levels {
            group.bench_function(BenchmarkId::from_parameter(&level.scene.name), |bencher| {
                bench(level, bencher)
            });
        }
        group.finish();
    };
    macro_rules! stage {
        ($name:literal, |$level:ident| $run:expr) => {
            group($name, &|$level, bencher| bencher.iter_with_large_drop(|| $run));
        };
    }
    let voxel = VoxelConfig::for_agent(&Agent::default()).with_threads(1);
    stage!("rasterise", |level| rasterize(&level.scene.soup, &voxel, &mut ()));
    stage!("filters and field", |level| {
        build_filtered_field(&level.stages.heightfield, &Agent::default(), &Filters::default(), &mut ())
    });
    group("erode", &|level, bencher| {
        bencher.iter_batched_ref(
            || level.field.clone(),
            |field| erode(field, Agent::default().radius, &mut ()),
            BatchSize::LargeInput,
        );
    });
    stage!("surfaces", |level| {
        partition_surfaces(&level.stages.field, &SurfacesConfig::default(), &mut ())
    });
    stage!("distance", |level| blur(&level.stages.field, &distance_field(&level.stages.field)));
    stage!("watershed", |level| {
        partition_watershed(&level.stages.field, &WatershedConfig::default(), &mut ())
    });
    stage!("monotone", |level| {
        partition_monotone(&level.stages.field, &MonotoneConfig::default(), &mut ())
    });
    stage!("trace", |level| trace_contours(&level.stages.field, &level.stages.regions));
    stage!("simplify", |level| {
        simplify_contours(&level.stages.raw_contours, &SimplifyConfig::default(), &mut ())
    });
    stage!("triangulate, Delaunay", |level| triangulate_cdt(&level.polygons));
    stage!("triangulate, ears", |level| triangulate_ears(&level.polygons));
    stage!("triangulate, clearance", |level| {
        triangulate_clearance(&level.stages.triangulation, &ClearanceConfig::default())
    });
    let greedy = GreedyConfig::default().with_max_vertices(6);
    stage!("merge, greedy", |level| merge_greedy(&level.stages.triangulation, &greedy));
    let hertel = greedy.with_order(MergeOrder::Stored);
    stage!("merge, Hertel-Mehlhorn", |level| merge_greedy(&level.stages.triangulation, &hertel));
    let portals = NotchPortalsConfig::default().with_max_vertices(6);
    stage!("notch portals", |level| notch_portals(&level.stages.triangulation, &portals));
    stage!("fit heights", |level| {
        let Stages { field, regions, polygons, .. } = &level.stages;
        fit_heights(field, regions, polygons, &DetailConfig::default(), &mut ())
    });
    stage!("clearance of a mesh", |level| {
        waymesh::with_clearance(level.mesh.clone(), &ClearanceConfig::default())
    });
    stage!("whole bake, voxels", |level| Baker::voxels().with_config(config()).bake(&level.scene.soup));
    stage!("whole bake, slices", |level| Baker::slices().with_config(config()).bake(&level.scene.soup));
    stage!("whole bake, storeys", |level| Baker::storeys().with_config(config()).bake(&level.scene.soup));
    let plan = parse_plan("a plan", EXAMPLE.as_bytes(), PlanFormat::Toml, &ReadOptions::default());
    let plan = plan.unwrap_or_else(|error| panic!("{error}"));
    criterion.bench_function("whole bake, plan", |bencher| {
        bencher.iter_with_large_drop(|| Baker::plans().with_config(config()).bake(&plan));
    });
}

criterion_group!(benches, all);
criterion_main!(benches);
