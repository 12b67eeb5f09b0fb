//! Areas of triangles reach the polygons, behind every front end that takes triangles.

use waymesh::bake::FrontEnd;
use waymesh::core::AreaId;
use waymesh::glam::{Vec2, Vec3, vec3};
use waymesh::graph::NavMesh;
use waymesh::voxel::{ClosedMesh, Mark, MarkShape};
use waymesh::{
    Area, AreaCosts, AreaTable, BakeConfig, Baker, Bounds, DecompositionKind, PartitionKind, PathOptions,
    QueryScratch, Reach, Slices, Storeys, TriangleSoup, Voxels, World,
};

const MUD: AreaId = AreaId(2);
const ICE: AreaId = AreaId(7);

/// Adds a rectangle that faces up: least and most x and z, and the heights at least and most x.
fn floor(soup: &mut TriangleSoup, x: [f32; 2], z: [f32; 2], y: [f32; 2], area: AreaId) {
    let corners =
        vec![vec3(x[0], y[0], z[0]), vec3(x[0], y[0], z[1]), vec3(x[1], y[1], z[1]), vec3(x[1], y[1], z[0])];
    soup.append_area(corners, vec![[0, 1, 2], [0, 2, 3]], area).expect("four corners");
}

/// A strip of mud across a floor, a hollow of ice in it, a small patch of mud, and a blocked hole.
fn ground() -> TriangleSoup {
    let mut soup = TriangleSoup::default();
    floor(&mut soup, [0.0, 8.0], [0.0, 20.0], [0.0; 2], AreaId::GROUND);
    floor(&mut soup, [8.0, 12.0], [0.0, 8.0], [0.0; 2], MUD);
    floor(&mut soup, [8.0, 12.0], [8.0, 12.0], [0.0; 2], ICE);
    floor(&mut soup, [8.0, 12.0], [12.0, 20.0], [0.0; 2], MUD);
    floor(&mut soup, [12.0, 24.0], [0.0, 10.0], [0.0; 2], AreaId::GROUND);
    // Above the floor, by less than a step.
    floor(&mut soup, [15.0, 16.2], [3.0, 4.2], [0.03; 2], MUD);
    floor(&mut soup, [18.0, 20.0], [4.0, 6.0], [0.03; 2], AreaId::NULL);
    floor(&mut soup, [12.0, 24.0], [10.0, 20.0], [0.0, 3.0], AreaId::GROUND);
    soup
}

/// Returns the triangles in the opposite order.
fn backwards(soup: &TriangleSoup) -> TriangleSoup {
    let mut areas: Vec<AreaId> = (0..soup.triangles().len()).map(|triangle| soup.area(triangle)).collect();
    let mut triangles = soup.triangles().to_vec();
    triangles.reverse();
    areas.reverse();
    let soup = TriangleSoup::new(soup.positions().to_vec(), triangles).expect("indices are in range");
    soup.with_areas(areas).expect("one area per triangle")
}

fn square_metres(mesh: &NavMesh, area: AreaId) -> f64 {
    mesh.polygons().filter(|polygon| polygon.area_id() == area).map(|polygon| polygon.area()).sum()
}

fn config<F: FrontEnd>() -> BakeConfig {
    let config = F::defaults().with_scale(0.2, 0.1).with_validate_stages(true);
    let agent = config.agent.with_radius(0.2).with_max_step(0.4);
    config.with_agent(agent)
}

/// Slices keep no radius.
fn slices_config() -> BakeConfig {
    let config = config::<Slices>();
    let agent = config.agent.with_radius(0.0);
    config.with_agent(agent)
}

fn bake<F: FrontEnd>(front: F, config: BakeConfig, soup: &F::Input) -> NavMesh {
    Baker::new(front, config).bake(soup).expect("there is ground")
}

