//! A* from border to border of nearly convex polygons.

use waymesh_core::PolyId;

use super::RelaxedPolygons;
use crate::locate::nearest::Spot;
use crate::mesh::costs::Rules;
use crate::mesh::nav_mesh::NavMesh;
use crate::path::frontier::NO_NODE;
use crate::path::local::{Approach, Local, Scale};
use crate::path::progress::LastSearch;
use crate::path::scratch::{Front, PathScratch};
use crate::path::steps::Step;

/// The part of a [`QueryScratch`](crate::QueryScratch) that is for nearly convex polygons.
#[derive(Clone, Debug, Default)]
pub(crate) struct RelaxedScratch {
    steps: Vec<Step>,
    spare: Vec<Step>,
    polygons: Vec<PolyId>,
}

impl RelaxedScratch {
    /// Leaves each polygon of a corridor once: groups are judged as if they were convex, so one may
    /// be left and come back to.
    fn cut_loops(&mut self, mesh: &NavMesh, start: u32, paths: &mut PathScratch) {
        self.steps.clear();
        mesh.append_steps(paths, &mut self.steps);
        let count = self.steps.len();
        mesh.cut_loops(start, &mut self.steps, &mut self.spare, &mut self.polygons, paths);
        if self.steps.len() < count {
            mesh.put_steps(&self.steps, paths);
        }
    }
}

/// Returns `true` if a filter and a cost let a path cross these edges and links.
fn is_open(mesh: &NavMesh, start: u32, usable: &impl Rules, corridor: &[u32]) -> bool {
    let mut from = start;
    corridor.iter().all(|&crossing| {
        let beyond = mesh.open_crossing(from, crossing, usable);
        beyond.inspect(|&beyond| from = beyond).is_some()
    })
}

impl RelaxedPolygons {
    /// Leaves the edges and links to cross in `paths.corridor`. Returns `true` if there is a path.
    pub(crate) fn search(
        &self,
        mesh: &NavMesh,
        [start, goal]: [&Spot; 2],
        usable: &impl Rules,
        scratch: &mut RelaxedScratch,
        paths: &mut PathScratch,
    ) -> bool {
        if mesh.generation == self.generation {
            mesh.begin_corridor([start, goal], usable, paths);
            if paths.is_straight {
                return true;
            }
            let (ends, mut nodes) = ((goal, Scale::of(mesh).spot(goal)), usize::MAX);
            if mesh.advance_forced(start, ends, usable, paths, &mut nodes).is_some() {
                return true;
            }
            // Records of the last search are of polygons, the next search is not.
            paths.last = LastSearch::default();
            paths.frontier.begin(mesh.crossing_count(), mesh.polygon_bound());
            // Whoever gets into a group gets through it, so without a path here there is none in the
            // polygons.
            let Some(node) = self.search_groups(mesh, goal, usable, paths) else {
                paths.corridor.clear();
                return false;
            };
            self.write_corridor(mesh, goal.polygon, node, paths);
            if usable.is_length() {
                scratch.cut_loops(mesh, start.polygon, paths);
            }
            if is_open(mesh, start.polygon, usable, &paths.corridor) {
                return true;
            }
        }
        mesh.search_corridor([start, goal], usable, paths)
    }

    /// Searches from the first polygon with a choice on. Returns the node by which the goal's group
    /// is entered, [`NO_NODE`] if that polygon is in it; `None` if there is no path.
    fn search_groups(
        &self,
        mesh: &NavMesh,
        goal: &Spot,
        usable: &impl Rules,
        paths: &mut PathScratch,
    ) -> Option<u32> {
        let scale = Scale::of(mesh);
        let ends = (mesh.topology.bridges.number(goal.polygon), scale.spot(goal));
        let goal_group = self.of[goal.polygon as usize];
        let Front { mut polygon, from_polygon, mut approach, .. } = paths.front;
        let (mut node, mut from_group) = (NO_NODE, self.of[from_polygon as usize]);
        while self.of[polygon as usize] != goal_group {
            self.expand(mesh, [polygon, from_group], usable, ends, (node, approach), paths);
            node = paths.frontier.next()?;
            let entry = paths.frontier.nodes[node as usize];
            polygon = mesh.beyond(entry.edge);
            from_group = self.of[mesh.beyond(mesh.reversed(entry.edge)) as usize];
            approach = entry.approach;
        }
        Some(node)
    }

