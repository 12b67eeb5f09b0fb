//! Arguments of the commands that bake.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::Scenes;
use crate::values::{KeepKind, Memory, Origin, Point, TileAt};

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    pub(crate) scenes: Scenes,
    /// Where the mesh goes; the ending tells the format: .wmesh to keep it, .wmrun to ship it,
    /// .navmesh for Detour. `-` is standard output, as .wmesh. Default: the first scene's name with
    /// the ending .wmesh, in the current folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// How the mesh is made. Default: voxels.
    #[arg(long, value_name = "KIND")]
    pub(crate) pipeline: Option<PipelineKind>,
    #[command(flatten)]
    pub(crate) front: FrontSettings,
    #[command(flatten)]
    pub(crate) kept: Kept,
    #[command(flatten)]
    pub(crate) jumps: Jumps,
    #[command(flatten)]
    pub(crate) tiles: Tiles,
    #[command(flatten)]
    pub(crate) extras: Extras,
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    pub(crate) device: crate::device::DeviceArgs,
    #[cfg(not(feature = "gpu"))]
    #[command(flatten)]
    pub(crate) device: NoDevice,
    /// Check the result of every stage against its invariants.
    #[arg(long)]
    pub(crate) check: bool,
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
    #[arg(long, value_name = "FORMAT", value_parser = ["toml", "geojson", "wkt", "svg", "dxf"])]
    pub(crate) format: Option<String>,
    /// Write an example of a plan in TOML, and nothing else.
    #[arg(long, value_name = "FILE", exclusive = true)]
    pub(crate) example: Option<PathBuf>,
    /// Where the mesh goes; the ending tells the format: .wmesh to keep it, .wmrun to ship it,
    /// .navmesh for Detour. `-` is standard output, as .wmesh. Default: the first plan's name with
    /// the ending .wmesh, in the current folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Metres per unit of the files; plans in TOML are in metres. Default: 1.
    #[arg(long, value_name = "METRES")]
    pub(crate) scale: Option<f64>,
    /// Storey of shapes that name none. Default: 0.
    #[arg(long, value_name = "NAME")]
    pub(crate) storey: Option<String>,
    /// Height of that storey in metres. Default: 0.
    #[arg(long, value_name = "METRES")]
    pub(crate) elevation: Option<f64>,
    /// Thickness of walls that have none of their own, in metres. Default: 0.1.
    #[arg(long, value_name = "METRES")]
    pub(crate) wall_width: Option<f64>,
    /// Radius of the agent in metres. Default: the plan's, or 0.3.
    #[arg(long, value_name = "METRES")]
    pub(crate) agent_radius: Option<f32>,
    /// Height of the agent in metres. Default: the plan's, or 2.0.
    #[arg(long, value_name = "METRES")]
    pub(crate) agent_height: Option<f32>,
    /// Shape of corners of the ground that keeps the agent's distance. Default: square.
    #[arg(long, value_name = "KIND")]
    pub(crate) join: Option<JoinKind>,
    /// Farthest that a mitred corner may stick out, in radii.
    #[arg(long, value_name = "TIMES", default_value_t = 2.0)]
    pub(crate) miter_limit: f64,
    /// Keep the agent's distance from blocked shapes only, not from the borders of walkable ground.
    #[arg(long)]
    pub(crate) keep_edges: bool,
    /// Side of a cell of the grid that vertices are rounded to, in metres. Default: 0.001.
    #[arg(long, value_name = "METRES")]
    pub(crate) cell_size: Option<f32>,
    /// How far an arc of `--join round` may be cut short, in metres. Default: 0.005.
    #[arg(long, value_name = "METRES")]
    pub(crate) arc_error: Option<f64>,
    /// How far from the ground the ends of stairs and lifts may lie, beyond the agent's radius, in
    /// metres. Default: 0.5.
    #[arg(long, value_name = "METRES")]
    pub(crate) link_reach: Option<f64>,
    /// Vertices closer than this to the previous one are left out, in metres. Default: 0.01.
    #[arg(long, value_name = "METRES")]
    pub(crate) near_distance: Option<f64>,
    /// Smallest piece of ground that is kept, in square metres. Default: 0.05.
    #[arg(long, value_name = "AREA")]
    pub(crate) min_area: Option<f32>,
    /// Gaps between walkable shapes narrower than this are closed, in metres; blocked shapes stay,
    /// and walls that are wider gaps. Default: 0, for none.
    #[arg(long, value_name = "METRES")]
    pub(crate) close_distance: Option<f64>,
    /// Vertices closer than this become one, in metres, which closes narrower slits. Default: 0,
    /// for none.
    #[arg(long, value_name = "METRES")]
    pub(crate) merge_distance: Option<f64>,
    /// Longest border edge in metres, at least 10 cells; longer ones are split. Default: 0, for no
    /// limit.
    #[arg(long, value_name = "METRES")]
    pub(crate) max_edge_length: Option<f32>,
    /// Spacing of a grid of additional vertices, in metres; those that no polygon needs are left
    /// out. Default: 0, for none.
    #[arg(long, value_name = "METRES")]
    pub(crate) steiner_grid: Option<f64>,
    /// Most corners of a polygon, 0 for no limit. Default: 0.
    #[arg(long, value_name = "CORNERS")]
    pub(crate) max_vertices: Option<u32>,
    /// How the ground is cut into convex polygons. Default: notch-portals.
    #[arg(long, value_name = "KIND")]
    pub(crate) decomposition: Option<Decomposition>,
    /// What layers of DXF files are made of, by their names: PATTERN=NAME[:COST] or
    /// PATTERN=blocked, as of `waymesh build`. Other files name areas themselves.
    #[arg(long, value_name = "RULE")]
    pub(crate) area: Vec<String>,
    /// Volumes that give the ground of the storeys in them another area or cut it out, in TOML, as
    /// of `waymesh build`.
    #[arg(long, value_name = "FILE")]
    pub(crate) marks: Option<PathBuf>,
    /// Threads, at most 1024; 0 for one per core. Default: 0.
    #[arg(long, value_name = "COUNT")]
    pub(crate) threads: Option<usize>,
    #[command(flatten)]
    pub(crate) kept: Kept,
    #[command(flatten)]
    pub(crate) extras: Extras,
    /// Check the result of every stage against its invariants.
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum JoinKind {
    Square,
    Round,
    Miter,
}

