//! The navigation mesh as plain tables, to be written to a file and read back.

use glam::Vec3;
use waymesh_core::bytes::{Reader, Writer};
use waymesh_core::{
    Agent, AreaId, AreaTable, GridFrame, HeightSurface, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh,
    RegionId, SurfacePoint, VertexId,
};

use super::bounds::NO_NEIGHBOUR;
use super::check::{check_indices, check_length, check_prefix};
use super::error::NavMeshError;
use super::link::{Link, LinkEnd, LinkKind};
use super::nav_mesh::NavMesh;

/// Everything that a [`crate::NavMesh`] cannot compute again, as plain tables.
///
/// - [`crate::NavMesh::data`] makes it,
///   [`crate::NavMesh::from_data`] checks all of it and makes the same mesh again, bit by bit.
///   Bounds, islands and the box index are derived and not part of it.
/// - The tables may come from a damaged or hostile file.
/// - Plan coordinates are whole cells and heights are levels of the frame; multiply by the frame's
///   lengths and add its origin for metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NavMeshData {
    /// World position of grid point `(0, 0)`, level 0, in metres: x, y, z.
    pub origin: [f32; 3],
    /// Side of a grid cell in metres.
    pub cell_size: f32,
    /// Height of a level in metres.
    pub level_height: f32,
    /// Grid cells along x.
    pub width: u32,
    /// Grid cells along z.
    pub depth: u32,

    /// Height of the agent in metres.
    pub agent_height: f32,
    /// Radius of the agent in metres.
    pub agent_radius: f32,
    /// Highest step of the agent in metres.
    pub agent_max_step: f32,
    /// Steepest slope of the agent in radians.
    pub agent_max_slope: f32,

    /// Per vertex, x in cells; at most [`waymesh_core::MAX_PLAN_COORDINATE`] in size.
    pub vertex_x: Vec<i32>,
    /// Per vertex, z in cells; at most [`waymesh_core::MAX_PLAN_COORDINATE`] in size.
    pub vertex_z: Vec<i32>,
    /// Per vertex, height of the ground in levels.
    pub vertex_height: Vec<f32>,

    /// Per polygon its first entry in `polygon_corners` and `polygon_neighbours`, and their length
    /// at the end: one entry more than polygons, ascending from 0.
    pub polygon_first: Vec<u32>,
    /// Vertices of all polygons, one polygon after the other, each in positive order, three at
    /// least.
    pub polygon_corners: Vec<u32>,
    /// For each corner, the polygon across the edge to the next corner, or [`NO_NEIGHBOUR`].
    pub polygon_neighbours: Vec<u32>,
    /// Per polygon its region.
    pub polygon_regions: Vec<u32>,
    /// Per polygon its kind of ground ([`waymesh_core::AreaId`]).
    pub polygon_areas: Vec<u8>,

    /// Points of the height surface: x in cells, height in levels, z in cells.
    pub surface_points: Vec<[f32; 3]>,
    /// Triangles of the height surface, three entries each, indices into `surface_points`.
    pub surface_triangles: Vec<u32>,
    /// Per polygon its first triangle, and the number of triangles at the end. Empty where there is
    /// no height surface: then the other two tables are empty as well and `surface_max_error`
    /// is 0.
    pub surface_first: Vec<u32>,
    /// Largest difference between the height surface and a ground sample, in levels.
    pub surface_max_error: f32,

    /// Links between places that share no edge.
    pub links: Vec<LinkData>,

    /// Names, costs and colours of areas.
    pub area_table: AreaTable,
}

/// A [`Link`] as plain numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkData {
    /// Polygon where it begins, polygon where it ends.
    pub polygons: [u32; 2],
    /// Both ends of the segment where it begins, then of that where it ends: x, z in cells.
    pub points: [[i32; 2]; 4],
    /// Their heights in levels.
    pub heights: [f32; 4],
    /// Cost in metres beyond the distance.
    pub extra_cost: f32,
    /// Number of its [`LinkKind`], plus 256 if it can be taken both ways, plus 512 if it is closed.
    pub kind: u32,
    /// For the user.
    pub data: u32,
}

