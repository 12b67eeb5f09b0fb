//! The contract of the stage.

use waymesh_testkit::contracts;
use waymesh_triangulate::{ConstrainedDelaunay, EarClipping};

#[test]
fn constrained_delaunay_keeps_the_contract() {
    contracts::triangulate(&ConstrainedDelaunay::default());
}

#[test]
fn ear_clipping_keeps_the_contract() {
    contracts::triangulate(&EarClipping::default());
}
