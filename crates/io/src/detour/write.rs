//! A mesh as one tile of Detour's.

use std::collections::BTreeMap;

use glam::Vec3;
use thiserror::Error;
use waymesh_core::{PlanPoint, PolyId, saturating_i32, to_u32};
use waymesh_graph::{Link, NavMesh};

use super::pieces::{Corner, ON_LINE, clip, part};
use super::tile::{
    BOTH_WAYS, CONNECTION, DETAIL, DETAIL_TRIANGLE, LINK, MAX_CORNERS, POLYGON, SET_HEADER, SET_MAGIC,
    SET_VERSION, TILE_HEADER, TILE_MAGIC, TILE_VERSION, TREE_NODE, VERTEX,
};
use super::tree::{self, TreeBox};

/// Most vertices: indices have 16 bits, and `dtCreateNavMeshData` keeps the last one free.
const MAX_VERTICES: usize = 0xfffe;
/// Most polygons of the ground: a neighbour is one more than its number, in 15 bits.
const MAX_POLYGONS: usize = 0x7fff;
/// Most points and triangles of the ground in a polygon: their numbers have 8 bits.
const MAX_DETAIL: usize = 255;
/// Areas have 6 bits.
const MAX_AREAS: usize = 64;
/// Least area of a triangle of the ground, twice, in square cells.
const LEAST_AREA: f64 = 1e-6;
/// How often a polygon with too many triangles is parted into a fan.
const MAX_DEPTH: u32 = 8;
/// A corner's height and that of the ground there are one within this, in metres.
const SAME_HEIGHT: f32 = 1e-3;
/// In the flags of a triangle of the ground, the first edge lies on the border
/// (`DT_DETAIL_EDGE_BOUNDARY`). Each edge has two bits.
const ON_BORDER: u8 = 1;
/// In the kind of a polygon: it stands for a connection.
const IS_CONNECTION: u8 = 1 << 6;

/// Options of [`to_detour`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DetourOptions {
    /// Detour's flags of each polygon. Polygons beyond the list have the flag 1, walk. Default:
    /// empty.
    pub flags: Vec<u16>,
}

waymesh_core::setters! {
    impl DetourOptions {
        with_flags(flags: Vec<u16>);
    }
}

/// Why a mesh cannot be a file of Detour's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{count} {element}, but a tile of Detour's holds {limit} at most")]
#[non_exhaustive]
pub struct DetourLimit {
    /// What there is too much of.
    pub element: &'static str,
    /// How many there are.
    pub count: u64,
    /// How many there may be.
    pub limit: u64,
}

impl DetourLimit {
    fn check(element: &'static str, count: usize, limit: usize) -> Result<(), Self> {
        if count <= limit { Ok(()) } else { Err(Self { element, count: count as u64, limit: limit as u64 }) }
    }
}

/// What is beyond an edge of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    Nothing,
    /// A piece of this polygon.
    Polygon(u32),
}

/// A polygon of Detour's.
#[derive(Debug, Default)]
struct Piece {
    /// The polygon of the mesh that it is part of.
    polygon: u32,
    corners: Vec<u32>,
    beyond: Vec<Option<u32>>,
    detail: Detail,
}

/// The ground in a piece.
#[derive(Debug, Default)]
struct Detail {
    /// Points besides the corners, in metres.
    points: Vec<Vec3>,
    /// Corners, then points; flags.
    triangles: Vec<[u8; 4]>,
}

/// Returns the mesh as the bytes of a file of Detour's: a set (`MSET`, version 1) of one tile, with
/// a tree of boxes and references of 32 bits, as RecastDemo and habitat-sim read it.
///
/// - Polygons of more than six corners are parted. So are those with more than 255 triangles of
///   ground.
/// - [`waymesh_core::AreaId::GROUND`] becomes area 0, each other the next lower.
/// - The ground becomes detail meshes.
/// - Each link becomes one connection, between the middles of its segments, with the radius of the
///   agent. A closed link has no flags. Extra costs, kinds and names are left out.
///
/// # Errors
/// Beyond 32,767 polygons, 65,534 vertices or 64 areas.
pub fn to_detour(mesh: &NavMesh, options: &DetourOptions) -> Result<Vec<u8>, DetourLimit> {
    let mut writer = Writer::new(mesh);
    for number in 0..to_u32(mesh.polygon_count()) {
        writer.push(number)?;
    }
    DetourLimit::check("polygons", writer.pieces.len(), MAX_POLYGONS)?;
    let links = mesh.links();
    let vertices = writer.vertices.len() + 2 * links.len();
    DetourLimit::check("vertices and ends of links", vertices, MAX_VERTICES)?;
    for polygon in mesh.polygons() {
        DetourLimit::check("areas", usize::from(polygon.area_id().0), MAX_AREAS)?;
    }
    writer.find_neighbours();
    Ok(writer.bytes(options))
}

