//! The front end of storeys.

mod layers;
mod refine;
mod snapshots;
