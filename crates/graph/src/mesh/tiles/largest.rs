//! The largest of values that come and go.

use std::collections::BTreeMap;

use super::tables::Reach;

/// Multiset of values by their bits, which are in order for numbers without a sign.
#[derive(Clone, Debug, Default)]
struct Largest(BTreeMap<u32, u32>);

impl Largest {
    fn add(&mut self, value: f32) {
        *self.0.entry(value.to_bits()).or_default() += 1;
    }

    /// Takes back a value that was added.
    fn remove(&mut self, value: f32) {
        if let Some(count) = self.0.get_mut(&value.to_bits()) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(&value.to_bits());
            }
        }
    }

    /// The largest value; 0 if there is none.
    fn get(&self) -> f32 {
        self.0.last_key_value().map_or(0.0, |(&bits, _)| f32::from_bits(bits))
    }
}

/// Extent of all tiles of a mesh together.
#[derive(Clone, Debug, Default)]
pub(super) struct Reaches([Largest; 4]);

impl Reaches {
    pub(super) fn add(&mut self, reach: &Reach) {
        self.0.iter_mut().zip(reach.values()).for_each(|(largest, value)| largest.add(value));
    }

    /// Takes back a tile that was added.
    pub(super) fn remove(&mut self, reach: &Reach) {
        self.0.iter_mut().zip(reach.values()).for_each(|(largest, value)| largest.remove(value));
    }

    pub(super) fn get(&self) -> Reach {
        Reach::of(self.0.each_ref().map(Largest::get))
    }
}
