//! Search for the few triangles that make a scene far too large.

use crate::{GridScale, Observer, TriangleSoup, Warning};

/// Largest number of triangles that count as outliers, and the inverse of their largest share of
/// all triangles. One triangle of three may be an outlier.
const MOST_OUTLIERS: usize = 16;
const SHARE: usize = 10;
const FEWEST: usize = 3;
/// Factor by which the scene without the outliers must be smaller.
const STRETCH: f32 = 4.0;
/// Number of levels above which a scene is checked for outliers. This is Recast's limit, which no
/// real level exceeds at a usual scale.
const SUSPICIOUS_LEVELS: f64 = 8192.0;
/// Number of cells along a side above which a scene is checked: 20 km at 0.3 m.
const SUSPICIOUS_CELLS: f64 = 65_536.0;

/// Warns of triangles that increase the extent of `soup` along an axis at least fourfold, if they
/// are at most 16 and at most a tenth of all triangles, or one of at least three. Only scenes of
/// more than 8192 levels or 65,536 cells along an axis are checked.
///
/// The candidates are the 16 lowest and the 16 highest triangles. A candidate is an outlier if it
/// leaves the range of all others by more than that range. Takes linear time.
pub fn warn_of_outliers(soup: &TriangleSoup, scale: &GridScale, observer: &mut dyn Observer) {
    let bounds = soup.bounds();
    let (low, high) = (bounds.min.to_array(), bounds.max.to_array());
    let steps = [scale.cell_size, scale.level_height, scale.cell_size];
    for (axis, most) in [SUSPICIOUS_CELLS, SUSPICIOUS_LEVELS, SUSPICIOUS_CELLS].into_iter().enumerate() {
        let extent = f64::from(high[axis]) - f64::from(low[axis]);
        if extent / f64::from(steps[axis]) > most
            && let Some(warning) = find_outliers(soup, axis)
        {
            observer.warn(warning);
        }
    }
}

/// Finds the outliers along an axis.
fn find_outliers(soup: &TriangleSoup, axis: usize) -> Option<Warning> {
    let range = |triangle: usize| {
        let corners = soup.corners(triangle).map(|corner| corner.to_array());
        let is_finite = corners.as_flattened().iter().all(|number| number.is_finite());
        let [a, b, c] = corners.map(|corner| corner[axis]);
        is_finite.then(|| (triangle, [a.min(b).min(c), a.max(b).max(c)]))
    };
    let mut ranges: Vec<(usize, [f32; 2])> = (0..soup.triangles().len()).filter_map(range).collect();
    if ranges.len() < FEWEST {
        return None;
    }
    let most = (ranges.len() / SHARE).clamp(1, MOST_OUTLIERS);
    ranges.select_nth_unstable_by(most, |(_, a), (_, b)| a[0].total_cmp(&b[0]));
    let (lowest, others) = ranges.split_at_mut(most);
    others.select_nth_unstable_by(most, |(_, a), (_, b)| b[1].total_cmp(&a[1]));
    let (highest, rest) = others.split_at(most);
    let hull = |ranges: &[(usize, [f32; 2])]| {
        ranges.iter().fold([f32::INFINITY, f32::NEG_INFINITY], |hull, (_, range)| {
            [hull[0].min(range[0]), hull[1].max(range[1])]
        })
    };
    let core = hull(rest);
    let room = core[1] - core[0];
    let inside = |range: &[f32; 2]| range[0] >= core[0] - room && range[1] <= core[1] + room;
    let suspects = || lowest.iter().chain(highest);
    let outliers = || suspects().filter(|(_, range)| !inside(range));
    let kept: Vec<_> = suspects().filter(|(_, range)| inside(range)).copied().chain([(0, core)]).collect();
    let without = hull(&kept);
    let extent_without = without[1] - without[0];
    let (triangles, first) = (outliers().count(), outliers().map(|&(triangle, _)| triangle).min()?);
    let whole = hull(&ranges);
    let extent = whole[1] - whole[0];
    (triangles <= most && extent > STRETCH * extent_without).then_some(Warning::OutlierTriangles {
        triangles: triangles as u64,
        first,
        axis: ['x', 'y', 'z'][axis],
        extent,
        extent_without,
    })
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    fn floors(heights: impl IntoIterator<Item = f32>) -> TriangleSoup {
        let mut soup = TriangleSoup::default();
        for height in heights {
            let corners =
                vec![Vec3::new(0., height, 0.), Vec3::new(0., height, 1.), Vec3::new(1., height, 0.)];
            soup.append(corners, vec![[0, 1, 2]]).unwrap();
        }
        soup
    }

    #[test]
    fn one_far_triangle_is_found() {
        let soup = floors((0..50).map(|step| step as f32 * 0.1).chain([-5000.0]));
        let found = |axis: char, extent: f32, extent_without: f32| {
            Some(Warning::OutlierTriangles { triangles: 1, first: 50, axis, extent, extent_without })
        };
        assert_eq!(find_outliers(&soup, 1), found('y', 5004.9, 4.9));
        assert_eq!(find_outliers(&soup, 0), None);
        let one_of_three = find_outliers(&floors([0.0, 0.0, 9000.0]), 1);
        let lone = Warning::OutlierTriangles {
            triangles: 1,
            first: 2,
            axis: 'y',
            extent: 9000.0,
            extent_without: 0.0,
        };
        assert_eq!(one_of_three, Some(lone));
        // Outliers along x and z are found as well, even with broken triangles in the scene.
        for axis in [0, 2] {
            let mut positions = floors((0..50).map(|_| 0.0)).positions().to_vec();
            positions.extend([Vec3::splat(3e6), Vec3::splat(3e6 + 1.0), Vec3::splat(3e6 + 2.0)]);
            positions.extend([Vec3::NAN, Vec3::X, Vec3::Z]);
            let triangles = (0..52).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner)).collect();
            let soup = TriangleSoup::new(positions, triangles).expect("indices are in range");
            assert_eq!(find_outliers(&soup, axis), found(['x', 'y', 'z'][axis], 3_000_002.0, 1.0));
        }
    }

    #[test]
    fn a_tower_has_no_outliers() {
        assert_eq!(find_outliers(&floors((0..500).map(|step| step as f32 * 10.0)), 1), None);
        assert_eq!(find_outliers(&floors([0.0, 1.0, 9000.0]), 1), None);
    }
}
