//! Chains of queries: each answer of a query is the input of the others. A position that a mesh
//! gave out is on the mesh for every query, within [`NavMesh::position_slack`].

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::missing_panics_doc,
    reason = "counts of steps; a contradiction is a panic"
)]

use std::collections::HashSet;

use glam::{Vec2, Vec3, Vec3Swizzles};
use waymesh_core::{PlanVertex, PolyId, Random};
use waymesh_graph::{
    AnyPolygon, AreaCosts, AreaFilter, ClearPathOptions, ClearanceNavMesh, CorridorOptions, Location,
    NavMesh, Outcome, Path, PathCorridor, PathOptions, PathSearch, PolygonFilter, Query, QueryError,
    QueryScratch, Reach, SlicedPath,
};

use crate::flat_meshes::Board;
use crate::steepness::steepest;

/// Difference of lengths and heights that is left to rounding, in metres.
const TOLERANCE: f32 = 2e-3;

/// Ratio of a path of a disc by [`PathSearch::Fast`] to the shortest one from which it counts as a
/// fault. There is no bound; 1.27 is the largest known, on a random board.
const FAST_EXCESS: f32 = 1.5;

/// The reach of distance maps, in metres: they see each corner of open ground from every other one.
const MAP_REACH: f32 = 6.0;

/// The number of chains that were followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// Walls, in both directions.
    pub walls: usize,
    /// Paths of points that lead to their goal.
    pub paths: usize,
    /// Paths of discs that lead to their goal.
    pub discs: usize,
    /// Paths of discs that end before their goal.
    pub partial: usize,
    /// Rays that hit a wall.
    pub hits: usize,
    /// Agents that stood still on the wrong side of a wall without thickness.
    pub lost: usize,
}

/// Follows chains of queries on a mesh.
///
/// # Panics
/// Every method panics where a query contradicts another one.
#[derive(Debug)]
pub struct Chains<'a> {
    mesh: &'a NavMesh,
    scratch: QueryScratch,
    random: Random,
    /// The length of a step, in metres.
    pub step: f32,
    /// The ground that agents of no size use.
    pub filter: AreaFilter,
    /// Edges of two polygons that are not neighbours.
    seams: Vec<[Vec2; 2]>,
    closed: Vec<[Vec2; 2]>,
    /// Reach of what lies at a position that was given out.
    there: Reach,
    /// The chains so far.
    pub followed: Followed,
    /// Copy of the mesh with an oracle. Its paths are followed in addition.
    pub oracle: Option<NavMesh>,
}

impl<'a> Chains<'a> {
    /// Makes chains whose places depend on the seed.
    #[must_use]
    pub fn new(mesh: &'a NavMesh, seed: u64) -> Self {
        let (scratch, random) = (QueryScratch::default(), Random::new(seed));
        let (filter, followed) = (AreaFilter::default(), Followed::default());
        Self {
            mesh,
            scratch,
            random,
            step: 0.05,
            filter,
            seams: seams(mesh),
            closed: closed_doors(mesh),
            there: reach_there(mesh),
            followed,
            oracle: None,
        }
    }

