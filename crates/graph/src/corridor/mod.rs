//! Paths that are kept while their agents and goals move.

mod disc;
mod options;
mod path_corridor;
mod point;
mod string;

pub use options::{CorridorChange, CorridorOptions, ReplanReason};
pub use path_corridor::PathCorridor;
