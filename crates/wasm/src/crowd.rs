//! Crowds: agents that walk to their targets and avoid each other and walls.

use std::collections::BTreeMap;
use std::sync::Arc;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use waymesh_crowd::{AgentId, AgentParams, AgentState, AgentStatus, CrowdConfig, LinkRule};
use waymesh_graph::{FlagTable, LinkId};

use crate::convert::{Fields, flat, object, point, positions};
use crate::error::{Kind, OrThrow, Thrown};
use crate::ground::Ground;
use crate::mesh::{NavMesh, number};
use crate::query::{Allowed, MeshCosts, flag_filter};

/// Agents that walk to their targets on a mesh or in a world, and avoid each other and walls. The
/// same calls give the same positions everywhere, to the last bit.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Crowd {
    agents: waymesh_crowd::Crowd<Allowed, MeshCosts>,
    costs: MeshCosts,
    /// Flags of the polygons that its agents walk on.
    flags: Option<FlagTable>,
    ground: Ground,
    has_clearance: bool,
    /// Agents by the number they have outside, in the order in which they were added.
    ids: BTreeMap<u32, AgentId>,
    next: u32,
}

/// The number of an agent as JavaScript gives it back.
fn key(agent: f64) -> Option<u32> {
    u32::try_from(number(agent)).ok()
}

impl Crowd {
    fn make(settings: &JsValue, mesh: &NavMesh, ground: impl FnOnce(bool) -> Thrown<Ground>) -> Thrown<Self> {
        let mut fields = Fields::new("settings", settings)?;
        let mut config = CrowdConfig::default();
        fields.numbers([
            ("horizon", &mut config.horizon),
            ("wallHorizon", &mut config.wall_horizon),
            ("laneBias", &mut config.lane_bias),
            ("stuckAfter", &mut config.stuck_after),
        ])?;
        fields.counts([
            ("maxNeighbours", &mut config.max_neighbours),
            ("plansPerStep", &mut config.plans_per_step),
        ])?;
        let has_clearance = fields.flag("clearance", false)?;
        let costs = mesh.costs(&mut fields)?.map(Arc::new);
        fields.finish()?;
        let agents = waymesh_crowd::Crowd::new(config).or_throw()?;
        let ground = ground(has_clearance)?;
        let (flags, ids) = (mesh.flags.clone(), BTreeMap::new());
        Ok(Self { agents, costs, flags, ground, has_clearance, ids, next: 0 })
    }

    fn id(&self, agent: f64) -> Thrown<AgentId> {
        let missing = || Kind::Input.error(format_args!("there is no agent {agent}"));
        key(agent).and_then(|agent| self.ids.get(&agent)).copied().ok_or_else(missing)
    }

    fn params(&self, settings: &JsValue) -> Thrown<AgentParams<Allowed, MeshCosts>> {
        let mut fields = Fields::new("settings", settings)?;
        let flags = flag_filter(&mut fields, self.flags.as_ref())?;
        let mut params = AgentParams::default().with_filter((None, flags)).with_cost(self.costs.clone());
        fields.numbers([
            ("radius", &mut params.radius),
            ("height", &mut params.height),
            ("maxSpeed", &mut params.max_speed),
            ("acceleration", &mut params.acceleration),
            ("arrivalDistance", &mut params.arrival_distance),
        ])?;
        let mut priority = u32::from(params.priority);
        fields.counts([("priority", &mut priority)])?;
        fields.finish()?;
        params.priority = u8::try_from(priority).map_err(|_| {
            Kind::Settings.error(format_args!("priority is {priority}, but must be at most 255"))
        })?;
        Ok(params)
    }

    /// States in the order of the numbers of agents.
    fn states(&self) -> impl Iterator<Item = AgentState> {
        self.ids.values().filter_map(|&id| self.agents.agent(id))
    }

    fn each<const N: usize>(&self, of: impl Fn(AgentState) -> [f32; N]) -> Vec<f32> {
        self.states().flat_map(of).collect()
    }
}

#[wasm_bindgen]
impl Crowd {
    /// A crowd without agents on a mesh, which may be freed afterwards.
    #[wasm_bindgen(constructor)]
    pub fn new(
        mesh: &NavMesh,
        #[wasm_bindgen(unchecked_optional_param_type = "CrowdSettings")] settings: JsValue,
    ) -> Thrown<Crowd> {
        Self::make(&settings, mesh, |has_clearance| Ground::of(mesh, has_clearance))
    }

