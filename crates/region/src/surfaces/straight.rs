//! Checks of the links of many spans at once.

use std::ops::Range;

use waymesh_core::{AreaId, Direction, SlimSpans, SpanField, WalkableField};

/// A field that can check the links of many spans at once, which is enough for most blocks of most
/// fields.
pub trait StraightLinks: SpanField {
    /// Returns `true` if each of `spans` links in `direction` to the span at the same index in the
    /// range that begins at `first`, which lies in the adjacent column. `false` may also mean that
    /// the links must be checked one by one.
    fn links_straight(&self, spans: Range<u32>, direction: Direction, first: u32) -> bool;

    /// Copies the floors and the areas of `spans` to tables of the same length.
    fn copy_ground(&self, spans: Range<u32>, floors: &mut [i32], areas: &mut [AreaId]) {
        for (span, (floor, area)) in spans.zip(floors.iter_mut().zip(areas)) {
            (*floor, *area) = (self.floor(span), self.area(span));
        }
    }
}

impl StraightLinks for WalkableField {
    #[inline]
    fn links_straight(&self, spans: Range<u32>, direction: Direction, first: u32) -> bool {
        let links = &self.links[spans.start as usize..spans.end as usize];
        links.iter().zip(first..).all(|(links, there)| links[direction.index()] == there)
    }

    #[inline]
    fn copy_ground(&self, spans: Range<u32>, floors: &mut [i32], areas: &mut [AreaId]) {
        let spans = spans.start as usize..spans.end as usize;
        floors.copy_from_slice(&self.floor[spans.clone()]);
        areas.copy_from_slice(&self.area[spans]);
    }
}

impl StraightLinks for SlimSpans {
    #[inline]
    fn links_straight(&self, spans: Range<u32>, direction: Direction, first: u32) -> bool {
        let (spans, first) = (spans.start as usize..spans.end as usize, first as usize);
        let bit = 1 << direction.index();
        let (own, there) = (&self.ground[spans.clone()], &self.ground[first..first + spans.len()]);
        // Checking all at once is faster than stopping at the first difference. A span within this
        // distance is always the nearest one, which is the linked one.
        self.odd.is_empty()
            && self.links[spans].iter().fold(bit, |all, links| all & links) == bit
            && own.iter().zip(there).fold(true, |all, (a, b)| all & ((a - b).abs() <= self.near))
    }
}
