//! The navigation mesh as flat tables.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use glam::Vec3;
use waymesh_core::{
    Agent, AreaId, AreaTable, Bounds, GridFrame, HeightSurface, PlanVertex, Poly, PolyId, PolyMesh, Random,
    RegionId, Validate, VertexId, ViolationList, threads, to_u32,
};

use super::bounds::{Corner, NO_NEIGHBOUR, PolygonBounds, polygon_bounds, rounding_slack};
use super::box_index::BoxIndex;
use super::bridges::Bridges;
use super::check::{check_frame, check_polygons, check_surface, check_vertices};
use super::error::NavMeshError;
use super::fans::{Edges, Fans, WalkEdge, around, walk_edges};
use super::ground::Ground;
use super::height_tables::{HeightTables, SurfaceView};
use super::islands::{Island, IslandId, NO_ISLAND, find_islands};
use super::links::Links;
use super::oracle::AttachedOracle;
use super::squares::Buckets;
use super::table::Table;
use super::tiles::TilePolygon;
use super::tiles::tables::TileTables;

/// Corners of a mesh from which its tables are made on several threads: with fewer, waking them
/// takes longer than they save.
const PARALLEL_CORNERS: usize = 1 << 12;

/// A checksum of the polygons of a mesh.
///
/// Two meshes with the same polygons have the same generation, two others differ (but for one
/// chance in 2^64). It shows whether a polygon id that was kept while the mesh was baked again
/// still means the same polygon.
#[doc(alias = "salt")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub u64);

/// A navigation mesh: convex polygons, the portals and links between them, and the height of their
/// ground.
///
/// # Guarantees
/// - Everything that [`PolyMesh`] and [`HeightSurface`] guarantee: no other data becomes a
///   `NavMesh`.
/// - Made of the same input, two meshes are equal bit by bit. The ids of links do not count, nor
///   what a mesh of tiles ([`TiledMesh`](crate::TiledMesh)) leaves free in its tables: meshes are
///   compared in their compact form ([`NavMesh::to_compact`]).
/// - Its polygons never change. Links can be added and removed ([`NavMesh::add_link`],
///   [`NavMesh::remove_link`]), opened and closed ([`NavMesh::set_link_open`]).
/// - All queries take `&self`, and it is `Send + Sync`.
///
/// # Positions
/// Positions are rounded to single precision: one on a wall may lie beyond it by a unit in the last
/// place. One rule holds for every query: **a position that a query returned is on the
/// mesh.** Each query accepts a position within [`NavMesh::position_slack`] of a polygon as one of
/// that polygon: rays run along walls and along the segments of paths, moves follow walls, and
/// places within a radius include those that lie farther by the slack. The height of a position is
/// that of the ground within the slack: on steep ground far from the origin it is off by the slope
/// times the slack, which is millimetres.
///
/// Where pieces of ground touch at a corner or a line without a crossing, a position there lies on
/// each of them. A path between positions is the best of those between the pieces at its ends;
/// [`NavMesh::nearest_towards`] picks the piece from which a ray or a step gets farthest. A closed
/// link keeps the ground beyond it apart. A [`Location`](crate::Location) and a corridor's agent
/// stay on the piece of their polygon.
///
/// # Memory
/// About 45 bytes a corner, 110 bytes a polygon and 28 bytes a vertex, plus the height surface and
/// 52 bytes for each triangle of it. Clones share it, but for links.
#[doc(alias = "dtNavMesh")]
#[derive(Clone, Debug)]
pub struct NavMesh {
    pub(crate) frame: GridFrame,
    pub(crate) agent: Agent,
    pub(crate) generation: Generation,
    pub(crate) vertices: Vertices,
    pub(crate) topology: Topology,
    pub(crate) area_table: Arc<AreaTable>,
    pub(crate) index: Index,
    pub(crate) islands: Islands,
    pub(crate) links: Links,
    pub(crate) surface: Surface,
    /// Additional tables of a mesh of tiles.
    pub(crate) tiles: Option<Arc<TileTables>>,
    /// Tables for shortest paths, perhaps of other links.
    pub(crate) oracle: Option<AttachedOracle>,
}

