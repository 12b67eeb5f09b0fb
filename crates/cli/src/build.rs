//! `waymesh build`: bakes scene files.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use waymesh::bake::{FrontEnd, IslandReport, RadiusReport};
use waymesh::core::counted;
use waymesh::fields::{JUMPS, SLICES, STOREYS, named_radius};
use waymesh::graph::MeshFormat;
use waymesh::io::{AreaRules, LoadOptions, SceneSource};
use waymesh::{
    Bake, BakeConfig, BakeError, Baker, JumpConfig, Keep, Report, Slices, Storeys, TriangleSource, Voxels,
};

use crate::args::{BuildArgs, Extras, Jumps, Kept, PipelineKind, Settings};
use crate::files::Inputs;
use crate::progress::Progress;
use crate::refusal::Refusal;
use crate::values::{KeepKind, Memory, place_text};
use crate::{files, output, peak_memory_bytes};

pub(crate) fn run(args: BuildArgs, json: bool) -> Result<()> {
    let settings = &args.settings;
    let inputs = args.scenes.inputs()?;
    let scenes = &inputs.files;
    let mesh_file = output_file(args.output.as_ref(), &inputs)?;
    output::check(&mesh_file, &args.extras, scenes)?;
    args.tiles.check_folders()?;
    let pipeline = args.pipeline.unwrap_or(PipelineKind::Voxels);
    refuse_others(&args, pipeline)?;
    #[cfg(feature = "gpu")]
    if args.device.is_given() && pipeline == PipelineKind::Slices {
        anyhow::bail!(Refusal("--device needs --pipeline voxels or storeys".to_owned()));
    }
    let (load_options, rules) = (settings.space.load_options()?, settings.area_rules()?);
    let source = SceneSource::open(scenes, &load_options, Some(&rules.map()))?;
    let bake = match pipeline {
        PipelineKind::Voxels => {
            let settings = &settings.with_automatic_cells(source.as_soup())?;
            let baker = Baker::voxels().with_front(args.tiles.front(settings)?);
            let baker = baker.max_memory_bytes(args.tiles.memory_bytes(settings));
            #[cfg(feature = "gpu")]
            let baker = args.device.set(baker)?;
            args.bake(settings, baker, &source)
        }
        PipelineKind::Slices => {
            let mut front = Slices::default();
            args.front.apply(SLICES, &mut front)?;
            front.tile_cells = args.tiles.tile.unwrap_or(front.tile_cells);
            args.bake(settings, Baker::slices().with_front(front), &source)
        }
        PipelineKind::Storeys => {
            let mut front = Storeys::default();
            args.front.apply(STOREYS, &mut front)?;
            front.tile_cells = args.tiles.tile.unwrap_or(front.tile_cells);
            let baker = Baker::storeys().with_front(front);
            #[cfg(feature = "gpu")]
            let baker = args.device.set_for_storeys(baker)?;
            args.bake(settings, baker, &source)
        }
    };
    // A large file is read during the bake.
    warn_of_unmatched(&rules);
    let bake = bake?;
    write_summed_up(&bake, mesh_file, &args.extras, json, |out| {
        summary(&mut *out, &bake.report)?;
        name_pictures(out, scenes)
    })
}

/// Prints for each picture that it was read as heights: a floor plan may have been meant.
fn name_pictures(out: &mut dyn Write, scenes: &[PathBuf]) -> std::io::Result<()> {
    let is_picture =
        |file: &&PathBuf| file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
    scenes.iter().filter(is_picture).try_for_each(|file| {
        let file = file.display();
        let line = format!(
            "{file} was read as a height map, in which light is high; for a floor plan, in which light is free, use: \
             waymesh plan {file}"
        );
        advise(&mut *out, &line)
    })
}

/// Prints a line of advice, which is also a warning where nothing else is printed.
fn advise(mut out: impl Write, line: &str) -> std::io::Result<()> {
    if files::is_quiet() {
        tracing::warn!("{line}");
    }
    writeln!(out, "  {line}")
}

/// Warns of rules that matched no surface or layer of what was read.
pub(crate) fn warn_of_unmatched(rules: &AreaRules) {
    for pattern in rules.unmatched() {
        tracing::warn!("--area: nothing is named {pattern}");
    }
}

