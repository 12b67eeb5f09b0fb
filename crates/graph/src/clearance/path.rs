//! Paths for a disc.

use glam::{DVec2, Vec3, dvec2};
use waymesh_core::{BadField, PolyId, float};

use super::fit::{Fit, Wanted};
use super::gates::GateSearch;
use super::memory::{ClearanceScratch, Memory};
use super::mesh::ClearanceNavMesh;
use super::quick::Quick;
use super::search::{Ends, Search};
use super::table::next;
use crate::geometry::disc::{NARROW, slimmed, unit};
use crate::locate::error::{NoPath, PathEnd, QueryError};
use crate::locate::nearest::{Place, Spot};
use crate::locate::reach::Reach;
use crate::mesh::filter::{AnyPolygon, PolygonFilter};
use crate::path::{Outcome, Path, PathSearch};

/// Largest number of heights at which the end of a partial path is looked for.
const MAX_HEIGHTS: usize = 16;

/// Least gain of a height over the one before, in metres.
const NEARER: f64 = 1e-3;

/// Options of a path for a disc.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClearPathOptions {
    /// Radius of the disc in metres, finite and 0 or more.
    pub radius: f32,
    /// Largest move of each end to a place where the disc fits. Default `None`:
    /// [`ClearanceNavMesh::default_reach`].
    pub reach: Option<Reach>,
    /// `true` if a path that ends before the goal is accepted where none leads there. Default:
    /// `true`; a [`ClearQuery`](crate::ClearQuery) starts with `false`.
    pub allow_partial: bool,
    /// Largest distance of the chain of points outside of the arcs round corners, in metres: 0.001 by
    /// default, above 0. It has one point at least for each quarter of a circle: with an
    /// infinite error corners are chamfers, a right angle a single point.
    pub arc_error: f32,
    /// `true` if links may be taken. Those that are crossed like an edge both ways are ground: they
    /// may be crossed in any case. Default: `true`.
    pub links: bool,
    /// Most nodes that the search may open, each less than a kilobyte and some microseconds. Beyond
    /// that it gives up: [`QueryError::Undecided`]. Default: 1 million.
    pub max_nodes: usize,
    /// Search algorithm. Default: [`PathSearch::Shortest`]. [`PathSearch::Fast`] finds a short
    /// path, usually in less time, see [`ClearQuery::path`](crate::ClearQuery::path).
    pub search: PathSearch,
}

impl ClearPathOptions {
    /// Returns the default options for a disc of this radius, in metres.
    #[must_use]
    pub const fn new(radius: f32) -> Self {
        Self {
            radius,
            reach: None,
            allow_partial: true,
            arc_error: 1e-3,
            links: true,
            max_nodes: 1_000_000,
            search: PathSearch::Shortest,
        }
    }

    /// Names the first field that is out of range.
    ///
    /// # Errors
    /// If there is one.
    pub fn validate(&self) -> Result<(), BadField> {
        BadField::unless_length("radius", self.radius)?;
        BadField::unless(self.arc_error > 0.0, "arc_error", self.arc_error, "above 0 m")?;
        self.reach.map_or(Ok(()), |reach| reach.validate())
    }
}

waymesh_core::setters! {
    impl ClearPathOptions {
        with_radius(radius: f32);
        with_reach(reach: Some(Reach));
        with_allow_partial(allow_partial: bool);
        with_arc_error(arc_error: f32);
        with_links(links: bool);
        with_max_nodes(max_nodes: usize);
        with_search(search: PathSearch);
    }
}

impl ClearanceNavMesh {
    /// Finds a path: see [`crate::ClearQuery::path`].
    pub(crate) fn find_path_into(
        &self,
        from: Place,
        to: Place,
        options: &ClearPathOptions,
        scratch: &mut ClearanceScratch,
        path: &mut Path,
    ) -> Result<(), QueryError> {
        let nearest = self.write_path(from, to, options, scratch, path)?;
        let [from, to] = [from, to].map(|place| place.position());
        match path.outcome {
            Outcome::Complete | Outcome::Partial { .. } => Ok(()),
            Outcome::Unreachable => Err(QueryError::Unreachable { from, to, cause: NoPath::Narrow, nearest }),
            Outcome::Undecided => Err(QueryError::Undecided { nodes: options.max_nodes }),
        }
    }

