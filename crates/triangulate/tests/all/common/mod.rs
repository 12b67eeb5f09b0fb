//! Polygons for the tests of this crate.
#![allow(clippy::unwrap_used, reason = "test helpers")]

use std::collections::{BTreeMap, BTreeSet};

use waymesh_core::{
    AreaId, GridFrame, PlanPoint, PlanVertex, Polygon, PolygonLoop, PolygonSet, RegionId, VertexId,
};
use waymesh_testkit::{Random, polygons};

pub(crate) fn frame() -> GridFrame {
    GridFrame { origin: Default::default(), cell_size: 1.0, level_height: 1.0, width: 1, depth: 1 }
}

/// Builds one region per entry: the outer loop, then the holes. Loops share no vertices.
pub(crate) fn set_of(regions: &[Vec<Vec<(i32, i32)>>]) -> PolygonSet {
    let mut set = PolygonSet { frame: frame(), vertices: Vec::new(), polygons: Vec::new() };
    for (region, loops) in (0..).zip(regions) {
        let mut loops = loops.iter().map(|points| {
            let vertices = points
                .iter()
                .map(|&(x, z)| {
                    set.vertices.push(PlanVertex { point: PlanPoint::new(x, z), height: 0.0 });
                    VertexId::from_index(set.vertices.len() - 1)
                })
                .collect();
            PolygonLoop { vertices, beyond: vec![None; points.len()] }
        });
        let outer = loops.next().unwrap_or_default();
        let holes = loops.collect();
        set.polygons.push(Polygon { region: RegionId(region), area: AreaId::GROUND, outer, holes });
    }
    set
}

/// Builds one region with holes. Loops share no vertices.
pub(crate) fn polygon(loops: &[&[(i32, i32)]]) -> PolygonSet {
    set_of(&[loops.iter().map(|points| points.to_vec()).collect()])
}

/// Drops vertices that lie on straight pieces of border in all loops that use them.
pub(crate) fn straighten(set: &PolygonSet) -> PolygonSet {
    let mut around: BTreeMap<VertexId, BTreeSet<VertexId>> = BTreeMap::new();
    for polygon_loop in set.polygons.iter().flat_map(Polygon::loops) {
        let vertices = &polygon_loop.vertices;
        for (index, &vertex) in vertices.iter().enumerate() {
            let next = vertices[(index + 1) % vertices.len()];
            around.entry(vertex).or_default().insert(next);
            around.entry(next).or_default().insert(vertex);
        }
    }
    let straight = |vertex: &VertexId| {
        let ends: Vec<_> = around[vertex].iter().map(|&other| set.point(other)).collect();
        ends.len() == 2 && PlanPoint::orientation(ends[0], set.point(*vertex), ends[1]) == 0
    };
    let mut result = set.clone();
    for polygon in &mut result.polygons {
        for polygon_loop in std::iter::once(&mut polygon.outer).chain(&mut polygon.holes) {
            let kept: Vec<_> = (0..polygon_loop.vertices.len())
                .filter(|&at| !straight(&polygon_loop.vertices[at]))
                .collect();
            polygon_loop.beyond = kept.iter().map(|&at| polygon_loop.beyond[at]).collect();
            polygon_loop.vertices = kept.iter().map(|&at| polygon_loop.vertices[at]).collect();
        }
    }
    result
}

/// Applies an integer map with positive determinant to the polygons, which only changes lengths and
/// angles.
pub(crate) fn transform(set: &PolygonSet, [a, b, c, d]: [i32; 4]) -> PolygonSet {
    assert!(i64::from(a) * i64::from(d) > i64::from(b) * i64::from(c));
    let mut result = set.clone();
    for vertex in &mut result.vertices {
        let PlanPoint { x, z } = vertex.point;
        vertex.point = PlanPoint::new(a * x + b * z, c * x + d * z);
    }
    result
}