    fn query(&mut self) -> Query<'_, AreaFilter> {
        self.mesh.query().filter(self.filter).memory(&mut self.scratch)
    }

    /// Walks along up to `most` walls in both directions, in steps and at once, and casts rays along
    /// them.
    pub fn walls(&mut self, most: usize) {
        let mesh = self.mesh;
        let walls: Vec<(PolyId, [Vec3; 2])> = mesh
            .polygons()
            .filter(|polygon| self.filter.allows(mesh, polygon.id()))
            .flat_map(|polygon| {
                let corners: Vec<Vec3> = polygon.positions().collect();
                let sides = polygon.neighbours().enumerate().filter(|(_, beyond)| beyond.is_none());
                let ends = |edge: usize| [corners[edge], corners[(edge + 1) % corners.len()]];
                sides.map(|(edge, _)| (polygon.id(), ends(edge))).collect::<Vec<_>>()
            })
            .collect();
        for turn in 0..most.min(walls.len()) {
            let index = if walls.len() <= most { turn } else { self.random.index(walls.len()) };
            let (polygon, [a, b]) = walls[index];
            for [from, to] in [[a, b], [b, a]] {
                let start = Location { polygon, position: from, generation: mesh.generation() };
                self.check_ray(&start, to);
                self.check_walk(&start, to);
                // The ground at a vertex may lie off the vertex, by the error of heights.
                let on_ground = mesh.closest_on_polygon(polygon, from).expect("a polygon");
                self.check_strides(on_ground.position, to);
                // From a place that the mesh gave out, too.
                let middle = mesh.closest_on_polygon(polygon, from.lerp(to, 0.37)).expect("a polygon");
                self.check_position(middle.position);
                self.check_ray(&middle, to);
                self.check_walk(&middle, to);
                self.followed.walls += 1;
            }
        }
    }

    /// A place on the mesh.
    fn place(&mut self) -> Option<Location> {
        self.mesh
            .query()
            .filter(&self.filter)
            .sampler()
            .sample(self.mesh, &mut self.random)
            .expect("a sampler of this mesh")
    }

    /// Returns an end of a path: a place on the mesh, the nearest place to a random position, or a
    /// corner.
    fn end(&mut self) -> Option<Location> {
        let mesh = self.mesh;
        match self.random.index(3) {
            0 => self.place(),
            1 => {
                let bounds = mesh.world_bounds()?;
                let mut within = |low: f32, high: f32| self.random.range(low, high);
                let (min, max) = (bounds.min, bounds.max);
                let position = Vec3::new(within(min.x, max.x), within(min.y, max.y), within(min.z, max.z));
                mesh.nearest_with(position, &Reach::INFINITE, &self.filter)
            }
            _ => {
                let Location { polygon, generation, .. } = self.place()?;
                let corners: Vec<Vec3> = mesh.polygon(polygon)?.positions().collect();
                let position = corners[self.random.index(corners.len())];
                Some(Location { polygon, position, generation })
            }
        }
    }

    /// Follows `count` paths between random places, by every search, and what lies along them.
    pub fn paths(&mut self, count: usize) {
        for _ in 0..count {
            let (Some(from), Some(to)) = (self.end(), self.end()) else { return };
            self.path(&from, &to);
        }
    }

    /// Checks the paths from one place to another.
    pub fn path(&mut self, from: &Location, to: &Location) {
        let with_oracle = self.oracle.clone();
        let searched = [PathSearch::Shortest, PathSearch::Fast].map(|search| (self.mesh, search));
        let looked_up = with_oracle.iter().map(|mesh| (mesh, PathSearch::Shortest));
        let mut best = None;
        for (mesh, search) in searched.into_iter().chain(looked_up) {
            let options = PathOptions::default().with_search(search).with_filter(self.filter);
            let mut query = mesh.query().options(options).memory(&mut self.scratch);
            let path = match query.path(from.position, to.position) {
                Err(QueryError::Unreachable { .. }) => continue,
                path => path.unwrap_or_else(|error| panic!("{} to {}: {error}", from.position, to.position)),
            };
            path.points.iter().for_each(|&point| self.check_position(point));
            if let Outcome::Partial { reached } = path.outcome {
                let there =
                    mesh.query().options(options).memory(&mut self.scratch).path(from.position, reached);
                let first = there.as_ref().ok().and_then(|there| there.polygons.first());
                let is_other = !mesh.same_island(*first.unwrap_or(&from.polygon), from.polygon);
                assert!(
                    there.as_ref().is_ok_and(|there| there.outcome == Outcome::Complete)
                        || is_other
                        || self.touches(reached)
                        || self.is_at_closed_door(reached),
                    "{} to {}: the end of the partial path, {reached}, is not reached",
                    from.position,
                    to.position
                );
            }
            if path.outcome != Outcome::Complete {
                continue;
            }
            let extra: f32 = self.extra_costs(&path).sum();
            assert!(
                (path.cost - path.length - extra).abs() <= TOLERANCE + 1e-5 * path.cost,
                "{path:?}: {extra}"
            );
            let plan = self.cost_in_plan(&path);
            let shortest = *best.get_or_insert(plan);
            let is_longer = |a: f32, b: f32| a > b + TOLERANCE + mesh.position_slack();
            assert!(
                !is_longer(shortest, plan) && (search == PathSearch::Fast || !is_longer(plan, shortest)),
                "{} to {}: the shortest path is {shortest} m long, another one {plan} m",
                from.position,
                to.position
            );
            self.check_segments(&path);
            self.follow(&path);
            self.follow_corridor(&path, search);
            self.follow_slices(&path, search);
            self.followed.paths += 1;
        }
        self.follow_headings(from, to);
        self.ray(from, to.position);
        let mut query = self.mesh.query().filter(self.filter).memory(&mut self.scratch);
        let around = query.random_around(from, 2.0, &mut self.random);
        self.check_position(around.expect("a place of this mesh").position);
    }

    fn extra_costs(&self, path: &Path) -> impl Iterator<Item = f32> {
        path.links.iter().map(|taken| self.mesh.link(taken.link).expect("a link").extra_cost)
    }

    /// Returns the cost of a path as the search for the shortest one counts it.
    fn cost_in_plan(&self, path: &Path) -> f32 {
        let legs =
            path.points.windows(2).enumerate().map(|(index, pair)| match is_link(self.mesh, path, index) {
                true => pair[0].distance(pair[1]),
                false => pair[0].xz().distance(pair[1].xz()),
            });
        self.extra_costs(path).chain(legs).sum()
    }

    /// Follows `count` paths that avoid rough ground of a board, at a cost or for good.
    pub fn costs(&mut self, count: usize) {
        for turn in 0..count {
            let (Some(from), Some(to)) = (self.end(), self.end()) else { return };
            let cost = if turn % 2 == 0 { 3.0 } else { f32::INFINITY };
            let cost = AreaCosts::default().with(Board::ROUGH_AREA, cost);
            let path = match self.query().costs(cost).partial().path(from.position, to.position) {
                Err(QueryError::NoMeshNear { .. } | QueryError::Unreachable { .. }) => continue,
                path => path.unwrap_or_else(|error| panic!("{} to {}: {error}", from.position, to.position)),
            };
            path.points.iter().for_each(|&point| self.check_position(point));
            if path.outcome == Outcome::Complete {
                assert!(path.cost.is_finite(), "{} to {}: costs {}", from.position, to.position, path.cost);
                self.check_segments(&path);
                self.follow(&path);
                self.followed.paths += 1;
            }
        }
    }

    /// Casts a ray, and uses its end.
    fn ray(&mut self, from: &Location, to: Vec3) {
        let mesh = self.mesh;
        let ray = self.query().ray(from, to).expect("a place of this mesh");
        let end = ray.end(mesh);
        self.check_position(end.position);
        assert!(mesh.contains(end.polygon, end.position), "{} is not in its polygon", end.position);
        self.check_ray(from, end.position);
        // A ray that was led along a wall may miss it by a little more than the slack on its way back.
        self.walk(end, from.position, Some(&[]));
        if ray.hit.is_some() {
            self.followed.hits += 1;
            let slack = mesh.position_slack();
            let moved = self.query().walk(from, to).expect("a place of this mesh");
            self.check_position(moved.position);
            assert!(
                moved.position.xz().distance(to.xz()) <= end.position.xz().distance(to.xz()) + slack,
                "{} towards {to}: the ray gets nearer than the move",
                from.position
            );
            let wall = self.query().wall(end, 1.0).expect("a place of this mesh");
            let wall = wall.expect("a wall was hit");
            assert!(
                wall.distance <= slack,
                "{}: a wall was hit, the nearest is {} m away",
                end.position,
                wall.distance
            );
            self.check_position(wall.point);
        }
        // Straight sight is a straight path.
        if let Some(wall) = self.query().wall(from, 3.0).expect("a place of this mesh") {
            self.check_position(wall.point);
            self.check_ray(from, wall.point);
        }
    }

    /// A position that was given out is on the mesh.
    fn check_position(&mut self, position: Vec3) {
        let found = self.mesh.nearest_with(position, &self.there, &self.filter);
        assert!(found.is_some(), "{position} was given out, and is not on the mesh");
    }

    /// Nothing is in the way of a ray along ground that another query went over.
    fn check_ray(&mut self, from: &Location, to: Vec3) {
        let ray = self.query().ray(from, to).expect("a place of this mesh");
        let end = ray.end(self.mesh);
        assert!(
            ray.hit.is_none(),
            "ray from {} in {} to {to}: blocked at {}, {} m before",
            from.position,
            from.polygon,
            ray.fraction,
            end.position.xz().distance(to.xz())
        );
        let seen = self.query().sees(from, end);
        assert_eq!(seen, Ok(true), "{} to {to}: a ray arrives, but it is not in sight", from.position);
    }

    /// Nothing is in the way of an agent, at once and in steps.
    fn check_walk(&mut self, from: &Location, to: Vec3) {
        let slack = 2.0 * self.mesh.position_slack();
        let at_once = self.query().walk(from, to).expect("a place of this mesh");
        let missed = at_once.position.xz().distance(to.xz());
        assert!(missed <= slack, "{} to {to}: the move ends {missed} m before", from.position);
        self.walk(*from, to, None);
    }

    /// Returns `true` if polygons of several islands meet at a position, so that it does not say which
    /// of them is meant.
    fn touches(&self, position: Vec3) -> bool {
        let mut around = Vec::new();
        self.mesh.polygons_in_circle(position, &self.there, &AnyPolygon, &mut around);
        around.iter().any(|&polygon| !self.mesh.same_island(polygon, around[0]))
    }

    /// Returns `true` if a position lies at a wall without thickness, or at a door: it does not say on
    /// which side.
    fn is_at_seam(&self, position: Vec3) -> bool {
        self.is_at(&self.seams, position)
    }

    /// Returns `true` if a position lies at a door that is closed or costs: its sides are different
    /// places.
    fn is_at_closed_door(&self, position: Vec3) -> bool {
        self.is_at(&self.closed, position)
    }

    fn is_at(&self, lines: &[[Vec2; 2]], position: Vec3) -> bool {
        let at = position.xz();
        lines.iter().any(|&[a, b]| {
            let along = (at - a).dot(b - a) / (b - a).length_squared();
            a.lerp(b, along.clamp(0.0, 1.0)).distance(at) <= 2.0 * self.mesh.position_slack()
        })
    }

    /// Steps along a wall that do not slide, each from a bare position, arrive.
    fn check_strides(&mut self, from: Vec3, to: Vec3) {
        if self.is_at_closed_door(from) || self.is_at_closed_door(to) {
            return;
        }
        let (mesh, slack, mut place) = (self.mesh, self.mesh.position_slack(), from);
        let steps = (from.xz().distance(to.xz()) / self.step) as usize;
        for _ in 0..2 * steps + 8 {
            let step = (to - place).xz();
            if step.length() <= slack {
                return;
            }
            let step = step.clamp_length_max(self.step);
            let next = place + Vec3::new(step.x, 0.0, step.y);
            let start = mesh.nearest_towards(place, next, &self.there, &self.filter);
            let start = start.unwrap_or_else(|| panic!("{place} was given out, and is not on the mesh"));
            place = self.query().ray(start, next).expect("a place").end(mesh).position;
        }
        panic!("{from} to {to}: strides end at {place}, {} m before", place.xz().distance(to.xz()));
    }

    /// Walks in steps until it arrives. On a line that polygons of `path` share with others, without an
    /// edge between them, the agent keeps to those of the path. `None` for
    /// an agent that is led and got lost there.
    fn walk(&mut self, from: Location, to: Vec3, path: Option<&[PolyId]>) -> Option<Location> {
        let (is_led, path, mut trail) = (path.is_some(), path.unwrap_or_default(), Vec::new());
        let slack = self.mesh.position_slack();
        let mut place = from;
        let steps = (from.position.xz().distance(to.xz()) / self.step) as usize;
        let mut left = place.position.xz().distance(to.xz());
        for _ in 0..2 * steps + 8 {
            if left <= slack {
                return Some(place);
            }
            // In plan, as agents walk: the ground gives the height. Steps that are rounded each by
            // itself add up and lead away from the straight line.
            let here = place.position.xz();
            let line = straight_ahead([from.position.xz(), to.xz()], here, self.step, 2.0 * slack);
            let step = line.unwrap_or(here + (to.xz() - here).clamp_length_max(self.step)) - here;
            let next = place.position + Vec3::new(step.x, 0.0, step.y);
            let moved = self.query().walk(place, next).expect("a place of this mesh");
            let went = moved.position.xz().distance(place.position.xz());
            assert!(
                went <= step.length() + 2.0 * slack,
                "{}: a step of {} m led {went} m",
                place.position,
                step.length()
            );
            trail.push(place.position);
            let mesh = self.mesh;
            let kept = path.iter().rfind(|&&polygon| mesh.contains(polygon, moved.position));
            place = match kept.filter(|_| !path.contains(&moved.polygon)) {
                Some(&polygon) => mesh.closest_on_polygon(polygon, moved.position).expect("a polygon"),
                None => moved,
            };
            left = place.position.xz().distance(to.xz());
        }
        if is_led && trail.iter().any(|&position| self.is_at_seam(position)) {
            self.followed.lost += 1;
            return None;
        }
        panic!(
            "{} in {} to {to}: stands still at {}, {left} m before",
            from.position, from.polygon, place.position
        );
    }

    /// Goes along a path, over links at once. `go` returns the place that it reaches from a place
    /// towards the next point, along the polygons that are left; `None` ends it.
    fn along(
        &mut self,
        path: &Path,
        mut go: impl FnMut(&mut Self, Location, Vec3, &[PolyId]) -> Option<Location>,
    ) {
        let Some(&polygon) = path.polygons.first() else { return };
        let start = Location { polygon, position: path.points[0], generation: self.mesh.generation() };
        let (mut first, mut place) = (0, start);
        for (index, pair) in path.points.windows(2).enumerate() {
            if is_link(self.mesh, path, index) {
                place = self.arrival(pair[1]);
                continue;
            }
            (first, place) = self.on_path(path, index, first, place);
            let Some(next) = go(self, place, pair[1], &path.polygons[first..]) else { return };
            place = next;
        }
    }

    /// Rays along the segments of a path are free.
    fn check_segments(&mut self, path: &Path) {
        self.along(path, |chains, place, next, _| {
            chains.check_ray(&place, next);
            Some(chains.query().ray(place, next).expect("a place").end(chains.mesh))
        });
    }

    /// Returns the place at a point of a path, and which of its polygons that is: of those from `first`
    /// on that hold the point on this storey the first from which the next point is in sight, else the
    /// one whose ground is nearest. On both sides of a wall without thickness positions are the same.
    fn on_path(&mut self, path: &Path, index: usize, first: usize, place: Location) -> (usize, Location) {
        let (mesh, point, next) = (self.mesh, path.points[index], path.points[index + 1]);
        let ground =
            |at: usize| mesh.closest_on_polygon(path.polygons[at], place.position).expect("a polygon");
        let off = |&at: &usize| (ground(at).position.y - point.y).abs();
        let is_here = |at: &usize| {
            mesh.contains(path.polygons[*at], place.position) && 2.0 * off(at) < mesh.agent().height
        };
        let mut here = (first..path.polygons.len()).filter(is_here);
        let nearest = here.clone().min_by(|a, b| off(a).total_cmp(&off(b)));
        let sees =
            |at: &usize| self.query().ray(ground(*at), next).expect("a place of this mesh").hit.is_none();
        here.find(sees).or(nearest).map_or((first, place), |at| (at, ground(at)))
    }

    /// An agent that walks from corner to corner arrives.
    fn follow(&mut self, path: &Path) {
        self.along(path, |chains, place, next, left| chains.walk(place, next, Some(left)));
    }

    /// A path in slices, from where the first one begins, is as long; corners that keep a distance
    /// are on the mesh and can be followed.
    fn follow_slices(&mut self, path: &Path, search: PathSearch) {
        let (Some(&from), Some(&to)) = (path.points.first(), path.points.last()) else { return };
        if self.is_at_closed_door(from) || self.is_at_closed_door(to) {
            return;
        }
        let mut sliced = SlicedPath::new(PathOptions::default().with_search(search).with_filter(self.filter));
        sliced.begin(self.mesh, from, to).unwrap_or_else(|error| panic!("{from} to {to}: {error}"));
        while sliced.advance(self.mesh, 7).expect("the mesh is the same").is_none() {}
        let again = sliced.path();
        assert_eq!(again.outcome, Outcome::Complete, "{from} to {to}: in slices");
        // In plan: corners in line, which one of them may leave out, have heights of their own.
        let [length, sliced] = [path.plan_length, again.plan_length];
        let is_as_long = (sliced - length).abs() <= 10.0 * TOLERANCE + 1e-3 * length;
        assert!(
            is_as_long || search == PathSearch::Fast,
            "{from} to {to}: {length} m in plan, in slices {sliced} m"
        );
        if path.links.is_empty() {
            let mut wide = Path::default();
            self.query()
                .offset_corners(path, 0.2, &mut wide)
                .unwrap_or_else(|error| panic!("{from} to {to}: {error}"));
            wide.points.iter().for_each(|&point| self.check_position(point));
            self.follow(&wide);
        }
    }

    /// An agent that asks a distance map at each corner arrives.
    fn follow_headings(&mut self, from: &Location, to: &Location) {
        let slack = 2.0 * self.mesh.position_slack();
        let map = self.query().distance_map(to, MAP_REACH).expect("a place of this mesh");
        let mut place = *from;
        for _ in 0..50 {
            if place.position.xz().distance(to.position.xz()) <= slack {
                return;
            }
            let Some(heading) = map.heading(self.mesh, &place).expect("a place of this mesh") else {
                let within = self.query().distance_within(place, to, 0.99 * MAP_REACH);
                let is_apart = within.expect("places of this mesh").is_none();
                assert!(is_apart || self.touches(place.position), "no heading from {}", place.position);
                return;
            };
            if !self.mesh.same_island(place.polygon, to.polygon) {
                // Over links.
                return;
            }
            let Some(next) = self.walk(place, heading.next, Some(&[])) else { return };
            place = next;
        }
        if self.is_at_seam(place.position) {
            self.followed.lost += 1;
            return;
        }
        panic!("{} to {}: headings lead round at {}", from.position, to.position, place.position);
    }

    fn arrival(&self, position: Vec3) -> Location {
        self.mesh
            .nearest(position, &self.there)
            .unwrap_or_else(|| panic!("a link arrives at {position}, which is not on the mesh"))
    }

    /// An agent that is led by a corridor arrives.
    fn follow_corridor(&mut self, path: &Path, search: PathSearch) {
        let (Some(&from), Some(&to)) = (path.points.first(), path.points.last()) else { return };
        let (mesh, slack) = (self.mesh, 2.0 * self.mesh.position_slack());
        let options = CorridorOptions::default()
            .with_path(PathOptions::default().with_search(search).with_filter(self.filter));
        if self.is_at_closed_door(from) || self.is_at_closed_door(to) {
            return;
        }
        let mut corridor = PathCorridor::new(options);
        corridor
            .plan(mesh, from, to, &mut self.scratch)
            .unwrap_or_else(|error| panic!("{from} to {to}: {error}"));
        let mut at = from;
        for _ in 0..3 * (path.length / self.step) as usize + 8 * path.points.len() + 8 {
            if at.xz().distance(to.xz()) <= slack
                && corridor.next_link().is_none_or(|taken| is_portal(mesh, taken.link))
            {
                return;
            }
            let Some(&next) = corridor.next_corners(1).first() else { break };
            let is_at_corner = at.xz().distance(next.xz()) <= slack;
            let is_at_link = corridor.next_link().is_some_and(|taken| {
                let is_here = is_at_corner && taken.point == 1;
                !is_portal(mesh, taken.link) && (is_here || taken.point == 0)
            });
            if is_at_link {
                corridor.take_link(mesh, &mut self.scratch).expect("a corridor");
            } else {
                let step = (next - at).xz().clamp_length_max(self.step);
                corridor
                    .move_start(mesh, at + Vec3::new(step.x, 0.0, step.y), &mut self.scratch)
                    .unwrap_or_else(|error| panic!("{from} to {to} at {at}: {error}"));
            }
            at = corridor.start().expect("a corridor").position;
        }
        panic!(
            "{from} to {to}: the agent of a corridor stands still at {at}, {} m before; its path is {:?}",
            at.xz().distance(to.xz()),
            corridor.path()
        );
    }

    /// Searches a path of a disc.
    fn disc_path(
        &mut self,
        clear: &ClearanceNavMesh,
        options: ClearPathOptions,
        [from, to]: [Vec3; 2],
    ) -> Result<Path, QueryError> {
        clear.query(options.radius).options(options).memory(&mut self.scratch).path(from, to)
    }

    /// Follows `count` paths of a disc between random places.
    pub fn discs(&mut self, clear: &ClearanceNavMesh, radius: f32, count: usize) {
        for turn in 0..count {
            let (Some(from), Some(to)) = (self.place(), self.place()) else { return };
            let search = if turn % 2 == 0 { PathSearch::Shortest } else { PathSearch::Fast };
            let options = ClearPathOptions::new(radius).with_search(search);
            let ends = [from.position, to.position];
            let Ok(path) = self.disc_path(clear, options, ends) else { continue };
            if let Outcome::Partial { reached } = path.outcome {
                self.check_partial(clear, options, from.position, reached, to.position);
            }
            if path.outcome != Outcome::Complete || !path.links.is_empty() {
                continue;
            }
            let goal = *path.points.last().expect("a path has an end");
            let first = path.points.first().zip(path.polygons.first());
            let last = path.points.last().zip(path.polygons.last());
            for (&position, &polygon) in first.into_iter().chain(last) {
                let mut query = clear.query(radius).reach(self.there).memory(&mut self.scratch);
                let again = query.nearest(position);
                assert!(again.is_ok(), "radius {radius}: no room at {position}, where it was");
                let place = Location { polygon, position, generation: self.mesh.generation() };
                let room = query.clearance_at(&place, 2.0 * radius).expect("a place of this mesh");
                assert!(room >= radius - 2.0 * self.mesh.position_slack(), "{room} m of room for {radius} m");
            }
            if search == PathSearch::Fast {
                let whole = options.with_search(PathSearch::Shortest).with_allow_partial(false);
                let shortest = self.disc_path(clear, whole, ends);
                let [short, fast] = [shortest.expect("the ends are the same").plan_length, path.plan_length];
                assert!(
                    (short - TOLERANCE..=FAST_EXCESS * short + TOLERANCE).contains(&fast),
                    "radius {radius}, {ends:?}: {short} m, by the fast search {fast} m"
                );
            }
            for (index, &point) in path.points.iter().enumerate() {
                self.check_position(point);
                // The rest of a path is a path. In plan, in which the shortest path is found.
                let legs = path.points[index..].windows(2);
                let left: f32 = legs.map(|pair| pair[0].xz().distance(pair[1].xz())).sum();
                let onward = self.disc_path(clear, options, [point, goal]);
                let onward = onward.unwrap_or_else(|error| {
                    panic!("radius {radius}, point {index} of {ends:?}, {point}: {error}")
                });
                let is_complete = onward.outcome == Outcome::Complete;
                assert!(is_complete, "radius {radius}: no path from {point}, point {index} of {ends:?}");
                let rounding = TOLERANCE + self.mesh.position_slack() * (path.points.len() - index) as f32;
                // A channel found from another place may be another one.
                let most = if search == PathSearch::Fast { FAST_EXCESS * left } else { left };
                assert!(
                    onward.plan_length <= most + rounding,
                    "radius {radius}: {left} m are left at {point}, another path has {} m",
                    onward.plan_length
                );
            }
            // The centre walks it.
            self.along(&path, |chains, place, next, _| {
                chains.check_ray(&place, next);
                chains.walk(place, next, Some(&path.polygons))
            });
            self.follow_disc(clear, radius, [path.points[0], goal], &path.points);
            self.followed.discs += 1;
        }
    }

    /// The end of a partial path is reached, and on flat ground no place that is nearer to the goal.
    fn check_partial(
        &mut self,
        clear: &ClearanceNavMesh,
        options: ClearPathOptions,
        from: Vec3,
        reached: Vec3,
        to: Vec3,
    ) {
        let goal = clear.query(options.radius).memory(&mut self.scratch).nearest(to);
        let goal = goal.expect("a goal").location.position;
        let there = self.disc_path(clear, options, [from, reached]);
        assert!(
            there.is_ok_and(|path| path.outcome == Outcome::Complete) || self.touches(reached),
            "radius {}, {from} to {goal}: the end of the partial path, {reached}, is not reached",
            options.radius
        );
        let bounds = self.mesh.world_bounds().expect("polygons");
        let is_flat = bounds.max.y - bounds.min.y <= TOLERANCE;
        for _ in 0..if is_flat { 12 } else { 0 } {
            let near = reached.lerp(goal, self.random.unit() * self.random.unit());
            let reach = clear.default_reach(options.radius);
            let place = clear.query(options.radius).reach(reach).memory(&mut self.scratch).nearest(near);
            let Ok(place) = place.map(|place| place.location.position) else { continue };
            let rounding = 0.01 * self.mesh.frame().cell_size + TOLERANCE + 2.0 * self.mesh.position_slack();
            if place.distance(goal) + rounding >= reached.distance(goal) {
                continue;
            }
            let there = self.disc_path(clear, options, [from, place]);
            assert!(
                there.map_or(true, |path| path.outcome != Outcome::Complete),
                "radius {}, {from} to {goal}: {reached} is not the nearest place, {place} is nearer by {} m",
                options.radius,
                reached.distance(goal) - place.distance(goal)
            );
        }
        self.followed.partial += 1;
    }

    /// A disc that is led by a corridor arrives.
    fn follow_disc(&mut self, clear: &ClearanceNavMesh, radius: f32, [from, to]: [Vec3; 2], points: &[Vec3]) {
        let slack = 4.0 * self.mesh.position_slack();
        let mut corridor = PathCorridor::new(CorridorOptions::for_disc(radius));
        corridor
            .plan(clear, from, to, &mut self.scratch)
            .unwrap_or_else(|error| panic!("{from} to {to}: {error}"));
        let mut at = from;
        let length: f32 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        for _ in 0..3 * (length / self.step) as usize + 8 * points.len() + 8 {
            if at.xz().distance(to.xz()) <= slack {
                return;
            }
            let Some(&next) = corridor.next_corners(1).first() else { break };
            // Between rounded ends another path may be the cheapest, one over a door that costs.
            let is_at_link = corridor.next_link().is_some_and(|taken| taken.point <= 1);
            if is_at_link && at.xz().distance(next.xz()) <= self.mesh.position_slack() {
                let taken = corridor.take_link(clear, &mut self.scratch);
                taken.unwrap_or_else(|error| panic!("radius {radius}: a link at {at}: {error}"));
                at = corridor.start().expect("a corridor").position;
                continue;
            }
            let step = (next - at).xz().clamp_length_max(self.step);
            corridor
                .move_start(clear, at + Vec3::new(step.x, 0.0, step.y), &mut self.scratch)
                .unwrap_or_else(|error| panic!("radius {radius}: {from} to {to} at {at}: {error}"));
            at = corridor.start().expect("a corridor").position;
        }
        panic!(
            "radius {radius}, {from} to {to}: the disc of a corridor stands still at {at}, {} m before; next: {:?}",
            at.xz().distance(to.xz()),
            corridor.next_corners(3)
        );
    }
}

