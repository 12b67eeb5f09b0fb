//! Heights of the vertices and points along the edges, chosen once for all cells that share them.

#![expect(
    clippy::cast_possible_truncation,
    reason = "positions stay within the lattice's 24 bits, counts are checked at the end"
)]

use waymesh_core::{CellId, CellMesh, NO_REGION, PlanPoint, SurfacePoint};

use crate::{
    ground::{Ground, Labels},
    lattice::Lattice,
};

/// Points of an edge between its two vertices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chain {
    first: u32,
    len: u32,
    reversed: bool,
}

impl Chain {
    /// Indices of the points from the edge's start to its end as the cell sees it.
    pub(crate) fn points(self) -> impl Iterator<Item = u32> {
        let Self { first, len, reversed } = self;
        (0..len).map(move |step| if reversed { first + len - 1 - step } else { first + step })
    }
}

/// All vertices, then all points on edges.
#[derive(Debug)]
pub(crate) struct Outlines {
    pub(crate) points: Vec<SurfacePoint>,
    /// The same, as positions on the lattice.
    pub(crate) positions: Vec<[i32; 2]>,
    /// Beside each corner of the cells, the points on the edge from it to the next.
    pub(crate) chains: Vec<Chain>,
    /// Largest error at a column's centre that lies on an edge, in levels.
    pub(crate) max_error: f32,
}

/// A place on an edge where the ground is looked at.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// Steps from the edge's start.
    step: i64,
    height: f32,
    /// The centre of a column: real ground.
    exact: bool,
}

#[derive(Debug)]
struct Builder<'a> {
    ground: Ground<'a>,
    lattice: Lattice,
    bound: f32,
    outlines: Outlines,
    candidates: Vec<Candidate>,
    chosen: Vec<usize>,
    stack: Vec<(usize, usize)>,
}

/// Fits vertices and edges.
pub(crate) fn fit_outlines(ground: Ground<'_>, cells: &CellMesh, lattice: Lattice, bound: f32) -> Outlines {
    let mut builder = Builder {
        ground,
        lattice,
        bound,
        outlines: Outlines {
            points: Vec::with_capacity(cells.vertices.len() * 2),
            positions: Vec::with_capacity(cells.vertices.len() * 2),
            chains: vec![Chain::default(); cells.corners.len()],
            max_error: 0.0,
        },
        candidates: Vec::new(),
        chosen: Vec::new(),
        stack: Vec::new(),
    };
    builder.vertices(cells);
    for (index, cell) in cells.cells.iter().enumerate() {
        let id = CellId::from_index(index);
        let corners = cells.corners(id);
        let first = cell.first as usize;
        for (edge, &neighbour) in cells.neighbours(id).iter().enumerate() {
            let ends = [corners[edge], corners[(edge + 1) % corners.len()]];
            if let Some(neighbour) = neighbour.filter(|&neighbour| neighbour < id) {
                let there = cells.corners(neighbour);
                let back = (0..there.len()).find(|&back| {
                    there[back] == ends[1]
                        && there[(back + 1) % there.len()] == ends[0]
                        && cells.neighbours(neighbour)[back] == Some(id)
                });
                if let Some(back) = back {
                    let chain = builder.outlines.chains[cells.corner_range(neighbour).start + back];
                    builder.outlines.chains[first + edge] = Chain { reversed: !chain.reversed, ..chain };
                    continue;
                }
            }
            let beyond = neighbour.map_or(cell.region, |neighbour| cells.cells[neighbour.index()].region);
            let labels = [cell.region.0, beyond.0, beyond.0, beyond.0];
            builder.outlines.chains[first + edge] =
                builder.edge(ends.map(|vertex| vertex.0), ends.map(|vertex| cells.point(vertex)), &labels);
        }
    }
    builder.outlines
}

