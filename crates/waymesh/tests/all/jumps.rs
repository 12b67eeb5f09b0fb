//! Jumps and drops on ledges and gaps made by hand.

use glam::Vec3;
use waymesh::core::{GridFrame, PlanPoint, PlanVertex, Poly, PolyMesh, RegionId, VertexId};
use waymesh::graph::{Link, LinkKind};
use waymesh::{Agent, AreaId, BakeConfig, Baker, JumpConfig, NavMesh, PolyId, TriangleSoup, find_jumps};
use waymesh_testkit::Random;
use waymesh_testkit::boxes::add_box;

/// A floor of the mesh: x from, z from, x to, z to in cells of half a metre, height in levels of a
/// quarter.
type Floor = [i32; 5];

fn mesh(floors: &[Floor]) -> NavMesh {
    let frame = GridFrame { origin: Vec3::ZERO, cell_size: 0.5, level_height: 0.25, width: 100, depth: 100 };
    let mut polygons =
        PolyMesh { frame, vertices: vec![], polygons: vec![], corners: vec![], neighbours: vec![] };
    for &[x0, z0, x1, z1, height] in floors {
        let first = VertexId::from_index(polygons.corners.len()).0;
        for (x, z) in [(x0, z0), (x1, z0), (x1, z1), (x0, z1)] {
            polygons.corners.push(VertexId::from_index(polygons.vertices.len()));
            polygons.vertices.push(PlanVertex { point: PlanPoint::new(x, z), height: height as f32 });
            polygons.neighbours.push(None);
        }
        polygons.polygons.push(Poly { first, len: 4, region: RegionId(0), area: AreaId::GROUND });
    }
    NavMesh::new(polygons, None, Agent::default().with_radius(0.5)).expect("a mesh")
}

/// From polygon and point to polygon and point.
type Ends = [(u32, i32, i32); 2];

fn ends(links: &[Link], kind: LinkKind) -> Vec<Ends> {
    let found = links.iter().filter(|link| link.kind == kind).map(|link| {
        assert_eq!(link.both_ways, kind == LinkKind::Jump);
        [link.from, link.to].map(|end| {
            assert_eq!(end.ends[0], end.ends[1]);
            (end.polygon.0, end.ends[0].point.x, end.ends[0].point.z)
        })
    });
    found.collect()
}

/// Two platforms a metre high with a gap of two metres between them, and what stands between.
fn gap(between: &[[[f32; 3]; 2]]) -> (NavMesh, TriangleSoup) {
    let mut soup = TriangleSoup::default();
    add_box(&mut soup, [0.0, 0.0, 0.0], [4.0, 1.0, 4.0]);
    add_box(&mut soup, [6.0, 0.0, 0.0], [10.0, 1.0, 4.0]);
    between.iter().for_each(|&[low, high]| add_box(&mut soup, low, high));
    (mesh(&[[1, 1, 7, 7, 4], [13, 1, 19, 7, 4]]), soup)
}

const NO_JUMP: [Ends; 0] = [];
const ACROSS: [Ends; 2] = [[(0, 7, 2), (1, 13, 2)], [(0, 7, 6), (1, 13, 6)]];

#[test]
fn a_gap_is_jumped_where_nothing_is_in_the_way() {
    let jumps = |between: &[[[f32; 3]; 2]], config: JumpConfig| {
        let (mesh, soup) = gap(between);
        let links = find_jumps(&mesh, &soup, &config).expect("good settings");
        assert!(ends(&links, LinkKind::Drop).is_empty());
        let found = ends(&links, LinkKind::Jump);
        // They are links of this mesh.
        let mesh = mesh.with_links(links).expect("good links");
        assert_eq!(mesh.links().len(), found.len());
        found
    };
    let config = JumpConfig::default();
    assert_eq!(jumps(&[], config), ACROSS);
    // From border to border it is three metres.
    assert_eq!(jumps(&[], config.with_max_length(3.0)), ACROSS);
    assert_eq!(jumps(&[], config.with_max_length(2.9)), NO_JUMP);
    assert_eq!(jumps(&[], config.with_max_length(0.0)), NO_JUMP);
    // A wall between; one that is no higher than a step above the platforms; one off the path.
    assert_eq!(jumps(&[[[4.9, 0.0, -1.0], [5.1, 4.0, 5.0]]], config), NO_JUMP);
    assert_eq!(jumps(&[[[4.9, 0.0, -1.0], [5.1, 1.8, 5.0]]], config), ACROSS);
    assert_eq!(jumps(&[[[4.9, 0.0, 2.0], [5.1, 4.0, 5.0]]], config), ACROSS[..1]);
    // A ceiling: the head is at 3.4 m on top of the arc.
    assert_eq!(jumps(&[[[4.0, 3.5, -1.0], [6.0, 4.0, 5.0]]], config), ACROSS);
    assert_eq!(jumps(&[[[4.0, 3.3, -1.0], [6.0, 4.0, 5.0]]], config), NO_JUMP);
    // Close together, one is enough.
    assert_eq!(jumps(&[], config.with_spacing(5.0)), [[(0, 7, 3), (1, 13, 3)]]);
}

