//! The shortest path of all.

use glam::Vec3;

use super::{Path, PathOptions, PathScratch};
use crate::locate::error::QueryError;
use crate::locate::nearest::Spot;
use crate::mesh::costs::{TravelCost, Usable};
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;

impl NavMesh {
    /// The shortest way from `from` to `to`, with the default [`PathOptions`]: see
    /// [`NavMesh::find_shortest_path_with`].
    ///
    /// # Errors
    /// As [`NavMesh::find_path`].
    pub fn find_shortest_path(
        &self,
        from: Vec3,
        to: Vec3,
        scratch: &mut PathScratch,
    ) -> Result<Path, QueryError> {
        self.find_shortest_path_with(from, to, &PathOptions::default(), scratch)
    }

    /// The shortest way from `from` to `to` over the polygons that the filter allows.
    ///
    /// # Guarantees
    /// - No way is shorter in the plan, on storeys above each other too: which side of an edge or a
    ///   ray a corner lies on is decided exactly, and lengths are rounded by less than a billionth.
    /// - Rises and falls do not count while it searches: [`Path::length`] is that of the points
    ///   found, in space.
    /// - Costs ([`PathOptions::cost`]) do not count while it searches, except that infinite ones
    ///   close polygons: it is the shortest path, not the cheapest. It costs at most as many times
    ///   the cheapest as the dearest metre of it costs times the cheapest metre anywhere; with
    ///   equal costs per metre it *is* the cheapest, and [`NavMesh::find_path_with`] may find a
    ///   cheaper one otherwise.
    /// - Links that are crossed like an edge, and links from point to point, are taken where it is
    ///   shortest, at their distance in space and extra cost. Other links are taken from one of
    ///   nine places along their segments: from the best of these.
    /// - Partial paths and unreachable goals are as with [`NavMesh::find_path_with`].
    ///
    /// Takes time in `n log n` of the cones seen, as a rule a few times that of
    /// [`NavMesh::find_path_with`]; where a filter or one-way links leave no way at all, all
    /// that can be reached is seen. Allocates nothing but the path once `scratch` has grown, 64
    /// bytes a cone.
    ///
    /// # Errors
    /// As [`NavMesh::find_path_with`].
    ///
    /// # References
    /// Cui, Harabor and Grastien 2017, Compromise-free pathfinding on a navigation mesh, <https://doi.org/10.24963/ijcai.2017/70>.
    pub fn find_shortest_path_with<F: PolygonFilter, C: TravelCost>(
        &self,
        from: Vec3,
        to: Vec3,
        options: &PathOptions<F, C>,
        scratch: &mut PathScratch,
    ) -> Result<Path, QueryError> {
        let mut path = Path::default();
        self.find_shortest_path_into(from, to, options, scratch, &mut path)?;
        Ok(path)
    }

    /// As [`NavMesh::find_shortest_path_with`], into a path whose memory is used again.
    ///
    /// # Errors
    /// As [`NavMesh::find_path_with`]; `path` is then [`crate::Outcome::Unreachable`] and empty.
    pub fn find_shortest_path_into<F: PolygonFilter, C: TravelCost>(
        &self,
        from: Vec3,
        to: Vec3,
        options: &PathOptions<F, C>,
        scratch: &mut PathScratch,
        path: &mut Path,
    ) -> Result<(), QueryError> {
        let search = |start: &Spot, goal: &Spot, usable: &Usable<'_, F, C>, scratch: &mut PathScratch| {
            self.search_shortest(start, goal, usable, scratch)
        };
        self.route(from, to, options, scratch, path, search).map(|_| ())
    }
}
