//! Obstacles of a world, by their ids.

use std::collections::BTreeMap;

/// Names an obstacle of a [`crate::World`] or a [`crate::PlanWorld`]. Never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObstacleId(pub u64);

/// What stands in a world now, in the order in which it came.
#[derive(Debug)]
pub(crate) struct Obstacles<T> {
    standing: BTreeMap<ObstacleId, T>,
    next: u64,
}

impl<T> Obstacles<T> {
    pub(crate) fn new() -> Self {
        Self { standing: BTreeMap::new(), next: 0 }
    }

    pub(crate) fn add(&mut self, obstacle: T) -> ObstacleId {
        let id = ObstacleId(self.next);
        self.next += 1;
        self.standing.insert(id, obstacle);
        id
    }

    pub(crate) fn remove(&mut self, id: ObstacleId) -> Option<T> {
        self.standing.remove(&id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.standing.values()
    }
}
