//! The grid that the vertices of a file lie on, or one fine enough to hold them.

use std::ops::RangeInclusive;

use waymesh_core::{PlanPoint, float, nearest_f32, saturating_i32};

use super::cut::{along, point_at};
use super::tile::{AT_BORDER, TileSet};

/// Farthest cell from the origin: the height surface has positions in single precision, which
/// represents all whole numbers and halves up to this limit.
const FARTHEST: f64 = (1 << 23) as f64;
/// Largest distance of a vertex from its grid point, in cells: the rounding error of single
/// precision, 50 km from the origin and with cells of 5 cm.
const OFF_GRID: f64 = 0.1;
/// Largest distance of a point of the ground from an edge that it lies on, in cells of the grid; in
/// metres if that is more or no grid was found.
const OFF_EDGE: f64 = 0.02;
const FINE_OFF_EDGE: f64 = 1e-3;
/// Range of the side of a cell of a grid, in metres.
const CELLS: RangeInclusive<f32> = 1e-5..=1e4;
/// The tree of a file may count in units coarser than the grid by this power of two.
const COARSER: i32 = 16;
/// The finest cell of a grid that is not that of the file, in metres. Detour joins tiles over 1 cm.
const FINEST: f64 = 1.0 / 16384.0;
/// Cells for the ends of connections, which lie anywhere, are at most this large, in metres.
const FINE_ENOUGH: f64 = 0.01;
/// Largest distance of two borders of tiles that Detour treats as one, in metres
/// (`findConnectingPolys`).
const SAME_BORDER: f64 = 0.01;

/// The grid to which vertices are rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lattice {
    /// Origin along x and z, in metres.
    pub(super) origin: [f32; 2],
    /// Side of a cell in metres.
    pub(super) cell: f32,
    /// Smallest distance of vertices in cells, a power of two.
    step: i32,
    /// `true` if it is the grid that the file was baked on.
    is_grid: bool,
}

/// Returns the positions of the corners of all polygons that are ground.
fn corners(set: &TileSet) -> impl Iterator<Item = [f32; 2]> + '_ {
    set.tiles.iter().flat_map(|tile| {
        let ground = tile.polygons.iter().filter(|polygon| polygon.is_ground);
        ground.flat_map(|polygon| {
            polygon.corners().iter().map(|&corner| {
                let [x, _, z] = tile.vertices[usize::from(corner)];
                [x, z]
            })
        })
    })
}

impl Lattice {
    /// Finds the grid of a file.
    pub(super) fn of(set: &TileSet) -> Self {
        let low = set.origin.or_else(|| set.tiles.first().map(|tile| tile.low)).unwrap_or_default();
        let units = set.tiles.first().map_or(0.0, |tile| f64::from(tile.units_per_metre));
        let mut lattice = Self::baked_on(set, [low[0], low[2]], units).unwrap_or_else(|| Self::fine(set));
        if set.tiles.iter().any(|tile| !tile.connections.is_empty()) {
            lattice.part(set);
        }
        lattice
    }

    /// Returns the grid of Recast: the units of the tree of boxes are its cells, or cells of the
    /// side times a power of two.
    fn baked_on(set: &TileSet, origin: [f32; 2], units: f64) -> Option<Self> {
        (0..=COARSER).map(|power| nearest_f32((units * float::power_of_two(power)).recip())).find_map(
            |cell| {
                if !CELLS.contains(&cell) {
                    return None;
                }
                let lattice = Self { origin, cell, step: 1, is_grid: true };
                let is_on_grid =
                    |number: f64| number.abs() <= FARTHEST && (number - number.round()).abs() <= OFF_GRID;
                corners(set)
                    .all(|corner| lattice.cells(corner).iter().all(|&number| is_on_grid(number)))
                    .then_some(lattice)
            },
        )
    }

