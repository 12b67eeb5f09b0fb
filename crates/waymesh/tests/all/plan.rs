//! Floor plans from shapes to paths, and plans that change.

use glam::{Vec3, vec3};
use proptest::prelude::*;
use waymesh::bake::IslandReport;
use waymesh::core::Validate;
use waymesh::floorplan::{
    Door, EXAMPLE, FloorPlan, Join, Outline, PlanFormat, ReadOptions, Shape, parse_plan,
};
use waymesh::graph::{LinkKind, NavMesh, QueryError};
use waymesh::{Agent, Bake, Baker, FloorPlans, Outcome, Path, PlanWorld, Warning};

fn baker(radius: f32) -> Baker<FloorPlans> {
    let baker = Baker::plans();
    let config = baker.config().clone().with_agent(Agent::default().with_radius(radius));
    baker.with_config(config.with_validate_stages(true))
}

fn bake(plan: &FloorPlan, radius: f32) -> Bake {
    let bake = baker(radius).bake_observed(plan, &mut ()).expect("a mesh");
    bake.mesh.validate().expect("a sound mesh");
    bake
}

fn path(mesh: &NavMesh, from: Vec3, to: Vec3) -> Path {
    QueryError::accept_no_path(mesh.query().partial().path(from, to)).expect("both on the mesh")
}

fn square(x: f64, z: f64, side: f64) -> Vec<[f64; 2]> {
    vec![[x, z], [x + side, z], [x + side, z + side], [x, z + side]]
}

fn example() -> FloorPlan {
    parse_plan("example", EXAMPLE.as_bytes(), PlanFormat::Toml, &ReadOptions::default()).expect("a plan")
}

#[test]
fn a_door_is_crossed_like_an_edge_and_named_by_the_path() {
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("a", 0.0);
    storey.walkable.push(Shape::polygon("hall", square(0.0, 0.0, 10.0)));
    let wall = Outline::Wall { line: vec![[5.0, -1.0], [5.0, 11.0]], width: 0.2 };
    storey.blocked.push(Shape::new("wall", wall));
    let line = [[5.0, 4.0], [5.0, 6.0]];
    storey.doors.push(Door { name: "door".into(), line, depth: 0.4, cost: 0.0 });
    let Bake { mesh, report, .. } = bake(&plan, 0.3);
    assert_eq!(
        (report.islands.len(), IslandReport::pieces(&report.islands).len()),
        (2, 1),
        "the door joins both"
    );
    assert_eq!(report.islands[0].links, 1);
    let found = path(&mesh, vec3(2.0, 0.0, 5.0), vec3(8.0, 0.0, 5.0));
    assert_eq!(found.outcome, Outcome::Complete);
    assert!((found.length - 6.0).abs() < 1e-3, "straight through: {}", found.length);
    assert_eq!(found.links.len(), 1);
    let link = mesh.link(found.links[0].link).expect("a link");
    assert_eq!((link.kind, link.data), (LinkKind::Door, 0));
    // Round a corner of the doorway: as short as with an opening that is no door.
    let (from, to) = (vec3(4.0, 0.0, 1.0), vec3(6.0, 0.0, 1.5));
    let with_door = path(&mesh, from, to);
    let mut open = plan.clone();
    open.storeys[0].doors.clear();
    open.storeys[0].blocked = [[-1.0, 4.0], [6.0, 11.0]]
        .map(|[low, high]| Shape::polygon("wall", vec![[4.9, low], [5.1, low], [5.1, high], [4.9, high]]))
        .to_vec();
    let without = path(&bake(&open, 0.3).mesh, from, to);
    assert!((with_door.length - without.length).abs() < 0.02, "{} {}", with_door.length, without.length);
}

