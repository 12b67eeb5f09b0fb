//! Worlds of prebaked tiles, kept in memory around players.

mod job;
mod list;
mod settings;
mod state;
mod systems;

pub use list::{NavMeshTiles, NavMeshTilesLoadError, NavMeshTilesLoader};
pub use settings::{NavMeshFocus, NavMeshStreamer};
pub use state::{NavMeshStream, NavMeshStreamError, NavMeshStreamMessage, NavMeshTileError, StreamStatus};

pub(crate) use systems::{open_worlds, read_tiles, update_worlds};
