//! Both ends of a path, on the mesh.

use glam::Vec3;
use waymesh_core::PolyId;

use super::options::PathOptions;
use crate::locate::error::{PathEnd, QueryError};
use crate::locate::nearest::{Location, Spot};
use crate::locate::place::Place;
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
    /// Returns the start as a place in its polygon.
    pub(crate) fn from(&self, mesh: &NavMesh) -> Place {
        let (polygon, generation) = (PolyId(self.start.polygon), mesh.generation);
        Location { polygon, position: self.start_position, generation }.into()
    }
}

impl NavMesh {
    /// Checks the arguments and locates both ends. Returns the pairs of their places, those first that
    /// may be connected; at least one pair.
    pub(crate) fn path_ends<F: PolygonFilter, C: TravelCost, S>(
        &self,
        (from, polygon): (Vec3, Option<PolyId>),
        to: Vec3,
        options: &PathOptions<F, C, S>,
    ) -> Result<Pairs, QueryError> {
        if let Some(error) = options.ground_error {
            unless_0_or_more("ground_error", error)?;
        }
        if let Some((area, value)) = options.cost.bad_cost() {
            return Err(QueryError::BadCost { area, value });
        }
        let usable = options.usable();
        let known = polygon.filter(|&polygon| usable.allows(self, polygon));
        let known = known.map(|polygon| Location { polygon, position: from, generation: self.generation });
        let places = |end, position| {
            let spot = self.locate(end, position, options.reach, &usable)?;
            Ok::<_, QueryError>(self.places_at(spot, &usable))
        };
        let starts = match known {
            Some(place) => Places::from_slice(&[self.at_corner(self.spot_of(&place)?)]),
            None => places(PathEnd::Start, from)?,
        };
        let goals = places(PathEnd::Goal, to)?;
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

    /// Returns the place nearest to an end.
    pub(crate) fn locate(
        &self,
        end: PathEnd,
        position: Vec3,
        reach: Option<Reach>,
        filter: &impl PolygonFilter,
    ) -> Result<Spot, QueryError> {
        let spot =
            self.located(end, position, reach, |reach| self.nearest_allowed(position, reach, filter))?;
        Ok(self.at_corner(spot))
    }
}
