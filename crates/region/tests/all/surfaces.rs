//! Whole storeys as regions.

use proptest::prelude::*;
use waymesh_core::{
    AreaId, BLOCK_CELLS, Direction, FieldWindow, GridWindow, NO_REGION, NO_SPAN, Random, RegionMap,
    SpanField, ViolationList, WalkableField,
};
use waymesh_region::{
    JoinConfig, JoinedSurfaces, RegionError, StraightLinks, SurfacePieces, Surfaces, SurfacesConfig,
    WatershedConfig, connected_components, join_surfaces, label_surfaces, partition_surfaces,
    partition_watershed, remove_small_islands, split_surfaces,
};
use waymesh_testkit::{contracts, fields, fields::Floor};

fn surfaces(field: &WalkableField) -> RegionMap {
    partition_surfaces(field, &SurfacesConfig::default(), &mut ()).expect("a good configuration")
}

fn check(field: &WalkableField, regions: &RegionMap) {
    let mut violations = ViolationList::default();
    regions.violations_over(field, &mut violations);
    assert!(violations.is_empty(), "{violations}");
    assert_eq!(could_be_one(field, regions), None);
}

/// Finds two adjacent regions of one area that could be one: none of their spans lie in one column,
/// or are adjacent without a link.
fn could_be_one(field: &WalkableField, regions: &RegionMap) -> Option<(u32, u32)> {
    let mut touching = Vec::new();
    let mut conflicts = Vec::new();
    for span in (0..field.len()).filter(|&span| regions.labels[span] != NO_REGION) {
        let index = u32::try_from(span).expect("few spans");
        let (x, z) = field.column_of(index);
        let label = regions.labels[span];
        let mut pair = |other: u32, is_linked: bool| {
            let theirs = regions.labels[other as usize];
            if theirs != NO_REGION && theirs != label && field.area[other as usize] == field.area[span] {
                let list = if is_linked { &mut touching } else { &mut conflicts };
                list.push((label.min(theirs), label.max(theirs)));
            }
        };
        field.column(x, z).filter(|&other| other != index).for_each(|other| pair(other, false));
        for direction in Direction::ALL {
            let (dx, dz) = direction.offset();
            let Some((nx, nz)) = x.checked_add_signed(dx).zip(z.checked_add_signed(dz)) else { continue };
            if nx < field.frame.width && nz < field.frame.depth {
                let link = field.links[span][direction.index()];
                field.column(nx, nz).for_each(|other| pair(other, other == link));
            }
        }
    }
    conflicts.sort_unstable();
    touching.into_iter().find(|pair| conflicts.binary_search(pair).is_err())
}

/// Cuts the field into parts with cores of `side` cells.
fn cut(field: &WalkableField, side: u32) -> Vec<FieldWindow> {
    let whole = FieldWindow::whole(field.clone());
    let mut parts = Vec::new();
    for z in (0..field.frame.depth).step_by(side as usize) {
        for x in (0..field.frame.width).step_by(side as usize) {
            parts.push(whole.cut(GridWindow::new(x, z, side, side).intersection(&whole.window)));
        }
    }
    parts
}

fn split(parts: &[FieldWindow]) -> Vec<SurfacePieces> {
    let config = SurfacesConfig::default();
    parts.iter().map(|part| split_surfaces(part, &config).expect("cores of whole blocks")).collect()
}

fn join(pieces: &[SurfacePieces], config: &JoinConfig) -> JoinedSurfaces {
    join_surfaces(pieces, config, &mut ()).expect("parts of one field")
}

/// Labels all parts and combines the labels. Spans in several parts must have one label.
fn label(field: &WalkableField, parts: &[FieldWindow], joined: &JoinedSurfaces) -> RegionMap {
    let whole = FieldWindow::whole(field.clone());
    let mut labels = vec![None; field.len()];
    for part in parts {
        let regions = label_surfaces(part, joined).expect("a part that was joined");
        assert_eq!(regions.count, joined.count());
        for (span, &label) in (0_u32..).zip(&regions.labels) {
            let place = &mut labels[whole.find(part.key(span)).expect("a span of the whole") as usize];
            assert!(place.is_none_or(|known| known == label), "a span has regions {label} and {place:?}");
            *place = Some(label);
        }
    }
    let labels = labels.into_iter().map(|label| label.expect("every span is in a part")).collect();
    RegionMap { labels, count: joined.count() }
}

