//! A mesh as bytes that are the mesh: all tables as they lie in memory, so that a file that is
//! mapped into memory opens without reading it.
//!
//! All numbers are little-endian on every machine. The same mesh always gives the same bytes. How
//! much of them is believed is up to the caller ([`PackedChecks`]): by default nothing, and no
//! bytes make a mesh that panics or hangs.
//!
//! # Byte by byte
//! | bytes | type | content |
//! |---|---|---|
//! | 0..8 | 8 bytes | `57 4D 52 55 4E 00 0D 0A`: `WMRUN`, a zero, CR LF |
//! | 8..12 | `u32` | version, 1 |
//! | 12..16 | `u32` | CRC-32 (ISO-HDLC) of all bytes but these four, or 0: none |
//! | 16..24 | `u64` | length in bytes |
//! | 24..264 | 30 `u64` | number of elements of each section |
//! | 320.. | | the sections, each padded with zeros to a multiple of 64 bytes |
//!
//! | section | element | content |
//! |---|---|---|
//! | frame | 100 | origin x, y, z, cell size, level height (5 `f32`), width, depth (2 `u32`), agent's height, radius, highest step, steepest slope (4 `f32`), largest error of the surface (`f32`), number of fans (`u32`), 1 with a surface (`u32`), generation (`u64`), rounding of positions in cells and in levels (2 `f64`), squares: least x, z (2 `i32`), side as a power of two, columns, rows (3 `u32`) |
//! | vertices | 12 | x, z (2 `i32`, cells), height (`f32`, levels) |
//! | positions | 12 | the same in metres: x, y, z (3 `f32`) |
//! | polygon_first | 4 | first corner of each polygon, and the number of corners |
//! | corner_vertices | 4 | vertex of each corner |
//! | corners | 12 | as the vertex |
//! | neighbours | 4 | polygon beyond each edge; `FF FF FF FF` for none |
//! | walk | 16 | x, z (2 `i32`), polygon beyond, the same edge in that polygon |
//! | twins | 4 | the same edge in the polygon beyond |
//! | fans | 4 | fan of each corner; the highest bit where ways may turn |
//! | bridges | 1 | kind of each edge |
//! | bridge_ranges | 8 | first and last number beyond a bridge, of each polygon |
//! | regions | 4 | region of each polygon |
//! | areas | 1 | kind of ground of each polygon |
//! | bounds | 24 | least x, z, most x, z (4 `i32`), lowest and highest ground (2 `f32`) of each polygon |
//! | polygon_islands | 4 | island of each polygon |
//! | islands | 16 | first polygon, number of polygons (2 `u32`), square metres (`f64`) |
//! | order | 4 | polygons along the curve of the box index |
//! | boxes | 24 | as bounds, along the curve, then those of the levels above |
//! | nodes | 192 | eight boxes: least x, most x, least z, most z, lowest, highest (48 `f32`) |
//! | square_first | 4 | first entry of each square of the plan, and the number of entries |
//! | square_polygons | 4 | polygons that touch a square |
//! | surface_points | 12 | x, height, z (3 `f32`) |
//! | surface_triangles | 12 | points (3 `u32`) |
//! | surface_first | 4 | first triangle of each polygon, and the number of triangles |
//! | ground_triangles | 36 | x, z, from there to the other corners, three heights (9 `f32`) |
//! | ground_boxes | 64 | least x, most x, least z, most z of four triangles (16 `f32`) |
//! | ground_first | 4 | first box of each polygon, and the number of boxes |
//! | links | 68 | as in [`crate::LinkData`]: polygons, four times x, z and height, extra cost, kind, data |
//! | area_table | 1 | [`waymesh_core::AreaTable::to_bytes`] |

mod check;

use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use glam::Vec3;
use waymesh_core::bytes::{Reader, Writer};
use waymesh_core::{Agent, AreaTable, GridFrame, PolyId, checksum};

