//! The detail meshes of tiles as a height surface.

use waymesh_core::{HeightSurface, PlanPoint, PolyId, PolyMesh, SurfacePoint, float, nearest_f32, to_u32};

use super::faces::{Face, Faces};
use super::lattice::Lattice;
use super::pieces::clip;
use super::tile::{Tile, TileSet};

/// Largest difference between the areas of a polygon and its ground, as a fraction and in twice
/// square cells: a little less than a mesh allows.
const SHARE: f64 = 0.9e-4;
const MAX_DIFFERENCE: f64 = 0.018;

/// Returns the ground of all faces, and the number of those whose detail mesh does not fill them:
/// they are flat triangles. `None` if no tile has detail meshes.
pub(super) fn surface(
    set: &TileSet,
    lattice: &Lattice,
    faces: &Faces,
    mesh: &PolyMesh,
) -> Option<(HeightSurface, usize)> {
    if set.tiles.iter().all(|tile| tile.details.is_empty()) {
        return None;
    }
    let mut surface = HeightSurface {
        points: Vec::new(),
        triangles: Vec::new(),
        polygon_triangles: vec![0],
        max_error: 0.0,
    };
    let mut flattened = 0;
    for (index, face) in faces.faces.iter().enumerate() {
        let polygon = PolyId::from_index(index);
        let [points, triangles] = [surface.points.len(), surface.triangles.len()];
        let has_detail = push_detail(set, lattice, faces, mesh, face, &mut surface);
        if has_detail && (!face.is_whole || !fills(&surface, triangles, mesh.doubled_area(polygon))) {
            cut_to(mesh, polygon, lattice.beside_edge(), [points, triangles], &mut surface);
        }
        if !fills(&surface, triangles, mesh.doubled_area(polygon)) {
            flattened += usize::from(has_detail);
            surface.points.truncate(points);
            surface.triangles.truncate(triangles);
            push_polygon(mesh, polygon, &mut surface);
        }
        surface.polygon_triangles.push(to_u32(surface.triangles.len()));
    }
    Some((surface, flattened))
}

/// Adds the detail mesh of a face; the whole detail mesh of the polygon if the face is a part of
/// it. Returns `false` if its polygon has none.
fn push_detail(
    set: &TileSet,
    lattice: &Lattice,
    faces: &Faces,
    mesh: &PolyMesh,
    face: &Face,
    surface: &mut HeightSurface,
) -> bool {
    let tile: &Tile = &set.tiles[face.tile as usize];
    let Some(detail) = tile.details.get(face.polygon as usize) else { return false };
    let polygon = &tile.polygons[face.polygon as usize];
    let level = mesh.frame.level_height;
    let base = to_u32(surface.points.len());
    for &corner in polygon.corners() {
        let PlanPoint { x, z } = faces.point(faces.first_vertex[face.tile as usize] + u32::from(corner));
        let height = tile.vertices[usize::from(corner)][1] / level;
        surface.points.push(surface_point(x, height, z));
    }
    let first = detail.first_vertex as usize;
    for &vertex in tile.detail_vertices.iter().skip(first).take(usize::from(detail.vertices)) {
        let corners = polygon.corners().iter();
        let corners =
            corners.map(|&corner| faces.point(faces.first_vertex[face.tile as usize] + u32::from(corner)));
        let [x, z] = onto_edge(lattice.place(vertex), corners, lattice.beside_edge()).map(nearest_f32);
        surface.points.push(SurfacePoint { x, height: vertex[1] / level, z });
    }
    let first = detail.first_triangle as usize;
    let triangles = &tile.detail_triangles[first..first + usize::from(detail.triangles)];
    let doubled = |triangle: [u32; 3]| doubled_area(triangle.map(|point| surface.points[point as usize]));
    let triangles: Vec<[u32; 3]> =
        triangles.iter().map(|&[a, b, c, _]| [a, b, c].map(|point| base + u32::from(point))).collect();
    // Detour's polygons and ours wind in opposite directions, but a file may have either.
    let is_reversed = triangles.iter().map(|&triangle| doubled(triangle)).sum::<f64>() < 0.0;
    let upright = triangles.iter().map(|&[a, b, c]| if is_reversed { [a, c, b] } else { [a, b, c] });
    let upright: Vec<[u32; 3]> = upright.filter(|&triangle| doubled(triangle) > 0.0).collect();
    surface.triangles.extend(upright);
    true
}

