//! Stereolithography, text and binary.
//!
//! Written here because the parser crate (stl_io) ends at the first of several solids without a
//! word, takes a binary file whose header begins with `solid ` for text, and rejects NaN. It is the
//! oracle in the tests.

use glam::DVec3;

use super::{Lines, SoupBuilder, Source, parse_number, quoted, without_bom, words};
use crate::{IoError, Place};

/// Bytes before the number of triangles.
const HEADER: usize = 80;
/// Bytes before the first triangle.
pub(super) const START: usize = HEADER + 4;
/// Bytes of a triangle: normal, three corners, attribute.
pub(super) const RECORD: usize = 50;
/// Bytes of a file that are searched for zeros, which text does not have.
const SNIFFED: usize = 1024;

/// Bytes that a binary file needs for the number of triangles it states.
pub(super) fn stated_length(bytes: &[u8]) -> Option<u64> {
    let count = u32::from_le_bytes(bytes.get(HEADER..START)?.try_into().ok()?);
    Some(START as u64 + u64::from(count) * RECORD as u64)
}

/// The number of triangles of a binary file of `length` bytes that begins so, and has them all.
pub(super) fn triangle_count(beginning: &Source<'_>, length: u64) -> Result<u64, IoError> {
    let Some(needed) = stated_length(beginning.bytes) else {
        return Err(beginning.truncated(Place::Byte(0), START as u64, length));
    };
    let triangles = |bytes: u64| bytes.saturating_sub(START as u64) / RECORD as u64;
    if needed > length {
        let index = usize::try_from(triangles(length)).unwrap_or(usize::MAX);
        return Err(beginning.truncated(Place::Element { kind: "triangle", index }, needed, length));
    }
    Ok(triangles(needed))
}

/// `true` if a file of `length` bytes that begins so is text.
pub(super) fn is_text_of(beginning: &[u8], length: u64) -> bool {
    let text = without_bom(beginning).trim_ascii_start();
    text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
        && stated_length(beginning) != Some(length)
        && !text[..text.len().min(SNIFFED)].contains(&0)
}

/// The corners in a binary record.
pub(super) fn corners(record: &[u8]) -> [DVec3; 3] {
    [12, 24, 36].map(|corner| {
        let axis = |axis: usize| {
            let bytes = [0, 1, 2, 3].map(|byte| record[corner + axis * 4 + byte]);
            f64::from(f32::from_le_bytes(bytes))
        };
        DVec3::new(axis(0), axis(1), axis(2))
    })
}

pub(super) fn looks_like_stl(bytes: &[u8]) -> bool {
    is_text_of(bytes, bytes.len() as u64)
        || (bytes.len() > START && stated_length(bytes) == Some(bytes.len() as u64))
}

pub(super) fn parse(source: Source<'_>, builder: &mut SoupBuilder) -> Result<(), IoError> {
    if is_text_of(source.bytes, source.bytes.len() as u64) {
        parse_text(source, builder)
    } else {
        parse_binary(source, builder)
    }
}

fn parse_binary(source: Source<'_>, builder: &mut SoupBuilder) -> Result<(), IoError> {
    triangle_count(&source, source.bytes.len() as u64)?;
    // Bytes after the last triangle are allowed: some programs append colours.
    for record in source.bytes[START..].chunks_exact(RECORD) {
        let mut triangle = [0; 3];
        for (vertex, corner) in triangle.iter_mut().zip(corners(record)) {
            *vertex = builder.next_vertex(&source)?;
            builder.push_vertex(corner);
        }
        builder.triangles.push(triangle);
    }
    Ok(())
}

fn parse_text(source: Source<'_>, builder: &mut SoupBuilder) -> Result<(), IoError> {
    let mut facet: Option<Vec<u32>> = None;
    let mut solid_open = false;
    let mut last_line = 0;
    for (number, line) in Lines::new(without_bom(source.bytes)) {
        last_line = number;
        let place = Place::Line(number);
        let mut words = words(line);
        let Some(keyword) = words.next() else { continue };
        match keyword.to_ascii_lowercase().as_slice() {
            b"solid" => solid_open = true,
            b"endsolid" if facet.is_none() => solid_open = false,
            b"facet" if facet.is_none() => facet = Some(Vec::new()),
            b"vertex" => {
                let Some(corners) = facet.as_mut() else {
                    return Err(source.malformed(place, "a facet", "a vertex outside of one"));
                };
                let mut position = [0.0; 3];
                for coordinate in &mut position {
                    let word = words.next().unwrap_or_default();
                    *coordinate = parse_number(word)
                        .ok_or_else(|| source.malformed(place, "three coordinates", quoted(word)))?;
                }
                let vertex = builder.next_vertex(&source)?;
                builder.push_vertex(DVec3::from_array(position));
                corners.push(vertex);
            }
            b"endfacet" => match facet.take() {
                Some(corners) if corners.len() >= 3 => builder.push_face(&source, place, &corners)?,
                Some(corners) => {
                    let found = corners.len().to_string();
                    return Err(source.malformed(place, "three corners in the facet", found));
                }
                None => return Err(source.malformed(place, "a facet", "\"endfacet\"")),
            },
            b"outer" | b"endloop" | b"color" => {}
            _ => return Err(source.malformed(place, "a statement of an STL file", quoted(keyword))),
        }
    }
    if facet.is_some() || solid_open {
        return Err(source.malformed(Place::Line(last_line), "\"endsolid\"", "the end of the file"));
    }
    Ok(())
}
