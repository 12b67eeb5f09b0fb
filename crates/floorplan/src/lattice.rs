//! Areas on the grid: rounding, simplification, and cuts along doors, on integers.

use geo::MultiPolygon;
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay::{Overlay, ShapeType};
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::i_float::int::point::IntPoint;
use i_overlay::string::overlay::StringOverlay;
use i_overlay::string::rule::StringRule;
use waymesh_core::{Bounds, BoxTree, GridFrame, MAX_PLAN_COORDINATE, PlanPoint, saturating_i32};

use crate::PlanPosition;
use crate::area::{corners, rings};

/// A polygon on the grid: its outer ring, positive, then its holes, negative.
pub(crate) type LatticePolygon = Vec<Vec<PlanPoint>>;

/// The grid point nearest to a plan position.
pub(crate) fn nearest_point(frame: &GridFrame, [x, z]: PlanPosition) -> PlanPoint {
    let axis = |value: f64, origin: f32| {
        let cells = (value - f64::from(origin)) / f64::from(frame.cell_size);
        let limit = f64::from(MAX_PLAN_COORDINATE);
        saturating_i32(cells.round().clamp(-limit, limit))
    };
    PlanPoint::new(axis(x, frame.origin.x), axis(z, frame.origin.z))
}

/// The plan position of a grid point.
pub(crate) fn position(frame: &GridFrame, point: PlanPoint) -> PlanPosition {
    let axis = |cells: i32, origin: f32| f64::from(origin) + f64::from(cells) * f64::from(frame.cell_size);
    [axis(point.x, frame.origin.x), axis(point.z, frame.origin.z)]
}

fn int(point: PlanPoint) -> IntPoint {
    IntPoint::new(point.x, point.z)
}

fn plan(point: &IntPoint) -> PlanPoint {
    PlanPoint::new(point.x, point.y)
}

fn overlay(rings: &[Vec<PlanPoint>]) -> Overlay {
    let count = rings.iter().map(Vec::len).sum();
    let mut overlay = Overlay::new(count);
    for ring in rings {
        overlay.add_path_iter(ring.iter().copied().map(int), ShapeType::Subject);
    }
    overlay
}

fn polygons(shapes: Vec<Vec<Vec<IntPoint>>>) -> Vec<LatticePolygon> {
    let polygon = |shape: Vec<Vec<IntPoint>>| {
        shape.iter().map(|ring| canonical(ring.iter().map(plan).collect())).collect()
    };
    let mut polygons: Vec<LatticePolygon> = shapes.into_iter().map(polygon).collect();
    for polygon in &mut polygons {
        polygon[1..].sort_unstable();
    }
    polygons.sort_unstable();
    polygons
}

/// Rotates a ring to its lowest point, so that the result does not depend on the order of the
/// input.
fn canonical(mut ring: Vec<PlanPoint>) -> Vec<PlanPoint> {
    if let Some(lowest) = (0..ring.len()).min_by_key(|&index| ring[index]) {
        ring.rotate_left(lowest);
    }
    ring
}

/// Returns what rings enclose, as polygons that neither cross nor overlap.
fn resolve(rings: &[Vec<PlanPoint>]) -> Vec<LatticePolygon> {
    polygons(overlay(rings).overlay(OverlayRule::Subject, FillRule::NonZero))
}

/// Returns the rings of an area, rounded to the grid.
pub(crate) fn nearest_rings(area: &MultiPolygon, frame: &GridFrame) -> Vec<Vec<PlanPoint>> {
    rings(area).map(|ring| corners(ring).map(|point| nearest_point(frame, point)).collect()).collect()
}

/// Rounds an area to the grid and removes vertices nearer than `near_cells` to the previous one,
/// except `fixed` ones.
pub(crate) fn snap(
    area: &MultiPolygon<f64>,
    frame: &GridFrame,
    near_cells: f64,
    fixed: impl Fn(PlanPoint) -> bool,
) -> Vec<LatticePolygon> {
    let exact = resolve(&nearest_rings(area, frame));
    if near_cells < 1.0 {
        return exact;
    }
    let mut corners = Corners::new(exact.iter().flatten().flatten().copied().collect());
    let mut first = 0;
    let rings: Vec<Vec<PlanPoint>> = exact
        .iter()
        .flatten()
        .map(|ring| {
            let start = first;
            first += ring.len();
            thinned(ring, start, near_cells, &fixed, &mut corners)
        })
        .filter(|ring| ring.len() >= 3)
        .collect();
    resolve(&rings)
}

/// The vertices of all rings, of which some are left out.
struct Corners {
    points: Vec<PlanPoint>,
    is_left_out: Vec<bool>,
    boxes: BoxTree,
}

impl Corners {
    fn new(points: Vec<PlanPoint>) -> Self {
        let boxes = points.iter().map(|&point| Bounds::in_plan([point], 0.0)).collect();
        Self { is_left_out: vec![false; points.len()], points, boxes }
    }

