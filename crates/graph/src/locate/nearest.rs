//! Places that queries start from or lead to: the place on the mesh nearest to a position.

use glam::Vec3;
use smallvec::SmallVec;
use waymesh_core::{PolyId, nearest_f32, to_u32};

use super::error::{PathEnd, QueryError};
use super::reach::Reach;
use crate::geometry::plan::{LATTICE_STEP, PlanPosition, closest_on_segment, orientation, sure_above};
use crate::mesh::box_index::Target;
use crate::mesh::fans::WalkEdge;
use crate::mesh::filter::{AnyPolygon, PolygonFilter};
use crate::mesh::nav_mesh::{Generation, NavMesh};

/// A place on the mesh.
#[doc(alias = "dtPolyRef")]
#[doc(alias = "polyRef")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Location {
    /// The polygon it lies in.
    pub polygon: PolyId,
    /// World position, on the ground of that polygon.
    pub position: Vec3,
    /// The mesh that the polygon belongs to: [`NavMesh::generation`].
    pub generation: Generation,
}

/// A [`Location`] in the coordinates of the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot {
    pub(crate) polygon: u32,
    pub(crate) at: PlanPosition,
    pub(crate) height: f64,
    /// `true` if `at` is the requested position, `false` if it is the nearest place.
    pub(crate) within: bool,
    /// Squared distance from the requested position, in cells.
    pub(crate) distance_squared: f64,
}

/// The largest number of polygons that wait in a search for the nearest place.
const WAITING: usize = 4;

impl NavMesh {
    /// Returns a place on the ground of a polygon, which was requested there.
    pub(crate) fn spot_at(&self, polygon: u32, at: PlanPosition) -> Spot {
        let height = self.height_at(polygon as usize, at);
        Spot { polygon, at, height, within: true, distance_squared: 0.0 }
    }

    /// Returns the reach of a [`Query`](crate::Query): [`Reach::of_agent`].
    #[must_use]
    pub fn default_reach(&self) -> Reach {
        Reach::of_agent(&self.agent, self.frame.cell_size)
    }

    /// Returns the distance in the plan, in metres, within which a position is on the mesh for every
    /// query: see [`NavMesh`], Positions.
    ///
    /// Four units in the last place of the largest world coordinate, and two steps of the lattice
    /// of queries (two millionths of a cell): 0.05 mm on a mesh that ends 100 m from the origin.
    #[must_use]
    pub fn position_slack(&self) -> f32 {
        nearest_f32(self.slack() * f64::from(self.frame.cell_size))
    }

    /// Returns [`Self::position_slack`] in cells.
    #[inline]
    pub(crate) fn slack(&self) -> f64 {
        2.0 * self.vertices.plan_slack
    }

    /// Returns the corner of a polygon that lies within the slack of a place.
    pub(crate) fn corner_near(&self, polygon: u32, at: PlanPosition) -> Option<PlanPosition> {
        let slack = self.slack();
        let is_near = |corner: &PlanPosition| corner.distance_squared(at) <= slack * slack;
        self.walk_edges(polygon).iter().map(WalkEdge::start).find(is_near)
    }

    /// Returns a place that lies within the slack of a corner of its polygon at that corner, so that
    /// strings do not bend there again.
    pub(crate) fn at_corner(&self, spot: Spot) -> Spot {
        let corner = self.corner_near(spot.polygon, spot.at);
        corner.map_or(spot, |at| Spot { at, ..spot })
    }

    /// Returns the place on the mesh nearest to `position` within `reach`.
    ///
    /// - Each polygon offers its point closest in plan, at the height of the ground there; the
    ///   offer nearest in space wins, of equal ones the polygon with the lowest id
    ///   ([`NavMesh::compare_polygons`]). So where a polygon lies below or above, the place is straight
    ///   below or above in it.
    /// - Borders belong to their polygons: a point on an edge or a vertex is always in some
    ///   polygon.
    /// - `reach` is inclusive. It applies to the point offered.
    /// - `None` if nothing is within reach, `position` is not finite, or `reach` is NaN or
    ///   negative.
    /// - Takes time logarithmic in the polygons as long as the reach holds few of them.
    #[doc(alias = "findNearestPoly")]
    #[doc(alias = "closestPointOnPoly")]
    #[must_use]
    pub fn nearest(&self, position: Vec3, reach: &Reach) -> Option<Location> {
        self.nearest_with(position, reach, &AnyPolygon)
    }

