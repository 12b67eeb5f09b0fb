//! Agents of any radius on one mesh.

mod bounds;
mod claims;
mod disc;
mod fit;
mod islands;
mod near;
mod path;
mod search;
mod seeds;
mod table;

pub use fit::ClearPlace;
pub use path::{ClearPath, ClearPathOptions};

use waymesh_core::{CellId, ClearanceMesh};

use self::disc::Plane;
use self::islands::Islands;
use self::search::Memory;
use self::table::Table;
use crate::NavMeshError;
use crate::mesh::NavMesh;
use crate::nearest::Spot;

/// A navigation mesh with the clearance of its ground: it serves agents of every radius from that on for which it was baked.
///
/// The radius asked for is that of the centre's distance from the *mesh's* walls. A mesh baked for radius 0 has the walls of the scene; on one baked for
/// a smallest agent, ask for the larger agent's radius less that of the smallest: their borders differ at corners only, by rounding them.
///
/// # Guarantees
/// - The way that [`ClearanceNavMesh::find_path`] finds keeps the radius from every wall it passes, to rounding (a micrometre and two millionths of
///   the radius), over storeys on top of each other as well. But for what stands under Limits it is the shortest such way in the plan; with radius 0 it is that
///   of [`NavMesh::find_shortest_path`].
/// - Where there is a way it finds one.
/// - Made of the same input, two are equal bit by bit; `Send + Sync`; all queries take `&self`.
///
/// # Limits
/// In rare places, where an end or a passage leaves the disc hardly any room to spare, a search misses the shortest way and gives a longer one that keeps
/// the radius just as well, now and then a much longer one: less than one path in a hundred on crooked test meshes, 5 of 3,200 on two real levels.
///
/// Links, filters and costs have no say: all ground counts alike, and a door that is a link is a wall.
///
/// # Memory
/// About 40 bytes a side of a triangle and 12 bytes a cell, beside the mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct ClearanceNavMesh {
    mesh: NavMesh,
    table: Table,
    islands: Islands,
    /// Per cell, the triangle that holds its middle.
    seeds: Vec<u32>,
}

/// Memory of queries for a radius. One per thread; it serves any mesh. Grows to 96 bytes a side of a triangle, and 150 bytes a cone seen.
#[derive(Clone, Debug, Default)]
pub struct ClearanceScratch {
    memory: Memory,
    passed: Vec<CellId>,
    fit: fit::Candidates,
    /// The points of a path, in metres from the origin of the frame.
    plan: Vec<Plane>,
    seen: Vec<u32>,
}

impl ClearanceNavMesh {
    /// Joins a mesh and the local clearance triangulation of the same ground.
    ///
    /// Takes time in `n log n`.
    ///
    /// # Errors
    /// [`NavMeshError::Clearance`] for triangles that break their invariants, [`NavMeshError::OtherGround`] for those of another mesh.
    pub fn new(mesh: NavMesh, clearance: &ClearanceMesh) -> Result<Self, NavMeshError> {
        let frame = *mesh.frame();
        let origin = [f64::from(frame.origin.x), f64::from(frame.origin.z)];
        let table = Table::build(clearance, origin, f64::from(frame.cell_size))?;
        let seeds = seeds::find(&mesh, &table, clearance)?;
        let islands = Islands::build(&table);
        Ok(Self { mesh, table, islands, seeds })
    }

    /// The mesh, for all other queries.
    #[must_use]
    pub fn mesh(&self) -> &NavMesh {
        &self.mesh
    }

    /// The mesh alone.
    #[must_use]
    pub fn into_mesh(self) -> NavMesh {
        self.mesh
    }

    /// Number of triangles between the walls.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.table.triangle_count()
    }

    /// Metres from the origin of the frame.
    fn place_of(&self, spot: &Spot) -> Plane {
        let cell = f64::from(self.mesh.frame.cell_size);
        [spot.at.x * cell, spot.at.z * cell]
    }

    /// The triangle that holds a place of a cell.
    fn triangle_at(&self, cell: u32, at: Plane) -> u32 {
        let from = seeds::middle(&self.mesh, cell);
        self.table.walk(self.seeds[cell as usize], None, from, at)
    }
}
