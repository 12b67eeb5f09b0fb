//! The cost of a scene follows its triangles, not the box around them.

use glam::Vec3;
use waymesh::core::{Observer, Warning};
use waymesh::{Bake, BakeError, Baker, Bounds, TriangleSoup, World};

const FRONT_ENDS: [&str; 4] = ["voxels", "tiles", "storeys", "slices"];

/// Keeps the warnings, and the largest number of steps of a stage: the tiles of the layout that
/// were visited.
#[derive(Default)]
struct Watch {
    warnings: Vec<Warning>,
    most_steps: u64,
}

impl Observer for Watch {
    fn progress(&mut self, _done: u64, total: u64) {
        self.most_steps = self.most_steps.max(total);
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}

fn bake(front_end: &str, soup: &TriangleSoup, watch: &mut Watch) -> Result<Bake, BakeError> {
    match front_end {
        "voxels" => Baker::voxels().bake_observed(soup, watch),
        "tiles" => {
            let tiles = waymesh::Voxels::default().with_tile_cells(256);
            Baker::voxels().with_front(tiles).bake_observed(soup, watch)
        }
        "storeys" => Baker::storeys().bake_observed(soup, watch),
        _ => Baker::slices().bake_observed(soup, watch),
    }
}

fn area(front_end: &str, soup: &TriangleSoup) -> f64 {
    bake(front_end, soup, &mut Watch::default()).expect("there is ground").mesh.area()
}

/// A level square floor of two triangles that face up.
fn add_floor(soup: &mut TriangleSoup, corner: Vec3, side: f32) {
    let at = |x: f32, z: f32| corner + Vec3::new(x, 0.0, z);
    let corners = vec![at(0.0, 0.0), at(0.0, side), at(side, side), at(side, 0.0)];
    soup.append(corners, vec![[0, 1, 2], [0, 2, 3]]).expect("indices are in range");
}

fn floors(corners: impl IntoIterator<Item = Vec3>) -> TriangleSoup {
    let mut soup = TriangleSoup::default();
    corners.into_iter().for_each(|corner| add_floor(&mut soup, corner, 6.0));
    soup
}

fn add_stray(soup: &mut TriangleSoup, at: Vec3) {
    soup.append(vec![at, at + Vec3::Z * 0.2, at + Vec3::X * 0.2], vec![[0, 1, 2]]).expect("three corners");
}

#[test]
fn a_stray_triangle_is_named_and_costs_a_tile() {
    let room = floors([Vec3::ZERO]);
    for (axis, at) in [('x', Vec3::X), ('z', Vec3::Z), ('y', Vec3::Y), ('x', Vec3::new(1.0, 0.0, 1.0))] {
        for front_end in FRONT_ENDS {
            let mut soup = room.clone();
            add_stray(&mut soup, at * 1e5);
            let mut watch = Watch::default();
            let found = bake(front_end, &soup, &mut watch).expect("the room is there").mesh.area();
            let alone = area(front_end, &room);
            // Slices keep the ground of the stray triangle.
            assert!(found >= alone - 1e-3 && found <= alone + 0.2, "{front_end}: {found} and {alone}");
            // The stray triangle may reach into several tiles, with what lies around each.
            assert!(watch.most_steps <= 16, "{front_end}: {} tiles", watch.most_steps);
            let is_named = |warning: &Warning| matches!(warning, Warning::OutlierTriangles { axis: found, first: 2, .. } if *found == axis);
            assert!(front_end == "tiles" || watch.warnings.iter().any(is_named), "{front_end}: {axis}");
        }
    }
}

#[test]
fn a_stray_triangle_beyond_the_limit_of_positions_is_refused_by_name_or_left_out() {
    for at in [Vec3::X, Vec3::Z] {
        let mut soup = floors([Vec3::ZERO]);
        add_stray(&mut soup, at * 1e6);
        for front_end in ["voxels", "tiles", "storeys"] {
            // The agent has no room on it.
            assert!(area(front_end, &soup) > 15.0, "{front_end}");
        }
        let error = bake("slices", &soup, &mut Watch::default()).expect_err("too far").to_string();
        assert!(error.contains("16777216") && error.contains("larger cells"), "{error}");
    }
}

#[test]
fn two_rooms_far_apart_are_both_there() {
    for front_end in FRONT_ENDS {
        let alone = area(front_end, &floors([Vec3::ZERO]));
        let mut watch = Watch::default();
        let both = floors([Vec3::ZERO, Vec3::new(2e4, 0.0, 2e4)]);
        let bake = bake(front_end, &both, &mut watch).expect("two rooms");
        assert_eq!(bake.mesh.islands().len(), 2, "{front_end}");
        // The second room lies otherwise on the grid: a row of cells more or less on each side.
        assert!((bake.mesh.area() - 2.0 * alone).abs() < 4.0, "{front_end}: {}", bake.mesh.area());
        assert!(watch.most_steps <= 16, "{front_end}: {} tiles", watch.most_steps);
    }
}

#[test]
fn storeys_above_each_other_all_are_there() {
    const COUNT: u16 = 150;
    let tower = floors((0..COUNT).map(|storey| Vec3::Y * 3.0 * f32::from(storey)));
    for front_end in FRONT_ENDS {
        let alone = area(front_end, &floors([Vec3::ZERO]));
        let bake = bake(front_end, &tower, &mut Watch::default()).expect("a tower");
        assert_eq!(bake.report.regions, u64::from(COUNT), "{front_end}");
        let expected = alone * f64::from(COUNT);
        assert!((bake.mesh.area() - expected).abs() < 1e-3 * expected, "{front_end}: {}", bake.mesh.area());
    }
}

#[test]
fn copies_of_triangles_change_nothing() {
    let mut soup = floors([Vec3::ZERO, Vec3::new(3.0, 3.0, 2.0)]);
    let once = soup.clone();
    for _ in 0..40 {
        let (positions, triangles) = (once.positions().to_vec(), once.triangles().to_vec());
        // With other first corners, and the same winding.
        let turned = triangles.iter().map(|&[a, b, c]| [b, c, a]).collect();
        soup.append(positions.clone(), triangles).expect("copies");
        soup.append(positions, turned).expect("copies");
    }
    for front_end in FRONT_ENDS {
        let [one, many] = [&once, &soup].map(|soup| {
            let bake = bake(front_end, soup, &mut Watch::default()).expect("two floors");
            assert_eq!(bake.report.triangles, soup.triangles().len() as u64, "{front_end}");
            bake.mesh.generation()
        });
        assert_eq!(one, many, "{front_end}");
    }
}

#[test]
fn a_world_names_triangles_that_it_cannot_use() {
    let mut soup = floors([Vec3::ZERO]);
    soup.append(vec![Vec3::NAN, Vec3::X, Vec3::Z], vec![[0, 1, 2]]).expect("three corners");
    soup.append(vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0], vec![[0, 1, 2]]).expect("three corners");
    let bounds = Bounds { min: Vec3::splat(-1.0), max: Vec3::splat(8.0) };
    let mut world = World::new(Baker::voxels(), &bounds, 64).expect("a small world");
    let mut watch = Watch::default();
    world.add_triangles(&soup, &mut watch).expect("the floor fits");
    assert_eq!(watch.warnings, [Warning::TrianglesSkipped { not_finite: 1, degenerate: 1 }]);
}
