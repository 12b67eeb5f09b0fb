//! Readers: any bytes give an error, or what keeps its invariants.

use std::path::Path;

use waymesh::core::Validate;
use waymesh::floorplan::{PlanFormat, ReadOptions, parse_plan};
use waymesh::glam::Vec3;
use waymesh::graph::{MeshFormat, PackedChecks};
use waymesh::io::{LoadOptions, UpAxis, parse_detour, parse_scene};
use waymesh::region::SurfacePieces;
use waymesh::voxel::{PackedField, PackedHeightfield};
use waymesh::{
    BakeConfig, BakeError, Baker, FloorPlans, NavMesh, PathOptions, PathSearch, QueryScratch, Reach,
};

fn scene(name: &str, bytes: &[u8]) {
    let options = LoadOptions::default().with_up(UpAxis::Z).with_scale(0.5);
    if let Ok(soup) = parse_scene(Path::new(name), bytes, &options, None) {
        assert!(!soup.triangles().is_empty());
        let vertices = soup.positions().len();
        assert!(soup.triangles().iter().flatten().all(|&vertex| (vertex as usize) < vertices));
    }
}

/// OBJ.
pub fn scene_obj(bytes: &[u8]) {
    scene("scene.obj", bytes);
}

/// STL, text and binary.
pub fn scene_stl(bytes: &[u8]) {
    scene("scene.stl", bytes);
}

/// PLY, text and binary.
pub fn scene_ply(bytes: &[u8]) {
    scene("scene.ply", bytes);
}

/// CityJSON and its sequences.
pub fn scene_cityjson(bytes: &[u8]) {
    scene("scene.city.json", bytes);
}

/// Height maps: PNG, TIFF or text by their content, and raw numbers.
pub fn scene_heights(bytes: &[u8]) {
    scene("scene.asc", bytes);
    scene("scene.raw", bytes);
}

/// glTF as JSON, with buffers in the text.
pub fn scene_gltf(bytes: &[u8]) {
    scene("/nowhere/scene.gltf", bytes);
}

/// GLB: as it is, and with a header that the fuzzer need not guess. Then the first two bytes are
/// the length of the JSON, and what follows it is the binary part.
pub fn scene_glb(bytes: &[u8]) {
    scene("/nowhere/scene.glb", bytes);
    let Some((&[low, high], rest)) = bytes.split_first_chunk::<2>() else { return };
    let json = rest.len().min(usize::from(u16::from_le_bytes([low, high])));
    let (json, binary) = rest.split_at(json);
    let chunk = |kind: &[u8; 4], content: &[u8], fill: u8| {
        let mut padded = content.to_vec();
        padded.resize(content.len().next_multiple_of(4), fill);
        [&(padded.len() as u32).to_le_bytes()[..], kind, &padded].concat()
    };
    let chunks = [chunk(b"JSON", json, b' '), chunk(b"BIN\0", binary, 0)].concat();
    let header = [&b"glTF\x02\0\0\0"[..], &(chunks.len() as u32 + 12).to_le_bytes()].concat();
    scene("/nowhere/scene.glb", &[header, chunks].concat());
}

/// A mesh from a stranger keeps its invariants, answers queries and is the same after a walk
/// through every format.
fn use_mesh(mesh: &NavMesh) {
    mesh.validate().expect("a mesh that was read is sound");
    for format in [MeshFormat::Exchange, MeshFormat::Packed] {
        let again = NavMesh::from_bytes(mesh.to_bytes(format)).expect("a mesh that was written is read");
        // Some tables that queries make use of are believed as long as they cannot harm.
        assert!(again.poly_mesh() == mesh.poly_mesh(), "written and read");
        assert!(again.islands() == mesh.islands(), "written and read");
    }
    let mut scratch = QueryScratch::default();
    let reach = Reach::new(1e6, 1e6, 1e6);
    let vertices = mesh.vertices();
    let middle = vertices.get(vertices.len() / 2).copied().unwrap_or_default();
    for pair in vertices.windows(2).chain([&[Vec3::ZERO, Vec3::splat(3.0)][..]]).take(8) {
        let [from, to] = [pair[0], middle.lerp(pair[1], 0.3)];
        let Some(place) = mesh.nearest(from, &reach) else { continue };
        for search in [PathSearch::Fast, PathSearch::Shortest] {
            let options = PathOptions::default().with_reach(reach).with_search(search).with_max_nodes(10_000);
            let _ = mesh.query().options(options).memory(&mut scratch).path(from, to);
        }
        let mut query = mesh.query().memory(&mut scratch);
        let _ = query.ray(place, to);
        let _ = query.walk(place, to);
        let _ = query.wall(place, 5.0);
    }
}

