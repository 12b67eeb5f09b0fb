//! Flat meshes of convex polygons in the format of the Polyanya authors.

use std::collections::HashMap;

use glam::Vec3;
use waymesh_core::{
    AreaId, GridFrame, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, Random, RegionId, VertexId,
    saturating_i32,
};

/// Reads a mesh of version 2 with whole numbers: a unit is one cell, and vertices at the same place
/// become one vertex. Neighbours are the polygons with the same edge; the file's neighbours are
/// ignored. Returns `None` if the text is not such a file.
#[must_use]
pub fn read(text: &str) -> Option<PolyMesh> {
    let mut words = text.split_whitespace();
    if (words.next()?, words.next()?) != ("mesh", "2") {
        return None;
    }
    let mut next = || words.next()?.parse::<i32>().ok();
    let (vertices, count) = (next()?, next()?);
    let mut points = Vec::new();
    for _ in 0..vertices {
        points.push(PlanPoint::new(next()?, next()?));
        for _ in 0..next()? {
            next()?;
        }
    }
    let mut polygons = Vec::new();
    for _ in 0..count {
        let sides = next()?;
        let mut corners = Vec::new();
        for _ in 0..sides {
            corners.push(*points.get(usize::try_from(next()?).ok()?)?);
        }
        for _ in 0..sides {
            next()?;
        }
        polygons.push(corners);
    }
    Some(build(&polygons))
}

/// Joins polygons to a flat mesh with cells of one metre.
#[must_use]
pub fn build(polygons: &[Vec<PlanPoint>]) -> PolyMesh {
    let origin = Vec3::ZERO;
    let frame = GridFrame { origin, cell_size: 1.0, level_height: 1.0, width: 2048, depth: 2048 };
    let mut mesh = PolyMesh::empty(frame);
    let mut names = HashMap::new();
    let mut edges = HashMap::new();
    for (index, polygon) in polygons.iter().enumerate() {
        let first = VertexId::from_index(mesh.corners.len()).0;
        for &point in polygon {
            let id = *names.entry((point.x, point.z)).or_insert_with(|| {
                mesh.vertices.push(PlanVertex { point, height: 0.0 });
                VertexId::from_index(mesh.vertices.len() - 1)
            });
            mesh.corners.push(id);
        }
        let corners = &mesh.corners[first as usize..];
        for (corner, &from) in corners.iter().enumerate() {
            edges.insert((from, corners[(corner + 1) % corners.len()]), PolyId::from_index(index));
        }
        let len = VertexId::from_index(polygon.len()).0;
        mesh.polygons.push(Poly { first, len, region: RegionId(0), area: AreaId::GROUND });
    }
    for polygon in (0..polygons.len()).map(PolyId::from_index) {
        let corners = mesh.corners(polygon);
        let next = corners.iter().cycle().skip(1);
        let beyond: Vec<_> = corners.iter().zip(next).map(|(&a, &b)| edges.get(&(b, a)).copied()).collect();
        mesh.neighbours.extend(beyond);
    }
    mesh
}

/// Makes a crooked chessboard, `side` squares wide and deep, each of about ten grid cells. A share
/// of the squares is blocked, which gives walls at all angles and corners that only touch.
#[must_use]
pub fn crooked(seed: u64, side: u16, blocked: f64) -> PolyMesh {
    let mut random = Random::new(seed);
    let mut shift = || saturating_i32(f64::from(random.unit()) * 5.0) - 2;
    let mut row = |x: u16| -> Vec<PlanPoint> {
        (0..=side).map(|z| PlanPoint::new(10 * i32::from(x) + shift(), 10 * i32::from(z) + shift())).collect()
    };
    let points: Vec<Vec<PlanPoint>> = (0..=side).map(&mut row).collect();
    let mut random = Random::new(seed ^ 0xb10c);
    let mut squares = Vec::new();
    for columns in points.windows(2) {
        for (near, far) in columns[0].windows(2).zip(columns[1].windows(2)) {
            if f64::from(random.unit()) >= blocked {
                squares.push(vec![near[0], far[0], far[1], near[1]]);
            }
        }
    }
    build(&squares)
}

/// A crooked chessboard ([`crooked`]) anywhere in the world, flat or hilly.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// The seed of the squares.
    pub seed: u64,
    /// The number of squares in each direction.
    pub side: u16,
    /// The share of the squares that are blocked.
    pub blocked: f64,
    /// The origin of the frame.
    pub origin: Vec3,
    /// The cell size, in metres.
    pub cell_size: f32,
    /// The height of the highest vertices above the lowest ones, in metres.
    pub hills: f32,
    /// The share of the edges between two squares that join no neighbours.
    pub seams: f64,
    /// The share of the squares that are of [`Board::ROUGH_AREA`].
    pub rough: f64,
}

impl Board {
    /// The area of rough ground.
    pub const ROUGH_AREA: AreaId = AreaId(7);

    /// Draws a board of 2 to 11 squares a side. Half of the boards are within 40 m of the origin,
    /// half of them within 12 km, where positions are rounded to a millimetre.
    #[must_use]
    pub fn random(random: &mut Random) -> Self {
        let side = 2 + u16::try_from(random.below(10)).unwrap_or(0);
        let far = [40.0, 12_000.0][random.index(2)];
        Self {
            seed: random.bits(),
            side,
            blocked: f64::from(random.range(0.0, 0.55)),
            origin: Vec3::new(random.range(-far, far), -3.7, random.range(-far, far)),
            cell_size: [0.05, 0.1, 0.3, 0.7, 1.0][random.index(5)],
            hills: if random.chance(0.25) { 0.0 } else { random.range(0.0, 3.0) },
            seams: if random.chance(0.5) { 0.0 } else { f64::from(random.range(0.0, 0.6)) },
            rough: if random.chance(0.5) { 0.0 } else { f64::from(random.range(0.0, 0.4)) },
        }
    }

    /// Builds the mesh, which may have no polygons.
    #[must_use]
    pub fn build(&self) -> PolyMesh {
        let mut mesh = crooked(self.seed, self.side, self.blocked);
        mesh.frame.origin = self.origin;
        mesh.frame.cell_size = self.cell_size;
        for (index, vertex) in mesh.vertices.iter_mut().enumerate() {
            vertex.height = self.hills * [0.0, 0.5, 1.0, 0.25, 0.75][index % 5];
        }
        let is_drawn = |share: f64, a: u32, b: u32| {
            let mixed = Random::mix(self.seed ^ (u64::from(a) << 32 | u64::from(b)));
            f64::from(Random::new(mixed).unit()) < share
        };
        for polygon in 0..mesh.polygons.len() {
            let poly = &mut mesh.polygons[polygon];
            let (id, first) = (PolyId::from_index(polygon).0, poly.first as usize);
            if is_drawn(self.rough, id, id) {
                poly.area = Self::ROUGH_AREA;
            }
            for neighbour in &mut mesh.neighbours[first..first + poly.len as usize] {
                *neighbour =
                    neighbour.filter(|other| !is_drawn(self.seams, id.min(other.0), id.max(other.0)));
            }
        }
        mesh
    }
}
