//! Ways for a disc.

use glam::Vec3;
use waymesh_core::CellId;

use super::disc::{Plane, angle, between_squared, dot, faces, is_nearer, length, minus, plus, touch};
use super::fit::{Fit, check_radius};
use super::leaps::Piece;
use super::search::{Ends, Search};
use super::table::next;
use super::{ClearPlace, ClearanceNavMesh, ClearanceScratch};
use crate::nearest::{Location, Reach};
use crate::path::LinkUse;
use crate::{Outcome, PathEnd, QueryError};

/// A path for a disc.
#[derive(Clone, Debug, PartialEq)]
pub struct ClearPath {
    /// How far it leads.
    pub outcome: Outcome,
    /// Where the disc's centre begins, turns and ends: world positions on the ground. None if unreachable.
    pub points: Vec<Vec3>,
    /// The cells it passes, as far as the centre sees them. None if unreachable.
    pub cells: Vec<CellId>,
    /// The corners of walls that it turns round, in order, on the ground.
    pub corners: Vec<Vec3>,
    /// The links it takes, in order: each leads from one of `points` to the next, straight.
    pub links: Vec<LinkUse>,
    /// Length of the chain of `points` in metres, in space.
    pub length: f32,
    /// Length in plan of the true way, whose corners are arcs: no way over the ground that keeps the radius is shorter. Links count as far as they lead in
    /// plan.
    pub plan_length: f32,
    /// The least distance of the chain of `points` from any wall, in metres: the radius or more, less what [`ClearPathOptions::arc_error`] costs in a
    /// gap that just lets the disc through. Infinite if unreachable.
    pub clearance: f32,
    /// Where it begins; moved if the disc does not fit there.
    pub start: Option<ClearPlace>,
    /// Where it was to end, likewise.
    pub goal: Option<ClearPlace>,
}

impl Default for ClearPath {
    /// No path.
    fn default() -> Self {
        Self {
            outcome: Outcome::Unreachable,
            points: Vec::new(),
            cells: Vec::new(),
            corners: Vec::new(),
            links: Vec::new(),
            length: 0.0,
            plan_length: 0.0,
            clearance: f32::INFINITY,
            start: None,
            goal: None,
        }
    }
}

impl ClearPath {
    fn clear(&mut self) {
        self.outcome = Outcome::Unreachable;
        self.points.clear();
        self.cells.clear();
        self.corners.clear();
        self.links.clear();
        (self.length, self.plan_length, self.clearance) = (0.0, 0.0, f32::INFINITY);
        (self.start, self.goal) = (None, None);
    }
}

/// What path for a disc is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClearPathOptions {
    /// How far each end may be moved to a place where the disc fits. Default `None`: [`ClearanceNavMesh::default_reach`].
    pub reach: Option<Reach>,
    /// Whether a path that ends before the goal is welcome where none leads there. Default true.
    pub allow_partial: bool,
    /// How far the chain of points may be outside of the arcs round corners, in metres: 0.001 by default, above 0. It has one point at least
    /// for each quarter of a circle: with an infinite error corners are chamfers, a right angle a single point.
    pub arc_error: f32,
    /// Whether links may be taken. Default true.
    pub links: bool,
}

impl Default for ClearPathOptions {
    fn default() -> Self {
        Self { reach: None, allow_partial: true, arc_error: 1e-3, links: true }
    }
}

impl ClearPathOptions {
    /// Sets how far each end may be moved.
    #[must_use]
    pub fn with_reach(mut self, reach: Reach) -> Self {
        self.reach = Some(reach);
        self
    }

    /// Sets whether a path may end before the goal.
    #[must_use]
    pub fn with_allow_partial(mut self, allow: bool) -> Self {
        self.allow_partial = allow;
        self
    }

    /// Sets whether links may be taken.
    #[must_use]
    pub fn with_links(mut self, links: bool) -> Self {
        self.links = links;
        self
    }

    /// Sets how far the points may be outside of the arcs.
    #[must_use]
    pub fn with_arc_error(mut self, metres: f32) -> Self {
        self.arc_error = metres;
        self
    }
}

impl ClearanceNavMesh {
    /// The shortest way of a disc of this radius, in metres, with the default [`ClearPathOptions`]: see
    /// [`ClearanceNavMesh::find_path_with`].
    ///
    /// # Errors
    /// As [`ClearanceNavMesh::find_path_with`].
    pub fn find_path(
        &self,
        from: Vec3,
        to: Vec3,
        radius: f32,
        scratch: &mut ClearanceScratch,
    ) -> Result<ClearPath, QueryError> {
        self.find_path_with(from, to, radius, &ClearPathOptions::default(), scratch)
    }

