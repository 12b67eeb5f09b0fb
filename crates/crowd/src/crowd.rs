//! The crowd: its agents, and the phases of a step.

use std::collections::{BTreeMap, VecDeque};

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::threads::Scratches;
use waymesh_core::{BadField, to_u32};
use waymesh_graph::{
    AnyPolygon, Length, LinkId, LinkUse, Location, MeshSource, NavMesh, PathCorridor, PathEnd, Place,
    PolygonFilter, QueryError, TravelCost,
};

use crate::agent::{Agent, AgentId, AgentState, Task};
use crate::bodies::{Bodies, Side};
use crate::links::{LinkTable, MOST_WAIT, Traversal};
use crate::route::{Ground, on_mesh};
use crate::standoff::Standoffs;
use crate::steer::Scene;
use crate::workers::{AGENTS_AT_ONCE, Scratch};
use crate::{AgentParams, CrowdConfig, CrowdError, LinkRule};

/// Largest move of a target, in metres, that is followed without a new plan.
const FOLLOW: f32 = 5.0;

/// Agents that walk to their targets on a mesh, and avoid each other and walls.
///
/// # Guarantees
/// - No agent moves farther in space in a step than its highest speed allows, or the speed of the
///   link that it is on. Only [`Crowd::set_position`] moves an agent at once.
/// - If the ground, a link, the mesh or what its filter allows changes, an agent on a link
///   continues, or returns if the end of the link is not on the ground; others walk straight back
///   to the nearest ground.
/// - The location of every agent that is not lost is on the mesh after every step, on polygons
///   that its filter allows: no agent passes through a wall. An agent that is wider than the one
///   the mesh was baked for keeps the difference from walls where the ground is wide enough. On a
///   [`ClearanceNavMesh`](waymesh_graph::ClearanceNavMesh) its path leads only where it fits.
/// - Agents see each other over connected ground, not through floors: storeys do not affect each
///   other.
/// - Equal calls give equal positions, bit by bit, with any number of threads.
/// - With one thread, steps allocate nothing once the memory of crowd and agents has grown. With
///   more threads rayon allocates a small amount of memory.
///
/// # Cost
/// A step takes time `n log n` in the number of agents, with a few microseconds per agent for its
/// corridor and the linear program. An agent takes about 2 KB.
///
/// # References
/// Van den Berg, Guy, Lin and Manocha 2011, Reciprocal n-body collision avoidance,
/// <https://doi.org/10.1007/978-3-642-19457-3_1>.
///
/// ```
/// # use waymesh_testkit::grid_maps::GridMap;
/// use glam::Vec3;
/// use waymesh_crowd::{AgentParams, AgentStatus, Crowd};
/// # let map = GridMap::read("type octile\nheight 1\nwidth 8\nmap\n........\n").expect("a map");
/// # let mesh = waymesh_graph::NavMesh::try_from(map.mesh())?;
///
/// let mut crowd = Crowd::default();
/// let agent = crowd.add(&mesh, AgentParams::default(), Vec3::new(1.0, 0.0, 0.5))?;
/// crowd.set_target(&mesh, agent, Vec3::new(7.0, 0.0, 0.5))?;
/// for _ in 0..300 {
///     crowd.step(&mesh, 1.0 / 30.0)?;
/// }
/// let state = crowd.agent(agent).expect("it is there");
/// assert_eq!(state.status, AgentStatus::Arrived);
/// assert!(state.position.distance(Vec3::new(7.0, 0.0, 0.5)) < 0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Crowd<F = AnyPolygon, C = Length> {
    config: CrowdConfig,
    slots: Vec<Slot<F, C>>,
    free: Vec<u32>,
    /// Agents that wait for a path, in order of their requests.
    waiting: VecDeque<u32>,
    links: LinkTable,
    rules: BTreeMap<LinkId, LinkRule>,
    bodies: Bodies,
    standoffs: Standoffs,
    scratches: Scratches<Scratch>,
    /// Agents that stand at a link, longest wait first. Reused.
    queue: Vec<(u32, u32, LinkUse)>,
    steps: u32,
}

#[derive(Debug)]
struct Slot<F, C> {
    /// Its index in the table.
    index: u32,
    age: u32,
    /// The step since which it waits at a link.
    queued: u32,
    agent: Option<Agent<F, C>>,
}

