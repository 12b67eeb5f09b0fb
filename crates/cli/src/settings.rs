//! From arguments to the settings of a bake.

use std::path::Path;

use anyhow::Result;
use waymesh::core::GridScale;
use waymesh::fields::{BAKE, LOAD};
use waymesh::io::{AreaRules, LoadOptions, Winding};
use waymesh::{Agent, BakeConfig, Baker, TriangleSoup};

use crate::args::{AGENT, Settings, Space};
use crate::marks;

impl Space {
    /// Returns how scene files are read.
    pub(crate) fn load_options(&self) -> Result<LoadOptions> {
        let mut options = LoadOptions::default();
        self.given.apply(LOAD, &mut options)?;
        options.winding = match (self.flip, self.two_sided) {
            (true, _) => Winding::Flipped,
            (_, true) => Winding::TwoSided,
            _ => Winding::AsRead,
        };
        Ok(options)
    }
}

impl Settings {
    /// Returns these settings with cells and levels that resolve the agent, where none are given; with
    /// a warning if others suit `soup` better ([`Baker::scale_for`]). Cells of the agent `recast` are
    /// those of RecastDemo.
    pub(crate) fn with_automatic_cells(&self, soup: Option<&TriangleSoup>) -> Result<Self> {
        let (mut settings, baker) = (self.clone(), Baker::voxels());
        let config = self.given_over(baker.config())?;
        let (given, mut scale, agent) = (&mut settings.space.given, config.scale, config.agent);
        if given.text("agent") == Some("recast") {
            return Ok(settings);
        }
        if given.text("cell_size").is_none() {
            // Any cell resolves a point; those of the program's agent suit its walls.
            if agent.radius > 0.0 {
                scale = GridScale::for_agent(&agent);
            }
            let usual = scale.cell_size;
            let baker = baker.with_config(config.with_scale(usual, scale.level_height));
            scale = soup.map_or(scale, |soup| baker.scale_for(soup));
            let cells = scale.cell_size;
            if cells > usual {
                tracing::warn!(
                    "cells of {cells} m, since a bake with cells of {usual} m takes more than half a minute: \
                     --cell-size {usual} makes them finer"
                );
            } else if cells < usual {
                tracing::warn!(
                    "cells of {cells} m, since cells of {usual} m lose slopes of the scene: \
                     --cell-size {usual} makes them coarser"
                );
            }
            given.set_default("cell_size", &cells.to_string());
        }
        given.set_default("level_height", &scale.with_levels_for(&agent).level_height.to_string());
        Ok(settings)
    }

    /// Returns the settings of the bake. Settings that are not given keep the defaults, but the agent
    /// is a person where the default is that of RecastDemo.
    pub(crate) fn bake_config(&self, defaults: &BakeConfig) -> Result<BakeConfig> {
        let mut config = self.given_over(defaults)?;
        config.areas = AreaRules::parse(&self.area)?.table().clone();
        if let Some(file) = &self.marks {
            config.marks = marks::read(file, &mut config.areas)?;
        } else {
            config.marks = marks::of(&self.mark, Path::new("the folder of tiles"), &mut config.areas)?;
        }
        if let Some(mebibytes) = self.max_memory {
            config.max_memory_bytes = mebibytes.saturating_mul(1 << 20);
        }
        Ok(config)
    }

    /// Returns the settings of [`Settings::bake_config`] that need no other file.
    fn given_over(&self, defaults: &BakeConfig) -> Result<BakeConfig> {
        let (mut config, mut space) = (defaults.clone(), self.space.given.clone());
        if config.agent == Agent::default() {
            space.set_default("agent", AGENT);
        }
        // The agent's height goes before that of the lowest of several agents.
        self.given.apply(BAKE, &mut config)?;
        space.apply(BAKE, &mut config)?;
        Ok(config)
    }

