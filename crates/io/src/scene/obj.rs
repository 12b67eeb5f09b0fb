//! Wavefront OBJ: the `v`, `f`, `o`, `g` and `usemtl` statements.
//!
//! Written here because an error has to name the line, and because the parser crate (tobj) knows no
//! line continuations, rejects names that are not UTF-8 and duplicates vertices per material. tobj
//! is the oracle in the tests.

use std::borrow::Cow;

use glam::DVec3;

use super::{Lines, SoupBuilder, Source, SurfaceNames, parse_number, quoted, without_bom, words};
use crate::{IoError, Place};

/// Bytes of a file that are checked to guess its format.
const SNIFFED: usize = 4096;

/// `true` if the beginning has a vertex line, and before it nothing but statements of the format.
pub(super) fn looks_like_obj(text: &[u8]) -> bool {
    for (_, line) in Lines::new(&text[..text.len().min(SNIFFED)]) {
        let mut words = words(line);
        match words.next() {
            None => {}
            Some(b"v") => {
                let coordinates: Vec<_> = words.map(parse_number).collect();
                return coordinates.len() >= 3 && coordinates.iter().all(Option::is_some);
            }
            Some(b"vt" | b"vn" | b"vp" | b"o" | b"g" | b"s" | b"mtllib" | b"usemtl") => {}
            Some(word) if word.starts_with(b"#") => {}
            Some(_) => return false,
        }
    }
    false
}

/// The statement that names the surface of the faces that follow.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Naming {
    Object,
    Group,
    Material,
}

impl Naming {
    /// Returns the statement of a line, and the name.
    fn of(line: &[u8]) -> Option<(Self, &[u8])> {
        let keywords = [(&b"o"[..], Self::Object), (b"g", Self::Group), (b"usemtl", Self::Material)];
        keywords.into_iter().find_map(|(keyword, naming)| {
            let name = line.strip_prefix(keyword)?;
            name.first().is_some_and(u8::is_ascii_whitespace).then_some((naming, name.trim_ascii()))
        })
    }

    /// Sets the name, readable whatever its bytes.
    pub(super) fn set(self, names: &mut SurfaceNames, name: &[u8]) {
        let place = match self {
            Self::Object => &mut names.object,
            Self::Group => &mut names.group,
            Self::Material => &mut names.material,
        };
        *place = String::from_utf8_lossy(name).into_owned();
    }
}

/// Receives the contents of an OBJ file.
pub(crate) trait ObjSink {
    /// The next vertex.
    fn vertex(&mut self, _line: usize, _position: DVec3) -> Result<(), IoError> {
        Ok(())
    }

    /// Faces that follow belong to the object or group, or are of the material, of this name.
    fn name(&mut self, _line: usize, _naming: Naming, _name: &[u8]) -> Result<(), IoError> {
        Ok(())
    }

    /// A face; its vertices count from 0 in this file.
    fn face(&mut self, _line: usize, _corners: &[u32]) -> Result<(), IoError> {
        Ok(())
    }
}

pub(super) fn parse(source: Source<'_>, builder: &mut SoupBuilder) -> Result<(), IoError> {
    let base = builder.next_vertex(&source)?;
    read(source, &mut Soup { source, base, builder, face: Vec::new() })
}

/// Faces as triangles.
struct Soup<'a, 'b> {
    source: Source<'a>,
    base: u32,
    builder: &'b mut SoupBuilder,
    face: Vec<u32>,
}

impl ObjSink for Soup<'_, '_> {
    fn vertex(&mut self, _line: usize, position: DVec3) -> Result<(), IoError> {
        self.builder.next_vertex(&self.source)?;
        self.builder.push_vertex(position);
        Ok(())
    }

    fn name(&mut self, _line: usize, naming: Naming, name: &[u8]) -> Result<(), IoError> {
        self.builder.rename(|names| naming.set(names, name));
        Ok(())
    }

    fn face(&mut self, line: usize, corners: &[u32]) -> Result<(), IoError> {
        self.face.clear();
        self.face.extend(corners.iter().map(|vertex| self.base + vertex));
        self.builder.push_face(&self.source, Place::Line(line), &self.face)
    }
}

/// Passes every vertex to `sink`, then every name and face in the order of the file.
pub(crate) fn read(source: Source<'_>, sink: &mut impl ObjSink) -> Result<(), IoError> {
    let text = without_bom(source.bytes);
    let mut vertices = ObjReader::of_vertices(source);
    vertices.part(text, sink)?;
    ObjReader::of_faces(source, vertices.known).part(text, sink)
}

