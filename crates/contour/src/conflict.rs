//! The criterion for replacing a chain of border points by a shortcut, and the split point if it
//! fails.
//!
//! # Criterion
//! A shortcut is the segment between two kept points of an arc. It replaces the chain of raw points
//! between them. It is allowed when no kept point of another border
//! 1. lies between the chain and the shortcut (inside the closed curve of the two, by parity),
//! 2. lies on the shortcut other than at its ends, or
//! 3. lies where the chain has a point that is not kept (borders that touch in the raw set still
//!    touch in vertices),
//!
//! and no other segment has the same two ends.
//!
//! # Why it is enough
//! Let two shortcuts cross, and consider the closed curves that each makes with its chain. Two
//! closed curves cross an even number of times. The chains do not cross each other, and the
//! shortcuts are segments and cross once. So one of the shortcuts crosses the other's chain an odd
//! number of times, and one of its ends lies inside the other's curve: case 1. Segments that
//! overlap put an end of one inside the other (case 2) or share both ends. At a common end the same
//! parity shows that each shortcut stays in the sector between its neighbours, so borders do not
//! change places there. No vertex is ever swept over, so a hole stays inside its outer border and
//! keeps its orientation. The result is the raw subdivision pulled taut, not merely one without
//! crossings. The raw set itself meets the criterion, and every split brings an arc nearer to it,
//! so the repair ends.
//!
//! # References
//! - Saalfeld 1999, Topologically consistent line simplification with the Douglas-Peucker
//!   algorithm,
//!   <https://doi.org/10.1559/152304099782424901> (sidedness of the vertices near a chain).
//! - de Berg, van Kreveld and Schirra 1998, Topologically correct subdivision simplification using
//!   the bandwidth criterion,
//!   <https://doi.org/10.1559/152304098782383007>.

use std::borrow::Cow;
use std::ops::Range;

use waymesh_core::{ContourSet, PlanPoint, VertexId};

use crate::bits::BitSet;
use crate::boxes::Line;
use crate::grid::{Entry, Strip};
use crate::segment::Segment;

/// A segment of the result: two kept points of an arc with none kept between them. `first` and
/// `last` are indices into the table of arc vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shortcut {
    pub(crate) arc: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
}

impl Shortcut {
    /// Returns the range of its chain in the table of arc vertices.
    pub(crate) fn range(&self) -> Range<usize> {
        self.first as usize..self.last as usize + 1
    }

    /// Returns `true` if the chain has a raw point to split at.
    pub(crate) fn can_split(&self) -> bool {
        self.last - self.first > 1
    }
}

/// The raw arcs, and the set of their points that are kept.
#[derive(Debug)]
pub(crate) struct Chains<'a> {
    pub(crate) contours: &'a ContourSet,
    /// The table of arc vertices. Closed arcs may begin at another vertex than in the input.
    pub(crate) arc_vertices: Cow<'a, [VertexId]>,
    /// Plan points in the order of the table of arc vertices.
    pub(crate) line: Line<'a>,
    pub(crate) kept: BitSet,
    /// Borders without a common region are checked against each other if their heights differ by
    /// less than this, in levels.
    pub(crate) storey_levels: f32,
}

