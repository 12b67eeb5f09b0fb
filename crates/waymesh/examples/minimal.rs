//! The smallest build: no front ends but voxels, no readers, no threads. In `Cargo.toml`:
//! `waymesh = { version = "0.1", default-features = false }`
//!
//! `cargo run --release --package waymesh --no-default-features --example minimal`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use waymesh::glam::vec3;
use waymesh::{Baker, MeshFormat, NavMesh, TriangleSoup};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A courtyard with a ramp to a gallery, as the arrays of an engine. Normals point up.
    let corners = [
        [0.0, 0.0, 0.0],
        [12.0, 0.0, 0.0],
        [12.0, 0.0, 12.0],
        [0.0, 0.0, 12.0],
        [12.0, 0.0, 4.0],
        [18.0, 3.0, 4.0],
        [18.0, 3.0, 0.0],
        [24.0, 3.0, 0.0],
        [24.0, 3.0, 12.0],
        [18.0, 3.0, 12.0],
    ];
    let triangles = [[0, 3, 2], [0, 2, 1], [1, 4, 5], [1, 5, 6], [6, 9, 8], [6, 8, 7]];
    let level = TriangleSoup::new(corners.map(|[x, y, z]| vec3(x, y, z)).to_vec(), triangles.to_vec())?;
    let mesh = Baker::voxels().agent_radius(0.4).bake(&level)?;

    // Ship the bytes; the game opens them as they lie in memory.
    let bytes = mesh.to_bytes(MeshFormat::Packed);
    println!("{} polygons in {} bytes", mesh.polygon_count(), bytes.len());
    let mesh = NavMesh::from_bytes(bytes)?;
    let path = mesh.path(vec3(2.0, 0.0, 10.0), vec3(20.0, 3.0, 10.0))?;
    println!("{:.1} m over {:?}", path.length, path.points);
    assert!(path.length > 25.0);
    Ok(())
}
