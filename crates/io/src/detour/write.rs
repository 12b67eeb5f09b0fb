//! Writer of a mesh as Detour tiles.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use thiserror::Error;
use waymesh_core::bytes::Writer as Bytes;
use waymesh_core::{
    Bounds, GridFrame, PlanPoint, PolyId, checkpoint, checkpoint_every, float, nearest_f32, saturating_i32,
    to_u32,
};
use waymesh_graph::{Link, NavMesh};

use super::cut::{CutVertices, Cutter, TileAt, Tiling};
use super::pieces::{Corner, ON_LINE, clip, part};
use super::tile::{
    AT_BORDER, BOTH_WAYS, LINK, SET_MAGIC, SET_VERSION, TILE_MAGIC, TILE_VERSION, put_polygon, tile_length,
};
use super::tree::{self, TreeBox};

/// Largest number of vertices: indices have 16 bits, and `dtCreateNavMeshData` keeps the last one
/// free.
const MAX_VERTICES: usize = 0xfffe;
/// Largest number of polygons of the ground: a neighbour is stored as its number plus 1, in 15
/// bits.
const MAX_POLYGONS: usize = 0x7fff;
/// Largest number of points and triangles of the ground in a polygon: their numbers have 8 bits.
const MAX_DETAIL: usize = 255;
/// Largest number of areas, which have 6 bits.
const MAX_AREAS: usize = 64;
/// Twice the smallest area of a triangle of the ground, in square cells.
const LEAST_AREA: f64 = 1e-6;
/// Largest number of times that a polygon with too many triangles is split into a fan.
const MAX_DEPTH: u32 = 8;
/// Largest difference, in metres, at which the heights of a corner and of its ground count as
/// equal.
const SAME_HEIGHT: f32 = 1e-3;
/// Flag of a triangle of the ground: its first edge lies on the border (`DT_DETAIL_EDGE_BOUNDARY`).
/// Each edge has two bits.
const ON_BORDER: u8 = 1;
const ALL_ON_BORDER: u8 = ON_BORDER | ON_BORDER << 2 | ON_BORDER << 4;
/// Bits of a reference for the tile and the polygon: the other ten count the replacements of a tile
/// (`DT_SALT_BITS` of `dtNavMesh::init`).
const REFERENCE_BITS: u32 = 22;
/// Largest number of times that tiles are halved until they fit.
const MAX_HALVINGS: u32 = 10;
/// Name of a limit: Detour searches for the end of a connection only in the adjacent tile.
const LINK_TOO_LONG: &str = "borders of tiles under a link";
/// Largest number of parts of a cell along a side for the vertices of cuts.
const MOST_PARTS: i32 = 256;
/// Farthest cell that the reader can match to the grid.
const FARTHEST: i64 = 1 << 22;
/// Smallest side of a cell, as a fraction of the largest coordinate: the error of single precision.
const ROUNDINGS: f32 = 40.0 * f32::EPSILON;
/// The default flag of a polygon.
const WALK: u16 = 1;
/// Flag in the kind of a polygon: it represents a connection.
const IS_CONNECTION: u8 = 1 << 6;

/// Options of [`to_detour`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DetourOptions {
    /// Detour's flags of each polygon, by its id. Polygons beyond the list have the flag 1, walk.
    /// Default: empty.
    pub flags: Vec<u16>,
    /// Side of a tile in metres, rounded to whole cells. Default: none, which writes one tile, or,
    /// if the mesh exceeds the limits of one, tiles of the largest tried side that fits.
    pub tile_side: Option<f32>,
}

waymesh_core::setters! {
    impl DetourOptions {
        with_flags(flags: Vec<u16>);
        with_tile_side(tile_side: Some(f32));
    }
}

/// A limit of the Detour format that a mesh exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{count} {element}, but a tile of Detour's holds {limit} at most")]
#[non_exhaustive]
pub struct DetourLimit {
    /// Name of the elements.
    pub element: &'static str,
    /// Number of elements.
    pub count: u64,
    /// Largest number of elements.
    pub limit: u64,
}

impl DetourLimit {
    fn check(element: &'static str, count: usize, limit: usize) -> Result<(), Self> {
        if count <= limit { Ok(()) } else { Err(Self { element, count: count as u64, limit: limit as u64 }) }
    }
}

/// The polygon beyond an edge of a piece, of which some piece is the neighbour.
type Beyond = Option<u32>;

/// A polygon of the file.
#[derive(Debug, Default)]
struct Piece {
    /// The polygon of the mesh that it is part of.
    polygon: u32,
    tile: TileAt,
    corners: Vec<u32>,
    /// Per edge the polygon beyond it; once all are known, the piece.
    beyond: Vec<Beyond>,
    detail: Detail,
}

