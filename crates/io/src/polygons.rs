//! Meshes of other tools: polygons in an OBJ file.

use std::io::{BufWriter, Write};
use std::path::Path;

use glam::{DVec3, Vec3};

use crate::files::read_file;
use crate::obj::{write_faces, write_vertices};
use crate::scene::obj::{Naming, ObjSink, read};
use crate::scene::{Source, quoted};
use crate::{IoError, Place};

/// A navigation mesh as plain polygons, in metres, y up.
///
/// In an OBJ file every face is a polygon with any number of corners, except the faces in an object
/// or group `ground_K`: they are the ground of polygon `K`, counted from 1 in the order of the
/// file. Polygons that share an edge are neighbours.
///
/// ```text
/// o polygons
/// f 1 2 3 4
/// f 4 3 5
/// g ground_1
/// f 6 7 8
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolygonMesh {
    /// Corners of the polygons.
    pub vertices: Vec<Vec3>,
    /// Vertices of each polygon, three at least.
    pub polygons: Vec<Vec<u32>>,
    /// Triangles of the height surface under each polygon. A polygon without any is its own ground.
    pub ground: Vec<Vec<[Vec3; 3]>>,
}

/// Beginning of the names of groups of ground.
const GROUND: &str = "ground_";

/// Reads the polygons of an OBJ file.
///
/// # Errors
/// For a missing or malformed file, a vertex that is not finite, a face of fewer than three
/// corners, an index out of range, and ground of a polygon that is not there. Every error about
/// content names file and line.
pub fn open_polygons(file: impl AsRef<Path>) -> Result<PolygonMesh, IoError> {
    let file = file.as_ref();
    parse_polygons(file, &read_file(file)?)
}

/// Reads the polygons of an OBJ file from memory; `file` is its name in errors.
///
/// # Errors
/// See [`open_polygons`].
pub fn parse_polygons(file: &Path, bytes: &[u8]) -> Result<PolygonMesh, IoError> {
    let source = Source { file, bytes };
    let mut reader = Reader { source, vertices: Vec::new(), faces: Vec::new(), polygons: 0, ground_of: None };
    read(source, &mut reader)?;
    reader.finish()
}

/// A face, its line, and the polygon whose ground it is.
struct Face {
    line: usize,
    corners: Vec<u32>,
    ground_of: Option<usize>,
}

struct Reader<'a> {
    source: Source<'a>,
    vertices: Vec<Vec3>,
    faces: Vec<Face>,
    polygons: usize,
    /// The polygon, from 1, whose ground the faces are, in a group of ground.
    ground_of: Option<usize>,
}

impl ObjSink for Reader<'_> {
    fn vertex(&mut self, line: usize, position: DVec3) -> Result<(), IoError> {
        let vertex = position.as_vec3();
        if !vertex.is_finite() {
            let found = format!("{} {} {}", position.x, position.y, position.z);
            return Err(self.source.malformed(Place::Line(line), "finite coordinates", found));
        }
        self.vertices.push(vertex);
        Ok(())
    }

    fn name(&mut self, line: usize, naming: Naming, name: &[u8]) -> Result<(), IoError> {
        if naming == Naming::Material {
            return Ok(());
        }
        let number = std::str::from_utf8(name).ok().and_then(|name| name.strip_prefix(GROUND));
        self.ground_of = match number {
            None => None,
            Some(number) => match number.parse() {
                Ok(polygon) if polygon > 0 => Some(polygon),
                _ => {
                    let expected = "the number of a polygon, from 1, after ground_";
                    return Err(self.source.malformed(Place::Line(line), expected, quoted(name)));
                }
            },
        };
        Ok(())
    }

    fn face(&mut self, line: usize, corners: &[u32]) -> Result<(), IoError> {
        if corners.len() < 3 {
            let found = corners.len().to_string();
            return Err(self.source.malformed(Place::Line(line), "three corners or more", found));
        }
        self.polygons += usize::from(self.ground_of.is_none());
        self.faces.push(Face { line, corners: corners.to_vec(), ground_of: self.ground_of });
        Ok(())
    }
}

impl Reader<'_> {
    fn finish(self) -> Result<PolygonMesh, IoError> {
        let (source, vertices, count) = (self.source, self.vertices, self.polygons);
        let mut polygons = Vec::with_capacity(count);
        let mut ground = vec![Vec::new(); count];
        for Face { line, corners, ground_of } in self.faces {
            let Some(polygon) = ground_of else {
                polygons.push(corners);
                continue;
            };
            let Some(ground) = ground.get_mut(polygon - 1) else {
                return Err(source.out_of_range(Place::Line(line), "polygon", polygon, count));
            };
            let at = |corner: usize| vertices[corners[corner] as usize];
            ground.extend((2..corners.len()).map(|last| [at(0), at(last - 1), at(last)]));
        }
        Ok(PolygonMesh { vertices, polygons, ground })
    }
}

