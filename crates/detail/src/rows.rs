//! The ground samples of one polygon, row by row.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "columns of one polygon: small, and positive where they become indices"
)]

use waymesh_core::lanes::{high, high_floats};
use waymesh_core::{PlanPoint, checkpoint};

use crate::{
    ground::Ground,
    lattice::Lattice,
    surface::{Facet, Surface},
};

/// Lanes of the scan, which fill two registers of the baseline instruction set.
const LANES: usize = 8;

/// The samples of one row: columns `first..first + len`, counted from the polygon's corner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) start: usize,
    pub(crate) first: i32,
    pub(crate) len: i32,
}

/// The samples of a polygon: the ground at all column centres strictly inside it, or NaN without
/// ground.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// Column at the lower corner of the polygon's bounds.
    corner: [i32; 2],
    pub(crate) rows: Vec<Row>,
    pub(crate) heights: Vec<f32>,
    /// Ends of each row in columns, exclusive.
    ends: Vec<[f64; 2]>,
}

/// Returns half the least non-zero distance between an integer and the crossing of an edge with the
/// middle of a row. The ends of the edge are points of a lattice with `bits`, so crossings are
/// multiples of `2^-(bits + 24)`, and the rounding error is an eighth of that.
fn crossing_slack(bits: u32) -> f64 {
    0.5 / f64::from(1_u32 << bits) / f64::from(1_u32 << 24)
}

impl Rows {
    pub(crate) fn corner(&self) -> [i32; 2] {
        self.corner
    }

    /// Collects the samples of a convex polygon: the ground of region `label`. Returns `true` if
    /// every sample has ground, all samples are connected, and no step is larger than the storey
    /// gap.
    pub(crate) fn collect(
        &mut self,
        ground: &Ground<'_>,
        label: u32,
        outline: &[PlanPoint],
        lattice: Lattice,
    ) -> bool {
        let (bits, points) = (lattice.point_bits, lattice.points());
        let part = f64::from(points).recip();
        let low = |axis: fn(&PlanPoint) -> i32| outline.iter().map(axis).min().unwrap_or(0);
        let (x0, lowest) = (low(|point| point.x) >> bits, low(|point| point.z));
        let z0 = lowest >> bits;
        // First row whose middle is not before a plan coordinate.
        let row_at =
            |z: i32| ((2 * i64::from(z) - i64::from(points) + (2 << bits) - 1) >> (bits + 1)) as i32 - z0;
        let depth = outline.iter().map(|point| row_at(point.z)).max().unwrap_or(0).max(0);
        self.corner = [x0, z0];
        self.rows.clear();
        self.heights.clear();
        self.ends.clear();
        self.ends.resize(depth as usize, [f64::INFINITY, f64::NEG_INFINITY]);
        for (index, &a) in outline.iter().enumerate() {
            let b = outline[(index + 1) % outline.len()];
            if a.z == b.z {
                continue;
            }
            let slope = f64::from(b.x - a.x) / f64::from(b.z - a.z);
            // Edges towards larger z bound the right side of a positive outline, edges towards
            // smaller z the left.
            let side = usize::from(b.z > a.z);
            let (from, to) = (row_at(a.z.min(b.z)), row_at(a.z.max(b.z)));
            let [ax, az] =
                [(a.x, x0), (a.z, z0)].map(|(value, origin)| f64::from(value - (origin << bits)) * part);
            let base = ax + 0.5 - slope * az;
            for row in from..to {
                self.ends[row as usize][side] = base + slope * (f64::from(row) + 0.5);
            }
        }
        // Column i is stored as i + 1, so that all numbers are positive and truncation rounds down.
        // Crossings are multiples of one part in twice the height of an edge.
        let slack = 0.25 * part * part / f64::from(depth.max(1));
        if 2 * i64::from(lowest) == 2 * i64::from((z0 + row_at(lowest)) << bits) + i64::from(points)
            && let Some(ends) = self.ends.get_mut(row_at(lowest) as usize)
        {
            // The middle of the first row lies on the outline.
            *ends = [f64::INFINITY, f64::NEG_INFINITY];
        }
        let Ground { columns, heights, window, .. } = *ground;
        let (low_x, high_x) = (i64::from(window.x), i64::from(window.end_x()));
        let (mut whole, mut begun, mut ended) = (true, false, false);
        for row in 0..depth {
            checkpoint();
            let [left, right] = self.ends[row as usize];
            let z = i64::from(z0) + i64::from(row);
            // A polygon may extend beyond the grid, where there is no ground.
            let within = |end: f64| (i64::from(x0) + i64::from(end as i32)).clamp(low_x, high_x);
            let (from, to) = (within(left + slack), within(right - slack));
            let inside = z >= i64::from(window.z) && z < i64::from(window.end_z());
            let len = if inside { (to - from).max(0) as i32 } else { 0 };
            let start = self.heights.len();
            self.rows.push(Row { start, first: (from - i64::from(x0)) as i32, len });
            if len == 0 {
                ended = begun;
                continue;
            }
            let column = (z - i64::from(window.z)) * i64::from(window.width) + from - low_x;
            let columns = &columns[column as usize..=column as usize + len as usize];
            // A region usually has the same index in neighbouring columns, and at most one span per
            // column.
            let mut guess = 0;
            self.heights.extend(columns.windows(2).map(|column| {
                let (first, labels) =
                    (column[0] as usize, &ground.labels[column[0] as usize..column[1] as usize]);
                if labels.get(guess) != Some(&label) {
                    match labels.iter().position(|&other| other == label) {
                        Some(place) => guess = place,
                        None => return f32::NAN,
                    }
                }
                heights[first + guess]
            }));
            let before = begun.then(|| self.rows[row as usize - 1]);
            whole &= !ended && self.is_even(self.rows[row as usize], before, ground.scale.storey_gap);
            begun = true;
        }
        whole
    }

