//! OBJ, binary STL and binary PLY files in portions.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use glam::{DVec3, Vec3};
use waymesh_core::stage::StageError;
use waymesh_core::{AreaId, AreaVisitor, checkpoint, to_u32};

use super::areas::Surface;
use super::faces::FaceCutter;
use super::obj::{Naming, ObjReader, ObjSink};
#[cfg(feature = "ply")]
use super::ply::{List, PlyHeader};
use super::text::Encoding;
use super::vertices::Vertices;
use super::{LoadOptions, SceneFormat, Source, push_strip, stl, without_bom};
use crate::files::unread;
use crate::{IoError, Place};

/// Bytes of text that are parsed together, and that are searched for a header.
const PART: usize = 1 << 20;
/// Triangles passed on at once.
const TRIANGLES_PER_PORTION: usize = 4096;

/// A file that can be read in portions.
#[derive(Debug)]
pub(super) enum Streamed {
    Obj,
    /// Binary STL with this number of triangles.
    Stl(u64),
    #[cfg(feature = "ply")]
    Ply(PlyHeader),
}

impl Streamed {
    /// `None` if the file is something else, or has to be read as a whole to find what is wrong.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, IoError> {
        let mut file = File::open(path).map_err(unread(path))?;
        let length = file.metadata().map_err(unread(path))?.len();
        let mut beginning = Vec::new();
        (&mut file).take(PART as u64).read_to_end(&mut beginning).map_err(unread(path))?;
        // Only the readers of whole files change the encoding.
        if Encoding::of(&beginning, length) != Encoding::Bytes {
            return Ok(None);
        }
        let source = Source { file: path, bytes: &beginning };
        let format = SceneFormat::of(path, &beginning);
        match format {
            Some(SceneFormat::Obj) => Ok(Some(Self::Obj)),
            Some(SceneFormat::Stl) | None if !stl::is_text_of(&beginning, length) => {
                match stl::triangle_count(&source, length) {
                    Err(_) if format.is_none() => Ok(None),
                    count => Ok(Some(Self::Stl(count?))),
                }
            }
            #[cfg(feature = "ply")]
            Some(SceneFormat::Ply) => {
                Ok(PlyHeader::read(&source).ok().filter(|header| !header.is_text()).map(Self::Ply))
            }
            _ => Ok(None),
        }
    }

    /// All vertices that faces name, for [`Streamed::visit`].
    pub(super) fn vertices(
        &self,
        path: &Path,
        options: &LoadOptions,
        most_bytes: u64,
    ) -> Result<Vertices, IoError> {
        let mut vertices = Vertices::new(most_bytes);
        let source = Source { file: path, bytes: &[] };
        match self {
            Self::Obj => {
                let mut sink = Positions { options, vertices: &mut vertices };
                let mut reader = ObjReader::of_vertices(source);
                parts(path, |text| reader.part(text, &mut sink))?;
            }
            Self::Stl(_) => {}
            #[cfg(feature = "ply")]
            Self::Ply(header) => {
                let (mut file, length) = open_at(path, header.start)?;
                let mut take = |position| {
                    source.vertex_after(vertices.len())?;
                    vertices.push(options.place(position))
                };
                let mut values = header.binary(source, &mut file, length);
                header.visit::<IoError>(&mut values, Some(&mut take), None)?;
            }
        }
        Ok(vertices)
    }

    /// Passes all triangles on. `surface` is that of the file.
    pub(super) fn visit(
        &self,
        path: &Path,
        options: &LoadOptions,
        vertices: &Mutex<Vertices>,
        surface: Surface,
        visit: &mut AreaVisitor<'_>,
    ) -> Result<(), StageError> {
        let mut out = Portions {
            options: *options,
            vertices,
            cutter: FaceCutter::default(),
            triangles: Vec::new(),
            portion: Vec::with_capacity(2 * TRIANGLES_PER_PORTION),
            surface,
            areas: Vec::new(),
            any: false,
        };
        let source = Source { file: path, bytes: &[] };
        let count = vertices.lock().unwrap_or_else(PoisonError::into_inner).len();
        match self {
            Self::Obj => {
                let mut reader = ObjReader::of_faces(source, to_u32(count));
                let mut sink = Faces { source, out: &mut out };
                parts(path, |text| {
                    reader.part(text, &mut sink)?;
                    sink.out.hand_on(visit, 1)
                })?;
            }
            Self::Stl(count) => {
                let (mut file, _) = open_at(path, stl::START)?;
                let mut record = [0; stl::RECORD];
                for _ in 0..*count {
                    file.read_exact(&mut record).map_err(unread(path))?;
                    out.push_triangle(stl::corners(&record).map(|corner| options.place(corner)));
                    out.hand_on(visit, TRIANGLES_PER_PORTION)?;
                }
            }
            #[cfg(feature = "ply")]
            Self::Ply(header) => {
                let (mut file, length) = open_at(path, header.start)?;
                let mut buffer = Vec::new();
                let mut take = |list: List<'_>| {
                    list.each(&source, (0, count), &mut buffer, |corners| {
                        if !list.is_strip {
                            return out.push_face(&source, list.place, corners);
                        }
                        let mut triangles = Vec::new();
                        push_strip(corners, &mut triangles);
                        out.push(&triangles)
                    })?;
                    out.hand_on(visit, TRIANGLES_PER_PORTION)
                };
                header.visit(&mut header.binary(source, &mut file, length), None, Some(&mut take))?;
            }
        }
        out.hand_on(visit, 1)?;
        if out.any { Ok(()) } else { Err(IoError::NoTriangles { file: path.to_owned() }.into()) }
    }
}

