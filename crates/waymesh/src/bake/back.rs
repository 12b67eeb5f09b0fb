//! The back end: from ground to the mesh and its report.

use waymesh_core::stage::StageError;
use waymesh_core::{
    HeightSurface, Observer, PlanVertex, PolyId, PolyMesh, PolygonSet, SurfacePoint, TriangleSource,
    nearest_f32, to_u32,
};
use waymesh_detail::DetailError;
use waymesh_graph::NavMesh;
use waymesh_solid::RayTree;
use waymesh_voxel::Climb;

use super::config::Keep;
use super::draft::Draft;
use super::enclosed::{enclosed_share, remove_enclosed};
use super::error::BakeError;
use super::ground::{Borders, Ground, Heights};
use super::report::{Advice, HeadRoomReport, IslandReport, Recorder, Report};
use super::stages::StageSet;
use crate::links::{climb_links, find_jumps};

/// The result of [`Baker::bake_observed`](crate::Baker::bake_observed).
#[derive(Debug)]
#[non_exhaustive]
pub struct Bake {
    /// The mesh.
    pub mesh: NavMesh,
    /// Its figures.
    pub report: Report,
}

/// Most triangles of a scene with advice: a tree of more takes longer than the bake.
const MAX_ADVICE_TRIANGLES: u64 = 1_000_000;

/// Makes the mesh. `triangles` are those of the scene, where there is one.
pub(crate) fn finish(
    stages: &StageSet,
    ground: Ground<'_>,
    triangles: Option<&dyn TriangleSource>,
    recorder: &mut Recorder<'_>,
) -> Result<Bake, BakeError> {
    let Ground { borders, heights, links, climbs, refine, min_island, mut report } = ground;
    let shapes = shapes(stages, borders, &mut report, recorder)?;
    let triangulation = stages.triangles(&shapes, refine.as_ref(), recorder)?;
    drop(shapes);
    let mut polygons = stages.polygons(&triangulation, refine.as_ref(), recorder)?;
    drop(triangulation);
    let links = match links.0 {
        Some(find) => recorder.stage("links", |observer| find(&mut polygons, observer))?,
        None => Vec::new(),
    };
    let mut draft = Draft { polygons, surface: None, links };
    let config = stages.config();
    // Seeds are found by the heights of the ground. Climbs and jumps join islands, but are found where
    // heights are known and nothing is enclosed.
    let is_last = config.keep != Keep::All
        && (!climbs.is_empty()
            || matches!(config.keep, Keep::ConnectedTo(_))
            || triangles.is_some() && (config.jumps.is_some() || config.removes_enclosed()));
    let wanted = if is_last { &Keep::All } else { &config.keep };
    draft.keep(stages, wanted, min_island, recorder)?;
    draft.surface = surface(stages, heights, &draft.polygons, recorder)?;
    if let (Some(triangles), true) = (triangles, config.removes_enclosed()) {
        report.enclosed = remove_enclosed(stages, triangles, &mut draft, recorder)?;
    }
    find_links(stages, &mut draft, climbs, triangles, recorder)?;
    if is_last {
        draft.keep(stages, &config.keep, 0.0, recorder)?;
    }
    report.count_polygons(&draft.polygons, draft.surface.as_ref(), stages.config().height_detail);
    let sight = match triangles {
        Some(triangles) if recorder.wants_advice() && report.triangles <= MAX_ADVICE_TRIANGLES => {
            let look = |_: &mut dyn Observer| {
                let tree = RayTree::new(triangles)?;
                let is_gone = config.removes_enclosed();
                let enclosed = if is_gone { 0.0 } else { enclosed_share(stages, &tree, &draft) };
                Ok::<_, StageError>((tree, enclosed))
            };
            Some(recorder.stage("advice", look)?)
        }
        _ => None,
    };
    let mesh = draft.into_mesh(stages, recorder)?;
    report.links = mesh.links().len() as u64;
    report.islands = IslandReport::all(&mesh);
    report.advice = sight
        .map(|(tree, enclosed_share)| Advice { enclosed_share, ..Advice::of(&mesh, &report.islands, &tree) });
    report.head_rooms = HeadRoomReport::all(&mesh);
    Ok(Bake { mesh, report })
}

