//! Helpers for tests: a slow oracle of voxelisation.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "test helpers, small numbers"
)]

pub(crate) mod filters;

use glam::Vec3;
use proptest::prelude::*;
use waymesh_core::{GridFrame, GridWindow, Heightfield, TriangleSoup};
use waymesh_testkit::Random;

pub(crate) use waymesh_testkit::levels::{find as scene, read_obj};

/// Returns a triangle as `[x, height, z]` in cells and levels.
pub(crate) fn to_grid(corners: [Vec3; 3], frame: &GridFrame) -> [[f64; 3]; 3] {
    corners.map(|corner| frame.to_grid(corner))
}

/// Returns the lowest and highest point of the part of a triangle over a cell that is enlarged by
/// `margin` on each side (cut down, if negative), by plain polygon clipping.
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

/// Returns the part of a polygon where `side * (point[axis] - value) >= 0`.
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

/// Levels of a column that one triangle must fill, and levels that it may fill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OracleFragment {
    pub(crate) triangle: usize,
    /// Levels that have to be filled: `needed[0]..needed[1]`, possibly none.
    pub(crate) needed: [i32; 2],
    /// Levels that may be filled.
    pub(crate) allowed: [i32; 2],
    /// `true` if the triangle certainly reaches into the column.
    pub(crate) certain: bool,
}

/// Fragments of every column by plain clipping. Within `plan` cells of a cell line and `level`
/// levels of a level line, the oracle leaves the result open.
pub(crate) fn oracle(
    soup: &TriangleSoup,
    frame: &GridFrame,
    plan: f64,
    level: f64,
) -> Vec<Vec<OracleFragment>> {
    let useless = |corners: [Vec3; 3]| {
        !corners.iter().all(|c| c.is_finite())
            || (corners[1] - corners[0]).cross(corners[2] - corners[0]) == Vec3::ZERO
    };
    let triangles: Vec<_> = (0..soup.triangles().len())
        .map(|triangle| soup.corners(triangle))
        .map(|corners| if useless(corners) { NOWHERE } else { to_grid(corners, frame) })
        .collect();
    grid_oracle(&triangles, frame.width, frame.depth, plan, level)
}

/// A triangle outside every grid.
const NOWHERE: [[f64; 3]; 3] = [[-9.0; 3]; 3];

