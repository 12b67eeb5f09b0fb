//! The tables of the papers that waymesh follows, with our figures beside theirs.

use std::fmt::Write as _;

use waymesh::graph::MeshFormat;
use waymesh::{BakeConfig, Baker, NavMesh, Storeys, Voxels};
use waymesh_convex::{GreedyConfig, MergeOrder, NotchPortalsConfig, merge_greedy, notch_portals};
use waymesh_core::{GridScale, PolyMesh};
use waymesh_testkit::plans::{hall, lower_bound};
use waymesh_triangulate::triangulate_cdt;

#[cfg(feature = "peers")]
use crate::Engine;
use crate::plans::{milliseconds, ratio, timed};
use crate::{BenchError, Partitioning, Scene, Settings, Stage, Time, bake_waymesh};

/// Prints all tables as Markdown to `print`.
///
/// # Errors
/// When a scene cannot be read or a stage fails.
pub fn sources(print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    notches(print)?;
    recast(print)?;
    corners(print)
}

fn failed<E: std::error::Error + Send + Sync + 'static>(error: E) -> BenchError {
    BenchError::stage("waymesh", Stage::Polygons, error)
}

/// Vertices of ten scenarios, the smallest and the largest as in the paper, and of a pillar.
const SCENARIOS: [(u32, u32); 10] = [
    (23, 7),
    (50, 8),
    (100, 10),
    (175, 12),
    (250, 12),
    (375, 12),
    (500, 12),
    (650, 12),
    (800, 12),
    (965, 12),
];

/// Oliva and Pelechano 2012, figures 10 to 12.
fn notches(print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    print(
        "### Portals of notches, ten scenarios, one thread (Oliva and Pelechano 2012, figures 10 to 12)\n\n\
         | vertices | notches | portals, ms | per notch, us | polygons | with search, ms | polygons | at least |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (vertices, round) in SCENARIOS {
        let plan = hall(u64::from(vertices), vertices, round);
        let triangles = triangulate_cdt(&plan).map_err(failed)?;
        let (notches, _, least) = lower_bound(&plan);
        let without = NotchPortalsConfig::default().with_rounds(0).with_exact_vertices(0);
        let [portals, search] = [without, NotchPortalsConfig::default()]
            .map(|config| timed(|| notch_portals(&triangles, &config)));
        let mut row = format!(
            "| {} | {notches} | {:.3} | {:.2} |",
            plan.vertices.len(),
            milliseconds(portals.1),
            milliseconds(portals.1) * 1e3 / ratio(notches.max(1), 1),
        );
        let counts = [portals.0.map_err(failed)?, search.0.map_err(failed)?].map(|mesh| mesh.polygons.len());
        let _ = write!(row, " {} | {:.3} | {} | {least} |", counts[0], milliseconds(search.1), counts[1]);
        print(&(row + "\n"));
    }
    print(
        "\nThe paper gives its times as curves. In its text: 312 ms on a graphics card for the largest of its own ten scenarios (965 \
         vertices), a fifth of its CPU version, whose time is quadratic. Ours are generated halls of as many vertices. The bound that its \
         far plane gives (figure 12) is in ours the search by triangles, the nearest first, which ends when none can hold a closer vertex.\n",
    );
    Ok(())
}

/// Oliva 2012, figures 43 and 44: storeys beside Recast.
fn recast(print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    print(
        "\n### Storeys beside voxels and native Recast, one thread: ms / polygons (Oliva 2012, figures 43 and 44)\n\n\
         | scene | cells, m | storeys | voxels | Recast |\n|---|---:|---:|---:|---:|\n",
    );
    let generated = ["spiral-stairs", "overlapping-storeys", "dungeon-rooms", "city-block"];
    for name in Scene::default_names().into_iter().chain(generated) {
        let scene = Scene::named(name)?;
        for scale in [GridScale::new(0.3, 0.2), GridScale::new(0.1, 0.1)] {
            let settings = Settings::recast_demo(scale, Partitioning::Watershed);
            let config = BakeConfig::default()
                .with_scale(scale.cell_size, scale.level_height)
                .with_agent(settings.agent)
                .with_threads(1);
            let storeys = Baker::new(Storeys::default(), config.clone());
            let voxels = Baker::new(Voxels, config);
            let ours = [
                timed(|| storeys.bake_observed(&scene.soup, &mut ()).map(|bake| bake.mesh.polygon_count())),
                timed(|| voxels.bake_observed(&scene.soup, &mut ()).map(|bake| bake.mesh.polygon_count())),
            ];
            let mut row = format!("| {name} | {} |", scale.cell_size);
            for (polygons, time) in ours {
                let _ = write!(row, " {:.1} / {} |", time.wall * 1e3, polygons.map_err(failed)?);
            }
            match native(&scene, &settings)? {
                Some((time, polygons)) => _ = write!(row, " {:.1} / {polygons} |", time.wall * 1e3),
                None => row += " |",
            }
            print(&(row + "\n"));
        }
    }
    print(
        "\nAll with heights, time on the wall. The thesis' scenes are not published; these are Recast's and generated ones. Recast bakes with RecastDemo's \
         settings, watershed, at most 6 corners a polygon; ours has no such limit here.\n",
    );
    Ok(())
}