    /// Returns a grid with cells so small that rounding does not matter.
    fn fine(set: &TileSet) -> Self {
        let (mut low, mut high) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for corner in corners(set) {
            for axis in 0..2 {
                low[axis] = low[axis].min(corner[axis]);
                high[axis] = high[axis].max(corner[axis]);
            }
        }
        let extent = (0..2).map(|axis| f64::from(high[axis]) - f64::from(low[axis])).fold(1.0, f64::max);
        let mut cell = FINEST;
        while extent / cell > FARTHEST {
            cell *= 2.0;
        }
        let origin = low.map(|low| if low.is_finite() { low.floor() } else { 0.0 });
        Self { origin, cell: nearest_f32(cell), step: 1, is_grid: false }
    }

    /// Halves cells until the ends of connections can be rounded. Vertices stay exact.
    fn part(&mut self, set: &TileSet) {
        let farthest =
            corners(set).flat_map(|corner| self.cells(corner)).fold(1.0, |most, at| at.abs().max(most));
        while f64::from(self.cell) > FINE_ENOUGH && farthest * f64::from(2 * self.step) <= FARTHEST {
            self.cell /= 2.0;
            self.step *= 2;
        }
    }

    /// Returns a position in cells.
    fn cells(&self, position: [f32; 2]) -> [f64; 2] {
        [0, 1].map(|axis| (f64::from(position[axis]) - f64::from(self.origin[axis])) / f64::from(self.cell))
    }

    /// Returns the grid point of a vertex.
    pub(super) fn point(&self, [x, _, z]: [f32; 3]) -> PlanPoint {
        let step = f64::from(self.step);
        let [x, z] =
            self.cells([x, z]).map(|cells| saturating_i32((cells / step).round()).saturating_mul(self.step));
        PlanPoint::new(x, z)
    }

    /// Returns a position of the ground, in cells.
    pub(super) fn place(&self, [x, _, z]: [f32; 3]) -> [f64; 2] {
        self.cells([x, z])
    }

    /// Returns the largest distance of a point of the ground from an edge of a polygon that it lies
    /// on, in cells.
    pub(super) fn beside_edge(&self) -> f64 {
        let fine = FINE_OFF_EDGE / f64::from(self.cell);
        if self.is_grid { fine.max(OFF_EDGE * f64::from(self.step)) } else { fine }
    }

    /// Returns a length in cells, at least one.
    pub(super) fn length(&self, metres: f64) -> i32 {
        saturating_i32((metres / f64::from(self.cell)).floor()).max(1)
    }

    /// Aligns vertices on borders of tiles that Detour treats as one, if the grid does not do it.
    /// `points` holds the vertices of all tiles, tile by tile.
    pub(super) fn align_borders(&self, set: &TileSet, points: &mut [PlanPoint]) {
        if self.is_grid {
            return;
        }
        let mut first = 0;
        let mut on_border = Vec::new();
        for tile in &set.tiles {
            for polygon in tile.polygons.iter().filter(|polygon| polygon.is_ground) {
                let corners = polygon.corners();
                for (edge, _) in
                    polygon.neighbours().iter().enumerate().filter(|(_, beyond)| **beyond & AT_BORDER != 0)
                {
                    for corner in [edge, (edge + 1) % corners.len()] {
                        on_border.push(first + usize::from(corners[corner]));
                    }
                }
            }
            first += tile.vertices.len();
        }
        on_border.sort_unstable();
        on_border.dedup();
        let apart = self.length(SAME_BORDER);
        for axis in [0, 1] {
            on_border.sort_by_key(|&vertex| along(axis, points[vertex]));
            let mut common = None;
            for &vertex in &on_border {
                let coordinate = along(axis, points[vertex]);
                let shared = *common.filter(|&common| coordinate - common <= apart).get_or_insert(coordinate);
                common = Some(shared);
                points[vertex] = point_at(axis, shared, along(1 - axis, points[vertex]));
            }
        }
    }
}
