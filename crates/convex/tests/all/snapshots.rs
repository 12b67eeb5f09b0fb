//! Convex polygons of three regions with a hole, from two triangles per cell.
#![allow(clippy::unwrap_used, reason = "helpers of the tests")]

use crate::common;
use common::CellHalves;
use waymesh_convex::{GreedyConfig, MergeOrder, NotchPortalsConfig, merge_greedy, notch_portals};
use waymesh_core::stage::Triangulate;
use waymesh_testkit::{small, snapshot, text};

#[test]
fn snapshot_polygons() {
    let triangles = CellHalves { seed: 1 }.triangulate(&small::outlines(), &mut ()).expect("triangles");
    let portals = notch_portals(&triangles, &NotchPortalsConfig::default()).expect("polygons");
    snapshot!("convex_notch_portals", text::polygons(&portals));
    let greedy = merge_greedy(&triangles, &GreedyConfig::default()).expect("polygons");
    snapshot!("convex_greedy", text::polygons(&greedy));
    let hertel =
        merge_greedy(&triangles, &GreedyConfig::default().with_order(MergeOrder::Stored)).expect("polygons");
    snapshot!("convex_hertel_mehlhorn", text::polygons(&hertel));
}
