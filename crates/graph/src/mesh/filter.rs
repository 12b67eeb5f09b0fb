//! Filters: which polygons a query may use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

use waymesh_core::{AreaId, PolyId};

use super::link::LinkId;
use super::nav_mesh::NavMesh;

/// Decides which polygons and links a query may use.
#[doc(alias = "dtQueryFilter")]
#[doc(alias = "passFilter")]
pub trait PolygonFilter {
    /// Returns `true` if `polygon` may be used. The result must not change during a query.
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool;

    /// Returns `true` if a link may be taken, such as a ladder by an agent that climbs, or a door by
    /// one that has the key. Default: `true`. The result must not change during a query.
    #[inline]
    fn allows_link(&self, mesh: &NavMesh, link: LinkId) -> bool {
        let _ = (mesh, link);
        true
    }

    /// Returns `true` if every polygon and link of every mesh is allowed: islands then answer at once
    /// what is connected. Default: `false`.
    #[inline]
    fn allows_all(&self) -> bool {
        false
    }

    /// Returns `true` if a path may lead from polygon `from` to polygon `to`, over an edge or a link.
    /// Only costs close a crossing whose polygons are allowed ([`TravelCost::entering`]).
    ///
    /// [`TravelCost::entering`]: crate::TravelCost::entering
    #[doc(hidden)]
    #[inline]
    fn may_cross(&self, mesh: &NavMesh, from: PolyId, to: PolyId) -> bool {
        let _ = from;
        self.allows(mesh, to)
    }

    /// Returns a number that grows whenever what it allows may have changed: by it a
    /// [`PathCorridor`](crate::PathCorridor) knows that a door has opened. Default 0: a filter that
    /// never changes.
    fn version(&self) -> u64 {
        0
    }
}

/// Allows every polygon. Costs no time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnyPolygon;

impl PolygonFilter for AnyPolygon {
    #[inline]
    fn allows(&self, _mesh: &NavMesh, _polygon: PolyId) -> bool {
        true
    }

    #[inline]
    fn allows_all(&self) -> bool {
        true
    }
}

/// Allows the polygons for which a function returns `true`.
///
/// ```
/// # use waymesh_graph::{FilterFn, NavMesh, PolygonFilter};
/// # fn path(mesh: &NavMesh) {
/// let query = mesh.query().filter(FilterFn(|mesh: &NavMesh, polygon| mesh.head_room(polygon) > Some(2.5)));
/// let boxed: Box<dyn PolygonFilter> = Box::new(FilterFn(|_: &NavMesh, polygon: waymesh_core::PolyId| polygon.0 != 7));
/// let query = mesh.query().filter(boxed);
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FilterFn<F>(pub F);

impl<F: Fn(&NavMesh, PolyId) -> bool> PolygonFilter for FilterFn<F> {
    #[inline]
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        self.0(mesh, polygon)
    }
}

/// Allows the links for which a function returns `true`, and every polygon.
///
/// A pair of filters is a filter: `(areas, LinkFilterFn(..))`.
///
/// ```
/// # use waymesh_graph::{LinkFilterFn, LinkId, LinkKind, NavMesh};
/// # fn path(mesh: &NavMesh) {
/// // For an agent that cannot jump.
/// let query = mesh.query().filter(LinkFilterFn(|mesh: &NavMesh, link: LinkId| {
///     mesh.link(link).is_some_and(|link| link.kind != LinkKind::Jump)
/// }));
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LinkFilterFn<F>(pub F);

impl<F: Fn(&NavMesh, LinkId) -> bool> PolygonFilter for LinkFilterFn<F> {
    #[inline]
    fn allows(&self, _mesh: &NavMesh, _polygon: PolyId) -> bool {
        true
    }

    #[inline]
    fn allows_link(&self, mesh: &NavMesh, link: LinkId) -> bool {
        self.0(mesh, link)
    }
}

/// Allows polygons by their areas.
#[doc(alias = "dtQueryFilter")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    fn allows_all(&self) -> bool {
        *self == Self::default()
    }

    #[inline]
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        self.allows_area(mesh.area_at(polygon))
    }
}

