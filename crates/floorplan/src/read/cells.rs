//! Maps of cells, and the outlines of their terrains.

use geo::{LineString, Polygon, Simplify};

use super::Reader;
use crate::{Fill, Outline, PlanError, PlanPosition};

/// Most cells of a map: 16 times those of the largest map of a robot, and a few bytes for each.
const MOST_CELLS: u64 = 1 << 26;

/// A map of square cells. Its rows go down a page.
pub(super) struct Cells {
    width: usize,
    /// Terrain of each cell, row by row.
    terrains: Vec<u8>,
}

impl Cells {
    /// Makes a map of rows of equal length.
    pub(super) fn new(width: usize, terrains: Vec<u8>) -> Self {
        Self { width, terrains }
    }

    pub(super) fn height(&self) -> usize {
        self.terrains.len() / self.width.max(1)
    }

    /// Returns `true` if the map has such a cell.
    pub(super) fn has(&self, terrain: u8) -> bool {
        self.terrains.contains(&terrain)
    }

    /// Returns `true` for the cell right of a place and below it, if it is of the terrain.
    fn is(&self, terrain: u8, x: isize, z: isize) -> bool {
        let (Ok(x), Ok(z)) = (usize::try_from(x), usize::try_from(z)) else { return false };
        x < self.width && self.terrains.get(z * self.width + x) == Some(&terrain)
    }

    /// Returns the corners of the outlines of a terrain, in cells. Cells that touch at a corner alone
    /// are apart.
    fn rings(&self, terrain: u8) -> Vec<Vec<[usize; 2]>> {
        /// Steps right, down, left and up.
        const STEPS: [[isize; 2]; 4] = [[1, 0], [0, 1], [-1, 0], [0, -1]];
        /// The cell on the right of each step from a place, and the one on its left.
        const SIDES: [[[isize; 2]; 2]; 4] =
            [[[0, 0], [0, -1]], [[-1, 0], [0, 0]], [[-1, -1], [-1, 0]], [[0, -1], [-1, -1]]];
        let is_border = |[x, z]: [isize; 2], step: usize| {
            let [right, left] = SIDES[step].map(|[dx, dz]| self.is(terrain, x + dx, z + dz));
            right && !left
        };
        let mut rings = Vec::new();
        // Each ring has a step to the right. Those that were walked are not walked again.
        let mut walked = vec![false; self.terrains.len()];
        for start in 0..self.terrains.len() {
            let place = |index: usize| [index % self.width, index / self.width].map(usize::cast_signed);
            if walked[start] || !is_border(place(start), 0) {
                continue;
            }
            let (mut at, mut step, mut ring) = (place(start), 0, Vec::new());
            loop {
                if step == 0 {
                    walked[at[1].cast_unsigned() * self.width + at[0].cast_unsigned()] = true;
                }
                at = [0, 1].map(|axis| at[axis] + STEPS[step][axis]);
                // A turn to the right keeps to the cell.
                let Some(next) =
                    [1, 0, 3].map(|turn| (step + turn) % 4).into_iter().find(|&next| is_border(at, next))
                else {
                    break;
                };
                if next != step {
                    ring.push(at.map(isize::cast_unsigned));
                }
                step = next;
                if at == place(start) && step == 0 {
                    break;
                }
            }
            rings.push(ring);
        }
        rings
    }
}

impl Reader<'_> {
    /// Checks the size of a map before its cells are read. Returns its width and height.
    pub(super) fn map_size(&self, width: u64, height: u64) -> Result<[usize; 2], PlanError> {
        let count = width.saturating_mul(height);
        if count == 0 || count > MOST_CELLS {
            let message =
                format!("the map has {width} x {height} cells, the limit is {MOST_CELLS} and at least one");
            return Err(self.fault(message));
        }
        Ok([width, height].map(|side| usize::try_from(side).unwrap_or(usize::MAX)))
    }

    /// Returns the outline of the cells of a terrain. `place` is the place of a corner of cells; `side`
    /// the length of a cell in metres. Borders that are not straight may be moved by
    /// [`super::ReadOptions::map_error`].
    pub(super) fn outline(
        &self,
        cells: &Cells,
        terrain: u8,
        side: f64,
        place: impl Fn([f64; 2]) -> PlanPosition,
    ) -> Outline {
        let error = self.options.map_error / side;
        let corners = |ring: Vec<[usize; 2]>| {
            let ring =
                ring.into_iter().map(|corner| corner.map(|cells| cells as f64)).map(<(f64, f64)>::from);
            let polygon = Polygon::new(LineString::from_iter(ring), Vec::new());
            let polygon = if error > 0.0 { polygon.simplify(error) } else { polygon };
            let mut corners: Vec<PlanPosition> =
                polygon.exterior().coords().map(|corner| place([corner.x, corner.y])).collect();
            corners.pop();
            corners
        };
        let loops = cells.rings(terrain).into_iter().map(corners).collect();
        Outline::Loops { loops, fill: Fill::EvenOdd }
    }
}
