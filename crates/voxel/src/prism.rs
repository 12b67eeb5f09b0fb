//! Outlines of prisms: the convex parts of a simple polygon.

use std::cmp::Ordering;

use glam::Vec2;

use crate::VoxelError;
use crate::error::finite;

/// A point `[x, z]` in plan.
pub(crate) type Plan = [f64; 2];

/// Distance below which edges coincide, relative to the largest coordinate: far above the rounding
/// of points on an edge, far below the spacing of single-precision numbers.
const TOUCH: f64 = 1e-12;

/// Cuts the outline of a prism into convex polygons that cover it without overlap: the outline
/// itself if it is convex or has no area, else trapezoids between lines of constant z through its
/// corners.
///
/// # Errors
/// [`VoxelError::BadField`], [`VoxelError::FlatPrism`] and [`VoxelError::CrossingPrism`].
pub(crate) fn convex_parts(corners: &[Vec2], heights: [f32; 2]) -> Result<Vec<Vec<Plan>>, VoxelError> {
    finite("prism height", &heights)?;
    for corner in corners {
        finite("prism corner", &[corner.x, corner.y])?;
    }
    if corners.len() < 3 {
        return Err(VoxelError::FlatPrism { corners: corners.len() });
    }
    let outline: Vec<Plan> = corners.iter().map(|corner| [corner.x.into(), corner.y.into()]).collect();
    if is_convex(&outline) {
        return Ok(vec![outline]);
    }
    let parts = trapezoids(&outline)?;
    Ok(if parts.is_empty() { vec![outline] } else { parts })
}

/// Returns `true` for a point in or on the border of a polygon that does not cross itself.
pub(crate) fn contains(outline: &[Plan], [x, z]: Plan) -> bool {
    let mut is_inside = false;
    for (a, b) in edges(outline) {
        let side = (b[0] - a[0]) * (z - a[1]) - (b[1] - a[1]) * (x - a[0]);
        let is_between = |axis: usize, at: f64| a[axis].min(b[axis]) <= at && at <= a[axis].max(b[axis]);
        if side == 0.0 && is_between(0, x) && is_between(1, z) {
            return true;
        }
        if (a[1] > z) != (b[1] > z) && (side > 0.0) == (b[1] > a[1]) {
            is_inside = !is_inside;
        }
    }
    is_inside
}

fn edges(outline: &[Plan]) -> impl Iterator<Item = (Plan, Plan)> {
    outline.iter().zip(outline.iter().cycle().skip(1)).map(|(a, b)| (*a, *b))
}

/// Returns `true` if an outline turns to one side only, and once around.
fn is_convex(outline: &[Plan]) -> bool {
    let along: Vec<Plan> = edges(outline)
        .map(|(a, b)| [b[0] - a[0], b[1] - a[1]])
        .filter(|[x, z]| *x != 0.0 || *z != 0.0)
        .collect();
    let (mut left, mut right, mut reversals) = (false, false, 0);
    for (one, next) in edges(&along) {
        let turn = one[0] * next[1] - one[1] * next[0];
        (left, right) = (left | (turn > 0.0), right | (turn < 0.0));
        if turn == 0.0 && one[0] * next[0] + one[1] * next[1] < 0.0 {
            return false;
        }
    }
    let rises: Vec<bool> = along.iter().filter(|along| along[1] != 0.0).map(|along| along[1] > 0.0).collect();
    for (one, next) in rises.iter().zip(rises.iter().cycle().skip(1)) {
        reversals += u32::from(one != next);
    }
    !(left && right) && reversals <= 2
}

/// An edge that is not parallel to x, from its lower end to its upper one.
struct Rising {
    low: Plan,
    high: Plan,
    /// 1 if the outline runs up along it, else -1.
    turns: i32,
    /// Index of the edge in the outline.
    number: usize,
}

impl Rising {
    fn x_at(&self, z: f64) -> f64 {
        if z >= self.high[1] {
            return self.high[0];
        }
        self.low[0] + (self.high[0] - self.low[0]) * ((z - self.low[1]) / (self.high[1] - self.low[1]))
    }
}

/// Cuts an outline along lines of constant z through its corners. No edge ends between two
/// consecutive lines, so from left to right the edges alternately begin and end the inside.
///
/// # Errors
/// [`VoxelError::CrossingPrism`] if edges change their order between two lines, or if a winding
/// number is not 0 and differs from that of the other parts of the inside.
fn trapezoids(outline: &[Plan]) -> Result<Vec<Vec<Plan>>, VoxelError> {
    let mut rising: Vec<Rising> = edges(outline)
        .enumerate()
        .filter(|(_, (a, b))| a[1] - b[1] != 0.0)
        .map(|(number, (a, b))| {
            let [low, high] = if a[1] < b[1] { [a, b] } else { [b, a] };
            Rising { low, high, turns: if a[1] < b[1] { 1 } else { -1 }, number }
        })
        .collect();
    rising.sort_by(|one, other| one.low[1].total_cmp(&other.low[1]));
    let mut lines: Vec<f64> = outline.iter().map(|corner| corner[1]).collect();
    lines.sort_by(f64::total_cmp);
    lines.dedup();
    let largest = outline.iter().flatten().fold(0.0, |most: f64, at| most.max(at.abs()));
    let touch = largest * TOUCH;
    let (mut next, mut open, mut inside) = (0, Vec::new(), 0);
    let mut parts = Vec::new();
    for line in lines.windows(2) {
        open.retain(|&edge: &usize| rising[edge].high[1] > line[0]);
        while rising.get(next).is_some_and(|edge| edge.low[1] <= line[0]) {
            open.push(next);
            next += 1;
        }
        let middle = line[0] + (line[1] - line[0]) / 2.0;
        let ends = |edge: usize| [line[0], line[1]].map(|z| rising[edge].x_at(z));
        let order = |one: &usize, other: &usize| -> Ordering {
            rising[*one].x_at(middle).total_cmp(&rising[*other].x_at(middle)).then(one.cmp(other))
        };
        open.sort_by(order);
        let crossing = |one: usize, other: usize| {
            let edges = [one, other].map(|edge| rising[edge].number);
            VoxelError::CrossingPrism { edges: [edges[0].min(edges[1]), edges[0].max(edges[1])] }
        };
        let mut winding = 0;
        for (place, &edge) in open.iter().enumerate() {
            let [low, high] = ends(edge);
            winding += rising[edge].turns;
            let Some(&beyond) = open.get(place + 1) else { continue };
            let [next_low, next_high] = ends(beyond);
            if low > next_low + touch || high > next_high + touch {
                return Err(crossing(edge, beyond));
            }
            // Coincident edges enclose nothing between them.
            if next_low <= low + touch && next_high <= high + touch {
                continue;
            }
            inside = if inside == 0 { winding } else { inside };
            if winding != 0 && (winding != inside || winding.abs() > 1) {
                return Err(crossing(edge, beyond));
            }
            if winding != 0 {
                let [from, to] = [line[0], line[1]];
                parts.push(vec![[low, from], [next_low, from], [next_high, to], [high, to]]);
            }
        }
    }
    Ok(parts)
}
