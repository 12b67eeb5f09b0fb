//! The navigation mesh file, `.wmesh`.
//!
//! All that a [`NavMesh`] cannot compute again, and nothing about how it was baked. All numbers are
//! little-endian on every machine; `f32` is IEEE 754 binary32. The same mesh always gives the same
//! bytes.
//!
//! # Version 2, byte by byte
//! | bytes | type | content |
//! |---|---|---|
//! | 0..8 | 8 bytes | `57 4D 45 53 48 00 0D 0A`: `WMESH`, a zero, CR LF (which text transfers damage, so that it shows at once) |
//! | 8..12 | `u32` | version, 2 |
//! | 12..16 | `u32` | number of sections, 11 |
//! | 16..24 | `u64` | length of the file in bytes |
//! | 24..200 | 11 entries | section table: tag (4 ASCII bytes), size of an element in bytes (`u32`), number of elements (`u64`) |
//! | 200.. | | the sections in the order of the table, each padded with zeros to a multiple of 8 bytes |
//! | last 4 | `u32` | CRC-32 (ISO-HDLC, as in zip and PNG) of all bytes before it |
//!
//! The sections, always all of them and in this order:
//!
//! | tag | element | number | content |
//! |---|---|---|---|
//! | `FRAM` | 28 | 1 | origin x, y, z, cell size, level height (5 `f32`, metres), width, depth (2 `u32`, cells) |
//! | `AGNT` | 16 | 1 | agent's height, radius, highest step (metres), steepest slope (radians), 4 `f32` |
//! | `VERT` | 12 | vertices | x, z (2 `i32`, cells), height (`f32`, levels) |
//! | `CELL` | 5 | polygons | region (`u32`), kind of ground (`u8`) |
//! | `CFST` | 4 | polygons + 1 | first corner of each polygon, and the number of corners (`u32`) |
//! | `CRNR` | 8 | corners | vertex (`u32`), polygon across the edge to the next corner or `FF FF FF FF` (`u32`) |
//! | `SERR` | 4 | 1 | largest error of the height surface in levels (`f32`), 0 without one |
//! | `SPNT` | 12 | points | x (polygons), height (levels), z (polygons) of a point of the height surface, 3 `f32` |
//! | `STRI` | 12 | triangles | points of a triangle of the height surface, 3 `u32` |
//! | `SFST` | 4 | polygons + 1, or 0 | first triangle of each polygon, and the number of triangles (`u32`); none without height surface |
//! | `LINK` | 68 | links | cells at both ends (2 `u32`); four times x, z (2 `i32`, cells), height (`f32`, levels): the segment where it begins, then where it ends; extra cost (`f32`, metres), kind, plus 256 if both ways (`u32`), the user's data (`u32`) |
//!
//! Meaning and invariants of the numbers are those of [`waymesh_graph::NavMeshData`].

use std::io::{Read, Write};
use std::path::Path;

use waymesh_graph::{LinkData, NavMesh, NavMeshData};

use crate::{IoError, Place, write_file};

/// First bytes of every file.
pub const MAGIC: [u8; 8] = *b"WMESH\0\r\n";
/// The version that is written and read.
pub const VERSION: u32 = 2;

const SECTIONS: [([u8; 4], u32); 11] = [
    (*b"FRAM", 28),
    (*b"AGNT", 16),
    (*b"VERT", 12),
    (*b"CELL", 5),
    (*b"CFST", 4),
    (*b"CRNR", 8),
    (*b"SERR", 4),
    (*b"SPNT", 12),
    (*b"STRI", 12),
    (*b"SFST", 4),
    (*b"LINK", 68),
];
const HEADER: usize = 24;
const ENTRY: usize = 16;
const TABLE_END: usize = HEADER + ENTRY * SECTIONS.len();
const CHECKSUM: usize = 4;
const ALIGNMENT: usize = 8;

