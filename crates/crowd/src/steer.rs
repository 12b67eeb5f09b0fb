//! The velocity of an agent, from its path, limited by other agents and walls; and its movement
//! along the ground.

use glam::{Vec2, Vec3, Vec3Swizzles};
use waymesh_core::{Random, to_u32};
use waymesh_graph::{PolygonFilter, TravelCost};

use crate::CrowdConfig;
use crate::agent::{Agent, BOOSTS, Task};
use crate::around::closest_on_segment;
use crate::bodies::{Bodies, Body};
use crate::jam::Jam;
use crate::links::LinkTable;
use crate::orca::{HalfPlane, Obstacle};
use crate::route::Ground;
use crate::standoff::Part;
use crate::workers::Scratch;

/// Seconds in which overlapping agents separate, and in which agents leave walls that are too near.
const SEPARATION: f32 = 0.25;

/// Distance that an agent may walk before its surroundings are recomputed, in metres.
const SLACK: f32 = 0.5;

/// Seconds for which an agent that was stuck steps aside.
const ASIDE: f32 = 1.0;

/// The covered fraction of the ground around a common goal that counts as full. Discs that arrive
/// one by one cover about this fraction.
const FULL: f32 = 0.5;

/// Seconds for which an agent avoids those that stand at its own goal.
const NEAR_GOAL: f32 = 0.3;

/// Largest cosine of the angle between the directions of two oncoming agents.
const AGAINST: f32 = -0.3;

/// Tangent of the largest angle by which an agent turns to the side.
const MOST_TURN: f32 = 1.0;

/// Seconds in which an agent turns to the side, and in which its preferred velocity follows its
/// path: sudden changes make it jerk. These and the two constants below were tuned in the scenes of
/// the README: they halve the jerk, without more overlaps or fewer arrivals.
const SIDE_TIME: f32 = 0.3;
const WISH_TIME: f32 = 0.1;

/// Time constant, in seconds, for which an agent prefers to keep its velocity: half of it in steps
/// of this length.
const INERTIA_TIME: f32 = 1.0 / 30.0;

/// Time constant, in seconds, for which a standing agent keeps its velocity when it is pushed.
const STANDING_TIME: f32 = 7.0 / 90.0;

/// Seconds by which an agent stops later than it prefers.
const STOPPING_TIME: f32 = WISH_TIME + STANDING_TIME;

/// Distances below this count as 0, in metres.
const TOUCH: f32 = 1e-4;

/// Corners nearer than this have been reached, in metres.
const CORNER: f32 = 1e-3;

/// Input of all agents in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a> {
    pub(crate) ground: Ground<'a>,
    pub(crate) links: &'a LinkTable,
    pub(crate) config: &'a CrowdConfig,
    pub(crate) bodies: &'a Bodies,
    pub(crate) dt: f32,
}

impl<F: PolygonFilter, C: TravelCost> Agent<F, C> {
    /// Returns the range in which it sees other agents, in metres.
    pub(crate) fn sight(&self, config: &CrowdConfig) -> f32 {
        2.0 * self.params.radius + 1.5 * config.horizon * self.params.max_speed.max(1.0)
    }

    /// Chooses the velocity of this step.
    pub(crate) fn choose(&mut self, own: u32, scene: &Scene<'_>, scratch: &mut Scratch) {
        self.neighbours.count = 0;
        self.chosen = Vec2::ZERO;
        if self.is_lost || matches!(self.task, Task::Link(_)) {
            self.wish = Vec2::ZERO;
            return;
        }
        let Scene { ground, config, dt, .. } = *scene;
        let clearance = ground.margin(&self.params);
        let sight = self.sight(config);
        let wall_range = clearance + self.params.max_speed * config.wall_horizon.max(dt) + 0.1;
        let ranges = [sight, wall_range, SLACK];
        if self
            .around
            .renew(ground.mesh, scene.links, &self.place, ranges, &self.params.filter, scratch)
            .is_err()
        {
            self.is_lost = true;
            return;
        }
        let Some(body) = self.body(own) else { return };
        self.find_neighbours(&body, scene.bodies, sight, config);
        self.stop_or_detour(own, &body, scene);
        let desired = self.desired(ground, dt);
        let desired = self.make_room(&body, desired, scene);
        let change = (desired - self.wish) * (dt / (dt + WISH_TIME));
        self.wish += change.clamp_length_max(self.params.acceleration * dt);

        scratch.planes.clear();
        self.wall_planes(clearance, config.wall_horizon.max(dt), &mut scratch.planes);
        let hard = scratch.planes.len();
        for index in self.neighbours.iter() {
            let other = &scene.bodies.as_slice()[index];
            let share = share(&body, other);
            if share <= 0.0 {
                // A half-plane would keep its current velocity.
                continue;
            }
            // A standing agent in the way uses the preferred velocity of the other agent, which may
            // have stopped.
            let is_asked = !body.is_walking && other.is_walking;
            let obstacle = Obstacle {
                offset: other.position.xz() - body.position.xz(),
                approach: body.velocity - if is_asked { other.wish } else { other.velocity },
                radius: body.radius + other.radius,
                share,
            };
            let is_at_goal = other.has_arrived && body.shares_goal(other);
            let horizon = if is_at_goal { config.horizon.min(NEAR_GOAL) } else { config.horizon };
            scratch.planes.push(obstacle.half_plane(body.velocity, horizon, SEPARATION.max(dt)));
        }
        let pressure = if self.task == Task::Walking { self.jam.pressure() } else { 1.0 };
        // A standing agent keeps its velocity when others push it.
        let [in_aim, in_all] = if body.is_walking { [INERTIA_TIME, 0.0] } else { [0.0, STANDING_TIME] };
        let aim = (pressure * self.wish).lerp(body.velocity, kept(in_aim, dt));
        let chosen = scratch.program.closest(&scratch.planes, hard, self.params.max_speed, aim);
        self.chosen = chosen.lerp(body.velocity, kept(in_all, dt));
    }