/// Returns random rectilinear regions with holes and pinches; half of them straightened, half of
/// them sheared and stretched.
pub(crate) fn random_regions(seed: u64) -> PolygonSet {
    let mut random = Random::new(seed ^ 0x5eed);
    let mut set = polygons::random(seed, 3 + random.below(20), 3 + random.below(20));
    if random.chance(0.5) {
        set = straighten(&set);
    }
    if random.chance(0.5) {
        let mut entry = |limit: u32| i32::try_from(random.below(limit)).unwrap();
        let (a, b, c) = (1 + entry(20_000), entry(20_000) - 10_000, entry(20_000) - 10_000);
        let least = i32::try_from(i64::from(b) * i64::from(c) / i64::from(a)).unwrap_or(i32::MAX / 64);
        if least < i32::MAX / 64 {
            set = transform(&set, [a, b, c, least.max(0) + 1 + entry(1000)]);
        }
    }
    set
}

/// Returns a star around the origin: one vertex per slice of the circle, `radius / 2` to `radius`
/// away.
#[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
pub(crate) fn star(random: &mut Random, corners: u32, radius: i32) -> Vec<(i32, i32)> {
    (0..corners)
        .map(|corner| {
            let angle = std::f64::consts::TAU * (f64::from(corner) + f64::from(random.unit()) * 0.9)
                / f64::from(corners);
            let length = f64::from(radius) * (0.5 + 0.5 * f64::from(random.unit()));
            ((angle.cos() * length).round() as i32, (angle.sin() * length).round() as i32)
        })
        .collect()
}

/// Returns a star with a smaller star as a hole, which a second region may fill.
pub(crate) fn star_with_hole(seed: u64, corners: u32, radius: i32, filled: bool) -> PolygonSet {
    let mut random = Random::new(seed);
    let outer = star(&mut random, corners, radius);
    let mut hole = star(&mut random, corners, radius / 4);
    hole.reverse();
    let mut set = set_of(&[vec![outer, hole.clone()]]);
    if filled {
        let hole = &mut set.polygons[0].holes[0];
        let mut vertices = hole.vertices.clone();
        vertices.reverse();
        hole.beyond.fill(Some(RegionId(1)));
        let outer = PolygonLoop { beyond: vec![Some(RegionId(0)); vertices.len()], vertices };
        set.polygons.push(Polygon { region: RegionId(1), area: AreaId(2), outer, holes: Vec::new() });
    }
    set
}

/// Returns a square room of `side` cells with rotated boxes and thin walls that do not touch.
#[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
pub(crate) fn rooms(seed: u64, obstacles: u32, side: i32) -> PolygonSet {
    let mut random = Random::new(seed ^ 0xb0c5);
    let size = f64::from(side);
    let mut loops = vec![vec![(0, 0), (side, 0), (side, side), (0, side)]];
    let mut placed: Vec<(f64, f64, f64)> = Vec::new();
    for _ in 0..20 * obstacles {
        if placed.len() >= obstacles as usize {
            break;
        }
        let (x, z) = (size * random.unit_f64(), size * random.unit_f64());
        let (long, thin) =
            (size * (0.02 + 0.13 * random.unit_f64()), size * (0.008 + 0.05 * random.unit_f64()));
        let reach = long.hypot(thin) + 3.0;
        let free = x.min(z).min(size - x).min(size - z) > reach
            && placed.iter().all(|&(ox, oz, other)| (ox - x).hypot(oz - z) > reach + other);
        if !free {
            continue;
        }
        placed.push((x, z, reach));
        let (sin, cos) = (std::f64::consts::TAU * random.unit_f64()).sin_cos();
        let corner =
            |u: f64, v: f64| ((x + u * cos - v * sin).round() as i32, (z + u * sin + v * cos).round() as i32);
        // The order is clockwise, as for a hole.
        loops.push(vec![corner(-long, -thin), corner(-long, thin), corner(long, thin), corner(long, -thin)]);
    }
    set_of(&[loops])
}
