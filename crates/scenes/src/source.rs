//! A scene that is made while it is read.

use waymesh_core::stage::StageError;
use waymesh_core::{TriangleSource, TriangleVisitor};

use crate::{Scene, SceneConfig};

/// A scene as a [`TriangleSource`]: every visit makes its blocks anew, one at a time, so that
/// memory holds one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneSource {
    scene: Scene,
    config: SceneConfig,
}

impl SceneSource {
    /// The triangles of [`Scene::build`], in its order.
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