    /// Returns `true` if every sample of a row has ground, the row touches the previous row if
    /// given, and no step is larger than `gap`.
    fn is_even(&self, here: Row, before: Option<Row>, gap: f32) -> bool {
        let heights = |row: Row, first: i32, end: i32| {
            &self.heights[row.start + (first - row.first) as usize..row.start + (end - row.first) as usize]
        };
        let even =
            |a: &[f32], b: &[f32]| a.iter().zip(b).fold(true, |even, (a, b)| even & ((a - b).abs() <= gap));
        let own = heights(here, here.first, here.first + here.len);
        let along = own[0].is_finite() && even(own, &own[1..]);
        let Some(before) = before else { return along };
        let first = here.first.max(before.first);
        let end = (here.first + here.len).min(before.first + before.len);
        along && first < end && even(heights(here, first, end), heights(before, first, end))
    }

    /// Returns the index of a sample, or `None` if the polygon has no sample there.
    #[inline]
    pub(crate) fn index(&self, [row, column]: [i32; 2]) -> Option<usize> {
        let row = self.rows.get(usize::try_from(row).ok()?)?;
        let along = column - row.first;
        (along >= 0 && along < row.len).then(|| row.start + along as usize)
    }

    /// Returns the sample at a row and column counted from the polygon's corner.
    pub(crate) fn height(&self, [row, column]: [i32; 2]) -> f32 {
        let row = self.rows[row as usize];
        self.heights[row.start + (column - row.first) as usize]
    }

    /// Finds the sample of a facet with the largest error, including its edges.
    pub(crate) fn scan(&self, surface: &Surface, facet: &mut Facet, bits: u32) {
        facet.error = 0.0;
        let mut corners = facet.corners.map(|corner| surface.points[corner as usize]);
        corners.sort_unstable_by_key(|point| point.z);
        let [a, b, c] = corners;
        // Rows with their middle between the lowest and the highest corner.
        let half = 1_i32 << (bits - 1);
        let first = ((a.z + half - 1) >> bits).max(0);
        let last = ((c.z - half) >> bits).min(self.rows.len() as i32 - 1);
        if first > last {
            return;
        }
        let step = 1.0 / f64::from(1_i32 << bits);
        let place = |value: i32| f64::from(value) * step + 0.5;
        let [ax, bx, cx] = [a.x, b.x, c.x].map(place);
        let [az, bz, cz] = [a.z, b.z, c.z].map(place);
        let (abx, abz, acx, acz) = (bx - ax, bz - az, cx - ax, cz - az);
        let determinant = abx * acz - abz * acx;
        let height = f64::from(a.height);
        let (rise_b, rise_c) = (f64::from(b.height) - height, f64::from(c.height) - height);
        let across = (rise_b * acz - rise_c * abz) / determinant;
        let along = (rise_c * abx - rise_b * acx) / determinant;
        let slope_long = acx / acz;
        let slope_low = if b.z > a.z { abx / abz } else { 0.0 };
        let slope_high = if c.z > b.z { (cx - bx) / (cz - bz) } else { 0.0 };
        let slack = crossing_slack(bits);
        for row in first..=last {
            let z = f64::from(row + 1);
            let long = ax + (z - az) * slope_long;
            let short = if z < bz { ax + (z - az) * slope_low } else { bx + (z - bz) * slope_high };
            let (left, right) = if long < short { (long, short) } else { (short, long) };
            let samples = self.rows[row as usize];
            let from = ((left - slack) as i32).max(samples.first);
            let to = ((right + slack) as i32).min(samples.first + samples.len);
            if from >= to {
                continue;
            }
            let base = height + across * (f64::from(from + 1) - ax) + along * (z - az);
            let start = samples.start + (from - samples.first) as usize;
            let heights = &self.heights[start..start + (to - from) as usize];
            let worst = worst_error(heights, base as f32, across as f32);
            if worst > facet.error {
                facet.error = worst;
                let at = heights.iter().enumerate().position(|(index, &height)| {
                    error_at(height, base as f32, across as f32, index) >= worst
                });
                facet.worst = [row, from + at.unwrap_or(0) as i32];
            }
        }
    }
}

#[inline]
fn error_at(height: f32, base: f32, slope: f32, index: usize) -> f32 {
    (base + slope * (index as i32 as f32) - height).abs()
}

/// Returns the largest error of a row. NaN samples are ignored.
#[inline]
fn worst_error(heights: &[f32], base: f32, slope: f32) -> f32 {
    let mut worst = [0.0_f32; LANES];
    let mut at: [f32; LANES] = std::array::from_fn(|lane| lane as i32 as f32);
    let mut chunks = heights.chunks_exact(LANES);
    for chunk in &mut chunks {
        let errors: [f32; LANES] = std::array::from_fn(|lane| (base + slope * at[lane] - chunk[lane]).abs());
        for (worst, errors) in worst.as_chunks_mut().0.iter_mut().zip(errors.as_chunks().0) {
            *worst = high_floats(*errors, *worst);
        }
        for at in &mut at {
            *at += LANES as i32 as f32;
        }
    }
    let mut most = worst.into_iter().fold(0.0, high);
    let done = heights.len() - chunks.remainder().len();
    for (index, &height) in (done..).zip(chunks.remainder()) {
        let error = error_at(height, base, slope, index);
        if error > most {
            most = error;
        }
    }
    most
}
