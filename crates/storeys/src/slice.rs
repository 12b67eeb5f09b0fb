//! Cuts of a triangle by the lines through the centres of rows of cells.

use crate::config::ScenePoint;
use waymesh_core::saturating_i64;

/// Returns the whole number at or below `value`. On the baseline instruction set [`f64::floor`]
/// would be a library call.
#[inline]
pub(crate) fn whole_below(value: f64) -> i64 {
    let whole = saturating_i64(value);
    whole.saturating_sub(i64::from(whole as f64 > value))
}

/// The cut of a triangle by a line, from `start` to `end`. Each is the place along the line in
/// cells and the height in metres. The start is never after the end; for a vertical triangle both
/// may be at the same place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    pub(crate) start: [f64; 2],
    pub(crate) end: [f64; 2],
}

/// The axis along which lines run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    X,
    Z,
}

impl Cut {
    /// Returns the height at `place`.
    #[inline]
    pub(crate) fn height(&self, place: f64) -> f64 {
        let run = self.end[0] - self.start[0];
        if run <= 0.0 {
            return self.start[1];
        }
        let share = ((place - self.start[0]) / run).clamp(0.0, 1.0);
        self.start[1] + (self.end[1] - self.start[1]) * share
    }
}

/// A triangle, prepared for cuts by lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cutter {
    /// Coordinates across the lines, along them, and upwards. The ends of an edge are sorted in
    /// this order.
    edges: [[ScenePoint; 2]; 3],
    low: f64,
    high: f64,
}

impl Cutter {
    #[inline]
    pub(crate) fn new(corners: &[ScenePoint; 3], axis: Axis) -> Self {
        #[inline(always)]
        fn turn([x, y, z]: ScenePoint, axis: Axis) -> ScenePoint {
            if axis == Axis::X { [z, x, y] } else { [x, z, y] }
        }
        let [a, b, c] = [turn(corners[0], axis), turn(corners[1], axis), turn(corners[2], axis)];
        let edge = |a: ScenePoint, b: ScenePoint| if a <= b { [a, b] } else { [b, a] };
        Self {
            edges: [edge(a, b), edge(b, c), edge(c, a)],
            low: a[0].min(b[0]).min(c[0]),
            high: a[0].max(b[0]).max(c[0]),
        }
    }

    /// Creates the cutters for lines along both axes.
    pub(crate) fn both(corners: &[ScenePoint; 3]) -> [Self; 2] {
        [Self::new(corners, Axis::X), Self::new(corners, Axis::Z)]
    }

    /// Calls `each` with every line in `lines` that cuts the triangle, and with the cut. Line `i`
    /// runs through the centres of cells, at `i + 1/2`.
    ///
    /// The cut of an edge does not depend on the triangle, and a corner on a line counts as on one
    /// side of it. So there is no gap between neighbouring triangles.
    #[inline]
    pub(crate) fn cuts(&self, lines: std::ops::Range<i64>, each: impl FnMut(i64, Cut)) {
        self.cuts_of(lines, |_| true, each);
    }

    /// Calls `each` as [`Self::cuts`] does, but only for the lines that are `wanted`.
    #[inline]
    pub(crate) fn cuts_of(
        &self,
        lines: std::ops::Range<i64>,
        wanted: impl Fn(i64) -> bool,
        mut each: impl FnMut(i64, Cut),
    ) {
        let range = (-whole_below(0.5 - self.low)).max(lines.start)
            ..(whole_below(self.high - 0.5) + 1).min(lines.end);
        for line in range {
            if !wanted(line) {
                continue;
            }
            let at = line as f64 + 0.5;
            let mut ends = [[0.0; 2]; 3];
            let mut count = 0;
            for [a, b] in &self.edges {
                if (a[0] < at) != (b[0] < at) {
                    let share = (at - a[0]) / (b[0] - a[0]);
                    ends[count] = [a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share];
                    count += 1;
                }
            }
            if count == 2 {
                let [p, q, _] = ends;
                let (start, end) = if p[0] <= q[0] { (p, q) } else { (q, p) };
                each(line, Cut { start, end });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_a_corner_cuts_one_of_two_neighbours() {
        let [a, b, c, d] = [[0.0, 0.0, 0.0], [4.0, 0.0, 2.5], [0.0, 0.0, 2.5], [0.0, 0.0, 5.0]];
        let count = |triangle| {
            let mut found = Vec::new();
            Cutter::new(&triangle, Axis::X).cuts(0..9, |line, _| found.push(line));
            found
        };
        assert_eq!((count([a, b, c]), count([c, b, d])), (vec![0, 1, 2], vec![3, 4]));
    }

    #[test]
    fn vertical_triangles_are_cut_too() {
        let triangle = [[1.25, 0.0, 0.0], [1.25, 3.0, 0.0], [1.25, 3.0, 4.0]];
        let mut found = Vec::new();
        Cutter::new(&triangle, Axis::X).cuts(1..2, |line, cut| found.push((line, cut.start, cut.end)));
        assert_eq!(found.len(), 1);
        let (line, start, end) = found[0];
        assert_eq!((line, start[0].to_bits(), end[0].to_bits()), (1, 1.25_f64.to_bits(), 1.25_f64.to_bits()));
        assert!((start[1].min(end[1]) - 1.125).abs() < 1e-12 && (start[1].max(end[1]) - 3.0).abs() < 1e-12);
    }
}
