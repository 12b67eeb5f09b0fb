//! Marks in closed meshes: closed forms, other shapes, and a slow oracle.
#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use glam::{DVec3, Vec2, Vec3};
use proptest::prelude::*;
use waymesh_core::{
    Agent, AreaId, FieldWindow, GridFrame, HeadRooms, Heightfield, Span, TriangleSoup, WalkableField,
};
use waymesh_voxel::{
    ClosedMesh, Filters, Mark, MarkShape, Obstacle, VoxelConfig, VoxelError, build_filtered_field,
    rasterize_in_frame, stamp_obstacles,
};

const MUD: AreaId = AreaId(5);

/// Returns two floors, one above the other, that rise by `rise` levels of 0.1 m per cell of 0.25 m
/// along x.
fn field(side: u32, rise: f32) -> WalkableField {
    let frame = GridFrame {
        origin: Vec3::new(-4.0, -2.0, -4.0),
        cell_size: 0.25,
        level_height: 0.1,
        width: side,
        depth: side,
    };
    let mut heightfield = Heightfield::empty(frame);
    for column in 0..side * side {
        #[expect(clippy::cast_possible_truncation, reason = "few levels")]
        let top = ((column % side) as f32 * rise) as i32 + 10;
        for bottom in [top - 1, top + 29] {
            heightfield.spans.push(Span {
                bottom,
                top: bottom + 1,
                ground_drop: 3,
                area: AreaId::GROUND,
                upward: true,
            });
        }
        heightfield.columns[column as usize + 1] = 2 * (column + 1);
    }
    build_filtered_field(&heightfield, &Agent::default(), &Filters::none(), &mut ()).unwrap()
}

/// Returns every span with the position of its ground.
fn places(field: &WalkableField) -> Vec<(usize, DVec3)> {
    let frame = field.frame;
    (0..u32::try_from(field.len()).unwrap())
        .map(|span| {
            let (x, z) = field.column_of(span);
            let height = f64::from(field.ground[span as usize]) * f64::from(frame.level_height);
            let at = |origin: f32, cell: u32| {
                f64::from(origin) + (f64::from(cell) + 0.5) * f64::from(frame.cell_size)
            };
            let place =
                DVec3::new(at(frame.origin.x, x), f64::from(frame.origin.y) + height, at(frame.origin.z, z));
            (span as usize, place)
        })
        .collect()
}

fn mesh(corners: &[Vec3], triangles: &[[u32; 3]]) -> ClosedMesh {
    ClosedMesh::new(&TriangleSoup::new(corners.to_vec(), triangles.to_vec()).unwrap()).unwrap()
}

fn octahedron(centre: Vec3, radius: f32) -> ClosedMesh {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| axis * radius);
    let corners: Vec<Vec3> = axes.into_iter().flat_map(|axis| [centre + axis, centre - axis]).collect();
    let faces: Vec<[u32; 3]> =
        (0..8).map(|bits| [bits & 1, 2 + (bits >> 1 & 1), 4 + (bits >> 2 & 1)]).collect();
    mesh(&corners, &faces)
}

/// Returns an upright prism over a convex polygon.
fn prism(corners: &[Vec2], heights: [f32; 2]) -> ClosedMesh {
    let count = u32::try_from(corners.len()).unwrap();
    let points: Vec<Vec3> =
        corners.iter().flat_map(|c| heights.map(|height| Vec3::new(c.x, height, c.y))).collect();
    let sides = (0..count).flat_map(|side| {
        let (low, next) = (2 * side, 2 * ((side + 1) % count));
        [[low, low + 1, next], [next, low + 1, next + 1]]
    });
    let ends = (2..count).flat_map(|c| [[0, 2 * c - 2, 2 * c], [1, 2 * c + 1, 2 * c - 1]]);
    mesh(&points, &sides.chain(ends).collect::<Vec<_>>())
}

fn mark(field: &WalkableField, shape: MarkShape) -> (u64, WalkableField) {
    let mut marked = field.clone();
    let count = Mark::new(shape, MUD).apply(&mut marked).unwrap();
    assert_eq!(count, marked.area.iter().filter(|&&area| area == MUD).count() as u64);
    (count, marked)
}

