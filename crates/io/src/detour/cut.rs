//! Cuts of polygons along the borders of tiles. Detour finds neighbours in other tiles by edges on
//! a line along an axis.

use std::cmp::Ordering;
use std::collections::HashMap;

use waymesh_core::{PlanPoint, saturating_i32};

use super::pieces::Corner;

/// Column and row of a tile.
pub(super) type TileAt = [i32; 2];

/// Division of the plan into squares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiling {
    /// Lower corner of the first tile.
    pub(super) low: [i32; 2],
    /// Side of a tile in cells.
    pub(super) side: i32,
}

impl Tiling {
    /// Returns the tile that contains a point, or that has the point on its lower border.
    pub(super) fn tile(&self, point: PlanPoint) -> TileAt {
        [0, 1].map(|axis| self.place(axis, along(axis, point)))
    }

    fn place(&self, axis: usize, at: i32) -> i32 {
        (at - self.low[axis]).div_euclid(self.side)
    }

    /// Returns the lower border of a tile along an axis.
    pub(super) fn line(&self, axis: usize, place: i32) -> i32 {
        self.low[axis] + place * self.side
    }
}

/// Returns the coordinate of a point along an axis: 0 is x, 1 is z.
pub(super) fn along(axis: usize, point: PlanPoint) -> i32 {
    if axis == 0 { point.x } else { point.z }
}

/// Returns the point with a coordinate along an axis, and another across it.
pub(super) fn point_at(axis: usize, along: i32, across: i32) -> PlanPoint {
    if axis == 0 { PlanPoint::new(along, across) } else { PlanPoint::new(across, along) }
}

/// Vertices where an edge crosses a line: both polygons of the edge share them. Key: the ends of
/// the edge, the lower one first, the axis and the line.
pub(super) type CutVertices = HashMap<(u32, u32, usize, i32), (u32, PlanPoint)>;

/// Cuts convex polygons along the borders of tiles.
pub(super) struct Cutter<'a, B> {
    pub(super) tiling: &'a Tiling,
    /// The value beyond new edges.
    pub(super) inner: B,
    pub(super) vertices: &'a mut CutVertices,
    /// Creates a vertex.
    pub(super) make: &'a mut dyn FnMut(PlanPoint) -> u32,
}

