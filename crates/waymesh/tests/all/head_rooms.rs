//! Agents of several heights on one mesh.

use glam::{Vec3, vec3};
use waymesh::bake::FrontEnd;
use waymesh::core::{TriangleSource, Validate};
use waymesh::floorplan::FloorPlan;
use waymesh::graph::{NavMesh, PathSearch};
use waymesh::voxel::{Mark, MarkShape};
use waymesh::{
    Area, AreaFilter, AreaId, AreaTable, BakeConfig, BakeError, Baker, Bounds, FloorPlans, HeadRoomFilter,
    Outcome, PathOptions, QueryScratch, Reach, Slices, Storeys, TriangleSoup, Voxels, World,
};

const HEIGHTS: [f32; 3] = [0.9, 1.8, 3.0];
const MUD: AreaId = AreaId(2);

fn rectangle(soup: &mut TriangleSoup, x: [f32; 2], z: [f32; 2], y: [f32; 2]) {
    let corners = [(0, 0), (0, 1), (1, 1), (1, 0)].map(|(i, k)| vec3(x[i], y[i], z[k]));
    soup.append(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).expect("finite corners");
}

/// A floor with a step along its middle, and over it a low roof, a higher one, and one that slopes
/// down to the ground. Nothing is over the strip along one side.
fn hall() -> TriangleSoup {
    let mut soup = TriangleSoup::default();
    rectangle(&mut soup, [0.0, 12.0], [0.0, 12.0], [0.0; 2]);
    rectangle(&mut soup, [12.0, 24.0], [0.0, 12.0], [0.4; 2]);
    rectangle(&mut soup, [3.0, 6.0], [3.0, 12.0], [1.3; 2]);
    rectangle(&mut soup, [10.0, 14.0], [3.0, 12.0], [2.3; 2]);
    rectangle(&mut soup, [16.0, 22.0], [3.0, 12.0], [4.9, 0.4]);
    soup
}

fn config<F: FrontEnd>(radius: f32) -> BakeConfig {
    let config = F::defaults().with_scale(0.2, 0.1).with_validate_stages(true).with_max_edge_error(0.0);
    let mut agent = config.agent.with_radius(radius);
    agent.max_step = 0.5;
    config.with_agent(agent)
}

fn bake<F: FrontEnd<Input = dyn TriangleSource>>(front: F, config: BakeConfig) -> NavMesh {
    let mesh = Baker::new(front, config).bake(&hall()).expect("ground");
    mesh.validate().expect("a sound mesh");
    mesh
}

fn square_metres(mesh: &NavMesh, height: f32) -> f64 {
    mesh.polygons().filter(|polygon| polygon.head_room() >= height).map(|polygon| polygon.area()).sum()
}

/// The ground of every class is that of a bake for an agent of its height: in square metres, and at
/// `least` of 1000 places.
fn check(name: &str, mesh: &NavMesh, (slack, least): (f64, usize), alone: impl Fn(f32) -> NavMesh) {
    for height in HEIGHTS {
        let alone = alone(height);
        let (found, expected) = (square_metres(mesh, height), alone.area());
        assert!((found - expected).abs() < slack, "{name}, {height} m high: {found} m2, alone {expected}");
        let filter = HeadRoomFilter::new(height);
        let reach = Reach::new(0.05, 0.5, 0.5);
        let (mut same, mut tried) = (0, 0_usize);
        for (x, z) in (0..48).flat_map(|x| (0..24).map(move |z| (x, z))) {
            let place = vec3(x as f32 * 0.5 + 0.2, 0.2, z as f32 * 0.5 + 0.2);
            let own = mesh.nearest_with(place, &reach, &filter).is_some();
            tried += 1;
            same += usize::from(own == alone.nearest(place, &reach).is_some());
        }
        assert!(same * 1000 >= tried * least, "{name}, {height} m high: {same} of {tried} places");
    }
}