struct Writer<'a> {
    mesh: &'a NavMesh,
    vertices: Vec<(PlanPoint, Vec3)>,
    pieces: Vec<Piece>,
    /// Beyond the edges of each piece.
    beyond: Vec<Vec<Beyond>>,
}

impl<'a> Writer<'a> {
    fn new(mesh: &'a NavMesh) -> Self {
        let points = mesh.plan_vertices().iter().map(|vertex| vertex.point);
        let vertices = points.zip(mesh.vertices().iter().copied()).collect();
        Self { mesh, vertices, pieces: Vec::new(), beyond: Vec::new() }
    }

    /// Adds a polygon.
    fn push(&mut self, number: u32) -> Result<(), DetourLimit> {
        let Some(polygon) = self.mesh.polygon(PolyId(number)) else { return Ok(()) };
        let corners = polygon.corners().iter().zip(polygon.neighbours()).map(|(corner, neighbour)| {
            let beyond = neighbour.map_or(Beyond::Nothing, |neighbour| Beyond::Polygon(neighbour.0));
            (corner.0, self.vertices[corner.index()].0, beyond)
        });
        let ground = self.ground(number);
        for piece in part(corners.collect(), Beyond::Polygon(number)) {
            self.push_piece(number, piece, &ground, 0)?;
        }
        Ok(())
    }

    /// The triangles of the ground in a polygon, in cells and levels.
    fn ground(&self, number: u32) -> Vec<[[f64; 3]; 3]> {
        let index = number as usize;
        if let Some(surface) = self.mesh.surface() {
            let range =
                surface.polygon_triangles[index] as usize..surface.polygon_triangles[index + 1] as usize;
            let point = |point: u32| {
                let point = surface.points[point as usize];
                [point.x, point.height, point.z].map(f64::from)
            };
            return surface.triangles[range].iter().map(|triangle| triangle.map(point)).collect();
        }
        // What queries take for the ground: triangles around the mean of the corners.
        let corners = self.mesh.polygon(PolyId(number)).map_or(&[][..], |polygon| polygon.corners());
        let corners: Vec<[f64; 3]> = corners
            .iter()
            .map(|corner| {
                let vertex = self.mesh.plan_vertices()[corner.index()];
                [f64::from(vertex.point.x), f64::from(vertex.height), f64::from(vertex.point.z)]
            })
            .collect();
        if let [a, b, c] = corners[..] {
            return vec![[a, b, c]];
        }
        let share = 1.0 / corners.len().max(1) as f64;
        let mean = [0, 1, 2].map(|axis| corners.iter().map(|corner| corner[axis] * share).sum::<f64>());
        (0..corners.len()).map(|index| [mean, corners[index], corners[(index + 1) % corners.len()]]).collect()
    }

    /// Adds a piece, or parts it around a point inside as long as it has too many triangles.
    fn push_piece(
        &mut self,
        number: u32,
        corners: Vec<Corner<Beyond>>,
        ground: &[[[f64; 3]; 3]],
        depth: u32,
    ) -> Result<(), DetourLimit> {
        let detail = self.detail(&corners, ground);
        let count = detail.triangles.len().max(corners.len() + detail.points.len());
        if count <= MAX_DETAIL {
            self.pieces.push(Piece {
                polygon: number,
                corners: corners.iter().map(|corner| corner.0).collect(),
                beyond: Vec::new(),
                detail,
            });
            self.beyond.push(corners.into_iter().map(|corner| corner.2).collect());
            return Ok(());
        }
        let centre = (depth < MAX_DEPTH).then(|| inner_point(&corners)).flatten();
        let Some(centre) = centre else {
            return DetourLimit::check("triangles of ground in a polygon", count, MAX_DETAIL);
        };
        let vertex = to_u32(self.vertices.len());
        let [x, z] = [centre.x, centre.z].map(f64::from);
        let mut position = self.mesh.frame().to_world(x, 0.0, z);
        position.y = self.mesh.height_in_polygon(PolyId(number), position).unwrap_or(0.0);
        self.vertices.push((centre, position));
        let inner = Beyond::Polygon(number);
        for (index, &from) in corners.iter().enumerate() {
            let (to, at, _) = corners[(index + 1) % corners.len()];
            let triangle = vec![from, (to, at, inner), (vertex, centre, inner)];
            self.push_piece(number, triangle, ground, depth + 1)?;
        }
        Ok(())
    }

