//! Errors of queries.

use glam::Vec3;
use thiserror::Error;
use waymesh_core::{AreaId, BadField, PolyId};

use super::nearest::Reach;

/// One of the two ends of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathEnd {
    /// Start of the path.
    Start,
    /// Goal of the path.
    Goal,
}

impl std::fmt::Display for PathEnd {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Start => "start",
            Self::Goal => "goal",
        })
    }
}

/// Why a query has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A coordinate is NaN or infinite.
    #[error("the {end} {position} is not finite")]
    NotFinite {
        /// The end.
        end: PathEnd,
        /// The requested position.
        position: Vec3,
    },
    /// No part of the mesh (that the filter allows) lies within reach.
    #[error("no mesh near the {end} {position}, within {reach}")]
    NoMeshNear {
        /// The end.
        end: PathEnd,
        /// The requested position.
        position: Vec3,
        /// Largest distance of the search.
        reach: Reach,
    },
    /// An option that is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// A cost that is NaN or negative.
    #[error("a metre of area {} costs {value}, but must cost 0 or more", area.0)]
    BadCost {
        /// The area.
        area: AreaId,
        /// Its cost.
        value: f32,
    },
    /// A disc does not fit on the mesh near an end.
    #[error("no room for a disc of radius {radius} m near the {end} {position}, within {reach}")]
    NoRoomNear {
        /// The end.
        end: PathEnd,
        /// The requested position.
        position: Vec3,
        /// Radius of the disc.
        radius: f32,
        /// Largest distance of the search.
        reach: Reach,
    },
    /// A place on another mesh, or on an earlier bake of this one.
    #[error("polygon {polygon} belongs to another mesh")]
    Stale {
        /// The polygon it names.
        polygon: PolyId,
    },
    /// A query for everything within a length, whose result exceeds the limit.
    #[error("more than {nodes} parts of polygons are seen within this length")]
    TooMuchSeen {
        /// Limit of nodes that a search opens.
        nodes: usize,
    },
    /// A polygon that is not there.
    #[error("there is no polygon {polygon}")]
    NoPolygon {
        /// The polygon.
        polygon: PolyId,
    },
}

/// Returns an error about a field that must be 0 or more, infinity included, unless it is.
pub(crate) fn unless_0_or_more(field: &'static str, value: f32) -> Result<(), BadField> {
    BadField::unless(value >= 0.0, field, value, "0 or more")
}
