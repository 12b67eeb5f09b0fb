//! Section 5.2 of the paper: from which region one gets to which.

use waymesh_core::{ArcId, ContourSet, PlanPoint, RegionId};

use crate::facing::Facing;
use crate::merge::SliceRegion;

/// Why two regions are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SliceLinkKind {
    /// They touch and differ by one level: a slope cut into slices (5.2.1).
    Discretisation,
    /// They touch or lie close, and differ by no more than the highest step (5.2.2).
    Stair,
}

/// Where a link leads across.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkPlace {
    /// The border that both regions share; simplification keeps its number.
    Border(ArcId),
    /// Two parallel stretches of border, straight across from each other.
    Gap {
        /// The end points on the border of the one region, from lower to higher coordinates.
        from: [PlanPoint; 2],
        /// Those on the border of the other.
        to: [PlanPoint; 2],
    },
}

/// A way from one region to another, and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SliceLink {
    /// One region.
    pub from: RegionId,
    /// The other.
    pub to: RegionId,
    /// How many levels `to` lies higher.
    pub rise_levels: i32,
    /// What made it.
    pub kind: SliceLinkKind,
    /// Where it is.
    pub place: LinkPlace,
}

impl SliceLink {
    /// A link between regions of which `from` has to be known.
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

/// All links: those along shared borders in the order of arcs, then those over gaps in the order of
/// lines.
///
/// Across a gap both sides have to see each other. `leaping` is sorted.
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

/// What both sides of a gap agree on: whether its borders run along x, on which line the lower one
/// is, width, level below and above.
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
