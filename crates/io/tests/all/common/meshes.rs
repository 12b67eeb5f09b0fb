//! Navigation meshes to write: tiles with heights, and a real one where it is present.

use std::collections::BTreeMap;

use glam::Vec3;
use waymesh_core::{
    Agent, AreaId, GridFrame, HeightSurface, PlanPoint, PlanVertex, Poly, PolyId, PolyMesh, RegionId,
    SurfacePoint, VertexId,
};
use waymesh_graph::NavMesh;

/// Side of a tile in grid cells.
const SIDE: i32 = 8;

/// A polygon over integer points `(x, level, z)`, positive in plan, and its region.
pub(crate) type Face = (Vec<(i32, i32, i32)>, u32);

pub(crate) fn mesh_of(faces: &[Face], with_surface: bool) -> NavMesh {
    let frame = GridFrame {
        origin: Vec3::new(-3.5, 0.25, 10.0),
        cell_size: 0.3,
        level_height: 0.2,
        width: 400,
        depth: 400,
    };
    let mut numbers: BTreeMap<(i32, i32, i32), VertexId> = BTreeMap::new();
    let mut vertices = Vec::new();
    let (mut polygons, mut corners) = (Vec::new(), Vec::new());
    let mut edges = BTreeMap::new();
    for (index, (face, region)) in faces.iter().enumerate() {
        let first = u32::try_from(corners.len()).unwrap();
        for &(x, level, z) in face {
            corners.push(*numbers.entry((x, level, z)).or_insert_with(|| {
                let height = f32::from(i16::try_from(level).unwrap()) + 0.125;
                vertices.push(PlanVertex { point: PlanPoint::new(x, z), height });
                VertexId::from_index(vertices.len() - 1)
            }));
        }
        let len = u32::try_from(face.len()).unwrap();
        polygons.push(Poly { first, len, region: RegionId(*region), area: AreaId::GROUND });
        for edge in 0..face.len() {
            edges.insert((face[edge], face[(edge + 1) % face.len()]), PolyId::from_index(index));
        }
    }
    let neighbours = faces.iter().flat_map(|(face, _)| {
        let edges = &edges;
        (0..face.len()).map(move |edge| edges.get(&(face[(edge + 1) % face.len()], face[edge])).copied())
    });
    let neighbours = neighbours.collect();
    let surface = with_surface.then(|| surface_of(faces));
    let mesh = PolyMesh { frame, vertices, polygons, corners, neighbours };
    NavMesh::new(mesh, surface, Agent::default().with_radius(0.4)).unwrap()
}

/// Fans around a point in the middle of each face, a little above the corners.
fn surface_of(faces: &[Face]) -> HeightSurface {
    let mut surface = HeightSurface {
        points: Vec::new(),
        triangles: Vec::new(),
        polygon_triangles: vec![0],
        max_error: 0.75,
    };
    for (face, _) in faces {
        let count = face.len() as f32;
        let first = u32::try_from(surface.points.len()).unwrap();
        let points = face.iter().map(|&(x, level, z)| [x as f32, level as f32 + 0.125, z as f32]);
        let sum = points.clone().fold([0.0; 3], |sum, point| [0, 1, 2].map(|axis| sum[axis] + point[axis]));
        let [x, height, z] = sum.map(|sum| sum / count);
        surface.points.push(SurfacePoint { x, height: height + 0.5, z });
        surface.points.extend(points.map(|[x, height, z]| SurfacePoint { x, height, z }));
        let corners = u32::try_from(face.len()).unwrap();
        surface
            .triangles
            .extend((0..corners).map(|edge| [first, first + 1 + edge, first + 1 + (edge + 1) % corners]));
        surface.polygon_triangles.push(u32::try_from(surface.triangles.len()).unwrap());
    }
    surface
}

/// A square tile; heights at its corners in positive order from the lower one.
fn tile(x: i32, z: i32, levels: [i32; 4], region: u32) -> Face {
    let corner = |(dx, dz): (i32, i32), level| ((x + dx) * SIDE, level, (z + dz) * SIDE);
    let [a, b, c, d] = levels;
    let face = vec![corner((0, 0), a), corner((1, 0), b), corner((1, 1), c), corner((0, 1), d)];
    (face, region)
}

/// Two storeys, six tiles by four, the upper one above the lower one, joined by an outer ramp;
/// an island beyond.
pub(crate) fn house(with_surface: bool) -> NavMesh {
    const UP: i32 = 16;
    let mut faces = Vec::new();
    for (level, region) in [(0, 0), (UP, 1)] {
        for z in 0..4 {
            for x in 0..6 {
                // A pillar in the middle of both storeys, and a hole in the upper floor.
                if (x, z) == (2, 1) || (level == UP && x > 3 && z == 2) {
                    continue;
                }
                faces.push(tile(x, z, [level; 4], region));
            }
        }
    }
    // Up along the right side: from the lower floor's last row to the upper floor's first.
    faces.push(tile(6, 3, [0; 4], 2));
    for (step, z) in [(0, 2), (1, 1)] {
        let (low, high) = (step * UP / 2, (step + 1) * UP / 2);
        faces.push(tile(6, z, [high, high, low, low], 2));
    }
    faces.push(tile(6, 0, [UP; 4], 2));
    faces.extend([tile(1, 6, [0; 4], 3), tile(2, 6, [0; 4], 3)]);
    mesh_of(&faces, with_surface)
}

/// The polygons that C++ Recast makes of a dungeon, where the real levels are present.
pub(crate) fn dungeon() -> Option<NavMesh> {
    let file = waymesh_testkit::levels::find("golden/rerecast_reference_data/dungeon/poly_mesh.json")?;
    let text = std::fs::read_to_string(&file).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let whole = |value: &serde_json::Value| i32::try_from(value.as_i64().unwrap()).unwrap();
    let vertices: Vec<_> = json["verts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|vertex| (whole(&vertex[0]), whole(&vertex[1]), whole(&vertex[2])))
        .collect();
    let polygons = json["polys"].as_array().unwrap();
    let faces: Vec<Face> = (0_u32..)
        .zip(polygons.chunks(12))
        .map(|(region, polygon)| {
            let corners = polygon[..6].iter().map(whole).take_while(|&vertex| vertex != 0xffff);
            let mut face: Vec<_> = corners.map(|vertex| vertices[usize::try_from(vertex).unwrap()]).collect();
            // Recast winds the other way round.
            face.reverse();
            (face, region)
        })
        .collect();
    Some(mesh_of(&faces, false))
}
