//! From arguments to the settings of a bake.

use waymesh::io::{LoadOptions, UpAxis};
use waymesh::{BakeConfig, CornerChoice, DecompositionKind, PartitionKind};

use crate::args::{Axis, Corners, Decomposition, Partition, Settings};

/// Returns how scene files are read.
pub(crate) fn load_options(up: Option<Axis>, scale: Option<f32>) -> LoadOptions {
    let up = match up {
        Some(Axis::Z) => UpAxis::Z,
        Some(Axis::Y) | None => UpAxis::Y,
    };
    LoadOptions::default().with_up(up).with_scale(scale.unwrap_or(1.0))
}

impl Decomposition {
    /// The same for the bake.
    pub(crate) fn kind(self) -> DecompositionKind {
        match self {
            Self::NotchPortals => DecompositionKind::NotchPortals,
            Self::Greedy => DecompositionKind::Greedy,
            Self::HertelMehlhorn => DecompositionKind::HertelMehlhorn,
        }
    }
}

impl Settings {
    /// Returns the settings of the bake. Settings that are not given keep their defaults.
    pub(crate) fn bake_config(&self) -> BakeConfig {
        self.bake_config_over(&BakeConfig::default())
    }

    /// The same as [`Settings::bake_config`], over other defaults.
    pub(crate) fn bake_config_over(&self, defaults: &BakeConfig) -> BakeConfig {
        let agent = defaults.agent;
        let agent = agent
            .with_height(self.agent_height.unwrap_or(agent.height))
            .with_radius(self.agent_radius.unwrap_or(agent.radius))
            .with_max_step(self.max_step.unwrap_or(agent.max_step))
            .with_max_slope(self.max_slope.map_or(agent.max_slope, f32::to_radians));
        let cell_size = self.cell_size.unwrap_or(defaults.scale.cell_size);
        let level_height = self.level_height.unwrap_or(defaults.scale.level_height);
        let partition = match self.partition {
            Some(Partition::Monotone) => PartitionKind::Monotone,
            Some(Partition::Watershed) => PartitionKind::Watershed,
            Some(Partition::Surfaces) => PartitionKind::Surfaces,
            None => defaults.partition,
        };
        let decomposition = self.decomposition.map_or(defaults.decomposition, Decomposition::kind);
        let mut config =
            defaults.clone().with_agent(agent).with_scale(cell_size, level_height).with_partition(partition);
        config.max_ledge = self.max_ledge.unwrap_or(defaults.max_ledge);
        config.decomposition = decomposition;
        config.max_edge_error = self.max_edge_error.or(defaults.max_edge_error);
        config.max_edge_length = self.max_edge_length.unwrap_or(defaults.max_edge_length);
        config.max_seam_error = self.max_seam_error.unwrap_or(defaults.max_seam_error);
        config.corners = match self.corners {
            Some(Corners::Farthest) => CornerChoice::Farthest,
            Some(Corners::FewestNotches) => CornerChoice::FewestNotches,
            None => defaults.corners,
        };
        config.min_region = self.min_region.unwrap_or(defaults.min_region);
        config.merge_region = self.merge_region.unwrap_or(defaults.merge_region);
        config.max_vertices = self.max_vertices.unwrap_or(defaults.max_vertices);
        config.threads = self.threads.unwrap_or(defaults.threads);
        config.max_memory_bytes =
            self.max_memory.map_or(defaults.max_memory_bytes, |mebibytes| mebibytes.saturating_mul(1 << 20));
        config
    }
}

#[cfg(test)]
mod tests {
    use waymesh::Agent;

    use super::*;

    #[test]
    fn what_is_not_set_keeps_its_default() {
        let settings = Settings {
            cell_size: Some(0.2),
            agent_radius: Some(0.4),
            max_ledge: Some(1.2),
            corners: Some(Corners::FewestNotches),
            ..Settings::default()
        };
        assert_eq!(
            settings.bake_config(),
            BakeConfig::default()
                .with_scale(0.2, 0.2)
                .with_agent(Agent::default().with_radius(0.4))
                .with_max_ledge(1.2)
                .with_corners(CornerChoice::FewestNotches)
        );
    }
}
