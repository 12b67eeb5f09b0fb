//! Refinement by Steiner points along edges, on a grid, and at small angles.

use waymesh_core::stage::{StageError, Triangulate};
use waymesh_core::{
    BadField, MAX_PLAN_COORDINATE, Observer, PlanPoint, PlanVertex, PolygonSet, Triangle, TriangleId,
    Triangulation, VertexId, checkpoint, checkpoint_every, float, nearest_f32, saturating_i32, to_u32,
};

use crate::TriangulateError;
use crate::assemble::NO_INDEX;
use crate::outline::height_between;
use crate::surface::{Location, Point, Surface, distance_squared, side_of, turn};
use crate::triangulate_cdt;

/// Configuration of [`refine_triangulation`]. All lengths are in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RefineConfig {
    /// Longest border edge, between regions or at a wall; longer edges are split. Default infinite,
    /// above 0.
    pub max_edge_length: f32,
    /// Spacing of a grid of points inside, in line with the frame's origin. Default infinite (no
    /// grid), above 0.
    pub grid_spacing: f32,
    /// Target for the smallest angle, in degrees. Default 0, at most 30. Sharper corners of the
    /// polygons stay, as well as triangles that only points closer than `min_edge_length` could
    /// improve.
    pub min_angle_degrees: f32,
    /// Smallest distance to other points of a point added for an angle or for the grid. Default
    /// 0.1, at least two cells.
    pub min_edge_length: f32,
    /// Largest distance of a point that splits a border from that border. Few borders pass through
    /// grid points, so 0, the default, leaves most slanted edges whole; 1.5 cells split every edge.
    /// Walls only move inwards, so the polygons never grow.
    pub max_border_shift: f32,
}

impl Default for RefineConfig {
    fn default() -> Self {
        Self {
            max_edge_length: f32::INFINITY,
            grid_spacing: f32::INFINITY,
            min_angle_degrees: 0.0,
            min_edge_length: 0.1,
            max_border_shift: 0.0,
        }
    }
}

waymesh_core::setters! {
    impl RefineConfig {
        with_max_edge_length(max_edge_length: f32);
        with_grid_spacing(grid_spacing: f32);
        with_min_angle_degrees(min_angle_degrees: f32);
        with_min_edge_length(min_edge_length: f32);
        with_max_border_shift(max_border_shift: f32);
    }
}

impl RefineConfig {
    /// Checks the configuration.
    ///
    /// # Errors
    /// [`TriangulateError::BadField`] names the first bad field.
    pub fn validate(&self) -> Result<(), TriangulateError> {
        let angle = self.min_angle_degrees;
        BadField::unless(self.max_edge_length > 0.0, "max_edge_length", self.max_edge_length, "above 0 m")?;
        BadField::unless(self.grid_spacing > 0.0, "grid_spacing", self.grid_spacing, "above 0 m")?;
        BadField::unless((0.0..=30.0).contains(&angle), "min_angle_degrees", angle, "0 to 30 degrees")?;
        BadField::unless_positive("min_edge_length", self.min_edge_length)?;
        Ok(BadField::unless_length("max_border_shift", self.max_border_shift)?)
    }
}

/// Statistics of [`refine_triangulation`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RefineReport {
    /// Points added on borders.
    pub points_on_borders: usize,
    /// Points added inside the polygons.
    pub points_inside: usize,
    /// Border edges that are still too long, because no grid point can split them.
    pub long_edges_left: usize,
    /// Triangles that still have an angle that is too small.
    pub small_angles_left: usize,
    /// Largest distance of a new border point from its edge, in metres.
    pub border_shift: f32,
}