#[test]
fn classes_are_the_ground_of_a_bake_for_each_height() {
    for radius in [0.0, 0.4] {
        let classes = config::<Voxels>(radius).with_height_classes(HEIGHTS);
        let mesh = bake(Voxels::default(), classes.clone());
        let alone = |height: f32| {
            let config = config::<Voxels>(radius);
            let agent = config.agent.with_height(height);
            bake(Voxels::default(), config.with_agent(agent))
        };
        check("voxels", &mesh, (0.01, 1000), alone);
        for tile_cells in [16, 32] {
            let tiles = Voxels::default().with_tile_cells(tile_cells);
            let tiled = Baker::new(tiles, classes.clone().with_max_memory_bytes(1 << 30));
            assert_eq!(tiled.bake(&hall()).expect("ground"), mesh, "tiles of {tile_cells} cells");
        }
        let classes = config::<Storeys>(radius).with_height_classes(HEIGHTS);
        let mesh = bake(Storeys::default(), classes.clone());
        let alone = |height: f32| {
            let config = config::<Storeys>(radius);
            let agent = config.agent.with_height(height);
            bake(Storeys::default(), config.with_agent(agent))
        };
        check("storeys", &mesh, (4.0, 985), alone);
        assert_eq!(bake(Storeys::default().with_tile_cells(16), classes), mesh);
    }
}

#[test]
fn classes_are_those_of_a_world() {
    let soup = hall();
    let classes = config::<Voxels>(0.4).with_height_classes(HEIGHTS);
    let whole = bake(Voxels::default(), classes.clone());
    let mut world = World::new(Baker::voxels().with_config(classes), &soup.bounds(), 32).expect("a world");
    world.add_triangles(&soup, &mut ()).expect("tiles");
    world.update(&mut ()).expect("ground");
    let mesh = world.handle().mesh();
    for height in HEIGHTS {
        let (found, expected) = (square_metres(&mesh, height), square_metres(&whole, height));
        assert!((found - expected).abs() < 0.1, "{height} m high: {found} m2, {expected} in one bake");
    }
    assert!(square_metres(&mesh, 3.0) < square_metres(&mesh, 1.8));
}

#[test]
fn agents_pass_where_they_have_room() {
    let mesh = bake(Voxels::default(), config::<Voxels>(0.4).with_height_classes(HEIGHTS));
    let (from, to) = (vec3(1.5, 0.0, 9.0), vec3(8.0, 0.0, 9.0));
    let mut scratch = QueryScratch::default();
    let mut lengths = HEIGHTS.map(|height| {
        let options = PathOptions::default().with_filter(HeadRoomFilter::new(height));
        let path = mesh.query().options(options).memory(&mut scratch).path(from, to).expect("a path");
        assert_eq!(path.outcome, Outcome::Complete);
        for &polygon in &path.polygons {
            assert!(mesh.head_room(polygon).expect("a polygon") >= height);
        }
        let options = options.with_search(PathSearch::Shortest);
        let shortest = mesh.query().options(options).memory(&mut scratch).path(from, to).expect("a path");
        assert!(shortest.length <= path.length + 1e-3);
        path.length
    });
    assert!((lengths[0] - 6.5).abs() < 0.1, "crouched, straight under the low roof: {} m", lengths[0]);
    assert!(lengths[1] > 12.0 && (lengths[1] - lengths[2]).abs() < 1.0, "round the roof: {lengths:?}");
    // Under the higher roof.
    let (from, to) = (vec3(8.0, 0.0, 9.0), vec3(15.2, 0.4, 9.0));
    lengths = HEIGHTS.map(|height| {
        let options = PathOptions::default().with_filter(HeadRoomFilter::new(height));
        mesh.query().options(options).memory(&mut scratch).path(from, to).expect("a path").length
    });
    assert!(lengths[1] < 7.6 && lengths[2] > 12.0, "{lengths:?}");
    let too_tall = PathOptions::default().with_filter(HeadRoomFilter::new(3.1));
    assert!(
        mesh.query().options(too_tall).memory(&mut scratch).path(from, to).is_err(),
        "nobody knows of room for it"
    );
    let reach = Reach::new(0.1, 0.5, 0.5);
    assert!(mesh.nearest_with(vec3(4.5, 0.0, 9.0), &reach, &HeadRoomFilter::new(1.8)).is_none());
}

