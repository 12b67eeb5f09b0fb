//! The mesh and its queries against slow, obvious answers.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "test helpers, small numbers"
)]

mod chains;
mod closed;
mod corridor;
mod costs;
mod data;
mod distance;
mod golden;
mod grid_maps;
mod ground;
mod hierarchy;
mod link_filters;
mod links;
mod locate;
mod meshes;
mod offset;
mod oracle;
mod packed;
mod paths;
mod relaxed;
mod shape;
mod shortest;
mod sliced;
mod surface;
mod tiles;

use waymesh_graph::{Path, PolygonFilter, QueryError, TravelCost};

/// A filter and costs for queries that are compiled once for all of the tests' own.
pub(crate) type AnyFilter<'a> = &'a dyn PolygonFilter;
pub(crate) type AnyCost<'a> = &'a (dyn TravelCost + Sync);

/// Returns a path; an empty one where none leads to the goal.
pub(crate) fn path_or_none(path: Result<Path, QueryError>) -> Path {
    QueryError::accept_no_path(path).unwrap()
}
