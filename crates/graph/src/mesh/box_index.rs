//! A packed, static tree of boxes.
//!
//! Boxes are sorted along a Hilbert curve and packed eight to a node, level by level, into one flat
//! table: nothing to chase but indices. Unlike the plan indices to be had ready-made it keeps the
//! height range of each node, so that storeys on top of each other are not searched one after the
//! other, keeps whole numbers exactly, and needs no memory for a search.
//!
//! # References
//! Kamel and Faloutsos 1993, On Packing R-trees, <https://doi.org/10.1145/170088.170403>. The curve: Skilling 2004, Programming
//! the Hilbert curve, <https://doi.org/10.1063/1.1751381>.

use glam::Vec4;
use waymesh_core::{nearest_f32, saturating_u32, threads};

use super::bounds::PolygonBounds;
use super::table::Table;
use crate::geometry::plan::PlanPosition;

/// Children of a node: one node's boxes are three cache lines.
const FANOUT: usize = 8;
const FANOUT_U32: u32 = 8;

/// A search for what is nearest: where, how far, and what counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// Position in the plan.
    pub(crate) at: PlanPosition,
    /// Height in levels.
    pub(crate) height: f64,
    /// Lowest and highest height that count, in levels.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Farthest plan distance that counts, squared, in cells.
    pub(crate) side_squared: f64,
    /// Square of a level's height in cells: makes heights and plan distances the same unit.
    pub(crate) level_squared: f64,
}

/// Up to eight boxes, side by side for the vector units: rounded outwards, so that no distance is
/// too long.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Node {
    min_x: [Vec4; 2],
    max_x: [Vec4; 2],
    min_z: [Vec4; 2],
    max_z: [Vec4; 2],
    low: [Vec4; 2],
    high: [Vec4; 2],
}

/// Factor that makes a distance in single precision a lower bound: four roundings of half a unit in
/// the last place, and four more by squaring.
const SHORTER: f32 = 1.0 - 8.0 * f32::EPSILON;

/// Single-precision numbers that are not above and not below a value, as near as two units in the
/// last place.
#[inline]
pub(crate) fn around(value: f64) -> [f32; 2] {
    let near = nearest_f32(value);
    let slack = near.abs() * f32::EPSILON + f32::MIN_POSITIVE;
    [near - slack, near + slack]
}

/// Returns a single-precision number that is not below a value, infinite where there is no other.
#[inline]
fn above(value: f64) -> f32 {
    if value < 1e38 { around(value.max(-1e38))[1] } else { f32::INFINITY }
}

impl Node {
    /// Holds nothing.
    pub(crate) const EMPTY: Self = {
        let (low, high) = ([Vec4::INFINITY; 2], [Vec4::NEG_INFINITY; 2]);
        Self { min_x: low, max_x: high, min_z: low, max_z: high, low, high }
    };

    fn of(boxes: &[PolygonBounds]) -> Self {
        // Empty boxes are beyond every limit.
        let side = |of: &dyn Fn(&PolygonBounds) -> f32, none: f32| {
            [0, 4].map(|first| {
                Vec4::from_array(std::array::from_fn(|place| boxes.get(first + place).map_or(none, of)))
            })
        };
        let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
        Self {
            min_x: side(&|bounds| around(f64::from(bounds.min_x))[0], low),
            max_x: side(&|bounds| around(f64::from(bounds.max_x))[1], high),
            min_z: side(&|bounds| around(f64::from(bounds.min_z))[0], low),
            max_z: side(&|bounds| around(f64::from(bounds.max_z))[1], high),
            low: side(&|bounds| bounds.min_height, low),
            high: side(&|bounds| bounds.max_height, high),
        }
    }
}

/// A [`Target`] in single precision, rounded outwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoughTarget {
    x: [f32; 2],
    z: [f32; 2],
    height: [f32; 2],
    low: f32,
    high: f32,
    side_squared: f32,
    level_squared: f32,
}

impl RoughTarget {
    pub(crate) fn of(target: &Target) -> Self {
        // Far beyond any grid. Nearer is not wrong, and its square is finite.
        let near = |value: f64| around(value.clamp(-1e18, 1e18));
        Self {
            x: near(target.at.x),
            z: near(target.at.z),
            height: around(target.height),
            low: -above(-target.low),
            high: above(target.high),
            side_squared: above(target.side_squared),
            level_squared: around(target.level_squared.min(1e12))[0].max(0.0),
        }
    }

