//! Paths of discs of any radius, on a mesh that knows how far its walls are.

use glam::Vec3;
use waymesh_graph::Reach;

#[cfg(not(feature = "bake"))]
use crate::error::Kind;
use crate::error::Thrown;
use crate::mesh::{Memory, NavMesh};

/// A disc that goes somewhere.
pub(crate) struct Disc {
    pub(crate) from: Vec3,
    pub(crate) to: Vec3,
    pub(crate) radius: f32,
    /// A good path, found fast, instead of the shortest one.
    pub(crate) fast: bool,
}

#[cfg(feature = "bake")]
mod with_clearance {
    use waymesh::ClearanceNavMesh;
    use waymesh::graph::ClearPathOptions;
    use waymesh_graph::{PathSearch, QueryError};

    use super::{Disc, Memory, NavMesh, Reach, Thrown};
    use crate::error::OrThrow;

    /// The mesh with the distances of its walls.
    pub(crate) fn clearance_of(mesh: &waymesh_graph::NavMesh) -> Thrown<ClearanceNavMesh> {
        let config = waymesh::triangulate::ClearanceConfig::default();
        waymesh::with_clearance(waymesh_graph::NavMesh::clone(mesh), &config).or_throw()
    }

    impl NavMesh {
        /// Finds the path of a disc into the memory.
        pub(crate) fn find_for_disc(
            &self,
            Disc { from, to, radius, fast }: &Disc,
            allow_partial: bool,
            reach: Option<Reach>,
            memory: &mut Memory,
        ) -> Thrown<()> {
            let mesh = if let Some(mesh) = self.clearance.get() {
                mesh
            } else {
                let made = clearance_of(&self.mesh)?;
                self.clearance.get_or_init(|| made)
            };
            let search = if *fast { PathSearch::Fast } else { PathSearch::Shortest };
            let mut options =
                ClearPathOptions::new(*radius).with_search(search).with_allow_partial(allow_partial);
            options.reach = reach;
            let Memory { scratch, path } = memory;
            let mut query = mesh.query(*radius).options(options).memory(scratch);
            QueryError::accept_no_path(query.path_into(*from, *to, path)).or_throw()
        }
    }
}

#[cfg(all(feature = "bake", feature = "crowd"))]
pub(crate) use with_clearance::clearance_of;

#[cfg(not(feature = "bake"))]
const ELSEWHERE: &str = "a radius needs the whole package: import waymesh instead of waymesh/queries";

#[cfg(not(feature = "bake"))]
impl NavMesh {
    #[expect(clippy::unused_self, reason = "the package with bakes uses all")]
    pub(crate) fn find_for_disc(&self, disc: &Disc, _: bool, _: Option<Reach>, _: &mut Memory) -> Thrown<()> {
        let _ = (disc.from, disc.to, disc.radius, disc.fast);
        Err(Kind::Query.error(ELSEWHERE))
    }
}

#[cfg(all(feature = "crowd", not(feature = "bake")))]
pub(crate) fn clearance_of(_: &waymesh_graph::NavMesh) -> Thrown<waymesh_graph::ClearanceNavMesh> {
    Err(Kind::Query.error(ELSEWHERE))
}
