//! Borders in pieces, a grid of vertices inside, and vertices that become one.

use glam::{Vec3, dvec3, vec3};
use waymesh::core::Validate;
use waymesh::floorplan::{Door, FloorPlan, Outline, Shape};
use waymesh::graph::NavMesh;
use waymesh::{Agent, Bake, Baker, FloorPlans, Outcome, PlanWorld};

fn baker(front: FloorPlans, max_edge_length: f32, max_vertices: u32) -> Baker<FloorPlans> {
    let baker = Baker::plans().with_front(front);
    let config = baker.config().clone().with_agent(Agent::default().with_radius(0.0));
    let config = config.with_max_edge_length(max_edge_length).with_max_vertices(max_vertices);
    baker.with_config(config.with_validate_stages(true))
}

fn plans() -> FloorPlans {
    FloorPlans::default()
}

fn bake(plan: &FloorPlan, front: FloorPlans, max_edge_length: f32, max_vertices: u32) -> Bake {
    let bake = baker(front, max_edge_length, max_vertices).bake_observed(plan, &mut ()).expect("a mesh");
    bake.mesh.validate().expect("a sound mesh");
    bake
}

fn rectangle(x: f64, z: f64, width: f64, depth: f64) -> Vec<[f64; 2]> {
    vec![[x, z], [x + width, z], [x + width, z + depth], [x, z + depth]]
}

/// A hall with a slanted wall and a pillar, and a smaller one over it.
fn hall() -> FloorPlan {
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("a", 0.0);
    let slanted = vec![[0.0, 0.0], [20.0, 0.0], [13.3, 11.7], [0.0, 9.1]];
    storey.walkable.push(Shape::polygon("hall", slanted));
    storey.blocked.push(Shape::new("pillar", Outline::rectangle([7.0, 4.0], [3.0, 2.0], 0.3)));
    plan.storey_mut("b", 3.0).walkable.push(Shape::polygon("loft", rectangle(1.0, 1.0, 5.0, 5.0)));
    plan
}

/// Edges of polygons, each with whether something lies beyond.
fn edges(mesh: &NavMesh) -> Vec<(Vec3, Vec3, bool)> {
    mesh.polygons()
        .flat_map(|polygon| {
            let corners: Vec<Vec3> = polygon.positions().collect();
            let next: Vec<Vec3> = corners.iter().cycle().skip(1).take(corners.len()).copied().collect();
            let beyond: Vec<bool> = polygon.neighbours().map(|neighbour| neighbour.is_some()).collect();
            corners.into_iter().zip(next).zip(beyond).map(|((a, b), beyond)| (a, b, beyond))
        })
        .collect()
}

fn longest_border(mesh: &NavMesh) -> f32 {
    let borders = edges(mesh).into_iter().filter(|(.., beyond)| !beyond);
    borders.map(|(a, b, _)| a.distance(b)).fold(0.0, f32::max)
}

#[test]
fn border_edges_are_split_and_ground_never_grows() {
    let plain = bake(&hall(), plans(), 0.0, 0);
    assert!(longest_border(&plain.mesh) > 9.0);
    for length in [0.5, 1.5, 4.0] {
        let split = bake(&hall(), plans(), length, 0);
        assert_eq!(split.report.warnings, Vec::<String>::new());
        // Pieces are rounded to millimetres.
        assert!(longest_border(&split.mesh) < length + 0.004, "{length}");
        let (before, after) = (plain.mesh.area(), split.mesh.area());
        // About 80 m of border, which give way by 1.5 mm at most.
        assert!(after <= before && before - after < 0.12, "{length}: {before} {after}");
        assert!(split.report.vertices > plain.report.vertices);
    }
}

#[test]
fn a_grid_of_points_makes_even_triangles() {
    let plain = bake(&hall(), plans(), 0.0, 3);
    let fine = bake(&hall(), plans().with_steiner_grid(1.0), 1.0, 3);
    let longest = |mesh: &NavMesh| edges(mesh).into_iter().map(|(a, b, _)| a.distance(b)).fold(0.0, f32::max);
    assert!(longest(&plain.mesh) > 9.0);
    assert!(longest(&fine.mesh) < 2.0, "{}", longest(&fine.mesh));
    // One vertex a square metre on either storey: two triangles each.
    let polygons = fine.mesh.polygon_count() as f64;
    assert!(polygons > 1.5 * fine.mesh.area(), "{polygons}");
    assert!((fine.mesh.area() - plain.mesh.area()).abs() < 0.12);
    assert_eq!(fine.report.islands.len(), 2);
    // Without a limit of corners, points inside add few polygons.
    let loose = bake(&hall(), plans().with_steiner_grid(1.0), 0.0, 0);
    assert!(loose.mesh.polygon_count() * 4 < fine.mesh.polygon_count(), "{}", loose.mesh.polygon_count());
}

