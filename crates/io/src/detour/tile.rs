//! Tables of the bytes of Detour files.
//!
//! The layout is that of `dtMeshHeader` and the tables behind it in `DetourNavMesh.h`, of the set
//! header in RecastDemo's `Sample.cpp`, and of habitat-sim's `PathFinder.cpp`, which puts its
//! settings after the set header since version 2. All numbers are little-endian.

use waymesh_core::bytes::{Reader, Writer};

use crate::scene::Source;
use crate::{IoError, Place};

/// First bytes of a set of tiles, `MSET` as a little-endian number.
pub(super) const SET_MAGIC: [u8; 4] = *b"TESM";
/// First bytes of a tile, `DNAV` as a little-endian number.
pub(super) const TILE_MAGIC: [u8; 4] = *b"VAND";
/// First bytes of a tile cache, `TSET` as a little-endian number.
const CACHE_MAGIC: [u8; 4] = *b"TEST";
/// The version of `dtMeshHeader`.
pub(super) const TILE_VERSION: i32 = 7;
/// The version of a set of RecastDemo. The version of habitat-sim is one higher.
pub(super) const SET_VERSION: i32 = 1;
const SET_VERSION_WITH_SETTINGS: i32 = 2;
/// Bytes of a set's header: magic, version, tiles, `dtNavMeshParams`.
pub(super) const SET_HEADER: usize = 40;
/// Bytes of habitat-sim's settings: 13 `f32` and 4 `bool`.
const SETTINGS: usize = 56;
/// Bytes of a tile's header.
const TILE_HEADER: usize = 100;
/// Bytes of an element of each table of a tile, in the order of the file. A link is larger if
/// references have 64 bits.
const VERTEX: usize = 12;
const POLYGON: usize = 32;
pub(super) const LINK: usize = 12;
const WIDE_LINK: usize = 16;
const DETAIL: usize = 12;
const DETAIL_TRIANGLE: usize = 4;
const TREE_NODE: usize = 16;
const CONNECTION: usize = 36;
/// Largest number of corners of a polygon (`DT_VERTS_PER_POLYGON`).
pub(super) const MAX_CORNERS: usize = 6;
/// Flag of a neighbour: the edge lies on the border of the tile, and the lowest byte is its side.
pub(super) const AT_BORDER: u16 = 0x8000;
/// Flag in `flags` of a connection: both directions (`DT_OFFMESH_CON_BIDIR`).
pub(super) const BOTH_WAYS: u8 = 1;
/// Largest accepted distance of a coordinate from the origin, in metres.
const FARTHEST: f32 = 1e7;

/// Returns `true` if bytes begin like a Detour file, also one of a version or byte order that is
/// not supported.
#[must_use]
pub fn is_detour(bytes: &[u8]) -> bool {
    bytes.first_chunk::<4>().is_some_and(|magic| {
        [SET_MAGIC, TILE_MAGIC, CACHE_MAGIC].iter().any(|known| magic == known || *magic == reversed(*known))
    })
}

fn reversed(mut magic: [u8; 4]) -> [u8; 4] {
    magic.reverse();
    magic
}

/// The contents of a file.
#[derive(Debug, Default)]
pub(super) struct TileSet {
    pub(super) tiles: Vec<Tile>,
    /// Origin of the grid of tiles, if the file has one.
    pub(super) origin: Option<[f32; 3]>,
    pub(super) settings: Option<HabitatSettings>,
    /// `true` if references have 64 bits.
    pub(super) wide: bool,
}

/// The relevant bake settings of a `.navmesh` file, in metres and degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HabitatSettings {
    pub(super) cell_height: f32,
    pub(super) max_slope_degrees: f32,
}

/// A tile.
#[derive(Debug, Default)]
pub(super) struct Tile {
    /// Column and row.
    pub(super) at: [i32; 2],
    /// Height, radius and highest step of the agent.
    pub(super) agent: [f32; 3],
    /// Lower corner of its box.
    pub(super) low: [f32; 3],
    /// Units of the tree of boxes per metre: Recast's cells, if Recast made the file.
    pub(super) units_per_metre: f32,
    pub(super) vertices: Vec<[f32; 3]>,
    pub(super) polygons: Vec<TilePolygon>,
    pub(super) details: Vec<Detail>,
    pub(super) detail_vertices: Vec<[f32; 3]>,
    /// Three corners and flags.
    pub(super) detail_triangles: Vec<[u8; 4]>,
    pub(super) connections: Vec<Connection>,
}

/// A polygon of the ground, or one that represents a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct TilePolygon {
    corners: [u16; MAX_CORNERS],
    neighbours: [u16; MAX_CORNERS],
    count: u8,
    pub(super) flags: u16,
    pub(super) area: u8,
    pub(super) is_ground: bool,
}

