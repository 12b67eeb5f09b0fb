//! Conversion of any triangulation of a polygon into its unique constrained Delaunay triangulation.

use std::cmp::Ordering;

use waymesh_core::{PlanPoint, checkpoint_every};

use crate::assemble::{BORDER, LocalMesh};
use crate::outline::{Corner, Outline, point_key};
use crate::surface::turn;

/// Flips edges until each is Delaunay: no vertex visible from a triangle lies inside its
/// circumcircle (Lawson 1977, Software for C1 surface interpolation,
/// <https://doi.org/10.1016/B978-0-12-587260-7.50011-X>).
///
/// If four corners lie on one circle, which is common on a grid, the diagonal at the lowest point
/// (by x, then z) is chosen. Corners on one circle then form a fan around the lowest of them, so
/// the result is unique.
pub(crate) fn legalize(outline: &Outline, mesh: &mut LocalMesh, stack: &mut Vec<u32>) {
    stack.clear();
    for (half_edge, &twin) in (0..).zip(&mesh.twins) {
        if twin & BORDER == 0 && half_edge < twin {
            stack.push(half_edge);
        }
    }
    while let Some(half_edge) = stack.pop() {
        checkpoint_every(1 << 10, half_edge as usize);
        let twin = mesh.twins[half_edge as usize];
        if twin & BORDER != 0 {
            continue;
        }
        // The edge runs from p to q. The opposite corners are r, to its left, and s.
        let [p, q, r] = corners_from(mesh, half_edge);
        let [_, _, s] = corners_from(mesh, twin);
        let [p_at, q_at, r_at, s_at] = [p, q, r, s].map(|corner| outline.point(corner));
        let inside = in_circle(p_at, q_at, r_at, s_at);
        if inside == Ordering::Less {
            continue;
        }
        if inside == Ordering::Equal {
            let least = |a, b| point_key(a).min(point_key(b));
            if least(p_at, q_at) < least(r_at, s_at) {
                continue;
            }
        }
        let around = [turn(half_edge, 1), turn(half_edge, 2), turn(twin, 1), turn(twin, 2)];
        let [from_q, from_r, from_p, from_s] = around.map(|side| mesh.twins[side as usize]);
        // One triangle becomes s q r, with the new edge r s last, the other r p s, with s r last.
        let (first, second) = (3 * (half_edge / 3), 3 * (twin / 3));
        mesh.triangles[(half_edge / 3) as usize] = [s, q, r];
        mesh.triangles[(twin / 3) as usize] = [r, p, s];
        let (r_to_s, s_to_r) = (first + 2, second + 2);
        mesh.twins[r_to_s as usize] = s_to_r;
        mesh.twins[s_to_r as usize] = r_to_s;
        for (side, across) in [(first, from_s), (first + 1, from_q), (second, from_r), (second + 1, from_p)] {
            mesh.twins[side as usize] = across;
            if across & BORDER == 0 {
                mesh.twins[across as usize] = side;
                stack.push(side);
            }
        }
    }
}

fn corners_from(mesh: &LocalMesh, half_edge: u32) -> [Corner; 3] {
    let corners = mesh.triangles[(half_edge / 3) as usize];
    let side = half_edge as usize % 3;
    [corners[side], corners[(side + 1) % 3], corners[(side + 2) % 3]]
}

/// Returns `Greater` if `d` lies inside the circle through the positive triangle `a b c`, `Equal`
/// if on it. The result is exact: each factor below is at most 2^62 (a triangle in a box of side
/// 2^31) or 2^63, and the sum of three products stays below 2^127.
pub(crate) fn in_circle(a: PlanPoint, b: PlanPoint, c: PlanPoint, d: PlanPoint) -> Ordering {
    /// Bound on lifts below which the sum of products fits 64 bits.
    const SMALL: u64 = 1 << 30;
    let areas = [[b, c], [c, a], [a, b]].map(|[p, q]| PlanPoint::orientation(d, p, q));
    let lifts = [a, b, c].map(|p| p.distance_squared(d));
    if lifts.iter().all(|&lift| lift < SMALL) {
        // An area is at most the product of two distances, which are square roots of lifts.
        let sum: i64 = lifts.iter().zip(areas).map(|(&lift, area)| lift.cast_signed() * area).sum();
        return sum.cmp(&0);
    }
    let sum: i128 = lifts.iter().zip(areas).map(|(&lift, area)| i128::from(lift) * i128::from(area)).sum();
    sum.cmp(&0)
}

#[cfg(test)]
mod tests {
    use waymesh_core::MAX_PLAN_COORDINATE;

    use super::*;

    #[test]
    fn the_circle_test_is_exact_at_the_limits_of_the_grid() {
        use Ordering::{Equal, Greater, Less};
        let big = MAX_PLAN_COORDINATE;
        let corner = PlanPoint::new;
        let (a, b, c) = (corner(-big, -big), corner(big, -big), corner(big, big));
        assert_eq!(in_circle(a, b, c, corner(-big, big)), Equal);
        assert_eq!(in_circle(a, b, c, corner(1 - big, big)), Greater);
        assert_eq!(in_circle(a, b, c, corner(1 - big, big - 1)), Greater);
        let (a, b, c) = (corner(1 - big, -big), corner(big, -big), corner(big, big));
        assert_eq!(in_circle(a, b, c, corner(-big, big)), Less);
        let (a, b, c) = (corner(0, 0), corner(5, 0), corner(5, 5));
        assert_eq!([in_circle(a, b, c, corner(0, 5)), in_circle(a, b, c, corner(0, 6))], [Equal, Less]);
        assert_eq!(in_circle(a, b, c, corner(1, 4)), Greater);
    }
}
