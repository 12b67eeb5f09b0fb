//! Spans that must not be in one region. Two walkable spans are *rivals* if they lie in one column,
//! or in adjacent columns without a link. A region without rivals is a plain sheet: in plan it
//! neither overlaps itself nor touches itself along a wall or cliff.

use waymesh_core::{AreaId, NO_SPAN, WalkableField, checkpoint};

/// Largest stored number of walkable spans per column.
const MAX_COUNT: u8 = 15;
/// Flag of a column with several spans.
const STACKED: u8 = 64;

/// Returns `true` if `test` holds for any rival of `span`. `test` is also called for spans that
/// are not rivals.
#[inline]
pub(crate) fn any_rival(field: &WalkableField, span: u32, test: impl Fn(u32) -> bool) -> bool {
    let columns = &field.columns;
    let links = field.links[span as usize];
    let (column, width) = (field.span_columns[span as usize], field.frame.width);
    let x = column % width;
    let (column, width) = (column as usize, width as usize);
    let any_in = |first: usize, last: usize| {
        (columns[first]..columns[last + 1])
            .any(|other| test(other) && other != span && !links.contains(&other))
    };
    any_in(column - usize::from(x > 0), column + usize::from(x as usize + 1 < width))
        || (column >= width && any_in(column - width, column - width))
        || (column + width + 1 < columns.len() && any_in(column + width, column + width))
}

/// Returns all walkable spans that have a walkable rival, in order.
pub(crate) fn crowded(field: &WalkableField) -> Vec<u32> {
    let width = field.frame.width as usize;
    if field.is_empty() {
        return Vec::new();
    }
    // Walkable spans per column, with an empty row before the first and after the last.
    let mut counts = vec![0_u8; field.frame.column_count() + 2 * width];
    for (count, column) in counts[width..].iter_mut().zip(field.columns.windows(2)) {
        let areas = &field.area[column[0] as usize..column[1] as usize];
        let walkable = |count: u8, area: &AreaId| (count + u8::from(area.is_walkable())).min(MAX_COUNT);
        *count = match areas {
            [] => 0,
            [only] => u8::from(only.is_walkable()),
            _ => areas.iter().fold(0, walkable) + STACKED,
        };
    }
    // The sum over each column and the four around it.
    let mut around = vec![0_u8; field.frame.column_count()];
    for (z, row) in around.chunks_exact_mut(width).enumerate() {
        checkpoint();
        let [north, here, south] = [z, z + 1, z + 2].map(|z| &counts[z * width..(z + 1) * width]);
        for (((sum, north), south), here) in row.iter_mut().zip(north).zip(south).zip(here) {
            *sum = north.saturating_add(*south).saturating_add(*here);
        }
        for (sum, west) in row[1..].iter_mut().zip(here) {
            *sum = sum.saturating_add(*west);
        }
        for (sum, east) in row.iter_mut().zip(&here[1..]) {
            *sum = sum.saturating_add(*east);
        }
    }
    let mut crowded = Vec::new();
    for (span, (&area, links)) in (0_u32..).zip(field.area.iter().zip(&field.links)) {
        if !area.is_walkable() {
            continue;
        }
        let column = field.span_columns[span as usize] as usize;
        // A link leads to the only span of a column, so every span there is linked.
        if around[column] < STACKED && links.iter().all(|&link| link != NO_SPAN) {
            continue;
        }
        let walkable = |column: usize| counts[width + column] % STACKED;
        let x = column % width;
        let sides = [x > 0, x + 1 < width].map(usize::from);
        let beside: u8 = (column - sides[0]..=column + sides[1]).map(walkable).sum();
        let rows = counts[column] % STACKED + counts[column + 2 * width] % STACKED;
        let linked: u8 = links
            .map(|link| u8::from(field.area.get(link as usize).is_some_and(|area| area.is_walkable())))
            .iter()
            .sum();
        // At most one span of an adjacent column is linked. All other spans there are rivals,
        // and so are the other spans of the same column.
        if beside + rows > linked + 1 {
            crowded.push(span);
        }
    }
    crowded
}
