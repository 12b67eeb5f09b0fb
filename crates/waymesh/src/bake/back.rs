//! The back end: from ground to the mesh and its report.

use waymesh_core::stage::StageError;
use waymesh_core::{
    Counter, HeightSurface, Observer, PlanVertex, PolyId, PolyMesh, PolygonSet, SurfacePoint, TriangleSource,
    Validate, Warning, to_u32,
};
use waymesh_detail::DetailError;
use waymesh_graph::{Link, NavMesh};
use waymesh_voxel::Climb;

use super::baker::Bake;
use super::enclosed::remove_enclosed;
use super::error::BakeError;
use super::ground::{Borders, Ground, Heights};
use super::keep::{Keep, LeftOut, kept_islands, retain};
use super::report::{HeadRoomReport, IslandReport, Recorder, Report};
use super::stages::StageSet;
use crate::links::{climb_links, find_jumps};

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
    let mut links = match links.0 {
        Some(find) => recorder.stage("links", |observer| find(&mut polygons, observer))?,
        None => Vec::new(),
    };
    let config = stages.config();
    // Climbs and jumps join islands, but are found where heights are known and nothing is enclosed.
    let is_last = config.keep != Keep::All
        && (!climbs.is_empty()
            || triangles.is_some() && (config.jumps.is_some() || config.removes_enclosed()));
    let wanted = if is_last { &Keep::All } else { &config.keep };
    keep(stages, wanted, min_island, &mut polygons, None, &mut links, recorder)?;
    let mut surface = surface(stages, heights, &polygons, recorder)?;
    if let (Some(triangles), true) = (triangles, config.removes_enclosed()) {
        report.enclosed =
            remove_enclosed(stages, triangles, &mut polygons, surface.as_mut(), &mut links, recorder)?;
    }
    report.count_polygons(&polygons, surface.as_ref());
    let mut mesh = mesh(stages, polygons, surface, links, climbs, recorder)?;
    mesh = jumps(stages, mesh, triangles, recorder)?;
    if is_last {
        mesh = keep_on_mesh(stages, mesh, &mut report, recorder)?;
    }
    report.links = mesh.links().len() as u64;
    report.islands = IslandReport::all(&mesh);
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

/// Leaves out the islands that are too small or not asked for; links with an end on one go as well.
/// Returns `true` if there were any.
pub(crate) fn keep(
    stages: &StageSet,
    wanted: &Keep,
    min_island: f32,
    polygons: &mut PolyMesh,
    surface: Option<&mut HeightSurface>,
    links: &mut Vec<Link>,
    recorder: &mut Recorder<'_>,
) -> Result<bool, BakeError> {
    if *wanted == Keep::All && min_island <= 0.0 {
        return Ok(false);
    }
    let (is_kept, LeftOut { small, unreachable }) =
        kept_islands(polygons, links, stages.config(), wanted, min_island)?;
    let islands = small.islands + unreachable.islands;
    if islands == 0 {
        return Ok(false);
    }
    retain(polygons, surface, links, &is_kept);
    recorder.count(Counter::IslandsRemoved, islands);
    if small.islands > 0 {
        recorder.warn(Warning::IslandsRemoved { islands: small.islands, area: small.area });
    }
    if unreachable.islands > 0 {
        recorder.warn(Warning::Unreachable { islands: unreachable.islands, area: unreachable.area });
    }
    stages.check("keep", |list| polygons.violations(list))?;
    if polygons.polygons.is_empty() { Err(BakeError::islands_only()) } else { Ok(true) }
}

/// Leaves out the islands that are not asked for of a mesh with all its links.
fn keep_on_mesh(
    stages: &StageSet,
    mesh: NavMesh,
    report: &mut Report,
    recorder: &mut Recorder<'_>,
) -> Result<NavMesh, BakeError> {
    let (mut polygons, mut links) = (mesh.poly_mesh(), mesh.links().to_vec());
    let mut surface = mesh.surface().map(|surface| surface.to_surface());
    let wanted = &stages.config().keep;
    if !keep(stages, wanted, 0.0, &mut polygons, surface.as_mut(), &mut links, recorder)? {
        return Ok(mesh);
    }
    drop(mesh);
    report.count_polygons(&polygons, surface.as_ref());
    self::mesh(stages, polygons, surface, links, Vec::new(), recorder)
}

/// The ground in the polygons; none where the vertices have all there is or that is asked for.
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
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "cells and levels of a real world fit a single"
        )]
        surface.points.extend(corners.iter().map(|&vertex| {
            let point = polygons.point(vertex);
            let height = at_origin + rise_x * f64::from(point.x) + rise_z * f64::from(point.z);
            SurfacePoint { x: point.x as f32, height: height as f32, z: point.z as f32 }
        }));
        surface
            .triangles
            .extend((1..to_u32(corners.len()) - 1).map(|corner| [first, first + corner, first + corner + 1]));
        surface.polygon_triangles.push(to_u32(surface.triangles.len()));
    }
    Ok(surface)
}

/// The mesh with the links of the input and those up ledges.
pub(crate) fn mesh(
    stages: &StageSet,
    polygons: PolyMesh,
    surface: Option<HeightSurface>,
    links: Vec<Link>,
    climbs: Vec<Climb>,
    recorder: &mut Recorder<'_>,
) -> Result<NavMesh, BakeError> {
    let config = stages.config();
    let mesh = recorder.stage("mesh", |_| {
        NavMesh::new(polygons, surface, config.agent)
            .and_then(|mesh| mesh.with_area_table(config.area_table()).with_links(links))
    })?;
    if climbs.is_empty() {
        return Ok(mesh);
    }
    recorder.stage("links", |_| {
        let links = climb_links(&mesh, config, climbs);
        with_more_links(mesh, links)
    })
}

/// Adds the jumps and drops that were asked for.
pub(crate) fn jumps(
    stages: &StageSet,
    mesh: NavMesh,
    triangles: Option<&dyn TriangleSource>,
    recorder: &mut Recorder<'_>,
) -> Result<NavMesh, BakeError> {
    match (&stages.config().jumps, triangles) {
        (Some(jumps), Some(triangles)) => recorder.stage("jumps", |_| {
            let links = find_jumps(&mesh, triangles, jumps)?;
            with_more_links(mesh, links)
        }),
        _ => Ok(mesh),
    }
}

fn with_more_links(mesh: NavMesh, more: Vec<Link>) -> Result<NavMesh, BakeError> {
    if more.is_empty() {
        return Ok(mesh);
    }
    let links = [mesh.links(), &more].concat();
    Ok(mesh.with_links(links)?)
}
