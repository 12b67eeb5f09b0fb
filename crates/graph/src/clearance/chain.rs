//! Paths as they are given out: chains of points on the ground.

use std::ops::Range;

use glam::{DVec2, Vec3, dvec2};
use waymesh_core::{PolyId, float};

use super::bounds::NO_INDEX;
use super::fit::Fit;
use super::memory::ClearanceScratch;
use super::mesh::ClearanceNavMesh;
use super::path::ClearPathOptions;
use super::table::Table;
use crate::geometry::disc::{angle, between_squared, distance_squared, faces, is_nearer, touch};
use crate::locate::nearest::Location;
use crate::locate::reach::Reach;
use crate::marks::Marks;
use crate::path::{LinkUse, Path};

impl ClearanceNavMesh {
    /// Writes the path that was found, piece by piece from gate to gate.
    #[expect(clippy::cast_possible_truncation, reason = "lengths in single precision")]
    pub(super) fn write(
        &self,
        [start, goal]: [&Fit; 2],
        asked: [Vec3; 2],
        cost: f64,
        options: &ClearPathOptions,
        scratch: &mut ClearanceScratch,
        path: &mut Path,
    ) {
        path.clearance = f32::INFINITY;
        let (mut begin, mut begin_asked, mut plan_length) = (*start, asked[0], cost);
        let mut rest = scratch.memory.way.len();
        for at in (0..rest).rev() {
            let gate = scratch.memory.roots[scratch.memory.way[at].0 as usize].gate;
            if gate == NO_INDEX {
                continue;
            }
            let gate = *scratch.gates.at(gate);
            let asked = [begin_asked, gate.asked[0]];
            self.write_piece([&begin, &gate.ends[0]], asked, at + 1..rest, options, scratch, path);
            path.links.push(LinkUse {
                link: self.mesh.links.ids[gate.link.index()],
                backwards: gate.backwards,
                point: path.points.len() - 1,
            });
            (begin, begin_asked, rest) = (gate.ends[1], gate.asked[1], at + 1);
            plan_length += (gate.ends[1].at - gate.ends[0].at).length() - gate.cost;
        }
        self.write_piece([&begin, goal], [begin_asked, asked[1]], 0..rest, options, scratch, path);
        let chain = path.points.windows(2).map(|pair| f64::from(pair[0].distance(pair[1])));
        path.length = chain.sum::<f64>() as f32;
        let extra = path.links.iter().filter_map(|taken| Some(self.mesh.link(taken.link)?.extra_cost));
        path.cost = path.length + extra.sum::<f32>();
        path.plan_length = plan_length as f32;
    }

    /// Appends a piece over the ground: some of the turns of the path.
    fn write_piece(
        &self,
        [start, goal]: [&Fit; 2],
        asked: [Vec3; 2],
        turns: Range<usize>,
        options: &ClearPathOptions,
        scratch: &mut ClearanceScratch,
        path: &mut Path,
    ) {
        let frame = &self.mesh.frame;
        let size = f64::from(frame.cell_size);
        let radius = f64::from(options.radius);
        let step = (2.0 * float::acos(radius / (radius + f64::from(options.arc_error))))
            .clamp(1e-3, std::f64::consts::FRAC_PI_2);
        let first = self.clear_place(start, asked[0]).location;
        let last = self.clear_place(goal, asked[1]).location;
        let (from, first_link) = (path.points.len(), path.links.len());
        path.points.push(first.position);
        if path.polygons.last() != Some(&first.polygon) {
            path.polygons.push(first.polygon);
        }
        scratch.plan.clear();
        scratch.plan.push((start.at, None));
        let mut at = first;
        let ClearanceScratch { memory, passed, plan, .. } = scratch;
        for &(number, leaves) in memory.way[turns].iter().rev() {
            let root = memory.roots[number as usize];
            if root.side == 0.0 {
                continue;
            }
            let mut turned = root.side * angle(root.arrival, leaves);
            if turned < -1e-3 {
                turned += std::f64::consts::TAU;
            }
            if turned <= 1e-7 {
                continue;
            }
            // Points outside of the arc, so that all lines between them keep the radius: they touch it.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "7000 at most")]
            let count = (turned / step).ceil().max(1.0) as u32;
            let half = root.side * turned / f64::from(count) * 0.5;
            let (sine, cosine) = float::sin_cos(half);
            let (half, offset) = (dvec2(cosine, sine), root.offset / cosine);
            let mut direction = half.rotate(root.arrival);
            plan.push((touch(root.centre, root.offset, root.arrival), None));
            for _ in 0..count {
                let out = touch(root.centre, offset, direction);
                at = self.follow(&at, out, None, passed, path);
                path.points.push(at.position);
                plan.push((out, Some(root.corner)));
                direction = half.rotate(half.rotate(direction));
            }
            plan.push((touch(root.centre, root.offset, leaves), Some(root.corner)));
            let centre = frame.to_world(root.centre.x / size, 0.0, root.centre.y / size);
            path.corners.push(Vec3::new(centre.x, at.position.y, centre.z));
        }
        let end = self.follow(&at, goal.at, Some(&last), passed, path);
        if end.polygon != last.polygon {
            path.polygons.push(last.polygon);
        }
        path.points.push(last.position);
        plan.push((goal.at, None));
        let is_kept = |at: &usize| path.points[*at] != path.points[at - 1];
        for taken in &mut path.links[first_link..] {
            taken.point = from + (from + 1..=taken.point).filter(is_kept).count();
        }
        let mut kept = from + 1;
        for at in from + 1..path.points.len() {
            if path.points[at] != path.points[kept - 1] {
                path.points[kept] = path.points[at];
                kept += 1;
            }
        }
        path.points.truncate(kept);
        #[expect(clippy::cast_possible_truncation, reason = "lengths in single precision")]
        {
            path.clearance = path.clearance.min(self.kept(start.triangle, scratch) as f32);
        }
    }

