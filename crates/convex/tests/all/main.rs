//! Convex polygons.

mod common;
mod contract;
mod polygons;
mod properties;
mod snapshots;
