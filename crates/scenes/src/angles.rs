//! Sines and cosines that are the same on every machine.

use waymesh_core::nearest_f32;

/// Sine and cosine of a whole number of turns, by power series: only additions and products, which
/// IEEE 754 fixes to the bit. Error below 1e-7.
pub(crate) fn sin_cos(turns: f64) -> (f32, f32) {
    let angle = (turns - turns.round()) * std::f64::consts::TAU;
    let square = angle * angle;
    let (mut sine, mut cosine) = (0.0, 0.0);
    // Horner from the 25th power down; pi^26 / 26! is below 1e-13.
    for step in (0..13).rev() {
        let power = f64::from(step) * 2.0;
        sine = 1.0 - square / ((power + 2.0) * (power + 3.0)) * sine;
        cosine = 1.0 - square / ((power + 1.0) * (power + 2.0)) * cosine;
    }
    (nearest_f32(angle * sine), nearest_f32(cosine))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_agrees_with_the_platform() {
        for step in -300..300 {
            let turns = f64::from(step) / 97.0;
            let (sine, cosine) = sin_cos(turns);
            let angle = turns * std::f64::consts::TAU;
            assert!((f64::from(sine) - angle.sin()).abs() < 1e-6, "sin {turns}");
            assert!((f64::from(cosine) - angle.cos()).abs() < 1e-6, "cos {turns}");
        }
    }
}
