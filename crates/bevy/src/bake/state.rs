//! State and messages of a baker.

use std::sync::Arc;

use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::message::Message;
use waymesh::{BakeError, Report, Warning, WorldUpdate};

use super::job::Job;
use super::world::BakedWorld;
use crate::geometry::GeometryError;

/// The state of the baker on the same entity.
#[derive(Component, Debug, Default)]
pub struct NavMeshBake {
    pub(super) status: BakeStatus,
    pub(super) job: Option<Job>,
    pub(super) world: Option<Box<BakedWorld>>,
    /// A bake is to begin.
    pub(super) is_wanted: bool,
    pub(super) is_requested: bool,
}

/// The status of a baker.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum BakeStatus {
    /// Nothing yet.
    #[default]
    Idle,
    /// It waits for meshes that are being loaded.
    Waiting {
        /// Number of meshes.
        meshes: usize,
    },
    /// It bakes. The mesh before, if there is one, stays in use.
    Baking {
        /// Its progress.
        progress: BakeProgress,
    },
    /// The mesh is that of the sources.
    Done(Arc<BakeSummary>),
    /// No source has triangles: there is no mesh.
    Empty,
    /// The bake was cancelled. The mesh before, if there is one, stays in use.
    Cancelled,
    /// The bake failed. Where there is nothing to walk on, there is no mesh any more; else the mesh
    /// before stays in use.
    Failed(Arc<BakeError>),
}

/// The progress of a bake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BakeProgress {
    /// The stage that runs; empty before the first.
    pub stage: &'static str,
    /// Steps of this stage that are done.
    pub done: u64,
    /// Steps of this stage; 0 where it does not count them.
    pub total: u64,
    /// Stages that are done.
    pub stages: u32,
}

/// Summary of a finished bake.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BakeSummary {
    /// Wall time in seconds.
    pub seconds: f64,
    /// Polygons of the mesh.
    pub polygons: usize,
    /// Plan area of the mesh in square metres.
    pub area: f64,
    /// Figures of a bake of the whole level.
    pub report: Option<Report>,
    /// Figures of the update of a world.
    pub update: Option<WorldUpdate>,
    /// Warnings about the level.
    pub warnings: Vec<Warning>,
    /// Entities whose geometry was left out.
    pub problems: Vec<SourceProblem>,
}

/// Why the geometry of an entity was left out.
#[derive(Clone, Debug)]
pub struct SourceProblem {
    /// The entity.
    pub entity: Entity,
    /// Why.
    pub error: GeometryError,
}

/// A message about a baker.
#[derive(Message, Clone, Debug)]
#[non_exhaustive]
pub enum NavMeshBakeMessage {
    /// A bake began.
    Started {
        /// The baker's entity.
        entity: Entity,
    },
    /// A bake has come farther. At most one a frame.
    Progress {
        /// The baker's entity.
        entity: Entity,
        /// Its progress.
        progress: BakeProgress,
    },
    /// A bake is done, and the entity has the mesh.
    Finished {
        /// The baker's entity.
        entity: Entity,
        /// Its summary.
        summary: Arc<BakeSummary>,
    },
    /// No source has triangles any more, and the mesh is gone.
    Emptied {
        /// The baker's entity.
        entity: Entity,
    },
    /// A bake failed.
    Failed {
        /// The baker's entity.
        entity: Entity,
        /// Why.
        error: Arc<BakeError>,
    },
    /// A bake was cancelled.
    Cancelled {
        /// The baker's entity.
        entity: Entity,
    },
}

impl NavMeshBake {
    /// Returns the status of the baker.
    #[must_use]
    pub fn status(&self) -> &BakeStatus {
        &self.status
    }

    /// Returns the world of a [`NavMeshBaker::world`](crate::NavMeshBaker::world), such as to write its
    /// tiles ([`waymesh::World::write_tiles`]) for a [`NavMeshStreamer`](crate::NavMeshStreamer);
    /// `None` before the first bake and while one runs.
    #[must_use]
    pub fn world(&self) -> Option<&waymesh::World> {
        self.world.as_deref().map(BakedWorld::world)
    }

    /// Returns `true` while a bake runs.
    #[must_use]
    pub fn is_baking(&self) -> bool {
        self.job.is_some()
    }

    /// Bakes as soon as the bake that runs, if any, is done; also where nothing changed.
    pub fn request(&mut self) {
        self.is_requested = true;
    }

    /// Cancels the bake that runs. It ends within milliseconds, and a frame sees that. The baker then
    /// waits for the next change or request; a world continues from the tiles that are built.
    pub fn cancel(&mut self) {
        self.is_requested = false;
        self.is_wanted = false;
        if let Some(job) = &self.job {
            job.cancel();
        }
    }
}
