//! Windows of drawn ground as few bytes, quick to put together again.

use waymesh_core::{AreaId, Direction, FieldWindow, GridFrame, GridWindow, NO_SPAN, OPEN_SKY, WalkableField};

use crate::config::StoreysConfig;

/// The level above a height of the ground, which is how [`crate::refine_window`] numbers floors.
#[inline]
pub(crate) fn floor_above(ground: f32) -> i32 {
    let ground = f64::from(ground) - 1e-4;
    // Rounded up without the library call that `f64::ceil` is on the least common instruction set.
    #[expect(clippy::cast_possible_truncation, reason = "levels are checked with the frame")]
    let floor = ground as i32;
    floor + i32::from(f64::from(floor) < ground)
}

/// A window of the field that [`crate::refine_window`] draws, with a label per span: nine bytes a span and four a column, where a
/// [`LabelledWindow`](waymesh_core::LabelledWindow) has 37 and four.
///
/// What the drawing implies is not kept: floors follow from the ground, clearances from floors, and a link leads to the ground nearest in height.
///
/// # Guarantees
/// [`SlimWindow::part`] gives the field it was made of, bit for bit.
#[derive(Clone, Debug, PartialEq)]
pub struct SlimWindow {
    frame: GridFrame,
    core: GridWindow,
    window: GridWindow,
    columns: Vec<u32>,
    pub(crate) ground: Vec<f32>,
    /// A bit per direction in which there is a link.
    pub(crate) links: Vec<u8>,
    /// A number per span, whatever the user likes.
    pub labels: Vec<u32>,
    /// Spans and directions, four numbers a span, and the place in its column of the span they lead to, where that is not the nearest.
    /// In order.
    pub(crate) odd: Vec<(u64, u32)>,
    /// Ground so near in height, in levels, is the nearest: that of a column is farther apart.
    pub(crate) near: f32,
}

/// The span of a column nearest in height, counted in the column; the lowest of several.
#[inline]
pub(crate) fn nearest(column: &[f32], ground: f32, near: f32, guess: usize) -> usize {
    let is_near = |other: &f32| (other - ground).abs() <= near;
    if column.get(guess).is_some_and(is_near) {
        return guess;
    }
    column.iter().position(is_near).unwrap_or_else(|| {
        let apart = |place: &usize| (column[*place] - ground).abs();
        (0..column.len()).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(0)
    })
}

/// A span and a direction as a number.
#[inline]
pub(crate) fn key(span: u32, direction: Direction) -> u64 {
    u64::from(span) * 4 + direction.index() as u64
}

/// A part of a row, and where it comes from.
type Segment<'a> = (u32, &'a SlimWindow, std::ops::Range<u32>);

impl SlimWindow {
    /// Keeps what cannot be found again of a field that [`crate::refine_window`] has drawn with this configuration.
    #[must_use]
    pub fn new(part: &FieldWindow, labels: Vec<u32>, config: &StoreysConfig) -> Self {
        let field = &part.field;
        let near = 0.49 * config.agent.height / config.scale.level_height;
        let mut slim = Self {
            frame: part.frame,
            core: part.core,
            window: part.window,
            columns: field.columns.clone(),
            ground: field.ground.clone(),
            links: Vec::with_capacity(field.len()),
            labels,
            odd: Vec::new(),
            near,
        };
        let width = part.window.width as usize;
        for cell in 0..slim.columns.len() - 1 {
            let own = slim.columns[cell]..slim.columns[cell + 1];
            for span in own.clone() {
                let [west, south, east, north] = field.links[span as usize];
                let bit = |link: u32, direction: Direction| u8::from(link != NO_SPAN) << direction.index();
                slim.links.push(
                    bit(west, Direction::NegX)
                        | bit(south, Direction::PosZ)
                        | bit(east, Direction::PosX)
                        | bit(north, Direction::NegZ),
                );
                let (ground, guess) = (slim.ground[span as usize], span - own.start);
                for (direction, link, step) in [(Direction::PosZ, south, width), (Direction::PosX, east, 1)] {
                    if link == NO_SPAN {
                        continue;
                    }
                    let first = slim.columns[cell + step];
                    let is_guessed =
                        link == first + guess && (slim.ground[link as usize] - ground).abs() <= near;
                    if is_guessed {
                        continue;
                    }
                    let range = first as usize..slim.columns[cell + step + 1] as usize;
                    let place = link - first;
                    if nearest(&slim.ground[range], ground, near, guess as usize) != place as usize {
                        slim.odd.push((key(span, direction), place));
                    }
                }
            }
        }
        slim
    }

