//! Grid maps and pairs in the formats of the Moving AI benchmarks.
//!
//! # References
//! Sturtevant 2012, Benchmarks for grid-based pathfinding, <https://doi.org/10.1109/TCIAIG.2012.2197681>.

use std::collections::BTreeSet;

use waymesh_core::{PlanPoint, PolyMesh};

use crate::flat_meshes;

/// A map of squares, row by row. A square has a side of one metre.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridMap {
    /// Number of squares along x.
    pub width: i32,
    /// Number of squares along z.
    pub depth: i32,
    open: Vec<bool>,
}

/// A pair of squares `[x, z]`, and the length of the shortest path between their centres in eight
/// directions, without cutting corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridPair {
    /// Square where the path begins.
    pub from: [i32; 2],
    /// Square where the path ends.
    pub to: [i32; 2],
    /// The listed length.
    pub length: f64,
}

impl GridMap {
    /// Reads a map: `.`, `G` and `S` are open. Returns `None` if the text is not such a file.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut value = |name: &str| lines.next()?.trim().strip_prefix(name)?.trim().parse::<String>().ok();
        let _ = value("type")?;
        let (depth, width): (i32, i32) = (value("height")?.parse().ok()?, value("width")?.parse().ok()?);
        let _ = value("map")?;
        let mut open = Vec::new();
        for _ in 0..depth {
            let row = lines.next()?.trim_end().as_bytes();
            (i32::try_from(row.len()) == Ok(width)).then_some(())?;
            open.extend(row.iter().map(|square| matches!(square, b'.' | b'G' | b'S')));
        }
        Some(Self { width, depth, open })
    }

    /// Makes the map of the squares whose centres lie in some polygon of a mesh. The mesh has
    /// corners at whole numbers and cells of one metre.
    #[must_use]
    pub fn under(mesh: &PolyMesh) -> Self {
        let high = |coordinate: fn(&PlanPoint) -> i32| {
            mesh.vertices.iter().map(|vertex| coordinate(&vertex.point)).max().unwrap_or(0)
        };
        let (width, depth) = (high(|point| point.x), high(|point| point.z));
        let mut map = Self { width, depth, open: Vec::new() };
        map.open = (0..width * depth).map(|_| false).collect();
        for polygon in (0..mesh.polygons.len()).map(waymesh_core::PolyId::from_index) {
            let corners: Vec<PlanPoint> =
                mesh.corners(polygon).iter().map(|&corner| mesh.point(corner)).collect();
            let range = |coordinate: fn(&PlanPoint) -> i32| {
                let values = || corners.iter().map(coordinate);
                values().min().unwrap_or(0)..values().max().unwrap_or(0)
            };
            let twice: Vec<PlanPoint> = corners.iter().map(|p| PlanPoint::new(2 * p.x, 2 * p.z)).collect();
            for z in range(|point| point.z) {
                for x in range(|point| point.x) {
                    let middle = PlanPoint::new(2 * x + 1, 2 * z + 1);
                    let next = twice.iter().cycle().skip(1);
                    if twice.iter().zip(next).all(|(&a, &b)| PlanPoint::orientation(a, b, middle) >= 0)
                        && let Some(square) = map.index(x, z)
                    {
                        map.open[square] = true;
                    }
                }
            }
        }
        map
    }

    fn index(&self, x: i32, z: i32) -> Option<usize> {
        let is_on = (0..self.width).contains(&x) && (0..self.depth).contains(&z);
        if is_on { usize::try_from(z * self.width + x).ok() } else { None }
    }

    /// Returns `true` if a square is open. Squares outside the map are not.
    #[must_use]
    pub fn is_open(&self, x: i32, z: i32) -> bool {
        self.index(x, z).is_some_and(|index| self.open[index])
    }

    /// Returns the open squares as rectangles. A corner of one rectangle is a corner of all
    /// rectangles that touch it.
    #[must_use]
    pub fn polygons(&self) -> Vec<Vec<PlanPoint>> {
        let mut left = self.clone();
        let mut rectangles = Vec::new();
        for z in 0..self.depth {
            for x in 0..self.width {
                if !left.is_open(x, z) {
                    continue;
                }
                let mut right = x + 1;
                while left.is_open(right, z) {
                    right += 1;
                }
                let mut bottom = z + 1;
                while (x..right).all(|x| left.is_open(x, bottom)) {
                    bottom += 1;
                }
                for square in (z..bottom).flat_map(|z| (x..right).map(move |x| (x, z))) {
                    if let Some(index) = left.index(square.0, square.1) {
                        left.open[index] = false;
                    }
                }
                rectangles.push([x, z, right, bottom]);
            }
        }
        rectangle_borders(&rectangles)
    }

    /// Makes a flat mesh of the open squares.
    #[must_use]
    pub fn mesh(&self) -> PolyMesh {
        flat_meshes::build(&self.polygons())
    }
}

/// Returns the borders of rectangles that do not overlap, given as `[x, z, x, z]` of two opposite
/// corners. A corner of one rectangle is a corner of all rectangles that touch it.
#[must_use]
pub fn rectangle_borders(rectangles: &[[i32; 4]]) -> Vec<Vec<PlanPoint>> {
    let corners: BTreeSet<(i32, i32)> = rectangles
        .iter()
        .flat_map(|&[x, z, right, bottom]| [(x, z), (right, z), (right, bottom), (x, bottom)])
        .collect();
    let border = |&[x, z, right, bottom]: &[i32; 4]| {
        let mut border = Vec::new();
        border.extend((x..right).map(|x| (x, z)));
        border.extend((z..bottom).map(|z| (right, z)));
        border.extend((x + 1..=right).rev().map(|x| (x, bottom)));
        border.extend((z + 1..=bottom).rev().map(|z| (x, z)));
        border.retain(|corner| corners.contains(corner));
        border.into_iter().map(|(x, z)| PlanPoint::new(x, z)).collect()
    };
    rectangles.iter().map(border).collect()
}

/// Reads the pairs of a scenario. Lines that are not pairs are ignored.
#[must_use]
pub fn read_pairs(text: &str) -> Vec<GridPair> {
    let pair = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, _, _, _, x1, z1, x2, z2, length] = words[..] else { return None };
        let whole = |word: &str| word.parse::<i32>().ok();
        Some(GridPair {
            from: [whole(x1)?, whole(z1)?],
            to: [whole(x2)?, whole(z2)?],
            length: length.parse().ok()?,
        })
    };
    text.lines().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use waymesh_core::Validate as _;

    use super::*;

    const MAP: &str = "type octile\nheight 3\nwidth 4\nmap\n..@.\n.TG.\n@...\n";

    #[test]
    fn a_map_becomes_a_mesh_of_as_many_square_metres_and_back() {
        let map = GridMap::read(MAP).expect("a map");
        let mesh = map.mesh();
        assert!(mesh.validate().is_ok());
        assert!((mesh.area() - 9.0).abs() < 1e-9);
        assert_eq!(GridMap::under(&mesh), map);
        assert!(GridMap::read("type octile\nheight 3\nwidth 5\nmap\n..@.\n").is_none());
    }

    #[test]
    fn pairs_are_read_and_other_lines_left_out() {
        let pairs = read_pairs("version 1\n0\tm\t4\t3\t0\t0\t3\t2\t4.5\n\n");
        assert_eq!(pairs, [GridPair { from: [0, 0], to: [3, 2], length: 4.5 }]);
    }
}
