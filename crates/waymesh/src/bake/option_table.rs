//! Every option with every front end: it changes what comes out, or it is refused by name.

use glam::Vec3;
use waymesh_core::stage::{
    BuildField, Decompose, FitHeights, Partition, SimplifyContours, StageError, TraceContours, Triangulate,
    Voxelize,
};
use waymesh_core::{
    Area, AreaId, Bounds, ContourSet, HeightSurface, Heightfield, Observer, PolyMesh, PolygonSet, RegionMap,
    SkippedTriangles, TriangleSoup, Triangulation, WalkableField, Warning, threads,
};
use waymesh_floorplan::{EXAMPLE, FloorPlan, PlanFormat, ReadOptions, parse_plan};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_storeys::{DepthDevice, DepthJob, Refined, RoughDevice, RoughJob, RoughVoxels};
use waymesh_voxel::{Mark, MarkShape, RasterDevice, RasterJob};

use super::{
    BakeConfig, BakeError, Baker, CornerChoice, DecompositionKind, Enclosed, FrontEnd, Keep, PartitionKind,
    Refused, StageSet,
};
use crate::front::voxels::tiles::{IN_TILES, REFUSED_IN_TILES};
use crate::{FloorPlans, JumpConfig, Slices, Storeys, Voxels};

/// A field of [`BakeConfig`]: settings under which it matters, and another value of it.
struct Row {
    field: &'static str,
    given: fn(&mut BakeConfig),
    set: fn(&mut BakeConfig),
}

const fn row(field: &'static str, set: fn(&mut BakeConfig)) -> Row {
    Row { field, given: |_| {}, set }
}

const TABLE: &[Row] = &[
    row("scale", |config| config.scale.cell_size *= 1.25),
    row("agent", |config| config.agent.height += 1.0),
    row("max_ledge", |config| config.max_ledge = 2.0),
    row("max_edge_error", |config| config.max_edge_error = Some(0.3)),
    Row { field: "max_edge_length", given: simplified, set: |config| config.max_edge_length = 0.7 },
    Row { field: "max_seam_error", given: simplified, set: |config| config.max_seam_error = 0.0 },
    Row {
        field: "corners",
        given: simplified,
        set: |config| {
            config.corners = match config.corners {
                CornerChoice::FewestNotches => CornerChoice::Farthest,
                _ => CornerChoice::FewestNotches,
            };
        },
    },
    row("min_region", |config| config.min_region = 1e6),
    Row {
        field: "merge_region",
        given: |config| config.partition = PartitionKind::Watershed,
        set: |config| config.merge_region = 0.0,
    },
    row("partition", |config| config.partition = PartitionKind::Monotone),
    row("decomposition", |config| config.decomposition = DecompositionKind::HertelMehlhorn),
    row("max_vertices", |config| config.max_vertices = 3),
    row("max_height_error_levels", |config| config.max_height_error_levels = 0.05),
    row("height_detail", |config| config.height_detail = false),
    row("enclosed", |config| config.enclosed = Enclosed::Remove),
    row("keep", |config| config.keep = Keep::ConnectedTo(vec![Vec3::splat(1e4)])),
    row("marks", |config| {
        let everywhere = Bounds { min: Vec3::splat(-1e4), max: Vec3::splat(1e4) };
        config.marks = vec![Mark::new(MarkShape::Box { bounds: everywhere }, AreaId(3))];
    }),
    row("areas", |config| {
        config.areas.insert(AreaId::GROUND, Area::new("grass")).expect("a name");
    }),
    row("height_classes", |config| {
        let classes = [config.agent.height, config.agent.height + 0.6];
        *config = config.clone().with_height_classes(classes);
    }),
    row("jumps", |config| config.jumps = Some(JumpConfig::default())),
    row("threads", |config| config.threads = threads::count() + 1),
    row("max_memory_bytes", |config| config.max_memory_bytes = 1),
    row("validate_stages", |config| config.validate_stages = true),
    row("scale.level_height", |config| config.scale.level_height *= 0.5),
    row("agent.radius", |config| config.agent.radius += 0.2),
];

/// Borders of slices are exact unless they are asked not to be.
fn simplified(config: &mut BakeConfig) {
    if config.max_edge_error == Some(0.0) {
        config.max_edge_error = Some(0.2);
    }
}

/// The outcome of a bake.
#[derive(Debug, Default, PartialEq)]
struct Course {
    /// The most threads that a stage could use.
    threads: usize,
    /// `true` if it took tiles for its memory.
    is_tiled: bool,
}

impl Observer for Course {
    fn stage_started(&mut self, _: &'static str) {
        self.threads = self.threads.max(threads::count());
    }

