//! Queries on the ground of the field.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "column coordinates are checked against the grid before they become indices"
)]

use waymesh_core::{Direction, GridWindow, NO_REGION, NO_SPAN, PlanPoint, RegionMap, SpanField, float};

/// Weight below which columns are ignored. The error is at most this share of the step between
/// columns.
const LEAST_WEIGHT: f32 = 1.0 / 64.0;
/// Largest distance inwards from an edge of the columns that are used for it. Simplified borders
/// stay within 1.3 cells by default.
const REACH_CELLS: i32 = 3;
/// Largest distance, in cells, over which a slope is extrapolated outwards: half a cell to the
/// border, and one cell because of simplification.
const FURTHEST_OUT: f32 = 1.5;
/// Largest distance from the bounds of a polygon of the columns that are read.
pub(crate) const MARGIN_CELLS: u32 = 3;

/// The regions around a vertex. Unused entries repeat a used entry, or are [`NO_REGION`] if no
/// entry is used.
pub(crate) type Around = [u32; 4];

/// A field, or a window of a field, and its regions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroundWindow<'a> {
    /// The columns of `field`, in the whole grid.
    pub(crate) window: GridWindow,
    pub(crate) field: &'a dyn SpanField,
    pub(crate) regions: &'a RegionMap,
}

/// The ground of a field or of a window of it. Column coordinates are those of the whole grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground<'a> {
    pub(crate) columns: &'a [u32],
    pub(crate) heights: &'a [f32],
    pub(crate) labels: &'a [u32],
    /// Source of areas and links.
    field: &'a dyn SpanField,
    /// The columns of the field or window.
    pub(crate) window: GridWindow,
    pub(crate) scale: Scale,
}

/// Limits that distinguish a slope, a step and another storey.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// Largest distance from a reference height, in levels, of ground on the same storey.
    pub(crate) storey_gap: f32,
    /// Steepest slope, in levels per cell: 56 degrees. Steeper ground is a step.
    pub(crate) steepest: f32,
}

impl Scale {
    pub(crate) fn new(frame: &waymesh_core::GridFrame, max_step: f32) -> Self {
        let steepest = 1.5 * frame.cell_size / frame.level_height;
        Self { storey_gap: (2.0 * max_step / frame.level_height).max(2.0 * steepest), steepest }
    }
}

/// The ground along an edge: that of the regions on both sides, or, if they have none near the
/// current height, the ground that the last ground links to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trail {
    /// The regions on both sides.
    pub(crate) labels: [u32; 2],
    /// `true` if links are followed, which they are not along walls.
    pub(crate) linked: bool,
    /// The vertex where the edge begins, and the regions around it.
    pub(crate) start: (PlanPoint, Around),
    /// The current height.
    pub(crate) reference: f32,
    /// The last four spans, which are enough to continue from one point between four columns to the
    /// next.
    seen: [Seen; 4],
    next: usize,
}

/// A span and its column.
type Seen = (i32, i32, u32);

impl Trail {
    pub(crate) fn new(labels: [u32; 2], linked: bool, start: (PlanPoint, Around), reference: f32) -> Self {
        Self { labels, linked, start, reference, seen: [(0, 0, NO_SPAN); 4], next: 0 }
    }

    #[inline]
    fn push(&mut self, x: i32, z: i32, span: usize) {
        if self.linked {
            self.seen[self.next % self.seen.len()] = (x, z, span as u32);
            self.next += 1;
        }
    }

    /// Returns the nearest span of the regions on both sides of the edge.
    #[inline]
    fn own(&self, ground: &Ground<'_>, x: i32, z: i32) -> Option<usize> {
        ground.nearest(x, z, &self.labels, self.reference)
    }

    /// Returns the span that the last spans link to, or the span of the vertex at the start.
    fn follow(&mut self, ground: &Ground<'_>, x: i32, z: i32) -> Option<usize> {
        if !self.linked {
            return None;
        }
        if self.next == 0 {
            let (PlanPoint { x, z }, regions) = self.start;
            for (x, z) in [(x - 1, z - 1), (x, z - 1), (x - 1, z), (x, z)] {
                let span = ground.nearest(x, z, &regions, self.reference);
                if let Some(span) = span.or_else(|| ground.nearest_of_any(x, z, self.reference)) {
                    self.push(x, z, span);
                }
            }
        }
        let same = self.seen.iter().find(|seen| (seen.0, seen.1) == (x, z) && seen.2 != NO_SPAN);
        let near = |span: &usize| self.is_near(ground, *span);
        same.map(|seen| seen.2 as usize).or_else(|| linked(ground, &self.seen, x, z)).filter(near)
    }

    fn is_near(&self, ground: &Ground<'_>, span: usize) -> bool {
        (ground.heights[span] - self.reference).abs() <= ground.scale.storey_gap
    }
}

