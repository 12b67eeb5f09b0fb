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
use waymesh_core::saturating_i64;

use super::{Lines, SoupBuilder, Source, parse_number, push_strip, quoted, without_bom, words};
use crate::files::unread;
use crate::{IoError, Place};

pub(super) fn parse(source: Source<'_>, builder: &mut SoupBuilder) -> Result<(), IoError> {
    let header = PlyHeader::read(&source)?;
    let (mut payload, length) = (&source.bytes[header.start..], source.bytes.len() as u64);
    let mut values = if header.is_text() {
        let number = header.lines;
        Values { source, input: Input::Text { lines: Lines { rest: payload, number }, line: &[], number } }
    } else {
        header.binary(source, &mut payload, length)
    };
    let base = builder.next_vertex(&source)?;
    let mut lists = Lists::default();
    let mut vertex = |position| {
        builder.next_vertex(&source)?;
        builder.push_vertex(position);
        Ok(())
    };
    let mut list = |list: List<'_>| {
        lists.corners.extend_from_slice(list.corners);
        lists.ends.push((lists.corners.len(), list.place, list.is_strip));
        Ok::<_, IoError>(())
    };
    header.visit(&mut values, Some(&mut vertex), Some(&mut list))?;
    let (mut start, mut buffer) = (0, Vec::new());
    let vertices = (base, builder.positions.len() - base as usize);
    for (end, place, is_strip) in lists.ends {
        let list = List { place, is_strip, corners: &lists.corners[start..end] };
        list.each(&source, vertices, &mut buffer, |corners| {
            if is_strip {
                push_strip(corners, &mut builder.triangles);
                return Ok(());
            }
            builder.push_face(&source, place, corners)
        })?;
        start = end;
    }
    Ok(())
}

/// Lists of corners, kept until all vertices are known.
#[derive(Default)]
struct Lists {
    corners: Vec<i64>,
    /// End of each list in `corners`, its place, and whether it is strips.
    ends: Vec<(usize, Place, bool)>,
}

/// The corners of a face, or of strips, in which -1 ends a strip.
pub(super) struct List<'a> {
    pub(super) place: Place,
    pub(super) is_strip: bool,
    corners: &'a [i64],
}

impl List<'_> {
    /// Passes on the vertices of the face or of each strip: of `count`, whose numbers begin at `base`.
    pub(super) fn each(
        &self,
        source: &Source<'_>,
        (base, count): (u32, usize),
        vertices: &mut Vec<u32>,
        mut take: impl FnMut(&[u32]) -> Result<(), IoError>,
    ) -> Result<(), IoError> {
        for part in self.corners.split(|&corner| self.is_strip && corner == -1) {
            vertices.clear();
            for &corner in part {
                let vertex = u32::try_from(corner)
                    .ok()
                    .filter(|&vertex| (vertex as usize) < count)
                    .and_then(|vertex| vertex.checked_add(base))
                    .ok_or_else(|| source.out_of_range(self.place, "vertex", corner, count))?;
                vertices.push(vertex);
            }
            take(vertices)?;
        }
        Ok(())
    }
}

/// The header of a file.
#[derive(Debug)]
pub(super) struct PlyHeader {
    encoding: Encoding,
    elements: KeyMap<ElementDef>,
    /// Number of its lines.
    lines: usize,
    /// Offset of the first value.
    pub(super) start: usize,
}

