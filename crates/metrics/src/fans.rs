//! What lies around each vertex: fans of cells, borders, notches.

use crate::components::Forest;
use crate::mesh::{JudgedMesh, weld};
use crate::scene::plan;

/// A corner with less than this angle above half a turn is straight. Radians.
const STRAIGHT: f64 = 1e-3;

/// The cells around a vertex that are joined over its edges. A vertex at which parts of the mesh merely touch has several.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fan {
    /// Sum of the cells' angles there, in radians.
    pub(crate) angle: f64,
    pub(crate) is_on_border: bool,
    /// A corner of it: cell and number of the corner.
    pub(crate) corner: (usize, usize),
}

impl Fan {
    /// Whether the border turns into the mesh here.
    pub(crate) fn is_notch(&self) -> bool {
        self.is_on_border && self.angle > std::f64::consts::PI + STRAIGHT
    }

    /// Whether a shortest way may touch the border here: at a notch, or in line with two of them.
    pub(crate) fn may_turn(&self) -> bool {
        self.is_on_border && self.angle > std::f64::consts::PI - STRAIGHT
    }
}

/// The fans of a mesh, and which edges match.
#[derive(Clone, Debug)]
pub(crate) struct Fans {
    /// First corner of each cell in the tables of corners.
    first: Vec<usize>,
    /// Fan of each corner.
    of: Vec<usize>,
    /// Beside each corner, the neighbour's edge between the same two places that leads back, if there is one.
    matches: Vec<Option<(usize, usize)>>,
    /// Place of each vertex.
    pub(crate) places: Vec<usize>,
    pub(crate) fans: Vec<Fan>,
    /// Cells and corners of each fan.
    pub(crate) corners: Vec<Vec<(usize, usize)>>,
}

impl Fans {
    pub(crate) fn new(mesh: &JudgedMesh) -> Self {
        let places = weld(&mesh.vertices);
        let mut first = vec![0];
        for corners in &mesh.cells {
            first.push(first[first.len() - 1] + corners.len());
        }
        let count = first[mesh.cells.len()];
        let place = |cell: usize, corner: usize| {
            let corners = &mesh.cells[cell];
            places[corners[corner % corners.len()] as usize]
        };
        let at = |cell: usize, corner: usize| first[cell] + corner % mesh.cells[cell].len();
        let mut matches = vec![None; count];
        let mut forest = Forest::new(count);
        for (cell, beside) in mesh.neighbours.iter().enumerate() {
            for (edge, other) in beside.iter().enumerate() {
                let Some(other) = other.map(|other| other as usize) else { continue };
                let back = (0..mesh.cells[other].len()).find(|&back| {
                    mesh.neighbours[other][back].is_some_and(|from| from as usize == cell)
                        && place(other, back) == place(cell, edge + 1)
                        && place(other, back + 1) == place(cell, edge)
                });
                if let Some(back) = back.filter(|_| other != cell) {
                    matches[first[cell] + edge] = Some((other, back));
                    forest.join(at(cell, edge), at(other, back + 1));
                    forest.join(at(cell, edge + 1), at(other, back));
                }
            }
        }
        let mut of = forest.roots();
        let mut fans: Vec<Fan> = Vec::new();
        let mut corners: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut numbers = vec![usize::MAX; count];
        for cell in 0..mesh.cells.len() {
            let sides = mesh.cells[cell].len();
            for corner in 0..sides {
                let root = of[first[cell] + corner];
                if numbers[root] == usize::MAX {
                    numbers[root] = fans.len();
                    fans.push(Fan { corner: (cell, corner), ..Fan::default() });
                    corners.push(Vec::new());
                }
                let number = numbers[root];
                of[first[cell] + corner] = number;
                corners[number].push((cell, corner));
                let fan = &mut fans[number];
                fan.angle += corner_angle(mesh, cell, corner);
                let before = first[cell] + (corner + sides - 1) % sides;
                fan.is_on_border |= matches[first[cell] + corner].is_none() || matches[before].is_none();
            }
        }
        Self { first, of, matches, places, fans, corners }
    }

    pub(crate) fn fan(&self, cell: usize, corner: usize) -> usize {
        self.of[self.first[cell] + corner]
    }

    /// The neighbour's edge between the same two places, beside an edge.
    pub(crate) fn matching(&self, cell: usize, edge: usize) -> Option<(usize, usize)> {
        self.matches[self.first[cell] + edge]
    }

    /// The sum over the islands of `ceil(notches / 2) + 1 - holes`, at least one each.
    pub(crate) fn cells_lower_bound(&self, mesh: &JudgedMesh) -> usize {
        let (islands, count) = mesh.islands();
        let mut notches = vec![0_usize; count];
        for fan in self.fans.iter().filter(|fan| fan.is_notch()) {
            notches[islands[fan.corner.0]] += 1;
        }
        // Loops of the border: each fan on it has one edge that comes and one that leaves.
        let mut forest = Forest::new(self.fans.len());
        for (cell, corners) in mesh.cells.iter().enumerate() {
            for edge in (0..corners.len()).filter(|&edge| self.matching(cell, edge).is_none()) {
                forest.join(self.fan(cell, edge), self.fan(cell, (edge + 1) % corners.len()));
            }
        }
        let mut loops = vec![0_usize; count];
        for (fan, &root) in forest.roots().iter().enumerate() {
            if self.fans[fan].is_on_border && root == fan {
                loops[islands[self.fans[fan].corner.0]] += 1;
            }
        }
        (0..count)
            .map(|island| (notches[island].div_ceil(2) + 2).saturating_sub(loops[island].max(1)).max(1))
            .sum()
    }
}

/// Inner angle of a cell at a corner, from 0 to a whole turn, in the plan. Radians.
pub(crate) fn corner_angle(mesh: &JudgedMesh, cell: usize, corner: usize) -> f64 {
    let sides = mesh.cells[cell].len();
    let at = plan(mesh.corner(cell, corner));
    let to = plan(mesh.corner(cell, corner + 1)) - at;
    let from = plan(mesh.corner(cell, corner + sides - 1)) - at;
    let angle = to.perp_dot(from).atan2(to.dot(from));
    if angle < 0.0 { angle + std::f64::consts::TAU } else { angle }
}
