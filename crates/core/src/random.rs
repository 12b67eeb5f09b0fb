//! Random numbers that are the same on every machine and in every version.

/// A SplitMix64 generator: Steele, Lea and Flood 2014, Fast Splittable Pseudorandom Number
/// Generators, <https://doi.org/10.1145/2660193.2660195>, figure 16. Every seed is valid and always
/// gives the same numbers, because the code uses no other crate.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Returns a generator for this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the seed of a generator that continues here.
    #[must_use]
    pub fn state(&self) -> u64 {
        self.state
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        Self::mix(self.state)
    }

    /// Returns a number in `0..1`, in steps of 2^-24, which single precision holds exactly.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / 16_777_216.0
    }

    /// Returns a number in `0..1`, in steps of 2^-53, which double precision holds exactly.
    pub fn unit_f64(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / 9_007_199_254_740_992.0
    }

    /// Returns a number in `low..high`.
    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Returns an integer in `0..count`, or 0 for a count of 0. The bias is below `count / 2^32`.
    #[expect(clippy::cast_possible_truncation, reason = "the result is below `count`")]
    pub fn below(&mut self, count: u32) -> u32 {
        ((u128::from(self.bits()) * u128::from(count)) >> 64) as u32
    }

    /// Returns an index in `0..count`. See [`Random::below`].
    #[expect(clippy::cast_possible_truncation, reason = "the result is below `count`")]
    pub fn index(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// Returns `true` with this probability.
    pub fn chance(&mut self, probability: f32) -> bool {
        self.unit() < probability
    }

    /// Returns the numbers `0..count` in random order.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut items: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            items.swap(last, self.index(last + 1));
        }
        items
    }

    /// Mixes 64 bits. Different inputs give different results.
    #[must_use]
    pub const fn mix(mut bits: u64) -> u64 {
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Mixes a value into a hash of those before it.
    #[must_use]
    pub const fn mix_into(hash: u64, value: u64) -> u64 {
        Self::mix(hash.wrapping_add(value).wrapping_add(1))
    }
}

/// A source of random bits: [`Random`], or a function that returns the bits of another generator.
///
/// ```
/// # use waymesh_core::{Random, RandomBits};
/// # let mut generator = Random::new(1);
/// let mut random = || generator.bits();
/// assert!(random.unit_f64() < 1.0);
/// ```
pub trait RandomBits {
    /// Returns the next 64 bits.
    fn bits(&mut self) -> u64;

    /// Returns a number in `0..1`: see [`Random::unit_f64`].
    fn unit_f64(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / 9_007_199_254_740_992.0
    }
}

impl RandomBits for Random {
    fn bits(&mut self) -> u64 {
        Self::bits(self)
    }
}

impl<F: FnMut() -> u64> RandomBits for F {
    fn bits(&mut self) -> u64 {
        self()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_splitmix64() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
    }
}
