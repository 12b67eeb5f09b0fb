//! Boxes as triangles.

use glam::Vec3;
use waymesh_core::TriangleSoup;

/// Corners of the sides -x, +x, -y, +y, -z and +z, which face out. Bit `n` of a corner is set at
/// the high end of axis `n`.
const SIDES: [[usize; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

/// Returns the sides of a box, facing out: -x, +x, -y, +y, -z, +z.
#[must_use]
pub fn sides(low: [f32; 3], high: [f32; 3]) -> [Vec<[Vec3; 3]>; 6] {
    let corner = |bits: usize| {
        Vec3::from_array(std::array::from_fn(
            |axis| if bits >> axis & 1 == 0 { low[axis] } else { high[axis] },
        ))
    };
    SIDES.map(|side| {
        let [a, b, c, d] = side.map(corner);
        vec![[a, b, c], [a, c, d]]
    })
}

/// Adds a box, its sides facing out.
///
/// # Panics
/// If the soup cannot hold more corners.
pub fn add_box(soup: &mut TriangleSoup, low: [f32; 3], high: [f32; 3]) {
    let corners = sides(low, high).concat().concat();
    let triangles = (0..12).map(|at| [3 * at, 3 * at + 1, 3 * at + 2]).collect();
    soup.append(corners, triangles).expect("a soup of few boxes");
}
