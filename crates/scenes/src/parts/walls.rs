//! Walls with doors and windows.

use glam::Vec3;

use crate::builder::Builder;

/// Direction of a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    X,
    Z,
}

/// An opening in a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Opening {
    /// A doorway without a leaf.
    Gap { at: f32, width: f32, height: f32 },
    /// A doorway of [`DOOR`] with its leaf open at right angles, on the side of larger (`true`) or
    /// smaller coordinates.
    Door { at: f32, inward: bool },
    /// A window from `sill` to `head` above the wall's foot, with a pane and a bar.
    Window { at: f32, width: f32, sill: f32, head: f32 },
}

/// Clear width and height of doors.
pub(crate) const DOOR: [f32; 2] = [0.95, 2.1];
const LEAF: f32 = 0.04;
const WINDOW_BAR: f32 = 0.06;

impl Opening {
    fn range(&self) -> [f32; 2] {
        match *self {
            Self::Gap { at, width, .. } | Self::Window { at, width, .. } => [at, at + width],
            Self::Door { at, .. } => [at, at + DOOR[0]],
        }
    }

    /// Heights of the bottom and the top above the wall's foot.
    fn heights(&self) -> [f32; 2] {
        match *self {
            Self::Gap { height, .. } => [0.0, height],
            Self::Door { .. } => [0.0, DOOR[1]],
            Self::Window { sill, head, .. } => [sill, head],
        }
    }
}

impl Builder {
    /// A wall along `axis` over `run`, with the range `across` on the other axis. Openings are
    /// sorted along the wall and do not overlap.
    pub(crate) fn wall(
        &mut self,
        axis: Axis,
        run: [f32; 2],
        across: [f32; 2],
        y: [f32; 2],
        openings: &[Opening],
    ) {
        let mut start = run[0];
        for opening in openings {
            let (range, heights) = (opening.range(), opening.heights());
            self.piece(axis, [start, range[0]], across, y);
            self.piece(axis, range, across, [y[0] + heights[1], y[1]]);
            if heights[0] > 0.0 {
                self.piece(axis, range, across, [y[0], y[0] + heights[0]]);
            }
            match *opening {
                Opening::Gap { .. } => {}
                Opening::Door { at, inward } => self.leaf(axis, at, across, y[0], inward),
                Opening::Window { .. } => {
                    self.window(axis, range, across, [y[0] + heights[0], y[0] + heights[1]]);
                }
            }
            start = range[1];
        }
        self.piece(axis, [start, run[1]], across, y);
    }

    fn piece(&mut self, axis: Axis, along: [f32; 2], across: [f32; 2], y: [f32; 2]) {
        if along[1] - along[0] < 1e-3 || y[1] - y[0] < 1e-3 {
            return;
        }
        match axis {
            Axis::X => self.block(along, y, across),
            Axis::Z => self.block(across, y, along),
        }
    }

    /// Builds the leaf of a door beside the opening, so that the clear width is kept.
    fn leaf(&mut self, axis: Axis, at: f32, across: [f32; 2], foot: f32, inward: bool) {
        let along = [at - 0.01 - LEAF, at - 0.01];
        let reach = DOOR[0];
        let across = if inward { [across[1], across[1] + reach] } else { [across[0] - reach, across[0]] };
        self.piece(axis, along, across, [foot + 0.01, foot + DOOR[1] - 0.02]);
    }

    fn window(&mut self, axis: Axis, along: [f32; 2], across: [f32; 2], y: [f32; 2]) {
        let middle = f32::midpoint(across[0], across[1]);
        let frame = [middle - WINDOW_BAR / 2.0, middle + WINDOW_BAR / 2.0];
        let pane = [middle - 0.006, middle + 0.006];
        let centre = f32::midpoint(along[0], along[1]);
        self.piece(axis, [centre - WINDOW_BAR / 2.0, centre + WINDOW_BAR / 2.0], frame, y);
        self.piece(axis, along, pane, y);
    }

    /// A framed sign or screen: a plate with a raised border, facing -z of its own frame, `size`
    /// wide and high.
    pub(crate) fn sign(&mut self, at: Vec3, size: [f32; 2]) {
        let [w, h] = size;
        let b = 0.04;
        self.block([at.x, at.x + w], [at.y, at.y + h], [at.z, at.z + 0.03]);
        for x in [[at.x - b, at.x], [at.x + w, at.x + w + b]] {
            self.block(x, [at.y - b, at.y + h + b], [at.z - 0.02, at.z + 0.03]);
        }
        for y in [[at.y - b, at.y], [at.y + h, at.y + h + b]] {
            self.block([at.x, at.x + w], y, [at.z - 0.02, at.z + 0.03]);
        }
    }
}