/// Returns fragments like [`oracle`], for triangles in cells and levels.
pub(crate) fn grid_oracle(
    triangles: &[[[f64; 3]; 3]],
    width: u32,
    depth: u32,
    plan: f64,
    level: f64,
) -> Vec<Vec<OracleFragment>> {
    let mut columns = vec![Vec::new(); (width * depth) as usize];
    for (triangle, grid) in triangles.iter().enumerate() {
        let range = |axis: usize, count: u32| {
            let low = grid.iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min) - plan;
            let high = grid.iter().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max) + plan;
            (low.floor().max(0.0) as i64)..=(high.floor().min(f64::from(count) - 1.0) as i64)
        };
        for z in range(2, depth) {
            for x in range(0, width) {
                let (x, z) = (x as u32, z as u32);
                let Some(outer) = heights_in_cell(grid, x, z, plan) else { continue };
                let inner = heights_in_cell(grid, x, z, -plan);
                let bottom = (outer[0] - level).floor() as i32;
                let needed = inner.map_or([0, 0], |inner| {
                    [(inner[0] + level).floor() as i32, (inner[1] - level).ceil() as i32]
                });
                columns[z as usize * width as usize + x as usize].push(OracleFragment {
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

/// Describes an error of a column of spans `[bottom, top]` compared with its fragments.
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
            // Continues at the end of the farthest fragment here.
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

/// Returns `true` if `span` (bottom, top) has a fragment of a triangle that `counts` and ends at
/// most `reach` levels below its top. `None` if it depends on rounding.
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

/// Returns a soup with three corners per triangle.
pub(crate) fn soup(triangles: &[[[f32; 3]; 3]]) -> TriangleSoup {
    let positions = triangles.iter().flatten().map(|&corner| Vec3::from(corner)).collect();
    let count = u32::try_from(triangles.len()).unwrap();
    TriangleSoup::new(positions, (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap()
}

/// Soups that are difficult for a rasteriser: coordinates on cell lines, slivers, walls, dust and
/// sheets across the whole level.
pub(crate) fn nasty_soup() -> impl Strategy<Value = TriangleSoup> {
    let coordinate = prop_oneof![
        3 => (-8_i32..40).prop_map(|quarter| quarter as f32 * 0.25),
        3 => -2.0_f32..10.0,
        1 => (0_i32..10).prop_map(|whole| whole as f32 + 1e-5),
    ];
    let corner = [coordinate.clone(), coordinate.clone(), coordinate];
    let kind = prop_oneof![
        4 => Just(0_u8), // any three corners
        2 => Just(1),    // a wall
        1 => Just(2),    // a sliver
        1 => Just(3),    // dust
        1 => Just(4),    // a flat
        1 => Just(5),    // along x or z
    ];
    let triangle = (kind, corner.clone(), corner.clone(), corner, any::<bool>()).prop_map(
        |(kind, a, mut b, mut c, flip)| {
            match kind {
                1 => (c[0], c[2]) = (b[0], b[2]),
                2 => c = [b[0] + 1e-3, b[1], b[2] + 1e-3],
                3 => {
                    b = [a[0] + 0.01, a[1] + 0.02, a[2]];
                    c = [a[0], a[1] + 0.01, a[2] + 0.015];
                }
                4 => (b[1], c[1]) = (a[1], a[1]),
                5 => {
                    let axis = if flip { 0 } else { 2 };
                    (b[axis], c[axis]) = (a[axis], a[axis]);
                }
                _ => {}
            }
            if flip { [a, c, b] } else { [a, b, c] }
        },
    );
    prop::collection::vec(triangle, 1..14).prop_map(|triangles| {
        let mut with_nan = triangles;
        if with_nan.len() > 11 {
            with_nan[3][1][2] = f32::NAN;
        }
        soup(&with_nan)
    })
}

/// Returns the columns of `window` with their spans.
pub(crate) fn crop(heightfield: &Heightfield, window: GridWindow) -> Heightfield {
    let mut part = Heightfield::empty(heightfield.frame.window(window));
    let mut column = 0;
    for z in window.z..window.end_z() {
        for x in window.x..window.end_x() {
            part.spans.extend(heightfield.column(x, z));
            column += 1;
            part.columns[column] = part.spans.len() as u32;
        }
    }
    part
}

/// Storeys, ramps, holes, walls and dust, from one seed.
pub(crate) fn storeys(seed: u64) -> TriangleSoup {
    let mut random = Random::new(seed);
    let mut triangles = Vec::new();
    let mut quad =
        |a: [f32; 3], b: [f32; 3], c: [f32; 3], d: [f32; 3]| triangles.extend([[a, b, c], [a, c, d]]);
    for storey in 0..=random.below(2) {
        let y = storey as f32 * 2.4;
        for block in 0..36 {
            if random.chance(0.8) {
                let (x, z) = ((block % 6) as f32 * 1.5, (block / 6) as f32 * 1.5);
                let mut height = || y + random.range(0.0, 0.2);
                let heights = [height(), height(), height(), height()];
                quad(
                    [x, heights[0], z],
                    [x, heights[1], z + 1.5],
                    [x + 1.5, heights[2], z + 1.5],
                    [x + 1.5, heights[3], z],
                );
            }
        }
    }
    for _ in 0..random.below(5) {
        let (x, z) = (random.range(0.0, 8.0), random.range(0.0, 8.0));
        let (dx, dz, high) = (random.range(-2.0, 2.0), random.range(-2.0, 2.0), random.range(0.1, 2.0));
        quad([x, 0., z], [x + dx, 0., z + dz], [x + dx, high, z + dz], [x, high, z]);
    }
    // A ramp between the storeys, and a point that fixes the extent.
    let x = random.range(0.0, 6.0);
    quad([x, 0., 1.], [x, 2.4, 7.], [x + 2., 2.4, 7.], [x + 2., 0., 1.]);
    quad([9., 5., 9.], [9., 5., 9.1], [9.1, 5., 9.1], [9.1, 5., 9.]);
    soup(&triangles)
}
