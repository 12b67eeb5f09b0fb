//! Helpers of the tests: a slow oracle of voxelisation, OBJ files.
#![allow(dead_code, reason = "each test file uses a part")]

use std::path::PathBuf;

use glam::Vec3;
use waymesh_core::{GridFrame, TriangleSoup};

pub(crate) use waymesh_testkit::levels::find as scene;

/// Vertices and faces of an OBJ file, polygons as fans.
pub(crate) fn read_obj(path: &PathBuf) -> TriangleSoup {
    let text = std::fs::read_to_string(path).unwrap();
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut next = || words.next().unwrap().parse().unwrap();
                positions.push(Vec3::new(next(), next(), next()));
            }
            Some("f") => {
                let corners: Vec<u32> =
                    words.map(|word| word.split('/').next().unwrap().parse::<u32>().unwrap() - 1).collect();
                triangles.extend((2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]));
            }
            _ => {}
        }
    }
    TriangleSoup::new(positions, triangles).unwrap()
}

/// A triangle as `[x, height, z]` in cells and levels.
pub(crate) fn to_grid(corners: [Vec3; 3], frame: &GridFrame) -> [[f64; 3]; 3] {
    corners.map(|corner| frame.to_grid(corner))
}

/// The lowest and highest point of the part of a triangle over a cell that is enlarged by `margin` on each side (cut down, if
/// negative), by plain polygon clipping.
pub(crate) fn heights_in_cell(triangle: &[[f64; 3]; 3], x: u32, z: u32, margin: f64) -> Option<[f64; 2]> {
    let mut polygon = triangle.to_vec();
    for (axis, low) in [(0, f64::from(x)), (2, f64::from(z))] {
        polygon = clip(&polygon, axis, low - margin, 1.0);
        polygon = clip(&polygon, axis, low + 1.0 + margin, -1.0);
    }
    let heights = || polygon.iter().map(|point| point[1]);
    (!polygon.is_empty())
        .then(|| [heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max)])
}

/// The part of a polygon where `side * (point[axis] - value) >= 0`.
fn clip(polygon: &[[f64; 3]], axis: usize, value: f64, side: f64) -> Vec<[f64; 3]> {
    let mut out = Vec::new();
    for (index, a) in polygon.iter().enumerate() {
        let b = &polygon[(index + 1) % polygon.len()];
        let (da, db) = (side * (a[axis] - value), side * (b[axis] - value));
        if da >= 0.0 {
            out.push(*a);
        }
        if (da > 0.0 && db < 0.0) || (da < 0.0 && db > 0.0) {
            let t = da / (da - db);
            let mut point = [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * t);
            point[axis] = value;
            out.push(point);
        }
    }
    out
}

/// What one triangle has to fill of a column, and what it may fill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OracleFragment {
    pub(crate) triangle: usize,
    /// Levels that have to be filled: `needed[0]..needed[1]`, possibly none.
    pub(crate) needed: [i32; 2],
    /// Levels that may be filled.
    pub(crate) allowed: [i32; 2],
    /// Whether the triangle reaches into the column for certain.
    pub(crate) certain: bool,
}

/// Fragments of every column by plain clipping. `plan` cells around a cell line and `level` levels around a level line are
/// left open.
pub(crate) fn oracle(
    soup: &TriangleSoup,
    frame: &GridFrame,
    plan: f64,
    level: f64,
) -> Vec<Vec<OracleFragment>> {
    let mut columns = vec![Vec::new(); frame.column_count()];
    for triangle in 0..soup.triangles().len() {
        let corners = soup.corners(triangle);
        if !corners.iter().all(|c| c.is_finite())
            || (corners[1] - corners[0]).cross(corners[2] - corners[0]) == Vec3::ZERO
        {
            continue;
        }
        let grid = to_grid(corners, frame);
        let range = |axis: usize, count: u32| {
            let low = grid.iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min) - plan;
            let high = grid.iter().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max) + plan;
            (low.floor().max(0.0) as u32)..=(high.floor().min(f64::from(count) - 1.0) as u32)
        };
        for z in range(2, frame.depth) {
            for x in range(0, frame.width) {
                let Some(outer) = heights_in_cell(&grid, x, z, plan) else { continue };
                let inner = heights_in_cell(&grid, x, z, -plan);
                let bottom = (outer[0] - level).floor() as i32;
                let needed = inner.map_or([0, 0], |inner| {
                    [(inner[0] + level).floor() as i32, (inner[1] - level).ceil() as i32]
                });
                columns[z as usize * frame.width as usize + x as usize].push(OracleFragment {
                    triangle,
                    needed,
                    allowed: [
                        bottom,
                        ((outer[1] + level).ceil() as i32).max((outer[0] + level).floor() as i32 + 1),
                    ],
                    certain: inner.is_some(),
                });
            }
        }
    }
    columns
}

/// What is wrong with a column of spans `[bottom, top]` beside its fragments.
pub(crate) fn column_error(spans: &[[i32; 2]], fragments: &[OracleFragment]) -> Option<String> {
    for fragment in fragments {
        let [bottom, top] = fragment.needed;
        if bottom < top && !spans.iter().any(|span| span[0] <= bottom && top <= span[1]) {
            return Some(format!("{fragment:?} is not covered by {spans:?}"));
        }
        let [bottom, top] = fragment.allowed;
        if fragment.certain && !spans.iter().any(|span| span[0] < top && bottom < span[1]) {
            return Some(format!("{fragment:?} is lost in {spans:?}"));
        }
    }
    for span in spans {
        let level_allowed =
            |level: i32| fragments.iter().any(|f| f.allowed[0] <= level && level < f.allowed[1]);
        let mut level = span[0];
        while level < span[1] {
            if !level_allowed(level) {
                return Some(format!("level {level} of {span:?} is filled by nothing of {fragments:?}"));
            }
            // On to the end of the furthest fragment here.
            level = fragments
                .iter()
                .filter(|f| f.allowed[0] <= level && level < f.allowed[1])
                .map(|f| f.allowed[1])
                .max()
                .unwrap();
        }
    }
    None
}

/// Whether `span` (bottom, top) has a fragment of a triangle that `counts` and ends at most `reach` levels below its top;
/// `None` if a rounding decides.
pub(crate) fn counts_at_top(
    span: [i32; 2],
    fragments: &[OracleFragment],
    reach: i32,
    counts: impl Fn(usize) -> bool,
) -> Option<bool> {
    let mut answer = Some(false);
    for fragment in
        fragments.iter().filter(|f| f.allowed[0] < span[1] && span[0] < f.allowed[1] && counts(f.triangle))
    {
        if fragment.certain
            && fragment.needed[0] < fragment.needed[1]
            && fragment.needed[1] >= span[1] - reach
        {
            return Some(true);
        }
        if fragment.allowed[1] >= span[1] - reach {
            answer = None;
        }
    }
    answer
}
