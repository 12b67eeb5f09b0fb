//! Errors of queries.

use glam::Vec3;
use thiserror::Error;
use waymesh_core::{AreaId, BadField, PolyId};

use super::nearest::Reach;

/// One of the two ends of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathEnd {
    /// Where the path begins.
    Start,
    /// Where it is to lead.
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
        /// Which end.
        end: PathEnd,
        /// The position asked for.
        position: Vec3,
    },
    /// No part of the mesh (that the filter allows) lies within reach.
    #[error("no mesh near the {end} {position}, within {reach}")]
    NoMeshNear {
        /// Which end.
        end: PathEnd,
        /// The position asked for.
        position: Vec3,
        /// How far was looked.
        reach: Reach,
    },
    /// An option that is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// A cost that is NaN or negative.
    #[error("a metre of area {} costs {value}, but must cost 0 or more", area.0)]
    BadCost {
        /// Which kind of ground.
        area: AreaId,
        /// Its cost.
        value: f32,
    },
    /// A disc does not fit on the mesh near an end.
    #[error("no room for a disc of radius {radius} m near the {end} {position}, within {reach}")]
    NoRoomNear {
        /// Which end.
        end: PathEnd,
        /// The position asked for.
        position: Vec3,
        /// Radius of the disc.
        radius: f32,
        /// How far was looked.
        reach: Reach,
    },
    /// A place on another mesh, or on this one before it was baked anew.
    #[error("polygon {polygon} belongs to another mesh")]
    Stale {
        /// The polygon it names.
        polygon: PolyId,
    },
    /// Everything within a length was asked for, and that is too much to remember.
    #[error("more than {nodes} parts of polygons are seen within this length")]
    TooMuchSeen {
        /// How many nodes a search opens at most.
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
