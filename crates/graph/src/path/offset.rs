//! Corners moved away from walls, so that agents do not hug them.

use glam::{Vec2, Vec3, Vec3Swizzles};
use waymesh_core::{PolyId, nearest_f32};

use super::result::{Path, length, plan_length};
use crate::geometry::plan::{PlanPosition, orientation};
use crate::locate::error::{PathEnd, QueryError};
use crate::locate::nearest::Location;
use crate::locate::reach::unless_0_or_more;
use crate::mesh::costs::Rules;
use crate::mesh::nav_mesh::NavMesh;

/// Parts of the room that there is, tried in turns until both legs are free.
const SHARES: [f32; 4] = [1.0, 0.5, 0.25, 0.125];

impl NavMesh {
    /// Moves corners away from walls: see [`crate::Query::offset_corners`].
    pub(crate) fn offset_corners(
        &self,
        path: &Path,
        distance: f32,
        rules: &impl Rules,
        passed: &mut Vec<PolyId>,
        out: &mut Path,
    ) -> Result<usize, QueryError> {
        out.clear();
        unless_0_or_more("distance", distance)?;
        if let Some(&polygon) = path.polygons.iter().find(|&&polygon| !self.has_polygon(polygon)) {
            return Err(QueryError::NoPolygon { polygon });
        }
        if let Some(&position) = path.points.iter().find(|point| !point.is_finite()) {
            return Err(QueryError::NotFinite { end: PathEnd::Start, position });
        }
        (out.outcome, out.found_by, out.was_cut) = (path.outcome, path.found_by, path.was_cut);
        out.links.extend_from_slice(&path.links);
        let (Some(&first), Some(&polygon)) = (path.points.first(), path.polygons.first()) else {
            return Ok(0);
        };
        out.points.push(first);
        out.polygons.push(polygon);
        let mut from = Stand { at: self.at(polygon, first), polygon: 0, has_moved: false };
        let (mut moved, mut cost) = (0, 0.0);
        let mut link_places =
            path.links.iter().filter(|taken| !self.is_crossed_like_edge(taken.link)).peekable();
        for (index, &point) in path.points.iter().enumerate().skip(1) {
            let is_landing = link_places.next_if(|taken| taken.point + 1 == index).is_some();
            let is_link = link_places.peek().is_some_and(|taken| taken.point == index);
            let place = self.polygon_at(path, from.polygon, point, is_landing);
            let stays = Stand { at: self.at(path.polygons[place], point), polygon: place, has_moved: false };
            let is_fixed = is_landing || is_link || index + 1 == path.points.len();
            let aside = if is_fixed {
                None
            } else {
                self.step_aside(&from, &stays, path.points[index + 1], distance, rules, passed)?
            };
            if is_landing {
                let [begin, end] = [from.polygon, place].map(|place| path.polygons[place].0);
                let metre = rules.per_metre(self, begin).max(rules.least());
                cost += metre * from.at.position.distance(point) + rules.entering(self, begin, end);
                out.polygons.extend_from_slice(&path.polygons[from.polygon + 1..=place]);
            } else if from.has_moved || aside.is_some() {
                let to = aside.unwrap_or(stays.at).position;
                self.raycast(&from.at, to, rules, passed)?;
                let end = aside.map_or(path.polygons[place], |at| at.polygon);
                append(passed, &[end]);
                cost += self.cost_of_leg([from.at.position, to], passed, rules);
                append(&mut out.polygons, passed);
            } else {
                let kept = &path.polygons[from.polygon..=place];
                cost += self.cost_of_leg([from.at.position, point], kept, rules);
                append(&mut out.polygons, kept);
            }
            moved += usize::from(aside.is_some());
            from = aside.map_or(stays, |at| Stand { at, has_moved: true, ..stays });
            out.points.push(from.at.position);
        }
        // A path within one polygon, or one that ends where several meet.
        append(&mut out.polygons, &path.polygons[from.polygon..]);
        (out.length, out.plan_length) = (length(&out.points), plan_length(&out.points));
        let links = path
            .links
            .iter()
            .filter_map(|taken| Some(self.link(taken.link)?.extra_cost + rules.taking(self, taken.link)));
        out.cost = if moved == 0 { path.cost } else { cost + links.sum::<f32>() };
        Ok(moved)
    }

