//! The settings of bakes.

use std::mem::MaybeUninit;
use waymesh::io::LoadOptions;
use waymesh::{BakeConfig, PartitionKind};

use crate::memory::{check_size, given, put};
use crate::status::{Error, Failure, Status, guard};

/// Which pipeline bakes. Values that C gives are numbers, since any number may come.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    /// Voxels, of a scene that fits into memory.
    Voxels = 0,
    /// Voxels, tile by tile on all cores, within a bound of memory. The same bytes.
    Tiles = 1,
    /// Whole storeys, with borders where walls are, not on a grid.
    Storeys = 2,
    /// Slices of levels: every step and every storey by itself.
    Slices = 3,
}

/// How the ground is cut into regions.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partition {
    /// Whole storeys. The default, and the only one for tiles and worlds.
    Surfaces = 0,
    /// Watershed.
    Watershed = 1,
    /// Monotone sweeps.
    Monotone = 2,
}

/// Which sides of triangles become floors.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winding {
    /// The side from which the corners of a triangle run against the clock.
    AsRead = 0,
    /// The other side.
    Flipped = 1,
    /// Both: triangles that face down are turned over.
    TwoSided = 2,
}

/// The settings of a bake. Start from wm_settings_default. Lengths in metres.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Bytes of this structure, as wm_settings_default sets it: another size is refused.
    pub size: usize,
    /// The pipeline: a wm_pipeline.
    pub pipeline: u32,
    /// Side of a cell of the grid.
    pub cell_size: f32,
    /// Height of a level of the grid.
    pub level_height: f32,
    /// Height of the agent.
    pub agent_height: f32,
    /// Radius of the agent: how far its centre keeps from walls.
    pub agent_radius: f32,
    /// Highest step that the agent walks over. Recast's walkableClimb.
    pub max_step: f32,
    /// Steepest slope that the agent walks on, in degrees.
    pub max_slope: f32,
    /// Highest ledge that becomes a link; 0 for none.
    pub max_ledge: f32,
    /// Farthest that a simplified wall may lie from the traced one; below 0 for the pipeline's own.
    pub max_edge_error: f32,
    /// Longest edge along a wall; 0 for no limit.
    pub max_edge_length: f32,
    /// Pieces of ground below this many square metres are left out.
    pub min_region: f32,
    /// How the ground is cut into regions: a wm_partition.
    pub partition: u32,
    /// Most corners of a polygon; 0 for no limit.
    pub max_vertices: u32,
    /// 0 for a mesh whose ground is only known at the vertices of its polygons.
    pub height_detail: u32,
    /// Threads; 0 for one per core. The result does not depend on it.
    pub threads: u32,
    /// Memory to work in, in bytes.
    pub max_memory_bytes: u64,
    /// Side of a tile in cells, for the pipelines that have tiles.
    pub tile_cells: u32,
    /// Which sides of triangles become floors: a wm_winding.
    pub winding: u32,
    /// Position of the triangles or the file that becomes the origin. It is subtracted in double
    /// precision; the mesh and all queries are relative to it.
    pub origin: [f64; 3],
}

impl Pipeline {
    const ALL: [Self; 4] = [Self::Voxels, Self::Tiles, Self::Storeys, Self::Slices];

    pub(crate) fn of(name: &'static str, number: u32) -> Result<Self, Failure> {
        Self::ALL.into_iter().find(|&one| one as u32 == number).ok_or_else(|| unknown(name, number))
    }
}

/// The error for a number that names nothing.
pub(crate) fn unknown(name: &'static str, number: u32) -> Failure {
    Failure::new(Status::BadSetting, format!("{name} is {number}, which names nothing"))
}

/// Cells of a tile where nothing else is asked for.
const TILE_CELLS: u32 = 256;

