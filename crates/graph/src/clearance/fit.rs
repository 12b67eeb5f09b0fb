//! Placement of discs near a position.

use glam::{DVec2, Vec3, Vec3Swizzles, dvec2};
use waymesh_core::{PolyId, nearest_f32};

use super::mesh::ClearanceNavMesh;
use crate::geometry::disc::{NARROW, is_nearer, nearest_on, unit};
use crate::geometry::plan::PlanPosition;
use crate::locate::error::QueryError;
use crate::locate::nearest::{Location, Spot};
use crate::locate::places::STEEPEST;
use crate::locate::reach::{Reach, unless_0_or_more};

/// A place where a disc fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClearPlace {
    /// Place of its centre.
    pub location: Location,
    /// Distance in plan from the requested position in metres: 0 where the disc fits there.
    pub moved: f32,
}

/// A place in the mesh and in its triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    pub(crate) spot: Spot,
    pub(crate) at: DVec2,
    pub(crate) triangle: u32,
}

/// A place that is looked for.
#[derive(Debug)]
pub(super) struct Wanted<'a, P, C, T> {
    pub(super) position: Vec3,
    pub(super) radius: f64,
    pub(super) reach: &'a Reach,
    /// The polygons where the disc may be.
    pub(super) admits: P,
    /// The polygons among these where its centre may be.
    pub(super) centre: C,
    /// The triangles where it may be, and the places in them, with their heights in metres.
    pub(super) wants: T,
}

/// A choice of polygons.
pub(super) trait Admit: Fn(u32) -> bool {}

impl<F: Fn(u32) -> bool> Admit for F {}

/// A choice of triangles, places in them, and their heights.
pub(super) trait Want: Fn(u32, DVec2, f32) -> bool {}

impl<F: Fn(u32, DVec2, f32) -> bool> Want for F {}

/// Memory of the search for room.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    /// Distance, ends, and how far from it a centre is that touches it.
    walls: Vec<(f64, [DVec2; 2], f64)>,
    places: Vec<(f64, DVec2)>,
    holders: Vec<u32>,
    pub(super) stack: Vec<u32>,
}

/// Largest distance, in slacks, between a rounded place and one where a disc fits: at corners of
/// two degrees or more.
const ACUTE: f64 = 16.0;

/// Number of walls from which the search for room takes smaller steps: each pair is checked.
const MANY_WALLS: usize = 128;

/// Steps of four times the distance that lead over any mesh.
const STEPS: usize = 16;

impl ClearanceNavMesh {
    /// Returns the default of the largest distance between an end of a path and a place where its
    /// disc fits: [`crate::NavMesh::default_reach`], and two radii to the side.
    #[must_use]
    pub fn default_reach(&self, radius: f32) -> Reach {
        let mut reach = self.mesh.default_reach();
        reach.side = reach.side.max(2.0 * radius);
        reach
    }

    /// Returns the distance that a disc of this radius keeps from walls: nearer than the slack,
    /// positions do not show on which side of a wall it is. More than `slimmed` takes.
    pub(super) fn distance_of(&self, radius: f32) -> f32 {
        radius.max(self.mesh.position_slack()).max(3e-6)
    }

    pub(crate) fn clear_place(&self, fit: &Fit, asked: Vec3) -> ClearPlace {
        let location = self.mesh.location(&fit.spot, asked);
        let moved = location.position.xz().distance(asked.xz());
        ClearPlace { location, moved }
    }

    /// Returns the clearance of a place: see [`crate::ClearQuery::clearance_at`].
    pub(crate) fn clearance_at(
        &self,
        place: &Location,
        limit: f32,
        stack: &mut Vec<u32>,
    ) -> Result<f32, QueryError> {
        unless_0_or_more("limit", limit)?;
        let at = self.mesh.requested_plan(place)?;
        if !self.admitted.has(place.polygon.0) {
            return Ok(0.0);
        }
        let closest = self.mesh.closest_in_polygon(place.polygon.index(), at);
        let cell = f64::from(self.mesh.frame.cell_size);
        let at = dvec2(closest.x * cell, closest.z * cell);
        let triangle = self.triangle_at(place.polygon.0, at);
        let limit = f64::from(limit);
        let squared = self.table.wall_distance_squared(triangle, at, limit * limit, stack);
        #[expect(clippy::cast_possible_truncation, reason = "a length in single precision")]
        Ok(squared.sqrt() as f32)
    }