/// Cuts the field into parts with cores of `side` cells, splits these, converts the pieces to bytes
/// and back, joins them in a shuffled order, and labels the parts.
fn in_parts(field: &WalkableField, side: u32, seed: u64) -> RegionMap {
    let parts = cut(field, side);
    let mut random = Random::new(seed);
    let parts: Vec<FieldWindow> =
        random.permutation(parts.len()).into_iter().map(|part| parts[part].clone()).collect();
    let kept = split(&parts).into_iter().map(|pieces| {
        let bytes = pieces.to_bytes();
        let again = SurfacePieces::from_bytes(&bytes).expect("bytes just written");
        assert_eq!(pieces, again);
        again
    });
    let joined = join(&kept.collect::<Vec<_>>(), &JoinConfig::default());
    label(field, &parts, &joined)
}

/// Checks the regions of a field, whole and in parts.
fn check_all(field: &WalkableField) -> RegionMap {
    let regions = surfaces(field);
    check(field, &regions);
    for side in [16, 48, 64] {
        assert!(in_parts(field, side, 5) == regions, "parts of {side} cells");
    }
    regions
}

/// Counts the links between regions of one area, and the pairs of regions that have such links.
fn seams(field: &WalkableField, regions: &RegionMap) -> (usize, usize) {
    let mut pairs = Vec::new();
    for span in (0..field.len()).filter(|&span| regions.labels[span] != NO_REGION) {
        for direction in [Direction::PosX, Direction::PosZ] {
            let link = field.links[span][direction.index()];
            if link != NO_SPAN && field.area[link as usize] == field.area[span] {
                let (one, two) = (regions.labels[span], regions.labels[link as usize]);
                if one != two {
                    pairs.push((one.min(two), one.max(two)));
                }
            }
        }
    }
    let links = pairs.len();
    pairs.sort_unstable();
    pairs.dedup();
    (links, pairs.len())
}

/// Builds a field from a function that returns the levels of a column.
fn build(width: u32, depth: u32, levels: impl Fn(i32, i32) -> Vec<i32>) -> WalkableField {
    let mut columns = Vec::new();
    for z in 0..depth.cast_signed() {
        for x in 0..width.cast_signed() {
            let floors = levels(x, z).into_iter().map(|level| Floor { level, area: AreaId::GROUND });
            columns.push(floors.collect());
        }
    }
    fields::from_floors(width, depth, &columns)
}

#[test]
fn surfaces_keep_the_contract() {
    contracts::partition(&Surfaces::default());
    contracts::partition(&Surfaces { config: SurfacesConfig::default().with_min_piece(0.0) });
    contracts::partition(&Surfaces {
        config: SurfacesConfig::default().with_slice_height(0.2).with_min_piece(0.0),
    });
    contracts::partition(&Surfaces {
        config: SurfacesConfig::default().with_slice_height(1e9).with_min_piece(1e9),
    });
}

#[test]
fn plain_ground_is_one_region_whatever_its_shape() {
    for map in ["...\n...", ".", "....................................................................."] {
        let field = fields::from_ascii(map);
        assert_eq!(check_all(&field).count, 1, "{map}");
    }
    // Corridors one cell wide that run back and forth over many blocks.
    let corridors = build(70, 53, |x, z| {
        let is_turn = if z % 4 == 1 { x == 69 } else { x == 0 };
        if z % 2 == 0 || is_turn { vec![0] } else { Vec::new() }
    });
    assert_eq!(check_all(&corridors).count, 1);
    // A hill that climbs a level or two from cell to cell.
    let hill = build(80, 64, |x, z| vec![3 * x.min(80 - x) + 2 * z]);
    assert_eq!(check_all(&hill).count, 1);
    let mut none = fields::from_ascii("...\n...");
    none.area.fill(AreaId::NULL);
    assert_eq!(check_all(&none).count, 0);
    (none.frame.width, none.frame.depth) = (0, 0);
    assert_eq!(surfaces(&WalkableField::empty(none.frame)).count, 0);
}

