//! A mesh as bytes that open fast: all tables as they lie in memory, with what [`crate::NavMeshData`] leaves out because it takes a
//! search or a sort to find.
//!
//! All numbers are little-endian on every machine. The same mesh always gives the same bytes. Nothing is taken on trust: opening checks
//! in linear time whatever a query relies on, so that no bytes make a mesh that panics; the checksum is there to find damage that still
//! makes sense, and can be left out.
//!
//! # Version 1, byte by byte
//! | bytes | type | content |
//! |---|---|---|
//! | 0..8 | 8 bytes | `57 4D 52 55 4E 00 0D 0A`: `WMRUN`, a zero, CR LF |
//! | 8..12 | `u32` | version, 1 |
//! | 12..16 | `u32` | CRC-32 (ISO-HDLC) of all bytes but these four, or 0: none |
//! | 16..24 | `u64` | length in bytes |
//! | 24..128 | 13 `u64` | number of elements of each section |
//! | 128.. | | the sections, each padded with zeros to a multiple of 64 bytes |
//!
//! | section | element | content |
//! |---|---|---|
//! | frame | 64 | origin x, y, z, cell size, level height (5 `f32`), width, depth (2 `u32`), agent's height, radius, highest step, steepest slope (4 `f32`), largest error of the surface (`f32`), number of fans (`u32`), 1 with a surface (`u32`), generation (`u64`) |
//! | vertices | 12 | x, z (2 `i32`, cells), height (`f32`, levels) |
//! | cell_first | 4 | first corner of each cell, and the number of corners |
//! | corners | 16 | vertex, cell beyond the edge, the same edge in that cell, fan (4 `u32`; `FF FF FF FF` for none) |
//! | cells | 16 | region, island, first and last number beyond a bridge (4 `u32`) |
//! | areas | 1 | kind of ground of each cell |
//! | bridges | 1 | kind of each edge |
//! | islands | 16 | first cell, number of cells (2 `u32`), square metres (`f64`) |
//! | order | 4 | cells along the curve of the box index |
//! | surface_points | 12 | x, height, z (3 `f32`) |
//! | surface_triangles | 12 | points (3 `u32`) |
//! | surface_first | 4 | first triangle of each cell, and the number of triangles |
//! | links | 68 | as in [`crate::LinkData`]: cells, four times x, z and height, extra cost, kind, data |

mod check;

use glam::Vec3;
use waymesh_core::{
    Agent, CellId, GridFrame, HeightSurface, PlanPoint, PlanVertex, RegionId, SurfacePoint, VertexId,
};

use crate::box_index::BoxIndex;
use crate::bridges::Bridges;
use crate::buckets::Buckets;
use crate::data::LinkData;
use crate::fans::Fans;
use crate::height::Ground;
use crate::links::Links;
use crate::mesh::{Corner, Generation, cell_bounds, check_frame, check_vertices, rounding_slack, to_world};
use crate::walk::walk_edges;
use crate::{Island, NavMesh, NavMeshError};

/// First bytes.
pub const PACKED_MAGIC: [u8; 8] = *b"WMRUN\0\r\n";
/// The version that is written and read.
pub const PACKED_VERSION: u32 = 1;

const SECTIONS: [(&str, usize); 13] = [
    ("frame", 64),
    ("vertices", 12),
    ("cell_first", 4),
    ("corners", 16),
    ("cells", 16),
    ("areas", 1),
    ("bridges", 1),
    ("islands", 16),
    ("order", 4),
    ("surface_points", 12),
    ("surface_triangles", 12),
    ("surface_first", 4),
    ("links", 68),
];
const HEADER: usize = 128;
const ALIGNMENT: usize = 64;
const CHECKSUM: std::ops::Range<usize> = 12..16;

/// Whether the checksum is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checksum {
    /// If there is one, it must be right.
    #[default]
    Verify,
    /// It is not computed: for bytes whose origin is known. Opening is no less safe, but damage may go unnoticed.
    Skip,
}

/// Takes bytes apart, front to back.
#[derive(Clone, Copy)]
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    /// The next four bytes; zeros past the end.
    #[inline]
    fn next(&mut self) -> [u8; 4] {
        let Some((word, rest)) = self.0.split_first_chunk() else { return [0; 4] };
        self.0 = rest;
        *word
    }

    #[inline]
    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.next())
    }

    #[inline]
    fn i32(&mut self) -> i32 {
        i32::from_le_bytes(self.next())
    }

    #[inline]
    fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.next())
    }

    #[inline]
    fn u64(&mut self) -> u64 {
        u64::from(self.u32()) | u64::from(self.u32()) << 32
    }
}