    /// Returns what a straight leg costs that passes these polygons, without the links on it.
    fn cost_of_leg(&self, [from, to]: [Vec3; 2], polygons: &[PolyId], rules: &impl Rules) -> f32 {
        let length = from.distance(to);
        if rules.is_length() {
            return length;
        }
        let [a, b] = [from, to].map(|end| {
            let [x, _, z] = self.frame.to_grid(end);
            PlanPosition { x, z }
        });
        let (mut passed, mut sum) = (0.0_f64, 0.0);
        for (index, &polygon) in polygons.iter().enumerate() {
            let is_last = index + 1 == polygons.len();
            let exit = if is_last { 1.0 } else { self.leaves_at(polygon.0, [a, b]).max(passed) };
            sum += length * nearest_f32(exit - passed) * rules.per_metre(self, polygon.0);
            passed = exit;
            if let Some(next) = polygons.get(index + 1).filter(|&&next| next != polygon) {
                sum += rules.entering(self, polygon.0, next.0);
            }
        }
        sum
    }

    /// Returns the share of a straight line, which begins in a polygon, at which it leaves it.
    fn leaves_at(&self, polygon: u32, [from, to]: [PlanPosition; 2]) -> f64 {
        let shares = self.edge_range(polygon as usize).filter_map(|edge| {
            let [right, left] = self.ends_of(polygon, edge);
            let [inside, outside] = [from, to].map(|end| orientation(right, left, end));
            (outside < 0.0).then(|| if inside > 0.0 { inside / (inside - outside) } else { 0.0 })
        });
        shares.fold(1.0, f64::min)
    }

    fn at(&self, polygon: PolyId, position: Vec3) -> Location {
        Location { polygon, position, generation: self.generation }
    }

    /// Returns the first polygon of a path, from one of them on, that holds a point of it.
    fn polygon_at(&self, path: &Path, first: usize, point: Vec3, is_landing: bool) -> usize {
        // A link may land straight above where it was taken.
        let begin = first + usize::from(is_landing && first + 1 < path.polygons.len());
        let near = |polygon: PolyId| {
            self.height_in_polygon(polygon, point)
                .is_some_and(|height| (height - point.y).abs() <= self.near())
        };
        let polygons =
            || (begin..path.polygons.len()).filter(|&index| self.contains(path.polygons[index], point));
        polygons().find(|&index| near(path.polygons[index])).or_else(|| polygons().next()).unwrap_or(begin)
    }

    /// Heights that differ by less are those of one place.
    fn near(&self) -> f32 {
        self.agent.height / 2.0
    }

    /// Returns where a corner goes, if it can.
    fn step_aside(
        &self,
        from: &Stand,
        corner: &Stand,
        next: Vec3,
        distance: f32,
        rules: &impl Rules,
        passed: &mut Vec<PolyId>,
    ) -> Result<Option<Location>, QueryError> {
        let at = corner.at.position;
        let (come, go) = (direction(from.at.position, at), direction(at, next));
        // Away from the inner side of the turn.
        let aside = come - go;
        if aside.length() < 1e-4 || distance <= 0.0 {
            return Ok(None);
        }
        let aside = aside.normalize();
        let to = |length: f32| Vec3::new(at.x + aside.x * length, at.y, at.z + aside.y * length);
        // Beyond any mesh, rays would lose their precision.
        let far = (2.0 * distance).min(1e6);
        let free = self.raycast(&corner.at, to(far), rules, passed)?.fraction * far;
        let room = distance.min(free / 2.0);
        for share in SHARES {
            let ray = self.raycast(&corner.at, to(room * share), rules, passed)?;
            let is_free = ray.hit.is_none() && room * share > 0.0;
            let end = ray.end(self);
            if is_free
                && self.is_free(&from.at, end.position, rules, passed)?
                && self.is_free(&end, next, rules, passed)?
            {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Returns `true` if one gets straight to a point of the same storey.
    fn is_free(
        &self,
        from: &Location,
        to: Vec3,
        rules: &impl Rules,
        passed: &mut Vec<PolyId>,
    ) -> Result<bool, QueryError> {
        let ray = self.raycast(from, to, rules, passed)?;
        Ok(ray.hit.is_none() && (ray.end(self).position.y - to.y).abs() <= self.near())
    }
}

/// A point of the path as it is written.
#[derive(Clone, Copy)]
struct Stand {
    at: Location,
    /// Place of its polygon, unmoved, among those of the path.
    polygon: usize,
    has_moved: bool,
}

fn direction(from: Vec3, to: Vec3) -> Vec2 {
    (to.xz() - from.xz()).normalize_or_zero()
}

/// Adds polygons, but none twice in succession.
fn append(polygons: &mut Vec<PolyId>, more: &[PolyId]) {
    for &polygon in more {
        if polygons.last() != Some(&polygon) {
            polygons.push(polygon);
        }
    }
}