#[test]
fn the_example_has_a_way_from_the_terrace_to_the_bed() {
    let bake = bake(&example(), 0.25);
    assert_eq!(bake.report.warnings, Vec::<String>::new());
    let figures = bake.report.plan.expect("figures of the plan");
    assert_eq!((figures.storeys, figures.doors, figures.stairs, figures.lifts), (2, 5, 1, 1));
    let mesh = &bake.mesh;
    let (from, to) = (vec3(6.0, 0.0, 11.5), vec3(3.5, 3.0, 8.0));
    let found = path(mesh, from, to);
    assert_eq!(found.outcome, Outcome::Complete, "{found:?}");
    let kinds: Vec<LinkKind> =
        found.links.iter().map(|used| mesh.link(used.link).expect("a link").kind).collect();
    assert_eq!(
        kinds,
        [LinkKind::Door, LinkKind::Step, LinkKind::Door],
        "the front door, the stairs, the upper door"
    );
    // No corner of the path is nearer to the round table than its radius and the agent's.
    for point in &path(mesh, vec3(9.0, 0.0, 5.0), vec3(11.0, 0.0, 7.5)).points {
        assert!((point.x - 10.0).hypot(point.z - 6.5) > 0.84, "{point}");
    }
    // A lift that costs nothing is taken.
    let mut plan = example();
    plan.lifts[0].cost = 0.0;
    plan.stairs.clear();
    let mesh = self::bake(&plan, 0.25).mesh;
    let found = path(&mesh, from, to);
    assert!(found.links.iter().any(|used| mesh.link(used.link).expect("a link").kind == LinkKind::Lift));
}

#[test]
fn stairs_one_way_lead_one_way() {
    let mut plan = example();
    plan.lifts.clear();
    plan.stairs[0].both_ways = false;
    let mesh = bake(&plan, 0.25).mesh;
    let (low, high) = (vec3(6.0, 0.0, 7.0), vec3(9.5, 3.0, 3.0));
    assert_eq!(path(&mesh, low, high).outcome, Outcome::Complete);
    assert_ne!(path(&mesh, high, low).outcome, Outcome::Complete);
}

/// Paths over stairs keep the agent's radius from their sides, as those of a disc do.
#[test]
fn stairs_are_as_wide_as_the_agents_that_take_them() {
    let mut plan = example();
    plan.lifts.clear();
    let width = plan.stairs[0].width();
    let (low, high) = (vec3(6.0, 0.0, 7.0), vec3(9.5, 3.0, 3.0));
    let disc = waymesh::with_clearance(bake(&plan, 0.0).mesh, &Default::default()).expect("clearance");
    #[expect(clippy::cast_possible_truncation, reason = "a width")]
    for radius in [0.0, 0.1, 0.3, 0.49, 0.51].map(|share| (share * width) as f32) {
        let baked = bake(&plan, radius);
        let path = path(&baked.mesh, low, high);
        let own = disc.query(radius).shortest().path(low, high);
        let fits = 2.0 * f64::from(radius) < width;
        assert_eq!(path.outcome == Outcome::Complete, fits, "{radius}");
        assert_eq!(own.is_ok(), fits, "{radius}: {own:?}");
        let is_refused =
            baked.report.warnings.iter().any(|warning| warning.contains("make the stairs wider"));
        assert_eq!(is_refused, !fits, "{radius}: {:?}", baked.report.warnings);
        if let Ok(own) = own {
            // A disc takes each end of stairs at one of nine places.
            assert!(
                f64::from((own.length - path.length).abs()) < 0.1 + width / 4.0,
                "{radius}: {} and {}",
                own.length,
                path.length
            );
        }
    }
}

