//! The crowd of the crate `landmass`, on our mesh.

use glam::Vec3;

use super::scenes::{CrowdScene, Trips};
use super::walkers::Walkers;
use super::{DT, RADIUS, SPEED};
use crate::{BenchError, Landmass};

/// Agents of landmass, in a program of its own, which moves each by the velocity that it is given.
pub(super) struct LandmassCrowd {
    program: Landmass,
    places: Vec<Option<Vec3>>,
    spent: f64,
}

impl LandmassCrowd {
    pub(super) fn new(scene: &CrowdScene, trips: &Trips) -> Result<Self, BenchError> {
        let mut program = Landmass::new(&scene.mesh, &trips.ends)?;
        program.begin_crowd(RADIUS, SPEED)?;
        Ok(Self { program, places: Vec::new(), spent: 0.0 })
    }
}

impl Walkers for LandmassCrowd {
    fn step(&mut self) -> Result<(), BenchError> {
        self.spent = self.program.step_crowd(DT, &mut self.places)? as f64 / 1e6;
        Ok(())
    }

    fn spent(&self) -> Option<f64> {
        Some(self.spent)
    }

    fn positions(&mut self, out: &mut Vec<Option<Vec3>>) {
        out.clone_from(&self.places);
    }

    fn leave(&mut self, index: usize) {
        self.program.leave_crowd(index);
    }
}