/// Allows the polygons under which an agent of a height has room: see [`NavMesh::head_room`].
///
/// ```
/// # use waymesh_graph::{HeadRoomFilter, NavMesh, PathOptions};
/// # fn path(mesh: &NavMesh) {
/// let giant = PathOptions::default().with_filter(HeadRoomFilter::new(3.0));
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadRoomFilter {
    height: f32,
}

impl HeadRoomFilter {
    /// A filter for an agent of this height in metres.
    #[must_use]
    pub fn new(height: f32) -> Self {
        Self { height }
    }

    /// Returns the height of the agent in metres.
    #[must_use]
    pub fn height(&self) -> f32 {
        self.height
    }
}

impl PolygonFilter for HeadRoomFilter {
    #[inline]
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        mesh.room_at(polygon) >= self.height
    }
}

/// Flags of polygons, one word each, shared by all filters that are made of it: doors that open and
/// close, teams, floors that a lift serves.
///
/// - Clones are the same table. Any of them sets flags at any time, also while filters of other
///   clones are in use, and on any thread.
/// - A query that runs on another thread while flags are set may see some of them before and some
///   after; it never fails for that. The next call of a corridor puts it right.
/// - Two tables are equal if one is a clone of the other.
///
/// ```
/// # use glam::Vec3;
/// # use waymesh_core::{AreaId, GridFrame, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId, VertexId};
/// # use waymesh_graph::NavMesh;
/// # let mesh = NavMesh::try_from(PolyMesh {
/// #     frame: GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 1.0, width: 20, depth: 10 },
/// #     vertices: [(0, 0), (10, 0), (20, 0), (20, 10), (10, 10), (0, 10)]
/// #         .map(|(x, z)| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }).to_vec(),
/// #     polygons: [0, 4].map(|first| Poly { first, len: 4, region: RegionId(0), area: AreaId::GROUND }).to_vec(),
/// #     corners: [0, 1, 4, 5, 1, 2, 3, 4].map(VertexId).to_vec(),
/// #     neighbours: [None, Some(1), None, None, None, None, None, Some(0)].map(|id| id.map(PolyId)).to_vec(),
/// # })?;
/// use waymesh_graph::{CorridorOptions, FlagFilter, FlagTable, PathCorridor, PathOptions, QueryScratch};
///
/// const WALK: u16 = 1;
/// const SHUT: u16 = 2;
/// let table = FlagTable::from(vec![WALK; mesh.polygon_bound()]);
/// table.set(PolyId(1), WALK | SHUT);
/// let filter = FlagFilter { flags: table.clone(), include: WALK, exclude: SHUT };
/// let options = PathOptions::default().with_filter(filter);
/// # let options = options.with_reach(waymesh_graph::Reach::new(10.0, 1.0, 1.0));
/// let mut corridor = PathCorridor::new(CorridorOptions::default().with_path(options));
/// let mut scratch = QueryScratch::default();
/// corridor.plan(&mesh, Vec3::new(1.0, 0.0, 1.0), Vec3::new(19.0, 0.0, 1.0), &mut scratch)?;
/// assert_eq!(corridor.goal().unwrap().position.x, 10.0);
/// // The door opens: the next call looks again.
/// table.set(PolyId(1), WALK);
/// corridor.repair(&mesh, &mut scratch)?;
/// assert_eq!(corridor.goal().unwrap().position.x, 19.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "setPolyFlags")]
#[doc(alias = "polyFlags")]
#[derive(Clone, Debug, Default)]
pub struct FlagTable(Arc<Flags>);

#[derive(Debug, Default)]
struct Flags {
    of: Box<[AtomicU16]>,
    version: AtomicU64,
}

impl From<Vec<u16>> for FlagTable {
    /// Returns a table with the flags of each polygon, by its id: up to
    /// [`NavMesh::polygon_bound`]. Polygons beyond it have none.
    fn from(flags: Vec<u16>) -> Self {
        let of = flags.into_iter().map(AtomicU16::new).collect();
        Self(Arc::new(Flags { of, version: AtomicU64::new(0) }))
    }
}

