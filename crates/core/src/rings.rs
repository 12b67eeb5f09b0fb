//! Polygons with holes from rings of positions.

use glam::Vec3;
use thiserror::Error;

use crate::{
    AreaId, BadField, GridFrame, GridScale, MAX_PLAN_COORDINATE, PlanPoint, PlanVertex, Polygon, PolygonLoop,
    PolygonSet, RegionId, Validate, VertexId, ViolationList, saturating_i32,
};

/// Rings that are no polygon with holes.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RingError {
    /// The cell size is out of its range.
    #[error(transparent)]
    BadField(#[from] BadField),
    /// There is no ring.
    #[error("there is no ring; the first one is the outer border")]
    NoRing,
    /// A coordinate is not finite, or the plan is too large for the cell size.
    #[error(
        "position {position} of ring {ring} is {x}, {z}: it must be finite and within {limit} m of the others; \
         take larger cells"
    )]
    OutOfRange {
        /// Number of the ring.
        ring: usize,
        /// Number of the position in the ring.
        position: usize,
        /// Its coordinate along x.
        x: f64,
        /// Its coordinate along z.
        z: f64,
        /// Largest distance in metres.
        limit: f64,
    },
    /// A ring has less than three corners, or no area, on the grid.
    #[error(
        "ring {ring} has {corners} corners and no area on cells of {cell_size} m: it needs three corners that \
         are not on one line, a border that does not cross itself, or smaller cells"
    )]
    NoArea {
        /// Number of the ring.
        ring: usize,
        /// Number of its corners on the grid.
        corners: usize,
        /// The cell size in metres.
        cell_size: f32,
    },
    /// The rings break an invariant of [`PolygonSet`].
    #[error(
        "the rings are no polygon with holes ({0}); PolygonSet::from_raw_rings and repair_polygons of \
         waymesh-triangulate repair them"
    )]
    Broken(ViolationList),
}

impl PolygonSet {
    /// Makes one polygon with holes, level at height 0: `rings[0]` is the outer border, all others are
    /// holes. Positions are `[x, z]` in metres, rounded to corners of cells. Rings may run either way,
    /// and the first position may be repeated at the end.
    ///
    /// # Errors
    /// [`RingError`] for a bad cell size, positions that are not finite or too far apart, and rings
    /// that have no area, cross, or touch inside an edge. Triangulation refuses holes outside the
    /// outer border and inside other holes.
    pub fn from_rings<R: AsRef<[[f64; 2]]>>(rings: &[R], cell_size: f32) -> Result<Self, RingError> {
        let set = Self::from_raw_rings(rings, cell_size)?;
        for (ring, polygon_loop) in set.polygons.iter().flat_map(Polygon::loops).enumerate() {
            let corners = polygon_loop.vertices.len();
            if corners < 3 || set.doubled_area(polygon_loop) == 0 {
                return Err(RingError::NoArea { ring, corners, cell_size });
            }
        }
        set.validate().map_err(RingError::Broken)?;
        Ok(set)
    }

