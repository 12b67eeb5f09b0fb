//! Navigation mesh to JSON, for scripts.

use std::io::Write;

use glam::Vec3;
use serde_json::{Value, json};
use waymesh_graph::NavMesh;

/// The polygons of a mesh.
///
/// - `cell_size`, `level_height`: metres. `area`: square metres.
/// - `vertices`: `[x, y, z]` in metres.
/// - `polygons`: `corners` (indices into `vertices`, positive in `(x, z)`), `neighbours` (for
///   each corner the polygon across the edge to the next one, or null), `region`, `area_id`,
///   `island`, `area`.
/// - `islands`: `polygons` (their number) and `area`.
#[must_use]
pub fn to_json(mesh: &NavMesh) -> Value {
    let mesh = mesh.to_compact().into_mesh();
    let polygons: Vec<Value> = mesh
        .polygons()
        .map(|polygon| {
            json!({
                "corners": polygon.corners().iter().map(|corner| corner.0).collect::<Vec<_>>(),
                "neighbours": polygon.neighbours().map(|polygon| polygon.map(|polygon| polygon.0)).collect::<Vec<_>>(),
                "region": polygon.region().0,
                "area_id": polygon.area_id().0,
                "island": polygon.island().0,
                "area": polygon.area(),
            })
        })
        .collect();
    let islands: Vec<Value> = mesh
        .islands()
        .iter()
        .map(|island| json!({ "polygons": island.polygons, "area": island.area }))
        .collect();
    json!({
        "cell_size": number(mesh.frame().cell_size),
        "level_height": number(mesh.frame().level_height),
        "area": mesh.area(),
        "vertices": mesh.vertices().iter().copied().map(point).collect::<Vec<_>>(),
        "polygons": polygons,
        "islands": islands,
    })
}

/// Writes [`to_json`] in one line.
///
/// # Errors
/// Those of the writer.
pub fn write_json(mesh: &NavMesh, mut writer: impl Write) -> std::io::Result<()> {
    serde_json::to_writer(&mut writer, &to_json(mesh))?;
    writer.write_all(b"\n")?;
    writer.flush()
}

/// `[x, y, z]` with the fewest digits that give the same single-precision numbers.
#[must_use]
pub fn point(position: Vec3) -> Value {
    position.to_array().map(number).to_vec().into()
}

/// A number with the fewest digits that give the same single-precision number: 0.3, not
/// 0.30000001192092896. Null for NaN and infinity.
#[must_use]
pub fn number(value: f32) -> Value {
    value.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}
