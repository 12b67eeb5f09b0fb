//! The front end of slices.

mod border_walk;
mod snapshots;
mod world;
