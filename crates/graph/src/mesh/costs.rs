//! Costs of paths.

use std::sync::Arc;

use waymesh_core::{AreaId, PolyId};

use super::filter::PolygonFilter;
use super::link::{LinkChoice, LinkId};
use super::nav_mesh::{Generation, NavMesh};

/// The cost of a path, where it is not its length alone.
///
/// # Contract
/// - The results must not change during a query.
/// - An amount per metre that is NaN, negative or infinite closes the polygon, as a filter would.
/// - Costs for entering polygons and taking links count as 0 where they are NaN or negative; an
///   infinite one closes the crossing.
#[doc(alias = "getCost")]
#[doc(alias = "dtQueryFilter")]
pub trait TravelCost {
    /// Returns `true` if every metre costs 1 and nothing else costs anything: the other functions are
    /// then never called. Default: `false`.
    #[inline]
    fn is_length(&self) -> bool {
        false
    }

    /// Returns the cost of a metre in `polygon`.
    fn per_metre(&self, mesh: &NavMesh, polygon: PolyId) -> f32;

    /// Lower bound of [`TravelCost::per_metre`] over all polygons that can be used. Default: 0.
    ///
    /// A higher bound makes searches faster. With one that is too high they find paths that are not
    /// the cheapest.
    fn least(&self) -> f32 {
        0.0
    }

    /// Returns the cost of entering polygon `to` from polygon `from`, over an edge or a link.
    /// Default 0.
    fn entering(&self, mesh: &NavMesh, from: PolyId, to: PolyId) -> f32 {
        let _ = (mesh, from, to);
        0.0
    }

    /// Returns the cost of taking a link, in addition to its length and [`Link::extra_cost`]: what a
    /// jump costs this agent. Default 0.
    ///
    /// [`Link::extra_cost`]: crate::Link::extra_cost
    fn taking(&self, mesh: &NavMesh, link: LinkId) -> f32 {
        let _ = (mesh, link);
        0.0
    }

    /// Returns the first cost that is out of range, for an error. Default: `None`.
    fn bad_cost(&self) -> Option<(AreaId, f32)> {
        None
    }

    /// Returns a number that grows whenever the costs may have changed: see
    /// [`PolygonFilter::version`]. Default 0.
    fn version(&self) -> u64 {
        0
    }
}

/// Implements costs for pointers to costs.
macro_rules! cost_behind {
    ($($pointer:ty),*) => {$(
        impl<C: TravelCost + ?Sized> TravelCost for $pointer {
            #[inline]
            fn is_length(&self) -> bool {
                (**self).is_length()
            }

            #[inline]
            fn per_metre(&self, mesh: &NavMesh, polygon: PolyId) -> f32 {
                (**self).per_metre(mesh, polygon)
            }

            #[inline]
            fn least(&self) -> f32 {
                (**self).least()
            }

            #[inline]
            fn entering(&self, mesh: &NavMesh, from: PolyId, to: PolyId) -> f32 {
                (**self).entering(mesh, from, to)
            }

            #[inline]
            fn taking(&self, mesh: &NavMesh, link: LinkId) -> f32 {
                (**self).taking(mesh, link)
            }

            fn bad_cost(&self) -> Option<(AreaId, f32)> {
                (**self).bad_cost()
            }

            fn version(&self) -> u64 {
                (**self).version()
            }
        }
    )*};
}

cost_behind!(&C, Box<C>, Arc<C>);

/// The costs, or none: then the cost of a path is its length. One search serves both, where that is
/// known at run time only.
impl<C: TravelCost> TravelCost for Option<C> {
    #[inline]
    fn is_length(&self) -> bool {
        self.as_ref().is_none_or(C::is_length)
    }

    #[inline]
    fn per_metre(&self, mesh: &NavMesh, polygon: PolyId) -> f32 {
        self.as_ref().map_or(1.0, |costs| costs.per_metre(mesh, polygon))
    }

    #[inline]
    fn least(&self) -> f32 {
        self.as_ref().map_or(1.0, C::least)
    }

    #[inline]
    fn entering(&self, mesh: &NavMesh, from: PolyId, to: PolyId) -> f32 {
        self.as_ref().map_or(0.0, |costs| costs.entering(mesh, from, to))
    }