/// Opens a file from an offset on. Also returns its length.
fn open_at(path: &Path, start: usize) -> Result<(BufReader<File>, u64), IoError> {
    let mut file = File::open(path).map_err(unread(path))?;
    let length = file.metadata().map_err(unread(path))?.len();
    file.seek(SeekFrom::Start(start as u64)).map_err(unread(path))?;
    Ok((BufReader::with_capacity(PART, file), length))
}

/// Vertices of an OBJ file.
struct Positions<'a> {
    options: &'a LoadOptions,
    vertices: &'a mut Vertices,
}

impl ObjSink for Positions<'_> {
    fn vertex(&mut self, _line: usize, position: DVec3) -> Result<(), IoError> {
        self.vertices.push(self.options.place(position))
    }
}

/// Faces of an OBJ file.
struct Faces<'a, 'b> {
    source: Source<'a>,
    out: &'b mut Portions<'a>,
}

impl ObjSink for Faces<'_, '_> {
    fn name(&mut self, _line: usize, naming: Naming, name: &[u8]) -> Result<(), IoError> {
        self.out.surface.rename(|names| naming.set(names, name));
        Ok(())
    }

    fn face(&mut self, line: usize, corners: &[u32]) -> Result<(), IoError> {
        self.out.push_face(&self.source, Place::Line(line), corners)
    }
}

/// Triangles on their way.
struct Portions<'a> {
    options: LoadOptions,
    vertices: &'a Mutex<Vertices>,
    cutter: FaceCutter,
    /// Triangles of a face.
    triangles: Vec<[u32; 3]>,
    portion: Vec<[Vec3; 3]>,
    surface: Surface,
    /// Empty while all are plain ground.
    areas: Vec<AreaId>,
    any: bool,
}

