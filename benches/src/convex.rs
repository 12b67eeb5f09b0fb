//! Convex decompositions beside each other: polygons from files, walkable ground of levels, generated halls of any size.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use waymesh::io::svg::{Canvas, Colour, Picture, Style};
use waymesh::{BakeConfig, CellId, CellMesh, Pipeline, PolygonSet, Triangulation};
use waymesh_convex::{
    GreedyConfig, HertelMehlhornConfig, MergeOrder, NotchOrder, NotchPortalsConfig, hertel_mehlhorn,
    merge_greedy, notch_portals,
};
use waymesh_testkit::levels::find;
use waymesh_testkit::plans::{self, from_rings, hall, read_rings};
use waymesh_triangulate::triangulate_cdt;

use crate::BenchError;
use crate::engine::{Clock, Stage, Time};
use crate::levels::Level;

/// What [`convex`] does besides its table.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ConvexOptions {
    /// Folder for a picture per input of at most 3000 vertices.
    pub pictures: Option<PathBuf>,
    /// Largest hall of the table of growth.
    pub largest: u32,
}

/// Polygons from files, in `../shared/scenes/polygons2d`.
const FILES: [&str; 21] = [
    "earcut_fixtures/building.json",
    "earcut_fixtures/dude.json",
    "earcut_fixtures/eberly-6.json",
    "earcut_fixtures/hilbert.json",
    "earcut_fixtures/issue35.json",
    "earcut_fixtures/rain.json",
    "earcut_fixtures/simplified-us-border.json",
    "earcut_fixtures/water.json",
    "earcut_fixtures/water2.json",
    "earcut_fixtures/water3.json",
    "earcut_fixtures/water4.json",
    "earcut_fixtures/water-huge.json",
    "earcut_fixtures/water-huge2.json",
    "earcut_fixtures/water-huge3.json",
    "georust/geo-test-fixtures/fixtures/east_baton_rouge.wkt",
    "georust/geo-test-fixtures/fixtures/louisiana.wkt",
    "georust/geo-test-fixtures/fixtures/nl_plots_epsg_28992.wkt",
    "georust/geo-test-fixtures/fixtures/nl_zones.wkt",
    "georust/geo-test-fixtures/fixtures/norway_concave_hull.wkt",
    "georust/geo-test-fixtures/fixtures/norway_main.wkt",
    "georust/geo-test-fixtures/fixtures/vw_orig.wkt",
];

/// Levels whose walkable ground is cut.
const LEVELS: [&str; 3] = ["nav_test", "dungeon", "undulating"];

/// Sizes of generated halls, from the smallest to the largest plan of the papers, and vertices of a pillar.
const HALLS: [(u32, u32); 6] = [(23, 7), (50, 8), (100, 10), (250, 12), (500, 12), (965, 12)];

/// In errors.
const NAME: &str = "convex";

