//! Small meshes made by hand and by chance.

use std::collections::HashMap;

use glam::Vec3;
use waymesh_core::{
    Agent, AreaId, GridFrame, HeightSurface, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId,
    SurfacePoint, VertexId,
};
use waymesh_graph::NavMesh;
use waymesh_testkit::grid_maps::rectangle_borders;

/// Numbers by chance (splitmix64).
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// From 0 to 1.
    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// Makes a mesh of polygons whose corners are named: corners with one name are one vertex.
#[derive(Default)]
pub(crate) struct Builder {
    vertices: Vec<PlanVertex>,
    names: HashMap<(i32, i32, i32), VertexId>,
    polygons: Vec<(Vec<VertexId>, AreaId)>,
}

impl Builder {
    /// The vertex at a plan point on a storey, at a height.
    pub(crate) fn vertex(&mut self, x: i32, z: i32, storey: i32, height: f32) -> VertexId {
        *self.names.entry((x, z, storey)).or_insert_with(|| {
            self.vertices.push(PlanVertex { point: PlanPoint::new(x, z), height });
            VertexId::from_index(self.vertices.len() - 1)
        })
    }

    pub(crate) fn polygon(&mut self, corners: Vec<VertexId>, area: AreaId) {
        self.polygons.push((corners, area));
    }

    pub(crate) fn build(self, frame: GridFrame) -> PolyMesh {
        let mut edges = HashMap::new();
        for (index, (corners, _)) in self.polygons.iter().enumerate() {
            for corner in 0..corners.len() {
                let edge = (corners[corner], corners[(corner + 1) % corners.len()]);
                assert!(edges.insert(edge, PolyId::from_index(index)).is_none(), "an edge is used once");
            }
        }
        let mut mesh = PolyMesh {
            frame,
            vertices: self.vertices,
            polygons: Vec::new(),
            corners: Vec::new(),
            neighbours: Vec::new(),
        };
        for (corners, area) in &self.polygons {
            mesh.polygons.push(Poly {
                first: mesh.corners.len() as u32,
                len: corners.len() as u32,
                region: RegionId(0),
                area: *area,
            });
            for corner in 0..corners.len() {
                mesh.corners.push(corners[corner]);
                let back = (corners[(corner + 1) % corners.len()], corners[corner]);
                mesh.neighbours.push(edges.get(&back).copied());
            }
        }
        mesh
    }
}

pub(crate) fn frame(origin: Vec3) -> GridFrame {
    GridFrame { origin, cell_size: 0.5, level_height: 0.25, width: 1000, depth: 1000 }
}

/// Side of a map square in grid cells.
const SQUARE: i32 = 8;

/// A mesh over a map: squares that are not `#` are walkable, a digit is the kind of ground. Squares
/// are joined to random rectangles, some of those cut into triangles or other pieces. `height`
/// gives the levels at a grid point.
pub(crate) fn from_map(
    rows: &[String],
    seed: u64,
    frame: GridFrame,
    height: impl Fn(i32, i32) -> f32,
) -> PolyMesh {
    joined_squares(rows, seed, frame, &height)
}

/// [`from_map`], which is compiled once for all tests.
fn joined_squares(
    rows: &[String],
    seed: u64,
    frame: GridFrame,
    height: &dyn Fn(i32, i32) -> f32,
) -> PolyMesh {
    let mut chance = Chance(seed);
    let (width, depth) = (rows[0].len(), rows.len());
    let area = |x: usize, z: usize| match rows[z].as_bytes()[x] {
        b'#' => AreaId::NULL,
        digit @ b'0'..=b'9' => AreaId(digit - b'0'),
        _ => AreaId::GROUND,
    };
    // Rectangles of one kind of ground.
    let mut taken = vec![false; width * depth];
    let mut rectangles = Vec::new();
    for z in 0..depth {
        for x in 0..width {
            if taken[z * width + x] || !area(x, z).is_walkable() {
                continue;
            }
            let free =
                |taken: &[bool], x2: usize, z2: usize| !taken[z2 * width + x2] && area(x2, z2) == area(x, z);
            let mut right = x + 1;
            while right < width && free(&taken, right, z) && !chance.one_in(3) {
                right += 1;
            }
            let mut bottom = z + 1;
            while bottom < depth && (x..right).all(|x2| free(&taken, x2, bottom)) && !chance.one_in(3) {
                bottom += 1;
            }
            for z2 in z..bottom {
                taken[z2 * width + x..z2 * width + right].fill(true);
            }
            rectangles.push(([x, z, right, bottom].map(|at| at as i32), area(x, z)));
        }
    }
    let (rectangles, areas): (Vec<[i32; 4]>, Vec<AreaId>) = rectangles.into_iter().unzip();
    let mut builder = Builder::default();
    for (border, area) in rectangle_borders(&rectangles).into_iter().zip(areas) {
        let border = border.into_iter().map(|point| (point.x, point.z)).collect();
        split(border, area, &mut chance, &mut |points, area| {
            let corners = points
                .iter()
                .map(|&(x, z)| {
                    let (x, z) = (x * SQUARE, z * SQUARE);
                    builder.vertex(x, z, 0, height(x, z))
                })
                .collect();
            builder.polygon(corners, area);
        });
    }
    builder.build(frame)
}

/// Takes a polygon of map squares, and its area.
type Add<'a> = dyn FnMut(&[(i32, i32)], AreaId) + 'a;

