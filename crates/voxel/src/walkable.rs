//! Construction of the walkable field from solid spans.

use std::ops::Range;

use waymesh_core::{
    Agent, AreaId, Counter, GridFrame, GridWindow, Heightfield, Observer, WalkableField, Warning, checkpoint,
    row_bands, split_lengths, threads,
};

use crate::VoxelError;
use crate::filters::{AgentLevels, Below, Columns, Filters, ceiling, check, report};
use crate::ledge_rows::{LedgeRows, NO_LEDGE, UNKNOWN, Which, occupied};
use crate::row_links::{FieldRow, FieldSpan};

/// Counts of the stages from voxels to a field, in the columns of the core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldCounts {
    /// Number of solid spans.
    pub solid_spans: u64,
    /// Number of solid spans that triangles made walkable.
    pub walkable_spans: u64,
    /// Number of spans that the filter of low obstacles made walkable.
    pub on_low_obstacles: u64,
    /// Number of spans that the filter of ledges removed.
    pub at_ledges: u64,
    /// Number of spans that the filter of low ceilings removed.
    pub under_low_ceilings: u64,
    /// Number of spans that erosion removed.
    pub eroded: u64,
}

impl FieldCounts {
    /// Adds the counts of other columns.
    pub fn add(&mut self, other: &Self) {
        self.solid_spans += other.solid_spans;
        self.walkable_spans += other.walkable_spans;
        self.on_low_obstacles += other.on_low_obstacles;
        self.at_ledges += other.at_ledges;
        self.under_low_ceilings += other.under_low_ceilings;
        self.eroded += other.eroded;
    }

    /// Reports the counts to an observer like [`build_window`](crate::build_window).
    pub fn report(&self, observer: &mut dyn Observer) {
        report(Counter::SpansOnLowObstacles, self.on_low_obstacles, observer);
        report(Counter::SpansAtLedges, self.at_ledges, observer);
        report(Counter::SpansUnderLowCeiling, self.under_low_ceilings, observer);
        report(Counter::SpansEroded, self.eroded, observer);
    }
}

/// Builds the field of the spans of `heightfield` that the selected filters leave walkable, with
/// links where an agent can step between them. Does not change `heightfield`.
///
/// # Guarantees
/// - The field contains exactly the walkable spans, in the order of the heightfield. With
///   [`Filters::none`], these are the spans whose area is walkable.
/// - Two spans of adjacent columns are linked if their floors differ by at most `max_step` and
///   their shared gap may have the agent's height: they are not linked where the gap over the
///   centres of the cells lacks a level or more, and always linked where the triangles leave enough
///   space. If a span could be linked to several spans of one column (possible for steps higher
///   than half the agent), each is linked to one, matched from the bottom up.
/// - Any number of spans per column is supported.
/// - Field and counts equal those of one filter after the other, and do not depend on the number of
///   threads.
///
/// # Cost
/// Two passes over the columns, on all threads of the current rayon pool. 33 bytes per walkable
/// span, and one byte per span of `heightfield`.
///
/// # Errors
/// If the agent or the heightfield is invalid.
///
/// # References
/// Mononen 2009, Automatic Navmesh Generation via Watershed Partitioning, step 2.
pub fn build_filtered_field(
    heightfield: &Heightfield,
    agent: &Agent,
    filters: &Filters,
    observer: &mut dyn Observer,
) -> Result<WalkableField, VoxelError> {
    let whole = GridWindow::whole(&heightfield.frame);
    let field = build_counted(heightfield, agent, filters, whole, threads::count(), observer)?;
    if field.is_empty() {
        observer.warn(Warning::NothingWalkable { stage: "walkable field" });
    }
    Ok(field)
}

