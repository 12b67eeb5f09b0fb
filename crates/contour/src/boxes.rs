//! A hierarchy of boxes over the runs of a polyline, for queries on long chains in about
//! logarithmic time.

use std::cmp::{Ordering, Reverse};
use std::ops::Range;

use waymesh_core::PlanPoint;

use crate::segment::Segment;

/// Points per box of the lowest level. Shorter chains are searched point by point.
const RUN: usize = 32;
/// Boxes per box of the next level.
const FAN: usize = 8;

/// An axis-parallel rectangle that includes its sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlanBox {
    pub(crate) min: PlanPoint,
    pub(crate) max: PlanPoint,
}

impl PlanBox {
    fn of(point: PlanPoint) -> Self {
        Self { min: point, max: point }
    }

    fn joined(self, other: Self) -> Self {
        Self {
            min: PlanPoint::new(self.min.x.min(other.min.x), self.min.z.min(other.min.z)),
            max: PlanPoint::new(self.max.x.max(other.max.x), self.max.z.max(other.max.z)),
        }
    }

    pub(crate) fn contains(&self, point: PlanPoint) -> bool {
        (self.min.x..=self.max.x).contains(&point.x) && (self.min.z..=self.max.z).contains(&point.z)
    }

    pub(crate) fn corners(&self) -> [PlanPoint; 4] {
        let (min, max) = (self.min, self.max);
        [min, PlanPoint::new(max.x, min.z), max, PlanPoint::new(min.x, max.z)]
    }

    fn nearest(&self, point: PlanPoint) -> PlanPoint {
        PlanPoint::new(point.x.clamp(self.min.x, self.max.x), point.z.clamp(self.min.z, self.max.z))
    }
}

/// A table of points with boxes around its runs. A *chain* is a range of the table.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    points: std::borrow::Cow<'a, [PlanPoint]>,
    /// Boxes of the lowest level, of the next one, and so on; empty for short tables.
    levels: Vec<Vec<PlanBox>>,
}

impl<'a> Line<'a> {
    /// Builds the boxes in linear time. They take about 0.6 bytes per point.
    pub(crate) fn new(points: impl Into<std::borrow::Cow<'a, [PlanPoint]>>) -> Self {
        let points = points.into();
        let join = |boxes: &[PlanBox]| boxes.iter().copied().reduce(PlanBox::joined);
        let mut levels = Vec::new();
        if points.len() > 2 * RUN {
            let around = |run: &[PlanPoint]| run.iter().copied().map(PlanBox::of).reduce(PlanBox::joined);
            let mut level: Vec<PlanBox> = points.chunks(RUN).filter_map(around).collect();
            while level.len() > 1 {
                let next = level.chunks(FAN).filter_map(join).collect();
                levels.push(std::mem::replace(&mut level, next));
            }
            levels.push(level);
        }
        Self { points, levels }
    }

    pub(crate) fn points(&self) -> &[PlanPoint] {
        &self.points
    }

    pub(crate) fn into_points(self) -> Vec<PlanPoint> {
        self.points.into_owned()
    }

    /// Returns the range of points of box `place` of a level.
    fn span(level: usize, place: usize) -> Range<usize> {
        let size = RUN * FAN.pow(u32::try_from(level).unwrap_or(u32::MAX));
        place * size..(place + 1).saturating_mul(size)
    }

    /// Returns the level at which a search of `range` begins, and the range of its boxes there.
    fn roots(&self, range: &Range<usize>) -> Option<(usize, Range<usize>)> {
        if range.len() <= 2 * RUN || self.levels.is_empty() {
            return None;
        }
        let boxes = |level: usize| {
            let size = Self::span(level, 0).len();
            range.start / size..range.end.div_ceil(size)
        };
        let level = (0..self.levels.len()).find(|&level| boxes(level).len() <= FAN);
        let level = level.unwrap_or(self.levels.len() - 1);
        Some((level, boxes(level)))
    }

    /// Returns the point of the chain with the largest value, the first of equals. `bound` returns
    /// at least the value of every point in a box, or `None` if no point of it counts.
    pub(crate) fn largest<V: PartialOrd + Copy>(
        &self,
        range: Range<usize>,
        value: impl Fn(PlanPoint) -> Option<V>,
        bound: impl Fn(&PlanBox) -> Option<V>,
    ) -> Option<(usize, V)> {
        let mut search = Largest { line: self, range, value, bound, best: None };
        match self.roots(&search.range) {
            None => search.points(search.range.clone()),
            Some((level, boxes)) => search.boxes(level, boxes),
        }
        search.best
    }

    /// Returns the first index of `point` in the chain.
    pub(crate) fn find(&self, range: Range<usize>, point: PlanPoint) -> Option<usize> {
        let value = |other: PlanPoint| (other == point).then_some(());
        self.largest(range, value, |around| around.contains(point).then_some(())).map(|(place, ())| place)
    }

