//! The tables of the papers that waymesh follows, with our figures and theirs.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use waymesh::convex::NotchPortals;
use waymesh::core::stage::{Decompose, StageError};
use waymesh::core::{GridScale, PolyMesh, Triangulation};
use waymesh::graph::MeshFormat;
use waymesh::{Agent, BakeConfig, Baker, NavMesh, Observer};
use waymesh_convex::{GreedyConfig, MergeOrder, NotchPortalsConfig, merge_greedy, notch_portals};
use waymesh_testkit::plans::lower_bound;
use waymesh_triangulate::triangulate_cdt;

use crate::convex::without_search;
use crate::measure::{Time, fastest, head, ratio, row};
use crate::ours::bake_waymesh;
use crate::plans::paper_hall;
use crate::{Partitioning, Scene, Settings, say};

/// Prints all tables as Markdown.
///
/// # Errors
/// When a scene cannot be read or a stage fails.
pub fn sources() -> Result<()> {
    notches()?;
    recast()?;
    corners()
}

/// Vertices of ten scenarios, the smallest and the largest as in the paper.
const SCENARIOS: [u32; 10] = [23, 50, 100, 175, 250, 375, 500, 650, 800, 965];

/// Oliva and Pelechano 2012, figures 10 to 12.
fn notches() -> Result<()> {
    head(
        "Portals of notches, ten scenarios, one thread (Oliva and Pelechano 2012, figures 10 to 12)",
        "vertices | notches | portals, ms | per notch, us | polygons | with search, ms | polygons | at least",
    );
    for plan in SCENARIOS.map(paper_hall) {
        let triangles = triangulate_cdt(&plan)?;
        let (notches, _, least) = lower_bound(&plan);
        let [(portals, time), (search, searched)] = [without_search(), NotchPortalsConfig::default()]
            .map(|config| fastest(3, || notch_portals(&triangles, &config)));
        say!(
            "| {} | {notches} | {:.3} | {:.2} | {} | {:.3} | {} | {least} |",
            plan.vertices.len(),
            time.cpu,
            time.cpu * 1e3 / ratio(notches.max(1), 1),
            portals?.polygons.len(),
            searched.cpu,
            search?.polygons.len()
        );
    }
    say!(
        "\nThe paper gives its times as curves. In its text: 312 ms on a graphics card for the largest of its own ten scenarios (965 \
         vertices), a fifth of its CPU version, whose time is quadratic. Ours are generated halls of as many vertices. The bound that its \
         far plane gives (figure 12) is in ours the search by triangles, the nearest first, which ends when none can hold a closer vertex."
    );
    Ok(())
}

/// Oliva 2012, figures 43 and 44: storeys and Recast.
fn recast() -> Result<()> {
    head(
        "Storeys beside voxels and native Recast, one thread: ms / polygons (Oliva 2012, figures 43 and 44)",
        "scene | cells, m | storeys | voxels | Recast",
    );
    let generated = ["spiral-stairs", "overlapping-storeys", "dungeon-rooms", "city-block"];
    let generated = generated.into_iter().map(Scene::named).collect::<Result<Vec<_>>>()?;
    for scene in Scene::golden()?.iter().chain(&generated) {
        for scale in [GridScale::new(0.3, 0.2), GridScale::new(0.1, 0.1)] {
            let settings = Settings::recast_demo(scale, Partitioning::Watershed);
            let config = BakeConfig::default()
                .with_scale(scale.cell_size, scale.level_height)
                .with_agent(settings.agent)
                .with_threads(1);
            let (storeys, storeys_ms) =
                fastest(3, || Baker::storeys().with_config(config.clone()).bake(&scene.soup));
            let (voxels, voxels_ms) =
                fastest(3, || Baker::voxels().with_config(config.clone()).bake(&scene.soup));
            let cell = |time: Time, polygons: usize| format!("{:.1} / {polygons}", time.wall);
            #[cfg(feature = "peers")]
            let native = {
                let (bake, time) = fastest(3, || crate::recast::bake_recast(scene, &settings));
                cell(time, bake?.counts.polygons)
            };
            #[cfg(not(feature = "peers"))]
            let native = "-".to_owned();
            let storeys = cell(storeys_ms, storeys?.polygon_count());
            let voxels = cell(voxels_ms, voxels?.polygon_count());
            row([scene.name.clone(), scale.cell_size.to_string(), storeys, voxels, native]);
        }
    }
    say!(
        "\nAll with heights, time on the wall. The thesis' scenes are not published; these are Recast's and generated ones. Recast bakes with \
         RecastDemo's settings, watershed, at most 6 corners a polygon; ours has no such limit here."
    );
    Ok(())
}

