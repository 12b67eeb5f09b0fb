//! A ray that walks from polygon to polygon.

use crate::geometry::plan::{PlanPosition, orientation, sure_above};
use crate::mesh::fans::WalkEdge;
use crate::mesh::nav_mesh::NavMesh;

/// A ray from a place of the mesh towards another, both on the lattice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ray {
    pub(crate) at: PlanPosition,
    pub(crate) target: PlanPosition,
    direction: (f64, f64),
    /// Sides of corners that are as far from zero as this have the right sign.
    sure: f64,
}

impl Ray {
    /// Positive left of the ray, exactly, for the corners of the mesh.
    #[inline]
    pub(crate) fn side(&self, place: PlanPosition) -> f64 {
        let side = self.rough_side(place.x - self.at.x, place.z - self.at.z);
        if side.abs() >= self.sure { side } else { orientation(self.at, self.target, place) }
    }

    /// Returns how far a place lies along the ray, in cells; the ray has a length.
    pub(crate) fn along(&self, place: PlanPosition) -> f64 {
        let (dx, dz) = self.direction;
        ((place.x - self.at.x) * dx + (place.z - self.at.z) * dz) / (dx * dx + dz * dz).sqrt()
    }

    /// Returns how far a place lies from the line of the ray, in cells.
    pub(crate) fn aside(&self, place: PlanPosition) -> f64 {
        let (dx, dz) = self.direction;
        self.rough_side(place.x - self.at.x, place.z - self.at.z).abs() / (dx * dx + dz * dz).sqrt()
    }

    /// Returns the share of the ray that ends with this share of its last piece.
    pub(crate) fn share_with(&self, last: &Self, share: f64) -> f64 {
        if last.at == self.at {
            return share;
        }
        let before = (self.along(last.at) / self.along(self.target)).clamp(0.0, 1.0);
        before + (1.0 - before) * share
    }

    #[inline]
    fn rough_side(&self, x: f64, z: f64) -> f64 {
        self.direction.0 * z - self.direction.1 * x
    }
}

/// The exit of a ray from a polygon that it entered through the inside of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RayExit {
    /// It does not: its target is in the polygon.
    Ends,
    /// Through the inside of this edge.
    Through(usize),
    /// At a corner, or along a line that needs a closer look.
    Unsure,
}

impl NavMesh {
    /// Returns where a ray leaves a polygon. It came in through the inside of `entry`: the start of
    /// that edge is left of it, the end right, and the target beyond. So only the corners right
    /// of the ray are checked.
    #[inline]
    pub(crate) fn exit_through(&self, polygon: u32, entry: usize, ray: &Ray) -> RayExit {
        let range = self.edge_range(polygon as usize);
        let after = |corner: usize| if corner + 1 == range.end { range.start } else { corner + 1 };
        let mut edge = after(entry);
        let mut a = self.topology.walk[edge].start();
        loop {
            let next = after(edge);
            let b = self.topology.walk[next].start();
            if next != entry {
                let side = ray.side(b);
                if side < 0.0 {
                    (a, edge) = (b, next);
                    continue;
                }
                if side == 0.0 {
                    return RayExit::Unsure;
                }
            }
            let is_beyond = orientation(a, b, ray.target) < 0.0;
            return if is_beyond { RayExit::Through(edge) } else { RayExit::Ends };
        }
    }

    /// Returns where a ray leaves the polygon that it begins in or on.
    #[inline]
    pub(crate) fn exit_of(&self, polygon: u32, ray: &Ray) -> RayExit {
        let first = self.topology.polygon_first[polygon as usize] as usize;
        let edges = self.walk_edges(polygon);
        let mut before = edges.len() - 1;
        let mut a = edges[before].start();
        let mut a_side = ray.side(a);
        for (corner, edge) in edges.iter().enumerate() {
            let b = edge.start();
            let b_side = ray.side(b);
            // From right to left of the ray: only there it leaves.
            if a_side < 0.0 && b_side > 0.0 {
                let is_beyond = orientation(a, b, ray.target) < 0.0;
                return if is_beyond { RayExit::Through(first + before) } else { RayExit::Ends };
            }
            (a, a_side, before) = (b, b_side, corner);
        }
        RayExit::Unsure
    }

    /// Returns the exit as [`Self::exit_of`] does, for a place that may lie outside the polygon.
    /// `None` if the place is outside, or if the side of a corner needs an exact test.
    #[inline]
    pub(crate) fn exit_from(&self, polygon: u32, ray: &Ray) -> Option<RayExit> {
        let first = self.topology.polygon_first[polygon as usize] as usize;
        let edges = self.walk_edges(polygon);
        let from_start = |edge: &WalkEdge| {
            let at = edge.start();
            (at.x - ray.at.x, at.z - ray.at.z)
        };
        let mut before = edges.len() - 1;
        let mut a = from_start(&edges[before]);
        let mut a_side = ray.rough_side(a.0, a.1);
        let (mut exit, mut inside, mut nearest) = (usize::MAX, f64::INFINITY, f64::INFINITY);
        let less = |first: f64, second: f64| if first < second { first } else { second };
        for (corner, edge) in edges.iter().enumerate() {
            let b = from_start(edge);
            let b_side = ray.rough_side(b.0, b.1);
            inside = less(a.0 * b.1 - a.1 * b.0, inside);
            nearest = less(b_side.abs(), nearest);
            exit = if (a_side < 0.0) & (b_side > 0.0) { before } else { exit };
            (a, a_side, before) = (b, b_side, corner);
        }
        if inside < self.index.buckets.sure_area() || nearest < ray.sure || !self.index.buckets.spans(ray.at)
        {
            return None;
        }
        if exit == usize::MAX {
            return Some(RayExit::Unsure);
        }
        let next = if exit + 1 == edges.len() { 0 } else { exit + 1 };
        let is_beyond = orientation(edges[exit].start(), edges[next].start(), ray.target) < 0.0;
        Some(if is_beyond { RayExit::Through(first + exit) } else { RayExit::Ends })
    }

    /// Returns a ray from a place of the mesh.
    #[inline]
    pub(crate) fn ray(&self, at: PlanPosition, target: PlanPosition) -> Ray {
        let direction = (target.x - at.x, target.z - at.z);
        let sure = sure_above(self.index.buckets.largest_product(direction));
        Ray { at, target, direction, sure }
    }
}