/// Builds the field like [`build_filtered_field`], but counts only in the columns of `counted`,
/// runs on `threads` threads of the current pool, and does not warn if nothing is walkable.
pub(crate) fn build_counted(
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
    let judge = Judge { heightfield, columns: Columns::new(heightfield), filters: *filters, reach, counted };
    let work_before = |row: u32| {
        let column = row as usize * frame.width as usize;
        column as u64 + u64::from(heightfield.columns[column])
    };
    let bands = row_bands(frame.depth, 1, threads, work_before);
    let (field, removed) = judge.build(&bands);
    removed.report(observer);
    Ok(field)
}

/// Decides which spans are in the field.
struct Judge<'a> {
    heightfield: &'a Heightfield,
    columns: Columns<'a>,
    filters: Filters,
    reach: AgentLevels,
    /// Columns in which removed spans are counted.
    counted: GridWindow,
}

/// Inverse of the smallest share of columns with a walkable span below another one, from which the
/// lowest spans of a row are tested together.
const INVERSE_LOW_SHARE: usize = 12;

/// Finds the spans of rows that are in the field, row by row.
struct Finder<'a> {
    judge: &'a Judge<'a>,
    highest: LedgeRows<'a>,
    lowest: LedgeRows<'a>,
    /// Columns that are tested one by one.
    others: Vec<usize>,
    removed: FieldCounts,
}

impl<'a> Finder<'a> {
    fn new(judge: &'a Judge<'a>) -> Self {
        let ledges = |which: Which| LedgeRows::new(judge.heightfield, judge.reach, which);
        let (highest, lowest) = (ledges(Which::Highest), ledges(Which::Lowest));
        Self { judge, highest, lowest, others: Vec::new(), removed: FieldCounts::default() }
    }

    /// Writes the areas of the spans of row `z`: null for spans that are not in the field. Returns
    /// the number of spans in the field.
    fn row(&mut self, z: u32, areas: &mut [AreaId]) -> u32 {
        checkpoint();
        let Judge { heightfield, filters, counted, .. } = self.judge;
        let width = heightfield.frame.width as usize;
        let columns = &heightfield.columns[z as usize * width..][..=width];
        let first = columns[0];
        let spans = &heightfield.spans[first as usize..columns[width] as usize];
        let areas = &mut areas[..spans.len()];
        let is_counted = z >= counted.z && z < counted.end_z();
        let counted = if is_counted { counted.x as usize..counted.end_x() as usize } else { 0..0 };
        let (mut kept, removed) = (0, &mut self.removed);
        self.others.clear();
        if filters.ledges {
            self.highest.judge(z as usize);
        } else {
            self.highest.know_nothing();
        }
        let (highest, mut lowest_of_several) = (&self.highest.verdicts[..width], 0);
        for x in occupied(columns).flatten() {
            let own = (columns[x] - first) as usize..(columns[x + 1] - first) as usize;
            let Some(last) = own.end.checked_sub(1).filter(|_| !own.is_empty()) else { continue };
            let mut is_alone = true;
            for lower in own.start..last {
                areas[lower] = AreaId::NULL;
                is_alone &= !spans[lower].area.is_walkable();
            }
            // Without walkable ground below it, a span is not a low obstacle.
            let area = spans[last].area;
            if is_alone && (highest[x] != UNKNOWN || !area.is_walkable()) {
                let is_kept = highest[x] == NO_LEDGE && area.is_walkable();
                areas[last] = if is_kept { area } else { AreaId::NULL };
                kept += u32::from(is_kept);
                if !is_kept && area.is_walkable() && counted.contains(&x) {
                    removed.at_ledges += 1;
                }
            } else {
                lowest_of_several += usize::from(spans[own.start].area.is_walkable() && own.len() > 1);
                self.others.push(x);
            }
        }
        if filters.ledges && lowest_of_several > width / INVERSE_LOW_SHARE {
            self.lowest.judge(z as usize);
        } else {
            self.lowest.know_nothing();
        }
        for &x in &self.others {
            let own = (columns[x] - first) as usize..(columns[x + 1] - first) as usize;
            let known = [highest[x], self.lowest.verdicts[x]];
            let counts = u64::from(counted.contains(&x));
            kept += self.judge.column((x, z as usize), known, counts, removed, &mut areas[own]);
        }
        kept
    }
}

