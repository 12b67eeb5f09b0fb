//! Polygon file format, text and binary.
//!
//! The header's grammar comes from ply-rs-bw. The values are read here, by one loop for all
//! encodings: the crate's text reader rejects NaN and numbers such as `.5`, and its errors do not
//! say which face they are about.

use std::io::Read;

use glam::DVec3;
use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{
    DefaultElement, ElementDef, Encoding, Header, KeyMap, PropertyDef, PropertyType, ScalarType,
};

use super::{Lines, SoupBuilder, Source, parse_number, quoted, without_bom, words};
use crate::{IoError, Place};

pub(super) fn parse(source: Source<'_>, builder: &mut SoupBuilder) -> Result<(), IoError> {
    let (header_lines, start) = header_end(source.bytes)
        .ok_or_else(|| source.malformed(Place::File, "a line \"end_header\"", "the end of the file"))?;
    let header = read_header(&source.bytes[..start]).map_err(|error| source.syntax("header", error))?;
    let payload = &source.bytes[start..];
    let mut values = match header.encoding {
        Encoding::Ascii => Values::Text {
            lines: Lines { rest: payload, number: header_lines },
            line: &[],
            number: header_lines,
        },
        Encoding::BinaryLittleEndian => Values::Binary { bytes: payload, at: 0, start, big: false },
        Encoding::BinaryBigEndian => Values::Binary { bytes: payload, at: 0, start, big: true },
    };
    let base = builder.next_vertex(&source)?;
    let mut polygons = Polygons::default();
    for element in header.elements.values() {
        let kind = match element.name.as_str() {
            "vertex" => {
                read_vertices(&source, element, &mut values, &mut |position| {
                    builder.next_vertex(&source)?;
                    builder.push_vertex(position);
                    Ok(())
                })?;
                continue;
            }
            "face" => "face",
            "tristrips" => "triangle strip",
            _ => {
                skip(&source, element, &mut values)?;
                continue;
            }
        };
        read_polygons(&source, element, kind, &mut values, &mut |corners, index| -> Result<(), IoError> {
            polygons.corners.extend_from_slice(corners);
            polygons.ends.push((polygons.corners.len(), index, kind));
            Ok(())
        })?;
    }
    let count = builder.positions.len() - base as usize;
    polygons.into_triangles(&source, base, count, builder)
}

/// The header of a binary file with its vertices before its faces, which can be read in one go.
#[derive(Debug)]
pub(super) struct BinaryHeader {
    pub(super) elements: KeyMap<ElementDef>,
    /// Offset of the first value.
    pub(super) start: usize,
    /// `true` if numbers are big-endian.
    pub(super) big: bool,
}

impl BinaryHeader {
    /// `None` for a file of another kind, and for a header that is broken or longer than the bytes
    /// of `source`: reading the file as a whole finds what is wrong.
    pub(super) fn read(source: &Source<'_>) -> Option<Self> {
        let (_, start) = header_end(source.bytes)?;
        let header = read_header(&source.bytes[..start]).ok()?;
        let big = match header.encoding {
            Encoding::Ascii => return None,
            Encoding::BinaryLittleEndian => false,
            Encoding::BinaryBigEndian => true,
        };
        let place = |name: &str| header.elements.values().position(|element| element.name == name);
        let vertices = place("vertex")?;
        let is_first = ["face", "tristrips"].into_iter().filter_map(place).all(|faces| faces > vertices);
        is_first.then_some(Self { elements: header.elements, start, big })
    }
}

/// Reads a header. The grammar of the crate knows one space between words, names of letters and
/// digits, and lines that end in LF; files have blank lines, tabs, carriage returns, names such as
/// `s[0]`, and comments in any encoding. So it is given the words, line by line.
fn read_header(bytes: &[u8]) -> Result<Header, ParseError> {
    let mut text = String::new();
    for (_, line) in Lines::new(without_bom(bytes)) {
        let line = String::from_utf8_lossy(line);
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            [] | ["comment" | "obj_info", ..] => text.push_str("comment"),
            [keyword @ "element", name, count, ..] => text += &format!("{keyword} {} {count}", plain(name)),
            ["property", "list", length, item, name, ..] => {
                text += &format!("property list {} {} {}", length, item, plain(name));
            }
            ["property", kind, name, ..] => text += &format!("property {} {}", kind, plain(name)),
            words => text += &words.join(" "),
        }
        text.push('\n');
    }
    Parser::<DefaultElement>::new().read_header(&mut Reader::new(text.as_bytes()))
}

/// A name of letters and digits.
fn plain(name: &str) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
    let name: String = name.chars().map(letter).collect();
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) { name } else { format!("_{name}") }
}

/// Number of header lines, and the offset of the first byte after them.
fn header_end(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut lines = Lines::new(bytes);
    while let Some((number, line)) = lines.next() {
        if line.trim_ascii() == b"end_header" {
            return Some((number, bytes.len() - lines.rest.len()));
        }
    }
    None
}