/// Cuts the ground from some points and triangles on to a polygon.
fn cut_to(
    mesh: &PolyMesh,
    polygon: PolyId,
    on_line: f64,
    [first_point, first_triangle]: [usize; 2],
    surface: &mut HeightSurface,
) {
    let corners: Vec<PlanPoint> =
        mesh.corners(polygon).iter().map(|corner| mesh.vertices[corner.index()].point).collect();
    let points = surface.points.split_off(first_point);
    for triangle in surface.triangles.split_off(first_triangle) {
        let triangle = triangle.map(|point| {
            let SurfacePoint { x, height, z } = points[point as usize - first_point];
            [x, height, z].map(f64::from)
        });
        let part = clip(triangle, &corners, on_line);
        let points = part.iter().map(|point| {
            let [x, height, z] = point.map(nearest_f32);
            SurfacePoint { x, height, z }
        });
        push_fan(points, surface);
    }
}

/// Moves a point that single precision moved off an edge of its polygon back onto the edge:
/// otherwise the ground far from the origin would not fill the polygon.
fn onto_edge(
    [x, z]: [f64; 2],
    corners: impl ExactSizeIterator<Item = PlanPoint> + Clone,
    most: f64,
) -> [f64; 2] {
    let next = corners.clone().cycle().skip(1);
    let mut found = ([x, z], most);
    for (a, b) in corners.zip(next) {
        let [ax, az, bx, bz] = [a.x, a.z, b.x, b.z].map(f64::from);
        let ([dx, dz], [px, pz]) = ([bx - ax, bz - az], [x - ax, z - az]);
        let share = (px * dx + pz * dz) / (dx * dx + dz * dz);
        let foot = [ax + share * dx, az + share * dz];
        let off = float::hypot(foot[0] - x, foot[1] - z);
        if (0.0..=1.0).contains(&share) && off < found.1 {
            found = (foot, off);
        }
    }
    found.0
}

/// Returns `true` if the triangles from `first` on fill a polygon.
fn fills(surface: &HeightSurface, first: usize, doubled: i128) -> bool {
    let sum: f64 = surface.triangles[first..]
        .iter()
        .map(|triangle| doubled_area(triangle.map(|point| surface.points[point as usize])))
        .sum();
    let expected = doubled as f64;
    (sum - expected).abs() <= expected * SHARE + MAX_DIFFERENCE
}

/// Adds the polygon itself.
fn push_polygon(mesh: &PolyMesh, polygon: PolyId, surface: &mut HeightSurface) {
    let corners = mesh.corners(polygon).iter().map(|corner| {
        let vertex = &mesh.vertices[corner.index()];
        surface_point(vertex.point.x, vertex.height, vertex.point.z)
    });
    push_fan(corners, surface);
}

/// Adds a convex polygon without its triangles that have no area.
fn push_fan(points: impl Iterator<Item = SurfacePoint>, surface: &mut HeightSurface) {
    let base = to_u32(surface.points.len());
    surface.points.extend(points);
    let count = to_u32(surface.points.len()) - base;
    for last in 2..count {
        let triangle = [base, base + last - 1, base + last];
        if doubled_area(triangle.map(|point| surface.points[point as usize])) > 0.0 {
            surface.triangles.push(triangle);
        }
    }
}

fn surface_point(x: i32, height: f32, z: i32) -> SurfacePoint {
    let [x, z] = [x, z].map(|number| nearest_f32(f64::from(number)));
    SurfacePoint { x, height, z }
}

/// Returns twice the area, computed as in a mesh.
fn doubled_area([a, b, c]: [SurfacePoint; 3]) -> f64 {
    f64::from(b.x - a.x) * f64::from(c.z - a.z) - f64::from(b.z - a.z) * f64::from(c.x - a.x)
}
