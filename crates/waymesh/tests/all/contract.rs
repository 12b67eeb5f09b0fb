//! One contract for all front ends: whatever stages are put together, every stage keeps its
//! invariants, and what must not depend on a stage does not.

use waymesh::bake::FrontEnd;
use waymesh::contour::{DouglasPeucker, SimplifyConfig};
use waymesh::convex::{GreedyConfig, GreedyMerge, MergeOrder, NotchPortals};
use waymesh::core::stage::{SimplifyContours, StageError, TraceContours};
use waymesh::core::{ContourSet, RegionMap, TriangleSource, Validate, WalkableField};
use waymesh::region::{Monotone, Surfaces, Watershed};
use waymesh::triangulate::{ConstrainedDelaunay, EarClipping, RefinedDelaunay};
use waymesh::{Agent, BakeConfig, BakeError, Baker, Observer, PartitionKind, Slices, Storeys, Voxels};
use waymesh_scenes::{Scene, SceneConfig};

const SCENES: [Scene; 2] = [Scene::OverlappingStoreys, Scene::SpiralStairs];

/// Kind of the regions.
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

/// The settings of a front end, as far as it does not have its own.
fn config<F: FrontEnd>() -> BakeConfig {
    let defaults = F::defaults();
    let agent = Agent::default().with_max_step(0.4);
    let agent = agent.with_radius(if F::NAME == Slices::NAME { 0.0 } else { 0.3 });
    defaults.with_scale(0.5, 0.1).with_agent(agent).with_validate_stages(true)
}

fn baker<F: FrontEnd>(
    front: F,
    regions: Regions,
    borders: Borders,
    triangles: Triangles,
    polygons: Polygons,
) -> Baker<F> {
    let config = config::<F>();
    let simplify = SimplifyConfig::default()
        .with_max_edge_error(config.edge_error())
        .with_max_seam_error(config.max_seam_error)
        .with_storey_height(config.agent.height);
    let baker = match regions {
        Regions::Configured(kind) => Baker::new(front, config.with_partition(kind)),
        Regions::Plugged(PartitionKind::Watershed) => {
            Baker::new(front, config).with_partition(Watershed::default())
        }
        Regions::Plugged(PartitionKind::Monotone) => {
            Baker::new(front, config).with_partition(Monotone::default())
        }
        Regions::Plugged(_) => Baker::new(front, config).with_partition(Surfaces::default()).with_trace(Walk),
    };
    let baker = match borders {
        Borders::BuiltIn => baker,
        Borders::Plugged => baker.with_simplify(DouglasPeucker { config: simplify }),
        Borders::Exact => baker.with_simplify(KeepAll),
    };
    let baker = match triangles {
        Triangles::Delaunay => baker.with_triangulate(ConstrainedDelaunay::default()),
        Triangles::Ears => baker.with_triangulate(EarClipping::default()),
        Triangles::Refined => baker.with_triangulate(RefinedDelaunay::default()),
    };
    match polygons {
        Polygons::NotchPortals => baker.with_decompose(NotchPortals::default()),
        Polygons::Greedy => baker.with_decompose(GreedyMerge::default()),
        Polygons::HertelMehlhorn => baker
            .with_decompose(GreedyMerge { config: GreedyConfig::default().with_order(MergeOrder::Stored) }),
    }
}

/// The ways of a front end to make regions.
fn regions_of<F: FrontEnd + Clone>(front: &F) -> Vec<Regions> {
    use PartitionKind::{Monotone, Surfaces, Watershed};
    if Baker::new(front.clone(), F::defaults().with_partition(Watershed)).check().is_err() {
        return vec![Regions::Configured(Surfaces)];
    }
    vec![
        Regions::Configured(Surfaces),
        Regions::Configured(Watershed),
        Regions::Configured(Monotone),
        Regions::Plugged(Surfaces),
        Regions::Plugged(Watershed),
        Regions::Plugged(Monotone),
    ]
}

/// Bakes everything with one front end; what must be the same is compared where only later stages
/// differ.
fn check<F: FrontEnd<Input = dyn TriangleSource> + Clone>(front: &F, scene: Scene) {
    let soup = scene.build(&SceneConfig::default());
    let mut areas = Vec::new();
    for regions in regions_of(front) {
        for borders in [Borders::BuiltIn, Borders::Plugged, Borders::Exact] {
            let mut seen: Option<(f64, usize)> = None;
            for triangles in [Triangles::Delaunay, Triangles::Ears, Triangles::Refined] {
                for polygons in [Polygons::NotchPortals, Polygons::Greedy, Polygons::HertelMehlhorn] {
                    if borders == Borders::Exact && matches!(polygons, Polygons::NotchPortals) {
                        // A notch per step of the grid: slow, and nothing that the others do not show.
                        continue;
                    }
                    let name =
                        format!("{scene:?} {} {regions:?} {borders:?} {triangles:?} {polygons:?}", F::NAME);
                    let bake = baker(front.clone(), regions, borders, triangles, polygons)
                        .bake_observed(&soup, &mut ())
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
        assert!((area - first).abs() < 0.05 * first, "{scene:?} {} {name}: {area} m2, not {first}", F::NAME);
    }
}

#[test]
fn voxels_keep_the_contract() {
    SCENES.into_iter().for_each(|scene| check(&Voxels::default(), scene));
}

#[test]
fn tiles_keep_the_contract() {
    let tiles = Voxels::default().with_tile_cells(48);
    SCENES.into_iter().for_each(|scene| check(&tiles, scene));
}

#[test]
fn slices_keep_the_contract() {
    SCENES.into_iter().for_each(|scene| check(&Slices::default(), scene));
}

#[test]
fn storeys_keep_the_contract() {
    SCENES.into_iter().for_each(|scene| check(&Storeys::default(), scene));
}

#[test]
fn stages_that_a_front_end_has_no_place_for_are_told() {
    let soup = Scene::OverlappingStoreys.build(&SceneConfig::default());
    let baker = Baker::storeys().with_voxelize(waymesh::voxel::Voxelizer::default());
    let error = baker.bake(&soup).expect_err("there are no voxels");
    assert!(error.to_string().contains("with_voxelize cannot be used with storeys"), "{error}");
    let tiles = Voxels::default().with_tile_cells(256);
    let baker = Baker::voxels().with_front(tiles).with_partition(Watershed::default());
    assert!(matches!(
        baker.bake(&soup),
        Err(BakeError::OptionNotSupported { option: "with_partition", front_end: "tiles", .. })
    ));
}
