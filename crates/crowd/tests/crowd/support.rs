//! Small meshes, and a judge that measures a crowd.

use glam::{Vec3, Vec3Swizzles};
use waymesh_core::{
    Agent, AreaId, GridFrame, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId, VertexId,
};
use waymesh_crowd::{AgentId, AgentParams, AgentState, AgentStatus, Crowd, CrowdConfig};
use waymesh_graph::{MeshSource, NavMesh, PolygonFilter, QueryScratch, TravelCost};
use waymesh_testkit::flat_meshes;
use waymesh_testkit::grid_maps::rectangle_borders;

pub(crate) const DT: f32 = 1.0 / 30.0;

/// Returns a flat mesh of rectangles in decimetres whose walls are real walls: agents keep their
/// radius.
pub(crate) fn flat(rectangles: &[[i32; 4]]) -> NavMesh {
    flat_for(rectangles, 0.0)
}

/// Returns such a mesh as if it were baked for a radius.
pub(crate) fn flat_for(rectangles: &[[i32; 4]], radius: f32) -> NavMesh {
    let mut polygons = flat_meshes::build(&rectangle_borders(rectangles));
    polygons.frame.cell_size = 0.1;
    NavMesh::new(polygons, None, Agent::default().with_radius(radius)).unwrap()
}

/// Returns unconnected squares of `side` metres, each with the heights of its corners.
pub(crate) fn squares(side: i32, squares: &[(PlanPoint, [f32; 4])]) -> NavMesh {
    let frame = GridFrame { origin: Vec3::ZERO, cell_size: 0.1, level_height: 1.0, width: 2048, depth: 2048 };
    let mut mesh = PolyMesh::empty(frame);
    for (index, &(low, heights)) in (0_u32..).zip(squares) {
        let corners = [(0, 0), (side, 0), (side, side), (0, side)];
        for ((x, z), height) in corners.into_iter().zip(heights) {
            let point = PlanPoint::new(low.x + 10 * x, low.z + 10 * z);
            mesh.vertices.push(PlanVertex { point, height });
        }
        mesh.polygons.push(Poly { first: 4 * index, len: 4, region: RegionId(index), area: AreaId::GROUND });
        mesh.corners.extend((4 * index..4 * index + 4).map(VertexId));
        mesh.neighbours.extend([None::<PolyId>; 4]);
    }
    NavMesh::new(mesh, None, Agent::default().with_radius(0.0)).unwrap()
}

pub(crate) fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

/// Returns positions in rows, `gap` metres apart.
pub(crate) fn rows(columns: u16, depth: u16, low: Vec3, gap: f32) -> Vec<Vec3> {
    let place = move |index: u16| {
        let [x, z] = [index % columns, index / columns].map(|along| f32::from(along) * gap);
        low + at(x, z)
    };
    (0..columns * depth).map(place).collect()
}

/// Returns a crowd of equal agents with targets.
pub(crate) fn crowd(mesh: &NavMesh, params: AgentParams, trips: &[[Vec3; 2]]) -> (Crowd, Vec<AgentId>) {
    let mut crowd = Crowd::new(CrowdConfig::default()).unwrap();
    let add = |trip: &[Vec3; 2]| {
        let agent = crowd.add(mesh, params, trip[0]).unwrap();
        crowd.set_target(mesh, agent, trip[1]).unwrap();
        agent
    };
    let agents = trips.iter().map(add).collect();
    (crowd, agents)
}

/// Steps that are checked.
pub(crate) trait Steps {
    /// Takes a step. Fails if an agent moved farther in space than its speed, or that of the link
    /// it is on, allows.
    fn take_step(&mut self, ground: &(impl MeshSource + ?Sized), dt: f32);
}

impl<F, C> Steps for Crowd<F, C>
where
    F: PolygonFilter + Clone + Send + Sync,
    C: TravelCost + Clone + Send + Sync,
{
    fn take_step(&mut self, ground: &(impl MeshSource + ?Sized), dt: f32) {
        let before: Vec<_> = self.agents().collect();
        self.step(ground, dt).unwrap();
        for (agent, before) in before {
            let after = self.agent(agent).unwrap();
            let link_speed = |state: &AgentState| match state.status {
                AgentStatus::OnLink { .. } => state.velocity.length(),
                _ => 0.0,
            };
            let own = self.params(agent).unwrap().max_speed;
            let speed = own.max(link_speed(&before)).max(link_speed(&after));
            let moved = after.position.distance(before.position);
            assert!(
                moved <= speed * dt * (1.0 + 1e-4) + 1e-4,
                "{agent} moved {moved} m in {dt} s at {speed} m/s: {before:?} {after:?}"
            );
        }
    }
}

