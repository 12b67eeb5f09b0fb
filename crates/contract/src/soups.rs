//! Triangle soups for tests.

use waymesh_core::{Random, TriangleSoup};

/// Returns the same triangles in a random order, each with a random first corner.
///
/// # Panics
/// Never panics, because the indices come from a soup.
#[must_use]
pub fn shuffled(soup: &TriangleSoup, seed: u64) -> TriangleSoup {
    let mut random = Random::new(seed);
    let order = random.permutation(soup.triangles().len());
    let mut triangles: Vec<[u32; 3]> = order.into_iter().map(|triangle| soup.triangles()[triangle]).collect();
    for corners in &mut triangles {
        corners.rotate_left(random.index(3));
    }
    TriangleSoup::new(soup.positions().to_vec(), triangles).expect("indices are in range")
}
