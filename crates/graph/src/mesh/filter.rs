//! Which polygons a query may use.

use waymesh_core::{AreaId, PolyId};

use super::nav_mesh::NavMesh;

/// Decides which polygons a query may use.
pub trait PolygonFilter {
    /// Whether every polygon of every mesh is allowed: islands then answer at once what is
    /// connected.
    const ALLOWS_ALL: bool = false;

    /// Whether `polygon` may be used. The answer must not change during a query.
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool;
}

/// Allows every polygon, at no cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnyPolygon;

impl PolygonFilter for AnyPolygon {
    const ALLOWS_ALL: bool = true;

    #[inline]
    fn allows(&self, _mesh: &NavMesh, _polygon: PolyId) -> bool {
        true
    }
}

/// Allows some kinds of ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AreaFilter {
    allowed: [u64; 4],
}

impl Default for AreaFilter {
    /// Every kind of ground.
    fn default() -> Self {
        Self { allowed: [u64::MAX; 4] }
    }
}

impl AreaFilter {
    /// Allows only these kinds of ground.
    #[must_use]
    pub fn only(areas: impl IntoIterator<Item = AreaId>) -> Self {
        areas.into_iter().fold(Self { allowed: [0; 4] }, Self::with)
    }

    /// Allows `area` as well.
    #[must_use]
    pub fn with(mut self, area: AreaId) -> Self {
        self.allowed[usize::from(area.0 >> 6)] |= 1 << (area.0 & 63);
        self
    }

    /// Does not allow `area`.
    #[must_use]
    pub fn without(mut self, area: AreaId) -> Self {
        self.allowed[usize::from(area.0 >> 6)] &= !(1 << (area.0 & 63));
        self
    }

    /// Whether `area` is allowed.
    #[inline]
    #[must_use]
    pub fn allows_area(&self, area: AreaId) -> bool {
        self.allowed[usize::from(area.0 >> 6)] >> (area.0 & 63) & 1 == 1
    }
}

impl PolygonFilter for AreaFilter {
    #[inline]
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        self.allows_area(AreaId(mesh.areas[polygon.index()]))
    }
}

/// Allows polygons by flags of the user's own, one word a polygon: doors that open and close,
/// teams, floors that a lift serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagFilter<'a> {
    /// Flags of each polygon; polygons beyond the table have none.
    pub flags: &'a [u16],
    /// A polygon must have one of these at least.
    pub include: u16,
    /// A polygon must have none of these.
    pub exclude: u16,
}

impl PolygonFilter for FlagFilter<'_> {
    #[inline]
    fn allows(&self, _mesh: &NavMesh, polygon: PolyId) -> bool {
        let flags = self.flags.get(polygon.index()).copied().unwrap_or(0);
        flags & self.include != 0 && flags & self.exclude == 0
    }
}

/// What both allow.
impl<A: PolygonFilter, B: PolygonFilter> PolygonFilter for (A, B) {
    const ALLOWS_ALL: bool = A::ALLOWS_ALL && B::ALLOWS_ALL;

    #[inline]
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        self.0.allows(mesh, polygon) && self.1.allows(mesh, polygon)
    }
}

/// A filter is used by reference as well.
impl<F: PolygonFilter> PolygonFilter for &F {
    const ALLOWS_ALL: bool = F::ALLOWS_ALL;

    #[inline]
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        (**self).allows(mesh, polygon)
    }
}
