//! Navigation mesh to JSON, for scripts.

use std::io::Write;

use glam::Vec3;
use serde_json::{Value, json};
use waymesh_graph::NavMesh;

/// The polygons of a mesh.
///
/// - `cell_size`, `level_height`: metres. `area`: square metres.
/// - `vertices`: `[x, y, z]` in metres.
/// - `cells`: `corners` (indices into `vertices`, positive in `(x, z)`), `neighbours` (beside each corner the cell across the
///   edge to the next one, or null), `region`, `area_id`, `island`, `area`.
/// - `islands`: `cells` (their number) and `area`.
#[must_use]
pub fn to_json(mesh: &NavMesh) -> Value {
    let cells: Vec<Value> = mesh
        .cells()
        .map(|cell| {
            json!({
                "corners": cell.corners().iter().map(|corner| corner.0).collect::<Vec<_>>(),
                "neighbours": cell.neighbours().map(|cell| cell.map(|cell| cell.0)).collect::<Vec<_>>(),
                "region": cell.region().0,
                "area_id": cell.area_id().0,
                "island": cell.island().0,
                "area": cell.area(),
            })
        })
        .collect();
    let islands: Vec<Value> =
        mesh.islands().iter().map(|island| json!({ "cells": island.cells, "area": island.area })).collect();
    json!({
        "cell_size": number(mesh.frame().cell_size),
        "level_height": number(mesh.frame().level_height),
        "area": mesh.area(),
        "vertices": mesh.vertices().iter().copied().map(point).collect::<Vec<_>>(),
        "cells": cells,
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

/// `[x, y, z]` with as few digits as tell the numbers apart.
#[must_use]
pub fn point(position: Vec3) -> Value {
    position.to_array().map(number).to_vec().into()
}

/// A single-precision number with as few digits as tell it apart: 0.3, not 0.30000001192092896. Null for NaN and infinity.
#[must_use]
pub fn number(value: f32) -> Value {
    value.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}
