//! Doors in bakes and in worlds, whose windows cut them: what is closed, and for which discs.

use glam::{Vec3, dvec3, vec3};
use waymesh::core::{Random, Validate};
use waymesh::floorplan::{Door, FloorPlan, Landing, NoteKind, Outline, PlanBase, PlanConfig, Shape, Stairs};
use waymesh::graph::{LinkId, LinkKind, NavMesh, Reach};
use waymesh::{Agent, AreaId, Baker, FloorPlans, PlanWorld};

use crate::discs::{clear, to_segment};

fn baker(radius: f32) -> Baker<FloorPlans> {
    let baker = Baker::plans();
    let config = baker.config().clone().with_agent(Agent::default().with_radius(radius));
    baker.with_config(config.with_min_region(0.0).with_validate_stages(true))
}

fn bake(plan: &FloorPlan) -> NavMesh {
    let mesh = baker(0.0).bake(plan).expect("a mesh");
    mesh.validate().expect("a sound mesh");
    mesh
}

fn world(plan: &FloorPlan, side: f64) -> PlanWorld {
    let mut world = PlanWorld::new(baker(0.0), plan.clone(), side).expect("a world");
    world.update(&mut ()).expect("an update");
    world.handle().mesh().validate().expect("a sound mesh");
    world
}

fn rectangle(x: f64, z: f64, width: f64, depth: f64) -> Vec<[f64; 2]> {
    vec![[x, z], [x + width, z], [x + width, z + depth], [x, z + depth]]
}

/// Closes the doors of these numbers, and opens all others.
fn close(mesh: &mut NavMesh, closed: &[usize]) {
    let doors = mesh.links_by_id().filter(|(_, link)| link.kind == LinkKind::Door);
    let turned: Vec<(LinkId, bool)> =
        doors.map(|(id, link)| (id, !closed.contains(&(link.data as usize)))).collect();
    mesh.set_links_open(turned);
}

/// A disc that fits a door finds its path where a window cuts the door, too: also if passing costs
/// something, and if the door was closed when the clearance was made.
#[test]
fn doors_that_windows_cut_are_as_wide_as_in_a_bake() {
    const WIDTH: f64 = 1.2;
    let mut found = [0; 2];
    for [x, z] in [[1.0, 0.0], [0.0, 1.0], [1.0, 0.35], [-0.4, 1.0], [1.0, 1.0]] {
        for (shift, side, cost) in [(0.0, 3.0, 2.0), (0.21, 1.0, 0.0), (0.37, 0.4, 2.0), (0.6, 4.0, 0.5)] {
            let length = f64::hypot(x, z);
            let at = |t: f64| [6.0 + (t + shift) * x / length, 6.0 + (t + shift) * z / length];
            let mut plan = FloorPlan::default();
            let storey = plan.storey_mut("a", 0.0);
            storey.walkable.push(Shape::polygon("hall", rectangle(0.0, 0.0, 12.0, 12.0)));
            let wall = Outline::Wall { line: vec![at(-20.0), at(20.0)], width: 0.2 };
            storey.blocked.push(Shape::new("wall", wall));
            storey.doors.push(Door { cost, ..Door::new("door", [at(-WIDTH / 2.0), at(WIDTH / 2.0)]) });
            let ends = [-2.0, 2.0].map(|side| {
                let [middle_x, middle_z] = at(0.1);
                dvec3(middle_x - z / length * side, 0.0, middle_z + x / length * side).as_vec3()
            });
            let mut whole = clear(bake(&plan));
            let mut world = world(&plan, side);
            let mut parted = clear((*world.handle().mesh()).clone());
            if cost <= 0.0 {
                // A door that was closed is a wall with gates.
                world.set_door_open("door", false).expect("a door");
                let mut closed = whole.into_mesh();
                close(&mut closed, &[0]);
                [whole, parted] = [closed, (*world.handle().mesh()).clone()].map(clear);
                for mesh in [&mut whole, &mut parted] {
                    assert!(mesh.query(0.1).path(ends[0], ends[1]).is_err());
                    for id in mesh.mesh().link_ids().to_vec() {
                        assert!(mesh.set_link_open(id, true));
                    }
                }
            }
            for radius in [0.0, 0.1, 0.25, 0.31, 0.45, 0.59, 0.61] {
                let costs = [&whole, &parted].map(|mesh| {
                    let path = mesh.query(radius).shortest().path(ends[0], ends[1]);
                    path.ok().map(|path| path.cost)
                });
                let what = format!("along {x} {z} by {shift}, windows of {side} m, {radius}: {costs:?}");
                assert_eq!(costs[0].is_some(), 2.0 * f64::from(radius) < WIDTH, "{what}");
                // A disc takes a link at one of nine places.
                let is_same = match costs {
                    [Some(one), Some(other)] => (one - other).abs() < 0.05,
                    _ => costs == [None; 2],
                };
                assert!(is_same, "{what}");
                found[usize::from(costs[0].is_some())] += 1;
            }
        }
    }
    assert!(found.iter().all(|&count| count > 10), "{found:?}");
}

