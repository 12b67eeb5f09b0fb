//! Builds the walkable field from solid spans.

use std::ops::Range;

use waymesh_core::{
    Agent, AreaId, Counter, Direction, GridWindow, Heightfield, NO_SPAN, OPEN_SKY, Observer, Span,
    WalkableField, Warning, checkpoint, row_bands, split_lengths, threads,
};

use crate::VoxelError;
use crate::filters::{AgentLevels, Below, Columns, Filters, ceiling, check, report};

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
/// One pass over the columns, on one thread. 33 bytes per walkable span.
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
    warned(build::<false>(heightfield, agent, &Filters::none(), whole(heightfield), 1, observer), observer)
}

/// The same as [`build_walkable_field`] after the selected filters, but does not change
/// `heightfield`.
///
/// # Guarantees
/// The same field and the same counts as calling [`crate::filter_low_obstacles`],
/// [`crate::filter_ledges`] and [`crate::filter_low_ceilings`] in this order on a copy, but in one
/// pass. The field does not depend on the number of threads.
///
/// # Cost
/// That of [`build_walkable_field`], on all threads of the current rayon pool; with several threads
/// two passes, and another byte per span of `heightfield`.
///
/// # Errors
/// For an agent or a heightfield that cannot be used.
pub fn build_filtered_field(
    heightfield: &Heightfield,
    agent: &Agent,
    filters: &Filters,
    observer: &mut dyn Observer,
) -> Result<WalkableField, VoxelError> {
    let threads = threads::count();
    warned(build_counted(heightfield, agent, filters, whole(heightfield), threads, observer), observer)
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

/// The same as [`build_filtered_field`], but counts only in the columns of `counted`, runs on
/// `threads` threads of the current pool, and does not warn if nothing is walkable.
pub(crate) fn build_counted(
    heightfield: &Heightfield,
    agent: &Agent,
    filters: &Filters,
    counted: GridWindow,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<WalkableField, VoxelError> {
    build::<true>(heightfield, agent, filters, counted, threads, observer)
}

fn build<const FILTERED: bool>(
    heightfield: &Heightfield,
    agent: &Agent,
    filters: &Filters,
    counted: GridWindow,
    threads: usize,
    observer: &mut dyn Observer,
) -> Result<WalkableField, VoxelError> {
    check(heightfield)?;
    let frame = heightfield.frame;
    let reach = AgentLevels::new(agent, frame.level_height)?;
    let judge = Judge::<FILTERED> { columns: Columns::new(heightfield), filters: *filters, reach, counted };
    let work_before = |row: u32| {
        let column = row as usize * frame.width as usize;
        column as u64 + u64::from(heightfield.columns[column])
    };
    let bands = row_bands(frame.depth, 1, threads, work_before);
    let (field, removed) =
        if bands.len() > 1 { judge.build_bands(heightfield, &bands) } else { judge.build(heightfield) };
    removed.tell(observer);
    Ok(field)
}

/// What the filters removed or changed.
#[derive(Clone, Copy, Debug, Default)]
struct Removed {
    on_obstacles: u64,
    at_ledges: u64,
    under_ceilings: u64,
}

impl Removed {
    fn add(&mut self, other: Self) {
        self.on_obstacles += other.on_obstacles;
        self.at_ledges += other.at_ledges;
        self.under_ceilings += other.under_ceilings;
    }

    fn tell(self, observer: &mut dyn Observer) {
        report(Counter::SpansOnLowObstacles, self.on_obstacles, observer);
        report(Counter::SpansAtLedges, self.at_ledges, observer);
        report(Counter::SpansUnderLowCeiling, self.under_ceilings, observer);
    }
}

/// Decides which spans are in the field.
struct Judge<'a, const FILTERED: bool> {
    columns: Columns<'a>,
    filters: Filters,
    reach: AgentLevels,
    /// The columns in which is counted what the filters remove.
    counted: GridWindow,
}

impl<const FILTERED: bool> Judge<'_, FILTERED> {
    /// Calls `look` with the numbers of the columns of a row, with `x`, and with 1 if they count.
    #[inline(always)]
    fn row(&self, z: u32, width: u32, mut look: impl FnMut(usize, usize, u64)) {
        checkpoint();
        let counted = if z >= self.counted.z && z < self.counted.end_z() {
            self.counted.x as usize..self.counted.end_x() as usize
        } else {
            0..0
        };
        let first = z as usize * width as usize;
        for x in 0..width as usize {
            look(first + x, x, u64::from(counted.contains(&x)));
        }
    }

    /// Calls `keep` for the spans of a column that are in the field: with the span, its place in the
    /// column, its ceiling, and the kind of ground it is.
    #[inline(always)]
    fn column(
        &self,
        column: usize,
        (x, z): (usize, usize),
        counts: u64,
        removed: &mut Removed,
        mut keep: impl FnMut(&Span, usize, i32, AreaId),
    ) {
        let (spans, reach, filters) = (self.columns.column(column), self.reach, self.filters);
        let mut below = Below::NOTHING;
        for (index, span) in spans.iter().enumerate() {
            let mut area = span.area;
            if FILTERED && filters.low_obstacles {
                area = below.step(span, reach.step);
                removed.on_obstacles += counts & u64::from(area != span.area);
            }
            if !area.is_walkable() {
                continue;
            }
            let (floor, ceiling) = (span.top, ceiling(spans, index));
            if FILTERED {
                // Under a low ceiling no neighbour can be reached: only the edge of the grid makes a
                // ledge there.
                let low = i64::from(ceiling) - i64::from(floor) < i64::from(reach.height);
                if filters.ledges
                    && (self.columns.is_edge(x, z)
                        || !low && self.columns.is_ledge(column, floor, ceiling, reach))
                {
                    removed.at_ledges += counts;
                    continue;
                }
                if low && filters.low_ceilings {
                    removed.under_ceilings += counts;
                    continue;
                }
            }
            keep(span, index, ceiling, area);
        }
    }

    /// Builds the field in one pass.
    fn build(&self, heightfield: &Heightfield) -> (WalkableField, Removed) {
        let frame = heightfield.frame;
        let width = frame.width as usize;
        let mut field = WalkableField::empty(frame);
        field.columns.clear();
        field.columns.reserve_exact(frame.column_count() + 1);
        field.columns.push(0);
        reserve(&mut field, heightfield.spans.len());
        let mut removed = Removed::default();
        for z in 0..frame.depth {
            self.row(z, frame.width, |column, x, counts| {
                let first = field.span_columns.len();
                self.column(column, (x, z as usize), counts, &mut removed, |span, _, ceiling, area| {
                    push(&mut field, column, span.top, ceiling, span.ground(), area);
                });
                let end = field.span_columns.len();
                if first < end {
                    let table = &field.columns;
                    let range = |column: usize| table[column] as usize..table[column + 1] as usize;
                    let beside = if x > 0 { range(column - 1) } else { 0..0 };
                    let before = if z > 0 { range(column - width) } else { 0..0 };
                    let mut tables = Linked::of(&mut field);
                    tables.link(first..end, beside, Direction::NegX, self.reach);
                    tables.link(first..end, before, Direction::NegZ, self.reach);
                }
                #[expect(clippy::cast_possible_truncation, reason = "no more than spans of the heightfield")]
                field.columns.push(end as u32);
            });
        }
        (field, removed)
    }

    /// Builds the same field in two passes, on several threads: the first finds the spans that stay,
    /// the second fills the tables, which are then as long as they have to be.
    fn build_bands(&self, heightfield: &Heightfield, bands: &[Range<u32>]) -> (WalkableField, Removed) {
        let frame = heightfield.frame;
        let width = frame.width as usize;
        let columns_of = |band: &Range<u32>| band.start as usize * width..band.end as usize * width;
        let before = |column: usize| heightfield.columns[column] as usize;
        let solid = |band: &Range<u32>| before(columns_of(band).end) - before(columns_of(band).start);
        // The areas of the spans that stay; null for the others.
        let mut areas: Vec<AreaId> = bytemuck::zeroed_vec(heightfield.spans.len());
        let mut columns = vec![0_u32; frame.column_count() + 1];
        let parts = split_lengths(&mut areas, bands.iter().map(solid));
        let ends = split_lengths(&mut columns[1..], bands.iter().map(|band| columns_of(band).len()));
        let found: Vec<(u32, Removed)> =
            threads::map(bands.iter().zip(parts).zip(ends), |((band, areas), ends)| {
                self.find_spans(band, frame.width, areas, ends)
            });
        let mut removed = Removed::default();
        found.iter().for_each(|(_, more)| removed.add(*more));
        let lengths = || found.iter().map(|&(spans, _)| spans as usize);
        let total = lengths().sum();
        let mut field = WalkableField {
            frame,
            columns,
            span_columns: vec![0; total],
            floor: vec![0; total],
            clearance: vec![0; total],
            ground: vec![0.0; total],
            links: vec![[0; 4]; total],
            area: bytemuck::zeroed_vec(total),
        };
        let mut tables = Vec::with_capacity(bands.len());
        let mut first = 0;
        let parts = split_lengths(&mut field.columns[1..], bands.iter().map(|band| columns_of(band).len()))
            .into_iter()
            .zip(split_lengths(&mut field.span_columns, lengths()))
            .zip(split_lengths(&mut field.floor, lengths()))
            .zip(split_lengths(&mut field.clearance, lengths()))
            .zip(split_lengths(&mut field.ground, lengths()))
            .zip(split_lengths(&mut field.links, lengths()))
            .zip(split_lengths(&mut field.area, lengths()));
        for ((((((ends, span_columns), floor), clearance), ground), links), area) in parts {
            let next = first + span_columns.len();
            tables.push(BandTables { first, ends, span_columns, floor, clearance, ground, links, area });
            first = next;
        }
        threads::for_each(bands.iter().zip(tables), |(band, tables)| {
            self.fill(band, frame.width, &areas, tables);
        });
        drop(areas);
        // The links over the borders of bands.
        for column in bands.iter().skip(1).flat_map(|band| (0..width).map(|x| columns_of(band).start + x)) {
            let range = |column: usize| field.columns[column] as usize..field.columns[column + 1] as usize;
            let (own, before) = (range(column), range(column - width));
            Linked::of(&mut field).link(own, before, Direction::NegZ, self.reach);
        }
        (field, removed)
    }

    /// Writes the areas of the spans of a band that stay, and the number of these spans up to the
    /// end of each column. Returns the number of all.
    fn find_spans(
        &self,
        band: &Range<u32>,
        width: u32,
        areas: &mut [AreaId],
        ends: &mut [u32],
    ) -> (u32, Removed) {
        let (mut removed, mut kept, mut first) = (Removed::default(), 0, 0);
        let mut ends = ends.iter_mut();
        for z in band.clone() {
            self.row(z, width, |column, x, counts| {
                self.column(column, (x, z as usize), counts, &mut removed, |_, index, _, area| {
                    areas[first + index] = area;
                    kept += 1;
                });
                first += self.columns.column(column).len();
                if let Some(end) = ends.next() {
                    *end = kept;
                }
            });
        }
        (kept, removed)
    }

    /// Fills the tables of a band. `areas` are those of all spans that stay.
    #[expect(clippy::cast_possible_truncation, reason = "spans fit 32 bits")]
    fn fill(&self, band: &Range<u32>, width: u32, areas: &[AreaId], tables: BandTables<'_>) {
        let base = tables.first as u32;
        tables.links.fill([NO_SPAN; 4]);
        let start = band.start as usize * width as usize;
        let (mut own, row_length) = (0, width as usize);
        for z in band.clone() {
            self.row(z, width, |column, x, _| {
                let spans = self.columns.column(column);
                let areas = &areas[self.columns.range(column)];
                let first = own;
                for (index, (span, &area)) in spans.iter().zip(areas).enumerate() {
                    if area.is_walkable() {
                        let ceiling = ceiling(spans, index);
                        tables.span_columns[own] = column as u32;
                        tables.floor[own] = span.top;
                        tables.clearance[own] = clearance(span.top, ceiling);
                        tables.ground[own] = span.ground();
                        tables.area[own] = area;
                        own += 1;
                    }
                }
                let ends = &mut *tables.ends;
                ends[column - start] += base;
                if first < own {
                    let end = |column: usize| {
                        column.checked_sub(start + 1).map_or(base, |place| ends[place]) as usize
                    };
                    let range = |column: usize| end(column)..end(column + 1);
                    let beside = if x > 0 { range(column - 1) } else { 0..0 };
                    let before = if z > band.start { range(column - row_length) } else { 0..0 };
                    let (first, end) = (first + tables.first, own + tables.first);
                    let mut linked = Linked {
                        first: tables.first,
                        floor: tables.floor,
                        clearance: tables.clearance,
                        links: tables.links,
                    };
                    linked.link(first..end, beside, Direction::NegX, self.reach);
                    linked.link(first..end, before, Direction::NegZ, self.reach);
                }
            });
        }
    }
}

