//! Export of a navigation mesh to GLB, for any viewer.

use std::collections::BTreeMap;
use std::io::Write;

use serde_json::{Value, json};
use waymesh_core::PolyId;
use waymesh_graph::NavMesh;

use crate::obj::{ground_triangles, polygon_triangles};
use crate::svg::{ColourBy, polygon_colours};

/// Options of [`write_glb`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GlbOptions {
    /// Property that decides the colour of a polygon. Default: its island.
    pub colour_by: ColourBy,
    /// `true` to show the height surface instead of flat polygons, if the mesh has one. Default:
    /// `false`.
    pub detail: bool,
}

waymesh_core::setters! {
    impl GlbOptions {
        with_colour_by(colour_by: ColourBy);
        with_detail(detail: bool);
    }
}

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const UNSIGNED_BYTE: u32 = 5121;
const ARRAY_BUFFER: u32 = 34_962;
const ELEMENT_ARRAY_BUFFER: u32 = 34_963;

/// Writes the polygons as one mesh of triangles that look up, coloured per vertex, in metres, y up
/// (glTF 2.0, sections 3.6, 3.7.2 and 4.4). A mesh without polygons becomes a scene without meshes.
///
/// # Errors
/// Those of the writer, and [`std::io::ErrorKind::InvalidInput`] beyond 4 GiB, which the format
/// cannot hold.
pub fn write_glb(mesh: &NavMesh, options: &GlbOptions, mut writer: impl Write) -> std::io::Result<()> {
    let mesh = mesh.to_compact().into_mesh();
    let ground = if options.detail { ground_triangles(&mesh) } else { polygon_triangles(&mesh) };
    let colours = polygon_colours(&mesh, options.colour_by);
    // One vertex for every colour that meets in a point.
    let mut numbers: BTreeMap<(u32, [u8; 4]), u32> = BTreeMap::new();
    let mut positions: Vec<[f32; 3]> = Vec::new();
    let mut vertex_colours: Vec<[u8; 4]> = Vec::new();
    let mut indices: Vec<u32> = Vec::with_capacity(ground.triangles.len() * 3);
    for (range, colour) in ground.polygon_triangles.windows(2).zip(&colours) {
        let colour = colour.linear();
        for &vertex in ground.triangles[range[0] as usize..range[1] as usize].iter().flatten() {
            let number = *numbers.entry((vertex, colour)).or_insert_with(|| {
                positions.push(ground.positions[vertex as usize]);
                vertex_colours.push(colour);
                PolyId::from_index(positions.len() - 1).0
            });
            indices.push(number);
        }
    }
    let binary: Vec<u8> = positions
        .iter()
        .flatten()
        .flat_map(|number| number.to_le_bytes())
        .chain(vertex_colours.iter().flatten().copied())
        .chain(indices.iter().flat_map(|index| index.to_le_bytes()))
        .collect();
    let document = document(&positions, indices.len(), binary.len());
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    // Header and two chunk headers; the binary chunk is a multiple of 4 by its content.
    let has_binary = !binary.is_empty();
    let total = 12 + 8 + json.len() + if has_binary { 8 + binary.len() } else { 0 };
    let length = |bytes: usize| {
        u32::try_from(bytes).map_err(|_| {
            let message = format!("a GLB file of {total} bytes, the limit is {}", u32::MAX);
            std::io::Error::new(std::io::ErrorKind::InvalidInput, message)
        })
    };
    writer.write_all(b"glTF")?;
    writer.write_all(&2_u32.to_le_bytes())?;
    writer.write_all(&length(total)?.to_le_bytes())?;
    writer.write_all(&length(json.len())?.to_le_bytes())?;
    writer.write_all(b"JSON")?;
    writer.write_all(&json)?;
    if has_binary {
        writer.write_all(&length(binary.len())?.to_le_bytes())?;
        writer.write_all(b"BIN\0")?;
        writer.write_all(&binary)?;
    }
    writer.flush()
}

fn document(positions: &[[f32; 3]], indices: usize, bytes: usize) -> Value {
    let asset = json!({ "version": "2.0", "generator": "waymesh" });
    if indices == 0 {
        return json!({ "asset": asset });
    }
    let bound = |pick: fn(f32, f32) -> f32| {
        let first = positions[0];
        let bound =
            positions.iter().fold(first, |bound, point| [0, 1, 2].map(|axis| pick(bound[axis], point[axis])));
        bound.map(f64::from)
    };
    let vertices = positions.len();
    json!({
        "asset": asset,
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0, "name": "navigation mesh" }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0, "COLOR_0": 1 },
            "indices": 2,
            "material": 0,
            "mode": 4,
        }] }],
        "materials": [{
            "pbrMetallicRoughness": { "metallicFactor": 0.0, "roughnessFactor": 1.0 },
            "doubleSided": true,
        }],
        "accessors": [
            { "bufferView": 0, "componentType": FLOAT, "count": vertices, "type": "VEC3",
                "min": bound(f32::min), "max": bound(f32::max) },
            { "bufferView": 1, "componentType": UNSIGNED_BYTE, "normalized": true, "count": vertices, "type": "VEC4" },
            { "bufferView": 2, "componentType": UNSIGNED_INT, "count": indices, "type": "SCALAR" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": vertices * 12, "target": ARRAY_BUFFER },
            { "buffer": 0, "byteOffset": vertices * 12, "byteLength": vertices * 4, "target": ARRAY_BUFFER },
            { "buffer": 0, "byteOffset": vertices * 16, "byteLength": indices * 4, "target": ELEMENT_ARRAY_BUFFER },
        ],
        "buffers": [{ "byteLength": bytes }],
    })
}
