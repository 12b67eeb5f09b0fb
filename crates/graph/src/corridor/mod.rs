//! Paths that are kept while their agents and goals move: of points and of discs.

mod disc;
mod options;
mod point;
mod string;

pub use disc::{ClearCorridor, ClearCorridorOptions};
pub use options::{CorridorChange, CorridorOptions, ReplanReason};
pub use point::PathCorridor;
