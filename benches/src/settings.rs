//! One set of settings for every engine.

use clap::ValueEnum;
use waymesh_core::{Agent, GridScale, saturating_i32};

/// Partition of walkable ground into regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Partitioning {
    /// Basins of the distance field.
    Watershed,
    /// Sweeps along one axis.
    Monotone,
}

/// Returns the grid for `0.3/0.2`, or for `0.3` alone: levels as high as cells are wide, 0.2 m at
/// most, as in the published tables.
///
/// # Errors
/// If the text is not one or two lengths, or they are out of range.
pub fn parse_scale(text: &str) -> Result<GridScale, String> {
    let number = |text: &str| text.parse::<f32>().map_err(|error| error.to_string());
    let (cell, level) = match text.split_once('/') {
        Some((cell, level)) => (number(cell)?, number(level)?),
        None => (number(text)?, number(text)?.min(0.2)),
    };
    let scale = GridScale::new(cell, level);
    scale.validate().map_err(|error| error.to_string())?;
    Ok(scale)
}

/// RecastDemo's defaults, in the units of its sliders.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Cell and level size.
    pub scale: GridScale,
    /// The agent.
    pub agent: Agent,
    /// Partition into regions.
    pub partition: Partitioning,
    /// Farthest that a border may move, in cells.
    pub max_edge_error_cells: f32,
    /// Longest edge along a wall, in metres.
    pub max_edge_length: f32,
    /// Smallest island that is kept, in cells of area.
    pub min_region_cells: u16,
    /// Regions below this are merged with a neighbour, in cells of area.
    pub merge_region_cells: u16,
    /// Most vertices of a polygon.
    pub max_vertices: u32,
    /// Distance of detail samples, in cells (peers only: ours has no sampling distance).
    pub detail_sample_cells: f32,
    /// Height error of the detail mesh, in levels.
    pub detail_max_error_levels: f32,
}

impl Settings {
    /// RecastDemo's defaults at another resolution.
    #[must_use]
    pub fn recast_demo(scale: GridScale, partition: Partitioning) -> Self {
        Self {
            scale,
            agent: Agent::default(),
            partition,
            max_edge_error_cells: 1.3,
            max_edge_length: 12.0,
            min_region_cells: 8 * 8,
            merge_region_cells: 20 * 20,
            max_vertices: 6,
            detail_sample_cells: 6.0,
            detail_max_error_levels: 1.0,
        }
    }

    /// The agent's radius and the longest edge in cells, height and step in levels, rounded as
    /// RecastDemo does.
    #[must_use]
    pub fn on_grid(&self) -> OnGrid {
        let (cell, level) = (self.scale.cell_size, self.scale.level_height);
        OnGrid {
            radius: saturating_i32((self.agent.radius / cell).ceil()),
            height: saturating_i32((self.agent.height / level).ceil()),
            step: saturating_i32((self.agent.max_step / level).floor()),
            edge: saturating_i32(self.max_edge_length / cell),
        }
    }
}

/// Lengths of [`Settings`] in cells and levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct OnGrid {
    pub radius: i32,
    pub height: i32,
    pub step: i32,
    pub edge: i32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recast_demo_settings_scale_with_the_grid() {
        let at = |cell, level| {
            let OnGrid { radius, height, step, edge } =
                Settings::recast_demo(GridScale::new(cell, level), Partitioning::Watershed).on_grid();
            [radius, height, step, edge]
        };
        assert_eq!(at(0.3, 0.2), [2, 10, 4, 40]);
        assert_eq!(at(0.1, 0.1), [6, 20, 9, 120]);
        assert_eq!(at(0.05, 0.05), [12, 40, 18, 240]);
    }
}
