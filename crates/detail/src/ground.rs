//! Looking up the ground of the field.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "column coordinates are checked against the grid before they become indices"
)]

use waymesh_core::{Direction, RegionMap, WalkableField};

/// The regions on both sides of an edge, or around a vertex; unused entries repeat a used one.
pub(crate) type Labels = [u32; 4];

/// Less than this weight of a column moves a height by no more than this share of the step beside it.
const LEAST_WEIGHT: f32 = 1.0 / 64.0;
/// Columns further than this inside of an edge say nothing about it. Simplified borders stay within 1.3 cells by default.
const REACH_CELLS: i32 = 3;
/// A slope is carried on outward for this many cells at most: half a cell to the border and one that simplification adds.
const FURTHEST_OUT: f32 = 1.5;

/// The ground as the cells of some regions see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'a> {
    pub(crate) field: &'a WalkableField,
    pub(crate) labels: &'a [u32],
    /// Ground further from a reference than this is another storey, in levels.
    pub(crate) storey_gap: f32,
    /// Steeper than this is a step and not a slope, in levels per cell: what 56 degrees are.
    pub(crate) steepest: f32,
}

impl<'a> Ground<'a> {
    pub(crate) fn new(field: &'a WalkableField, regions: &'a RegionMap, max_step: f32) -> Self {
        let frame = &field.frame;
        let steepest = 1.5 * frame.cell_size / frame.level_height;
        Self {
            field,
            labels: &regions.labels,
            storey_gap: (2.0 * max_step / frame.level_height).max(2.0 * steepest),
            steepest,
        }
    }

    #[inline]
    fn column(&self, x: i32, z: i32) -> std::ops::Range<usize> {
        let frame = &self.field.frame;
        if x < 0 || z < 0 || x as u32 >= frame.width || z as u32 >= frame.depth {
            return 0..0;
        }
        let column = z as usize * frame.width as usize + x as usize;
        self.field.columns[column] as usize..self.field.columns[column + 1] as usize
    }

    /// The span of one region in a column: a region has one at most.
    #[inline]
    pub(crate) fn span_of(&self, x: i32, z: i32, label: u32) -> Option<usize> {
        self.column(x, z).find(|&span| self.labels[span] == label)
    }

    /// The ground of any of these regions in a column that is nearest to `reference`, not further than another storey.
    ///
    /// Even where there is one region only: it never overlaps itself, but round a winding stair its end may come to lie
    /// beside its start.
    #[inline]
    pub(crate) fn nearest(&self, x: i32, z: i32, labels: &Labels, reference: f32) -> Option<f32> {
        let mut gap = self.storey_gap;
        let mut best = None;
        for span in self.column(x, z) {
            let ground = self.field.ground[span];
            if labels.contains(&self.labels[span]) && (ground - reference).abs() <= gap {
                (best, gap) = (Some(ground), (ground - reference).abs());
            }
        }
        best
    }

    /// The ground of a column where region `label` has none: that of the walkable span which one of the region's spans links to,
    /// over one step or over two.
    pub(crate) fn beyond(&self, x: i32, z: i32, label: u32) -> Option<f32> {
        let step = |x: i32, z: i32, from: &dyn Fn(i32, i32) -> Option<usize>| {
            Direction::ALL.into_iter().find_map(|direction| {
                let (dx, dz) = direction.offset();
                let span = from(x + dx, z + dz)?;
                let link = self.field.links[span][direction.opposite().index()] as usize;
                // `NO_SPAN` is beyond the table as well.
                self.field.area.get(link).is_some_and(|area| area.is_walkable()).then_some(link)
            })
        };
        let once = |x: i32, z: i32| step(x, z, &|x, z| self.span_of(x, z, label));
        once(x, z).or_else(|| step(x, z, &once)).map(|span| self.field.ground[span])
    }

    /// The height at a plan position in cells, between the centres of four columns, or `None` if one that matters is missing.
    pub(crate) fn between(&self, at: [f64; 2], labels: &Labels, reference: f32) -> Option<f32> {
        let [x, z] = at.map(|value| value - 0.5);
        let (x0, z0) = (floor(x), floor(z));
        let (fx, fz) = ((x - f64::from(x0)) as f32, (z - f64::from(z0)) as f32);
        let (mut sum, mut weights) = (0.0, 0.0);
        for (dx, wx) in [(0, 1.0 - fx), (1, fx)] {
            for (dz, wz) in [(0, 1.0 - fz), (1, fz)] {
                if wx > LEAST_WEIGHT && wz > LEAST_WEIGHT {
                    sum += wx * wz * self.nearest(x0 + dx, z0 + dz, labels, reference)?;
                    weights += wx * wz;
                }
            }
        }
        Some(sum / weights)
    }

