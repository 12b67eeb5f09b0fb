//! Heights on polygons.

mod common;
mod contract;
mod fit;
mod property;
mod seams;
mod snapshots;
