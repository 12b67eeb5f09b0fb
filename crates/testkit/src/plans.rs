//! Floor plans with holes for tests and measurements: generated plans of any size, and polygons
//! with holes from files.

use std::f64::consts::TAU;

use glam::Vec3;
use waymesh_core::{
    AreaId, GridFrame, PlanPoint, PlanVertex, Polygon, PolygonLoop, PolygonSet, RegionId, VertexId, float,
    nearest_f32, saturating_i32, saturating_u32,
};

use crate::Random;

/// Rings of one polygon with holes, the outer ring first, in any unit and either direction. The
/// first point may be repeated at the end.
pub type Rings = Vec<Vec<[f64; 2]>>;

/// Extent of the grid that [`from_rings`] fits polygons to.
const EXTENT: f64 = (1 << 28) as f64;

/// Fits polygons with holes to one integer grid, one region each. Drops points that coincide with
/// the previous point, and rings without area. Nothing else is repaired.
#[must_use]
pub fn from_rings(polygons: &[Rings]) -> PolygonSet {
    let points = || polygons.iter().flatten().flatten();
    let low = points().fold([f64::INFINITY; 2], |low, at| [low[0].min(at[0]), low[1].min(at[1])]);
    let high = points().fold([f64::NEG_INFINITY; 2], |high, at| [high[0].max(at[0]), high[1].max(at[1])]);
    let extent = (high[0] - low[0]).max(high[1] - low[1]);
    // Whole numbers of a small extent stay exact.
    let scale = EXTENT / float::exp2(float::log2(extent.max(f64::MIN_POSITIVE)).ceil());
    let [width, depth] = [0, 1].map(|axis| ((high[axis] - low[axis]) * scale).ceil().max(1.0));
    let frame = GridFrame {
        origin: Vec3::ZERO,
        cell_size: nearest_f32(1.0 / scale),
        level_height: 1.0,
        width: saturating_u32(width),
        depth: saturating_u32(depth),
    };
    let mut set = PolygonSet { frame, vertices: Vec::new(), polygons: Vec::new() };
    for rings in polygons {
        let mut loops = rings.iter().enumerate().filter_map(|(at, ring)| {
            let mut points: Vec<PlanPoint> = ring
                .iter()
                .map(|point| [0, 1].map(|axis| saturating_i32(((point[axis] - low[axis]) * scale).round())))
                .map(|[x, z]| PlanPoint::new(x, z))
                .collect();
            points.dedup();
            if points.len() > 1 && points.first() == points.last() {
                points.pop();
            }
            let area = PlanPoint::doubled_area(points.iter().copied());
            if (area > 0) != (at == 0) {
                points.reverse();
            }
            (points.len() > 2 && area != 0).then(|| {
                let vertices = points.into_iter().map(|point| {
                    set.vertices.push(PlanVertex { point, height: 0.0 });
                    VertexId::from_index(set.vertices.len() - 1)
                });
                let vertices: Vec<_> = vertices.collect();
                PolygonLoop { beyond: vec![None; vertices.len()], vertices }
            })
        });
        let outer = loops.next();
        let holes = loops.collect();
        if let Some(outer) = outer {
            let region = RegionId(VertexId::from_index(set.polygons.len()).0);
            set.polygons.push(Polygon { region, area: AreaId::GROUND, outer, holes });
        }
    }
    set
}

/// Reads the polygons with holes in a text: WKT polygons, multi-polygons and closed lines, or JSON
/// arrays of rings of points. Everything except brackets and numbers is ignored.
#[must_use]
pub fn read_rings(text: &str) -> Vec<Rings> {
    let is_json = text.trim_start().starts_with('[');
    // JSON puts each point in brackets, and WKT separates points by commas.
    let mut polygons: Vec<Rings> = Vec::new();
    let mut rings = Rings::new();
    let mut ring: Vec<[f64; 2]> = Vec::new();
    let mut numbers: Vec<f64> = Vec::new();
    let mut word = String::new();
    for letter in text.chars().chain([' ']) {
        if letter.is_ascii_digit() || matches!(letter, '.' | '-' | '+' | 'e' | 'E') {
            word.push(letter);
            continue;
        }
        numbers.extend(std::mem::take(&mut word).parse::<f64>());
        let ends = matches!(letter, ')' | ']');
        if ends || (letter == ',' && !is_json) {
            let nothing = numbers.is_empty();
            if let [x, z] = numbers[..] {
                ring.push([x, z]);
            }
            numbers.clear();
            // A closing bracket after a point ends the point (JSON) or the ring (WKT), the next one
            // the level
            // above.
            let ring_ends = ends && (is_json == nothing);
            if ring_ends && !ring.is_empty() {
                rings.push(std::mem::take(&mut ring));
            } else if ends && nothing && !rings.is_empty() {
                polygons.push(std::mem::take(&mut rings));
            }
        }
    }
    if !rings.is_empty() {
        polygons.push(rings);
    }
    polygons
}

