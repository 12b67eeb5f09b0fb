//! Build of a tile from its voxels and those around it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use waymesh_core::stage::StageError;
use waymesh_core::{
    CancelToken, FieldWindow, GridFrame, GridWindow, HeadRooms, Heightfield, PackedRegions, RegionMap,
    Validate,
};
use waymesh_voxel::{Climb, Mark, Obstacle, PackedField, VoxelConfig, VoxelError, stamp_obstacles};

use super::packed_polygons::PackedPolygons;
use super::polygons::tile_polygons;
use crate::bake::{BakeError, Recorder, StageSet};
use crate::front::voxels::{field_builder, field_window};

pub(super) fn failed(error: waymesh_voxel::VoxelError) -> BakeError {
    StageError::new("voxelize", error).into()
}

pub(super) fn voxels(stages: &StageSet) -> VoxelConfig {
    let config = stages.config();
    VoxelConfig::for_agent(&config.agent)
        .with_scale(config.scale)
        .with_threads(1)
        .with_max_memory_bytes(config.max_memory_bytes)
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
        self.covers.fetch_or(self.mark.apply_to_window(part, rooms)? > 0, Ordering::Relaxed);
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
    /// Checksum of its bytes, computed at the first use.
    pub(super) digest: OnceLock<u64>,
}

impl PartialEq for BuiltTile {
    /// Returns `true` if both have the same content; their checksums need not be known.
    fn eq(&self, other: &Self) -> bool {
        self.field.as_bytes() == other.field.as_bytes()
            && self.polygons == other.polygons
            && self.labels == other.labels
            && self.climbs == other.climbs
    }
}

impl BuiltTile {
    pub(super) fn new(
        polygons: PackedPolygons,
        field: PackedField,
        labels: PackedRegions,
        climbs: Vec<Climb>,
        digest: Option<u64>,
    ) -> Self {
        let digest = digest.map_or_else(OnceLock::new, OnceLock::from);
        Self { polygons, field, labels, climbs, digest }
    }

    /// Number of its regions.
    pub(super) fn regions(&self) -> u32 {
        self.labels.changes().1
    }

    /// The memory that its field takes.
    pub(super) fn field_bytes(&self) -> usize {
        self.field.as_bytes().len() + size_of_val(self.labels.changes().0) + size_of_val(&*self.climbs)
    }

    /// Returns the memory of all but the voxels in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.polygons.as_bytes().len()
    }

    pub(super) fn build(
        stages: &StageSet,
        frame: &GridFrame,
        [window, core]: [GridWindow; 2],
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
        let (polygons, field) = (PackedPolygons::pack(&polygons), PackedField::pack(&part));
        Ok(Self::new(polygons, field.map_err(failed)?, labels, climbs, None))
    }
}
