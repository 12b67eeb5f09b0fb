//! Faulty plans: repaired with a note, or refused with the element, the number and the limit.

use crate::common;
use common::{area, ground, plan};
use waymesh_core::Validate;
use waymesh_floorplan::{
    Door, Fill, FloorPlan, Join, NoteKind, Obstacle, Outline, PlanBase, PlanConfig, PlanError, PlanPosition,
    Shape,
};

fn square(x: f64, z: f64, side: f64) -> Vec<PlanPosition> {
    vec![[x, z], [x + side, z], [x + side, z + side], [x, z + side]]
}

fn bare() -> PlanConfig {
    PlanConfig::default().with_radius(0.0).with_min_area(0.0)
}

fn with_shape(outline: Outline) -> FloorPlan {
    let mut plan = FloorPlan::default();
    plan.storey_mut("a", 0.0).walkable.push(Shape::new("file: shape 7", outline));
    plan
}

fn refused(plan: &FloorPlan) -> String {
    PlanBase::new(plan, &bare()).expect_err("refused").to_string()
}

#[test]
fn a_ring_that_crosses_itself_is_filled_and_told() {
    // A bow tie of two triangles of 4 m2: by the shoelace sum they cancel out.
    let bow = vec![[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]];
    let (ground, base) = ground(&plan(&[bow], &[]), &bare());
    assert!((area(&ground.contours) - 8.0).abs() < 1e-2);
    assert_eq!(ground.contours.regions.len(), 2, "they touch in a point only");
    let notes = base.notes();
    assert!(
        matches!(notes[0].kind, NoteKind::CrossedItself { area, signed_area } if (area - 8.0).abs() < 1e-4 && signed_area < 1e-6)
    );
    assert_eq!(&*notes[0].element, "walkable 0");
}

#[test]
fn overlapping_loops_follow_their_fill_rule() {
    let loops = vec![square(0.0, 0.0, 6.0), square(2.0, 2.0, 2.0)];
    for (fill, expected) in [(Fill::NonZero, 36.0), (Fill::EvenOdd, 32.0)] {
        let (ground, _) = ground(&with_shape(Outline::Loops { loops: loops.clone(), fill }), &bare());
        assert!((area(&ground.contours) - expected).abs() < 1e-4, "{fill:?}");
    }
}

#[test]
fn holes_outside_and_holes_without_area_are_told_and_take_nothing_away() {
    let holes = vec![square(1.0, 1.0, 1.0), square(20.0, 20.0, 1.0), vec![[2.0, 2.0], [3.0, 3.0]]];
    let outline = Outline::Polygon { outer: square(0.0, 0.0, 10.0), holes };
    let (ground, base) = ground(&with_shape(outline), &bare());
    assert!((area(&ground.contours) - 99.0).abs() < 1e-4);
    let kinds: Vec<_> = base.notes().iter().map(|note| note.kind.clone()).collect();
    assert_eq!(kinds, [NoteKind::HoleWithoutArea { hole: 2 }, NoteKind::HoleOutside { hole: 1 }]);
}

#[test]
fn repeated_points_and_shapes_without_area_are_left_out_and_told() {
    let mut ring = square(0.0, 0.0, 5.0);
    ring.insert(2, ring[2]);
    let mut plan = plan(&[ring, vec![[0.0, 0.0], [9.0, 9.0]], Vec::new()], &[]);
    plan.storeys[0].blocked.push(Shape::polygon("needle", vec![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]));
    let (ground, base) = ground(&plan, &bare());
    assert!((area(&ground.contours) - 25.0).abs() < 1e-4);
    let told: Vec<_> = base.notes().iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "walkable 0: 1 repeated points are left out",
            "walkable 1: has no area and is left out",
            "walkable 2: has no area and is left out",
            "needle: has no area and is left out",
        ]
    );
}

#[test]
fn numbers_that_cannot_be_used_are_named() {
    let ring = |value: f64| Outline::Polygon {
        outer: vec![[0.0, 0.0], [1.0, value], [1.0, 1.0]],
        holes: Vec::new(),
    };
    assert_eq!(
        refused(&with_shape(ring(f64::NAN))),
        "file: shape 7: z of point 1 is NaN, but must be finite"
    );
    assert_eq!(
        refused(&with_shape(ring(f64::INFINITY))),
        "file: shape 7: z of point 1 is inf, but must be finite"
    );
    assert_eq!(
        refused(&with_shape(ring(3e7))),
        "file: shape 7: z of point 1 is 30000000 m, the limit is 10000000 m"
    );
    let hole = Outline::Polygon { outer: square(0.0, 0.0, 5.0), holes: vec![vec![[f64::NAN, 1.0]]] };
    assert_eq!(
        refused(&with_shape(hole)),
        "file: shape 7: x of point 0 of hole 0 is NaN, but must be finite"
    );
    let wall = |width| Outline::Wall { line: vec![[0.0, 0.0], [1.0, 0.0]], width };
    for bad in [0.0, -1.0, f64::NAN] {
        assert!(refused(&with_shape(wall(bad))).contains("width is"), "{bad}");
        let disc = Outline::Disc { centre: [0.0, 0.0], radius: bad };
        assert!(refused(&with_shape(disc)).contains("radius is"), "{bad}");
    }
    let hull = Outline::ConcaveHull { points: square(0.0, 0.0, 1.0), concavity: f64::NAN };
    assert!(refused(&with_shape(hull)).contains("concavity"));
    let mut plan = plan(&[square(0.0, 0.0, 5.0)], &[]);
    plan.storeys[0].elevation = f64::NAN;
    assert_eq!(refused(&plan), "storey \"a\": elevation is NaN, but must be finite and at most 100 km");
}

