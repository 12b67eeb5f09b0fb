//! Solids added to an existing heightfield.

use std::borrow::Cow;

use glam::Vec3;
use waymesh_core::{
    AreaId, BadField, Bounds, GridFrame, GridScale, GridWindow, Heightfield, Observer, TriangleSoup,
    checkpoint, float, to_u32,
};

use crate::filters::check;
use crate::fragments::{COVERS_CENTRE, Flags, GENTLE, Range, RowFragments, UPWARD, WALKABLE, range_of};
use crate::marks::MarkShape;
use crate::prepare::check_window;
use crate::prism::{Plan, convex_parts};
use crate::rounding::{LINE_ERROR, PLAN_SLACK, REACH, clamp, first_cell, last_cell};
use crate::sweep::{Limit, NOWHERE, Sieve};
use crate::triangle::{GridTransform, GridTriangle, area_flags, ordered};
use crate::{VoxelConfig, VoxelError};

/// The space that an obstacle fills.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ObstacleShape {
    /// All of a box, a cylinder or a prism. A closed mesh is treated like [`ObstacleShape::Mesh`],
    /// turned round if its faces face inward.
    Solid {
        /// The shape; world coordinates, metres. Its lower corner or height must not be above the
        /// upper one.
        shape: MarkShape,
    },
    /// The faces of a mesh, and the space between a downward face and the next face above it. For a
    /// closed mesh whose faces face outward, this is its inside.
    Mesh {
        /// The triangles; world coordinates, metres. Triangles that are not finite or have no area
        /// are skipped.
        soup: TriangleSoup,
    },
}

/// A solid that can be added to and removed from the world.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Obstacle {
    /// The space that it fills.
    pub shape: ObstacleShape,
    /// `true` if agents may stand on it wherever its top is gentle enough, as on a platform, a ramp
    /// or a bridge. Default `false`: then only the parts that an agent can step onto from adjacent
    /// or lower ground are walkable, as on any low obstacle.
    pub walkable: bool,
}

waymesh_core::setters! {
    impl Obstacle {
        with_walkable(walkable: bool);
    }
}

impl Obstacle {
    /// Returns a solid box, cylinder or prism that is not walkable.
    #[must_use]
    pub fn solid(shape: impl Into<MarkShape>) -> Self {
        Self { shape: ObstacleShape::Solid { shape: shape.into() }, walkable: false }
    }

    /// Returns a mesh that is not walkable.
    #[must_use]
    pub fn mesh(soup: TriangleSoup) -> Self {
        Self { shape: ObstacleShape::Mesh { soup }, walkable: false }
    }

