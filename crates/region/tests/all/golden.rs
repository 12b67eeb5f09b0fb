//! Compares the dungeon's distance field and regions with those of C++ Recast at the same settings.
//! Skipped if the data is absent.

use serde_json::Value;
use waymesh_core::{
    AreaId, Direction, GridFrame, NO_REGION, NO_SPAN, RegionMap, Validate, ViolationList, WalkableField,
};
use waymesh_region::{
    MonotoneConfig, SurfacesConfig, WatershedConfig, blur, distance_field, partition_monotone,
    partition_surfaces, partition_watershed, remove_small_islands,
};

const CELL_SIZE: f32 = 0.3;

fn golden(file: &str) -> Option<Value> {
    let path = waymesh_testkit::levels::find(&format!("golden/rerecast_reference_data/dungeon/{file}"))?;
    let text = std::fs::read_to_string(&path).expect("a file that can be read");
    Some(serde_json::from_str(&text).expect("golden data are JSON"))
}

fn number<T: TryFrom<i64>>(value: &Value) -> T {
    value.as_i64().and_then(|number| T::try_from(number).ok()).expect("a number in range")
}

/// Returns Recast's compact heightfield as a walkable field.
fn field(data: &Value) -> WalkableField {
    let (width, depth): (u32, u32) = (number(&data["width"]), number(&data["height"]));
    let frame =
        GridFrame { origin: Default::default(), cell_size: CELL_SIZE, level_height: 0.2, width, depth };
    let mut field = WalkableField::empty(frame);
    let cells = data["cells"].as_array().expect("cells");
    let firsts: Vec<u32> = cells.iter().map(|cell| number(&cell["index"])).collect();
    let spans = data["spans"].as_array().expect("spans");
    let areas = data["areas"].as_array().expect("areas");
    for (column, cell) in (0_u32..).zip(cells) {
        for index in 0..number::<u32>(&cell["count"]) {
            let span = (firsts[column as usize] + index) as usize;
            assert_eq!(span, field.span_columns.len(), "spans come column by column");
            let (floor, connections): (i32, u32) = (number(&spans[span]["y"]), number(&spans[span]["con"]));
            // Six bits per direction: the layer of the neighbour in its column, 63 for none.
            let links = Direction::ALL.map(|direction| {
                let layer = (connections >> (6 * direction.index())) & 63;
                let (dx, dz) = direction.offset();
                let next = i64::from(column) + i64::from(dx) + i64::from(dz) * i64::from(width);
                if layer == 63 {
                    NO_SPAN
                } else {
                    firsts[usize::try_from(next).expect("inside the grid")] + layer
                }
            });
            field.span_columns.push(column);
            field.floor.push(floor);
            field.clearance.push(number(&spans[span]["h"]));
            field.ground.push(floor as f32);
            field.links.push(links);
            field.area.push(AreaId(number(&areas[span])));
        }
        field.columns[column as usize + 1] = u32::try_from(field.span_columns.len()).expect("few spans");
    }
    field.validate().expect("Recast's field is valid");
    field
}

fn sizes(labels: impl Iterator<Item = u32>) -> Vec<usize> {
    let labels: Vec<usize> = labels.map(|label| label as usize).collect();
    let mut sizes = vec![0; labels.iter().max().map_or(0, |&label| label + 1)];
    for label in labels {
        sizes[label] += 1;
    }
    sizes.retain(|&size| size > 0);
    sizes.sort_unstable_by_key(|&size| std::cmp::Reverse(size));
    sizes
}

#[test]
fn distances_are_those_of_recast_but_for_rounding() {
    let Some(data) = golden("compact_heightfield_distance_field.json") else { return };
    let field = field(&data);
    let ours = blur(&field, &distance_field(&field));
    let theirs: Vec<u16> = data["dist"].as_array().expect("distances").iter().map(number).collect();
    let mut differ = 0;
    for (span, (&ours, &theirs)) in (0_u32..).zip(ours.distances.iter().zip(&theirs)) {
        if field.is_walkable(span) {
            // Recast adds 5 before it divides by 9; rounding to the nearest integer adds 4.
            assert!(theirs == ours || theirs == ours + 1, "span {span}: {ours} for {theirs}");
            differ += u32::from(theirs != ours);
        }
    }
    let walkable = u32::try_from(field.walkable_spans()).expect("few spans");
    assert!(differ * 6 < walkable, "{differ} of {walkable} spans are rounded differently");
}

#[test]
fn the_dungeon_has_no_more_regions_than_recasts() {
    // At this stage convex volumes have already marked other areas.
    let Some(data) = golden("compact_heightfield_regions.json") else { return };
    let mut field = field(&data);
    // Bit 15 marks the border of a tile in Recast. Our tiles have no such border.
    let labels = data["spans"].as_array().expect("spans").iter().map(|span| number::<u32>(&span["reg"]));
    let theirs = sizes(labels.filter(|&label| label != 0 && label < 0x8000));
    remove_small_islands(&mut field, 64.0 * CELL_SIZE * CELL_SIZE, &mut ());
    let check = |regions: &RegionMap| {
        let mut violations = ViolationList::default();
        regions.violations_over(&field, &mut violations);
        assert!(violations.is_empty(), "{violations}");
        sizes(regions.labels.iter().copied().filter(|&label| label != NO_REGION))
    };
    let basins = check(&partition_watershed(&field, &WatershedConfig::default(), &mut ()).expect("good"));
    let sweeps = check(&partition_monotone(&field, &MonotoneConfig::default(), &mut ()).expect("good"));
    let sheets = check(&partition_surfaces(&field, &SurfacesConfig::default(), &mut ()).expect("good"));
    eprintln!("Recast {theirs:?}\nwatershed {basins:?}\nmonotone {sweeps:?}\nsurfaces {sheets:?}");
    // Nothing overlaps, so each connected component of one area is one region.
    assert!(sheets.len() * 2 < basins.len(), "{} for {}", sheets.len(), basins.len());
    assert_eq!(sheets.iter().sum::<usize>(), field.walkable_spans());
    assert!(basins.len() <= theirs.len(), "{} for {}", basins.len(), theirs.len());
    assert_eq!(basins.iter().sum::<usize>(), field.walkable_spans());
    // Our regions are as compact as theirs: the median, weighted by spans, is no smaller.
    let middle = |sizes: &[usize]| sizes[sizes.len() / 2];
    assert!(middle(&basins) * 5 >= middle(&theirs) * 4);
    assert!(basins[0] <= theirs[0] * 2);
}
