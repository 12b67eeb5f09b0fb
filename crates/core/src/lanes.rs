//! Branch-free minimum and maximum of numbers and of small arrays.
//!
//! Processors have one instruction for `if a < b { a } else { b }`. WebAssembly has none for single
//! floats: engines compile it to a branch, which is mispredicted half of the time for unordered
//! numbers. It has one for vectors, and where a module is compiled for size, calling it explicitly
//! is the only way to get it.

/// A floating-point number with branch-free minimum and maximum.
pub trait Lane: Copy + PartialOrd {
    /// Returns [`low`] of the two numbers.
    #[must_use]
    fn low(self, other: Self) -> Self;
    /// Returns [`high`] of the two numbers.
    #[must_use]
    fn high(self, other: Self) -> Self;
}

/// Returns the smaller of two numbers; `b` if they are equal or one is NaN.
#[inline(always)]
#[must_use]
pub fn low<T: Lane>(a: T, b: T) -> T {
    a.low(b)
}

/// Returns the larger of two numbers; `b` if they are equal or one is NaN.
#[inline(always)]
#[must_use]
pub fn high<T: Lane>(a: T, b: T) -> T {
    a.high(b)
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod vectors {
    use core::arch::wasm32::{
        f32x4, f32x4_extract_lane, f32x4_pmax, f32x4_pmin, f32x4_splat, f64x2, f64x2_extract_lane,
        f64x2_pmax, f64x2_pmin, f64x2_splat,
    };

    use super::Lane;

    impl Lane for f64 {
        #[inline(always)]
        fn low(self, other: Self) -> Self {
            f64x2_extract_lane::<0>(f64x2_pmin(f64x2_splat(other), f64x2_splat(self)))
        }

        #[inline(always)]
        fn high(self, other: Self) -> Self {
            f64x2_extract_lane::<0>(f64x2_pmax(f64x2_splat(other), f64x2_splat(self)))
        }
    }

    impl Lane for f32 {
        #[inline(always)]
        fn low(self, other: Self) -> Self {
            f32x4_extract_lane::<0>(f32x4_pmin(f32x4_splat(other), f32x4_splat(self)))
        }

        #[inline(always)]
        fn high(self, other: Self) -> Self {
            f32x4_extract_lane::<0>(f32x4_pmax(f32x4_splat(other), f32x4_splat(self)))
        }
    }

    #[inline(always)]
    pub(super) fn low_pair(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        let least = f64x2_pmin(f64x2(b[0], b[1]), f64x2(a[0], a[1]));
        [f64x2_extract_lane::<0>(least), f64x2_extract_lane::<1>(least)]
    }

    #[inline(always)]
    pub(super) fn high_floats([a, b, c, d]: [f32; 4], [e, f, g, h]: [f32; 4]) -> [f32; 4] {
        let most = f32x4_pmax(f32x4(e, f, g, h), f32x4(a, b, c, d));
        [
            f32x4_extract_lane::<0>(most),
            f32x4_extract_lane::<1>(most),
            f32x4_extract_lane::<2>(most),
            f32x4_extract_lane::<3>(most),
        ]
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod vectors {
    use super::Lane;

    macro_rules! lanes {
        ($($number:ty),*) => {$(
            impl Lane for $number {
                #[inline(always)]
                fn low(self, other: Self) -> Self {
                    if self < other { self } else { other }
                }

                #[inline(always)]
                fn high(self, other: Self) -> Self {
                    if self > other { self } else { other }
                }
            }
        )*};
    }
    lanes!(f32, f64);

    #[inline(always)]
    pub(super) fn low_pair(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [a[0].low(b[0]), a[1].low(b[1])]
    }

    #[inline(always)]
    pub(super) fn high_floats(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
        std::array::from_fn(|lane| a[lane].high(b[lane]))
    }
}

/// Returns [`low`] of each of two pairs.
#[inline(always)]
#[must_use]
pub fn low_pair(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    vectors::low_pair(a, b)
}

/// Returns [`high`] of each of four pairs.
#[inline(always)]
#[must_use]
pub fn high_floats(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    vectors::high_floats(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_counts_where_neither_is_smaller() {
        let nan = f64::NAN;
        for (a, b) in [(1.0, 2.0), (2.0, 1.0), (-0.0, 0.0), (0.0, -0.0), (nan, 1.0), (1.0, nan)] {
            let (least, most) = (if a < b { a } else { b }, if a > b { a } else { b });
            assert_eq!(low(a, b).to_bits(), least.to_bits(), "{a} {b}");
            assert_eq!(high(a, b).to_bits(), most.to_bits(), "{a} {b}");
            assert_eq!(low_pair([a, b], [b, a]).map(f64::to_bits), [low(a, b), low(b, a)].map(f64::to_bits));
        }
        let (a, b) = ([1.0, f32::NAN, -0.0, 5.0], [2.0, 3.0, 0.0, f32::NAN]);
        let expected: [f32; 4] =
            std::array::from_fn(|lane| if a[lane] > b[lane] { a[lane] } else { b[lane] });
        assert_eq!(high_floats(a, b).map(f32::to_bits), expected.map(f32::to_bits));
    }
}
