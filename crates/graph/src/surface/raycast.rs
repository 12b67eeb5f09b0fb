//! Straight ahead over the surface.

use glam::{Vec3, dvec2};
use waymesh_core::{PolyId, nearest_f32, to_u32};

use crate::geometry::disc::is_nearer;
use crate::geometry::plan::{LATTICE_STEP, PlanPosition, orientation};
use crate::locate::error::{PathEnd, QueryError};
use crate::locate::nearest::Location;
use crate::locate::ray::{Ray, RayExit};
use crate::locate::reach::Reach;
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::crossings::Portal;
use crate::mesh::fans::WalkEdge;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;

/// The result of [`Query::ray`](crate::Query::ray).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Raycast {
    /// The polygon in which it ends.
    pub polygon: PolyId,
    /// The part of the path in plan that is free, from 0 to 1.
    pub fraction: f32,
    /// The wall that was hit, if any.
    pub hit: Option<RayHit>,
    target: Vec3,
    stop: Stop,
}

impl Raycast {
    /// Returns the end of the ray, on the ground of `mesh`, which it was cast on: at the wall that was
    /// hit, or at the target. Takes about as long as the ray.
    #[must_use]
    pub fn end(&self, mesh: &NavMesh) -> Location {
        let Stop { polygon, hit, last, .. } = self.stop;
        let Some(met) = hit else { return mesh.place_at(polygon, self.target) };
        let (share, _) = mesh.wall_hit(&met, &last);
        mesh.place(polygon, mesh.place_at_wall(polygon, &met, &last, share))
    }
}

/// A wall that was hit: a border of the mesh, or an edge to a polygon that the filter does not
/// allow.
#[doc(alias = "dtRaycastHit")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The polygon on this side of it.
    pub polygon: PolyId,
    /// Edge of the polygon.
    pub edge: u32,
    /// Its normal in the plan, of length 1, towards the polygon; y is 0.
    pub normal: Vec3,
}

/// Exit of a ray from a polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Exit {
    Edge(usize),
    /// Exactly at this corner.
    Corner(usize),
}

/// End of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stop {
    pub(super) polygon: u32,
    /// Its exit there, and the wall that blocks it: the polygon of the edge, and the edge.
    pub(super) hit: Option<WallExit>,
    /// The number of corners that it passed through.
    corners: u32,
    /// Its last straight piece: from the last corner at which it was led along a wall.
    last: Ray,
}

/// The continuation of a ray along a wall that it leaves by less than the slack.
enum Along {
    /// At the end of the wall: a polygon, and its corner there.
    From(u32, PlanPosition),
    /// The target lies within the slack of this polygon.
    Ends(u32),
}

/// Exit from a polygon, and the blocking wall: the polygon of the edge, and the edge.
type WallExit = (Exit, u32, usize);

impl NavMesh {
    /// Follows a straight line: see [`crate::Query::ray`]. `polygons` becomes the polygons passed.
    pub(crate) fn raycast(
        &self,
        from: &Location,
        to: Vec3,
        filter: &impl PolygonFilter,
        polygons: &mut Vec<PolyId>,
    ) -> Result<Raycast, QueryError> {
        polygons.clear();
        let asked = self.requested_plan(from)?;
        let aim = self.plan_of(PathEnd::Goal, to)?;
        let walk = |slack: f64, polygons: &mut Vec<PolyId>| {
            polygons.clear();
            polygons.push(from.polygon);
            let pass = |polygon| polygons.push(PolyId(polygon));
            self.walk_ray(from.polygon.0, [asked, aim], slack, filter, pass)
        };
        let slack = self.slack();
        let (mut ray, mut stop) = walk(slack, polygons);
        if stop.hit.is_some() && (stop.corners > 0 || stop.last != ray) {
            // Beyond a corner the walls that meet there lie on both sides of the ray, within the slack.
            let line = [ray.at, aim].map(|end| dvec2(end.x, end.z));
            let near = self.connected_over(from.polygon.0, filter, |ends| {
                is_nearer(line, ends.map(|end| dvec2(end.x, end.z)), slack)
            });
            if let Some(&polygon) = near.iter().find(|&&polygon| self.is_within_slack(polygon, aim)) {
                polygons.clear();
                polygons.extend(near.iter().copied().map(PolyId));
                stop = Stop { polygon, hit: None, ..stop };
            } else {
                // A ray to its end, which is rounded, is not blocked: that has the whole slack.
                (ray, stop) = walk(slack / 2.0, polygons);
            }
        }
        let hit = stop.hit.map(|met| self.wall_hit(&met, &stop.last));
        let fraction = hit.map_or(1.0, |(share, _)| nearest_f32(ray.share_with(&stop.last, share)));
        let hit = hit.map(|(_, hit)| hit);
        Ok(Raycast { polygon: PolyId(stop.polygon), fraction, hit, target: to, stop })
    }

