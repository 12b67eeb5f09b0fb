//! Fast scan for the spans that may lie at a border.

use std::ops::Range;

use waymesh_core::{NO_REGION, SlimSpans, SpanField, WalkableField, checkpoint, checkpoint_every};

/// A field that can find the borders between labels without reading every link.
pub trait BorderScan: SpanField {
    /// Calls `each` with the column and the number of spans of `part`, in order: all spans with a
    /// region that lack a link or have a link to a span with another label. It may also visit other
    /// spans. Two adjacent spans of one label must not lack a link between them. `labels` covers
    /// all spans of the field.
    fn scan_borders(&self, labels: &[u32], part: Range<u32>, each: impl FnMut(u32, u32));
}

/// Number of consecutive spans that are tested together.
const CHUNK: usize = 16;

impl BorderScan for WalkableField {
    fn scan_borders(&self, labels: &[u32], part: Range<u32>, mut each: impl FnMut(u32, u32)) {
        let label_across = |link: u32| labels.get(link as usize).copied().unwrap_or(NO_REGION);
        for (index, first) in part.clone().step_by(CHUNK).enumerate() {
            checkpoint_every(1 << 12, index);
            let chunk = first as usize..(first as usize + CHUNK).min(part.end as usize);
            let (own, links) = (&labels[chunk.clone()], &self.links[chunk]);
            if is_inside(labels, own, links) {
                continue;
            }
            for (span, (&label, links)) in (first..).zip(own.iter().zip(links)) {
                if label != NO_REGION && links.iter().any(|&link| label_across(link) != label) {
                    each(self.span_columns[span as usize], span);
                }
            }
        }
    }
}

/// Returns `true` if consecutive spans are linked to consecutive spans on each side with the same
/// labels. This holds for most chunks of most fields.
#[inline]
fn is_inside(labels: &[u32], own: &[u32], links: &[[u32; 4]]) -> bool {
    let Some(&first) = links.first() else { return true };
    let mut differences = [0; 4];
    for (links, step) in links.iter().zip(0..) {
        for (difference, (link, first)) in differences.iter_mut().zip(links.iter().zip(first)) {
            *difference |= link.wrapping_sub(step) ^ first;
        }
    }
    differences == [0; 4]
        && first.iter().all(|&first| {
            // A missing link is out of range.
            labels.get(first as usize..(first as usize).saturating_add(own.len())) == Some(own)
        })
}

impl BorderScan for SlimSpans {
    #[expect(clippy::cast_possible_truncation, reason = "no more spans than 32-bit tables have")]
    fn scan_borders(&self, labels: &[u32], part: Range<u32>, mut each: impl FnMut(u32, u32)) {
        const ALL: u8 = 0b1111;
        const CHUNK: usize = 32;
        let (width, columns) = (self.width as usize, self.columns.as_slice());
        let end = columns.len().saturating_sub(1);
        let count = |column: usize| columns[column + 1] - columns[column];
        let mut each = |column: u32, span: u32| {
            if part.contains(&span) {
                each(column, span);
            }
        };
        // The columns of the first and of the last span.
        let mut column = columns.partition_point(|&first| first <= part.start).saturating_sub(1);
        let last = columns.partition_point(|&first| first < part.end).min(end);
        while column < last {
            // Finds a run of columns that have as many spans as the columns around them. Their
            // spans can be compared by place, without reading the targets of links.
            checkpoint();
            let (first, row_end) = (column, (column / width + 1) * width);
            let own = count(column);
            let is_alike = |column: usize| {
                column > width
                    && column + width < end
                    && [column, column - 1, column + 1, column - width, column + width]
                        .iter()
                        .all(|&column| count(column) == own)
            };
            while column < row_end && is_alike(column) {
                column += 1;
            }
            if column > first {
                let (start, len) = (columns[first] as usize, (columns[column] - columns[first]) as usize);
                let at = |first: u32| &labels[first as usize..first as usize + len];
                let here = at(columns[first]);
                let around =
                    [first - 1, first + 1, first - width, first + width].map(|column| at(columns[column]));
                let links = &self.links[start..start + len];
                for chunk in (0..len).step_by(CHUNK) {
                    let chunk = chunk..(chunk + CHUNK).min(len);
                    // Checking all at once is faster than stopping at the first difference.
                    let is_inside = links[chunk.clone()].iter().fold(ALL, |all, links| all & links) == ALL
                        && around.iter().all(|labels| labels[chunk.clone()] == here[chunk.clone()]);
                    if is_inside {
                        continue;
                    }
                    for place in chunk {
                        let label = here[place];
                        let is_inside =
                            links[place] == ALL && around.iter().all(|labels| labels[place] == label);
                        if !is_inside && label != NO_REGION {
                            each(first as u32 + place as u32 / own, columns[first] + place as u32);
                        }
                    }
                }
            } else {
                for span in columns[column]..columns[column + 1] {
                    if labels[span as usize] != NO_REGION {
                        each(column as u32, span);
                    }
                }
                column += 1;
            }
        }
    }
}
