//! Nothing that a user can hand in makes a bake panic, hang or lie.

use glam::Vec3;
use proptest::prelude::*;
use waymesh::{Agent, BakeConfig, BakeError, Baker, TriangleSoup};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_testkit::Recording;

fn floor(size: f32) -> TriangleSoup {
    let corner = |x, z| Vec3::new(x, 0.0, z);
    let positions = vec![corner(0.0, 0.0), corner(size, 0.0), corner(size, size), corner(0.0, size)];
    TriangleSoup::new(positions, vec![[0, 2, 1], [0, 3, 2]]).expect("indices are in range")
}

fn bake(config: BakeConfig, soup: &TriangleSoup) -> Result<waymesh::NavMesh, BakeError> {
    Baker::voxels().with_config(config.with_validate_stages(true)).bake(soup)
}

fn message(config: BakeConfig, soup: &TriangleSoup) -> String {
    bake(config, soup).expect_err("must be refused").to_string()
}

#[test]
fn settings_out_of_range_are_named() {
    let soup = floor(10.0);
    for (value, shown) in [(0.0, "0"), (-1.0, "-1"), (f32::NAN, "NaN"), (f32::INFINITY, "inf")] {
        let text = message(BakeConfig::default().with_scale(value, 0.2), &soup);
        assert!(text.contains("cell_size") && text.contains(shown), "{text}");
        let text = message(BakeConfig::default().with_scale(0.3, value), &soup);
        assert!(text.contains("level_height") && text.contains(shown), "{text}");
    }
    for (agent, field) in [
        (Agent::default().with_height(0.0), "height"),
        (Agent::default().with_radius(-0.1), "radius"),
        (Agent::default().with_max_step(f32::NAN), "max_step"),
        (Agent::default().with_max_slope(2.0), "max_slope"),
    ] {
        let text = message(BakeConfig::default().with_agent(agent), &soup);
        assert!(text.contains(field), "{text}");
    }
    for (config, field) in [
        (BakeConfig::default().with_max_edge_error(-1.0), "max_edge_error"),
        (BakeConfig::default().with_max_edge_length(f32::NAN), "max_edge_length"),
        (BakeConfig::default().with_min_region(f32::INFINITY), "min_region"),
        (BakeConfig::default().with_merge_region(-3.0), "merge_region"),
        (BakeConfig::default().with_max_vertices(2), "max_vertices"),
    ] {
        let text = message(config, &soup);
        assert!(text.contains(field), "{text}");
    }
}

#[test]
fn a_scene_without_ground_is_an_error() {
    assert!(matches!(
        bake(BakeConfig::default(), &TriangleSoup::default()),
        Err(BakeError::NoTriangles { .. })
    ));
    let flipped = {
        let soup = floor(10.0);
        let triangles = soup.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
        TriangleSoup::new(soup.positions().to_vec(), triangles).expect("indices are in range")
    };
    let text = message(BakeConfig::default(), &flipped);
    assert!(text.contains("walkable") && text.contains("is `up` the axis that points up"), "{text}");
    let tiny = floor(0.5);
    let text = message(BakeConfig::default(), &tiny);
    assert!(text.contains("radius"), "{text}");
}

#[test]
fn vertices_that_are_not_finite_are_skipped_and_reported() {
    let mut soup = floor(10.0);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let positions = vec![Vec3::new(bad, 0.0, 0.0), Vec3::X, Vec3::Z];
        soup.append(positions, vec![[0, 1, 2]]).expect("indices are in range");
    }
    soup.append(vec![Vec3::ONE; 3], vec![[0, 1, 2]]).expect("indices are in range");
    let bake = Baker::voxels().bake_observed(&soup, &mut ()).expect("the floor is still there");
    assert_eq!(bake.report.triangles_skipped["not_finite"], 3);
    assert_eq!(bake.report.triangles_skipped["degenerate"], 1);
    assert!(bake.report.warnings.iter().any(|warning| warning.contains("skipped 4 triangles")));
    let clean = Baker::voxels().bake(&floor(10.0)).expect("a mesh");
    assert_eq!(clean.data(), bake.mesh.data(), "they change nothing else");
}

#[test]
fn a_grid_beyond_the_memory_allowed_names_the_cell_size_that_fits() {
    let config = BakeConfig::default().with_scale(0.001, 0.001);
    let text = message(config, &floor(1000.0));
    for word in ["1000000 x 1000000", "GiB", "cell size"] {
        assert!(text.contains(word), "{word:?} is missing in: {text}");
    }
    let text = message(BakeConfig::default(), &{
        let mut soup = floor(10.0);
        soup.append(
            vec![Vec3::new(1e9, 0.0, 0.0), Vec3::new(1e9, 0.0, 1.0), Vec3::new(1e9 + 100.0, 0.0, 0.0)],
            vec![[0, 1, 2]],
        )
        .expect("indices are in range");
        soup
    });
    assert!(text.contains("limit"), "{text}");
}

