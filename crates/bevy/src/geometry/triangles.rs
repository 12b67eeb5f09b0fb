//! Triangles of meshes.

use std::collections::HashMap;
use std::sync::Arc;

use bevy::asset::{AssetId, Assets};
use bevy::ecs::resource::Resource;
use bevy::math::Vec3;
use bevy::mesh::{Mesh, MeshAccessError, PrimitiveTopology};
use thiserror::Error;
use waymesh::BakeError;

/// Indexed triangles in the space of an entity. A triangle whose normal `(b - a) x (c - a)` points
/// up is ground.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Corners.
    pub positions: Vec<Vec3>,
    /// Indices of three corners each. Triangles with an index out of range are ignored.
    pub triangles: Vec<[u32; 3]>,
}

/// Why the geometry of an entity is not used.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum GeometryError {
    /// A mesh of points or lines.
    #[error("the mesh is made of {topology:?}, not of triangles")]
    NotTriangles {
        /// Its primitives.
        topology: PrimitiveTopology,
    },
    /// A mesh without positions of three floats.
    #[error("the mesh has no positions of three floats")]
    NoPositions,
    /// The mesh is only on the graphics card.
    #[error("the mesh is only in the render world: load it with `RenderAssetUsages::MAIN_WORLD` as well")]
    RenderWorldOnly,
    /// The mesh could not be loaded.
    #[error("the mesh failed to load")]
    FailedToLoad,
    /// A shape that cannot be used, such as a mesh with a hole for an area.
    #[error(transparent)]
    Refused(Arc<BakeError>),
}

impl From<MeshAccessError> for GeometryError {
    fn from(error: MeshAccessError) -> Self {
        match error {
            MeshAccessError::ExtractedToRenderWorld => Self::RenderWorldOnly,
            MeshAccessError::NotFound => Self::NoPositions,
        }
    }
}

impl Triangles {
    /// Returns the triangles of a mesh: a list or a strip, with indices or without.
    ///
    /// # Errors
    /// [`GeometryError`] for a mesh that has none, or whose data is not in the main world.
    pub fn of_mesh(mesh: &Mesh) -> Result<Self, GeometryError> {
        let positions = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION)?;
        let positions = positions.as_float3().ok_or(GeometryError::NoPositions)?;
        let positions: Vec<Vec3> = positions.iter().copied().map(Vec3::from).collect();
        let count = u32::try_from(positions.len()).unwrap_or(u32::MAX);
        let corners: Vec<u32> = match mesh.try_indices_option()? {
            // An index beyond 32 bits is out of range of every mesh.
            Some(indices) => indices.iter().map(|index| u32::try_from(index).unwrap_or(u32::MAX)).collect(),
            None => (0..count).collect(),
        };
        let triangles = match mesh.primitive_topology() {
            PrimitiveTopology::TriangleList => corners.as_chunks().0.to_vec(),
            PrimitiveTopology::TriangleStrip => {
                let triangle = |(index, &[a, b, c]): (usize, &[u32; 3])| {
                    if index.is_multiple_of(2) { [a, b, c] } else { [b, a, c] }
                };
                corners.array_windows().enumerate().map(triangle).collect()
            }
            topology => return Err(GeometryError::NotTriangles { topology }),
        };
        Ok(Self { positions, triangles })
    }

    /// Returns the triangles whose indices are in range.
    pub(crate) fn sound(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let is_there = |&corner: &u32| (corner as usize) < self.positions.len();
        self.triangles.iter().copied().filter(move |corners| corners.iter().all(is_there))
    }
}

/// The triangles of mesh assets, taken out once each.
#[derive(Resource, Debug, Default)]
pub(crate) struct MeshTriangles {
    known: HashMap<AssetId<Mesh>, Result<Arc<Triangles>, GeometryError>>,
}

impl MeshTriangles {
    /// Returns the triangles of a mesh; `None` if it is not there.
    pub(crate) fn of(
        &mut self,
        id: AssetId<Mesh>,
        meshes: Option<&Assets<Mesh>>,
    ) -> Option<Result<Arc<Triangles>, GeometryError>> {
        if let Some(known) = self.known.get(&id) {
            return Some(known.clone());
        }
        let triangles = Triangles::of_mesh(meshes?.get(id)?).map(Arc::new);
        self.known.insert(id, triangles.clone());
        Some(triangles)
    }

    /// Forgets a mesh that changed. Returns `true` if it was known.
    pub(crate) fn forget(&mut self, id: AssetId<Mesh>) -> bool {
        self.known.remove(&id).is_some()
    }
}