impl TilePolygon {
    pub(super) fn corners(&self) -> &[u16] {
        &self.corners[..usize::from(self.count)]
    }

    /// Returns for each corner the polygon across its edge plus 1, 0 for none, or [`AT_BORDER`].
    pub(super) fn neighbours(&self) -> &[u16] {
        &self.neighbours[..usize::from(self.count)]
    }
}

/// The ground in a polygon: ranges of the tile's tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detail {
    pub(super) first_vertex: u32,
    pub(super) first_triangle: u32,
    pub(super) vertices: u8,
    pub(super) triangles: u8,
}

/// A connection off the mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connection {
    pub(super) ends: [[f32; 3]; 2],
    pub(super) radius: f32,
    pub(super) both_ways: bool,
    /// `false` if its polygon has no flags, so that no filter accepts it.
    pub(super) is_open: bool,
    pub(super) user: u32,
}

/// Reads a set of tiles, or a tile alone.
pub(super) fn read(source: Source<'_>) -> Result<TileSet, IoError> {
    let bytes = source.bytes;
    let Some(&magic) = bytes.first_chunk::<4>() else {
        return Err(source.truncated(Place::File, SET_HEADER as u64, bytes.len() as u64));
    };
    if [SET_MAGIC, TILE_MAGIC].map(reversed).contains(&magic) {
        return Err(source.unsupported("a Detour file of a big-endian machine"));
    }
    match magic {
        SET_MAGIC => read_set(source),
        TILE_MAGIC => {
            let (tile, wide) = read_tile(source, 0, bytes)?;
            Ok(TileSet { tiles: vec![tile], wide, ..TileSet::default() })
        }
        CACHE_MAGIC => {
            Err(source.unsupported("a tile cache of Detour's (TSET), which holds layers and no polygons,"))
        }
        _ => Err(source.malformed(Place::File, "a file of Detour's (MSET or DNAV)", "other bytes")),
    }
}

fn read_set(source: Source<'_>) -> Result<TileSet, IoError> {
    let bytes = source.bytes;
    let truncated = |needed: usize| source.truncated(Place::File, needed as u64, bytes.len() as u64);
    let header = bytes.get(4..SET_HEADER).ok_or_else(|| truncated(SET_HEADER))?;
    let mut numbers = Reader::new(header);
    let [version, stated]: [i32; 2] = numbers.or_zero();
    if !(SET_VERSION..=SET_VERSION_WITH_SETTINGS).contains(&version) {
        return Err(source.malformed(
            Place::Byte(4),
            "version 1 or 2 of a set of tiles",
            version.to_string(),
        ));
    }
    let Ok(count) = usize::try_from(stated) else {
        return Err(source.malformed(Place::Byte(8), "a number of tiles", stated.to_string()));
    };
    let origin = numbers.or_zero();
    check_point(source, Place::Byte(12), "origin", origin)?;
    let mut at = SET_HEADER;
    let mut settings = None;
    if version == SET_VERSION_WITH_SETTINGS {
        let block = bytes.get(at..at + SETTINGS).ok_or_else(|| truncated(at + SETTINGS))?;
        let mut numbers = Reader::new(block);
        let [_, cell_height, _, _, _, max_slope_degrees]: [f32; 6] = numbers.or_zero();
        settings = Some(HabitatSettings { cell_height, max_slope_degrees });
        at += SETTINGS;
    }
    let mut set = TileSet { origin: Some(origin), settings, ..TileSet::default() };
    // Each tile follows a reference and a number of bytes. References of 64 bits are padded to 16
    // bytes, so the tile begins later.
    let begins = |at: usize| bytes.get(at..).is_some_and(|rest| rest.starts_with(&TILE_MAGIC));
    set.wide = !begins(at + 8) && begins(at + 16);
    let reference = if set.wide { 8 } else { 4 };
    for index in 0..count {
        let place = Place::Element { kind: "tile", index };
        let cut = |needed: usize| source.truncated(place, needed as u64, bytes.len() as u64);
        let head = bytes.get(at..at + 2 * reference).ok_or_else(|| cut(at + 2 * reference))?;
        let (name, mut size) = (&head[..reference], Reader::new(&head[reference..]));
        let size: i32 = size.or_zero();
        // Detour's readers stop here.
        if size == 0 || name.iter().all(|&byte| byte == 0) {
            break;
        }
        at += head.len();
        let Ok(size) = usize::try_from(size) else {
            return Err(source.malformed(place, "a number of bytes", size.to_string()));
        };
        let tile = at.checked_add(size).and_then(|end| bytes.get(at..end));
        let tile = tile.ok_or_else(|| cut(at.saturating_add(size)))?;
        set.tiles.push(read_tile(source, index, tile)?.0);
        at += size;
    }
    Ok(set)
}

