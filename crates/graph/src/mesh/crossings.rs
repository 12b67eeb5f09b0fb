//! Crossings: the edges and links by which paths lead from polygon to polygon.

use glam::Vec3;
use waymesh_core::PolyId;

use super::bounds::{Corner, NO_NEIGHBOUR};
use super::filter::PolygonFilter;
use super::link::{Link, LinkEnd, LinkId, LinkIndex};
use super::nav_mesh::NavMesh;
use crate::geometry::plan::PlanPosition;

impl NavMesh {
    /// Returns the polygon that a crossing leads to.
    ///
    /// A crossing is a number: that of an edge or, beyond the edges, of a link in one direction.
    #[inline]
    pub(crate) fn beyond(&self, crossing: u32) -> u32 {
        match self.topology.neighbours.get(crossing as usize) {
            Some(&neighbour) => neighbour,
            None => {
                let (link, backwards) = self.link_of(crossing);
                self.links.links[link.index()].ends(backwards)[1].polygon.0
            }
        }
    }

    /// Returns the link of a crossing beyond the edges, and `true` if it is taken backwards.
    #[inline]
    pub(crate) fn link_of(&self, crossing: u32) -> (LinkIndex, bool) {
        #[expect(clippy::cast_possible_truncation, reason = "edges fit 32 bits")]
        let number = crossing - self.topology.neighbours.len() as u32;
        (LinkIndex(number / 2), number % 2 == 1)
    }

    /// Returns the crossing of an entry of [`Links::leaving`](super::links::Links::leaving).
    #[inline]
    pub(crate) fn crossing_of(&self, leaving: u32) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "edges fit 32 bits")]
        let edges = self.topology.neighbours.len() as u32;
        edges + leaving
    }

    /// Returns the number of crossings: edges, then links, each in both directions.
    pub(crate) fn crossing_count(&self) -> usize {
        self.topology.neighbours.len() + 2 * self.links.links.len()
    }

    #[inline]
    pub(crate) fn is_link(&self, crossing: u32) -> bool {
        crossing as usize >= self.topology.neighbours.len()
    }

    /// Returns the polygon beyond an edge or a link, if there is one and a filter lets a path cross.
    #[inline]
    pub(crate) fn open_crossing(
        &self,
        polygon: u32,
        crossing: u32,
        filter: &impl PolygonFilter,
    ) -> Option<u32> {
        let beyond = self.beyond(crossing);
        let is_open = beyond != NO_NEIGHBOUR
            && filter.may_cross(self, PolyId(polygon), PolyId(beyond))
            && (!self.is_link(crossing) || filter.allows_link(self, self.link_id(crossing)));
        is_open.then_some(beyond)
    }

    /// Returns the id of the link that a crossing is.
    pub(crate) fn link_id(&self, crossing: u32) -> LinkId {
        self.links.ids[self.link_of(crossing).0.index()]
    }

    /// Returns `true` if a crossing is an edge, or a link that is crossed like one.
    pub(crate) fn is_crossed(&self, crossing: u32) -> bool {
        !self.is_link(crossing) || self.links.is_portal(self.link_of(crossing).0)
    }

    /// Returns `true` if a crossing is a link that costs something or leads one way only.
    pub(crate) fn has_toll(&self, crossing: u32) -> bool {
        self.is_link(crossing) && {
            let (link, _) = self.link_of(crossing);
            !self.links.links[link.index()].is_free()
        }
    }

    /// Returns a place on a link's segment.
    pub(crate) fn on_segment(&self, end: &LinkEnd, along: f64) -> (PlanPosition, Vec3) {
        let [a, b] = end.ends;
        let mix = |from: f64, to: f64| from + (to - from) * along;
        let at = PlanPosition::snapped(
            mix(f64::from(a.point.x), f64::from(b.point.x)),
            mix(f64::from(a.point.z), f64::from(b.point.z)),
        );
        (at, self.frame.to_world(at.x, mix(f64::from(a.height), f64::from(b.height)), at.z))
    }

    /// Returns the length of a path over a link between two places on its segments, in cells.
    pub(crate) fn length_over(&self, link: &Link, [leave, arrive]: [(PlanPosition, Vec3); 2]) -> f64 {
        let metres = f64::from(leave.1.distance(arrive.1)) + f64::from(link.extra_cost);
        (metres / f64::from(self.frame.cell_size)).max(leave.0.distance_squared(arrive.0).sqrt())
    }

    /// Returns the ends of an edge in the plan: right and left of an agent that leaves the polygon
    /// across it.
    #[inline]
    pub(crate) fn edge_ends(&self, polygon: PolyId, crossing: u32) -> [PlanPosition; 2] {
        if self.is_link(crossing) {
            let (link, backwards) = self.link_of(crossing);
            let [a, b] = self.links.links[link.index()].from.ends.map(|end| end.point);
            let [right, left] = if backwards { [b, a] } else { [a, b] };
            return [right, left].map(|point| PlanPosition::on_grid(point.x, point.z));
        }
        self.edge_corners(polygon, crossing).map(|corner| PlanPosition::on_grid(corner.x, corner.z))
    }

    #[inline]
    pub(crate) fn edge_corners(&self, polygon: PolyId, edge: u32) -> [&Corner; 2] {
        let range = self.edge_range(polygon.index());
        let edge = edge as usize;
        let next = if edge + 1 == range.end { range.start } else { edge + 1 };
        [&self.topology.corners[edge], &self.topology.corners[next]]
    }
}
