//! Measures of the triangles around a place.

use glam::{DVec2, DVec3};
use waymesh_core::{Agent, Bounds, BoxTree, TriangleSoup, float, triangle_normal};

use super::Cause;

/// A surface above or below a point of the plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surface {
    pub(super) height: f64,
    pub(super) triangle: usize,
    /// Angle between the surface and the plan in radians.
    pub(super) slope: f64,
    pub(super) faces_up: bool,
}

/// The edge of walkable ground around a place, seen from there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Distance in plan.
    pub(super) distance: f64,
    /// The cause that ends the ground there.
    pub(super) cause: Cause,
}

/// Directions in which edges are looked for, and steps to the farthest.
const DIRECTIONS: u32 = 96;
const STEPS: u32 = 128;
/// Difference of heights below which two surfaces are one, in metres.
const SAME_HEIGHT: f64 = 0.01;
/// Share of the size of a triangle by which a place may lie outside of it.
const SIDE_SLACK: f64 = 1e-9;

/// The triangles of a scene whose box in plan comes within a distance of a place.
#[derive(Debug)]
pub(super) struct Nearby<'a> {
    soup: &'a TriangleSoup,
    triangles: Vec<usize>,
    /// Boxes of the triangles in the plan.
    boxes: BoxTree,
    far: f64,
}

impl<'a> Nearby<'a> {
    pub(super) fn new(soup: &'a TriangleSoup, at: DVec2, far: f64) -> Self {
        let is_near = |&triangle: &usize| {
            let corners = corners(soup, triangle).map(plan);
            let low = corners[0].min(corners[1]).min(corners[2]);
            let high = corners[0].max(corners[1]).max(corners[2]);
            corners.iter().all(|corner| corner.is_finite())
                && (low - far).cmple(at).all()
                && (high + far).cmpge(at).all()
        };
        let triangles: Vec<usize> = (0..soup.triangles().len()).filter(is_near).collect();
        let box_of = |&triangle: &usize| {
            let [a, b, c] = corners(soup, triangle).map(plan);
            let longest = (b - a).length().max((c - b).length()).max((a - c).length());
            Bounds::in_plan([a, b, c], SIDE_SLACK * longest)
        };
        let boxes = triangles.iter().map(box_of).collect();
        Self { soup, triangles, boxes, far }
    }