    /// Finds the nearest agents on ground that is connected to its own.
    fn find_neighbours(&mut self, body: &Body, bodies: &Bodies, sight: f32, config: &CrowdConfig) {
        let most = config.max_neighbours as usize;
        // In a dense crowd the nearest are very near.
        for range in [0.4 * sight, sight] {
            self.neighbours.count = 0;
            bodies.around(body.position.xz(), range, |index, other, distance_squared| {
                let is_near = (other.position.y - body.position.y).abs() < body.height.max(other.height);
                if other.agent == body.agent || !is_near {
                    return;
                }
                let gap = distance_squared.sqrt() - other.radius;
                let is_full = self.neighbours.count == most;
                if is_full && gap >= self.neighbours.bodies[most - 1].0 {
                    return;
                }
                if other.polygon == body.polygon || self.around.sees(other.polygon) {
                    self.neighbours.insert(gap, to_u32(index), most);
                }
            });
            if self.neighbours.count == most {
                return;
            }
        }
    }

    /// Stops behind agents that arrived before, and tries another direction if it is stuck.
    fn stop_or_detour(&mut self, own: u32, body: &Body, scene: &Scene<'_>) {
        if self.task != Task::Walking {
            return;
        }
        let remaining = body.position.distance(body.goal);
        let is_held = self.neighbours.iter().any(|index| {
            let other = &scene.bodies.as_slice()[index];
            let gap = other.position.xz().distance(body.position.xz()) - other.radius - body.radius;
            other.has_arrived
                && body.shares_goal(other)
                && gap < 0.5 * body.radius
                && other.position.distance(body.goal) < remaining
        });
        let has_tried = self.progress.stuck > 1;
        if is_held && self.progress.idle > 0.3 && (has_tried || is_full(body, remaining, scene.bodies)) {
            self.arrive();
            return;
        }
        if self.progress.idle > scene.config.stuck_after {
            self.progress.idle = 0.0;
            self.progress.stuck = self.progress.stuck.saturating_add(1);
            // Several agents may be stuck at the same time: random choices give them different
            // directions and priorities.
            let mixed = Random::mix(u64::from(own) << 16 | u64::from(self.progress.stuck));
            self.progress.boost = (mixed & 1) as u16;
            self.progress.aside = if mixed & 4 == 0 { 1.0 } else { -1.0 };
        }
    }

    /// Returns the velocity along the path, without other agents.
    fn desired(&self, ground: Ground<'_>, dt: f32) -> Vec2 {
        let here = self.place.position.xz();
        if self.task != Task::Walking {
            return Vec2::ZERO;
        }
        let corners = self.route.corridor().next_corners(3);
        let Some(first) = corners.iter().position(|corner| corner.xz().distance(here) > CORNER) else {
            return Vec2::ZERO;
        };
        let margin = ground.margin(&self.params);
        let mut corner = corners[first].xz();
        let incoming = (corner - here).normalize_or_zero();
        if self.route.is_for_disc() {
            // The corners of its path have clearance for the disc.
            corner = self.route.way_back(self.place.position, margin).map_or(corner, |back| back.xz());
        } else if let Some(next) = corners.get(first + 1) {
            // The corner is moved away from the wall.
            let outgoing = (next.xz() - corner).normalize_or_zero();
            let outward = (incoming - outgoing).normalize_or_zero();
            corner += 1.05 * margin * outward;
        }
        let remaining = self.route.length();
        // `remaining` is then the stopping distance: the velocity follows the preferred velocity
        // with a delay.
        let half = 0.5 * self.params.acceleration * STOPPING_TIME;
        let braking = (half * half + self.params.acceleration * remaining).sqrt() - half;
        let speed = self.params.max_speed.min(braking).min(remaining / dt);
        let direction = (corner - here).normalize_or_zero();
        let is_aside = self.progress.stuck > 0 && self.progress.idle < ASIDE;
        let aside = if is_aside { self.progress.aside * direction.perp() } else { Vec2::ZERO };
        (direction + aside).normalize_or_zero() * speed
    }

