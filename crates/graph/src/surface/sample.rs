//! Places by chance.

use waymesh_core::{PolyId, RandomBits};

use super::scratch::{Cut, SurfaceScratch};
use crate::geometry::plan::{PlanPosition, orientation};
use crate::locate::error::QueryError;
use crate::locate::nearest::Location;
use crate::mesh::fans::WalkEdge;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::{Generation, NavMesh};

/// Most tries for a place in a circle. Each hits with the share of the circle in the square around
/// it, usually three in four.
const TRIES: u32 = 256;

/// Random places on a mesh, uniform over its plan area, made by
/// [`Query::sampler`](crate::Query::sampler). 12 bytes per polygon.
#[doc(alias = "findRandomPoint")]
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceSampler {
    polygons: Vec<u32>,
    /// Twice the area of the polygons up to each, in cells of the grid.
    ends: Vec<f64>,
    generation: Generation,
}

impl PlaceSampler {
    pub(crate) fn new(mesh: &NavMesh, filter: &impl PolygonFilter) -> Self {
        let (mut polygons, mut ends, mut sum) = (Vec::new(), Vec::new(), 0.0);
        for polygon in mesh.polygon_ids() {
            if filter.allows(mesh, polygon) {
                sum += mesh.doubled_area(polygon.0) as f64;
                polygons.push(polygon.0);
                ends.push(sum);
            }
        }
        Self { polygons, ends, generation: mesh.generation() }
    }

    /// Returns a random place; `None` if the filter allows no polygon. Logarithmic time and linear
    /// in the corners of one polygon.
    ///
    /// # Errors
    /// [`QueryError::Stale`] for another mesh than it was made for.
    pub fn sample(
        &self,
        mesh: &NavMesh,
        random: &mut impl RandomBits,
    ) -> Result<Option<Location>, QueryError> {
        if mesh.generation() != self.generation {
            return Err(QueryError::Stale { polygon: PolyId(0) });
        }
        let Some(&total) = self.ends.last() else { return Ok(None) };
        let aim = random.unit_f64() * total;
        let index = self.ends.partition_point(|&end| end <= aim).min(self.polygons.len() - 1);
        let polygon = self.polygons[index];
        let at = in_polygon(mesh.walk_edges(polygon).iter().map(WalkEdge::start), random);
        Ok(Some(mesh.place(polygon, mesh.closest_in_polygon(polygon as usize, at))))
    }
}

/// Returns a place of a convex polygon by chance.
fn in_polygon(mut corners: impl Iterator<Item = PlanPosition>, random: &mut impl RandomBits) -> PlanPosition {
    let (Some(first), Some(mut last)) = (corners.next(), corners.next()) else {
        return PlanPosition { x: 0.0, z: 0.0 };
    };
    // One pass: each triangle of the fan replaces the choice with its share of the area so far.
    let (mut sum, mut choice) = (0.0, [first, last, last]);
    for corner in corners {
        let area = orientation(first, last, corner).max(0.0);
        sum += area;
        if random.unit_f64() * sum < area {
            choice = [first, last, corner];
        }
        last = corner;
    }
    let (mut u, mut v) = (random.unit_f64(), random.unit_f64());
    if u + v > 1.0 {
        (u, v) = (1.0 - u, 1.0 - v);
    }
    let [a, b, c] = choice;
    let mix = |a: f64, b: f64, c: f64| a + (b - a) * u + (c - a) * v;
    PlanPosition::snapped(mix(a.x, b.x, c.x), mix(a.z, b.z, c.z))
}

impl NavMesh {
    /// Returns a random place: see [`crate::Query::random_around`].
    pub(crate) fn random_place_around(
        &self,
        from: &Location,
        radius: f32,
        filter: &impl PolygonFilter,
        random: &mut impl RandomBits,
        scratch: &mut SurfaceScratch,
    ) -> Result<Location, QueryError> {
        let start = self.spot_of(from)?;
        let reach = f64::from(radius) / f64::from(self.frame.cell_size);
        if reach.is_nan() || reach <= 0.0 {
            return Ok(*from);
        }
        let reach = reach.min(1e10);
        scratch.begin(self.polygon_bound(), start.polygon);
        let mut cut = std::mem::take(&mut scratch.cut);
        let mut sum = 0.0;
        while let Some((_, polygon)) = scratch.next() {
            self.cut_polygon(polygon, start.at, reach, &mut cut);
            sum += cut.doubled_area();
            scratch.shares.push((sum, polygon));
            self.open_neighbours(polygon, start.at, reach, filter, scratch, |_, _| {});
        }
        let mut found = *from;
        for _ in 0..TRIES {
            let aim = random.unit_f64() * sum;
            let shares = &scratch.shares;
            let polygon = shares[shares.partition_point(|share| share.0 <= aim).min(shares.len() - 1)].1;
            self.cut_polygon(polygon, start.at, reach, &mut cut);
            let at = in_polygon(cut.corners.iter().copied(), random);
            let at = self.closest_in_polygon(polygon as usize, at);
            if at.distance_squared(start.at) <= reach * reach {
                found = self.place(polygon, at);
                break;
            }
        }
        scratch.cut = cut;
        Ok(found)
    }

    fn cut_polygon(&self, polygon: u32, middle: PlanPosition, radius: f64, cut: &mut Cut) {
        cut.corners.clear();
        cut.corners.extend(self.walk_edges(polygon).iter().map(WalkEdge::start));
        cut.crop(middle, radius);
    }
}
