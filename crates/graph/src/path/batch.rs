//! Many paths at once, on all threads.

use std::sync::{Mutex, TryLockError};

use glam::Vec3;
use rayon::prelude::*;

use super::{Path, PathOptions, PathScratch};
use crate::locate::error::QueryError;
use crate::mesh::costs::TravelCost;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::nav_mesh::NavMesh;

/// What batches of paths write: one [`PathScratch`] a thread. It serves any mesh and any pool of
/// threads.
#[derive(Debug, Default)]
pub struct BatchScratch {
    threads: Vec<Mutex<PathScratch>>,
}

impl NavMesh {
    /// The paths of many pairs of ends, each as [`NavMesh::find_path_with`] finds it, in the order
    /// of the pairs.
    ///
    /// - Runs on the threads of the rayon pool it is called in. The result does not depend on how
    ///   many there are.
    /// - One pair that has no answer does not hold up the others: each has its own error.
    /// - `paths` gets as many entries as there are pairs; those that are there lend their memory.
    ///   With scratch and paths used again, nothing is allocated but what rayon itself needs.
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
    /// use waymesh_graph::{BatchScratch, PathOptions};
    ///
    /// let pairs = [[Vec3::new(1.0, 0.0, 1.0), Vec3::new(4.0, 0.0, 5.0)], [Vec3::ONE, Vec3::NAN]];
    /// let (mut scratch, mut paths) = (BatchScratch::default(), Vec::new());
    /// mesh.find_paths(&pairs, &PathOptions::default(), &mut scratch, &mut paths);
    /// assert!((paths[0].as_ref().map_err(|error| *error)?.length - 5.0).abs() < 1e-5);
    /// assert!(paths[1].is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_paths<F: PolygonFilter + Sync, C: TravelCost + Sync>(
        &self,
        pairs: &[[Vec3; 2]],
        options: &PathOptions<F, C>,
        scratch: &mut BatchScratch,
        paths: &mut Vec<Result<Path, QueryError>>,
    ) {
        scratch.run(pairs, paths, |[from, to], scratch, path| {
            self.find_path_into(from, to, options, scratch, path)
        });
    }

    /// As [`NavMesh::find_paths`], for shortest paths: each as [`NavMesh::find_shortest_path_with`]
    /// finds it.
    pub fn find_shortest_paths<F: PolygonFilter + Sync, C: TravelCost + Sync>(
        &self,
        pairs: &[[Vec3; 2]],
        options: &PathOptions<F, C>,
        scratch: &mut BatchScratch,
        paths: &mut Vec<Result<Path, QueryError>>,
    ) {
        scratch.run(pairs, paths, |[from, to], scratch, path| {
            self.find_shortest_path_into(from, to, options, scratch, path)
        });
    }
}

impl BatchScratch {
    fn run(
        &mut self,
        pairs: &[[Vec3; 2]],
        paths: &mut Vec<Result<Path, QueryError>>,
        find: impl Fn([Vec3; 2], &mut PathScratch, &mut Path) -> Result<(), QueryError> + Sync,
    ) {
        let threads = rayon::current_num_threads().max(1);
        if self.threads.len() < threads {
            self.threads.resize_with(threads, Mutex::default);
        }
        paths.resize_with(pairs.len(), || Ok(Path::default()));
        let threads = &self.threads;
        paths.par_iter_mut().zip(pairs).with_min_len(8).for_each(|(slot, &pair)| {
            let thread = rayon::current_thread_index().unwrap_or(0) % threads.len();
            let mut path = std::mem::replace(slot, Ok(Path::default())).unwrap_or_default();
            // A thread has its own: it is taken only if a filter runs other work of the pool in between.
            let found = match threads[thread].try_lock() {
                Ok(mut scratch) => find(pair, &mut scratch, &mut path),
                Err(TryLockError::Poisoned(scratch)) => find(pair, &mut scratch.into_inner(), &mut path),
                Err(TryLockError::WouldBlock) => find(pair, &mut PathScratch::default(), &mut path),
            };
            *slot = found.map(|()| path);
        });
    }
}
