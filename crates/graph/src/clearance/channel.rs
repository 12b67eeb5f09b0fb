//! Memory of the fast search: the channel that it finds, and the string through it.

use glam::DVec2;

use super::bounds::NO_INDEX;
use crate::geometry::disc::{Tangent, tangent};
use crate::marks::Stamped;
use crate::path::queue::Queue;

/// A side that was come to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The entry as a side of the triangle beyond.
    pub(super) entry: u32,
    pub(super) parent: u32,
    /// Estimated point of the crossing.
    pub(super) at: DVec2,
    pub(super) length: f64,
}

/// Memory of the fast search.
#[derive(Clone, Debug, Default)]
pub(super) struct QuickMemory {
    pub(super) steps: Vec<Step>,
    /// Estimate and number of each open step.
    pub(super) open: Queue<(u64, u32)>,
    /// Per side, the least length to it.
    pub(super) known: Stamped<f64>,
    pub(super) string: TautString,
}

/// A channel, and the string through it.
#[derive(Clone, Debug, Default)]
pub(super) struct TautString {
    /// The sides of the channel, from the start, each as seen from the triangle beyond.
    pub(super) entries: Vec<u32>,
    pub(super) anchors: Vec<Anchor>,
    /// `true` if some were put in or taken out again: the lines there may be anywhere.
    pub(super) is_mended: bool,
}

/// A disc that the string touches, or one of its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub(super) centre: DVec2,
    /// Offset to the left of the string.
    pub(super) offset: f64,
    /// 1 for one to the left, -1 to the right, 0 for an end.
    pub(super) side: f64,
    pub(super) vertex: u32,
    /// A corner that lies there.
    pub(super) corner: u32,
    /// Number of sides of the channel that are passed with it.
    pub(super) passed: usize,
}

impl Anchor {
    pub(super) fn end(at: DVec2, passed: usize) -> Self {
        Self { centre: at, offset: 0.0, side: 0.0, vertex: NO_INDEX, corner: NO_INDEX, passed }
    }

    pub(super) fn line_to(&self, to: &Self) -> Option<Tangent> {
        tangent(self.centre, self.offset, to.centre, to.offset)
    }
}
