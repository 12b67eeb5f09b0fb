//! Snapshot of the level in the ECS for a bake. It is cheap: triangles are shared.

use std::sync::Arc;

use bevy::asset::{AssetId, AssetServer, Assets, LoadState};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::system::{Query, Res, ResMut, SystemParam};
use bevy::mesh::{Mesh, Mesh3d};
use bevy::transform::components::GlobalTransform;
use waymesh::voxel::Mark;
use waymesh::{AreaId, BakeError, TriangleSoup};

use super::settings::Scope;
use super::state::SourceProblem;
use crate::geometry::{GeometryError, HookedTriangles, MeshTriangles, NavMeshCollider, Placed, Shape};
use crate::source::{NavMeshArea, NavMeshObstacle, NavMeshSource};

/// The level at one moment.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// By entity.
    pub(super) sources: Vec<Piece<NavMeshSource>>,
    /// By entity.
    pub(super) obstacles: Vec<Piece<NavMeshObstacle>>,
    /// By order, then by entity.
    pub(super) areas: Vec<Piece<NavMeshArea>>,
    pub(crate) problems: Vec<SourceProblem>,
}

/// The geometry of one entity, and what it is for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piece<T> {
    pub(super) entity: Entity,
    pub(super) role: T,
    pub(super) placed: Placed,
}

impl<T> Piece<T> {
    pub(super) fn problem(&self, error: BakeError) -> SourceProblem {
        SourceProblem { entity: self.entity, error: GeometryError::Refused(Arc::new(error)) }
    }
}

impl Piece<NavMeshArea> {
    /// It as a mark.
    ///
    /// # Errors
    /// For a shape without an inside.
    pub(super) fn mark(&self) -> Result<Mark, BakeError> {
        Ok(Mark::new(self.placed.volume()?, self.role.area))
    }
}

impl Snapshot {
    /// Appends sources, and obstacles as walls.
    ///
    /// # Errors
    /// For more triangles than 32 bits number.
    pub(super) fn append_to(&self, soup: &mut TriangleSoup) -> Result<(), BakeError> {
        self.sources.iter().try_for_each(|source| source.placed.append_to(soup, source.role.area))?;
        self.obstacles.iter().try_for_each(|obstacle| {
            let area = if obstacle.role.walkable { AreaId::GROUND } else { AreaId::NULL };
            obstacle.placed.append_to(soup, area)
        })
    }
}

type Geometry<'w, 's, T> = Query<
    'w,
    's,
    (
        Entity,
        &'static T,
        &'static GlobalTransform,
        Option<&'static NavMeshCollider>,
        &'static HookedTriangles,
        Option<&'static Mesh3d>,
    ),
>;

/// Everything that a snapshot is made of.
#[derive(SystemParam)]
pub(crate) struct Level<'w, 's> {
    sources: Geometry<'w, 's, NavMeshSource>,
    obstacles: Geometry<'w, 's, NavMeshObstacle>,
    areas: Geometry<'w, 's, NavMeshArea>,
    parents: Query<'w, 's, &'static ChildOf>,
    meshes: Option<Res<'w, Assets<Mesh>>>,
    server: Option<Res<'w, AssetServer>>,
    triangles: ResMut<'w, MeshTriangles>,
}

#[cfg(feature = "gizmos")]
impl Level<'_, '_> {
    /// Returns the shapes of sources, obstacles and areas; nothing while meshes are being loaded.
    pub(crate) fn shapes(&mut self) -> [Vec<Placed>; 3] {
        fn placed<T>(pieces: Vec<Piece<T>>) -> Vec<Placed> {
            pieces.into_iter().map(|piece| piece.placed).collect()
        }
        let level = self.snapshot(Entity::PLACEHOLDER, Scope::All).unwrap_or_default();
        [placed(level.sources), placed(level.obstacles), placed(level.areas)]
    }
}

impl Level<'_, '_> {
    /// Takes what the baker of `entity` counts.
    ///
    /// # Errors
    /// The number of meshes that are still being loaded.
    pub(super) fn snapshot(&mut self, entity: Entity, scope: Scope) -> Result<Snapshot, usize> {
        self.take(entity, scope, true)
    }

    /// Takes obstacles and areas, and no sources.
    ///
    /// # Errors
    /// The number of meshes that are still being loaded.
    pub(crate) fn standing(&mut self, entity: Entity, scope: Scope) -> Result<Snapshot, usize> {
        self.take(entity, scope, false)
    }

    fn take(&mut self, entity: Entity, scope: Scope, has_sources: bool) -> Result<Snapshot, usize> {
        let Self { sources, obstacles, areas, parents, meshes, server, triangles } = self;
        let counts = |other: Entity| match scope {
            Scope::All => true,
            Scope::Descendants => parents.iter_ancestors(other).any(|ancestor| ancestor == entity),
        };
        let mut shapes = Shapes {
            meshes: meshes.as_deref(),
            server: server.as_deref(),
            triangles,
            loading: 0,
            problems: Vec::new(),
        };
        let sources = if has_sources { shapes.pieces(sources, counts) } else { Vec::new() };
        let obstacles = shapes.pieces(obstacles, counts);
        let mut areas = shapes.pieces(areas, counts);
        areas.sort_by_key(|area| area.role.order);
        if shapes.loading > 0 {
            return Err(shapes.loading);
        }
        Ok(Snapshot { sources, obstacles, areas, problems: shapes.problems })
    }
}

/// Finds the shapes of entities.
struct Shapes<'a> {
    meshes: Option<&'a Assets<Mesh>>,
    server: Option<&'a AssetServer>,
    triangles: &'a mut MeshTriangles,
    loading: usize,
    problems: Vec<SourceProblem>,
}

impl Shapes<'_> {
    /// Returns the pieces of all entities that count and have geometry, by entity.
    fn pieces<T: Component + Copy>(
        &mut self,
        entities: &Geometry<'_, '_, T>,
        counts: impl Fn(Entity) -> bool,
    ) -> Vec<Piece<T>> {
        let mut pieces = Vec::new();
        for (entity, &role, transform, collider, hooked, mesh) in entities {
            if !counts(entity) {
                continue;
            }
            let shape = match (collider, &hooked.0, mesh) {
                (Some(collider), ..) => Some(collider.shape()),
                (None, Some((_, triangles)), _) => Some(Shape::Triangles(triangles.clone())),
                (None, None, Some(mesh)) => self.of_mesh(entity, mesh.id()),
                (None, None, None) => None,
            };
            if let Some(shape) = shape {
                pieces.push(Piece { entity, role, placed: Placed { shape, to_world: transform.affine() } });
            }
        }
        pieces.sort_by_key(|piece| piece.entity);
        pieces
    }

    /// Returns the triangles of a mesh. One that was removed has none.
    fn of_mesh(&mut self, entity: Entity, id: AssetId<Mesh>) -> Option<Shape> {
        let error = match self.triangles.of(id, self.meshes) {
            Some(Ok(triangles)) => return Some(Shape::Triangles(triangles)),
            Some(Err(error)) => error,
            None => match self.server.and_then(|server| server.get_load_state(id)) {
                Some(LoadState::Failed(_)) => GeometryError::FailedToLoad,
                Some(LoadState::NotLoaded | LoadState::Loading) => {
                    self.loading += 1;
                    return None;
                }
                Some(LoadState::Loaded) | None => return None,
            },
        };
        self.problems.push(SourceProblem { entity, error });
        None
    }
}
