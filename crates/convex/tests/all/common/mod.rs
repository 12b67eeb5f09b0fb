//! Triangulations for the tests of this crate.
#![allow(clippy::unwrap_used, reason = "test helpers")]

use std::collections::BTreeMap;

use waymesh_core::stage::{StageError, Triangulate};
use waymesh_core::{
    AreaId, GridFrame, Observer, PlanPoint, PlanVertex, PolygonSet, RegionId, Triangle, TriangleId,
    Triangulation, Validate, VertexId,
};
use waymesh_testkit::{Random, polygons};

pub(crate) fn frame() -> GridFrame {
    GridFrame { origin: Default::default(), cell_size: 1.0, level_height: 1.0, width: 1, depth: 1 }
}

/// Builds a triangulation from triangles with vertex numbers and regions. Triangles with a common
/// edge become neighbours.
pub(crate) fn triangulation(points: &[(i32, i32)], triangles: &[([u32; 3], u32)]) -> Triangulation {
    let vertices =
        points.iter().map(|&(x, z)| PlanVertex { point: PlanPoint::new(x, z), height: 0.0 }).collect();
    let mut edges: BTreeMap<[u32; 2], TriangleId> = BTreeMap::new();
    for (index, (corners, _)) in triangles.iter().enumerate() {
        for side in 0..3 {
            edges.insert([corners[side], corners[(side + 1) % 3]], TriangleId::from_index(index));
        }
    }
    let triangles = triangles
        .iter()
        .map(|&(corners, region)| Triangle {
            vertices: corners.map(VertexId),
            neighbours: [0, 1, 2].map(|side| edges.get(&[corners[(side + 1) % 3], corners[side]]).copied()),
            region: RegionId(region),
            area: AreaId::GROUND,
        })
        .collect();
    Triangulation { frame: frame(), vertices, triangles }
}

/// A triangulator that cuts every grid cell of rectilinear polygons in two, then flips random
/// edges. Regions have vertices inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellHalves {
    pub(crate) seed: u64,
}

impl Triangulate for CellHalves {
    fn triangulate(&self, set: &PolygonSet, _: &mut dyn Observer) -> Result<Triangulation, StageError> {
        let mut random = Random::new(self.seed);
        let mut cells: BTreeMap<(i32, i32), u32> = BTreeMap::new();
        let (width, depth) =
            (i32::try_from(set.frame.width).unwrap(), i32::try_from(set.frame.depth).unwrap());
        for polygon in &set.polygons {
            for z in 0..depth {
                // Edges along z to the left of a cell's centre. An odd number means inside.
                let mut crossings: Vec<i32> = Vec::new();
                for polygon_loop in polygon.loops() {
                    let points: Vec<_> = polygon_loop.vertices.iter().map(|&v| set.point(v)).collect();
                    for (index, a) in points.iter().enumerate() {
                        let b = points[(index + 1) % points.len()];
                        if a.z.min(b.z) <= z && z < a.z.max(b.z) {
                            crossings.push(a.x);
                        }
                    }
                }
                for x in 0..width {
                    if crossings.iter().filter(|&&edge| edge <= x).count() % 2 == 1 {
                        cells.insert((x, z), polygon.region.0);
                    }
                }
            }
        }
        // Coinciding corners of cells are one vertex if the cells are joined across a side.
        let mut parents: BTreeMap<(i32, i32, usize), (i32, i32, usize)> = BTreeMap::new();
        fn root(
            parents: &BTreeMap<(i32, i32, usize), (i32, i32, usize)>,
            mut at: (i32, i32, usize),
        ) -> (i32, i32, usize) {
            while let Some(&above) = parents.get(&at) {
                at = above;
            }
            at
        }
        for &(x, z) in cells.keys() {
            for (other, pairs) in [((x + 1, z), [(1, 0), (2, 3)]), ((x, z + 1), [(3, 0), (2, 1)])] {
                if cells.contains_key(&other) {
                    for (mine, theirs) in pairs {
                        let (a, b) =
                            (root(&parents, (x, z, mine)), root(&parents, (other.0, other.1, theirs)));
                        if a != b {
                            parents.insert(a, b);
                        }
                    }
                }
            }
        }
        let mut points = Vec::new();
        let mut ids = BTreeMap::new();
        let mut triangles = Vec::new();
        for (&(x, z), &region) in &cells {
            let corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(dx, dz)| (x + dx, z + dz));
            let [a, b, c, d] = [0, 1, 2, 3].map(|corner| {
                *ids.entry(root(&parents, (x, z, corner))).or_insert_with(|| {
                    points.push(corners[corner]);
                    u32::try_from(points.len() - 1).unwrap()
                })
            });
            let halves = if random.chance(0.5) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            triangles.extend(halves.map(|half| (half, region)));
        }
        triangles.sort_by_key(|&(_, region)| region);
        flip_some(&points, &mut triangles, &mut random);
        Ok(triangulation(&points, &triangles))
    }
}

