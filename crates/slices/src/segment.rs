//! Section 3 of the paper: finds connected pieces of one level and area among the walkable spans.

use waymesh_core::{DisjointSets, checkpoint};

use crate::spans::SpanGrid;

/// Label of a span that is not walkable, or that lies outside the core.
pub const NO_LABEL: u32 = u32::MAX;

/// Rule by which spans of one level and area are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbourhood {
    /// Spans that share a side. An agent can cross a side.
    Four,
    /// Spans that share a side or a corner: the paper's slices.
    Eight,
}

/// A rectangle of columns of a [`SpanGrid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreRect {
    /// First column along x.
    pub x: usize,
    /// First column along z.
    pub z: usize,
    /// One past the last column along x.
    pub end_x: usize,
    /// One past the last column along z.
    pub end_z: usize,
}

impl CoreRect {
    /// Returns the rectangle of all of `grid`.
    #[must_use]
    pub fn whole(grid: &SpanGrid) -> Self {
        Self { x: 0, z: 0, end_x: grid.width(), end_z: grid.depth() }
    }
}

/// Pieces of one level and area, and the neighbours of every span. Can be reused from tile to tile.
#[derive(Clone, Debug, Default)]
pub struct Segmentation {
    /// Label of each walkable span of the core; [`NO_LABEL`] for all other spans. Labels are
    /// numbered in row-major order of their first spans.
    pub labels: Vec<u32>,
    /// Bit mask of the eight columns around a span that have a walkable span at the same level and
    /// of the same area: the paper's `n_c` (figure 5). Bits 1, 2, 4 for smaller z, 8 and 16 for the
    /// same z, 32, 64, 128 for larger z, each from smaller to larger x.
    pub configurations: Vec<u8>,
    /// Number of labels.
    pub count: u32,
    sets: DisjointSets,
    numbers: Vec<u32>,
}

/// Labels the walkable spans of `core`. Spans in the ring of one column around it count as
/// neighbours, but get no labels. This is the tile extended by one span of section 4.1.4.
///
/// The pieces are those of the flood fill of Algorithms 1 and 2: same discrete top and area,
/// neighbours in plan. They are found row by row with a union-find, because the stack of a flood
/// fill accesses memory at random.
///
/// # Cost
/// Linear in the spans, with at most four look-ups for each.
pub fn segment(grid: &SpanGrid, core: CoreRect, neighbourhood: Neighbourhood, out: &mut Segmentation) {
    out.labels.clear();
    out.labels.resize(grid.len(), NO_LABEL);
    out.configurations.clear();
    out.configurations.resize(grid.len(), 0);
    out.sets.reset(0);
    let (width, has_areas) = (grid.width(), grid.has_areas());
    let (from_x, to_x) = (core.x.saturating_sub(1), (core.end_x + 1).min(width));
    let (from_z, to_z) = (core.z.saturating_sub(1), (core.end_z + 1).min(grid.depth()));
    for z in from_z..to_z {
        checkpoint();
        for x in from_x..to_x {
            let column = z * width + x;
            let is_core = (core.x..core.end_x).contains(&x) && (core.z..core.end_z).contains(&z);
            for (place, span) in grid.column(column).enumerate() {
                if !grid.is_walkable(span) {
                    continue;
                }
                let level = grid.floor(span);
                let mut label = NO_LABEL;
                let mut meet = |is_there: bool, back: usize, [own, other]: [u8; 2], joins: bool| {
                    let Some(neighbour) = is_there
                        .then(|| grid.at_level_near(column - back, level, place))
                        .flatten()
                        .filter(|&other| !has_areas || grid.area_of(other) == grid.area_of(span))
                    else {
                        return;
                    };
                    out.configurations[span] |= own;
                    out.configurations[neighbour] |= other;
                    let beside = out.labels[neighbour];
                    if joins && is_core && beside != NO_LABEL {
                        label = if label == NO_LABEL { beside } else { out.sets.unite(label, beside) };
                    }
                };
                let diagonal = neighbourhood == Neighbourhood::Eight;
                let (left, right, below) = (x > from_x, x + 1 < to_x, z > from_z);
                meet(left, 1, [8, 16], true);
                meet(below, width, [2, 64], true);
                meet(below && left, width + 1, [1, 128], diagonal);
                meet(below && right, width.wrapping_sub(1), [4, 32], diagonal);
                if is_core {
                    if label == NO_LABEL {
                        label = out.sets.push();
                    }
                    out.labels[span] = label;
                }
            }
        }
    }
    out.number();
}

