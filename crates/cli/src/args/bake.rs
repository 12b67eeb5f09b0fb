//! Arguments of the commands that bake.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::Scenes;
use super::fields::{BakeGroup, EnclosedGroup, FrontGroup, Given, JumpGroup, PlanGroup, SpaceGroup};
use crate::picture::Pictures;
use crate::values::{KeepKind, Memory, Point, TileAt};

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    pub(crate) scenes: Scenes,
    /// File of the mesh; its ending selects the format: .wmesh to keep it, .wmrun to ship it,
    /// .navmesh for Detour. `-` is standard output, as .wmesh. Default: the first scene's name with
    /// the ending .wmesh, in the current folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Front end that makes the mesh. Default: voxels.
    #[arg(long, value_name = "KIND")]
    pub(crate) pipeline: Option<PipelineKind>,
    #[command(flatten)]
    pub(crate) front: Given<FrontGroup>,
    #[command(flatten, next_help_heading = "Ground, regions and polygons")]
    pub(crate) kept: Kept,
    #[command(flatten, next_help_heading = "Links")]
    pub(crate) jumps: Jumps,
    #[command(flatten, next_help_heading = "Tiles and memory")]
    pub(crate) tiles: Tiles,
    #[command(flatten, next_help_heading = "Output")]
    pub(crate) extras: Extras,
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    pub(crate) device: crate::device::DeviceArgs,
    #[cfg(not(feature = "gpu"))]
    #[command(flatten)]
    pub(crate) device: NoDevice,
    /// Check the result of every stage against its invariants.
    #[arg(long, hide_short_help = true)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    #[command(flatten)]
    pub(crate) scenes: Scenes,
    /// The place to explain, in metres, y up: as in the mesh.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) at: Point,
    /// Another place, to explain why no path leads there.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) to: Option<Point>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(flatten, next_help_heading = "Ground, regions and polygons")]
    pub(crate) kept: Kept,
    #[command(flatten, next_help_heading = "Links")]
    pub(crate) jumps: Jumps,
}

/// Options of the feature `gpu` in a program without it, so that they are refused by name.
#[cfg(not(feature = "gpu"))]
#[derive(Debug, Args)]
pub(crate) struct NoDevice {
    /// The device that makes voxels and depth maps.
    #[arg(long, value_name = "DEVICE", hide = true, value_parser = cpu_only)]
    device: Option<String>,
    /// A part of the name of the graphics card.
    #[arg(long, value_name = "NAME", hide = true, value_parser = cpu_only)]
    adapter: Option<String>,
}

#[cfg(not(feature = "gpu"))]
fn cpu_only(text: &str) -> Result<String, String> {
    if text == "cpu" {
        return Ok(text.to_owned());
    }
    Err("this program was built without the feature `gpu`; `cargo install waymesh-cli --features gpu` has it"
        .to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Floor plan files, which make one plan together; storeys of the same name become one. `-` is
    /// standard input.
    #[arg(required_unless_present = "example", value_name = "PLAN")]
    pub(crate) plans: Vec<PathBuf>,
    /// Format of standard input.
    #[arg(long, value_name = "FORMAT", value_parser = ["toml", "geojson", "wkt", "svg", "dxf", "yaml", "pgm", "png", "map", "osm"])]
    pub(crate) format: Option<String>,
    /// Write an example of a plan in TOML, and nothing else.
    #[arg(long, value_name = "FILE", exclusive = true)]
    pub(crate) example: Option<PathBuf>,
    /// File of the mesh; its ending selects the format: .wmesh to keep it, .wmrun to ship it,
    /// .navmesh for Detour. `-` is standard output, as .wmesh. Default: the first plan's name with
    /// the ending .wmesh, in the current folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) given: Given<PlanGroup>,
    /// Areas of layers of DXF files and of the terrains of MovingAI maps, by their names:
    /// PATTERN=NAME[:COST] or PATTERN=blocked, as of `waymesh build`. Other files name areas
    /// themselves.
    #[arg(long, value_name = "RULE")]
    pub(crate) area: Vec<String>,
    /// Volumes that give the ground of the storeys in them another area or cut it out, in TOML, as
    /// of `waymesh build`.
    #[arg(long, value_name = "FILE")]
    pub(crate) marks: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Ground, regions and polygons")]
    pub(crate) kept: Kept,
    #[command(flatten, next_help_heading = "Output")]
    pub(crate) extras: Extras,
    /// Check the result of every stage against its invariants.
    #[arg(long, hide_short_help = true)]
    pub(crate) check: bool,
}

/// Selection of the ground to keep.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Kept {
    /// A walkable place; may be given several times. Only ground connected to one of them is kept.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) seed: Vec<Point>,
    /// Ground that is kept without seeds: `all`, the `largest` piece, or the pieces of at least so
    /// many square metres. Links of all kinds join pieces. Default: all.
    #[arg(long, value_name = "all|largest|AREA", conflicts_with = "seed")]
    pub(crate) keep: Option<KeepKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PipelineKind {
    /// Voxels, regions and contours.
    Voxels,
    /// Slices: a region per tread or slope, links at stairs, nothing eroded, exact borders. Cells
    /// of 0.05 m and levels of 0.02 m by default.
    Slices,
    /// Rough layers with fine depth maps: exact borders. Cells and levels of 0.1 m by default.
    Storeys,
}

/// Division of a scene into tiles.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Tiles {
    /// Side of a tile in cells, 0 to bake the whole scene at once, or in tiles of 256 if a folder is
    /// given or the scene may not fit into memory. The mesh does not depend on it. Default: 0.
    #[arg(long, value_name = "CELLS", hide_short_help = true)]
    pub(crate) tile: Option<u32>,
    /// Memory to work in, such as 2GiB or 800MB, without the result. Overrides --max-memory.
    /// Default for voxels: a quarter of the machine's or the container's.
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    pub(crate) memory: Option<Memory>,
    /// Folder for finished tiles: a bake that was stopped continues from there. Voxels only.
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub(crate) tiles: Option<PathBuf>,
    /// The folder of --tiles may hold tiles of an earlier state of the scene: those that did not
    /// change are kept, the others are built again.
    #[arg(long, requires = "tiles", hide_short_help = true)]
    pub(crate) update: bool,
    /// Folder for triangles that do not fit in memory. Voxels only. Default: the system's folder
    /// for temporary files.
    #[arg(long, value_name = "FOLDER", hide_short_help = true)]
    pub(crate) spill: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("which").required(true).args(["at", "index", "list"])))]
