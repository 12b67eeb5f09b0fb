//! Convexity relaxation: the polygons it saves, and what paths over nearly convex polygons cost.

use std::fmt::Write as _;
use std::time::Instant;

use glam::Vec3;
use waymesh::core::{Random, Triangulation};
use waymesh_convex::{NotchPortalsConfig, notch_portals};
use waymesh_graph::{
    AnyPolygon, NavMesh, Outcome, Path, PathOptions, PathSearch, PlaceSampler, QueryScratch, RelaxedPolygons,
};

use crate::queries::{Nanoseconds, clock_cost, nanoseconds, summary};

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
    query: Nanoseconds,
    /// Mean and worst ratio to the shortest paths.
    excess: [f64; 2],
}

/// Prints a row for each input.
pub(crate) fn relaxation<'a>(
    inputs: impl Iterator<Item = (&'a str, &'a Triangulation)>,
    print: &mut dyn FnMut(&str),
) {
    print("\n### Convexity relaxation, 0 / 0.1 / 0.2 / 0.4 m\n\n");
    print(
        "| input | polygons, relaxed in the decomposition | nodes of the search | find_path, us | longer than the shortest, mean % | worst % |\n|---|---:|---:|---:|---:|---:|\n",
    );
    let mut sums = [[0; 4]; 2];
    for (name, triangles) in inputs {
        let Some(rows) = measure(triangles) else { continue };
        for (at, row) in rows.iter().enumerate() {
            sums[0][at] += row.decomposed;
            sums[1][at] += row.searched;
        }
        let mut line = format!("| {name} |");
        let columns: [&dyn Fn(&Figures) -> String; 5] = [
            &|row| row.decomposed.to_string(),
            &|row| row.searched.to_string(),
            &|row| format!("{:.2}", row.query.mean / 1e3),
            &|row| format!("{:.3}", (row.excess[0] - 1.0) * 100.0),
            &|row| format!("{:.1}", (row.excess[1] - 1.0) * 100.0),
        ];
        for column in columns {
            let _ = write!(line, " {} |", rows.each_ref().map(column).join(" / "));
        }
        print(&(line + "\n"));
    }
    for (what, sums) in ["relaxed in the decomposition", "nodes of the search"].iter().zip(sums) {
        print(&format!("\nIn all, {what}: {sums:?}\n"));
    }
}

/// `None` if the polygons are no mesh, or no path of half a metre was found.
fn measure(triangles: &Triangulation) -> Option<[Figures; 4]> {
    let mesh = NavMesh::try_from(notch_portals(triangles, &NotchPortalsConfig::default()).ok()?).ok()?;
    let (mut scratch, mut path) = (QueryScratch::default(), Path::default());
    let shortest = PathOptions::default().with_search(PathSearch::Shortest).with_allow_partial(false);
    let (sampler, mut random) = (PlaceSampler::new(&mesh, &AnyPolygon), Random::new(7));
    let mut pairs: Vec<([Vec3; 2], f32)> = Vec::new();
    for _ in 0..4 * PAIRS {
        let mut place = || sampler.sample(&mesh, &mut random).ok().flatten();
        let ends = [place()?, place()?].map(|place| place.position);
        let found = mesh.find_path_into(ends[0], ends[1], &shortest, &mut scratch, &mut path);
        if found.is_ok() && path.outcome == Outcome::Complete && path.length > 0.5 {
            pairs.push((ends, path.length));
        }
        if pairs.len() == PAIRS {
            break;
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let relaxed = DISTANCES.map(|distance| RelaxedPolygons::new(&mesh, distance).ok());
    let mut times = [(); 4].map(|()| vec![Vec::new(); pairs.len()]);
    let mut ratios = [(); 4].map(|()| Vec::new());
    for round in 0..ROUNDS {
        for (at, relaxed) in relaxed.iter().enumerate() {
            for (pair, ([from, to], length)) in pairs.iter().enumerate() {
                let options = PathOptions::default();
                let start = Instant::now();
                let _ = match relaxed {
                    Some(relaxed) if at > 0 => {
                        let options = options.with_search(relaxed);
                        mesh.find_path_into(*from, *to, &options, &mut scratch, &mut path)
                    }
                    _ => mesh.find_path_into(*from, *to, &options, &mut scratch, &mut path),
                };
                times[at][pair].push(nanoseconds(start));
                if round == 0 {
                    ratios[at].push(f64::from(path.length / length));
                }
            }
        }
    }
    let clock = clock_cost();
    let mut rows = times.into_iter().zip(ratios).zip(DISTANCES).zip(&relaxed).map(
        |(((times, ratios), distance), relaxed)| {
            let config = NotchPortalsConfig::default().with_convex_distance(distance);
            let mean = ratios.iter().sum::<f64>() / ratios.len().max(1) as f64;
            Some(Figures {
                decomposed: notch_portals(triangles, &config).ok()?.polygons.len(),
                searched: if distance > 0.0 { relaxed.as_ref()?.len() } else { mesh.polygon_count() },
                query: summary(times.into_iter(), clock),
                excess: [mean, ratios.iter().copied().fold(1.0, f64::max)],
            })
        },
    );
    Some([rows.next()??, rows.next()??, rows.next()??, rows.next()??])
}
