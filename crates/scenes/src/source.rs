//! A scene as a source of triangles.

use waymesh_core::stage::StageError;
use waymesh_core::{TriangleSource, TriangleVisitor};

use crate::{Scene, SceneConfig};

/// A scene as a [`TriangleSource`]. Every visit builds the blocks again, one at a time, so that
/// only one block is in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneSource {
    scene: Scene,
    config: SceneConfig,
}

impl SceneSource {
    /// Makes a source of the triangles of [`Scene::build`], in the same order.
    #[must_use]
    pub const fn new(scene: Scene, config: SceneConfig) -> Self {
        Self { scene, config }
    }
}

impl TriangleSource for SceneSource {
    fn visit(&self, visit: &mut TriangleVisitor<'_>) -> Result<(), StageError> {
        for index in 0..self.scene.block_count(&self.config) {
            self.scene.block(&self.config, index).visit(visit)?;
        }
        Ok(())
    }
}
