//! Functions of floating point numbers that give the same bits on every machine.
//!
//! Those of the standard library are the platform's: a sine may differ in its last bit between
//! two systems, and with it the bytes of a mesh. Sums, products, quotients and square roots are
//! fixed by IEEE 754 and need none of this.

pub use libm::{
    acos, asin, atan, atan2, cos, exp2, hypot, log as ln, log2, log10, pow as powf, sin, sincos as sin_cos,
    tan,
};
