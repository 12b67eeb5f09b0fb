//! Coverage, excess and height error: compares the mesh with the ground.

use glam::DVec3;
use waymesh_core::threads;

use crate::mesh::{JudgedMesh, MeshIndex};
use crate::oracle::{Obstruction, Oracle, Scratch, Verdict};
use crate::report::{Evaluation, Excess, HeightError, Places, Sorted, share};
use crate::spread::spread;

/// Finds which standable samples lie on the mesh, and how far above or below.
pub(crate) fn judge_coverage(
    oracle: &Oracle,
    index: &MeshIndex<'_>,
    evaluation: &mut Evaluation,
    places: &mut Places,
) {
    let tolerance = oracle.height_tolerance();
    let standable: Vec<DVec3> = oracle
        .samples
        .iter()
        .filter(|sample| sample.verdict == Verdict::Standable)
        .map(|sample| sample.position.as_dvec3())
        .collect();
    let rises: Vec<Option<f64>> =
        threads::map(&standable, |&at| index.locate(at, tolerance).map(|(_, height)| height - at.y));
    evaluation.samples = oracle.samples.len();
    evaluation.standable = standable.len();
    evaluation.uncertain =
        oracle.samples.iter().filter(|sample| sample.verdict == Verdict::Uncertain).count();
    let covered: Vec<f64> = rises.iter().flatten().copied().collect();
    evaluation.coverage = share(covered.len() as f64, standable.len());
    let missed = standable.iter().zip(&rises).filter(|(_, rise)| rise.is_none());
    places.missed.extend(missed.map(|(at, _)| at.as_vec3()));
    places.missed_side = oracle.sample_side;
    let sizes = Sorted::new(covered.iter().map(|rise| rise.abs()));
    evaluation.height_error = HeightError {
        mean: share(covered.iter().sum(), covered.len()),
        p50: sizes.percentile(0.5),
        p95: sizes.percentile(0.95),
        max: sizes.max(),
    };
}

/// Finds where the mesh is but an agent cannot stand, and what of it solids enclose.
pub(crate) fn judge_excess(
    oracle: &Oracle,
    mesh: &JudgedMesh,
    evaluation: &mut Evaluation,
    places: &mut Places,
) {
    let (points, side) = spread(&mesh.ground, oracle.config.samples, oracle.config.seed ^ 0x005E_ED0F_3E54);
    let verdicts: Vec<Verdict> =
        threads::map_with(&points, |scratch: &mut Scratch, &(_, at)| oracle.verdict_on_mesh(at, scratch));
    let reasons: Vec<(DVec3, Obstruction)> = points
        .iter()
        .zip(&verdicts)
        .filter_map(|(&(_, at), verdict)| match verdict {
            Verdict::Obstructed(reason) => Some((at, *reason)),
            _ => None,
        })
        .collect();
    let part = |wanted: Obstruction| {
        let count = reasons.iter().filter(|(_, reason)| *reason == wanted).count();
        share(count as f64, points.len())
    };
    evaluation.excess = Excess {
        total: share(reasons.len() as f64, points.len()),
        solid: part(Obstruction::Solid),
        ceiling: part(Obstruction::Ceiling),
        wall: part(Obstruction::Wall),
        drop: part(Obstruction::Drop),
    };
    let eyes = DVec3::Y * f64::from(oracle.agent.height) / 2.0;
    let is_enclosed = threads::map(&points, |&(_, at)| oracle.scene.is_inside_solid(at + eyes));
    evaluation.enclosed = share(is_enclosed.iter().filter(|is| **is).count() as f64, points.len());
    places.excess.extend(reasons.iter().map(|(at, reason)| (at.as_vec3(), *reason)));
    places.excess_side = side;
}
