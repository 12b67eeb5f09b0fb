//! The fine lattice of all surface points.

use waymesh_core::{GridFrame, PlanPoint, PolyMesh};

use crate::DetailError;

/// Bits of coordinates and their differences, in positions, so that single precision holds them
/// exactly.
const MANTISSA_BITS: u32 = 24;
/// Largest number of bits per column, because more than 2^14 positions are of no use.
const MOST_BITS: u32 = 14;
/// Smallest number of bits per column: centres of columns need one bit, points on edges a few more.
const LEAST_BITS: u32 = 3;

/// A lattice with `2^bits` positions per column of the field. The mesh has `2^point_bits` plan
/// points per column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lattice {
    pub(crate) bits: u32,
    pub(crate) point_bits: u32,
}

impl Lattice {
    /// Returns the finest lattice whose positions single precision can hold for all of the mesh's
    /// frame and all vertices. A part of a mesh has the lattice of the whole mesh, and therefore
    /// the same points.
    pub(crate) fn fit(mesh: &PolyMesh, points_per_column: u32) -> Result<Self, DetailError> {
        let point_bits = points_per_column.max(1).ilog2();
        let least = LEAST_BITS.max(point_bits);
        let largest = |point: PlanPoint| point.x.unsigned_abs().max(point.z.unsigned_abs());
        let coordinate = mesh.vertices.iter().map(|vertex| largest(vertex.point)).max().unwrap_or(0);
        let limit = 1 << (MANTISSA_BITS - least + point_bits);
        if coordinate > limit {
            return Err(DetailError::TooWide { coordinate, limit });
        }
        // No vertex of a valid mesh lies beyond its frame.
        let widest = coordinate.max(mesh.frame.width).max(mesh.frame.depth).min(limit);
        let columns = widest.div_ceil(1 << point_bits);
        let integer_bits = columns.max(1).next_power_of_two().trailing_zeros();
        Ok(Self { bits: (MANTISSA_BITS - integer_bits).min(MOST_BITS), point_bits })
    }

    /// Returns the number of positions per column.
    #[inline]
    pub(crate) fn unit(self) -> i32 {
        1 << self.bits
    }

    /// Returns the distance of two positions in columns, an exact power of two.
    #[inline]
    pub(crate) fn step(self) -> f64 {
        1.0 / f64::from(self.unit())
    }

    #[inline]
    pub(crate) fn of(self, point: PlanPoint) -> [i32; 2] {
        let shift = self.bits - self.point_bits;
        [point.x << shift, point.z << shift]
    }

    /// Returns the number of plan points per column.
    #[inline]
    pub(crate) fn points(self) -> i32 {
        1 << self.point_bits
    }

    /// Returns the distance of two positions in the units of plan points, an exact power of two.
    #[inline]
    pub(crate) fn point_step(self) -> f64 {
        self.step() * f64::from(self.points())
    }

    /// Returns the corner of the grid nearest to a plan point.
    #[inline]
    pub(crate) fn corner(self, point: PlanPoint) -> PlanPoint {
        let nearest = |value: i32| (value + self.points() / 2) >> self.point_bits;
        PlanPoint::new(nearest(point.x), nearest(point.z))
    }

    /// Returns the frame of the field under a mesh with the frame `frame`.
    pub(crate) fn columns(self, frame: &GridFrame) -> GridFrame {
        GridFrame {
            cell_size: frame.cell_size * self.points() as f32,
            width: frame.width >> self.point_bits,
            depth: frame.depth >> self.point_bits,
            ..*frame
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use waymesh_core::{GridFrame, PlanVertex};

    use super::*;

    fn mesh(x: i32) -> PolyMesh {
        PolyMesh {
            frame: GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 1.0, width: 1, depth: 1 },
            vertices: vec![PlanVertex { point: PlanPoint::new(x, 0), height: 0.0 }],
            polygons: Vec::new(),
            corners: Vec::new(),
            neighbours: Vec::new(),
        }
    }

    #[test]
    fn every_position_fits_a_single_exactly() {
        for x in [0, 1, 1023, 1024, 1025, 4097, 1 << 20, 1 << 21] {
            let lattice = Lattice::fit(&mesh(x), 1).expect("within the limit");
            assert!(i64::from(x) << lattice.bits <= 1 << 24, "{x}");
            assert!((3..=14).contains(&lattice.bits), "{x}");
        }
        // Parts of a mesh have the lattice of the whole mesh, because a world fits them one by one.
        let part = |x| {
            let mut part = mesh(x);
            (part.frame.width, part.frame.depth) = (20, 3000);
            Lattice::fit(&part, 1).expect("within the limit")
        };
        assert_eq!([0, 1023, 1025, 2999].map(part), [part(3000); 4]);
        assert_eq!(
            Lattice::fit(&mesh(-(1 << 21) - 1), 1),
            Err(DetailError::TooWide { coordinate: (1 << 21) + 1, limit: 1 << 21 })
        );
    }
}
