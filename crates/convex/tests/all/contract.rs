//! The contract of the stage.

#![allow(clippy::unwrap_used, reason = "test helpers fail loudly")]

use crate::common;
use common::CellHalves;
use waymesh_convex::{GreedyConfig, GreedyMerge, MergeOrder, NotchPortals, NotchPortalsConfig};
use waymesh_testkit::contracts;

#[test]
fn greedy_merging_keeps_the_contract() {
    for max_vertices in [0, 3, 4, 6] {
        for order in [MergeOrder::FewestWays, MergeOrder::LongestEdge, MergeOrder::Stored] {
            let config = GreedyConfig::default().with_max_vertices(max_vertices).with_order(order);
            contracts::decompose(&CellHalves { seed: 1 }, &GreedyMerge { config });
        }
    }
}

#[test]
fn notch_portals_keep_the_contract() {
    for max_vertices in [0, 3, 6] {
        let config = NotchPortalsConfig::default().with_max_vertices(max_vertices);
        contracts::decompose(&CellHalves { seed: 3 }, &NotchPortals { config });
        let config = config.with_exact_vertices(0);
        for (seed, config) in [(4, config.with_window_vertices(20)), (5, config.with_rounds(0))] {
            contracts::decompose(&CellHalves { seed }, &NotchPortals { config });
        }
    }
}

#[test]
fn relaxed_notch_portals_keep_the_contract_but_for_that_distance() {
    for (max_vertices, metres) in [(0, 0.3), (0, 0.8), (6, 1.5), (0, 50.0)] {
        // Cells of the grid are a metre wide.
        let config =
            NotchPortalsConfig::default().with_max_vertices(max_vertices).with_convex_distance(metres);
        let tolerance = f64::from(metres) * (1.0 + 1e-9);
        contracts::decompose_within(&CellHalves { seed: 6 }, &NotchPortals { config }, tolerance);
    }
}
