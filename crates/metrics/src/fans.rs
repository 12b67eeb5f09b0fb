//! Fans: the connected groups of polygons around each vertex, with borders and notches.

use crate::mesh::{JudgedMesh, weld};
use crate::scene::plan;
use waymesh_core::{DisjointSets, float, to_u32};

/// A corner whose angle exceeds half a turn by less than this is straight. Radians.
const STRAIGHT: f64 = 1e-3;

/// The polygons around a vertex that are joined over edges at it. A vertex at which parts of the
/// mesh only touch has several fans.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fan {
    /// Sum of the polygons' angles there, in radians.
    pub(crate) angle: f64,
    pub(crate) is_on_border: bool,
    /// One of its corners: the polygon, and the index of the corner.
    pub(crate) corner: (usize, usize),
}

impl Fan {
    /// `true` if the border has a reflex corner here.
    pub(crate) fn is_notch(&self) -> bool {
        self.is_on_border && self.angle > std::f64::consts::PI + STRAIGHT
    }

    /// `true` if a shortest path may touch the border here: at a notch, or on a line between two of
    /// them.
    pub(crate) fn may_turn(&self) -> bool {
        self.is_on_border && self.angle > std::f64::consts::PI - STRAIGHT
    }
}

/// The fans of a mesh, and its matching edges.
#[derive(Clone, Debug)]
pub(crate) struct Fans {
    /// First entry of each polygon in the tables of corners.
    first: Vec<usize>,
    /// Fan of each corner.
    of: Vec<usize>,
    /// For the edge at each corner, the edge of the neighbour between the same two places, if there
    /// is one.
    matches: Vec<Option<(usize, usize)>>,
    /// Place of each vertex.
    pub(crate) places: Vec<usize>,
    pub(crate) fans: Vec<Fan>,
    /// Polygons and corners of each fan.
    pub(crate) corners: Vec<Vec<(usize, usize)>>,
}

impl Fans {
    pub(crate) fn new(mesh: &JudgedMesh) -> Self {
        let places = weld(&mesh.vertices);
        let mut first = vec![0];
        for corners in &mesh.polygons {
            first.push(first[first.len() - 1] + corners.len());
        }
        let count = first[mesh.polygons.len()];
        let place = |polygon: usize, corner: usize| {
            let corners = &mesh.polygons[polygon];
            places[corners[corner % corners.len()] as usize]
        };
        let at = |polygon: usize, corner: usize| first[polygon] + corner % mesh.polygons[polygon].len();
        let mut matches = vec![None; count];
        let mut sets = DisjointSets::new(count);
        let mut unite = |one: usize, other: usize| sets.unite(to_u32(one), to_u32(other));
        for (polygon, beside) in mesh.neighbours.iter().enumerate() {
            for (edge, other) in beside.iter().enumerate() {
                let Some(other) = other.map(|other| other as usize) else { continue };
                let back = (0..mesh.polygons[other].len()).find(|&back| {
                    mesh.neighbours[other][back].is_some_and(|from| from as usize == polygon)
                        && place(other, back) == place(polygon, edge + 1)
                        && place(other, back + 1) == place(polygon, edge)
                });
                if let Some(back) = back.filter(|_| other != polygon) {
                    matches[first[polygon] + edge] = Some((other, back));
                    unite(at(polygon, edge), at(other, back + 1));
                    unite(at(polygon, edge + 1), at(other, back));
                }
            }
        }
        let mut of: Vec<usize> = sets.roots().into_iter().map(|root| root as usize).collect();
        let mut fans: Vec<Fan> = Vec::new();
        let mut corners: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut numbers = vec![usize::MAX; count];
        for polygon in 0..mesh.polygons.len() {
            let sides = mesh.polygons[polygon].len();
            for corner in 0..sides {
                let root = of[first[polygon] + corner];
                if numbers[root] == usize::MAX {
                    numbers[root] = fans.len();
                    fans.push(Fan { corner: (polygon, corner), ..Fan::default() });
                    corners.push(Vec::new());
                }
                let number = numbers[root];
                of[first[polygon] + corner] = number;
                corners[number].push((polygon, corner));
                let fan = &mut fans[number];
                fan.angle += corner_angle(mesh, polygon, corner);
                let before = first[polygon] + (corner + sides - 1) % sides;
                fan.is_on_border |= matches[first[polygon] + corner].is_none() || matches[before].is_none();
            }
        }
        Self { first, of, matches, places, fans, corners }
    }

    pub(crate) fn fan(&self, polygon: usize, corner: usize) -> usize {
        self.of[self.first[polygon] + corner]
    }

    /// The edge of the neighbour between the same two places as an edge.
    pub(crate) fn matching(&self, polygon: usize, edge: usize) -> Option<(usize, usize)> {
        self.matches[self.first[polygon] + edge]
    }

    /// The sum over the islands of `ceil(notches / 2) + 1 - holes`, at least one each.
    pub(crate) fn polygons_lower_bound(&self, mesh: &JudgedMesh) -> usize {
        let (islands, count) = mesh.islands();
        let mut notches = vec![0_usize; count];
        for fan in self.fans.iter().filter(|fan| fan.is_notch()) {
            notches[islands[fan.corner.0]] += 1;
        }
        // Loops of the border: each fan on it has one border edge that arrives and one that leaves.
        let mut sets = DisjointSets::new(self.fans.len());
        for (polygon, corners) in mesh.polygons.iter().enumerate() {
            for edge in (0..corners.len()).filter(|&edge| self.matching(polygon, edge).is_none()) {
                let ends = [edge, (edge + 1) % corners.len()].map(|corner| to_u32(self.fan(polygon, corner)));
                sets.unite(ends[0], ends[1]);
            }
        }
        let mut loops = vec![0_usize; count];
        for (fan, root) in sets.roots().into_iter().enumerate() {
            if self.fans[fan].is_on_border && root as usize == fan {
                loops[islands[self.fans[fan].corner.0]] += 1;
            }
        }
        (0..count)
            .map(|island| (notches[island].div_ceil(2) + 2).saturating_sub(loops[island].max(1)).max(1))
            .sum()
    }
}

/// Inner angle of a polygon at a corner in the plan, from 0 to a full turn. Radians.
pub(crate) fn corner_angle(mesh: &JudgedMesh, polygon: usize, corner: usize) -> f64 {
    let sides = mesh.polygons[polygon].len();
    let at = plan(mesh.corner(polygon, corner));
    let to = plan(mesh.corner(polygon, corner + 1)) - at;
    let from = plan(mesh.corner(polygon, corner + sides - 1)) - at;
    let angle = float::atan2(to.perp_dot(from), to.dot(from));
    if angle < 0.0 { angle + std::f64::consts::TAU } else { angle }
}
