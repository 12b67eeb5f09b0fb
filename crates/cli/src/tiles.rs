//! `waymesh tile`, `waymesh merge`, and what `waymesh build` shares with them.

use anyhow::{Context, Result};
use waymesh::io::SceneSource;
use waymesh::{Pipeline, TileConfig, tile_note};

use crate::args::{MergeArgs, Settings, TileArgs, Tiles};
use crate::progress::Progress;
use crate::values::Memory;
use crate::{build, files, settings};

impl Tiles {
    /// Whether nothing asks for tiles.
    pub(crate) fn are_untiled(&self) -> bool {
        match self.tile {
            Some(cells) => cells == 0 && self.tiles.is_none(),
            None => self.memory.is_none() && self.tiles.is_none(),
        }
    }

    /// How to cut; the settings are kept beside the tiles.
    pub(crate) fn config(&self, settings: &Settings) -> Result<TileConfig> {
        let mut config = TileConfig::default()
            .with_memory_bytes(memory_bytes(self.memory))
            .with_note(toml::to_string(settings).context("cannot write the settings down")?);
        if let Some(cells) = self.tile {
            config = config.with_tile_cells(cells);
        }
        config.folder.clone_from(&self.tiles);
        config.spill_folder.clone_from(&self.spill);
        Ok(config)
    }
}

/// What was asked for, or a quarter of the machine.
fn memory_bytes(memory: Option<Memory>) -> u64 {
    memory.map_or_else(
        || {
            let mut system = sysinfo::System::new();
            system.refresh_memory();
            system.total_memory() / 4
        },
        |Memory(bytes)| bytes,
    )
}

pub(crate) fn tile(args: TileArgs, json: bool) -> Result<()> {
    let settings = match &args.config {
        Some(file) => args.settings.or(settings::read(file)?),
        None => args.settings,
    };
    let inputs = args.scenes.inputs()?;
    let source = SceneSource::open(&inputs.files, &settings::load_options(settings.up, settings.scale))?;
    let pipeline = Pipeline::new(settings.bake_config());
    let tiles = args.tiles.config(&settings)?;
    let file = pipeline
        .bake_tile(&source, &tiles, args.at.0, &mut Progress::new())
        .context("give the folder with --tiles")?;
    files::list(&[file], json)
}

pub(crate) fn merge(args: &MergeArgs, json: bool) -> Result<()> {
    let note = tile_note(&args.folder)?;
    let settings: Settings = toml::from_str(&note)
        .with_context(|| format!("the settings kept in {} cannot be read", args.folder.display()))?;
    let pipeline = Pipeline::new(settings.bake_config());
    let bake = pipeline.merge_tiles(&args.folder, memory_bytes(args.memory), &mut Progress::new())?;
    build::write(&build::measured(bake), args.output.clone(), &args.extras, json)
}
