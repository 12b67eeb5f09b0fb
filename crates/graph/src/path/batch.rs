//! Many paths in one call, on all threads.

use glam::Vec3;
use waymesh_core::checkpoint;

use super::Path;
use super::options::{PathOptions, PathSearcher};
use crate::locate::error::QueryError;
use crate::mesh::costs::TravelCost;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;
use crate::scratch::QueryScratch;

/// Pairs that one thread takes at a time.
const PAIRS_AT_ONCE: usize = 8;

impl NavMesh {
    /// Finds the paths of many pairs of ends, each as [`NavMesh::find_path`] finds it, in the order
    /// of the pairs.
    ///
    /// - Runs on the threads of the rayon pool it is called in; without the feature `rayon`, on
    ///   this thread. The result does not depend on how many there are.
    /// - Each pair has its own error; the other pairs are not affected.
    /// - The worst case is that of one pair, [`PathOptions::max_nodes`], times the pairs. A
    ///   [`CancelToken`](waymesh_core::CancelToken) ends the batch between two pairs:
    ///   `token.run(|| mesh.find_paths(..))`. The paths are then those of this batch or of the last.
    /// - `paths` gets one entry per pair; the memory of existing entries is reused. With
    ///   scratch and paths used again, only rayon allocates.
    ///
    /// ```
    /// # use glam::Vec3;
    /// # use waymesh_core::{AreaId, Poly, PolyMesh, GridFrame, PlanPoint, PlanVertex, RegionId, VertexId};
    /// # let mesh = waymesh_graph::NavMesh::try_from(PolyMesh {
    /// #     frame: GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 1.0, width: 20, depth: 20 },
    /// #     vertices: [(0, 0), (20, 0), (20, 20), (0, 20)]
    /// #         .map(|(x, z)| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }).to_vec(),
    /// #     polygons: vec![Poly { first: 0, len: 4, region: RegionId(0), area: AreaId::GROUND }],
    /// #     corners: (0..4).map(VertexId).collect(),
    /// #     neighbours: vec![None; 4],
    /// # })?;
    /// use waymesh_graph::{QueryScratch, PathOptions};
    ///
    /// let pairs = [[Vec3::new(1.0, 0.0, 1.0), Vec3::new(4.0, 0.0, 5.0)], [Vec3::ONE, Vec3::NAN]];
    /// let (mut scratch, mut paths) = (QueryScratch::default(), Vec::new());
    /// mesh.find_paths(&pairs, &PathOptions::default(), &mut scratch, &mut paths);
    /// assert!((paths[0].as_ref().map_err(|error| *error)?.length - 5.0).abs() < 1e-5);
    /// assert!(paths[1].is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_paths<F, C, S>(
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
            *slot = self.find_path_into(from, to, options, scratch, &mut path).map(|()| path);
        });
    }
}
