//! Division of polygons into pieces within the limits of Detour.

use waymesh_core::{PlanPoint, float};

use super::tile::MAX_CORNERS;

/// Largest distance of a point from a line that it lies on, in cells: the error of single
/// precision.
pub(super) const ON_LINE: f64 = 1e-3;

/// A corner of a piece: its vertex, its position, and the value beyond the edge to the next corner.
pub(super) type Corner<B> = (u32, PlanPoint, B);

/// Splits a convex polygon into convex pieces of at most six corners. `inner` is the value beyond
/// the edges between them.
///
/// # Guarantees
/// Pieces have area, also where corners lie on one line.
pub(super) fn part<B: Copy>(mut corners: Vec<Corner<B>>, inner: B) -> Vec<Vec<Corner<B>>> {
    let mut pieces = Vec::new();
    while corners.len() > MAX_CORNERS {
        let count = corners.len();
        let area = |first: usize, length: usize| {
            PlanPoint::doubled_area((first..first + length).map(|index| corners[index % count].1))
        };
        // The largest piece that leaves a remainder with area. In a triangle with many corners on
        // its sides, a piece begins or ends at the opposite corner.
        let found = (3..=MAX_CORNERS)
            .rev()
            .flat_map(|length| (0..count).map(move |first| (first, length)))
            .find(|&(first, length)| {
                area(first, length) > 0 && area(first + length - 1, count - length + 2) > 0
            });
        let Some((first, length)) = found else { break };
        let mut piece: Vec<_> = (first..first + length).map(|index| corners[index % count]).collect();
        if let Some(last) = piece.last_mut() {
            last.2 = inner;
        }
        pieces.push(piece);
        // From the last corner of the piece around to the first.
        corners = (first + length - 1..=first + count).map(|index| corners[index % count]).collect();
        if let Some(last) = corners.last_mut() {
            last.2 = inner;
        }
    }
    pieces.push(corners);
    pieces
}

/// Cuts a triangle to a convex and positive polygon: both in plan, with heights. A point within
/// `on_line` of a line lies on it. Returns a convex polygon, empty if they share no area.
pub(super) fn clip(triangle: [[f64; 3]; 3], corners: &[PlanPoint], on_line: f64) -> Vec<[f64; 3]> {
    let mut inside = triangle.to_vec();
    for (index, a) in corners.iter().enumerate() {
        let b = corners[(index + 1) % corners.len()];
        let [ax, az, bx, bz] = [a.x, a.z, b.x, b.z].map(f64::from);
        // Points on the line, up to rounding, are inside.
        let length = float::hypot(bx - ax, bz - az);
        let side = |[x, _, z]: [f64; 3]| {
            let side = ((bx - ax) * (z - az) - (bz - az) * (x - ax)) / length;
            if side.abs() < on_line { 0.0 } else { side }
        };
        let mut kept = Vec::with_capacity(inside.len() + 1);
        for (index, &from) in inside.iter().enumerate() {
            let to = inside[(index + 1) % inside.len()];
            let (before, after) = (side(from), side(to));
            if before >= 0.0 {
                kept.push(from);
            }
            if (before > 0.0 && after < 0.0) || (before < 0.0 && after > 0.0) {
                let share = before / (before - after);
                kept.push([0, 1, 2].map(|axis| from[axis] + (to[axis] - from[axis]) * share));
            }
        }
        inside = kept;
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubled(piece: &[Corner<bool>]) -> i128 {
        PlanPoint::doubled_area(piece.iter().map(|corner| corner.1))
    }

    #[test]
    fn pieces_have_six_corners_at_most_and_area_also_where_corners_lie_on_one_line() {
        // A triangle with 20 corners on one side, and 5 on another.
        let side = (0..20).map(|x| (x * 10, 0));
        let other = (0..5).map(|step| (200, step * 10));
        for shape in [
            side.clone().chain([(200, 0), (0, 50)]).collect::<Vec<_>>(),
            side.chain(other).chain([(0, 50)]).collect(),
            vec![(0, 0), (4, -2), (8, -2), (12, 0), (14, 4), (12, 8), (8, 10), (4, 10), (0, 8), (-2, 4)],
        ] {
            let corners: Vec<Corner<bool>> = shape
                .iter()
                .zip(0_u32..)
                .map(|(&(x, z), vertex)| (vertex, PlanPoint::new(x, z), false))
                .collect();
            let pieces = part(corners.clone(), true);
            assert!(pieces.len() > 1);
            assert!(
                pieces.iter().all(|piece| (3..=6).contains(&piece.len()) && doubled(piece) > 0),
                "{shape:?}"
            );
            assert_eq!(pieces.iter().map(|piece| doubled(piece)).sum::<i128>(), doubled(&corners));
            // Each inner edge occurs twice, each other edge once.
            let edges = |inner: bool| {
                let of = |piece: &Vec<Corner<bool>>| {
                    (0..piece.len()).filter(|&edge| piece[edge].2 == inner).count()
                };
                pieces.iter().map(of).sum::<usize>()
            };
            assert_eq!((edges(true), edges(false)), (2 * (pieces.len() - 1), corners.len()));
        }
    }

    #[test]
    fn a_clipped_triangle_keeps_its_plane() {
        let square = [(0, 0), (4, 0), (4, 4), (0, 4)].map(|(x, z)| PlanPoint::new(x, z));
        let clipped = clip([[-4.0, -4.0, 2.0], [8.0, 8.0, 2.0], [2.0, 2.0, 20.0]], &square, ON_LINE);
        assert!(clipped.len() >= 4);
        for [x, height, z] in clipped {
            assert!((height - x).abs() < 1e-9 && (0.0..=4.0).contains(&x) && (2.0..=4.0).contains(&z));
        }
        assert!(clip([[9.0, 0.0, 0.0], [12.0, 0.0, 0.0], [9.0, 0.0, 5.0]], &square, ON_LINE).is_empty());
    }
}