/// The ground in a piece.
#[derive(Debug, Default)]
struct Detail {
    /// Points other than the corners, in metres.
    points: Vec<Vec3>,
    /// Three indices, of corners first and then points, and flags.
    triangles: Vec<[u8; 4]>,
}

/// The contents of a tile.
#[derive(Debug, Default)]
struct Tile {
    at: TileAt,
    pieces: Vec<u32>,
    /// Vertices in the order of the tile.
    vertices: Vec<u32>,
    /// Links that begin in it.
    links: Vec<TileLink>,
    /// Links that end in it and begin in another.
    arriving: usize,
}

/// A link as a connection of the tile that it begins in.
#[derive(Debug)]
struct TileLink {
    number: usize,
    ends: [Vec3; 2],
    /// Side of the tile beyond which it ends.
    side: u8,
    /// Distance from its start to its end, in tiles.
    apart: u32,
}

impl Detail {
    /// Adds a border to the ground of a piece. Detour searches for the nearest point of the border
    /// without checking that it exists, and very thin pieces may have no ground with area.
    fn close(&mut self, corners: usize) {
        if self.triangles.is_empty() {
            self.points.clear();
            let corner = |index: usize| u8::try_from(index).unwrap_or(u8::MAX);
            self.triangles.extend((2..corners).map(|last| [0, corner(last - 1), corner(last), 0]));
        }
        if self.triangles.iter().all(|triangle| triangle[3] == 0) {
            self.triangles.iter_mut().for_each(|triangle| triangle[3] = ALL_ON_BORDER);
        }
    }
}

/// Returns the mesh as the bytes of a file of Detour's: a set (`MSET`, version 1) of tiles with
/// trees of boxes and references of 32 bits, as RecastDemo and habitat-sim read it. It is one tile
/// if the mesh fits into one and [`DetourOptions::tile_side`] is not set.
///
/// - With several tiles, polygons are cut along their borders, and Detour joins the parts when it
///   adds the tiles. Cuts are rounded to the grid, divided by up to 256: walls and heights move by
///   no more than that.
/// - Polygons of more than six corners, or more than 255 triangles of ground, are split.
/// - [`waymesh_core::AreaId::GROUND`] becomes area 0, each other area the next lower number.
/// - The ground becomes detail meshes.
/// - Each link becomes one connection, between the middles of its segments, with the radius of the
///   agent. A closed link has no flags. Extra costs, kinds and names are omitted.
///
/// # Errors
/// Beyond 64 areas; beyond 32,767 polygons or 65,534 vertices in a tile of the requested side; if
/// the numbers of tiles and of their polygons together need more than 22 bits; for a link over more
/// than one border of tiles.
pub fn to_detour(mesh: &NavMesh, options: &DetourOptions) -> Result<Vec<u8>, DetourLimit> {
    let compact = mesh.to_compact();
    let flags = options.flags.iter().zip((0..).map(PolyId));
    let mut own = vec![WALK; compact.mesh().polygon_count()];
    for (&flags, polygon) in flags.filter_map(|(flags, polygon)| Some((flags, compact.id_of(polygon)?))) {
        own[polygon.index()] = flags;
    }
    let (mesh, options) = (compact.mesh(), &options.clone().with_flags(own));
    for polygon in mesh.polygons() {
        DetourLimit::check("areas", usize::from(polygon.area_id().0), MAX_AREAS)?;
    }
    let frame = mesh.frame();
    if let Some(side) = options.tile_side {
        return written(mesh, saturating_i32((side / frame.cell_size).round()).max(1), options);
    }
    let too_much = match written(mesh, 0, options) {
        Ok(bytes) => return Ok(bytes),
        Err(limit) => limit,
    };
    let mut side = saturating_i32(frame.width.max(frame.depth));
    for _ in 0..MAX_HALVINGS {
        side = (side / 2).max(1);
        match written(mesh, side, options) {
            Ok(bytes) => return Ok(bytes),
            // Smaller tiles would not help.
            Err(limit) if ["tiles", LINK_TOO_LONG].contains(&limit.element) => return Err(limit),
            Err(_) => {}
        }
    }
    Err(too_much)
}

