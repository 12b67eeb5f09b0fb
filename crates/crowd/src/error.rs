//! Errors of a crowd.

use glam::Vec3;
use thiserror::Error;
use waymesh_core::BadField;
use waymesh_graph::{LinkId, QueryError};

use crate::AgentId;

/// Error of a crowd.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CrowdError {
    /// A field of a configuration is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// The agent was removed, or belongs to another crowd.
    #[error("there is no agent {agent}")]
    NoAgent {
        /// The agent.
        agent: AgentId,
    },
    /// The mesh has no link with this id.
    #[error("there is no link {link} on the mesh")]
    NoLink {
        /// The link.
        link: LinkId,
    },
    /// A target that is NaN or infinite.
    #[error("the target {target} is not finite")]
    BadTarget {
        /// The target.
        target: Vec3,
    },
    /// The position cannot be used on the mesh.
    #[error(transparent)]
    Query(#[from] QueryError),
}
