//! Tracing of labelled spans into arcs and loops with a vertex at every grid step.

use waymesh_core::stage::{StageError, TraceContours};
use waymesh_core::{
    ContourSet, FieldWindow, GridWindow, MAX_PLAN_COORDINATE, Observer, PlanPoint, RegionMap, WalkableField,
};

use crate::ContourError;
use crate::chains::BorderChains;
use crate::scan::BorderScan;
use crate::stitch::stitch;

/// Traces the borders of all regions.
///
/// Every side of a span beyond which its region ends is a half-edge, with the region (or nothing)
/// beyond it. Half-edges are chained around the corner through spans of the same region; half-edges
/// that meet at a corner through links share a vertex. A vertex where the region beyond changes, or
/// where the border of the region beyond turns off, is a junction; an arc is the border between two
/// junctions, and belongs to both its sides.
///
/// The result equals that of [`trace_window`] for the whole field, followed by [`stitch`].
///
/// # Guarantees
/// - There is a vertex at every grid step. Heights are the mean ground of the (up to four) spans
///   that meet at the corner.
/// - Arcs between two regions have the lower region id on their left. A closed arc without junction
///   starts at its vertex of lowest `(z, x)`.
/// - The area of a region's polygon with holes, in cells, is its number of spans.
/// - Regions, loops (outer border first), arcs and vertices are numbered in row-major order of
///   their first point.
///
/// # Cost
/// One pass over all spans, then linear in the length of the borders. About 100 bytes per border
/// span.
///
/// # Errors
/// If the tables differ in length, a link has no link back, or a region breaks its contract: a
/// label out of range, several pieces, or two adjacent spans without a link between them.
///
/// # References
/// Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 4.
pub fn trace_contours(field: &WalkableField, regions: &RegionMap) -> Result<ContourSet, ContourError> {
    let core = GridWindow::whole(&field.frame);
    let chains = BorderChains::trace(field, regions, core, PlanPoint::new(0, 0))?;
    stitch(field.frame, vec![chains], regions.count)
}

/// Traces the borders in the core of one part of a field, for [`stitch`].
///
/// `regions` labels every span that the part holds, including those of the ring around the core,
/// with regions of the whole field.
///
/// # Cost
/// One pass over the spans of the part, then linear in the length of its borders. About 100 bytes
/// per border span.
///
/// # Errors
/// The errors of [`trace_contours`] that are visible in the part, or if the part does not hold its
/// core and the ring around it.
pub fn trace_window(
    part: &FieldWindow<impl BorderScan>,
    regions: &RegionMap,
) -> Result<BorderChains, ContourError> {
    let (window, core, field) = (part.window, part.core, &part.field);
    let held = core.grown(1, &part.frame);
    let fits = field.width() == window.width && field.columns().len() as u64 == window.column_count() + 1;
    if !fits || !window.covers(&held) || !GridWindow::whole(&part.frame).covers(&window) {
        return Err(ContourError::BrokenWindow { window, core });
    }
    if window.end_x().max(window.end_z()) > MAX_PLAN_COORDINATE.unsigned_abs() {
        return Err(ContourError::BrokenWindow { window, core });
    }
    let local = GridWindow::new(core.x - window.x, core.z - window.z, core.width, core.depth);
    let origin = PlanPoint::new(window.x.cast_signed(), window.z.cast_signed());
    BorderChains::trace(field, regions, local, origin)
}

/// [`trace_contours`] as a stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct BorderWalk;

impl TraceContours for BorderWalk {
    fn trace(
        &self,
        field: &WalkableField,
        regions: &RegionMap,
        _observer: &mut dyn Observer,
    ) -> Result<ContourSet, StageError> {
        trace_contours(field, regions).map_err(|error| StageError::new("trace", error))
    }
}