impl Portions<'_> {
    /// Cuts a face.
    fn push_face(&mut self, source: &Source<'_>, place: Place, corners: &[u32]) -> Result<(), IoError> {
        let mut triangles = std::mem::take(&mut self.triangles);
        triangles.clear();
        let mut vertices = self.vertices.lock().unwrap_or_else(PoisonError::into_inner);
        self.cutter.cut(source, place, corners, |corner| vertices.get(corner as usize), &mut triangles)?;
        drop(vertices);
        self.push(&triangles)?;
        self.triangles = triangles;
        Ok(())
    }

    fn push(&mut self, triangles: &[[u32; 3]]) -> Result<(), IoError> {
        let mut vertices = self.vertices.lock().unwrap_or_else(PoisonError::into_inner);
        for triangle in triangles {
            let mut corners = [Vec3::ZERO; 3];
            for (corner, &index) in corners.iter_mut().zip(triangle) {
                *corner = vertices.get(index as usize)?;
            }
            self.push_triangle(corners);
        }
        Ok(())
    }

    fn push_triangle(&mut self, corners: [Vec3; 3]) {
        self.surface.area.push(&mut self.areas, self.portion.len());
        self.portion.push(self.options.turned(corners));
    }

    /// Passes the triangles on if there are that many.
    fn hand_on(&mut self, visit: &mut AreaVisitor<'_>, least: usize) -> Result<(), StageError> {
        if self.portion.len() >= least {
            checkpoint();
            self.any = true;
            let mut areas = self.areas.chunks(TRIANGLES_PER_PORTION);
            for portion in self.portion.chunks(TRIANGLES_PER_PORTION) {
                visit(portion, areas.next().unwrap_or_default())?;
            }
            self.portion.clear();
            self.areas.clear();
        }
        Ok(())
    }
}

/// Passes the text of a file on in parts that end with a line that is not continued. Each line is
/// in memory as a whole.
fn parts<E: From<IoError>>(path: &Path, part: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    parts_of(File::open(path).map_err(unread(path))?, PART, unread(path), part)
}

fn parts_of<E: From<IoError>>(
    mut file: impl Read,
    size: usize,
    failed: impl Fn(std::io::Error) -> IoError,
    mut part: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut text: Vec<u8> = Vec::new();
    let (mut wanted, mut is_first) = (size, true);
    loop {
        checkpoint();
        let more = wanted.saturating_sub(text.len()) as u64;
        let read = (&mut file).take(more).read_to_end(&mut text).map_err(&failed)? as u64;
        let is_end = read < more;
        let end = if is_end { text.len() } else { cut(&text) };
        if end > 0 {
            let whole = &text[..end];
            part(if is_first { without_bom(whole) } else { whole })?;
            is_first = false;
            text.drain(..end);
            wanted = size;
        } else {
            wanted = wanted.saturating_mul(2);
        }
        if is_end {
            return Ok(());
        }
    }
}

/// The end of the last whole line that is not continued in the next; 0 if there is none.
fn cut(text: &[u8]) -> usize {
    let mut end = text.len();
    // A carriage return at the very end may be half a line break.
    while let Some(at) = text[..end].iter().rposition(|&byte| byte == b'\n' || byte == b'\r') {
        let is_whole = text[at] == b'\n' || at + 1 < text.len();
        let splits = text[at] == b'\r' && text.get(at + 1) == Some(&b'\n');
        if is_whole && !splits && !text[..at].trim_ascii_end().ends_with(b"\\") {
            return at + 1;
        }
        end = at;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_where_lines_end() {
        let text = b"\xef\xbb\xbfv 1 2 3\r\nv 4 \\\n 5 6\r# C:\\\nf 1 2 3 \\  \n 4\n\nlast without an end";
        let lines = |text: &[u8]| -> Vec<Vec<u8>> {
            super::super::Lines::new(without_bom(text)).map(|(_, line)| line.to_vec()).collect()
        };
        for size in 1..text.len() + 3 {
            let (mut found, mut whole) = (Vec::new(), Vec::new());
            parts_of(&text[..], size, unread(Path::new("a file")), |part| -> Result<(), IoError> {
                assert!(!part.trim_ascii_end().ends_with(b"\\"), "{size}");
                whole.extend_from_slice(part);
                found.extend(lines(part));
                Ok(())
            })
            .unwrap();
            assert_eq!(whole, without_bom(text), "{size}");
            assert_eq!(found, lines(text), "{size}");
        }
    }
}