/// The source of values.
pub(super) enum Values<'a> {
    /// Words, on any number of lines.
    Text { lines: Lines<'a>, line: &'a [u8], number: usize },
    /// Bytes; `start` is where they begin in the file.
    Binary { bytes: &'a [u8], at: usize, start: usize, big: bool },
    /// Bytes of a file; `at` is how many are read.
    Stream { file: &'a mut dyn Read, at: u64, big: bool },
}

/// Bytes of a value.
fn bytes_of(kind: &ScalarType) -> usize {
    match kind {
        ScalarType::Char | ScalarType::UChar => 1,
        ScalarType::Short | ScalarType::UShort => 2,
        ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
        ScalarType::Double => 8,
    }
}

/// The value at the beginning of a word.
fn decode(kind: &ScalarType, mut word: [u8; 8], big: bool) -> f64 {
    if big {
        word[..bytes_of(kind)].reverse();
    }
    let [a, b, c, d, ..] = word;
    match kind {
        ScalarType::Char => f64::from(i8::from_le_bytes([a])),
        ScalarType::UChar => f64::from(a),
        ScalarType::Short => f64::from(i16::from_le_bytes([a, b])),
        ScalarType::UShort => f64::from(u16::from_le_bytes([a, b])),
        ScalarType::Int => f64::from(i32::from_le_bytes([a, b, c, d])),
        ScalarType::UInt => f64::from(u32::from_le_bytes([a, b, c, d])),
        ScalarType::Float => f64::from(f32::from_le_bytes([a, b, c, d])),
        ScalarType::Double => f64::from_le_bytes(word),
    }
}

impl Values<'_> {
    /// The next value. Every type of the format fits a double exactly.
    fn next(&mut self, source: &Source<'_>, place: Place, kind: &ScalarType) -> Result<f64, IoError> {
        match self {
            Self::Text { lines, line, number } => loop {
                *line = line.trim_ascii_start();
                if line.is_empty() {
                    let Some((next_number, next_line)) = lines.next() else {
                        let length = source.bytes.len() as u64;
                        return Err(source.truncated(place, length + 1, length));
                    };
                    (*number, *line) = (next_number, next_line);
                    continue;
                }
                let word = words(line).next().unwrap_or_default();
                *line = &line[word.len()..];
                return parse_number(word)
                    .ok_or_else(|| source.malformed(Place::Line(*number), "a number", quoted(word)));
            },
            Self::Binary { bytes, at, start, big } => {
                let size = bytes_of(kind);
                let Some(raw) = bytes.get(*at..*at + size) else {
                    return Err(source.truncated(
                        place,
                        (*start + *at + size) as u64,
                        source.bytes.len() as u64,
                    ));
                };
                *at += size;
                let mut word = [0_u8; 8];
                word[..size].copy_from_slice(raw);
                Ok(decode(kind, word, *big))
            }
            Self::Stream { file, at, big } => {
                let size = bytes_of(kind);
                let mut word = [0_u8; 8];
                file.read_exact(&mut word[..size]).map_err(|error| {
                    if error.kind() == std::io::ErrorKind::UnexpectedEof {
                        source.truncated(place, *at + size as u64, *at)
                    } else {
                        IoError::Read { file: source.file.to_owned(), source: error }
                    }
                })?;
                *at += size as u64;
                Ok(decode(kind, word, *big))
            }
        }
    }

    /// The next value, which must be a whole number.
    fn next_whole(&mut self, source: &Source<'_>, place: Place, kind: &ScalarType) -> Result<i64, IoError> {
        let value = self.next(source, place, kind)?;
        if value.fract() == 0.0 && value.abs() < 9e15 {
            #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
            return Ok(value as i64);
        }
        Err(source.malformed(place, "a whole number", value.to_string()))
    }

    /// The length of a list.
    fn next_length(&mut self, source: &Source<'_>, place: Place, kind: &ScalarType) -> Result<u64, IoError> {
        let length = self.next_whole(source, place, kind)?;
        u64::try_from(length).map_err(|_| source.malformed(place, "a list length", length.to_string()))
    }

    /// Passes over one property.
    fn skip(&mut self, source: &Source<'_>, place: Place, kind: &PropertyType) -> Result<(), IoError> {
        match kind {
            PropertyType::Scalar(kind) => {
                self.next(source, place, kind)?;
            }
            PropertyType::List(length, kind) => {
                for _ in 0..self.next_length(source, place, length)? {
                    self.next(source, place, kind)?;
                }
            }
        }
        Ok(())
    }
}

/// Elements without properties take no room in the file, so their number means nothing.
fn is_empty(element: &ElementDef) -> bool {
    element.properties.is_empty()
}

pub(super) fn skip(
    source: &Source<'_>,
    element: &ElementDef,
    values: &mut Values<'_>,
) -> Result<(), IoError> {
    if is_empty(element) {
        return Ok(());
    }
    for index in 0..element.count {
        let place = Place::Element { kind: "element", index };
        for property in element.properties.values() {
            values.skip(source, place, &property.data_type)?;
        }
    }
    Ok(())
}

