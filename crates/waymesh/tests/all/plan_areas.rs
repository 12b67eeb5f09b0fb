//! Areas and marks of floor plans, and of plans that change.

use glam::{Vec2, Vec3, vec3};
use waymesh::core::TriangleSoup;
use waymesh::core::Validate;
use waymesh::floorplan::{EXAMPLE, FloorPlan, Outline, PlanFormat, ReadOptions, Shape, parse_plan};
use waymesh::graph::{AreaCosts, AreaFilter, NavMesh};
use waymesh::voxel::{ClosedMesh, Mark, MarkShape};
use waymesh::{
    AreaId, Baker, Bounds, FloorPlans, Outcome, PathOptions, PlanWorld, QueryScratch, Reach, Voxels, World,
};

const MUD: AreaId = AreaId(2);

fn baker(plan: &FloorPlan) -> Baker<FloorPlans> {
    let baker = Baker::plans_for(plan);
    let config = baker.config().clone().with_validate_stages(true);
    baker.with_config(config)
}

fn bake(plan: &FloorPlan, marks: Vec<Mark>) -> NavMesh {
    let baker = baker(plan);
    let config = baker.config().clone().with_marks(marks);
    let mesh = baker.with_config(config).bake(plan).expect("a mesh");
    mesh.validate().expect("a sound mesh");
    mesh
}

fn square_metres(mesh: &NavMesh, area: AreaId) -> f64 {
    mesh.polygons().filter(|polygon| polygon.area_id() == area).map(|polygon| polygon.area()).sum()
}

fn square(x: f64, z: f64, side: f64) -> Vec<[f64; 2]> {
    vec![[x, z], [x + side, z], [x + side, z + side], [x, z + side]]
}

/// Two storeys of 20 m a side.
fn house() -> FloorPlan {
    let mut plan = FloorPlan::default();
    for (name, elevation) in [("ground", 0.0), ("upper", 3.0)] {
        let hall = Shape::polygon("hall", square(0.0, 0.0, 20.0));
        plan.storey_mut(name, elevation).walkable.push(hall);
    }
    plan
}

#[test]
fn areas_of_a_plan_are_those_of_its_mesh() {
    let plan = parse_plan("example", EXAMPLE.as_bytes(), PlanFormat::Toml, &ReadOptions::default()).unwrap();
    let mesh = bake(&plan, Vec::new());
    assert_eq!(mesh.area_table(), &plan.areas);
    let grass = mesh.area_by_name("grass").expect("an area");
    let area_at = |place: Vec3| {
        let found = mesh.nearest(place, &Reach::new(0.5, 0.5, 0.5)).expect("ground");
        mesh.polygon(found.polygon).expect("a polygon").area_id()
    };
    assert_eq!(area_at(vec3(4.0, 0.0, 11.0)), grass);
    assert_eq!(area_at(vec3(6.6, 0.0, 6.8)), mesh.area_by_name("wet").expect("an area"));
    assert_eq!(area_at(vec3(6.6, 3.0, 6.8)), AreaId::GROUND, "the storey above");
    // The number of doors is that without areas, and one path leads through all of them.
    let mut plain = plan.clone();
    for storey in &mut plain.storeys {
        storey.marks.clear();
        storey.walkable.iter_mut().for_each(|shape| shape.area = AreaId::GROUND);
    }
    let without = bake(&plain, Vec::new());
    assert!((mesh.area() - without.area()).abs() < 0.01);
    assert_eq!(mesh.islands().len(), without.islands().len());
    let (from, to) = (vec3(4.0, 0.0, 11.0), vec3(9.5, 0.0, 2.0));
    let mut scratch = QueryScratch::default();
    let mut length = |mesh: &NavMesh, options: &PathOptions| {
        let path = mesh.query().options(*options).memory(&mut scratch).path(from, to).expect("a path");
        assert_eq!(path.outcome, Outcome::Complete);
        (path.length, path.cost)
    };
    let options = PathOptions::default();
    let (with, cost) = length(&mesh, &options);
    assert!(
        (with - length(&without, &options).0).abs() < 0.01 && (cost - with).abs() < 1.5,
        "{with}, {cost}"
    );
}

