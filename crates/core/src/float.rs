//! Floating-point functions that give the same bits on every machine.
//!
//! The functions of the standard library are those of the platform: a sine may differ in its last
//! bit between two systems, and with it the bytes of a mesh. Sums, products, quotients and square
//! roots are fixed by IEEE 754 and need no replacement.

use std::ops::Mul;

pub use libm::{
    acos, asin, atan, atan2, cos, exp2, hypot, log as ln, log2, log10, pow as powf, sin, sincos as sin_cos,
    tan,
};

/// Returns the square of a number. The last bit of `powi` is not specified.
#[inline]
#[must_use]
pub fn squared<T: Copy + Mul<Output = T>>(value: T) -> T {
    value * value
}

/// Returns two to the power of `exponent`, exactly. Exponents are clamped to those of normal
/// numbers, -1022 to 1023.
#[inline]
#[must_use]
pub fn power_of_two(exponent: i32) -> f64 {
    let biased = exponent.clamp(-1022, 1023) + 1023;
    f64::from_bits(u64::from(biased.unsigned_abs()) << 52)
}
