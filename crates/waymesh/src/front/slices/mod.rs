//! Flat slices (Saupin and Le Garrec): soup, slices per tile, exact borders, steps as links.

mod links;

use std::sync::{Mutex, PoisonError};

use waymesh_core::stage::StageError;
use waymesh_core::{
    FieldWindow, HeadRooms, TriangleSource, Validate, nearest_f32, setters, warn_of_outliers, warn_of_shape,
};
use waymesh_slices::{Plane, SliceRegion, SlicesConfig, SpanGrid, slice_marked_world, slice_world};

use crate::bake::{
    BakeConfig, BakeError, Baker, Borders, FrontEnd, GridReport, Ground, Heights, InputLinks, Recorder,
    Refused, Report, StageSet, apply_marks, covered_in_all, distinct_triangles, warn_of_marks,
};

/// Flat slices: every region is a plane. A stair becomes a region per tread. A slope is cut into a
/// slice per level, and slices become one region where a plane lies within
/// [`BakeConfig::max_height_error_levels`] of all of them.
///
/// Regions that meet within a level, or within their errors, are neighbours across their border.
/// Steps of more than a level, up to the agent's, are links ([`waymesh_graph::LinkKind::Step`]), so
/// that a path names the stairs it takes; they also lead over narrow ground that is cut out. Ground
/// is divided where its area changes, along cells. Nothing is eroded: clearance is up to the query.
/// Borders are exact unless [`BakeConfig::max_edge_error`] allows for less.
///
/// # Guarantees
/// The same mesh for any number of threads, any tile side and any order of the triangles. No vertex
/// comes from a tile.
///
/// # References
/// Saupin and Le Garrec, Robust and Scalable Navmesh Generation with multiple levels and stairs
/// support.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Slices {
    /// Side of a tile in cells, 0 for one. The result does not depend on it. Default 256.
    pub tile_cells: u32,
    /// Widest gap in plan that a stair link bridges, in metres. Default 0.25.
    pub link_reach: f32,
    /// `true` if what is too steep to walk on stands in the way. Default `true`.
    pub steep_blocks: bool,
}

impl Default for Slices {
    fn default() -> Self {
        let SlicesConfig { tile_cells, link_reach, steep_blocks, .. } = SlicesConfig::default();
        Self { tile_cells, link_reach, steep_blocks }
    }
}

setters! {
    impl Slices {
        with_tile_cells(tile_cells: u32);
        with_link_reach(link_reach: f32);
        with_steep_blocks(steep_blocks: bool);
    }
}

impl FrontEnd for Slices {
    type Input = dyn TriangleSource;
    const NAME: &'static str = "slices";
    const REFUSED: Refused = &[
        ("agent.radius", "nothing is eroded; bake for radius 0, and give paths a radius (`with_clearance`)"),
        ("max_ledge", "every step up to `agent.max_step` is a link already"),
        ("merge_region", "regions are the slices; `max_height_error_levels` merges them to slopes"),
        ("height_classes", "slices are told by their levels; use voxels or storeys"),
        ("partition", "regions are the slices"),
        ("with_voxelize", "spans of slices are exact; there are no voxels"),
        ("with_raster_device", "spans of slices are exact; there are no voxels"),
        ("with_rough_device", "slices are cut from triangles; there are no rough voxels"),
        ("with_depth_device", "slices are cut from triangles; there are no depth maps"),
        ("with_build_field", "spans of slices are exact; there is no field"),
        ("with_partition", "regions are the slices"),
        ("with_trace", "slices come with their borders"),
        ("with_fit_heights", "every region is a plane"),
    ];

    /// Cells of 0.05 m, levels of 0.02 m, an agent of no radius that takes steps of 0.5 m, as in
    /// the paper; exact borders.
    fn defaults() -> BakeConfig {
        let SlicesConfig { scale, agent, .. } = SlicesConfig::default();
        BakeConfig::default()
            .with_scale(scale.cell_size, scale.level_height)
            .with_agent(agent)
            .with_max_edge_error(0.0)
            .with_max_edge_length(0.0)
            .with_min_region(0.0)
    }

    fn ground<'a>(
        &'a self,
        source: &'a dyn TriangleSource,
        stages: &'a StageSet,
        recorder: &mut Recorder<'_>,
    ) -> Result<Ground<'a>, BakeError> {
        let config = stages.config();
        let (soup, triangles) = distinct_triangles(source, config)?;
        let soup = &*soup;
        warn_of_outliers(soup, &config.scale, recorder);
        warn_of_shape(soup, &config.agent, &config.scale, recorder);
        let settings = SlicesConfig::default()
            .with_scale(config.scale)
            .with_agent(config.agent)
            .with_tile_cells(self.tile_cells)
            .with_link_reach(self.link_reach)
            .with_steep_blocks(self.steep_blocks)
            .with_max_height_error_levels(config.max_height_error_levels)
            .with_max_memory_bytes(config.max_memory_bytes);
        let covers = Mutex::new(Vec::new());
        let mark = |part: &mut FieldWindow<SpanGrid>| {
            let rooms = HeadRooms::default();
            let found = apply_marks(&config.marks, |mark| mark.apply_to_window(part, &rooms))?;
            covers.lock().unwrap_or_else(PoisonError::into_inner).push(found);
            Ok(())
        };
        let slices = recorder.stage("slices", |observer| {
            let slices = if config.marks.is_empty() {
                slice_world(soup, &settings, observer)
            } else {
                slice_marked_world(soup, &settings, &mark, observer)
            };
            slices.map_err(|error| StageError::new("slices", error))
        })?;
        let covers = covers.into_inner().unwrap_or_else(PoisonError::into_inner);
        warn_of_marks(&config.marks, &covered_in_all(config.marks.len(), &covers), recorder);
        stages.check("slices", |list| slices.violations(list))?;
        if slices.regions.is_empty() {
            let hint = "no triangle faces up within the steepest slope with room above it; is `up` the axis that points \
                 up, or should `winding` be flipped?";
            return Err(BakeError::NothingWalkable { stage: "slices", hint });
        }
        let walkable: u64 = slices.regions.iter().map(|region| region.cells).sum();
        let report = Report {
            triangles,
            grid: GridReport::of(&slices.contours.frame),
            spans: slices.spans,
            walkable_spans: walkable,
            walkable_area: walkable as f64 * slices.contours.frame.cell_area(),
            regions: slices.regions.len() as u64,
            tiles: slices.tiles,
            ..Report::default()
        };
        let (regions, links) = (slices.regions, slices.links);
        let planes = regions
            .iter()
            .map(|SliceRegion { ground: Plane { at_origin, rise, .. }, .. }| [*at_origin, rise[0], rise[1]]);
        // The ground lies at most one level below that of its cell, and what it rises within one.
        let max_error = 1.0 + nearest_f32(regions.iter().map(|region| region.error).fold(0.0, f64::max));
        let heights = Heights::Planes { planes: planes.collect(), max_error };
        Ok(Ground {
            links: InputLinks::found_by(move |polygons, _| Ok(links::all(polygons, &regions, &links))),
            min_island: config.min_region,
            ..Ground::new(Borders::Exact(slices.contours), heights, report)
        })
    }

    fn triangles<'a>(source: &'a (dyn TriangleSource + 'static)) -> Option<&'a dyn TriangleSource> {
        Some(source)
    }
}

impl Baker<Slices> {
    /// Flat slices of cells of 0.05 m and levels of 0.02 m.
    #[must_use]
    pub fn slices() -> Self {
        Self::new(Slices::default(), Slices::defaults())
    }
}
