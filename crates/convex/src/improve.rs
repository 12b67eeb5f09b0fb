//! Search for fewer and better cells.

use waymesh_core::{PlanPoint, RegionId};

use crate::exact::{Exact, MOST_VERTICES};
use crate::measure::is_narrow;
use crate::subdivision::{NONE, Patch, Side, Subdivision, index};
use crate::window::Window;

/// Vertices of a window that is solved without being grown any further, if little can be gained there.
const SMALL_WINDOW: usize = 64;
/// A window is small unless one in so many of its cells could be too many.
const GAIN: usize = 12;

/// Replaces cells, window by window.
pub(crate) struct Search<'s, 'a> {
    cells: &'s mut Subdivision<'a>,
    max_vertices: u32,
    /// The regions that may change.
    wanted: &'s dyn Fn(RegionId) -> bool,
    window: Window,
    exact: Exact,
    /// Per cell, the last window it was in.
    last_windows: Vec<u32>,
    windows: u32,
}

impl<'s, 'a> Search<'s, 'a> {
    pub(crate) fn new(
        cells: &'s mut Subdivision<'a>,
        max_vertices: u32,
        wanted: &'s dyn Fn(RegionId) -> bool,
    ) -> Self {
        let last_windows = vec![0; cells.cells.len()];
        let (window, exact) = (Window::default(), Exact::default());
        Self { cells, max_vertices, wanted, window, exact, last_windows, windows: 0 }
    }

    /// Improves the window that has been grown, and notes its cells.
    fn improve(&mut self) {
        self.window.improve(self.cells, &mut self.exact, self.max_vertices);
        self.windows += 1;
        self.last_windows.resize(self.cells.cells.len(), 0);
        for &cell in &self.window.cells {
            self.last_windows[cell as usize] = self.windows;
        }
    }

    /// Whether a cell is there and in a region that may change.
    fn is_wanted(&self, cell: u32) -> bool {
        let Patch { side, region, .. } = self.cells.cells[cell as usize];
        side != NONE && (self.wanted)(region)
    }

    /// The cell across a side, if it may be joined with the one on this side.
    fn beyond(&self, side: u32) -> Option<u32> {
        self.cells.is_inner(side).then(|| self.cells.side(self.cells.side(side).twin).cell)
    }

    /// Gives every piece of one region and area that has no holes and at most `most_vertices` vertices the fewest cells there are.
    pub(crate) fn solve_small(&mut self, most_vertices: usize) {
        let reach = most_vertices.min(MOST_VERTICES);
        let mut seen = vec![false; self.cells.cells.len()];
        let mut stack = Vec::new();
        for seed in 0..index(seen.len()) {
            if seen[seed as usize] || !self.is_wanted(seed) {
                continue;
            }
            let (mut count, mut corners) = (0, 0);
            seen[seed as usize] = true;
            stack.push(seed);
            while let Some(cell) = stack.pop() {
                count += 1;
                corners += self.cells.cells[cell as usize].len as usize;
                for beyond in self.cells.around(cell).filter_map(|side| self.beyond(side)) {
                    if !std::mem::replace(&mut seen[beyond as usize], true) {
                        stack.push(beyond);
                    }
                }
            }
            // With one portal less than cells, each of them hides two corners.
            if corners > reach + 2 * (count - 1) {
                continue;
            }
            self.window.start(self.cells, seed);
            self.window.grow(self.cells, reach, |_| false);
            if self.window.is_complete(self.cells) {
                self.improve();
            }
        }
    }

    /// Cuts the cells into windows and solves each; then again, around what lay on the borders of the last windows.
    pub(crate) fn sweep(&mut self, vertices: usize, rounds: u32) {
        let mut seeds: Vec<u32> = self.cells.living().filter(|&cell| self.is_wanted(cell)).collect();
        // What has been solved as a whole is not looked at again.
        let mut before = 0;
        for _ in 0..rounds {
            for &seed in &seeds {
                let gone = self.cells.cells[seed as usize].side == NONE;
                if !gone && self.last_windows[seed as usize] <= before {
                    self.window.start(self.cells, seed);
                    let last = &self.last_windows;
                    let is_new = |cell: u32| last.get(cell as usize).is_none_or(|&last| last <= before);
                    self.window.grow(self.cells, vertices.min(SMALL_WINDOW), is_new);
                    let count = self.window.cells.len();
                    if GAIN * count.saturating_sub(self.window.least(self.cells)) > count {
                        self.window.grow(self.cells, vertices, is_new);
                    }
                    self.improve();
                }
            }
            seeds.clear();
            for cell in self.cells.living().filter(|&cell| self.is_wanted(cell)) {
                let window = self.last_windows[cell as usize];
                let mut beyond = self.cells.around(cell).filter_map(|side| self.beyond(side));
                if beyond.any(|other| self.last_windows[other as usize] != window) {
                    seeds.push(cell);
                }
            }
            before = self.windows;
        }
    }

    /// Turns portals that leave narrow angles around the notch that needs them, where another place for them leaves fewer.
    pub(crate) fn widen(&mut self) {
        for side in 0..index(self.cells.sides.len()) {
            if self.is_narrow(side) {
                self.window.start(self.cells, self.cells.side(side).cell);
                if self.window.add(self.cells, side, usize::MAX) {
                    self.window.widen(self.cells, self.max_vertices);
                }
            }
        }
    }

    /// Whether a portal has a narrow angle beside it, on this side of both.
    fn is_narrow(&self, side: u32) -> bool {
        let Side { twin, next, cell, .. } = *self.cells.side(side);
        if next == NONE || twin < side || !self.cells.is_inner(side) || !self.is_wanted(cell) {
            return false;
        }
        [side, twin].into_iter().any(|side| {
            let Side { next, prev, .. } = *self.cells.side(side);
            let after = self.cells.side(next).next;
            let [before, from, to, after] = [prev, side, next, after].map(|side| self.cells.point(side));
            is_narrow(from, to, before) || is_narrow(to, from, after)
        })
    }

    /// Joins cells that are convex together: what has been put in place of a window can fit what lies around it.
    pub(crate) fn unite(&mut self) {
        loop {
            let mut united = false;
            for side in 0..index(self.cells.sides.len()) {
                if self.may_go(side) {
                    self.window.start(self.cells, self.cells.side(side).cell);
                    united |= self.window.add(self.cells, side, usize::MAX)
                        && self.window.unite(self.cells, self.max_vertices);
                }
            }
            if !united {
                return;
            }
        }
    }

    /// Whether both ends of a side stay convex without it.
    fn may_go(&self, side: u32) -> bool {
        let Side { twin, next, prev, .. } = *self.cells.side(side);
        if next == NONE || twin < side || !self.cells.is_inner(side) {
            return false;
        }
        let Side { next: twin_next, prev: twin_prev, .. } = *self.cells.side(twin);
        [[prev, side, self.cells.side(twin_next).next], [twin_prev, twin, self.cells.side(next).next]]
            .into_iter()
            .all(|[from, at, to]| {
                let [from, at, to] = [from, at, to].map(|side| self.cells.point(side));
                PlanPoint::orientation(from, at, to) >= 0
            })
    }
}
