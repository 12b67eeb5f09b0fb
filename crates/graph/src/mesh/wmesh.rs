//! The navigation mesh file, `.wmesh`. [`NavMesh::to_wmesh`] documents it byte by byte.
//! And a mesh as the bytes of a file in either format.

use waymesh_core::bytes::{Reader, Writer};
use waymesh_core::{AreaTable, checkpoint, checksum, to_u32};

use super::data::{LinkData, NavMeshData};
use super::error::NavMeshError;
use super::format::{MeshFormat, WMESH_MAGIC, WMESH_VERSION};
use super::nav_mesh::NavMesh;
use super::packed::PackedChecks;

/// Tags and sizes of the elements.
const SECTIONS: [(&str, u32); 12] = [
    ("FRAM", 28),
    ("AGNT", 16),
    ("VERT", 12),
    ("POLY", 5),
    ("PFST", 4),
    ("CRNR", 8),
    ("SERR", 4),
    ("SPNT", 12),
    ("STRI", 12),
    ("SFST", 4),
    ("LINK", 68),
    ("AREA", 1),
];
const HEADER: usize = 24;
const ENTRY: usize = 16;
const CHECKSUM: usize = 4;
const ALIGNMENT: usize = 8;

/// End of the section table.
const TABLE_END: usize = HEADER + ENTRY * SECTIONS.len();

impl NavMesh {
    /// Returns the mesh as the bytes of a `.wmesh` file.
    ///
    /// It holds all that a [`NavMesh`] cannot compute again, and nothing about how the mesh was
    /// baked. All numbers are little-endian on every machine; `f32` is IEEE 754 binary32. The
    /// same mesh always gives the same bytes.
    ///
    /// # Byte by byte
    /// | bytes | type | content |
    /// |---|---|---|
    /// | 0..8 | 8 bytes | `57 4D 45 53 48 00 0D 0A`: `WMESH`, a zero, CR LF (which text transfers damage, so that it shows at once) |
    /// | 8..12 | `u32` | version, 1 |
    /// | 12..16 | `u32` | number of sections, 12 |
    /// | 16..24 | `u64` | length of the file in bytes |
    /// | 24..216 | 12 entries | section table: tag (4 ASCII bytes), size of an element in bytes (`u32`), number of elements (`u64`) |
    /// | 216.. | | the sections in the order of the table, each padded with zeros to a multiple of 8 bytes |
    /// | last 4 | `u32` | CRC-32 (ISO-HDLC, as in zip and PNG) of all bytes before it |
    ///
    /// The sections, always all of them and in this order:
    ///
    /// | tag | element | number | content |
    /// |---|---|---|---|
    /// | `FRAM` | 28 | 1 | origin x, y, z, cell size, level height (5 `f32`, metres), width, depth (2 `u32`, cells) |
    /// | `AGNT` | 16 | 1 | agent's height, radius, highest step (metres), steepest slope (radians), 4 `f32` |
    /// | `VERT` | 12 | vertices | x, z (2 `i32`, cells), height (`f32`, levels) |
    /// | `POLY` | 5 | polygons | region (`u32`), kind of ground (`u8`) |
    /// | `PFST` | 4 | polygons + 1 | first corner of each polygon, and the number of corners (`u32`) |
    /// | `CRNR` | 8 | corners | vertex (`u32`), polygon across the edge to the next corner or `FF FF FF FF` (`u32`) |
    /// | `SERR` | 4 | 1 | largest error of the height surface in levels (`f32`), 0 without one |
    /// | `SPNT` | 12 | points | x (cells), height (levels), z (cells) of a point of the height surface, 3 `f32` |
    /// | `STRI` | 12 | triangles | points of a triangle of the height surface, 3 `u32` |
    /// | `SFST` | 4 | polygons + 1, or 0 | first triangle of each polygon, and the number of triangles (`u32`); none without height surface |
    /// | `LINK` | 68 | links | polygons at both ends (2 `u32`); four times x, z (2 `i32`, cells), height (`f32`, levels): the segment where it begins, then where it ends; extra cost (`f32`, metres), kind, plus 256 if both ways, plus 512 if closed (`u32`), the user's data (`u32`) |
    /// | `AREA` | 1 | bytes | [`waymesh_core::AreaTable::to_bytes`] |
    ///
    /// Meaning and invariants of the numbers are those of [`NavMeshData`].
    #[must_use]
    pub fn to_wmesh(&self) -> Vec<u8> {
        encode(&self.data())
    }

