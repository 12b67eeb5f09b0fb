//! Functions of floating point numbers that give the same bits on every machine.
//!
//! Those of the standard library are the platform's: a sine may differ in its last bit between
//! two systems, and with it the bytes of a mesh. Sums, products, quotients and square roots are
//! fixed by IEEE 754 and need none of this.

use std::ops::Mul;

pub use libm::{
    acos, asin, atan, atan2, cos, exp2, hypot, log as ln, log2, log10, pow as powf, sin, sincos as sin_cos,
    tan,
};

/// A number by itself: `powi` has no fixed last bit.
#[inline]
#[must_use]
pub fn squared<T: Copy + Mul<Output = T>>(value: T) -> T {
    value * value
}

/// Two to the power of `exponent`, exactly. Exponents beyond those of normal numbers, -1022 to
/// 1023, count as the last ones.
#[inline]
#[must_use]
pub fn power_of_two(exponent: i32) -> f64 {
    let biased = exponent.clamp(-1022, 1023) + 1023;
    f64::from_bits(u64::from(biased.unsigned_abs()) << 52)
}
