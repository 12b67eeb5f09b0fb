//! Assembly of one field from the cores of tiles.

use crate::window::MovedRow;
use crate::{
    Direction, FieldWindow, GridFrame, GridWindow, LabelledWindow, NO_SPAN, RegionMap, WalkableField, to_u32,
};

impl FieldWindow {
    /// Assembles one field from the cores of `tiles`, which share no column. The field has the
    /// columns of `core` and the ring around it. Columns that are in no tile's core are empty.
    ///
    /// # Cost
    /// Linear in the number of spans: the spans of a row of a tile are copied at once.
    #[must_use]
    pub fn assemble(frame: GridFrame, core: GridWindow, tiles: &[&Self]) -> Self {
        Assembly::new(frame, core, tiles).field()
    }
}

impl LabelledWindow {
    /// Assembles one field like [`FieldWindow::assemble`], with the regions of the tiles' cores.
    #[must_use]
    pub fn assemble(frame: GridFrame, core: GridWindow, tiles: &[&Self]) -> Self {
        let parts: Vec<&FieldWindow> = tiles.iter().map(|tile| &tile.part).collect();
        let assembly = Assembly::new(frame, core, &parts);
        let mut labels = Vec::with_capacity(assembly.spans as usize);
        for run in &assembly.runs {
            labels.extend_from_slice(&tiles[run.tile].regions.labels[run.moved.source()]);
        }
        let count = tiles.first().map_or(0, |tile| tile.regions.count);
        Self { part: assembly.field(), regions: RegionMap { labels, count } }
    }
}

/// Columns of one row that lie in the core of one tile. Their spans are consecutive in the tile and
/// in the result.
struct Run {
    tile: usize,
    /// First column and the one after the last, in the whole grid.
    columns: [u32; 2],
    z: u32,
    moved: MovedRow,
}

impl MovedRow {
    fn source(&self) -> std::ops::Range<usize> {
        self.from as usize..(self.from + self.len) as usize
    }
}

/// Sources of the spans of the result.
struct Assembly<'a> {
    frame: GridFrame,
    core: GridWindow,
    window: GridWindow,
    tiles: &'a [&'a FieldWindow],
    /// Runs in row order.
    runs: Vec<Run>,
    /// Per tile, its columns in the result and the runs of its rows in order.
    of_tiles: Vec<(GridWindow, Vec<MovedRow>)>,
    spans: u32,
}

impl<'a> Assembly<'a> {
    fn new(frame: GridFrame, core: GridWindow, tiles: &'a [&'a FieldWindow]) -> Self {
        let window = core.grown(1, &frame);
        let columns_of = |tile: &&FieldWindow| (tile.core.intersection(&window), Vec::new());
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
                let column = |x: u32| source.field.columns[row + (x - source.window.x) as usize];
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
        // Links into the cores of other tiles, with the floors of their targets.
        let mut across: Vec<(u32, Direction, i32)> = Vec::new();
        // All columns before this one are complete.
        let mut next = 0;
        for run in &self.runs {
            let source = &self.tiles[run.tile].field;
            let place = |x: u32| ((run.z - window.z) * window.width + x - window.x) as usize;
            field.columns[next + 1..=place(run.columns[0])].fill(run.moved.to);
            next = place(run.columns[1]);
            self.push_columns(run, place(run.columns[0]), &mut field);
            let spans = run.moved.source();
            field.floor.extend_from_slice(&source.floor[spans.clone()]);
            field.clearance.extend_from_slice(&source.clearance[spans.clone()]);
            field.ground.extend_from_slice(&source.ground[spans.clone()]);
            field.area.extend_from_slice(&source.area[spans.clone()]);
            let targets = self.targets(run);
            let links = source.links[spans].iter().zip(run.moved.to..).map(|(links, span)| {
                let mut moved = *links;
                for ((link, target), direction) in moved.iter_mut().zip(&targets).zip(Direction::ALL) {
                    if *link == NO_SPAN {
                        continue;
                    }
                    let floor = source.floor.get(*link as usize).copied();
                    *link = target.moved(*link);
                    if *link == NO_SPAN {
                        across.extend(floor.map(|floor| (span, direction, floor)));
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

    /// Sets the ends of a run's columns, starting at column `first`, and the columns of its spans.
    fn push_columns(&self, run: &Run, first: usize, field: &mut WalkableField) {
        let source = self.tiles[run.tile];
        let row = (run.z - source.window.z) as usize * source.window.width as usize;
        let [begin, end] = run.columns.map(|x| row + (x - source.window.x) as usize);
        for (column, ends) in (first..).zip(source.field.columns[begin..=end].windows(2)) {
            field.span_columns.extend(std::iter::repeat_n(to_u32(column), (ends[1] - ends[0]) as usize));
            field.columns[column + 1] = ends[1] - run.moved.from + run.moved.to;
        }
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
