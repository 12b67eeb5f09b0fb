//! Facts about a source from one pass over its triangles.

use glam::Vec3;
use waymesh_core::{AreaId, Bounds, Random, SceneShape, SkippedTriangles, TriangleSource, checkpoint};

use crate::TileError;

/// Facts about a source, found in one pass.
#[derive(Clone, Debug)]
pub struct Census {
    /// Number of triangles.
    pub triangles: u64,
    /// Triangles that cannot be used.
    pub skipped: SkippedTriangles,
    /// Bounds of the finite triangles; [`Bounds::EMPTY`] if there is none.
    pub bounds: Bounds,
    /// A hash of all triangles that does not depend on their order.
    pub fingerprint: u64,
    /// Sums from which odd shapes of the scene are detected.
    pub shape: SceneShape,
}

impl Census {
    /// Reads the source once, and passes every triangle to `also`.
    ///
    /// # Errors
    /// Returns an error if the source cannot be read.
    pub fn take(source: &dyn TriangleSource, also: &mut dyn FnMut([Vec3; 3])) -> Result<Self, TileError> {
        let mut census = Self {
            triangles: 0,
            skipped: SkippedTriangles::default(),
            bounds: Bounds::EMPTY,
            fingerprint: 0,
            shape: SceneShape::default(),
        };
        source.visit_with_areas(&mut |triangles, areas| {
            checkpoint();
            let areas = areas.iter().copied().chain(std::iter::repeat(AreaId::GROUND));
            for (&corners, area) in triangles.iter().zip(areas) {
                census.add(corners, area);
                also(corners);
            }
            Ok(())
        })?;
        Ok(census)
    }

    fn add(&mut self, corners: [Vec3; 3], area: AreaId) {
        self.triangles += 1;
        // A sum does not depend on the order. Unlike an exclusive or, it counts duplicates.
        self.fingerprint = self.fingerprint.wrapping_add(hash(corners, area));
        self.skipped.add(corners);
        if !corners.iter().all(|corner| corner.is_finite()) {
            return;
        }
        self.shape.add(corners);
        for corner in corners {
            self.bounds.min = self.bounds.min.min(corner);
            self.bounds.max = self.bounds.max.max(corner);
        }
    }
}

fn hash(corners: [Vec3; 3], area: AreaId) -> u64 {
    let numbers = corners.into_iter().flat_map(|corner| corner.to_array());
    let start = u64::from(area.0 ^ AreaId::GROUND.0) << 32;
    numbers.fold(start, |state, number| Random::new(state ^ u64::from(number.to_bits())).bits())
}

#[cfg(test)]
mod tests {
    use waymesh_core::TriangleSoup;

    use super::*;

    fn soup(order: &[usize]) -> TriangleSoup {
        let triangles = [
            [Vec3::ZERO, Vec3::X, Vec3::Y],
            [Vec3::ZERO, Vec3::X, Vec3::X],
            [Vec3::NAN, Vec3::X, Vec3::Y],
            [Vec3::new(-3.0, 2.0, 1.0), Vec3::Z, Vec3::Y],
        ];
        let positions: Vec<Vec3> = order.iter().flat_map(|&index| triangles[index]).collect();
        let indices =
            (0..order.len()).map(|index| [0, 1, 2].map(|corner| 3 * u32::try_from(index).unwrap() + corner));
        TriangleSoup::new(positions, indices.collect()).unwrap()
    }

    fn census_of(soup: &TriangleSoup) -> Census {
        Census::take(soup, &mut |_| ()).unwrap()
    }

    #[test]
    fn it_counts_as_the_soup_does_and_knows_no_order() {
        let (one, other) = (soup(&[0, 1, 2, 3]), soup(&[3, 0, 2, 1]));
        let census = census_of(&one);
        assert_eq!(census.skipped, one.skipped());
        assert_eq!(census.bounds, one.bounds());
        assert_eq!(census.triangles, 4);
        assert_eq!(census.fingerprint, census_of(&other).fingerprint);
        for changed in [&[0, 1, 2][..], &[0, 1, 2, 3, 3], &[0, 0, 2, 3]] {
            assert_ne!(census.fingerprint, census_of(&soup(changed)).fingerprint);
        }
        let marked = one.with_areas([1, 2, 1, 1].map(AreaId).to_vec()).unwrap();
        assert_ne!(census.fingerprint, census_of(&marked).fingerprint);
    }
}
