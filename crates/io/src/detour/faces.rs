//! The polygons of tiles, made convex and positive on a grid.

use waymesh_core::{DisjointSets, PlanPoint, checkpoint_every, to_u32};

use super::lattice::Lattice;
use super::report::DetourReport;
use super::tile::{AT_BORDER, MAX_CORNERS, TileSet};

/// The neighbour beyond an edge, according to the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Beyond {
    /// A wall or drop.
    #[default]
    Nothing,
    /// A polygon of the same tile, by its number among those of all tiles; the polygon itself at an
    /// edge between its own triangles.
    Polygon(u32),
    /// Another tile, on this side.
    Tile(u8),
}

/// A convex and positive polygon, or a triangle of one that was not convex.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Face {
    pub(super) tile: u32,
    /// Its polygon in the tile.
    pub(super) polygon: u32,
    /// Its polygon among those of all tiles.
    pub(super) number: u32,
    /// `true` if it is all of that polygon.
    pub(super) is_whole: bool,
    pub(super) count: u8,
    corners: [u32; MAX_CORNERS],
    beyond: [Beyond; MAX_CORNERS],
}

impl Face {
    /// Its vertices among those of all tiles.
    pub(super) fn corners(&self) -> &[u32] {
        &self.corners[..usize::from(self.count)]
    }

    fn with(mut self, corners: &[(u32, Beyond)]) -> Self {
        self.count = u8::try_from(corners.len()).unwrap_or(u8::MAX);
        for (index, &(vertex, beyond)) in corners.iter().enumerate() {
            (self.corners[index], self.beyond[index]) = (vertex, beyond);
        }
        self
    }

    pub(super) fn beyond(&self, edge: usize) -> Beyond {
        self.beyond[edge]
    }

    /// Vertices at both ends of an edge.
    pub(super) fn edge(&self, edge: usize) -> [u32; 2] {
        let corners = self.corners();
        [corners[edge], corners[(edge + 1) % corners.len()]]
    }
}

/// Faces over the vertices of all tiles.
#[derive(Debug, Default)]
pub(super) struct Faces {
    pub(super) points: Vec<PlanPoint>,
    /// Per tile its first vertex.
    pub(super) first_vertex: Vec<u32>,
    /// Heights of the vertices in metres.
    pub(super) heights: Vec<f32>,
    /// Sets of vertices that are merged.
    pub(super) sets: DisjointSets,
    pub(super) faces: Vec<Face>,
    /// Per polygon of all tiles its first face, and the number of faces at the end.
    pub(super) first_face: Vec<u32>,
    /// `true` for polygons that would be ground but have no area.
    pub(super) is_flat: Vec<bool>,
    /// Counts of the contents so far.
    pub(super) report: DetourReport,
}

impl Faces {
    pub(super) fn of(set: &TileSet, lattice: &Lattice) -> Self {
        let vertices = || set.tiles.iter().flat_map(|tile| &tile.vertices);
        let mut points: Vec<PlanPoint> = vertices().map(|&vertex| lattice.point(vertex)).collect();
        lattice.align_borders(set, &mut points);
        let mut faces = Self {
            sets: DisjointSets::new(points.len()),
            points,
            heights: vertices().map(|vertex| vertex[1]).collect(),
            first_face: vec![0],
            ..Self::default()
        };
        let (mut first_vertex, mut first_polygon) = (0, 0);
        for (number, tile) in set.tiles.iter().enumerate() {
            faces.first_vertex.push(first_vertex);
            for (index, polygon) in tile.polygons.iter().enumerate() {
                checkpoint_every(1 << 10, index);
                let is_open = polygon.flags != 0;
                faces.report.polygons += usize::from(polygon.is_ground);
                faces.report.closed += usize::from(polygon.is_ground && !is_open);
                let mut is_flat = false;
                if polygon.is_ground && is_open {
                    let corners = polygon.corners().iter().map(|&corner| first_vertex + u32::from(corner));
                    let beyond = polygon.neighbours().iter().map(|&neighbour| match neighbour {
                        0 => Beyond::Nothing,
                        border if border & AT_BORDER != 0 => Beyond::Tile(border.to_le_bytes()[0]),
                        polygon => Beyond::Polygon(first_polygon + u32::from(polygon) - 1),
                    });
                    let loop_: Vec<_> = corners.zip(beyond).collect();
                    let face = Face {
                        tile: to_u32(number),
                        polygon: to_u32(index),
                        number: first_polygon + to_u32(index),
                        ..Face::default()
                    };
                    is_flat = !faces.push(face, &loop_);
                }
                faces.report.flat += usize::from(is_flat);
                faces.is_flat.push(is_flat);
                faces.first_face.push(to_u32(faces.faces.len()));
            }
            first_vertex += to_u32(tile.vertices.len());
            first_polygon += to_u32(tile.polygons.len());
        }
        faces
    }

