//! Builds the walkable field from solid spans.

use std::ops::Range;

use waymesh_core::{
    Agent, AreaId, Counter, Direction, GridWindow, Heightfield, NO_SPAN, OPEN_SKY, Observer, WalkableField,
    Warning, checkpoint,
};

use crate::VoxelError;
use crate::filters::{AgentLevels, Below, Columns, Filters, ceiling, check};

/// Builds the field of the walkable spans of `heightfield`, linked where an agent can step between
/// them.
///
/// # Guarantees
/// - The field contains exactly the spans whose area is walkable, in the order of the heightfield.
/// - Two spans of adjacent columns are linked if their floors differ by at most `max_step` and the
///   room they share is at least the agent's height. If a span could be linked to several spans of
///   one column (possible for steps higher than half the agent), each is linked to one, matched
///   from the bottom up.
/// - Any number of spans per column is supported.
///
/// # Cost
/// One pass over the columns. 33 bytes per walkable span.
///
/// # Errors
/// For an agent or a heightfield that cannot be used.
///
/// # References
/// Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 2.
pub fn build_walkable_field(
    heightfield: &Heightfield,
    agent: &Agent,
    observer: &mut dyn Observer,
) -> Result<WalkableField, VoxelError> {
    warned(build::<false>(heightfield, agent, &Filters::none(), whole(heightfield), observer), observer)
}

/// The same as [`build_walkable_field`] after the selected filters, but does not change
/// `heightfield`.
///
/// # Guarantees
/// The same field and the same counts as calling [`crate::filter_low_obstacles`],
/// [`crate::filter_ledges`] and [`crate::filter_low_ceilings`] in this order on a copy, but in one
/// pass.
///
/// # Errors
/// For an agent or a heightfield that cannot be used.
pub fn build_filtered_field(
    heightfield: &Heightfield,
    agent: &Agent,
    filters: &Filters,
    observer: &mut dyn Observer,
) -> Result<WalkableField, VoxelError> {
    warned(build_counted(heightfield, agent, filters, whole(heightfield), observer), observer)
}

fn whole(heightfield: &Heightfield) -> GridWindow {
    GridWindow::whole(&heightfield.frame)
}

fn warned(
    field: Result<WalkableField, VoxelError>,
    observer: &mut dyn Observer,
) -> Result<WalkableField, VoxelError> {
    if field.as_ref().is_ok_and(WalkableField::is_empty) {
        observer.warn(Warning::NothingWalkable { stage: "walkable field" });
    }
    field
}

/// The same as [`build_filtered_field`], but counts only in the columns of `counted`, and does not
/// warn if nothing is walkable.
pub(crate) fn build_counted(
    heightfield: &Heightfield,
    agent: &Agent,
    filters: &Filters,
    counted: GridWindow,
    observer: &mut dyn Observer,
) -> Result<WalkableField, VoxelError> {
    build::<true>(heightfield, agent, filters, counted, observer)
}

