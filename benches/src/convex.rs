//! Comparison of convex decompositions: polygons from files, walkable ground of levels,
//! generated halls of any size.

use anyhow::Result;
use waymesh::PolyId;
use waymesh::core::{PolyMesh, Triangulation};
use waymesh_convex::{GreedyConfig, MergeOrder, NotchPortalsConfig, merge_greedy, notch_portals};
use waymesh_testkit::plans::{hall, lower_bound, round_pillars};
use waymesh_triangulate::triangulate_cdt;

use crate::measure::{fastest, head, mean, ratio, row};
use crate::plans::{Plan, PlanOptions, Rings, draw, growth_exponent, plans, sizes};
use crate::relaxed::relaxation;
use crate::say;
use crate::sight::fewest_polygons;

/// A decomposition under test.
type Algorithm = (&'static str, fn(&Triangulation) -> PolyMesh);

/// The decompositions of the table. Ratios are given for the first one.
const ALGORITHMS: [Algorithm; 5] = [
    ("notch portals", |triangles| portals(triangles, &NotchPortalsConfig::default())),
    ("without search", |triangles| portals(triangles, &without_search())),
    ("greedy", |triangles| greedy(triangles, MergeOrder::FewestWays)),
    ("longest edge", |triangles| greedy(triangles, MergeOrder::LongestEdge)),
    ("Hertel-Mehlhorn", |triangles| greedy(triangles, MergeOrder::Stored)),
];

pub(crate) fn without_search() -> NotchPortalsConfig {
    NotchPortalsConfig::default().with_rounds(0).with_exact_vertices(0)
}

/// Triangles come from our own stage: what it makes is valid.
fn portals(triangles: &Triangulation, config: &NotchPortalsConfig) -> PolyMesh {
    notch_portals(triangles, config).unwrap_or_else(|error| panic!("{error}"))
}

fn greedy(triangles: &Triangulation, order: MergeOrder) -> PolyMesh {
    let config = GreedyConfig::default().with_order(order);
    merge_greedy(triangles, &config).unwrap_or_else(|error| panic!("{error}"))
}

type Input = (Plan, Triangulation);

/// Prints the tables as Markdown.
///
/// # Errors
/// When a level cannot be read or baked, or a picture not be written.
pub fn convex(options: &PlanOptions) -> Result<()> {
    let inputs: Vec<Input> = plans(|plan| {
        let triangles = triangulate_cdt(&plan.polygons)?;
        Ok((plan, triangles))
    })?;
    table(&inputs);
    pillars()?;
    relaxation(inputs.iter().map(|(plan, triangles)| (plan.name.as_str(), triangles)))?;
    growth(options.largest)?;
    for (plan, triangles) in &inputs {
        let rings = |mesh: PolyMesh| -> Rings {
            let ring = |polygon| {
                let corners =
                    mesh.corners(PolyId::from_index(polygon)).iter().map(|&corner| mesh.point(corner));
                corners.map(|point| [point.x, point.z].map(f64::from)).collect()
            };
            (0..mesh.polygons.len()).map(ring).collect()
        };
        draw(options, plan, &mut ALGORITHMS.iter().map(|(name, run)| (*name, rings(run(triangles)))))?;
    }
    Ok(())
}

fn table(inputs: &[Input]) {
    let names = ALGORITHMS.map(|(name, _)| name).join(" | ");
    let columns = format!(
        "input | vertices | notches | holes | triangles | at least | by sight | at vertices | {names} | ratio | by sight | at vertices | ms | greedy, ms | polyanya | polyanya, ms"
    );
    head("Polygons", &columns);
    let (mut ratios, mut totals) = (Vec::new(), [0; ALGORITHMS.len() + 1]);
    for (Plan { name, polygons, repaired }, triangles) in inputs {
        let (notches, holes, least) = lower_bound(polygons);
        let results = ALGORITHMS.map(|(_, run)| fastest(3, || run(triangles)));
        let mut counts = results.each_ref().map(|(mesh, _)| mesh.polygons.len()).to_vec();
        let bounds = fewest_polygons(triangles);
        let bounds = [least, bounds.by_sight, bounds.at_vertices];
        let own = bounds.map(|least| ratio(counts[0], least));
        ratios.push((*repaired, own));
        let merged = merge_of_polyanya(triangles);
        let sizes = [polygons.vertices.len(), notches, holes, triangles.triangles.len()];
        let times = [results[0].1, results[2].1].map(|time| format!("{:.2}", time.cpu));
        let peer =
            merged.map_or_else(Default::default, |(count, ms)| [count.to_string(), format!("{ms:.2}")]);
        let whole = sizes.iter().chain(&bounds).chain(&counts).map(ToString::to_string);
        let cells = [name.clone()].into_iter().chain(whole);
        row(cells.chain(own.map(|ratio| format!("{ratio:.3}"))).chain(times).chain(peer));
        counts.extend(merged.map(|merged| merged.0));
        totals.iter_mut().zip(&counts).for_each(|(total, count)| *total += count);
    }
    say!("\nPolygons in all, of peers last: {totals:?}");
    for (what, all) in [("all inputs", true), ("those that needed no repair", false)] {
        let counted: Vec<[f64; 3]> =
            ratios.iter().filter(|(repaired, _)| all || !repaired).map(|(_, ratios)| *ratios).collect();
        let [simple, by_sight, at_vertices] =
            [0, 1, 2].map(|at| mean(&counted.iter().map(|ratios| ratios[at]).collect::<Vec<_>>()));
        say!(
            "{what} ({}): mean ratio {simple:.3}, by sight {by_sight:.3}, at vertices {at_vertices:.3}",
            counted.len()
        );
    }
    say!(
        "\n\"at least\": half the notches, rounded up, plus 1, less holes. \"by sight\": notches share a portal only if they see each \
         other; portals end anywhere on the border. \"at vertices\": the same, with portals that end at vertices. No bound knows that \
         portals must not cross."
    );
}

/// Polygons of the merge of `polyanya`, and its milliseconds without the conversion.
fn merge_of_polyanya(triangles: &Triangulation) -> Option<(usize, f64)> {
    #[cfg(feature = "polygon-peers")]
    {
        let merge = crate::polygon_peers::Merge::new(triangles);
        let (polygons, time) = fastest(3, || merge.run());
        Some((polygons, time.cpu))
    }
    #[cfg(not(feature = "polygon-peers"))]
    {
        let _ = triangles;
        None
    }
}

/// Prints the savings of convexity relaxation around round pillars.
fn pillars() -> Result<()> {
    head(
        "Convexity relaxation, 64 round pillars of 3 m",
        "corners of a pillar | 0 m | 0.1 m | 0.2 m | 0.4 m",
    );
    for corners in [12, 24, 48] {
        let triangles = triangulate_cdt(&round_pillars(8, corners))?;
        let polygons = [0.0, 0.1, 0.2, 0.4].map(|metres| {
            let config = NotchPortalsConfig::default().with_convex_distance(metres);
            portals(&triangles, &config).polygons.len()
        });
        row([corners as usize].into_iter().chain(polygons));
    }
    Ok(())
}

fn growth(largest: u32) -> Result<()> {
    head(
        "Growth, halls with pillars of 24 vertices, one thread",
        "vertices | notches | holes | at least | polygons | ratio | ms | us per vertex",
    );
    let mut measured: Vec<(f64, f64)> = Vec::new();
    for size in sizes(largest) {
        let polygons = hall(7, size, 24);
        let triangles = triangulate_cdt(&polygons)?;
        let (notches, holes, least) = lower_bound(&polygons);
        let (mesh, time) = fastest(3, || portals(&triangles, &NotchPortalsConfig::default()));
        let (count, vertices, ms) = (mesh.polygons.len(), polygons.vertices.len(), time.cpu);
        say!(
            "| {vertices} | {notches} | {holes} | {least} | {count} | {:.3} | {ms:.1} | {:.2} |",
            ratio(count, least),
            ms * 1e3 / ratio(vertices, 1)
        );
        measured.push((ratio(vertices, 1), ms));
    }
    say!("\nGrows like {}", growth_exponent(&measured));
    Ok(())
}