/// Writes a mesh to a file.
///
/// # Errors
/// [`IoError::Write`] if the file cannot be made or written.
pub fn save(mesh: &NavMesh, file: impl AsRef<Path>) -> Result<(), IoError> {
    write_file(file.as_ref(), |writer| write_wmesh(mesh, writer))
}

/// Reads a mesh from a file.
///
/// # Errors
/// As [`parse_wmesh`], and [`IoError::Read`] if the file cannot be read.
pub fn open(file: impl AsRef<Path>) -> Result<NavMesh, IoError> {
    let file = file.as_ref();
    let bytes = std::fs::read(file).map_err(|source| IoError::Read { file: file.to_owned(), source })?;
    parse_wmesh(file, &bytes)
}

/// Writes a mesh.
///
/// # Errors
/// Those of the writer.
pub fn write_wmesh(mesh: &NavMesh, mut writer: impl Write) -> std::io::Result<()> {
    writer.write_all(&encode(&mesh.data()))
}

/// Reads a mesh; errors call it `navigation mesh`.
///
/// # Errors
/// As [`parse_wmesh`], and [`IoError::Read`] if the reader fails.
pub fn read_wmesh(mut reader: impl Read) -> Result<NavMesh, IoError> {
    let name = Path::new("navigation mesh");
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|source| IoError::Read { file: name.to_owned(), source })?;
    parse_wmesh(name, &bytes)
}

/// Reads a mesh from memory. `file` names it in errors and is not opened.
///
/// # Errors
/// - [`IoError::Malformed`] for other files and bytes that do not belong, [`IoError::Version`] for
///   other versions.
/// - [`IoError::Truncated`] and [`IoError::Checksum`] for damage: every change of up to 32
///   neighbouring bits is noticed.
/// - [`IoError::InvalidMesh`] for an undamaged file whose tables make no mesh.
///
/// Whatever the bytes, nothing panics, and memory stays in proportion to them.
pub fn parse_wmesh(file: &Path, bytes: &[u8]) -> Result<NavMesh, IoError> {
    let data = decode(file, bytes)?;
    NavMesh::from_data(data).map_err(|source| IoError::InvalidMesh { file: file.to_owned(), source })
}

/// Little-endian numbers of up to three kinds in one element.
trait Element {
    fn put(&self, out: &mut Vec<u8>);
}

macro_rules! element {
    ($($number:ty),*) => {$(
        impl Element for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}
element!(u8, u32, i32, f32);

impl<const COUNT: usize, T: Element> Element for [T; COUNT] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|number| number.put(out));
    }
}

fn encode(data: &NavMeshData) -> Vec<u8> {
    let counts = [
        1,
        1,
        data.vertex_x.len(),
        data.polygon_areas.len(),
        data.polygon_first.len(),
        data.polygon_corners.len(),
        1,
        data.surface_points.len(),
        data.surface_triangles.len() / 3,
        data.surface_first.len(),
        data.links.len(),
    ];
    let mut out = Vec::with_capacity(file_length(counts).unwrap_or(0));
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend(11_u32.to_le_bytes());
    out.extend([0; 8]);
    for ((tag, size), count) in SECTIONS.iter().zip(counts) {
        out.extend(tag);
        size.put(&mut out);
        out.extend((count as u64).to_le_bytes());
    }
    let pad = |out: &mut Vec<u8>| out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
    [data.origin[0], data.origin[1], data.origin[2], data.cell_size, data.level_height].put(&mut out);
    [data.width, data.depth].put(&mut out);
    pad(&mut out);
    [data.agent_height, data.agent_radius, data.agent_max_step, data.agent_max_slope].put(&mut out);
    pad(&mut out);
    for ((x, z), height) in data.vertex_x.iter().zip(&data.vertex_z).zip(&data.vertex_height) {
        [*x, *z].put(&mut out);
        height.put(&mut out);
    }
    pad(&mut out);
    for (region, area) in data.polygon_regions.iter().zip(&data.polygon_areas) {
        region.put(&mut out);
        area.put(&mut out);
    }
    pad(&mut out);
    data.polygon_first.iter().for_each(|first| first.put(&mut out));
    pad(&mut out);
    for (vertex, neighbour) in data.polygon_corners.iter().zip(&data.polygon_neighbours) {
        [*vertex, *neighbour].put(&mut out);
    }
    pad(&mut out);
    data.surface_max_error.put(&mut out);
    pad(&mut out);
    data.surface_points.iter().for_each(|point| point.put(&mut out));
    pad(&mut out);
    data.surface_triangles.iter().for_each(|point| point.put(&mut out));
    pad(&mut out);
    data.surface_first.iter().for_each(|first| first.put(&mut out));
    pad(&mut out);
    for link in &data.links {
        link.polygons.put(&mut out);
        for (point, height) in link.points.iter().zip(&link.heights) {
            point.put(&mut out);
            height.put(&mut out);
        }
        link.extra_cost.put(&mut out);
        [link.kind, link.data].put(&mut out);
    }
    pad(&mut out);
    let length = (out.len() + CHECKSUM) as u64;
    out[16..HEADER].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32fast::hash(&out);
    checksum.put(&mut out);
    out
}