fn build<const FILTERED: bool>(
    heightfield: &Heightfield,
    agent: &Agent,
    filters: &Filters,
    counted: GridWindow,
    observer: &mut dyn Observer,
) -> Result<WalkableField, VoxelError> {
    check(heightfield)?;
    let frame = heightfield.frame;
    let reach = AgentLevels::new(agent, frame.level_height)?;
    let mut field = WalkableField::empty(frame);
    field.columns.clear();
    field.columns.reserve_exact(frame.column_count() + 1);
    field.columns.push(0);
    reserve(&mut field, heightfield.spans.len());
    let (mut on_obstacles, mut at_ledges, mut under_ceilings) = (0_u64, 0_u64, 0_u64);
    let columns = Columns::new(heightfield);
    let (width, depth) = (frame.width as usize, frame.depth as usize);
    let counted_x = counted.x as usize..counted.end_x() as usize;
    let counted_z = counted.z as usize..counted.end_z() as usize;
    let mut column = 0;
    for z in 0..depth {
        checkpoint();
        let row_counts = counted_z.contains(&z);
        for x in 0..width {
            let spans = columns.column(column);
            let counts = u64::from(row_counts && counted_x.contains(&x));
            let first = field.span_columns.len();
            let mut below = Below::NOTHING;
            for (index, span) in spans.iter().enumerate() {
                let mut area = span.area;
                if FILTERED && filters.low_obstacles {
                    area = below.step(span, reach.step);
                    on_obstacles += counts & u64::from(area != span.area);
                }
                if !area.is_walkable() {
                    continue;
                }
                let (floor, ceiling) = (span.top, ceiling(spans, index));
                if FILTERED {
                    // Under a low ceiling no neighbour can be reached: only the edge of the grid
                    // makes a ledge there.
                    let low = i64::from(ceiling) - i64::from(floor) < i64::from(reach.height);
                    if filters.ledges
                        && (columns.is_edge(x, z) || !low && columns.is_ledge(column, floor, ceiling, reach))
                    {
                        at_ledges += counts;
                        continue;
                    }
                    if low && filters.low_ceilings {
                        under_ceilings += counts;
                        continue;
                    }
                }
                push(&mut field, column, floor, ceiling, span.ground(), area);
            }
            let end = field.span_columns.len();
            if first < end {
                let table = &field.columns;
                let range = |column: usize| table[column] as usize..table[column + 1] as usize;
                let beside = if x > 0 { range(column - 1) } else { 0..0 };
                let before = if z > 0 { range(column - width) } else { 0..0 };
                link(&mut field, first..end, beside, Direction::NegX, reach);
                link(&mut field, first..end, before, Direction::NegZ, reach);
            }
            #[expect(clippy::cast_possible_truncation, reason = "no more than spans of the heightfield")]
            field.columns.push(end as u32);
            column += 1;
        }
    }
    for (counter, amount) in [
        (Counter::SpansOnLowObstacles, on_obstacles),
        (Counter::SpansAtLedges, at_ledges),
        (Counter::SpansUnderLowCeiling, under_ceilings),
    ] {
        if amount > 0 {
            observer.count(counter, amount);
        }
    }
    Ok(field)
}

/// Reserves room for `spans` spans, which is an upper bound. Unused memory is never touched.
fn reserve(field: &mut WalkableField, spans: usize) {
    field.span_columns.reserve_exact(spans);
    field.floor.reserve_exact(spans);
    field.clearance.reserve_exact(spans);
    field.ground.reserve_exact(spans);
    field.links.reserve_exact(spans);
    field.area.reserve_exact(spans);
}

#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "columns fit 32 bits; ceilings lie above floors"
)]
fn push(field: &mut WalkableField, column: usize, floor: i32, ceiling: i32, ground: f32, area: AreaId) {
    field.span_columns.push(column as u32);
    field.floor.push(floor);
    field.clearance.push(if ceiling == i32::MAX { OPEN_SKY } else { ceiling.wrapping_sub(floor) as u32 });
    field.ground.push(ground);
    field.links.push([NO_SPAN; 4]);
    field.area.push(area);
}

/// Links the spans of two adjacent columns; `direction` leads from the first to the second.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "spans fit 32 bits")]
fn link(
    field: &mut WalkableField,
    own: Range<usize>,
    others: Range<usize>,
    direction: Direction,
    reach: AgentLevels,
) {
    let (mut span, mut other) = (own.start, others.start);
    let (height, step) = (i64::from(reach.height), i64::from(reach.step));
    let WalkableField { floor: floors, clearance, links, .. } = field;
    // The clearance of open sky is so large that it ends above every ceiling.
    let room = |span: usize| {
        let floor = i64::from(floors[span]);
        (floor, floor + i64::from(clearance[span]))
    };
    while span < own.end && other < others.end {
        let ((floor, ceiling), (other_floor, other_ceiling)) = (room(span), room(other));
        let shared = ceiling.min(other_ceiling) - floor.max(other_floor);
        let linked = shared >= height && (floor - other_floor).abs() <= step;
        if linked {
            links[span][direction.index()] = other as u32;
            links[other][direction.opposite().index()] = span as u32;
        }
        // Gaps of a column do not overlap, so the one that ends first meets no further gap.
        span += usize::from(linked || ceiling <= other_ceiling);
        other += usize::from(linked || other_ceiling <= ceiling);
    }
}
