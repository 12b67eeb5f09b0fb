//! Plans that are triangulated and cut, and what the tables of both have in common.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use waymesh::core::{PolygonSet, float};
use waymesh::io::svg::{Canvas, Colour, Picture, Style};
use waymesh::{BakeConfig, Baker};
use waymesh_testkit::levels::find;
use waymesh_testkit::plans::{from_rings, hall, read_rings};
use waymesh_triangulate::{RepairConfig, repair_polygons};

use crate::{Scene, say};

/// Options of the tables of plans.
#[derive(Clone, Debug, Args)]
pub struct PlanOptions {
    /// Vertices of the largest hall in the table of growth, up to 1000000; no such table with 0.
    #[arg(long, default_value_t = 0)]
    pub largest: u32,
    /// Folder for pictures of the smaller inputs.
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

/// Polygons from files, in folders of `../shared/scenes/polygons2d`.
const FILES: [(&str, &str, &str); 2] = [
    (
        "earcut_fixtures",
        "json",
        "building dude eberly-6 hilbert issue35 rain simplified-us-border water water2 water3 water4 water-huge \
         water-huge2 water-huge3",
    ),
    (
        "georust/geo-test-fixtures/fixtures",
        "wkt",
        "east_baton_rouge louisiana nl_plots_epsg_28992 nl_zones norway_concave_hull norway_main vw_orig",
    ),
];

/// Vertices of generated halls, from the smallest to the largest plan of the papers.
const HALLS: [u32; 6] = [23, 50, 100, 250, 500, 965];

/// Returns a hall of a plan of the papers, whose pillars have more corners the larger it is.
pub(crate) fn paper_hall(vertices: u32) -> PolygonSet {
    let corners = match vertices {
        0..50 => 7,
        50..100 => 8,
        100..175 => 10,
        _ => 12,
    };
    hall(vertices.into(), vertices, corners)
}

/// Farthest that repair may move a border, in cells of the finest grid that 32 bits allow.
const REPAIR_CELLS: f32 = 3.0;

/// Sound polygons.
pub(crate) struct Plan {
    pub(crate) name: String,
    pub(crate) polygons: PolygonSet,
    /// `true` if borders had to be changed.
    pub(crate) repaired: bool,
}

/// Calls `make` with every plan, repaired where it needs it. Returns what it makes, and prints why
/// others are left out.
pub(crate) fn plans<T>(make: impl Fn(Plan) -> Result<T>) -> Result<Vec<T>> {
    let mut made = Vec::new();
    let mut add = |name: &str, polygons: Result<(PolygonSet, bool)>| {
        let plan = |(polygons, repaired)| make(Plan { name: name.to_owned(), polygons, repaired });
        match polygons.and_then(plan) {
            Ok(plan) => made.push(plan),
            Err(error) => say!("- {name}: left out: {error:#}"),
        }
    };
    for vertices in HALLS {
        add(&format!("hall of {vertices}"), Ok((paper_hall(vertices), false)));
    }
    for (folder, ending, names) in FILES {
        for name in names.split_whitespace() {
            let Some(file) = find(&format!("polygons2d/{folder}/{name}.{ending}")) else { continue };
            let read = from_rings(&read_rings(&std::fs::read_to_string(file)?));
            let cell = read.frame.cell_size;
            let config = RepairConfig::default().with_max_border_shift(REPAIR_CELLS * cell);
            let repaired = repair_polygons(&read, &config).map(|(polygons, report)| {
                let repaired = report.repaired.len();
                if repaired > 0 {
                    say!(
                        "- {name}: repaired {repaired} of {} polygons: {} cuts, {} pieces split off, {} vanished, borders moved by {:.2} cells at most",
                        read.polygons.len(),
                        report.edges_cut,
                        report.split_off.len(),
                        report.vanished.len(),
                        report.border_shift / cell,
                    );
                }
                (polygons, repaired > 0)
            });
            add(name, repaired.map_err(Into::into));
        }
    }
    for scene in Scene::golden()? {
        let baker = Baker::voxels().with_config(BakeConfig::default().with_threads(1));
        add(&scene.name, Ok((baker.bake_stages(&scene.soup, &mut ())?.contours.polygons(), false)));
    }
    Ok(made)
}

/// Sizes of the tables of growth.
pub(crate) fn sizes(largest: u32) -> impl Iterator<Item = u32> {
    [1_000, 10_000, 100_000, 1_000_000].into_iter().filter(move |&size| size <= largest)
}

/// The exponent of a power law through the first and the last of `(size, time)`, as text.
pub(crate) fn growth_exponent(measured: &[(f64, f64)]) -> String {
    let [first, .., last] = measured else { return String::new() };
    format!("n^{:.3}", float::ln(last.1 / first.1) / float::ln(last.0 / first.0))
}

/// Rings in cells.
pub(crate) type Rings = Vec<Vec<[f64; 2]>>;

/// Writes a picture named after a plan, if a folder is given and the plan is small: panels of rings
/// side by side.
pub(crate) fn draw(
    options: &PlanOptions,
    plan: &Plan,
    panels: &mut dyn Iterator<Item = (&str, Rings)>,
) -> Result<()> {
    let Some(folder) = options.out.as_deref().filter(|_| plan.polygons.vertices.len() <= 3000) else {
        return Ok(());
    };
    let mut picture = Picture::new();
    let size = [plan.polygons.frame.width, plan.polygons.frame.depth].map(f64::from);
    for (name, rings) in panels {
        let mut canvas = Canvas::new([0.0, 0.0], size, 900.0);
        let title = format!("{name}: {}", rings.len());
        for (index, ring) in rings.into_iter().enumerate() {
            canvas.polygons([ring], &Style::fill(Colour::soft(index)).with_line(Colour::INK, 0.6));
        }
        picture.push(&title, canvas, None);
    }
    let file = Path::new(folder).join(format!("{}.svg", plan.name.replace([' ', '/'], "-")));
    Ok(std::fs::write(file, picture.to_svg())?)
}
