//! The ground under a path: where it bends between two corners.

use glam::{DVec3, Vec3, Vec3Swizzles};
use waymesh_core::{PolyId, nearest_f32, to_u32};

use super::funnel::Turn;
use crate::geometry::plan::{PlanPosition, orientation};
use crate::locate::error::QueryError;
use crate::locate::nearest::{Location, Spot};
use crate::locate::reach::unless_0_or_more;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;

/// Two shares of a line that differ by less are one place.
const SAME_SHARE: f64 = 1e-9;

/// Two heights that differ by less are one, in metres: what single precision leaves of a coordinate
/// of some kilometres.
const SAME_HEIGHT: f64 = 1e-4;

/// The ground under a straight line, from one bend to the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    /// Bends of the ground of the current polygon, as shares of the line.
    shares: Vec<f64>,
    /// Metres from the frame's origin. The first is the last point that was written.
    pub(super) points: Vec<DVec3>,
    /// Metres in space since the path began.
    pub(super) length: f64,
}

impl Profile {
    /// Calls `write` for points after the first, so that a chain of them and the last is no farther
    /// than `error` metres above or below the ground. The last is known from now on; it is written
    /// if `with_last`.
    pub(super) fn flush(&mut self, error: f64, with_last: bool, mut write: impl FnMut(DVec3)) {
        let Some((&last, _)) = self.points.split_last() else { return };
        let mut anchor = self.points[0];
        // Slopes of lines from the anchor that pass near enough to all points since.
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut before = anchor;
        for &point in &self.points[1..] {
            let slope = (point.y - anchor.y) / (point - anchor).xz().length();
            if slope < least || slope > most {
                write(before);
                anchor = before;
                (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
            }
            let run = (point - anchor).xz().length();
            if run > 0.0 {
                least = least.max((point.y - error - anchor.y) / run);
                most = most.min((point.y + error - anchor.y) / run);
            }
            before = point;
        }
        if with_last && self.points.len() > 1 {
            write(last);
        }
        self.points.clear();
        self.points.push(last);
    }
}

impl NavMesh {
    /// Returns the height of a place in a polygon, and where that is in metres from the frame's
    /// origin.
    fn ground_point(&self, polygon: PolyId, at: PlanPosition) -> DVec3 {
        let (cell, level) = (f64::from(self.frame.cell_size), f64::from(self.frame.level_height));
        DVec3::new(at.x * cell, self.height_at(polygon.index(), at) * level, at.z * cell)
    }

    pub(super) fn ground_to_world(&self, point: DVec3) -> Vec3 {
        (self.frame.origin.as_dvec3() + point).as_vec3()
    }

    /// Follows the ground of a polygon along a straight line within it. Returns its length in metres.
    pub(super) fn trace(&self, polygon: PolyId, [from, to]: [PlanPosition; 2], profile: &mut Profile) -> f64 {
        profile.shares.clear();
        let bounds = &self.index.bounds[polygon.index()];
        if bounds.min_height < bounds.max_height {
            self.bends(polygon, [from, to], &mut profile.shares);
            profile.shares.sort_unstable_by(f64::total_cmp);
            profile.shares.dedup_by(|next, kept| *next - *kept <= SAME_SHARE);
        }
        let mut length = 0.0;
        for index in 0..=profile.shares.len() {
            let at = profile.shares.get(index).map_or(to, |share| PlanPosition {
                x: from.x + (to.x - from.x) * share,
                z: from.z + (to.z - from.z) * share,
            });
            let point = self.ground_point(polygon, at);
            length += profile.points.last().map_or(0.0, |last| last.distance(point));
            profile.points.push(point);
        }
        profile.length += length;
        length
    }