#[test]
fn marks_of_the_settings_are_on_the_storeys_in_them() {
    let plan = house();
    let plain = bake(&plan, Vec::new());
    let bounds = Bounds { min: vec3(2.0, -1.0, 2.0), max: vec3(4.0, 4.0, 4.0) };
    let corners = vec![Vec2::new(6.0, 6.0), Vec2::new(9.0, 6.0), Vec2::new(6.0, 10.0)];
    let marks = vec![
        Mark::new(MarkShape::Box { bounds }, MUD),
        Mark::new(MarkShape::Prism { corners, heights: [2.0, 4.0] }, AreaId::NULL),
        Mark::new(MarkShape::Cylinder { base: vec3(15.0, -0.5, 15.0), radius: 1.0, height: 1.0 }, MUD),
    ];
    let mesh = bake(&plan, marks);
    let mud = square_metres(&mesh, MUD);
    assert!(
        (mud - 8.0 - std::f64::consts::PI).abs() < 0.02,
        "{mud} m2: a box on both storeys, a disc on one"
    );
    let cut = plain.area() - mesh.area();
    assert!((cut - 6.0).abs() < 0.01, "{cut} m2 cut out of one storey, without the agent's radius");
    assert_eq!(mesh.islands().len(), 2, "areas do not part the ground");
    let flat = Mark::new(MarkShape::Prism { corners: vec![Vec2::ZERO; 2], heights: [0.0, 1.0] }, MUD);
    let config = Baker::plans().config().clone().with_marks(vec![flat]);
    assert!(Baker::plans().with_config(config).bake(&plan).is_err());
}

/// The warnings of a bake.
#[derive(Default)]
struct Warnings(Vec<String>);

impl waymesh::core::Observer for Warnings {
    fn warn(&mut self, warning: waymesh::core::Warning) {
        self.0.push(warning.to_string());
    }
}

#[test]
fn marks_that_touch_nothing_are_reported() {
    let cuboid = |min: Vec3, max: Vec3| Mark::new(MarkShape::Box { bounds: Bounds { min, max } }, MUD);
    let touching = cuboid(vec3(1.0, -1.0, 1.0), vec3(3.0, 1.0, 3.0));
    for (mark, expected) in [
        (cuboid(vec3(1.0, 1.0, 1.0), vec3(3.0, 2.0, 3.0)), "touches no ground"),
        (cuboid(vec3(40.0, -1.0, 1.0), vec3(43.0, 1.0, 3.0)), "touches no ground"),
        (cuboid(vec3(1.0, 1.0, 1.0), vec3(3.0, -1.0, 3.0)), "above its upper end"),
    ] {
        let marks = vec![touching.clone(), mark];
        let plan = house();
        let floor = [[0., 0.], [20., 0.], [20., 20.], [0., 20.]].map(|[x, z]: [f32; 2]| vec3(x, 0.0, z));
        let soup = TriangleSoup::new(floor.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).expect("a floor");
        let check = |name: &str, mark: &str, Warnings(told): &Warnings| {
            let odd: Vec<&String> = told.iter().filter(|one| one.contains("mark ")).collect();
            let is_told = |one: &&String| one.contains(mark) && one.contains(expected);
            assert!(odd.len() == 1 && odd.iter().all(is_told), "{name}: {told:?}");
        };
        macro_rules! bakes {
            ($($baker:expr, $input:expr;)*) => {$({
                let baker = $baker;
                let (config, mut told) = (baker.config().clone().with_marks(marks.clone()), Warnings::default());
                baker.with_config(config).bake_observed($input, &mut told).expect("a mesh");
                check(stringify!($baker), "mark 1", &told);
            })*};
        }
        let folder = tempfile::tempdir().expect("a folder");
        let in_folder = || Voxels::default().with_tile_cells(32).with_folder(folder.path());
        bakes! {
            baker(&plan), &plan;
            Baker::voxels(), &soup;
            Baker::voxels().with_front(Voxels::default().with_tile_cells(16)), &soup;
            Baker::voxels().with_front(in_folder()), &soup;
            // Read from the folder.
            Baker::voxels().with_front(in_folder()), &soup;
            Baker::storeys(), &soup;
            Baker::slices(), &soup;
        }
        let [mut of_settings, mut added, mut again] = [const { Warnings(Vec::new()) }; 3];
        let config = Baker::voxels().config().clone();
        let world = |config| {
            let baker = Baker::voxels().with_config(config);
            let mut world = World::new(baker, &soup.bounds(), 32).expect("a world");
            world.add_triangles(&soup, &mut ()).expect("triangles");
            world
        };
        world(config.clone().with_marks(marks.clone())).update(&mut of_settings).expect("a mesh");
        check("world", "mark 1", &of_settings);
        let mut world = world(config);
        for mark in &marks {
            world.add_mark(mark.clone()).expect("a mark");
        }
        world.update(&mut added).expect("a mesh");
        check("world, added", "mark 1", &added);
        world.update(&mut again).expect("a mesh");
        assert!(again.0.is_empty(), "{:?}", again.0);
    }
}