    /// The shortest way of a disc of this radius, in metres.
    ///
    /// - Both ends are moved to where the disc fits ([`ClearanceNavMesh::nearest`]); the path tells how far.
    /// - No way over the ground in the plan that keeps the radius is shorter, to rounding. Rises and falls do not count while it searches.
    /// - Links are taken where that is cheaper, or the only way ([`ClearPathOptions::links`]): the path is then made of shortest ways over the ground, joined
    ///   by links. A link between points serves every disc, one between segments those that are no wider than the shorter of them. Each of its
    ///   ends, at nine places along segments, is moved to the nearest place within sight and a radius and a half where the disc fits; from there to there
    ///   the disc goes straight. Of all such chains the path is the cheapest: length in plan, and the extra cost of the links. On links themselves nothing
    ///   is known of clearance, but that a disc keeps its radius from both ends of a line that is crossed like an edge, such as a door.
    ///   Each link that comes into question costs a search.
    /// - Costs per metre have no say: a disc covers several kinds of ground at once, so all ground that is allowed counts alike. To keep agents from
    ///   some ground, see [`ClearanceNavMesh::with_filter`].
    /// - Where no way is wide enough, that is known without a search as a rule: triangles are joined for every width at once. The path then leads, without links, to
    ///   a place near the goal that can be reached, if any is nearer than the start ([`Outcome::Partial`]); to find it takes time in the triangles.
    /// - Takes time in `n log n` of the cones seen. Allocates nothing but the path once `scratch` has grown.
    ///
    /// # Errors
    /// - [`QueryError::BadRadius`] for a radius that is NaN, negative or infinite, or an arc error that is NaN or not above 0.
    /// - [`QueryError::NotFinite`], [`QueryError::BadReach`].
    /// - [`QueryError::NoMeshNear`] for an end without mesh within reach, [`QueryError::NoRoomNear`] where the disc does not fit on it.
    pub fn find_path_with(
        &self,
        from: Vec3,
        to: Vec3,
        radius: f32,
        options: &ClearPathOptions,
        scratch: &mut ClearanceScratch,
    ) -> Result<ClearPath, QueryError> {
        let mut path = ClearPath::default();
        self.find_path_into(from, to, radius, options, scratch, &mut path)?;
        Ok(path)
    }

    /// As [`ClearanceNavMesh::find_path_with`], into a path whose memory is used again.
    ///
    /// # Errors
    /// As [`ClearanceNavMesh::find_path_with`]; `path` is then empty.
    pub fn find_path_into(
        &self,
        from: Vec3,
        to: Vec3,
        radius: f32,
        options: &ClearPathOptions,
        scratch: &mut ClearanceScratch,
        path: &mut ClearPath,
    ) -> Result<(), QueryError> {
        path.clear();
        check_radius(radius)?;
        if options.arc_error.is_nan() || options.arc_error <= 0.0 {
            return Err(QueryError::BadRadius { value: options.arc_error });
        }
        let reach = options.reach.unwrap_or_else(|| self.default_reach(radius));
        reach.check()?;
        let start = self.end(PathEnd::Start, from, radius, &reach, scratch)?;
        let goal = self.end(PathEnd::Goal, to, radius, &reach, scratch)?;
        let [begin, aim] = [self.clear_place(&start, from), self.clear_place(&goal, to)];
        (path.start, path.goal) = (Some(begin), Some(aim));
        let direct = self.search(&start, &goal, radius, scratch);
        if options.links && !self.mesh.links().is_empty() {
            let mut leaps = std::mem::take(&mut scratch.leaps);
            let cost = self.search_over_links([&start, &goal], from, radius, direct, &mut leaps, scratch);
            if cost.is_some() {
                path.outcome = Outcome::Complete;
                for piece in leaps.pieces(goal, to) {
                    self.write_piece(&piece, radius, options, scratch, path);
                }
            }
            scratch.leaps = leaps;
            if cost.is_some() {
                return Ok(());
            }
            // The search over links has used the memory.
            if direct.is_some() {
                self.search(&start, &goal, radius, scratch);
            }
        }
        if let Some(length) = direct {
            path.outcome = Outcome::Complete;
            self.write(&start, &goal, [from, to], radius, length, options, scratch, path);
            return Ok(());
        }
        if !options.allow_partial {
            return Ok(());
        }
        let [begin, aim] = [begin, aim].map(|place| place.location.position);
        let Some(reached) = self.closest(&start, &goal, aim, radius, scratch) else { return Ok(()) };
        let end = self.clear_place(&reached, aim).location.position;
        if begin.distance(aim) - end.distance(aim) <= 1e-4 {
            return Ok(());
        }
        if let Some(length) = self.search(&start, &reached, radius, scratch) {
            self.write(&start, &reached, [from, end], radius, length, options, scratch, path);
            path.outcome = Outcome::Partial { reached: path.points.last().copied().unwrap_or(end) };
        }
        Ok(())
    }