impl PartialEq for NavMesh {
    fn eq(&self, other: &Self) -> bool {
        if self.is_tiled() || other.is_tiled() {
            return self.to_compact().mesh() == other.to_compact().mesh();
        }
        // All of it, whatever is added.
        let Self {
            frame,
            agent,
            generation,
            vertices,
            topology,
            area_table,
            index,
            islands,
            links,
            surface,
            tiles: _,
            oracle: _,
        } = self;
        *frame == other.frame
            && *agent == other.agent
            && *generation == other.generation
            && *vertices == other.vertices
            && *topology == other.topology
            && *area_table == other.area_table
            && *index == other.index
            && *islands == other.islands
            && *links == other.links
            && *surface == other.surface
    }
}

impl TryFrom<PolyMesh> for NavMesh {
    type Error = NavMeshError;

    /// Returns a mesh without height surface, for the default agent.
    fn try_from(polygons: PolyMesh) -> Result<Self, NavMeshError> {
        Self::new(polygons, None, Agent::default())
    }
}

impl NavMesh {
    /// Checks the input and makes the mesh. World coordinates are computed here, once, in double
    /// precision.
    ///
    /// Takes time in `n log n`.
    ///
    /// # Errors
    /// Names the first thing that is out of range: see [`NavMeshError`].
    pub fn new(
        polygons: PolyMesh,
        surface: Option<HeightSurface>,
        agent: Agent,
    ) -> Result<Self, NavMeshError> {
        agent.validate()?;
        check_frame(&polygons.frame)?;
        check_vertices(&polygons.frame, &polygons.vertices)?;
        let used =
            polygons.polygons.last().map_or(0, |polygon| u64::from(polygon.first) + u64::from(polygon.len));
        if used != polygons.corners.len() as u64 {
            return Err(NavMeshError::TableLength {
                table: "polygon_corners",
                actual: polygons.corners.len(),
                expected: usize::try_from(used).unwrap_or(usize::MAX),
            });
        }
        check_polygons(&polygons)?;
        if let Some(surface) = &surface {
            check_surface(surface, &polygons)?;
        }
        Ok(Self::build(polygons, surface, agent))
    }

    pub(crate) fn build(polygons: PolyMesh, surface: Option<HeightSurface>, agent: Agent) -> Self {
        let frame = polygons.frame;
        let surface = surface.map(HeightTables::from);
        let vertices: Vec<Vec3> = polygons.vertices.iter().map(|&vertex| frame.position(vertex)).collect();
        let corners: Vec<Corner> = polygons
            .corners
            .iter()
            .map(|vertex| {
                let PlanVertex { point, height } = polygons.vertices[vertex.index()];
                Corner { x: point.x, z: point.z, height }
            })
            .collect();
        let polygon_first: Vec<u32> =
            polygons.polygons.iter().map(|polygon| polygon.first).chain([to_u32(corners.len())]).collect();
        let neighbours: Vec<u32> = polygons
            .neighbours
            .iter()
            .map(|neighbour| neighbour.map_or(NO_NEIGHBOUR, |polygon| polygon.0))
            .collect();
        // Tables that need no other.
        let is_long = corners.len() >= PARALLEL_CORNERS;
        let find_walk = || {
            let edges = Edges {
                polygon_first: &polygon_first,
                corners: &corners,
                vertices: &polygons.corners,
                neighbours: &neighbours,
            };
            let fans = Fans::find(&edges);
            let walk = walk_edges(&corners, &neighbours, &fans);
            (fans, walk)
        };
        let find_bounds = || {
            let bounds = polygon_bounds(&polygon_first, &corners, surface.as_ref());
            let index = BoxIndex::build(&bounds);
            let ground = surface.as_ref().map(Ground::of).unwrap_or_default();
            (bounds, index, ground)
        };
        let find_islands = || {
            let islands = find_islands(&polygon_first, &neighbours, &corners, frame.cell_area());
            (islands, Bridges::find(&polygon_first, &neighbours))
        };
        let find_generation = || generation(&frame, &polygon_first, &corners, &neighbours);
        let (((fans, walk), (bounds, index, ground)), (((polygon_islands, islands), bridges), generation)) =
            threads::join(
                is_long,
                || threads::join(is_long, find_walk, find_bounds),
                || threads::join(is_long, find_islands, find_generation),
            );
        let buckets = Buckets::build(&bounds, &polygon_first, &walk);
        let (plan_slack, height_slack) = rounding_slack(&frame, &vertices, &bounds);
        Self {
            frame,
            agent,
            generation,
            vertices: Vertices {
                plan: polygons.vertices.into(),
                world: vertices.into(),
                plan_slack,
                height_slack,
            },
            topology: Topology {
                polygon_first: polygon_first.into(),
                corner_vertices: polygons.corners.into(),
                corners: corners.into(),
                neighbours: neighbours.into(),
                regions: polygons.polygons.iter().map(|polygon| polygon.region).collect(),
                areas: polygons.polygons.iter().map(|polygon| polygon.area.0).collect(),
                walk: walk.into(),
                fans,
                bridges,
            },
            area_table: Arc::default(),
            index: Index { bounds: bounds.into(), boxes: index, buckets },
            islands: Islands { of_polygon: polygon_islands.into(), figures: islands.into() },
            links: Links::default(),
            surface: Surface { heights: surface, ground },
            tiles: None,
            oracle: None,
        }
    }

