//! Obstacles in an existing heightfield.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a panic fails the test, and its numbers are small"
)]

use crate::common;
use common::{crop, nasty_soup, soup, storeys};
use glam::{Vec2, Vec3};
use proptest::prelude::*;
use waymesh_core::stage::BuildField;
use waymesh_core::{
    Agent, AreaId, BadField, Bounds, Counter, Direction, FieldWindow, GridFrame, GridScale, GridWindow,
    Heightfield, Observer, Span, TriangleSoup, Validate, WalkableField, Warning,
};
use waymesh_testkit::Random;
use waymesh_voxel::{
    ClosedMesh, FieldBuilder, MarkShape, Obstacle, ObstacleShape, VoxelConfig, VoxelError, build_window,
    rasterize_in_frame, stamp_obstacles,
};

fn bounds(min: [f32; 3], max: [f32; 3]) -> MarkShape {
    MarkShape::Box { bounds: Bounds { min: min.into(), max: max.into() } }
}

/// Returns twelve triangles that face outward.
fn box_mesh(bounds: &Bounds) -> TriangleSoup {
    let (a, b) = (bounds.min, bounds.max);
    let corner = |index: usize| {
        let pick = |bit: usize, low: f32, high: f32| if index >> bit & 1 == 0 { low } else { high };
        Vec3::new(pick(0, a.x, b.x), pick(1, a.y, b.y), pick(2, a.z, b.z))
    };
    let sides = [[0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriangleSoup::new((0..8).map(corner).collect(), triangles).unwrap()
}

#[test]
fn the_faces_of_the_test_box_look_outward() {
    let mesh = box_mesh(&Bounds { min: Vec3::ZERO, max: Vec3::new(1., 2., 3.) });
    let centre = Vec3::new(0.5, 1.0, 1.5);
    for triangle in 0..12 {
        let [a, b, c] = mesh.corners(triangle);
        assert!((b - a).cross(c - a).dot(a - centre) > 0.0, "{triangle}");
    }
}

fn frame() -> GridFrame {
    GridFrame { origin: Vec3::new(-2., -1., 5.), cell_size: 0.3, level_height: 0.2, width: 40, depth: 34 }
}

/// Converts grid coordinates to world coordinates.
fn at(x: f32, y: f32, z: f32) -> [f32; 3] {
    let frame = frame();
    (frame.origin + Vec3::new(x * frame.cell_size, y * frame.level_height, z * frame.cell_size)).to_array()
}

/// Returns a flat floor at level 5 from cell (2, 2) to (38, 32), slightly above the level line.
fn floor() -> Heightfield {
    let [a, b, c, d] = [at(2., 5.1, 2.), at(2., 5.1, 32.), at(38., 5.1, 32.), at(38., 5.1, 2.)];
    rasterize_in_frame(&soup(&[[a, b, c], [a, c, d]]), &frame(), &VoxelConfig::default(), &mut ()).unwrap()
}

fn stamped(base: &Heightfield, obstacles: &[Obstacle]) -> Heightfield {
    let mut heightfield = base.clone();
    let whole = GridWindow::whole(&base.frame);
    stamp_obstacles(&mut heightfield, &base.frame, whole, obstacles, &VoxelConfig::default(), &mut ())
        .unwrap();
    heightfield.validate().unwrap();
    heightfield
}

fn field(heightfield: &Heightfield) -> WalkableField {
    let agent = Agent::default().with_radius(0.3);
    let field = FieldBuilder::new(agent).build_field(heightfield, &mut ()).unwrap();
    field.validate().unwrap();
    field
}

/// Returns the ground of the walkable spans of a column, in levels.
fn grounds(field: &WalkableField, x: u32, z: u32) -> Vec<f32> {
    field
        .column(x, z)
        .filter(|&span| field.is_walkable(span))
        .map(|span| field.ground[span as usize])
        .collect()
}

#[test]
fn a_low_box_is_stepped_onto_and_a_high_one_walked_round() {
    let base = floor();
    let shape = |top: f32| bounds(at(10., 3., 10.), at(20., top, 20.));
    // 3.9 levels above the floor: an agent steps up four (0.9 m).
    let low = field(&stamped(&base, &[Obstacle::solid(shape(9.0))]));
    assert_eq!(grounds(&low, 15, 15), [9.0]);
    assert_eq!(grounds(&low, 5, 15), [5.09375]);
    let span = low.column(9, 15).start;
    assert!(low.walkable_neighbour(span, Direction::PosX).is_some(), "a step onto the box");

    let high = field(&stamped(&base, &[Obstacle::solid(shape(15.0))]));
    assert_eq!(grounds(&high, 15, 15), [] as [f32; 0]);
    assert_eq!(grounds(&high, 9, 15), [] as [f32; 0], "the agent's body is kept out");
    assert_eq!(grounds(&high, 6, 15), [5.09375]);
    let platform = field(&stamped(&base, &[Obstacle::solid(shape(15.0)).with_walkable(true)]));
    assert_eq!(grounds(&platform, 15, 15), [15.0]);
    assert_eq!(grounds(&platform, 9, 15), [] as [f32; 0]);
}

#[test]
fn room_below_what_hangs_high_enough() {
    let base = floor();
    // The agent needs ten levels (2 m) above the floor at level 5.09; less than one may be missing.
    for (bottom, expected) in
        [(14.0, &[] as &[f32]), (14.9, &[]), (15.0, &[5.09375]), (16.0, &[5.09375]), (20.0, &[5.09375])]
    {
        let slab = Obstacle::solid(bounds(at(10., bottom, 10.), at(20., bottom + 1.0, 20.)));
        let field = field(&stamped(&base, &[slab]));
        assert_eq!(grounds(&field, 15, 15), expected, "slab at level {bottom}");
    }
    // A thin slab close above the floor is a low obstacle that the agent steps onto.
    let field = field(&stamped(&base, &[Obstacle::solid(bounds(at(10., 8., 10.), at(20., 9., 20.)))]));
    assert_eq!(grounds(&field, 15, 15), [9.0]);
}

#[test]
fn a_bridge_carries_and_a_ramp_leads_up() {
    let [a, b, c, d] = [at(2., 5.1, 2.), at(2., 5.1, 32.), at(15., 5.1, 32.), at(15., 5.1, 2.)];
    let [e, f, g, h] = [at(25., 5.1, 2.), at(25., 5.1, 32.), at(38., 5.1, 32.), at(38., 5.1, 2.)];
    let banks = soup(&[[a, b, c], [a, c, d], [e, f, g], [e, g, h]]);
    let base = rasterize_in_frame(&banks, &frame(), &VoxelConfig::default(), &mut ()).unwrap();
    let links_across = |field: &WalkableField| {
        (13..27).all(|x| {
            field.column(x, 16).any(|span| field.walkable_neighbour(span, Direction::PosX).is_some())
        })
    };
    assert!(!links_across(&field(&base)));
    let bridge =
        |walkable| Obstacle::solid(bounds(at(12., 4., 12.), at(28., 5.5, 21.))).with_walkable(walkable);
    assert!(links_across(&field(&stamped(&base, &[bridge(true)]))));
    assert!(!links_across(&field(&stamped(&base, &[bridge(false)]))), "nobody is meant to walk on it");
    // A sheet from one bank up and over, as a mesh that is open on all sides.
    let [p, q, r, s] = [at(10., 5., 12.), at(10., 5., 21.), at(30., 12., 21.), at(30., 12., 12.)];
    let ramp = Obstacle::mesh(soup(&[[p, q, r], [p, r, s]])).with_walkable(true);
    let up = field(&stamped(&base, &[ramp]));
    assert!(links_across(&up));
    let top = grounds(&up, 24, 16);
    assert!((top[0] - 10.075).abs() < 0.05, "{top:?}");
}

#[test]
fn nothing_is_left_inside_of_a_mesh() {
    let base = floor();
    let mut hall = box_mesh(&Bounds { min: at(8., 2., 8.).into(), max: at(30., 40., 28.).into() });
    let closed = stamped(&base, &[Obstacle::mesh(hall.clone())]);
    assert_eq!(closed.column(20, 20).iter().map(|s| (s.bottom, s.top)).collect::<Vec<_>>(), [(2, 41)]);
    assert_eq!(grounds(&field(&closed), 20, 20), [] as [f32; 0]);
    // A hall with a room in it, whose faces face inward: the room stays free.
    let room = box_mesh(&Bounds { min: at(10., 5., 10.).into(), max: at(28., 30., 26.).into() });
    let flipped = room.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let solid = hall.clone();
    hall.append(room.positions().to_vec(), flipped).unwrap();
    // A closed mesh may also face inward as a whole.
    for (mesh, expected) in [(&solid, &closed), (&hall, &stamped(&base, &[Obstacle::mesh(hall.clone())]))] {
        let inward = mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
        let inward = TriangleSoup::new(mesh.positions().to_vec(), inward).unwrap();
        for soup in [mesh, &inward] {
            let shape = MarkShape::Mesh { mesh: ClosedMesh::new(soup).unwrap() };
            assert_eq!(stamped(&base, &[Obstacle::solid(shape)]), *expected);
        }
    }
    let open = stamped(&base, &[Obstacle::mesh(hall).with_walkable(true)]);
    let spans: Vec<_> = open.column(20, 20).iter().map(|s| (s.bottom, s.top)).collect();
    assert_eq!(spans, [(2, 6), (30, 41)]);
    assert_eq!(grounds(&field(&open), 20, 20), [5.09375, 40.0]);
}

#[test]
fn what_is_broken_is_named_or_counted() {
    let base = floor();
    let whole = GridWindow::whole(&base.frame);
    let stamp = |obstacle: Obstacle| {
        let mut heightfield = base.clone();
        let result = stamp_obstacles(
            &mut heightfield,
            &base.frame,
            whole,
            &[obstacle],
            &VoxelConfig::default(),
            &mut (),
        );
        assert!(result.is_ok() || heightfield == base, "an error leaves it as it was");
        result
    };
    let bad = |result: Result<u64, VoxelError>, name: &str| {
        assert!(
            matches!(result, Err(VoxelError::BadField(BadField { field, .. })) if field == name),
            "{result:?}"
        );
    };
    bad(stamp(Obstacle::solid(bounds([0., 0., f32::NAN], [1., 1., 1.]))), "box corner");
    bad(stamp(Obstacle::solid(bounds([0., 2., 0.], [1., 1., 1.]))), "size of an obstacle");
    let cylinder = |radius, height| MarkShape::Cylinder { base: Vec3::new(0., 0., 8.1), radius, height };
    bad(stamp(Obstacle::solid(cylinder(-1.0, 1.0))), "cylinder radius");
    let prism = |corners: &[[f32; 2]], heights| MarkShape::Prism {
        corners: corners.iter().map(|&c| c.into()).collect(),
        heights,
    };
    bad(stamp(Obstacle::solid(prism(&[[0., 0.], [1., 0.], [0., 1.]], [2., 1.]))), "size of an obstacle");
    assert_eq!(
        stamp(Obstacle::solid(prism(&[[0., 0.], [1., 0.]], [0., 1.]))),
        Err(VoxelError::FlatPrism { corners: 2 })
    );
    // Shapes of the largest possible size, or outside the grid.
    let most = f32::MAX;
    let all = u64::from(base.frame.width * base.frame.depth);
    assert_eq!(stamp(Obstacle::solid(bounds([-most; 3], [most; 3]))), Ok(all));
    assert_eq!(stamp(Obstacle::solid(cylinder(most, most))), Ok(all));
    assert_eq!(stamp(Obstacle::solid(bounds([90., 0., 90.], [91., 1., 91.]))), Ok(0));
    // Points and lines fill what they touch.
    assert_eq!(stamp(Obstacle::solid(cylinder(0.0, 1.0))), Ok(1));
    assert_eq!(stamp(Obstacle::solid(prism(&[[0.2, 8.1], [0.2, 8.1], [0.2, 8.1]], [0., 1.]))), Ok(1));

    struct Log(Vec<(Counter, u64)>, Vec<Warning>);
    impl Observer for Log {
        fn count(&mut self, counter: Counter, amount: u64) {
            self.0.push((counter, amount));
        }
        fn warn(&mut self, warning: Warning) {
            self.1.push(warning);
        }
    }
    let mut log = Log(Vec::new(), Vec::new());
    let broken = soup(&[[[f32::NAN; 3]; 3], [[0., 0., 8.]; 3], [[90.; 3], [91., 90., 90.], [90., 90., 91.]]]);
    let mut heightfield = base.clone();
    let obstacles = [Obstacle::mesh(broken), Obstacle::mesh(TriangleSoup::default())];
    let stamped =
        stamp_obstacles(&mut heightfield, &base.frame, whole, &obstacles, &VoxelConfig::default(), &mut log);
    assert_eq!(stamped, Ok(0));
    assert_eq!(log.0, [(Counter::TrianglesNotFinite, 1), (Counter::TrianglesDegenerate, 1)]);
    assert_eq!(log.1, [Warning::TrianglesSkipped { not_finite: 1, degenerate: 1 }]);

    let small = VoxelConfig::default().with_max_memory_bytes(40 * 34 * 4 + 4000);
    let shape = Obstacle::solid(bounds(at(-9., 30., -9.), at(99., 31., 99.)));
    let result = stamp_obstacles(&mut heightfield, &base.frame, whole, &[shape], &small, &mut ());
    assert!(matches!(result, Err(VoxelError::TooMuchMemory { .. })), "{result:?}");
    assert!(heightfield == base);
}

/// Returns a random box from these ranges of cells and levels. Its vertical sides do not lie on
/// cell lines, because the cell of a face on a line is a convention.
fn off_the_lines(frame: &GridFrame, random: &mut Random, from: [[f32; 2]; 3]) -> Bounds {
    let unit = Vec3::new(frame.cell_size, frame.level_height, frame.cell_size);
    let mut point = |low: Vec3, high: Vec3| {
        let place =
            Vec3::new(random.range(low.x, high.x), random.range(low.y, high.y), random.range(low.z, high.z));
        let off = |place: f32| place.floor() + (place - place.floor()).clamp(0.01, 0.99);
        // Faces may lie on level lines: all rules are the same there.
        let level = if random.chance(0.3) { place.y.round() } else { place.y };
        Vec3::new(off(place.x), level, off(place.z))
    };
    let low = point(from.map(|range| range[0]).into(), from.map(|range| range[1]).into());
    let high = point(low + Vec3::new(0.02, 1.0, 0.02), low + Vec3::new(13., 15., 13.)).max(low);
    Bounds { min: frame.origin + low * unit, max: frame.origin + high * unit }
}

/// Returns a random obstacle near the origin, in metres. Some coordinates lie on cell lines.
fn random_obstacle(random: &mut Random) -> Obstacle {
    let snap = random.chance(0.4);
    let mut number = |low: f32, high: f32| {
        let number = random.range(low, high);
        if snap { (number / 0.3).round() * 0.3 } else { number }
    };
    let low = Vec3::new(number(-1., 8.), number(-1., 4.), number(-1., 8.));
    let size = Vec3::new(number(0., 4.), number(0., 3.), number(0., 4.));
    let kind = random.below(4);
    let shape = match kind {
        0 => ObstacleShape::Solid { shape: MarkShape::Box { bounds: Bounds { min: low, max: low + size } } },
        1 => {
            // In order around the middle, so that the outline is simple; most are not convex.
            let count = 3 + random.below(5);
            let corners = (0..count).map(|corner| {
                let turn = (corner as f32 + random.unit()) / count as f32 * std::f32::consts::TAU;
                Vec2::new(low.x, low.z) + Vec2::from_angle(turn) * random.range(0.1, 3.0)
            });
            ObstacleShape::Solid {
                shape: MarkShape::Prism { corners: corners.collect(), heights: [low.y, low.y + size.y] },
            }
        }
        2 => ObstacleShape::Solid {
            shape: MarkShape::Cylinder { base: low, radius: size.x * 0.5, height: size.y },
        },
        _ => ObstacleShape::Mesh { soup: box_mesh(&Bounds { min: low, max: low + size }) },
    };
    let base = match shape {
        ObstacleShape::Mesh { soup } => Obstacle::mesh(soup),
        ObstacleShape::Solid { shape } => Obstacle::solid(shape),
        _ => unreachable!("there is no other"),
    };
    base.with_walkable(random.chance(0.4))
}

/// Returns the distance of a point in plan from a solid, 0 inside, by its definition.
fn plan_distance(shape: &MarkShape, x: f64, z: f64) -> f64 {
    match shape {
        MarkShape::Box { bounds } => {
            let out = |value: f64, low: f32, high: f32| {
                (f64::from(low) - value).max(value - f64::from(high)).max(0.0)
            };
            out(x, bounds.min.x, bounds.max.x).hypot(out(z, bounds.min.z, bounds.max.z))
        }
        MarkShape::Cylinder { base, radius, .. } => {
            ((x - f64::from(base.x)).hypot(z - f64::from(base.z)) - f64::from(*radius)).max(0.0)
        }
        MarkShape::Prism { corners, .. } => {
            let c: Vec<[f64; 2]> = corners.iter().map(|c| [f64::from(c.x), f64::from(c.y)]).collect();
            let (mut nearest, mut is_inside) = (f64::INFINITY, false);
            for (index, a) in c.iter().enumerate() {
                let b = c[(index + 1) % c.len()];
                let (dx, dz) = (b[0] - a[0], b[1] - a[1]);
                let length = dx * dx + dz * dz;
                let share = if length > 0.0 { ((x - a[0]) * dx + (z - a[1]) * dz) / length } else { 0.0 };
                let share = share.clamp(0.0, 1.0);
                nearest = nearest.min((a[0] + dx * share - x).hypot(a[1] + dz * share - z));
                is_inside ^= (a[1] > z) != (b[1] > z) && x < a[0] + (z - a[1]) / dz * dx;
            }
            if is_inside {
                return 0.0;
            }
            nearest
        }
        _ => unreachable!("there is no other"),
    }
}

fn heights(shape: &MarkShape) -> [f64; 2] {
    match shape {
        MarkShape::Box { bounds } => [bounds.min.y, bounds.max.y],
        MarkShape::Prism { heights, .. } => *heights,
        MarkShape::Cylinder { base, height, .. } => [base.y, base.y + height],
        _ => unreachable!("there is no other"),
    }
    .map(f64::from)
}

fn is_filled(column: &[Span], level: i32) -> bool {
    column.iter().any(|span| span.bottom <= level && level < span.top)
}

fn base_and_frame(seed: u64) -> (GridFrame, Heightfield) {
    let soup = storeys(seed);
    let config = VoxelConfig::default();
    let frame = GridFrame::fit(&soup.bounds(), &config.scale).unwrap();
    (frame, rasterize_in_frame(&soup, &frame, &config, &mut ()).unwrap())
}

fn covers_levels(column: &[Span], levels: std::ops::Range<i32>) -> bool {
    column.iter().any(|span| span.bottom <= levels.start && levels.end <= span.top) || levels.is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn windows_and_order_do_not_show(seed in any::<u64>(), x in 0_u32..25, z in 0_u32..25, width in 1_u32..30, depth in 1_u32..30) {
        let (frame, base) = base_and_frame(seed);
        let mut random = Random::new(seed);
        let mut obstacles: Vec<Obstacle> = (0..random.below(6)).map(|_| random_obstacle(&mut random)).collect();
        let whole = stamped(&base, &obstacles);
        obstacles.reverse();
        prop_assert!(stamped(&base, &obstacles) == whole);
        let window = GridWindow::new(x, z, width, depth).intersection(&GridWindow::whole(&frame));
        let mut part = crop(&base, window);
        let config = VoxelConfig::default();
        stamp_obstacles(&mut part, &frame, window, &obstacles, &config, &mut ()).unwrap();
        prop_assert!(part == crop(&whole, window));
        // Columns outside the reported windows of the obstacles are unchanged.
        let reached: Vec<GridWindow> = obstacles.iter().map(|o| o.columns(&frame).unwrap()).collect();
        for z in 0..frame.depth {
            for x in 0..frame.width {
                if !reached.iter().any(|window| window.contains(x, z)) {
                    prop_assert_eq!(whole.column(x, z), base.column(x, z));
                }
            }
        }
        // The field of a window with obstacles is equal to that part of the whole field with
        // obstacles.
        let builder = FieldBuilder::new(Agent::default().with_radius(0.45).with_height(1.5));
        let core = GridWindow::new(x.min(frame.width - 1), z.min(frame.depth - 1), width, depth).intersection(&GridWindow::whole(&frame));
        let window = core.grown(builder.halo_cells(&config.scale), &frame);
        let mut part = crop(&base, window);
        stamp_obstacles(&mut part, &frame, window, &obstacles, &config, &mut ()).unwrap();
        let built = build_window(&part, &frame, window, core, &builder, &mut ()).unwrap();
        let expected = FieldWindow::whole(builder.build_field(&whole, &mut ()).unwrap());
        prop_assert!(built == expected.cut(core));
    }

    #[test]
    fn solids_fill_what_they_reach_into_and_nothing_else(seed in any::<u64>()) {
        let (frame, base) = base_and_frame(seed);
        let mut random = Random::new(seed ^ 1);
        let obstacle = random_obstacle(&mut random);
        let ObstacleShape::Solid { shape } = &obstacle.shape else { return Ok(()) };
        let after = stamped(&base, std::slice::from_ref(&obstacle));
        let level = |height: f64| (height - f64::from(frame.origin.y)) / f64::from(frame.level_height);
        let [low, high] = heights(shape).map(level);
        let cell = f64::from(frame.cell_size);
        let reached = obstacle.columns(&frame).unwrap().grown(2, &frame);
        for z in 0..frame.depth {
            for x in 0..frame.width {
                if !reached.contains(x, z) {
                    prop_assert_eq!(after.column(x, z), base.column(x, z));
                    continue;
                }
                // Search for the nearest point of the cell: distances are convex over a cell.
                let point = |u: f64, v: f64| {
                    let (x, z) = (f64::from(x) + u, f64::from(z) + v);
                    plan_distance(shape, f64::from(frame.origin.x) + x * cell, f64::from(frame.origin.z) + z * cell) / cell
                };
                let along = |u: f64| lowest(|v| point(u, v));
                let distance = lowest(along);
                let (column, before) = (after.column(x, z), base.column(x, z));
                if distance > 2e-3 {
                    prop_assert_eq!(column, before, "cell {} {}: {} cells away", x, z, distance);
                    continue;
                }
                for span in before {
                    prop_assert!(covers_levels(column, span.bottom..span.top), "nothing that was filled becomes free");
                }
                // A point of the cell is well inside if a small square around it is inside as well.
                let inside = (0..9).any(|u| (0..9).any(|v| {
                    let (u, v) = (0.01 + 0.1225 * f64::from(u), 0.01 + 0.1225 * f64::from(v));
                    [(0., 0.), (0.005, 0.), (0., 0.005), (-0.005, 0.), (0., -0.005)].iter().all(|(du, dv)| point(u + du, v + dv) == 0.0)
                }));
                if inside {
                    let needed = (low + 2e-4).floor() as i32..(high - 2e-4).ceil() as i32;
                    prop_assert!(covers_levels(column, needed.clone()), "cell {} {}: {:?} in {:?}", x, z, needed, column);
                }
                for span in column {
                    let allowed = (low - 2e-4).floor() as i32..((high + 2e-4).ceil() as i32).max((low + 2e-4).floor() as i32 + 1);
                    let strange = (span.bottom..span.top).find(|&level| !is_filled(before, level) && !allowed.contains(&level));
                    prop_assert_eq!(strange, None, "cell {} {}: {:?}", x, z, span);
                }
            }
        }
    }

    #[test]
    fn a_box_is_a_box_as_solid_or_mesh(seed in any::<u64>()) {
        let (frame, base) = base_and_frame(seed);
        let mut random = Random::new(seed ^ 2);
        let bounds = off_the_lines(&frame, &mut random, [[-3., 30.], [-5., 15.], [-3., 30.]]);
        let (low, size) = (bounds.min, bounds.max - bounds.min);
        let walkable = seed % 2 == 0;
        let solid = Obstacle::solid(MarkShape::Box { bounds }).with_walkable(walkable);
        let mesh = Obstacle::mesh(box_mesh(&bounds)).with_walkable(walkable);
        let corners = [[low.x, low.z], [low.x, low.z + size.z], [low.x + size.x, low.z + size.z], [low.x + size.x, low.z]];
        let prism = MarkShape::Prism { corners: corners.map(Vec2::from).to_vec(), heights: [low.y, low.y + size.y] };
        let expected = stamped(&base, &[solid]);
        prop_assert!(stamped(&base, &[mesh]) == expected);
        prop_assert!(stamped(&base, &[Obstacle::solid(prism).with_walkable(walkable)]) == expected);
    }

    /// An obstacle on flat ground gives the same top view as a baked one.
    #[test]
    fn a_stamped_box_is_a_baked_one(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let [a, b, c, d] = [at(2., 5.1, 2.), at(2., 5.1, 32.), at(38., 5.1, 32.), at(38., 5.1, 2.)];
        let ground = [[a, b, c], [a, c, d]];
        let bounds = off_the_lines(&frame(), &mut random, [[0., 30.], [2., 8.], [0., 30.]]);
        let mesh = box_mesh(&bounds);
        let mut baked = soup(&ground);
        baked.append(mesh.positions().to_vec(), mesh.triangles().to_vec()).unwrap();
        let config = VoxelConfig::default().with_max_step(random.range(0.0, 2.0));
        let baked = rasterize_in_frame(&baked, &frame(), &config, &mut ()).unwrap();
        let mut stamped = rasterize_in_frame(&soup(&ground), &frame(), &config, &mut ()).unwrap();
        let obstacle = Obstacle::solid(MarkShape::Box { bounds }).with_walkable(true);
        stamp_obstacles(&mut stamped, &frame(), GridWindow::whole(&frame()), &[obstacle], &config, &mut ()).unwrap();
        for z in 0..frame().depth {
            for x in 0..frame().width {
                let seen = |column: &[Span]| column.last().map(|span| (span.top, span.ground_drop, span.area, span.upward));
                prop_assert_eq!(seen(stamped.column(x, z)), seen(baked.column(x, z)), "cell {} {}", x, z);
            }
        }
    }

    /// Any mesh on any ground gives a valid result, and the same result for windows.
    #[test]
    fn nasty_meshes_do_no_harm(mesh in nasty_soup(), seed in any::<u64>(), walkable in any::<bool>()) {
        let (frame, base) = base_and_frame(seed);
        let obstacle = [Obstacle::mesh(mesh.clone()).with_walkable(walkable)];
        let after = stamped(&base, &obstacle);
        for z in 0..frame.depth {
            for x in 0..frame.width {
                for span in base.column(x, z) {
                    prop_assert!(covers_levels(after.column(x, z), span.bottom..span.top));
                }
            }
        }
        // The result contains the faces as the rasteriser fills them.
        let faces = rasterize_in_frame(&mesh, &frame, &VoxelConfig::default(), &mut ()).unwrap();
        for z in 0..frame.depth {
            for x in 0..frame.width {
                for span in faces.column(x, z) {
                    prop_assert!(covers_levels(after.column(x, z), span.bottom..span.top));
                }
            }
        }
        let window = GridWindow::new(9, 7, 13, 15).intersection(&GridWindow::whole(&frame));
        let mut part = crop(&base, window);
        stamp_obstacles(&mut part, &frame, window, &obstacle, &VoxelConfig::default(), &mut ()).unwrap();
        prop_assert!(part == crop(&after, window));
    }
}

/// Returns the smallest value of a convex function over `0..=1`, by golden section search.
fn lowest(at: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..16 {
        let (a, b) = (low + (high - low) * 0.382, low + (high - low) * 0.618);
        if at(a) <= at(b) { high = b } else { low = a }
    }
    at(0.5 * (low + high)).min(at(0.0)).min(at(1.0))
}

/// Spans that an obstacle does not touch stay unchanged, even if no rasteriser could make them.
#[test]
fn untouched_spans_of_a_touched_column_stay() {
    let mut random = Random::new(3);
    let frame = GridFrame { width: 1, depth: 1, ..frame() };
    for _ in 0..2000 {
        let mut spans = Vec::new();
        let mut bottom = -20;
        for _ in 0..5 {
            bottom += 1 + random.below(9) as i32;
            let top = bottom + 1 + random.below(9) as i32;
            let area = AreaId([0, 1, 1, 7][random.index(4)]);
            let ground_drop = [0, 5, 32, 700, u16::MAX][random.index(5)];
            spans.push(Span { bottom, top, ground_drop, area, upward: random.chance(0.6) });
            bottom = top;
        }
        let before = Heightfield { frame, columns: vec![0, 5], spans: spans.clone() };
        let (low, high) = (random.range(-30., 60.), random.range(0.1, 15.));
        let obstacle = Obstacle::solid(bounds(at(-1., low, -1.), at(2., low + high, 2.)));
        let after = stamped(&before, &[obstacle]);
        let grid = GridScale::default();
        assert_eq!(frame.cell_size.to_bits(), grid.cell_size.to_bits());
        for span in &after.spans {
            let parts: Vec<&Span> =
                spans.iter().filter(|part| part.bottom < span.top && span.bottom < part.top).collect();
            let reaches = |part: &Span| low - 1.5 < part.top as f32 && low + high + 1.5 > part.bottom as f32;
            if let [part] = parts[..]
                && !reaches(part)
            {
                assert_eq!(span, part);
            }
            if span.area.is_walkable() {
                let upper = parts.iter().rev().find(|part| part.area.is_walkable()).unwrap();
                assert_eq!(span.area, upper.area);
            }
        }
    }
}
