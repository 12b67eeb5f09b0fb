//! Filters, links, marks and the stage adapters.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a panic fails the test, and its numbers are small"
)]

use crate::common;
use std::collections::BTreeMap;

use common::filters::{self, Levels};
use common::{read_obj, scene};
use glam::{Vec2, Vec3};
use proptest::prelude::*;
use waymesh_core::stage::{BuildField, Voxelize};
use waymesh_core::{
    Agent, AreaId, BadField, Bounds, Counter, Direction, GridFrame, Heightfield, NO_SPAN, OPEN_SKY, Observer,
    Span, Validate, WalkableField,
};
use waymesh_testkit::Recording;
use waymesh_voxel::{FieldBuilder, Filters, Mark, MarkShape, VoxelError, Voxelizer, build_filtered_field};

/// Returns the agent for levels and cells of 1 m: 4 levels high, with steps of 2.
fn agent() -> Agent {
    Agent::default().with_height(4.0).with_max_step(2.0).with_radius(1.0)
}

fn frame(width: u32, depth: u32) -> GridFrame {
    GridFrame { origin: Vec3::new(10., 5., -3.), cell_size: 1.0, level_height: 1.0, width, depth }
}

fn span(bottom: i32, top: i32, walkable: bool) -> Span {
    Span {
        bottom,
        top,
        ground_drop: 8,
        area: if walkable { AreaId::GROUND } else { AreaId::NULL },
        upward: true,
    }
}

fn heightfield(width: u32, depth: u32, columns: &[Vec<Span>]) -> Heightfield {
    let mut heightfield = Heightfield::empty(frame(width, depth));
    for (index, column) in columns.iter().enumerate() {
        heightfield.spans.extend(column);
        heightfield.columns[index + 1] = u32::try_from(heightfield.spans.len()).unwrap();
    }
    heightfield.validate().unwrap();
    heightfield
}

/// Returns, for each span of each column, `true` if the filters leave it walkable.
fn stays(
    heightfield: &Heightfield,
    agent: &Agent,
    filters: &Filters,
    counts: &mut Recording,
) -> Vec<Vec<bool>> {
    let field = build_filtered_field(heightfield, agent, filters, counts).unwrap();
    let columns =
        (0..heightfield.frame.depth).flat_map(|z| (0..heightfield.frame.width).map(move |x| (x, z)));
    let stays = |(x, z)| {
        let floors: Vec<i32> = field.column(x, z).map(|span| field.floor[span as usize]).collect();
        heightfield.column(x, z).iter().map(|span| floors.contains(&span.top)).collect()
    };
    columns.map(stays).collect()
}

fn stays_without_ledges(heightfield: &Heightfield, agent: &Agent) -> Vec<Vec<bool>> {
    stays(heightfield, agent, &Filters::none().with_ledges(true), &mut Recording::default())
}

#[test]
fn low_obstacles_carry_once_and_never_on_undersides() {
    let underside = Span { upward: false, ..span(3, 4, false) };
    let columns = [
        vec![span(0, 1, true), span(2, 3, false)],
        vec![span(0, 1, true), span(3, 4, false)],
        vec![span(0, 1, true), span(2, 3, false), span(4, 5, false)],
        vec![span(0, 2, true), underside],
        vec![span(0, 1, false), span(2, 3, false)],
    ];
    let field = heightfield(5, 1, &columns);
    let mut counts = Recording::default();
    let after = stays(&field, &agent(), &Filters::none().with_low_obstacles(true), &mut counts);
    assert_eq!(
        after,
        [vec![true, true], vec![true, false], vec![true, true, false], vec![true, false], vec![false, false]]
    );
    assert_eq!(counts.counts, BTreeMap::from([(Counter::SpansOnLowObstacles, 2)]));
}

/// Returns a 3 x 3 field of floors of these tops; `None` is a hole.
fn nine(tops: [[Option<i32>; 3]; 3]) -> Heightfield {
    let columns: Vec<Vec<Span>> =
        tops.iter().flatten().map(|top| top.iter().map(|&top| span(0, top, true)).collect()).collect();
    heightfield(3, 3, &columns)
}

fn middle_is_ledge(tops: [[Option<i32>; 3]; 3]) -> bool {
    let stays = stays_without_ledges(&nine(tops), &agent());
    for column in [0, 1, 8, 3] {
        assert!(!stays[column].contains(&true), "the edge is a ledge");
    }
    !stays[4][0]
}

