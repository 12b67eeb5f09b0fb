//! Paths for discs through doors, over steps and treads, compared with shortest paths of points on
//! meshes of every pipeline.

#![allow(clippy::unwrap_used, reason = "test helpers")]

use crate::discs;
use discs::clear;
use discs::plans::{bake, example};
use glam::{DVec2, Vec3, Vec3Swizzles, vec3};
use waymesh::core::Random;
use waymesh::floorplan::{Door, FloorPlan, Outline, PlanFormat, ReadOptions, Shape, parse_plan};
use waymesh::graph::{Link, LinkEnd, LinkId, LinkUse, QueryError};
use waymesh::{
    Agent, BakeConfig, Baker, ClearanceNavMesh, JumpConfig, NavMesh, Outcome, PathOptions, PathSearch,
    QueryScratch, Reach, Storeys, TriangleSoup,
};
use waymesh_scenes::{Scene, SceneConfig};

fn find(mesh: &ClearanceNavMesh, from: Vec3, to: Vec3, radius: f32) -> waymesh::Path {
    QueryError::accept_no_path(mesh.query(radius).shortest().partial().path(from, to)).unwrap()
}

/// Length in plan.
fn plan(points: &[Vec3]) -> f64 {
    let plan = |at: Vec3| -> DVec2 { at.xz().as_dvec2() };
    points.windows(2).map(|pair| plan(pair[0]).distance(plan(pair[1]))).sum()
}

/// A hall of 10 m by 10 m with a wall through its middle and a door of 2 m in it.
fn hall() -> ClearanceNavMesh {
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("a", 0.0);
    let outline = vec![[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]];
    storey.walkable.push(Shape::polygon("hall", outline));
    let wall = Outline::Wall { line: vec![[5.0, -1.0], [5.0, 11.0]], width: 0.2 };
    storey.blocked.push(Shape::new("wall", wall));
    let line = [[5.0, 4.0], [5.0, 6.0]];
    storey.doors.push(Door { name: "door".into(), line, depth: 0.4, cost: 0.0 });
    clear(bake(&plan))
}

/// A row of boxes with these depths along x and heights, 4 m wide.
fn stairs(treads: &[(f32, f32)]) -> TriangleSoup {
    let mut soup = TriangleSoup::default();
    let mut from = 0.0;
    for &(deep, height) in treads {
        let corner = |index: usize| {
            let [x, y, z] = [0, 1, 2].map(|axis| index >> axis & 1 == 1);
            vec3(if x { from + deep } else { from }, if y { height } else { -1.0 }, if z { 4.0 } else { 0.0 })
        };
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        soup.append((0..8).map(corner).collect(), triangles).unwrap();
        from += deep;
    }
    soup
}

fn slices(soup: &TriangleSoup) -> ClearanceNavMesh {
    clear(Baker::slices().bake(soup).unwrap())
}

#[test]
fn discs_pass_doors_that_are_as_wide() {
    let mesh = hall();
    let [from, to] = [vec3(1.0, 0.0, 1.0), vec3(9.0, 0.0, 9.0)];
    for (radius, is_there) in
        [(0.0, true), (0.05, true), (0.1, true), (0.3, true), (0.99, true), (1.01, false)]
    {
        for [from, to] in [[from, to], [to, from]] {
            let path = find(&mesh, from, to, radius);
            assert_eq!(path.outcome == Outcome::Complete, is_there, "{radius}: {:?}", path.outcome);
            if !is_there {
                continue;
            }
            assert!(path.clearance >= radius - 1.1e-3, "{radius}: {}", path.clearance);
            let [taken] = path.links[..] else { panic!("one door, not {:?}", path.links) };
            assert_eq!(taken.link, LinkId(0));
            // It is crossed between the named point and the next.
            let [before, after] = [0, 1].map(|step| path.points[taken.point + step].x - 5.0);
            assert!(before * after <= 0.0 && (before < after) == (from.x < to.x), "{radius}: {path:?}");
        }
    }
    // A disc stands in the middle of the door, and along the wall no nearer than it is wide.
    let moved = |at: Vec3| mesh.query(0.5).nearest(at).unwrap().moved;
    assert!(moved(vec3(5.0, 0.0, 5.0)) < 1e-6);
    assert!(moved(vec3(5.0, 0.0, 4.2)) > 0.29);
}

