//! Islands: connected pieces of the mesh.

use waymesh_core::{PolyId, to_u32};

use super::bounds::NO_NEIGHBOUR;

waymesh_core::id!(
    /// An island of a [`crate::NavMesh`]: polygons that are connected without links. Its index is that
    /// into [`NavMesh::islands`](crate::NavMesh::islands).
    #[doc(alias = "connected component")]
    IslandId
);

/// Figures of one island.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Island {
    /// The polygon with the lowest id. Islands are numbered in the order of their first polygons.
    pub first: PolyId,
    /// Number of polygons.
    pub polygons: u32,
    /// Plan area in square metres.
    pub area: f64,
}

/// Island of each polygon, numbered by first polygon, and the first polygon and number of polygons
/// of each.
pub(crate) fn label_islands(polygon_first: &[u32], neighbours: &[u32]) -> (Vec<u32>, Vec<Island>) {
    const UNSEEN: u32 = u32::MAX;
    let count = polygon_first.len() - 1;
    let mut labels = vec![UNSEEN; count];
    let mut islands: Vec<Island> = Vec::new();
    let mut stack = Vec::new();
    for seed in 0..count {
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