#[test]
fn ledges_are_drops_and_steep_stairs() {
    let flat = [[Some(9); 3]; 3];
    let with = |top| {
        let mut tops = flat;
        tops[1][2] = top;
        tops
    };
    assert!(!middle_is_ledge(flat));
    assert!(!middle_is_ledge(with(Some(7))), "a step down");
    assert!(middle_is_ledge(with(Some(6))), "a drop");
    assert!(middle_is_ledge(with(None)), "a hole");
    assert!(!middle_is_ledge(with(Some(30))), "a wall");
    let stairs = [[Some(9); 3], [Some(7), Some(9), Some(11)], [Some(9); 3]];
    assert!(middle_is_ledge(stairs), "up two and down two is more than a step of two");
    let gentle = [[Some(9); 3], [Some(8), Some(9), Some(10)], [Some(9); 3]];
    assert!(!middle_is_ledge(gentle));
}

#[test]
fn ledges_in_columns_of_many_storeys_are_those_of_the_definition() {
    let mut random = waymesh_core::Random::new(3);
    let mut ledges = [0; 2];
    for height in [3.5, 4.0, 4.25, 5.0].into_iter().cycle().take(60) {
        let agent = agent().with_height(height);
        let columns: Vec<Vec<Span>> = (0..9)
            .map(|_| {
                let mut at = 0;
                let mut column = Vec::new();
                for _ in 0..random.below(60) {
                    let bottom = at + 1 + random.below(9) as i32;
                    at = bottom + 1 + random.below(3) as i32;
                    column.push(Span { ground_drop: random.below(70) as u16, ..span(bottom, at, true) });
                }
                column
            })
            .collect();
        let field = heightfield(3, 3, &columns);
        let stays = &stays_without_ledges(&field, &agent)[4];
        let mut expected = field.clone();
        filters::ledges(&mut expected, Levels::new(&agent, 1.0));
        for (stays, span) in stays.iter().zip(expected.column(1, 1)) {
            assert_eq!(*stays, span.area.is_walkable(), "{span:?}");
            ledges[usize::from(*stays)] += 1;
        }
    }
    assert!(ledges.into_iter().min().unwrap() > 50, "{ledges:?}");
}

#[test]
fn a_drop_behind_a_low_gap_is_no_ledge() {
    // The neighbour is deep, but a ceiling leaves less headroom than the agent needs to move there.
    let mut columns = vec![vec![span(8, 9, true)]; 9];
    columns[5] = vec![span(0, 1, true), span(11, 13, false)];
    assert!(stays_without_ledges(&heightfield(3, 3, &columns), &agent())[4][0]);
}

#[test]
fn low_ceilings_are_removed() {
    let columns = [vec![span(0, 1, true), span(4, 6, true)], vec![span(0, 1, true), span(3, 6, true)]];
    let mut counts = Recording::default();
    let filters = Filters::none().with_low_ceilings(true);
    let after = stays(&heightfield(2, 1, &columns), &agent(), &filters, &mut counts);
    assert_eq!(after, [[true, true], [false, true]]);
    assert_eq!(counts.counts, BTreeMap::from([(Counter::SpansUnderLowCeiling, 1)]));
}

#[test]
fn links_need_a_step_and_room() {
    let columns = [
        vec![span(0, 1, true), span(20, 21, true)],
        vec![span(2, 3, true), span(7, 8, false), span(18, 24, true)],
        vec![span(3, 6, true)],
    ];
    let field =
        build_filtered_field(&heightfield(3, 1, &columns), &agent(), &Filters::none(), &mut ()).unwrap();
    field.validate().unwrap();
    assert_eq!(field.floor, [1, 21, 3, 24, 6]);
    assert_eq!(field.clearance, [19, OPEN_SKY, 4, OPEN_SKY, OPEN_SKY]);
    assert_eq!(field.ground, [0.75, 20.75, 2.75, 23.75, 5.75]);
    let link = |span: usize| field.links[span][Direction::PosX.index()];
    // 1 to 3: a step. 21 to 24 and 3 to 6: too high.
    assert_eq!([link(0), link(1), link(2)], [2, NO_SPAN, NO_SPAN]);
}

#[test]
fn more_storeys_than_any_layer_number() {
    let column: Vec<Span> = (0..500).map(|storey| span(storey * 5, storey * 5 + 1, true)).collect();
    let field = build_filtered_field(
        &heightfield(2, 1, &[column.clone(), column]),
        &agent(),
        &Filters::none(),
        &mut (),
    )
    .unwrap();
    field.validate().unwrap();
    assert!((0..500).all(|storey| field.links[storey][Direction::PosX.index()] as usize == 500 + storey));
}

