//! `waymesh tile`, `waymesh merge`, and what `waymesh build` shares with them.

use std::io::Write;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use waymesh::fields::BAKE;
use waymesh::front::{TileManifest, tile_note};
use waymesh::graph::MeshFormat;
use waymesh::io::SceneSource;
use waymesh::tile::TileError;
use waymesh::{BakeConfig, BakeError, Baker, TriangleSource, Voxels};

use crate::args::{MergeArgs, Settings, TileArgs, Tiles};
use crate::progress::Progress;
use crate::refusal::Refusal;
use crate::values::Memory;
use crate::{build, files, marks, output};

impl Tiles {
    /// Returns the front end of voxels. The settings are stored in the folder of the tiles.
    pub(crate) fn front(&self, settings: &Settings) -> Result<Voxels> {
        let mut noted = settings.clone();
        // Standard input can be read once only.
        if let (Some(file), Some(_)) = (&settings.marks, &self.tiles)
            && !files::is_standard(file)
        {
            (noted.mark, noted.marks) = (marks::stored(file)?, None);
        }
        let note = toml::to_string(&noted).context("cannot write the settings down")?;
        let mut front = Voxels::default().with_tile_cells(self.tile.unwrap_or(0)).with_note(note);
        front.folder.clone_from(&self.tiles);
        front.update = self.update;
        front.spill_folder.clone_from(&self.spill);
        Ok(front)
    }

    /// Checks the folders before the work.
    pub(crate) fn check_folders(&self) -> Result<()> {
        let folders = [("--tiles", &self.tiles), ("--spill", &self.spill)];
        let given = folders.iter().filter_map(|(option, folder)| Some((*option, folder.as_ref()?)));
        given.into_iter().try_for_each(|(option, folder)| files::check_folder(option, folder))
    }

    /// Returns the memory to work in: the requested amount, or a quarter of the memory of the machine
    /// or the container.
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
            let container = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
            system.total_memory().min(container) / 4
        }
    }
}

pub(crate) fn tile(args: TileArgs, json: bool) -> Result<()> {
    let inputs = args.scenes.inputs()?;
    args.tiles.check_folders()?;
    let (rules, space) = (args.settings.area_rules()?, &args.settings.space);
    let source = SceneSource::open(&inputs.files, &space.load_options()?, Some(&rules.map()))?;
    let settings = &args.settings.with_automatic_cells(source.as_soup())?;
    let config = settings
        .bake_config(&BakeConfig::default())?
        .with_max_memory_bytes(args.tiles.memory_bytes(settings));
    let baker = Baker::new(args.tiles.front(settings)?, config);
    if args.list {
        return list(&baker.manifest(&source)?, json);
    }
    let mut progress = Progress::of_scene(source.options());
    let built = match (args.at, args.index, args.of) {
        (Some(at), ..) => baker.bake_tile(&source, at.0, &mut progress).map(|file| vec![file]),
        (None, index, of) => baker.bake_share(&source, index.unwrap_or(0), of.unwrap_or(1), &mut progress),
    };
    drop(progress);
    let hint = |error| match error {
        BakeError::Tile(TileError::NoFolder) => {
            anyhow::Error::new(error).context("give the folder with --tiles")
        }
        _ => error.into(),
    };
    files::list(&built.map_err(hint)?, json)
}

/// Prints all tiles, a line each.
fn list(manifest: &TileManifest, json: bool) -> Result<()> {
    let mut out = files::stdout();
    if json {
        return files::write_json(&mut out, manifest);
    }
    let TileManifest { fingerprint, columns, rows, tile_cells, .. } = manifest;
    writeln!(out, "{columns} x {rows} tiles of {tile_cells} cells, fingerprint {fingerprint}")?;
    for tile in &manifest.tiles {
        let state = if tile.is_done { "done" } else { "missing" };
        writeln!(out, "{},{} {} {state}", tile.column, tile.row, tile.file)?;
    }
    Ok(())
}

pub(crate) fn merge(args: &MergeArgs, json: bool) -> Result<()> {
    files::mesh_format(&args.output, MeshFormat::Exchange)?;
    output::check(&args.output, &args.extras, &args.scene)?;
    if args.wait.unwrap_or(0) == 0 && !args.folder.is_dir() {
        let folder = args.folder.display();
        let why = "there is no such folder; `waymesh tile --tiles FOLDER` makes one";
        bail!(Refusal(format!("{folder}: {why}")));
    }
    let patience = Duration::from_secs(args.wait.unwrap_or(0).into());
    let note = tile_note(&args.folder, patience, &mut Progress::new())?;
    let settings: Settings = toml::from_str(&note)
        .with_context(|| format!("the settings kept in {} cannot be read", args.folder.display()))?;
    let mut config = settings
        .bake_config(&BakeConfig::default())?
        .with_max_memory_bytes(memory_bytes(args.memory, &settings));
    args.enclosed.apply(BAKE, &mut config)?;
    config.keep = args.kept.keep();
    config.jumps = args.jumps.config()?;
    let rules = settings.area_rules()?;
    let areas = rules.map();
    let scene = match args.scene.as_slice() {
        [] => None,
        files => Some(SceneSource::open(files, &settings.space.load_options()?, Some(&areas))?),
    };
    let scene = scene.as_ref().map(|scene| -> &dyn TriangleSource { scene });
    let baker = Baker::new(Voxels::default().with_patience(patience), config);
    let bake = baker.merge_tiles(&args.folder, scene, &mut Progress::new())?;
    build::write(&build::measured(bake), args.output.clone(), &args.extras, json)
}