/// Writes a mesh as [`PolygonMesh`] describes it. Corners of the ground are written out for each
/// triangle.
///
/// # Errors
/// Those of the writer.
pub fn write_polygons(mesh: &PolygonMesh, writer: impl Write) -> std::io::Result<()> {
    let mut out = BufWriter::new(writer);
    writeln!(out, "# {} polygons, {} vertices, metres, y up", mesh.polygons.len(), mesh.vertices.len())?;
    write_vertices(&mut out, mesh.vertices.iter().map(|at| at.to_array()))?;
    writeln!(out, "o polygons")?;
    write_faces(&mut out, mesh.polygons.iter().map(|polygon| polygon.iter().copied()))?;
    for (polygon, triangles) in mesh.ground.iter().enumerate().filter(|(_, triangles)| !triangles.is_empty())
    {
        writeln!(out, "g {GROUND}{}", polygon + 1)?;
        for triangle in triangles {
            write_vertices(&mut out, triangle.map(|at| at.to_array()))?;
            writeln!(out, "f -3 -2 -1")?;
        }
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<PolygonMesh, String> {
        parse_polygons(Path::new("mesh.obj"), text.as_bytes()).map_err(|error| error.to_string())
    }

    const SQUARES: &str = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 2 0 0.5\n";

    #[test]
    fn faces_are_polygons_whatever_their_groups_are_called() {
        let mesh = parse(&format!("{SQUARES}o a\nf 1 2 3 4\ng b c\nf 2//1 5//2 3//3\n")).unwrap();
        assert_eq!(mesh.polygons, [vec![0, 1, 2, 3], vec![1, 4, 2]]);
        assert_eq!((mesh.vertices.len(), mesh.ground), (5, vec![vec![], vec![]]));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
        let triangle = [at(0.1, 0.3, 0.7), at(1.0, 0.25, 0.0), at(1.0, -7.5e-8, 1.0)];
        let mesh = PolygonMesh {
            vertices: vec![at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(1.0, 1.0 / 3.0, 1.0), at(0.0, 1e-7, 1.0)],
            polygons: vec![vec![0, 1, 2], vec![0, 1, 2, 3], vec![2, 3, 0]],
            ground: vec![vec![triangle], vec![], vec![triangle, triangle]],
        };
        let mut bytes = Vec::new();
        write_polygons(&mesh, &mut bytes).unwrap();
        let again = parse_polygons(Path::new("mesh.obj"), &bytes).unwrap();
        assert_eq!((&again.polygons, &again.ground), (&mesh.polygons, &mesh.ground));
        assert_eq!(again.vertices[..4], mesh.vertices[..]);
    }

    #[test]
    fn ground_may_come_before_its_polygon_and_be_any_polygon() {
        let mesh = parse(&format!("{SQUARES}g ground_2\nf 1 2 3 4\no polygons\nf 1 2 3\nf 1 3 4\n")).unwrap();
        assert_eq!((mesh.polygons.len(), mesh.ground[0].len(), mesh.ground[1].len()), (2, 0, 2));
    }

    #[test]
    fn errors_name_file_and_line() {
        for (text, expected) in [
            ("v 0 0 nan\n", "mesh.obj: line 1: expected finite coordinates"),
            ("v 0 0 1e99\n", "mesh.obj: line 1: expected finite coordinates"),
            (&format!("{SQUARES}f 1 2\n"), "mesh.obj: line 6: expected three corners or more, found 2"),
            (&format!("{SQUARES}f 1 2 9\n"), "mesh.obj: line 6: vertex 9 does not exist, there are 5"),
            (&format!("{SQUARES}f 1 2 x\n"), "mesh.obj: line 6: expected a vertex index"),
            (&format!("{SQUARES}g ground_0\n"), "mesh.obj: line 6: expected the number of a polygon"),
            (
                &format!("{SQUARES}f 1 2 3\ng ground_2\nf 1 2 3\n"),
                "mesh.obj: line 8: polygon 2 does not exist, there are 1",
            ),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.starts_with(expected), "{message}");
        }
        assert_eq!(parse(""), Ok(PolygonMesh::default()));
    }
}
