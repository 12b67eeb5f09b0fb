//! Local search for fewer and better polygons.

use waymesh_core::{PlanPoint, checkpoint, to_u32};

use crate::exact::{Exact, MOST_VERTICES};
use crate::measure::is_narrow;
use crate::subdivision::{NO_INDEX, Side, Subdivision};
use crate::window::Window;

/// Number of vertices at which a window stops growing if little can be gained in it.
const SMALL_WINDOW: usize = 64;
/// Reciprocal of the least share of its polygons that must be savable for a window to keep growing.
const POLYGONS_PER_GAIN: usize = 12;

/// Buffers of searches.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    window: Window,
    exact: Exact,
}

/// A search that improves the polygons window by window.
pub(crate) struct Search<'s, 'a> {
    subdivision: &'s mut Subdivision<'a>,
    max_vertices: u32,
    window: &'s mut Window,
    exact: &'s mut Exact,
    /// For each polygon, the last window that contained it.
    last_windows: Vec<u32>,
    windows: u32,
}

impl<'s, 'a> Search<'s, 'a> {
    pub(crate) fn new(
        subdivision: &'s mut Subdivision<'a>,
        max_vertices: u32,
        scratch: &'s mut Scratch,
    ) -> Self {
        let last_windows = vec![0; subdivision.polygons.len()];
        let Scratch { window, exact } = scratch;
        Self { subdivision, max_vertices, window, exact, last_windows, windows: 0 }
    }

    /// Improves the current window, and marks its polygons.
    fn improve(&mut self) {
        self.window.improve(self.subdivision, self.exact, self.max_vertices);
        self.windows += 1;
        self.last_windows.resize(self.subdivision.polygons.len(), 0);
        for &polygon in &self.window.polygons {
            self.last_windows[polygon as usize] = self.windows;
        }
    }

    /// Returns the polygon across a side, if it may be joined with the one on this side.
    fn beyond(&self, side: u32) -> Option<u32> {
        self.subdivision
            .is_inner(side)
            .then(|| self.subdivision.side(self.subdivision.side(side).twin).polygon)
    }

    /// Decomposes every piece of one region and area that has no holes and at most `most_vertices`
    /// vertices into the fewest polygons possible. Returns `true` if all pieces were decomposed in
    /// this manner.
    pub(crate) fn solve_small(&mut self, most_vertices: usize) -> bool {
        let reach = most_vertices.min(MOST_VERTICES);
        let mut seen = vec![false; self.subdivision.polygons.len()];
        let (mut stack, mut are_fewest) = (Vec::new(), true);
        for seed in 0..to_u32(seen.len()) {
            if seen[seed as usize] || self.subdivision.polygons[seed as usize].side == NO_INDEX {
                continue;
            }
            let (mut count, mut corners) = (0, 0);
            seen[seed as usize] = true;
            stack.push(seed);
            while let Some(polygon) = stack.pop() {
                count += 1;
                corners += self.subdivision.polygons[polygon as usize].len as usize;
                for beyond in self.subdivision.around(polygon).filter_map(|side| self.beyond(side)) {
                    if !std::mem::replace(&mut seen[beyond as usize], true) {
                        stack.push(beyond);
                    }
                }
            }
            // A piece has one portal less than polygons, and each portal hides two corners.
            if corners > reach + 2 * (count - 1) {
                are_fewest &= count == 1;
                continue;
            }
            self.window.start(self.subdivision, seed);
            self.window.grow(self.subdivision, reach, |_| false);
            let is_complete = self.window.is_complete(self.subdivision);
            if is_complete {
                self.improve();
            }
            are_fewest &= count == 1 || is_complete && self.window.is_best;
        }
        are_fewest
    }

    /// Divides the polygons into windows and solves each of them. The next rounds start at the
    /// polygons on the borders of the last windows.
    pub(crate) fn sweep(&mut self, vertices: usize, rounds: u32) {
        let mut seeds: Vec<u32> = self.subdivision.living().collect();
        // Pieces that have been solved as a whole are skipped.
        let mut before = 0;
        for _ in 0..rounds {
            for &seed in &seeds {
                checkpoint();
                let gone = self.subdivision.polygons[seed as usize].side == NO_INDEX;
                if !gone && self.last_windows[seed as usize] <= before {
                    self.window.start(self.subdivision, seed);
                    let last = &self.last_windows;
                    let is_new = |polygon: u32| last.get(polygon as usize).is_none_or(|&last| last <= before);
                    self.window.grow(self.subdivision, vertices.min(SMALL_WINDOW), is_new);
                    let count = self.window.polygons.len();
                    if POLYGONS_PER_GAIN * count.saturating_sub(self.window.least(self.subdivision)) > count {
                        self.window.grow(self.subdivision, vertices, is_new);
                    }
                    self.improve();
                }
            }
            seeds.clear();
            for polygon in self.subdivision.living() {
                let window = self.last_windows[polygon as usize];
                let mut beyond = self.subdivision.around(polygon).filter_map(|side| self.beyond(side));
                if beyond.any(|other| self.last_windows[other as usize] != window) {
                    seeds.push(polygon);
                }
            }
            before = self.windows;
        }
    }

    /// Turns portals that leave narrow angles around the notch that needs them, if another position
    /// leaves fewer narrow angles.
    pub(crate) fn widen(&mut self) {
        for side in 0..to_u32(self.subdivision.sides.len()) {
            if self.is_narrow(side) {
                self.window.start(self.subdivision, self.subdivision.side(side).polygon);
                if self.window.add(self.subdivision, side, usize::MAX) {
                    self.window.widen(self.subdivision, self.max_vertices);
                }
            }
        }
    }

    /// Returns `true` if a portal has a narrow angle next to it. Each portal is tested from one of
    /// its sides only.
    fn is_narrow(&self, side: u32) -> bool {
        let Side { twin, next, .. } = *self.subdivision.side(side);
        if next == NO_INDEX || twin < side || !self.subdivision.is_inner(side) {
            return false;
        }
        [side, twin].into_iter().any(|side| {
            let Side { next, prev, .. } = *self.subdivision.side(side);
            let after = self.subdivision.side(next).next;
            let [before, from, to, after] =
                [prev, side, next, after].map(|side| self.subdivision.point(side));
            is_narrow(from, to, before) || is_narrow(to, from, after)
        })
    }

    /// Joins neighbouring polygons whose union is convex, because new polygons of a window may fit
    /// polygons around it.
    pub(crate) fn unite(&mut self) {
        loop {
            let mut united = false;
            for side in 0..to_u32(self.subdivision.sides.len()) {
                checkpoint();
                if self.may_go(side) {
                    self.window.start(self.subdivision, self.subdivision.side(side).polygon);
                    united |= self.window.add(self.subdivision, side, usize::MAX)
                        && self.window.unite(self.subdivision, self.max_vertices);
                }
            }
            if !united {
                return;
            }
        }
    }

    /// Returns `true` if both ends of a side stay convex without it.
    fn may_go(&self, side: u32) -> bool {
        let Side { twin, next, prev, .. } = *self.subdivision.side(side);
        if next == NO_INDEX || twin < side || !self.subdivision.is_inner(side) {
            return false;
        }
        let Side { next: twin_next, prev: twin_prev, .. } = *self.subdivision.side(twin);
        [
            [prev, side, self.subdivision.side(twin_next).next],
            [twin_prev, twin, self.subdivision.side(next).next],
        ]
        .into_iter()
        .all(|[from, at, to]| {
            let [from, at, to] = [from, at, to].map(|side| self.subdivision.point(side));
            PlanPoint::orientation(from, at, to) >= 0
        })
    }
}