/// Which ground is kept.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Kept {
    /// A walkable place; may be given several times. Only ground connected to one of them is kept.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) seed: Vec<Point>,
    /// Which ground is kept without seeds: `all`, the `largest` piece, or the pieces of at least so
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

/// Settings of one pipeline.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FrontSettings {
    /// Widest gap in plan that a link of a stair bridges, in metres. Slices only. Default: 0.25.
    #[arg(long, value_name = "METRES")]
    pub(crate) link_reach: Option<f32>,
    /// `false` if what is too steep to walk on does not stand in the way. Slices only. Default:
    /// true.
    #[arg(long, value_name = "BOOL")]
    pub(crate) steep_blocks: Option<bool>,
    /// Cells along a side of a rough voxel, 0 to choose. It changes the cost only. Storeys only.
    /// Default: 0.
    #[arg(long, value_name = "CELLS")]
    pub(crate) rough_cells: Option<u32>,
}

/// How a scene is cut into tiles.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Tiles {
    /// Side of a tile in cells, 0 for one bake of the whole scene. The mesh does not depend on it.
    /// Default: 0, or 256 with --memory, a folder, and for scenes that may not fit into memory.
    #[arg(long, value_name = "CELLS")]
    pub(crate) tile: Option<u32>,
    /// Memory to work in, such as 2GiB or 800MB, without the result. Overrides --max-memory.
    /// Default for voxels: a quarter of the machine's or the container's.
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Memory>,
    /// Folder for finished tiles: a bake that was stopped continues from there. Voxels only.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) tiles: Option<PathBuf>,
    /// Folder for triangles that do not fit in memory. Voxels only. Default: the system's folder
    /// for temporary files.
    #[arg(long, value_name = "FOLDER")]
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
    #[command(flatten)]
    pub(crate) tiles: Tiles,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Folder of finished tiles, with the settings they were built with.
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Where the mesh goes; the ending tells the format: .wmesh, .wmrun or .navmesh. `-` is standard
    /// output, as .wmesh.
    #[arg(short, long, value_name = "FILE", default_value = "merged.wmesh")]
    pub(crate) output: PathBuf,
    /// Memory to work in, such as 2GiB or 800MiB. Default: a quarter of the machine's or the
    /// container's.
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Memory>,
    /// Wait for tiles that are missing, and read them as they come, until none has come for so many
    /// seconds. Default: 0, missing tiles are refused at once.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) wait: Option<u32>,
    /// The scene that the tiles were built of: --jumps and --enclosed remove need its triangles.
    #[arg(long, value_name = "SCENE")]
    pub(crate) scene: Vec<PathBuf>,
    /// What becomes of ground inside of solids. Default: as the tiles were built with.
    #[arg(long, value_name = "WHAT")]
    pub(crate) enclosed: Option<EnclosedKind>,
    #[command(flatten)]
    pub(crate) kept: Kept,
    #[command(flatten)]
    pub(crate) jumps: Jumps,
    #[command(flatten)]
    pub(crate) extras: Extras,
}