/// Returns the length of a tile in bytes. `counts` are the numbers of elements of its tables, in
/// the order of its header; `link` is the size of a link.
pub(super) fn tile_length(counts: [usize; 8], link: usize) -> u64 {
    let sizes = [POLYGON, VERTEX, link, DETAIL, VERTEX, DETAIL_TRIANGLE, TREE_NODE, CONNECTION];
    // Each is less than 2^31 times 36.
    let tables = counts.iter().zip(sizes).map(|(&count, size)| count as u64 * size as u64);
    TILE_HEADER as u64 + tables.sum::<u64>()
}

/// Reads a tile. Also returns `true` if its links are those of references of 64 bits.
fn read_tile(source: Source<'_>, index: usize, bytes: &[u8]) -> Result<(Tile, bool), IoError> {
    let place = Place::Element { kind: "tile", index };
    let available = bytes.len() as u64;
    if bytes.len() < TILE_HEADER {
        return Err(source.truncated(place, TILE_HEADER as u64, available));
    }
    let (header, tables) = bytes.split_at(TILE_HEADER);
    let mut numbers = Reader::new(header);
    let magic: [u8; 4] = numbers.or_zero();
    if magic != TILE_MAGIC {
        return Err(source.malformed(place, "a tile (DNAV)", "other bytes"));
    }
    let version: i32 = numbers.or_zero();
    if version != TILE_VERSION {
        return Err(source.malformed(place, "version 7 of a tile", version.to_string()));
    }
    let mut tile = Tile { at: numbers.or_zero(), ..Tile::default() };
    let _layer_and_user: [u32; 2] = numbers.or_zero();
    let mut counts = [0; 8];
    for count in &mut counts {
        let stated: i32 = numbers.or_zero();
        *count = usize::try_from(stated)
            .map_err(|_| source.malformed(place, "a number of elements", stated.to_string()))?;
    }
    let length = |link: usize| tile_length(counts, link);
    let [polygons, vertices, links, details, detail_vertices, detail_triangles, nodes, connections] = counts;
    let _first_connection: i32 = numbers.or_zero();
    tile.agent = numbers.or_zero();
    tile.low = numbers.or_zero();
    check_point(source, place, "lower corner of the tile", tile.low)?;
    let _high: [f32; 3] = numbers.or_zero();
    tile.units_per_metre = numbers.or_zero();
    let wide = match available {
        _ if available == length(LINK) => false,
        _ if available == length(WIDE_LINK) => true,
        _ if available < length(LINK) => return Err(source.truncated(place, length(LINK), available)),
        _ => {
            let found = format!("{available}");
            return Err(source.malformed(place, "the bytes that its tables take", found));
        }
    };
    let mut rest = tables;
    let mut table = |count: usize, size: usize| {
        let (table, after) = rest.split_at(count * size);
        rest = after;
        Reader::new(table)
    };
    let mut numbers = table(vertices, VERTEX);
    tile.vertices = (0..vertices).map(|_| numbers.or_zero()).collect();
    let mut numbers = table(polygons, POLYGON);
    tile.polygons = (0..polygons).map(|_| read_polygon(&mut numbers)).collect();
    table(links, if wide { WIDE_LINK } else { LINK });
    let mut numbers = table(details, DETAIL);
    let detail = |numbers: &mut Reader<'_>| {
        let [first_vertex, first_triangle] = numbers.or_zero();
        let [vertices, triangles] = numbers.or_zero();
        let _padding: u16 = numbers.or_zero();
        Detail { first_vertex, first_triangle, vertices, triangles }
    };
    tile.details = (0..details).map(|_| detail(&mut numbers)).collect();
    let mut numbers = table(detail_vertices, VERTEX);
    tile.detail_vertices = (0..detail_vertices).map(|_| numbers.or_zero()).collect();
    let mut numbers = table(detail_triangles, DETAIL_TRIANGLE);
    tile.detail_triangles = (0..detail_triangles).map(|_| numbers.or_zero()).collect();
    table(nodes, TREE_NODE);
    let numbers = table(connections, CONNECTION);
    check(source, place, &tile)?;
    tile.connections = read_connections(source, place, &tile, connections, numbers)?;
    Ok((tile, wide))
}

fn read_polygon(numbers: &mut Reader<'_>) -> TilePolygon {
    let _first_link: u32 = numbers.or_zero();
    let [corners, neighbours]: [[u16; MAX_CORNERS]; 2] = numbers.or_zero();
    let (flags, [count, area_and_kind]): (u16, [u8; 2]) = (numbers.or_zero(), numbers.or_zero());
    let (area, is_ground) = (area_and_kind & 0x3f, area_and_kind >> 6 == 0);
    TilePolygon { corners, neighbours, count, flags, area, is_ground }
}

