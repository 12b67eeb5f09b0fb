//! Islands: connected pieces of the mesh.

use waymesh_core::{PlanPoint, PolyId, checkpoint_every, to_u32};

use super::bounds::{Corner, NO_NEIGHBOUR};

waymesh_core::id!(
    /// An island of a [`crate::NavMesh`]: polygons that are connected without links. Its index is that
    /// into [`NavMesh::islands`](crate::NavMesh::islands).
    #[doc(alias = "connected component")]
    IslandId
);

/// The island of polygons that are not there.
pub(crate) const NO_ISLAND: u32 = u32::MAX;

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
        let doubled = PlanPoint::doubled_area(corners.iter().map(Corner::point));
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
