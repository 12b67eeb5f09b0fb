//! Clearance of meshes, for agents of several radii.

use std::ops::Deref;
use std::sync::Arc;

use bevy::ecs::component::Component;
use bevy::ecs::query::Without;
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::system::Query;
use bevy::reflect::Reflect;
use bevy::tasks::futures::check_ready;
use bevy::tasks::{AsyncComputeTaskPool, Task, TaskPool, block_on};
use waymesh::graph::{ClearanceNavMesh, MeshSource};
use waymesh::triangulate::ClearanceConfig;

use crate::nav_mesh::NavMesh;

/// Lets agents that are wider than the entity's [`NavMesh`] was baked for take only ways that they
/// fit through: a wide one goes to the wide door. Without it their paths are those of narrow ones.
///
/// It belongs on the entity of a [`NavMeshBaker`](crate::NavMeshBaker) or a
/// [`NavMeshHandle`](crate::NavMeshHandle). Its tables are made in the background when the mesh
/// changed, some microseconds for each corner of a wall; until then paths are those of narrow
/// agents.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Clearance)]
pub struct NavMeshClearance {
    /// `true` to wait for it within the frame, for tests and for games whose steps must be the same
    /// on every machine. Default `false`.
    pub wait: bool,
}

waymesh::core::setters! {
    impl NavMeshClearance {
        with_wait(wait: bool);
    }
}

/// The clearance of a mesh, or what makes it. `None` for a mesh that is too large.
#[derive(Component, Debug, Default)]
pub(crate) struct Clearance {
    made: Option<(Arc<waymesh::NavMesh>, Option<Arc<ClearanceNavMesh>>)>,
    task: Option<(Arc<waymesh::NavMesh>, Task<Option<ClearanceNavMesh>>)>,
}

impl Clearance {
    /// Returns that of this mesh, if it is made.
    pub(crate) fn of(&self, mesh: &Arc<waymesh::NavMesh>) -> Option<Arc<ClearanceNavMesh>> {
        let (made_of, clearance) = self.made.as_ref()?;
        clearance.clone().filter(|_| Arc::ptr_eq(made_of, mesh))
    }
}

/// Begins to make the clearance of meshes that changed, and takes what is made.
pub(crate) fn make_clearances(mut meshes: Query<(&NavMesh, &NavMeshClearance, &mut Clearance)>) {
    for (mesh, options, mut clearance) in &mut meshes {
        let mesh = mesh.mesh();
        let is_of = |of: &Arc<waymesh::NavMesh>| Arc::ptr_eq(of, mesh);
        if clearance.made.as_ref().is_some_and(|made| is_of(&made.0)) {
            continue;
        }
        if !clearance.task.as_ref().is_some_and(|task| is_of(&task.0)) {
            let copy = waymesh::NavMesh::clone(mesh);
            let make = async move { waymesh::with_clearance(copy, &ClearanceConfig::default()).ok() };
            let pool = AsyncComputeTaskPool::get_or_init(TaskPool::default);
            // One for a mesh that is gone is dropped.
            clearance.task = Some((mesh.clone(), pool.spawn(make)));
        }
        let Some((_, task)) = &mut clearance.task else { continue };
        if let Some(made) = if options.wait { Some(block_on(task)) } else { check_ready(task) } {
            clearance.made = Some((mesh.clone(), made.map(Arc::new)));
            clearance.task = None;
        }
    }
}

/// Forgets the clearance where nobody wants it any more.
pub(crate) fn forget_clearances(mut meshes: Query<&mut Clearance, Without<NavMeshClearance>>) {
    for mut clearance in &mut meshes {
        if clearance.made.is_some() || clearance.task.is_some() {
            *clearance = Clearance::default();
        }
    }
}

/// A mesh, and its clearance if there is one.
#[derive(Debug)]
pub(crate) struct Ground {
    pub(crate) mesh: Arc<waymesh::NavMesh>,
    pub(crate) clearance: Option<Arc<ClearanceNavMesh>>,
}

impl MeshSource for Ground {
    fn nav_mesh(&self) -> impl Deref<Target = waymesh::NavMesh> {
        self.clearance.as_deref().map_or(&*self.mesh, ClearanceNavMesh::mesh)
    }

    fn clearance(&self) -> Option<&ClearanceNavMesh> {
        self.clearance.as_deref()
    }
}