impl Builder<'_> {
    /// All cells round a vertex get the same height there, from the ground of all of them.
    fn vertices(&mut self, cells: &CellMesh) {
        let mut around = vec![[NO_REGION; 4]; cells.vertices.len()];
        for cell in &cells.cells {
            for corner in cell.first..cell.first + cell.len {
                let labels = &mut around[cells.corners[corner as usize].index()];
                if !labels.contains(&cell.region.0)
                    && let Some(free) = labels.iter_mut().find(|label| **label == NO_REGION)
                {
                    *free = cell.region.0;
                }
            }
        }
        for (vertex, mut labels) in cells.vertices.iter().zip(around) {
            for slot in 1..4 {
                if labels[slot] == NO_REGION {
                    labels[slot] = labels[0];
                }
            }
            let PlanPoint { x, z } = vertex.point;
            let fitted = (labels[0] != NO_REGION)
                .then(|| self.ground.at_corner(x, z, &labels, vertex.height))
                .flatten();
            self.push(self.lattice.of(vertex.point), fitted.unwrap_or(vertex.height));
        }
    }

    fn push(&mut self, position: [i32; 2], height: f32) {
        let [x, z] = position.map(|value| (f64::from(value) * self.lattice.step()) as f32);
        self.outlines.points.push(SurfacePoint { x, height, z });
        self.outlines.positions.push(position);
    }

    /// Chooses the points of one edge. Steps are the finest that lie on the lattice and on the line.
    fn edge(&mut self, vertices: [u32; 2], ends: [PlanPoint; 2], labels: &Labels) -> Chain {
        let first = self.outlines.points.len() as u32;
        let (dx, dz) = (ends[1].x - ends[0].x, ends[1].z - ends[0].z);
        let divisor = common_divisor(dx.unsigned_abs(), dz.unsigned_abs()) as i32;
        let major = dx.abs().max(dz.abs());
        if major == 0 || (major == 1 && dx.abs() != dz.abs()) {
            // Within a column: the ground at its ends says all there is. A diagonal passes the column's centre.
            return Chain { first, len: 0, reversed: false };
        }
        let direction = [dx / divisor, dz / divisor];
        let steps = i64::from(divisor) << self.lattice.bits;
        let start = self.lattice.of(ends[0]);
        let at = |step: i64| {
            [0, 1].map(|axis| (i64::from(start[axis]) + i64::from(direction[axis]) * step) as i32)
        };
        let heights = vertices.map(|vertex| self.outlines.points[vertex as usize].height);
        self.candidates.clear();
        self.candidates.push(Candidate { step: 0, height: heights[0], exact: false });
        // Inside is on the positive side.
        let inward = if dx.abs() >= dz.abs() { [0, dx.signum()] } else { [-dz.signum(), 0] };
        let (half, mask) = (self.lattice.unit() / 2, self.lattice.unit() - 1);
        let cell = self.lattice.step();
        let mut reference = heights[0];
        for crossing in 0..i64::from(major) {
            // Where the edge passes the middle of a column along its longer axis.
            let step = ((2 * crossing + 1) * steps + i64::from(major)) / (2 * i64::from(major));
            let position = at(step);
            if step >= steps || self.candidates.last().is_some_and(|last| last.step >= step) {
                continue;
            }
            let plan = position.map(|value| f64::from(value) * cell);
            let [x, z] = position.map(|value| value >> self.lattice.bits);
            let centre = position.iter().all(|value| value & mask == half);
            let real = if centre { self.ground.nearest(x, z, labels, reference) } else { None };
            let found = real
                .or_else(|| self.ground.between(plan, labels, reference))
                .or_else(|| self.ground.beside(plan, inward, labels, reference));
            if let Some(height) = found {
                reference = height;
                self.candidates.push(Candidate { step, height, exact: real.is_some() });
            }
        }
        self.candidates.push(Candidate { step: steps, height: heights[1], exact: false });
        self.choose();
        for index in 0..self.chosen.len() {
            let Candidate { step, height, .. } = self.candidates[self.chosen[index]];
            self.push(at(step), height);
        }
        Chain { first, len: self.chosen.len() as u32, reversed: false }
    }

    /// Takes the worst candidate between two chosen ones until none is off by more than the bound (Ramer 1972, on heights).
    fn choose(&mut self) {
        self.chosen.clear();
        self.stack.clear();
        self.stack.push((0, self.candidates.len() - 1));
        while let Some((from, to)) = self.stack.pop() {
            let (a, b) = (self.candidates[from], self.candidates[to]);
            let slope = (b.height - a.height) / (b.step - a.step) as f32;
            let (mut worst, mut excess, mut left) = (from, self.bound, 0.0_f32);
            for index in from + 1..to {
                let candidate = self.candidates[index];
                let error = (a.height + slope * (candidate.step - a.step) as f32 - candidate.height).abs();
                if error > excess {
                    (worst, excess) = (index, error);
                }
                if candidate.exact {
                    left = left.max(error);
                }
            }
            if worst == from {
                self.outlines.max_error = self.outlines.max_error.max(left);
            } else {
                self.chosen.push(worst);
                self.stack.extend([(from, worst), (worst, to)]);
            }
        }
        self.chosen.sort_unstable();
    }
}

fn common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
