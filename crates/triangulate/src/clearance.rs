//! Local clearance triangulation, which stores the width of the widest body that can pass through
//! each triangle.

use waymesh_core::{
    BadField, ClearanceMesh, ClearanceTriangle, ClearanceVertex, TriangleId, Triangulation, VertexId,
    nearest_f32, to_u32,
};

use crate::TriangulateError;
use crate::assemble::NO_INDEX;
use crate::outline::height_between;
use crate::surface::{Location, Point, Surface, distance_squared, side_of, turn};

/// Smallest distance between a split of a wall and the ends of the wall, in cells. It makes
/// clearances too large by at most its square over twice the width: less than a millionth of a cell
/// for a gap of one cell.
const NEAREST_SPLIT: f64 = 1e-3;
/// Largest distance of a new vertex from its wall because of rounding, in cells. The error of
/// coordinates up to 2^30 is below 2^-22.
const OFF_WALL: f64 = 1.0 / (1 << 21) as f64;

/// Configuration of [`triangulate_clearance`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClearanceConfig {
    /// Diameter of the widest body that queries will use, in metres. Wider passages need no
    /// refinement, which saves vertices. A clearance above this value may be too large; a clearance
    /// below it is exact. Default infinite, above 0.
    pub max_width: f32,
}

impl Default for ClearanceConfig {
    fn default() -> Self {
        Self { max_width: f32::INFINITY }
    }
}

waymesh_core::setters! {
    impl ClearanceConfig {
        with_max_width(max_width: f32);
    }
}

impl ClearanceConfig {
    /// Checks the configuration.
    ///
    /// # Errors
    /// [`TriangulateError::BadField`] names the first bad field.
    pub fn validate(&self) -> Result<(), TriangulateError> {
        Ok(BadField::unless(self.max_width > 0.0, "max_width", self.max_width, "above 0 m")?)
    }
}

/// Computes a local clearance triangulation of the ground that a triangulation covers. The result
/// does not depend on the triangles of the input.
///
/// Borders between regions are no obstacles, so they are removed, together with vertices at which
/// no wall ends. The result is the Delaunay triangulation between the walls. A traversal turns
/// around a corner `b` from side `ab` to side `bc`. Its clearance is the least of `|ab|`, `|bc|`
/// and the distance from `b` to the nearest wall that cuts the sector between the two sides.
///
/// A *disturbance* is a vertex `v` that is closer to a wall beyond `ac` than `b` is, so that a
/// passage between `v` and the wall is narrower than the clearances of the triangles there. The
/// wall need not cut the sector. A disturbance is removed by splitting the wall at the foot of `v`,
/// until no disturbance remains.
///
/// # Guarantees
/// - The result satisfies the guarantees of [`ClearanceMesh`]. Clearances are rounded down to
///   single precision.
/// - No border is moved by more than 2^-21 cells; every vertex is a vertex of the triangulation or
///   lies on a wall.
/// - The result depends only on the triangulation.
///
/// # Cost
/// Each traversal searches for the walls that are visible through its triangle within its
/// clearance. Each wall on which a vertex could have its foot takes a walk along a strip.
/// [`ClearanceConfig::max_width`] bounds the distance.
///
/// # Errors
/// [`TriangulateError::BadField`], and [`TriangulateError::BrokenTriangulation`] for an invalid
/// triangulation.
///
/// # References
/// - Kallmann 2010, Shortest paths with arbitrary clearance from navigation meshes, SCA, <https://doi.org/10.2312/SCA/SCA10/159-168>:
///   traversals, their clearance, disturbances.
/// - Kallmann 2014, Dynamic and robust local clearance triangulations,
///   <https://doi.org/10.1145/2580947>. Both papers refine at a point between two circles. This
///   function refines at the foot of the vertex, so that the passage lies between two vertices.
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

/// Removes vertices at which no wall ends.
fn drop_free_vertices(surface: &mut Surface) {
    let mut free: Vec<u32> =
        (0..).take(surface.points.len()).filter(|&at| !surface.around(at, |_| {})).collect();
    // A vertex that cannot be removed in the first pass may be removable after its neighbours.
    for _ in 0..2 {
        free.retain(|&vertex| !surface.remove_vertex(vertex));
        surface.legalize();
    }
    surface.compact();
}

/// A traversal of a triangle around the corner that `half_edge` leaves.
#[derive(Clone, Copy, Debug)]
struct Traversal {
    half_edge: u32,
}