    pub(super) fn has_room(&self, triangle: u32, at: DVec2, radius: f64, stack: &mut Vec<u32>) -> bool {
        let least = radius * (1.0 - NARROW) - 1e-7;
        least <= 0.0
            || self.table.wall_distance_squared(triangle, at, radius * radius, stack) >= least * least
    }

    /// Returns the nearest place where a disc fits.
    pub(super) fn fit(
        &self,
        wanted: &Wanted<impl Admit, impl Admit, impl Want>,
        room: &mut Candidates,
    ) -> Option<Fit> {
        let &Wanted { position, radius, reach, .. } = wanted;
        let holds = |polygon| (wanted.admits)(polygon) && (wanted.centre)(polygon);
        let spot = self.mesh.nearest_spot(position, reach, holds)?;
        let at = self.place_of(&spot);
        let triangle = self.triangle_at(spot.polygon, at);
        let is_wanted = (wanted.wants)(triangle, at, self.height_of(&spot));
        if is_wanted && self.has_room(triangle, at, radius, &mut room.stack) {
            return Some(Fit { spot, at, triangle });
        }
        let size = f64::from(self.mesh.frame.cell_size);
        let [x, _, z] = self.mesh.frame.to_grid(position);
        let asked = dvec2(x * size, z * size);
        // A place in an acute corner that was given out, and rounded, is farther from where the disc
        // fits than the rounding, and on steep ground higher or lower.
        let slack = self.mesh.slack() * size;
        let was_fit = is_wanted && self.has_room(triangle, at, radius - slack, &mut room.stack);
        let extra = if was_fit { ACUTE * slack } else { 0.0 };
        let limit = f64::from(reach.side).max(extra);
        let mut far = (2.0 * radius).max(size).max((at - asked).length() * 1.5);
        // No place up to here has room.
        let mut known = -1.0;
        let mut steps = 0;
        while steps < STEPS {
            let mut within = far.min(limit);
            // A place that is farther than `known` touches no wall that ends before.
            self.walls_around(asked, [known - radius, within + radius], wanted, room);
            let is_crowded = room.walls.len() > MANY_WALLS;
            if is_crowded {
                let complete = room.walls[MANY_WALLS].0 - radius;
                within = complete.max(known + radius.max(size)).min(within);
            }
            room.find_beside_one(asked, [known, within]);
            let one = self.first_fit(wanted, asked, extra, room);
            // Places at two walls matter only where they are nearer.
            let nearer = one.map_or(within, |fit| (fit.at - asked).length());
            room.find_beside_two(asked, radius, [known, nearer]);
            let fit = self.first_fit(wanted, asked, extra, room).or(one);
            if fit.is_some() || within >= limit {
                return fit;
            }
            known = within;
            far = within * if is_crowded { 2.0 } else { 4.0 };
            steps += usize::from(!is_crowded);
        }
        None
    }

    /// Returns a place if a disc fits there, else the nearest one where it fits with no wall between
    /// the two.
    pub(super) fn fit_in_sight(
        &self,
        from: Fit,
        wanted: &Wanted<impl Admit, impl Admit, impl Want>,
        room: &mut Candidates,
    ) -> Option<Fit> {
        let &Wanted { position, radius, reach, .. } = wanted;
        if (wanted.wants)(from.triangle, from.at, self.height_of(&from.spot))
            && self.has_room(from.triangle, from.at, radius, &mut room.stack)
        {
            return Some(from);
        }
        let is_seen = |place: DVec2| {
            let last = self.table.walk(from.triangle, None, from.at, place);
            self.table.holds(last, place, 4.0 * self.table.slack)
        };
        let wants = |triangle, place, height| (wanted.wants)(triangle, place, height) && is_seen(place);
        let (admits, centre) = (&wanted.admits, &wanted.centre);
        self.fit(&Wanted { position, radius, reach, admits, centre, wants }, room)
    }

    /// Returns the height of a place in metres.
    pub(super) fn height_of(&self, spot: &Spot) -> f32 {
        self.mesh.frame.to_world(spot.at.x, spot.height, spot.at.z).y
    }

