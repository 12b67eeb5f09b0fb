//! Distance field and all partitions of two storeys, as maps.

use waymesh_region::{
    MonotoneConfig, SurfacesConfig, UNITS_PER_CELL, WatershedConfig, blur, distance_field,
    partition_monotone, partition_surfaces, partition_watershed,
};
use waymesh_testkit::{small, snapshot, text};

#[test]
fn snapshot_regions() {
    let (field, _) = small::storeys();
    let distance = distance_field(&field);
    snapshot!("region_1_distance", text::distances(&field, &distance.distances, UNITS_PER_CELL));
    let smooth = blur(&field, &distance);
    snapshot!("region_2_blurred", text::distances(&field, &smooth.distances, UNITS_PER_CELL));
    let watershed = WatershedConfig::default().with_merge_region(1.0);
    let watershed = partition_watershed(&field, &watershed, &mut ()).expect("regions");
    snapshot!("region_3_watershed", text::regions(&field, &watershed));
    let monotone = MonotoneConfig::default().with_merge_region(1.0);
    let monotone = partition_monotone(&field, &monotone, &mut ()).expect("regions");
    snapshot!("region_3_monotone", text::regions(&field, &monotone));
    let surfaces = partition_surfaces(&field, &SurfacesConfig::default(), &mut ()).expect("regions");
    snapshot!("region_3_surfaces", text::regions(&field, &surfaces));
}
