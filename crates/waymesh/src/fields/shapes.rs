//! Shapes of obstacles and marks.

use glam::{Vec2, Vec3};
use waymesh_core::{AreaId, AreaTable, Bounds, TriangleSoup};
use waymesh_voxel::{ClosedMesh, Mark, MarkShape};

use super::{Entries, FieldError, Value};

fn other(what: &'static str, reason: impl Into<String>) -> FieldError {
    FieldError::Other { what, reason: reason.into() }
}

/// The number of an area that is written as a name.
pub(super) fn area_id(text: &str) -> Option<AreaId> {
    text.parse().ok().map(AreaId)
}

/// Returns an area by its number or name; `"blocked"` is [`AreaId::NULL`].
///
/// # Errors
/// For another value, and for a name that the table does not have.
pub fn area_of(area: &Value, areas: &AreaTable) -> Result<AreaId, FieldError> {
    match area {
        Value::Text(name) if name == "blocked" => Ok(AreaId::NULL),
        Value::Text(name) => {
            areas.by_name(name).ok_or_else(|| other("area", format!("there is no area named {name:?}")))
        }
        _ => area.to().map(AreaId).ok_or_else(|| other("area", "an area is a number or a name")),
    }
}

/// Makes a soup of corners and triangles.
///
/// # Errors
/// For lists of another form, and what [`TriangleSoup::new`] refuses.
pub fn soup_of(vertices: &Value, triangles: &Value) -> Result<TriangleSoup, FieldError> {
    let (Some(vertices), Some(triangles)) = (vertices.to::<Vec<[f32; 3]>>(), triangles.to::<Vec<[u32; 3]>>())
    else {
        return Err(other("mesh", "give lists of vertices [x, y, z] and of triangles [a, b, c]"));
    };
    let vertices = vertices.into_iter().map(Vec3::from).collect();
    TriangleSoup::new(vertices, triangles).map_err(|error| other("mesh", error.to_string()))
}

/// Takes a shape: one of `box`, two corners; `cylinder`, the centre of the base, a radius and a
/// height; `prism`, corners in plan and two heights; `mesh`, vertices and triangles of a closed
/// mesh.
///
/// # Errors
/// For entries without one of them, and one of another form.
pub fn shape_of(entries: &mut Entries<'_>) -> Result<MarkShape, FieldError> {
    let bad = |name| move || other("shape", format!("the {name} of a shape is malformed"));
    let pair = |value: &Value, count| matches!(value, Value::List(parts) if parts.len() == count);
    if let Some(cuboid) = entries.take("box") {
        let [min, max]: [[f32; 3]; 2] = cuboid.to().ok_or_else(bad("box"))?;
        return Ok(MarkShape::Box { bounds: Bounds { min: Vec3::from(min), max: Vec3::from(max) } });
    }
    if let Some(cylinder) = entries.take("cylinder") {
        let parts: &[Value] = if let Value::List(parts) = cylinder { parts } else { &[] };
        let [base, radius, height] = parts else { return Err(bad("cylinder")()) };
        let (Some(base), Some(radius), Some(height)) = (base.to::<[f32; 3]>(), radius.to(), height.to())
        else {
            return Err(bad("cylinder")());
        };
        return Ok(MarkShape::Cylinder { base: Vec3::from(base), radius, height });
    }
    if let Some(prism) = entries.take("prism") {
        let Value::List(parts) = prism else { return Err(bad("prism")()) };
        let [corners, heights] = parts.as_slice() else { return Err(bad("prism")()) };
        let (Some(corners), Some(heights)) = (corners.to::<Vec<[f32; 2]>>(), heights.to()) else {
            return Err(bad("prism")());
        };
        return Ok(MarkShape::Prism { corners: corners.into_iter().map(Vec2::from).collect(), heights });
    }
    if let Some(mesh) = entries.take("mesh") {
        let Value::List(parts) = mesh else { return Err(bad("mesh")()) };
        if !pair(mesh, 2) {
            return Err(bad("mesh")());
        }
        let mesh = ClosedMesh::new(&soup_of(&parts[0], &parts[1])?);
        return Ok(MarkShape::Mesh { mesh: mesh.map_err(|error| other("mesh", error.to_string()))? });
    }
    Err(other("shape", "give one of box, cylinder, prism and mesh"))
}

/// Returns a mark: a shape, and the name or number of its area.
///
/// # Errors
/// For a value of another form.
pub fn mark_of(mark: &Value, areas: &AreaTable) -> Result<Mark, FieldError> {
    let Value::Entries(entries) = mark else {
        return Err(other("mark", "a mark has entries: an area and a shape"));
    };
    let mut entries = Entries::new("mark", entries);
    let shape = shape_of(&mut entries)?;
    let area = entries.take("area").ok_or_else(|| other("mark", "it needs an area"))?;
    entries.finish()?;
    Ok(Mark::new(shape, area_of(area, areas)?))
}