/// Measurements of a crowd.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    scratch: QueryScratch,
    /// Agents seen, each in each step.
    pub(crate) seen: u32,
    /// Agents seen that overlapped another one by more than a hundredth of their width.
    pub(crate) overlapping: u32,
    /// Deepest overlap in metres.
    pub(crate) deepest: f32,
    /// Steps seen.
    pub(crate) steps: u32,
    /// The last positions of each agent, newest first.
    last: std::collections::HashMap<AgentId, Vec<Vec3>>,
    jerks: Vec<f32>,
}

impl Judge {
    /// Measures all agents. Asserts that they are on the mesh and clear of walls.
    pub(crate) fn see(&mut self, crowd: &Crowd, mesh: &NavMesh) {
        self.steps += 1;
        for (agent, state) in crowd.agents() {
            let last = self.last.entry(agent).or_default();
            last.insert(0, state.position);
            last.truncate(4);
            if let &[now, a, b, c] = last.as_slice() {
                self.jerks.push((now - 3.0 * a + 3.0 * b - c).length() / DT.powi(3));
            }
        }
        let bodies: Vec<_> = crowd
            .agents()
            .filter(|(_, state)| !matches!(state.status, AgentStatus::OnLink { .. }))
            .map(|(agent, state)| (state, crowd.params(agent).unwrap().radius))
            .collect();
        for (index, (state, radius)) in bodies.iter().enumerate() {
            assert!(state.position.is_finite() && state.velocity.is_finite());
            assert!(mesh.contains(state.place.polygon, state.place.position), "{state:?} is off the mesh");
            let clearance = radius - mesh.agent().radius;
            if clearance > 0.0 {
                let wall = mesh.query().memory(&mut self.scratch).wall(state.place, clearance).unwrap();
                let distance = wall.map_or(clearance, |wall| wall.distance);
                assert!(distance > clearance - 0.01, "{state:?} is {distance} m from a wall");
            }
            self.seen += 1;
            let depth = |(other, other_radius): &(AgentState, f32)| {
                let is_near = (other.position.y - state.position.y).abs() < 1.0;
                let gap = other.position.xz().distance(state.position.xz()) - radius - other_radius;
                if is_near { -gap } else { 0.0 }
            };
            let others = bodies.iter().enumerate().filter(|(other, _)| *other != index);
            let deepest = others.map(|(_, other)| depth(other)).fold(0.0, f32::max);
            self.deepest = self.deepest.max(deepest);
            self.overlapping += u32::from(deepest > 0.02 * radius);
        }
    }

    /// Returns the fraction of agents and steps with an overlap.
    pub(crate) fn share(&self) -> f64 {
        f64::from(self.overlapping) / f64::from(self.seen.max(1))
    }

    /// Returns the mean jerk in metres per second cubed.
    pub(crate) fn jerk(&self) -> f32 {
        self.jerks.iter().sum::<f32>() / self.jerks.len().max(1) as f32
    }
}

/// Steps until all have arrived, and returns the time in seconds. Fails after `limit` seconds.
pub(crate) fn run(crowd: &mut Crowd, mesh: &NavMesh, limit: f32, judge: &mut Judge) -> f32 {
    let mut time = 0.0;
    loop {
        crowd.take_step(mesh, DT);
        time += DT;
        judge.see(crowd, mesh);
        let mut walking = crowd.agents().filter(|(_, state)| state.status != AgentStatus::Arrived);
        let Some((agent, state)) = walking.next() else { return time };
        let (near, more) = (crowd.agents(), walking.count());
        assert!(
            time < limit,
            "{more} more, {agent} still {state:?}, path {:?}, near {:?}",
            crowd.path(agent),
            near.filter(|(_, other)| other.position.distance(state.position) < 2.0).collect::<Vec<_>>()
        );
    }
}
