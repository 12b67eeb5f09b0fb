//! Evenly spread random points.

use glam::DVec3;
use waymesh_core::Random;

use crate::scene::plan_area;

/// Steps of a sequence that fills a square evenly: Roberts 2018, The unreasonable effectiveness of
/// quasirandom sequences.
const STRIDE: [f64; 2] = [0.754_877_666_246_693, 0.569_840_290_998_053];

/// Returns `count` points on triangles, evenly spread over their plan area, each with the index of
/// its triangle, and the side of the square that each point represents. There is one point in each
/// of `count` equal shares of the area. No points if there is no area.
pub(crate) fn spread(triangles: &[[DVec3; 3]], count: usize, seed: u64) -> (Vec<(usize, DVec3)>, f64) {
    let mut total = 0.0;
    let sums: Vec<f64> = triangles
        .iter()
        .map(|corners| {
            total += plan_area(corners);
            total
        })
        .collect();
    if total <= 0.0 {
        return (Vec::new(), 0.0);
    }
    let mut random = Random::new(seed);
    let offset = [random.unit_f64(), random.unit_f64()];
    let points = (0..count)
        .map(|index| {
            let [first, second] = [0, 1].map(|axis| (offset[axis] + index as f64 * STRIDE[axis]).fract());
            let at = (index as f64 + random.unit_f64()) / count as f64 * total;
            let triangle = sums.partition_point(|&sum| sum <= at).min(triangles.len() - 1);
            let [a, b, c] = triangles[triangle];
            let (root, share) = (first.sqrt(), second);
            (triangle, a * (1.0 - root) + (b * (1.0 - share) + c * share) * root)
        })
        .collect();
    (points, (total / count as f64).sqrt())
}
