//! Why there is no mesh.

use thiserror::Error;
use waymesh_core::stage::StageError;
use waymesh_core::{BadField, Cancelled, GridError, ViolationList, threads};
use waymesh_graph::NavMeshError;
use waymesh_tile::TileError;

/// The first setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// About the grid.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A number out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
}

/// Why there is no mesh.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BakeError {
    /// A setting is out of its range.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A setting that this front end does not have.
    #[error("{option} cannot be used with {front_end}: {reason}")]
    OptionNotSupported {
        /// Field of [`crate::BakeConfig`], or method of [`crate::Baker`] that replaces a stage.
        option: &'static str,
        /// Name of the front end.
        front_end: &'static str,
        /// Why, and what to do instead.
        reason: &'static str,
    },
    /// The observer cancelled the bake.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A stage failed.
    #[error(transparent)]
    Stage(StageError),
    /// A stage broke its contract.
    #[error("{stage} broke its contract: {violations}")]
    BrokenContract {
        /// The stage.
        stage: &'static str,
        /// The broken invariants.
        violations: ViolationList,
    },
    /// The scene has no triangle of finite, non-zero area.
    #[error(
        "the scene has no usable triangle ({triangles} in all, {not_finite} not finite, {degenerate} without area)"
    )]
    NoTriangles {
        /// Triangles in the scene.
        triangles: usize,
        /// With a NaN or infinite vertex.
        not_finite: u64,
        /// Without area.
        degenerate: u64,
    },
    /// There is no place to stand.
    #[error("nothing is walkable after {stage}: {hint}")]
    NothingWalkable {
        /// The stage that left nothing.
        stage: &'static str,
        /// Advice for the caller.
        hint: &'static str,
    },
    /// A place of [`crate::Keep::ConnectedTo`] with no ground near it.
    #[error("there is no ground within a step of seed {seed} at {}, {}, {}", position[0], position[1], position[2])]
    SeedOffGround {
        /// Index of the seed, from 0.
        seed: usize,
        /// Its position.
        position: [f32; 3],
    },
    /// The polygons could not become a mesh.
    #[error(transparent)]
    Mesh(#[from] NavMeshError),
    /// A floor plan that cannot be used.
    #[cfg(feature = "floorplan")]
    #[error(transparent)]
    Plan(#[from] waymesh_floorplan::PlanError),
    /// Tiles could not be sorted, kept or read.
    #[error(transparent)]
    Tile(#[from] TileError),
    /// The requested threads could not be started.
    #[error("cannot start {threads} threads: {source}")]
    Threads {
        /// The number.
        threads: usize,
        /// The reason.
        source: threads::PoolError,
    },
}

impl From<StageError> for BakeError {
    fn from(error: StageError) -> Self {
        error.cause.downcast_ref::<Cancelled>().copied().map_or(Self::Stage(error), Self::Cancelled)
    }
}

impl BakeError {
    /// No triangle leads to ground.
    pub(crate) const NO_FLOOR: &str = "no triangle faces up within the steepest slope; is `up` the axis that \
                                          points up, or should `winding` be flipped?";
    /// There is ground, but no room on it.
    pub(crate) const NO_ROOM: &str =
        "ledges, low ceilings and the agent's radius leave no room; is the scale in metres?";
    /// There is nothing but small islands.
    pub(crate) const ISLANDS_ONLY: &str = "every piece of ground is below the smallest region";

    /// A stage left nothing.
    pub(crate) fn nothing(stage: &'static str, hint: &'static str) -> Self {
        Self::NothingWalkable { stage, hint }
    }
}