use super::box_index::BoxIndex;
use super::bridges::Bridges;
use super::check::{check_frame, check_length};
use super::data::LinkData;
use super::error::NavMeshError;
use super::fans::Fans;
use super::format::{MeshFormat, PACKED_MAGIC, PACKED_VERSION};
use super::ground::Ground;
use super::height_tables::HeightTables;
use super::islands::Island;
use super::links::Links;
use super::nav_mesh::{Generation, Index, Islands, NavMesh, Surface, Topology, Vertices};
use super::squares::{Buckets, Squares};
use super::table::{Table, write_words};
/// Names and sizes of the elements.
const SECTIONS: [(&str, usize); 30] = [
    ("frame", 100),
    ("vertices", 12),
    ("positions", 12),
    ("polygon_first", 4),
    ("corner_vertices", 4),
    ("corners", 12),
    ("neighbours", 4),
    ("walk", 16),
    ("twins", 4),
    ("fans", 4),
    ("bridges", 1),
    ("bridge_ranges", 8),
    ("regions", 4),
    ("areas", 1),
    ("bounds", 24),
    ("polygon_islands", 4),
    ("islands", 16),
    ("order", 4),
    ("boxes", 24),
    ("nodes", 192),
    ("square_first", 4),
    ("square_polygons", 4),
    ("surface_points", 12),
    ("surface_triangles", 12),
    ("surface_first", 4),
    ("ground_triangles", 36),
    ("ground_boxes", 64),
    ("ground_first", 4),
    ("links", 68),
    ("area_table", 1),
];
const COUNTS: usize = 24;
const ALIGNMENT: usize = 64;
const CHECKSUM: Range<usize> = 12..16;

/// Start of the first section.
const HEADER_END: usize = (COUNTS + 8 * SECTIONS.len()).next_multiple_of(ALIGNMENT);

/// The checks of the bytes of a packed mesh. In every case the header, the
/// sizes of all tables, and islands and links are checked, and nothing can touch memory that is not
/// the mesh's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PackedChecks {
    /// Everything that a query relies on, and the checksum if there is one: no bytes make a mesh
    /// that panics or hangs, whoever made them. Reads all bytes and does more with them than
    /// copying, on all threads of the pool.
    #[default]
    All,
    /// The checksum, which must be there: for files of one's own. Damage by chance is found, but
    /// for one chance in 4 billion; bytes made by someone who means harm are not, and queries
    /// may then panic, never end, or give wrong answers. Reads all bytes once.
    Checksum,
    /// Nothing more: for bytes that cannot have changed. Damage makes queries panic, never end, or
    /// give wrong answers. Reads next to nothing: a file that is mapped into memory opens in
    /// microseconds, and is read where queries look.
    None,
}

/// Sections that fill the bytes.
struct Sections {
    whole: Table<u8>,
    ranges: [Range<usize>; SECTIONS.len()],
    /// Number of sections that were read.
    taken: usize,
}

impl Sections {
    /// Finds the sections.
    fn of(whole: Table<u8>, checks: PackedChecks) -> Result<Self, NavMeshError> {
        let bytes = &*whole;
        let available = bytes.len() as u64;
        let format = MeshFormat::Packed;
        if !format.begins(bytes) {
            return Err(NavMeshError::OtherFormat { expected: format });
        }
        let truncated = |needed: usize| NavMeshError::FileTruncated { needed: needed as u64, available };
        if bytes.len() < COUNTS {
            return Err(truncated(HEADER_END));
        }
        let mut header = Reader::new(&bytes[PACKED_MAGIC.len()..]);
        let ([version, stated], length): ([u32; 2], u64) = (header.or_zero(), header.or_zero());
        if version != PACKED_VERSION {
            return Err(NavMeshError::FileVersion { format, found: version });
        }
        if bytes.len() < HEADER_END {
            return Err(truncated(HEADER_END));
        }
        if length > available {
            return Err(NavMeshError::FileTruncated { needed: length, available });
        }
        let mut ranges = [const { 0..0 }; SECTIONS.len()];
        let mut at = HEADER_END;
        for (range, (name, size)) in ranges.iter_mut().zip(SECTIONS) {
            let elements: u64 = header.or_zero();
            let wrong = NavMeshError::FileSection { section: name, elements };
            let bytes_of = usize::try_from(elements).ok().and_then(|count| count.checked_mul(size));
            let end = bytes_of.and_then(|bytes| at.checked_add(bytes)).filter(|&end| end <= bytes.len());
            let Some(end) = end else { return Err(wrong) };
            *range = at..end;
            at = end.next_multiple_of(ALIGNMENT);
        }
        if at as u64 != length || length != available {
            return Err(NavMeshError::FileLength { needed: at as u64, stated: length, available });
        }
        let is_due = match checks {
            PackedChecks::All => stated != 0,
            PackedChecks::Checksum => true,
            PackedChecks::None => false,
        };
        if is_due {
            let computed = checksum_of(bytes);
            if stated != computed {
                return Err(NavMeshError::FileChecksum { stated, computed });
            }
        }
        Ok(Self { whole, ranges, taken: 0 })
    }

