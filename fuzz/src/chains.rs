//! Chains of queries: every query accepts the positions that another one returned.

use waymesh::triangulate::ClearanceConfig;
use waymesh::with_clearance;
use waymesh_testkit::boards::on_board_of_seed;

/// Follows chains of queries for points and discs on the random board of a seed.
pub fn chains(seed: u64) {
    on_board_of_seed(seed, |mesh| {
        with_clearance(mesh, &ClearanceConfig::default()).expect("discs walk on it")
    });
}
