//! Selection of the ground to keep, with every front end: links of all kinds join pieces.

use glam::Vec3;
use waymesh::bake::FrontEnd;
use waymesh::floorplan::{Door, FloorPlan, Outline, Shape};
use waymesh::{
    Agent, Bake, BakeConfig, BakeError, Baker, JumpConfig, Keep, Slices, Storeys, TriangleSoup, Voxels,
};
use waymesh_testkit::boxes::add_box;

/// Two platforms of 64 m2, `apart` metres apart, the second `up` higher, and one of 144 m2 far
/// away.
fn platforms(apart: f32, up: f32) -> TriangleSoup {
    let mut soup = TriangleSoup::default();
    add_box(&mut soup, [0.0, -3.0, 0.0], [8.0, 0.0, 8.0]);
    add_box(&mut soup, [8.0 + apart, -3.0, 0.0], [16.0 + apart, up, 8.0]);
    add_box(&mut soup, [40.0, -3.0, 0.0], [52.0, 0.0, 12.0]);
    soup
}

const ON_FIRST: Vec3 = Vec3::new(4.0, 0.0, 4.0);

/// Bakes with and without the links of `link`, and with every choice of ground to keep.
fn choices<F: FrontEnd + Clone>(front: &F, input: &F::Input, link: impl Fn(BakeConfig) -> BakeConfig) {
    let bake = |config: BakeConfig, keep: Keep| -> Result<Bake, BakeError> {
        let config = config.with_keep(keep).with_validate_stages(true);
        Baker::new(front.clone(), config).bake_observed(input, &mut ())
    };
    let name = F::NAME;
    let plain = bake(F::defaults(), Keep::All).expect(name);
    let linked = bake(link(F::defaults()), Keep::All).expect(name);
    assert_eq!((plain.mesh.links().len(), plain.mesh.islands().len()), (0, 3), "{name}");
    assert!(!linked.mesh.links().is_empty(), "{name}: no link");
    let areas: Vec<f64> = plain.mesh.islands().iter().map(|island| island.area).collect();
    let on = plain.mesh.nearest(ON_FIRST, &plain.mesh.default_reach()).expect("ground").polygon;
    let first = areas[plain.mesh.island_of(on).expect("an island").index()];
    let largest = areas.iter().copied().fold(0.0, f64::max);
    let pair = areas.iter().sum::<f64>() - largest;
    assert!(first < pair * 0.6 && pair < largest, "{name}: {areas:?}");
    #[expect(clippy::cast_possible_truncation, reason = "a limit between two areas")]
    let limit = (pair * 0.7) as f32;
    let seeds = || Keep::ConnectedTo(vec![ON_FIRST]);
    let is_near = |bake: &Bake, area: f64| (bake.mesh.area() - area).abs() < 1e-6 * area;
    // Kept ground, with the links and without.
    for (keep, with, without) in [
        (Keep::All, pair + largest, pair + largest),
        (Keep::Largest, largest, largest),
        (Keep::LargerThan(limit), pair + largest, largest),
        (seeds(), pair, first),
    ] {
        let linked = bake(link(F::defaults()), keep.clone()).expect(name);
        let plain = bake(F::defaults(), keep.clone()).expect(name);
        assert!(is_near(&linked, with), "{name}, {keep:?}: {} m2, not {with}", linked.mesh.area());
        assert!(is_near(&plain, without), "{name}, {keep:?}: {} m2, not {without}", plain.mesh.area());
        assert_eq!(linked.mesh.links().is_empty(), keep == Keep::Largest, "{name}, {keep:?}");
        assert_eq!(linked.report.polygons, linked.mesh.polygon_count() as u64, "{name}, {keep:?}");
        assert_eq!(linked.report.links, linked.mesh.links().len() as u64, "{name}, {keep:?}");
        let is_told = linked.report.warnings.iter().any(|warning| warning.contains("not connected"));
        assert_eq!(is_told, linked.mesh.islands().len() < 3, "{name}, {keep:?}");
    }
    let nothing = bake(F::defaults(), Keep::LargerThan(1e6)).expect_err("nothing is so large");
    assert!(matches!(nothing, BakeError::NothingWalkable { .. }), "{name}: {nothing}");
}

