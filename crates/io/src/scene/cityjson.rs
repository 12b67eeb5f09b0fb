//! CityJSON 1.0 to 2.0, and CityJSONSeq.
//!
//! # References
//! CityJSON 2.0.1, <https://www.cityjson.org/specs/2.0.1/>: city objects (3), geometries (3.3 to
//! 3.5), the transform (4) and text sequences (CityJSONSeq).

use std::collections::BTreeMap;

use glam::{DAffine3, DMat4, DVec3};
use serde::Deserialize;
use serde_json::{Deserializer, Value};

use super::{SoupBuilder, Source, UpAxis, without_bom};
use crate::{IoError, Place};

/// Bytes of a file in which its name is looked for.
const SNIFFED: usize = 4096;

/// Returns `true` for the first bytes of a JSON text that names itself.
pub(super) fn looks_like_cityjson(text: &[u8]) -> bool {
    let start = &text[..text.len().min(SNIFFED)];
    let has = |name: &[u8]| start.windows(name.len()).any(|at| at == name);
    start.starts_with(b"{") && (has(b"\"CityJSON\"") || has(b"\"CityObjects\""))
}

/// A file, or a line of a sequence.
#[derive(Deserialize)]
struct City {
    #[serde(rename = "type")]
    kind: String,
    transform: Option<Transform>,
    #[serde(rename = "CityObjects", default)]
    objects: BTreeMap<String, CityObject>,
    #[serde(default)]
    vertices: Vec<[f64; 3]>,
    #[serde(rename = "geometry-templates")]
    templates: Option<Templates>,
}

#[derive(Clone, Copy, Deserialize)]
struct Transform {
    scale: [f64; 3],
    translate: [f64; 3],
}

#[derive(Deserialize)]
struct Templates {
    templates: Vec<Geometry>,
    #[serde(rename = "vertices-templates")]
    vertices: Vec<[f64; 3]>,
}

#[derive(Deserialize)]
struct CityObject {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    geometry: Vec<Geometry>,
}

#[derive(Deserialize)]
struct Geometry {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    lod: Value,
    #[serde(default)]
    boundaries: Value,
    semantics: Option<Semantics>,
    /// The number of the template of an instance.
    template: Option<usize>,
    #[serde(rename = "transformationMatrix")]
    matrix: Option<[f64; 16]>,
}

#[derive(Deserialize)]
struct Semantics {
    surfaces: Vec<Surface>,
    #[serde(default)]
    values: Value,
}

#[derive(Deserialize)]
struct Surface {
    #[serde(rename = "type")]
    kind: String,
}

impl Geometry {
    /// Level of detail: a number in version 1.0, text since then.
    fn lod(&self) -> f64 {
        self.lod.as_f64().or_else(|| self.lod.as_str()?.parse().ok()).unwrap_or(0.0)
    }

    /// Number of lists around each surface; `None` for points, lines and instances.
    fn depth(&self) -> Option<usize> {
        match self.kind.as_str() {
            "MultiSurface" | "CompositeSurface" => Some(1),
            "Solid" => Some(2),
            "MultiSolid" | "CompositeSolid" => Some(3),
            _ => None,
        }
    }
}

/// Reads each object in its highest level of detail. z is up.
pub(super) fn parse(source: Source<'_>, builder: &mut SoupBuilder) -> Result<(), IoError> {
    let options = builder.options;
    builder.options = options.with_up(UpAxis::Z);
    let mut parts = Deserializer::from_slice(without_bom(source.bytes)).into_iter::<City>();
    let part = |part: Option<serde_json::Result<City>>| {
        part.transpose().map_err(|error| source.syntax("JSON", error))
    };
    let Some(city) = part(parts.next())?.filter(|city| city.kind == "CityJSON") else {
        return Err(source.malformed(Place::File, "a CityJSON object", "another"));
    };
    let mut reader = Reader { source, builder, transform: city.transform, instanced: 0 };
    reader.read(&city, city.templates.as_ref())?;
    while let Some(feature) = part(parts.next())? {
        reader.read(&feature, city.templates.as_ref())?;
    }
    builder.options = options;
    Ok(())
}

struct Reader<'a> {
    source: Source<'a>,
    builder: &'a mut SoupBuilder,
    transform: Option<Transform>,
    /// Corners that templates placed so far.
    instanced: u64,
}

/// The vertices that the corners of a geometry name.
enum Vertices<'a> {
    /// Vertices of the file; `first` is the number of the first one in the soup.
    Shared { first: u32, count: usize },
    /// Vertices of the templates, moved to the place of an instance.
    Placed { table: &'a [[f64; 3]], transform: DAffine3 },
}