pub(super) fn read_vertices(
    source: &Source<'_>,
    element: &ElementDef,
    values: &mut Values<'_>,
    take: &mut dyn FnMut(DVec3) -> Result<(), IoError>,
) -> Result<(), IoError> {
    for (name, axis) in
        [("x", "a vertex property x"), ("y", "a vertex property y"), ("z", "a vertex property z")]
    {
        let found = element.properties.get(name).map(|property| &property.data_type);
        if !matches!(found, Some(PropertyType::Scalar(_))) {
            return Err(source.malformed(Place::File, axis, "none"));
        }
    }
    for index in 0..element.count {
        let place = Place::Element { kind: "vertex", index };
        let mut position = DVec3::ZERO;
        for property in element.properties.values() {
            let coordinate = match property.name.as_str() {
                "x" => &mut position.x,
                "y" => &mut position.y,
                "z" => &mut position.z,
                _ => {
                    values.skip(source, place, &property.data_type)?;
                    continue;
                }
            };
            if let PropertyType::Scalar(kind) = &property.data_type {
                *coordinate = values.next(source, place, kind)?;
            }
        }
        take(position)?;
    }
    Ok(())
}

/// Vertex lists of faces and strips, kept until all vertices are known.
#[derive(Default)]
struct Polygons {
    corners: Vec<i64>,
    /// End of each list in `corners`, its number in its element, and which element.
    ends: Vec<(usize, usize, &'static str)>,
}

/// Takes a list of corners and the number of its element.
type TakeCorners<'a, E> = &'a mut dyn FnMut(&[i64], usize) -> Result<(), E>;

/// Hands every list of corners on.
pub(super) fn read_polygons<E: From<IoError>>(
    source: &Source<'_>,
    element: &ElementDef,
    kind: &'static str,
    values: &mut Values<'_>,
    take: TakeCorners<'_, E>,
) -> Result<(), E> {
    // By its usual names, else the first list of whole numbers.
    let is_known = |name: &str| matches!(name, "vertex_indices" | "vertex_index");
    let is_list = |property: &&PropertyDef| {
        use ScalarType::{Double, Float};
        matches!(&property.data_type, PropertyType::List(_, item) if !matches!(item, Float | Double))
    };
    let lists = || element.properties.values().filter(is_list);
    let list = lists().find(|list| is_known(&list.name)).or_else(|| lists().next());
    let list = list.map(|list| list.name.as_str());
    if list.is_none() && element.count > 0 {
        let names: Vec<&str> = element.properties.values().map(|property| property.name.as_str()).collect();
        let expected =
            "a list of vertex indices per face, such as \"property list uchar int vertex_indices\"";
        return Err(source.malformed(Place::File, expected, format!("the properties {names:?}")).into());
    }
    let mut corners = Vec::new();
    for index in 0..element.count {
        let place = Place::Element { kind, index };
        for property in element.properties.values() {
            match &property.data_type {
                PropertyType::List(length, item) if list == Some(property.name.as_str()) => {
                    corners.clear();
                    for _ in 0..values.next_length(source, place, length)? {
                        corners.push(values.next_whole(source, place, item)?);
                    }
                    take(&corners, index)?;
                }
                other => values.skip(source, place, other)?,
            }
        }
    }
    Ok(())
}

/// Collects the vertices of a face or strip among `count`, whose numbers begin at `base`.
pub(super) fn vertices_of(
    source: &Source<'_>,
    place: Place,
    corners: &[i64],
    base: u32,
    count: usize,
    vertices: &mut Vec<u32>,
) -> Result<(), IoError> {
    vertices.clear();
    for &corner in corners {
        let vertex = u32::try_from(corner)
            .ok()
            .filter(|&vertex| (vertex as usize) < count)
            .and_then(|vertex| vertex.checked_add(base))
            .ok_or_else(|| source.out_of_range(place, "vertex", corner, count))?;
        vertices.push(vertex);
    }
    Ok(())
}

/// Appends the triangles of strips: -1 ends a strip.
pub(super) fn push_strips(
    source: &Source<'_>,
    place: Place,
    corners: &[i64],
    base: u32,
    count: usize,
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), IoError> {
    let mut vertices = Vec::new();
    for strip in corners.split(|&corner| corner == -1) {
        vertices_of(source, place, strip, base, count, &mut vertices)?;
        super::push_strip(&vertices, triangles);
    }
    Ok(())
}

impl Polygons {
    fn into_triangles(
        self,
        source: &Source<'_>,
        base: u32,
        count: usize,
        builder: &mut SoupBuilder,
    ) -> Result<(), IoError> {
        let (mut start, mut vertices) = (0, Vec::new());
        for (end, index, kind) in self.ends {
            let place = Place::Element { kind, index };
            let corners = &self.corners[start..end];
            start = end;
            if kind == "face" {
                vertices_of(source, place, corners, base, count, &mut vertices)?;
                builder.push_face(source, place, &vertices)?;
            } else {
                push_strips(source, place, corners, base, count, &mut builder.triangles)?;
            }
        }
        Ok(())
    }
}
