//! The mesh that is judged: plain polygons in the world.

use std::collections::HashMap;

use glam::{DVec2, DVec3, Vec3};
use waymesh_core::{DisjointSets, SurfacePoint, to_u32};
use waymesh_graph::{Link, LinkKind, NavMesh};

use crate::MetricsError;
use crate::scene::{cross, extent, height_at, plan};
use crate::tree::BoxTree;

/// Vertices closer than this along every axis count as one where neighbours are derived. Metres.
const WELD: f64 = 1e-3;

/// Convex polygons in the world, their neighbours, and the height of the ground in them.
///
/// The mesh need not be valid: faults are counted, not refused. Only indices and numbers are
/// checked.
#[derive(Clone, Debug)]
pub struct JudgedMesh {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) polygons: Vec<Vec<u32>>,
    pub(crate) neighbours: Vec<Vec<Option<u32>>>,
    pub(crate) ground: Vec<[DVec3; 3]>,
    /// First triangle of each polygon in `ground`, and the end.
    pub(crate) ground_first: Vec<usize>,
    /// Polygons joined by an open link in both directions that an agent walks over: one that is crossed
    /// like an edge, or up a step that is not higher than the agent's.
    pub(crate) steps: Vec<[u32; 2]>,
    pub(crate) bytes_memory: Option<u64>,
    pub(crate) bytes_file: Option<u64>,
}

impl JudgedMesh {
    /// Makes a mesh of polygons, in either winding.
    ///
    /// - Neighbours are derived: polygons with an edge between the same two places, with a
    ///   tolerance of a millimetre.
    /// - The ground of a polygon is a fan of triangles around the mean of its corners.
    ///
    /// [`JudgedMesh::with_neighbours`] and [`JudgedMesh::with_ground`] replace them.
    ///
    /// # Errors
    /// - [`MetricsError::BadPolygon`] for fewer than three corners or a missing vertex.
    /// - [`MetricsError::NotFinite`] for a vertex with NaN or infinity.
    pub fn new(vertices: &[Vec3], mut polygons: Vec<Vec<u32>>) -> Result<Self, MetricsError> {
        if let Some(element) = vertices.iter().position(|vertex| !vertex.is_finite()) {
            return Err(MetricsError::NotFinite { table: "vertex", element });
        }
        if u32::try_from(polygons.len()).is_err() {
            return Err(MetricsError::BadTable { table: "polygons", polygon: u32::MAX as usize });
        }
        let vertices: Vec<DVec3> = vertices.iter().map(|vertex| vertex.as_dvec3()).collect();
        for (polygon, corners) in polygons.iter_mut().enumerate() {
            let largest = corners.iter().copied().max().unwrap_or(0);
            if corners.len() < 3 || largest as usize >= vertices.len() {
                let (corners, vertices) = (corners.len(), vertices.len());
                return Err(MetricsError::BadPolygon { polygon, corners, largest, vertices });
            }
            if doubled_area(&vertices, corners) < 0.0 {
                corners.reverse();
            }
        }
        let neighbours = derive_neighbours(&vertices, &polygons);
        let (ground, ground_first) = fans(&vertices, &polygons);
        Ok(Self {
            vertices,
            polygons,
            neighbours,
            ground,
            ground_first,
            steps: Vec::new(),
            bytes_memory: None,
            bytes_file: None,
        })
    }

    /// Replaces the neighbours: for each corner of each polygon, in the winding that was passed to
    /// [`JudgedMesh::new`], the polygon across the edge from it to the next corner.
    ///
    /// # Errors
    /// [`MetricsError::BadTable`] if the shape of the table differs from the polygons, or if it
    /// names a missing polygon.
    pub fn with_neighbours(
        mut self,
        polygons: &[Vec<u32>],
        neighbours: Vec<Vec<Option<u32>>>,
    ) -> Result<Self, MetricsError> {
        let count = self.polygons.len();
        let bad = |polygon| Err(MetricsError::BadTable { table: "neighbours", polygon });
        if neighbours.len() != count || polygons.len() != count {
            return bad(neighbours.len().min(count));
        }
        for (polygon, beside) in neighbours.iter().enumerate() {
            let missing = beside.iter().flatten().any(|&other| other as usize >= count);
            if beside.len() != self.polygons[polygon].len()
                || polygons[polygon].len() != beside.len()
                || missing
            {
                return bad(polygon);
            }
        }
        self.neighbours = neighbours;
        for (polygon, corners) in self.polygons.iter().enumerate() {
            if *corners != polygons[polygon] {
                // The winding was reversed: edges run from the other end, and the last one still
                // closes the loop.
                let beside = &mut self.neighbours[polygon];
                beside.reverse();
                beside.rotate_left(1);
            }
        }
        Ok(self)
    }

