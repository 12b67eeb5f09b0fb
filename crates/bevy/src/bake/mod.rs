//! Bakes of what is in the ECS, in the background.

mod changes;
mod gather;
mod job;
mod settings;
mod standing;
mod state;
mod systems;
mod world;

pub use settings::{FrontEnd, NavMeshBaker, Rebuild, Scope};
pub use state::{BakeProgress, BakeStatus, BakeSummary, NavMeshBake, NavMeshBakeMessage, SourceProblem};

pub(crate) use changes::{Changes, forget_meshes, notice_changes};
pub(crate) use gather::{Level, Snapshot};
pub(crate) use standing::Standing;
pub(crate) use systems::{poll_bakes, start_bakes};
