//! A picture of every stage of a bake.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use waymesh::io::{self, svg::Colour};
use waymesh::region::distance_field;
use waymesh::{BakeConfig, Baker, TriangleSoup};
use waymesh_scenes::{Scene, SceneConfig};

use crate::pictures::flat::{draw_field, draw_stages};
use crate::pictures::sheet::{Eye, Sheet};

#[derive(Debug, Args)]
pub(crate) struct DumpArgs {
    /// A scene file, or the name of an embedded scene.
    scene: String,
    /// Side of a grid cell in metres; levels are two thirds of it.
    #[arg(long, default_value_t = 0.3)]
    cell_size: f32,
    /// The picture.
    #[arg(short, long, default_value = "target/dump.svg")]
    output: PathBuf,
}

/// Loads a scene file, or makes an embedded scene.
fn scene(name: &str) -> Result<TriangleSoup> {
    match Scene::from_name(name) {
        Some(scene) => Ok(scene.build(&SceneConfig::default())),
        None => io::load(name).with_context(|| format!("{name} is no embedded scene and no scene file")),
    }
}

pub(crate) fn run(args: &DumpArgs) -> Result<()> {
    let config = BakeConfig::default()
        .with_scale(args.cell_size, args.cell_size * 2.0 / 3.0)
        .with_validate_stages(true);
    let stages = Baker::voxels().with_config(config).bake_stages(&scene(&args.scene)?, &mut ())?;
    let (frame, field) = (stages.field.frame, stages.field.clone());
    let high = frame.to_world(f64::from(frame.width), 0.0, f64::from(frame.depth));
    let size = (high - frame.origin).as_dvec3();
    let pixels = 1000.0 / size.x.max(size.z);
    let mut sheet = Sheet::new("every stage, topmost storey", [2, 4], [size.x * pixels, size.z * pixels]);
    draw_stages(&mut sheet, frame.origin, high, stages)?;
    let distances = distance_field(&field);
    let share = |span: u32| f64::from(distances.distances[span as usize]) / f64::from(distances.max.max(1));
    let view = sheet.view("distance to the border", Eye::Plan, frame.origin, high);
    draw_field(&mut sheet, &view, &field, |span| Some(Colour::scale(share(span))));
    io::write_file(&args.output, |writer| std::io::Write::write_all(writer, sheet.finish().as_bytes()))?;
    eprintln!("{}", args.output.display());
    Ok(())
}
