//! Region polygons for tests, traced from flat label grids in the most obvious way.

use std::collections::BTreeMap;

use glam::Vec3;
use waymesh_core::{
    AreaId, GridFrame, PlanPoint, PlanVertex, Polygon, PolygonLoop, PolygonSet, Random, RegionId, VertexId,
};

use crate::fields::{self, Floor};

/// A directed unit edge of a border, with its region on the positive side.
type Edge = (PlanPoint, PlanPoint);

/// Returns the region polygons of a flat label grid (row-major, `None` = not walkable), with a
/// vertex at every grid step.
///
/// Labels must be `0..n`, each one 4-connected piece. Vertices that touch only across a corner stay
/// apart, as in [`waymesh_core::ContourSet`].
///
/// # Panics
/// Panics if the grid's size does not fit the labels.
#[must_use]
#[expect(clippy::cast_sign_loss, reason = "small test grids; negative indices are turned away first")]
pub fn from_labels(width: u32, depth: u32, labels: &[Option<u32>]) -> PolygonSet {
    assert_eq!(labels.len(), (width * depth) as usize, "one label per polygon");
    let label = |x: i32, z: i32| -> Option<u32> {
        let inside = (0..width as i32).contains(&x) && (0..depth as i32).contains(&z);
        if inside { labels[(z * width as i32 + x) as usize] } else { None }
    };
    let count = labels.iter().flatten().max().map_or(0, |&last| last + 1);
    let frame = GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 1.0, width, depth };
    let mut set = PolygonSet { frame, vertices: Vec::new(), polygons: Vec::new() };
    let mut ids: BTreeMap<(PlanPoint, usize), VertexId> = BTreeMap::new();
    for region in 0..count {
        // Edges by start, with the cell on their positive side.
        let mut edges: Vec<(Edge, (i32, i32), Option<RegionId>)> = Vec::new();
        for z in 0..depth as i32 {
            for x in 0..width as i32 {
                if label(x, z) != Some(region) {
                    continue;
                }
                let corner = |dx, dz| PlanPoint::new(x + dx, z + dz);
                for ((from, to), (nx, nz)) in [
                    ((corner(0, 0), corner(1, 0)), (x, z - 1)),
                    ((corner(1, 0), corner(1, 1)), (x + 1, z)),
                    ((corner(1, 1), corner(0, 1)), (x, z + 1)),
                    ((corner(0, 1), corner(0, 0)), (x - 1, z)),
                ] {
                    if label(nx, nz) != Some(region) {
                        edges.push(((from, to), (x, z), label(nx, nz).map(RegionId)));
                    }
                }
            }
        }
        let mut used = vec![false; edges.len()];
        let mut loops = Vec::new();
        for start in 0..edges.len() {
            if used[start] {
                continue;
            }
            let mut polygon_loop = PolygonLoop::default();
            let mut current = start;
            loop {
                used[current] = true;
                let ((from, to), polygon, beyond) = edges[current];
                let class = corner_class(from, polygon, &label);
                let next_id = VertexId::from_index(set.vertices.len());
                let vertex = *ids.entry((from, class)).or_insert(next_id);
                if vertex == next_id {
                    set.vertices.push(PlanVertex { point: from, height: 0.0 });
                }
                polygon_loop.vertices.push(vertex);
                polygon_loop.beyond.push(beyond);
                // At a pinch two edges leave `to`: the one that stays with the same cells turns
                // furthest inward.
                current = (0..edges.len())
                    .filter(|&next| edges[next].0.0 == to)
                    .max_by_key(|&next| PlanPoint::orientation(from, to, edges[next].0.1))
                    .expect("borders are closed");
                if current == start {
                    break;
                }
            }
            loops.push(polygon_loop);
        }
        let outer =
            loops.iter().position(|l| set.doubled_area(l) > 0).expect("every region has an outer border");
        let outer = loops.swap_remove(outer);
        set.polygons.push(Polygon { region: RegionId(region), area: AreaId::GROUND, outer, holes: loops });
    }
    set
}

/// Returns which of the separate corners at `point` belongs to the cell `polygon`. Cells around the
/// point that are joined across walkable sides have one corner.
fn corner_class(point: PlanPoint, polygon: (i32, i32), label: &impl Fn(i32, i32) -> Option<u32>) -> usize {
    let around = [(-1, -1), (0, -1), (0, 0), (-1, 0)].map(|(dx, dz)| (point.x + dx, point.z + dz));
    let walkable = around.map(|(x, z)| label(x, z).is_some());
    let own = around.iter().position(|&other| other == polygon).expect("the polygon touches the point");
    let mut class = own;
    for turn in [1, 3] {
        for at in (1..4).map(|step| (own + turn * step) % 4).take_while(|&at| walkable[at]) {
            class = class.min(at);
        }
    }
    class
}

/// Makes random flat regions with holes, pinches, single cells and islands in holes, as polygons
/// with holes that have a vertex at every grid step.
#[must_use]
pub fn random(seed: u64, width: u32, depth: u32) -> PolygonSet {
    let mut random = Random::new(seed);
    let density = 0.02 + random.unit() * 0.4;
    let floor = Floor { level: 0, area: AreaId::GROUND };
    let mut column = || if random.chance(density) { Vec::new() } else { vec![floor] };
    let columns: Vec<Vec<Floor>> = (0..width * depth).map(|_| column()).collect();
    let field = fields::from_floors(width, depth, &columns);
    let regions = fields::random_regions(&field, seed);
    let mut labels = vec![None; (width * depth) as usize];
    for (span, &region) in regions.labels.iter().enumerate() {
        labels[field.span_columns[span] as usize] = Some(region);
    }
    from_labels(width, depth, &labels)
}

#[cfg(test)]
mod tests {
    use waymesh_core::Validate;

    use super::*;

    #[test]
    fn random_polygons_are_valid_and_as_large_as_their_regions() {
        let mut holes = 0;
        for seed in 0..100 {
            let set = random(seed, 17, 14);
            set.validate().unwrap_or_else(|violations| panic!("seed {seed}: {violations}"));
            holes += set.polygons.iter().map(|polygon| polygon.holes.len()).sum::<usize>();
        }
        assert!(holes > 50);
    }
}
