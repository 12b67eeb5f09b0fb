//! Answers to the questions of a person about the ground of a mesh.

use glam::Vec3;
use waymesh_core::{AreaId, Direction, DisjointSets, PolyId, WalkableField, to_u32};
use waymesh_graph::{NavMesh, PolygonView};
use waymesh_solid::{RayOutcome, RayTree};
use waymesh_voxel::{VoxelError, erode};

use super::report::{Advice, IslandReport, RadiusReport};

/// Most places of the largest piece from which rays go up and down.
const MAX_PLACES: usize = 64;
/// Shares of the agent's radius for which pieces are counted.
const RADIUS_SHARES: [f32; 4] = [1.0, 0.75, 0.5, 0.0];

impl Advice {
    /// Answers for a mesh with these islands in the triangles of a tree.
    pub(super) fn of(mesh: &NavMesh, islands: &[IslandReport], tree: &RayTree) -> Self {
        let pieces = IslandReport::pieces(islands);
        let all: f64 = pieces.iter().map(|piece| piece.0).sum();
        let Some(&(area, &IslandReport { joined: largest, .. })) = pieces.first() else {
            return Self::default();
        };
        let is_largest = |polygon: PolyId| {
            mesh.island_of(polygon).is_some_and(|island| islands[island.index()].joined == largest)
        };
        let mut polygons: Vec<(f64, PolygonView<'_>)> = mesh
            .polygons()
            .filter(|polygon| is_largest(polygon.id()))
            .map(|polygon| (polygon.area(), polygon))
            .collect();
        polygons.sort_by(|a, b| b.0.total_cmp(&a.0));
        polygons.truncate(MAX_PLACES);
        let sampled: f64 = polygons.iter().map(|(area, _)| area).sum();
        let [mut open, mut above, mut height] = [0.0; 3];
        let tall = mesh.agent().height;
        for (area, polygon) in &polygons {
            let (centre, share) = (polygon.middle(), area / sampled);
            height += f64::from(centre.y) * share;
            let cast = |from: f32, direction| tree.cast(centre + Vec3::Y * from, direction);
            open += if cast(tall / 2.0, Vec3::Y) == RayOutcome::Open { share } else { 0.0 };
            // Below the slab of a floor.
            above += if cast(-0.5, Vec3::NEG_Y) == RayOutcome::Open { 0.0 } else { share };
        }
        let is_lower = |island: &IslandReport| {
            island.joined != largest && f64::from(island.place[1]) < height - f64::from(tall)
        };
        Self {
            largest_share: area / all,
            open_share: open,
            above_share: above,
            has_lower_ground: islands.iter().any(is_lower),
            enclosed_share: 0.0,
        }
    }

    /// Returns `true` if the largest piece may be a roof: mostly under the open sky, with something
    /// below it, and above other ground.
    #[must_use]
    pub fn may_be_roof(&self) -> bool {
        self.has_lower_ground && self.open_share > 0.8 && self.above_share > 0.5
    }
}

/// Returns the pieces of ground that the agent's radius and smaller ones leave. The field is as it
/// was afterwards.
pub(crate) fn pieces_by_radius(
    field: &mut WalkableField,
    radius: f32,
    min_region: f32,
) -> Result<Vec<RadiusReport>, VoxelError> {
    let kept = std::mem::take(&mut field.area);
    let pieces = RADIUS_SHARES.map(|share| {
        // Every span was walkable before erosion.
        field.area = vec![AreaId::GROUND; kept.len()];
        let radius = (radius * share * 100.0).round() / 100.0;
        erode(field, radius, &mut ())?;
        let (pieces, largest_share) = count_pieces(field, f64::from(min_region) / field.frame.cell_area());
        Ok(RadiusReport { radius, pieces, largest_share })
    });
    field.area = kept;
    pieces.into_iter().collect()
}

/// Returns the number of connected pieces of at least `least` cells, and the share of the largest.
fn count_pieces(field: &WalkableField, least: f64) -> (u64, f64) {
    let mut sets = DisjointSets::new(field.len());
    for span in (0..to_u32(field.len())).filter(|&span| field.is_walkable(span)) {
        for direction in [Direction::PosX, Direction::PosZ] {
            if let Some(next) = field.walkable_neighbour(span, direction) {
                sets.unite(span, next);
            }
        }
    }
    let mut sizes = vec![0_u32; field.len()];
    for span in (0..to_u32(field.len())).filter(|&span| field.is_walkable(span)) {
        sizes[sets.find(span) as usize] += 1;
    }
    let pieces = sizes.into_iter().map(f64::from).filter(|&cells| cells > 0.0 && cells >= least);
    let (count, all, largest) = pieces
        .fold((0, 0.0, 0.0_f64), |(count, all, largest), cells| (count + 1, all + cells, largest.max(cells)));
    (count, if count == 0 { 0.0 } else { largest / all })
}
