//! Links of worlds that change: added ones, doors, jumps.

use glam::{Vec3, vec3};
use waymesh::core::{PlanPoint, PlanVertex, Validate};
use waymesh::floorplan::{Door, FloorPlan, Outline, Shape};
use waymesh::graph::{CorridorOptions, LinkEnd, LinkId, QueryError};
use waymesh::voxel::{MarkShape, Obstacle};
use waymesh::{
    BakeConfig, BakeError, Baker, Bounds, JumpConfig, Link, LinkKind, NavMesh, Outcome, Path, PathCorridor,
    PlanWorld, QueryScratch, TriangleSoup, World,
};

/// Boxes from corner to corner.
fn boxes(boxes: &[[Vec3; 2]]) -> TriangleSoup {
    let mut soup = TriangleSoup::default();
    for &[low, high] in boxes {
        let part = Obstacle::solid(MarkShape::Box { bounds: Bounds { min: low, max: high } }).triangles();
        soup.append(part.positions().to_vec(), part.triangles().to_vec()).expect("indices in range");
    }
    soup
}

/// Two decks of 10 x 10 m, a gap of 2 m between them.
fn decks() -> TriangleSoup {
    boxes(&[[vec3(0.0, 0.0, 0.0), vec3(10.0, 3.0, 10.0)], [vec3(12.0, 0.0, 0.0), vec3(22.0, 3.0, 10.0)]])
}

fn world(config: &BakeConfig, soup: &TriangleSoup) -> World {
    let baker = Baker::voxels().with_config(config.clone().with_validate_stages(true));
    let mut world = World::new(baker, &soup.bounds(), 16).expect("a world");
    world.add_triangles(soup, &mut ()).expect("triangles");
    world.update(&mut ()).expect("builds");
    world
}

fn solid(low: Vec3, high: Vec3) -> Obstacle {
    Obstacle::solid(MarkShape::Box { bounds: Bounds { min: low, max: high } })
}

fn path(mesh: &NavMesh, from: Vec3, to: Vec3) -> Path {
    QueryError::accept_no_path(mesh.query().partial().path(from, to)).expect("ends on the mesh")
}

/// The point of the mesh nearest to a position, as the end of a link.
fn end(mesh: &NavMesh, at: Vec3) -> LinkEnd {
    let [x, y, z] = mesh.frame().to_grid(at);
    #[expect(clippy::cast_possible_truncation, reason = "near the origin")]
    let vertex = PlanVertex { point: PlanPoint::new(x.round() as i32, z.round() as i32), height: y as f32 };
    let polygons = mesh.polygons().map(|polygon| polygon.id());
    let polygon = polygons.into_iter().find(|&polygon| mesh.contains_point(polygon, vertex.point));
    LinkEnd { polygon: polygon.expect("on the mesh"), ends: [vertex; 2] }
}

#[test]
fn an_added_link_survives_updates_while_both_its_ends_exist() {
    let mut world = world(&BakeConfig::default(), &decks());
    let handle = world.handle();
    let (west, east) = (vec3(2.0, 3.0, 5.0), vec3(20.0, 3.0, 5.0));
    let mesh = handle.mesh();
    assert_ne!(path(&mesh, west, east).outcome, Outcome::Complete);
    let [from, to] = [vec3(8.1, 3.0, 5.1), vec3(13.8, 3.0, 5.1)].map(|at| end(&mesh, at));
    let mut rope = Link::new(from, to, LinkKind::User);
    rope.data = 7;
    let id = world.add_link(rope).expect("a good link");
    let bad = Link { extra_cost: -1.0, ..rope };
    assert!(matches!(world.add_link(bad), Err(BakeError::Mesh(_))));
    // It is in the mesh at once.
    let with_rope = handle.mesh();
    let taken = path(&with_rope, west, east);
    assert_eq!((taken.outcome, taken.links[0].link), (Outcome::Complete, id));
    // Crates elsewhere change the polygons under its ends, not the link.
    let beside = [vec3(7.0, 2.5, 1.0), vec3(9.0, 5.0, 3.0)];
    let beside = world.add_obstacle(solid(beside[0], beside[1])).expect("a crate");
    world.update(&mut ()).expect("builds");
    let mesh = handle.mesh();
    mesh.validate().expect("sound");
    assert_eq!(mesh.link(id).map(|link| (link.data, link.to.ends)), Some((7, to.ends)));
    assert_eq!(path(&mesh, west, east).links[0].link, id);
    // A crate on its end: it is gone, and comes back, closed as it was left.
    let crate_on_it = world.add_obstacle(solid(vec3(13.0, 2.5, 4.0), vec3(15.0, 5.0, 6.0))).expect("a crate");
    world.update(&mut ()).expect("builds");
    assert!(handle.mesh().link(id).is_none());
    assert_ne!(path(&handle.mesh(), west, east).outcome, Outcome::Complete);
    assert!(world.set_link_open(id, false));
    for obstacle in [crate_on_it, beside] {
        assert!(world.remove_obstacle(obstacle));
    }
    world.update(&mut ()).expect("builds");
    assert_eq!(handle.mesh().link(id).map(|link| link.is_open), Some(false));
    assert_ne!(path(&handle.mesh(), west, east).outcome, Outcome::Complete);
    assert!(world.set_link_open(id, true));
    assert_eq!(*handle.mesh(), *with_rope);
    assert!(world.remove_link(id) && !world.remove_link(id));
    assert!(!world.set_link_open(id, true) && !world.set_link_open(LinkId(99), false));
    world.update(&mut ()).expect("builds");
    assert!(handle.mesh().links().is_empty());
}

