//! Paths as they are given out: chains of points on the ground.

use glam::{DVec2, Vec3, dvec2};
use waymesh_core::PolyId;

use super::fit::Fit;
use super::link_search::Piece;
use super::path::{ClearPath, ClearPathOptions};
use super::{ClearanceNavMesh, ClearanceScratch};
use crate::geometry::disc::{angle, between_squared, distance_squared, faces, is_nearer, touch};
use crate::locate::nearest::{Location, Reach};
use crate::path::LinkUse;

impl ClearanceNavMesh {
    /// Writes a piece of a path over links, and the link after it.
    pub(super) fn write_piece(
        &self,
        piece: &Piece,
        radius: f32,
        options: &ClearPathOptions,
        scratch: &mut ClearanceScratch,
        path: &mut ClearPath,
    ) {
        let [start, goal] = &piece.ends;
        let Some(length) = self.search(start, goal, radius, scratch) else { return };
        let before = path.points.last().copied();
        let first = path.points.len();
        self.write(start, goal, piece.asked, radius, length, options, scratch, path);
        if let (Some(before), Some(&after)) = (before, path.points.get(first)) {
            path.length += before.distance(after);
            path.plan_length += (after.x - before.x).hypot(after.z - before.z);
        }
        if let Some((link, backwards)) = piece.link {
            let link = self.mesh.links.ids[link.index()];
            path.links.push(LinkUse { link, backwards, point: path.points.len() - 1 });
        }
    }

