//! Agents: their internal and their public state.

use glam::{Vec2, Vec3, Vec3Swizzles};
use waymesh_graph::{CorridorChange, LinkId, LinkUse, Location, NavMesh, Place, PolygonFilter, TravelCost};

use crate::around::Around;
use crate::bodies::{Bodies, Body};
use crate::jam::Jam;
use crate::links::Traversal;
use crate::route::{Ground, Route, on_mesh};
use crate::standoff::Part;
use crate::workers::Scratch;
use crate::{AgentParams, CrowdConfig};

/// Largest increase of the priority of an agent while it is stuck.
pub(crate) const BOOSTS: u16 = 2;

/// Id of an agent of a [`crate::Crowd`]. Ids are never reused, also after the agent was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentId {
    pub(crate) index: u32,
    pub(crate) age: u32,
}

impl AgentId {
    /// Returns the id as a number, for other languages. Numbers of agents that replace none count up
    /// from 0.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        u64::from(self.age) << 32 | u64::from(self.index)
    }

    /// Returns the id of a number of [`AgentId::to_bits`].
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "each half has 32 bits")]
    pub fn from_bits(bits: u64) -> Self {
        Self { index: bits as u32, age: (bits >> 32) as u32 }
    }
}

impl std::fmt::Display for AgentId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{}", self.index, self.age)
    }
}

/// The activity of an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum AgentStatus {
    /// It has no target.
    Idle,
    /// Its path is not planned yet: see [`CrowdConfig::plans_per_step`].
    Waiting,
    /// It walks to its target.
    Walking,
    /// It waits for free capacity on the link that begins here.
    Queueing {
        /// The link.
        link: LinkId,
    },
    /// It is on a link.
    OnLink {
        /// The link.
        link: LinkId,
        /// Travelled fraction of the link, from 0 to 1.
        share: f32,
    },
    /// It is at its target, or as near as the agents that arrived before allow. It steps aside for
    /// walking agents, and walks back afterwards.
    Arrived,
    /// It is as near to its target as the mesh allows: no path leads there. It continues if the
    /// mesh, its links or its filter open a path.
    Blocked,
    /// No ground that it may walk on is near it.
    Lost,
}

impl AgentStatus {
    /// Names by [`AgentStatus::number`].
    pub const NAMES: [&'static str; 8] =
        ["idle", "waiting", "walking", "queueing", "on-link", "arrived", "blocked", "lost"];

    /// Returns the number of the variant, from 0, for other languages.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Idle => 0,
            Self::Waiting => 1,
            Self::Walking => 2,
            Self::Queueing { .. } => 3,
            Self::OnLink { .. } => 4,
            Self::Arrived => 5,
            Self::Blocked => 6,
            Self::Lost => 7,
        }
    }
}

/// Position, velocity and activity of an agent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AgentState {
    /// World position: on the ground, in the air on a link, or on the straight line back to the
    /// ground after the ground changed.
    pub position: Vec3,
    /// Velocity in metres per second, including its vertical component.
    pub velocity: Vec3,
    /// Location on the mesh. On a link it is the start of the link; for an agent that returns to
    /// the ground it is the position that the agent returns to.
    pub place: Location,
    /// Activity of the agent.
    pub status: AgentStatus,
    /// Its target on the mesh.
    pub target: Option<Vec3>,
    /// Metres along its path to the end of the path; 0 without a path.
    pub remaining: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Task {
    Idle,
    /// It waits for a path.
    Waiting,
    /// Its path is planned in this step.
    Planning,
    Walking,
    Queueing(LinkUse),
    Link(Traversal),
    Arrived,
    Blocked,
}

/// The progress of an agent towards its target.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    /// Shortest path so far, in metres.
    pub(crate) best: f32,
    /// Seconds since then, or since it was last stuck.
    pub(crate) idle: f32,
    /// Seconds since then without another agent within [`QUIET`], however often it was stuck.
    pub(crate) held: f32,
    /// Number of times that it was stuck without progress in between.
    pub(crate) stuck: u16,
    /// Added to its priority since it was last stuck.
    pub(crate) boost: u16,
    /// The side to which it has turned since then: 1 right, -1 left.
    pub(crate) aside: f32,
}