/// `slack`: metres that a border may lie off.
fn check(name: &str, mesh: &NavMesh, slack: f64) {
    for (area, metres, border) in [(ICE, 16.0, 16.0), (MUD, 2.0 * 32.0 + 1.44, 50.0)] {
        let found = square_metres(mesh, area);
        assert!((found - metres).abs() <= border * slack, "{name}: {found} m2 of {area:?}");
    }
    // The rest of 480 m2, the hole, and the strip of a radius along the wall of the ramp.
    let found = square_metres(mesh, AreaId::GROUND);
    assert!((330.0..400.0).contains(&found), "{name}: {found} m2");
    for (at, area) in [
        (vec3(10.0, 0.0, 4.0), Some(MUD)),
        (vec3(10.0, 0.0, 10.0), Some(ICE)),
        (vec3(4.0, 0.0, 10.0), Some(AreaId::GROUND)),
        (vec3(15.6, 0.0, 3.6), Some(MUD)),
        (vec3(19.0, 0.0, 5.0), None),
    ] {
        let found = mesh.nearest(at, &Reach::new(0.3, 0.5, 0.5));
        let found = found.and_then(|place| mesh.polygon(place.polygon));
        assert_eq!(found.map(|polygon| polygon.area_id()), area, "{name}, at {at}");
    }
    assert_eq!(mesh.islands().len(), 1, "{name}: areas do not part the ground");
}

#[test]
fn areas_reach_the_polygons_of_voxels() {
    let soup = ground();
    for partition in [PartitionKind::Surfaces, PartitionKind::Watershed, PartitionKind::Monotone] {
        for decomposition in
            [DecompositionKind::default(), DecompositionKind::Greedy, DecompositionKind::HertelMehlhorn]
        {
            let config = config::<Voxels>().with_partition(partition).with_decomposition(decomposition);
            let mesh = bake(Voxels::default(), config.clone(), &soup);
            check(&format!("{partition:?}, {decomposition:?}"), &mesh, 0.2);
            assert_eq!(mesh, bake(Voxels::default(), config, &backwards(&soup)), "{partition:?}");
        }
    }
}

#[test]
fn areas_reach_the_polygons_of_tiles() {
    let soup = ground();
    let whole = bake(Voxels::default(), config::<Voxels>(), &soup);
    // With little memory triangles are spilled.
    for (tile_cells, memory) in [(16, 1 << 20), (48, 1), (0, 1 << 30)] {
        let config = config::<Voxels>().with_max_memory_bytes(memory);
        let tiled = bake(Voxels::default().with_tile_cells(tile_cells), config, &backwards(&soup));
        assert_eq!(tiled, whole, "tiles of {tile_cells} cells");
    }
}

#[test]
fn areas_reach_the_polygons_of_storeys() {
    let soup = ground();
    let config = config::<Storeys>();
    let mesh = bake(Storeys::default(), config.clone(), &soup);
    check("storeys", &mesh, 0.2);
    for tile_cells in [0, 16, 48] {
        let tiled = bake(Storeys::default().with_tile_cells(tile_cells), config.clone(), &backwards(&soup));
        assert_eq!(tiled, mesh, "tiles of {tile_cells} cells");
    }
}

#[test]
fn areas_reach_the_polygons_of_slices() {
    let soup = ground();
    for decomposition in [DecompositionKind::default(), DecompositionKind::Greedy] {
        let config = slices_config().with_decomposition(decomposition);
        let mesh = bake(Slices::default(), config.clone(), &soup);
        // All borders run along cells.
        check(&format!("slices, {decomposition:?}"), &mesh, 1e-5);
        for tile_cells in [0, 7, 16, 48] {
            let tiled = Slices::default().with_tile_cells(tile_cells);
            let tiled = bake(tiled, config.clone(), &backwards(&soup));
            assert_eq!(tiled, mesh, "tiles of {tile_cells} cells");
        }
    }
}

