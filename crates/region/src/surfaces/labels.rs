//! Labels of consecutive spans.

use std::ops::{Index, IndexMut, Range};

/// The labels of consecutive spans, indexed by the numbers of the spans in the field, so that
/// several threads can label the bands of a field.
pub(super) struct Labels<'a> {
    /// Number of the first span.
    first: usize,
    labels: &'a mut [u32],
}

impl<'a> Labels<'a> {
    /// Returns the labels of the spans from `first` on.
    pub(super) fn from(first: u32, labels: &'a mut [u32]) -> Self {
        Self { first: first as usize, labels }
    }

    /// Returns the labels from that of span `first` on.
    pub(super) fn starting(&mut self, first: usize) -> &mut [u32] {
        &mut self.labels[first - self.first..]
    }
}

impl Index<usize> for Labels<'_> {
    type Output = u32;

    #[inline(always)]
    fn index(&self, span: usize) -> &u32 {
        &self.labels[span - self.first]
    }
}

impl IndexMut<usize> for Labels<'_> {
    #[inline(always)]
    fn index_mut(&mut self, span: usize) -> &mut u32 {
        &mut self.labels[span - self.first]
    }
}

impl Index<Range<usize>> for Labels<'_> {
    type Output = [u32];

    #[inline(always)]
    fn index(&self, spans: Range<usize>) -> &[u32] {
        &self.labels[spans.start - self.first..spans.end - self.first]
    }
}
