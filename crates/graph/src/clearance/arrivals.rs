//! Pruning of arrivals at a corner that cannot lead to a shortest path.

use super::search::{GOAL, Memory, NO_INDEX};

/// Arrivals that differ by less, in radians and as a part of their length, are one: paths that are
/// the same to rounding would else be followed once each, and so would those from every corner on.
const ROUNDING: f64 = 1e-9;

/// Arrivals at a corner: the shortest, the one that has turned least, and the last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrivals {
    pub(super) stamp: u32,
    pub(super) shortest: Arrival,
    pub(super) earliest: Arrival,
    last: Arrival,
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

impl Memory {
    pub(super) fn arrivals_at(&mut self, slot: usize, near: [u32; 2]) -> &mut Arrivals {
        if near == [NO_INDEX; 2] {
            return &mut self.arrivals[slot];
        }
        if near.iter().any(|&near| near != NO_INDEX && near > GOAL) {
            return self.at_gates.entry((slot, near)).or_default();
        }
        let at = self.local.iter().position(|known| (known.0, known.1) == (slot, near));
        let at = at.unwrap_or_else(|| {
            self.local.push((slot, near, Arrivals::default()));
            self.local.len() - 1
        });
        &mut self.local[at].2
    }

    /// Returns `true` if an arrival at a corner is not worth following: one is known that is as
    /// short and has turned as little.
    pub(super) fn is_dominated(&mut self, slot: usize, near: [u32; 2], arrival: &Arrival) -> bool {
        let stamp = self.stamp;
        let known = self.arrivals_at(slot, near);
        let kept = [&known.shortest, &known.earliest, &known.last];
        known.stamp == stamp && kept.iter().any(|kept| kept.dominates(arrival))
    }

    pub(super) fn keep_arrival(&mut self, slot: usize, near: [u32; 2], arrival: &Arrival) {
        let stamp = self.stamp;
        let known = self.arrivals_at(slot, near);
        if known.stamp != stamp {
            *known = Arrivals { stamp, shortest: *arrival, earliest: *arrival, last: *arrival };
        }
        known.last = *arrival;
        if arrival.length < known.shortest.length {
            known.shortest = *arrival;
        }
        if arrival.turned < known.earliest.turned {
            known.earliest = *arrival;
        }
    }
}