    #[inline]
    fn taking(&self, mesh: &NavMesh, link: LinkId) -> f32 {
        self.as_ref().map_or(0.0, |costs| costs.taking(mesh, link))
    }

    fn bad_cost(&self) -> Option<(AreaId, f32)> {
        self.as_ref().and_then(C::bad_cost)
    }

    fn version(&self) -> u64 {
        self.as_ref().map_or(0, C::version)
    }
}

/// The cost of a path is its length: 1 per metre.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Length;

impl TravelCost for Length {
    #[inline]
    fn is_length(&self) -> bool {
        true
    }

    #[inline]
    fn per_metre(&self, _mesh: &NavMesh, _polygon: PolyId) -> f32 {
        1.0
    }

    #[inline]
    fn least(&self) -> f32 {
        1.0
    }
}

/// A cost per metre for each kind of ground, and costs of taking links.
#[doc(alias = "setAreaCost")]
#[doc(alias = "dtQueryFilter")]
#[derive(Clone, Debug, PartialEq)]
pub struct AreaCosts {
    costs: [f32; 256],
    least: f32,
    /// The last entry that names a link counts.
    links: Vec<(LinkChoice, f32)>,
}

impl Default for AreaCosts {
    /// 1 a metre everywhere.
    fn default() -> Self {
        Self { costs: [1.0; 256], least: 1.0, links: Vec::new() }
    }
}

impl AreaCosts {
    /// Returns the costs in a mesh's table of areas: 1 for those that are not in it. Queries use
    /// them where they are asked to.
    ///
    /// ```
    /// # use waymesh_graph::{AreaCosts, NavMesh, PathOptions};
    /// # fn path(mesh: &NavMesh) {
    /// let options = PathOptions::default().with_cost(AreaCosts::of_mesh(mesh));
    /// # }
    /// ```
    #[must_use]
    pub fn of_mesh(mesh: &NavMesh) -> Self {
        mesh.area_table().iter().fold(Self::default(), |costs, (id, area)| costs.with(id, area.cost))
    }

    /// Sets the cost of a metre of this kind of ground: 0 or more; infinity closes it. What is NaN
    /// or negative is an error of the query ([`crate::QueryError::BadCost`]).
    #[must_use]
    pub fn with(mut self, area: AreaId, per_metre: f32) -> Self {
        self.costs[usize::from(area.0)] = per_metre;
        self.least = self.costs.iter().copied().fold(f32::INFINITY, f32::min);
        self
    }

    /// Sets the cost of taking a link, or each link of a kind, in metres: what a jump costs this
    /// agent; infinity for links that it cannot take. NaN and negative costs count as 0. Of two
    /// costs for one link the later counts.
    ///
    /// ```
    /// # use waymesh_graph::{AreaCosts, LinkId, LinkKind};
    /// let no_climber = AreaCosts::default().with_links(LinkKind::Step, f32::INFINITY);
    /// let with_key = no_climber.with_links(LinkKind::Door, f32::INFINITY).with_links(LinkId(7), 0.0);
    /// ```
    #[must_use]
    pub fn with_links(mut self, links: impl Into<LinkChoice>, cost: f32) -> Self {
        self.links.push((links.into(), cost));
        self
    }

    /// Returns the cost of a metre of this kind of ground.
    #[must_use]
    pub fn of(&self, area: AreaId) -> f32 {
        self.costs[usize::from(area.0)]
    }
}

impl TravelCost for AreaCosts {
    #[inline]
    fn per_metre(&self, mesh: &NavMesh, polygon: PolyId) -> f32 {
        self.costs[usize::from(mesh.area_at(polygon).0)]
    }

    #[inline]
    fn least(&self) -> f32 {
        self.least
    }

    fn taking(&self, mesh: &NavMesh, link: LinkId) -> f32 {
        if self.links.is_empty() {
            return 0.0;
        }
        let of = mesh.link(link).map(|link| link.kind);
        let names = |choice: &LinkChoice| match *choice {
            LinkChoice::One(one) => one == link,
            LinkChoice::Kind(kind) => of == Some(kind),
        };
        self.links.iter().rfind(|(choice, _)| names(choice)).map_or(0.0, |&(_, cost)| cost)
    }