    fn warn(&mut self, warning: Warning) {
        self.is_tiled |= matches!(warning, Warning::Tiled { .. });
    }
}

/// All that comes out of a bake: the mesh or the error, and how it ran.
fn outcome<F: FrontEnd>(baker: &Baker<F>, input: &F::Input) -> (Result<Vec<u8>, String>, Course) {
    let mut course = Course::default();
    let bake = baker.bake_observed(input, &mut course).map_err(|error| error.to_string());
    let bytes = bake.map(|bake| {
        let mut bytes = Vec::new();
        waymesh_io::write_wmesh(&bake.mesh, &mut bytes).expect("memory takes everything");
        bytes
    });
    (bytes, course)
}

/// Stages that fail, each with an error that proves that it ran.
struct Mine;

macro_rules! mine {
    ($($stage:ident, $method:ident($($input:ty),*) -> $output:ty;)*) => {
        $(impl $stage for Mine {
            fn $method(&self, $(_: &$input,)* _: &mut dyn Observer) -> Result<$output, StageError> {
                Err(StageError::new("mine", concat!("with_", stringify!($method), " ran")))
            }
        })*
    };
}

mine! {
    Voxelize, voxelize(TriangleSoup) -> Heightfield;
    RasterDevice, rasterize(RasterJob) -> Heightfield;
    BuildField, build_field(Heightfield) -> WalkableField;
    Partition, partition(WalkableField) -> RegionMap;
    TraceContours, trace(WalkableField, RegionMap) -> ContourSet;
    SimplifyContours, simplify(ContourSet) -> ContourSet;
    Triangulate, triangulate(PolygonSet) -> Triangulation;
    Decompose, decompose(Triangulation) -> PolyMesh;
    FitHeights, fit_heights(WalkableField, RegionMap, PolyMesh) -> HeightSurface;
}

impl RoughDevice for Mine {
    fn voxelize_roughly(&self, _: &RoughJob<'_>) -> Result<(RoughVoxels, SkippedTriangles), StageError> {
        Err(StageError::new("mine", "with_voxelize_roughly ran"))
    }
}

impl DepthDevice for Mine {
    fn draw_depths(&self, _: &DepthJob<'_>) -> Result<Refined, StageError> {
        Err(StageError::new("mine", "with_draw_depths ran"))
    }
}

/// Makes nothing of everything.
struct Liar;

impl Decompose for Liar {
    fn decompose(&self, triangulation: &Triangulation, _: &mut dyn Observer) -> Result<PolyMesh, StageError> {
        Ok(PolyMesh::empty(triangulation.frame))
    }
}

/// `true` if the error is the refusal of this option; another refusal or a reason that says nothing
/// is a failure.
fn is_refused<F: FrontEnd>(option: &str, lists: &[(&str, Refused)], baker: &Baker<F>) -> bool {
    match baker.check() {
        Ok(()) => false,
        Err(BakeError::OptionNotSupported { option: refused, front_end, reason }) => {
            let is_in = |(_, list): &&(&str, Refused)| list.iter().any(|(own, _)| *own == option);
            let expected = lists.iter().find(is_in).map(|(name, _)| *name);
            assert_eq!((refused, Some(front_end)), (option, expected));
            assert!(reason.len() > 10, "{front_end}, {option}: {reason}");
            true
        }
        Err(error) => panic!("{}, {option}: {error}", F::NAME),
    }
}

fn every_option<F: FrontEnd + Clone>(front: &F, scale: Option<[f32; 2]>, inputs: &[&F::Input]) {
    every_option_but(front, &[(F::NAME, F::REFUSED)], scale, inputs);
}

