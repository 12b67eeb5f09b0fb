//! One tile: its voxels as they are kept, and what is built of them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use waymesh_core::stage::StageError;
use waymesh_core::{
    CancelToken, FieldWindow, GridFrame, GridWindow, HeadRooms, Heightfield, PackedRegions, RegionMap,
    TriangleSoup, Validate,
};
use waymesh_voxel::{
    Climb, Mark, Obstacle, PackedField, PackedHeightfield, VoxelConfig, VoxelError, stamp_obstacles,
};

use super::packed_polygons::PackedPolygons;
use super::polygons::{TilePolygons, tile_polygons};
use super::tile_file::{self, Prebaked, digest};
use crate::bake::{BakeError, Recorder, StageSet};
use crate::front::voxels::{field_builder, field_window};
use crate::links::jumps::Obstacles as Flights;

pub(super) fn failed(error: waymesh_voxel::VoxelError) -> BakeError {
    StageError::new("voxelize", error).into()
}

fn voxels(stages: &StageSet) -> VoxelConfig {
    let config = stages.config();
    VoxelConfig::for_agent(&config.agent)
        .with_scale(config.scale)
        .with_threads(1)
        .with_max_memory_bytes(config.max_memory_bytes)
}

/// The solid voxels of a tile, without obstacles.
#[derive(Debug)]
pub(super) struct KeptTile {
    solid: PackedHeightfield,
    /// Their columns: the tile's own, and those around it if it was read.
    window: GridWindow,
    /// Checksum of the voxels in the tile's columns.
    digest: OnceLock<u64>,
    /// The result that was read with the tile.
    pub(super) prebaked: Option<Prebaked>,
    /// Source triangles, if jumps are searched.
    pub(super) triangles: TriangleSoup,
    /// The triangles with an index.
    flights: OnceLock<Option<Flights>>,
}

impl KeptTile {
    pub(super) fn rasterize(
        stages: &StageSet,
        frame: &GridFrame,
        core: GridWindow,
        soup: &TriangleSoup,
    ) -> Result<Self, BakeError> {
        let solid = stages.rasterize_window(soup, frame, core, &voxels(stages))?;
        let triangles = if stages.config().jumps.is_some() { soup.clone() } else { TriangleSoup::default() };
        Ok(Self {
            solid: PackedHeightfield::pack(&solid).map_err(failed)?,
            window: core,
            digest: OnceLock::new(),
            prebaked: None,
            triangles,
            flights: OnceLock::new(),
        })
    }

    /// Makes a tile that was read, with the checksum of its voxels.
    pub(super) fn prebaked(
        solid: PackedHeightfield,
        window: GridWindow,
        digest: u64,
        triangles: TriangleSoup,
        prebaked: Prebaked,
    ) -> Self {
        let flights = OnceLock::new();
        Self { solid, window, digest: digest.into(), prebaked: Some(prebaked), triangles, flights }
    }

    /// Returns the checksum of the voxels in the tile's columns.
    pub(super) fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| digest(self.solid.as_bytes()))
    }

    /// Its triangles, to be looked up.
    pub(super) fn flights(&self) -> Option<&Flights> {
        // A soup can always be read.
        self.flights.get_or_init(|| Flights::new(&self.triangles).ok()).as_ref()
    }

    /// The memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let soup = &self.triangles;
        let triangles = size_of_val(soup.positions()) + size_of_val(soup.triangles()) + soup.areas().len();
        self.solid.as_bytes().len() + triangles
    }

    fn unpack(&self, frame: &GridFrame) -> Result<Heightfield, BakeError> {
        let solid = self.solid.unpack().map_err(failed)?;
        if solid.frame == frame.window(self.window) {
            return Ok(solid);
        }
        Err(failed(waymesh_voxel::VoxelError::Damaged { what: "voxels of a tile: other columns", at: 0 }))
    }
}

/// A mark of a world.
#[derive(Debug)]
pub(super) struct WorldMark {
    pub(super) mark: Mark,
    /// The columns that it reaches into.
    pub(super) columns: GridWindow,
    /// `true` once it was applied to ground.
    covers: AtomicBool,
}

impl WorldMark {
    pub(super) fn new(mark: Mark, columns: GridWindow) -> Self {
        Self { mark, columns, covers: AtomicBool::new(false) }
    }