    /// Returns the nearest place as [`NavMesh::nearest`] does, among the polygons that `filter`
    /// allows.
    #[must_use]
    pub fn nearest_with(
        &self,
        position: Vec3,
        reach: &Reach,
        filter: &impl PolygonFilter,
    ) -> Option<Location> {
        let spot = self.nearest_allowed(position, reach, filter)?;
        Some(self.location(&spot, position))
    }

    /// Returns `true` if `polygon` contains the plan position of `position`, border included;
    /// `position.y` does not matter.
    ///
    /// Tolerates [`NavMesh::position_slack`]. `false` if there is no such polygon or a coordinate is
    /// not finite.
    #[must_use]
    pub fn contains(&self, polygon: PolyId, position: Vec3) -> bool {
        if !self.has_polygon(polygon) || !position.is_finite() {
            return false;
        }
        let [x, _, z] = self.frame.to_grid(position);
        self.is_within_slack(polygon.0, PlanPosition::snapped(x, z))
    }

    /// Returns `true` if a polygon contains a place, or comes within the slack of it.
    pub(crate) fn is_within_slack(&self, polygon: u32, at: PlanPosition) -> bool {
        if self.is_closest_beyond(polygon, at, self.slack()) {
            return false;
        }
        let closest = self.closest_in_polygon(polygon as usize, at);
        closest.distance_squared(at) <= self.slack() * self.slack()
    }

    pub(crate) fn location(&self, spot: &Spot, asked: Vec3) -> Location {
        let position = self.frame.to_world(spot.at.x, spot.height, spot.at.z);
        let position = if spot.within {
            asked.with_y(position.y)
        } else {
            self.on_ground(PolyId(spot.polygon), position)
        };
        Location { polygon: PolyId(spot.polygon), position, generation: self.generation }
    }

    /// Returns what `find` finds near a position. Refuses a position that is not finite, and one with
    /// nothing within reach, by default [`NavMesh::default_reach`].
    pub(crate) fn located<T>(
        &self,
        end: PathEnd,
        position: Vec3,
        reach: Option<Reach>,
        find: impl FnOnce(&Reach) -> Option<T>,
    ) -> Result<T, QueryError> {
        QueryError::unless_finite(end, position)?;
        let reach = reach.unwrap_or_else(|| self.default_reach());
        reach.validate()?;
        find(&reach).ok_or_else(|| self.nothing_near(end, position, reach))
    }

    /// Returns the error for an end with no ground within reach that a query may use.
    #[must_use]
    pub fn nothing_near(&self, end: PathEnd, position: Vec3, reach: Reach) -> QueryError {
        QueryError::NoMeshNear { end, position, reach, is_closed: self.nearest(position, &reach).is_some() }
    }

    /// Returns the nearest place in a polygon that a filter allows.
    pub(crate) fn nearest_allowed(
        &self,
        position: Vec3,
        reach: &Reach,
        filter: &impl PolygonFilter,
    ) -> Option<Spot> {
        if filter.allows_all() {
            return self.nearest_by(position, reach, |_| true);
        }
        self.nearest_spot(position, reach, |polygon| filter.allows(self, PolyId(polygon)))
    }

    /// Returns the nearest place in a polygon for which `allows` returns `true`. The search is
    /// compiled once for all such functions, which keeps programs small.
    pub(crate) fn nearest_spot(
        &self,
        position: Vec3,
        reach: &Reach,
        allows: impl Fn(u32) -> bool,
    ) -> Option<Spot> {
        self.nearest_by(position, reach, &allows as &dyn Fn(u32) -> bool)
    }