    /// Returns the next section, as it lies.
    fn bytes(&mut self) -> (&'static str, &[u8]) {
        let section = self.taken;
        self.taken += 1;
        (SECTIONS[section].0, &self.whole[self.ranges[section].clone()])
    }

    /// Returns the next section as a table, which must have `expected` elements.
    fn table<T: Pod + Send + Sync>(&mut self, expected: usize) -> Result<Table<T>, NavMeshError> {
        let table = self.any_table();
        check_length(SECTIONS[self.taken - 1].0, table.len(), expected)?;
        Ok(table)
    }

    /// Returns the next section as a table.
    fn any_table<T: Pod + Send + Sync>(&mut self) -> Table<T> {
        let section = self.taken;
        self.taken += 1;
        debug_assert_eq!(size_of::<T>(), SECTIONS[section].1);
        self.whole.cut(self.ranges[section].clone())
    }
}

/// Returns the checksum; never 0, which means none.
fn checksum_of(bytes: &[u8]) -> u32 {
    checksum(&[&bytes[..CHECKSUM.start], &bytes[CHECKSUM.end..]]).max(1)
}

/// Writes sections one after the other, and notes how many elements they have.
struct SectionWriter {
    out: Writer,
    sections: usize,
}

impl SectionWriter {
    fn section(&mut self, elements: usize, write: impl FnOnce(&mut Writer)) {
        write(&mut self.out);
        let out = &mut self.out.0;
        out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
        let at = COUNTS + 8 * self.sections;
        out[at..at + 8].copy_from_slice(&(elements as u64).to_le_bytes());
        self.sections += 1;
    }

    fn table<T: Pod>(&mut self, elements: &[T]) {
        self.section(elements.len(), |out| write_words(&mut out.0, elements));
    }
}

