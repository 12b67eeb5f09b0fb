//! Union-find over a few of many numbers.

use std::collections::HashMap;

use waymesh_core::DisjointSets;

/// Sets of numbers, which enter when they are first named.
#[derive(Default)]
pub(super) struct NamedSets {
    places: HashMap<u32, u32>,
    /// The numbers, in the order of entry.
    pub(super) members: Vec<u32>,
    sets: DisjointSets,
}

impl NamedSets {
    /// Returns the set of a number. A later union may change it.
    pub(super) fn find(&mut self, member: u32) -> u32 {
        let Self { places, members, sets } = self;
        let place = *places.entry(member).or_insert_with(|| {
            members.push(member);
            sets.push()
        });
        sets.find(place)
    }

    pub(super) fn unite(&mut self, one: u32, other: u32) {
        let [one, other] = [one, other].map(|member| self.find(member));
        self.sets.unite(one, other);
    }
}