    /// Returns the first of the places where a disc fits. Within `extra` of the requested place the
    /// reach in height grows with the distance, as on the steepest ground.
    fn first_fit(
        &self,
        wanted: &Wanted<impl Admit, impl Admit, impl Want>,
        asked: DVec2,
        extra: f64,
        room: &mut Candidates,
    ) -> Option<Fit> {
        room.sort_places();
        let &Wanted { position, radius, reach, .. } = wanted;
        let mesh = &self.mesh;
        let frame = &mesh.frame;
        let size = f64::from(frame.cell_size);
        for at in 0..room.places.len() {
            let (_, place) = room.places[at];
            let far = (place - asked).length();
            let rise = if far <= extra { nearest_f32(STEEPEST * far) } else { 0.0 };
            let (low, high) = (position.y - reach.down - rise, position.y + reach.up + rise);
            let on_grid = PlanPosition::snapped(place.x / size, place.y / size);
            let holds = |polygon| (wanted.admits)(polygon) && (wanted.centre)(polygon);
            self.holders(on_grid, holds, &mut room.holders);
            let mut best: Option<(f32, Fit)> = None;
            for &polygon in &room.holders {
                let height = mesh.height_at(polygon as usize, on_grid);
                let world = frame.to_world(on_grid.x, height, on_grid.z).y;
                let apart = (world - position.y).abs();
                if !(low..=high).contains(&world) || best.as_ref().is_some_and(|best| best.0 <= apart) {
                    continue;
                }
                let triangle = self.triangle_at(polygon, place);
                if (wanted.wants)(triangle, place, world)
                    && self.has_room(triangle, place, radius, &mut room.stack)
                {
                    let spot = Spot { polygon, at: on_grid, height, within: false, distance_squared: 0.0 };
                    best = Some((apart, Fit { spot, at: place, triangle }));
                }
            }
            if let Some((_, fit)) = best {
                return Some(fit);
            }
        }
        None
    }

    /// The polygons that hold a place in plan, on all storeys.
    fn holders(&self, at: PlanPosition, admits: impl Fn(u32) -> bool, out: &mut Vec<u32>) {
        out.clear();
        let mesh = &self.mesh;
        mesh.all_in(
            [at.x, at.z, at.x, at.z],
            |bounds| {
                let (x, z) = (f64::from(bounds.min_x)..=f64::from(bounds.max_x), bounds);
                x.contains(&at.x) && (f64::from(z.min_z)..=f64::from(z.max_z)).contains(&at.z)
            },
            |polygon| {
                if admits(polygon) && mesh.closest_in_polygon(polygon as usize, at) == at {
                    out.push(polygon);
                }
            },
        );
        out.sort_unstable();
    }

    /// The walls that have a place at a distance in a range, on all storeys, nearest first; and the
    /// borders of the ground where the centre may be.
    fn walls_around(
        &self,
        asked: DVec2,
        [near, reach]: [f64; 2],
        wanted: &Wanted<impl Admit, impl Admit, impl Want>,
        out: &mut Candidates,
    ) {
        out.walls.clear();
        let mesh = &self.mesh;
        let size = f64::from(mesh.frame.cell_size);
        let walls = &mut out.walls;
        let [low, high] = [-reach, reach].map(|by| asked.map(|at| (at + by) / size));
        mesh.all_in(
            [low[0], low[1], high[0], high[1]],
            |bounds| {
                let gap = |low: i32, at: f64, high: i32| {
                    (f64::from(low) * size - at).max(at - f64::from(high) * size)
                };
                gap(bounds.min_x, asked[0], bounds.max_x) <= reach
                    && gap(bounds.min_z, asked[1], bounds.max_z) <= reach
            },
            |polygon| {
                if !(wanted.admits)(polygon) {
                    return;
                }
                let mut push = |wall: [DVec2; 2], aside: f64| {
                    let distance = (nearest_on(wall, asked) - asked).length();
                    let farthest = wall.map(|end| (end - asked).length());
                    if near <= farthest[0].max(farthest[1]) && distance <= reach {
                        walls.push((distance, wall, aside));
                    }
                };
                for edge in mesh.edge_range(PolyId(polygon).index()) {
                    let neighbour = mesh.topology.neighbours[edge];
                    if self.admitted.is_wall(neighbour) {
                        self.open.walls(mesh, PolyId(polygon), edge, |ends| {
                            push(ends.map(|end| self.plane_of(end.point)), wanted.radius);
                        });
                    } else if (wanted.centre)(polygon) && !(wanted.centre)(neighbour) {
                        // Twice the slack inside: rounded, it is still there.
                        let ends = mesh.ends_of(polygon, edge).map(|end| dvec2(end.x, end.z) * size);
                        push(ends, 2.0 * mesh.slack() * size);
                    }
                }
            },
        );
        let key = |wall: &(f64, [DVec2; 2], f64)| (wall.0, wall.1[0], wall.1[1]);
        walls.sort_unstable_by(|a, b| {
            let (a, b) = (key(a), key(b));
            a.0.total_cmp(&b.0)
                .then(a.1[0].total_cmp(&b.1[0]))
                .then(a.1[1].total_cmp(&b.1[1]))
                .then(a.2[0].total_cmp(&b.2[0]))
                .then(a.2[1].total_cmp(&b.2[1]))
        });
    }
}

