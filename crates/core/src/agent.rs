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
    /// Names for [`Agent::named`]. Two more take a length: `robot:RADIUS` and `vehicle:WIDTH`.
    pub const NAMES: [&str; 4] = ["recast", "person", "crouched", "wheelchair"];

    /// Returns a usual agent by its name; `None` for another name, or a length that is not finite and
    /// above zero.
    ///
    /// | name | height | radius | step | slope | source |
    /// |---|---|---|---|---|---|
    /// | `recast` | 2.0 | 0.6 | 0.9 | 45 | RecastDemo: the default |
    /// | `person` | 1.9 | 0.3 | 0.25 | 45 | ISO 7250: a man taller than 19 of 20, in shoes; Fruin 1971: body ellipse of 0.61 m; ISO 21542: risers up to 0.18 m; a level for rounding |
    /// | `crouched` | 1.2 | 0.3 | 0.25 | 45 | the same person in a crouch |
    /// | `wheelchair` | 1.4 | 0.4 | 0.02 | 5 | ISO 7176-5: 0.8 m wide; ISO 21542: thresholds of 0.02 m, ramps of 1:12 |
    /// | `robot:RADIUS` | twice the radius | as given | 0.03 | 10 | a base on wheels, such as a TurtleBot |
    /// | `vehicle:WIDTH` | 2.2 | half the width | 0.15 | 20 | a car or a van; kerbs of 0.15 m |
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let agent = |height, radius, max_step, degrees: f32| Self {
            height,
            radius,
            max_step,
            max_slope: degrees.to_radians(),
        };
        let length =
            |text: &str| text.parse().ok().filter(|length: &f32| length.is_finite() && *length > 0.0);
        Some(match name.split_once(':') {
            None if name == "recast" => Self::default(),
            None if name == "person" => agent(1.9, 0.3, 0.25, 45.0),
            None if name == "crouched" => agent(1.2, 0.3, 0.25, 45.0),
            None if name == "wheelchair" => agent(1.4, 0.4, 0.02, 5.0),
            Some(("robot", radius)) => {
                let radius = length(radius)?;
                agent(2.0 * radius, radius, 0.03, 10.0)
            }
            Some(("vehicle", width)) => agent(2.2, length(width)? / 2.0, 0.15, 20.0),
            _ => return None,
        })
    }

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