    /// Follows a ray from polygon to polygon, from the requested place in the first, or
    /// the nearest to it, and calls `pass` for each polygon that it enters. It is led along a wall
    /// that it leaves by no more than `slack`, in cells.
    #[inline]
    pub(super) fn walk_ray(
        &self,
        first: u32,
        [asked, target]: [PlanPosition; 2],
        slack: f64,
        filter: &impl PolygonFilter,
        mut pass: impl FnMut(u32),
    ) -> (Ray, Stop) {
        let mut polygon = first;
        let mut ray = self.ray(asked, target);
        let mut ray_exit = self.exit_from(first, &ray).unwrap_or_else(|| {
            ray = self.ray(self.inside(first, asked), target);
            self.exit_of(first, &ray)
        });
        let whole = ray;
        let (mut last_along, mut corners) = (f64::NEG_INFINITY, 0);
        for _ in 0..4 * self.polygon_count() + 4 {
            let exit = match ray_exit {
                RayExit::Ends => None,
                RayExit::Through(edge) => Some(Exit::Edge(edge)),
                RayExit::Unsure => self.exit(polygon, &ray),
            };
            let Some(exit) = exit else { break };
            let open = match exit {
                Exit::Edge(edge) => {
                    let WalkEdge { beyond, twin, .. } = self.topology.walk[edge];
                    if beyond != NO_NEIGHBOUR && filter.may_cross(self, PolyId(polygon), PolyId(beyond)) {
                        polygon = beyond;
                        pass(polygon);
                        // Through the inside of an edge.
                        ray_exit = self.exit_through(polygon, twin as usize, &ray);
                        continue;
                    }
                    self.portal_on_ray(polygon, ray.at, target, filter)
                }
                Exit::Corner(corner) => {
                    let beyond = self.beyond_corner(polygon, corner, target, filter);
                    corners += u32::from(beyond.is_some());
                    beyond
                }
            };
            let along = match open {
                Some(_) => None,
                None => self.along_wall(polygon, exit, &whole, (last_along, slack), filter),
            };
            let next = match (open, along) {
                (Some(next), _) => next,
                (None, Some(Along::Ends(next))) => {
                    if next != polygon {
                        pass(next);
                    }
                    return (whole, Stop { polygon: next, hit: None, corners, last: ray });
                }
                (None, Some(Along::From(next, corner))) => {
                    last_along = whole.along(corner);
                    ray = self.ray(corner, target);
                    if next == polygon {
                        ray_exit = self.exit_of(polygon, &ray);
                        continue;
                    }
                    next
                }
                (None, None) => {
                    let at = ray.at;
                    let onward = match exit {
                        Exit::Edge(_) => None,
                        Exit::Corner(corner) => {
                            self.onward_at_corner(polygon, self.topology.walk[corner].start(), target, filter)
                        }
                    };
                    let Some(next) = onward else {
                        // From the corner that the start is at, a portal may begin.
                        let corner = self.corner_near(first, ray.at).filter(|&corner| corner != ray.at);
                        if let Some(corner) = corner.filter(|_| polygon == first) {
                            ray = self.ray(corner, target);
                            ray_exit = self.exit_of(first, &ray);
                            continue;
                        }
                        let (owner, edge) = match exit {
                            Exit::Edge(edge) => (polygon, edge),
                            Exit::Corner(corner) => {
                                self.wall_at_corner(polygon, corner, [at, target], filter)
                            }
                        };
                        return (whole, Stop { polygon, hit: Some((exit, owner, edge)), corners, last: ray });
                    };
                    next
                }
            };
            polygon = next;
            pass(polygon);
            ray_exit = self.exit_of(polygon, &ray);
        }
        (whole, Stop { polygon, hit: None, corners, last: ray })
    }

