//! An oracle for shortest paths: tables that are made once, so that a query need not search.

mod labels;
mod origins;
mod views;

use std::sync::Arc;

use origins::Seer;
use waymesh_core::{PolyId, threads};

use crate::mesh::nav_mesh::NavMesh;
use crate::mesh::oracle::{AttachedOracle, Label, Oracle, Origin, PathOracle};
use crate::path::any_angle::AnyAngle;
use crate::path::any_angle::leg::Side;

/// Figures of an oracle: see [`NavMesh::build_oracle`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct OracleFigures {
    /// Corners that paths turn at, and links in each direction and place.
    pub sites: usize,
    /// Stored shortest paths from sites to hubs.
    pub labels: usize,
    /// Stored views from a site into a polygon.
    pub views: usize,
    /// Memory of all tables, in bytes.
    pub bytes: usize,
    /// Share of the mesh's area, from 0 to 1, where paths that begin and end there are looked up.
    pub covered: f64,
}

impl NavMesh {
    /// Makes an oracle: tables by which shortest paths are looked up instead of searched for.
    /// Returns its figures. [`Query::path`](crate::Query::path) with
    /// [`shortest`](crate::Query::shortest), [`Query::distance`](crate::Query::distance) and all
    /// else that finds a [`PathSearch::Shortest`](crate::PathSearch::Shortest) use it from then on.
    ///
    /// - Lengths are those of the search, up to the rounding of single precision. Of two paths of
    ///   one length the other may be found.
    /// - It serves queries without filter and costs, on the polygons and links for which it was
    ///   made: while links are others, and for any other query, paths are searched for as without
    ///   it. [`QueryScratch::used_oracle`](crate::QueryScratch::used_oracle) returns which it was.
    /// - Clones of the mesh share it. It is not stored in files. Calling this again replaces it.
    /// - A world that changes keeps one made on another thread: [`NavMesh::make_oracle`].
    /// - It takes at most `max_bytes` of memory, and 4 GB, and several times as much while it is
    ///   made. More memory makes queries faster. If it is too little for all, paths from some
    ///   polygons are searched for: those whose tables take most for their area. If it is too
    ///   little for the hub labels alone, and with links that are crossed like an edge, but in one
    ///   direction only or at a cost, there is no oracle, and all figures are 0.
    /// - It takes up to 13 s on the maps measured, of 60 to 7,800 corners, within 64 MB on 2
    ///   threads. It runs on all threads of the rayon pool it is called in; the result does not
    ///   depend on how many there are.
    ///
    /// Without the feature `oracle` of this crate none is made.
    ///
    /// # References
    /// - Du, Shen and Cheema 2024, EHL*: memory-budgeted indexing for ultrafast optimal Euclidean pathfinding, <https://arxiv.org/abs/2408.11341>. There
    ///   squares of a grid know the corners that they see. Here polygons and parts of them do, with
    ///   the exact ground that is seen. That includes storeys and links, and no query tests what is
    ///   in sight.
    ///
    /// ```
    /// # use glam::Vec3;
    /// # use waymesh_core::{AreaId, Poly, PolyId, PolyMesh, GridFrame, PlanPoint, PlanVertex, RegionId, VertexId};
    /// # let points = [(0, 0), (10, 0), (20, 0), (20, 10), (10, 10), (10, 20), (0, 20), (0, 10)];
    /// # let polygon = |first: u32| Poly { first, len: 4, region: RegionId(0), area: AreaId::GROUND };
    /// # let mut mesh = waymesh_graph::NavMesh::try_from(PolyMesh {
    /// #     frame: GridFrame { origin: Vec3::ZERO, cell_size: 1.0, level_height: 1.0, width: 20, depth: 20 },
    /// #     vertices: points.map(|(x, z)| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }).to_vec(),
    /// #     polygons: vec![polygon(0), polygon(4), polygon(8)],
    /// #     corners: [0, 1, 4, 7, 1, 2, 3, 4, 7, 4, 5, 6].map(VertexId).to_vec(),
    /// #     neighbours: [None, Some(1), Some(2), None, None, None, None, Some(0), Some(0), None, None, None]
    /// #         .map(|polygon| polygon.map(PolyId)).to_vec(),
    /// # })?;
    /// // Round the corner of a wall at (10, 10).
    /// let (from, to) = (Vec3::new(18.0, 0.0, 9.0), Vec3::new(9.0, 0.0, 18.0));
    /// let searched = mesh.query().distance(from, to)?;
    /// let figures = mesh.build_oracle(64 << 20);
    /// assert_eq!((figures.sites, figures.covered), (1, 1.0));
    /// assert_eq!(mesh.query().distance(from, to)?, searched);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_oracle(&mut self, max_bytes: usize) -> OracleFigures {
        let oracle = self.make_oracle(max_bytes);
        self.set_oracle(oracle);
        self.oracle_figures().unwrap_or_default()
    }

    /// Makes the tables of [`NavMesh::build_oracle`], for [`NavMesh::set_oracle`] or a
    /// [`TiledMesh`](crate::TiledMesh) and the worlds of `waymesh`. `None` where there is no oracle.
    #[must_use]
    pub fn make_oracle(&self, max_bytes: usize) -> Option<PathOracle> {
        if !cfg!(feature = "oracle") {
            return None;
        }
        // Entries are named by 32 bits.
        self.oracle_within(max_bytes.min(u32::MAX as usize)).map(Arc::new).map(PathOracle)
    }

    /// Returns the oracle of the mesh, in use or not.
    #[must_use]
    pub fn oracle(&self) -> Option<PathOracle> {
        Some(PathOracle(self.oracle.as_ref()?.tables.clone()))
    }

    /// Replaces the oracle by one that was made for a mesh with the same polygons and links. Any
    /// other is not used.
    pub fn set_oracle(&mut self, oracle: Option<PathOracle>) {
        let side = self.tiles().map_or(1, |tiles| tiles.side());
        self.oracle = oracle.map(|oracle| AttachedOracle::new(oracle.0, side));
    }

    /// Returns the figures of the oracle that the mesh has: see [`NavMesh::build_oracle`]. While
    /// links are others than it was made for, it is not in use and covers nothing.
    #[must_use]
    pub fn oracle_figures(&self) -> Option<OracleFigures> {
        let oracle = &*self.oracle.as_ref()?.tables;
        Some(OracleFigures {
            sites: oracle.sites.len(),
            labels: oracle.ends().map(|end| end.labels.len()).sum(),
            views: oracle.ends().map(|end| end.views.len() - 1).sum(),
            bytes: oracle.bytes(),
            covered: self.oracle_in_use().map_or(0.0, |oracle| oracle.tables.covered),
        })
    }

    fn oracle_within(&self, max_bytes: usize) -> Option<Oracle> {
        let (sites, seers) = origins::find(self)?;
        let legs =
            threads::map_with(&seers, |memory: &mut AnyAngle, seer: &Seer| origins::leg(self, seer, memory));
        let forward = origins::graph(self, &sites, &seers, &legs);
        let has_links = seers.iter().any(|seer| seer.lands != seer.leaves);
        let backward = has_links.then(|| forward.reversed());
        let most = max_bytes / size_of::<Label>();
        let (mut starts, mut goals) = labels::labels(&forward, backward.as_ref(), most)?;
        let (views, rays) = views::views(&legs);
        drop(legs);
        let of_starts = |seer: &Seer| Origin { at: seer.at, site: seer.leaves, length: seer.length };
        starts.origins = seers.iter().map(of_starts).collect();
        if let Some(goals) = &mut goals {
            let of_goals = |seer: &Seer| Origin { at: seer.at, site: seer.lands, length: 0.0 };
            goals.origins = seers.iter().map(of_goals).collect();
        }
        let made_for = [self.generation.0, self.links.stamp];
        let is_wound = seers.iter().any(|seer| seer.side == Side::All);
        let tiles = self.tiles().map(|tiles| tiles.ground().collect()).unwrap_or_default();
        let mut oracle =
            Oracle { made_for, tiles, sites, rays, cells: Vec::new(), starts, goals, is_wound, covered: 1.0 };
        let bytes = max_bytes.checked_sub(oracle.bytes())?;
        let without = views::fill(self, &seers, &views, &mut oracle, bytes)?;
        let area = |polygon: u32| self.polygon(PolyId(polygon)).map_or(0.0, |polygon| polygon.area());
        let covered = 1.0 - without.into_iter().map(area).sum::<f64>() / self.area();
        oracle.covered = covered.clamp(0.0, 1.0);
        Some(oracle)
    }
}
