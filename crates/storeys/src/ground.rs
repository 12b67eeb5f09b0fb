//! The ground of several windows, for the fitting of heights.

use waymesh_core::{Direction, GridWindow, GroundWindow, NO_REGION};

use crate::slim::{SlimSpans, SlimWindow, key};

/// The ground of a window, assembled from tiles: nine bytes per span and four per column. Links are
/// computed on demand.
#[derive(Clone, Debug, PartialEq)]
pub struct SlimGround {
    window: GridWindow,
    spans: SlimSpans,
    labels: Vec<u32>,
    regions: u32,
}

impl SlimGround {
    /// Assembles the columns of `window` from the cores of `tiles`, of a field with so many
    /// regions. Columns in no core are empty.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "no more spans than 32-bit tables have")]
    pub fn assemble(window: GridWindow, tiles: &[&SlimWindow], regions: u32) -> Self {
        let mut ground = SlimSpans {
            width: window.width,
            columns: Vec::with_capacity(window.width as usize * window.depth as usize + 1),
            near: tiles.first().map_or(0.0, |tile| tile.spans.near),
            ..SlimSpans::default()
        };
        let mut labels = Vec::new();
        let rows = || (window.z..window.end_z()).map(|z| SlimWindow::row(tiles, z, &window));
        let count = rows().flatten().map(|(z, tile, columns)| tile.spans(z, &columns).0.len()).sum();
        ground.ground.reserve_exact(count);
        labels.reserve_exact(count);
        ground.links.reserve_exact(count);
        ground.columns.push(0);
        for (z, row) in (window.z..window.end_z()).zip(rows()) {
            let end = |x: u32| (z - window.z) as usize * window.width as usize + (x - window.x) as usize + 1;
            for (_, tile, columns) in row {
                let total = ground.ground.len() as u32;
                // Columns of no tile are empty.
                ground.columns.resize(end(columns.start), total);
                let (spans, ends) = tile.spans(z, &columns);
                ground.columns.extend(ends[1..].iter().map(|column| column - ends[0] + total));
                ground.ground.extend_from_slice(&tile.spans.ground[spans.clone()]);
                labels.extend_from_slice(&tile.labels[spans.clone()]);
                ground.links.extend_from_slice(&tile.spans.links[spans.clone()]);
                let (first, last) =
                    (key(spans.start as u32, Direction::NegX), key(spans.end as u32, Direction::NegX));
                let from = tile.spans.odd.partition_point(|odd| odd.0 < first);
                let odd = tile.spans.odd[from..].iter().take_while(|odd| odd.0 < last);
                let new = key(total, Direction::NegX);
                ground.odd.extend(odd.map(|&(key, place)| (key - first + new, place)));
            }
            let total = ground.ground.len() as u32;
            ground.columns.resize(end(window.end_x()), total);
        }
        Self { window, spans: ground, labels, regions }
    }
}

impl GroundWindow for SlimGround {
    fn window(&self) -> GridWindow {
        self.window
    }

    fn columns(&self) -> &[u32] {
        &self.spans.columns
    }

    fn heights(&self) -> &[f32] {
        &self.spans.ground
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
        if span as usize >= self.spans.ground.len() {
            return None;
        }
        let column = self.spans.columns.partition_point(|&first| first <= span).saturating_sub(1);
        self.spans.link(u32::try_from(column).ok()?, span, direction)
    }
}