    /// Writes a path with its outcome. Returns the place nearest to the goal that can be reached, where
    /// none leads to the goal.
    pub(crate) fn write_path(
        &self,
        from: Place,
        to: Place,
        options: &ClearPathOptions,
        scratch: &mut ClearanceScratch,
        path: &mut Path,
    ) -> Result<Option<Vec3>, QueryError> {
        path.clear();
        path.found_by = PathSearch::Shortest;
        options.validate()?;
        let reach = options.reach.unwrap_or_else(|| self.default_reach(options.radius));
        let start = self.end(PathEnd::Start, from, options.radius, &reach, scratch)?;
        let goal = self.end(PathEnd::Goal, to, options.radius, &reach, scratch)?;
        let radius = self.distance_of(options.radius);
        let options = &ClearPathOptions { radius, ..*options };
        let [from, to] = [from, to].map(|place| place.position());
        if let Some(cost) = self.search([&start, &goal], options, scratch, &mut path.found_by) {
            path.outcome = Outcome::Complete;
            self.write([&start, &goal], [from, to], cost, options, scratch, path);
            return Ok(None);
        }
        if scratch.memory.is_cut {
            path.outcome = Outcome::Undecided;
            return Ok(None);
        }
        let [begin, aim] =
            [(&start, from), (&goal, to)].map(|(fit, asked)| self.clear_place(fit, asked).location.position);
        let Some(reached) = self.closest(&start, &goal, [begin, aim], options, scratch) else {
            return Ok(None);
        };
        let end = self.clear_place(&reached, aim).location.position;
        if begin.distance(aim) - end.distance(aim) <= 1e-4 {
            return Ok(None);
        }
        if !options.allow_partial {
            return Ok(Some(end));
        }
        if let Some(cost) = self.search([&start, &reached], options, scratch, &mut path.found_by) {
            self.write([&start, &reached], [from, end], cost, options, scratch, path);
            path.outcome = Outcome::Partial { reached: path.points.last().copied().unwrap_or(end) };
        } else if scratch.memory.is_cut {
            path.outcome = Outcome::Undecided;
        }
        Ok(Some(end))
    }

    pub(crate) fn end(
        &self,
        end: PathEnd,
        place: Place,
        radius: f32,
        reach: &Reach,
        scratch: &mut ClearanceScratch,
    ) -> Result<Fit, QueryError> {
        self.end_on(end, place, radius, reach, &AnyPolygon, scratch)
    }

    /// Returns where an end lies, its centre on polygons that a filter allows.
    pub(crate) fn end_on(
        &self,
        end: PathEnd,
        place: Place,
        radius: f32,
        reach: &Reach,
        filter: &impl PolygonFilter,
        scratch: &mut ClearanceScratch,
    ) -> Result<Fit, QueryError> {
        let position = place.position();
        QueryError::unless_finite(end, position)?;
        let centre = |polygon| filter.allows(&self.mesh, PolyId(polygon));
        let (admits, wants) = (|polygon| self.admitted.has(polygon), |_, _, _| true);
        let radius_kept = f64::from(self.distance_of(radius));
        let wanted = Wanted { position, radius: radius_kept, reach, admits, centre, wants };
        let known = self.known(&place).filter(|from| centre(from.spot.polygon));
        let known = known.and_then(|from| self.fit_in_sight(from, &wanted, &mut scratch.fit));
        if let Some(fit) = known.or_else(|| self.fit(&wanted, &mut scratch.fit)) {
            return Ok(fit);
        }
        let holds = |polygon| self.admitted.has(polygon) && centre(polygon);
        Err(match self.mesh.nearest_spot(position, reach, holds) {
            Some(_) => QueryError::NoRoomNear { end, position, radius, reach: *reach },
            None => self.mesh.nothing_near(end, position, *reach),
        })
    }

