//! Convex decompositions beside each other: polygons from files, walkable ground of levels,
//! generated halls of any size.

use std::fmt::Write as _;
use std::path::Path;

use waymesh::PolyId;
use waymesh::core::{PolyMesh, Triangulation};
use waymesh::io::svg::{Canvas, Colour, Picture, Style};
use waymesh_convex::{
    GreedyConfig, HertelMehlhornConfig, MergeOrder, NotchOrder, NotchPortalsConfig, hertel_mehlhorn,
    merge_greedy, notch_portals,
};
use waymesh_testkit::plans::{hall, lower_bound, round_pillars};
use waymesh_triangulate::triangulate_cdt;

use crate::BenchError;
use crate::engine::Time;
use crate::plans::{Plan, PlanOptions, growth_exponent, milliseconds, plans, ratio, timed, write_picture};
use crate::relaxed::relaxation;
use crate::sight::fewest_polygons;

/// A decomposition under test.
type Algorithm = (&'static str, fn(&Triangulation) -> PolyMesh);

/// The decompositions of the table. Ratios are given for the first one.
const ALGORITHMS: [Algorithm; 5] = [
    ("notch portals", |triangles| portals(triangles, &NotchPortalsConfig::default())),
    ("without search", |triangles| portals(triangles, &without_search())),
    ("greedy", |triangles| greedy(triangles, MergeOrder::FewestWays)),
    ("longest edge", |triangles| greedy(triangles, MergeOrder::LongestEdge)),
    ("Hertel-Mehlhorn", |triangles| {
        hertel_mehlhorn(triangles, &HertelMehlhornConfig::default()).unwrap_or_else(|error| panic!("{error}"))
    }),
];

fn without_search() -> NotchPortalsConfig {
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

/// Polygons to be cut.
struct Input {
    plan: Plan,
    triangles: Triangulation,
}

/// Prints the tables as Markdown to `print`.
///
/// # Errors
/// When a level cannot be read or baked, or a picture not be written.
pub fn convex(options: &PlanOptions, print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    let mut notes = Vec::new();
    let mut inputs = Vec::new();
    for plan in plans("convex", &mut notes)? {
        match triangulate_cdt(&plan.polygons) {
            Ok(triangles) => inputs.push(Input { plan, triangles }),
            Err(error) => notes.push(format!("{}: left out: {error}", plan.name)),
        }
    }
    table(&inputs, print);
    notes.iter().for_each(|note| print(&format!("- {note}\n")));
    orders(&inputs, print);
    pillars(print);
    relaxation(inputs.iter().map(|input| (input.plan.name.as_str(), &input.triangles)), print);
    growth(options.largest, print);
    if let Some(folder) = &options.out {
        for input in inputs.iter().filter(|input| input.plan.polygons.vertices.len() <= 3000) {
            draw(input, folder)?;
        }
    }
    Ok(())
}

fn table(inputs: &[Input], print: &mut dyn FnMut(&str)) {
    let names = ALGORITHMS.map(|(name, _)| name).join(" | ");
    let peer = if PEERS { " polyanya | polyanya, ms |" } else { "" };
    print(&format!(
        "### Polygons\n\n| input | vertices | notches | holes | triangles | at least | by sight | at vertices | {names} | ratio | by sight | at vertices | ms | greedy, ms |{peer}\n"
    ));
    let columns = 12 + ALGORITHMS.len() + if PEERS { 2 } else { 0 };
    print(&format!("|---{}|\n", "|---:".repeat(columns)));
    let (mut ratios, mut totals) = (Vec::new(), [0; ALGORITHMS.len() + 1]);
    for Input { plan: Plan { name, polygons, repaired }, triangles } in inputs {
        let (notches, holes, least) = lower_bound(polygons);
        let results = ALGORITHMS.map(|(_, run)| timed(|| run(triangles)));
        let counts = results.each_ref().map(|(mesh, _)| mesh.polygons.len());
        (0..counts.len()).for_each(|at| totals[at] += counts[at]);
        let bounds = fewest_polygons(triangles);
        let own = [least, bounds.by_sight, bounds.at_vertices].map(|least| ratio(counts[0], least));
        ratios.push((*repaired, own));
        let mut row = format!(
            "| {name} | {} | {notches} | {holes} | {} | {least} | {} | {} |",
            polygons.vertices.len(),
            triangles.triangles.len(),
            bounds.by_sight,
            bounds.at_vertices
        );
        counts.iter().for_each(|count| row += &format!(" {count} |"));
        own.iter().for_each(|ratio| row += &format!(" {ratio:.3} |"));
        let [portals, .., greedy, _, _] = &results;
        let _ = write!(row, " {:.2} | {:.2} |", milliseconds(portals.1), milliseconds(greedy.1));
        if let Some((polygons, time)) = merge_of_polyanya(triangles) {
            totals[ALGORITHMS.len()] += polygons;
            let _ = write!(row, " {polygons} | {:.2} |", milliseconds(time));
        }
        print(&(row + "\n"));
    }
    print(&format!("\nPolygons in all, of peers last: {totals:?}\n"));
    for (what, all) in [("all inputs", true), ("those that needed no repair", false)] {
        let counted = ratios.iter().filter(|(repaired, _)| all || !repaired);
        let (mut count, mut sums) = (0, [0.0; 3]);
        for (_, ratios) in counted {
            count += 1;
            (0..ratios.len()).for_each(|at| sums[at] += ratios[at]);
        }
        let [simple, by_sight, at_vertices] = sums.map(|sum| sum / ratio(count, 1));
        print(&format!(
            "{what} ({count}): mean ratio {simple:.3}, by sight {by_sight:.3}, at vertices {at_vertices:.3}\n"
        ));
    }
    print(BOUNDS);
}

/// What the columns mean.
const BOUNDS: &str = "
\"at least\": half the notches, rounded up, plus 1, less holes. \"by sight\": notches share a portal only if they see each other; portals end
anywhere on the border. \"at vertices\": the same, with portals that end at vertices. No bound knows that portals must not cross.
";

/// `true` if other crates take part.
const PEERS: bool = cfg!(feature = "polygon-peers");

/// Polygons of the merge of `polyanya`, and its time without the conversion.
fn merge_of_polyanya(triangles: &Triangulation) -> Option<(usize, Time)> {
    #[cfg(feature = "polygon-peers")]
    {
        let merge = crate::polygon_peers::Merge::new(triangles);
        Some(timed(|| merge.run()))
    }
    #[cfg(not(feature = "polygon-peers"))]
    {
        let _ = triangles;
        None
    }
}

/// The order in which notches get their portals, before the search and after it.
fn orders(inputs: &[Input], print: &mut dyn FnMut(&str)) {
    print("\n### Order of the notches, polygons of all inputs\n\n");
    print(
        "| order | pairs first | without search | ms | with search | ms |\n|---|---|---:|---:|---:|---:|\n",
    );
    for order in [NotchOrder::Sharpest, NotchOrder::Shortest, NotchOrder::Stored] {
        for pairs_first in [true, false] {
            let mut row = format!("| {order:?} | {pairs_first} |");
            for config in [without_search(), NotchPortalsConfig::default()] {
                let config = config.with_order(order).with_pairs_first(pairs_first);
                let (mut polygons, mut time) = (0, 0.0);
                for input in inputs {
                    let (mesh, took) = timed(|| portals(&input.triangles, &config));
                    (polygons, time) = (polygons + mesh.polygons.len(), time + milliseconds(took));
                }
                let _ = write!(row, " {polygons} | {time:.1} |");
            }
            print(&format!("{row}\n"));
        }
    }
}

/// What convexity relaxation saves around round pillars.
fn pillars(print: &mut dyn FnMut(&str)) {
    print("\n### Convexity relaxation, 64 round pillars of 3 m\n\n");
    print("| corners of a pillar | 0 m | 0.1 m | 0.2 m | 0.4 m |\n|---:|---:|---:|---:|---:|\n");
    for corners in [12, 24, 48] {
        let triangles = triangulate_cdt(&round_pillars(8, corners)).unwrap_or_else(|error| panic!("{error}"));
        let polygons = [0.0, 0.1, 0.2, 0.4].map(|metres| {
            let config = NotchPortalsConfig::default().with_convex_distance(metres);
            portals(&triangles, &config).polygons.len().to_string()
        });
        print(&format!("| {corners} | {} |\n", polygons.join(" | ")));
    }
}

fn growth(largest: u32, print: &mut dyn FnMut(&str)) {
    print("\n### Growth, halls with pillars of 24 vertices, one thread\n\n");
    print("| vertices | notches | holes | at least | polygons | ratio | ms | us per vertex |\n");
    print(&format!("|{}\n", "---:|".repeat(8)));
    let mut measured: Vec<(f64, f64)> = Vec::new();
    for size in [1_000, 10_000, 100_000, 1_000_000].into_iter().filter(|&size| size <= largest) {
        let polygons = hall(7, size, 24);
        let triangles = triangulate_cdt(&polygons).unwrap_or_else(|error| panic!("{error}"));
        let (notches, holes, least) = lower_bound(&polygons);
        let (mesh, time) = timed(|| portals(&triangles, &NotchPortalsConfig::default()));
        let (count, vertices) = (mesh.polygons.len(), polygons.vertices.len());
        let per_vertex = milliseconds(time) * 1e3 / ratio(vertices, 1);
        print(&format!(
            "| {vertices} | {notches} | {holes} | {least} | {count} | {:.3} | {:.1} | {per_vertex:.2} |\n",
            ratio(count, least),
            milliseconds(time)
        ));
        measured.push((ratio(vertices, 1), milliseconds(time)));
    }
    if let Some(exponent) = growth_exponent(&measured) {
        print(&format!("\nGrows like n^{exponent:.3}\n"));
    }
}

/// All algorithms side by side.
fn draw(input: &Input, folder: &Path) -> Result<(), BenchError> {
    let mut picture = Picture::new();
    let frame = &input.plan.polygons.frame;
    let size = [f64::from(frame.width), f64::from(frame.depth)];
    for (name, run) in ALGORITHMS {
        let polygons = run(&input.triangles);
        let mut canvas = Canvas::new([0.0, 0.0], size, 900.0);
        for polygon in (0..polygons.polygons.len()).map(PolyId::from_index) {
            let ring = polygons.corners(polygon).iter().map(|&corner| polygons.point(corner));
            let ring = ring.map(|point| [f64::from(point.x), f64::from(point.z)]);
            canvas.polygons([ring], &Style::fill(Colour::soft(polygon.index())).with_line(Colour::INK, 0.7));
        }
        picture.push(&format!("{name}: {} polygons", polygons.polygons.len()), canvas, None);
    }
    write_picture(&picture, folder, &input.plan.name)
}
