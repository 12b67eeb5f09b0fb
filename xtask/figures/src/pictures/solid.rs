//! Pictures of space, seen from a corner.

use anyhow::Result;
use waymesh::glam::Vec3;
use waymesh::io::svg::{Colour, Style};
use waymesh::{Agent, Baker, NavMesh, Path, PolyId, Storeys};

use super::scene::{Block, Blocks, HIGH, LOW, draw_path, draw_polygons, each, hills};
use super::sheet::{Eye, GREY, Sheet, View};
use super::{by_slices, by_storeys, config, house, stages, voxels};

/// From the near corner of the hall up to its gallery.
const WALK: [Vec3; 2] = [Vec3::new(1.2, 0.0, 9.0), Vec3::new(13.2, 2.6, 0.8)];

/// Draws the links of a mesh as lines between the middles of their ends.
fn draw_links(sheet: &mut Sheet, view: &View, mesh: &NavMesh) {
    let middle = |ends: &[waymesh::core::PlanVertex; 2]| {
        view.at((mesh.frame().position(ends[0]) + mesh.frame().position(ends[1])) / 2.0)
    };
    let lines = mesh.links().iter().map(|link| [middle(&link.from.ends), middle(&link.to.ends)]);
    sheet.canvas.polylines(lines, &Style::line(Colour::RED, 2.2));
}

/// The hall, its mesh, and the shortest path on it from one end of [`WALK`] to the other.
fn walk_in_hall() -> Result<(Blocks, NavMesh, Path)> {
    let hall = Blocks::hall(true);
    let mesh = voxels(&hall.soup(), 0.1)?;
    let path = mesh.query().shortest().path(WALK[0], WALK[1])?;
    Ok((hall, mesh, path))
}

pub(super) fn overview() -> Result<String> {
    let (hall, mesh, path) = walk_in_hall()?;
    let mut sheet =
        Sheet::new("waymesh: any triangles in, a navigation mesh out, paths on it", [2, 1], [470.0, 330.0]);
    let view = sheet.view("1. a scene: nothing but triangles", Eye::Corner, LOW, HIGH);
    hall.draw(&mut sheet, &view, None);
    let caption =
        format!("2. {} convex polygons, and the shortest path: {:.1} m", mesh.polygon_count(), path.length);
    let view = sheet.view(&caption, Eye::Corner, LOW, HIGH);
    hall.draw(&mut sheet, &view, Some(&mesh));
    draw_path(&mut sheet, &view, &path.points);
    Ok(sheet.finish())
}

pub(super) fn front_ends() -> Result<String> {
    let hall = Blocks::hall(true);
    let soup = hall.soup();
    let mut sheet =
        Sheet::new("Four front ends, one back end: each makes the same kind of mesh", [2, 2], [400.0, 280.0]);
    let meshes = [
        ("voxels (whole or in tiles)", voxels(&soup, 0.2)?),
        ("storeys: borders between the pixels", by_storeys(&soup, 0.2)?),
        ("slices: exact borders, links on stairs", by_slices(&soup)?),
    ];
    for (caption, mesh) in &meshes {
        let view = sheet.view(caption, Eye::Corner, LOW, HIGH);
        hall.draw(&mut sheet, &view, Some(mesh));
    }
    let (_, mesh) = house()?;
    let (low, high) = (Vec3::ZERO, Vec3::new(12.0, 0.0, 12.0));
    let view = sheet.view("floor plans: exact offsets, links at doors", Eye::Plan, low, high);
    draw_polygons(&mut sheet, &view, &mesh, each(|y| y < 1.0));
    Ok(sheet.finish())
}

