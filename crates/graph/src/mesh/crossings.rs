//! Crossings: the edges and links by which paths lead from polygon to polygon.

use std::ops::Range;

use glam::Vec3;
use waymesh_core::{PolyId, to_u32};

use super::bounds::{Corner, NO_NEIGHBOUR};
use super::filter::PolygonFilter;
use super::link::{Link, LinkEnd, LinkId, LinkIndex};
use super::nav_mesh::NavMesh;
use crate::geometry::plan::PlanPosition;

/// An edge or a link that is crossed like one: from its right end to its left, as seen from the
/// polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portal {
    pub(crate) crossing: u32,
    pub(crate) right: PlanPosition,
    pub(crate) left: PlanPosition,
}

impl NavMesh {
    /// Returns the polygon that a crossing leads to.
    ///
    /// A crossing is a number: that of an edge or, beyond the edges, of a link in one direction.
    #[inline]
    pub(crate) fn beyond(&self, crossing: u32) -> u32 {
        match self.topology.neighbours.get(crossing as usize) {
            Some(&neighbour) => neighbour,
            None => self.link_ends(crossing)[1].polygon.0,
        }
    }

    /// Returns the link of a crossing beyond the edges, and `true` if it is taken backwards.
    #[inline]
    pub(crate) fn link_of(&self, crossing: u32) -> (LinkIndex, bool) {
        let number = crossing - to_u32(self.topology.neighbours.len());
        (LinkIndex(number / 2), number % 2 == 1)
    }

    /// Returns the link of a crossing beyond the edges.
    #[inline]
    pub(crate) fn link_at(&self, crossing: u32) -> &Link {
        &self.links.links[self.link_of(crossing).0.index()]
    }

    /// Returns the segments where a link is left and reached in the direction of a crossing.
    #[inline]
    pub(crate) fn link_ends(&self, crossing: u32) -> [&LinkEnd; 2] {
        let (link, backwards) = self.link_of(crossing);
        self.links.links[link.index()].ends(backwards)
    }

    /// Returns the crossing of an entry of [`Links::leaving`](super::links::Links::leaving).
    #[inline]
    pub(crate) fn crossing_of(&self, leaving: u32) -> u32 {
        to_u32(self.topology.neighbours.len()) + leaving
    }

    /// Returns the crossings of the open links that leave a polygon.
    #[inline]
    pub(crate) fn links_from(&self, polygon: u32) -> impl Iterator<Item = u32> + Clone + use<'_> {
        self.links.leaving(polygon).iter().map(|&leaving| self.crossing_of(leaving))
    }

    /// Returns the open links that leave a polygon and are crossed like an edge.
    #[inline]
    pub(crate) fn link_portals(&self, polygon: u32) -> impl Iterator<Item = Portal> + use<'_> {
        let links = self.links_from(polygon).filter(|&crossing| self.is_crossed(crossing));
        links.map(move |crossing| self.portal(polygon, crossing))
    }

    /// Returns the portals of a polygon: its edges with a neighbour, then links that are crossed
    /// like an edge.
    pub(crate) fn portals(&self, polygon: u32) -> impl Iterator<Item = Portal> + use<'_> {
        self.edge_portals(polygon).chain(self.link_portals(polygon))
    }

    /// Returns the edges of a polygon with a neighbour, as portals.
    #[inline]
    pub(crate) fn edge_portals(&self, polygon: u32) -> impl Iterator<Item = Portal> + use<'_> {
        let Range { start, end } = self.edge_range(polygon as usize);
        let open = (start..end).filter(|&edge| self.topology.neighbours[edge] != NO_NEIGHBOUR);
        open.map(move |edge| {
            let [right, left] =
                [edge, if edge + 1 == end { start } else { edge + 1 }].map(|corner| self.corner_at(corner));
            Portal { crossing: to_u32(edge), right, left }
        })
    }

    /// Returns the edges of a polygon with a neighbour.
    #[inline]
    pub(crate) fn open_edges(&self, polygon: u32) -> impl Iterator<Item = u32> + Clone + use<'_> {
        let edges = self.edge_range(polygon as usize).map(to_u32);
        edges.filter(|&edge| self.topology.neighbours[edge as usize] != NO_NEIGHBOUR)
    }

    /// Returns an edge or a link that is crossed like one, as a portal of its polygon.
    #[inline]
    pub(crate) fn portal(&self, polygon: u32, crossing: u32) -> Portal {
        let [right, left] = self.edge_ends(PolyId(polygon), crossing);
        Portal { crossing, right, left }
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
        self.is_link(crossing) && !self.link_at(crossing).is_free()
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
        self.ends_of(polygon.0, crossing as usize)
    }

    /// Returns the ends of an edge in the plan: right and left of an agent that leaves across it.
    #[inline]
    pub(crate) fn ends_of(&self, polygon: u32, edge: usize) -> [PlanPosition; 2] {
        [edge, self.corner_after(polygon, edge)].map(|corner| self.corner_at(corner))
    }

    /// Returns a corner in the plan.
    #[inline]
    pub(crate) fn corner_at(&self, corner: usize) -> PlanPosition {
        let Corner { x, z, .. } = self.topology.corners[corner];
        PlanPosition::on_grid(x, z)
    }

    /// Returns the corner after another one round a polygon, counter-clockwise.
    #[inline]
    pub(crate) fn corner_after(&self, polygon: u32, corner: usize) -> usize {
        let range = self.edge_range(polygon as usize);
        if corner + 1 == range.end { range.start } else { corner + 1 }
    }

    /// Returns the corner before another one round a polygon.
    #[inline]
    pub(crate) fn corner_before(&self, polygon: u32, corner: usize) -> usize {
        let range = self.edge_range(polygon as usize);
        if corner == range.start { range.end - 1 } else { corner - 1 }
    }

    #[inline]
    pub(crate) fn edge_corners(&self, polygon: PolyId, edge: u32) -> [&Corner; 2] {
        let edge = edge as usize;
        [edge, self.corner_after(polygon.0, edge)].map(|corner| &self.topology.corners[corner])
    }
}
