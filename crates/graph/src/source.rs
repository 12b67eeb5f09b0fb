//! Owners of a navigation mesh.

use std::ops::Deref;
use std::sync::Arc;

use crate::clearance::ClearanceNavMesh;
use crate::mesh::nav_mesh::NavMesh;

/// An owner of a navigation mesh: a mesh, one with clearance, one that is shared, a world that
/// changes. Crowds walk on any of them.
///
/// ```
/// use std::sync::Arc;
/// use waymesh_graph::{MeshSource, NavMesh};
///
/// fn polygons(source: &impl MeshSource) -> usize {
///     source.nav_mesh().polygon_count()
/// }
///
/// fn shared(mesh: Arc<NavMesh>) -> bool {
///     polygons(&mesh) == polygons(&*mesh)
/// }
/// ```
pub trait MeshSource {
    /// Returns the mesh of the moment, which does not change while it is held.
    fn nav_mesh(&self) -> impl Deref<Target = NavMesh>;

    /// Returns the same mesh with the clearance of its ground, for agents of any radius. Default:
    /// `None`, there is none.
    fn clearance(&self) -> Option<&ClearanceNavMesh> {
        None
    }
}

impl MeshSource for NavMesh {
    fn nav_mesh(&self) -> impl Deref<Target = NavMesh> {
        self
    }
}

impl MeshSource for ClearanceNavMesh {
    fn nav_mesh(&self) -> impl Deref<Target = NavMesh> {
        self.mesh()
    }

    fn clearance(&self) -> Option<&ClearanceNavMesh> {
        Some(self)
    }
}

impl<S: MeshSource + ?Sized> MeshSource for &S {
    fn nav_mesh(&self) -> impl Deref<Target = NavMesh> {
        (**self).nav_mesh()
    }

    fn clearance(&self) -> Option<&ClearanceNavMesh> {
        (**self).clearance()
    }
}

impl<S: MeshSource + ?Sized> MeshSource for Arc<S> {
    fn nav_mesh(&self) -> impl Deref<Target = NavMesh> {
        (**self).nav_mesh()
    }

    fn clearance(&self) -> Option<&ClearanceNavMesh> {
        (**self).clearance()
    }
}
