//! A mesh with the clearance of its ground.

use glam::{DVec2, dvec2};
use waymesh_core::{ClearanceMesh, PlanPoint, PolyId, Random};

use super::admitted::Admitted;
use super::doors::Doors;
use super::gate_places::{GatePlaces, squares};
use super::islands::Islands;
use super::open_links::OpenLinks;
use super::seeds;
use super::table::{Table, WALL};
use crate::locate::nearest::Spot;
use crate::mesh::error::NavMeshError;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::link::{LinkId, LinkIndex};
use crate::mesh::nav_mesh::NavMesh;

/// A navigation mesh with the clearance of its ground. It serves agents of every radius that is at
/// least the radius for which it was baked.
///
/// The radius of a query is the distance of the centre from the walls of the *mesh*. A mesh baked
/// for radius 0 has the walls of the scene; on one baked for the smallest agent, request the larger
/// agent's radius minus that of the smallest: their borders differ at corners only, by rounding
/// them.
///
/// # Guarantees
/// - The path that [`ClearQuery::path`](crate::ClearQuery::path) finds keeps the radius from every
///   wall it passes, to rounding (two micrometres and five millionths of the radius), over storeys
///   on top of each other as well. Unless a faster search is requested it is the shortest such path
///   in the plan; with radius 0 it is that of
///   [`PathSearch::Shortest`](crate::PathSearch::Shortest), but for the slack of positions that it
///   keeps from walls.
/// - Where there is a path it finds one. Gaps that are as wide as the disc, to the same rounding,
///   count as wide enough or as too narrow.
/// - Made of the same input, two are equal bit by bit; `Send + Sync`; all queries take `&self`.
///
/// # Limits
/// Where agents may walk is fixed when it is made ([`ClearanceNavMesh::with_filter`]), but for
/// doors ([`ClearanceNavMesh::set_link_open`]). There are no costs per metre. Links that are
/// crossed like an edge both ways at no cost are ground, others are walls that may be passed, see
/// [`ClearQuery::path`](crate::ClearQuery::path).
///
/// # Memory
/// About 56 bytes a side of a triangle and 12 bytes a polygon, in addition to the mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct ClearanceNavMesh {
    pub(crate) mesh: NavMesh,
    pub(super) table: Table,
    pub(super) islands: Islands,
    /// Per polygon, the triangle that holds its middle.
    pub(super) seeds: Vec<u32>,
    pub(crate) admitted: Admitted,
    pub(super) open: OpenLinks,
    pub(super) gate_places: GatePlaces,
    pub(super) doors: Doors,
    /// Names the triangles and the polygons: copies of a building have equal triangles.
    table_stamp: u64,
}

impl ClearanceNavMesh {
    /// Joins a mesh and the local clearance triangulation of its ground
    /// ([`NavMesh::ground_triangles`]).
    ///
    /// Takes time in `n log n`.
    ///
    /// # Errors
    /// [`NavMeshError::Clearance`] for triangles that break their invariants,
    /// [`NavMeshError::OtherGround`] for those of another mesh.
    pub fn new(mesh: NavMesh, clearance: &ClearanceMesh) -> Result<Self, NavMeshError> {
        Self::join(mesh, Admitted::default(), clearance)
    }

    /// Makes a mesh as [`ClearanceNavMesh::new`] does, for agents that may use only the polygons that a
    /// filter allows. `clearance` is the triangulation of their ground alone
    /// ([`NavMesh::ground_triangles`]).
    ///
    /// Ground that is not allowed is a wall in every respect: paths keep the radius from it, and no
    /// end is moved there. The filter is called once per polygon, here. Another filter needs
    /// another triangulation, which costs far less than a bake.
    ///
    /// # Errors
    /// See [`ClearanceNavMesh::new`].
    pub fn with_filter(
        mesh: NavMesh,
        filter: &impl PolygonFilter,
        clearance: &ClearanceMesh,
    ) -> Result<Self, NavMeshError> {
        let admitted = Admitted::of(&mesh, filter);
        Self::join(mesh, admitted, clearance)
    }

    fn join(mesh: NavMesh, admitted: Admitted, clearance: &ClearanceMesh) -> Result<Self, NavMeshError> {
        let frame = *mesh.frame();
        let origin = dvec2(f64::from(frame.origin.x), f64::from(frame.origin.z));
        let table = Table::build(clearance, origin, f64::from(frame.cell_size))?;
        let open = OpenLinks::of(&mesh, &admitted);
        let seeds = seeds::find(&mesh, &table, clearance, &admitted, &open)?;
        let islands = Islands::build(&table);
        let table_stamp = Random::mix(table.stamp() ^ mesh.generation.0);
        let (gate_places, doors) = Default::default();
        let mut own = Self { mesh, table, islands, seeds, admitted, open, gate_places, doors, table_stamp };
        own.gate_places = own.find_gate_places();
        own.doors = own.find_doors();
        Ok(own)
    }

    /// Returns `true` if agents may walk on a polygon: its filter allowed it, or there is no
    /// filter.
    #[must_use]
    pub fn admits(&self, polygon: PolyId) -> bool {
        self.mesh.has_polygon(polygon) && self.admitted.has(polygon.0)
    }

    /// Returns the mesh, for all other queries.
    #[must_use]
    pub fn mesh(&self) -> &NavMesh {
        &self.mesh
    }