#[test]
fn the_house_of_the_example_is_one_for_every_disc_that_its_doors_let_through() {
    let mesh = clear(example());
    // From the kitchen to the living room, the bedroom, the hall, and out.
    let kitchen = vec3(1.0, 0.0, 4.5);
    for to in [vec3(9.5, 0.0, 4.5), vec3(3.7, 0.0, 7.5), vec3(7.0, 0.0, 6.5), vec3(4.0, 0.0, 11.0)] {
        for radius in [0.0, 0.05, 0.1, 0.3] {
            let path = find(&mesh, kitchen, to, radius);
            assert_eq!(path.outcome, Outcome::Complete, "to {to}, {radius}");
            assert!(!path.links.is_empty() && path.clearance >= radius - 1.1e-3, "to {to}, {radius}");
        }
        assert_ne!(find(&mesh, kitchen, to, 0.7).outcome, Outcome::Complete, "to {to}");
    }
}

#[test]
fn discs_climb_treads_narrower_than_they_are() {
    let one = slices(&stairs(&[(3.0, 0.0), (3.0, 0.2)]));
    let treads = (1_u8..=10).map(|tread| (0.3, 0.2 * f32::from(tread)));
    let ten: Vec<_> = std::iter::once((3.0, 0.0)).chain(treads).chain([(3.0, 2.2)]).collect();
    let ten = slices(&stairs(&ten));
    for (mesh, to) in [(one, vec3(5.0, 0.2, 1.5)), (ten, vec3(8.0, 2.2, 1.5))] {
        let from = vec3(1.0, 0.0, 3.0);
        assert!(
            mesh.mesh()
                .links()
                .iter()
                .any(|link| (link.from.ends[0].height - link.to.ends[0].height).abs() > 0.1)
        );
        for radius in [0.0, 0.001, 0.05, 0.3, 0.9] {
            for [from, to] in [[from, to], [to, from]] {
                let path = find(&mesh, from, to, radius);
                assert_eq!(path.outcome, Outcome::Complete, "{radius}");
                let straight = f64::from(from.xz().distance(to.xz()));
                assert!(
                    (f64::from(path.plan_length) - straight).abs() < 1e-3 + f64::from(radius),
                    "{radius}"
                );
                let links: Vec<_> = path.links.iter().map(|taken| taken.link).collect();
                assert_eq!(links.len(), mesh.mesh().links().len().min(11), "{radius}: {links:?}");
            }
        }
    }
}

#[test]
fn a_partial_path_ends_where_it_says() {
    let mesh = hall();
    // Too wide for the door: as near as this side lets it come.
    let path = find(&mesh, vec3(1.0, 0.0, 1.0), vec3(9.0, 0.0, 9.0), 1.2);
    let Outcome::Partial { reached } = path.outcome else { panic!("{:?}", path.outcome) };
    assert_eq!(path.points.last(), Some(&reached));
    let chain: f32 = path.points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    assert!((path.length - chain).abs() < 1e-4);
    assert!((f64::from(path.plan_length) - plan(&path.points)).abs() < 1e-2);
    assert!(reached.x < 5.0 && path.clearance >= 1.199, "{reached}");
}

