//! Priority queue of searches.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// A queue that gives the least of its keys first.
///
/// The least key that came since the last one left is not in the heap: a search often continues
/// with a node that it has just found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue<K> {
    heap: BinaryHeap<Reverse<K>>,
    in_hand: Option<K>,
}

impl<K: Copy + Ord> Queue<K> {
    pub(crate) fn clear(&mut self) {
        self.heap.clear();
        self.in_hand = None;
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, key: K) {
        if let Some(in_hand) = self.in_hand {
            self.heap.push(Reverse(key.max(in_hand)));
        }
        self.in_hand = Some(self.in_hand.map_or(key, |in_hand| key.min(in_hand)));
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<K> {
        let in_hand = self.in_hand.take();
        match self.heap.peek_mut() {
            Some(mut first) if in_hand.is_none_or(|in_hand| first.0 < in_hand) => Some(match in_hand {
                Some(in_hand) => std::mem::replace(&mut first.0, in_hand),
                None => PeekMut::pop(first).0,
            }),
            _ => in_hand,
        }
    }

    /// Returns all keys, in no order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.heap.iter().map(|Reverse(key)| key).chain(&self.in_hand)
    }
}