    /// Returns the triangles of a mesh.
    fn faces(&self) -> Option<Cow<'_, TriangleSoup>> {
        match &self.shape {
            ObstacleShape::Mesh { soup } => Some(Cow::Borrowed(soup)),
            ObstacleShape::Solid { shape: MarkShape::Mesh { mesh } } => Some(Cow::Owned(mesh.outward())),
            ObstacleShape::Solid { .. } => None,
        }
    }

    /// Returns the faces as triangles that face outward, to check what the obstacle blocks. A
    /// cylinder has sixteen sides, which lie outside it by at most 2 % of its radius. A prism that
    /// is not convex is cut into closed convex ones. Empty for an invalid shape.
    #[must_use]
    pub fn triangles(&self) -> TriangleSoup {
        const SIDES: u8 = 16;
        let (parts, heights) = match &self.shape {
            ObstacleShape::Mesh { .. } | ObstacleShape::Solid { shape: MarkShape::Mesh { .. } } => {
                return self.faces().unwrap_or_default().into_owned();
            }
            ObstacleShape::Solid { shape: MarkShape::Box { bounds: Bounds { min, max } } } => {
                let corners = [[min.x, min.z], [max.x, min.z], [max.x, max.z], [min.x, max.z]];
                (vec![corners.map(|corner| corner.map(f64::from)).to_vec()], [min.y, max.y])
            }
            ObstacleShape::Solid { shape: MarkShape::Prism { corners, heights } } => {
                let parts = convex_parts(corners, *heights).unwrap_or_default();
                (parts.into_iter().map(convex_hull).collect(), *heights)
            }
            ObstacleShape::Solid { shape: MarkShape::Cylinder { base, radius, height } } => {
                let step = std::f64::consts::TAU / f64::from(SIDES);
                let reach = f64::from(*radius) / float::cos(step / 2.0);
                let corner = |side: u8| {
                    let (sine, cosine) = float::sin_cos(step * f64::from(side));
                    [f64::from(base.x) + reach * cosine, f64::from(base.z) + reach * sine]
                };
                (vec![(0..SIDES).map(corner).collect()], [base.y, base.y + height])
            }
        };
        let mut soup = TriangleSoup::default();
        for outline in &parts {
            let count = to_u32(outline.len());
            #[expect(clippy::cast_possible_truncation, reason = "converts back to the original precision")]
            let corners =
                outline.iter().flat_map(|&[x, z]| heights.map(|y| Vec3::new(x as f32, y, z as f32)));
            let sides = (0..count).flat_map(|side| {
                let (low, next) = (2 * side, 2 * ((side + 1) % count));
                [[low, low + 1, next], [next, low + 1, next + 1]]
            });
            let ends = (2..count).flat_map(|corner| {
                let (last, next) = (2 * corner - 2, 2 * corner);
                [[0, last, next], [1, next + 1, last + 1]]
            });
            // The indices are those of the corners.
            let _ = soup.append(corners.collect(), sides.chain(ends).collect());
        }
        soup
    }

    /// Returns a rectangle that contains all columns of the obstacle. [`stamp_obstacles`] changes
    /// no other column. Empty if the obstacle lies outside the grid.
    ///
    /// The field may change around these columns as well, up to [`crate::halo_cells`] away. A tile
    /// must be built again if its core, grown by that distance, meets the rectangle.
    ///
    /// # Errors
    /// [`VoxelError::BadField`], [`VoxelError::FlatPrism`] and [`VoxelError::CrossingPrism`] for an
    /// invalid shape.
    pub fn columns(&self, frame: &GridFrame) -> Result<GridWindow, VoxelError> {
        let bounds = match &self.shape {
            ObstacleShape::Solid { shape } => solid_bounds(shape)?,
            ObstacleShape::Mesh { soup } => soup.bounds(),
        };
        if !bounds.is_valid() {
            return Ok(GridWindow::default());
        }
        let grid = GridTransform::new(frame, GridWindow::whole(frame), 0.0);
        let is_mesh = matches!(
            self.shape,
            ObstacleShape::Mesh { .. } | ObstacleShape::Solid { shape: MarkShape::Mesh { .. } }
        );
        let range = |least: f64, most: f64| {
            let [first, last] = ordered(first_cell(least), last_cell(most));
            // A vertical face on a cell line fills the cells on one of its two sides.
            if is_mesh { [first.min(last_cell(least)), last.max(first_cell(most))] } else { [first, last] }
        };
        let cells = range(grid.x(bounds.min.x), grid.x(bounds.max.x));
        let rows = range(grid.z(bounds.min.z), grid.z(bounds.max.z));
        let clip = |[first, last]: [i32; 2]| {
            let number = |cell: i32| u32::try_from(cell).unwrap_or(0);
            (number(first), number(last.saturating_add(1)))
        };
        let ((x, end_x), (z, end_z)) = (clip(cells), clip(rows));
        let window = GridWindow { x, z, width: end_x.saturating_sub(x), depth: end_z.saturating_sub(z) };
        Ok(window.intersection(&GridWindow::whole(frame)))
    }
}

/// Returns the checked bounds of a solid. The sides of a cylinder are rounded outward.
fn solid_bounds(shape: &MarkShape) -> Result<Bounds, VoxelError> {
    let bounds = shape.bounds()?;
    let upside_down = match shape {
        MarkShape::Prism { heights, .. } => heights[1] - heights[0],
        _ => (bounds.max - bounds.min).min_element(),
    };
    let expected = "at least 0 m along every axis";
    BadField::unless(upside_down >= 0.0, "size of an obstacle", upside_down, expected)?;
    Ok(bounds)
}

