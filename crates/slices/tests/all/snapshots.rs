//! Slices of a small house stage by stage: pieces of a level, borders, links.

use std::fmt::Write;

use waymesh_core::GridScale;
use waymesh_slices::{CoreRect, Neighbourhood, Segmentation, SlicesConfig, SpanGrid, segment, slice_world};
use waymesh_testkit::{small, snapshot, text};

#[test]
fn snapshot_slices() {
    let scale = GridScale::new(0.3, 0.2);
    let slices =
        slice_world(&small::house(), &SlicesConfig::default().with_scale(scale), &mut ()).expect("slices");
    let mut page = String::new();
    for region in &slices.regions {
        let _ = writeln!(page, "slice {} at level {}, {} cells", region.slice, region.level, region.cells);
    }
    snapshot!("slices_2_regions", page);
    snapshot!("slices_3_contours", text::contours(&slices.contours));
    let mut page = String::new();
    for link in &slices.links {
        let _ =
            writeln!(page, "{} to {}, {} levels, {:?}", link.from.0, link.to.0, link.rise_levels, link.kind);
    }
    snapshot!("slices_4_links", page);
}

/// The field of two storeys as spans, in pieces of one level.
#[test]
fn snapshot_pieces() {
    let (field, _) = small::storeys();
    let [width, depth] = [field.frame.width, field.frame.depth];
    let columns: Vec<Vec<(i32, i32, bool)>> = (0..width * depth)
        .map(|cell| {
            let spans = field.column(cell % width, cell / width);
            spans.map(|span| field.floor[span as usize]).map(|floor| (floor - 1, floor, true)).collect()
        })
        .collect();
    let grid = SpanGrid::from_columns(width as usize, &columns);
    let mut pieces = Segmentation::default();
    segment(&grid, CoreRect::whole(&grid), Neighbourhood::Four, &mut pieces);
    let top = |x: u32, z: u32| grid.column((z * width + x) as usize).next_back();
    let letter = |x, z| top(x, z).map_or('.', |span| text::letter(pieces.labels[span]));
    snapshot!("slices_1_pieces", text::map([width, depth], letter));
}
