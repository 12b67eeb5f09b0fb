//! Components: the parts of the surface that are connected for an agent.

use glam::DVec3;
use waymesh_core::Random;

/// Result of [`Components::connection`]: how two places are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connection {
    Linked,
    Apart,
    /// Connected only over places or steps that are too close to a limit to be certain.
    Uncertain,
}

/// A place of the grid where an agent can stand, or possibly can.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GridPlace {
    pub(crate) column: usize,
    pub(crate) position: DVec3,
    pub(crate) is_certain: bool,
}

/// Two graphs over the places of a regular grid on all storeys. Neighbours are linked if an agent
/// can walk straight from one to the other.
///
/// - The sure graph has only certain places, and links walked with a step and a height one level
///   stricter than the agent's. What it connects is certainly connected.
/// - The possible graph also has uncertain places, and is one level more lenient. A passage of
///   twice the radius leaves a lane of two cells of places that are not obstructed. So with a
///   spacing of one cell, what it does not connect is certainly apart. On a coarser grid that is
///   not certain, and nothing is called apart. A crack that is stepped over may lie along a line of
///   the grid, which then has no places: its possible links lead over two cells.
#[derive(Clone, Debug, Default)]
pub(crate) struct Components {
    pub(crate) places: Vec<GridPlace>,
    /// Indices of the certain places.
    pub(crate) certain: Vec<usize>,
    pub(crate) sure: Vec<u32>,
    pub(crate) possible: Vec<u32>,
    pub(crate) is_coarse: bool,
    pub(crate) count: usize,
}

impl Components {
    /// Returns a random certain place; `None` if there is none.
    pub(crate) fn random_place(&self, random: &mut Random) -> Option<usize> {
        let index = (!self.certain.is_empty()).then(|| random.index(self.certain.len()))?;
        Some(self.certain[index])
    }

    pub(crate) fn position(&self, place: usize) -> DVec3 {
        self.places[place].position
    }

    pub(crate) fn connection(&self, a: usize, b: usize) -> Connection {
        if self.sure[a] == self.sure[b] {
            Connection::Linked
        } else if self.possible[a] == self.possible[b] || self.is_coarse {
            Connection::Uncertain
        } else {
            Connection::Apart
        }
    }
}