    /// The ground in a piece. May be more than Detour can hold; numbers are then not those of points.
    fn detail(&self, corners: &[Corner<Beyond>], ground: &[[[f64; 3]; 3]]) -> Detail {
        let plan: Vec<PlanPoint> = corners.iter().map(|corner| corner.1).collect();
        let frame = self.mesh.frame();
        let mut detail = Detail::default();
        let mut numbers: BTreeMap<[u32; 3], usize> = BTreeMap::new();
        for &triangle in ground {
            let clipped = clip(triangle, &plan);
            let mut used: Vec<([f64; 3], usize)> = Vec::with_capacity(clipped.len());
            for point in clipped {
                let [x, height, z] = point;
                let position = frame.to_world(x, height, z);
                let is_corner = |corner: &Corner<Beyond>| {
                    let apart = (f64::from(corner.1.x) - x).abs().max((f64::from(corner.1.z) - z).abs());
                    let rise = self.vertices[corner.0 as usize].1.y - position.y;
                    apart < ON_LINE && rise.abs() <= SAME_HEIGHT
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
                    // Detour winds the other way.
                    let triangle = [a, c, b];
                    let mut flags = 0;
                    for edge in 0..3 {
                        let [from, to] = [triangle[edge].0, triangle[(edge + 1) % 3].0];
                        if is_on_border(&plan, from, to) {
                            flags |= ON_BORDER << (2 * edge);
                        }
                    }
                    // So its corners are in the opposite order.
                    let number = |number: usize| corners.len().checked_sub(number + 1).unwrap_or(number);
                    let [a, b, c] = triangle.map(|(_, at)| u8::try_from(number(at)).unwrap_or(u8::MAX));
                    detail.triangles.push([a, b, c, flags]);
                }
            }
        }
        detail
    }

    /// Finds the pieces beyond all edges: those of the polygon beyond that have the edge backwards.
    fn find_neighbours(&mut self) {
        let mut edges = BTreeMap::new();
        for (number, piece) in (0_u32..).zip(&self.pieces) {
            for (index, &from) in piece.corners.iter().enumerate() {
                let to = piece.corners[(index + 1) % piece.corners.len()];
                edges.insert((from, to, piece.polygon), number);
            }
        }
        for (piece, beyond) in self.pieces.iter_mut().zip(&self.beyond) {
            let count = piece.corners.len();
            let edge = |index: usize| (piece.corners[(index + 1) % count], piece.corners[index]);
            let neighbours = beyond.iter().enumerate().map(|(index, beyond)| match beyond {
                Beyond::Nothing => None,
                Beyond::Polygon(polygon) => {
                    let (from, to) = edge(index);
                    edges.get(&(from, to, *polygon)).copied()
                }
            });
            piece.beyond = neighbours.collect();
        }
    }