/// The time and the polygons of native Recast; `None` without the feature `peers`.
fn native(scene: &Scene, settings: &Settings) -> Result<Option<(Time, usize)>, BenchError> {
    #[cfg(feature = "peers")]
    let bake = {
        let (bake, _) = timed(|| crate::Recast.bake(scene, settings));
        bake.map(|bake| Some((bake.times.total(), bake.counts.polygons)))
    };
    #[cfg(not(feature = "peers"))]
    let bake = {
        let _ = (scene, settings);
        Ok(None)
    };
    bake
}

/// Share of polygons to triangles that Mononen gives for most 6 and 12 corners.
const SHARES: [(&str, [f64; 2]); 2] = [("nav_test", [42.0, 38.4]), ("dungeon", [47.3, 31.5])];

/// What Mononen gives for the memory of dungeon's mesh, in bytes, and its triangles.
const DUNGEON_BYTES: (f64, f64) = (3_600.0, 165.0);

/// Mononen, slides: polygons of few corners, and bytes.
fn corners(print: &mut dyn FnMut(&str)) -> Result<(), BenchError> {
    print(
        "\n### Polygons of 6 and of 12 corners, of 100 triangles, and bytes (Mononen, slides)\n\n\
         | level | triangles | longest edge: 6 / 12 (slides) | notch portals: 6 / 12 / any | bytes a polygon: .wmrun, .wmesh, .wmesh without heights |\n\
         |---|---:|---:|---:|---:|\n",
    );
    for (name, slides) in SHARES {
        let Some(scene) = Scene::golden(name)? else {
            print(&format!("| {name} | not there | | | |\n"));
            continue;
        };
        let settings = Settings::recast_demo(GridScale::new(0.3, 0.2), Partitioning::Watershed);
        let bake = Baker::new(Voxels, BakeConfig::default().with_threads(1))
            .bake_stages(&scene.soup, &mut ())
            .map_err(failed)?;
        let triangles = triangulate_cdt(&bake.contours.polygons()).map_err(failed)?;
        let share = |mesh: &PolyMesh| 100.0 * ratio(mesh.polygons.len(), triangles.triangles.len());
        let mut row = format!("| {name} | {} |", triangles.triangles.len());
        for (most, theirs) in [6, 12].into_iter().zip(slides) {
            let config = GreedyConfig::default().with_order(MergeOrder::LongestEdge).with_max_vertices(most);
            let mesh = merge_greedy(&triangles, &config).map_err(failed)?;
            let _ = write!(row, " {:.1} ({theirs}) {}", share(&mesh), if most == 6 { "/" } else { "|" });
        }
        let portals = [6, 12, 0].map(|most| {
            let config = NotchPortalsConfig::default().with_max_vertices(most);
            notch_portals(&triangles, &config).map(|mesh| format!("{:.1}", share(&mesh))).map_err(failed)
        });
        let portals = portals.into_iter().collect::<Result<Vec<_>, _>>()?;
        let _ = write!(row, " {} |", portals.join(" / "));
        let bake = bake_waymesh(&scene, &settings)?;
        let flat = NavMesh::new(bake.polygons.clone(), None, settings.agent).map_err(failed)?;
        let whole = NavMesh::new(bake.polygons, Some(bake.surface), settings.agent).map_err(failed)?;
        let bytes =
            [(&whole, MeshFormat::Packed), (&whole, MeshFormat::Exchange), (&flat, MeshFormat::Exchange)]
                .map(|(mesh, format)| ratio(mesh.to_bytes(format).len(), mesh.polygon_count()));
        let _ = write!(row, " {:.0} / {:.0} / {:.0} |", bytes[0], bytes[1], bytes[2]);
        print(&(row + "\n"));
    }
    let (bytes, polygons) = DUNGEON_BYTES;
    print(&format!(
        "\nThe slides: dungeon in {:.1} kB for {polygons:.0} triangles, {:.0} bytes each, without heights.\n",
        bytes / 1e3,
        bytes / polygons
    ));
    Ok(())
}
