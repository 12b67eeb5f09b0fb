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

/// The two ends of a search, and what it may use between them.
#[derive(Debug)]
pub(crate) struct Between<'a, F, C> {
    pub(super) mesh: &'a NavMesh,
    pub(super) ends: [&'a Spot; 2],
    pub(super) usable: &'a Usable<'a, F, C>,
}

/// The private half of [`PathSearcher`].
#[expect(unnameable_types, private_interfaces, reason = "sealed: only this crate calls and implements it")]
pub trait Searcher<F, C> {
    /// Prepares for a query. Called once, before any search.
    #[doc(hidden)]
    fn begin(&self, mesh: &NavMesh, usable: &Usable<'_, F, C>, scratch: &mut QueryScratch) {
        let _ = (mesh, usable);
        scratch.hierarchy.how = None;
    }

    /// Begins a search that opens `most` nodes at most.
    #[doc(hidden)]
    fn start(&self, on: &Between<'_, F, C>, most: usize, scratch: &mut QueryScratch) {
        let _ = (on, most, scratch);
    }

    /// Continues the search between the same ends by at most `nodes` nodes, and subtracts the opened
    /// ones; a search without slices ends at once. Leaves the edges and links to cross in
    /// `scratch.paths.corridor`.
    #[doc(hidden)]
    fn advance(&self, on: &Between<'_, F, C>, nodes: &mut usize, scratch: &mut QueryScratch) -> Progress;
}

#[expect(private_interfaces, reason = "sealed")]
impl<F: PolygonFilter, C: TravelCost> Searcher<F, C> for PathSearch {
    fn start(&self, on: &Between<'_, F, C>, most: usize, scratch: &mut QueryScratch) {
        let (&Between { mesh, ends, usable }, paths) = (on, &mut scratch.paths);
        (paths.found_by, paths.left) = (*self, most);
        match self {
            Self::Fast => mesh.begin_corridor(ends, usable, paths),
            Self::Shortest => mesh.look_up_or_begin(ends, usable, paths),
        }
    }

    fn advance(&self, on: &Between<'_, F, C>, nodes: &mut usize, scratch: &mut QueryScratch) -> Progress {
        let (&Between { mesh, ends, usable }, paths) = (on, &mut scratch.paths);
        if paths.found_by == Self::Shortest {
            if paths.used_oracle {
                return Progress::Found;
            }
            let budget = paths.left.min(*nodes);
            let mut rest = budget;
            let progress = mesh.advance_shortest(ends[1], f64::INFINITY, usable, paths, &mut rest);
            (*nodes, paths.left) = (*nodes - (budget - rest), paths.left - (budget - rest));
            if progress != Progress::Running || paths.left > 0 {
                return progress;
            }
            (paths.was_cut, paths.found_by) = (true, Self::Fast);
            mesh.begin_corridor(ends, usable, paths);
        }
        mesh.advance_corridor(ends, usable, paths, nodes)
    }
}

#[expect(private_interfaces, reason = "sealed")]
impl<F: PolygonFilter + PartialEq, C: TravelCost + PartialEq> Searcher<F, C> for &Hierarchy<F, C> {
    fn begin(&self, mesh: &NavMesh, usable: &Usable<'_, F, C>, scratch: &mut QueryScratch) {
        Hierarchy::begin(self, mesh, usable, &mut scratch.hierarchy);
    }

    fn advance(&self, on: &Between<'_, F, C>, _nodes: &mut usize, scratch: &mut QueryScratch) -> Progress {
        let QueryScratch { paths, hierarchy, .. } = scratch;
        Hierarchy::search(self, on.mesh, on.ends, on.usable, hierarchy, paths).into()
    }
}

#[expect(private_interfaces, reason = "sealed")]
impl<F: PolygonFilter, C: TravelCost> Searcher<F, C> for &RelaxedPolygons {
    fn advance(&self, on: &Between<'_, F, C>, _nodes: &mut usize, scratch: &mut QueryScratch) -> Progress {
        let QueryScratch { paths, relaxed, .. } = scratch;
        RelaxedPolygons::search(self, on.mesh, on.ends, on.usable, relaxed, paths).into()
    }
}
