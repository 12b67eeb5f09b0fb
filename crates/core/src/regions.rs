//! Regions: a label per span.

use crate::{Direction, RegionId, Violation, ViolationList, WalkableField, to_u32};

/// Label of a span that is in no region.
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

    /// Returns a compact copy of the map: 8 bytes for each span whose region differs from that of
    /// its linked neighbour towards -x, or towards -z if it has none. Only seams and the first
    /// spans of rows differ.
    ///
    /// `field` is the field that the labels belong to.
    #[must_use]
    pub fn pack(&self, field: &WalkableField) -> PackedRegions {
        let mut changes = Vec::new();
        for (span, &label) in (0_u32..).zip(&self.labels) {
            if expected(field, span, &self.labels) != label {
                changes.push([span, label]);
            }
        }
        changes.shrink_to_fit();
        PackedRegions { changes, count: self.count }
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

/// A compact [`RegionMap`]: see [`RegionMap::pack`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedRegions {
    /// Spans whose label differs from the predicted one, ascending, and their labels.
    changes: Vec<[u32; 2]>,
    count: u32,
}

impl PackedRegions {
    /// Returns the region map. `field` must be the field that was passed to [`RegionMap::pack`];
    /// for any other field the labels are meaningless. Linear time.
    #[must_use]
    pub fn unpack(&self, field: &WalkableField) -> RegionMap {
        let mut labels: Vec<u32> = Vec::with_capacity(field.len());
        let mut changes = self.changes.iter().peekable();
        for span in 0..to_u32(field.len()) {
            let change = changes.next_if(|change| change[0] == span);
            labels.push(change.map_or_else(|| expected(field, span, &labels), |change| change[1]));
        }
        RegionMap { labels, count: self.count }
    }

    /// Returns the spans with their labels, and the number of regions, for
    /// [`PackedRegions::from_changes`].
    #[must_use]
    pub fn changes(&self) -> (&[[u32; 2]], u32) {
        (&self.changes, self.count)
    }

    /// Returns packed regions from the result of [`PackedRegions::changes`]; `None` if the spans do
    /// not ascend or a label is not a region. Linear time.
    #[must_use]
    pub fn from_changes(changes: Vec<[u32; 2]>, count: u32) -> Option<Self> {
        let ascend = changes.is_sorted_by(|[before, _], [span, _]| before < span);
        let are_regions = changes.iter().all(|&[_, label]| label < count || label == NO_REGION);
        (ascend && are_regions).then_some(Self { changes, count })
    }
}

/// Returns the predicted label of a span; `labels` has the labels of the spans before it.
#[inline]
fn expected(field: &WalkableField, span: u32, labels: &[u32]) -> u32 {
    if !field.is_walkable(span) {
        return NO_REGION;
    }
    let links = &field.links[span as usize];
    [Direction::NegX, Direction::NegZ]
        .into_iter()
        .filter_map(|direction| labels.get(links[direction.index()] as usize).copied())
        .find(|&label| label != NO_REGION)
        .unwrap_or(NO_REGION)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{AreaId, GridFrame, NO_SPAN, OPEN_SKY, Random};

    /// Returns one storey of random ground, some of it linked.
    fn field(random: &mut Random, width: u32, depth: u32) -> WalkableField {
        let frame = GridFrame { origin: Vec3::ZERO, cell_size: 0.3, level_height: 0.2, width, depth };
        let mut field = WalkableField::empty(frame);
        for cell in 0..width * depth {
            field.columns[cell as usize + 1] = cell + 1;
            field.span_columns.push(cell);
            field.floor.push(0);
            field.clearance.push(OPEN_SKY);
            field.ground.push(0.0);
            field.area.push(if random.below(5) == 0 { AreaId::NULL } else { AreaId::GROUND });
            let mut links = [NO_SPAN; 4];
            for (direction, back) in [(Direction::NegX, 1), (Direction::NegZ, width)] {
                let is_inside = if back == 1 { cell % width > 0 } else { cell >= width };
                if is_inside && random.below(8) > 0 {
                    links[direction.index()] = cell - back;
                }
            }
            field.links.push(links);
        }
        field
    }

    #[test]
    fn packed_labels_are_the_same_and_few() {
        let mut random = Random::new(11);
        for _ in 0..300 {
            let (width, depth) = (1 + random.below(20), 1 + random.below(20));
            let field = field(&mut random, width, depth);
            let wild = |random: &mut Random| if random.below(4) == 0 { NO_REGION } else { random.below(3) };
            let labels = (0..field.len()).map(|_| wild(&mut random)).collect();
            let map = RegionMap { labels, count: 3 };
            let packed = map.pack(&field);
            assert_eq!(packed.unpack(&field), map);
            let (changes, count) = packed.changes();
            assert_eq!(PackedRegions::from_changes(changes.to_vec(), count), Some(packed.clone()));
        }
        for (changes, count) in [(vec![[3, 0], [3, 0]], 1), (vec![[3, 0], [2, 0]], 1), (vec![[3, 1]], 1)] {
            assert_eq!(PackedRegions::from_changes(changes, count), None);
        }
        // With one region, changes remain only where no link leads to an earlier span.
        let field = field(&mut random, 40, 40);
        let labels = (0..to_u32(field.len())).map(|span| if field.is_walkable(span) { 0 } else { NO_REGION });
        let map = RegionMap { labels: labels.collect(), count: 1 };
        let packed = map.pack(&field);
        assert_eq!(packed.unpack(&field), map);
        assert!(packed.changes.len() < field.len() / 3, "{} of {}", packed.changes.len(), field.len());
    }
}