/// Returns the file with tiles of this side in cells, 0 for one tile.
fn written(mesh: &NavMesh, side: i32, options: &DetourOptions) -> Result<Vec<u8>, DetourLimit> {
    let mut writer = Writer::new(mesh, side);
    for number in 0..to_u32(mesh.polygon_count()) {
        checkpoint_every(1 << 10, number as usize);
        writer.push(number)?;
    }
    let tiles = writer.tiles();
    writer.check(&tiles)?;
    writer.find_neighbours();
    Ok(writer.bytes(&tiles, options))
}

struct Writer<'a> {
    mesh: &'a NavMesh,
    /// Parts of a cell of the mesh along a side.
    scale: i32,
    /// The grid of these parts, used by all points below.
    frame: GridFrame,
    /// Largest distance between points and lines that coincide, in these cells.
    on_line: f64,
    /// The division into tiles; none for one tile.
    tiling: Option<Tiling>,
    cuts: CutVertices,
    vertices: Vec<(PlanPoint, Vec3)>,
    pieces: Vec<Piece>,
}

impl<'a> Writer<'a> {
    /// Creates a writer of tiles of this side in cells of the mesh, 0 for one tile.
    fn new(mesh: &'a NavMesh, side: i32) -> Self {
        let scale = if side == 0 { 1 } else { parts_of_cells(mesh, side) };
        let points = mesh.plan_vertices().iter().map(|vertex| scaled(vertex.point, scale));
        let vertices: Vec<_> = points.zip(mesh.vertices().iter().copied()).collect();
        let mut frame = *mesh.frame();
        let parts = scale as f32;
        frame.cell_size /= parts;
        let tiling = (side > 0).then(|| {
            let low = |along: fn(PlanPoint) -> i32| {
                vertices.iter().map(|(point, _)| along(*point)).min().unwrap_or(0).min(0)
            };
            Tiling { low: [low(|point| point.x), low(|point| point.z)], side: side * scale }
        });
        // The vertices of cuts are rounded.
        let on_line = if side == 0 { ON_LINE } else { 1.0 };
        let (cuts, pieces) = (CutVertices::default(), Vec::new());
        Self { mesh, scale, frame, on_line, tiling, cuts, vertices, pieces }
    }

    /// Adds a polygon.
    fn push(&mut self, number: u32) -> Result<(), DetourLimit> {
        let Some(polygon) = self.mesh.polygon(PolyId(number)) else { return Ok(()) };
        let corners = polygon.corners().iter().zip(polygon.neighbours()).map(|(corner, neighbour)| {
            (corner.0, self.vertices[corner.index()].0, neighbour.map(|neighbour| neighbour.0))
        });
        let (corners, inner) = (corners.collect(), Some(number));
        let ground = self.ground(number);
        let parts = match self.tiling {
            None => vec![([0, 0], corners)],
            Some(tiling) => {
                let Self { mesh, frame, vertices, cuts, .. } = self;
                let mut make = |point: PlanPoint| {
                    vertices.push((point, on_ground(mesh, frame, number, point)));
                    to_u32(vertices.len() - 1)
                };
                Cutter { tiling: &tiling, inner, vertices: cuts, make: &mut make }.cut(corners)
            }
        };
        for (tile, corners) in parts {
            for piece in part(corners, inner) {
                self.push_piece((number, tile), piece, &ground, 0)?;
            }
        }
        Ok(())
    }

    /// Returns the triangles of the ground in a polygon, in parts of cells and levels.
    fn ground(&self, number: u32) -> Vec<[[f64; 3]; 3]> {
        let (index, scale) = (number as usize, f64::from(self.scale));
        if let Some(surface) = self.mesh.surface() {
            let range =
                surface.polygon_triangles[index] as usize..surface.polygon_triangles[index + 1] as usize;
            let point = |point: u32| {
                let point = surface.points[point as usize];
                let [x, height, z] = [point.x, point.height, point.z].map(f64::from);
                [x * scale, height, z * scale]
            };
            return surface.triangles[range].iter().map(|triangle| triangle.map(point)).collect();
        }
        // The ground that queries use: triangles around the mean of the corners.
        let corners = self.mesh.polygon(PolyId(number)).map_or(&[][..], |polygon| polygon.corners());
        let corners: Vec<[f64; 3]> = corners
            .iter()
            .map(|corner| {
                let vertex = self.mesh.plan_vertices()[corner.index()];
                let [x, z] = [vertex.point.x, vertex.point.z].map(f64::from);
                [x * scale, f64::from(vertex.height), z * scale]
            })
            .collect();
        if let [a, b, c] = corners[..] {
            return vec![[a, b, c]];
        }
        let share = 1.0 / corners.len().max(1) as f64;
        let mean = [0, 1, 2].map(|axis| corners.iter().map(|corner| corner[axis] * share).sum::<f64>());
        (0..corners.len()).map(|index| [mean, corners[index], corners[(index + 1) % corners.len()]]).collect()
    }