    /// Follows the ground straight from the last point of a path, and appends the passed polygons and
    /// open links. Of the last point only the position is known, not the polygon.
    fn follow(
        &self,
        from: &Location,
        to: DVec2,
        goal: Option<&Location>,
        passed: &mut Vec<PolyId>,
        path: &mut Path,
    ) -> Location {
        let frame = &self.mesh.frame;
        let size = f64::from(frame.cell_size);
        let mut target = frame.to_world(to.x / size, 0.0, to.y / size);
        target.y = from.position.y;
        if goal.is_none()
            && path.polygons.last() == Some(&from.polygon)
            && let Some(end) = self.mesh.place_within(from.polygon, target)
        {
            // Most steps round a corner stay in one polygon.
            return end;
        }
        let Ok(ray) = self.mesh.raycast(from, target, &self.admitted, passed) else { return *from };
        let mut end = match goal {
            Some(goal) if ray.hit.is_none() => Location { polygon: ray.polygon, ..*goal },
            _ => ray.end(&self.mesh),
        };
        if ray.hit.is_some() {
            // A corner that is only touched: the adjacent ground, perhaps a step up or down.
            let apart = end.position.distance(target);
            let Reach { up, down, .. } = self.mesh.default_reach();
            let reach = Reach::new(frame.cell_size * 0.01, apart + up, apart + down);
            let near = Vec3::new(target.x, end.position.y, target.z);
            let spot = self.mesh.nearest_spot(near, &reach, |polygon| self.admitted.has(polygon));
            end = spot.map_or(end, |spot| self.mesh.location(&spot, near));
            if passed.last() != Some(&end.polygon) {
                passed.push(end.polygon);
            }
        }
        let way = [dvec2(f64::from(from.position.x), f64::from(from.position.z)), to];
        let origin = dvec2(f64::from(frame.origin.x), f64::from(frame.origin.z));
        let way = [way[0] - origin, way[1]];
        for &polygon in passed.iter() {
            let Some(last) = path.polygons.last().copied().filter(|&last| last != polygon) else { continue };
            let point = path.points.len() - 1;
            let mut step = |last: PolyId, polygon: PolyId| {
                let crossed = self.open.crossed(&self.mesh, [last, polygon], |segment| {
                    between_squared(way, segment.map(|end| self.plane_of(end)))
                });
                path.links.extend(crossed.map(|(link, backwards)| {
                    let link = self.mesh.links.ids[link.index()];
                    LinkUse { link, backwards, point }
                }));
                path.polygons.push(polygon);
            };
            if self.open.is_step(&self.mesh, [last, polygon]) {
                step(last, polygon);
                continue;
            }
            let mut last = last;
            self.open.between(&self.mesh, [last, polygon], |polygon| {
                step(std::mem::replace(&mut last, polygon), polygon);
            });
        }
        end
    }