impl Traversal {
    fn of(surface: &Surface, half_edge: u32) -> Option<Self> {
        let open = !surface.is_wall(half_edge) && !surface.is_wall(turn(half_edge, 2));
        open.then_some(Self { half_edge })
    }

    /// Returns the clearance in cells.
    fn clearance(self, surface: &Surface, stack: &mut Vec<u32>) -> f64 {
        let [corner, first, second] = surface.corners_from(self.half_edge);
        let mut best = distance_squared(corner, first).min(distance_squared(corner, second));
        stack.clear();
        stack.push(turn(self.half_edge, 1));
        while let Some(edge) = stack.pop() {
            let [from, to, _] = surface.corners_from(edge);
            // No vertex lies in the sector. An edge that cuts it is a chord, and the foot of the
            // corner lies inside the edge.
            let Some(foot) = foot_inside(corner, from, to) else { continue };
            let distance = distance_squared(corner, foot);
            if distance >= best || side_of(corner, first, foot) <= 0.0 || side_of(corner, second, foot) >= 0.0
            {
                continue;
            }
            let twin = surface.twins[edge as usize];
            if twin == NO_INDEX {
                best = distance;
            } else {
                stack.extend([turn(twin, 1), turn(twin, 2)]);
            }
        }
        best.sqrt()
    }
}

/// Returns the foot of `point` on an edge (its closest point on the line), if it lies strictly
/// between the ends.
fn foot_inside(point: Point, from: Point, to: Point) -> Option<Point> {
    let along = [to[0] - from[0], to[1] - from[1]];
    let share = ((point[0] - from[0]) * along[0] + (point[1] - from[1]) * along[1])
        / (along[0] * along[0] + along[1] * along[1]);
    (share > 0.0 && share < 1.0).then(|| [from[0] + share * along[0], from[1] + share * along[1]])
}

