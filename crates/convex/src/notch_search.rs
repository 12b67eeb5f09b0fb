//! Interface of a search for the closest vertices of all notches at once, for example on another
//! device.

use waymesh_core::{PlanPoint, Triangulation};

/// Flat tables of the triangles with the portals made so far, and of the notches.
///
/// Half-edge `3 t + i` leaves corner `i` of triangle `t`; the next one of the triangle is `3 t + (i
/// + 1) % 3`. [`NotchTables::NO_INDEX`] marks missing numbers.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct NotchTables {
    /// Vertices.
    pub points: Vec<PlanPoint>,
    /// Half-edges.
    pub edges: Vec<EdgeRow>,
    /// Notches.
    pub notches: Vec<NotchRow>,
    /// The first notch at each vertex.
    pub first_notches: Vec<u32>,
}

impl NotchTables {
    /// Sentinel for a missing number.
    pub const NO_INDEX: u32 = u32::MAX;
}

/// A half-edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeRow {
    /// The start vertex.
    pub origin: u32,
    /// The opposite half-edge.
    pub twin: u32,
    /// `true` if the edge blocks the view: a border, or a portal.
    pub fixed: bool,
}

/// A notch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotchRow {
    /// The vertex of the notch.
    pub vertex: u32,
    /// The next notch at the same vertex.
    pub next: u32,
    /// The fixed half-edges that bound its first reflex sector, leaving and arriving; missing if
    /// the notch needs no portal.
    pub sector: [u32; 2],
    /// The other end of its arriving border edge.
    pub before: PlanPoint,
    /// The other end of its leaving border edge.
    pub after: PlanPoint,
}

/// A notch that sees another one, both in the area of interest of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Partner {
    /// Squared distance, times four if the portal would leave a narrow angle.
    pub cost: f64,
    /// The number of the other notch.
    pub notch: u32,
}

/// The result of the view from a notch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closest {
    /// The best visible vertex in its area of interest.
    pub vertex: Option<u32>,
    /// The triangles that were visited. The vertex stays valid while they are unchanged.
    pub visited: Vec<u32>,
}

/// A search from all notches at once.
///
/// # Contract
/// The result for a notch equals that of [`find_portals`](crate::find_portals) without such a
/// search. `None` for a notch, or for all notches, leaves the search to the caller.
pub trait NotchSearch {
    /// Returns the partners that each notch sees through the twelve closest triangles. The search
    /// ends at six partners; partners in the triangles at the notch are not limited.
    fn partners(&self, tables: &NotchTables) -> Option<Vec<Option<Vec<Partner>>>>;

    /// Returns the closest vertex of each notch.
    fn closest(&self, tables: &NotchTables) -> Option<Vec<Option<Closest>>>;
}

/// Triangles that have the portals of notches as edges: the first stage of
/// [`crate::notch_portals`], before it removes edges and searches for fewer polygons.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundPortals {
    /// The triangles.
    pub triangulation: Triangulation,
    /// For each half-edge `true` if it is a portal or lies on a border.
    pub fixed: Vec<bool>,
    /// Numbers of notches by kind of search.
    pub counts: PortalCounts,
}

/// Numbers of notches by kind of search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PortalCounts {
    /// Notches.
    pub notches: u64,
    /// Notches whose view came from the search of all notches at once.
    pub at_once: u64,
    /// Notches that were searched again, because a portal changed their view or the search left
    /// them out.
    pub again: u64,
}