pub(crate) struct TileArgs {
    // The whole scene, so that every machine computes the same grid.
    #[command(flatten)]
    pub(crate) scenes: Scenes,
    /// Column and row of the one tile to build, from 0,0.
    #[arg(long, value_name = "I,J")]
    pub(crate) at: Option<TileAt>,
    /// Build the tiles of this worker, from 0: every tile belongs to one worker, whatever their
    /// number. Tiles that the folder has are not built again.
    #[arg(long, value_name = "INDEX", requires = "of")]
    pub(crate) index: Option<u32>,
    /// Number of workers that share the tiles.
    #[arg(long, value_name = "COUNT", requires = "index")]
    pub(crate) of: Option<u32>,
    /// Build nothing: print all tiles, and whether the folder has them.
    #[arg(long)]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(flatten, next_help_heading = "Tiles and memory")]
    pub(crate) tiles: Tiles,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Folder of finished tiles, with the settings they were built with.
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// File of the mesh; its ending selects the format: .wmesh, .wmrun or .navmesh. `-` is standard
    /// output, as .wmesh.
    #[arg(short, long, value_name = "FILE", default_value = "merged.wmesh")]
    pub(crate) output: PathBuf,
    /// Memory to work in, such as 2GiB or 800MiB. Default: a quarter of the machine's or the
    /// container's.
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    pub(crate) memory: Option<Memory>,
    /// Wait for missing tiles, and read them as they arrive, until none has arrived for this time in
    /// seconds. Default: 0, missing tiles are refused at once.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) wait: Option<u32>,
    /// The scene that the tiles were built of: --jumps and --enclosed need its triangles.
    #[arg(long, value_name = "SCENE")]
    pub(crate) scene: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) enclosed: Given<EnclosedGroup>,
    #[command(flatten, next_help_heading = "Ground, regions and polygons")]
    pub(crate) kept: Kept,
    #[command(flatten, next_help_heading = "Links")]
    pub(crate) jumps: Jumps,
    #[command(flatten, next_help_heading = "Output")]
    pub(crate) extras: Extras,
}

/// Links over gaps and down from edges.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Jumps {
    /// Look for jumps and drops along all borders, and add those that are free of obstacles as
    /// links.
    #[arg(long)]
    pub(crate) jumps: bool,
    #[command(flatten)]
    pub(crate) given: Given<JumpGroup>,
}

/// Additional files to write.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Extras {
    #[command(flatten)]
    pub(crate) pictures: Pictures,
    /// Write the polygons as a GLB model.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) glb: Option<PathBuf>,
    /// Write the polygons as OBJ, one face per polygon.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) obj: Option<PathBuf>,
    /// Write the height surface as OBJ triangles.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) detail_obj: Option<PathBuf>,
    /// Write the figures of the bake as JSON.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) report: Option<PathBuf>,
}

impl Extras {
    /// Returns the requested files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let others = [&self.glb, &self.obj, &self.detail_obj, &self.report];
        self.pictures.files().chain(others.into_iter().flatten())
    }
}

/// Units and axes of files, the grid, and the agent.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct Space {
    /// Turns all triangles over: their lower sides become floors.
    #[arg(long, conflicts_with = "two_sided", hide_short_help = true)]
    pub(crate) flip: bool,
    /// Takes both sides of every triangle for floors: those that face down are turned over.
    #[arg(long)]
    pub(crate) two_sided: bool,
    #[command(flatten)]
    pub(crate) given: Given<SpaceGroup>,
}

/// Settings of a bake. They are stored in the folder of finished tiles.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct Settings {
    /// Areas of surfaces: PATTERN=NAME[:COST], or PATTERN=blocked where nobody walks. The
    /// pattern (with * and ?, in any case of letters) matches the name of a material, group,
    /// object, node or file, or the text at `waymesh_area` in the extras of a glTF file. COST is
    /// that of a metre. Of several rules the first that matches counts.
    #[arg(long, value_name = "RULE")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) area: Vec<String>,
    /// Volumes that give the ground in them another area, or cut it out: a TOML file of `[[mark]]`
    /// with `area = "NAME[:COST]"` or `"blocked"`, and one of `box`, `cylinder`, `prism` and
    /// `mesh`, the inside of a closed mesh. They may also be in the file of --config.
    #[arg(long, value_name = "FILE")]
    pub(crate) marks: Option<PathBuf>,
    /// The marks of that file, in the folder of finished tiles: a merge may run elsewhere.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) mark: Vec<toml::Value>,
    /// Memory to work in, in MiB. Voxels are baked in tiles where it may not suffice for the whole
    /// scene. Default for voxels: a quarter of the machine's; for others: 2048.
    #[arg(long, value_name = "MIB", hide_short_help = true)]
    pub(crate) max_memory: Option<u64>,
    #[command(flatten)]
    pub(crate) space: Space,
    #[command(flatten)]
    pub(crate) given: Given<BakeGroup>,
}