/// Returns the walkable span of a column that one of the spans links to.
fn linked(ground: &Ground<'_>, seen: &[Seen], x: i32, z: i32) -> Option<usize> {
    seen.iter().find_map(|&(from_x, from_z, span)| {
        let beside = (x - from_x).abs() + (z - from_z).abs() == 1 && span != NO_SPAN;
        if !beside {
            return None;
        }
        ground.beside_span(span, (from_x, from_z), (x - from_x, z - from_z)).map(|span| span as usize)
    })
}

impl<'a> Ground<'a> {
    pub(crate) fn new(ground: GroundWindow<'a>, scale: Scale) -> Self {
        let GroundWindow { window, field, regions } = ground;
        let (columns, heights, labels) = (field.columns(), field.ground(), regions.labels.as_slice());
        Self { columns, heights, labels, field, window, scale }
    }
}

impl Ground<'_> {
    #[inline]
    fn column(&self, x: i32, z: i32) -> std::ops::Range<usize> {
        // Negative numbers become large.
        let (x, z) = ((x as u32).wrapping_sub(self.window.x), (z as u32).wrapping_sub(self.window.z));
        if x >= self.window.width || z >= self.window.depth {
            return 0..0;
        }
        let column = z as usize * self.window.width as usize + x as usize;
        self.columns[column] as usize..self.columns[column + 1] as usize
    }

    /// Returns the span of a region in a column. A region has at most one.
    #[inline]
    pub(crate) fn span_of(&self, x: i32, z: i32, label: u32) -> Option<usize> {
        self.column(x, z).find(|&span| self.labels[span] == label)
    }

    /// Returns the span of the given regions in a column whose ground is nearest to `reference` and
    /// on the same storey.
    ///
    /// The storey is also checked for a single region: a region never overlaps itself, but on a
    /// winding stair its end may lie next to its start.
    #[inline]
    pub(crate) fn nearest(&self, x: i32, z: i32, labels: &[u32], reference: f32) -> Option<usize> {
        let mut gap = self.scale.storey_gap;
        let mut best = None;
        for span in self.column(x, z) {
            let off = (self.heights[span] - reference).abs();
            if off <= gap && labels.iter().any(|&label| label == self.labels[span]) {
                (best, gap) = (Some(span), off);
            }
        }
        best
    }

    /// Returns the walkable span of any region in a column whose ground is nearest to `reference`
    /// and on the same storey.
    pub(crate) fn nearest_of_any(&self, x: i32, z: i32, reference: f32) -> Option<usize> {
        let off = |span: &usize| (self.heights[*span] - reference).abs();
        let walkable =
            |span: &usize| self.labels[*span] != NO_REGION && self.field.area(*span as u32).is_walkable();
        let spans = self.column(x, z).filter(walkable).filter(|span| off(span) <= self.scale.storey_gap);
        spans.min_by(|a, b| off(a).total_cmp(&off(b)))
    }

    /// Returns the walkable span that `span` of column `(x, z)` links to, one step along x or z.
    #[inline]
    pub(crate) fn beside_span(&self, span: u32, (x, z): (i32, i32), (dx, dz): (i32, i32)) -> Option<u32> {
        let direction = match (dx, dz) {
            (-1, _) => Direction::NegX,
            (1, _) => Direction::PosX,
            (_, -1) => Direction::NegZ,
            _ => Direction::PosZ,
        };
        let (x, z) = ((x as u32).wrapping_sub(self.window.x), (z as u32).wrapping_sub(self.window.z));
        let column = z * self.window.width + x;
        let link = self.field.link(column, span, direction);
        // `NO_SPAN` is also beyond the table.
        ((link as usize) < self.heights.len() && self.field.area(link).is_walkable()).then_some(link)
    }

    /// Returns the ground of a column that the edge passes through.
    #[inline]
    pub(crate) fn along(&self, x: i32, z: i32, trail: &mut Trail) -> Option<f32> {
        let span = trail.own(self, x, z).or_else(|| trail.follow(self, x, z))?;
        trail.push(x, z, span);
        Some(self.heights[span])
    }

    /// Returns the height at a plan position in columns, interpolated between the centres of four
    /// columns, or `None` if a column with weight is missing. Ground of other regions is used if it
    /// is linked to ground of the edge's own regions, or if the own regions have no ground there.
    pub(crate) fn between(&self, at: [f64; 2], trail: &mut Trail) -> Option<f32> {
        let [x, z] = at.map(|value| value - 0.5);
        let (x0, z0) = (floor(x), floor(z));
        let (fx, fz) = ((x - f64::from(x0)) as f32, (z - f64::from(z0)) as f32);
        let mut seen = [(0, 0, NO_SPAN); 4];
        let mut shares = [0.0; 4];
        let (mut count, mut found) = (0, 0);
        for (dx, wx) in [(0, 1.0 - fx), (1, fx)] {
            for (dz, wz) in [(0, 1.0 - fz), (1, fz)] {
                if wx > LEAST_WEIGHT && wz > LEAST_WEIGHT {
                    let span = trail.own(self, x0 + dx, z0 + dz);
                    found += usize::from(span.is_some());
                    seen[count] = (x0 + dx, z0 + dz, span.map_or(NO_SPAN, |span| span as u32));
                    shares[count] = wx * wz;
                    count += 1;
                }
            }
        }
        let seen = &mut seen[..count];
        if found < count && !self.complete(seen, found, trail) {
            return None;
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for (&(x, z, span), share) in seen.iter().zip(shares) {
            trail.push(x, z, span as usize);
            sum += share * self.heights[span as usize];
            weights += share;
        }
        Some(sum / weights)
    }

    /// Finds the missing spans of four columns by links from the known spans, or from the trail if
    /// no span is known. Returns `true` if no span is missing.
    fn complete(&self, seen: &mut [Seen], found: usize, trail: &mut Trail) -> bool {
        if !trail.linked {
            return false;
        }
        if found == 0 {
            for (x, z, span) in seen.iter_mut() {
                *span = trail.follow(self, *x, *z).map_or(NO_SPAN, |span| span as u32);
            }
        }
        // A second pass reaches spans that are only linked to a span that was also missing.
        for _ in 0..2 {
            for at in 0..seen.len() {
                let (x, z, span) = seen[at];
                if span == NO_SPAN {
                    let span = linked(self, seen, x, z).filter(|&span| trail.is_near(self, span));
                    seen[at].2 = span.map_or(NO_SPAN, |span| span as u32);
                }
            }
        }
        seen.iter().all(|seen| seen.2 != NO_SPAN)
    }

    /// Returns the height at a plan position in columns outside the ground, extrapolated from two
    /// columns on its inside along one axis. `inward` is a step along x or z.
    pub(crate) fn beside(&self, at: [f64; 2], inward: [i32; 2], trail: &mut Trail) -> Option<f32> {
        let [x, z] = at.map(floor);
        let mut found: Option<f32> = None;
        let mut height = 0.0;
        for step in -1..REACH_CELLS {
            let (x, z) = (x + inward[0] * step, z + inward[1] * step);
            let here = self.along(x, z, trail);
            match (found, here) {
                (None, Some(here)) => {
                    found = Some(here);
                    height = here;
                }
                (Some(outer), Some(inner)) => {
                    let rise = outer - inner;
                    // Distance from the centre of the outer column to the position, outwards. The
                    // inner column is one column farther inside.
                    let along = |value: f64, column: i32, sign: i32| {
                        (f64::from(column - sign) + 0.5 - value) * f64::from(sign)
                    };
                    let out = along(at[0], x, inward[0]) + along(at[1], z, inward[1]);
                    if rise.abs() <= self.scale.steepest {
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

    /// Returns the height at a corner of the grid: the mean of the four columns around it, or else
    /// the height of the least-squares plane through the columns within two cells, or else the mean
    /// of the nearest columns.
    pub(crate) fn at_corner(&self, x: i32, z: i32, labels: &[u32], reference: f32) -> Option<f32> {
        let mut around = [[None; 4]; 4];
        for (row, dz) in around.iter_mut().zip(-2..) {
            for (height, dx) in row.iter_mut().zip(-2..) {
                *height = self.nearest(x + dx, z + dz, labels, reference).map(|span| self.heights[span]);
            }
        }
        if let (Some(a), Some(b), Some(c), Some(d)) = (around[1][1], around[1][2], around[2][1], around[2][2])
        {
            return Some((a + b + c + d) / 4.0);
        }
        plane_height(&around, self.scale.steepest)
    }
}

/// Rounds down without the library call that `f64::floor` is on the baseline instruction set.
#[inline]
fn floor(value: f64) -> i32 {
    let whole = value as i32;
    whole - i32::from(f64::from(whole) > value)
}

/// Returns the height in the middle of a window of columns by the least-squares plane. A plane
/// steeper than `steepest` is a step between flats, so the result is then the mean of the nearest
/// columns.
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
    // Columns in one line do not define a plane. Three columns that are not in line give at least
    // 1/3.
    if determinant < 0.1 {
        return Some(flat as f32);
    }
    let (gx, gz) = ((xh * zz - zh * xz) / determinant, (zh * xx - xh * xz) / determinant);
    if float::hypot(gx, gz) > f64::from(steepest) {
        return Some(flat as f32);
    }
    Some((mh - gx * mx - gz * mz) as f32)
}
