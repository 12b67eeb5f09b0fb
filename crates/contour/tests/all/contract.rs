//! The contract suites of the stages this crate implements.

use waymesh_contour::{BorderWalk, CornerChoice, DouglasPeucker, SimplifyConfig};
use waymesh_testkit::contracts;

#[test]
fn border_walk_keeps_the_contract_of_tracing() {
    contracts::trace_contours(&BorderWalk);
}

#[test]
fn both_choices_of_corners_keep_the_contract_of_simplification() {
    const SEAM: f32 = SimplifyConfig::MAX_SEAM_ERROR;
    for (max_edge_error, max_seam_error) in
        [(0.0, SEAM), (0.2, 0.2), (0.39, 1e6), (1.0, SEAM), (1.0, 1.0), (6.0, 1e6)]
    {
        let config = SimplifyConfig::default()
            .with_max_edge_error(max_edge_error)
            .with_max_edge_length(if max_edge_error < 0.3 { 2.0 } else { 0.0 })
            .with_max_seam_error(max_seam_error);
        for corners in [CornerChoice::Farthest, CornerChoice::FewestNotches, CornerChoice::ByWidth] {
            let config = config.with_corners(corners);
            contracts::simplify_contours(&BorderWalk, &DouglasPeucker { config });
        }
    }
}
