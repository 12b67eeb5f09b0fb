//! Searches that a query may use.

use crate::hierarchy::Hierarchy;
use crate::locate::nearest::Spot;
use crate::mesh::costs::{TravelCost, Usable};
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;
use crate::path::options::PathSearch;
use crate::path::progress::Progress;
use crate::path::relaxed::RelaxedPolygons;
use crate::scratch::QueryScratch;

/// A search algorithm: a [`PathSearch`], or a reference to a
/// [`Hierarchy`] or to [`RelaxedPolygons`].
///
/// Sealed: other crates cannot implement it.
pub trait PathSearcher<F, C>: Searcher<F, C> {}

impl<F, C, S: Searcher<F, C>> PathSearcher<F, C> for S {}

/// The private half of [`PathSearcher`].
#[expect(unnameable_types, private_interfaces, reason = "sealed: only this crate calls and implements it")]
pub trait Searcher<F, C> {
    /// Prepares for a query. Called once, before any search.
    #[doc(hidden)]
    fn begin(&self, mesh: &NavMesh, usable: &Usable<'_, F, C>, scratch: &mut QueryScratch) {
        let _ = (mesh, usable);
        scratch.hierarchy.how = None;
    }

    /// Leaves the edges and links to cross in `scratch.paths.corridor`. Returns `true` if there is
    /// a path. `most` is [`PathOptions::max_nodes`](crate::PathOptions::max_nodes).
    #[doc(hidden)]
    fn search(
        &self,
        mesh: &NavMesh,
        ends: [&Spot; 2],
        usable: &Usable<'_, F, C>,
        most: usize,
        scratch: &mut QueryScratch,
    ) -> bool;
}

#[expect(private_interfaces, reason = "sealed")]
impl<F: PolygonFilter, C: TravelCost> Searcher<F, C> for PathSearch {
    fn search(
        &self,
        mesh: &NavMesh,
        [start, goal]: [&Spot; 2],
        usable: &Usable<'_, F, C>,
        most: usize,
        scratch: &mut QueryScratch,
    ) -> bool {
        let paths = &mut scratch.paths;
        if *self == Self::Shortest {
            match mesh.search_shortest([start, goal], most, usable, paths) {
                Progress::Running => paths.was_cut = true,
                progress => {
                    paths.found_by = PathSearch::Shortest;
                    return progress == Progress::Found;
                }
            }
        }
        mesh.search_corridor([start, goal], usable, paths)
    }
}

#[expect(private_interfaces, reason = "sealed")]
impl<F: PolygonFilter + PartialEq, C: TravelCost + PartialEq> Searcher<F, C> for &Hierarchy<F, C> {
    fn begin(&self, mesh: &NavMesh, usable: &Usable<'_, F, C>, scratch: &mut QueryScratch) {
        Hierarchy::begin(self, mesh, usable, &mut scratch.hierarchy);
    }

    fn search(
        &self,
        mesh: &NavMesh,
        ends: [&Spot; 2],
        usable: &Usable<'_, F, C>,
        _most: usize,
        scratch: &mut QueryScratch,
    ) -> bool {
        let QueryScratch { paths, hierarchy, .. } = scratch;
        Hierarchy::search(self, mesh, ends, usable, hierarchy, paths)
    }
}

#[expect(private_interfaces, reason = "sealed")]
impl<F: PolygonFilter, C: TravelCost> Searcher<F, C> for &RelaxedPolygons {
    fn search(
        &self,
        mesh: &NavMesh,
        ends: [&Spot; 2],
        usable: &Usable<'_, F, C>,
        _most: usize,
        scratch: &mut QueryScratch,
    ) -> bool {
        let QueryScratch { paths, relaxed, .. } = scratch;
        RelaxedPolygons::search(self, mesh, ends, usable, relaxed, paths)
    }
}