    /// Adapts the desired velocity to other agents: the agent keeps to a side, and goes back if it
    /// blocks an agent that has waited longer.
    fn make_room(&mut self, body: &Body, desired: Vec2, scene: &Scene<'_>) -> Vec2 {
        let speed = desired.length();
        if speed < TOUCH {
            self.turn = 0.0;
            self.jam = Jam::default();
            self.standoff = Part::default();
            return desired;
        }
        let ahead = desired / speed;
        let others = self.neighbours.iter().map(|index| &scene.bodies.as_slice()[index]);
        let mut asked = self.jam.update(body, others, ahead, [speed, scene.dt]);
        if let Some(retreat) = self.standoff.retreat() {
            asked = -retreat * ahead;
        }
        self.keep_to_the_side(body, ahead, speed, scene);
        let wish = (ahead + self.turn * ahead.perp()).normalize_or_zero();
        self.jam.give_way(wish, asked, scene.dt).clamp_length_max(1.0) * speed
    }

    /// Turns to the side for each agent that comes, or wants to come, towards this agent, and with
    /// the agents that block it. So streams separate when they meet, and also if they already block
    /// each other.
    fn keep_to_the_side(&mut self, body: &Body, ahead: Vec2, speed: f32, scene: &Scene<'_>) {
        let bias = scene.config.lane_bias;
        let others = self.neighbours.iter().map(|index| &scene.bodies.as_slice()[index]);
        let comes = |other: &&Body| {
            let offset = other.position.xz() - body.position.xz();
            let wanted = if other.is_walking { other.corner - other.position.xz() } else { Vec2::ZERO };
            let wants = wanted.normalize_or_zero().dot(ahead) < AGAINST;
            offset.dot(ahead) > 0.0
                // An agent that comes to the same door from the other side is not oncoming.
                && (!other.is_walking || body.goes_against(other))
                && (wants || other.velocity.dot(ahead) < AGAINST * speed)
        };
        let met = others.clone().filter(comes).count();
        let side = bias.signum();
        let turn = (bias.abs() * met as f32).min(MOST_TURN);
        let turn = if bias == 0.0 { 0.0 } else { turn.max(self.jam.passed_turn(body, others, ahead, side)) };
        self.turn += (side * turn - self.turn) * (scene.dt / (scene.dt + SIDE_TIME));
    }

    /// Adds the velocities that do not lead into walls.
    fn wall_planes(&self, clearance: f32, horizon: f32, planes: &mut Vec<HalfPlane>) {
        let here = self.place.position.xz();
        let range = clearance + self.params.max_speed * horizon;
        for &[a, b] in self.around.walls() {
            let closest = closest_on_segment([a, b], here);
            let offset = here - closest;
            let distance = offset.length();
            if distance > range {
                continue;
            }
            if (closest == a || closest == b) && (clearance <= 0.0 || distance <= TOUCH) {
                // Paths pass close to the corners of walls.
                continue;
            }
            let normal =
                if distance > TOUCH { offset / distance } else { (b - a).perp().normalize_or_zero() };
            let rate = if distance < clearance { 1.0 / SEPARATION } else { 1.0 / horizon };
            let most = 0.5 * self.params.max_speed;
            let push = ((clearance - distance) * rate).min(most);
            planes.push(HalfPlane::beyond(push * normal, normal));
        }
    }
}

/// Returns the fraction of a velocity that remains after a step, if it is kept for `time` seconds.
fn kept(time: f32, dt: f32) -> f32 {
    time / (dt + time)
}

/// Returns `true` if the agents that arrived before fill the ground around the goal.
fn is_full(body: &Body, remaining: f32, bodies: &Bodies) -> bool {
    let mut filled = 0.0;
    bodies.around(body.goal.xz(), remaining, |_, other, _| {
        if other.has_arrived && body.shares_goal(other) {
            filled += other.radius * other.radius;
        }
    });
    let inside = (remaining - body.radius).max(0.0);
    filled >= FULL * inside * inside
}