/// The floor below the goal is nearer in plan than the platform before it, which is nearer in 3D.
#[test]
fn a_partial_path_ends_before_the_goal_and_not_below_it() {
    let mut positions = Vec::new();
    // A floor, a ramp, the platform that it leads to, and one that nothing leads to.
    for [x, end, low, high, side] in [
        [-20.0, 14.0, 0.0, 0.0, 3.0],
        [-10.0, 0.0, 0.0, 5.0, 1.0],
        [0.0, 6.0, 5.0, 5.0, 1.0],
        [8.0, 12.0, 10.0, 10.0, 1.0],
    ] {
        positions.extend([[x, low, -side], [x, low, side], [end, high, side], [end, high, -side]]);
    }
    let triangles: Vec<[u32; 3]> = (0..4)
        .flat_map(|quad| [[0, 1, 2], [0, 2, 3]].map(|corners| corners.map(|at| 4 * quad + at)))
        .collect();
    let soup = TriangleSoup::from_slices(&positions, &triangles).unwrap();
    let mesh = clear(voxels(thin().with_scale(0.2, 0.1), &soup));
    for radius in [0.0, 1e-5, 1e-4, 0.01, 0.3] {
        for lower in [0.0, 0.2] {
            let path = mesh.query(radius).partial().path(vec3(1.0, 5.0 - lower, 0.0), vec3(10.0, 10.0, 0.0));
            let Outcome::Partial { reached } = path.unwrap().outcome else { panic!("{radius}") };
            let edge = vec3(6.0 - radius, 5.0, 0.0);
            assert!(reached.distance(edge) < 0.5, "{radius}: {reached}");
        }
    }
}

/// Returns the cost of a path: over the ground in plan, over links in space, unless they are
/// crossed like an edge, and with their extra cost. Links have their own heights, not those of the
/// ground.
fn cost(mesh: &NavMesh, points: &[Vec3], links: &[LinkUse]) -> f64 {
    let mut sum = plan(points);
    for taken in links {
        let link = mesh.link(taken.link).unwrap();
        sum += f64::from(link.extra_cost);
        if mesh.is_crossed_like_edge(taken.link) {
            continue;
        }
        let [from, to] = [0, 1].map(|end| points[taken.point + end]);
        let ends = if taken.backwards { [&link.to, &link.from] } else { [&link.from, &link.to] };
        let height = |end: &LinkEnd, at: Vec3| {
            let [a, b] = end.ends.map(|end| mesh.frame().position(end));
            let along = (b - a).xz();
            a.y + (b.y - a.y) * (at - a).xz().dot(along) / along.length_squared().max(1e-12)
        };
        let rise = f64::from(height(ends[1], to) - height(ends[0], from));
        let flat = plan(&[from, to]);
        sum += flat.hypot(rise) - flat;
    }
    sum
}

/// Returns the allowed excess of a path over links, as links with gates and links between segments
/// are taken at one of nine places.
fn between_places(mesh: &NavMesh, links: &[LinkUse]) -> f64 {
    let gates = links.iter().filter(|taken| {
        let link = mesh.link(taken.link).unwrap();
        !mesh.is_crossed_like_edge(taken.link) || !link.both_ways || link.extra_cost > 0.0
    });
    let cell = f64::from(mesh.frame().cell_size);
    let width = |taken: &LinkUse| {
        let [a, b] = mesh.link(taken.link).unwrap().from.ends.map(|end| end.point);
        (a.distance_squared(b) as f64).sqrt() * cell
    };
    gates.map(|taken| width(taken) / 8.0).sum()
}

/// The mesh as it is, and with every third link closed, at a cost, or one way.
fn agrees_with_changes(name: &str, mesh: &NavMesh, pairs: usize) {
    agrees(name, mesh.clone(), pairs);
    agrees(&format!("{name}, some closed"), changed(mesh, |link| link.is_open = false), pairs);
    agrees(&format!("{name}, some at a cost"), changed(mesh, |link| link.extra_cost = 0.7), pairs);
    agrees(&format!("{name}, some one way"), changed(mesh, |link| link.both_ways = false), pairs);
}

/// The mesh with another link in place of every third one.
fn changed(mesh: &NavMesh, change: fn(&mut Link)) -> NavMesh {
    assert!(mesh.links().len() > 2, "{} links", mesh.links().len());
    let mut links = mesh.links().to_vec();
    links.iter_mut().step_by(3).for_each(change);
    mesh.clone().with_links(links).unwrap()
}

