//! Heights of vertices, and points along edges, chosen once for all polygons that share them.

#![expect(
    clippy::cast_possible_truncation,
    reason = "positions stay within the lattice's 24 bits, counts are checked at the end"
)]

use std::ops::Range;

use waymesh_core::{NO_REGION, PlanPoint, PolyId, PolyMesh, SurfacePoint, VertexId, checkpoint, threads};

use crate::{
    ground::{Around, Ground, Trail},
    lattice::Lattice,
    patches::patches,
};

/// Points of an edge between its two vertices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chain {
    first: u32,
    len: u32,
    reversed: bool,
}

impl Chain {
    pub(crate) fn len(self) -> u32 {
        self.len
    }

    /// Returns the indices of the points from the edge's start to its end, in the direction of the
    /// polygon.
    pub(crate) fn points(self) -> impl Iterator<Item = u32> {
        let Self { first, len, reversed } = self;
        (0..len).map(move |step| if reversed { first + len - 1 - step } else { first + step })
    }
}

/// The outlines of some polygons: their vertices, then all points on their edges.
#[derive(Debug, Default)]
pub(crate) struct Outlines {
    /// Vertices of the mesh.
    pub(crate) vertices: Vec<VertexId>,
    /// For each of these vertices, `true` if ground was found near it.
    pub(crate) fitted: Vec<bool>,
    pub(crate) points: Vec<SurfacePoint>,
    /// The points as positions on the lattice.
    pub(crate) positions: Vec<[i32; 2]>,
    /// First corner of each polygon in `corners` and `chains`.
    pub(crate) polygons: Vec<u32>,
    /// The corners of each polygon, as indices of `vertices`.
    pub(crate) corners: Vec<u32>,
    /// For each corner, the points on the edge from it to the next corner.
    pub(crate) chains: Vec<Chain>,
    /// For each polygon, the largest error at a column's centre on the edges that no earlier polygon
    /// of the group has, in levels.
    pub(crate) errors: Vec<f32>,
}

/// A position on an edge with the height of the ground there.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// Steps from the edge's start.
    step: i64,
    height: f32,
    /// `true` at the centre of a column, where the height is exact.
    exact: bool,
}

/// Indices of vertices and polygons within a group. Entries of earlier groups need not be cleared.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    vertices: Vec<u32>,
    polygons: Vec<u32>,
}

/// The mesh, and data that do not depend on the ground.
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

/// Fits the vertices and edges of some polygons, in ascending order, on several threads if
/// available. The points of an edge depend only on the edge, so two groups with a polygon on either
/// side get the same points.
pub(crate) fn fit_outlines(
    plan: Plan<'_>,
    ground: Ground<'_>,
    group: &[PolyId],
    numbers: &mut Numbers,
) -> Outlines {
    let mut outlines = vertices(plan, ground, group, numbers);
    let run = |places: Range<usize>| {
        let mut builder = Builder {
            plan,
            ground,
            outlines: &outlines,
            edges: Edges::default(),
            candidates: Vec::new(),
            chosen: Vec::new(),
            stack: Vec::new(),
            max_error: 0.0,
        };
        for place in places {
            checkpoint();
            builder.edges_of(group, numbers, place);
            let error = std::mem::take(&mut builder.max_error);
            builder.edges.errors.push(error);
        }
        builder.edges
    };
    let is_alone = threads::count() == 1;
    let patches = if is_alone { Vec::new() } else { patches(plan.mesh, group) };
    let fitted: Vec<Edges> =
        if patches.len() <= 1 { vec![run(0..group.len())] } else { threads::map(patches, run) };
    let mut chains = 0;
    for Edges { points, positions, chains: own, errors } in fitted {
        let first = outlines.points.len() as u32;
        outlines.points.extend(points);
        outlines.positions.extend(positions);
        outlines.errors.extend(errors);
        for chain in own {
            outlines.chains[chains] = match chain {
                EdgeChain::Own(chain) => Chain { first: chain.first + first, ..chain },
                EdgeChain::Of(known) => {
                    let known = outlines.chains[known as usize];
                    Chain { reversed: !known.reversed, ..known }
                }
            };
            chains += 1;
        }
    }
    outlines
}

/// Fits the vertices. All polygons around a vertex share its height, which comes from the ground of
/// all these polygons.
fn vertices(plan: Plan<'_>, ground: Ground<'_>, group: &[PolyId], numbers: &mut Numbers) -> Outlines {
    let mesh = plan.mesh;
    let mut outlines = Outlines::default();
    numbers.vertices.resize(mesh.vertices.len(), 0);
    numbers.polygons.resize(mesh.polygons.len(), 0);
    outlines.polygons.reserve(group.len());
    for (place, &id) in group.iter().enumerate() {
        checkpoint();
        numbers.polygons[id.index()] = place as u32;
        outlines.polygons.push(outlines.corners.len() as u32);
        for &vertex in mesh.corners(id) {
            let number = &mut numbers.vertices[vertex.index()];
            if outlines.vertices.get(*number as usize) != Some(&vertex) {
                *number = outlines.vertices.len() as u32;
                outlines.vertices.push(vertex);
            }
            outlines.corners.push(*number);
        }
    }
    outlines.chains.resize(outlines.corners.len(), Chain::default());
    let count = outlines.vertices.len();
    outlines.points.reserve(count * 2);
    outlines.positions.reserve(count * 2);
    outlines.fitted.reserve(count);
    for index in 0..count {
        checkpoint();
        let vertex = outlines.vertices[index];
        let labels = &plan.around[vertex.index()];
        let vertex = mesh.vertices[vertex.index()];
        let PlanPoint { x, z } = plan.lattice.corner(vertex.point);
        let fitted = ground.at_corner(x, z, labels, vertex.height);
        outlines.fitted.push(fitted.is_some());
        let position = plan.lattice.of(vertex.point);
        outlines.points.push(plan.point(position, fitted.unwrap_or(vertex.height)));
        outlines.positions.push(position);
    }
    outlines
}

