//! Configuration of the storeys.

use glam::Vec3;
use waymesh_core::{Agent, BadField, GridFrame, GridScale, float, nearest_f32, saturating_u32};

use crate::StoreysError;

/// Configuration of this crate. Lengths in metres.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoreysConfig {
    /// Size of a fine cell, which is a pixel of the depth maps, and of the levels in which heights
    /// are given. Default 0.1 by 0.1.
    pub scale: GridScale,
    /// The agent.
    pub agent: Agent,
    /// Fine cells along a side of a rough cell, at least 2. With 0, a rough cell is at most as wide
    /// as the agent's radius and at most 0.5 m, but has at least 4 fine cells. Default 0. The
    /// result does not depend on it, the cost does.
    pub rough_cells: u32,
    /// Height of a rough level, at most half the agent's height. Lower levels separate ground at
    /// different heights better. `None` is an eighth of the agent's height. Default `None`.
    pub rough_level: Option<f32>,
    /// Largest memory for the rough voxels, in bytes. Default 2 GiB.
    pub max_memory_bytes: u64,
}

impl Default for StoreysConfig {
    fn default() -> Self {
        Self {
            scale: GridScale::new(0.1, 0.1),
            agent: Agent::default(),
            rough_cells: 0,
            rough_level: None,
            max_memory_bytes: 2 << 30,
        }
    }
}

/// Rough levels in an agent's height by default.
const LEVELS_PER_AGENT: f32 = 8.0;
/// Widest rough cell by default, in metres.
const WIDEST_ROUGH_CELL: f32 = 0.5;
/// Fewest fine cells along a rough one by default.
const FEWEST_CELLS: u32 = 4;

waymesh_core::setters! {
    impl StoreysConfig {
        with_scale(scale: GridScale);
        with_agent(agent: Agent);
        with_rough_cells(rough_cells: u32);
        with_rough_level(rough_level: Some(f32));
        with_max_memory_bytes(max_memory_bytes: u64);
    }
}

impl StoreysConfig {
    /// Largest number of fine cells along a rough one.
    pub const MAX_ROUGH_CELLS: u32 = 1 << 10;

    /// Returns the number of fine cells along a rough one: the configured number, or the default.
    #[must_use]
    pub fn rough_cells(&self) -> u32 {
        if self.rough_cells != 0 {
            return self.rough_cells;
        }
        let widest = self.agent.radius.clamp(0.0, WIDEST_ROUGH_CELL);
        saturating_u32((widest / self.scale.cell_size + 1e-4).floor())
            .clamp(FEWEST_CELLS, Self::MAX_ROUGH_CELLS)
    }

    /// Returns the height of a rough level in metres: the configured one, or the default.
    #[must_use]
    pub fn rough_level(&self) -> f32 {
        self.rough_level.unwrap_or(self.agent.height / LEVELS_PER_AGENT)
    }

    /// Checks every field.
    ///
    /// # Errors
    /// Names the first field that is out of its range.
    pub fn validate(&self) -> Result<(), StoreysError> {
        self.scale.validate()?;
        self.agent.validate()?;
        let is_fine = self.rough_cells != 1 && self.rough_cells <= Self::MAX_ROUGH_CELLS;
        BadField::unless(is_fine, "rough_cells", self.rough_cells, "0, or from 2 to 1024")?;
        let level = self.rough_level();
        let is_fine = level.is_finite() && level > 0.0 && level <= self.agent.height / 2.0;
        BadField::unless(is_fine, "rough_level", level, "above 0 m and at most half the agent's height")?;
        Ok(())
    }
}

/// The agent's limits in cells and metres, as all parts of the crate use them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    /// Highest rise from one place to the next, in metres: the agent's step, or the rise of the
    /// steepest slope over a cell if that is more.
    pub(crate) rise: f32,
    /// Head room in metres.
    pub(crate) height: f32,
    /// The agent's radius in cells.
    pub(crate) radius: f32,
    /// Borders of ground farther above or below than this, in metres, do not limit the agent's body
    /// at its radius.
    pub(crate) near: f32,
    /// Squared cosine of the steepest slope, with slack.
    pub(crate) cos_squared: f64,
}

/// Heights that differ by at most this, in metres, are equal.
pub(crate) const HEIGHT_SLACK: f32 = 1e-3;
/// No floor: the value of a missing link.
pub(crate) const NO_FLOOR: u16 = u16::MAX;
/// Largest number of floors of a column: links are numbers of floors.
pub(crate) const MAX_FLOORS: u64 = NO_FLOOR as u64 - 1;

impl Walk {
    pub(crate) fn new(config: &StoreysConfig) -> Self {
        let agent = &config.agent;
        let slope = nearest_f32(float::tan(f64::from(agent.max_slope)));
        let rise = agent.max_step.max(config.scale.cell_size * slope) + HEIGHT_SLACK;
        let cosine = float::cos(f64::from(agent.max_slope));
        Self {
            rise,
            height: agent.height - HEIGHT_SLACK,
            radius: agent.radius / config.scale.cell_size,
            near: (agent.radius * slope.min(2.0) + rise).min(agent.height.max(rise)),
            cos_squared: cosine * cosine * (1.0 - 1e-6),
        }
    }

    /// Returns the height below which two places are always linked: ground in one column is at
    /// least the agent's height apart, so a place nearer than half of it is the nearest for both.
    pub(crate) fn near_links(&self) -> f32 {
        self.rise.min(0.49 * self.height)
    }
}

/// Transforms world positions to cells along x and z and metres above the frame's origin, in double
/// precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) origin: [f64; 3],
    pub(crate) per_cell: f64,
    pub(crate) cos_squared: f64,
}

/// A point of the scene: cells along x, metres above the frame's origin, cells along z.
pub(crate) type ScenePoint = [f64; 3];

/// Coordinates are clamped to this.
pub(crate) const REACH: f64 = (1_u64 << 31) as f64;

impl Placement {
    pub(crate) fn new(frame: &GridFrame, walk: &Walk) -> Self {
        Self {
            origin: frame.origin.as_dvec3().to_array(),
            per_cell: f64::from(frame.cell_size).recip(),
            cos_squared: walk.cos_squared,
        }
    }

    pub(crate) fn corner(&self, world: Vec3) -> ScenePoint {
        let [x, y, z] = world.as_dvec3().to_array();
        [
            ((x - self.origin[0]) * self.per_cell).clamp(-REACH, REACH),
            y - self.origin[1],
            ((z - self.origin[2]) * self.per_cell).clamp(-REACH, REACH),
        ]
    }

    /// Returns the corners, and `true` if the triangle is walkable; `None` if it has no area or is
    /// not finite.
    pub(crate) fn triangle(&self, corners: [Vec3; 3]) -> Option<([ScenePoint; 3], bool)> {
        let [a, b, c] = corners.map(Vec3::as_dvec3);
        let normal = (b - a).cross(c - a);
        let squared = normal.length_squared();
        if !(squared.is_finite() && squared > 0.0) {
            return None;
        }
        let walkable = normal.y > 0.0 && normal.y * normal.y >= self.cos_squared * squared;
        Some((corners.map(|corner| self.corner(corner)), walkable))
    }
}