    /// Writes the path that was found, after what is there.
    #[expect(clippy::too_many_arguments, reason = "all that a path is made of")]
    pub(super) fn write(
        &self,
        start: &Fit,
        goal: &Fit,
        asked: [Vec3; 2],
        radius: f32,
        plan_length: f64,
        options: &ClearPathOptions,
        scratch: &mut ClearanceScratch,
        path: &mut ClearPath,
    ) {
        let frame = &self.mesh.frame;
        let size = f64::from(frame.cell_size);
        let radius = f64::from(radius);
        let step = (2.0 * (radius / (radius + f64::from(options.arc_error))).acos())
            .clamp(1e-3, std::f64::consts::FRAC_PI_2);
        let first = self.clear_place(start, asked[0]).location;
        let last = self.clear_place(goal, asked[1]).location;
        let from = path.points.len();
        path.points.push(first.position);
        if path.polygons.last() != Some(&first.polygon) {
            path.polygons.push(first.polygon);
        }
        scratch.plan.clear();
        scratch.plan.push((start.at, None));
        let mut at = first;
        let ClearanceScratch { memory, passed, plan, .. } = scratch;
        for &(number, leaves) in memory.way.iter().rev() {
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
            let count = if radius > 0.0 { (turned / step).ceil().max(1.0) as u32 } else { 1 };
            let part = turned / f64::from(count);
            plan.push((touch(root.centre, root.offset, root.arrival), None));
            for step in 0..count {
                let angle = root.side * part * (f64::from(step) + 0.5);
                let (sine, cosine) = angle.sin_cos();
                let DVec2 { x, y: z } = root.arrival;
                let direction = dvec2(x * cosine - z * sine, x * sine + z * cosine);
                let out = touch(root.centre, root.offset / (part * 0.5).cos(), direction);
                let out = if radius > 0.0 { out } else { root.centre };
                at = self.follow(&at, out, passed, &mut path.polygons);
                path.points.push(at.position);
                plan.push((out, Some(root.centre)));
            }
            plan.push((touch(root.centre, root.offset, leaves), Some(root.centre)));
            let centre = frame.to_world(root.centre.x / size, 0.0, root.centre.y / size);
            path.corners.push(Vec3::new(centre.x, at.position.y, centre.z));
        }
        self.follow(&at, goal.at, passed, &mut path.polygons);
        if path.polygons.last() != Some(&last.polygon) {
            path.polygons.push(last.polygon);
        }
        path.points.push(last.position);
        plan.push((goal.at, None));
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
            let chain = path.points[from..].windows(2).map(|pair| f64::from(pair[0].distance(pair[1])));
            path.length += chain.sum::<f64>() as f32;
            path.plan_length += plan_length as f32;
            path.clearance = path.clearance.min(self.kept(start.triangle, scratch) as f32);
        }
    }

    /// Goes straight on over the ground.
    fn follow(
        &self,
        from: &Location,
        to: DVec2,
        passed: &mut Vec<PolyId>,
        polygons: &mut Vec<PolyId>,
    ) -> Location {
        let frame = &self.mesh.frame;
        let size = f64::from(frame.cell_size);
        let mut target = frame.to_world(to.x / size, 0.0, to.y / size);
        target.y = from.position.y;
        let Ok(ray) = self.mesh.raycast(from, target, &self.admitted, passed) else { return *from };
        let known = usize::from(passed.first() == polygons.last());
        polygons.extend(passed.iter().skip(known));
        if ray.hit.is_none() {
            return ray.end;
        }
        // A corner that is just touched: the ground beside it.
        let apart = ray.end.position.distance(target).max(frame.cell_size);
        let reach = Reach::new(frame.cell_size * 0.01, apart, apart);
        let near = Vec3::new(target.x, ray.end.position.y, target.z);
        let spot = self.mesh.nearest_spot(near, &reach, |polygon| self.admitted.has(polygon));
        let Some(there) = spot.map(|spot| self.mesh.location(&spot, near)) else { return ray.end };
        if polygons.last() != Some(&there.polygon) {
            polygons.push(there.polygon);
        }
        there
    }

    /// Returns the least distance of the chain in `scratch.plan` from any wall. Straight lines
    /// between arcs keep the radius that was searched for; what is outside of the arcs may not.
    fn kept(&self, mut triangle: u32, scratch: &mut ClearanceScratch) -> f64 {
        let table = &self.table;
        let ClearanceScratch { memory, plan, seen, walls, .. } = scratch;
        if plan.len() == 2 {
            return self.kept_straight(triangle, [plan[0].0, plan[1].0], &mut memory.stack, seen);
        }
        // At a corner that it turns round it is as near as the disc is wide.
        let mut best = memory.offset_squared();
        let mut at = 1;
        while at < plan.len() {
            let from = plan[at - 1].0;
            let Some(centre) = plan[at].1 else {
                triangle = table.walk(triangle, None, from, plan[at].0);
                at += 1;
                continue;
            };
            // The walls near the whole arc.
            let count = plan[at..].iter().take_while(|point| point.1.is_some()).count();
            let arc = &plan[at - 1..at + count];
            let far = arc.iter().map(|point| (point.0 - centre).length()).fold(0.0, f64::max);
            let limit = (far + best.sqrt()).powi(2);
            let ends = [from, arc[count].0];
            walls.clear();
            seen.clear();
            memory.stack.clear();
            memory.stack.push(triangle);
            while let Some(at) = memory.stack.pop() {
                if seen.contains(&at) {
                    continue;
                }
                seen.push(at);
                for side in 3 * at..3 * at + 3 {
                    let side_ends = table.ends(side);
                    if distance_squared(side_ends, centre) >= limit {
                        continue;
                    }
                    if table.is_wall(side) {
                        walls.push(side_ends);
                    } else if faces(side_ends, ends) {
                        memory.stack.push(table.twin(side) / 3);
                    }
                }
            }
            for pair in arc.windows(2) {
                let way = [pair[0].0, pair[1].0];
                for &wall in walls.iter() {
                    if is_nearer(way, wall, best.sqrt()) {
                        best = best.min(between_squared(way, wall));
                    }
                }
            }
            // Half way round, then on: no corner lies between.
            for way in [[from, arc[count / 2].0], [arc[count / 2].0, ends[1]]] {
                triangle = table.walk(triangle, None, way[0], way[1]);
            }
            at += count;
        }
        best.sqrt()
    }

    fn kept_straight(
        &self,
        triangle: u32,
        way: [DVec2; 2],
        stack: &mut Vec<u32>,
        seen: &mut Vec<u32>,
    ) -> f64 {
        let table = &self.table;
        let mut best = f64::INFINITY;
        // Every vertex lies on a wall.
        for corner in 3 * triangle..3 * triangle + 3 {
            let off = way[0] - table.start(corner);
            best = best.min(off.dot(off));
        }
        stack.clear();
        seen.clear();
        stack.push(triangle);
        while let Some(at) = stack.pop() {
            // Few are as near as the nearest wall so far.
            if seen.contains(&at) {
                continue;
            }
            seen.push(at);
            for side in 3 * at..3 * at + 3 {
                let ends = table.ends(side);
                if !is_nearer(way, ends, best.sqrt()) {
                    continue;
                }
                if table.is_wall(side) {
                    best = best.min(between_squared(way, ends));
                } else if faces(ends, way) {
                    stack.push(table.twin(side) / 3);
                }
            }
        }
        best.sqrt()
    }
}