/// Returns two floors, one above the other, with stairs of this width that lead up from `start`,
/// all shifted.
fn storeys_with_stairs(shift: (i32, i32), width: i32) -> WalkableField {
    build(96, 96, |x, z| {
        let (x, z) = (x - shift.0, z - shift.1);
        let mut levels = Vec::new();
        let in_stairs = (0..width).contains(&z) && (0..12).contains(&x);
        if in_stairs {
            levels.push(2 * x + 2);
        } else if (-20..50).contains(&x)
            && (-20..40).contains(&z)
            && !((12..20).contains(&x) && (0..width).contains(&z))
        {
            levels.push(0);
        }
        if (12..50).contains(&x) && (-20..40).contains(&z) {
            levels.push(26);
        }
        levels
    })
}

#[test]
fn the_seam_between_two_storeys_lies_across_the_stairs() {
    // The result must not depend on where the stairs lie among the blocks.
    for shift in 20..37 {
        for width in [3, 7, 11] {
            let field = storeys_with_stairs((shift, 25 + shift / 2), width);
            let regions = surfaces(&field);
            check(&field, &regions);
            assert_eq!(regions.count, 2, "shift {shift}");
            // A block that contains only the foot of the stairs may cut them a step or two lower,
            // where they also have links at their sides.
            let width = width.unsigned_abs() as usize;
            let seam = seams(&field, &regions).0;
            assert!((width..=width + 4).contains(&seam), "shift {shift}, width {width}, seam {seam}");
        }
    }
    check_all(&storeys_with_stairs((24, 31), 5));
}

/// Returns a ring of stairs that climbs `rise` levels a turn.
fn spiral(size: u32, inner: f64, outer: f64, turns: i32, rise: f64) -> WalkableField {
    let centre = f64::from(size) / 2.0;
    build(size, size, |x, z| {
        let (dx, dz) = (f64::from(x) + 0.5 - centre, f64::from(z) + 0.5 - centre);
        if !(inner..outer).contains(&dx.hypot(dz)) {
            return Vec::new();
        }
        let angle = dz.atan2(dx) / std::f64::consts::TAU + 0.5;
        #[expect(clippy::cast_possible_truncation, reason = "a level")]
        (0..turns).map(|turn| (rise * (angle + f64::from(turn))) as i32).collect()
    })
}

#[test]
fn a_spiral_has_about_a_region_a_turn() {
    for (size, inner, outer, turns, rise) in [
        (14, 2.0, 7.0, 4, 24.0),
        (16, 3.0, 8.0, 12, 24.0),
        (100, 20.0, 45.0, 5, 60.0),
        (90, 6.0, 10.0, 30, 24.0),
    ] {
        let field = spiral(size, inner, outer, turns, rise);
        assert_eq!(connected_components(&field).count, 1);
        let regions = check_all(&field);
        // A region contains less than a turn, so the smallest number of regions is the number of
        // turns plus one.
        let turns = turns.unsigned_abs();
        assert!(
            (turns + 1..=turns * 3 / 2 + 1).contains(&regions.count),
            "{turns} turns, {} regions",
            regions.count
        );
    }
}

#[test]
fn the_data_of_a_spiral_grows_with_its_turns() {
    let memory = [100, 200, 400].map(|turns| {
        let field = spiral(16, 3.0, 8.0, turns, 24.0);
        let regions = surfaces(&field);
        let mut violations = ViolationList::default();
        regions.violations_over(&field, &mut violations);
        assert!(violations.is_empty(), "{violations}");
        let turns = turns.unsigned_abs();
        assert!((turns + 1..=turns * 3 / 2 + 1).contains(&regions.count), "{turns}: {}", regions.count);
        let parts = cut(&field, 16);
        assert!(label(&field, &parts, &join(&split(&parts), &JoinConfig::default())) == regions);
        split(&parts).iter().map(SurfacePieces::memory).sum::<usize>()
    });
    for pair in memory.windows(2) {
        assert!(pair[1] * 10 < pair[0] * 21, "{memory:?} bytes");
    }
}

#[test]
fn a_parking_ramp_parts_its_decks() {
    // Five decks above each other. Ramps between them alternate from one side to the other.
    let field = build(120, 64, |x, z| {
        if (10..54).contains(&z) {
            return if (10..110).contains(&x) { (0..5).map(|deck| 40 * deck).collect() } else { Vec::new() };
        }
        let side = i32::from(z < 10);
        let along = if side == 0 { x - 10 } else { 109 - x };
        // Columns next to the decks, except where ramps begin and end.
        if (side == 0 && z == 54 || z == 9) && (20..80).contains(&along) {
            return Vec::new();
        }
        let ramps = (0..4).filter(|deck| deck % 2 == side && (0..100).contains(&along));
        ramps.map(|deck| 40 * deck + ((along - 19) * 40 / 61).clamp(0, 40)).collect()
    });
    let regions = check_all(&field);
    assert_eq!(connected_components(&field).count, 1);
    assert_eq!(regions.count, 5);
    // Each seam is as short as the width of a ramp.
    assert_eq!(seams(&field, &regions), (36, 4));
}