#[test]
fn an_octahedron_marks_what_is_near_enough_in_all_axes_together() {
    for rise in [0.0, 0.7] {
        let field = field(32, rise);
        let (centre, radius) = (Vec3::new(0.03, -0.51, -0.11), 2.9);
        let (count, marked) = mark(&field, MarkShape::Mesh { mesh: octahedron(centre, radius) });
        for (span, place) in places(&field) {
            let distance = (place - centre.as_dvec3()).abs().element_sum();
            assert_eq!(marked.area[span] == MUD, distance <= f64::from(radius), "at {place}");
        }
        assert!(count > 100, "{count} spans");
        // Marking part by part gives the same areas.
        let whole = FieldWindow::whole(field.clone());
        for x in [0, 8, 24] {
            let mut part = whole.cut(waymesh_core::GridWindow::new(x, 4, 8, 20));
            let shape = MarkShape::Mesh { mesh: octahedron(centre, radius) };
            Mark::new(shape, MUD).apply_to_window(&mut part, &HeadRooms::default()).unwrap();
            let cut = FieldWindow::whole(marked.clone()).cut(part.core);
            assert_eq!(part.field.area, cut.field.area);
        }
    }
}

#[test]
fn a_turned_box_is_the_prism_of_its_corners() {
    let field = field(32, 0.7);
    for degrees in [0.3_f32, 17.0, 45.1, 80.0] {
        let turn = Vec2::from_angle(degrees.to_radians());
        let corners: Vec<Vec2> = [(-2.0, -1.0), (2.0, -1.0), (2.0, 1.0), (-2.0, 1.0)]
            .map(|(x, z)| turn.rotate(Vec2::new(x, z)) + Vec2::new(0.01, 0.02))
            .to_vec();
        let heights = [-1.5, 0.9];
        let (count, by_mesh) = mark(&field, MarkShape::Mesh { mesh: prism(&corners, heights) });
        let (expected, by_prism) = mark(&field, MarkShape::Prism { corners, heights });
        assert_eq!((count, by_mesh), (expected, by_prism), "turned by {degrees} degrees");
        assert!(count > 50);
    }
}

#[test]
fn ground_in_the_plane_of_a_side_is_inside() {
    // At 7 levels of 0.1 m above -2 m, a height that single precision cannot represent.
    let mut field = field(32, 0.0);
    field.ground.iter_mut().for_each(|ground| *ground = 7.0);
    let corners = vec![Vec2::new(-3.9, -3.9), Vec2::new(2.1, -3.9), Vec2::new(-3.9, 3.1)];
    for heights in [[-1.3, 9.0], [-9.0, -1.3]] {
        let mesh = prism(&corners, heights);
        for shape in [MarkShape::Mesh { mesh }, MarkShape::Prism { corners: corners.clone(), heights }] {
            let (count, _) = mark(&field, shape);
            assert!(count > 600, "{count} spans of two floors, of {heights:?}");
        }
    }
    for heights in [[-1.299, 9.0], [-9.0, -1.301]] {
        assert_eq!(mark(&field, MarkShape::Prism { corners: corners.clone(), heights }).0, 0);
    }
}

#[test]
fn a_body_within_a_body_is_hollow() {
    let field = field(32, 0.0);
    let (outer, inner) =
        (octahedron(Vec3::new(0.01, -1.0, 0.02), 3.4), octahedron(Vec3::new(0.01, -1.0, 0.02), 1.7));
    let mut both = outer.soup();
    both.append(inner.soup().positions().to_vec(), inner.soup().triangles().to_vec()).unwrap();
    let count = |mesh: ClosedMesh| mark(&field, MarkShape::Mesh { mesh }).0;
    assert_eq!(count(ClosedMesh::new(&both).unwrap()), count(outer) - count(inner));
}

