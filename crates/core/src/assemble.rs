//! Assembly of one field from the cores of tiles, and parts of one.

use crate::{
    Direction, FieldWindow, GridFrame, GridWindow, LabelledWindow, NO_SPAN, RegionMap, SpanField,
    WalkableField, to_u32,
};

impl FieldWindow {
    /// Assembles one field from the cores of `tiles`, which share no column. The field has the
    /// columns of `core` and the ring around it. Columns that are in no tile's core are empty.
    ///
    /// # Cost
    /// Linear in the number of spans: the spans of a row of a tile are copied at once.
    #[must_use]
    pub fn assemble(frame: GridFrame, core: GridWindow, tiles: &[&Self]) -> Self {
        Assembly::new(frame, core, core.grown(1, &frame), tiles, |tile| tile.core).field()
    }

    /// Returns the part with this core and the ring around it. Columns that `self` does not hold
    /// are left out. Costs little more than copying the spans.
    #[must_use]
    pub fn cut(&self, core: GridWindow) -> Self {
        let core = core.intersection(&self.window);
        let window = core.grown(1, &self.frame).intersection(&self.window);
        Assembly::new(self.frame, core, window, &[self], |part| part.window).field()
    }
}

impl LabelledWindow {
    /// Assembles one field like [`FieldWindow::assemble`], with the regions of the tiles' cores.
    #[must_use]
    pub fn assemble(frame: GridFrame, core: GridWindow, tiles: &[&Self]) -> Self {
        let parts: Vec<&FieldWindow> = tiles.iter().map(|tile| &tile.part).collect();
        let assembly = Assembly::new(frame, core, core.grown(1, &frame), &parts, |tile| tile.core);
        let mut labels = Vec::with_capacity(assembly.spans as usize);
        for run in &assembly.runs {
            labels.extend_from_slice(&tiles[run.tile].regions.labels[run.moved.source()]);
        }
        let count = tiles.first().map_or(0, |tile| tile.regions.count);
        Self { part: assembly.field(), regions: RegionMap { labels, count } }
    }
}

/// Columns of one row that lie in one tile. Their spans are consecutive in the tile and
/// in the result.
pub(crate) struct Run {
    pub(crate) tile: usize,
    /// First column and the one after the last, in the whole grid.
    columns: [u32; 2],
    z: u32,
    pub(crate) moved: MovedRow,
}

/// The `len` spans of a row that are kept. They are numbered from `from` before and from `to` after
/// the move.
#[derive(Clone, Copy, Default)]
pub(crate) struct MovedRow {
    pub(crate) from: u32,
    len: u32,
    pub(crate) to: u32,
}

impl MovedRow {
    /// Returns the new number of a span of this row, else [`NO_SPAN`].
    #[inline(always)]
    fn moved(&self, span: u32) -> u32 {
        let place = span.wrapping_sub(self.from);
        if place < self.len { place + self.to } else { NO_SPAN }
    }

    pub(crate) fn source(&self) -> std::ops::Range<usize> {
        self.from as usize..(self.from + self.len) as usize
    }
}

/// Sources of the spans of the result.
pub(crate) struct Assembly<'a, F = WalkableField> {
    frame: GridFrame,
    core: GridWindow,
    window: GridWindow,
    tiles: &'a [&'a FieldWindow<F>],
    /// Runs in row order.
    pub(crate) runs: Vec<Run>,
    /// Per tile, its columns in the result and the runs of its rows in order.
    of_tiles: Vec<(GridWindow, Vec<MovedRow>)>,
    pub(crate) spans: u32,
}