/// Links over gaps and down from edges.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Jumps {
    /// Look for jumps and drops along all borders, and add those that are free of obstacles as
    /// links.
    #[arg(long)]
    pub(crate) jumps: bool,
    /// Longest jump in metres between borders of the mesh, which include the agent's radius on both
    /// sides. 0 for none. Default: 4.
    #[arg(long, value_name = "METRES", requires = "jumps")]
    pub(crate) jump_length: Option<f32>,
    /// How much higher or lower a jump may land, in metres. Default: 0.6.
    #[arg(long, value_name = "METRES", requires = "jumps")]
    pub(crate) jump_rise: Option<f32>,
    /// Deepest drop in metres. 0 for none. Default: 4.
    #[arg(long, value_name = "METRES", requires = "jumps")]
    pub(crate) drop_height: Option<f32>,
    /// Height of the feet at the top of a jump, above its higher end, in metres. Default: 0.4.
    #[arg(long, value_name = "METRES", requires = "jumps")]
    pub(crate) jump_arc: Option<f32>,
    /// Longest distance in plan that a drop bridges between borders of the mesh, in metres.
    /// Default: 2.
    #[arg(long, value_name = "METRES", requires = "jumps")]
    pub(crate) drop_length: Option<f32>,
    /// Distance in metres below which the shorter of two links stands for both. Default: 2.
    #[arg(long, value_name = "METRES", requires = "jumps")]
    pub(crate) jump_spacing: Option<f32>,
    /// Smallest detour in metres that a link must save. Default: 4.
    #[arg(long, value_name = "METRES", requires = "jumps")]
    pub(crate) jump_detour: Option<f32>,
}

/// Files to write beside the mesh.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Extras {
    /// Draw the mesh, one panel per storey.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Write the polygons as a GLB model.
    #[arg(long, value_name = "FILE")]
    pub(crate) glb: Option<PathBuf>,
    /// Write the polygons as OBJ, one face per polygon.
    #[arg(long, value_name = "FILE")]
    pub(crate) obj: Option<PathBuf>,
    /// Write the height surface as OBJ triangles.
    #[arg(long, value_name = "FILE")]
    pub(crate) detail_obj: Option<PathBuf>,
    /// Write the figures of the bake as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

impl Extras {
    /// The files that were asked for.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.svg, &self.glb, &self.obj, &self.detail_obj, &self.report].into_iter().flatten()
    }
}

/// How files become metres, the grid, and the agent.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct Space {
    /// Which axis of the scene files points up. Default: y.
    #[arg(long, value_name = "AXIS")]
    pub(crate) up: Option<Axis>,
    /// Metres per unit of the scene files. Default: 1.
    #[arg(long, value_name = "METRES")]
    pub(crate) scale: Option<f32>,
    /// Position of the scene files that becomes 0,0,0, in their units and axes. It is subtracted in
    /// double precision; the mesh and all queries are relative to it. Default: 0,0,0.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) origin: Option<Origin>,
    /// Turns all triangles over: their lower sides become floors.
    #[arg(long, conflicts_with = "two_sided")]
    pub(crate) flip: bool,
    /// Takes both sides of every triangle for floors: those that face down are turned over.
    #[arg(long)]
    pub(crate) two_sided: bool,
    /// Side of a cell of the grid in metres. Default: 0.3.
    #[arg(long, value_name = "METRES")]
    pub(crate) cell_size: Option<f32>,
    /// Height of a level of the grid in metres. Default: 0.2.
    #[arg(long, value_name = "METRES")]
    pub(crate) level_height: Option<f32>,
    /// Height of the agent in metres. Default: 2.0.
    #[arg(long, value_name = "METRES")]
    pub(crate) agent_height: Option<f32>,
    /// Radius of the agent in metres. Default: 0.6.
    #[arg(long, value_name = "METRES")]
    pub(crate) agent_radius: Option<f32>,
    /// Highest step in metres. Default: 0.9.
    #[arg(long, value_name = "METRES")]
    pub(crate) max_step: Option<f32>,
    /// Steepest slope in degrees. Default: 45.
    #[arg(long, value_name = "DEGREES")]
    pub(crate) max_slope: Option<f32>,
}