    fn bytes(&self, options: &DetourOptions) -> Vec<u8> {
        let (mesh, links) = (self.mesh, self.mesh.links());
        let [low, high] = self.bounds();
        let mut units = mesh.frame().cell_size.recip();
        while (high - low).max_element() * units > f32::from(u16::MAX - 1) {
            units /= 2.0;
        }
        let boxes: Vec<TreeBox> = self.pieces.iter().map(|piece| self.tree_box(piece, low, units)).collect();
        let nodes = tree::build(&boxes);
        let corners: usize = self.pieces.iter().map(|piece| piece.corners.len()).sum();
        let [detail_points, detail_triangles] =
            [|detail: &Detail| detail.points.len(), |detail: &Detail| detail.triangles.len()]
                .map(|count| self.pieces.iter().map(|piece| count(&piece.detail)).sum::<usize>());
        let polygons = self.pieces.len() + links.len();
        let vertices = self.vertices.len() + 2 * links.len();
        // As `dtCreateNavMeshData` counts them; Detour writes to the last, so there is one at least.
        let room_for_links = (corners + 4 * links.len()).max(1);
        let tables = [
            (vertices, VERTEX),
            (polygons, POLYGON),
            (room_for_links, LINK),
            (self.pieces.len(), DETAIL),
            (detail_points, VERTEX),
            (detail_triangles, DETAIL_TRIANGLE),
            (nodes.len(), TREE_NODE),
            (links.len(), CONNECTION),
        ];
        let size = TILE_HEADER + tables.iter().map(|(count, size)| count * size).sum::<usize>();
        let mut out = Bytes(Vec::with_capacity(SET_HEADER + 8 + size));
        out.0.extend(SET_MAGIC);
        out.i32s([SET_VERSION, 1]);
        out.f32s(low.to_array());
        out.f32s([high.x - low.x, high.z - low.z]);
        let most_polygons = polygons.max(1).next_power_of_two();
        out.u32s([1, to_u32(most_polygons)]);
        // Salt 1, tile 0, polygon 0.
        out.u32s([to_u32(most_polygons), to_u32(size)]);

        out.0.extend(TILE_MAGIC);
        out.i32s([TILE_VERSION, 0, 0, 0, 0]);
        let counts = [
            polygons,
            vertices,
            room_for_links,
            self.pieces.len(),
            detail_points,
            detail_triangles,
            nodes.len(),
            links.len(),
            self.pieces.len(),
        ];
        out.u32s(counts.map(to_u32));
        let agent = mesh.agent();
        out.f32s([agent.height, agent.radius, agent.max_step]);
        out.f32s(low.to_array());
        out.f32s(high.to_array());
        out.f32s([units]);
        self.vertices.iter().for_each(|(_, position)| out.f32s(position.to_array()));
        let ends: Vec<[Vec3; 2]> = links.iter().map(|link| ends(mesh, link)).collect();
        ends.iter().flatten().for_each(|end| out.f32s(end.to_array()));
        for piece in &self.pieces {
            let area = mesh.polygon(PolyId(piece.polygon)).map_or(0, |polygon| polygon.area_id().0);
            let flags = options.flags.get(piece.polygon as usize).copied().unwrap_or(1);
            // Backwards: the edge before a corner becomes the one after it.
            let count = piece.corners.len();
            let corners = (0..count).map(|index| piece.corners[count - 1 - index]);
            let beyond = (0..count).map(|index| piece.beyond[(2 * count - 2 - index) % count]);
            out.polygon(corners, beyond, flags, area.saturating_sub(1));
        }
        for (link, first) in links.iter().zip((to_u32(self.vertices.len())..).step_by(2)) {
            out.polygon([first, first + 1], [], u16::from(link.is_open), IS_CONNECTION);
        }
        out.0.resize(out.0.len() + room_for_links * LINK, 0);
        let (mut points, mut triangles) = (0, 0);
        for Piece { detail, .. } in &self.pieces {
            out.u32s([points, triangles]);
            let counts = [detail.points.len(), detail.triangles.len()];
            out.0.extend(counts.map(|count| u8::try_from(count).unwrap_or(u8::MAX)));
            out.0.extend([0, 0]);
            points += to_u32(detail.points.len());
            triangles += to_u32(detail.triangles.len());
        }
        for point in self.pieces.iter().flat_map(|piece| &piece.detail.points) {
            out.f32s(point.to_array());
        }
        out.0.extend(self.pieces.iter().flat_map(|piece| &piece.detail.triangles).flatten());
        for node in &nodes {
            node.bounds.low.iter().chain(&node.bounds.high).for_each(|&number| out.u16(number));
            out.i32s([node.index]);
        }
        let radius = agent.radius.max(mesh.frame().cell_size);
        for ((link, ends), polygon) in links.iter().zip(&ends).zip(self.pieces.len()..) {
            ends.iter().for_each(|end| out.f32s(end.to_array()));
            out.f32s([radius]);
            out.u16(u16::try_from(polygon).unwrap_or(u16::MAX));
            out.0.extend([if link.both_ways { BOTH_WAYS } else { 0 }, u8::MAX]);
            out.u32s([link.data]);
        }
        debug_assert_eq!(out.0.len(), SET_HEADER + 8 + size);
        out.0
    }

