//! Filters: which polygons a query may use.

use waymesh_core::{AreaId, PolyId};

use super::nav_mesh::NavMesh;

/// Decides which polygons a query may use.
#[doc(alias = "dtQueryFilter")]
#[doc(alias = "passFilter")]
pub trait PolygonFilter {
    /// `true` if every polygon of every mesh is allowed: islands then answer at once what is
    /// connected.
    const ALLOWS_ALL: bool = false;

    /// Returns `true` if `polygon` may be used. The result must not change during a query.
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool;
}

/// Allows every polygon. Costs no time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnyPolygon;

impl PolygonFilter for AnyPolygon {
    const ALLOWS_ALL: bool = true;

    #[inline]
    fn allows(&self, _mesh: &NavMesh, _polygon: PolyId) -> bool {
        true
    }
}

/// Allows polygons by their areas.
#[doc(alias = "dtQueryFilter")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AreaFilter {
    allowed: [u64; 4],
}

impl Default for AreaFilter {
    /// Allows every area.
    fn default() -> Self {
        Self { allowed: [u64::MAX; 4] }
    }
}

impl AreaFilter {
    /// Allows only these areas.
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

    /// Returns `true` if `area` is allowed.
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

/// Allows polygons by flags that the user keeps, one word per polygon: doors that open and close,
/// teams, floors that a lift serves.
#[doc(alias = "setIncludeFlags")]
#[doc(alias = "setExcludeFlags")]
#[doc(alias = "polyFlags")]
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

/// Allows the polygons that both filters allow.
impl<A: PolygonFilter, B: PolygonFilter> PolygonFilter for (A, B) {
    const ALLOWS_ALL: bool = A::ALLOWS_ALL && B::ALLOWS_ALL;

    #[inline]
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        self.0.allows(mesh, polygon) && self.1.allows(mesh, polygon)
    }
}

/// A reference to a filter is a filter.
impl<F: PolygonFilter> PolygonFilter for &F {
    const ALLOWS_ALL: bool = F::ALLOWS_ALL;

    #[inline]
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        (**self).allows(mesh, polygon)
    }
}
