//! Queries allocate nothing once their scratch has grown: every allocation of this thread is
//! counted.
#![expect(clippy::unwrap_used, reason = "a test")]

use glam::Vec3;
use waymesh_core::{AreaId, GridFrame, PlanPoint, PlanVertex, PolyId, PolyMesh, Random, RegionId, VertexId};
use waymesh_graph::{
    AreaCosts, AreaFilter, CorridorOptions, Hierarchy, HierarchyConfig, Link, LinkEnd, LinkKind, NavMesh,
    Path, PathCorridor, PathOptions, PathSearch, QueryScratch, Reach, RelaxedPolygons, SlicedPath,
};
use waymesh_testkit::allocations::{Counting, allocations, assert_steady};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Rooms of 3 x 3 squares in a grid, walls between them with a door in the middle; every third
/// square is another kind of ground.
fn mesh(rooms: i32) -> NavMesh {
    let side = rooms * 4 + 1;
    let is_open = |x: i32, z: i32| {
        let inside = |v: i32| v % 4 != 0;
        let door = |wall: i32, along: i32| wall % 4 == 0 && along % 4 == 2 && wall > 0 && wall < side - 1;
        (0..side).contains(&x)
            && (0..side).contains(&z)
            && ((inside(x) && inside(z)) || door(x, z) || door(z, x))
    };
    let squares: Vec<(i32, i32)> =
        (0..side).flat_map(|z| (0..side).map(move |x| (x, z))).filter(|&(x, z)| is_open(x, z)).collect();
    let number = |x: i32, z: i32| squares.iter().position(|&at| at == (x, z)).map(PolyId::from_index);
    let vertex = |x: i32, z: i32| VertexId((z * (side + 1) + x).cast_unsigned());
    let mut polygons = PolyMesh {
        frame: GridFrame { origin: Vec3::ZERO, cell_size: 0.5, level_height: 0.25, width: 400, depth: 400 },
        vertices: (0..=side)
            .flat_map(|z| (0..=side).map(move |x| (x, z)))
            .map(|(x, z)| PlanVertex { point: PlanPoint::new(4 * x, 4 * z), height: 0.0 })
            .collect(),
        polygons: Vec::new(),
        corners: Vec::new(),
        neighbours: Vec::new(),
    };
    for (index, &(x, z)) in (0_u32..).zip(&squares) {
        let area = if (x + z) % 3 == 0 { AreaId(2) } else { AreaId::GROUND };
        polygons.polygons.push(waymesh_core::Poly { first: 4 * index, len: 4, region: RegionId(0), area });
        polygons.corners.extend([vertex(x, z), vertex(x + 1, z), vertex(x + 1, z + 1), vertex(x, z + 1)]);
        polygons.neighbours.extend([number(x, z - 1), number(x + 1, z), number(x, z + 1), number(x - 1, z)]);
    }
    // Unused vertices would be refused or useless: keep those that are used.
    let mut kept: Vec<u32> = polygons.corners.iter().map(|corner| corner.0).collect();
    kept.sort_unstable();
    kept.dedup();
    polygons.vertices = kept.iter().map(|&old| polygons.vertices[old as usize]).collect();
    for corner in &mut polygons.corners {
        *corner = VertexId::from_index(kept.binary_search(&corner.0).unwrap());
    }
    NavMesh::try_from(polygons).unwrap()
}

