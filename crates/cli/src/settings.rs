//! From arguments to the settings of a bake.

use std::sync::Arc;

use anyhow::Result;
use waymesh::io::{AreaRules, LoadOptions, UpAxis, Winding};
use waymesh::{Agent, BakeConfig, CornerChoice, DecompositionKind, Enclosed, PartitionKind};

use crate::args::{Axis, Corners, Decomposition, EnclosedKind, Partition, Settings, Space};
use crate::marks;

/// Sets a field to what is given, if anything is.
pub(crate) fn set<T>(field: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *field = given;
    }
}

impl Space {
    /// Returns how scene files are read.
    pub(crate) fn load_options(&self) -> LoadOptions {
        let up = if self.up == Some(Axis::Z) { UpAxis::Z } else { UpAxis::Y };
        let winding = match (self.flip, self.two_sided) {
            (true, _) => Winding::Flipped,
            (_, true) => Winding::TwoSided,
            _ => Winding::AsRead,
        };
        let origin = self.origin.map_or([0.0; 3], |origin| origin.0);
        LoadOptions::default()
            .with_up(up)
            .with_scale(self.scale.unwrap_or(1.0))
            .with_origin(origin)
            .with_winding(winding)
    }

    /// Sets the fields of the agent that are given.
    pub(crate) fn set_agent(&self, agent: &mut Agent) {
        set(&mut agent.height, self.agent_height);
        set(&mut agent.radius, self.agent_radius);
        set(&mut agent.max_step, self.max_step);
        set(&mut agent.max_slope, self.max_slope.map(f32::to_radians));
    }
}

impl Decomposition {
    /// Returns the same choice for the bake.
    pub(crate) fn kind(self) -> DecompositionKind {
        match self {
            Self::NotchPortals => DecompositionKind::NotchPortals,
            Self::Greedy => DecompositionKind::Greedy,
            Self::HertelMehlhorn => DecompositionKind::HertelMehlhorn,
        }
    }
}

impl EnclosedKind {
    /// Returns the same choice for the bake.
    pub(crate) fn choice(self) -> Enclosed {
        match self {
            Self::Keep => Enclosed::Keep,
            Self::Remove => Enclosed::Remove,
        }
    }
}

impl Settings {
    /// Returns the settings of the bake. Settings that are not given keep their defaults.
    pub(crate) fn bake_config(&self) -> Result<BakeConfig> {
        self.bake_config_over(&BakeConfig::default())
    }

    /// Returns the rules that give areas to surfaces.
    pub(crate) fn area_rules(&self) -> Result<Arc<AreaRules>> {
        Ok(Arc::new(AreaRules::parse(&self.area)?))
    }

    /// The same as [`Settings::bake_config`], over other defaults.
    pub(crate) fn bake_config_over(&self, defaults: &BakeConfig) -> Result<BakeConfig> {
        let mut config = defaults.clone();
        self.space.set_agent(&mut config.agent);
        set(&mut config.scale.cell_size, self.space.cell_size);
        set(&mut config.scale.level_height, self.space.level_height);
        config.areas = AreaRules::parse(&self.area)?.table().clone();
        if let Some(file) = &self.marks {
            config.marks = marks::read(file, &mut config.areas)?;
        }
        if !self.height_classes.is_empty() {
            config = config.with_height_classes(self.height_classes.clone());
            set(&mut config.agent.height, self.space.agent_height);
        }
        set(&mut config.max_ledge, self.max_ledge);
        config.max_edge_error = self.max_edge_error.or(config.max_edge_error);
        set(&mut config.max_edge_length, self.max_edge_length);
        set(&mut config.max_seam_error, self.max_seam_error);
        let corners = self.corners.map(|corners| match corners {
            Corners::Farthest => CornerChoice::Farthest,
            Corners::FewestNotches => CornerChoice::FewestNotches,
            Corners::ByWidth => CornerChoice::ByWidth,
        });
        set(&mut config.corners, corners);
        set(&mut config.min_region, self.min_region);
        set(&mut config.merge_region, self.merge_region);
        let partition = self.partition.map(|partition| match partition {
            Partition::Monotone => PartitionKind::Monotone,
            Partition::Watershed => PartitionKind::Watershed,
            Partition::Surfaces => PartitionKind::Surfaces,
        });
        set(&mut config.partition, partition);
        set(&mut config.decomposition, self.decomposition.map(Decomposition::kind));
        set(&mut config.enclosed, self.enclosed.map(EnclosedKind::choice));
        set(&mut config.max_vertices, self.max_vertices);
        set(&mut config.max_height_error_levels, self.max_height_error);
        set(&mut config.height_detail, self.height_detail);
        set(&mut config.threads, self.threads);
        let bytes = self.max_memory.map(|mebibytes| mebibytes.saturating_mul(1 << 20));
        set(&mut config.max_memory_bytes, bytes);
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_set_keeps_its_default() {
        let settings = Settings {
            space: Space { cell_size: Some(0.2), agent_radius: Some(0.4), ..Space::default() },
            max_ledge: Some(1.2),
            corners: Some(Corners::FewestNotches),
            ..Settings::default()
        };
        assert_eq!(
            settings.bake_config().expect("no rules and no marks"),
            BakeConfig::default()
                .with_scale(0.2, 0.2)
                .with_agent(Agent::default().with_radius(0.4))
                .with_max_ledge(1.2)
                .with_corners(CornerChoice::FewestNotches)
        );
    }

    /// Settings that other languages name are arguments here, so that their files can be read.
    #[test]
    fn every_named_setting_is_an_argument() {
        use clap::CommandFactory;
        use waymesh::fields::{BAKE, Field, JUMPS, PLANS, SLICES, STOREYS, TILES};

        fn missing<T>(command: &str, fields: &[Field<T>]) -> Vec<String> {
            let program = crate::args::Program::command();
            let command = program.find_subcommand(command).expect("a command");
            let has = |name: &str| command.get_arguments().any(|argument| argument.get_long() == Some(name));
            let names = fields.iter().filter_map(|field| field.argument).map(|name| name.replace('_', "-"));
            names.filter(|name| !has(name)).collect()
        }
        let none: [String; 0] = [];
        assert_eq!(missing("build", BAKE), none);
        assert_eq!(missing("build", JUMPS), none);
        assert_eq!(missing("build", TILES), none);
        assert_eq!(missing("build", STOREYS), none);
        assert_eq!(missing("build", SLICES), none);
        assert_eq!(missing("plan", PLANS), none);
    }
}
