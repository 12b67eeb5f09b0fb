//! One walk through all queries on a baked mesh.

use glam::Vec3;
use waymesh::core::Random;
use waymesh::graph::{CorridorChange, CorridorOptions, HierarchyConfig, HierarchyUse, SlicedPath};
use waymesh::{
    AnyPolygon, AreaFilter, Baker, Hierarchy, Outcome, Path, PathCorridor, PathOptions, QueryScratch, Reach,
};

#[test]
fn every_query_answers_on_a_baked_mesh() -> Result<(), Box<dyn std::error::Error>> {
    let soup = waymesh_scenes::Scene::DungeonRooms.build(&waymesh_scenes::SceneConfig::default());
    let mesh = Baker::voxels().bake(&soup)?;
    let (mut scratch, mut passed) = (QueryScratch::default(), Vec::new());

    // Two places by chance on the largest island.
    let mut random = Random::new(1);
    let sampler = mesh.query().sampler();
    let from = sampler.sample(&mesh, &mut random)?.ok_or("no ground")?;
    let to = mesh.query().memory(&mut scratch).random_around(from, 30.0, &mut random)?;
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
    let path = mesh.query().memory(&mut scratch).path(a, b)?;
    let shortest = mesh.query().shortest().memory(&mut scratch).path(a, b)?;
    assert!(path.outcome == Outcome::Complete && shortest.length <= path.length + 1e-3);
    let mut sliced = SlicedPath::new(PathOptions::default());
    sliced.begin(&mesh, a, b)?;
    while sliced.advance(&mesh, 50)?.is_none() {}
    assert_eq!(*sliced.path(), path);
    let mut many = Vec::new();
    mesh.query().memory(&mut scratch).paths_into(&[[a, b], [b, a]], &mut many);
    assert_eq!(many[0].as_ref(), Ok(&path));
    let filtered = PathOptions::default().with_filter(AreaFilter::default());
    assert_eq!(mesh.query().options(filtered).memory(&mut scratch).path(a, b)?, path);

    // Through a hierarchy, which large meshes gain by.
    let config = HierarchyConfig::default().with_min_polygons(0).with_cluster_polygons(8);
    let hierarchy = Hierarchy::new(&mesh, &config)?;
    let options = PathOptions::default().with_search(&hierarchy);
    let by_clusters = mesh.query().options(options).memory(&mut scratch).path(a, b)?;
    assert!(matches!(scratch.hierarchy_use(), Some(HierarchyUse::Clusters | HierarchyUse::Near)));
    assert!(by_clusters.length >= shortest.length - 1e-3);

    // Corners away from walls; a corridor that follows its agent.
    let mut wide = Path::default();
    mesh.query().offset_corners(&path, 0.3, &mut wide)?;
    assert_eq!(wide.points.len(), path.points.len());
    let mut corridor = PathCorridor::new(CorridorOptions::default());
    corridor.plan(&mesh, a, b, &mut scratch)?;
    let step = a + (corridor.next_corners(1)[0] - a).clamp_length_max(0.1);
    assert_eq!(corridor.move_start(&mesh, step, &mut scratch)?, CorridorChange::Kept);
    corridor.optimise_topology(&mesh, 10.0, &mut scratch)?;

    // Straight ahead, sliding, walls, what is within reach, one goal for many.
    let ray = mesh.query().ray(from, b)?;
    assert_eq!(ray.hit.is_none(), mesh.query().sees(from, to)?);
    let end = mesh.query().memory(&mut scratch).walk(from, a + Vec3::X)?;
    assert!(end.position.distance(a) < 1.5);
    let wall = mesh.query().memory(&mut scratch).wall(from, 100.0)?.ok_or("no wall")?;
    let mut walls = Vec::new();
    mesh.query().memory(&mut scratch).walls(from, wall.distance + 0.1, &mut walls)?;
    assert!(!walls.is_empty());
    let mut reached = Vec::new();
    mesh.query().memory(&mut scratch).polygons_within(from, 20.0, &mut reached)?;
    assert_eq!(reached[0].0, from.polygon);
    let map = mesh.query().memory(&mut scratch).distance_map(to, f32::INFINITY)?;
    assert!(map.heading(&mesh, &from)?.is_some());
    Ok(())
}