    /// Lets the agents walk on another mesh from now on, as on ground that has changed: paths over
    /// ground that is still there are kept, others are planned again. Agents that go by flags go by
    /// those of this mesh, which needs some.
    #[wasm_bindgen(js_name = walkOn)]
    pub fn walk_on(&mut self, mesh: &NavMesh) -> Thrown<()> {
        let mut changed = Vec::new();
        for &id in self.ids.values() {
            let Some(params) = self.agents.params(id) else { continue };
            if let Some(filter) = mesh.with_its_flags(&params.filter)? {
                changed.push((id, params.clone().with_filter(filter)));
            }
        }
        self.ground = Ground::of(mesh, self.has_clearance)?;
        self.flags.clone_from(&mesh.flags);
        changed.into_iter().try_for_each(|(id, params)| self.agents.set_params(id, params)).or_throw()
    }

    /// Adds an agent at the place of the mesh that is nearest to a position, and returns its number,
    /// which no other agent will have.
    pub fn add(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Point")] position: &[f32],
        #[wasm_bindgen(unchecked_optional_param_type = "AgentSettings")] settings: JsValue,
    ) -> Thrown<u32> {
        let position = point("position", position)?;
        let params = self.params(&settings)?;
        let Self { agents, ground, .. } = self;
        let id = agents.add(ground, params, position);
        self.ids.insert(self.next, id.or_throw()?);
        self.next += 1;
        Ok(self.next - 1)
    }

    /// Removes an agent. Returns `true` if it was there.
    pub fn remove(&mut self, agent: f64) -> bool {
        let Some(id) = key(agent).and_then(|agent| self.ids.remove(&agent)) else { return false };
        self.agents.remove(id)
    }

    /// Sends an agent to the place of the mesh that is nearest to a position. Its path is planned in
    /// the next steps.
    #[wasm_bindgen(js_name = setTarget)]
    pub fn set_target(
        &mut self,
        agent: f64,
        #[wasm_bindgen(unchecked_param_type = "Point")] target: &[f32],
    ) -> Thrown<()> {
        let (id, target) = (self.id(agent)?, point("target", target)?);
        let Self { agents, ground, .. } = self;
        agents.set_target(ground, id, target).or_throw()
    }

    /// Takes an agent's target away: it stops.
    pub fn stop(&mut self, agent: f64) -> Thrown<()> {
        let id = self.id(agent)?;
        self.agents.stop(id).or_throw()
    }

    /// Puts an agent at the place of the mesh that is nearest to a position: for games that move
    /// their agents themselves, after `steer`.
    #[wasm_bindgen(js_name = setPosition)]
    pub fn set_position(
        &mut self,
        agent: f64,
        #[wasm_bindgen(unchecked_param_type = "Point")] position: &[f32],
    ) -> Thrown<()> {
        let (id, position) = (self.id(agent)?, point("position", position)?);
        let Self { agents, ground, .. } = self;
        agents.set_position(ground, id, position).or_throw()
    }

    /// Sets how long a link of the mesh takes, and how many agents it takes at once; the others queue.
    #[wasm_bindgen(js_name = setLinkRule)]
    pub fn set_link_rule(
        &mut self,
        link: f64,
        #[wasm_bindgen(unchecked_param_type = "LinkRule")] rule: JsValue,
    ) -> Thrown<()> {
        let mut fields = Fields::new("rule", &rule)?;
        let mut rule = LinkRule::default();
        rule.seconds = fields.number("seconds")?;
        fields.counts([("capacity", &mut rule.capacity)])?;
        fields.finish()?;
        let Self { agents, ground, .. } = self;
        agents.set_link_rule(&*ground, LinkId(number(link)), rule).or_throw()
    }

    /// Moves all agents by `seconds`. Steps of 0.1 s and less avoid collisions well. Takes a few
    /// microseconds an agent.
    pub fn step(&mut self, seconds: f32) -> Thrown<()> {
        let Self { agents, ground, .. } = self;
        agents.step(ground, seconds).or_throw()
    }

    /// Chooses the velocities of the next `seconds` and moves nobody, but for agents on links.
    pub fn steer(&mut self, seconds: f32) -> Thrown<()> {
        let Self { agents, ground, .. } = self;
        agents.steer(ground, seconds).or_throw()
    }

    /// Number of agents.
    #[wasm_bindgen(getter)]
    pub fn count(&self) -> usize {
        self.ids.len()
    }

    /// Numbers of all agents, ascending. The other arrays are in this order.
    #[wasm_bindgen(getter)]
    pub fn agents(&self) -> Vec<u32> {
        self.ids.keys().copied().collect()
    }

    /// Returns the positions of all agents, three numbers each: on the ground, or in the air on a link.
    /// Where an update took the ground away they walk back to it, or are lost.
    #[wasm_bindgen(getter)]
    pub fn positions(&self) -> Vec<f32> {
        self.each(|state| state.position.to_array())
    }

