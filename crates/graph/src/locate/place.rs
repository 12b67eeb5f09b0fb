//! Places that queries start from or lead to.

use glam::Vec3;
use waymesh_core::PolyId;

use super::nearest::Location;
use crate::mesh::nav_mesh::NavMesh;

/// A place that a query starts from or leads to: a position, or a [`Location`] that a query
/// returned.
///
/// A position is moved to the mesh, within the reach of the query. A location is used as it is; one
/// of another mesh, or of an earlier state of this one, is a position again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// A position in the world.
    Position(Vec3),
    /// A location on the mesh.
    Found(Location),
}

impl Place {
    /// Returns the position in the world.
    #[must_use]
    pub fn position(&self) -> Vec3 {
        match self {
            Self::Position(position) => *position,
            Self::Found(location) => location.position,
        }
    }

    /// Returns the polygon of a location on `mesh`.
    pub(crate) fn polygon_on(&self, mesh: &NavMesh) -> Option<PolyId> {
        match self {
            Self::Found(location) if location.generation == mesh.generation => {
                Some(location.polygon).filter(|&polygon| mesh.has_polygon(polygon))
            }
            _ => None,
        }
    }
}

impl From<Vec3> for Place {
    fn from(position: Vec3) -> Self {
        Self::Position(position)
    }
}

impl From<Location> for Place {
    fn from(location: Location) -> Self {
        Self::Found(location)
    }
}

impl From<&Location> for Place {
    fn from(location: &Location) -> Self {
        Self::Found(*location)
    }
}
