//! Links of many spans at a glance.

use std::ops::Range;

use waymesh_core::{Direction, SlimSpans, SpanField, WalkableField};

/// A field that can tell of many spans at once where they link to. That is what most blocks of most
/// fields are decided by.
pub trait StraightLinks: SpanField {
    /// `true` if each of `spans` links in `direction` to the span at the same place in the range
    /// that begins at `first`, which lies in the column beside its own. `false` may also mean that
    /// it takes a closer look.
    fn links_straight(&self, spans: Range<u32>, direction: Direction, first: u32) -> bool;
}

impl StraightLinks for WalkableField {
    #[inline]
    fn links_straight(&self, spans: Range<u32>, direction: Direction, first: u32) -> bool {
        let links = &self.links[spans.start as usize..spans.end as usize];
        links.iter().zip(first..).all(|(links, there)| links[direction.index()] == there)
    }
}

impl StraightLinks for SlimSpans {
    #[inline]
    fn links_straight(&self, spans: Range<u32>, direction: Direction, first: u32) -> bool {
        let (spans, first) = (spans.start as usize..spans.end as usize, first as usize);
        let bit = 1 << direction.index();
        let (own, there) = (&self.ground[spans.clone()], &self.ground[first..first + spans.len()]);
        // All at once is quicker than up to the first. What is so near is the nearest.
        self.odd.is_empty()
            && self.links[spans].iter().fold(bit, |all, links| all & links) == bit
            && own.iter().zip(there).fold(true, |all, (a, b)| all & ((a - b).abs() <= self.near))
    }
}