    /// Replaces the ground: the triangles of each polygon, in either winding. A polygon without
    /// triangles keeps its fan.
    ///
    /// # Errors
    /// - [`MetricsError::BadTable`] if there are not as many lists as polygons.
    /// - [`MetricsError::NotFinite`] for a corner with NaN or infinity.
    pub fn with_ground(mut self, ground: &[Vec<[Vec3; 3]>]) -> Result<Self, MetricsError> {
        if ground.len() != self.polygons.len() {
            let polygon = ground.len().min(self.polygons.len());
            return Err(MetricsError::BadTable { table: "ground", polygon });
        }
        let fans = std::mem::take(&mut self.ground);
        let first = std::mem::replace(&mut self.ground_first, vec![0]);
        for (polygon, triangles) in ground.iter().enumerate() {
            if triangles.iter().flatten().any(|corner| !corner.is_finite()) {
                return Err(MetricsError::NotFinite { table: "ground of polygon", element: polygon });
            }
            if triangles.is_empty() {
                self.ground.extend(&fans[first[polygon]..first[polygon + 1]]);
            }
            self.ground.extend(triangles.iter().map(|corners| corners.map(Vec3::as_dvec3)));
            self.ground_first.push(self.ground.len());
        }
        Ok(self)
    }

    /// Sets the size of the mesh in memory and in its file, for the report.
    #[must_use]
    pub fn with_bytes(mut self, memory: Option<u64>, file: Option<u64>) -> Self {
        (self.bytes_memory, self.bytes_file) = (memory, file);
        self
    }

    /// Number of polygons.
    #[must_use]
    pub fn polygon_count(&self) -> usize {
        self.polygons.len()
    }

    /// The vertices.
    #[must_use]
    pub fn vertices(&self) -> Vec<Vec3> {
        self.vertices.iter().map(|vertex| vertex.as_vec3()).collect()
    }

    /// The vertices of each polygon, all in one winding.
    #[must_use]
    pub fn polygons(&self) -> &[Vec<u32>] {
        &self.polygons
    }

    /// For each corner of each polygon, the polygon across the edge from it to the next corner.
    #[must_use]
    pub fn neighbours(&self) -> &[Vec<Option<u32>>] {
        &self.neighbours
    }

    pub(crate) fn corner(&self, polygon: usize, corner: usize) -> DVec3 {
        let corners = &self.polygons[polygon];
        self.vertices[corners[corner % corners.len()] as usize]
    }

    /// The edges of a polygon as pairs of positions, with the neighbours.
    pub(crate) fn edges(&self, polygon: usize) -> impl Iterator<Item = (DVec3, DVec3, Option<u32>)> + '_ {
        let beside = self.neighbours[polygon].iter().enumerate();
        beside.map(move |(edge, &other)| (self.corner(polygon, edge), self.corner(polygon, edge + 1), other))
    }

    /// The corners of a polygon in the plan.
    pub(crate) fn outline(&self, polygon: usize) -> Vec<DVec2> {
        self.polygons[polygon].iter().map(|&vertex| plan(self.vertices[vertex as usize])).collect()
    }

    /// The island of each polygon, numbered from 0 in the order of their first polygons, and how
    /// many there are.
    pub(crate) fn islands(&self) -> (Vec<usize>, usize) {
        self.pieces(&[])
    }

    /// The pieces of ground, which are islands joined by `steps`; numbered like islands.
    pub(crate) fn pieces(&self, steps: &[[u32; 2]]) -> (Vec<usize>, usize) {
        let mut sets = DisjointSets::new(self.polygons.len());
        for (polygon, beside) in self.neighbours.iter().enumerate() {
            for &other in beside.iter().flatten() {
                sets.unite(to_u32(polygon), other);
            }
        }
        for &[from, to] in steps {
            sets.unite(from, to);
        }
        let roots = sets.roots();
        let mut numbers = vec![0; roots.len()];
        let mut count = 0;
        for polygon in 0..roots.len() {
            if roots[polygon] as usize == polygon {
                numbers[polygon] = count;
                count += 1;
            } else {
                numbers[polygon] = numbers[roots[polygon] as usize];
            }
        }
        (numbers, count)
    }

    /// Height of a polygon's ground at a plan position, from the nearest triangle.
    pub(crate) fn height_in_polygon(&self, polygon: usize, at: DVec2) -> f64 {
        let triangles = &self.ground[self.ground_first[polygon]..self.ground_first[polygon + 1]];
        let nearest = triangles
            .iter()
            .map(|corners| {
                let closest = closest_in_triangle(corners.map(plan), at);
                (closest.distance_squared(at), height_at(corners, closest))
            })
            .filter(|(_, height)| height.is_some())
            .min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.and_then(|(_, height)| height).unwrap_or_else(|| self.corner(polygon, 0).y)
    }
}

