//! Finds the spans that may lie at a border.

use std::ops::Range;

use waymesh_core::{NO_REGION, SlimSpans, SpanField, WalkableField, checkpoint, checkpoint_every};

/// A field that can find the borders between labels without reading every link.
pub trait BorderScan: SpanField {
    /// Calls `each` with the column and the number of spans of `part`, in order. These are all spans
    /// with a region that lack a link or have a link to a span with another label, and some others.
    /// Two adjacent spans of one label must not lack a link between them. `labels` are those of all
    /// spans.
    fn scan_borders(&self, labels: &[u32], part: Range<u32>, each: impl FnMut(u32, u32));
}

impl BorderScan for WalkableField {
    fn scan_borders(&self, labels: &[u32], part: Range<u32>, mut each: impl FnMut(u32, u32)) {
        let label_across = |link: u32| labels.get(link as usize).copied().unwrap_or(NO_REGION);
        let spans = part.start as usize..part.end as usize;
        let own = labels[spans.clone()].iter().zip(&self.links[spans]);
        for (span, (&label, links)) in part.zip(own) {
            checkpoint_every(1 << 16, span as usize);
            let [west, south, east, north] = *links;
            // The conditions are checked in sequence, because most spans are inside and pass all of
            // them.
            let is_inside = label == NO_REGION
                || label_across(west) == label
                    && label_across(south) == label
                    && label_across(east) == label
                    && label_across(north) == label;
            if !is_inside {
                each(self.span_columns[span as usize], span);
            }
        }
    }
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