impl Segmentation {
    /// Turns provisional labels into final ones, in the order of their first spans.
    fn number(&mut self) {
        self.numbers.clear();
        self.numbers.resize(self.sets.len(), NO_LABEL);
        self.count = 0;
        for label in self.labels.iter_mut().filter(|label| **label != NO_LABEL) {
            let root = self.sets.find(*label) as usize;
            if self.numbers[root] == NO_LABEL {
                self.numbers[root] = self.count;
                self.count += 1;
            }
            *label = self.numbers[root];
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use waymesh_testkit::Random;

    /// Returns the columns of up to three spans on few levels, which gives pieces of all shapes.
    pub(crate) fn random_grid(random: &mut Random, width: usize, depth: usize) -> SpanGrid {
        let (density, odd) = (0.2 + 0.8 * random.unit(), 0.3 * random.unit());
        let columns: Vec<Vec<(i32, i32, bool)>> = (0..width * depth)
            .map(|_| {
                let mut column = Vec::new();
                for storey in 0..3 {
                    if random.chance(density) {
                        let top = storey * 20 + i32::from(random.chance(odd));
                        column.push((top - 3, top, random.chance(0.95)));
                    }
                }
                column
            })
            .collect();
        SpanGrid::from_columns(width, &columns)
    }

    /// Implements Algorithms 1 and 2 literally: a stack of spans, and for each span a search of all
    /// spans of the eight columns around it.
    fn flood(grid: &SpanGrid) -> Vec<u32> {
        let (width, depth) = (grid.width().cast_signed(), grid.depth().cast_signed());
        let mut labels = vec![NO_LABEL; grid.len()];
        let column_of: Vec<usize> = (0..grid.width() * grid.depth())
            .flat_map(|column| grid.column(column).map(move |_| column))
            .collect();
        let mut count = 0;
        for seed in 0..grid.len() {
            if !grid.is_walkable(seed) || labels[seed] != NO_LABEL {
                continue;
            }
            let mut stack = vec![seed];
            labels[seed] = count;
            while let Some(span) = stack.pop() {
                let (x, z) = (column_of[span] as isize % width, column_of[span] as isize / width);
                for (dx, dz) in (0..9).map(|step| (step % 3 - 1, step / 3 - 1)) {
                    let (x, z) = (x + dx, z + dz);
                    if !(0..width).contains(&x) || !(0..depth).contains(&z) {
                        continue;
                    }
                    for other in grid.column((z * width + x).cast_unsigned()) {
                        if grid.is_walkable(other)
                            && labels[other] == NO_LABEL
                            && grid.top(other) == grid.top(span)
                        {
                            labels[other] = count;
                            stack.push(other);
                        }
                    }
                }
            }
            count += 1;
        }
        labels
    }

    #[test]
    fn the_pieces_are_those_of_the_papers_flood_fill() {
        let mut random = Random::new(1);
        let mut out = Segmentation::default();
        for _ in 0..200 {
            let (width, depth) = (random.index(12) + 1, random.index(12) + 1);
            let grid = random_grid(&mut random, width, depth);
            segment(&grid, CoreRect::whole(&grid), Neighbourhood::Eight, &mut out);
            assert_eq!(out.labels, flood(&grid));
            let eight = out.count;
            segment(&grid, CoreRect::whole(&grid), Neighbourhood::Four, &mut out);
            assert!(out.count >= eight);
        }
    }

    #[test]
    fn the_ring_is_seen_but_not_labelled() {
        let grid = SpanGrid::from_columns(3, &vec![vec![(0, 4, true)]; 9]);
        let mut out = Segmentation::default();
        segment(&grid, CoreRect { x: 1, z: 1, end_x: 2, end_z: 2 }, Neighbourhood::Four, &mut out);
        assert_eq!(out.count, 1);
        assert_eq!(out.configurations[4], 255);
        assert_eq!(out.labels.iter().filter(|&&label| label == 0).count(), 1);
    }
}