/// Writes corners, neighbours in the format of Detour, flags, area and kind. The caller has checked
/// that the numbers fit.
pub(super) fn put_polygon(
    out: &mut Writer,
    corners: impl IntoIterator<Item = u32>,
    beyond: impl IntoIterator<Item = u16>,
    flags: u16,
    area_and_kind: u8,
) {
    let (mut tables, mut count) = ([[0_u16; MAX_CORNERS]; 2], 0_u8);
    for (place, corner) in tables[0].iter_mut().zip(corners) {
        *place = u16::try_from(corner).unwrap_or(u16::MAX);
        count += 1;
    }
    for (place, beyond) in tables[1].iter_mut().zip(beyond) {
        *place = beyond;
    }
    // No link: Detour computes links when it adds the tile.
    out.put(u32::MAX);
    out.put(tables);
    out.put(flags);
    out.put([count, area_and_kind]);
}

fn read_connections(
    source: Source<'_>,
    place: Place,
    tile: &Tile,
    count: usize,
    mut numbers: Reader<'_>,
) -> Result<Vec<Connection>, IoError> {
    let mut connections = Vec::with_capacity(count);
    for _ in 0..count {
        let ends = numbers.or_zero();
        let radius: f32 = numbers.or_zero();
        let (polygon, [flags, _side], user): (u16, [u8; 2], u32) =
            (numbers.or_zero(), numbers.or_zero(), numbers.or_zero());
        for end in ends {
            check_point(source, place, "end of a connection", end)?;
        }
        if !(radius.is_finite() && radius >= 0.0) {
            return Err(source.malformed(place, "a radius of 0 m or more", radius.to_string()));
        }
        let stands_for_it = source.get(&tile.polygons, usize::from(polygon), "polygon", place)?;
        let is_open = stands_for_it.flags != 0;
        connections.push(Connection { ends, radius, both_ways: flags & BOTH_WAYS != 0, is_open, user });
    }
    Ok(connections)
}

/// Checks that all indices are in range, and that no part of a table is used twice, so that the
/// result stays in proportion to the tile.
fn check(source: Source<'_>, place: Place, tile: &Tile) -> Result<(), IoError> {
    let outside =
        |what: &'static str, index: usize, count: usize| source.out_of_range(place, what, index, count);
    for &point in &tile.vertices {
        check_point(source, place, "vertex", point)?;
    }
    for &point in &tile.detail_vertices {
        check_point(source, place, "vertex of the ground", point)?;
    }
    let (mut used_vertices, mut used_triangles) = (0, 0);
    for (index, polygon) in tile.polygons.iter().enumerate() {
        let corners = if polygon.is_ground { 3..=MAX_CORNERS } else { 2..=2 };
        if !corners.contains(&usize::from(polygon.count)) {
            let found = format!("{} in polygon {index}", polygon.count);
            return Err(source.malformed(place, "3 to 6 corners, or 2 of a connection", found));
        }
        for &corner in polygon.corners() {
            source.get(&tile.vertices, usize::from(corner), "vertex", place)?;
        }
        for &neighbour in polygon.neighbours() {
            if neighbour & AT_BORDER == 0 && usize::from(neighbour) > tile.polygons.len() {
                return Err(outside("polygon", usize::from(neighbour) - 1, tile.polygons.len()));
            }
        }
        let Some(detail) = tile.details.get(index).filter(|_| polygon.is_ground) else { continue };
        let [first, last] = [detail.first_vertex as usize, usize::from(detail.vertices)];
        if first + last > tile.detail_vertices.len() && last > 0 {
            return Err(outside("vertex of the ground", first + last - 1, tile.detail_vertices.len()));
        }
        let [first, last] = [detail.first_triangle as usize, usize::from(detail.triangles)];
        let Some(triangles) = tile.detail_triangles.get(first..first + last) else {
            return Err(outside("triangle of the ground", first + last - 1, tile.detail_triangles.len()));
        };
        let points = usize::from(polygon.count) + usize::from(detail.vertices);
        if let Some(&point) =
            triangles.iter().flat_map(|triangle| &triangle[..3]).find(|&&point| usize::from(point) >= points)
        {
            return Err(outside("point of the ground", point.into(), points));
        }
        used_vertices += usize::from(detail.vertices);
        used_triangles += last;
    }
    for (element, count, limit) in [
        ("vertices of the ground in polygons", used_vertices, tile.detail_vertices.len()),
        ("triangles of the ground in polygons", used_triangles, tile.detail_triangles.len()),
    ] {
        if count > limit {
            return Err(source.too_many(element, count as u64, limit as u64));
        }
    }
    Ok(())
}

fn check_point(source: Source<'_>, place: Place, what: &str, point: [f32; 3]) -> Result<(), IoError> {
    if point.iter().all(|number| number.abs() <= FARTHEST) {
        return Ok(());
    }
    let [x, y, z] = point;
    Err(source.malformed(place, "coordinates within 10,000 km", format!("{what} at {x} {y} {z}")))
}
