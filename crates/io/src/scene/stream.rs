//! OBJ and binary PLY files in portions.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use glam::{DVec3, Vec3};
use waymesh_core::stage::StageError;
use waymesh_core::{AreaId, AreaVisitor};

use super::areas::Surface;
use super::faces::FaceCutter;
use super::obj::{ObjReader, ObjSink, name_of};
#[cfg(feature = "ply")]
use super::ply::{BinaryHeader, Values, push_strips, read_polygons, read_vertices, skip, vertices_of};
use super::text::Encoding;
use super::vertices::Vertices;
use super::{LoadOptions, SceneFormat, Source, without_bom};
use crate::{IoError, Place};

/// Bytes of text that are parsed together, and that are searched for a header.
const PART: usize = 1 << 20;
/// Triangles passed on at once.
const TRIANGLES_PER_PORTION: usize = 4096;

/// Why triangles could not be passed on.
#[derive(Debug)]
pub(super) enum Stop {
    /// The file.
    Read(IoError),
    /// The receiver of the triangles.
    Visit(StageError),
}

impl From<IoError> for Stop {
    fn from(error: IoError) -> Self {
        Self::Read(error)
    }
}

impl From<Stop> for StageError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Read(error) => Self::new("read", error),
            Stop::Visit(error) => error,
        }
    }
}

/// A file that can be read in portions.
#[derive(Debug)]
pub(super) enum Streamed {
    Obj,
    #[cfg(feature = "ply")]
    Ply(BinaryHeader),
}

impl Streamed {
    /// `None` if the file is something else, or has its vertices behind its faces.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, IoError> {
        let failed = |source| IoError::Read { file: path.to_owned(), source };
        let mut beginning = Vec::new();
        File::open(path)
            .and_then(|file| file.take(PART as u64).read_to_end(&mut beginning))
            .map_err(failed)?;
        // Only the readers of whole files change the encoding.
        if Encoding::of(&beginning, u64::MAX) != Encoding::Bytes {
            return Ok(None);
        }
        match SceneFormat::of(path, &beginning) {
            Some(SceneFormat::Obj) => Ok(Some(Self::Obj)),
            #[cfg(feature = "ply")]
            Some(SceneFormat::Ply) => {
                let source = Source { file: path, bytes: &beginning };
                Ok(BinaryHeader::read(&source).map(Self::Ply))
            }
            _ => Ok(None),
        }
    }

    /// All vertices, for [`Streamed::visit`].
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
                let mut reader = ObjReader::only_vertices();
                parts(path, |text| reader.part(source, text, &mut sink))?;
            }
            #[cfg(feature = "ply")]
            Self::Ply(header) => {
                let mut file = header.payload(path)?;
                let mut values = header.values(&mut file);
                let Some(element) = header.elements.get("vertex") else { return Ok(vertices) };
                for before in header.elements.values().take_while(|element| element.name != "vertex") {
                    skip(&source, before, &mut values)?;
                }
                read_vertices(&source, element, &mut values, &mut |position| {
                    u32::try_from(vertices.len())
                        .map_err(|_| source.too_many_vertices(vertices.len() as u64 + 1))?;
                    vertices.push(options.place(position))
                })?;
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
    ) -> Result<(), Stop> {
        let portion = Vec::with_capacity(2 * TRIANGLES_PER_PORTION);
        let cutter = FaceCutter::default();
        let mut out =
            Portions { options: *options, vertices, cutter, portion, surface, areas: Vec::new(), any: false };
        let source = Source { file: path, bytes: &[] };
        match self {
            Self::Obj => {
                let mut reader = ObjReader::default();
                let mut sink = Faces { source, out: &mut out, triangles: Vec::new() };
                parts(path, |text| {
                    reader.part(source, text, &mut sink)?;
                    sink.out.hand_on(visit, 1)
                })?;
                reader.finish(source)?;
            }
            #[cfg(feature = "ply")]
            Self::Ply(header) => {
                let mut file = header.payload(path)?;
                let mut values = header.values(&mut file);
                let count = vertices.lock().unwrap_or_else(PoisonError::into_inner).len();
                let (mut corners_of, mut triangles) = (Vec::new(), Vec::new());
                for element in header.elements.values() {
                    let kind = match element.name.as_str() {
                        "face" => "face",
                        "tristrips" => "triangle strip",
                        _ => {
                            skip(&source, element, &mut values)?;
                            continue;
                        }
                    };
                    read_polygons(
                        &source,
                        element,
                        kind,
                        &mut values,
                        &mut |corners, index| -> Result<(), Stop> {
                            triangles.clear();
                            let place = Place::Element { kind, index };
                            if kind == "face" {
                                vertices_of(&source, place, corners, 0, count, &mut corners_of)?;
                                out.cut(&source, place, &corners_of, &mut triangles)?;
                            } else {
                                push_strips(&source, place, corners, 0, count, &mut triangles)?;
                            }
                            out.push(&triangles, |index| {
                                source.out_of_range(place, "vertex", index.into(), count)
                            })?;
                            out.hand_on(visit, TRIANGLES_PER_PORTION)
                        },
                    )?;
                }
            }
        }
        out.hand_on(visit, 1)?;
        if out.any { Ok(()) } else { Err(IoError::NoTriangles { file: path.to_owned() }.into()) }
    }
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

    fn face(&mut self, _line: usize, _corners: &[u32]) -> Result<(), IoError> {
        Ok(())
    }
}

