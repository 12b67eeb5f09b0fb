//! The agent that the mesh is baked for.

use thiserror::Error;

/// Shape and abilities of an agent. Lengths in metres, angles in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Agent {
    /// Room that the agent needs above the ground. Default 2.0, finite and above zero.
    pub height: f32,
    /// Distance that the agent's centre keeps from walls and drops. Default 0.6, finite, zero or
    /// more.
    pub radius: f32,
    /// Highest step that the agent climbs or drops without a link. Default 0.9, finite, zero or
    /// more.
    pub max_step: f32,
    /// Steepest slope that the agent walks on. Default 45 degrees, from 0 to below 90 degrees.
    pub max_slope: f32,
}

impl Default for Agent {
    fn default() -> Self {
        Self { height: 2.0, radius: 0.6, max_step: 0.9, max_slope: 45.0_f32.to_radians() }
    }
}

/// The first field of an [`Agent`] that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("agent {field} is {value}, but must be {expected}")]
#[non_exhaustive]
pub struct AgentError {
    /// Name of the field.
    pub field: &'static str,
    /// Its value.
    pub value: f32,
    /// What would be accepted.
    pub expected: &'static str,
}

/// Rounding slack of the conversions to cells and levels: a quotient this close to a whole number
/// counts as it, so that 0.6 m in 0.2 m levels is 3 and not 4.
const QUOTIENT_SLACK: f32 = 1e-4;

impl Agent {
    /// Sets the height in metres.
    #[must_use]
    pub fn with_height(mut self, metres: f32) -> Self {
        self.height = metres;
        self
    }

    /// Sets the radius in metres.
    #[must_use]
    pub fn with_radius(mut self, metres: f32) -> Self {
        self.radius = metres;
        self
    }

    /// Sets the highest step in metres.
    #[must_use]
    pub fn with_max_step(mut self, metres: f32) -> Self {
        self.max_step = metres;
        self
    }

    /// Sets the steepest slope in radians.
    #[must_use]
    pub fn with_max_slope(mut self, radians: f32) -> Self {
        self.max_slope = radians;
        self
    }

    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), AgentError> {
        let bad = |field, value, expected| Err(AgentError { field, value, expected });
        if !(self.height.is_finite() && self.height > 0.0) {
            return bad("height", self.height, "finite and above 0 m");
        }
        if !(self.radius.is_finite() && self.radius >= 0.0) {
            return bad("radius", self.radius, "finite and at least 0 m");
        }
        if !(self.max_step.is_finite() && self.max_step >= 0.0) {
            return bad("max_step", self.max_step, "finite and at least 0 m");
        }
        if !(self.max_slope >= 0.0 && self.max_slope < std::f32::consts::FRAC_PI_2) {
            return bad("max_slope", self.max_slope, "from 0 to below 90 degrees (pi / 2 radians)");
        }
        Ok(())
    }

    /// Levels of head room, rounded up.
    #[must_use]
    pub fn height_levels(&self, level_height: f32) -> u32 {
        saturating_u32((self.height / level_height - QUOTIENT_SLACK).ceil()).max(1)
    }

    /// Levels of the highest step, rounded down.
    #[must_use]
    pub fn max_step_levels(&self, level_height: f32) -> u32 {
        saturating_u32((self.max_step / level_height + QUOTIENT_SLACK).floor())
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float-to-int casts saturate, as meant here"
)]
fn saturating_u32(value: f32) -> u32 {
    value as u32
}