#[test]
fn slices_take_the_area_at_the_centre_of_a_cell() {
    // A border at an angle, on level ground and on slopes: mud where `x < 3 + z / 2`.
    for rise in [0.0, 2.0, -3.0] {
        let height = |x: f32| 3.0 + rise * x / 12.0;
        let corner = |x: f32, z: f32| vec3(x, height(x), z);
        let mut soup = TriangleSoup::default();
        for (left, right, area) in [([0.0, 0.0], [3.0, 8.0], MUD), ([3.0, 8.0], [12.0, 12.0], ICE)] {
            let corners = [(left[0], 0.0), (left[1], 10.0), (right[1], 10.0), (right[0], 0.0)];
            let corners = corners.map(|(x, z)| corner(x, z)).to_vec();
            soup.append_area(corners, vec![[0, 1, 2], [0, 2, 3]], area).expect("four corners");
        }
        let mesh = bake(Slices::default(), slices_config(), &soup);
        let centre = |cell: u8| 0.2 * (f32::from(cell) + 0.5);
        for (x, z) in (0..60).flat_map(|x| (0..50).map(move |z| (centre(x), centre(z)))) {
            let beyond = x - (3.0 + z / 2.0);
            if beyond.abs() < 1e-3 {
                continue;
            }
            let found = mesh.nearest(corner(x, z), &Reach::new(0.01, 0.5, 0.5)).expect("ground");
            let expected = if beyond < 0.0 { MUD } else { ICE };
            let area = mesh.polygon(found.polygon).expect("a polygon").area_id();
            assert_eq!(area, expected, "at {x}, {z}, rise {rise}");
        }
    }
}

#[test]
fn a_kerb_within_a_cell_of_slices_makes_no_strip() {
    // The pavement ends in the first third of a cell, so the road covers the centre.
    for (kerb, inside) in [(0.06, 4.05), (0.03, 4.17), (0.15, 4.05)] {
        let mut soup = TriangleSoup::default();
        floor(&mut soup, [0.0, inside], [0.0, 6.0], [kerb; 2], ICE);
        floor(&mut soup, [inside, 8.0], [0.0, 6.0], [0.0; 2], MUD);
        let mut corners = vec![vec3(inside, 0.0, 0.0), vec3(inside, kerb, 0.0)];
        corners.extend([vec3(inside, kerb, 6.0), vec3(inside, 0.0, 6.0)]);
        soup.append(corners, vec![[0, 1, 2], [0, 2, 3]]).expect("a kerb");
        let config = slices_config().with_scale(0.2, 0.02);
        let mesh = bake(Slices::default(), config, &soup);
        assert_eq!(mesh.polygon_count(), 2, "{kerb} m, at {inside}");
        assert!((square_metres(&mesh, ICE) - 4.2 * 6.0).abs() < 0.01);
    }
}

#[test]
fn areas_reach_the_polygons_of_a_world() {
    let soup = ground();
    let mut config = config::<Voxels>();
    config.min_region = Voxels::defaults().min_region;
    let mut world = World::new(Baker::voxels().with_config(config), &soup.bounds(), 32).expect("a world");
    world.add_triangles(&soup, &mut ()).expect("tiles");
    world.update(&mut ()).expect("ground");
    check("a world", &world.handle().mesh(), 0.2);
}

#[test]
fn ground_of_the_plain_area_is_as_before() {
    let mut plain = TriangleSoup::default();
    floor(&mut plain, [0.0, 9.0], [0.0, 9.0], [0.0, 1.0], AreaId::GROUND);
    let marked = plain.clone().with_areas(vec![AreaId::GROUND; 2]).expect("one area per triangle");
    assert_eq!(plain, marked);
    assert!(plain.clone().with_areas(vec![MUD]).is_err());
}

#[test]
fn the_highest_surface_gives_the_area() {
    for (mud, ice, expected) in [(0.02, 0.05, ICE), (0.05, 0.02, MUD), (0.02, 0.02, ICE)] {
        let mut soup = TriangleSoup::default();
        floor(&mut soup, [0.0, 6.0], [0.0, 6.0], [0.0; 2], AreaId::GROUND);
        floor(&mut soup, [0.0, 6.0], [0.0, 6.0], [mud; 2], MUD);
        floor(&mut soup, [0.0, 6.0], [0.0, 6.0], [ice; 2], ICE);
        for soup in [soup.clone(), backwards(&soup)] {
            for mesh in [
                bake(Voxels::default(), config::<Voxels>(), &soup),
                bake(Storeys::default(), config::<Storeys>(), &soup),
                bake(Slices::default(), slices_config(), &soup),
            ] {
                assert!(mesh.polygons().all(|polygon| polygon.area_id() == expected), "{mud}, {ice}");
            }
        }
        floor(&mut soup, [0.0, 6.0], [0.0, 3.0], [mud.max(ice); 2], AreaId::NULL);
        for mesh in [
            bake(Voxels::default(), config::<Voxels>(), &soup),
            bake(Storeys::default(), config::<Storeys>(), &soup),
            bake(Slices::default(), slices_config(), &soup),
        ] {
            let found = mesh.area();
            assert!((10.0..18.01).contains(&found), "{found} m2 beside what is blocked");
        }
    }
}

