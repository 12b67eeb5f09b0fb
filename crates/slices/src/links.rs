//! Section 5.2 of the paper: finds the regions between which an agent can step.

use waymesh_core::{ArcId, ContourSet, PlanPoint, RegionId};

use crate::facing::Facing;
use crate::merge::SliceRegion;

/// Why two regions are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SliceLinkKind {
    /// The regions touch and differ by one level: a slope cut into slices (5.2.1).
    Discretisation,
    /// The regions touch or lie close, and differ by no more than the highest step (5.2.2).
    Stair,
}

/// Where a link crosses from one region to the other.
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
    /// Number of levels by which `to` lies higher than `from`; negative if it lies lower.
    pub rise_levels: i32,
    /// Why the regions are linked.
    pub kind: SliceLinkKind,
    /// Where the link is.
    pub place: LinkPlace,
}

impl SliceLink {
    /// Makes a link, with its rise and kind from the levels of both regions.
    fn new(from: RegionId, to: RegionId, regions: &[SliceRegion], place: LinkPlace) -> Self {
        let rise_levels = regions[to.index()].level.saturating_sub(regions[from.index()].level);
        let touching = matches!(place, LinkPlace::Border(_));
        let kind = if touching && rise_levels.abs() == 1 {
            SliceLinkKind::Discretisation
        } else {
            SliceLinkKind::Stair
        };
        Self { from, to, rise_levels, kind, place }
    }
}

/// Returns all links: first those along shared borders in the order of arcs, then those over gaps
/// in the order of lines.
///
/// Both sides of a gap have to face each other. `leaping` is sorted.
pub(crate) fn find_links(
    contours: &ContourSet,
    regions: &[SliceRegion],
    leaping: &[Facing],
) -> Vec<SliceLink> {
    let shared = contours.arcs.iter().enumerate().filter_map(|(arc, found)| {
        Some(SliceLink::new(found.left, found.right?, regions, LinkPlace::Border(ArcId::from_index(arc))))
    });
    let mut links: Vec<SliceLink> = shared.collect();
    leap(regions, leaping, &mut links);
    links
}

/// Key that both sides of a gap have in common: `true` if its borders run along x, the line of the
/// lower border, the width, the level before and the level behind the gap.
type GapKey = (bool, i32, u16, i32, i32);

/// Matches the two sides of every gap.
fn leap(regions: &[SliceRegion], leaping: &[Facing], links: &mut Vec<SliceLink>) {
    let key = |facing: &Facing| -> (GapKey, bool) {
        let own = regions[facing.label as usize].level;
        let ahead = facing.line < facing.other_line();
        let levels = if ahead { (own, facing.other) } else { (facing.other, own) };
        let line = facing.line.min(facing.other_line());
        ((facing.is_horizontal(), line, facing.gap, levels.0, levels.1), ahead)
    };
    let mut sides: [Vec<(GapKey, i32, i32, u32)>; 2] = [Vec::new(), Vec::new()];
    for facing in leaping {
        let (key, ahead) = key(facing);
        sides[usize::from(ahead)].push((key, facing.start, facing.end, facing.label));
    }
    for side in &mut sides {
        side.sort_unstable();
    }
    let [back, ahead] = &sides;
    let (mut back, mut ahead) = (back.iter().peekable(), ahead.iter().peekable());
    while let (Some(&&one), Some(&&other)) = (ahead.peek(), back.peek()) {
        let (start, end) = (one.1.max(other.1), one.2.min(other.2));
        if one.0 == other.0 && start < end && one.3 != other.3 {
            let (horizontal, line, gap, ..) = one.0;
            let ends = |line: i32| {
                [start, end].map(|along| {
                    if horizontal { PlanPoint::new(along, line) } else { PlanPoint::new(line, along) }
                })
            };
            let place = LinkPlace::Gap { from: ends(line), to: ends(line + i32::from(gap)) };
            links.push(SliceLink::new(RegionId(one.3), RegionId(other.3), regions, place));
        }
        if (one.0, one.2) <= (other.0, other.2) {
            ahead.next();
        } else {
            back.next();
        }
    }
}
