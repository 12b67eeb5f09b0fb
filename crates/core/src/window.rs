//! Parts of a field for tiles.

use crate::{GridFrame, RegionMap, SpanField, Validate, Violation, ViolationList, WalkableField};

/// Side in cells of the fixed blocks of a grid. Rules that must not depend on tiles work per block,
/// so a tile is always a rectangle of whole blocks.
pub const BLOCK_CELLS: u32 = 16;

/// A rectangle of columns of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GridWindow {
    /// First column along x.
    pub x: u32,
    /// First column along z.
    pub z: u32,
    /// Columns along x.
    pub width: u32,
    /// Columns along z.
    pub depth: u32,
}

impl GridWindow {
    /// Returns the window of `width` by `depth` columns from `(x, z)`.
    #[must_use]
    pub const fn new(x: u32, z: u32, width: u32, depth: u32) -> Self {
        Self { x, z, width, depth }
    }

    /// Returns the window of all columns of `frame`.
    #[must_use]
    pub const fn whole(frame: &GridFrame) -> Self {
        Self::new(0, 0, frame.width, frame.depth)
    }

    /// Returns one past the last column along x.
    #[inline]
    #[must_use]
    pub const fn end_x(&self) -> u32 {
        self.x.saturating_add(self.width)
    }

    /// Returns one past the last column along z.
    #[inline]
    #[must_use]
    pub const fn end_z(&self) -> u32 {
        self.z.saturating_add(self.depth)
    }

    /// Returns `true` if the window contains column `(x, z)` of the frame.
    #[inline]
    #[must_use]
    pub const fn contains(&self, x: u32, z: u32) -> bool {
        x >= self.x && x < self.end_x() && z >= self.z && z < self.end_z()
    }

    /// Returns `true` if the window contains all of `other`.
    #[must_use]
    pub const fn covers(&self, other: &Self) -> bool {
        other.x >= self.x
            && other.z >= self.z
            && other.end_x() <= self.end_x()
            && other.end_z() <= self.end_z()
    }

    /// Returns `true` if the window has no columns.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.width == 0 || self.depth == 0
    }

    /// Returns the number of columns.
    #[must_use]
    pub const fn column_count(&self) -> u64 {
        self.width as u64 * self.depth as u64
    }

    /// Returns the columns in both windows, possibly none.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let (x, z) = (self.x.max(other.x), self.z.max(other.z));
        let width = self.end_x().min(other.end_x()).saturating_sub(x);
        let depth = self.end_z().min(other.end_z()).saturating_sub(z);
        Self { x, z, width, depth }
    }

    /// Returns the window enlarged by `cells` on every side, clipped to `frame`.
    #[must_use]
    pub fn grown(&self, cells: u32, frame: &GridFrame) -> Self {
        let (x, z) = (self.x.saturating_sub(cells), self.z.saturating_sub(cells));
        Self {
            x,
            z,
            width: self.end_x().saturating_add(cells).min(frame.width).saturating_sub(x),
            depth: self.end_z().saturating_add(cells).min(frame.depth).saturating_sub(z),
        }
    }
}

impl GridFrame {
    /// Returns the frame of a part of the grid. Its origin is rounded to single precision, so it
    /// must not be used for exact computations, only to show positions.
    #[must_use]
    pub fn window(&self, window: GridWindow) -> Self {
        Self {
            origin: self.to_world(f64::from(window.x), 0.0, f64::from(window.z)),
            width: window.width,
            depth: window.depth,
            ..*self
        }
    }
}

/// The identifier of a span, equal in every part of the field. Keys are ordered like spans: row by
/// row, then upwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpanKey {
    /// Column along z, in the whole frame.
    pub z: u32,
    /// Column along x, in the whole frame.
    pub x: u32,
    /// Level of its floor.
    pub floor: i32,
}

/// A rectangular part of a field, with a ring around it.
///
/// The *core* is the part itself. The field holds the columns of `window`: the core and a ring of
/// one column around it, clipped to the grid. All eight columns around a span of the core are thus
/// included. Cores that share no column and cover the grid hold the whole field.
///
/// # Invariants
/// `field` has one column per column of `window`, and is a valid field in itself: a link out of the
/// window is [`NO_SPAN`](crate::NO_SPAN), and every other link of the whole field is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldWindow<F = WalkableField> {
    /// Place and size of the whole grid.
    pub frame: GridFrame,
    /// The columns that this part represents.
    pub core: GridWindow,
    /// Columns that this part holds.
    pub window: GridWindow,
    /// Spans of these columns, numbered from 0. If the field has a frame, it is the frame of the
    /// window.
    pub field: F,
}

impl<F: SpanField> FieldWindow<F> {
    /// Returns the key of a span in column `(x, z)` of the whole grid.
    #[inline]
    #[must_use]
    pub fn key_at(&self, x: u32, z: u32, span: u32) -> SpanKey {
        SpanKey { z, x, floor: self.field.floor(span) }
    }

    /// Returns the span with this key, if the window holds it.
    #[must_use]
    pub fn find(&self, key: SpanKey) -> Option<u32> {
        if !self.window.contains(key.x, key.z) {
            return None;
        }
        let mut column = self.field.spans_at(key.x - self.window.x, key.z - self.window.z);
        column.find(|&span| self.field.floor(span) == key.floor)
    }
}

impl FieldWindow {
    /// Returns a window that holds all of `field`.
    #[must_use]
    pub fn whole(field: WalkableField) -> Self {
        let window = GridWindow::whole(&field.frame);
        Self { frame: field.frame, core: window, window, field }
    }

    /// Returns the column `(x, z)` of `span` in the whole grid.
    #[inline]
    #[must_use]
    pub fn global_column(&self, span: u32) -> (u32, u32) {
        let (x, z) = self.field.column_of(span);
        (x + self.window.x, z + self.window.z)
    }