    /// Returns the squared distances to four of the boxes in cells, not more than they are;
    /// infinite for those out of reach.
    #[inline]
    fn distances_squared(&self, node: &Node, half: u32) -> Vec4 {
        let half = half as usize;
        let gap = |low: Vec4, value: [f32; 2], high: Vec4| {
            (low - Vec4::splat(value[1])).max(Vec4::splat(value[0]) - high).max(Vec4::ZERO)
        };
        let x = gap(node.min_x[half], self.x, node.max_x[half]);
        let z = gap(node.min_z[half], self.z, node.max_z[half]);
        let y = gap(node.low[half], self.height, node.high[half]).min(Vec4::splat(1e12));
        let plan = (x * x + z * z) * SHORTER;
        let is_out = plan.cmpgt(Vec4::splat(self.side_squared))
            | node.low[half].cmpgt(Vec4::splat(self.high))
            | node.high[half].cmplt(Vec4::splat(self.low));
        let distance = (plan + y * y * (self.level_squared * SHORTER)) * SHORTER;
        Vec4::select(is_out, Vec4::INFINITY, distance)
    }
}

/// The nodes of a tree, to be searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree<'a> {
    pub(crate) nodes: &'a [Node],
    /// First node of each level.
    pub(crate) node_levels: &'a [u32],
    /// Polygons of the boxes of the lowest level.
    pub(crate) polygons: &'a [u32],
}

/// Levels of nodes at most: 8 times as many polygons at each.
const MOST_LEVELS: usize = 12;

/// Returns the first node of each level of a tree of `polygons` polygons, and the number of levels.
pub(crate) fn node_levels(polygons: usize) -> ([u32; MOST_LEVELS], usize) {
    let (mut firsts, mut count) = ([0; MOST_LEVELS], 1);
    let mut boxes = polygons;
    while boxes > FANOUT && count < MOST_LEVELS {
        boxes = boxes.div_ceil(FANOUT);
        firsts[count] = firsts[count - 1] + index(boxes);
        count += 1;
    }
    (firsts, count)
}

/// Boxes of polygons.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BoxIndex {
    /// Boxes of all levels: the polygons' first, the root's children last.
    boxes: Table<PolygonBounds>,
    /// Polygon of each box of the lowest level.
    polygons: Table<u32>,
    /// First box of each level, and the number of boxes at the end.
    levels: Vec<u32>,
    /// Copies of the boxes, eight to a node; each level begins with a new node.
    nodes: Table<Node>,
    /// First node of each level.
    node_levels: Vec<u32>,
}

impl BoxIndex {
    /// Takes time in `n log n`.
    pub(crate) fn build(bounds: &[PolygonBounds]) -> Self {
        let mut whole = PolygonBounds::EMPTY;
        bounds.iter().for_each(|bounds| whole.include(bounds));
        let mut order: Vec<(u32, u32)> =
            bounds.iter().map(|bounds| curve_position(bounds, &whole)).zip(0..).collect();
        order.sort_unstable();
        Self::in_order(order.iter().map(|&(_, polygon)| polygon).collect(), bounds)
    }

    /// Builds the index as [`Self::build`] does, for polygons in its order. Takes linear time.
    pub(crate) fn in_order(polygons: Vec<u32>, bounds: &[PolygonBounds]) -> Self {
        let mut boxes: Vec<PolygonBounds> =
            polygons.iter().map(|&polygon| bounds[polygon as usize]).collect();
        let [levels, node_levels] = levels(boxes.len());
        for level in levels.windows(2).take(levels.len() - 2) {
            for node in (level[0] as usize..level[1] as usize).step_by(FANOUT) {
                boxes.push(around_all(&boxes[node..(node + FANOUT).min(level[1] as usize)]));
            }
        }
        let mut nodes = Vec::new();
        for level in levels.windows(2) {
            nodes.extend(boxes[level[0] as usize..level[1] as usize].chunks(FANOUT).map(Node::of));
        }
        if nodes.is_empty() {
            nodes.push(Node::of(&[]));
        }
        Self { boxes: boxes.into(), polygons: polygons.into(), levels, nodes: nodes.into(), node_levels }
    }

