//! Items sorted into numbered buckets.

use std::ops::Range;

/// Items in numbered buckets, in one table: the result of a counting sort. The items of a bucket
/// keep their order.
///
/// # Cost
/// Two passes over the items, and 4 bytes a bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buckets<T> {
    /// Index of the first item of each bucket, then the number of items.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> Buckets<T> {
    /// Sorts items, each with the number of its bucket, into `count` buckets. The limit is
    /// 2^32 - 1 items.
    ///
    /// # Panics
    /// If the number of a bucket is not below `count`.
    #[must_use]
    pub fn new(count: usize, items: impl Iterator<Item = (usize, T)> + Clone) -> Self {
        // During the second pass, entry `bucket + 1` is the place of the bucket's next item.
        let mut starts = vec![0_u32; count + 2];
        items.clone().for_each(|(bucket, _)| starts[bucket + 2] += 1);
        for bucket in 2..starts.len() {
            starts[bucket] += starts[bucket - 1];
        }
        let mut sorted = vec![T::default(); starts[count + 1] as usize];
        items.for_each(|(bucket, item)| {
            let place = &mut starts[bucket + 1];
            sorted[*place as usize] = item;
            *place += 1;
        });
        starts.pop();
        Self { starts, items: sorted }
    }
}

impl<T> Buckets<T> {
    /// Returns the number of buckets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns `true` if there are no buckets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the items of all buckets, in the order of the buckets.
    #[must_use]
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Returns the items of a bucket.
    ///
    /// # Panics
    /// If the bucket does not exist.
    #[inline]
    #[must_use]
    pub fn of(&self, bucket: usize) -> &[T] {
        self.of_range(bucket..bucket + 1)
    }

    /// Returns the items of consecutive buckets.
    ///
    /// # Panics
    /// If a bucket does not exist.
    #[inline]
    #[must_use]
    pub fn of_range(&self, buckets: Range<usize>) -> &[T] {
        &self.items[self.starts[buckets.start] as usize..self.starts[buckets.end] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn buckets_are_those_of_a_stable_sort() {
        let mut random = Random::new(3);
        for count in [1, 2, 9, 60] {
            for items in [0, 1, 30, 200] {
                let mut items: Vec<(usize, u32)> =
                    (0..items).map(|item| (random.index(count), item)).collect();
                let buckets = Buckets::new(count, items.iter().copied());
                for bucket in 0..count {
                    let own = items.iter().filter(|item| item.0 == bucket).map(|item| item.1);
                    assert!(buckets.of(bucket).iter().copied().eq(own));
                }
                items.sort_by_key(|item| item.0);
                let all: Vec<u32> = items.iter().map(|item| item.1).collect();
                assert_eq!(
                    (buckets.items(), buckets.of_range(0..count), buckets.len()),
                    (&all[..], &all[..], count)
                );
            }
        }
        assert!(Buckets::<u32>::default().is_empty() && Buckets::<u32>::default().items().is_empty());
    }
}