impl From<&NavMesh> for JudgedMesh {
    /// Copies the polygons, their neighbours, their height surface, and which of them steps join.
    /// Bytes in memory are computed from the tables.
    fn from(mesh: &NavMesh) -> Self {
        let mesh = mesh.to_compact().into_mesh();
        let vertices: Vec<DVec3> = mesh.vertices().iter().map(|vertex| vertex.as_dvec3()).collect();
        let polygons: Vec<Vec<u32>> = mesh
            .polygons()
            .map(|polygon| polygon.corners().iter().map(|vertex| vertex.0).collect())
            .collect();
        let neighbours = mesh
            .polygons()
            .map(|polygon| polygon.neighbours().map(|other| other.map(|other| other.0)).collect())
            .collect();
        let (ground, ground_first) = match mesh.surface() {
            None => fans(&vertices, &polygons),
            Some(surface) => {
                let position = |point: SurfacePoint| {
                    let [x, height, z] = [point.x, point.height, point.z].map(f64::from);
                    mesh.frame().to_world(x, height, z).as_dvec3()
                };
                let triangle =
                    |corners: &[u32; 3]| corners.map(|point| position(surface.points[point as usize]));
                let first = surface.polygon_triangles.iter().map(|&first| first as usize).collect();
                (surface.triangles.iter().map(triangle).collect(), first)
            }
        };
        let (max_step, level) = (mesh.agent().max_step, mesh.frame().level_height);
        // Treads that overlap in plan have no edge in common.
        let is_step = |link: &Link| {
            let is_low = |end: usize| {
                let rise = link.from.ends[end].height - link.to.ends[end].height;
                rise.abs() * level <= max_step + level
            };
            matches!(link.kind, LinkKind::Level | LinkKind::Step) && is_low(0) && is_low(1)
        };
        let steps = mesh
            .links_by_id()
            .filter(|(_, link)| link.is_open && link.both_ways)
            .filter(|&(id, link)| mesh.is_crossed_like_edge(id) || is_step(link))
            .map(|(_, link)| [link.from.polygon.0, link.to.polygon.0])
            .collect();
        // The size that the mesh documents.
        let corners: usize = polygons.iter().map(Vec::len).sum();
        let surface = mesh.surface().map_or(0, |surface| {
            surface.points.len() * 12 + surface.triangles.len() * 12 + surface.polygon_triangles.len() * 4
        });
        let bytes = corners * 21 + polygons.len() * 80 + vertices.len() * 28 + surface;
        Self {
            vertices,
            polygons,
            neighbours,
            ground,
            ground_first,
            steps,
            bytes_memory: u64::try_from(bytes).ok(),
            bytes_file: None,
        }
    }
}

/// Twice the plan area, positive in the winding of polygons.
fn doubled_area(vertices: &[DVec3], corners: &[u32]) -> f64 {
    let at = |index: usize| plan(vertices[corners[index % corners.len()] as usize]);
    let base = at(0);
    (1..corners.len()).map(|index| cross(base, at(index), at(index + 1))).sum()
}

/// Triangles between the edges of each polygon and the mean of its corners.
fn fans(vertices: &[DVec3], polygons: &[Vec<u32>]) -> (Vec<[DVec3; 3]>, Vec<usize>) {
    let (mut ground, mut first) = (Vec::new(), vec![0]);
    for corners in polygons {
        let at = |index: usize| vertices[corners[index % corners.len()] as usize];
        if corners.len() == 3 {
            ground.push([at(0), at(1), at(2)]);
        } else {
            let mean = (0..corners.len()).map(at).sum::<DVec3>() / corners.len() as f64;
            ground.extend((0..corners.len()).map(|index| [mean, at(index), at(index + 1)]));
        }
        first.push(ground.len());
    }
    (ground, first)
}