    /// Returns a location on the mesh as it is now, on the ground of discs.
    fn known(&self, place: &Place) -> Option<Fit> {
        let Place::Found(location) = place else { return None };
        let spot = self.mesh.spot_of(location).ok()?;
        self.admitted.has(spot.polygon).then(|| self.fit_of(spot))
    }

    fn fit_of(&self, spot: Spot) -> Fit {
        let at = self.place_of(&spot);
        Fit { spot, at, triangle: self.triangle_at(spot.polygon, at) }
    }

    /// Returns what the cheapest path costs, and leaves it in `scratch`.
    fn search(
        &self,
        [start, goal]: [&Fit; 2],
        options: &ClearPathOptions,
        scratch: &mut ClearanceScratch,
        found_by: &mut PathSearch,
    ) -> Option<f64> {
        let radius = f64::from(options.radius);
        let ends = Ends { places: [start.at, goal.at], triangles: [start.triangle, goal.triangle] };
        let ClearanceScratch { memory, gates, fit, seen, straight, .. } = scratch;
        // No path is shorter than a straight one, and no link either.
        *straight = self.keeps_straight([start, goal], slimmed(radius), &mut memory.stack, seen);
        if straight.is_some() {
            memory.go_straight(ends.places);
            *found_by = options.search;
            return Some((goal.at - start.at).length());
        }
        let has_gates = options.links && !self.gate_places.is_empty();
        let is_quick = options.search == PathSearch::Fast;
        *found_by = if is_quick { PathSearch::Fast } else { PathSearch::Shortest };
        if is_quick {
            let mut search = Search::new(&self.table, &self.islands, memory, radius, None);
            match search.run_quick(&ends, options.max_nodes, seen) {
                Quick::Found(cost) if !has_gates || self.is_short(cost, ends.places, options.radius) => {
                    return Some(cost);
                }
                Quick::Nothing if !has_gates => return None,
                _ => *found_by = PathSearch::Shortest,
            }
        }
        let gates = has_gates.then(move || GateSearch::new(self, gates, fit, options.radius));
        Search::new(&self.table, &self.islands, memory, radius, gates).run(&ends, options.max_nodes)
    }