/// Settings of a bake. They are kept beside finished tiles, too.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct Settings {
    #[command(flatten)]
    #[serde(flatten)]
    pub(crate) space: Space,
    /// What surfaces are made of: PATTERN=NAME[:COST], or PATTERN=blocked where nobody walks. The
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
    /// Heights of agents that share the mesh, in metres, ascending, at most 8: ground is divided by
    /// the head room it has. The least is --agent-height. Voxels and storeys only.
    #[arg(long, value_name = "METRES,..", value_delimiter = ',')]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) height_classes: Vec<f32>,
    /// Highest ledge in metres that becomes a climb link, for an agent that can climb; 0 or no more
    /// than --max-step for none. Voxels only. Default: 0.
    #[arg(long, value_name = "METRES")]
    pub(crate) max_ledge: Option<f32>,
    /// Farthest that a simplified wall may lie from the traced one, in metres. Default: 1.3 cells.
    #[arg(long, value_name = "METRES")]
    pub(crate) max_edge_error: Option<f32>,
    /// Longest edge along a wall in metres, 0 for no limit. Default: 12.
    #[arg(long, value_name = "METRES")]
    pub(crate) max_edge_length: Option<f32>,
    /// Farthest that a border between two regions may be moved to run straight, in metres. Default:
    /// 5.
    #[arg(long, value_name = "METRES")]
    pub(crate) max_seam_error: Option<f32>,
    /// Which points of a border become its corners. Default: by-width; for storeys fewest-notches.
    #[arg(long, value_name = "KIND")]
    pub(crate) corners: Option<Corners>,
    /// Smallest piece of ground that is kept, in square metres. Default: 0.05.
    #[arg(long, value_name = "AREA")]
    pub(crate) min_region: Option<f32>,
    /// Watershed and monotone regions below this many square metres are merged into a neighbour.
    /// Default: 36.
    #[arg(long, value_name = "AREA")]
    pub(crate) merge_region: Option<f32>,
    /// What becomes of ground inside of walls, rocks and other closed bodies. Default: keep.
    #[arg(long, value_name = "WHAT")]
    pub(crate) enclosed: Option<EnclosedKind>,
    /// Most corners of a polygon, 0 for no limit. Default: 0.
    #[arg(long, value_name = "CORNERS")]
    pub(crate) max_vertices: Option<u32>,
    /// Largest difference between the ground of the mesh and that of the grid, in levels. Default:
    /// 1.
    #[arg(long, value_name = "LEVELS")]
    pub(crate) max_height_error: Option<f32>,
    /// `false` for a smaller mesh whose ground is only known at the vertices of its polygons.
    /// Default: true.
    #[arg(long, value_name = "BOOL")]
    pub(crate) height_detail: Option<bool>,
    /// How the ground is cut into regions. Default: surfaces.
    #[arg(long, value_name = "KIND")]
    pub(crate) partition: Option<Partition>,
    /// How the ground is cut into convex polygons. Default: notch-portals.
    #[arg(long, value_name = "KIND")]
    pub(crate) decomposition: Option<Decomposition>,
    /// Threads, at most 1024; 0 for one per core. Default: 0.
    #[arg(long, value_name = "COUNT")]
    pub(crate) threads: Option<usize>,
    /// Memory to work in, in MiB. Voxels are baked in tiles where it may not suffice for the whole
    /// scene. Default for voxels: a quarter of the machine's; for others: 2048.
    #[arg(long, value_name = "MIB")]
    pub(crate) max_memory: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum EnclosedKind {
    /// It is kept.
    Keep,
    /// It is left out and reported.
    Remove,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Axis {
    Y,
    Z,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Corners {
    /// The point farthest from the simplified border, repeatedly (Douglas and Peucker).
    Farthest,
    /// Those that give the fewest polygons and take the least ground.
    FewestNotches,
    /// `fewest-notches` around narrow ground, `farthest` elsewhere.
    ByWidth,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Partition {
    /// Regions grow from the places farthest from walls, like Recast's default.
    Watershed,
    /// Strips along one axis: fast.
    Monotone,
    /// Connected ground that does not overlap itself: the fewest borders.
    Surfaces,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Decomposition {
    /// The fewest polygons.
    NotchPortals,
    /// More polygons, in a fraction of the time.
    Greedy,
    /// The least work.
    HertelMehlhorn,
}
