//! A mesh from a file that is rewritten while the game runs.
//!
//! `cargo run --example load`. Here the program reloads the file itself; Bevy's feature
//! `file_watcher` does that automatically.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use bevy::prelude::*;
use bevy_waymesh::prelude::*;
use waymesh::Baker;
use waymesh::core::TriangleSoup;

#[expect(clippy::print_stdout, reason = "an example prints what it finds")]
fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (before, after) = run(folder.path())?.ok_or("it takes too long")?;
    println!("{before:.1} m2, and after the file was written again {after:.1} m2");
    Ok(())
}

/// Saves a mesh, loads it, and does so again. Returns the areas of both, if they were
/// loaded in time.
///
/// # Errors
/// If the mesh cannot be baked or the file cannot be written.
pub fn run(folder: &Path) -> Result<Option<(f64, f64)>, Box<dyn Error>> {
    let file = folder.join("level.wmesh");
    waymesh::io::save(&bake(10.0)?, &file)?;

    let mut app = App::new();
    let assets = AssetPlugin { file_path: folder.to_string_lossy().into_owned(), ..AssetPlugin::default() };
    app.add_plugins((MinimalPlugins, TransformPlugin, assets, WaymeshPlugin));
    let server = app.world().resource::<AssetServer>().clone();
    app.world_mut().spawn(NavMeshHandle(server.load("level.wmesh")));
    let before = wait_for_area(&mut app, 0.0);

    waymesh::io::save(&bake(20.0)?, &file)?;
    server.reload("level.wmesh");
    let after = before.and_then(|before| wait_for_area(&mut app, before));
    Ok(before.zip(after))
}

/// Updates until the mesh has another area, for half a minute at most.
fn wait_for_area(app: &mut App, last: f64) -> Option<f64> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(30) {
        app.update();
        let mut meshes = app.world_mut().query::<&NavMesh>();
        let area = meshes.iter(app.world()).map(|mesh| mesh.mesh().area()).sum::<f64>();
        if (area - last).abs() > 1e-6 {
            return Some(area);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    None
}

/// Bakes flat ground of `side` by 10 m. Games do this with the program `waymesh`, or in a build
/// script.
fn bake(side: f32) -> Result<waymesh::NavMesh, Box<dyn Error>> {
    let corners = [[0.0, 0.0], [0.0, 10.0], [side, 10.0], [side, 0.0]];
    let corners = corners.map(|[x, z]| waymesh::glam::vec3(x, 0.0, z)).to_vec();
    let soup = TriangleSoup::new(corners, vec![[0, 1, 2], [0, 2, 3]])?;
    Ok(Baker::voxels().agent_radius(0.3).bake(&soup)?)
}