#[test]
fn a_triangle_kilometres_below_changes_nothing_above() {
    let mut soup = floor(20.0);
    for _ in 0..1_000 {
        soup.append(floor(20.0).positions().to_vec(), floor(20.0).triangles().to_vec())
            .expect("indices are in range");
    }
    let clean = Baker::voxels().bake(&soup).expect("a mesh");
    let deep = |x, z| Vec3::new(x, -40_000.0, z);
    soup.append(vec![deep(1.0, 1.0), deep(2.0, 1.0), deep(1.0, 2.0)], vec![[0, 1, 2]])
        .expect("indices are in range");
    let bake = Baker::voxels().bake_observed(&soup, &mut ()).expect("a mesh");
    assert!((clean.area() - bake.mesh.area()).abs() < 1e-9, "{} and {}", clean.area(), bake.mesh.area());
    assert!(
        bake.report.warnings.iter().any(|warning| warning.contains("stretch")),
        "{:?}",
        bake.report.warnings
    );
}

#[test]
fn far_from_the_origin_the_mesh_is_the_same_shape() {
    for distance in [1e4_f32, 1e5] {
        let near = floor(32.0);
        let moved =
            near.positions().iter().map(|position| *position + Vec3::new(distance, 0.0, -distance)).collect();
        let far = TriangleSoup::new(moved, near.triangles().to_vec()).expect("indices are in range");
        let (near, far) = (bake(BakeConfig::default(), &near), bake(BakeConfig::default(), &far));
        let (near, far) = (near.expect("a mesh"), far.expect("a mesh"));
        assert!((near.area() - far.area()).abs() < 0.02 * near.area(), "{} and {}", near.area(), far.area());
    }
}

#[test]
fn broken_scenes_give_valid_meshes() {
    for scene in Scene::ALL {
        for seed in 0..3 {
            let soup = scene.broken(seed);
            bake(BakeConfig::default(), &soup)
                .unwrap_or_else(|error| panic!("{} {seed}: {error}", scene.name()));
        }
    }
}

#[test]
fn sound_scenes_at_odd_settings_give_valid_meshes() {
    let agents = [
        Agent::default().with_radius(0.0),
        Agent::default().with_radius(2.0),
        Agent::default().with_max_step(0.0),
    ];
    for scene in Scene::ALL {
        let soup = scene.build(&SceneConfig::default());
        for agent in agents {
            for edge_error in [0.0, 3.0] {
                let config = BakeConfig::default().with_agent(agent).with_max_edge_error(edge_error);
                match bake(config, &soup) {
                    Ok(_) | Err(BakeError::NothingWalkable { .. }) => {}
                    Err(error) => panic!("{} with {agent:?}: {error}", scene.name()),
                }
            }
        }
    }
}

fn coordinate() -> impl Strategy<Value = f32> {
    // Many vertices on grid lines, where rounding is hardest.
    prop_oneof![4 => -6.0_f32..6.0, 3 => (-20_i16..20).prop_map(|polygons| f32::from(polygons) * 0.3), 1 => Just(0.0_f32)]
}

fn random_soup() -> impl Strategy<Value = TriangleSoup> {
    let vertex = (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| Vec3::new(x, y * 0.4, z));
    (prop::collection::vec(vertex, 3..40), prop::collection::vec(any::<[prop::sample::Index; 3]>(), 1..60))
        .prop_map(|(positions, triangles)| {
            let pick = |index: prop::sample::Index| {
                u32::try_from(index.index(positions.len())).expect("few vertices")
            };
            let triangles = triangles.into_iter().map(|corners| corners.map(pick)).collect();
            TriangleSoup::new(positions, triangles).expect("indices are in range")
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn random_soups_bake_or_say_why_not(soup in random_soup(), radius in 0.0_f32..0.7, edge_error in 0.0_f32..1.5) {
        let agent = Agent::default().with_radius(radius).with_max_slope(1.2);
        let config = BakeConfig::default().with_agent(agent).with_max_edge_error(edge_error);
        match bake(config, &soup) {
            Ok(_) | Err(BakeError::NothingWalkable { .. } | BakeError::NoTriangles { .. }) => {}
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}

#[test]
fn stray_triangles_are_named_before_the_work() {
    let mut soup = floor(20.0);
    for step in 0..20_u8 {
        let at = Vec3::new(f32::from(step), 0.5, f32::from(step));
        soup.append(vec![at, at + Vec3::Z, at + Vec3::X], vec![[0, 1, 2]]).expect("indices are in range");
    }
    let far = Vec3::new(1e5, 0.0, 1e5);
    soup.append(vec![far, far + Vec3::Z, far + Vec3::X], vec![[0, 1, 2]]).expect("indices are in range");
    let baked = |name: &str, recording: &mut Recording| match name {
        "voxels" => Baker::voxels().bake_observed(&soup, recording),
        "storeys" => Baker::storeys().bake_observed(&soup, recording),
        _ => Baker::slices().bake_observed(&soup, recording),
    };
    for name in ["voxels", "storeys", "slices"] {
        let mut recording = Recording::default();
        let area = baked(name, &mut recording).expect("the floor is there").mesh.area();
        assert!(area > 300.0, "{name}: {area}");
        let outliers: Vec<_> = recording.warnings.iter().map(ToString::to_string).collect();
        for axis in ["x", "z"] {
            let why = format!("(triangle 22 is the first): they stretch the scene to 100001 m along {axis}");
            assert!(outliers.iter().any(|text| text.contains(&why)), "{name}: {outliers:?}");
        }
    }
}
