//! The extent of an island.

use glam::{DVec3, Vec3};

use super::islands::IslandId;
use super::nav_mesh::NavMesh;

/// A ball around an island: the result of [`NavMesh::island_ball`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IslandBall {
    /// The mean of the corners of its polygons, each counted once per polygon.
    pub centre: Vec3,
    /// Distance from there to the farthest corner, in metres.
    pub radius: f32,
}

impl NavMesh {
    /// Returns a ball that holds the corners of an island; `None` if there is no such island. It is
    /// not the smallest, but a measure of how far the island stretches. Linear time in the polygons of
    /// the mesh.
    #[must_use]
    pub fn island_ball(&self, island: IslandId) -> Option<IslandBall> {
        self.islands().get(island.index())?;
        let polygons = || self.polygons().filter(|polygon| polygon.island() == island);
        let corners = || polygons().flat_map(|polygon| polygon.positions().collect::<Vec<_>>());
        let (sum, count) =
            corners().fold((DVec3::ZERO, 0.0), |(sum, count), corner| (sum + corner.as_dvec3(), count + 1.0));
        let centre = (sum / count).as_vec3();
        let radius = corners().map(|corner| corner.distance(centre)).fold(0.0, f32::max);
        Some(IslandBall { centre, radius })
    }
}
