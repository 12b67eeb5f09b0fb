//! Heights of vertices, and points along edges. They are chosen once for all polygons that share
//! them.

#![expect(
    clippy::cast_possible_truncation,
    reason = "positions stay within the lattice's 24 bits, counts are checked at the end"
)]

use waymesh_core::{NO_REGION, PlanPoint, PolyId, PolyMesh, SurfacePoint, VertexId, checkpoint};

use crate::{
    ground::{Ground, Trail},
    lattice::Lattice,
};

/// The regions around a vertex. Unused entries repeat a used one, or are [`NO_REGION`] if there is
/// none.
pub(crate) type Around = [u32; 4];

/// Points of an edge between its two vertices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chain {
    first: u32,
    len: u32,
    reversed: bool,
}

impl Chain {
    /// Indices of the points from the edge's start to its end, in the direction of the polygon.
    pub(crate) fn points(self) -> impl Iterator<Item = u32> {
        let Self { first, len, reversed } = self;
        (0..len).map(move |step| if reversed { first + len - 1 - step } else { first + step })
    }
}

/// The points of an edge, and the corner in [`PolyMesh::corners`] at which the edge begins in its
/// first polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnedChain {
    pub(crate) corner: u32,
    pub(crate) first: u32,
    pub(crate) len: u32,
}

/// The outlines of some polygons: their vertices, then all points on their edges.
#[derive(Debug, Default)]
pub(crate) struct Outlines {
    /// Vertices of the mesh.
    pub(crate) vertices: Vec<VertexId>,
    /// For each of them, `true` if there is ground near it.
    pub(crate) fitted: Vec<bool>,
    pub(crate) points: Vec<SurfacePoint>,
    /// The same points as positions on the lattice.
    pub(crate) positions: Vec<[i32; 2]>,
    /// First corner of each polygon in `corners` and `chains`.
    pub(crate) polygons: Vec<u32>,
    /// The corners of each polygon, as indices of `vertices`.
    pub(crate) corners: Vec<u32>,
    /// For each corner, the points on the edge from it to the next one.
    pub(crate) chains: Vec<Chain>,
    /// The points of every edge.
    pub(crate) owned: Vec<OwnedChain>,
    /// Largest error at a column's centre that lies on an edge, in levels.
    pub(crate) max_error: f32,
}

/// A place on an edge with the height of the ground there.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// Steps from the edge's start.
    step: i64,
    height: f32,
    /// `true` at the centre of a column, where the height is not interpolated.
    exact: bool,
}

/// Indices of vertices and polygons within a group. Nothing needs to be cleared from one group to
/// the next.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    vertices: Vec<u32>,
    polygons: Vec<u32>,
}

/// The mesh, and what is known about it without the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) mesh: &'a PolyMesh,
    /// The regions around each vertex.
    pub(crate) around: &'a [Around],
    pub(crate) lattice: Lattice,
    /// Largest allowed error, in levels.
    pub(crate) bound: f32,
}

/// Returns the regions of the polygons around each vertex, at most four.
pub(crate) fn regions_around(mesh: &PolyMesh) -> Vec<Around> {
    let mut around = vec![[NO_REGION; 4]; mesh.vertices.len()];
    for polygon in &mesh.polygons {
        for corner in polygon.first..polygon.first + polygon.len {
            let labels = &mut around[mesh.corners[corner as usize].index()];
            if !labels.contains(&polygon.region.0)
                && let Some(free) = labels.iter_mut().find(|label| **label == NO_REGION)
            {
                *free = polygon.region.0;
            }
        }
    }
    for labels in &mut around {
        let first = labels[0];
        labels.iter_mut().filter(|label| **label == NO_REGION).for_each(|label| *label = first);
    }
    around
}

#[derive(Debug)]
struct Builder<'a> {
    plan: Plan<'a>,
    ground: Ground<'a>,
    outlines: Outlines,
    candidates: Vec<Candidate>,
    chosen: Vec<usize>,
    stack: Vec<(usize, usize)>,
}

