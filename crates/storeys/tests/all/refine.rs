//! Refinement: compared with exact geometry, and independent of the window.

use glam::Vec3;
use proptest::prelude::*;
use waymesh_core::{
    Agent, AreaId, Direction, FieldWindow, GridFrame, GridScale, GridWindow, LabelledWindow, NO_SPAN,
    SlimSpans, SpanField, SpanKey, TriangleSoup, Validate,
};
use waymesh_scenes::{Scene, SceneConfig};
use waymesh_storeys::{
    BORDER_STEPS, Layers, SpanEnds, StoreysConfig, flood_layers, refine_window, voxelize_roughly,
};
use waymesh_testkit::soups;

fn config(cell: f32) -> StoreysConfig {
    let agent = Agent::default().with_radius(0.35).with_max_step(0.3);
    StoreysConfig::default().with_scale(GridScale::new(cell, 0.1)).with_agent(agent)
}

fn layers(soup: &TriangleSoup, config: &StoreysConfig) -> (GridFrame, Layers) {
    let bounds = soup.bounds();
    let frame = GridFrame::fit(&bounds, &config.scale).expect("a frame");
    let (voxels, _) =
        voxelize_roughly(soup, &frame, bounds.max.y - bounds.min.y, config).expect("rough voxels");
    (frame, flood_layers(&voxels, config).expect("layers"))
}

/// Fine ground and the frame and ends that belong to it.
#[derive(Debug, PartialEq)]
struct Refined {
    part: FieldWindow,
    ends: Vec<SpanEnds>,
}

fn refine_core(
    soup: &TriangleSoup,
    (frame, layers): &(GridFrame, Layers),
    core: GridWindow,
    config: &StoreysConfig,
) -> Refined {
    let refined = refine_window(soup.finite_triangles(), frame, core, layers, config);
    let refined = refined.expect("a good configuration");
    let part = refined.ground.to_walkable();
    part.validate().unwrap_or_else(|violations| panic!("{violations}"));
    Refined { part, ends: refined.ends }
}

fn refine(soup: &TriangleSoup, config: &StoreysConfig) -> Refined {
    let layers = layers(soup, config);
    refine_core(soup, &layers, GridWindow::whole(&layers.0), config)
}

fn quad(soup: &mut TriangleSoup, corners: [Vec3; 4]) {
    soup.append(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).expect("four corners");
}

fn plate(soup: &mut TriangleSoup, [x0, z0, x1, z1]: [f32; 4], y: f32) {
    quad(soup, [(x0, z0), (x0, z1), (x1, z1), (x1, z0)].map(|(x, z)| Vec3::new(x, y, z)));
}

/// Adds upright faces over a closed line in plan.
fn walls(soup: &mut TriangleSoup, plan: &[[f32; 2]], [low, high]: [f32; 2]) {
    for (index, &[ax, az]) in plan.iter().enumerate() {
        let [bx, bz] = plan[(index + 1) % plan.len()];
        let up = |y: f32| [Vec3::new(ax, y, az), Vec3::new(bx, y, bz)];
        let ([a, b], [c, d]) = (up(low), up(high));
        quad(soup, [a, b, d, c]);
    }
}

/// Returns the ends of the ground, in metres.
fn ends(refined: &Refined) -> Vec<[f64; 2]> {
    let frame = refined.part.frame;
    let mut found = Vec::new();
    for ends in &refined.ends {
        for direction in Direction::ALL {
            let steps = ends.steps[direction.index()];
            if steps == 0 {
                continue;
            }
            let along = f64::from(steps) / f64::from(BORDER_STEPS);
            let (dx, dz) = direction.offset();
            let place = |cell: u32, step: i32, origin: f32| {
                (f64::from(cell) + 0.5 + f64::from(step) * along) * f64::from(frame.cell_size)
                    + f64::from(origin)
            };
            found.push([place(ends.span.x, dx, frame.origin.x), place(ends.span.z, dz, frame.origin.z)]);
        }
    }
    found
}