    /// `true` if one that is not left out lies in a triangle, and is none of its corners.
    fn any_in(&self, triangle: [PlanPoint; 3]) -> bool {
        let [a, b, c] = triangle;
        let winding = PlanPoint::orientation(a, b, c).signum();
        let is_in = |point: PlanPoint| {
            [(a, b), (b, c), (c, a)]
                .into_iter()
                .all(|(from, to)| PlanPoint::orientation(from, to, point).signum() * winding >= 0)
        };
        self.boxes.overlapping(Bounds::in_plan(triangle, 0.0)).any(|near| {
            let point = self.points[near];
            !self.is_left_out[near] && !triangle.contains(&point) && is_in(point)
        })
    }
}

/// Returns the ring without vertices close to the previous one. A vertex stays if the border would
/// pass over another one without it: walls thinner than `near_cells` stay closed. `corners` has the
/// vertices of the ring from `first` on.
fn thinned(
    ring: &[PlanPoint],
    first: usize,
    near_cells: f64,
    fixed: impl Fn(PlanPoint) -> bool,
    corners: &mut Corners,
) -> Vec<PlanPoint> {
    let is_near = |a: PlanPoint, b: PlanPoint| (a.distance_squared(b) as f64) < near_cells * near_cells;
    let mut leave_out = |before: usize, index: usize, after: usize| {
        let [before, point, after] = [before, index, after].map(|index| ring[index]);
        let is_free =
            PlanPoint::orientation(before, point, after) == 0 || !corners.any_in([before, point, after]);
        corners.is_left_out[first + index] |= is_free;
        is_free
    };
    let mut kept: Vec<usize> = Vec::with_capacity(ring.len());
    for (index, &point) in ring.iter().enumerate() {
        match kept.last() {
            Some(&last) if is_near(ring[last], point) => {
                if fixed(point) {
                    if !fixed(ring[last]) && kept.len() > 1 {
                        kept.pop();
                    }
                    kept.push(index);
                } else if !leave_out(last, index, (index + 1) % ring.len()) {
                    kept.push(index);
                }
            }
            _ => kept.push(index),
        }
    }
    while let [start, .., before, last] = kept[..]
        && kept.len() > 3
        && is_near(ring[start], ring[last])
        && !fixed(ring[last])
        && leave_out(before, last, start)
    {
        kept.pop();
    }
    kept.into_iter().map(|index| ring[index]).collect()
}

/// Returns the parts of polygons outside and inside of a cutter. Both have the same points along
/// it.
pub(crate) fn split(
    polygons_in: &[LatticePolygon],
    cutter: &[Vec<PlanPoint>],
) -> (Vec<LatticePolygon>, Vec<LatticePolygon>) {
    let rings: Vec<Vec<PlanPoint>> = polygons_in.iter().flatten().cloned().collect();
    let mut overlay = overlay(&rings);
    for ring in cutter {
        overlay.add_path_iter(ring.iter().copied().map(int), ShapeType::Clip);
    }
    let mut buffer = Default::default();
    match overlay.build_graph_view(FillRule::NonZero) {
        Some(graph) => (
            polygons(graph.extract_shapes(OverlayRule::Difference, &mut buffer)),
            polygons(graph.extract_shapes(OverlayRule::Intersect, &mut buffer)),
        ),
        None => (Vec::new(), Vec::new()),
    }
}

/// Returns the parts of polygons between lines, which are closed. Parts have the same points along
/// them.
pub(crate) fn slice(polygons_in: &[LatticePolygon], lines: &[Vec<PlanPoint>]) -> Vec<LatticePolygon> {
    let count = polygons_in.iter().flatten().chain(lines).map(Vec::len).sum();
    let mut overlay = StringOverlay::new(count);
    for ring in polygons_in.iter().flatten() {
        overlay.add_shape_contour_iter(ring.iter().copied().map(int));
    }
    for line in lines {
        let line: Vec<IntPoint> = line.iter().copied().map(int).collect();
        overlay.add_string_contour(&line);
    }
    let graph = overlay.build_graph_view(FillRule::NonZero);
    graph.map_or_else(Vec::new, |graph| polygons(graph.extract_shapes(StringRule::Slice)))
}

/// Returns polygons of which those with a common border are one.
pub(crate) fn united(polygons_in: &[LatticePolygon]) -> Vec<LatticePolygon> {
    let rings: Vec<Vec<PlanPoint>> = polygons_in.iter().flatten().cloned().collect();
    resolve(&rings)
}

/// Twice the area of a polygon.
pub(crate) fn doubled_area(polygon: &LatticePolygon) -> i128 {
    polygon.iter().map(|ring| PlanPoint::doubled_area(ring.iter().copied())).sum()
}
