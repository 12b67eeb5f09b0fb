//! A tree of boxes, searched by boxes and by rays.

use std::ops::Range;

use glam::{DVec3, Vec3};

use crate::{Bounds, checkpoint, threads, to_u32};

/// Largest number of nodes below a node.
const CHILDREN: usize = 4;

/// A static bounding volume hierarchy.
///
/// # Guarantees
/// The same tree for any number of threads.
///
/// # Cost
/// 4 bytes a box and 32 bytes a leaf. Building it takes about as long as sorting the boxes, on all
/// cores.
#[derive(Clone, Debug, Default)]
pub struct BoxTree {
    /// The number of each box, in the order of the leaves.
    numbers: Vec<u32>,
    leaf_len: usize,
    /// Boxes of the nodes, those of the leaves first. Each level has one for every [`CHILDREN`] of
    /// the level before; the last level has one.
    levels: Vec<Vec<Bounds>>,
}

impl BoxTree {
    /// Builds the tree with `leaf_len` boxes per leaf, at least 1: with one, searches find exactly
    /// the boxes that fit; with more, the tree is smaller, and finds all boxes of a leaf at once.
    ///
    /// # Panics
    /// If there are more than `u32::MAX` boxes.
    #[must_use]
    pub fn new(boxes: &[Bounds], leaf_len: usize) -> Self {
        let leaf_len = leaf_len.max(1);
        let middles = threads::map(boxes, |bounds| (bounds.min + bounds.max) / 2.0);
        let mut numbers: Vec<u32> = (0..boxes.len()).map(to_u32).collect();
        sort_for_leaves(&mut numbers, &middles, leaf_len);
        let leaf =
            |of: &[u32]| of.iter().fold(Bounds::EMPTY, |all, &number| union(all, &boxes[number as usize]));
        let mut levels = vec![threads::map(numbers.chunks(leaf_len), leaf)];
        while let Some(below) = levels.last().filter(|below| below.len() > 1) {
            let above = threads::map(below.chunks(CHILDREN), joined);
            levels.push(above);
        }
        Self { numbers, leaf_len, levels }
    }

    /// Returns the numbers of the boxes in the order of the tree.
    #[must_use]
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Returns the range in [`BoxTree::numbers`] of each leaf for which `meets` holds, and holds for
    /// all nodes above it.
    pub fn leaves(&self, meets: impl Fn(&Bounds) -> bool) -> impl Iterator<Item = Range<usize>> {
        let top = self.levels.len().saturating_sub(1);
        let mut next = self.levels.last().is_some_and(|level| !level.is_empty()).then_some((top, 0));
        std::iter::from_fn(move || {
            while let Some((level, node)) = next {
                let is_met = meets(&self.levels[level][node]);
                next = if is_met && level > 0 {
                    Some((level - 1, node * CHILDREN))
                } else {
                    self.node_after(level, node)
                };
                if is_met && level == 0 {
                    let first = node * self.leaf_len;
                    return Some(first..self.numbers.len().min(first + self.leaf_len));
                }
            }
            None
        })
    }

    /// Returns the number of each box that intersects `bounds`, sides included.
    pub fn overlapping(&self, bounds: Bounds) -> impl Iterator<Item = usize> {
        self.found(move |node| node.min.cmple(bounds.max).all() && node.max.cmpge(bounds.min).all())
    }

    /// Returns the number of each box that a ray meets, sides included.
    pub fn along(&self, ray: BoxRay) -> impl Iterator<Item = usize> {
        self.found(move |node| ray.meets(node))
    }

    fn found(&self, meets: impl Fn(&Bounds) -> bool) -> impl Iterator<Item = usize> {
        self.leaves(meets).flat_map(|leaf| self.numbers[leaf].iter().map(|&number| number as usize))
    }

    /// Returns the node that is visited after the last one below a node.
    fn node_after(&self, level: usize, node: usize) -> Option<(usize, usize)> {
        let (mut level, mut next) = (level, node + 1);
        while next % CHILDREN == 0 || next == self.levels[level].len() {
            level += 1;
            if level >= self.levels.len() {
                return None;
            }
            next = (next - 1) / CHILDREN + 1;
        }
        Some((level, next))
    }
}

impl FromIterator<Bounds> for BoxTree {
    /// Builds the tree with one box per leaf.
    fn from_iter<I: IntoIterator<Item = Bounds>>(boxes: I) -> Self {
        Self::new(&boxes.into_iter().collect::<Vec<_>>(), 1)
    }
}

/// A ray, to be tested against many boxes.
#[derive(Clone, Copy, Debug)]
pub struct BoxRay {
    /// Start of the ray.
    pub origin: DVec3,
    /// Its direction, of any length but zero.
    pub direction: DVec3,
    /// One over the direction; finite, so that zero times it is zero.
    inverse: [f64; 3],
}

impl BoxRay {
    /// Returns the ray from `origin` along `direction`.
    #[must_use]
    pub fn new(origin: DVec3, direction: DVec3) -> Self {
        let inverse = direction.recip().clamp(DVec3::MIN, DVec3::MAX).to_array();
        Self { origin, direction, inverse }
    }

