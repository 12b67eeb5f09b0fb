//! A bound on the crossings of borders, which is checked before an overlay: time and memory of an
//! overlay are in proportion to them, and `n` edges can cross each other `n * n / 2` times.

use std::sync::Arc;

use geo::LineString;

use crate::plan::{Extent, extent_of, meet};
use crate::{PlanError, PlanPosition};

/// Crossings that are let through, about: those of the grid of a thousand walls by a thousand. An
/// overlay takes seconds for them.
const MOST_CROSSINGS: u64 = 1_000_000;

/// Fewer edges cannot cross more often.
const FEW_EDGES: usize = 1_414;

/// Additional work that the search may do per edge. Plans of cities need a fifth of it.
const WORK_PER_EDGE: u64 = 64;

/// Edges of a square that are compared in pairs.
const LEAF: usize = 32;
/// Halvings that part nothing, because most edges run on into the next square: as edges over each
/// other do along their whole length.
const VAIN_HALVINGS: u32 = 7;
/// All halvings, to less than a millimetre of the largest plan.
const MOST_HALVINGS: u32 = 40;
/// Comparisons that take as long as a crossing.
const COMPARISONS: u64 = 8;

type Edge = [PlanPosition; 2];

/// Checks the rings of a shape, closed or not.
///
/// # Errors
/// [`PlanError::TooManyCrossings`] if they cross each other or themselves more than about a million
/// times.
pub(crate) fn check_lines<'a>(
    element: &Arc<str>,
    lines: impl IntoIterator<Item = &'a LineString<f64>>,
) -> Result<(), PlanError> {
    let ends = |line: geo::Line<f64>| {
        let (a, b): (PlanPosition, PlanPosition) = (line.start.into(), line.end.into());
        if a < b { [a, b] } else { [b, a] }
    };
    let mut edges: Vec<Edge> = lines.into_iter().flat_map(LineString::lines).map(ends).collect();
    if edges.len() <= FEW_EDGES {
        return Ok(());
    }
    // Edges that are drawn several times do not cross.
    edges.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    edges.dedup();
    let Some([low, high]) = extent_of(edges.iter().flatten().copied()) else { return Ok(()) };
    let side = (high[0] - low[0]).max(high[1] - low[1]);
    let square = [low, low.map(|value| value + side)];
    let mut left = 2 * MOST_CROSSINGS + edges.len() as u64 * WORK_PER_EDGE;
    match spend(&edges, square, [VAIN_HALVINGS, MOST_HALVINGS], &mut left) {
        Some(()) => Ok(()),
        None => Err(PlanError::TooManyCrossings { element: element.clone(), limit: MOST_CROSSINGS }),
    }
}

/// Subtracts what the edges in a square cost; `None` if that is more than is left. Halves the
/// square until few edges are in it.
fn spend(edges: &[Edge], square: Extent, [vain, all]: [u32; 2], left: &mut u64) -> Option<()> {
    let count = edges.len() as u64;
    if edges.len() <= LEAF || vain == 0 || all == 0 {
        *left = left.checked_sub(count * count / 2 / COMPARISONS)?;
        let crossings = edges
            .iter()
            .enumerate()
            .map(|(index, &edge)| edges[..index].iter().filter(|&&other| cross(edge, other)).count() as u64);
        *left = left.checked_sub(crossings.sum())?;
        return Some(());
    }
    *left = left.checked_sub(count)?;
    let [low, high] = square;
    let middle = [0, 1].map(|axis| f64::midpoint(low[axis], high[axis]));
    let quarters = [[0, 0], [0, 1], [1, 0], [1, 1]].map(|[x, z]| {
        let quarter = [
            [[low[0], middle[0]][x], [low[1], middle[1]][z]],
            [[middle[0], high[0]][x], [middle[1], high[1]][z]],
        ];
        let inside: Vec<Edge> = edges.iter().copied().filter(|&edge| touches(edge, quarter)).collect();
        (quarter, inside)
    });
    let is_vain = 2 * quarters.iter().map(|(_, inside)| inside.len()).sum::<usize>() > 3 * edges.len();
    for (quarter, inside) in quarters {
        if inside.len() > 1 {
            spend(&inside, quarter, [vain - u32::from(is_vain), all - 1], left)?;
        }
    }
    Some(())
}

/// Twice the area of a triangle, above 0 if it turns left. Rounding does not matter here.
fn turn([a, b]: Edge, p: PlanPosition) -> f64 {
    (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
}

fn cross(one: Edge, other: Edge) -> bool {
    let apart = |line: Edge, ends: Edge| turn(line, ends[0]) * turn(line, ends[1]) < 0.0;
    apart(one, other) && apart(other, one)
}

fn touches(edge: Edge, square: Extent) -> bool {
    if !extent_of(edge).is_some_and(|bounds| meet(bounds, square)) {
        return false;
    }
    let [low, high] = square;
    let turns = [low, [high[0], low[1]], high, [low[0], high[1]]].map(|corner| turn(edge, corner));
    turns.iter().any(|&turn| turn >= 0.0) && turns.iter().any(|&turn| turn <= 0.0)
}
