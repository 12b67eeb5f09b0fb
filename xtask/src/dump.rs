//! Pictures of every stage: what an assertion misses, an eye finds.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use waymesh::io::svg::{Canvas, Colour, Picture, Style};
use waymesh::io::{self, SvgOptions};
use waymesh::region::distance_field;
use waymesh::{
    BakeConfig, ContourSet, GridFrame, NavMesh, Pipeline, PolyId, Stages, TriangleId, TriangleSoup,
    WalkableField,
};
use waymesh_scenes::{Scene, SceneConfig};

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
    let stages = Pipeline::new(config.clone()).bake_stages(&scene(&args.scene)?, &mut ())?;
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot make {}", args.output.display()))?;
    let pictures = [
        ("1_heightfield", heightfield(&stages)),
        ("2_distance", distance(&stages)),
        ("3_regions", regions(&stages)),
        ("4_raw_contours", contours(&stages.raw_contours)),
        ("5_contours", contours(&stages.contours)),
        ("6_triangles", triangles(&stages)),
    ];
    for (name, picture) in pictures {
        save(&args.output, name, |writer| std::io::Write::write_all(writer, picture.to_svg().as_bytes()))?;
    }
    let mesh = NavMesh::new(stages.polygons, Some(stages.surface), config.agent)?;
    save(&args.output, "7_polygons", |writer| io::write_svg(&mesh, None, &SvgOptions::default(), writer))
}

fn save(
    folder: &Path,
    name: &str,
    write: impl FnOnce(&mut std::io::BufWriter<std::fs::File>) -> std::io::Result<()>,
) -> Result<()> {
    let file = folder.join(format!("{name}.svg"));
    io::write_file(&file, write)?;
    eprintln!("{}", file.display());
    Ok(())
}

/// Width of a panel in pixels.
const PIXELS: f64 = 1000.0;

/// One panel over the whole grid, in cells.
fn panel(frame: &GridFrame, title: &str, draw: impl FnOnce(&mut Canvas)) -> Picture {
    let mut canvas = Canvas::new([0.0, 0.0], [f64::from(frame.width), f64::from(frame.depth)], PIXELS);
    draw(&mut canvas);
    let mut picture = Picture::new();
    picture.push(title, canvas, Some("polygons"));
    picture
}

/// The topmost solid of each column by height; paler where one cannot stand.
fn heightfield(stages: &Stages) -> Picture {
    let field = &stages.heightfield;
    let heights = field.spans.iter().map(|span| span.top);
    let (low, high) = (heights.clone().min().unwrap_or(0), heights.max().unwrap_or(1));
    panel(&field.frame, "topmost spans by height, paler where not walkable", |canvas| {
        canvas.raster([0.0, 0.0], 1.0, (field.frame.width, field.frame.depth), |x, z| {
            let span = field.column(x, z).last()?;
            let colour = Colour::scale(f64::from(span.top - low) / f64::from((high - low).max(1)));
            Some(if span.area.is_walkable() { colour } else { colour.mixed(Colour::WHITE, 0.6) })
        });
    })
}

/// The topmost walkable span of each column.
fn topmost(field: &WalkableField, x: u32, z: u32) -> Option<u32> {
    field.column(x, z).rev().find(|&span| field.is_walkable(span))
}

fn distance(stages: &Stages) -> Picture {
    let field = &stages.field;
    let distances = distance_field(field);
    let most = distances.max.max(1);
    panel(&field.frame, "distance to the border, topmost storey", |canvas| {
        canvas.raster([0.0, 0.0], 1.0, (field.frame.width, field.frame.depth), |x, z| {
            let span = topmost(field, x, z)?;
            Some(Colour::scale(f64::from(distances.distances[span as usize]) / f64::from(most)))
        });
    })
}

fn regions(stages: &Stages) -> Picture {
    let field = &stages.field;
    panel(&field.frame, &format!("{} regions, topmost storey", stages.regions.count), |canvas| {
        canvas.raster([0.0, 0.0], 1.0, (field.frame.width, field.frame.depth), |x, z| {
            stages.regions.region(topmost(field, x, z)?).map(|region| Colour::soft(region.index()))
        });
    })
}

fn contours(contours: &ContourSet) -> Picture {
    let polygons = contours.polygons();
    let at = |vertex: &waymesh::VertexId| {
        let point = contours.point(*vertex);
        [f64::from(point.x), f64::from(point.z)]
    };
    let points: usize = contours.arcs.iter().map(|arc| arc.len as usize - 1).sum();
    panel(&contours.frame, &format!("{} arcs, {points} edges", contours.arcs.len()), |canvas| {
        for polygon in &polygons.polygons {
            let loops =
                polygon.loops().map(|polygon_loop| polygon_loop.vertices.iter().map(at).collect::<Vec<_>>());
            canvas.polygons(loops, &Style::fill(Colour::soft(polygon.region.index())).with_opacity(0.7));
        }
        for (index, arc) in contours.arcs.iter().enumerate() {
            let line = contours.arc_vertices(waymesh::ArcId::from_index(index)).iter().map(at);
            let style = if arc.right.is_some() {
                Style::line(Colour::RED, 1.0)
            } else {
                Style::line(Colour::INK, 1.6)
            };
            canvas.polylines([line], &style);
        }
    })
}

fn triangles(stages: &Stages) -> Picture {
    let triangulation = &stages.triangulation;
    let title =
        format!("{} triangles, {} polygons", triangulation.triangles.len(), stages.polygons.polygons.len());
    panel(&triangulation.frame, &title, |canvas| {
        for (index, triangle) in triangulation.triangles.iter().enumerate() {
            let corners = triangulation
                .corners(TriangleId::from_index(index))
                .map(|p| [f64::from(p.x), f64::from(p.z)]);
            let style = Style::fill(Colour::soft(triangle.region.index())).with_line(Colour::WHITE, 0.6);
            canvas.polygons([corners], &style.with_opacity(0.8));
        }
        for polygon in 0..stages.polygons.polygons.len() {
            let corners = stages.polygons.corners(PolyId::from_index(polygon)).iter();
            let ring: Vec<_> = corners
                .map(|&vertex| stages.polygons.point(vertex))
                .map(|point| [f64::from(point.x), f64::from(point.z)])
                .collect();
            let closed = ring.iter().chain(ring.first()).copied();
            canvas.polylines([closed], &Style::line(Colour::INK, 1.0));
        }
    })
}