/// Adds `obstacles` to the `heightfield` of the columns `window` of `frame`. Returns the number of
/// columns that contain obstacles. Only the slope, the merge rule and the memory limit of `config`
/// are used; they should equal those of the rasteriser.
///
/// An obstacle is then solid, as if it had been in the soup. The filters and links of the walkable
/// field find steps onto low obstacles, headroom below high ones, and no ground where an obstacle
/// blocks it. To remove an obstacle, start again from the original heightfield.
///
/// # Guarantees
/// - Conservative, with the slack of [`crate::rasterize`]: every column that an obstacle reaches
///   into is filled at least over the obstacle's heights there. Filled levels never become free. An
///   obstacle that ends on a cell line adds nothing beyond the line.
/// - The result depends neither on the order of the obstacles nor on `window`: the columns equal
///   those of the whole heightfield.
/// - Spans that no obstacle touches stay bit-identical.
/// - Ground and flags follow the rules of [`crate::rasterize`]. The ground of an existing span
///   represents its walkable and upward surfaces. Its area stays if it stays walkable. If two spans
///   are merged, the area of the upper one is used. New walkable spans of an obstacle have
///   [`AreaId::GROUND`], and a mesh has the areas of its triangles.
///
/// # Cost
/// The rows that contain obstacles are rewritten, all other rows are moved. A solid takes time for
/// its corners in each row and for its columns. A mesh takes twice the time of
/// [`crate::rasterize`].
///
/// # Errors
/// - [`VoxelError::BadField`], [`VoxelError::FlatPrism`], [`VoxelError::CrossingPrism`] for an
///   invalid obstacle or configuration.
/// - [`VoxelError::BadWindow`], [`VoxelError::BrokenHeightfield`] for a heightfield that does not
///   belong to `window`.
/// - [`VoxelError::TooMuchMemory`], [`VoxelError::TooManySpans`] as for [`crate::rasterize`].
///
/// The heightfield is unchanged after an error. Skipped triangles of meshes are counted and
/// reported as a warning; triangles outside the window are not.
pub fn stamp_obstacles(
    heightfield: &mut Heightfield,
    frame: &GridFrame,
    window: GridWindow,
    obstacles: &[Obstacle],
    config: &VoxelConfig,
    observer: &mut dyn Observer,
) -> Result<u64, VoxelError> {
    config.validate()?;
    GridScale::new(frame.cell_size, frame.level_height).validate()?;
    check_window(frame, window)?;
    check(heightfield)?;
    let GridFrame { width, depth, .. } = heightfield.frame;
    if (width, depth) != (window.width, window.depth) {
        return Err(VoxelError::BadWindow { window, width, depth });
    }
    let grid = GridTransform::new(frame, window, config.max_slope);
    let (mut solids, mut meshes) = (Vec::new(), Vec::new());
    let mut touched = GridWindow::default();
    let mut sieve = Sieve::default();
    for obstacle in obstacles {
        let columns = obstacle.columns(frame)?.intersection(&window);
        if let Some(soup) = obstacle.faces() {
            let mesh = MeshRows::new(&soup, obstacle.walkable, columns, &grid, &mut sieve)?;
            if !columns.is_empty() {
                meshes.push(mesh);
            }
        } else if let ObstacleShape::Solid { shape } = &obstacle.shape
            && !columns.is_empty()
        {
            solids.extend(Solid::new(shape, obstacle.walkable, &grid)?);
        }
        touched = hull(touched, columns);
    }
    sieve.report_useless(observer);
    if touched.is_empty() {
        return Ok(0);
    }
    let reach = config.reach_levels(frame.level_height);
    let mut rows = RowFragments::new(grid.first_cell, width as usize, reach);
    let limit = Limit::new(&heightfield.frame, config.max_memory_bytes);
    let first = (touched.z - window.z) as usize * width as usize;
    let end = (touched.end_z() - window.z) as usize * width as usize;
    let mut columns = Vec::with_capacity(heightfield.columns.len());
    columns.extend_from_slice(&heightfield.columns[..=first]);
    let mut spans = Vec::with_capacity(heightfield.spans.len() + (end - first));
    spans.extend_from_slice(&heightfield.spans[..heightfield.columns[first] as usize]);
    let (mut changed, mut strips) = (0, <[Vec<_>; 2]>::default());
    for row in touched.z..touched.end_z() {
        checkpoint();
        let number = i32::try_from(row).unwrap_or(i32::MAX);
        for solid in &solids {
            solid.fill_row(number, &mut strips, &mut rows);
        }
        for mesh in &mut meshes {
            mesh.fill_row(number, &grid, &mut rows);
        }
        limit.check_row(&rows)?;
        let before = (row - window.z) as usize * width as usize;
        let table = &heightfield.columns[before..];
        let column = |place: usize| &heightfield.spans[table[place] as usize..table[place + 1] as usize];
        changed += rows.finish_over(column, &mut columns, &mut spans);
        limit.check_spans(spans.len() as u64)?;
    }
    let (old, new) = (heightfield.columns[end], columns[end]);
    limit.check_spans(spans.len() as u64 + (heightfield.spans.len() as u64 - u64::from(old)))?;
    columns.extend(heightfield.columns[end + 1..].iter().map(|column| column - old + new));
    spans.extend_from_slice(&heightfield.spans[old as usize..]);
    (heightfield.columns, heightfield.spans) = (columns, spans);
    Ok(changed)
}

