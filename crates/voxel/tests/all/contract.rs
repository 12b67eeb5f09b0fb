//! Tests of the stage contracts.

use waymesh_testkit::contracts;
use waymesh_voxel::{FieldBuilder, Voxelizer};

#[test]
fn voxelisation_keeps_the_contract() {
    contracts::voxelize(&Voxelizer::default());
}

#[test]
fn the_field_keeps_the_contract() {
    contracts::build_field(&Voxelizer::default(), &FieldBuilder::default());
}