/// The tables of a field for the spans of a band.
struct BandTables<'a> {
    /// Number of its first span.
    first: usize,
    /// For each column of the band, the end of its spans: at first without the spans before the
    /// band.
    ends: &'a mut [u32],
    span_columns: &'a mut [u32],
    floor: &'a mut [i32],
    clearance: &'a mut [u32],
    ground: &'a mut [f32],
    links: &'a mut [[u32; 4]],
    area: &'a mut [AreaId],
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
#[expect(clippy::cast_possible_truncation, reason = "columns fit 32 bits")]
fn push(field: &mut WalkableField, column: usize, floor: i32, ceiling: i32, ground: f32, area: AreaId) {
    field.span_columns.push(column as u32);
    field.floor.push(floor);
    field.clearance.push(clearance(floor, ceiling));
    field.ground.push(ground);
    field.links.push([NO_SPAN; 4]);
    field.area.push(area);
}

#[inline(always)]
#[expect(clippy::cast_sign_loss, reason = "ceilings lie above floors")]
fn clearance(floor: i32, ceiling: i32) -> u32 {
    if ceiling == i32::MAX { OPEN_SKY } else { ceiling.wrapping_sub(floor) as u32 }
}

/// The tables that links need, for the spans from `first` on.
struct Linked<'a> {
    first: usize,
    floor: &'a [i32],
    clearance: &'a [u32],
    links: &'a mut [[u32; 4]],
}