/// The inside of a mesh of these corners: of a tetrahedron, or of what a box becomes when turned.
fn closed(corners: &[Vec3]) -> MarkShape {
    let faces: &[[u32; 3]] = match corners.len() {
        4 => &[[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]],
        8 => &[
            [0, 1, 3],
            [0, 3, 2],
            [4, 6, 7],
            [4, 7, 5],
            [0, 4, 5],
            [0, 5, 1],
            [2, 3, 7],
            [2, 7, 6],
            [0, 2, 6],
            [0, 6, 4],
            [1, 5, 7],
            [1, 7, 3],
        ],
        _ => unreachable!("no such body"),
    };
    let soup = TriangleSoup::new(corners.to_vec(), faces.to_vec()).expect("indices are in range");
    MarkShape::Mesh { mesh: ClosedMesh::new(&soup).expect("a closed mesh") }
}

/// Mud in a box and on a disc, and a triangle without ground.
fn marks() -> Vec<Mark> {
    let bounds = Bounds { min: vec3(2.0, -1.0, 2.0), max: vec3(4.0, 1.0, 6.0) };
    let corners = vec![Vec2::new(6.0, 1.0), Vec2::new(9.0, 1.0), Vec2::new(6.0, 5.0)];
    vec![
        Mark::new(MarkShape::Box { bounds }, MUD),
        Mark::new(MarkShape::Cylinder { base: vec3(7.0, -0.5, 7.0), radius: 1.0, height: 1.0 }, MUD),
        Mark::new(MarkShape::Prism { corners, heights: [-1.0, 1.0] }, AreaId::NULL),
    ]
}

fn square() -> TriangleSoup {
    let mut soup = TriangleSoup::default();
    floor(&mut soup, [0.0, 10.0], [0.0, 10.0], [0.0; 2], AreaId::GROUND);
    soup
}

fn check_marks(name: &str, mesh: &NavMesh, plain: &NavMesh) {
    let mud = square_metres(mesh, MUD);
    assert!((mud - (8.0 + std::f64::consts::PI)).abs() < 1.2, "{name}: {mud} m2 of mud");
    let cut = plain.area() - mesh.area();
    assert!((cut - 6.0).abs() < 1.2, "{name}: {cut} m2 cut out");
}

#[test]
fn marks_give_ground_another_area() {
    let soup = square();
    let marked = |config: BakeConfig| config.with_marks(marks());
    let plain = bake(Voxels::default(), config::<Voxels>(), &soup);
    let voxels = bake(Voxels::default(), marked(config::<Voxels>()), &soup);
    check_marks("voxels", &voxels, &plain);
    for tile_cells in [16, 32] {
        let tiles = Voxels::default().with_tile_cells(tile_cells);
        assert_eq!(bake(tiles, marked(config::<Voxels>()), &soup), voxels, "tiles of {tile_cells} cells");
    }
    let plain = bake(Storeys::default(), config::<Storeys>(), &soup);
    let storeys = bake(Storeys::default(), marked(config::<Storeys>()), &soup);
    check_marks("storeys", &storeys, &plain);
    let small = Storeys::default().with_tile_cells(16);
    assert_eq!(bake(small, marked(config::<Storeys>()), &soup), storeys);
    let plain = bake(Slices::default(), slices_config(), &soup);
    let slices = bake(Slices::default(), marked(slices_config()), &soup);
    check_marks("slices", &slices, &plain);
    for tile_cells in [0, 7, 32] {
        let tiled = Slices::default().with_tile_cells(tile_cells);
        assert_eq!(bake(tiled, marked(slices_config()), &backwards(&soup)), slices);
    }
    let beyond = Mark::new(MarkShape::Prism { corners: vec![Vec2::ZERO; 2], heights: [0.0, 1.0] }, MUD);
    let refused = Baker::new(Slices::default(), slices_config().with_marks(vec![beyond])).bake(&soup);
    assert!(refused.expect_err("no prism").to_string().contains("2 corners"));
}

