//! Parts of a grid, and the triangles in them.

use bytemuck::{Pod, Zeroable};
use waymesh_core::{GridWindow, checkpoint_every};
use waymesh_voxel::RasterJob;

/// Cells of a row that one item fills, as in the shader.
pub(super) const SEGMENT: i32 = 64;
/// The area value of a blocked triangle, as in the shader.
const BLOCKED_AREA: u32 = 256;

/// A triangle, as the shaders read it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Input {
    corners: [f32; 9],
    area: u32,
    rows: [i32; 2],
    row_from: i32,
    segment_from: u32,
    segments: u32,
    first_item: u32,
}

/// Columns of the grid: first inside, then the first outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) cells: [i32; 2],
    pub(super) rows: [i32; 2],
}

impl Part {
    pub(super) fn of(window: GridWindow) -> Self {
        let number = |column: u32| i32::try_from(column).unwrap_or(i32::MAX);
        Self {
            cells: [number(window.x), number(window.end_x())],
            rows: [number(window.z), number(window.end_z())],
        }
    }

    #[expect(clippy::cast_sign_loss, reason = "ends are not before beginnings")]
    pub(super) fn size(&self) -> [u64; 2] {
        [self.cells, self.rows].map(|[from, to]| i64::from(to).saturating_sub(i64::from(from)) as u64)
    }

    pub(super) fn columns(&self) -> u64 {
        let [width, depth] = self.size();
        width * depth
    }

    /// Returns two halves, if it has more than one column: whole rows if it has several.
    pub(super) fn halves(&self) -> Option<[Self; 2]> {
        let [width, depth] = self.size();
        let middle = |[from, to]: [i32; 2]| from + (to - from) / 2;
        if depth > 1 {
            let row = middle(self.rows);
            Some([[self.rows[0], row], [row, self.rows[1]]].map(|rows| Self { rows, ..*self }))
        } else if width > 1 {
            let cell = middle(self.cells);
            Some([[self.cells[0], cell], [cell, self.cells[1]]].map(|cells| Self { cells, ..*self }))
        } else {
            None
        }
    }
}

/// The triangles of a part, in portions that the device prepares at once.
#[derive(Debug, Default)]
pub(super) struct Portions {
    /// The triangles of each portion, and the number of their items.
    pub(super) all: Vec<(Vec<Input>, u32)>,
}

impl Portions {
    /// Sorts triangles into a part. Returns nothing if they may reach into more cells than can be
    /// counted.
    #[expect(clippy::cast_possible_truncation, reason = "fewer items than 2^31")]
    pub(super) fn of(job: &RasterJob, part: Part, triangles: &[u32], most: usize) -> Option<Self> {
        let (mut all, mut portion) = (Vec::new(), Vec::new());
        let (mut items, mut cells) = (0_u64, 0_u64);
        for (index, &triangle) in triangles.iter().enumerate() {
            checkpoint_every(1 << 16, index);
            let Some((input, own, inside)) = Input::of(job, part, triangle) else { continue };
            if portion.len() >= most || items + u64::from(own) > u64::from(u32::MAX / 2) {
                all.push((std::mem::take(&mut portion), items as u32));
                items = 0;
            }
            portion.push(Input { first_item: items as u32, ..input });
            items += u64::from(own);
            cells += inside;
            if cells > u64::from(u32::MAX) {
                return None;
            }
        }
        if !portion.is_empty() {
            all.push((portion, items as u32));
        }
        Some(Self { all })
    }
}

/// Returns the triangles that reach into a part.
pub(super) fn inside(job: &RasterJob, part: Part, triangles: &[u32]) -> Vec<u32> {
    let inside = |&(index, triangle): &(usize, &u32)| {
        checkpoint_every(1 << 16, index);
        Input::of(job, part, *triangle).is_some()
    };
    triangles.iter().enumerate().filter(inside).map(|(_, &triangle)| triangle).collect()
}

impl Input {
    /// Returns a triangle in a part, and the number of its items and of the cells of its box there.
    /// Its first item is not known yet.
    #[expect(clippy::cast_sign_loss, reason = "ranges are not empty")]
    fn of(job: &RasterJob, part: Part, triangle: u32) -> Option<(Self, u32, u64)> {
        let of = job.triangle(triangle as usize);
        // A row may reach one cell farther than the triangle, by rounding.
        let cells = [of.cells[0].saturating_sub(1), of.cells[1].saturating_add(1)];
        let cells = [cells[0].max(part.cells[0]), cells[1].min(part.cells[1] - 1)];
        let rows = [of.rows[0].max(part.rows[0]), of.rows[1].min(part.rows[1] - 1)];
        if cells[0] > cells[1] || rows[0] > rows[1] {
            return None;
        }
        let segment = |cell: i32| ((cell - part.cells[0]) / SEGMENT) as u32;
        let segments = segment(cells[1]) - segment(cells[0]) + 1;
        let depth = (rows[1] - rows[0]) as u32 + 1;
        let width = (cells[1] - cells[0]) as u64 + 1;
        let [a, b, c] = of.corners.map(|corner| corner.to_array());
        let mut corners = [0.0; 9];
        for (to, from) in corners.iter_mut().zip(a.into_iter().chain(b).chain(c)) {
            *to = from;
        }
        let input = Self {
            corners,
            area: if of.area.is_walkable() { u32::from(of.area.0) } else { BLOCKED_AREA },
            rows: of.rows,
            row_from: rows[0],
            segment_from: segment(cells[0]),
            segments,
            first_item: 0,
        };
        Some((input, depth * segments, u64::from(depth) * width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that the tables of both sides have equal layouts.
    #[test]
    fn triangles_have_the_size_of_the_shaders() {
        assert_eq!(size_of::<Input>(), 64);
    }
}
