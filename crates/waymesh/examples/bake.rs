//! Bakes a scene and writes the mesh, a picture and the figures of the bake.
//!
//! `cargo run --release --package waymesh --example bake -- [SCENE] [FOLDER]`
//!
//! Without a scene file, a small dungeon is generated. Without a folder, nothing is written.

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use std::error::Error;
use std::path::Path;

use waymesh::Baker;
use waymesh_scenes::{Scene, SceneConfig};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let soup = match arguments.next() {
        Some(file) => waymesh::io::load(file)?,
        None => Scene::DungeonRooms.build(&SceneConfig::default()),
    };

    // A person: 0.4 m wide on each side of the centre, 1.8 m high, steps of up to 0.4 m.
    let baker = Baker::voxels().agent_radius(0.4).agent_height(1.8).max_step(0.4);
    let bake = baker.cell_size(0.2).level_height(0.1).bake_observed(&soup, &mut ())?;

    let report = &bake.report;
    println!(
        "{} triangles -> {} polygons on {} islands, {:.1} m2 in {:.0} ms",
        report.triangles,
        bake.mesh.polygon_count(),
        bake.mesh.islands().len(),
        bake.mesh.area(),
        report.seconds * 1e3
    );
    for stage in &report.stages {
        println!("{:>12}: {:6.1} ms", stage.name, stage.seconds * 1e3);
    }
    for warning in &report.warnings {
        println!("warning: {warning}");
    }

    if let Some(folder) = arguments.next() {
        let folder = Path::new(&folder);
        waymesh::io::save(&bake.mesh, folder.join("level.wmesh"))?;
        let mut picture = Vec::new();
        waymesh::io::svg::write_svg(&bake.mesh, None, &Default::default(), &mut picture)?;
        std::fs::write(folder.join("level.svg"), picture)?;
    }
    Ok(())
}
