//! Regions: a label per span.

use crate::{Direction, RegionId, Violation, ViolationList, WalkableField};

/// The label of a span that is in no region.
pub const NO_REGION: u32 = u32::MAX;

/// A partition of the walkable spans of a [`WalkableField`] into regions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionMap {
    /// Region of each span of the field, [`NO_REGION`] for a span that is not walkable.
    pub labels: Vec<u32>,
    /// Number of regions; labels are `0..count`.
    pub count: u32,
}

impl RegionMap {
    /// Returns the region of `span`.
    #[inline]
    #[must_use]
    pub fn region(&self, span: u32) -> Option<RegionId> {
        let label = self.labels[span as usize];
        (label != NO_REGION).then_some(RegionId(label))
    }

    /// Lists the violations of the contract of [`crate::stage::Partition`] over `field`. The
    /// contract:
    /// - every walkable span has a region, and no other span has one;
    /// - regions are numbered `0..count` in the order of their first spans, and none is empty;
    /// - a region is one piece connected by links, has one [`crate::AreaId`], and **never overlaps
    ///   itself in plan**: it has at most one span in a column;
    /// - two spans of a region in neighbouring columns are linked: a region does not lie on both
    ///   sides of a cliff or wall without width, where its outline would touch itself along an
    ///   edge.
    pub fn violations_over(&self, field: &WalkableField, out: &mut ViolationList) {
        if self.labels.len() != field.len() {
            out.push(Violation::BrokenTable { table: "region labels" });
            return;
        }
        let mut next = 0;
        for (span, &label) in (0_u32..).zip(&self.labels) {
            if (label != NO_REGION) != field.is_walkable(span) || (label != NO_REGION && label >= self.count)
            {
                out.push(Violation::WrongLabel { span, label });
                return;
            }
            if label != NO_REGION && label > next {
                out.push(Violation::RegionOrder { region: RegionId(label) });
                return;
            }
            next = next.max(if label == NO_REGION { 0 } else { label + 1 });
        }
        if next != self.count {
            out.push(Violation::EmptyRegion { region: RegionId(next) });
        }
        for column in field.columns.windows(2) {
            for span in column[0]..column[1] {
                let label = self.labels[span as usize];
                if label != NO_REGION && (column[0]..span).any(|other| self.labels[other as usize] == label) {
                    out.push(Violation::RegionOverlapsItself { region: RegionId(label), span });
                }
            }
        }
        for (span, &label) in (0_u32..).zip(&self.labels) {
            if label == NO_REGION {
                continue;
            }
            let (x, z) = field.column_of(span);
            for direction in [Direction::PosX, Direction::PosZ] {
                let (nx, nz) =
                    (x + direction.offset().0.unsigned_abs(), z + direction.offset().1.unsigned_abs());
                if nx >= field.frame.width || nz >= field.frame.depth {
                    continue;
                }
                let link = field.links[span as usize][direction.index()];
                if field.column(nx, nz).any(|other| other != link && self.labels[other as usize] == label) {
                    out.push(Violation::RegionTouchesItself { region: RegionId(label), span });
                }
            }
        }
        self.pieces(field, out);
    }

    /// Checks that every region is one connected piece of one area.
    fn pieces(&self, field: &WalkableField, out: &mut ViolationList) {
        let mut seen = vec![false; field.len()];
        let mut started = vec![false; self.count as usize];
        let mut stack = Vec::new();
        for (seed, &label) in (0_u32..).zip(&self.labels) {
            if label == NO_REGION || seen[seed as usize] {
                continue;
            }
            if std::mem::replace(&mut started[label as usize], true) {
                out.push(Violation::RegionInPieces { region: RegionId(label), span: seed });
            }
            seen[seed as usize] = true;
            stack.push(seed);
            while let Some(span) = stack.pop() {
                for direction in Direction::ALL {
                    let Some(neighbour) = field.walkable_neighbour(span, direction) else { continue };
                    if self.labels[neighbour as usize] != label
                        || std::mem::replace(&mut seen[neighbour as usize], true)
                    {
                        continue;
                    }
                    if field.area[neighbour as usize] != field.area[span as usize] {
                        out.push(Violation::RegionOfTwoAreas { region: RegionId(label), span: neighbour });
                    }
                    stack.push(neighbour);
                }
            }
        }
    }
}