/// Refines a triangulation: splits long borders, adds a grid of points, then adds points until no
/// angle is too small. The result is constrained Delaunay.
///
/// # Guarantees
/// - Borders move by at most `max_border_shift`, and walls never outwards. With 0, the default, the
///   triangles fill the same polygons exactly. Vertices keep their ids; new ones follow.
/// - New points are grid points. The result depends only on the triangulation and the
///   configuration.
/// - It terminates: points for angles keep `min_edge_length`, which bounds their number.
///
/// # Cost
/// About `n log n` for `n` vertices in the result, if none has many triangles. Around a vertex of
/// `k` thin triangles, such as a tip over `k` points on a line, angles take more than `k^2`:
/// minutes for 10,000.
///
/// # Errors
/// [`TriangulateError::BadField`]; [`TriangulateError::BrokenTriangulation`] for an invalid
/// triangulation; [`TriangulateError::TooManyPoints`] if the spacings need more points than a mesh
/// may have.
///
/// # References
/// Ruppert 1995, A Delaunay refinement algorithm for quality 2-dimensional mesh generation,
/// <https://doi.org/10.1006/jagm.1995.1021>. spade also implements it, but adds points off the grid
/// and refines one polygon at a time, so that regions would no longer share their vertices.
pub fn refine_triangulation(
    triangulation: &Triangulation,
    config: &RefineConfig,
) -> Result<(Triangulation, RefineReport), TriangulateError> {
    config.validate()?;
    let cell = f64::from(triangulation.frame.cell_size);
    let mut surface = Surface::new(triangulation, true)?;
    let mut refiner = Refiner {
        shift: f64::from(config.max_border_shift) / cell,
        nearest: (f64::from(config.min_edge_length) / cell).max(2.0),
        worst_shift: 0.0,
        report: RefineReport::default(),
    };
    check_amount(&surface, triangulation, config, cell)?;
    surface.suspect_all();
    surface.legalize();
    refiner.split_borders(&mut surface, f64::from(config.max_edge_length) / cell);
    if config.grid_spacing.is_finite() {
        refiner.add_grid(&mut surface, (f64::from(config.grid_spacing) / cell).max(1.0));
    }
    if config.min_angle_degrees > 0.0 {
        refiner.improve_angles(&mut surface, f64::from(config.min_angle_degrees).to_radians());
    }
    let border_shift = nearest_f32(refiner.worst_shift * cell);
    refiner.report.border_shift = border_shift;
    Ok((export(&surface, triangulation), refiner.report))
}

/// Constrained Delaunay triangulation with Steiner points, as a stage: [`triangulate_cdt`], then
/// [`refine_triangulation`].
///
/// With a `max_border_shift` above 0 the polygons are no longer filled exactly, although the
/// contract of the stage requires it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RefinedDelaunay {
    /// The configuration.
    pub config: RefineConfig,
}

impl RefinedDelaunay {
    /// Returns the stage with this configuration.
    #[must_use]
    pub fn new(config: RefineConfig) -> Self {
        Self { config }
    }
}

impl Triangulate for RefinedDelaunay {
    fn triangulate(
        &self,
        polygons: &PolygonSet,
        _observer: &mut dyn Observer,
    ) -> Result<Triangulation, StageError> {
        triangulate_cdt(polygons)
            .and_then(|triangulation| refine_triangulation(&triangulation, &self.config))
            .map(|(triangulation, _)| triangulation)
            .map_err(StageError::at("triangulate"))
    }
}

/// Largest number of points, which take about a gigabyte.
const MOST_POINTS: u32 = 1 << 22;

fn check_amount(
    surface: &Surface,
    triangulation: &Triangulation,
    config: &RefineConfig,
    cell: f64,
) -> Result<(), TriangulateError> {
    let area = triangulation.doubled_area() as f64 / 2.0;
    let spacing = (f64::from(config.grid_spacing) / cell).max(1.0);
    let longest = (f64::from(config.max_edge_length) / cell).max(1.0);
    let borders: f64 = (0..to_u32(surface.twins.len()))
        .filter(|&edge| surface.fixed[edge as usize])
        .map(|edge| {
            let [a, b] = surface.ends(edge);
            (distance_squared(a, b).sqrt() / longest).floor()
        })
        .sum();
    let mut points = area / (spacing * spacing) + borders;
    if config.min_angle_degrees > 0.0 {
        let nearest = (f64::from(config.min_edge_length) / cell).max(2.0);
        // This is an upper bound, and most meshes need far fewer points. The count is limited again
        // while points are added.
        points += (area / (nearest * nearest)).min(f64::from(MOST_POINTS / 2));
    }
    let limit = f64::from(MOST_POINTS);
    if points > limit {
        return Err(TriangulateError::TooManyPoints { points, limit });
    }
    Ok(())
}

#[derive(Debug)]
struct Refiner {
    /// Largest distance of a new border point from its edge, in cells.
    shift: f64,
    nearest: f64,
    worst_shift: f64,
    report: RefineReport,
}

impl Refiner {
    fn split_borders(&mut self, surface: &mut Surface, longest: f64) {
        if longest.is_infinite() {
            return;
        }
        let longest = longest.max(1.0);
        // A split renumbers half-edges of its triangle, so one pass may miss some. Edges are
        // flipped after all borders are split.
        loop {
            let (mut edge, mut any, mut left) = (0, false, 0);
            while (edge as usize) < surface.twins.len() {
                checkpoint_every(1 << 8, edge as usize);
                let [a, b] = surface.ends(edge);
                // Visits each border once: a wall has no twin, and the later of two half-edges
                // counts.
                let counts =
                    surface.fixed[edge as usize] && surface.twins[edge as usize].wrapping_add(1) <= edge;
                let pieces = (distance_squared(a, b).sqrt() / longest).ceil();
                if counts && pieces > 1.0 {
                    // Pieces are equal, and the cut nearest to the middle comes first.
                    if self.split(surface, edge, (pieces / 2.0).floor() / pieces, 0.0) {
                        any = true;
                        continue;
                    }
                    left += 1;
                }
                edge += 1;
            }
            if !any {
                self.report.long_edges_left = left;
                break;
            }
        }
        surface.legalize();
    }