/// Metres by which a location may differ from its original due to rounding.
const SAME_PLACE: f32 = 1e-5;

/// Metres that count as progress.
const NEARER: f32 = 0.1;

/// Seconds without progress, and without others around, after which an agent near its target has
/// arrived: a wall keeps it from coming nearer.
const PATIENCE: f32 = 3.0;

/// Seconds without progress after which an agent has arrived whose path ends before the target.
const SHORT_PATIENCE: f32 = 1.0;

/// Distance in radii from the start of a link at which an agent takes it; and at which one takes it
/// that others keep from coming nearer.
const AT_LINK: f32 = 0.5;
const NEAR_LINK: f32 = 2.0;

/// An agent that walks within this number of radii of a standing agent passes it.
const QUIET: f32 = 4.0;

/// Neighbours of an agent in a step, nearest first: indices into [`crate::bodies::Bodies`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Neighbours {
    pub(crate) count: usize,
    pub(crate) bodies: [(f32, u32); CrowdConfig::MOST_NEIGHBOURS as usize],
}

impl Neighbours {
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.bodies[..self.count].iter().map(|&(_, body)| body as usize)
    }

    /// Keeps the `most` nearest; of equally near ones, the first.
    pub(crate) fn insert(&mut self, distance: f32, body: u32, most: usize) {
        if self.count == most {
            if distance >= self.bodies[most - 1].0 {
                return;
            }
            self.count -= 1;
        }
        let mut at = self.count;
        while at > 0 && self.bodies[at - 1].0 > distance {
            self.bodies[at] = self.bodies[at - 1];
            at -= 1;
        }
        self.bodies[at] = (distance, body);
        self.count += 1;
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Agent<F, C> {
    pub(crate) params: AgentParams<F, C>,
    pub(crate) place: Location,
    /// `false` if its location was found from a position, which may lie on several pieces of ground.
    pub(crate) is_sure: bool,
    /// Offset of its position from its location on the mesh: the ground may change at once, but an
    /// agent moves at its speed only. It continues to walk after the offset is 0.
    pub(crate) lag: Vec3,
    /// It landed in this step, which leaves no time to walk.
    pub(crate) has_landed: bool,
    pub(crate) velocity: Vec3,
    /// The velocity that this step chose, in plan.
    pub(crate) chosen: Vec2,
    /// The preferred velocity, in plan.
    pub(crate) wish: Vec2,
    pub(crate) route: Route<F, C>,
    pub(crate) task: Task,
    pub(crate) target: Option<Place>,
    /// The position that it keeps after it arrived: its target, or the nearest position that it
    /// reached.
    pub(crate) rest: Vec3,
    /// The target moved a little.
    pub(crate) follows: bool,
    pub(crate) is_lost: bool,
    /// Tangent of the angle by which it turns to the right of its path, for oncoming agents.
    pub(crate) turn: f32,
    pub(crate) jam: Jam,
    pub(crate) standoff: Part,
    pub(crate) progress: Progress,
    pub(crate) around: Around,
    pub(crate) neighbours: Neighbours,
}

impl<F: PolygonFilter + Clone, C: TravelCost + Clone> Agent<F, C> {
    pub(crate) fn new(params: AgentParams<F, C>, place: Location) -> Self {
        Self {
            route: Route::new(&params),
            params,
            place,
            is_sure: false,
            lag: Vec3::ZERO,
            has_landed: false,
            velocity: Vec3::ZERO,
            chosen: Vec2::ZERO,
            wish: Vec2::ZERO,
            task: Task::Idle,
            target: None,
            rest: place.position,
            follows: false,
            is_lost: false,
            turn: 0.0,
            jam: Jam::default(),
            standoff: Part::default(),
            progress: Progress::default(),
            around: Around::default(),
            neighbours: Neighbours::default(),
        }
    }
}

impl<F: PolygonFilter, C: TravelCost> Agent<F, C> {
    pub(crate) fn state(&self) -> AgentState {
        let status = match self.task {
            Task::Link(traversal) => {
                AgentStatus::OnLink { link: traversal.link.link, share: traversal.share() }
            }
            _ if self.is_lost => AgentStatus::Lost,
            Task::Idle => AgentStatus::Idle,
            Task::Waiting | Task::Planning => AgentStatus::Waiting,
            Task::Walking => AgentStatus::Walking,
            Task::Queueing(link) => AgentStatus::Queueing { link: link.link },
            Task::Arrived => AgentStatus::Arrived,
            Task::Blocked => AgentStatus::Blocked,
        };
        let position = self.position();
        let remaining = if self.has_path() { self.route.length() } else { 0.0 };
        AgentState {
            position,
            velocity: self.velocity,
            place: self.place,
            status,
            target: self.target.map(|target| target.position()),
            remaining,
        }
    }

    /// Returns the position at which others see the agent.
    pub(crate) fn position(&self) -> Vec3 {
        match self.task {
            Task::Link(traversal) => traversal.position(),
            _ => self.place.position + self.lag,
        }
    }

    /// Keeps its position at `shown`, independent of its location on the mesh.
    pub(crate) fn stay_at(&mut self, shown: Vec3) {
        let lag = shown - self.place.position;
        let is_there = matches!(self.task, Task::Link(_)) || lag.length_squared() <= SAME_PLACE * SAME_PLACE;
        self.lag = if is_there { Vec3::ZERO } else { lag };
    }

    /// Returns `true` while it follows its route.
    pub(crate) fn has_path(&self) -> bool {
        matches!(self.task, Task::Walking | Task::Queueing(_) | Task::Link(_))
    }

    /// Returns the body that other agents see; `None` while it is in the air.
    pub(crate) fn body(&self, agent: u32) -> Option<Body> {
        let (position, polygon) = match self.task {
            Task::Link(traversal) if traversal.is_landing() => (traversal.to, traversal.landing),
            Task::Link(_) => return None,
            _ => (self.place.position, self.place.polygon),
        };
        let is_link = matches!(self.task, Task::Link(_));
        let corners = if self.has_path() { self.route.corridor().next_corners(2) } else { &[] };
        let heading = match corners {
            [] => Vec2::ZERO,
            [last] => last.xz() - position.xz(),
            [next, after, ..] => after.xz() - next.xz(),
        };
        Some(Body {
            agent,
            polygon,
            position,
            velocity: if is_link { Vec2::ZERO } else { self.velocity.xz() },
            wish: if is_link { Vec2::ZERO } else { self.wish },
            radius: self.params.radius,
            height: self.params.height,
            priority: if is_link {
                u16::MAX
            } else {
                BOOSTS * u16::from(self.params.priority) + self.progress.boost
            },
            is_walking: self.has_path(),
            has_arrived: self.task == Task::Arrived,
            goal: self.target.map_or(Vec3::NAN, |target| target.position()),
            corner: corners.first().map_or(Vec2::NAN, |corner| corner.xz()),
            heading: heading.normalize_or_zero(),
            turn: self.turn,
            urgency: self.jam.urgency,
            yields: self.jam.yields(),
            slow: self.jam.slow,
            lost: self.jam.lost,
            side: self.standoff.side,
        })
    }

    /// Moves the agent to a changed mesh, plans the path that it waits for, and updates its
    /// progress.
    pub(crate) fn prepare(&mut self, ground: Ground<'_>, dt: f32, scratch: &mut Scratch) {
        let shown = self.position();
        self.has_landed = false;
        if self.is_lost
            || self.place.generation != ground.mesh.generation()
            || !self.params.filter.allows(ground.mesh, self.place.polygon)
        {
            match self.task {
                Task::Link(traversal) => self.ride_on(ground.mesh, traversal),
                _ => {
                    let here = if self.is_lost { shown } else { self.place.position };
                    self.relocate(ground, here.into(), scratch);
                }
            }
        }
        if !self.is_lost {
            match self.task {
                Task::Planning => self.plan(ground, scratch),
                Task::Walking | Task::Queueing(_) => self.keep(ground, scratch),
                _ => {}
            }
        }
        self.stay_at(shown);
        if self.is_lost {
            return;
        }
        if matches!(self.task, Task::Walking | Task::Queueing(_)) {
            self.look_ahead(ground.mesh, dt);
        }
    }

    /// Handles a change of the ground while the agent is on a link: it continues if the end of the
    /// link is on the ground, otherwise it returns to its start.
    fn ride_on(&mut self, mesh: &NavMesh, traversal: Traversal) {
        let [begin, landing] = [traversal.from, traversal.to].map(|end| self.ground_near(mesh, end));
        self.is_lost = false;
        let traversal = match (landing, begin) {
            (Some(landing), _) => Traversal { landing: landing.polygon, ..traversal },
            (None, Some(begin)) => traversal.turned(begin.polygon),
            (None, None) => traversal,
        };
        self.place = begin.or(landing).unwrap_or(self.place);
        self.is_sure = false;
        self.task = Task::Link(traversal);
    }

    /// Lands at the end of a link that is no longer on its route. Returns `false` if it returns to
    /// the start because the end is not on the ground.
    pub(crate) fn land(&mut self, mesh: &NavMesh, traversal: Traversal) -> bool {
        self.task = if self.target.is_some() { Task::Waiting } else { Task::Idle };
        self.is_sure = false;
        match self.ground_near(mesh, traversal.to) {
            Some(place) => self.place = place,
            None => match self.ground_near(mesh, traversal.from) {
                Some(begin) => self.task = Task::Link(traversal.turned(begin.polygon)),
                None => self.is_lost = true,
            },
        }
        !matches!(self.task, Task::Link(_))
    }

    fn ground_near(&self, mesh: &NavMesh, position: Vec3) -> Option<Location> {
        mesh.nearest_with(position, &mesh.default_reach(), &self.params.filter)
    }

    /// Finds the location on the mesh at a position that it cannot walk to.
    pub(crate) fn relocate(&mut self, ground: Ground<'_>, given: Place, scratch: &mut Scratch) {
        let known = on_mesh(ground.mesh, given, &self.params.filter);
        let found = known.or_else(|| self.ground_near(ground.mesh, given.position()));
        self.is_lost = found.is_none();
        let Some(place) = found else {
            self.velocity = Vec3::ZERO;
            return;
        };
        (self.place, self.is_sure) = (place, known.is_some());
        self.around.forget();
        if matches!(self.task, Task::Walking | Task::Queueing(_) | Task::Link(_)) {
            if self.target.is_none() {
                // It was stopped on a link.
                self.task = Task::Idle;
                return;
            }
            self.task = Task::Walking;
            self.follow(ground, place.position, scratch);
            if known.is_some() && !ground.mesh.same_island(self.place.polygon, place.polygon) {
                // Its corridor took the position for one on other ground.
                (self.place, self.is_sure) = (place, true);
                self.plan(ground, scratch);
            }
        }
    }

    /// Walks towards a position, and updates its route.
    pub(crate) fn follow(&mut self, ground: Ground<'_>, to: Vec3, scratch: &mut Scratch) {
        let walked = self.route.walk(ground, &self.params, &self.place, to, &mut scratch.query).ok();
        self.place = walked.and_then(|(_, place)| place).unwrap_or(self.place);
        self.take_change(walked.map(|(change, _)| change));
    }

    /// Continues along the changed route.
    fn take_change(&mut self, change: Option<CorridorChange>) {
        match change {
            None | Some(CorridorChange::Nothing) => self.task = Task::Blocked,
            Some(CorridorChange::Kept) => {}
            Some(_) => self.progress.best = self.route.length(),
        }
    }

    /// Moves to the start of its route, if the route is one for its centre.
    fn take_start(&mut self) {
        let start = self.route.corridor().start().filter(|_| !self.route.is_for_disc());
        self.is_sure |= start.is_some();
        self.place = start.unwrap_or(self.place);
    }

    fn plan(&mut self, ground: Ground<'_>, scratch: &mut Scratch) {
        let Some(target) = self.target else {
            self.task = Task::Idle;
            return;
        };
        let from = if self.is_sure { self.place.into() } else { self.place.position.into() };
        let ends = [from, target];
        let change = self.route.plan(ground, &self.params, ends, &mut scratch.query);
        self.task = Task::Walking;
        self.progress = Progress::default();
        self.take_start();
        self.take_change(change.ok());
    }

    /// Repairs the route, and updates it to its target.
    fn keep(&mut self, ground: Ground<'_>, scratch: &mut Scratch) {
        let moved = self.target.filter(|_| std::mem::take(&mut self.follows));
        let goals = [self.target, moved];
        let change = self.route.keep(ground, &self.params, &self.place, goals, &mut scratch.query);
        self.take_start();
        self.take_change(change.ok());
        if moved.is_some() {
            self.progress.best = self.route.length();
        }
    }

    /// Stops at its position.
    pub(crate) fn arrive(&mut self) {
        self.task = Task::Arrived;
        let here = self.place.position;
        let near = |target: &Vec3| target.distance(here) <= self.params.arrival_distance;
        self.rest = self.target.map(|target| target.position()).filter(near).unwrap_or(here);
        self.progress = Progress::default();
    }

    /// Returns `true` if it has arrived, was moved or let others pass since then, and no agent
    /// passes now.
    pub(crate) fn may_return(&self, bodies: &Bodies) -> bool {
        let here = self.place.position.xz();
        let step = self.params.arrival_distance + self.params.radius;
        let passes = |other: &Body| {
            other.is_walking && other.position.xz().distance(here) <= QUIET * self.params.radius
        };
        let mut others = self.neighbours.iter().filter_map(|index| bodies.as_slice().get(index));
        self.task == Task::Arrived && here.distance(self.rest.xz()) > step && !others.any(passes)
    }

    /// Returns `true` if no other agent is near.
    fn is_alone(&self) -> bool {
        let gaps = &self.neighbours.bodies[..self.neighbours.count];
        gaps.iter().all(|&(gap, _)| gap > QUIET * self.params.radius)
    }

    /// Determines if it has arrived, stands at a link, or is stuck.
    fn look_ahead(&mut self, mesh: &NavMesh, dt: f32) {
        let route = &self.route;
        let remaining = route.length();
        let is_complete = route.is_complete();
        let is_last = route.links().is_empty();
        // Something keeps it from coming nearer: a wall or another agent.
        let is_near = remaining <= self.params.arrival_distance + 2.0 * self.params.radius;
        let Progress { idle, held, .. } = self.progress;
        let is_held = if is_complete { idle.max(held) > PATIENCE } else { idle > SHORT_PATIENCE };
        if is_last && (remaining <= self.params.arrival_distance || is_near && is_held) {
            if is_complete {
                self.arrive();
            } else {
                self.task = Task::Blocked;
                self.progress = Progress::default();
            }
            return;
        }
        if remaining < self.progress.best - NEARER || self.progress.best <= 0.0 {
            self.progress = Progress { best: remaining, ..Progress::default() };
        } else {
            self.progress.idle += dt;
            self.progress.held = if self.is_alone() { self.progress.held + dt } else { 0.0 };
        }
        let next = self.route.next_ride(mesh);
        // Two agents that press for one place would go round it for long.
        let radii = if self.progress.idle > SHORT_PATIENCE { NEAR_LINK } else { AT_LINK };
        let at_link = next.filter(|taken| {
            taken.point <= 1
                && self.lag == Vec3::ZERO
                && self.route.points().get(taken.point).is_some_and(|leave| {
                    leave.xz().distance(self.place.position.xz()) <= radii * self.params.radius
                        && (leave.y - self.place.position.y).abs() < self.params.height
                })
        });
        self.task = at_link.map_or(Task::Walking, |taken| Task::Queueing(*taken));
    }
}