    /// Adds a piece. A piece with too many triangles is split around a point inside, recursively.
    fn push_piece(
        &mut self,
        (number, tile): (u32, TileAt),
        corners: Vec<Corner<Beyond>>,
        ground: &[[[f64; 3]; 3]],
        depth: u32,
    ) -> Result<(), DetourLimit> {
        let detail = self.detail(&corners, ground);
        let count = detail.triangles.len().max(corners.len() + detail.points.len());
        if count <= MAX_DETAIL {
            self.pieces.push(Piece {
                polygon: number,
                tile,
                corners: corners.iter().map(|corner| corner.0).collect(),
                beyond: corners.iter().map(|corner| corner.2).collect(),
                detail,
            });
            return Ok(());
        }
        let centre = (depth < MAX_DEPTH).then(|| inner_point(&corners)).flatten();
        let Some(centre) = centre else {
            return DetourLimit::check("triangles of ground in a polygon", count, MAX_DETAIL);
        };
        let vertex = to_u32(self.vertices.len());
        self.vertices.push((centre, on_ground(self.mesh, &self.frame, number, centre)));
        let inner = Some(number);
        for (index, &from) in corners.iter().enumerate() {
            let (to, at, _) = corners[(index + 1) % corners.len()];
            let triangle = vec![from, (to, at, inner), (vertex, centre, inner)];
            self.push_piece((number, tile), triangle, ground, depth + 1)?;
        }
        Ok(())
    }

    /// Returns the ground in a piece. It may exceed the limits of Detour; the indices of points are
    /// then invalid.
    fn detail(&self, corners: &[Corner<Beyond>], ground: &[[[f64; 3]; 3]]) -> Detail {
        let plan: Vec<PlanPoint> = corners.iter().map(|corner| corner.1).collect();
        let frame = &self.frame;
        let mut detail = Detail::default();
        let mut numbers: BTreeMap<[u32; 3], usize> = BTreeMap::new();
        for &triangle in ground {
            let clipped = clip(triangle, &plan, self.on_line);
            let mut used: Vec<([f64; 3], usize)> = Vec::with_capacity(clipped.len());
            for point in clipped {
                let [x, height, z] = point;
                let position = frame.to_world(x, height, z);
                let is_corner = |corner: &Corner<Beyond>| {
                    let apart = (f64::from(corner.1.x) - x).abs().max((f64::from(corner.1.z) - z).abs());
                    let rise = self.vertices[corner.0 as usize].1.y - position.y;
                    apart < self.on_line && rise.abs() <= SAME_HEIGHT
                };
                let number = corners.iter().position(is_corner).unwrap_or_else(|| {
                    let count = corners.len() + detail.points.len();
                    *numbers.entry(position.to_array().map(f32::to_bits)).or_insert_with(|| {
                        detail.points.push(position);
                        count
                    })
                });
                used.push((point, number));
            }
            for last in 2..used.len() {
                let [a, b, c] = [used[0], used[last - 1], used[last]];
                let area = (b.0[0] - a.0[0]) * (c.0[2] - a.0[2]) - (b.0[2] - a.0[2]) * (c.0[0] - a.0[0]);
                if area > LEAST_AREA && a.1 != b.1 && b.1 != c.1 && c.1 != a.1 {
                    // Detour uses the opposite winding.
                    let triangle = [a, c, b];
                    let mut flags = 0;
                    for edge in 0..3 {
                        let [from, to] = [triangle[edge].0, triangle[(edge + 1) % 3].0];
                        if is_on_border(&plan, self.on_line, from, to) {
                            flags |= ON_BORDER << (2 * edge);
                        }
                    }
                    // The corners are in the opposite order.
                    let number = |number: usize| corners.len().checked_sub(number + 1).unwrap_or(number);
                    let [a, b, c] = triangle.map(|(_, at)| u8::try_from(number(at)).unwrap_or(u8::MAX));
                    detail.triangles.push([a, b, c, flags]);
                }
            }
        }
        detail.close(corners.len());
        detail
    }

    /// Finds the pieces beyond all edges: the pieces of the polygon beyond that have the reversed
    /// edge.
    fn find_neighbours(&mut self) {
        let mut edges = BTreeMap::new();
        for (number, piece) in (0_u32..).zip(&self.pieces) {
            for (index, &from) in piece.corners.iter().enumerate() {
                let to = piece.corners[(index + 1) % piece.corners.len()];
                edges.insert((from, to, piece.polygon), number);
            }
        }
        for Piece { corners, beyond, .. } in &mut self.pieces {
            for (index, beyond) in beyond.iter_mut().enumerate() {
                let edge = (corners[(index + 1) % corners.len()], corners[index]);
                *beyond = beyond.and_then(|polygon| edges.get(&(edge.0, edge.1, polygon)).copied());
            }
        }
    }

