//! Hertel and Mehlhorn's decomposition.

use waymesh_core::stage::{Decompose, StageError};
use waymesh_core::{Observer, PolyMesh, Triangulation};

use crate::ConvexError;
use crate::faces::Faces;
use crate::greedy::check_max_vertices;

/// How [`hertel_mehlhorn`] works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HertelMehlhornConfig {
    /// Most corners of a merged polygon, at least 3; 0 for no limit. Default 0.
    pub max_vertices: u32,
}

impl HertelMehlhornConfig {
    /// Sets [`HertelMehlhornConfig::max_vertices`].
    #[must_use]
    pub fn with_max_vertices(mut self, max_vertices: u32) -> Self {
        self.max_vertices = max_vertices;
        self
    }

    /// Checks all fields.
    ///
    /// # Errors
    /// [`ConvexError::BadMaxVertices`] for 1 and 2.
    pub fn validate(&self) -> Result<(), ConvexError> {
        check_max_vertices(self.max_vertices)
    }
}

/// Merges triangles to convex polygons by removing every diagonal that no notch needs, in the order
/// of the triangles.
///
/// # Guarantees
/// Those of [`crate::merge_greedy`]: at most four times as many cells as in the best decomposition
/// of a polygon when there is no limit on corners (each notch needs at most two of the diagonals
/// left, and at least one in two notches needs a cut of its own).
///
/// # Cost
/// Linear, up to the near-constant cost of knowing which polygon a triangle is in. About three
/// times as fast as [`crate::merge_greedy`], for more polygons.
///
/// # Errors
/// For bad configuration, unknown vertices, triangles without area, and neighbours that are not
/// mutual.
///
/// # References
/// Hertel and Mehlhorn 1983, Fast triangulation of simple polygons, <https://doi.org/10.1007/3-540-12689-9_105>.
pub fn hertel_mehlhorn(
    triangulation: &Triangulation,
    config: &HertelMehlhornConfig,
) -> Result<PolyMesh, ConvexError> {
    config.validate()?;
    let mut faces = Faces::new(triangulation)?;
    let mut edges: Vec<u32> = faces.inner_edges().collect();
    faces.remove_in_order(&mut edges, config.max_vertices);
    Ok(faces.into_polygons())
}

/// [`hertel_mehlhorn`] as a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HertelMehlhorn {
    /// How it works.
    pub config: HertelMehlhornConfig,
}

impl Decompose for HertelMehlhorn {
    fn decompose(
        &self,
        triangulation: &Triangulation,
        _observer: &mut dyn Observer,
    ) -> Result<PolyMesh, StageError> {
        hertel_mehlhorn(triangulation, &self.config).map_err(|error| StageError::new("decompose", error))
    }
}
