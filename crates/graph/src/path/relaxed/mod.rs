//! Convexity relaxation: convex polygons that together are nearly convex are one node of the
//! search.

mod merge;
pub(crate) mod query;

use waymesh_core::{BadField, PolyId, to_u32};

use crate::locate::error::QueryError;
use crate::mesh::bounds::NO_NEIGHBOUR;
use crate::mesh::nav_mesh::{Generation, NavMesh};
use crate::mesh::table::{firsts, list_of};

/// No edge: a group's first polygon has none that leads up.
const NO_GROUP: u32 = u32::MAX;

/// Nearly convex polygons over a mesh, for a search with fewer nodes.
///
/// Pass a reference to it as [`PathOptions::search`](crate::PathOptions::search).
///
/// - Convex polygons are merged to groups. No corner of a group lies farther than
///   [`RelaxedPolygons::distance`] inside of its convex hull. A round pillar, or a wall with
///   shallow niches, then does not divide the ground.
/// - The search (A\*) goes from border to border of groups, straight through each. The path is then
///   pulled through the convex polygons of the groups that were found, so it never leaves the
///   mesh: it is the shortest *in this corridor*, exactly, as with
///   [`PathSearch::Fast`](crate::PathSearch::Fast).
/// - The mesh keeps its convex polygons, and every other query uses them. The groups can be made
///   for any mesh at any time, with any distance.
/// - A group is a tree of polygons: there is one way through it from polygon to polygon. Merging
///   does not enclose anything.
/// - Valid for the polygons of the mesh they were made for, with any links, filter and costs. On
///   other polygons, and where a filter or a cost closes a polygon inside of a group that the path
///   passes, the path is searched for as with [`PathSearch::Fast`](crate::PathSearch::Fast). A
///   cost per metre is taken from the polygon by which a group is entered; polygons of different
///   areas are never merged.
///
/// # Memory
/// 16 bytes a polygon, 12 for each edge between groups.
///
/// # References
/// Oliva and Pelechano 2011, Automatic generation of suboptimal navmeshes (convexity relaxation);
/// Oliva 2012, master thesis, section 6. There the relaxed polygons are the mesh, and a straight
/// path through one may cut into a wall by the distance; here a path does not.
///
/// ```
/// # use glam::Vec3;
/// # use waymesh_core::{AreaId, GridFrame, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId, VertexId};
/// # let plan = [(0, 0), (40, 0), (40, 20), (21, 20), (20, 19), (19, 20), (0, 20), (20, 0)];
/// # let mesh = waymesh_graph::NavMesh::try_from(PolyMesh {
/// #     frame: GridFrame { origin: Vec3::ZERO, cell_size: 0.1, level_height: 0.1, width: 40, depth: 20 },
/// #     vertices: plan.map(|(x, z)| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }).to_vec(),
/// #     polygons: [(0, 5), (5, 5)].map(|(first, len)| Poly { first, len, region: RegionId(0), area: AreaId::GROUND }).to_vec(),
/// #     corners: [0, 7, 4, 5, 6, 7, 1, 2, 3, 4].map(VertexId).to_vec(),
/// #     neighbours: [None, Some(PolyId(1)), None, None, None, None, None, None, None, Some(PolyId(0))].to_vec(),
/// # })?;
/// use waymesh_graph::RelaxedPolygons;
///
/// // A room with a wall that sticks out by a tenth of a metre: two convex polygons.
/// let relaxed = RelaxedPolygons::new(&mesh, 0.2)?;
/// assert_eq!((mesh.polygon_count(), relaxed.len()), (2, 1));
/// let (from, to) = (Vec3::new(0.5, 0.0, 1.95), Vec3::new(3.5, 0.0, 1.95));
/// let path = mesh.query().search(&relaxed).path(from, to)?;
/// assert_eq!(path.points, [from, Vec3::new(2.0, 0.0, 1.9), to]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RelaxedPolygons {
    distance: f32,
    generation: Generation,
    /// Per polygon: its group.
    of: Vec<u32>,
    /// Per polygon: its place in the tree of its group.
    places: Vec<Place>,
    /// First entry in `portals` of each group, and their number at the end.
    first_portal: Vec<u32>,
    portals: Vec<Portal>,
    /// First entry in `polygons` of each group, and their number at the end.
    first_polygon: Vec<u32>,
    /// The polygons of all groups, ascending in each.
    polygons: Vec<u32>,
}

