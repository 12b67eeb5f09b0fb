//! Violations of invariants as data.

use thiserror::Error;

use crate::{ArcId, PlanPoint, PolyId, RegionId, TriangleId, VertexId};

/// One violation of an invariant.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each message names its fields")]
pub enum Violation {
    #[error("the tables of {table} disagree in length or order")]
    BrokenTable { table: &'static str },
    #[error("span {span} is empty")]
    EmptySpan { span: u32 },
    #[error("span {span} touches or overlaps the one below it")]
    TouchingSpans { span: u32 },
    #[error("span {span} names another column than the one it lies in")]
    WrongColumn { span: u32 },
    #[error("the link from span {span} to {neighbour} has no way back or leads to the wrong column")]
    AsymmetricLink { span: u32, neighbour: u32 },
    #[error(
        "span {span} has label {label}, which does not fit whether it is walkable or how many regions there are"
    )]
    WrongLabel { span: u32, label: u32 },
    #[error("region {region} is not numbered in the order of first spans")]
    RegionOrder { region: RegionId },
    #[error("region {region} has no span")]
    EmptyRegion { region: RegionId },
    #[error("region {region} has two spans in the column of span {span}")]
    RegionOverlapsItself { region: RegionId, span: u32 },
    #[error("region {region} lies on both sides of a wall without width, at span {span}")]
    RegionTouchesItself { region: RegionId, span: u32 },
    #[error("region {region} falls into pieces, one of them at span {span}")]
    RegionInPieces { region: RegionId, span: u32 },
    #[error("region {region} covers two kinds of ground, at span {span}")]
    RegionOfTwoAreas { region: RegionId, span: u32 },
    #[error(
        "arc {arc} is out of range, on the wrong side of a loop, or not used as often as its sides ask for"
    )]
    BrokenArc { arc: ArcId },
    #[error("a border of region {region} is not closed")]
    OpenLoop { region: RegionId },
    #[error("border {hole} of region {region} (0 = outer) has too few vertices or an unknown one")]
    BrokenLoop { region: RegionId, hole: usize },
    #[error("border {hole} of region {region} (0 = outer) runs the wrong way round")]
    WrongOrientation { region: RegionId, hole: usize },
    #[error("edges {first:?} and {second:?} of region {region} cross or touch inside an edge")]
    CrossingEdges { region: RegionId, first: [PlanPoint; 2], second: [PlanPoint; 2] },
    #[error("edge {from} -> {to} of region {region} has no twin in the region beyond")]
    UnmatchedEdge { region: RegionId, from: VertexId, to: VertexId },
    #[error("triangle {triangle} names an unknown vertex, has no area or runs the wrong way round")]
    BrokenTriangle { triangle: TriangleId },
    #[error("element {element} has neighbour {neighbour}, which does not have it across the same edge")]
    OneSidedNeighbour { element: u32, neighbour: u32 },
    #[error("polygon {polygon} has too few corners or a corner out of range")]
    BrokenPolygon { polygon: PolyId },
    #[error("polygon {polygon} is not convex, repeats a vertex, or runs the wrong way round")]
    NotConvex { polygon: PolyId },
    #[error("the height surface of polygon {polygon} does not fill it")]
    BrokenSurface { polygon: PolyId },
    #[error("{stage}: area {actual} where {expected} was expected (doubled, in square cells)")]
    AreaLost { stage: &'static str, expected: i128, actual: i128 },
}

/// Largest number of violations that a list stores. Further violations are only counted.
const KEPT: usize = 64;

/// A list of violations. It stores the first few and counts all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViolationList {
    kept: Vec<Violation>,
    count: usize,
}

impl ViolationList {
    /// Adds a violation.
    pub fn push(&mut self, violation: Violation) {
        if self.kept.len() < KEPT {
            self.kept.push(violation);
        }
        self.count += 1;
    }

    /// Returns `true` if the list has no violation.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the number of violations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns the first violations, at most 64.
    #[must_use]
    pub fn kept(&self) -> &[Violation] {
        &self.kept
    }
}

impl std::fmt::Display for ViolationList {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} violations", self.count)?;
        for violation in &self.kept {
            write!(formatter, "\n  {violation}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ViolationList {}

/// Data with invariants.
pub trait Validate {
    /// Adds every violation to `out`. Never panics, even for broken data.
    fn violations(&self, out: &mut ViolationList);

    /// Checks all invariants.
    ///
    /// # Errors
    /// The list of violations.
    fn validate(&self) -> Result<(), ViolationList> {
        let mut out = ViolationList::default();
        self.violations(&mut out);
        if out.is_empty() { Ok(()) } else { Err(out) }
    }
}

/// Returns `true` if no number is less than the one before. Has no early exit, so it is vectorised.
#[must_use]
pub fn ascends(numbers: &[u32]) -> bool {
    let later = numbers.get(1..).unwrap_or_default();
    numbers.iter().zip(later).fold(true, |ascends, (one, next)| ascends & (one <= next))
}

/// Returns `true` if `table` ascends from 0 to `total` in `count + 1` entries.
pub(crate) fn is_prefix_table(table: &[u32], count: usize, total: usize) -> bool {
    table.len() == count + 1
        && table.first() == Some(&0)
        && table.last().is_some_and(|&last| last as usize == total)
        && ascends(table)
}
