//! One polygon of a mesh, and the extent of an island.

use glam::{DVec3, Vec3};
use waymesh_core::{AreaId, PlanPoint, PolyId, RegionId, VertexId};

use super::bounds::{Corner, NO_NEIGHBOUR, PolygonBounds};
use super::islands::IslandId;
use super::nav_mesh::NavMesh;

/// A polygon of a [`NavMesh`].
#[doc(alias = "dtPoly")]
#[derive(Clone, Copy, Debug)]
pub struct PolygonView<'a> {
    mesh: &'a NavMesh,
    id: PolyId,
}

impl<'a> PolygonView<'a> {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> PolyId {
        self.id
    }

    /// Its corners in positive order.
    #[must_use]
    pub fn corners(&self) -> &'a [VertexId] {
        &self.mesh.topology.corner_vertices[self.mesh.edge_range(self.id.index())]
    }

    /// Returns the world positions of its corners in positive order.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = Vec3> + use<'a> {
        let mesh = self.mesh;
        self.corners().iter().map(|vertex| mesh.vertices.world[vertex.index()])
    }

    /// Returns for each corner the polygon across the edge from it to the next corner; `None` on a
    /// wall or drop.
    pub fn neighbours(&self) -> impl ExactSizeIterator<Item = Option<PolyId>> + use<'a> {
        self.mesh.topology.neighbours[self.mesh.edge_range(self.id.index())]
            .iter()
            .map(|&neighbour| (neighbour != NO_NEIGHBOUR).then_some(PolyId(neighbour)))
    }

    /// Returns the ends of its edges with nothing beyond, in positive order: walls and drops.
    pub fn walls(&self) -> impl Iterator<Item = [VertexId; 2]> + use<'a> {
        let corners = self.corners();
        let next = corners.iter().cycle().skip(1);
        let edges = corners.iter().zip(next).zip(self.neighbours());
        edges.filter(|(_, beyond)| beyond.is_none()).map(|((&from, &to), _)| [from, to])
    }

    /// Returns the region it lies in.
    #[must_use]
    pub fn region(&self) -> RegionId {
        self.mesh.topology.regions[self.id.index()]
    }

    /// Returns what kind of ground it is.
    #[must_use]
    pub fn area_id(&self) -> AreaId {
        self.mesh.area_at(self.id)
    }

    /// Returns the head room that it has at least, in metres: see [`NavMesh::head_room`].
    #[must_use]
    pub fn head_room(&self) -> f32 {
        self.mesh.room_at(self.id)
    }

    /// Returns the island it lies on.
    #[must_use]
    pub fn island(&self) -> IslandId {
        IslandId(self.mesh.island_at(self.id.0))
    }

    /// Returns the box around it.
    #[must_use]
    pub fn bounds(&self) -> PolygonBounds {
        self.mesh.index.bounds[self.id.index()]
    }

    /// Returns a position on its ground: the mean of its corners in plan.
    #[must_use]
    pub fn middle(&self) -> Vec3 {
        let (sum, count) =
            self.positions().fold((Vec3::ZERO, 0.0), |(sum, count), at| (sum + at, count + 1.0));
        self.mesh.on_ground(self.id, sum / count)
    }

    /// Its plan area in square metres.
    #[must_use]
    pub fn area(&self) -> f64 {
        self.mesh.doubled_area(self.id.0) as f64 / 2.0 * self.mesh.frame.cell_area()
    }
}

impl NavMesh {
    /// Returns a polygon; `None` if there is no such polygon.
    #[must_use]
    pub fn polygon(&self, polygon: PolyId) -> Option<PolygonView<'_>> {
        self.has_polygon(polygon).then_some(PolygonView { mesh: self, id: polygon })
    }

    /// Returns all polygons, in the order of their ids.
    pub fn polygons(&self) -> impl ExactSizeIterator<Item = PolygonView<'_>> {
        Polygons { mesh: self, next: 0, left: self.polygon_count() }
    }

    /// Returns twice the area of a polygon in the plan, in cells.
    pub(crate) fn doubled_area(&self, polygon: u32) -> i128 {
        let corners = &self.topology.corners[self.edge_range(polygon as usize)];
        PlanPoint::doubled_area(corners.iter().map(Corner::point))
    }

    /// Returns what is at each id from 0 on, below [`NavMesh::polygon_bound`]: for tables that are read
    /// by the ids that queries give. `None` for ids that are not given.
    pub fn polygons_by_id(&self) -> impl ExactSizeIterator<Item = Option<PolygonView<'_>>> {
        (0..self.polygon_bound()).map(|index| self.polygon(PolyId::from_index(index)))
    }
}

/// The polygons of a mesh.
struct Polygons<'a> {
    mesh: &'a NavMesh,
    next: u32,
    left: usize,
}

impl<'a> Iterator for Polygons<'a> {
    type Item = PolygonView<'a>;

    fn next(&mut self) -> Option<PolygonView<'a>> {
        self.left = self.left.checked_sub(1)?;
        let polygon = (self.next..).map(PolyId).find_map(|id| {
            let is_past = id.index() >= self.mesh.polygon_bound();
            if is_past { Some(None) } else { self.mesh.polygon(id).map(Some) }
        })??;
        self.next = polygon.id.0 + 1;
        Some(polygon)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Polygons<'_> {}

/// A ball around an island: the result of [`NavMesh::island_ball`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IslandBall {
    /// The mean of the corners of its polygons, each counted once per polygon.
    pub centre: Vec3,
    /// Distance from there to the farthest corner, in metres.
    pub radius: f32,
}

impl NavMesh {
    /// Returns a ball that holds the corners of an island; `None` if there is no such island. It is
    /// not the smallest, but a measure of how far the island stretches. Linear time in the polygons of
    /// the mesh.
    #[must_use]
    pub fn island_ball(&self, island: IslandId) -> Option<IslandBall> {
        self.islands().get(island.index())?;
        let polygons = || self.polygons().filter(|polygon| polygon.island() == island);
        let corners = || polygons().flat_map(|polygon| polygon.positions().collect::<Vec<_>>());
        let (sum, count) =
            corners().fold((DVec3::ZERO, 0.0), |(sum, count), corner| (sum + corner.as_dvec3(), count + 1.0));
        let centre = (sum / count).as_vec3();
        let radius = corners().map(|corner| corner.distance(centre)).fold(0.0, f32::max);
        Some(IslandBall { centre, radius })
    }
}