#[test]
fn what_leads_nowhere_is_told_and_what_cannot_be_is_refused() {
    let mut plan = example();
    plan.lifts[0].stops[1].at = [40.0, 40.0];
    plan.storeys[1].doors[0].line = [[20.0, 5.5], [21.0, 5.5]];
    let mut told = Vec::new();
    struct Listener<'a>(&'a mut Vec<Warning>);
    impl waymesh::Observer for Listener<'_> {
        fn warn(&mut self, warning: Warning) {
            self.0.push(warning);
        }
    }
    let bake = baker(0.25).bake_observed(&plan, &mut Listener(&mut told)).expect("a mesh");
    assert_eq!(bake.report.warnings, told.iter().map(ToString::to_string).collect::<Vec<_>>());
    let all = bake.report.warnings.join("\n");
    assert!(all.contains("storey \"upper\", door \"upper door\": no ground within 3 m"), "{all}");
    assert!(all.contains("lift \"lift\": no ground within 0.75 m on storey \"upper\""), "{all}");

    let refused = |plan: &FloorPlan, radius: f32| baker(radius).bake(plan).expect_err("refused").to_string();
    let mut lost = example();
    lost.stairs[0].to.storey = "attic".into();
    assert_eq!(
        refused(&lost, 0.25),
        "stairs \"stairs\": there is no storey \"attic\"; there are ground, upper"
    );
    let mut cheap = example();
    cheap.lifts[0].cost = -1.0;
    assert!(refused(&cheap, 0.25).contains("lift \"lift\": cost is -1"));
    let mut point = example();
    point.stairs[0].from.line = [[1.0, 1.0]; 2];
    assert!(refused(&point, 0.25).contains("stairs \"stairs\": length of the line"));
    assert!(refused(&example(), 30.0).contains("nothing is walkable after ground"));
}

/// Area and polygons of the windows that an update did not touch.
fn polygons_beyond(mesh: &NavMesh, x: f32) -> Vec<Vec<[i64; 2]>> {
    let millimetres = |point: Vec3| {
        #[expect(clippy::cast_possible_truncation, reason = "a few thousand")]
        [point.x, point.z].map(|value| (value * 1000.0).round() as i64)
    };
    let mut polygons: Vec<Vec<[i64; 2]>> = mesh
        .polygons()
        .filter(|polygon| polygon.positions().all(|position| position.x >= x))
        .map(|polygon| polygon.positions().map(millimetres).collect())
        .collect();
    polygons.sort();
    polygons
}

#[test]
fn an_obstacle_changes_the_polygons_near_it_alone_and_leaves_no_trace() {
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("a", 0.0);
    storey.walkable.push(Shape::polygon("hall", square(0.0, 0.0, 40.0)));
    for (x, z) in [(11.0, 9.0), (25.0, 14.0), (33.0, 31.0), (7.0, 27.0)] {
        storey.blocked.push(Shape::new("pillar", Outline::Disc { centre: [x, z], radius: 1.5 }));
    }
    let mut world = PlanWorld::new(baker(0.3), plan.clone(), 10.0).expect("a world");
    assert_eq!(world.tile_count(), 16);
    assert_eq!(world.update(&mut ()).expect("an update").rebuilt, 16);
    let handle = world.handle();
    let before = handle.mesh();
    let whole = bake(&plan, 0.3).mesh;
    assert!((before.area() - whole.area()).abs() < 0.05, "{} {}", before.area(), whole.area());

    let boxed = Shape::new("box", Outline::rectangle([5.0, 5.0], [2.0, 3.0], 0.4));
    let crossing = Shape::new("beam", Outline::rectangle([10.0, 20.0], [6.0, 1.0], 0.0));
    let first = world.add_obstacle("a", &boxed).expect("an obstacle");
    assert_eq!(world.update(&mut ()).expect("an update").rebuilt, 1);
    let second = world.add_obstacle("a", &crossing).expect("an obstacle");
    assert_eq!(world.update(&mut ()).expect("an update").rebuilt, 4, "it lies on a corner of four windows");
    let after = handle.mesh();
    assert_eq!(polygons_beyond(&before, 20.0), polygons_beyond(&after, 20.0));
    let mut full = plan.clone();
    full.storeys[0].blocked.extend([boxed, crossing]);
    let full = bake(&full, 0.3).mesh;
    assert!((after.area() - full.area()).abs() < 0.05, "{} {}", after.area(), full.area());
    after.validate().expect("sound");
    for (from, to) in [((1.0, 1.0), (39.0, 39.0)), ((1.0, 20.0), (20.0, 20.0)), ((2.0, 5.0), (8.0, 5.2))] {
        let at = |(x, z): (f32, f32)| vec3(x, 0.0, z);
        let (a, b) = (path(&after, at(from), at(to)), path(&full, at(from), at(to)));
        assert_eq!((a.outcome, b.outcome), (Outcome::Complete, Outcome::Complete));
        assert!((a.length - b.length).abs() < 0.05 * b.length, "{} {}", a.length, b.length);
    }
    // In another order, and back.
    assert!(world.remove_obstacle(first));
    world.update(&mut ()).expect("an update");
    assert!(world.remove_obstacle(second));
    assert!(!world.remove_obstacle(second));
    world.update(&mut ()).expect("an update");
    assert_eq!(*handle.mesh(), *before);
    assert!(!world.is_dirty());
    let bad = Shape::polygon("nan", vec![[f64::NAN, 0.0], [1.0, 0.0], [1.0, 1.0]]);
    assert!(world.add_obstacle("a", &bad).is_err());
    assert!(world.add_obstacle("b", &Shape::polygon("box", square(1.0, 1.0, 1.0))).is_err());
    assert!(PlanWorld::new(baker(0.3), plan, 0.0).is_err());
}

