//! Moving pictures: frames that take turns.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use waymesh::glam::{Vec3, vec3};
use waymesh::io::svg::{Colour, Style};
use waymesh::triangulate::ClearanceConfig;
use waymesh::{Agent, BakeConfig, Baker, Bounds, NavMesh, Obstacle, PolyId, World, with_clearance};

use super::config;
use super::flat::hall_view;
use super::scene::{Blocks, draw_path, draw_polygons, each};
use super::sheet::{GREY, Sheet};

/// Ends of the paths in the hall.
const ENDS: [Vec3; 2] = [vec3(1.6, 0.0, 8.4), vec3(11.6, 0.0, 4.8)];

/// Returns a picture that shows frames in an order, again and again. A viewer without animation
/// shows the first one.
fn film(frames: &[String], order: &[usize]) -> Result<String> {
    /// Seconds for which a frame is shown.
    const FRAME: f64 = 0.3;
    let first = frames.first().context("there is a frame")?;
    let head = &first[..=first.find('>').context("a frame is an SVG element")?];
    let (seconds, mut svg) = (FRAME * order.len() as f64, head.to_owned());
    for (index, frame) in frames.iter().enumerate() {
        ensure!(frame.starts_with(head), "frame {index} has another size");
        let shown = |is_shown: bool| if is_shown { "visible" } else { "hidden" };
        let values: Vec<&str> = order.iter().map(|&at| shown(at == index)).collect();
        write!(
            svg,
            "<g visibility=\"{}\"><animate attributeName=\"visibility\" calcMode=\"discrete\" \
             dur=\"{seconds:.1}s\" repeatCount=\"indefinite\" values=\"{}\"/>\n{frame}</g>\n",
            shown(index == 0),
            values.join(";")
        )?;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// A crate is pushed through the hall; the tiles around it are baked again, and the path is found
/// again.
pub(super) fn world() -> Result<String> {
    /// Number of frames in one direction; the film also shows them in reverse.
    const FRAMES: u8 = 7;
    let soup = Blocks::hall(false).soup();
    let config = config(0.1).with_min_region(BakeConfig::default().min_region);
    let mut world = World::bake(Baker::voxels().with_config(config), &soup, 48)?;
    let mut frames = Vec::new();
    let mut last = None;
    for frame in 0..FRAMES {
        let low = vec3(6.0, -0.1, 1.0 + 1.05 * f32::from(frame));
        let shape = Bounds { min: low, max: low + vec3(1.2, 1.0, 1.2) };
        if let Some(obstacle) = last.replace(world.add_obstacle(Obstacle::solid(shape))?) {
            world.remove_obstacle(obstacle);
        }
        world.update(&mut ())?;
        let mesh = world.handle().mesh();
        let path = mesh.query().shortest().path(ENDS[0], ENDS[1])?;
        let mut sheet = Sheet::new("", [1, 1], [420.0, 300.0]);
        let view = hall_view(&mut sheet, &format!("{} polygons, {:.1} m", mesh.polygon_count(), path.length));
        draw_polygons(&mut sheet, &view, &mesh, each(|_| true));
        let ring = [low, low.with_x(shape.max.x), shape.max, low.with_z(shape.max.z)];
        sheet.canvas.polygons([ring.map(|at| view.at(at))], &Style::fill(GREY));
        draw_path(&mut sheet, &view, &path.points);
        frames.push(sheet.finish());
    }
    let count = frames.len();
    let order: Vec<usize> = (0..count).chain((1..count - 1).rev()).collect();
    film(&frames, &order)
}

/// The shortest path of a disc that grows, on one mesh, and the ground that it sweeps.
pub(super) fn radius() -> Result<String> {
    /// Radius of the largest disc, in tenths of a metre.
    const LARGEST: u8 = 10;
    let thin = config(0.1).with_agent(Agent::default().with_radius(0.0).with_max_step(0.5));
    let mesh: NavMesh = Baker::voxels().with_config(thin).bake(&Blocks::hall(false).soup())?;
    let clear = with_clearance(mesh.clone(), &ClearanceConfig::default())?;
    let mut frames = Vec::new();
    for tenths in 1..=LARGEST {
        let radius = f32::from(tenths) / 10.0;
        let path = clear.query(radius).shortest().path(ENDS[0], ENDS[1])?;
        let mut sheet = Sheet::new("", [1, 1], [420.0, 300.0]);
        let view = hall_view(&mut sheet, &format!("radius {radius:.1} m: {:.1} m", path.length));
        let faint = |polygon: PolyId, _| Some(Colour::WHITE.mixed(Colour::soft(polygon.index()), 0.3));
        draw_polygons(&mut sheet, &view, &mesh, faint);
        let swept = Style::fill(Colour([0xf3, 0xd9, 0x6b])).with_opacity(0.5);
        let width = f64::from(radius) * view.scale;
        let places: Vec<[f64; 2]> = path.points.iter().map(|&at| view.at(at)).collect();
        places.iter().for_each(|&at| sheet.canvas.dot(at, width, &swept));
        let line = Style::line(Colour([0xf3, 0xd9, 0x6b]), 2.0 * width).with_opacity(0.5);
        sheet.canvas.polylines([places.iter().copied()], &line);
        draw_path(&mut sheet, &view, &path.points);
        frames.push(sheet.finish());
    }
    let order: Vec<usize> = (0..frames.len()).collect();
    film(&frames, &order)
}