/// Sets the checksum at the end of a `.wmesh` right.
pub fn mesh_wmesh(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    if let Some(content) = bytes.len().checked_sub(4) {
        let length = (bytes.len() as u64).to_le_bytes();
        if let Some(stated) = bytes.get_mut(16..24) {
            stated.copy_from_slice(&length);
        }
        let sum = crc32(&bytes[..content]);
        bytes[content..].copy_from_slice(&sum.to_le_bytes());
    }
    if let Ok(mesh) = NavMesh::from_wmesh(&bytes) {
        use_mesh(&mesh);
    }
}

/// A packed mesh without a checksum.
pub fn mesh_packed(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    let length = (bytes.len() as u64).to_le_bytes();
    if let Some(stated) = bytes.get_mut(16..24) {
        stated.copy_from_slice(&length);
    }
    if let Some(sum) = bytes.get_mut(12..16) {
        sum.fill(0);
    }
    if let Ok(mesh) = NavMesh::from_packed(&bytes, PackedChecks::All) {
        use_mesh(&mesh);
    }
}

/// Detour's files.
pub fn mesh_detour(bytes: &[u8]) {
    if let Ok(read) = parse_detour(Path::new("level.navmesh"), bytes) {
        assert_eq!(read.flags.len(), read.mesh.polygon_count());
        use_mesh(&read.mesh);
    }
}

/// The content of a tile: a packed field, and a packed heightfield.
pub fn tile_fields(bytes: &[u8]) {
    if let Ok(window) = PackedField::unpack_bytes(bytes) {
        // The checksum of the file vouches for the content; here only panics count.
        if window.validate().is_ok() {
            let again = PackedField::pack(&window).expect("a sound window is packed");
            // Bit by bit: ground may be NaN.
            let unpacked = again.unpack().expect("what was packed is unpacked");
            assert!(PackedField::pack(&unpacked).expect("again") == again);
        }
    }
    if let Ok(heightfield) = PackedHeightfield::unpack_bytes(bytes)
        && heightfield.validate().is_ok()
    {
        // A grid without columns is not packed.
        let Ok(again) = PackedHeightfield::pack(&heightfield) else { return };
        assert!(again.unpack().expect("what was packed is unpacked") == heightfield);
    }
}

/// The pieces of surfaces that a tile keeps.
pub fn tile_pieces(bytes: &[u8]) {
    if let Ok(pieces) = SurfacePieces::from_bytes(bytes) {
        let again = SurfacePieces::from_bytes(&pieces.to_bytes()).expect("what was written is read");
        assert!(again == pieces);
    }
}

fn plan(format: PlanFormat, bytes: &[u8]) {
    let Ok(plan) = parse_plan("plan", bytes, format, &ReadOptions::default()) else { return };
    let config = BakeConfig::default().with_threads(1).with_validate_stages(true);
    match Baker::new(FloorPlans::default(), config).bake(&plan) {
        Err(BakeError::BrokenContract { stage, violations }) => panic!("{stage}: {violations}"),
        Ok(mesh) => mesh.validate().expect("sound"),
        Err(_) => {}
    }
}

/// GeoJSON.
pub fn plan_geojson(bytes: &[u8]) {
    plan(PlanFormat::GeoJson, bytes);
}

/// SVG.
pub fn plan_svg(bytes: &[u8]) {
    plan(PlanFormat::Svg, bytes);
}

/// WKT.
pub fn plan_wkt(bytes: &[u8]) {
    plan(PlanFormat::Wkt, bytes);
}

/// Maps of cells: MovingAI, portable grey maps and PNG.
pub fn plan_map(bytes: &[u8]) {
    plan(PlanFormat::MovingAi, bytes);
    plan(PlanFormat::Picture, bytes);
}

/// Buildings of Open-RMF.
pub fn plan_yaml(bytes: &[u8]) {
    plan(PlanFormat::Yaml, bytes);
}

/// Buildings of OpenStreetMap.
pub fn plan_osm(bytes: &[u8]) {
    plan(PlanFormat::Osm, bytes);
}

/// DXF.
pub fn plan_dxf(bytes: &[u8]) {
    plan(PlanFormat::Dxf, bytes);
}

/// Our own plans.
pub fn plan_toml(bytes: &[u8]) {
    plan(PlanFormat::Toml, bytes);
}

/// Settings and marks, in one file: each command that bakes takes them or says why not.
pub fn settings(bytes: &[u8]) {
    let file = std::env::temp_dir().join(format!("waymesh-fuzz-{}.toml", std::process::id()));
    std::fs::write(&file, bytes).expect("a folder for temporary files");
    for command in ["build", "plan"] {
        let _ = waymesh_cli::check_settings(command, &file);
    }
    let _ = std::fs::remove_file(&file);
}

/// CRC-32 (ISO-HDLC), bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), step))
}