    /// Reads the bytes of a `.wmesh` file.
    ///
    /// # Errors
    /// - [`NavMeshError::OtherFormat`] for other files, [`NavMeshError::FileVersion`] for other
    ///   versions.
    /// - [`NavMeshError::FileTruncated`], [`NavMeshError::FileLength`] and
    ///   [`NavMeshError::FileChecksum`] for damage: every change of up to 32 neighbouring bits is
    ///   noticed.
    /// - See [`NavMesh::from_data`] for an undamaged file whose tables make no mesh.
    ///
    /// Whatever the bytes, nothing panics, and memory stays in proportion to them.
    pub fn from_wmesh(bytes: &[u8]) -> Result<Self, NavMeshError> {
        Self::from_data(decode(bytes)?)
    }
}

fn encode(data: &NavMeshData) -> Vec<u8> {
    let areas = data.area_table.to_bytes();
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
        areas.len(),
    ];
    let mut out = Writer(Vec::with_capacity(file_length(&counts).unwrap_or(0)));
    out.put(WMESH_MAGIC);
    out.put([WMESH_VERSION, to_u32(SECTIONS.len()), 0, 0]);
    for ((tag, size), count) in SECTIONS.iter().zip(counts) {
        out.0.extend(tag.as_bytes());
        out.put(*size);
        out.put(count as u64);
    }
    let mut section = |write: &dyn Fn(&mut Writer)| {
        checkpoint();
        write(&mut out);
        out.0.resize(out.0.len().next_multiple_of(ALIGNMENT), 0);
    };
    section(&|out| {
        out.put(data.origin);
        out.put([data.cell_size, data.level_height]);
        out.put([data.width, data.depth]);
    });
    let agent = [data.agent_height, data.agent_radius, data.agent_max_step, data.agent_max_slope];
    section(&|out| out.put(agent));
    section(&|out| {
        for ((x, z), height) in data.vertex_x.iter().zip(&data.vertex_z).zip(&data.vertex_height) {
            out.put([*x, *z]);
            out.put(*height);
        }
    });
    section(&|out| {
        for (&region, &area) in data.polygon_regions.iter().zip(&data.polygon_areas) {
            out.put(region);
            out.put(area);
        }
    });
    section(&|out| out.put_all(data.polygon_first.iter().copied()));
    let edges = || data.polygon_corners.iter().zip(&data.polygon_neighbours);
    section(&|out| edges().for_each(|(&vertex, &neighbour)| out.put([vertex, neighbour])));
    section(&|out| out.put(data.surface_max_error));
    section(&|out| out.put_all(data.surface_points.iter().copied()));
    section(&|out| out.put_all(data.surface_triangles.iter().copied()));
    section(&|out| out.put_all(data.surface_first.iter().copied()));
    section(&|out| data.links.iter().for_each(|link| link.write(out)));
    section(&|out| out.0.extend(&areas));
    let length = (out.0.len() + CHECKSUM) as u64;
    out.0[16..HEADER].copy_from_slice(&length.to_le_bytes());
    let sum = checksum(&[&out.0]);
    out.put(sum);
    out.0
}

/// Returns the length of a file with these numbers of elements per section; `None` beyond the
/// address space.
fn file_length(counts: &[usize]) -> Option<usize> {
    SECTIONS.iter().zip(counts).try_fold(TABLE_END + CHECKSUM, |length, ((_, size), count)| {
        let bytes = count.checked_mul(*size as usize)?.checked_next_multiple_of(ALIGNMENT)?;
        length.checked_add(bytes)
    })
}

fn decode(bytes: &[u8]) -> Result<NavMeshData, NavMeshError> {
    let format = MeshFormat::Exchange;
    let available = bytes.len() as u64;
    if !format.begins(bytes) {
        return Err(NavMeshError::OtherFormat { expected: format });
    }
    let smallest = (TABLE_END + CHECKSUM) as u64;
    if bytes.len() < HEADER {
        return Err(NavMeshError::FileTruncated { needed: smallest, available });
    }
    let mut words = Reader::new(&bytes[WMESH_MAGIC.len()..]);
    let ([version, section_count], stated): ([u32; 2], u64) = (words.or_zero(), words.or_zero());
    if version != WMESH_VERSION {
        return Err(NavMeshError::FileVersion { format, found: version });
    }
    if stated.max(smallest) > available {
        return Err(NavMeshError::FileTruncated { needed: stated.max(smallest), available });
    }
    if stated != available {
        return Err(NavMeshError::FileLength { needed: stated, stated, available });
    }
    let (content, stated_sum) = bytes.split_at(bytes.len() - CHECKSUM);
    let [stated_sum, computed] = [Reader::new(stated_sum).or_zero(), checksum(&[content])];
    if stated_sum != computed {
        return Err(NavMeshError::FileChecksum { stated: stated_sum, computed });
    }
    if section_count as usize != SECTIONS.len() {
        let elements = u64::from(section_count);
        return Err(NavMeshError::FileSection { section: "table", elements });
    }
    let mut counts = [0; SECTIONS.len()];
    for (count, (tag, size)) in counts.iter_mut().zip(SECTIONS) {
        let is_expected =
            (words.or_zero::<[u8; 4]>().as_slice(), words.or_zero::<u32>()) == (tag.as_bytes(), size);
        let elements: u64 = words.or_zero();
        *count = usize::try_from(elements)
            .ok()
            .filter(|&count| is_expected && count <= bytes.len())
            .ok_or(NavMeshError::FileSection { section: tag, elements })?;
    }
    for single in [0, 1, 6] {
        if counts[single] != 1 {
            let (section, elements) = (SECTIONS[single].0, counts[single] as u64);
            return Err(NavMeshError::FileSection { section, elements });
        }
    }
    let needed = file_length(&counts).map_or(u64::MAX, |needed| needed as u64);
    if needed != available {
        return Err(NavMeshError::FileLength { needed, stated, available });
    }
    decode_sections(counts, &content[TABLE_END..])
}