/// A decomposition under test.
type Algorithm = (&'static str, fn(&Triangulation) -> CellMesh);

/// Those of the table; the first is the one whose ratio is told.
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
fn portals(triangles: &Triangulation, config: &NotchPortalsConfig) -> CellMesh {
    notch_portals(triangles, config).unwrap_or_else(|error| panic!("{error}"))
}

fn greedy(triangles: &Triangulation, order: MergeOrder) -> CellMesh {
    let config = GreedyConfig::default().with_order(order);
    merge_greedy(triangles, &config).unwrap_or_else(|error| panic!("{error}"))
}

/// Polygons to be cut.
struct Input {
    name: String,
    polygons: PolygonSet,
    triangles: Triangulation,
}

/// Prints the tables as Markdown to `print`.
///
/// # Errors
/// When a level cannot be read or baked, or a picture not be written.
pub fn convex(options: &ConvexOptions, print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    let mut left_out = Vec::new();
    let inputs = inputs(&mut left_out)?;
    table(&inputs, print);
    for note in left_out {
        print(&format!("- left out: {note}\n"));
    }
    orders(&inputs, print);
    relaxation(print);
    growth(options.largest, print);
    if let Some(folder) = &options.pictures {
        for input in inputs.iter().filter(|input| input.polygons.vertices.len() <= 3000) {
            draw(input, folder)?;
        }
    }
    Ok(())
}

fn inputs(left_out: &mut Vec<String>) -> Result<Vec<Input>, BenchError> {
    let mut inputs = Vec::new();
    let mut add = |name: String, polygons: PolygonSet| match triangulate_cdt(&polygons) {
        Ok(triangles) => inputs.push(Input { name, polygons, triangles }),
        Err(error) => left_out.push(format!("{name}: {error}")),
    };
    for (vertices, round) in HALLS {
        add(format!("hall of {vertices}"), hall(u64::from(vertices), vertices, round));
    }
    for file in FILES.iter().filter_map(|file| find(&format!("polygons2d/{file}"))) {
        let text = std::fs::read_to_string(&file)
            .map_err(|error| BenchError::stage(NAME, Stage::Polygons, error))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        add(name, from_rings(&read_rings(&text)));
    }
    for level in LEVELS.iter().filter_map(|name| Level::named(name).ok()) {
        let pipeline = Pipeline::new(BakeConfig::default().with_threads(1));
        let stages = pipeline
            .bake_stages(&level.load()?, &mut ())
            .map_err(|error| BenchError::stage(NAME, Stage::Polygons, error))?;
        add(level.name, stages.contours.polygons());
    }
    Ok(inputs)
}

/// The result of one algorithm, and the least time of three runs, or of one that takes long.
fn timed(algorithm: impl Fn() -> CellMesh) -> (CellMesh, Time) {
    let mut best: Option<(CellMesh, Time)> = None;
    for _ in 0..3 {
        let mut clock = Clock::start();
        let cells = algorithm();
        clock.lap(Stage::Polygons);
        let time = clock.times().get(Stage::Polygons);
        let slow = time.wall > 0.5;
        if best.as_ref().is_none_or(|(_, least)| time.cpu < least.cpu) {
            best = Some((cells, time));
        }
        if slow {
            break;
        }
    }
    best.unwrap_or_else(|| unreachable!("three runs were made"))
}

fn milliseconds(time: Time) -> f64 {
    time.cpu * 1e3
}

fn table(inputs: &[Input], print: &mut dyn FnMut(&str)) {
    let names = ALGORITHMS.map(|(name, _)| name).join(" | ");
    print(&format!(
        "### Cells\n\n| input | vertices | notches | holes | triangles | at least | {names} | ratio | ms | greedy, ms |\n"
    ));
    print(&format!("|---{}|\n", "|---:".repeat(8 + ALGORITHMS.len())));
    let (mut ratios, mut count, mut totals) = (0.0, 0.0, [0; ALGORITHMS.len()]);
    for Input { name, polygons, triangles } in inputs {
        let (notches, holes, least) = plans::lower_bound(polygons);
        let results = ALGORITHMS.map(|(_, run)| timed(|| run(triangles)));
        let cells = results.each_ref().map(|(cells, _)| cells.cells.len());
        (0..cells.len()).for_each(|at| totals[at] += cells[at]);
        let ratio = ratio(cells[0], least);
        (ratios, count) = (ratios + ratio, count + 1.0);
        let mut row = format!(
            "| {name} | {} | {notches} | {holes} | {} | {least} |",
            polygons.vertices.len(),
            triangles.triangles.len()
        );
        cells.iter().for_each(|count| row += &format!(" {count} |"));
        let [own, .., greedy, _, _] = &results;
        let _ = writeln!(row, " {ratio:.3} | {:.2} | {:.2} |", milliseconds(own.1), milliseconds(greedy.1));
        print(&row);
    }
    print(&format!("\n{count} inputs, mean ratio {:.3}; cells in all: {totals:?}\n", ratios / count));
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// The order in which notches get their portals, before the search and after it.
fn orders(inputs: &[Input], print: &mut dyn FnMut(&str)) {
    print("\n### Order of the notches, cells of all inputs\n\n");
    print(
        "| order | pairs first | without search | ms | with search | ms |\n|---|---|---:|---:|---:|---:|\n",
    );
    for order in [NotchOrder::Sharpest, NotchOrder::Shortest, NotchOrder::Stored] {
        for pairs_first in [true, false] {
            let mut row = format!("| {order:?} | {pairs_first} |");
            for config in [without_search(), NotchPortalsConfig::default()] {
                let config = config.with_order(order).with_pairs_first(pairs_first);
                let (mut cells, mut time) = (0, 0.0);
                for input in inputs {
                    let (mesh, took) = timed(|| portals(&input.triangles, &config));
                    (cells, time) = (cells + mesh.cells.len(), time + milliseconds(took));
                }
                let _ = write!(row, " {cells} | {time:.1} |");
            }
            print(&format!("{row}\n"));
        }
    }
}

/// What convexity relaxation saves around round pillars.
fn relaxation(print: &mut dyn FnMut(&str)) {
    print("\n### Convexity relaxation, 64 round pillars of 3 m\n\n");
    print("| corners of a pillar | 0 m | 0.1 m | 0.2 m | 0.4 m |\n|---:|---:|---:|---:|---:|\n");
    for corners in [12, 24, 48] {
        let triangles =
            triangulate_cdt(&plans::round_pillars(8, corners)).unwrap_or_else(|error| panic!("{error}"));
        let cells = [0.0, 0.1, 0.2, 0.4].map(|metres| {
            let config = NotchPortalsConfig::default().with_convex_distance(metres);
            portals(&triangles, &config).cells.len().to_string()
        });
        print(&format!("| {corners} | {} |\n", cells.join(" | ")));
    }
}

fn growth(largest: u32, print: &mut dyn FnMut(&str)) {
    print("\n### Growth, halls with pillars of 24 vertices, one thread\n\n");
    print("| vertices | notches | holes | at least | cells | ratio | ms | us per vertex |\n");
    print(&format!("|{}\n", "---:|".repeat(8)));
    let mut measured: Vec<(f64, f64)> = Vec::new();
    for size in [1_000, 10_000, 100_000, 1_000_000].into_iter().filter(|&size| size <= largest) {
        let polygons = hall(7, size, 24);
        let triangles = triangulate_cdt(&polygons).unwrap_or_else(|error| panic!("{error}"));
        let (notches, holes, least) = plans::lower_bound(&polygons);
        let (mesh, time) = timed(|| portals(&triangles, &NotchPortalsConfig::default()));
        let (count, vertices) = (mesh.cells.len(), polygons.vertices.len());
        let per_vertex = milliseconds(time) * 1e3 / ratio(vertices, 1);
        print(&format!(
            "| {vertices} | {notches} | {holes} | {least} | {count} | {:.3} | {:.1} | {per_vertex:.2} |\n",
            ratio(count, least),
            milliseconds(time)
        ));
        measured.push((ratio(vertices, 1), milliseconds(time)));
    }
    if let [first, .., last] = measured[..] {
        let exponent = (last.1 / first.1).ln() / (last.0 / first.0).ln();
        print(&format!("\nGrows like n^{exponent:.3}\n"));
    }
}

/// All algorithms side by side.
fn draw(input: &Input, folder: &Path) -> Result<(), BenchError> {
    let mut picture = Picture::new();
    let frame = &input.polygons.frame;
    let size = [f64::from(frame.width), f64::from(frame.depth)];
    for (name, run) in ALGORITHMS {
        let cells = run(&input.triangles);
        let mut canvas = Canvas::new([0.0, 0.0], size, 900.0);
        for cell in (0..cells.cells.len()).map(CellId::from_index) {
            let ring = cells.corners(cell).iter().map(|&corner| cells.point(corner));
            let ring = ring.map(|point| [f64::from(point.x), f64::from(point.z)]);
            canvas.polygons([ring], &Style::fill(Colour::soft(cell.index())).with_line(Colour::INK, 0.7));
        }
        picture.push(&format!("{name}: {} cells", cells.cells.len()), canvas, None);
    }
    let file = folder.join(format!("{}.svg", input.name.replace([' ', '/'], "-")));
    let write = |writer: &mut std::io::BufWriter<std::fs::File>| {
        std::io::Write::write_all(writer, picture.to_svg().as_bytes())
    };
    Ok(waymesh_io::write_file(&file, write)?)
}