/// Returns the smallest window that contains both. An empty window is ignored.
fn hull(a: GridWindow, b: GridWindow) -> GridWindow {
    if a.is_empty() || b.is_empty() {
        return if a.is_empty() { b } else { a };
    }
    let (x, z) = (a.x.min(b.x), a.z.min(b.z));
    GridWindow { x, z, width: a.end_x().max(b.end_x()) - x, depth: a.end_z().max(b.end_z()) - z }
}

/// A solid with upright sides, in cells and levels.
#[derive(Debug)]
struct Solid {
    outline: Outline,
    /// First and last coordinate along z.
    z: [f64; 2],
    heights: Range,
    flags: Flags,
}

#[derive(Debug)]
enum Outline {
    Box {
        x: [f64; 2],
    },
    Circle {
        x: f64,
        z: f64,
        radius: f64,
    },
    /// Convex polygons, the corners of each in order.
    Polygons {
        parts: Vec<Vec<Plan>>,
    },
}

impl Solid {
    /// Returns the solid of a shape; `None` for a mesh.
    fn new(shape: &MarkShape, walkable: bool, grid: &GridTransform) -> Result<Option<Self>, VoxelError> {
        let (outline, z, heights) = match shape {
            MarkShape::Box { bounds: Bounds { min, max } } => {
                let x = [grid.x(min.x), grid.x(max.x)];
                (Outline::Box { x }, [grid.z(min.z), grid.z(max.z)], [min.y, max.y])
            }
            MarkShape::Prism { corners, heights } => {
                let mut parts = convex_parts(corners, *heights)?;
                for part in &mut parts {
                    *part = convex_hull(part.iter().map(|&[x, z]| [grid.x(x), grid.z(z)]).collect());
                }
                let rows = || parts.iter().flatten().map(|corner| corner[1]);
                let rows = [rows().fold(f64::INFINITY, f64::min), rows().fold(f64::NEG_INFINITY, f64::max)];
                (Outline::Polygons { parts }, rows, *heights)
            }
            MarkShape::Cylinder { base, radius, height } => {
                let (x, z) = (grid.x(base.x), grid.z(base.z));
                let radius = grid.cells_of(*radius);
                (Outline::Circle { x, z, radius }, [z - radius, z + radius], [base.y, base.y + height])
            }
            MarkShape::Mesh { .. } => return Ok(None),
        };
        let flags = UPWARD | GENTLE | if walkable { WALKABLE | area_flags(AreaId::GROUND) } else { 0 };
        let heights = [grid.height(heights[0]), -grid.height(heights[1])];
        Ok(Some(Self { outline, z, heights, flags }))
    }

    /// Writes the ranges of x of the outline between two lines of constant z, in order and
    /// disjoint.
    fn strips(&self, from: f64, to: f64, out: &mut Vec<[f64; 2]>) {
        out.clear();
        if to < self.z[0] || from > self.z[1] {
            return;
        }
        match &self.outline {
            Outline::Box { x } => out.push(*x),
            Outline::Circle { x, z, radius } => {
                let apart = clamp(*z, from, to) - z;
                let half = (radius * radius - apart * apart).max(0.0).sqrt();
                out.push([x - half, x + half]);
            }
            Outline::Polygons { parts } => {
                out.extend(parts.iter().filter_map(|part| strip(part, from, to)));
                out.sort_unstable_by(|one, other| one[0].total_cmp(&other[0]));
                // Adjacent parts are joined, so that no solid ends on a cell line between them.
                out.dedup_by(|next, last| {
                    let is_beside = next[0] <= last[1] + LINE_ERROR;
                    last[1] = if is_beside { last[1].max(next[1]) } else { last[1] };
                    is_beside
                });
            }
        }
    }

    /// Fills the cells of a row that the solid reaches into.
    fn fill_row(&self, row: i32, strips: &mut [Vec<[f64; 2]>; 2], out: &mut RowFragments<true>) {
        let within = |value: f64| clamp(value, -REACH, REACH);
        let rows = ordered(first_cell(within(self.z[0])), last_cell(within(self.z[1])));
        if row < rows[0] || row > rows[1] {
            return;
        }
        // A solid that lies within the slack of one cell line fills the rows on both sides of the
        // line.
        let line = f64::from(row);
        let (from, to) = ((line + PLAN_SLACK).min(self.z[1]), (line + 1.0 - PLAN_SLACK).max(self.z[0]));
        let [strips, centres] = strips;
        self.strips(from, to, strips);
        self.strips(line + 0.5, line + 0.5, centres);
        for strip in strips {
            let cells = ordered(first_cell(within(strip[0])), last_cell(within(strip[1])));
            for cell in cells[0].max(out.first_cell())..=cells[1].min(out.last_cell()) {
                let centre = f64::from(cell) + 0.5;
                let covered = centres.iter().any(|[a, b]| a - 1e-6 <= centre && centre <= b + 1e-6);
                let flags = self.flags | if covered { COVERS_CENTRE } else { 0 };
                // A flat top on a level line fills the level above the line, as every floor does,
                // because steps are measured from top to top.
                let top = -self.heights[1];
                out.add(cell, self.heights, top, 0);
                out.add(cell, range_of(top), top, flags);
            }
        }
    }
}

