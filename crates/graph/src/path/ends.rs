//! Both ends of a path, on the mesh.

use glam::Vec3;
use waymesh_core::PolyId;

use super::options::PathOptions;
use crate::locate::error::{PathEnd, QueryError};
use crate::locate::nearest::{Location, Place, Spot};
use crate::locate::places::Places;
use crate::locate::reach::{Reach, unless_0_or_more};
use crate::mesh::costs::TravelCost;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::islands::IslandId;
use crate::mesh::nav_mesh::NavMesh;

/// Both ends of a path, on the mesh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub(crate) start: Spot,
    pub(crate) goal: Spot,
    pub(crate) start_position: Vec3,
    pub(crate) goal_position: Vec3,
}

/// Pairs of places that two positions may mean: several where pieces of ground touch.
pub(crate) type Pairs = smallvec::SmallVec<[Ends; 1]>;

impl Ends {
    /// Returns the start as a place of the mesh that it was found on.
    pub(crate) fn from(&self, mesh: &NavMesh) -> Place {
        let (polygon, position) = (PolyId(self.start.polygon), self.start_position);
        Location { polygon, position, generation: mesh.generation }.into()
    }
}

impl NavMesh {
    /// Checks the arguments and locates both ends. Returns the pairs of their places, those first that
    /// may be connected; at least one pair.
    pub(crate) fn path_ends<F: PolygonFilter, C: TravelCost, S>(
        &self,
        from: Place,
        to: Place,
        options: &PathOptions<F, C, S>,
    ) -> Result<Pairs, QueryError> {
        if let Some(error) = options.ground_error {
            unless_0_or_more("ground_error", error)?;
        }
        if let Some((area, value)) = options.cost.bad_cost() {
            return Err(QueryError::BadCost { area, value });
        }
        let usable = options.usable();
        let places = |end, place| {
            let (spot, is_known) = self.locate(end, place, options.reach, &usable)?;
            let places = if is_known { Places::from_slice(&[spot]) } else { self.places_at(spot, &usable) };
            Ok::<_, QueryError>(places)
        };
        let starts = places(PathEnd::Start, from)?;
        let goals = places(PathEnd::Goal, to)?;
        let (from, to) = (from.position(), to.position());
        let pairs = starts.iter().flat_map(|start| goals.iter().map(move |goal| (*start, *goal)));
        let mut pairs: Pairs = pairs
            .map(|(start, goal)| {
                let start_position = self.location(&start, from).position;
                let goal_position = self.location(&goal, to).position;
                Ends { start, goal, start_position, goal_position }
            })
            .collect();
        pairs.sort_by_key(|ends| !self.may_reach(ends));
        Ok(pairs)
    }

    /// Returns `true` if a path may lead from end to end.
    pub(crate) fn may_reach(&self, ends: &Ends) -> bool {
        let [from, to] = [&ends.start, &ends.goal].map(|spot| IslandId(self.island_at(spot.polygon)));
        self.may_connect(from, to)
    }

    /// Returns the place nearest to an end. `true` if it is a location of this mesh as it is: a
    /// position may lie on several pieces of ground.
    pub(crate) fn locate(
        &self,
        end: PathEnd,
        place: Place,
        reach: Option<Reach>,
        filter: &impl PolygonFilter,
    ) -> Result<(Spot, bool), QueryError> {
        let position = place.position();
        let known = place.polygon_on(self).filter(|&polygon| filter.allows(self, polygon));
        let spot = match known {
            Some(polygon) => self.spot_of(&Location { polygon, position, generation: self.generation })?,
            None => {
                self.located(end, position, reach, |reach| self.nearest_allowed(position, reach, filter))?
            }
        };
        Ok((self.at_corner(spot), known.is_some()))
    }
}