    fn end(
        &self,
        end: PathEnd,
        position: Vec3,
        radius: f32,
        reach: &Reach,
        scratch: &mut ClearanceScratch,
    ) -> Result<Fit, QueryError> {
        if !position.is_finite() {
            return Err(QueryError::NotFinite { end, position });
        }
        if let Some(fit) = self.fit(position, f64::from(radius), reach, scratch, |_| true) {
            return Ok(fit);
        }
        Err(match self.mesh.nearest_spot(position, reach, |cell| self.admitted.has(cell)) {
            Some(_) => QueryError::NoRoomNear { end, position, radius, reach: *reach },
            None => QueryError::NoMeshNear { end, position, reach: *reach },
        })
    }

    pub(super) fn search(
        &self,
        start: &Fit,
        goal: &Fit,
        radius: f32,
        scratch: &mut ClearanceScratch,
    ) -> Option<f64> {
        let radius = f64::from(radius);
        let inner = |fit: &Fit| {
            // A place on a side is moved into the triangle, by two ten-thousandths of a cell: the way has to leave through a side.
            let inward = minus(self.table.centroid(fit.triangle), fit.at);
            let share = (100.0 * self.table.slack / length(inward).max(1e-12)).min(1e-2);
            if radius < 1e-6 { plus(fit.at, inward, share) } else { fit.at }
        };
        let ends = Ends { places: [inner(start), inner(goal)], triangles: [start.triangle, goal.triangle] };
        Search::new(&self.table, &self.islands, &mut scratch.memory, radius).run(&ends)
    }

    /// A place near the goal that can be reached: first on the sides of triangles, then closer by.
    fn closest(
        &self,
        start: &Fit,
        goal: &Fit,
        aim: Vec3,
        radius: f32,
        scratch: &mut ClearanceScratch,
    ) -> Option<Fit> {
        let (table, islands) = (&self.table, &self.islands);
        let wide = f64::from(radius);
        let width = 2.0 * wide * (1.0 - super::disc::NARROW);
        let own = [0, 1, 2].map(|side| islands.group(table, 3 * start.triangle + side, width));
        let is_own = |triangle: u32| {
            triangle == start.triangle
                || [0, 1, 2]
                    .map(|side| islands.group(table, 3 * triangle + side, width))
                    .iter()
                    .any(|group| group.is_some() && own.contains(group))
        };
        let frame = &self.mesh.frame;
        let rise = |side: u32| {
            let height = table.heights[table.vertices[side as usize] as usize];
            f64::from(height - aim.y)
        };
        let mut best: Option<(f64, u32, Plane)> = None;
        for side in 0..u32::try_from(table.twins.len()).unwrap_or(0) {
            if table.is_wall(side) || table.twin(side) < side {
                continue;
            }
            let [a, b] = table.ends(side);
            let long = length(minus(b, a));
            if long < width || long <= 0.0 {
                continue;
            }
            let along = super::disc::unit(minus(b, a));
            let place = super::disc::dot(minus(goal.at, a), along)
                .clamp(wide.min(long / 2.0), (long - wide).max(long / 2.0));
            let at = plus(a, along, place);
            let up = rise(side) + (rise(next(side)) - rise(side)) * place / long;
            let off = minus(at, goal.at);
            let distance = super::disc::dot(off, off) + up * up;
            if best.as_ref().is_none_or(|best| distance < best.0)
                && islands.group(table, side, width).is_some_and(|group| own.contains(&Some(group)))
                && self.table.wall_distance_squared(side / 3, at, wide * wide, &mut scratch.memory.stack)
                    >= (wide * (1.0 - super::disc::NARROW)).powi(2)
            {
                best = Some((distance, side, at));
            }
        }
        let (distance, side, at) = best?;
        // All that is nearer than that, if anything is.
        #[expect(clippy::cast_possible_truncation, reason = "a reach in single precision")]
        let reach = distance.sqrt() as f32;
        let reach = Reach::new(reach, reach, reach);
        if let Some(fit) = self.fit(aim, wide, &reach, scratch, is_own) {
            return Some(fit);
        }
        let size = f64::from(frame.cell_size);
        let height = f64::from(aim.y) + rise(side);
        #[expect(clippy::cast_possible_truncation, reason = "a position in single precision")]
        let asked = Vec3::new(
            frame.to_world(at[0] / size, 0.0, 0.0).x,
            height as f32,
            frame.to_world(0.0, 0.0, at[1] / size).z,
        );
        let near = Reach::new(self.mesh.default_reach().side, f32::INFINITY, f32::INFINITY);
        let spot = self.mesh.nearest_spot(asked, &near, |cell| self.admitted.has(cell))?;
        Some(Fit { spot, at, triangle: side / 3 })
    }

