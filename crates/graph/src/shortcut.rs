//! The hierarchy cached in a mesh for queries without filter and costs.

use std::sync::Arc;

use crate::hierarchy::Hierarchy;
use crate::locate::nearest::Spot;
use crate::mesh::costs::{Length, Usable};
use crate::mesh::filter::AnyPolygon;
use crate::mesh::nav_mesh::NavMesh;
use crate::path::options::Searcher;
use crate::scratch::QueryScratch;

/// The hierarchy of a mesh, if one was built.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shortcut(pub(crate) Option<Arc<Hierarchy>>);

/// All polygons, by length: what it is made for.
const PLAIN: Usable<'static, AnyPolygon, Length> = Usable { filter: &AnyPolygon, cost: &Length };

impl Shortcut {
    /// Prepares for a query.
    pub(crate) fn begin(&self, mesh: &NavMesh, scratch: &mut QueryScratch) {
        if let Some(hierarchy) = self.0.as_deref() {
            hierarchy.begin(mesh, &PLAIN, scratch);
        }
    }

    /// As [`Searcher::search`]; `None` if there is no hierarchy.
    pub(crate) fn search(
        &self,
        mesh: &NavMesh,
        ends: [&Spot; 2],
        most: usize,
        scratch: &mut QueryScratch,
    ) -> Option<bool> {
        self.0.as_deref().map(|hierarchy| hierarchy.search(mesh, ends, &PLAIN, most, scratch))
    }
}