    /// Adds a polygon. Returns `false` if it has no area.
    fn push(&mut self, face: Face, corners: &[(u32, Beyond)]) -> bool {
        let count = corners.len();
        let mut kept = Vec::with_capacity(count);
        for (index, &(vertex, beyond)) in corners.iter().enumerate() {
            let (next, _) = corners[(index + 1) % count];
            if self.point(vertex) == self.point(next) {
                self.sets.unite(vertex, next);
            } else {
                kept.push((vertex, beyond));
            }
        }
        let area = PlanPoint::doubled_area(kept.iter().map(|&(vertex, _)| self.point(vertex)));
        if kept.len() < 3 || area == 0 {
            return false;
        }
        if area < 0 {
            // The edge from a corner now leads to the previous corner.
            kept.reverse();
            let mut beyond: Vec<Beyond> = kept.iter().map(|corner| corner.1).collect();
            beyond.rotate_left(1);
            kept.iter_mut().zip(beyond).for_each(|(corner, beyond)| corner.1 = beyond);
        }
        let first = self.faces.len();
        if self.is_convex(&kept) {
            self.faces.push(Face { is_whole: true, ..face }.with(&kept));
        } else if self.push_triangles(face, kept) {
            self.report.parted += 1;
        } else {
            self.faces.truncate(first);
            self.report.flat += 1;
        }
        true
    }

    pub(super) fn point(&self, vertex: u32) -> PlanPoint {
        self.points[vertex as usize]
    }

    fn orientation(&self, a: u32, b: u32, c: u32) -> i64 {
        PlanPoint::orientation(self.point(a), self.point(b), self.point(c))
    }

    /// Returns `true` if a mesh accepts the corners as a convex polygon.
    fn is_convex(&self, corners: &[(u32, Beyond)]) -> bool {
        let count = corners.len();
        let at = |index: usize| corners[index % count].0;
        let ascends = |index: usize| {
            let (a, b) = (self.point(at(index)), self.point(at(index + 1)));
            (b.x, b.z) > (a.x, a.z)
        };
        let turns = (0..count).filter(|&index| ascends(index) != ascends(index + 1)).count();
        turns == 2 && (0..count).all(|index| self.orientation(at(index), at(index + 1), at(index + 2)) >= 0)
    }

    /// Triangulates by cutting ears. Returns `false` if no ear is left.
    fn push_triangles(&mut self, face: Face, mut rest: Vec<(u32, Beyond)>) -> bool {
        while rest.len() >= 3 {
            let count = rest.len();
            let ear = (0..count).find(|&ear| {
                let [a, b, c] = [0, 1, 2].map(|step| rest[(ear + step) % count].0);
                let covers = |other: u32| {
                    self.orientation(a, b, other) >= 0
                        && self.orientation(b, c, other) >= 0
                        && self.orientation(c, a, other) >= 0
                };
                let others = (3..count).map(|step| rest[(ear + step) % count].0);
                self.orientation(a, b, c) > 0 && !others.into_iter().any(covers)
            });
            let Some(ear) = ear else { return false };
            let [a, b, c] = [0, 1, 2].map(|step| rest[(ear + step) % count]);
            let cut = Beyond::Polygon(face.number);
            self.faces.push(face.with(&[a, b, (c.0, if count > 3 { cut } else { c.1 })]));
            if count == 3 {
                return true;
            }
            rest[ear] = (a.0, cut);
            rest.remove((ear + 1) % count);
        }
        true
    }
}