#[test]
fn marks_of_a_plan_that_changes_are_reported_if_they_touch_nothing() {
    let mut world = PlanWorld::new(baker(&house()), house(), 4.0).expect("a world");
    let square = |name: &str, x: f64| {
        Shape::polygon(name, vec![[x, 1.0], [x + 1.0, 1.0], [x + 1.0, 2.0], [x, 2.0]]).with_area(MUD)
    };
    world.add_mark("upper", &square("on", 1.0)).expect("a mark");
    world.add_mark("upper", &square("beside", 400.0)).expect("a mark");
    // One that goes before the update was never there.
    let gone = world.add_mark("upper", &square("gone", 500.0)).expect("a mark");
    assert!(world.remove_mark(gone));
    let mut told = Warnings::default();
    world.update(&mut told).expect("a mesh");
    assert!(matches!(&told.0[..], [one] if one.contains("beside: touches no ground")), "{:?}", told.0);
}

#[test]
fn a_mesh_marks_its_section_at_the_height_of_a_storey() {
    let mut plan = house();
    plan.storeys[1].elevation = 3.2;
    // An octahedron of 4 m about a place 1.2 m above the ground, and a box that stands on the upper
    // storey.
    let centre = vec3(10.0, 1.2, 10.0);
    let mut corners: Vec<Vec3> = [Vec3::X, Vec3::Y, Vec3::Z]
        .into_iter()
        .flat_map(|axis| [centre + axis * 4.0, centre - axis * 4.0])
        .collect();
    let mut faces: Vec<[u32; 3]> =
        (0..8).map(|bits| [bits & 1, 2 + (bits >> 1 & 1), 4 + (bits >> 2 & 1)]).collect();
    let closed = |corners: &[Vec3], faces: &[[u32; 3]]| {
        let soup = TriangleSoup::new(corners.to_vec(), faces.to_vec()).expect("indices are in range");
        ClosedMesh::new(&soup).expect("a closed mesh")
    };
    let marks = vec![Mark::new(MarkShape::Mesh { mesh: closed(&corners, &faces) }, MUD)];
    let mesh = bake(&plan, marks);
    let of = |mesh: &NavMesh| {
        let mut found = [0.0; 2];
        for polygon in mesh.polygons().filter(|polygon| polygon.area_id() == MUD) {
            found[usize::from(polygon.positions().any(|at| at.y > 1.0))] += polygon.area();
        }
        found
    };
    let found = of(&mesh);
    for (found, away) in found.into_iter().zip([1.2_f64, 2.0]) {
        assert!((found - 2.0 * (4.0 - away).powi(2)).abs() < 0.01, "{found} m2, {away} m from the middle");
    }
    // A tower on the upper storey, with a shaft in it.
    (corners, faces) = (Vec::new(), Vec::new());
    for (x, z, side) in [(2.0, 2.0, 6.0), (4.0, 4.0, 2.0)] {
        let first = u32::try_from(corners.len()).expect("few");
        for (dx, dz) in [(0.0, 0.0), (side, 0.0), (side, side), (0.0, side)] {
            corners.extend([3.2, 9.0].map(|y| vec3(x + dx, y, z + dz)));
        }
        let sides = (0..4).flat_map(|side| {
            let (low, next) = (2 * side, 2 * ((side + 1) % 4));
            [[low, low + 1, next], [next, low + 1, next + 1]]
        });
        let ends = [[0, 2, 4], [0, 4, 6], [1, 5, 3], [1, 7, 5]];
        faces.extend(sides.chain(ends).map(|face| face.map(|corner| corner + first)));
    }
    let mark = |area| vec![Mark::new(MarkShape::Mesh { mesh: closed(&corners, &faces) }, area)];
    let found = of(&bake(&plan, mark(MUD)));
    assert!(found[0] < 1e-9 && (found[1] - 32.0).abs() < 0.01, "{found:?} m2");
    let (plain, cut) = (bake(&plan, Vec::new()).area(), bake(&plan, mark(AreaId::NULL)).area());
    assert!((plain - cut - 32.0).abs() < 0.01, "{} m2 cut out", plain - cut);
}

