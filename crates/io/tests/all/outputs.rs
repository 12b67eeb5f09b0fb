//! OBJ, GLB, JSON and SVG of navigation meshes.

#![expect(clippy::unwrap_used, reason = "test helpers")]

use crate::common;
use common::meshes::{Face, dungeon, house, mesh_of};
use common::{corners, parse};
use glam::Vec3;
use proptest::prelude::*;
use waymesh_core::{Area, PlanPoint, PolyId};
use waymesh_graph::{NavMesh, Path};
use waymesh_io::svg::{Storey, storeys};
use waymesh_io::*;

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    bytes
}

fn meshes() -> Vec<NavMesh> {
    [house(true), house(false)].into_iter().chain(dungeon()).collect()
}

/// Fans of all polygons, looking up, as the writers make them.
fn fans(mesh: &NavMesh) -> Vec<[[f32; 3]; 3]> {
    let mut triangles = Vec::new();
    for polygon in mesh.polygons() {
        let positions: Vec<_> = polygon.positions().map(|position| position.to_array()).collect();
        triangles.extend((1..positions.len() - 1).map(|i| [positions[0], positions[i + 1], positions[i]]));
    }
    triangles
}

fn sorted(triangles: Vec<[[f32; 3]; 3]>) -> Vec<[[u32; 3]; 3]> {
    let mut keys: Vec<_> = triangles
        .into_iter()
        .map(|mut triangle| {
            let first = (0..3).min_by_key(|&corner| triangle[corner].map(f32::to_bits)).unwrap();
            triangle.rotate_left(first);
            triangle.map(|corner| corner.map(f32::to_bits))
        })
        .collect();
    keys.sort_unstable();
    keys
}

fn looks_up(triangle: &[[f32; 3]; 3]) -> bool {
    let [a, b, c] = triangle.map(Vec3::from);
    (b - a).cross(c - a).y > 0.0
}

#[test]
fn obj_has_one_upward_face_per_cell_and_shares_vertices() {
    for mesh in meshes() {
        let text = written(|out| write_obj(&mesh, out));
        let soup = parse("mesh.obj", &text).unwrap();
        assert_eq!(soup.positions(), mesh.vertices());
        assert!(corners(&soup).iter().all(looks_up));
        let text = String::from_utf8(text).unwrap();
        let faces: Vec<_> = text.lines().filter(|line| line.starts_with("f ")).collect();
        assert_eq!(faces.len(), mesh.polygon_count());
        for (face, polygon) in faces.iter().zip(mesh.polygons()) {
            assert_eq!(face.split(' ').count() - 1, polygon.corners().len());
        }
        // Neighbours share an edge by its vertex numbers.
        let mut edges = std::collections::BTreeMap::new();
        for face in &faces {
            let corners: Vec<&str> = face.split(' ').skip(1).collect();
            for edge in 0..corners.len() {
                let (a, b) = (corners[edge], corners[(edge + 1) % corners.len()]);
                *edges.entry((a.min(b), a.max(b))).or_insert(0) += 1;
            }
        }
        assert_eq!(edges.values().filter(|&&uses| uses == 2).count(), mesh.portal_count());
    }
}

#[test]
fn detail_obj_has_the_height_surface_or_the_polygons() {
    let mesh = house(true);
    let soup = parse("mesh.obj", written(|out| write_detail_obj(&mesh, out))).unwrap();
    assert_eq!(soup.triangles().len(), mesh.surface().unwrap().triangles.len());
    assert!(corners(&soup).iter().all(looks_up));
    let highest = soup.bounds().max.y;
    let top = mesh.vertices().iter().fold(f32::MIN, |top, vertex| top.max(vertex.y));
    assert!((highest - top - 0.5 * 0.2).abs() < 1e-4, "the fans' middles lie half a level higher");
    let flat = house(false);
    let soup = parse("mesh.obj", written(|out| write_detail_obj(&flat, out))).unwrap();
    assert_eq!(sorted(corners(&soup)), sorted(fans(&flat)));
}