#[test]
fn doors_between_split_borders_are_still_doors() {
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("a", 0.0);
    storey.walkable.push(Shape::polygon("hall", rectangle(0.0, 0.0, 10.0, 10.0)));
    let wall = Outline::Wall { line: vec![[4.0, -1.0], [6.7, 11.0]], width: 0.2 };
    storey.blocked.push(Shape::new("wall", wall));
    let at = |t: f64| [4.0 + 2.7 * t, -1.0 + 12.0 * t];
    storey.doors.push(Door { name: "door".into(), line: [at(0.4), at(0.6)], depth: 0.4, cost: 0.0 });
    for max_vertices in [0, 3, 6] {
        let bake = bake(&plan, plans().with_steiner_grid(0.5), 0.25, max_vertices);
        assert_eq!(bake.report.warnings, Vec::<String>::new());
        // A door of 2.4 m in pieces of 0.25 m, where every point stays.
        let least = if max_vertices == 3 { 10 } else { 1 };
        assert!(bake.report.links >= least, "{max_vertices}: {} links", bake.report.links);
        let (from, to) = (vec3(1.0, 0.0, 5.0), vec3(9.0, 0.0, 5.0));
        let path = bake.mesh.query().path(from, to).expect("a path");
        assert_eq!(path.outcome, Outcome::Complete);
        assert_eq!(path.links.len(), 1);
        assert!(path.length < 8.01, "{}", path.length);
    }
}

#[test]
fn narrow_slits_close() {
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("a", 0.0);
    storey.walkable.push(Shape::polygon("hall", rectangle(0.0, 0.0, 10.0, 10.0)));
    // Two cupboards 6 mm apart.
    storey.blocked.push(Shape::polygon("left", rectangle(2.0, 2.0, 1.0, 1.0)));
    storey.blocked.push(Shape::polygon("right", rectangle(3.006, 2.0, 1.0, 1.0)));
    let exact = plans().with_near_distance(0.0);
    let open = bake(&plan, exact, 0.0, 0).mesh;
    let closed = bake(&plan, exact.with_merge_distance(0.01), 0.0, 0).mesh;
    assert!((open.area() - 98.0).abs() < 1e-3, "{}", open.area());
    assert!(closed.area() < open.area() - 0.003 && closed.area() > open.area() - 0.03, "{}", closed.area());
    let narrowest = |mesh: &NavMesh| {
        edges(mesh)
            .into_iter()
            .filter(|(.., beyond)| *beyond)
            .map(|(a, b, _)| a.distance(b))
            .fold(f32::INFINITY, f32::min)
    };
    assert!(narrowest(&open) < 0.01, "{}", narrowest(&open));
    assert!(narrowest(&closed) > 0.1, "{}", narrowest(&closed));
    // Rooms connected by such a slit are separated; each stays on its storey.
    let mut rooms = FloorPlan::default();
    let storey = rooms.storey_mut("a", 0.0);
    storey.walkable.push(Shape::polygon("west", rectangle(0.0, 0.0, 4.0, 4.0)));
    storey.walkable.push(Shape::polygon("east", rectangle(5.0, 0.0, 4.0, 4.0)));
    storey.walkable.push(Shape::polygon("slit", rectangle(3.0, 1.0, 3.0, 0.006)));
    rooms.storey_mut("b", 3.0).walkable.push(Shape::polygon("loft", rectangle(0.0, 0.0, 2.0, 2.0)));
    let whole = bake(&rooms, exact, 0.0, 0);
    let apart = bake(&rooms, exact.with_merge_distance(0.01), 0.0, 0);
    assert_eq!((whole.report.islands.len(), apart.report.islands.len()), (2, 3));
    assert!((apart.mesh.area() - 36.0).abs() < 0.1, "{}", apart.mesh.area());
}

