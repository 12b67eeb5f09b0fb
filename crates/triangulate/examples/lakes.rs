//! One crate alone: an island with lakes as triangles in metres, for a renderer or a solver.
//!
//! `cargo run --release --package waymesh-triangulate --example lakes`

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use std::f64::consts::TAU;

use waymesh_triangulate::core::PolygonSet;
use waymesh_triangulate::triangulate_cdt;

/// A shore: a circle in metres with `bays` bays.
fn shore([x, z]: [f64; 2], radius: f64, bays: f64) -> Vec<[f64; 2]> {
    let angles = (0..200_u8).map(|step| f64::from(step) * TAU / 200.0);
    let at = |angle: f64| (angle, radius * (1.0 + 0.2 * (bays * angle).sin()));
    angles.map(at).map(|(angle, far)| [x + far * angle.cos(), z + far * angle.sin()]).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rings =
        [shore([0.0, 0.0], 100.0, 7.0), shore([-30.0, 10.0], 20.0, 3.0), shore([40.0, -20.0], 25.0, 4.0)];
    // On a grid of 1 mm: all decisions are exact.
    let island = PolygonSet::from_rings(&rings, 0.001)?;
    let mesh = triangulate_cdt(&island)?;
    let triangles: Vec<_> = (0..mesh.triangles.len())
        .map(|index| {
            mesh.triangles[index].vertices.map(|vertex| mesh.frame.position(mesh.vertices[vertex.index()]))
        })
        .collect();
    let area: f32 = triangles.iter().map(|[a, b, c]| (*b - *a).cross(*c - *a).length() / 2.0).sum();
    println!("{} triangles, {area:.0} m2", triangles.len());
    // The area of such a shore is 1.02 times that of its circle.
    assert!(
        (area / (1.02 * std::f32::consts::PI * (100.0 * 100.0 - 20.0 * 20.0 - 25.0 * 25.0)) - 1.0).abs()
            < 1e-3
    );
    Ok(())
}
