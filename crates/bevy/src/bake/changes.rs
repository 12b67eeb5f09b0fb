//! Detection of changes in the level.

use bevy::asset::AssetEvent;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::message::MessageReader;
use bevy::ecs::query::{Changed, Or, With};
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Query, ResMut, SystemParam};
use bevy::mesh::{Mesh, Mesh3d};
use bevy::transform::components::GlobalTransform;

use crate::geometry::{HookedTriangles, MeshTriangles, NavMeshCollider};
use crate::source::{NavMeshArea, NavMeshObstacle, NavMeshSource};

/// Number of changes of the level.
#[derive(Resource, Debug, Default)]
pub(crate) struct Changes {
    /// Geometry, or where it is.
    level: u64,
}

impl Changes {
    /// Returns `true` if the level changed since `seen`, which then is now.
    pub(crate) fn level_since(&self, seen: &mut u64) -> bool {
        std::mem::replace(seen, self.level) != self.level
    }
}

/// Forgets the triangles of meshes that changed.
pub(crate) fn forget_meshes(
    mut events: MessageReader<AssetEvent<Mesh>>,
    mut triangles: ResMut<MeshTriangles>,
    mut changes: ResMut<Changes>,
) {
    for event in events.read() {
        if let AssetEvent::Modified { id } | AssetEvent::Removed { id } = event {
            changes.level += u64::from(triangles.forget(*id));
        }
    }
}

type HasGeometry = Or<(With<NavMeshSource>, With<NavMeshObstacle>, With<NavMeshArea>)>;

type IsChanged = Or<(
    Changed<NavMeshSource>,
    Changed<NavMeshObstacle>,
    Changed<NavMeshArea>,
    Changed<GlobalTransform>,
    Changed<Mesh3d>,
    Changed<NavMeshCollider>,
    Changed<HookedTriangles>,
    Changed<ChildOf>,
)>;

/// Components that were taken away, also with their entities.
#[derive(SystemParam)]
pub(crate) struct Removed<'w, 's> {
    sources: RemovedComponents<'w, 's, NavMeshSource>,
    obstacles: RemovedComponents<'w, 's, NavMeshObstacle>,
    areas: RemovedComponents<'w, 's, NavMeshArea>,
    colliders: RemovedComponents<'w, 's, NavMeshCollider>,
    meshes: RemovedComponents<'w, 's, Mesh3d>,
}

impl Removed<'_, '_> {
    fn any(&mut self) -> bool {
        let counts = [
            self.sources.read().count(),
            self.obstacles.read().count(),
            self.areas.read().count(),
            self.colliders.read().count(),
            self.meshes.read().count(),
        ];
        counts.iter().any(|&count| count > 0)
    }
}

/// Sees what was added, changed and removed.
pub(crate) fn notice_changes(
    changed: Query<(), (HasGeometry, IsChanged)>,
    mut removed: Removed,
    mut changes: ResMut<Changes>,
) {
    // All of it is read, so that nothing is seen a second time.
    let is_removed = removed.any();
    changes.level += u64::from(is_removed || !changed.is_empty());
}
