//! The contract of the stage.

use waymesh_detail::GreedyInsertion;

#[test]
fn greedy_insertion_keeps_the_contract() {
    waymesh_testkit::contracts::fit_heights(&GreedyInsertion::default());
}