    /// Splits a border near a share of its length, at least `margin` from its ends. Call `legalize`
    /// afterwards.
    fn split(&mut self, surface: &mut Surface, edge: u32, share: f64, margin: f64) -> bool {
        let [a, b] = surface.ends(edge);
        let wish = [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
        let Some((point, shift)) = self.place_on_border(surface, edge, wish, margin) else { return false };
        self.worst_shift = self.worst_shift.max(shift);
        let share = (distance_squared(a, point) / distance_squared(a, b)).sqrt();
        let height = height_between(surface.end_heights(edge), share);
        let vertex = surface.add_vertex(point, height, None);
        surface.split_edge(edge, vertex);
        self.report.points_on_borders += 1;
        true
    }

    /// Returns the grid point nearest to `wish` that may split the border, and its distance from
    /// the border.
    fn place_on_border(
        &self,
        surface: &Surface,
        edge: u32,
        wish: Point,
        margin: f64,
    ) -> Option<(Point, f64)> {
        let [a, b] = surface.ends(edge);
        let length = distance_squared(a, b).sqrt();
        let fits = |point: Point| {
            let nearest = distance_squared(a, point).min(distance_squared(b, point));
            nearest >= (margin * margin).max(1.0)
                // A wall may only move inwards.
                && (!surface.is_wall(edge) || side_of(a, b, point) >= 0.0)
                && surface.can_split_edge(edge, point)
        };
        // Grid points on the border itself are multiples of the shortest integer vector along it.
        let steps = common_divisor((b[0] - a[0]).abs(), (b[1] - a[1]).abs());
        if steps >= 2.0 {
            let share = distance_squared(a, wish).sqrt() / length;
            let step = (share * steps).round().clamp(1.0, steps - 1.0);
            let exact = [a[0] + (b[0] - a[0]) / steps * step, a[1] + (b[1] - a[1]) / steps * step];
            // If it is far from `wish`, a point off the border is better.
            let close = distance_squared(exact, wish).sqrt() <= length / 6.0 || self.shift < 1.0;
            if close && fits(exact) {
                return Some((exact, 0.0));
            }
        }
        let base = [wish[0].floor(), wish[1].floor()];
        let mut best: Option<(Point, f64)> = None;
        for offset in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] {
            let point = [base[0] + offset[0], base[1] + offset[1]];
            let shift = side_of(a, b, point).abs() / length;
            if shift <= self.shift && fits(point) && best.is_none_or(|(_, other)| shift < other) {
                best = Some((point, shift));
            }
        }
        best
    }

    /// Adds the points of a grid that lie inside the polygons.
    fn add_grid(&mut self, surface: &mut Surface, spacing: f64) {
        // Triangles will change, so their corners are copied first, with a vertex to start the walk
        // from.
        let triangles: Vec<([Point; 3], u32)> = surface
            .triangles
            .iter()
            .map(|corners| (corners.map(|vertex| surface.points[vertex as usize]), corners[0]))
            .collect();
        for ([a, b, c], first) in triangles {
            let mut from = first;
            let (low_z, high_z) = (a[1].min(b[1]).min(c[1]), a[1].max(b[1]).max(c[1]));
            let mut row = (low_z / spacing).ceil();
            while row * spacing <= high_z {
                checkpoint();
                let (low_x, high_x) = span_at([a, b, c], row * spacing);
                let mut column = (low_x / spacing).ceil();
                while column * spacing <= high_x {
                    let point = [(column * spacing).round(), (row * spacing).round()];
                    // A point on a common side is added by the first triangle, and is a vertex for
                    // the second.
                    if [[a, b], [b, c], [c, a]].iter().all(|&[p, q]| side_of(p, q, point) >= 0.0)
                        && let Some(vertex) = self.insert(surface, from, point)
                    {
                        from = vertex;
                    }
                    column += 1.0;
                }
                row += 1.0;
            }
        }
    }