#[test]
fn a_world_keeps_doors_stairs_and_lifts() {
    let mut world = PlanWorld::new(baker(0.25), example(), 4.0).expect("a world");
    world.update(&mut ()).expect("an update");
    let handle = world.handle();
    let (from, to) = (vec3(6.0, 0.0, 11.5), vec3(3.5, 3.0, 8.0));
    let whole = path(&bake(&example(), 0.25).mesh, from, to);
    let found = path(&handle.mesh(), from, to);
    assert_eq!(found.outcome, Outcome::Complete);
    assert!(found.length < 1.1 * whole.length, "{} {}", found.length, whole.length);
    // A cupboard in the front door.
    let cupboard = Shape::new("cupboard", Outline::rectangle([6.2, 9.0], [1.6, 0.4], 0.0));
    world.add_obstacle("ground", &cupboard).expect("an obstacle");
    world.update(&mut ()).expect("an update");
    assert_ne!(path(&handle.mesh(), from, to).outcome, Outcome::Complete);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random obstacles in and out: always the ground of a full bake, always sound.
    #[test]
    fn worlds_follow_their_obstacles(
        boxes in prop::collection::vec((0.0..24.0_f64, 0.0..24.0_f64, 0.3..5.0_f64, 0.3..5.0_f64, 0.0..3.0_f64), 1..7),
        side in 4.0..13.0_f64,
        join in 0..3_u8,
    ) {
        let mut plan = FloorPlan::default();
        plan.storey_mut("a", 0.0).walkable.push(Shape::polygon("hall", square(0.0, 0.0, 24.0)));
        let join = [Join::Round, Join::Square, Join::Miter { limit: 2.0 }][usize::from(join)];
        let baker = || {
            let baker = baker(0.3);
            let config = baker.config().clone().with_min_region(0.0);
            baker.with_config(config).with_front(FloorPlans::default().with_join(join))
        };
        let shapes: Vec<Shape> = boxes
            .iter()
            .map(|&(x, z, width, depth, yaw)| Shape::new("box", Outline::rectangle([x, z], [width, depth], yaw)))
            .collect();
        let mut world = PlanWorld::new(baker(), plan.clone(), side).expect("a world");
        world.update(&mut ()).expect("an update");
        let empty = world.handle().mesh();
        let mut ids = Vec::new();
        for (index, shape) in shapes.iter().enumerate() {
            ids.push(world.add_obstacle("a", shape).expect("an obstacle"));
            plan.storeys[0].blocked.push(shape.clone());
            if index % 2 == 0 {
                world.update(&mut ()).expect("an update");
            }
        }
        world.update(&mut ()).expect("an update");
        let mesh = world.handle().mesh();
        mesh.validate().expect("a sound mesh");
        let expected = match baker().bake(&plan) {
            Ok(mesh) => mesh.area(),
            Err(_) => 0.0,
        };
        prop_assert!((mesh.area() - expected).abs() < 0.2, "{} {}", mesh.area(), expected);
        for id in ids {
            world.remove_obstacle(id);
        }
        world.update(&mut ()).expect("an update");
        prop_assert_eq!(&*world.handle().mesh(), &*empty);
    }
}