/// Share of polygons to triangles that Mononen gives for most 6 and 12 corners.
const SHARES: [(&str, [f64; 2]); 2] = [("nav_test", [42.0, 38.4]), ("dungeon", [47.3, 31.5])];

/// Mononen, slides: polygons of few corners, and bytes.
fn corners() -> Result<()> {
    head(
        "Polygons of 6 and of 12 corners, of 100 triangles, and bytes (Mononen, slides)",
        "level | triangles | longest edge: 6 / 12 (slides) | notch portals: 6 / 12 / any | bytes a polygon: .wmrun, .wmesh, .wmesh without heights",
    );
    for scene in Scene::golden()? {
        let Some((_, slides)) = SHARES.iter().find(|(name, _)| *name == scene.name) else { continue };
        let settings = Settings::recast_demo(GridScale::new(0.3, 0.2), Partitioning::Watershed);
        let baker = Baker::voxels().with_config(BakeConfig::default().with_threads(1));
        let contours = baker.bake_stages(&scene.soup, &mut ())?.contours;
        let triangles = triangulate_cdt(&contours.polygons())?;
        let share = |mesh: &PolyMesh| 100.0 * ratio(mesh.polygons.len(), triangles.triangles.len());
        let longest = |most| {
            let config = GreedyConfig::default().with_order(MergeOrder::LongestEdge).with_max_vertices(most);
            merge_greedy(&triangles, &config).map(|mesh| share(&mesh))
        };
        let portals = |most| {
            let config = NotchPortalsConfig::default().with_max_vertices(most);
            notch_portals(&triangles, &config).map(|mesh| share(&mesh))
        };
        let (polygons, surface) = bake_waymesh(&scene, &settings, Some(settings.partition))?.result;
        let flat = NavMesh::new(polygons.clone(), None, settings.agent)?;
        let whole = NavMesh::new(polygons, Some(surface), settings.agent)?;
        let bytes =
            |mesh: &NavMesh, format: MeshFormat| ratio(mesh.to_bytes(format).len(), mesh.polygon_count());
        say!(
            "| {} | {} | {:.1} ({}) / {:.1} ({}) | {:.1} / {:.1} / {:.1} | {:.0} / {:.0} / {:.0} |",
            scene.name,
            triangles.triangles.len(),
            longest(6)?,
            slides[0],
            longest(12)?,
            slides[1],
            portals(6)?,
            portals(12)?,
            portals(0)?,
            bytes(&whole, MeshFormat::Packed),
            bytes(&whole, MeshFormat::Exchange),
            bytes(&flat, MeshFormat::Exchange)
        );
    }
    say!("\nThe slides: dungeon in 3.6 kB for 165 triangles, 22 bytes each, without heights.");
    Ok(())
}

/// The decomposition of the pipeline, which keeps a copy of its input.
struct Kept(Arc<Mutex<Option<Triangulation>>>);

impl Decompose for Kept {
    fn decompose(
        &self,
        triangulation: &Triangulation,
        observer: &mut dyn Observer,
    ) -> Result<PolyMesh, StageError> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(triangulation.clone());
        NotchPortals::default().decompose(triangulation, observer)
    }
}

/// Prints the polygons of the storeys of growing maps when they may be a little less than convex
/// (Oliva 2012, figures 39 to 42).
///
/// # Errors
/// When a map cannot be baked.
pub fn storeys() -> Result<()> {
    let mut maps = Vec::new();
    for name in ["spiral-stairs", "overlapping-storeys", "dungeon-rooms", "city-block"] {
        let kept = Arc::new(Mutex::new(None));
        let agent = Agent::default().with_radius(0.3).with_max_step(0.4);
        let config = BakeConfig::default().with_scale(0.1, 0.1).with_agent(agent);
        let baker = Baker::storeys().with_config(config).with_decompose(Kept(Arc::clone(&kept)));
        baker.bake(&Scene::named(name)?.soup)?;
        let triangles = kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        maps.extend(triangles.map(|triangles| (name, triangles)));
    }
    crate::relaxed::relaxation(maps.iter().map(|(name, triangles)| (*name, triangles)))
}