impl NavMesh {
    /// Returns the mesh as bytes that [`NavMesh::from_packed_shared`] opens without copying them:
    /// see the table in `src/mesh/packed/mod.rs`. With a checksum or without. A mesh of tiles is
    /// written in its compact form ([`NavMesh::to_compact`]).
    #[must_use]
    pub fn to_packed(&self, with_checksum: bool) -> Vec<u8> {
        if self.is_tiled() {
            return self.to_compact().mesh().to_packed(with_checksum);
        }
        let mut head = Writer::default();
        head.put(PACKED_MAGIC);
        head.put(PACKED_VERSION);
        head.0.resize(HEADER_END, 0);
        let mut writer = SectionWriter { out: head, sections: 0 };
        writer.section(1, |out| {
            let GridFrame { origin, cell_size, level_height, width, depth } = self.frame;
            let Agent { height, radius, max_step, max_slope, .. } = self.agent;
            out.put([origin.x, origin.y, origin.z, cell_size, level_height]);
            out.put([width, depth]);
            let error = self.surface.heights.as_ref().map_or(0.0, |surface| surface.max_error);
            out.put([height, radius, max_step, max_slope, error]);
            out.put([self.topology.fans.count(), u32::from(self.surface.heights.is_some())]);
            out.put(self.generation.0);
            out.put([self.vertices.plan_slack, self.vertices.height_slack]);
            let Squares { min, side_log2, columns, rows } = self.index.buckets.squares();
            out.put(min);
            out.put([side_log2, columns, rows]);
        });
        writer.table(&self.vertices.plan);
        writer.table(&self.vertices.world);
        writer.table(&self.topology.polygon_first);
        writer.table(&self.topology.corner_vertices);
        writer.table(&self.topology.corners);
        writer.table(&self.topology.neighbours);
        writer.table(&self.topology.walk);
        writer.table(&self.topology.fans.twins);
        writer.table(&self.topology.fans.corners);
        writer.table(&self.topology.bridges.kinds);
        writer.table(&self.topology.bridges.ranges);
        writer.table(&self.topology.regions);
        writer.table(&self.topology.areas);
        writer.table(&self.index.bounds);
        writer.table(&self.islands.of_polygon);
        writer.section(self.islands.figures.len(), |out| {
            for island in &self.islands.figures {
                out.put([island.first.0, island.polygons]);
                out.put(island.area);
            }
        });
        let (boxes, order, nodes) = self.index.boxes.tables();
        writer.table(order);
        writer.table(boxes);
        writer.table(nodes);
        self.index.buckets.tables().iter().for_each(|table| writer.table(table));
        match &self.surface.heights {
            Some(surface) => {
                writer.table(&surface.points);
                writer.table(&surface.triangles);
                writer.table(&surface.polygon_triangles);
            }
            None => (0..3).for_each(|_| writer.table::<u8>(&[])),
        }
        writer.table(&self.surface.ground.triangles);
        writer.table(&self.surface.ground.boxes);
        writer.table(&self.surface.ground.first);
        writer.section(self.links.links.len(), |out| {
            self.links.links.iter().for_each(|link| LinkData::from(link).write(out));
        });
        writer.table(&self.area_table.to_bytes());
        let mut out = writer.out.0;
        let length = out.len() as u64;
        out[CHECKSUM.end..COUNTS].copy_from_slice(&length.to_le_bytes());
        if with_checksum {
            let sum = checksum_of(&out);
            out[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
        }
        out
    }

    /// Copies the bytes and opens them as [`NavMesh::from_packed_shared`] does.
    ///
    /// # Errors
    /// See there.
    pub fn from_packed(bytes: &[u8], checks: PackedChecks) -> Result<Self, NavMeshError> {
        Self::from_packed_shared(bytes.to_vec(), checks)
    }

    /// Opens the bytes of [`NavMesh::to_packed`], read or mapped into memory by the caller.
    ///
    /// - The same mesh bit by bit, without a search, a sort or a copy: its tables are the bytes,
    ///   which live as long as it and its clones do.
    /// - `checks` selects the checks; [`PackedChecks::None`] reads next to nothing.
    /// - A table is copied if it is not at a multiple of 16 bytes in memory, and on big-endian
    ///   machines.
    /// - The bytes must not change while the mesh exists. A file that is mapped and then changed
    ///   by someone is as if it had never been checked.
    ///
    /// # Errors
    /// Names what is wrong: another file or version, bytes that are missing or too many, a wrong
    /// checksum, the table and the element that are out of range, the polygon that is not
    /// convex, the edge whose neighbour does not know it. Whatever the bytes, nothing panics here,
    /// and memory stays in proportion to them.
    pub fn from_packed_shared(
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
        checks: PackedChecks,
    ) -> Result<Self, NavMeshError> {
        let mut sections = Sections::of(Table::of_bytes(bytes), checks)?;
        let (section, mut head) = match sections.bytes() {
            (section, bytes) if bytes.len() == SECTIONS[0].1 => (section, Reader::new(bytes)),
            (section, _) => return Err(NavMeshError::FileSection { section, elements: 0 }),
        };
        debug_assert_eq!(section, "frame");
        let frame = GridFrame {
            origin: Vec3::from_array(head.or_zero()),
            cell_size: head.or_zero(),
            level_height: head.or_zero(),
            width: head.or_zero(),
            depth: head.or_zero(),
        };
        let agent = Agent::default()
            .with_height(head.or_zero())
            .with_radius(head.or_zero())
            .with_max_step(head.or_zero())
            .with_max_slope(head.or_zero());
        let (max_error, fan_count) = (head.or_zero(), head.or_zero());
        let has_surface = head.or_zero::<u32>() != 0;
        let generation = Generation(head.or_zero());
        let (plan_slack, height_slack) = (head.or_zero(), head.or_zero());
        let squares = Squares {
            min: head.or_zero(),
            side_log2: head.or_zero(),
            columns: head.or_zero(),
            rows: head.or_zero(),
        };
        agent.validate()?;
        check_frame(&frame)?;

        let plan_vertices = sections.any_table();
        let vertices = sections.table(plan_vertices.len())?;
        let polygon_first: Table<u32> = sections.any_table();
        let polygons = polygon_first.len().saturating_sub(1);
        check_length("polygon_first", polygon_first.len(), polygons + 1)?;
        let corner_vertices = sections.any_table();
        let edges = corner_vertices.len();
        let corners = sections.table(edges)?;
        let neighbours = sections.table(edges)?;
        let walk = sections.table(edges)?;
        let fans = Fans { twins: sections.table(edges)?, corners: sections.table(edges)?, count: fan_count };
        let bridges = Bridges { kinds: sections.table(edges)?, ranges: sections.table(polygons)? };
        let regions = sections.table(polygons)?;
        let areas = sections.table(polygons)?;
        let bounds = sections.table(polygons)?;
        let polygon_islands = sections.table(polygons)?;
        let islands: Table<Island> = sections
            .bytes()
            .1
            .as_chunks::<16>()
            .0
            .iter()
            .map(|bytes| {
                let mut words = Reader::new(bytes);
                Island { first: PolyId(words.or_zero()), polygons: words.or_zero(), area: words.or_zero() }
            })
            .collect();
        let order = sections.table(polygons)?;
        let (boxes, nodes): (Table<_>, Table<_>) = (sections.any_table(), sections.any_table());
        let (box_count, node_count) = (boxes.len(), nodes.len());
        let index = BoxIndex::from_tables(boxes, order, nodes).ok_or(NavMeshError::TableLength {
            table: "boxes",
            actual: box_count + node_count,
            expected: BoxIndex::lengths(polygons),
        })?;
        let buckets = Buckets::from_tables(squares, sections.any_table(), sections.any_table());
        let surface = HeightTables {
            points: sections.any_table(),
            triangles: sections.any_table(),
            polygon_triangles: sections.any_table(),
            max_error,
        };
        let ground = Ground {
            triangles: sections.any_table(),
            boxes: sections.any_table(),
            first: sections.any_table(),
        };
        let [of_polygons, of_triangles] =
            if has_surface { [polygons + 1, surface.triangles.len()] } else { [0, 0] };
        check_length("surface_first", surface.polygon_triangles.len(), of_polygons)?;
        check_length("ground_first", ground.first.len(), of_polygons)?;
        check_length("ground_triangles", ground.triangles.len(), of_triangles)?;
        if !has_surface {
            check_length("surface_points", surface.points.len(), 0)?;
            check_length("surface_triangles", surface.triangles.len(), 0)?;
            check_length("ground_boxes", ground.boxes.len(), 0)?;
        }
        let mut mesh = Self {
            frame,
            agent,
            generation,
            vertices: Vertices { plan: plan_vertices, world: vertices, plan_slack, height_slack },
            topology: Topology {
                polygon_first,
                corner_vertices,
                corners,
                neighbours,
                regions,
                areas,
                walk,
                fans,
                bridges,
            },
            area_table: Arc::default(),
            index: Index { bounds, boxes: index, buckets },
            islands: Islands { of_polygon: polygon_islands, figures: islands },
            links: Links::default(),
            surface: Surface { heights: has_surface.then_some(surface), ground },
            tiles: None,
            oracle: None,
        };
        if checks == PackedChecks::All {
            mesh.check_tables()?;
        }
        let links: Vec<LinkData> = sections
            .bytes()
            .1
            .as_chunks::<68>()
            .0
            .iter()
            .map(|bytes| LinkData::read(&mut Reader::new(bytes)))
            .collect();
        mesh.attach_links(&links)?;
        let table = AreaTable::from_bytes(sections.bytes().1).ok_or(NavMeshError::AreaTable)?;
        Ok(mesh.with_area_table(table))
    }
}
