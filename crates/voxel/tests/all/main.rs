//! Voxelisation, filters and fields against slow oracles.

mod common;
mod contract;
mod erosion;
mod field;
mod golden;
mod head_room;
mod mesh_marks;
mod obstacles;
mod packed;
mod prisms;
mod rasterize;
mod snapshots;
mod threads;
mod window;