/// Takes a vertex.
type TakeVertex<'a> = &'a mut dyn FnMut(DVec3) -> Result<(), IoError>;
/// Takes a list of corners.
type TakeList<'a, E> = &'a mut dyn FnMut(List<'_>) -> Result<(), E>;

impl PlyHeader {
    pub(super) fn read(source: &Source<'_>) -> Result<Self, IoError> {
        let (lines, start) = header_end(source.bytes)
            .ok_or_else(|| source.malformed(Place::File, "a line \"end_header\"", "the end of the file"))?;
        let Header { encoding, elements, .. } =
            read_header(&source.bytes[..start]).map_err(|error| source.syntax("header", error))?;
        Ok(Self { encoding, elements, lines, start })
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self.encoding, Encoding::Ascii)
    }

    /// The values of a binary file of `length` bytes, of which those after the header follow.
    pub(super) fn binary<'a>(&self, source: Source<'a>, file: &'a mut dyn Read, length: u64) -> Values<'a> {
        let big = matches!(self.encoding, Encoding::BinaryBigEndian);
        Values { source, input: Input::Binary { file, at: self.start as u64, length, big } }
    }

    /// Passes on the vertices and the lists of corners that are wanted, in the order of the file.
    pub(super) fn visit<E: From<IoError>>(
        &self,
        values: &mut Values<'_>,
        mut vertices: Option<TakeVertex<'_>>,
        mut lists: Option<TakeList<'_, E>>,
    ) -> Result<(), E> {
        for element in self.elements.values() {
            match (element.name.as_str(), &mut vertices, &mut lists) {
                ("vertex", Some(take), _) => {
                    values.vertices(element, take)?;
                    if lists.is_none() {
                        break;
                    }
                }
                ("face", _, Some(take)) => values.lists(element, "face", take)?,
                ("tristrips", _, Some(take)) => values.lists(element, "triangle strip", take)?,
                _ => values.skip_element(element)?,
            }
        }
        Ok(())
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

/// The values of a file, one after the other.
pub(super) struct Values<'a> {
    source: Source<'a>,
    input: Input<'a>,
}

enum Input<'a> {
    /// Words, on any number of lines.
    Text { lines: Lines<'a>, line: &'a [u8], number: usize },
    /// Bytes of a file of `length`, of which `at` are read.
    Binary { file: &'a mut dyn Read, at: u64, length: u64, big: bool },
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
    fn next(&mut self, place: Place, kind: &ScalarType) -> Result<f64, IoError> {
        let source = &self.source;
        match &mut self.input {
            Input::Text { lines, line, number } => loop {
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
            Input::Binary { file, at, length, big } => {
                let size = bytes_of(kind);
                let mut word = [0_u8; 8];
                file.read_exact(&mut word[..size]).map_err(|error| {
                    if error.kind() == std::io::ErrorKind::UnexpectedEof {
                        source.truncated(place, *at + size as u64, *length)
                    } else {
                        unread(source.file)(error)
                    }
                })?;
                *at += size as u64;
                Ok(decode(kind, word, *big))
            }
        }
    }

    /// The next value, which must be a whole number.
    fn next_whole(&mut self, place: Place, kind: &ScalarType) -> Result<i64, IoError> {
        let value = self.next(place, kind)?;
        if value.fract() == 0.0 && value.abs() < 9e15 {
            return Ok(saturating_i64(value));
        }
        Err(self.source.malformed(place, "a whole number", value.to_string()))
    }

    /// The length of a list.
    fn next_length(&mut self, place: Place, kind: &ScalarType) -> Result<u64, IoError> {
        let length = self.next_whole(place, kind)?;
        u64::try_from(length).map_err(|_| self.source.malformed(place, "a list length", length.to_string()))
    }

    /// Passes over one property.
    fn skip(&mut self, place: Place, kind: &PropertyType) -> Result<(), IoError> {
        match kind {
            PropertyType::Scalar(kind) => {
                self.next(place, kind)?;
            }
            PropertyType::List(length, kind) => {
                for _ in 0..self.next_length(place, length)? {
                    self.next(place, kind)?;
                }
            }
        }
        Ok(())
    }

    fn skip_element(&mut self, element: &ElementDef) -> Result<(), IoError> {
        // Elements without properties take no room in the file, so their number means nothing.
        if element.properties.is_empty() {
            return Ok(());
        }
        for index in 0..element.count {
            let place = Place::Element { kind: "element", index };
            for property in element.properties.values() {
                self.skip(place, &property.data_type)?;
            }
        }
        Ok(())
    }

    fn vertices(&mut self, element: &ElementDef, take: TakeVertex<'_>) -> Result<(), IoError> {
        for (name, axis) in
            [("x", "a vertex property x"), ("y", "a vertex property y"), ("z", "a vertex property z")]
        {
            let found = element.properties.get(name).map(|property| &property.data_type);
            if !matches!(found, Some(PropertyType::Scalar(_))) {
                return Err(self.source.malformed(Place::File, axis, "none"));
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
                        self.skip(place, &property.data_type)?;
                        continue;
                    }
                };
                if let PropertyType::Scalar(kind) = &property.data_type {
                    *coordinate = self.next(place, kind)?;
                }
            }
            take(position)?;
        }
        Ok(())
    }

    /// Hands every list of corners on.
    fn lists<E: From<IoError>>(
        &mut self,
        element: &ElementDef,
        kind: &'static str,
        take: TakeList<'_, E>,
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
            let names: Vec<&str> =
                element.properties.values().map(|property| property.name.as_str()).collect();
            let expected =
                "a list of vertex indices per face, such as \"property list uchar int vertex_indices\"";
            return Err(self
                .source
                .malformed(Place::File, expected, format!("the properties {names:?}"))
                .into());
        }
        let mut corners = Vec::new();
        for index in 0..element.count {
            let place = Place::Element { kind, index };
            for property in element.properties.values() {
                match &property.data_type {
                    PropertyType::List(length, item) if list == Some(property.name.as_str()) => {
                        corners.clear();
                        for _ in 0..self.next_length(place, length)? {
                            corners.push(self.next_whole(place, item)?);
                        }
                        take(List { place, is_strip: kind != "face", corners: &corners })?;
                    }
                    other => self.skip(place, other)?,
                }
            }
        }
        Ok(())
    }
}
