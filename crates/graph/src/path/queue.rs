//! Priority queue of searches.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// A key of a queue. No entry has the last one of all.
pub(crate) trait Key: Copy + Ord {
    const NO_KEY: Self;
}

impl Key for u64 {
    const NO_KEY: Self = Self::MAX;
}

impl Key for (u64, u32) {
    const NO_KEY: Self = (u64::MAX, u32::MAX);
}

/// A queue that gives the least of its keys first.
///
/// The least key that came since the last one left is not in the heap: a search often continues
/// with a node that it has just found.
#[derive(Clone, Debug)]
pub(crate) struct Queue<K> {
    heap: BinaryHeap<Reverse<K>>,
    in_hand: K,
}

impl<K: Key> Default for Queue<K> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new(), in_hand: K::NO_KEY }
    }
}

impl<K: Key> Queue<K> {
    pub(crate) fn clear(&mut self) {
        self.heap.clear();
        self.in_hand = K::NO_KEY;
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, key: K) {
        let later = key.max(self.in_hand);
        self.in_hand = key.min(self.in_hand);
        if later != K::NO_KEY {
            self.heap.push(Reverse(later));
        }
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<K> {
        let mut least = std::mem::replace(&mut self.in_hand, K::NO_KEY);
        if let Some(mut first) = self.heap.peek_mut()
            && first.0 < least
        {
            if least == K::NO_KEY {
                least = PeekMut::pop(first).0;
            } else {
                std::mem::swap(&mut first.0, &mut least);
            }
        }
        (least != K::NO_KEY).then_some(least)
    }

    /// Returns all keys, in no order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        let in_hand = Some(&self.in_hand).filter(|key| **key != K::NO_KEY);
        self.heap.iter().map(|Reverse(key)| key).chain(in_hand)
    }
}