/// Flips random edges between triangles of one region.
fn flip_some(points: &[(i32, i32)], triangles: &mut [([u32; 3], u32)], random: &mut Random) {
    if triangles.is_empty() {
        return;
    }
    let turn = |corners: [u32; 3]| {
        let [a, b, c] = corners.map(|corner| points[corner as usize]).map(|(x, z)| PlanPoint::new(x, z));
        PlanPoint::orientation(a, b, c)
    };
    for _ in 0..triangles.len() {
        let first = random.below(u32::try_from(triangles.len()).unwrap()) as usize;
        let (mut mine, region) = triangles[first];
        mine.rotate_left(random.below(3) as usize);
        let [p, q, r] = mine;
        let found = triangles.iter().position(|&(theirs, other)| {
            other == region && (0..3).any(|side| theirs[side] == q && theirs[(side + 1) % 3] == p)
        });
        let Some(second) = found else { continue };
        let s = triangles[second].0.into_iter().find(|&corner| corner != p && corner != q).unwrap();
        if turn([s, q, r]) > 0 && turn([r, p, s]) > 0 {
            triangles[first].0 = [s, q, r];
            triangles[second].0 = [r, p, s];
        }
    }
}

/// Returns random regions with holes and pinches, cut into half cells and sometimes sheared.
pub(crate) fn random_halves(seed: u64) -> Triangulation {
    let mut random = Random::new(seed ^ 0xce11);
    let set = polygons::random(seed, 2 + random.below(12), 2 + random.below(12));
    let mut result = CellHalves { seed }.triangulate(&set, &mut ()).unwrap();
    if random.chance(0.5) {
        for vertex in &mut result.vertices {
            let PlanPoint { x, z } = vertex.point;
            vertex.point = PlanPoint::new(70_000 * x + 3000 * z, 900 * x + 50_000 * z);
        }
    }
    for triangle in &mut result.triangles {
        triangle.area = AreaId(1 + u8::from(triangle.region.0 % 3 == 0 && random.chance(0.1)));
    }
    result.validate().unwrap();
    result
}

/// Returns a star around the origin, triangulated by plain ear clipping. It has no vertices inside.
#[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
pub(crate) fn random_star(seed: u64) -> Triangulation {
    let mut random = Random::new(seed ^ 0x57a4);
    let corners = 5 + random.below(40);
    let spread = f64::from(random.unit());
    let points: Vec<(i32, i32)> = (0..corners)
        .map(|corner| {
            let angle = std::f64::consts::TAU * (f64::from(corner) + f64::from(random.unit()) * 0.9)
                / f64::from(corners);
            let length = 1e6 * (1.0 - spread * f64::from(random.unit()) * 0.9);
            ((angle.cos() * length).round() as i32, (angle.sin() * length).round() as i32)
        })
        .collect();
    triangulation(&points, &clip_ears(&points))
}

/// Triangulates a simple polygon, as region 0.
pub(crate) fn clip_ears(points: &[(i32, i32)]) -> Vec<([u32; 3], u32)> {
    let at = |vertex: u32| PlanPoint::new(points[vertex as usize].0, points[vertex as usize].1);
    let mut left: Vec<u32> = (0..u32::try_from(points.len()).unwrap()).collect();
    let mut triangles = Vec::new();
    while left.len() > 2 {
        let count = left.len();
        let ear = (0..count)
            .find(|&tip| {
                let [a, b, c] = [count - 1, 0, 1].map(|step| at(left[(tip + step) % count]));
                PlanPoint::orientation(a, b, c) > 0
                    && left.iter().map(|&vertex| at(vertex)).filter(|p| ![a, b, c].contains(p)).all(|p| {
                        PlanPoint::orientation(a, b, p) < 0
                            || PlanPoint::orientation(b, c, p) < 0
                            || PlanPoint::orientation(c, a, p) < 0
                    })
            })
            .expect("simple polygons have ears");
        triangles.push(([count - 1, 0, 1].map(|step| left[(ear + step) % count]), 0));
        left.remove(ear);
    }
    triangles
}
