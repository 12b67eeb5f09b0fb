//! Polygons of a mesh around a pillar, and the path past it.

use glam::Vec3;
use waymesh_graph::NavMesh;
use waymesh_testkit::grid_maps::GridMap;
use waymesh_testkit::{snapshot, text};

const ROOM: &str = "type octile
height 6
width 10
map
..........
..........
...@@@....
...@@@....
..........
..........
";

#[test]
fn snapshot_mesh_and_path() {
    let polygons = GridMap::read(ROOM).expect("sound input").mesh();
    snapshot!("graph_1_mesh", text::polygons(&polygons));
    let mesh = NavMesh::try_from(polygons).expect("sound input");
    let [from, to] = [Vec3::new(0.5, 0.0, 2.5), Vec3::new(9.5, 0.0, 3.5)];
    let path = mesh.path(from, to).expect("sound input");
    snapshot!("graph_2_path", text::points(&path.points));
}