    /// Builds the index from its tables. They must have the lengths for the number of polygons.
    pub(crate) fn from_tables(
        boxes: Table<PolygonBounds>,
        polygons: Table<u32>,
        nodes: Table<Node>,
    ) -> Option<Self> {
        let [levels, node_levels] = levels(polygons.len());
        let nodes_of = |level: &[u32]| (level[1] - level[0]).div_ceil(FANOUT_U32);
        let node_count: u32 = levels.windows(2).map(nodes_of).sum();
        let fits = levels.last().is_some_and(|&count| boxes.len() == count as usize)
            && nodes.len() == node_count.max(1) as usize;
        fits.then_some(Self { boxes, polygons, levels, nodes, node_levels })
    }

    /// Returns the number of boxes and nodes of an index of `polygons` polygons.
    pub(crate) fn lengths(polygons: usize) -> usize {
        let [levels, _] = levels(polygons);
        let nodes: usize =
            levels.windows(2).map(|level| (level[1] - level[0]).div_ceil(FANOUT_U32) as usize).sum();
        levels.last().map_or(0, |&boxes| boxes as usize) + nodes.max(1)
    }

    /// Boxes, polygons along the curve, and nodes.
    pub(crate) fn tables(&self) -> (&Table<PolygonBounds>, &Table<u32>, &Table<Node>) {
        (&self.boxes, &self.polygons, &self.nodes)
    }

    /// Returns `true` if the boxes of all levels, and the nodes, are those of polygons with these
    /// bounds. The polygons must be in range.
    pub(crate) fn fits(&self, bounds: &[PolygonBounds]) -> bool {
        threads::all(self.polygons.len(), |place| bounds[self.polygons[place] as usize] == self.boxes[place])
            && self.levels.windows(2).zip(&self.node_levels).all(|(level, &node)| {
                let boxes = &self.boxes[level[0] as usize..level[1] as usize];
                let above = self.boxes.get(level[1] as usize..).unwrap_or_default();
                threads::all(boxes.len().div_ceil(FANOUT), |place| {
                    let children = &boxes[place * FANOUT..boxes.len().min((place + 1) * FANOUT)];
                    Node::of(children) == self.nodes[node as usize + place]
                        && above.get(place).is_none_or(|parent| around_all(children) == *parent)
                })
            })
    }

    /// Calls `visit(polygon, limit)` for the polygons whose boxes are within reach and no farther
    /// than `limit` (squared, in cells), roughly nearest first. `visit` gives the new limit,
    /// which must not grow.
    #[inline]
    pub(crate) fn nearest(&self, target: &Target, limit: f64, mut visit: impl FnMut(u32, f64) -> f64) {
        debug_assert!(limit.is_finite(), "what is out of reach is infinitely far");
        self.tree().nearest(&RoughTarget::of(target), limit, &mut visit);
    }

    fn tree(&self) -> Tree<'_> {
        Tree { nodes: &self.nodes, node_levels: &self.node_levels, polygons: &self.polygons }
    }

    /// Calls `visit` for all polygons whose boxes, and the boxes around them, `overlaps` accepts.
    pub(crate) fn all(&self, overlaps: impl Fn(&PolygonBounds) -> bool, mut visit: impl FnMut(u32)) {
        let top = self.levels.len() - 2;
        self.descend_all(top, self.levels[top] as usize, &overlaps, &mut visit);
    }

    fn descend_all(
        &self,
        level: usize,
        first: usize,
        overlaps: &impl Fn(&PolygonBounds) -> bool,
        visit: &mut impl FnMut(u32),
    ) {
        let end = (self.levels[level + 1] as usize).min(first + FANOUT);
        for child in (first..end).filter(|&child| overlaps(&self.boxes[child])) {
            if level == 0 {
                visit(self.polygons[child]);
            } else {
                let offset = child - self.levels[level] as usize;
                self.descend_all(
                    level - 1,
                    self.levels[level - 1] as usize + offset * FANOUT,
                    overlaps,
                    visit,
                );
            }
        }
    }
}