    /// The window it was made of.
    #[must_use]
    pub fn part(&self) -> FieldWindow {
        let mut field = WalkableField::empty(self.frame.window(self.window));
        field.columns.clone_from(&self.columns);
        field.ground.clone_from(&self.ground);
        fill(&mut field);
        self.link(&mut field);
        FieldWindow { frame: self.frame, core: self.core, window: self.window, field }
    }

    /// The parts of a row of `window` that lie in the cores of tiles, from left to right.
    pub(crate) fn row<'a>(tiles: &[&'a Self], z: u32, window: &GridWindow) -> Vec<Segment<'a>> {
        let beside = tiles.iter().filter_map(|&tile| {
            let (from, to) = (tile.core.x.max(window.x), tile.core.end_x().min(window.end_x()));
            (z >= tile.core.z && z < tile.core.end_z() && from < to).then_some((z, tile, from..to))
        });
        let mut row: Vec<Segment<'a>> = beside.collect();
        row.sort_unstable_by_key(|(_, _, columns)| columns.start);
        row
    }

    /// The spans of a part of a row.
    pub(crate) fn spans(&self, z: u32, columns: &std::ops::Range<u32>) -> (std::ops::Range<usize>, &[u32]) {
        let first = (z - self.window.z) as usize * self.window.width as usize;
        let at = |x: u32| first + (x - self.window.x) as usize;
        let columns = &self.columns[at(columns.start)..=at(columns.end)];
        (columns[0] as usize..columns[columns.len() - 1] as usize, columns)
    }

    /// Links all spans to those on the right and below.
    #[expect(clippy::cast_possible_truncation, reason = "no more spans than 32-bit tables have")]
    fn link(&self, field: &mut WalkableField) {
        let (width, cells) = (self.window.width as usize, self.columns.len() - 1);
        let column = |cell: usize, has: bool| {
            if has { self.columns[cell] as usize..self.columns[cell + 1] as usize } else { 0..0 }
        };
        let mut odd = self.odd.as_slice();
        for cell in 0..cells {
            let own = column(cell, true);
            let east = column(cell + 1, !(cell + 1).is_multiple_of(width));
            let south = column(cell + width, cell + width < cells);
            for (guess, span) in own.enumerate() {
                let (links, ground) = (self.links[span], self.ground[span]);
                // In the order of directions, as exceptions are.
                for (direction, there) in [(Direction::PosZ, &south), (Direction::PosX, &east)] {
                    if links >> direction.index() & 1 == 0 || there.is_empty() {
                        continue;
                    }
                    let place = match odd.split_first() {
                        Some((&(found, place), rest)) if found == key(span as u32, direction) => {
                            odd = rest;
                            place as usize
                        }
                        _ => nearest(&self.ground[there.clone()], ground, self.near, guess),
                    };
                    let other = there.start + place;
                    field.links[span][direction.index()] = other as u32;
                    field.links[other][direction.opposite().index()] = span as u32;
                }
            }
        }
    }
}

/// What follows from the ground.
fn fill(field: &mut WalkableField) {
    let count = field.ground.len();
    field.cells.reserve_exact(count);
    field.clearance.reserve_exact(count);
    field.floor.reserve_exact(count);
    field.floor.extend(field.ground.iter().map(|&ground| floor_above(ground)));
    for (cell, pair) in (0_u32..).zip(field.columns.windows(2)) {
        let (first, end) = (pair[0] as usize, pair[1] as usize);
        for span in first..end {
            field.cells.push(cell);
            let above =
                if span + 1 < end { field.floor[span + 1].abs_diff(field.floor[span]) } else { OPEN_SKY };
            field.clearance.push(above);
        }
    }
    field.area.resize(count, AreaId::GROUND);
    field.links.resize(count, [NO_SPAN; 4]);
}
