//! The regions do not depend on the number of threads.
#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use waymesh_core::{AreaId, FieldWindow, ViolationList, WalkableField};
use waymesh_region::{
    JoinConfig, SurfacesConfig, join_surfaces, label_split_surfaces, label_surfaces, partition_surfaces,
    split_surfaces, split_surfaces_labelled,
};
use waymesh_testkit::fields::{self, Floor};
use waymesh_testkit::{Random, Recording};

/// Runs `work` on `threads` threads.
fn on<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Returns storeys that rise along x, with ramps between them, holes, and two areas.
fn ramps(random: &mut Random, width: u32, depth: u32) -> WalkableField {
    let flaws = 1 + random.below(40);
    let columns: Vec<Vec<Floor>> = (0..width * depth)
        .map(|column| {
            let (x, z) = ((column % width).cast_signed(), (column / width).cast_signed());
            let ramp = if (z / 23) % 3 == 0 { x * 2 } else { x / 9 };
            let area = AreaId(1 + u8::from((x / 31 + z / 37) % 5 == 0));
            let storeys = if random.below(1_000) < flaws { random.below(3) } else { 3 };
            (0..storeys.cast_signed()).map(|storey| Floor { level: 40 * storey + ramp, area }).collect()
        })
        .collect();
    fields::from_floors(width, depth, &columns)
}

#[test]
fn regions_are_the_same_on_any_number_of_threads() {
    let mut random = Random::new(8);
    for (width, depth) in [(120, 333), (300, 90), (40, 700)] {
        let field = ramps(&mut random, width, depth);
        let part = FieldWindow::whole(field);
        let config = SurfacesConfig::default();
        let join = JoinConfig::default().with_min_island(0.5, part.frame.cell_area());
        let run = || {
            let (pieces, labels) = split_surfaces_labelled(&part, &config).unwrap();
            let mut recording = Recording::default();
            let surfaces = join_surfaces(std::slice::from_ref(&pieces), &join, &mut recording).unwrap();
            let regions = label_split_surfaces(&part, labels, &surfaces).unwrap();
            let again = label_surfaces(&part, &surfaces).unwrap();
            assert!(regions == again);
            let whole = partition_surfaces(&part.field, &config, &mut ()).unwrap();
            (pieces, surfaces, regions, whole, recording)
        };
        let expected = on(1, run);
        let mut violations = ViolationList::default();
        expected.3.violations_over(&part.field, &mut violations);
        assert!(violations.is_empty(), "{violations}");
        assert!(expected.0.pieces().len() > 400 && expected.3.count > 1, "{} regions", expected.3.count);
        for threads in [2, 3, 8] {
            let found = on(threads, run);
            assert!(found.0 == expected.0, "pieces of {width} x {depth} on {threads} threads");
            assert!(found == expected, "regions of {width} x {depth} on {threads} threads");
        }
        assert_eq!(split_surfaces(&part, &config).unwrap(), expected.0);
    }
}

#[test]
fn labels_of_other_pieces_are_an_error() {
    let part = FieldWindow::whole(ramps(&mut Random::new(1), 200, 500));
    let (pieces, labels) = split_surfaces_labelled(&part, &SurfacesConfig::default()).unwrap();
    let surfaces = join_surfaces(&[pieces], &JoinConfig::default(), &mut ()).unwrap();
    for threads in [1, 2] {
        let mut wrong = labels.clone();
        let last = wrong.iter_mut().rev().find(|label| **label != u32::MAX).unwrap();
        *last = u32::MAX - 1;
        on(threads, || label_split_surfaces(&part, wrong, &surfaces)).unwrap_err();
        on(threads, || label_split_surfaces(&part, labels.clone(), &surfaces)).unwrap();
    }
}
