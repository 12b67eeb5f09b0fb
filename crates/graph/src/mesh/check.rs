//! Checks of the tables of a mesh.

use std::ops::Range;

use glam::Vec3;
use waymesh_core::{
    BadField, GridFrame, HeightSurface, MAX_PLAN_COORDINATE, PlanVertex, PolyMesh, SurfacePoint,
    ViolationList, checkpoint_every, threads,
};

use super::error::NavMeshError;

pub(crate) fn check_frame(frame: &GridFrame) -> Result<(), BadField> {
    BadField::unless_positive("cell_size", frame.cell_size)?;
    BadField::unless_positive("level_height", frame.level_height)?;
    let origin = frame.origin;
    for (field, value) in [("origin.x", origin.x), ("origin.y", origin.y), ("origin.z", origin.z)] {
        BadField::unless(value.is_finite(), field, value, "finite")?;
    }
    for (field, value) in [("width", frame.width), ("depth", frame.depth)] {
        let fits = i64::from(value) <= i64::from(MAX_PLAN_COORDINATE);
        BadField::unless(fits, field, value, "at most 2^30 cells")?;
    }
    Ok(())
}

pub(crate) fn check_vertices(frame: &GridFrame, vertices: &[PlanVertex]) -> Result<(), NavMeshError> {
    vertices
        .iter()
        .enumerate()
        .try_for_each(|(element, vertex)| check_vertex(frame, element, vertex).map(|_| ()))
}

/// Checks a vertex, and gives its place in metres.
pub(crate) fn check_vertex(
    frame: &GridFrame,
    element: usize,
    vertex: &PlanVertex,
) -> Result<Vec3, NavMeshError> {
    for (table, value) in [("vertex_x", vertex.point.x), ("vertex_z", vertex.point.z)] {
        if value.unsigned_abs() > MAX_PLAN_COORDINATE.unsigned_abs() {
            let (value, limit) = (i64::from(value), i64::from(MAX_PLAN_COORDINATE));
            return Err(NavMeshError::OutOfRange { table, element, value, limit });
        }
    }
    let world = frame.position(*vertex);
    for (table, value, source) in [
        ("vertex_height", world.y, vertex.height),
        ("vertex_x", world.x, world.x),
        ("vertex_z", world.z, world.z),
    ] {
        if !value.is_finite() {
            return Err(NavMeshError::NotFinite { table, element, value: source });
        }
    }
    Ok(world)
}

/// Polygons that are checked on one thread in a row.
const POLYGONS_PER_TASK: usize = 4096;

/// Lists the violations of `count` polygons, found on all threads.
fn list(
    count: usize,
    violations_of: impl Fn(Range<usize>, &mut ViolationList) + Sync,
    violations: &mut ViolationList,
) {
    let is_sound = threads::map(0..count.div_ceil(POLYGONS_PER_TASK), |portion| {
        let mut found = ViolationList::default();
        violations_of(portion * POLYGONS_PER_TASK..count.min((portion + 1) * POLYGONS_PER_TASK), &mut found);
        found.is_empty()
    });
    // Violations are listed in order.
    if is_sound.contains(&false) {
        violations_of(0..count, violations);
    }
}

/// Validates polygons as [`waymesh_core::Validate::validate`] does, on all threads.
pub(crate) fn check_polygons(polygons: &PolyMesh) -> Result<(), NavMeshError> {
    let mut violations = ViolationList::default();
    if polygons.has_tables(&mut violations) {
        list(polygons.polygons.len(), |some, out| polygons.violations_of(some, out), &mut violations);
    }
    if violations.is_empty() { Ok(()) } else { Err(NavMeshError::Polygons(violations)) }
}

pub(crate) fn check_surface(surface: &HeightSurface, polygons: &PolyMesh) -> Result<(), NavMeshError> {
    check_surface_points(&polygons.frame, &surface.points, surface.max_error)?;
    let mut violations = ViolationList::default();
    if surface.has_tables(polygons, &mut violations) {
        let count = polygons.polygons.len();
        list(count, |some, out| surface.violations_of(some, polygons, out), &mut violations);
    }
    if violations.is_empty() { Ok(()) } else { Err(NavMeshError::Surface(violations)) }
}

pub(crate) fn check_surface_points(
    frame: &GridFrame,
    points: &[SurfacePoint],
    max_error: f32,
) -> Result<(), NavMeshError> {
    for (element, point) in points.iter().enumerate() {
        checkpoint_every(1 << 14, element);
        let world = frame.to_world(f64::from(point.x), f64::from(point.height), f64::from(point.z));
        for (value, source) in [(world.x, point.x), (world.y, point.height), (world.z, point.z)] {
            if !value.is_finite() {
                return Err(NavMeshError::NotFinite { table: "surface_points", element, value: source });
            }
        }
    }
    if !max_error.is_finite() {
        let (table, value) = ("surface_max_error", max_error);
        return Err(NavMeshError::NotFinite { table, element: 0, value });
    }
    Ok(())
}

pub(crate) fn check_length(table: &'static str, actual: usize, expected: usize) -> Result<(), NavMeshError> {
    if actual == expected { Ok(()) } else { Err(NavMeshError::TableLength { table, actual, expected }) }
}

/// `values` ascends from 0 to `total` in `count + 1` entries.
pub(crate) fn check_prefix(
    table: &'static str,
    values: &[u32],
    count: usize,
    total: usize,
) -> Result<(), NavMeshError> {
    check_length(table, values.len(), count + 1)?;
    let mut previous = 0;
    for (element, &value) in values.iter().enumerate() {
        let misplaced =
            (element == 0 && value != 0) || (element == count && value as usize != total) || value < previous;
        if misplaced || value as usize > total {
            return Err(NavMeshError::TableOrder { table, element, value, limit: total as u64 });
        }
        previous = value;
    }
    Ok(())
}

pub(crate) fn check_indices(
    table: &'static str,
    values: &[u32],
    count: usize,
    none: Option<u32>,
) -> Result<(), NavMeshError> {
    match values.iter().position(|&value| value as usize >= count && Some(value) != none) {
        None => Ok(()),
        Some(element) => {
            let (value, limit) = (i64::from(values[element]), count as i64 - 1);
            Err(NavMeshError::OutOfRange { table, element, value, limit })
        }
    }
}