/// Returns the distance from a point to a closed line in plan.
fn distance(plan: &[[f32; 2]], [x, z]: [f64; 2]) -> f64 {
    (0..plan.len())
        .map(|index| {
            let [ax, az] = plan[index].map(f64::from);
            let [bx, bz] = plan[(index + 1) % plan.len()].map(f64::from);
            let (dx, dz) = (bx - ax, bz - az);
            let along = (((x - ax) * dx + (z - az) * dz) / (dx * dx + dz * dz)).clamp(0.0, 1.0);
            (x - ax - along * dx).hypot(z - az - along * dz)
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn the_border_of_a_plate_is_the_radius_inside_its_edge() {
    let (x0, z0, x1, z1) = (0.0, 0.0, 4.137, 3.291);
    let mut soup = TriangleSoup::default();
    plate(&mut soup, [x0, z0, x1, z1], 1.0);
    let plan = [[x0, z0], [x0, z1], [x1, z1], [x1, z0]];
    for cell in [0.05, 0.1, 0.3] {
        let refined = refine(&soup, &config(cell));
        let found = ends(&refined);
        assert!(found.len() > 20);
        for point in found {
            let off = distance(&plan, point) - 0.35;
            // Half a step, plus the error at a corner.
            assert!(off.abs() <= f64::from(cell) * 0.36, "{cell}: off by {off}");
            let near_corner = (point[0] - f64::from(x1) / 2.0).abs()
                > f64::from(x1) / 2.0 - 0.35 - 1.5 * f64::from(cell)
                && (point[1] - f64::from(z1) / 2.0).abs()
                    > f64::from(z1) / 2.0 - 0.35 - 1.5 * f64::from(cell);
            if !near_corner {
                assert!(off.abs() <= f64::from(cell) * 0.04, "{cell}: off by {off} at {point:?}");
            }
        }
    }
}

#[test]
fn thin_walls_and_posts_stand_in_the_way() {
    let mut soup = TriangleSoup::default();
    plate(&mut soup, [0.0, 0.0, 8.0, 4.0], 0.0);
    let before = refine(&soup, &config(0.1)).part.field.walkable_spans();
    // A face without thickness across the plate.
    let mut walled = soup.clone();
    quad(
        &mut walled,
        [[4.03, 0.0, 0.0], [4.03, 0.0, 4.0], [4.03, 2.5, 4.0], [4.03, 2.5, 0.0]].map(Vec3::from),
    );
    let refined = refine(&walled, &config(0.1));
    let field = &refined.part.field;
    for span in (0_u32..).take(field.len()) {
        let x = f64::from(field.column_of(span).0) * 0.1 + 0.05;
        assert!((x - 4.03).abs() >= 0.35 - 1e-5, "a span at {x}");
    }
    // A post of two centimetres between the lines through the centres of cells.
    let mut posted = soup.clone();
    let post = [[4.01, 2.01], [4.03, 2.01], [4.03, 2.03], [4.01, 2.03]];
    walls(&mut posted, &post, [0.0, 2.5]);
    let refined = refine(&posted, &config(0.1));
    let lost = before - refined.part.field.walkable_spans();
    assert!((30..60).contains(&lost), "{lost} spans lost to a disc of 38");
    // A face above the agent's head, and one so low that the agent steps over it.
    for heights in [[2.1, 3.0], [0.0, 0.25]] {
        let mut clear = soup.clone();
        walls(&mut clear, &post, heights);
        assert_eq!(refine(&clear, &config(0.1)).part.field.walkable_spans(), before, "{heights:?}");
    }
}

#[test]
fn a_wall_on_every_storey_leaves_the_same_ground_on_all_of_them() {
    // Many heights of the ground around the ends of the walls.
    const STOREYS: usize = 24;
    let mut soup = TriangleSoup::default();
    for storey in (0_u8..).take(STOREYS) {
        let base = 4.0 * f32::from(storey);
        let slope = |x: f32, z: f32| Vec3::new(x, base + 0.01 * x + 0.007 * z, z);
        quad(&mut soup, [slope(0.0, 0.0), slope(0.0, 4.0), slope(8.0, 4.0), slope(8.0, 0.0)]);
        let (a, b) = ([3.02, 1.07], [5.38, 2.46]);
        let up = |[x, z]: [f32; 2], high: f32| Vec3::new(x, base + high, z);
        quad(&mut soup, [up(a, 0.0), up(b, 0.0), up(b, 2.0), up(a, 2.0)]);
    }
    let field = refine(&soup, &config(0.1)).part.field;
    let counts: Vec<usize> = field.columns.windows(2).map(|pair| (pair[1] - pair[0]) as usize).collect();
    assert!(counts.iter().all(|&count| count == 0 || count == STOREYS), "{counts:?}");
    let area = counts.iter().filter(|&&count| count > 0).count();
    // The plate inside its edge, without ground near the wall.
    assert!((2270..2300).contains(&area), "{area}");
}

#[test]
fn a_stair_is_walked_and_a_table_is_not() {
    let mut soup = TriangleSoup::default();
    for step in 0_u8..8 {
        let (z, y) = (f32::from(step) * 0.3, f32::from(step) * 0.2);
        plate(&mut soup, [0.0, z, 3.0, z + 0.3], y);
        quad(&mut soup, [[0.0, y, z], [3.0, y, z], [3.0, y - 0.2, z], [0.0, y - 0.2, z]].map(Vec3::from));
    }
    plate(&mut soup, [0.0, 2.4, 3.0, 8.0], 1.4);
    let refined = refine(&soup, &config(0.05));
    let field = &refined.part.field;
    let mut seen = vec![false; field.len()];
    let mut stack = vec![0];
    seen[0] = true;
    while let Some(span) = stack.pop() {
        for direction in Direction::ALL {
            if let Some(next) = field.walkable_neighbour(span, direction)
                && !std::mem::replace(&mut seen[next as usize], true)
            {
                stack.push(next);
            }
        }
    }
    assert!(seen.iter().all(|&seen| seen), "the stair falls into pieces");
    let before = field.len();
    plate(&mut soup, [1.0, 4.0, 2.0, 6.0], 2.2);
    let refined = refine(&soup, &config(0.05));
    let field = &refined.part.field;
    assert!(field.len() < before);
    for (span, &ground) in (0_u32..).zip(&field.ground) {
        let (x, z) = field.column_of(span);
        let point = [(f64::from(x) + 0.5) * 0.05, (f64::from(z) + 0.5) * 0.05];
        let table = [[1.0, 4.0], [2.0, 4.0], [2.0, 6.0], [1.0, 6.0]];
        let inside = point[0] > 1.0 && point[0] < 2.0 && point[1] > 4.0 && point[1] < 6.0;
        let on_top = ground > 23.0;
        assert_eq!(inside, on_top, "a span at {point:?} on {ground}");
        assert!(distance(&table, point) >= 0.35 - 0.36 * 0.05, "a span too near to the table at {point:?}");
    }
}

/// Assembles the columns of all windows.
fn in_tiles(soup: &TriangleSoup, config: &StoreysConfig, side: u32) -> Refined {
    let layers = layers(soup, config);
    let frame = layers.0;
    let mut parts = Vec::new();
    let mut ends = Vec::new();
    for z in (0..frame.depth).step_by(side as usize) {
        for x in (0..frame.width).step_by(side as usize) {
            let core = GridWindow::new(x, z, side, side);
            let refined = refine_core(soup, &layers, core, config);
            ends.extend(refined.ends);
            parts.push(refined.part);
        }
    }
    let parts: Vec<&FieldWindow> = parts.iter().collect();
    ends.sort_unstable();
    Refined { part: FieldWindow::assemble(frame, GridWindow::whole(&frame), &parts), ends }
}

#[test]
fn windows_and_order_leave_no_trace() {
    for scene in Scene::ALL {
        let soup = scene.build(&SceneConfig::default());
        let config = config(0.2);
        let mut whole = refine(&soup, &config);
        whole.ends.sort_unstable();
        assert!(whole.part.field.len() > 100, "{}", scene.name());
        for side in [32, 80] {
            assert!(in_tiles(&soup, &config, side) == whole, "{} in windows of {side}", scene.name());
        }
        let mut shuffled = refine(&soups::shuffled(&soup, 3), &config);
        shuffled.ends.sort_unstable();
        assert!(shuffled == whole, "{} shuffled", scene.name());
        // Rough cells change the cost, not the ground.
        for cells in [2, 9] {
            let mut other = refine(&soup, &config.clone().with_rough_cells(cells));
            other.ends.sort_unstable();
            let (found, expected) = (other.part.field.len(), whole.part.field.len());
            assert!(found.abs_diff(expected) * 1000 <= expected, "{}: {found} of {expected}", scene.name());
        }
    }
}

#[test]
fn broken_scenes_are_refined_too() {
    for scene in Scene::ALL {
        for seed in 0..3 {
            refine(&scene.broken(seed), &config(0.25));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Tests a box at any angle on a plate: spans keep their distance to its sides, and no other
    /// span is lost.
    #[test]
    fn spans_keep_their_distance_to_a_box(
        turn in 0.0_f32..1.6, x in 2.5_f32..3.5, z in 2.5_f32..3.5, half in 0.02_f32..1.0, wide in 0.02_f32..1.0,
    ) {
        let mut soup = TriangleSoup::default();
        plate(&mut soup, [0.0, 0.0, 6.0, 6.0], 0.0);
        let (sin, cos) = turn.sin_cos();
        let plan = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(u, v): (f32, f32)| [x + u * half * cos - v * wide * sin, z + u * half * sin + v * wide * cos]);
        walls(&mut soup, &plan, [-1.0, 3.0]);
        let refined = refine(&soup, &config(0.1));
        let field = &refined.part.field;
        let edge = [[0.0, 0.0], [6.0, 0.0], [6.0, 6.0], [0.0, 6.0]];
        let mut kept = vec![false; field.columns.len()];
        let slack = 0.036;
        for span in (0_u32..).take(field.len()) {
            let (cx, cz) = field.column_of(span);
            kept[field.span_columns[span as usize] as usize] = true;
            let point = [(f64::from(cx) + 0.5) * 0.1, (f64::from(cz) + 0.5) * 0.1];
            prop_assert!(distance(&plan, point) >= 0.35 - slack, "too near at {point:?}");
        }
        for (column, &is_kept) in kept.iter().enumerate().take(field.frame.column_count()) {
            let (cx, cz) = (column % field.frame.width as usize, column / field.frame.width as usize);
            let point = [(cx as f64 + 0.5) * 0.1, (cz as f64 + 0.5) * 0.1];
            let clear = distance(&plan, point).min(distance(&edge, point));
            prop_assert!(is_kept || clear <= 0.35 + slack, "lost at {point:?}, {clear} from anything");
        }
    }

    /// Tests that any triangles give a valid field, for any radius.
    #[test]
    fn any_soup_gives_a_valid_field(
        corners in prop::collection::vec((0.0_f32..5.0, 0.0_f32..6.0, 0.0_f32..5.0), 3..90), radius in 0.0_f32..0.5,
    ) {
        let positions: Vec<Vec3> = corners.iter().map(|&(x, y, z)| Vec3::new(x, y, z)).collect();
        let count = u32::try_from(positions.len() / 3).expect("few");
        let triangles = (0..count).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]).collect();
        let mut soup = TriangleSoup::new(positions, triangles).expect("indices in range");
        plate(&mut soup, [0.0, 0.0, 5.0, 5.0], 0.0);
        let agent = Agent::default().with_radius(radius).with_height(1.0);
        let config = StoreysConfig::default().with_scale(GridScale::new(0.2, 0.1)).with_agent(agent);
        let whole = refine(&soup, &config);
        prop_assert!(in_tiles(&soup, &config, 16).part == whole.part);
    }
}

/// Checks that slim spans return the same values as the field with all tables.
fn same_spans(slim: &FieldWindow<SlimSpans>, part: &FieldWindow) {
    let (spans, field) = (&slim.field, &part.field);
    assert_eq!((slim.frame, slim.core, slim.window), (part.frame, part.core, part.window));
    assert!(spans.columns() == field.columns && spans.ground() == field.ground);
    for (span, &column) in (0_u32..).zip(&field.span_columns) {
        assert_eq!((spans.floor(span), spans.area(span)), (field.floor[span as usize], AreaId::GROUND));
        for direction in Direction::ALL {
            let link = field.links[span as usize][direction.index()];
            assert_eq!(spans.link(column, span, direction), link);
        }
    }
}

#[test]
fn slim_windows_tell_what_they_imply() {
    for scene in [Scene::SpiralStairs, Scene::OverlappingStoreys] {
        let soup = scene.build(&SceneConfig::default());
        // A step of half the agent's height: ground may be as near to the storey above as to that below.
        for step in [0.3, 1.2] {
            let mut config = config(0.3);
            config.agent = config.agent.with_max_step(step);
            let (frame, layers) = layers(&soup, &config);
            let draw = |core: GridWindow| {
                let refined = refine_window(soup.finite_triangles(), &frame, core, &layers, &config);
                let slim = refined.expect("a good configuration").ground;
                let part = slim.to_walkable();
                let labels: Vec<u32> = (0..part.field.len()).map(|span| label(&part, span)).collect();
                same_spans(&slim, &part);
                (slim, part, labels)
            };
            let (slim, whole, _) = draw(GridWindow::whole(&frame));
            for span in (0_u32..).take(whole.field.len()) {
                assert_eq!(slim.find(whole.key(span)), Some(span));
            }
            let mut tiles = Vec::new();
            for z in (0..frame.depth).step_by(37) {
                for x in (0..frame.width).step_by(41) {
                    let core = GridWindow::new(x, z, 41, 37).intersection(&whole.core);
                    tiles.push(draw(core));
                }
            }
            let tiles: Vec<_> = tiles.iter().map(|(slim, _, labels)| (slim, labels.as_slice())).collect();
            for asked in [whole.window, GridWindow::new(20, 20, 60, 50).intersection(&whole.core)] {
                let ground = LabelledWindow::assemble_slim(frame, asked, &tiles, 7);
                let part = whole.cut(asked);
                assert_eq!((ground.part.window, ground.regions.count), (asked, 7));
                same_ground(&ground, &part, asked);
            }
            // One tile of many: the columns of the others are empty.
            let few = LabelledWindow::assemble_slim(frame, whole.window, &tiles[..1], 7);
            assert_eq!(few.part.field.columns.len(), whole.field.columns.len());
            assert_eq!(few.part.field.table_lengths(), [few.regions.labels.len(); 4]);
            few.part.to_walkable().validate().unwrap_or_else(|violations| panic!("{violations}"));
        }
    }
}

fn label(part: &FieldWindow, span: usize) -> u32 {
    let SpanKey { z, x, floor } = part.key(u32::try_from(span).expect("few"));
    (z + 3 * x).wrapping_add_signed(floor) % 7
}

/// Compares ground assembled from tiles with that of a field in `window`.
fn same_ground(ground: &LabelledWindow<SlimSpans>, part: &FieldWindow, window: GridWindow) {
    let (spans, labels) = (&ground.part.field, &ground.regions.labels);
    let mut count = 0;
    // For each span of the field, the number of the span of the ground.
    let mut numbers = vec![None; part.field.len()];
    for z in window.z..window.end_z() {
        for x in window.x..window.end_x() {
            for span in part.field.column(x - part.window.x, z - part.window.z) {
                numbers[span as usize] = Some(count);
                count += 1;
            }
        }
    }
    assert_eq!(spans.ground.len(), count as usize);
    for (span, number) in numbers.iter().enumerate() {
        let Some(number) = *number else { continue };
        let SpanKey { z, x, .. } = part.key(u32::try_from(span).expect("few"));
        let column = ((z - window.z) * window.width + x - window.x) as usize;
        assert!((spans.columns[column]..spans.columns[column + 1]).contains(&number));
        assert_eq!(spans.ground[number as usize].to_bits(), part.field.ground[span].to_bits());
        assert_eq!(labels[number as usize], label(part, span));
        for direction in Direction::ALL {
            let link = part.field.links[span][direction.index()];
            let expected = numbers.get(link as usize).copied().flatten();
            let found = spans.link(waymesh_core::to_u32(column), number, direction);
            assert_eq!((found != NO_SPAN).then_some(found), expected, "{direction:?} of {x}, {z}");
        }
    }
}
