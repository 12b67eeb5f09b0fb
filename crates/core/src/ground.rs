//! What heights are taken from: the ground of a part of a field.

use std::fmt::Debug;

use crate::{Direction, GridWindow, LabelledWindow, NO_REGION, RegionMap, WalkableField};

/// The ground of a window of a field as far as heights are taken from it: tables of columns,
/// heights and regions, and links that may be found on demand, for few are asked for.
///
/// # Contract
/// Spans are numbered column by column, row by row of [`GroundWindow::window`]; `heights` and
/// `labels` have an entry for each. Links lead to the adjacent column. Tables of wrong length are
/// found by who asks; methods return `None` for numbers that no span has.
pub trait GroundWindow: Debug + Sync {
    /// The columns it holds, of the whole grid.
    fn window(&self) -> GridWindow;

    /// First span of each column, and the number of spans at the end.
    fn columns(&self) -> &[u32];

    /// Height of the ground in levels, of each span.
    fn heights(&self) -> &[f32];

    /// Region of each span, [`NO_REGION`] for none.
    fn labels(&self) -> &[u32];

    /// Number of regions of the whole field.
    fn regions(&self) -> u32;

    /// Whether one can walk on a span, and it is of a region.
    fn is_walkable(&self, span: u32) -> bool;

    /// The span that one links to, if one can walk on it.
    fn link(&self, span: u32, direction: Direction) -> Option<u32>;
}

/// A field, or a part of one, and its regions, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct FieldGround<'a> {
    /// The columns that `field` holds.
    pub window: GridWindow,
    /// Ground and links.
    pub field: &'a WalkableField,
    /// Its regions.
    pub regions: &'a RegionMap,
}

impl<'a> FieldGround<'a> {
    /// The ground of a labelled window.
    #[must_use]
    pub fn of(labelled: &'a LabelledWindow) -> Self {
        Self { window: labelled.part.window, field: &labelled.part.field, regions: &labelled.regions }
    }
}

impl GroundWindow for FieldGround<'_> {
    fn window(&self) -> GridWindow {
        self.window
    }

    fn columns(&self) -> &[u32] {
        &self.field.columns
    }

    fn heights(&self) -> &[f32] {
        &self.field.ground
    }

    fn labels(&self) -> &[u32] {
        &self.regions.labels
    }

    fn regions(&self) -> u32 {
        self.regions.count
    }

    fn is_walkable(&self, span: u32) -> bool {
        let label = self.regions.labels.get(span as usize);
        let area = self.field.area.get(span as usize);
        label.is_some_and(|&label| label != NO_REGION) && area.is_some_and(|area| area.is_walkable())
    }

    #[inline]
    fn link(&self, span: u32, direction: Direction) -> Option<u32> {
        let link = self.field.links.get(span as usize)?[direction.index()];
        // `NO_SPAN` is beyond the table as well.
        self.field.area.get(link as usize)?.is_walkable().then_some(link)
    }
}

impl GroundWindow for LabelledWindow {
    fn window(&self) -> GridWindow {
        self.part.window
    }

    fn columns(&self) -> &[u32] {
        &self.part.field.columns
    }

    fn heights(&self) -> &[f32] {
        &self.part.field.ground
    }

    fn labels(&self) -> &[u32] {
        &self.regions.labels
    }

    fn regions(&self) -> u32 {
        self.regions.count
    }

    fn is_walkable(&self, span: u32) -> bool {
        FieldGround::of(self).is_walkable(span)
    }

    fn link(&self, span: u32, direction: Direction) -> Option<u32> {
        FieldGround::of(self).link(span, direction)
    }
}
