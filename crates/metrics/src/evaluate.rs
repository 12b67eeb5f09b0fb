//! Evaluation: all figures of one mesh.

use glam::Vec3;
use waymesh_graph::{NavMesh, Outcome, PathOptions, QueryScratch};

use crate::border::judge_clearance;
use crate::fans::Fans;
use crate::ground::{judge_coverage, judge_excess};
use crate::mesh::{JudgedMesh, MeshIndex};
use crate::oracle::Oracle;
use crate::paths::{Route, Router, judge_connectivity, judge_paths};
use crate::report::{Evaluation, Places};
use crate::shape::{judge_shape, judge_validity};
use crate::units::percent;

/// The evaluation of a mesh, with the places of its faults.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// The figures.
    pub evaluation: Evaluation,
    /// Places for a picture.
    pub places: Places,
}

impl Judgement {
    /// Returns a short legend for the marks of a picture: those of [`Places::missed`] and those of
    /// [`Places::excess`].
    #[must_use]
    pub fn legend(&self) -> [String; 2] {
        let Evaluation { coverage, excess, .. } = &self.evaluation;
        [
            format!("no mesh, but an agent can stand here ({})", percent(coverage.map(|share| 1.0 - share))),
            format!("mesh, but no agent can stand here ({} of the mesh)", percent(excess.total)),
        ]
    }
}

impl Oracle {
    /// Judges a mesh. Without a router [`Evaluation::paths`] stays empty.
    ///
    /// The same mesh, scene, agent and configuration give the same figures, query times aside.
    pub fn evaluate(&self, mesh: &JudgedMesh, router: Option<Router<'_>>) -> Judgement {
        let mut judgement = Judgement::default();
        let Judgement { evaluation, places } = &mut judgement;
        let index = MeshIndex::new(mesh);
        let fans = Fans::new(mesh);
        judge_coverage(self, &index, evaluation, places);
        judge_excess(self, mesh, evaluation, places);
        judge_shape(self, mesh, &fans, evaluation);
        judge_validity(self, mesh, &index, &fans, evaluation);
        evaluation.connectivity = judge_connectivity(self, mesh, &index);
        evaluation.clearance_error = judge_clearance(self, mesh);
        if let Some(router) = router {
            evaluation.paths = judge_paths(self, mesh, &index, &fans, places, router);
        }
        evaluation.bytes_memory = mesh.bytes_memory;
        evaluation.bytes_file = mesh.bytes_file;
        judgement
    }

    /// Judges a [`NavMesh`] with its own path search.
    #[must_use]
    pub fn evaluate_nav_mesh(&self, mesh: &NavMesh, bytes_file: Option<u64>) -> Judgement {
        let judged = JudgedMesh::from(mesh);
        let bytes_memory = judged.bytes_memory;
        let judged = judged.with_bytes(bytes_memory, bytes_file);
        let mut scratch = QueryScratch::default();
        let options = PathOptions::default().with_allow_partial(false);
        let mut router = |from: Vec3, to: Vec3| {
            let path = mesh.query().options(options).memory(&mut scratch).path(from, to).ok()?;
            let leaps = path.links.iter().any(|link| !mesh.is_crossed_like_edge(link.link));
            let (has_links, points) = (!path.links.is_empty(), path.points);
            (path.outcome == Outcome::Complete).then_some(Route { points, has_links, leaps })
        };
        self.evaluate(&judged, Some(&mut router))
    }
}
