//! The error of a stage.

use std::error::Error;

use crate::Cancelled;

/// The error of a stage. Its text contains the text of the cause, so its `source` is the source of
/// the cause.
#[derive(Debug)]
pub struct StageError {
    /// Name of the stage.
    pub stage: &'static str,
    /// The error in the stage.
    pub cause: Box<dyn Error + Send + Sync>,
}

impl StageError {
    /// Returns an error of `stage`.
    pub fn new(stage: &'static str, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { stage, cause: cause.into() }
    }

    /// Returns a function that converts a cause to an error of `stage`, for [`Result::map_err`].
    pub fn at<E: Into<Box<dyn Error + Send + Sync>>>(stage: &'static str) -> impl Fn(E) -> Self {
        move |cause| Self::new(stage, cause)
    }
}

impl From<Cancelled> for StageError {
    fn from(cancelled: Cancelled) -> Self {
        Self::new("bake", cancelled)
    }
}

impl std::fmt::Display for StageError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.stage, self.cause)
    }
}

impl Error for StageError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.source()
    }
}