    /// Adds the shares of a line at which it crosses from one triangle of a polygon's ground to the
    /// next.
    fn bends(&self, polygon: PolyId, [from, to]: [PlanPosition; 2], shares: &mut Vec<f64>) {
        let (dx, dz) = (to.x - from.x, to.z - from.z);
        let mut cross = |[ax, az]: [f64; 2], [bx, bz]: [f64; 2]| {
            let (ex, ez) = (bx - ax, bz - az);
            let turn = dx * ez - dz * ex;
            let (share, along) = (
                ((ax - from.x) * ez - (az - from.z) * ex) / turn,
                ((ax - from.x) * dz - (az - from.z) * dx) / turn,
            );
            let is_met = share > SAME_SHARE && share < 1.0 - SAME_SHARE;
            if is_met && (-SAME_SHARE..=1.0 + SAME_SHARE).contains(&along) {
                shares.push(share);
            }
        };
        match &self.surface.heights {
            Some(surface) => {
                for triangle in &surface.triangles[surface.triangles_of(polygon.index())] {
                    let corners = triangle.map(|point| {
                        let point = &surface.points[point as usize];
                        [f64::from(point.x), f64::from(point.z)]
                    });
                    for side in 0..3 {
                        cross(corners[side], corners[(side + 1) % 3]);
                    }
                }
            }
            // The triangles between the edges and the mean of the corners.
            None => {
                let corners = &self.topology.corners[self.edge_range(polygon.index())];
                let share = 1.0 / corners.len() as f64;
                let mean = corners.iter().fold([0.0; 2], |[x, z], corner| {
                    [x + f64::from(corner.x) * share, z + f64::from(corner.z) * share]
                });
                for corner in corners {
                    cross(mean, [f64::from(corner.x), f64::from(corner.z)]);
                }
            }
        }
    }

    /// Returns the length in metres of the ground under a straight line that begins in polygon `first`
    /// and passes these crossings, each with the polygon beyond it. A step at one is a part of it.
    pub(super) fn ground_length(
        &self,
        [from, to]: [PlanPosition; 2],
        first: u32,
        crossings: impl Iterator<Item = (u32, u32)>,
        profile: &mut Profile,
    ) -> f64 {
        let turns = [from, to].map(|at| Turn { at, crossed: 0 });
        let (mut polygon, mut at) = (PolyId(first), from);
        profile.length = 0.0;
        profile.points.clear();
        self.begin_ground(polygon, at, profile);
        for (crossing, beyond) in crossings {
            let next = self.passed_at(turns, polygon, crossing);
            self.trace(polygon, [at, next], profile);
            (polygon, at) = (PolyId(beyond), next);
            if self.is_link(crossing) {
                self.begin_ground(polygon, at, profile);
            }
        }
        self.trace(polygon, [at, to], profile);
        profile.length
    }

    /// Returns `true` if the ground is as long under the straight line from start to goal as that.
    pub(super) fn is_level(
        &self,
        [start, goal]: [&Spot; 2],
        corridor: &[u32],
        profile: &mut Profile,
    ) -> bool {
        let crossings = corridor.iter().map(|&crossing| (crossing, self.beyond(crossing)));
        let length = self.ground_length([start.at, goal.at], start.polygon, crossings, profile);
        let straight = start.at.distance_squared(goal.at).sqrt() * f64::from(self.frame.cell_size);
        length <= straight * (1.0 + 1e-9)
    }

    /// Returns where the segment between two turns passes an edge, in one of its ends where it does
    /// not cross it.
    pub(super) fn passed_at(&self, [from, to]: [Turn; 2], polygon: PolyId, crossing: u32) -> PlanPosition {
        self.crossing_at([from, to], polygon, crossing).unwrap_or_else(|| {
            let ends = self.edge_ends(polygon, crossing);
            if ends.contains(&from.at) {
                from.at
            } else if ends.contains(&to.at) {
                to.at
            } else {
                // In line with the edge, it passes the nearer end first.
                let [a, b] = ends.map(|end| (end.distance_squared(from.at), end));
                if a.0 < b.0 { a.1 } else { b.1 }
            }
        })
    }