    /// Returns how a ray continues that meets a wall and leaves it by no more than `slack`: at the
    /// end of that wall which lies farthest along the ray, if that is farther than `last_along`,
    /// where it was led along a wall before. `None` if it is blocked.
    #[cold]
    fn along_wall(
        &self,
        polygon: u32,
        exit: Exit,
        ray: &Ray,
        (last_along, slack): (f64, f64),
        filter: &impl PolygonFilter,
    ) -> Option<Along> {
        let is_end = |polygon: u32| self.is_within_slack(polygon, ray.target);
        if is_end(polygon) {
            return Some(Along::Ends(polygon));
        }
        let mut best = (last_along, None);
        let mut offer = |owner: u32, end: PlanPosition| {
            let along = ray.along(end);
            if along > best.0 && ray.aside(end) <= slack {
                best = (along, Some((owner, end)));
            }
        };
        match exit {
            Exit::Edge(edge) => self.ends_of(polygon, edge).into_iter().for_each(|end| offer(polygon, end)),
            Exit::Corner(corner) => {
                let at = self.topology.walk[corner].start();
                for polygon in self.connected_at(polygon, at, 0.0, filter) {
                    if is_end(polygon) {
                        return Some(Along::Ends(polygon));
                    }
                    for edge in self.edge_range(polygon as usize) {
                        let [a, b] = self.ends_of(polygon, edge);
                        if (a == at || b == at) && self.open_crossing(polygon, to_u32(edge), filter).is_none()
                        {
                            offer(polygon, if a == at { b } else { a });
                        }
                    }
                }
            }
        }
        let (along, Some((owner, end))) = best else { return None };
        Some(if along >= ray.along(ray.target) { Along::Ends(owner) } else { Along::From(owner, end) })
    }

    /// Returns where the ray leaves a polygon; `None` if the target is in it.
    #[inline]
    fn exit(&self, polygon: u32, ray: &Ray) -> Option<Exit> {
        let first = self.topology.polygon_first[polygon as usize] as usize;
        let edges = self.walk_edges(polygon);
        // Edges from corner `before` to corner `corner`.
        let mut before = edges.len() - 1;
        let mut a = edges[before].start();
        let mut a_side = ray.side(a);
        let mut outside = false;
        let mut exit = None;
        for (corner, edge) in edges.iter().enumerate() {
            let b = edge.start();
            let b_side = ray.side(b);
            if orientation(a, b, ray.target) < 0.0 {
                outside = true;
                if a_side < 0.0 && b_side > 0.0 {
                    exit = Some(Exit::Edge(first + before));
                }
            }
            // Collinear with the ray, where the polygon ends.
            if a_side == 0.0 && b_side > 0.0 {
                exit = exit.or(Some(Exit::Corner(first + before)));
            } else if a_side < 0.0 && b_side == 0.0 {
                exit = exit.or(Some(Exit::Corner(first + corner)));
            }
            (a, a_side, before) = (b, b_side, corner);
        }
        if outside { exit } else { None }
    }

    /// Returns the polygon beyond a link that is crossed like an edge, where the ray crosses it.
    fn portal_on_ray(
        &self,
        polygon: u32,
        at: PlanPosition,
        target: PlanPosition,
        filter: &impl PolygonFilter,
    ) -> Option<u32> {
        self.link_portals(polygon).find_map(|Portal { crossing, right, left }| {
            let is_crossed = orientation(at, target, right) <= 0.0
                && orientation(at, target, left) >= 0.0
                && orientation(right, left, target) < 0.0;
            self.open_crossing(polygon, crossing, filter).filter(|_| is_crossed)
        })
    }

    /// Returns the polygon into which a ray continues from a corner where links begin.
    fn onward_at_corner(
        &self,
        polygon: u32,
        at: PlanPosition,
        target: PlanPosition,
        filter: &impl PolygonFilter,
    ) -> Option<u32> {
        if self.links.links.is_empty() {
            return None;
        }
        let holds = |[a, b]: [PlanPosition; 2]| {
            let side = orientation(a, b, at);
            side > 0.0 || (side == 0.0 && orientation(a, b, target) >= 0.0)
        };
        let mut others = self.connected_at(polygon, at, 0.0, filter).into_iter().skip(1);
        others.find(|&other| self.edge_range(other as usize).all(|edge| holds(self.ends_of(other, edge))))
    }

    /// Calls `visit(polygon, corner)` for the other polygons around a corner that can be reached
    /// around it, until it answers true.
    pub(crate) fn around(
        &self,
        polygon: u32,
        corner: usize,
        filter: &impl PolygonFilter,
        mut visit: impl FnMut(u32, usize) -> bool,
    ) {
        for to_right in [true, false] {
            let (mut current, mut at) = (polygon, corner);
            loop {
                let edge = if to_right { at } else { self.corner_before(current, at) };
                let Some(next) = self.open_crossing(current, to_u32(edge), filter) else { break };
                if next == polygon {
                    return;
                }
                let twin = self.topology.fans.twin(to_u32(edge)) as usize;
                at = if to_right { self.corner_after(next, twin) } else { twin };
                current = next;
                if visit(current, at) {
                    return;
                }
            }
        }
    }

