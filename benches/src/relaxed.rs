//! Convexity relaxation: the polygons it saves, and what paths over nearly convex polygons cost.

use std::time::Instant;

use anyhow::{Context as _, Result};
use glam::Vec3;
use waymesh::core::{Random, Triangulation};
use waymesh_convex::{NotchPortalsConfig, notch_portals};
use waymesh_graph::{NavMesh, Outcome, Path, PathOptions, PathSearch, QueryScratch, RelaxedPolygons};

use crate::measure::{head, mean, quantile};
use crate::say;

/// The distances of Oliva's thesis, in metres. With 0, polygons are convex.
const DISTANCES: [f32; 4] = [0.0, 0.1, 0.2, 0.4];

const PAIRS: usize = 500;
const ROUNDS: usize = 5;

/// One distance on one mesh.
struct Figures {
    /// Polygons of the decomposition when it is relaxed. They are no mesh.
    decomposed: usize,
    /// Nodes of the search: nearly convex polygons over the mesh.
    searched: usize,
    microseconds: f64,
    /// Ratios to the shortest paths.
    ratios: Vec<f64>,
}

/// Prints a row for each input.
pub(crate) fn relaxation<'a>(inputs: impl Iterator<Item = (&'a str, &'a Triangulation)>) -> Result<()> {
    head(
        "Convexity relaxation, 0 / 0.1 / 0.2 / 0.4 m",
        "input | polygons, relaxed in the decomposition | nodes of the search | find_path, us | longer than the shortest, mean % | worst %",
    );
    let mut sums = [[0; 4]; 2];
    for (name, triangles) in inputs {
        // The polygons may be no mesh, or have no path of half a metre.
        let Ok(rows) = measure(triangles) else { continue };
        for (at, row) in rows.iter().enumerate() {
            sums[0][at] += row.decomposed;
            sums[1][at] += row.searched;
        }
        let columns: [&dyn Fn(&Figures) -> String; 5] = [
            &|row| row.decomposed.to_string(),
            &|row| row.searched.to_string(),
            &|row| format!("{:.2}", row.microseconds),
            &|row| format!("{:.3}", (mean(&row.ratios) - 1.0) * 100.0),
            &|row| format!("{:.1}", (quantile(row.ratios.clone(), 1.0).max(1.0) - 1.0) * 100.0),
        ];
        let cells = columns.map(|column| rows.iter().map(column).collect::<Vec<_>>().join(" / "));
        say!("| {name} | {} |", cells.join(" | "));
    }
    say!("\nIn all, relaxed in the decomposition: {:?}, nodes of the search: {:?}", sums[0], sums[1]);
    Ok(())
}

fn measure(triangles: &Triangulation) -> Result<Vec<Figures>> {
    let mesh = NavMesh::try_from(notch_portals(triangles, &NotchPortalsConfig::default())?)?;
    let (mut scratch, mut path) = (QueryScratch::default(), Path::default());
    let shortest = PathOptions::default().with_search(PathSearch::Shortest).with_allow_partial(false);
    let (sampler, mut random) = (mesh.query().sampler(), Random::new(7));
    let mut pairs: Vec<([Vec3; 2], f32)> = Vec::new();
    for _ in 0..4 * PAIRS {
        let mut place = || sampler.sample(&mesh, &mut random)?.context("no ground");
        let ends = [place()?, place()?].map(|place| place.position);
        let found =
            mesh.query().options(shortest).memory(&mut scratch).path_into(ends[0], ends[1], &mut path);
        if found.is_ok() && path.outcome == Outcome::Complete && path.length > 0.5 {
            pairs.push((ends, path.length));
        }
        if pairs.len() == PAIRS {
            break;
        }
    }
    pairs.first().context("no path")?;
    let mut figures = Vec::new();
    for distance in DISTANCES {
        let relaxed = if distance > 0.0 { Some(RelaxedPolygons::new(&mesh, distance)?) } else { None };
        let mut run = |[from, to]: [Vec3; 2]| {
            let (options, start) = (PathOptions::default(), Instant::now());
            let _ = if let Some(relaxed) = &relaxed {
                let options = options.with_search(relaxed);
                mesh.query().options(options).memory(&mut scratch).path_into(from, to, &mut path)
            } else {
                mesh.query().options(options).memory(&mut scratch).path_into(from, to, &mut path)
            };
            (start.elapsed().as_secs_f64() * 1e6, f64::from(path.length))
        };
        let (mut times, mut ratios) = (Vec::new(), Vec::new());
        for &(ends, length) in &pairs {
            let rounds = (0..ROUNDS).map(|_| run(ends));
            let (one, lengths): (Vec<f64>, Vec<f64>) = rounds.unzip();
            times.push(quantile(one, 0.5));
            ratios.push(lengths[0] / f64::from(length));
        }
        let config = NotchPortalsConfig::default().with_convex_distance(distance);
        let decomposed = notch_portals(triangles, &config)?.polygons.len();
        let searched = relaxed.as_ref().map_or(mesh.polygon_count(), RelaxedPolygons::len);
        figures.push(Figures { decomposed, searched, microseconds: mean(&times), ratios });
    }
    Ok(figures)
}
