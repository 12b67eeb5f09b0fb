//! Local clearance triangulation: how wide a body may be, for every way through every triangle.

use waymesh_core::{ClearanceMesh, ClearanceTriangle, ClearanceVertex, TriangleId, Triangulation, VertexId};

use crate::TriangulateError;
use crate::assemble::NONE;
use crate::outline::corner_at;
use crate::surface::{Place, Point, Surface, distance_squared, side_of, turn};

/// A wall is not split nearer than this to one of its ends, in cells. Widths are then too large by at most its square over twice the
/// width: less than a millionth of a cell for gaps of a cell.
const NEAREST_SPLIT: f64 = 1e-3;
/// How far from its wall a new vertex may come out by rounding, in cells: the error of coordinates up to 2^30 is below 2^-22.
const OFF_WALL: f64 = 1.0 / (1 << 21) as f64;

/// Configuration of [`triangulate_clearance`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClearanceConfig {
    /// Widest body that will ever be asked for (its diameter), in metres. Wider passages need no refinement, which saves vertices; a
    /// clearance above it may come out too large, never one below. Default infinite, above 0.
    pub max_width: f32,
}

impl Default for ClearanceConfig {
    fn default() -> Self {
        Self { max_width: f32::INFINITY }
    }
}

impl ClearanceConfig {
    /// With another greatest width.
    #[must_use]
    pub fn with_max_width(mut self, metres: f32) -> Self {
        self.max_width = metres;
        self
    }

    /// Checks the configuration.
    ///
    /// # Errors
    /// [`TriangulateError::BadConfig`] names the first bad field.
    pub fn validate(&self) -> Result<(), TriangulateError> {
        if self.max_width > 0.0 {
            return Ok(());
        }
        let (field, value, needed) = ("max_width", self.max_width, "above 0 m");
        Err(TriangulateError::BadConfig { field, value, needed })
    }
}

/// Makes a local clearance triangulation of the ground that a triangulation covers, whatever its triangles are.
///
/// Borders between regions are no obstacles, so they go, and so do vertices that no wall ends at; what is left is the Delaunay
/// triangulation between the walls. A traversal turns round a corner `b` from side `ab` to side `bc`; its clearance is the least of `|ab|`,
/// `|bc|` and the distance from `b` to the nearest wall that cuts the sector between the two. That would be all, but for walls beyond
/// `ac` that some further vertex `v` comes nearer to than `b` does, on a chain that no triangle measures: such a *disturbance* is
/// mended by splitting the wall at the foot of `v`, until none is left. The wall need not cut the sector to do harm.
///
/// # Guarantees
/// - What [`ClearanceMesh`] promises. Clearances are rounded down to single precision.
/// - No border is moved by more than 2^-21 cells; every vertex is a vertex of the triangulation or lies on a wall.
/// - The result depends on the triangulation alone.
///
/// # Cost
/// For each triangle, a search as far around it as its clearance reaches: near linear for rooms, but towards the square of the number
/// of vertices where thousands of them surround one wide place (coast lines). [`ClearanceConfig::max_width`] bounds the reach.
///
/// # Errors
/// [`TriangulateError::BadConfig`], and [`TriangulateError::BrokenTriangulation`] for one that is not valid.
///
/// # References
/// - Kallmann 2010, Shortest paths with arbitrary clearance from navigation meshes, SCA,
///   <https://doi.org/10.2312/SCA/SCA10/159-168>: traversals, their clearance, disturbances.
/// - Kallmann 2014, Dynamic and robust local clearance triangulations, <https://doi.org/10.1145/2580947>. Both papers refine at a point
///   between two circles; here it is the foot of the vertex, after which the passage it makes is a pair of vertices.
pub fn triangulate_clearance(
    triangulation: &Triangulation,
    config: &ClearanceConfig,
) -> Result<ClearanceMesh, TriangulateError> {
    config.validate()?;
    let mut surface = Surface::new(triangulation, false)?;
    surface.suspect_all();
    surface.legalize();
    drop_free_vertices(&mut surface);
    let max_width = f64::from(config.max_width) / f64::from(triangulation.frame.cell_size);
    refine(&mut surface, max_width);
    Ok(export(&surface, triangulation))
}

/// Takes away vertices that no wall ends at.
fn drop_free_vertices(surface: &mut Surface) {
    let mut free: Vec<u32> =
        (0..).take(surface.points.len()).filter(|&at| !surface.around(at, |_| {})).collect();
    // What cannot go at first may, once its neighbours are gone.
    for _ in 0..2 {
        free.retain(|&vertex| !surface.remove_vertex(vertex));
        surface.legalize();
    }
    surface.compact();
}

/// A way through a triangle, round the corner that `half_edge` leaves.
#[derive(Clone, Copy, Debug)]
struct Traversal {
    half_edge: u32,
}

impl Traversal {
    fn of(surface: &Surface, half_edge: u32) -> Option<Self> {
        let open = !surface.is_wall(half_edge) && !surface.is_wall(turn(half_edge, 2));
        open.then_some(Self { half_edge })
    }

