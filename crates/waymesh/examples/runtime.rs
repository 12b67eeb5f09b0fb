//! The part that a game ships: a mesh from a file and queries on it, by `waymesh-graph` without the
//! baker.
//!
//! `cargo run --release --package waymesh --example runtime -- [MESH]`
//!
//! `waymesh build level.glb -o level.wmrun` makes such a file. Without one, a small mesh that is
//! part of this program is used.

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use std::error::Error;

use glam::Vec3;
use waymesh_graph::{NavMesh, Reach};

fn main() -> Result<(), Box<dyn Error>> {
    let bytes = match std::env::args().nth(1) {
        Some(file) => std::fs::read(file)?,
        None => include_bytes!("court.wmesh").to_vec(),
    };
    // Both formats are read: the compact one, and the one that is used as it lies in memory.
    let mesh = NavMesh::from_bytes(bytes)?;
    println!("{} polygons on {} islands, {:.1} m2", mesh.polygon_count(), mesh.islands().len(), mesh.area());

    let (low, high) = corners(&mesh).ok_or("the mesh is empty")?;
    let mut query = mesh.query().shortest().reach(Reach::new(5.0, 5.0, 5.0));
    let from = query.nearest(low)?;
    let path = query.path(from, high)?;
    println!("shortest path: {:.2} m, {} points", path.length, path.points.len());

    let step = query.walk(from, from.position + Vec3::X)?;
    println!("a step of 1 m along x ends {:.2} m away", step.position.distance(from.position));

    let wall = query.wall(from, 10.0)?;
    println!("nearest wall: {:.2} m", wall.ok_or("no wall within 10 m")?.distance);

    assert!(path.length > 0.0);
    Ok(())
}

/// The first corner of the mesh, and the one farthest from it on its island.
fn corners(mesh: &NavMesh) -> Option<(Vec3, Vec3)> {
    let first = mesh.polygons().next()?;
    let start = first.positions().next()?;
    let island = mesh.polygons().filter(|polygon| polygon.island() == first.island());
    let corners = island.flat_map(|polygon| polygon.positions().collect::<Vec<_>>());
    let farthest = corners.max_by(|a, b| a.distance(start).total_cmp(&b.distance(start)))?;
    Some((start, farthest))
}