/// Cuts a convex polygon along random diagonals, or leaves it as it is.
fn split(polygon: Vec<(i32, i32)>, area: AreaId, chance: &mut Chance, add: &mut Add<'_>) {
    let count = polygon.len();
    let doubled =
        |points: &[(i32, i32)]| PlanPoint::doubled_area(points.iter().map(|&(x, z)| PlanPoint::new(x, z)));
    if count > 3 && !chance.one_in(3) {
        let (from, step) = (chance.below(count), 2 + chance.below(count - 3));
        let part = |from: usize, steps: usize| -> Vec<(i32, i32)> {
            (0..=steps).map(|step| polygon[(from + step) % count]).collect()
        };
        let (first, second) = (part(from, step), part(from + step, count - step));
        if doubled(&first) > 0 && doubled(&second) > 0 {
            split(first, area, chance, add);
            split(second, area, chance, add);
            return;
        }
    }
    add(&polygon, area);
}

/// A map by chance.
pub(crate) fn random_map(seed: u64, width: usize, depth: usize, walls: usize) -> Vec<String> {
    let mut chance = Chance(seed ^ 0x5eed);
    (0..depth)
        .map(|_| {
            (0..width)
                .map(|_| match chance.below(100) {
                    value if value < walls => '#',
                    value if value % 7 == 0 => '2',
                    _ => '.',
                })
                .collect()
        })
        .collect()
}

/// A flat mesh by chance.
pub(crate) fn random_flat(seed: u64) -> PolyMesh {
    let walls = [15, 30, 40][(seed % 3) as usize];
    from_map(&random_map(seed, 14, 11, walls), seed, frame(Vec3::ZERO), |_, _| 0.0)
}

/// A hilly mesh by chance.
pub(crate) fn random_hilly(seed: u64, origin: Vec3) -> PolyMesh {
    let height = |x: i32, z: i32| ((x * 7 + z * 13) % 17) as f32 * 0.37;
    from_map(&random_map(seed, 12, 12, 25), seed, frame(origin), height)
}

/// A ramp winding around a square hole `turns` times, four sides of four squares to a turn, each
/// square `rise` levels up. Every storey lies over the one below.
pub(crate) fn spiral(turns: usize, rise: f32) -> PolyMesh {
    let ring: Vec<(i32, i32)> = (0..4)
        .map(|i| (i, 0))
        .chain((0..4).map(|i| (4, i)))
        .chain((0..4).map(|i| (4 - i, 4)))
        .chain((0..4).map(|i| (0, 4 - i)))
        .collect();
    let touches = |step: usize, (x, z): (i32, i32)| {
        let (left, low) = ring[step % 16];
        (left..=left + 1).contains(&x) && (low..=low + 1).contains(&z)
    };
    let mut builder = Builder::default();
    for step in 0..turns * 16 {
        let (x, z) = ring[step % 16];
        let corners = [(x, z), (x + 1, z), (x + 1, z + 1), (x, z + 1)];
        let ids = corners.map(|corner| {
            // The first, in a row of steps that all touch a corner, gives it its name and its height.
            let mut first = step;
            while first > 0 && touches(first - 1, corner) {
                first -= 1;
            }
            builder.vertex(corner.0 * SQUARE, corner.1 * SQUARE, first as i32, first as f32 * rise)
        });
        builder.polygon(ids.to_vec(), AreaId::GROUND);
    }
    builder.build(frame(Vec3::ZERO))
}

/// A surface over a mesh: each polygon a fan around the mean of its corners, raised by `bump`
/// there.
pub(crate) fn bumpy_surface(mesh: &PolyMesh, bump: f32) -> HeightSurface {
    let mut surface = HeightSurface {
        points: Vec::new(),
        triangles: Vec::new(),
        polygon_triangles: vec![0],
        max_error: 0.5,
    };
    for vertex in &mesh.vertices {
        surface.points.push(SurfacePoint {
            x: vertex.point.x as f32,
            height: vertex.height,
            z: vertex.point.z as f32,
        });
    }
    for index in 0..mesh.polygons.len() {
        let corners = mesh.corners(PolyId::from_index(index));
        let share = 1.0 / corners.len() as f32;
        let mut middle = SurfacePoint { x: 0.0, height: bump, z: 0.0 };
        for corner in corners {
            let point = surface.points[corner.index()];
            middle.x += point.x * share;
            middle.height += point.height * share;
            middle.z += point.z * share;
        }
        let apex = surface.points.len() as u32;
        surface.points.push(middle);
        for corner in 0..corners.len() {
            surface.triangles.push([apex, corners[corner].0, corners[(corner + 1) % corners.len()].0]);
        }
        surface.polygon_triangles.push(surface.triangles.len() as u32);
    }
    surface
}

pub(crate) fn navmesh(polygons: PolyMesh) -> NavMesh {
    NavMesh::new(polygons, None, Agent::default()).unwrap()
}

/// A random point of a polygon, on its ground.
pub(crate) fn point_in(mesh: &NavMesh, polygon: PolyId, chance: &mut Chance) -> Vec3 {
    let view = mesh.polygon(polygon).unwrap();
    let weights: Vec<f32> = view.corners().iter().map(|_| chance.unit() + 1e-3).collect();
    let sum: f32 = weights.iter().sum();
    let mut point: Vec3 =
        view.positions().zip(&weights).map(|(position, weight)| position * (weight / sum)).sum();
    point.y = mesh.height_in_polygon(polygon, point).unwrap();
    point
}

pub(crate) fn random_polygon(mesh: &NavMesh, chance: &mut Chance) -> PolyId {
    PolyId::from_index(chance.below(mesh.polygon_count()))
}