impl BuildArgs {
    /// Bakes a scene with all settings.
    fn bake<F: FrontEnd<Input = dyn TriangleSource>>(
        &self,
        settings: &Settings,
        baker: Baker<F>,
        source: &SceneSource,
    ) -> Result<Bake> {
        let mut config = self.bake_config(settings, baker.config())?;
        if settings.space.given.text("agent_radius").is_none() {
            let named = config.agent.radius;
            config.agent.radius = named_radius::<F>(named);
            if config.agent.radius < named {
                tracing::warn!(
                    "{} are baked for a radius of {} m: the agent's {named} m are for paths (--radius)",
                    F::NAME,
                    config.agent.radius
                );
            }
        }
        bake(&baker.with_config(config), source, &source.options())
    }

    /// Returns all settings of the bake. Those that are not given keep the front end's defaults.
    fn bake_config(&self, settings: &Settings, defaults: &BakeConfig) -> Result<BakeConfig> {
        let mut config = settings.bake_config(defaults)?.with_validate_stages(self.check);
        if let Some(Memory(bytes)) = self.tiles.memory {
            config.max_memory_bytes = bytes;
        }
        config.jumps = self.jumps.config()?;
        config.keep = self.kept.keep();
        Ok(config)
    }
}

/// Refuses settings of other pipelines.
fn refuse_others(args: &BuildArgs, pipeline: PipelineKind) -> Result<()> {
    let front = &args.front;
    let given = |owner, name, option: Option<&str>| {
        let option = option.filter(|_| owner != pipeline)?.replace('_', "-");
        Some(Refusal(format!("--{option} needs --pipeline {name}")))
    };
    let slices = SLICES.iter().find(|field| front.has(field)).and_then(|field| field.argument);
    let storeys = STOREYS.iter().find(|field| front.has(field)).and_then(|field| field.argument);
    let refused = given(PipelineKind::Slices, Slices::NAME, slices)
        .or_else(|| given(PipelineKind::Storeys, Storeys::NAME, storeys));
    if let Some(refusal) = refused {
        return Err(refusal.into());
    }
    let front_end = match pipeline {
        PipelineKind::Voxels => return Ok(()),
        PipelineKind::Slices => Slices::NAME,
        PipelineKind::Storeys => Storeys::NAME,
    };
    let folders = [("--tiles", &args.tiles.tiles), ("--spill", &args.tiles.spill)];
    match folders.into_iter().find(|(_, folder)| folder.is_some()) {
        Some((option, _)) => {
            let reason = "its tiles are kept in memory";
            Err(BakeError::OptionNotSupported { option, front_end, reason }.into())
        }
        None => Ok(()),
    }
}

impl Kept {
    /// Returns which ground is kept.
    pub(crate) fn keep(&self) -> Keep {
        match self.keep {
            Some(KeepKind::Largest) => Keep::Largest,
            Some(KeepKind::LargerThan(area)) => Keep::LargerThan(area),
            _ if self.seed.is_empty() => Keep::All,
            _ => Keep::ConnectedTo(self.seed.iter().map(|seed| seed.0).collect()),
        }
    }
}

impl Jumps {
    /// Returns which jumps and drops to look for, if any.
    pub(crate) fn config(&self) -> Result<Option<JumpConfig>> {
        let mut config = JumpConfig::default();
        self.given.apply(JUMPS, &mut config)?;
        Ok(self.jumps.then_some(config))
    }
}

/// Writes the mesh and the requested files, and prints a summary.
pub(crate) fn write(bake: &Bake, mesh_file: PathBuf, extras: &Extras, json: bool) -> Result<()> {
    write_summed_up(bake, mesh_file, extras, json, |out| summary(out, &bake.report))
}

/// Writes the mesh and the requested files as [`write`] does, and prints `summary`.
pub(crate) fn write_summed_up(
    bake: &Bake,
    mesh_file: PathBuf,
    extras: &Extras,
    json: bool,
    summary: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    let mut out = files::console(extras.files().chain([&mesh_file]))?;
    let format = files::mesh_format(&mesh_file, MeshFormat::Exchange)?;
    let bytes = files::mesh_bytes(&bake.mesh, format, &mesh_file)?;
    files::write(&mesh_file, |writer| writer.write_all(&bytes))?;
    let mut files = vec![mesh_file];
    files.extend(output::write(&bake.mesh, &bake.report, extras)?);
    if json {
        return files::write_json(&mut out, &bake.report);
    }
    summary(&mut out).context("cannot print")?;
    files::list_lines(&mut out, &files)
}

/// Bakes and shows the progress on a terminal. Warnings name the options that `load` was made of.
pub(crate) fn bake<F: FrontEnd>(baker: &Baker<F>, input: &F::Input, load: &LoadOptions) -> Result<Bake> {
    Ok(measured(baker.bake_observed(input, &mut Progress::of_scene(*load))?))
}