impl<F, C> Default for Crowd<F, C> {
    /// A crowd without agents, with the default configuration.
    fn default() -> Self {
        Self {
            config: CrowdConfig::default(),
            slots: Vec::new(),
            free: Vec::new(),
            waiting: VecDeque::new(),
            links: LinkTable::default(),
            rules: BTreeMap::new(),
            bodies: Bodies::default(),
            standoffs: Standoffs::default(),
            scratches: Scratches::default(),
            queue: Vec::new(),
            steps: 0,
        }
    }
}

impl<F, C> Crowd<F, C>
where
    F: PolygonFilter + Clone + Send + Sync,
    C: TravelCost + Clone + Send + Sync,
{
    /// Creates a crowd without agents.
    ///
    /// # Errors
    /// See [`Crowd::set_config`].
    pub fn new(config: CrowdConfig) -> Result<Self, CrowdError> {
        let mut crowd = Self::default();
        crowd.set_config(config)?;
        Ok(crowd)
    }

    /// Sets the configuration, from the next step on.
    ///
    /// # Errors
    /// Names the first field of `config` that is out of its range; then nothing changes.
    pub fn set_config(&mut self, config: CrowdConfig) -> Result<(), CrowdError> {
        config.validate()?;
        self.config = config;
        Ok(())
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &CrowdConfig {
        &self.config
    }

    /// Adds an agent on the mesh, at the location nearest to `position`; on a mesh with clearance,
    /// at the nearest location where it fits.
    ///
    /// # Errors
    /// - [`CrowdError::BadField`] for parameters that are out of their range.
    /// - [`CrowdError::Query`] if no ground near `position` may be walked on by the agent, or is
    ///   wide enough for it.
    pub fn add(
        &mut self,
        ground: &(impl MeshSource + ?Sized),
        params: AgentParams<F, C>,
        position: impl Into<Place>,
    ) -> Result<AgentId, CrowdError> {
        params.validate()?;
        let given = position.into();
        let mesh = ground.nav_mesh();
        let ground = Ground::of(ground, &mesh);
        let locate = |scratch: &mut Scratch| locate(ground, PathEnd::Start, given, &params, scratch);
        let place = self.scratches.with_first(locate)?;
        let is_sure = matches!(given, Place::Found(_));
        let agent = Some(Agent { is_sure, ..Agent::new(params, place) });
        if let Some(index) = self.free.pop() {
            let slot = &mut self.slots[index as usize];
            slot.agent = agent;
            return Ok(AgentId { index, age: slot.age });
        }
        let index = to_u32(self.slots.len());
        self.slots.push(Slot { index, age: 0, queued: 0, agent });
        Ok(AgentId { index, age: 0 })
    }

    /// Removes an agent; returns `false` if it does not exist.
    pub fn remove(&mut self, agent: AgentId) -> bool {
        let Some(slot) = self.slots.get_mut(agent.index as usize) else { return false };
        if slot.age != agent.age || slot.agent.take().is_none() {
            return false;
        }
        slot.age = slot.age.wrapping_add(1);
        self.free.push(agent.index);
        true
    }

    /// Returns the number of agents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Returns `true` if there are no agents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the state of an agent; `None` if it does not exist.
    #[must_use]
    pub fn agent(&self, agent: AgentId) -> Option<AgentState> {
        self.slot(agent).map(Agent::state)
    }

    /// Returns the parameters of an agent; `None` if it does not exist.
    #[must_use]
    pub fn params(&self, agent: AgentId) -> Option<&AgentParams<F, C>> {
        self.slot(agent).map(|agent| &agent.params)
    }

    /// Returns the path of an agent: its start, the corners ahead, and its end. Empty without a
    /// path; `None` if the agent does not exist.
    #[must_use]
    pub fn path(&self, agent: AgentId) -> Option<&[Vec3]> {
        self.slot(agent).map(|agent| agent.route.points())
    }

    /// Returns the corridor that an agent follows, that of its disc or of its centre; `None` if the
    /// agent does not exist.
    #[must_use]
    pub fn corridor(&self, agent: AgentId) -> Option<&PathCorridor<F, C>> {
        Some(self.slot(agent)?.route.corridor())
    }

    /// Returns all agents, in the order of their ids.
    pub fn agents(&self) -> impl Iterator<Item = (AgentId, AgentState)> + '_ {
        (0_u32..).zip(&self.slots).filter_map(|(index, slot)| {
            let agent = slot.agent.as_ref()?;
            Some((AgentId { index, age: slot.age }, agent.state()))
        })
    }

    /// Sends an agent to the location on the mesh nearest to `target`.
    ///
    /// The path is planned in the next steps, at most [`CrowdConfig::plans_per_step`] in each. A
    /// walking agent whose target moves by a few metres follows it at once, without a new plan.
    ///
    /// # Errors
    /// [`CrowdError::NoAgent`], [`CrowdError::BadTarget`], and [`CrowdError::Query`] if no ground
    /// near `target` may be walked on by the agent, or is wide enough for it; then the agent keeps
    /// its target.
    pub fn set_target(
        &mut self,
        ground: &(impl MeshSource + ?Sized),
        agent: AgentId,
        target: impl Into<Place>,
    ) -> Result<(), CrowdError> {
        let given = target.into();
        let target = given.position();
        let mesh = ground.nav_mesh();
        let ground = Ground::of(ground, &mesh);
        let index = agent.index;
        let Self { slots, scratches, waiting, .. } = self;
        let agent = slot_mut(slots, agent)?;
        if !target.is_finite() {
            return Err(CrowdError::BadTarget { target });
        }
        let locate = |scratch: &mut Scratch| locate(ground, PathEnd::Goal, given, &agent.params, scratch);
        let place = scratches.with_first(locate)?;
        // A position may lie on several pieces of ground.
        let target = match given {
            Place::Found(_) => place.into(),
            Place::Position(_) => place.position.into(),
        };
        let last = agent.target.replace(target).map(|last| last.position());
        let is_near = last.is_some_and(|last| last.distance(place.position) <= FOLLOW);
        match agent.task {
            Task::Waiting | Task::Planning => {}
            Task::Walking | Task::Queueing(_) if is_near => agent.follows = true,
            Task::Arrived if last == Some(place.position) => {}
            // It is planned after the link.
            Task::Link(_) => agent.follows = true,
            _ => {
                agent.task = Task::Waiting;
                waiting.push_back(index);
            }
        }
        Ok(())
    }

    /// Removes the target of an agent: it stops.
    ///
    /// # Errors
    /// [`CrowdError::NoAgent`].
    pub fn stop(&mut self, agent: AgentId) -> Result<(), CrowdError> {
        let agent = slot_mut(&mut self.slots, agent)?;
        agent.target = None;
        agent.follows = false;
        if !matches!(agent.task, Task::Link(_)) {
            agent.task = Task::Idle;
        }
        Ok(())
    }

    /// Moves an agent to the location on the mesh nearest to `position`, and updates its path.
    ///
    /// For a game that moves its agents itself: it calls [`Crowd::steer`], moves each agent by the
    /// velocity of its state as it likes, and passes the new position here. Positions a short walk
    /// from the last one keep the path; others get a new one.
    ///
    /// # Errors
    /// [`CrowdError::NoAgent`], and [`CrowdError::Query`] if no ground near `position` may be
    /// walked on by the agent; then the agent keeps its position.
    pub fn set_position(
        &mut self,
        ground: &(impl MeshSource + ?Sized),
        agent: AgentId,
        position: impl Into<Place>,
    ) -> Result<(), CrowdError> {
        let given = position.into();
        let mesh = ground.nav_mesh();
        let ground = Ground::of(ground, &mesh);
        let agent = slot_mut(&mut self.slots, agent)?;
        nearest(ground.mesh, PathEnd::Start, given, &agent.params.filter)?;
        self.scratches.with_first(|scratch| agent.relocate(ground, given, scratch));
        agent.lag = Vec3::ZERO;
        Ok(())
    }

    /// Changes the parameters of an agent. Its filter and costs take effect with its next plan.
    ///
    /// # Errors
    /// [`CrowdError::NoAgent`], and [`CrowdError::BadField`] for parameters that are out of their
    /// range.
    pub fn set_params(&mut self, agent: AgentId, params: AgentParams<F, C>) -> Result<(), CrowdError> {
        params.validate()?;
        let index = agent.index;
        let agent = slot_mut(&mut self.slots, agent)?;
        let Agent { task, target, velocity, lag, is_lost, is_sure, rest, .. } = *agent;
        *agent = Agent { target, velocity, lag, is_lost, is_sure, rest, ..Agent::new(params, agent.place) };
        if matches!(task, Task::Link(_) | Task::Arrived) {
            agent.task = task;
        } else if agent.target.is_some() {
            agent.task = Task::Waiting;
            self.waiting.push_back(index);
        }
        Ok(())
    }

    /// Sets the duration of a link and the number of agents that are on it at once. Links that are
    /// crossed like edges take no time and have no rule, except doors at a cost for agents that follow
    /// the path of their disc.
    ///
    /// # Errors
    /// Names the first field of `rule` that is out of its range; [`CrowdError::NoLink`] for a link
    /// that is not on the mesh.
    pub fn set_link_rule(
        &mut self,
        ground: &(impl MeshSource + ?Sized),
        link: LinkId,
        rule: LinkRule,
    ) -> Result<(), CrowdError> {
        rule.validate()?;
        if ground.nav_mesh().link(link).is_none() {
            return Err(CrowdError::NoLink { link });
        }
        self.rules.insert(link, rule);
        Ok(())
    }

    /// Moves all agents by some `seconds`: [`Crowd::steer`], and then each agent walks.
    ///
    /// # Errors
    /// See [`Crowd::steer`].
    pub fn step(&mut self, ground: &(impl MeshSource + ?Sized), seconds: f32) -> Result<(), CrowdError> {
        let mesh = ground.nav_mesh();
        let ground = Ground::of(ground, &mesh);
        self.steer_on(ground, seconds)?;
        let Self { slots, scratches, bodies, config, links, .. } = self;
        let scene = Scene { ground, links, config, bodies, dt: seconds };
        scratches.for_each(slots, AGENTS_AT_ONCE, |_, slot, scratch| {
            if let Some(agent) = &mut slot.agent {
                agent.advance(&scene, scratch);
            }
        });
        Ok(())
    }

    /// Chooses the velocities of the next `seconds`. Only agents on links are moved.
    ///
    /// Steps of 0.1 s and less avoid collisions well.
    ///
    /// # Errors
    /// [`CrowdError::BadField`] for `seconds` that are not finite and above 0.
    pub fn steer(&mut self, ground: &(impl MeshSource + ?Sized), seconds: f32) -> Result<(), CrowdError> {
        let mesh = ground.nav_mesh();
        self.steer_on(Ground::of(ground, &mesh), seconds)
    }

    fn steer_on(&mut self, ground: Ground<'_>, dt: f32) -> Result<(), CrowdError> {
        BadField::unless(dt.is_finite() && dt > 0.0, "seconds", dt, "finite and above 0 s")?;
        self.steps = self.steps.wrapping_add(1);
        if self.links.renew(ground.mesh) {
            self.slots
                .iter_mut()
                .filter_map(|slot| slot.agent.as_mut())
                .for_each(|agent| agent.around.forget());
        }
        for (index, slot) in (0_u32..).zip(&mut self.slots) {
            let Some(agent) = &mut slot.agent else { continue };
            // The obstacle that blocked it may have been removed.
            let may_go_on = agent.task == Task::Blocked && agent.route.is_outdated(ground, &agent.params);
            if may_go_on || agent.may_return(&self.bodies) {
                agent.task = Task::Waiting;
                self.waiting.push_back(index);
            }
        }
        self.call_up();
        let Self { slots, scratches, .. } = self;
        scratches.for_each(slots, AGENTS_AT_ONCE, |_, slot, scratch| {
            if let Some(agent) = &mut slot.agent {
                agent.prepare(ground, dt, scratch);
            }
        });
        self.run_links(ground, dt);
        let Self { slots, scratches, bodies, standoffs, config, links, .. } = self;
        let agents = (0_u32..).zip(&*slots).filter_map(|(index, slot)| Some((index, slot.agent.as_ref()?)));
        let side = 0.5 * agents.clone().map(|(_, agent)| agent.sight(config)).fold(1.0, f32::max);
        bodies.renew(side, agents.filter_map(|(index, agent)| agent.body(index)));
        for (body, &side) in bodies.as_slice().iter().zip(standoffs.decide(bodies)) {
            if let Some(agent) = &mut slots[body.agent as usize].agent {
                agent.standoff.pass(Some(side).filter(|&side| side != Side::None), dt);
            }
        }
        let scene = Scene { ground, links, config, bodies, dt };
        scratches.for_each(slots, AGENTS_AT_ONCE, |_, slot, scratch| {
            if let Some(agent) = &mut slot.agent {
                agent.choose(slot.index, &scene, scratch);
            }
        });
        for body in bodies.as_mut_slice() {
            if let Some(agent) = &mut slots[body.agent as usize].agent {
                body.velocity = agent.chosen;
                if !matches!(agent.task, Task::Link(_)) {
                    agent.velocity = Vec3::new(agent.chosen.x, 0.0, agent.chosen.y);
                }
            }
        }
        Ok(())
    }

    /// Selects the first waiting agents to plan their paths in this step.
    fn call_up(&mut self) {
        let mut left = self.config.plans_per_step;
        while left > 0
            && let Some(index) = self.waiting.pop_front()
        {
            // The agent may have been stopped or removed since it was queued.
            if let Some(agent) = &mut self.slots[index as usize].agent
                && agent.task == Task::Waiting
            {
                agent.task = Task::Planning;
                left -= 1;
            }
        }
    }

    /// Moves the agents on links, and starts the agents that wait at links, longest wait first.
    fn run_links(&mut self, ground: Ground<'_>, dt: f32) {
        for index in 0..self.slots.len() {
            if let Some(Agent { task: Task::Link(traversal), .. }) = self.slots[index].agent {
                self.travel(ground, index, traversal, dt);
            }
        }
        self.queue.clear();
        for (index, slot) in (0_u32..).zip(&mut self.slots) {
            match slot.agent {
                Some(Agent { task: Task::Queueing(link), .. }) => {
                    if slot.queued == 0 {
                        slot.queued = self.steps.max(1);
                    }
                    self.queue.push((slot.queued, index, link));
                }
                _ => slot.queued = 0,
            }
        }
        self.queue.sort_unstable_by_key(|&(since, index, _)| (since, index));
        for place in 0..self.queue.len() {
            let (_, index, link) = self.queue[place];
            self.begin(ground.mesh, index as usize, link);
        }
    }

    /// Moves an agent on a link.
    fn travel(&mut self, ground: Ground<'_>, index: usize, mut traversal: Traversal, dt: f32) {
        traversal.spent += dt;
        let is_there = traversal.left() <= 0.0;
        let is_free = !is_there || self.is_landing_free(index, &traversal);
        let Some(agent) = self.slots[index].agent.as_mut() else { return };
        if !is_there || (!is_free && traversal.waited < MOST_WAIT) {
            if is_there {
                traversal.waited += dt;
            }
            agent.velocity =
                if is_there { Vec3::ZERO } else { (traversal.to - traversal.from) / traversal.seconds };
            agent.task = Task::Link(traversal);
            return;
        }
        agent.velocity = Vec3::ZERO;
        agent.has_landed = true;
        agent.around.forget();
        let taken = self
            .scratches
            .with_first(|scratch| agent.route.take_link(ground, &mut scratch.query).ok().flatten());
        match taken.filter(|(taken, _)| *taken == LinkUse { point: taken.point, ..traversal.link }) {
            Some((_, start)) => {
                agent.place = start;
                agent.task = if agent.target.is_some() { Task::Walking } else { Task::Idle };
            }
            // The mesh, its links or the route have changed.
            None => {
                if !agent.land(ground.mesh, traversal) {
                    return;
                }
                if agent.task == Task::Waiting {
                    self.waiting.push_back(to_u32(index));
                }
            }
        }
        agent.stay_at(traversal.to);
        agent.progress.best = agent.route.length();
        agent.progress.idle = 0.0;
    }

    /// Starts an agent on a link if the link has free capacity and the landing is free.
    fn begin(&mut self, mesh: &NavMesh, index: usize, link: LinkUse) {
        let rule = self.rules.get(&link.link).copied().unwrap_or_default();
        let Some(agent) = &self.slots[index].agent else { return };
        let points = agent.route.points();
        let (Some(&to), Some(ends)) = (points.get(link.point + 1), mesh.link(link.link)) else {
            return;
        };
        let from = agent.place.position;
        let seconds = rule.seconds.unwrap_or_else(|| from.distance(to) / agent.params.max_speed.max(0.1));
        let landing = if link.backwards { ends.from.polygon } else { ends.to.polygon };
        let traversal =
            Traversal { link, from, to, landing, seconds, spent: 0.0, waited: agent.progress.idle };
        let mut others = self.slots.iter().filter_map(|slot| slot.agent.as_ref());
        let on_it =
            others.by_ref().filter(|other| matches!(other.task, Task::Link(at) if at.link.link == link.link));
        let is_full = on_it.count() >= rule.capacity as usize;
        if is_full || !self.is_landing_free(index, &traversal) {
            return;
        }
        if let Some(agent) = self.slots[index].agent.as_mut() {
            agent.task = Task::Link(Traversal { waited: 0.0, ..traversal });
            agent.progress.idle = 0.0;
        }
    }

    /// Returns `true` if no agent stands at the end of a link, or lands there at about the same
    /// time. An agent that waits there to take the link the other way leaves, and others are asked to
    /// step aside by one that is on the link: before a short link nobody waits for them for long.
    fn is_landing_free(&self, index: usize, traversal: &Traversal) -> bool {
        let Some(agent) = &self.slots[index].agent else { return false };
        let is_near = |at: Vec3, radius: f32, height: f32| {
            at.xz().distance(traversal.to.xz()) < 0.9 * (agent.params.radius + radius)
                && (at.y - traversal.to.y).abs() < height
        };
        self.slots.iter().enumerate().all(|(other, slot)| {
            let Some(found) = slot.agent.as_ref().filter(|_| other != index) else { return true };
            let (radius, height) = (found.params.radius, found.params.height);
            match found.task {
                Task::Link(at) => {
                    !is_near(at.to, radius, height)
                        || at.spent <= traversal.spent && traversal.spent > 0.0
                        || (at.left() - traversal.left()).abs() > 0.7
                }
                Task::Queueing(link) if traversal.spent <= 0.0 && link.link == traversal.link.link => true,
                _ => {
                    traversal.left() > 0.7
                        || traversal.waited >= MOST_WAIT
                        || !is_near(found.place.position, radius, height)
                }
            }
        })
    }

    fn slot(&self, agent: AgentId) -> Option<&Agent<F, C>> {
        let slot = self.slots.get(agent.index as usize)?;
        slot.agent.as_ref().filter(|_| slot.age == agent.age)
    }
}