    /// Returns the rules that give areas to surfaces.
    pub(crate) fn area_rules(&self) -> Result<AreaRules> {
        Ok(AreaRules::parse(&self.area)?)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use waymesh::CornerChoice;
    use waymesh_testkit::small;

    use super::*;

    #[derive(Debug, Parser)]
    struct Words {
        #[command(flatten)]
        settings: Settings,
    }

    fn config(words: &[&str]) -> BakeConfig {
        let words = Words::try_parse_from(words).expect("arguments");
        // Written and read again, as in a folder of tiles.
        let text = toml::to_string(&words.settings).expect("TOML");
        let settings: Settings = toml::from_str(&text).expect("settings");
        let settings = settings.with_automatic_cells(None).expect("no rules and no marks");
        settings.bake_config(&BakeConfig::default()).expect("no rules and no marks")
    }

    #[test]
    fn settings_not_given_keep_their_defaults() {
        let agent = Agent::named("person").expect("an agent");
        let person = BakeConfig::default().with_agent(agent);
        assert_eq!(config(&["waymesh"]), person.clone().with_scale(0.1, 0.05));
        assert_eq!(config(&["waymesh", "--agent", "recast"]), BakeConfig::default());
        let words = "waymesh --cell-size 0.2 --agent-radius=0.4 --max-ledge 1.2 --corners fewest-notches --max-slope 30 --max-memory 3";
        assert_eq!(
            config(&words.split(' ').collect::<Vec<_>>()),
            person
                .clone()
                .with_scale(0.2, 0.1)
                .with_agent(agent.with_radius(0.4).with_max_slope(30_f32.to_radians()))
                .with_max_ledge(1.2)
                .with_corners(CornerChoice::FewestNotches)
                .with_max_memory_bytes(3 << 20)
        );
        let classes = config(&["waymesh", "--height-classes", "1.2,2", "--height-detail", "false"]);
        let person = person.with_scale(0.1, 0.05);
        assert_eq!(classes, person.clone().with_height_classes([1.2, 2.0]).with_height_detail(false));
        // Cells follow the agent, levels the cells and the step.
        let robot =
            config(&["waymesh", "--agent-radius", "0.2", "--max-step", "0.05", "--cell-size", "auto"]);
        let agent = agent.with_radius(0.2).with_max_step(0.05);
        assert_eq!(robot, person.clone().with_agent(agent).with_scale(0.07, 0.02));
        let point = config(&["waymesh", "--agent-radius", "0"]);
        assert_eq!(point.scale, person.scale);
    }

    #[test]
    fn cells_follow_the_size_and_the_slopes_of_a_scene() {
        let given = |soup: &TriangleSoup, words: &[&str]| {
            let words = Words::try_parse_from(words).expect("arguments").settings;
            let settings = words.with_automatic_cells(Some(soup)).expect("no rules and no marks");
            settings.bake_config(&BakeConfig::default()).expect("no rules and no marks").scale
        };
        let [flat, slope] = [0.0, 30_f32.to_radians().tan()].map(|rise| small::slope(4000.0, rise));
        let coarse = given(&flat, &["waymesh"]);
        assert!(coarse.cell_size > 0.24 && coarse.cell_size < 0.4, "{coarse:?}");
        let baker = Baker::voxels().cell_size(coarse.cell_size).level_height(coarse.level_height);
        assert_eq!(baker.scale_for(&flat), coarse, "{coarse:?}");
        assert_eq!(given(&flat, &["waymesh", "--cell-size", "0.1"]), GridScale::new(0.1, 0.05));
        // No coarser: over two cells the slope rises by 2.45 levels, and the step is three.
        assert_eq!(given(&slope, &["waymesh"]), GridScale::new(0.17, 0.08));
        // Nobody walks on it.
        assert_eq!(given(&slope, &["waymesh", "--max-slope", "20"]), coarse);
        // Finer for a ramp of which cells of 0.13 m lose ground, unless that takes too long.
        let wheelchair = |side, rise| given(&small::slope(side, rise), &["waymesh", "--agent", "wheelchair"]);
        assert_eq!(wheelchair(40.0, 1.0 / 20.0), GridScale::new(0.13, 0.01));
        assert_eq!(wheelchair(40.0, 1.0 / 12.0), GridScale::new(0.12, 0.01));
        assert_eq!(wheelchair(1800.0, 1.0 / 12.0), GridScale::new(0.13, 0.01));
    }
}
