//! One walk through all queries on a baked mesh.

use glam::Vec3;
use waymesh::core::Random;
use waymesh::graph::{
    CorridorChange, CorridorOptions, HierarchyConfig, HierarchyUse, PlaceSampler, SlicedPath,
};
use waymesh::{
    AnyPolygon, AreaFilter, Baker, Hierarchy, Outcome, Path, PathCorridor, PathOptions, PathSearch,
    QueryScratch, Reach,
};

#[test]
fn every_query_answers_on_a_baked_mesh() -> Result<(), Box<dyn std::error::Error>> {
    let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
    let mesh = Baker::voxels().bake(&soup)?;
    let (mut scratch, mut passed) = (QueryScratch::default(), Vec::new());

    // Two places by chance on the largest island.
    let mut random = Random::new(1);
    let sampler = PlaceSampler::new(&mesh, &AnyPolygon);
    let from = sampler.sample(&mesh, &mut random)?.ok_or("no ground")?;
    let to = mesh.random_place_around(&from, 30.0, &AnyPolygon, &mut random, &mut scratch)?;
    assert!(mesh.same_island(from.polygon, to.polygon));

    // The place of a position, the ground straight below, the surroundings.
    let place = mesh.nearest(from.position, &Reach::new(0.5, 1.0, 1.0)).ok_or("nothing near")?;
    assert_eq!(
        mesh.ground_under(from.position, 0.5, 1.0, &AnyPolygon).map(|at| at.polygon),
        Some(place.polygon)
    );
    mesh.polygons_in_box(from.position - Vec3::ONE, from.position + Vec3::ONE, &AnyPolygon, &mut passed);
    assert!(passed.contains(&place.polygon));
    mesh.polygons_in_circle(from.position, &Reach::new(1.0, 1.0, 1.0), &AnyPolygon, &mut passed);
    assert!(passed.contains(&place.polygon));

    // A path, the shortest, one in slices, many at once, one with filter.
    let [a, b] = [from.position, to.position];
    let path = mesh.find_path(a, b, &PathOptions::default(), &mut scratch)?;
    let shortest =
        mesh.find_path(a, b, &PathOptions::default().with_search(PathSearch::Shortest), &mut scratch)?;
    assert!(path.outcome == Outcome::Complete && shortest.length <= path.length + 1e-3);
    let mut sliced = SlicedPath::new(PathOptions::default());
    sliced.begin(&mesh, a, b)?;
    while sliced.advance(&mesh, 50)?.is_none() {}
    assert_eq!(*sliced.path(), path);
    let mut many = Vec::new();
    mesh.find_paths(&[[a, b], [b, a]], &PathOptions::default(), &mut scratch, &mut many);
    assert_eq!(many[0].as_ref(), Ok(&path));
    let filtered = PathOptions::default().with_filter(AreaFilter::default());
    assert_eq!(mesh.find_path(a, b, &filtered, &mut scratch)?, path);

    // Through a hierarchy, which large meshes gain by.
    let config = HierarchyConfig::default().with_min_polygons(0).with_cluster_polygons(8);
    let hierarchy = Hierarchy::new(&mesh, &config)?;
    let options = PathOptions::default().with_search(&hierarchy);
    let by_clusters = mesh.find_path(a, b, &options, &mut scratch)?;
    assert!(matches!(scratch.hierarchy_use(), Some(HierarchyUse::Clusters | HierarchyUse::Near)));
    assert!(by_clusters.length >= shortest.length - 1e-3);

    // Corners away from walls; a corridor that follows its agent.
    let mut wide = Path::default();
    mesh.offset_corners(&path, 0.3, &AnyPolygon, &mut passed, &mut wide)?;
    assert_eq!(wide.points.len(), path.points.len());
    let mut corridor = PathCorridor::new(CorridorOptions::default());
    corridor.plan(&mesh, a, b, &mut scratch)?;
    let step = a + (corridor.next_corners(1)[0] - a).clamp_length_max(0.1);
    assert_eq!(corridor.move_start(&mesh, step, &mut scratch)?, CorridorChange::Kept);
    corridor.optimise_topology(&mesh, 10.0, &mut scratch)?;

    // Straight ahead, sliding, walls, what is within reach, one goal for many.
    let ray = mesh.raycast(&from, b, &AnyPolygon, &mut passed)?;
    assert_eq!(ray.hit.is_none(), mesh.line_of_sight(&from, &to, &AnyPolygon, &mut passed)?);
    let end = mesh.move_along(&from, a + Vec3::X, &AnyPolygon, &mut scratch)?;
    assert!(end.position.distance(a) < 1.5);
    let wall = mesh.nearest_wall(&from, 100.0, &AnyPolygon, &mut scratch)?.ok_or("no wall")?;
    let mut walls = Vec::new();
    mesh.walls_within(&from, wall.distance + 0.1, &AnyPolygon, &mut scratch, &mut walls)?;
    assert!(!walls.is_empty());
    let mut reached = Vec::new();
    mesh.polygons_within(&from, 20.0, &AnyPolygon, &mut scratch, &mut reached)?;
    assert_eq!(reached[0].0, from.polygon);
    let map = mesh.distance_map(&to, f32::INFINITY, &AnyPolygon, &mut scratch)?;
    assert!(map.heading(&mesh, &from)?.is_some());
    Ok(())
}
