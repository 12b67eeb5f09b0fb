//! The mesh that agents and corridors are on.

use std::ops::Deref;
use std::sync::Arc;

use waymesh_graph::{ClearanceNavMesh, MeshSource};

use crate::discs::clearance_of;
use crate::error::Thrown;
use crate::mesh::NavMesh;

/// A mesh that stays, or the newest one of a world.
#[derive(Debug)]
pub(crate) enum Ground {
    Mesh(Arc<waymesh_graph::NavMesh>),
    Clear(Box<ClearanceNavMesh>),
    #[cfg(feature = "bake")]
    World(waymesh::MeshHandle),
}

/// A mesh that is borrowed, or the newest one of a world, which is held.
enum Held<'a> {
    Here(&'a waymesh_graph::NavMesh),
    #[cfg(feature = "bake")]
    Newest(Arc<waymesh_graph::NavMesh>),
}

impl Deref for Held<'_> {
    type Target = waymesh_graph::NavMesh;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Here(mesh) => mesh,
            #[cfg(feature = "bake")]
            Self::Newest(mesh) => mesh,
        }
    }
}

impl MeshSource for Ground {
    fn nav_mesh(&self) -> impl Deref<Target = waymesh_graph::NavMesh> {
        match self {
            Self::Mesh(mesh) => Held::Here(mesh),
            Self::Clear(mesh) => Held::Here(mesh.mesh()),
            #[cfg(feature = "bake")]
            Self::World(handle) => Held::Newest(handle.mesh()),
        }
    }

    fn clearance(&self) -> Option<&ClearanceNavMesh> {
        match self {
            Self::Clear(mesh) => Some(mesh),
            _ => None,
        }
    }
}

impl Ground {
    pub(crate) fn of(mesh: &NavMesh, with_clearance: bool) -> Thrown<Self> {
        if !with_clearance {
            return Ok(Self::Mesh(mesh.mesh.clone()));
        }
        Ok(Self::Clear(Box::new(clearance_of(&mesh.mesh)?)))
    }
}
