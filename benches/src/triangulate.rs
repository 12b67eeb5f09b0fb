//! Triangulations of plans: how long each takes per vertex as plans grow, ours and the peers' in
//! one run, and pictures.

use std::path::Path;

use waymesh::core::{ClearanceMesh, PolygonSet, TriangleId, Triangulation, nearest_f32};
use waymesh::io::svg::{Canvas, Colour, Picture, Style};
use waymesh_testkit::plans::hall;
use waymesh_triangulate::{
    ClearanceConfig, RefineConfig, RepairConfig, TriangulateError, refine_triangulation, repair_polygons,
    triangulate_cdt, triangulate_clearance, triangulate_ears,
};

use crate::BenchError;
use crate::plans::{Plan, PlanOptions, growth_exponent, milliseconds, plans, ratio, timed, write_picture};

/// A hall in the shapes that the algorithms take.
struct Sizes {
    polygons: PolygonSet,
    /// The same with two vertices swapped here and there, so that borders cross.
    tangled: PolygonSet,
    triangles: Triangulation,
    #[cfg(feature = "polygon-peers")]
    peers: crate::polygon_peers::Shapes,
}

/// An algorithm under test: how many triangles it makes, or polygons.
type Algorithm = (&'static str, fn(&Sizes) -> Result<usize, TriangulateError>);

const OURS: [Algorithm; 6] = [
    ("CDT", |input| Ok(triangulate_cdt(&input.polygons)?.triangles.len())),
    ("ears", |input| Ok(triangulate_ears(&input.polygons)?.triangles.len())),
    ("refine to 20 degrees", |input| Ok(refined(&input.triangles, 0.02)?.triangles.len())),
    ("repair", |input| {
        let cell = input.tangled.frame.cell_size;
        let config = RepairConfig::default().with_max_border_shift(3.0 * cell);
        Ok(repair_polygons(&input.tangled, &config)?.0.polygons.len())
    }),
    ("clearance", |input| Ok(clear(&input.triangles)?.triangles.len())),
    ("clearance to 0.1", |input| {
        let config = ClearanceConfig::default().with_max_width(0.1);
        Ok(triangulate_clearance(&input.triangles, &config)?.triangles.len())
    }),
];

/// All algorithms, the peers' last.
fn algorithms() -> Vec<Algorithm> {
    #[cfg(feature = "polygon-peers")]
    return OURS.into_iter().chain(PEERS).collect();
    #[cfg(not(feature = "polygon-peers"))]
    OURS.to_vec()
}

#[cfg(feature = "polygon-peers")]
const PEERS: [Algorithm; 4] = [
    ("geo earcut", |input| Ok(input.peers.geo_earcut())),
    ("geo CDT", |input| Ok(input.peers.geo_delaunay())),
    ("i_triangle", |input| Ok(input.peers.i_triangle())),
    ("i_triangle CDT", |input| Ok(input.peers.i_triangle_delaunay())),
];

/// To angles of 20 degrees, without new edges shorter than `shortest` metres.
fn refined(triangles: &Triangulation, shortest: f32) -> Result<Triangulation, TriangulateError> {
    let cell = triangles.frame.cell_size;
    let config = RefineConfig::default()
        .with_min_angle_degrees(20.0)
        .with_min_edge_length(shortest)
        .with_max_border_shift(1.5 * cell);
    Ok(refine_triangulation(triangles, &config)?.0)
}

fn clear(triangles: &Triangulation) -> Result<ClearanceMesh, TriangulateError> {
    triangulate_clearance(triangles, &ClearanceConfig::default())
}

/// Every 24th vertex changes places with the next one.
fn tangled(polygons: &PolygonSet) -> PolygonSet {
    let mut result = polygons.clone();
    for polygon in &mut result.polygons {
        for border in std::iter::once(&mut polygon.outer).chain(&mut polygon.holes) {
            border.vertices.chunks_exact_mut(24).for_each(|chunk| chunk.swap(3, 4));
        }
    }
    result
}

/// Prints the tables as Markdown to `print`.
///
/// # Errors
/// When a level cannot be read or baked, or a picture not be written.
pub fn triangulate(options: &PlanOptions, print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    let mut notes = Vec::new();
    let plans = plans("triangulate", &mut notes)?;
    inputs(&plans, print);
    notes.iter().for_each(|note| print(&format!("- {note}\n")));
    growth(options.largest, print);
    if let Some(folder) = &options.out {
        for plan in plans.iter().filter(|plan| plan.polygons.vertices.len() <= 3000) {
            draw(plan, folder)?;
        }
    }
    Ok(())
}

/// Milliseconds on every plan.
fn inputs(plans: &[Plan], print: &mut dyn FnMut(&str)) {
    print("### Plans, ms\n\n| input | vertices | triangles | CDT | ears | clearance | its triangles |\n");
    print(&format!("|---{}|\n", "|---:".repeat(6)));
    for Plan { name, polygons, .. } in plans {
        let vertices = polygons.vertices.len();
        let (Ok(triangles), cdt) = timed(|| triangulate_cdt(polygons)) else { continue };
        let (_, ears) = timed(|| triangulate_ears(polygons));
        let (clearance, time) = timed(|| clear(&triangles));
        let count = clearance.map_or(0, |mesh| mesh.triangles.len());
        let [cdt, ears, time] = [cdt, ears, time].map(milliseconds);
        print(&format!(
            "| {name} | {vertices} | {} | {cdt:.2} | {ears:.2} | {time:.2} | {count} |\n",
            triangles.triangles.len()
        ));
    }
}

/// Microseconds per vertex of ever larger halls. What took long is left out at the next size.
fn growth(largest: u32, print: &mut dyn FnMut(&str)) {
    /// Seconds: ten times the size may take a hundred times as long.
    const LONG: f64 = 4.0;
    let algorithms = algorithms();
    let mut measured: Vec<Vec<(f64, f64)>> = vec![Vec::new(); algorithms.len()];
    let mut sizes = Vec::new();
    for size in [1_000, 10_000, 100_000, 1_000_000].into_iter().filter(|&size| size <= largest) {
        let polygons = hall(7, size, 24);
        let vertices = ratio(polygons.vertices.len(), 1);
        let triangles = triangulate_cdt(&polygons).unwrap_or_else(|error| panic!("{error}"));
        let input = Sizes {
            tangled: tangled(&polygons),
            triangles,
            #[cfg(feature = "polygon-peers")]
            peers: crate::polygon_peers::Shapes::new(&polygons),
            polygons,
        };
        for (own, (name, run)) in measured.iter_mut().zip(&algorithms) {
            if own.len() < sizes.len() || own.last().is_some_and(|&(_, ms)| ms > 1e3 * LONG) {
                continue;
            }
            let (result, time) = timed(|| run(&input));
            result.unwrap_or_else(|error| panic!("{name}: {error}"));
            own.push((vertices, milliseconds(time)));
        }
        sizes.push(vertices);
    }
    if sizes.is_empty() {
        return;
    }
    print("\n### Growth, halls with pillars of 24 vertices, one thread: us per vertex\n\n| vertices |");
    sizes.iter().for_each(|size| print(&format!(" {size} |")));
    print(&format!(" grows like |\n|---{}|\n", "|---:".repeat(sizes.len() + 1)));
    for ((name, _), own) in algorithms.iter().zip(&measured) {
        print(&format!("| {name} |"));
        for at in 0..sizes.len() {
            match own.get(at) {
                Some((size, ms)) => print(&format!(" {:.2} |", ms * 1e3 / size)),
                None => print(" |"),
            }
        }
        print(&growth_exponent(own).map_or_else(|| " |\n".to_owned(), |grows| format!(" n^{grows:.3} |\n")));
    }
}

/// Delaunay, refined, and with clearances, side by side.
fn draw(plan: &Plan, folder: &Path) -> Result<(), BenchError> {
    let Ok(triangles) = triangulate_cdt(&plan.polygons) else { return Ok(()) };
    let frame = &plan.polygons.frame;
    let size = [f64::from(frame.width), f64::from(frame.depth)];
    let style = |index| Style::fill(Colour::soft(index)).with_line(Colour::INK, 0.5);
    let mut picture = Picture::new();
    let shortest = nearest_f32(size[0].max(size[1]) / 300.0) * frame.cell_size;
    let refined = refined(&triangles, shortest).ok();
    for (name, triangles) in [("CDT", Some(&triangles)), ("refined to 20 degrees", refined.as_ref())] {
        let Some(triangles) = triangles else { continue };
        let mut canvas = Canvas::new([0.0, 0.0], size, 900.0);
        for index in 0..triangles.triangles.len() {
            let ring = triangles.corners(TriangleId::from_index(index));
            canvas.polygons([ring.map(|point| [f64::from(point.x), f64::from(point.z)])], &style(index));
        }
        picture.push(&format!("{name}: {} triangles", triangles.triangles.len()), canvas, None);
    }
    if let Ok(mesh) = clear(&triangles) {
        let mut canvas = Canvas::new([0.0, 0.0], size, 900.0);
        let [x, z] = [frame.origin.x, frame.origin.z].map(f64::from);
        let cell = f64::from(frame.cell_size);
        for (index, triangle) in mesh.triangles.iter().enumerate() {
            let ring = triangle.vertices.map(|vertex| mesh.position(vertex));
            canvas
                .polygons([ring.map(|point| [(point[0] - x) / cell, (point[1] - z) / cell])], &style(index));
        }
        picture.push(&format!("clearance: {} triangles", mesh.triangles.len()), canvas, None);
    }
    write_picture(&picture, folder, &plan.name)
}