    /// Adds a point inside, unless another vertex or a border is too close.
    fn insert(&mut self, surface: &mut Surface, from: u32, point: Point) -> Option<u32> {
        let limit = MAX_PLAN_COORDINATE.into();
        if point.iter().any(|value: &f64| value.abs() > limit) {
            return None;
        }
        let place = surface.walk(from, point, false);
        let triangle = match place {
            Location::Triangle(triangle) => triangle,
            Location::Edge(edge) if !surface.fixed[edge as usize] => edge / 3,
            _ => return None,
        };
        let corners = surface.triangles[triangle as usize];
        let crowded = |edge: u32| {
            let [a, b] = surface.ends(edge);
            let near = distance_squared(a, point).min(self.nearest * self.nearest);
            near < self.nearest * self.nearest
                || surface.fixed[edge as usize]
                    && side_of(a, b, point) < self.nearest / 2.0 * distance_squared(a, b).sqrt()
        };
        if (3 * triangle..3 * triangle + 3).any(crowded) {
            return None;
        }
        let height = height_inside(surface, corners, point);
        let vertex = surface.add_vertex(point, height, None);
        match place {
            Location::Edge(edge) => surface.split_edge(edge, vertex),
            _ => surface.split_triangle(triangle, vertex),
        }
        surface.legalize();
        self.report.points_inside += 1;
        Some(vertex)
    }

    /// Adds points until no angle below `smallest` can be improved.
    fn improve_angles(&mut self, surface: &mut Surface, smallest: f64) {
        let limit = float::squared(float::sin(smallest));
        let mut queue: std::collections::VecDeque<u32> = (0..to_u32(surface.triangles.len())).collect();
        let most = MOST_POINTS as usize;
        while let Some(triangle) = queue.pop_front() {
            checkpoint();
            surface.changed.clear();
            let corners = surface.triangles[triangle as usize];
            if !is_sharp(surface, corners, limit) || surface.points.len() > most {
                continue;
            }
            self.repair(surface, triangle);
            if !surface.changed.is_empty() {
                // If a border was split instead, the triangle may be unchanged.
                surface.changed.push(triangle);
            }
            surface.changed.sort_unstable();
            surface.changed.dedup();
            queue.extend(&surface.changed);
        }
        self.report.small_angles_left =
            surface.triangles.iter().filter(|&&corners| is_sharp(surface, corners, limit)).count();
    }

    fn repair(&mut self, surface: &mut Surface, triangle: u32) {
        let corners = surface.triangles[triangle as usize];
        let points = corners.map(|vertex| surface.points[vertex as usize]);
        let Some((center, radius)) = circle(points) else { return };
        let center = [center[0].round(), center[1].round()];
        // A corner between two borders cannot be improved.
        let sides = 3 * triangle..3 * triangle + 3;
        if sides.filter(|&side| surface.fixed[side as usize]).count() >= 2 {
            return;
        }
        if let Location::Behind(edge) = surface.walk(corners[0], center, false) {
            if self.split(surface, edge, 0.5, self.nearest) {
                surface.legalize();
            }
            return;
        }
        if radius < self.nearest {
            return;
        }
        // If the new point lies in the diametral circle of a border, the border is split instead,
        // if it is long enough.
        if let Some(edge) = encroached(surface, corners[0], center)
            && self.split(surface, edge, 0.5, self.nearest)
        {
            surface.legalize();
            return;
        }
        if self.insert(surface, corners[0], center).is_some() {
            return;
        }
        // The point is too close to a border. Splitting the border changes the circle.
        if let Location::Triangle(near) = surface.walk(corners[0], center, false) {
            let long = |edge: &u32| {
                let [a, b] = surface.ends(*edge);
                surface.fixed[*edge as usize] && distance_squared(a, b) >= 4.0 * self.nearest * self.nearest
            };
            if let Some(edge) = (3 * near..3 * near + 3).find(long)
                && self.split(surface, edge, 0.5, self.nearest)
            {
                surface.legalize();
            }
        }
    }
}

/// Returns the range of x of a triangle on the line at `z`, extended by a cell on both sides for
/// rounding.
fn span_at([a, b, c]: [Point; 3], z: f64) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for [p, q] in [[a, b], [b, c], [c, a]] {
        if (p[1].min(q[1])..=p[1].max(q[1])).contains(&z) {
            let share = if p[1] < q[1] || q[1] < p[1] { (z - p[1]) / (q[1] - p[1]) } else { 0.0 };
            let at = p[0] + share * (q[0] - p[0]);
            let flat = if p[1] < q[1] || q[1] < p[1] { at } else { q[0] };
            (low, high) = (low.min(at).min(flat), high.max(at).max(flat));
        }
    }
    (low - 1.0, high + 1.0)
}