#[test]
fn doors_are_checked() {
    let door = |line: [PlanPosition; 2], depth: f64, cost: f32| {
        let mut plan = plan(&[square(0.0, 0.0, 5.0)], &[]);
        plan.storeys[0].doors.push(Door { name: "front".into(), line, depth, cost });
        refused(&plan)
    };
    assert!(door([[1.0, 1.0], [1.0, 1.0]], 0.3, 0.0).contains("door \"front\": length is 0"));
    assert!(door([[1.0, 1.0], [f64::NAN, 1.0]], 0.3, 0.0).contains("x of point 1 is NaN"));
    assert!(door([[1.0, 1.0], [2.0, 1.0]], 0.0, 0.0).contains("depth is 0"));
    assert!(door([[1.0, 1.0], [2.0, 1.0]], 0.3, -1.0).contains("cost is -1"));
}

#[test]
fn plans_without_ground_and_names_given_twice_are_refused() {
    assert!(matches!(PlanBase::new(&FloorPlan::default(), &bare()), Err(PlanError::NothingWalkable { .. })));
    let mut plan = plan(&[], &[square(0.0, 0.0, 5.0)]);
    assert_eq!(
        refused(&plan),
        "the plan has no walkable shape with an area (0 walkable, 1 blocked shapes in all)"
    );
    let twin = plan.storeys[0].clone();
    plan.storeys.push(twin);
    assert_eq!(refused(&plan), "there are two storeys \"a\"");
}

#[test]
fn configuration_is_checked_field_by_field() {
    let good = PlanConfig::default();
    good.validate().expect("the default is good");
    for (config, field) in [
        (good.with_radius(-1.0), "radius"),
        (good.with_radius(f64::NAN), "radius"),
        (good.with_arc_error(0.0), "arc_error"),
        (good.with_cell_size(0.0), "cell_size"),
        (good.with_near_distance(f64::INFINITY), "near_distance"),
        (good.with_min_area(-0.1), "min_area"),
        (good.with_link_reach(f64::NAN), "link_reach"),
        (good.with_join(Join::Miter { limit: 0.5 }), "miter limit"),
    ] {
        let message = config.validate().expect_err(field).to_string();
        assert!(message.starts_with(field), "{message}");
    }
}

#[test]
fn the_grid_grows_coarser_with_the_plan() {
    let (ground, base) = ground(&plan(&[square(0.0, 0.0, 2e6)], &[]), &bare());
    assert!(base.frame().cell_size > 0.003, "{}", base.frame().cell_size);
    assert!((area(&ground.contours) / 4e12 - 1.0).abs() < 1e-4);
    assert!(base.notes().iter().any(|note| matches!(note.kind, NoteKind::FarFromOrigin { .. })));
}

#[test]
fn small_pieces_go_and_are_told() {
    let config = PlanConfig::default().with_radius(0.0).with_min_area(0.5);
    let (ground, _) = ground(&plan(&[square(0.0, 0.0, 5.0), square(9.0, 9.0, 0.5)], &[]), &config);
    assert_eq!(ground.contours.regions.len(), 1);
    assert!(matches!(ground.notes[0].kind, NoteKind::SmallPieces { pieces: 1, .. }));
}

#[test]
fn an_obstacle_without_area_is_refused() {
    let error = Obstacle::new(&Shape::polygon("box", vec![[0.0, 0.0], [1.0, 0.0]]), &bare());
    assert!(error.expect_err("no area").to_string().contains("box: area is 0"));
}