    /// Sorts pieces and links into tiles, in order.
    fn tiles(&self) -> Vec<Tile> {
        let mut tiles: BTreeMap<TileAt, Tile> = BTreeMap::new();
        if self.tiling.is_none() {
            // An empty mesh is also a tile. All vertices are written, used or not.
            let all = (0..to_u32(self.vertices.len())).collect();
            tiles.insert([0, 0], Tile { vertices: all, ..Tile::default() });
        }
        for (number, piece) in (0_u32..).zip(&self.pieces) {
            tiles.entry(piece.tile).or_default().pieces.push(number);
        }
        for (number, link) in self.mesh.links().iter().enumerate() {
            let ends = ends(self.mesh, link);
            let [from, to] = ends.map(|end| self.tile_at(end));
            // Like `classifyOffMeshPoint`: Detour searches for the end in the tile on that side.
            let side = match [(to[0] - from[0]).signum(), (to[1] - from[1]).signum()] {
                [0, 0] => u8::MAX,
                [1, 0] => 0,
                [1, 1] => 1,
                [0, 1] => 2,
                [-1, 1] => 3,
                [-1, 0] => 4,
                [-1, -1] => 5,
                [0, -1] => 6,
                _ => 7,
            };
            let apart = to[0].abs_diff(from[0]).max(to[1].abs_diff(from[1]));
            if side != u8::MAX {
                tiles.entry(to).or_default().arriving += 1;
            }
            tiles.entry(from).or_default().links.push(TileLink { number, ends, side, apart });
        }
        let mut tiles: Vec<Tile> = tiles.into_iter().map(|(at, tile)| Tile { at, ..tile }).collect();
        if self.tiling.is_some() {
            for tile in &mut tiles {
                let corners = tile.pieces.iter().flat_map(|&piece| &self.pieces[piece as usize].corners);
                tile.vertices = corners.copied().collect::<BTreeSet<u32>>().into_iter().collect();
            }
        }
        tiles
    }

    /// Returns the tile of a position.
    fn tile_at(&self, position: Vec3) -> TileAt {
        let [x, _, z] = self.frame.to_grid(position);
        let point = PlanPoint::new(saturating_i32(x.floor()), saturating_i32(z.floor()));
        self.tiling.map_or([0, 0], |tiling| tiling.tile(point))
    }

    /// Checks the limits of Detour's numbers.
    fn check(&self, tiles: &[Tile]) -> Result<(), DetourLimit> {
        for tile in tiles {
            DetourLimit::check("polygons", tile.pieces.len(), MAX_POLYGONS)?;
            let vertices = tile.vertices.len() + 2 * tile.links.len();
            DetourLimit::check("vertices and ends of links", vertices, MAX_VERTICES)?;
        }
        // A tile by itself needs no bits for its number.
        let [tile_bits, polygon_bits] = bits(tiles);
        let most_tiles = 1 << REFERENCE_BITS.saturating_sub(polygon_bits);
        if tile_bits > 0 {
            DetourLimit::check("tiles", tiles.len(), most_tiles)?;
        }
        let apart = tiles.iter().flat_map(|tile| &tile.links).map(|link| link.apart as usize).max();
        DetourLimit::check(LINK_TOO_LONG, apart.unwrap_or(0), 1)
    }

    fn bytes(&self, tiles: &[Tile], options: &DetourOptions) -> Vec<u8> {
        let [low, high] = self.bounds();
        let mut out = Bytes::default();
        out.put(SET_MAGIC);
        out.put(SET_VERSION);
        out.put(to_u32(tiles.len()));
        out.put(low.to_array());
        out.put(match self.tiling {
            Some(tiling) => [f64::from(tiling.side) * f64::from(self.frame.cell_size); 2].map(nearest_f32),
            None => [high.x - low.x, high.z - low.z],
        });
        let [tile_bits, polygon_bits] = bits(tiles);
        out.put([1_u32 << tile_bits, 1 << polygon_bits]);
        let mut of_vertex = vec![0; self.vertices.len()];
        let mut of_piece = vec![0; self.pieces.len()];
        for tile in tiles {
            (0_u32..).zip(&tile.pieces).for_each(|(own, &piece)| of_piece[piece as usize] = own);
        }
        for (number, tile) in (0_u32..).zip(tiles) {
            checkpoint();
            (0_u32..).zip(&tile.vertices).for_each(|(own, &vertex)| of_vertex[vertex as usize] = own);
            let bytes =
                self.tile(tile, self.tile_bounds(tile, [low, high]), (&of_vertex, &of_piece), options);
            // Salt 1, the tile, polygon 0.
            let reference: u32 = 1 << (tile_bits + polygon_bits) | number << polygon_bits;
            out.put([reference, to_u32(bytes.len())]);
            out.0.extend(bytes);
        }
        out.0
    }