    /// Returns a place near the goal that can be reached: first on the sides of triangles, then
    /// closer by.
    fn closest(
        &self,
        start: &Fit,
        goal: &Fit,
        [begin, aim]: [Vec3; 2],
        options: &ClearPathOptions,
        scratch: &mut ClearanceScratch,
    ) -> Option<Fit> {
        let (table, islands) = (&self.table, &self.islands);
        let wide = f64::from(options.radius);
        let width = 2.0 * wide * (1.0 - NARROW);
        // The last state of the search over links as well.
        let ClearanceScratch { memory, gates, fit: room, seen, .. } = scratch;
        let Memory { groups: own, reached, stack, .. } = memory;
        reached.clear();
        reached.push(start.triangle);
        if options.links && !self.gate_places.is_empty() {
            reached.extend(gates.taken().map(|gate| gate.ends[1].triangle));
        }
        let groups = |triangle: u32| {
            (3 * triangle..3 * triangle + 3).filter_map(move |side| islands.group(table, side, width))
        };
        own.clear();
        own.extend(reached.iter().flat_map(|&triangle| groups(triangle)));
        for known in [&mut *own, &mut *reached] {
            known.sort_unstable();
            known.dedup();
        }
        let is_group = |group: u32| own.binary_search(&group).is_ok();
        let is_own =
            |triangle: u32| reached.binary_search(&triangle).is_ok() || groups(triangle).any(is_group);
        let frame = &self.mesh.frame;
        let rise = |side: u32| {
            let height = table.heights[table.vertices[side as usize] as usize];
            f64::from(height - aim.y)
        };
        // Walls of other islands are not in the way.
        let island = |polygon: u32| self.mesh.links.group(self.mesh.island_at(polygon));
        let admits =
            |polygon: u32| self.admitted.has(polygon) && island(start.spot.polygon) == island(polygon);
        let mut offer = |side: u32, best: &mut Option<(f64, u32, DVec2)>| {
            let side = side.min(table.twin(side));
            let [a, b] = table.ends(side);
            let long = (b - a).length();
            if table.is_wall(side) || long < width || long <= 0.0 {
                return;
            }
            let along = unit(b - a);
            let place = (goal.at - a).dot(along).clamp(wide.min(long / 2.0), (long - wide).max(long / 2.0));
            let at = a + along * place;
            let up = rise(side) + (rise(next(side)) - rise(side)) * place / long;
            let distance = (at - goal.at).length_squared() + up * up;
            if best.is_none_or(|(least, known, _)| (distance, side) < (least, known))
                && islands.group(table, side, width).is_some_and(is_group)
                && table.wall_distance_squared(side / 3, at, wide * wide, &mut room.stack)
                    >= float::squared(wide * (1.0 - NARROW))
            {
                *best = Some((distance, side, at));
            }
        };
        let mut best = None;
        // All sides of triangles that reach into the box of a polygon, nearest polygons first.
        let size = f64::from(frame.cell_size);
        self.mesh.visit_nearest(aim, |polygon, limit| {
            if !admits(polygon) {
                return limit;
            }
            let bounds = &self.mesh.index.bounds[polygon as usize];
            let low = dvec2(f64::from(bounds.min_x), f64::from(bounds.min_z)) * size;
            let high = dvec2(f64::from(bounds.max_x), f64::from(bounds.max_z)) * size;
            table.spread(self.seeds[polygon as usize], stack, seen, |side, [a, b]| {
                offer(side, &mut best);
                Some(a.min(b).cmple(high).all() && a.max(b).cmpge(low).all())
            });
            best.map_or(limit, |(distance, ..)| {
                limit.min(float::squared(distance.sqrt() / size + self.mesh.slack()))
            })
        });
        // All that is nearer than that, or than the start where no side has room for the disc.
        let far = |at: DVec2, height: f32| {
            let plan = (at - goal.at).length();
            (plan, float::hypot(plan, f64::from(height - aim.y)))
        };
        let mut nearest = best.map_or(begin.distance(aim).into(), |(distance, ..)| distance.sqrt());
        let mut found = None;
        // The first place is the nearest in plan; others may be nearer in height.
        for _ in 0..MAX_HEIGHTS {
            #[expect(clippy::cast_possible_truncation, reason = "a reach in single precision")]
            let reach = nearest as f32;
            let wanted = Wanted {
                position: aim,
                radius: wide,
                reach: &Reach::new(reach, reach, reach),
                admits,
                centre: |_| true,
                wants: |triangle, at, height| is_own(triangle) && far(at, height).1 < nearest - NEARER,
            };
            let Some(fit) = self.fit(&wanted, room) else { break };
            let (plan, distance) = far(fit.at, self.height_of(&fit.spot));
            (nearest, found) = (distance, Some(fit));
            if distance - plan < NEARER {
                break;
            }
        }
        if found.is_some() {
            return found;
        }
        // The polygon there on this storey.
        let (_, side, at) = best?;
        let asked = frame.to_world(at.x / size, 0.0, at.y / size).with_y(aim.y);
        let near = Reach::new(frame.cell_size * 0.01, f32::INFINITY, f32::INFINITY);
        let sides = [side, table.twin(side)].map(|side| side / 3);
        let spot = self.mesh.nearest_spot(asked, &near, |polygon| {
            self.admitted.has(polygon) && sides.contains(&self.triangle_at(polygon, at))
        })?;
        // The end was moved from the requested position.
        let spot = Spot { within: false, ..spot };
        Some(Fit { spot, at, triangle: side / 3 })
    }
}