    /// Returns the least distance of the chain in `scratch.plan` from any wall. Straight lines
    /// between arcs keep the radius that was searched for; what is outside of the arcs may not.
    fn kept(&self, mut triangle: u32, scratch: &mut ClearanceScratch) -> f64 {
        let table = &self.table;
        let ClearanceScratch { memory, plan, seen, walls, straight, .. } = scratch;
        if plan.len() == 2 {
            let way = [plan[0].0, plan[1].0];
            let kept = straight.or_else(|| self.kept_straight(triangle, way, 0.0, &mut memory.stack, seen));
            return kept.unwrap_or(0.0);
        }
        // At a corner that it turns round it is as near as the disc is wide.
        let mut best = memory.offset_squared();
        // Number of triangles that were followed: most arcs have room all around.
        let mut known = 0;
        let mut at = 1;
        while at < plan.len() {
            let Some(corner) = plan[at].1 else {
                at += 1;
                continue;
            };
            let (from, centre) = (plan[at - 1].0, table.start(corner));
            let count = plan[at..].iter().take_while(|point| point.1.is_some()).count();
            let arc = &plan[at - 1..at + count];
            let far = arc.iter().map(|point| (point.0 - centre).length_squared()).fold(0.0, f64::max).sqrt();
            if table.has_room_round(corner, far, best.sqrt()) {
                at += count;
                continue;
            }
            triangle = follow_chain(table, triangle, &plan[known..at]);
            known = at - 1;
            // The walls near the whole arc.
            let limit = float::squared(far + best.sqrt());
            let ends = [from, arc[count].0];
            walls.clear();
            table.spread(triangle, &mut memory.stack, seen, |side, side_ends| {
                let is_near = distance_squared(side_ends, centre) < limit;
                if is_near && table.is_wall(side) {
                    walls.push(side_ends);
                }
                Some(is_near && faces(side_ends, ends))
            });
            for pair in arc.windows(2) {
                let way = [pair[0].0, pair[1].0];
                for &wall in walls.iter() {
                    if is_nearer(way, wall, best.sqrt()) {
                        best = best.min(between_squared(way, wall));
                    }
                }
            }
            at += count;
        }
        best.sqrt()
    }

    /// Returns the least distance from any wall of a disc that goes straight from where it fits to
    /// where it fits; `None` if it cannot.
    pub(super) fn keeps_straight(
        &self,
        [from, to]: [&Fit; 2],
        radius: f64,
        stack: &mut Vec<u32>,
        seen: &mut Marks,
    ) -> Option<f64> {
        let table = &self.table;
        let last = table.walk(from.triangle, None, from.at, to.at);
        if !table.is_in(last, to.at, to.triangle) {
            return None;
        }
        self.kept_straight(from.triangle, [from.at, to.at], radius, stack, seen)
    }

    /// Returns the least distance of a straight way, which begins in `triangle`, from any wall; `None`
    /// if that is less than `least`.
    pub(super) fn kept_straight(
        &self,
        triangle: u32,
        way: [DVec2; 2],
        least: f64,
        stack: &mut Vec<u32>,
        seen: &mut Marks,
    ) -> Option<f64> {
        let table = &self.table;
        // Every vertex lies on a wall.
        let corners =
            (3 * triangle..3 * triangle + 3).map(|corner| distance_squared(way, table.start(corner)));
        let mut best = corners.fold(f64::INFINITY, f64::min).sqrt();
        let is_kept = best >= least
            && table.spread(triangle, stack, seen, |side, ends| {
                // Few are as near as the nearest wall so far.
                if !is_nearer(way, ends, best) {
                    return Some(false);
                }
                if table.is_wall(side) {
                    best = best.min(between_squared(way, ends).sqrt());
                }
                (best >= least).then(|| faces(ends, way))
            });
        is_kept.then_some(best)
    }

    /// Returns `true` if a disc may go straight from where it fits to a place, but for what points in
    /// single precision and arcs in pieces lose.
    pub(crate) fn goes_straight(
        &self,
        from: &Fit,
        to: Vec3,
        radius: f32,
        scratch: &mut ClearanceScratch,
    ) -> bool {
        let radius = f64::from(self.distance_of(radius));
        let loose = f64::min(1e-4, 0.25 * radius);
        let size = f64::from(self.mesh.frame.cell_size);
        let [x, _, z] = self.mesh.frame.to_grid(to);
        let to = dvec2(x * size, z * size);
        let last = self.table.walk(from.triangle, None, from.at, to);
        let ClearanceScratch { memory, seen, .. } = scratch;
        let least = radius * (1.0 - 1e-3) - loose;
        self.table.holds(last, to, loose)
            && self.kept_straight(from.triangle, [from.at, to], least, &mut memory.stack, seen).is_some()
    }
}

/// Returns the triangle of the last point of a chain that begins in `triangle`.
fn follow_chain(table: &Table, mut triangle: u32, chain: &[(DVec2, Option<u32>)]) -> u32 {
    let mut at = 1;
    while at < chain.len() {
        // Half way round an arc, then on: no corner lies between.
        let count = chain[at..].iter().take_while(|point| point.1.is_some()).count();
        let (from, last) = (at - 1, at + count.max(1) - 1);
        let middle = if count > 0 { from + count / 2 } else { last };
        for [from, to] in [[from, middle], [middle, last]] {
            if from < to {
                triangle = table.walk(triangle, None, chain[from].0, chain[to].0);
            }
        }
        at = last + 1;
    }
    triangle
}