/// Checks every option. `lists` has the names in errors, each with what is refused by that name.
fn every_option_but<F: FrontEnd + Clone>(
    front: &F,
    lists: &[(&str, Refused)],
    scale: Option<[f32; 2]>,
    inputs: &[&F::Input],
) {
    let mut base = F::defaults();
    if let Some([cell_size, level_height]) = scale {
        base = base.with_scale(cell_size, level_height);
    }
    for Row { field, given, set } in TABLE {
        let mut config = base.clone();
        set(&mut config);
        if is_refused(field, lists, &Baker::new(front.clone(), config)) {
            continue;
        }
        let is_seen = inputs.iter().any(|input| {
            let bake = |set: &dyn Fn(&mut BakeConfig)| {
                let mut config = base.clone();
                given(&mut config);
                set(&mut config);
                let baker = Baker::new(front.clone(), config);
                if *field == "validate_stages" {
                    outcome(&baker.with_decompose(Liar), input)
                } else {
                    outcome(&baker, input)
                }
            };
            bake(&|_| {}) != bake(set)
        });
        assert!(is_seen, "{}: {field} is read by nobody", F::NAME);
    }
    for (method, _) in StageSet::default().replaced() {
        let baker = Baker::new(front.clone(), base.clone());
        let baker = match method {
            "with_voxelize" => baker.with_voxelize(Mine),
            "with_raster_device" => baker.with_raster_device(Mine),
            "with_rough_device" => baker.with_rough_device(Mine),
            "with_depth_device" => baker.with_depth_device(Mine),
            "with_build_field" => baker.with_build_field(Mine),
            "with_partition" => baker.with_partition(Mine),
            "with_trace" => baker.with_trace(Mine),
            "with_simplify" => baker.with_simplify(Mine),
            "with_triangulate" => baker.with_triangulate(Mine),
            "with_decompose" => baker.with_decompose(Mine),
            "with_fit_heights" => baker.with_fit_heights(Mine),
            other => panic!("{other} is not in this table"),
        };
        if !is_refused(method, lists, &baker) {
            let (bake, _) = outcome(&baker, inputs[0]);
            // A device has the name of what it does.
            let method = match method {
                "with_raster_device" => "with_rasterize",
                "with_rough_device" => "with_voxelize_roughly",
                "with_depth_device" => "with_draw_depths",
                method => method,
            };
            assert_eq!(bake, Err(format!("mine: {method} ran")), "{}", F::NAME);
        }
    }
    let options = base.differences(&base).into_iter().chain(StageSet::default().replaced());
    let options: Vec<&str> = options.map(|(option, _)| option).collect();
    for (name, (option, _)) in lists.iter().flat_map(|(name, list)| list.iter().map(move |own| (name, own))) {
        assert!(options.contains(option), "{name} refuses {option}, which there is not");
    }
}

/// A ledge to climb and jump, with ground in a hollow body next to it; storeys over each other; and
/// ground that lies over itself.
fn scenes() -> [TriangleSoup; 3] {
    let mut scenes = [Scene::Terraces, Scene::OverlappingStoreys, Scene::SpiralStairs]
        .map(|scene| scene.build(&SceneConfig::default()));
    let first = scenes[0].bounds().max.x + 2.0;
    for [low, high] in [[[0.0, -1.0, 0.0], [6.0, 0.0, 6.0]], [[1.0, -0.5, 1.0], [5.0, 3.0, 5.0]]] {
        let corner = |bits: usize| {
            let [x, y, z] =
                std::array::from_fn(|axis| if bits >> axis & 1 == 0 { low[axis] } else { high[axis] });
            Vec3::new(first + x, y, z)
        };
        let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = sides.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        scenes[0].append((0..8).map(corner).collect(), triangles).expect("a box");
    }
    scenes
}

const SCALE: Option<[f32; 2]> = Some([0.4, 0.1]);

#[test]
fn every_field_is_in_the_table() {
    let config = BakeConfig::default();
    let fields: Vec<&str> = config.differences(&config).into_iter().map(|(field, _)| field).collect();
    assert_eq!(TABLE.iter().map(|row| row.field).collect::<Vec<_>>(), fields);
    for Row { field, set, .. } in TABLE {
        let mut other = config.clone();
        set(&mut other);
        assert!(other.differences(&config).contains(&(field, true)), "{field}");
    }
}

#[test]
fn every_option_of_voxels() {
    let [a, b, c] = &scenes();
    every_option(&Voxels::default(), SCALE, &[a, b, c]);
}

#[test]
fn every_option_of_tiles() {
    let [a, b, c] = &scenes();
    // With little memory triangles are spilled, which this folder does not allow.
    let tiles = Voxels::default().with_tile_cells(256).with_spill_folder("/no/such/folder");
    let lists = [(Voxels::NAME, Voxels::REFUSED), (IN_TILES, REFUSED_IN_TILES)];
    every_option_but(&tiles, &lists, SCALE, &[a, b, c]);
}

#[test]
fn every_option_of_storeys() {
    let [a, b, c] = &scenes();
    every_option(&Storeys::default(), SCALE, &[a, b, c]);
}

#[test]
fn every_option_of_slices() {
    let [a, b, c] = &scenes();
    every_option(&Slices::default(), SCALE, &[a, b, c]);
}

#[test]
fn every_option_of_floor_plans() {
    let read = |text: &str| {
        parse_plan("a plan", text.as_bytes(), PlanFormat::Toml, &ReadOptions::default()).expect("a plan")
    };
    let plan: FloorPlan = read(EXAMPLE);
    every_option(&FloorPlans::default(), None, &[&plan]);
}