    /// Returns the point of the chain nearest to `point`.
    pub(crate) fn nearest(&self, range: Range<usize>, point: PlanPoint) -> Option<usize> {
        let distance = |other: PlanPoint| Some(Reverse(other.distance_squared(point)));
        self.largest(range, distance, |around| distance(around.nearest(point))).map(|(place, _)| place)
    }

    /// Returns the inner point of the chain farthest from the segment between its ends, and its
    /// scaled squared distance (see [`Segment`]). If `side` is not zero, only points whose
    /// orientation has that sign count.
    pub(crate) fn farthest(&self, range: Range<usize>, side: i64) -> Option<(usize, f64)> {
        let (start, end) = (self.points[range.start], self.points[range.end - 1]);
        let segment = Segment::new(start, end);
        let counts = |point| side == 0 || PlanPoint::orientation(start, end, point).signum() == side;
        let inside = range.start + 1..(range.end - 1).max(range.start + 1);
        let value = |point| counts(point).then(|| segment.scaled_distance(point));
        self.largest(inside, value, |around| {
            let corners = around.corners();
            corners.into_iter().any(counts).then(|| segment.distance_bound(&corners, counts))
        })
    }

    /// Returns the box around a chain, and the range of the orientation of its points relative to
    /// the segment between its ends.
    pub(crate) fn extent(&self, range: Range<usize>) -> (PlanBox, [i64; 2]) {
        let (start, end) = (self.points[range.start], self.points[range.end - 1]);
        let side = |point| PlanPoint::orientation(start, end, point);
        let corner = |around: &PlanBox, low: bool| {
            let sides = around.corners().map(side);
            if low { sides.into_iter().min() } else { sides.into_iter().max() }
        };
        let lowest = self.largest(
            range.clone(),
            |point| Some(Reverse(side(point))),
            |around| corner(around, true).map(Reverse),
        );
        let highest = self.largest(range.clone(), |point| Some(side(point)), |around| corner(around, false));
        let sides = [lowest.map_or(0, |(_, side)| side.0.min(0)), highest.map_or(0, |(_, side)| side.max(0))];
        (self.around(range), sides)
    }

    /// Returns the box around a chain.
    fn around(&self, range: Range<usize>) -> PlanBox {
        let mut around = PlanBox::of(self.points[range.start]);
        self.cover(range, |part| match part {
            Part::Box(inner, _) => {
                around = around.joined(*inner);
                true
            }
            Part::Points(points) => {
                around = points.iter().copied().map(PlanBox::of).fold(around, PlanBox::joined);
                true
            }
        });
        around
    }

    /// Returns `true` if the closed curve of a chain and the segment between its ends winds around
    /// `point` an odd number of times. For points on the curve the result is unspecified.
    pub(crate) fn is_inside(&self, range: Range<usize>, point: PlanPoint) -> bool {
        let (mut inside, mut previous) = (false, self.points[range.end - 1]);
        // Edges that cross the line through the point to its right.
        let crosses = |from: PlanPoint, to: PlanPoint| {
            (from.z > point.z) != (to.z > point.z)
                && (PlanPoint::orientation(from, to, point) > 0) == (to.z > from.z)
        };
        self.cover(range, |part| match part {
            Part::Points(points) => {
                for &next in points {
                    inside ^= crosses(previous, next);
                    previous = next;
                }
                true
            }
            Part::Box(around, ends) => {
                let aside = around.max.z <= point.z || around.min.z > point.z || around.max.x < point.x;
                let right = around.min.x > point.x;
                if aside || right {
                    inside ^= crosses(previous, ends[0]);
                    inside ^= right && (ends[0].z > point.z) != (ends[1].z > point.z);
                    previous = ends[1];
                }
                aside || right
            }
        });
        inside
    }