/// Returns the number of the place of each vertex. Vertices closer than [`WELD`] have the same
/// place.
pub(crate) fn weld(vertices: &[DVec3]) -> Vec<usize> {
    #[expect(clippy::cast_possible_truncation, reason = "saturates: far away all is one place")]
    let key = |vertex: &DVec3| vertex.to_array().map(|value| (value / WELD).floor() as i64);
    let mut places: HashMap<[i64; 3], usize> = HashMap::new();
    let mut numbers = Vec::with_capacity(vertices.len());
    for (index, vertex) in vertices.iter().enumerate() {
        let [x, y, z] = key(vertex);
        let around =
            (-1..=1).flat_map(|dx| (-1..=1).flat_map(move |dy| (-1..=1).map(move |dz| (dx, dy, dz))));
        let keys =
            around.map(|(dx, dy, dz)| [x.saturating_add(dx), y.saturating_add(dy), z.saturating_add(dz)]);
        let near = |&other: &usize| (vertices[other] - *vertex).abs().max_element() <= WELD;
        let same = keys.filter_map(|key| places.get(&key).copied()).filter(near).min();
        numbers.push(same.map_or(index, |other| numbers[other]));
        places.entry([x, y, z]).or_insert(index);
    }
    numbers
}

/// Finds polygons that have the same edge in opposite directions; of three or more, the first two.
fn derive_neighbours(vertices: &[DVec3], polygons: &[Vec<u32>]) -> Vec<Vec<Option<u32>>> {
    let places = weld(vertices);
    let mut neighbours: Vec<Vec<Option<u32>>> =
        polygons.iter().map(|corners| vec![None; corners.len()]).collect();
    let mut open: HashMap<(usize, usize), (usize, usize)> = HashMap::new();
    for (polygon, corners) in polygons.iter().enumerate() {
        for edge in 0..corners.len() {
            let from = places[corners[edge] as usize];
            let to = places[corners[(edge + 1) % corners.len()] as usize];
            if let Some((other, other_edge)) = open.remove(&(to, from)) {
                neighbours[polygon][edge] = u32::try_from(other).ok();
                neighbours[other][other_edge] = u32::try_from(polygon).ok();
            } else {
                open.entry((from, to)).or_insert((polygon, edge));
            }
        }
    }
    neighbours
}

fn closest_in_triangle([a, b, c]: [DVec2; 3], at: DVec2) -> DVec2 {
    let sign = cross(a, b, c).signum();
    let outside = [(a, b), (b, c), (c, a)].into_iter().filter(|&(a, b)| cross(a, b, at) * sign < 0.0);
    let closest = outside.map(|(a, b)| crate::walk::closest_on_segment(a, b, at));
    closest.min_by(|p, q| p.distance_squared(at).total_cmp(&q.distance_squared(at))).unwrap_or(at)
}

/// Finds polygons by position.
#[derive(Clone, Debug)]
pub(crate) struct MeshIndex<'a> {
    mesh: &'a JudgedMesh,
    tree: BoxTree,
    /// Polygon of each ground triangle.
    owners: Vec<usize>,
}

impl<'a> MeshIndex<'a> {
    pub(crate) fn new(mesh: &'a JudgedMesh) -> Self {
        let tree = BoxTree::new(mesh.ground.iter().map(extent));
        let ranges = mesh.ground_first.windows(2).enumerate();
        let owners = ranges.flat_map(|(polygon, range)| (range[0]..range[1]).map(move |_| polygon)).collect();
        Self { mesh, tree, owners }
    }

    /// Returns the polygon at a position and the height of its ground there. Of those within
    /// `tolerance` above and below, it is the nearest.
    pub(crate) fn locate(&self, at: DVec3, tolerance: f64) -> Option<(usize, f64)> {
        let reach = DVec3::Y * tolerance;
        let mut best: Option<(f64, usize, f64)> = None;
        self.tree.overlapping(at - reach, at + reach, |triangle| {
            if let Some(height) = height_at(&self.mesh.ground[triangle], plan(at)) {
                let (off, polygon) = ((height - at.y).abs(), self.owners[triangle]);
                if off <= tolerance && best.is_none_or(|best| (off, polygon) < (best.0, best.1)) {
                    best = Some((off, polygon, height));
                }
            }
        });
        best.map(|(_, polygon, height)| (polygon, height))
    }

    /// Calls `visit` with the polygons with ground in a box, possibly more than once.
    pub(crate) fn polygons_in(&self, low: DVec3, high: DVec3, mut visit: impl FnMut(usize)) {
        self.tree.overlapping(low, high, |triangle| visit(self.owners[triangle]));
    }
}