    fn bad_cost(&self) -> Option<(AreaId, f32)> {
        let bad = (0_u8..=255).map(AreaId).find(|&area| self.of(area).is_nan() || self.of(area) < 0.0);
        bad.map(|area| (area, self.of(area)))
    }
}

/// The polygons that a filter allows and that cost something finite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usable<'a, F, C> {
    pub(crate) filter: &'a F,
    pub(crate) cost: &'a C,
}

impl<F: PolygonFilter, C: TravelCost> PolygonFilter for Usable<'_, F, C> {
    #[inline]
    fn allows_all(&self) -> bool {
        self.filter.allows_all() && self.cost.is_length()
    }

    #[inline]
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        self.filter.allows(mesh, polygon)
            && (self.cost.is_length() || (0.0..f32::INFINITY).contains(&self.cost.per_metre(mesh, polygon)))
    }

    #[inline]
    fn allows_link(&self, mesh: &NavMesh, link: LinkId) -> bool {
        self.filter.allows_link(mesh, link) && self.taking(mesh, link) < f32::INFINITY
    }

    #[inline]
    fn may_cross(&self, mesh: &NavMesh, from: PolyId, to: PolyId) -> bool {
        self.allows(mesh, to)
            && self.filter.may_cross(mesh, from, to)
            && self.entering(mesh, from.0, to.0) < f32::INFINITY
    }

    fn version(&self) -> u64 {
        self.filter.version().wrapping_add(self.cost.version())
    }
}

/// The polygons and links that paths may use, and their costs.
pub(crate) trait Rules: PolygonFilter {
    /// Returns `true` if a path costs its length.
    fn is_length(&self) -> bool;

    /// Returns the cost of a metre on a polygon.
    fn per_metre(&self, mesh: &NavMesh, polygon: u32) -> f32;

    /// Returns the least cost of a metre on any polygon.
    fn least(&self) -> f32;

    /// Returns the cost of entering a polygon from another: 0 or more.
    fn entering(&self, mesh: &NavMesh, from: u32, to: u32) -> f32;

    /// Returns the cost of taking a link: 0 or more.
    fn taking(&self, mesh: &NavMesh, link: LinkId) -> f32;

    /// Returns the version of the mesh and of what may be used on it.
    fn version_on(&self, mesh: &NavMesh) -> Version {
        (mesh.generation, mesh.links.stamp, self.version())
    }

    /// Returns `true` if a path may pass these polygons, each after the one before, and take these
    /// links.
    fn leads_on(&self, mesh: &NavMesh, polygons: &[PolyId], mut links: impl Iterator<Item = LinkId>) -> bool {
        links.all(|link| self.allows_link(mesh, link))
            && polygons.first().is_none_or(|&first| self.allows(mesh, first))
            && polygons.windows(2).all(|pair| pair[0] == pair[1] || self.may_cross(mesh, pair[0], pair[1]))
    }
}

impl<F: PolygonFilter, C: TravelCost> Rules for Usable<'_, F, C> {
    #[inline]
    fn is_length(&self) -> bool {
        self.cost.is_length()
    }

    #[inline]
    fn per_metre(&self, mesh: &NavMesh, polygon: u32) -> f32 {
        if self.is_length() { 1.0 } else { self.cost.per_metre(mesh, PolyId(polygon)) }
    }

    #[inline]
    fn least(&self) -> f32 {
        if self.is_length() { 1.0 } else { self.cost.least().max(0.0) }
    }

    #[inline]
    fn entering(&self, mesh: &NavMesh, from: u32, to: u32) -> f32 {
        if self.is_length() { 0.0 } else { self.cost.entering(mesh, PolyId(from), PolyId(to)).max(0.0) }
    }

    #[inline]
    fn taking(&self, mesh: &NavMesh, link: LinkId) -> f32 {
        if self.is_length() { 0.0 } else { self.cost.taking(mesh, link).max(0.0) }
    }
}

/// Mesh, links, and filter with costs: a path found for other ones may lead elsewhere.
pub(crate) type Version = (Generation, u64, u64);
