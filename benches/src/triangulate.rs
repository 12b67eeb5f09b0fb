//! Triangulations of plans: how long each takes per vertex as plans grow, ours and the peers' in
//! one run, and pictures.

use anyhow::Result;
use waymesh::core::{ClearanceMesh, PlanPoint, PolygonSet, TriangleId, Triangulation, nearest_f32};
use waymesh_testkit::plans::hall;
use waymesh_triangulate::{
    ClearanceConfig, RefineConfig, RepairConfig, TriangulateError, refine_triangulation, repair_polygons,
    triangulate_cdt, triangulate_clearance, triangulate_ears,
};

use crate::measure::{fastest, head, row};
use crate::plans::{PlanOptions, Rings, draw, growth_exponent, plans, sizes};

/// A hall in the shapes that the algorithms take.
struct Input {
    polygons: PolygonSet,
    /// The polygons with some pairs of vertices swapped, so that borders cross.
    tangled: PolygonSet,
    triangles: Triangulation,
    #[cfg(feature = "polygon-peers")]
    peers: crate::polygon_peers::Shapes,
}

/// An algorithm under test: how many triangles it makes, or polygons.
type Algorithm = (&'static str, fn(&Input) -> Result<usize, TriangulateError>);

/// All algorithms, the peers' last.
const ALGORITHMS: &[Algorithm] = &[
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
    #[cfg(feature = "polygon-peers")]
    ("geo earcut", |input| Ok(input.peers.geo_earcut())),
    #[cfg(feature = "polygon-peers")]
    ("geo CDT", |input| Ok(input.peers.geo_delaunay())),
    #[cfg(feature = "polygon-peers")]
    ("i_triangle", |input| Ok(input.peers.i_triangle())),
    #[cfg(feature = "polygon-peers")]
    ("i_triangle CDT", |input| Ok(input.peers.i_triangle_delaunay())),
];

/// To angles of 20 degrees, without new edges shorter than `shortest` metres.
fn refined(triangles: &Triangulation, shortest: f32) -> Result<Triangulation, TriangulateError> {
    let config = RefineConfig::default()
        .with_min_angle_degrees(20.0)
        .with_min_edge_length(shortest)
        .with_max_border_shift(1.5 * triangles.frame.cell_size);
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

/// Prints the tables as Markdown: milliseconds on every plan, and microseconds a vertex of ever
/// larger halls.
///
/// # Errors
/// When a level cannot be read or baked, or a picture not be written.
pub fn triangulate(options: &PlanOptions) -> Result<()> {
    let plans = plans(|plan| {
        let triangles = triangulate_cdt(&plan.polygons)?;
        Ok((plan, triangles))
    })?;
    head("Plans, ms", "input | vertices | triangles | CDT | ears | clearance | its triangles");
    for (plan, triangles) in &plans {
        let (_, cdt) = fastest(3, || triangulate_cdt(&plan.polygons));
        let (_, ears) = fastest(3, || triangulate_ears(&plan.polygons));
        let (clearance, time) = fastest(3, || clear(triangles));
        let [cdt, ears, time] = [cdt, ears, time].map(|time| format!("{:.2}", time.cpu));
        let [vertices, triangles, after] =
            [plan.polygons.vertices.len(), triangles.triangles.len(), clearance?.triangles.len()]
                .map(|count| count.to_string());
        row([plan.name.clone(), vertices, triangles, cdt, ears, time, after]);
        pictures(options, plan)?;
    }
    growth(options.largest)
}

/// Algorithms that took four seconds are left out at the next size: ten times the size may take a
/// hundred times as long.
fn growth(largest: u32) -> Result<()> {
    let mut measured: Vec<Vec<(f64, f64)>> = vec![Vec::new(); ALGORITHMS.len()];
    let mut names = Vec::new();
    for size in sizes(largest) {
        let polygons = hall(7, size, 24);
        let vertices = polygons.vertices.len() as f64;
        let input = Input {
            tangled: tangled(&polygons),
            triangles: triangulate_cdt(&polygons)?,
            #[cfg(feature = "polygon-peers")]
            peers: crate::polygon_peers::Shapes::new(&polygons),
            polygons,
        };
        for (own, (_, run)) in measured.iter_mut().zip(ALGORITHMS) {
            if own.len() == names.len() && own.last().is_none_or(|&(_, ms)| ms < 4e3) {
                let (result, time) = fastest(3, || run(&input));
                result?;
                own.push((vertices, time.cpu));
            }
        }
        names.push(vertices.to_string());
    }
    if !names.is_empty() {
        let columns = format!("vertices | {} | grows like", names.join(" | "));
        head("Growth, halls with pillars of 24 vertices, one thread: us per vertex", &columns);
        for ((name, _), own) in ALGORITHMS.iter().zip(&measured) {
            let mut cells: Vec<String> =
                own.iter().map(|(size, ms)| format!("{:.2}", ms * 1e3 / size)).collect();
            cells.resize(names.len(), String::new());
            row([(*name).to_owned()].into_iter().chain(cells).chain([growth_exponent(own)]));
        }
    }
    Ok(())
}

/// A name, and rings if the algorithm succeeds.
type Panel<'a> = (&'a str, &'a dyn Fn() -> Option<Rings>);

/// Delaunay, refined, and with clearances, side by side.
fn pictures(options: &PlanOptions, plan: &crate::plans::Plan) -> Result<()> {
    let (triangles, frame) = (triangulate_cdt(&plan.polygons)?, &plan.polygons.frame);
    let rings = |triangles: &Triangulation| -> Rings {
        let ring = |index| triangles.corners(TriangleId::from_index(index));
        let points =
            |ring: [PlanPoint; 3]| ring.map(|point| [f64::from(point.x), f64::from(point.z)]).to_vec();
        (0..triangles.triangles.len()).map(ring).map(points).collect()
    };
    let clear = || {
        let mesh = clear(&triangles).ok()?;
        let cells = |at: [f64; 2]| {
            [at[0] - f64::from(frame.origin.x), at[1] - f64::from(frame.origin.z)]
                .map(|at| at / f64::from(frame.cell_size))
        };
        let ring = |triangle: &waymesh::core::ClearanceTriangle| {
            triangle.vertices.map(|vertex| cells(mesh.position(vertex))).to_vec()
        };
        Some(mesh.triangles.iter().map(ring).collect())
    };
    let shortest = nearest_f32(f64::from(frame.width.max(frame.depth)) / 300.0) * frame.cell_size;
    let panels: [Panel<'_>; 3] = [
        ("CDT, triangles", &|| Some(rings(&triangles))),
        ("refined to 20 degrees", &|| Some(rings(&refined(&triangles, shortest).ok()?))),
        ("clearance", &clear),
    ];
    draw(options, plan, &mut panels.iter().filter_map(|(name, rings)| Some((*name, rings()?))))
}
