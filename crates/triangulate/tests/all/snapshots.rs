//! Triangles of three regions with a hole.

use waymesh_testkit::{small, snapshot, text};
use waymesh_triangulate::{triangulate_cdt, triangulate_ears};

#[test]
fn snapshot_triangles() {
    let set = small::outlines();
    snapshot!("triangulate_1_outlines", text::outlines(&set));
    snapshot!("triangulate_2_cdt", text::triangles(&triangulate_cdt(&set).expect("triangles")));
    snapshot!("triangulate_2_ears", text::triangles(&triangulate_ears(&set).expect("triangles")));
}