pub(super) fn heights() -> Result<String> {
    let stages = stages(&hills(12.0, 24), 0.2)?;
    let mesh = NavMesh::new(stages.polygons, None, Agent::default())?;
    let mut sheet = Sheet::new("detail: the height of the ground in every polygon", [2, 1], [400.0, 260.0]);
    let (low, high) = (Vec3::new(0.0, -2.5, 0.0), Vec3::new(12.0, 2.5, 12.0));
    let caption = format!("{} polygons know the heights of their corners", mesh.polygon_count());
    let view = sheet.view(&caption, Eye::Corner, low, high);
    draw_polygons(&mut sheet, &view, &mesh, each(|_| true));
    let surface = &stages.surface;
    let caption = format!("{} triangles follow the ground between them", surface.triangles.len());
    let view = sheet.view(&caption, Eye::Corner, low, high);
    let mut triangles: Vec<[Vec3; 3]> = surface
        .triangles
        .iter()
        .map(|corners| {
            corners.map(|corner| {
                let point = surface.points[corner as usize];
                mesh.frame().to_world(f64::from(point.x), f64::from(point.height), f64::from(point.z))
            })
        })
        .collect();
    let near = |triangle: &[Vec3; 3]| triangle.iter().map(|corner| corner.x + corner.z).sum::<f32>();
    triangles.sort_by(|a, b| near(a).total_cmp(&near(b)));
    for corners in triangles {
        let height = corners.iter().map(|corner| corner.y).sum::<f32>() / 3.0;
        let colour = Colour::scale(f64::from((height + 2.5) / 5.0));
        let style = Style::fill(colour).with_line(Colour::WHITE, 0.5);
        sheet.canvas.polygons([corners.map(|corner| view.at(corner))], &style);
    }
    Ok(sheet.finish())
}

pub(super) fn slices() -> Result<String> {
    let hall = Blocks::hall(true);
    let mesh = by_slices(&hall.soup())?;
    let mut sheet = Sheet::new(
        "slices: level regions with exact borders; links lead from tread to tread",
        [1, 1],
        [640.0, 400.0],
    );
    let view = sheet.view("each colour is a polygon, each red line a link", Eye::Corner, LOW, HIGH);
    hall.draw(&mut sheet, &view, Some(&mesh));
    draw_links(&mut sheet, &view, &mesh);
    Ok(sheet.finish())
}

pub(super) fn storeys() -> Result<String> {
    let mut sheet = Sheet::new(
        "storeys: layers are drawn one by one, borders run between the pixels",
        [2, 1],
        [430.0, 330.0],
    );
    let hall = Blocks::hall(true);
    let mesh = by_storeys(&hall.soup(), 0.2)?;
    // The gallery is lifted, so that both layers can be seen.
    let lift = Vec3::Y * 2.5;
    let view = sheet.view("the layers of a scene", Eye::Corner, LOW, HIGH + lift);
    let is_gallery = |polygon: PolyId| {
        let polygon = mesh.polygon(polygon);
        polygon.is_some_and(|polygon| polygon.positions().all(|at| at.y > 2.0 && at.x > 7.5))
    };
    draw_polygons(&mut sheet, &view, &mesh, |polygon, _| (!is_gallery(polygon)).then_some(Colour::soft(0)));
    let lifted = view.lifted(lift);
    draw_polygons(&mut sheet, &lifted, &mesh, |polygon, _| is_gallery(polygon).then_some(Colour::soft(1)));

    let corner = Blocks::new(vec![
        Block::new([0.0, -0.2, 0.0], [5.0, 0.0, 3.8]),
        Block::turned([1.0, 1.6], [0.25, 2.6], 20.0, 1.4),
        Block::pillar([3.2, 2.0], 0.6, 1.4),
    ]);
    let soup = corner.soup();
    let exact = config(0.2).with_agent(Agent::default().with_radius(0.3)).with_max_edge_error(0.03);
    let rough = Baker::voxels().with_config(exact.clone()).bake_stages(&soup, &mut ())?;
    let fine = exact.with_corners(waymesh::CornerChoice::FewestNotches);
    let fine = Baker::new(Storeys::default(), fine).bake(&soup)?;
    let view = sheet.view(
        "pixels, and the borders found between them",
        Eye::Plan,
        Vec3::ZERO,
        Vec3::new(5.0, 0.0, 3.8),
    );
    super::flat::draw_field(&mut sheet, &view, &rough.field, |_| Some(Colour([0xc9, 0xdb, 0xe6])));
    let walls = super::flat::walls(&fine);
    sheet
        .canvas
        .polylines(walls.iter().map(|wall| wall.map(|at| view.at(at))), &Style::line(Colour::RED, 2.0));
    for block in &corner.blocks[1..] {
        let ring = block.level(0.0).map(|at| view.at(at));
        sheet.canvas.polygons([ring], &Style::fill(GREY));
    }
    Ok(sheet.finish())
}
