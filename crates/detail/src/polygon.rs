//! Greedy insertion in one polygon.

use std::collections::BinaryHeap;

use waymesh_core::{PlanPoint, PolyId, SurfacePoint, checkpoint, checkpoint_every, nearest_f32, to_u32};

use crate::{
    DetailError,
    claims::{Claims, Corner},
    edges::{Outlines, Plan},
    ground::Ground,
    rows::Rows,
    surface::{Point, Surface},
};

/// Buffers for fitting one polygon, reused for all polygons.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    surface: Surface,
    rows: Rows,
    claims: Claims,
    /// Index in the outlines of each point of the outline.
    outline: Vec<u32>,
    plan: Vec<PlanPoint>,
    corners: Vec<Corner>,
    /// Facets sorted by error: the bits of positive floats have the order of the floats. Outdated
    /// entries are skipped.
    queue: BinaryHeap<u64>,
}

/// Fits of consecutive polygons, each with its own vertex numbers.
#[derive(Debug, Default)]
pub(crate) struct Patch {
    /// For each corner, the number of points on the edge from it to the next corner.
    pub(crate) edges: Vec<u32>,
    /// Points of the polygons: those of the outline, in order, then those inside.
    pub(crate) points: Vec<SurfacePoint>,
    /// Corners are numbers of points of the polygon.
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) polygons: Vec<Fitted>,
}

/// Counts and errors of a fitted polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fitted {
    pub(crate) edges: u32,
    /// Points of the outline, and points inside.
    pub(crate) outline: u32,
    pub(crate) inside: u32,
    pub(crate) triangles: u32,
    /// The largest remaining error inside.
    pub(crate) error: f32,
    /// The largest error at a column's centre on its own edges.
    pub(crate) edge_error: f32,
}

/// The fit of one polygon: its part of a [`Patch`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'a> {
    pub(crate) fitted: Fitted,
    pub(crate) edges: &'a [u32],
    pub(crate) points: &'a [SurfacePoint],
    pub(crate) triangles: &'a [[u32; 3]],
}

impl Patch {
    /// Returns the fit of each polygon.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        let (mut edges, mut points, mut triangles) = (&self.edges[..], &self.points[..], &self.triangles[..]);
        self.polygons.iter().map(move |&fitted| {
            let (own_edges, own_points, own_triangles);
            (own_edges, edges) = edges.split_at(fitted.edges as usize);
            (own_points, points) = points.split_at((fitted.outline + fitted.inside) as usize);
            (own_triangles, triangles) = triangles.split_at(fitted.triangles as usize);
            Piece { fitted, edges: own_edges, points: own_points, triangles: own_triangles }
        })
    }
}

/// A group of polygons with fitted outlines, whose insides must be fitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task<'a> {
    pub(crate) plan: Plan<'a>,
    pub(crate) ground: Ground<'a>,
    pub(crate) group: &'a [PolyId],
    pub(crate) outlines: &'a Outlines,
}

