//! Navigation mesh to Wavefront OBJ, in metres, y up.

use std::io::{BufWriter, Write};

use waymesh_core::{SurfacePoint, to_u32};
use waymesh_graph::{CompactMesh, NavMesh};

/// Writes the polygons: one face per polygon, with the vertices shared between neighbours. Faces
/// wind so that they look up.
///
/// # Errors
/// Those of the writer.
pub fn write_obj(mesh: &NavMesh, writer: impl Write) -> std::io::Result<()> {
    let mesh = mesh.to_compact().into_mesh();
    let mut out = BufWriter::new(writer);
    writeln!(
        out,
        "# waymesh: {} polygons, {} vertices, metres, y up",
        mesh.polygon_count(),
        mesh.vertices().len()
    )?;
    write_vertices(&mut out, mesh.vertices().iter().map(|vertex| vertex.to_array()))?;
    // Positive in plan (x, z) is seen from below.
    write_faces(
        &mut out,
        mesh.polygons().map(|polygon| polygon.corners().iter().rev().map(|corner| corner.0)),
    )?;
    out.flush()
}

/// Writes the positions of vertices.
pub(crate) fn write_vertices(
    out: &mut impl Write,
    positions: impl IntoIterator<Item = [f32; 3]>,
) -> std::io::Result<()> {
    positions.into_iter().try_for_each(|[x, y, z]| writeln!(out, "v {x} {y} {z}"))
}

/// Writes faces, whose vertices count from 0.
pub(crate) fn write_faces<F: IntoIterator<Item = u32>>(
    out: &mut impl Write,
    faces: impl IntoIterator<Item = F>,
) -> std::io::Result<()> {
    for face in faces {
        write!(out, "f")?;
        face.into_iter().try_for_each(|corner| write!(out, " {}", u64::from(corner) + 1))?;
        writeln!(out)?;
    }
    Ok(())
}

/// Writes the height surface as triangles that look up; the polygons as fans if the mesh has no
/// height surface.
///
/// # Errors
/// Those of the writer.
pub fn write_detail_obj(mesh: &NavMesh, writer: impl Write) -> std::io::Result<()> {
    let mut out = BufWriter::new(writer);
    let triangles = ground_triangles(&mesh.to_compact().into_mesh());
    let points = triangles.positions.len();
    writeln!(out, "# waymesh: {} triangles, {points} points, metres, y up", triangles.triangles.len())?;
    write_vertices(&mut out, triangles.positions)?;
    write_faces(&mut out, triangles.triangles)?;
    out.flush()
}

/// The ground of all polygons as triangles that look up.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GroundTriangles {
    /// World positions, in metres.
    pub positions: Vec<[f32; 3]>,
    /// Three positions each.
    pub triangles: Vec<[u32; 3]>,
    /// First triangle of each polygon, by its id ([`NavMesh::polygons_by_id`]), and the number of
    /// triangles at the end.
    pub polygon_triangles: Vec<u32>,
}

/// The height surface, or the polygons as fans if there is none.
#[must_use]
pub fn ground_triangles(mesh: &NavMesh) -> GroundTriangles {
    let compact = mesh.to_compact();
    let Some(surface) = compact.mesh().surface() else { return by_id(mesh, &compact, fans(compact.mesh())) };
    let world = |point: &SurfacePoint| {
        let position = mesh.frame().to_world(f64::from(point.x), f64::from(point.height), f64::from(point.z));
        position.to_array()
    };
    let ground = GroundTriangles {
        positions: surface.points.iter().map(world).collect(),
        triangles: surface.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect(),
        polygon_triangles: surface.polygon_triangles.to_vec(),
    };
    by_id(mesh, &compact, ground)
}

/// The polygons as fans.
#[must_use]
pub fn polygon_triangles(mesh: &NavMesh) -> GroundTriangles {
    let compact = mesh.to_compact();
    by_id(mesh, &compact, fans(compact.mesh()))
}

fn fans(mesh: &NavMesh) -> GroundTriangles {
    let mut triangles = Vec::new();
    let mut polygon_triangles = vec![0];
    for polygon in mesh.polygons() {
        if let [first, rim @ ..] = polygon.corners() {
            triangles.extend(rim.windows(2).map(|pair| [first.0, pair[1].0, pair[0].0]));
        }
        polygon_triangles.push(to_u32(triangles.len()));
    }
    let positions = mesh.vertices().iter().map(|vertex| vertex.to_array()).collect();
    GroundTriangles { positions, triangles, polygon_triangles }
}

/// The triangles of a compact mesh, by the ids that polygons had before.
fn by_id(mesh: &NavMesh, compact: &CompactMesh, ground: GroundTriangles) -> GroundTriangles {
    let (mut triangles, mut polygon_triangles) = (Vec::with_capacity(ground.triangles.len()), vec![0]);
    for polygon in mesh.polygons_by_id() {
        if let Some(id) = polygon.and_then(|polygon| compact.id_of(polygon.id())) {
            let [first, end] = [0, 1].map(|next| ground.polygon_triangles[id.index() + next] as usize);
            triangles.extend_from_slice(&ground.triangles[first..end]);
        }
        polygon_triangles.push(to_u32(triangles.len()));
    }
    GroundTriangles { triangles, polygon_triangles, ..ground }
}
