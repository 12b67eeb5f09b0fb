//! Agents of any radius on one mesh.

mod arrivals;
mod bounds;
mod chain;
mod cones;
mod corridor;
mod doors;
mod ends;
mod fit;
mod gates;
mod ground;
mod islands;
mod near;
mod path;
mod query;
mod quick;
mod search;
mod seeds;
mod sight;
mod string;
mod table;
mod turns;

pub use corridor::{ClearCorridor, ClearCorridorOptions};
pub use fit::ClearPlace;
use glam::{DVec2, dvec2};
pub use path::ClearPathOptions;
pub use query::ClearQuery;
use waymesh_core::{ClearanceMesh, PlanPoint, PolyId, Random};

use self::doors::Doors;
use self::gates::GatePlaces;
use self::ground::OpenLinks;
use self::islands::Islands;
use self::search::Memory;
use self::table::Table;
use crate::locate::nearest::Spot;
use crate::marks::Marks;
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::error::NavMeshError;
use crate::mesh::filter::PolygonFilter;
use crate::mesh::links::LinkId;
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
/// - The path that [`ClearQuery::path`] finds keeps the radius from every wall it
///   passes, to rounding (two micrometres and five millionths of the radius), over storeys on top
///   of each other as well. Unless a faster search is requested it is the shortest such path in the
///   plan; with radius 0 it is that of [`PathSearch::Shortest`](crate::PathSearch::Shortest), but
///   for the slack of positions that it keeps from walls.
/// - Where there is a path it finds one. Gaps that are as wide as the disc, to the same rounding,
///   count as wide enough or as too narrow.
/// - Made of the same input, two are equal bit by bit; `Send + Sync`; all queries take `&self`.
///
/// # Limits
/// Where agents may walk is fixed when it is made ([`ClearanceNavMesh::with_filter`]), but for
/// doors ([`ClearanceNavMesh::set_link_open`]). There are no costs per metre. Links that are
/// crossed like an edge both ways at no cost are ground, others are walls that may be passed, see
/// [`ClearQuery::path`].
///
/// # Memory
/// About 56 bytes a side of a triangle and 12 bytes a polygon, in addition to the mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct ClearanceNavMesh {
    mesh: NavMesh,
    table: Table,
    islands: Islands,
    /// Per polygon, the triangle that holds its middle.
    seeds: Vec<u32>,
    admitted: Admitted,
    open: OpenLinks,
    gate_places: GatePlaces,
    doors: Doors,
    /// Names the triangles.
    table_stamp: u64,
}

/// The polygons where agents may walk: one bit per polygon, or no bits at all if every polygon is
/// allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Admitted(Vec<u64>);

impl Admitted {
    fn of(mesh: &NavMesh, filter: &impl PolygonFilter) -> Self {
        Self::of_each(mesh, |polygon| filter.allows(mesh, polygon))
    }

    fn of_each(mesh: &NavMesh, allows: impl Fn(PolyId) -> bool) -> Self {
        let mut bits = vec![0_u64; mesh.polygon_bound().div_ceil(64)];
        let mut is_every = true;
        for (id, polygon) in mesh.polygon_ids().map(|id| (id, id.index())) {
            let allows = allows(id);
            bits[polygon / 64] |= u64::from(allows) << (polygon % 64);
            is_every &= allows;
        }
        Self(if is_every { Vec::new() } else { bits })
    }

    #[inline]
    fn has(&self, polygon: u32) -> bool {
        self.0.is_empty() || self.0[polygon as usize / 64] >> (polygon % 64) & 1 == 1
    }

    /// Returns `true` if the polygon across an edge is not allowed, or there is none.
    #[inline]
    fn is_wall(&self, neighbour: u32) -> bool {
        neighbour == NO_NEIGHBOUR || !self.has(neighbour)
    }
}

impl PolygonFilter for Admitted {
    fn allows(&self, _mesh: &NavMesh, polygon: PolyId) -> bool {
        self.has(polygon.0)
    }
}

/// The part of a [`crate::QueryScratch`] that is for any radius.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClearanceScratch {
    memory: Memory,
    passed: Vec<PolyId>,
    fit: fit::Candidates,
    gates: gates::Gates,
    /// The points of a path, in metres from the origin of the frame, and the corner that the line
    /// to each goes round.
    plan: Vec<(DVec2, Option<u32>)>,
    walls: Vec<[DVec2; 2]>,
    /// Least distance of the straight path from all walls, if the path is straight.
    straight: Option<f64>,
    seen: Marks,
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
        let table_stamp = Random::mix(table.stamp());
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

    fn is_open_ground(&self, link: LinkId) -> bool {
        self.mesh.links.find(link).is_some_and(|at| self.open.has(at))
    }

    /// Names the triangles, the links and which of them are open.
    fn stamp(&self) -> u64 {
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
    fn place_of(&self, spot: &Spot) -> DVec2 {
        let cell = f64::from(self.mesh.frame.cell_size);
        dvec2(spot.at.x * cell, spot.at.z * cell)
    }

    /// Returns a point of the grid in metres from the origin of the frame.
    fn plane_of(&self, point: PlanPoint) -> DVec2 {
        dvec2(f64::from(point.x), f64::from(point.z)) * f64::from(self.mesh.frame.cell_size)
    }

    /// Returns the triangle that holds a place of a polygon.
    fn triangle_at(&self, polygon: u32, at: DVec2) -> u32 {
        let from = seeds::middle(&self.mesh, polygon);
        self.table.walk(self.seeds[polygon as usize], None, from, at)
    }
}
