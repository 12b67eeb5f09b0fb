//! Borders of a polygon as cycles of nodes, while holes are joined and ears are cut off.

use waymesh_core::{PlanPoint, to_u32};

use crate::outline::Corner;

/// Flag of both sides of a bridge in [`Node::link`]. The other bits are the number of the bridge.
pub(crate) const BRIDGE: u32 = 1 << 30;

/// A corner on the remaining border. Both ends of a bridge occur twice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) point: PlanPoint,
    pub(crate) corner: Corner,
    pub(crate) prev: u32,
    pub(crate) next: u32,
    /// The other side of the edge to the next node: a half-edge, or
    /// [`BORDER`](crate::assemble::BORDER) or [`BRIDGE`] with a number.
    pub(crate) link: u32,
}

/// The border as cycles of nodes, with the inside to the left.
#[derive(Debug, Default)]
pub(crate) struct Cycles {
    pub(crate) nodes: Vec<Node>,
}

impl Cycles {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn ids(&self) -> std::ops::Range<u32> {
        0..to_u32(self.nodes.len())
    }

    #[inline]
    pub(crate) fn point(&self, node: u32) -> PlanPoint {
        self.nodes[node as usize].point
    }

    #[inline]
    pub(crate) fn next(&self, node: u32) -> u32 {
        self.nodes[node as usize].next
    }

    /// Returns the points of the previous node, of `node` and of the next node.
    pub(crate) fn around(&self, node: u32) -> [PlanPoint; 3] {
        let at = &self.nodes[node as usize];
        [self.point(at.prev), at.point, self.point(at.next)]
    }

    /// Returns `true` if the segment from `node` to `target` begins strictly inside.
    pub(crate) fn sector_contains(&self, node: u32, target: PlanPoint) -> bool {
        let [before, at, after] = self.around(node);
        if PlanPoint::orientation(before, at, after) > 0 {
            PlanPoint::orientation(at, after, target) > 0 && PlanPoint::orientation(at, target, before) > 0
        } else {
            PlanPoint::orientation(at, before, target) < 0 || PlanPoint::orientation(at, target, after) < 0
        }
    }

    /// Joins the cycles of `anchor` and `facing` by a bridge. Returns the two new nodes, which have
    /// the same points.
    pub(crate) fn splice(&mut self, anchor: u32, facing: u32, bridge: u32) -> [u32; 2] {
        let (at_anchor, at_facing) = (self.nodes[anchor as usize], self.nodes[facing as usize]);
        let facing_copy = to_u32(self.nodes.len());
        let anchor_copy = facing_copy + 1;
        self.nodes.push(Node { next: anchor_copy, link: bridge, ..at_facing });
        self.nodes.push(Node { prev: facing_copy, ..at_anchor });
        self.nodes[at_facing.prev as usize].next = facing_copy;
        self.nodes[at_anchor.next as usize].prev = anchor_copy;
        self.nodes[anchor as usize].next = facing;
        self.nodes[anchor as usize].link = bridge;
        self.nodes[facing as usize].prev = anchor;
        [facing_copy, anchor_copy]
    }
}
