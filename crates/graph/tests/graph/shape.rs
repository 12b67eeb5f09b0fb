//! Tests of the tables of a mesh.

use glam::Vec3;
use waymesh_core::{Agent, AreaId, BadField, PolyId, RegionId, Validate, VertexId};
use waymesh_graph::{IslandId, NavMesh, NavMeshError};

use crate::meshes::{Builder, bumpy_surface, frame, from_map, navmesh, random_flat, spiral};

fn rows(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn a_mesh_is_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<NavMesh>();
}

#[test]
fn a_mesh_gives_back_the_polygons_it_was_made_of() {
    for seed in 0..20 {
        let polygons = random_flat(seed);
        let mesh = navmesh(polygons.clone());
        assert_eq!(mesh.poly_mesh(), polygons);
        assert_eq!(mesh.portal_count(), polygons.portal_count());
        assert!((mesh.area() - polygons.area()).abs() < 1e-6);
        assert!(mesh.validate().is_ok());
        for view in mesh.polygons() {
            assert_eq!(view.corners(), polygons.corners(view.id()));
            assert!(view.neighbours().eq(polygons.neighbours(view.id()).iter().copied()));
            assert_eq!(view.region(), RegionId(0));
            assert!(view.area() > 0.0);
        }
    }
}

#[test]
fn islands_are_numbered_by_their_first_polygons_and_know_their_area() {
    let polygons = from_map(&rows("..#. ..#. ###. ...."), 3, frame(Vec3::ZERO), |_, _| 0.0);
    let mesh = navmesh(polygons);
    let [west, east] = mesh.islands() else { panic!("two islands") };
    assert_eq!(west.first, PolyId(0));
    assert!(west.first < east.first);
    // Squares of 8 cells of 0.5 m.
    assert!((west.area - 4.0 * 16.0).abs() < 1e-9 && (east.area - 7.0 * 16.0).abs() < 1e-9);
    assert_eq!((west.polygons + east.polygons) as usize, mesh.polygon_count());
    assert_eq!(mesh.island_of(west.first), Some(IslandId(0)));
    assert_eq!(mesh.island_of(PolyId(mesh.polygon_count() as u32)), None);
    assert!(!mesh.same_island(west.first, east.first));
    assert!(mesh.same_island(east.first, east.first));
    assert!(!mesh.same_island(PolyId(99_999), PolyId(99_999)));
}

#[test]
fn an_empty_mesh_has_nothing_and_finds_nothing() {
    let mesh = navmesh(Builder::default().build(frame(Vec3::ZERO)));
    assert_eq!((mesh.polygon_count(), mesh.islands().len(), mesh.portal_count()), (0, 0, 0));
    assert_eq!(mesh.nearest(Vec3::ZERO, &mesh.default_reach()), None);
    assert!(mesh.polygon(PolyId(0)).is_none());
}

#[test]
fn a_bent_polygon_a_one_sided_neighbour_and_a_bad_agent_are_refused() {
    let mut bent = Builder::default();
    let corners = [(0, 0), (8, 0), (2, 2), (0, 8)].map(|(x, z)| bent.vertex(x, z, 0, 0.0)).to_vec();
    bent.polygon(corners, AreaId::GROUND);
    assert!(matches!(NavMesh::try_from(bent.build(frame(Vec3::ZERO))), Err(NavMeshError::Polygons(_))));

    let mut polygons = random_flat(1);
    let portal = polygons.neighbours.iter().position(Option::is_some).unwrap();
    polygons.neighbours[portal] = None;
    assert!(matches!(NavMesh::try_from(polygons), Err(NavMeshError::Polygons(_))));

    let agent = Agent::default().with_height(0.0);
    assert!(matches!(NavMesh::new(random_flat(1), None, agent), Err(NavMeshError::BadField(_))));
}

#[test]
fn numbers_beyond_their_limits_are_named() {
    let mut polygons = random_flat(1);
    polygons.vertices[3].point.x = (1 << 30) + 1;
    let error = NavMesh::try_from(polygons).unwrap_err();
    assert_eq!(error.to_string(), "entry 3 of vertex_x is 1073741825, the limit is 1073741824");

    let mut polygons = random_flat(1);
    polygons.vertices[2].height = f32::NAN;
    let error = NavMesh::try_from(polygons).unwrap_err();
    assert_eq!(error.to_string(), "entry 2 of vertex_height is NaN, not a finite number of metres");

    let mut polygons = random_flat(1);
    polygons.frame.cell_size = 0.0;
    assert!(matches!(
        NavMesh::try_from(polygons),
        Err(NavMeshError::BadField(BadField { field: "cell_size", .. }))
    ));

    let mut polygons = random_flat(1);
    polygons.corners.push(VertexId(0));
    polygons.neighbours.push(None);
    assert!(matches!(NavMesh::try_from(polygons), Err(NavMeshError::TableLength { .. })));
}

#[test]
fn a_surface_that_does_not_fill_its_polygons_is_refused() {
    let polygons = random_flat(4);
    let mut surface = bumpy_surface(&polygons, 0.0);
    assert!(NavMesh::new(polygons.clone(), Some(surface.clone()), Agent::default()).is_ok());
    surface.triangles[0].swap(0, 1);
    let error = NavMesh::new(polygons, Some(surface), Agent::default());
    assert!(matches!(error, Err(NavMeshError::Surface(_))));
}

#[test]
fn a_spiral_is_one_island_over_itself() {
    let mesh = navmesh(spiral(3, 1.0));
    assert_eq!(mesh.polygon_count(), 48);
    assert_eq!(mesh.islands().len(), 1);
    assert_eq!(mesh.portal_count(), 47);
}

#[test]
fn height_comes_from_the_surface_if_there_is_one() {
    let polygons = from_map(&rows("."), 8, frame(Vec3::ZERO), |_, _| 4.0);
    let surface = bumpy_surface(&polygons, 2.0);
    let plain = navmesh(polygons.clone());
    let bumpy = NavMesh::new(polygons, Some(surface), Agent::default()).unwrap();
    for view in plain.polygons() {
        let middle = view.positions().sum::<Vec3>() / view.corners().len() as f32;
        assert!((plain.height_in_polygon(view.id(), middle).unwrap() - 1.0).abs() < 1e-5);
        assert!((bumpy.height_in_polygon(view.id(), middle).unwrap() - 1.5).abs() < 1e-5);
        for corner in view.positions() {
            assert!((bumpy.height_in_polygon(view.id(), corner).unwrap() - 1.0).abs() < 1e-5);
        }
    }
    assert_eq!(plain.height_in_polygon(PolyId(1000), Vec3::ZERO), None);
    assert_eq!(plain.height_in_polygon(PolyId(0), Vec3::NAN), None);
}