/// Faces of an OBJ file.
struct Faces<'a, 'b> {
    source: Source<'a>,
    out: &'b mut Portions<'a>,
    triangles: Vec<[u32; 3]>,
}

impl ObjSink for Faces<'_, '_> {
    fn vertex(&mut self, _line: usize, _position: DVec3) -> Result<(), IoError> {
        Ok(())
    }

    fn object(&mut self, _line: usize, name: &[u8]) -> Result<(), IoError> {
        self.out.surface.rename(|names| names.object = name_of(name));
        Ok(())
    }

    fn group(&mut self, _line: usize, name: &[u8]) -> Result<(), IoError> {
        self.out.surface.rename(|names| names.group = name_of(name));
        Ok(())
    }

    fn material(&mut self, name: &[u8]) {
        self.out.surface.rename(|names| names.material = name_of(name));
    }

    fn face(&mut self, line: usize, corners: &[u32]) -> Result<(), IoError> {
        self.triangles.clear();
        self.out.cut(&self.source, Place::Line(line), corners, &mut self.triangles)?;
        let count = self.out.vertices.lock().unwrap_or_else(PoisonError::into_inner).len();
        // The reader speaks of vertices that are not there at the end of the file, as it does when it reads
        // the file as a whole.
        self.triangles.retain(|triangle| triangle.iter().all(|&index| (index as usize) < count));
        self.out.push(&self.triangles, |index| {
            self.source.out_of_range(Place::Line(line), "vertex", i64::from(index) + 1, count)
        })
    }
}

/// Triangles on their way.
struct Portions<'a> {
    options: LoadOptions,
    vertices: &'a Mutex<Vertices>,
    cutter: FaceCutter,
    portion: Vec<[Vec3; 3]>,
    surface: Surface,
    /// Empty while all are plain ground.
    areas: Vec<AreaId>,
    any: bool,
}

impl Portions<'_> {
    /// Cuts a face. A vertex that is not there stays in the triangles.
    fn cut(
        &mut self,
        source: &Source<'_>,
        place: Place,
        corners: &[u32],
        triangles: &mut Vec<[u32; 3]>,
    ) -> Result<(), IoError> {
        let positions = &mut self.cutter.positions;
        positions.clear();
        if corners.len() > 3 {
            let mut vertices = self.vertices.lock().unwrap_or_else(PoisonError::into_inner);
            for &corner in corners {
                positions.push(vertices.get(corner as usize)?.unwrap_or(Vec3::NAN));
            }
        }
        self.cutter.cut(source, place, corners, triangles)
    }

    fn push(&mut self, triangles: &[[u32; 3]], missing: impl Fn(u32) -> IoError) -> Result<(), IoError> {
        let mut vertices = self.vertices.lock().unwrap_or_else(PoisonError::into_inner);
        for triangle in triangles {
            let mut corners = [Vec3::ZERO; 3];
            for (corner, &index) in corners.iter_mut().zip(triangle) {
                *corner = vertices.get(index as usize)?.ok_or_else(|| missing(index))?;
            }
            if self.options.turns(corners) {
                corners.swap(1, 2);
            }
            self.surface.area.push(&mut self.areas, self.portion.len());
            self.portion.push(corners);
        }
        Ok(())
    }

    /// Passes the triangles on if there are that many.
    fn hand_on(&mut self, visit: &mut AreaVisitor<'_>, least: usize) -> Result<(), Stop> {
        if self.portion.len() >= least {
            self.any = true;
            let mut areas = self.areas.chunks(TRIANGLES_PER_PORTION);
            for portion in self.portion.chunks(TRIANGLES_PER_PORTION) {
                visit(portion, areas.next().unwrap_or_default()).map_err(Stop::Visit)?;
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
    let failed = |source| IoError::Read { file: path.to_owned(), source };
    parts_of(File::open(path).map_err(failed)?, PART, failed, part)
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

#[cfg(feature = "ply")]
impl BinaryHeader {
    /// The file from its first value on.
    fn payload(&self, path: &Path) -> Result<BufReader<File>, IoError> {
        let failed = |source| IoError::Read { file: path.to_owned(), source };
        let mut file = File::open(path).map_err(failed)?;
        file.seek(SeekFrom::Start(self.start as u64)).map_err(failed)?;
        Ok(BufReader::with_capacity(PART, file))
    }

    fn values<'a>(&self, file: &'a mut dyn Read) -> Values<'a> {
        Values::Stream { file, at: self.start as u64, big: self.big }
    }
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
            let failed = |source| IoError::Read { file: "a file".into(), source };
            parts_of(&text[..], size, failed, |part| -> Result<(), IoError> {
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