impl Task<'_> {
    /// Fits the polygon at `place` in the group and adds it to `patch`.
    pub(crate) fn fit(
        &self,
        place: usize,
        scratch: &mut Scratch,
        patch: &mut Patch,
    ) -> Result<(), DetailError> {
        let Self { plan: Plan { mesh, lattice, .. }, ground, outlines, .. } = *self;
        let id = self.group[place];
        let label = mesh.polygons[id.index()].region.0;
        let Scratch { surface, rows, outline, plan, .. } = scratch;
        plan.clear();
        plan.extend(mesh.corners(id).iter().map(|&vertex| mesh.point(vertex)));
        let whole = rows.collect(&ground, label, plan, lattice);
        let first = outlines.polygons[place] as usize;
        let count = plan.len();
        outline.clear();
        for corner in first..first + count {
            outline.push(outlines.corners[corner]);
            outline.extend(outlines.chains[corner].points());
        }
        let corner = rows.corner().map(|value| value << lattice.bits);
        surface.points.clear();
        surface.points.extend(outline.iter().map(|&index| {
            let [x, z] = outlines.positions[index as usize];
            Point { x: x - corner[0], z: z - corner[1], height: outlines.points[index as usize].height }
        }));
        if !surface.triangulate_outline() {
            return Err(DetailError::NotConvex { polygon: id });
        }
        self.claim(label, whole, first, scratch);
        let error = self.refine(scratch);
        let Scratch { surface, rows, outline, .. } = scratch;

        let step = lattice.point_step();
        let origin = rows.corner().map(|value| value << lattice.point_bits);
        let inner = &surface.points[outline.len()..];
        patch.edges.extend(outlines.chains[first..first + count].iter().map(|chain| chain.len()));
        patch.points.extend(outline.iter().map(|&index| outlines.points[index as usize]));
        patch.points.extend(inner.iter().map(|point| {
            let [x, z] = [(point.x, origin[0]), (point.z, origin[1])]
                .map(|(value, origin)| nearest_f32(f64::from(value) * step + f64::from(origin)));
            SurfacePoint { x, height: point.height, z }
        }));
        patch.triangles.extend(surface.facets.iter().map(|facet| facet.corners));
        patch.polygons.push(Fitted {
            edges: to_u32(count),
            outline: to_u32(outline.len()),
            inside: to_u32(inner.len()),
            triangles: to_u32(surface.facets.len()),
            error,
            edge_error: outlines.errors[place],
        });
        Ok(())
    }

    /// Replaces samples that are not ground of the polygon's storey.
    fn claim(&self, label: u32, whole: bool, first: usize, scratch: &mut Scratch) {
        let Self { plan: Plan { mesh, around, lattice, .. }, ground, outlines, .. } = *self;
        let Scratch { surface, rows, claims, plan, corners, outline, .. } = scratch;
        if rows.heights.is_empty() {
            return;
        }
        let corner = |at: usize| {
            let number = outlines.corners[first + at] as usize;
            let vertex = outlines.vertices[number];
            Corner {
                point: lattice.corner(plan[at]),
                height: mesh.vertices[vertex.index()].height,
                regions: around[vertex.index()],
                fitted: outlines.fitted[number],
            }
        };
        let known = (0..plan.len()).any(|at| corner(at).agrees(rows, ground.scale.storey_gap));
        if whole && known {
            return;
        }
        corners.clear();
        corners.extend((0..plan.len()).map(corner));
        claims.select(rows, &ground, label, corners, &surface.points[..outline.len()], lattice);
    }

    /// Inserts the worst sample until no error exceeds the bound. Returns the largest remaining
    /// error.
    fn refine(&self, scratch: &mut Scratch) -> f32 {
        let Scratch { surface, rows, queue, .. } = scratch;
        queue.clear();
        let bits = self.plan.lattice.bits;
        let half = 1_i32 << (bits - 1);
        let key = |error: f32, facet: u32| u64::from(error.to_bits()) << 32 | u64::from(facet);
        for index in 0..surface.facets.len() {
            checkpoint_every(1 << 8, index);
            let mut facet = surface.facets[index];
            rows.scan(surface, &mut facet, bits);
            surface.facets[index] = facet;
            if facet.error > self.plan.bound {
                queue.push(key(facet.error, u32::try_from(index).unwrap_or(u32::MAX)));
            }
        }
        while let Some(top) = queue.pop() {
            checkpoint();
            let Ok(index) = u32::try_from(top & u64::from(u32::MAX)) else { continue };
            let facet = surface.facets[index as usize];
            if u64::from(facet.error.to_bits()) != top >> 32 {
                continue;
            }
            let [row, column] = facet.worst;
            let point = Point {
                x: (column << bits) + half,
                z: (row << bits) + half,
                height: rows.height(facet.worst),
            };
            if !surface.insert(point, index) {
                continue;
            }
            for at in 0..surface.star.len() {
                let index = surface.star[at];
                let mut facet = surface.facets[index as usize];
                rows.scan(surface, &mut facet, bits);
                surface.facets[index as usize] = facet;
                if facet.error > self.plan.bound {
                    queue.push(key(facet.error, index));
                }
            }
        }
        surface.facets.iter().map(|facet| facet.error).fold(0.0, f32::max)
    }
}
