//! Configuration of a crowd, its agents and links.

use waymesh_core::{BadField, setters};
use waymesh_graph::{AnyPolygon, Length};

/// Configuration of the avoidance between all agents of a crowd.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CrowdConfig {
    /// Time ahead for which collisions with other agents are avoided, in seconds. With a longer
    /// time agents see farther and turn aside earlier. Default 2.0, finite, above 0.
    pub horizon: f32,
    /// Time ahead for which walls are avoided, in seconds. Default 0.15, finite, above 0.
    pub wall_horizon: f32,
    /// Number of neighbours that an agent avoids, the nearest first. Default 12, from 1 to
    /// [`CrowdConfig::MOST_NEIGHBOURS`].
    pub max_neighbours: u32,
    /// Tangent of the angle by which agents turn to the right for each neighbour that comes, or
    /// wants to come, towards them; 45 degrees at most. Makes streams in opposite directions form
    /// lanes. Agents keep to the left if it is negative, and do not turn if it is 0. Default 0.15,
    /// finite, from -1 to 1.
    pub lane_bias: f32,
    /// Largest number of new targets that get a path in one step; the others wait for the next
    /// step. Default 256, above 0.
    pub plans_per_step: u32,
    /// Seconds without progress after which an agent counts as stuck. Default 2.0, finite, above 0.
    pub stuck_after: f32,
}

impl Default for CrowdConfig {
    fn default() -> Self {
        Self {
            horizon: 2.0,
            wall_horizon: 0.15,
            max_neighbours: 12,
            lane_bias: 0.15,
            plans_per_step: 256,
            stuck_after: 2.0,
        }
    }
}

setters! {
    impl CrowdConfig {
        with_horizon(horizon: f32);
        with_wall_horizon(wall_horizon: f32);
        with_max_neighbours(max_neighbours: u32);
        with_lane_bias(lane_bias: f32);
        with_plans_per_step(plans_per_step: u32);
        with_stuck_after(stuck_after: f32);
    }
}

impl CrowdConfig {
    /// Largest [`CrowdConfig::max_neighbours`].
    pub const MOST_NEIGHBOURS: u32 = 32;

    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), BadField> {
        for (field, seconds) in [
            ("horizon", self.horizon),
            ("wall_horizon", self.wall_horizon),
            ("stuck_after", self.stuck_after),
        ] {
            let is_fine = seconds.is_finite() && seconds > 0.0;
            BadField::unless(is_fine, field, seconds, "finite and above 0 s")?;
        }
        let neighbours = self.max_neighbours;
        let is_fine = (1..=Self::MOST_NEIGHBOURS).contains(&neighbours);
        BadField::unless(is_fine, "max_neighbours", neighbours, "from 1 to 32")?;
        let bias = self.lane_bias;
        BadField::unless((-1.0..=1.0).contains(&bias), "lane_bias", bias, "from -1 to 1")?;
        BadField::unless(self.plans_per_step > 0, "plans_per_step", self.plans_per_step, "above 0")
    }
}

/// Parameters of an agent. `F` filters the polygons that it walks on, `C` defines the cost of
/// paths.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AgentParams<F = AnyPolygon, C = Length> {
    /// Radius in metres. An agent that is wider than the one the mesh was baked for also keeps the
    /// difference from walls. On a [`ClearanceNavMesh`](waymesh_graph::ClearanceNavMesh) its paths
    /// are wide enough for it. Default 0.3, finite, above 0.
    pub radius: f32,
    /// Height in metres. Agents avoid each other only if the ground under them differs by less than
    /// the height of the taller one. Default 1.8, finite, above 0.
    pub height: f32,
    /// Highest speed in metres per second. Default 1.4, finite, 0 or more.
    pub max_speed: f32,
    /// Largest change of the preferred velocity, in metres per second squared. An agent may stop
    /// faster to avoid a collision. Default 6.0, finite, above 0.
    pub acceleration: f32,
    /// Priority: of two agents the one with the lower priority takes most of the avoidance. Default
    /// 0.
    pub priority: u8,
    /// Distance from its target at which an agent has arrived, in metres. Default 0.2, finite, 0 or
    /// more.
    pub arrival_distance: f32,
    /// Filter of the polygons that it walks on. Default: all.
    pub filter: F,
    /// Cost of its paths. Default: their length.
    pub cost: C,
}

impl Default for AgentParams {
    fn default() -> Self {
        Self {
            radius: 0.3,
            height: 1.8,
            max_speed: 1.4,
            acceleration: 6.0,
            priority: 0,
            arrival_distance: 0.2,
            filter: AnyPolygon,
            cost: Length,
        }
    }
}

setters! {
    impl<F, C> AgentParams<F, C> {
        with_radius(radius: f32);
        with_height(height: f32);
        with_max_speed(max_speed: f32);
        with_acceleration(acceleration: f32);
        with_priority(priority: u8);
        with_arrival_distance(arrival_distance: f32);
    }
}

impl<F, C> AgentParams<F, C> {
    /// Sets [`filter`](Self#structfield.filter).
    #[must_use]
    pub fn with_filter<G>(self, filter: G) -> AgentParams<G, C> {
        let Self { radius, height, max_speed, acceleration, priority, arrival_distance, filter: _, cost } =
            self;
        AgentParams { radius, height, max_speed, acceleration, priority, arrival_distance, filter, cost }
    }

    /// Sets [`cost`](Self#structfield.cost).
    #[must_use]
    pub fn with_cost<D>(self, cost: D) -> AgentParams<F, D> {
        let Self { radius, height, max_speed, acceleration, priority, arrival_distance, filter, cost: _ } =
            self;
        AgentParams { radius, height, max_speed, acceleration, priority, arrival_distance, filter, cost }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), BadField> {
        BadField::unless_positive("radius", self.radius)?;
        BadField::unless_positive("height", self.height)?;
        let is_fine = self.max_speed.is_finite() && self.max_speed >= 0.0;
        BadField::unless(is_fine, "max_speed", self.max_speed, "finite and at least 0 m/s")?;
        let is_fine = self.acceleration.is_finite() && self.acceleration > 0.0;
        BadField::unless(is_fine, "acceleration", self.acceleration, "finite and above 0 m/s^2")?;
        BadField::unless_length("arrival_distance", self.arrival_distance)
    }
}

/// Rule of a link: its duration, and the number of agents that use it at once.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LinkRule {
    /// Seconds from end to end. Default `None`: the distance in space at the agent's highest speed.
    /// Finite, 0 or more.
    pub seconds: Option<f32>,
    /// Largest number of agents on the link at once; the others queue. Default `u32::MAX`, above 0.
    pub capacity: u32,
}

impl Default for LinkRule {
    fn default() -> Self {
        Self { seconds: None, capacity: u32::MAX }
    }
}

setters! {
    impl LinkRule {
        with_seconds(seconds: Some(f32));
        with_capacity(capacity: u32);
    }
}

impl LinkRule {
    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), BadField> {
        let seconds = self.seconds.unwrap_or(0.0);
        let is_fine = seconds.is_finite() && seconds >= 0.0;
        BadField::unless(is_fine, "seconds", seconds, "finite and at least 0 s")?;
        BadField::unless(self.capacity > 0, "capacity", self.capacity, "above 0")
    }
}
