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
    let surface = HeightSurface {
        points: Vec::new(),
        triangles: Vec::new(),
        polygon_triangles: vec![0],
        max_error: 0.0,
    };
    let mut ground = Ground { set, lattice, faces, mesh, surface };
    let mut flattened = 0;
    for (index, face) in faces.faces.iter().enumerate() {
        let polygon = PolyId::from_index(index);
        let start = [ground.surface.points.len(), ground.surface.triangles.len()];
        let has_detail = ground.push_detail(face);
        if has_detail && (!face.is_whole || !ground.fills(start[1], polygon)) {
            ground.cut_to(polygon, start);
        }
        if !ground.fills(start[1], polygon) {
            flattened += usize::from(has_detail);
            ground.surface.points.truncate(start[0]);
            ground.surface.triangles.truncate(start[1]);
            ground.push_polygon(polygon);
        }
        ground.surface.polygon_triangles.push(to_u32(ground.surface.triangles.len()));
    }
    Some((ground.surface, flattened))
}

struct Ground<'a> {
    set: &'a TileSet,
    lattice: &'a Lattice,
    faces: &'a Faces,
    mesh: &'a PolyMesh,
    surface: HeightSurface,
}

impl Ground<'_> {
    /// Adds the detail mesh of a face; the whole detail mesh of the polygon if the face is a part of
    /// it. Returns `false` if its polygon has none.
    fn push_detail(&mut self, face: &Face) -> bool {
        let tile: &Tile = &self.set.tiles[face.tile as usize];
        let Some(detail) = tile.details.get(face.polygon as usize) else { return false };
        let corners = tile.polygons[face.polygon as usize].corners();
        let level = self.mesh.frame.level_height;
        let base = to_u32(self.surface.points.len());
        let first = self.faces.first_vertex[face.tile as usize];
        let plan = corners.iter().map(|&corner| self.faces.point(first + u32::from(corner)));
        for (&corner, PlanPoint { x, z }) in corners.iter().zip(plan.clone()) {
            let height = tile.vertices[usize::from(corner)][1] / level;
            self.surface.points.push(surface_point(x, height, z));
        }
        let vertices = tile.detail_vertices.iter().skip(detail.first_vertex as usize);
        for &vertex in vertices.take(usize::from(detail.vertices)) {
            let place = onto_edge(self.lattice.place(vertex), plan.clone(), self.lattice.beside_edge());
            let [x, z] = place.map(nearest_f32);
            self.surface.points.push(SurfacePoint { x, height: vertex[1] / level, z });
        }
        let first = detail.first_triangle as usize;
        let triangles = &tile.detail_triangles[first..first + usize::from(detail.triangles)];
        let triangles: Vec<[u32; 3]> =
            triangles.iter().map(|&[a, b, c, _]| [a, b, c].map(|point| base + u32::from(point))).collect();
        // Detour's polygons and ours wind in opposite directions, but a file may have either.
        let is_reversed = triangles.iter().map(|&triangle| self.doubled(triangle)).sum::<f64>() < 0.0;
        let upright = triangles.iter().map(|&[a, b, c]| if is_reversed { [a, c, b] } else { [a, b, c] });
        let upright: Vec<[u32; 3]> = upright.filter(|&triangle| self.doubled(triangle) > 0.0).collect();
        self.surface.triangles.extend(upright);
        true
    }

    /// Cuts the ground from some points and triangles on to a polygon.
    fn cut_to(&mut self, polygon: PolyId, [first_point, first_triangle]: [usize; 2]) {
        let corners = self.mesh.corners(polygon).iter();
        let corners: Vec<PlanPoint> =
            corners.map(|corner| self.mesh.vertices[corner.index()].point).collect();
        let points = self.surface.points.split_off(first_point);
        for triangle in self.surface.triangles.split_off(first_triangle) {
            let triangle = triangle.map(|point| {
                let SurfacePoint { x, height, z } = points[point as usize - first_point];
                [x, height, z].map(f64::from)
            });
            let part = clip(triangle, &corners, self.lattice.beside_edge());
            self.push_fan(part.iter().map(|point| {
                let [x, height, z] = point.map(nearest_f32);
                SurfacePoint { x, height, z }
            }));
        }
    }

    /// Returns `true` if the triangles from `first` on fill a polygon.
    fn fills(&self, first: usize, polygon: PolyId) -> bool {
        let triangles = &self.surface.triangles[first..];
        let sum: f64 = triangles.iter().map(|&triangle| self.doubled(triangle)).sum();
        let expected = self.mesh.doubled_area(polygon) as f64;
        (sum - expected).abs() <= expected * SHARE + MAX_DIFFERENCE
    }

    /// Adds the polygon itself.
    fn push_polygon(&mut self, polygon: PolyId) {
        let mesh = self.mesh;
        self.push_fan(mesh.corners(polygon).iter().map(|corner| {
            let vertex = &mesh.vertices[corner.index()];
            surface_point(vertex.point.x, vertex.height, vertex.point.z)
        }));
    }

    /// Adds a convex polygon without its triangles that have no area.
    fn push_fan(&mut self, points: impl Iterator<Item = SurfacePoint>) {
        let base = to_u32(self.surface.points.len());
        self.surface.points.extend(points);
        let count = to_u32(self.surface.points.len()) - base;
        for last in 2..count {
            let triangle = [base, base + last - 1, base + last];
            if self.doubled(triangle) > 0.0 {
                self.surface.triangles.push(triangle);
            }
        }
    }

    /// Returns twice the area of a triangle, computed as in a mesh.
    fn doubled(&self, triangle: [u32; 3]) -> f64 {
        let [a, b, c] = triangle.map(|point| self.surface.points[point as usize]);
        f64::from(b.x - a.x) * f64::from(c.z - a.z) - f64::from(b.z - a.z) * f64::from(c.x - a.x)
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

fn surface_point(x: i32, height: f32, z: i32) -> SurfacePoint {
    let [x, z] = [x, z].map(|number| nearest_f32(f64::from(number)));
    SurfacePoint { x, height, z }
}