/// Returns the range of x of a convex polygon between two lines of constant z; `None` outside it.
fn strip(corners: &[Plan], from: f64, to: f64) -> Option<[f64; 2]> {
    let mut strip = [f64::INFINITY, f64::NEG_INFINITY];
    let mut widen = |x: f64| strip = [strip[0].min(x), strip[1].max(x)];
    for (index, a) in corners.iter().enumerate() {
        if (from..=to).contains(&a[1]) {
            widen(a[0]);
        }
        let b = &corners[(index + 1) % corners.len()];
        for line in [from, to] {
            if (a[1] < line) != (b[1] < line) {
                let share = (line - a[1]) / (b[1] - a[1]);
                widen(a[0] + (b[0] - a[0]) * share);
            }
        }
    }
    (strip[0] <= strip[1]).then_some(strip)
}

/// Returns the convex hull of points in plan. Andrew 1979, Another efficient algorithm for convex
/// hulls in two dimensions.
fn convex_hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut hull: Vec<[f64; 2]> = Vec::with_capacity(points.len() + 1);
    let turns_back = |hull: &[[f64; 2]], point: [f64; 2]| match hull {
        [.., a, b] => (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) <= 0.0,
        _ => false,
    };
    let mut chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let start = hull.len();
        for point in points {
            while turns_back(&hull[start..], point) {
                hull.pop();
            }
            hull.push(point);
        }
        // The last point is the first one of the other chain.
        hull.pop();
    };
    chain(&mut points.iter().copied());
    chain(&mut points.iter().rev().copied());
    hull
}

/// The triangles of a mesh, swept row by row.
#[derive(Debug)]
struct MeshRows {
    /// Triangles by the first row that they reach into, in descending order.
    waiting: Vec<(i32, [i32; 2], [Vec3; 3], AreaId)>,
    open: Vec<GridTriangle>,
    walkable: bool,
    /// Scratch: the faces of the mesh in a row, used to find the inside.
    faces: RowFragments<false>,
    first_cell: i32,
}

impl MeshRows {
    fn new(
        soup: &TriangleSoup,
        walkable: bool,
        columns: GridWindow,
        grid: &GridTransform,
        sieve: &mut Sieve,
    ) -> Result<Self, VoxelError> {
        let mut waiting = Vec::new();
        for triangle in 0..soup.triangles().len() {
            let corners = soup.corners(triangle);
            let rows = sieve.rows(corners, grid);
            if rows != NOWHERE {
                waiting.push((rows[0].max(grid.first_row), rows, corners, soup.area(triangle)));
            }
        }
        waiting.sort_by_key(|&(first, ..)| std::cmp::Reverse(first));
        let first_cell = i32::try_from(columns.x).unwrap_or(i32::MAX);
        let faces = RowFragments::new(first_cell, columns.width as usize, 0);
        Ok(Self { waiting, open: Vec::new(), walkable, faces, first_cell })
    }

    fn fill_row(&mut self, row: i32, grid: &GridTransform, out: &mut RowFragments<true>) {
        while let Some((_, rows, corners, area)) = self.waiting.pop_if(|(first, ..)| *first <= row) {
            let triangle = GridTriangle::new(corners, grid, rows, row).of_area(area);
            self.open.push(if self.walkable { triangle } else { triangle.unwalkable() });
        }
        for triangle in &mut self.open {
            if !triangle.is_vertical() {
                triangle.clone().fill_row(row, &mut self.faces);
            }
            triangle.fill_row(row, out);
        }
        self.open.retain(|triangle| triangle.last > row);
        let (mut columns, mut spans) = (vec![0], Vec::new());
        self.faces.finish(&mut columns, &mut spans);
        for (cell, column) in (self.first_cell..).zip(columns.windows(2)) {
            for pair in spans[column[0] as usize..column[1] as usize].windows(2) {
                if !pair[0].upward {
                    out.add_solid(cell, pair[0].top, pair[1].bottom);
                }
            }
        }
    }
}