/// Length of a file with so many elements per section; `None` beyond what memory can address.
fn file_length(counts: [usize; SECTIONS.len()]) -> Option<usize> {
    SECTIONS.iter().zip(counts).try_fold(TABLE_END + CHECKSUM, |length, ((_, size), count)| {
        let bytes = count.checked_mul(*size as usize)?.checked_next_multiple_of(ALIGNMENT)?;
        length.checked_add(bytes)
    })
}

/// Takes numbers from the front. The lengths are checked before: past the end everything is zero.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn bytes<const SIZE: usize>(&mut self) -> [u8; SIZE] {
        let Some((word, rest)) = self.0.split_first_chunk() else {
            self.0 = &[];
            return [0; SIZE];
        };
        self.0 = rest;
        *word
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes())
    }

    fn i32(&mut self) -> i32 {
        i32::from_le_bytes(self.bytes())
    }

    fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.bytes())
    }
}

fn decode(file: &Path, bytes: &[u8]) -> Result<NavMeshData, IoError> {
    let malformed = |place, expected, found: String| {
        Err(IoError::Malformed { file: file.to_owned(), place, expected, found })
    };
    let truncated = |needed: u64| {
        let available = bytes.len() as u64;
        Err(IoError::Truncated { file: file.to_owned(), place: Place::File, needed, available })
    };
    let shown = &bytes[..bytes.len().min(MAGIC.len())];
    if shown != &MAGIC[..shown.len()] || shown.is_empty() {
        let found = String::from_utf8_lossy(shown);
        return malformed(Place::Byte(0), "a navigation mesh (WMESH)", format!("{found:?}"));
    }
    let smallest = TABLE_END + CHECKSUM;
    if bytes.len() < HEADER {
        return truncated(smallest as u64);
    }
    let mut cursor = Cursor(&bytes[MAGIC.len()..]);
    let version = cursor.u32();
    if version != VERSION {
        return Err(IoError::Version { file: file.to_owned(), found: version, supported: VERSION });
    }
    let sections = cursor.u32();
    let stated_length = u64::from_le_bytes(cursor.bytes());
    if stated_length > bytes.len() as u64 || bytes.len() < smallest {
        return truncated(stated_length.max(smallest as u64));
    }
    if stated_length != bytes.len() as u64 {
        return malformed(Place::Byte(16), "the length of the file", stated_length.to_string());
    }
    let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
    let stated = Cursor(checksum).u32();
    let computed = crc32fast::hash(content);
    if stated != computed {
        return Err(IoError::Checksum { file: file.to_owned(), stated, computed });
    }
    if sections as usize != SECTIONS.len() {
        return malformed(Place::Byte(12), "11 sections", sections.to_string());
    }
    let mut counts = [0; SECTIONS.len()];
    for (index, (count, (tag, size))) in counts.iter_mut().zip(SECTIONS).enumerate() {
        let place = Place::Element { kind: "section", index };
        if cursor.bytes() != tag || cursor.u32() != size {
            return malformed(place, "the section of that number", "another tag or element size".into());
        }
        let stated = u64::from_le_bytes(cursor.bytes());
        match usize::try_from(stated) {
            Ok(stated) if stated <= bytes.len() => *count = stated,
            _ => return malformed(place, "fewer elements than bytes", stated.to_string()),
        }
    }
    if counts[0] != 1 || counts[1] != 1 || counts[6] != 1 {
        return malformed(Place::File, "one frame, agent and surface error", "another number".into());
    }
    let needed = file_length(counts);
    if needed != Some(bytes.len()) {
        let found = needed.map_or("more".into(), |needed| needed.to_string());
        return malformed(Place::File, "sections that fill the file", format!("{found} bytes of them"));
    }
    Ok(decode_sections(counts, &content[TABLE_END..]))
}

