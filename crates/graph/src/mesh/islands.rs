//! Islands: connected pieces of the mesh.

use waymesh_core::{DisjointSets, PlanPoint, PolyId, checkpoint_every, to_u32};

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
    let range =
        |polygon: u32| polygon_first[polygon as usize] as usize..polygon_first[polygon as usize + 1] as usize;
    let polygons = 0..to_u32(polygon_first.len() - 1);
    let mut sets = DisjointSets::new(polygons.len());
    for polygon in polygons.clone() {
        checkpoint_every(1 << 12, polygon as usize);
        for &beyond in neighbours[range(polygon)].iter().filter(|&&beyond| beyond != NO_NEIGHBOUR) {
            sets.unite(polygon, beyond);
        }
    }
    // Each set is named by its first polygon, whose label is known when the others follow.
    let mut labels: Vec<u32> = Vec::with_capacity(polygons.len());
    let mut islands: Vec<Island> = Vec::new();
    for polygon in polygons {
        let first = sets.find(polygon);
        if first == polygon {
            labels.push(to_u32(islands.len()));
            islands.push(Island { first: PolyId(polygon), polygons: 0, area: 0.0 });
        } else {
            labels.push(labels[first as usize]);
        }
        let island = &mut islands[labels[polygon as usize] as usize];
        let doubled = PlanPoint::doubled_area(corners[range(polygon)].iter().map(Corner::point));
        island.polygons += 1;
        island.area += doubled as f64 / 2.0 * cell_area;
    }
    (labels, islands)
}