    /// Returns the place and size of the grid.
    #[must_use]
    pub fn frame(&self) -> &GridFrame {
        &self.frame
    }

    /// Returns the agent that the mesh was baked for.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Returns all vertices as world positions in metres. On a mesh of tiles some are of no polygon.
    #[must_use]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices.world
    }

    /// Returns all vertices in the grid, exactly.
    #[must_use]
    pub fn plan_vertices(&self) -> &[PlanVertex] {
        &self.vertices.plan
    }

    /// Returns the checksum of the polygons.
    #[must_use]
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// Returns the number of polygons. Their ids are those below it, unless this is a mesh of tiles:
    /// see [`NavMesh::polygon_bound`].
    #[must_use]
    pub fn polygon_count(&self) -> usize {
        self.tiles().map_or(self.topology.areas.len(), |tiles| tiles.count())
    }

    /// Returns the least number that is above the ids of all polygons: for tables that are looked up
    /// by ids. It is [`NavMesh::polygon_count`], but for a mesh of tiles, such as that of a world:
    /// there a polygon keeps its id while others come and go, and ids in between are of no polygon.
    #[must_use]
    pub fn polygon_bound(&self) -> usize {
        self.topology.areas.len()
    }

    /// Returns `true` if there is a polygon of this id. Constant time.
    #[inline]
    #[must_use]
    pub fn has_polygon(&self, polygon: PolyId) -> bool {
        self.islands.of_polygon.get(polygon.index()).is_some_and(|&island| island != NO_ISLAND)
    }

    /// Returns the ids of all polygons, ascending.
    pub fn polygon_ids(&self) -> impl DoubleEndedIterator<Item = PolyId> + '_ {
        let ids = (0..self.polygon_bound()).map(PolyId::from_index);
        ids.filter(|&polygon| self.has_polygon(polygon))
    }

    /// Orders two existing polygons as their ids in the compact form ([`NavMesh::to_compact`]), which
    /// does not depend on the history of tiles.
    #[inline]
    #[must_use]
    pub fn compare_polygons(&self, one: PolyId, other: PolyId) -> Ordering {
        match self.tiles() {
            None => one.cmp(&other),
            Some(tiles) => tiles.place(one.0).cmp(&tiles.place(other.0)),
        }
    }

    /// Returns `true` if a polygon comes before another by [`NavMesh::compare_polygons`].
    #[inline]
    pub(crate) fn precedes(&self, one: u32, other: u32) -> bool {
        if !self.is_tiled() { one < other } else { self.compare_polygons(PolyId(one), PolyId(other)).is_lt() }
    }

    /// Calls `visit` for the polygons whose boxes, and boxes around them, `overlaps` accepts. All of
    /// them must come within `area`, in cells: lowest x and z, then highest.
    pub(crate) fn all_in(
        &self,
        area: [f64; 4],
        overlaps: impl Fn(&PolygonBounds) -> bool,
        visit: impl FnMut(u32),
    ) {
        match self.tiles() {
            None => self.index.boxes.all(overlaps, visit),
            Some(tiles) => tiles.places.all(area, &self.index.bounds, overlaps, visit),
        }
    }

    /// Returns the additional tables of a mesh of tiles. Without the feature `tiles` the result is
    /// always `None`, and code for tiles is left out of programs.
    #[inline]
    pub(crate) fn tiles(&self) -> Option<&Arc<TileTables>> {
        if cfg!(feature = "tiles") { self.tiles.as_ref() } else { None }
    }

    /// `true` for a mesh of tiles.
    #[inline]
    pub(crate) fn is_tiled(&self) -> bool {
        self.tiles().is_some()
    }

    /// Returns the tile of a polygon, and its number in it. `None` if there is no such polygon, or
    /// this is no mesh of tiles ([`TiledMesh`](crate::TiledMesh)).
    #[must_use]
    pub fn tile_polygon(&self, polygon: PolyId) -> Option<TilePolygon> {
        let tiles = self.tiles().filter(|_| self.has_polygon(polygon))?;
        Some(tiles.place(polygon.0))
    }

    /// Returns the number of portals, each counted once.
    #[must_use]
    pub fn portal_count(&self) -> usize {
        let portals = |polygon: PolyId| {
            let neighbours = self.topology.neighbours[self.edge_range(polygon.index())].iter();
            neighbours.filter(|&&neighbour| neighbour != NO_NEIGHBOUR).count()
        };
        self.polygon_ids().map(portals).sum::<usize>() / 2
    }

    /// Returns the plan area of all polygons in square metres.
    #[must_use]
    pub fn area(&self) -> f64 {
        // The sum of nothing is -0.
        self.islands.figures.iter().map(|island| island.area).sum::<f64>() + 0.0
    }

    /// Returns the oracle, if it is one for the polygons and links of this mesh.
    pub(crate) fn oracle_in_use(&self) -> Option<&AttachedOracle> {
        let now = [self.generation.0, self.links.stamp];
        self.oracle.as_ref().filter(|oracle| oracle.valid_for == now)
    }

    /// Returns the names, costs and colours of areas, as far as they are known.
    #[must_use]
    pub fn area_table(&self) -> &AreaTable {
        &self.area_table
    }

    /// Sets the names, costs and colours of areas, and the classes of head room: with them, the
    /// area of every polygon is read as a code ([`waymesh_core::HeadRooms`]).
    #[must_use]
    pub fn with_area_table(mut self, table: AreaTable) -> Self {
        self.area_table = Arc::new(table);
        self
    }

    /// Returns the least head room of a polygon in metres: the height of its class, or of the agent
    /// where the ground has no classes of head room. `None` for an id without a polygon.
    #[must_use]
    pub fn head_room(&self, polygon: PolyId) -> Option<f32> {
        self.has_polygon(polygon).then(|| self.room_at(polygon))
    }

    /// Returns the head room of an existing polygon.
    #[inline]
    pub(crate) fn room_at(&self, polygon: PolyId) -> f32 {
        let code = AreaId(self.topology.areas[polygon.index()]);
        self.area_table.head_rooms().height(code).unwrap_or(self.agent.height)
    }

    /// Returns the area of an existing polygon.
    #[inline]
    pub(crate) fn area_at(&self, polygon: PolyId) -> AreaId {
        self.area_table.head_rooms().area(AreaId(self.topology.areas[polygon.index()]))
    }

    /// Returns the area of this name; `None` if the mesh has none.
    #[must_use]
    pub fn area_by_name(&self, name: &str) -> Option<AreaId> {
        self.area_table.by_name(name)
    }

    /// Returns the box around all polygons; `None` for a mesh without any. Vertices that no polygon
    /// has do not count. Linear time.
    #[must_use]
    pub fn world_bounds(&self) -> Option<Bounds> {
        let vertices =
            self.polygon_ids().flat_map(|id| &self.topology.corner_vertices[self.edge_range(id.index())]);
        let corners = vertices.map(|vertex| self.vertices.world[vertex.index()]);
        Some(Bounds::of(corners)).filter(Bounds::is_valid)
    }

    /// Returns all islands, in the order of their first polygons; in any order on a mesh of tiles.
    #[must_use]
    pub fn islands(&self) -> &[Island] {
        &self.islands.figures
    }

    /// Returns the island of a polygon; `None` if there is no such polygon. Constant time.
    #[inline]
    #[must_use]
    pub fn island_of(&self, polygon: PolyId) -> Option<IslandId> {
        self.has_polygon(polygon).then(|| IslandId(self.island_at(polygon.0)))
    }

    /// Returns the island of an existing polygon.
    #[inline]
    pub(crate) fn island_at(&self, polygon: u32) -> u32 {
        let island = self.islands.of_polygon[polygon as usize];
        self.tiles().map_or(island, |tiles| tiles.island(island))
    }

    /// Returns `true` if a path without links leads from one polygon to the other, over any ground.
    /// Constant time.
    #[inline]
    #[must_use]
    pub fn same_island(&self, first: PolyId, second: PolyId) -> bool {
        self.island_of(first).is_some_and(|island| self.island_of(second) == Some(island))
    }

    /// Returns the height of the ground as triangles, if the mesh has them. On a mesh of tiles the
    /// tables also hold triangles and points of no polygon.
    #[must_use]
    pub fn surface(&self) -> Option<SurfaceView<'_>> {
        self.surface.heights.as_ref().map(HeightTables::view)
    }

    /// Returns the polygons that the mesh was made of; those of a mesh of tiles in its compact form
    /// ([`NavMesh::to_compact`]).
    #[must_use]
    pub fn poly_mesh(&self) -> PolyMesh {
        if self.is_tiled() {
            return self.to_compact().mesh().poly_mesh();
        }
        let polygon = |index: usize| {
            let [first, end] = [self.topology.polygon_first[index], self.topology.polygon_first[index + 1]];
            Poly {
                first,
                len: end - first,
                region: self.topology.regions[index],
                area: AreaId(self.topology.areas[index]),
            }
        };
        let neighbour = |&neighbour: &u32| (neighbour != NO_NEIGHBOUR).then_some(PolyId(neighbour));
        PolyMesh {
            frame: self.frame,
            vertices: self.vertices.plan.to_vec(),
            polygons: (0..self.polygon_count()).map(polygon).collect(),
            corners: self.topology.corner_vertices.to_vec(),
            neighbours: self.topology.neighbours.iter().map(neighbour).collect(),
        }
    }

    pub(crate) fn find_fans(&mut self) {
        let twins = self.topology.fans.twins.clone();
        self.topology.fans =
            Fans::of_twins(&self.edges(), twins, |polygon| self.has_polygon(PolyId(polygon)));
    }

    /// Returns the tables that fans are made of.
    pub(crate) fn edges(&self) -> Edges<'_> {
        Edges {
            polygon_first: &self.topology.polygon_first,
            corners: &self.topology.corners,
            vertices: &self.topology.corner_vertices,
            neighbours: &self.topology.neighbours,
        }
    }

    /// Calls `visit` with all corners of the fan of a corner ([`around`]).
    pub(crate) fn around_corner(&self, polygon: u32, corner: u32, visit: impl FnMut(u32, u32)) -> bool {
        around(&self.edges(), &self.topology.fans.twins, polygon, corner, visit)
    }

    #[inline]
    pub(crate) fn walk_edges(&self, polygon: u32) -> &[WalkEdge] {
        &self.topology.walk[self.edge_range(polygon as usize)]
    }

    /// Indices of a polygon's corners, which are also those of its edges.
    #[inline]
    pub(crate) fn edge_range(&self, polygon: usize) -> Range<usize> {
        self.topology.polygon_first[polygon] as usize..self.topology.polygon_first[polygon + 1] as usize
    }
}

