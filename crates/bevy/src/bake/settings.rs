//! Settings of a baker.

use bevy::ecs::component::Component;
use bevy::ecs::reflect::ReflectComponent;
use bevy::reflect::Reflect;
use bevy::transform::components::Transform;
use waymesh::core::setters;
use waymesh::{BakeConfig, Baker, Bounds, Slices, Storeys, Voxels};

use super::state::NavMeshBake;

/// Makes the navigation mesh of its entity out of the sources, obstacles and areas in the ECS.
///
/// The result is a [`NavMeshHandle`](crate::NavMeshHandle) to an asset, and the
/// [`NavMesh`](crate::NavMesh) component that agents and queries use. The progress is in the
/// [`NavMeshBake`] of the same entity and in
/// [`NavMeshBakeMessage`](crate::NavMeshBakeMessage)s. An app has as many bakers as it
/// wants: one for each size of agents, for example.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_waymesh::prelude::*;
/// # use waymesh::Agent;
/// fn setup(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) {
///     let mut baker = NavMeshBaker::world(64);
///     baker.config = baker.config.with_agent(Agent::default().with_radius(0.4));
///     commands.spawn(baker);
///     let ground = meshes.add(Plane3d::default().mesh().size(20.0, 20.0));
///     commands.spawn((Mesh3d(ground), NavMeshSource::default()));
/// }
/// ```
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(NavMeshBake, Transform)]
#[non_exhaustive]
pub struct NavMeshBaker {
    /// Front end that makes ground from triangles.
    pub front: FrontEnd,
    /// Agent, grid and everything else. Its marks come before the areas of entities.
    pub config: BakeConfig,
    /// Entities whose geometry is used. Default: all.
    pub scope: Scope,
    /// When it is baked. Default: whenever something changed.
    pub rebuild: Rebuild,
    /// `true` to wait within the frame until a bake is done, for tests and for games whose steps
    /// must be the same on every machine. Default `false`: frames continue with the previous mesh.
    pub wait: bool,
}

/// A front end of waymesh, which makes ground from triangles. All but worlds bake the whole level
/// at once.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FrontEnd {
    /// Tiles that are built one by one: a change costs those that it touches. For levels that change
    /// while agents walk.
    World {
        /// Cells along a side of a tile, rounded up to a multiple of 16; 64 to 256 is usual.
        tile_cells: u32,
        /// Bounds of the world in plan; geometry outside is ignored, heights do not matter. Default
        /// `None`: the box around all sources; the whole world is then rebuilt when a source
        /// leaves the box.
        bounds: Option<Bounds>,
    },
    /// Voxels, of the whole level or tile by tile.
    Voxels(Voxels),
    /// Borders where walls are, not on a grid.
    Storeys(Storeys),
    /// Every stair and level by itself.
    Slices(Slices),
}

/// The entities whose geometry a baker uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Scope {
    /// All entities.
    #[default]
    All,
    /// The descendants of the baker's entity: a level that is loaded and despawned as a whole.
    /// Entities must be below it when their geometry is added.
    Descendants,
}

/// When a baker bakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Rebuild {
    /// At first, and whenever its settings, the geometry or the place of a source, obstacle or area
    /// changed. Changes during a bake start another one after it.
    #[default]
    OnChange,
    /// Only after [`NavMeshBake::request`], the first time as well.
    OnRequest,
}

impl NavMeshBaker {
    /// A world of tiles with the default settings: see [`FrontEnd::World`].
    #[must_use]
    pub fn world(tile_cells: u32) -> Self {
        let config = Baker::voxels().config().clone();
        Self::new(FrontEnd::World { tile_cells, bounds: None }, config)
    }

    /// Voxels with their default settings.
    #[must_use]
    pub fn voxels() -> Self {
        let baker = Baker::voxels();
        Self::new(FrontEnd::Voxels(baker.front().clone()), baker.config().clone())
    }

    /// Storeys with their default settings.
    #[must_use]
    pub fn storeys() -> Self {
        let baker = Baker::storeys();
        Self::new(FrontEnd::Storeys(*baker.front()), baker.config().clone())
    }

    /// Slices with their default settings.
    #[must_use]
    pub fn slices() -> Self {
        let baker = Baker::slices();
        Self::new(FrontEnd::Slices(*baker.front()), baker.config().clone())
    }

    fn new(front: FrontEnd, config: BakeConfig) -> Self {
        Self { front, config, scope: Scope::default(), rebuild: Rebuild::default(), wait: false }
    }
}

setters! {
    impl NavMeshBaker {
        with_config(config: BakeConfig);
        with_scope(scope: Scope);
        with_rebuild(rebuild: Rebuild);
        with_wait(wait: bool);
    }
}