fn closed_doors(mesh: &NavMesh) -> Vec<[Vec2; 2]> {
    let at =
        |end: PlanVertex| mesh.frame().to_world(f64::from(end.point.x), 0.0, f64::from(end.point.z)).xz();
    let closed = mesh.links().iter().filter(|link| !link.is_open || link.extra_cost > 0.0);
    closed.flat_map(|link| [link.from.ends.map(at), link.to.ends.map(at)]).collect()
}

fn seams(mesh: &NavMesh) -> Vec<[Vec2; 2]> {
    let (mut borders, mut seams) = (HashSet::new(), Vec::new());
    for polygon in mesh.polygons() {
        let corners: Vec<Vec2> = polygon.positions().map(Vec3Swizzles::xz).collect();
        for (corner, beyond) in polygon.neighbours().enumerate() {
            let [a, b] = [corners[corner], corners[(corner + 1) % corners.len()]];
            let name = |[a, b]: [Vec2; 2]| [a, b].map(|end| end.to_array().map(f32::to_bits));
            if beyond.is_none() && !borders.insert(name([a, b])) | borders.contains(&name([b, a])) {
                seams.push([a, b]);
            }
        }
    }
    seams
}

/// Returns the reach of what lies at a position that was given out: its height is that of the
/// ground within the slack of it.
fn reach_there(mesh: &NavMesh) -> Reach {
    let slack = mesh.position_slack();
    // Most meshes are near the origin, where no slope matters.
    let steepest = if slack > 0.1 * TOLERANCE { steepest(mesh) } else { 1.0 };
    let height = TOLERANCE + steepest * slack;
    Reach::new(slack, height, height)
}

fn is_portal(mesh: &NavMesh, link: waymesh_graph::LinkId) -> bool {
    mesh.is_crossed_like_edge(link)
}

/// Returns `true` if the segment after this point is a link that is not crossed like an edge.
fn is_link(mesh: &NavMesh, path: &Path, point: usize) -> bool {
    path.links.iter().any(|taken| taken.point == point && !is_portal(mesh, taken.link))
}

/// Returns the point of a line that lies a step beyond a place within `slack` of it.
fn straight_ahead([from, to]: [Vec2; 2], place: Vec2, step: f32, slack: f32) -> Option<Vec2> {
    let length = from.distance(to);
    let along = (place - from).dot(to - from) / length;
    let at = |along: f32| from.lerp(to, (along / length).clamp(0.0, 1.0));
    (at(along).distance(place) <= slack).then(|| at(along + step))
}