    /// Opens the portals and links of the group of `polygon` that do not lead back to `from_group`.
    /// Returns the key of the best, which is not among the open nodes.
    fn expand(
        &self,
        mesh: &NavMesh,
        [polygon, from_group]: [u32; 2],
        usable: &impl Rules,
        (goal, target): (u32, Local),
        (parent, approach): (u32, Approach),
        paths: &mut PathScratch,
    ) {
        let (scale, group) = (Scale::of(mesh), self.of[polygon as usize]);
        let approach = approach.at_cost(usable.per_metre(mesh, polygon));
        if paths.frontier.is_known(group, &approach) {
            return;
        }
        let least = usable.least();
        for portal in self.portals(group) {
            if self.of[portal.neighbour as usize] == from_group
                || !mesh.topology.bridges.leads_to(goal, portal.edge, portal.polygon, portal.neighbour)
                || !usable.allows(mesh, PolyId(portal.neighbour))
            {
                continue;
            }
            let toll = usable.entering(mesh, portal.polygon, portal.neighbour);
            if toll == f32::INFINITY {
                continue;
            }
            let corners = mesh.edge_corners(PolyId(portal.polygon), portal.edge);
            let [right, left] = corners.map(|corner| scale.corner(corner));
            let next = approach.over(target, right, left).plus(toll);
            paths.frontier.offer(portal.edge, parent, next, next.at.distance(target) * least);
        }
        if !mesh.links.links.is_empty() {
            for &member in self.members(group) {
                mesh.expand_links([member, NO_NODE], usable, scale, target, (parent, approach), paths);
            }
        }
    }

    /// Adds the edges and links by way of `node` to the goal.
    fn write_corridor(&self, mesh: &NavMesh, goal: u32, mut node: u32, paths: &mut PathScratch) {
        // From the goal back.
        let (scale, forced, mut to) = (Scale::of(mesh), paths.corridor.len(), goal);
        while node != NO_NODE {
            let entry = paths.frontier.nodes[node as usize];
            self.write_inside(mesh, [mesh.beyond(entry.edge), to], &mut paths.corridor);
            paths.corridor.push(entry.edge);
            if mesh.is_link(entry.edge) {
                paths.link_places.push(mesh.link_place(entry.edge, entry.approach.at, scale));
            }
            to = mesh.beyond(mesh.reversed(entry.edge));
            node = entry.parent;
        }
        self.write_inside(mesh, [paths.front.polygon, to], &mut paths.corridor);
        paths.corridor[forced..].reverse();
        paths.link_places.reverse();
    }

    /// Adds the edges between two polygons of one group, the last one first.
    fn write_inside(&self, mesh: &NavMesh, [from, to]: [u32; 2], corridor: &mut Vec<u32>) {
        let above = |polygon: u32| mesh.topology.neighbours[self.places[polygon as usize].up as usize];
        let depth = |polygon: u32| self.places[polygon as usize].depth;
        let (mut common, mut other) = (from, to);
        while common != other {
            if depth(common) < depth(other) {
                std::mem::swap(&mut common, &mut other);
            }
            common = above(common);
        }
        let mut at = to;
        while at != common {
            corridor.push(mesh.topology.fans.twin(self.places[at as usize].up));
            at = above(at);
        }
        let first = corridor.len();
        at = from;
        while at != common {
            corridor.push(self.places[at as usize].up);
            at = above(at);
        }
        corridor[first..].reverse();
    }
}
