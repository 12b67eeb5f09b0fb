//! Spans, walkable field and erosion of a small house, as maps.

use waymesh_core::Agent;
use waymesh_testkit::{small, snapshot, text};
use waymesh_voxel::{Filters, VoxelConfig, build_filtered_field, erode, rasterize};

#[test]
fn snapshot_voxels() {
    let agent = Agent::default();
    let spans = rasterize(&small::house(), &VoxelConfig::default(), &mut ()).expect("voxels");
    snapshot!("voxel_1_spans", text::heightfield(&spans));
    let mut field = build_filtered_field(&spans, &agent, &Filters::default(), &mut ()).expect("a field");
    snapshot!("voxel_2_field", text::field(&field));
    snapshot!("voxel_3_levels", text::levels(&field));
    erode(&mut field, agent.radius, &mut ()).expect("a radius");
    snapshot!("voxel_4_eroded", text::field(&field));
}
