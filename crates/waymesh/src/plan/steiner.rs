//! What a plan asks of the triangulation: vertices that become one, borders in pieces, and a grid
//! of points inside.

use waymesh_core::stage::StageError;
use waymesh_core::{Observer, PolyMesh, PolygonSet, Triangulation, Validate, Violation, Warning};
use waymesh_floorplan::PlanConfig;
use waymesh_triangulate::{
    RefineConfig, RepairConfig, TriangulateError, refine_triangulation, repair_polygons,
};

use crate::config::DecompositionKind;
use crate::pipeline::{BakeError, Pipeline};
use crate::report::Recorder;

/// How far a point that splits a slanted border may lie beside it, in cells: so much lets every
/// edge be split.
pub(super) const SHIFT_CELLS: f64 = 1.5;

impl Pipeline {
    /// Polygons whose near vertices are one. Ground that came apart is a region of its own, on the
    /// storey that it was on.
    pub(super) fn merged(
        &self,
        polygons: PolygonSet,
        config: &PlanConfig,
        storeys: &mut Vec<usize>,
        recorder: &mut Recorder<'_>,
    ) -> Result<PolygonSet, BakeError> {
        if config.merge_distance <= 0.0 {
            return Ok(polygons);
        }
        let distance = metres(config.merge_distance);
        let repair = RepairConfig::default().with_near_distance(distance).with_max_border_shift(distance);
        let outcome = recorder.stage("merge", |_| match repair_polygons(&polygons, &repair) {
            Ok(merged) => Ok(Ok(merged)),
            Err(error @ TriangulateError::CannotRepair { .. }) => Ok(Err(error)),
            Err(error) => Err(StageError::new("merge", error)),
        })?;
        let (merged, report) = match outcome {
            Ok(merged) => merged,
            Err(error) => {
                // The ground is sound without it.
                warn("merging of near vertices", format!("left out: {error}"), recorder);
                return Ok(polygons);
            }
        };
        if merged.polygons.is_empty() {
            let hint = "all ground is narrower than the merge distance";
            return Err(BakeError::NothingWalkable { stage: "merge", hint });
        }
        for &[piece, origin] in &report.split_off {
            let storey = storeys.get(origin.index()).copied().unwrap_or(0);
            storeys.resize(storeys.len().max(piece.index() + 1), storey);
        }
        if !report.vanished.is_empty() {
            let what = format!("{} pieces of ground are too narrow and left out", report.vanished.len());
            warn("merging of near vertices", what, recorder);
        }
        Ok(merged)
    }

    /// Triangles, with the points that the plan asks for.
    pub(super) fn plan_triangles(
        &self,
        polygons: &PolygonSet,
        config: &PlanConfig,
        recorder: &mut Recorder<'_>,
    ) -> Result<Triangulation, BakeError> {
        let plain = self.triangles_of(polygons, recorder)?;
        if config.max_edge_length <= 0.0 && config.steiner_grid <= 0.0 {
            return Ok(plain);
        }
        let refine = refine_config(config, f64::from(polygons.frame.cell_size));
        let (refined, report) = recorder.stage("refine", |_| {
            refine_triangulation(&plain, &refine).map_err(|error| StageError::new("refine", error))
        })?;
        self.check("refine", |list| {
            refined.violations(list);
            let (expected, actual) = (plain.doubled_area(), refined.doubled_area());
            if actual > expected {
                list.push(Violation::AreaLost { stage: "refine", expected, actual });
            }
        })?;
        if report.long_edges_left > 0 {
            let what = format!("{} stay longer than asked for, for want of room", report.long_edges_left);
            warn("border edges", what, recorder);
        }
        Ok(refined)
    }

    /// Polygons. Notch portals would leave out the points of the grid, all of them, whatever the
    /// most corners of a polygon: merging keeps what its polygons need.
    pub(super) fn plan_polygons(
        &self,
        triangulation: &Triangulation,
        config: &PlanConfig,
        recorder: &mut Recorder<'_>,
    ) -> Result<PolyMesh, BakeError> {
        let decomposition = match self.config().decomposition {
            DecompositionKind::NotchPortals if config.steiner_grid > 0.0 => DecompositionKind::Greedy,
            asked_for => asked_for,
        };
        self.polygons_by(decomposition, triangulation, recorder)
    }
}

fn refine_config(config: &PlanConfig, cell_size: f64) -> RefineConfig {
    let or_none = |length: f64| if length > 0.0 { metres(length) } else { f32::INFINITY };
    let spacing = or_none(config.steiner_grid);
    let defaults = RefineConfig::default();
    defaults
        .with_max_edge_length(or_none(config.max_edge_length))
        .with_grid_spacing(spacing)
        // Points of the grid keep to each other, and half as far from borders.
        .with_min_edge_length(defaults.min_edge_length.min(spacing / 2.0))
        .with_max_border_shift(metres(SHIFT_CELLS * cell_size))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "lengths that need not be exact; what is too large for them is no limit"
)]
fn metres(length: f64) -> f32 {
    (length as f32).max(f32::MIN_POSITIVE)
}

fn warn(element: &str, what: String, observer: &mut dyn Observer) {
    observer.warn(Warning::OddElement { element: element.into(), what });
}