impl Validate for NavMesh {
    /// Checks once more what [`NavMesh::new`] has checked: polygons, neighbours, height surface.
    fn violations(&self, out: &mut ViolationList) {
        if self.is_tiled() {
            self.tile_violations(out);
            return self.to_compact().mesh().violations(out);
        }
        let polygons = self.poly_mesh();
        polygons.violations(out);
        if let Some(surface) = &self.surface.heights {
            surface.view().to_surface().violations_over(&polygons, out);
        }
    }
}

/// Returns a checksum of the polygons.
fn generation(
    frame: &GridFrame,
    polygon_first: &[u32],
    corners: &[Corner],
    neighbours: &[u32],
) -> Generation {
    let mut sum = 0_u64;
    let mut add = |value: u32| {
        sum = Random::mix(sum.wrapping_add(u64::from(value)).wrapping_add(0x9e37_79b9_7f4a_7c15))
    };
    let frame = [frame.origin.x, frame.origin.y, frame.origin.z, frame.cell_size, frame.level_height];
    frame.iter().for_each(|value| add(value.to_bits()));
    polygon_first.iter().chain(neighbours).for_each(|&value| add(value));
    for corner in corners {
        add(corner.x.cast_unsigned());
        add(corner.z.cast_unsigned());
        add(corner.height.to_bits());
    }
    Generation(sum)
}