    /// Returns what a search near a position looks for; `None` where nothing can be found.
    fn target(&self, position: Vec3, reach: &Reach) -> Option<Target> {
        if !position.is_finite() || reach.validate().is_err() || self.polygon_count() == 0 {
            return None;
        }
        let (cell_size, level_height) = (f64::from(self.frame.cell_size), f64::from(self.frame.level_height));
        let [x, height, z] = self.frame.to_grid(position);
        let side = f64::from(reach.side) / cell_size + self.slack();
        let level = level_height / cell_size;
        Some(Target {
            at: PlanPosition::snapped(x, z),
            height,
            low: height - f64::from(reach.down) / level_height - self.vertices.height_slack,
            high: height + f64::from(reach.up) / level_height + self.vertices.height_slack,
            side_squared: side * side,
            level_squared: level * level,
        })
    }

    /// Calls `visit(polygon, limit)` for all polygons whose boxes are no farther from a position than
    /// `limit`, a squared distance in cells, roughly nearest first. `visit` gives the new limit,
    /// which must not grow.
    pub(crate) fn visit_nearest(&self, position: Vec3, visit: impl FnMut(u32, f64) -> f64) {
        if let Some(target) = self.target(position, &Reach::INFINITE) {
            self.visit(&target, f64::MAX, visit);
        }
    }

    /// Calls `visit` for the polygons within reach of a target: see [`NavMesh::visit_nearest`].
    #[inline]
    fn visit(&self, target: &Target, limit: f64, visit: impl FnMut(u32, f64) -> f64) {
        match self.tiles() {
            None => self.index.boxes.nearest(target, limit, visit),
            Some(tiles) => tiles.places.nearest(target, limit, visit),
        }
    }

    fn nearest_by(&self, position: Vec3, reach: &Reach, allows: impl Fn(u32) -> bool) -> Option<Spot> {
        let target = self.target(position, reach)?;
        let mut best: Option<Spot> = None;
        if !self.is_nearest_over(&target, &allows, &mut best) {
            self.search_nearest(&target, &allows, &mut best);
        }
        // A position that was moved to a border may have been rounded to just outside, from where exact
        // tests do not see the adjacent portals.
        best.map(
            |spot| if spot.within { spot } else { Spot { at: self.inside(spot.polygon, spot.at), ..spot } },
        )
    }

    /// Finds the best place straight below and above, and checks all polygons that are nearer.
    /// Returns `true` if no other polygon needs a check.
    #[inline]
    fn is_nearest_over(
        &self,
        target: &Target,
        allows: &impl Fn(u32) -> bool,
        best: &mut Option<Spot>,
    ) -> bool {
        if let Some(tiles) = self.tiles() {
            let Some(squares) = tiles.places.at(target.at) else { return false };
            let Some(polygons) = squares.lists.at(target.at) else { return false };
            let around = |reach: f64| squares.around(target.at, reach);
            return self.is_nearest_of(target, polygons, around, allows, best);
        }
        let squares = self.index.buckets.lists();
        let Some(polygons) = squares.at(target.at) else { return false };
        let around = |reach: f64| squares.around(target.at, reach);
        self.is_nearest_of(target, polygons, around, allows, best)
    }

    /// Checks the polygons at a place and those around it.
    #[inline]
    fn is_nearest_of<'a>(
        &self,
        target: &Target,
        polygons: &[u32],
        around: impl FnOnce(f64) -> Option<[&'a [u32]; 4]>,
        allows: &impl Fn(u32) -> bool,
        best: &mut Option<Spot>,
    ) -> bool {
        let mut limit = f64::MAX;
        for &polygon in polygons {
            if self.holds(polygon, target.at) && allows(polygon) {
                limit = self.offer_place(target, (polygon, target.at, true), limit, best);
            }
        }
        let Some(spot) = best else { return false };
        if limit == 0.0 {
            return true;
        }
        let over = spot.polygon;
        let Some(lists) = around(limit.sqrt()) else { return false };
        for &polygon in lists.into_iter().flatten() {
            if polygon != over && allows(polygon) {
                limit = self.offer_beside(target, polygon, limit, best);
            }
        }
        true
    }