    /// Returns `true` if `span` lies in the core.
    #[inline]
    #[must_use]
    pub fn is_core(&self, span: u32) -> bool {
        let (x, z) = self.global_column(span);
        self.core.contains(x, z)
    }

    /// Returns the key of `span` in the whole field.
    #[inline]
    #[must_use]
    pub fn key(&self, span: u32) -> SpanKey {
        let (x, z) = self.global_column(span);
        SpanKey { z, x, floor: self.field.floor[span as usize] }
    }
}

impl Validate for FieldWindow {
    /// Checks that the core lies in the window and the window in the frame, and that the field has
    /// the window's size and is valid.
    fn violations(&self, out: &mut ViolationList) {
        let whole = GridWindow::whole(&self.frame);
        let fits = self.field.frame.width == self.window.width && self.field.frame.depth == self.window.depth;
        if !fits || !self.window.covers(&self.core) || !whole.covers(&self.window) {
            out.push(Violation::BrokenTable { table: "field window" });
            return;
        }
        self.field.violations(out);
    }
}

/// A part of a field with the region of each span, including those of the ring.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledWindow<F = WalkableField> {
    /// The part of the field.
    pub part: FieldWindow<F>,
    /// Region of each of its spans. `count` is that of the whole field.
    pub regions: RegionMap,
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{AreaId, Direction, NO_SPAN, OPEN_SKY};

    /// Returns two storeys. The upper one has a hole of one column, and a step along one line that
    /// is too high.
    fn field() -> WalkableField {
        let frame = GridFrame { origin: Vec3::ZERO, cell_size: 0.3, level_height: 0.2, width: 9, depth: 7 };
        let mut field = WalkableField::empty(frame);
        field.columns = vec![0];
        for cell in 0..63 {
            let floors: &[i32] = if cell == 31 { &[0] } else { &[0, 20] };
            for &floor in floors {
                field.span_columns.push(cell);
                field.floor.push(floor + i32::from(cell % 9 > 5));
                field.clearance.push(if floor == 0 { 19 } else { OPEN_SKY });
                field.ground.push(0.25 + 0.5 * f32::from(u8::try_from(cell).unwrap()));
                field.area.push(AreaId::GROUND);
                field.links.push([NO_SPAN; 4]);
            }
            field.columns.push(u32::try_from(field.span_columns.len()).unwrap());
        }
        for span in 0..u32::try_from(field.len()).unwrap() {
            let (x, z) = field.column_of(span);
            for direction in Direction::ALL {
                let (dx, dz) = direction.offset();
                let Some((nx, nz)) = x.checked_add_signed(dx).zip(z.checked_add_signed(dz)) else { continue };
                if nx >= 9 || nz >= 7 || (x.min(nx) == 2 && dx != 0) {
                    continue;
                }
                let near =
                    |other: &u32| field.floor[*other as usize].abs_diff(field.floor[span as usize]) <= 1;
                field.links[span as usize][direction.index()] =
                    field.column(nx, nz).find(near).unwrap_or(NO_SPAN);
            }
        }
        field
    }

    #[test]
    fn parts_hold_what_the_whole_holds_and_make_it_again() {
        let whole = FieldWindow::whole(field());
        whole.validate().unwrap();
        for (step_x, step_z) in [(1, 1), (2, 3), (4, 4), (9, 7), (20, 20)] {
            let mut tiles = Vec::new();
            for z in (0..7).step_by(step_z) {
                for x in (0..9).step_by(step_x) {
                    let size = |step: usize| u32::try_from(step).unwrap();
                    let core = GridWindow::new(x, z, size(step_x), size(step_z));
                    let tile = whole.cut(core);
                    tile.validate().unwrap();
                    for span in 0..u32::try_from(tile.field.len()).unwrap() {
                        assert_eq!(tile.find(tile.key(span)), Some(span));
                        let original = whole.find(tile.key(span)).unwrap() as usize;
                        let grounds = [whole.field.ground[original], tile.field.ground[span as usize]];
                        assert_eq!(grounds[0].to_bits(), grounds[1].to_bits());
                        if !tile.is_core(span) {
                            continue;
                        }
                        for (link, expected) in
                            tile.field.links[span as usize].iter().zip(whole.field.links[original])
                        {
                            let key =
                                |window: &FieldWindow, link: u32| (link != NO_SPAN).then(|| window.key(link));
                            assert_eq!(key(&tile, *link), key(&whole, expected));
                        }
                    }
                    tiles.push(tile);
                }
            }
            let tiles: Vec<&FieldWindow> = tiles.iter().collect();
            assert_eq!(FieldWindow::assemble(whole.frame, whole.core, &tiles), whole);
            for nothing in [GridWindow::new(30, 2, 4, 4), GridWindow::new(2, 30, 4, 4), GridWindow::default()]
            {
                assert!(whole.cut(nothing).core.is_empty());
            }
            let part = GridWindow::new(2, 1, 4, 3);
            assert_eq!(FieldWindow::assemble(whole.frame, part, &tiles), whole.cut(part));
        }
    }

    #[test]
    fn windows_are_clipped_to_the_frame() {
        let frame = field().frame;
        let window = GridWindow::new(7, 0, 9, 2).intersection(&GridWindow::whole(&frame));
        assert_eq!(window, GridWindow::new(7, 0, 2, 2));
        assert_eq!(window.grown(1, &frame), GridWindow::new(6, 0, 3, 3));
        assert!(GridWindow::new(9, 0, 4, 4).intersection(&GridWindow::whole(&frame)).is_empty());
        assert_eq!(FieldWindow::assemble(frame, window, &[]).field.len(), 0);
    }
}
