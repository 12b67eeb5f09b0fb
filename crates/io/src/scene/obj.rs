//! Wavefront OBJ: the `v`, `f`, `o`, `g` and `usemtl` statements.
//!
//! Written here because an error has to name the line, and because the parser crate (tobj) knows no
//! line continuations, rejects names that are not UTF-8 and duplicates vertices per material. tobj
//! is the oracle in the tests.

use std::borrow::Cow;

use glam::DVec3;

use super::{Lines, SoupBuilder, Source, parse_number, quoted, without_bom, words};
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

/// Receives the contents of an OBJ file.
pub(crate) trait ObjSink {
    /// The next vertex.
    fn vertex(&mut self, line: usize, position: DVec3) -> Result<(), IoError>;

    /// Faces that follow belong to the object, or in another one of its groups.
    fn object(&mut self, line: usize, name: &[u8]) -> Result<(), IoError> {
        self.group(line, name)
    }

    /// Faces that follow belong to the group of this name.
    fn group(&mut self, _line: usize, _name: &[u8]) -> Result<(), IoError> {
        Ok(())
    }

    /// Faces that follow are of this material.
    fn material(&mut self, _name: &[u8]) {}

    /// A face; its vertices count from 0 in this file. It may name vertices that follow later,
    /// which is checked at the end of the file.
    fn face(&mut self, line: usize, corners: &[u32]) -> Result<(), IoError>;
}

pub(super) fn parse(source: Source<'_>, builder: &mut SoupBuilder) -> Result<(), IoError> {
    let base = builder.next_vertex(&source)?;
    let mut soup = Soup { source, base, builder, face: Vec::new(), ahead: Vec::new() };
    read(source, &mut soup)?;
    soup.cut_ahead()
}

/// Faces as triangles.
struct Soup<'a, 'b> {
    source: Source<'a>,
    base: u32,
    builder: &'b mut SoupBuilder,
    face: Vec<u32>,
    /// Faces that name vertices before they come: line, corners and first triangle. As many triangles
    /// as they have are in the soup already, so that the order of the file is kept.
    ahead: Vec<(usize, Vec<u32>, usize)>,
}

impl Soup<'_, '_> {
    /// Cuts the faces whose corners were not known before the end of the file.
    fn cut_ahead(self) -> Result<(), IoError> {
        let Self { source, builder, ahead, .. } = self;
        for (line, corners, first) in ahead {
            let end = builder.triangles.len();
            builder.push_face(&source, Place::Line(line), &corners)?;
            builder.triangles.copy_within(end.., first);
            builder.triangles.truncate(end);
        }
        Ok(())
    }
}

impl ObjSink for Soup<'_, '_> {
    fn vertex(&mut self, _line: usize, position: DVec3) -> Result<(), IoError> {
        self.builder.push_vertex(position);
        Ok(())
    }

    fn object(&mut self, _line: usize, name: &[u8]) -> Result<(), IoError> {
        self.builder.rename(|surface| surface.rename(|names| names.object = name_of(name)));
        Ok(())
    }

    fn group(&mut self, _line: usize, name: &[u8]) -> Result<(), IoError> {
        self.builder.rename(|surface| surface.rename(|names| names.group = name_of(name)));
        Ok(())
    }

    fn material(&mut self, name: &[u8]) {
        self.builder.rename(|surface| surface.rename(|names| names.material = name_of(name)));
    }

    fn face(&mut self, line: usize, corners: &[u32]) -> Result<(), IoError> {
        let known = self.builder.next_vertex(&self.source)? - self.base;
        self.face.clear();
        for &vertex in corners {
            let vertex = self.base.checked_add(vertex).ok_or_else(|| {
                let index = i64::from(vertex) + 1;
                self.source.out_of_range(Place::Line(line), "vertex", index, known as usize)
            })?;
            self.face.push(vertex);
        }
        if self.face.len() > 3 && corners.iter().any(|&vertex| vertex >= known) {
            self.ahead.push((line, self.face.clone(), self.builder.triangles.len()));
            let placeholders = self.face.windows(3).map(|corners| [corners[0], corners[1], corners[2]]);
            self.builder.triangles.extend(placeholders);
            return Ok(());
        }
        self.builder.push_face(&self.source, Place::Line(line), &self.face)
    }
}

