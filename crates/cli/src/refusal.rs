//! Errors of the program itself.

use thiserror::Error;

/// A refusal by the program itself, with its reason.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct Refusal(pub(crate) String);