#[test]
fn a_world_has_the_points_too_and_forgets_its_obstacles() {
    let front = plans().with_steiner_grid(0.9);
    let whole = bake(&hall(), front, 0.7, 0).mesh;
    let mut world = PlanWorld::new(baker(front, 0.7, 0), hall(), 3.0).expect("a world");
    world.update(&mut ()).expect("an update");
    let before = world.handle().mesh();
    before.validate().expect("a sound mesh");
    assert!(longest_border(&before) < 0.704, "{}", longest_border(&before));
    assert!((before.area() - whole.area()).abs() < 0.05, "{} {}", before.area(), whole.area());
    assert_eq!(before.islands().len(), whole.islands().len());
    let table = Shape::new("table", Outline::rectangle([4.0, 7.0], [1.5, 1.0], 1.1));
    let id = world.add_obstacle("a", &table).expect("an obstacle");
    world.update(&mut ()).expect("an update");
    let with_table = world.handle().mesh();
    with_table.validate().expect("a sound mesh");
    assert!((before.area() - with_table.area() - 1.5).abs() < 0.02);
    world.remove_obstacle(id);
    world.update(&mut ()).expect("an update");
    assert_eq!(*world.handle().mesh(), *before);
}

#[test]
fn points_beyond_all_bounds_are_refused() {
    for (front, max_edge_length) in [
        (plans().with_steiner_grid(1e-5), 0.0),
        (plans(), -1.0),
        (plans().with_merge_distance(f64::NAN), 0.0),
    ] {
        baker(front, max_edge_length, 0).bake(&hall()).expect_err("refused");
    }
    let merged = plans().with_merge_distance(0.01);
    let error = PlanWorld::new(baker(merged, 0.0, 0), hall(), 3.0).expect_err("refused");
    assert!(error.to_string().contains("merge_distance"), "{error}");
}

/// Doors whose ends or lines are some cells from the border of a window.
#[test]
fn doors_beside_the_borders_of_windows_are_those_of_a_bake() {
    for [x, z] in [[1.0, 0.0], [1.0, 0.002], [1.0, -0.003], [1.0, 0.35], [0.4, 1.0], [0.0, 1.0]] {
        for (offset, along) in (-6_i32..=6).flat_map(|offset| [0.0, 0.5, 1.0].map(|along| (offset, along))) {
            let length = f64::hypot(x, z);
            let at = |t: f64| [6.3 + x / length * t, 8.0 + f64::from(offset) * 1e-3 + z / length * t];
            let mut plan = FloorPlan::default();
            let storey = plan.storey_mut("a", 0.0);
            storey.walkable.push(Shape::polygon("hall", rectangle(0.0, 0.0, 14.0, 15.0)));
            let wall = Outline::Wall { line: vec![at(-20.0), at(20.0)], width: 0.2 };
            storey.blocked.push(Shape::new("wall", wall));
            storey.doors.push(Door::new("door", [at(-along), at(1.0 - along)]));
            let whole = bake(&plan, plans(), 0.0, 0).mesh;
            let mut world = PlanWorld::new(baker(plans(), 0.0, 0), plan, 4.0).expect("a world");
            world.update(&mut ()).expect("an update");
            let parted = world.handle().mesh();
            let case = format!("{x} {z}, {offset} cells, {along}");
            parted.validate().expect("a sound mesh");
            assert!((parted.area() - whole.area()).abs() < 0.01, "{case}");
            let ends = [-1.5, 1.5].map(|side| {
                let [middle_x, middle_z] = at(0.5 - along);
                dvec3(middle_x - z / length * side, 0.0, middle_z + x / length * side).as_vec3()
            });
            let [of_parted, of_whole] = [&*parted, &whole].map(|mesh| {
                mesh.query().shortest().path(ends[0], ends[1]).expect("the door stands open").length
            });
            assert!((of_parted - of_whole).abs() < 0.01, "{case}: {of_parted} {of_whole}");
            // Both rooms are islands of their own: no ground leads past the door.
            let islands = ends.map(|end| parted.query().nearest(end).expect("ground"));
            let [one, other] = islands.map(|place| parted.island_of(place.polygon));
            assert_ne!(one, other, "{case}");
            assert_eq!(parted.islands().len(), whole.islands().len(), "{case}");
        }
    }
}