impl Settings {
    fn of(pipeline: Pipeline) -> Self {
        let config = match pipeline {
            Pipeline::Voxels => waymesh::Baker::voxels().config().clone(),
            Pipeline::Tiles => waymesh::Baker::tiles().config().clone(),
            Pipeline::Storeys => waymesh::Baker::storeys().config().clone(),
            Pipeline::Slices => waymesh::Baker::slices().config().clone(),
        };
        Self {
            size: size_of::<Self>(),
            pipeline: pipeline as u32,
            cell_size: config.scale.cell_size,
            level_height: config.scale.level_height,
            agent_height: config.agent.height,
            agent_radius: config.agent.radius,
            max_step: config.agent.max_step,
            max_slope: config.agent.max_slope.to_degrees(),
            max_ledge: config.max_ledge,
            max_edge_error: config.max_edge_error.unwrap_or(-1.0),
            max_edge_length: config.max_edge_length,
            min_region: config.min_region,
            partition: Partition::Surfaces as u32,
            max_vertices: config.max_vertices,
            height_detail: u32::from(config.height_detail),
            threads: 0,
            max_memory_bytes: config.max_memory_bytes,
            tile_cells: TILE_CELLS,
            winding: Winding::AsRead as u32,
            origin: [0.0; 3],
        }
    }

    /// Checks what no other part of the library sees.
    pub(crate) fn check(settings: Option<&Self>) -> Result<&Self, Failure> {
        let settings = given("settings", settings)?;
        check_size::<Self>(settings.size, "wm_settings_default")?;
        Ok(settings)
    }

    /// The settings over those of the pipeline.
    pub(crate) fn over(&self, defaults: &BakeConfig) -> Result<BakeConfig, Failure> {
        // The agent would name it in radians.
        if !(0.0..90.0).contains(&self.max_slope) {
            let message = "degrees, but must be at least 0 and below 90";
            let text = format!("settings.max_slope is {} {message}", self.max_slope);
            return Err(Failure::new(Status::BadSetting, text));
        }
        let mut config = defaults.clone();
        (config.scale.cell_size, config.scale.level_height) = (self.cell_size, self.level_height);
        (config.agent.height, config.agent.radius) = (self.agent_height, self.agent_radius);
        (config.agent.max_step, config.agent.max_slope) = (self.max_step, self.max_slope.to_radians());
        let own_error = self.max_edge_error < 0.0;
        config.max_edge_error = (!own_error).then_some(self.max_edge_error);
        (config.max_ledge, config.max_edge_length) = (self.max_ledge, self.max_edge_length);
        (config.min_region, config.max_vertices) = (self.min_region, self.max_vertices);
        config.partition = self.partition()?;
        config.height_detail = self.height_detail != 0;
        config.threads = self.threads as usize;
        config.max_memory_bytes = self.max_memory_bytes;
        Ok(config)
    }

    /// Returns how triangles are read.
    pub(crate) fn load_options(&self) -> Result<LoadOptions, Failure> {
        const KINDS: [(Winding, waymesh::io::Winding); 3] = [
            (Winding::AsRead, waymesh::io::Winding::AsRead),
            (Winding::Flipped, waymesh::io::Winding::Flipped),
            (Winding::TwoSided, waymesh::io::Winding::TwoSided),
        ];
        let kind = KINDS.iter().find(|(kind, _)| *kind as u32 == self.winding);
        let winding = kind.ok_or_else(|| unknown("settings.winding", self.winding))?.1;
        let options = LoadOptions::default().with_origin(self.origin).with_winding(winding);
        options.validate().map_err(|bad| Failure::new(Status::BadSetting, format!("settings.{bad}")))?;
        Ok(options)
    }

    fn partition(&self) -> Result<PartitionKind, Failure> {
        const KINDS: [(Partition, PartitionKind); 3] = [
            (Partition::Surfaces, PartitionKind::Surfaces),
            (Partition::Watershed, PartitionKind::Watershed),
            (Partition::Monotone, PartitionKind::Monotone),
        ];
        let kind = KINDS.iter().find(|(kind, _)| *kind as u32 == self.partition);
        kind.map(|&(_, kind)| kind).ok_or_else(|| unknown("settings.partition", self.partition))
    }
}

/// Writes the default settings of a pipeline, a wm_pipeline.
#[unsafe(no_mangle)]
pub extern "C" fn wm_settings_default(
    pipeline: u32,
    settings: Option<&mut MaybeUninit<Settings>>,
    error: Option<&mut MaybeUninit<Error>>,
) -> Status {
    guard(error, || put("settings", settings, Settings::of(Pipeline::of("pipeline", pipeline)?)))
}
