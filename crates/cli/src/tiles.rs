//! `waymesh tile`, `waymesh merge`, and what `waymesh build` shares with them.

use anyhow::{Context, Result};
use waymesh::front::tile_note;
use waymesh::graph::MeshFormat;
use waymesh::io::SceneSource;
use waymesh::{Baker, Tiles as FrontTiles, TriangleSource};

use crate::args::{EnclosedKind, MergeArgs, Settings, TileArgs, Tiles};
use crate::progress::Progress;
use crate::settings::set;
use crate::values::Memory;
use crate::{build, files};

impl Tiles {
    /// `true` if nothing asks for tiles.
    pub(crate) fn are_untiled(&self) -> bool {
        match self.tile {
            Some(cells) => cells == 0 && self.tiles.is_none(),
            None => self.memory.is_none() && self.tiles.is_none(),
        }
    }

    /// Returns how to cut the world. The settings are stored beside the tiles.
    pub(crate) fn front(&self, settings: &Settings) -> Result<FrontTiles> {
        let mut tiles = FrontTiles::default()
            .with_note(toml::to_string(settings).context("cannot write the settings down")?);
        if let Some(cells) = self.tile {
            tiles = tiles.with_tile_cells(cells);
        }
        tiles.folder.clone_from(&self.tiles);
        tiles.spill_folder.clone_from(&self.spill);
        Ok(tiles)
    }

    /// The memory to work in: what was asked for, or a quarter of the machine.
    pub(crate) fn memory_bytes(&self, settings: &Settings) -> u64 {
        memory_bytes(self.memory, settings)
    }
}

fn memory_bytes(memory: Option<Memory>, settings: &Settings) -> u64 {
    match (memory, settings.max_memory) {
        (Some(Memory(bytes)), _) => bytes,
        (None, Some(mebibytes)) => mebibytes.saturating_mul(1 << 20),
        (None, None) => {
            let mut system = sysinfo::System::new();
            system.refresh_memory();
            system.total_memory() / 4
        }
    }
}

pub(crate) fn tile(args: TileArgs, json: bool) -> Result<()> {
    let settings = &args.settings;
    let inputs = args.scenes.inputs()?;
    let rules = settings.area_rules()?;
    let source = SceneSource::open_with_areas(&inputs.files, &settings.space.load_options(), &rules.map())?;
    let config = settings.bake_config()?.with_max_memory_bytes(args.tiles.memory_bytes(settings));
    let file = Baker::new(args.tiles.front(settings)?, config)
        .bake_tile(&source, args.at.0, &mut Progress::new())
        .context("give the folder with --tiles")?;
    files::list(&[file], json)
}

pub(crate) fn merge(args: &MergeArgs, json: bool) -> Result<()> {
    files::mesh_format(&args.output, MeshFormat::Exchange)?;
    let note = tile_note(&args.folder)?;
    let settings: Settings = toml::from_str(&note)
        .with_context(|| format!("the settings kept in {} cannot be read", args.folder.display()))?;
    let mut config = settings.bake_config()?.with_max_memory_bytes(memory_bytes(args.memory, &settings));
    set(&mut config.enclosed, args.enclosed.map(EnclosedKind::choice));
    config.keep = args.kept.keep();
    config.jumps = args.jumps.config();
    let scene = match args.scene.as_slice() {
        [] => None,
        files => Some(SceneSource::open(files, &settings.space.load_options())?),
    };
    let scene = scene.as_ref().map(|scene| -> &dyn TriangleSource { scene });
    let bake = Baker::tiles().with_config(config).merge_tiles(&args.folder, scene, &mut Progress::new())?;
    build::write(&build::measured(bake), args.output.clone(), &args.extras, json)
}