#[test]
fn broken_tables_and_agents_are_errors() {
    let mut broken = nine([[Some(3); 3]; 3]);
    broken.columns[4] = 99;
    assert!(matches!(
        build_filtered_field(&broken, &agent(), &Filters::none(), &mut ()),
        Err(VoxelError::BrokenHeightfield { columns: 10, width: 3, depth: 3, spans: 9 })
    ));
    let sound = nine([[Some(3); 3]; 3]);
    let bad = agent().with_height(f32::NAN);
    let error = build_filtered_field(&sound, &bad, &Filters::none(), &mut ());
    assert!(matches!(error, Err(VoxelError::BadField(BadField { field: "agent.height", .. }))));
}

/// Returns columns of random spans.
fn random_heightfield() -> impl Strategy<Value = Heightfield> {
    let piece = (1..9_i32, 1..4_i32, any::<bool>(), any::<bool>(), 0..70_u16);
    let column = prop::collection::vec(piece, 0..4).prop_map(|pieces| {
        let mut level = -4;
        let stack = pieces.into_iter().map(|(gap, height, walkable, upward, ground_drop)| {
            let bottom = level + gap;
            level = bottom + height;
            Span { upward: upward || walkable, ground_drop, ..span(bottom, level, walkable) }
        });
        stack.collect::<Vec<Span>>()
    });
    (1..9_u32, 1..9_u32).prop_flat_map(move |(width, depth)| {
        prop::collection::vec(column.clone(), (width * depth) as usize)
            .prop_map(move |columns| heightfield(width, depth, &columns))
    })
}

fn one_by_one(
    heightfield: &Heightfield,
    agent: &Agent,
    filters: &Filters,
    counts: &mut Recording,
) -> WalkableField {
    let mut copy = heightfield.clone();
    let levels = Levels::new(agent, heightfield.frame.level_height);
    for (is_on, filter, counter) in [
        (filters.low_obstacles, filters::low_obstacles as fn(&mut _, _) -> _, Counter::SpansOnLowObstacles),
        (filters.ledges, filters::ledges, Counter::SpansAtLedges),
        (filters.low_ceilings, filters::low_ceilings, Counter::SpansUnderLowCeiling),
    ] {
        let changed = if is_on { filter(&mut copy, levels) } else { 0 };
        if changed > 0 {
            counts.count(counter, changed);
        }
    }
    build_filtered_field(&copy, agent, &Filters::none(), counts).unwrap()
}

/// Finds all links by testing all pairs. Valid only where no span could be linked twice.
fn slow_links(field: &WalkableField, agent: &Agent) -> Vec<[u32; 4]> {
    let (step, levels) = (i64::from(agent.max_step_levels(1.0)), Levels::new(agent, 1.0));
    let room = |span: u32| {
        let floor = i64::from(field.floor[span as usize]);
        let drop = (floor as f32 - field.ground[span as usize]) * 32.0;
        ((floor, drop as i64), floor + i64::from(field.clearance[span as usize]))
    };
    let links = (0..u32::try_from(field.len()).unwrap()).map(|span| {
        let (x, z) = field.column_of(span);
        Direction::ALL.map(|direction| {
            let (dx, dz) = direction.offset();
            let (Some(nx), Some(nz)) = (x.checked_add_signed(dx), z.checked_add_signed(dz)) else {
                return NO_SPAN;
            };
            if nx >= field.frame.width || nz >= field.frame.depth {
                return NO_SPAN;
            }
            let (floor, ceiling) = room(span);
            let fits = |&other: &u32| {
                let (other_floor, other_ceiling) = room(other);
                levels.may_have_room(ceiling.min(other_ceiling), &[floor, other_floor])
                    && (floor.0 - other_floor.0).abs() <= step
            };
            field.column(nx, nz).find(fits).unwrap_or(NO_SPAN)
        })
    });
    links.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_fused_pass_is_the_filters_one_by_one(
        heightfield in random_heightfield(),
        low_obstacles in any::<bool>(),
        ledges in any::<bool>(),
        low_ceilings in any::<bool>(),
        step in 0..4_u8,
        height in 8..24_u8,
    ) {
        let agent = agent().with_max_step(f32::from(step)).with_height(f32::from(height) / 4.0);
        let filters = Filters::default()
            .with_low_obstacles(low_obstacles)
            .with_ledges(ledges)
            .with_low_ceilings(low_ceilings);
        let (mut fused_counts, mut counts) = (Recording::default(), Recording::default());
        let fused = build_filtered_field(&heightfield, &agent, &filters, &mut fused_counts).unwrap();
        prop_assert!(fused.validate().is_ok());
        prop_assert_eq!(&fused, &one_by_one(&heightfield, &agent, &filters, &mut counts));
        prop_assert_eq!(fused_counts, counts);
    }

    #[test]
    fn links_are_those_of_all_pairs(
        heightfield in random_heightfield(),
        step in 0..3_u8,
        height in 17..28_u8,
    ) {
        let agent = agent().with_max_step(f32::from(step)).with_height(f32::from(height) / 4.0);
        let field = build_filtered_field(&heightfield, &agent, &Filters::none(), &mut ()).unwrap();
        prop_assert!(field.validate().is_ok());
        prop_assert_eq!(&field.links, &slow_links(&field, &agent));
    }

    #[test]
    fn long_steps_keep_links_symmetric(heightfield in random_heightfield(), step in 4..20_u8) {
        let agent = agent().with_height(1.0).with_max_step(f32::from(step));
        let field = build_filtered_field(&heightfield, &agent, &Filters::none(), &mut ()).unwrap();
        prop_assert!(field.validate().is_ok());
    }
}