impl Candidates {
    /// All places where a disc could touch one of the walls, at distances from `asked` in a range.
    fn find_beside_one(&mut self, asked: DVec2, range: [f64; 2]) {
        let Self { walls, places, .. } = self;
        places.clear();
        for &(_, wall, aside) in walls.iter() {
            let around = wall.map(|end| end + unit(asked - end) * aside);
            for place in [nearest_on(beside(wall, aside), asked), around[0], around[1]] {
                keep(places, place, asked, range);
            }
        }
    }

    /// All places where it could touch two of them.
    fn find_beside_two(&mut self, asked: DVec2, radius: f64, range: [f64; 2]) {
        let Self { walls, places, .. } = self;
        places.clear();
        let mut keep = |place: DVec2| keep(places, place, asked, range);
        let near = walls.partition_point(|&(distance, ..)| distance <= range[1] + radius);
        for (at, &(_, wall, aside)) in walls[..near].iter().enumerate() {
            let line = beside(wall, aside);
            for &(_, other, beyond) in &walls[..at] {
                if !is_nearer(wall, other, aside + beyond + 1e-6) {
                    continue;
                }
                let second = beside(other, beyond);
                meet_lines(line, second, &mut keep);
                for end in 0..2 {
                    meet_circle(line, other[end], beyond, &mut keep);
                    meet_circle(second, wall[end], aside, &mut keep);
                    // Circles of borders are points.
                    for other_end in other.into_iter().filter(|_| aside.total_cmp(&beyond).is_eq()) {
                        meet_circles(wall[end], other_end, aside, &mut keep);
                    }
                }
            }
        }
    }

    /// Sorts the places by distance.
    fn sort_places(&mut self) {
        self.places.sort_unstable_by(|a, b| {
            a.0.total_cmp(&b.0).then(a.1[0].total_cmp(&b.1[0])).then(a.1[1].total_cmp(&b.1[1]))
        });
        self.places.dedup();
    }
}

/// Returns the line that the centre of a disc at a wall moves along. It turns round both ends on
/// circles.
fn beside(wall: [DVec2; 2], radius: f64) -> [DVec2; 2] {
    let out = unit(wall[1] - wall[0]).perp();
    wall.map(|end| end + out * radius)
}

fn keep(places: &mut Vec<(f64, DVec2)>, place: DVec2, asked: DVec2, [known, far]: [f64; 2]) {
    let distance = (place - asked).length();
    if distance > known && distance <= far {
        places.push((distance, place));
    }
}

fn meet_lines([a, b]: [DVec2; 2], [c, d]: [DVec2; 2], keep: &mut impl FnMut(DVec2)) {
    let (along, other) = ((b - a), (d - c));
    let steep = along.perp_dot(other);
    if steep.abs() <= 1e-12 {
        return;
    }
    let share = (c - a).perp_dot(other) / steep;
    if (-1e-9..=1.0 + 1e-9).contains(&share) {
        keep(a + along * share);
    }
}

fn meet_circle([a, b]: [DVec2; 2], centre: DVec2, radius: f64, keep: &mut impl FnMut(DVec2)) {
    let along = unit(b - a);
    let off = centre - a;
    let middle = off.dot(along);
    let half = radius * radius - (off.dot(off) - middle * middle);
    if half < 0.0 {
        return;
    }
    let long = (b - a).length();
    for at in [middle - half.sqrt(), middle + half.sqrt()] {
        if (-1e-9..=long + 1e-9).contains(&at) {
            keep(a + along * at);
        }
    }
}

fn meet_circles(a: DVec2, b: DVec2, radius: f64, keep: &mut impl FnMut(DVec2)) {
    let across = b - a;
    let half = across.length() * 0.5;
    if half <= 0.0 || half > radius {
        return;
    }
    let up = (radius * radius - half * half).sqrt();
    let (middle, out) = ((a + across * 0.5), unit(across).perp());
    keep(middle + out * up);
    keep(middle + out * (-up));
}