    /// Returns where the segment between two turns crosses an edge, unless one is an end of the
    /// other or both are in line.
    pub(super) fn crossing_at(
        &self,
        [from, to]: [Turn; 2],
        polygon: PolyId,
        crossing: u32,
    ) -> Option<PlanPosition> {
        let [right, left] = self.edge_ends(polygon, crossing);
        let (r, l) = (orientation(from.at, to.at, right), orientation(from.at, to.at, left));
        if [right, left].iter().any(|&end| end == from.at || end == to.at) || l - r <= 0.0 {
            return None;
        }
        let t = (-r / (l - r)).clamp(0.0, 1.0);
        Some(PlanPosition { x: right.x + (left.x - right.x) * t, z: right.z + (left.z - right.z) * t })
    }

    pub(crate) fn position_in(&self, polygon: PolyId, at: PlanPosition) -> Vec3 {
        self.on_ground(polygon, self.frame.to_world(at.x, 0.0, at.z))
    }

    /// Begins at a place. Where the ground there is another than where the profile ends, which is at
    /// a link that is crossed like an edge, it is a point of the path.
    pub(super) fn begin_ground(
        &self,
        polygon: PolyId,
        at: PlanPosition,
        profile: &mut Profile,
    ) -> Option<Vec3> {
        let point = self.ground_point(polygon, at);
        let step = profile.points.last().map_or(0.0, |last| (point.y - last.y).abs());
        profile.points.clear();
        profile.points.push(point);
        (step > SAME_HEIGHT).then(|| {
            profile.length += step;
            self.ground_to_world(point)
        })
    }

    /// Appends the places where the ground bends: see [`crate::Query::ground_between`].
    pub(crate) fn ground_between(
        &self,
        from: &Location,
        to: Vec3,
        error: f32,
        filter: &impl PolygonFilter,
        (passed, profile): (&mut Vec<PolyId>, &mut Profile),
        points: &mut Vec<Vec3>,
    ) -> Result<Option<f32>, QueryError> {
        unless_0_or_more("error", error)?;
        if self.raycast(from, to, filter, passed)?.hit.is_some() {
            return Ok(None);
        }
        let begin = self.spot_of(from)?.at;
        let [x, _, z] = self.frame.to_grid(to);
        let end = PlanPosition { x, z };
        profile.points.clear();
        profile.length = 0.0;
        let mut at = begin;
        for (index, &polygon) in passed.iter().enumerate() {
            let next = if index + 1 == passed.len() { end } else { self.leaves(polygon, [at, end]) };
            let last = profile.points.last().copied();
            if last.is_none_or(|last| (last.y - self.ground_point(polygon, at).y).abs() > SAME_HEIGHT) {
                profile.flush(f64::from(error), true, |point| points.push(self.ground_to_world(point)));
                points.extend(self.begin_ground(polygon, at, profile));
            }
            self.trace(polygon, [at, next], profile);
            at = next;
        }
        profile.flush(f64::from(error), false, |point| points.push(self.ground_to_world(point)));
        Ok(Some(nearest_f32(profile.length)))
    }

    /// Returns the last place of a line that lies in a polygon.
    fn leaves(&self, polygon: PolyId, [from, to]: [PlanPosition; 2]) -> PlanPosition {
        let (dx, dz) = (to.x - from.x, to.z - from.z);
        let range = self.edge_range(polygon.index());
        let mut share = 1.0_f64;
        for edge in range {
            let [a, b] = self.edge_ends(polygon, to_u32(edge));
            let (nx, nz) = (b.z - a.z, a.x - b.x);
            let (ahead, left) = (dx * nx + dz * nz, (a.x - from.x) * nx + (a.z - from.z) * nz);
            // Out of the polygon over this edge.
            if ahead > 0.0 {
                share = share.min((left / ahead).max(0.0));
            }
        }
        PlanPosition { x: from.x + dx * share, z: from.z + dz * share }
    }
}
