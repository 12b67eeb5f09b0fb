//! From arguments and a TOML file to the settings of a bake.

use std::path::Path;

use anyhow::{Context, Result};
use waymesh::io::{LoadOptions, UpAxis};
use waymesh::{BakeConfig, CornerChoice, DecompositionKind, PartitionKind};

use crate::args::{Axis, Corners, Decomposition, Partition, Settings};
use crate::files;

/// Reads a settings file; its keys are the long names of the arguments.
pub(crate) fn read(path: &Path) -> Result<Settings> {
    let text = files::read_text(path)?;
    toml::from_str(&text).with_context(|| format!("{} is not a settings file", path.display()))
}

/// How scene files are read.
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
    /// What is set here, else what is set in `file`.
    pub(crate) fn or(self, file: Self) -> Self {
        Self {
            up: self.up.or(file.up),
            scale: self.scale.or(file.scale),
            cell_size: self.cell_size.or(file.cell_size),
            level_height: self.level_height.or(file.level_height),
            agent_height: self.agent_height.or(file.agent_height),
            agent_radius: self.agent_radius.or(file.agent_radius),
            max_step: self.max_step.or(file.max_step),
            max_ledge: self.max_ledge.or(file.max_ledge),
            max_slope: self.max_slope.or(file.max_slope),
            max_edge_error: self.max_edge_error.or(file.max_edge_error),
            max_edge_length: self.max_edge_length.or(file.max_edge_length),
            max_seam_error: self.max_seam_error.or(file.max_seam_error),
            corners: self.corners.or(file.corners),
            min_region: self.min_region.or(file.min_region),
            merge_region: self.merge_region.or(file.merge_region),
            max_vertices: self.max_vertices.or(file.max_vertices),
            partition: self.partition.or(file.partition),
            decomposition: self.decomposition.or(file.decomposition),
            threads: self.threads.or(file.threads),
            max_memory: self.max_memory.or(file.max_memory),
        }
    }

    /// The settings of the bake; what is set nowhere keeps its default.
    pub(crate) fn bake_config(&self) -> BakeConfig {
        self.bake_config_over(&BakeConfig::default())
    }

    /// The settings of the bake over other defaults.
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
    fn arguments_go_before_the_file_and_the_file_before_the_defaults() {
        let file: Settings = toml::from_str(
            "cell-size = 0.1\nagent-radius = 0.4\nup = \"z\"\nmax-ledge = 1.5\nmax-seam-error = 0.5\ncorners = \"fewest-notches\"",
        )
        .expect("keys are known");
        let arguments = Settings { cell_size: Some(0.2), max_ledge: Some(1.2), ..Settings::default() };
        let config = arguments.or(file).bake_config();
        assert_eq!(
            config,
            BakeConfig::default()
                .with_scale(0.2, 0.2)
                .with_agent(Agent::default().with_radius(0.4))
                .with_max_ledge(1.2)
                .with_max_seam_error(0.5)
                .with_corners(CornerChoice::FewestNotches)
        );
    }

    #[test]
    fn unknown_keys_are_refused() {
        assert!(toml::from_str::<Settings>("cell-sise = 0.1").is_err());
    }
}