#[test]
fn an_open_mesh_is_refused_with_an_edge() {
    let whole = octahedron(Vec3::ZERO, 1.0).soup();
    let open = |triangles: Vec<[u32; 3]>| {
        ClosedMesh::new(&TriangleSoup::new(whole.positions().to_vec(), triangles).unwrap())
    };
    let mut triangles = whole.triangles().to_vec();
    let gone = triangles.remove(3).map(|corner| whole.positions()[corner as usize]);
    let error = open(triangles.clone()).unwrap_err();
    let VoxelError::OpenMesh { edge, triangles: 1 } = error else { panic!("{error}") };
    assert!(edge.iter().all(|corner| gone.contains(corner)), "{error} is not at {gone:?}");
    // A flap at an edge of a whole mesh.
    triangles = whole.triangles().to_vec();
    triangles.push(triangles[0]);
    assert!(matches!(open(triangles), Err(VoxelError::OpenMesh { triangles: 3, .. })));
    assert!(matches!(open(Vec::new()), Err(VoxelError::BadField(_))));
    let broken = TriangleSoup::new(vec![Vec3::NAN; 3], vec![[0, 1, 2]]).unwrap();
    assert!(matches!(ClosedMesh::new(&broken), Err(VoxelError::BadField(_))));
}

#[test]
fn sections_are_closed_forms() {
    let area = |loops: &Vec<Vec<[f64; 2]>>| -> f64 {
        let doubled = |points: &Vec<[f64; 2]>| -> f64 {
            (0..points.len())
                .map(|i| (points[i], points[(i + 1) % points.len()]))
                .map(|(a, b)| a[0] * b[1] - a[1] * b[0])
                .sum()
        };
        loops.iter().map(|points| doubled(points).abs() / 2.0).sum()
    };
    let octahedron = octahedron(Vec3::new(3.0, 1.0, -2.0), 2.0);
    for height in [-0.5_f64, 0.3, 1.7, 2.9] {
        let sections = octahedron.sections(height);
        assert_eq!(sections.len(), 1);
        let expected = 2.0 * (2.0 - (height - 1.0).abs()).powi(2);
        assert!((area(&sections[0]) - expected).abs() < 1e-9, "at {height}");
    }
    assert!(octahedron.sections(3.5).is_empty());
    // At its middle, where four corners lie, just above and below are the same square.
    let middle = octahedron.sections(1.0);
    assert_eq!(middle.iter().map(area).collect::<Vec<_>>(), [8.0, 8.0]);
    // A box has an inside at both ends, and a box with a step on it where the step begins.
    let square = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)].map(|(x, z)| Vec2::new(x, z));
    let cube = prism(&square, [0.0, 1.0]);
    for height in [-0.0, 0.0, 0.4, 1.0] {
        assert_eq!(cube.sections(height).iter().map(area).collect::<Vec<_>>(), [4.0], "at {height}");
    }
    let mut stacked = cube.soup();
    let step = prism(&square.map(|corner| corner / 2.0), [1.0, 2.0]).soup();
    stacked.append(step.positions().to_vec(), step.triangles().to_vec()).unwrap();
    let sections = ClosedMesh::new(&stacked).unwrap().sections(1.0);
    assert_eq!(sections.iter().map(area).collect::<Vec<_>>(), [1.0, 4.0]);
}

