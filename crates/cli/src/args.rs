//! What the program can be asked to do.

use std::path::PathBuf;

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use waymesh_scenes::Scene;

use crate::files::Inputs;
use crate::values::{Memory, Point, TileAt};

/// What the exit codes mean, below the help of the program.
const EXIT_CODES: &str = "Exit codes:
  0  done
  1  failed; the reason is on stderr, and with --json on stdout as {\"error\": {..}} too
  2  wrong usage
  3  `path` found no path that reaches the goal; it prints the one that comes nearest";

/// Turns levels into navigation meshes and answers path queries on them.
#[derive(Debug, Parser)]
#[command(name = "waymesh", version, about, propagate_version = true, after_help = EXIT_CODES)]
pub(crate) struct Program {
    /// Log what happens; twice for more.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// Print the result, or the error, as JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Settings from a TOML file. Its keys are the long names of the command's arguments; what the
    /// command line sets too is taken from there. `-` is standard input.
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Bake scene files (OBJ, glTF, GLB, STL, PLY) into one navigation mesh.
    #[command(allow_negative_numbers = true)]
    Build(Box<BuildArgs>),
    /// Bake floor plans (TOML, GeoJSON, WKT, SVG, and DXF where built with that feature) into one
    /// navigation mesh.
    #[command(allow_negative_numbers = true)]
    Plan(Box<PlanArgs>),
    /// Build one tile of a world into a folder, for a bake that is spread over machines.
    #[command(allow_negative_numbers = true)]
    Tile(Box<TileArgs>),
    /// Join the tiles of a folder into one navigation mesh.
    Merge(MergeArgs),
    /// Write a mesh in the other format: .wmrun to ship with a program, .wmesh to keep.
    Pack(PackArgs),
    /// Write an embedded scene to a binary STL file.
    Scene(SceneArgs),
    /// Find a path on a mesh.
    Path(PathArgs),
    /// Tell what a mesh holds and whether it is sound.
    Info(InfoArgs),
    /// Judge a mesh against its scene: coverage, excess, connectivity, heights, clearance, shape,
    /// paths.
    Evaluate(EvaluateArgs),
    /// Bake an embedded scene, find a path on it and draw both.
    Demo(DemoArgs),
    /// Print a script that completes the program's words in a shell.
    Completions {
        /// Which shell.
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one page per command.
    Man(ManArgs),
}

/// Scene files, or standard input.
#[derive(Clone, Debug, Args)]
pub(crate) struct Scenes {
    /// Scene files, which make one scene together. `-` is standard input.
    #[arg(required = true, value_name = "SCENE")]
    pub(crate) files: Vec<PathBuf>,
    /// Format of standard input. Default: what its content looks like.
    #[arg(long, value_name = "FORMAT", value_parser = ["obj", "gltf", "glb", "stl", "ply"])]
    pub(crate) format: Option<String>,
}

impl Scenes {
    /// Files to read.
    pub(crate) fn inputs(&self) -> Result<Inputs> {
        Inputs::new(&self.files, self.format.as_deref())
    }
}

/// Embedded scenes by name.
fn scenes() -> impl TypedValueParser<Value = Scene> {
    let values = Scene::every().map(|scene| PossibleValue::new(scene.name()).help(scene.summary()));
    PossibleValuesParser::new(values)
        .try_map(|name| Scene::from_name(&name).ok_or_else(|| format!("there is no scene {name:?}")))
}

#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    /// The mesh, in either format. `-` is standard input.
    #[arg(value_name = "MESH")]
    pub(crate) mesh: PathBuf,
    /// Where it goes; the ending tells the format, .wmrun or .wmesh. Default: its name with the
    /// ending .wmrun, in the current folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Folder for one page per command. Default: the page of the program, to standard output.
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    pub(crate) scenes: Scenes,
    /// Where the mesh goes; the ending tells the format: .wmesh to keep it, .wmrun to ship it. `-`
    /// is standard output, as .wmesh. Default: the first scene's name with the ending .wmesh,
    /// in the current folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// How the mesh is made: voxels, or flat slices (a region per level, links at stairs, nothing
    /// eroded; cells of 0.05 m and levels of 0.02 m unless set, exact borders unless
    /// --max-edge-error is given), or storeys (rough layers, fine depth maps, borders between
    /// cells; cells and levels of 0.1 m unless set). Default: voxels.
    #[arg(long, value_name = "KIND")]
    pub(crate) pipeline: Option<PipelineKind>,
    #[command(flatten)]
    pub(crate) kept: Kept,
    #[command(flatten)]
    pub(crate) jumps: Jumps,
    #[command(flatten)]
    pub(crate) tiles: Tiles,
    #[command(flatten)]
    pub(crate) extras: Extras,
    /// Check the result of every stage against its invariants.
    #[arg(long)]
    pub(crate) check: bool,
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
    /// Where the mesh goes; the ending tells the format: .wmesh to keep it, .wmrun to ship it. `-`
    /// is standard output, as .wmesh. Default: the first plan's name with the ending .wmesh, in
    /// the current folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Metres per unit of the files; plans in TOML are in metres. Default: 1.
    #[arg(long, value_name = "METRES")]
    pub(crate) scale: Option<f64>,
    /// Storey of what names none. Default: 0.
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
    /// How the agent's distance goes round corners. Default: square.
    #[arg(long, value_name = "KIND")]
    pub(crate) join: Option<JoinKind>,
    /// Farthest that a mitred corner may stick out, in radii.
    #[arg(long, value_name = "TIMES", default_value_t = 2.0)]
    pub(crate) miter_limit: f64,
    /// Keep the agent's distance from what is blocked alone, not from the borders of walkable
    /// ground.
    #[arg(long)]
    pub(crate) keep_edges: bool,
    /// Side of a cell of the grid that vertices are rounded to, in metres. Default: 0.001.
    #[arg(long, value_name = "METRES")]
    pub(crate) cell_size: Option<f32>,
    /// Vertices nearer than this to the one before are left out, in metres. Default: 0.01.
    #[arg(long, value_name = "METRES")]
    pub(crate) near_distance: Option<f64>,
    /// Smallest piece of ground that is kept, in square metres. Default: 0.05.
    #[arg(long, value_name = "AREA")]
    pub(crate) min_area: Option<f32>,
    /// Vertices nearer than this to each other become one, in metres: narrower slits close.
    /// Default: 0, for none.
    #[arg(long, value_name = "METRES")]
    pub(crate) merge_distance: Option<f64>,
    /// Longest border edge in metres; longer ones are split. Default: 0, for no limit.
    #[arg(long, value_name = "METRES")]
    pub(crate) max_edge_length: Option<f32>,
    /// Spacing of a grid of vertices inside, in metres; polygons leave out what they can do
    /// without. Default: 0, for none.
    #[arg(long, value_name = "METRES")]
    pub(crate) steiner_grid: Option<f64>,
    /// Most corners of a polygon, 0 for no limit. Default: 0.
    #[arg(long, value_name = "CORNERS")]
    pub(crate) max_vertices: Option<u32>,
    /// How the ground is cut into convex polygons. Default: notch-portals.
    #[arg(long, value_name = "KIND")]
    pub(crate) decomposition: Option<Decomposition>,
    /// Threads, 0 for one per core. Default: 0.
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
    /// A place that is certainly walkable; several may be given. Only ground connected to one of
    /// them is kept.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) seed: Vec<Point>,
    /// Which ground is kept without seeds. Default: all.
    #[arg(long, value_name = "WHAT", conflicts_with = "seed")]
    pub(crate) keep: Option<KeepKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeepKind {
    /// All of it.
    All,
    /// The largest island.
    Largest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PipelineKind {
    Voxels,
    Slices,
    Storeys,
}

/// How a world is cut into tiles.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Tiles {
    /// Side of a tile in cells, 0 for a bake of the whole at once. The mesh does not depend on it.
    /// Default: 0, or 256 with a memory limit, a folder, or scene files too large to be kept.
    #[arg(long, value_name = "CELLS")]
    pub(crate) tile: Option<u32>,
    /// Memory to work in, such as 2GiB or 800MiB; the result comes on top. Goes before --max-memory.
    /// Default: of tiles of voxels a quarter of the machine's.
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Memory>,
    /// Folder for finished tiles: a bake that was stopped goes on where it was. Voxels only.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) tiles: Option<PathBuf>,
    /// Folder for triangles that memory does not hold. Voxels only. Default: the system's folder for
    /// temporary files.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) spill: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct TileArgs {
    // All of the world, so that every machine finds the same grid.
    #[command(flatten)]
    pub(crate) scenes: Scenes,
    /// Which tile: its column and row, from 0,0.
    #[arg(long, value_name = "I,J")]
    pub(crate) at: TileAt,
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
    /// Where the mesh goes; the ending tells the format: .wmesh or .wmrun. `-` is standard output,
    /// as .wmesh.
    #[arg(short, long, value_name = "FILE", default_value = "merged.wmesh")]
    pub(crate) output: PathBuf,
    /// Memory to work in, such as 2GiB or 800MiB. Default: a quarter of the machine's.
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Memory>,
    #[command(flatten)]
    pub(crate) extras: Extras,
}

#[derive(Debug, Args)]
pub(crate) struct SceneArgs {
    /// Which embedded scene.
    #[arg(value_name = "NAME", value_parser = scenes())]
    pub(crate) scene: Scene,
    /// Where it goes. Default: its name with the ending .stl, in the current folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How many times larger it is along x and z.
    #[arg(long, value_name = "TIMES", default_value_t = 1)]
    pub(crate) scale: u32,
    /// Start of its random numbers.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Links through the air.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Jumps {
    /// Look along all borders for jumps and drops that the scene leaves room for, and add them as
    /// links.
    #[arg(long)]
    pub(crate) jumps: bool,
    /// Longest jump in metres, between the borders of the mesh: with the agent's radius on both
    /// sides. 0 for none. Default: 4.
    #[arg(long, value_name = "METRES", requires = "jumps")]
    pub(crate) jump_length: Option<f32>,
    /// How much higher or lower a jump may land, in metres. Default: 0.6.
    #[arg(long, value_name = "METRES", requires = "jumps")]
    pub(crate) jump_rise: Option<f32>,
    /// Deepest drop in metres. 0 for none. Default: 4.
    #[arg(long, value_name = "METRES", requires = "jumps")]
    pub(crate) drop_height: Option<f32>,
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

/// Settings of a bake, from the command line or a TOML file.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Settings {
    /// Which axis of the files points up. Default: y.
    #[arg(long, value_name = "AXIS")]
    pub(crate) up: Option<Axis>,
    /// Metres per unit of the files. Default: 1.
    #[arg(long, value_name = "METRES")]
    pub(crate) scale: Option<f32>,
    /// Side of a grid cell in metres. Default: 0.3.
    #[arg(long, value_name = "METRES")]
    pub(crate) cell_size: Option<f32>,
    /// Height of a grid level in metres. Default: 0.2.
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
    /// Highest ledge in metres that becomes a climb link, for an agent that can climb; 0 or no more
    /// than --max-step for none. Voxels only. Default: 0.
    #[arg(long, value_name = "METRES")]
    pub(crate) max_ledge: Option<f32>,
    /// Steepest slope in degrees. Default: 45.
    #[arg(long, value_name = "DEGREES")]
    pub(crate) max_slope: Option<f32>,
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
    /// Which points of a border become its corners. Default: farthest; of storeys fewest-notches.
    #[arg(long, value_name = "KIND")]
    pub(crate) corners: Option<Corners>,
    /// Smallest piece of ground that is kept, in square metres. Default: 0.05.
    #[arg(long, value_name = "AREA")]
    pub(crate) min_region: Option<f32>,
    /// Watershed and monotone regions below this many square metres are merged into a neighbour.
    /// Default: 36.
    #[arg(long, value_name = "AREA")]
    pub(crate) merge_region: Option<f32>,
    /// Most corners of a polygon, 0 for no limit. Default: 0.
    #[arg(long, value_name = "CORNERS")]
    pub(crate) max_vertices: Option<u32>,
    /// How the ground is cut into regions. Default: surfaces.
    #[arg(long, value_name = "KIND")]
    pub(crate) partition: Option<Partition>,
    /// How the ground is cut into convex polygons. Default: notch-portals.
    #[arg(long, value_name = "KIND")]
    pub(crate) decomposition: Option<Decomposition>,
    /// Threads, 0 for one per core. Default: 0.
    #[arg(long, value_name = "COUNT")]
    pub(crate) threads: Option<usize>,
    /// Most memory for the heightfield, in MiB; the bake peaks at about four times as much.
    /// Default: 2048.
    #[arg(long, value_name = "MIB")]
    pub(crate) max_memory: Option<u64>,
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
    /// Where a border strays farthest, again and again.
    Farthest,
    /// Those that ask for the fewest polygons.
    FewestNotches,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Partition {
    Watershed,
    Monotone,
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

#[derive(Debug, Args)]
pub(crate) struct PathArgs {
    /// The mesh, a .wmesh or .wmrun file. `-` is standard input.
    #[arg(value_name = "MESH")]
    pub(crate) mesh: PathBuf,
    /// Where the path starts.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) from: Point,
    /// Where it should end.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) to: Point,
    /// Find the shortest path of all, not just a short one.
    #[arg(long)]
    pub(crate) shortest: bool,
    /// Find the shortest path of a disc of this radius in metres that keeps clear of the mesh's
    /// walls: on a mesh baked for radius 0, an agent of that radius. The picture shows the
    /// ground that it sweeps.
    #[arg(long, value_name = "METRES", conflicts_with = "shortest")]
    pub(crate) radius: Option<f32>,
    /// How far the path of a disc may be outside of its arcs round corners, in metres; inf makes
    /// chamfers. Default: 0.001.
    #[arg(long, value_name = "METRES", requires = "radius")]
    pub(crate) arc_error: Option<f32>,
    /// Search clusters of polygons, not polygons: faster on large meshes, for a path that is a
    /// little longer. Made for this one query.
    #[arg(long, conflicts_with = "shortest")]
    pub(crate) hierarchy: bool,
    /// Move corners away from walls by up to this, where there is room.
    #[arg(long, value_name = "METRES", default_value_t = 0.0)]
    pub(crate) corner_offset: f32,
    /// Draw the mesh and the path.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    // What the mesh was baked from.
    #[command(flatten)]
    pub(crate) scenes: Scenes,
    /// The mesh: a .wmesh or .wmrun file, or an OBJ file of polygons of any tool, in metres, y up.
    #[arg(long, value_name = "MESH")]
    pub(crate) mesh: PathBuf,
    /// Which axis of the files points up, as for the bake. Default: y.
    #[arg(long, value_name = "AXIS")]
    pub(crate) up: Option<Axis>,
    /// Metres per unit of the files, as for the bake. Default: 1.
    #[arg(long, value_name = "METRES")]
    pub(crate) scale: Option<f32>,
    /// How many places to look at. Default: 100000.
    #[arg(long, value_name = "COUNT")]
    pub(crate) samples: Option<usize>,
    /// Draw the mesh with what it misses and what is too much, one panel per storey.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Cell size in metres that the mesh was made with: what is closer to the deciding border is
    /// uncertain. Default: the mesh's own, or 0.3 for an OBJ file.
    #[arg(long, value_name = "METRES")]
    pub(crate) cell_size: Option<f32>,
    /// Level height in metres that the mesh was made with. Default: the mesh's own, or 0.2 for an
    /// OBJ file.
    #[arg(long, value_name = "METRES")]
    pub(crate) level_height: Option<f32>,
    /// Height of the agent in metres. Default: the mesh's own, or 2.0 for an OBJ file; likewise
    /// below.
    #[arg(long, value_name = "METRES")]
    pub(crate) agent_height: Option<f32>,
    /// Radius of the agent in metres, or 0.6.
    #[arg(long, value_name = "METRES")]
    pub(crate) agent_radius: Option<f32>,
    /// Highest step in metres, or 0.9.
    #[arg(long, value_name = "METRES")]
    pub(crate) max_step: Option<f32>,
    /// Steepest slope in degrees, or 45.
    #[arg(long, value_name = "DEGREES")]
    pub(crate) max_slope: Option<f32>,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// The mesh, a .wmesh or .wmrun file. `-` is standard input.
    #[arg(value_name = "MESH")]
    pub(crate) mesh: PathBuf,
    /// Also time so many path queries between random places of the mesh.
    #[arg(long, value_name = "COUNT")]
    pub(crate) queries: Option<usize>,
    /// Print all islands, not the ten largest alone.
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Folder for the files.
    #[arg(short, long, value_name = "FOLDER", default_value = "out")]
    pub(crate) output: PathBuf,
    /// Which embedded scene.
    #[arg(long, value_name = "NAME", default_value = "overlapping-storeys", value_parser = scenes())]
    pub(crate) scene: Scene,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Program::command().debug_assert();
    }
}
