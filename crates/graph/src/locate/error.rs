//! Errors of queries.

use glam::{DVec3, Vec3};
use thiserror::Error;
use waymesh_core::{AreaId, BadField, PolyId};

use super::reach::Reach;

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

/// The cause why no path leads from one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoPath {
    /// No edge and no link joins the pieces of ground on which they lie.
    #[error("no edge and no link joins their pieces of ground")]
    Apart,
    /// The filter, the costs or links that lead one way close every path.
    #[error("the filter, the costs or one-way links close every path")]
    Closed,
    /// Every path is too narrow for the disc.
    #[error("every path is too narrow for the disc")]
    Narrow,
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
    /// No part of the mesh that the filter and the costs leave open lies within reach.
    #[error("{} the {end} {position}, within {reach}", nothing_near(*is_closed))]
    NoMeshNear {
        /// The end.
        end: PathEnd,
        /// The requested position.
        position: Vec3,
        /// Largest distance of the search.
        reach: Reach,
        /// `true` if the mesh lies there, but is closed by the filter or the costs.
        is_closed: bool,
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
    /// No path leads to the goal.
    #[error("no path leads from {} to {}: {cause}{}", Millimetres(*from), Millimetres(*to), Nearest(*nearest))]
    Unreachable {
        /// Requested start.
        from: Vec3,
        /// Requested goal.
        to: Vec3,
        /// The cause.
        cause: NoPath,
        /// The place nearest to the goal that can be reached, if one is nearer than the start.
        nearest: Option<Vec3>,
    },
    /// The search for a disc's path ended at its limit.
    #[error("the search gave up after {nodes} nodes; a larger max_nodes or the fast search may find a path")]
    Undecided {
        /// Limit of nodes that the search opens.
        nodes: usize,
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

/// Returns the beginning of the text about an end without ground.
fn nothing_near(is_closed: bool) -> &'static str {
    if is_closed { "the filter or the costs close all ground near" } else { "no mesh near" }
}

/// The end of the text about an unreachable goal.
struct Nearest(Option<Vec3>);

impl std::fmt::Display for Nearest {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(place) => {
                write!(formatter, "; the nearest place that can be reached is {}", Millimetres(place))
            }
            None => formatter.write_str("; no place nearer to it than the start can be reached"),
        }
    }
}

/// A position that may be computed, to the millimetre.
struct Millimetres(Vec3);

impl std::fmt::Display for Millimetres {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Adding 0 turns -0 into 0.
        write!(formatter, "{}", (self.0.as_dvec3() * 1000.0).round() / 1000.0 + DVec3::ZERO)
    }
}

impl QueryError {
    pub(crate) fn unless_finite(end: PathEnd, position: Vec3) -> Result<(), Self> {
        if position.is_finite() { Ok(()) } else { Err(Self::NotFinite { end, position }) }
    }

    /// Returns the default for the error that there is no path: an empty path, or nothing where a path
    /// was written whose outcome says it.
    ///
    /// # Errors
    /// All others.
    pub fn accept_no_path<T: Default>(found: Result<T, Self>) -> Result<T, Self> {
        match found {
            Err(Self::Unreachable { .. } | Self::Undecided { .. }) => Ok(T::default()),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_errors_have_millimetres_and_no_negative_zero() {
        assert_eq!(Millimetres(Vec3::new(-1e-7, 0.1, 2.000_04)).to_string(), "[0, 0.1, 2]");
        assert_eq!(Millimetres(Vec3::new(-0.25, -0.0, 1e-8)).to_string(), "[-0.25, 0, 0]");
    }
}