    /// Returns the bytes of one tile. `of_vertex` and `of_piece` give numbers in their tiles.
    fn tile(
        &self,
        tile: &Tile,
        [low, high]: [Vec3; 2],
        (of_vertex, of_piece): (&[u32], &[u32]),
        options: &DetourOptions,
    ) -> Vec<u8> {
        let (mesh, links) = (self.mesh, &tile.links);
        let pieces = || tile.pieces.iter().map(|&piece| &self.pieces[piece as usize]);
        let mut units = mesh.frame().cell_size.recip();
        while (high - low).max_element() * units > f32::from(u16::MAX - 1) {
            units /= 2.0;
        }
        let boxes: Vec<TreeBox> = pieces().map(|piece| self.tree_box(piece, low, units)).collect();
        let nodes = tree::build(&boxes);
        let corners: usize = pieces().map(|piece| piece.corners.len()).sum();
        let [detail_points, detail_triangles] =
            [|detail: &Detail| detail.points.len(), |detail: &Detail| detail.triangles.len()]
                .map(|count| pieces().map(|piece| count(&piece.detail)).sum::<usize>());
        let polygons = tile.pieces.len() + links.len();
        let vertices = tile.vertices.len() + 2 * links.len();
        let is_elsewhere = |beyond: &&u32| self.pieces[**beyond as usize].tile != tile.at;
        let portals = pieces().flat_map(|piece| piece.beyond.iter().flatten()).filter(is_elsewhere).count();
        // Equal to the count of `dtCreateNavMeshData`; Detour writes to the last link, so at least
        // one is required.
        let room_for_links = (corners + 2 * portals + 4 * links.len() + 4 * tile.arriving).max(1);
        let counts = [
            polygons,
            vertices,
            room_for_links,
            tile.pieces.len(),
            detail_points,
            detail_triangles,
            nodes.len(),
            links.len(),
        ];
        let mut out = Bytes::default();
        out.put(TILE_MAGIC);
        out.put([TILE_VERSION, tile.at[0], tile.at[1], 0, 0]);
        out.put(counts.map(to_u32));
        // The first polygon of a connection.
        out.put(to_u32(tile.pieces.len()));
        let agent = mesh.agent();
        out.put([agent.height, agent.radius, agent.max_step]);
        out.put(low.to_array());
        out.put(high.to_array());
        out.put(units);
        for &vertex in &tile.vertices {
            out.put(self.vertices[vertex as usize].1.to_array());
        }
        links.iter().flat_map(|link| link.ends).for_each(|end| out.put(end.to_array()));
        for piece in pieces() {
            let area = mesh.polygon(PolyId(piece.polygon)).map_or(0, |polygon| polygon.area_id().0);
            let flags = options.flags.get(piece.polygon as usize).copied().unwrap_or(WALK);
            let beyond = |beyond: Option<u32>| {
                let Some(beyond) = beyond else { return 0 };
                let there = self.pieces[beyond as usize].tile;
                if there == tile.at {
                    return u16::try_from(of_piece[beyond as usize] + 1).unwrap_or(u16::MAX);
                }
                // Detour finds the neighbour by its edge when it adds the tile.
                AT_BORDER | u16::from(side_of(tile.at, there))
            };
            // Reversed: the edge before a corner becomes the one after it.
            let count = piece.corners.len();
            let corners = (0..count).map(|index| of_vertex[piece.corners[count - 1 - index] as usize]);
            let beyond = (0..count).map(|index| beyond(piece.beyond[(2 * count - 2 - index) % count]));
            put_polygon(&mut out, corners, beyond, flags, area.saturating_sub(1));
        }
        let all_links = mesh.links();
        for (link, first) in links.iter().zip((to_u32(tile.vertices.len())..).step_by(2)) {
            let is_open = all_links[link.number].is_open;
            put_polygon(&mut out, [first, first + 1], [], u16::from(is_open), IS_CONNECTION);
        }
        out.0.resize(out.0.len() + room_for_links * LINK, 0);
        let (mut points, mut triangles) = (0_u32, 0_u32);
        for Piece { detail, .. } in pieces() {
            out.put([points, triangles]);
            let counts = [detail.points.len(), detail.triangles.len()];
            out.0.extend(counts.map(|count| u8::try_from(count).unwrap_or(u8::MAX)));
            out.0.extend([0, 0]);
            points += to_u32(detail.points.len());
            triangles += to_u32(detail.triangles.len());
        }
        for point in pieces().flat_map(|piece| &piece.detail.points) {
            out.put(point.to_array());
        }
        out.0.extend(pieces().flat_map(|piece| &piece.detail.triangles).flatten());
        for node in &nodes {
            out.put([node.bounds.low, node.bounds.high]);
            out.put(node.index);
        }
        let radius = agent.radius.max(mesh.frame().cell_size);
        for (tile_link, polygon) in links.iter().zip(tile.pieces.len()..) {
            let link = &all_links[tile_link.number];
            tile_link.ends.iter().for_each(|end| out.put(end.to_array()));
            out.put(radius);
            out.put(u16::try_from(polygon).unwrap_or(u16::MAX));
            out.0.extend([if link.both_ways { BOTH_WAYS } else { 0 }, tile_link.side]);
            out.put(link.data);
        }
        debug_assert_eq!(out.0.len() as u64, tile_length(counts, LINK));
        out.0
    }

