//! The errors of this crate.

use thiserror::Error;
use waymesh_core::{ArcId, BadField, GridWindow, PlanPoint, RegionId, VertexId};

/// The reasons why contours cannot be made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ContourError {
    /// The region map belongs to another field.
    #[error("the region map labels {labels} spans, the field has {spans}")]
    LabelCount {
        /// Labels in the region map.
        labels: usize,
        /// Spans in the field.
        spans: usize,
    },
    /// A label is not the number of a region.
    #[error("span {span} has label {label}, but there are {count} regions")]
    UnknownRegion {
        /// The span.
        span: u32,
        /// Its label.
        label: u32,
        /// Number of regions.
        count: u32,
    },
    /// A link has no link back.
    #[error("the link from span {span} to {neighbour} has no way back")]
    AsymmetricLink {
        /// The first span of the link.
        span: u32,
        /// The second span of the link.
        neighbour: u32,
    },
    /// Two spans of one region lie side by side in plan without a link: the border between them
    /// would have no width.
    #[error("region {region} touches itself across a wall without width at span {span}")]
    RegionTouchesItself {
        /// The region.
        region: RegionId,
        /// One of the two spans.
        span: u32,
    },
    /// A region with more than one outer border.
    #[error("region {region} falls into pieces")]
    RegionInPieces {
        /// The region.
        region: RegionId,
    },
    /// A region without an outer border.
    #[error("region {region} has no outer border")]
    EmptyRegion {
        /// The region.
        region: RegionId,
    },
    /// More steps along borders than a half-edge number can count.
    #[error("the borders are {steps} steps long, the limit is {limit}; take larger cells")]
    BorderTooLong {
        /// Number of steps.
        steps: usize,
        /// Largest number allowed.
        limit: usize,
    },
    /// A part of a field does not lie in its grid, or lacks columns of its core or of the ring
    /// around it.
    #[error("the part holds {window:?}, which is not {core:?} with a ring around it")]
    BrokenWindow {
        /// The columns of the part.
        window: GridWindow,
        /// The columns of its core.
        core: GridWindow,
    },
    /// A border has no continuation, because a part of the field is missing.
    #[error("the border of region {region} breaks off at ({}, {}): a part of the field is missing", .point.x, .point.z)]
    OpenBorder {
        /// The region of the border.
        region: RegionId,
        /// The point where it breaks off.
        point: PlanPoint,
    },
    /// A side of a region occurs twice: two parts of the field overlap, or the region overlaps
    /// itself in plan.
    #[error(
        "a border of region {region} is there twice: two parts of the field overlap, or the region overlaps itself"
    )]
    BorderTwice {
        /// The region of the border.
        region: RegionId,
    },
    /// A border belongs to a region that should not exist.
    #[error("there is a border of region {region}, but there are {count} regions")]
    UnknownBorder {
        /// The region.
        region: RegionId,
        /// Number of regions.
        count: u32,
    },
    /// A configuration field is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// An arc is out of range, has too few vertices, or names an unknown vertex or region.
    #[error("arc {arc} is out of range or names an unknown vertex or region")]
    BrokenArc {
        /// The arc.
        arc: ArcId,
    },
    /// A coordinate is too large for exact arithmetic.
    #[error("vertex {vertex} lies beyond the largest plan coordinate")]
    CoordinateOutOfRange {
        /// The vertex.
        vertex: VertexId,
    },
}