impl Tree<'_> {
    /// Searches as [`BoxIndex::nearest`] does and returns the final limit.
    #[inline]
    pub(crate) fn nearest(
        &self,
        target: &RoughTarget,
        limit: f64,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) -> f64 {
        self.descend(self.node_levels.len() - 1, 0, target, limit, visit)
    }

    /// Searches the up to eight boxes of a node.
    fn descend(
        &self,
        level: usize,
        node: usize,
        target: &RoughTarget,
        mut limit: f64,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) -> f64 {
        let boxes = &self.nodes[self.node_levels[level] as usize + node];
        // Distances, which sort like their bits, above the places.
        let mut near = [0_u64; FANOUT];
        let mut count = 0;
        // No distance is so long, but those out of reach.
        let most = Vec4::splat(above(limit).min(1e37));
        for half in [0, 1] {
            let distances = target.distances_squared(boxes, half);
            let mut rest = distances.cmple(most).bitmask();
            let distances = distances.to_array();
            while rest != 0 {
                let place = rest.trailing_zeros();
                rest &= rest - 1;
                let child =
                    u64::from(distances[place as usize].to_bits()) << 32 | u64::from(4 * half + place);
                let mut slot = count;
                while slot > 0 && near[slot - 1] > child {
                    near[slot] = near[slot - 1];
                    slot -= 1;
                }
                near[slot] = child;
                count += 1;
            }
        }
        for &child in &near[..count] {
            let distance = f32::from_bits((child >> 32) as u32);
            if f64::from(distance) > limit {
                break;
            }
            let child = node * FANOUT + (child & 7) as usize;
            limit = if level == 0 {
                visit(self.polygons[child], limit)
            } else {
                self.descend(level - 1, child, target, limit, visit)
            };
        }
        limit
    }
}

/// Returns the box around boxes.
fn around_all(boxes: &[PolygonBounds]) -> PolygonBounds {
    let mut sum = PolygonBounds::EMPTY;
    boxes.iter().for_each(|bounds| sum.include(bounds));
    sum
}

/// First box of each level, and the number of boxes at the end; and the first node of each level.
fn levels(polygons: usize) -> [Vec<u32>; 2] {
    let (firsts, count) = node_levels(polygons);
    let first_nodes = &firsts[..count];
    // A box of each polygon, and of each node below the root.
    let ends = first_nodes.iter().map(|nodes| index(polygons) + nodes);
    [[0].into_iter().chain(ends).collect(), first_nodes.to_vec()]
}

fn index(length: usize) -> u32 {
    u32::try_from(length).expect("a tree has at most 8/7 as many boxes as a mesh has polygons")
}

/// Returns where the middle of `bounds` lies on a Hilbert curve of 16 bits a side over `whole`.
fn curve_position(bounds: &PolygonBounds, whole: &PolygonBounds) -> u32 {
    let width = i64::from(whole.max_x) - i64::from(whole.min_x);
    let depth = i64::from(whole.max_z) - i64::from(whole.min_z);
    let scale = 65_535.0 / (2 * width.max(depth).max(1)) as f64;
    let place = |low: i32, high: i32, start: i32| {
        saturating_u32((i64::from(low) + i64::from(high) - 2 * i64::from(start)) as f64 * scale)
    };
    let mut x = place(bounds.min_x, bounds.max_x, whole.min_x);
    let mut z = place(bounds.min_z, bounds.max_z, whole.min_z);
    let mut position = 0;
    for bit in (0..16).rev() {
        let (right, upper) = (x >> bit & 1, z >> bit & 1);
        position = position << 2 | ((3 * right) ^ upper);
        if upper == 0 {
            if right == 1 {
                (x, z) = (!x, !z);
            }
            std::mem::swap(&mut x, &mut z);
        }
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_visits_every_place_once_step_by_step() {
        let whole =
            PolygonBounds { min_x: 0, max_x: 65_535, min_z: 0, max_z: 65_535, ..PolygonBounds::EMPTY };
        // The first and the last places of a 16-bit curve, walked by sorting a corner of the plan.
        let mut places: Vec<(u32, i32, i32)> = (0..16)
            .flat_map(|x| (0..16).map(move |z| (x, z)))
            .map(|(x, z)| {
                let bounds = PolygonBounds { min_x: x, max_x: x, min_z: z, max_z: z, ..PolygonBounds::EMPTY };
                (curve_position(&bounds, &whole), x, z)
            })
            .collect();
        places.sort_unstable();
        for pair in places.windows(2) {
            assert_eq!(pair[1].0, pair[0].0 + 1);
            assert_eq!((pair[1].1 - pair[0].1).abs() + (pair[1].2 - pair[0].2).abs(), 1);
        }
    }

    #[test]
    fn an_index_without_boxes_visits_nothing() {
        let target = Target {
            at: PlanPosition { x: 0.0, z: 0.0 },
            height: 0.0,
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
            side_squared: f64::INFINITY,
            level_squared: 1.0,
        };
        BoxIndex::build(&[]).nearest(&target, f64::MAX, |_, _| panic!("nothing to visit"));
    }
}