#[test]
fn a_door_cuts_walls_and_ground() {
    // Two rooms of 5 by 6 m, a wall of 0.4 m between them, a door of 1 m in it.
    let mut plan = plan(&[square(0.0, 0.0, 10.0)], &[]);
    plan.storeys[0]
        .blocked
        .push(Shape::new("wall", Outline::Wall { line: vec![[5.0, -1.0], [5.0, 11.0]], width: 0.4 }));
    let config = PlanConfig::default().with_join(Join::Round);
    let (closed, _) = ground(&plan, &config);
    assert_eq!(closed.contours.regions.len(), 2);
    plan.storeys[0].doors.push(Door {
        name: "d".into(),
        line: [[5.0, 4.0], [5.0, 5.0]],
        depth: 0.6,
        cost: 0.0,
    });
    let (open, base) = ground(&plan, &config);
    // Both rooms, and the half of the doorway on one side of the line.
    assert_eq!(open.contours.regions.len(), 3);
    assert_eq!(base.doors().len(), 1);
    let shared: usize = open.contours.arcs.iter().filter(|arc| arc.right.is_some()).count();
    assert!(shared >= 2, "one way in, one way out");
    // 0.4 m are left of the doorway's width, over the 1 m of wall and clearance, less the rounding of
    // its corners.
    let gained = area(&open.contours) - area(&closed.contours);
    assert!((0.4..0.6).contains(&gained), "{gained}");
}

#[test]
fn pieces_that_touch_in_a_corner_are_no_neighbours() {
    let (ground, _) = ground(&plan(&[square(0.0, 0.0, 3.0), square(3.0, 3.0, 3.0)], &[]), &bare());
    assert_eq!(ground.contours.regions.len(), 2);
    assert_eq!(ground.contours.vertices.len(), 8, "the corner is there twice");
    ground.contours.validate().expect("sound");
}

#[test]
fn hulls_and_footprints() {
    let corners: Vec<glam::Vec3> = (0..8_u8)
        .map(|corner| {
            let bit = |bit: u8| f32::from(corner >> bit & 1);
            glam::Vec3::new(2.0 + 3.0 * bit(0), 7.0 * bit(1), 1.0 + 2.0 * bit(2))
        })
        .collect();
    let (first, _) = ground(&with_shape(Outline::footprint(&corners)), &bare());
    assert!((area(&first.contours) - 6.0).abs() < 1e-4);
    // An L of points a metre apart: its convex hull is larger than the concave one.
    let mut points = Vec::new();
    for x in 0..=6_u8 {
        for z in 0..=6_u8 {
            if x <= 1 || z <= 1 {
                points.push([f64::from(x), f64::from(z)]);
            }
        }
    }
    let hull = |outline| area(&ground(&with_shape(outline), &bare()).0.contours);
    let convex = hull(Outline::ConvexHull { points: points.clone() });
    let concave = hull(Outline::ConcaveHull { points, concavity: 1.0 });
    assert!((convex - 23.5).abs() < 1e-4, "{convex}");
    assert!((11.0 - 1e-4..15.0).contains(&concave), "{concave}");
}

/// Rings of thin walls around a room within a hall, whose corners lie nearer to each other than
/// `near_distance`.
#[test]
fn closed_rings_of_thin_walls_stay_closed() {
    let ring = |corners: u32, turn: f64, size: f64| -> Vec<PlanPosition> {
        let at = |corner: u32| {
            let (sin, cos) =
                (f64::from(corner) * std::f64::consts::TAU / f64::from(corners) + turn).sin_cos();
            [5.0 + size * cos, 4.0 + size * sin]
        };
        (0..=corners).map(at).collect()
    };
    for corners in [3, 4, 5, 8, 24] {
        for turn in [0.0, 0.1, std::f64::consts::FRAC_PI_4, 1.3] {
            for millimetres in [1.0, 1.5, 2.0, 3.0, 5.0, 20.0] {
                let width = millimetres / 1000.0;
                let line = Outline::Wall { line: ring(corners, turn, 3.0), width };
                let beyond = width / (std::f64::consts::PI / f64::from(corners)).cos();
                let drawn = Outline::Polygon {
                    outer: ring(corners, turn, 3.0 + beyond),
                    holes: vec![ring(corners, turn, 3.0)],
                };
                for (outline, name) in [(line, "line"), (drawn, "polygon")] {
                    // Thinner polygons are rounded to cells of 1 mm.
                    if name == "polygon" && millimetres < 2.0 {
                        continue;
                    }
                    let mut plan = FloorPlan::default();
                    let storey = plan.storey_mut("0", 0.0);
                    let hall = vec![[0.0, 0.0], [10.0, 0.0], [10.0, 8.0], [0.0, 8.0]];
                    storey.walkable.push(Shape::polygon("hall", hall));
                    storey.blocked.push(Shape::new("ring", outline));
                    let (ground, _) = ground(&plan, &PlanConfig::default().with_radius(0.0));
                    let pieces = ground.contours.regions.len();
                    assert_eq!(pieces, 2, "{name} of {corners} corners, {millimetres} mm, turned by {turn}");
                }
            }
        }
    }
}