/// Returns a flat floor of 8 x 8 cells at world height 5.75, from (10, -3).
fn flat() -> WalkableField {
    let mut columns = vec![vec![span(0, 1, true), span(10, 11, true)]; 64];
    columns[9][0].area = AreaId::NULL;
    build_filtered_field(&heightfield(8, 8, &columns), &agent(), &Filters::none(), &mut ()).unwrap()
}

fn marked(field: &WalkableField, area: AreaId) -> Vec<(u32, u32, i32)> {
    (0..u32::try_from(field.len()).unwrap())
        .filter(|&span| field.area[span as usize] == area)
        .map(|span| (field.column_of(span).0, field.column_of(span).1, field.floor[span as usize]))
        .collect()
}

#[test]
fn boxes_mark_by_centre_and_ground() {
    let mut field = flat();
    let bounds = Bounds { min: Vec3::new(11.4, 5.0, -2.5), max: Vec3::new(13.5, 6.0, -0.6) };
    // Column (1, 1) has an unwalkable floor.
    assert_eq!(Mark::new(bounds, AreaId(7)).apply(&mut field), Ok(5));
    assert_eq!(marked(&field, AreaId(7)), [(1, 0, 1), (2, 0, 1), (3, 0, 1), (2, 1, 1), (3, 1, 1)]);
}

#[test]
fn null_cuts_out_and_is_not_marked_again() {
    let mut field = flat();
    let before = field.walkable_spans();
    let all = Bounds { min: Vec3::splat(-1e9), max: Vec3::new(1e9, 6.0, 1e9) };
    let lower = Mark::new(all, AreaId::NULL).apply(&mut field).unwrap();
    assert_eq!((lower, field.walkable_spans()), (63, before - 63));
    assert_eq!(Mark::new(all, AreaId(3)).apply(&mut field), Ok(0));
    field.validate().unwrap();
}

#[test]
fn prisms_and_cylinders() {
    for flip in [false, true] {
        let mut field = flat();
        let mut corners = [Vec2::new(10., -3.), Vec2::new(18., -3.), Vec2::new(18., 5.)];
        if flip {
            corners.reverse();
        }
        let shape = MarkShape::Prism { corners: corners.to_vec(), heights: [15.0, 16.0] };
        let count = Mark::new(shape, AreaId(2)).apply(&mut field).unwrap();
        assert_eq!(count, 36, "the lower triangle with its diagonal");
        assert!(marked(&field, AreaId(2)).iter().all(|&(x, z, floor)| x >= z && floor == 11));
    }
    let mut field = flat();
    let shape = MarkShape::Cylinder { base: Vec3::new(14., 5.5, 1.), radius: 1.0, height: 0.5 };
    let count = Mark::new(shape, AreaId(2)).apply(&mut field).unwrap();
    assert_eq!(count, 4);
    assert_eq!(marked(&field, AreaId(2)), [(3, 3, 1), (4, 3, 1), (3, 4, 1), (4, 4, 1)]);
}

#[test]
fn bad_marks_are_errors() {
    let mut field = flat();
    let mut apply = |shape: MarkShape| Mark::new(shape, AreaId(2)).apply(&mut field);
    let triangle = [Vec2::ZERO, Vec2::X, Vec2::Y];
    let bounds = Bounds { min: Vec3::NAN, max: Vec3::ONE };
    assert!(matches!(apply(bounds.into()), Err(VoxelError::BadField(_))));
    let prism = |corners: &[Vec2], top| MarkShape::Prism { corners: corners.to_vec(), heights: [0., top] };
    assert_eq!(apply(prism(&triangle[..2], 1.0)), Err(VoxelError::FlatPrism { corners: 2 }));
    assert!(apply(prism(&triangle, f32::NAN)).is_err());
    assert!(apply(MarkShape::Cylinder { base: Vec3::ZERO, radius: -1.0, height: 1.0 }).is_err());
    assert_eq!(field, flat());
}