#[test]
fn a_ring_that_twists_is_cut_and_no_more() {
    // One path around the ring climbs while the other descends. They meet at one height halfway.
    let twisted = |size: u32| {
        let centre = f64::from(size) / 2.0;
        build(size, size, move |x, z| {
            let (dx, dz) = (f64::from(x) + 0.5 - centre, f64::from(z) + 0.5 - centre);
            let distance = dx.hypot(dz) / centre;
            if !(0.6..0.95).contains(&distance) {
                return Vec::new();
            }
            let angle = dz.atan2(dx) / std::f64::consts::TAU + 0.5;
            #[expect(clippy::cast_possible_truncation, reason = "a level")]
            let level = (60.0 * angle) as i32;
            vec![level, 60 - level]
        })
    };
    for size in [24, 60, 130] {
        let regions = check_all(&twisted(size));
        assert!((2..=6).contains(&regions.count), "{} regions", regions.count);
    }
}

#[test]
fn thin_bridges_are_cut_off_and_the_ground_below_is_not() {
    for (middle, width) in [(30, 1), (33, 1), (31, 2), (32, 5)] {
        // A bridge on open ground that leads up, across and down again.
        let field = build(150, 60, |x, z| {
            let bridge = (x - 20).min(130 - x).min(24);
            let is_on = (middle..middle + width).contains(&z) && bridge > 0;
            match (is_on, bridge >= fields::HEADROOM_LEVELS) {
                (false, _) => vec![0],
                (true, false) => vec![bridge],
                (true, true) => vec![0, bridge],
            }
        });
        assert_eq!(connected_components(&field).count, 1);
        let regions = check_all(&field);
        assert_eq!(regions.count, 2);
        let (links, pairs) = seams(&field, &regions);
        assert_eq!(pairs, 1);
        assert!(links <= 2 * (width.unsigned_abs() as usize + 4), "a bridge {width} wide, a seam of {links}");
    }
}

#[test]
fn walls_without_width_and_links_that_lack() {
    for seed in 0..40 {
        let mut field = fields::random(seed, 50, 41);
        // Neighbours at one height without a link, which occur if the agent has no radius.
        let mut random = Random::new(seed);
        for span in 0..field.len() {
            for direction in Direction::ALL {
                let link = field.links[span][direction.index()];
                if link != NO_SPAN && random.chance(0.05) {
                    field.links[span][direction.index()] = NO_SPAN;
                    field.links[link as usize][direction.opposite().index()] = NO_SPAN;
                }
            }
        }
        check_all(&field);
    }
    // A wall without width divides a hall, except for a gap. The two sides of the wall are not in
    // one region.
    let mut hall = fields::from_ascii(&[".".repeat(40).as_str(); 30].join("\n"));
    for x in 0..30_usize {
        let (north, south) = (14 * 40 + x, 15 * 40 + x);
        hall.links[north][Direction::PosZ.index()] = NO_SPAN;
        hall.links[south][Direction::NegZ.index()] = NO_SPAN;
    }
    let regions = check_all(&hall);
    assert_eq!(regions.count, 2);
    assert!(seams(&hall, &regions).0 <= 12, "the seam closes the gap of ten cells");
}