/// A name, readable whatever its bytes.
pub(super) fn name_of(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// Passes every vertex, group and face to `sink`, in the order of the file.
pub(crate) fn read(source: Source<'_>, sink: &mut impl ObjSink) -> Result<(), IoError> {
    let mut reader = ObjReader::default();
    reader.part(source, without_bom(source.bytes), sink)?;
    reader.finish(source)
}

/// Reads the text of a file part by part.
#[derive(Debug, Default)]
pub(super) struct ObjReader {
    /// Vertices so far.
    known: u32,
    /// Vertices that faces name before they come, with the line: checked once all are known.
    ahead: Vec<(usize, u32)>,
    face: Vec<u32>,
    /// Lines so far.
    lines: usize,
    skips_faces: bool,
}

impl ObjReader {
    /// A reader that passes on the vertices alone.
    pub(super) fn only_vertices() -> Self {
        Self { skips_faces: true, ..Self::default() }
    }

    /// Reads some lines, the last one whole and not continued.
    pub(super) fn part(
        &mut self,
        source: Source<'_>,
        text: &[u8],
        sink: &mut impl ObjSink,
    ) -> Result<(), IoError> {
        let mut lines = Lines { rest: text, number: self.lines };
        while let Some((number, line)) = lines.next() {
            let line = line.trim_ascii_start();
            let is = |keyword: u8| {
                line.first() == Some(&keyword) && line.get(1).is_some_and(u8::is_ascii_whitespace)
            };
            if is(b'v') {
                let line = continued(line, &mut lines);
                let mut coordinates = words(&line[1..]);
                let mut position = [0.0; 3];
                for coordinate in &mut position {
                    let word = coordinates.next().unwrap_or_default();
                    *coordinate = parse_number(word).ok_or_else(|| {
                        source.malformed(Place::Line(number), "three coordinates", quoted(word))
                    })?;
                }
                sink.vertex(number, DVec3::from_array(position))?;
                self.known = self
                    .known
                    .checked_add(1)
                    .ok_or_else(|| source.too_many_vertices(u64::from(u32::MAX) + 1))?;
            } else if is(b'f') {
                let line = continued(line, &mut lines);
                if !self.skips_faces {
                    self.read_face(source, number, &line, sink)?;
                }
            } else if is(b'o') {
                sink.object(number, line[1..].trim_ascii())?;
            } else if is(b'g') {
                sink.group(number, line[1..].trim_ascii())?;
            } else if let Some(name) = line.strip_prefix(b"usemtl")
                && name.first().is_some_and(u8::is_ascii_whitespace)
            {
                sink.material(name.trim_ascii());
            }
        }
        self.lines = lines.number;
        Ok(())
    }

    fn read_face(
        &mut self,
        source: Source<'_>,
        number: usize,
        line: &[u8],
        sink: &mut impl ObjSink,
    ) -> Result<(), IoError> {
        let known = self.known;
        self.face.clear();
        for corner in words(&line[1..]).take_while(|word| !word.starts_with(b"#")) {
            let index = parse_corner(&source, number, corner)?;
            let vertex = resolve(index, known)
                .ok_or_else(|| source.out_of_range(Place::Line(number), "vertex", index, known as usize))?;
            if vertex >= known {
                self.ahead.push((number, vertex));
            }
            self.face.push(vertex);
        }
        sink.face(number, &self.face)
    }

    /// The end of the file.
    pub(super) fn finish(self, source: Source<'_>) -> Result<(), IoError> {
        let known = self.known;
        match self.ahead.into_iter().find(|&(_, vertex)| vertex >= known) {
            Some((line, vertex)) => {
                Err(source.out_of_range(Place::Line(line), "vertex", i64::from(vertex) + 1, known as usize))
            }
            None => Ok(()),
        }
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