#[test]
fn the_stages_run_on_real_levels() {
    for name in ["nav_test", "dungeon", "undulating"] {
        let Some(path) = scene(&format!("golden/Meshes/{name}.obj")) else { continue };
        let soup = read_obj(&path);
        let heightfield = Voxelizer::default().voxelize(&soup, &mut ()).unwrap();
        heightfield.validate().unwrap();
        let everything = Bounds { min: Vec3::splat(-1e6), max: Vec3::splat(1e6) };
        let mark = Mark::new(MarkShape::Box { bounds: everything }, AreaId(5));
        let builder = FieldBuilder::default().with_marks(vec![mark]);
        let mut counts = Recording::default();
        let field = builder.build_field(&heightfield, &mut counts).unwrap();
        field.validate().unwrap();
        assert!(field.walkable_spans() > 10_000);
        assert!(field.area.iter().all(|area| area.0 == 5 || area.0 == 0));
        let mut expected = Recording::default();
        let unfiltered = one_by_one(&heightfield, &builder.agent, &builder.filters, &mut expected);
        assert!(unfiltered.links == field.links, "{name}: the links differ");
        counts.counts.remove(&Counter::SpansEroded);
        assert_eq!(counts, expected);
    }
}

/// Treads of slabs that project over the one below, with their fronts on cell lines: the front of a
/// slab must not be a ceiling for the tread below. Four risers of 0.4 m, up and down in each of the
/// four directions.
#[test]
fn stairs_whose_treads_end_on_cell_lines_can_be_walked() {
    const RISE: f32 = 0.4;
    const TREAD: f32 = 1.2;
    let quad = |a: [f32; 3], b: [f32; 3], c: [f32; 3], d: [f32; 3]| [[a, b, c], [a, c, d]];
    // The underside of the lowest slab moves the treads away from level lines. Otherwise each front
    // would merge with the tread below.
    let mut steps = quad([0., -0.15, 0.], [TREAD, -0.15, 0.], [TREAD, -0.15, 3.], [0., -0.15, 3.]).to_vec();
    for step in 0..5 {
        let (front, top) = (step as f32 * TREAD, step as f32 * RISE);
        let (back, low, end) = (front + 0.1, top - 0.1, front + TREAD + 0.4);
        steps.extend(quad([front, top, 0.], [front, top, 3.], [end, top, 3.], [end, top, 0.]));
        if step > 0 {
            steps.extend(quad([front, low, 0.], [front, low, 3.], [front, top, 3.], [front, top, 0.]));
            steps.extend(quad([front, low, 0.], [back, low, 0.], [back, low, 3.], [front, low, 3.]));
            let foot = top - RISE;
            steps.extend(quad([back, foot, 0.], [back, foot, 3.], [back, low, 3.], [back, low, 0.]));
        }
    }
    for quarter in 0..4 {
        // Rotations about the vertical by a quarter keep the faces' sides.
        let turn = |[x, y, z]: [f32; 3]| match quarter {
            0 => [x, y, z],
            1 => [z, y, -x],
            2 => [-x, y, -z],
            _ => [-z, y, x],
        };
        let turned: Vec<_> = steps.iter().map(|corners| corners.map(turn)).collect();
        let field = {
            let builder = FieldBuilder::new(Agent::default()).with_erosion_radius(0.0);
            let heightfield = Voxelizer::default().voxelize(&common::soup(&turned), &mut ()).unwrap();
            builder.build_field(&heightfield, &mut ()).unwrap()
        };
        let mut reached = vec![false; field.len()];
        let mut open = vec![0_u32];
        while let Some(span) = open.pop() {
            if !std::mem::replace(&mut reached[span as usize], true) {
                open.extend(field.links[span as usize].into_iter().filter(|&next| next != NO_SPAN));
            }
        }
        let floors = |pick: fn(i32, i32) -> i32| {
            let reached = (0..field.len()).filter(|&span| reached[span]);
            reached.map(|span| field.floor[span]).reduce(pick).unwrap()
        };
        assert_eq!(floors(i32::max) - floors(i32::min), 8, "quarter {quarter}");
    }
}