#[expect(clippy::cast_possible_truncation, reason = "tables hold at most u32::MAX elements")]
impl Chains<'_> {
    pub(crate) fn point(&self, index: u32) -> PlanPoint {
        self.line.points()[index as usize]
    }

    pub(crate) fn vertex(&self, index: u32) -> VertexId {
        self.arc_vertices[index as usize]
    }

    fn height(&self, index: u32) -> f32 {
        self.contours.vertices[self.vertex(index).index()].height
    }

    fn chain(&self, shortcut: Shortcut) -> &[PlanPoint] {
        &self.line.points()[shortcut.range()]
    }

    fn share_region(&self, arc: u32, other: u32) -> bool {
        let (arc, other) = (&self.contours.arcs[arc as usize], &self.contours.arcs[other as usize]);
        arc.left == other.left
            || other.right == Some(arc.left)
            || arc.right.is_some_and(|right| right == other.left || other.right == Some(right))
    }

    /// Returns `true` if `entry` is on the storey of the shortcut at the nearest position, or of
    /// the chain at its nearest point. Borders with a common region are always on one storey,
    /// because a region does not overlap itself.
    fn same_storey(&self, shortcut: Shortcut, entry: &Entry) -> bool {
        if self.share_region(shortcut.arc, entry.arc) {
            return true;
        }
        let height = self.height(entry.index);
        let is_near = |other: f32| (height - other).abs() < self.storey_levels;
        let (start, end) = (self.height(shortcut.first), self.height(shortcut.last));
        let along = Segment::new(self.point(shortcut.first), self.point(shortcut.last)).project(entry.point);
        if is_near(start + along * (end - start)) {
            return true;
        }
        let nearest = self.line.nearest(shortcut.range(), entry.point);
        nearest.is_some_and(|nearest| is_near(self.height(nearest as u32)))
    }

    /// Returns the strip around the chain of `shortcut`.
    pub(crate) fn strip(&self, shortcut: Shortcut) -> Strip {
        let heights = (shortcut.first..=shortcut.last).map(|index| self.height(index));
        let [low, high] = heights.fold([f32::MAX, f32::MIN], |[low, high], at| [low.min(at), high.max(at)]);
        // A level of slack for rounding.
        let slack = self.storey_levels + 1.0;
        Strip::around(&self.line, shortcut.range(), [low - slack, high + slack])
    }

    /// Checks cases 1 to 3 of the criterion for an entry within the strip of `shortcut`. Returns
    /// the split point if one of them applies.
    pub(crate) fn split_for(&self, shortcut: Shortcut, strip: &Strip, entry: &Entry) -> Option<u32> {
        let own =
            entry.arc == shortcut.arc && (entry.index == shortcut.first || entry.index == shortcut.last);
        // A cheap bound of `same_storey`: most entries of a tower are on other storeys.
        let is_near = strip.is_level(self.height(entry.index));
        if own || !shortcut.can_split() || !(is_near || self.share_region(shortcut.arc, entry.arc)) {
            return None;
        }
        let point = entry.point;
        let (start, end) = (self.point(shortcut.first), self.point(shortcut.last));
        let inside = shortcut.first as usize + 1..shortcut.last as usize;
        let touching = self.line.find(inside, point);
        let split = if point == start || point == end {
            touching?
        } else if let Some(index) = touching {
            index
        } else {
            let side = PlanPoint::orientation(start, end, point);
            let between = (start.x.min(end.x)..=start.x.max(end.x)).contains(&point.x)
                && (start.z.min(end.z)..=start.z.max(end.z)).contains(&point.z);
            if (side == 0 && between) || self.line.is_inside(shortcut.range(), point) {
                self.farthest(shortcut, side.signum())?
            } else {
                return None;
            }
        };
        self.same_storey(shortcut, entry).then_some(split as u32)
    }

    /// Returns other segments with the same two ends as `shortcut`, one of them at `entry`, that
    /// must not coincide with it.
    pub(crate) fn coincident(&self, shortcut: Shortcut, entry: &Entry) -> impl Iterator<Item = Shortcut> {
        let arc = &self.contours.arcs[entry.arc as usize];
        let ends = [shortcut.first, shortcut.last].map(|index| self.vertex(index));
        // A cheap bound of `must_differ`: most entries of a tower are on other storeys.
        let may_differ =
            self.share_region(shortcut.arc, entry.arc) || ends.contains(&self.vertex(entry.index));
        let candidates = may_differ.then(|| {
            let (begin, end) = (arc.first, arc.first + arc.len);
            let before = self.kept.last(begin as usize..entry.index as usize).map(|index| index as u32);
            let after = self.kept.first(entry.index as usize + 1..end as usize).map(|index| index as u32);
            [
                before.map(|first| Shortcut { arc: entry.arc, first, last: entry.index }),
                after.map(|last| Shortcut { arc: entry.arc, first: entry.index, last }),
            ]
        });
        let ends = move |shortcut: Shortcut| {
            let (first, last) = (self.point(shortcut.first), self.point(shortcut.last));
            (first.min(last), first.max(last))
        };
        candidates.into_iter().flatten().flatten().filter(move |&other| {
            other != shortcut && ends(other) == ends(shortcut) && self.must_differ(shortcut, other)
        })
    }

    /// Returns `true` if two segments must not coincide. Segments of one region must never
    /// coincide. Segments of different regions must not if they are joined at both ends and their
    /// chains differ, because the wall between them would vanish.
    fn must_differ(&self, shortcut: Shortcut, other: Shortcut) -> bool {
        if self.share_region(shortcut.arc, other.arc) {
            return true;
        }
        let vertices = |shortcut: Shortcut| {
            let (first, last) = (self.vertex(shortcut.first), self.vertex(shortcut.last));
            (first.min(last), first.max(last))
        };
        let (chain, back) = (self.chain(shortcut), self.chain(other));
        vertices(shortcut) == vertices(other)
            && !(chain.iter().eq(back) || chain.iter().eq(back.iter().rev()))
    }

    /// Returns the default split point of a shortcut: the raw point farthest from it.
    pub(crate) fn split_farthest(&self, shortcut: Shortcut) -> Option<u32> {
        self.farthest(shortcut, 0).map(|index| index as u32)
    }

    /// Returns the largest squared distance of the chain from its shortcut.
    pub(crate) fn deviation(&self, shortcut: Shortcut) -> f64 {
        let segment = Segment::new(self.point(shortcut.first), self.point(shortcut.last));
        self.line.farthest(shortcut.range(), 0).map_or(0.0, |(_, distance)| distance / segment.scale())
    }

    /// Returns the interior point of a chain farthest from its shortcut, on the given side if a
    /// point lies there.
    fn farthest(&self, shortcut: Shortcut, side: i64) -> Option<usize> {
        let on_side = self.line.farthest(shortcut.range(), side);
        on_side.or_else(|| self.line.farthest(shortcut.range(), 0)).map(|(index, _)| index)
    }
}
