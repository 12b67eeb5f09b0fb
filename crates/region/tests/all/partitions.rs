//! Tests the partitions on small fields, spirals, cliffs and random fields.

use proptest::prelude::*;
use waymesh_core::{
    AreaId, BadField, Counter, Direction, NO_REGION, Observer, RegionMap, ViolationList, WalkableField,
};
use waymesh_region::{
    MonotoneConfig, RegionError, WatershedConfig, connected_components, partition_monotone,
    partition_watershed,
};
use waymesh_testkit::fields::{self, Floor};

fn watershed(field: &WalkableField, merge_region: f32) -> RegionMap {
    let config = WatershedConfig::default().with_merge_region(merge_region);
    partition_watershed(field, &config, &mut ()).expect("a good configuration")
}

fn monotone(field: &WalkableField, merge_region: f32) -> RegionMap {
    let config = MonotoneConfig::default().with_merge_region(merge_region);
    partition_monotone(field, &config, &mut ()).expect("a good configuration")
}

fn check(field: &WalkableField, regions: &RegionMap) {
    let mut violations = ViolationList::default();
    regions.violations_over(field, &mut violations);
    assert!(violations.is_empty(), "{violations}");
}

/// Draws one letter per region, for the top span of each column.
fn draw(field: &WalkableField, regions: &RegionMap) -> Vec<String> {
    let letter = |span: u32| match regions.labels[span as usize] {
        NO_REGION => '#',
        label => char::from_u32('a' as u32 + label).expect("few regions"),
    };
    let line =
        |z| (0..field.frame.width).map(|x| field.column(x, z).next_back().map_or('#', letter)).collect();
    (0..field.frame.depth).map(line).collect()
}

