//! Bakes of what is in the ECS, in the background.

mod changes;
mod gather;
mod job;
mod settings;
mod state;
mod systems;
mod world;

pub use settings::{FrontEnd, NavMeshBaker, Rebuild, Scope};
pub use state::{BakeProgress, BakeStatus, BakeSummary, NavMeshBake, NavMeshBakeMessage, SourceProblem};

pub(crate) use changes::{Changes, forget_meshes, notice_changes};
#[cfg(feature = "gizmos")]
pub(crate) use gather::Level;
pub(crate) use systems::{poll_bakes, start_bakes};