/// Regions as polygons with holes.
fn shapes(
    stages: &StageSet,
    borders: Borders,
    report: &mut Report,
    recorder: &mut Recorder<'_>,
) -> Result<PolygonSet, BakeError> {
    let contours = match borders {
        Borders::Final(shapes) => return Ok(shapes),
        Borders::Traced(raw) => stages.contours(&raw, recorder)?,
        Borders::Exact(exact) if stages.simplifies() => stages.contours(&exact, recorder)?,
        Borders::Exact(exact) => exact,
    };
    report.count_contours(&contours);
    Ok(contours.polygons())
}

/// Returns the ground in the polygons; `None` if the vertices are enough, or no detail is
/// requested.
fn surface(
    stages: &StageSet,
    heights: Heights<'_>,
    polygons: &PolyMesh,
    recorder: &mut Recorder<'_>,
) -> Result<Option<HeightSurface>, BakeError> {
    let surface = match heights {
        _ if !stages.config().height_detail => return Ok(None),
        Heights::Fitted(fit) => recorder.stage("heights", |observer| fit(polygons, observer))?,
        Heights::Planes { planes, max_error } => flat_ground(polygons, &planes, max_error)?,
        Heights::Vertices => return Ok(None),
    };
    stages.check("heights", |list| surface.violations_over(polygons, list))?;
    Ok(Some(surface))
}

/// The ground of every polygon on the plane of its region: a fan per polygon, with points of its
/// own.
///
/// # Errors
/// For corners so far from the origin that single precision does not hold them.
fn flat_ground(
    polygons: &PolyMesh,
    planes: &[[f64; 3]],
    max_error: f32,
) -> Result<HeightSurface, StageError> {
    let limit = 1 << f32::MANTISSA_DIGITS;
    let farthest = |vertex: &PlanVertex| vertex.point.x.unsigned_abs().max(vertex.point.z.unsigned_abs());
    let coordinate = polygons.vertices.iter().map(farthest).max().unwrap_or(0);
    if coordinate > limit {
        return Err(StageError::new("heights", DetailError::TooWide { coordinate, limit }));
    }
    let mut surface = HeightSurface {
        points: Vec::with_capacity(polygons.corners.len()),
        triangles: Vec::with_capacity(polygons.corners.len()),
        polygon_triangles: Vec::with_capacity(polygons.polygons.len() + 1),
        max_error,
    };
    surface.polygon_triangles.push(0);
    for id in (0..polygons.polygons.len()).map(PolyId::from_index) {
        let [at_origin, rise_x, rise_z] = planes[polygons.polygons[id.index()].region.index()];
        let first = to_u32(surface.points.len());
        let corners = polygons.corners(id);
        surface.points.extend(corners.iter().map(|&vertex| {
            let point = polygons.point(vertex);
            let height = at_origin + rise_x * f64::from(point.x) + rise_z * f64::from(point.z);
            SurfacePoint { x: point.x as f32, height: nearest_f32(height), z: point.z as f32 }
        }));
        surface
            .triangles
            .extend((1..to_u32(corners.len()) - 1).map(|corner| [first, first + corner, first + corner + 1]));
        surface.polygon_triangles.push(to_u32(surface.triangles.len()));
    }
    Ok(surface)
}

/// Finds the links up ledges, jumps and drops. Their searches need a mesh with an index of its
/// polygons, which is made for them alone.
fn find_links(
    stages: &StageSet,
    draft: &mut Draft,
    climbs: Vec<Climb>,
    triangles: Option<&dyn TriangleSource>,
    recorder: &mut Recorder<'_>,
) -> Result<(), BakeError> {
    let config = stages.config();
    if !climbs.is_empty() {
        let links = recorder.stage("links", |_| {
            Ok::<_, BakeError>(climb_links(&draft.clone().made(stages)?, config, climbs))
        })?;
        draft.links.extend(links);
    }
    if let (Some(jumps), Some(triangles)) = (&config.jumps, triangles) {
        let links =
            recorder.stage("jumps", |_| find_jumps(&draft.clone().made(stages)?, triangles, jumps))?;
        draft.links.extend(links);
    }
    Ok(())
}
