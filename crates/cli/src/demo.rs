//! `waymesh demo`: bakes an embedded scene, finds a path on it and draws both.

use std::io::Write;

use anyhow::{Context, Result};
use glam::Vec3;
use waymesh::io::{LoadOptions, SvgOptions, write_svg};
use waymesh::{Baker, NavMesh};
use waymesh_scenes::SceneConfig;

use crate::args::{DemoArgs, Extras, Settings};
use crate::picture::Pictures;
use crate::refusal::Refusal;
use crate::values::place_text;
use crate::{build, files, output, path};

pub(crate) fn run(args: &DemoArgs, json: bool) -> Result<()> {
    let scene = args.scene;
    files::check_folder("--output", &args.output)?;
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot make {}", args.output.display()))?;
    let soup = scene.build(&SceneConfig::default());
    let baker = Baker::voxels();
    let config = Settings::default().with_automatic_cells(Some(&soup))?.bake_config(baker.config())?;
    let bake = build::bake(&baker.with_config(config), &soup, &LoadOptions::default())?;
    let mesh = &bake.mesh;
    let (from, to) = far_apart(mesh).ok_or_else(|| Refusal("the mesh has no polygon".into()))?;
    let route = mesh.path(from, to)?;

    let file = |ending: &str| args.output.join(format!("{}.{ending}", scene.name()));
    let (mesh_file, picture) = (file("wmesh"), file("svg"));
    waymesh::io::save(mesh, &mesh_file)?;
    let pictures = Pictures { svg: Some(picture.clone()), open: args.open, ..Pictures::default() };
    pictures.draw(|writer| write_svg(mesh, Some(&route), &SvgOptions::default(), writer))?;
    let extras = Extras { glb: Some(file("glb")), report: Some(file("json")), ..Extras::default() };
    let others = output::write(mesh, &bake.report, &extras)?;

    let files = [vec![mesh_file, picture], others].concat();
    if json {
        return files::list(&files, json);
    }
    let mut out = files::stdout();
    let [from, to] = [from, to].map(|place| place_text(place.to_array()));
    write!(out, "{}: ", scene.name())?;
    build::summary(&mut out, &bake.report)?;
    writeln!(out, "path from {from} to {to}: {}, {:.1} m", path::outcome_name(route.outcome), route.length)?;
    files::list_lines(&mut out, &files)
}

/// Returns two far corners of the largest island: the one farthest from its first polygon, and the
/// one farthest from that.
fn far_apart(mesh: &NavMesh) -> Option<(Vec3, Vec3)> {
    let largest = mesh.islands().iter().max_by(|a, b| a.area.total_cmp(&b.area))?;
    let island = mesh.island_of(largest.first)?;
    let corners = || {
        mesh.polygons().filter(|polygon| polygon.island() == island).flat_map(|polygon| polygon.positions())
    };
    // A storey up counts for as much as a long walk.
    let apart = |a: Vec3, b: Vec3| (a - b) * Vec3::new(1.0, 5.0, 1.0);
    let farthest = |from: Vec3| {
        corners().max_by(|a, b| apart(*a, from).length_squared().total_cmp(&apart(*b, from).length_squared()))
    };
    let from = farthest(corners().next()?)?;
    Some((from, farthest(from)?))
}
