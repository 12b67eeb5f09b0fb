//! Finds the few triangles that make a scene far too high.

use waymesh_core::{TriangleSoup, Warning};

/// Largest number of triangles that count as outliers, and the largest share of all triangles they
/// may be.
const MOST_OUTLIERS: usize = 16;
const SHARE: usize = 10;
/// The rest must be lower than the whole scene by this factor.
const STRETCH: f32 = 4.0;

/// Finds the triangles that increase the height of `soup` at least fourfold, if there are at most
/// 16 and at most a tenth of all.
///
/// The suspects are the 16 that reach lowest and the 16 that reach highest; a suspect is an outlier
/// if it leaves the height range of all others by more than that range.
pub(crate) fn find_outliers(soup: &TriangleSoup) -> Option<Warning> {
    let mut ranges: Vec<[f32; 2]> =
        soup.finite_triangles().map(|[a, b, c]| [a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y)]).collect();
    let most = MOST_OUTLIERS.min(ranges.len() / SHARE);
    if most == 0 {
        return None;
    }
    ranges.select_nth_unstable_by(most, |a, b| a[0].total_cmp(&b[0]));
    let (lowest, others) = ranges.split_at_mut(most);
    others.select_nth_unstable_by(most, |a, b| b[1].total_cmp(&a[1]));
    let (highest, rest) = others.split_at(most);
    let hull = |ranges: &[[f32; 2]]| {
        ranges.iter().fold([f32::INFINITY, f32::NEG_INFINITY], |hull, range| {
            [hull[0].min(range[0]), hull[1].max(range[1])]
        })
    };
    let core = hull(rest);
    let room = core[1] - core[0];
    let inside = |range: &[f32; 2]| range[0] >= core[0] - room && range[1] <= core[1] + room;
    let suspects = || lowest.iter().chain(highest);
    let outliers = suspects().filter(|range| !inside(range)).count();
    let kept: Vec<[f32; 2]> = suspects().filter(|range| inside(range)).copied().chain([core]).collect();
    let without = hull(&kept);
    let height_without = without[1] - without[0];
    let whole = hull(&ranges);
    let height = whole[1] - whole[0];
    (outliers > 0 && outliers <= most && height > STRETCH * height_without)
        .then_some(Warning::OutlierTriangles { triangles: outliers as u64, height, height_without })
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
        let warning = find_outliers(&soup);
        assert_eq!(
            warning,
            Some(Warning::OutlierTriangles { triangles: 1, height: 5004.9, height_without: 4.9 })
        );
    }

    #[test]
    fn a_tower_has_no_outliers() {
        assert_eq!(find_outliers(&floors((0..500).map(|step| step as f32 * 10.0))), None);
        assert_eq!(find_outliers(&floors([0.0, 1.0, 9000.0])), None);
    }
}