/// Sections that fill the bytes.
struct Sections<'a> {
    bytes: [&'a [u8]; SECTIONS.len()],
}

impl<'a> Sections<'a> {
    /// Finds the sections.
    fn of(bytes: &'a [u8], checksum: Checksum) -> Result<Self, NavMeshError> {
        let available = bytes.len() as u64;
        let shown = &bytes[..bytes.len().min(PACKED_MAGIC.len())];
        if shown.is_empty() || shown != &PACKED_MAGIC[..shown.len()] {
            return Err(NavMeshError::NotPacked);
        }
        if bytes.len() < HEADER {
            return Err(NavMeshError::PackedTruncated { needed: HEADER as u64, available });
        }
        let mut header = Words(&bytes[PACKED_MAGIC.len()..]);
        let (version, stated, length) = (header.u32(), header.u32(), header.u64());
        if version != PACKED_VERSION {
            return Err(NavMeshError::PackedVersion { found: version, supported: PACKED_VERSION });
        }
        if length > available {
            return Err(NavMeshError::PackedTruncated { needed: length, available });
        }
        let mut sections = Self { bytes: [&[]; SECTIONS.len()] };
        let mut at = HEADER;
        for (section, (name, size)) in sections.bytes.iter_mut().zip(SECTIONS) {
            let stated = header.u64();
            let wrong = NavMeshError::PackedSection { section: name, elements: stated };
            let bytes_of = usize::try_from(stated).ok().and_then(|count| count.checked_mul(size));
            let end = bytes_of.and_then(|bytes| at.checked_add(bytes)).filter(|&end| end <= bytes.len());
            let Some(end) = end else { return Err(wrong) };
            *section = &bytes[at..end];
            at = end.next_multiple_of(ALIGNMENT);
        }
        if at as u64 != length || length != available {
            return Err(NavMeshError::PackedLength { needed: at as u64, stated: length, available });
        }
        if checksum == Checksum::Verify && stated != 0 {
            let computed = checksum_of(bytes);
            if stated != computed {
                return Err(NavMeshError::PackedChecksum { stated, computed });
            }
        }
        Ok(sections)
    }

    /// A section as a table. One pass without a branch: about as fast as copying.
    #[inline]
    fn table<const SIZE: usize, T>(&self, section: usize, read: impl Fn(Words<'_>) -> T) -> Vec<T> {
        debug_assert_eq!(SIZE, SECTIONS[section].1);
        self.bytes[section].as_chunks::<SIZE>().0.iter().map(|element| read(Words(element))).collect()
    }
}

/// Never 0, which stands for none.
fn checksum_of(bytes: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[..CHECKSUM.start]);
    sum.update(&bytes[CHECKSUM.end..]);
    sum.finalize().max(1)
}