#[test]
fn glb_is_read_back_by_our_reader_and_passes_the_checks_of_another() {
    for mesh in meshes() {
        for colour_by in [ColourBy::Island, ColourBy::Region] {
            let options = GlbOptions::default().with_colour_by(colour_by);
            let bytes = written(|out| write_glb(&mesh, &options, out));
            assert_eq!(bytes, written(|out| write_glb(&mesh, &options, out)));
            let soup = parse("mesh.glb", &bytes).unwrap();
            assert_eq!(sorted(corners(&soup)), sorted(fans(&mesh)));
            assert!(corners(&soup).iter().all(looks_up));

            let document = gltf::Gltf::from_slice(&bytes).expect("valid glTF");
            let primitive = document.meshes().next().unwrap().primitives().next().unwrap();
            let blob = document.blob.as_deref();
            let reader = primitive.reader(|_| blob);
            let positions: Vec<_> = reader.read_positions().unwrap().collect();
            let bounds = primitive.bounding_box();
            for axis in 0..3 {
                let values = positions.iter().map(|position| position[axis]);
                assert_eq!(bounds.min[axis].to_bits(), values.clone().fold(f32::MAX, f32::min).to_bits());
                assert_eq!(bounds.max[axis].to_bits(), values.fold(f32::MIN, f32::max).to_bits());
            }
            let colours: Vec<_> = reader.read_colors(0).unwrap().into_rgba_u8().collect();
            assert_eq!(colours.len(), positions.len());
            let mut distinct = colours.clone();
            distinct.sort_unstable();
            distinct.dedup();
            if colour_by == ColourBy::Island {
                assert_eq!(distinct.len(), mesh.islands().len());
            }
            for accessor in document.accessors() {
                let view = accessor.view().unwrap();
                assert_eq!((view.offset() + accessor.offset()) % 4, 0);
            }
            assert_eq!(bytes.len() % 4, 0);
        }
    }
    let detailed = written(|out| write_glb(&house(true), &GlbOptions::default().with_detail(true), out));
    let soup = parse("mesh.glb", detailed).unwrap();
    assert_eq!(soup.triangles().len(), house(true).surface().unwrap().triangles.len());
}

#[test]
fn an_empty_mesh_is_written_in_every_format() {
    let mesh = mesh_of(&[], false);
    assert!(gltf::Gltf::from_slice(&written(|out| write_glb(&mesh, &GlbOptions::default(), out))).is_ok());
    assert!(written(|out| write_obj(&mesh, out)).starts_with(b"# waymesh: 0 polygons"));
    assert!(written(|out| write_detail_obj(&mesh, out)).starts_with(b"# waymesh: 0 triangles"));
    assert_eq!(to_json(&mesh)["polygons"], serde_json::json!([]));
    let svg = String::from_utf8(written(|out| write_svg(&mesh, None, &SvgOptions::default(), out))).unwrap();
    assert!(svg.contains("nothing walkable"));
    assert!(storeys(&mesh).is_empty());
}

#[test]
fn json_has_the_polygons_in_short_numbers() {
    let mesh = house(false);
    let text = String::from_utf8(written(|out| write_json(&mesh, out))).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["cell_size"].to_string(), "0.3");
    assert_eq!(json["vertices"].as_array().unwrap().len(), mesh.vertices().len());
    let polygons = json["polygons"].as_array().unwrap();
    assert_eq!(polygons.len(), mesh.polygon_count());
    for (json, polygon) in polygons.iter().zip(mesh.polygons()) {
        assert_eq!(json["corners"][1], polygon.corners()[1].0);
        for (json, neighbour) in json["neighbours"].as_array().unwrap().iter().zip(polygon.neighbours()) {
            assert_eq!(json.as_u64(), neighbour.map(|polygon| u64::from(polygon.0)));
        }
        assert_eq!(json["island"], polygon.island().0);
    }
    assert_eq!(json["islands"].as_array().unwrap().len(), 2);
    assert!(json_number(f32::NAN).is_null());
}

// ---- storeys and SVG

fn outline(mesh: &NavMesh, polygon: PolyId) -> Vec<PlanPoint> {
    let polygon = mesh.polygon(polygon).unwrap();
    polygon.corners().iter().map(|corner| mesh.plan_vertices()[corner.index()].point).collect()
}

/// `true` if two convex polygons overlap: clips one by the other in exact fractions would be long,
/// so their common area is found on a fine raster of half-integer samples, which integer polygons
/// of some size cannot slip through.
fn overlap_by_samples(a: &[PlanPoint], b: &[PlanPoint]) -> bool {
    let inside = |polygon: &[PlanPoint], x: i32, z: i32| {
        // Four times finer than the grid, and off its lines.
        (0..polygon.len()).all(|edge| {
            let (from, to) = (polygon[edge], polygon[(edge + 1) % polygon.len()]);
            let scaled = |point: PlanPoint| PlanPoint::new(point.x * 4, point.z * 4);
            PlanPoint::orientation(scaled(from), scaled(to), PlanPoint::new(x, z)) > 0
        })
    };
    let range = |axis: fn(&PlanPoint) -> i32| {
        let ends = [a, b].map(|polygon| {
            let values = polygon.iter().map(axis);
            (values.clone().min().unwrap(), values.max().unwrap())
        });
        ends[0].0.max(ends[1].0) * 4..ends[0].1.min(ends[1].1) * 4
    };
    range(|point| point.x).any(|x| range(|point| point.z).any(|z| inside(a, x, z) && inside(b, x, z)))
}

fn check_storeys(mesh: &NavMesh, storeys: &[Storey]) {
    let mut seen = vec![0; mesh.polygon_count()];
    for storey in storeys {
        for (index, &polygon) in storey.polygons.iter().enumerate() {
            seen[polygon.index()] += 1;
            for &other in &storey.polygons[index + 1..] {
                assert!(
                    !overlap_by_samples(&outline(mesh, polygon), &outline(mesh, other)),
                    "polygons {polygon} and {other} overlap on one storey"
                );
            }
            for position in mesh.polygon(polygon).unwrap().positions() {
                assert!((storey.min_y..=storey.max_y).contains(&position.y));
            }
        }
    }
    assert!(seen.iter().all(|&count| count == 1), "every polygon is on one storey");
}

