//! Pictures of every stage of a bake.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use waymesh::io::svg::Colour;
use waymesh::io::{self, SvgOptions};
use waymesh::region::distance_field;
use waymesh::{BakeConfig, Baker, NavMesh, TriangleSoup, Voxels};
use waymesh_scenes::{Scene, SceneConfig};

use crate::pictures::flat::{draw_arcs, draw_field, draw_heights, draw_regions, draw_triangles};
use crate::pictures::sheet::{Eye, Sheet, View};

#[derive(Debug, Args)]
pub(crate) struct DumpArgs {
    /// A scene file, or the name of an embedded scene.
    scene: String,
    /// Side of a grid cell in metres; levels are two thirds of it.
    #[arg(long, default_value_t = 0.3)]
    cell_size: f32,
    /// Folder for the pictures.
    #[arg(short, long, default_value = "out/dump")]
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
    let stages = Baker::new(Voxels, config.clone()).bake_stages(&scene(&args.scene)?, &mut ())?;
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot make {}", args.output.display()))?;
    let save = |name: &str, svg: String| -> Result<()> {
        let file = args.output.join(format!("{name}.svg"));
        io::write_file(&file, |writer| std::io::Write::write_all(writer, svg.as_bytes()))?;
        eprintln!("{}", file.display());
        Ok(())
    };
    let field = &stages.field;
    let distances = distance_field(field);
    let share = |span: u32| f64::from(distances.distances[span as usize]) / f64::from(distances.max.max(1));
    let region = |span: u32| stages.regions.region(span).map(|region| Colour::soft(region.index()));
    let draw = |title: &str, draw: &dyn Fn(&mut Sheet, &View)| {
        let frame = &field.frame;
        let high = frame.to_world(f64::from(frame.width), 0.0, f64::from(frame.depth));
        let size = (high - frame.origin).as_dvec3();
        let pixels = 1000.0 / size.x.max(size.z);
        let mut sheet = Sheet::new("", [1, 1], [size.x * pixels, size.z * pixels]);
        let view = sheet.view(title, Eye::Plan, frame.origin, high);
        draw(&mut sheet, &view);
        sheet.finish()
    };
    save(
        "1_heightfield",
        draw("topmost spans by height", &|sheet, view| {
            draw_heights(sheet, view, &stages.heightfield, false);
        }),
    )?;
    save(
        "2_distance",
        draw("distance to the border, topmost storey", &|sheet, view| {
            draw_field(sheet, view, field, |span| Some(Colour::scale(share(span))));
        }),
    )?;
    save(
        "3_regions",
        draw(&format!("{} regions, topmost storey", stages.regions.count), &|sheet, view| {
            draw_field(sheet, view, field, region);
        }),
    )?;
    for (name, contours) in [("4_raw_contours", &stages.raw_contours), ("5_contours", &stages.contours)] {
        let points: usize = contours.arcs.iter().map(|arc| arc.len as usize - 1).sum();
        save(
            name,
            draw(&format!("{} arcs, {points} edges", contours.arcs.len()), &|sheet, view| {
                draw_regions(sheet, view, &contours.polygons());
                draw_arcs(sheet, view, contours, 0.0);
            }),
        )?;
    }
    save(
        "6_triangles",
        draw(&format!("{} triangles", stages.triangulation.triangles.len()), &|sheet, view| {
            draw_triangles(sheet, view, &stages.triangulation);
        }),
    )?;
    let mesh = NavMesh::new(stages.polygons.clone(), Some(stages.surface.clone()), config.agent)?;
    let mut svg = Vec::new();
    io::write_svg(&mesh, None, &SvgOptions::default(), &mut svg)?;
    save("7_polygons", String::from_utf8(svg)?)
}