impl NavMesh {
    /// The mesh as bytes that [`NavMesh::from_packed`] opens fast: see the table in `src/packed/mod.rs`. With a checksum or without.
    #[must_use]
    pub fn to_packed(&self, with_checksum: bool) -> Vec<u8> {
        let surface = self.surface.as_ref();
        let (points, triangles, first) = surface.map_or((&[][..], &[][..], &[][..]), |surface| {
            (&surface.points[..], &surface.triangles[..], &surface.cell_triangles[..])
        });
        let counts: [usize; SECTIONS.len()] = [
            1,
            self.plan_vertices.len(),
            self.cell_first.len(),
            self.corners.len(),
            self.cell_count(),
            self.areas.len(),
            self.corners.len(),
            self.islands.len(),
            self.cell_count(),
            points.len(),
            triangles.len(),
            first.len(),
            self.links.links.len(),
        ];
        let length = counts
            .iter()
            .zip(SECTIONS)
            .fold(HEADER, |length, (count, (_, size))| length + (count * size).next_multiple_of(ALIGNMENT));
        let mut out = Vec::with_capacity(length);
        out.extend(PACKED_MAGIC);
        out.extend(PACKED_VERSION.to_le_bytes());
        out.extend([0; 4]);
        out.extend((length as u64).to_le_bytes());
        counts.iter().for_each(|&count| out.extend((count as u64).to_le_bytes()));
        fn words(out: &mut Vec<u8>, words: impl IntoIterator<Item = u32>) {
            words.into_iter().for_each(|word| out.extend(word.to_le_bytes()));
        }
        let pad = |out: &mut Vec<u8>| out.resize(out.len().next_multiple_of(ALIGNMENT), 0);

        let GridFrame { origin, cell_size, level_height, width, depth } = self.frame;
        let Agent { height, radius, max_step, max_slope, .. } = self.agent;
        words(&mut out, [origin.x, origin.y, origin.z, cell_size, level_height].map(f32::to_bits));
        words(&mut out, [width, depth]);
        let error = surface.map_or(0.0, |surface| surface.max_error);
        words(&mut out, [height, radius, max_step, max_slope, error].map(f32::to_bits));
        words(&mut out, [self.fans.count(), u32::from(surface.is_some())]);
        out.extend(self.generation.0.to_le_bytes());
        pad(&mut out);
        for PlanVertex { point, height } in &self.plan_vertices {
            words(&mut out, [point.x.cast_unsigned(), point.z.cast_unsigned(), height.to_bits()]);
        }
        pad(&mut out);
        words(&mut out, self.cell_first.iter().copied());
        pad(&mut out);
        for (edge, vertex) in (0_u32..).zip(&self.corner_vertices) {
            let (neighbour, fan) = (self.neighbours[edge as usize], self.fans.entry(edge));
            words(&mut out, [vertex.0, neighbour, self.fans.twin(edge), fan]);
        }
        pad(&mut out);
        for (cell, (region, island)) in (0_u32..).zip(self.regions.iter().zip(&self.cell_islands)) {
            let (first, last) = self.bridges.range(cell);
            words(&mut out, [region.0, *island, first, last]);
        }
        pad(&mut out);
        out.extend(&self.areas);
        pad(&mut out);
        out.extend(self.bridges.kind_numbers());
        pad(&mut out);
        for island in &self.islands {
            words(&mut out, [island.first.0, island.cells]);
            out.extend(island.area.to_le_bytes());
        }
        pad(&mut out);
        words(&mut out, self.index.order().iter().copied());
        pad(&mut out);
        for point in points {
            words(&mut out, [point.x, point.height, point.z].map(f32::to_bits));
        }
        pad(&mut out);
        words(&mut out, triangles.iter().flatten().copied());
        pad(&mut out);
        words(&mut out, first.iter().copied());
        pad(&mut out);
        for link in self.links.links.iter().map(LinkData::from) {
            words(&mut out, link.cells);
            for ([x, z], height) in link.points.iter().zip(link.heights) {
                words(&mut out, [x.cast_unsigned(), z.cast_unsigned(), height.to_bits()]);
            }
            words(&mut out, [link.extra_cost.to_bits(), link.kind, link.data]);
        }
        pad(&mut out);
        if with_checksum {
            let sum = checksum_of(&out);
            out[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
        }
        out
    }

    /// Opens the bytes of [`NavMesh::to_packed`], read or mapped into memory by the caller.
    ///
    /// - The same mesh bit by bit, without a search or a sort: linear time, about that of copying the bytes a few times.
    /// - Tables are copied once; the bytes are not needed afterwards.
    ///
    /// # Errors
    /// Names what is wrong: another file or version, bytes that are missing or too many, a wrong checksum, the table and the element that
    /// are out of range, the cell that is not convex, the edge whose neighbour does not know it. Whatever the bytes, nothing panics, here
    /// or in a query later, and memory stays in proportion to them.
    pub fn from_packed(bytes: &[u8], checksum: Checksum) -> Result<Self, NavMeshError> {
        let sections = Sections::of(bytes, checksum)?;
        if sections.bytes[0].len() != SECTIONS[0].1 {
            return Err(NavMeshError::PackedSection { section: "frame", elements: 0 });
        }
        let mut words = Words(sections.bytes[0]);
        let frame = GridFrame {
            origin: Vec3::new(words.f32(), words.f32(), words.f32()),
            cell_size: words.f32(),
            level_height: words.f32(),
            width: words.u32(),
            depth: words.u32(),
        };
        let agent = Agent::default()
            .with_height(words.f32())
            .with_radius(words.f32())
            .with_max_step(words.f32())
            .with_max_slope(words.f32());
        let (max_error, fan_count) = (words.f32(), words.u32());
        let has_surface = words.u32() != 0;
        let generation = Generation(words.u64());
        agent.validate()?;
        check_frame(&frame)?;

        let plan_vertices = sections.table::<12, _>(1, |mut words| PlanVertex {
            point: PlanPoint::new(words.i32(), words.i32()),
            height: words.f32(),
        });
        check_vertices(&frame, &plan_vertices)?;
        let cell_first = sections.table::<4, _>(2, |mut words| words.u32());
        let edges =
            sections.table::<16, _>(3, |mut words| [words.u32(), words.u32(), words.u32(), words.u32()]);
        let cells =
            sections.table::<16, _>(4, |mut words| [words.u32(), words.u32(), words.u32(), words.u32()]);
        let areas = sections.bytes[5].to_vec();
        let islands = sections.table::<16, _>(7, |mut words| Island {
            first: CellId(words.u32()),
            cells: words.u32(),
            area: f64::from_bits(words.u64()),
        });
        let order = sections.table::<4, _>(8, |mut words| words.u32());
        let tables = check::Tables {
            vertices: &plan_vertices,
            cell_first: &cell_first,
            edges: &edges,
            cells: &cells,
            areas: &areas,
            bridges: sections.bytes[6],
            islands: &islands,
            order: &order,
            fan_count,
        };
        tables.check()?;
        let surface = has_surface.then(|| HeightSurface {
            points: sections.table::<12, _>(9, |mut words| SurfacePoint {
                x: words.f32(),
                height: words.f32(),
                z: words.f32(),
            }),
            triangles: sections.table::<12, _>(10, |mut words| [words.u32(), words.u32(), words.u32()]),
            cell_triangles: sections.table::<4, _>(11, |mut words| words.u32()),
            max_error,
        });
        match &surface {
            Some(surface) => check::check_surface(&frame, surface, cells.len())?,
            None => check::check_no_surface(sections.bytes[9], sections.bytes[10], sections.bytes[11])?,
        }

        let corners: Vec<Corner> = edges
            .iter()
            .map(|edge| {
                let PlanVertex { point, height } = plan_vertices[edge[0] as usize];
                Corner { x: point.x, z: point.z, height }
            })
            .collect();
        let neighbours: Vec<u32> = edges.iter().map(|edge| edge[1]).collect();
        let fans =
            Fans::from_tables(edges.iter().map(|edge| edge[2]), edges.iter().map(|edge| edge[3]), fan_count);
        let vertices: Vec<Vec3> =
            plan_vertices.iter().map(|vertex| to_world(&frame, vertex.point, vertex.height)).collect();
        let bounds = cell_bounds(&cell_first, &corners, surface.as_ref());
        let (plan_slack, height_slack) = rounding_slack(&frame, &vertices, &bounds);
        let walk = walk_edges(&corners, &neighbours, &fans);
        let mut mesh = Self {
            frame,
            agent,
            vertices,
            plan_vertices,
            buckets: Buckets::build(&bounds, &cell_first, &walk),
            walk,
            corner_vertices: edges.iter().map(|edge| VertexId(edge[0])).collect(),
            cell_first,
            corners,
            neighbours,
            regions: cells.iter().map(|cell| RegionId(cell[0])).collect(),
            areas,
            index: BoxIndex::in_order(order, &bounds),
            bridges: Bridges::from_tables(sections.bytes[6], cells.iter().map(|cell| (cell[2], cell[3]))),
            fans,
            links: Links::default(),
            bounds,
            cell_islands: cells.iter().map(|cell| cell[1]).collect(),
            islands,
            ground: surface.as_ref().map(Ground::of).unwrap_or_default(),
            surface,
            generation,
            plan_slack,
            height_slack,
        };
        let links = sections.table::<68, _>(12, |mut words| {
            let mut link = LinkData { cells: [words.u32(), words.u32()], ..LinkData::default() };
            for (point, height) in link.points.iter_mut().zip(&mut link.heights) {
                (*point, *height) = ([words.i32(), words.i32()], words.f32());
            }
            link.extra_cost = words.f32();
            (link.kind, link.data) = (words.u32(), words.u32());
            link
        });
        mesh.attach_links(&links)?;
        Ok(mesh)
    }
}
