//! Directions in which a path may leave a root.

use glam::DVec2;

use crate::geometry::disc::{ANGLE_TOLERANCE, Tangent};

/// No node, root or gate.
pub(super) const NO_INDEX: u32 = u32::MAX;
/// The number of the goal's [`Near`](super::near::Near).
pub(super) const GOAL: u32 = 1;

/// Directions between two bounds, `low` to the right of `high`.
///
/// A line that passes a corner too near does no harm if it ends before: so there are two pairs of
/// bounds. Directions between the tight ones keep the radius from the passed corners; directions
/// between the wide ones pass the corners on the right side and need an exact check.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    pub(super) low: DVec2,
    pub(super) high: DVec2,
    pub(super) low_wide: DVec2,
    pub(super) high_wide: DVec2,
    /// Distance of the corners that the tight bounds pass.
    pub(super) low_far: f64,
    pub(super) high_far: f64,
    /// No direction lies between the tight bounds, and beyond this distance there is nothing to
    /// look for.
    pub(super) reach: Option<f64>,
}

impl Bounds {
    pub(super) fn of(low: DVec2, high: DVec2) -> Self {
        Self { low, high, low_wide: low, high_wide: high, ..Self::default() }
    }

    /// Returns `true` if the wide bounds are wider than the tight ones.
    pub(super) fn has_margin(&self) -> bool {
        let apart = |a: DVec2, b: DVec2| (a[0] - b[0]).abs() + (a[1] - b[1]).abs() > 0.0;
        apart(self.low, self.low_wide) || apart(self.high, self.high_wide)
    }

    /// A corner within the disc round the root is passed on its side by every line: it has no wide
    /// bound.
    pub(super) fn pass_left(&mut self, tight: &Tangent, wide: Option<&Tangent>) {
        if tight.direction.perp_dot(self.high) > 0.0 {
            (self.high, self.high_far) = (tight.direction, tight.length);
        }
        if let Some(wide) = wide.filter(|wide| wide.direction.perp_dot(self.high_wide) > 0.0) {
            self.high_wide = wide.direction;
        }
    }

    pub(super) fn pass_right(&mut self, tight: &Tangent, wide: Option<&Tangent>) {
        if self.low.perp_dot(tight.direction) > 0.0 {
            (self.low, self.low_far) = (tight.direction, tight.length);
        }
        if let Some(wide) = wide.filter(|wide| self.low_wide.perp_dot(wide.direction) > 0.0) {
            self.low_wide = wide.direction;
        }
    }

    /// Passes a corner so near to the root that no line touches both discs, on its right side (1
    /// for on the left, -1). All lines come too near to it: they end before it, but for those
    /// that have it behind. `off` leads from the root to it.
    pub(super) fn pass_near(&mut self, side: f64, off: DVec2, wide: Option<&Tangent>) {
        let last = if side > 0.0 {
            if let Some(wide) = wide.filter(|wide| wide.direction.perp_dot(self.high_wide) > 0.0) {
                self.high_wide = wide.direction;
            }
            self.low_wide
        } else {
            if let Some(wide) = wide.filter(|wide| self.low_wide.perp_dot(wide.direction) > 0.0) {
                self.low_wide = wide.direction;
            }
            self.high_wide
        };
        let reach = if off.dot(last) > 0.0 { off.length() } else { f64::INFINITY };
        self.reach = Some(self.reach.map_or(reach, |known| known.min(reach)));
    }

    /// Returns `true` if any direction is left.
    pub(super) fn close(&mut self) -> bool {
        if self.reach.is_none() && !is_open(self.low, self.high) {
            self.reach = Some(self.low_far.max(self.high_far));
        }
        is_open(self.low_wide, self.high_wide)
    }

    pub(super) fn holds(&self, direction: DVec2, loose: f64) -> Seen {
        let between =
            |low: DVec2, high: DVec2| low.perp_dot(direction) >= -loose && direction.perp_dot(high) >= -loose;
        if self.reach.is_none() && between(self.low, self.high) {
            Seen::Clearly
        } else if between(self.low_wide, self.high_wide) {
            Seen::Perhaps
        } else {
            Seen::Not
        }
    }
}

/// Returns `true` if a direction lies to the left of one bound and to the right of the other: up to
/// half a circle, round the end of a wall without width.
fn is_open(low: DVec2, high: DVec2) -> bool {
    let aside = low.perp_dot(high);
    aside > ANGLE_TOLERANCE || (aside > -ANGLE_TOLERANCE && low.dot(high) < 0.0)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Clearly,
    /// If a close look shows no wall near by.
    Perhaps,
    Not,
}

/// A place where the path turns, or its start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub(super) centre: DVec2,
    /// Offset to the left of the path: the radius, below 0 for the right; 0 for a place.
    pub(super) offset: f64,
    /// 1 if it lies to the left of the path, -1 to the right, 0 for a place.
    pub(super) side: f64,
    /// Direction of arrival of the path, and the last direction in which it may continue.
    pub(super) arrival: DVec2,
    pub(super) limit: DVec2,
    /// Angle of the turn round it at the arrival, in radians.
    pub(super) turned: f64,
    /// Length of the path up to its first contact with the corner.
    pub(super) length: f64,
    pub(super) parent: u32,
    /// Slot in which arrivals at it are compared; `NO_INDEX` for a place.
    pub(super) slot: u32,
    pub(super) vertex: u32,
    /// Walls around the beginning, or around the end, may be in its way: numbers of their
    /// [`Near`](super::near::Near)(super::near::Near).
    pub(super) near: [u32; 2],
    /// The link that was taken to it.
    pub(super) gate: u32,
    /// The corner as the triangle has it that the path came into, how long the line to it is, and
    /// whether that is clear up to the triangle.
    pub(super) corner: u32,
    pub(super) way: f64,
    pub(super) clearly: bool,
}

impl Root {
    /// Returns a place where a path begins.
    pub(super) fn at(place: DVec2, near: [u32; 2]) -> Self {
        Self {
            centre: place,
            offset: 0.0,
            side: 0.0,
            arrival: DVec2::ZERO,
            limit: DVec2::ZERO,
            turned: 0.0,
            length: 0.0,
            parent: NO_INDEX,
            slot: NO_INDEX,
            vertex: NO_INDEX,
            near,
            gate: NO_INDEX,
            corner: NO_INDEX,
            way: 0.0,
            clearly: false,
        }
    }
}