#[test]
fn jumps_of_a_world_are_those_of_what_is_there() {
    let config = BakeConfig::default().with_jumps(JumpConfig::default());
    let soup = decks();
    let mut changing = world(&config, &soup);
    let handle = changing.handle();
    let before = handle.mesh();
    let jumps = |mesh: &NavMesh| mesh.links().iter().filter(|link| link.kind == LinkKind::Jump).count();
    assert!(jumps(&before) >= 2, "{}", jumps(&before));
    assert_eq!(path(&before, vec3(2.0, 3.0, 2.0), vec3(20.0, 3.0, 2.0)).outcome, Outcome::Complete);
    // A wall in the gap, up to the middle of it.
    let wall = solid(vec3(10.9, 0.0, -1.0), vec3(11.1, 6.0, 5.0));
    let id = changing.add_obstacle(wall.clone()).expect("a wall");
    changing.update(&mut ()).expect("builds");
    let parted = handle.mesh();
    assert!((1..jumps(&before)).contains(&jumps(&parted)), "{} of {}", jumps(&parted), jumps(&before));
    for link in parted.links() {
        let z = parted.frame().to_world(0.0, 0.0, link.from.ends[0].point.z.into()).z;
        assert!(link.kind != LinkKind::Jump || z > 4.5, "{link:?}");
    }
    // Equal to a world that had it from the beginning, including ids.
    let mut fresh = World::new(Baker::voxels().with_config(config), &soup.bounds(), 16).expect("a world");
    fresh.add_obstacle(wall).expect("a wall");
    fresh.add_triangles(&soup, &mut ()).expect("triangles");
    fresh.update(&mut ()).expect("builds");
    assert_eq!(*fresh.handle().mesh(), *parted);
    let ids = |mesh: &NavMesh| mesh.to_compact().mesh().link_ids().to_vec();
    assert_eq!(ids(&fresh.handle().mesh()), ids(&parted));
    // A closed link stays closed, also after it was missing for a while.
    let far = path(&before, vec3(2.0, 3.0, 2.0), vec3(20.0, 3.0, 2.0)).links[0].link;
    assert!(parted.link(far).is_none() && !changing.set_link_open(far, false));
    assert!(changing.remove_obstacle(id));
    changing.update(&mut ()).expect("builds");
    assert_eq!(*handle.mesh(), *before);
    assert_eq!(ids(&handle.mesh()), ids(&before));
    assert!(changing.set_link_open(far, false));
    let again = changing.add_obstacle(solid(vec3(1.0, 2.5, 8.0), vec3(2.0, 5.0, 9.0))).expect("a crate");
    changing.update(&mut ()).expect("builds");
    assert_eq!(handle.mesh().link(far).map(|link| link.is_open), Some(false));
    assert!(changing.remove_obstacle(again) && changing.set_link_open(far, true));
    changing.update(&mut ()).expect("builds");
    assert_eq!(*handle.mesh(), *before);
}