    /// Returns the polygon around a corner into which the ray continues.
    fn beyond_corner(
        &self,
        polygon: u32,
        corner: usize,
        target: PlanPosition,
        filter: &impl PolygonFilter,
    ) -> Option<u32> {
        let mut found = None;
        self.around(polygon, corner, filter, |polygon, corner| {
            let [at, next] = self.ends_of(polygon, corner);
            let before = self.corner_at(self.corner_before(polygon, corner));
            if orientation(at, next, target) >= 0.0 && orientation(at, before, target) <= 0.0 {
                found = Some(polygon);
            }
            found.is_some()
        });
        found
    }

    /// Returns the wall at a corner that faces the ray most, among the edges of the polygon, or of its
    /// neighbours around the corner if it has no wall.
    fn wall_at_corner(
        &self,
        polygon: u32,
        corner: usize,
        [at, target]: [PlanPosition; 2],
        filter: &impl PolygonFilter,
    ) -> (u32, usize) {
        let mut best = (f64::INFINITY, polygon, corner);
        let mut look = |polygon: u32, corner: usize| {
            for edge in [corner, self.corner_before(polygon, corner)] {
                if self.open_crossing(polygon, to_u32(edge), filter).is_none() {
                    let [a, b] = self.ends_of(polygon, edge);
                    let (nx, nz) = normal(a, b);
                    let facing = nx * (target.x - at.x) + nz * (target.z - at.z);
                    if facing < best.0 {
                        best = (facing, polygon, edge);
                    }
                }
            }
            false
        };
        look(polygon, corner);
        self.around(polygon, corner, filter, look);
        (best.1, best.2)
    }

    /// Returns the free part of a ray, and the wall that it meets.
    #[inline]
    fn wall_hit(&self, &(exit, owner, edge): &WallExit, ray: &Ray) -> (f64, RayHit) {
        let Ray { at, target, .. } = *ray;
        let (dx, dz) = (target.x - at.x, target.z - at.z);
        // A wall of another polygon around the corner names that polygon.
        let [a, b] = self.ends_of(owner, edge);
        let (ex, ez) = (b.x - a.x, b.z - a.z);
        let fraction = match exit {
            Exit::Corner(corner) => {
                let place = self.topology.walk[corner].start();
                ((place.x - at.x) * dx + (place.z - at.z) * dz) / (dx * dx + dz * dz)
            }
            Exit::Edge(_) => ((a.x - at.x) * ez - (a.z - at.z) * ex) / (dx * ez - dz * ex),
        };
        let (ex, ez) = (nearest_f32(ex), nearest_f32(ez));
        let scale = 1.0 / (ex * ex + ez * ez).sqrt();
        let normal = Vec3::new(-ez * scale, 0.0, ex * scale);
        let number = to_u32(edge - self.topology.polygon_first[owner as usize] as usize);
        (fraction.clamp(0.0, 1.0), RayHit { polygon: PolyId(owner), edge: number, normal })
    }

    /// Returns where a ray meets a wall, on the side of the polygon.
    fn place_at_wall(
        &self,
        polygon: u32,
        &(exit, owner, edge): &WallExit,
        ray: &Ray,
        fraction: f64,
    ) -> PlanPosition {
        let Ray { at, target, .. } = *ray;
        let place = match exit {
            Exit::Corner(corner) => self.topology.walk[corner].start(),
            Exit::Edge(_) => {
                let (dx, dz) = (target.x - at.x, target.z - at.z);
                let place = PlanPosition::snapped(at.x + dx * fraction, at.z + dz * fraction);
                let [a, b] = self.ends_of(owner, edge);
                if orientation(a, b, place) < 0.0 {
                    // Rounded to beyond the wall: a step of the lattice inwards.
                    let step = |along: f64| if along == 0.0 { 0.0 } else { LATTICE_STEP.copysign(along) };
                    PlanPosition { x: place.x + step(a.z - b.z), z: place.z + step(b.x - a.x) }
                } else {
                    place
                }
            }
        };
        self.inside(polygon, place)
    }

    /// Returns the ground straight below or above a position: the highest that is at most `down`
    /// below and the lowest at most `up` above, whichever is nearer. `None` where there is
    /// none, or for a position that is not finite or a length that is NaN or negative.
    #[must_use]
    pub fn ground_under(
        &self,
        position: Vec3,
        up: f32,
        down: f32,
        filter: &impl PolygonFilter,
    ) -> Option<Location> {
        self.nearest_with(position, &Reach::new(0.0, up, down), filter)
    }
}

/// Towards the polygon that has the edge from `a` to `b`.
pub(super) fn normal(a: PlanPosition, b: PlanPosition) -> (f64, f64) {
    let (ex, ez) = (b.x - a.x, b.z - a.z);
    let scale = 1.0 / (ex * ex + ez * ez).sqrt();
    (-ez * scale, ex * scale)
}
