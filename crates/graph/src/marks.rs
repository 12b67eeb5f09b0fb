//! Sets of numbers that are emptied at once.

/// A set of numbers from 0 that were marked since the last [`Marks::begin`], cleared in constant
/// time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    stamp: u32,
    of: Vec<u32>,
}

impl Marks {
    /// Forgets all marks, and makes room for numbers below `count`.
    pub(crate) fn begin(&mut self, count: usize) {
        if self.stamp == u32::MAX {
            self.of.clear();
            self.stamp = 0;
        }
        self.stamp += 1;
        if self.of.len() < count {
            self.of.resize(count, 0);
        }
    }

    /// Marks a number. Returns `true` if it was not marked before.
    #[inline]
    pub(crate) fn mark(&mut self, number: u32) -> bool {
        std::mem::replace(&mut self.of[number as usize], self.stamp) != self.stamp
    }

    #[inline]
    pub(crate) fn has(&self, number: u32) -> bool {
        self.of[number as usize] == self.stamp
    }
}
