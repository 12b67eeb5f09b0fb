//! Many paths in one call, on all threads.

use glam::Vec3;
use waymesh_core::checkpoint;

use super::searcher::PathSearcher;
use crate::locate::error::QueryError;
use crate::mesh::costs::TravelCost;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;
use crate::path::options::PathOptions;
use crate::path::result::Path;
use crate::scratch::QueryScratch;

/// Pairs that one thread takes at a time.
const PAIRS_AT_ONCE: usize = 8;

impl NavMesh {
    /// Finds the paths of many pairs of ends: see [`crate::Query::paths_into`].
    pub(crate) fn find_paths<F, C, S>(
        &self,
        pairs: &[[Vec3; 2]],
        options: &PathOptions<F, C, S>,
        scratch: &mut QueryScratch,
        paths: &mut Vec<Result<Path, QueryError>>,
    ) where
        F: PolygonFilter + Sync,
        C: TravelCost + Sync,
        S: PathSearcher<F, C> + Sync,
    {
        paths.resize_with(pairs.len(), || Ok(Path::default()));
        scratch.threads.for_each(paths, PAIRS_AT_ONCE, |number, slot, scratch| {
            checkpoint();
            let [from, to] = pairs[number];
            let mut path = std::mem::replace(slot, Ok(Path::default())).unwrap_or_default();
            *slot = self.find_path_into(from.into(), to.into(), options, scratch, &mut path).map(|()| path);
        });
    }
}
