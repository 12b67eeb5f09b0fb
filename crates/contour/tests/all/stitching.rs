//! Borders that are traced part by part and stitched equal those traced at once, to the last bit.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use waymesh_contour::{BorderChains, ContourError, stitch, trace_contours, trace_window};
use waymesh_core::{
    AreaId, ContourSet, FieldWindow, GridWindow, NO_REGION, RegionId, RegionMap, Validate, WalkableField,
};
use waymesh_testkit::Random;
use waymesh_testkit::fields::{self, Floor};

/// Returns the chains of all tiles of `side` cells. The first row and column of tiles is cut to
/// `offset`.
fn tiles(field: &WalkableField, regions: &RegionMap, side: u32, offset: u32) -> Vec<BorderChains> {
    let whole = FieldWindow::whole(field.clone());
    let lines = |length: u32| {
        let mut lines = vec![0];
        let mut next = if offset == 0 { side } else { offset };
        while next < length {
            lines.push(next);
            next += side;
        }
        lines.push(length);
        lines
    };
    let (across, along) = (lines(field.frame.width), lines(field.frame.depth));
    let mut parts = Vec::new();
    for z in along.windows(2) {
        for x in across.windows(2) {
            let core = GridWindow::new(x[0], z[0], x[1] - x[0], z[1] - z[0]);
            let part = whole.cut(core);
            let labels = (0..)
                .take(part.field.len())
                .map(|span| regions.labels[whole.find(part.key(span)).expect("a span of the whole") as usize])
                .collect();
            let regions = RegionMap { labels, count: regions.count };
            parts.push(trace_window(&part, &regions).expect("valid regions"));
        }
    }
    parts
}

fn same(expected: &ContourSet, actual: &ContourSet) {
    let heights =
        |set: &ContourSet| set.vertices.iter().map(|vertex| vertex.height.to_bits()).collect::<Vec<_>>();
    assert_eq!(heights(expected), heights(actual));
    assert!(expected == actual, "points, arcs or loops differ");
}

/// Cuts, shuffles, stitches and compares.
fn check(field: &WalkableField, regions: &RegionMap, side: u32, seed: u64) {
    let mut random = Random::new(seed ^ 0x711e);
    let expected = trace_contours(field, regions).expect("valid regions");
    let mut parts = tiles(field, regions, side, random.below(side + 1));
    for place in (1..parts.len()).rev() {
        parts.swap(place, random.index(place + 1));
    }
    let steps: usize = parts.iter().map(BorderChains::steps).sum();
    let lengths: usize = expected.arcs.iter().map(|arc| arc.len as usize - 1).sum();
    assert_eq!(steps, lengths, "every step once");
    let actual = stitch(field.frame, parts, regions.count).expect("all parts are there");
    same(&expected, &actual);
}

/// Makes one region per connected piece of one storey, on ground that is nowhere level.
fn components(field: &mut WalkableField, seed: u64) -> RegionMap {
    let mut random = Random::new(seed);
    for ground in &mut field.ground {
        *ground += random.unit() * 0.9;
    }
    let mut labels = vec![NO_REGION; field.len()];
    let mut count = 0;
    for first in (0..).take(field.len()) {
        if labels[first as usize] != NO_REGION || !field.is_walkable(first) {
            continue;
        }
        let mut stack = vec![first];
        labels[first as usize] = count;
        while let Some(span) = stack.pop() {
            for link in field.links[span as usize] {
                if let Some(label) = labels.get_mut(link as usize)
                    && *label == NO_REGION
                    && field.area[link as usize] == field.area[span as usize]
                {
                    *label = count;
                    stack.push(link);
                }
            }
        }
        count += 1;
    }
    RegionMap { labels, count }
}

