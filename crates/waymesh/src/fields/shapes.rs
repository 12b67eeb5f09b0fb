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

impl From<&TriangleSoup> for Value {
    /// Returns the list of corners and of triangles that the shape `mesh` takes.
    fn from(soup: &TriangleSoup) -> Self {
        let corners = soup.positions().iter().map(|corner| Self::from(corner.to_array().to_vec()));
        let triangles = soup.triangles().iter().map(|triangle| Self::from(triangle.to_vec()));
        Self::List(vec![Self::List(corners.collect()), Self::List(triangles.collect())])
    }
}

/// Returns the parts of a shape: a list in this order, or entries of these names.
fn parts<'a, const COUNT: usize>(shape: &'a Value, names: [&str; COUNT]) -> Option<[&'a Value; COUNT]> {
    let parts: Vec<&Value> = match shape {
        Value::List(parts) => parts.iter().collect(),
        Value::Entries(entries) if entries.len() == COUNT => {
            let part = |name| entries.iter().find(|(given, _)| given == name).map(|(_, part)| part);
            names.into_iter().map(part).collect::<Option<_>>()?
        }
        _ => return None,
    };
    parts.try_into().ok()
}

/// Refuses corners that are swapped: nothing lies between them.
fn ordered(what: &str, low: f32, high: f32) -> Result<(), FieldError> {
    if low > high {
        let reason = format!("{what}: the lower end is {low}, but the upper end is {high}; swap them");
        return Err(other("shape", reason));
    }
    Ok(())
}

/// Takes a shape: one of `box`, corners `min` and `max`; `cylinder`, the centre of its `base`, a
/// `radius` and a `height`; `prism`, `corners` in plan and two `heights`; `mesh`, `corners` and
/// `triangles` of a closed mesh. Their parts are entries, or a list in this order.
///
/// # Errors
/// For entries without one of them or with several, and for one of another form.
pub fn shape_of(entries: &mut Entries<'_>) -> Result<MarkShape, FieldError> {
    let kinds = ["box", "cylinder", "prism", "mesh"];
    let mut given = kinds.into_iter().filter_map(|kind| Some((kind, entries.take(kind)?)));
    let (Some((kind, shape)), None) = (given.next(), given.next()) else {
        return Err(other("shape", "give one of box, cylinder, prism and mesh"));
    };
    let made = match kind {
        "box" => parts(shape, ["min", "max"]).and_then(|[min, max]| {
            Some(MarkShape::Box { bounds: Bounds { min: vector(min)?, max: vector(max)? } })
        }),
        "cylinder" => parts(shape, ["base", "radius", "height"]).and_then(|[base, radius, height]| {
            Some(MarkShape::Cylinder { base: vector(base)?, radius: radius.to()?, height: height.to()? })
        }),
        "prism" => parts(shape, ["corners", "heights"]).and_then(|[corners, heights]| {
            let corners = corners.to::<Vec<[f32; 2]>>()?.into_iter().map(Vec2::from).collect();
            Some(MarkShape::Prism { corners, heights: heights.to()? })
        }),
        _ => match parts(shape, ["corners", "triangles"]) {
            Some([corners, triangles]) => {
                let mesh = ClosedMesh::new(&soup_of(corners, triangles)?);
                Some(MarkShape::Mesh { mesh: mesh.map_err(|error| other("mesh", error.to_string()))? })
            }
            None => None,
        },
    };
    let made = made.ok_or_else(|| other("shape", format!("the {kind} of a shape is malformed")))?;
    match &made {
        MarkShape::Box { bounds: Bounds { min, max } } => {
            for (axis, (low, high)) in
                ["x", "y", "z"].into_iter().zip(min.to_array().into_iter().zip(max.to_array()))
            {
                ordered(&format!("{axis} of box"), low, high)?;
            }
        }
        MarkShape::Prism { heights: [low, high], .. } => ordered("heights of prism", *low, *high)?,
        MarkShape::Cylinder { height, .. } => ordered("height of cylinder", 0.0, *height)?,
        _ => {}
    }
    Ok(made)
}

fn vector(value: &Value) -> Option<Vec3> {
    value.to::<[f32; 3]>().map(Vec3::from)
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
