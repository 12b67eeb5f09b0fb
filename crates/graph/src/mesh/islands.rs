//! Islands: connected pieces of the mesh.

use glam::{DVec3, Vec3};
use waymesh_core::{PlanPoint, PolyId, checkpoint_every, to_u32};

use super::bounds::{Corner, NO_NEIGHBOUR};
use super::nav_mesh::NavMesh;

waymesh_core::id!(
    /// An island of a [`crate::NavMesh`]: polygons that are connected without links. Its index is that
    /// into [`NavMesh::islands`](crate::NavMesh::islands).
    #[doc(alias = "connected component")]
    IslandId
);

/// Figures of one island.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Island {
    /// The polygon with the lowest id; some polygon of it on a mesh of tiles. Islands are numbered in
    /// the order of their first polygons, but for meshes of tiles.
    pub first: PolyId,
    /// Number of polygons.
    pub polygons: u32,
    /// Plan area in square metres.
    pub area: f64,
}

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

/// Island of each polygon, numbered by first polygon, and the figures of each. Neighbours must be
/// in range.
pub(crate) fn find_islands(
    polygon_first: &[u32],
    neighbours: &[u32],
    corners: &[Corner],
    cell_area: f64,
) -> (Vec<u32>, Vec<Island>) {
    let (labels, mut islands) = label_islands(polygon_first, neighbours);
    for (range, &island) in polygon_first.windows(2).zip(&labels) {
        let corners = &corners[range[0] as usize..range[1] as usize];
        let doubled =
            PlanPoint::doubled_area(corners.iter().map(|corner| PlanPoint::new(corner.x, corner.z)));
        islands[island as usize].area += doubled as f64 / 2.0 * cell_area;
    }
    (labels, islands)
}

/// Labels the islands without computing areas.
fn label_islands(polygon_first: &[u32], neighbours: &[u32]) -> (Vec<u32>, Vec<Island>) {
    const UNSEEN: u32 = u32::MAX;
    let count = polygon_first.len() - 1;
    let mut labels = vec![UNSEEN; count];
    let mut islands: Vec<Island> = Vec::new();
    let mut stack = Vec::new();
    for seed in 0..count {
        checkpoint_every(1 << 12, seed);
        if labels[seed] != UNSEEN {
            continue;
        }
        let first = PolyId::from_index(seed);
        let label = to_u32(islands.len());
        labels[seed] = label;
        stack.push(seed);
        let mut polygons = 0;
        while let Some(polygon) = stack.pop() {
            polygons += 1;
            for &neighbour in
                &neighbours[polygon_first[polygon] as usize..polygon_first[polygon + 1] as usize]
            {
                if neighbour != NO_NEIGHBOUR && labels[neighbour as usize] == UNSEEN {
                    labels[neighbour as usize] = label;
                    stack.push(neighbour as usize);
                }
            }
        }
        islands.push(Island { first, polygons, area: 0.0 });
    }
    (labels, islands)
}