/// Reads sections whose sizes were found to fit.
fn decode_sections(counts: [usize; SECTIONS.len()], mut rest: &[u8]) -> NavMeshData {
    let mut section = SECTIONS.iter().zip(counts).map(|((_, size), count)| {
        let length = count * *size as usize;
        let bytes = rest.get(..length).unwrap_or_default();
        rest = rest.get(length.next_multiple_of(ALIGNMENT)..).unwrap_or_default();
        (Cursor(bytes), count)
    });
    let mut next = || section.next().unwrap_or((Cursor(&[]), 0));
    let mut data = NavMeshData::default();

    let (mut cursor, _) = next();
    data.origin = [cursor.f32(), cursor.f32(), cursor.f32()];
    (data.cell_size, data.level_height) = (cursor.f32(), cursor.f32());
    (data.width, data.depth) = (cursor.u32(), cursor.u32());
    let (mut cursor, _) = next();
    (data.agent_height, data.agent_radius) = (cursor.f32(), cursor.f32());
    (data.agent_max_step, data.agent_max_slope) = (cursor.f32(), cursor.f32());

    let (mut cursor, count) = next();
    data.vertex_x.reserve_exact(count);
    data.vertex_z.reserve_exact(count);
    data.vertex_height.reserve_exact(count);
    for _ in 0..count {
        data.vertex_x.push(cursor.i32());
        data.vertex_z.push(cursor.i32());
        data.vertex_height.push(cursor.f32());
    }
    let (mut cursor, count) = next();
    for _ in 0..count {
        data.polygon_regions.push(cursor.u32());
        let [area] = cursor.bytes();
        data.polygon_areas.push(area);
    }
    let (mut cursor, count) = next();
    data.polygon_first = (0..count).map(|_| cursor.u32()).collect();
    let (mut cursor, count) = next();
    for _ in 0..count {
        data.polygon_corners.push(cursor.u32());
        data.polygon_neighbours.push(cursor.u32());
    }
    data.surface_max_error = next().0.f32();
    let (mut cursor, count) = next();
    data.surface_points = (0..count).map(|_| [cursor.f32(), cursor.f32(), cursor.f32()]).collect();
    let (mut cursor, count) = next();
    data.surface_triangles = (0..count * 3).map(|_| cursor.u32()).collect();
    let (mut cursor, count) = next();
    data.surface_first = (0..count).map(|_| cursor.u32()).collect();
    let (mut cursor, count) = next();
    data.links.reserve_exact(count);
    for _ in 0..count {
        let mut link = LinkData { polygons: [cursor.u32(), cursor.u32()], ..LinkData::default() };
        for (point, height) in link.points.iter_mut().zip(&mut link.heights) {
            (*point, *height) = ([cursor.i32(), cursor.i32()], cursor.f32());
        }
        link.extra_cost = cursor.f32();
        (link.kind, link.data) = (cursor.u32(), cursor.u32());
        data.links.push(link);
    }
    data
}