    /// Returns `true` if the ray meets a box, sides included.
    #[inline]
    #[must_use]
    pub fn meets(&self, bounds: &Bounds) -> bool {
        let (mut from, mut to) = (0.0_f64, f64::INFINITY);
        for axis in 0..3 {
            let (at, inverse) = (self.origin[axis], self.inverse[axis]);
            let low = (f64::from(bounds.min[axis]) - at) * inverse;
            let high = (f64::from(bounds.max[axis]) - at) * inverse;
            let (enter, leave) = if inverse < 0.0 { (high, low) } else { (low, high) };
            // Plain comparisons: `max` and `min` cost more, for the sake of NaN.
            from = if enter > from { enter } else { from };
            to = if leave < to { leave } else { to };
        }
        // Rounding must not lose a flat box.
        from <= to + 1e-9 * (1.0 + if to < 1e9 { to } else { 1e9 })
    }
}

/// Returns the box around boxes.
fn joined(boxes: &[Bounds]) -> Bounds {
    boxes.iter().fold(Bounds::EMPTY, union)
}

fn union(one: Bounds, other: &Bounds) -> Bounds {
    Bounds { min: one.min.min(other.min), max: one.max.max(other.max) }
}

/// Sorts the numbers of boxes with these middles so that leaves and nodes are compact: halves them
/// along the longest side of the box around them, in each half again.
fn sort_for_leaves(numbers: &mut [u32], middles: &[Vec3], leaf_len: usize) {
    /// Least number of boxes whose halves are sorted in parallel.
    const PARALLEL_LEN: usize = 1 << 12;
    let leaves = numbers.len().div_ceil(leaf_len);
    if leaves < 2 {
        return;
    }
    checkpoint();
    let around = Bounds::of(numbers.iter().map(|&number| middles[number as usize]));
    let axis = (around.max - around.min).max_position();
    // Nodes are full but for the last one of a level.
    let half = leaf_len * (leaves.next_power_of_two() / 2);
    let order = |a: &u32, b: &u32| {
        let [one, other] = [a, b].map(|&number| middles[number as usize][axis]);
        one.total_cmp(&other).then(a.cmp(b))
    };
    numbers.select_nth_unstable_by(half, order);
    let (left, right) = numbers.split_at_mut(half);
    let is_long = left.len() >= PARALLEL_LEN;
    threads::join(
        is_long,
        || sort_for_leaves(left, middles, leaf_len),
        || sort_for_leaves(right, middles, leaf_len),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn a_box_in_single_precision_holds_what_it_is_made_of() {
        let mut random = Random::new(8);
        for _ in 0..1000 {
            let [x, z] = [(); 2].map(|()| (random.unit_f64() - 0.5) * f64::from(1 << 30));
            let bounds = Bounds::in_plan([[x, z], [x + 1.0, z]], 0.5);
            let [min, max] = [bounds.min, bounds.max].map(Vec3::as_dvec3);
            assert!(min.x <= x - 0.5 && max.x >= x + 1.5 && min.z <= z - 0.5 && max.z >= z + 0.5);
            assert!((max - min).max_element() < 130.0);
        }
        assert_eq!(
            Bounds::around([DVec3::NEG_INFINITY, DVec3::INFINITY]),
            Bounds { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY }
        );
    }

    #[test]
    fn boxes_and_rays_find_what_a_test_of_every_box_finds() {
        let mut random = Random::new(7);
        for count in [0, 1, 2, 5, 33, 400] {
            let mut vector = |size: f32| Vec3::from_array([(); 3].map(|()| random.unit() * size));
            let boxes: Vec<Bounds> = (0..count)
                .map(|_| {
                    let (min, size) = (vector(100.0), vector(9.0));
                    Bounds { min, max: min + size }
                })
                .collect();
            for leaf_len in [0, 1, 8] {
                let tree = BoxTree::new(&boxes, leaf_len);
                let mut numbers = tree.numbers().to_vec();
                numbers.sort_unstable();
                assert!(numbers.into_iter().eq(0..count));
                for _ in 0..20 {
                    let (min, size, aim) = (vector(100.0), vector(30.0), vector(2.0) - Vec3::ONE);
                    let (around, ray) =
                        (Bounds { min, max: min + size }, BoxRay::new(min.into(), aim.into()));
                    let is_over = |other: &Bounds| {
                        (0..3).all(|axis| {
                            other.min[axis] <= around.max[axis] && around.min[axis] <= other.max[axis]
                        })
                    };
                    let over: Vec<usize> = tree.overlapping(around).collect();
                    let met: Vec<usize> = tree.along(ray).collect();
                    for (mut found, fits) in
                        [(over, &is_over as &dyn Fn(&Bounds) -> bool), (met, &|b| ray.meets(b))]
                    {
                        found.sort_unstable();
                        let is_found = |number: &usize| found.binary_search(number).is_ok();
                        assert!(
                            (0..boxes.len()).filter(|&number| fits(&boxes[number])).all(|n| is_found(&n))
                        );
                        assert!(leaf_len == 8 || found.iter().all(|&number| fits(&boxes[number])));
                    }
                }
            }
        }
    }
}