/// Splits walls until no traversal is disturbed.
fn refine(surface: &mut Surface, max_width: f64) {
    let mut search = Search::default();
    let mut queue: Vec<u32> = (0..to_u32(surface.triangles.len())).rev().collect();
    while let Some(triangle) = queue.pop() {
        surface.changed.clear();
        for corner in 0..3 {
            let Some(traversal) = Traversal::of(surface, 3 * triangle + corner) else { continue };
            if search.repair(surface, traversal, max_width) {
                break;
            }
        }
        // A split lists the triangles that it has changed, possibly without this triangle.
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
    walls: Vec<u32>,
    strips: Vec<(u32, f64, f64)>,
    /// The last exploration that passed each half-edge.
    seen: Vec<u64>,
    explorations: u64,
    /// Disturbing vertices: squared distance from a wall, vertex, and foot on the wall.
    found: Vec<(f64, u32, Point)>,
}

/// The lines that cross one side of a triangle, the gate, and then another side, `behind`. Both
/// sides end at the same corner.
#[derive(Clone, Copy, Debug)]
struct Gap {
    /// The ends to the left and to the right of the lines.
    gate: [Point; 2],
    behind: [Point; 2],
    limit: f64,
}

impl Gap {
    /// Returns `true` if certainly no straight line through the gap can also cross an edge, given
    /// by its left and right end: such a line would separate all left ends from all right ends.
    fn hides(&self, [left, right]: [Point; 2]) -> bool {
        let parts = [self.gate[0], self.behind[0], left];
        let others = [self.gate[1], self.behind[1], right];
        (0..3).any(|at| {
            let side = [parts[at], parts[(at + 1) % 3]];
            (0..3).any(|to| crosses(side, [others[to], others[(to + 1) % 3]]))
        })
    }
}

impl Search {
    /// Searches for a vertex that disturbs a traversal, and splits the wall at its foot. Returns
    /// `true` if a wall was split.
    ///
    /// Such a vertex lies beyond an open side and its wall beyond the side opposite to the corner,
    /// or vice versa. The segment between them crosses both sides and is shorter than the
    /// clearance. The opposite side may be the wall itself.
    fn repair(&mut self, surface: &mut Surface, traversal: Traversal, max_width: f64) -> bool {
        let across = turn(traversal.half_edge, 1);
        let limit = traversal.clearance(surface, &mut self.stack).min(max_width);
        self.found.clear();
        for open in [traversal.half_edge, turn(traversal.half_edge, 2)] {
            let gate = surface.ends(open);
            if surface.is_wall(across) {
                self.collect_vertices(surface, open, across, &Gap { gate, behind: gate, limit });
                continue;
            }
            // The segment between a vertex and its wall cuts off a corner. Both assignments to the
            // two sides are possible.
            for [wall_side, vertex_side] in [[across, open], [open, across]] {
                let [right, left] = surface.ends(wall_side);
                let gap = Gap { gate: surface.ends(vertex_side), behind: [left, right], limit };
                // Walls come first: few walls have the foot of a vertex beyond the gate, and each
                // of these leaves only a narrow strip to search for vertices.
                self.collect_walls(surface, wall_side, &gap);
                for at in 0..self.walls.len() {
                    self.collect_vertices(surface, vertex_side, self.walls[at], &gap);
                }
            }
        }
        self.found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.found.iter().any(|&(_, vertex, foot)| {
            wall_at(surface, vertex, foot).is_some_and(|edge| split_wall(surface, edge, foot))
        })
    }

    /// Collects the walls beyond a side that are within the limit of the gate and visible through
    /// the gap. The search only passes edges that are also within the limit and visible.
    fn collect_walls(&mut self, surface: &Surface, side: u32, gap: &Gap) {
        self.walls.clear();
        self.explorations += 1;
        self.seen.resize(surface.twins.len(), 0);
        self.stack.clear();
        self.stack.push(surface.twins[side as usize]);
        while let Some(entry) = self.stack.pop() {
            if std::mem::replace(&mut self.seen[entry as usize], self.explorations) == self.explorations {
                continue;
            }
            for edge in [turn(entry, 1), turn(entry, 2)] {
                // Seen from the gap, an edge runs from right to left.
                let [right, left] = surface.ends(edge);
                if between_squared([left, right], gap.gate) < gap.limit * gap.limit
                    && !gap.hides([left, right])
                {
                    let twin = surface.twins[edge as usize];
                    if twin == NO_INDEX { self.walls.push(edge) } else { self.stack.push(twin) }
                }
            }
        }
        self.walls.sort_unstable();
        self.walls.dedup();
    }

    /// Collects the vertices beyond the gate, the side `open`, whose segment to their foot on the
    /// wall runs through the gap.
    ///
    /// All these segments are parallel. They lie in a strip that each edge narrows, and no strip is
    /// searched twice.
    fn collect_vertices(&mut self, surface: &Surface, open: u32, wall: u32, gap: &Gap) {
        let [from, to] = surface.ends(wall);
        let strip = Strip::on(from, to);
        let whole = (0.0 - OFF_WALL, strip.length + OFF_WALL);
        let Some(range) = strip
            .narrowed(whole, gap.behind, gap.limit)
            .and_then(|range| strip.narrowed(range, gap.gate, gap.limit))
        else {
            return;
        };
        self.strips.clear();
        self.strips.push((surface.twins[open as usize], range.0, range.1));
        // No straight line enters a triangle twice. The count ends the search if rounding makes it
        // circular.
        let mut most = 2 * surface.twins.len();
        while let Some((entry, low, high)) = self.strips.pop() {
            most -= 1;
            if most == 0 {
                break;
            }
            let apex = surface.origin(turn(entry, 2));
            let point = surface.points[apex as usize];
            let [along, away] = strip.place(point);
            // Vertices that only split walls do not narrow a passage.
            if low <= along
                && along <= high
                && away < gap.limit
                && surface.names[apex as usize].is_some()
                && let Some(foot) = foot_inside(point, from, to)
            {
                let length = distance_squared(point, foot);
                let way = [point, foot];
                if length < gap.limit * gap.limit
                    && side_of(from, to, point) > 0.0
                    && cut(way, gap.gate)
                    && cut(way, gap.behind)
                {
                    self.found.push((length, apex, foot));
                }
            }
            for edge in [turn(entry, 1), turn(entry, 2)] {
                let twin = surface.twins[edge as usize];
                if twin != NO_INDEX
                    && let Some((low, high)) = strip.narrowed((low, high), surface.ends(edge), gap.limit)
                {
                    self.strips.push((twin, low, high));
                }
            }
        }
    }
}

/// A coordinate system along a wall and away from it.
#[derive(Clone, Copy, Debug)]
struct Strip {
    from: Point,
    along: Point,
    length: f64,
}

impl Strip {
    fn on(from: Point, to: Point) -> Self {
        let length = distance_squared(from, to).sqrt();
        Self { from, along: [(to[0] - from[0]) / length, (to[1] - from[1]) / length], length }
    }

    fn place(&self, point: Point) -> [f64; 2] {
        let [x, z] = [point[0] - self.from[0], point[1] - self.from[1]];
        [x * self.along[0] + z * self.along[1], z * self.along[0] - x * self.along[1]]
    }

    /// Returns the part of a range along the wall that an edge covers, if a point of the edge is
    /// nearer than `limit`.
    fn narrowed(&self, range: (f64, f64), edge: [Point; 2], limit: f64) -> Option<(f64, f64)> {
        let [mut a, mut b] = edge.map(|end| self.place(end));
        if a[0] > b[0] {
            std::mem::swap(&mut a, &mut b);
        }
        let (low, high) = (range.0.max(a[0]), range.1.min(b[0]));
        let away = |along: f64| a[1] + (along - a[0]) / (b[0] - a[0]) * (b[1] - a[1]);
        (low < high && away(low).min(away(high)) < limit).then_some((low, high))
    }
}

/// Returns the squared distance between two edges that do not cross, which is reached at an end of
/// one of them.
fn between_squared(a: [Point; 2], b: [Point; 2]) -> f64 {
    let near = a.map(|end| distance_to(end, b)).into_iter().fold(f64::INFINITY, f64::min);
    b.map(|end| distance_to(end, a)).into_iter().fold(near, f64::min)
}

/// Returns the squared distance of a point from a segment.
fn distance_to(point: Point, [from, to]: [Point; 2]) -> f64 {
    foot_inside(point, from, to).map_or_else(
        || distance_squared(point, from).min(distance_squared(point, to)),
        |foot| distance_squared(point, foot),
    )
}

/// Returns `true` if two segments cross, each strictly inside the other.
fn crosses([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
    // Exact predicates are slowest for degenerate input, so common ends are tested first.
    let same = |p: Point, q: Point| p.map(f64::to_bits) == q.map(f64::to_bits);
    if same(a, b) || same(c, d) || same(a, c) || same(a, d) || same(b, c) || same(b, d) {
        return false;
    }
    side_of(a, b, c) * side_of(a, b, d) < 0.0 && side_of(c, d, a) * side_of(c, d, b) < 0.0
}

/// Returns `true` if the insides of two segments cross. An end of the first may lie on the second.
fn cut([a, b]: [Point; 2], [c, d]: [Point; 2]) -> bool {
    (side_of(a, b, c) > 0.0) != (side_of(a, b, d) > 0.0)
        && side_of(a, b, c) != 0.0
        && side_of(a, b, d) != 0.0
        && (side_of(c, d, a) > 0.0) != (side_of(c, d, b) > 0.0)
}

/// Returns the wall that is visible from a vertex at a foot.
fn wall_at(surface: &Surface, vertex: u32, foot: Point) -> Option<u32> {
    let is_there = |edge: u32| {
        let [a, b, _] = surface.corners_from(edge);
        surface.is_wall(edge)
            && foot_inside(foot, a, b).is_some_and(|at| distance_squared(at, foot) <= OFF_WALL * OFF_WALL)
    };
    match surface.walk(vertex, foot, true) {
        Location::Edge(edge) | Location::Behind(edge) => Some(edge).filter(|&edge| is_there(edge)),
        Location::Triangle(triangle) => (3 * triangle..3 * triangle + 3).find(|&edge| is_there(edge)),
        Location::Vertex(_) | Location::Outside(_) => None,
    }
}

fn split_wall(surface: &mut Surface, edge: u32, foot: Point) -> bool {
    let [a, b, _] = surface.corners_from(edge);
    let nearest = distance_squared(a, foot).min(distance_squared(b, foot));
    if nearest < NEAREST_SPLIT * NEAREST_SPLIT || !surface.can_split_edge(edge, foot) {
        return false;
    }
    let share = (distance_squared(a, foot) / distance_squared(a, b)).sqrt();
    let height = height_between(surface.end_heights(edge), share);
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
                (twin != NO_INDEX).then_some(TriangleId(twin / 3))
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

/// Returns the largest single-precision number not above `value`, which is not negative.
fn rounded_down(value: f64) -> f32 {
    let near = nearest_f32(value);
    if f64::from(near) > value { near.next_down() } else { near }
}
