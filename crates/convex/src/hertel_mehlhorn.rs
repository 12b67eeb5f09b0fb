//! Hertel and Mehlhorn's decomposition.

use waymesh_core::stage::{Decompose, StageError};
use waymesh_core::{Observer, PolyMesh, Triangulation};

use crate::ConvexError;
use crate::faces::Faces;
use crate::greedy::check_max_vertices;

/// Configuration of [`hertel_mehlhorn`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HertelMehlhornConfig {
    /// Largest number of corners of a merged polygon, at least 3; 0 for no limit. Default 0.
    pub max_vertices: u32,
}

waymesh_core::setters! {
    impl HertelMehlhornConfig {
        with_max_vertices(max_vertices: u32);
    }
}

impl HertelMehlhornConfig {
    /// Checks all fields.
    ///
    /// # Errors
    /// [`ConvexError::BadField`] if `max_vertices` is 1 or 2.
    pub fn validate(&self) -> Result<(), ConvexError> {
        check_max_vertices(self.max_vertices)
    }
}

/// Merges triangles to convex polygons by removing every diagonal that no notch needs, in the order
/// of the triangles.
///
/// # Guarantees
/// The guarantees of [`crate::merge_greedy`]: without a limit on corners, at most four times as
/// many polygons as the best decomposition. (Each notch needs at most two of the remaining
/// diagonals, and a cut serves at most two notches.)
///
/// # Cost
/// Linear, up to the almost constant cost of finding the polygon of a triangle. About three times
/// as fast as [`crate::merge_greedy`], but leaves more polygons.
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
    Ok(faces.into_mesh())
}

/// [`hertel_mehlhorn`] as a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HertelMehlhorn {
    /// The configuration.
    pub config: HertelMehlhornConfig,
}

impl Decompose for HertelMehlhorn {
    fn decompose(
        &self,
        triangulation: &Triangulation,
        _observer: &mut dyn Observer,
    ) -> Result<PolyMesh, StageError> {
        hertel_mehlhorn(triangulation, &self.config).map_err(StageError::at("decompose"))
    }
}