    /// Searches all polygons that may be nearer than the best place so far.
    fn search_nearest(&self, target: &Target, allows: &impl Fn(u32) -> bool, best: &mut Option<Spot>) {
        // A polygon that does not contain the position in plan matters only if none is found straight
        // above or below, so it is checked last.
        let mut waiting = SmallVec::<[u32; WAITING]>::new();
        let limit = best.map_or(f64::MAX, |best| best.distance_squared);
        let look = |polygon: u32, limit: f64| {
            if !allows(polygon) {
                return limit;
            }
            if self.holds(polygon, target.at) {
                return self.offer_place(target, (polygon, target.at, true), limit, best);
            }
            if best.is_none() && waiting.len() < WAITING {
                waiting.push(polygon);
                return limit;
            }
            self.offer_beside(target, polygon, limit, best)
        };
        self.visit(target, limit, look);
        for polygon in waiting {
            let limit = best.map_or(f64::MAX, |best| best.distance_squared);
            self.offer_beside(target, polygon, limit, best);
        }
    }

    /// Offers the nearest place of a polygon that does not contain the position in plan, unless an edge
    /// proves that the whole polygon is too far away.
    #[inline]
    fn offer_beside(&self, target: &Target, polygon: u32, limit: f64, best: &mut Option<Spot>) -> f64 {
        let bounds = &self.index.bounds[polygon as usize];
        // At least so much higher or lower, and to the side, whatever the place.
        let rise = bounds.rise_to(target.height);
        let most = (limit - rise * rise * target.level_squared * (1.0 - 1e-9)).min(target.side_squared);
        if bounds.plan_distance_squared(target.at) > most || self.is_beyond(polygon, target.at, most) {
            return limit;
        }
        let closest = self.closest_in_polygon(polygon as usize, target.at);
        self.offer_place(target, (polygon, closest, false), limit, best)
    }

    /// Keeps the place of a polygon if it is within reach and the best so far, and gives the new
    /// limit.
    #[inline]
    fn offer_place(
        &self,
        target: &Target,
        (polygon, at, within): (u32, PlanPosition, bool),
        limit: f64,
        best: &mut Option<Spot>,
    ) -> f64 {
        let aside = at.distance_squared(target.at);
        if aside > target.side_squared || aside > limit {
            return limit;
        }
        let height = self.height_at(polygon as usize, at);
        if height < target.low || height > target.high {
            return limit;
        }
        let rise = height - target.height;
        let distance_squared = aside + rise * rise * target.level_squared;
        let better = best.as_ref().is_none_or(|best| {
            distance_squared < best.distance_squared
                || (distance_squared <= best.distance_squared && self.precedes(polygon, best.polygon))
        });
        if !better {
            return limit;
        }
        *best = Some(Spot { polygon, at, height, within, distance_squared });
        distance_squared
    }

    /// Returns the point of a polygon that is closest in plan, moved to the lattice: `at` itself
    /// where the polygon contains it.
    pub(crate) fn closest_in_polygon(&self, polygon: usize, at: PlanPosition) -> PlanPosition {
        if self.holds(to_u32(polygon), at) {
            return at;
        }
        // Only edges that have `at` on their far side can hold the closest point.
        let mut closest = self.closest_on_edges(polygon, at, |a, b| orientation(a, b, at) < 0.0);
        if closest.is_none() && !self.index.bounds[polygon].holds(at) {
            // At this distance rounding hides the side.
            closest = self.closest_on_edges(polygon, at, |_, _| true);
        }
        closest.map_or(at, |place| PlanPosition::snapped(place.x, place.z))
    }

