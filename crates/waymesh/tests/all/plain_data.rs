//! Plain data comes back from JSON, and bad data is refused.

use waymesh::graph::{Link, LinkEnd, LinkKind};
use waymesh::voxel::{ClosedMesh, Mark, MarkShape};
use waymesh::{
    Agent, Area, AreaFilter, AreaId, AreaTable, BakeConfig, Baker, Keep, PolyId, TriangleSoup, glam::Vec3,
};
use waymesh_testkit::boxes::add_box;

fn again<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).expect("JSON");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn settings_marks_areas_and_paths_come_back() {
    let mut soup = TriangleSoup::default();
    add_box(&mut soup, [0.0, -0.5, 0.0], [9.0, 0.0, 7.5]);
    let mut areas = AreaTable::default();
    let mud = areas.add(Area::new("mud").with_cost(3.0)).expect("an area");
    let body = MarkShape::Mesh { mesh: ClosedMesh::new(&soup).expect("a closed mesh") };
    let marks = vec![
        Mark::new(body, mud),
        Mark::new(MarkShape::Cylinder { base: Vec3::ZERO, radius: 1.0, height: 2.0 }, AreaId::NULL),
    ];
    let mut config = BakeConfig::default().with_agent(Agent::default().with_radius(0.4));
    (config.marks, config.areas, config.keep) = (marks, areas, Keep::ConnectedTo(vec![Vec3::ONE]));
    assert_eq!(again(&config), config);
    assert_eq!(serde_json::from_str::<BakeConfig>("{}").expect("defaults"), BakeConfig::default());
    let mesh = Baker::voxels().bake(&soup).expect("a mesh");
    let [from, to] = [Vec3::new(1.0, 0.0, 1.0), Vec3::new(8.0, 0.0, 6.0)];
    let path = mesh.path(from, to).expect("a path");
    assert_eq!(again(&path), path);
    let end = LinkEnd { polygon: PolyId(0), ends: [mesh.poly_mesh().vertices[0]; 2] };
    let link = Link::new(end, end, LinkKind::User);
    assert_eq!(again(&link), link);
    let filter = AreaFilter::default().without(mud);
    assert_eq!(again(&filter), filter);
}

#[test]
fn bad_tables_and_open_meshes_are_refused() {
    for text in
        [r#"{"areas":{"0":{"name":"a","cost":1.0,"colour":null}}}"#, r#"{"areas":{},"height_classes":[-1]}"#]
    {
        assert!(serde_json::from_str::<AreaTable>(text).is_err(), "{text}");
    }
    let open = "[[[0,0,0],[1,0,0],[0,0,1]]]";
    let error = serde_json::from_str::<ClosedMesh>(open).expect_err("an open mesh").to_string();
    assert!(error.contains("edge"), "{error}");
}
