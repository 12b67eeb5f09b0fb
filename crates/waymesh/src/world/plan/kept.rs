//! The mesh of a changing plan without the ground that is not kept. The selection depends on the
//! whole mesh, so it is computed again.

use waymesh_graph::{Link, NavMesh};

use crate::bake::{BakeError, Draft, Keep, Recorder, StageSet};
use crate::world::links::WorldLinks;

/// Returns the mesh that is shown in place of one of all ground; `None` if all of it is kept. Takes
/// time in all polygons.
pub(super) fn kept(
    stages: &StageSet,
    mesh: &NavMesh,
    links: &WorldLinks,
    recorder: &mut Recorder<'_>,
) -> Result<Option<NavMesh>, BakeError> {
    let wanted = &stages.config().keep;
    if *wanted == Keep::All {
        return Ok(None);
    }
    let mesh = mesh.to_compact().into_mesh();
    let found = mesh.links_by_id().filter(|(id, _)| WorldLinks::is_found(*id));
    let found: Vec<Link> = found.map(|(_, link)| Link { is_open: true, ..*link }).collect();
    let mut draft = Draft { polygons: mesh.poly_mesh(), surface: None, links: found };
    draft.keep(stages, wanted, 0.0, recorder)?;
    Ok(Some(links.put_on(draft.into_mesh(stages, recorder)?)?))
}
