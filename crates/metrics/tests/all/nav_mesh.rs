//! A `NavMesh`, with its own path search.

#![allow(clippy::unwrap_used, reason = "tests")]

use crate::common;
use common::{agent, near, pillar};
use glam::Vec3;
use waymesh_core::{
    AreaId, GridFrame, HeightSurface, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId, SurfacePoint,
    VertexId,
};
use waymesh_graph::{Link, LinkEnd, LinkKind, NavMesh};

/// The eight squares around the pillar, on a grid of half metres.
fn polygons() -> PolyMesh {
    let frame = GridFrame { origin: Vec3::ZERO, cell_size: 0.5, level_height: 0.2, width: 20, depth: 20 };
    let lines = [1, 7, 13, 19];
    let vertices = lines
        .iter()
        .flat_map(|&z| lines.map(|x| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }))
        .collect();
    let squares = [(0_u32, 0_u32), (1, 0), (2, 0), (0, 1), (2, 1), (0, 2), (1, 2), (2, 2)];
    let at = |x: Option<u32>, z: Option<u32>| {
        let square = (x?, z?);
        squares.iter().position(|&other| other == square).map(PolyId::from_index)
    };
    let mut mesh = PolyMesh { frame, vertices, polygons: vec![], corners: vec![], neighbours: vec![] };
    for (x, z) in squares {
        let first = u32::try_from(mesh.corners.len()).unwrap();
        mesh.polygons.push(Poly { first, len: 4, region: RegionId(0), area: AreaId::GROUND });
        let corner = z * 4 + x;
        mesh.corners.extend([corner, corner + 1, corner + 5, corner + 4].map(VertexId));
        let (x, z) = (Some(x), Some(z));
        let (less, more) = (|v: Option<u32>| v?.checked_sub(1), |v: Option<u32>| Some(v? + 1));
        mesh.neighbours.extend([at(x, less(z)), at(more(x), z), at(x, more(z)), at(less(x), z)]);
    }
    mesh
}

fn surface(mesh: &PolyMesh, height: f32) -> HeightSurface {
    let point =
        |vertex: &PlanVertex| SurfacePoint { x: vertex.point.x as f32, height, z: vertex.point.z as f32 };
    let corners = mesh.corners.chunks(4).map(|corners| [0, 1, 2, 3].map(|index: usize| corners[index].0));
    HeightSurface {
        points: mesh.vertices.iter().map(point).collect(),
        triangles: corners.flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
        polygon_triangles: (0..=8).map(|polygon| polygon * 2).collect(),
        max_error: 0.0,
    }
}

#[test]
fn our_mesh_is_judged_with_its_paths() {
    let oracle = pillar().oracle();
    let mesh = NavMesh::new(polygons(), None, agent()).unwrap();
    let found = oracle.evaluate_nav_mesh(&mesh, Some(1234)).evaluation;
    assert_eq!((found.excess.total, found.polygons, found.portals), (Some(0.0), 8, 8));
    assert_eq!((found.violations, found.t_junctions, found.vertices_off_border), (0, 0, 0));
    assert_eq!(found.bytes_file, Some(1234));
    assert!(found.bytes_memory > Some(1000));
    let paths = found.paths;
    assert_eq!((paths.pairs, paths.wrongly_missing), (300, 0));
    assert!(paths.excess_length.mean > Some(-1e-6) && paths.excess_length.max < Some(0.1));
    near(paths.min_wall_distance, 0.5, 0.05);
    // There is no path only to the top of the pillar, which is out of reach.
    assert!(paths.found > 270 && paths.wrongly_found == 0);
}

#[test]
fn the_height_surface_is_the_ground() {
    let oracle = pillar().oracle();
    let polygons = polygons();
    let heights = surface(&polygons, 0.5);
    let mesh = NavMesh::new(polygons, Some(heights), agent()).unwrap();
    let found = oracle.evaluate_nav_mesh(&mesh, None).evaluation;
    near(found.height_error.mean, 0.1, 1e-5);
    near(found.height_error.max, 0.1, 1e-5);
    assert_eq!(found.violations, 0);
}

/// The judge knows no ways but on foot: it does not deny a jump, and does not compare its length.
#[test]
fn paths_over_links_are_not_denied() {
    let oracle = pillar().oracle();
    let mut mesh = polygons();
    let (first, vertex) = (u32::try_from(mesh.corners.len()).unwrap(), mesh.vertices.len());
    let top = [[9, 9], [11, 9], [11, 11], [9, 11]];
    mesh.vertices.extend(top.map(|[x, z]| PlanVertex { point: PlanPoint::new(x, z), height: 15.0 }));
    mesh.corners.extend((vertex..vertex + 4).map(VertexId::from_index));
    mesh.neighbours.extend([None; 4]);
    mesh.polygons.push(Poly { first, len: 4, region: RegionId(1), area: AreaId::GROUND });
    let end = |polygon: u32, x: i32, z: i32, height: f32| LinkEnd {
        polygon: PolyId(polygon),
        ends: [PlanVertex { point: PlanPoint::new(x, z), height }; 2],
    };
    let jump = Link::new(end(1, 10, 7, 0.0), end(8, 10, 9, 15.0), LinkKind::Jump);
    let mesh = NavMesh::new(mesh, None, agent()).unwrap().with_links(vec![jump]).unwrap();
    let paths = oracle.evaluate_nav_mesh(&mesh, None).evaluation.paths;
    assert_eq!((paths.found, paths.wrongly_found, paths.wrongly_missing), (300, 0, 0));
    assert!(paths.excess_length.mean > Some(-1e-6) && paths.excess_length.max < Some(0.1));
}

/// Half of the ring around the pillar has no edge to the other half: steps join them, jumps do not.
#[test]
fn steps_join_what_an_agent_walks() {
    let oracle = pillar().oracle();
    let mut mesh = polygons();
    let west = [0, 3, 5];
    for (corner, other) in mesh.neighbours.iter_mut().enumerate() {
        let is_west = |polygon: usize| west.contains(&polygon);
        *other = other.filter(|other| is_west(corner / 4) == is_west(other.index()));
    }
    let raised = |polygon: u32, x: i32, height: f32| LinkEnd {
        polygon: PolyId(polygon),
        ends: [1, 7].map(|z| PlanVertex { point: PlanPoint::new(x, z), height }),
    };
    let end = |polygon: u32, x: i32| raised(polygon, x, 0.0);
    let apart = NavMesh::new(mesh, None, agent()).unwrap();
    let judge = |mesh: &NavMesh| oracle.evaluate_nav_mesh(mesh, None).evaluation.connectivity;
    let without = judge(&apart);
    assert!(without.missed_links > 50, "{without:?}");
    let step = Link::new(end(0, 7), end(1, 7), LinkKind::Step);
    let jump = Link::new(end(0, 7), end(1, 8), LinkKind::Jump);
    // Over treads that overlap, and up a ledge.
    let tread = Link::new(end(0, 7), end(1, 8), LinkKind::Step);
    let ledge = Link::new(end(0, 7), raised(1, 8, 1e3), LinkKind::Step);
    let (closed, one_way) = (Link { is_open: false, ..step }, Link { both_ways: false, ..step });
    for (link, is_joined) in
        [(step, true), (tread, true), (jump, false), (ledge, false), (closed, false), (one_way, false)]
    {
        let found = judge(&apart.clone().with_links(vec![link]).unwrap());
        let missed = if is_joined { 0 } else { without.missed_links };
        assert_eq!((found.missed_links, found.false_links, found.islands), (missed, 0, 2), "{found:?}");
    }
}
