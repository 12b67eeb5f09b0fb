//! Distances within which a query looks for the mesh.

use waymesh_core::{Agent, BadField};

/// Largest distance from a position to its place on the mesh, in metres. Infinite lengths are
/// allowed.
#[doc(alias = "halfExtents")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Sideways, in the plan.
    pub side: f32,
    /// Above the position.
    pub up: f32,
    /// Below the position.
    pub down: f32,
}

impl Reach {
    /// No limit.
    pub const INFINITE: Self = Self { side: f32::INFINITY, up: f32::INFINITY, down: f32::INFINITY };

    /// Makes a reach from lengths in metres.
    #[must_use]
    pub const fn new(side: f32, up: f32, down: f32) -> Self {
        Self { side, up, down }
    }

    /// Returns a reach that finds the ground of a standing agent whose position is a little off:
    /// twice its radius to the side (at least the side of a cell), its height up and down.
    #[must_use]
    pub fn of_agent(agent: &Agent, cell_size: f32) -> Self {
        Self { side: (2.0 * agent.radius).max(cell_size), up: agent.height, down: agent.height }
    }

    /// Names the first field that is NaN or negative.
    ///
    /// # Errors
    /// If there is one.
    pub fn validate(&self) -> Result<(), BadField> {
        unless_0_or_more("reach.side", self.side)?;
        unless_0_or_more("reach.up", self.up)?;
        unless_0_or_more("reach.down", self.down)
    }
}

impl std::fmt::Display for Reach {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} m to the side, {} m up, {} m down", self.side, self.up, self.down)
    }
}

/// Returns an error about a field that must be 0 or more, infinity included, unless it is.
pub(crate) fn unless_0_or_more(field: &'static str, value: f32) -> Result<(), BadField> {
    BadField::unless(value >= 0.0, field, value, "0 or more")
}