impl Plan<'_> {
    fn point(&self, position: [i32; 2], height: f32) -> SurfacePoint {
        let [x, z] = position.map(|value| (f64::from(value) * self.lattice.point_step()) as f32);
        SurfacePoint { x, height, z }
    }
}

/// Returns the edge of a neighbour that is edge `edge` of polygon `id`.
fn twin(mesh: &PolyMesh, id: PolyId, edge: usize, neighbour: PolyId) -> Option<usize> {
    let (here, there) = (mesh.corners(id), mesh.corners(neighbour));
    (0..there.len()).find(|&back| {
        there[back] == here[(edge + 1) % here.len()]
            && there[(back + 1) % there.len()] == here[edge]
            && mesh.neighbours(neighbour)[back] == Some(id)
    })
}

/// Returns the corner in [`PolyMesh::corners`] at which an edge of polygon `id` begins in its first
/// polygon, which gives it its direction.
pub(crate) fn owner(mesh: &PolyMesh, id: PolyId, edge: usize) -> usize {
    let neighbour = mesh.neighbours(id)[edge].filter(|&neighbour| neighbour < id);
    let own = || mesh.corner_range(id).start + edge;
    neighbour
        .and_then(|there| Some(mesh.corner_range(there).start + twin(mesh, id, edge, there)?))
        .unwrap_or_else(own)
}

/// A reference to the points of an edge of a polygon.
#[derive(Clone, Copy, Debug)]
enum EdgeChain {
    /// Points of the edge itself, numbered from the first point of these [`Edges`].
    Own(Chain),
    /// Points of the edge in an earlier polygon. The value is the corner where the edge begins
    /// there, in [`Outlines::corners`].
    Of(u32),
}

/// The edges of some polygons.
#[derive(Debug, Default)]
struct Edges {
    points: Vec<SurfacePoint>,
    positions: Vec<[i32; 2]>,
    chains: Vec<EdgeChain>,
    /// For each polygon, the largest error on its own edges.
    errors: Vec<f32>,
}

#[derive(Debug)]
struct Builder<'a> {
    plan: Plan<'a>,
    ground: Ground<'a>,
    /// All vertices of the group.
    outlines: &'a Outlines,
    edges: Edges,
    candidates: Vec<Candidate>,
    chosen: Vec<usize>,
    stack: Vec<(usize, usize)>,
    /// Largest error on the edges of the current polygon.
    max_error: f32,
}

impl Builder<'_> {
    /// Adds the edges of the polygon at `place` in the group.
    fn edges_of(&mut self, group: &[PolyId], numbers: &Numbers, place: usize) {
        for (edge, &neighbour) in self.plan.mesh.neighbours(group[place]).iter().enumerate() {
            let chain = self.chain(group, numbers, place, edge, neighbour);
            self.edges.chains.push(chain);
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
    ) -> EdgeChain {
        let mesh = self.plan.mesh;
        let id = group[place];
        let corners = mesh.corners(id);
        let next = (edge + 1) % corners.len();
        let own = mesh.polygons[id.index()].region.0;
        let first = self.outlines.polygons[place] as usize;
        let ends = [edge, next].map(|corner| self.outlines.corners[first + corner]);
        // The direction of the edge is that of the polygon with the lower number.
        if let Some(neighbour) = neighbour.filter(|&neighbour| neighbour < id)
            && let Some(back) = twin(mesh, id, edge, neighbour)
        {
            let known = numbers.polygons[neighbour.index()] as usize;
            if group.get(known) == Some(&neighbour) {
                return EdgeChain::Of(self.outlines.polygons[known] + back as u32);
            }
            let first = mesh.polygons[neighbour.index()].region.0;
            let chain = self.edge([ends[1], ends[0]], first, Some(own));
            return EdgeChain::Own(Chain { reversed: !chain.reversed, ..chain });
        }
        let beyond = neighbour.map(|neighbour| mesh.polygons[neighbour.index()].region.0);
        EdgeChain::Own(self.edge(ends, own, beyond))
    }

    /// Chooses the points of one edge. The steps are the finest that lie on the lattice and on the
    /// line.
    ///
    /// The ground is that of the regions on both sides. If a seam was moved and these regions have
    /// no ground there, it is the ground that the previous ground on the edge links to.
    fn edge(&mut self, ends: [u32; 2], own: u32, beyond: Option<u32>) -> Chain {
        let Plan { mesh, around, lattice, .. } = self.plan;
        let first = self.edges.points.len() as u32;
        let vertices = ends.map(|end| self.outlines.vertices[end as usize]);
        let ends_at = vertices.map(|vertex| mesh.point(vertex));
        let (dx, dz) = (ends_at[1].x - ends_at[0].x, ends_at[1].z - ends_at[0].z);
        let divisor = common_divisor(dx.unsigned_abs(), dz.unsigned_abs()) as i32;
        let major = dx.abs().max(dz.abs());
        let points = lattice.points();
        if major < points || (major == points && (points > 1 || dx.abs() != dz.abs())) {
            // Within a column, the ground at the ends is enough, unless a diagonal passes the
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
            self.edges.points.push(self.plan.point(at(step), height));
            self.edges.positions.push(at(step));
        }
        Chain { first, len: self.chosen.len() as u32, reversed: false }
    }

    /// Adds the worst candidate between two chosen candidates until no error exceeds the bound
    /// (Ramer 1972, on heights).
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
                self.max_error = self.max_error.max(left);
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