impl PartialEq for FlagTable {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for FlagTable {}

impl FlagTable {
    /// Returns the flags of a polygon: none beyond the table.
    #[inline]
    #[must_use]
    pub fn get(&self, polygon: PolyId) -> u16 {
        self.0.of.get(polygon.index()).map_or(0, |flags| flags.load(Ordering::Relaxed))
    }

    /// Sets the flags of a polygon. Returns `false`, and sets nothing, beyond the table. Constant
    /// time.
    pub fn set(&self, polygon: PolyId, flags: u16) -> bool {
        let Some(own) = self.0.of.get(polygon.index()) else { return false };
        if own.swap(flags, Ordering::Relaxed) != flags {
            // After the flags: who reads the new version reads them, too.
            self.0.version.fetch_add(1, Ordering::Release);
        }
        true
    }

    /// Returns how often flags have changed.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }
}

/// Allows polygons by flags that the user keeps in a [`FlagTable`], which may change at any time.
#[doc(alias = "setIncludeFlags")]
#[doc(alias = "setExcludeFlags")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagFilter {
    /// Flags of each polygon.
    pub flags: FlagTable,
    /// A polygon must have one of these at least.
    pub include: u16,
    /// A polygon must have none of these.
    pub exclude: u16,
}

impl PolygonFilter for FlagFilter {
    #[inline]
    fn allows(&self, _mesh: &NavMesh, polygon: PolyId) -> bool {
        let flags = self.flags.get(polygon);
        flags & self.include != 0 && flags & self.exclude == 0
    }

    fn version(&self) -> u64 {
        self.flags.version()
    }
}

/// Allows what the filter allows; without one, all polygons and links.
impl<F: PolygonFilter> PolygonFilter for Option<F> {
    #[inline]
    fn allows_all(&self) -> bool {
        self.as_ref().is_none_or(F::allows_all)
    }

    #[inline]
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        self.as_ref().is_none_or(|filter| filter.allows(mesh, polygon))
    }

    #[inline]
    fn allows_link(&self, mesh: &NavMesh, link: LinkId) -> bool {
        self.as_ref().is_none_or(|filter| filter.allows_link(mesh, link))
    }

    #[inline]
    fn may_cross(&self, mesh: &NavMesh, from: PolyId, to: PolyId) -> bool {
        self.as_ref().is_none_or(|filter| filter.may_cross(mesh, from, to))
    }

    fn version(&self) -> u64 {
        self.as_ref().map_or(0, F::version)
    }
}

/// Allows the polygons that both filters allow.
impl<A: PolygonFilter, B: PolygonFilter> PolygonFilter for (A, B) {
    #[inline]
    fn allows_all(&self) -> bool {
        self.0.allows_all() && self.1.allows_all()
    }

    #[inline]
    fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
        self.0.allows(mesh, polygon) && self.1.allows(mesh, polygon)
    }

    #[inline]
    fn allows_link(&self, mesh: &NavMesh, link: LinkId) -> bool {
        self.0.allows_link(mesh, link) && self.1.allows_link(mesh, link)
    }

    #[inline]
    fn may_cross(&self, mesh: &NavMesh, from: PolyId, to: PolyId) -> bool {
        self.0.may_cross(mesh, from, to) && self.1.may_cross(mesh, from, to)
    }

    fn version(&self) -> u64 {
        self.0.version().wrapping_add(self.1.version())
    }
}

/// Implements filters for pointers to filters.
macro_rules! filter_behind {
    ($($pointer:ty),*) => {$(
        impl<F: PolygonFilter + ?Sized> PolygonFilter for $pointer {
            #[inline]
            fn allows_all(&self) -> bool {
                (**self).allows_all()
            }

            #[inline]
            fn allows(&self, mesh: &NavMesh, polygon: PolyId) -> bool {
                (**self).allows(mesh, polygon)
            }

            #[inline]
            fn allows_link(&self, mesh: &NavMesh, link: LinkId) -> bool {
                (**self).allows_link(mesh, link)
            }

            #[inline]
            fn may_cross(&self, mesh: &NavMesh, from: PolyId, to: PolyId) -> bool {
                (**self).may_cross(mesh, from, to)
            }

            fn version(&self) -> u64 {
                (**self).version()
            }
        }
    )*};
}

filter_behind!(&F, Box<F>, Arc<F>);