fn lines(map: &str) -> Vec<&str> {
    map.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

const ROOMS: &str = "
    .........##############
    .........##############
    .........##############
    .........#####.........
    .......................
    .......................
    .......................
    .........#####.........
    .........##############
    .........##############";

#[test]
fn rooms_are_basins() {
    let field = fields::from_ascii(ROOMS);
    let regions = watershed(&field, 0.0);
    check(&field, &regions);
    let expected = "
        aaaaaaaaa##############
        aaaaaaaaa##############
        aaaaaaaaa##############
        aaaaaaaaa#####abbbbbbbb
        aaaaaaaaaaaaaaaabbbbbbb
        aaaaaaaaaaaaaaaabbbbbbb
        aaaaaaaaaaaaaaaabbbbbbb
        aaaaaaaaa#####abbbbbbbb
        aaaaaaaaa##############
        aaaaaaaaa##############";
    assert_eq!(draw(&field, &regions), lines(expected));
}

#[test]
fn rows_are_swept_from_small_z() {
    let field = fields::from_ascii(ROOMS);
    let regions = monotone(&field, 0.0);
    check(&field, &regions);
    let expected = "
        aaaaaaaaa##############
        aaaaaaaaa##############
        aaaaaaaaa##############
        aaaaaaaaa#####bbbbbbbbb
        ccccccccccccccccccccccc
        ccccccccccccccccccccccc
        ccccccccccccccccccccccc
        ddddddddd#####eeeeeeeee
        ddddddddd##############
        ddddddddd##############";
    assert_eq!(draw(&field, &regions), lines(expected));
}

#[test]
fn small_regions_go_over_their_longest_border() {
    let field = fields::from_ascii(ROOMS);
    // b and e have 9 spans of 0.09 m2.
    let regions = monotone(&field, 0.81);
    check(&field, &regions);
    let expected = "
        aaaaaaaaa##############
        aaaaaaaaa##############
        aaaaaaaaa##############
        aaaaaaaaa#####bbbbbbbbb
        bbbbbbbbbbbbbbbbbbbbbbb
        bbbbbbbbbbbbbbbbbbbbbbb
        bbbbbbbbbbbbbbbbbbbbbbb
        ccccccccc#####bbbbbbbbb
        ccccccccc##############
        ccccccccc##############";
    assert_eq!(draw(&field, &regions), lines(expected));
    assert_eq!(watershed(&field, 36.0).count, 1);
    assert_eq!(monotone(&field, 36.0).count, 1);
}

#[test]
fn kinds_of_ground_are_never_joined() {
    let field = fields::from_ascii(
        "......
         .2222.
         .2222.
         ......",
    );
    for regions in [watershed(&field, 1e6), monotone(&field, 1e6)] {
        check(&field, &regions);
        let expected = "
            aaaaaa
            abbbba
            abbbba
            aaaaaa";
        assert_eq!(draw(&field, &regions), lines(expected));
    }
}

#[test]
fn merging_is_counted() {
    #[derive(Default)]
    struct Merged(u64);
    impl Observer for Merged {
        fn count(&mut self, counter: Counter, amount: u64) {
            assert_eq!(counter, Counter::RegionsMerged);
            self.0 += amount;
        }
    }
    let field = fields::from_ascii(ROOMS);
    let mut merged = Merged::default();
    let config = MonotoneConfig::default().with_merge_region(0.81);
    partition_monotone(&field, &config, &mut merged).expect("a good configuration");
    assert_eq!(merged.0, 2);
}

#[test]
fn bad_configurations_are_named() {
    let field = fields::from_ascii("...");
    for value in [-1.0, f32::NAN, f32::INFINITY] {
        let config = WatershedConfig::default().with_merge_region(value);
        let error = partition_watershed(&field, &config, &mut ());
        assert!(matches!(error, Err(RegionError::BadField(BadField { field: "merge_region", .. }))));
        let config = MonotoneConfig::default().with_merge_region(value);
        assert!(partition_monotone(&field, &config, &mut ()).is_err());
    }
}

/// Returns a ring of stairs that climbs 24 levels a turn.
fn spiral(turns: u32) -> WalkableField {
    let size = 25_u32;
    let mut columns = Vec::new();
    for z in 0..size {
        for x in 0..size {
            let (dx, dz) = (f64::from(x) - 12.0, f64::from(z) - 12.0);
            let mut floors = Vec::new();
            if (4.0..12.0).contains(&dx.hypot(dz)) {
                let angle = dz.atan2(dx) / std::f64::consts::TAU + 0.5;
                for turn in 0..turns {
                    #[expect(clippy::cast_possible_truncation, reason = "a level")]
                    let level = (24.0 * (angle + f64::from(turn))) as i32;
                    floors.push(Floor { level, area: AreaId::GROUND });
                }
            }
            columns.push(floors);
        }
    }
    fields::from_floors(size, size, &columns)
}

#[test]
fn a_spiral_is_cut_where_it_would_overlap_itself() {
    let field = spiral(5);
    // A plain flood fill puts all five turns into one region.
    let components = connected_components(&field);
    let flood = RegionMap { labels: components.labels, count: components.count };
    let mut violations = ViolationList::default();
    flood.violations_over(&field, &mut violations);
    assert_eq!(flood.count, 1);
    assert!(!violations.is_empty());
    for regions in
        [watershed(&field, 0.0), watershed(&field, 1e6), monotone(&field, 0.0), monotone(&field, 1e6)]
    {
        check(&field, &regions);
        assert!(regions.count >= 5, "five storeys need five regions");
    }
    // No region contains a whole turn, so five turns need six regions. Small regions remain where a
    // turn begins.
    let sizes = fields::region_sizes(&watershed(&field, 1e6));
    assert!(sizes.len() >= 6 && sizes.len() <= 15, "{sizes:?}");
    let large: u32 = sizes.iter().filter(|&&size| size > 100).sum();
    assert!(large as usize * 100 > field.len() * 95, "{sizes:?}");
    assert!(monotone(&field, 1e6).count <= 10);
}

#[test]
fn a_region_does_not_lie_on_both_sides_of_a_cliff() {
    // A ramp climbs along the south. North of it, the floor is level with the foot of the ramp on
    // one side and with its top on the other.
    let columns: Vec<Vec<Floor>> = (0..12)
        .flat_map(|z| {
            (0..24).map(move |x| {
                let level = match (z, x) {
                    (9.., _) => x,
                    (_, ..12) => 0,
                    _ => 23,
                };
                vec![Floor { level, area: AreaId::GROUND }]
            })
        })
        .collect();
    let field = fields::from_floors(24, 12, &columns);
    assert_eq!(connected_components(&field).count, 1);
    for regions in
        [watershed(&field, 0.0), watershed(&field, 1e6), monotone(&field, 0.0), monotone(&field, 1e6)]
    {
        check(&field, &regions);
        assert!((2..=4).contains(&regions.count), "{:?}", draw(&field, &regions));
    }
}

#[test]
fn fields_without_ground_have_no_region() {
    let mut field = fields::from_ascii("...\n...");
    field.area.fill(AreaId::NULL);
    for regions in [watershed(&field, 36.0), monotone(&field, 36.0)] {
        assert_eq!((regions.count, regions.labels), (0, vec![NO_REGION; 6]));
    }
    let mut frame = field.frame;
    (frame.width, frame.depth) = (0, 0);
    let field = WalkableField::empty(frame);
    assert_eq!((watershed(&field, 36.0).count, monotone(&field, 36.0).count), (0, 0));
}

#[test]
fn a_path_one_cell_wide_is_one_region() {
    let field = fields::from_ascii(
        "..........
         #########.
         ..........
         .#########
         ..........",
    );
    assert_eq!(watershed(&field, 0.0).count, 1);
    assert_eq!(watershed(&field, 36.0).count, 1);
}

/// Returns a region that should be merged (small, or without a wall) and still could be, with the
/// region to merge it into.
fn could_still_merge(field: &WalkableField, regions: &RegionMap, small_spans: f32) -> Option<(u32, u32)> {
    let sizes = fields::region_sizes(regions);
    let mut has_wall = vec![false; regions.count as usize];
    let mut borders = Vec::new();
    for (span, &label) in (0_u32..).zip(&regions.labels).filter(|(_, label)| **label != NO_REGION) {
        for direction in Direction::ALL {
            match field.walkable_neighbour(span, direction) {
                None => has_wall[label as usize] = true,
                Some(neighbour) if field.area[neighbour as usize] == field.area[span as usize] => {
                    borders.push((label, regions.labels[neighbour as usize]));
                }
                Some(_) => {}
            }
        }
    }
    borders.sort_unstable();
    borders.dedup();
    borders.into_iter().find(|&(region, other)| {
        let unwanted =
            f64::from(sizes[region as usize]) <= f64::from(small_spans) || !has_wall[region as usize];
        if region == other || !unwanted {
            return false;
        }
        // Merges the two, numbers the regions again, and checks the contract.
        let mut numbers = vec![NO_REGION; regions.count as usize];
        let mut count = 0;
        let mut labels = regions.labels.clone();
        for label in labels.iter_mut().filter(|label| **label != NO_REGION) {
            let number = &mut numbers[if *label == region { other } else { *label } as usize];
            if *number == NO_REGION {
                *number = count;
                count += 1;
            }
            *label = *number;
        }
        let mut violations = ViolationList::default();
        RegionMap { labels, count }.violations_over(field, &mut violations);
        violations.is_empty()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn all_that_should_and_can_be_merged_is(seed in any::<u64>(), width in 1_u32..50, depth in 1_u32..50, small in 1_u32..100) {
        let field = fields::random(seed, width, depth);
        let small = small as f32 + 0.5;
        for regions in [watershed(&field, small * 0.09), monotone(&field, small * 0.09)] {
            prop_assert_eq!(could_still_merge(&field, &regions, small), None);
        }
    }

    #[test]
    fn random_fields_keep_the_contract(
        seed in any::<u64>(),
        width in 1_u32..60,
        depth in 1_u32..60,
        merge_region in prop_oneof![Just(0.0_f32), 0.01_f32..60.0],
        blur in any::<bool>(),
    ) {
        let field = fields::random(seed, width, depth);
        let config = WatershedConfig::default().with_merge_region(merge_region).with_blur(blur);
        let basins = partition_watershed(&field, &config, &mut ()).expect("a good configuration");
        check(&field, &basins);
        let sweeps = monotone(&field, merge_region);
        check(&field, &sweeps);
        // Merging only joins regions and never cuts them.
        let unmerged = partition_watershed(&field, &config.with_merge_region(0.0), &mut ())
            .expect("a good configuration");
        let mut into = vec![NO_REGION; unmerged.count as usize];
        for (&before, &after) in unmerged.labels.iter().zip(&basins.labels).filter(|(label, _)| **label != NO_REGION) {
            let known = &mut into[before as usize];
            prop_assert!(*known == NO_REGION || *known == after);
            *known = after;
        }
        prop_assert!(connected_components(&field).count <= basins.count.min(sweeps.count));
    }

    #[test]
    fn unmerged_sweeps_have_one_run_per_row(seed in any::<u64>(), width in 1_u32..60, depth in 1_u32..40) {
        let field = fields::random(seed, width, depth);
        let regions = monotone(&field, 0.0);
        check(&field, &regions);
        let mut ends = vec![None; regions.count as usize];
        for (span, &label) in (0_u32..).zip(&regions.labels).filter(|(_, label)| **label != NO_REGION) {
            let (x, z) = field.column_of(span);
            let end = ends[label as usize].replace((x, z));
            let goes_on = end.is_none_or(|(last_x, last_z)| (last_x + 1, last_z) == (x, z) || last_z + 1 == z);
            prop_assert!(goes_on, "region {label} has a gap before ({x}, {z})");
        }
    }
}

/// Bumps of the walls of a corridor make local maxima of the distance field, each of them a basin.
/// The blur levels them.
#[test]
fn blur_removes_basins_that_are_noise_of_the_walls() {
    let (width, depth) = (300_usize, 14_usize);
    let (mut sharp, mut blurred) = (0, 0);
    for seed in 0..6 {
        let mut random = waymesh_testkit::Random::new(seed);
        let bumps: Vec<[usize; 2]> = (0..width).map(|_| [random.index(4), random.index(4)]).collect();
        let line = |z: usize| -> String {
            let is_wall = |[near, far]: [usize; 2]| z < near || z >= depth - far;
            bumps.iter().map(|&bump| if is_wall(bump) { '#' } else { '.' }).collect()
        };
        let lines: Vec<String> = (0..depth).map(line).collect();
        let field = fields::from_ascii(&lines.join("\n"));
        let basins = |blur: bool| {
            let config = WatershedConfig::default().with_merge_region(0.0).with_blur(blur);
            let regions = partition_watershed(&field, &config, &mut ()).expect("a good configuration");
            check(&field, &regions);
            regions.count
        };
        sharp += basins(false);
        blurred += basins(true);
    }
    // 67 and 7.
    assert!(2 * blurred < sharp, "{sharp} basins, {blurred} with the blur");
}