    /// Returns the surfaces over a point of the plan, in order of their triangles.
    pub(super) fn surfaces(&self, at: DVec2) -> impl Iterator<Item = Surface> + '_ {
        let mut near: Vec<usize> = self.boxes.overlapping(Bounds::in_plan([at], 0.0)).collect();
        near.sort_unstable();
        near.into_iter().filter_map(move |near| {
            let triangle = self.triangles[near];
            let [a, b, c] = corners(self.soup, triangle);
            let normal = triangle_normal(self.soup.corners(triangle));
            let sides =
                [(a, b), (b, c), (c, a)].map(|(from, to)| (plan(to) - plan(from)).perp_dot(at - plan(from)));
            let slack = SIDE_SLACK * normal.length();
            let is_over = sides.iter().all(|side| *side >= -slack) || sides.iter().all(|side| *side <= slack);
            (is_over && normal.y.abs() > slack).then(|| {
                let offset = at - plan(a);
                let height = a.y - (normal.x * offset.x + normal.z * offset.y) / normal.y;
                let slope = float::acos((normal.y.abs() / normal.length()).min(1.0));
                Surface { height, triangle, slope, faces_up: normal.y > 0.0 }
            })
        })
    }

    /// Returns the height from a place to the lowest surface above it, with its triangle.
    pub(super) fn head_room(&self, at: DVec3) -> Option<(f64, usize)> {
        let above = self.surfaces(plan(at)).map(|surface| (surface.height - at.y, surface.triangle));
        above.filter(|(room, _)| *room > SAME_HEIGHT).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Returns the least head room in a cell around a place on the ground, with its triangle.
    pub(super) fn head_room_in_cell(&self, at: DVec3, cell: f64) -> Option<(f64, usize)> {
        const SAMPLES: i32 = 4;
        let offsets = (-SAMPLES..=SAMPLES).map(|step| f64::from(step) / f64::from(SAMPLES) * cell);
        let rooms =
            offsets.clone().flat_map(|x| offsets.clone().map(move |z| (x, z))).filter_map(|(x, z)| {
                let beside = DVec2::new(at.x + x, at.z + z);
                let ground = self.ground(beside, at.y, cell)?;
                self.head_room(DVec3::new(beside.x, ground.height, beside.y))
            });
        rooms.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Returns the highest surface that faces up and lies at most `reach` above or below a height.
    fn ground(&self, at: DVec2, height: f64, reach: f64) -> Option<Surface> {
        let near =
            self.surfaces(at).filter(|surface| surface.faces_up && (surface.height - height).abs() <= reach);
        near.max_by(|a, b| a.height.total_cmp(&b.height))
    }

    /// Returns the nearest edge of the ground that the agent walks on from a place on a surface.
    pub(super) fn edge(&self, from: DVec3, agent: &Agent) -> Option<Edge> {
        let mut nearest = self.wall(from, agent);
        for number in 0..DIRECTIONS {
            let angle = f64::from(number) / f64::from(DIRECTIONS) * std::f64::consts::TAU;
            let direction = DVec2::new(float::cos(angle), float::sin(angle));
            let far = nearest.map_or(self.far, |edge| edge.distance);
            let Some(found) = self.edge_towards(from, direction, far, agent) else { continue };
            if nearest.is_none_or(|edge| found.distance < edge.distance) {
                nearest = Some(found);
            }
        }
        nearest
    }

    /// Returns the first edge in a direction, nearer than `far`.
    pub(super) fn edge_towards(
        &self,
        from: DVec3,
        direction: DVec2,
        far: f64,
        agent: &Agent,
    ) -> Option<Edge> {
        self.walk(from, direction, far, agent).err()
    }

    /// Walks over the ground in a direction. Returns the height there, or the edge before.
    fn walk(&self, from: DVec3, direction: DVec2, far: f64, agent: &Agent) -> Result<f64, Edge> {
        const HALVINGS: u32 = 12;
        let step = |distance: f64, height: f64| {
            self.step(plan(from) + direction * distance, height, agent, distance)
        };
        let length = self.far / f64::from(STEPS);
        let (mut height, mut before) = (from.y, 0.0);
        while before < far {
            let mut distance = (before + length).min(far);
            match step(distance, height) {
                Ok(next) => (height, before) = (next, distance),
                Err(mut cause) => {
                    // Between a distance that is walked and one that is not.
                    for _ in 0..HALVINGS {
                        let middle = before.midpoint(distance);
                        match step(middle, height) {
                            Ok(_) => before = middle,
                            Err(found) => (distance, cause) = (middle, found),
                        }
                    }
                    return Err(Edge { distance, cause });
                }
            }
        }
        Ok(height)
    }

    /// Returns the height of the ground that an agent at `height` steps onto, or the cause for which
    /// a place at a distance from there is not walkable.
    fn step(&self, at: DVec2, height: f64, agent: &Agent, distance: f64) -> Result<f64, Cause> {
        let (max_step, tall) = (f64::from(agent.max_step), f64::from(agent.height));
        let max_slope = f64::from(agent.max_slope) + 1e-6;
        let ground = || self.surfaces(at).filter(|surface| surface.faces_up);
        let within = |surface: &Surface| (surface.height - height).abs() <= max_step + 1e-6;
        let highest = |a: &Surface, b: &Surface| a.height.total_cmp(&b.height);
        let next = ground().filter(|surface| within(surface) && surface.slope <= max_slope).max_by(highest);
        if let Some(next) = next {
            return match self.head_room(DVec3::new(at.x, next.height, at.y)) {
                Some((room, triangle)) if room < tall - 1e-6 => {
                    Err(Cause::NearLowHeadRoom { distance, room, triangle })
                }
                _ => Ok(next.height),
            };
        }
        if let Some(Surface { slope, triangle, .. }) = ground().find(within) {
            return Err(Cause::NearSteep { distance, slope: slope.to_degrees(), triangle });
        }
        let above = ground().filter(|surface| surface.height > height && surface.height < height + tall);
        if let Some(higher) = above.min_by(highest) {
            let Surface { height: top, triangle, .. } = higher;
            return Err(Cause::NearStep { distance, rise: top - height, triangle });
        }
        let lower = ground().filter(|surface| surface.height < height).max_by(highest);
        Err(Cause::NearDrop { distance, depth: lower.map(|lower| height - lower.height) })
    }

    /// Returns the nearest triangle at the height of the agent's body, above what it steps over, as
    /// high as the ground before it: the risers of stairs are no walls.
    fn wall(&self, from: DVec3, agent: &Agent) -> Option<Edge> {
        let body = |height: f64| (height + f64::from(agent.max_step), height + f64::from(agent.height));
        let (low, high) = body(from.y);
        let is_ground = |triangle: usize| {
            let normal = triangle_normal(self.soup.corners(triangle));
            normal.y > 0.0 && normal.y >= normal.length() * float::cos(agent.max_slope.into())
        };
        let place = |&triangle: &usize| {
            let part = cut_between(corners(self.soup, triangle), low, high);
            let place =
                (part.len() > 1 && !is_ground(triangle)).then(|| nearest_in_plan(&part, plan(from)))?;
            Some((place.distance(plan(from)), place, triangle))
        };
        let mut places: Vec<_> = self.triangles.iter().filter_map(place).collect();
        places.retain(|(distance, ..)| *distance < self.far);
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let is_wall = |&(distance, place, triangle): &(f64, DVec2, usize)| {
            let direction = (place - plan(from)).normalize_or_zero();
            let height = self.walk(from, direction, distance - SAME_HEIGHT, agent);
            height.is_ok_and(|height| {
                let (low, high) = body(height);
                cut_between(corners(self.soup, triangle), low, high).len() > 1
            })
        };
        let (distance, _, triangle) = places.into_iter().find(is_wall)?;
        Some(Edge { distance, cause: Cause::NearWall { distance, triangle } })
    }
}

fn plan(at: DVec3) -> DVec2 {
    DVec2::new(at.x, at.z)
}

fn corners(soup: &TriangleSoup, triangle: usize) -> [DVec3; 3] {
    soup.corners(triangle).map(|corner| corner.as_dvec3())
}

/// Returns the part of a triangle between two heights, as a convex polygon.
fn cut_between(triangle: [DVec3; 3], low: f64, high: f64) -> Vec<DVec3> {
    let mut part = triangle.to_vec();
    // Above the lower height, then below the higher one.
    for (sign, limit) in [(1.0, low), (-1.0, -high)] {
        let whole = std::mem::take(&mut part);
        for (index, &from) in whole.iter().enumerate() {
            let to = whole[(index + 1) % whole.len()];
            let [over, next] = [from, to].map(|corner| sign * corner.y - limit);
            if over >= 0.0 {
                part.push(from);
            }
            if (over < 0.0) != (next < 0.0) {
                part.push(from.lerp(to, over / (over - next)));
            }
        }
    }
    part
}

/// Returns the point of a convex polygon that is nearest in plan; the place itself inside.
fn nearest_in_plan(polygon: &[DVec3], at: DVec2) -> DVec2 {
    let (mut best, mut sides) = ((f64::INFINITY, at), [true; 2]);
    for (index, &from) in polygon.iter().enumerate() {
        let [from, to] = [from, polygon[(index + 1) % polygon.len()]].map(plan);
        let (along, offset) = (to - from, at - from);
        let side = along.perp_dot(offset);
        sides = [sides[0] && side > 0.0, sides[1] && side < 0.0];
        let share = if along.length_squared() > 0.0 {
            (offset.dot(along) / along.length_squared()).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let place = from + along * share;
        if at.distance(place) < best.0 {
            best = (at.distance(place), place);
        }
    }
    if sides[0] || sides[1] { at } else { best.1 }
}