/// In [`LinkData::kind`]: both ways.
const BOTH_WAYS: u32 = 256;
/// In [`LinkData::kind`]: closed.
const CLOSED: u32 = 512;

impl From<&Link> for LinkData {
    fn from(link: &Link) -> Self {
        let [a, b] = link.from.ends;
        let [c, d] = link.to.ends;
        Self {
            polygons: [link.from.polygon.0, link.to.polygon.0],
            points: [a, b, c, d].map(|end| [end.point.x, end.point.z]),
            heights: [a, b, c, d].map(|end| end.height),
            extra_cost: link.extra_cost,
            kind: link.kind as u32
                | if link.both_ways { BOTH_WAYS } else { 0 }
                | if link.is_open { 0 } else { CLOSED },
            data: link.data,
        }
    }
}

impl LinkData {
    /// Appends the link, 68 bytes.
    pub(crate) fn write(&self, out: &mut Writer) {
        out.put(self.polygons);
        for (point, height) in self.points.iter().zip(self.heights) {
            out.put(*point);
            out.put(height);
        }
        out.put(self.extra_cost);
        out.put([self.kind, self.data]);
    }

    /// Reads what [`LinkData::write`] wrote.
    pub(crate) fn read(from: &mut Reader<'_>) -> Self {
        let mut link = Self { polygons: from.or_zero(), ..Self::default() };
        for (point, height) in link.points.iter_mut().zip(&mut link.heights) {
            (*point, *height) = (from.or_zero(), from.or_zero());
        }
        link.extra_cost = from.or_zero();
        [link.kind, link.data] = from.or_zero();
        link
    }

    /// Returns the link, if its kind is known.
    pub(crate) fn link(&self) -> Option<Link> {
        let end = |end: usize| PlanVertex {
            point: PlanPoint::new(self.points[end][0], self.points[end][1]),
            height: self.heights[end],
        };
        let kind = u8::try_from(self.kind & !(BOTH_WAYS | CLOSED)).ok();
        Some(Link {
            from: LinkEnd { polygon: PolyId(self.polygons[0]), ends: [end(0), end(1)] },
            to: LinkEnd { polygon: PolyId(self.polygons[1]), ends: [end(2), end(3)] },
            both_ways: self.kind & BOTH_WAYS != 0,
            is_open: self.kind & CLOSED == 0,
            extra_cost: self.extra_cost,
            kind: kind.and_then(LinkKind::from_number)?,
            data: self.data,
        })
    }
}

impl NavMesh {
    /// Returns the mesh as plain tables; a mesh of tiles in its compact form
    /// ([`NavMesh::to_compact`]).
    #[must_use]
    pub fn data(&self) -> NavMeshData {
        if self.is_tiled() {
            return self.to_compact().mesh().data();
        }
        let surface = self.surface.heights.as_ref();
        NavMeshData {
            origin: self.frame.origin.to_array(),
            cell_size: self.frame.cell_size,
            level_height: self.frame.level_height,
            width: self.frame.width,
            depth: self.frame.depth,
            agent_height: self.agent.height,
            agent_radius: self.agent.radius,
            agent_max_step: self.agent.max_step,
            agent_max_slope: self.agent.max_slope,
            vertex_x: self.vertices.plan.iter().map(|vertex| vertex.point.x).collect(),
            vertex_z: self.vertices.plan.iter().map(|vertex| vertex.point.z).collect(),
            vertex_height: self.vertices.plan.iter().map(|vertex| vertex.height).collect(),
            polygon_first: self.topology.polygon_first.to_vec(),
            polygon_corners: self.topology.corner_vertices.iter().map(|vertex| vertex.0).collect(),
            polygon_neighbours: self.topology.neighbours.to_vec(),
            polygon_regions: self.topology.regions.iter().map(|region| region.0).collect(),
            polygon_areas: self.topology.areas.to_vec(),
            surface_points: surface.map_or_else(Vec::new, |surface| {
                surface.points.iter().map(|point| [point.x, point.height, point.z]).collect()
            }),
            surface_triangles: surface
                .map_or_else(Vec::new, |surface| surface.triangles.iter().flatten().copied().collect()),
            surface_first: surface.map_or_else(Vec::new, |surface| surface.polygon_triangles.to_vec()),
            surface_max_error: surface.map_or(0.0, |surface| surface.max_error),
            links: self.links().iter().map(LinkData::from).collect(),
            area_table: self.area_table().clone(),
        }
    }

