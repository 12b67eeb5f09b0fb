//! Triangulation, clearance, refinement and repair.

mod clearance;
mod common;
mod contract;
mod faults;
mod properties;
mod refine;
mod repair;
mod snapshots;