fn slot_mut<F, C>(slots: &mut [Slot<F, C>], agent: AgentId) -> Result<&mut Agent<F, C>, CrowdError> {
    let slot = slots.get_mut(agent.index as usize).filter(|slot| slot.age == agent.age);
    slot.and_then(|slot| slot.agent.as_mut()).ok_or(CrowdError::NoAgent { agent })
}

/// Finds the location for a position: the nearest one where the agent's disc fits, if the mesh has
/// clearance.
fn locate<F: PolygonFilter, C>(
    ground: Ground<'_>,
    end: PathEnd,
    given: Place,
    params: &AgentParams<F, C>,
    scratch: &mut Scratch,
) -> Result<Location, QueryError> {
    let place = nearest(ground.mesh, end, given, &params.filter)?;
    let Some(mesh) = ground.for_disc(params) else { return Ok(place) };
    let (radius, position) = (ground.margin(params), given.position());
    let reach = mesh.default_reach(radius);
    let found = mesh.query(radius).memory(&mut scratch.query).nearest_with(given, &params.filter).ok();
    found.map(|found| found.location).ok_or(QueryError::NoRoomNear { end, position, radius, reach })
}

/// Returns a location of the mesh as it is, if the filter allows it; else the nearest location.
fn nearest(
    mesh: &NavMesh,
    end: PathEnd,
    given: Place,
    filter: &impl PolygonFilter,
) -> Result<Location, QueryError> {
    if let Some(location) = on_mesh(mesh, given, filter) {
        return Ok(location);
    }
    let position = given.position();
    if !position.is_finite() {
        return Err(QueryError::NotFinite { end, position });
    }
    let reach = mesh.default_reach();
    mesh.nearest_with(position, &reach, filter).ok_or_else(|| mesh.nothing_near(end, position, reach))
}
