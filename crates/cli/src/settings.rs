//! From arguments to the settings of a bake.

use anyhow::Result;
use waymesh::BakeConfig;
use waymesh::fields::{BAKE, LOAD};
use waymesh::io::{AreaRules, LoadOptions, Winding};

use crate::args::{Settings, Space};
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
    /// Returns the settings of the bake. Settings that are not given keep the defaults.
    pub(crate) fn bake_config(&self, defaults: &BakeConfig) -> Result<BakeConfig> {
        let mut config = defaults.clone();
        // The agent's height goes before that of the lowest of several agents.
        self.given.apply(BAKE, &mut config)?;
        self.space.given.apply(BAKE, &mut config)?;
        config.areas = AreaRules::parse(&self.area)?.table().clone();
        if let Some(file) = &self.marks {
            config.marks = marks::read(file, &mut config.areas)?;
        }
        if let Some(mebibytes) = self.max_memory {
            config.max_memory_bytes = mebibytes.saturating_mul(1 << 20);
        }
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
    use waymesh::{Agent, CornerChoice};

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
        settings.bake_config(&BakeConfig::default()).expect("no rules and no marks")
    }

    #[test]
    fn settings_not_given_keep_their_defaults() {
        assert_eq!(config(&["waymesh"]), BakeConfig::default());
        let words = "waymesh --cell-size 0.2 --agent-radius=0.4 --max-ledge 1.2 --corners fewest-notches --max-slope 30 --max-memory 3";
        assert_eq!(
            config(&words.split(' ').collect::<Vec<_>>()),
            BakeConfig::default()
                .with_scale(0.2, 0.2)
                .with_agent(Agent::default().with_radius(0.4).with_max_slope(30_f32.to_radians()))
                .with_max_ledge(1.2)
                .with_corners(CornerChoice::FewestNotches)
                .with_max_memory_bytes(3 << 20)
        );
        let classes = config(&["waymesh", "--height-classes", "1.2,2", "--height-detail", "false"]);
        assert_eq!(classes, BakeConfig::default().with_height_classes([1.2, 2.0]).with_height_detail(false));
    }
}