/// Fits the vertices and edges of some polygons, in ascending order. The points of an edge depend
/// on the edge alone, so two groups with a polygon on either side get the same points.
pub(crate) fn fit_outlines(
    plan: Plan<'_>,
    ground: Ground<'_>,
    group: &[PolyId],
    numbers: &mut Numbers,
) -> Outlines {
    let mut builder = Builder {
        plan,
        ground,
        outlines: Outlines::default(),
        candidates: Vec::new(),
        chosen: Vec::new(),
        stack: Vec::new(),
    };
    builder.vertices(group, numbers);
    for (place, &id) in group.iter().enumerate() {
        let (edges, first) = (plan.mesh.neighbours(id), builder.outlines.polygons[place] as usize);
        for (edge, &neighbour) in edges.iter().enumerate() {
            let chain = builder.chain(group, numbers, place, edge, neighbour);
            builder.outlines.chains[first + edge] = chain;
        }
    }
    builder.outlines
}

impl Builder<'_> {
    /// Fits the vertices. All polygons around a vertex get the same height there, from the ground
    /// of all of them.
    fn vertices(&mut self, group: &[PolyId], numbers: &mut Numbers) {
        let mesh = self.plan.mesh;
        numbers.vertices.resize(mesh.vertices.len(), 0);
        numbers.polygons.resize(mesh.polygons.len(), 0);
        self.outlines.polygons.reserve(group.len());
        for (place, &id) in group.iter().enumerate() {
            checkpoint();
            numbers.polygons[id.index()] = place as u32;
            self.outlines.polygons.push(self.outlines.corners.len() as u32);
            for &vertex in mesh.corners(id) {
                let number = &mut numbers.vertices[vertex.index()];
                if self.outlines.vertices.get(*number as usize) != Some(&vertex) {
                    *number = self.outlines.vertices.len() as u32;
                    self.outlines.vertices.push(vertex);
                }
                self.outlines.corners.push(*number);
            }
        }
        self.outlines.chains.resize(self.outlines.corners.len(), Chain::default());
        let count = self.outlines.vertices.len();
        self.outlines.points.reserve(count * 2);
        self.outlines.positions.reserve(count * 2);
        self.outlines.fitted.reserve(count);
        for index in 0..count {
            checkpoint();
            let vertex = self.outlines.vertices[index];
            let labels = &self.plan.around[vertex.index()];
            let vertex = mesh.vertices[vertex.index()];
            let PlanPoint { x, z } = self.plan.lattice.corner(vertex.point);
            let fitted = self.ground.at_corner(x, z, labels, vertex.height);
            self.outlines.fitted.push(fitted.is_some());
            self.push(self.plan.lattice.of(vertex.point), fitted.unwrap_or(vertex.height));
        }
    }

    /// Returns the points of one edge of the polygon at `place` in the group.
    fn chain(
        &mut self,
        group: &[PolyId],
        numbers: &Numbers,
        place: usize,
        edge: usize,
        neighbour: Option<PolyId>,
    ) -> Chain {
        let mesh = self.plan.mesh;
        let id = group[place];
        let corners = mesh.corners(id);
        let next = (edge + 1) % corners.len();
        let own = mesh.polygons[id.index()].region.0;
        let first = self.outlines.polygons[place] as usize;
        let ends = [edge, next].map(|corner| self.outlines.corners[first + corner]);
        // The direction of the edge is that of the polygon with the lower number.
        if let Some(neighbour) = neighbour.filter(|&neighbour| neighbour < id) {
            let there = mesh.corners(neighbour);
            let back = (0..there.len()).find(|&back| {
                there[back] == corners[next]
                    && there[(back + 1) % there.len()] == corners[edge]
                    && mesh.neighbours(neighbour)[back] == Some(id)
            });
            if let Some(back) = back {
                let known = numbers.polygons[neighbour.index()] as usize;
                let chain = if group.get(known) == Some(&neighbour) {
                    self.outlines.chains[self.outlines.polygons[known] as usize + back]
                } else {
                    let corner = mesh.corner_range(neighbour).start + back;
                    let first = mesh.polygons[neighbour.index()].region.0;
                    self.edge(corner as u32, [ends[1], ends[0]], first, Some(own))
                };
                return Chain { reversed: !chain.reversed, ..chain };
            }
        }
        let beyond = neighbour.map(|neighbour| mesh.polygons[neighbour.index()].region.0);
        self.edge((mesh.corner_range(id).start + edge) as u32, ends, own, beyond)
    }

    fn push(&mut self, position: [i32; 2], height: f32) {
        let [x, z] = position.map(|value| (f64::from(value) * self.plan.lattice.point_step()) as f32);
        self.outlines.points.push(SurfacePoint { x, height, z });
        self.outlines.positions.push(position);
    }

    /// Chooses the points of one edge. The steps are the finest that lie on the lattice and on the
    /// line.
    ///
    /// The ground is that of the regions on both sides. Where a seam was moved and there is none,
    /// it is the ground that the previous ground on the edge links to.
    fn edge(&mut self, corner: u32, ends: [u32; 2], own: u32, beyond: Option<u32>) -> Chain {
        let Plan { mesh, around, lattice, .. } = self.plan;
        let first = self.outlines.points.len() as u32;
        let vertices = ends.map(|end| self.outlines.vertices[end as usize]);
        let ends_at = vertices.map(|vertex| mesh.point(vertex));
        let (dx, dz) = (ends_at[1].x - ends_at[0].x, ends_at[1].z - ends_at[0].z);
        let divisor = common_divisor(dx.unsigned_abs(), dz.unsigned_abs()) as i32;
        let major = dx.abs().max(dz.abs());
        let points = lattice.points();
        if major < points || (major == points && (points > 1 || dx.abs() != dz.abs())) {
            // Within a column the ground at the ends is enough, except that a diagonal passes the
            // centre of the column.
            return Chain { first, len: 0, reversed: false };
        }
        let direction = [dx / divisor, dz / divisor];
        let steps = i64::from(divisor) << (lattice.bits - lattice.point_bits);
        let start = lattice.of(ends_at[0]);
        let at = |step: i64| {
            [0, 1].map(|axis| (i64::from(start[axis]) + i64::from(direction[axis]) * step) as i32)
        };
        let heights = ends.map(|end| self.outlines.points[end as usize].height);
        self.candidates.clear();
        self.candidates.push(Candidate { step: 0, height: heights[0], exact: false });
        // Inside is on the positive side.
        let inward = if dx.abs() >= dz.abs() { [0, dx.signum()] } else { [-dz.signum(), 0] };
        let (half, mask) = (lattice.unit() / 2, lattice.unit() - 1);
        let polygon = lattice.step();
        // Distance from the start to the middle of the next column along the longer axis, and
        // length of a step, in positions.
        let axis = usize::from(dz.abs() > dx.abs());
        let place = if direction[axis] > 0 { start[axis] } else { -start[axis] };
        let ahead = i64::from((half - place).rem_euclid(lattice.unit()));
        let stride = i64::from(direction[axis].abs());
        let columns = i64::from(major / lattice.points()) + 1;
        let start = (lattice.corner(ends_at[0]), around[vertices[0].index()]);
        let mut trail = Trail::new([own, beyond.unwrap_or(own)], beyond.is_some(), start, heights[0]);
        for crossing in 0..columns {
            // The step at which the edge passes the middle of a column along its longer axis.
            let step = (2 * (ahead + (crossing << lattice.bits)) + stride) / (2 * stride);
            let position = at(step);
            if step >= steps || self.candidates.last().is_some_and(|last| last.step >= step) {
                continue;
            }
            let plan = position.map(|value| f64::from(value) * polygon);
            let [x, z] = position.map(|value| value >> lattice.bits);
            let centre = position.iter().all(|value| value & mask == half);
            let ground = &self.ground;
            let real = if centre { ground.along(x, z, &mut trail) } else { None };
            let found = real
                .or_else(|| ground.between(plan, &mut trail))
                .or_else(|| ground.beside(plan, inward, &mut trail));
            if let Some(height) = found {
                trail.reference = height;
                self.candidates.push(Candidate { step, height, exact: real.is_some() });
            }
        }
        self.candidates.push(Candidate { step: steps, height: heights[1], exact: false });
        self.choose();
        for index in 0..self.chosen.len() {
            let Candidate { step, height, .. } = self.candidates[self.chosen[index]];
            self.push(at(step), height);
        }
        let len = self.chosen.len() as u32;
        if len > 0 {
            self.outlines.owned.push(OwnedChain { corner, first, len });
        }
        Chain { first, len, reversed: false }
    }

    /// Adds the worst candidate between two chosen ones until no error exceeds the bound (Ramer
    /// 1972, on heights).
    fn choose(&mut self) {
        self.chosen.clear();
        self.stack.clear();
        self.stack.push((0, self.candidates.len() - 1));
        while let Some((from, to)) = self.stack.pop() {
            let (a, b) = (self.candidates[from], self.candidates[to]);
            let slope = (b.height - a.height) / (b.step - a.step) as f32;
            let (mut worst, mut excess, mut left) = (from, self.plan.bound, 0.0_f32);
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