#[test]
fn a_mesh_marks_what_a_prism_of_the_same_shape_does() {
    let soup = square();
    let turn = Vec2::from_angle(0.5);
    let plan = [(-3.0, -1.5), (-3.0, 1.5), (3.0, -1.5), (3.0, 1.5)]
        .map(|(x, z)| Vec2::new(5.03, 4.96) + turn.rotate(Vec2::new(x, z)));
    let corners: Vec<Vec3> = plan.iter().flat_map(|at| [-0.5, 0.5].map(|y| vec3(at.x, y, at.y))).collect();
    let outline = [0, 1, 3, 2].map(|corner: usize| plan[corner]).to_vec();
    let shapes = [closed(&corners), MarkShape::Prism { corners: outline, heights: [-0.5, 0.5] }];
    let [by_mesh, by_prism] = shapes.map(|shape| vec![Mark::new(shape, MUD)]);
    let check = |name: &str, [mesh, prism]: [NavMesh; 2]| {
        assert_eq!(mesh, prism, "{name}");
        assert!((square_metres(&mesh, MUD) - 18.0).abs() < 1.0, "{name}: {} m2", square_metres(&mesh, MUD));
    };
    let both = [&by_mesh, &by_prism];
    let marked = |config: BakeConfig, marks: &[Mark]| config.with_marks(marks.to_vec());
    check("voxels", both.map(|marks| bake(Voxels::default(), marked(config::<Voxels>(), marks), &soup)));
    let tiles = Voxels::default().with_tile_cells(16);
    check("tiles", both.map(|marks| bake(tiles.clone(), marked(config::<Voxels>(), marks), &soup)));
    let storeys = Storeys::default().with_tile_cells(16);
    check("storeys", both.map(|marks| bake(storeys, marked(config::<Storeys>(), marks), &soup)));
    let slices = Slices::default().with_tile_cells(16);
    check("slices", both.map(|marks| bake(slices, marked(slices_config(), marks), &soup)));
    check(
        "a world",
        both.map(|marks| {
            let mut world = World::new(Baker::voxels().with_config(config::<Voxels>()), &soup.bounds(), 16)
                .expect("a world");
            world.add_triangles(&soup, &mut ()).expect("tiles");
            world.update(&mut ()).expect("ground");
            let plain = world.handle().mesh();
            let id = world.add_mark(marks[0].clone()).expect("a shape");
            world.update(&mut ()).expect("ground");
            let marked = world.handle().mesh();
            assert!(world.remove_mark(id));
            world.update(&mut ()).expect("ground");
            assert_eq!(world.handle().mesh(), plain);
            NavMesh::clone(&marked)
        }),
    );
}

#[test]
fn a_mesh_marks_a_part_of_a_slope() {
    // A wedge that stands on its edge along z, over ground that rises: what is inside changes with
    // the height.
    let mut soup = TriangleSoup::default();
    floor(&mut soup, [0.0, 12.0], [0.0, 4.0], [0.0, 3.0], AreaId::GROUND);
    let corners = [vec3(3.0, 0.0, 2.0), vec3(3.0, 3.0, -8.0), vec3(3.0, 3.0, 12.0), vec3(13.0, 3.0, 2.0)];
    let mark = Mark::new(closed(&corners), MUD);
    let mesh = bake(Slices::default(), slices_config().with_marks(vec![mark]), &soup);
    let inside = |x: f32, z: f32| {
        // The section at the height of the ground is a triangle, as large as it is high.
        let share = x / 12.0;
        let (low, depth) = (x - 3.0, 10.0 * share);
        low >= 0.0 && (z - 2.0).abs() <= depth - low
    };
    let centre = |cell: u8| 0.2 * (f32::from(cell) + 0.5);
    let mut found = 0;
    for (x, z) in (0..60).flat_map(|x| (0..20).map(move |z| (centre(x), centre(z)))) {
        let expected = inside(x, z);
        let is_clear = [(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)]
            .iter()
            .all(|(dx, dz)| inside(x + dx * 0.02, z + dz * 0.02) == expected);
        if is_clear {
            let place = mesh.nearest(vec3(x, x / 4.0, z), &Reach::new(0.01, 0.5, 0.5)).expect("ground");
            let area = mesh.polygon(place.polygon).expect("a polygon").area_id();
            assert_eq!(area == MUD, expected, "at {x}, {z}");
            found += u32::from(expected);
        }
    }
    assert!(found > 50, "{found} cells");
}

