//! Traced and simplified borders of two storeys.

use waymesh_contour::{SimplifyConfig, simplify_contours, trace_contours};
use waymesh_testkit::{small, snapshot, text};

#[test]
fn snapshot_contours() {
    let (field, regions) = small::storeys();
    let traced = trace_contours(&field, &regions).expect("borders");
    snapshot!("contour_1_traced", text::contours(&traced));
    let simplified = simplify_contours(&traced, &SimplifyConfig::default(), &mut ()).expect("borders");
    snapshot!("contour_2_simplified", text::contours(&simplified));
}
