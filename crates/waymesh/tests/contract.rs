//! One contract for all pipelines: whatever stages are put together, every stage keeps its
//! invariants, and what must not depend on a stage does not.

use waymesh::contour::{DouglasPeucker, SimplifyConfig};
use waymesh::convex::{GreedyMerge, HertelMehlhorn, NotchPortals};
use waymesh::region::{Monotone, Surfaces, Watershed};
use waymesh::stage::{SimplifyContours, StageError, TraceContours};
use waymesh::triangulate::{ConstrainedDelaunay, EarClipping, RefinedDelaunay};
use waymesh::{
    Agent, Bake, BakeConfig, BakeError, ContourSet, Observer, PartitionKind, Pipeline, RegionMap,
    SlicesOptions, StoreysOptions, TileConfig, TriangleSoup, Validate, WalkableField,
};
use waymesh_scenes::{Scene, SceneConfig};

const SCENES: [Scene; 2] = [Scene::OverlappingStoreys, Scene::SpiralStairs];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Door {
    Voxels,
    Tiles,
    Slices,
    Storeys,
}

/// How regions are made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Regions {
    Configured(PartitionKind),
    Plugged(PartitionKind),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Borders {
    BuiltIn,
    /// The built-in algorithm, plugged in.
    Plugged,
    /// Every point is kept.
    Exact,
}

#[derive(Clone, Copy, Debug)]
enum Triangles {
    Delaunay,
    Ears,
    Refined,
}

#[derive(Clone, Copy, Debug)]
enum Polygons {
    NotchPortals,
    Greedy,
    HertelMehlhorn,
}

struct KeepAll;

impl SimplifyContours for KeepAll {
    fn simplify(&self, contours: &ContourSet, _: &mut dyn Observer) -> Result<ContourSet, StageError> {
        Ok(contours.clone())
    }
}

/// The built-in tracer as somebody else's.
struct Walk;

impl TraceContours for Walk {
    fn trace(
        &self,
        field: &WalkableField,
        regions: &RegionMap,
        observer: &mut dyn Observer,
    ) -> Result<ContourSet, StageError> {
        waymesh::contour::BorderWalk.trace(field, regions, observer)
    }
}

fn config() -> BakeConfig {
    let agent = Agent::default().with_radius(0.3).with_max_step(0.4);
    BakeConfig::default().with_scale(0.5, 0.1).with_agent(agent).with_validate_stages(true)
}

fn pipeline(regions: Regions, borders: Borders, triangles: Triangles, polygons: Polygons) -> Pipeline {
    let config = config();
    let simplify = SimplifyConfig::default()
        .with_max_edge_error(config.edge_error())
        .with_max_seam_error(config.max_seam_error)
        .with_storey_height(config.agent.height);
    let pipeline = match regions {
        Regions::Configured(kind) => Pipeline::new(config.with_partition(kind)),
        Regions::Plugged(PartitionKind::Watershed) => {
            Pipeline::new(config).with_partition(Watershed::default())
        }
        Regions::Plugged(PartitionKind::Monotone) => {
            Pipeline::new(config).with_partition(Monotone::default())
        }
        Regions::Plugged(_) => Pipeline::new(config).with_partition(Surfaces::default()).with_trace(Walk),
    };
    let pipeline = match borders {
        Borders::BuiltIn => pipeline,
        Borders::Plugged => pipeline.with_simplify(DouglasPeucker { config: simplify }),
        Borders::Exact => pipeline.with_simplify(KeepAll),
    };
    let pipeline = match triangles {
        Triangles::Delaunay => pipeline.with_triangulate(ConstrainedDelaunay::default()),
        Triangles::Ears => pipeline.with_triangulate(EarClipping::default()),
        Triangles::Refined => pipeline.with_triangulate(RefinedDelaunay::default()),
    };
    match polygons {
        Polygons::NotchPortals => pipeline.with_decompose(NotchPortals::default()),
        Polygons::Greedy => pipeline.with_decompose(GreedyMerge::default()),
        Polygons::HertelMehlhorn => pipeline.with_decompose(HertelMehlhorn::default()),
    }
}

