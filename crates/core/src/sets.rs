//! Disjoint sets (union-find).

/// Disjoint sets of numbered members (union-find). Each set is identified by one of its members, by
/// default the lowest one, so the identifier does not depend on the order of the unions.
///
/// # Cost
/// Paths are halved, but sets are not joined by size. `find` and `unite` take amortised logarithmic
/// time, in practice almost constant time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    /// Returns `count` members, each in a separate set. Members beyond 2^32 - 1 are left out.
    #[must_use]
    pub fn new(count: usize) -> Self {
        let mut sets = Self::default();
        sets.reset(count);
        sets
    }

    /// Resets to `count` members, each in a separate set, and reuses the memory.
    pub fn reset(&mut self, count: usize) {
        self.parents.clear();
        self.parents.extend((0..u32::MAX).take(count));
    }

    /// Adds a member in a separate set and returns it. The limit is 2^32 - 1 members.
    pub fn push(&mut self) -> u32 {
        let member = u32::try_from(self.parents.len()).unwrap_or(u32::MAX);
        self.parents.push(member);
        member
    }

    /// Returns the number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns `true` if the sets have no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Returns the identifier of a member's set.
    ///
    /// # Panics
    /// If the member does not exist.
    #[inline]
    pub fn find(&mut self, mut member: u32) -> u32 {
        while self.parents[member as usize] != member {
            let above = self.parents[self.parents[member as usize] as usize];
            self.parents[member as usize] = above;
            member = above;
        }
        member
    }

    /// Returns the identifier of each member's set.
    pub fn roots(&mut self) -> Vec<u32> {
        (0..u32::MAX).take(self.len()).map(|member| self.find(member)).collect()
    }

    /// Joins two sets under the lower of their identifiers, and returns it.
    ///
    /// # Panics
    /// If a member does not exist.
    #[inline]
    pub fn unite(&mut self, one: u32, other: u32) -> u32 {
        // Often the two sets were joined just before.
        let above = self.parents[one as usize];
        if above == self.parents[other as usize] {
            return self.find(above);
        }
        let (one, other) = (self.find(one), self.find(other));
        self.parents[one.max(other) as usize] = one.min(other);
        one.min(other)
    }

    /// Joins two sets under the identifier of the second.
    ///
    /// # Panics
    /// If a member does not exist.
    pub fn put(&mut self, from: u32, into: u32) {
        let (from, into) = (self.find(from), self.find(into));
        self.parents[from as usize] = into;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn sets_are_those_of_naming_everything_again() {
        let mut random = Random::new(9);
        for count in [1_u32, 2, 7, 60] {
            let mut sets = DisjointSets::new(count as usize);
            let mut names: Vec<u32> = (0..count).collect();
            for _ in 0..count {
                let [one, other] = [0; 2].map(|_| random.index(count as usize));
                let (low, high) = (names[one].min(names[other]), names[one].max(names[other]));
                names.iter_mut().filter(|name| **name == high).for_each(|name| *name = low);
                let [one, other] = [one, other].map(|at| u32::try_from(at).unwrap_or(0));
                assert_eq!(sets.unite(one, other), low);
                assert_eq!(sets.roots(), names);
            }
            assert_eq!((sets.push(), sets.find(count), sets.len()), (count, count, count as usize + 1));
            sets.put(0, count);
            assert!(sets.find(0) == count && sets.find(names[0]) == count);
            sets.reset(2);
            assert!(sets.find(1) == 1 && sets.len() == 2 && !sets.is_empty());
        }
    }
}