    /// Its clearance in cells.
    fn clearance(self, surface: &Surface, stack: &mut Vec<u32>) -> f64 {
        let [corner, first, second] = surface.corners_from(self.half_edge);
        let mut best = distance_squared(corner, first).min(distance_squared(corner, second));
        stack.clear();
        stack.push(turn(self.half_edge, 1));
        while let Some(edge) = stack.pop() {
            let [from, to, _] = surface.corners_from(edge);
            // No vertex lies in the sector, so that an edge which cuts it does so as a chord, the foot of the corner inside.
            let Some(foot) = foot_inside(corner, from, to) else { continue };
            let distance = distance_squared(corner, foot);
            if distance >= best || side_of(corner, first, foot) <= 0.0 || side_of(corner, second, foot) >= 0.0
            {
                continue;
            }
            let twin = surface.twins[edge as usize];
            if twin == NONE {
                best = distance;
            } else {
                stack.extend([turn(twin, 1), turn(twin, 2)]);
            }
        }
        best.sqrt()
    }
}

/// The foot of `point` on an edge, if it lies strictly between the ends.
fn foot_inside(point: Point, from: Point, to: Point) -> Option<Point> {
    let along = [to[0] - from[0], to[1] - from[1]];
    let share = ((point[0] - from[0]) * along[0] + (point[1] - from[1]) * along[1])
        / (along[0] * along[0] + along[1] * along[1]);
    (share > 0.0 && share < 1.0).then(|| [from[0] + share * along[0], from[1] + share * along[1]])
}

/// Splits walls until no traversal is disturbed.
fn refine(surface: &mut Surface, max_width: f64) {
    let mut search = Search::default();
    let mut queue: Vec<u32> = (0..corner_at(surface.triangles.len())).rev().collect();
    while let Some(triangle) = queue.pop() {
        surface.changed.clear();
        for corner in 0..3 {
            let Some(traversal) = Traversal::of(surface, 3 * triangle + corner) else { continue };
            if search.mend(surface, traversal, max_width) {
                break;
            }
        }
        // A split lists what it has changed, this triangle perhaps not among it.
        if !surface.changed.is_empty() {
            queue.push(triangle);
            queue.append(&mut surface.changed);
        }
    }
}

/// Buffers of the search for disturbances.
#[derive(Debug, Default)]
struct Search {
    stack: Vec<u32>,
    vertices: Vec<u32>,
    walls: Vec<u32>,
    /// The last exploration that came to each triangle: the ways between walls lead back to where they began.
    seen: Vec<u64>,
    explorations: u64,
    /// Vertices that disturb, by their distance from a wall, with their foot on it.
    found: Vec<(f64, u32, Point)>,
}

impl Search {
    /// Looks for a vertex that disturbs this traversal, and splits the wall at its foot.
    ///
    /// Such a vertex lies beyond an open side, its wall beyond the side across from the corner, and the way between them cuts both
    /// and is shorter than the clearance.
    fn mend(&mut self, surface: &mut Surface, traversal: Traversal, max_width: f64) -> bool {
        let across = turn(traversal.half_edge, 1);
        if surface.is_wall(across) {
            return false;
        }
        let limit = traversal.clearance(surface, &mut self.stack).min(max_width);
        let behind = ends(surface, across);
        self.found.clear();
        for open in [traversal.half_edge, turn(traversal.half_edge, 2)] {
            self.explore(surface, open, behind, limit);
            if self.vertices.is_empty() {
                continue;
            }
            let vertices = std::mem::take(&mut self.vertices);
            let gate = ends(surface, open);
            self.explore(surface, across, gate, limit);
            for &vertex in &vertices {
                let point = surface.points[vertex as usize];
                for &wall in &self.walls {
                    let [from, to] = ends(surface, wall);
                    let Some(foot) = foot_inside(point, from, to) else { continue };
                    let length = distance_squared(point, foot);
                    let way = [point, foot];
                    if length < limit * limit
                        && side_of(from, to, point) > 0.0
                        && cut(way, gate)
                        && cut(way, behind)
                    {
                        self.found.push((length, vertex, foot));
                    }
                }
            }
            self.vertices = vertices;
        }
        self.found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.found.iter().any(|&(_, vertex, foot)| {
            wall_at(surface, vertex, foot).is_some_and(|edge| split_wall(surface, edge, foot))
        })
    }