#[test]
fn a_ledge_is_dropped_from_as_deep_as_allowed() {
    let drops = |height: i32, between: &[[[f32; 3]; 2]], config: JumpConfig| {
        let mut soup = TriangleSoup::default();
        add_box(&mut soup, [0.0, -1.0, 0.0], [4.0, 0.25 * height as f32, 4.0]);
        add_box(&mut soup, [4.0, -1.0, 0.0], [12.0, 0.0, 4.0]);
        between.iter().for_each(|&[low, high]| add_box(&mut soup, low, high));
        let mesh = mesh(&[[1, 1, 7, 7, height], [9, 1, 23, 7, 0]]);
        let links = find_jumps(&mesh, &soup, &config).expect("good settings");
        assert!(ends(&links, LinkKind::Jump).is_empty());
        ends(&links, LinkKind::Drop)
    };
    let config = JumpConfig::default();
    let expected = [[(0, 7, 2), (1, 9, 2)], [(0, 7, 6), (1, 9, 6)]];
    assert_eq!(drops(12, &[], config), expected);
    assert_eq!(drops(16, &[], config), expected);
    assert_eq!(drops(17, &[], config), NO_JUMP);
    assert_eq!(drops(12, &[], config.with_max_drop(0.0)), NO_JUMP);
    // A railing on the ledge; an awning below it.
    assert_eq!(drops(12, &[[[3.9, 3.0, 0.0], [4.0, 4.5, 4.0]]], config), NO_JUMP);
    assert_eq!(drops(12, &[[[4.0, 1.9, 0.0], [6.0, 2.0, 4.0]]], config), NO_JUMP);
    // There is space next to a short one.
    let farther = [[(0, 7, 2), (1, 11, 2)], [(0, 7, 6), (1, 11, 6)]];
    assert_eq!(drops(12, &[[[4.0, 1.9, 0.0], [5.0, 2.0, 4.0]]], config), farther);
}

#[test]
fn what_can_be_walked_as_well_is_no_jump() {
    // A horseshoe: between its arms, three metres over the gap or eight around.
    let mut soup = TriangleSoup::default();
    add_box(&mut soup, [0.0, 0.0, 0.0], [10.0, 1.0, 2.0]);
    add_box(&mut soup, [0.0, 0.0, 2.0], [4.0, 1.0, 6.0]);
    add_box(&mut soup, [6.0, 0.0, 2.0], [10.0, 1.0, 6.0]);
    let config = BakeConfig::default()
        .with_scale(0.25, 0.25)
        .with_agent(Agent::default().with_radius(0.5).with_max_step(0.3));
    let mesh = Baker::voxels().with_config(config).bake(&soup).expect("a mesh");
    let count = |detour: f32| {
        let config = JumpConfig::default().with_min_detour(detour);
        let links = find_jumps(&mesh, &soup, &config).expect("good settings");
        links.iter().filter(|link| link.kind == LinkKind::Jump).count()
    };
    assert!(count(0.5) > count(4.0) && count(4.0) > 0, "{} and {}", count(0.5), count(4.0));
    assert_eq!(count(20.0), 0);
}

#[test]
fn the_order_of_the_triangles_does_not_matter_and_bad_settings_are_named() {
    let (mesh, soup) = gap(&[[[4.9, 0.0, 2.0], [5.1, 4.0, 5.0]]]);
    let mut triangles = soup.triangles().to_vec();
    let mut random = Random::new(5);
    for index in (1..triangles.len()).rev() {
        triangles.swap(index, random.index(index + 1));
    }
    let shuffled = TriangleSoup::new(soup.positions().to_vec(), triangles).expect("the same");
    let config = JumpConfig::default();
    let links = find_jumps(&mesh, &soup, &config).expect("good settings");
    assert_eq!(find_jumps(&mesh, &shuffled, &config).expect("good settings"), links);
    assert_eq!(find_jumps(&mesh, &TriangleSoup::default(), &config).expect("good settings").len(), 2);
    for bad in [f32::NAN, -1.0, f32::INFINITY] {
        let error = find_jumps(&mesh, &soup, &config.with_max_drop(bad)).expect_err("no length");
        assert!(error.to_string().contains("jumps.max_drop is"), "{error}");
    }
    assert_eq!(config.with_spacing(0.0).validate().expect_err("no spacing").field, "jumps.spacing");
    assert!(mesh.polygon(PolyId(0)).is_some());
}