/// Seeds are places on the ground, not on the plane through the corners of a polygon. The place of
/// an island that a report has is one.
#[test]
fn a_seed_on_a_hill_keeps_it() {
    let mut soup = waymesh_testkit::small::hill(8.0);
    // A floor below the hill, and a roof above it.
    add_box(&mut soup, [14.0, -0.6, 14.0], [26.0, -0.1, 26.0]);
    add_box(&mut soup, [16.0, 12.0, 16.0], [24.0, 12.4, 24.0]);
    fn on<F: FrontEnd<Input = dyn waymesh::TriangleSource> + Clone>(front: &F, soup: &TriangleSoup) {
        let config = F::defaults().with_scale(0.4, 0.2);
        let bake = |keep: Keep| {
            let baker = Baker::new(front.clone(), config.clone().with_keep(keep));
            baker.bake_observed(soup, &mut ()).unwrap_or_else(|error| panic!("{}: {error}", F::NAME))
        };
        let all = bake(Keep::All);
        let mesh = &all.mesh;
        assert!(mesh.islands().len() > 1, "{}", F::NAME);
        let mut seeds: Vec<Vec3> = all.report.islands.iter().map(|island| island.place.into()).collect();
        for (island, &place) in mesh.islands().iter().zip(&seeds) {
            let found = mesh.nearest(place, &waymesh::graph::Reach::new(0.01, 0.01, 0.01)).expect(F::NAME);
            let on = mesh.island_of(found.polygon).expect("an island");
            let area = mesh.islands()[on.index()].area;
            assert!((area - island.area).abs() < 1e-9, "{}: {place}", F::NAME);
        }
        seeds.extend((2..38).step_by(7).map(|x| {
            let place = Vec3::new(x as f32, 4.0, 20.0);
            mesh.nearest(place, &waymesh::graph::Reach::new(0.5, 9.0, 9.0)).expect("ground").position
        }));
        for seed in seeds {
            let kept = bake(Keep::ConnectedTo(vec![seed])).mesh;
            let found = mesh.nearest(seed, &mesh.default_reach()).expect("ground");
            let island = &mesh.islands()[mesh.island_of(found.polygon).expect("an island").index()];
            let what = format!("{}: {seed}: {} m2 of {}", F::NAME, kept.area(), island.area);
            assert!((kept.area() - island.area).abs() < 1e-6 * island.area, "{what}");
        }
    }
    on(&Voxels::default(), &soup);
    on(&Storeys::default(), &soup);
}

fn jumps(config: BakeConfig) -> BakeConfig {
    config.with_jumps(JumpConfig::default())
}

fn climbs(config: BakeConfig) -> BakeConfig {
    config.with_max_ledge(2.0)
}

#[test]
fn jumps_join_what_is_kept() {
    let soup = platforms(1.5, 0.0);
    choices(&Voxels::default(), &soup, jumps);
    choices(&Voxels::default().with_tile_cells(32), &soup, jumps);
    choices(&Storeys::default(), &soup, jumps);
    choices(&Slices::default(), &soup, jumps);
}

#[test]
fn climbs_join_what_is_kept() {
    let soup = platforms(0.0, 1.5);
    choices(&Voxels::default(), &soup, climbs);
    choices(&Voxels::default().with_tile_cells(32), &soup, climbs);
}

#[test]
fn doors_join_what_is_kept() {
    let square = |x: f64, z: f64, side: f64| vec![[x, z], [x + side, z], [x + side, z + side], [x, z + side]];
    let mut plan = FloorPlan::default();
    let storey = plan.storey_mut("a", 0.0);
    storey.walkable.push(Shape::polygon("hall", square(0.0, 0.0, 10.0)));
    storey.walkable.push(Shape::polygon("far", square(20.0, 0.0, 8.0)));
    let wall = Outline::Wall { line: vec![[5.0, -1.0], [5.0, 11.0]], width: 0.2 };
    storey.blocked.push(Shape::new("wall", wall));
    let line = [[5.0, 4.0], [5.0, 6.0]];
    storey.doors.push(Door { name: "door".into(), line, depth: 0.4, cost: 0.0 });
    let kept = |keep: Keep| {
        let baker = Baker::plans();
        let config = baker.config().clone().with_keep(keep).with_agent(Agent::default().with_radius(0.3));
        baker.with_config(config).bake_observed(&plan, &mut ()).expect("a mesh").mesh.islands().len()
    };
    assert_eq!(kept(Keep::All), 3);
    assert_eq!((kept(Keep::Largest), kept(Keep::LargerThan(60.0))), (2, 2));
    assert_eq!(kept(Keep::ConnectedTo(vec![Vec3::new(2.0, 0.0, 5.0)])), 2);
    assert_eq!(kept(Keep::ConnectedTo(vec![Vec3::new(24.0, 0.0, 4.0)])), 1);
}

/// Tiles of a folder take what an untiled bake takes, where they are given the scene.
#[test]
fn merged_tiles_are_the_untiled_mesh() {
    let soup = platforms(1.5, 0.0);
    let folder = tempfile::tempdir().expect("a folder");
    let front = Voxels::default().with_tile_cells(32).with_folder(folder.path());
    Baker::new(front.clone(), BakeConfig::default()).bake(&soup).expect("tiles");
    let config = jumps(BakeConfig::default()).with_keep(Keep::ConnectedTo(vec![ON_FIRST]));
    let baker = Baker::new(front, config.clone());
    let error = baker.merge_tiles(folder.path(), None, &mut ()).expect_err("no triangles");
    assert!(matches!(error, BakeError::OptionNotSupported { option: "jumps", .. }), "{error}");
    let Bake { mesh: merged, report, .. } =
        baker.merge_tiles(folder.path(), Some(&soup), &mut ()).expect("a mesh");
    assert_eq!(report.front_end, Voxels::NAME);
    assert_eq!((merged.islands().len(), merged.links().is_empty()), (2, false));
    let other = baker.merge_tiles(folder.path(), Some(&platforms(1.0, 0.0)), &mut ());
    assert!(other.expect_err("another scene").to_string().contains("another scene"));
    assert!(merged == Baker::voxels().with_config(config).bake(&soup).expect("a mesh"));
}

#[test]
fn a_bad_area_is_refused() {
    let config = BakeConfig::default().with_keep(Keep::LargerThan(f32::NAN));
    assert!(config.validate().expect_err("no number").to_string().contains("keep"));
}
