//! Pruning of arrivals at a corner that cannot lead to a shortest path.

/// Arrivals that differ by less, in radians and as a part of their length, are one: paths that are
/// the same to rounding would else be followed once each, and so would those from every corner on.
const ROUNDING: f64 = 1e-9;

/// Arrivals at a corner: the shortest, the one that has turned least, and the last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrivals {
    pub(super) stamp: u32,
    pub(super) shortest: Arrival,
    pub(super) earliest: Arrival,
    pub(super) last: Arrival,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrival {
    /// Angle of the turn round the corner in radians. Always 0 without a radius: then the shortest path
    /// to the corner is the best one for every continuation.
    pub(super) turned: f64,
    /// Length of the path less that of the arc from along the wall: comparable whatever the
    /// arrival. Near the start it may be below 0.
    pub(super) length: f64,
}

impl Arrival {
    pub(super) fn dominates(&self, other: &Self) -> bool {
        self.turned <= other.turned + ROUNDING
            && self.length <= other.length + ROUNDING * (1.0 + other.length.abs())
    }
}