/// Radius 0 is the shortest path of the mesh, between random places.
fn agrees(name: &str, mesh: NavMesh, pairs: usize) {
    assert_eq!(closed_to_discs(name, mesh, pairs), 0, "{name}");
}

/// Checks what [`agrees`] does, and returns how many pairs of places are joined by gaps without
/// width alone: they let points through, but no disc.
fn closed_to_discs(name: &str, mesh: NavMesh, pairs: usize) -> usize {
    let mesh = clear(mesh);
    let (mut scratch, mut clear_scratch) = (QueryScratch::default(), QueryScratch::default());
    let sampler = mesh.mesh().query().sampler();
    let (mut random, known) = (Random::new(11), mesh.mesh().default_reach());
    let [mut joined, mut over_links, mut partial, mut closed] = [0; 4];
    for _ in 0..pairs {
        let [from, to] = [0, 1].map(|_| sampler.sample(mesh.mesh(), &mut random).unwrap().unwrap().position);
        let options = PathOptions::default().with_search(PathSearch::Shortest);
        let exact = mesh.mesh().query().options(options).memory(&mut scratch).path(from, to);
        let exact = QueryError::accept_no_path(exact).unwrap();
        let path = QueryError::accept_no_path(
            mesh.query(0.0).shortest().partial().memory(&mut clear_scratch).path(from, to),
        )
        .unwrap();
        let what = format!("{name}, {from} to {to}");
        assert_ne!(path.outcome, Outcome::Undecided, "{what}");
        let chain: f32 = path.points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        assert!((path.length - chain).abs() <= 1e-3 + 1e-5 * chain, "{what}");
        if let Outcome::Partial { reached } = path.outcome {
            partial += 1;
            assert_eq!(path.points.last(), Some(&reached), "{what}");
            let place = mesh.mesh().nearest(reached, &Reach::new(1e-3, known.up, known.down));
            assert!(place.is_some(), "{what}: {reached} is off the mesh");
        }
        if exact.outcome == Outcome::Unreachable {
            let point = mesh.mesh().query().options(options.with_allow_partial(true)).path(from, to);
            let point = QueryError::accept_no_path(point).unwrap();
            let end = |points: &[Vec3]| points.last().copied().unwrap_or(from).distance(to);
            let [near, own] = [&point, &path].map(|path| end(&path.points));
            assert!(own <= near + 0.05, "{what}: {own} m from the goal, where a point comes to {near}");
        }
        let both = [exact.outcome, path.outcome].map(|outcome| outcome == Outcome::Complete);
        assert!(both[0] || !both[1], "{what}");
        closed += usize::from(both[0] && !both[1]);
        if !both[1] {
            continue;
        }
        joined += 1;
        over_links += usize::from(!exact.links.is_empty());
        let expected = cost(mesh.mesh(), &exact.points, &exact.links);
        let actual = cost(mesh.mesh(), &path.points, &path.links);
        let rounding = 5e-3 + 1e-4 * expected;
        let places = between_places(mesh.mesh(), &exact.links);
        let is_right = actual >= expected - rounding && actual <= expected + rounding + places;
        assert!(is_right, "{what}: {actual} for {expected}, by places {places}");
        let own = f64::from(path.plan_length);
        assert!((own - plan(&path.points)).abs() <= 5e-3 + 1e-4 * expected, "{what}: {own}");
    }
    let found = format!("{name}: {joined} of {pairs}, {over_links} over links, {partial} partial");
    assert!(joined > pairs / 20, "{found}");
    closed
}

#[test]
fn radius_nothing_is_the_shortest_path_of_plans() {
    agrees_with_changes("house", &example(), 200);
    agrees("hall", hall().into_mesh(), 100);
    let file =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/levels/house.toml")).unwrap();
    let plan = parse_plan("house.toml", &file, PlanFormat::Toml, &ReadOptions::default()).unwrap();
    agrees_with_changes("house of two storeys", &bake(&plan), 200);
}