    #[inline]
    fn closest_on_edges(
        &self,
        polygon: usize,
        at: PlanPosition,
        considers: impl Fn(PlanPosition, PlanPosition) -> bool,
    ) -> Option<PlanPosition> {
        let edges = self.walk_edges(to_u32(polygon));
        let mut a = edges[edges.len() - 1].start();
        let mut closest = (f64::INFINITY, None);
        for edge in edges {
            let b = edge.start();
            if considers(a, b) {
                let place = closest_on_segment(a, b, at);
                let distance = place.distance_squared(at);
                if distance < closest.0 {
                    closest = (distance, Some(place));
                }
            }
            a = b;
        }
        closest.1
    }

    /// Returns `true` if a polygon holds a place of the lattice, border included.
    #[inline]
    pub(crate) fn holds(&self, polygon: u32, at: PlanPosition) -> bool {
        let bounds = &self.index.bounds[polygon as usize];
        if !bounds.holds(at) {
            return false;
        }
        let size = |low: i32, high: i32| f64::from(high) - f64::from(low);
        let sure = sure_above(2.0 * size(bounds.min_x, bounds.max_x) * size(bounds.min_z, bounds.max_z));
        let edges = self.walk_edges(polygon);
        let mut a = edges[edges.len() - 1].start();
        for edge in edges {
            let b = edge.start();
            let side = (b.x - a.x) * (at.z - a.z) - (b.z - a.z) * (at.x - a.x);
            if side < sure && (side <= -sure || orientation(a, b, at) < 0.0) {
                return false;
            }
            a = b;
        }
        true
    }

    /// Returns `true` if the line of one edge proves that [`Self::closest_in_polygon`], which rounds,
    /// is farther than `distance`; `false` proves nothing.
    pub(crate) fn is_closest_beyond(&self, polygon: u32, at: PlanPosition, distance: f64) -> bool {
        let most = distance + LATTICE_STEP;
        self.is_beyond(polygon, at, most * most)
    }

    /// Returns `true` if the line of one edge proves that every place of a polygon is farther than
    /// `distance_squared` from a place outside it; `false` proves nothing.
    #[inline]
    pub(crate) fn is_beyond(&self, polygon: u32, at: PlanPosition, distance_squared: f64) -> bool {
        let edges = self.walk_edges(polygon);
        let mut a = edges[edges.len() - 1].start();
        for edge in edges {
            let b = edge.start();
            let side = orientation(a, b, at);
            // Rounded in favour of the polygon: a billionth is more than all roundings together.
            if side < 0.0 && side * side > distance_squared * a.distance_squared(b) * (1.0 + 1e-9) {
                return true;
            }
            a = b;
        }
        false
    }
}

/// A place that a query starts from or leads to: a position, or a [`Location`] that a query
/// returned.
///
/// A position is moved to the mesh, within the reach of the query. A location is used as it is; one
/// of another mesh, or of an earlier state of this one, is a position again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// A position in the world.
    Position(Vec3),
    /// A location on the mesh.
    Found(Location),
}

impl Place {
    /// Returns the position in the world.
    #[must_use]
    pub fn position(&self) -> Vec3 {
        match self {
            Self::Position(position) => *position,
            Self::Found(location) => location.position,
        }
    }

    /// Returns the polygon of a location on `mesh`.
    pub(crate) fn polygon_on(&self, mesh: &NavMesh) -> Option<PolyId> {
        match self {
            Self::Found(location) if location.generation == mesh.generation => {
                Some(location.polygon).filter(|&polygon| mesh.has_polygon(polygon))
            }
            _ => None,
        }
    }
}

impl From<Vec3> for Place {
    fn from(position: Vec3) -> Self {
        Self::Position(position)
    }
}

impl From<Location> for Place {
    fn from(location: Location) -> Self {
        Self::Found(location)
    }
}

impl From<&Location> for Place {
    fn from(location: &Location) -> Self {
        Self::Found(*location)
    }
}