/// Adds the peak of the memory to the report, which only the program can measure.
pub(crate) fn measured(mut bake: Bake) -> Bake {
    bake.report.peak_memory_bytes = Some(peak_memory_bytes());
    bake
}

/// Returns the file that the mesh goes to: `output`, or the first input's name with the ending
/// `.wmesh`, in the current folder. Refuses an unknown ending before anything is baked.
pub(crate) fn output_file(output: Option<&PathBuf>, inputs: &Inputs) -> Result<PathBuf> {
    let first = inputs.files[0].file_name().unwrap_or_default();
    let file = output.cloned().unwrap_or_else(|| Path::new(first).with_extension("wmesh"));
    files::mesh_format(&file, MeshFormat::Exchange)?;
    Ok(file)
}

/// Returns the number of islands, and the number that links leave if it is another one.
pub(crate) fn islands(islands: &[IslandReport]) -> String {
    let (count, pieces) = (islands.len(), IslandReport::pieces(islands).len());
    let islands = counted(count as u64, "island");
    if pieces == count { islands } else { format!("{islands} ({pieces} over links)") }
}

/// Prints the most important figures of a bake, and advice.
pub(crate) fn summary(mut out: impl Write, report: &Report) -> std::io::Result<()> {
    writeln!(
        out,
        "{}, grid {} x {} of {} m, {} on {}, {:.1} m2, {}, {:.0} ms",
        counted(report.triangles, "triangle"),
        report.grid.width,
        report.grid.depth,
        report.grid.cell_size,
        counted(report.polygons, "polygon"),
        islands(&report.islands),
        report.mesh_area,
        report.height_error_max.map_or_else(
            || "heights at corners only".to_owned(),
            |error| format!("ground at most {error:.2} m off")
        ),
        report.seconds * 1e3
    )?;
    advice(report).iter().take(MAX_ADVICE_LINES).try_for_each(|line| advise(&mut out, line))
}

/// Most lines of advice below a summary.
const MAX_ADVICE_LINES: usize = 5;
/// Least share of the ground, inside of solids or outside of the largest piece, worth a line.
const MIN_SHARE: f64 = 0.02;

/// Returns what a person should know of the ground, the most important first.
fn advice(report: &Report) -> Vec<String> {
    let (Some(advice), mut lines) = (report.advice, Vec::new()) else { return Vec::new() };
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let is_apart = advice.largest_share < 1.0 - MIN_SHARE;
    if advice.may_be_roof() {
        lines.push(
            "the largest piece of ground is open to the sky, and other ground lies lower: a roof? --seed X,Y,Z \
             keeps the ground connected to a place inside"
                .to_owned(),
        );
    }
    let pieces = IslandReport::pieces(&report.islands);
    if is_apart {
        let (count, share) = (pieces.len(), percent(advice.largest_share));
        lines
            .push(format!("{count} pieces of ground are not connected; the largest has {share} of the area"));
        lines.extend(smaller_radii(&report.radii));
    }
    if advice.enclosed_share > MIN_SHARE {
        let share = percent(advice.enclosed_share);
        lines.push(format!("{share} of the ground lies inside of closed bodies: if nobody is to walk there, --enclosed remove leaves it out"));
    }
    // Bakes of voxels are what it explains.
    if is_apart
        && report.front_end == Voxels::NAME
        && let [one, other, ..] = &pieces[..]
    {
        let [one, other] = [one, other].map(|piece| place_text(piece.1.place));
        lines.push(format!(
            "`waymesh why` with --at {one} --to {other} explains what keeps the two largest apart"
        ));
    }
    lines
}

/// Returns the number of pieces that smaller radii leave, if it is a smaller one.
fn smaller_radii(radii: &[RadiusReport]) -> Option<String> {
    let (now, smaller) = radii.split_first()?;
    let mut last = now.pieces;
    let mut better = Vec::new();
    for radius in smaller {
        if radius.pieces < last {
            let share = 100.0 * radius.largest_share;
            better.push(format!("{} at {} m (the largest {share:.0} %)", radius.pieces, radius.radius));
            last = radius.pieces;
        }
    }
    if better.is_empty() {
        return None;
    }
    let (radius, pieces) = (now.radius, now.pieces);
    Some(format!("a smaller radius joins some: {pieces} pieces at {radius} m, {}", better.join(", ")))
}
