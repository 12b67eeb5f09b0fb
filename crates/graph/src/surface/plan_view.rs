//! The ground at one height, seen from above.

use glam::Vec3;
use waymesh_core::{BadField, Bounds, checkpoint_every, threads};

use crate::locate::reach::{Reach, unless_0_or_more};
use crate::mesh::filter::AnyPolygon;
use crate::mesh::islands::IslandId;
use crate::mesh::nav_mesh::NavMesh;

/// Most samples of a view: one of 16,384 by 16,384.
const MOST_SAMPLES: f64 = 268_435_456.0;

/// Islands under the samples of a grid in plan: the result of [`NavMesh::plan_view`].
#[derive(Clone, Debug, PartialEq)]
pub struct PlanView {
    /// Place of the first sample, at the requested height.
    pub origin: Vec3,
    /// Metres from sample to sample, along x and z.
    pub step: f32,
    /// Samples along x.
    pub width: usize,
    /// Samples along z.
    pub depth: usize,
    /// The island at each sample, row by row along x; `None` where there is no ground.
    pub islands: Vec<Option<IslandId>>,
}

impl NavMesh {
    /// Samples the ground from above, on a grid that begins at the lower corner of
    /// [`NavMesh::world_bounds`].
    ///
    /// - A sample is on the ground if some lies straight below or above it, at most `reach` from
    ///   `height`: of several the nearest counts.
    /// - All threads of the rayon pool work on it.
    ///
    /// # Errors
    /// For a step that is not above 0, or so short that there are more than 2^28 samples; a height
    /// that is not finite; a reach that is NaN or negative.
    pub fn plan_view(&self, step: f32, height: f32, reach: f32) -> Result<PlanView, BadField> {
        BadField::unless_positive("step", step)?;
        BadField::unless(height.is_finite(), "height", height, "finite")?;
        unless_0_or_more("reach", reach)?;
        let empty =
            PlanView { origin: Vec3::new(0.0, height, 0.0), step, width: 0, depth: 0, islands: Vec::new() };
        let Some(Bounds { min, max }) = self.world_bounds() else { return Ok(empty) };
        let [width, depth] =
            [max.x - min.x, max.z - min.z].map(|side| (f64::from(side) / f64::from(step)).floor());
        BadField::unless(
            width * depth <= MOST_SAMPLES,
            "step",
            step,
            "long enough for 2^28 samples at most",
        )?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked against the limit"
        )]
        let [width, depth] = [width as usize, depth as usize];
        let reach = Reach::new(0.0, reach, reach);
        let origin = Vec3::new(min.x, height, min.z);
        let rows = threads::map(0..depth, |row| {
            let z = row as f32 * step + origin.z;
            let island = |column: usize| {
                checkpoint_every(1 << 10, column);
                let sample = Vec3::new(column as f32 * step + origin.x, height, z);
                let place = self.nearest_with(sample, &reach, &AnyPolygon)?;
                self.island_of(place.polygon)
            };
            (0..width).map(island).collect::<Vec<_>>()
        });
        Ok(PlanView { origin, width, depth, islands: rows.concat(), ..empty })
    }
}
