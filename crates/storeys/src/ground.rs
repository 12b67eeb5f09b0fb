//! The ground of drawn tiles for the fitting of heights.

use waymesh_core::{Direction, GridWindow, GroundWindow, NO_REGION};

use crate::slim::{SlimWindow, key, nearest};

/// The ground of a window, put together from tiles: nine bytes a span, four a column. Links are found when they are asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct SlimGround {
    window: GridWindow,
    columns: Vec<u32>,
    heights: Vec<f32>,
    labels: Vec<u32>,
    /// As in [`SlimWindow`].
    links: Vec<u8>,
    odd: Vec<(u64, u32)>,
    near: f32,
    regions: u32,
}

impl SlimGround {
    /// The columns of `window` from the cores of `tiles`, of a field of so many regions; columns that no tile has in its core are empty.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "no more spans than 32-bit tables have")]
    pub fn assemble(window: GridWindow, tiles: &[&SlimWindow], regions: u32) -> Self {
        let near = tiles.first().map_or(0.0, |tile| tile.near);
        let mut ground = Self {
            window,
            columns: Vec::with_capacity(window.width as usize * window.depth as usize + 1),
            heights: Vec::new(),
            labels: Vec::new(),
            links: Vec::new(),
            odd: Vec::new(),
            near,
            regions,
        };
        let rows = || (window.z..window.end_z()).map(|z| SlimWindow::row(tiles, z, &window));
        let count = rows().flatten().map(|(z, tile, columns)| tile.spans(z, &columns).0.len()).sum();
        ground.heights.reserve_exact(count);
        ground.labels.reserve_exact(count);
        ground.links.reserve_exact(count);
        ground.columns.push(0);
        for (z, row) in (window.z..window.end_z()).zip(rows()) {
            let end = |x: u32| (z - window.z) as usize * window.width as usize + (x - window.x) as usize + 1;
            for (_, tile, columns) in row {
                let total = ground.heights.len() as u32;
                // Columns that nobody has are empty.
                ground.columns.resize(end(columns.start), total);
                let (spans, ends) = tile.spans(z, &columns);
                ground.columns.extend(ends[1..].iter().map(|column| column - ends[0] + total));
                ground.heights.extend_from_slice(&tile.ground[spans.clone()]);
                ground.labels.extend_from_slice(&tile.labels[spans.clone()]);
                ground.links.extend_from_slice(&tile.links[spans.clone()]);
                let (first, last) =
                    (key(spans.start as u32, Direction::NegX), key(spans.end as u32, Direction::NegX));
                let from = tile.odd.partition_point(|odd| odd.0 < first);
                let odd = tile.odd[from..].iter().take_while(|odd| odd.0 < last);
                let new = key(total, Direction::NegX);
                ground.odd.extend(odd.map(|&(key, place)| (key - first + new, place)));
            }
            let total = ground.heights.len() as u32;
            ground.columns.resize(end(window.end_x()), total);
        }
        ground
    }

    /// Columns and rows from the window's corner.
    fn column_of(&self, span: u32) -> usize {
        self.columns.partition_point(|&first| first <= span).saturating_sub(1)
    }

    fn has_link(&self, span: u32, direction: Direction) -> bool {
        self.links.get(span as usize).is_some_and(|links| links >> direction.index() & 1 == 1)
    }

    /// The span of the column `there` that one of the column `own` links to, towards larger x or z.
    fn ahead(&self, span: u32, direction: Direction, own: usize, there: usize) -> Option<u32> {
        let range = self.columns[there]..self.columns[there + 1];
        let key = key(span, direction);
        let place = match self.odd.binary_search_by_key(&key, |odd| odd.0) {
            Ok(odd) => self.odd[odd].1,
            Err(_) => {
                let guess = (span - self.columns[own]) as usize;
                let column = &self.heights[range.start as usize..range.end as usize];
                u32::try_from(nearest(column, self.heights[span as usize], self.near, guess)).ok()?
            }
        };
        // Nothing is there where no tile has the column.
        let other = range.start.checked_add(place)?;
        (other < range.end).then_some(other)
    }
}

impl GroundWindow for SlimGround {
    fn window(&self) -> GridWindow {
        self.window
    }

    fn columns(&self) -> &[u32] {
        &self.columns
    }

    fn heights(&self) -> &[f32] {
        &self.heights
    }

    fn labels(&self) -> &[u32] {
        &self.labels
    }

    fn regions(&self) -> u32 {
        self.regions
    }

    fn is_walkable(&self, span: u32) -> bool {
        self.labels.get(span as usize).is_some_and(|&label| label != NO_REGION)
    }

    fn link(&self, span: u32, direction: Direction) -> Option<u32> {
        if !self.has_link(span, direction) {
            return None;
        }
        let own = self.column_of(span);
        let width = self.window.width as usize;
        let (x, z) = (own % width, own / width);
        let there = match direction {
            Direction::NegX => (x > 0).then(|| own - 1)?,
            Direction::PosX => (x + 1 < width).then_some(own + 1)?,
            Direction::NegZ => (z > 0).then(|| own - width)?,
            Direction::PosZ => (z + 1 < self.window.depth as usize).then_some(own + width)?,
        };
        if matches!(direction, Direction::PosX | Direction::PosZ) {
            return self.ahead(span, direction, own, there);
        }
        let forth = direction.opposite();
        (self.columns[there]..self.columns[there + 1])
            .find(|&other| self.has_link(other, forth) && self.ahead(other, forth, there, own) == Some(span))
    }
}