    /// Makes the polygon of [`PolygonSet::from_rings`] of any rings: they may cross, touch, lie in each
    /// other or have no area. `repair_polygons` of the crate `waymesh-triangulate` repairs it.
    ///
    /// # Errors
    /// [`RingError`] for a bad cell size, no ring, and positions that are not finite or too far apart.
    pub fn from_raw_rings<R: AsRef<[[f64; 2]]>>(rings: &[R], cell_size: f32) -> Result<Self, RingError> {
        GridScale::new(cell_size, cell_size).validate()?;
        if rings.is_empty() {
            return Err(RingError::NoRing);
        }
        let cell = f64::from(cell_size);
        let limit = cell * f64::from(MAX_PLAN_COORDINATE);
        let finite =
            || rings.iter().flat_map(|ring| ring.as_ref()).filter(|at| at.iter().all(|x| x.is_finite()));
        let low = [0, 1].map(|axis| finite().map(|at| at[axis]).fold(f64::INFINITY, f64::min));
        let snap = |at: [f64; 2]| {
            let [x, z] = [0, 1].map(|axis| saturating_i32(((at[axis] - low[axis]) / cell).round()));
            PlanPoint::new(x, z)
        };
        let mut set = Self {
            frame: GridFrame {
                #[expect(clippy::cast_possible_truncation, reason = "world positions are single precision")]
                origin: Vec3::new(low[0] as f32, 0.0, low[1] as f32),
                cell_size,
                level_height: cell_size,
                width: 1,
                depth: 1,
            },
            vertices: Vec::new(),
            polygons: Vec::new(),
        };
        let mut loops = Vec::with_capacity(rings.len());
        for (ring, positions) in rings.iter().enumerate() {
            let mut points: Vec<PlanPoint> = Vec::new();
            for (position, &[x, z]) in positions.as_ref().iter().enumerate() {
                let is_far = (x - low[0]).max(z - low[1]) > limit;
                if !(x.is_finite() && z.is_finite()) || is_far {
                    return Err(RingError::OutOfRange { ring, position, x, z, limit });
                }
                points.push(snap([x, z]));
            }
            points.dedup();
            if points.len() > 1 && points.first() == points.last() {
                points.pop();
            }
            if (PlanPoint::doubled_area(points.iter().copied()) > 0) != (ring == 0) {
                points.reverse();
            }
            let first = set.vertices.len();
            set.vertices.extend(points.iter().map(|&point| PlanVertex { point, height: 0.0 }));
            for point in &points {
                set.frame.width = set.frame.width.max(point.x.unsigned_abs());
                set.frame.depth = set.frame.depth.max(point.z.unsigned_abs());
            }
            let vertices = (first..set.vertices.len()).map(VertexId::from_index).collect();
            loops.push(PolygonLoop { vertices, beyond: vec![None; points.len()] });
        }
        let holes = loops.split_off(1);
        if let Some(outer) = loops.pop() {
            set.polygons.push(Polygon { region: RegionId(0), area: AreaId::GROUND, outer, holes });
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTER: [[f64; 2]; 4] = [[-1.0, 2.0], [3.0, 2.0], [3.0, 6.0], [-1.0, 6.0]];
    const HOLE: [[f64; 2]; 4] = [[0.0, 3.0], [1.0, 3.0], [1.0, 4.0], [0.0, 3.0]];

    #[test]
    fn rings_become_a_polygon_with_holes_whichever_way_they_run() {
        for turned in [false, true] {
            let mut rings = [OUTER.to_vec(), HOLE.to_vec()];
            if turned {
                rings.iter_mut().for_each(|ring| ring.reverse());
            }
            let set = PolygonSet::from_rings(&rings, 0.1).unwrap();
            assert!(set.validate().is_ok());
            assert!((set.polygon_area(&set.polygons[0]) - 1550.0).abs() < 1e-9);
            assert_eq!((set.frame.width, set.frame.depth, set.polygons[0].holes.len()), (40, 40, 1));
            assert_eq!(set.frame.origin, Vec3::new(-1.0, 0.0, 2.0));
        }
    }

    #[test]
    fn rings_without_area_and_positions_out_of_range_are_refused() {
        let of = |rings: &[&[[f64; 2]]], cell: f32| PolygonSet::from_rings(rings, cell).unwrap_err();
        assert_eq!(of(&[], 0.1), RingError::NoRing);
        assert!(matches!(of(&[&OUTER], 0.0), RingError::BadField(_)));
        assert_eq!(of(&[&OUTER, &HOLE], 9.0), RingError::NoArea { ring: 0, corners: 1, cell_size: 9.0 });
        let crossed = [OUTER[0], OUTER[2], OUTER[1], [-1.0, 5.0]];
        assert!(matches!(of(&[&crossed], 0.1), RingError::Broken(_)));
        assert_eq!(PolygonSet::from_raw_rings(&[&crossed[..], &[]], 0.1).unwrap().polygons[0].holes.len(), 1);
        assert!(matches!(of(&[&OUTER, &[]], 1.0), RingError::NoArea { ring: 1, corners: 0, .. }));
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e12] {
            let ring = [OUTER[0], OUTER[1], [wrong, 6.0]];
            assert!(matches!(of(&[&OUTER, &ring], 0.1), RingError::OutOfRange { .. }), "{wrong}");
        }
    }
}