/// Reads sections whose sizes were found to fit.
fn decode_sections(counts: [usize; SECTIONS.len()], mut rest: &[u8]) -> Result<NavMeshData, NavMeshError> {
    let mut section = SECTIONS.iter().zip(counts).map(|((_, size), count)| {
        checkpoint();
        let length = count * *size as usize;
        let bytes = rest.get(..length).unwrap_or_default();
        rest = rest.get(length.next_multiple_of(ALIGNMENT)..).unwrap_or_default();
        (Reader::new(bytes), count)
    });
    let mut next = || section.next().unwrap_or((Reader::new(&[]), 0));
    let mut data = NavMeshData::default();

    let (mut words, _) = next();
    data.origin = words.or_zero();
    (data.cell_size, data.level_height) = (words.or_zero(), words.or_zero());
    (data.width, data.depth) = (words.or_zero(), words.or_zero());
    let (mut words, _) = next();
    (data.agent_height, data.agent_radius) = (words.or_zero(), words.or_zero());
    (data.agent_max_step, data.agent_max_slope) = (words.or_zero(), words.or_zero());

    let (mut words, count) = next();
    data.vertex_x.reserve_exact(count);
    data.vertex_z.reserve_exact(count);
    data.vertex_height.reserve_exact(count);
    for _ in 0..count {
        data.vertex_x.push(words.or_zero());
        data.vertex_z.push(words.or_zero());
        data.vertex_height.push(words.or_zero());
    }
    let (mut words, count) = next();
    for _ in 0..count {
        data.polygon_regions.push(words.or_zero());
        data.polygon_areas.push(words.or_zero());
    }
    let (mut words, count) = next();
    data.polygon_first = (0..count).map(|_| words.or_zero()).collect();
    let (mut words, count) = next();
    for _ in 0..count {
        data.polygon_corners.push(words.or_zero());
        data.polygon_neighbours.push(words.or_zero());
    }
    data.surface_max_error = next().0.or_zero();
    let (mut words, count) = next();
    data.surface_points = (0..count).map(|_| words.or_zero()).collect();
    let (mut words, count) = next();
    data.surface_triangles = (0..count * 3).map(|_| words.or_zero()).collect();
    let (mut words, count) = next();
    data.surface_first = (0..count).map(|_| words.or_zero()).collect();
    let (mut words, count) = next();
    data.links.reserve_exact(count);
    for _ in 0..count {
        data.links.push(LinkData::read(&mut words));
    }
    data.area_table = AreaTable::from_bytes(next().0.rest()).ok_or(NavMeshError::AreaTable)?;
    Ok(data)
}

impl NavMesh {
    /// Returns the mesh as the bytes of a file, with a checksum.
    #[must_use]
    pub fn to_bytes(&self, format: MeshFormat) -> Vec<u8> {
        match format {
            MeshFormat::Exchange => self.to_wmesh(),
            MeshFormat::Packed => self.to_packed(true),
        }
    }

    /// Opens the bytes of a file. The format is known from its first bytes. Everything is checked: a
    /// packed mesh is opened with [`PackedChecks::All`].
    ///
    /// # Errors
    /// - [`NavMeshError::UnknownFormat`] for other files.
    /// - See [`NavMesh::from_wmesh`] and [`NavMesh::from_packed_shared`].
    pub fn from_bytes(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self, NavMeshError> {
        match MeshFormat::of_bytes(bytes.as_ref()) {
            Some(MeshFormat::Exchange) => Self::from_wmesh(bytes.as_ref()),
            Some(MeshFormat::Packed) => Self::from_packed_shared(bytes, PackedChecks::All),
            None => Err(NavMeshError::UnknownFormat),
        }
    }
}
