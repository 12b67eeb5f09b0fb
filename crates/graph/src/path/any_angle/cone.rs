//! Expansion of a cone: portals that it crosses, links, turns where its rays touch a corner.

use waymesh_core::{PolyId, to_u32};

use super::{Node, Root, Search, Seen, Side, Stand};
use crate::geometry::plan::{PlanPosition, orientation};
use crate::mesh::crossings::Portal;
use crate::mesh::filter::PolygonFilter;
use crate::path::portal::{is_before, nearest_between, turn_length};

impl<F: PolygonFilter, const FLOOD: bool> Search<'_, F, FLOOD> {
    /// Opens the polygon beyond the edge of a cone.
    pub(super) fn expand(&mut self, index: u32) {
        let node = self.memory.nodes[index as usize];
        let Node { right, left, root, polygon, .. } = node;
        let from = Stand { node: index, root, polygon };
        let at = self.memory.roots[root as usize].at;
        let range = self.mesh.edge_range(polygon as usize);
        let entry = self.mesh.topology.fans.twin(node.crossing) as usize;
        let last = range.end - 1;
        let next = |corner: usize| if corner == last { range.start } else { corner + 1 };
        if polygon == self.goal.polygon && self.is_visible(&node, self.goal.at) {
            self.arrive(index, root);
        }
        if FLOOD {
            self.note(&node);
        }
        // From the right end of the edge to its left one, as seen from the root.
        let mut corner = next(entry);
        let begin = corner;
        let mut a = self.corner(corner);
        let left_end = self.corner(entry);
        // Sides of `a`: of the right ray, of the left ray.
        let (mut a_right, mut a_left) = (if right == a { 0.0 } else { -1.0 }, -1.0);
        while corner != entry {
            let after = next(corner);
            let (b, b_right, b_left) = if after == entry {
                (left_end, 1.0, if left == left_end { 0.0 } else { 1.0 })
            } else {
                let b = self.corner(after);
                (b, orientation(at, right, b), orientation(at, left, b))
            };
            let portal = Portal { crossing: to_u32(corner), right: a, left: b };
            let is_crossed = b_right > 0.0 && a_left < 0.0;
            if is_crossed && (polygon != self.goal.polygon || self.memory.rises) {
                let rays = [if a_right >= 0.0 { a } else { right }, if b_left <= 0.0 { b } else { left }];
                self.cross(from, &portal, rays);
            }
            if corner == begin {
                if right == a && (b_right <= 0.0 || self.memory.rises) {
                    self.offer_turn_at(from, corner, Side::Right);
                }
            } else if a_right == 0.0 && b_right == 0.0 && self.is_open(polygon, portal.crossing).is_some() {
                self.offer_turn_at_gate(from, &portal, Side::Right);
            }
            if after == entry {
                if left == b && (a_left >= 0.0 || self.memory.rises) {
                    self.offer_turn_at(from, entry, Side::Left);
                }
            } else if a_left == 0.0 && b_left == 0.0 && self.is_open(polygon, portal.crossing).is_some() {
                self.offer_turn_at_gate(from, &portal, Side::Left);
            }
            (a, a_right, a_left, corner) = (b, b_right, b_left, after);
        }
        if !self.mesh.links.links.is_empty() {
            self.cross_links(index, &node);
        }
    }

    /// Keeps what a cone sees of the polygon beyond.
    pub(super) fn note(&mut self, node: &Node) {
        let Node { right, left, root, polygon, crossing, .. } = *node;
        let Root { at, length, height, space, .. } = self.memory.roots[root as usize];
        // The portal, seen from the polygon beyond: its ends change sides.
        let [left_end, right_end] = if (crossing as usize) < self.mesh.topology.neighbours.len() {
            self.mesh.ends_of(polygon, self.mesh.topology.fans.twin(crossing) as usize)
        } else {
            let [right, left] = self.mesh.edge_ends(PolyId(polygon), crossing);
            [left, right]
        };
        let portal = Portal { crossing, right: right_end, left: left_end };
        let nearest = length + nearest_between(at, right, left, &portal);
        let rays = Some([right, left]);
        self.memory.seen.push(Seen { polygon, root: at, length, nearest, rays, height, space });
    }

    /// The links of the polygon beyond a cone, as seen from its root.
    pub(super) fn cross_links(&mut self, index: u32, node: &Node) {
        let mesh = self.mesh;
        let Node { root, polygon, .. } = *node;
        for &leaving in mesh.links.leaving(polygon) {
            let crossing = mesh.crossing_of(leaving);
            if mesh.is_crossed(crossing) {
                self.cross_gate(index, node, &mesh.portal(polygon, crossing));
            } else {
                let from = Stand { node: index, root, polygon };
                self.link_place(from, leaving, |search, at| search.is_visible(node, at));
            }
        }
    }

    /// Crosses a portal as far as it is seen between the rays of a cone.
    pub(super) fn cross_gate(&mut self, index: u32, node: &Node, portal: &Portal) {
        let Node { right, left, root, polygon, .. } = *node;
        let from = Stand { node: index, root, polygon };
        let at = self.memory.roots[root as usize].at;
        let [a, b] = [portal.right, portal.left];
        let [a_right, b_right] = [a, b].map(|end| orientation(at, right, end));
        let [a_left, b_left] = [a, b].map(|end| orientation(at, left, end));
        if b_right > 0.0 && a_left < 0.0 && orientation(at, a, b) > 0.0 {
            let rays = [if a_right >= 0.0 { a } else { right }, if b_left <= 0.0 { b } else { left }];
            self.cross(from, portal, rays);
        } else if a_right == 0.0 && b_right == 0.0 && is_before(at, a, b) {
            self.offer_turn_at_gate(from, portal, Side::Right);
        } else if a_left == 0.0 && b_left == 0.0 && is_before(at, b, a) {
            self.offer_turn_at_gate(from, portal, Side::Left);
        }
    }

    /// Expands a cone over a link as [`Self::expand`] does.
    pub(super) fn expand_through_link(&mut self, index: u32) {
        let node = self.memory.nodes[index as usize];
        let Node { right, left, root, polygon, crossing, .. } = node;
        if polygon == self.goal.polygon && self.is_visible(&node, self.goal.at) {
            self.arrive(index, root);
        }
        if FLOOD {
            self.note(&node);
        }
        let mesh = self.mesh;
        for portal in mesh.edge_portals(polygon) {
            self.cross_gate(index, &node, &portal);
        }
        self.cross_links(index, &node);
        // Its ends, as they are numbered in the link.
        let from = Stand { node: index, root, polygon };
        let [right_end, left_end] = self.mesh.edge_ends(PolyId(polygon), crossing);
        let (link, backwards) = self.mesh.link_of(crossing);
        if right == right_end {
            let end = (link, !backwards, u32::from(backwards));
            self.offer_turn_at_end(from, right, end, Side::Right);
        }
        if left == left_end {
            let end = (link, !backwards, u32::from(!backwards));
            self.offer_turn_at_end(from, left, end, Side::Left);
        }
    }

    /// Takes a link from each of its places that can be reached straight from a root.
    pub(super) fn link_place(
        &mut self,
        Stand { node: parent, root, polygon }: Stand,
        leaving: u32,
        is_reached: impl Fn(&Self, PlanPosition) -> bool,
    ) {
        let mesh = self.mesh;
        let crossing = mesh.crossing_of(leaving);
        if self.is_open(polygon, crossing).is_none() {
            return;
        }
        let link = mesh.link_at(crossing);
        for place in 0..link.places() {
            let along = link.along(place);
            let [leave, arrive] = mesh.link_ends(crossing).map(|end| mesh.on_segment(end, along));
            if !is_reached(self, leave.0) {
                continue;
            }
            let turn = mesh.link_turn(leaving, place);
            if self.known_turn(root).is_some_and(|(known, _)| known != turn) {
                continue;
            }
            let from = self.memory.roots[root as usize];
            let length =
                from.length + self.leg(parent, root, leave.0) + mesh.length_over(link, [leave, arrive]);
            if !self.memory.improves(turn, 1, length) {
                continue;
            }
            let landed = to_u32(self.memory.roots.len());
            let beyond = mesh.beyond(crossing);
            let (_, left_at) = self.rise(&from, polygon, leave.0);
            let space = left_at + f64::from(leave.1.distance(arrive.1));
            let (height, _) = self.rise(&from, beyond, arrive.0);
            self.memory.roots.push(Root {
                at: arrive.0,
                length,
                turn,
                guided: from.guided + 1,
                height,
                space,
            });
            let estimate = length + if FLOOD { 0.0 } else { turn_length(arrive.0, self.goal.at) };
            let right = PlanPosition { x: along, z: 0.0 };
            let polygon = beyond;
            self.offer(Node { right, left: arrive.0, root: landed, parent, crossing, polygon }, estimate);
        }
    }
}