#[test]
fn storeys_never_overlap_and_flat_meshes_have_one() {
    for (mesh, count) in meshes().into_iter().zip([2, 2, 2]) {
        let storeys = storeys(&mesh);
        assert_eq!(storeys.len(), count);
        check_storeys(&mesh, &storeys);
    }
    let flat: Vec<Face> = (0..9)
        .map(|i| (vec![(i * 10, 0, 0), (i * 10 + 5, 0, 0), (i * 10 + 5, 0, 5), (i * 10, 0, 5)], 0))
        .collect();
    assert_eq!(storeys(&mesh_of(&flat, false)).len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Rectangles at random places and heights, also in regions that lie above themselves.
    #[test]
    fn any_pile_of_polygons_falls_into_storeys_without_overlap(
        boxes in prop::collection::vec((0..12_i32, 0..12_i32, 1..6_i32, 1..6_i32, 0..40_i32, 0..6_u32), 0..25),
    ) {
        let faces: Vec<Face> = (0..)
            .zip(boxes)
            .map(|(index, (x, z, width, depth, level, region))| {
                // Separate levels, so that no two boxes share a vertex.
                let level = level * 32 + index;
                let face = vec![
                    (x, level, z), (x + width, level, z), (x + width, level, z + depth), (x, level, z + depth),
                ];
                (face, region)
            })
            .collect();
        let mesh = mesh_of(&faces, false);
        check_storeys(&mesh, &storeys(&mesh));
    }
}

fn svg_of(mesh: &NavMesh, path: Option<&Path>, options: &SvgOptions) -> String {
    let svg = String::from_utf8(written(|out| write_svg(mesh, path, options, out))).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    assert_eq!(svg.matches("<g ").count(), svg.matches("</g>").count());
    assert_eq!(svg.matches('<').count(), svg.matches('>').count());
    svg
}

#[test]
fn svg_has_a_panel_per_storey_and_the_path_with_its_ends() {
    let mesh = house(true);
    let centre = |polygon: usize| {
        let corners: Vec<Vec3> = mesh.polygons().nth(polygon).unwrap().positions().collect();
        corners.iter().sum::<Vec3>() / 4.0
    };
    let path =
        mesh.query().memory(&mut waymesh_graph::QueryScratch::default()).path(centre(0), centre(30)).unwrap();
    for colour_by in [ColourBy::Island, ColourBy::Region] {
        let options = SvgOptions::default().with_colour_by(colour_by);
        let svg = svg_of(&mesh, Some(&path), &options);
        assert!(svg.contains("Storey 1 of 2, y 0.3 to 3.5 m"), "{svg}");
        assert!(svg.contains("Storey 2 of 2, y 3.5 m"));
        assert_eq!(svg.matches("<circle").count(), 2, "a start and a goal, each on its storey");
        assert_eq!(svg, svg_of(&mesh, Some(&path), &options));
    }
    let plain = svg_of(&mesh, None, &SvgOptions::default().with_portals(false));
    assert!(!plain.contains("<circle") && !plain.contains("between polygons"));
    // Ends in one point and paths of one polygon.
    let short =
        mesh.query().memory(&mut waymesh_graph::QueryScratch::default()).path(centre(0), centre(0)).unwrap();
    svg_of(&mesh, Some(&short), &SvgOptions::default());
}

#[test]
fn svg_takes_any_pixels() {
    let mesh = house(false);
    for pixels in [f64::NAN, -1.0, 0.0, 1e300, f64::INFINITY] {
        assert!(svg_of(&mesh, None, &SvgOptions::default().with_pixels(pixels)).len() > 1000);
    }
}

#[test]
fn pictures_colour_areas_and_name_them() {
    let mut data = house(true).data();
    let plain = written(|out| write_svg(&house(true), None, &SvgOptions::default(), out));
    data.polygon_areas[0] = 2;
    data.polygon_areas[1] = 9;
    data.area_table.add(Area::new("mud & <reed>").with_cost(2.5).with_colour([1, 2, 3])).unwrap();
    let mesh = NavMesh::from_data(data).unwrap();
    let picture =
        String::from_utf8(written(|out| write_svg(&mesh, None, &SvgOptions::default(), out))).unwrap();
    assert!(picture.contains("#010203") && picture.contains("mud &amp; &lt;reed&gt;, 2.5 a metre"));
    assert!(picture.contains("area 9"));
    assert!(!String::from_utf8(plain).unwrap().contains("area"));
    let glb = written(|out| write_glb(&mesh, &GlbOptions::default(), out));
    assert_ne!(glb, written(|out| write_glb(&house(true), &GlbOptions::default(), out)));
}