/// A polygon in the tree of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    depth: u32,
    /// The edge of this polygon that leads towards the group's first polygon.
    up: u32,
}

/// An edge from a group to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Portal {
    edge: u32,
    polygon: u32,
    neighbour: u32,
}

impl RelaxedPolygons {
    /// The largest number of corners of a group.
    pub const MAX_CORNERS: usize = 256;

    /// Merges polygons across their longest edges first, as long as no corner of a group lies
    /// farther than `distance` metres inside of its hull. Only polygons of one region and area are
    /// merged. With 0, only what is convex together is.
    ///
    /// Takes time in `n log n`: groups have at most [`RelaxedPolygons::MAX_CORNERS`] corners.
    ///
    /// # Errors
    /// [`QueryError::BadField`] if `distance` is negative, infinite or NaN.
    pub fn new(mesh: &NavMesh, distance: f32) -> Result<Self, QueryError> {
        BadField::unless_length("distance", distance)?;
        let groups = merge::merge(mesh, f64::from(distance) / f64::from(mesh.frame.cell_size));
        Ok(Self::tables(mesh, distance, &groups))
    }

    /// `names` has for each polygon the lowest one of its group.
    fn tables(mesh: &NavMesh, distance: f32, names: &[u32]) -> Self {
        let mut groups = 0;
        let mut of: Vec<u32> = Vec::with_capacity(names.len());
        for (polygon, &name) in (0_u32..).zip(names) {
            let is_first = name == polygon;
            if !mesh.has_polygon(PolyId(polygon)) {
                of.push(NO_GROUP);
                continue;
            }
            of.push(if is_first { groups } else { of[name as usize] });
            groups += u32::from(is_first);
        }
        let mut polygons: Vec<u32> = mesh.polygon_ids().map(|polygon| polygon.0).collect();
        polygons.sort_by_key(|&polygon| of[polygon as usize]);
        let first_polygon = firsts(groups as usize, polygons.iter().map(|&polygon| of[polygon as usize]));
        let mut relaxed = Self {
            distance,
            generation: mesh.generation,
            of,
            places: vec![Place { depth: NO_GROUP, up: NO_GROUP }; names.len()],
            first_portal: vec![0],
            portals: Vec::new(),
            first_polygon,
            polygons,
        };
        for group in 0..groups {
            relaxed.add_group(mesh, group);
        }
        relaxed
    }

    /// Walks the tree of a group from its first polygon and lists its portals.
    fn add_group(&mut self, mesh: &NavMesh, group: u32) {
        let mut stack = vec![self.members(group)[0]];
        self.places[stack[0] as usize].depth = 0;
        let first = self.portals.len();
        while let Some(polygon) = stack.pop() {
            let depth = self.places[polygon as usize].depth;
            for edge in mesh.edge_range(polygon as usize) {
                let neighbour = mesh.topology.neighbours[edge];
                let edge = to_u32(edge);
                if neighbour == NO_NEIGHBOUR {
                    continue;
                }
                if self.of[neighbour as usize] != group {
                    self.portals.push(Portal { edge, polygon, neighbour });
                } else if self.places[neighbour as usize].depth == NO_GROUP {
                    self.places[neighbour as usize] =
                        Place { depth: depth + 1, up: mesh.topology.fans.twin(edge) };
                    stack.push(neighbour);
                }
            }
        }
        self.portals[first..].sort_unstable_by_key(|portal| portal.edge);
        self.first_portal.push(to_u32(self.portals.len()));
    }

    /// Returns the number of groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.first_portal.len() - 1
    }

    /// Returns `true` if there are none, because the mesh has no polygons.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how far inside of the hull of its group a corner may lie, in metres.
    #[must_use]
    pub fn distance(&self) -> f32 {
        self.distance
    }

    /// Returns the group of a polygon, numbered by the first polygon of each; `None` if there is no
    /// such polygon.
    #[must_use]
    pub fn group_of(&self, polygon: PolyId) -> Option<u32> {
        self.of.get(polygon.index()).copied().filter(|&group| group != NO_GROUP)
    }

    /// The polygons of a group, ascending.
    fn members(&self, group: u32) -> &[u32] {
        list_of(&self.first_polygon, &self.polygons, group)
    }

    fn portals(&self, group: u32) -> &[Portal] {
        list_of(&self.first_portal, &self.portals, group)
    }
}