#[test]
fn areas_and_classes_are_told_apart() {
    let bounds = Bounds { min: vec3(1.0, -1.0, 5.0), max: vec3(8.0, 1.0, 7.0) };
    let mut areas = AreaTable::default();
    areas.insert(MUD, Area::new("mud").with_cost(3.0)).expect("a name");
    let marked = |front: &dyn Fn(BakeConfig) -> NavMesh, config: BakeConfig| {
        let marks = vec![Mark::new(MarkShape::Box { bounds }, MUD)];
        front(config.with_marks(marks).with_areas(areas.clone()).with_height_classes(HEIGHTS))
    };
    for (name, mesh) in [
        ("voxels", marked(&|config| bake(Voxels::default(), config), config::<Voxels>(0.4))),
        ("storeys", marked(&|config| bake(Storeys::default(), config), config::<Storeys>(0.4))),
    ] {
        let of = |least: f32, area: AreaId| -> f64 {
            let own =
                mesh.polygons().filter(|polygon| polygon.area_id() == area && polygon.head_room() >= least);
            own.map(|polygon| polygon.area()).sum()
        };
        let (low, high) = (of(0.0, MUD), of(1.8, MUD));
        assert!((low - 14.0).abs() < 1.5, "{name}: {low} m2 of mud");
        assert!((low - high - 3.8 * 2.0).abs() < 1.5, "{name}: {high} m2 of it beside the roof");
        assert_eq!(
            (mesh.area_by_name("mud"), mesh.area_table().get(MUD).map(|area| area.cost)),
            (Some(MUD), Some(3.0))
        );
        let dry = (AreaFilter::default().without(MUD), HeadRoomFilter::new(1.8));
        let reach = Reach::new(0.1, 0.5, 0.5);
        assert!(mesh.nearest_with(vec3(1.5, 0.0, 6.0), &reach, &dry).is_none());
        assert!(mesh.nearest_with(vec3(1.5, 0.0, 9.0), &reach, &dry).is_some());
        // Files keep both.
        for bytes in [waymesh_bytes(&mesh), mesh.to_packed(true)] {
            let read = NavMesh::from_bytes(bytes.clone()).expect("a mesh");
            assert_eq!(read, mesh);
            assert_eq!(read.area_table().head_rooms().heights(), HEIGHTS);
            assert!((square_metres(&read, 1.8) - square_metres(&mesh, 1.8)).abs() < 1e-9);
        }
    }
}

fn waymesh_bytes(mesh: &NavMesh) -> Vec<u8> {
    let mut bytes = Vec::new();
    waymesh::io::write_wmesh(mesh, &mut bytes).expect("memory takes everything");
    bytes
}

#[test]
fn what_cannot_be_told_apart_is_refused() {
    let soup = hall();
    let fails = |config: BakeConfig| {
        Baker::voxels().with_config(config).bake(&soup).expect_err("a refusal").to_string()
    };
    assert!(fails(config::<Voxels>(0.4).with_height_classes([1.8, 0.9])).contains("height_classes"));
    let mut other = config::<Voxels>(0.4).with_height_classes(HEIGHTS);
    other.agent.height = 2.0;
    assert!(fails(other).contains("the agent's height"));
    let everywhere = Bounds { min: Vec3::splat(-99.0), max: Vec3::splat(99.0) };
    let mark = Mark::new(MarkShape::Box { bounds: everywhere }, AreaId(86));
    let config = config::<Voxels>(0.4).with_height_classes(HEIGHTS).with_marks(vec![mark]);
    assert!(fails(config).contains("beyond 84"));
    let refused = |error: BakeError| match error {
        BakeError::OptionNotSupported { option, .. } => assert_eq!(option, "height_classes"),
        other => panic!("{other}"),
    };
    let config = Slices::defaults().with_height_classes([1.8, 2.5]);
    refused(Baker::new(Slices::default(), config).bake(&soup).expect_err("slices"));
    let config = FloorPlans::defaults().with_height_classes([1.8, 2.5]);
    refused(Baker::new(FloorPlans::default(), config).bake(&FloorPlan::default()).expect_err("plans"));
}