    /// Collects the vertices and walls beyond `side` that lie within `limit` of `target`, as far as one can get over edges that do.
    fn explore(&mut self, surface: &Surface, side: u32, target: [Point; 2], limit: f64) {
        self.vertices.clear();
        self.walls.clear();
        self.explorations += 1;
        self.seen.resize(surface.triangles.len(), 0);
        self.seen[(side / 3) as usize] = self.explorations;
        self.stack.clear();
        self.stack.push(surface.twins[side as usize]);
        while let Some(entry) = self.stack.pop() {
            let seen = &mut self.seen[(entry / 3) as usize];
            if std::mem::replace(seen, self.explorations) == self.explorations {
                continue;
            }
            let apex = surface.origin(turn(entry, 2));
            let to_apex = distance_to(surface.points[apex as usize], target);
            // Vertices put into walls make no passage narrower.
            if to_apex < limit * limit && surface.names[apex as usize].is_some() {
                self.vertices.push(apex);
            }
            for edge in [turn(entry, 1), turn(entry, 2)] {
                let own = ends(surface, edge);
                // They do not cross, so that one end is nearest.
                let near = own.map(|end| distance_to(end, target)).into_iter().fold(f64::INFINITY, f64::min);
                let near = target.map(|end| distance_to(end, own)).into_iter().fold(near, f64::min);
                if near < limit * limit {
                    let twin = surface.twins[edge as usize];
                    if twin == NONE { self.walls.push(edge) } else { self.stack.push(twin) }
                }
            }
        }
    }
}

fn ends(surface: &Surface, edge: u32) -> [Point; 2] {
    [surface.start(edge), surface.start(turn(edge, 1))]
}

/// Squared distance of a point from a segment.
fn distance_to(point: Point, [from, to]: [Point; 2]) -> f64 {
    foot_inside(point, from, to).map_or_else(
        || distance_squared(point, from).min(distance_squared(point, to)),
        |foot| distance_squared(point, foot),
    )
}

/// Whether the insides of two segments cross.
fn cut([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
    (side_of(a, b, c) > 0.0) != (side_of(a, b, d) > 0.0)
        && side_of(a, b, c) != 0.0
        && side_of(a, b, d) != 0.0
        && (side_of(c, d, a) > 0.0) != (side_of(c, d, b) > 0.0)
}

/// The wall that a vertex sees at its foot.
fn wall_at(surface: &Surface, vertex: u32, foot: Point) -> Option<u32> {
    let is_there = |edge: u32| {
        let [a, b, _] = surface.corners_from(edge);
        surface.is_wall(edge)
            && foot_inside(foot, a, b).is_some_and(|at| distance_squared(at, foot) <= OFF_WALL * OFF_WALL)
    };
    match surface.walk(vertex, foot, true) {
        Place::Edge(edge) | Place::Behind(edge) => Some(edge).filter(|&edge| is_there(edge)),
        Place::Triangle(triangle) => (3 * triangle..3 * triangle + 3).find(|&edge| is_there(edge)),
        Place::Vertex(_) | Place::Outside(_) => None,
    }
}

fn split_wall(surface: &mut Surface, edge: u32, foot: Point) -> bool {
    let [a, b, _] = surface.corners_from(edge);
    let nearest = distance_squared(a, foot).min(distance_squared(b, foot));
    if nearest < NEAREST_SPLIT * NEAREST_SPLIT || !surface.can_split_edge(edge, foot) {
        return false;
    }
    let share = (distance_squared(a, foot) / distance_squared(a, b)).sqrt();
    let [from, to] = [edge, turn(edge, 1)].map(|edge| surface.heights[surface.origin(edge) as usize]);
    #[expect(clippy::cast_possible_truncation, reason = "between two single-precision heights")]
    let height = (f64::from(from) + share * (f64::from(to) - f64::from(from))) as f32;
    let vertex = surface.add_vertex(foot, height, None);
    surface.split_edge(edge, vertex);
    surface.legalize();
    true
}

fn export(surface: &Surface, triangulation: &Triangulation) -> ClearanceMesh {
    let frame = &triangulation.frame;
    let cell = f64::from(frame.cell_size);
    let vertices = surface.points.iter().zip(&surface.heights).map(|(point, height)| ClearanceVertex {
        x: f64::from(frame.origin.x) + cell * point[0],
        z: f64::from(frame.origin.z) + cell * point[1],
        height: frame.origin.y + frame.level_height * height,
    });
    let mut stack = Vec::new();
    let mut triangles = Vec::with_capacity(surface.triangles.len());
    for (triangle, corners) in (0..).zip(&surface.triangles) {
        let sides = [0, 1, 2].map(|side| 3 * triangle + side);
        triangles.push(ClearanceTriangle {
            vertices: corners.map(VertexId),
            neighbours: sides.map(|side| {
                let twin = surface.twins[side as usize];
                (twin != NONE).then_some(TriangleId(twin / 3))
            }),
            region: surface.labels[triangle as usize].region,
            area: surface.labels[triangle as usize].area,
            clearance: sides.map(|side| {
                Traversal::of(surface, side)
                    .map_or(0.0, |traversal| rounded_down(traversal.clearance(surface, &mut stack) * cell))
            }),
        });
    }
    ClearanceMesh { vertices: vertices.collect(), triangles }
}

/// The largest single-precision number not above `value`, which is not negative.
#[expect(clippy::cast_possible_truncation, reason = "corrected after")]
fn rounded_down(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) > value { near.next_down() } else { near }
}
