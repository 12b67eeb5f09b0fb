//! Tables that are emptied at once.

/// Values of numbers from 0 that were set since the last [`Stamped::begin`], which takes constant
/// time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stamped<T> {
    stamp: u32,
    /// Each value with the stamp that it was set under.
    values: Vec<(u32, T)>,
}

/// A set of numbers from 0 that were marked since the last [`Marks::begin`].
pub(crate) type Marks = Stamped<()>;

impl<T: Copy + Default> Stamped<T> {
    /// Forgets all values, and makes room for numbers below `count`.
    pub(crate) fn begin(&mut self, count: usize) {
        if self.stamp == u32::MAX {
            self.values.clear();
            self.stamp = 0;
        }
        self.stamp += 1;
        if self.values.len() < count {
            self.values.resize(count, Default::default());
        }
    }

    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<T> {
        let (stamp, value) = self.values[number as usize];
        (stamp == self.stamp).then_some(value)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let (stamp, value) = &mut self.values[number as usize];
        (*stamp == self.stamp).then_some(value)
    }

    #[inline]
    pub(crate) fn set(&mut self, number: u32, value: T) {
        self.values[number as usize] = (self.stamp, value);
    }

    #[inline]
    pub(crate) fn get_or_insert_with(&mut self, number: u32, value: impl FnOnce() -> T) -> &mut T {
        let known = &mut self.values[number as usize];
        if known.0 != self.stamp {
            *known = (self.stamp, value());
        }
        &mut known.1
    }

    /// Returns the numbers that have a value.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.values).filter(|(_, (stamp, _))| *stamp == self.stamp).map(|(number, _)| number)
    }
}

impl Marks {
    /// Marks a number. Returns `true` if it was not marked before.
    #[inline]
    pub(crate) fn mark(&mut self, number: u32) -> bool {
        std::mem::replace(&mut self.values[number as usize].0, self.stamp) != self.stamp
    }

    #[inline]
    pub(crate) fn has(&self, number: u32) -> bool {
        self.values[number as usize].0 == self.stamp
    }
}
