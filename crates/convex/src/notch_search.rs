//! The search for the closest vertices of all notches at once, on another device.

use waymesh_core::{PlanPoint, Triangulation};

use crate::faces::Faces;
use crate::notch_portals::with_portals;
use crate::{ConvexError, NotchPortalsConfig};

/// Triangles with the portals made so far, and the notches, in flat tables.
///
/// Half-edge `3 t + i` leaves corner `i` of triangle `t`; the next one of the triangle is `3 t + (i
/// + 1) % 3`. Missing numbers are [`NotchTables::NONE`].
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
    /// Stands for a number that is not there.
    pub const NONE: u32 = u32::MAX;
}

/// A half-edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeRow {
    /// The vertex that it leaves.
    pub origin: u32,
    /// The opposite half-edge.
    pub twin: u32,
    /// `true` if no view passes it: a border, or a portal.
    pub fixed: bool,
}

/// A notch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotchRow {
    /// Its vertex.
    pub vertex: u32,
    /// The next notch at the same vertex.
    pub next: u32,
    /// The fixed half-edges that leave and arrive at its first reflex sector; missing if the notch
    /// needs no portal.
    pub sector: [u32; 2],
    /// The ends of its border edges.
    pub before: PlanPoint,
    /// See `before`.
    pub after: PlanPoint,
}

/// A notch that sees another one, both in the area of interest of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Partner {
    /// Square of the distance, four times that if the portal would leave a narrow angle.
    pub cost: f64,
    /// The number of the other notch.
    pub notch: u32,
}

/// What a notch sees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closest {
    /// The best vertex in its area of interest, if it sees one.
    pub vertex: Option<u32>,
    /// The triangles that were looked at. As long as none of them changes, neither does the vertex.
    pub visited: Vec<u32>,
}

/// Searches from all notches at once.
///
/// # Contract
/// What is returned for a notch is what [`find_portals`] finds without a search of this kind.
/// `None` for a notch, or for all of them, leaves the search to the caller.
pub trait NotchSearch {
    /// Returns the partners that each notch sees through the twelve closest triangles, six at most
    /// but for those in the triangles at the notch itself.
    fn partners(&self, tables: &NotchTables) -> Option<Vec<Option<Vec<Partner>>>>;

    /// Returns the closest vertex of each notch.
    fn closest(&self, tables: &NotchTables) -> Option<Vec<Option<Closest>>>;
}

/// Triangles that have the portals of notches as edges: what [`crate::notch_portals`] begins with,
/// before it removes edges and searches for fewer polygons.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundPortals {
    /// The triangles.
    pub triangulation: Triangulation,
    /// For each half-edge `true` if it is a portal or lies on a border.
    pub fixed: Vec<bool>,
    /// How the portals were found.
    pub counts: PortalCounts,
}

/// How the portals of notches were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PortalCounts {
    /// Notches.
    pub notches: u64,
    /// Notches whose view was taken from the search of all at once.
    pub at_once: u64,
    /// Notches that were looked from again: a portal changed what they see, or the search left them
    /// out.
    pub again: u64,
}

/// Makes the portals of all notches, with `search` if it is given. The portals are the same with
/// any search.
///
/// # Cost
/// Views from notches are bounded; see [`crate::notch_portals`].
///
/// # Errors
/// See [`crate::notch_portals`].
///
/// # References
/// Oliva and Pelechano 2012, A GPU based method for the automatic generation of near-optimal
/// navigation meshes, section 4.1.
pub fn find_portals(
    triangulation: &Triangulation,
    config: &NotchPortalsConfig,
    search: Option<&dyn NotchSearch>,
) -> Result<FoundPortals, ConvexError> {
    config.validate()?;
    let faces = Faces::new(triangulation)?;
    Ok(with_portals(triangulation, &faces, config, search))
}
