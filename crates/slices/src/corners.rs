//! Section 4.1 of the paper: finds corner points from the neighbours of a span.

use waymesh_core::PlanPoint;

/// The kind of a corner point (section 4.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CornerKind {
    /// One or three of the four spans around the point belong to the region.
    Normal,
    /// Two spans that meet in the point only: one at smaller x and larger z, the other at larger x
    /// and smaller z. The adjacent holes form a slash if z points upwards. The point counts twice.
    Slash,
    /// Two spans that meet in the point only, on the other diagonal. The point counts twice.
    Antislash,
}

/// A point where the border of a region turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Corner {
    /// Position in plan.
    pub point: PlanPoint,
    /// The kind: one or two borders turn at the point.
    pub kind: CornerKind,
}

/// One of the four corners of a span's floor.
#[derive(Clone, Copy, Debug)]
struct FloorPoint {
    /// Step from the span's column to the point.
    offset: [i32; 2],
    /// Bit mask of the three neighbours around the point (figure 5): the two that share a side with
    /// the span, and the one across.
    mask: u8,
    sides: u8,
    across: u8,
    /// Kind of the point if only the neighbour across exists.
    saddle: CornerKind,
    /// Bit of the span's own cell among the four around the point: see [`corner_cells`].
    own: u8,
}

/// The paper's points 1, 2, 4 and 8.
const FLOOR_POINTS: [FloorPoint; 4] = [
    FloorPoint { offset: [0, 0], mask: 11, sides: 10, across: 1, saddle: CornerKind::Antislash, own: 8 },
    FloorPoint { offset: [1, 0], mask: 22, sides: 18, across: 4, saddle: CornerKind::Slash, own: 4 },
    FloorPoint { offset: [0, 1], mask: 104, sides: 72, across: 32, saddle: CornerKind::Slash, own: 2 },
    FloorPoint { offset: [1, 1], mask: 208, sides: 80, across: 128, saddle: CornerKind::Antislash, own: 1 },
];

/// Calls `found` for the corner points that the span of column `(x, z)` with this neighbour
/// configuration reports.
///
/// By the masks of section 4.1.3 a point is a corner for every span of the region around it: one,
/// two (across the point) or three. Here a single span reports its point, of three spans only the
/// middle one reports it, and each of two diagonal spans reports it once, which gives the two
/// duplicates. So no list has to be searched for points that are already known, and no corner is
/// reported by two tiles.
#[inline]
pub fn corner_points(configuration: u8, place: [i32; 2], mut found: impl FnMut(Corner)) {
    corner_cells(configuration, place, |corner, _| found(corner));
}

/// Calls `found` as [`corner_points`] does, with the cells around each point that belong to the
/// span's region: bits 1 and 2 for smaller z, 4 and 8 for larger z, each from smaller to larger x.
/// For a point that counts twice, each of the two spans reports its own cell.
#[inline]
pub(crate) fn corner_cells(configuration: u8, [x, z]: [i32; 2], mut found: impl FnMut(Corner, u8)) {
    for corner in &FLOOR_POINTS {
        let around = configuration & corner.mask;
        let (kind, cells) = if around == corner.across {
            (corner.saddle, corner.own)
        } else if around == 0 {
            (CornerKind::Normal, corner.own)
        } else if around == corner.sides {
            // All but the cell across: bits 1 and 8 are across from each other, 2 and 4 as well.
            (CornerKind::Normal, 15 - 8 / corner.own)
        } else {
            continue;
        };
        found(Corner { point: PlanPoint::new(x + corner.offset[0], z + corner.offset[1]), kind }, cells);
    }
}

/// Finds the corner points of the union of disjoint regions. Sorts and replaces `corners`: points
/// with the cells around them, as [`corner_cells`] reports them.
pub(crate) fn join_corners(corners: &mut [(PlanPoint, u8)], mut found: impl FnMut(Corner)) {
    corners.sort_unstable_by_key(|&(point, _)| (point.z, point.x));
    for same in corners.chunk_by(|a, b| a.0 == b.0) {
        let point = same[0].0;
        // No region reports a side that runs straight through the point. It belongs to two adjacent
        // cells and does not change the other two: both, one or none of them are set.
        match same.iter().fold(0, |cells, other| cells | other.1) {
            6 => (0..2).for_each(|_| found(Corner { point, kind: CornerKind::Slash })),
            9 => (0..2).for_each(|_| found(Corner { point, kind: CornerKind::Antislash })),
            cells if cells.count_ones() % 2 == 1 => found(Corner { point, kind: CornerKind::Normal }),
            _ => {}
        }
    }
}

/// Class of a corner point on the border of a tile (section 4.1.4, figure 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BorderClass {
    /// A corner both in the tile alone and with its neighbours (green).
    Real,
    /// A corner only with the neighbours (blue).
    Seen,
    /// A corner only in the tile alone, caused by the tiling (red).
    False,
}