#[test]
fn parts_without_ground_and_parts_that_are_missing() {
    let field =
        build(100, 100, |x, z| if (x - 50).abs() + (z - 50).abs() < 20 { vec![0] } else { Vec::new() });
    assert_eq!(check_all(&field).count, 1);
    // Without the part in the middle the four corners of the square are disconnected.
    let parts = cut(&field, 32);
    let some: Vec<FieldWindow> = parts.iter().filter(|part| !part.core.contains(50, 50)).cloned().collect();
    let joined = join(&split(&some), &JoinConfig::default());
    assert!(joined.count() >= 1);
    let total: u64 = joined.spans().iter().sum();
    let held: usize =
        some.iter().map(|part| (0..).take(part.field.len()).filter(|&span| part.is_core(span)).count()).sum();
    assert_eq!(total, held as u64);
    let absent = parts.iter().find(|part| part.core.contains(50, 50)).expect("a part in the middle");
    assert_eq!(label_surfaces(absent, &joined), Err(RegionError::UnknownTile { core: absent.core }));
    for part in &some {
        let regions = label_surfaces(part, &joined).expect("a part that was joined");
        for (span, &label) in (0_u32..).zip(&regions.labels) {
            let (x, z) = part.global_column(span);
            assert_eq!(label == NO_REGION, absent.core.contains(x, z));
        }
    }
    assert_eq!(join(&[], &JoinConfig::default()).count(), 0);
}

#[test]
fn small_islands_get_no_region() {
    for seed in 0..30 {
        let field = fields::random(seed, 60, 50);
        for min_island in [0.5_f32, 2.0, 9.0] {
            let mut kept = field.clone();
            let removed = remove_small_islands(&mut kept, min_island, &mut ());
            let config = JoinConfig::default().with_min_island(min_island, field.frame.cell_area());
            let parts = cut(&field, 32);
            let joined = join(&split(&parts), &config);
            assert_eq!(joined.removed(), removed);
            // Spans on islands affect how blocks are cut, so the regions may differ from those of a
            // field without islands.
            check(&kept, &label(&field, &parts, &joined));
        }
    }
}

#[test]
fn what_does_not_fit_together_is_an_error() {
    let field = fields::random(3, 64, 64);
    let parts = cut(&field, 32);
    let pieces = split(&parts);
    let joins = |pieces: &[SurfacePieces]| join_surfaces(pieces, &JoinConfig::default(), &mut ());
    let twice = [pieces.clone(), pieces[..1].to_vec()].concat();
    assert!(matches!(joins(&twice), Err(RegionError::TilesOverlap { .. })));
    let other = SurfacesConfig::default().with_slice_height(3.0);
    let mut mixed = pieces.clone();
    mixed[2] = split_surfaces(&parts[2], &other).expect("cores of whole blocks");
    assert_eq!(joins(&mixed), Err(RegionError::TilesDiffer { tile: 2 }));
    // A tile from a bake in which the floors were two levels higher.
    let mut raised = field.clone();
    raised.floor.iter_mut().for_each(|floor| *floor += 2);
    mixed[2] =
        split_surfaces(&cut(&raised, 32)[2], &SurfacesConfig::default()).expect("cores of whole blocks");
    assert!(matches!(joins(&mixed), Err(RegionError::TilesDisagree { .. })));
    let crooked = FieldWindow::whole(field.clone()).cut(GridWindow::new(8, 0, 16, 16));
    let refused = split_surfaces(&crooked, &SurfacesConfig::default());
    assert!(matches!(refused, Err(RegionError::NotWholeBlocks { .. })));
    for config in [
        SurfacesConfig::default().with_slice_height(0.0),
        SurfacesConfig::default().with_slice_height(f32::NAN),
        SurfacesConfig::default().with_min_piece(-1.0),
    ] {
        assert!(partition_surfaces(&field, &config, &mut ()).is_err());
    }
    let config = JoinConfig::default().with_min_island(f32::INFINITY, 0.09);
    assert!(join_surfaces(&pieces, &config, &mut ()).is_err());
    assert!(JoinConfig::default().with_min_island(1.0, 0.0).validate().is_err());
}

#[test]
fn damaged_bytes_are_errors_or_other_pieces_but_never_panics() {
    let field = fields::random(11, 70, 60);
    let parts = cut(&field, 32);
    let pieces = split(&parts);
    let bytes = pieces[0].to_bytes();
    assert!(bytes.len() < pieces[0].memory());
    for end in 0..bytes.len() {
        assert!(SurfacePieces::from_bytes(&bytes[..end]).is_err(), "cut off at {end}");
    }
    assert!(SurfacePieces::from_bytes(&[bytes.as_slice(), &[0]].concat()).is_err());
    let mut random = Random::new(1);
    for _ in 0..4000 {
        let mut damaged = bytes.clone();
        for _ in 0..=random.below(3) {
            let place = random.index(damaged.len());
            damaged[place] = random.bits().to_le_bytes()[0];
        }
        if let Ok(other) = SurfacePieces::from_bytes(&damaged) {
            let mut parts_with_it = pieces.clone();
            parts_with_it[0] = other;
            if let Ok(joined) = join_surfaces(&parts_with_it, &JoinConfig::default(), &mut ()) {
                for part in &parts {
                    let _ = label_surfaces(part, &joined);
                }
            }
        }
    }
}