impl<B: Copy> Cutter<'_, B> {
    /// Cuts a polygon. Parts without area are omitted.
    pub(super) fn cut(&mut self, corners: Vec<Corner<B>>) -> Vec<(TileAt, Vec<Corner<B>>)> {
        let mut parts = Vec::new();
        for (column, strip) in self.strips(corners, 0) {
            for (row, part) in self.strips(strip, 1) {
                if PlanPoint::doubled_area(part.iter().map(|corner| corner.1)) > 0 {
                    parts.push(([column, row], part));
                }
            }
        }
        parts
    }

    fn strips(&mut self, mut rest: Vec<Corner<B>>, axis: usize) -> Vec<(i32, Vec<Corner<B>>)> {
        let coordinates = || rest.iter().map(|corner| along(axis, corner.1));
        let (Some(low), Some(high)) = (coordinates().min(), coordinates().max()) else { return Vec::new() };
        let mut strips = Vec::new();
        for place in self.tiling.place(axis, low).. {
            let line = self.tiling.line(axis, place + 1);
            if high <= line {
                strips.push((place, rest));
                break;
            }
            let [before, after] = self.split(&rest, axis, line);
            strips.push((place, before));
            rest = after;
        }
        strips
    }

    /// Splits a polygon into the parts before and behind a line that passes through it.
    fn split(&mut self, corners: &[Corner<B>], axis: usize, line: i32) -> [Vec<Corner<B>>; 2] {
        let [mut before, mut after] = [Vec::new(), Vec::new()];
        let side = |corner: &Corner<B>| along(axis, corner.1).cmp(&line);
        for (index, &from) in corners.iter().enumerate() {
            let to = corners[(index + 1) % corners.len()];
            let (vertex, point, beyond) = from;
            let next = side(&to);
            let (near, far) = match side(&from) {
                Ordering::Less => (&mut before, &mut after),
                Ordering::Greater => (&mut after, &mut before),
                Ordering::Equal => {
                    before.push((vertex, point, if next.is_lt() { beyond } else { self.inner }));
                    after.push((vertex, point, if next.is_gt() { beyond } else { self.inner }));
                    continue;
                }
            };
            near.push(from);
            if next == side(&from).reverse() {
                let (vertex, point) = self.vertex(&from, &to, axis, line);
                near.push((vertex, point, self.inner));
                far.push((vertex, point, beyond));
            }
        }
        [before, after]
    }

    /// Returns the vertex of an edge on a line.
    fn vertex(&mut self, a: &Corner<B>, b: &Corner<B>, axis: usize, line: i32) -> (u32, PlanPoint) {
        let (first, second) = if a.0 < b.0 { (a, b) } else { (b, a) };
        *self.vertices.entry((first.0, second.0, axis, line)).or_insert_with(|| {
            let [from, to] = [first, second].map(|corner| f64::from(along(axis, corner.1)));
            let [start, end] = [first, second].map(|corner| f64::from(along(1 - axis, corner.1)));
            let share = (f64::from(line) - from) / (to - from);
            let other = saturating_i32((start + (end - start) * share).round());
            let point = point_at(axis, line, other);
            ((self.make)(point), point)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fill_the_polygon_and_share_their_cuts() {
        let tiling = Tiling { low: [-7, 3], side: 10 };
        let shape = [(-5, 4), (30, -9), (44, 20), (23, 41), (3, 33)];
        let corners: Vec<Corner<i32>> =
            shape.iter().zip(0..).map(|(&(x, z), vertex)| (vertex, PlanPoint::new(x, z), -1)).collect();
        let area = PlanPoint::doubled_area(corners.iter().map(|corner| corner.1));
        let mut points: Vec<PlanPoint> = corners.iter().map(|corner| corner.1).collect();
        let mut made = |point: PlanPoint| {
            points.push(point);
            u32::try_from(points.len() - 1).expect("a few")
        };
        let mut vertices = CutVertices::default();
        let mut cutter = Cutter { tiling: &tiling, inner: 7, vertices: &mut vertices, make: &mut made };
        let parts = cutter.cut(corners);
        assert!(parts.len() > 12);
        let mut sum = 0;
        let mut edges = HashMap::new();
        for ([column, row], part) in &parts {
            sum += PlanPoint::doubled_area(part.iter().map(|corner| corner.1));
            for (index, (vertex, point, beyond)) in part.iter().enumerate() {
                assert_eq!(points[*vertex as usize], *point);
                let inside = |axis: usize, place: i32| {
                    (tiling.line(axis, place)..=tiling.line(axis, place + 1)).contains(&along(axis, *point))
                };
                assert!(inside(0, *column) && inside(1, *row), "{point:?} in {column},{row}");
                edges.insert((*vertex, part[(index + 1) % part.len()].0), *beyond);
            }
        }
        // Cuts of outer edges are rounded to the grid, equally for the polygons on both sides.
        assert!((sum - area).abs() < 60, "{sum} {area}");
        for (&(from, to), &beyond) in &edges {
            assert_eq!(edges.contains_key(&(to, from)), beyond == 7, "{from} {to}");
        }
    }

    #[test]
    fn a_polygon_in_one_tile_stays_whole() {
        let tiling = Tiling { low: [0, 0], side: 10 };
        let corners: Vec<Corner<bool>> = [(10, 0), (20, 0), (20, 10), (10, 10)]
            .iter()
            .zip(0..)
            .map(|(&(x, z), vertex)| (vertex, PlanPoint::new(x, z), false))
            .collect();
        let mut made = |_| panic!("nothing to cut");
        let mut vertices = CutVertices::default();
        let mut cutter = Cutter { tiling: &tiling, inner: true, vertices: &mut vertices, make: &mut made };
        let parts = cutter.cut(corners.clone());
        assert_eq!(parts, [([1, 0], corners)]);
    }
}
