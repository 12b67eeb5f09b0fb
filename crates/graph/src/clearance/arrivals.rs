//! Which arrivals at a corner are worth following.

use super::search::Memory;
use crate::geometry::disc::SAME;

/// Arrivals at a corner: the shortest, and the one that has turned least.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrivals {
    pub(super) stamp: u32,
    pub(super) shortest: Arrival,
    pub(super) earliest: Arrival,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrival {
    /// How far round the corner, in radians.
    pub(super) turned: f64,
    /// Length of the path less that of the arc from along the wall: comparable whatever the
    /// arrival. Near the start it may be below 0.
    pub(super) length: f64,
}

impl Arrival {
    pub(super) fn dominates(&self, other: &Self) -> bool {
        self.turned <= other.turned + SAME && self.length <= other.length + 1e-12 * (1.0 + other.length.abs())
    }
}

impl Memory {
    pub(super) fn arrivals_at(&mut self, slot: usize, near: [bool; 2]) -> &mut Arrivals {
        if near == [false; 2] {
            return &mut self.arrivals[slot];
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
    pub(super) fn is_dominated(&mut self, slot: usize, near: [bool; 2], arrival: &Arrival) -> bool {
        let stamp = self.stamp;
        let known = self.arrivals_at(slot, near);
        known.stamp == stamp && (known.shortest.dominates(arrival) || known.earliest.dominates(arrival))
    }

    pub(super) fn keep_arrival(&mut self, slot: usize, near: [bool; 2], arrival: &Arrival) {
        let stamp = self.stamp;
        let known = self.arrivals_at(slot, near);
        if known.stamp != stamp {
            *known = Arrivals { stamp, shortest: *arrival, earliest: *arrival };
        }
        if arrival.length < known.shortest.length {
            known.shortest = *arrival;
        }
        if arrival.turned < known.earliest.turned {
            known.earliest = *arrival;
        }
    }
}