/// Makes a hall with a ragged outline and rough pillars, with about `vertices` vertices in total
/// and `round` vertices per pillar. Two out of three vertices are notches.
///
/// # Panics
/// Panics if `round` is below 3.
#[must_use]
pub fn hall(seed: u64, vertices: u32, round: u32) -> PolygonSet {
    assert!(round >= 3, "a pillar has three corners");
    let mut random = Random::new(seed ^ 0x4a11);
    // The outline gets a third of the vertices in small halls, and as many as the four sides of the
    // lattice need in large ones.
    let side = (f64::from(vertices) / f64::from(round)).sqrt();
    let outline = (f64::from(vertices) / 3.0).min(4.0 * side * 4.0).max(8.0).round();
    let pillars = ((f64::from(vertices) - outline) / f64::from(round)).max(0.0).round();
    let columns = pillars.sqrt().ceil().max(1.0);
    let mut rings: Rings = vec![ragged_outline(&mut random, outline, columns)];
    let mut placed = 0.0;
    'rows: for row in (0..).map(f64::from) {
        for column in (0..).map(f64::from).take_while(|&column| column < columns) {
            if placed >= pillars {
                break 'rows;
            }
            placed += 1.0;
            let centre = [column + 0.5, row + 0.5].map(|at| at + 0.1 * (random.unit_f64() - 0.5));
            let phase = random.unit_f64();
            let rough = 0.3 * random.unit_f64();
            let ring = (0..round).map(|corner| {
                let angle = TAU * (f64::from(corner) + phase) / f64::from(round);
                let length = 0.4 * (1.0 - rough * random.unit_f64());
                [centre[0] + length * float::cos(angle), centre[1] + length * float::sin(angle)]
            });
            rings.push(ring.collect());
        }
    }
    from_rings(&[rings])
}

/// Makes the outline of a square from 0 to `size`, with dents and bulges that do not reach the
/// pillars inside.
fn ragged_outline(random: &mut Random, count: f64, size: f64) -> Vec<[f64; 2]> {
    let mut ring = Vec::new();
    let mut at = 0.0;
    while at < count {
        let along = 4.0 * at / count;
        let (which, part) = (along.floor(), along.fract());
        let out = 0.4 * random.unit_f64();
        let [x, z] = [size * part, -out];
        ring.push(match which {
            0.0 => [x, z],
            1.0 => [size - z, x],
            2.0 => [size - x, size - z],
            _ => [z, size - x],
        });
        at += 1.0;
    }
    ring
}

/// Makes a square hall with `rows` times `rows` round pillars of `corners` corners, 3 m in radius
/// and 10 m apart. A unit is a metre.
#[must_use]
pub fn round_pillars(rows: u32, corners: u32) -> PolygonSet {
    let side = 10.0 * f64::from(rows);
    let mut rings = vec![vec![[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]]];
    for pillar in 0..rows * rows {
        let centre = [pillar % rows, pillar / rows].map(|at| 5.0 + 10.0 * f64::from(at));
        let corner = |at: u32| float::sin_cos(TAU * f64::from(at) / f64::from(corners));
        rings.push(
            (0..corners).map(corner).map(|(z, x)| [centre[0] + 3.0 * x, centre[1] + 3.0 * z]).collect(),
        );
    }
    from_rings(&[rings])
}

/// Returns the numbers of notches and holes, and the least possible number of convex polygons, over
/// all polygons with holes: a cut removes at most two notches, and each hole takes one cut that
/// separates nothing.
#[must_use]
pub fn lower_bound(set: &PolygonSet) -> (usize, usize, usize) {
    let (mut notches, mut holes, mut polygons) = (0, 0, 0);
    for polygon in &set.polygons {
        let mut own = 0;
        for polygon_loop in polygon.loops() {
            let count = polygon_loop.vertices.len();
            own += (0..count)
                .filter(|&at| {
                    let [a, b, c] =
                        [0, 1, 2].map(|step| set.point(polygon_loop.vertices[(at + step) % count]));
                    PlanPoint::orientation(a, b, c) < 0
                })
                .count();
        }
        notches += own;
        holes += polygon.holes.len();
        polygons += (own.div_ceil(2) + 1).saturating_sub(polygon.holes.len()).max(1);
    }
    (notches, holes, polygons)
}

#[cfg(test)]
mod tests {
    use waymesh_core::Validate;

    use super::*;

    #[test]
    fn halls_are_valid_and_have_about_as_many_vertices_as_asked_for() {
        for (seed, vertices) in [(1, 23), (2, 100), (3, 965), (4, 3000)] {
            let set = hall(seed, vertices, 12);
            set.validate().unwrap_or_else(|violations| panic!("{vertices}: {violations}"));
            assert!(
                set.vertices.len().abs_diff(vertices as usize) <= 12,
                "{} of {vertices}",
                set.vertices.len()
            );
            let (notches, holes, least) = lower_bound(&set);
            assert!(2 * notches > set.vertices.len() || vertices < 100, "{notches} notches, {holes} holes");
            assert!(least >= 1 && least <= notches);
        }
    }

    #[test]
    fn rings_are_read_from_json_and_wkt() {
        let square = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
        let hole = vec![[1.0, 1.0], [2.0, 1.0], [1.5, -2e-1]];
        let json = "[[[0,0],[4,0],[4,4],[0,4]],\n [[1, 1],[2,1.0],[1.5,-2e-1]]]";
        assert_eq!(read_rings(json), [vec![square.clone(), hole.clone()]]);
        let wkt = "MULTIPOLYGON (((0 0,4 0,4 4,0 4),(1 1,2 1,1.5 -0.2)), ((0 0, 4 0, 4 4, 0 4)))";
        assert_eq!(read_rings(wkt), [vec![square.clone(), hole.clone()], vec![square.clone()]]);
        assert_eq!(read_rings("POLYGON((0 0,4 0,4 4,0 4),(1 1,2 1,1.5 -0.2))"), [vec![square.clone(), hole]]);
        assert_eq!(read_rings("LINESTRING(0 0,4 0,4 4,0 4)"), [vec![square.clone()]]);
        let set = from_rings(&read_rings("LINESTRING(0 0,0 4,4 4,4 4,4 0,0 0)"));
        assert_eq!(set.polygons[0].outer.vertices.len(), 4);
        set.validate().unwrap_or_else(|violations| panic!("{violations}"));
    }
}