    /// The height at a plan position in cells beside the ground, from the two columns inside of it along one axis: `inward`
    /// is a step along x or z.
    pub(crate) fn beside(
        &self,
        at: [f64; 2],
        inward: [i32; 2],
        labels: &Labels,
        reference: f32,
    ) -> Option<f32> {
        let [x, z] = at.map(floor);
        let mut found: Option<f32> = None;
        let mut height = 0.0;
        for step in -1..REACH_CELLS {
            let (x, z) = (x + inward[0] * step, z + inward[1] * step);
            let here = self.nearest(x, z, labels, reference);
            match (found, here) {
                (None, Some(here)) => {
                    found = Some(here);
                    height = here;
                }
                (Some(outer), Some(inner)) => {
                    let rise = outer - inner;
                    // Distance from the outer column's centre to the position, outward; the inner one is one further in.
                    let along = |value: f64, column: i32, sign: i32| {
                        (f64::from(column - sign) + 0.5 - value) * f64::from(sign)
                    };
                    let out = along(at[0], x, inward[0]) + along(at[1], z, inward[1]);
                    if rise.abs() <= self.steepest {
                        height = outer + rise * (out as f32).min(FURTHEST_OUT);
                    }
                    return Some(height);
                }
                (Some(_), None) => return Some(height),
                (None, None) => {}
            }
        }
        found.map(|_| height)
    }

    /// The height at a corner of the grid: the mean of the four columns around it, else that of a plane through those within
    /// two cells, else their mean.
    pub(crate) fn at_corner(&self, x: i32, z: i32, labels: &Labels, reference: f32) -> Option<f32> {
        let mut around = [[None; 4]; 4];
        for (row, dz) in around.iter_mut().zip(-2..) {
            for (height, dx) in row.iter_mut().zip(-2..) {
                *height = self.nearest(x + dx, z + dz, labels, reference);
            }
        }
        if let (Some(a), Some(b), Some(c), Some(d)) = (around[1][1], around[1][2], around[2][1], around[2][2])
        {
            return Some((a + b + c + d) / 4.0);
        }
        plane_height(&around, self.steepest)
    }
}

/// Rounds down without the library call that `f64::floor` is on the least common instruction set.
#[inline]
fn floor(value: f64) -> i32 {
    let whole = value as i32;
    whole - i32::from(f64::from(whole) > value)
}

/// The height in the middle of a window of columns by the plane of least squares. Steeper planes than `steepest` are steps
/// between flats: then the mean of the nearest columns.
fn plane_height(around: &[[Option<f32>; 4]; 4], steepest: f32) -> Option<f32> {
    let samples = || {
        around.iter().zip(-2_i8..).flat_map(|(row, dz)| {
            row.iter().zip(-2_i8..).filter_map(move |(height, dx)| {
                height.map(|height| (f64::from(dx) + 0.5, f64::from(dz) + 0.5, f64::from(height)))
            })
        })
    };
    let near = |x: f64, z: f64| x.abs() < 1.0 && z.abs() < 1.0;
    let (mut count, mut mean) = (0.0, [0.0; 3]);
    let (mut near_count, mut near_sum) = (0.0, 0.0);
    for (x, z, height) in samples() {
        count += 1.0;
        mean = [mean[0] + x, mean[1] + z, mean[2] + height];
        if near(x, z) {
            near_count += 1.0;
            near_sum += height;
        }
    }
    if count < 1.0 {
        return None;
    }
    let [mx, mz, mh] = mean.map(|sum| sum / count);
    let flat = if near_count > 0.0 { near_sum / near_count } else { mh };
    let (mut xx, mut xz, mut zz, mut xh, mut zh) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (x, z, height) in samples() {
        let (x, z, height) = (x - mx, z - mz, height - mh);
        xx += x * x;
        xz += x * z;
        zz += z * z;
        xh += x * height;
        zh += z * height;
    }
    let determinant = xx * zz - xz * xz;
    // Columns in one line say nothing across it; three that are not give 1/3 at least.
    if determinant < 0.1 {
        return Some(flat as f32);
    }
    let (gx, gz) = ((xh * zz - zh * xz) / determinant, (zh * xx - xh * xz) / determinant);
    if gx.hypot(gz) > f64::from(steepest) {
        return Some(flat as f32);
    }
    Some((mh - gx * mx - gz * mz) as f32)
}
