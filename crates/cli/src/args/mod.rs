//! The command line.

mod bake;
mod fields;

use std::path::PathBuf;

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use waymesh_scenes::Scene;

pub(crate) use self::bake::*;
pub(crate) use self::fields::{AGENT, given, text_of};
use crate::files::Inputs;
use crate::picture::Pictures;
use crate::values::{GeoOrigin, Point};

/// The meaning of the exit codes, printed below the help of the program.
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
    /// Print warnings, advice and errors only, on standard error.
    #[arg(short, long, global = true, conflicts_with_all = ["verbose", "json"])]
    pub(crate) quiet: bool,
    /// Print the result, or the error, as JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Settings from a TOML file. Its keys are the long names of the command's arguments. The
    /// command line overrides them. `-` is standard input.
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Bake scene files (OBJ, glTF, GLB, STL, PLY, height maps) into one navigation mesh.
    #[command(allow_negative_numbers = true)]
    Build(Box<BuildArgs>),
    /// Bake floor plans (TOML, GeoJSON, WKT, SVG, and DXF where built with that feature), maps of
    /// robots (ROS, MovingAI) and buildings of Open-RMF and OpenStreetMap into one navigation mesh.
    #[command(allow_negative_numbers = true)]
    Plan(Box<PlanArgs>),
    /// Build one tile of a world into a folder, for a bake that is spread over machines.
    #[command(allow_negative_numbers = true)]
    Tile(Box<TileArgs>),
    /// Join the tiles of a folder into one navigation mesh.
    #[command(allow_negative_numbers = true)]
    Merge(MergeArgs),
    /// Write a mesh in another format: .wmrun to ship with a program, .wmesh to keep, .navmesh for
    /// Detour.
    Pack(PackArgs),
    /// Write the ground of a mesh as a map of ROS: a grey picture (.pgm) and its description (.yaml).
    /// The y of the map is -z of the mesh.
    #[command(allow_negative_numbers = true)]
    Map(MapArgs),
    /// Write an embedded scene to a binary STL file.
    #[command(allow_negative_numbers = true)]
    Scene(SceneArgs),
    /// Find a path on a mesh.
    #[command(allow_negative_numbers = true)]
    Path(PathArgs),
    /// Print what a mesh holds and check its invariants.
    #[command(allow_negative_numbers = true)]
    Info(InfoArgs),
    /// Judge a mesh against its scene: coverage, excess, connectivity, heights, clearance, shape,
    /// paths.
    ///
    /// Grid and agent default to those of the mesh, if its file states them.
    #[command(allow_negative_numbers = true)]
    Evaluate(EvaluateArgs),
    /// Compare two meshes of one scene: ground lost and gained, pieces joined and parted, links, and
    /// paths that changed.
    Diff(DiffArgs),
    /// Explain why a place of a scene is not walkable, or why no path joins two places, and which
    /// setting of `waymesh build` would change it.
    ///
    /// Give the settings that the mesh is built with. Every answer is checked by bakes: that takes
    /// some times as long as `build`, and about 30 times with --to.
    #[command(allow_negative_numbers = true)]
    Why(Box<WhyArgs>),
    /// Bake an embedded scene, find a path on it and draw both.
    Demo(DemoArgs),
    /// Show a level, a floor plan or a mesh in a browser: turn the settings, see the mesh change, click
    /// paths. The page is served to this machine alone, at the printed address, which holds a secret
    /// token, until the program is ended.
    View(ViewArgs),
    /// Print a script that completes the program's words in a shell.
    Completions {
        /// The shell.
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one page per command.
    Man(ManArgs),
}

/// Arguments of `waymesh view`.
#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// The level, floor plan or mesh to open. Without it the page begins with an embedded scene.
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Axis of the level that points up.
    #[arg(long, value_name = "AXIS", default_value = "y", value_parser = ["y", "z"])]
    pub(crate) up: String,
    /// Metres per unit of the level.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub(crate) scale: f32,
    /// Count both sides of faces: those that face down are turned over.
    #[arg(long)]
    pub(crate) two_sided: bool,
    /// Port of 127.0.0.1 to listen on; 0 for any that is free. Default: 0.
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Folder of a built page. Default: the page in the program.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) page: Option<PathBuf>,
}

