//! Section 5.2 of the paper: finds the regions between which an agent can step.

use waymesh_core::{ArcId, ContourSet, PlanPoint, RegionId};

use crate::facing::Meeting;
use crate::merge::SliceRegion;
use crate::plane::Plane;

/// The reason why two regions are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SliceLinkKind {
    /// The regions touch and differ by at most one level: a slope cut into slices (5.2.1).
    Discretisation,
    /// The regions touch or lie close, and differ by no more than the highest step (5.2.2).
    Stair,
}

/// The position at which a link crosses from one region to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkPlace {
    /// The border that both regions share. Simplification keeps the number of the arc.
    Border(ArcId),
    /// Two parallel stretches of border, straight opposite each other.
    Gap {
        /// End points on the border of the region `from`, from lower to higher coordinates.
        from: [PlanPoint; 2],
        /// End points on the border of the region `to`, in the same order.
        to: [PlanPoint; 2],
    },
}

/// A connection between two regions, in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SliceLink {
    /// One region.
    pub from: RegionId,
    /// The other.
    pub to: RegionId,
    /// Number of levels by which `to` lies higher than `from`, rounded, in the middle of the first
    /// straight piece of the border or of the gap; negative if it lies lower.
    pub rise_levels: i32,
    /// The reason why the regions are linked.
    pub kind: SliceLinkKind,
    /// Position of the link.
    pub place: LinkPlace,
}

impl SliceLink {
    /// Creates a link. Its position and rise determine its kind.
    fn new(
        regions: &[SliceRegion],
        contours: &ContourSet,
        [from, to]: [RegionId; 2],
        place: LinkPlace,
    ) -> Self {
        let rise_levels = place.rise(contours, [from, to].map(|region| regions[region.index()].ground));
        let touching = matches!(place, LinkPlace::Border(_));
        let kind = if touching && rise_levels.abs() <= 1 {
            SliceLinkKind::Discretisation
        } else {
            SliceLinkKind::Stair
        };
        Self { from, to, rise_levels, kind, place }
    }
}

impl LinkPlace {
    /// Returns the levels from one ground to the other, rounded: in the middle of a gap's sides, or
    /// of the first straight piece of a shared border. The arc of a border exists.
    #[expect(clippy::cast_possible_truncation, reason = "heights of the grid are whole numbers of 32 bits")]
    pub(crate) fn rise(self, contours: &ContourSet, grounds: [Plane; 2]) -> i32 {
        let sides = match self {
            Self::Border(arc) => {
                let vertices = contours.arc_vertices(arc);
                let first = [0, 1].map(|at| contours.vertices[vertices[at].index()].point);
                [first, first]
            }
            Self::Gap { from, to } => [from, to],
        };
        let [from, to] = [0, 1].map(|side: usize| {
            let [a, b] = sides[side].map(|end| grounds[side].at_point(end));
            f64::midpoint(a, b)
        });
        (to - from).round() as i32
    }
}

/// Returns all links: first those along shared borders in the order of arcs, then those over gaps,
/// one for each stretch along which two regions face each other. `meetings` is sorted.
pub(crate) fn find_links(
    contours: &ContourSet,
    regions: &[SliceRegion],
    meetings: &[Meeting],
) -> Vec<SliceLink> {
    let shared = contours.arcs.iter().enumerate().filter_map(|(arc, found)| {
        let place = LinkPlace::Border(ArcId::from_index(arc));
        Some(SliceLink::new(regions, contours, [found.left, found.right?], place))
    });
    let gaps = meetings.iter().filter(|meeting| meeting.gap > 0).map(|meeting| {
        let ends = |line: i32| {
            [meeting.start, meeting.end].map(|along| {
                if meeting.horizontal { PlanPoint::new(along, line) } else { PlanPoint::new(line, along) }
            })
        };
        let place =
            LinkPlace::Gap { from: ends(meeting.line), to: ends(meeting.line + i32::from(meeting.gap)) };
        SliceLink::new(regions, contours, meeting.regions.map(RegionId), place)
    });
    shared.chain(gaps).collect()
}