#[test]
fn a_mesh_is_an_obstacle_too() {
    let frame = GridFrame { origin: Vec3::ZERO, cell_size: 0.25, level_height: 0.1, width: 24, depth: 24 };
    let corner = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let floor = vec![corner(0., 0.), corner(0., 6.), corner(6., 6.), corner(6., 0.)];
    let floor = TriangleSoup::new(floor, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let config = VoxelConfig::default().with_scale(waymesh_core::GridScale::new(0.25, 0.1));
    let plain = rasterize_in_frame(&floor, &frame, &config, &mut ()).unwrap();
    let corners = [(1.1, 1.1), (3.1, 1.1), (3.1, 2.6), (1.1, 2.6)].map(|(x, z)| Vec2::new(x, z));
    let mesh = prism(&corners, [-0.2, 1.0]);
    let stamped = |obstacle: Obstacle| {
        let mut heightfield = plain.clone();
        let window = waymesh_core::GridWindow::whole(&frame);
        stamp_obstacles(&mut heightfield, &frame, window, &[obstacle], &config, &mut ()).unwrap();
        heightfield
    };
    let expected = stamped(Obstacle::mesh(mesh.soup()));
    let found = stamped(Obstacle::solid(MarkShape::Mesh { mesh: mesh.clone() }));
    assert!(found == expected && found != plain);
    assert_eq!(Obstacle::solid(MarkShape::Mesh { mesh: mesh.clone() }).triangles(), mesh.soup());
}

#[test]
fn between_blocked_bodies_there_is_room() {
    let frame = GridFrame { origin: Vec3::ZERO, cell_size: 0.25, level_height: 0.1, width: 8, depth: 8 };
    let corners = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)].map(|(x, z)| Vec2::new(x, z));
    let stacked = |area: AreaId| {
        let mut soup = TriangleSoup::default();
        for heights in [[1.0, 1.5], [4.0, 4.5]] {
            let body = prism(&corners, heights).soup();
            soup.append_area(body.positions().to_vec(), body.triangles().to_vec(), area).unwrap();
        }
        let mut heightfield = Heightfield::empty(frame);
        let window = waymesh_core::GridWindow::whole(&frame);
        let config = VoxelConfig::default();
        stamp_obstacles(&mut heightfield, &frame, window, &[Obstacle::mesh(soup)], &config, &mut ()).unwrap();
        heightfield.spans.iter().map(|span| (span.bottom, span.top)).collect::<Vec<_>>()
    };
    let plain = stacked(AreaId::GROUND);
    assert_eq!(plain.len(), 2 * 64);
    assert_eq!(stacked(AreaId::NULL), plain);
}

/// Returns `true` if a point is in a tetrahedron.
fn is_in(corners: &[Vec3; 4], place: DVec3) -> bool {
    let corners = corners.map(Vec3::as_dvec3);
    let side = |face: [usize; 3], at: DVec3| {
        let [a, b, c] = face.map(|corner| corners[corner]);
        (b - a).cross(c - a).dot(at - a)
    };
    [([0, 1, 2], 3), ([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)]
        .into_iter()
        .all(|(face, other)| side(face, place) * side(face, corners[other]) > 0.0)
}

proptest! {
    /// Tetrahedra that intersect each other; corners of one decimal often lie on centres of cells.
    #[test]
    fn a_place_is_inside_of_an_odd_number_of_bodies(
        bodies in prop::collection::vec(prop::array::uniform4(prop::array::uniform3(-40_i8..40)), 1..4),
        rise in prop::sample::select(vec![0.0_f32, 0.35]),
        fine in any::<bool>(),
    ) {
        let unit = if fine { 0.0973 } else { 0.125 };
        let bodies: Vec<[Vec3; 4]> =
            bodies.iter().map(|corners| corners.map(|corner| Vec3::from(corner.map(f32::from)) * unit)).collect();
        let mut soup = TriangleSoup::default();
        for corners in &bodies {
            soup.append(corners.to_vec(), vec![[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]).unwrap();
        }
        let Ok(mesh) = ClosedMesh::new(&soup) else { return Ok(()) };
        let field = field(32, rise);
        let (_, marked) = mark(&field, MarkShape::Mesh { mesh });
        // Only points that a small displacement in any direction does not change.
        let near = |place: DVec3| (0..27).map(move |n| {
            place + DVec3::new(f64::from(n % 3 - 1), f64::from(n / 3 % 3 - 1), f64::from(n / 9 - 1)) * 2e-3
        });
        for (span, place) in places(&field) {
            let inside = |place: DVec3| bodies.iter().filter(|body| is_in(body, place)).count() % 2 == 1;
            let expected = inside(place);
            if near(place).all(|place| inside(place) == expected) {
                prop_assert_eq!(marked.area[span] == MUD, expected, "at {}", place);
            }
        }
    }
}
