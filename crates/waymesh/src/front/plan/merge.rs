//! Near vertices of a plan's ground become one.

use waymesh_core::stage::StageError;
use waymesh_core::{Observer, PolygonSet, RegionId, Warning};
use waymesh_triangulate::{RepairConfig, TriangulateError, repair_polygons};

use super::metres;
use crate::bake::{BakeError, Recorder};

/// Merges vertices of regions that are nearer than `distance`; 0 changes nothing. Ground that is
/// disconnected by that becomes a separate region, after all others: returns those with their
/// original regions.
pub(super) fn merged(
    shapes: PolygonSet,
    distance: f64,
    recorder: &mut Recorder<'_>,
) -> Result<(PolygonSet, Vec<[RegionId; 2]>), BakeError> {
    if distance <= 0.0 {
        return Ok((shapes, Vec::new()));
    }
    let distance = metres(distance);
    let repair = RepairConfig::default().with_near_distance(distance).with_max_border_shift(distance);
    let outcome = recorder.stage("merge", |_| match repair_polygons(&shapes, &repair) {
        Ok(merged) => Ok(Ok(merged)),
        Err(error @ TriangulateError::CannotRepair { .. }) => Ok(Err(error)),
        Err(error) => Err(StageError::new("merge", error)),
    })?;
    let (merged, report) = match outcome {
        Ok(merged) => merged,
        Err(error) => {
            // The ground is sound without it.
            warn(format!("left out: {error}"), recorder);
            return Ok((shapes, Vec::new()));
        }
    };
    if merged.polygons.is_empty() {
        let hint = "all ground is narrower than the merge distance";
        return Err(BakeError::NothingWalkable { stage: "merge", hint });
    }
    if !report.vanished.is_empty() {
        let what = format!("{} pieces of ground are too narrow and left out", report.vanished.len());
        warn(what, recorder);
    }
    Ok((merged, report.split_off))
}

fn warn(what: String, observer: &mut dyn Observer) {
    observer.warn(Warning::OddElement { element: "merging of near vertices".into(), what });
}