#[test]
fn marks_of_slices_look_at_the_true_ground() {
    // A ramp from 0 to 3 m, and a mark for what lies between 1 and 2 m; levels are 0.1 m high.
    let mut soup = TriangleSoup::default();
    floor(&mut soup, [0.0, 12.0], [0.0, 4.0], [0.0, 3.0], AreaId::GROUND);
    let bounds = Bounds { min: vec3(-1.0, 1.0, -1.0), max: vec3(13.0, 2.0, 5.0) };
    let marks = vec![Mark::new(MarkShape::Box { bounds }, MUD)];
    let mesh = bake(Slices::default(), slices_config().with_marks(marks), &soup);
    // 4 m of the ramp are 20 cells of 0.2 m in plan.
    let found = square_metres(&mesh, MUD);
    assert!((found - 16.0).abs() < 1e-5, "{found} m2");
}

#[test]
fn marks_come_and_go_in_a_world() {
    let soup = square();
    let world = |config: BakeConfig| {
        let mut world = World::new(Baker::voxels().with_config(config), &soup.bounds(), 16).expect("a world");
        world.add_triangles(&soup, &mut ()).expect("tiles");
        world.update(&mut ()).expect("ground");
        world
    };
    let baked = world(config::<Voxels>().with_marks(marks())).handle().mesh();
    let mut world = world(config::<Voxels>());
    let handle = world.handle();
    let plain = handle.mesh();
    check_marks("a world", &baked, &plain);
    let ids: Vec<_> = marks().into_iter().map(|mark| world.add_mark(mark).expect("a shape")).collect();
    world.update(&mut ()).expect("ground");
    assert_eq!(*handle.mesh(), *baked);
    assert!(ids.iter().all(|&id| world.remove_mark(id)) && !world.remove_mark(ids[0]));
    world.update(&mut ()).expect("ground");
    assert_eq!(*handle.mesh(), *plain);
    let flat = MarkShape::Prism { corners: vec![Vec2::ZERO; 2], heights: [0.0, 1.0] };
    assert!(world.add_mark(Mark::new(flat, MUD)).is_err());
}

#[test]
fn a_mesh_keeps_the_names_and_costs_of_its_areas() {
    let mut areas = AreaTable::default();
    areas.insert(MUD, Area::new("mud").with_cost(4.0)).expect("a name");
    let config = config::<Voxels>().with_areas(areas.clone()).with_marks(vec![Mark::new(
        MarkShape::Box { bounds: Bounds { min: vec3(4.0, -1.0, -1.0), max: vec3(6.0, 1.0, 7.0) } },
        MUD,
    )]);
    let mesh = bake(Voxels::default(), config, &square());
    assert_eq!((mesh.area_table(), mesh.area_by_name("mud")), (&areas, Some(MUD)));
    let options = PathOptions::default().with_cost(AreaCosts::of_mesh(&mesh));
    let (from, to) = (vec3(3.0, 0.0, 5.0), vec3(7.0, 0.0, 5.0));
    let mut scratch = QueryScratch::default();
    let straight = mesh.query().memory(&mut scratch).path(from, to).expect("a path");
    let around = mesh.query().options(options).memory(&mut scratch).path(from, to).expect("a path");
    assert!(straight.length < 4.1 && (5.0..7.0).contains(&around.length), "{} m", around.length);
    assert!((around.cost - around.length).abs() < 0.5, "it costs {}", around.cost);
}