#[test]
fn paths_pay_for_areas_of_plans_and_filters_close_them() {
    let mut plan = house();
    let mud = plan.areas.named("mud:10").expect("an area");
    plan.storeys[0].marks.push(
        Shape::polygon("puddle", vec![[9.0, -1.0], [11.0, -1.0], [11.0, 15.0], [9.0, 15.0]]).with_area(mud),
    );
    let mesh = bake(&plan, Vec::new());
    let (from, to) = (vec3(5.0, 0.0, 10.0), vec3(15.0, 0.0, 10.0));
    let mut scratch = QueryScratch::default();
    let mut length = |options: &PathOptions| {
        mesh.query().options(*options).memory(&mut scratch).path(from, to).expect("a path").length
    };
    assert!((length(&PathOptions::default()) - 10.0).abs() < 1e-3);
    let costs = PathOptions::default().with_cost(AreaCosts::of_mesh(&mesh));
    let around = mesh.query().options(costs).memory(&mut scratch).path(from, to).expect("a path").length;
    let corners = 2.0 * 4.0_f32.hypot(5.0) + 2.0;
    assert!((around - corners).abs() < 0.02, "{around} m round the puddle, at best {corners}");
    let filter = PathOptions::default().with_filter(AreaFilter::default().without(mud));
    let around = mesh.query().options(filter).memory(&mut scratch).path(from, to).expect("a path").length;
    assert!((around - corners).abs() < 0.02, "{around} m with the puddle closed");
}

#[test]
fn marks_come_and_go_in_a_plan_that_changes() {
    let plan = house();
    let mut world = PlanWorld::new(baker(&plan), plan.clone(), 8.0).expect("a world");
    world.update(&mut ()).expect("ground");
    let handle = world.handle();
    let empty = handle.mesh();
    let puddle = Shape::polygon("puddle", square(6.0, 6.0, 4.0)).with_area(MUD);
    let hole = Shape::disc("hole", [8.0, 8.0], 1.0).with_area(AreaId::NULL);
    let first = world.add_mark("upper", &puddle).expect("a mark");
    assert!(world.is_dirty());
    assert_eq!(world.update(&mut ()).expect("ground").rebuilt, 4, "the windows that it lies on");
    assert!((square_metres(&handle.mesh(), MUD) - 16.0).abs() < 0.01);
    assert_eq!(handle.mesh().islands().len(), 2);
    let second = world.add_mark("upper", &hole).expect("a mark");
    world.update(&mut ()).expect("ground");
    let cut = empty.area() - handle.mesh().area();
    assert!((cut - std::f64::consts::PI).abs() < 0.05, "{cut} m2");
    let mesh = handle.mesh();
    let on_upper = mesh.nearest(vec3(7.0, 3.0, 7.0), &Reach::new(0.1, 0.1, 0.1)).expect("ground");
    assert_eq!(mesh.polygon(on_upper.polygon).map(|polygon| polygon.area_id()), Some(MUD));
    // Equal to the result with the marks in the plan.
    let mut marked = plan.clone();
    marked.storeys[1].marks = vec![puddle.clone(), hole.clone()];
    let mut other = PlanWorld::new(baker(&marked), marked, 8.0).expect("a world");
    other.update(&mut ()).expect("ground");
    assert_eq!(*other.handle().mesh(), *handle.mesh());
    assert!(world.remove_mark(first) && !world.remove_mark(first));
    assert!(world.remove_mark(second));
    world.update(&mut ()).expect("ground");
    assert_eq!(*handle.mesh(), *empty);
    assert!(world.add_mark("cellar", &puddle).is_err());
    let line =
        Shape::new("a line", Outline::Polygon { outer: vec![[0.0, 0.0], [1.0, 0.0]], holes: Vec::new() });
    assert!(world.add_mark("upper", &line).is_err());
}