    /// A box around everything, whose lower corner is on the grid.
    fn bounds(&self) -> [Vec3; 2] {
        let frame = self.mesh.frame();
        let corners = || self.pieces.iter().flat_map(|piece| &piece.corners);
        let used = || corners().map(|&corner| self.vertices[corner as usize]);
        let points = self.pieces.iter().flat_map(|piece| &piece.detail.points).copied();
        let heights = used().map(|(_, position)| position.y).chain(points.map(|point| point.y));
        let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
        heights.for_each(|height| (least, most) = (least.min(height), most.max(height)));
        let [least, most] = if least <= most { [least, most] } else { [0.0, 0.0] };
        let bound = |along: fn(PlanPoint) -> i32| {
            let low = used().map(|(point, _)| along(point)).min().unwrap_or(0);
            let high = used().map(|(point, _)| along(point)).max().unwrap_or(0);
            // A cell more: what lies on the upper border belongs to the next tile.
            [low.min(0), high.saturating_add(1)].map(f64::from)
        };
        let ([low_x, high_x], [low_z, high_z]) = (bound(|point| point.x), bound(|point| point.z));
        let corner = |x: f64, y: f32, z: f64| Vec3 { y, ..frame.to_world(x, 0.0, z) };
        [corner(low_x, least - frame.cell_size, low_z), corner(high_x, most + frame.cell_size, high_z)]
    }

    fn tree_box(&self, piece: &Piece, low: Vec3, units: f32) -> TreeBox {
        let corners = piece.corners.iter().map(|&corner| self.vertices[corner as usize].1);
        let points = corners.chain(piece.detail.points.iter().copied());
        let (least, most) = points.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(least, most), point| {
            (least.min(point), most.max(point))
        });
        let number = |metres: f32| {
            u16::try_from(saturating_i32(metres * units).clamp(0, u16::MAX.into())).unwrap_or(0)
        };
        TreeBox { low: (least - low).to_array().map(number), high: (most - low).to_array().map(number) }
    }
}

/// The middles of both segments of a link, on the ground.
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

/// A grid point inside of a piece, near its middle; `None` if it is too small to have one.
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

/// `true` if both points lie on one edge of a polygon.
fn is_on_border(plan: &[PlanPoint], from: [f64; 3], to: [f64; 3]) -> bool {
    (0..plan.len()).any(|index| {
        let [a, b] = [index, (index + 1) % plan.len()].map(|corner| {
            let PlanPoint { x, z } = plan[corner];
            [f64::from(x), f64::from(z)]
        });
        let [dx, dz] = [b[0] - a[0], b[1] - a[1]];
        let length = dx.hypot(dz);
        [from, to]
            .iter()
            .all(|point| ((point[2] - a[1]) * dx - (point[0] - a[0]) * dz).abs() <= ON_LINE * length)
    })
}

/// A file as it grows.
struct Bytes(Vec<u8>);

impl Bytes {
    fn u16(&mut self, number: u16) {
        self.0.extend(number.to_le_bytes());
    }

    fn i32s(&mut self, numbers: impl IntoIterator<Item = i32>) {
        self.0.extend(numbers.into_iter().flat_map(i32::to_le_bytes));
    }

    fn u32s(&mut self, numbers: impl IntoIterator<Item = u32>) {
        self.0.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
    }

    fn f32s(&mut self, numbers: impl IntoIterator<Item = f32>) {
        self.0.extend(numbers.into_iter().flat_map(f32::to_le_bytes));
    }

    /// Corners, neighbours, flags, area and kind. Numbers were checked to fit.
    fn polygon(
        &mut self,
        corners: impl IntoIterator<Item = u32>,
        beyond: impl IntoIterator<Item = Option<u32>>,
        flags: u16,
        area_and_kind: u8,
    ) {
        let short = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
        let (mut table, mut count) = ([0; 2 * MAX_CORNERS], 0_u8);
        for (place, corner) in table.iter_mut().zip(corners) {
            *place = short(corner);
            count += 1;
        }
        for (place, beyond) in table[MAX_CORNERS..].iter_mut().zip(beyond) {
            *place = beyond.map_or(0, |number| short(number + 1));
        }
        // No link yet: Detour finds them when the tile is added.
        self.u32s([u32::MAX]);
        table.into_iter().for_each(|number| self.u16(number));
        self.u16(flags);
        self.0.extend([count, area_and_kind]);
    }
}
