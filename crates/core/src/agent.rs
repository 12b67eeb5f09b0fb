//! The agent that the mesh is baked for.

use crate::{BadField, saturating_u32};

/// Shape and abilities of an agent. Lengths in metres, angles in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Agent {
    /// Headroom that the agent needs above the ground. Default 2.0, finite and above zero.
    pub height: f32,
    /// Distance that the agent's centre keeps from walls and drops. Default 0.6, finite and at
    /// least zero.
    pub radius: f32,
    /// Highest step that the agent takes up or down without a link. Default 0.9, finite and at
    /// least zero.
    pub max_step: f32,
    /// Steepest slope that the agent walks on. Default 45 degrees, at least 0 and below 90 degrees.
    pub max_slope: f32,
}

impl Default for Agent {
    fn default() -> Self {
        Self { height: 2.0, radius: 0.6, max_step: 0.9, max_slope: 45.0_f32.to_radians() }
    }
}

/// Rounding slack of the conversions to cells and levels: a quotient this close to a whole number
/// is rounded to it, so that 0.6 m in 0.2 m levels is 3 and not 4.
const QUOTIENT_SLACK: f32 = 1e-4;

crate::setters! {
    impl Agent {
        with_height(height: f32);
        with_radius(radius: f32);
        with_max_step(max_step: f32);
        with_max_slope(max_slope: f32);
    }
}

impl Agent {
    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), BadField> {
        BadField::unless_positive("agent.height", self.height)?;
        BadField::unless_length("agent.radius", self.radius)?;
        BadField::unless_length("agent.max_step", self.max_step)?;
        let is_walkable = (0.0..std::f32::consts::FRAC_PI_2).contains(&self.max_slope);
        let expected = "from 0 to below 90 degrees (pi / 2 radians)";
        BadField::unless(is_walkable, "agent.max_slope", self.max_slope, expected)
    }

    /// Returns the agent's height in levels, rounded up.
    #[must_use]
    pub fn height_levels(&self, level_height: f32) -> u32 {
        saturating_u32((self.height / level_height - QUOTIENT_SLACK).ceil()).max(1)
    }

    /// Returns `max_step` in levels, rounded down.
    #[must_use]
    pub fn max_step_levels(&self, level_height: f32) -> u32 {
        saturating_u32((self.max_step / level_height + QUOTIENT_SLACK).floor())
    }
}