#[test]
#[expect(clippy::too_many_lines, reason = "one query after the other")]
fn queries_allocate_nothing_in_the_steady_state() {
    let plain = mesh(6);
    let end = |polygon: u32| {
        let corner = plain.plan_vertices()[plain.polygon(PolyId(polygon)).unwrap().corners()[0].index()];
        LinkEnd { polygon: PolyId(polygon), ends: [corner; 2] }
    };
    let mut link = Link::new(end(0), end(100), LinkKind::User);
    link.both_ways = false;
    let linked = plain.clone().with_links(vec![link]).unwrap();
    let sampler = plain.query().sampler();
    let mut random = Random::new(1);
    let places: Vec<_> = (0..40).map(|_| sampler.sample(&plain, &mut random).unwrap().unwrap()).collect();
    let pairs = || places.iter().zip(places.iter().skip(1));
    // Without this the test could not fail.
    let before = allocations();
    drop(std::hint::black_box(Vec::<u64>::with_capacity(10)));
    assert!(allocations() > before);

    // One scratch for every query.
    let (mut scratch, mut path) = (QueryScratch::default(), Path::default());
    let mut passed = Vec::new();
    let costs =
        PathOptions::default().with_cost(AreaCosts::default().with(AreaId(2), 2.0)).with_cross_points(true);
    let on_ground =
        PathOptions::default().with_search(PathSearch::Shortest).with_rises(true).with_ground_error(0.01);
    let dry = PathOptions::default().with_filter(AreaFilter::default().without(AreaId(2)));
    for mesh in [&plain, &linked] {
        assert_steady("find_path", || {
            for (a, b) in pairs() {
                let (from, to) = (a.position, b.position);
                mesh.query().memory(&mut scratch).path_into(from, to, &mut path).unwrap();
                mesh.query()
                    .options(costs.clone())
                    .memory(&mut scratch)
                    .path_into(from, to, &mut path)
                    .unwrap();
                let _ = mesh.query().options(dry).memory(&mut scratch).path_into(from, to, &mut path);
            }
        });
        assert_steady("find_shortest_path", || {
            for (a, b) in pairs() {
                let (from, to) = (a.position, b.position);
                mesh.query().shortest().memory(&mut scratch).path_into(from, to, &mut path).unwrap();
                mesh.query().options(on_ground).memory(&mut scratch).path_into(from, to, &mut path).unwrap();
                let _ = mesh
                    .query()
                    .options(dry.with_search(PathSearch::Shortest))
                    .memory(&mut scratch)
                    .path_into(from, to, &mut path);
            }
        });
        let mut wide = Path::default();
        assert_steady("offset_corners", || {
            for (a, b) in pairs() {
                let (from, to) = (a.position, b.position);
                let mut query = mesh.query().memory(&mut scratch);
                query.path_into(from, to, &mut path).unwrap();
                query.offset_corners(&path, 0.3, &mut wide).unwrap();
            }
        });
        let mut sliced = SlicedPath::new(dry.with_search(PathSearch::Shortest));
        assert_steady("a sliced path", || {
            for (a, b) in pairs() {
                if sliced.begin(mesh, a.position, b.position).is_ok() {
                    while sliced.advance(mesh, 5).unwrap().is_none() {}
                }
            }
        });
        let mut corridor = PathCorridor::new(CorridorOptions::default());
        assert_steady("a corridor", || {
            let mut random = Random::new(7);
            corridor.plan(mesh, places[0].position, places[1].position, &mut scratch).unwrap();
            for (index, place) in places.iter().enumerate() {
                for _ in 0..20 {
                    let Some(at) = corridor.start().map(|start| start.position) else { break };
                    let next = corridor.next_corners(1).first().copied().unwrap_or(at);
                    let aside = (random.unit() - 0.5) * 0.2;
                    let to = at + (next - at).clamp_length_max(0.7) + Vec3::new(aside, 0.0, -aside);
                    corridor.move_start(mesh, to, &mut scratch).unwrap();
                }
                corridor.optimise_visibility(mesh, 10.0, &mut scratch).unwrap();
                corridor.optimise_topology(mesh, 10.0, &mut scratch).unwrap();
                corridor.move_goal(mesh, place.position, &mut scratch).unwrap();
                // The mesh changes and changes back: its links do.
                let other = if index % 8 == 0 { &plain } else { mesh };
                corridor.repair(other, &mut scratch).unwrap();
                corridor.repair(mesh, &mut scratch).unwrap();
            }
        });
        let config = HierarchyConfig::default().with_min_polygons(0).with_cluster_polygons(12);
        let hierarchy = Hierarchy::new(mesh, &config).unwrap();
        assert_steady("a hierarchy", || {
            for (a, b) in pairs() {
                let options = PathOptions::default().with_search(&hierarchy);
                let (from, to) = (a.position, b.position);
                mesh.query().options(options).memory(&mut scratch).path_into(from, to, &mut path).unwrap();
            }
        });
        let relaxed = RelaxedPolygons::new(mesh, 1.0).unwrap();
        assert_steady("nearly convex polygons", || {
            for (a, b) in pairs() {
                let options = PathOptions::default().with_search(&relaxed);
                let (from, to) = (a.position, b.position);
                mesh.query().options(options).memory(&mut scratch).path_into(from, to, &mut path).unwrap();
            }
        });
        let (mut walls, mut within) = (Vec::new(), Vec::new());
        let filter = AreaFilter::default();
        let links = mesh.links().len();
        // Places know their polygons, not their links.
        assert!(places.iter().all(|place| place.generation == mesh.generation()) && links < 2);
        assert_steady("nearest and what is around", || {
            for place in &places {
                let near = place.position + Vec3::new(0.3, 0.1, 0.2);
                assert!(mesh.nearest(near, &Reach::new(1.0, 1.0, 1.0)).is_some());
                let _ = mesh.ground_under(near, 0.5, 1.0, &filter);
                mesh.polygons_in_box(near - Vec3::ONE, near + Vec3::ONE, &filter, &mut passed);
                mesh.polygons_in_circle(near, &Reach::new(2.0, 1.0, 1.0), &filter, &mut passed);
            }
        });
        assert_steady("raycast, sight and moves", || {
            for (a, b) in pairs() {
                let mut query = mesh.query().filter(&filter).memory(&mut scratch);
                query.ray(a, b.position).unwrap();
                query.sees(a, b).unwrap();
                let step = (b.position - a.position).clamp_length_max(2.0);
                query.walk(a, a.position + step).unwrap();
            }
        });
        assert_steady("walls, places by chance and reach", || {
            let mut random = Random::new(3);
            for place in &places {
                mesh.query().filter(&filter).memory(&mut scratch).wall(place, 5.0).unwrap();
                mesh.query().filter(&filter).memory(&mut scratch).walls(place, 3.0, &mut walls).unwrap();
                mesh.query()
                    .filter(&filter)
                    .memory(&mut scratch)
                    .random_around(place, 3.0, &mut random)
                    .unwrap();
                sampler.sample(&plain, &mut random).unwrap();
                mesh.query()
                    .filter(&filter)
                    .memory(&mut scratch)
                    .polygons_within(place, 12.0, &mut within)
                    .unwrap();
            }
        });
    }
}