    /// Checks tables from anywhere and makes the mesh again.
    ///
    /// # Errors
    /// Names the table, the element and the limit of the first thing that is wrong, or lists the
    /// invariants that are broken. Whatever the data, nothing panics, here or in a query later.
    pub fn from_data(data: NavMeshData) -> Result<Self, NavMeshError> {
        let frame = GridFrame {
            origin: Vec3::from_array(data.origin),
            cell_size: data.cell_size,
            level_height: data.level_height,
            width: data.width,
            depth: data.depth,
        };
        let agent = Agent::default()
            .with_height(data.agent_height)
            .with_radius(data.agent_radius)
            .with_max_step(data.agent_max_step)
            .with_max_slope(data.agent_max_slope);
        let vertex_count = data.vertex_x.len();
        check_length("vertex_z", data.vertex_z.len(), vertex_count)?;
        check_length("vertex_height", data.vertex_height.len(), vertex_count)?;
        let vertices = data
            .vertex_x
            .iter()
            .zip(&data.vertex_z)
            .zip(&data.vertex_height)
            .map(|((&x, &z), &height)| PlanVertex { point: PlanPoint::new(x, z), height })
            .collect();

        let polygon_count = data.polygon_areas.len();
        check_length("polygon_regions", data.polygon_regions.len(), polygon_count)?;
        check_prefix("polygon_first", &data.polygon_first, polygon_count, data.polygon_corners.len())?;
        check_length("polygon_neighbours", data.polygon_neighbours.len(), data.polygon_corners.len())?;
        check_indices("polygon_corners", &data.polygon_corners, vertex_count, None)?;
        check_indices("polygon_neighbours", &data.polygon_neighbours, polygon_count, Some(NO_NEIGHBOUR))?;
        let polygons = data
            .polygon_first
            .windows(2)
            .zip(&data.polygon_regions)
            .zip(&data.polygon_areas)
            .map(|((range, &region), &area)| Poly {
                first: range[0],
                len: range[1] - range[0],
                region: RegionId(region),
                area: AreaId(area),
            })
            .collect();
        let poly_mesh = PolyMesh {
            frame,
            vertices,
            polygons,
            corners: data.polygon_corners.into_iter().map(VertexId).collect(),
            neighbours: data
                .polygon_neighbours
                .into_iter()
                .map(|neighbour| (neighbour != NO_NEIGHBOUR).then_some(PolyId(neighbour)))
                .collect(),
        };

        let surface = if data.surface_first.is_empty() {
            check_length("surface_points", data.surface_points.len(), 0)?;
            check_length("surface_triangles", data.surface_triangles.len(), 0)?;
            if data.surface_max_error.to_bits() != 0 {
                let value = data.surface_max_error;
                return Err(NavMeshError::NoSurface { value });
            }
            None
        } else {
            let triangle_count = data.surface_triangles.len() / 3;
            check_length("surface_triangles", data.surface_triangles.len(), triangle_count * 3)?;
            check_prefix("surface_first", &data.surface_first, polygon_count, triangle_count)?;
            check_indices("surface_triangles", &data.surface_triangles, data.surface_points.len(), None)?;
            Some(HeightSurface {
                points: data
                    .surface_points
                    .into_iter()
                    .map(|[x, height, z]| SurfacePoint { x, height, z })
                    .collect(),
                triangles: data
                    .surface_triangles
                    .chunks_exact(3)
                    .map(|triangle| [triangle[0], triangle[1], triangle[2]])
                    .collect(),
                polygon_triangles: data.surface_first,
                max_error: data.surface_max_error,
            })
        };
        let links = data
            .links
            .iter()
            .enumerate()
            .map(|(link, data)| data.link().ok_or(NavMeshError::LinkKind { link, value: data.kind }));
        let links = links.collect::<Result<Vec<_>, _>>()?;
        let mesh = Self::new(poly_mesh, surface, agent)?.with_area_table(data.area_table);
        if links.is_empty() { Ok(mesh) } else { mesh.with_links(links) }
    }
}