/// Stairs that end on several polygons serve discs as wide as they are.
#[test]
fn stairs_on_several_polygons_are_as_wide_as_on_one() {
    for share in [0.1, 0.35, 0.5, 0.8] {
        let mut plan = FloorPlan::default();
        for (name, height) in [("a", 0.0), ("b", 3.0)] {
            let storey = plan.storey_mut(name, height);
            storey.walkable.push(Shape::polygon("hall", rectangle(0.0, 0.0, 10.0, 10.0)));
        }
        // The border of an area crosses the landing.
        let mud = Shape::polygon("mud", vec![[0.0, 0.0], [4.0 + 1.6 * share, 0.0], [4.3, 10.0], [0.0, 10.0]]);
        plan.storeys[0].marks.push(mud.with_area(AreaId(3)));
        let landing = |storey: &str, z: f64| Landing { storey: storey.into(), line: [[4.0, z], [5.6, z]] };
        plan.stairs.push(Stairs {
            name: "stairs".into(),
            from: landing("a", 3.0),
            to: landing("b", 7.0),
            cost: 0.0,
            both_ways: true,
        });
        let meshes = [bake(&plan), (*world(&plan, 2.3).handle().mesh()).clone()].map(clear);
        for radius in [0.1, 0.3, 0.5, 0.7, 0.79, 0.81] {
            for mesh in &meshes {
                let path = mesh.query(radius).shortest().path(vec3(5.0, 0.0, 1.5), vec3(5.0, 3.0, 8.5));
                assert_eq!(path.is_ok(), radius < 0.8, "{share}, {radius}: {path:?}");
            }
        }
    }
}

/// A hall with walls that cross, and doors that may lie over those of other walls.
fn crossing_walls(random: &mut Random) -> FloorPlan {
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("a", 0.0);
    storey.walkable.push(Shape::polygon("hall", rectangle(0.0, 0.0, 14.0, 12.0)));
    for number in 0..4 {
        let is_row = number % 2 == 0;
        let (at, tilt) = (f64::from(random.range(3.0, 9.0)), f64::from(random.range(-1.5, 1.5)));
        let place = |t: f64| if is_row { [t, at + tilt * t / 14.0] } else { [at + tilt * t / 14.0, t] };
        let width = f64::from(random.range(0.1, 0.4));
        storey
            .blocked
            .push(Shape::new("wall", Outline::Wall { line: vec![place(-2.0), place(16.0)], width }));
        for slot in 0..3_u8 {
            let from = 0.3 + 3.2 * f64::from(slot) + f64::from(random.range(0.0, 1.1));
            let line = [place(from), place(from + f64::from(random.range(0.8, 2.0)))];
            let name = storey.doors.len().to_string();
            storey.doors.push(Door { depth: width + 0.3, ..Door::new(name, line) });
        }
    }
    plan
}

/// Every door closes the whole of its line, whatever doors lie over it: as a strip does that is cut
/// out of the ground there.
#[test]
fn closed_doors_are_closed_whatever_lies_over_them() {
    let mut count = [0; 2];
    // In the later ones the opening of one door meets the jamb of another one.
    for seed in (0..40).chain([240, 246, 249, 318, 436, 441]) {
        let mut random = Random::new(seed);
        let plan = crossing_walls(&mut random);
        // A door over a crossing may lead through the other wall.
        let base = PlanBase::new(&plan, &PlanConfig::default().with_radius(0.0)).expect("a base");
        if base.notes().iter().any(|note| matches!(note.kind, NoteKind::DoorTurned { .. })) {
            continue;
        }
        // A door that ends just before the line of another one leaves a gap.
        let lines: Vec<[[f64; 2]; 2]> = plan.storeys[0].doors.iter().map(|door| door.line).collect();
        let is_near = |line: &[[f64; 2]; 2], at: [f64; 2]| (1e-9..0.02).contains(&to_segment(*line, at));
        if lines.iter().flatten().any(|&end| lines.iter().any(|line| is_near(line, end))) {
            continue;
        }
        let mut whole = bake(&plan);
        let mut world = world(&plan, f64::from(random.range(2.0, 9.0)));
        let doors = &plan.storeys[0].doors;
        for round in 0..3 {
            let closed: Vec<usize> = (0..doors.len()).filter(|_| round == 2 || random.chance(0.4)).collect();
            close(&mut whole, &closed);
            let mut cut = plan.clone();
            for (number, door) in doors.iter().enumerate() {
                world.set_door_open(&door.name, !closed.contains(&number)).expect("a door");
            }
            for &number in &closed {
                let [a, b] = doors[number].line;
                let past = |from: [f64; 2], to: [f64; 2]| {
                    let length = f64::hypot(to[0] - from[0], to[1] - from[1]);
                    [0, 1].map(|axis| to[axis] + (to[axis] - from[axis]) * 0.012 / length)
                };
                let shut = Outline::Wall { line: vec![past(b, a), past(a, b)], width: 0.006 };
                cut.storeys[0].marks.push(Shape::new("shut", shut).with_area(AreaId::NULL));
            }
            let meshes = [bake(&cut), whole.clone(), (*world.handle().mesh()).clone()];
            let mut place = || vec3(random.range(0.0, 14.0), 0.0, random.range(0.0, 12.0));
            let places: Vec<Vec3> = (0..16).map(|_| place()).collect();
            let near = Reach::new(1e-3, 0.5, 0.5);
            let is_ground = |at: &Vec3| meshes.iter().all(|mesh| mesh.nearest(*at, &near).is_some());
            let places: Vec<Vec3> = places.into_iter().filter(is_ground).collect();
            for pair in places.windows(2) {
                let lengths = meshes.each_ref().map(|mesh| {
                    let path = mesh.query().shortest().path(pair[0], pair[1]);
                    path.ok().map(|path| path.length)
                });
                // The strips are longer than the doors.
                let is_same = |other: &Option<f32>| match (lengths[0], other) {
                    (Some(one), Some(other)) => (one - other).abs() < 0.06 + 1e-3 * one,
                    (one, other) => one == *other,
                };
                assert!(lengths.iter().all(is_same), "{seed}, {closed:?}, {pair:?}: {lengths:?}");
                count[usize::from(lengths[0].is_some())] += 1;
            }
        }
    }
    assert!(count.iter().all(|&count| count > 100), "{count:?}");
}