impl Judge<'_> {
    /// Writes the areas of the spans of a column, and returns the number of spans in the field.
    /// `highest` and `lowest` are verdicts about the highest and the lowest span.
    #[inline(never)]
    fn column(
        &self,
        (x, z): (usize, usize),
        [highest, lowest]: [i32; 2],
        counts: u64,
        removed: &mut FieldCounts,
        areas: &mut [AreaId],
    ) -> u32 {
        let Self { columns, filters, reach, .. } = self;
        let column = z * self.heightfield.frame.width as usize + x;
        let spans = columns.column(column);
        let (mut kept, mut below) = (0, Below::NOTHING);
        for (index, (span, area)) in spans.iter().zip(areas).enumerate() {
            *area = span.area;
            if filters.low_obstacles {
                *area = below.step(span, reach.step);
                removed.on_low_obstacles += counts & u64::from(*area != span.area);
            }
            if !area.is_walkable() {
                continue;
            }
            let verdict = match index {
                _ if index + 1 == spans.len() => highest,
                0 => lowest,
                _ => UNKNOWN,
            };
            let (feet, ceiling) = (reach.feet(span.top, span.ground_drop), ceiling(spans, index));
            // Under a low ceiling no neighbour can be reached, so only the edge of the grid makes a
            // ledge.
            let is_low = i64::from(ceiling) - i64::from(feet) < i64::from(reach.height);
            let is_ledge = match verdict {
                NO_LEDGE => false,
                UNKNOWN => {
                    filters.ledges
                        && (columns.is_edge(x, z)
                            || !is_low && columns.is_ledge(column, span, ceiling, *reach))
                }
                _ => true,
            };
            if is_ledge {
                removed.at_ledges += counts;
                *area = AreaId::NULL;
            } else if is_low && filters.low_ceilings {
                removed.under_low_ceilings += counts;
                *area = AreaId::NULL;
            } else {
                kept += 1;
            }
        }
        kept
    }

    /// Returns the spans of a band of rows.
    fn spans_of(&self, band: &Range<u32>) -> Range<usize> {
        let Heightfield { frame, columns, .. } = self.heightfield;
        let before = |row: u32| columns[row as usize * frame.width as usize] as usize;
        before(band.start)..before(band.end)
    }

    /// Links the rows of a band, whose first span in the field has number `base`. `fill` fills a
    /// row; `take` gets the rows of the band in order.
    fn rows(
        &self,
        band: Range<u32>,
        base: u32,
        mut fill: impl FnMut(u32, &mut FieldRow),
        mut take: impl FnMut(u32, &FieldRow),
    ) {
        let GridFrame { width, depth, .. } = self.heightfield.frame;
        let (mut north, mut row) = (FieldRow::default(), FieldRow::default());
        if band.start == 0 {
            north.clear(width as usize);
        } else {
            fill(band.start - 1, &mut north);
        }
        north.base = base - north.len();
        for z in band.start..=band.end {
            if z < depth {
                fill(z, &mut row);
            } else {
                row.clear(width as usize);
            }
            row.base = north.base + north.len();
            row.link(&mut north, self.reach);
            if z > band.start {
                take(z - 1, &north);
            }
            std::mem::swap(&mut row, &mut north);
        }
    }

    /// Builds the field in two passes, on several threads: the first finds the spans that stay, the
    /// second fills the tables, whose lengths are then known.
    fn build(&self, bands: &[Range<u32>]) -> (WalkableField, FieldCounts) {
        let frame = self.heightfield.frame;
        let width = frame.width as usize;
        // Areas of the spans that stay; null for all others.
        let mut areas: Vec<AreaId> = bytemuck::zeroed_vec(self.heightfield.spans.len());
        let parts = split_lengths(&mut areas, bands.iter().map(|band| self.spans_of(band).len()));
        let find = |(band, mut areas): (&Range<u32>, &mut [AreaId])| {
            let mut finder = Finder::new(self);
            let mut kept = 0;
            for z in band.clone() {
                let (row, rest) = std::mem::take(&mut areas).split_at_mut(self.spans_of(&(z..z + 1)).len());
                kept += finder.row(z, row);
                areas = rest;
            }
            (kept, finder.removed)
        };
        let found: Vec<(u32, FieldCounts)> = threads::map(bands.iter().zip(parts), find);
        let mut removed = FieldCounts::default();
        found.iter().for_each(|(_, more)| removed.add(more));
        let lengths = || found.iter().map(|&(spans, _)| spans as usize);
        let total = lengths().sum();
        let mut field = WalkableField {
            frame,
            columns: vec![0; frame.column_count() + 1],
            span_columns: vec![0; total],
            floor: vec![0; total],
            clearance: vec![0; total],
            ground: vec![0.0; total],
            links: vec![[0; 4]; total],
            area: bytemuck::zeroed_vec(total),
        };
        let columns = bands.iter().map(|band| band.len() * width);
        let parts = split_lengths(&mut field.columns[1..], columns)
            .into_iter()
            .zip(split_lengths(&mut field.span_columns, lengths()))
            .zip(split_lengths(&mut field.floor, lengths()))
            .zip(split_lengths(&mut field.clearance, lengths()))
            .zip(split_lengths(&mut field.ground, lengths()))
            .zip(split_lengths(&mut field.links, lengths()))
            .zip(split_lengths(&mut field.area, lengths()));
        let mut tables = Vec::with_capacity(bands.len());
        let mut base = 0;
        for ((((((ends, span_columns), floor), clearance), ground), links), area) in parts {
            tables.push(BandTables { base, ends, span_columns, floor, clearance, ground, links, area });
            base += found[tables.len() - 1].0;
        }
        threads::for_each(bands.iter().zip(tables), |(band, tables)| self.fill(band, &areas, tables));
        (field, removed)
    }

    /// Fills the tables of a band. `areas` has an entry for each span of the heightfield.
    fn fill(&self, band: &Range<u32>, areas: &[AreaId], tables: BandTables<'_>) {
        let BandTables { base, mut ends, mut span_columns, .. } = tables;
        let BandTables { mut floor, mut clearance, mut ground, mut links, mut area, .. } = tables;
        let fill = |z: u32, row: &mut FieldRow| {
            row.fill(self.heightfield, z as usize, &areas[self.spans_of(&(z..z + 1))], self.reach);
        };
        let width = self.heightfield.frame.width;
        self.rows(band.clone(), base, fill, |z, row| {
            checkpoint();
            put(&mut ends, row.starts[1..].iter().map(|end| row.base + end));
            put(&mut span_columns, row.spans.iter().map(|span| z * width + span.place));
            put(&mut floor, row.spans.iter().map(|span| span.floor));
            put(&mut clearance, row.spans.iter().map(FieldSpan::clearance));
            put(&mut ground, row.spans.iter().map(|span| span.ground));
            put(&mut links, row.links.iter().copied());
            put(&mut area, row.spans.iter().map(|span| span.area));
        });
    }
}

/// Writes entries to the front of a table and advances it.
fn put<T>(table: &mut &mut [T], entries: impl ExactSizeIterator<Item = T>) {
    let (first, rest) = std::mem::take(table).split_at_mut(entries.len());
    first.iter_mut().zip(entries).for_each(|(to, entry)| *to = entry);
    *table = rest;
}

/// The tables of a field for the spans of a band.
struct BandTables<'a> {
    /// Number of the first span.
    base: u32,
    /// End of the spans of each column of the band.
    ends: &'a mut [u32],
    span_columns: &'a mut [u32],
    floor: &'a mut [i32],
    clearance: &'a mut [u32],
    ground: &'a mut [f32],
    links: &'a mut [[u32; 4]],
    area: &'a mut [AreaId],
}