#[test]
fn fewer_regions_and_shorter_seams_than_watershed_has() {
    let (mut ours, mut theirs) = ((0, 0), (0, 0));
    for seed in 0..40 {
        let field = fields::random(seed, 120, 100);
        let regions = surfaces(&field);
        let basins =
            partition_watershed(&field, &WatershedConfig::default(), &mut ()).expect("a good configuration");
        let (our_seams, their_seams) = (seams(&field, &regions).0, seams(&field, &basins).0);
        assert!(regions.count <= basins.count, "seed {seed}: {} regions for {}", regions.count, basins.count);
        ours = (ours.0 + regions.count, ours.1 + our_seams);
        theirs = (theirs.0 + basins.count, theirs.1 + their_seams);
    }
    eprintln!("regions and seam links: surfaces {ours:?}, watershed {theirs:?}");
    assert!(ours.1 * 2 < theirs.1, "{ours:?} for {theirs:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_fields_keep_the_contract_in_parts_of_any_size(
        seed in any::<u64>(), width in 1_u32..90, depth in 1_u32..90,
    ) {
        let field = fields::random(seed, width, depth);
        let regions = surfaces(&field);
        check(&field, &regions);
        prop_assert!(connected_components(&field).count <= regions.count);
        for side in [16, 32, 48, 64, 160] {
            prop_assert!(in_parts(&field, side, seed) == regions, "parts of {} cells", side);
        }
    }

    #[test]
    fn pieces_do_not_depend_on_the_part_around_them(seed in any::<u64>(), x in 0_u32..5, z in 0_u32..4) {
        let field = fields::random(seed, 85, 70);
        let whole = FieldWindow::whole(field);
        let block = GridWindow::new(x * BLOCK_CELLS, z * BLOCK_CELLS, BLOCK_CELLS, BLOCK_CELLS);
        let core = block.intersection(&whole.window);
        let config = SurfacesConfig::default();
        let alone = split_surfaces(&whole.cut(core), &config).expect("a block");
        let all = split_surfaces(&whole, &config).expect("all blocks");
        let same: Vec<_> =
            all.pieces().iter().filter(|piece| core.contains(piece.first.x, piece.first.z)).copied().collect();
        prop_assert_eq!(alone.pieces(), &same[..]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn links_told_at_a_glance_are_there(seed in any::<u64>()) {
        let field = fields::random(seed, 13, 11);
        let slim = fields::slim(&field);
        let width = field.frame.width;
        for (span, links) in (0_u32..).zip(&field.links) {
            let (x, z) = field.column_of(span);
            for direction in Direction::ALL {
                let link = links[direction.index()];
                prop_assert_eq!(slim.link(z * width + x, span, direction), link);
                let (dx, dz) = direction.offset();
                let there = x.checked_add_signed(dx).zip(z.checked_add_signed(dz));
                let Some((x, z)) = there.filter(|&(x, z)| x < width && z < field.frame.depth) else { continue };
                for other in field.column(x, z) {
                    prop_assert_eq!(field.links_straight(span..span + 1, direction, other), link == other);
                    // `false` may mean "not sure", but `true` must be right.
                    prop_assert!(!slim.links_straight(span..span + 1, direction, other) || link == other);
                }
            }
        }
    }

    #[test]
    fn slim_spans_are_split_as_the_field_is(seed in any::<u64>()) {
        let mut field = fields::random(seed, 37, 33);
        field.area.fill(AreaId::GROUND);
        let part = FieldWindow::whole(field);
        let FieldWindow { frame, core, window, .. } = part;
        let slim = FieldWindow { frame, core, window, field: fields::slim(&part.field) };
        // Floors lie half a level above the ground of these fields.
        prop_assert_eq!(&slim.to_walkable().field.links, &part.field.links);
        let config = SurfacesConfig::default();
        prop_assert_eq!(split_surfaces(&slim, &config).unwrap(), split_surfaces(&part, &config).unwrap());
    }
}