/// Compares the corner points of a region in the tile alone with those in the tile extended by one
/// span on each side.
///
/// [`crate::slice_world`] uses extended tiles only, which have no false points. This function
/// serves to study them.
#[must_use]
pub fn classify_corners(alone: &[Corner], extended: &[Corner]) -> Vec<(Corner, BorderClass)> {
    let sorted = |corners: &[Corner]| {
        let mut corners = corners.to_vec();
        corners.sort_unstable();
        corners
    };
    let (alone, extended) = (sorted(alone), sorted(extended));
    let mut classes: Vec<(Corner, BorderClass)> = Vec::with_capacity(alone.len().max(extended.len()));
    let (mut a, mut b) = (alone.iter().peekable(), extended.iter().peekable());
    loop {
        classes.push(match (a.peek(), b.peek()) {
            (None, None) => return classes,
            (Some(&&one), Some(&&other)) if one == other => {
                a.next();
                b.next();
                (one, BorderClass::Real)
            }
            (Some(&&one), other) if other.is_none_or(|&&other| one < other) => {
                a.next();
                (one, BorderClass::False)
            }
            (_, Some(&&other)) => {
                b.next();
                (other, BorderClass::Seen)
            }
            (Some(&&one), None) => {
                a.next();
                (one, BorderClass::False)
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Returns the sets of section 4.1.3, as printed in the paper.
    fn is_corner(configuration: u8, point: usize) -> bool {
        let (mask, not): (u8, [u8; 3]) =
            [(11, [11, 8, 2]), (22, [22, 2, 16]), (104, [104, 8, 64]), (208, [208, 16, 64])][point];
        !not.contains(&(configuration & mask))
    }

    #[test]
    fn every_corner_of_the_papers_masks_is_told_as_often_as_it_counts() {
        // The inner points of all 4 x 4 label grids: bit mask of the existing spans around a point.
        for around in 1_u8..16 {
            let there = |dx: i32, dz: i32| {
                (-1..=0).contains(&dx) && (-1..=0).contains(&dz) && around >> ((dz + 1) * 2 + dx + 1) & 1 == 1
            };
            let (mut by_masks, mut told) = (false, Vec::new());
            for (x, z) in [(-1, -1), (0, -1), (-1, 0), (0, 0)].into_iter().filter(|&(x, z)| there(x, z)) {
                let mut configuration = 0;
                let beside = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];
                for (bit, (dx, dz)) in beside.into_iter().enumerate() {
                    configuration |= u8::from(there(x + dx, z + dz)) << bit;
                }
                let point = usize::try_from(-x + -z * 2).unwrap();
                by_masks |= is_corner(configuration, point);
                corner_points(configuration, [x, z], |corner| {
                    if corner.point == PlanPoint::new(0, 0) {
                        told.push(corner.kind);
                    }
                });
            }
            // Bits: (-1, -1), (0, -1), (-1, 0), (0, 0).
            let expected: &[CornerKind] = match around {
                0b0001 | 0b0010 | 0b0100 | 0b1000 | 0b0111 | 0b1011 | 0b1101 | 0b1110 => {
                    &[CornerKind::Normal]
                }
                0b0110 => &[CornerKind::Slash; 2],
                0b1001 => &[CornerKind::Antislash; 2],
                _ => &[],
            };
            assert_eq!(told, expected, "{around:04b}");
            assert_eq!(by_masks, !expected.is_empty(), "{around:04b}");
        }
    }

    #[test]
    fn border_points_fall_into_the_papers_three_classes() {
        // A tile of columns 0..3, its neighbour on the right. Rows of the region: z 0 continues to
        // the right, z 1 ends at the tile's border, and z 2 exists on the right only.
        let corners = |cells: &[(i32, i32)], core: i32| {
            let cells: BTreeSet<_> = cells.iter().copied().collect();
            let mut out = Vec::new();
            for &(x, z) in cells.iter().filter(|cell| cell.0 < core) {
                let mut configuration = 0;
                let beside = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];
                for (bit, (dx, dz)) in beside.into_iter().enumerate() {
                    configuration |= u8::from(cells.contains(&(x + dx, z + dz))) << bit;
                }
                corner_points(configuration, [x, z], |corner| out.push(corner));
            }
            out
        };
        let own = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)];
        let extended: Vec<_> = own.into_iter().chain([(3, 0)]).collect();
        let classes = classify_corners(&corners(&own, 3), &corners(&extended, 3));
        let at = |x, z| {
            classes.iter().filter(|(c, _)| c.point == PlanPoint::new(x, z)).map(|c| c.1).collect::<Vec<_>>()
        };
        assert_eq!(at(0, 0), [BorderClass::Real]);
        assert_eq!(at(3, 2), [BorderClass::Real]);
        assert_eq!(at(3, 0), [BorderClass::False]);
        assert_eq!(at(3, 1), [BorderClass::Seen]);
    }
}
