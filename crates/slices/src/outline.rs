//! Section 4.2 of the paper: connects corner points to contours by the even-odd rule.

use waymesh_core::{PlanPoint, checkpoint_every};

use crate::SlicesError;
use crate::corners::{Corner, CornerKind};

const NO_CORNER: u32 = u32::MAX;

/// Closed contours of one region: chains of indices into its list of corners.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// All contours, one after the other, each in the order of a walk with the region on the
    /// positive side.
    pub chain: Vec<u32>,
    /// End of each contour in `chain`. The first contour is the outer one. Each starts at its
    /// vertex with the lowest `(z, x)`.
    pub ends: Vec<u32>,
}

impl Outline {
    /// Returns the contours, the outer one first.
    pub fn contours(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let contour = &self.chain[start as usize..end as usize];
            start = end;
            contour
        })
    }
}

/// Scratch tables of [`connect_corners`], reused from region to region.
#[derive(Clone, Debug, Default)]
pub struct OutlineScratch {
    /// Indices of the corners, sorted column by column: the paper's `cols`.
    columns: Vec<u32>,
    /// The other end of the horizontal and of the vertical edge at each corner: the paper's `N_h`
    /// and `N_v`.
    beside: Vec<u32>,
    above: Vec<u32>,
    visited: Vec<bool>,
}

/// Connects the corner points of one region (one piece connected by sides) to its contours:
/// Algorithms 3, 4, 5 and 7.
///
/// Sorts `corners` by `(z, x)`, the paper's `rows`. The points of a row are connected in pairs, and
/// so are the points of a column. A slash or antislash point counts twice where the region has it
/// twice. Table 1 defines to which of the two a vertical edge leads. The two empty fields of the
/// table are never needed: there is no vertical edge between two slash points, nor between two
/// antislash points.
///
/// # The paper's gaps
/// - Where two parts of a region touch in a corner only, Table 1 makes contours that turn at the
///   corner and do not cross, like those of a border walk. A piece that is connected through
///   corners only then has several outer contours, which Algorithm 7 does not expect. Regions here
///   are connected by sides: the contour with the lowest `(z, x)` is the outer one, and all others
///   are holes.
/// - Algorithm 5 tests if the horizontal neighbour "already belongs to a contour" to choose the
///   next edge. Here horizontal and vertical edges simply alternate.
///
/// # Errors
/// [`SlicesError::OddCorners`] if the points are not the corners of a region.
///
/// # Cost
/// `n log n` for sorting, then linear.
pub fn connect_corners(
    corners: &mut [Corner],
    scratch: &mut OutlineScratch,
    out: &mut Outline,
) -> Result<(), SlicesError> {
    out.chain.clear();
    out.ends.clear();
    corners.sort_unstable_by_key(|corner| (corner.point.z, corner.point.x));
    scratch.connect(corners)?;
    #[expect(clippy::cast_possible_truncation, reason = "the caller's corners fit 32 bits")]
    for start in 0..corners.len() as u32 {
        checkpoint_every(1 << 10, start as usize);
        if scratch.visited[start as usize] {
            continue;
        }
        // Above and to the right of its lowest corner, the outer contour has the region, and the
        // contour of a hole has the hole.
        let mut horizontal = out.ends.is_empty();
        let mut current = start;
        loop {
            scratch.visited[current as usize] = true;
            out.chain.push(current);
            current =
                if horizontal { scratch.beside[current as usize] } else { scratch.above[current as usize] };
            horizontal = !horizontal;
            if current == start {
                break;
            }
            if scratch.visited[current as usize] {
                return Err(SlicesError::OddCorners { point: corners[current as usize].point });
            }
        }
        out.ends.push(out.chain.len() as u32);
    }
    Ok(())
}

/// Position of a point among its duplicates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Duplicate {
    /// The point has no duplicate.
    None,
    First,
    Second,
}