/// Returns a one-storey field whose kinds of ground are given by `area`.
fn plan(width: u32, depth: u32, area: impl Fn(u32, u32) -> u8) -> WalkableField {
    let columns: Vec<Vec<Floor>> = (0..width * depth)
        .map(|cell| match area(cell % width, cell / width) {
            0 => Vec::new(),
            area => vec![Floor { level: 0, area: AreaId(area) }],
        })
        .collect();
    fields::from_floors(width, depth, &columns)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, rng_seed: RngSeed::Fixed(4), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn storeys_and_nasty_regions(seed: u64, width in 1_u32..64, depth in 1_u32..64, side in 1_u32..70) {
        let mut field = fields::random(seed, width, depth);
        let mut random = Random::new(seed);
        for ground in &mut field.ground {
            *ground += random.unit();
        }
        let regions = fields::random_regions(&field, seed);
        check(&field, &regions, side, seed);
    }

    #[test]
    fn long_borders_over_many_tiles(seed: u64, width in 1_u32..90, depth in 1_u32..90, side in 1_u32..40) {
        let mut random = Random::new(seed);
        let density = random.unit() * 0.6;
        let blocked: Vec<bool> = (0..width * depth).map(|_| random.chance(density)).collect();
        let mut field = plan(width, depth, |x, z| {
            let inner = u8::from(x.abs_diff(width / 2).max(z.abs_diff(depth / 2)) < width / 4);
            if blocked[(z * width + x) as usize] { 0 } else { 1 + inner }
        });
        let regions = components(&mut field, seed);
        check(&field, &regions, side, seed);
    }
}

#[test]
fn closed_borders_without_junction_start_at_their_lowest_vertex() {
    // A wall around a room of other ground, with a lake in it, and a spiral wall next to them. All
    // are larger than a tile.
    let area = |x: u32, z: u32| {
        let ring = x.abs_diff(40).max(z.abs_diff(30));
        let across = x.abs_diff(95) + 2 * (z.abs_diff(30) / 3);
        let arm = across.is_multiple_of(9) && z > 4 && z < 58;
        match ring {
            0..6 => 0,
            6..15 => 2,
            24..26 => 0,
            _ => u8::from(!arm || x < 75),
        }
    };
    let mut field = plan(120, 64, area);
    let regions = components(&mut field, 1);
    assert!(regions.count >= 3);
    let whole = trace_contours(&field, &regions).expect("valid regions");
    whole.validate().expect("valid contours");
    let closed = whole.arcs.iter().filter(|arc| {
        whole.arc_vertices[arc.first as usize] == whole.arc_vertices[(arc.first + arc.len - 1) as usize]
    });
    assert!(closed.count() >= 4);
    for side in [1, 2, 5, 16, 33, 64, 120] {
        check(&field, &regions, side, u64::from(side));
    }
}

#[test]
fn nothing_is_nothing() {
    let field = plan(4, 3, |_, _| 0);
    let set = stitch(field.frame, Vec::new(), 0).expect("nothing is missing");
    assert!(set.arcs.is_empty() && set.regions.is_empty());
    let error = stitch(field.frame, Vec::new(), u32::MAX).expect_err("no region is there");
    assert!(matches!(error, ContourError::EmptyRegion { region: RegionId(0) }));
}

#[test]
fn missing_and_doubled_parts_are_errors() {
    let mut field = plan(24, 24, |x, z| u8::from(x % 7 != 3 || z % 5 != 2));
    let regions = components(&mut field, 3);
    let parts = tiles(&field, &regions, 8, 0);
    assert_eq!(parts.len(), 9);
    for missing in 0..9 {
        let mut rest = parts.clone();
        rest.remove(missing);
        // A missing part whose borders are all closed inside it may go unnoticed. This field has no
        // such part.
        let error = stitch(field.frame, rest, regions.count).expect_err("a part is missing");
        assert!(
            matches!(error, ContourError::OpenBorder { .. } | ContourError::EmptyRegion { .. }),
            "{error}"
        );
        let mut doubled = parts.clone();
        doubled.push(parts[missing].clone());
        let error = stitch(field.frame, doubled, regions.count).expect_err("a part is there twice");
        assert!(
            matches!(error, ContourError::BorderTwice { .. } | ContourError::RegionInPieces { .. }),
            "{error}"
        );
    }
    let error = stitch(field.frame, parts, regions.count - 1);
    assert!(matches!(error, Err(ContourError::UnknownBorder { .. })) || regions.count == 1);
}

#[test]
fn parts_without_their_ring_are_errors() {
    let mut field = plan(9, 9, |_, _| 1);
    let regions = components(&mut field, 3);
    let mut part = FieldWindow::whole(field);
    part.frame.width = 10;
    let error = trace_window(&part, &regions).expect_err("a column is missing");
    assert!(matches!(error, ContourError::BrokenWindow { .. }), "{error}");
    part.frame.width = 9;
    assert!(trace_window(&part, &regions).is_ok());
    part.core = GridWindow::new(u32::MAX, 4, u32::MAX, 4);
    assert!(matches!(trace_window(&part, &regions), Err(ContourError::BrokenWindow { .. })));
}