    /// Writes a piece of a way over links, and the link after it.
    fn write_piece(
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
        if let Some((link, backwards)) = piece.leap {
            path.links.push(LinkUse { link, backwards, point: path.points.len() - 1 });
        }
    }

    /// Writes the way that was found, after what is there.
    #[expect(clippy::too_many_arguments, reason = "all that a path is made of")]
    fn write(
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
        if path.cells.last() != Some(&first.cell) {
            path.cells.push(first.cell);
        }
        scratch.plan.clear();
        scratch.plan.push((start.at, false));
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
            plan.push((touch(root.centre, root.offset, root.arrival), false));
            for step in 0..count {
                let angle = root.side * part * (f64::from(step) + 0.5);
                let (sine, cosine) = angle.sin_cos();
                let [x, z] = root.arrival;
                let direction = [x * cosine - z * sine, x * sine + z * cosine];
                let out = touch(root.centre, root.offset / (part * 0.5).cos(), direction);
                let out = if radius > 0.0 { out } else { root.centre };
                at = self.follow(&at, out, passed, &mut path.cells);
                path.points.push(at.position);
                plan.push((out, true));
            }
            plan.push((touch(root.centre, root.offset, leaves), true));
            let centre = frame.to_world(root.centre[0] / size, 0.0, root.centre[1] / size);
            path.corners.push(Vec3::new(centre.x, at.position.y, centre.z));
        }
        self.follow(&at, goal.at, passed, &mut path.cells);
        if path.cells.last() != Some(&last.cell) {
            path.cells.push(last.cell);
        }
        path.points.push(last.position);
        let is_straight = plan.len() == 1;
        plan.push((goal.at, is_straight));
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
        to: Plane,
        passed: &mut Vec<CellId>,
        cells: &mut Vec<CellId>,
    ) -> Location {
        let frame = &self.mesh.frame;
        let size = f64::from(frame.cell_size);
        let mut target = frame.to_world(to[0] / size, 0.0, to[1] / size);
        target.y = from.position.y;
        let Ok(ray) = self.mesh.raycast(from, target, &self.admitted, passed) else { return *from };
        let known = usize::from(passed.first() == cells.last());
        cells.extend(passed.iter().skip(known));
        if ray.hit.is_none() {
            return ray.end;
        }
        // A corner that is just touched: the ground beside it.
        let apart = ray.end.position.distance(target).max(frame.cell_size);
        let reach = Reach::new(frame.cell_size * 0.01, apart, apart);
        let near = Vec3::new(target.x, ray.end.position.y, target.z);
        let spot = self.mesh.nearest_spot(near, &reach, |cell| self.admitted.has(cell));
        let Some(there) = spot.map(|spot| self.mesh.location(&spot, near)) else { return ray.end };
        if cells.last() != Some(&there.cell) {
            cells.push(there.cell);
        }
        there
    }

    /// The least distance of the chain in `scratch.plan` from any wall. What is not marked in it keeps the radius that was searched for.
    fn kept(&self, mut triangle: u32, scratch: &mut ClearanceScratch) -> f64 {
        let table = &self.table;
        let ClearanceScratch { memory, plan, seen, .. } = scratch;
        // At a corner that it turns round it is as near as the disc is wide.
        let turns = plan.len() > 2;
        let mut best = if turns { memory.offset_squared() } else { f64::INFINITY };
        // Every vertex lies on a wall.
        for corner in 3 * triangle..3 * triangle + 3 {
            let off = minus(plan[0].0, table.start(corner));
            best = best.min(dot(off, off));
        }
        let stack = &mut memory.stack;
        for pair in plan.windows(2) {
            let way = [pair[0].0, pair[1].0];
            if pair[1].1 {
                stack.clear();
                seen.clear();
                stack.push(triangle);
            }
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
            triangle = table.walk(triangle, None, way[0], way[1]);
        }
        best.sqrt()
    }
}
