//! Regions of the ground.

mod contract;
mod golden;
mod partitions;
mod snapshots;
mod surfaces;
mod threads;