    /// Returns a box around everything, whose lower corner is on the grid.
    fn bounds(&self) -> [Vec3; 2] {
        let (frame, cell) = (&self.frame, self.mesh.frame().cell_size);
        let [least, most] = self.heights(&self.pieces);
        let points = || {
            self.pieces
                .iter()
                .flat_map(|piece| &piece.corners)
                .map(|&corner| self.vertices[corner as usize].0)
        };
        let bound = |along: fn(PlanPoint) -> i32| {
            let low = points().map(along).min().unwrap_or(0);
            let high = points().map(along).max().unwrap_or(0);
            // One cell more, because points on the upper border belong to the next tile.
            [low.min(0), high.saturating_add(self.scale)].map(f64::from)
        };
        let ([low_x, high_x], [low_z, high_z]) = (bound(|point| point.x), bound(|point| point.z));
        let corner = |x: f64, y: f32, z: f64| Vec3 { y, ..frame.to_world(x, 0.0, z) };
        [corner(low_x, least - cell, low_z), corner(high_x, most + cell, high_z)]
    }

    /// Returns the box around a piece and its ground.
    fn box_of(&self, piece: &Piece) -> Bounds {
        let corners = piece.corners.iter().map(|&corner| self.vertices[corner as usize].1);
        Bounds::of(corners.chain(piece.detail.points.iter().copied()))
    }

    /// Returns the lowest and highest height in some pieces.
    fn heights<'b>(&self, pieces: impl IntoIterator<Item = &'b Piece>) -> [f32; 2] {
        let boxes = pieces.into_iter().map(|piece| self.box_of(piece));
        let Bounds { min, max } = Bounds::of(boxes.flat_map(|bounds| [bounds.min, bounds.max]));
        if min.y <= max.y { [min.y, max.y] } else { [0.0, 0.0] }
    }

    /// Returns the box of a tile of a set with the box `all`.
    fn tile_bounds(&self, tile: &Tile, all: [Vec3; 2]) -> [Vec3; 2] {
        let Some(tiling) = self.tiling else { return all };
        let cell = self.mesh.frame().cell_size;
        let pieces = tile.pieces.iter().map(|&piece| &self.pieces[piece as usize]);
        let [mut least, mut most] = self.heights(pieces);
        for end in tile.links.iter().map(|link| link.ends[0].y) {
            (least, most) = (least.min(end), most.max(end));
        }
        let corner = |more: i32, y: f32| {
            let [x, z] = [0, 1].map(|axis| f64::from(tiling.line(axis, tile.at[axis] + more)));
            Vec3 { y, ..self.frame.to_world(x, 0.0, z) }
        };
        [corner(0, least - cell), corner(1, most + cell)]
    }

    fn tree_box(&self, piece: &Piece, low: Vec3, units: f32) -> TreeBox {
        let Bounds { min, max } = self.box_of(piece);
        let number = |metres: f32| {
            u16::try_from(saturating_i32(metres * units).clamp(0, u16::MAX.into())).unwrap_or(0)
        };
        TreeBox { low: (min - low).to_array().map(number), high: (max - low).to_array().map(number) }
    }
}