    /// Velocities of all agents in metres a second, three numbers each.
    #[wasm_bindgen(getter)]
    pub fn velocities(&self) -> Vec<f32> {
        self.each(|state| state.velocity.to_array())
    }

    /// Returns the status of all agents: 0 idle, 1 waiting, 2 walking, 3 queueing, 4 on a link, 5
    /// arrived, 6 blocked, 7 lost.
    #[wasm_bindgen(getter)]
    pub fn statuses(&self) -> Vec<u8> {
        self.states().map(|state| state.status.number()).collect()
    }

    /// Returns the state of an agent.
    #[wasm_bindgen(unchecked_return_type = "AgentState")]
    pub fn agent(&self, agent: f64) -> Thrown<JsValue> {
        let id = self.id(agent)?;
        let Some(state) = self.agents.agent(id) else {
            return Err(Kind::Input.error(format_args!("there is no agent {agent}")));
        };
        Ok(object(&[
            ("position", positions(&[state.position])),
            ("velocity", positions(&[state.velocity])),
            ("status", AgentStatus::NAMES[usize::from(state.status.number())].into()),
            ("remaining", state.remaining.into()),
        ]))
    }

    /// The path of an agent: where it begins, the corners ahead, and its end. Empty without one.
    #[wasm_bindgen(js_name = path)]
    pub fn path(&self, agent: f64) -> Thrown<Vec<f32>> {
        let id = self.id(agent)?;
        Ok(flat(self.agents.path(id).unwrap_or_default()))
    }
}

#[cfg(feature = "bake")]
#[wasm_bindgen]
impl Crowd {
    /// A crowd without agents in a world: after each update it walks on the new mesh. A clearance
    /// would be that of one mesh: it is refused.
    #[wasm_bindgen(js_name = inWorld)]
    pub fn in_world(
        world: &crate::world::World,
        #[wasm_bindgen(unchecked_optional_param_type = "CrowdSettings")] settings: JsValue,
    ) -> Thrown<Crowd> {
        let handle = world.handle();
        Self::make(&settings, &handle.mesh().into(), |has_clearance| {
            if has_clearance {
                return Err(Kind::Settings.error("settings: clearance is that of a mesh, a world has none"));
            }
            Ok(Ground::World(handle.clone()))
        })
    }
}

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/**
 * How all agents of a crowd avoid each other, and what their paths cost. With costs paths are those
 * of small cost, not of small length: the costs given here come over those of the mesh that the
 * crowd begins on.
 */
export interface CrowdSettings extends Pick<GroundOptions, "areaCosts" | "linkCosts"> {
  /** How far ahead collisions with other agents are avoided, in seconds. Default 2. */
  horizon?: number;
  /** How far ahead walls are avoided, in seconds. Default 0.15. */
  wallHorizon?: number;
  /** How many neighbours an agent avoids, the nearest first: 1 to 32. Default 12. */
  maxNeighbours?: number;
  /** How far agents turn to the right for those that come towards them, -1 to 1. Default 0.15. */
  laneBias?: number;
  /** How many new targets get a path in one step. Default 256. */
  plansPerStep?: number;
  /** After how many seconds without progress an agent counts as stuck. Default 2. */
  stuckAfter?: number;
  /** Paths leave room for agents that are wider than the mesh is for. Default false. */
  clearance?: boolean;
}

/**
 * What an agent is, and by the flags of the mesh (`NavMesh.flags`, set before the crowd is made)
 * which polygons it walks on. Lengths in metres.
 */
export interface AgentSettings extends Pick<GroundOptions, "includeFlags" | "excludeFlags"> {
  /** Default 0.3. */
  radius?: number;
  /** Default 1.8. */
  height?: number;
  /** Metres a second. Default 1.4. */
  maxSpeed?: number;
  /** Metres a second squared. Default 6. */
  acceleration?: number;
  /** Of two agents the one with the lower number takes most of the avoidance: 0 to 255. Default 0. */
  priority?: number;
  /** How near to its target an agent has arrived. Default 0.2. */
  arrivalDistance?: number;
}

/** How a link is used. */
export interface LinkRule {
  /** How long it takes. By default its length at the speed of the agent. */
  seconds?: number;
  /** How many agents it takes at once. By default any number. */
  capacity?: number;
}

/** Where an agent is, and what it does. */
export interface AgentState {
  position: Float32Array;
  /** In metres a second. */
  velocity: Float32Array;
  status: "idle" | "waiting" | "walking" | "queueing" | "on-link" | "arrived" | "blocked" | "lost";
  /** Metres along its path to the end of that. */
  remaining: number;
}
"#;
