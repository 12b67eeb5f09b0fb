//! Merges convex polygons to groups that are nearly convex.

use std::cmp::Reverse;

use glam::DVec2;
use waymesh_core::{DisjointSets, PlanPoint, PolyId, to_u32};

use super::RelaxedPolygons;
use crate::geometry::disc::distance_squared;
use crate::mesh::bounds::{Corner, NO_NEIGHBOUR};
use crate::mesh::nav_mesh::NavMesh;

/// Shares of the distance that merging goes through: what is almost convex is merged first, which
/// leaves fewer groups than the full distance at once.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 1.0, 1.0];

/// Returns for each polygon the name of its group, the lowest of its members. `distance` is in
/// cells.
pub(super) fn merge(mesh: &NavMesh, distance: f64) -> Vec<u32> {
    let count = mesh.polygon_bound();
    let border = |polygon: PolyId| {
        let range = if mesh.has_polygon(polygon) { mesh.edge_range(polygon.index()) } else { 0..0 };
        range.map(to_u32).collect()
    };
    let mut groups = Groups {
        mesh,
        sets: DisjointSets::new(count),
        borders: (0..count).map(PolyId::from_index).map(border).collect(),
        hull: Hull::default(),
        merged: Vec::new(),
    };
    let mut edges = inner_edges(mesh);
    for share in SHARES {
        edges.retain(|&(_, edge, polygon)| !groups.try_merge(edge, polygon, share * distance));
    }
    (0..to_u32(count)).map(|polygon| groups.sets.find(polygon)).collect()
}

/// Returns the edges between polygons of one region and area, each once, the longest first:
/// squared length, edge, polygon.
fn inner_edges(mesh: &NavMesh) -> Vec<(Reverse<u64>, u32, u32)> {
    let mut edges = Vec::new();
    for polygon in mesh.polygon_ids().map(PolyId::index) {
        for edge in mesh.edge_range(polygon) {
            let other = mesh.topology.neighbours[edge];
            if other == NO_NEIGHBOUR || (other as usize) < polygon {
                continue;
            }
            let same = mesh.topology.regions[polygon] == mesh.topology.regions[other as usize]
                && mesh.topology.areas[polygon] == mesh.topology.areas[other as usize];
            if same {
                let (edge, polygon) = (to_u32(edge), to_u32(polygon));
                let [a, b] = mesh.edge_corners(PolyId(polygon), edge).map(Corner::point);
                edges.push((Reverse(a.distance_squared(b)), edge, polygon));
            }
        }
    }
    edges.sort_unstable();
    edges
}

struct Groups<'a> {
    mesh: &'a NavMesh,
    sets: DisjointSets,
    /// By the name of a group: the edges around it, in order.
    borders: Vec<Vec<u32>>,
    hull: Hull,
    merged: Vec<u32>,
}

impl Groups<'_> {
    /// Merges the groups on both sides of an edge of a polygon, if they are nearly convex together
    /// and meet in this edge only.
    fn try_merge(&mut self, edge: u32, polygon: u32, distance: f64) -> bool {
        let (mesh, twin) = (self.mesh, self.mesh.topology.fans.twin(edge));
        let [one, other] =
            [polygon, mesh.topology.neighbours[edge as usize]].map(|polygon| self.sets.find(polygon));
        let length = self.borders[one as usize].len() + self.borders[other as usize].len() - 2;
        if one == other || length > RelaxedPolygons::MAX_CORNERS {
            return false;
        }
        let shorter = if self.borders[one as usize].len() < self.borders[other as usize].len() {
            [one, other]
        } else {
            [other, one]
        };
        let mut shared = 0;
        for &edge in &self.borders[shorter[0] as usize] {
            let beyond = mesh.topology.neighbours[edge as usize];
            shared += usize::from(beyond != NO_NEIGHBOUR && self.sets.find(beyond) == shorter[1]);
        }
        if shared != 1 {
            return false;
        }
        self.merged.clear();
        for (group, skipped) in [(one, edge), (other, twin)] {
            let border = &self.borders[group as usize];
            let at = border.iter().position(|&edge| edge == skipped).unwrap_or(0);
            self.merged.extend(border[at + 1..].iter().chain(&border[..at]));
        }
        if !self
            .hull
            .is_near(self.merged.iter().map(|&edge| mesh.topology.corners[edge as usize].point()), distance)
        {
            return false;
        }
        let name = self.sets.unite(one, other);
        self.borders[one as usize] = Vec::new();
        self.borders[other as usize] = Vec::new();
        self.borders[name as usize].extend(&self.merged);
        true
    }
}

/// Measures the depth of a border inside of its convex hull; keeps its memory.
#[derive(Default)]
struct Hull {
    border: Vec<PlanPoint>,
    sorted: Vec<PlanPoint>,
    corners: Vec<PlanPoint>,
}

impl Hull {
    /// Returns `true` if no point of a border is farther than `distance` from the edge of the hull
    /// in front of it.
    fn is_near(&mut self, border: impl Iterator<Item = PlanPoint>, distance: f64) -> bool {
        self.border.clear();
        self.border.extend(border);
        self.find();
        let is_corner =
            |point: &PlanPoint| self.corners.binary_search_by_key(&key(*point), |p| key(*p)).is_ok();
        let Some(first) = self.border.iter().position(is_corner) else { return false };
        let count = self.border.len();
        let at = |index: usize| self.border[(first + index) % count];
        let mut from = 0;
        for to in 1..=count {
            if !is_corner(&at(to)) {
                continue;
            }
            let ends = [at(from), at(to)].map(plan);
            if (from + 1..to).any(|between| distance_squared(ends, plan(at(between))) > distance * distance) {
                return false;
            }
            from = to;
        }
        true
    }

    /// Leaves the corners of the hull, sorted (Andrew's monotone chain).
    fn find(&mut self) {
        self.sorted.clear();
        self.sorted.extend(&self.border);
        self.sorted.sort_unstable_by_key(|&point| key(point));
        self.sorted.dedup();
        self.corners.clear();
        // The lower chain, then the upper one.
        for turn in [1, -1] {
            let base = self.corners.len();
            for &point in &self.sorted {
                while self.corners.len() >= base + 2 {
                    let [.., a, b] = self.corners[base..] else { break };
                    if turn * PlanPoint::orientation(a, b, point).signum() > 0 {
                        break;
                    }
                    self.corners.pop();
                }
                self.corners.push(point);
            }
        }
        self.corners.sort_unstable_by_key(|&point| key(point));
        self.corners.dedup();
    }
}

fn key(point: PlanPoint) -> (i32, i32) {
    (point.x, point.z)
}

fn plan(point: PlanPoint) -> DVec2 {
    DVec2::new(f64::from(point.x), f64::from(point.z))
}
