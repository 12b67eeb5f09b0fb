//! Gentle hills that are the same for every tile.

use waymesh_core::{Random, nearest_f32};

use crate::angles::sin_cos;

/// Wavelength and amplitude in metres. The slope is 13 % where all waves are steepest.
const WAVES: [(f64, f64); 3] = [(1900.0, 12.0), (610.0, 4.0), (170.0, 0.7)];

/// Height of the open ground at any place of the world: a sum of waves along x and along z.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relief {
    /// Where each wave starts along x and z, in turns; `None` if the world is flat.
    phases: Option<[[f64; 2]; WAVES.len()]>,
}

impl Relief {
    pub(super) fn flat() -> Self {
        Self { phases: None }
    }

    pub(super) fn hills(seed: u64) -> Self {
        let mut random = Random::new(Random::mix(seed ^ 0x7265_6c69_6566));
        Self { phases: Some([(); WAVES.len()].map(|()| [random.unit_f64(), random.unit_f64()])) }
    }

    pub(super) fn height(&self, x: f32, z: f32) -> f32 {
        let Some(phases) = self.phases else { return 0.0 };
        let mut sum = 0.0;
        for ((length, amplitude), phase) in WAVES.into_iter().zip(phases) {
            for (along, phase) in [x, z].into_iter().zip(phase) {
                let (sine, _) = sin_cos(f64::from(along) / length + phase);
                sum += amplitude * f64::from(sine);
            }
        }
        nearest_f32(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hills_are_gentle() {
        for seed in 0..5 {
            let relief = Relief::hills(seed);
            let mut range = [f32::MAX, f32::MIN];
            for step in 0_u16..2000 {
                let x = f32::from(step);
                let height = relief.height(x, 700.0);
                let slope = relief.height(x + 1.0, 700.0) - height;
                assert!(slope.abs() < 0.12, "{slope} at {x}");
                range = [range[0].min(height), range[1].max(height)];
            }
            assert!(range[1] - range[0] > 5.0, "flat after all: {range:?}");
        }
    }
}
