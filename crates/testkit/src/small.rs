//! Small scenes for snapshots, in the form in which each stage takes them.

use waymesh_contract::fields::{self, Floor};
use waymesh_core::{AreaId, PolygonSet, RegionMap, TriangleSoup, WalkableField, to_u32};

use crate::boxes::add_box;

/// Regions of [`storeys`] in plan: the ground storey `a` around a pillar, a ramp `b`, and the upper
/// storey `c`, of which the part above `a` is not seen.
pub const PLAN: &str = "
    aaaaaaaaaaaaaaaaaaaaaa
    aaaaaaaaaaaaaaaaaaaaaa
    aaaabbbbbbbbbbbbbbcccc
    aaaabbbbbbbbbbbbbbcccc
    aaaaaaaaaaaaaaaaaacccc
    aaaa..aaaaaaaaaaaacccc
    aaaa..aaaaaaaaaaaaaaaa
    aaaaaaaaaaaaaaaaaaaaaa
";

/// A room of 6 x 4 m with a pillar, a stair to an upper storey over its end, and a ramp.
#[must_use]
pub fn house() -> TriangleSoup {
    let mut soup = TriangleSoup::default();
    add_box(&mut soup, [0.0, -0.2, 0.0], [7.2, 0.0, 4.8]);
    add_box(&mut soup, [1.2, 0.0, 3.0], [1.8, 4.2, 3.6]);
    add_box(&mut soup, [5.4, 2.2, 0.0], [7.2, 2.4, 3.0]);
    for step in 0_u8..12 {
        let (x, height) = (0.6 + 0.4 * f32::from(step), 0.2 * f32::from(step + 1));
        add_box(&mut soup, [x, 0.0, 0.0], [x + 0.4, height, 1.2]);
    }
    let ramp = [[3.0, 0.0, 3.9], [3.0, 0.0, 4.8], [5.4, 0.9, 4.8], [5.4, 0.9, 3.9]];
    let corners = ramp.map(Into::into).to_vec();
    soup.append(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap_or_default();
    soup
}

/// A square that rises along x.
#[must_use]
pub fn slope(side: f32, rise: f32) -> TriangleSoup {
    let corners = [[0.0, 0.0], [0.0, side], [side, 0.0], [side, side]];
    let corners = corners.map(|[x, z]| [x, x * rise, z].into());
    TriangleSoup::new(corners.to_vec(), vec![[0, 1, 2], [1, 3, 2]]).unwrap_or_default()
}

/// The letters of [`PLAN`], row by row.
fn letters() -> (u32, Vec<u8>) {
    let lines: Vec<&[u8]> =
        PLAN.lines().map(|line| line.trim().as_bytes()).filter(|l| !l.is_empty()).collect();
    (to_u32(lines[0].len()), lines.concat())
}

/// A square of 40 m with a hill this high in the middle, of triangles of a metre. Its borders are
/// level.
#[must_use]
pub fn hill(height: f32) -> TriangleSoup {
    const SIDE: u16 = 40;
    let up = |x: u16, z: u16| {
        let far = (f32::from(x) - 20.0).hypot(f32::from(z) - 20.0).min(16.0);
        height * (1.0 + (std::f32::consts::PI * far / 16.0).cos()) / 2.0
    };
    let at = |x: u16, z: u16| [f32::from(x), up(x, z), f32::from(z)];
    let places = (0..=SIDE).flat_map(|z| (0..=SIDE).map(move |x| (x, z)));
    let positions: Vec<[f32; 3]> = places.map(|(x, z)| at(x, z)).collect();
    let squares = (0..SIDE).flat_map(|z| (0..SIDE).map(move |x| (x, z)));
    let triangles = squares.flat_map(|(x, z)| {
        let corner = |x: u16, z: u16| u32::from(z) * u32::from(SIDE + 1) + u32::from(x);
        let [a, b, c, d] = [corner(x, z), corner(x, z + 1), corner(x + 1, z + 1), corner(x + 1, z)];
        [[a, b, c], [a, c, d]]
    });
    TriangleSoup::from_slices(&positions, &triangles.collect::<Vec<_>>()).unwrap_or_default()
}

/// Two storeys with a ramp and a pillar, with their regions.
#[must_use]
pub fn storeys() -> (WalkableField, RegionMap) {
    let (width, letters) = letters();
    let floor = |level: u32| Floor { level: i32::try_from(level).unwrap_or(0), area: AreaId::GROUND };
    let columns: Vec<Vec<Floor>> = (0..)
        .zip(&letters)
        .map(|(cell, letter)| match letter {
            b'a' => vec![floor(1)],
            b'b' => vec![floor(cell % width - 2)],
            b'c' => vec![floor(1), floor(16)],
            _ => Vec::new(),
        })
        .collect();
    let field = fields::from_floors(width, to_u32(letters.len()) / width, &columns);
    let labels = field
        .floor
        .iter()
        .zip(&field.span_columns)
        .map(|(&floor, &cell)| match letters[cell as usize] {
            b'b' => 1,
            _ if floor > 10 => 2,
            _ => 0,
        })
        .collect();
    (field, RegionMap { labels, count: 3 })
}

/// The regions of [`PLAN`] as polygons, with a vertex at every cell.
#[must_use]
pub fn outlines() -> PolygonSet {
    let (width, letters) = letters();
    let labels: Vec<Option<u32>> =
        letters.iter().map(|&letter| u32::from(letter).checked_sub(u32::from(b'a'))).collect();
    waymesh_contract::polygons::from_labels(width, to_u32(letters.len()) / width, &labels)
}
