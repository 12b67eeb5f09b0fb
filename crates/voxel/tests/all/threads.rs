//! The field does not depend on the number of threads.
#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

use waymesh_core::{Agent, AreaId, GridFrame, Heightfield, Span, Validate};
use waymesh_testkit::{Random, Recording, fields};
use waymesh_voxel::{Filters, build_filtered_field, erode};

/// Runs `work` on `threads` threads.
fn on<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Returns rolling ground of several storeys with holes, steps, low ceilings and steep obstacles.
fn storeys(random: &mut Random, width: u32, depth: u32) -> Heightfield {
    let frame = GridFrame { width, depth, ..fields::random(1, 1, 1).frame };
    let (mut columns, mut spans) = (vec![0], Vec::new());
    for column in 0..width * depth {
        let (x, z) = (column % width, column / width);
        let slope = ((x / 7 + z / 5) % 9).cast_signed();
        let mut bottom = i32::MIN;
        for storey in 0..random.below(5).cast_signed() {
            let top = 14 * storey + slope + random.below(3).cast_signed();
            let thick = 1 + random.below(6).cast_signed();
            if random.below(20) == 0 || top - thick <= bottom {
                continue;
            }
            let is_steep = random.below(10) == 0;
            let area = if is_steep { AreaId::NULL } else { AreaId(1 + u8::from(storey == 2)) };
            let ground_drop = u16::try_from(random.below(32)).unwrap();
            spans.push(Span { bottom: top - thick, top, ground_drop, area, upward: true });
            bottom = top;
        }
        columns.push(u32::try_from(spans.len()).unwrap());
    }
    let heightfield = Heightfield { frame, columns, spans };
    heightfield.validate().unwrap();
    heightfield
}

#[test]
fn fields_and_counts_are_the_same_on_any_number_of_threads() {
    let mut random = Random::new(3);
    for (width, depth) in [(150, 210), (1, 9_000), (9_000, 2), (64, 400)] {
        let heightfield = storeys(&mut random, width, depth);
        let agent = Agent::default().with_height(1.6).with_max_step(0.6);
        for filters in [Filters::default(), Filters::default().with_ledges(false)] {
            let build = || {
                let mut recording = Recording::default();
                let field = build_filtered_field(&heightfield, &agent, &filters, &mut recording).unwrap();
                (field, recording.counts)
            };
            let (expected, counts) = on(1, build);
            expected.validate().unwrap();
            assert!(expected.len() > 1_000 || filters.ledges, "{} spans", expected.len());
            for threads in [2, 3, 8] {
                let (field, recording) = on(threads, build);
                assert!(field == expected, "{width} x {depth} on {threads} threads");
                assert_eq!(recording, counts);
            }
        }
    }
}

#[test]
fn erosion_is_the_same_on_any_number_of_threads() {
    let mut random = Random::new(4);
    let agent = Agent::default().with_height(1.6).with_max_step(0.6);
    let filters = Filters::default().with_ledges(false);
    for (width, depth) in [(90, 700), (20, 3_000)] {
        let heightfield = storeys(&mut random, width, depth);
        let mut field = build_filtered_field(&heightfield, &agent, &filters, &mut ()).unwrap();
        // Ground with few holes keeps something at any radius.
        for area in &mut field.area {
            *area = if random.below(800) == 0 { AreaId::NULL } else { AreaId::GROUND };
        }
        let cell = field.frame.cell_size;
        for cells in [0.4_f32, 1.0, 2.5, 7.0, 300.0] {
            let eroded = || {
                let (mut field, mut recording) = (field.clone(), Recording::default());
                erode(&mut field, cells * cell, &mut recording).unwrap();
                (field, recording.counts)
            };
            let expected = on(1, eroded);
            for threads in [2, 3, 8] {
                assert!(on(threads, eroded) == expected, "{cells} cells on {threads} threads");
            }
        }
    }
}