fn bake(door: Door, pipeline: &Pipeline, soup: &TriangleSoup) -> Result<Bake, BakeError> {
    match door {
        Door::Voxels => pipeline.bake_observed(soup, &mut ()),
        Door::Tiles => pipeline.bake_tiled(soup, &TileConfig::default().with_tile_cells(48), &mut ()),
        Door::Slices => pipeline.bake_slices(soup, &SlicesOptions::default(), &mut ()),
        Door::Storeys => pipeline.bake_storeys(soup, &StoreysOptions::default(), &mut ()),
    }
}

/// The ways of a door to make regions.
fn regions_of(door: Door) -> Vec<Regions> {
    use PartitionKind::{Monotone, Surfaces, Watershed};
    match door {
        // A region per level; tiles need regions that can be told part by part.
        Door::Slices | Door::Tiles => vec![Regions::Configured(Surfaces)],
        Door::Voxels | Door::Storeys => vec![
            Regions::Configured(Surfaces),
            Regions::Configured(Watershed),
            Regions::Configured(Monotone),
            Regions::Plugged(Surfaces),
            Regions::Plugged(Watershed),
            Regions::Plugged(Monotone),
        ],
    }
}

/// Bakes everything from one door; what must be the same is compared where only later stages
/// differ.
fn check(door: Door, scene: Scene) {
    let soup = scene.build(&SceneConfig::default());
    let mut areas = Vec::new();
    for regions in regions_of(door) {
        for borders in [Borders::BuiltIn, Borders::Plugged, Borders::Exact] {
            let mut seen: Option<(f64, usize)> = None;
            for triangles in [Triangles::Delaunay, Triangles::Ears, Triangles::Refined] {
                for polygons in [Polygons::NotchPortals, Polygons::Greedy, Polygons::HertelMehlhorn] {
                    if borders == Borders::Exact && matches!(polygons, Polygons::NotchPortals) {
                        // A notch per step of the grid: slow, and nothing that the others do not show.
                        continue;
                    }
                    let name =
                        format!("{scene:?} {door:?} {regions:?} {borders:?} {triangles:?} {polygons:?}");
                    let bake = bake(door, &pipeline(regions, borders, triangles, polygons), &soup)
                        .unwrap_or_else(|error| panic!("{name}: {error}"));
                    bake.mesh.validate().unwrap_or_else(|violations| panic!("{name}: {violations}"));
                    let found = (bake.mesh.area(), bake.mesh.islands().len());
                    let known = *seen.get_or_insert(found);
                    assert!((found.0 - known.0).abs() < 1e-6 * known.0, "{name}: {found:?}, not {known:?}");
                    assert_eq!(found.1, known.1, "{name}: islands");
                }
            }
            areas.extend(seen.map(|(area, _)| (area, format!("{regions:?} {borders:?}"))));
        }
    }
    let (first, _) = &areas[0];
    for (area, name) in &areas {
        // Simplification may take and give: borders may stray by 0.65 m here, and stairs are a few metres
        // wide.
        assert!((area - first).abs() < 0.05 * first, "{scene:?} {door:?} {name}: {area} m2, not {first}");
    }
}

#[test]
fn voxels_keep_the_contract() {
    SCENES.into_iter().for_each(|scene| check(Door::Voxels, scene));
}

#[test]
fn tiles_keep_the_contract() {
    SCENES.into_iter().for_each(|scene| check(Door::Tiles, scene));
}

#[test]
fn slices_keep_the_contract() {
    SCENES.into_iter().for_each(|scene| check(Door::Slices, scene));
}

#[test]
fn storeys_keep_the_contract() {
    SCENES.into_iter().for_each(|scene| check(Door::Storeys, scene));
}

#[test]
fn stages_that_a_door_has_no_place_for_are_told() {
    let soup = Scene::OverlappingStoreys.build(&SceneConfig::default());
    let pipeline = Pipeline::new(config()).with_voxelize(waymesh::voxel::Voxelizer::default());
    let error = bake(Door::Storeys, &pipeline, &soup).expect_err("there are no voxels");
    assert!(error.to_string().contains("no part of the pipeline of storeys"), "{error}");
    let pipeline = Pipeline::new(config()).with_partition(Watershed::default());
    assert!(matches!(bake(Door::Tiles, &pipeline, &soup), Err(BakeError::Untiled { .. })));
}