#[test]
fn doors_of_a_plan_are_closed_by_name() {
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("ground", 0.0);
    let hall = vec![[0.0, 0.0], [20.0, 0.0], [20.0, 10.0], [0.0, 10.0]];
    storey.walkable.push(Shape::polygon("hall", hall));
    let wall = Outline::Wall { line: vec![[10.0, -1.0], [10.0, 11.0]], width: 0.4 };
    storey.blocked.push(Shape::new("wall", wall));
    for (name, z) in [("north", 1.0), ("south", 7.0)] {
        let line = [[10.0, z], [10.0, z + 2.0]];
        storey.doors.push(Door { depth: 0.8, ..Door::new(name, line) });
    }
    let mesh = Baker::plans().bake(&plan).expect("bakes");
    assert_eq!(plan.door_numbers("south").collect::<Vec<_>>(), [1]);
    assert!(mesh.links_with(LinkKind::Door, 1).next().is_some());

    let mut world = PlanWorld::new(Baker::plans(), plan, 7.0).expect("a world");
    world.update(&mut ()).expect("builds");
    let handle = world.handle();
    let (west, east) = (vec3(5.0, 0.0, 2.0), vec3(15.0, 0.0, 2.0));
    let mut scratch = QueryScratch::default();
    let mut corridor = PathCorridor::new(CorridorOptions::default());
    corridor.plan(&handle.mesh(), west, east, &mut scratch).expect("a corridor");
    let short = corridor.path().length;
    let mut follow = |world: &PlanWorld| {
        corridor.repair(&world.handle().mesh(), &mut scratch).expect("both ends are there");
        (corridor.path().outcome, corridor.path().length)
    };
    world.set_door_open("north", false).expect("a door");
    let (outcome, long) = follow(&world);
    assert!(outcome == Outcome::Complete && long > short + 3.0, "{outcome:?}, {long} and {short} m");
    // It stays closed while the adjacent ground changes.
    let table =
        world.add_obstacle("ground", &Shape::new("table", Outline::rectangle([9.0, 2.0], [1.0, 1.0], 0.0)));
    world.update(&mut ()).expect("builds");
    world.set_door_open("south", false).expect("a door");
    let (outcome, _) = follow(&world);
    assert!(matches!(outcome, Outcome::Partial { .. }), "{outcome:?}");
    world.remove_obstacle(table.expect("a table"));
    world.update(&mut ()).expect("builds");
    assert!(matches!(follow(&world).0, Outcome::Partial { .. }));
    world.set_door_open("north", true).expect("a door");
    let (outcome, again) = follow(&world);
    assert!(outcome == Outcome::Complete && (again - short).abs() < 1e-3, "{again} and {short} m");
    assert!(world.set_door_open("east", true).expect_err("no such door").to_string().contains("east"));
}

/// The last call counts, whether it names a door or a link through it, over updates and for all
/// ground that is kept.
#[test]
fn doors_and_their_links_are_as_they_were_turned_last() {
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("ground", 0.0);
    storey.walkable.push(Shape::polygon("hall", vec![[0.0, 0.0], [20.0, 0.0], [20.0, 10.0], [0.0, 10.0]]));
    let wall = Outline::Wall { line: vec![[10.0, -1.0], [10.0, 11.0]], width: 0.4 };
    storey.blocked.push(Shape::new("wall", wall));
    for (name, z) in [("north", 1.0), ("south", 7.5)] {
        storey.doors.push(Door { depth: 0.8, ..Door::new(name, [[10.0, z], [10.0, z + 2.0]]) });
    }
    let baker = |keep| Baker::plans().with_config(Baker::plans().config().clone().with_keep(keep));
    for keep in [waymesh::Keep::All, waymesh::Keep::Largest] {
        let mut world = PlanWorld::new(baker(keep), plan.clone(), 7.0).expect("a world");
        world.update(&mut ()).expect("builds");
        let handle = world.handle();
        let mut random = waymesh::Random::new(3);
        let mut expected: std::collections::BTreeMap<LinkId, (u32, bool)> =
            handle.mesh().links_by_id().map(|(id, link)| (id, (link.data, link.is_open))).collect();
        assert!(expected.len() >= 2 && expected.values().all(|(_, is_open)| *is_open));
        let mut table = None;
        for turn in 0..200 {
            let is_open = random.chance(0.5);
            match random.below(3) {
                0 => {
                    let door = random.below(2);
                    world.set_door_open(["north", "south"][door as usize], is_open).expect("a door");
                    expected.values_mut().filter(|(of, _)| *of == door).for_each(|(_, now)| *now = is_open);
                }
                1 => {
                    let id = *expected.keys().nth(random.index(expected.len())).expect("a link");
                    if table.is_none() {
                        assert!(world.set_link_open(id, is_open));
                        expected.insert(id, (expected[&id].0, is_open));
                    }
                }
                _ => {
                    // A table in the northern door takes its links away for a while.
                    let shape = Shape::new("table", Outline::rectangle([10.0, 2.0], [1.0, 2.0], 0.0));
                    match table.take() {
                        Some(id) => assert!(world.remove_obstacle(id)),
                        None => table = Some(world.add_obstacle("ground", &shape).expect("a table")),
                    }
                    world.update(&mut ()).expect("builds");
                }
            }
            let mesh = handle.mesh();
            assert_eq!(mesh.links().len() == expected.len(), table.is_none());
            for (id, link) in mesh.links_by_id() {
                assert_eq!(link.is_open, expected[&id].1, "turn {turn}, door {}", link.data);
            }
        }
    }
}