/// Reads the text of a file part by part: its vertices first, because faces may name vertices that
/// follow later.
pub(super) struct ObjReader<'a> {
    source: Source<'a>,
    /// Vertices of the file, once they are known.
    count: Option<u32>,
    /// Vertices so far.
    known: u32,
    face: Vec<u32>,
    /// Lines so far.
    lines: usize,
}

impl<'a> ObjReader<'a> {
    /// A reader that passes on the vertices alone.
    pub(super) fn of_vertices(source: Source<'a>) -> Self {
        Self { source, count: None, known: 0, face: Vec::new(), lines: 0 }
    }

    /// A reader that passes on the names and faces of a file of `count` vertices.
    pub(super) fn of_faces(source: Source<'a>, count: u32) -> Self {
        Self { count: Some(count), ..Self::of_vertices(source) }
    }

    /// Reads some lines, the last one whole and not continued.
    pub(super) fn part(&mut self, text: &[u8], sink: &mut impl ObjSink) -> Result<(), IoError> {
        let mut lines = Lines { rest: text, number: self.lines };
        while let Some((number, line)) = lines.next() {
            let line = line.trim_ascii_start();
            let is = |keyword: u8| {
                line.first() == Some(&keyword) && line.get(1).is_some_and(u8::is_ascii_whitespace)
            };
            if is(b'v') {
                let line = continued(line, &mut lines);
                if self.count.is_none() {
                    sink.vertex(number, self.position(number, &line)?)?;
                }
                let too_many = || self.source.too_many("vertices", 1 << 32, u32::MAX.into());
                self.known = self.known.checked_add(1).ok_or_else(too_many)?;
            } else if is(b'f') {
                let line = continued(line, &mut lines);
                if let Some(count) = self.count {
                    self.read_face(number, &line, count)?;
                    sink.face(number, &self.face)?;
                }
            } else if self.count.is_some()
                && let Some((naming, name)) = Naming::of(line)
            {
                sink.name(number, naming, name)?;
            }
        }
        self.lines = lines.number;
        Ok(())
    }

    fn position(&self, number: usize, line: &[u8]) -> Result<DVec3, IoError> {
        let mut words = words(&line[1..]);
        let mut position = [0.0; 3];
        for coordinate in &mut position {
            let word = words.next().unwrap_or_default();
            let bad = || self.source.malformed(Place::Line(number), "three coordinates", quoted(word));
            *coordinate = parse_number(word).ok_or_else(bad)?;
        }
        Ok(position.into())
    }

    fn read_face(&mut self, number: usize, line: &[u8], count: u32) -> Result<(), IoError> {
        let (source, place) = (self.source, Place::Line(number));
        self.face.clear();
        for corner in words(&line[1..]).take_while(|word| !word.starts_with(b"#")) {
            let index = parse_corner(&source, number, corner)?;
            let Some(vertex) = resolve(index, self.known) else {
                return Err(source.out_of_range(place, "vertex", index, self.known as usize));
            };
            if vertex >= count {
                return Err(source.out_of_range(place, "vertex", i64::from(vertex) + 1, count as usize));
            }
            self.face.push(vertex);
        }
        Ok(())
    }
}

/// Returns the line with the lines that a trailing backslash joins to it. Only called for
/// statements that are read: a comment that ends in a Windows path must not swallow the next line.
fn continued<'a>(line: &'a [u8], lines: &mut Lines<'a>) -> Cow<'a, [u8]> {
    let Some(mut part) = line.trim_ascii_end().strip_suffix(b"\\") else { return Cow::Borrowed(line) };
    let mut joined = Vec::new();
    loop {
        joined.extend_from_slice(part);
        joined.push(b' ');
        let Some((_, next)) = lines.next() else { break };
        match next.trim_ascii_end().strip_suffix(b"\\") {
            Some(next) => part = next,
            None => {
                joined.extend_from_slice(next);
                break;
            }
        }
    }
    Cow::Owned(joined)
}

/// The vertex index of a corner such as `7`, `-1`, `7/2`, `7//3` or `7/2/3`.
fn parse_corner(source: &Source<'_>, line: usize, corner: &[u8]) -> Result<i64, IoError> {
    let index = corner.split(|&byte| byte == b'/').next().unwrap_or_default();
    std::str::from_utf8(index)
        .ok()
        .and_then(|index| index.parse().ok())
        .ok_or_else(|| source.malformed(Place::Line(line), "a vertex index", quoted(corner)))
}

/// Index from 0 of a vertex that the file counts from 1, or back from the last one read.
fn resolve(index: i64, known: u32) -> Option<u32> {
    let from_zero = if index > 0 { index - 1 } else { i64::from(known).checked_add(index)? };
    // 0 resolves to `known`, which would be the next vertex.
    if index == 0 { None } else { u32::try_from(from_zero).ok() }
}
