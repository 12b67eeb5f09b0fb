//! Meshes of tiles that are added, changed and removed, at the cost of the change.
//!
//! Every tile owns slots in the tables of the mesh: a changed tile is written into its slots, and
//! no other tile moves. The tables exist twice: readers see one copy while the other is changed.
//! When nobody reads the previous copy, the log of writes brings it up to date, and it is changed
//! next.

#![cfg_attr(
    not(feature = "tiles"),
    allow(
        dead_code,
        unused_imports,
        unreachable_pub,
        unnameable_types,
        reason = "without meshes of tiles the rest of the mesh uses only some of this"
    )
)]

mod cells;
mod check;
mod columns;
mod compact;
mod islands;
mod join;
pub(crate) mod key;
mod links;
pub(crate) mod order;
mod part;
mod places;
mod recover;
mod seams;
mod slabs;
pub(crate) mod tables;
mod tiled_mesh;
mod write;

pub use compact::CompactMesh;
pub use join::JoinedTiles;
pub use key::{TileKey, TilePolygon};
pub use order::{LinkOrder, TileLink, VertexOrder};
pub use part::{MeshTile, TileChange};
pub use places::TileGrid;
pub use tiled_mesh::{Changed, TiledMesh};