/// Returns a border whose diametral circle contains `point`, among the borders of its triangle and
/// of the triangles around it.
fn encroached(surface: &Surface, from: u32, point: Point) -> Option<u32> {
    let (Location::Triangle(triangle) | Location::Edge(triangle)) = (match surface.walk(from, point, false) {
        Location::Edge(edge) => Location::Edge(edge / 3),
        other => other,
    }) else {
        return None;
    };
    let mut near: Vec<u32> = (3 * triangle..3 * triangle + 3).collect();
    for edge in 3 * triangle..3 * triangle + 3 {
        if !surface.fixed[edge as usize] {
            let twin = surface.twins[edge as usize];
            near.extend([turn(twin, 1), turn(twin, 2)]);
        }
    }
    near.into_iter().filter(|&edge| surface.fixed[edge as usize]).find(|&edge| {
        let [a, b] = surface.ends(edge);
        (a[0] - point[0]) * (b[0] - point[0]) + (a[1] - point[1]) * (b[1] - point[1]) < 0.0
    })
}

/// Returns `true` if the squared sine of the smallest angle is below `limit`.
fn is_sharp(surface: &Surface, corners: [u32; 3], limit: f64) -> bool {
    let [a, b, c] = corners.map(|vertex| surface.points[vertex as usize]);
    let mut lengths = [distance_squared(a, b), distance_squared(b, c), distance_squared(c, a)];
    lengths.sort_by(f64::total_cmp);
    // The smallest angle lies between the two longest sides.
    float::squared(side_of(a, b, c)) < limit * lengths[1] * lengths[2]
}

/// Returns the centre and radius of the circle through three points.
fn circle([a, b, c]: [Point; 3]) -> Option<(Point, f64)> {
    let [u, v] = [[b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]];
    let doubled = 2.0 * (u[0] * v[1] - u[1] * v[0]);
    let [uu, vv] = [u, v].map(|p| p[0] * p[0] + p[1] * p[1]);
    let center = [(v[1] * uu - u[1] * vv) / doubled, (u[0] * vv - v[0] * uu) / doubled];
    let radius = float::hypot(center[0], center[1]);
    radius.is_finite().then_some(([a[0] + center[0], a[1] + center[1]], radius))
}

fn height_inside(surface: &Surface, corners: [u32; 3], point: Point) -> f32 {
    let [a, b, c] = corners.map(|vertex| surface.points[vertex as usize]);
    let [at_a, at_b, at_c] = corners.map(|vertex| f64::from(surface.heights[vertex as usize]));
    let whole = side_of(a, b, c);
    let (for_a, for_b) = (side_of(b, c, point) / whole, side_of(c, a, point) / whole);
    nearest_f32(at_a * for_a + at_b * for_b + at_c * (1.0 - for_a - for_b))
}

/// Returns the greatest common divisor of two integers that are not both 0.
fn common_divisor(mut a: f64, mut b: f64) -> f64 {
    while b > 0.0 {
        (a, b) = (b, a % b);
    }
    a
}

fn export(surface: &Surface, triangulation: &Triangulation) -> Triangulation {
    let mut result = Triangulation {
        frame: triangulation.frame,
        vertices: triangulation.vertices.clone(),
        triangles: Vec::with_capacity(surface.triangles.len()),
    };
    let ids: Vec<VertexId> = (0..surface.points.len())
        .map(|vertex| {
            surface.names[vertex].unwrap_or_else(|| {
                let [x, z] = surface.points[vertex].map(saturating_i32);
                result
                    .vertices
                    .push(PlanVertex { point: PlanPoint::new(x, z), height: surface.heights[vertex] });
                VertexId::from_index(result.vertices.len() - 1)
            })
        })
        .collect();
    // Restores the order by region, because triangles made by splits are at the end.
    let mut order: Vec<u32> = (0..to_u32(surface.triangles.len())).collect();
    let region = |triangle: u32| surface.labels[triangle as usize].region;
    order.sort_by_key(|&triangle| region(triangle));
    let mut places = vec![0; order.len()];
    for (place, &triangle) in (0..).zip(&order) {
        places[triangle as usize] = place;
    }
    for &triangle in &order {
        let label = surface.labels[triangle as usize];
        let (Some(region), Some(area)) = (label.region, label.area) else { continue };
        result.triangles.push(Triangle {
            vertices: surface.triangles[triangle as usize].map(|vertex| ids[vertex as usize]),
            neighbours: [0, 1, 2].map(|side| {
                let twin = surface.twins[(3 * triangle + side) as usize];
                (twin != NO_INDEX).then(|| TriangleId(places[(twin / 3) as usize]))
            }),
            region,
            area,
        });
    }
    result
}
