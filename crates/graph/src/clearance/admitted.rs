//! The polygons where agents may walk.

use waymesh_core::PolyId;

use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;

/// The polygons where agents may walk: one bit per polygon, or no bits at all if every polygon is
/// allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Admitted(Vec<u64>);

impl Admitted {
    pub(super) fn of(mesh: &NavMesh, filter: &impl PolygonFilter) -> Self {
        Self::of_each(mesh, |polygon| filter.allows(mesh, polygon))
    }

    pub(super) fn of_each(mesh: &NavMesh, allows: impl Fn(PolyId) -> bool) -> Self {
        let mut bits = vec![0_u64; mesh.polygon_bound().div_ceil(64)];
        let mut is_every = true;
        for (id, polygon) in mesh.polygon_ids().map(|id| (id, id.index())) {
            let allows = allows(id);
            bits[polygon / 64] |= u64::from(allows) << (polygon % 64);
            is_every &= allows;
        }
        Self(if is_every { Vec::new() } else { bits })
    }

    #[inline]
    pub(crate) fn has(&self, polygon: u32) -> bool {
        self.0.is_empty() || self.0[polygon as usize / 64] >> (polygon % 64) & 1 == 1
    }

    /// Returns `true` if the polygon across an edge is not allowed, or there is none.
    #[inline]
    pub(super) fn is_wall(&self, neighbour: u32) -> bool {
        neighbour == NO_NEIGHBOUR || !self.has(neighbour)
    }
}

impl PolygonFilter for Admitted {
    fn allows(&self, _mesh: &NavMesh, polygon: PolyId) -> bool {
        self.has(polygon.0)
    }
}
