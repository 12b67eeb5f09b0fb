//! Search for fewer and better polygons.

use waymesh_core::{PlanPoint, RegionId};

use crate::exact::{Exact, MOST_VERTICES};
use crate::measure::is_narrow;
use crate::subdivision::{NONE, Patch, Side, Subdivision, index};
use crate::window::Window;

/// Vertices of a window that is solved without being grown any further, if little can be gained
/// there.
const SMALL_WINDOW: usize = 64;
/// A window is small unless one in so many of its polygons could be too many.
const GAIN: usize = 12;

/// Replaces polygons, window by window.
pub(crate) struct Search<'s, 'a> {
    polygons: &'s mut Subdivision<'a>,
    max_vertices: u32,
    /// The regions that may change.
    wanted: &'s dyn Fn(RegionId) -> bool,
    window: Window,
    exact: Exact,
    /// Per polygon, the last window it was in.
    last_windows: Vec<u32>,
    windows: u32,
}

impl<'s, 'a> Search<'s, 'a> {
    pub(crate) fn new(
        polygons: &'s mut Subdivision<'a>,
        max_vertices: u32,
        wanted: &'s dyn Fn(RegionId) -> bool,
    ) -> Self {
        let last_windows = vec![0; polygons.polygons.len()];
        let (window, exact) = (Window::default(), Exact::default());
        Self { polygons, max_vertices, wanted, window, exact, last_windows, windows: 0 }
    }

    /// Improves the window that has been grown, and notes its polygons.
    fn improve(&mut self) {
        self.window.improve(self.polygons, &mut self.exact, self.max_vertices);
        self.windows += 1;
        self.last_windows.resize(self.polygons.polygons.len(), 0);
        for &polygon in &self.window.polygons {
            self.last_windows[polygon as usize] = self.windows;
        }
    }

    /// Whether a polygon is there and in a region that may change.
    fn is_wanted(&self, polygon: u32) -> bool {
        let Patch { side, region, .. } = self.polygons.polygons[polygon as usize];
        side != NONE && (self.wanted)(region)
    }

    /// The polygon across a side, if it may be joined with the one on this side.
    fn beyond(&self, side: u32) -> Option<u32> {
        self.polygons.is_inner(side).then(|| self.polygons.side(self.polygons.side(side).twin).polygon)
    }

    /// Gives every piece of one region and area that has no holes and at most `most_vertices`
    /// vertices the fewest polygons there are.
    pub(crate) fn solve_small(&mut self, most_vertices: usize) {
        let reach = most_vertices.min(MOST_VERTICES);
        let mut seen = vec![false; self.polygons.polygons.len()];
        let mut stack = Vec::new();
        for seed in 0..index(seen.len()) {
            if seen[seed as usize] || !self.is_wanted(seed) {
                continue;
            }
            let (mut count, mut corners) = (0, 0);
            seen[seed as usize] = true;
            stack.push(seed);
            while let Some(polygon) = stack.pop() {
                count += 1;
                corners += self.polygons.polygons[polygon as usize].len as usize;
                for beyond in self.polygons.around(polygon).filter_map(|side| self.beyond(side)) {
                    if !std::mem::replace(&mut seen[beyond as usize], true) {
                        stack.push(beyond);
                    }
                }
            }
            // With one portal less than polygons, each of them hides two corners.
            if corners > reach + 2 * (count - 1) {
                continue;
            }
            self.window.start(self.polygons, seed);
            self.window.grow(self.polygons, reach, |_| false);
            if self.window.is_complete(self.polygons) {
                self.improve();
            }
        }
    }

    /// Cuts the polygons into windows and solves each; then again, around what lay on the borders
    /// of the last windows.
    pub(crate) fn sweep(&mut self, vertices: usize, rounds: u32) {
        let mut seeds: Vec<u32> = self.polygons.living().filter(|&polygon| self.is_wanted(polygon)).collect();
        // What has been solved as a whole is not looked at again.
        let mut before = 0;
        for _ in 0..rounds {
            for &seed in &seeds {
                let gone = self.polygons.polygons[seed as usize].side == NONE;
                if !gone && self.last_windows[seed as usize] <= before {
                    self.window.start(self.polygons, seed);
                    let last = &self.last_windows;
                    let is_new = |polygon: u32| last.get(polygon as usize).is_none_or(|&last| last <= before);
                    self.window.grow(self.polygons, vertices.min(SMALL_WINDOW), is_new);
                    let count = self.window.polygons.len();
                    if GAIN * count.saturating_sub(self.window.least(self.polygons)) > count {
                        self.window.grow(self.polygons, vertices, is_new);
                    }
                    self.improve();
                }
            }
            seeds.clear();
            for polygon in self.polygons.living().filter(|&polygon| self.is_wanted(polygon)) {
                let window = self.last_windows[polygon as usize];
                let mut beyond = self.polygons.around(polygon).filter_map(|side| self.beyond(side));
                if beyond.any(|other| self.last_windows[other as usize] != window) {
                    seeds.push(polygon);
                }
            }
            before = self.windows;
        }
    }

    /// Turns portals that leave narrow angles around the notch that needs them, where another place
    /// for them leaves fewer.
    pub(crate) fn widen(&mut self) {
        for side in 0..index(self.polygons.sides.len()) {
            if self.is_narrow(side) {
                self.window.start(self.polygons, self.polygons.side(side).polygon);
                if self.window.add(self.polygons, side, usize::MAX) {
                    self.window.widen(self.polygons, self.max_vertices);
                }
            }
        }
    }

    /// Whether a portal has a narrow angle beside it, on this side of both.
    fn is_narrow(&self, side: u32) -> bool {
        let Side { twin, next, polygon, .. } = *self.polygons.side(side);
        if next == NONE || twin < side || !self.polygons.is_inner(side) || !self.is_wanted(polygon) {
            return false;
        }
        [side, twin].into_iter().any(|side| {
            let Side { next, prev, .. } = *self.polygons.side(side);
            let after = self.polygons.side(next).next;
            let [before, from, to, after] = [prev, side, next, after].map(|side| self.polygons.point(side));
            is_narrow(from, to, before) || is_narrow(to, from, after)
        })
    }

    /// Joins polygons that are convex together: what has been put in place of a window can fit what
    /// lies around it.
    pub(crate) fn unite(&mut self) {
        loop {
            let mut united = false;
            for side in 0..index(self.polygons.sides.len()) {
                if self.may_go(side) {
                    self.window.start(self.polygons, self.polygons.side(side).polygon);
                    united |= self.window.add(self.polygons, side, usize::MAX)
                        && self.window.unite(self.polygons, self.max_vertices);
                }
            }
            if !united {
                return;
            }
        }
    }

    /// Whether both ends of a side stay convex without it.
    fn may_go(&self, side: u32) -> bool {
        let Side { twin, next, prev, .. } = *self.polygons.side(side);
        if next == NONE || twin < side || !self.polygons.is_inner(side) {
            return false;
        }
        let Side { next: twin_next, prev: twin_prev, .. } = *self.polygons.side(twin);
        [[prev, side, self.polygons.side(twin_next).next], [twin_prev, twin, self.polygons.side(next).next]]
            .into_iter()
            .all(|[from, at, to]| {
                let [from, at, to] = [from, at, to].map(|side| self.polygons.point(side));
                PlanPoint::orientation(from, at, to) >= 0
            })
    }
}