impl Reader<'_> {
    fn read(&mut self, city: &City, templates: Option<&Templates>) -> Result<(), IoError> {
        let first = self.builder.next_vertex(&self.source)?;
        for &vertex in &city.vertices {
            self.builder.next_vertex(&self.source)?;
            self.builder.push_vertex(self.position(vertex));
        }
        let shared = Vertices::Shared { first, count: city.vertices.len() };
        for (id, object) in &city.objects {
            self.builder.rename(|names| {
                names.object.clone_from(id);
                names.group.clone_from(&object.kind);
            });
            let shapes = || object.geometry.iter().filter(|it| it.depth().is_some() || it.template.is_some());
            let finest = shapes().map(Geometry::lod).fold(0.0, f64::max);
            for geometry in shapes().filter(|geometry| geometry.lod() >= finest) {
                let Some(template) = geometry.template else {
                    self.read_geometry(id, geometry, &shared)?;
                    continue;
                };
                let anchor = geometry.boundaries.get(0).and_then(Value::as_u64);
                let anchor = anchor.and_then(|index| city.vertices.get(usize::try_from(index).ok()?));
                let found = templates.and_then(|all| Some((all, all.templates.get(template)?)));
                let (Some(&anchor), Some((all, geometry_of))) = (anchor, found) else {
                    return Err(self.malformed(
                        id,
                        "an instance of a template at a vertex",
                        "one of neither",
                    ));
                };
                let turn =
                    geometry.matrix.map_or(DMat4::IDENTITY, |rows| DMat4::from_cols_array(&rows).transpose());
                let transform = DAffine3::from_translation(self.position(anchor)) * DAffine3::from_mat4(turn);
                let placed = Vertices::Placed { table: &all.vertices, transform };
                self.read_geometry(id, geometry_of, &placed)?;
            }
        }
        Ok(())
    }

    /// Position of a vertex in units of the file.
    fn position(&self, vertex: [f64; 3]) -> DVec3 {
        let Some(Transform { scale, translate }) = self.transform else { return vertex.into() };
        DVec3::from(vertex) * DVec3::from(scale) + DVec3::from(translate)
    }

    fn malformed(&self, id: &str, expected: &'static str, found: impl std::fmt::Display) -> IoError {
        self.source.malformed(Place::File, expected, format!("{found} in the city object {id:?}"))
    }

    fn read_geometry(&mut self, id: &str, geometry: &Geometry, vertices: &Vertices) -> Result<(), IoError> {
        let Some(depth) = geometry.depth() else { return Ok(()) };
        let semantics = geometry.semantics.as_ref();
        let values = semantics.map(|semantics| &semantics.values);
        let mut surfaces = Vec::new();
        if collect(depth, &geometry.boundaries, values, &mut surfaces).is_none() {
            return Err(self.malformed(id, "lists of surfaces", geometry.kind.as_str()));
        }
        let mut corners = Vec::new();
        let mut ends = Vec::new();
        for (rings, value) in surfaces {
            let surface = semantics.zip(value).and_then(|(semantics, value)| semantics.surfaces.get(value));
            let kind = surface.map_or("", |surface| &surface.kind);
            self.builder.rename(|names| kind.clone_into(&mut names.material));
            corners.clear();
            ends.clear();
            for ring in rings {
                let Some(ring) = ring.as_array() else {
                    return Err(self.malformed(id, "lists of corners in a surface", geometry.kind.as_str()));
                };
                for index in ring {
                    corners.push(self.corner(id, index, vertices)?);
                }
                ends.push(corners.len());
            }
            self.builder.push_face_with_holes(&self.source, &corners, &ends)?;
        }
        Ok(())
    }

    /// Returns the number in the soup of the vertex that a corner names.
    fn corner(&mut self, id: &str, index: &Value, vertices: &Vertices) -> Result<u32, IoError> {
        let number = index.as_u64().and_then(|index| u32::try_from(index).ok());
        match *vertices {
            Vertices::Shared { first, count } => {
                if let Some(number) = number.filter(|&number| (number as usize) < count) {
                    return Ok(first + number);
                }
                Err(self.malformed(id, "the number of a vertex", index))
            }
            Vertices::Placed { table, transform } => {
                let Some(&vertex) = number.and_then(|number| table.get(number as usize)) else {
                    return Err(self.malformed(id, "the number of a vertex of the templates", index));
                };
                self.instanced += 1;
                self.source.check_instances(self.instanced, self.source.bytes.len() as u64)?;
                let number = self.builder.next_vertex(&self.source)?;
                self.builder.push_vertex(transform.transform_point3(vertex.into()));
                Ok(number)
            }
        }
    }
}

/// The rings of a surface, and the number of its semantics.
type SurfaceRings<'a> = (&'a [Value], Option<usize>);

/// Lists the surfaces at a depth of nested lists; `None` if a list is missing.
fn collect<'a>(
    depth: usize,
    boundaries: &'a Value,
    values: Option<&Value>,
    surfaces: &mut Vec<SurfaceRings<'a>>,
) -> Option<()> {
    for (index, item) in boundaries.as_array()?.iter().enumerate() {
        let value = values.and_then(|values| values.get(index));
        if depth > 1 {
            collect(depth - 1, item, value, surfaces)?;
        } else {
            let value = value.and_then(Value::as_u64).and_then(|value| usize::try_from(value).ok());
            surfaces.push((item.as_array()?, value));
        }
    }
    Some(())
}
