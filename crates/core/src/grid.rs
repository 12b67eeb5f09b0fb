//! The grid: its scale, its place in the world, and exact arithmetic on its points.

use glam::Vec3;
use thiserror::Error;

use crate::{Agent, BadField, Bounds, MAX_PLAN_COORDINATE, PlanVertex, nearest_f32, saturating_u32};

/// Largest side of a voxel in metres. Coarser grids are useless for any agent, so a larger value is
/// a mistake.
const LARGEST_VOXEL: f32 = 1e4;

/// Size of a voxel, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct GridScale {
    /// Side of a cell along x and z. Default 0.3, above zero and at most 10 km.
    pub cell_size: f32,
    /// Height of a level along y. Default 0.2, above zero and at most 10 km.
    pub level_height: f32,
}

impl Default for GridScale {
    fn default() -> Self {
        Self { cell_size: 0.3, level_height: 0.2 }
    }
}

/// Errors of a grid that cannot be created.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GridError {
    /// A length of the scale is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// The bounds are empty or not finite.
    #[error("the scene has no finite bounds: from {min} to {max}")]
    BadBounds {
        /// Lower corner.
        min: Vec3,
        /// Upper corner.
        max: Vec3,
    },
    /// The number of cells or levels along an axis exceeds the range of plan coordinates.
    #[error(
        "the grid would have {needed} {unit} along {axis}, the limit is {limit}; make them larger, or leave out what lies far away"
    )]
    TooLong {
        /// `'x'`, `'y'` or `'z'`.
        axis: char,
        /// `"cells"` or `"levels"`.
        unit: &'static str,
        /// Number that the scene requires.
        needed: u64,
        /// Largest number allowed.
        limit: u64,
    },
}

impl GridScale {
    /// Returns a scale of `cell_size` by `level_height` metres.
    #[must_use]
    pub fn new(cell_size: f32, level_height: f32) -> Self {
        Self { cell_size, level_height }
    }

    /// Returns a scale that resolves an agent: cells of a third of its radius, but 2 cm at least, and
    /// the levels of [`GridScale::with_levels_for`].
    #[must_use]
    pub fn for_agent(agent: &Agent) -> Self {
        let cell_size = ((agent.radius / 3.0 * 100.0).round() / 100.0).max(0.02);
        Self { cell_size, ..Self::default() }.with_levels_for(agent)
    }

    /// Returns a scale of these cells, with levels that resolve an agent's step: half a cell and at
    /// most half the step, but 1 cm at least.
    #[must_use]
    pub fn with_levels_for(self, agent: &Agent) -> Self {
        /// Part of a centimetre that rounding may take.
        const SLACK: f32 = 1e-3;
        let most = (self.cell_size / 2.0).min(agent.max_step / 2.0);
        // Rounded down: a level above half the step would leave a step of one level.
        Self { level_height: ((most * 100.0 + SLACK).floor() / 100.0).max(0.01), ..self }
    }

    /// Checks both lengths.
    ///
    /// # Errors
    /// Names the first one that is out of its range.
    pub fn validate(&self) -> Result<(), BadField> {
        for (field, metres) in [("cell_size", self.cell_size), ("level_height", self.level_height)] {
            let is_fine = metres > 0.0 && metres <= LARGEST_VOXEL;
            BadField::unless(is_fine, field, metres, "above 0 and at most 10000 m")?;
        }
        Ok(())
    }
}

/// The place and size of a grid in the world.
///
/// Cell `(x, z)` covers `origin.x + x * cell_size ..= origin.x + (x + 1) * cell_size`, and along z
/// in the same manner. Level `y` covers `origin.y + y * level_height ..= origin.y + (y + 1) *
/// level_height`. Columns are numbered row by row: `z * width + x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridFrame {
    /// World position of the lower corner of cell `(0, 0)`, level 0.
    pub origin: Vec3,
    /// Side of a cell in metres.
    pub cell_size: f32,
    /// Height of a level in metres.
    pub level_height: f32,
    /// Cells along x.
    pub width: u32,
    /// Cells along z.
    pub depth: u32,
}

impl GridFrame {
    /// Returns the smallest frame of this scale that contains `bounds`. Its origin is their lower
    /// corner.
    ///
    /// # Errors
    /// - [`GridError::BadField`] and [`GridError::BadBounds`] for numbers that cannot be used.
    /// - [`GridError::TooLong`] beyond [`MAX_PLAN_COORDINATE`] cells or levels along an axis.
    pub fn fit(bounds: &Bounds, scale: &GridScale) -> Result<Self, GridError> {
        scale.validate()?;
        if !bounds.is_valid() {
            return Err(GridError::BadBounds { min: bounds.min, max: bounds.max });
        }
        let count = |axis, unit, low: f32, high: f32, step: f32| {
            let exact = (f64::from(high) - f64::from(low)) / f64::from(step);
            // Same slack as Recast's rounding in single precision: bounds that end on a cell line
            // do not begin another cell.
            let needed = (exact - 1e-4).ceil().max(1.0);
            if needed > f64::from(MAX_PLAN_COORDINATE) {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "saturates; only used in a message"
                )]
                let needed = needed as u64;
                return Err(GridError::TooLong { axis, unit, needed, limit: MAX_PLAN_COORDINATE as u64 });
            }
            let needed = saturating_u32(needed);
            Ok(needed)
        };
        let width = count('x', "cells", bounds.min.x, bounds.max.x, scale.cell_size)?;
        let depth = count('z', "cells", bounds.min.z, bounds.max.z, scale.cell_size)?;
        count('y', "levels", bounds.min.y, bounds.max.y, scale.level_height)?;
        Ok(Self {
            origin: bounds.min,
            cell_size: scale.cell_size,
            level_height: scale.level_height,
            width,
            depth,
        })
    }

    /// Returns the number of columns, `width * depth`.
    #[must_use]
    pub fn column_count(&self) -> usize {
        self.width as usize * self.depth as usize
    }

    /// Returns the area of one cell in square metres.
    #[must_use]
    pub fn cell_area(&self) -> f64 {
        f64::from(self.cell_size) * f64::from(self.cell_size)
    }

    /// Returns the world position of a plan position in cells and a height in levels. Computed in
    /// double precision.
    #[inline]
    #[must_use]
    pub fn to_world(&self, x_cells: f64, height_levels: f64, z_cells: f64) -> Vec3 {
        let axis =
            |origin: f32, step: f32, value: f64| nearest_f32(f64::from(origin) + f64::from(step) * value);
        Vec3::new(
            axis(self.origin.x, self.cell_size, x_cells),
            axis(self.origin.y, self.level_height, height_levels),
            axis(self.origin.z, self.cell_size, z_cells),
        )
    }

    /// Returns the world position of a vertex.
    #[inline]
    #[must_use]
    pub fn position(&self, vertex: PlanVertex) -> Vec3 {
        self.to_world(f64::from(vertex.point.x), f64::from(vertex.height), f64::from(vertex.point.z))
    }

    /// Returns the plan position in cells and the height in levels of a world position, as `[x, y,
    /// z]`.
    #[inline]
    #[must_use]
    pub fn to_grid(&self, position: Vec3) -> [f64; 3] {
        let axis =
            |value: f32, origin: f32, step: f32| (f64::from(value) - f64::from(origin)) / f64::from(step);
        [
            axis(position.x, self.origin.x, self.cell_size),
            axis(position.y, self.origin.y, self.level_height),
            axis(position.z, self.origin.z, self.cell_size),
        ]
    }
}