    fn apply(&self, part: &mut FieldWindow, rooms: &HeadRooms) -> Result<(), VoxelError> {
        if self.mark.apply_to_window(part, rooms)? > 0 {
            self.covers.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// `true` if no tile that was built has ground in it.
    pub(super) fn is_untouched(&self) -> bool {
        !self.covers.load(Ordering::Relaxed)
    }
}

/// The result built from a tile and the voxels around it.
#[derive(Debug)]
pub(super) struct BuiltTile {
    pub(super) polygons: PackedPolygons,
    /// Its columns and the ring around them.
    pub(super) field: PackedField,
    /// Region of each span of the field in its own numbers.
    pub(super) labels: PackedRegions,
    /// Climbs of the agent from its columns.
    pub(super) climbs: Vec<Climb>,
    digest: OnceLock<u64>,
}

impl BuiltTile {
    pub(super) fn new(
        polygons: &TilePolygons,
        field: PackedField,
        labels: PackedRegions,
        climbs: Vec<Climb>,
        digest: Option<u64>,
    ) -> Self {
        let digest = digest.map_or_else(OnceLock::new, OnceLock::from);
        Self { polygons: PackedPolygons::pack(polygons), field, labels, climbs, digest }
    }

    /// Number of its regions.
    pub(super) fn regions(&self) -> u32 {
        self.labels.changes().1
    }

    /// `true` if there is nothing else in another.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        let of = |tile: &Self| (tile.labels.clone(), tile.climbs.clone());
        self.field.as_bytes() == other.field.as_bytes()
            && self.polygons == other.polygons
            && of(self) == of(other)
    }

    /// The memory that its field takes.
    pub(super) fn field_bytes(&self) -> usize {
        self.field.as_bytes().len() + size_of_val(self.labels.changes().0) + size_of_val(&*self.climbs)
    }

    /// Returns the memory of all but the voxels in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.polygons.bytes()
    }

    /// Its checksum.
    pub(super) fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| digest(&tile_file::built_to_bytes(self)))
    }

    pub(super) fn build(
        stages: &StageSet,
        frame: &GridFrame,
        core: GridWindow,
        window: GridWindow,
        mut heightfield: Heightfield,
        obstacles: &[Obstacle],
        marks: &[&WorldMark],
    ) -> Result<Self, BakeError> {
        let builder = field_builder(stages.config());
        if !obstacles.is_empty() {
            stamp_obstacles(&mut heightfield, frame, window, obstacles, &voxels(stages), &mut ())
                .map_err(failed)?;
        }
        let (mut part, climbs) =
            field_window(&heightfield, frame, [window, core], &builder, stages.config(), &mut ())
                .map_err(failed)?;
        drop(heightfield);
        for mark in marks {
            mark.apply(&mut part, &builder.head_rooms).map_err(StageError::at("marks"))?;
        }
        stages.check("field", |list| part.violations(list))?;
        let (polygons, labels, regions) =
            tile_polygons(stages, &part, &mut Recorder::new(&mut CancelToken::current()))?;
        let labels = RegionMap { labels, count: regions }.pack(&part.field);
        Ok(Self::new(&polygons, PackedField::pack(&part).map_err(failed)?, labels, climbs, None))
    }
}

/// The voxels of a window, from the tiles that hold them. Columns whose tile is not there come from
/// `own`, if it was read with them, and are empty else.
pub(super) fn gather(
    frame: &GridFrame,
    window: GridWindow,
    around: &[(GridWindow, &KeptTile)],
    own: &KeptTile,
) -> Result<Heightfield, BakeError> {
    let read = |core: GridWindow, kept: &KeptTile| Ok((core, kept.window, kept.unpack(frame)?));
    let mut tiles: Vec<(GridWindow, GridWindow, Heightfield)> =
        around.iter().map(|&(core, kept)| read(core, kept)).collect::<Result<_, BakeError>>()?;
    if own.prebaked.is_some() {
        tiles.push(read(own.window, own)?);
    }
    let mut result = Heightfield { frame: frame.window(window), columns: vec![0], spans: Vec::new() };
    for z in window.z..window.end_z() {
        for x in window.x..window.end_x() {
            if let Some((_, held, tile)) = tiles.iter().find(|(core, ..)| core.contains(x, z)) {
                let column = (z - held.z) as usize * held.width as usize + (x - held.x) as usize;
                let spans = tile.columns[column] as usize..tile.columns[column + 1] as usize;
                result.spans.extend_from_slice(&tile.spans[spans]);
            }
            result.columns.push(u32::try_from(result.spans.len()).unwrap_or(u32::MAX));
        }
    }
    Ok(result)
}