impl<'a> Linked<'a> {
    #[inline(always)]
    fn of(field: &'a mut WalkableField) -> Self {
        Self { first: 0, floor: &field.floor, clearance: &field.clearance, links: &mut field.links }
    }

    /// Links the spans of two adjacent columns; `direction` leads from the first to the second.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "spans fit 32 bits")]
    fn link(&mut self, own: Range<usize>, others: Range<usize>, direction: Direction, reach: AgentLevels) {
        let (mut span, mut other) = (own.start, others.start);
        let (height, step) = (i64::from(reach.height), i64::from(reach.step));
        let Self { first, floor: floors, clearance, links } = self;
        let first = *first;
        // The clearance of open sky is so large that it ends above every ceiling.
        let room = |span: usize| {
            let floor = i64::from(floors[span - first]);
            (floor, floor + i64::from(clearance[span - first]))
        };
        while span < own.end && other < others.end {
            let ((floor, ceiling), (other_floor, other_ceiling)) = (room(span), room(other));
            let shared = ceiling.min(other_ceiling) - floor.max(other_floor);
            let linked = shared >= height && (floor - other_floor).abs() <= step;
            if linked {
                links[span - first][direction.index()] = other as u32;
                links[other - first][direction.opposite().index()] = span as u32;
            }
            // Gaps of a column do not overlap, so the one that ends first meets no further gap.
            span += usize::from(linked || ceiling <= other_ceiling);
            other += usize::from(linked || other_ceiling <= ceiling);
        }
    }
}
