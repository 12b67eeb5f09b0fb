//! The places of one position: where pieces of ground touch without a crossing, it lies on each.

use glam::Vec3;
use smallvec::SmallVec;
use waymesh_core::{PolyId, to_u32};

use super::nearest::{Location, Spot};
use super::reach::Reach;
use crate::geometry::plan::{PlanPosition, to_segment_squared};
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;

/// The places of one position.
pub(crate) type Places = SmallVec<[Spot; 1]>;

/// Heights of one place differ by no more than the slack on ground of this slope.
pub(crate) const STEEPEST: f64 = 8.0;

impl NavMesh {
    /// Returns the places that a position may mean: the one given, at the corner if that is within
    /// the slack, and one on each other piece of ground within the slack. Ground beyond a link that is
    /// closed, or that the filter refuses, is none of them.
    pub(crate) fn places_at(&self, spot: Spot, filter: &impl PolygonFilter) -> Places {
        let spot = self.at_corner(spot);
        let mut places = Places::from_slice(&[spot]);
        if !self.is_at_wall(&spot) {
            return places;
        }
        let (at, slack) = (spot.at, self.slack());
        let height = self.height_at(spot.polygon as usize, at);
        let level = f64::from(self.frame.cell_size) / f64::from(self.frame.level_height);
        let most = 2.0 * self.vertices.height_slack + STEEPEST * slack * level;
        let mut near = SmallVec::<[u32; 16]>::new();
        self.each_in_circle(at, slack, [height - most, height + most], |polygon| {
            if filter.allows(self, PolyId(polygon)) {
                near.push(polygon);
            }
        });
        near.sort_unstable_by(|&a, &b| self.compare_polygons(PolyId(a), PolyId(b)));
        let mut seen = self.connected_at(spot.polygon, at, slack, filter);
        for polygon in near {
            if seen.contains(&polygon) {
                continue;
            }
            let ground = self.connected_at(polygon, at, slack, filter);
            let at = self.inside(polygon, at);
            let height_there = self.height_at(polygon as usize, at);
            let is_closed = self.links.links.iter().zip(&self.links.ids).any(|(link, &id)| {
                let [a, b] = [link.from.polygon.0, link.to.polygon.0];
                let joins = |a, b| seen.contains(&a) && ground.contains(&b);
                (joins(a, b) || joins(b, a)) && !(link.is_open && filter.allows_link(self, id))
            });
            if !is_closed && (height_there - height).abs() <= most {
                places.push(Spot { polygon, at, height: height_there, ..spot });
            }
            seen.extend(ground);
        }
        places
    }

    /// Returns `true` if a place lies at a corner of its polygon, or within the slack of an edge
    /// without a neighbour.
    fn is_at_wall(&self, spot: &Spot) -> bool {
        let slack = self.slack();
        self.edge_range(spot.polygon as usize).any(|edge| {
            let [a, b] = self.ends_of(spot.polygon, edge);
            let aside = to_segment_squared(a, b, spot.at);
            a == spot.at || (self.topology.neighbours[edge] == NO_NEIGHBOUR && aside <= slack * slack)
        })
    }

    /// Returns the place nearest to a position from which a straight line gets farthest towards `to`:
    /// [`NavMesh::nearest_with`], but where pieces of ground touch at that place, the piece that lies
    /// in the direction of `to`.
    #[must_use]
    pub fn nearest_towards(
        &self,
        position: Vec3,
        to: Vec3,
        reach: &Reach,
        filter: &impl PolygonFilter,
    ) -> Option<Location> {
        let spot = self.nearest_allowed(position, reach, filter)?;
        let mut best = (-1.0, self.location(&spot, position));
        let others = self.places_at(spot, filter);
        if others.len() == 1 {
            return Some(best.1);
        }
        let places = [spot].into_iter().chain(others.into_iter().skip(1));
        for place in places.map(|spot| self.location(&spot, position)) {
            let ray = self.raycast(&place, to, filter, &mut Vec::new()).ok()?;
            if ray.fraction > best.0 {
                best = (ray.fraction, place);
            }
        }
        Some(best.1)
    }

    /// Returns the polygons that are connected with one over edges, and over links that are crossed
    /// like edges, within a distance of a place on its border; the polygon itself comes first.
    pub(crate) fn connected_at(
        &self,
        polygon: u32,
        at: PlanPosition,
        distance: f64,
        filter: &impl PolygonFilter,
    ) -> SmallVec<[u32; 16]> {
        self.connected_over(polygon, filter, |[a, b]| to_segment_squared(a, b, at) <= distance * distance)
    }

    /// Returns a polygon, and all that are reached from it over those edges, and links that are crossed
    /// like edges, which `meets` accepts by their ends.
    pub(crate) fn connected_over(
        &self,
        polygon: u32,
        filter: &impl PolygonFilter,
        meets: impl Fn([PlanPosition; 2]) -> bool,
    ) -> SmallVec<[u32; 16]> {
        let mut connected = SmallVec::from_slice(&[polygon]);
        let mut next = 0;
        while let Some(&polygon) = connected.get(next) {
            next += 1;
            let edges = self.edge_range(polygon as usize);
            let edges = edges.filter(|&edge| meets(self.ends_of(polygon, edge)));
            let portals = self.link_portals(polygon).filter(|portal| meets([portal.right, portal.left]));
            let crossings = edges.map(to_u32).chain(portals.map(|portal| portal.crossing));
            for other in crossings.filter_map(|crossing| self.open_crossing(polygon, crossing, filter)) {
                if !connected.contains(&other) {
                    connected.push(other);
                }
            }
        }
        connected
    }
}