/// The vertices in the grid and in the world, and the rounding between the two.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vertices {
    pub(crate) plan: Table<PlanVertex>,
    pub(crate) world: Table<Vec3>,
    /// Largest error of a position by rounding of world coordinates, in cells.
    pub(crate) plan_slack: f64,
    /// Largest error of a height by rounding, in levels.
    pub(crate) height_slack: f64,
}

/// The polygons: their corners, what lies across each edge, and what they are made of.
///
/// Corners and edges have one number: an edge leads from its corner to the next of the polygon. The
/// last three follow from the others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Topology {
    /// First corner of each polygon, and the number of corners at the end.
    pub(crate) polygon_first: Table<u32>,
    pub(crate) corner_vertices: Table<VertexId>,
    pub(crate) corners: Table<Corner>,
    /// For each corner, the polygon across the edge that starts there, or
    /// [`NO_NEIGHBOUR`](super::bounds::NO_NEIGHBOUR).
    pub(crate) neighbours: Table<u32>,
    pub(crate) regions: Table<RegionId>,
    pub(crate) areas: Table<u8>,
    pub(crate) walk: Table<WalkEdge>,
    pub(crate) fans: Fans,
    pub(crate) bridges: Bridges,
}

/// The spatial index. On a mesh of tiles only the boxes of polygons are in use: each row and column
/// of tiles has its own index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Index {
    /// The box of each polygon.
    pub(crate) bounds: Table<PolygonBounds>,
    pub(crate) boxes: BoxIndex,
    /// The polygons at each square of the plan.
    pub(crate) buckets: Buckets,
}

/// The connected pieces of ground.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Islands {
    /// Island of each polygon, or [`NO_ISLAND`](super::islands::NO_ISLAND) for a free slot. On a mesh
    /// of tiles these are components of tiles, see `NavMesh::island_at`.
    pub(crate) of_polygon: Table<u32>,
    pub(crate) figures: Table<Island>,
}

/// The height of the ground, if the mesh has a surface.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Surface {
    pub(crate) heights: Option<HeightTables>,
    /// The triangles of `heights`, to be read in a row.
    pub(crate) ground: Ground,
}