/// Returns the share of the avoidance that an agent takes.
fn share(own: &Body, other: &Body) -> f32 {
    if own.shares_goal(other) && own.has_arrived != other.has_arrived {
        // An agent that has arrived stays.
        return if own.has_arrived { 0.0 } else { 1.0 };
    }
    // Agents with the same direction to a door take turns by their distance from it.
    let is_shared = own.corner.distance(other.corner) < 0.5;
    let scale = if is_shared && !own.goes_against(other) { BOOSTS } else { 1 };
    let [first, second] = [own, other].map(|body| body.priority / scale);
    if first != second {
        return if first < second { 0.9 } else { 0.1 };
    }
    if own.is_walking != other.is_walking {
        // A standing agent has time to step aside. If both gave way, both would stand still in a
        // crowd.
        return if own.is_walking { 0.1 } else { 0.9 };
    }
    if own.is_walking && other.is_walking && is_shared {
        // The agent that is nearer to a corner or a door goes first.
        let [near, far] = [own, other].map(|body| body.position.xz().distance(own.corner));
        return 0.5 + 0.15 * (2.0 * (near - far) / (own.radius + other.radius)).clamp(-1.0, 1.0);
    }
    0.5
}

impl<F: PolygonFilter, C: TravelCost> Agent<F, C> {
    /// Moves by the chosen velocity, and away from agents that it would then overlap. The distance
    /// in space is limited by its speed.
    pub(crate) fn advance(&mut self, scene: &Scene<'_>, scratch: &mut Scratch) {
        if self.is_lost || matches!(self.task, Task::Link(_)) {
            return;
        }
        let (dt, before) = (scene.dt, self.position());
        let reach = self.params.max_speed * dt;
        let rest = reach - self.lag.length();
        if rest > 0.0 && !self.has_landed {
            let here = self.place.position.xz();
            let mut to = here + dt * self.chosen;
            to += self.parting(to, scene);
            to = self.off_walls(to, scene.ground.margin(&self.params));
            self.walk_at_most(rest, to - here, scene, scratch);
        }
        let reach = if self.has_landed { 0.0 } else { reach };
        let shown = before + (self.place.position - before).clamp_length_max(reach);
        self.stay_at(shown);
        self.velocity = (self.position() - before) / dt;
    }

    /// Walks by `move_by` in plan, but at most `rest` metres in space.
    fn walk_at_most(&mut self, rest: f32, move_by: Vec2, scene: &Scene<'_>, scratch: &mut Scratch) {
        let begin = self.place.position;
        let ahead = |share: f32| {
            let by = share * move_by.clamp_length_max(rest);
            begin + Vec3::new(by.x, 0.0, by.y)
        };
        if move_by == Vec2::ZERO {
            return;
        }
        self.walk(scene, ahead(1.0), scratch);
        let walked = self.place.position.distance(begin);
        if walked > rest * (1.0 + 1e-5) {
            // The agent is on a slope. At a step up it keeps its position, and its body follows at
            // its speed.
            let end = self.place.position;
            self.walk(scene, ahead(rest / walked), scratch);
            if self.place.position.distance(begin) < 0.5 * rest {
                self.walk(scene, end, scratch);
            }
        }
    }

    /// Walks straight to a nearby position, and slides along walls that block it.
    pub(crate) fn walk(&mut self, scene: &Scene<'_>, to: Vec3, scratch: &mut Scratch) {
        if matches!(self.task, Task::Walking | Task::Queueing(_)) {
            self.follow(scene.ground, to, scratch);
        } else {
            let moved = scene
                .ground
                .mesh
                .query()
                .filter(&self.params.filter)
                .memory(&mut scratch.query)
                .walk(self.place, to);
            match moved {
                Ok(place) => (self.place, self.is_sure) = (place, true),
                Err(_) => self.is_lost = true,
            }
        }
    }

    /// Returns the displacement that resolves overlaps with neighbours after all have moved as
    /// chosen.
    fn parting(&self, to: Vec2, scene: &Scene<'_>) -> Vec2 {
        let mut sum = Vec2::ZERO;
        for index in self.neighbours.iter() {
            let other = &scene.bodies.as_slice()[index];
            let offset = to - (other.position.xz() + scene.dt * other.velocity);
            let distance = offset.length();
            let overlap = self.params.radius + other.radius - distance;
            if overlap > 0.0 {
                let away = if distance > 1e-6 { offset / distance } else { Vec2::X };
                sum += 0.5 * overlap * away;
            }
        }
        sum
    }

    /// Returns the position near `to` that keeps the clearance from walls, as far as possible.
    fn off_walls(&self, mut to: Vec2, clearance: f32) -> Vec2 {
        if clearance <= 0.0 {
            return to;
        }
        for _ in 0..3 {
            for &wall in self.around.walls() {
                let offset = to - closest_on_segment(wall, to);
                let distance = offset.length();
                if distance < clearance && distance > 1e-6 {
                    to += (clearance - distance) / distance * offset;
                }
            }
        }
        to
    }
}