    pub(crate) fn is_open_ground(&self, link: LinkId) -> bool {
        self.mesh.links.find(link).is_some_and(|at| self.open.has(at))
    }

    /// Names the triangles, the links and which of them are open.
    pub(crate) fn stamp(&self) -> u64 {
        Random::mix(self.mesh.links.stamp ^ self.table_stamp)
    }

    /// Returns the mesh alone.
    #[must_use]
    pub fn into_mesh(self) -> NavMesh {
        self.mesh
    }

    /// Returns the number of triangles between the walls.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.table.triangle_count()
    }

    /// Metres from the origin of the frame.
    pub(super) fn place_of(&self, spot: &Spot) -> DVec2 {
        let cell = f64::from(self.mesh.frame.cell_size);
        dvec2(spot.at.x * cell, spot.at.z * cell)
    }

    /// Returns a point of the grid in metres from the origin of the frame.
    pub(super) fn plane_of(&self, point: PlanPoint) -> DVec2 {
        dvec2(f64::from(point.x), f64::from(point.z)) * f64::from(self.mesh.frame.cell_size)
    }

    /// Returns the triangle that holds a place of a polygon.
    pub(super) fn triangle_at(&self, polygon: u32, at: DVec2) -> u32 {
        let from = seeds::middle(&self.mesh, polygon);
        self.table.walk(self.seeds[polygon as usize], None, from, at)
    }

    /// Returns all links that are not open ground, and lead from allowed ground to allowed ground.
    fn find_gate_places(&self) -> GatePlaces {
        let mut places = GatePlaces::default();
        for (number, link) in (0..).zip(self.mesh.links()) {
            let ends = [Some(&link.from), Some(&link.to).filter(|_| link.both_ways)];
            let is_allowed = self.admits(link.from.polygon) && self.admits(link.to.polygon);
            if !is_allowed || self.open.has(LinkIndex(number)) {
                continue;
            }
            for end in ends.into_iter().flatten() {
                let [a, b] = end.ends.map(|end| self.plane_of(end.point));
                places.insert(number, squares(a.min(b), a.max(b)));
            }
        }
        places.squares.sort_unstable();
        places.squares.dedup();
        places
    }

    /// Opens or closes a link: see [`NavMesh::set_link_open`](crate::NavMesh::set_link_open).
    ///
    /// - A link that was closed when this was made, or that is no open ground, is a wall with gates.
    ///   It opens and closes in linear time.
    /// - A link that is open ground and leads from wall to wall, such as a door of a floor plan, turns
    ///   into a wall and back. That takes time in `n log n` of the triangles, far less than to make
    ///   them. Discs keep their radius from it, but for one thing: the triangles were not refined for
    ///   it, so that a path may be too near to a closed door where an obstacle stands less than the
    ///   disc's diameter in front of it: see [`Path::clearance`](crate::Path::clearance).
    ///
    /// Returns `false`, and does nothing, for an id without a link, and for open ground that does not
    /// extend from wall to wall: a step between slices, one of several links of a door. Close such a
    /// link in the mesh, and make the clearance again.
    pub fn set_link_open(&mut self, link: LinkId, is_open: bool) -> bool {
        let Some(at) = self.mesh.links.find(link) else { return false };
        if !self.open.has(at) {
            return self.mesh.set_link_open(link, is_open);
        }
        if self.doors.sides.binary_search_by_key(&at.0, |door| door.0.0).is_err() {
            return false;
        }
        if self.mesh.links.links[at.index()].is_open != is_open {
            self.mesh.set_link_open(link, is_open);
            self.shut_doors();
        }
        true
    }

    /// Finds the doors among the links that are open ground.
    fn find_doors(&self) -> Doors {
        let links = (0..).map(LinkIndex).zip(self.mesh.links()).filter(|(at, _)| self.open.has(*at));
        let sides = links.filter_map(|(at, link)| {
            let ends = link.from.ends.map(|end| self.plane_of(end.point));
            let triangle = self.triangle_at(link.from.polygon.0, (ends[0] + ends[1]) / 2.0);
            let side = (3 * triangle..3 * triangle + 3).find(|&side| self.table.is_door(side, ends))?;
            Some((at, [side, self.table.twin(side)]))
        });
        Doors { sides: sides.collect(), clearance: Vec::new() }
    }

    /// Makes walls of the doors that are closed, and open ground of the others.
    fn shut_doors(&mut self) {
        let Self { mesh, table, doors, islands, .. } = self;
        let is_closed = |&&(link, _): &&(LinkIndex, _)| !mesh.links.links[link.index()].is_open;
        if doors.clearance.is_empty() {
            doors.clearance.clone_from(&table.clearance);
        }
        table.clearance.clone_from(&doors.clearance);
        for (_, [side, twin]) in &doors.sides {
            (table.twins[*side as usize], table.twins[*twin as usize]) = (*twin, *side);
        }
        let closed = || doors.sides.iter().filter(is_closed).flat_map(|door| door.1);
        for side in closed() {
            table.twins[side as usize] = WALL;
        }
        let mut stack = Vec::new();
        for side in closed() {
            table.narrow(side, &mut stack);
        }
        if closed().next().is_none() {
            doors.clearance = Vec::new();
        }
        table.find_fans();
        *islands = Islands::build(table);
    }
}