#[test]
fn radius_nothing_is_the_shortest_path_of_slices() {
    let soup = stairs(&[(2.0, 0.0), (0.4, 0.2), (0.3, 0.4), (0.4, 0.6), (2.0, 0.8), (0.3, 0.6), (2.0, 0.4)]);
    agrees_with_changes("stairs", &Baker::slices().bake(&soup).unwrap(), 200);
}

#[test]
fn radius_nothing_is_the_shortest_path_of_spiral_slices() {
    let soup = Scene::SpiralStairs.build(&SceneConfig::default());
    let mesh = Baker::slices().bake(&soup).unwrap();
    agrees("spiral", mesh.clone(), 25);
    let broken = changed(&mesh, |link| link.is_open = false);
    let closed = closed_to_discs("spiral, some closed", broken, 25);
    assert!(closed < 10, "{closed}");
}

/// Settings of a scene, without a radius.
fn thin() -> BakeConfig {
    BakeConfig::default().with_agent(Agent::default().with_radius(0.0))
}

fn voxels(config: BakeConfig, soup: &TriangleSoup) -> NavMesh {
    Baker::voxels().with_config(config).bake(soup).unwrap()
}

#[test]
fn radius_nothing_is_the_shortest_path_of_storeys() {
    let soup = Scene::OverlappingStoreys.build(&SceneConfig::default());
    let baker = Baker::new(Storeys::default(), thin().with_scale(0.2, 0.1));
    agrees("storeys", baker.bake(&soup).unwrap(), 100);
    let config = thin().with_scale(0.2, 0.1).with_jumps(JumpConfig::default());
    let soup = Scene::Terraces.build(&SceneConfig::default());
    let mesh = Baker::new(Storeys::default(), config).bake(&soup).unwrap();
    agrees_with_changes("storeys with jumps", &mesh, 60);
}

#[test]
fn radius_nothing_is_the_shortest_path_over_climbs() {
    let soup = Scene::Terraces.build(&SceneConfig::default());
    agrees_with_changes("climbs", &voxels(thin().with_max_ledge(1.5), &soup), 60);
}

#[test]
fn radius_nothing_is_the_shortest_path_over_jumps() {
    // Platforms to jump between, and to drop from.
    let soup = stairs(&[(3.0, 0.0), (3.0, 1.0), (1.2, -1.0), (3.0, 1.0), (1.0, -1.0), (3.0, 0.2)]);
    agrees_with_changes("jumps", &voxels(thin().with_jumps(JumpConfig::default()), &soup), 100);
}

#[test]
fn radius_nothing_is_the_shortest_path_of_voxels() {
    for scene in [Scene::DungeonRooms, Scene::SpiralStairs, Scene::OverlappingStoreys] {
        agrees(&format!("{scene:?}"), voxels(thin(), &scene.build(&SceneConfig::default())), 60);
    }
}

/// No query runs without end: where the goal cannot be reached, and where the search is cut.
#[test]
fn searches_end() {
    let Some(file) = waymesh_testkit::levels::find("gazebo/parking_garage.glb") else { return };
    let soup = waymesh::io::load(&file).unwrap();
    let slices = Baker::slices();
    let config = slices.config().clone().with_scale(0.1, 0.02);
    let mesh = clear(slices.with_config(config).bake(&soup).unwrap());
    let mut scratch = QueryScratch::default();
    let [from, to] = [vec3(0.0, 0.25, -16.85), vec3(0.0, 24.7, -17.33)];
    let path =
        QueryError::accept_no_path(mesh.query(0.0).shortest().partial().memory(&mut scratch).path(from, to))
            .unwrap();
    let Outcome::Partial { reached } = path.outcome else { panic!("{:?}", path.outcome) };
    assert!(reached.distance(to) < from.distance(to));
    let path = mesh.query(0.0).shortest().partial().max_nodes(100).memory(&mut scratch).path(from, to);
    assert_eq!(path, Err(QueryError::Undecided { nodes: 100 }));
}