    /// Visits a chain from its start to its end as boxes of whole runs, and as points. If `visit`
    /// does not accept a box, it is called for the parts of the box.
    fn cover(&self, range: Range<usize>, mut visit: impl FnMut(Part<'_>) -> bool) {
        match self.roots(&range) {
            None => {
                visit(Part::Points(&self.points[range]));
            }
            Some((level, boxes)) => {
                for place in boxes {
                    self.cover_box(level, place, &range, &mut visit);
                }
            }
        }
    }

    fn cover_box(
        &self,
        level: usize,
        place: usize,
        range: &Range<usize>,
        visit: &mut impl FnMut(Part<'_>) -> bool,
    ) {
        let whole = Self::span(level, place);
        let whole = whole.start..whole.end.min(self.points.len());
        let span = whole.start.max(range.start)..whole.end.min(range.end);
        if span.is_empty() {
            return;
        }
        let ends = [self.points[span.start], self.points[span.end - 1]];
        if span == whole && visit(Part::Box(&self.levels[level][place], ends)) {
            return;
        }
        if level == 0 {
            visit(Part::Points(&self.points[span]));
            return;
        }
        for inner in FAN * place..(FAN * (place + 1)).min(self.levels[level - 1].len()) {
            self.cover_box(level - 1, inner, range, visit);
        }
    }
}

/// A part of a chain.
enum Part<'a> {
    /// Whole runs: the box around them, and their first and last points.
    Box(&'a PlanBox, [PlanPoint; 2]),
    Points(&'a [PlanPoint]),
}

/// A search by branch and bound.
struct Largest<'a, V, F, B> {
    line: &'a Line<'a>,
    range: Range<usize>,
    value: F,
    bound: B,
    best: Option<(usize, V)>,
}

impl<V: PartialOrd + Copy, F: Fn(PlanPoint) -> Option<V>, B: Fn(&PlanBox) -> Option<V>> Largest<'_, V, F, B> {
    fn points(&mut self, range: Range<usize>) {
        for (place, &point) in range.clone().zip(&self.line.points[range]) {
            if let Some(value) = (self.value)(point)
                && self.best.is_none_or(|(at, best)| value > best || (value == best && place < at))
            {
                self.best = Some((place, value));
            }
        }
    }

    /// Searches neighbouring boxes of a level, the most promising first.
    fn boxes(&mut self, level: usize, boxes: Range<usize>) {
        let mut open: [Option<(V, usize)>; FAN] = [None; FAN];
        let mut overflow = boxes.clone();
        for (slot, place) in open.iter_mut().zip(boxes) {
            overflow.start = place + 1;
            *slot = (self.bound)(&self.line.levels[level][place]).map(|bound| (bound, place));
        }
        open.sort_by(|a, b| match (a, b) {
            (Some(a), Some(b)) => b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal),
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
        for (bound, place) in open.into_iter().flatten() {
            let span = Line::span(level, place);
            let span = span.start.max(self.range.start)..span.end.min(self.range.end);
            let beaten = |&(at, best): &(usize, V)| best > bound || (best == bound && at < span.start);
            if span.is_empty() || self.best.as_ref().is_some_and(beaten) {
                continue;
            }
            if level == 0 {
                self.points(span);
            } else {
                let below = self.line.levels[level - 1].len();
                self.boxes(level - 1, FAN * place..(FAN * (place + 1)).min(below));
            }
        }
        if !overflow.is_empty() {
            self.boxes(level, overflow);
        }
    }
}

#[cfg(test)]
mod tests {
    use waymesh_core::Random;

    use super::*;

    /// Generates a walk of `count` steps, smooth or rough.
    fn walk(random: &mut Random, count: usize) -> Vec<PlanPoint> {
        let mut point = PlanPoint::new(0, 0);
        let turn = random.below(20) + 1;
        let mut direction = 0;
        (0..count)
            .map(|_| {
                if random.below(turn) == 0 {
                    direction = random.below(4);
                }
                let (x, z) = [(1, 0), (0, 1), (-1, 0), (0, -1)][direction as usize];
                point = PlanPoint::new(point.x + x, point.z + z);
                point
            })
            .collect()
    }

    #[test]
    fn long_chains_are_answered_like_short_ones() {
        let mut random = Random::new(9);
        let mut inside = 0;
        for round in 0..400 {
            let points = walk(&mut random, 70 + 5 * round);
            let line = Line::new(points.as_slice());
            let plain = |range: Range<usize>| Line { points: points[range].into(), levels: Vec::new() };
            assert!(line.levels.len() >= 2);
            let first = random.index(points.len() - 66);
            let last = first + 65 + random.index(points.len() - first - 65);
            let (range, plain) = (first..last + 1, plain(first..last + 1));
            let all = 0..plain.points.len();
            for side in [-1, 0, 1] {
                let expected = plain.farthest(all.clone(), side).map(|(place, value)| (place + first, value));
                assert_eq!(line.farthest(range.clone(), side), expected, "side {side}");
            }
            assert_eq!(line.extent(range.clone()), plain.extent(all.clone()));
            for _ in 0..20 {
                let near = points[random.index(points.len())];
                let point = PlanPoint::new(
                    near.x + random.below(5).cast_signed() - 2,
                    near.z + random.below(5).cast_signed() - 2,
                );
                let expected = plain.find(all.clone(), point).map(|place| place + first);
                assert_eq!(line.find(range.clone(), point), expected);
                assert_eq!(
                    line.nearest(range.clone(), point),
                    plain.nearest(all.clone(), point).map(|at| at + first)
                );
                let answer = plain.is_inside(all.clone(), point);
                assert_eq!(line.is_inside(range.clone(), point), answer);
                inside += usize::from(answer);
            }
        }
        assert!(inside > 400);
    }

    #[test]
    fn parity_tells_inside_from_outside() {
        let p = PlanPoint::new;
        let chain = [p(0, 0), p(0, 4), p(4, 4), p(4, -4), p(8, -4), p(8, 0)];
        let line = Line::new(chain.as_slice());
        let is_inside = |point| line.is_inside(0..chain.len(), point);
        assert!(is_inside(p(2, 2)));
        assert!(is_inside(p(6, -2)));
        assert!(!is_inside(p(2, -2)));
        assert!(!is_inside(p(6, 2)));
        assert!(!is_inside(p(-1, 1)));
    }
}