fn duplicate(corners: &[Corner], index: usize) -> Duplicate {
    let point = corners[index].point;
    if corners.get(index + 1).is_some_and(|next| next.point == point) {
        Duplicate::First
    } else if index > 0 && corners[index - 1].point == point {
        Duplicate::Second
    } else {
        Duplicate::None
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the caller's corners fit 32 bits")]
impl OutlineScratch {
    /// Algorithms 3 and 4.
    fn connect(&mut self, corners: &[Corner]) -> Result<(), SlicesError> {
        let count = corners.len();
        for (table, value) in [(&mut self.beside, NO_CORNER), (&mut self.above, NO_CORNER)] {
            table.clear();
            table.resize(count, value);
        }
        self.visited.clear();
        self.visited.resize(count, false);
        self.columns.clear();
        self.columns.extend(0..count as u32);
        // Duplicates keep the order of the rows: the first comes before the second.
        self.columns.sort_unstable_by_key(|&corner| (corners[corner as usize].point.x, corner));

        for first in (0..count).step_by(2) {
            let second = first + 1;
            let odd = SlicesError::OddCorners { point: corners[first].point };
            if corners.get(second).is_none_or(|other| other.point.z != corners[first].point.z) {
                return Err(odd);
            }
            self.beside[first] = second as u32;
            self.beside[second] = first as u32;
        }
        for pair in 0..count / 2 {
            let [first, second] =
                [self.columns[2 * pair], self.columns[2 * pair + 1]].map(|corner| corner as usize);
            if corners[first].point.x != corners[second].point.x {
                return Err(SlicesError::OddCorners { point: corners[first].point });
            }
            // Table 1: upwards, an edge starts at the first duplicate of a slash point and at the
            // second duplicate of an antislash point; downwards it is the reverse.
            let first = pick(corners, first, CornerKind::Slash);
            let second = pick(corners, second, CornerKind::Antislash);
            self.above[first] = second as u32;
            self.above[second] = first as u32;
        }
        match (0..count).find(|&corner| self.above[corner] == NO_CORNER || self.beside[corner] == NO_CORNER) {
            Some(corner) => Err(SlicesError::OddCorners { point: corners[corner].point }),
            None => Ok(()),
        }
    }
}

/// Returns the duplicate of the point at `index` that a vertical edge leads to: the first if the
/// point is of kind `first`, else the second.
fn pick(corners: &[Corner], index: usize, first: CornerKind) -> usize {
    let wants_first = corners[index].kind == first;
    match duplicate(corners, index) {
        Duplicate::First if !wants_first => index + 1,
        Duplicate::Second if wants_first => index - 1,
        _ => index,
    }
}

/// Returns the plan points of a contour.
pub(crate) fn points<'a>(
    corners: &'a [Corner],
    contour: &'a [u32],
) -> impl Iterator<Item = PlanPoint> + Clone + 'a {
    contour.iter().map(|&corner| corners[corner as usize].point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::tests::random_grid;
    use crate::{CoreRect, Neighbourhood, Segmentation, SpanGrid, corner_points, segment};
    use waymesh_core::{PolygonLoop, PolygonSet, VertexId};
    use waymesh_testkit::{Random, polygons};

    /// Returns the corners of each label of a grid.
    fn all_corners(grid: &SpanGrid) -> (Segmentation, Vec<Vec<Corner>>) {
        let mut pieces = Segmentation::default();
        segment(grid, CoreRect::whole(grid), Neighbourhood::Four, &mut pieces);
        let mut corners = vec![Vec::new(); pieces.count as usize];
        for column in 0..grid.width() * grid.depth() {
            let place =
                [column % grid.width(), column / grid.width()].map(|place| i32::try_from(place).unwrap());
            for span in grid.column(column).filter(|&span| grid.is_walkable(span)) {
                let own = &mut corners[pieces.labels[span] as usize];
                corner_points(pieces.configurations[span], place, |corner| own.push(corner));
            }
        }
        (pieces, corners)
    }

    /// Reduces a border with a vertex at every grid step to its turning points, from the lowest
    /// `(z, x)` on.
    fn turns(set: &PolygonSet, border: &PolygonLoop) -> Vec<PlanPoint> {
        let points: Vec<PlanPoint> =
            border.vertices.iter().map(|&vertex: &VertexId| set.point(vertex)).collect();
        let count = points.len();
        let turns: Vec<PlanPoint> = (0..count)
            .filter(|&i| {
                PlanPoint::orientation(points[(i + count - 1) % count], points[i], points[(i + 1) % count])
                    != 0
            })
            .map(|i| points[i])
            .collect();
        canonical(turns)
    }

    /// Returns the rotation that comes first.
    fn canonical(points: Vec<PlanPoint>) -> Vec<PlanPoint> {
        let key = |start: usize| {
            points.iter().cycle().skip(start).take(points.len()).map(|p| (p.z, p.x)).collect::<Vec<_>>()
        };
        let start = (0..points.len()).min_by_key(|&start| key(start)).unwrap();
        points.iter().copied().cycle().skip(start).take(points.len()).collect()
    }

    #[test]
    fn random_grids_have_the_polygons_of_the_border_walk() {
        let mut random = Random::new(3);
        let (mut scratch, mut outline) = (OutlineScratch::default(), Outline::default());
        let (mut saddles, mut holes) = (0, 0);
        for _ in 0..300 {
            let (width, depth) = (random.index(14) + 1, random.index(14) + 1);
            let grid = random_grid(&mut random, width, depth);
            let (pieces, corners) = all_corners(&grid);
            for (label, mut corners) in corners.into_iter().enumerate() {
                saddles += corners.iter().filter(|corner| corner.kind != CornerKind::Normal).count();
                connect_corners(&mut corners, &mut scratch, &mut outline).unwrap();
                let cells: Vec<Option<u32>> = (0..width * depth)
                    .map(|column| {
                        grid.column(column).any(|span| pieces.labels[span] as usize == label).then_some(0)
                    })
                    .collect();
                let size = |cells: usize| u32::try_from(cells).unwrap();
                let set = polygons::from_labels(size(width), size(depth), &cells);
                let expected = &set.polygons[0];
                let ours: Vec<Vec<PlanPoint>> = outline
                    .contours()
                    .map(|contour| canonical(points(&corners, contour).collect()))
                    .collect();
                assert_eq!(ours[0], turns(&set, &expected.outer));
                let mut expected: Vec<_> = expected.holes.iter().map(|hole| turns(&set, hole)).collect();
                let mut ours = ours[1..].to_vec();
                holes += ours.len();
                expected.sort();
                ours.sort();
                assert_eq!(ours, expected);
            }
        }
        assert!(saddles > 1000 && holes > 200, "{saddles} saddles, {holes} holes");
    }

    #[test]
    fn points_of_no_region_are_refused() {
        let (mut scratch, mut outline) = (OutlineScratch::default(), Outline::default());
        let mut corners = |points: &[(i32, i32)]| {
            let mut corners: Vec<Corner> = points
                .iter()
                .map(|&(x, z)| Corner { point: PlanPoint::new(x, z), kind: CornerKind::Normal })
                .collect();
            connect_corners(&mut corners, &mut scratch, &mut outline)
        };
        assert!(corners(&[(0, 0), (1, 0), (0, 1), (1, 1)]).is_ok());
        assert!(corners(&[(0, 0), (1, 0), (0, 1)]).is_err());
        assert!(corners(&[(0, 0), (1, 0), (0, 1), (2, 1)]).is_err());
        assert!(corners(&[(0, 0), (1, 1)]).is_err());
        assert!(corners(&[(0, 0), (0, 0), (0, 0), (0, 0)]).is_err());
    }
}
