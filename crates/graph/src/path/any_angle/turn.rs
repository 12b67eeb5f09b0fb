//! Turns: where a path may bend, and what is seen from there.

use waymesh_core::{PolyId, to_u32};

use super::{Bound, MOST_STEPS, Node, Root, Search, Seen, Side, Stand, TURN_LEFT, TURN_RIGHT};
use crate::geometry::plan::{PlanPosition, orientation};
use crate::mesh::crossings::Portal;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::link::LinkIndex;
use crate::path::portal::{beyond, is_before, is_on, turn_length};

/// The end of a walk round a corner.
enum Sweep {
    /// At a wall, in this polygon.
    Wall(u32),
    /// At a crossing out of this polygon that is not free.
    Stopped(u32),
    /// In the polygon where it began.
    Round,
}

impl<F: PolygonFilter, const FLOOD: bool> Search<'_, F, FLOOD> {
    /// Opens a turn at a corner that is seen from `root`, if a path may turn there.
    pub(super) fn offer_turn(&mut self, from: Stand, at: PlanPosition, turn: u32, side: Side) {
        let Stand { node: parent, root, polygon } = from;
        let turn = self.part_of(turn, polygon, at);
        let Some(guided) = self.after_turn(root, turn, at) else { return };
        let from = self.memory.roots[root as usize];
        let (mut bit, crossing) = if side == Side::Right { (1, TURN_RIGHT) } else { (2, TURN_LEFT) };
        let mut length = from.length + turn_length(from.at, at);
        if self.memory.rises {
            bit = 1;
            if self.memory.is_reached(turn, length) {
                return;
            }
            length = from.length + self.leg(parent, root, at);
        }
        if !self.memory.improves(turn, bit, length) {
            return;
        }
        let root = to_u32(self.memory.roots.len());
        let (height, space) = self.rise(&from, polygon, at);
        self.memory.roots.push(Root { at, length, turn, guided, height, space });
        let right = beyond(from.at, at);
        let estimate = length + if FLOOD { 0.0 } else { turn_length(at, self.goal.at) };
        self.offer(Node { right, left: at, root, parent, crossing, polygon }, estimate);
    }

    /// Returns the number of a turn on the ground around it that a polygon is part of: what the filter
    /// closes may leave several parts.
    fn part_of(&mut self, turn: u32, polygon: u32, at: PlanPosition) -> u32 {
        if self.filter.allows_all() {
            return turn;
        }
        let is_free = |polygon, crossing| self.is_free(polygon, crossing) && !self.mesh.has_toll(crossing);
        match self.sweep(polygon, at, Side::Right, is_free) {
            Sweep::Round => turn,
            // The part is known by its last polygon on the right.
            Sweep::Wall(last) | Sweep::Stopped(last) => self.memory.part(turn, last),
        }
    }

    /// Goes round a corner from polygon to polygon, over the crossings that are free.
    fn sweep(&self, polygon: u32, at: PlanPosition, side: Side, is_free: impl Fn(u32, u32) -> bool) -> Sweep {
        let mut last = polygon;
        for _ in 0..MOST_STEPS {
            let Some(portal) = self.gate_beside(last, at, side) else { break };
            if !is_free(last, portal.crossing) {
                return Sweep::Stopped(last);
            }
            last = self.mesh.beyond(portal.crossing);
            if last == polygon {
                return Sweep::Round;
            }
        }
        Sweep::Wall(last)
    }

    /// Returns `true` if the filter allows a step out of a polygon and back.
    fn is_free(&self, polygon: u32, crossing: u32) -> bool {
        let beyond = self.mesh.open_crossing(polygon, crossing, self.filter);
        beyond.is_some_and(|beyond| self.filter.may_cross(self.mesh, PolyId(beyond), PolyId(polygon)))
    }

    /// Offers a turn at a corner of a polygon, as [`Self::offer_turn`] does.
    pub(super) fn offer_turn_at(&mut self, from: Stand, corner: usize, side: Side) {
        let (fan, may_turn) = self.mesh.topology.fans.fan(to_u32(corner));
        let (turn, is_free) = self.mesh.links.turns.of_fan(fan);
        let is_open = self.filter.allows_all();
        if (may_turn && is_free) || (!is_open && self.is_closed_beside(from.polygon, corner)) {
            self.offer_turn(from, self.corner(corner), turn, side);
        }
    }

    /// Returns `true` if the filter closes some polygon or crossing around a corner.
    pub(super) fn is_closed_beside(&self, polygon: u32, corner: usize) -> bool {
        let at = self.corner(corner);
        // A path round the corner may lead either way.
        for side in [Side::Right, Side::Left] {
            match self.sweep(polygon, at, side, |polygon, crossing| self.is_free(polygon, crossing)) {
                Sweep::Stopped(_) => return true,
                Sweep::Round => return false,
                Sweep::Wall(_) => {}
            }
        }
        false
    }

    /// Returns the portal of a polygon that begins at a place on its border, seen on this side.
    pub(super) fn gate_beside(&self, polygon: u32, at: PlanPosition, side: Side) -> Option<Portal> {
        self.mesh
            .portals(polygon)
            .find(|portal| at == if side == Side::Right { portal.right } else { portal.left })
    }

    /// Opens a turn at one end of a portal of `polygon`.
    pub(super) fn offer_turn_at_gate(&mut self, from: Stand, portal: &Portal, side: Side) {
        if (portal.crossing as usize) < self.mesh.topology.neighbours.len() {
            let edge = portal.crossing as usize;
            let corner = if side == Side::Left { self.mesh.corner_after(from.polygon, edge) } else { edge };
            self.offer_turn_at(from, corner, side);
        } else {
            let at = if side == Side::Right { portal.right } else { portal.left };
            let (link, backwards) = self.mesh.link_of(portal.crossing);
            let end = u32::from((side == Side::Right) == backwards);
            self.offer_turn_at_end(from, at, (link, backwards, end), side);
        }
    }

    /// Offers a turn at an end of a link on its polygon, as [`Self::offer_turn`] does.
    pub(super) fn offer_turn_at_end(
        &mut self,
        from: Stand,
        at: PlanPosition,
        (link, is_to, end): (LinkIndex, bool, u32),
        side: Side,
    ) {
        let (turn, may_turn) = self.mesh.links.turns.of_end(link, is_to, end);
        // A polygon that the filter closes may be adjacent.
        if may_turn || !self.filter.allows_all() {
            self.offer_turn(from, at, turn, side);
        }
    }

    /// Opens the polygons that meet in a root, which lies in the polygon of this node.
    pub(super) fn open_around(&mut self, index: u32) {
        let Node { root, polygon, .. } = self.memory.nodes[index as usize];
        let at = self.memory.roots[root as usize].at;
        let mut touching = std::mem::take(&mut self.memory.touching);
        touching.clear();
        touching.push((polygon, index));
        let mut next = 0;
        while let Some(&(polygon, node)) = touching.get(next) {
            next += 1;
            let root = self.memory.nodes[node as usize].root;
            self.open_seen(Stand { node, root, polygon }, Bound::None);
            let mesh = self.mesh;
            for portal in mesh.portals(polygon) {
                if !is_on([portal.right, portal.left], at) {
                    continue;
                }
                let Some(beyond) = self.is_open(polygon, portal.crossing) else { continue };
                let Portal { crossing, right, left } = portal;
                let root = self.beyond(root, crossing);
                // A polygon is entered again at a lower cost: a door next to it may cost more.
                let length = |root: u32| self.memory.roots[root as usize].length;
                let is_known = touching.iter().any(|&(known, node)| {
                    known == beyond && length(self.memory.nodes[node as usize].root) <= length(root)
                });
                if !is_known {
                    let node = self.keep(Node { right, left, root, parent: node, crossing, polygon: beyond });
                    touching.push((beyond, node));
                }
            }
        }
        self.memory.touching = touching;
    }

    /// Turns round a root, polygon by polygon.
    pub(super) fn turn(&mut self, index: u32, side: Side) {
        let Node { mut root, polygon, right: bound, .. } = self.memory.nodes[index as usize];
        let at = self.memory.roots[root as usize].at;
        let bound = if side == Side::Right { Bound::RightOf(bound) } else { Bound::LeftOf(bound) };
        self.open_seen(Stand { node: index, root, polygon }, bound);
        let (first, mut polygon, mut node) = (polygon, polygon, index);
        for _ in 0..MOST_STEPS {
            let Some(portal) = self.gate_beside(polygon, at, side) else { return };
            let Some(beyond) = self.is_open(polygon, portal.crossing).filter(|&beyond| beyond != first)
            else {
                return;
            };
            let Portal { crossing, right, left } = portal;
            root = self.beyond(root, crossing);
            node = self.keep(Node { right, left, root, parent: node, crossing, polygon: beyond });
            polygon = beyond;
            self.open_seen(Stand { node, root, polygon }, Bound::None);
        }
    }

    /// Opens what is seen of a polygon from a root on its border or inside, but for portals that
    /// begin at the root.
    pub(super) fn open_seen(&mut self, from: Stand, bound: Bound) {
        let Stand { node, root, polygon } = from;
        let at = self.memory.roots[root as usize].at;
        if polygon == self.goal.polygon {
            self.arrive(node, root);
            if !self.memory.rises {
                return;
            }
        }
        if FLOOD {
            let Root { at, length, height, space, .. } = self.memory.roots[root as usize];
            let seen = Seen { polygon, root: at, length, nearest: length, rays: None, height, space };
            self.memory.seen.push(seen);
        }
        let mesh = self.mesh;
        for portal in mesh.edge_portals(polygon) {
            self.open_through(from, &portal, bound);
        }
        for &leaving in mesh.links.leaving(polygon) {
            let crossing = mesh.crossing_of(leaving);
            if mesh.is_crossed(crossing) {
                self.open_through(from, &mesh.portal(polygon, crossing), bound);
            } else {
                self.link_place(from, leaving, |_, place| match bound {
                    Bound::None => true,
                    Bound::RightOf(ray) => orientation(at, ray, place) <= 0.0,
                    Bound::LeftOf(ray) => orientation(at, ray, place) >= 0.0,
                });
            }
        }
    }

    pub(super) fn open_through(&mut self, from: Stand, portal: &Portal, bound: Bound) {
        let at = self.memory.roots[from.root as usize].at;
        let Portal { right: a, left: b, .. } = *portal;
        if a == at || b == at {
            return;
        }
        let mut rays = [a, b];
        let is_in_bound = |end: PlanPosition| match bound {
            Bound::None => true,
            Bound::RightOf(ray) => orientation(at, ray, end) <= 0.0,
            Bound::LeftOf(ray) => orientation(at, ray, end) >= 0.0,
        };
        let facing = orientation(at, a, b);
        if facing > 0.0 {
            match bound {
                Bound::RightOf(ray) => {
                    if orientation(at, ray, a) >= 0.0 {
                        return;
                    }
                    rays[1] = if is_in_bound(b) { b } else { ray };
                }
                Bound::LeftOf(ray) => {
                    if orientation(at, ray, b) <= 0.0 {
                        return;
                    }
                    rays[0] = if is_in_bound(a) { a } else { ray };
                }
                Bound::None => {}
            }
            self.cross(from, portal, rays);
        } else if facing == 0.0 {
            // In line with the root: it can be entered round its near end only.
            let is_open = |search: &Self| search.is_open(from.polygon, portal.crossing).is_some();
            if is_before(at, a, b) && is_in_bound(a) && is_open(self) {
                self.offer_turn_at_gate(from, portal, Side::Right);
            } else if is_before(at, b, a) && is_in_bound(b) && is_open(self) {
                self.offer_turn_at_gate(from, portal, Side::Left);
            }
        }
    }
}