impl<'a, F: SpanField> Assembly<'a, F> {
    /// `taken` returns the columns of a tile that may be in the result; none is in two tiles.
    pub(crate) fn new(
        frame: GridFrame,
        core: GridWindow,
        window: GridWindow,
        tiles: &'a [&'a FieldWindow<F>],
        taken: impl Fn(&FieldWindow<F>) -> GridWindow,
    ) -> Self {
        let columns_of = |tile: &&FieldWindow<F>| (taken(tile).intersection(&window), Vec::new());
        let mut of_tiles: Vec<(GridWindow, Vec<MovedRow>)> = tiles.iter().map(columns_of).collect();
        let mut order: Vec<usize> = (0..tiles.len()).filter(|&tile| !of_tiles[tile].0.is_empty()).collect();
        order.sort_unstable_by_key(|&tile| of_tiles[tile].0.x);
        let (mut runs, mut spans) = (Vec::new(), 0);
        for z in window.z..window.end_z() {
            for &tile in &order {
                let (own, rows) = &mut of_tiles[tile];
                if z < own.z || z >= own.end_z() {
                    continue;
                }
                let source = tiles[tile];
                let row = (z - source.window.z) as usize * source.window.width as usize;
                let column = |x: u32| source.field.columns()[row + (x - source.window.x) as usize];
                let columns = [own.x, own.end_x()];
                let [from, end] = columns.map(column);
                let moved = MovedRow { from, len: end - from, to: spans };
                rows.push(moved);
                runs.push(Run { tile, columns, z, moved });
                spans += moved.len;
            }
        }
        Self { frame, core, window, tiles, runs, of_tiles, spans }
    }

    /// Returns the place of a run's first column in the result, and the ends of its columns in its
    /// tile, with that of the column before.
    pub(crate) fn columns(&self, run: &Run) -> (usize, &'a [u32]) {
        let (source, window) = (self.tiles[run.tile], self.window);
        let place = |window: GridWindow, x: u32| {
            (run.z - window.z) as usize * window.width as usize + (x - window.x) as usize
        };
        let [begin, end] = run.columns.map(|x| place(source.window, x));
        (place(window, run.columns[0]), &source.field.columns()[begin..=end])
    }
}

impl Assembly<'_> {
    fn field(&self) -> FieldWindow {
        let window = self.window;
        let mut field = WalkableField::empty(self.frame.window(window));
        let count = self.spans as usize;
        field.span_columns.reserve_exact(count);
        field.floor.reserve_exact(count);
        field.clearance.reserve_exact(count);
        field.ground.reserve_exact(count);
        field.area.reserve_exact(count);
        field.links.reserve_exact(count);
        // Links out of a tile's columns, with the floors of their targets.
        let mut across: Vec<(u32, Direction, i32)> = Vec::new();
        // All columns before this one are complete.
        let mut next = 0;
        for run in &self.runs {
            let source = &self.tiles[run.tile].field;
            let (first, ends) = self.columns(run);
            field.columns[next + 1..=first].fill(run.moved.to);
            for (column, ends) in (first..).zip(ends.windows(2)) {
                field.span_columns.extend(std::iter::repeat_n(to_u32(column), (ends[1] - ends[0]) as usize));
                field.columns[column + 1] = ends[1] - run.moved.from + run.moved.to;
            }
            next = first + ends.len() - 1;
            let spans = run.moved.source();
            field.floor.extend_from_slice(&source.floor[spans.clone()]);
            field.clearance.extend_from_slice(&source.clearance[spans.clone()]);
            field.ground.extend_from_slice(&source.ground[spans.clone()]);
            field.area.extend_from_slice(&source.area[spans.clone()]);
            let targets = self.targets(run);
            let links = source.links[spans].iter().zip(run.moved.to..).map(|(links, span)| {
                let mut moved = *links;
                for ((link, target), direction) in moved.iter_mut().zip(&targets).zip(Direction::ALL) {
                    let there = std::mem::replace(link, target.moved(*link));
                    if *link == NO_SPAN && there != NO_SPAN {
                        let floor = source.floor.get(there as usize);
                        across.extend(floor.map(|&floor| (span, direction, floor)));
                    }
                }
                moved
            });
            field.links.extend(links);
        }
        field.columns[next + 1..].fill(self.spans);
        for (span, direction, floor) in across {
            field.links[span as usize][direction.index()] = find(&field, span, direction, floor);
        }
        FieldWindow { frame: self.frame, core: self.core, window, field }
    }

    /// Returns, for each direction, the run of the same tile that the links of `run` lead to.
    fn targets(&self, run: &Run) -> [MovedRow; 4] {
        let (own, rows) = &self.of_tiles[run.tile];
        let row = (run.z - own.z) as usize;
        let row_at = |row: usize| rows.get(row).copied().unwrap_or_default();
        let mut targets = [run.moved; 4];
        targets[Direction::PosZ.index()] = row_at(row + 1);
        targets[Direction::NegZ.index()] = row.checked_sub(1).map(row_at).unwrap_or_default();
        targets
    }
}

/// Returns the span on this floor in the adjacent column, or [`NO_SPAN`] if that column has none.
fn find(field: &WalkableField, span: u32, direction: Direction, floor: i32) -> u32 {
    let (x, z) = field.column_of(span);
    let (dx, dz) = direction.offset();
    let beside = x.checked_add_signed(dx).zip(z.checked_add_signed(dz));
    let inside = beside.filter(|&(x, z)| x < field.frame.width && z < field.frame.depth);
    inside
        .and_then(|(x, z)| field.column(x, z).find(|&other| field.floor[other as usize] == floor))
        .unwrap_or(NO_SPAN)
}