/// Returns the number of bits of a reference for the tile, and for the polygon in it.
fn bits(tiles: &[Tile]) -> [u32; 2] {
    let most = tiles.iter().map(|tile| tile.pieces.len() + tile.links.len()).max();
    [tiles.len(), most.unwrap_or(0)].map(|count| count.max(1).next_power_of_two().trailing_zeros())
}

/// Returns the side of a tile on which another tile lies, in Detour's numbering. Pieces that share
/// an edge lie in tiles that share a side.
fn side_of(tile: TileAt, other: TileAt) -> u8 {
    match [other[0] - tile[0], other[1] - tile[1]] {
        [1, _] => 0,
        [_, 1] => 2,
        [-1, _] => 4,
        _ => 6,
    }
}

/// Returns the middles of both segments of a link, on the ground.
fn ends(mesh: &NavMesh, link: &Link) -> [Vec3; 2] {
    [&link.from, &link.to].map(|end| {
        let [a, b] = end.ends;
        let middle = |a: i32, b: i32| f64::midpoint(f64::from(a), f64::from(b));
        let height = f64::midpoint(f64::from(a.height), f64::from(b.height));
        let (x, z) = (middle(a.point.x, b.point.x), middle(a.point.z, b.point.z));
        let mut position = mesh.frame().to_world(x, height, z);
        position.y = mesh.height_in_polygon(end.polygon, position).unwrap_or(position.y);
        position
    })
}

/// Returns the position of a point on the ground of a polygon.
fn on_ground(mesh: &NavMesh, frame: &GridFrame, polygon: u32, point: PlanPoint) -> Vec3 {
    let [x, z] = [point.x, point.z].map(f64::from);
    let mut position = frame.to_world(x, 0.0, z);
    position.y = mesh.height_in_polygon(PolyId(polygon), position).unwrap_or(0.0);
    position
}

/// Returns a point in parts of cells.
fn scaled(point: PlanPoint, scale: i32) -> PlanPoint {
    PlanPoint::new(point.x.saturating_mul(scale), point.z.saturating_mul(scale))
}

/// Returns the number of parts of a cell along a side for the vertices of cuts: the largest for
/// which the reader detects the grid of the parts.
fn parts_of_cells(mesh: &NavMesh, side: i32) -> i32 {
    let frame = mesh.frame();
    let reach = |point: PlanPoint| i64::from(point.x.unsigned_abs().max(point.z.unsigned_abs()));
    let cells = mesh.plan_vertices().iter().map(|vertex| reach(vertex.point)).max().unwrap_or(0);
    let cells = (cells + i64::from(side)).max(1);
    let far = mesh.vertices().iter().map(|at| at.x.abs().max(at.z.abs())).fold(0.0, f32::max);
    let mut parts = MOST_PARTS;
    let side_of = |parts: i32| frame.cell_size / parts as f32;
    while parts > 1 && (cells * i64::from(parts) > FARTHEST || side_of(parts) < far * ROUNDINGS) {
        parts /= 2;
    }
    parts
}

/// Returns a grid point inside a piece, near its middle; `None` if the piece is too small.
fn inner_point(corners: &[Corner<Beyond>]) -> Option<PlanPoint> {
    let count = i64::try_from(corners.len()).unwrap_or(1);
    let mean = |along: fn(PlanPoint) -> i32| {
        let sum: i64 = corners.iter().map(|corner| i64::from(along(corner.1))).sum();
        i32::try_from(sum.div_euclid(count)).unwrap_or(0)
    };
    let (x, z) = (mean(|point| point.x), mean(|point| point.z));
    let near = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dz)| PlanPoint::new(x + dx, z + dz));
    near.into_iter().find(|&point| {
        (0..corners.len()).all(|index| {
            let [a, b] = [index, (index + 1) % corners.len()].map(|corner| corners[corner].1);
            PlanPoint::orientation(a, b, point) > 0
        })
    })
}

/// Returns `true` if both points lie on one edge of a polygon.
fn is_on_border(plan: &[PlanPoint], on_line: f64, from: [f64; 3], to: [f64; 3]) -> bool {
    (0..plan.len()).any(|index| {
        let [a, b] = [index, (index + 1) % plan.len()].map(|corner| {
            let PlanPoint { x, z } = plan[corner];
            [f64::from(x), f64::from(z)]
        });
        let [dx, dz] = [b[0] - a[0], b[1] - a[1]];
        let length = float::hypot(dx, dz);
        [from, to]
            .iter()
            .all(|point| ((point[2] - a[1]) * dx - (point[0] - a[0]) * dz).abs() <= on_line * length)
    })
}