/// Scene files, or standard input.
#[derive(Clone, Debug, Args)]
pub(crate) struct Scenes {
    /// Scene files, which make one scene together. `-` is standard input.
    #[arg(required = true, value_name = "SCENE")]
    pub(crate) files: Vec<PathBuf>,
    /// Format of standard input. Default: what its content looks like.
    #[arg(long, value_name = "FORMAT", value_parser = ["obj", "gltf", "glb", "stl", "ply", "cityjson"])]
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
    /// The mesh: a .wmesh or .wmrun file, or one of Detour's (.navmesh, .bin). `-` is standard input.
    #[arg(value_name = "MESH")]
    pub(crate) mesh: PathBuf,
    /// Output file; its ending selects the format: .wmrun, .wmesh or .navmesh. Default: its name with
    /// the ending .wmrun, in the current folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct MapArgs {
    /// The mesh: a .wmesh or .wmrun file, or one of Detour's (.navmesh, .bin). `-` is standard input.
    /// Its ground is where the agent's centre may be: bake it for radius 0 if the planner that reads
    /// the map keeps the robot's distance from walls.
    #[arg(value_name = "MESH")]
    pub(crate) mesh: PathBuf,
    /// Name of the description; the picture gets the same name with .pgm. Default: the mesh's name
    /// with the ending .yaml, in the current folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Side of a cell in metres.
    #[arg(long, value_name = "METRES", default_value_t = 0.05)]
    pub(crate) resolution: f32,
    /// Height of the storey in metres. Default: the uppermost ground.
    #[arg(long, value_name = "METRES")]
    pub(crate) height: Option<f32>,
    /// Make ground darker that is nearer to a wall than this, in proportion: a map of costs (mode
    /// scale).
    #[arg(long, value_name = "METRES")]
    pub(crate) distance: Option<f32>,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Folder for one page per command. Default: the page of the program, to standard output.
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct SceneArgs {
    /// Name of the embedded scene.
    #[arg(value_name = "NAME", value_parser = scenes())]
    pub(crate) scene: Scene,
    /// Output file. Default: the scene's name with the ending .stl, in the current folder.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Factor of its size along x and z.
    #[arg(long, value_name = "TIMES", default_value_t = 1)]
    pub(crate) scale: u32,
    /// Seed of its random numbers.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct PathArgs {
    /// The mesh: a .wmesh or .wmrun file, or one of Detour's (.navmesh, .bin). `-` is standard input.
    #[arg(value_name = "MESH")]
    pub(crate) mesh: PathBuf,
    /// Start of the path.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) from: Point,
    /// Goal of the path.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) to: Point,
    /// Find the shortest path on the ground: of all whose legs are straight in plan from corner to
    /// corner. Without this, a path through a short corridor, which may be a little longer. Where areas
    /// have costs, the path found by costs if that one costs less.
    #[arg(long)]
    pub(crate) shortest: bool,
    /// Do not count rises and falls: find the path that is shortest in plan.
    #[arg(long, requires = "shortest", conflicts_with = "radius")]
    pub(crate) no_rises: bool,
    /// Height of the path above or below the ground of the mesh between two points, at most, in metres.
    #[arg(long, value_name = "METRES", default_value_t = 0.1)]
    pub(crate) ground_error: f32,
    /// Height of the agent in metres: it passes where the head room is enough, on a mesh with classes
    /// of head room (`waymesh build --height-classes`). Default: the mesh's.
    #[arg(long, value_name = "METRES")]
    pub(crate) agent_height: Option<f32>,
    /// Find the path, shortest in plan, of a disc of this radius in metres that stays clear of the
    /// walls of the mesh: of an agent of that radius on a mesh baked for radius 0. The picture shows
    /// the ground that it sweeps.
    #[arg(long, value_name = "METRES", conflicts_with = "shortest")]
    pub(crate) radius: Option<f32>,
    /// Find a short path of the disc in less time. Where that shows none, and over links that are no
    /// open ground, the shortest one is searched for.
    #[arg(long, requires = "radius")]
    pub(crate) fast: bool,
    /// Largest distance between the path of a disc and its exact arcs round corners, in metres; inf
    /// makes chamfers. Default: 0.001.
    #[arg(long, value_name = "METRES", requires = "radius")]
    pub(crate) arc_error: Option<f32>,
    /// Go by lengths alone, whatever a metre of an area costs; a disc knows no costs. Areas that
    /// nobody may walk on stay closed.
    #[arg(long)]
    pub(crate) ignore_costs: bool,
    /// Most nodes that the search for the shortest path, or that of a disc, may open. Beyond that the
    /// path is the one found without --shortest, and that of a disc is undecided. Default: 1000000.
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_nodes: Option<usize>,
    /// Search clusters of polygons instead of polygons, for a path that may be a little longer. The
    /// clusters are made for this one query.
    #[arg(long, conflicts_with_all = ["shortest", "radius"])]
    pub(crate) hierarchy: bool,
    /// Search polygons that are convex but for this distance, for a path that may be a little longer.
    /// They are made for this one query.
    #[arg(long, value_name = "METRES", conflicts_with_all = ["shortest", "hierarchy", "radius"])]
    pub(crate) relax: Option<f32>,
    /// Move corners away from walls by up to this, where there is room.
    #[arg(long, value_name = "METRES", default_value_t = 0.0, conflicts_with = "radius")]
    pub(crate) corner_offset: f32,
    #[command(flatten)]
    pub(crate) pictures: Pictures,
    /// Write the path as GeoJSON: x and -z of the mesh, which are x and y of a plan, and the height.
    #[arg(long, value_name = "FILE")]
    pub(crate) geojson: Option<PathBuf>,
    /// Write degrees to that file, for a mesh of a plan in degrees: the longitude and latitude of its
    /// 0, 0, as `waymesh plan` printed them.
    #[arg(long, value_name = "LON,LAT", requires = "geojson", allow_hyphen_values = true)]
    pub(crate) geo_origin: Option<GeoOrigin>,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    pub(crate) scenes: Scenes,
    /// The mesh: a .wmesh or .wmrun file, one of Detour's (.navmesh, .bin), or an OBJ file of
    /// polygons of any tool, in metres, y up.
    #[arg(long, value_name = "MESH")]
    pub(crate) mesh: PathBuf,
    /// Number of places to judge, at most 10000000. Default: 25000.
    #[arg(long, value_name = "COUNT")]
    pub(crate) samples: Option<usize>,
    /// Areas of surfaces, as for `build`: blocked surfaces need no ground.
    #[arg(long, value_name = "RULE")]
    pub(crate) area: Vec<String>,
    #[command(flatten)]
    pub(crate) pictures: Pictures,
    #[command(flatten)]
    pub(crate) space: Space,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The old mesh: a .wmesh or .wmrun file, or one of Detour's (.navmesh, .bin). `-` is standard
    /// input.
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,
    /// The new mesh.
    #[arg(value_name = "NEW")]
    pub(crate) new: PathBuf,
    /// Distance between two samples of ground. Default: the cell size of the new mesh, or more where
    /// that gives over a million samples.
    #[arg(long, value_name = "METRES")]
    pub(crate) spacing: Option<f32>,
    /// Distance by which borders and links may move without a difference. Default: the spacing.
    #[arg(long, value_name = "METRES")]
    pub(crate) tolerance: Option<f32>,
    /// Number of pairs of places whose paths are compared, at most 1000000.
    #[arg(long, value_name = "COUNT", default_value_t = 200, value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub(crate) pairs: u32,
    #[command(flatten)]
    pub(crate) pictures: Pictures,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// The mesh: a .wmesh or .wmrun file, or one of Detour's (.navmesh, .bin). `-` is standard input.
    #[arg(value_name = "MESH")]
    pub(crate) mesh: PathBuf,
    /// Also measure this many path queries, up to 10000000, between random places of the mesh.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) queries: Option<u32>,
    /// Print all islands instead of the ten largest.
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Folder for the files.
    #[arg(short, long, value_name = "FOLDER", default_value = "out")]
    pub(crate) output: PathBuf,
    /// Name of the embedded scene.
    #[arg(long, value_name = "NAME", default_value = "overlapping-storeys", value_parser = scenes())]
    pub(crate) scene: Scene,
    /// Show the picture in the program that opens such files.
    #[arg(long)]
    pub(crate) open: bool,
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
